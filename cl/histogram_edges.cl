/* SPDX-License-Identifier: Apache-2.0 */
/*
 * histogram_edges.cl: what comes before the counting: the table of edges of a channel, as keys, and counts of 0.
 * Macros: see histogram_bins.cl.
 *
 * Even edges of floats are those of double arithmetic, low + k · step, each operation rounded to nearest even, then
 * rounded to the type. Doubles are integers here, so that devices without them have the same table, and no compiler can
 * fuse or flush anything.
 *
 * Launch of clp_histogram_prepare: one-dimensional, any size.
 */

#if CLP_FORM != 0
/* ±significand · 2^exponent; the significand has its highest bit set, or is 0. */
typedef struct {
    ulong significand;
    int exponent;
    uint negative;
} clp_number;

/* Bits of a finite double. */
static inline clp_number clp_number_of(ulong bits) {
    const int biased = (int)(bits >> 52 & 0x7ff);
    const ulong fraction = bits & 0xffffffffffffful;
    clp_number x;
    x.significand = biased ? fraction | 0x10000000000000ul : fraction;
    const int shift = x.significand ? (int)clz(x.significand) : 0;
    x.significand <<= shift;
    x.exponent = (biased ? biased : 1) - 1075 - shift;
    x.negative = (uint)(bits >> 63);
    return x;
}

/* The significand without its last bits, in units of the last one that stays; to nearest even. drop: 1 … 64 */
static inline ulong clp_round_off(ulong significand, uint drop) {
    const ulong whole = drop < 64 ? significand >> drop : 0, rest = drop < 64 ? significand & ((1ul << drop) - 1) : significand;
    const ulong middle = 1ul << (drop - 1);
    return whole + (rest > middle || (rest == middle && (whole & 1)) ? 1 : 0);
}

/* A double again; the smallest ones come out exactly, for they are multiples of what double can hold. */
static inline void clp_round_number(clp_number *x) {
    const ulong rounded = clp_round_off(x->significand, 11);
    const uint over = (uint)(rounded >> 53);
    x->significand = over ? 0x8000000000000000ul : rounded << 11;
    x->exponent += (int)over;
}

/* k · step */
static inline clp_number clp_multiple(uint k, clp_number step) {
    clp_number x = step;
    const uint shift = clz((ulong)k) & 63;
    const ulong factor = (ulong)k << shift;
    ulong high = mul_hi(factor, step.significand), low = factor * step.significand;
    const uint less = high >> 63 ? 0u : 1u;
    high = less ? high << 1 | low >> 63 : high;
    low <<= less;
    x.significand = k ? high | (low ? 1 : 0) : 0;
    x.exponent = step.exponent - (int)shift + 64 - (int)less;
    if (x.significand)
        clp_round_number(&x);
    return x;
}

static inline clp_number clp_plus(clp_number a, clp_number b) {
    if (b.significand == 0)
        return a;
    if (a.significand == 0)
        return b;
    const uint less = a.exponent < b.exponent || (a.exponent == b.exponent && a.significand < b.significand);
    clp_number x = less ? b : a;
    const clp_number y = less ? a : b;
    const uint shift = (uint)(x.exponent - y.exponent);
    /* Eleven bits are free; what is shifted out leaves a mark. */
    const ulong whole = y.significand >> 1;
    const ulong moved = shift == 0 ? whole : shift < 64 ? whole >> shift | (whole << (64 - shift) ? 1 : 0) : 1;
    x.significand = x.negative == y.negative ? (x.significand >> 1) + moved : (x.significand >> 1) - moved;
    x.exponent++;
    if (x.significand) {
        const int up = (int)clz(x.significand);
        x.significand <<= up;
        x.exponent -= up;
        clp_round_number(&x);
    }
    return x;
}

/* Bits of the nearest number of a format with so many significant bits; its least one is 2^least. */
static inline ulong clp_bits_of(clp_number x, int significant, int least) {
    const int last = x.exponent + 64 - significant, more = last < least ? least - last : 0;
    if (x.significand == 0 || more > significant)
        return 0;
    return ((ulong)(last + more - least) << (significant - 1)) + clp_round_off(x.significand, (uint)(64 - significant + more));
}

#if CLP_FORM == 1
#define CLP_NEAREST(x) ((ushort)(clp_bits_of(x, 11, -24) | (x).negative << 15))
#elif CLP_FORM == 2
#define CLP_NEAREST(x) ((ushort)(clp_bits_of(x, 8, -133) | (x).negative << 15))
#elif CLP_FORM == 3
#define CLP_NEAREST(x) as_float((uint)clp_bits_of(x, 24, -149) | (x).negative << 31)
#else
#define CLP_NEAREST(x) as_double(clp_bits_of(x, 53, -1074) | (ulong)(x).negative << 63)
#endif
#endif

/*
 * Edge k of even bins. Floats: low, step and high are bits of doubles. Integers: step and rest are (high − low) / bins and
 * what is left, all modulo 2^64; high is the last edge.
 */
static inline CLP_KEY clp_even_edge(uint k, uint bins, ulong low, ulong step, ulong rest, ulong high) {
#if CLP_FORM == 0
    return (CLP_KEY)(k == bins ? high : low + k * step + (k * rest + (bins - 1)) / bins);
#else
    (void)rest;
    const clp_number edge = k == bins ? clp_number_of(high) : clp_plus(clp_number_of(low), clp_multiple(k, clp_number_of(step)));
    return CLP_PLACE(CLP_NEAREST(edge));
#endif
}

/* even: 0: edges has custom ones. cleared, cleared_outside: how many sums become 0. */
CLP_KERNEL void clp_histogram_prepare(const __global CLP_T *edges, ulong edges_offset, __global CLP_KEY *table,
                                      ulong table_offset, uint bins, uint even, ulong low, ulong step, ulong rest,
                                      ulong high, __global CLP_C *counts, ulong counts_offset, ulong cleared,
                                      __global CLP_C *outside, ulong outside_offset, ulong cleared_outside) {
    const ulong item = get_global_id(0), items = get_global_size(0);
    for (ulong k = item; k <= bins; k += items)
        table[table_offset + k] = even ? clp_even_edge((uint)k, bins, low, step, rest, high) : CLP_PLACE(edges[edges_offset + k]);
    for (ulong i = item; i < cleared; i += items)
        counts[counts_offset + i] = 0;
    for (ulong i = item; i < cleared_outside; i += items)
        outside[outside_offset + i] = 0;
}

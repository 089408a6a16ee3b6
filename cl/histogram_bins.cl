/* SPDX-License-Identifier: Apache-2.0 */
/*
 * histogram_bins.cl: what the kernels of a histogram share: the bin of a sample in a table of edges, and sums in
 * global memory. Edges and samples are compared as integers (keys, see order.cl), so that denormals count and −0 is
 * +0. The bins of a channel are followed by three slots more: samples below, above, and NaNs.
 *
 * Macros:
 *   CLP_T           type of the samples
 *   CLP_KEY         type of their keys: int, uint, long or ulong
 *   CLP_KEY_BITS    32 or 64
 *   CLP_PLACE       name of the conversion of T to KEY
 *   CLP_FORM        0 integers, 1 f16, 2 bf16, 3 f32, 4 f64
 *   CLP_C           type of counts: uint or ulong (signed sums are the same bits)
 *   CLP_WIDE        1: that is ulong
 *   CLP_WEIGHT      0: each sample counts once; 1: uint weights; 2: int weights
 *   CLP_ATOMICS64   1: with 64-bit atomics, see atomics.cl
 */
#if !defined(CLP_T) || !defined(CLP_KEY) || !defined(CLP_PLACE) || !defined(CLP_C)
#error "CLP_T, CLP_KEY and CLP_C must be types, CLP_PLACE a name"
#endif
#if !defined(CLP_KEY_BITS) || !defined(CLP_FORM) || !defined(CLP_WIDE) || !defined(CLP_WEIGHT)
#error "CLP_KEY_BITS, CLP_FORM, CLP_WIDE and CLP_WEIGHT must be numbers"
#endif
#include "atomics.cl"

/* The keys of NaNs are above that of infinity. */
#if CLP_FORM == 1
#define CLP_IS_NAN(key) ((key) > 0x7c00)
#define CLP_VALUE(key) clp_half(clp_unkey_16(key))
#elif CLP_FORM == 2
#define CLP_IS_NAN(key) ((key) > 0x7f80)
#define CLP_VALUE(key) clp_bfloat(clp_unkey_16(key))
#elif CLP_FORM == 3
#define CLP_IS_NAN(key) ((key) > 0x7f800000)
#define CLP_VALUE(key) clp_unkey_float(key)
#elif CLP_FORM == 4
#define CLP_IS_NAN(key) ((key) > 0x7ff0000000000000L)
#define CLP_VALUE(key) clp_unkey_double(key)
#else
#define CLP_IS_NAN(key) 0
#endif

/* About how far a key is above another one. */
#if CLP_FORM != 0
#define CLP_DISTANCE(key, first) convert_float(CLP_VALUE(key) - CLP_VALUE(first))
#elif CLP_KEY_BITS == 64
#define CLP_DISTANCE(key, first) convert_float(as_ulong(key) - as_ulong(first))
#else
#define CLP_DISTANCE(key, first) convert_float(as_uint(key) - as_uint(first))
#endif

/*
 * clp_search_SPACE(key, edges, bins): the bin, for a key from the first edge on and not above the last one.
 * clp_bin_SPACE(x, edges, bins, scale): the slot. scale: bins per distance, of even bins; 0: custom edges. It only says
 * where to look first: the bin is the one that a search finds.
 */
#define CLP_DEFINE_BINS(SPACE)                                                                               \
    static inline uint CLP_CAT(clp_search, SPACE)(CLP_KEY key, const SPACE CLP_KEY *edges, uint bins) {      \
        uint low = 0;                                                                                        \
        for (uint count = bins; count > 1;) { /* without a branch on what is found */                        \
            const uint lower = count >> 1;                                                                   \
            low += lower & (0u - (uint)(edges[low + lower] <= key));                                         \
            count -= lower;                                                                                  \
        }                                                                                                    \
        return low;                                                                                          \
    }                                                                                                        \
    static inline uint CLP_CAT(clp_holds, SPACE)(CLP_KEY key, const SPACE CLP_KEY *edges, uint bins, uint k) { \
        return edges[k] <= key && (key < edges[k + 1] || k + 1 == bins);                                     \
    }                                                                                                        \
    static inline uint CLP_CAT(clp_bin, SPACE)(CLP_T x, const SPACE CLP_KEY *edges, uint bins, float scale) { \
        const CLP_KEY key = CLP_PLACE(x), first = edges[0];                                                  \
        if (CLP_IS_NAN(key))                                                                                 \
            return bins + 2;                                                                                 \
        if (key < first)                                                                                     \
            return bins;                                                                                     \
        if (key > edges[bins])                                                                               \
            return bins + 1;                                                                                 \
        if (!(scale > 0))                                                                                    \
            return CLP_CAT(clp_search, SPACE)(key, edges, bins);                                             \
        const float guess = CLP_DISTANCE(key, first) * scale;                                                \
        uint k = guess < convert_float(bins) ? convert_uint(guess) : bins - 1;                               \
        if (CLP_CAT(clp_holds, SPACE)(key, edges, bins, k))                                                  \
            return k;                                                                                        \
        k = key < edges[k] ? k - 1 : k + 1;                                                                  \
        return CLP_CAT(clp_holds, SPACE)(key, edges, bins, k) ? k                                            \
                                                              : CLP_CAT(clp_search, SPACE)(key, edges, bins); \
    }
CLP_DEFINE_BINS(__global)

/* Adds to 64 bits by 32-bit atomics: the words' sum is right when all have added, whatever their order. */
#define CLP_DEFINE_ADD(SPACE)                                                                                \
    static inline void CLP_CAT(clp_add_words, SPACE)(volatile SPACE uint * words, ulong value) {             \
        const uint low = (uint)value, before = atomic_add(words, low);                                       \
        const uint high = (uint)(value >> 32) + (before + low < before ? 1u : 0u);                           \
        if (high != 0)                                                                                       \
            atomic_add(words + 1, high);                                                                     \
    }
CLP_DEFINE_ADD(__global)

static inline void clp_give(volatile __global CLP_C *to, ulong value) {
#if !CLP_WIDE
    atomic_add(to, (uint)value);
#elif CLP_ATOMICS64
    clp_join_sum_ulong(to, value);
#else
    clp_add_words__global((volatile __global uint *)to, value);
#endif
}

/* Where the sums of all rows and channels go. */
typedef struct {
    volatile __global CLP_C *counts, *outside; /* of all rows */
    ulong total;                               /* bins of a row */
    uint channels;                             /* active ones */
    uint has_outside;
    uint4 bins;
} clp_sums;

static inline uint clp_pick(uint4 values, uint c) {
    return c == 0 ? values.x : c == 1 ? values.y : c == 2 ? values.z : values.w;
}

/* Adds to a slot of a channel, of which `before` bins belong to the channels before. */
static inline void clp_give_slot(const clp_sums *sums, ulong row, uint c, uint before, uint slot, ulong value) {
    const uint bins = clp_pick(sums->bins, c);
    if (slot < bins)
        clp_give(sums->counts + row * sums->total + before + slot, value);
    else if (sums->has_outside)
        clp_give(sums->outside + (row * sums->channels + c) * 3 + (slot - bins), value);
}

/* A part of a row: where it begins and how many pixels it has. */
static inline ulong clp_part(ulong begin, ulong part, ulong columns, const __global uint *lengths, uint has_lengths,
                             ulong row) {
    const ulong there = has_lengths ? min(columns, (ulong)lengths[row]) : columns;
    return begin < there ? min(part, there - begin) : 0;
}

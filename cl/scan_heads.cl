/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan_heads.cl: accumulators of a scan with segments that begin at heads: a value, and whether a head lies in what it
 * was made of. The operator is (a, f) ∘ (b, g) = (g ? b : a ⊕ b, f | g) (G. E. Blelloch, "Prefix sums and their
 * applications", CMU-CS-90-190, 1990), the identity (e, 0). From here on CLP_A and CLP_OP are those of the pairs, so
 * that scan.cl and the tiles of scan_any.cl and scan_simt.cl are used as they are. clp_value is what CLP_A was.
 *
 *   CLP_HEADS        1: an element is a head if its flag is not 0; 2: if its key differs from the one before. Element 0
 *                    is one anyway
 *   CLP_H            type of flags (uchar) or keys; they must not overlap the outputs, which are written between
 *                    readings of them
 *   CLP_KEY          keys: name of the conversion of CLP_H to what is compared; with 16 appended, of vectors
 *   CLP_HEADED_SIZE  bytes of a pair, a power of two
 */
#if !defined(CLP_H) || !defined(CLP_HEADED_SIZE) || (CLP_HEADS == 2 && !defined(CLP_KEY))
#error "CLP_H must be a type, CLP_KEY a name, CLP_HEADED_SIZE a number"
#endif
#if !CLP_SIMD && CLP_SUBGROUPS != 1
#error "pairs are exchanged through local memory"
#endif

typedef CLP_A clp_value;
static inline clp_value clp_value_op(clp_value a, clp_value b) {
    return CLP_OP(a, b);
}
#if CLP_SIMD && !CLP_ANY
static inline clp_a16 clp_value_op16(clp_a16 a, clp_a16 b) {
    return CLP_OP(a, b);
}
#endif

/* head: −1 or 0, as a lane of a comparison. */
typedef struct __attribute__((aligned(CLP_HEADED_SIZE))) {
    clp_value value;
    int head;
} clp_headed;
typedef char clp_headed_size[sizeof(clp_headed) == CLP_HEADED_SIZE ? 1 : -1];

static inline clp_headed clp_headed_of(clp_value value, int head) {
    clp_headed a;
    a.value = value;
    a.head = head;
    return a;
}

static inline clp_headed clp_headed_op(clp_headed a, clp_headed b) {
    if (!b.head)
        b.value = clp_value_op(a.value, b.value);
    b.head |= a.head;
    return b;
}

#undef CLP_A
#define CLP_A clp_headed
#undef CLP_OP
#define CLP_OP(a, b) clp_headed_op(a, b)
#define CLP_BARE(v) clp_headed_of(v, 0)

/* Elements and their heads from some place of the array on. */
typedef struct {
    const __global CLP_T *x;
    const __global CLP_H *heads;
    ulong at;        /* the place */
    clp_value init;  /* stands in front of each segment */
    clp_value start; /* what an exclusive scan writes at a head */
} clp_headed_in;

static inline clp_headed_in clp_headed_from(clp_headed_in in, ulong i) {
    in.x += i;
    in.heads += i;
    in.at += i;
    return in;
}

/* Does a segment begin at element i? −1 or 0. */
static inline int clp_is_head(clp_headed_in in, uint i) {
    const uint first = in.at + i == 0;
#if CLP_HEADS == 1
    return -(int)(first | (in.heads[i] != 0));
#else
    const __global CLP_H *key = in.heads + i;
    return -(int)(first | (CLP_KEY(key[0]) != CLP_KEY(key[first ? 0 : -1])));
#endif
}

static inline clp_headed clp_headed_element(clp_headed_in in, uint i) {
    const int head = clp_is_head(in, i);
    clp_value value = CLP_LOAD(in.x[i]);
    if (head)
        value = clp_value_op(in.init, value);
    return clp_headed_of(value, head);
}

static inline CLP_R clp_headed_output(clp_headed_in in, uint i, clp_headed a) {
#if CLP_EXCLUSIVE
    if (clp_is_head(in, i))
        a.value = in.start;
#else
    (void)in;
    (void)i;
#endif
    return CLP_STORE(a.value);
}

#define CLP_IN clp_headed_in
#define CLP_FROM(x, i) clp_headed_from(x, i)
#define CLP_ELEMENT(x, i) clp_headed_element(x, i)
#define CLP_OUTPUT(x, i, a) clp_headed_output(x, i, a)
#define CLP_HEADS_PARAMETERS                                                                                           \
    const __global CLP_H *heads, ulong heads_offset, clp_value segment_init, clp_value segment_start,
#define CLP_SOURCE(in) clp_headed_source(in, heads + heads_offset, segment_init, segment_start)
static inline clp_headed_in clp_headed_source(const __global CLP_T *x, const __global CLP_H *heads, clp_value init,
                                              clp_value start) {
    clp_headed_in in;
    in.x = x;
    in.heads = heads;
    in.at = 0;
    in.init = init;
    in.start = start;
    return in;
}

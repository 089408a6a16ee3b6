/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pairs.cl: accumulators of two built-in scalars, and their vectors: two vectors. See lanes.cl for the functions.
 *   CLP_KIND 1   the extreme element's place: clp_pair is {key, index} over all tiles (long, ulong), clp_near within
 *                one tile ({CLP_NEAR_KEY, CLP_NEAR_INDEX}, of CLP_NEAR_BITS). The better key wins, then the lower
 *                index: a total order, so any order of folding gives the same.
 *                CLP_BETTER(a, b)  is key a better than key b: < or >
 *            2   a sum and what its additions lost: clp_pair is {sum, lost}, of CLP_PART, CLP_PART_BITS. Each
 *                addition's error is exact (Knuth's TwoSum) and is summed beside it. clp_pair_value() joins them.
 */
#define CLP_DEFINE_PAIR(T, P, Q)                                                                             \
    typedef struct {                                                                                         \
        P first;                                                                                             \
        Q second;                                                                                            \
    } T;
#define CLP_DEFINE_PAIRS(T, P, Q, W)                                                                         \
    typedef struct {                                                                                         \
        CLP_CAT(P, W) first;                                                                                 \
        CLP_CAT(Q, W) second;                                                                                \
    } T##W;                                                                                                  \
    static inline T##W T##_splat##W(T x) {                                                                   \
        T##W v;                                                                                              \
        v.first = (CLP_CAT(P, W))(x.first);                                                                  \
        v.second = (CLP_CAT(Q, W))(x.second);                                                                \
        return v;                                                                                            \
    }                                                                                                        \
    static inline T##W T##_from##W(const T *p) {                                                             \
        P first[W];                                                                                          \
        Q second[W];                                                                                         \
        for (uint l = 0; l < W; l++) {                                                                       \
            first[l] = p[l].first;                                                                           \
            second[l] = p[l].second;                                                                         \
        }                                                                                                    \
        T##W v;                                                                                              \
        v.first = vload##W(0, first);                                                                        \
        v.second = vload##W(0, second);                                                                      \
        return v;                                                                                            \
    }                                                                                                        \
    static inline void T##_to##W(T##W v, uint i, __local T *p) {                                             \
        P first[W];                                                                                          \
        Q second[W];                                                                                         \
        vstore##W(v.first, 0, first);                                                                        \
        vstore##W(v.second, 0, second);                                                                      \
        for (uint l = 0; l < W; l++) {                                                                       \
            p[i * W + l].first = first[l];                                                                   \
            p[i * W + l].second = second[l];                                                                 \
        }                                                                                                    \
    }

/* Folding and exchange, once the operator is there; H is half of W, empty for 1. */
#define CLP_DEFINE_PAIR_FOLD(T, W, H)                                                                        \
    static inline T T##_fold##W(T##W v) {                                                                    \
        T##H low, high;                                                                                      \
        low.first = v.first.lo, low.second = v.second.lo;                                                    \
        high.first = v.first.hi, high.second = v.second.hi;                                                  \
        return T##_fold##H(T##_op##H(low, high));                                                            \
    }
#define CLP_DEFINE_PAIR_DOWN(T, W, H)                                                                        \
    static inline T##W T##_down##W(T##W v, uint delta) {                                                     \
        T##H low, high;                                                                                      \
        low.first = v.first.lo, low.second = v.second.lo;                                                    \
        high.first = v.first.hi, high.second = v.second.hi;                                                  \
        low = T##_down##H(low, delta), high = T##_down##H(high, delta);                                      \
        v.first.lo = low.first, v.first.hi = high.first;                                                     \
        v.second.lo = low.second, v.second.hi = high.second;                                                 \
        return v;                                                                                            \
    }
#define CLP_DEFINE_PAIR_FOLDS(T)                                                                             \
    static inline T T##_fold(T v) {                                                                          \
        return v;                                                                                            \
    }                                                                                                        \
    CLP_DEFINE_PAIR_FOLD(T, 2, )                                                                             \
    CLP_DEFINE_PAIR_FOLD(T, 4, 2)                                                                            \
    CLP_DEFINE_PAIR_FOLD(T, 8, 4)                                                                            \
    CLP_DEFINE_PAIR_FOLD(T, 16, 8)
#if !CLP_SIMD && CLP_SUBGROUPS != 1
#define CLP_DEFINE_PAIR_DOWNS(T, P, Q, BITS)                                                                 \
    static inline T T##_down(T v, uint delta) {                                                              \
        v.first = CLP_CAT(as_, P)(CLP_CAT(clp_down_, BITS)(CLP_CAT(clp_bits_, BITS)(v.first), delta));       \
        v.second = CLP_CAT(as_, Q)(CLP_CAT(clp_down_, BITS)(CLP_CAT(clp_bits_, BITS)(v.second), delta));     \
        return v;                                                                                            \
    }                                                                                                        \
    CLP_DEFINE_PAIR_DOWN(T, 2, )                                                                             \
    CLP_DEFINE_PAIR_DOWN(T, 4, 2)                                                                            \
    CLP_DEFINE_PAIR_DOWN(T, 8, 4)                                                                            \
    CLP_DEFINE_PAIR_DOWN(T, 16, 8)
#define clp_bits_32(x) as_uint(x)
#define clp_bits_64(x) as_ulong(x)
#else
#define CLP_DEFINE_PAIR_DOWNS(T, P, Q, BITS)
#endif
#define CLP_DEFINE_ALL_PAIRS(T, P, Q)                                                                        \
    CLP_DEFINE_PAIR(T, P, Q)                                                                                 \
    CLP_DEFINE_PAIRS(T, P, Q, 2)                                                                             \
    CLP_DEFINE_PAIRS(T, P, Q, 4)                                                                             \
    CLP_DEFINE_PAIRS(T, P, Q, 8)                                                                             \
    CLP_DEFINE_PAIRS(T, P, Q, 16)

#if CLP_KIND == 1

/* Comparisons of vectors give integers as wide as what is compared: key and index are of one size. */
#define CLP_DEFINE_BETTER(T, W)                                                                              \
    static inline T##W T##_op##W(T##W a, T##W b) {                                                           \
        T##W best;                                                                                           \
        best.first = CLP_BETTER(b.first, a.first) ? b.first : a.first;                                       \
        best.second = CLP_BETTER(b.first, a.first)                      ? b.second                           \
                      : (b.first == a.first && b.second < a.second) ? b.second                               \
                                                                        : a.second;                          \
        return best;                                                                                         \
    }
#define CLP_DEFINE_BETTERS(T)                                                                                \
    CLP_DEFINE_BETTER(T, )                                                                                   \
    CLP_DEFINE_BETTER(T, 2)                                                                                  \
    CLP_DEFINE_BETTER(T, 4)                                                                                  \
    CLP_DEFINE_BETTER(T, 8)                                                                                  \
    CLP_DEFINE_BETTER(T, 16)
/*
 * Within a lane of a tile indices rise, so only a better key wins, and a lane whose elements are no better than the
 * pad keeps the pad's index, all ones: see clp_far().
 */
#define CLP_DEFINE_NEXT(W)                                                                                   \
    static inline clp_near##W clp_near_next##W(clp_near##W a, clp_near##W b) {                               \
        clp_near##W best;                                                                                    \
        best.first = CLP_BETTER(b.first, a.first) ? b.first : a.first;                                       \
        best.second = CLP_BETTER(b.first, a.first) ? b.second : a.second;                                    \
        return best;                                                                                         \
    }
#define clp_pair_next2 clp_pair_op2
#define clp_pair_next16 clp_pair_op16
CLP_DEFINE_ALL_PAIRS(clp_near, CLP_NEAR_KEY, CLP_NEAR_INDEX)
CLP_DEFINE_NEXT(2)
CLP_DEFINE_NEXT(4)
CLP_DEFINE_NEXT(8)
CLP_DEFINE_NEXT(16)
CLP_DEFINE_BETTERS(clp_near)
CLP_DEFINE_PAIR_FOLDS(clp_near)
CLP_DEFINE_PAIR_DOWNS(clp_near, CLP_NEAR_KEY, CLP_NEAR_INDEX, CLP_NEAR_BITS)
CLP_DEFINE_ALL_PAIRS(clp_pair, long, ulong)
CLP_DEFINE_BETTERS(clp_pair)
CLP_DEFINE_PAIR_FOLDS(clp_pair)
CLP_DEFINE_PAIR_DOWNS(clp_pair, long, ulong, 64)

/* The total of the tile that begins at element start. If no element was better than the pad, all equal it. */
static inline clp_pair clp_far(clp_near total, ulong start) {
    clp_pair far;
    far.first = total.first;
    far.second = total.second == (CLP_NEAR_INDEX)-1 ? start : start + total.second;
    return far;
}

static inline clp_near clp_near_pad(clp_pair pad) {
    clp_near near;
    near.first = (CLP_NEAR_KEY)pad.first;
    near.second = (CLP_NEAR_INDEX)-1;
    return near;
}

#else

#define CLP_DEFINE_TWO_SUM(W)                                                                                \
    static inline clp_pair##W clp_pair_op##W(clp_pair##W a, clp_pair##W b) {                                 \
        clp_pair##W r;                                                                                       \
        r.first = a.first + b.first;                                                                         \
        const CLP_CAT(CLP_PART, W) virtual_b = r.first - a.first;                                            \
        const CLP_CAT(CLP_PART, W) lost = (a.first - (r.first - virtual_b)) + (b.first - virtual_b);         \
        r.second = (a.second + b.second) + lost;                                                             \
        return r;                                                                                            \
    }
CLP_DEFINE_ALL_PAIRS(clp_pair, CLP_PART, CLP_PART)
CLP_DEFINE_TWO_SUM()
CLP_DEFINE_TWO_SUM(2)
CLP_DEFINE_TWO_SUM(4)
CLP_DEFINE_TWO_SUM(8)
CLP_DEFINE_TWO_SUM(16)
CLP_DEFINE_PAIR_FOLDS(clp_pair)
CLP_DEFINE_PAIR_DOWNS(clp_pair, CLP_PART, CLP_PART, CLP_PART_BITS)

/* What was lost is not finite where the sum overflowed or met an infinity or NaN: the sum says it all. */
static inline CLP_PART clp_pair_value(clp_pair a) {
    const CLP_PART nothing = a.second - a.second; /* 0, or NaN */
    return nothing == nothing && a.second != nothing ? a.first + a.second : a.first;
}
#endif

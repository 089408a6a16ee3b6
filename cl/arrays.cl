/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arrays.cl: vectors of accumulators of any type, clp_any: arrays, operated on lane by lane in loops that a compiler
 * can unroll and vectorise. See lanes.cl for the functions. Such accumulators are exchanged through local memory
 * only.
 *   CLP_OP(a, b)   the operator of two clp_any
 */
#if !CLP_SIMD && CLP_SUBGROUPS != 1
#error "accumulators of any type are exchanged through local memory"
#endif

static inline clp_any clp_any_op(clp_any a, clp_any b) {
    return CLP_OP(a, b);
}

#define CLP_DEFINE_ARRAY(W, HALF)                                                                            \
    typedef struct {                                                                                         \
        clp_any lane[W];                                                                                     \
    } clp_any##W;                                                                                            \
    static inline clp_any##W clp_any_splat##W(clp_any x) {                                                   \
        clp_any##W v;                                                                                        \
        for (uint l = 0; l < W; l++)                                                                         \
            v.lane[l] = x;                                                                                   \
        return v;                                                                                            \
    }                                                                                                        \
    static inline clp_any##W clp_any_from##W(const clp_any *p) {                                             \
        clp_any##W v;                                                                                        \
        for (uint l = 0; l < W; l++)                                                                         \
            v.lane[l] = p[l];                                                                                \
        return v;                                                                                            \
    }                                                                                                        \
    static inline void clp_any_to##W(clp_any##W v, uint i, __local clp_any *p) {                             \
        for (uint l = 0; l < W; l++)                                                                         \
            p[i * W + l] = v.lane[l];                                                                        \
    }                                                                                                        \
    static inline clp_any##W clp_any_op##W(clp_any##W a, clp_any##W b) {                                     \
        for (uint l = 0; l < W; l++)                                                                         \
            a.lane[l] = clp_any_op(a.lane[l], b.lane[l]);                                                    \
        return a;                                                                                            \
    }                                                                                                        \
    static inline clp_any clp_any_fold##W(clp_any##W v) {                                                    \
        for (uint half_lanes = HALF; half_lanes > 0; half_lanes /= 2)                                        \
            for (uint l = 0; l < half_lanes; l++)                                                            \
                v.lane[l] = clp_any_op(v.lane[l], v.lane[l + half_lanes]);                                   \
        return v.lane[0];                                                                                    \
    }
CLP_DEFINE_ARRAY(2, 1)
CLP_DEFINE_ARRAY(4, 2)
CLP_DEFINE_ARRAY(8, 4)
CLP_DEFINE_ARRAY(16, 8)

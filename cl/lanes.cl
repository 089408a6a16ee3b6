/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lanes.cl: what fold.cl does with the lanes that one work-item holds: vectors of W accumulators of type T.
 *   CLP_VECTOR(T, W)                    the vector's type
 *   CLP_V_OP(T, W, a, b)           the operator, lane by lane (a is the earlier)
 *   CLP_V_NEXT(T, W, a, b)         the same where b comes later in one lane of a tile, which may be simpler
 *   CLP_OP1(T, a, b)               the operator of two single accumulators
 *   CLP_V_SPLAT(T, W, x)           all lanes x
 *   CLP_V_FROM(T, W, p)            from an array of single ones
 *   CLP_V_TO(T, W, v, i, p)        to local memory: p[i · W] …
 *   CLP_V_FOLD(T, W, v)            folds the W lanes by halving
 *   CLP_V_DOWN(T, W, v, delta)     simt shape with sub-groups: the vector of the work-item delta further
 *   clp_fetch(p)                   16 bytes from an aligned address, as uint4
 *   clp_fetch_stream(p)            the same for data that nobody writes during the launch and nobody reads twice:
 *                                  past the caches where the device can
 *
 *   CLP_KIND   of accumulators   0   a built-in scalar and its built-in vectors: CLP_A of CLP_A_BITS, 32 or 64, and
 *                                    CLP_OP(a, b), of scalars and vectors alike. CLP_NEXT: name of the operator that
 *                                    rows fold by where CLP_B is not CLP_A; with a width appended, of vectors
 *                                1, 2   pairs, see pairs.cl
 *                                3   any type CLP_A, vectors are arrays: CLP_OP(a, b), of scalars
 */
#if !defined(CLP_KIND) || CLP_KIND < 0 || CLP_KIND > 3
#error "CLP_KIND must be 0, 1, 2 or 3"
#endif

#if CLP_KIND == 0
#if !defined(CLP_A_BITS) || (CLP_A_BITS != 32 && CLP_A_BITS != 64)
#error "CLP_A_BITS must be 32 or 64"
#endif
#define CLP_A2 CLP_CAT(CLP_A, 2)
#define CLP_A4 CLP_CAT(CLP_A, 4)
#define CLP_A8 CLP_CAT(CLP_A, 8)
#define CLP_A16 CLP_CAT(CLP_A, 16)

#define CLP_VECTOR(T, W) CLP_CAT(T, W)
#define CLP_V_OP(T, W, a, b) CLP_OP(a, b)
#if defined(CLP_NEXT)
#define CLP_V_NEXT(T, W, a, b) CLP_CAT(CLP_NEXT, W)(a, b)
#else
#define CLP_V_NEXT(T, W, a, b) CLP_OP(a, b)
#endif
#define CLP_OP1(T, a, b) CLP_OP(a, b)
#define CLP_V_SPLAT(T, W, x) ((CLP_CAT(T, W))(x))
#define CLP_V_FROM(T, W, p) CLP_CAT(vload, W)(0, p)
#define CLP_V_TO(T, W, v, i, p) CLP_CAT(vstore, W)(v, i, p)
#define CLP_V_FOLD(T, W, v) CLP_CAT(clp_fold_lanes, W)(v)
#define CLP_V_DOWN(T, W, v, delta) CLP_CAT(clp_down, W)(v, delta)

static inline CLP_A clp_fold_lanes2(CLP_A2 v) {
    return CLP_OP(v.x, v.y);
}

static inline CLP_A clp_fold_lanes4(CLP_A4 v) {
    return clp_fold_lanes2(CLP_OP(v.lo, v.hi));
}

static inline CLP_A clp_fold_lanes8(CLP_A8 v) {
    return clp_fold_lanes4(CLP_OP(v.lo, v.hi));
}

static inline CLP_A clp_fold_lanes16(CLP_A16 v) {
    return clp_fold_lanes8(CLP_OP(v.lo, v.hi));
}

#if !CLP_SIMD && CLP_SUBGROUPS != 1
static inline CLP_A clp_down1(CLP_A value, uint delta) {
#if CLP_A_BITS == 32
    return CLP_CAT(as_, CLP_A)(clp_down_32(as_uint(value), delta));
#else
    return CLP_CAT(as_, CLP_A)(clp_down_64(as_ulong(value), delta));
#endif
}

static inline CLP_A2 clp_down2(CLP_A2 v, uint delta) {
    return (CLP_A2)(clp_down1(v.x, delta), clp_down1(v.y, delta));
}

static inline CLP_A4 clp_down4(CLP_A4 v, uint delta) {
    return (CLP_A4)(clp_down2(v.lo, delta), clp_down2(v.hi, delta));
}

static inline CLP_A8 clp_down8(CLP_A8 v, uint delta) {
    return (CLP_A8)(clp_down4(v.lo, delta), clp_down4(v.hi, delta));
}

static inline CLP_A16 clp_down16(CLP_A16 v, uint delta) {
    return (CLP_A16)(clp_down8(v.lo, delta), clp_down8(v.hi, delta));
}
#endif

#else /* functions named after the type: clp_pair_op4() of a clp_pair4, … */

#define CLP_V_NAME(T, F, W) CLP_CAT(CLP_CAT(T, F), W)
#define CLP_VECTOR(T, W) CLP_CAT(T, W)
#define CLP_V_OP(T, W, a, b) CLP_V_NAME(T, _op, W)(a, b)
#if CLP_KIND == 1
#define CLP_V_NEXT(T, W, a, b) CLP_V_NAME(T, _next, W)(a, b)
#else
#define CLP_V_NEXT(T, W, a, b) CLP_V_OP(T, W, a, b)
#endif
#define CLP_OP1(T, a, b) CLP_CAT(T, _op)(a, b)
#define CLP_V_SPLAT(T, W, x) CLP_V_NAME(T, _splat, W)(x)
#define CLP_V_FROM(T, W, p) CLP_V_NAME(T, _from, W)(p)
#define CLP_V_TO(T, W, v, i, p) CLP_V_NAME(T, _to, W)(v, i, p)
#define CLP_V_FOLD(T, W, v) CLP_V_NAME(T, _fold, W)(v)
#define CLP_V_DOWN(T, W, v, delta) CLP_V_NAME(T, _down, W)(v, delta)
#if CLP_KIND == 3
#include "arrays.cl"
#else
#include "pairs.cl"
#endif
#endif

#define clp_fetch(p) (*(const __global uint4 *)(p))
#if CLP_DEVICE_FENCE == 2 /* NVIDIA */
static inline uint4 clp_fetch_stream(const __global void *p) {
    uint4 v;
    __asm__ volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                     : "l"(p));
    return v;
}
#else
#define clp_fetch_stream(p) clp_fetch(p)
#endif

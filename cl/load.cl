/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load.cl: how elements become what a lane folds: clp_load(x, s, i) of a single element at index i of its row, and
 * clp_loadW(x, s, i) of a vector from index i on, where W is 16 in the simd shape and CLP_V in the other.
 *
 *   CLP_T            type of elements; CLP_T_NATIVE 1: a built-in scalar, so there are vectors
 *   CLP_PAIRED       1: each element is made of one of x and one of s; 0: s is not looked at
 *   CLP_TRANSFORM    1: clp_user_transform() comes first, of CLP_X (see CLP_SEEN) to CLP_VALUE
 *   CLP_SEEN         with CLP_TRANSFORM: name of the conversion T to CLP_X
 *   CLP_LOAD         name of the conversion of T (with CLP_TRANSFORM: of CLP_VALUE) to a lane's scalar CLP_LANE; of two
 *                    T if CLP_PAIRED without CLP_TRANSFORM; with a width appended, of vectors
 */
#if !defined(CLP_TRANSFORM) || !defined(CLP_PAIRED) || !defined(CLP_T_NATIVE)
#error "CLP_TRANSFORM, CLP_PAIRED and CLP_T_NATIVE must be 0 or 1"
#endif
#if CLP_SIMD
#define CLP_LOAD_WIDTH 16
#else
#define CLP_LOAD_WIDTH CLP_V
#endif
#define CLP_LOAD_T CLP_CAT(CLP_T, CLP_LOAD_WIDTH)

#if CLP_TRANSFORM
#if CLP_PAIRED
#define CLP_TRANSFORMED(x, s, i) clp_user_transform(CLP_SEEN(x), i, CLP_SEEN(s))
#else
#define CLP_TRANSFORMED(x, s, i) clp_user_transform(CLP_SEEN(x), i, CLP_SEEN(x))
#endif
#define CLP_LANE_OF(x, s, i) CLP_LOAD(CLP_TRANSFORMED(x, s, i))
#elif CLP_PAIRED
#define CLP_LANE_OF(x, s, i) CLP_LOAD(x, s)
#else
#define CLP_LANE_OF(x, s, i) CLP_LOAD(x)
#endif

/* The lanes' scalars of a vector. User text is scalar: it is applied in a loop. */
#if CLP_T_NATIVE && CLP_KIND != 3
static inline CLP_CAT(CLP_LANE, CLP_LOAD_WIDTH) clp_lanes_of(CLP_LOAD_T x, CLP_LOAD_T s, ulong i) {
    (void)s;
    (void)i;
#if CLP_TRANSFORM
    CLP_T xs[CLP_LOAD_WIDTH], ss[CLP_LOAD_WIDTH];
    CLP_VALUE values[CLP_LOAD_WIDTH];
    CLP_CAT(vstore, CLP_LOAD_WIDTH)(x, 0, xs);
    CLP_CAT(vstore, CLP_LOAD_WIDTH)(s, 0, ss);
    for (uint l = 0; l < CLP_LOAD_WIDTH; l++)
        values[l] = CLP_TRANSFORMED(xs[l], ss[l], i + l);
    return CLP_CAT(CLP_LOAD, CLP_LOAD_WIDTH)(CLP_CAT(vload, CLP_LOAD_WIDTH)(0, values));
#elif CLP_PAIRED
    return CLP_CAT(CLP_LOAD, CLP_LOAD_WIDTH)(x, s);
#else
    return CLP_CAT(CLP_LOAD, CLP_LOAD_WIDTH)(x);
#endif
}
#endif

#if CLP_KIND == 0

#define clp_load(x, s, i) CLP_LANE_OF(x, s, i)
#define clp_load_vector(x, s, i) clp_lanes_of(x, s, i)

#elif CLP_KIND == 1

#define CLP_STEPS_2 0, 1
#define CLP_STEPS_4 CLP_STEPS_2, 2, 3
#define CLP_STEPS_8 CLP_STEPS_4, 4, 5, 6, 7
#define CLP_STEPS_16 CLP_STEPS_8, 8, 9, 10, 11, 12, 13, 14, 15

/* A tile begins at a multiple of its size: the low bits of i are the place in it. */
static inline clp_near clp_load(CLP_T x, CLP_T s, ulong i) {
    (void)s;
    clp_near lane;
    lane.first = CLP_LANE_OF(x, s, i);
    lane.second = (CLP_NEAR_INDEX)(i & (CLP_TILE - 1));
    return lane;
}

#if CLP_T_NATIVE
static inline CLP_CAT(clp_near, CLP_LOAD_WIDTH) clp_load_vector(CLP_LOAD_T x, CLP_LOAD_T s, ulong i) {
    CLP_CAT(clp_near, CLP_LOAD_WIDTH) lanes;
    lanes.first = clp_lanes_of(x, s, i);
    lanes.second = (CLP_CAT(CLP_NEAR_INDEX, CLP_LOAD_WIDTH))((CLP_NEAR_INDEX)(i & (CLP_TILE - 1))) +
                   (CLP_CAT(CLP_NEAR_INDEX, CLP_LOAD_WIDTH))(CLP_CAT(CLP_STEPS_, CLP_LOAD_WIDTH));
    return lanes;
}
#endif

#elif CLP_KIND == 2

/* Nothing is lost yet: −0, which no addition changes, so that compilers may leave it out. */
#define CLP_NOTHING ((CLP_PART)(-0.0f))
static inline clp_pair clp_load(CLP_T x, CLP_T s, ulong i) {
    (void)s;
    (void)i;
    clp_pair lane;
    lane.first = CLP_LANE_OF(x, s, i);
    lane.second = CLP_NOTHING;
    return lane;
}

#if CLP_T_NATIVE
static inline CLP_CAT(clp_pair, CLP_LOAD_WIDTH) clp_load_vector(CLP_LOAD_T x, CLP_LOAD_T s, ulong i) {
    CLP_CAT(clp_pair, CLP_LOAD_WIDTH) lanes;
    lanes.first = clp_lanes_of(x, s, i);
    lanes.second = (CLP_CAT(CLP_PART, CLP_LOAD_WIDTH))(CLP_NOTHING);
    return lanes;
}
#endif

#else

#define clp_load(x, s, i) CLP_LANE_OF(x, s, i)
#if CLP_T_NATIVE
static inline CLP_CAT(clp_any, CLP_LOAD_WIDTH) clp_load_vector(CLP_LOAD_T x, CLP_LOAD_T s, ulong i) {
    CLP_T xs[CLP_LOAD_WIDTH], ss[CLP_LOAD_WIDTH];
    CLP_CAT(clp_any, CLP_LOAD_WIDTH) lanes;
    CLP_CAT(vstore, CLP_LOAD_WIDTH)(x, 0, xs);
    CLP_CAT(vstore, CLP_LOAD_WIDTH)(s, 0, ss);
    for (uint l = 0; l < CLP_LOAD_WIDTH; l++)
        lanes.lane[l] = CLP_LANE_OF(xs[l], ss[l], i + l);
    return lanes;
}
#endif
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * select_keep.cl: which elements a selection keeps, and what it writes for them. Macros: see select.cl.
 *
 *   clp_keep(in, second, i)               is element i kept?
 *   clp_keep_of(x, earlier, s, i)         the same of the element, the one before it, and the second array's
 *   CLP_OUTPUT(x, i)                      what is written for element i, which is x
 */
#if !defined(CLP_T) || !defined(CLP_W) || !defined(CLP_OUT) || !defined(CLP_C)
#error "CLP_T, CLP_W, CLP_OUT and CLP_C must be types"
#endif
#if !defined(CLP_OUT_BITS) || !defined(CLP_BY) || !defined(CLP_PAIRED) || !defined(CLP_INDICES) || !defined(CLP_OTHERS)
#error "CLP_OUT_BITS, CLP_BY, CLP_PAIRED, CLP_INDICES and CLP_OTHERS must be numbers"
#endif
#if !defined(CLP_SEE) || !defined(CLP_SEE_SECOND)
#error "CLP_SEE and CLP_SEE_SECOND must be names"
#endif

#define CLP_SEES_SECOND (CLP_PAIRED && CLP_BY != 3)

#if CLP_BY == 1 && CLP_PAIRED
#define clp_keep_of(x, earlier, s, i) (clp_user_transform(CLP_SEE(x), i, CLP_SEE_SECOND(s)) ? 1u : 0u)
#elif CLP_BY == 1
#define clp_keep_of(x, earlier, s, i) (clp_user_transform(CLP_SEE(x), i, CLP_SEE(x)) ? 1u : 0u)
#elif CLP_BY == 2
#define clp_keep_of(x, earlier, s, i) ((void)(x), (s) != 0 ? 1u : 0u)
#else
static inline uint clp_keep_of(CLP_T x, CLP_T earlier, uint s, ulong i) {
    /* Floats: −0 is +0, and a NaN is like any other. Of integers the second half is never so. */
    const uint same = CLP_SEE(x) == CLP_SEE(earlier) || (CLP_SEE(x) != CLP_SEE(x) && CLP_SEE(earlier) != CLP_SEE(earlier));
    (void)s;
    return i == 0 || !same;
}
#endif

static inline uint clp_keep(const __global CLP_T *in, const __global CLP_W *second, ulong i) {
#if CLP_BY == 3
    (void)second;
    return clp_keep_of(in[i], in[i > 0 ? i - 1 : 0], 0, i);
#else
    (void)in;
    (void)second;
    return clp_keep_of(in[i], in[i], second[i], i);
#endif
}

#if CLP_INDICES
#define CLP_OUTPUT(x, i) ((CLP_OUT)(i))
#else
#define CLP_OUTPUT(x, i) (x)
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * order.cl: the one order of floats (clp_order) as an order of integers, and what is built on it.
 *
 * A float's key is its bits, with the lower bits of negative numbers flipped, as a signed integer:
 * −∞ < … < −0 < +0 < … < +∞ < NaN, all NaNs being one. So min and max of floats are min and max of
 * integers: they depend on no order of operations and on no vendor's fmin.
 * Key and value are each other's inverse by the same flip.
 */

/* clp_key_float(x), clp_key_float4(x), …; the same for double. */
#define CLP_DEFINE_KEY(F, I, WIDTH, SIGN_SHIFT, MAGNITUDE, INFINITE, NOT_A_NUMBER)                           \
    static inline I##WIDTH clp_key_##F##WIDTH(F##WIDTH x)                                                    \
    {                                                                                                        \
        I##WIDTH bits = as_##I##WIDTH(x);                                                                    \
        bits = ((bits & (I##WIDTH)(MAGNITUDE)) > (I##WIDTH)(INFINITE)) ? (I##WIDTH)(NOT_A_NUMBER) : bits;    \
        return bits ^ ((bits >> (I##WIDTH)(SIGN_SHIFT)) & (I##WIDTH)(MAGNITUDE));                            \
    }
#define CLP_DEFINE_KEY32(WIDTH) CLP_DEFINE_KEY(float, int, WIDTH, 31, 0x7fffffff, 0x7f800000, 0x7fc00000)
CLP_DEFINE_KEY32()
CLP_DEFINE_KEY32(4)
CLP_DEFINE_KEY32(16)

static inline float clp_unkey_float(int key)
{
    return as_float(key ^ ((key >> 31) & 0x7fffffff));
}

/* Arithmetic results write every NaN as the canonical quiet one: payloads differ between vendors. */
static inline float clp_canonical_float(float x)
{
    return (as_int(x) & 0x7fffffff) > 0x7f800000 ? as_float(0x7fc00000) : x;
}

#ifdef cl_khr_fp64
#define CLP_DEFINE_KEY64(WIDTH)                                                                              \
    CLP_DEFINE_KEY(double, long, WIDTH, 63, 0x7fffffffffffffffL, 0x7ff0000000000000L, 0x7ff8000000000000L)
CLP_DEFINE_KEY64()
CLP_DEFINE_KEY64(4)
CLP_DEFINE_KEY64(16)

static inline double clp_unkey_double(long key)
{
    return as_double(key ^ ((key >> 63) & 0x7fffffffffffffffL));
}

static inline double clp_canonical_double(double x)
{
    return (as_long(x) & 0x7fffffffffffffffL) > 0x7ff0000000000000L ? as_double(0x7ff8000000000000L) : x;
}
#endif

/* Sums of integers wrap, so they are computed in unsigned types. */
#define clp_wide_int(x) as_ulong(convert_long(x))
#define clp_wide_int4(x) as_ulong4(convert_long4(x))
#define clp_wide_int16(x) as_ulong16(convert_long16(x))

/* Conversions that change nothing, for element types that are their own accumulators. */
#define clp_same(x) (x)
#define clp_same4(x) (x)
#define clp_same16(x) (x)

/* Built-in operators. a is the earlier operand; scalars and vectors alike; never floats in min and max. */
#define clp_sum(a, b) ((a) + (b))
#define clp_min(a, b) min(a, b)
#define clp_max(a, b) max(a, b)

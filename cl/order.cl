/* SPDX-License-Identifier: Apache-2.0 */
/*
 * order.cl: the one order of floats (clp_order) as an order of integers.
 *
 * A float's key is its bits, with the lower bits of negative numbers flipped, as a signed integer:
 * −∞ < … < −0 < +0 < … < +∞ < NaN, all NaNs being one. So min and max of floats are min and max of
 * integers: they depend on no order of operations and on no vendor's fmin.
 * Key and value are each other's inverse by the same flip.
 */

/* clp_key_float(x), clp_key_float4(x), …; the same for double, and for half and bfloat16 given as bits. */
#define CLP_DEFINE_KEY(NAME, T, I, WIDTH, SIGN_SHIFT, MAGNITUDE, INFINITE, NOT_A_NUMBER)                     \
    static inline I##WIDTH clp_key_##NAME##WIDTH(T##WIDTH x) {                                               \
        I##WIDTH bits = as_##I##WIDTH(x);                                                                    \
        bits = ((bits & (I##WIDTH)(MAGNITUDE)) > (I##WIDTH)(INFINITE)) ? (I##WIDTH)(NOT_A_NUMBER) : bits;    \
        return bits ^ ((bits >> (I##WIDTH)(SIGN_SHIFT)) & (I##WIDTH)(MAGNITUDE));                            \
    }
#define CLP_DEFINE_KEYS(WIDTH)                                                                               \
    CLP_DEFINE_KEY(float, float, int, WIDTH, 31, 0x7fffffff, 0x7f800000, 0x7fc00000)                         \
    CLP_DEFINE_KEY(half, ushort, short, WIDTH, 15, 0x7fff, 0x7c00, 0x7e00)                                   \
    CLP_DEFINE_KEY(bfloat, ushort, short, WIDTH, 15, 0x7fff, 0x7f80, 0x7fc0)
CLP_DEFINE_KEYS()
CLP_DEFINE_KEYS(4)
CLP_DEFINE_KEYS(8)
CLP_DEFINE_KEYS(16)

/* Keys of 16 bits as int, where accumulators have at least 32. */
#define clp_int_key_half(x) convert_int(clp_key_half(x))
#define clp_int_key_half16(x) convert_int16(clp_key_half16(x))
#define clp_int_key_bfloat(x) convert_int(clp_key_bfloat(x))
#define clp_int_key_bfloat16(x) convert_int16(clp_key_bfloat16(x))
/* Where −0 equals +0: only −0 has the key −1. */
#define CLP_DEFINE_PLACE(NAME, T, I, WIDTH, WIDEN)                                                           \
    static inline I##WIDTH clp_place_##NAME##WIDTH(T##WIDTH x) {                                             \
        const I##WIDTH key = WIDEN(clp_key_##NAME##WIDTH(x));                                                \
        return key == (I##WIDTH)(-1) ? (I##WIDTH)(0) : key;                                                  \
    }
#define CLP_DEFINE_PLACES(WIDTH)                                                                             \
    CLP_DEFINE_PLACE(float, float, int, WIDTH, )                                                             \
    CLP_DEFINE_PLACE(half, ushort, int, WIDTH, convert_int##WIDTH)                                           \
    CLP_DEFINE_PLACE(bfloat, ushort, int, WIDTH, convert_int##WIDTH)
CLP_DEFINE_PLACES()
CLP_DEFINE_PLACES(4)
CLP_DEFINE_PLACES(8)
CLP_DEFINE_PLACES(16)

/* Unsigned integers in the order of signed ones. */
#define CLP_DEFINE_UNSIGNED_KEYS(W)                                                                          \
    static inline int##W clp_key_uint##W(uint##W x) {                                                        \
        return as_int##W(x ^ (uint##W)(0x80000000u));                                                        \
    }                                                                                                        \
    static inline long##W clp_key_ulong##W(ulong##W x) {                                                     \
        return as_long##W(x ^ (ulong##W)(0x8000000000000000UL));                                             \
    }
CLP_DEFINE_UNSIGNED_KEYS()
CLP_DEFINE_UNSIGNED_KEYS(2)
CLP_DEFINE_UNSIGNED_KEYS(4)
CLP_DEFINE_UNSIGNED_KEYS(16)

static inline float clp_unkey_float(int key) {
    return as_float(key ^ ((key >> 31) & 0x7fffffff));
}

/* Of a half or bfloat16, as bits. */
static inline ushort clp_unkey_16(int key) {
    return (ushort)(key ^ ((key >> 15) & 0x7fff));
}

#ifdef cl_khr_fp64
#define CLP_DEFINE_KEY64(WIDTH)                                                                              \
    CLP_DEFINE_KEY(double, double, long, WIDTH, 63, 0x7fffffffffffffffL, 0x7ff0000000000000L,                \
                   0x7ff8000000000000L)
CLP_DEFINE_KEY64()
CLP_DEFINE_KEY64(2)
CLP_DEFINE_KEY64(4)
CLP_DEFINE_KEY64(16)
CLP_DEFINE_PLACE(double, double, long, , )
CLP_DEFINE_PLACE(double, double, long, 2, )
CLP_DEFINE_PLACE(double, double, long, 4, )
CLP_DEFINE_PLACE(double, double, long, 16, )

static inline double clp_unkey_double(long key) {
    return as_double(key ^ ((key >> 63) & 0x7fffffffffffffffL));
}
#endif

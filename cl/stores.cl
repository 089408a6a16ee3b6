/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stores.cl: conversions of accumulators to results, of sixteen at a time: those of operators.cl and order.cl with
 * 16 appended to their names. Patterns that write as much as they read need them in the simd shape.
 */
static inline float16 clp_canonical_float16(float16 x) {
    return (x != x) ? as_float16((int16)(0x7fc00000)) : x;
}

static inline ushort16 clp_to_bfloat16(float16 x) {
    const uint16 bits = as_uint16(x), one = (uint16)(1);
    const uint16 rounded = (bits + (uint16)(0x7fff) + ((bits >> (uint16)(16)) & one)) >> (uint16)(16);
    const uint16 nan = (uint16)(0x7fc0);
    return convert_ushort16(((bits & (uint16)(0x7fffffff)) > (uint16)(0x7f800000)) ? nan : rounded);
}

/* All cases of clp_to_half() at once: a denormal's shift is kept in range where it is not one. */
static inline ushort16 clp_to_half16(float16 x) {
    const uint16 bits = as_uint16(x), one = (uint16)(1);
    const uint16 sign = (bits >> (uint16)(16)) & (uint16)(0x8000), low = bits & (uint16)(0x7fffffff);
    const uint16 normal =
        (low - (uint16)(0x38000000) + (uint16)(0x0fff) + ((low >> (uint16)(13)) & one)) >> (uint16)(13);
    const uint16 shift = clamp((uint16)(126) - (low >> (uint16)(23)), one, (uint16)(31));
    const uint16 significand = (low & (uint16)(0x007fffff)) | (uint16)(0x00800000);
    const uint16 whole = significand >> shift, rest = significand & ((one << shift) - one);
    const uint16 half_unit = one << (shift - one);
    /* Up if the rest is more than half a unit, or half a unit and whole is odd. */
    const uint16 up = (rest + (whole & one) > half_unit) ? one : (uint16)(0);
    uint16 result = (low >= (uint16)(0x38800000)) ? normal : whole + up;
    result = (low < (uint16)(0x33000000)) ? (uint16)(0) : result;
    result = (low >= (uint16)(0x477ff000)) ? (uint16)(0x7c00) : result;
    result |= sign;
    return convert_ushort16((low > (uint16)(0x7f800000)) ? (uint16)(0x7e00) : result);
}

static inline float16 clp_unkey_float16(int16 key) {
    return as_float16(key ^ ((key >> (int16)(31)) & (int16)(0x7fffffff)));
}

/* Of clp_unkey_16. */
static inline ushort16 clp_unkey_1616(int16 key) {
    return convert_ushort16(as_uint16(key ^ ((key >> (int16)(15)) & (int16)(0x7fff))) & (uint16)(0xffff));
}

#define clp_cut_uchar16(x) convert_uchar16((x) & 0xff)
#define clp_cut_char16(x) as_char16(convert_uchar16((x) & 0xff))
#define clp_cut_ushort16(x) convert_ushort16((x) & 0xffff)
#define clp_cut_short16(x) as_short16(convert_ushort16((x) & 0xffff))

#ifdef cl_khr_fp64
static inline double16 clp_canonical_double16(double16 x) {
    return (x != x) ? as_double16((long16)(0x7ff8000000000000L)) : x;
}

static inline double16 clp_unkey_double16(long16 key) {
    return as_double16(key ^ ((key >> (long16)(63)) & (long16)(0x7fffffffffffffffL)));
}
#endif

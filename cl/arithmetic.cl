/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arithmetic.cl: correctly rounded division, square root and conversion of 64-bit integers, and what results
 * need them: norms and means. OpenCL's division may be 2.5 ulp off and its root 3. All of it is integer
 * arithmetic; once a result, so clear before fast. Comes after operators.cl.
 */

/* ---- numbers in parts ------------------------------------------------------------------------------------ */

/*
 * A format is (digits, bias): (24, 127) is float, (53, 1023) double. Its bits without the sign are
 *   clp_infinite   infinity; greater ones are NaNs
 *   clp_pack       significand · 2^exponent, rounded to nearest even. significand is not 0,
 *                  and below 2^62 where the result may be denormal. inexact: the true value is a part of a
 *                  unit more; then significand has more digits than the format
 *   clp_unpack     the opposite, of a finite number that is not 0: a significand of all its digits
 */
static inline ulong clp_infinite(int digits, int bias) {
    return (ulong)(2 * bias + 1) << (digits - 1);
}

static inline ulong clp_pack(ulong significand, int exponent, uint inexact, int digits, int bias) {
    const int top = 63 - (int)clz(significand) + exponent; /* exponent of the first digit */
    const int first = max(top, 1 - bias), last = first - (digits - 1), drop = last - exponent;
    if (top > bias)
        return clp_infinite(digits, bias);
    ulong kept;
    if (drop <= 0) {
        kept = significand << -drop;
    } else {
        const ulong unit = (ulong)1 << min(drop, 63), rest = significand & (unit - 1);
        kept = significand >> min(drop, 63);
        kept += rest > unit / 2 || (rest == unit / 2 && (inexact || (kept & 1))) ? 1 : 0;
    }
    /* The first digit of kept, a denormal's excepted, counts the exponent up by one; so does a carry. */
    return ((ulong)(first + bias - 1) << (digits - 1)) + kept;
}

static inline ulong clp_unpack(ulong bits, int *exponent, int digits, int bias) {
    const ulong one = (ulong)1 << (digits - 1);
    const int biased = (int)(bits >> (digits - 1));
    const ulong significand = (bits & (one - 1)) | (biased == 0 ? 0 : one);
    const int missing = (int)clz(significand) - (64 - digits);
    *exponent = max(biased, 1) - bias - (digits - 1) - missing;
    return significand << missing;
}

/* ---- division -------------------------------------------------------------------------------------------- */

/* a / b, as bits with the sign. Digit by digit: what is left over only tells "inexact". */
static inline ulong clp_divide_bits(ulong a, ulong b, int digits, int bias) {
    const ulong infinite = clp_infinite(digits, bias), sign_bit = infinite + ((ulong)1 << (digits - 1));
    const ulong sign = (a ^ b) & sign_bit;
    a &= sign_bit - 1;
    b &= sign_bit - 1;
    if (a > infinite || b > infinite || (a == b && (a == 0 || a == infinite)))
        return infinite | ((ulong)1 << (digits - 2)); /* the canonical NaN */
    if (a == infinite || b == 0)
        return sign | infinite;
    if (a == 0 || b == infinite)
        return sign;
    int a_exponent, b_exponent;
    ulong remainder = clp_unpack(a, &a_exponent, digits, bias), quotient = 0;
    const ulong divisor = clp_unpack(b, &b_exponent, digits, bias);
    /* One digit before the point, which may be 0, and digits + 1 behind it. */
    for (int digit = 0; digit < digits + 2; digit++) {
        const uint fits = remainder >= divisor;
        remainder = (remainder - (fits ? divisor : 0)) << 1;
        quotient = quotient << 1 | fits;
    }
    return sign | clp_pack(quotient, a_exponent - b_exponent - (digits + 1), remainder != 0, digits, bias);
}

static inline float clp_divide_float(float a, float b) {
    return as_float((uint)clp_divide_bits(as_uint(a), as_uint(b), 24, 127));
}

/* ---- 64-bit integers to floats --------------------------------------------------------------------------- */

static inline float clp_float_of_ulong(ulong n) {
    return as_float(n == 0 ? 0u : (uint)clp_pack(n, 0, 0, 24, 127));
}

/* n as a signed number. */
static inline float clp_float_of_long(ulong n) {
    const uint negative = (uint)(n >> 63);
    const ulong magnitude = n >> 63 ? ~n + 1 : n; /* not abs(): of the smallest long some are wrong */
    return as_float(as_uint(clp_float_of_ulong(magnitude)) | negative << 31);
}

/* ---- square root ----------------------------------------------------------------------------------------- */

/*
 * Digit by digit. The significand, scaled to an even exponent, is the square; bits of the root are tried from the top down.
 */
static inline float clp_sqrt_float(float x) {
    const uint bits = as_uint(x);
    if ((bits & 0x7fffffffu) == 0 || bits == 0x7f800000u) /* ±0, +∞ */
        return x;
    if (bits > 0x7f800000u) /* negative or NaN */
        return as_float(0x7fc00000);
    int exponent = (int)(bits >> 23);
    uint significand = bits & 0x007fffffu;
    if (exponent == 0) { /* denormal: normalise */
        exponent = 1;
        while (!(significand & 0x00800000u)) {
            significand <<= 1;
            exponent--;
        }
    }
    significand |= 0x00800000u;
    exponent -= 127;
    if (exponent & 1) {
        significand <<= 1;
        exponent--;
    }
    /* root of significand * 2^27: 24 bits and two more, for rounding; what is left over only tells "inexact". */
    const ulong square = (ulong)significand << 27;
    ulong root = 0;
    for (ulong bit = (ulong)1 << 25; bit > 0; bit >>= 1)
        if ((root | bit) * (root | bit) <= square)
            root |= bit;
    const uint inexact = root * root != square;
    const uint kept = (uint)(root >> 2), rest = ((uint)root & 3u) << 1 | inexact;
    const uint up = rest > 4u || (rest == 4u && (kept & 1u));
    return as_float(((uint)(exponent / 2 + 127 - 1) << 23) + kept + up);
}

/* ---- results: norms and means ---------------------------------------------------------------------------- */

/* clp_root_RESULT(sum) */
static inline float clp_root_float(float x) {
    return clp_sqrt_float(clp_canonical_float(x));
}

static inline ushort clp_root_half(float x) {
    return clp_to_half(clp_root_float(x));
}

static inline ushort clp_root_bfloat(float x) {
    return clp_to_bfloat(clp_root_float(x));
}

/*
 * clp_mean_RESULT(sum, n) of floats, clp_mean_SUM_RESULT(sum, n) of integers, whose sum is 64 bits, signed or
 * not. The sum and n > 0 are rounded to the result's type, then divided; 16-bit floats are a float rounded once.
 */
static inline float clp_mean_float(float sum, ulong n) {
    return clp_divide_float(sum, clp_float_of_ulong(n));
}

static inline ushort clp_mean_half(float sum, ulong n) {
    return clp_to_half(clp_mean_float(sum, n));
}

static inline ushort clp_mean_bfloat(float sum, ulong n) {
    return clp_to_bfloat(clp_mean_float(sum, n));
}

static inline float clp_mean_ulong_float(ulong sum, ulong n) {
    return clp_mean_float(clp_float_of_ulong(sum), n);
}

static inline float clp_mean_long_float(ulong sum, ulong n) {
    return clp_mean_float(clp_float_of_long(sum), n);
}

/* ---- double ---------------------------------------------------------------------------------------------- */

#ifdef cl_khr_fp64
static inline double clp_divide_double(double a, double b) {
    return as_double(clp_divide_bits(as_ulong(a), as_ulong(b), 53, 1023));
}

static inline double clp_double_of_ulong(ulong n) {
    return as_double(n == 0 ? 0 : clp_pack(n, 0, 0, 53, 1023));
}

static inline double clp_double_of_long(ulong n) {
    const ulong negative = n >> 63;
    const ulong magnitude = negative ? ~n + 1 : n;
    return as_double(as_ulong(clp_double_of_ulong(magnitude)) | negative << 63);
}

/* Digit by digit too: bits of the root from the top down, the remainder kept, no wide products. */
static inline double clp_sqrt_double(double x) {
    const ulong bits = as_ulong(x);
    if ((bits << 1) == 0 || bits == 0x7ff0000000000000UL)
        return x;
    if (bits > 0x7ff0000000000000UL)
        return as_double(0x7ff8000000000000UL);
    int exponent = (int)(bits >> 52);
    ulong significand = bits & 0x000fffffffffffffUL;
    if (exponent == 0) {
        exponent = 1;
        while (!(significand & 0x0010000000000000UL)) {
            significand <<= 1;
            exponent--;
        }
    }
    significand |= 0x0010000000000000UL;
    exponent -= 1023;
    if (exponent & 1) {
        significand <<= 1;
        exponent--;
    }
    /* root: 53 bits and one more. remainder = significand · 2^k − root², doubled at each step. */
    ulong root = 0, remainder = significand << 1, step = 0, bit = 0x0020000000000000UL;
    for (; bit > 0; bit >>= 1, remainder <<= 1)
        if (step + bit <= remainder) {
            step += 2 * bit;
            remainder -= step - bit;
            root += bit;
        }
    root += remainder != 0 ? (root & 1) : 0;
    return as_double(((ulong)(exponent / 2 + 1023 - 1) << 52) + (root >> 1));
}

static inline double clp_root_double(double x) {
    return clp_sqrt_double(clp_canonical_double(x));
}

static inline double clp_mean_double(double sum, ulong n) {
    return clp_divide_double(sum, clp_double_of_ulong(n));
}

static inline double clp_mean_ulong_double(ulong sum, ulong n) {
    return clp_mean_double(clp_double_of_ulong(sum), n);
}

static inline double clp_mean_long_double(ulong sum, ulong n) {
    return clp_mean_double(clp_double_of_long(sum), n);
}
#endif

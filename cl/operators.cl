/* SPDX-License-Identifier: Apache-2.0 */
/*
 * operators.cl: built-in operators, and the conversions of elements to accumulators and of accumulators to
 * results. All are exact integer operations or correctly rounded float operations, so that no device may
 * differ. Names end in the width of the vectors that they take, "" for scalars.
 */

/* a is the earlier operand; scalars and vectors alike. min and max never see floats: see order.cl. */
#define clp_sum(a, b) ((a) + (b))
#define clp_prod(a, b) ((a) * (b))
#define clp_min(a, b) min(a, b)
#define clp_max(a, b) max(a, b)
#define clp_less(a, b) ((a) < (b))
#define clp_greater(a, b) ((a) > (b))
#define clp_and(a, b) ((a) & (b))
#define clp_or(a, b) ((a) | (b))
#define clp_xor(a, b) ((a) ^ (b))

#if CLP_DEVICE_FENCE == 2
/*
 * NVIDIA's own minimum and maximum of floats order as order.cl does: -0 below +0, and a NaN loses the minimum and
 * wins the maximum. So rows of floats fold without keys.
 */
#define CLP_DEFINE_FLOAT_EXTREME(NAME, INSTRUCTION)                                                          \
    static inline float NAME(float a, float b) {                                                             \
        float r;                                                                                             \
        __asm__(INSTRUCTION " %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));                                      \
        return r;                                                                                            \
    }                                                                                                        \
    static inline float4 NAME##4(float4 a, float4 b) {                                                       \
        return (float4)(NAME(a.x, b.x), NAME(a.y, b.y), NAME(a.z, b.z), NAME(a.w, b.w));                     \
    }                                                                                                        \
    static inline float16 NAME##16(float16 a, float16 b) {                                                   \
        return (float16)(NAME##4(a.lo.lo, b.lo.lo), NAME##4(a.lo.hi, b.lo.hi), NAME##4(a.hi.lo, b.hi.lo),    \
                         NAME##4(a.hi.hi, b.hi.hi));                                                         \
    }
CLP_DEFINE_FLOAT_EXTREME(clp_float_min, "min.f32")
CLP_DEFINE_FLOAT_EXTREME(clp_float_max, "max.NaN.f32")
#endif

/* ---- elements to accumulators ------------------------------------------------------------------------ */

/*
 * clp_same: no change. clp_wide_T: sums and products of signed integers wrap, so they are computed in
 * ulong (clp_wide_int) or uint (clp_word_int), sign-extended. clp_truth_T: 1 if not zero (a NaN is not).
 * clp_half, clp_bfloat: 16-bit floats, given as bits, as float; exact.
 */
#define CLP_DEFINE_LOADS(W)                                                                                  \
    static inline float##W clp_bfloat##W(ushort##W bits) {                                                   \
        return as_float##W(convert_uint##W(bits) << (uint##W)(16));                                          \
    }                                                                                                        \
    static inline uint##W clp_truth_half##W(ushort##W bits) {                                                \
        const uint##W low = convert_uint##W(bits) & (uint##W)(0x7fff);                                       \
        return min(low, (uint##W)(1));                                                                       \
    }                                                                                                        \
    static inline uint##W clp_truth_float##W(float##W x) {                                                   \
        return min(as_uint##W(x) & (uint##W)(0x7fffffff), (uint##W)(1));                                     \
    }
CLP_DEFINE_LOADS()
CLP_DEFINE_LOADS(4)
CLP_DEFINE_LOADS(8)
CLP_DEFINE_LOADS(16)

/*
 * clp_half by what the device has: NVIDIA's conversion, asked for by name; in the simd shape vload_half, which CPUs
 * have an instruction for (more than twice as fast on PoCL); elsewhere integer arithmetic, for vload_half may be a call
 * and cl_khr_fp16 is not everywhere. The values are the same; payloads of NaNs may differ.
 */
#if CLP_DEVICE_FENCE == 2
static inline float clp_half(ushort bits) {
    float x;
    __asm__("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits));
    return x;
}

static inline float4 clp_half4(ushort4 bits) {
    return (float4)(clp_half(bits.x), clp_half(bits.y), clp_half(bits.z), clp_half(bits.w));
}

static inline float8 clp_half8(ushort8 bits) {
    return (float8)(clp_half4(bits.lo), clp_half4(bits.hi));
}

static inline float16 clp_half16(ushort16 bits) {
    return (float16)(clp_half8(bits.lo), clp_half8(bits.hi));
}
#else
#if CLP_SIMD
#define CLP_DEFINE_HALF(W)                                                                                   \
    static inline float##W clp_half##W(ushort##W bits) {                                                     \
        return vload_half##W(0, (const __private half *)&bits);                                              \
    }
#else
#define CLP_DEFINE_HALF(W)                                                                                   \
    static inline float##W clp_half##W(ushort##W bits) {                                                     \
        const uint##W h = convert_uint##W(bits);                                                             \
        const uint##W sign = (h & (uint##W)(0x8000)) << (uint##W)(16), low = h & (uint##W)(0x7fff);          \
        /* Normal numbers change the bias. Denormals are small integers times 2^-24. */                      \
        const uint##W normal = (low << (uint##W)(13)) + (uint##W)(0x38000000);                               \
        const uint##W special = (low << (uint##W)(13)) | (uint##W)(0x7f800000);                              \
        const uint##W denormal = as_uint##W(convert_float##W(low) * (float##W)(0x1p-24f));                   \
        uint##W f = (low >= (uint##W)(0x7c00)) ? special : normal;                                           \
        f = (low < (uint##W)(0x0400)) ? denormal : f;                                                        \
        return as_float##W(f | sign);                                                                        \
    }
#endif
CLP_DEFINE_HALF()
CLP_DEFINE_HALF(4)
CLP_DEFINE_HALF(8)
CLP_DEFINE_HALF(16)
#endif

#define CLP_DEFINE_INTEGER_LOADS(W)                                                                          \
    static inline ulong##W clp_wide_char##W(char##W x) {                                                     \
        return as_ulong##W(convert_long##W(x));                                                              \
    }                                                                                                        \
    static inline ulong##W clp_wide_short##W(short##W x) {                                                   \
        return as_ulong##W(convert_long##W(x));                                                              \
    }                                                                                                        \
    static inline ulong##W clp_wide_int##W(int##W x) {                                                       \
        return as_ulong##W(convert_long##W(x));                                                              \
    }                                                                                                        \
    static inline uint##W clp_word_char##W(char##W x) {                                                      \
        return as_uint##W(convert_int##W(x));                                                                \
    }                                                                                                        \
    static inline uint##W clp_word_short##W(short##W x) {                                                    \
        return as_uint##W(convert_int##W(x));                                                                \
    }                                                                                                        \
    static inline uint##W clp_truth_ulong##W(ulong##W x) {                                                   \
        return convert_uint##W(min(x, (ulong##W)(1)));                                                       \
    }                                                                                                        \
    static inline uint##W clp_truth_uint##W(uint##W x) {                                                     \
        return min(x, (uint##W)(1));                                                                         \
    }                                                                                                        \
    static inline uint##W clp_truth_ushort##W(ushort##W x) {                                                 \
        return convert_uint##W(min(x, (ushort##W)(1)));                                                      \
    }                                                                                                        \
    static inline uint##W clp_truth_uchar##W(uchar##W x) {                                                   \
        return convert_uint##W(min(x, (uchar##W)(1)));                                                       \
    }
CLP_DEFINE_INTEGER_LOADS()
CLP_DEFINE_INTEGER_LOADS(2)
CLP_DEFINE_INTEGER_LOADS(4)
CLP_DEFINE_INTEGER_LOADS(8)
CLP_DEFINE_INTEGER_LOADS(16)

#define clp_same(x) (x)
#define clp_same2(x) (x)
#define clp_same4(x) (x)
#define clp_same8(x) (x)
#define clp_same16(x) (x)

/* Transforms of floats: absolute value, square; product of two elements. */
#define CLP_DEFINE_TRANSFORMS(NAME, T, F, I, LOAD, MAGNITUDE, W)                                             \
    static inline F##W clp_abs_##NAME##W(T##W x) {                                                           \
        return as_##F##W(as_##I##W(LOAD##W(x)) & (I##W)(MAGNITUDE));                                         \
    }                                                                                                        \
    static inline F##W clp_square_##NAME##W(T##W x) {                                                        \
        return LOAD##W(x) * LOAD##W(x);                                                                      \
    }                                                                                                        \
    static inline F##W clp_dot_##NAME##W(T##W x, T##W s) {                                                   \
        return LOAD##W(x) * LOAD##W(s);                                                                      \
    }
#define CLP_DEFINE_TRANSFORMS32(W)                                                                           \
    CLP_DEFINE_TRANSFORMS(float, float, float, int, clp_same, 0x7fffffff, W)                                 \
    CLP_DEFINE_TRANSFORMS(half, ushort, float, int, clp_half, 0x7fffffff, W)                                 \
    CLP_DEFINE_TRANSFORMS(bfloat, ushort, float, int, clp_bfloat, 0x7fffffff, W)
CLP_DEFINE_TRANSFORMS32()
CLP_DEFINE_TRANSFORMS32(4)
CLP_DEFINE_TRANSFORMS32(8)
CLP_DEFINE_TRANSFORMS32(16)

/* Cuts an integer to its low bits; exact where it fits. */
#define clp_cut_uchar(x) ((uchar)(x))
#define clp_cut_char(x) as_char((uchar)(x))
#define clp_cut_ushort(x) ((ushort)(x))
#define clp_cut_short(x) as_short((ushort)(x))

/* ---- accumulators to results --------------------------------------------------------------------------- */

/* Arithmetic results write every NaN as the canonical quiet one: payloads differ between vendors. */
static inline float clp_canonical_float(float x) {
    return (as_int(x) & 0x7fffffff) > 0x7f800000 ? as_float(0x7fc00000) : x;
}

/* Rounds to nearest even, as bits. */
static inline ushort clp_to_bfloat(float x) {
    const uint bits = as_uint(x);
    if ((bits & 0x7fffffffu) > 0x7f800000u)
        return 0x7fc0;
    return (ushort)((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

static inline ushort clp_to_half(float x) {
    const uint bits = as_uint(x), sign = (bits >> 16) & 0x8000u, low = bits & 0x7fffffffu;
    uint result;
    if (low > 0x7f800000u)
        return 0x7e00;
    if (low >= 0x477ff000u) /* rounds to 65520 or more */
        result = 0x7c00u;
    else if (low >= 0x38800000u) /* a normal half */
        result = (low - 0x38000000u + 0x0fffu + ((low >> 13) & 1u)) >> 13;
    else if (low < 0x33000000u) /* below half of the smallest denormal */
        result = 0;
    else { /* a denormal: the significand in units of 2^-24 */
        const uint shift = 126u - (low >> 23), significand = (low & 0x007fffffu) | 0x00800000u;
        const uint whole = significand >> shift, rest = significand & ((1u << shift) - 1u), half_unit = 1u << (shift - 1u);
        result = whole + (rest > half_unit || (rest == half_unit && (whole & 1u)) ? 1u : 0u);
    }
    return (ushort)(sign | result);
}

#ifdef cl_khr_fp64
static inline double clp_canonical_double(double x) {
    return (as_long(x) & 0x7fffffffffffffffL) > 0x7ff0000000000000L ? as_double(0x7ff8000000000000L) : x;
}

static inline float clp_narrow_double(double x) {
    return clp_canonical_float(convert_float_rte(x));
}

#define CLP_DEFINE_DOUBLES(W)                                                                                \
    CLP_DEFINE_TRANSFORMS(double, double, double, long, clp_same, 0x7fffffffffffffffL, W)                    \
    static inline uint##W clp_truth_double##W(double##W x) {                                                 \
        return clp_truth_ulong##W(as_ulong##W(x) & (ulong##W)(0x7fffffffffffffffUL));                        \
    }
CLP_DEFINE_DOUBLES()
CLP_DEFINE_DOUBLES(2)
CLP_DEFINE_DOUBLES(4)
CLP_DEFINE_DOUBLES(16)
#endif

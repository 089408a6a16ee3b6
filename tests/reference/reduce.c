/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reduction, serially: the specification of clp_reduce(). A tile is 128 lanes by 32 rows of consecutive
 * elements; each lane folds its elements top to bottom, then lanes fold by halving; tile totals are the
 * elements of the next level. Missing elements are the operator's identity.
 */
#include "reference.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if FLT_EVAL_METHOD != 0
#error "the reference needs floats to be computed as floats (FLT_EVAL_METHOD 0)"
#endif

enum { LANES = 128, ROWS = 32, TILE = LANES * ROWS };

#define CAT_(a, b) a##b
#define CAT(a, b)  CAT_(a, b)

static void *allocate(size_t size) {
    void *memory = malloc(size);
    if (!memory) {
        fprintf(stderr, "reference: no memory for %zu bytes\n", size);
        abort();
    }
    return memory;
}

#define A        float
#define FOLD     sum_f32
#define OP(a, b) ((a) + (b))
#include "fold.inc"

#define A        float
#define FOLD     prod_f32
#define OP(a, b) ((a) * (b))
#include "fold.inc"

#define A        double
#define FOLD     sum_f64
#define OP(a, b) ((a) + (b))
#include "fold.inc"

#define A        double
#define FOLD     prod_f64
#define OP(a, b) ((a) * (b))
#include "fold.inc"

/* ---- elements --------------------------------------------------------------------------------------- */

/* What a sum or product is of: one array, or two whose products are summed. */
struct input {
    clp_type type;
    clp_op op;
    const void *x, *s;
};

static uint64_t sign_of(clp_type type) {
    return (uint64_t)1 << (8 * clp_type_size(type) - 1);
}

static uint64_t bits_of(clp_type type, const void *x, size_t i) {
    uint64_t bits = 0;
    memcpy(&bits, (const char *)x + i * clp_type_size(type), clp_type_size(type));
    return bits;
}

/* A signed integer's value, sign-extended; any other type's bits. */
static int64_t integer_of(clp_type type, const void *x, size_t i) {
    const uint64_t bits = bits_of(type, x, i);
    switch (type) {
    case CLP_I8:
        return (int8_t)bits;
    case CLP_I16:
        return (int16_t)bits;
    case CLP_I32:
        return (int32_t)bits;
    default:
        return (int64_t)bits;
    }
}

/* A float of up to 32 bits, exactly. */
static float float_of(clp_type type, const void *x, size_t i) {
    uint32_t bits = (uint32_t)bits_of(type, x, i);
    if (type == CLP_BF16)
        bits <<= 16;
    if (type == CLP_F16) {
        const uint32_t sign = (bits & 0x8000) << 16, exponent = bits >> 10 & 31, mantissa = bits & 0x3ff;
        if (exponent == 0) {
            const float magnitude = (float)mantissa / 16777216;
            return sign ? -magnitude : magnitude;
        }
        bits = sign | (exponent == 31 ? 0x7f800000 : (exponent + 112) << 23) | mantissa << 13;
    }
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double double_of(clp_type type, const void *x, size_t i) {
    double value;
    if (type != CLP_F64)
        return float_of(type, x, i);
    memcpy(&value, (const char *)x + i * sizeof value, sizeof value);
    return value;
}

/* An element as the operator transforms it: |x|, x², x·s or x itself. */
static float term_f32(const void *in, size_t i) {
    const struct input *input = in;
    const float x = float_of(input->type, input->x, i);
    return input->op == CLP_NORM1   ? fabsf(x)
           : input->op == CLP_NORM2 ? x * x
           : input->op == CLP_DOT   ? x * float_of(input->type, input->s, i)
                                    : x;
}

static double term_f64(const void *in, size_t i) {
    const struct input *input = in;
    const double x = double_of(input->type, input->x, i);
    return input->op == CLP_NORM1   ? fabs(x)
           : input->op == CLP_NORM2 ? x * x
           : input->op == CLP_DOT   ? x * double_of(input->type, input->s, i)
                                    : x;
}

/* ---- results ---------------------------------------------------------------------------------------- */

/*
 * A float's bits in a 16-bit format with `mantissa` bits below the point and the given exponent range,
 * rounded to nearest even: the spacing of the format around the value is a power of two; divide by it, round,
 * multiply, each exactly but the rounding.
 */
static uint32_t narrow(float value, int mantissa, int smallest, int largest) {
    const uint32_t sign = signbit(value) ? 0x8000 : 0;
    const uint32_t infinity = (uint32_t)(largest - smallest + 2) << mantissa;
    int exponent;
    if (isinf(value))
        return sign | infinity;
    frexp(value, &exponent); /* value = f · 2^exponent, f in [0.5, 1) */
    if (exponent - 1 < smallest || value == 0)
        exponent = smallest + 1;
    const uint32_t units = (uint32_t)nearbyint(ldexp(fabs((double)value), mantissa + 1 - exponent));
    /* Units of the spacing: with a full mantissa the next exponent follows by itself. */
    const uint32_t bits = ((uint32_t)(exponent - 1 - smallest) << mantissa) + units;
    return sign | (bits < infinity ? bits : infinity);
}

/* Writes a float as the result type; every NaN is the canonical one. */
static void store_f32(clp_type result, float value, void *out) {
    static const uint32_t nans[] = {[CLP_F16] = 0x7e00, [CLP_BF16] = 0x7fc0, [CLP_F32] = 0x7fc00000};
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (isnan(value))
        bits = nans[result];
    else if (result == CLP_F16)
        bits = narrow(value, 10, -14, 15);
    else if (result == CLP_BF16)
        bits = narrow(value, 7, -126, 127);
    memcpy(out, &bits, clp_type_size(result));
}

static void store_f64(clp_type result, double value, void *out) {
    if (result == CLP_F32)
        store_f32(CLP_F32, (float)value, out);
    else
        memcpy(out, isnan(value) ? (const void *)&(uint64_t){0x7ff8000000000000} : (const void *)&value, 8);
}

/* ---- operators -------------------------------------------------------------------------------------- */

static void float_fold(const clp_reduce_desc *desc, const struct input *input, size_t n, void *out) {
    const clp_type result = clp_reduce_result_type(desc);
    const bool product = desc->op == CLP_PROD, root = desc->op == CLP_NORM2;
    if (desc->type == CLP_F64 || desc->mode == CLP_REDUCE_WIDE) {
        const double total = product  ? prod_f64(term_f64, input, n, 1.0)
                             : n == 0 ? 0.0
                                      : sum_f64(term_f64, input, n, -0.0);
        store_f64(result, root ? sqrt(total) : total, out);
    } else {
        const float total = product  ? prod_f32(term_f32, input, n, 1.0f)
                            : n == 0 ? 0.0f
                                     : sum_f32(term_f32, input, n, -0.0f);
        store_f32(result, root ? sqrtf(total) : total, out);
    }
}

/* Integers wrap, so no order matters: modulo 2^64, then cut to the result. */
static void integer_fold(const clp_reduce_desc *desc, const void *in, size_t n, void *out) {
    uint64_t total = desc->op == CLP_PROD ? 1 : desc->op == CLP_AND ? ~(uint64_t)0 : 0;
    for (size_t i = 0; i < n; i++) {
        const uint64_t x = (uint64_t)integer_of(desc->type, in, i);
        total = desc->op == CLP_SUM    ? total + x
                : desc->op == CLP_PROD ? total * x
                : desc->op == CLP_AND  ? total & x
                : desc->op == CLP_OR   ? total | x
                                       : total ^ x;
    }
    memcpy(out, &total, clp_type_size(clp_reduce_result_type(desc)));
}

static void all_or_any(const clp_reduce_desc *desc, const void *in, size_t n, void *out) {
    const uint64_t ignored = desc->type >= CLP_F16 ? sign_of(desc->type) : 0; /* −0 is zero too */
    uint8_t result = desc->op == CLP_ALL;
    for (size_t i = 0; i < n; i++) {
        const bool zero = (bits_of(desc->type, in, i) & ~ignored) == 0;
        if (zero == (desc->op == CLP_ALL))
            result = desc->op == CLP_ANY;
    }
    memcpy(out, &result, 1);
}

static uint64_t infinity_of(clp_type type) {
    return type == CLP_F16    ? 0x7c00
           : type == CLP_BF16 ? 0x7f80
           : type == CLP_F32  ? 0x7f800000
                              : 0x7ff0000000000000;
}

/*
 * The order of floats as an order of integers: −∞ < … < −0 < +0 < … < +∞ < NaN. A negative float's key is
 * −1 minus its magnitude's bits; all NaNs are the canonical one.
 */
static int64_t key_of(clp_type type, const void *in, size_t i) {
    if (type < CLP_F16)
        return integer_of(type, in, i);
    const uint64_t bits = bits_of(type, in, i), magnitude = bits & ~sign_of(type);
    if (magnitude > infinity_of(type)) /* the quiet bit is the mantissa's first */
        return (int64_t)(infinity_of(type) | (infinity_of(type) & ~(infinity_of(type) << 1)) >> 1);
    return bits & sign_of(type) ? -1 - (int64_t)magnitude : (int64_t)magnitude;
}

static void extreme(const clp_reduce_desc *desc, const void *in, size_t n, void *out) {
    const clp_type type = desc->type;
    const bool max = desc->op == CLP_MAX, is_float = type >= CLP_F16, is_signed = !is_float && type % 2 == 1;
    const uint64_t sign = sign_of(type);
    uint64_t bits;
    if (n == 0) { /* the end of the order that every element would beat */
        bits = is_float    ? infinity_of(type) | (max ? sign : 0)
               : is_signed ? (max ? sign : sign - 1)
                           : (max ? 0 : sign | (sign - 1));
    } else {
        int64_t best = key_of(type, in, 0);
        for (size_t i = 1; i < n; i++) {
            const int64_t key = key_of(type, in, i);
            const bool below = type == CLP_U64 ? (uint64_t)key < (uint64_t)best : key < best;
            if (key != best && below != max)
                best = key;
        }
        bits = is_float && best < 0 ? (uint64_t)(-1 - best) | sign : (uint64_t)best;
    }
    memcpy(out, &bits, clp_type_size(type));
}

void ref_reduce_pair(const clp_reduce_desc *desc, const void *in, const void *second, size_t n, void *out) {
    if (desc->op == CLP_MIN || desc->op == CLP_MAX)
        extreme(desc, in, n, out);
    else if (desc->op == CLP_ALL || desc->op == CLP_ANY)
        all_or_any(desc, in, n, out);
    else if (desc->type >= CLP_F16)
        float_fold(desc, &(struct input){desc->type, desc->op, in, second}, n, out);
    else
        integer_fold(desc, in, n, out);
}

void ref_reduce(const clp_reduce_desc *desc, const void *in, size_t n, void *out) {
    ref_reduce_pair(desc, in, in, n, out);
}

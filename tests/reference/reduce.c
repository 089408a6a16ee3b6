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

#define A        double
#define FOLD     sum_f64
#define OP(a, b) ((a) + (b))
#include "fold.inc"

#define A        uint64_t
#define FOLD     sum_u64
#define OP(a, b) ((a) + (b))
#include "fold.inc"

#define A        int64_t
#define FOLD     min_i64
#define OP(a, b) ((b) < (a) ? (b) : (a))
#include "fold.inc"

#define A        int64_t
#define FOLD     max_i64
#define OP(a, b) ((b) > (a) ? (b) : (a))
#include "fold.inc"

/* Elements as accumulators. Sums of integers wrap modulo 2^64, then to the result's size. */
static float load_f32(const void *in, size_t i) {
    float x;
    memcpy(&x, (const char *)in + i * sizeof x, sizeof x);
    return x;
}

static double load_f64(const void *in, size_t i) {
    double x;
    memcpy(&x, (const char *)in + i * sizeof x, sizeof x);
    return x;
}

static int64_t load_i32(const void *in, size_t i) {
    int32_t x;
    memcpy(&x, (const char *)in + i * sizeof x, sizeof x);
    return x;
}

static int64_t load_u32(const void *in, size_t i) {
    uint32_t x;
    memcpy(&x, (const char *)in + i * sizeof x, sizeof x);
    return x;
}

static uint64_t load_i32_wrapping(const void *in, size_t i) {
    return (uint64_t)load_i32(in, i);
}

static uint64_t load_u32_wrapping(const void *in, size_t i) {
    return (uint64_t)load_u32(in, i);
}

/*
 * The order of floats as an order of integers: −∞ < … < −0 < +0 < … < +∞ < NaN. A negative float's
 * magnitude bits are flipped, so that larger magnitudes come first; all NaNs are one.
 */
static int64_t key_f32(const void *in, size_t i) {
    int32_t bits;
    memcpy(&bits, (const char *)in + i * sizeof bits, sizeof bits);
    if ((bits & 0x7fffffff) > 0x7f800000)
        return 0x7fc00000;
    return bits >= 0 ? bits : bits ^ 0x7fffffff;
}

static int64_t key_f64(const void *in, size_t i) {
    int64_t bits;
    memcpy(&bits, (const char *)in + i * sizeof bits, sizeof bits);
    if ((bits & INT64_MAX) > 0x7ff0000000000000)
        return 0x7ff8000000000000;
    return bits >= 0 ? bits : bits ^ INT64_MAX;
}

/* What a minimum or maximum of keys is as a value. */
static void store_key(clp_type type, int64_t key, void *out) {
    if (type == CLP_F32 && key < 0)
        key ^= 0x7fffffff;
    if (type == CLP_F64 && key < 0)
        key ^= INT64_MAX;
    memcpy(out, &key, clp_type_size(type));
}

static int64_t (*key_of(clp_type type))(const void *, size_t) {
    return type == CLP_I32 ? load_i32 : type == CLP_U32 ? load_u32 : type == CLP_F32 ? key_f32 : key_f64;
}

/* The result of nothing: the end of the order that every element would beat. */
static void store_extreme(clp_type type, bool largest, void *out) {
    switch (type) {
    case CLP_I32:
        memcpy(out, &(int32_t){largest ? INT32_MAX : INT32_MIN}, 4);
        break;
    case CLP_U32:
        memcpy(out, &(uint32_t){largest ? UINT32_MAX : 0}, 4);
        break;
    case CLP_F32:
        memcpy(out, &(float){largest ? INFINITY : -INFINITY}, 4);
        break;
    default:
        memcpy(out, &(double){largest ? (double)INFINITY : -(double)INFINITY}, 8);
    }
}

static void sum(clp_type type, clp_type result, const void *in, size_t n, void *out) {
    if (type == CLP_F32) {
        const float total = n == 0 ? 0.0f : sum_f32(load_f32, in, n, -0.0f);
        memcpy(out, isnan(total) ? (const void *)&(uint32_t){0x7fc00000} : (const void *)&total, 4);
    } else if (type == CLP_F64) {
        const double total = n == 0 ? 0.0 : sum_f64(load_f64, in, n, -0.0);
        memcpy(out, isnan(total) ? (const void *)&(uint64_t){0x7ff8000000000000} : (const void *)&total, 8);
    } else {
        const uint64_t total = sum_u64(type == CLP_I32 ? load_i32_wrapping : load_u32_wrapping, in, n, 0);
        memcpy(out, &total, clp_type_size(result));
    }
}

void ref_reduce(const clp_reduce_desc *desc, const void *in, size_t n, void *out) {
    if (desc->op == CLP_SUM)
        sum(desc->type, clp_reduce_result_type(desc), in, n, out);
    else if (n == 0)
        store_extreme(desc->type, desc->op == CLP_MIN, out);
    else if (desc->op == CLP_MIN)
        store_key(desc->type, min_i64(key_of(desc->type), in, n, INT64_MAX), out);
    else
        store_key(desc->type, max_i64(key_of(desc->type), in, n, INT64_MIN), out);
}

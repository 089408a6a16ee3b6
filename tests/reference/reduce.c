/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reduction, serially: the specification of clp_reduce(). A tile is 128 lanes by 32 rows of consecutive
 * elements; each lane folds its elements top to bottom, then lanes fold by halving; tile totals are the
 * elements of the next level. Missing elements are the operator's identity.
 * User operators and transforms: reduce_user.c.
 */
#include "reference.h"

#include "elements.h"

#include <stdlib.h>
#include <string.h>
#include <tgmath.h> /* sqrt and fabs of float or double */

enum { LANES = 128, ROWS = 32, TILE = LANES * ROWS };

#define CAT_(a, b) a##b
#define CAT(a, b)  CAT_(a, b)

/* What a sum or product is of: one array, or two whose products are summed. */
struct input {
    clp_type type;
    clp_op op;
    const void *x, *s;
};

#define F float
#include "floats.inc"
#define F double
#include "floats.inc"

clp_type ref_result_type(const clp_reduce_desc *desc) {
    const clp_type type = desc->type;
    if (desc->result != CLP_TYPE_INVALID)
        return desc->result;
    switch (desc->op) {
    case CLP_ARGMIN:
    case CLP_ARGMAX:
        return CLP_U64;
    case CLP_ALL:
    case CLP_ANY:
        return CLP_U8;
    case CLP_MEAN:
        if (!ref_is_float(type))
            return CLP_F64;
        break;
    case CLP_SUM:
    case CLP_PROD:
        if (!ref_is_float(type))
            return ref_is_signed(type) ? CLP_I64 : CLP_U64;
        break;
    case CLP_NORM1:
    case CLP_NORM2:
    case CLP_DOT:
        break;
    default:
        return type;
    }
    return type == CLP_F16 || type == CLP_BF16 ? CLP_F32 : type;
}

static void float_fold(const clp_reduce_desc *desc, const struct input *input, size_t n, void *out) {
    if (desc->type == CLP_F64 || desc->mode == CLP_REDUCE_WIDE)
        ref_store_double(ref_result_type(desc), result_double(desc, input, n), out);
    else
        ref_store_float(ref_result_type(desc), result_float(desc, input, n), out);
}

/* The sum of integers, of 64 bits and wrapped, is rounded once and then divided. */
static void integer_mean(const clp_reduce_desc *desc, uint64_t sum, size_t n, void *out) {
    const bool sign = ref_is_signed(desc->type);
    if (ref_result_type(desc) == CLP_F32)
        ref_store_float(CLP_F32, (sign ? (float)(int64_t)sum : (float)sum) / (float)n, out);
    else
        ref_store_double(CLP_F64, (sign ? (double)(int64_t)sum : (double)sum) / (double)n, out);
}

/* Integers wrap, so no order matters: modulo 2^64, then cut to the result. */
static void integer_fold(const clp_reduce_desc *desc, const void *in, size_t n, void *out) {
    uint64_t total = desc->op == CLP_PROD ? 1 : desc->op == CLP_AND ? ~(uint64_t)0 : 0;
    for (size_t i = 0; i < n; i++) {
        const uint64_t x = (uint64_t)ref_integer(desc->type, in, i);
        total = desc->op == CLP_PROD  ? total * x
                : desc->op == CLP_AND ? total & x
                : desc->op == CLP_OR  ? total | x
                : desc->op == CLP_XOR ? total ^ x
                                      : total + x;
    }
    if (desc->op == CLP_MEAN)
        integer_mean(desc, total, n, out);
    else
        memcpy(out, &total, clp_type_size(ref_result_type(desc)));
}

static void all_or_any(const clp_reduce_desc *desc, const void *in, size_t n, void *out) {
    const uint64_t ignored = ref_is_float(desc->type) ? ref_sign(desc->type) : 0; /* −0 is zero too */
    uint8_t result = desc->op == CLP_ALL;
    for (size_t i = 0; i < n; i++) {
        const bool zero = (ref_bits(desc->type, in, i) & ~ignored) == 0;
        if (zero == (desc->op == CLP_ALL))
            result = desc->op == CLP_ANY;
    }
    memcpy(out, &result, 1);
}

static bool beats(const clp_reduce_desc *desc, int64_t key, int64_t best) {
    const bool below = desc->type == CLP_U64 ? (uint64_t)key < (uint64_t)best : key < best;
    return key != best && below == (desc->op == CLP_MIN || desc->op == CLP_ARGMIN);
}

static void extreme(const clp_reduce_desc *desc, const void *in, size_t n, void *out) {
    const clp_type type = desc->type;
    const bool max = desc->op == CLP_MAX;
    const uint64_t sign = ref_sign(type);
    uint64_t bits;
    if (n == 0) { /* the end of the order that every element would beat */
        bits = ref_is_float(type)    ? ref_infinity(type) | (max ? sign : 0)
               : ref_is_signed(type) ? (max ? sign : sign - 1)
                                     : (max ? 0 : sign | (sign - 1));
    } else {
        int64_t best = ref_key(type, in, 0);
        for (size_t i = 1; i < n; i++)
            if (beats(desc, ref_key(type, in, i), best))
                best = ref_key(type, in, i);
        bits = ref_is_float(type) && best < 0 ? (uint64_t)(-1 - best) | sign : (uint64_t)best;
    }
    memcpy(out, &bits, clp_type_size(type));
}

/* The first of equals; here −0 is +0. */
static void arg_extreme(const clp_reduce_desc *desc, const void *in, size_t n, void *out) {
    uint64_t index = n == 0 ? ~(uint64_t)0 : 0;
    int64_t best = 0;
    for (size_t i = 0; i < n; i++) {
        int64_t key = ref_key(desc->type, in, i);
        if (ref_is_float(desc->type) && key == -1)
            key = 0;
        if (i == 0 || beats(desc, key, best)) {
            best = key;
            index = i;
        }
    }
    memcpy(out, &index, clp_type_size(ref_result_type(desc)));
}

void ref_reduce_pair(const clp_reduce_desc *desc, const void *in, const void *second, size_t n, void *out) {
    if (desc->op == CLP_MIN || desc->op == CLP_MAX)
        extreme(desc, in, n, out);
    else if (desc->op == CLP_ARGMIN || desc->op == CLP_ARGMAX)
        arg_extreme(desc, in, n, out);
    else if (desc->op == CLP_ALL || desc->op == CLP_ANY)
        all_or_any(desc, in, n, out);
    else if (ref_is_float(desc->type))
        float_fold(desc, &(struct input){desc->type, desc->op, in, second}, n, out);
    else
        integer_fold(desc, in, n, out);
}

void ref_reduce(const clp_reduce_desc *desc, const void *in, size_t n, void *out) {
    ref_reduce_pair(desc, in, in, n, out);
}

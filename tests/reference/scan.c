/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scan, serially: the specification of clp_scan(). The order is in scan.inc; here are the operators. An
 * output is
 * ((((super-blocks ⊕ block) ⊕ tile) ⊕ group) ⊕ chunk) ⊕ own, where each is the prefix of what lies before the
 * element in the next larger unit, and the identity where nothing does.
 */
#include "scan.h"
#include "reference.h"
#include "values.h"

#include <float.h>

#if FLT_EVAL_METHOD != 0
#error "the reference needs floats to be computed as floats (FLT_EVAL_METHOD 0)"
#endif

#define A        float
#define SCAN     sum_f32
#define OP(a, b) ((a) + (b))
#include "scan.inc"

#define A        float
#define SCAN     prod_f32
#define OP(a, b) ((a) * (b))
#include "scan.inc"

#define A        double
#define SCAN     sum_f64
#define OP(a, b) ((a) + (b))
#include "scan.inc"

#define A        double
#define SCAN     prod_f64
#define OP(a, b) ((a) * (b))
#include "scan.inc"

/* Integers, and floats by their keys: any order would do, this one does too. */
#define A        uint64_t
#define SCAN     sum_u64
#define OP(a, b) ((a) + (b))
#include "scan.inc"

#define A        uint64_t
#define SCAN     prod_u64
#define OP(a, b) ((a) * (b))
#include "scan.inc"

#define A        uint64_t
#define SCAN     and_u64
#define OP(a, b) ((a) & (b))
#include "scan.inc"

#define A        uint64_t
#define SCAN     or_u64
#define OP(a, b) ((a) | (b))
#include "scan.inc"

#define A        uint64_t
#define SCAN     xor_u64
#define OP(a, b) ((a) ^ (b))
#include "scan.inc"

#define A        uint64_t
#define SCAN     min_u64
#define OP(a, b) ((b) < (a) ? (b) : (a))
#include "scan.inc"

#define A        uint64_t
#define SCAN     max_u64
#define OP(a, b) ((a) < (b) ? (b) : (a))
#include "scan.inc"

/* An array and the type of its elements. */
struct elements {
    clp_type type;
    const void *in;
    void *out;
};

static float load_f32(const void *array, size_t i) {
    const struct elements *elements = array;
    return value_float(elements->type, elements->in, i);
}

static void store_f32(void *array, size_t i, float value) {
    const struct elements *elements = array;
    value_store_float(elements->type, value, elements->out, i);
}

static double load_f64(const void *array, size_t i) {
    return ((const double *)((const struct elements *)array)->in)[i];
}

static void store_f64(void *array, size_t i, double value) {
    value_store_double(value, ((const struct elements *)array)->out, i);
}

static uint64_t load_u64(const void *array, size_t i) {
    const struct elements *elements = array;
    return value_integer(elements->type, elements->in, i);
}

static void store_u64(void *array, size_t i, uint64_t value) {
    const struct elements *elements = array;
    memcpy((char *)elements->out + i * clp_type_size(elements->type), &value, clp_type_size(elements->type));
}

/* Keys as unsigned integers in the same order: the sign bit flipped, save for CLP_U64. */
static uint64_t key_flip(clp_type type) {
    return type == CLP_U64 ? 0 : (uint64_t)1 << 63;
}

static uint64_t load_key(const void *array, size_t i) {
    const struct elements *elements = array;
    return value_key(elements->type, elements->in, i) ^ key_flip(elements->type);
}

static void store_key(void *array, size_t i, uint64_t key) {
    const struct elements *elements = array;
    value_store_key(elements->type, key ^ key_flip(elements->type), elements->out, i);
}

static void extremes(const clp_scan_desc *desc, struct elements *array, size_t n) {
    const bool max = desc->op == CLP_MAX, exclusive = desc->kind == CLP_SCAN_EXCLUSIVE;
    /* Below or above every key, NaN's too. */
    const uint64_t pad = max ? 0 : ~(uint64_t)0;
    const struct elements init = {desc->type, desc->init, NULL};
    (max ? max_u64 : min_u64)(load_key, store_key, array, n, pad, desc->init ? load_key(&init, 0) : pad,
                              exclusive, array);
}

static void integers(const clp_scan_desc *desc, struct elements *from, struct elements *to, size_t n) {
    const bool exclusive = desc->kind == CLP_SCAN_EXCLUSIVE;
    const uint64_t pad = desc->op == CLP_PROD ? 1 : desc->op == CLP_AND ? ~(uint64_t)0 : 0;
    const uint64_t init = desc->init ? value_integer(to->type, desc->init, 0) : pad;
    (desc->op == CLP_SUM    ? sum_u64
     : desc->op == CLP_PROD ? prod_u64
     : desc->op == CLP_AND  ? and_u64
     : desc->op == CLP_OR   ? or_u64
                            : xor_u64)(load_u64, store_u64, from, n, pad, init, exclusive, to);
}

static void floats(const clp_scan_desc *desc, struct elements *from, struct elements *to, size_t n) {
    const bool exclusive = desc->kind == CLP_SCAN_EXCLUSIVE, product = desc->op == CLP_PROD;
    if (desc->type == CLP_F64) {
        const double pad = product ? 1.0 : -0.0;
        (product ? prod_f64 : sum_f64)(load_f64, store_f64, from, n, pad,
                                       desc->init ? *(const double *)desc->init : pad, exclusive, to);
    } else {
        const float pad = product ? 1.0f : -0.0f;
        (product ? prod_f32 : sum_f32)(load_f32, store_f32, from, n, pad,
                                       desc->init ? *(const float *)desc->init : pad, exclusive, to);
    }
}

/* Element 0 of an exclusive scan without init is what a reduction of nothing gives. */
static void store_nothing(const clp_scan_desc *desc, void *out) {
    const clp_type type = desc->type, result = clp_scan_result_type(desc);
    const uint64_t sign = (uint64_t)1 << (8 * clp_type_size(type) - 1);
    const bool max = desc->op == CLP_MAX;
    uint64_t bits = desc->op == CLP_PROD ? 1 : desc->op == CLP_AND ? ~(uint64_t)0 : 0;
    if (desc->op == CLP_MIN || desc->op == CLP_MAX)
        bits = type >= CLP_F16         ? value_infinity(type) | (max ? sign : 0)
               : value_is_signed(type) ? (max ? sign : sign - 1)
                                       : (max ? 0 : sign | (sign - 1));
    if (desc->op == CLP_PROD && result == CLP_F64)
        value_store_double(1.0, out, 0);
    else if (desc->op == CLP_PROD && result >= CLP_F16)
        value_store_float(result, 1.0f, out, 0);
    else
        memcpy(out, &bits, clp_type_size(result));
}

void ref_scan(const clp_scan_desc *desc, const void *in, size_t n, void *out) {
    struct elements from = {desc->type, in, out}, to = {clp_scan_result_type(desc), in, out};
    if (desc->op == CLP_MIN || desc->op == CLP_MAX)
        extremes(desc, &from, n);
    else if (desc->type >= CLP_F16)
        floats(desc, &from, &to, n);
    else
        integers(desc, &from, &to, n);
    if (n > 0 && desc->kind == CLP_SCAN_EXCLUSIVE && !desc->init)
        store_nothing(desc, out);
}

/* ---- user operators ------------------------------------------------------------------------------------ */

/* A value of the operator's type, of at most 16 bytes. */
struct value {
    _Alignas(16) unsigned char bytes[16];
};

/* An array with an operator. The template hands only values to OP, so the operator is kept here; each thread
 * has its own. */
struct user_array {
    const clp_scan_desc *desc;
    const void *in;
    void *out;
};
static _Thread_local const ref_user *user_in_use;

static struct value user_op(struct value a, struct value b) {
    struct value result = {{0}};
    user_in_use->op(a.bytes, b.bytes, result.bytes);
    return result;
}

#define A        struct value
#define SCAN     any
#define OP(a, b) user_op(a, b)
#include "scan.inc"

static size_t size_of(const clp_scan_desc *desc, clp_type type) {
    return type == CLP_USER ? desc->user->type_size : clp_type_size(type);
}

static struct value load_any(const void *array, size_t i) {
    const struct user_array *elements = array;
    const clp_type type = elements->desc->type;
    const size_t size = size_of(elements->desc, type);
    struct value value = {{0}};
    if (type == CLP_F16 || type == CLP_BF16)
        memcpy(value.bytes, &(float){value_float(type, elements->in, i)}, sizeof(float));
    else
        memcpy(value.bytes, (const char *)elements->in + i * size, size);
    return value;
}

/* User types are written as they are, floats as ever. */
static void store_any(void *array, size_t i, struct value value) {
    const struct user_array *elements = array;
    const clp_scan_desc *desc = elements->desc;
    const clp_type result = clp_scan_result_type(desc);
    if (desc->type == CLP_F64)
        value_store_double(*(const double *)(const void *)value.bytes, elements->out, i);
    else if (result >= CLP_F16 && result <= CLP_F32)
        value_store_float(result, *(const float *)(const void *)value.bytes, elements->out, i);
    else
        memcpy((char *)elements->out + i * size_of(desc, result), value.bytes, size_of(desc, result));
}

void ref_scan_user(const clp_scan_desc *desc, const ref_user *user, const void *in, size_t n, void *out) {
    const clp_type type = desc->type == CLP_F16 || desc->type == CLP_BF16 ? CLP_F32 : desc->type;
    struct user_array array = {desc, in, out};
    struct value pad = {{0}}, init;
    memcpy(pad.bytes, desc->user->identity, size_of(desc, type));
    init = pad;
    if (desc->init)
        memcpy(init.bytes, desc->init, size_of(desc, type));
    user_in_use = user;
    any(load_any, store_any, &array, n, pad, init, desc->kind == CLP_SCAN_EXCLUSIVE, &array);
    if (n > 0 && desc->kind == CLP_SCAN_EXCLUSIVE && !desc->init)
        store_any(&array, 0, pad);
}

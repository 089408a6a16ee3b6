/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reduction with a user's operator or transform, serially. An operator that promises CLP_COMMUTATIVE folds in
 * the canonical tile order, as in reduce.c. Any other folds in the ordered form, which never permutes
 * operands. Both pad with the identity: missing values are combined like any other.
 */
#include "elements.h"
#include "reference.h"

#include <stdlib.h>
#include <string.h>

/* A value of the operator's type, of at most 16 bytes. */
struct value {
    _Alignas(16) unsigned char bytes[16];
};

struct operation {
    void (*op)(const void *a, const void *b, void *result);
    struct value identity;
};

static struct value combine(const struct operation *operation, struct value a, struct value b) {
    struct value result = {{0}};
    operation->op(a.bytes, b.bytes, result.bytes);
    return result;
}

/* ---- the tile order ------------------------------------------------------------------------------------ */

enum { LANES = 128, ROWS = 32, TILE = LANES * ROWS };

static struct value tile_total(const struct operation *operation, const struct value *values, size_t n) {
    struct value lane[LANES];
    for (size_t l = 0; l < LANES; l++)
        lane[l] = operation->identity;
    for (size_t i = 0; i < TILE; i++)
        lane[i % LANES] = combine(operation, lane[i % LANES], i < n ? values[i] : operation->identity);
    for (size_t half = LANES / 2; half > 0; half /= 2)
        for (size_t l = 0; l < half; l++)
            lane[l] = combine(operation, lane[l], lane[l + half]);
    return lane[0];
}

/* Totals take the place of the values, level by level. */
static struct value tile_order(const struct operation *operation, struct value *values, size_t n) {
    do {
        size_t tiles = 0;
        for (size_t start = 0; start < n; start += TILE)
            values[tiles++] = tile_total(operation, values + start, n - start);
        n = tiles;
    } while (n > 1);
    return values[0];
}

/* ---- the ordered form ---------------------------------------------------------------------------------- */

/* Runs of `width` values, at most 32 and a power of two, fold by adjacent pairs: ((x0 x1)(x2 x3))((x4 x5)… */
static size_t by_pairs(const struct operation *operation, struct value *values, size_t n, size_t width) {
    size_t runs = 0;
    for (size_t start = 0; start < n; start += width) {
        struct value run[32];
        for (size_t i = 0; i < width; i++)
            run[i] = start + i < n ? values[start + i] : operation->identity;
        for (size_t left = width / 2; left > 0; left /= 2)
            for (size_t i = 0; i < left; i++)
                run[i] = combine(operation, run[2 * i], run[2 * i + 1]);
        values[runs++] = run[0];
    }
    return runs;
}

/* Runs of `width` values fold from left to right: ((x0 x1) x2) x3 … */
static size_t left_to_right(const struct operation *operation, struct value *values, size_t n, size_t width) {
    size_t runs = 0;
    for (size_t start = 0; start < n; start += width) {
        struct value total = values[start];
        for (size_t i = 1; i < width; i++)
            total = combine(operation, total, start + i < n ? values[start + i] : operation->identity);
        values[runs++] = total;
    }
    return runs;
}

static struct value ordered(const struct operation *operation, struct value *values, size_t n) {
    n = by_pairs(operation, values, n, 16);     /* chunks */
    n = by_pairs(operation, values, n, 32);     /* groups of 512 */
    n = left_to_right(operation, values, n, 8); /* tiles of 4096 */
    n = by_pairs(operation, values, n, 32);     /* blocks */
    n = by_pairs(operation, values, n, 32);     /* super-blocks */
    left_to_right(operation, values, n, n);     /* as many as there are */
    return values[0];
}

/* ---- elements and results ------------------------------------------------------------------------------ */

static size_t size_of(const clp_reduce_desc *desc, clp_type type) {
    return type == CLP_USER ? desc->user->type_size : clp_type_size(type);
}

/* What user text sees: 16-bit floats as floats, all else as it is. */
static clp_type seen_as(clp_type type) {
    return type == CLP_F16 || type == CLP_BF16 ? CLP_F32 : type;
}

static struct value element(const clp_reduce_desc *desc, const void *array, size_t i) {
    struct value value = {{0}};
    const size_t size = size_of(desc, desc->type);
    if (seen_as(desc->type) != desc->type)
        memcpy(value.bytes, &(float){ref_float(desc->type, array, i)}, sizeof(float));
    else
        memcpy(value.bytes, (const char *)array + i * size, size);
    return value;
}

/* User types are written as they are; floats with every NaN the canonical one, and rounded if that was asked.
 */
static void store(const clp_reduce_desc *desc, clp_type type, const struct value *value, void *out) {
    if (type == CLP_F32)
        ref_store_float(desc->result != CLP_TYPE_INVALID ? desc->result : CLP_F32,
                        ref_float(CLP_F32, value->bytes, 0), out);
    else if (type == CLP_F64)
        ref_store_double(CLP_F64, ref_double(CLP_F64, value->bytes, 0), out);
    else
        memcpy(out, value->bytes, size_of(desc, type));
}

void ref_reduce_user(const clp_reduce_desc *desc, const ref_user *user, const void *in, const void *second,
                     size_t n, void *out) {
    const bool transforms = desc->user->transform != NULL;
    if (!transforms && desc->op != CLP_OP_USER) {
        ref_reduce_pair(desc, in, second, n, out);
        return;
    }
    const clp_type type = transforms && desc->user->value ? desc->user->value : seen_as(desc->type);
    const size_t size = size_of(desc, type);
    struct value *values = ref_allocate((n + 1) * sizeof *values);
    for (size_t i = 0; i < n; i++) {
        values[i] = element(desc, in, i);
        if (transforms) {
            const struct value x = values[i], s = second ? element(desc, second, i) : x;
            memset(&values[i], 0, sizeof values[i]);
            user->transform(x.bytes, i, s.bytes, values[i].bytes);
        }
    }
    if (desc->op == CLP_OP_USER) { /* of nothing: the identity */
        struct operation operation = {.op = user->op};
        memcpy(operation.identity.bytes, desc->user->identity, size);
        const struct value total = n == 0 ? operation.identity
                                   : desc->user->promises & CLP_COMMUTATIVE
                                       ? tile_order(&operation, values, n)
                                       : ordered(&operation, values, n);
        store(desc, type, &total, out);
    } else {                          /* the reduction of an array of what the transform gives */
        char *array = (char *)values; /* packed in place: a value never moves up */
        for (size_t i = 0; i < n; i++)
            memmove(array + i * size, values[i].bytes, size);
        clp_reduce_desc plain = *desc;
        plain.type = type;
        plain.user = NULL;
        ref_reduce(&plain, array, n, out);
    }
    free(values);
}

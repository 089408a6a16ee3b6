/* SPDX-License-Identifier: Apache-2.0 */
/* What a reduction costs, whatever the device. */
#include "internal.h"

/*
 * A tile: 128 lanes of 32 elements; each lane folds its 32, then the lanes fold by halving. The ordered form:
 * chunks of 16 and groups of 32 chunks by pairs, 8 groups left to right (4 + 5 + 7); then 32 tiles by pairs,
 * 32 blocks by pairs, the rest left to right.
 */
enum { TILE = 4096, TILE_SPAN = 31 + 7, ORDERED_SPAN = 4 + 5 + 7, BLOCK = 32 * TILE, SUPER = 32 * BLOCK };

static double size_of(const clp_reduce_desc *desc, clp_type type) {
    return (double)(type == CLP_USER && desc->user ? desc->user->type_size : clp_type_size(type));
}

/* Operations on the longest chain of n elements. Identities stand for missing elements, so that every level
 * has its full height. */
static double span_of(const clp_reduce_desc *desc, size_t n) {
    double span = 0;
    const size_t supers = n > 1 ? (n - 1) / SUPER : 0;
    if (desc->op == CLP_OP_USER && !(desc->user && (desc->user->promises & CLP_COMMUTATIVE)))
        return n > 1 ? ORDERED_SPAN + (n > TILE ? 5 : 0) + (n > BLOCK ? 5 : 0) + (double)supers : 0;
    for (size_t level = n; level > 1; level = (level - 1) / TILE + 1)
        span += TILE_SPAN;
    return span;
}

/* Checks the description; then the cost of n elements in all that become `results` results. The longest chain
 * is that of `longest` elements; `more` bytes must be read besides. */
static clp_status cost_of(const clp_reduce_desc *desc, double n, double results, size_t longest, double more,
                          clp_cost *cost) {
    if (clp_type_size(desc->type) == 0 && desc->type != CLP_USER)
        return clp_fail(CLP_INVALID_TYPE, "desc->type is %d, no element type", (int)desc->type);
    const clp_type result = clp_reduce_result_type(desc);
    if (result == CLP_TYPE_INVALID)
        return clp_fail(CLP_UNSUPPORTED, "no reduction %s of %s", clp_op_name(desc->op),
                        clp_type_name(desc->type));
    const bool pair = desc->op == CLP_DOT || (desc->user && desc->user->transform && desc->user->pair);
    const double arrays = pair ? 2 : 1;
    cost->bytes = arrays * n * size_of(desc, desc->type) + results * size_of(desc, result) + more;
    cost->work = cost->serial_work = n > results ? n - results : 0;
    cost->serial_span = longest > 1 ? (double)(longest - 1) : 0;
    cost->span = span_of(desc, longest);
    return CLP_SUCCESS;
}

static clp_status begin(const clp_reduce_desc *desc, const void *parts, const char *parts_name,
                        clp_cost *cost) {
    if (!cost)
        return clp_fail(CLP_INVALID_ARGUMENT, "cost is NULL");
    *cost = (clp_cost){0};
    if (!desc)
        return clp_fail(CLP_INVALID_ARGUMENT, "desc is NULL");
    return parts ? CLP_SUCCESS : clp_fail(CLP_INVALID_ARGUMENT, "%s is NULL", parts_name);
}

clp_status clp_reduce_cost(const clp_reduce_desc *desc, size_t n, clp_cost *cost) {
    const clp_status status = begin(desc, &n, "n", cost);
    return status == CLP_SUCCESS ? cost_of(desc, (double)n, 1, n, 0, cost) : status;
}

clp_status clp_reduce_rows_cost(const clp_reduce_desc *desc, const clp_rows *rows, clp_cost *cost) {
    const clp_status status = begin(desc, rows, "rows", cost);
    if (status != CLP_SUCCESS)
        return status;
    const double count = (double)rows->count;
    return cost_of(desc, count * (double)rows->columns, count, rows->count > 0 ? rows->columns : 0,
                   rows->lengths.mem ? count * sizeof(cl_uint) : 0, cost);
}

clp_status clp_reduce_segments_cost(const clp_reduce_desc *desc, const clp_segments *segments,
                                    clp_cost *cost) {
    const clp_status status = begin(desc, segments, "segments", cost);
    if (status != CLP_SUCCESS)
        return status;
    const clp_type index = segments->index != CLP_TYPE_INVALID ? segments->index : CLP_U32;
    if (index != CLP_U32 && index != CLP_U64)
        return clp_fail(CLP_INVALID_TYPE, "segments->index is %d, neither CLP_U32 nor CLP_U64", (int)index);
    const size_t n = segments->count > 0 ? segments->n : 0;
    const double count = (double)segments->count;
    const double offsets = segments->ends.mem ? 2 * count : count + 1;
    /* The longest of them has at least as many as the mean. */
    const size_t mean = n > 0 ? (n - 1) / segments->count + 1 : 0;
    return cost_of(desc, (double)n, count, mean, offsets * (double)clp_type_size(index), cost);
}

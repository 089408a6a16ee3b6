/* SPDX-License-Identifier: Apache-2.0 */
/* What a reduction costs, whatever the device. */
#include "internal.h"

/* A tile: 128 lanes of 32 elements; each lane folds its 32, then the lanes fold by halving. */
enum { TILE = 4096, TILE_SPAN = 31 + 7 };

clp_status clp_reduce_cost(const clp_reduce_desc *desc, size_t n, clp_cost *cost) {
    if (!cost)
        return clp_fail(CLP_INVALID_ARGUMENT, "cost is NULL");
    *cost = (clp_cost){0};
    if (!desc)
        return clp_fail(CLP_INVALID_ARGUMENT, "desc is NULL");
    if (clp_type_size(desc->type) == 0)
        return clp_fail(CLP_INVALID_TYPE, "desc->type is %d, no element type", (int)desc->type);
    const clp_type result = clp_reduce_result_type(desc);
    if (result == CLP_TYPE_INVALID)
        return clp_fail(CLP_UNSUPPORTED, "no reduction %s of %s", clp_op_name(desc->op),
                        clp_type_name(desc->type));
    const double arrays = desc->op == CLP_DOT ? 2 : 1;
    cost->bytes = arrays * (double)n * (double)clp_type_size(desc->type) + (double)clp_type_size(result);
    cost->work = cost->serial_work = cost->serial_span = n > 1 ? (double)(n - 1) : 0;
    /* Identities stand for missing elements, so that every level has its full height. */
    for (size_t level = n; level > 1; level = (level - 1) / TILE + 1)
        cost->span += TILE_SPAN;
    return CLP_SUCCESS;
}

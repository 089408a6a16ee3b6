/* SPDX-License-Identifier: Apache-2.0 */
/** @file reduce_plan.h What reductions of arrays, rows and segments share: the tree's shape and the kernels. */
#ifndef CLP_REDUCE_PLAN_H
#define CLP_REDUCE_PLAN_H

#include "reduce_form.h"

enum { CLP_TILE = 4096, CLP_MAX_LEVELS = 6 };

/** The levels of a tree: how many totals each has; the last has 1. */
struct clp_levels {
    size_t of[CLP_MAX_LEVELS];
    int count;
    size_t totals; /**< of all levels */
    size_t nodes;  /**< totals of all levels but the tiles' */
};

/** The tree of n elements. */
struct clp_levels clp_reduce_levels(const struct clp_reduce_form *form, size_t n);

/** Children of a node, at most: of any level but an ordered root's. */
size_t clp_reduce_children(const struct clp_reduce_form *form);

/** Checks each field of the description for itself, whatever the mode. */
clp_status clp_reduce_check_fields(const clp_context *context, const clp_reduce_desc *desc);

/** The same; then checks the combination, save of CLP_REDUCE_FAST, and fills the form. */
clp_status clp_reduce_check(const clp_context *context, const clp_reduce_desc *desc, struct clp_reduce_form *form);

/** The program of cl/<stem>.cl for a form, with the kernels named; kernels: CLP_MAX_KERNELS names or fewer. */
clp_status clp_reduce_variant(clp_context *context, const clp_reduce_desc *desc,
                              const struct clp_reduce_form *form, const char *stem, const char *const *kernels,
                              struct clp_variant **variant);

/** Tiles that a team of the variant folds at a time. */
size_t clp_reduce_step_tiles(const clp_context *context, const struct clp_variant *variant,
                             const struct clp_reduce_form *form);

/** CLP_UNSUPPORTED unless there is a second array where the form takes one (or there need not be: empty). */
clp_status clp_reduce_check_second(const struct clp_reduce_form *form, clp_buffer second, bool empty);

#endif

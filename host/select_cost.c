/* SPDX-License-Identifier: Apache-2.0 */
/* What a selection costs, whatever the device. */
#include "select_form.h"

/* Levels of a tree of n counts. */
static double levels(size_t n) {
    double height = 0;
    for (size_t level = n; level > 1; level = level / 2 + level % 2)
        height++;
    return height;
}

/* The work of the two passes: an element is tested in both, counted in the first, placed in the second. */
static void set_work(size_t n, clp_cost *cost) {
    cost->serial_work = 2 * (double)n;
    cost->serial_span = n > 0 ? (double)n + 1 : 0; /* a test, then one place after the other */
    cost->work = 4 * (double)n;
    cost->span = n > 0 ? 2 + 2 * levels(n) : 0;
}

/* Checks the description; n elements, of which so many are written as outputs. */
static clp_status begin(const clp_select_desc *desc, bool heads, enum clp_select_others others, size_t n,
                        size_t kept, struct clp_select_form *form, clp_cost *cost) {
    if (!cost)
        return clp_fail(CLP_INVALID_ARGUMENT, "cost is NULL");
    *cost = (clp_cost){0};
    const clp_status status = clp_select_form_of(NULL, desc, heads, others, form);
    if (status != CLP_SUCCESS)
        return status;
    if (kept > n)
        return clp_fail(CLP_OUT_OF_RANGE, "%zu elements cannot be kept of %zu", kept, n);
    set_work(n, cost);
    cost->bytes = (double)form->count_size + (double)kept * (double)form->out_size;
    return CLP_SUCCESS;
}

/* Bytes that are read to select: flags tell of elements that need not be read, an index of none. */
static double bytes_read(const clp_select_desc *desc, const struct clp_select_form *form, size_t n,
                         size_t moved) {
    const double second = desc->second ? (double)n * (double)form->second_size : 0;
    if (form->by == CLP_BY_TEXT)
        return (double)n * (double)form->element_size + second;
    return second + (desc->index ? 0 : (double)moved * (double)form->element_size);
}

clp_status clp_select_cost(const clp_select_desc *desc, size_t n, size_t kept, clp_cost *cost) {
    struct clp_select_form form;
    const clp_status status = begin(desc, false, CLP_OTHERS_DROPPED, n, kept, &form, cost);
    if (status == CLP_SUCCESS)
        cost->bytes += bytes_read(desc, &form, n, kept);
    return status;
}

clp_status clp_partition_cost(const clp_select_desc *desc, size_t n, clp_cost *cost) {
    struct clp_select_form form;
    const clp_status status = begin(desc, false, CLP_OTHERS_REJECTED, n, n, &form, cost);
    if (status == CLP_SUCCESS)
        cost->bytes += bytes_read(desc, &form, n, n);
    return status;
}

clp_status clp_unique_cost(const clp_select_desc *desc, size_t n, size_t kept, clp_cost *cost) {
    struct clp_select_form form;
    const clp_status status = begin(desc, true, CLP_OTHERS_VALUES, n, kept, &form, cost);
    if (status == CLP_SUCCESS)
        cost->bytes += (double)n * (double)form.element_size +
                       (desc->second ? 2 * (double)kept * (double)form.second_size : 0);
    return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/** @file select_form.h What a description of a selection means. */
#ifndef CLP_SELECT_FORM_H
#define CLP_SELECT_FORM_H

#include "reduce_form.h"

/** What tells which elements are kept; values are those of CLP_BY in cl/select.cl. */
enum clp_select_by { CLP_BY_TEXT = 1, CLP_BY_FLAGS = 2, CLP_BY_HEADS = 3 };

/** What becomes of the others, or goes with the kept ones; values are those of CLP_OTHERS. Lengths are
 * run-length encoding's, see runs.c. */
enum clp_select_others {
    CLP_OTHERS_DROPPED = 0,
    CLP_OTHERS_REJECTED = 1,
    CLP_OTHERS_VALUES = 2,
    CLP_OTHERS_LENGTHS = 3
};

/** A description that was checked. */
struct clp_select_form {
    enum clp_select_by by;
    enum clp_select_others others;
    clp_type out, count;
    size_t element_size, second_size, out_size, count_size; /**< second_size: 1 without a second array */
};

/**
 * Checks the description and fills its form; context NULL: for no device in particular.
 * heads: for clp_unique(), others then CLP_OTHERS_VALUES whether there are values or not
 */
clp_status clp_select_form_of(const clp_context *context, const clp_select_desc *desc, bool heads,
                              enum clp_select_others others, struct clp_select_form *form);

/** Writes the macros of cl/select.cl and cl/select_pass.cl, for elements of a type and of a second one, 0 if
 * there is none. */
void clp_select_defines(const struct clp_select_form *form, clp_type type, clp_type second, bool indices,
                        char *text, size_t size);

#endif

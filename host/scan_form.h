/* SPDX-License-Identifier: Apache-2.0 */
/** @file scan_form.h How each combination of operator and types of a scan is computed. */
#ifndef CLP_SCAN_FORM_H
#define CLP_SCAN_FORM_H

#include "reduce_form.h"

/** A value of any accumulator type, as kernels take it. */
union clp_scan_value {
    cl_int i32;
    cl_uint u32;
    cl_long i64;
    cl_ulong u64;
    cl_float f32;
    cl_double f64;
    unsigned char bytes[16];
};

/** The macros of cl/scan.cl for one combination, and the values that go with them. */
struct clp_scan_form {
    clp_type result;
    const char *element, *accumulator, *stored; /**< CLP_T, CLP_A, CLP_R */
    const char *load, *store, *op;              /**< CLP_LOAD, CLP_STORE, CLP_OP without "clp_" */
    bool f64;                                   /**< needs doubles */
    bool exclusive;
    bool any; /**< CLP_ANY: user text */
    size_t element_size, accumulator_size, result_size;
    size_t scratch_size; /**< of an accumulator in scratch and local memory: more than its own with heads */
    union clp_scan_value pad;  /**< the operator's identity */
    union clp_scan_value init; /**< what stands in front; the identity if nothing does */
    union clp_scan_value head; /**< output 0, where it does not follow from the others */
    bool has_head;
    bool exact; /**< the same result in any order: integers and extremes */
};

/** Fills the form of a description whose type, operator and user text are valid (clp_user_check()). @return
 * false if the combination does not exist */
bool clp_scan_form_of(const clp_scan_desc *desc, struct clp_scan_form *form);

#endif

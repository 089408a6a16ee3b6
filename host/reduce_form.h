/* SPDX-License-Identifier: Apache-2.0 */
/** @file reduce_form.h How each combination of operator, types and mode of a reduction is computed. */
#ifndef CLP_REDUCE_FORM_H
#define CLP_REDUCE_FORM_H

#include "internal.h"

/** A value of any accumulator or result type, as kernels take it. */
union clp_value {
    cl_int i32;
    cl_uint u32;
    cl_long i64;
    cl_ulong u64;
    cl_float f32;
    cl_double f64;
};

/** The macros of cl/reduce.cl for one combination, and the values that go with them. */
struct clp_reduce_form {
    clp_type result;
    const char *element, *lane, *accumulator, *stored; /**< CLP_T, CLP_B, CLP_A, CLP_R */
    const char *load, *widen, *store, *op; /**< CLP_LOAD, CLP_WIDEN, CLP_STORE, CLP_OP without "clp_" */
    bool paired;                           /**< takes a second array */
    bool f64;                              /**< needs doubles */
    size_t element_size, accumulator_size, result_size;
    union clp_value pad;   /**< the operator's identity, as an accumulator */
    union clp_value empty; /**< the result of nothing */
};

/**
 * Fills the form of a valid type, operator and mode. shape: lanes fold in narrower types on CPUs.
 * @return false if the combination does not exist
 */
bool clp_reduce_form_of(const clp_reduce_desc *desc, clp_shape shape, struct clp_reduce_form *form);

#endif

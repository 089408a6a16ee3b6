/* SPDX-License-Identifier: Apache-2.0 */
/** @file elements.h How the references read elements, order them and write results. */
#ifndef CLP_REFERENCE_ELEMENTS_H
#define CLP_REFERENCE_ELEMENTS_H

#include <clpatterns/types.h>
#include <float.h>
#include <stdbool.h>

#if FLT_EVAL_METHOD != 0
#error "the reference needs floats to be computed as floats (FLT_EVAL_METHOD 0)"
#endif

bool ref_is_float(clp_type type);
bool ref_is_signed(clp_type type); /**< a signed integer */

/** The sign bit of a type, and +infinity of a float. */
uint64_t ref_sign(clp_type type);
uint64_t ref_infinity(clp_type type);

/** Element i of the array x of a type: its bits, zero-extended. */
uint64_t ref_bits(clp_type type, const void *x, size_t i);

/** A signed integer's value, sign-extended; any other type's bits. */
int64_t ref_integer(clp_type type, const void *x, size_t i);

/** A float of up to 32 or 64 bits, exactly. */
float ref_float(clp_type type, const void *x, size_t i);
double ref_double(clp_type type, const void *x, size_t i);

/**
 * The place of an element in the order of its type. U64 compares as unsigned, all else as signed. Floats:
 * −∞ < … < −0 < +0 < … < +∞ < NaN; a negative float's key is −1 minus its magnitude's bits, so −0 is −1; all
 * NaNs are the canonical one.
 */
int64_t ref_key(clp_type type, const void *x, size_t i);

/** Writes a float as a result type, rounded to nearest even; every NaN is the canonical one. */
void ref_store_float(clp_type result, float value, void *out);
void ref_store_double(clp_type result, double value, void *out); /* f64 or f32 */

/** malloc() that ends the program when there is no memory. */
void *ref_allocate(size_t size);

#endif

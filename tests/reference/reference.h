/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file reference.h The specification in serial C: what every kernel must compute, bit for bit.
 * Built with -ffp-contract=off. Used by the tests and by `clpatterns check` and `bench`.
 */
#ifndef CLP_REFERENCE_H
#define CLP_REFERENCE_H

#include <clpatterns/clpatterns.h>

/** Reduces n elements at `in` (any alignment of its type) and writes one element of the result type. */
void ref_reduce(const clp_reduce_desc *desc, const void *in, size_t n, void *out);

/** The same for operators of two arrays (CLP_DOT). */
void ref_reduce_pair(const clp_reduce_desc *desc, const void *in, const void *second, size_t n, void *out);

/** Scans n elements at `in` to n outputs of the result type. Not in place. */
void ref_scan(const clp_scan_desc *desc, const void *in, size_t n, void *out);

/** The type of the result of a description that is valid: desc->result, or what 0 there means. */
clp_type ref_result_type(const clp_reduce_desc *desc);

/**
 * What user text says, in C. Arguments are aligned to 16 bytes; x and s are as the text sees them, 16-bit
 * floats as floats. Results go to zeroed memory of 16 bytes.
 */
typedef struct ref_user {
    void (*op)(const void *a, const void *b, void *result);
    void (*transform)(const void *x, uint64_t i, const void *s, void *result);
} ref_user;

/** The same with user text: desc->user's sizes, types, identity and promises, and its text as functions. */
void ref_reduce_user(const clp_reduce_desc *desc, const ref_user *user, const void *in, const void *second,
                     size_t n, void *out);

/**
 * Moves the elements of so many bytes whose flag is not 0, in order: clp_select(). @return how many
 */
size_t ref_select(const unsigned char *flags, size_t n, size_t size, const void *in, void *out);

/** The flags of clp_unique(): 1 for each element that differs from the one before it. */
void ref_heads(clp_type type, const void *in, size_t n, unsigned char *flags);

/** ref_scan() with a user operator: desc->user's type and identity, and its text as a function. */
void ref_scan_user(const clp_scan_desc *desc, const ref_user *user, const void *in, size_t n, void *out);

/**
 * ref_scan() of segments that begin at element 0 and wherever flags is not 0. user: the operator of
 * desc->user, or NULL.
 */
void ref_scan_by_flags(const clp_scan_desc *desc, const ref_user *user, const void *in, const uint8_t *flags,
                       size_t n, void *out);

/** Writes 1 for each key that begins a run of equal ones, else 0. */
void ref_flags_of_keys(clp_type key_type, const void *keys, size_t n, uint8_t *flags);

/** Runs of equal neighbours: first elements, lengths, where they begin. Each has room for n. @return how many
 */
size_t ref_run_length_encode(clp_type type, const void *in, size_t n, void *values, uint64_t *lengths,
                             uint64_t *offsets);

/** The first key of each run, and what the inclusive scan by key of desc has at the run's end. @return runs
 */
size_t ref_reduce_by_key(const clp_scan_desc *desc, clp_type key_type, const void *keys, const void *in,
                         size_t n, void *unique, void *totals);

/** The table of bins->count + 1 edges of even bins, of the type of the samples. Free it. */
void *ref_histogram_edges(clp_type type, const clp_bins *bins);

/**
 * Adds n pixels to counts and, if not NULL, outside: clp_histogram() with accumulate. edges: the custom edges
 * of each channel whose bins are counted, NULL for even bins; or NULL if all are even.
 */
void ref_histogram(const clp_histogram_desc *desc, const void *const *edges, const void *in,
                   const void *weights, size_t n, void *counts, void *outside);

/** Canonical data sets. Element i depends on (set, type, i) alone, through integer arithmetic only. */
typedef enum ref_set {
    REF_UNIFORM, /**< integers: all bits; floats: both signs, exponents over 2^-8 … 2^7, all mantissa bits */
    REF_SMALL,   /**< small whole numbers −8 … 7 (0 … 15 if unsigned): sums are exact in any order */
    REF_EQUAL,   /**< all elements alike */
    REF_SPECIAL, /**< floats: ±0, ±∞, NaNs of both signs and many payloads among ordinary values; integers:
                    limits */
    REF_ZEROS,   /**< ±0 only, mixed (integers: 0 and 1) */
    REF_NEGATIVE_ZEROS, /**< −0 only (integers: 0) */
    REF_NANS,           /**< NaNs only, signs and payloads vary (integers: all bits set) */
    REF_DENORMALS,      /**< floats: denormals of both signs; integers as REF_SMALL */
    REF_ASCENDING,      /**< sorted upwards */
    REF_DESCENDING,     /**< sorted downwards */
    REF_SET_COUNT
} ref_set;

/** "uniform", "small", … */
const char *ref_set_name(ref_set set);

/** Writes elements first … first + n − 1 of the set to out (n · clp_type_size(type) bytes). */
void ref_fill(ref_set set, clp_type type, size_t first, size_t n, void *out);

#endif

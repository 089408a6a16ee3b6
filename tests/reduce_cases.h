/* SPDX-License-Identifier: Apache-2.0 */
/** @file reduce_cases.h What the tests of reduction share: one form on one input, compared with the
 * reference. */
#ifndef CLP_REDUCE_CASES_H
#define CLP_REDUCE_CASES_H

#include "harness.h"
#include "reference.h"

/** One way to reduce. */
struct reduce_form {
    clp_reduce_desc desc;
    const char *name;     /**< for messages; or NULL */
    const ref_user *user; /**< desc.user's twin in C */
};

enum { REDUCE_MAX_OFFSET = 3, REDUCE_OUT_SIZE = 96 };

/** How many results were compared: a run without any must not be green. */
extern size_t reduce_compared;

/** test_main() that fails if nothing was compared. */
int reduce_main(Suite *suite);

/** Bytes of an element and of the result. */
size_t reduce_element_size(const clp_reduce_desc *desc);
size_t reduce_result_size(const clp_reduce_desc *desc);

/** Does it take two arrays? */
bool reduce_is_pair(const clp_reduce_desc *desc);

/** The serial result. */
void reduce_reference(const struct reduce_form *form, const void *in, const void *second, size_t n,
                      void *out);

/** Has the device what the form and its schedule need, and does it not flush the denormals that products
 * meet? */
bool reduce_device_can(clp_context *context, const clp_reduce_desc *desc);

/** Work-group sizes that tests run at; SIZE_MAX: the device's limit. */
enum { REDUCE_GROUP_SIZES = 6 };
extern const size_t reduce_group_sizes[REDUCE_GROUP_SIZES];

/** Is configuration i of a matrix to be run? A choice without a pattern, by CLP_TEST_THIN. */
bool reduce_chosen(unsigned i);

/**
 * Calls tests() on a context of work-group size and shape number i (of 2 · REDUCE_GROUP_SIZES), and on one
 * with local memory where the default is another back-end; nothing if i is not chosen. turn: differs from
 * size to size and shape to shape, for choices among forms.
 */
void reduce_each_back_end(unsigned i, void (*tests)(clp_context *context, unsigned group, unsigned turn));

/** One schedule, or all that the device has: with or without levels, which is a kernel more to build. */
enum { REDUCE_FEW_SCHEDULES = -1, REDUCE_ALL_SCHEDULES = -2 };

/**
 * Reduces n elements from element `offset` (at most REDUCE_MAX_OFFSET) of mem, whose host copy is data, and
 * compares bits with the reference and guards beside the result. A second array is the same from element
 * REDUCE_MAX_OFFSET − offset. out has REDUCE_OUT_SIZE bytes.
 */
void reduce_compare(clp_context *context, const struct reduce_form *form, int schedule, cl_mem mem,
                    const void *data, size_t offset, size_t n, cl_mem out, const char *set);

/**
 * Reduces rows of mem, whose host copy is data, from its element 1 on (a second array: the same from element
 * 2 on), and compares each row with the reference of the row alone, and guards. lengths: the host copy of
 * rows->lengths, whose offset is 1, or NULL. out has room for two results more than rows.
 */
void reduce_compare_rows(clp_context *context, const struct reduce_form *form, cl_mem mem, const void *data,
                         const clp_rows *rows, const cl_uint *lengths, cl_mem out);

/** The documented rules for special values of f32, written down as bits, apart from the reference. */
struct reduce_special {
    clp_op op;
    size_t n;
    uint32_t elements[4], want;
};
extern const struct reduce_special reduce_specials[];
extern const size_t reduce_num_specials;

/** On a slow device each set of data meets a third of the sizes, in turn, if there are many. */
bool reduce_size_chosen(size_t turn, size_t num_sizes);

/** The same for every size (up to test_max_n()) of every canonical data set; offsets take turns. */
void reduce_compare_sets(clp_context *context, const struct reduce_form *form, int schedule,
                         const size_t *sizes, size_t num_sizes);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file fixture.h A plain OpenCL world in which the tests under layers call the library: one device, two
 * queues, an input, an output between guard words, a caller's workspace. All of it is the caller's.
 */
#ifndef CLP_FIXTURE_H
#define CLP_FIXTURE_H

#include "layers.h"
#include <clpatterns/clpatterns.h>

enum {
    FIXTURE_RESULTS = 5,           /* results of segments */
    FIXTURE_OUTPUTS = 5 * 4096 + 7 /* words between the guard words of the output */
};

/** Where segments begin and end: short ones, none, a long one, and one to the end, wherever that is. */
extern const uint32_t fixture_offsets[FIXTURE_RESULTS + 1];

struct fixture {
    cl_device_id device;
    cl_context context;
    cl_command_queue in_order, out_of_order;
    cl_mem in;        /**< n floats */
    cl_mem out;       /**< a guard word, FIXTURE_OUTPUTS words, a guard word */
    cl_mem offsets;   /**< fixture_offsets */
    cl_mem workspace; /**< workspace_size bytes */
    size_t n, workspace_size;
    float *data;       /**< what `in` holds */
    size_t expected_n; /**< the last length that was asked for, and its result: the reference is slow */
    uint32_t expected;
};

/** The description that the tests use: the tree sum of floats, whose bits follow the order of additions. */
clp_reduce_desc fixture_sum(clp_schedule schedule);

/** The result of the first n elements by the serial reference, as bits. */
uint32_t fixture_expected(struct fixture *f, size_t n);

/** Makes the world with n elements on the first device; Check fails if something goes wrong. */
void fixture_make(struct fixture *f, size_t n, size_t workspace_size);
void fixture_free(struct fixture *f);

/** Fills the output with words that no sum has. */
void fixture_poison(const struct fixture *f);

/** Reads the first result as bits and checks that the words on both sides of it are untouched. */
uint32_t fixture_result(const struct fixture *f);

/** Reads the results and checks that all words of the output but the first `count` of them are untouched. */
void fixture_results(const struct fixture *f, size_t count, uint32_t *words);

/** Was anything written to the output since it was poisoned? */
bool fixture_untouched(const struct fixture *f);

/** Checks that the input still holds what it held. */
void fixture_check_input(const struct fixture *f);

/** A context of the library on the fixture's own OpenCL context. */
clp_context *fixture_adopt(const struct fixture *f, clp_shape shape);

#endif

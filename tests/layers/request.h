/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file request.h The kinds of calls that the tests under layers make: what is asked for, the call itself and
 * what it must give. All results are words of 32 bits.
 */
#ifndef CLP_REQUEST_H
#define CLP_REQUEST_H

#include "fixture.h"

enum request {
    REQUEST_SUM,      /**< the tree sum of floats: the fixture's own */
    REQUEST_FAST,     /**< the sum of the same bits as integers, in any order */
    REQUEST_INDEX,    /**< where the least float is */
    REQUEST_MAPS,     /**< maps that follow each other: a user's type and an operator in order */
    REQUEST_SEGMENTS, /**< FIXTURE_RESULTS tree sums by offsets */
    REQUEST_SCAN, /**< the exclusive scan of the floats: as many words as elements, FIXTURE_OUTPUTS at most */
    REQUEST_PARTITION, /**< the floats above 0, the others, and how many those are, of all elements but the
                          last: as many words as elements, one if there are none */
    REQUEST_BY_KEY,    /**< sums of the runs of equal floats: the first few, their keys, the number of runs */
    REQUEST_HISTOGRAM, /**< how many floats fall into each of eight bins */
    NUM_REQUESTS
};

/** Words that the call writes: 0 to FIXTURE_OUTPUTS. */
size_t request_results(enum request request, size_t n);

/** Words that it must write, by the serial reference. */
void request_expected(const struct fixture *f, enum request request, size_t n, uint32_t *words);

/** The plan of the call. */
clp_status request_plan(const struct fixture *f, clp_context *context, enum request request,
                        clp_schedule schedule, size_t n, clp_plan *plan);

/** Builds what the call needs. */
clp_status request_prewarm(clp_context *context, enum request request, clp_schedule schedule);

/** The call on the fixture's first n elements. */
clp_status request_call(const struct fixture *f, clp_context *context, cl_command_queue queue,
                        enum request request, clp_schedule schedule, size_t n, clp_buffer out,
                        const clp_workspace *workspace, cl_uint num_events, const cl_event *events,
                        cl_event *event);

#endif

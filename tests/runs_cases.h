/* SPDX-License-Identifier: Apache-2.0 */
/** @file runs_cases.h Run-length encoding and reduction by key against the serial reference: outputs, counts,
 * and what must not be written. */
#ifndef CLP_RUNS_CASES_H
#define CLP_RUNS_CASES_H

#include <clpatterns/clpatterns.h>
#include <stdbool.h>

/** What a test asks for: an encoding, or, with a type of elements, a reduction. */
struct runs_ask {
    const char *name;
    clp_type key, length, count;
    bool offsets;
    clp_type type;
    clp_op op;
    clp_type result;
};

enum { RUNS_NUM_GROUP_SIZES = 6 };

/**
 * Compares one ask at work-group size i % RUNS_NUM_GROUP_SIZES; the ask's number is i / RUNS_NUM_GROUP_SIZES.
 * Ask × shape × size is covered pairwise: each ask meets two sizes, one in each shape. Full: all. Lengths of
 * runs meet all small sizes and some large ones.
 */
void runs_compare_all(const struct runs_ask *ask, int i);

/** What main() returns: not green if nothing was compared. */
int runs_at_end(int failed);

#endif

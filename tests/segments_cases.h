/* SPDX-License-Identifier: Apache-2.0 */
/** @file segments_cases.h Layouts of segments, for the tests of all that takes offsets. */
#ifndef CLP_SEGMENTS_CASES_H
#define CLP_SEGMENTS_CASES_H

#include "harness.h"

enum { SEGMENTS_MAX_COUNT = 100000 };

/** Segments as a caller would give them: with ends, or with count + 1 offsets. */
struct segments_layout {
    size_t count;
    bool has_ends;
    uint64_t begins[SEGMENTS_MAX_COUNT + 1], ends[SEGMENTS_MAX_COUNT + 1];
};

/** SEGMENTS_GAPS and SEGMENTS_ANYWHERE, which have ends, overlap here and there. */
enum {
    SEGMENTS_EMPTY,
    SEGMENTS_ONE,
    SEGMENTS_TINY,
    SEGMENTS_MIXED,
    SEGMENTS_EDGES,
    SEGMENTS_HUGE_AMONG_TINY,
    SEGMENTS_DESCENDING,
    SEGMENTS_GAPS,
    SEGMENTS_ANYWHERE,
    SEGMENTS_NONE,
    SEGMENTS_NUM_LAYOUTS
};
extern const char *const segments_layout_names[SEGMENTS_NUM_LAYOUTS];

/** Lays segments of a kind over n elements. */
void segments_lay(struct segments_layout *layout, int kind, size_t n);

/** Begin and length of a segment, cut to the array. */
size_t segments_at(const struct segments_layout *layout, size_t k, size_t n, size_t *begin);

/**
 * Cuts segments of a layout with ends where they meet others, so that none share elements. Long ones give
 * way, so that they do not hide the others.
 */
void segments_separate(struct segments_layout *layout, size_t n);

/** Offsets as a buffer of 32 or 64 bits, from its element 1 on; exactly as many as are needed. */
cl_mem segments_index_buffer(clp_context *context, clp_type index, const uint64_t *offsets, size_t count);

#endif

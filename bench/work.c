/* SPDX-License-Identifier: Apache-2.0 */
/* How the cases part their elements. The layouts are part of the digests. */
#include "patterns.h"

#include <stdlib.h>

enum { VOCABULARY = 129280, SHORT_ROW = 1000, MANY = 1 << 20, LONGEST = 1000000, HALVINGS = 20 };

/* SplitMix64's finaliser: a number for each number. */
static uint64_t hash(uint64_t i) {
    i = (i + 1) * 0x9e3779b97f4a7c15;
    i = (i ^ i >> 30) * 0xbf58476d1ce4e5b9;
    i = (i ^ i >> 27) * 0x94d049bb133111eb;
    return i ^ i >> 31;
}

/* The wanted length of a segment: mixed ones are halved 0 to 20 times, so that each size is as likely as its
 * double. */
static size_t wanted_length(enum pattern_layout layout, size_t n, size_t segment) {
    const size_t longest = n < LONGEST ? n : LONGEST;
    const uint64_t h = hash(segment);
    if (layout == LAYOUT_SEGMENTS_100)
        return 100;
    return layout == LAYOUT_SEGMENTS_MIXED
               ? (size_t)(h >> 32) % (longest + 1) >> (h & 0xffffffff) % (HALVINGS + 1)
               : n;
}

/* Counts the segments of n elements and writes their offsets if there is where to. */
static size_t part(enum pattern_layout layout, size_t n, cl_uint *offsets) {
    size_t at = 0, segments = 0;
    while (at < n || (layout == LAYOUT_SEGMENT_ONE && segments == 0)) {
        const size_t wanted = wanted_length(layout, n, segments);
        if (offsets != NULL)
            offsets[segments] = (cl_uint)at;
        at += wanted < n - at ? wanted : n - at;
        segments++;
    }
    if (offsets != NULL)
        offsets[segments] = (cl_uint)n;
    return segments;
}

const char *work_make(struct pattern_work *work, const struct pattern_case *what, size_t n) {
    *work = (struct pattern_work){.what = what, .n = n, .parts = 1};
    if (what->layout == LAYOUT_WHOLE)
        return NULL;
    if (what->layout == LAYOUT_ROWS) {
        work->columns = n >= MANY ? VOCABULARY : SHORT_ROW;
        if (work->columns > n)
            work->columns = n;
        work->parts = n > 0 ? n / work->columns : 0;
        work->n = work->parts * work->columns;
        return NULL;
    }
    if (n > CL_UINT_MAX)
        return "its offsets have 32 bits";
    work->parts = part(what->layout, n, NULL);
    work->offsets = malloc((work->parts + 1) * sizeof *work->offsets);
    if (work->offsets == NULL)
        return "out of host memory";
    (void)part(what->layout, n, work->offsets);
    return NULL;
}

cl_int work_upload(struct pattern_work *work, cl_context context) {
    cl_int status = CL_SUCCESS;
    if (work->offsets != NULL && work->on_device == NULL)
        work->on_device = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                         (work->parts + 1) * sizeof *work->offsets, work->offsets, &status);
    return status;
}

void work_free(struct pattern_work *work) {
    if (work->on_device != NULL)
        clReleaseMemObject(work->on_device);
    free(work->offsets);
    *work = (struct pattern_work){0};
}

size_t work_begin(const struct pattern_work *work, size_t part) {
    if (work->offsets != NULL)
        return work->offsets[part];
    return work->columns > 0 ? part * work->columns : part * work->n;
}

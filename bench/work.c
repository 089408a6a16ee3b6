/* SPDX-License-Identifier: Apache-2.0 */
/* How the cases part their elements. The layouts are part of the digests. */
#include "patterns.h"
#include "peers/histogram_cases.h"

#include <stdlib.h>
#include <string.h>

enum { VOCABULARY = 129280, SHORT_ROW = 1000, MANY = 1 << 20, LONGEST = 1000000, HALVINGS = 20 };

/* SplitMix64's finaliser: a number for each number. */
static uint64_t hash(uint64_t i) {
    i = (i + 1) * 0x9e3779b97f4a7c15;
    i = (i ^ i >> 30) * 0xbf58476d1ce4e5b9;
    i = (i ^ i >> 27) * 0x94d049bb133111eb;
    return i ^ i >> 31;
}

/* The layout by offsets that parts the elements alike, and what tells the parts: flags, keys or the elements.
 */
static const struct {
    enum pattern_layout offsets;
    clp_type heads;
    bool runs;
} layouts[] = {
    [LAYOUT_SEGMENT_ONE] = {LAYOUT_SEGMENT_ONE, CLP_TYPE_INVALID, false},
    [LAYOUT_SEGMENTS_100] = {LAYOUT_SEGMENTS_100, CLP_TYPE_INVALID, false},
    [LAYOUT_SEGMENTS_MIXED] = {LAYOUT_SEGMENTS_MIXED, CLP_TYPE_INVALID, false},
    [LAYOUT_FLAGS_ONE] = {LAYOUT_SEGMENT_ONE, CLP_U8, false},
    [LAYOUT_FLAGS_100] = {LAYOUT_SEGMENTS_100, CLP_U8, false},
    [LAYOUT_FLAGS_MIXED] = {LAYOUT_SEGMENTS_MIXED, CLP_U8, false},
    [LAYOUT_KEYS_ONE] = {LAYOUT_SEGMENT_ONE, CLP_U32, false},
    [LAYOUT_KEYS_5] = {LAYOUT_RUNS_5, CLP_U32, false},
    [LAYOUT_KEYS_100] = {LAYOUT_SEGMENTS_100, CLP_U32, false},
    [LAYOUT_KEYS_MIXED] = {LAYOUT_SEGMENTS_MIXED, CLP_U32, false},
    [LAYOUT_FLAGS_HALF] = {LAYOUT_WHOLE, CLP_U8, false},
    [LAYOUT_RUNS_5] = {LAYOUT_RUNS_5, CLP_TYPE_INVALID, true},
    [LAYOUT_RUNS_100] = {LAYOUT_SEGMENTS_100, CLP_TYPE_INVALID, true},
    [LAYOUT_RUNS_MIXED] = {LAYOUT_SEGMENTS_MIXED, CLP_TYPE_INVALID, true},
    [LAYOUT_RUNS_ONE] = {LAYOUT_SEGMENT_ONE, CLP_TYPE_INVALID, true},
    [LAYOUT_ZEROS_90] = {LAYOUT_WHOLE, CLP_TYPE_INVALID, true},
    [LAYOUT_EDGES_512] = {LAYOUT_EDGES_512, CLP_TYPE_INVALID, false},
};

clp_type work_head_type(enum pattern_layout layout) {
    return layouts[layout].heads;
}

/* The wanted length of a segment: mixed ones are halved 0 to 20 times, so that each size is as likely as its
 * double. */
static size_t wanted_length(enum pattern_layout layout, size_t n, size_t segment) {
    const size_t longest = n < LONGEST ? n : LONGEST;
    const uint64_t h = hash(segment);
    if (layout == LAYOUT_SEGMENTS_100)
        return 100;
    if (layout == LAYOUT_RUNS_5)
        return 5;
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

/* Flags where segments begin, or each element's segment. @return NULL if there is no memory */
static void *make_heads(const struct pattern_work *work, clp_type type) {
    const size_t size = clp_type_size(type);
    void *heads = calloc(work->n + 1, size);
    if (heads != NULL && work->offsets == NULL)
        for (size_t i = 0; i < work->n; i++)
            ((cl_uchar *)heads)[i] = (cl_uchar)(hash(i) >> 63);
    for (size_t s = 0; heads != NULL && work->offsets != NULL && s < work->parts; s++)
        for (size_t i = work->offsets[s]; i < work->offsets[s + 1]; i++) {
            if (type == CLP_U8)
                ((cl_uchar *)heads)[i] = i == work->offsets[s];
            else
                ((cl_uint *)heads)[i] = (cl_uint)s;
        }
    return heads;
}

const char *work_make(struct pattern_work *work, const struct pattern_case *what, size_t n) {
    *work = (struct pattern_work){.what = what, .n = n, .parts = 1};
    if (what->layout == LAYOUT_WHOLE)
        return NULL;
    if (what->layout == LAYOUT_ROWS || what->layout == LAYOUT_ROWS_4096) {
        work->columns = what->layout == LAYOUT_ROWS_4096 ? 4096 : n >= MANY ? VOCABULARY : SHORT_ROW;
        if (work->columns > n)
            work->columns = n;
        work->parts = n > 0 ? n / work->columns : 0;
        work->n = work->parts * work->columns;
        return NULL;
    }
    if (what->layout == LAYOUT_EDGES_512) {
        work->parts = 512;
        work->offsets = malloc((work->parts + 1) * sizeof *work->offsets);
        for (size_t k = 0; work->offsets != NULL && k <= work->parts; k++)
            work->offsets[k] = histogram_edge(work->parts, k);
        return work->offsets != NULL ? NULL : "out of host memory";
    }
    if (n > CL_UINT_MAX)
        return "its offsets have 32 bits";
    const enum pattern_layout layout = layouts[what->layout].offsets;
    const clp_type head_type = work_head_type(what->layout);
    if (layout != LAYOUT_WHOLE) {
        work->parts = part(layout, n, NULL);
        work->offsets = malloc((work->parts + 1) * sizeof *work->offsets);
        if (work->offsets == NULL)
            return "out of host memory";
        (void)part(layout, n, work->offsets);
    }
    if (head_type != CLP_TYPE_INVALID && (work->heads = make_heads(work, head_type)) == NULL)
        return "out of host memory";
    return NULL;
}

bool work_has_runs(enum pattern_layout layout) {
    return layouts[layout].runs;
}

void work_make_runs(const struct pattern_work *work, void *in) {
    const size_t size = clp_type_size(work->what->type);
    char *elements = in;
    for (size_t i = 0; work->what->layout == LAYOUT_ZEROS_90 && i < work->n; i++)
        if (hash(i) % 10 != 0)
            memset(elements + i * size, 0, size);
    for (size_t s = 0; work->offsets != NULL && work_has_runs(work->what->layout) && s < work->parts; s++)
        for (size_t first = work->offsets[s], i = first + 1; i < work->offsets[s + 1]; i++)
            memcpy(elements + i * size, elements + first * size, size);
}

cl_int work_upload(struct pattern_work *work, cl_context context) {
    cl_int status = CL_SUCCESS;
    const enum pattern_layout layout = work->what->layout;
    if (work->offsets != NULL && work->on_device == NULL && work_head_type(layout) == CLP_TYPE_INVALID &&
        !work_has_runs(layout))
        work->on_device = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                         (work->parts + 1) * sizeof *work->offsets, work->offsets, &status);
    if (status == CL_SUCCESS && work->heads != NULL && work->heads_on_device == NULL)
        work->heads_on_device =
            clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                           (work->n + 1) * clp_type_size(work_head_type(layout)), work->heads, &status);
    return status;
}

void work_free(struct pattern_work *work) {
    if (work->on_device != NULL)
        clReleaseMemObject(work->on_device);
    if (work->heads_on_device != NULL)
        clReleaseMemObject(work->heads_on_device);
    free(work->offsets);
    free(work->heads);
    *work = (struct pattern_work){0};
}

size_t work_begin(const struct pattern_work *work, size_t part) {
    if (work->offsets != NULL)
        return work->offsets[part];
    return work->columns > 0 ? part * work->columns : part * work->n;
}

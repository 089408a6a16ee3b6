/* SPDX-License-Identifier: Apache-2.0 */
/** @file request.c See request.h. */
#include "request.h"
#include "reference.h"
#include <check.h>
#include <stdlib.h>
#include <string.h>

/* x → m·x + c in 16 bits; `a` is applied first. */
struct map {
    uint16_t m, c;
};

static const struct map unchanged = {1, 0};

static const clp_user maps = {.declarations = "typedef struct { ushort m, c; } map;\n"
                                              "map map_then(map a, map b)\n"
                                              "{\n"
                                              "    map r;\n"
                                              "    r.m = (ushort)((uint)a.m * b.m);\n"
                                              "    r.c = (ushort)((uint)a.c * b.m + b.c);\n"
                                              "    return r;\n"
                                              "}\n",
                              .type = "map",
                              .type_size = sizeof(struct map),
                              .op = "map_then(a, b)",
                              .identity = &unchanged};

static void then(const void *pa, const void *pb, void *result) {
    const struct map a = *(const struct map *)pa, b = *(const struct map *)pb;
    *(struct map *)result =
        (struct map){(uint16_t)((uint32_t)a.m * b.m), (uint16_t)((uint32_t)a.c * b.m + b.c)};
}

/* What is asked for of a reduction. A schedule is for those that have any. */
static clp_reduce_desc request_desc(enum request request, clp_schedule schedule) {
    switch (request) {
    case REQUEST_FAST:
        return (clp_reduce_desc){.type = CLP_U32, .op = CLP_SUM, .result = CLP_U32, .mode = CLP_REDUCE_FAST};
    case REQUEST_INDEX:
        return (clp_reduce_desc){.type = CLP_F32, .op = CLP_ARGMIN, .result = CLP_U32, .schedule = schedule};
    case REQUEST_MAPS:
        return (clp_reduce_desc){.type = CLP_USER, .op = CLP_OP_USER, .user = &maps, .schedule = schedule};
    case REQUEST_SEGMENTS:
        return fixture_sum(CLP_SCHEDULE_DEFAULT);
    default:
        return fixture_sum(schedule);
    }
}

static clp_scan_desc scan_desc(clp_schedule schedule) {
    return (clp_scan_desc){.type = CLP_F32, .op = CLP_SUM, .kind = CLP_SCAN_EXCLUSIVE, .schedule = schedule};
}

static clp_select_desc partition_desc(clp_schedule schedule) {
    /* Reductions have one more schedule. */
    return (clp_select_desc){.type = CLP_F32,
                             .where = "x > 0",
                             .count = CLP_U32,
                             .schedule = schedule != CLP_SCHEDULE_FUSED ? schedule : CLP_SCHEDULE_DEFAULT};
}

/* One word is for the count. */
static size_t parted(size_t n) {
    return n > 0 ? n - 1 : 0;
}

static void expected_partition(const float *data, size_t n, uint32_t *words) {
    unsigned char *flags = malloc(n + 1);
    ck_assert_ptr_nonnull(flags);
    for (size_t i = 0; i < n; i++)
        flags[i] = data[i] > 0;
    const size_t kept = ref_select(flags, n, sizeof(float), data, words);
    for (size_t i = 0; i < n; i++)
        flags[i] = !flags[i];
    ref_select(flags, n, sizeof(float), data, words + kept);
    words[n] = (uint32_t)kept;
    free(flags);
}

/* Keys are the elements themselves, so that nearly all runs have one. */
static const clp_reduce_by_key_desc by_key = {
    .key = CLP_F32, .type = CLP_F32, .op = CLP_SUM, .count = CLP_U32};

/* Sums and keys that fit. */
static size_t few(size_t n) {
    return n < 100 ? n : 100;
}

/* Eight bins, which some floats are outside of. */
static const clp_histogram_desc histogram = {
    .type = CLP_F32, .count = CLP_U32, .bins = {{.count = 8, .low.f = -2, .high.f = 3}}};

size_t request_results(enum request request, size_t n) {
    if (request == REQUEST_HISTOGRAM)
        return histogram.bins[0].count;
    if (request == REQUEST_BY_KEY)
        return 2 * few(n) + 1;
    return request == REQUEST_SCAN        ? n
           : request == REQUEST_PARTITION ? parted(n) + 1
           : request == REQUEST_SEGMENTS  ? FIXTURE_RESULTS
                                          : 1;
}

void request_expected(const struct fixture *f, enum request request, size_t n, uint32_t *words) {
    const clp_reduce_desc desc = request_desc(request, CLP_SCHEDULE_DEFAULT);
    const ref_user user = {.op = then};
    if (request == REQUEST_HISTOGRAM) {
        memset(words, 0, histogram.bins[0].count * sizeof(*words));
        ref_histogram(&histogram, NULL, f->data, NULL, n, words, NULL);
    } else if (request == REQUEST_BY_KEY) {
        const clp_scan_desc scan = {.type = CLP_F32, .op = CLP_SUM};
        uint32_t *unique = calloc(n + 1, sizeof(*unique)), *totals = calloc(n + 1, sizeof(*totals));
        ck_assert(unique && totals);
        words[2 * few(n)] = (uint32_t)ref_reduce_by_key(&scan, CLP_F32, f->data, f->data, n, unique, totals);
        memcpy(words, totals, few(n) * sizeof(*words));
        memcpy(words + few(n), unique, few(n) * sizeof(*words));
        free(unique), free(totals);
    } else if (request == REQUEST_SCAN) {
        const clp_scan_desc scan = scan_desc(CLP_SCHEDULE_DEFAULT);
        ref_scan(&scan, f->data, n, words);
    } else if (request == REQUEST_PARTITION) {
        expected_partition(f->data, parted(n), words);
    } else if (request == REQUEST_MAPS) {
        uint32_t result[4] = {0};
        ref_reduce_user(&desc, &user, f->data, NULL, n, result);
        words[0] = result[0];
    } else if (request == REQUEST_FAST) {
        words[0] = 0;
        for (size_t i = 0; i < n; i++) {
            uint32_t bits;
            memcpy(&bits, &f->data[i], sizeof(bits));
            words[0] += bits;
        }
    } else if (request == REQUEST_SEGMENTS) {
        for (int k = 0; k < FIXTURE_RESULTS; k++) {
            const size_t begin = fixture_offsets[k];
            const size_t end = fixture_offsets[k + 1] < n ? fixture_offsets[k + 1] : n;
            ref_reduce(&desc, f->data + begin, end > begin ? end - begin : 0, &words[k]);
        }
    } else {
        ref_reduce(&desc, f->data, n, words);
    }
}

static clp_segments segments_of(const struct fixture *f, size_t n) {
    return (clp_segments){.count = FIXTURE_RESULTS, .n = n, .offsets = {f->offsets, 0}};
}

clp_status request_plan(const struct fixture *f, clp_context *context, enum request request,
                        clp_schedule schedule, size_t n, clp_plan *plan) {
    const clp_reduce_desc desc = request_desc(request, schedule);
    const clp_segments segments = segments_of(f, n);
    const clp_scan_desc scan = scan_desc(schedule);
    const clp_select_desc partition = partition_desc(schedule);
    if (request == REQUEST_BY_KEY)
        return clp_reduce_by_key_plan(context, &by_key, n, plan);
    if (request == REQUEST_HISTOGRAM)
        return clp_histogram_plan(context, &histogram, n, plan);
    if (request == REQUEST_SCAN)
        return clp_scan_plan(context, &scan, n, plan);
    if (request == REQUEST_PARTITION)
        return clp_select_plan(context, &partition, parted(n), plan);
    return request == REQUEST_SEGMENTS ? clp_reduce_segments_plan(context, &desc, &segments, plan)
                                       : clp_reduce_plan(context, &desc, n, plan);
}

clp_status request_prewarm(clp_context *context, enum request request, clp_schedule schedule) {
    const clp_reduce_desc desc = request_desc(request, schedule);
    const clp_scan_desc scan = scan_desc(schedule);
    const clp_select_desc partition = partition_desc(schedule);
    if (request == REQUEST_PARTITION) /* those of a selection: partitions have none of their own to ask for */
        return clp_select_prewarm(context, &partition);
    if (request == REQUEST_BY_KEY)
        return clp_reduce_by_key_prewarm(context, &by_key);
    if (request == REQUEST_HISTOGRAM)
        return clp_histogram_prewarm(context, &histogram);
    return request == REQUEST_SCAN ? clp_scan_prewarm(context, &scan) : clp_reduce_prewarm(context, &desc);
}

clp_status request_call(const struct fixture *f, clp_context *context, cl_command_queue queue,
                        enum request request, clp_schedule schedule, size_t n, clp_buffer out,
                        const clp_workspace *workspace, cl_uint num_events, const cl_event *events,
                        cl_event *event) {
    const clp_reduce_desc desc = request_desc(request, schedule);
    const clp_buffer in = {f->in, 0}, none = {NULL, 0};
    const clp_segments segments = segments_of(f, n);
    if (request == REQUEST_BY_KEY) {
        const size_t room = few(n);
        return clp_reduce_by_key(context, queue, &by_key, in, in, (clp_buffer){out.mem, out.offset + room},
                                 out, room, (clp_buffer){out.mem, out.offset + 2 * room}, n, workspace,
                                 num_events, events, event);
    }
    if (request == REQUEST_HISTOGRAM)
        return clp_histogram(context, queue, &histogram, in, none, out, none, n, workspace, num_events,
                             events, event);
    if (request == REQUEST_SCAN) {
        const clp_scan_desc scan = scan_desc(schedule);
        return clp_scan(context, queue, &scan, in, out, n, workspace, num_events, events, event);
    }
    if (request == REQUEST_PARTITION) {
        const clp_select_desc partition = partition_desc(schedule);
        const clp_buffer count = {out.mem, out.offset + parted(n)};
        return clp_partition(context, queue, &partition, in, none, out, none, count, parted(n), workspace,
                             num_events, events, event);
    }
    if (request == REQUEST_SEGMENTS) {
        return clp_reduce_segments(context, queue, &desc, in, none, out, &segments, workspace, num_events,
                                   events, event);
    }
    return clp_reduce(context, queue, &desc, in, out, n, workspace, num_events, events, event);
}

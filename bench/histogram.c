/* SPDX-License-Identifier: Apache-2.0 */
/* What check and bench need of histogram. */
#include "patterns.h"
#include "peers/histogram_cases.h"
#include "reference.h"

#include <stdlib.h>
#include <string.h>

#define CASE(name, type, count, layout, benched)                                                             \
    { name, type, count, 0, 0, layout, benched }

/* The last field: benched without being asked for by name. */
static const struct pattern_case cases[] = {
    /* clang-format off */
    CASE("even_100", CLP_I8, CLP_U64, LAYOUT_WHOLE, false),
    CASE("bytes", CLP_U8, CLP_U32, LAYOUT_WHOLE, true),
    CASE("bytes_zeros_90", CLP_U8, CLP_U32, LAYOUT_ZEROS_90, true),
    CASE("bytes_runs_one", CLP_U8, CLP_U32, LAYOUT_RUNS_ONE, true),
    CASE("bytes_rows", CLP_U8, CLP_U64, LAYOUT_ROWS, false),
    CASE("even_300", CLP_I16, CLP_U32, LAYOUT_WHOLE, false),
    CASE("even_1000", CLP_I32, CLP_U64, LAYOUT_WHOLE, false),
    CASE("edges_512", CLP_U32, CLP_U32, LAYOUT_EDGES_512, true),
    CASE("even_1000", CLP_U64, CLP_U32, LAYOUT_WHOLE, false),
    CASE("even_100", CLP_F16, CLP_U64, LAYOUT_WHOLE, false),
    CASE("even_50", CLP_BF16, CLP_U32, LAYOUT_WHOLE, false),
    CASE("even_1024", CLP_F32, CLP_U32, LAYOUT_WHOLE, true),
    CASE("even_65536", CLP_F32, CLP_U32, LAYOUT_WHOLE, true),
    CASE("even_100_weights", CLP_F32, CLP_U64, LAYOUT_KEYS_5, false),
    CASE("even_1000_rows", CLP_F64, CLP_U32, LAYOUT_ROWS_4096, false),
    /* clang-format on */
};

static clp_histogram_desc describe(const struct pattern_work *work) {
    const struct pattern_case *what = work->what;
    clp_histogram_desc desc = {
        .type = what->type, .count = what->result, .weight = work_head_type(what->layout)};
    desc.bins[0].count = histogram_bins(what->name);
    desc.bins[0].edges.mem =
        work->offsets != NULL && what->layout == LAYOUT_EDGES_512 ? work->on_device : NULL;
    if (what->type >= CLP_F16)
        desc.bins[0].low.f = HISTOGRAM_LOW, desc.bins[0].high.f = HISTOGRAM_HIGH;
    return desc;
}

static bool by_rows(const struct pattern_work *work) {
    return work->what->layout == LAYOUT_ROWS || work->what->layout == LAYOUT_ROWS_4096;
}

static size_t output_count(const struct pattern_work *work) {
    return histogram_bins(work->what->name) * (by_rows(work) ? work->parts : 1);
}

static size_t usual_size(const struct pattern_case *what, bool cpu) {
    (void)what, (void)cpu;
    return 0;
}

static bool has_schedule(const struct pattern_case *what, clp_schedule schedule) {
    (void)what;
    return schedule == CLP_SCHEDULE_DEFAULT;
}

static clp_status cost(const struct pattern_work *work, clp_cost *the_cost) {
    clp_histogram_desc desc = describe(work);
    if (work->what->layout == LAYOUT_EDGES_512) /* edges, wherever they are: nobody looks into them */
        desc.bins[0].edges.mem = (cl_mem)(void *)work->offsets;
    const clp_status status = clp_histogram_cost(&desc, work->n, the_cost);
    if (status == CLP_SUCCESS) /* the other rows' counts */
        the_cost->bytes += ((double)output_count(work) - (double)desc.bins[0].count) *
                           (double)clp_type_size(work->what->result);
    return status;
}

static void reference(const struct pattern_work *work, const void *in, void *out) {
    const clp_histogram_desc desc = describe(work);
    const size_t rows = by_rows(work) ? work->parts : 1, columns = by_rows(work) ? work->columns : work->n;
    const size_t size = clp_type_size(work->what->type),
                 row = desc.bins[0].count * clp_type_size(work->what->result);
    const void *const edges[] = {work->what->layout == LAYOUT_EDGES_512 ? work->offsets : NULL};
    memset(out, 0, rows * row);
    for (size_t r = 0; r < rows; r++)
        ref_histogram(&desc, edges, (const char *)in + r * columns * size, work->heads, columns,
                      (char *)out + r * row, NULL);
}

static clp_status plan(const struct pattern_call *call, clp_plan *the_plan) {
    const clp_histogram_desc desc = describe(call->work);
    return clp_histogram_plan(call->context, &desc, call->work->n, the_plan);
}

static clp_status enqueue(const struct pattern_call *call, cl_event *event) {
    const struct pattern_work *work = call->work;
    const clp_histogram_desc desc = describe(work);
    const clp_buffer weights = {work->heads_on_device, 0}, outside = {NULL, 0};
    const clp_rows rows = {.count = work->parts, .columns = work->columns};
    return by_rows(work) ? clp_histogram_rows(call->context, call->queue, &desc, call->in, weights, call->out,
                                              outside, &rows, NULL, 0, NULL, event)
                         : clp_histogram(call->context, call->queue, &desc, call->in, weights, call->out,
                                         outside, work->n, NULL, 0, NULL, event);
}

static bool exact(const struct pattern_case *what) {
    (void)what;
    return true;
}

/* Peers find bins of floats by arithmetic alone, in float, and some count in floats: samples near an edge may
 * be misplaced, the more the narrower the bins are. Each is then one too many and one too few. */
static bool near_enough(const struct pattern_work *work, const void *in, const void *expected,
                        const void *got) {
    const size_t size = clp_type_size(work->what->result), count = output_count(work);
    uint64_t misplaced = 0;
    (void)in;
    if (memcmp(expected, got, count * size) == 0)
        return true;
    for (size_t i = 0; i < count; i++) {
        uint64_t right = 0, other = 0;
        memcpy(&right, (const char *)expected + i * size, size);
        memcpy(&other, (const char *)got + i * size, size);
        misplaced += right > other ? right - other : other - right;
    }
    const double near_edges = (double)count * 0x1p-22 + 1e-4;
    return work->what->type >= CLP_F16 && (double)misplaced <= 2 * (2 + (double)work->n * near_edges);
}

extern int histogram_run(struct program *program, int argc, char **argv);
extern const struct peer *const peers_histogram[];
extern const struct pattern pattern_histogram;

const struct pattern pattern_histogram = {
    .name = "histogram",
    .summary = "how many elements fall into each bin",
    .limit = LIMIT_READ,
    .cases = cases,
    .case_count = sizeof cases / sizeof *cases,
    .output_count = output_count,
    .usual_size = usual_size,
    .has_schedule = has_schedule,
    .cost = cost,
    .reference = reference,
    .plan = plan,
    .enqueue = enqueue,
    .run = histogram_run,
    .exact = exact,
    .near_enough = near_enough,
    .peers = peers_histogram,
};

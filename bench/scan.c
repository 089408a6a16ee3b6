/* SPDX-License-Identifier: Apache-2.0 */
/* What check and bench need of scan. */
#include "scan.h"
#include "patterns.h"
#include "reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* operation: the operator, and this for exclusive scans. */
enum { EXCLUSIVE = 256 };
#define INC(name, type, result, op, benched)                                                                 \
    { name, type, result, op, 0, LAYOUT_WHOLE, benched }
#define PARTED(name, type, result, op, layout, benched)                                                      \
    { name, type, result, op, 0, layout, benched }
#define EXC(name, type, result, op, benched)                                                                 \
    { "exclusive_" name, type, result, (op) + EXCLUSIVE, 0, LAYOUT_WHOLE, benched }

/* The fifth field: benched without being asked for by name. */
static const struct pattern_case cases[] = {
    /* clang-format off */
    INC("sum", CLP_I8, CLP_I8, CLP_SUM, false),
    EXC("sum", CLP_U8, CLP_U32, CLP_SUM, false),
    EXC("min", CLP_U16, CLP_U16, CLP_MIN, false),
    INC("sum", CLP_I32, CLP_I32, CLP_SUM, false),
    INC("sum", CLP_I32, CLP_I64, CLP_SUM, false),
    PARTED("max_keys_mixed", CLP_I32, CLP_I32, CLP_MAX, LAYOUT_KEYS_MIXED, false),
    EXC("sum", CLP_U32, CLP_U32, CLP_SUM, true),
    INC("xor", CLP_U32, CLP_U32, CLP_XOR, false),
    PARTED("exclusive_sum_rows_4096", CLP_U32, CLP_U32, CLP_SUM + EXCLUSIVE, LAYOUT_ROWS_4096, true),
    PARTED("exclusive_sum_segments_mixed", CLP_U32, CLP_U64, CLP_SUM + EXCLUSIVE, LAYOUT_SEGMENTS_MIXED, false),
    EXC("sum", CLP_U64, CLP_U64, CLP_SUM, false),
    INC("sum", CLP_F16, CLP_F16, CLP_SUM, false),
    INC("max", CLP_BF16, CLP_BF16, CLP_MAX, false),
    INC("sum", CLP_F32, CLP_F32, CLP_SUM, true),
    INC("max", CLP_F32, CLP_F32, CLP_MAX, false),
    PARTED("sum_rows_4096", CLP_F32, CLP_F32, CLP_SUM, LAYOUT_ROWS_4096, true),
    PARTED("sum_segments_one", CLP_F32, CLP_F32, CLP_SUM, LAYOUT_SEGMENT_ONE, false),
    PARTED("sum_segments_100", CLP_F32, CLP_F32, CLP_SUM, LAYOUT_SEGMENTS_100, true),
    PARTED("sum_segments_mixed", CLP_F32, CLP_F32, CLP_SUM, LAYOUT_SEGMENTS_MIXED, true),
    PARTED("sum_flags_one", CLP_F32, CLP_F32, CLP_SUM, LAYOUT_FLAGS_ONE, false),
    PARTED("sum_flags_100", CLP_F32, CLP_F32, CLP_SUM, LAYOUT_FLAGS_100, true),
    PARTED("sum_flags_mixed", CLP_F32, CLP_F32, CLP_SUM, LAYOUT_FLAGS_MIXED, false),
    PARTED("sum_keys_100", CLP_F32, CLP_F32, CLP_SUM, LAYOUT_KEYS_100, false),
    INC("sum", CLP_F64, CLP_F64, CLP_SUM, false),
    PARTED("exclusive_sum_flags_mixed", CLP_F64, CLP_F64, CLP_SUM + EXCLUSIVE, LAYOUT_FLAGS_MIXED, false),
    /* clang-format on */
};

static clp_scan_desc describe(const struct pattern_case *what, clp_schedule schedule) {
    return (clp_scan_desc){.type = what->type,
                           .op = (clp_op)(what->operation % EXCLUSIVE),
                           .result = what->result,
                           .kind = what->operation >= EXCLUSIVE ? CLP_SCAN_EXCLUSIVE : CLP_SCAN_INCLUSIVE,
                           .schedule = schedule};
}

static enum scan_parts parts_of(const struct pattern_case *what) {
    if (what->layout == LAYOUT_WHOLE)
        return SCAN_WHOLE;
    if (what->layout < LAYOUT_SEGMENT_ONE)
        return SCAN_ROWS;
    if (what->layout < LAYOUT_FLAGS_ONE)
        return SCAN_SEGMENTS;
    return what->layout < LAYOUT_KEYS_ONE ? SCAN_FLAGS : SCAN_KEYS;
}

static struct scan_job job_of(const struct pattern_work *work) {
    const enum scan_parts parts = parts_of(work->what);
    return (struct scan_job){.parts = parts,
                             .by = {parts == SCAN_SEGMENTS ? work->on_device : work->heads_on_device, 0},
                             .by_type = parts == SCAN_SEGMENTS ? CLP_U32 : work_head_type(work->what->layout),
                             .n = work->n,
                             .count = work->parts};
}

static size_t output_count(const struct pattern_work *work) {
    return work->n;
}

/* On CPUs less than the usual: outputs are as many as the elements, and each has its serial reference. */
static size_t usual_size(const struct pattern_case *what, bool cpu) {
    return cpu ? 1 << 24 : what->layout == LAYOUT_SEGMENTS_100 ? 100000000 : 0;
}

/*
 * The kernels of levels are those of single and two more, so they are checked where they matter most.
 * Segments have one schedule, which is the library's choice.
 */
static bool has_schedule(const struct pattern_case *what, clp_schedule schedule) {
    const enum scan_parts parts = parts_of(what);
    const bool integer = what->type < CLP_F16;
    switch (schedule) {
    case CLP_SCHEDULE_DEFAULT:
        return parts == SCAN_SEGMENTS;
    case CLP_SCHEDULE_SINGLE:
        return parts != SCAN_SEGMENTS;
    case CLP_SCHEDULE_LEVELS:
        return parts != SCAN_SEGMENTS && (what->benched || what->type == CLP_F32);
    case CLP_SCHEDULE_ONE_PASS:
        return parts == SCAN_WHOLE && what->benched;
    case CLP_SCHEDULE_HILLIS_STEELE:
        return what->layout == LAYOUT_ROWS_4096;
    case CLP_SCHEDULE_BLELLOCH:
        return what->layout == LAYOUT_ROWS_4096 && integer;
    default:
        return false;
    }
}

static clp_status cost(const struct pattern_work *work, clp_cost *the_cost) {
    const clp_scan_desc desc = describe(work->what, CLP_SCHEDULE_DEFAULT);
    const struct scan_job job = job_of(work);
    return scan_job_cost(&desc, &job, the_cost);
}

static void reference(const struct pattern_work *work, const void *in, void *out) {
    const clp_scan_desc desc = describe(work->what, CLP_SCHEDULE_DEFAULT);
    const size_t size = clp_type_size(work->what->type), result_size = clp_type_size(work->what->result);
    if (parts_of(work->what) < SCAN_FLAGS) {
        for (size_t p = 0; p < work->parts; p++) {
            const size_t begin = work_begin(work, p), end = work_begin(work, p + 1);
            ref_scan(&desc, (const char *)in + begin * size, end - begin, (char *)out + begin * result_size);
        }
        return;
    }
    uint8_t *flags = malloc(work->n + 1);
    if (flags != NULL && parts_of(work->what) == SCAN_KEYS)
        ref_flags_of_keys(work_head_type(work->what->layout), work->heads, work->n, flags);
    else if (flags != NULL)
        memcpy(flags, work->heads, work->n);
    else
        memset(out, 0, work->n * result_size); /* what comes out is reported as wrong */
    if (flags != NULL)
        ref_scan_by_flags(&desc, NULL, in, flags, work->n, out);
    free(flags);
}

static clp_status plan(const struct pattern_call *call, clp_plan *the_plan) {
    const clp_scan_desc desc = describe(call->work->what, call->schedule);
    const struct scan_job job = job_of(call->work);
    return scan_plan(call->context, &desc, &job, the_plan);
}

static clp_status enqueue(const struct pattern_call *call, cl_event *event) {
    const clp_scan_desc desc = describe(call->work->what, call->schedule);
    struct scan_job job = job_of(call->work);
    job.in = call->in;
    job.out = call->out;
    return scan_call(call->context, call->queue, &desc, &job, event);
}

/* ---- the library's calls --------------------------------------------------------------------------------
 */

static clp_rows rows_of(const struct scan_job *job) {
    return (clp_rows){.count = job->count, .columns = job->count ? job->n / job->count : 0};
}

static clp_segments segments_of(const struct scan_job *job) {
    return (clp_segments){.count = job->count, .n = job->n, .index = job->by_type, .offsets = job->by};
}

clp_status scan_plan(clp_context *context, const clp_scan_desc *desc, const struct scan_job *job,
                     clp_plan *the_plan) {
    const clp_rows rows = rows_of(job);
    const clp_segments segments = segments_of(job);
    switch (job->parts) {
    case SCAN_ROWS:
        return clp_scan_rows_plan(context, desc, &rows, the_plan);
    case SCAN_SEGMENTS:
        return clp_scan_segments_plan(context, desc, &segments, the_plan);
    case SCAN_FLAGS:
        return clp_scan_heads_plan(context, desc, CLP_TYPE_INVALID, job->n, the_plan);
    case SCAN_KEYS:
        return clp_scan_heads_plan(context, desc, job->by_type, job->n, the_plan);
    default:
        return clp_scan_plan(context, desc, job->n, the_plan);
    }
}

clp_status scan_call(clp_context *context, cl_command_queue queue, const clp_scan_desc *desc,
                     const struct scan_job *job, cl_event *event) {
    const clp_rows rows = rows_of(job);
    const clp_segments segments = segments_of(job);
    switch (job->parts) {
    case SCAN_ROWS:
        return clp_scan_rows(context, queue, desc, job->in, job->out, &rows, NULL, 0, NULL, event);
    case SCAN_SEGMENTS:
        return clp_scan_segments(context, queue, desc, job->in, job->out, &segments, NULL, 0, NULL, event);
    case SCAN_FLAGS:
        return clp_scan_by_flags(context, queue, desc, job->in, job->by, job->out, job->n, NULL, 0, NULL,
                                 event);
    case SCAN_KEYS:
        return clp_scan_by_key(context, queue, desc, job->in, job->by, job->by_type, job->out, job->n, NULL,
                               0, NULL, event);
    default:
        return clp_scan(context, queue, desc, job->in, job->out, job->n, NULL, 0, NULL, event);
    }
}

clp_status scan_job_cost(const clp_scan_desc *desc, const struct scan_job *job, clp_cost *the_cost) {
    const clp_segments segments = segments_of(job);
    clp_status status;
    switch (job->parts) {
    case SCAN_ROWS: /* rows go on side by side */
        status = clp_scan_cost(desc, job->count ? job->n / job->count : 0, the_cost);
        the_cost->bytes *= (double)job->count;
        the_cost->work *= (double)job->count;
        the_cost->serial_work = the_cost->serial_span *= (double)job->count;
        return status;
    case SCAN_SEGMENTS:
        return clp_scan_segments_cost(desc, &segments, the_cost);
    case SCAN_FLAGS:
        return clp_scan_heads_cost(desc, CLP_TYPE_INVALID, job->n, the_cost);
    case SCAN_KEYS:
        return clp_scan_heads_cost(desc, job->by_type, job->n, the_cost);
    default:
        return clp_scan_cost(desc, job->n, the_cost);
    }
}

/* ---- verdicts -------------------------------------------------------------------------------------------
 */

static bool exact(const struct pattern_case *what) {
    (void)what;
    return true;
}

/* Integers, minima and maxima must be exact. A prefix of floats in an order we do not know may differ by
 * u · sqrt(i) · Σ|x|, u half an ulp of 1; 16-bit floats are not judged that finely. */
static bool near_enough(const struct pattern_work *work, const void *in, const void *expected,
                        const void *got) {
    const struct pattern_case *what = work->what;
    const size_t n = work->n;
    double sum = 0;
    if (what->operation % EXCLUSIVE != CLP_SUM || what->type < CLP_F32)
        return memcmp(expected, got, n * clp_type_size(what->result)) == 0;
    for (size_t i = 0; i < n; i++) {
        const bool wide = what->type == CLP_F64;
        const double x = wide ? ((const double *)in)[i] : (double)((const float *)in)[i];
        const double a = wide ? ((const double *)expected)[i] : (double)((const float *)expected)[i];
        const double b = wide ? ((const double *)got)[i] : (double)((const float *)got)[i];
        sum += fabs(x);
        if (!(fabs(a - b) <= (wide ? 0x1p-53 : 0x1p-24) * sqrt((double)(i + 1)) * sum))
            return false;
    }
    return true;
}

extern int scan_run(struct program *program, int argc, char **argv);
extern const struct peer *const peers_scan[];
extern const struct pattern pattern_scan;

const struct pattern pattern_scan = {
    .name = "scan",
    .summary =
        "at each position all elements up to it: sum, min, max; rows, segments by offsets, flags, keys",
    .limit = LIMIT_COPY,
    .cases = cases,
    .case_count = sizeof cases / sizeof *cases,
    .output_count = output_count,
    .usual_size = usual_size,
    .has_schedule = has_schedule,
    .cost = cost,
    .reference = reference,
    .plan = plan,
    .enqueue = enqueue,
    .run = scan_run,
    .exact = exact,
    .near_enough = near_enough,
    .peers = peers_scan,
};

/* SPDX-License-Identifier: Apache-2.0 */
/* What check and bench need of reduce. */
#include "reduce_cases.h"
#include "reference.h"
#include "value.h"

#include <math.h>
#include <string.h>

static clp_reduce_desc describe(const struct pattern_case *what, clp_schedule schedule) {
    return (clp_reduce_desc){.type = what->type,
                             .op = (clp_op)what->operation,
                             .result = what->result,
                             .mode = (clp_reduce_mode)what->mode,
                             .schedule = schedule};
}

static clp_rows rows_of(const struct pattern_work *work) {
    return (clp_rows){.count = work->parts, .columns = work->columns};
}

static clp_segments segments_of(const struct pattern_work *work) {
    return (clp_segments){
        .count = work->parts, .n = work->n, .index = CLP_U32, .offsets = {work->on_device, 0}};
}

static size_t output_count(const struct pattern_work *work) {
    return work->parts;
}

/* A batch of prompts' logits; a million of short segments. */
static size_t usual_size(const struct pattern_case *what, bool cpu) {
    if (what->layout == LAYOUT_ROWS)
        return (size_t)(cpu ? 64 : 512) * 129280;
    return what->layout == LAYOUT_SEGMENTS_100 && !cpu ? 100000000 : 0;
}

/* Levels are for one row; segments and the fast mode have one schedule, which is the library's choice. */
static bool has_schedule(const struct pattern_case *what, clp_schedule schedule) {
    if (what->layout >= LAYOUT_SEGMENT_ONE || what->mode == CLP_REDUCE_FAST)
        return schedule == CLP_SCHEDULE_DEFAULT;
    return schedule != CLP_SCHEDULE_DEFAULT && schedule <= CLP_SCHEDULE_SINGLE &&
           (what->layout == LAYOUT_WHOLE || schedule != CLP_SCHEDULE_LEVELS);
}

static clp_status cost(const struct pattern_work *work, clp_cost *the_cost) {
    const clp_reduce_desc desc = describe(work->what, CLP_SCHEDULE_DEFAULT);
    const clp_rows rows = rows_of(work);
    const clp_segments segments = segments_of(work);
    if (work->what->layout == LAYOUT_WHOLE)
        return clp_reduce_cost(&desc, work->n, the_cost);
    return work->what->layout == LAYOUT_ROWS ? clp_reduce_rows_cost(&desc, &rows, the_cost)
                                             : clp_reduce_segments_cost(&desc, &segments, the_cost);
}

static void reference(const struct pattern_work *work, const void *in, void *out) {
    const clp_reduce_desc desc = describe(work->what, CLP_SCHEDULE_DEFAULT);
    const size_t size = clp_type_size(work->what->type), result_size = clp_type_size(work->what->result);
    for (size_t p = 0; p < work->parts; p++) {
        const size_t begin = work_begin(work, p), end = work_begin(work, p + 1);
        ref_reduce(&desc, (const char *)in + begin * size, end - begin, (char *)out + p * result_size);
    }
}

static clp_status plan(const struct pattern_call *call, clp_plan *the_plan) {
    const struct pattern_work *work = call->work;
    const clp_reduce_desc desc = describe(work->what, call->schedule);
    const clp_rows rows = rows_of(work);
    const clp_segments segments = segments_of(work);
    if (work->what->layout == LAYOUT_WHOLE)
        return clp_reduce_plan(call->context, &desc, work->n, the_plan);
    return work->what->layout == LAYOUT_ROWS
               ? clp_reduce_rows_plan(call->context, &desc, &rows, the_plan)
               : clp_reduce_segments_plan(call->context, &desc, &segments, the_plan);
}

static clp_status enqueue(const struct pattern_call *call, cl_event *event) {
    const struct pattern_work *work = call->work;
    const clp_reduce_desc desc = describe(work->what, call->schedule);
    const clp_rows rows = rows_of(work);
    const clp_segments segments = segments_of(work);
    const clp_buffer no_second = {NULL, 0};
    if (work->what->layout == LAYOUT_WHOLE)
        return clp_reduce(call->context, call->queue, &desc, call->in, call->out, work->n, NULL, 0, NULL,
                          event);
    return work->what->layout == LAYOUT_ROWS
               ? clp_reduce_rows(call->context, call->queue, &desc, call->in, no_second, call->out, &rows,
                                 NULL, 0, NULL, event)
               : clp_reduce_segments(call->context, call->queue, &desc, call->in, no_second, call->out,
                                     &segments, NULL, 0, NULL, event);
}

/* The fast mode adds floats in no fixed order. */
static bool exact(const struct pattern_case *what) {
    return what->mode != CLP_REDUCE_FAST || what->operation != CLP_SUM || what->type < CLP_F16;
}

/*
 * Sums of floats in an order we do not know may differ by u · sqrt(n) · Σ|x|, u half an ulp of 1: a serial
 * loop of random signs stays well within. Where the fast mode adds elements that are alike, rounding has a
 * bias, but no chain of its additions is longer than n. A mean is that divided by n, and rounded.
 */
static bool sum_is_near(const struct pattern_case *what, const void *in, size_t begin, size_t end,
                        double expected, double got) {
    const double n = (double)(end - begin), unit = what->result == CLP_F64 ? 0x1p-53 : 0x1p-24;
    double sum = 0, factor = sqrt(n);
    if (what->mode == CLP_REDUCE_FAST)
        factor = fmin(n, 64 + 8 * factor);
    if (isnan(expected) || isinf(expected))
        return isnan(expected) ? isnan(got) : got == expected;
    for (size_t i = begin; i < end; i++)
        sum += fabs(value_of(what->type, in, i));
    if (what->operation == CLP_MEAN && n > 0)
        sum = sum / n * (1 + 1 / factor);
    return fabs(expected - got) <= unit * factor * sum;
}

/* Any of several extreme elements will do. */
static bool index_is_near(const struct pattern_case *what, const void *in, size_t begin, size_t end,
                          const void *expected, const void *got) {
    const size_t size = clp_type_size(what->type);
    uint64_t right = 0, index = 0;
    memcpy(&right, expected, clp_type_size(what->result));
    memcpy(&index, got, clp_type_size(what->result));
    return index == right || (index < end - begin && right < end - begin &&
                              memcmp((const char *)in + (begin + index) * size,
                                     (const char *)in + (begin + right) * size, size) == 0);
}

/* Integers, minima and maxima must be exact. */
static bool near_enough(const struct pattern_work *work, const void *in, const void *expected,
                        const void *got) {
    const struct pattern_case *what = work->what;
    const size_t size = clp_type_size(what->result);
    const bool index = what->operation == CLP_ARGMIN || what->operation == CLP_ARGMAX;
    const bool sum = (what->operation == CLP_SUM || what->operation == CLP_MEAN) && what->result >= CLP_F16;
    for (size_t p = 0; p < work->parts; p++) {
        const char *right = (const char *)expected + p * size, *value = (const char *)got + p * size;
        const size_t begin = work_begin(work, p), end = work_begin(work, p + 1);
        if (index ? !index_is_near(what, in, begin, end, right, value)
            : sum ? !sum_is_near(what, in, begin, end, value_of(what->result, right, 0),
                                 value_of(what->result, value, 0))
                  : memcmp(right, value, size) != 0)
            return false;
    }
    return true;
}

extern int reduce_run(struct program *program, int argc, char **argv);
extern const struct peer *const peers_reduce[];
extern const struct pattern pattern_reduce;

const struct pattern pattern_reduce = {
    .name = "reduce",
    .summary = "many elements to one: sum, max, argmax, mean, dot, …; rows and segments",
    .limit = LIMIT_READ,
    .cases = reduce_cases,
    .case_count = sizeof reduce_cases / sizeof *reduce_cases,
    .output_count = output_count,
    .usual_size = usual_size,
    .has_schedule = has_schedule,
    .cost = cost,
    .reference = reference,
    .plan = plan,
    .enqueue = enqueue,
    .run = reduce_run,
    .exact = exact,
    .near_enough = near_enough,
    .peers = peers_reduce,
};

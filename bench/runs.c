/* SPDX-License-Identifier: Apache-2.0 */
/* What check and bench need of runs: run-length encoding and reduction by key. */
#include "patterns.h"
#include "reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* operation: an operator for reductions by key, or one of these. */
enum { LENGTHS = 1000, OFFSETS };

/* The last field: benched without being asked for by name. Values are no longer than what goes with them. */
static const struct pattern_case cases[] = {
    /* clang-format off */
    {"rle_runs_5", CLP_U8, CLP_U64, LENGTHS, 0, LAYOUT_RUNS_5, false},
    {"rle_runs_5", CLP_U32, CLP_U32, LENGTHS, 0, LAYOUT_RUNS_5, true},
    {"rle", CLP_F32, CLP_U32, LENGTHS, 0, LAYOUT_WHOLE, true},
    {"rle_runs_5", CLP_F32, CLP_U32, LENGTHS, 0, LAYOUT_RUNS_5, true},
    {"rle_runs_100", CLP_F32, CLP_U32, LENGTHS, 0, LAYOUT_RUNS_100, true},
    {"rle_runs_mixed", CLP_F32, CLP_U32, LENGTHS, 0, LAYOUT_RUNS_MIXED, true},
    {"rle_runs_one", CLP_F32, CLP_U32, LENGTHS, 0, LAYOUT_RUNS_ONE, true},
    {"offsets_runs_5", CLP_F32, CLP_U32, OFFSETS, 0, LAYOUT_RUNS_5, false},
    {"sum_keys_5", CLP_F32, CLP_F32, CLP_SUM, 0, LAYOUT_KEYS_5, true},
    {"sum_keys_100", CLP_F32, CLP_F32, CLP_SUM, 0, LAYOUT_KEYS_100, true},
    {"sum_keys_mixed", CLP_F32, CLP_F32, CLP_SUM, 0, LAYOUT_KEYS_MIXED, true},
    {"sum_keys_one", CLP_F32, CLP_F32, CLP_SUM, 0, LAYOUT_KEYS_ONE, true},
    /* clang-format on */
};

static bool by_key(const struct pattern_case *what) {
    return what->operation < LENGTHS;
}

/* What is compared: elements, or the keys beside them. */
static clp_type value_type(const struct pattern_case *what) {
    return by_key(what) ? work_head_type(what->layout) : what->type;
}

static clp_run_length_desc describe_lengths(const struct pattern_case *what, clp_schedule schedule) {
    return (clp_run_length_desc){.type = what->type, .length = what->result, .schedule = schedule};
}

static clp_reduce_by_key_desc describe_totals(const struct pattern_case *what) {
    return (clp_reduce_by_key_desc){
        .key = value_type(what), .type = what->type, .op = (clp_op)what->operation, .result = what->result};
}

/* The outputs are, one behind the other: lengths or totals; offsets, if wanted; values. Each has room for n,
 * the values in elements of the others' type. */
static size_t values_begin(const struct pattern_work *work) {
    return work->n * (work->what->operation == OFFSETS ? 2 : 1);
}

static size_t output_count(const struct pattern_work *work) {
    const size_t unit = clp_type_size(work->what->result), size = clp_type_size(value_type(work->what));
    return values_begin(work) + (work->n * size + unit - 1) / unit;
}

static size_t usual_size(const struct pattern_case *what, bool cpu) {
    (void)what, (void)cpu;
    return 0;
}

static bool has_schedule(const struct pattern_case *what, clp_schedule schedule) {
    return schedule == CLP_SCHEDULE_DEFAULT ||
           (!by_key(what) && (schedule == CLP_SCHEDULE_LEVELS || schedule == CLP_SCHEDULE_ONE_PASS));
}

/* Parts may be empty; without any, neighbours differ. */
static size_t expected_count(const struct pattern_work *work) {
    size_t runs = 0;
    if (work->offsets == NULL)
        return work->n;
    for (size_t p = 0; p < work->parts; p++)
        runs += work->offsets[p] < work->offsets[p + 1];
    return runs;
}

static clp_status cost(const struct pattern_work *work, clp_cost *the_cost) {
    const clp_run_length_desc lengths = describe_lengths(work->what, CLP_SCHEDULE_DEFAULT);
    const clp_reduce_by_key_desc totals = describe_totals(work->what);
    return by_key(work->what) ? clp_reduce_by_key_cost(&totals, work->n, expected_count(work), the_cost)
                              : clp_run_length_cost(&lengths, work->n, expected_count(work),
                                                    work->what->operation == OFFSETS, the_cost);
}

/* Writes numbers of 64 bits as lengths. */
static void write_numbers(clp_type type, const uint64_t *numbers, size_t count, unsigned char *out) {
    const size_t size = clp_type_size(type);
    for (size_t i = 0; i < count; i++) {
        const uint32_t narrow = (uint32_t)numbers[i];
        memcpy(out + i * size, type == CLP_U32 ? (const void *)&narrow : &numbers[i], size);
    }
}

static void reference(const struct pattern_work *work, const void *in, void *out) {
    const struct pattern_case *what = work->what;
    const size_t n = work->n, size = clp_type_size(what->result);
    unsigned char *outputs = out, *values = outputs + values_begin(work) * size;
    uint64_t runs = 0;
    if (by_key(what)) {
        const clp_scan_desc desc = {
            .type = what->type, .op = (clp_op)what->operation, .result = what->result};
        runs = ref_reduce_by_key(&desc, value_type(what), work->heads, in, n, values, outputs);
    } else {
        uint64_t *lengths = malloc((2 * n + 1) * sizeof *lengths);
        if (lengths != NULL) { /* else what comes out is reported as wrong */
            runs = ref_run_length_encode(what->type, in, n, values, lengths, lengths + n);
            write_numbers(what->result, lengths, (size_t)runs, outputs);
            if (what->operation == OFFSETS)
                write_numbers(what->result, lengths + n, (size_t)runs, outputs + n * size);
        }
        free(lengths);
    }
    memcpy(outputs + output_count(work) * size, &runs, sizeof runs);
}

static clp_status plan(const struct pattern_call *call, clp_plan *the_plan) {
    const struct pattern_work *work = call->work;
    const clp_run_length_desc lengths = describe_lengths(work->what, call->schedule);
    const clp_reduce_by_key_desc totals = describe_totals(work->what);
    return by_key(work->what) ? clp_reduce_by_key_plan(call->context, &totals, work->n, the_plan)
                              : clp_run_length_plan(call->context, &lengths, work->n, the_plan);
}

static clp_status enqueue(const struct pattern_call *call, cl_event *event) {
    const struct pattern_work *work = call->work;
    const struct pattern_case *what = work->what;
    const size_t n = work->n;
    const size_t ratio = clp_type_size(what->result) / clp_type_size(value_type(what));
    const clp_buffer values = {call->out.mem, (call->out.offset + values_begin(work)) * ratio};
    if (by_key(what)) {
        const clp_reduce_by_key_desc desc = describe_totals(what);
        const clp_buffer keys = {work->heads_on_device, 0};
        return clp_reduce_by_key(call->context, call->queue, &desc, keys, call->in, values, call->out, n,
                                 call->count, n, NULL, 0, NULL, event);
    }
    const clp_run_length_desc desc = describe_lengths(what, call->schedule);
    const clp_buffer offsets = {what->operation == OFFSETS ? call->out.mem : NULL, call->out.offset + n};
    return clp_run_length_encode(call->context, call->queue, &desc, call->in, values, call->out, offsets, n,
                                 call->count, n, NULL, 0, NULL, event);
}

static bool exact(const struct pattern_case *what) {
    (void)what;
    return true;
}

/* Sums of floats in another order: the error of so many additions, which add up to their root; of the many
 * short runs some are worse. */
static bool sums_near_enough(const struct pattern_work *work, const float *in, const float *expected,
                             const float *got) {
    for (size_t p = 0, run = 0; p < work->parts; p++) {
        const size_t begin = work_begin(work, p), end = work_begin(work, p + 1);
        double sum = 0;
        for (size_t i = begin; i < end; i++)
            sum += fabs((double)in[i]);
        if (begin == end)
            continue;
        if (!(fabs((double)expected[run] - (double)got[run]) <=
              0x1p-24 * (16 + sqrt((double)(end - begin))) * sum))
            return false;
        run++;
    }
    return true;
}

/* Whatever lies behind the runs. */
static bool near_enough(const struct pattern_work *work, const void *in, const void *expected,
                        const void *got) {
    const struct pattern_case *what = work->what;
    const size_t size = clp_type_size(what->result), values = values_begin(work) * size,
                 end = output_count(work) * size;
    const char *right = expected, *other = got;
    cl_ulong runs;
    memcpy(&runs, right + end, sizeof runs);
    if (memcmp(right + end, other + end, sizeof runs) != 0 ||
        memcmp(right + values, other + values, (size_t)runs * clp_type_size(value_type(what))) != 0)
        return false;
    if (what->operation == CLP_SUM && what->result == CLP_F32)
        return sums_near_enough(work, in, expected, got);
    return memcmp(right, other, (size_t)runs * size) == 0 &&
           (what->operation != OFFSETS ||
            memcmp(right + work->n * size, other + work->n * size, (size_t)runs * size) == 0);
}

extern int run_length_run(struct program *program, int argc, char **argv);
extern int reduce_by_key_run(struct program *program, int argc, char **argv);
extern const struct peer *const peers_runs[];
extern const struct pattern pattern_runs;

static const struct pattern_run more_runs[] = {
    {"rle", "run-length encoding: each run of equal elements, and its length", run_length_run},
    {"reduce-by-key", "what belongs to each run of equal keys, combined", reduce_by_key_run},
    {NULL, NULL, NULL}};

const struct pattern pattern_runs = {
    .name = "runs",
    .summary = "run-length encoding; reduction by key",
    .limit = LIMIT_COPY,
    .cases = cases,
    .case_count = sizeof cases / sizeof *cases,
    .counts = true,
    .output_count = output_count,
    .usual_size = usual_size,
    .has_schedule = has_schedule,
    .cost = cost,
    .reference = reference,
    .plan = plan,
    .enqueue = enqueue,
    .more_runs = more_runs,
    .exact = exact,
    .near_enough = near_enough,
    .peers = peers_runs,
};

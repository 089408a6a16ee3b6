/* SPDX-License-Identifier: Apache-2.0 */
/* What check and bench need of select. */
#include "patterns.h"
#include "peers/select_cases.h"
#include "reference.h"
#include "value.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* operation: which call, and what it writes. */
enum { SELECT, INDICES, PARTITION, UNIQUE };

#define CASE(name, type, operation, layout, benched)                                                         \
    { name, type, (operation) == INDICES ? CLP_U32 : (type), operation, 0, layout, benched }

/* The last field: benched without being asked for by name. */
static const struct pattern_case cases[] = {
    /* clang-format off */
    CASE("select_where_50", CLP_U8, SELECT, LAYOUT_WHOLE, false),
    CASE("unique", CLP_U8, UNIQUE, LAYOUT_WHOLE, false),
    CASE("select_flags_100", CLP_U16, SELECT, LAYOUT_FLAGS_100, false),
    CASE("partition_flags_half", CLP_I16, PARTITION, LAYOUT_FLAGS_HALF, false),
    CASE("select_where_50", CLP_I32, SELECT, LAYOUT_WHOLE, false),
    CASE("unique_runs_5", CLP_U32, UNIQUE, LAYOUT_RUNS_5, false),
    CASE("select_flags_half", CLP_U64, SELECT, LAYOUT_FLAGS_HALF, false),
    CASE("select_where_50", CLP_F16, SELECT, LAYOUT_WHOLE, false),
    CASE("unique", CLP_BF16, UNIQUE, LAYOUT_WHOLE, false),
    CASE("select_where_1", CLP_F32, SELECT, LAYOUT_WHOLE, true),
    CASE("select_where_50", CLP_F32, SELECT, LAYOUT_WHOLE, true),
    CASE("select_where_99", CLP_F32, SELECT, LAYOUT_WHOLE, true),
    CASE("indices_where_50", CLP_F32, INDICES, LAYOUT_WHOLE, false),
    CASE("select_flags_half", CLP_F32, SELECT, LAYOUT_FLAGS_HALF, true),
    CASE("partition_where_50", CLP_F32, PARTITION, LAYOUT_WHOLE, true),
    CASE("unique", CLP_F32, UNIQUE, LAYOUT_WHOLE, false),
    CASE("unique_runs_5", CLP_F32, UNIQUE, LAYOUT_RUNS_5, true),
    CASE("unique_runs_100", CLP_F32, UNIQUE, LAYOUT_RUNS_100, true),
    CASE("select_where_50", CLP_F64, SELECT, LAYOUT_WHOLE, true),
    CASE("unique_runs_mixed", CLP_F64, UNIQUE, LAYOUT_RUNS_MIXED, false),
    /* clang-format on */
};

/* A description and the text that it points to. */
struct description {
    clp_select_desc desc;
    char where[32];
};

static const clp_select_desc *describe(const struct pattern_case *what, clp_schedule schedule,
                                       struct description *description) {
    const int percent = select_percent(what->name);
    *description =
        (struct description){.desc = {.type = what->type,
                                      .second = work_head_type(what->layout),
                                      .index = what->operation == INDICES ? what->result : CLP_TYPE_INVALID,
                                      .schedule = schedule}};
    if (percent > 0) {
        snprintf(description->where, sizeof description->where, "x > %d",
                 select_threshold(percent, what->type));
        description->desc.where = description->where;
    }
    return &description->desc;
}

static size_t output_count(const struct pattern_work *work) {
    return work->n;
}

static size_t usual_size(const struct pattern_case *what, bool cpu) {
    (void)what, (void)cpu;
    return 0;
}

/* The kernels of single are two of those of levels. */
static bool has_schedule(const struct pattern_case *what, clp_schedule schedule) {
    return schedule == CLP_SCHEDULE_LEVELS || schedule == CLP_SCHEDULE_SINGLE ||
           (schedule == CLP_SCHEDULE_ONE_PASS && !select_is(what->name, "partition"));
}

/* Of the predicates, what they keep of the uniform set on average. */
static size_t expected_count(const struct pattern_work *work) {
    const int percent = select_percent(work->what->name);
    if (percent > 0)
        return work->n / 100 * (size_t)percent + work->n % 100 * (size_t)percent / 100;
    if (work->what->layout == LAYOUT_FLAGS_HALF)
        return work->n / 2;
    return work->offsets != NULL ? work->parts : work->n;
}

static clp_status cost(const struct pattern_work *work, clp_cost *the_cost) {
    struct description description;
    const clp_select_desc *desc = describe(work->what, CLP_SCHEDULE_DEFAULT, &description);
    if (work->what->operation == PARTITION)
        return clp_partition_cost(desc, work->n, the_cost);
    return work->what->operation == UNIQUE ? clp_unique_cost(desc, work->n, expected_count(work), the_cost)
                                           : clp_select_cost(desc, work->n, expected_count(work), the_cost);
}

/* The flags of the elements that are kept. */
static void keep(const struct pattern_work *work, const void *in, unsigned char *flags) {
    const struct pattern_case *what = work->what;
    const int threshold = select_threshold(select_percent(what->name), what->type);
    if (what->operation == UNIQUE)
        ref_heads(what->type, in, work->n, flags);
    else if (work->heads != NULL)
        memcpy(flags, work->heads, work->n);
    else
        for (size_t i = 0; i < work->n; i++)
            flags[i] = value_of(what->type, in, i) > threshold;
}

static void reference(const struct pattern_work *work, const void *in, void *out) {
    const size_t n = work->n, size = clp_type_size(work->what->result);
    unsigned char *flags = malloc(n + 1), *outputs = out;
    uint64_t kept = 0;
    if (flags != NULL) { /* else what comes out is reported as wrong */
        keep(work, in, flags);
        if (work->what->operation == INDICES) {
            for (size_t i = 0; i < n; i++)
                if (flags[i]) {
                    const uint32_t index = (uint32_t)i;
                    memcpy(outputs + kept++ * size, &index, size);
                }
        } else {
            kept = ref_select(flags, n, size, in, outputs);
        }
        for (size_t i = 0; i < n; i++)
            flags[i] = !flags[i];
        if (work->what->operation == PARTITION)
            (void)ref_select(flags, n, size, in, outputs + kept * size);
    }
    memcpy(outputs + n * size, &kept, sizeof kept);
    free(flags);
}

static clp_status plan(const struct pattern_call *call, clp_plan *the_plan) {
    struct description description;
    const clp_select_desc *desc = describe(call->work->what, call->schedule, &description);
    const clp_status status = clp_select_plan(call->context, desc, call->work->n, the_plan);
    if (status == CLP_SUCCESS && call->work->what->operation == PARTITION)
        the_plan->launches = 3; /* it must know where the others begin, with one team too */
    return status;
}

static clp_status enqueue(const struct pattern_call *call, cl_event *event) {
    struct description description;
    const struct pattern_work *work = call->work;
    const clp_select_desc *desc = describe(work->what, call->schedule, &description);
    const clp_buffer flags = {work->heads_on_device, 0}, nothing = {NULL, 0};
    switch (work->what->operation) {
    case PARTITION:
        return clp_partition(call->context, call->queue, desc, call->in, flags, call->out, nothing,
                             call->count, work->n, NULL, 0, NULL, event);
    case UNIQUE:
        return clp_unique(call->context, call->queue, desc, call->in, nothing, call->out, nothing, work->n,
                          call->count, work->n, NULL, 0, NULL, event);
    default:
        return clp_select(call->context, call->queue, desc, call->in, flags, call->out, work->n, call->count,
                          work->n, NULL, 0, NULL, event);
    }
}

static bool exact(const struct pattern_case *what) {
    (void)what;
    return true;
}

/* The same outputs, whatever lies behind them; the others of a partition may be in the opposite order. */
static bool near_enough(const struct pattern_work *work, const void *in, const void *expected,
                        const void *got) {
    const size_t size = clp_type_size(work->what->result), n = work->n;
    const char *right = expected, *value = got;
    cl_ulong kept;
    (void)in;
    memcpy(&kept, right + n * size, sizeof kept);
    if (memcmp(right + n * size, value + n * size, sizeof kept) != 0 ||
        memcmp(right, value, (size_t)kept * size) != 0)
        return false;
    if (work->what->operation != PARTITION || memcmp(right, value, n * size) == 0)
        return true;
    for (size_t i = (size_t)kept; i < n; i++)
        if (memcmp(right + i * size, value + (n - 1 - (i - (size_t)kept)) * size, size) != 0)
            return false;
    return true;
}

extern int select_run(struct program *program, int argc, char **argv);
extern int partition_run(struct program *program, int argc, char **argv);
extern int unique_run(struct program *program, int argc, char **argv);
extern const struct peer *const peers_select[];
extern const struct pattern pattern_select;

static const struct pattern_run more_runs[] = {
    {"partition", "the elements that are wanted, then the others", partition_run},
    {"unique", "the first element of each run of equal ones", unique_run},
    {NULL, NULL, NULL}};

const struct pattern pattern_select = {
    .name = "select",
    .summary = "the elements that are wanted, in their order; partition; unique",
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
    .run = select_run,
    .more_runs = more_runs,
    .exact = exact,
    .near_enough = near_enough,
    .peers = peers_select,
};

/* SPDX-License-Identifier: Apache-2.0 */
/* Scan: what a call checks and enqueues. See scan_plan.c for how it is spread, cl/scan.cl for the kernels. */
#include "scan_plan.h"

#include <string.h>

enum { TILE = 4096, KERNEL_TOTALS = 0, KERNEL_SPINE = 1, KERNEL_APPLY = 2 };
enum { KERNEL_HILLIS_STEELE = 0, KERNEL_BLELLOCH = 1 };

clp_type clp_scan_result_type(const clp_scan_desc *desc) {
    struct clp_scan_form form;
    const bool valid = desc && strcmp(clp_type_name(desc->type), "invalid") != 0 &&
                       strcmp(clp_op_name(desc->op), "invalid") != 0 &&
                       clp_user_check(desc->user, desc->type, desc->op) == CLP_SUCCESS;
    return valid && clp_scan_form_of(desc, &form) ? form.result : CLP_TYPE_INVALID;
}

size_t clp_scan_scratch_size(const struct clp_scan_plan *plan, size_t rows) {
    if (plan->schedule == CLP_SCHEDULE_ONE_PASS || clp_scan_in_block(plan->schedule))
        return 0; /* of one pass values are published in the context's own memory, whose words keep their
                     epochs */
    const size_t size = plan->form.scratch_size;
    /* One more where accumulators of odd sizes may not begin where a workspace does. */
    return ((rows ? rows : 1) * plan->scratch + (CLP_WORKSPACE_ALIGNMENT % size != 0)) * size;
}

clp_status clp_scan_tell_plan(clp_context *context, const clp_scan_desc *desc, struct clp_scan_extent extent,
                              clp_plan *result) {
    struct clp_scan_plan plan;
    if (!result)
        return clp_fail(CLP_INVALID_ARGUMENT, "plan is NULL");
    *result = (clp_plan){0};
    const clp_status status = clp_scan_make_plan(context, desc, extent, &plan);
    if (status != CLP_SUCCESS)
        return status;
    result->workspace_size = clp_scan_scratch_size(&plan, extent.rows);
    result->schedule = plan.schedule;
    result->launches = plan.schedule == CLP_SCHEDULE_LEVELS ? 3 : 1;
    result->work_group_size = clp_variant_work_group_size(plan.variant);
    result->shape = context->info.shape;
    result->subgroups = clp_variant_subgroups(plan.variant);
    return CLP_SUCCESS;
}

clp_status clp_scan_plan(clp_context *context, const clp_scan_desc *desc, size_t n, clp_plan *plan) {
    return clp_scan_tell_plan(context, desc, (struct clp_scan_extent){.rows = 1, .n = n}, plan);
}

clp_status clp_scan_prewarm(clp_context *context, const clp_scan_desc *desc) {
    struct clp_scan_plan plan;
    clp_status status = clp_scan_make_plan(context, desc, (struct clp_scan_extent){.rows = 1}, &plan);
    /* Large calls may have a program of their own. */
    if (status == CLP_SUCCESS && desc->schedule == CLP_SCHEDULE_DEFAULT)
        status = clp_scan_make_plan(
            context, desc, (struct clp_scan_extent){.rows = 1, .n = (size_t)CLP_SCAN_MANY_TILES * TILE},
            &plan);
    return status;
}

/* ---- call ------------------------------------------------------------------------------------------- */

static struct clp_scan_extent extent_of(const struct clp_scan_job *job, bool in_place) {
    return (struct clp_scan_extent){.rows = job->rows.count,
                                    .n = job->rows.columns,
                                    .ragged = job->rows.lengths.mem != NULL,
                                    .in_place = in_place,
                                    .heads = job->kind,
                                    .head_type = job->head_type};
}

/* Kernel arguments: values of the call, which outlive the launches. */
struct launch {
    struct clp_call *call;
    const struct clp_scan_plan *plan;
    const struct clp_scan_job *job;
    cl_mem in, out, lengths, heads;
    cl_ulong in_offset, heads_offset, in_stride, out_offset, out_stride, lengths_offset, n, rows;
    cl_ulong scratch_offset, scratch_stride, teams;
    cl_uint has_lengths, has_head, chunk, single, stream;
};

static struct launch prepare(struct clp_call *call, const struct clp_scan_plan *plan,
                             const struct clp_scan_job *job) {
    /* What is not there is not read either, but some drivers dislike a NULL argument. */
    const cl_mem some = call->block->state;
    return (struct launch){
        .call = call,
        .plan = plan,
        .job = job,
        .in = job->in.mem ? job->in.mem : some,
        .out = job->out.mem ? job->out.mem : some,
        .lengths = job->rows.lengths.mem ? job->rows.lengths.mem : some,
        .heads = job->heads.mem ? job->heads.mem : some,
        .in_offset = job->in.offset,
        .heads_offset = job->heads.offset,
        .in_stride = job->rows.stride,
        .out_offset = job->out.offset,
        .out_stride = job->rows.second_stride,
        .lengths_offset = job->rows.lengths.offset,
        .n = job->rows.columns,
        .rows = job->rows.count,
        .scratch_offset = clp_call_scratch_offset(call, plan->form.scratch_size),
        .scratch_stride = plan->scratch,
        .teams = plan->teams,
        .has_lengths = job->rows.lengths.mem != NULL,
        .has_head = plan->form.has_head && job->kind == CLP_SCAN_NO_HEADS,
        .chunk = (cl_uint)plan->chunk,
        .single = plan->schedule == CLP_SCHEDULE_SINGLE,
        .stream = clp_scan_streams(&plan->form, job->rows.count, job->rows.columns),
    };
}

#define ARG(field)                                                                                           \
    { sizeof l->field, &l->field }
#define ACCUMULATOR(value)                                                                                   \
    { l->plan->form.accumulator_size, &l->plan->form.value }
/* With heads init stands in front of each segment, and what is before the array has no head. */
#define FRONT                                                                                                \
    {                                                                                                        \
        l->plan->form.accumulator_size,                                                                      \
            l->job->kind == CLP_SCAN_NO_HEADS ? &l->plan->form.init : &l->plan->form.pad                     \
    }
#define SCRATCH {sizeof l->call->scratch, &l->call->scratch}, ARG(scratch_offset), ARG(scratch_stride)
#define LENGTHS ARG(lengths), ARG(lengths_offset), ARG(has_lengths), ARG(n), ARG(rows)

/* Appends arguments to those that the launch has so far. */
#define ADD(...)                                                                                             \
    add(args, &count, (const struct clp_arg[]){__VA_ARGS__},                                                 \
        sizeof(struct clp_arg[]){__VA_ARGS__} / sizeof(struct clp_arg))
enum { MAX_ARGS = 32 };

static void add(struct clp_arg args[MAX_ARGS], int *count, const struct clp_arg *more, size_t n) {
    memcpy(args + *count, more, n * sizeof *more);
    *count += (int)n;
}

/* CLP_HEADS_PARAMETERS of cl/scan_heads.cl; none without heads. */
static void add_heads(const struct launch *l, struct clp_arg args[MAX_ARGS], int *count_of) {
    int count = *count_of;
    if (l->job->kind != CLP_SCAN_NO_HEADS)
        ADD(ARG(heads), ARG(heads_offset), ACCUMULATOR(init), ACCUMULATOR(head));
    *count_of = count;
}

static clp_status launch_totals(const struct launch *l) {
    struct clp_arg args[MAX_ARGS];
    int count = 0;
    ADD(ARG(in), ARG(in_offset), ARG(in_stride));
    add_heads(l, args, &count);
    ADD(LENGTHS, ACCUMULATOR(pad), SCRATCH, ARG(teams), ARG(chunk));
    return clp_call_launch(l->call, l->plan->variant, KERNEL_TOTALS, args, count, l->plan->groups, false);
}

static clp_status launch_spine(const struct launch *l) {
    const struct clp_arg args[] = {LENGTHS, ACCUMULATOR(pad), FRONT, SCRATCH};
    const bool simd = l->call->context->info.shape == CLP_SHAPE_SIMD;
    const size_t rows = l->rows ? l->rows : 1;
    const size_t groups = simd ? clp_scan_units(rows, clp_variant_work_group_size(l->plan->variant)) : rows;
    return clp_call_launch(l->call, l->plan->variant, KERNEL_SPINE, args, sizeof args / sizeof *args, groups,
                           false);
}

static clp_status launch_apply(const struct launch *l) {
    struct clp_arg args[MAX_ARGS];
    int count = 0;
    ADD(ARG(in), ARG(in_offset), ARG(in_stride));
    add_heads(l, args, &count);
    ADD(ARG(out), ARG(out_offset), ARG(out_stride), LENGTHS, ACCUMULATOR(pad), FRONT, ACCUMULATOR(head),
        ARG(has_head), SCRATCH, ARG(teams), ARG(chunk), ARG(single), ARG(stream));
    return clp_call_launch(l->call, l->plan->variant, KERNEL_APPLY, args, count, l->plan->groups, true);
}

/* Strides of 0 are columns; elements from the first row's start to the last one's end, in *extent. */
static clp_status check_stride(const clp_rows *rows, size_t *stride, const char *name, size_t *extent) {
    if (*stride == 0)
        *stride = rows->columns;
    if (*stride < rows->columns)
        return clp_fail(CLP_INVALID_ARGUMENT, "rows->%s is %zu, less than the %zu columns", name, *stride,
                        rows->columns);
    if (rows->count == 0 || rows->columns == 0) {
        *extent = 0;
        return CLP_SUCCESS;
    }
    if (*stride > (SIZE_MAX - rows->columns) / rows->count)
        return clp_fail(CLP_OUT_OF_RANGE, "%zu rows with a stride of %zu are more than any memory holds",
                        rows->count, *stride);
    *extent = (rows->count - 1) * *stride + rows->columns;
    return CLP_SUCCESS;
}

enum { IN, LENGTHS_RANGE, HEADS_RANGE, OUT, NUM_RANGES };

/* Are the outputs the very elements, so that each is read before it is written? */
static bool in_place(const struct clp_scan_plan *plan, const struct clp_scan_job *job,
                     const struct clp_range ranges[NUM_RANGES]) {
    return ranges[IN].root == ranges[OUT].root && ranges[IN].begin == ranges[OUT].begin &&
           plan->form.element_size == plan->form.result_size && job->rows.stride == job->rows.second_stride;
}

static clp_status check_job(const clp_context *context, const struct clp_scan_plan *plan,
                            struct clp_scan_job *job, struct clp_range ranges[NUM_RANGES]) {
    size_t extent = 0, out_extent = 0;
    clp_rows *rows = &job->rows;
    clp_status status = check_stride(rows, &rows->stride, "stride", &extent);
    if (status == CLP_SUCCESS)
        status = check_stride(rows, &rows->second_stride, "second_stride", &out_extent);
    if (status == CLP_SUCCESS)
        status =
            clp_check_range(context, job->in, plan->form.element_size, extent, CLP_READ, "in", &ranges[IN]);
    if (status == CLP_SUCCESS)
        status = clp_check_range(context, rows->lengths, sizeof(cl_uint), rows->lengths.mem ? rows->count : 0,
                                 CLP_READ, "lengths", &ranges[LENGTHS_RANGE]);
    if (status == CLP_SUCCESS)
        status = clp_check_range(context, job->heads, clp_type_size(job->head_type),
                                 job->kind == CLP_SCAN_NO_HEADS ? 0 : rows->columns, CLP_READ,
                                 job->kind == CLP_SCAN_KEYS ? "keys" : "flags", &ranges[HEADS_RANGE]);
    if (status == CLP_SUCCESS)
        status = clp_check_range(context, job->out, plan->form.result_size, out_extent, CLP_WRITE, "out",
                                 &ranges[OUT]);
    if (status == CLP_SUCCESS)
        status = clp_check_disjoint(&ranges[LENGTHS_RANGE], &ranges[OUT]);
    if (status == CLP_SUCCESS)
        status = clp_check_disjoint(&ranges[HEADS_RANGE], &ranges[OUT]);
    if (status == CLP_SUCCESS && !in_place(plan, job, ranges))
        status = clp_check_disjoint(&ranges[IN], &ranges[OUT]);
    return status;
}

static clp_status launch_block(const struct launch *l) {
    const struct clp_arg args[] = {ARG(in),           ARG(in_offset),    ARG(in_stride), ARG(out),
                                   ARG(out_offset),   ARG(out_stride),   LENGTHS,        ACCUMULATOR(pad),
                                   ACCUMULATOR(init), ACCUMULATOR(head), ARG(has_head)};
    const int kernel = l->plan->schedule == CLP_SCHEDULE_BLELLOCH ? KERNEL_BLELLOCH : KERNEL_HILLIS_STEELE;
    return clp_call_launch(l->call, l->plan->variant, kernel, args, sizeof args / sizeof *args,
                           l->plan->groups, true);
}

static clp_status launch_pass(const struct launch *l) {
    struct clp_arg args[MAX_ARGS];
    int count = 0;
    ADD(ARG(in), ARG(in_offset));
    add_heads(l, args, &count);
    ADD(ARG(out), ARG(out_offset), ARG(n), ACCUMULATOR(pad), FRONT, ACCUMULATOR(head), ARG(has_head),
        ARG(call->block->words), ARG(call->block->epoch), ARG(call->block->state));
    if (l->call->context->info.shape == CLP_SHAPE_SIMD)
        ADD(ARG(chunk), ARG(stream));
    return clp_call_launch(l->call, l->plan->variant, 0, args, count, l->plan->groups, true);
}

clp_status clp_scan_launch(struct clp_call *call, const struct clp_scan_plan *plan,
                           const struct clp_scan_job *job) {
    const bool one_pass = plan->schedule == CLP_SCHEDULE_ONE_PASS;
    clp_status status = CLP_SUCCESS;
    if (one_pass)
        status = clp_block_words(call->context, call->block, clp_scan_pass_words(plan, job->kind));
    const struct launch launch = prepare(call, plan, job);
    if (plan->schedule == CLP_SCHEDULE_LEVELS)
        status = launch_totals(&launch);
    if (plan->schedule == CLP_SCHEDULE_LEVELS && status == CLP_SUCCESS)
        status = launch_spine(&launch);
    if (status == CLP_SUCCESS)
        status = one_pass                            ? launch_pass(&launch)
                 : clp_scan_in_block(plan->schedule) ? launch_block(&launch)
                                                     : launch_apply(&launch);
    return status;
}

clp_status clp_scan_run(clp_context *context, cl_command_queue queue, const clp_scan_desc *desc,
                        struct clp_scan_job *job, const clp_workspace *workspace, cl_uint num_waits,
                        const cl_event *waits, cl_event *event) {
    struct clp_call call;
    struct clp_scan_plan plan;
    struct clp_range ranges[NUM_RANGES];
    clp_status status = clp_call_begin(&call, context, queue, num_waits, waits, event);
    if (status == CLP_SUCCESS)
        status = clp_scan_make_plan(context, desc, extent_of(job, false), &plan);
    if (status == CLP_SUCCESS)
        status = check_job(context, &plan, job, ranges);
    /* One pass may read elements again, which in place are gone. */
    if (status == CLP_SUCCESS && plan.schedule == CLP_SCHEDULE_ONE_PASS && in_place(&plan, job, ranges))
        status = clp_scan_make_plan(context, desc, extent_of(job, true), &plan);
    if (status == CLP_SUCCESS)
        status = clp_call_scratch(&call, workspace, clp_scan_scratch_size(&plan, job->rows.count), ranges,
                                  NUM_RANGES);
    if (status == CLP_SUCCESS)
        status = clp_scan_launch(&call, &plan, job);
    return clp_call_end(&call, status, event);
}

clp_status clp_scan(clp_context *context, cl_command_queue queue, const clp_scan_desc *desc, clp_buffer in,
                    clp_buffer out, size_t n, const clp_workspace *workspace, cl_uint num_events_in_wait_list,
                    const cl_event *event_wait_list, cl_event *event) {
    struct clp_scan_job job = {.in = in, .out = out, .rows = {.count = 1, .columns = n}};
    return clp_scan_run(context, queue, desc, &job, workspace, num_events_in_wait_list, event_wait_list,
                        event);
}

static clp_status check_rows(const clp_rows *rows) {
    if (!rows)
        return clp_fail(CLP_INVALID_ARGUMENT, "rows is NULL");
    if (!clp_reserved_zero(rows->reserved))
        return clp_fail(CLP_INVALID_ARGUMENT, "rows: a reserved field is not zero");
    return CLP_SUCCESS;
}

clp_status clp_scan_rows(clp_context *context, cl_command_queue queue, const clp_scan_desc *desc,
                         clp_buffer in, clp_buffer out, const clp_rows *rows, const clp_workspace *workspace,
                         cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event) {
    if (event)
        *event = NULL;
    const clp_status status = check_rows(rows);
    if (status != CLP_SUCCESS)
        return status;
    struct clp_scan_job job = {.in = in, .out = out, .rows = *rows};
    return clp_scan_run(context, queue, desc, &job, workspace, num_events_in_wait_list, event_wait_list,
                        event);
}

clp_status clp_scan_rows_plan(clp_context *context, const clp_scan_desc *desc, const clp_rows *rows,
                              clp_plan *plan) {
    const clp_status status = check_rows(rows);
    return status == CLP_SUCCESS
               ? clp_scan_tell_plan(context, desc, extent_of(&(struct clp_scan_job){.rows = *rows}, false),
                                    plan)
               : status;
}

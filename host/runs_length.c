/* SPDX-License-Identifier: Apache-2.0 */
/* Run-length encoding: in launches for parts (cl/runs.cl) or in one pass (cl/select_pass.cl). */
#include "runs.h"
#include "select_form.h"

/* Elements of a tile of one pass; most that take it unasked: its kernel has so many variables that few
 * work-groups fit a compute unit, so that beyond this three launches are faster (H200: 2^28 in 0.9 to 3 ms
 * against 0.4 to 1.5, 2^20 in 9 µs against 21). */
enum { TILE = 4096, MOST = 1 << 21 };

/* context: NULL where no device is needed */
static clp_status form_of(const clp_context *context, const clp_run_length_desc *desc,
                          struct clp_runs_form *form) {
    if (!desc)
        return clp_fail(CLP_INVALID_ARGUMENT, "desc is NULL");
    if (!clp_reserved_zero(desc->reserved))
        return clp_fail(CLP_INVALID_ARGUMENT, "desc: a reserved field is not zero");
    if ((unsigned)desc->schedule > CLP_SCHEDULE_BLELLOCH)
        return clp_fail(CLP_INVALID_MODE, "desc->schedule is %d, no schedule", (int)desc->schedule);
    if (desc->schedule != CLP_SCHEDULE_DEFAULT && desc->schedule != CLP_SCHEDULE_LEVELS &&
        desc->schedule != CLP_SCHEDULE_ONE_PASS)
        return clp_fail(CLP_UNSUPPORTED, "run-length encoding has the schedules levels and one pass");
    *form = (struct clp_runs_form){.type = desc->type};
    clp_status status = clp_runs_check_type(context, desc->type, "type");
    if (status == CLP_SUCCESS)
        status = clp_runs_number(desc->length, "length", &form->ends);
    if (status == CLP_SUCCESS)
        status = clp_runs_number(desc->count, "count", &form->count);
    return status;
}

/* A call in one pass has this variant, any other one NULL and the plan. */
struct plan {
    struct clp_runs_form form;
    struct clp_variant *pass;
    struct clp_runs_plan runs;
};

/* Builds the kernel of one pass, if the call is to take it. */
static clp_status make_pass(clp_context *context, const clp_run_length_desc *desc, size_t n,
                            struct plan *plan) {
    const bool asked = desc->schedule == CLP_SCHEDULE_ONE_PASS;
    if (!asked && (desc->schedule != CLP_SCHEDULE_DEFAULT || !context->tuning.scan_one_pass || n > MOST))
        return CLP_SUCCESS;
    bool device;
    const clp_status status = clp_pass_can(context, &device);
    if (status != CLP_SUCCESS)
        return status;
    if (asked && !device)
        return clp_fail(CLP_DEVICE_UNSUPPORTED, CLP_PASS_NEEDS);
    if (asked && n > CL_UINT_MAX)
        return clp_fail(CLP_UNSUPPORTED, "one pass takes fewer than 2^32 elements, not %zu", n);
    if (!device)
        return CLP_SUCCESS;
    const uint32_t id = (uint32_t)desc->type | (uint32_t)plan->form.ends << 4 |
                        (uint32_t)plan->form.count << 12 | (uint32_t)CLP_OTHERS_LENGTHS << 16;
    struct clp_variant_key key;
    clp_pass_key(context, "select_pass", "clp_select_pass", &key);
    key.id = id;
    key.max_registers = 128;
    plan->pass = clp_variant_find(context, key.stem, id, NULL);
    if (plan->pass)
        return CLP_SUCCESS;
    const size_t size = clp_type_size(desc->type);
    const struct clp_select_form form = {.by = CLP_BY_HEADS,
                                         .others = CLP_OTHERS_LENGTHS,
                                         .out = desc->type,
                                         .count = plan->form.count,
                                         .element_size = size,
                                         .out_size = size,
                                         .second_size = clp_type_size(plan->form.ends)};
    clp_select_defines(&form, desc->type, plan->form.ends, false, key.defines, sizeof key.defines);
    return clp_variant_get(context, &key, &plan->pass);
}

static clp_status make_plan(clp_context *context, const clp_run_length_desc *desc, size_t n,
                            struct plan *plan) {
    *plan = (struct plan){0};
    if (!context)
        return clp_fail(CLP_INVALID_ARGUMENT, "context is NULL");
    clp_status status = form_of(context, desc, &plan->form);
    if (status == CLP_SUCCESS)
        status = clp_runs_check_n(&plan->form, n);
    if (status == CLP_SUCCESS)
        status = make_pass(context, desc, n, plan);
    if (status == CLP_SUCCESS && !plan->pass)
        status = clp_runs_make_plan(context, &plan->form, n, &plan->runs);
    return status;
}

clp_status clp_run_length_cost(const clp_run_length_desc *desc, size_t n, size_t runs, int offsets,
                               clp_cost *cost) {
    struct clp_runs_form form = {0};
    if (!cost)
        return clp_fail(CLP_INVALID_ARGUMENT, "cost is NULL");
    *cost = (clp_cost){0};
    const clp_status status = form_of(NULL, desc, &form);
    if (status != CLP_SUCCESS)
        return status;
    if (runs > n)
        return clp_fail(CLP_INVALID_ARGUMENT, "%zu runs of %zu elements", runs, n);
    const double size = (double)clp_type_size(form.type), length = (double)clp_type_size(form.ends);
    cost->bytes = (double)n * size + (double)runs * (size + length * (offsets ? 2 : 1));
    if (n <= 1)
        return CLP_SUCCESS;
    /* n − 1 comparisons at once, then a tree of n − 1 additions; serially each waits for the one before. */
    cost->work = cost->serial_work = 2 * (double)(n - 1);
    cost->span = 1;
    for (size_t left = n; left > 1; left -= left / 2)
        cost->span++;
    cost->serial_span = (double)(n - 1);
    return CLP_SUCCESS;
}

clp_status clp_run_length_plan(clp_context *context, const clp_run_length_desc *desc, size_t n,
                               clp_plan *result) {
    struct plan plan;
    if (!result)
        return clp_fail(CLP_INVALID_ARGUMENT, "plan is NULL");
    *result = (clp_plan){0};
    const clp_status status = make_plan(context, desc, n, &plan);
    if (status != CLP_SUCCESS)
        return status;
    if (!plan.pass) {
        clp_runs_tell_plan(context, &plan.runs, result);
        return CLP_SUCCESS;
    }
    result->schedule = CLP_SCHEDULE_ONE_PASS;
    result->launches = 1;
    result->work_group_size = clp_variant_work_group_size(plan.pass);
    result->shape = context->info.shape;
    result->subgroups = clp_variant_subgroups(plan.pass);
    return CLP_SUCCESS;
}

clp_status clp_run_length_prewarm(clp_context *context, const clp_run_length_desc *desc) {
    struct plan plan;
    const clp_status status = make_plan(context, desc, 0, &plan);
    return status == CLP_SUCCESS ? make_plan(context, desc, (size_t)MOST + 1, &plan) : status;
}

#define ARG(value)                                                                                           \
    { sizeof(value), &(value) }

static clp_status launch_pass(struct clp_call *call, const struct plan *plan,
                              const struct clp_runs_job *job) {
    const size_t tiles = clp_scan_units(job->n, TILE);
    /* Tiles publish the places of their last heads too. */
    const clp_status status = clp_block_words(call->context, call->block, clp_pass_words(tiles) + tiles);
    if (status != CLP_SUCCESS)
        return status;
    /* What is not there is not read either, but some drivers dislike a NULL argument. */
    const cl_mem some = call->block->state;
    const cl_mem in = job->in.mem ? job->in.mem : some, values = job->values.mem ? job->values.mem : some;
    const cl_mem lengths = job->ends.mem ? job->ends.mem : some;
    const cl_mem offsets = job->offsets.mem ? job->offsets.mem : some;
    const cl_ulong in_offset = job->in.offset, none = 0, values_offset = job->values.offset,
                   lengths_offset = job->ends.offset, offsets_offset = job->offsets.offset,
                   capacity = job->capacity, n = job->n, count_offset = job->count.offset;
    const cl_uint has_offsets = job->offsets.mem != NULL;
    const struct clp_arg args[] = {ARG(in),
                                   ARG(in_offset),
                                   ARG(some),
                                   ARG(none),
                                   ARG(values),
                                   ARG(values_offset),
                                   ARG(capacity),
                                   ARG(lengths),
                                   ARG(lengths_offset),
                                   ARG(offsets),
                                   ARG(offsets_offset),
                                   ARG(has_offsets),
                                   ARG(n),
                                   ARG(job->count.mem),
                                   ARG(count_offset),
                                   ARG(call->block->words),
                                   ARG(call->block->epoch),
                                   ARG(some)};
    return clp_call_launch(call, plan->pass, 0, args, (int)(sizeof args / sizeof *args),
                           clp_pass_groups(call->context, tiles), true);
}

clp_status clp_run_length_encode(clp_context *context, cl_command_queue queue,
                                 const clp_run_length_desc *desc, clp_buffer in, clp_buffer values,
                                 clp_buffer lengths, clp_buffer offsets, size_t capacity, clp_buffer count,
                                 size_t n, const clp_workspace *workspace, cl_uint num_events_in_wait_list,
                                 const cl_event *event_wait_list, cl_event *event) {
    const struct clp_runs_job job = {in, values, lengths, offsets, count, capacity, n};
    struct clp_call call;
    struct plan plan;
    struct clp_range ranges[CLP_RUNS_RANGES] = {{0}};
    clp_status status =
        clp_call_begin(&call, context, queue, num_events_in_wait_list, event_wait_list, event);
    if (status == CLP_SUCCESS)
        status = form_of(context, desc, &plan.form);
    if (status == CLP_SUCCESS)
        status = clp_runs_check_ranges(context, &plan.form, &job, ranges);
    if (status == CLP_SUCCESS)
        status = make_plan(context, desc, n, &plan);
    if (status == CLP_SUCCESS)
        status = clp_call_scratch(&call, workspace, plan.runs.size, ranges, CLP_RUNS_RANGES);
    if (status == CLP_SUCCESS)
        status = plan.pass ? launch_pass(&call, &plan, &job)
                           : clp_runs_launch(&call, &plan.runs, &job, call.scratch_begin, 0);
    return clp_call_end(&call, status, event);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Reduction by key: a scan by key into scratch memory, then the last output of each run. */
#include "runs.h"

/* A description that was checked: the scan, and the rest. */
struct form {
    clp_scan_desc scan;
    struct clp_runs_form runs;
};

/* Bytes of scratch memory, in this order: the scan's outputs, its own, and that of the runs. */
struct plan {
    struct clp_runs_plan runs;
    struct clp_scan_plan scan;
    size_t outputs_size, scan_size;
};

static clp_status form_of(const clp_context *context, const clp_reduce_by_key_desc *desc, struct form *form) {
    if (!desc)
        return clp_fail(CLP_INVALID_ARGUMENT, "desc is NULL");
    if (!clp_reserved_zero(desc->reserved))
        return clp_fail(CLP_INVALID_ARGUMENT, "desc: a reserved field is not zero");
    clp_status status = clp_runs_check_type(context, desc->key, "key");
    if (status == CLP_SUCCESS)
        status = clp_runs_check_type(context, desc->type, "type");
    if (status != CLP_SUCCESS)
        return status;
    if (desc->op == CLP_OP_USER)
        return clp_fail(CLP_UNSUPPORTED, "a reduction by key has built-in operators");
    form->scan = (clp_scan_desc){.type = desc->type, .op = desc->op, .result = desc->result};
    struct clp_scan_form scan;
    status = clp_scan_check_types(&form->scan, &scan);
    if (status == CLP_SUCCESS)
        status = clp_runs_number(desc->count, "count", &form->runs.count);
    form->runs.type = desc->key;
    form->runs.ends = scan.result;
    form->runs.totals = true;
    return status;
}

static clp_status make_plan(clp_context *context, const struct form *form, size_t n, struct plan *plan) {
    const struct clp_scan_extent extent = {
        .rows = 1, .n = n, .heads = CLP_SCAN_KEYS, .head_type = form->runs.type};
    *plan = (struct plan){.outputs_size = clp_runs_aligned(n * clp_type_size(form->runs.ends))};
    clp_status status = clp_runs_make_plan(context, &form->runs, n, &plan->runs);
    if (status == CLP_SUCCESS)
        status = clp_scan_make_plan(context, &form->scan, extent, &plan->scan);
    if (status == CLP_SUCCESS)
        plan->scan_size = clp_runs_aligned(clp_scan_scratch_size(&plan->scan, 1));
    return status;
}

clp_status clp_reduce_by_key_cost(const clp_reduce_by_key_desc *desc, size_t n, size_t runs, clp_cost *cost) {
    struct form form = {0};
    if (!cost)
        return clp_fail(CLP_INVALID_ARGUMENT, "cost is NULL");
    *cost = (clp_cost){0};
    clp_status status = form_of(NULL, desc, &form);
    if (status == CLP_SUCCESS && runs > n)
        status = clp_fail(CLP_INVALID_ARGUMENT, "%zu runs of %zu elements", runs, n);
    if (status == CLP_SUCCESS)
        status = clp_scan_heads_cost(&form.scan, desc->key, n, cost);
    if (status == CLP_SUCCESS) {
        const double key = (double)clp_type_size(desc->key), total = (double)clp_type_size(form.runs.ends);
        cost->bytes = (double)n * (key + (double)clp_type_size(desc->type)) + (double)runs * (key + total);
    }
    return status;
}

clp_status clp_reduce_by_key_plan(clp_context *context, const clp_reduce_by_key_desc *desc, size_t n,
                                  clp_plan *result) {
    struct form form;
    struct plan plan;
    if (!result)
        return clp_fail(CLP_INVALID_ARGUMENT, "plan is NULL");
    *result = (clp_plan){0};
    if (!context)
        return clp_fail(CLP_INVALID_ARGUMENT, "context is NULL");
    clp_status status = form_of(context, desc, &form);
    if (status == CLP_SUCCESS)
        status = make_plan(context, &form, n, &plan);
    if (status == CLP_SUCCESS) {
        result->workspace_size = plan.outputs_size + plan.scan_size;
        result->launches = n == 0 ? 0 : plan.scan.schedule == CLP_SCHEDULE_LEVELS ? 3 : 1;
        clp_runs_tell_plan(context, &plan.runs, result);
    }
    return status;
}

clp_status clp_reduce_by_key_prewarm(clp_context *context, const clp_reduce_by_key_desc *desc) {
    clp_plan plan;
    const clp_status status = clp_reduce_by_key_plan(context, desc, 0, &plan);
    /* Large scans may have a program of their own. */
    return status == CLP_SUCCESS ? clp_reduce_by_key_plan(context, desc, (size_t)1 << 24, &plan) : status;
}

/* Scans into the first part of the scratch memory; the second is the scan's own. */
static clp_status launch_scan(struct clp_call *call, const struct form *form, const struct plan *plan,
                              clp_buffer in, clp_buffer keys, size_t n) {
    const size_t begin = call->scratch_begin;
    const struct clp_scan_job job = {.in = in,
                                     .out = {call->scratch, begin / clp_type_size(form->runs.ends)},
                                     .rows = {.count = 1, .columns = n, .stride = n, .second_stride = n},
                                     .heads = keys,
                                     .kind = CLP_SCAN_KEYS,
                                     .head_type = form->runs.type};
    call->scratch_begin = begin + plan->outputs_size;
    const clp_status status = clp_scan_launch(call, &plan->scan, &job);
    call->scratch_begin = begin;
    return status;
}

clp_status clp_reduce_by_key(clp_context *context, cl_command_queue queue, const clp_reduce_by_key_desc *desc,
                             clp_buffer keys, clp_buffer in, clp_buffer unique, clp_buffer totals,
                             size_t capacity, clp_buffer count, size_t n, const clp_workspace *workspace,
                             cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                             cl_event *event) {
    const struct clp_runs_job job = {
        .in = keys, .values = unique, .ends = totals, .count = count, .capacity = capacity, .n = n};
    struct clp_call call;
    struct form form;
    struct plan plan;
    struct clp_range ranges[CLP_RUNS_RANGES] = {{0}};
    clp_status status =
        clp_call_begin(&call, context, queue, num_events_in_wait_list, event_wait_list, event);
    if (status == CLP_SUCCESS)
        status = form_of(context, desc, &form);
    if (status == CLP_SUCCESS)
        status = clp_check_range(context, in, clp_type_size(desc->type), n, CLP_READ, "in",
                                 &ranges[CLP_RUNS_OTHER]);
    if (status == CLP_SUCCESS)
        status = clp_runs_check_ranges(context, &form.runs, &job, ranges);
    if (status == CLP_SUCCESS)
        status = make_plan(context, &form, n, &plan);
    if (status == CLP_SUCCESS)
        status = clp_call_scratch(&call, workspace, plan.outputs_size + plan.scan_size + plan.runs.size,
                                  ranges, CLP_RUNS_RANGES);
    if (status == CLP_SUCCESS && n > 0)
        status = launch_scan(&call, &form, &plan, in, keys, n);
    if (status == CLP_SUCCESS)
        status = clp_runs_launch(&call, &plan.runs, &job,
                                 call.scratch_begin + plan.outputs_size + plan.scan_size, call.scratch_begin);
    return clp_call_end(&call, status, event);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Reduction: how a call is spread over launches. See cl/reduce.cl for the kernels. */
#include "reduce_fast.h"
#include "reduce_plan.h"

#include <string.h>

enum { KERNEL_REDUCE, KERNEL_SINGLE, KERNEL_NODE };

clp_type clp_reduce_result_type(const clp_reduce_desc *desc) {
    struct clp_reduce_form form;
    if (!desc || strcmp(clp_type_name(desc->type), "invalid") == 0 ||
        strcmp(clp_op_name(desc->op), "invalid") == 0 || (unsigned)desc->mode > CLP_REDUCE_FAST ||
        clp_user_check(desc->user, desc->type, desc->op) != CLP_SUCCESS)
        return CLP_TYPE_INVALID;
    if (desc->mode == CLP_REDUCE_FAST)
        return clp_reduce_fast_exists(desc) ? desc->type : CLP_TYPE_INVALID;
    if (!clp_reduce_form_of(desc, NULL, &form))
        return CLP_TYPE_INVALID;
    return form.result;
}

/* ---- plan ------------------------------------------------------------------------------------------- */

/* Everything a call needs to know before it enqueues. */
struct plan {
    struct clp_reduce_form form;
    struct clp_variant *variant;
    clp_schedule schedule;
    struct clp_levels levels; /* of a row */
    size_t chunk;             /* tiles that a team takes at a time */
    size_t teams;             /* that work on a row */
    size_t groups;            /* work-groups of the first launch */
};

/* Tiles a team takes at a time: as many as the tuning allows once all compute units have enough teams. */
static size_t choose_chunk(const clp_context *context, const struct plan *plan, size_t rows, size_t step) {
    const size_t tile_bytes = CLP_TILE * plan->form.element_size, tiles = plan->levels.of[0];
    const size_t teams = (size_t)context->info.compute_units * context->tuning.teams_per_unit;
    const size_t per_row = teams / rows + 1; /* as many teams a row as fill the device */
    size_t chunk = step;
    while (chunk < clp_reduce_children(&plan->form) &&
           ((2 * chunk * tile_bytes <= context->tuning.team_bytes && tiles / (2 * chunk) >= per_row) ||
            (rows > 1 && tiles / chunk >= 2 * per_row)))
        chunk *= 2;
    return chunk;
}

static clp_schedule choose_schedule(const clp_context *context, const clp_reduce_desc *desc,
                                    const struct plan *plan, size_t rows, bool ragged) {
    const bool counted = plan->levels.nodes <= CLP_STATE_WORDS / rows;
    if (desc->schedule != CLP_SCHEDULE_DEFAULT)
        return desc->schedule;
    if (plan->levels.of[0] <= plan->chunk)
        return CLP_SCHEDULE_SINGLE; /* one team has it all */
    if (rows > 1 && rows >= context->info.compute_units)
        return CLP_SCHEDULE_SINGLE; /* rows enough for all: 5 % faster than teams that meet (H200, 512 rows)
                                     */
    if (context->info.has_device_fence && counted)
        return CLP_SCHEDULE_FUSED;
    return rows > 1 || ragged ? CLP_SCHEDULE_SINGLE : CLP_SCHEDULE_LEVELS;
}

/* ragged: rows have lengths of their own, which only the device knows. */
static clp_status make_plan(clp_context *context, const clp_reduce_desc *desc, size_t rows, size_t n,
                            bool ragged, struct plan *plan) {
    static const char *const kernels[] = {"clp_reduce", "clp_reduce_single", "clp_reduce_node", NULL};
    *plan = (struct plan){0};
    clp_status status = clp_reduce_check(context, desc, &plan->form);
    if (status == CLP_SUCCESS)
        status = clp_reduce_variant(context, desc, &plan->form, "reduce", kernels, &plan->variant);
    if (status != CLP_SUCCESS)
        return status;
    if (plan->form.kind == CLP_KIND_PLACE && plan->form.result == CLP_U32 && n > CL_UINT_MAX)
        return clp_fail(CLP_OUT_OF_RANGE, "an index of %zu elements does not fit u32", n);
    if (rows == 0)
        rows = 1;
    plan->levels = clp_reduce_levels(&plan->form, n);
    plan->chunk = choose_chunk(context, plan, rows, clp_reduce_step_tiles(context, plan->variant, &plan->form));
    plan->schedule = choose_schedule(context, desc, plan, rows, ragged);
    const size_t tiles = plan->levels.of[0];
    if (plan->schedule == CLP_SCHEDULE_LEVELS &&
        (rows > 1 || ragged)) /* launches follow from one known length */
        return clp_fail(CLP_UNSUPPORTED, "CLP_SCHEDULE_LEVELS takes one row without lengths");
    if (plan->schedule == CLP_SCHEDULE_FUSED && plan->levels.nodes > CLP_STATE_WORDS / rows)
        return clp_fail(CLP_UNSUPPORTED, "%zu rows of %zu elements are too many for this schedule", rows, n);
    plan->teams =
        plan->schedule == CLP_SCHEDULE_SINGLE ? 1 : (tiles + plan->chunk - 1) / plan->chunk;
    if (plan->teams > SIZE_MAX / rows / 4096 || plan->levels.totals > SIZE_MAX / rows / 16)
        return clp_fail(CLP_OUT_OF_RANGE, "%zu rows of %zu elements are more than any memory holds", rows, n);
    const size_t group = clp_variant_work_group_size(plan->variant), teams = rows * plan->teams;
    plan->groups = context->info.shape == CLP_SHAPE_SIMD ? (teams + group - 1) / group : teams;
    return CLP_SUCCESS;
}

static size_t scratch_size(const struct plan *plan, size_t rows) {
    const size_t size = plan->form.accumulator_size;
    /* One more where accumulators of odd sizes may not begin where a workspace does. */
    return ((rows ? rows : 1) * plan->levels.totals + (CLP_WORKSPACE_ALIGNMENT % size != 0)) * size;
}

static clp_status tell_plan(clp_context *context, const clp_reduce_desc *desc, size_t rows, size_t n,
                            bool ragged, clp_plan *result) {
    struct plan plan;
    if (!result)
        return clp_fail(CLP_INVALID_ARGUMENT, "plan is NULL");
    *result = (clp_plan){0};
    const clp_status status = make_plan(context, desc, rows, n, ragged, &plan);
    if (status != CLP_SUCCESS)
        return status;
    result->workspace_size = scratch_size(&plan, rows);
    result->schedule = plan.schedule;
    result->launches = plan.schedule == CLP_SCHEDULE_LEVELS ? (uint32_t)plan.levels.count : 1;
    result->work_group_size = clp_variant_work_group_size(plan.variant);
    result->shape = context->info.shape;
    result->subgroups = clp_variant_subgroups(plan.variant);
    return CLP_SUCCESS;
}

/* clp_reduce_plan() of the fast mode, which has kernels of its own. */
static clp_status tell_fast_plan(clp_context *context, const clp_reduce_desc *desc, size_t n, clp_plan *plan) {
    if (!plan)
        return clp_fail(CLP_INVALID_ARGUMENT, "plan is NULL");
    *plan = (clp_plan){0};
    clp_status status = clp_reduce_check_fields(context, desc);
    if (status == CLP_SUCCESS)
        status = clp_reduce_fast_check(context, desc);
    return status == CLP_SUCCESS ? clp_reduce_fast_plan(context, desc, n, plan) : status;
}

clp_status clp_reduce_plan(clp_context *context, const clp_reduce_desc *desc, size_t n, clp_plan *plan) {
    if (desc && desc->mode == CLP_REDUCE_FAST)
        return tell_fast_plan(context, desc, n, plan);
    return tell_plan(context, desc, 1, n, false, plan);
}

clp_status clp_reduce_prewarm(clp_context *context, const clp_reduce_desc *desc) {
    struct plan plan;
    clp_plan fast;
    if (desc && desc->mode == CLP_REDUCE_FAST)
        return tell_fast_plan(context, desc, 0, &fast);
    return make_plan(context, desc, 1, 0, false, &plan);
}

/* ---- call ------------------------------------------------------------------------------------------- */

/* The arguments of a call, checked. */
struct job {
    clp_buffer in, second, out;
    clp_rows rows; /* strides filled in */
};

/* clp_reduce_job of cl/reduce.cl. */
struct numbers {
    cl_ulong in_offset, second_offset, in_stride, second_stride, lengths_offset, out_offset, n, rows;
    cl_ulong totals_offset, totals_stride, state_stride;
    cl_uint teams, chunk, climb, has_lengths;
};

static clp_status launch_elements(struct clp_call *call, const struct plan *plan, const struct job *job) {
    /* What is not there is not read either, but some drivers dislike a NULL argument. */
    const cl_mem some = call->block->state;
    const cl_mem in = job->in.mem ? job->in.mem : some, second = job->second.mem ? job->second.mem : some;
    const cl_mem lengths = job->rows.lengths.mem ? job->rows.lengths.mem : some;
    const bool levels = plan->schedule == CLP_SCHEDULE_LEVELS;
    const struct numbers numbers = {
        .in_offset = job->in.offset,
        .second_offset = job->second.offset,
        .in_stride = job->rows.stride,
        .second_stride = job->rows.second_stride,
        .lengths_offset = job->rows.lengths.offset,
        .out_offset = job->out.offset,
        .n = job->rows.columns,
        .rows = job->rows.count,
        .totals_offset = clp_call_scratch_offset(call, plan->form.accumulator_size),
        .totals_stride = plan->levels.totals,
        .state_stride = plan->levels.nodes,
        .teams = (cl_uint)plan->teams,
        .chunk = (cl_uint)plan->chunk,
        .climb = plan->schedule == CLP_SCHEDULE_FUSED,
        .has_lengths = job->rows.lengths.mem != NULL,
    };
    const struct clp_arg args[] = {
        {sizeof in, &in},
        {sizeof second, &second},
        {sizeof lengths, &lengths},
        {sizeof job->out.mem, &job->out.mem},
        {sizeof call->scratch, &call->scratch},
        {sizeof call->block->state, &call->block->state},
        {plan->form.accumulator_size, &plan->form.pad},
        {plan->form.result_size, &plan->form.empty},
        {sizeof numbers, &numbers},
    };
    const int kernel = plan->schedule == CLP_SCHEDULE_SINGLE ? KERNEL_SINGLE : KERNEL_REDUCE;
    return clp_call_launch(call, plan->variant, kernel, args, sizeof args / sizeof *args, plan->groups,
                           !levels || plan->levels.count == 1);
}

/* Folds level `level` − 1's totals; schedule "levels". */
static clp_status launch_level(struct clp_call *call, const struct plan *plan, int level, const struct job *job) {
    const size_t group = clp_variant_work_group_size(plan->variant);
    const cl_ulong count = plan->levels.of[level - 1], n = job->rows.columns, out_offset = job->out.offset;
    const cl_uint depth = (cl_uint)level - 1;
    cl_ulong totals_offset = clp_call_scratch_offset(call, plan->form.accumulator_size);
    for (int below = 0; below < level - 1; below++)
        totals_offset += plan->levels.of[below];
    const struct clp_arg args[] = {
        {sizeof call->scratch, &call->scratch},
        {sizeof job->out.mem, &job->out.mem},
        {plan->form.accumulator_size, &plan->form.pad},
        {plan->form.result_size, &plan->form.empty},
        {sizeof totals_offset, &totals_offset},
        {sizeof count, &count},
        {sizeof depth, &depth},
        {sizeof n, &n},
        {sizeof out_offset, &out_offset},
    };
    const size_t nodes = plan->levels.of[level];
    const size_t groups = call->context->info.shape == CLP_SHAPE_SIMD ? (nodes + group - 1) / group : nodes;
    return clp_call_launch(call, plan->variant, KERNEL_NODE, args, sizeof args / sizeof *args, groups,
                           level == plan->levels.count - 1);
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

enum { IN, SECOND, LENGTHS, OUT, NUM_RANGES };

static clp_status check_job(const clp_context *context, const struct plan *plan, struct job *job,
                            struct clp_range ranges[NUM_RANGES]) {
    size_t extent = 0, second_extent = 0;
    const size_t element = plan->form.element_size;
    clp_rows *rows = &job->rows;
    clp_status status =
        clp_reduce_check_second(&plan->form, job->second, rows->count == 0 || rows->columns == 0);
    if (status == CLP_SUCCESS)
        status = check_stride(rows, &rows->stride, "stride", &extent);
    if (status == CLP_SUCCESS)
        status = check_stride(rows, &rows->second_stride, "second_stride", &second_extent);
    if (status == CLP_SUCCESS)
        status = clp_check_range(context, job->in, element, extent, CLP_READ, "in", &ranges[IN]);
    if (status == CLP_SUCCESS)
        status = clp_check_range(context, job->second, element, plan->form.paired ? second_extent : 0,
                                 CLP_READ, "second", &ranges[SECOND]);
    if (status == CLP_SUCCESS)
        status = clp_check_range(context, rows->lengths, sizeof(cl_uint), rows->lengths.mem ? rows->count : 0,
                                 CLP_READ, "lengths", &ranges[LENGTHS]);
    if (status == CLP_SUCCESS)
        status = clp_check_range(context, job->out, plan->form.result_size, rows->count, CLP_WRITE, "out",
                                 &ranges[OUT]);
    for (int i = IN; i < OUT && status == CLP_SUCCESS; i++)
        status = clp_check_disjoint(&ranges[i], &ranges[OUT]);
    return status;
}

static clp_status reduce(clp_context *context, cl_command_queue queue, const clp_reduce_desc *desc,
                         struct job *job, const clp_workspace *workspace, cl_uint num_waits,
                         const cl_event *waits, cl_event *event) {
    struct clp_call call;
    struct plan plan;
    struct clp_range ranges[NUM_RANGES];
    clp_status status = clp_call_begin(&call, context, queue, num_waits, waits, event);
    if (status == CLP_SUCCESS)
        status = make_plan(context, desc, job->rows.count, job->rows.columns, job->rows.lengths.mem != NULL,
                           &plan);
    if (status == CLP_SUCCESS)
        status = check_job(context, &plan, job, ranges);
    if (status == CLP_SUCCESS)
        status = clp_call_scratch(&call, workspace, scratch_size(&plan, job->rows.count), ranges, NUM_RANGES);
    if (status == CLP_SUCCESS)
        status = launch_elements(&call, &plan, job);
    for (int level = 1;
         status == CLP_SUCCESS && plan.schedule == CLP_SCHEDULE_LEVELS && level < plan.levels.count; level++)
        status = launch_level(&call, &plan, level, job);
    return clp_call_end(&call, status, event);
}

static clp_status reduce_fast(clp_context *context, cl_command_queue queue, const clp_reduce_desc *desc,
                              const struct job *job, const clp_workspace *workspace, cl_uint num_waits,
                              const cl_event *waits, cl_event *event) {
    struct clp_call call;
    clp_status status = clp_call_begin(&call, context, queue, num_waits, waits, event);
    if (status == CLP_SUCCESS)
        status = clp_reduce_check_fields(context, desc);
    if (status == CLP_SUCCESS)
        status = clp_reduce_fast(&call, desc, job->in, job->out, job->rows.columns, workspace);
    return clp_call_end(&call, status, event);
}

clp_status clp_reduce(clp_context *context, cl_command_queue queue, const clp_reduce_desc *desc,
                      clp_buffer in, clp_buffer out, size_t n, const clp_workspace *workspace,
                      cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event) {
    struct job job = {.in = in, .out = out, .rows = {.count = 1, .columns = n}};
    if (desc && desc->mode == CLP_REDUCE_FAST)
        return reduce_fast(context, queue, desc, &job, workspace, num_events_in_wait_list, event_wait_list, event);
    return reduce(context, queue, desc, &job, workspace, num_events_in_wait_list, event_wait_list, event);
}

clp_status clp_reduce_pair(clp_context *context, cl_command_queue queue, const clp_reduce_desc *desc,
                           clp_buffer in, clp_buffer second, clp_buffer out, size_t n,
                           const clp_workspace *workspace, cl_uint num_events_in_wait_list,
                           const cl_event *event_wait_list, cl_event *event) {
    struct job job = {.in = in, .second = second, .out = out, .rows = {.count = 1, .columns = n}};
    return reduce(context, queue, desc, &job, workspace, num_events_in_wait_list, event_wait_list, event);
}

static clp_status check_rows(const clp_rows *rows) {
    if (!rows)
        return clp_fail(CLP_INVALID_ARGUMENT, "rows is NULL");
    if (!clp_reserved_zero(rows->reserved))
        return clp_fail(CLP_INVALID_ARGUMENT, "rows: a reserved field is not zero");
    return CLP_SUCCESS;
}

clp_status clp_reduce_rows(clp_context *context, cl_command_queue queue, const clp_reduce_desc *desc,
                           clp_buffer in, clp_buffer second, clp_buffer out, const clp_rows *rows,
                           const clp_workspace *workspace, cl_uint num_events_in_wait_list,
                           const cl_event *event_wait_list, cl_event *event) {
    if (event)
        *event = NULL;
    const clp_status status = check_rows(rows);
    if (status != CLP_SUCCESS)
        return status;
    struct job job = {.in = in, .second = second, .out = out, .rows = *rows};
    return reduce(context, queue, desc, &job, workspace, num_events_in_wait_list, event_wait_list, event);
}

clp_status clp_reduce_rows_plan(clp_context *context, const clp_reduce_desc *desc, const clp_rows *rows,
                                clp_plan *plan) {
    const clp_status status = check_rows(rows);
    return status == CLP_SUCCESS
               ? tell_plan(context, desc, rows->count, rows->columns, rows->lengths.mem != NULL, plan)
               : status;
}

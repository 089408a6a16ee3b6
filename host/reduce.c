/* SPDX-License-Identifier: Apache-2.0 */
/* Reduction: how a call is spread over launches. See cl/reduce.cl for the kernels. */
#include "reduce_fast.h"
#include "reduce_form.h"

#include <stdio.h>
#include <string.h>

enum { TILE = 4096, KERNEL_REDUCE = 0, KERNEL_NODE = 1, MAX_LEVELS = 6 };

clp_type clp_reduce_result_type(const clp_reduce_desc *desc) {
    struct clp_reduce_form form;
    if (!desc || clp_type_size(desc->type) == 0 || strcmp(clp_op_name(desc->op), "invalid") == 0)
        return CLP_TYPE_INVALID;
    if (desc->mode == CLP_REDUCE_FAST)
        return clp_reduce_fast_exists(desc) ? desc->type : CLP_TYPE_INVALID;
    if (!clp_reduce_form_of(desc, CLP_SHAPE_SIMT, &form))
        return CLP_TYPE_INVALID;
    return form.result;
}

/* ---- plan ------------------------------------------------------------------------------------------- */

/* Everything a call needs to know before it enqueues. */
struct plan {
    struct clp_reduce_form form;
    struct clp_variant *variant;
    clp_schedule schedule;
    size_t levels[MAX_LEVELS]; /* totals of a row on each level, the last is 1 */
    int num_levels;
    size_t totals;   /* of all levels of a row */
    size_t counters; /* of a row */
    size_t chunk;    /* tiles that a team takes at a time */
    size_t teams;    /* that work on a row */
    size_t groups;   /* work-groups of the first launch */
};

static size_t tiles_of(size_t n) {
    return n == 0 ? 1 : n / TILE + (n % TILE != 0);
}

/* How the work-items of the simt shape share a tile: 16 bytes a load, 128 lanes, 32 work-items at most. */
struct lanes {
    size_t vector, items;
};

static struct lanes lanes_of(size_t element_size) {
    const size_t vector = 16 / element_size;
    return (struct lanes){vector, 128 / vector < 32 ? 128 / vector : 32};
}

/* Tiles that a work-group folds at a time in the simt shape: what its work-items or its local memory hold. */
static size_t step_tiles(const clp_context *context, size_t work_group_size, clp_subgroups subgroups,
                         const struct clp_reduce_form *form) {
    const size_t items = lanes_of(form->element_size).items, tile_bytes = 128 * form->accumulator_size;
    size_t memory = context->info.local_memory / 4; /* some devices add up the kernels of a program */
    if (memory > 8 << 10)
        memory = 8 << 10;
    size_t step = 1;
    while (2 * step * items <= work_group_size &&
           (subgroups != CLP_SUBGROUPS_LOCAL || 2 * step * tile_bytes <= memory))
        step *= 2;
    return step;
}

static void size_defines(const clp_context *context, const struct clp_variant_key *key,
                         size_t work_group_size, clp_subgroups subgroups, char *text, size_t size) {
    snprintf(text, size, "#define CLP_STEP_TILES %zu\n",
             step_tiles(context, work_group_size, subgroups, key->pattern));
}

static clp_status check_desc(clp_context *context, const clp_reduce_desc *desc,
                             struct clp_reduce_form *form) {
    if (!context)
        return clp_fail(CLP_INVALID_ARGUMENT, "context is NULL");
    if (!desc)
        return clp_fail(CLP_INVALID_ARGUMENT, "desc is NULL");
    if (!clp_reserved_zero(desc->reserved))
        return clp_fail(CLP_INVALID_ARGUMENT, "desc: a reserved field is not zero");
    if (clp_type_size(desc->type) == 0)
        return clp_fail(CLP_INVALID_TYPE, "desc->type is %d, no element type", (int)desc->type);
    if (desc->result != CLP_TYPE_INVALID && clp_type_size(desc->result) == 0)
        return clp_fail(CLP_INVALID_TYPE, "desc->result is %d, no element type", (int)desc->result);
    if (strcmp(clp_op_name(desc->op), "invalid") == 0)
        return clp_fail(CLP_INVALID_OPERATOR, "desc->op is %d, no operator", (int)desc->op);
    if (desc->mode != CLP_REDUCE_TREE && desc->mode != CLP_REDUCE_WIDE && desc->mode != CLP_REDUCE_FAST)
        return clp_fail(CLP_INVALID_MODE, "desc->mode is %d, no mode", (int)desc->mode);
    if ((unsigned)desc->schedule > CLP_SCHEDULE_SINGLE)
        return clp_fail(CLP_INVALID_MODE, "desc->schedule is %d, no schedule", (int)desc->schedule);
    if (desc->mode == CLP_REDUCE_FAST)
        return clp_reduce_fast_check(context, desc);
    if (!clp_reduce_form_of(desc, context->info.shape, form))
        return clp_fail(CLP_UNSUPPORTED, "no reduction %s of %s to %s in mode %d", clp_op_name(desc->op),
                        clp_type_name(desc->type),
                        desc->result == CLP_TYPE_INVALID ? "any type" : clp_type_name(desc->result),
                        (int)desc->mode);
    if (form->f64 && !context->info.has_f64)
        return clp_fail(CLP_DEVICE_UNSUPPORTED, "%s has no doubles", context->info.name);
    if (desc->schedule == CLP_SCHEDULE_FUSED && !context->info.has_device_fence)
        return clp_fail(CLP_DEVICE_UNSUPPORTED, "%s has no device-scope acquire and release",
                        context->info.name);
    return CLP_SUCCESS;
}

static clp_status get_variant(clp_context *context, const struct clp_reduce_form *form,
                              struct clp_variant **variant) {
    const clp_status status = clp_subgroups_settle(context);
    if (status != CLP_SUCCESS)
        return status;
    const struct lanes elements = lanes_of(form->element_size), nodes = lanes_of(form->accumulator_size);
    struct clp_variant_key key = {.stem = "reduce",
                                  .kernels = {"clp_reduce", "clp_reduce_node"},
                                  .size_defines = size_defines,
                                  .pattern = form,
                                  .subgroups = context->info.subgroups};
    /* 16 loads of 16 bytes in flight keep a GPU's memory busy. */
    snprintf(
        key.defines, sizeof key.defines,
        "#define CLP_T %s\n#define CLP_B %s\n#define CLP_A %s\n#define CLP_A_BITS %zu\n#define CLP_R %s\n"
        "#define CLP_OP clp_%s\n#define CLP_LOAD %s\n#define CLP_WIDEN %s\n#define CLP_STORE %s\n"
        "#define CLP_PAIRED %d\n#define CLP_V %zu\n#define CLP_ITEMS %zu\n#define CLP_BATCH 16\n"
        "#define CLP_NODE_V %zu\n#define CLP_NODE_ITEMS %zu\n#define CLP_NODE_BATCH 16\n",
        form->element, form->lane, form->accumulator, 8 * form->accumulator_size, form->stored, form->op,
        form->load, form->widen, form->store, form->paired, elements.vector, elements.items, nodes.vector,
        nodes.items);
    return clp_variant_get(context, &key, variant);
}

/* Tiles a team takes at a time: as many as the tuning allows once all compute units have enough teams. */
static size_t choose_chunk(const clp_context *context, const struct plan *plan, size_t rows, size_t step) {
    const size_t tile_bytes = TILE * plan->form.element_size;
    const size_t teams = (size_t)context->info.compute_units * context->tuning.teams_per_unit;
    const size_t per_row = teams / rows + 1; /* as many teams a row as fill the device */
    size_t chunk = step;
    while (chunk < TILE && ((2 * chunk * tile_bytes <= context->tuning.team_bytes &&
                             plan->levels[0] / (2 * chunk) >= per_row) ||
                            (rows > 1 && plan->levels[0] / chunk >= 2 * per_row)))
        chunk *= 2;
    return chunk;
}

static clp_schedule choose_schedule(const clp_context *context, const clp_reduce_desc *desc,
                                    const struct plan *plan, size_t rows, bool ragged) {
    const bool counted = plan->counters <= CLP_STATE_WORDS / rows;
    if (desc->schedule != CLP_SCHEDULE_DEFAULT)
        return desc->schedule;
    if (plan->levels[0] <= plan->chunk)
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
    *plan = (struct plan){0};
    clp_status status = check_desc(context, desc, &plan->form);
    if (status == CLP_SUCCESS)
        status = get_variant(context, &plan->form, &plan->variant);
    if (status != CLP_SUCCESS)
        return status;
    for (size_t level = tiles_of(n);; level = tiles_of(level)) {
        plan->levels[plan->num_levels++] = level;
        plan->totals += level;
        if (level == 1)
            break;
        plan->counters += tiles_of(level);
    }
    if (rows == 0)
        rows = 1;
    const bool simd = context->info.shape == CLP_SHAPE_SIMD;
    const size_t group = clp_variant_work_group_size(plan->variant);
    const size_t step =
        simd ? 1 : step_tiles(context, group, clp_variant_subgroups(plan->variant), &plan->form);
    plan->chunk = choose_chunk(context, plan, rows, step);
    plan->schedule = choose_schedule(context, desc, plan, rows, ragged);
    if (plan->schedule == CLP_SCHEDULE_LEVELS &&
        (rows > 1 || ragged)) /* launches follow from one known length */
        return clp_fail(CLP_UNSUPPORTED, "CLP_SCHEDULE_LEVELS takes one row without lengths");
    if (plan->schedule == CLP_SCHEDULE_SINGLE)
        plan->chunk = TILE; /* a tile of totals at a time: no counter below 2^24 elements */
    const bool counted = plan->counters <= CLP_STATE_WORDS / rows ||
                         (plan->schedule == CLP_SCHEDULE_SINGLE && plan->num_levels <= 2);
    if (plan->schedule != CLP_SCHEDULE_LEVELS && !counted)
        return clp_fail(CLP_UNSUPPORTED, "%zu rows of %zu elements are too many for this schedule", rows, n);
    plan->teams =
        plan->schedule == CLP_SCHEDULE_SINGLE ? 1 : (plan->levels[0] + plan->chunk - 1) / plan->chunk;
    if (plan->teams > SIZE_MAX / rows / 4096 || plan->totals > SIZE_MAX / rows / 16)
        return clp_fail(CLP_OUT_OF_RANGE, "%zu rows of %zu elements are more than any memory holds", rows, n);
    const size_t teams = rows * plan->teams;
    plan->groups = simd ? (teams + group - 1) / group : teams;
    return CLP_SUCCESS;
}

static size_t scratch_size(const struct plan *plan, size_t rows) {
    return (rows ? rows : 1) * plan->totals * plan->form.accumulator_size;
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
    result->launches = plan.schedule == CLP_SCHEDULE_LEVELS ? (uint32_t)plan.num_levels : 1;
    result->work_group_size = clp_variant_work_group_size(plan.variant);
    result->shape = context->info.shape;
    result->subgroups = clp_variant_subgroups(plan.variant);
    return CLP_SUCCESS;
}

/* clp_reduce_plan() of the fast mode, which has kernels of its own. */
static clp_status tell_fast_plan(clp_context *context, const clp_reduce_desc *desc, size_t n,
                                 clp_plan *plan) {
    struct clp_reduce_form form;
    if (!plan)
        return clp_fail(CLP_INVALID_ARGUMENT, "plan is NULL");
    *plan = (clp_plan){0};
    const clp_status status = check_desc(context, desc, &form);
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

static clp_status launch_elements(struct clp_call *call, const struct plan *plan, const struct job *job) {
    /* What is not there is not read either, but some drivers dislike a NULL argument. */
    const cl_mem some = call->block->state;
    const cl_mem in = job->in.mem ? job->in.mem : some, second = job->second.mem ? job->second.mem : some;
    const cl_mem lengths = job->rows.lengths.mem ? job->rows.lengths.mem : some;
    const cl_ulong in_offset = job->in.offset, second_offset = job->second.offset;
    const cl_ulong in_stride = job->rows.stride, second_stride = job->rows.second_stride;
    const cl_ulong lengths_offset = job->rows.lengths.offset, n = job->rows.columns, rows = job->rows.count;
    const cl_ulong out_offset = job->out.offset, totals_stride = plan->totals, state_stride = plan->counters;
    const cl_ulong totals_offset = call->scratch_begin / plan->form.accumulator_size, teams = plan->teams;
    const cl_uint has_lengths = job->rows.lengths.mem != NULL, chunk = (cl_uint)plan->chunk;
    const cl_uint climb = plan->schedule != CLP_SCHEDULE_LEVELS;
    const struct clp_arg args[] = {
        {sizeof in, &in},
        {sizeof in_offset, &in_offset},
        {sizeof second, &second},
        {sizeof second_offset, &second_offset},
        {sizeof in_stride, &in_stride},
        {sizeof second_stride, &second_stride},
        {sizeof lengths, &lengths},
        {sizeof lengths_offset, &lengths_offset},
        {sizeof has_lengths, &has_lengths},
        {sizeof n, &n},
        {sizeof rows, &rows},
        {plan->form.accumulator_size, &plan->form.pad},
        {sizeof job->out.mem, &job->out.mem},
        {sizeof out_offset, &out_offset},
        {plan->form.result_size, &plan->form.empty},
        {sizeof call->scratch, &call->scratch},
        {sizeof totals_offset, &totals_offset},
        {sizeof totals_stride, &totals_stride},
        {sizeof call->block->state, &call->block->state},
        {sizeof state_stride, &state_stride},
        {sizeof teams, &teams},
        {sizeof chunk, &chunk},
        {sizeof climb, &climb},
    };
    return clp_call_launch(call, plan->variant, KERNEL_REDUCE, args, sizeof args / sizeof *args, plan->groups,
                           plan->schedule != CLP_SCHEDULE_LEVELS || plan->num_levels == 1);
}

/* Folds level `level` − 1's totals; schedule "levels". */
static clp_status launch_level(struct clp_call *call, const struct plan *plan, int level, clp_buffer out) {
    const size_t group = clp_variant_work_group_size(plan->variant);
    const cl_ulong count = plan->levels[level - 1], out_offset = out.offset;
    cl_ulong totals_offset = call->scratch_begin / plan->form.accumulator_size;
    for (int below = 0; below < level - 1; below++)
        totals_offset += plan->levels[below];
    const struct clp_arg args[] = {
        {sizeof call->scratch, &call->scratch},
        {sizeof totals_offset, &totals_offset},
        {sizeof count, &count},
        {plan->form.accumulator_size, &plan->form.pad},
        {sizeof out.mem, &out.mem},
        {sizeof out_offset, &out_offset},
    };
    const size_t tiles = plan->levels[level];
    const size_t groups = call->context->info.shape == CLP_SHAPE_SIMD ? (tiles + group - 1) / group : tiles;
    return clp_call_launch(call, plan->variant, KERNEL_NODE, args, sizeof args / sizeof *args, groups,
                           level == plan->num_levels - 1);
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
    if (plan->form.paired != (job->second.mem != NULL) && (job->second.mem || (rows->count && rows->columns)))
        return clp_fail(CLP_UNSUPPORTED, "this operator takes %s",
                        plan->form.paired ? "two arrays" : "one array");
    clp_status status = check_stride(rows, &rows->stride, "stride", &extent);
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
    if (status == CLP_SUCCESS && desc && desc->mode == CLP_REDUCE_FAST) {
        status = check_desc(context, desc, &plan.form);
        if (status == CLP_SUCCESS && job->second.mem)
            status = clp_fail(CLP_UNSUPPORTED, "the fast mode takes one array");
        if (status == CLP_SUCCESS)
            status = clp_reduce_fast(&call, desc, job->in, job->out, job->rows.columns, workspace);
        return clp_call_end(&call, status, event);
    }
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
         status == CLP_SUCCESS && plan.schedule == CLP_SCHEDULE_LEVELS && level < plan.num_levels; level++)
        status = launch_level(&call, &plan, level, job->out);
    return clp_call_end(&call, status, event);
}

clp_status clp_reduce(clp_context *context, cl_command_queue queue, const clp_reduce_desc *desc,
                      clp_buffer in, clp_buffer out, size_t n, const clp_workspace *workspace,
                      cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event) {
    struct job job = {.in = in, .out = out, .rows = {.count = 1, .columns = n}};
    return reduce(context, queue, desc, &job, workspace, num_events_in_wait_list, event_wait_list, event);
}

clp_status clp_reduce_pair(clp_context *context, cl_command_queue queue, const clp_reduce_desc *desc,
                           clp_buffer in, clp_buffer second, clp_buffer out, size_t n,
                           const clp_workspace *workspace, cl_uint num_events_in_wait_list,
                           const cl_event *event_wait_list, cl_event *event) {
    struct job job = {.in = in, .second = second, .out = out, .rows = {.count = 1, .columns = n}};
    return reduce(context, queue, desc, &job, workspace, num_events_in_wait_list, event_wait_list, event);
}

static clp_status check_rows(const clp_rows *rows, const clp_reduce_desc *desc) {
    if (!rows)
        return clp_fail(CLP_INVALID_ARGUMENT, "rows is NULL");
    if (desc && desc->mode == CLP_REDUCE_FAST)
        return clp_fail(CLP_UNSUPPORTED, "the fast mode takes no rows");
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
    const clp_status status = check_rows(rows, desc);
    if (status != CLP_SUCCESS)
        return status;
    struct job job = {.in = in, .second = second, .out = out, .rows = *rows};
    return reduce(context, queue, desc, &job, workspace, num_events_in_wait_list, event_wait_list, event);
}

clp_status clp_reduce_rows_plan(clp_context *context, const clp_reduce_desc *desc, const clp_rows *rows,
                                clp_plan *plan) {
    const clp_status status = check_rows(rows, desc);
    return status == CLP_SUCCESS
               ? tell_plan(context, desc, rows->count, rows->columns, rows->lengths.mem != NULL, plan)
               : status;
}

clp_status clp_reduce_segments(clp_context *context, cl_command_queue queue, const clp_reduce_desc *desc,
                               clp_buffer in, clp_buffer second, clp_buffer out, const clp_segments *segments,
                               const clp_workspace *workspace, cl_uint num_events_in_wait_list,
                               const cl_event *event_wait_list, cl_event *event) {
    (void)context, (void)queue, (void)desc, (void)in, (void)second, (void)out, (void)segments,
        (void)workspace;
    (void)num_events_in_wait_list, (void)event_wait_list;
    if (event)
        *event = NULL;
    return clp_fail(CLP_UNSUPPORTED, "segments");
}

clp_status clp_reduce_segments_plan(clp_context *context, const clp_reduce_desc *desc,
                                    const clp_segments *segments, clp_plan *plan) {
    (void)context, (void)desc, (void)segments, (void)plan;
    return clp_fail(CLP_UNSUPPORTED, "segments");
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Reduction: which kernel a description means, how a call is spread over launches. See cl/reduce.cl. */
#include "internal.h"

#include <stdio.h>
#include <string.h>

enum { TILE = 4096, KERNEL_REDUCE = 0, KERNEL_NODE = 1, MAX_LEVELS = 6 };

/* A value of any accumulator or result type, as kernels take it. */
union value {
    cl_int i32;
    cl_uint u32;
    cl_long i64;
    cl_ulong u64;
    cl_float f32;
    cl_double f64;
};

/* One combination that exists: how the kernel computes it. */
struct form {
    clp_op op;
    clp_type type, result;
    const char *accumulator, *load, *store; /* CLP_A, CLP_LOAD, CLP_STORE */
    size_t accumulator_size;
    union value pad, empty; /* the operator's identity as an accumulator; the result of nothing */
};

/* Minimum and maximum of floats are those of their keys (cl/order.cl): any key is above INT_MIN, below
 * INT_MAX. */
static const struct form forms[] = {
    {CLP_SUM, CLP_I32, CLP_I64, "ulong", "clp_wide_int", "as_long", 8, {.u64 = 0}, {.i64 = 0}},
    {CLP_SUM, CLP_I32, CLP_I32, "uint", "as_uint", "as_int", 4, {.u32 = 0}, {.i32 = 0}},
    {CLP_SUM, CLP_U32, CLP_U64, "ulong", "convert_ulong", "clp_same", 8, {.u64 = 0}, {.u64 = 0}},
    {CLP_SUM, CLP_U32, CLP_U32, "uint", "clp_same", "clp_same", 4, {.u32 = 0}, {.u32 = 0}},
    {CLP_SUM, CLP_F32, CLP_F32, "float", "clp_same", "clp_canonical_float", 4, {.f32 = -0.0f}, {.f32 = 0.0f}},
    {CLP_SUM, CLP_F64, CLP_F64, "double", "clp_same", "clp_canonical_double", 8, {.f64 = -0.0}, {.f64 = 0.0}},
    {CLP_MIN, CLP_I32, CLP_I32, "int", "clp_same", "clp_same", 4, {.i32 = CL_INT_MAX}, {.i32 = CL_INT_MAX}},
    {CLP_MAX, CLP_I32, CLP_I32, "int", "clp_same", "clp_same", 4, {.i32 = CL_INT_MIN}, {.i32 = CL_INT_MIN}},
    {CLP_MIN,
     CLP_U32,
     CLP_U32,
     "uint",
     "clp_same",
     "clp_same",
     4,
     {.u32 = CL_UINT_MAX},
     {.u32 = CL_UINT_MAX}},
    {CLP_MAX, CLP_U32, CLP_U32, "uint", "clp_same", "clp_same", 4, {.u32 = 0}, {.u32 = 0}},
    {CLP_MIN,
     CLP_F32,
     CLP_F32,
     "int",
     "clp_key_float",
     "clp_unkey_float",
     4,
     {.i32 = CL_INT_MAX},
     {.u32 = 0x7f800000}},
    {CLP_MAX,
     CLP_F32,
     CLP_F32,
     "int",
     "clp_key_float",
     "clp_unkey_float",
     4,
     {.i32 = CL_INT_MIN},
     {.u32 = 0xff800000}},
    {CLP_MIN,
     CLP_F64,
     CLP_F64,
     "long",
     "clp_key_double",
     "clp_unkey_double",
     8,
     {.i64 = CL_LONG_MAX},
     {.u64 = 0x7ff0000000000000}},
    {CLP_MAX,
     CLP_F64,
     CLP_F64,
     "long",
     "clp_key_double",
     "clp_unkey_double",
     8,
     {.i64 = CL_LONG_MIN},
     {.u64 = 0xfff0000000000000}},
};

static const char *kernel_type(clp_type type) {
    static const char *const names[] = {
        [CLP_I32] = "int",   [CLP_U32] = "uint",  [CLP_I64] = "long",
        [CLP_U64] = "ulong", [CLP_F32] = "float", [CLP_F64] = "double",
    };
    return names[type];
}

/* The form of a description; a result type of 0 is the first that the table has. NULL: there is none. */
static const struct form *form_of(const clp_reduce_desc *desc) {
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (forms[i].op == desc->op && forms[i].type == desc->type &&
            (desc->result == CLP_TYPE_INVALID || desc->result == forms[i].result))
            return &forms[i];
    return NULL;
}

clp_type clp_reduce_result_type(const clp_reduce_desc *desc) {
    const struct form *form = desc ? form_of(desc) : NULL;
    return form ? form->result : CLP_TYPE_INVALID;
}

/* ---- plan --------------------------------------------------------------------------------------------- */

/* Everything a call needs to know before it enqueues. */
struct plan {
    const struct form *form;
    struct clp_variant *variant;
    clp_schedule schedule;
    size_t levels[MAX_LEVELS]; /* totals on each level, the last is 1 */
    int num_levels;
    size_t totals; /* of all levels */
    size_t chunk;  /* tiles that a team takes at a time */
    size_t teams;  /* that take them */
    size_t groups; /* work-groups of the first launch */
};

static size_t tiles_of(size_t n) {
    return n == 0 ? 1 : n / TILE + (n % TILE != 0);
}

/* Tiles that a work-group folds at a time in the simt shape: what its work-items or its local memory hold. */
static size_t step_tiles(const clp_context *context, size_t work_group_size, clp_subgroups subgroups,
                         size_t accumulator_size) {
    const size_t tile_items = 32, tile_bytes = 128 * accumulator_size;
    size_t memory = context->info.local_memory / 4; /* some devices add up the kernels of a program */
    if (memory > 8 << 10)
        memory = 8 << 10;
    size_t step = 1;
    while (2 * step * tile_items <= work_group_size &&
           (subgroups != CLP_SUBGROUPS_LOCAL || 2 * step * tile_bytes <= memory))
        step *= 2;
    return step;
}

static void size_defines(const clp_context *context, const struct clp_variant_key *key,
                         size_t work_group_size, clp_subgroups subgroups, char *text, size_t size) {
    snprintf(text, size, "#define CLP_STEP_TILES %zu\n",
             step_tiles(context, work_group_size, subgroups, key->element_size));
}

static clp_status check_desc(clp_context *context, const clp_reduce_desc *desc, const struct form **form) {
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
    if (desc->mode != CLP_REDUCE_TREE)
        return clp_fail(CLP_INVALID_MODE, "desc->mode is %d, no mode", (int)desc->mode);
    if ((unsigned)desc->schedule > CLP_SCHEDULE_SINGLE)
        return clp_fail(CLP_INVALID_MODE, "desc->schedule is %d, no schedule", (int)desc->schedule);
    *form = form_of(desc);
    if (!*form)
        return clp_fail(CLP_UNSUPPORTED, "no reduction %s of %s to %s", clp_op_name(desc->op),
                        clp_type_name(desc->type),
                        desc->result == CLP_TYPE_INVALID ? "any type" : clp_type_name(desc->result));
    if (desc->type == CLP_F64 && !context->info.has_f64)
        return clp_fail(CLP_DEVICE_UNSUPPORTED, "%s has no doubles", context->info.name);
    if (desc->schedule == CLP_SCHEDULE_FUSED && !context->info.has_device_fence)
        return clp_fail(CLP_DEVICE_UNSUPPORTED, "%s has no device-scope acquire and release",
                        context->info.name);
    return CLP_SUCCESS;
}

static clp_status get_variant(clp_context *context, const struct form *form, struct clp_variant **variant) {
    const clp_status status = clp_subgroups_settle(context);
    if (status != CLP_SUCCESS)
        return status;
    struct clp_variant_key key = {.stem = "reduce",
                                  .kernels = {"clp_reduce", "clp_reduce_node"},
                                  .size_defines = size_defines,
                                  .element_size = (uint32_t)form->accumulator_size,
                                  .subgroups = context->info.subgroups};
    /* A work-item of the simt shape has about 256 bytes of loads in flight. */
    const size_t batch = 256 / (4 * clp_type_size(form->type));
    snprintf(key.defines, sizeof key.defines,
             "#define CLP_T %s\n#define CLP_A %s\n#define CLP_A_BITS %zu\n#define CLP_R %s\n#define CLP_OP "
             "clp_%s\n"
             "#define CLP_LOAD %s\n#define CLP_STORE %s\n#define CLP_BATCH %zu\n",
             kernel_type(form->type), form->accumulator, 8 * form->accumulator_size,
             kernel_type(form->result), clp_op_name(form->op), form->load, form->store, batch);
    return clp_variant_get(context, &key, variant);
}

/* Tiles a team takes at a time: as many as the tuning allows once all compute units have enough teams. */
static size_t choose_chunk(const clp_context *context, const struct plan *plan, size_t step) {
    const size_t tile_bytes = TILE * clp_type_size(plan->form->type);
    const size_t teams = (size_t)context->info.compute_units * context->tuning.teams_per_unit;
    size_t chunk = step;
    while (chunk < TILE && 2 * chunk * tile_bytes <= context->tuning.team_bytes &&
           plan->levels[0] / (2 * chunk) >= teams)
        chunk *= 2;
    return chunk;
}

static clp_status make_plan(clp_context *context, const clp_reduce_desc *desc, size_t n, struct plan *plan) {
    *plan = (struct plan){0};
    clp_status status = check_desc(context, desc, &plan->form);
    if (status == CLP_SUCCESS)
        status = get_variant(context, plan->form, &plan->variant);
    if (status != CLP_SUCCESS)
        return status;
    size_t counters = 0;
    for (size_t level = tiles_of(n);; level = tiles_of(level)) {
        plan->levels[plan->num_levels++] = level;
        plan->totals += level;
        if (level == 1)
            break;
        counters += tiles_of(level);
    }

    const bool simd = context->info.shape == CLP_SHAPE_SIMD;
    const size_t group = clp_variant_work_group_size(plan->variant);
    const size_t step =
        simd ? 1
             : step_tiles(context, group, clp_variant_subgroups(plan->variant), plan->form->accumulator_size);
    const bool counted = counters <= CLP_STATE_WORDS;
    plan->schedule = desc->schedule;
    if (plan->schedule == CLP_SCHEDULE_DEFAULT)
        plan->schedule = plan->levels[0] <= step                     ? CLP_SCHEDULE_SINGLE
                         : context->info.has_device_fence && counted ? CLP_SCHEDULE_FUSED
                                                                     : CLP_SCHEDULE_LEVELS;
    if (plan->schedule != CLP_SCHEDULE_LEVELS && !counted)
        return clp_fail(CLP_UNSUPPORTED, "%zu elements are too many for this schedule", n);

    plan->chunk = choose_chunk(context, plan, step);
    plan->teams =
        plan->schedule == CLP_SCHEDULE_SINGLE ? 1 : (plan->levels[0] + plan->chunk - 1) / plan->chunk;
    plan->groups = simd ? (plan->teams + group - 1) / group : plan->teams;
    return CLP_SUCCESS;
}

clp_status clp_reduce_plan(clp_context *context, const clp_reduce_desc *desc, size_t n, clp_plan *result) {
    struct plan plan;
    if (!result)
        return clp_fail(CLP_INVALID_ARGUMENT, "plan is NULL");
    *result = (clp_plan){0};
    const clp_status status = make_plan(context, desc, n, &plan);
    if (status != CLP_SUCCESS)
        return status;
    result->workspace_size = plan.totals * plan.form->accumulator_size;
    result->schedule = plan.schedule;
    result->launches = plan.schedule == CLP_SCHEDULE_LEVELS ? (uint32_t)plan.num_levels : 1;
    result->work_group_size = clp_variant_work_group_size(plan.variant);
    result->shape = context->info.shape;
    result->subgroups = clp_variant_subgroups(plan.variant);
    return CLP_SUCCESS;
}

clp_status clp_reduce_prewarm(clp_context *context, const clp_reduce_desc *desc) {
    struct plan plan;
    return make_plan(context, desc, 0, &plan);
}

/* ---- call --------------------------------------------------------------------------------------------- */

static clp_status launch_elements(struct clp_call *call, const struct plan *plan, clp_buffer in,
                                  clp_buffer out, size_t n) {
    /* Without elements there may be no buffer; some drivers dislike a NULL argument even if nobody reads it.
     */
    const cl_mem in_mem = in.mem ? in.mem : call->block->state;
    const cl_ulong in_offset = in.offset, count = n, out_offset = out.offset, teams = plan->teams;
    const cl_ulong totals_offset = call->scratch_begin / plan->form->accumulator_size;
    const cl_uint chunk = (cl_uint)plan->chunk, climb = plan->schedule != CLP_SCHEDULE_LEVELS;
    const struct clp_arg args[] = {
        {sizeof in_mem, &in_mem},
        {sizeof in_offset, &in_offset},
        {sizeof count, &count},
        {plan->form->accumulator_size, &plan->form->pad},
        {sizeof out.mem, &out.mem},
        {sizeof out_offset, &out_offset},
        {clp_type_size(plan->form->result), &plan->form->empty},
        {sizeof call->scratch, &call->scratch},
        {sizeof totals_offset, &totals_offset},
        {sizeof call->block->state, &call->block->state},
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
    cl_ulong totals_offset = call->scratch_begin / plan->form->accumulator_size;
    for (int below = 0; below < level - 1; below++)
        totals_offset += plan->levels[below];
    const struct clp_arg args[] = {
        {sizeof call->scratch, &call->scratch},
        {sizeof totals_offset, &totals_offset},
        {sizeof count, &count},
        {plan->form->accumulator_size, &plan->form->pad},
        {sizeof out.mem, &out.mem},
        {sizeof out_offset, &out_offset},
    };
    const size_t tiles = plan->levels[level];
    const size_t groups = call->context->info.shape == CLP_SHAPE_SIMD ? (tiles + group - 1) / group : tiles;
    return clp_call_launch(call, plan->variant, KERNEL_NODE, args, sizeof args / sizeof *args, groups,
                           level == plan->num_levels - 1);
}

clp_status clp_reduce(clp_context *context, cl_command_queue queue, const clp_reduce_desc *desc,
                      clp_buffer in, clp_buffer out, size_t n, const clp_workspace *workspace,
                      cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event) {
    struct clp_call call;
    struct plan plan;
    struct clp_range ranges[2];
    clp_status status =
        clp_call_begin(&call, context, queue, num_events_in_wait_list, event_wait_list, event);
    if (status == CLP_SUCCESS)
        status = make_plan(context, desc, n, &plan);
    if (status == CLP_SUCCESS)
        status = clp_check_range(context, in, clp_type_size(plan.form->type), n, CLP_READ, "in", &ranges[0]);
    if (status == CLP_SUCCESS)
        status =
            clp_check_range(context, out, clp_type_size(plan.form->result), 1, CLP_WRITE, "out", &ranges[1]);
    if (status == CLP_SUCCESS)
        status = clp_check_disjoint(&ranges[0], &ranges[1]);
    if (status == CLP_SUCCESS)
        status = clp_call_scratch(&call, workspace, plan.totals * plan.form->accumulator_size, ranges, 2);
    if (status == CLP_SUCCESS)
        status = launch_elements(&call, &plan, in, out, n);
    for (int level = 1;
         status == CLP_SUCCESS && plan.schedule == CLP_SCHEDULE_LEVELS && level < plan.num_levels; level++)
        status = launch_level(&call, &plan, level, out);
    return clp_call_end(&call, status, event);
}

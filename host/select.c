/* SPDX-License-Identifier: Apache-2.0 */
/* Select: what a description means, and what a call checks and enqueues. See cl/select.cl for the kernels. */
#include "select_form.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KERNEL_COUNTS = 0, KERNEL_SPINE = 1, KERNEL_APPLY = 2 };

/* Elements of a part, least and most; and what one team selects alone in less time than two more launches
 * take. */
enum { TILE = 4096, MOST = 16 * TILE, FEW = 4 * TILE };

static size_t size_of(const clp_select_desc *desc, clp_type type) {
    return type == CLP_USER && desc->user ? desc->user->type_size : clp_type_size(type);
}

static bool is_type(clp_type type) {
    return strcmp(clp_type_name(type), "invalid") != 0;
}

/* CLP_U32, CLP_U64 or nothing. */
static bool is_index(clp_type type) {
    return type == CLP_TYPE_INVALID || type == CLP_U32 || type == CLP_U64;
}

static clp_status check_user(const clp_select_desc *desc) {
    const clp_user *user = desc->user;
    if (user &&
        (user->op || user->identity || user->transform || user->value || user->pair || user->promises))
        return clp_fail(CLP_UNSUPPORTED, "a selection's user text has declarations and a type only");
    clp_status status = clp_user_check(user, desc->type, CLP_SUM);
    if (status == CLP_SUCCESS && desc->second == CLP_USER)
        status = clp_user_check(user, CLP_USER, CLP_SUM);
    return status;
}

/* The types and the rest, whatever the call. */
static clp_status check_fields(const clp_context *context, const clp_select_desc *desc) {
    if (!desc)
        return clp_fail(CLP_INVALID_ARGUMENT, "desc is NULL");
    if (!clp_reserved_zero(desc->reserved))
        return clp_fail(CLP_INVALID_ARGUMENT, "desc: a reserved field is not zero");
    if (!is_type(desc->type))
        return clp_fail(CLP_INVALID_TYPE, "desc->type is %d, no element type", (int)desc->type);
    if (desc->second && !is_type(desc->second))
        return clp_fail(CLP_INVALID_TYPE, "desc->second is %d, no element type", (int)desc->second);
    if (!is_index(desc->index) || !is_index(desc->count))
        return clp_fail(CLP_INVALID_TYPE, "desc->index is %d and desc->count %d: u32, u64 or 0",
                        (int)desc->index, (int)desc->count);
    if ((unsigned)desc->schedule > CLP_SCHEDULE_BLELLOCH)
        return clp_fail(CLP_INVALID_MODE, "desc->schedule is %d, no schedule", (int)desc->schedule);
    if (desc->schedule != CLP_SCHEDULE_DEFAULT && desc->schedule != CLP_SCHEDULE_LEVELS &&
        desc->schedule != CLP_SCHEDULE_SINGLE)
        return clp_fail(CLP_UNSUPPORTED, "a selection has the schedules levels and single");
    if ((desc->type == CLP_F64 || desc->second == CLP_F64) && context && !context->info.has_f64)
        return clp_fail(CLP_DEVICE_UNSUPPORTED, "%s has no doubles", context->info.name);
    return check_user(desc);
}

/* Numbers of 32 bits count no more than they hold. */
static clp_status check_numbers(const clp_select_desc *desc, size_t n) {
    if ((desc->index == CLP_U32 || desc->count == CLP_U32) && n > CL_UINT_MAX)
        return clp_fail(CLP_UNSUPPORTED, "%zu elements are too many for indices or counts of 32 bits", n);
    return CLP_SUCCESS;
}

clp_status clp_select_form_of(const clp_context *context, const clp_select_desc *desc, bool heads,
                              enum clp_select_others others, struct clp_select_form *form) {
    clp_status status = check_fields(context, desc);
    if (status != CLP_SUCCESS)
        return status;
    if (heads && desc->where)
        return clp_fail(CLP_INVALID_ARGUMENT, "clp_unique() takes no desc->where");
    if (heads && desc->type == CLP_USER)
        return clp_fail(CLP_UNSUPPORTED, "clp_unique() compares built-in types");
    if (!heads && !desc->where && !desc->second)
        return clp_fail(CLP_INVALID_ARGUMENT,
                        "desc->where is NULL and there are no flags: desc->second is 0");
    if (!heads && !desc->where && (desc->second < CLP_I8 || desc->second > CLP_U64))
        return clp_fail(CLP_INVALID_TYPE, "flags are integers: desc->second is %s",
                        clp_type_name(desc->second));
    if (others == CLP_OTHERS_VALUES && !desc->second)
        others = CLP_OTHERS_DROPPED;
    *form = (struct clp_select_form){.by = heads         ? CLP_BY_HEADS
                                           : desc->where ? CLP_BY_TEXT
                                                         : CLP_BY_FLAGS,
                                     .others = others,
                                     .out = desc->index ? desc->index : desc->type,
                                     .count = desc->count ? desc->count : CLP_U64};
    form->element_size = size_of(desc, desc->type);
    form->second_size = desc->second ? size_of(desc, desc->second) : 1;
    form->out_size = size_of(desc, form->out);
    form->count_size = clp_type_size(form->count);
    return CLP_SUCCESS;
}

/* ---- the kernels -------------------------------------------------------------------------------------- */

/* What a predicate sees of a type, and the conversion to it. */
static const char *seen_type(clp_type type) {
    return type == CLP_F16 || type == CLP_BF16 ? "float" : clp_type_texts[type].name;
}

static const char *see(clp_type type) {
    return type == CLP_F16 ? "clp_half" : type == CLP_BF16 ? "clp_bfloat" : "clp_same";
}

/*
 * Elements of a work-item in a tile: 64 bytes of each array that local memory holds, 16 elements at most;
 * fewer where a large work-group would need more than half of it (some devices add up the kernels of a
 * program).
 */
static void size_defines(const clp_context *context, const struct clp_variant_key *key,
                         size_t work_group_size, clp_subgroups subgroups, char *text, size_t size) {
    const struct clp_select_form *form = key->pattern;
    const bool values = form->others == CLP_OTHERS_VALUES;
    const size_t each = form->out_size + (values ? form->second_size : 0);
    const size_t largest = values && form->second_size > form->out_size ? form->second_size : form->out_size;
    size_t items = 64 / largest < 16 ? 64 / largest : 16;
    while (items > 1 && items * each * work_group_size > context->info.local_memory / 2)
        items /= 2;
    (void)subgroups;
    snprintf(text, size, "#define CLP_ITEMS %zuu\n", items);
}

static clp_status get_variant(clp_context *context, const clp_select_desc *desc,
                              const struct clp_select_form *form, struct clp_variant **variant) {
    /* Types fit four bits. User text is told apart by itself. */
    const uint32_t id = (uint32_t)desc->type | (uint32_t)desc->second << 4 | (uint32_t)desc->index << 8 |
                        (uint32_t)form->count << 12 | (uint32_t)form->others << 16 | (uint32_t)form->by << 18;
    const bool told = !desc->where && !desc->user;
    *variant = told ? clp_variant_find(context, "select", id) : NULL;
    if (*variant)
        return CLP_SUCCESS;
    struct clp_variant_key key = {.stem = "select",
                                  .kernels = {"clp_select_counts", "clp_select_spine", "clp_select_apply"},
                                  .size_defines = size_defines,
                                  .pattern = form,
                                  .id = told ? id : 0,
                                  .subgroups = CLP_SUBGROUPS_LOCAL};
    const clp_type second = desc->second ? desc->second : CLP_U8;
    snprintf(key.defines, sizeof key.defines,
             "#define CLP_T %s\n#define CLP_W %s\n#define CLP_BY %d\n#define CLP_SEE %s\n"
             "#define CLP_SEE_SECOND %s\n#define CLP_PAIRED %d\n#define CLP_OUT %s\n#define CLP_INDICES %d\n"
             "#define CLP_OTHERS %d\n#define CLP_OUT_BITS %zu\n#define CLP_C %s\n",
             clp_type_texts[desc->type].name, clp_type_texts[second].name, (int)form->by, see(desc->type),
             see(second), desc->second != CLP_TYPE_INVALID, clp_type_texts[form->out].name, desc->index != 0,
             (int)form->others, 8 * form->out_size, clp_type_texts[form->count].name);
    clp_user user = {.transform = desc->where};
    if (desc->user) {
        user.declarations = desc->user->declarations;
        user.type = desc->user->type;
        user.type_size = desc->user->type_size;
    }
    const struct clp_reduce_form text = {.value = "bool",
                                         .label = "where",
                                         .seen_type = seen_type(desc->type),
                                         .seen_second = desc->second ? seen_type(desc->second) : NULL};
    char *chars = NULL;
    clp_status status = clp_user_text(&user, &text, &chars);
    if (status == CLP_SUCCESS) {
        key.user = chars;
        status = clp_variant_get(context, &key, variant);
    }
    free(chars);
    return status;
}

/* ---- plan --------------------------------------------------------------------------------------------- */

struct plan {
    struct clp_select_form form;
    struct clp_variant *variant;
    bool single;        /* one launch without counts */
    size_t part, parts; /* elements of a part; parts */
};

static size_t units(size_t n, size_t unit) {
    return n / unit + (n % unit != 0);
}

static clp_status make_plan(clp_context *context, const clp_select_desc *desc, bool heads,
                            enum clp_select_others others, size_t n, bool in_place, struct plan *plan) {
    *plan = (struct plan){0};
    if (!context)
        return clp_fail(CLP_INVALID_ARGUMENT, "context is NULL");
    clp_status status = clp_select_form_of(context, desc, heads, others, &plan->form);
    if (status == CLP_SUCCESS)
        status = check_numbers(desc, n);
    if (status == CLP_SUCCESS && in_place && desc->schedule == CLP_SCHEDULE_LEVELS)
        status = clp_fail(CLP_UNSUPPORTED, "in place a selection has the schedule single only");
    if (status == CLP_SUCCESS)
        status = get_variant(context, desc, &plan->form, &plan->variant);
    if (status != CLP_SUCCESS)
        return status;
    const bool one_team = desc->schedule == CLP_SCHEDULE_SINGLE ||
                          (desc->schedule == CLP_SCHEDULE_DEFAULT && (n <= FEW || in_place));
    /* A part is read twice, so it should stay in the nearest cache that holds it; and all teams have some.
     * Parts depend on n alone, so that a workspace serves any call of a description. */
    const size_t teams = (size_t)context->info.compute_units * context->tuning.teams_per_unit;
    size_t part = units(units(n, teams), TILE) * TILE;
    part = part < TILE ? TILE : part > MOST ? MOST : part;
    plan->part = one_team ? (n ? n : 1) : part;
    plan->parts = one_team ? n > 0 : units(n, part);
    /* A partition must know where the others begin. */
    plan->single = one_team && plan->form.others != CLP_OTHERS_REJECTED;
    return CLP_SUCCESS;
}

static size_t scratch_size(const struct plan *plan) {
    return plan->single ? 0 : (plan->parts + 1) * sizeof(cl_ulong);
}

clp_status clp_select_prewarm(clp_context *context, const clp_select_desc *desc) {
    clp_plan plan;
    return clp_select_plan(context, desc, 0, &plan);
}

clp_status clp_select_plan(clp_context *context, const clp_select_desc *desc, size_t n, clp_plan *result) {
    struct plan plan;
    if (!result)
        return clp_fail(CLP_INVALID_ARGUMENT, "plan is NULL");
    *result = (clp_plan){0};
    /* For any call: a partition needs counts even where it has one team, a selection without where or flags
     * is unique. */
    const bool heads = desc && !desc->where && (!desc->second || desc->second > CLP_U64);
    const clp_status status = make_plan(context, desc, heads, CLP_OTHERS_DROPPED, n, false, &plan);
    if (status != CLP_SUCCESS)
        return status;
    result->workspace_size = (plan.parts + 1) * sizeof(cl_ulong);
    result->schedule = plan.single ? CLP_SCHEDULE_SINGLE : CLP_SCHEDULE_LEVELS;
    result->launches = plan.single ? 1 : 3;
    result->work_group_size = clp_variant_work_group_size(plan.variant);
    result->shape = context->info.shape;
    result->subgroups = clp_variant_subgroups(plan.variant);
    return CLP_SUCCESS;
}

/* ---- call --------------------------------------------------------------------------------------------- */

/* The arguments of a call. */
struct job {
    clp_buffer in, second, out, others, count;
    size_t capacity, n;
    bool heads, behind;
    enum clp_select_others kind;
};

enum { IN, SECOND, OUT, OTHERS, COUNT, NUM_RANGES };

static bool same(const struct clp_range *a, const struct clp_range *b) {
    return a->root && a->root == b->root && a->begin == b->begin;
}

/* Are outputs the very elements? Then each is written after it was read. */
static bool in_place(const clp_select_desc *desc, const struct job *job,
                     const struct clp_range ranges[NUM_RANGES]) {
    return !desc->index && job->kind != CLP_OTHERS_REJECTED && same(&ranges[IN], &ranges[OUT]) &&
           (job->kind != CLP_OTHERS_VALUES || !desc->second || same(&ranges[SECOND], &ranges[OTHERS]));
}

static clp_status check_ranges(const clp_context *context, const clp_select_desc *desc,
                               const struct clp_select_form *form, const struct job *job,
                               struct clp_range ranges[NUM_RANGES]) {
    const size_t n = job->n, outputs = job->capacity < n ? job->capacity : n;
    const size_t others = job->kind == CLP_OTHERS_DROPPED || job->behind ? 0
                          : job->kind == CLP_OTHERS_REJECTED             ? n
                          : desc->second                                 ? outputs
                                                                         : 0;
    const struct {
        clp_buffer buffer;
        size_t size, count;
        int access;
        const char *name;
    } rows[NUM_RANGES] = {
        [IN] = {job->in, form->element_size, n, CLP_READ, "in"},
        [SECOND] = {job->second, form->second_size, desc->second ? n : 0, CLP_READ, "second"},
        [OUT] = {job->out, form->out_size, outputs, CLP_WRITE, "out"},
        [OTHERS] = {job->others, job->kind == CLP_OTHERS_VALUES ? form->second_size : form->out_size, others,
                    CLP_WRITE, job->kind == CLP_OTHERS_VALUES ? "values" : "rejected"},
        [COUNT] = {job->count, form->count_size, 1, CLP_WRITE, "count"},
    };
    for (int i = 0; i < NUM_RANGES; i++) {
        const clp_status status = clp_check_range(context, rows[i].buffer, rows[i].size, rows[i].count,
                                                  rows[i].access, rows[i].name, &ranges[i]);
        if (status != CLP_SUCCESS)
            return status;
    }
    const bool placed = in_place(desc, job, ranges);
    for (int written = OUT; written < NUM_RANGES; written++)
        for (int other = 0; other < written; other++) {
            if (placed && ((other == IN && written == OUT) || (other == SECOND && written == OTHERS)))
                continue;
            const clp_status status = clp_check_disjoint(&ranges[other], &ranges[written]);
            if (status != CLP_SUCCESS)
                return status;
        }
    return CLP_SUCCESS;
}

#define ARG(value)                                                                                           \
    { sizeof(value), &(value) }
#define NUM(args) ((int)(sizeof(args) / sizeof *(args)))

static clp_status launch(struct clp_call *call, const struct plan *plan, const struct job *job) {
    /* What is not there is not read either, but some drivers dislike a NULL argument. */
    const cl_mem some = call->block->state, scratch = plan->single ? some : call->scratch;
    const cl_mem in = job->in.mem ? job->in.mem : some, second = job->second.mem ? job->second.mem : some;
    const cl_mem out = job->out.mem ? job->out.mem : some;
    const cl_mem others = job->behind ? out : job->others.mem ? job->others.mem : some;
    const cl_ulong in_offset = job->in.offset, second_offset = job->second.offset,
                   out_offset = job->out.offset,
                   others_offset = job->behind ? out_offset : job->others.offset,
                   count_offset = job->count.offset, capacity = job->capacity, n = job->n, part = plan->part,
                   parts = plan->parts,
                   counts_offset = plan->single ? 0 : clp_call_scratch_offset(call, sizeof(cl_ulong));
    const cl_uint behind = job->behind, single = plan->single;
    const struct clp_arg counts[] = {ARG(in), ARG(in_offset), ARG(second),  ARG(second_offset),
                                     ARG(n),  ARG(part),      ARG(scratch), ARG(counts_offset)};
    const struct clp_arg spine[] = {ARG(scratch), ARG(counts_offset), ARG(parts), ARG(job->count.mem),
                                    ARG(count_offset)};
    const struct clp_arg apply[] = {
        ARG(in),         ARG(in_offset),      ARG(second),      ARG(second_offset), ARG(out),
        ARG(out_offset), ARG(capacity),       ARG(others),      ARG(others_offset), ARG(behind),
        ARG(n),          ARG(part),           ARG(parts),       ARG(scratch),       ARG(counts_offset),
        ARG(single),     ARG(job->count.mem), ARG(count_offset)};
    const bool simd = call->context->info.shape == CLP_SHAPE_SIMD;
    const size_t group = clp_variant_work_group_size(plan->variant), teams = plan->parts ? plan->parts : 1;
    const size_t groups = simd ? units(teams, group) : teams;
    clp_status status = CLP_SUCCESS;
    if (!plan->single) {
        status = clp_call_launch(call, plan->variant, KERNEL_COUNTS, counts, NUM(counts), groups, false);
        if (status == CLP_SUCCESS)
            status = clp_call_launch(call, plan->variant, KERNEL_SPINE, spine, NUM(spine), 1, false);
    }
    if (status == CLP_SUCCESS)
        status = clp_call_launch(call, plan->variant, KERNEL_APPLY, apply, NUM(apply), groups, true);
    return status;
}

static clp_status select_job(clp_context *context, cl_command_queue queue, const clp_select_desc *desc,
                             const struct job *job, const clp_workspace *workspace, cl_uint num_waits,
                             const cl_event *waits, cl_event *event) {
    struct clp_call call;
    struct plan plan;
    struct clp_range ranges[NUM_RANGES];
    clp_status status = clp_call_begin(&call, context, queue, num_waits, waits, event);
    if (status == CLP_SUCCESS)
        status = clp_select_form_of(context, desc, job->heads, job->kind, &plan.form);
    if (status == CLP_SUCCESS)
        status = check_ranges(context, desc, &plan.form, job, ranges);
    if (status == CLP_SUCCESS)
        status = make_plan(context, desc, job->heads, job->kind, job->n, in_place(desc, job, ranges), &plan);
    if (status == CLP_SUCCESS)
        status = clp_call_scratch(&call, workspace, scratch_size(&plan), ranges, NUM_RANGES);
    if (status == CLP_SUCCESS)
        status = launch(&call, &plan, job);
    return clp_call_end(&call, status, event);
}

clp_status clp_select(clp_context *context, cl_command_queue queue, const clp_select_desc *desc,
                      clp_buffer in, clp_buffer second, clp_buffer out, size_t capacity, clp_buffer count,
                      size_t n, const clp_workspace *workspace, cl_uint num_events_in_wait_list,
                      const cl_event *event_wait_list, cl_event *event) {
    const struct job job = {
        .in = in, .second = second, .out = out, .count = count, .capacity = capacity, .n = n};
    return select_job(context, queue, desc, &job, workspace, num_events_in_wait_list, event_wait_list, event);
}

clp_status clp_partition(clp_context *context, cl_command_queue queue, const clp_select_desc *desc,
                         clp_buffer in, clp_buffer second, clp_buffer out, clp_buffer rejected,
                         clp_buffer count, size_t n, const clp_workspace *workspace,
                         cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event) {
    const struct job job = {.in = in,
                            .second = second,
                            .out = out,
                            .others = rejected,
                            .count = count,
                            .capacity = n,
                            .n = n,
                            .behind = rejected.mem == NULL,
                            .kind = CLP_OTHERS_REJECTED};
    return select_job(context, queue, desc, &job, workspace, num_events_in_wait_list, event_wait_list, event);
}

clp_status clp_unique(clp_context *context, cl_command_queue queue, const clp_select_desc *desc,
                      clp_buffer in, clp_buffer second, clp_buffer out, clp_buffer values, size_t capacity,
                      clp_buffer count, size_t n, const clp_workspace *workspace,
                      cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event) {
    const struct job job = {.in = in,
                            .second = second,
                            .out = out,
                            .others = values,
                            .count = count,
                            .capacity = capacity,
                            .n = n,
                            .heads = true,
                            .kind = CLP_OTHERS_VALUES};
    return select_job(context, queue, desc, &job, workspace, num_events_in_wait_list, event_wait_list, event);
}

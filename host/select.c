/* SPDX-License-Identifier: Apache-2.0 */
/* Select: what a call checks and enqueues. See cl/select.cl and cl/select_pass.cl for the kernels. */
#include "scan_plan.h"
#include "select_form.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KERNEL_COUNTS = 0, KERNEL_SPINE = 1, KERNEL_APPLY = 2 };

/* Elements of a part, least and most; and what one team selects alone in less time than two more launches
 * take. */
enum { TILE = 4096, MOST = 16 * TILE, FEW = 4 * TILE };

/* Numbers of 32 bits count no more than they hold. */
static clp_status check_numbers(const clp_select_desc *desc, size_t n) {
    if ((desc->index == CLP_U32 || desc->count == CLP_U32) && n > CL_UINT_MAX)
        return clp_fail(CLP_UNSUPPORTED, "%zu elements are too many for indices or counts of 32 bits", n);
    return CLP_SUCCESS;
}

/* ---- the kernels -------------------------------------------------------------------------------------- */

/* What a predicate sees of a type. */
static const char *seen_type(clp_type type) {
    return type == CLP_F16 || type == CLP_BF16 ? "float" : clp_type_texts[type].name;
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
                              const struct clp_select_form *form, bool pass, struct clp_variant **variant) {
    /* Types fit four bits. */
    const uint32_t id = (uint32_t)desc->type | (uint32_t)desc->second << 4 | (uint32_t)desc->index << 8 |
                        (uint32_t)form->count << 12 | (uint32_t)form->others << 16 | (uint32_t)form->by << 18;
    clp_user user = {.transform = desc->where};
    if (desc->user) {
        user.declarations = desc->user->declarations;
        user.type = desc->user->type;
        user.type_size = desc->user->type_size;
    }
    struct clp_variant_key key = {.stem = "select",
                                  .kernels = {"clp_select_counts", "clp_select_spine", "clp_select_apply"},
                                  .size_defines = size_defines,
                                  .pattern = form,
                                  .id = id,
                                  .asked = &user,
                                  .subgroups = CLP_SUBGROUPS_LOCAL};
    if (pass) {
        clp_pass_key(context, "select_pass", "clp_select_pass", &key);
        key.id = id;
        key.asked = &user;
    }
    *variant = clp_variant_find(context, key.stem, id, &user);
    if (*variant)
        return CLP_SUCCESS;
    clp_select_defines(form, desc->type, desc->second, desc->index != 0, key.defines, sizeof key.defines);
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
    bool pass;          /* one launch whose work-groups wait for each other */
    size_t part, parts; /* elements of a part; parts */
};

/* Can the device select in one pass, does it so by default, and can this form be so selected? */
static clp_status choose_pass(clp_context *context, const clp_select_desc *desc,
                              const struct clp_select_form *form, size_t n, bool in_place, bool *pass) {
    const bool asked = desc->schedule == CLP_SCHEDULE_ONE_PASS;
    *pass = false;
    if (!asked && (desc->schedule != CLP_SCHEDULE_DEFAULT || !context->tuning.scan_one_pass || n <= FEW))
        return CLP_SUCCESS;
    bool device;
    const clp_status status = clp_pass_can(context, &device);
    if (status != CLP_SUCCESS)
        return status;
    const bool fits = form->others != CLP_OTHERS_REJECTED && desc->type != CLP_USER &&
                      desc->second != CLP_USER && !in_place && n <= CL_UINT_MAX;
    *pass = device && fits;
    if (asked && !device)
        return clp_fail(CLP_DEVICE_UNSUPPORTED, CLP_PASS_NEEDS);
    if (asked && !fits)
        return clp_fail(CLP_UNSUPPORTED,
                        "one pass takes selections and unique, of built-in types, not in place, of "
                        "fewer than 2^32 elements");
    return CLP_SUCCESS;
}

static clp_status make_plan(clp_context *context, const clp_select_desc *desc, bool heads,
                            enum clp_select_others others, size_t n, bool in_place, struct plan *plan) {
    *plan = (struct plan){0};
    if (!context)
        return clp_fail(CLP_INVALID_ARGUMENT, "context is NULL");
    if (!desc)
        return clp_fail(CLP_INVALID_ARGUMENT, "desc is NULL");
    clp_status status = clp_select_form_of(context, desc, heads, others, &plan->form);
    if (status == CLP_SUCCESS)
        status = check_numbers(desc, n);
    if (status == CLP_SUCCESS && in_place && desc->schedule == CLP_SCHEDULE_LEVELS)
        status = clp_fail(CLP_UNSUPPORTED, "in place a selection has the schedule single only");
    if (status == CLP_SUCCESS)
        status = choose_pass(context, desc, &plan->form, n, in_place, &plan->pass);
    if (status == CLP_SUCCESS)
        status = get_variant(context, desc, &plan->form, plan->pass, &plan->variant);
    if (status != CLP_SUCCESS)
        return status;
    const bool one_team = desc->schedule == CLP_SCHEDULE_SINGLE ||
                          (desc->schedule == CLP_SCHEDULE_DEFAULT && (n <= FEW || in_place));
    /* A part is read twice, so it should stay in the nearest cache that holds it; and all teams have some.
     * Parts depend on n alone, so that a workspace serves any call of a description. */
    const size_t teams = (size_t)context->info.compute_units * context->tuning.teams_per_unit;
    size_t part = clp_scan_units(clp_scan_units(n, teams), TILE) * TILE;
    part = part < TILE ? TILE : part > MOST ? MOST : part;
    plan->part = one_team ? (n ? n : 1) : part;
    plan->parts = one_team ? n > 0 : clp_scan_units(n, part);
    /* A partition must know where the others begin. */
    plan->single = one_team && plan->form.others != CLP_OTHERS_REJECTED;
    return CLP_SUCCESS;
}

static size_t scratch_size(const struct plan *plan) {
    return plan->single || plan->pass ? 0 : (plan->parts + 1) * sizeof(cl_ulong);
}

clp_status clp_select_prewarm(clp_context *context, const clp_select_desc *desc) {
    clp_plan plan;
    const clp_status status = clp_select_plan(context, desc, 0, &plan);
    return status == CLP_SUCCESS ? clp_select_plan(context, desc, FEW + 1, &plan) : status; /* in one pass */
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
    result->schedule = plan.pass     ? CLP_SCHEDULE_ONE_PASS
                       : plan.single ? CLP_SCHEDULE_SINGLE
                                     : CLP_SCHEDULE_LEVELS;
    result->launches = plan.single || plan.pass ? 1 : 3;
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
    const size_t groups = simd ? clp_scan_units(teams, group) : teams;
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

static clp_status launch_pass(struct clp_call *call, const struct plan *plan, const struct job *job) {
    const size_t tiles = clp_scan_units(job->n, TILE);
    clp_status status = clp_block_words(call->context, call->block, clp_pass_words(tiles));
    if (status != CLP_SUCCESS)
        return status;
    const cl_mem some = call->block->state;
    const cl_mem in = job->in.mem ? job->in.mem : some, second = job->second.mem ? job->second.mem : some;
    const cl_mem out = job->out.mem ? job->out.mem : some, values = job->others.mem ? job->others.mem : some;
    const cl_ulong in_offset = job->in.offset, second_offset = job->second.offset,
                   out_offset = job->out.offset, capacity = job->capacity, values_offset = job->others.offset,
                   n = job->n, count_offset = job->count.offset;
    const struct clp_arg args[] = {ARG(in),
                                   ARG(in_offset),
                                   ARG(second),
                                   ARG(second_offset),
                                   ARG(out),
                                   ARG(out_offset),
                                   ARG(capacity),
                                   ARG(values),
                                   ARG(values_offset),
                                   ARG(n),
                                   ARG(job->count.mem),
                                   ARG(count_offset),
                                   ARG(call->block->words),
                                   ARG(call->block->epoch),
                                   ARG(some)};
    return clp_call_launch(call, plan->variant, 0, args, NUM(args), clp_pass_groups(call->context, tiles),
                           true);
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
        status = plan.pass ? launch_pass(&call, &plan, job) : launch(&call, &plan, job);
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

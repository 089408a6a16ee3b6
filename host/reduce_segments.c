/* SPDX-License-Identifier: Apache-2.0 */
/* Reduction of segments: five launches whose sizes do not depend on the offsets. See cl/reduce_segments.cl.
 */
#include "reduce_plan.h"
#include "segments.h"

#include <string.h>

enum { KERNEL_BEGIN, KERNEL_SHORT, KERNEL_PIECES, KERNEL_FINISH, KERNEL_REST, NUM_KERNELS };
enum { PIECE_TILES = 8, RUN = 16, ALIGN = CLP_WORKSPACE_ALIGNMENT, TEAMS_PER_UNIT = 32 };

struct plan {
    struct clp_reduce_form form;
    struct clp_variant *variant;
    size_t max_entries, max_longs, max_totals;
    size_t max_listing; /* segments that may be listed at once: see clp_list() */
    size_t entries_at, longs_at, rest_at,
        totals_at;                     /* bytes from the start of scratch, where the counters are */
    size_t rest_totals, unused_totals; /* behind totals_at, in accumulators */
    size_t size;
};

static size_t align(size_t bytes) {
    return (bytes + ALIGN - 1) / ALIGN * ALIGN;
}

/* A segment is long if it has more than a tile, so n elements are in n / TILE long ones at most. */
static clp_status lay_out(struct plan *plan, const clp_segments *segments) {
    const size_t tiles = segments->n / CLP_TILE + 1, size = plan->form.accumulator_size;
    const struct clp_levels all = clp_reduce_levels(&plan->form, segments->n);
    if (tiles > CL_UINT_MAX / 64 || segments->count > SIZE_MAX / 16)
        return clp_fail(CLP_OUT_OF_RANGE, "%zu segments of %zu elements are more than any memory holds",
                        segments->count, segments->n);
    plan->max_longs = tiles;
    plan->max_entries = tiles / ((size_t)PIECE_TILES * RUN) + 2 * tiles;
    plan->max_totals =
        8 * tiles; /* two tiles of each tile's worth, 1/31 more above them, four levels' roundings */
    plan->max_listing = (CL_UINT_MAX - plan->max_totals) / all.totals;
    plan->entries_at = ALIGN;
    plan->longs_at = plan->entries_at + align(plan->max_entries * sizeof(cl_uint2));
    plan->rest_at = plan->longs_at + align(plan->max_longs * sizeof(cl_ulong2));
    plan->totals_at = plan->rest_at + align(segments->count * sizeof(cl_ulong));
    plan->rest_totals = plan->max_totals;
    plan->unused_totals = plan->rest_totals + all.totals;
    plan->size = plan->totals_at + align((plan->unused_totals + CLP_MAX_LEVELS + 1) * size);
    return CLP_SUCCESS;
}

static clp_status make_plan(clp_context *context, const clp_reduce_desc *desc, const clp_segments *segments,
                            struct plan *plan) {
    static const char *const kernels[] = {"clp_segments_begin",  "clp_segments_short", "clp_segments_pieces",
                                          "clp_segments_finish", "clp_segments_rest",  NULL};
    *plan = (struct plan){0};
    clp_status status = clp_segments_check(segments);
    if (status == CLP_SUCCESS)
        status = clp_reduce_check_fields(context, desc);
    if (status == CLP_SUCCESS && desc->schedule != CLP_SCHEDULE_DEFAULT)
        status = clp_fail(CLP_UNSUPPORTED, "segments have no schedules to choose from");
    if (status == CLP_SUCCESS)
        status = clp_reduce_check(context, desc, &plan->form);
    if (status != CLP_SUCCESS)
        return status;
    if (plan->form.kind == CLP_KIND_PLACE && plan->form.result == CLP_U32 && segments->n > CL_UINT_MAX)
        return clp_fail(CLP_OUT_OF_RANGE, "an index of %zu elements does not fit u32", segments->n);
    status = lay_out(plan, segments);
    if (status == CLP_SUCCESS)
        status = clp_reduce_variant(context, desc, &plan->form, "reduce_segments", kernels, &plan->variant);
    return status;
}

clp_status clp_reduce_segments_plan(clp_context *context, const clp_reduce_desc *desc,
                                    const clp_segments *segments, clp_plan *result) {
    struct plan plan;
    if (!result)
        return clp_fail(CLP_INVALID_ARGUMENT, "plan is NULL");
    *result = (clp_plan){0};
    const clp_status status = make_plan(context, desc, segments, &plan);
    if (status == CLP_SUCCESS)
        *result = clp_segments_tell_plan(context, plan.variant, plan.size, NUM_KERNELS);
    return status;
}

/* ---- call ------------------------------------------------------------------------------------------- */

struct job {
    clp_buffer in, second, out;
    const clp_segments *segments;
};

enum { IN, SECOND, OFFSETS, ENDS, OUT, NUM_RANGES };

static clp_status check_job(const clp_context *context, const struct plan *plan, const struct job *job,
                            struct clp_range ranges[NUM_RANGES]) {
    const clp_segments *segments = job->segments;
    const size_t element = plan->form.element_size, count = segments->count;
    clp_status status =
        clp_reduce_check_second(&plan->form, job->second, segments->count == 0 || segments->n == 0);
    if (status == CLP_SUCCESS)
        status = clp_check_range(context, job->in, element, segments->n, CLP_READ, "in", &ranges[IN]);
    if (status == CLP_SUCCESS)
        status = clp_check_range(context, job->second, element, plan->form.paired ? segments->n : 0, CLP_READ,
                                 "second", &ranges[SECOND]);
    if (status == CLP_SUCCESS)
        status = clp_segments_check_ranges(context, segments, &ranges[OFFSETS], &ranges[ENDS]);
    if (status == CLP_SUCCESS)
        status =
            clp_check_range(context, job->out, plan->form.result_size, count, CLP_WRITE, "out", &ranges[OUT]);
    for (int i = IN; i < OUT && status == CLP_SUCCESS; i++)
        status = clp_check_disjoint(&ranges[i], &ranges[OUT]);
    return status;
}

/* Work-groups for this many units of work that a work-group (simt) or a work-item (simd) takes one by one. */
static size_t groups_for(const struct clp_call *call, const struct plan *plan, size_t units) {
    const size_t most = (size_t)call->context->info.compute_units * TEAMS_PER_UNIT;
    const size_t teams = units < 1 ? 1 : units < most ? units : most;
    const size_t group = clp_variant_work_group_size(plan->variant);
    return call->context->info.shape == CLP_SHAPE_SIMD ? (teams + group - 1) / group : teams;
}

static clp_status launch(struct clp_call *call, const struct plan *plan, const struct job *job) {
    const clp_segments *segments = job->segments;
    const cl_mem some = call->scratch; /* for what is not there and not read */
    const cl_mem in = job->in.mem ? job->in.mem : some, second = job->second.mem ? job->second.mem : some;
    const cl_mem offsets = segments->offsets.mem ? segments->offsets.mem : some;
    const cl_mem ends = segments->ends.mem ? segments->ends.mem : some;
    const cl_mem out = job->out.mem ? job->out.mem : some;
    const size_t size = plan->form.accumulator_size,
                 step = clp_reduce_step_tiles(call->context, plan->variant, &plan->form);
    const size_t begin = call->scratch_begin, totals_at = begin + plan->totals_at;
    const cl_ulong totals = totals_at / size + (totals_at % size != 0);
    const struct clp_segments_numbers numbers = {
        .in_offset = job->in.offset,
        .second_offset = job->second.offset,
        .out_offset = job->out.offset,
        .offsets_offset = segments->offsets.offset,
        .ends_offset = segments->ends.offset,
        .count = segments->count,
        .n = segments->n,
        .totals_offset = totals,
        .rest_totals_offset = totals + plan->rest_totals,
        .unused_totals_offset = totals + plan->unused_totals,
        .entries_at = plan->entries_at,
        .longs_at = plan->longs_at,
        .rest_at = plan->rest_at,
        .max_entries = (cl_uint)plan->max_entries,
        .max_longs = (cl_uint)plan->max_longs,
        .max_totals = (cl_uint)plan->max_totals,
        .wide = segments->index == CLP_U64,
        .has_ends = segments->ends.mem != NULL,
    };
    const cl_ulong counters = begin;
    const struct clp_arg scratch_arg = {sizeof call->scratch, &call->scratch},
                         begin_arg = {sizeof counters, &counters};
    const struct clp_arg in_arg = {sizeof in, &in}, second_arg = {sizeof second, &second};
    const struct clp_arg offsets_arg = {sizeof offsets, &offsets}, ends_arg = {sizeof ends, &ends};
    const struct clp_arg out_arg = {sizeof out, &out}, numbers_arg = {sizeof numbers, &numbers};
    const struct clp_arg pad = {size, &plan->form.pad}, empty = {plan->form.result_size, &plan->form.empty};
    const struct clp_arg begin_args[] = {scratch_arg, begin_arg};
    const struct clp_arg short_args[] = {in_arg,      second_arg, offsets_arg, ends_arg, out_arg,
                                         scratch_arg, begin_arg,  pad,         empty,    numbers_arg};
    const struct clp_arg piece_args[] = {in_arg,    second_arg,  offsets_arg, ends_arg,   scratch_arg,
                                         begin_arg, scratch_arg, pad,         numbers_arg};
    const struct clp_arg finish_args[] = {offsets_arg, ends_arg, out_arg, scratch_arg, begin_arg,
                                          scratch_arg, pad,      empty,   numbers_arg};
    const struct clp_arg rest_args[] = {in_arg,  second_arg,  offsets_arg, ends_arg,
                                        out_arg, scratch_arg, begin_arg,   scratch_arg,
                                        pad,     empty,       numbers_arg};
    const size_t steps = segments->count / step + 1, most_steps = plan->max_listing / step;
    clp_status status = clp_call_launch(call, plan->variant, KERNEL_BEGIN, begin_args, 2, 1, false);
    if (status == CLP_SUCCESS)
        status = clp_call_launch(call, plan->variant, KERNEL_SHORT, short_args,
                                 sizeof short_args / sizeof *short_args,
                                 groups_for(call, plan, steps < most_steps ? steps : most_steps), false);
    if (status == CLP_SUCCESS)
        status = clp_call_launch(call, plan->variant, KERNEL_PIECES, piece_args,
                                 sizeof piece_args / sizeof *piece_args,
                                 groups_for(call, plan, segments->n / CLP_TILE + 1), false);
    if (status == CLP_SUCCESS)
        status = clp_call_launch(call, plan->variant, KERNEL_FINISH, finish_args,
                                 sizeof finish_args / sizeof *finish_args,
                                 groups_for(call, plan, segments->n / CLP_TILE), false);
    if (status == CLP_SUCCESS)
        status = clp_call_launch(call, plan->variant, KERNEL_REST, rest_args,
                                 sizeof rest_args / sizeof *rest_args, 1, true);
    return status;
}

clp_status clp_reduce_segments(clp_context *context, cl_command_queue queue, const clp_reduce_desc *desc,
                               clp_buffer in, clp_buffer second, clp_buffer out, const clp_segments *segments,
                               const clp_workspace *workspace, cl_uint num_events_in_wait_list,
                               const cl_event *event_wait_list, cl_event *event) {
    const struct job job = {in, second, out, segments};
    struct clp_call call;
    struct plan plan;
    struct clp_range ranges[NUM_RANGES];
    clp_status status =
        clp_call_begin(&call, context, queue, num_events_in_wait_list, event_wait_list, event);
    if (status == CLP_SUCCESS)
        status = make_plan(context, desc, segments, &plan);
    if (status == CLP_SUCCESS)
        status = check_job(context, &plan, &job, ranges);
    if (status == CLP_SUCCESS)
        status = clp_call_scratch(&call, workspace, plan.size, ranges, NUM_RANGES);
    if (status == CLP_SUCCESS)
        status = launch(&call, &plan, &job);
    return clp_call_end(&call, status, event);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Scan of segments: six launches whose sizes do not depend on the offsets. See cl/scan_segments.cl. */
#include "scan_plan.h"
#include "segments.h"

enum { KERNEL_BEGIN, KERNEL_TINY, KERNEL_TOTALS, KERNEL_SPINE, KERNEL_APPLY, KERNEL_REST, NUM_KERNELS };
enum { TILE = 4096, TILES = 32, PIECE_TILES = 8, TINY = 128, ALIGN = CLP_WORKSPACE_ALIGNMENT };
enum { TEAMS_PER_UNIT = 32 };

struct plan {
    struct clp_scan_form form;
    struct clp_variant *variant;
    size_t max_entries, max_longs, max_totals;
    size_t max_listing;                              /* segments that may be listed at once: see clp_list() */
    size_t entries_at, longs_at, rest_at, totals_at; /* bytes from the start of scratch, where counters are */
    size_t size;
};

static size_t align(size_t bytes) {
    return (bytes + ALIGN - 1) / ALIGN * ALIGN;
}

/*
 * A listed segment has more than TINY elements, so there are max_longs of them at most if none overlap. Each
 * may round up to one more tile, piece, block and super-block, and has one accumulator more.
 */
static clp_status lay_out(struct plan *plan, const clp_segments *segments) {
    const size_t tiles = clp_scan_units(segments->n, TILE), size = plan->form.accumulator_size;
    const size_t blocks = clp_scan_units(tiles, TILES);
    const size_t all = tiles + blocks + clp_scan_units(blocks, TILES) + 1;
    plan->max_longs = segments->n / TINY + 1;
    if (plan->max_longs > CL_UINT_MAX / 16 || segments->count > SIZE_MAX / 16)
        return clp_fail(CLP_OUT_OF_RANGE, "%zu segments of %zu elements are more than any memory holds",
                        segments->count, segments->n);
    plan->max_entries = tiles / PIECE_TILES + 2 * plan->max_longs;
    plan->max_totals = 2 * tiles + 5 * plan->max_longs;
    plan->max_listing = (CL_UINT_MAX - plan->max_totals) / all;
    plan->entries_at = ALIGN;
    plan->longs_at = plan->entries_at + align(plan->max_entries * sizeof(cl_uint2));
    plan->rest_at = plan->longs_at + align(plan->max_longs * sizeof(cl_ulong2));
    plan->totals_at = plan->rest_at + align(segments->count * sizeof(cl_ulong));
    plan->size = plan->totals_at + align((plan->max_totals + all + 1) * size);
    return CLP_SUCCESS;
}

static clp_status make_plan(clp_context *context, const clp_scan_desc *desc, const clp_segments *segments,
                            struct plan *plan) {
    static const char *const kernels[] = {"clp_segments_begin",
                                          "clp_scan_segments_tiny",
                                          "clp_scan_segments_totals",
                                          "clp_scan_segments_spine",
                                          "clp_scan_segments_apply",
                                          "clp_scan_segments_rest",
                                          NULL};
    *plan = (struct plan){0};
    clp_status status = clp_segments_check(segments);
    if (status == CLP_SUCCESS)
        status = clp_scan_check_desc(context, desc, CLP_SCAN_NO_HEADS, &plan->form);
    if (status == CLP_SUCCESS && desc->schedule != CLP_SCHEDULE_DEFAULT)
        status = clp_fail(CLP_UNSUPPORTED, "segments have no schedules to choose from");
    if (status == CLP_SUCCESS)
        status = lay_out(plan, segments);
    if (status == CLP_SUCCESS)
        status =
            clp_scan_variant(context, desc, &plan->form, (struct clp_scan_extent){.heads = CLP_SCAN_NO_HEADS},
                             "scan_segments", kernels, &plan->variant);
    return status;
}

clp_status clp_scan_segments_plan(clp_context *context, const clp_scan_desc *desc,
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

clp_status clp_scan_segments_cost(const clp_scan_desc *desc, const clp_segments *segments, clp_cost *cost) {
    if (!cost)
        return clp_fail(CLP_INVALID_ARGUMENT, "cost is NULL");
    *cost = (clp_cost){0};
    clp_status status = clp_segments_check(segments);
    if (status != CLP_SUCCESS)
        return status;
    const size_t count = segments->count, n = count ? segments->n : 0;
    const size_t mean = count ? clp_scan_units(n, count) : 0;
    clp_cost whole;
    status = clp_scan_cost(desc, n, &whole);
    if (status == CLP_SUCCESS)
        status = clp_scan_cost(desc, mean, cost);
    if (status != CLP_SUCCESS)
        return status;
    const double offsets = count ? (double)(segments->ends.mem ? 2 * count : count + 1) : 0;
    cost->bytes = whole.bytes + offsets * (double)clp_segments_index_size(segments);
    cost->work *= (double)count;
    cost->serial_work = cost->serial_span = n > count ? (double)(n - count) : 0;
    return CLP_SUCCESS;
}

/* ---- call ------------------------------------------------------------------------------------------- */

enum { IN, OFFSETS, ENDS, OUT, NUM_RANGES };

static clp_status check_job(const clp_context *context, const struct plan *plan, clp_buffer in,
                            clp_buffer out, const clp_segments *segments,
                            struct clp_range ranges[NUM_RANGES]) {
    const struct clp_scan_form *form = &plan->form;
    clp_status status =
        clp_check_range(context, in, form->element_size, segments->n, CLP_READ, "in", &ranges[IN]);
    if (status == CLP_SUCCESS)
        status = clp_segments_check_ranges(context, segments, &ranges[OFFSETS], &ranges[ENDS]);
    if (status == CLP_SUCCESS)
        status =
            clp_check_range(context, out, form->result_size, segments->n, CLP_WRITE, "out", &ranges[OUT]);
    /* Outputs may be the very elements: each is read before it is written. */
    const bool in_place = status == CLP_SUCCESS && ranges[IN].root == ranges[OUT].root &&
                          ranges[IN].begin == ranges[OUT].begin && form->element_size == form->result_size;
    for (int i = in_place ? OFFSETS : IN; i < OUT && status == CLP_SUCCESS; i++)
        status = clp_check_disjoint(&ranges[i], &ranges[OUT]);
    return status;
}

static size_t at_most(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Work-groups for this many units of work that a team takes one by one. */
static size_t groups_for(const struct clp_call *call, const struct plan *plan, size_t units) {
    const size_t most = (size_t)call->context->info.compute_units * TEAMS_PER_UNIT;
    const size_t teams = units < 1 ? 1 : at_most(units, most);
    const size_t group = clp_variant_work_group_size(plan->variant);
    return call->context->info.shape == CLP_SHAPE_SIMD ? clp_scan_units(teams, group) : teams;
}

/* Those of the first kernel, where each work-item takes segments. */
static size_t tiny_groups(const struct clp_call *call, const struct plan *plan, size_t count) {
    const size_t group = clp_variant_work_group_size(plan->variant);
    const size_t most =
        at_most((size_t)call->context->info.compute_units * TEAMS_PER_UNIT, plan->max_listing / group);
    const size_t groups = at_most(clp_scan_units(count, group), most);
    return groups ? groups : 1;
}

static clp_status launch(struct clp_call *call, const struct plan *plan, clp_buffer in, clp_buffer out,
                         const clp_segments *segments) {
    const struct clp_scan_form *form = &plan->form;
    const cl_mem some = call->scratch; /* for what is not there and not read */
    const cl_mem from = in.mem ? in.mem : some, to = out.mem ? out.mem : some;
    const cl_mem offsets = segments->offsets.mem ? segments->offsets.mem : some;
    const cl_mem ends = segments->ends.mem ? segments->ends.mem : some;
    const size_t size = form->accumulator_size, totals_at = call->scratch_begin + plan->totals_at;
    const cl_ulong totals = totals_at / size + (totals_at % size != 0), counters = call->scratch_begin;
    const cl_uint has_head = form->has_head, stream = clp_scan_streams(form, 1, segments->n);
    const struct clp_segments_numbers numbers = {
        .in_offset = in.offset,
        .out_offset = out.offset,
        .offsets_offset = segments->offsets.offset,
        .ends_offset = segments->ends.offset,
        .count = segments->count,
        .n = segments->n,
        .totals_offset = totals,
        .rest_totals_offset = totals + plan->max_totals,
        .entries_at = plan->entries_at,
        .longs_at = plan->longs_at,
        .rest_at = plan->rest_at,
        .max_entries = (cl_uint)plan->max_entries,
        .max_longs = (cl_uint)plan->max_longs,
        .max_totals = (cl_uint)plan->max_totals,
        .wide = segments->index == CLP_U64,
        .has_ends = segments->ends.mem != NULL,
    };
#define ARG(value)                                                                                           \
    { sizeof(value), &(value) }
    const struct clp_arg in_arg = ARG(from), out_arg = ARG(to), offsets_arg = ARG(offsets),
                         ends_arg = ARG(ends), lists = ARG(call->scratch), lists_at = ARG(counters),
                         has_head_arg = ARG(has_head), stream_arg = ARG(stream), job = ARG(numbers),
                         pad = {size, &form->pad}, init = {size, &form->init}, head = {size, &form->head};
#undef ARG
    const struct {
        size_t groups;
        struct clp_arg args[13];
        int num_args;
    } launches[NUM_KERNELS] = {
        [KERNEL_BEGIN] = {1, {lists, lists_at}, 2},
        [KERNEL_TINY] = {tiny_groups(call, plan, segments->count),
                         {in_arg, offsets_arg, ends_arg, out_arg, lists, lists_at, pad, init, head,
                          has_head_arg, job},
                         11},
        [KERNEL_TOTALS] = {groups_for(call, plan, plan->max_entries),
                           {in_arg, offsets_arg, ends_arg, lists, lists_at, lists, pad, job},
                           8},
        [KERNEL_SPINE] = {groups_for(call, plan, plan->max_longs),
                          {offsets_arg, ends_arg, lists, lists_at, lists, pad, init, job},
                          8},
        [KERNEL_APPLY] = {groups_for(call, plan, plan->max_entries),
                          {in_arg, offsets_arg, ends_arg, out_arg, lists, lists_at, lists, pad, head,
                           has_head_arg, stream_arg, job},
                          12},
        [KERNEL_REST] = {1,
                         {in_arg, offsets_arg, ends_arg, out_arg, lists, lists_at, lists, pad, init, head,
                          has_head_arg, job},
                         12},
    };
    clp_status status = CLP_SUCCESS;
    for (int i = 0; i < NUM_KERNELS && status == CLP_SUCCESS; i++)
        status = clp_call_launch(call, plan->variant, i, launches[i].args, launches[i].num_args,
                                 launches[i].groups, i == NUM_KERNELS - 1);
    return status;
}

clp_status clp_scan_segments(clp_context *context, cl_command_queue queue, const clp_scan_desc *desc,
                             clp_buffer in, clp_buffer out, const clp_segments *segments,
                             const clp_workspace *workspace, cl_uint num_events_in_wait_list,
                             const cl_event *event_wait_list, cl_event *event) {
    struct clp_call call;
    struct plan plan;
    struct clp_range ranges[NUM_RANGES];
    clp_status status =
        clp_call_begin(&call, context, queue, num_events_in_wait_list, event_wait_list, event);
    if (status == CLP_SUCCESS)
        status = make_plan(context, desc, segments, &plan);
    if (status == CLP_SUCCESS)
        status = check_job(context, &plan, in, out, segments, ranges);
    if (status == CLP_SUCCESS)
        status = clp_call_scratch(&call, workspace, plan.size, ranges, NUM_RANGES);
    if (status == CLP_SUCCESS)
        status = launch(&call, &plan, in, out, segments);
    return clp_call_end(&call, status, event);
}

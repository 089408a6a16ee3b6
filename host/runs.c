/* SPDX-License-Identifier: Apache-2.0 */
/* What run-length encoding (runs_length.c) and reduction by key (runs_by_key.c) share. The kernels are
 * cl/runs.cl's. */
#include "runs.h"

#include <stdio.h>
#include <string.h>

enum { KERNEL_HEADS = 0, KERNEL_SPINE = 1, KERNEL_APPLY = 2 };

/* Elements of a part, least and most, a multiple of 32: whole tiles of the usual work-group. */
enum { LEAST = 8192, MOST = 16 * LEAST };

clp_status clp_runs_number(clp_type given, const char *name, clp_type *type) {
    *type = given == CLP_TYPE_INVALID ? CLP_U64 : given;
    if (*type != CLP_U32 && *type != CLP_U64)
        return clp_fail(CLP_INVALID_TYPE, "desc->%s is %d: u32, u64 or 0", name, (int)given);
    return CLP_SUCCESS;
}

clp_status clp_runs_check_type(const clp_context *context, clp_type type, const char *name) {
    if (strcmp(clp_type_name(type), "invalid") == 0)
        return clp_fail(CLP_INVALID_TYPE, "desc->%s is %d, no element type", name, (int)type);
    if (type == CLP_USER)
        return clp_fail(CLP_UNSUPPORTED, "desc->%s: runs are of built-in types", name);
    if (type == CLP_F64 && context && !context->info.has_f64)
        return clp_fail(CLP_DEVICE_UNSUPPORTED, "%s has no doubles", context->info.name);
    return CLP_SUCCESS;
}

/* ---- plan --------------------------------------------------------------------------------------------- */

static clp_status get_variant(clp_context *context, const struct clp_runs_form *form,
                              struct clp_variant **variant) {
    struct clp_variant_key key = {.stem = "runs",
                                  .kernels = {"clp_runs_heads", "clp_runs_spine", "clp_runs_apply"},
                                  .subgroups = CLP_SUBGROUPS_LOCAL,
                                  .work_group_size = context->info.work_group_size};
    /* The kernels have 68, 16 and 68 bytes of local memory for each work-item (some devices add them up). */
    const size_t most = context->info.shape == CLP_SHAPE_SIMT ? context->info.local_memory / 160 : SIZE_MAX;
    if (key.work_group_size > 256)
        key.work_group_size = 256;
    while (key.work_group_size > 1 && key.work_group_size > most)
        key.work_group_size /= 2;
    snprintf(key.defines, sizeof key.defines,
             "#define CLP_T %s\n#define CLP_V %zu\n#define CLP_KEY %s\n#define CLP_TOTALS %d\n"
             "#define CLP_N %s\n#define CLP_C %s\n",
             clp_type_texts[form->type].name, 16 / clp_type_size(form->type), clp_scan_comparison(form->type),
             form->totals, clp_type_texts[form->ends].name, clp_type_texts[form->count].name);
    return clp_variant_get(context, &key, variant);
}

clp_status clp_runs_check_n(const struct clp_runs_form *form, size_t n) {
    if ((form->count == CLP_U32 || (form->ends == CLP_U32 && !form->totals)) && n > CL_UINT_MAX)
        return clp_fail(CLP_UNSUPPORTED, "%zu elements are too many for numbers of 32 bits", n);
    if (n > SIZE_MAX / 16)
        return clp_fail(CLP_OUT_OF_RANGE, "%zu elements are more than any memory holds", n);
    return CLP_SUCCESS;
}

clp_status clp_runs_make_plan(clp_context *context, const struct clp_runs_form *form, size_t n,
                              struct clp_runs_plan *plan) {
    *plan = (struct clp_runs_plan){.form = *form};
    clp_status status = clp_runs_check_n(form, n);
    if (status == CLP_SUCCESS)
        status = get_variant(context, form, &plan->variant);
    if (status != CLP_SUCCESS)
        return status;
    /* All teams have some. Parts depend on n alone, so that a workspace serves any call of a description. */
    const size_t teams = (size_t)context->info.compute_units * context->tuning.teams_per_unit;
    const size_t part = clp_scan_units(clp_scan_units(n, teams), LEAST) * LEAST;
    plan->part = part < LEAST ? LEAST : part > MOST ? MOST : part;
    /* Places begin at a multiple of 16 bytes, at most 15 elements before the first one. */
    const size_t places = n ? n + 15 : 0;
    plan->parts = clp_scan_units(places, plan->part);
    plan->counts_size = clp_runs_aligned(2 * plan->parts * sizeof(cl_ulong));
    plan->size = plan->counts_size + clp_scan_units(places, 32) * sizeof(cl_uint);
    return CLP_SUCCESS;
}

void clp_runs_tell_plan(const clp_context *context, const struct clp_runs_plan *plan, clp_plan *result) {
    result->workspace_size += plan->size;
    result->schedule = CLP_SCHEDULE_LEVELS;
    result->launches += plan->parts ? 3 : 1;
    result->work_group_size = clp_variant_work_group_size(plan->variant);
    result->shape = context->info.shape;
    result->subgroups = clp_variant_subgroups(plan->variant);
}

/* ---- call --------------------------------------------------------------------------------------------- */

clp_status clp_runs_check_ranges(const clp_context *context, const struct clp_runs_form *form,
                                 const struct clp_runs_job *job, struct clp_range ranges[CLP_RUNS_RANGES]) {
    const size_t outputs = job->capacity < job->n ? job->capacity : job->n;
    const size_t ends_size = clp_type_size(form->ends), size = clp_type_size(form->type);
    const struct {
        clp_buffer buffer;
        size_t size, count;
        int access;
        const char *name;
    } rows[CLP_RUNS_RANGES] = {
        [CLP_RUNS_IN] = {job->in, size, job->n, CLP_READ, form->totals ? "keys" : "in"},
        [CLP_RUNS_VALUES] = {job->values, size, outputs, CLP_WRITE, form->totals ? "unique" : "values"},
        [CLP_RUNS_ENDS] = {job->ends, ends_size, outputs, CLP_WRITE, form->totals ? "totals" : "lengths"},
        [CLP_RUNS_OFFSETS] = {job->offsets, ends_size, job->offsets.mem ? outputs : 0, CLP_WRITE, "offsets"},
        [CLP_RUNS_COUNT] = {job->count, clp_type_size(form->count), 1, CLP_WRITE, "count"},
    };
    clp_status status = CLP_SUCCESS;
    for (int i = 0; i < CLP_RUNS_RANGES && status == CLP_SUCCESS; i++)
        if (i != CLP_RUNS_OTHER)
            status = clp_check_range(context, rows[i].buffer, rows[i].size, rows[i].count, rows[i].access,
                                     rows[i].name, &ranges[i]);
    for (int written = CLP_RUNS_VALUES; written < CLP_RUNS_RANGES; written++)
        for (int other = 0; other < written && status == CLP_SUCCESS; other++)
            status = clp_check_disjoint(&ranges[other], &ranges[written]);
    return status;
}

#define ARG(value)                                                                                           \
    { sizeof(value), &(value) }
#define NUM(args) ((int)(sizeof(args) / sizeof *(args)))

clp_status clp_runs_launch(struct clp_call *call, const struct clp_runs_plan *plan,
                           const struct clp_runs_job *job, size_t scratch_begin, size_t scanned_begin) {
    /* What is not there is not read either, but some drivers dislike a NULL argument. */
    const cl_mem some = call->block->state, scratch = plan->size ? call->scratch : some;
    const cl_mem in = job->in.mem ? job->in.mem : some, values = job->values.mem ? job->values.mem : some;
    const cl_mem ends = job->ends.mem ? job->ends.mem : some;
    const cl_mem offsets = job->offsets.mem ? job->offsets.mem : some;
    const size_t element_size = clp_type_size(plan->form.type), ends_size = clp_type_size(plan->form.ends);
    const cl_ulong in_offset = job->in.offset, lead = job->in.offset % (16 / element_size), n = job->n,
                   part = plan->part, parts = clp_scan_units(n ? n + lead : 0, plan->part),
                   counts_offset = plan->size ? scratch_begin / sizeof(cl_ulong) : 0,
                   bits_offset = (scratch_begin + plan->counts_size) / sizeof(cl_uint),
                   scanned_offset = scanned_begin / ends_size, values_offset = job->values.offset,
                   ends_offset = job->ends.offset, offsets_offset = job->offsets.offset,
                   count_offset = job->count.offset, capacity = job->capacity;
    const cl_uint has_offsets = job->offsets.mem != NULL;
    const struct clp_arg heads[] = {ARG(in),      ARG(in_offset),  ARG(lead),    ARG(n),
                                    ARG(part),    ARG(parts),      ARG(scratch), ARG(counts_offset),
                                    ARG(scratch), ARG(bits_offset)};
    const struct clp_arg spine[] = {ARG(scratch), ARG(counts_offset), ARG(parts), ARG(job->count.mem),
                                    ARG(count_offset)};
    const struct clp_arg apply[] = {ARG(in),      ARG(in_offset),      ARG(lead),        ARG(n),
                                    ARG(part),    ARG(parts),          ARG(scratch),     ARG(counts_offset),
                                    ARG(scratch), ARG(bits_offset),    ARG(scratch),     ARG(scanned_offset),
                                    ARG(values),  ARG(values_offset),  ARG(ends),        ARG(ends_offset),
                                    ARG(offsets), ARG(offsets_offset), ARG(has_offsets), ARG(capacity)};
    const bool simd = call->context->info.shape == CLP_SHAPE_SIMD;
    const size_t group = clp_variant_work_group_size(plan->variant);
    const size_t groups = simd ? clp_scan_units(parts, group) : parts;
    clp_status status = CLP_SUCCESS;
    if (n > 0)
        status = clp_call_launch(call, plan->variant, KERNEL_HEADS, heads, NUM(heads), groups, false);
    if (status == CLP_SUCCESS)
        status = clp_call_launch(call, plan->variant, KERNEL_SPINE, spine, NUM(spine), 1, n == 0);
    if (status == CLP_SUCCESS && n > 0)
        status = clp_call_launch(call, plan->variant, KERNEL_APPLY, apply, NUM(apply), groups, true);
    return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Histogram: what a call checks and enqueues. See cl/histogram.cl and cl/histogram_bytes.cl for the kernels.
 */
#include "histogram_form.h"

#include <stdio.h>

enum { KERNEL_PREPARE = 0, KERNEL_COUNT = 1 };
enum {
    LEAST_PART = 2048,        /* pixels */
    MOST_PART = 1 << 24,      /* so that a part's samples fit 27 bits */
    SMALL_PART = 1 << 14,     /* which a CPU's nearest cache holds while its channels are read in turn */
    MOST_OWN_SLOTS = 1 << 17, /* of which a CPU's work-item has copies of its own */
    TEAMS_PER_UNIT = 8,
    BYTE_TEAMS_PER_UNIT =
        6, /* as many as have room at once on the GPUs measured: what is left over takes as long again */
    COPIES = 32,  /* of a counter in local memory, at most */
    COLUMN = 256, /* bytes of local memory for each work-item that counts bytes */
    TOTALS = 1024 /* and for all of them */
};

/* ---- the kernels -------------------------------------------------------------------------------------- */

/* How samples become keys; rows by clp_type. */
static const struct {
    const char *key, *place;
    int form;
} keys[] = {
    [CLP_I8] = {"int", "convert_int", 0},      [CLP_U8] = {"int", "convert_int", 0},
    [CLP_I16] = {"int", "convert_int", 0},     [CLP_U16] = {"int", "convert_int", 0},
    [CLP_I32] = {"int", "clp_same", 0},        [CLP_U32] = {"uint", "clp_same", 0},
    [CLP_I64] = {"long", "clp_same", 0},       [CLP_U64] = {"ulong", "clp_same", 0},
    [CLP_F16] = {"int", "clp_place_half", 1},  [CLP_BF16] = {"int", "clp_place_bfloat", 2},
    [CLP_F32] = {"int", "clp_place_float", 3}, [CLP_F64] = {"long", "clp_place_double", 4},
};

/* The work-items whose columns of byte counters fit local memory. */
static size_t byte_group_size(const clp_context *context) {
    const size_t fit = (size_t)(context->info.local_memory - TOTALS) / COLUMN;
    size_t size = context->info.work_group_size < COLUMN ? context->info.work_group_size : COLUMN;
    if (size > fit)
        size = fit;
    size_t power = 1; /* so that addresses are made by shifts */
    while (2 * power <= size)
        power *= 2;
    return power;
}

static clp_status get_variant(clp_context *context, const clp_histogram_desc *desc,
                              const struct clp_histogram_form *form, struct clp_variant **variant) {
    struct clp_variant_key key = {
        .stem = form->bytes ? "histogram_bytes" : "histogram",
        .kernels = {"clp_histogram_prepare", form->bytes ? "clp_histogram_bytes" : "clp_histogram_count"},
        .id = (uint32_t)desc->type | (uint32_t)desc->weight << 4 | (uint32_t)form->wide << 8,
        .subgroups = CLP_SUBGROUPS_LOCAL};
    if (context->info.shape == CLP_SHAPE_SIMD) /* a work-item has caches and tables of its own */
        key.work_group_size = 1;
    else if (form->bytes)
        key.work_group_size = byte_group_size(context);
    *variant = clp_variant_find(context, key.stem, key.id, NULL);
    if (*variant)
        return CLP_SUCCESS;
    snprintf(key.defines, sizeof key.defines,
             "#define CLP_T %s\n#define CLP_KEY %s\n#define CLP_KEY_BITS %zu\n#define CLP_PLACE %s\n"
             "#define CLP_FORM %d\n#define CLP_C %s\n#define CLP_WIDE %d\n#define CLP_WEIGHT %d\n"
             "#define CLP_ATOMICS64 %d\n",
             clp_type_texts[desc->type].name, keys[desc->type].key, 8 * form->key_size,
             keys[desc->type].place, keys[desc->type].form, form->wide ? "ulong" : "uint", form->wide,
             desc->weight == CLP_I32   ? 2
             : desc->weight == CLP_U32 ? 1
                                       : 0,
             context->has_atomics64);
    return clp_variant_get(context, &key, variant);
}

/* ---- plan --------------------------------------------------------------------------------------------- */

struct plan {
    struct clp_histogram_form form;
    struct clp_variant *variant;
    size_t part, parts, units; /* pixels of a part; parts of a row; of all rows */
    size_t groups;
    size_t slots;                   /* counters of a private set; 0: there are none */
    size_t copies;                  /* of each, in local memory */
    bool near_edges;                /* in local memory too */
    size_t local, local_edges;      /* bytes of local memory */
    size_t table_size, memory_size; /* bytes of scratch memory */
    size_t most_memory;             /* memory_size at most, whatever the rows */
};

static size_t units_of(size_t n, size_t size) {
    return n / size + (n % size != 0);
}

static size_t aligned(size_t size) {
    return units_of(size, CLP_WORKSPACE_ALIGNMENT) * CLP_WORKSPACE_ALIGNMENT;
}

static size_t min_of(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Local memory: copies of all counters in two thirds of what lets some work-groups live side by side. */
static void plan_local(const clp_context *context, const clp_histogram_desc *desc, struct plan *plan) {
    const size_t slots = plan->form.total + 3 * plan->form.active;
    const size_t word = plan->form.wide && desc->weight ? 8 : 4;
    const size_t most = min_of((size_t)context->info.local_memory, 48 << 10), room = most / 3 * 2;
    const size_t edges = (plan->form.total + plan->form.active) * plan->form.key_size;
    plan->copies = 1;
    if (slots * word > room)
        return;
    plan->slots = slots;
    while (plan->copies < COPIES && 2 * plan->copies * slots * word <= room)
        plan->copies *= 2;
    plan->local = slots * word * plan->copies;
    plan->near_edges = edges <= most / 4;
    plan->local_edges = plan->near_edges ? edges : 0;
}

static clp_status make_plan(clp_context *context, const clp_histogram_desc *desc, size_t rows, size_t columns,
                            struct plan *plan) {
    *plan = (struct plan){0};
    if (!context)
        return clp_fail(CLP_INVALID_ARGUMENT, "context is NULL");
    clp_status status = clp_histogram_form_of(context, desc, &plan->form);
    if (status != CLP_SUCCESS)
        return status;
    const struct clp_histogram_form *form = &plan->form;
    if (!desc->weight && !form->wide && (double)rows * (double)columns > (double)CL_UINT_MAX)
        return clp_fail(CLP_UNSUPPORTED, "%zu rows of %zu pixels are too many for counts of 32 bits", rows,
                        columns);
    status = get_variant(context, desc, form, &plan->variant);
    if (status != CLP_SUCCESS)
        return status;
    const bool simd = context->info.shape == CLP_SHAPE_SIMD;
    const size_t group = clp_variant_work_group_size(plan->variant);
    const size_t teams =
        (size_t)context->info.compute_units * (form->bytes && !simd ? BYTE_TEAMS_PER_UNIT : TEAMS_PER_UNIT);
    const size_t least = simd || !form->bytes ? LEAST_PART : LEAST_PART * 16;
    plan->part = columns > 0 ? units_of(units_of(columns, teams), least) * least : least;
    if (plan->part > (simd && form->channels > 1 ? SMALL_PART : MOST_PART))
        plan->part = simd && form->channels > 1 ? SMALL_PART : MOST_PART;
    plan->parts = columns > 0 ? units_of(columns, plan->part) : 1;
    plan->units = rows * plan->parts;
    plan->groups = plan->units == 0 ? 1 : min_of(plan->units, teams);
    for (size_t c = 0; c < form->active; c++)
        plan->table_size += (form->bins[c].count + 1) * form->key_size;
    plan->table_size = aligned(plan->table_size);
    plan->copies = 1;
    if (form->bytes) {
        plan->local = simd ? 0 : group * COLUMN + TOTALS;
    } else if (!simd) {
        plan_local(context, desc, plan);
    } else {
        const size_t slots = form->total + 3 * form->active;
        plan->most_memory = slots <= MOST_OWN_SLOTS ? aligned(teams * slots * sizeof(cl_ulong)) : 0;
        /* Private counts are worth their clearing if there are some samples for each. */
        if (plan->most_memory && slots <= units_of(plan->units, plan->groups) * plan->part * form->channels)
            plan->slots = slots;
        plan->memory_size = aligned(plan->groups * plan->slots * sizeof(cl_ulong));
    }
    return CLP_SUCCESS;
}

clp_status clp_histogram_prewarm(clp_context *context, const clp_histogram_desc *desc) {
    struct plan plan;
    return make_plan(context, desc, 1, 0, &plan);
}

clp_status clp_histogram_plan(clp_context *context, const clp_histogram_desc *desc, size_t n,
                              clp_plan *result) {
    struct plan plan;
    if (!result)
        return clp_fail(CLP_INVALID_ARGUMENT, "plan is NULL");
    *result = (clp_plan){0};
    const clp_status status = make_plan(context, desc, 1, n, &plan);
    if (status != CLP_SUCCESS)
        return status;
    result->workspace_size = plan.table_size + plan.most_memory;
    result->schedule = CLP_SCHEDULE_LEVELS;
    result->launches = (uint32_t)plan.form.active + 1;
    result->work_group_size = clp_variant_work_group_size(plan.variant);
    result->shape = context->info.shape;
    result->subgroups = clp_variant_subgroups(plan.variant);
    return CLP_SUCCESS;
}

/* ---- call --------------------------------------------------------------------------------------------- */

/* The arguments of a call. */
struct job {
    clp_buffer in, weights, counts, outside, lengths;
    size_t rows, columns, stride; /* the stride in samples */
};

enum { COUNTS, OUTSIDE, IN, WEIGHTS, LENGTHS, EDGES, NUM_RANGES = EDGES + CLP_HISTOGRAM_CHANNELS };

/* Samples from the first to the last one; SIZE_MAX: too many to count. */
static size_t extent(const struct clp_histogram_form *form, const struct job *job) {
    const size_t row = job->columns * form->channels;
    if (job->rows == 0 || job->columns == 0)
        return 0;
    if (job->columns > SIZE_MAX / form->channels || (job->rows - 1) > (SIZE_MAX - row) / job->stride)
        return SIZE_MAX;
    return (job->rows - 1) * job->stride + row;
}

static clp_status check_ranges(const clp_context *context, const clp_histogram_desc *desc,
                               const struct clp_histogram_form *form, const struct job *job,
                               struct clp_range ranges[NUM_RANGES]) {
    const size_t samples = extent(form, job), sets = desc->join_rows ? 1 : job->rows;
    const size_t outside = job->outside.mem ? 3 * form->active : 0;
    if (sets > SIZE_MAX / (form->total + 3 * form->active))
        return clp_fail(CLP_OUT_OF_RANGE, "%zu rows of %zu bins are too many", sets, form->total);
    struct {
        clp_buffer buffer;
        size_t size, count;
        int access;
        const char *name;
    } rows[NUM_RANGES] = {
        [COUNTS] = {job->counts, form->count_size, sets * form->total, CLP_READ | CLP_WRITE, "counts"},
        [OUTSIDE] = {job->outside, form->count_size, sets * outside, CLP_READ | CLP_WRITE, "outside"},
        [IN] = {job->in, form->element_size, samples, CLP_READ, "in"},
        [WEIGHTS] = {job->weights, 4, desc->weight ? samples : 0, CLP_READ, "weights"},
        [LENGTHS] = {job->lengths, sizeof(cl_uint), job->lengths.mem ? job->rows : 0, CLP_READ, "lengths"},
    };
    if (job->weights.mem && !desc->weight)
        return clp_fail(CLP_INVALID_BUFFER, "there are weights, but desc->weight is 0");
    for (size_t c = 0; c < CLP_HISTOGRAM_CHANNELS; c++) {
        const struct clp_histogram_bins *bins = &form->bins[c];
        const size_t edges = c < form->active && bins->edges.mem ? bins->count + 1 : 0;
        rows[EDGES + c].buffer = bins->edges, rows[EDGES + c].size = form->element_size;
        rows[EDGES + c].count = edges, rows[EDGES + c].access = CLP_READ, rows[EDGES + c].name = "edges";
    }
    for (int i = 0; i < NUM_RANGES; i++) {
        const clp_status status = clp_check_range(context, rows[i].buffer, rows[i].size, rows[i].count,
                                                  rows[i].access, rows[i].name, &ranges[i]);
        if (status != CLP_SUCCESS)
            return status;
    }
    for (int written = COUNTS; written <= OUTSIDE; written++)
        for (int other = written + 1; other < NUM_RANGES; other++) {
            const clp_status status = clp_check_disjoint(&ranges[other], &ranges[written]);
            if (status != CLP_SUCCESS)
                return status;
        }
    return CLP_SUCCESS;
}

#define ARG(value)                                                                                           \
    { sizeof(value), &(value) }
#define NUM(args) ((int)(sizeof(args) / sizeof *(args)))

/* The table of each channel; the first launch clears too. */
static clp_status launch_prepare(struct clp_call *call, const clp_histogram_desc *desc,
                                 const struct plan *plan, const struct job *job) {
    const cl_mem some = call->block->state, outside = job->outside.mem ? job->outside.mem : some;
    const cl_mem counts = job->counts.mem ? job->counts.mem : some;
    const struct clp_histogram_form *form = &plan->form;
    const cl_ulong counts_offset = job->counts.offset, outside_offset = job->outside.offset;
    const size_t sets = desc->join_rows ? 1 : job->rows, group = clp_variant_work_group_size(plan->variant);
    cl_ulong table_offset = clp_call_scratch_offset(call, form->key_size);
    clp_status status = CLP_SUCCESS;
    for (size_t c = 0; c < form->active && status == CLP_SUCCESS; c++) {
        const struct clp_histogram_bins *from = &form->bins[c];
        const bool clears = c == 0 && !desc->accumulate;
        const cl_mem edges = from->edges.mem ? from->edges.mem : some;
        const cl_ulong edges_offset = from->edges.offset, cleared = clears ? sets * form->total : 0,
                       cleared_outside = clears && job->outside.mem ? sets * 3 * form->active : 0;
        const cl_uint bins = (cl_uint)from->count, even = from->edges.mem == NULL;
        const struct clp_arg args[] = {
            ARG(edges),      ARG(edges_offset), ARG(call->scratch),  ARG(table_offset),
            ARG(bins),       ARG(even),         ARG(from->low),      ARG(from->step),
            ARG(from->rest), ARG(from->high),   ARG(counts),         ARG(counts_offset),
            ARG(cleared),    ARG(outside),      ARG(outside_offset), ARG(cleared_outside)};
        const size_t most = cleared > bins ? (size_t)cleared : bins, groups = units_of(most + 1, 4 * group);
        status = clp_call_launch(call, plan->variant, KERNEL_PREPARE, args, NUM(args),
                                 min_of(groups, (size_t)call->context->info.compute_units * 16), false);
        table_offset += from->count + 1;
    }
    return status;
}

static clp_status launch_count(struct clp_call *call, const clp_histogram_desc *desc, const struct plan *plan,
                               const struct job *job) {
    /* What is not there is not read either, but some drivers dislike a NULL argument. */
    const cl_mem some = call->block->state, in = job->in.mem ? job->in.mem : some;
    const cl_mem weights = job->weights.mem ? job->weights.mem : some,
                 lengths = job->lengths.mem ? job->lengths.mem : some,
                 counts = job->counts.mem ? job->counts.mem : some,
                 outside = job->outside.mem ? job->outside.mem : some;
    const struct clp_histogram_form *form = &plan->form;
    const cl_ulong in_offset = job->in.offset, weights_offset = job->weights.offset,
                   lengths_offset = job->lengths.offset, columns = job->columns, stride = job->stride,
                   part = plan->part, parts = plan->parts, units = plan->units,
                   table_offset = clp_call_scratch_offset(call, form->key_size),
                   counts_offset = job->counts.offset, total = form->total,
                   outside_offset = job->outside.offset,
                   memory_offset = clp_call_scratch_offset(call, sizeof(cl_ulong)) * 2 +
                                   plan->table_size / sizeof(cl_uint);
    const cl_uint has_lengths = job->lengths.mem != NULL, has_outside = job->outside.mem != NULL,
                  channels = (cl_uint)form->channels, active = (cl_uint)form->active,
                  joined = desc->join_rows != 0, slots = (cl_uint)plan->slots, copies = (cl_uint)plan->copies,
                  near_edges = plan->near_edges;
    cl_uint4 bins;
    cl_float4 scales;
    for (size_t c = 0; c < CLP_HISTOGRAM_CHANNELS; c++) {
        bins.s[c] = (cl_uint)form->bins[c].count;
        scales.s[c] = form->bins[c].scale;
    }
    const struct clp_arg args[] = {ARG(in),
                                   ARG(in_offset),
                                   ARG(weights),
                                   ARG(weights_offset),
                                   ARG(lengths),
                                   ARG(lengths_offset),
                                   ARG(has_lengths),
                                   ARG(columns),
                                   ARG(stride),
                                   ARG(part),
                                   ARG(parts),
                                   ARG(units),
                                   ARG(channels),
                                   ARG(active),
                                   ARG(bins),
                                   ARG(scales),
                                   ARG(call->scratch),
                                   ARG(table_offset),
                                   ARG(counts),
                                   ARG(counts_offset),
                                   ARG(total),
                                   ARG(outside),
                                   ARG(outside_offset),
                                   ARG(has_outside),
                                   ARG(joined),
                                   ARG(call->scratch),
                                   ARG(memory_offset),
                                   ARG(slots),
                                   ARG(copies),
                                   ARG(near_edges),
                                   {plan->local ? plan->local : 16, NULL},
                                   {plan->local_edges ? plan->local_edges : 16, NULL}};
    return clp_call_launch(call, plan->variant, KERNEL_COUNT, args, NUM(args), plan->groups, true);
}

static clp_status histogram_job(clp_context *context, cl_command_queue queue, const clp_histogram_desc *desc,
                                struct job *job, const clp_workspace *workspace, cl_uint num_waits,
                                const cl_event *waits, cl_event *event) {
    struct clp_call call;
    struct plan plan;
    struct clp_range ranges[NUM_RANGES];
    clp_status status = clp_call_begin(&call, context, queue, num_waits, waits, event);
    if (status == CLP_SUCCESS)
        status = clp_histogram_form_of(context, desc, &plan.form);
    if (status == CLP_SUCCESS && job->stride == 0 && job->columns <= SIZE_MAX / plan.form.channels)
        job->stride = job->columns * plan.form.channels;
    if (status == CLP_SUCCESS && job->stride / plan.form.channels < job->columns)
        status = clp_fail(CLP_INVALID_ARGUMENT, "rows: a stride of %zu samples is less than %zu pixels",
                          job->stride, job->columns);
    if (status == CLP_SUCCESS)
        status = check_ranges(context, desc, &plan.form, job, ranges);
    if (status == CLP_SUCCESS)
        status = make_plan(context, desc, job->rows, job->columns, &plan);
    if (status == CLP_SUCCESS)
        status = clp_call_scratch(&call, workspace,
                                  plan.table_size + (workspace ? plan.most_memory : plan.memory_size), ranges,
                                  NUM_RANGES); /* a caller's must do for any rows */
    if (status == CLP_SUCCESS)
        status = launch_prepare(&call, desc, &plan, job);
    if (status == CLP_SUCCESS)
        status = launch_count(&call, desc, &plan, job);
    return clp_call_end(&call, status, event);
}

clp_status clp_histogram(clp_context *context, cl_command_queue queue, const clp_histogram_desc *desc,
                         clp_buffer in, clp_buffer weights, clp_buffer counts, clp_buffer outside, size_t n,
                         const clp_workspace *workspace, cl_uint num_events_in_wait_list,
                         const cl_event *event_wait_list, cl_event *event) {
    struct job job = {
        .in = in, .weights = weights, .counts = counts, .outside = outside, .rows = 1, .columns = n};
    return histogram_job(context, queue, desc, &job, workspace, num_events_in_wait_list, event_wait_list,
                         event);
}

clp_status clp_histogram_rows(clp_context *context, cl_command_queue queue, const clp_histogram_desc *desc,
                              clp_buffer in, clp_buffer weights, clp_buffer counts, clp_buffer outside,
                              const clp_rows *rows, const clp_workspace *workspace,
                              cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                              cl_event *event) {
    if (event)
        *event = NULL;
    if (!rows)
        return clp_fail(CLP_INVALID_ARGUMENT, "rows is NULL");
    if (!clp_reserved_zero(rows->reserved) || rows->second_stride)
        return clp_fail(CLP_INVALID_ARGUMENT, "rows: a reserved field or second_stride is not zero");
    struct job job = {.in = in,
                      .weights = weights,
                      .counts = counts,
                      .outside = outside,
                      .lengths = rows->lengths,
                      .rows = rows->count,
                      .columns = rows->columns,
                      .stride = rows->stride};
    return histogram_job(context, queue, desc, &job, workspace, num_events_in_wait_list, event_wait_list,
                         event);
}

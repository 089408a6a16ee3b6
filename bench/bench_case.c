/* SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"
#include "reference.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PEERS = 16 };

double rate_gbps(double bytes, double ms) {
    return ms > 0 ? bytes / ms * 1e-6 : 0;
}

void bench_data_free(struct bench_data *data) {
    if (data->device != NULL)
        clReleaseMemObject(data->device); /* first: it may lie in the host's memory */
    free(data->host);
    *data = (struct bench_data){0};
}

/*
 * Fills host and device memory with the canonical uniform set, as runs if the layout has any, unless it is
 * there already. On a CPU both are the same memory: where the pages lie makes 10 to 20 %, so everyone must
 * read the same ones.
 */
static const char *prepare_data(struct bench *bench, const struct pattern_work *work) {
    struct bench_data *data = &bench->data;
    const clp_type type = work->what->type;
    const size_t n = work->n;
    const enum pattern_layout runs = work_has_runs(work->what->layout) ? work->what->layout : LAYOUT_WHOLE;
    const size_t size = clp_type_size(type), offset = bench->options->offset, page = 4096;
    const bool cpu = (bench->info->type & CL_DEVICE_TYPE_CPU) != 0;
    cl_int status;
    if (data->host != NULL && data->type == type && data->n == n && data->runs == runs)
        return NULL;
    bench_data_free(data);
    if (((double)n + (double)offset) * (double)size > /* n + offset may be more than a size_t holds */
        (double)bench->info->max_allocation)
        return "more than this device's largest buffer";
    const size_t bytes = ((n + offset) * size + page) / page * page;
    data->host = aligned_alloc(page, bytes);
    if (data->host == NULL)
        return "out of host memory";
    memset(data->host, 0, offset * size);
    ref_fill(REF_UNIFORM, type, 0, n, (char *)data->host + offset * size);
    work_make_runs(work, (char *)data->host + offset * size);
    data->device = clCreateBuffer(clp_context_cl(bench->context),
                                  CL_MEM_READ_ONLY | (cpu ? CL_MEM_USE_HOST_PTR : CL_MEM_COPY_HOST_PTR),
                                  bytes, data->host, &status);
    if (status != CL_SUCCESS) {
        bench_data_free(data);
        return clp_status_name(status);
    }
    data->type = type;
    data->runs = runs;
    data->n = n;
    data->offset = offset;
    return NULL;
}

/* Behind the offset. */
static const void *elements(const struct bench_data *data) {
    return (const char *)data->host + data->offset * clp_type_size(data->type);
}

/* The library as a subject. */
struct library {
    const struct pattern *pattern;
    struct pattern_call call;
    cl_command_queue event_queue;
    clp_plan plan; /* launches is 0 until it is known */
};

static const char *library_batch(void *state, size_t calls) {
    struct library *library = state;
    /* The plan builds the kernel, so it belongs to the time of the first call. */
    clp_status status = CLP_SUCCESS;
    if (library->plan.launches == 0)
        status = library->pattern->plan(&library->call, &library->plan);
    if (status != CLP_SUCCESS)
        return clp_status_name(status);
    for (size_t i = 0; i < calls; i++) {
        status = library->pattern->enqueue(&library->call, NULL);
        if (status != CLP_SUCCESS)
            return clp_status_name(status);
    }
    return clFinish(library->call.queue) == CL_SUCCESS ? NULL : "clFinish failed";
}

/* The device's own time for one call. The event of a call is its last launch's, so that several launches are
 * timed from the end of a marker in front of them. */
static double library_event_ms(void *state) {
    const struct library *library = state;
    struct pattern_call call = library->call;
    cl_event marker = NULL, event = NULL;
    double ms = -1;
    call.queue = library->event_queue;
    if (call.queue == NULL || (library->plan.launches > 1 &&
                               clEnqueueMarkerWithWaitList(call.queue, 0, NULL, &marker) != CL_SUCCESS))
        return -1;
    if (library->pattern->enqueue(&call, &event) == CLP_SUCCESS && clWaitForEvents(1, &event) == CL_SUCCESS)
        ms = marker != NULL ? event_time_ms(marker, CL_PROFILING_COMMAND_END, event)
                            : event_time_ms(event, CL_PROFILING_COMMAND_START, event);
    if (event != NULL)
        clReleaseEvent(event);
    if (marker != NULL)
        clReleaseEvent(marker);
    return ms;
}

/* One peer as a subject. */
struct peer_at_work {
    const struct peer *peer;
    void *state;
    struct subject subject;
    const char *skipped;
    bool always; /* in all cases */
};

static void open_peer(struct bench *bench, struct peer_at_work *at_work, const struct pattern *pattern,
                      const struct pattern_work *work) {
    const struct bench_data *data = &bench->data;
    const struct pattern_case *what = work->what;
    const struct peer_input input = {.pattern = pattern->name,
                                     .name = what->name,
                                     .type = what->type,
                                     .result = what->result,
                                     .result_size = pattern->output_count(work) * clp_type_size(what->result),
                                     .n = work->n,
                                     .parts = what->layout == LAYOUT_WHOLE ? 0 : work->parts,
                                     .offsets = work->offsets,
                                     .heads = work->heads,
                                     .heads_size = clp_type_size(work_head_type(what->layout)),
                                     .host = elements(data),
                                     .context = clp_context_cl(bench->context),
                                     .device = clp_context_device(bench->context),
                                     .queue = clp_context_queue(bench->context),
                                     .in = data->device,
                                     .offset = data->offset};
    at_work->skipped = at_work->peer->missing;
    if (at_work->skipped == NULL && at_work->peer->unfit != NULL)
        at_work->skipped = at_work->peer->unfit(input.device);
    at_work->always = at_work->skipped != NULL;
    if (at_work->skipped == NULL)
        at_work->skipped = at_work->peer->open(&input, &at_work->state);
    at_work->subject.batch = at_work->peer->run;
    at_work->subject.event_ms = at_work->peer->event_ms;
    at_work->subject.took_ms = at_work->peer->took_ms;
    at_work->subject.state = at_work->state;
}

/* What must come out, and what did. */
struct results {
    void *expected, *got;
    size_t bytes, out_bytes; /* with and without the count */
};

static bool library_is_right(const struct bench *bench, const struct library *library,
                             const struct results *results) {
    const struct pattern_work *work = library->call.work;
    const struct pattern_call *call = &library->call;
    if (results->out_bytes > 0 &&
        clEnqueueReadBuffer(call->queue, call->out.mem, CL_TRUE, 0, results->out_bytes, results->got, 0, NULL,
                            NULL) != CL_SUCCESS)
        return false;
    if (library->pattern->counts &&
        clEnqueueReadBuffer(call->queue, call->count.mem, CL_TRUE, 0, sizeof(cl_ulong),
                            (char *)results->got + results->out_bytes, 0, NULL, NULL) != CL_SUCCESS)
        return false;
    return library->pattern->exact(work->what)
               ? memcmp(results->expected, results->got, results->bytes) == 0
               : library->pattern->near_enough(work, elements(&bench->data), results->expected, results->got);
}

static bool peer_is_right(const struct bench *bench, const struct library *library,
                          const struct peer_at_work *at_work, const struct results *results) {
    return at_work->peer->result(at_work->state, results->got) == NULL &&
           library->pattern->near_enough(library->call.work, elements(&bench->data), results->expected,
                                         results->got);
}

/* The model's bound with the memory's rate of this very run. */
static void set_bound(struct bench_row *row, const clp_machine *device) {
    clp_machine machine = *device;
    machine.bytes_per_second = row->limit_gbps * 1e9;
    row->bound_ms = 1e3 * clp_cost_bound(&row->cost, &machine);
    row->bound_by = machine_bound_by(&row->cost, &machine);
}

/* Measures all, then reports row by row. */
static void measure_case(struct bench *bench, struct library *library, struct bench_row row,
                         const struct results *results) {
    const struct pattern_work *work = library->call.work;
    struct limit *limit = &bench->limits.best[library->pattern->limit];
    struct subject *subjects[MAX_PEERS + 2];
    struct subject self = {.batch = library_batch, .event_ms = library_event_ms, .state = library};
    struct subject limit_subject = {.batch = limit_batch, .event_ms = limit_event_ms, .state = limit};
    struct peer_at_work peers[MAX_PEERS] = {{0}};
    size_t count = 0, peer_count = 0;
    limits_use(&bench->limits, bench->data.device, row.n * clp_type_size(work->what->type));
    subjects[count++] = &self;
    subjects[count++] = &limit_subject;
    for (; bench->options->peers && peer_count < MAX_PEERS && library->pattern->peers[peer_count] != NULL;
         peer_count++) {
        peers[peer_count].peer = library->pattern->peers[peer_count];
        open_peer(bench, &peers[peer_count], library->pattern, work);
        if (peers[peer_count].skipped == NULL)
            subjects[count++] = &peers[peer_count].subject;
    }
    measure(subjects, count, bench->options->runs, bench->options->calls, bench->options->longest_ms);

    row.limit = library->pattern->limit == LIMIT_READ ? "read" : "copy";
    row.limit_gbps = rate_gbps(limit_bytes(limit), summarize(&limit_subject.back_to_back).median);
    set_bound(&row, &bench->machine);
    row.impl = "clpatterns";
    row.subject = &self;
    row.verified = self.error == NULL && library_is_right(bench, library, results);
    row.plan = &library->plan;
    limits_use(&bench->limits, NULL, 0);
    report_row(bench->report, &row);
    row.plan = NULL;
    for (size_t p = 0; p < peer_count; p++) {
        row.impl = peers[p].peer->name;
        row.subject = &peers[p].subject;
        row.skipped = peers[p].skipped;
        row.skipped_always = peers[p].always;
        row.note = peers[p].peer->note;
        row.verified = row.skipped == NULL && peers[p].subject.error == NULL &&
                       peer_is_right(bench, library, &peers[p], results);
        if (peers[p].peer->on_host && !(bench->info->type & CL_DEVICE_TYPE_CPU))
            row.limit_gbps = row.bound_ms = 0; /* it does not use this device */
        report_row(bench->report, &row);
        if (peers[p].state != NULL)
            peers[p].peer->close(peers[p].state);
    }
}

void bench_limits(struct bench *bench) {
    struct subject subjects[2] = {{0}}, *both[2] = {&subjects[0], &subjects[1]};
    progress("memory: measuring");
    for (int kind = LIMIT_READ; kind <= LIMIT_COPY; kind++)
        subjects[kind] = (struct subject){
            .batch = limit_batch, .event_ms = limit_event_ms, .state = &bench->limits.best[kind]};
    measure(both, 2, bench->options->runs, bench->options->calls, bench->options->longest_ms);
    for (int kind = LIMIT_READ; kind <= LIMIT_COPY; kind++) {
        const struct limit *limit = &bench->limits.best[kind];
        const double ms = summarize(&subjects[kind].back_to_back).median;
        const struct bench_row row = {
            .impl = "limit",
            .pattern = "memory",
            .name = kind == LIMIT_READ ? "read" : "copy",
            .type = "u32",
            .result = "u32",
            .n = bench->limits.bytes / 4,
            .cost = {.bytes = limit_bytes(limit)},
            .limit = kind == LIMIT_READ ? "read" : "copy",
            .limit_gbps = rate_gbps(limit_bytes(limit), ms),
            .subject = &subjects[kind],
            .verified = subjects[kind].error == NULL && limit_verify(limit),
            .note = limit->form,
        };
        report_row(bench->report, &row);
        *(kind == LIMIT_READ ? &bench->machine.bytes_per_second : &bench->copy_bytes_per_second) =
            1e9 * row.limit_gbps;
    }
    progress("cost model: measuring operations");
    machine_measure(&bench->limits, bench->context, &bench->machine);
}

static cl_mem blank_buffer(const struct pattern_call *call, cl_context context, size_t bytes,
                           cl_int *status) {
    static const cl_uchar blank = PATTERN_BLANK;
    cl_mem mem = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes + 1, NULL, status);
    if (*status == CL_SUCCESS)
        *status = clEnqueueFillBuffer(call->queue, mem, &blank, sizeof blank, 0, bytes + 1, 0, NULL, NULL);
    return mem;
}

/* The elements, the offsets, and what must come out. @return NULL or what is wrong */
static const char *prepare_case(struct bench *bench, struct library *library, struct pattern_work *work,
                                struct results *results) {
    const struct pattern *pattern = library->pattern;
    const struct pattern_case *what = work->what;
    cl_context context = clp_context_cl(bench->context);
    const char *error;
    cl_int status;
    if (what->type == CLP_F64 && !bench->info->has_f64)
        return "the device has no doubles";
    if (library->call.schedule != CLP_SCHEDULE_DEFAULT &&
        !pattern->has_schedule(what, library->call.schedule))
        return "it has no such schedule";
    error = prepare_data(bench, work);
    if (error != NULL)
        return error;
    results->bytes = pattern_result_size(pattern, work);
    results->out_bytes = pattern->output_count(work) * clp_type_size(what->result);
    results->expected = malloc(results->bytes + 1);
    results->got = malloc(results->bytes + 1);
    if (results->expected == NULL || results->got == NULL)
        return "out of host memory";
    status = work_upload(work, context);
    if (status == CL_SUCCESS)
        library->call.out.mem = blank_buffer(&library->call, context, results->out_bytes, &status);
    if (status == CL_SUCCESS)
        library->call.count.mem = blank_buffer(&library->call, context, sizeof(cl_ulong), &status);
    if (status != CL_SUCCESS)
        return clp_status_name(status);
    library->call.in = (clp_buffer){bench->data.device, bench->data.offset};
    memset(results->expected, PATTERN_BLANK, results->bytes);
    pattern->reference(work, elements(&bench->data), results->expected);
    return NULL;
}

void bench_case(struct bench *bench, const struct pattern *pattern, const struct pattern_case *what,
                size_t n) {
    struct pattern_work work;
    const char *error = work_make(&work, what, n);
    struct results results = {0};
    struct library library = {.pattern = pattern,
                              .event_queue = bench->limits.event_queue,
                              .call = {.work = &work,
                                       .context = bench->context,
                                       .queue = clp_context_queue(bench->context),
                                       .schedule = bench->options->schedule}};
    struct bench_row row = {.impl = "clpatterns",
                            .pattern = pattern->name,
                            .name = what->name,
                            .type = clp_type_name(what->type),
                            .result = clp_type_name(what->result),
                            .n = work.n,
                            .parts = work.parts};
    char label[PATTERN_LABEL_SIZE];
    progress("%s %s, n = %zu: preparing", pattern->name, pattern_case_label(what, label), n);
    (void)pattern->cost(&work, &row.cost); /* a case that has none has no reference either */
    row.skipped = error != NULL ? error : prepare_case(bench, &library, &work, &results);
    if (row.skipped == NULL) {
        progress("%s %s, n = %zu: measuring", pattern->name, pattern_case_label(what, label), n);
        measure_case(bench, &library, row, &results);
    } else {
        report_row(bench->report, &row);
    }
    if (library.call.out.mem != NULL)
        clReleaseMemObject(library.call.out.mem);
    if (library.call.count.mem != NULL)
        clReleaseMemObject(library.call.count.mem);
    work_free(&work);
    free(results.expected);
    free(results.got);
}

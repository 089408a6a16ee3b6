/* SPDX-License-Identifier: Apache-2.0 */
#include "limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Chunks: one work-item reads one long piece with the widest vectors and four accumulators, wide: eight
 * (CPUs). Tiles: a work-group reads 8 (or 4) vectors a work-item side by side, then goes on a grid further
 * (GPUs). The words differ, because memory full of equal words can be faster than real data; their sum is
 * known.
 */
static const char source[] =
    "#define ARGUMENTS(T) __global const T *in, __global T *out, ulong bytes, __global uint *sums\n"
    "uint limit_add4(uint4 v) { return v.x + v.y + v.z + v.w; }\n"
    "uint limit_add16(uint16 v) { uint8 h = v.lo + v.hi; return limit_add4(h.lo + h.hi); }\n"
    "__kernel void limit_read_chunks(ARGUMENTS(uint16))\n"
    "{\n"
    "    const size_t count = bytes / 64 / get_global_size(0);\n"
    "    __global const uint16 *p = in + get_global_id(0) * count;\n"
    "    uint16 a = 0, b = 0, c = 0, d = 0;\n"
    "    for (size_t i = 0; i < count; i += 4, p += 4) { a += p[0]; b += p[1]; c += p[2]; d += p[3]; }\n"
    "    sums[get_global_id(0)] = limit_add16(a + b + c + d);\n"
    "}\n"
    "__kernel void limit_read_wide(ARGUMENTS(uint16))\n"
    "{\n"
    "    const size_t count = bytes / 64 / get_global_size(0);\n"
    "    __global const uint16 *p = in + get_global_id(0) * count;\n"
    "    uint16 a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0;\n"
    "    for (size_t i = 0; i < count; i += 8, p += 8) {\n"
    "        a += p[0]; b += p[1]; c += p[2]; d += p[3];\n"
    "        e += p[4]; f += p[5]; g += p[6]; h += p[7];\n"
    "    }\n"
    "    sums[get_global_id(0)] = limit_add16(((a + b) + (c + d)) + ((e + f) + (g + h)));\n"
    "}\n"
    "__kernel void limit_copy_chunks(ARGUMENTS(uint16))\n"
    "{\n"
    "    const size_t count = bytes / 64 / get_global_size(0), base = get_global_id(0) * count;\n"
    "    for (size_t i = base; i < base + count; i++) out[i] = in[i];\n"
    "}\n"
    "#define TILES(U) const size_t step = get_local_size(0), tile = step * U; \\\n"
    "    for (size_t t = get_group_id(0); t < bytes / 16 / tile; t += get_num_groups(0))\n"
    "#define AT(k) [t * tile + (k) * step + get_local_id(0)]\n"
    "__kernel void limit_read_tiles8(ARGUMENTS(uint4))\n"
    "{\n"
    "    uint4 a = 0, b = 0;\n"
    "    TILES(8) {\n"
    "        const uint4 v0 = in AT(0), v1 = in AT(1), v2 = in AT(2), v3 = in AT(3);\n"
    "        const uint4 v4 = in AT(4), v5 = in AT(5), v6 = in AT(6), v7 = in AT(7);\n"
    "        a += v0 + v1 + v2 + v3; b += v4 + v5 + v6 + v7;\n"
    "    }\n"
    "    sums[get_global_id(0)] = limit_add4(a + b);\n"
    "}\n"
    "__kernel void limit_read_tiles4(ARGUMENTS(uint4))\n"
    "{\n"
    "    uint4 a = 0;\n"
    "    TILES(4) {\n"
    "        const uint4 v0 = in AT(0), v1 = in AT(1), v2 = in AT(2), v3 = in AT(3);\n"
    "        a += v0 + v1 + v2 + v3;\n"
    "    }\n"
    "    sums[get_global_id(0)] = limit_add4(a);\n"
    "}\n"
    "__kernel void limit_copy_tiles4(ARGUMENTS(uint4))\n"
    "{\n"
    "    TILES(4) {\n"
    "        const uint4 v0 = in AT(0), v1 = in AT(1), v2 = in AT(2), v3 = in AT(3);\n"
    "        out AT(0) = v0; out AT(1) = v1; out AT(2) = v2; out AT(3) = v3;\n"
    "    }\n"
    "}\n";

/* Forms to try. Work-groups: so many for each compute unit, rounded down to a power of two so that all pieces
 * are equal. A copy takes the sums argument only so that all kernels have the same ones. */
static const struct form {
    const char *kernel;
    enum pattern_limit kind;
    bool cpu, gpu;
    size_t local, groups_per_unit;
} forms[] = {
    {"limit_read_wide", LIMIT_READ, true, false, 1, 8},
    {"limit_read_wide", LIMIT_READ, true, false, 1, 64},
    {"limit_read_wide", LIMIT_READ, true, false, 1, 512},
    {"limit_read_chunks", LIMIT_READ, true, false, 1, 1},
    {"limit_read_chunks", LIMIT_READ, true, false, 1, 8},
    {"limit_read_chunks", LIMIT_READ, true, false, 1, 64},
    {"limit_read_chunks", LIMIT_READ, true, false, 1, 512},
    {"limit_read_tiles4", LIMIT_READ, true, false, 64, 8},
    {"limit_read_tiles8", LIMIT_READ, false, true, 256, 8},
    {"limit_read_tiles8", LIMIT_READ, false, true, 256, 32},
    {"limit_read_tiles8", LIMIT_READ, false, true, 512, 4},
    {"limit_read_tiles8", LIMIT_READ, false, true, 512, 16},
    {"limit_read_tiles4", LIMIT_READ, false, true, 256, 16},
    {"limit_read_tiles4", LIMIT_READ, false, true, 256, 64},
    {"limit_read_tiles4", LIMIT_READ, false, true, 1024, 2},
    {"limit_read_tiles4", LIMIT_READ, false, true, 1024, 16},
    {"limit_copy_chunks", LIMIT_COPY, true, false, 1, 1},
    {"limit_copy_chunks", LIMIT_COPY, true, false, 1, 8},
    {"limit_copy_chunks", LIMIT_COPY, true, false, 1, 64},
    {"limit_copy_tiles4", LIMIT_COPY, true, false, 64, 8},
    {"limit_copy_tiles4", LIMIT_COPY, false, true, 256, 16},
    {"limit_copy_tiles4", LIMIT_COPY, false, true, 256, 64},
    {"limit_copy_tiles4", LIMIT_COPY, false, true, 512, 8},
    {"limit_copy_tiles4", LIMIT_COPY, false, true, 512, 64},
    {"limit_copy_tiles4", LIMIT_COPY, false, true, 1024, 16},
};

enum { MAX_ITEMS = 1 << 22 };

static size_t power_of_two_below(size_t n) {
    size_t power = 1;
    while (power <= n / 2)
        power *= 2;
    return power;
}

double event_time_ms(cl_event first, cl_profiling_info which, cl_event last) {
    cl_ulong start, end;
    if (clGetEventProfilingInfo(first, which, sizeof start, &start, NULL) != CL_SUCCESS ||
        clGetEventProfilingInfo(last, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL) != CL_SUCCESS ||
        end <= start)
        return -1;
    return (double)(end - start) * 1e-6;
}

double limit_bytes(const struct limit *limit) {
    return (double)limit->owner->bytes_in_use * (limit->kind == LIMIT_COPY ? 2 : 1);
}

const char *limit_batch(void *state, size_t calls) {
    const struct limit *limit = state;
    for (size_t i = 0; i < calls; i++)
        if (clEnqueueNDRangeKernel(limit->owner->queue, limit->kernel, 1, NULL, &limit->global, &limit->local,
                                   0, NULL, NULL) != CL_SUCCESS)
            return "cannot launch";
    return clFinish(limit->owner->queue) == CL_SUCCESS ? NULL : "cannot finish";
}

static cl_int make_kernel(const struct limits *limits, const struct form *form, cl_mem in,
                          cl_kernel *kernel) {
    const cl_ulong bytes = limits->bytes;
    cl_int status;
    *kernel = clCreateKernel(limits->program, form->kernel, &status);
    if (status == CL_SUCCESS)
        status = clSetKernelArg(*kernel, 0, sizeof in, &in);
    if (status == CL_SUCCESS)
        status = clSetKernelArg(*kernel, 1, sizeof limits->out, &limits->out);
    if (status == CL_SUCCESS)
        status = clSetKernelArg(*kernel, 2, sizeof bytes, &bytes);
    if (status == CL_SUCCESS)
        status = clSetKernelArg(*kernel, 3, sizeof limits->sums, &limits->sums);
    return status;
}

double limit_event_ms(void *state) {
    const struct limit *limit = state;
    cl_event event;
    double ms = -1;
    if (limit->owner->event_queue == NULL ||
        clEnqueueNDRangeKernel(limit->owner->event_queue, limit->kernel, 1, NULL, &limit->global,
                               &limit->local, 0, NULL, &event) != CL_SUCCESS)
        return -1;
    if (clWaitForEvents(1, &event) == CL_SUCCESS)
        ms = event_time_ms(event, CL_PROFILING_COMMAND_START, event);
    clReleaseEvent(event);
    return ms;
}

/* Adds up what the work-items found and compares with the sum of all words, i · 2654435761 for i < n. */
static bool sums_are_right(const struct limits *limits, size_t items) {
    const uint64_t n = limits->bytes / 4;
    const uint32_t expected = (uint32_t)(n * (n - 1) / 2) * 2654435761u;
    uint32_t *sums = malloc(items * sizeof *sums), sum = 0;
    bool right = sums != NULL && clEnqueueReadBuffer(limits->queue, limits->sums, CL_TRUE, 0,
                                                     items * sizeof *sums, sums, 0, NULL, NULL) == CL_SUCCESS;
    for (size_t i = 0; i < items && right; i++)
        sum += sums[i];
    free(sums);
    return right && sum == expected;
}

void limits_use(struct limits *limits, cl_mem in, size_t bytes) {
    cl_ulong used;
    if (in == NULL || bytes < (size_t)1 << 26) {
        in = limits->in;
        bytes = limits->bytes;
    }
    limits->bytes_in_use = power_of_two_below(bytes < limits->bytes ? bytes : limits->bytes);
    used = limits->bytes_in_use;
    for (int kind = LIMIT_READ; kind <= LIMIT_COPY; kind++) {
        clSetKernelArg(limits->best[kind].kernel, 0, sizeof in, &in);
        clSetKernelArg(limits->best[kind].kernel, 2, sizeof used, &used);
    }
}

bool limit_verify(const struct limit *limit) {
    /* A copy is verified by reading the other buffer with the same kernel. */
    struct limits *limits = limit->owner;
    struct limit *reader = &limits->best[LIMIT_READ];
    const cl_mem *buffer = limit->kind == LIMIT_COPY ? &limits->out : &limits->in;
    bool right = clSetKernelArg(reader->kernel, 0, sizeof *buffer, buffer) == CL_SUCCESS;
    right = right && limit_batch(reader, 1) == NULL && sums_are_right(limits, reader->global);
    return clSetKernelArg(reader->kernel, 0, sizeof limits->in, &limits->in) == CL_SUCCESS && right;
}

/* Times one form; it becomes the limit of its kind if it is the fastest so far. */
static void try_form(struct limits *limits, const struct form *form, size_t units, double fastest[2]) {
    const size_t unit_bytes = form->local * 64; /* pieces of 4 vectors of 16 bytes; chunks have 256 bytes */
    const size_t most_groups = limits->bytes / (form->local == 1 ? 4096 : unit_bytes * 2);
    size_t groups = power_of_two_below(units * form->groups_per_unit);
    struct limit limit = {.owner = limits, .kind = form->kind, .local = form->local};
    double best = 1e30;
    if (groups > most_groups)
        groups = most_groups;
    limit.global = groups * form->local;
    if (limit.global > MAX_ITEMS)
        return;
    snprintf(limit.form, sizeof limit.form, "%s, %zu x %zu", form->kernel, groups, form->local);
    /* A form must be right too: llvmpipe leaves every loop after 65535 turns. */
    if (make_kernel(limits, form, limits->in, &limit.kernel) == CL_SUCCESS &&
        limit_batch(&limit, 1) == NULL &&
        (form->kind == LIMIT_COPY || sums_are_right(limits, limit.global))) {
        /* The fastest of several tries: others may be at work on this machine, and only slow one down. */
        const double begin = clock_ms();
        for (int i = 0; i < 1 || (i < 30 && clock_ms() - begin < 150); i++) {
            const double start = clock_ms();
            double took;
            if (limit_batch(&limit, 1) != NULL)
                break;
            took = clock_ms() - start;
            best = took < best ? took : best;
        }
    }
    if (best < fastest[form->kind]) {
        fastest[form->kind] = best;
        if (limits->best[form->kind].kernel != NULL)
            clReleaseKernel(limits->best[form->kind].kernel);
        limits->best[form->kind] = limit;
    } else if (limit.kernel != NULL) {
        clReleaseKernel(limit.kernel);
    }
}

/* Writes words that differ from the host, as the inputs of the patterns are written: where the pages of a
 * buffer lie depends on who touches it first, and with it the speed. */
static cl_int fill(const struct limits *limits) {
    enum { PIECE = 1 << 20 };
    const size_t words = limits->bytes / 4;
    const size_t piece = words < PIECE ? words : PIECE;
    uint32_t *host = malloc(piece * sizeof *host);
    cl_int status = host != NULL ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    for (size_t at = 0; at < words && status == CL_SUCCESS; at += piece) {
        for (size_t i = 0; i < piece; i++)
            host[i] = (uint32_t)(at + i) * 2654435761u;
        status =
            clEnqueueWriteBuffer(limits->queue, limits->in, CL_TRUE, at * 4, piece * 4, host, 0, NULL, NULL);
        if (status == CL_SUCCESS)
            status = clEnqueueWriteBuffer(limits->queue, limits->out, CL_TRUE, at * 4, piece * 4, host, 0,
                                          NULL, NULL);
    }
    if (host != NULL)
        memset(host, 0, piece * 4); /* so that a copy that does nothing is found */
    if (status == CL_SUCCESS)
        status = clEnqueueWriteBuffer(limits->queue, limits->out, CL_TRUE, 0, piece * 4, host, 0, NULL, NULL);
    free(host);
    return status;
}

const char *limits_open(struct limits *limits, clp_context *context, size_t bytes) {
    const clp_device_info *info = clp_context_info(context);
    const bool cpu = (info->type & CL_DEVICE_TYPE_CPU) != 0;
    const char *text = source;
    double fastest[2] = {1e30, 1e30};
    cl_int status;
    *limits = (struct limits){.context = clp_context_cl(context),
                              .device = clp_context_device(context),
                              .queue = clp_context_queue(context),
                              .bytes = power_of_two_below(bytes < 1 << 20 ? 1 << 20 : bytes)};
    limits->bytes_in_use = limits->bytes;
    limits->program = clCreateProgramWithSource(limits->context, 1, &text, NULL, &status);
    if (status != CL_SUCCESS ||
        clBuildProgram(limits->program, 1, &limits->device, "", NULL, NULL) != CL_SUCCESS)
        return "cannot build the kernels that measure memory";
    /* Its own queue: profiling slows some drivers down, so the host's clock never sees it. NULL if there is
     * none. */
    limits->event_queue =
        clCreateCommandQueue(limits->context, limits->device, CL_QUEUE_PROFILING_ENABLE, &status);
    limits->in = clCreateBuffer(limits->context, CL_MEM_READ_WRITE, limits->bytes, NULL, &status);
    if (status == CL_SUCCESS)
        limits->out = clCreateBuffer(limits->context, CL_MEM_READ_WRITE, limits->bytes, NULL, &status);
    if (status == CL_SUCCESS)
        limits->sums = clCreateBuffer(limits->context, CL_MEM_READ_WRITE, MAX_ITEMS * 4, NULL, &status);
    if (status != CL_SUCCESS || fill(limits) != CL_SUCCESS)
        return "cannot make the buffers that measure memory";
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++)
        if (forms[f].local <= info->max_work_group_size && (cpu ? forms[f].cpu : forms[f].gpu))
            try_form(limits, &forms[f], info->compute_units, fastest);
    if (limits->best[LIMIT_READ].kernel == NULL || limits->best[LIMIT_COPY].kernel == NULL)
        return "no kernel that measures memory runs here";
    /* Slow devices show their rate with fewer bytes too. */
    for (double ms = fastest[LIMIT_READ]; ms > 100 && limits->bytes > (size_t)1 << 22;) {
        limits->bytes /= 2;
        ms /= 2;
    }
    limits_use(limits, NULL, 0);
    return NULL;
}

void limits_close(struct limits *limits) {
    const cl_mem buffers[] = {limits->in, limits->out, limits->sums};
    for (int kind = LIMIT_READ; kind <= LIMIT_COPY; kind++)
        if (limits->best[kind].kernel != NULL)
            clReleaseKernel(limits->best[kind].kernel);
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        if (buffers[i] != NULL)
            clReleaseMemObject(buffers[i]);
    if (limits->event_queue != NULL)
        clReleaseCommandQueue(limits->event_queue);
    if (limits->program != NULL)
        clReleaseProgram(limits->program);
}

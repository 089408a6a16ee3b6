/* SPDX-License-Identifier: Apache-2.0 */
#include "machine.h"

/*
 * Floats, because no compiler may reorder their additions. Rate: each work-item adds to 8 vectors of which
 * none waits for another. Latency: one work-item, one chain. Both by the difference of two numbers of turns,
 * so that the launch falls out. Fewer than 65536 turns: llvmpipe leaves every loop there.
 */
static const char source[] =
    "#ifdef WIDE\n"
    "#define VECTOR float16\n"
    "float machine_sum(float16 v) { float8 a = v.lo + v.hi; float4 b = a.lo + a.hi; return b.x + b.y + b.z + "
    "b.w; }\n"
    "#else\n"
    "#define VECTOR float\n"
    "float machine_sum(float v) { return v; }\n"
    "#endif\n"
    "__kernel void machine_rate(__global float *out, float x, uint turns)\n"
    "{\n"
    "    VECTOR a = x, b = x + 1, c = x + 2, d = x + 3, e = x + 4, f = x + 5, g = x + 6, h = x + 7;\n"
    "    for (uint i = 0; i < turns; i++) {\n"
    "        a += x; b += x; c += x; d += x; e += x; f += x; g += x; h += x;\n"
    "        a += x; b += x; c += x; d += x; e += x; f += x; g += x; h += x;\n"
    "    }\n"
    "    out[get_global_id(0)] = machine_sum(((a + b) + (c + d)) + ((e + f) + (g + h)));\n"
    "}\n"
    "__kernel void machine_latency(__global float *out, float x, uint turns)\n"
    "{\n"
    "    float a = x;\n"
    "    for (uint i = 0; i < turns; i++) {\n"
    "        a += x; a += x; a += x; a += x; a += x; a += x; a += x; a += x;\n"
    "        a += x; a += x; a += x; a += x; a += x; a += x; a += x; a += x;\n"
    "    }\n"
    "    out[get_global_id(0)] = a;\n"
    "}\n";

enum { ADDITIONS = 16 /* a turn */, MOST_ITEMS = 1 << 20 };

/* The fastest of several launches, in seconds; negative after an error. */
static double seconds(const struct limits *limits, cl_kernel kernel, size_t global, size_t local,
                      cl_uint turns) {
    const float x = 1e-3f;
    double best = -1;
    if (clSetKernelArg(kernel, 0, sizeof limits->sums, &limits->sums) != CL_SUCCESS ||
        clSetKernelArg(kernel, 1, sizeof x, &x) != CL_SUCCESS ||
        clSetKernelArg(kernel, 2, sizeof turns, &turns) != CL_SUCCESS)
        return -1;
    for (int i = 0; i < 5; i++) {
        const double start = clock_ms();
        if (clEnqueueNDRangeKernel(limits->queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL) !=
                CL_SUCCESS ||
            clFinish(limits->queue) != CL_SUCCESS)
            return -1;
        const double took = (clock_ms() - start) * 1e-3;
        best = best < 0 || took < best ? took : best;
    }
    return best;
}

/* Seconds of one turn; 0 if that cannot be told. */
static double turn_seconds(const struct limits *limits, const char *name, size_t global, size_t local) {
    cl_int status;
    cl_kernel kernel = clCreateKernel(limits->program, name, &status);
    double turn = 0;
    if (status != CL_SUCCESS)
        return 0;
    /* As many turns as take a few milliseconds: far longer than a launch. */
    for (cl_uint turns = 256; turns <= 32768; turns *= 2) {
        const cl_uint few = turns / 8;
        const double less = seconds(limits, kernel, global, local, few),
                     more = seconds(limits, kernel, global, local, turns);
        if (less < 0 || more <= less)
            continue;
        turn = (more - less) / (turns - few);
        if (more - less > 3e-3)
            break;
    }
    clReleaseKernel(kernel);
    return turn;
}

void machine_measure(const struct limits *limits, clp_context *context, clp_machine *machine) {
    const clp_device_info *info = clp_context_info(context);
    const bool cpu = (info->type & CL_DEVICE_TYPE_CPU) != 0;
    const size_t width = cpu ? 16 : 1;
    const size_t local = cpu ? 1 : info->max_work_group_size < 256 ? info->max_work_group_size : 256;
    size_t groups = (size_t)info->compute_units * 8;
    const char *text = source;
    struct limits own = *limits;
    cl_int status;
    own.program = clCreateProgramWithSource(limits->context, 1, &text, NULL, &status);
    if (status != CL_SUCCESS)
        return;
    while (groups > 1 && groups * local > MOST_ITEMS)
        groups /= 2;
    if (clBuildProgram(own.program, 1, &limits->device, cpu ? "-DWIDE" : "", NULL, NULL) == CL_SUCCESS) {
        const double rate = turn_seconds(&own, "machine_rate", groups * local, local),
                     latency = turn_seconds(&own, "machine_latency", 1, 1);
        const double additions = (double)(ADDITIONS * width * groups * local);
        machine->operations_per_second = rate > 0 ? additions / rate : 0;
        machine->latency_seconds = latency / ADDITIONS;
    }
    clReleaseProgram(own.program);
}

const char *machine_bound_by(const clp_cost *cost, const clp_machine *machine) {
    const double bound = clp_cost_bound(cost, machine);
    if (!(bound > 0))
        return "";
    if (machine->bytes_per_second > 0 && cost->bytes / machine->bytes_per_second == bound)
        return "bytes";
    return cost->span * machine->latency_seconds == bound ? "span" : "work";
}

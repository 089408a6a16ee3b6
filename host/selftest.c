/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which sub-group back-end a context uses: candidates by feature query, then a self-test on the device.
 * A verdict holds for a device and driver and is remembered for the process; nothing of OpenCL is kept.
 */
#ifndef CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS /* clCreateCommandQueue: 1.x drivers lack the newer call */
#endif
#include "internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    EXCHANGES = 6,  /* of cl/selftest.cl */
    RUN = 32,       /* what comes from another run of so many work-items may be anything */
    NUM_GROUPS = 3, /* work-groups of a launch */
    LARGEST_GROUP = 256,
    MAX_WORDS = EXCHANGES * NUM_GROUPS * LARGEST_GROUP,
    MAX_VERDICTS = 32
};

/*
 * A verdict is CLP_SUCCESS, CLP_SELF_TEST_FAILED (wrong values, or kernels that do not compile) or
 * CLP_DEVICE_UNSUPPORTED (no sub-groups that hold whole runs).
 */
static pthread_mutex_t verdicts_lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    char device[256];
    clp_subgroups subgroups;
    clp_status verdict;
} verdicts[MAX_VERDICTS];
static int num_verdicts;

static void device_key(const clp_context *context, char *key, size_t size) {
    snprintf(key, size, "%s|%s|%s", context->info.platform, context->info.name, context->info.driver);
}

static bool recall(const clp_context *context, clp_subgroups subgroups, clp_status *verdict) {
    char key[sizeof verdicts[0].device];
    device_key(context, key, sizeof key);
    bool found = false;
    pthread_mutex_lock(&verdicts_lock);
    for (int i = 0; i < num_verdicts && !found; i++)
        if (verdicts[i].subgroups == subgroups && strcmp(verdicts[i].device, key) == 0) {
            found = true;
            *verdict = verdicts[i].verdict;
        }
    pthread_mutex_unlock(&verdicts_lock);
    return found;
}

static void remember(const clp_context *context, clp_subgroups subgroups, clp_status verdict) {
    pthread_mutex_lock(&verdicts_lock);
    if (num_verdicts < MAX_VERDICTS) {
        device_key(context, verdicts[num_verdicts].device, sizeof verdicts[0].device);
        verdicts[num_verdicts].subgroups = subgroups;
        verdicts[num_verdicts].verdict = verdict;
        num_verdicts++;
    }
    pthread_mutex_unlock(&verdicts_lock);
}

/* Is that what clp_selftest (cl/selftest.cl) puts into out, for size work-items? */
static bool expected(const cl_uint *out, cl_uint size) {
    for (cl_uint d = 0; d < EXCHANGES; d++)
        for (cl_uint i = 0; i < size; i++) {
            const cl_uint delta = d < 5 ? 1u << d : 31, from = i + delta;
            const cl_uint value = (from * 2654435761u) ^ ((from * 40503u) << 1) ^ ((from ^ 0x5bd1e995u) << 2);
            if (i % RUN + delta < RUN && out[d * size + i] != value)
                return false;
        }
    return true;
}

/* One launch at one work-group size. *passed is set if status is CLP_SUCCESS. */
static clp_status run_size(const clp_context *context, cl_kernel kernel, cl_command_queue queue,
                           cl_mem buffer, size_t group, cl_uint *out, bool *passed) {
    const size_t size = NUM_GROUPS * group, bytes = EXCHANGES * size * sizeof *out;
    memset(out, 0, bytes);
    cl_int code = clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
    if (code == CL_SUCCESS)
        code = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, &group, 0, NULL, NULL);
    if (code == CL_SUCCESS)
        code = clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, bytes, out, 0, NULL, NULL);
    if (code != CL_SUCCESS)
        return clp_fail_cl(code, "the self-test of a sub-group back-end");
    *passed = expected(out, (cl_uint)size);
    if (!*passed)
        clp_log(context, CLP_LOG_INFO, "self-test: wrong values at work-group size %zu", group);
    return CLP_SUCCESS;
}

/*
 * One launch at each work-group size: a run alone, several, sizes that leave a partial last sub-group where
 * sub-groups are wider than a run (96, 160: of 64 or 128), the largest. Sizes that get other sub-groups than
 * the back-end can use are left out: variants use local memory there.
 */
static clp_status run_sizes(const clp_context *context, clp_subgroups subgroups, cl_kernel kernel,
                            size_t largest, bool *passed) {
    const size_t groups[] = {largest, 160, 96, 64, 32};
    cl_uint *out = malloc(MAX_WORDS * sizeof *out);
    if (!out)
        return clp_fail(CL_OUT_OF_HOST_MEMORY, "no memory for a self-test");
    cl_int code;
    cl_mem buffer = NULL;
    cl_command_queue queue = clCreateCommandQueue(context->cl, context->device, 0, &code);
    if (code == CL_SUCCESS)
        buffer = clCreateBuffer(context->cl, CL_MEM_WRITE_ONLY, MAX_WORDS * sizeof *out, NULL, &code);
    clp_status status = code == CL_SUCCESS ? CLP_SUCCESS : clp_fail_cl(code, "making a self-test's objects");
    *passed = true;
    for (size_t i = 0; i < sizeof groups / sizeof *groups && status == CLP_SUCCESS && *passed; i++) {
        bool fits = false;
        if (groups[i] <= largest)
            status = clp_subgroups_fit(context, subgroups, kernel, groups[i], &fits);
        if (status == CLP_SUCCESS && fits)
            status = run_size(context, kernel, queue, buffer, groups[i], out, passed);
    }
    if (buffer)
        clReleaseMemObject(buffer);
    if (queue)
        clReleaseCommandQueue(queue);
    free(out);
    return status;
}

/* Builds and runs the test. *verdict is set if status is CLP_SUCCESS. Blocks: part of the first build. */
static clp_status run_test(clp_context *context, clp_subgroups subgroups, clp_status *verdict) {
    struct clp_variant_key key = {.stem = "selftest",
                                  .kernels = {"clp_selftest"},
                                  .work_group_size = LARGEST_GROUP,
                                  .subgroups = subgroups,
                                  .self_test = true};
    if (key.work_group_size > context->info.max_work_group_size)
        key.work_group_size = context->info.max_work_group_size / RUN * RUN;
    struct clp_variant *variant;
    struct clp_kernel *kernel = NULL;
    bool passed = false;
    clp_status status =
        key.work_group_size ? clp_variant_get(context, &key, &variant) : CLP_DEVICE_UNSUPPORTED;
    if (status == CL_BUILD_PROGRAM_FAILURE || status == CLP_DEVICE_UNSUPPORTED) {
        *verdict = status == CLP_DEVICE_UNSUPPORTED ? status : CLP_SELF_TEST_FAILED;
        return CLP_SUCCESS;
    }
    if (status == CLP_SUCCESS)
        status = clp_kernel_take(context, variant, 0, &kernel);
    if (status != CLP_SUCCESS)
        return status;
    status = run_sizes(context, subgroups, kernel->cl, clp_variant_work_group_size(variant), &passed);
    clp_kernel_give(context, variant, kernel);
    *verdict = passed ? CLP_SUCCESS : CLP_SELF_TEST_FAILED;
    return status;
}

/* Does the back-end work here? */
static clp_status test(clp_context *context, clp_subgroups subgroups, clp_status *verdict) {
    if (!context->features.has[subgroups]) {
        *verdict = CLP_DEVICE_UNSUPPORTED;
        return CLP_SUCCESS;
    }
    /* A folder's kernels may be others each time: their verdict is this context's alone. */
    if (context->source_dir || !recall(context, subgroups, verdict)) {
        const clp_status status = run_test(context, subgroups, verdict);
        if (status != CLP_SUCCESS)
            return status;
        if (!context->source_dir)
            remember(context, subgroups, *verdict);
    }
    if (*verdict != CLP_SUCCESS) {
        clp_note(context, "sub-group back-end %s: %s", clp_subgroups_name(subgroups),
                 *verdict == CLP_SELF_TEST_FAILED ? "fails its self-test"
                                                  : "no sub-groups that are a multiple of 32 wide");
        clp_log(context, CLP_LOG_WARNING, "the sub-group back-end %s does not work on %s",
                clp_subgroups_name(subgroups), context->info.name);
    }
    return CLP_SUCCESS;
}

/* Back-ends in the order of preference. */
static const clp_subgroups preference[] = {CLP_SUBGROUPS_NVIDIA, CLP_SUBGROUPS_KHR, CLP_SUBGROUPS_INTEL,
                                           CLP_SUBGROUPS_AMD};

static clp_status settle(clp_context *context) {
    const clp_subgroups wanted = context->wanted_subgroups;
    context->info.subgroups = CLP_SUBGROUPS_LOCAL;
    if (context->info.shape == CLP_SHAPE_SIMD || wanted == CLP_SUBGROUPS_LOCAL)
        return CLP_SUCCESS;
    for (size_t i = 0; i < sizeof preference / sizeof *preference; i++) {
        clp_status verdict = CLP_SUCCESS;
        if (wanted != CLP_SUBGROUPS_DEFAULT && wanted != preference[i])
            continue;
        const clp_status status = test(context, preference[i], &verdict);
        if (status != CLP_SUCCESS)
            return status;
        if (verdict == CLP_SUCCESS) {
            context->info.subgroups = preference[i];
            return CLP_SUCCESS;
        }
        if (wanted != CLP_SUBGROUPS_DEFAULT)
            context->subgroups_status = verdict;
    }
    return CLP_SUCCESS;
}

clp_status clp_subgroups_settle(clp_context *context) {
    clp_status status = CLP_SUCCESS;
    pthread_mutex_lock(&context->subgroups_lock);
    if (!context->subgroups_known) {
        status = settle(context);
        context->subgroups_known = status == CLP_SUCCESS; /* out of memory, say: try again next time */
    }
    pthread_mutex_unlock(&context->subgroups_lock);
    if (status == CLP_SUCCESS && context->subgroups_status != CLP_SUCCESS)
        status = clp_fail(context->subgroups_status,
                          context->subgroups_status == CLP_DEVICE_UNSUPPORTED
                              ? "the device lacks what the sub-group back-end %s needs"
                              : "the sub-group back-end %s gives wrong values on this device",
                          clp_subgroups_name(context->wanted_subgroups));
    return status;
}

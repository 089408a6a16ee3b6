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
#include <string.h>

enum { TEST_GROUP = 64, TEST_WORDS = 5 * TEST_GROUP, MAX_VERDICTS = 32 };

static pthread_mutex_t verdicts_lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    char device[256];
    clp_subgroups subgroups;
    bool passed;
} verdicts[MAX_VERDICTS];
static int num_verdicts;

static void device_key(const clp_context *context, char *key, size_t size) {
    snprintf(key, size, "%s|%s|%s", context->info.platform, context->info.name, context->info.driver);
}

static bool recall(const clp_context *context, clp_subgroups subgroups, bool *passed) {
    char key[sizeof verdicts[0].device];
    device_key(context, key, sizeof key);
    bool found = false;
    pthread_mutex_lock(&verdicts_lock);
    for (int i = 0; i < num_verdicts && !found; i++)
        if (verdicts[i].subgroups == subgroups && strcmp(verdicts[i].device, key) == 0) {
            found = true;
            *passed = verdicts[i].passed;
        }
    pthread_mutex_unlock(&verdicts_lock);
    return found;
}

static void remember(const clp_context *context, clp_subgroups subgroups, bool passed) {
    pthread_mutex_lock(&verdicts_lock);
    if (num_verdicts < MAX_VERDICTS) {
        device_key(context, verdicts[num_verdicts].device, sizeof verdicts[0].device);
        verdicts[num_verdicts].subgroups = subgroups;
        verdicts[num_verdicts].passed = passed;
        num_verdicts++;
    }
    pthread_mutex_unlock(&verdicts_lock);
}

/* What clp_selftest (cl/selftest.cl) puts into out[d * TEST_GROUP + i], for sub-groups of 32. */
static bool expected(const cl_uint *out) {
    for (cl_uint d = 0; d < 5; d++)
        for (cl_uint i = 0; i < TEST_GROUP; i++) {
            const cl_uint from = i % 32 + (1u << d) < 32 ? i + (1u << d) : i;
            const cl_uint value = (from * 2654435761u) ^ ((from * 40503u) << 1) ^ ((from ^ 0x5bd1e995u) << 2);
            if (out[d * TEST_GROUP + i] != value)
                return false;
        }
    return true;
}

/* Builds and runs the test. *passed is set if status is CLP_SUCCESS. Blocks: part of the first build. */
static clp_status run_test(clp_context *context, clp_subgroups subgroups, bool *passed) {
    const struct clp_variant_key key = {.stem = "selftest",
                                        .kernels = {"clp_selftest"},
                                        .work_group_size = TEST_GROUP,
                                        .subgroups = subgroups};
    struct clp_variant *variant;
    struct clp_kernel *kernel = NULL;
    cl_uint out[TEST_WORDS] = {0};
    const size_t group = TEST_GROUP;
    cl_int code = CL_SUCCESS;
    cl_mem buffer = NULL;
    clp_status status = clp_variant_get(context, &key, &variant);
    if (status == CLP_SUCCESS && clp_variant_work_group_size(variant) != TEST_GROUP)
        status = clp_fail(CLP_DEVICE_UNSUPPORTED, "the device does not run work-groups of %d", TEST_GROUP);
    if (status == CLP_SUCCESS)
        status = clp_kernel_take(context, variant, 0, &kernel);
    if (status != CLP_SUCCESS)
        return status;
    cl_command_queue queue = clCreateCommandQueue(context->cl, context->device, 0, &code);
    if (code == CL_SUCCESS)
        buffer = clCreateBuffer(context->cl, CL_MEM_WRITE_ONLY, sizeof out, NULL, &code);
    if (code == CL_SUCCESS)
        code = clSetKernelArg(kernel->cl, 0, sizeof buffer, &buffer);
    if (code == CL_SUCCESS)
        code = clEnqueueNDRangeKernel(queue, kernel->cl, 1, NULL, &group, &group, 0, NULL, NULL);
    if (code == CL_SUCCESS)
        code = clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL);
    if (code != CL_SUCCESS)
        status = clp_fail_cl(code, "the self-test of a sub-group back-end");
    *passed = expected(out);
    if (buffer)
        clReleaseMemObject(buffer);
    if (queue)
        clReleaseCommandQueue(queue);
    clp_kernel_give(context, variant, kernel);
    return status;
}

/* Does the back-end work here? A build that fails counts as a test that fails. */
static clp_status test(clp_context *context, clp_subgroups subgroups, bool *passed) {
    if (recall(context, subgroups, passed))
        return CLP_SUCCESS;
    const clp_status status = run_test(context, subgroups, passed);
    if (status == CL_BUILD_PROGRAM_FAILURE || status == CLP_DEVICE_UNSUPPORTED)
        *passed = false;
    else if (status != CLP_SUCCESS)
        return status;
    remember(context, subgroups, *passed);
    if (!*passed)
        clp_log(context, CLP_LOG_WARNING,
                "a sub-group back-end fails its self-test on %s: local memory is used", context->info.name);
    return CLP_SUCCESS;
}

static clp_status settle(clp_context *context) {
    const bool simd = context->info.shape == CLP_SHAPE_SIMD;
    context->info.subgroups = CLP_SUBGROUPS_LOCAL;
    if (simd || context->wanted_subgroups == CLP_SUBGROUPS_LOCAL)
        return CLP_SUCCESS;
    bool passed = false;
    if (context->nvidia) {
        const clp_status status = test(context, CLP_SUBGROUPS_NVIDIA, &passed);
        if (status != CLP_SUCCESS)
            return status;
        if (passed)
            context->info.subgroups = CLP_SUBGROUPS_NVIDIA;
        else if (context->wanted_subgroups == CLP_SUBGROUPS_NVIDIA)
            context->subgroups_status = CLP_SELF_TEST_FAILED;
    } else if (context->wanted_subgroups == CLP_SUBGROUPS_NVIDIA) {
        context->subgroups_status = CLP_DEVICE_UNSUPPORTED;
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
                          "the sub-group back-end that was asked for does not work on this device");
    return status;
}

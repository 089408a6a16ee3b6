/* SPDX-License-Identifier: Apache-2.0 */
/** @file fixture.c See fixture.h. */
#include "fixture.h"
#include "reference.h"
#include <check.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = FIXTURE_OUTPUTS + 2 };
static const uint32_t poison = 0xdeadbeef; /* about −6.3e18: far from any sum of the data */

const uint32_t fixture_offsets[FIXTURE_RESULTS + 1] = {0, 3, 3, 1300, 9999, UINT32_MAX};

clp_reduce_desc fixture_sum(clp_schedule schedule) {
    return (clp_reduce_desc){.type = CLP_F32, .op = CLP_SUM, .schedule = schedule};
}

uint32_t fixture_expected(struct fixture *f, size_t n) {
    const clp_reduce_desc desc = fixture_sum(CLP_SCHEDULE_DEFAULT);
    if (f->expected_n != n) {
        ref_reduce(&desc, f->data, n, &f->expected);
        f->expected_n = n;
    }
    return f->expected;
}

void fixture_make(struct fixture *f, size_t n, size_t workspace_size) {
    memset(f, 0, sizeof(*f));
    f->n = n;
    f->expected_n = SIZE_MAX; /* none yet */
    f->workspace_size = workspace_size;
    f->data = malloc(n * sizeof(*f->data));
    ck_assert_ptr_nonnull(f->data);
    ref_fill(REF_UNIFORM, CLP_F32, 0, n, f->data);

    cl_platform_id platform;
    ck_assert_int_eq(clGetPlatformIDs(1, &platform, NULL), CL_SUCCESS);
    ck_assert_int_eq(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &f->device, NULL), CL_SUCCESS);
    f->context = clCreateContext(NULL, 1, &f->device, NULL, NULL, NULL);
    ck_assert_ptr_nonnull(f->context);
    f->in_order = clCreateCommandQueue(f->context, f->device, 0, NULL);
    f->out_of_order =
        clCreateCommandQueue(f->context, f->device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, NULL);
    ck_assert_ptr_nonnull(f->in_order);
    ck_assert_ptr_nonnull(f->out_of_order);
    const cl_mem_flags copy = CL_MEM_COPY_HOST_PTR;
    f->in = clCreateBuffer(f->context, CL_MEM_READ_ONLY | copy, n * sizeof(*f->data), f->data, NULL);
    uint32_t offsets[FIXTURE_RESULTS + 1];
    memcpy(offsets, fixture_offsets, sizeof(offsets)); /* OpenCL's host pointer is not const */
    f->offsets = clCreateBuffer(f->context, CL_MEM_READ_ONLY | copy, sizeof(offsets), offsets, NULL);
    ck_assert_ptr_nonnull(f->offsets);
    f->out = clCreateBuffer(f->context, CL_MEM_READ_WRITE, WORDS * sizeof(poison), NULL, NULL);
    f->workspace = clCreateBuffer(f->context, CL_MEM_READ_WRITE, workspace_size, NULL, NULL);
    ck_assert_ptr_nonnull(f->in);
    ck_assert_ptr_nonnull(f->out);
    ck_assert_ptr_nonnull(f->workspace);
}

void fixture_free(struct fixture *f) {
    clReleaseMemObject(f->workspace);
    clReleaseMemObject(f->out);
    clReleaseMemObject(f->offsets);
    clReleaseMemObject(f->in);
    clReleaseCommandQueue(f->out_of_order);
    clReleaseCommandQueue(f->in_order);
    clReleaseContext(f->context);
    free(f->data);
}

void fixture_poison(const struct fixture *f) {
    uint32_t words[WORDS];
    for (int i = 0; i < WORDS; i++) {
        words[i] = poison;
    }
    ck_assert_int_eq(
        clEnqueueWriteBuffer(f->in_order, f->out, CL_TRUE, 0, sizeof(words), words, 0, NULL, NULL),
        CL_SUCCESS);
}

void fixture_results(const struct fixture *f, size_t count, uint32_t *results) {
    uint32_t words[WORDS];
    ck_assert_int_eq(
        clEnqueueReadBuffer(f->in_order, f->out, CL_TRUE, 0, sizeof(words), words, 0, NULL, NULL),
        CL_SUCCESS);
    for (size_t i = 0; i < WORDS; i++) {
        if ((i == 0 || i > count) && words[i] != poison) { /* an assertion each would take long */
            ck_abort_msg("word %zu beside the output is %08x", i, words[i]);
        }
    }
    memcpy(results, words + 1, count * sizeof(*results));
}

uint32_t fixture_result(const struct fixture *f) {
    uint32_t word;
    fixture_results(f, 1, &word);
    return word;
}

bool fixture_untouched(const struct fixture *f) {
    return fixture_result(f) == poison;
}

void fixture_check_input(const struct fixture *f) {
    const size_t bytes = f->n * sizeof(*f->data);
    float *now = malloc(bytes);
    ck_assert_ptr_nonnull(now);
    ck_assert_int_eq(clEnqueueReadBuffer(f->in_order, f->in, CL_TRUE, 0, bytes, now, 0, NULL, NULL),
                     CL_SUCCESS);
    ck_assert_int_eq(memcmp(now, f->data, bytes), 0);
    free(now);
}

clp_context *fixture_adopt(const struct fixture *f, clp_shape shape) {
    const clp_options options = {.shape = shape};
    clp_context *context = NULL;
    clp_status status = clp_context_adopt(f->context, f->device, &options, &context);
    ck_assert_msg(status == CLP_SUCCESS, "clp_context_adopt: %s", clp_status_name(status));
    return context;
}

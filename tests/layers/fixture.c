/* SPDX-License-Identifier: Apache-2.0 */
/** @file fixture.c See fixture.h. */
#include "fixture.h"
#include "reference.h"
#include <check.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 3 };
static const uint32_t poison = 0xdeadbeef; /* about −6.3e18: far from any sum of the data */

clp_reduce_desc fixture_sum(clp_schedule schedule) {
    return (clp_reduce_desc){.type = CLP_F32, .op = CLP_SUM, .schedule = schedule};
}

clp_scan_desc fixture_scan(clp_schedule schedule) {
    return (clp_scan_desc){.type = CLP_F32, .op = CLP_SUM, .schedule = schedule};
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
    f->out = clCreateBuffer(f->context, CL_MEM_READ_WRITE, WORDS * sizeof(poison), NULL, NULL);
    f->scanned = clCreateBuffer(f->context, CL_MEM_READ_WRITE, FIXTURE_SCANNED * sizeof(poison), NULL, NULL);
    f->workspace = clCreateBuffer(f->context, CL_MEM_READ_WRITE, workspace_size, NULL, NULL);
    ck_assert_ptr_nonnull(f->in);
    ck_assert_ptr_nonnull(f->out);
    ck_assert_ptr_nonnull(f->scanned);
    ck_assert_ptr_nonnull(f->workspace);
}

void fixture_free(struct fixture *f) {
    clReleaseMemObject(f->workspace);
    clReleaseMemObject(f->scanned);
    clReleaseMemObject(f->out);
    clReleaseMemObject(f->in);
    clReleaseCommandQueue(f->out_of_order);
    clReleaseCommandQueue(f->in_order);
    clReleaseContext(f->context);
    free(f->data);
}

void fixture_poison(const struct fixture *f) {
    const uint32_t words[WORDS] = {poison, poison, poison};
    ck_assert_int_eq(
        clEnqueueWriteBuffer(f->in_order, f->out, CL_TRUE, 0, sizeof(words), words, 0, NULL, NULL),
        CL_SUCCESS);
    uint32_t *many = malloc(FIXTURE_SCANNED * sizeof(*many));
    ck_assert_ptr_nonnull(many);
    for (size_t i = 0; i < FIXTURE_SCANNED; i++) {
        many[i] = poison;
    }
    ck_assert_int_eq(clEnqueueWriteBuffer(f->in_order, f->scanned, CL_TRUE, 0,
                                          FIXTURE_SCANNED * sizeof(*many), many, 0, NULL, NULL),
                     CL_SUCCESS);
    free(many);
}

uint32_t fixture_result(const struct fixture *f) {
    uint32_t words[WORDS];
    ck_assert_int_eq(
        clEnqueueReadBuffer(f->in_order, f->out, CL_TRUE, 0, sizeof(words), words, 0, NULL, NULL),
        CL_SUCCESS);
    ck_assert_uint_eq(words[0], poison);
    ck_assert_uint_eq(words[2], poison);
    return words[1];
}

/* The words of `scanned`; free them. */
static uint32_t *read_scanned(const struct fixture *f) {
    uint32_t *words = malloc(FIXTURE_SCANNED * sizeof(*words));
    ck_assert_ptr_nonnull(words);
    ck_assert_int_eq(clEnqueueReadBuffer(f->in_order, f->scanned, CL_TRUE, 0,
                                         FIXTURE_SCANNED * sizeof(*words), words, 0, NULL, NULL),
                     CL_SUCCESS);
    return words;
}

void fixture_check_scan(const struct fixture *f, size_t n) {
    const clp_scan_desc desc = fixture_scan(CLP_SCHEDULE_DEFAULT);
    uint32_t *words = read_scanned(f), *expected = malloc((n + 1) * sizeof(*expected));
    ck_assert_ptr_nonnull(expected);
    ref_scan(&desc, f->data, n, expected);
    ck_assert_int_eq(memcmp(words + 1, expected, n * sizeof(*expected)), 0);
    free(expected);
    free(words);
}

void fixture_check_scan_guards(const struct fixture *f, size_t n) {
    uint32_t *words = read_scanned(f);
    bool guarded = words[0] == poison;
    for (size_t i = n + 1; i < FIXTURE_SCANNED; i++) {
        guarded = guarded && words[i] == poison;
    }
    ck_assert(guarded);
    free(words);
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

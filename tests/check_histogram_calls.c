/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of histograms: every documented error, a caller's workspace, a queue without order. */
#include "harness.h"
#include "reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 100, BINS = 8 };

#define BINS_OF(...) .bins = {{__VA_ARGS__}}
#define GOOD         BINS_OF(.count = BINS, .high.f = 1)

static cl_mem sums_buffer(clp_context *context, size_t size) {
    cl_int code;
    cl_mem mem = clCreateBuffer(clp_context_cl(context), CL_MEM_READ_WRITE, size, NULL, &code);
    ok_cl(code);
    test_guard(clp_context_queue(context), mem, size);
    return mem;
}

START_TEST(errors_of_descriptions) {
    clp_context *context = test_context(CLP_SHAPE_DEFAULT, CLP_SUBGROUPS_DEFAULT, 0);
    cl_command_queue queue = clp_context_queue(context);
    static const float data[N];
    const clp_buffer in = {test_input(context, data, sizeof data), 0}, none = {NULL, 0};
    const clp_buffer counts = {sums_buffer(context, 8 * BINS), 0};
    clp_histogram_desc reserved = {.type = CLP_F32, GOOD};
    reserved.reserved[7] = 1;
    const struct {
        clp_histogram_desc desc;
        clp_status want;
    } rows[] = {
        {{GOOD}, CLP_INVALID_TYPE},
        {{.type = CLP_USER, GOOD}, CLP_INVALID_TYPE},
        {{.type = (clp_type)99, GOOD}, CLP_INVALID_TYPE},
        {{.type = CLP_F32, .count = CLP_F32, GOOD}, CLP_INVALID_TYPE},
        {{.type = CLP_F32, .count = CLP_U16, GOOD}, CLP_INVALID_TYPE},
        {{.type = CLP_F32, .weight = CLP_U64, GOOD}, CLP_INVALID_TYPE},
        {{.type = CLP_F32, .channels = 5, GOOD}, CLP_OUT_OF_RANGE},
        {{.type = CLP_F32, .channels = 2, .active = 3, GOOD}, CLP_OUT_OF_RANGE},
        {{.type = CLP_F32, .active = 2, GOOD}, CLP_OUT_OF_RANGE},
        {{.type = CLP_F32}, CLP_OUT_OF_RANGE},
        {{.type = CLP_F32, BINS_OF(.count = CLP_HISTOGRAM_MAX_BINS + 1, .high.f = 1)}, CLP_OUT_OF_RANGE},
        {{.type = CLP_F32, BINS_OF(.count = 1)}, CLP_OUT_OF_RANGE},
        {{.type = CLP_F32, BINS_OF(.count = 1, .low.f = 1)}, CLP_OUT_OF_RANGE},
        {{.type = CLP_F32, BINS_OF(.count = 1, .high.f = NAN)}, CLP_OUT_OF_RANGE},
        {{.type = CLP_F32, BINS_OF(.count = 1, .high.f = INFINITY)}, CLP_OUT_OF_RANGE},
        {{.type = CLP_F32, BINS_OF(.count = 1, .high.f = 1e39)}, CLP_OUT_OF_RANGE},
        {{.type = CLP_F16, BINS_OF(.count = 1, .high.f = 65520)}, CLP_OUT_OF_RANGE},
        {{.type = CLP_F32, BINS_OF(.count = 9, .high.f = 5e-324)}, CLP_OUT_OF_RANGE},
        {{.type = CLP_U8, BINS_OF(.count = 9, .high.u = 257)}, CLP_OUT_OF_RANGE},
        {{.type = CLP_U8, BINS_OF(.count = 257)}, CLP_OUT_OF_RANGE},
        {{.type = CLP_U8, BINS_OF(.count = 7, .low.u = 250, .high.u = 256)}, CLP_OUT_OF_RANGE},
        {{.type = CLP_I8, BINS_OF(.count = 2, .low.i = -129, .high.i = 0)}, CLP_OUT_OF_RANGE},
        {{.type = CLP_I8, BINS_OF(.count = 2, .low.i = 3, .high.i = 2)}, CLP_OUT_OF_RANGE},
        {{.type = CLP_I64, BINS_OF(.count = 2, .low.i = 3, .high.i = INT64_MIN)}, CLP_OUT_OF_RANGE},
        {{.type = CLP_F32, .weight = CLP_U32, GOOD}, CLP_INVALID_BUFFER},
        {reserved, CLP_INVALID_ARGUMENT},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cl_event event = (cl_event)&in;
        const clp_status got =
            clp_histogram(context, queue, &rows[i].desc, in, none, counts, none, N, NULL, 0, NULL, &event);
        must(got == rows[i].want, "row %zu: %s, not %s (%s)", i, clp_status_name(got),
             clp_status_name(rows[i].want), clp_last_detail());
        ck_assert_ptr_null(event);
        ck_assert(*clp_last_detail() != '\0');
    }
    ck_assert(test_guarded(queue, counts.mem, 8 * BINS, 0, 0));
    clReleaseMemObject(in.mem);
    clReleaseMemObject(counts.mem);
    clp_context_destroy(context);
}
END_TEST

START_TEST(errors_of_calls) {
    clp_context *context = test_context(CLP_SHAPE_DEFAULT, CLP_SUBGROUPS_DEFAULT, 0);
    cl_command_queue queue = clp_context_queue(context);
    static const float data[N];
    const clp_histogram_desc good = {.type = CLP_F32, GOOD};
    const clp_buffer in = {test_input(context, data, sizeof data), 0}, none = {NULL, 0};
    const clp_buffer counts = {sums_buffer(context, 8 * BINS), 0}, outside = {sums_buffer(context, 24), 0};
    const clp_buffer both = {sums_buffer(context, 8 * N), 0};
    clp_plan plan;
    expect(clp_histogram_plan(context, &good, N, NULL), CLP_INVALID_ARGUMENT);
    expect(clp_histogram_plan(NULL, &good, N, &plan), CLP_INVALID_ARGUMENT);
    expect(clp_histogram_plan(context, NULL, N, &plan), CLP_INVALID_ARGUMENT);
#define CALL(desc, in, weights, counts, outside, n)                                                          \
    clp_histogram(context, queue, desc, in, weights, counts, outside, n, NULL, 0, NULL, NULL)
    expect(CALL(NULL, in, none, counts, none, N), CLP_INVALID_ARGUMENT);
    expect(CALL(&good, none, none, counts, none, N), CLP_INVALID_BUFFER);
    expect(CALL(&good, in, none, none, none, N), CLP_INVALID_BUFFER);
    expect(CALL(&good, in, in, counts, none, N), CLP_INVALID_BUFFER);
    expect(CALL(&good, in, none, in, none, N), CLP_INVALID_BUFFER); /* read only */
    expect(CALL(&good, in, none, counts, none, N + 1), CLP_OUT_OF_RANGE);
    expect(CALL(&good, in, none, ((clp_buffer){counts.mem, 1}), none, N), CLP_OUT_OF_RANGE);
    expect(CALL(&good, in, none, counts, ((clp_buffer){outside.mem, 1}), N), CLP_OUT_OF_RANGE);
    expect(CALL(&good, in, none, counts, none, SIZE_MAX), CLP_OUT_OF_RANGE);
    expect(CALL(&good, both, none, both, none, N), CLP_OVERLAP);
    expect(CALL(&good, in, none, both, ((clp_buffer){both.mem, BINS - 1}), N), CLP_OVERLAP);
    clp_histogram_desc edges = good, narrow = good;
    edges.bins[0].edges = both;
    expect(CALL(&edges, in, none, both, none, N), CLP_OVERLAP);
    edges.bins[0].edges.offset = 2 * N - BINS;
    expect(CALL(&edges, in, none, counts, none, N), CLP_OUT_OF_RANGE);
    narrow.count = CLP_U32;
    if (sizeof(size_t) > 4)
        expect(clp_histogram_plan(context, &narrow, (size_t)1 << 32, &plan), CLP_UNSUPPORTED);
    const clp_rows short_stride = {.count = 2, .columns = 10, .stride = 9},
                   second = {.count = 2, .columns = 10, .second_stride = 10},
                   many = {.count = SIZE_MAX / 16, .columns = 10};
#define ROWS(rows)                                                                                           \
    clp_histogram_rows(context, queue, &good, in, none, counts, none, rows, NULL, 0, NULL, NULL)
    expect(ROWS(NULL), CLP_INVALID_ARGUMENT);
    expect(ROWS(&short_stride), CLP_INVALID_ARGUMENT);
    expect(ROWS(&second), CLP_INVALID_ARGUMENT);
    expect(ROWS(&many), CLP_OUT_OF_RANGE);
    const clp_histogram_desc f64 = {.type = CLP_F64, GOOD};
    if (!clp_context_info(context)->has_f64)
        expect(clp_histogram_prewarm(context, &f64), CLP_DEVICE_UNSUPPORTED);
    ok(clp_histogram_prewarm(context, &good));
    ck_assert(test_guarded(queue, counts.mem, 8 * BINS, 0, 0));
    ck_assert(test_guarded(queue, outside.mem, 24, 0, 0));
    clReleaseMemObject(in.mem);
    clReleaseMemObject(counts.mem);
    clReleaseMemObject(outside.mem);
    clReleaseMemObject(both.mem);
    clp_context_destroy(context);
}
END_TEST

/* A caller's workspace of the planned size serves arrays and rows; a smaller one is refused. On a queue
 * without order. */
START_TEST(own_workspace_out_of_order) {
    if (!test_shape((clp_shape)_i))
        return;
    enum { MOST = 30000, GUARD = 64 };
    clp_context *context = test_context((clp_shape)_i, CLP_SUBGROUPS_DEFAULT, 0);
    cl_int code;
    cl_command_queue queue = test_unordered_queue(context);
    const size_t n = MOST < test_max_n() ? MOST : test_max_n();
    float *data = malloc(n * sizeof *data);
    ck_assert_ptr_nonnull(data);
    ref_fill(REF_UNIFORM, CLP_F32, 0, n, data);
    const clp_histogram_desc desc = {.type = CLP_F32, BINS_OF(.count = BINS, .low.f = -2, .high.f = 3)};
    clp_histogram_desc more = desc;
    more.accumulate = 1;
    clp_plan plan;
    ok(clp_histogram_plan(context, &desc, n, &plan));
    const size_t size = plan.workspace_size;
    ck_assert_uint_gt(size, 0);
    unsigned char *bytes = malloc(size + GUARD);
    ck_assert_ptr_nonnull(bytes);
    memset(bytes, 0x5a, size + GUARD);
    cl_mem mem = clCreateBuffer(clp_context_cl(context), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                size + GUARD, bytes, &code);
    ok_cl(code);
    const clp_buffer in = {test_input(context, data, n * sizeof *data), 0}, none = {NULL, 0};
    const clp_buffer counts = {sums_buffer(context, 8 * BINS * 10), 0};
    const clp_workspace whole = {mem, 0, size}, small = {mem, 0, size - 1};
    const clp_rows rows = {.count = 10, .columns = n / 10};
    expect(clp_histogram(context, queue, &desc, in, none, counts, none, n, &small, 0, NULL, NULL),
           CLP_WORKSPACE_TOO_SMALL);
    cl_event first, second;
    ok(clp_histogram_rows(context, queue, &desc, in, none, counts, none, &rows, &whole, 0, NULL, &first));
    ok(clp_histogram(context, queue, &more, in, none, counts, none, n / 10, &whole, 1, &first, &second));
    ok_cl(clWaitForEvents(1, &second));
    uint64_t got[10 * BINS], want[10 * BINS] = {0};
    for (size_t r = 0; r < 10; r++)
        ref_histogram(&desc, NULL, data + r * (n / 10), NULL, n / 10, want + r * BINS, NULL);
    ref_histogram(&desc, NULL, data, NULL, n / 10, want, NULL);
    test_read(queue, counts.mem, 0, sizeof got, got);
    ck_assert_int_eq(memcmp(got, want, sizeof got), 0);
    test_read(queue, mem, size, GUARD, bytes);
    for (size_t i = 0; i < GUARD; i++)
        must(bytes[i] == 0x5a, "byte %zu behind the workspace", i);
    clReleaseEvent(first);
    clReleaseEvent(second);
    clReleaseMemObject(mem);
    clReleaseMemObject(in.mem);
    clReleaseMemObject(counts.mem);
    clReleaseCommandQueue(queue);
    free(bytes), free(data);
    clp_context_destroy(context);
}
END_TEST

/* Edges that decrease, and NaNs among them: all samples are counted once, and nothing else is written. */
START_TEST(edges_that_decrease) {
    if (!test_shape((clp_shape)_i))
        return;
    enum { MANY = 4000 };
    static float data[MANY];
    const float edges[BINS + 1] = {3, NAN, -1, 7, 7, -5, NAN, 0, 4};
    ref_fill(REF_SPECIAL, CLP_F32, 0, MANY, data);
    clp_context *context = test_context((clp_shape)_i, CLP_SUBGROUPS_DEFAULT, 0);
    cl_command_queue queue = clp_context_queue(context);
    const clp_buffer in = {test_input(context, data, sizeof data), 0}, none = {NULL, 0};
    const clp_buffer counts = {sums_buffer(context, 8 * (BINS + 2)), 1},
                     outside = {sums_buffer(context, 40), 1};
    clp_histogram_desc desc = {.type = CLP_F32, BINS_OF(.count = BINS)};
    desc.bins[0].edges.mem = test_input(context, edges, sizeof edges);
    ok(clp_histogram(context, queue, &desc, in, none, counts, outside, MANY, NULL, 0, NULL, NULL));
    uint64_t got[BINS + 3], sum = 0;
    test_read(queue, counts.mem, 8, 8 * BINS, got);
    test_read(queue, outside.mem, 8, 24, got + BINS);
    for (size_t i = 0; i < BINS + 3; i++)
        sum += got[i];
    ck_assert_uint_eq(sum, MANY);
    ck_assert(test_guarded(queue, counts.mem, 8 * (BINS + 2), 8, 8 + 8 * BINS));
    ck_assert(test_guarded(queue, outside.mem, 40, 8, 32));
    clReleaseMemObject(desc.bins[0].edges.mem);
    clReleaseMemObject(in.mem);
    clReleaseMemObject(counts.mem);
    clReleaseMemObject(outside.mem);
    clp_context_destroy(context);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("histogram_calls");
    TCase *calls = tcase_create("calls");
    tcase_add_test(calls, errors_of_descriptions);
    tcase_add_test(calls, errors_of_calls);
    tcase_add_loop_test(calls, own_workspace_out_of_order, CLP_SHAPE_SIMT, CLP_SHAPE_SIMD + 1);
    tcase_add_loop_test(calls, edges_that_decrease, CLP_SHAPE_SIMT, CLP_SHAPE_SIMD + 1);
    suite_add_tcase(suite, calls);
    return test_main(suite);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of run-length encoding and reduction by key: every documented error, a caller's workspace, plans. */
#include "harness.h"
#include "reference.h"

#include <stdlib.h>
#include <string.h>

enum { N = 100 };

/* Buffers of errors: `both` can be read and written, so that it may be anything. */
struct buffers {
    clp_buffer in, out, count, both, nothing;
};

static struct buffers make_buffers(clp_context *context) {
    static const float data[2 * N];
    cl_int code;
    const struct buffers b = {
        .in = {test_input(context, data, sizeof data), 0},
        .out = {test_output(context, 8 * N), 0},
        .count = {test_output(context, 8), 0},
        .both = {clCreateBuffer(clp_context_cl(context), CL_MEM_READ_WRITE, 64 * N, NULL, &code), 0}};
    ok_cl(code);
    return b;
}

static void free_buffers(clp_context *context, struct buffers b) {
    cl_command_queue queue = clp_context_queue(context);
    ck_assert(test_guarded(queue, b.out.mem, 8 * N, 0, 0));
    ck_assert(test_guarded(queue, b.count.mem, 8, 0, 0));
    clReleaseMemObject(b.in.mem);
    clReleaseMemObject(b.out.mem);
    clReleaseMemObject(b.count.mem);
    clReleaseMemObject(b.both.mem);
}

static clp_buffer at(clp_buffer buffer, size_t offset) {
    return (clp_buffer){buffer.mem, offset};
}

START_TEST(errors_of_encoding) {
    clp_context *context = test_context(CLP_SHAPE_DEFAULT, CLP_SUBGROUPS_DEFAULT, 0);
    cl_command_queue queue = clp_context_queue(context);
    const struct buffers b = make_buffers(context);
    const clp_buffer none = b.nothing;
    clp_run_length_desc reserved = {.type = CLP_F32};
    reserved.reserved[7] = 1;
    const struct {
        clp_run_length_desc desc;
        clp_status want;
    } descs[] = {
        {{.type = CLP_TYPE_INVALID}, CLP_INVALID_TYPE},
        {{.type = (clp_type)99}, CLP_INVALID_TYPE},
        {{.type = CLP_USER}, CLP_UNSUPPORTED},
        {{.type = CLP_F32, .length = CLP_I32}, CLP_INVALID_TYPE},
        {{.type = CLP_F32, .count = CLP_F32}, CLP_INVALID_TYPE},
        {{.type = CLP_F32, .schedule = CLP_SCHEDULE_SINGLE}, CLP_UNSUPPORTED},
        {{.type = CLP_F32, .schedule = CLP_SCHEDULE_FUSED}, CLP_UNSUPPORTED},
        {{.type = CLP_F32, .schedule = (clp_schedule)99}, CLP_INVALID_MODE},
        {reserved, CLP_INVALID_ARGUMENT},
    };
    clp_cost cost;
    for (size_t i = 0; i < sizeof descs / sizeof *descs; i++) {
        cl_event event = (cl_event)&cost;
        const clp_status got = clp_run_length_encode(context, queue, &descs[i].desc, b.in, b.out, b.both,
                                                     none, N, b.count, N, NULL, 0, NULL, &event);
        must(got == descs[i].want, "row %zu: %s, not %s (%s)", i, clp_status_name(got),
             clp_status_name(descs[i].want), clp_last_detail());
        ck_assert_ptr_null(event);
        ck_assert(*clp_last_detail() != '\0');
        expect(clp_run_length_prewarm(context, &descs[i].desc), descs[i].want);
        expect(clp_run_length_cost(&descs[i].desc, N, 1, 0, &cost), descs[i].want);
    }
    const clp_run_length_desc good = {.type = CLP_F32, .length = CLP_U32};
    clp_run_length_desc wide = {.type = CLP_U8}, few = {.type = CLP_U8, .count = CLP_U32};
    clp_plan plan;
    expect(clp_run_length_plan(context, &good, N, NULL), CLP_INVALID_ARGUMENT);
    expect(clp_run_length_plan(NULL, &good, N, &plan), CLP_INVALID_ARGUMENT);
    expect(clp_run_length_plan(context, NULL, N, &plan), CLP_INVALID_ARGUMENT);
    expect(clp_run_length_prewarm(NULL, &good), CLP_INVALID_ARGUMENT);
    expect(clp_run_length_cost(&good, N, 1, 0, NULL), CLP_INVALID_ARGUMENT);
    expect(clp_run_length_cost(NULL, N, 1, 0, &cost), CLP_INVALID_ARGUMENT);
    expect(clp_run_length_cost(&good, N, N + 1, 0, &cost), CLP_INVALID_ARGUMENT);
    if (sizeof(size_t) > 4) {
        expect(clp_run_length_plan(context, &good, (size_t)1 << 32, &plan), CLP_UNSUPPORTED);
        expect(clp_run_length_plan(context, &few, (size_t)1 << 32, &plan), CLP_UNSUPPORTED);
        ok(clp_run_length_plan(context, &wide, (size_t)1 << 32, &plan));
    }
    ok(clp_run_length_prewarm(context, &good));
#define ENCODE(desc, in, values, lengths, offsets, capacity, count, n)                                       \
    clp_run_length_encode(context, queue, desc, in, values, lengths, offsets, capacity, count, n, NULL, 0,   \
                          NULL, NULL)
    expect(ENCODE(NULL, b.in, b.out, b.both, none, N, b.count, N), CLP_INVALID_ARGUMENT);
    expect(ENCODE(&good, none, b.out, b.both, none, N, b.count, N), CLP_INVALID_BUFFER);
    expect(ENCODE(&good, b.in, none, b.both, none, N, b.count, N), CLP_INVALID_BUFFER);
    expect(ENCODE(&good, b.in, b.out, none, none, N, b.count, N), CLP_INVALID_BUFFER);
    expect(ENCODE(&good, b.in, b.out, b.both, none, N, none, N), CLP_INVALID_BUFFER);
    expect(ENCODE(&good, b.out, b.both, b.both, none, N, b.count, N), CLP_INVALID_BUFFER);
    expect(ENCODE(&good, b.in, b.in, b.both, none, N, b.count, N), CLP_INVALID_BUFFER);
    expect(ENCODE(&good, b.in, b.both, b.out, none, N, b.count, 2 * N + 1), CLP_OUT_OF_RANGE);
    expect(ENCODE(&good, b.in, b.both, at(b.out, N + 1), none, N, b.count, N), CLP_OUT_OF_RANGE);
    expect(ENCODE(&good, b.in, b.both, b.out, at(b.out, 2 * N), N, b.count, N), CLP_OUT_OF_RANGE);
    expect(ENCODE(&good, b.both, at(b.both, N - 1), b.out, none, N, b.count, N), CLP_OVERLAP);
    expect(ENCODE(&good, b.both, b.out, at(b.both, N - 1), none, N, b.count, N), CLP_OVERLAP);
    expect(ENCODE(&good, b.both, b.out, at(b.both, N), at(b.both, N - 1), N, b.count, N), CLP_OVERLAP);
    expect(ENCODE(&good, b.in, b.both, at(b.both, 1), none, N, b.count, N), CLP_OVERLAP);
    expect(ENCODE(&good, b.in, b.both, at(b.both, N), at(b.both, 1), N, b.count, N), CLP_OVERLAP);
    expect(ENCODE(&good, b.in, b.both, at(b.both, N), none, N, b.both, N), CLP_OVERLAP);
    /* One pass needs no workspace. */
    const clp_run_length_desc levels = {.type = CLP_F32, .length = CLP_U32, .schedule = CLP_SCHEDULE_LEVELS};
    const clp_workspace small = {b.both.mem, 0, 8}, odd = {b.both.mem, 8, 63 * N};
    expect(clp_run_length_encode(context, queue, &levels, b.in, b.out, b.both, none, N, b.count, N, &small, 0,
                                 NULL, NULL),
           CLP_WORKSPACE_TOO_SMALL);
    expect(clp_run_length_encode(context, queue, &levels, b.in, b.out, at(b.out, N), none, N, b.count, N,
                                 &odd, 0, NULL, NULL),
           CLP_MISALIGNED);
    free_buffers(context, b);
    clp_context_destroy(context);
}
END_TEST

START_TEST(errors_of_reduction) {
    clp_context *context = test_context(CLP_SHAPE_DEFAULT, CLP_SUBGROUPS_DEFAULT, 0);
    cl_command_queue queue = clp_context_queue(context);
    const struct buffers b = make_buffers(context);
    const clp_buffer none = b.nothing;
    clp_reduce_by_key_desc reserved = {.key = CLP_U32, .type = CLP_F32, .op = CLP_SUM};
    reserved.reserved[0] = 1;
    const struct {
        clp_reduce_by_key_desc desc;
        clp_status want;
    } descs[] = {
        {{.type = CLP_F32, .op = CLP_SUM}, CLP_INVALID_TYPE},
        {{.key = CLP_U32, .op = CLP_SUM}, CLP_INVALID_TYPE},
        {{.key = CLP_USER, .type = CLP_F32, .op = CLP_SUM}, CLP_UNSUPPORTED},
        {{.key = CLP_U32, .type = CLP_USER, .op = CLP_SUM}, CLP_UNSUPPORTED},
        {{.key = CLP_U32, .type = CLP_F32}, CLP_INVALID_OPERATOR},
        {{.key = CLP_U32, .type = CLP_F32, .op = (clp_op)99}, CLP_INVALID_OPERATOR},
        {{.key = CLP_U32, .type = CLP_F32, .op = CLP_OP_USER}, CLP_UNSUPPORTED},
        {{.key = CLP_U32, .type = CLP_F32, .op = CLP_ARGMIN}, CLP_UNSUPPORTED},
        {{.key = CLP_U32, .type = CLP_F32, .op = CLP_XOR}, CLP_UNSUPPORTED},
        {{.key = CLP_U32, .type = CLP_F32, .op = CLP_SUM, .result = CLP_I32}, CLP_UNSUPPORTED},
        {{.key = CLP_U32, .type = CLP_F32, .op = CLP_SUM, .result = (clp_type)99}, CLP_INVALID_TYPE},
        {{.key = CLP_U32, .type = CLP_F32, .op = CLP_SUM, .count = CLP_I64}, CLP_INVALID_TYPE},
        {reserved, CLP_INVALID_ARGUMENT},
    };
    clp_cost cost;
    for (size_t i = 0; i < sizeof descs / sizeof *descs; i++) {
        cl_event event = (cl_event)&cost;
        const clp_status got = clp_reduce_by_key(context, queue, &descs[i].desc, b.in, b.in, b.out, b.both, N,
                                                 b.count, N, NULL, 0, NULL, &event);
        must(got == descs[i].want, "row %zu: %s, not %s (%s)", i, clp_status_name(got),
             clp_status_name(descs[i].want), clp_last_detail());
        ck_assert_ptr_null(event);
        ck_assert(*clp_last_detail() != '\0');
        expect(clp_reduce_by_key_prewarm(context, &descs[i].desc), descs[i].want);
        expect(clp_reduce_by_key_cost(&descs[i].desc, N, 1, &cost), descs[i].want);
    }
    const clp_reduce_by_key_desc good = {.key = CLP_U32, .type = CLP_U32, .op = CLP_MAX, .count = CLP_U32};
    clp_plan plan;
    expect(clp_reduce_by_key_plan(context, &good, N, NULL), CLP_INVALID_ARGUMENT);
    expect(clp_reduce_by_key_plan(NULL, &good, N, &plan), CLP_INVALID_ARGUMENT);
    expect(clp_reduce_by_key_plan(context, NULL, N, &plan), CLP_INVALID_ARGUMENT);
    expect(clp_reduce_by_key_cost(&good, N, 1, NULL), CLP_INVALID_ARGUMENT);
    expect(clp_reduce_by_key_cost(&good, N, N + 1, &cost), CLP_INVALID_ARGUMENT);
    if (sizeof(size_t) > 4)
        expect(clp_reduce_by_key_plan(context, &good, (size_t)1 << 32, &plan), CLP_UNSUPPORTED);
#define REDUCE(desc, keys, in, unique, totals, count, n)                                                     \
    clp_reduce_by_key(context, queue, desc, keys, in, unique, totals, N, count, n, NULL, 0, NULL, NULL)
    expect(REDUCE(NULL, b.in, b.in, b.out, b.both, b.count, N), CLP_INVALID_ARGUMENT);
    expect(REDUCE(&good, none, b.in, b.out, b.both, b.count, N), CLP_INVALID_BUFFER);
    expect(REDUCE(&good, b.in, none, b.out, b.both, b.count, N), CLP_INVALID_BUFFER);
    expect(REDUCE(&good, b.in, b.in, none, b.both, b.count, N), CLP_INVALID_BUFFER);
    expect(REDUCE(&good, b.in, b.in, b.out, none, b.count, N), CLP_INVALID_BUFFER);
    expect(REDUCE(&good, b.in, b.in, b.out, b.both, none, N), CLP_INVALID_BUFFER);
    expect(REDUCE(&good, b.in, at(b.in, N + 1), b.out, b.both, b.count, N), CLP_OUT_OF_RANGE);
    expect(REDUCE(&good, at(b.in, N + 1), b.in, b.out, b.both, b.count, N), CLP_OUT_OF_RANGE);
    expect(REDUCE(&good, b.both, b.in, at(b.both, N - 1), b.out, b.count, N), CLP_OVERLAP);
    expect(REDUCE(&good, b.in, b.both, b.out, b.both, b.count, N), CLP_OVERLAP);
    expect(REDUCE(&good, b.in, b.in, b.both, b.both, b.count, N), CLP_OVERLAP);
    expect(REDUCE(&good, b.in, b.in, b.out, b.both, b.both, N), CLP_OVERLAP);
    free_buffers(context, b);
    clp_context_destroy(context);
}
END_TEST

/* A caller's workspace of the planned size serves both calls; one byte less is refused, and nothing behind it
 * is written. On a queue without order, behind each other's events. */
START_TEST(own_workspace_out_of_order) {
    if (!test_shape((clp_shape)_i))
        return;
    enum { MANY = 70000, GUARD_SIZE = 64 };
    clp_context *context = test_context((clp_shape)_i, CLP_SUBGROUPS_DEFAULT, 0);
    cl_int code;
    cl_command_queue queue = test_unordered_queue(context);
    const size_t n = MANY < test_max_n() ? MANY : test_max_n();
    uint32_t *keys = malloc(n * sizeof *keys), *unique = malloc(n * sizeof *unique);
    uint32_t *totals = malloc(n * sizeof *totals), *got = malloc(n * sizeof *got);
    ck_assert(keys && unique && totals && got);
    for (size_t i = 0; i < n; i++)
        keys[i] = (uint32_t)(i / 37 * 2654435761u);
    const clp_scan_desc scan = {.type = CLP_U32, .op = CLP_SUM};
    const size_t runs = ref_reduce_by_key(&scan, CLP_U32, keys, keys, n, unique, totals);
    const clp_reduce_by_key_desc reduce = {.key = CLP_U32, .type = CLP_U32, .op = CLP_SUM};
    const clp_run_length_desc encode = {.type = CLP_U32, .schedule = CLP_SCHEDULE_LEVELS};
    clp_plan plan, encoding;
    ok(clp_reduce_by_key_plan(context, &reduce, n, &plan));
    ok(clp_run_length_plan(context, &encode, n, &encoding));
    ck_assert_uint_gt(encoding.workspace_size, 0);
    ck_assert_uint_ge(plan.workspace_size, encoding.workspace_size + n * sizeof *totals);
    ck_assert_uint_eq(encoding.launches, 3);
    const size_t size = plan.workspace_size;
    unsigned char *bytes = malloc(size + GUARD_SIZE);
    ck_assert_ptr_nonnull(bytes);
    memset(bytes, 0x5a, size + GUARD_SIZE);
    cl_mem mem = clCreateBuffer(clp_context_cl(context), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                size + GUARD_SIZE, bytes, &code);
    ok_cl(code);
    const clp_buffer in = {test_input(context, keys, n * sizeof *keys), 0}, nothing = {NULL, 0};
    const clp_buffer values = {test_output(context, n * sizeof *keys), 0};
    const clp_buffer lengths = {test_output(context, n * sizeof(cl_ulong)), 0};
    const clp_buffer sums = {test_output(context, n * sizeof *totals), 0};
    const clp_buffer count = {test_output(context, 2 * sizeof(cl_ulong)), 0};
    const clp_workspace whole = {mem, 0, size}, small = {mem, 0, size - 1};
    expect(
        clp_reduce_by_key(context, queue, &reduce, in, in, values, sums, n, count, n, &small, 0, NULL, NULL),
        CLP_WORKSPACE_TOO_SMALL);
    cl_event first, second;
    ok(clp_run_length_encode(context, queue, &encode, in, values, lengths, nothing, n,
                             (clp_buffer){count.mem, 1}, n, &whole, 0, NULL, &first));
    ok(clp_reduce_by_key(context, queue, &reduce, in, in, values, sums, n, count, n, &whole, 1, &first,
                         &second));
    ok_cl(clWaitForEvents(1, &second));
    uint64_t counted[2] = {0};
    test_read(queue, count.mem, 0, sizeof counted, counted);
    ck_assert_uint_eq(counted[0], runs);
    ck_assert_uint_eq(counted[1], runs);
    test_read(queue, values.mem, 0, runs * sizeof *got, got);
    ck_assert_int_eq(memcmp(got, unique, runs * sizeof *got), 0);
    test_read(queue, sums.mem, 0, runs * sizeof *got, got);
    ck_assert_int_eq(memcmp(got, totals, runs * sizeof *got), 0);
    test_read(queue, mem, size, GUARD_SIZE, bytes);
    for (size_t i = 0; i < GUARD_SIZE; i++)
        must(bytes[i] == 0x5a, "byte %zu behind the workspace", i);
    clReleaseEvent(first);
    clReleaseEvent(second);
    /* Of nothing: an event and a count of 0, with no buffers. */
    ok(clp_run_length_encode(context, queue, &encode, nothing, nothing, nothing, nothing, 0, count, 0, NULL,
                             0, NULL, &first));
    ok(clp_reduce_by_key(context, queue, &reduce, nothing, nothing, nothing, nothing, 0,
                         (clp_buffer){count.mem, 1}, 0, NULL, 1, &first, &second));
    ok_cl(clWaitForEvents(1, &second));
    test_read(queue, count.mem, 0, sizeof counted, counted);
    ck_assert(counted[0] == 0 && counted[1] == 0);
    clReleaseEvent(first);
    clReleaseEvent(second);
    const cl_mem mems[] = {mem, in.mem, values.mem, lengths.mem, sums.mem, count.mem};
    for (size_t i = 0; i < sizeof mems / sizeof *mems; i++)
        clReleaseMemObject(mems[i]);
    clReleaseCommandQueue(queue);
    free(bytes), free(got), free(totals), free(unique), free(keys);
    clp_context_destroy(context);
}
END_TEST

/* Whoever waits in vain for another tile finds out himself what is missing. */
START_TEST(lost_publications) {
    enum { TILE = 4096, MOST = 40 * TILE + 7 };
    static const size_t run_lengths[] = {1, 3, 5000, MOST};
    const size_t n = MOST < test_max_n() ? MOST : test_max_n();
    const char *folder = CLP_SCRATCH_FOLDER "/lossy_runs";
    test_lossy_kernels(CLP_KERNEL_FOLDER, folder);
    clp_context *context;
    ok(clp_context_pick(&(clp_options){.shape = CLP_SHAPE_SIMT, .source_dir = folder}, &context));
    const clp_run_length_desc desc = {.type = CLP_U32, .length = CLP_U32, .schedule = CLP_SCHEDULE_ONE_PASS};
    clp_plan plan;
    const clp_status can = clp_run_length_plan(context, &desc, n, &plan);
    for (size_t r = 0; r < sizeof run_lengths / sizeof *run_lengths && can == CLP_SUCCESS; r++) {
        cl_command_queue queue = clp_context_queue(context);
        const size_t run = run_lengths[r], runs = (n - 1) / run + 1;
        uint32_t *data = calloc(3 * n, sizeof *data), *got = data + n, *want = data + 2 * n;
        uint64_t count;
        ck_assert_ptr_nonnull(data);
        for (size_t i = 0; i < n; i++)
            data[i] = (uint32_t)(i / run), want[i / run]++;
        const clp_buffer in = {test_input(context, data, n * 4), 0},
                         values = {test_output(context, n * 4), 0},
                         lengths = {test_output(context, n * 4), 0},
                         offsets = {test_output(context, n * 4), 0}, counted = {test_output(context, 8), 0};
        for (int round = 0; round < 2; round++) { /* the words of one call are not those of the next */
            ok(clp_run_length_encode(context, queue, &desc, in, values, lengths, offsets, n, counted, n, NULL,
                                     0, NULL, NULL));
            test_read(queue, counted.mem, 0, 8, &count);
            must(count == runs, "runs of %zu: count %llu", run, (unsigned long long)count);
            test_read(queue, lengths.mem, 0, runs * 4, got);
            must(memcmp(got, want, runs * 4) == 0, "runs of %zu: wrong lengths", run);
            test_read(queue, offsets.mem, 0, runs * 4, got);
            for (size_t k = 0; k < runs; k++)
                must(got[k] == k * run, "runs of %zu: wrong offsets", run);
            test_read(queue, values.mem, 0, runs * 4, got);
            for (size_t k = 0; k < runs; k++)
                must(got[k] == k, "runs of %zu: wrong values", run);
        }
        const clp_buffer all[] = {in, values, lengths, offsets, counted};
        for (size_t i = 0; i < sizeof all / sizeof *all; i++)
            clReleaseMemObject(all[i].mem);
        free(data);
    }
    must(can == CLP_SUCCESS || can == CLP_DEVICE_UNSUPPORTED, "%s", clp_status_name(can));
    clp_context_destroy(context);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("runs_calls");
    TCase *calls = tcase_create("calls");
    tcase_add_test(calls, errors_of_encoding);
    tcase_add_test(calls, errors_of_reduction);
    tcase_add_test(calls, lost_publications);
    tcase_add_loop_test(calls, own_workspace_out_of_order, CLP_SHAPE_SIMT, CLP_SHAPE_SIMD + 1);
    suite_add_tcase(suite, calls);
    return test_main(suite);
}

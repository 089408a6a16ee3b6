/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of select: every documented error, a caller's workspace, a text that does not compile. */
#include "harness.h"
#include "reference.h"

#include <stdlib.h>
#include <string.h>

static const clp_user pair_text = {
    .declarations = "typedef struct { float x, y; } pair;", .type = "pair", .type_size = 8};

START_TEST(errors) {
    clp_context *context = test_context(CLP_SHAPE_DEFAULT, CLP_SUBGROUPS_DEFAULT, 0);
    cl_command_queue queue = clp_context_queue(context);
    enum { N = 100 };
    static const float data[2 * N];
    const clp_buffer in = {test_input(context, data, sizeof data), 0}, nothing = {NULL, 0};
    const clp_buffer out = {test_output(context, 4 * N), 0}, count = {test_output(context, 8), 0};
    cl_int code;
    const clp_buffer both = {clCreateBuffer(clp_context_cl(context), CL_MEM_READ_WRITE, 8 * N, NULL, &code),
                             0};
    ok_cl(code);
    static const clp_user with_op = {.op = "a + b", .identity = data}, with_transform = {.transform = "x"};
    clp_select_desc reserved = {.type = CLP_F32, .where = "1"};
    reserved.reserved[7] = 1;
    const struct {
        clp_select_desc desc;
        clp_status want;
    } descs[] = {
        {{.type = CLP_F32}, CLP_INVALID_ARGUMENT},
        {{.where = "1"}, CLP_INVALID_TYPE},
        {{.type = (clp_type)99, .where = "1"}, CLP_INVALID_TYPE},
        {{.type = CLP_F32, .second = (clp_type)99, .where = "1"}, CLP_INVALID_TYPE},
        {{.type = CLP_F32, .second = CLP_F32}, CLP_INVALID_TYPE},
        {{.type = CLP_F32, .where = "1", .index = CLP_I32}, CLP_INVALID_TYPE},
        {{.type = CLP_F32, .where = "1", .count = CLP_F32}, CLP_INVALID_TYPE},
        {{.type = CLP_F32, .where = "1", .schedule = (clp_schedule)77}, CLP_INVALID_MODE},
        {{.type = CLP_F32, .where = "1", .schedule = CLP_SCHEDULE_FUSED}, CLP_UNSUPPORTED},
        {{.type = CLP_F32, .where = "1", .user = &with_op}, CLP_UNSUPPORTED},
        {{.type = CLP_F32, .where = "1", .user = &with_transform}, CLP_UNSUPPORTED},
        {{.type = CLP_USER, .where = "1"}, CLP_INVALID_ARGUMENT},
        {reserved, CLP_INVALID_ARGUMENT},
    };
    for (size_t i = 0; i < sizeof descs / sizeof *descs; i++) {
        cl_event event = (cl_event)&code;
        const clp_status got =
            clp_select(context, queue, &descs[i].desc, in, in, out, N, count, N, NULL, 0, NULL, &event);
        must(got == descs[i].want, "row %zu: %s, not %s (%s)", i, clp_status_name(got),
             clp_status_name(descs[i].want), clp_last_detail());
        ck_assert_ptr_null(event);
        ck_assert(*clp_last_detail() != '\0');
    }
    const clp_select_desc good = {.type = CLP_F32, .where = "x > 0.5f"};
    clp_select_desc levels = good, flags = {.type = CLP_F32, .second = CLP_U32};
    levels.schedule = CLP_SCHEDULE_LEVELS;
    clp_plan plan;
    clp_select_desc pass = good;
    pass.schedule =
        CLP_SCHEDULE_ONE_PASS; /* of what it cannot do a device that cannot do it at all says less */
    const clp_status can = clp_select_plan(context, &pass, N, &plan);
    const clp_status cannot = can == CLP_SUCCESS ? CLP_UNSUPPORTED : CLP_DEVICE_UNSUPPORTED;
    ck_assert(can == CLP_SUCCESS || can == CLP_DEVICE_UNSUPPORTED);
    expect(clp_partition(context, queue, &pass, in, nothing, out, nothing, count, N, NULL, 0, NULL, NULL),
           cannot);
    expect(clp_select_plan(context, &good, N, NULL), CLP_INVALID_ARGUMENT);
    expect(clp_select_plan(NULL, &good, N, &plan), CLP_INVALID_ARGUMENT);
    expect(clp_select_plan(context, NULL, N, &plan), CLP_INVALID_ARGUMENT);
    expect(clp_select(context, queue, NULL, in, nothing, out, N, count, N, NULL, 0, NULL, NULL),
           CLP_INVALID_ARGUMENT);
    expect(clp_select(context, queue, &good, nothing, nothing, out, N, count, N, NULL, 0, NULL, NULL),
           CLP_INVALID_BUFFER);
    expect(clp_select(context, queue, &flags, in, nothing, out, N, count, N, NULL, 0, NULL, NULL),
           CLP_INVALID_BUFFER);
    expect(clp_select(context, queue, &good, in, nothing, nothing, N, count, N, NULL, 0, NULL, NULL),
           CLP_INVALID_BUFFER);
    expect(clp_select(context, queue, &good, in, nothing, out, N, nothing, N, NULL, 0, NULL, NULL),
           CLP_INVALID_BUFFER);
    expect(clp_select(context, queue, &good, in, nothing, out, 2 * N, count, 2 * N + 1, NULL, 0, NULL, NULL),
           CLP_OUT_OF_RANGE);
    if (sizeof(size_t) > 4) {
        clp_select_desc narrow = good;
        narrow.count = CLP_U32;
        expect(clp_select_plan(context, &narrow, (size_t)1 << 32, &plan), CLP_UNSUPPORTED);
        narrow.count = CLP_TYPE_INVALID, narrow.index = CLP_U32;
        expect(clp_select_plan(context, &narrow, (size_t)1 << 32, &plan), CLP_UNSUPPORTED);
    }
    ok(clp_select_prewarm(context, &good));
    expect(clp_select(context, queue, &good, both, nothing, (clp_buffer){both.mem, 1}, N, count, N, NULL, 0,
                      NULL, NULL),
           CLP_OVERLAP);
    expect(clp_select(context, queue, &levels, both, nothing, both, N, count, N, NULL, 0, NULL, NULL),
           CLP_UNSUPPORTED);
    expect(clp_select(context, queue, &good, in, nothing, both, N, both, N, NULL, 0, NULL, NULL),
           CLP_OVERLAP);
    expect(clp_partition(context, queue, &good, both, nothing, both, nothing, count, N, NULL, 0, NULL, NULL),
           CLP_OVERLAP);
    expect(clp_partition(context, queue, &good, in, nothing, both, both, count, N, NULL, 0, NULL, NULL),
           CLP_OVERLAP);
    expect(clp_unique(context, queue, &good, in, nothing, out, nothing, N, count, N, NULL, 0, NULL, NULL),
           CLP_INVALID_ARGUMENT);
    const clp_select_desc user = {.type = CLP_USER, .user = &pair_text};
    expect(clp_unique(context, queue, &user, in, nothing, out, nothing, N, count, N, NULL, 0, NULL, NULL),
           CLP_UNSUPPORTED);
    ck_assert(test_guarded(queue, out.mem, 4 * N, 0, 0));
    ck_assert(test_guarded(queue, count.mem, 8, 0, 0));
    clReleaseMemObject(in.mem);
    clReleaseMemObject(out.mem);
    clReleaseMemObject(count.mem);
    clReleaseMemObject(both.mem);
    clp_context_destroy(context);
}
END_TEST

/* A caller's workspace of the planned size serves all calls; a smaller one is refused. On a queue without
 * order. */
START_TEST(own_workspace_out_of_order) {
    if (!test_shape((clp_shape)_i))
        return;
    enum { N = 70000 };
    clp_context *context = test_context((clp_shape)_i, CLP_SUBGROUPS_DEFAULT, 0);
    cl_int code;
    cl_command_queue queue = test_unordered_queue(context);
    float *data = malloc(N * sizeof *data), *want = malloc(N * sizeof *want), *got = malloc(N * sizeof *got);
    unsigned char *flags = malloc(N);
    ck_assert(data && want && got && flags);
    const size_t n = N < test_max_n() ? N : test_max_n();
    ref_fill(REF_UNIFORM, CLP_F32, 0, n, data);
    for (size_t i = 0; i < n; i++)
        flags[i] = data[i] > 0.5f;
    const size_t kept = ref_select(flags, n, sizeof *data, data, want);
    const clp_select_desc desc = {.type = CLP_F32, .where = "x > 0.5f", .schedule = CLP_SCHEDULE_LEVELS};
    clp_plan plan;
    ok(clp_select_plan(context, &desc, n, &plan));
    ck_assert_uint_gt(plan.workspace_size, 0);
    const size_t guard = 64, size = plan.workspace_size;
    const clp_buffer in = {test_input(context, data, n * sizeof *data), 0}, nothing = {NULL, 0};
    const clp_buffer out = {test_output(context, n * sizeof *data), 0}, count = {test_output(context, 8), 0};
    unsigned char *bytes = malloc(size + guard);
    ck_assert_ptr_nonnull(bytes);
    memset(bytes, 0x5a, size + guard);
    cl_mem mem = clCreateBuffer(clp_context_cl(context), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                size + guard, bytes, &code);
    ok_cl(code);
    const clp_workspace whole = {mem, 0, size}, small = {mem, 0, size - 1};
    expect(clp_select(context, queue, &desc, in, nothing, out, n, count, n, &small, 0, NULL, NULL),
           CLP_WORKSPACE_TOO_SMALL);
    cl_event first, second;
    ok(clp_partition(context, queue, &desc, in, nothing, out, nothing, count, n, &whole, 0, NULL, &first));
    ok(clp_select(context, queue, &desc, in, nothing, out, n, count, n, &whole, 1, &first, &second));
    ok_cl(clWaitForEvents(1, &second));
    uint64_t counted = 0;
    test_read(queue, count.mem, 0, sizeof counted, &counted);
    ck_assert_uint_eq(counted, kept);
    test_read(queue, out.mem, 0, kept * sizeof *got, got);
    ck_assert_int_eq(memcmp(got, want, kept * sizeof *got), 0);
    test_read(queue, mem, size, guard, bytes);
    for (size_t i = 0; i < guard; i++)
        must(bytes[i] == 0x5a, "byte %zu behind the workspace", i);
    clReleaseEvent(first);
    clReleaseEvent(second);
    clReleaseMemObject(mem);
    clReleaseMemObject(in.mem);
    clReleaseMemObject(out.mem);
    clReleaseMemObject(count.mem);
    clReleaseCommandQueue(queue);
    free(bytes), free(flags), free(got), free(want), free(data);
    clp_context_destroy(context);
}
END_TEST

/* A text that does not compile; not for Oclgrind, which calls that a finding. */
START_TEST(a_text_that_does_not_compile) {
    clp_context *context = test_context(CLP_SHAPE_DEFAULT, CLP_SUBGROUPS_DEFAULT, 0);
    const clp_select_desc wrong = {.type = CLP_F32, .where = "x > nosuch"};
    if (strstr(clp_context_info(context)->name, "Oclgrind") == NULL) {
        expect(clp_select_prewarm(context, &wrong), CL_BUILD_PROGRAM_FAILURE);
        ck_assert_ptr_nonnull(clp_last_build_log());
        ck_assert(strstr(clp_last_build_log(), "nosuch"));
    }
    clp_context_destroy(context);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("select_calls");
    TCase *calls = tcase_create("calls");
    tcase_add_test(calls, errors);
    tcase_add_loop_test(calls, own_workspace_out_of_order, CLP_SHAPE_SIMT, CLP_SHAPE_SIMD + 1);
    tcase_add_test(calls, a_text_that_does_not_compile);
    suite_add_tcase(suite, calls);
    return test_main(suite);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* How calls behave, whatever the pattern: every documented error, events, queues, workspaces, threads. */
#include "harness.h"
#include "reference.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { N = 3 * 4096 + 17, SIZE = N * 4, BIG = 40 * 4096 };

static const clp_reduce_desc f32_sum = {.type = CLP_F32, .op = CLP_SUM};

/* A context, an input of N floats, an output of four: what most tests here need. */
static clp_context *context;
static cl_command_queue queue;
static cl_mem in, out;
static float data[N], want;

static void set_up(void) {
    context = test_context(CLP_SHAPE_DEFAULT, CLP_SUBGROUPS_DEFAULT, 0);
    queue = clp_context_queue(context);
    ref_fill(REF_UNIFORM, CLP_F32, 0, N, data);
    ref_reduce(&f32_sum, data, N, &want);
    in = test_input(context, data, SIZE);
    out = test_output(context, 16);
}

static void tear_down(void) {
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    clp_context_destroy(context);
}

static clp_status reduce(const clp_reduce_desc *desc, clp_buffer from, clp_buffer to, size_t n,
                         const clp_workspace *workspace) {
    cl_event event = (cl_event)data; /* must become NULL on failure */
    const clp_status status = clp_reduce(context, queue, desc, from, to, n, workspace, 0, NULL, &event);
    if (status != CLP_SUCCESS) {
        ck_assert_ptr_null(event);
        ck_assert_str_ne(clp_last_detail(), "");
        ck_assert(test_guarded(queue, out, 16, 0, 0));
    } else {
        clReleaseEvent(event);
    }
    return status;
}

static void expect_result(cl_mem mem, size_t element) {
    float got;
    test_read(queue, mem, element * 4, 4, &got);
    ck_assert_msg(memcmp(&got, &want, 4) == 0, "%.9g, not %.9g", got, want);
}

START_TEST(description_errors) {
    const clp_buffer from = {in, 0}, to = {out, 0};
    clp_reduce_desc desc = f32_sum;
    expect(clp_reduce(NULL, queue, &desc, from, to, N, NULL, 0, NULL, NULL), CLP_INVALID_ARGUMENT);
    expect(reduce(NULL, from, to, N, NULL), CLP_INVALID_ARGUMENT);
    desc.type = CLP_TYPE_INVALID;
    expect(reduce(&desc, from, to, N, NULL), CLP_INVALID_TYPE);
    desc.type = (clp_type)99;
    expect(reduce(&desc, from, to, N, NULL), CLP_INVALID_TYPE);
    desc = f32_sum, desc.result = (clp_type)99;
    expect(reduce(&desc, from, to, N, NULL), CLP_INVALID_TYPE);
    desc = f32_sum, desc.op = CLP_OP_INVALID;
    expect(reduce(&desc, from, to, N, NULL), CLP_INVALID_OPERATOR);
    desc.op = (clp_op)17;
    expect(reduce(&desc, from, to, N, NULL), CLP_INVALID_OPERATOR);
    desc.op = (clp_op)-1;
    expect(reduce(&desc, from, to, N, NULL), CLP_INVALID_OPERATOR);
    desc = f32_sum, desc.mode = (clp_reduce_mode)77;
    expect(reduce(&desc, from, to, N, NULL), CLP_INVALID_MODE);
    desc = f32_sum, desc.schedule = (clp_schedule)77;
    expect(reduce(&desc, from, to, N, NULL), CLP_INVALID_MODE);
    desc = f32_sum, desc.result = CLP_F64;
    expect(reduce(&desc, from, to, N, NULL), CLP_UNSUPPORTED);
    desc = f32_sum, desc.type = CLP_F32, desc.op = CLP_XOR;
    expect(reduce(&desc, from, to, N, NULL), CLP_UNSUPPORTED);
    desc = f32_sum, desc.op = CLP_DOT; /* takes two arrays */
    expect(reduce(&desc, from, to, N, NULL), CLP_UNSUPPORTED);
    expect(clp_reduce_pair(context, queue, &f32_sum, from, from, to, N, NULL, 0, NULL, NULL),
           CLP_UNSUPPORTED);
    /* Rows. */
    const clp_buffer none = {NULL, 0};
    clp_rows rows = {.count = 2, .columns = 100, .stride = 99};
    expect(clp_reduce_rows(context, queue, &f32_sum, from, none, to, NULL, NULL, 0, NULL, NULL),
           CLP_INVALID_ARGUMENT);
    expect(clp_reduce_rows(context, queue, &f32_sum, from, none, to, &rows, NULL, 0, NULL, NULL),
           CLP_INVALID_ARGUMENT);
    rows.stride = 0, rows.reserved[3] = 1;
    expect(clp_reduce_rows(context, queue, &f32_sum, from, none, to, &rows, NULL, 0, NULL, NULL),
           CLP_INVALID_ARGUMENT);
    rows = (clp_rows){.count = 5, .columns = 100};
    expect(clp_reduce_rows(context, queue, &f32_sum, from, none, to, &rows, NULL, 0, NULL, NULL),
           CLP_OUT_OF_RANGE);
    rows = (clp_rows){.count = 2, .columns = N};
    expect(clp_reduce_rows(context, queue, &f32_sum, from, none, to, &rows, NULL, 0, NULL, NULL),
           CLP_OUT_OF_RANGE);
    rows = (clp_rows){.count = SIZE_MAX / 2, .columns = 3};
    expect(clp_reduce_rows(context, queue, &f32_sum, from, none, to, &rows, NULL, 0, NULL, NULL),
           CLP_OUT_OF_RANGE);
    desc = f32_sum, desc.schedule = CLP_SCHEDULE_LEVELS, rows = (clp_rows){.count = 2, .columns = 5};
    expect(clp_reduce_rows(context, queue, &desc, from, none, to, &rows, NULL, 0, NULL, NULL),
           CLP_UNSUPPORTED);
    rows = (clp_rows){.count = 1, .columns = 5, .lengths = {in, 0}};
    expect(clp_reduce_rows(context, queue, &desc, from, none, to, &rows, NULL, 0, NULL, NULL),
           CLP_UNSUPPORTED);
    ck_assert(test_guarded(queue, out, 16, 0, 0));
    for (int i = 0; i < 8; i++) {
        desc = f32_sum, desc.reserved[i] = 1;
        expect(reduce(&desc, from, to, N, NULL), CLP_INVALID_ARGUMENT);
    }
    desc = f32_sum, desc.type = CLP_F64;
    expect(reduce(&desc, from, to, 1, NULL),
           clp_context_info(context)->has_f64 ? CLP_SUCCESS : CLP_DEVICE_UNSUPPORTED);
    test_guard(queue, out, 16);
    desc = f32_sum, desc.schedule = CLP_SCHEDULE_FUSED;
    expect(reduce(&desc, from, to, N, NULL),
           clp_context_info(context)->has_device_fence ? CLP_SUCCESS : CLP_DEVICE_UNSUPPORTED);
    clp_plan plan;
    expect(clp_reduce_plan(context, &f32_sum, N, NULL), CLP_INVALID_ARGUMENT);
    expect(clp_reduce_plan(NULL, &f32_sum, N, &plan), CLP_INVALID_ARGUMENT);
    expect(clp_reduce_plan(context, NULL, N, &plan), CLP_INVALID_ARGUMENT);
    expect(clp_reduce_prewarm(context, NULL), CLP_INVALID_ARGUMENT);
}
END_TEST

START_TEST(buffer_errors) {
    const clp_buffer from = {in, 0}, to = {out, 0};
    cl_int code;
    expect(reduce(&f32_sum, (clp_buffer){NULL, 0}, to, N, NULL), CLP_INVALID_BUFFER);
    expect(reduce(&f32_sum, from, (clp_buffer){NULL, 0}, N, NULL), CLP_INVALID_BUFFER);
    expect(reduce(&f32_sum, (clp_buffer){out, 0}, to, 1, NULL), CLP_INVALID_BUFFER);  /* write-only, read */
    expect(reduce(&f32_sum, from, (clp_buffer){in, 0}, N, NULL), CLP_INVALID_BUFFER); /* read-only, written */
    expect(reduce(&f32_sum, from, to, N + 1, NULL), CLP_OUT_OF_RANGE);
    expect(reduce(&f32_sum, (clp_buffer){in, 1}, to, N, NULL), CLP_OUT_OF_RANGE);
    expect(reduce(&f32_sum, (clp_buffer){in, N + 1}, to, 0, NULL), CLP_OUT_OF_RANGE);
    expect(reduce(&f32_sum, from, (clp_buffer){out, 4}, N, NULL), CLP_OUT_OF_RANGE);
    /* Sums and products that would overflow. */
    expect(reduce(&f32_sum, (clp_buffer){in, 2}, to, SIZE_MAX - 1, NULL), CLP_OUT_OF_RANGE);
    expect(reduce(&f32_sum, from, to, SIZE_MAX / 4 + 2, NULL), CLP_OUT_OF_RANGE);
    expect(reduce(&f32_sum, from, (clp_buffer){out, SIZE_MAX}, N, NULL), CLP_OUT_OF_RANGE);

    cl_mem both = clCreateBuffer(clp_context_cl(context), CL_MEM_READ_WRITE, SIZE, NULL, &code);
    ok_cl(code);
    ok(reduce(&f32_sum, (clp_buffer){both, 1}, (clp_buffer){both, 1}, 0,
              NULL)); /* an empty range overlaps nothing */
    expect(reduce(&f32_sum, (clp_buffer){both, 0}, to, N - 8, &(clp_workspace){both, 0, 4096}), CLP_OVERLAP);
    expect(reduce(&f32_sum, (clp_buffer){both, 0}, (clp_buffer){both, N - 1}, N, NULL), CLP_OVERLAP);
    expect(reduce(&f32_sum, (clp_buffer){both, 1}, (clp_buffer){both, 1}, N - 1, NULL), CLP_OVERLAP);
    ok(reduce(&f32_sum, (clp_buffer){both, 1}, (clp_buffer){both, 0}, N - 1, NULL));

    /* Overlap is seen through sub-buffers, and ranges count from a sub-buffer's own start and end there. */
    cl_buffer_region region = {4096, 4096};
    cl_mem sub = clCreateSubBuffer(both, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    ok_cl(code);
    expect(reduce(&f32_sum, (clp_buffer){both, 0}, (clp_buffer){sub, 5}, 1030, NULL), CLP_OVERLAP);
    ok(reduce(&f32_sum, (clp_buffer){both, 0}, (clp_buffer){sub, 5}, 1029, NULL));
    expect(reduce(&f32_sum, (clp_buffer){sub, 0}, to, 1025, NULL), CLP_OUT_OF_RANGE);
    clReleaseMemObject(sub);
    clReleaseMemObject(both);

    /* Another context's buffer, and a memory object that is no buffer of ours. */
    clp_context *other = test_context(CLP_SHAPE_DEFAULT, CLP_SUBGROUPS_DEFAULT, 0);
    cl_mem foreign = test_input(other, data, SIZE);
    test_guard(queue, out, 16);
    expect(reduce(&f32_sum, (clp_buffer){foreign, 0}, to, N, NULL), CLP_INVALID_BUFFER);
    expect(clp_reduce(context, clp_context_queue(other), &f32_sum, from, to, N, NULL, 0, NULL, NULL),
           CLP_INVALID_QUEUE);
    expect(clp_reduce(context, NULL, &f32_sum, from, to, N, NULL, 0, NULL, NULL), CLP_INVALID_QUEUE);
    clReleaseMemObject(foreign);
    clp_context_destroy(other);
}
END_TEST

START_TEST(workspace_rules) {
    const clp_buffer from = {in, 0}, to = {out, 0};
    clp_plan plan;
    cl_int code;
    ok(clp_reduce_plan(context, &f32_sum, N, &plan));
    ck_assert_uint_gt(plan.workspace_size, 0);
    const size_t size = 4 * CLP_WORKSPACE_ALIGNMENT;
    ck_assert_uint_le(plan.workspace_size, CLP_WORKSPACE_ALIGNMENT);
    cl_mem mem = clCreateBuffer(clp_context_cl(context), CL_MEM_READ_WRITE, size, NULL, &code);
    ok_cl(code);
    test_guard(queue, mem, size);
    expect(reduce(&f32_sum, from, to, N, &(clp_workspace){mem, 0, plan.workspace_size - 1}),
           CLP_WORKSPACE_TOO_SMALL);
    expect(reduce(&f32_sum, from, to, N, &(clp_workspace){mem, 4, plan.workspace_size}), CLP_MISALIGNED);
    expect(reduce(&f32_sum, from, to, N, &(clp_workspace){mem, size, plan.workspace_size}), CLP_OUT_OF_RANGE);
    expect(reduce(&f32_sum, from, to, N, &(clp_workspace){NULL, 0, plan.workspace_size}), CLP_INVALID_BUFFER);
    expect(reduce(&f32_sum, from, to, N, &(clp_workspace){in, 0, plan.workspace_size}), CLP_INVALID_BUFFER);
    expect(reduce(&f32_sum, from, (clp_buffer){mem, 0}, N, &(clp_workspace){mem, 0, plan.workspace_size}),
           CLP_OVERLAP);
    ck_assert(test_guarded(queue, mem, size, 0, 0));
    /* Exactly the planned size, in the middle, with other bytes on both sides. */
    for (int schedule = 0; schedule <= CLP_SCHEDULE_SINGLE; schedule++) {
        clp_reduce_desc desc = f32_sum;
        desc.schedule = (clp_schedule)schedule;
        if (schedule == CLP_SCHEDULE_FUSED && !clp_context_info(context)->has_device_fence)
            continue;
        test_guard(queue, out, 16);
        ok(reduce(&desc, from, (clp_buffer){out, 2}, N,
                  &(clp_workspace){mem, CLP_WORKSPACE_ALIGNMENT, plan.workspace_size}));
        expect_result(out, 2);
        ck_assert(test_guarded(queue, mem, size, CLP_WORKSPACE_ALIGNMENT,
                               CLP_WORKSPACE_ALIGNMENT + plan.workspace_size));
    }
    clReleaseMemObject(mem);
    /* The plan grows with n, without anything being allocated, up to sizes that no device holds. */
    size_t before = 0;
    for (int shift = 0; shift < 63; shift++) {
        ok(clp_reduce_plan(context, &f32_sum, (size_t)1 << shift, &plan));
        ck_assert_uint_ge(plan.workspace_size, before);
        before = plan.workspace_size;
    }
}
END_TEST

/* The call must not run before its wait list, nor block on it; n = 0 too. */
START_TEST(wait_lists_and_events) {
    const cl_command_queue_properties kinds[] = {0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE};
    for (int k = 0; k < 2; k++) {
        cl_int code;
        cl_command_queue q =
            clCreateCommandQueue(clp_context_cl(context), clp_context_device(context), kinds[k], &code);
        if (code == CL_INVALID_QUEUE_PROPERTIES)
            continue; /* out-of-order queues are optional */
        ok_cl(code);
        for (size_t n = 0; n <= N; n += N)
            for (int schedule = 0; schedule < 2; schedule++) {
                clp_reduce_desc desc = f32_sum;
                desc.schedule = (clp_schedule)schedule;
                cl_event gate = clCreateUserEvent(clp_context_cl(context), &code), done = NULL;
                ok_cl(code);
                test_guard(queue, out, 16);
                ok(clp_reduce(context, q, &desc, (clp_buffer){n ? in : NULL, 0}, (clp_buffer){out, 1}, n,
                              NULL, 1, &gate, &done));
                ck_assert_ptr_nonnull(done);
                ok_cl(clFlush(q));
                cl_int state;
                ok_cl(clGetEventInfo(done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL));
                ck_assert_int_ne(state, CL_COMPLETE);
                ck_assert(test_guarded(queue, out, 16, 0, 0));
                ok_cl(clSetUserEventStatus(gate, CL_COMPLETE));
                ok_cl(clWaitForEvents(1, &done));
                float got, expected = n ? want : 0.0f;
                test_read(queue, out, 4, 4, &got);
                ck_assert(memcmp(&got, &expected, 4) == 0);
                clReleaseEvent(gate);
                clReleaseEvent(done);
            }
        ok_cl(clFinish(q));
        clReleaseCommandQueue(q);
    }
    cl_event event = NULL;
    expect(clp_reduce(context, queue, &f32_sum, (clp_buffer){in, 0}, (clp_buffer){out, 0}, N, NULL, 1, NULL,
                      &event),
           CL_INVALID_EVENT_WAIT_LIST);
    expect(clp_reduce(context, queue, &f32_sum, (clp_buffer){in, 0}, (clp_buffer){out, 0}, N, NULL, 0, &event,
                      NULL),
           CL_INVALID_EVENT_WAIT_LIST);
    expect(clp_reduce(context, queue, &f32_sum, (clp_buffer){in, 0}, (clp_buffer){out, 0}, N, NULL, 1, &event,
                      NULL),
           CL_INVALID_EVENT_WAIT_LIST);
}
END_TEST

/* Many calls in flight on many queues: scratch memory must not be shared between calls that overlap. */
START_TEST(queues_at_once) {
    enum { QUEUES = 20, ROUNDS = 8 };
    cl_command_queue queues[QUEUES];
    cl_mem outs[QUEUES];
    cl_int code;
    static float big[BIG];
    ref_fill(REF_UNIFORM, CLP_F32, 7, BIG, big);
    cl_mem input = test_input(context, big, sizeof big);
    for (int i = 0; i < QUEUES; i++) {
        const cl_command_queue_properties kind = i % 2 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0;
        queues[i] = clCreateCommandQueue(clp_context_cl(context), clp_context_device(context), kind, &code);
        if (code == CL_INVALID_QUEUE_PROPERTIES)
            queues[i] = clCreateCommandQueue(clp_context_cl(context), clp_context_device(context), 0, &code);
        ok_cl(code);
        outs[i] = test_output(context, ROUNDS * 4);
    }
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < QUEUES; i++) {
            clp_reduce_desc desc = f32_sum;
            desc.schedule = (clp_schedule)(round % 2); /* default, levels */
            ok(clp_reduce(context, queues[i], &desc, (clp_buffer){input, (size_t)i},
                          (clp_buffer){outs[i], (size_t)round}, BIG - QUEUES, NULL, 0, NULL, NULL));
        }
    for (int i = 0; i < QUEUES; i++) {
        float got[ROUNDS], expected;
        ok_cl(clFinish(queues[i]));
        test_read(queues[i], outs[i], 0, sizeof got, got);
        ref_reduce(&f32_sum, big + i, BIG - QUEUES, &expected);
        for (int round = 0; round < ROUNDS; round++)
            ck_assert_msg(memcmp(&got[round], &expected, 4) == 0, "queue %d, round %d", i, round);
        clReleaseCommandQueue(queues[i]);
        clReleaseMemObject(outs[i]);
    }
    clReleaseMemObject(input);
}
END_TEST

enum { THREADS = 4, CALLS = 250 };

/* Each thread reduces ranges of its own with descriptions that others use too, on its own queue. */
static void *worker(void *argument) {
    const int id = *(const int *)argument;
    static const clp_op ops[] = {CLP_SUM, CLP_MIN, CLP_MAX};
    const char *wrong = NULL;
    cl_int code;
    cl_command_queue q = clCreateCommandQueue(clp_context_cl(context), clp_context_device(context), 0, &code);
    cl_mem mem = clCreateBuffer(clp_context_cl(context), CL_MEM_READ_WRITE, 16, NULL, &code);
    for (int call = 0; call < CALLS && !wrong; call++) {
        const clp_reduce_desc desc = {.type = CLP_F32, .op = ops[(call + id) % 3]};
        const size_t offset = (size_t)((call * 7 + id) % 1000), n = (size_t)(call * 31 + id) % (N - 1000);
        float got, expected;
        if (call % 10 == id) { /* a failing call in between: its detail is this thread's own */
            if (clp_reduce(context, q, &desc, (clp_buffer){in, offset}, (clp_buffer){mem, 4 + (size_t)id}, n,
                           NULL, 0, NULL, NULL) != CLP_OUT_OF_RANGE)
                wrong = "no error";
            char number[32];
            snprintf(number, sizeof number, "from element %d ", 4 + id);
            if (!strstr(clp_last_detail(), number))
                wrong = "another thread's detail";
        }
        if (clp_reduce(context, q, &desc, (clp_buffer){in, offset}, (clp_buffer){mem, 1}, n, NULL, 0, NULL,
                       NULL) != CLP_SUCCESS)
            wrong = "an error";
        else if (clEnqueueReadBuffer(q, mem, CL_TRUE, 4, 4, &got, 0, NULL, NULL) != CL_SUCCESS)
            wrong = "cannot read";
        ref_reduce(&desc, data + offset, n, &expected);
        if (!wrong && memcmp(&got, &expected, 4) != 0)
            wrong = "wrong bits";
    }
    clReleaseMemObject(mem);
    clReleaseCommandQueue(q);
    return (void *)(uintptr_t)wrong;
}

START_TEST(threads_on_one_context) {
    pthread_t threads[THREADS];
    int ids[THREADS];
    for (int i = 0; i < THREADS; i++) {
        ids[i] = i;
        ck_assert_int_eq(pthread_create(&threads[i], NULL, worker, &ids[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        void *wrong;
        ck_assert_int_eq(pthread_join(threads[i], &wrong), 0);
        ck_assert_msg(wrong == NULL, "thread %d: %s", i, wrong ? (const char *)wrong : "");
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("calls");
    TCase *calls = tcase_create("calls");
    tcase_add_checked_fixture(calls, set_up, tear_down);
    tcase_add_test(calls, description_errors);
    tcase_add_test(calls, buffer_errors);
    tcase_add_test(calls, workspace_rules);
    tcase_add_test(calls, wait_lists_and_events);
    tcase_add_test(calls, queues_at_once);
    tcase_add_test(calls, threads_on_one_context);
    suite_add_tcase(suite, calls);
    return test_main(suite);
}

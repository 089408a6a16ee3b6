/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file check_lifetime.c Contexts come and go: nothing is left over, memory does not grow, and commands
 * that are still in a queue outlive the context that enqueued them. Runs under the counting layer.
 */
#include "request.h"

#include "reference.h"
#include <check.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TILE = 4096, TWO_LEVELS = 5 * TILE + 7 };

static struct clp_count count;
static struct fixture world;
static size_t references_outside, references_before; /* without and with the world */

/* Bytes of memory that the process has in use now. */
static size_t resident(void) {
    unsigned long pages = 0;
    FILE *statm = fopen("/proc/self/statm", "r");
    ck_assert_ptr_nonnull(statm);
    ck_assert_int_eq(fscanf(statm, "%*u %lu", &pages), 1);
    fclose(statm);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* A sanitizer keeps freed memory for a while, and finds what is lost in its own way. */
static void check_growth(const char *what, size_t before, size_t allowed) {
    size_t after = resident();
    printf("%s: %zu KiB before, %zu KiB after\n", what, before >> 10, after >> 10);
#if !defined(__SANITIZE_ADDRESS__)
    ck_assert_uint_le(after, before + allowed);
#else
    (void)allowed;
#endif
}

static void check_nothing_left(void) {
    if (count.total_references() != references_before) {
        count.report(stderr);
    }
    ck_assert_uint_eq(count.total_references(), references_before);
    ck_assert_uint_eq(count.misuses(), 0);
}

/* Enqueues one reduction with the context's own scratch memory. */
static cl_event enqueue(clp_context *context, cl_command_queue queue, clp_schedule schedule, cl_event after) {
    const clp_reduce_desc desc = fixture_sum(schedule);
    cl_event event = NULL;
    clp_status status =
        clp_reduce(context, queue, &desc, (clp_buffer){world.in, 0}, (clp_buffer){world.out, 1}, world.n,
                   NULL, after != NULL ? 1 : 0, after != NULL ? &after : NULL, &event);
    ck_assert_msg(status == CLP_SUCCESS, "%s: %s", clp_status_name(status), clp_last_detail());
    ck_assert_ptr_nonnull(event);
    return event;
}

static cl_int state_of(cl_event event) {
    cl_int state = CL_QUEUED;
    ck_assert_int_eq(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(state), &state, NULL),
                     CL_SUCCESS);
    return state;
}

static void wait_and_check(cl_event event) {
    ck_assert_int_eq(clWaitForEvents(1, &event), CL_SUCCESS);
    ck_assert_int_eq(state_of(event), CL_COMPLETE);
    clReleaseEvent(event);
    ck_assert_uint_eq(fixture_result(&world), fixture_expected(&world, world.n));
}

static void adopt_and_destroy(int rounds) {
    for (int i = 0; i < rounds; i++) {
        clp_context_destroy(fixture_adopt(&world, CLP_SHAPE_DEFAULT));
    }
}

START_TEST(ten_thousand_contexts_leave_nothing) {
    adopt_and_destroy(100);
    size_t before = resident();
    adopt_and_destroy(10000);
    /* 1 MiB is 100 bytes a context: less than anything that a context could lose. */
    check_growth("10000 contexts", before, 1u << 20);
    check_nothing_left();
}
END_TEST

static void build_and_reduce(int rounds) {
    for (int i = 0; i < rounds; i++) {
        clp_context *context = fixture_adopt(&world, i % 2 == 0 ? CLP_SHAPE_SIMD : CLP_SHAPE_SIMT);
        fixture_poison(&world);
        cl_event event = enqueue(context, world.in_order, CLP_SCHEDULE_DEFAULT, NULL);
        wait_and_check(event);
        clp_context_destroy(context);
    }
}

START_TEST(contexts_with_kernels_leave_nothing) {
    build_and_reduce(10);
    size_t before = resident();
    build_and_reduce(50);
    check_growth("50 contexts with a build", before, 2u << 20);
    check_nothing_left();
}
END_TEST

START_TEST(picked_contexts_leave_nothing) {
    for (int i = 0; i < 20; i++) {
        clp_context *context = NULL;
        ck_assert_int_eq(clp_context_pick(NULL, &context), CLP_SUCCESS);
        ck_assert_ptr_nonnull(clp_context_info(context));
        clp_context_destroy(context);
    }
    clp_context_destroy(NULL);
    check_nothing_left();
}
END_TEST

/* Many calls with one context: its pool must come to rest, and so must its kernels and events. */
START_TEST(a_used_context_does_not_grow) {
    clp_context *context = fixture_adopt(&world, CLP_SHAPE_DEFAULT);
    size_t references = 0, memory = 0;
    for (int i = 0; i < 2000; i++) {
        fixture_poison(&world);
        wait_and_check(enqueue(context, i % 3 == 0 ? world.out_of_order : world.in_order,
                               i % 2 == 0 ? CLP_SCHEDULE_LEVELS : CLP_SCHEDULE_DEFAULT, NULL));
        if (i == 200) {
            references = count.total_references();
            memory = resident();
        }
    }
    ck_assert_uint_eq(count.total_references(), references);
    check_growth("2000 calls", memory, 2u << 20);
    clp_context_destroy(context);
    check_nothing_left();
}
END_TEST

/* Calls that all wait for the same event: the pool does not keep memory for each of them. */
START_TEST(a_full_pool_stops_growing) {
    enum { CALLS = 200 };
    clp_schedule schedule = _i == 0 ? CLP_SCHEDULE_LEVELS : CLP_SCHEDULE_FUSED;
    clp_context *context = fixture_adopt(&world, CLP_SHAPE_SIMD);
    cl_event user = clCreateUserEvent(world.context, NULL), events[CALLS];
    ck_assert_ptr_nonnull(user);
    fixture_poison(&world);
    size_t half = 0;
    for (int i = 0; i < CALLS; i++) {
        events[i] = enqueue(context, world.out_of_order, schedule, user);
        if (i == CALLS / 2) {
            half = count.references(CLP_KIND_MEM);
        }
    }
    size_t all = count.references(CLP_KIND_MEM);
    ck_assert_int_eq(clSetUserEventStatus(user, CL_COMPLETE), CL_SUCCESS);
    ck_assert_uint_eq(all, half);
    for (int i = 0; i < CALLS; i++) {
        wait_and_check(events[i]);
    }
    clReleaseEvent(user);
    clp_context_destroy(context);
    check_nothing_left();
}
END_TEST

/* _i: bit 0 the queue, bit 1 the schedule, bit 2 the shape. */
START_TEST(commands_outlive_their_context) {
    cl_command_queue queue = (_i & 1) != 0 ? world.out_of_order : world.in_order;
    clp_schedule schedule = (_i & 2) != 0 ? CLP_SCHEDULE_FUSED : CLP_SCHEDULE_LEVELS;
    clp_context *context = fixture_adopt(&world, (_i & 4) != 0 ? CLP_SHAPE_SIMT : CLP_SHAPE_SIMD);
    fixture_poison(&world);
    cl_event user = clCreateUserEvent(world.context, NULL);
    ck_assert_ptr_nonnull(user);
    /* Two calls: the second gets scratch memory of its own or waits for the first. */
    cl_event first = enqueue(context, queue, schedule, user);
    cl_event second = enqueue(context, queue, schedule, first);
    clp_context_destroy(context);
    cl_int states[] = {state_of(first), state_of(second)};
    ck_assert_int_eq(clSetUserEventStatus(user, CL_COMPLETE), CL_SUCCESS);
    ck_assert_int_gt(states[0], CL_COMPLETE);
    ck_assert_int_gt(states[1], CL_COMPLETE);
    wait_and_check(second);
    wait_and_check(first);
    clReleaseEvent(user);
    check_nothing_left();
}
END_TEST

/* The caller lets go of all that is its own too; only the event is kept. */
START_TEST(an_event_outlives_everything) {
    struct fixture own;
    fixture_make(&own, TWO_LEVELS, 256);
    const clp_reduce_desc desc = fixture_sum(CLP_SCHEDULE_DEFAULT);
    cl_event event = NULL;
    cl_event user = clCreateUserEvent(own.context, NULL);
    clp_context *context = fixture_adopt(&own, CLP_SHAPE_DEFAULT);
    ck_assert_int_eq(clp_reduce(context, own.in_order, &desc, (clp_buffer){own.in, 0},
                                (clp_buffer){own.out, 1}, own.n, NULL, 1, &user, &event),
                     CLP_SUCCESS);
    clp_context_destroy(context);
    ck_assert_int_eq(clFlush(own.in_order), CL_SUCCESS);
    ck_assert_int_eq(clSetUserEventStatus(user, CL_COMPLETE), CL_SUCCESS);
    clReleaseEvent(user);
    fixture_free(&own);
    ck_assert_int_eq(clWaitForEvents(1, &event), CL_SUCCESS);
    ck_assert_int_eq(state_of(event), CL_COMPLETE);
    clReleaseEvent(event);
    check_nothing_left();
}
END_TEST

struct worker {
    clp_context *context;
    size_t offset, n; /* what it reduces: every total differs from the other threads' */
    uint32_t expected;
    unsigned failed, wrong;
};

/* Reduces again and again with a queue and an output of its own. Check's macros are for one thread only. */
static void *work(void *argument) {
    struct worker *w = argument;
    cl_command_queue queue = clCreateCommandQueue(world.context, world.device, 0, NULL);
    cl_mem out = clCreateBuffer(world.context, CL_MEM_READ_WRITE, sizeof(uint32_t), NULL, NULL);
    for (int i = 0; i < 300; i++) {
        const clp_reduce_desc desc = fixture_sum(i % 2 == 0 ? CLP_SCHEDULE_LEVELS : CLP_SCHEDULE_FUSED);
        uint32_t bits = 0;
        w->failed += clp_reduce(w->context, queue, &desc, (clp_buffer){world.in, w->offset},
                                (clp_buffer){out, 0}, w->n, NULL, 0, NULL, NULL) != CLP_SUCCESS;
        clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof(bits), &bits, 0, NULL, NULL);
        w->wrong += bits != w->expected;
    }
    clReleaseMemObject(out);
    clReleaseCommandQueue(queue);
    return NULL;
}

/* The kernels, the pool and the first build are shared: no thread may get another's arguments or memory. */
START_TEST(threads_share_a_context) {
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    struct worker workers[THREADS];
    clp_context *context = fixture_adopt(&world, _i == 0 ? CLP_SHAPE_SIMD : CLP_SHAPE_SIMT);
    for (int i = 0; i < THREADS; i++) {
        const clp_reduce_desc desc = fixture_sum(CLP_SCHEDULE_DEFAULT);
        struct worker *w = &workers[i];
        *w = (struct worker){.context = context, .offset = (size_t)i * 1000, .n = world.n - 4000};
        ref_reduce(&desc, world.data + w->offset, w->n, &w->expected);
    }
    for (int i = 0; i < THREADS; i++) {
        ck_assert_int_eq(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    for (int i = 0; i < THREADS; i++) {
        ck_assert_uint_eq(workers[i].failed, 0);
        ck_assert_uint_eq(workers[i].wrong, 0);
    }
    clp_context_destroy(context);
    check_nothing_left();
}
END_TEST

/*
 * Many calls of all kinds in one queue at once, behind an event, with a context that is gone before the first
 * of them runs. _i: bit 0 the queue, bit 1 the shape.
 */
START_TEST(calls_of_all_kinds_in_flight) {
    enum { CALLS = 40, STRIDE = FIXTURE_OUTPUTS + 1 };
    cl_command_queue queue = (_i & 1) != 0 ? world.out_of_order : world.in_order;
    clp_context *context = fixture_adopt(&world, (_i & 2) != 0 ? CLP_SHAPE_SIMT : CLP_SHAPE_SIMD);
    static uint32_t got[CALLS * STRIDE], want[NUM_REQUESTS][FIXTURE_OUTPUTS];
    memset(got, 0xa5, sizeof(got));
    cl_mem out =
        clCreateBuffer(world.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof(got), got, NULL);
    ck_assert_ptr_nonnull(out);
    cl_event user = clCreateUserEvent(world.context, NULL), events[CALLS];
    for (int i = 0; i < CALLS; i++) {
        const clp_schedule schedule = i / NUM_REQUESTS % 2 == 0 ? CLP_SCHEDULE_LEVELS : CLP_SCHEDULE_DEFAULT;
        clp_status status =
            request_call(&world, context, queue, (enum request)(i % NUM_REQUESTS), schedule, world.n,
                         (clp_buffer){out, (size_t)i * STRIDE}, NULL, 1, &user, &events[i]);
        ck_assert_msg(status == CLP_SUCCESS, "call %d: %s", i, clp_last_detail());
    }
    clp_context_destroy(context);
    ck_assert_int_gt(state_of(events[CALLS - 1]), CL_COMPLETE);
    ck_assert_int_eq(clSetUserEventStatus(user, CL_COMPLETE), CL_SUCCESS);
    for (int i = 0; i < CALLS; i++) {
        ck_assert_int_eq(clWaitForEvents(1, &events[i]), CL_SUCCESS);
        clReleaseEvent(events[i]);
    }
    clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof(got), got, 0, NULL, NULL);
    for (int i = 0; i < NUM_REQUESTS; i++) {
        request_expected(&world, (enum request)i, world.n, want[i]);
    }
    for (int i = 0; i < CALLS; i++) {
        const size_t results = request_results((enum request)(i % NUM_REQUESTS), world.n);
        for (size_t k = 0; k < STRIDE; k++) {
            const uint32_t word = k < results ? want[i % NUM_REQUESTS][k] : 0xa5a5a5a5;
            if (got[i * STRIDE + (int)k] != word) /* an assertion each would take long */
                ck_abort_msg("call %d, word %zu", i, k);
        }
    }
    clReleaseMemObject(out);
    clReleaseEvent(user);
    check_nothing_left();
}
END_TEST

struct mixer {
    clp_context *context;
    bool out_of_order;
    uint32_t (*want)[FIXTURE_OUTPUTS];
    unsigned failed, wrong;
};

/* Calls of all kinds in turn, with a queue and an output of its own. */
static void *mix(void *argument) {
    struct mixer *m = argument;
    const cl_command_queue_properties properties =
        m->out_of_order ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0;
    cl_command_queue queue = clCreateCommandQueue(world.context, world.device, properties, NULL);
    cl_mem out = clCreateBuffer(world.context, CL_MEM_READ_WRITE, FIXTURE_OUTPUTS * 4, NULL, NULL);
    for (int i = 0; i < 60; i++) {
        const enum request request = (enum request)((i + m->out_of_order) % NUM_REQUESTS);
        uint32_t got[FIXTURE_OUTPUTS];
        cl_event event = NULL;
        m->failed += request_call(&world, m->context, queue, request, CLP_SCHEDULE_DEFAULT, world.n,
                                  (clp_buffer){out, 0}, NULL, 0, NULL, &event) != CLP_SUCCESS;
        clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof(got), got, event != NULL, event ? &event : NULL,
                            NULL);
        m->wrong += memcmp(got, m->want[request], request_results(request, world.n) * sizeof(*got)) != 0;
        if (event != NULL) {
            clReleaseEvent(event);
        }
    }
    clReleaseMemObject(out);
    clReleaseCommandQueue(queue);
    return NULL;
}

START_TEST(threads_mix_all_kinds) {
    static uint32_t want[NUM_REQUESTS][FIXTURE_OUTPUTS];
    for (int i = 0; i < NUM_REQUESTS; i++) {
        request_expected(&world, (enum request)i, world.n, want[i]);
    }
    clp_context *context = fixture_adopt(&world, _i == 0 ? CLP_SHAPE_SIMD : CLP_SHAPE_SIMT);
    struct mixer mixers[2] = {{.context = context, .want = want},
                              {.context = context, .want = want, .out_of_order = true}};
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(pthread_create(&threads[i], NULL, mix, &mixers[i]), 0);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
        ck_assert_uint_eq(mixers[i].failed, 0);
        ck_assert_uint_eq(mixers[i].wrong, 0);
    }
    clp_context_destroy(context);
    check_nothing_left();
}
END_TEST

/* A new world for each test, so that what one loses is not told of the next. */
static void set_up(void) {
    references_outside = count.total_references();
    fixture_make(&world, TWO_LEVELS, 256);
    references_before = count.total_references();
}

static void tear_down(void) {
    fixture_check_input(&world);
    fixture_free(&world);
    ck_assert_uint_eq(count.total_references(), references_outside);
}

int main(void) {
    if (!clp_layers_load(NULL, &count)) {
        return EXIT_FAILURE;
    }
    Suite *suite = suite_create("lifetime");
    TCase *all = tcase_create("lifetime");
    tcase_add_checked_fixture(all, set_up, tear_down);
    tcase_add_test(all, ten_thousand_contexts_leave_nothing);
    tcase_add_test(all, contexts_with_kernels_leave_nothing);
    tcase_add_test(all, picked_contexts_leave_nothing);
    tcase_add_test(all, a_used_context_does_not_grow);
    tcase_add_loop_test(all, a_full_pool_stops_growing, 0, 2);
    tcase_add_loop_test(all, commands_outlive_their_context, 0, 8);
    tcase_add_test(all, an_event_outlives_everything);
    tcase_add_loop_test(all, threads_share_a_context, 0, 2);
    tcase_add_loop_test(all, calls_of_all_kinds_in_flight, 0, 4);
    tcase_add_loop_test(all, threads_mix_all_kinds, 0, 2);
    suite_add_tcase(suite, all);
    SRunner *runner = srunner_create(suite);
    srunner_set_fork_status(runner, CK_NOFORK); /* a context made before a fork hangs PoCL */
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file check_faults.c Each OpenCL call that the library makes fails once: the library must say so, lose
 * nothing, write nothing beside its output, and work again with the next call. Runs under both layers.
 */
#include "scenario.h"
#include <check.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TILE = 4096, FEW = 1000, TWO_LEVELS = 5 * TILE + 7, THREE_LEVELS = TILE * TILE + 5 };

struct clp_fault fault;
struct clp_count count;
struct fixture world;

static const struct plan no_fault = {0, CL_SUCCESS, false};

#define SIMT      .shape = CLP_SHAPE_SIMT
#define SIMD      .shape = CLP_SHAPE_SIMD
#define LEVELS    .schedule = CLP_SCHEDULE_LEVELS
#define FUSED     .schedule = CLP_SCHEDULE_FUSED
#define SINGLE    .schedule = CLP_SCHEDULE_SINGLE
#define FAST      .request = REQUEST_FAST
#define INDEX     .request = REQUEST_INDEX
#define MAPS      .request = REQUEST_MAPS
#define SEGMENTS  .request = REQUEST_SEGMENTS
#define SCAN      .request = REQUEST_SCAN
#define PARTITION .request = REQUEST_PARTITION
#define BY_KEY    .request = REQUEST_BY_KEY
#define HISTOGRAM .request = REQUEST_HISTOGRAM

/*
 * What may be absorbed: a block of the pool whose event does not answer is passed over; an in-order queue
 * does not ask it.
 */
/* clang-format off */
static const struct scenario scenarios[] = {
    {"pick", PICK, SIMD},
    {"adopt", ADOPT, SIMD},
    {"info, cold", INFO, SIMT},
    {"plan, cold", PLAN, SIMD, LEVELS, .n = TWO_LEVELS},
    {"plan, warm", PLAN, SIMD, LEVELS, .n = TWO_LEVELS, .warm = true},
    {"prewarm, cold", PREWARM, SIMT},
    {"prewarm, warm", PREWARM, SIMT, .warm = true},
    {"simd levels, cold", CALL, SIMD, LEVELS, .n = TWO_LEVELS},
    {"simd 3 levels, warm", CALL, SIMD, LEVELS, .n = THREE_LEVELS, .warm = true},
    {"simd 3 levels fused, warm", CALL, SIMD, FUSED, .n = THREE_LEVELS, .warm = true},
    {"simd fused, out of order, cold", CALL, SIMD, FUSED, .n = TWO_LEVELS, .out_of_order = true},
    {"simd fused, behind an event, warm", CALL, SIMD, FUSED, .n = TWO_LEVELS, .warm = true,
     .behind_event = true},
    {"simd levels, own workspace, out of order, warm", CALL, SIMD, LEVELS, .n = TWO_LEVELS, .warm = true,
     .own_workspace = true, .out_of_order = true, .tolerated = 1},
    {"simt levels, behind an event, cold", CALL, SIMT, LEVELS, .n = TWO_LEVELS, .behind_event = true},
    {"simt levels, out of order, behind an event, warm", CALL, SIMT, LEVELS, .n = TWO_LEVELS, .warm = true,
     .out_of_order = true, .behind_event = true, .tolerated = 1},
    {"simt fused, own workspace, cold", CALL, SIMT, FUSED, .n = TWO_LEVELS, .own_workspace = true},
    {"a few, single, warm", CALL, SIMT, SINGLE, .n = FEW, .warm = true},
    {"nothing, cold", CALL, SIMD, .n = 0},
    {"nothing, out of order, behind an event, warm", CALL, SIMD, .n = 0, .warm = true,
     .out_of_order = true, .behind_event = true, .tolerated = 1},
    {"fast, cold", CALL, SIMD, FAST, .n = TWO_LEVELS},
    {"fast, out of order, behind an event, warm", CALL, SIMT, FAST, .n = TWO_LEVELS, .warm = true,
     .out_of_order = true, .behind_event = true, .tolerated = 1},
    {"prewarm fast", PREWARM, SIMT, FAST},
    {"index, cold", CALL, SIMD, LEVELS, INDEX, .n = TWO_LEVELS},
    {"index, own workspace, warm", CALL, SIMT, FUSED, INDEX, .n = TWO_LEVELS, .warm = true,
     .own_workspace = true},
    {"a user's type, cold", CALL, SIMD, FUSED, MAPS, .n = TWO_LEVELS},
    {"a user's type, out of order, warm", CALL, SIMD, LEVELS, MAPS, .n = TWO_LEVELS, .warm = true,
     .out_of_order = true, .tolerated = 1},
    {"prewarm a user's type", PREWARM, SIMD, MAPS},
    {"plan segments", PLAN, SIMT, SEGMENTS, .n = TWO_LEVELS},
    {"segments, cold", CALL, SIMD, SEGMENTS, .n = TWO_LEVELS},
    {"histogram, cold", CALL, SIMD, HISTOGRAM, .n = TWO_LEVELS},
    {"histogram, own workspace, out of order, warm", CALL, SIMT, HISTOGRAM, .n = TWO_LEVELS, .warm = true,
     .own_workspace = true, .out_of_order = true, .tolerated = 1},
    {"segments, warm", CALL, SIMT, SEGMENTS, .n = TWO_LEVELS, .warm = true},
    {"segments, own workspace, out of order, warm", CALL, SIMD, SEGMENTS, .n = TWO_LEVELS, .warm = true,
     .own_workspace = true, .out_of_order = true, .tolerated = 1},
    {"segments, out of order, behind an event, warm", CALL, SIMD, SEGMENTS, .n = TWO_LEVELS, .warm = true,
     .out_of_order = true, .behind_event = true, .tolerated = 1},
    {"segments of nothing, warm", CALL, SIMD, SEGMENTS, .n = 0, .warm = true},
    {"plan a scan", PLAN, SIMT, SCAN, .n = TWO_LEVELS},
    {"prewarm a scan", PREWARM, SIMD, SCAN},
    {"scan levels, cold", CALL, SIMD, LEVELS, SCAN, .n = TWO_LEVELS},
    {"scan levels, warm", CALL, SIMT, LEVELS, SCAN, .n = TWO_LEVELS, .warm = true},
    {"scan levels, own workspace, out of order, warm", CALL, SIMD, LEVELS, SCAN, .n = TWO_LEVELS, .warm = true,
     .own_workspace = true, .out_of_order = true, .tolerated = 1},
    {"scan single, out of order, behind an event, warm", CALL, SIMT, SINGLE, SCAN, .n = FEW, .warm = true,
     .out_of_order = true, .behind_event = true, .tolerated = 1},
    {"scan of nothing, cold", CALL, SIMD, SCAN, .n = 0},
    {"prewarm a selection", PREWARM, SIMD, PARTITION},
    {"partition levels, warm", CALL, SIMT, LEVELS, PARTITION, .n = TWO_LEVELS, .warm = true},
    {"partition levels, own workspace, out of order, warm", CALL, SIMD, LEVELS, PARTITION, .n = TWO_LEVELS,
     .warm = true, .own_workspace = true, .out_of_order = true, .tolerated = 1},
    {"partition single, out of order, behind an event, warm", CALL, SIMT, SINGLE, PARTITION, .n = FEW, .warm = true,
     .out_of_order = true, .behind_event = true, .tolerated = 1},
    {"partition of nothing, warm", CALL, SIMD, PARTITION, .n = 0, .warm = true},
    {"by key, warm", CALL, SIMT, BY_KEY, .n = TWO_LEVELS, .warm = true},
    {"by key, out of order, behind an event, warm", CALL, SIMT, BY_KEY, .n = TWO_LEVELS, .warm = true,
     .out_of_order = true, .behind_event = true, .tolerated = 1},
    {"by key, own workspace, warm", CALL, SIMT, BY_KEY, .n = FEW, .warm = true, .own_workspace = true},
    {"by key of nothing, warm", CALL, SIMT, BY_KEY, .n = 0, .warm = true},
};
/* clang-format on */

START_TEST(each_call_fails) {
    const struct scenario *s = &scenarios[_i];
    /* Once without a fault: what a process keeps for good (a verdict, a driver's cache) is then there. */
    clp_context *context = prepare(s);
    ck_assert_int_eq(perform(s, &context, no_fault).status, CLP_SUCCESS);
    check_usable(context);
    clp_context_destroy(context);

    unsigned calls = fail_each(s, CL_OUT_OF_HOST_MEMORY, false);
    /* Only what is known already may be told without asking OpenCL anything. */
    ck_assert(calls > 0 || s->operation == INFO || (s->warm && s->operation != CALL));
    ck_assert_uint_eq(fail_each(s, CL_OUT_OF_RESOURCES, false), calls);
    fail_each(s, CL_OUT_OF_HOST_MEMORY, true);
    fixture_check_input(&world);
}
END_TEST

/* A build that the compiler refuses is that status, and the variant is built again by the next call. */
START_TEST(a_failed_build_is_not_remembered) {
    const struct scenario s = {"failed build", CALL, SIMD, LEVELS, .n = TWO_LEVELS};
    struct outcome o = {0};
    const struct references before = references_now();
    for (unsigned n = 1; strcmp(o.name, "clBuildProgram") != 0; n++) {
        ck_assert_uint_lt(n, SCENARIO_MANY_CALLS);
        clp_context *context = prepare(&s);
        o = perform(&s, &context, (struct plan){n, CL_BUILD_PROGRAM_FAILURE, false});
        ck_assert_uint_eq(o.failed, 1);
        ck_assert_int_eq(perform(&s, &context, no_fault).status, CLP_SUCCESS);
        clp_context_destroy(context);
        check_references(&s, o.name, before);
    }
    ck_assert_int_eq(o.status, CL_BUILD_PROGRAM_FAILURE);
    ck_assert_ptr_nonnull(clp_last_build_log());
}
END_TEST

/* Does the command complete within 50 ms? What these tests enqueue takes less than one. */
static bool completes_soon(cl_event event) {
    const struct timespec millisecond = {0, 1000000};
    cl_int state = CL_QUEUED;
    for (int i = 0; i < 50 && state != CL_COMPLETE; i++) {
        nanosleep(&millisecond, NULL);
        clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(state), &state, NULL);
    }
    return state == CL_COMPLETE;
}

/*
 * The first of several launches may be enqueued, behind an event, when a later call fails. Its scratch
 * memory is then still spoken for: the next call must wait for that launch or take other memory.
 */
START_TEST(scratch_of_a_half_enqueued_call_is_not_reused) {
    const struct scenario s = {"half enqueued",     CALL, SIMD, LEVELS, .n = TWO_LEVELS, .warm = true,
                               .out_of_order = true};
    const clp_reduce_desc desc = fixture_sum(s.schedule);
    const clp_buffer in = {world.in, 0}, out = {world.out, 1};
    const struct references before = references_now();
    unsigned half_enqueued = 0;
    bool first_launch_is_past = false;
    for (unsigned n = 1, failed = 1; failed != 0; n++) {
        ck_assert_uint_lt(n, SCENARIO_MANY_CALLS);
        clp_context *context = prepare(&s); /* its pool has the memory of one call */
        cl_event user = clCreateUserEvent(world.context, NULL), event = NULL;
        fixture_poison(&world);
        arm((struct plan){n, CL_OUT_OF_RESOURCES, false});
        clp_status again = CLP_SUCCESS, status = clp_reduce(context, world.out_of_order, &desc, in, out, s.n,
                                                            NULL, 1, &user, NULL);
        bool reused = false;
        bool launch_failed = strcmp(fault.last_name(), "clEnqueueNDRangeKernel") == 0;
        failed = disarm();
        if (status != CLP_SUCCESS) {
            size_t memory = count.references(CLP_KIND_MEM);
            again = clp_reduce(context, world.out_of_order, &desc, in, out, s.n, NULL, 0, NULL, &event);
            clFlush(world.out_of_order);
            reused = event != NULL && first_launch_is_past && count.references(CLP_KIND_MEM) == memory &&
                     completes_soon(event);
            half_enqueued += first_launch_is_past;
            first_launch_is_past = first_launch_is_past || launch_failed;
        }
        ck_assert_int_eq(clSetUserEventStatus(user, CL_COMPLETE), CL_SUCCESS);
        ck_assert_int_eq(clFinish(world.out_of_order), CL_SUCCESS);
        ck_assert_int_eq(again, CLP_SUCCESS);
        ck_assert(!reused);
        if (event != NULL) {
            clReleaseEvent(event);
            ck_assert_uint_eq(fixture_result(&world), fixture_expected(&world, s.n));
        }
        clReleaseEvent(user);
        clp_context_destroy(context);
        check_references(&s, "a launch", before);
    }
    ck_assert_uint_ge(half_enqueued, 2); /* an argument of the second launch, and the launch itself */
}
END_TEST

/* A pool whose blocks all wait for an event has more to ask of OpenCL, and more to give back. */
START_TEST(each_call_fails_with_a_full_pool) {
    const struct scenario s = {"full pool", CALL, SIMD, FUSED, .n = TWO_LEVELS};
    const clp_reduce_desc desc = fixture_sum(s.schedule);
    const clp_buffer in = {world.in, 0}, out = {world.out, 1};
    const struct references before = references_now();
    clp_context *context = prepare(&s);
    cl_event user = clCreateUserEvent(world.context, NULL);
    fixture_poison(&world);
    unsigned wrong = 0;
    for (int i = 0; i < 40; i++) {
        wrong +=
            CLP_SUCCESS != clp_reduce(context, world.out_of_order, &desc, in, out, s.n, NULL, 1, &user, NULL);
    }
    size_t memory = count.references(CLP_KIND_MEM);
    for (unsigned n = 1, failed = 1; failed != 0 && n < SCENARIO_MANY_CALLS; n++) {
        arm((struct plan){n, CL_OUT_OF_RESOURCES, false});
        clp_status status =
            clp_reduce(context, world.out_of_order, &desc, in, out, s.n, NULL, 1, &user, NULL);
        bool asked_event = strcmp(fault.last_name(), "clGetEventInfo") == 0;
        failed = disarm();
        wrong += status != (failed == 0 || asked_event ? CLP_SUCCESS : CL_OUT_OF_RESOURCES);
    }
    memory = count.references(CLP_KIND_MEM) - memory;
    ck_assert_int_eq(clSetUserEventStatus(user, CL_COMPLETE), CL_SUCCESS);
    ck_assert_int_eq(clFinish(world.out_of_order), CL_SUCCESS);
    ck_assert_uint_eq(wrong, 0);
    ck_assert_uint_eq(memory, 0);
    ck_assert_uint_eq(fixture_result(&world), fixture_expected(&world, s.n));
    clReleaseEvent(user);
    clp_context_destroy(context);
    check_references(&s, "any call", before);
}
END_TEST

struct builder {
    clp_context *context;
    clp_status status;
};

static void *build(void *argument) {
    struct builder *b = argument;
    const clp_reduce_desc desc = fixture_sum(CLP_SCHEDULE_DEFAULT);
    b->status = clp_reduce_prewarm(b->context, &desc);
    return NULL;
}

/* Threads that wait for another's build must not hang, nor take a failed one for good, when it fails. */
START_TEST(threads_survive_a_failed_build) {
    enum { THREADS = 4 };
    const struct scenario s = {"threads", PREWARM, SIMD};
    const struct references before = references_now();
    for (unsigned n = 1, failed = 1; failed != 0; n++) {
        struct builder builders[THREADS];
        pthread_t threads[THREADS];
        ck_assert_uint_lt(n, SCENARIO_MANY_CALLS);
        clp_context *context = prepare(&s);
        arm((struct plan){n, CL_OUT_OF_HOST_MEMORY, false});
        for (int i = 0; i < THREADS; i++) {
            builders[i] = (struct builder){context, CLP_SUCCESS};
            ck_assert_int_eq(pthread_create(&threads[i], NULL, build, &builders[i]), 0);
        }
        for (int i = 0; i < THREADS; i++) {
            pthread_join(threads[i], NULL);
        }
        failed = disarm();
        for (int i = 0; i < THREADS; i++) {
            ck_assert(builders[i].status == CLP_SUCCESS ||
                      (failed != 0 && builders[i].status == CL_OUT_OF_HOST_MEMORY));
        }
        ck_assert_int_eq(perform(&s, &context, no_fault).status, CLP_SUCCESS);
        clp_context_destroy(context);
        check_references(&s, "a call of some thread", before);
    }
}
END_TEST

static void set_up(void) {
    fixture_make(&world, THREE_LEVELS, 1 << 20);
}

static void tear_down(void) {
    fixture_free(&world);
    if (count.total_references() != 0) {
        count.report(stderr);
    }
    ck_assert_uint_eq(count.total_references(), 0);
}

int main(void) {
    if (!clp_layers_load(&fault, &count)) {
        return EXIT_FAILURE;
    }
    Suite *suite = suite_create("faults");
    TCase *all = tcase_create("faults");
    tcase_add_unchecked_fixture(all, set_up, tear_down);
    tcase_add_loop_test(all, each_call_fails, 0, sizeof(scenarios) / sizeof(scenarios[0]));
    tcase_add_test(all, a_failed_build_is_not_remembered);
    tcase_add_test(all, scratch_of_a_half_enqueued_call_is_not_reused);
    tcase_add_test(all, each_call_fails_with_a_full_pool);
    tcase_add_test(all, threads_survive_a_failed_build);
    suite_add_tcase(suite, all);
    SRunner *runner = srunner_create(suite);
    srunner_set_fork_status(runner, CK_NOFORK); /* a context made before a fork hangs PoCL */
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

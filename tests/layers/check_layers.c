/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file check_layers.c The layers find what is planted: on plain OpenCL, without the library.
 * A layer that never complains would make every other test of faults and leaks worthless.
 */
#include "layers.h"
#include <check.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct clp_fault fault;
static struct clp_count count;
static cl_platform_id platform;
static cl_device_id device;

static const char *const source = "kernel void twice(global int *a) { a[get_global_id(0)] *= 2; }";

/* All that the small program below owns. */
struct objects {
    cl_context context;
    cl_command_queue queue;
    cl_mem mem, sub;
    cl_program program;
    cl_kernel kernel;
    cl_event user, done;
};

#define STEP(call)                                                                                           \
    if ((status = (call)) != CL_SUCCESS) {                                                                   \
        return status;                                                                                       \
    }
#define MAKE(object, call)                                                                                   \
    object = (call);                                                                                         \
    if (status != CL_SUCCESS) {                                                                              \
        return object == NULL ? status : CL_INVALID_VALUE;                                                   \
    }

/* Stops at its first failure and returns that status. */
static cl_int use_opencl(struct objects *o) {
    cl_int status = CL_SUCCESS;
    cl_device_type type;
    int host[4] = {1, 2, 3, 4};
    const size_t size = sizeof(host), n = 4;
    const cl_buffer_region region = {0, sizeof(host)};
    size_t limit;
    STEP(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL))
    STEP(clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof(type), &type, NULL))
    MAKE(o->context, clCreateContext(NULL, 1, &device, NULL, NULL, &status))
    MAKE(o->queue, clCreateCommandQueue(o->context, device, 0, &status))
    MAKE(o->mem, clCreateBuffer(o->context, CL_MEM_READ_WRITE, size, NULL, &status))
    MAKE(o->sub, clCreateSubBuffer(o->mem, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &status))
    MAKE(o->program, clCreateProgramWithSource(o->context, 1, (const char **)&source, NULL, &status))
    STEP(clBuildProgram(o->program, 1, &device, "", NULL, NULL))
    MAKE(o->kernel, clCreateKernel(o->program, "twice", &status))
    STEP(clGetKernelWorkGroupInfo(o->kernel, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof(limit), &limit, NULL))
    STEP(clSetKernelArg(o->kernel, 0, sizeof(o->sub), &o->sub))
    STEP(clEnqueueWriteBuffer(o->queue, o->mem, CL_TRUE, 0, size, host, 0, NULL, NULL))
    MAKE(o->user, clCreateUserEvent(o->context, &status))
    STEP(clSetUserEventStatus(o->user, CL_COMPLETE))
    STEP(clEnqueueNDRangeKernel(o->queue, o->kernel, 1, NULL, &n, NULL, 1, &o->user, &o->done))
    STEP(clRetainEvent(o->done))
    clReleaseEvent(o->done);
    STEP(clFlush(o->queue))
    STEP(clWaitForEvents(1, &o->done))
    STEP(clEnqueueReadBuffer(o->queue, o->mem, CL_TRUE, 0, size, host, 0, NULL, NULL))
    STEP(clFinish(o->queue))
    return host[3] == 8 ? CL_SUCCESS : CL_INVALID_VALUE;
}

#define DROP(suffix, object)                                                                                 \
    if ((object) != NULL) {                                                                                  \
        clRelease##suffix(object);                                                                           \
    }

static void release(struct objects *o) {
    /* A user event that stays unset would leave commands waiting for ever. */
    if (o->user != NULL) {
        clSetUserEventStatus(o->user, CL_COMPLETE);
    }
    DROP(Event, o->done)
    DROP(Event, o->user)
    DROP(Kernel, o->kernel)
    DROP(Program, o->program)
    DROP(MemObject, o->sub)
    DROP(MemObject, o->mem)
    DROP(CommandQueue, o->queue)
    DROP(Context, o->context)
    memset(o, 0, sizeof(*o));
}

static void assert_nothing_live(void) {
    if (count.total_references() != 0) {
        count.report(stderr);
    }
    ck_assert_uint_eq(count.total_references(), 0);
    ck_assert_uint_eq(count.total_live(), 0);
}

START_TEST(each_call_is_failed_once) {
    const cl_int codes[] = {CL_OUT_OF_HOST_MEMORY, CL_OUT_OF_RESOURCES};
    struct objects o = {0};
    fault.arm(0, CL_SUCCESS);
    ck_assert_int_eq(use_opencl(&o), CL_SUCCESS);
    unsigned calls = fault.count();
    release(&o);
    ck_assert_uint_eq(calls, 20); /* as many as use_opencl() makes, releases not counted */
    ck_assert_uint_eq(fault.failed(), 0);
    for (int code = 0; code < 2; code++) {
        for (unsigned k = 1; k <= calls; k++) {
            fault.arm(k, codes[code]);
            ck_assert_int_eq(use_opencl(&o), codes[code]);
            ck_assert_uint_eq(fault.count(), k);
            ck_assert_uint_eq(fault.failed(), 1);
            ck_assert_str_ne(fault.last_name(), "");
            fault.arm(0, CL_SUCCESS);
            release(&o);
            assert_nothing_live();
        }
    }
}
END_TEST

START_TEST(a_failed_call_is_not_handed_on) {
    struct objects o = {0};
    ck_assert_int_eq(use_opencl(&o), CL_SUCCESS);
    int seven = 7, got = 0;
    cl_event event = (cl_event)&seven;
    fault.arm(1, CL_OUT_OF_RESOURCES);
    ck_assert_int_eq(
        clEnqueueFillBuffer(o.queue, o.mem, &seven, sizeof(seven), 0, sizeof(seven), 0, NULL, &event),
        CL_OUT_OF_RESOURCES);
    ck_assert_str_eq(fault.last_name(), "clEnqueueFillBuffer");
    ck_assert_ptr_eq(event, (cl_event)&seven);
    ck_assert_int_eq(clEnqueueReadBuffer(o.queue, o.mem, CL_TRUE, 0, sizeof(got), &got, 0, NULL, NULL),
                     CL_SUCCESS);
    ck_assert_int_eq(got, 2);
    /* A query leaves its output alone, a create without errcode_ret is NULL, a map too. */
    cl_device_type type = 99;
    fault.arm(1, CL_OUT_OF_HOST_MEMORY);
    ck_assert_int_eq(clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof(type), &type, NULL),
                     CL_OUT_OF_HOST_MEMORY);
    ck_assert_uint_eq(type, 99);
    fault.arm(1, CL_OUT_OF_HOST_MEMORY);
    ck_assert_ptr_null(clCreateBuffer(o.context, CL_MEM_READ_WRITE, 4, NULL, NULL));
    fault.arm(1, CL_OUT_OF_HOST_MEMORY);
    cl_int status = CL_SUCCESS;
    ck_assert_ptr_null(
        clEnqueueMapBuffer(o.queue, o.mem, CL_TRUE, CL_MAP_READ, 0, 4, 0, NULL, &event, &status));
    ck_assert_int_eq(status, CL_OUT_OF_HOST_MEMORY);
    ck_assert_ptr_eq(event, (cl_event)&seven);
    release(&o);
    assert_nothing_live();
}
END_TEST

START_TEST(all_later_calls_can_be_failed) {
    cl_uint n;
    fault.arm_from(2, CL_OUT_OF_HOST_MEMORY);
    ck_assert_int_eq(clGetPlatformIDs(0, NULL, &n), CL_SUCCESS);
    ck_assert_int_eq(clGetPlatformInfo(platform, CL_PLATFORM_NAME, 0, NULL, NULL), CL_OUT_OF_HOST_MEMORY);
    ck_assert_int_eq(clGetPlatformIDs(0, NULL, &n), CL_OUT_OF_HOST_MEMORY);
    ck_assert_uint_eq(fault.failed(), 2);
    ck_assert_str_eq(fault.last_name(), "clGetPlatformInfo");
    fault.arm_from(0, CL_OUT_OF_HOST_MEMORY);
    ck_assert_int_eq(clGetPlatformIDs(0, NULL, &n), CL_SUCCESS);
}
END_TEST

START_TEST(live_objects_are_told_by_kind) {
    struct objects o = {0};
    ck_assert_int_eq(use_opencl(&o), CL_SUCCESS);
    const size_t expected[CLP_KIND_COUNT] = {
        [CLP_KIND_CONTEXT] = 1, [CLP_KIND_QUEUE] = 1,  [CLP_KIND_MEM] = 2,
        [CLP_KIND_PROGRAM] = 1, [CLP_KIND_KERNEL] = 1, [CLP_KIND_EVENT] = 2,
    };
    for (int kind = 0; kind < CLP_KIND_COUNT; kind++) {
        ck_assert_uint_eq(count.live((enum clp_kind)kind), expected[kind]);
        ck_assert_uint_eq(count.references((enum clp_kind)kind), expected[kind]);
    }
    ck_assert_uint_eq(count.total_live(), 8);
    release(&o);
    assert_nothing_live();
}
END_TEST

START_TEST(a_leak_is_reported_with_its_maker) {
    struct objects o = {0};
    cl_event leaked_event;
    ck_assert_int_eq(use_opencl(&o), CL_SUCCESS);
    cl_mem leaked = clCreateBuffer(o.context, CL_MEM_READ_WRITE, 64, NULL, NULL);
    ck_assert_int_eq(clEnqueueMarkerWithWaitList(o.queue, 0, NULL, &leaked_event), CL_SUCCESS);
    cl_context context = o.context;
    clRetainContext(context);
    clRetainDevice(device);
    release(&o);
    ck_assert_uint_eq(count.total_live(), 4);
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    count.report(memory);
    fclose(memory);
    ck_assert_ptr_nonnull(strstr(text, "made by clCreateBuffer\n"));
    ck_assert_ptr_nonnull(strstr(text, "made by clEnqueueMarkerWithWaitList\n"));
    ck_assert_ptr_nonnull(strstr(text, "made by clCreateContext\n"));
    ck_assert_ptr_nonnull(strstr(text, "made by clRetainDevice\n"));
    free(text);
    clReleaseMemObject(leaked);
    clReleaseEvent(leaked_event);
    clReleaseContext(context);
    clReleaseDevice(device);
    assert_nothing_live();
}
END_TEST

/* A forgotten release of an object that is alive anyway shows in references, not in live objects. */
START_TEST(a_hidden_reference_is_seen) {
    struct objects o = {0};
    ck_assert_int_eq(use_opencl(&o), CL_SUCCESS);
    clRetainMemObject(o.mem);
    ck_assert_uint_eq(count.live(CLP_KIND_MEM), 2);
    ck_assert_uint_eq(count.references(CLP_KIND_MEM), 3);
    clReleaseMemObject(o.mem);
    release(&o);
    assert_nothing_live();
}
END_TEST

START_TEST(one_release_too_many_is_seen) {
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    ck_assert_ptr_nonnull(context);
    size_t before = count.misuses();
    ck_assert_int_eq(clReleaseContext(context), CL_SUCCESS);
    ck_assert_uint_eq(count.misuses(), before);
    ck_assert_int_ne(clReleaseContext(context), CL_SUCCESS);
    ck_assert_int_ne(clRetainContext(context), CL_SUCCESS);
    ck_assert_uint_eq(count.misuses(), before + 2);
    assert_nothing_live();
}
END_TEST

/* The layers stop the child before OpenCL sees anything, so that the fork does no harm. */
START_TEST(a_call_that_no_table_lists_aborts) {
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        fclose(stderr);
        clSVMFree(NULL, NULL);
        _exit(0);
    }
    int state = 0;
    ck_assert_int_eq(waitpid(child, &state, 0), child);
    ck_assert(WIFSIGNALED(state) && WTERMSIG(state) == SIGABRT);
}
END_TEST

static void *retain_and_release(void *context) {
    for (int i = 0; i < 1000; i++) {
        clRetainContext(context);
        cl_event event = clCreateUserEvent(context, NULL);
        clReleaseEvent(event);
        clReleaseContext(context);
    }
    return NULL;
}

START_TEST(threads_are_counted_right) {
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    pthread_t threads[4];
    size_t before = count.misuses();
    fault.arm(0, CL_SUCCESS);
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(pthread_create(&threads[i], NULL, retain_and_release, context), 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
    }
    ck_assert_uint_eq(fault.count(), 8000);
    ck_assert_uint_eq(count.references(CLP_KIND_CONTEXT), 1);
    ck_assert_uint_eq(count.misuses(), before);
    clReleaseContext(context);
    assert_nothing_live();
}
END_TEST

int main(void) {
    if (!clp_layers_load(&fault, &count) || clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS) {
        return EXIT_FAILURE;
    }
    Suite *suite = suite_create("layers");
    TCase *all = tcase_create("layers");
    tcase_add_test(all, each_call_is_failed_once);
    tcase_add_test(all, a_failed_call_is_not_handed_on);
    tcase_add_test(all, all_later_calls_can_be_failed);
    tcase_add_test(all, live_objects_are_told_by_kind);
    tcase_add_test(all, a_leak_is_reported_with_its_maker);
    tcase_add_test(all, a_hidden_reference_is_seen);
    tcase_add_test(all, one_release_too_many_is_seen);
    tcase_add_test(all, a_call_that_no_table_lists_aborts);
    tcase_add_test(all, threads_are_counted_right);
    suite_add_tcase(suite, all);
    SRunner *runner = srunner_create(suite);
    srunner_set_fork_status(runner, CK_NOFORK); /* a context made before a fork hangs PoCL */
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

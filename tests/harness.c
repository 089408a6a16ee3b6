/* SPDX-License-Identifier: Apache-2.0 */
#include "harness.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { GUARD = 0xa5 };

static size_t number(const char *name, size_t otherwise) {
    const char *text = getenv(name);
    return text && *text ? strtoull(text, NULL, 10) : otherwise;
}

size_t test_max_n(void) {
    return number("CLP_TEST_MAX_N", (size_t)1 << 25);
}

size_t test_thin(void) {
    return number("CLP_TEST_THIN", 1);
}

bool test_full(void) {
    return number("CLP_TEST_FULL", 0) != 0;
}

bool test_shape(clp_shape shape) {
    const char *only = getenv("CLP_TEST_SHAPE");
    if (only && *only && strcmp(only, "simt") != 0 && strcmp(only, "simd") != 0)
        ck_abort_msg("CLP_TEST_SHAPE=%s is no shape", only);
    return !only || !*only || strcmp(only, shape == CLP_SHAPE_SIMD ? "simd" : "simt") == 0;
}

static void print_log(void *cookie, clp_log_level level, const char *message) {
    (void)cookie;
    if (level == CLP_LOG_ERROR)
        fprintf(stderr, "clpatterns: %s\n", message);
}

clp_context *test_context(clp_shape shape, clp_subgroups subgroups, size_t work_group_size) {
    clp_context *context = NULL;
    const clp_options options = {.shape = shape,
                                 .subgroups = subgroups,
                                 .work_group_size = work_group_size,
                                 .source_dir = getenv("CLP_TEST_KERNELS"),
                                 .log = print_log};
    ok(clp_context_pick(&options, &context));
    return context;
}

cl_mem test_input(clp_context *context, const void *data, size_t size) {
    if (size == 0)
        return NULL;
    cl_int code;
    void *copy = malloc(size); /* OpenCL's host pointer is not const */
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, data, size);
    cl_mem mem =
        clCreateBuffer(clp_context_cl(context), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, size, copy, &code);
    free(copy);
    ok_cl(code);
    return mem;
}

cl_mem test_output(clp_context *context, size_t size) {
    cl_int code;
    cl_mem mem = clCreateBuffer(clp_context_cl(context), CL_MEM_WRITE_ONLY, size, NULL, &code);
    ok_cl(code);
    test_guard(clp_context_queue(context), mem, size);
    return mem;
}

void test_read(cl_command_queue queue, cl_mem mem, size_t offset, size_t size, void *to) {
    ok_cl(clEnqueueReadBuffer(queue, mem, CL_TRUE, offset, size, to, 0, NULL, NULL));
}

void test_guard(cl_command_queue queue, cl_mem mem, size_t size) {
    unsigned char *bytes = malloc(size); /* not clEnqueueFillBuffer: Oclgrind does not count it as a write */
    ck_assert_ptr_nonnull(bytes);
    memset(bytes, GUARD, size);
    ok_cl(clEnqueueWriteBuffer(queue, mem, CL_TRUE, 0, size, bytes, 0, NULL, NULL));
    free(bytes);
}

bool test_guarded(cl_command_queue queue, cl_mem mem, size_t size, size_t begin, size_t end) {
    unsigned char *bytes = malloc(size);
    ck_assert_ptr_nonnull(bytes);
    test_read(queue, mem, 0, size, bytes);
    bool guarded = true;
    for (size_t i = 0; i < size; i++)
        guarded = guarded && (bytes[i] == GUARD || (i >= begin && i < end));
    free(bytes);
    return guarded;
}

int test_main(Suite *suite) {
    SRunner *runner = srunner_create(suite);
    srunner_set_fork_status(runner, CK_NOFORK);
    /* PoCL unloads its compiler with the last context; loading it again costs a third of a second a test. */
    clp_context *keeper;
    if (clp_context_pick(NULL, &keeper) != CLP_SUCCESS)
        keeper = NULL; /* the tests will say so */
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner), run = srunner_ntests_run(runner);
    srunner_free(runner);
    clp_context_destroy(keeper);
    return failed == 0 && run > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

void test_lossy_kernels(const char *kernels_folder, const char *folder) {
    mkdir(folder, 0777); /* it may be there already */
    DIR *kernels = opendir(kernels_folder);
    ck_assert_ptr_nonnull(kernels);
    for (const struct dirent *entry = readdir(kernels); entry; entry = readdir(kernels)) {
        if (entry->d_name[0] == '.')
            continue;
        char path[512], part[4096];
        size_t size;
        snprintf(path, sizeof path, "%s/%s", kernels_folder, entry->d_name);
        FILE *from = fopen(path, "r");
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        FILE *to = fopen(path, "w");
        ck_assert(from && to);
        if (strcmp(entry->d_name, "scan_board.cl") == 0)
            fputs("#define CLP_DROPS 3\n", to);
        while ((size = fread(part, 1, sizeof part, from)) > 0)
            fwrite(part, 1, size, to);
        fclose(from);
        fclose(to);
    }
    closedir(kernels);
}

cl_command_queue test_unordered_queue(clp_context *context) {
    cl_int code;
    cl_command_queue queue = clCreateCommandQueue(clp_context_cl(context), clp_context_device(context),
                                                  CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
    if (code == CL_INVALID_QUEUE_PROPERTIES)
        queue = clCreateCommandQueue(clp_context_cl(context), clp_context_device(context), 0, &code);
    ok_cl(code);
    return queue;
}

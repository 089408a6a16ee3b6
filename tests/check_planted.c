/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Do Oclgrind's checkers see faults? Runs a reduction, a selection and a histogram of the simt shape from
 * kernel sources in which the build has planted one (tests/CMakeLists.txt); ctest passes when the checker
 * reports it.
 */
#include "harness.h"
#include "reference.h"

enum { N = 4096 };

static clp_context *planted_context(void) {
    clp_context *context = NULL;
    const clp_options options = {
        .shape = CLP_SHAPE_SIMT, .work_group_size = 64, .source_dir = CLP_PLANTED_FOLDER};
    ok(clp_context_pick(&options, &context));
    return context;
}

static cl_mem elements(clp_context *context) {
    static float data[N];
    ref_fill(REF_UNIFORM, CLP_F32, 0, N, data);
    return test_input(context, data, sizeof data);
}

START_TEST(reduce_with_a_planted_fault) {
    clp_context *context = planted_context();
    const clp_reduce_desc desc = {.type = CLP_F32, .op = CLP_SUM};
    cl_mem in = elements(context), out = test_output(context, 4);
    ok(clp_reduce(context, clp_context_queue(context), &desc, (clp_buffer){in, 0}, (clp_buffer){out, 0}, N,
                  NULL, 0, NULL, NULL));
    ok_cl(clFinish(clp_context_queue(context)));
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    clp_context_destroy(context);
}
END_TEST

START_TEST(select_with_a_planted_fault) {
    clp_context *context = planted_context();
    const clp_select_desc desc = {.type = CLP_F32, .where = "x > 0"};
    cl_mem in = elements(context), out = test_output(context, 4 * N), count = test_output(context, 8);
    ok(clp_select(context, clp_context_queue(context), &desc, (clp_buffer){in, 0}, (clp_buffer){NULL, 0},
                  (clp_buffer){out, 0}, N, (clp_buffer){count, 0}, N, NULL, 0, NULL, NULL));
    ok_cl(clFinish(clp_context_queue(context)));
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    clReleaseMemObject(count);
    clp_context_destroy(context);
}
END_TEST

START_TEST(histogram_with_a_planted_fault) {
    clp_context *context = planted_context();
    const clp_histogram_desc desc = {.type = CLP_F32, .bins = {{.count = 100, .low.f = -9, .high.f = 9}}};
    cl_int code;
    cl_mem in = elements(context),
           counts = clCreateBuffer(clp_context_cl(context), CL_MEM_READ_WRITE, 800, NULL, &code);
    const clp_buffer none = {NULL, 0};
    ok_cl(code);
    ok(clp_histogram(context, clp_context_queue(context), &desc, (clp_buffer){in, 0}, none,
                     (clp_buffer){counts, 0}, none, N, NULL, 0, NULL, NULL));
    ok_cl(clFinish(clp_context_queue(context)));
    clReleaseMemObject(in);
    clReleaseMemObject(counts);
    clp_context_destroy(context);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("planted");
    TCase *planted = tcase_create("planted");
    tcase_add_test(planted, reduce_with_a_planted_fault);
    tcase_add_test(planted, select_with_a_planted_fault);
    tcase_add_test(planted, histogram_with_a_planted_fault);
    suite_add_tcase(suite, planted);
    return test_main(suite);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The faults that the text we port warns of (its section 4.7), one test each, named after the fault. A
 * pattern adds those that concern it. Here: reduction.
 */
#include "harness.h"
#include "reference.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 200 * 4096 };

/* Sums n floats of the uniform set on a context and returns the bits. */
static uint32_t sum_bits(clp_context *context, cl_mem in, size_t n, clp_op op) {
    const clp_reduce_desc desc = {.type = CLP_F32, .op = op};
    uint32_t bits;
    cl_mem out = test_output(context, sizeof bits);
    ok(clp_reduce(context, clp_context_queue(context), &desc, (clp_buffer){in, 0}, (clp_buffer){out, 0}, n,
                  NULL, 0, NULL, NULL));
    test_read(clp_context_queue(context), out, 0, sizeof bits, &bits);
    clReleaseMemObject(out);
    return bits;
}

static size_t most(void) {
    return test_max_n() < MOST ? test_max_n() : MOST;
}

static float *uniform(size_t n) {
    float *data = malloc(n * sizeof *data);
    ck_assert_ptr_nonnull(data);
    ref_fill(REF_UNIFORM, CLP_F32, 0, n, data);
    return data;
}

static uint32_t reference_bits(const float *data, size_t n, clp_op op) {
    uint32_t bits;
    ref_reduce(&(clp_reduce_desc){.type = CLP_F32, .op = op}, data, n, &bits);
    return bits;
}

/* "The shuffle mask is all ones": the last sub-group may be partial, in lanes and in work-items. */
START_TEST(partial_last_sub_group) {
    if (!test_shape(CLP_SHAPE_SIMT))
        return;
    float *data = uniform(3 * 4096);
    static const size_t groups[] = {40, 72, 96};
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++) {
        clp_context *context = test_context(CLP_SHAPE_SIMT, CLP_SUBGROUPS_DEFAULT, groups[g]);
        cl_mem in = test_input(context, data, 3 * 4096 * sizeof *data);
        for (size_t n = 1; n < 200; n += 13)
            ck_assert_uint_eq(sum_bits(context, in, n, CLP_SUM), reference_bits(data, n, CLP_SUM));
        clReleaseMemObject(in);
        clp_context_destroy(context);
    }
    free(data);
}
END_TEST

/* "blockDim.x is a multiple of 32." */
START_TEST(odd_work_group_sizes) {
    if (!test_shape(CLP_SHAPE_SIMT))
        return;
    float *data = uniform(5 * 4096);
    static const size_t groups[] = {1, 3, 7, 33, 100};
    const size_t n = 5 * 4096 - 3 <= test_max_n() ? 5 * 4096 - 3 : test_max_n();
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++) {
        clp_context *context = test_context(CLP_SHAPE_SIMT, CLP_SUBGROUPS_DEFAULT, groups[g]);
        cl_mem in = test_input(context, data, 5 * 4096 * sizeof *data);
        ck_assert_uint_eq(sum_bits(context, in, n, CLP_SUM), reference_bits(data, n, CLP_SUM));
        clReleaseMemObject(in);
        clp_context_destroy(context);
    }
    free(data);
}
END_TEST

/* "The last block is forgotten": one element more or less than full tiles, and elements behind n do not
 * count. */
START_TEST(last_tile) {
    if (!test_shape((clp_shape)_i))
        return;
    float *data = uniform(3 * 4096);
    data[2 * 4096 + 1] = 1e30f; /* just behind the largest n below */
    clp_context *context = test_context((clp_shape)_i, CLP_SUBGROUPS_DEFAULT, 0);
    cl_mem in = test_input(context, data, 3 * 4096 * sizeof *data);
    for (size_t n = 4095; n <= 2 * 4096 + 1; n += n % 4096 == 1 ? 4094 : 1)
        ck_assert_uint_eq(sum_bits(context, in, n, CLP_SUM), reference_bits(data, n, CLP_SUM));
    ck_assert_uint_ne(sum_bits(context, in, 2 * 4096 + 2, CLP_SUM),
                      sum_bits(context, in, 2 * 4096 + 1, CLP_SUM));
    clReleaseMemObject(in);
    clp_context_destroy(context);
    free(data);
}
END_TEST

/* "Work-items without data take part as 0": the maximum of negative numbers, the minimum of positive ones. */
START_TEST(neutral_element) {
    if (!test_shape((clp_shape)_i))
        return;
    enum { N = 4096 + 77 };
    static float data[2][N];
    for (int i = 0; i < N; i++)
        data[0][i] = -1.0f - (float)i, data[1][i] = 1.0f + (float)i;
    clp_context *context = test_context((clp_shape)_i, CLP_SUBGROUPS_DEFAULT, 0);
    for (int k = 0; k < 2; k++) {
        cl_mem in = test_input(context, data[k], sizeof data[k]);
        const uint32_t bits = sum_bits(context, in, N, k ? CLP_MIN : CLP_MAX);
        float value;
        memcpy(&value, &bits, sizeof value);
        ck_assert_float_eq(value, k ? 1.0f : -1.0f);
        clReleaseMemObject(in);
    }
    clp_context_destroy(context);
}
END_TEST

/* "Floats are added by atomics, or the tree follows the launch": the same bits in every run and for every
 * size. */
START_TEST(same_bits_in_every_run) {
    const size_t n = most() - 5;
    float *data = uniform(n);
    const uint32_t want = reference_bits(data, n, CLP_SUM);
    static const size_t groups[] = {32, 64, 128};
    for (int shape = CLP_SHAPE_SIMT; shape <= CLP_SHAPE_SIMD; shape++)
        for (size_t g = 0; test_shape((clp_shape)shape) && g < sizeof groups / sizeof *groups; g++) {
            clp_context *context = test_context((clp_shape)shape, CLP_SUBGROUPS_DEFAULT, groups[g]);
            cl_mem in = test_input(context, data, n * sizeof *data);
            for (int run = 0; run < (n < 100000 ? 2 : 50); run++)
                ck_assert_uint_eq(sum_bits(context, in, n, CLP_SUM), want);
            clReleaseMemObject(in);
            clp_context_destroy(context);
        }
    free(data);
}
END_TEST

/* "Shared memory is sized one element a thread": the largest work-group must fit, with 8-byte accumulators.
 */
START_TEST(local_memory_by_need) {
    if (!test_shape(CLP_SHAPE_SIMT))
        return;
    const size_t n = 9 * 4096 + 1 <= test_max_n() ? 9 * 4096 + 1 : test_max_n();
    clp_context *context = test_context(CLP_SHAPE_SIMT, CLP_SUBGROUPS_LOCAL, SIZE_MAX);
    int32_t *data = malloc(n * sizeof *data);
    ck_assert_ptr_nonnull(data);
    ref_fill(REF_UNIFORM, CLP_I32, 0, n, data);
    const clp_reduce_desc desc = {.type = CLP_I32, .op = CLP_SUM};
    int64_t got, want;
    cl_mem in = test_input(context, data, n * sizeof *data), out = test_output(context, sizeof got);
    ok(clp_reduce(context, clp_context_queue(context), &desc, (clp_buffer){in, 0}, (clp_buffer){out, 0}, n,
                  NULL, 0, NULL, NULL));
    test_read(clp_context_queue(context), out, 0, sizeof got, &got);
    ref_reduce(&desc, data, n, &want);
    ck_assert_int_eq(got, want);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    clp_context_destroy(context);
    free(data);
}
END_TEST

/*
 * blockSum itself, which is the fast mode: work-groups that no sub-group size divides, a partial last one,
 * and work-items without data in a maximum of negative numbers. Whole numbers, so that its order does not
 * show.
 */
START_TEST(block_sum) {
    if (!test_shape((clp_shape)_i))
        return;
    enum { N = 70000 };
    static float data[N];
    const size_t most_n = test_max_n() < N ? test_max_n() : N;
    for (int i = 0; i < N; i++)
        data[i] = -1.0f - (float)(i % 7);
    static const size_t groups[] = {7, 72, 256};
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++) {
        clp_context *context = test_context((clp_shape)_i, CLP_SUBGROUPS_DEFAULT, groups[g]);
        cl_int code;
        cl_mem in = test_input(context, data, sizeof data);
        cl_mem out = clCreateBuffer(clp_context_cl(context), CL_MEM_READ_WRITE, sizeof(float), NULL, &code);
        ok_cl(code);
        for (size_t n = 1; n <= most_n; n = n * 5 + 2)
            for (int op = CLP_SUM; op <= CLP_MAX; op += CLP_MAX - CLP_SUM) {
                const clp_reduce_desc desc = {.type = CLP_F32, .op = (clp_op)op, .mode = CLP_REDUCE_FAST};
                float got, want = op == CLP_SUM ? 0.0f : -1.0f;
                for (size_t i = 0; op == CLP_SUM && i < n; i++)
                    want += data[i];
                ok(clp_reduce(context, clp_context_queue(context), &desc, (clp_buffer){in, 0},
                              (clp_buffer){out, 0}, n, NULL, 0, NULL, NULL));
                test_read(clp_context_queue(context), out, 0, sizeof got, &got);
                ck_assert_float_eq(got, want);
            }
        clReleaseMemObject(in);
        clReleaseMemObject(out);
        clp_context_destroy(context);
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("chapter");
    TCase *reduce = tcase_create("reduction");
    tcase_add_test(reduce, partial_last_sub_group);
    tcase_add_test(reduce, odd_work_group_sizes);
    tcase_add_loop_test(reduce, last_tile, CLP_SHAPE_SIMT, CLP_SHAPE_SIMD + 1);
    tcase_add_loop_test(reduce, neutral_element, CLP_SHAPE_SIMT, CLP_SHAPE_SIMD + 1);
    tcase_add_test(reduce, same_bits_in_every_run);
    tcase_add_test(reduce, local_memory_by_need);
    tcase_add_loop_test(reduce, block_sum, CLP_SHAPE_SIMT, CLP_SHAPE_SIMD + 1);
    suite_add_tcase(suite, reduce);
    return test_main(suite);
}

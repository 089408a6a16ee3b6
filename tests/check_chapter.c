/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The faults that the text we port warns of (its section 4.7), one test each, named after the fault. A
 * pattern adds those that concern it. Here: reduction, scan and what is built on it, histogram.
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

/* ---- scan: the text's kernel has one block of n threads, adds 0 where nothing is before, and works in place
 * --- */

/* Scans n elements on a context, in place if the types allow it, and guards what is behind them. */
static void scan_on(clp_context *context, const clp_scan_desc *desc, const void *data, size_t n, void *got) {
    enum { GUARDS = 64 };
    cl_command_queue queue = clp_context_queue(context);
    const size_t in_bytes = n * clp_type_size(desc->type);
    const size_t out_bytes = n * clp_type_size(clp_scan_result_type(desc));
    const bool in_place = in_bytes == out_bytes;
    cl_int code;
    cl_mem out = clCreateBuffer(clp_context_cl(context), CL_MEM_READ_WRITE, out_bytes + GUARDS, NULL, &code);
    ok_cl(code);
    cl_mem in = in_place ? out : test_input(context, data, in_bytes);
    test_guard(queue, out, out_bytes + GUARDS);
    if (in_place)
        ok_cl(clEnqueueWriteBuffer(queue, out, CL_TRUE, 0, in_bytes, data, 0, NULL, NULL));
    ok(clp_scan(context, queue, desc, (clp_buffer){in, 0}, (clp_buffer){out, 0}, n, NULL, 0, NULL, NULL));
    test_read(queue, out, 0, out_bytes, got);
    ck_assert(test_guarded(queue, out, out_bytes + GUARDS, 0, out_bytes));
    if (!in_place)
        clReleaseMemObject(in);
    clReleaseMemObject(out);
}

/* "A single block, blockDim.x == n": more elements than a work-group has items, by no power of two. */
START_TEST(scan_beyond_one_block) {
    static const size_t sizes[] = {65, 1025, 4097, 100003};
    if (!test_shape((clp_shape)_i))
        return;
    clp_context *context = test_context((clp_shape)_i, CLP_SUBGROUPS_DEFAULT, 64);
    int32_t *ones = malloc(100003 * sizeof *ones), *got = malloc(100003 * sizeof *got);
    ck_assert(ones && got);
    for (size_t i = 0; i < 100003; i++)
        ones[i] = 1;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes && sizes[s] <= test_max_n(); s++) {
        scan_on(context, &(clp_scan_desc){.type = CLP_I32, .op = CLP_SUM}, ones, sizes[s], got);
        for (size_t i = 0; i < sizes[s]; i++)
            must(got[i] == (int32_t)i + 1, "n = %zu: output %zu is %d", sizes[s], i, got[i]);
    }
    clp_context_destroy(context);
    free(ones);
    free(got);
}
END_TEST

/*
 * "t < n must be asked apart", and local memory is sized by n: fewer elements than work-items, in work-groups
 * that are no power of two. By each schedule, the text's own too; behind the outputs nothing is written.
 */
START_TEST(scan_tail) {
    static const size_t groups[] = {48, 256};
    static const clp_schedule schedules[] = {CLP_SCHEDULE_LEVELS, CLP_SCHEDULE_SINGLE,
                                             CLP_SCHEDULE_HILLIS_STEELE};
    if (!test_shape((clp_shape)_i))
        return;
    float *data = uniform(600), got[600], want[600];
    for (size_t g = 0; g < (test_thin() > 1 || _i == CLP_SHAPE_SIMD ? 1 : 2); g++) {
        clp_context *context = test_context((clp_shape)_i, CLP_SUBGROUPS_DEFAULT, groups[g]);
        for (size_t n = 1; n < 600; n += n < 18 ? 1 : 97)
            for (size_t s = 0; s < 3; s++) {
                const clp_scan_desc desc = {.type = CLP_F32, .op = CLP_SUM, .schedule = schedules[s]};
                scan_on(context, &desc, data, n, got);
                ref_scan(&desc, data, n, want);
                ck_assert_mem_eq(got, want, n * sizeof *got);
            }
        clp_context_destroy(context);
    }
    free(data);
}
END_TEST

/* "add = t >= off ? … : 0.0f": 0 takes part. It wins a running maximum of negative numbers, and makes +0 of
 * −0. */
START_TEST(scan_neutral_element) {
    enum { N = 700 };
    float negative[N], zeros[N], got[N];
    if (!test_shape((clp_shape)_i))
        return;
    for (int i = 0; i < N; i++)
        negative[i] = -1.0f - (float)(N - i), zeros[i] = -0.0f;
    clp_context *context = test_context((clp_shape)_i, CLP_SUBGROUPS_DEFAULT, 0);
    for (int s = CLP_SCHEDULE_DEFAULT; s <= CLP_SCHEDULE_HILLIS_STEELE; s += CLP_SCHEDULE_HILLIS_STEELE) {
        clp_scan_desc desc = {.type = CLP_F32, .op = CLP_MAX, .schedule = (clp_schedule)s};
        scan_on(context, &desc, negative, N, got);
        ck_assert_mem_eq(got, negative, sizeof got);
        desc.op = CLP_SUM;
        scan_on(context, &desc, zeros, N, got);
        ck_assert_mem_eq(got, zeros, sizeof got);
    }
    clp_context_destroy(context);
}
END_TEST

/* "Everyone must have read before anyone writes": without either barrier sums are lost, now and then. */
START_TEST(scan_in_place_in_every_run) {
    const size_t n = test_max_n() < 40000 ? 1000 : 40000, runs = n < 40000 ? 2 : 50;
    if (!test_shape((clp_shape)_i))
        return;
    float *data = uniform(n), *got = malloc(n * sizeof *got), *want = malloc(n * sizeof *want);
    ck_assert(got && want);
    clp_context *context = test_context((clp_shape)_i, CLP_SUBGROUPS_DEFAULT, 64);
    const clp_scan_desc desc = {.type = CLP_F32, .op = CLP_SUM};
    const clp_scan_desc text = {.type = CLP_F32, .op = CLP_SUM, .schedule = CLP_SCHEDULE_HILLIS_STEELE};
    ref_scan(&desc, data, n, want);
    for (size_t run = 0; run < runs; run++) {
        const size_t some = n < 4096 ? n : 4096 - run;
        scan_on(context, &desc, data, n, got);
        ck_assert_mem_eq(got, want, n * sizeof *got);
        /* The first outputs do not depend on how many follow. */
        scan_on(context, &text, data, some, got);
        ck_assert_mem_eq(got, want, some * sizeof *got);
    }
    clp_context_destroy(context);
    free(data);
    free(got);
    free(want);
}
END_TEST

/* A scan of floats as the base of stream compaction: beyond 2^24 places a float does not count any further.
 */
START_TEST(compaction_counts_beyond_floats) {
    const size_t n = ((size_t)1 << 24) + 5;
    if (n > test_max_n() || !test_shape((clp_shape)_i))
        return;
    clp_context *context = test_context((clp_shape)_i, CLP_SUBGROUPS_DEFAULT, 0);
    cl_command_queue queue = clp_context_queue(context);
    uint8_t *data = malloc(n), *got = malloc(n);
    ck_assert(data && got);
    for (size_t i = 0; i < n; i++)
        data[i] = (uint8_t)(i * 7 % 255 + 1); /* all are kept */
    uint64_t count = 0;
    cl_mem in = test_input(context, data, n), out = test_output(context, n),
           total = test_output(context, sizeof count);
    const clp_select_desc desc = {.type = CLP_U8, .where = "x != 0"};
    ok(clp_select(context, queue, &desc, (clp_buffer){in, 0}, (clp_buffer){NULL, 0}, (clp_buffer){out, 0}, n,
                  (clp_buffer){total, 0}, n, NULL, 0, NULL, NULL));
    test_read(queue, total, 0, sizeof count, &count);
    test_read(queue, out, 0, n, got);
    ck_assert_uint_eq(count, n);
    ck_assert(memcmp(got, data, n) == 0);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    clReleaseMemObject(total);
    clp_context_destroy(context);
    free(data);
    free(got);
}
END_TEST

/* "The histogram must be cleared by the host", "shared memory is sized one element a thread" and "nine of ten
 * samples are 0": the library clears, work-groups of any size count 256 bins, and one bin may have all
 * samples. */
START_TEST(histogram_of_one_value) {
    if (!test_shape((clp_shape)_i))
        return;
    const size_t n = most() - 3;
    unsigned char *data = calloc(n, 1);
    ck_assert_ptr_nonnull(data);
    static const size_t groups[] = {7, 32, 256};
    const size_t some = test_thin() > 1 ? 1 : sizeof groups / sizeof *groups; /* rusticl compiles long */
    for (size_t g = 0; g < some; g++) {
        clp_context *context = test_context((clp_shape)_i, CLP_SUBGROUPS_DEFAULT, groups[g]);
        cl_command_queue queue = clp_context_queue(context);
        const clp_histogram_desc desc = {.type = CLP_U8, .bins = {{.count = 256}}};
        cl_int code;
        const clp_buffer none = {NULL, 0};
        const clp_buffer counts = {
            clCreateBuffer(clp_context_cl(context), CL_MEM_READ_WRITE, 2048, NULL, &code), 0};
        ok_cl(code);
        test_guard(queue, counts.mem, 2048);
        for (int skew = 0; skew < 2; skew++) {
            uint64_t got[256], want[256] = {0};
            for (size_t i = 0; i < n; i++)
                want[data[i] = skew == 0 ? 130 : i % 10 == 7 ? (unsigned char)(i >> 3) : 0]++;
            const clp_buffer in = {test_input(context, data, n), 0};
            ok(clp_histogram(context, queue, &desc, in, none, counts, none, n, NULL, 0, NULL, NULL));
            test_read(queue, counts.mem, 0, sizeof got, got);
            must(memcmp(got, want, sizeof got) == 0, "work-groups of %zu: wrong counts by skew", groups[g]);
            clReleaseMemObject(in.mem);
        }
        clReleaseMemObject(counts.mem);
        clp_context_destroy(context);
    }
    free(data);
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
    TCase *scan = tcase_create("scan");
    tcase_add_loop_test(scan, scan_beyond_one_block, CLP_SHAPE_SIMT, CLP_SHAPE_SIMD + 1);
    tcase_add_loop_test(scan, scan_tail, CLP_SHAPE_SIMT, CLP_SHAPE_SIMD + 1);
    tcase_add_loop_test(scan, scan_neutral_element, CLP_SHAPE_SIMT, CLP_SHAPE_SIMD + 1);
    tcase_add_loop_test(scan, scan_in_place_in_every_run, CLP_SHAPE_SIMT, CLP_SHAPE_SIMD + 1);
    tcase_add_loop_test(scan, compaction_counts_beyond_floats, CLP_SHAPE_SIMT, CLP_SHAPE_SIMD + 1);
    suite_add_tcase(suite, scan);
    TCase *histogram = tcase_create("histogram");
    tcase_add_loop_test(histogram, histogram_of_one_value, CLP_SHAPE_SIMT, CLP_SHAPE_SIMD + 1);
    suite_add_tcase(suite, histogram);
    return test_main(suite);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Indices, means and compensated sums: their bits against the reference. */
#include "reduce_cases.h"

#include <stdlib.h>

enum { TILE = 4096 };

static const size_t sizes[] = {0,    1,    2,        17,           127,      128,           129,   1000,
                               4095, 4096, TILE + 1, TILE * 3 + 1, TILE * 8, TILE * 33 - 1, 150000};
enum { NUM_SIZES = sizeof sizes / sizeof *sizes };

static bool is_float(clp_type type) {
    return type >= CLP_F16 && type <= CLP_F64;
}

/* ---- every form, type, result, shape and work-group size (pairwise) against the reference -----------------
 */

struct request {
    clp_op op;
    clp_reduce_mode mode;
};
static const struct request requests[] = {
    {CLP_ARGMIN, CLP_REDUCE_TREE},       {CLP_ARGMAX, CLP_REDUCE_TREE},
    {CLP_MEAN, CLP_REDUCE_TREE},         {CLP_SUM, CLP_REDUCE_COMPENSATED},
    {CLP_MEAN, CLP_REDUCE_COMPENSATED},  {CLP_NORM1, CLP_REDUCE_COMPENSATED},
    {CLP_NORM2, CLP_REDUCE_COMPENSATED}, {CLP_DOT, CLP_REDUCE_COMPENSATED},
};
enum { NUM_REQUESTS = sizeof requests / sizeof *requests };

/* The result types of a request: the default first, then one other or none. */
static int results_of(const struct request *request, clp_type type, clp_type results[2]) {
    results[0] = CLP_TYPE_INVALID;
    results[1] = request->op == CLP_ARGMIN || request->op == CLP_ARGMAX ? CLP_U32
                 : !is_float(type)                                      ? CLP_F32
                                                                        : type;
    return results[1] == CLP_F64 || (results[1] == CLP_F32 && type == CLP_F32) ? 1 : 2;
}

START_TEST(bits_equal_the_reference) {
    const clp_type type = (clp_type)(_i / NUM_REQUESTS + 1);
    const struct request *request = &requests[_i % NUM_REQUESTS];
    if (request->mode == CLP_REDUCE_COMPENSATED && !is_float(type))
        return;
    clp_type results[2];
    const int num_results = results_of(request, type, results);
    for (int r = 0; r < num_results; r++) {
        const struct reduce_form form = {
            .desc = {.type = type, .op = request->op, .mode = request->mode, .result = results[r]}};
        const unsigned choice = (unsigned)(_i / NUM_REQUESTS * 5 + _i % NUM_REQUESTS + 3 * r);
        ck_assert_int_eq(clp_reduce_result_type(&form.desc), ref_result_type(&form.desc));
        if (!reduce_chosen((unsigned)_i * 2 + (unsigned)r) || (r == 1 && _i % 2 == 1 && !test_full()))
            continue; /* another result is but another way to store */
        for (int shape = CLP_SHAPE_SIMT; shape <= CLP_SHAPE_SIMD; shape++)
            for (unsigned group = 0; group < REDUCE_GROUP_SIZES; group++) {
                const bool usual = group == choice % REDUCE_GROUP_SIZES &&
                                   (unsigned)shape == (choice / REDUCE_GROUP_SIZES + (unsigned)_i) % 2 + 1;
                if (!test_shape((clp_shape)shape) || (!test_full() && !usual))
                    continue;
                clp_context *context =
                    test_context((clp_shape)shape, CLP_SUBGROUPS_DEFAULT, reduce_group_sizes[group]);
                if (reduce_device_can(context, &form.desc))
                    reduce_compare_sets(context, &form,
                                        test_full() || choice % 4 == 0 ? REDUCE_ALL_SCHEDULES
                                        : choice % 4 == 2              ? REDUCE_FEW_SCHEDULES
                                                                       : CLP_SCHEDULE_SINGLE,
                                        sizes, NUM_SIZES);
                clp_context_destroy(context);
            }
    }
}
END_TEST

/*
 * Every back-end and work-group size meets one or two of four forms in either shape, so that each form meets
 * both shapes and most sizes. Full: all.
 */
static void some_forms(clp_context *context, unsigned group, unsigned turn) {
    (void)group;
    static const struct reduce_form some[] = {
        {.desc = {.type = CLP_F32, .op = CLP_ARGMAX}},
        {.desc = {.type = CLP_U8, .op = CLP_ARGMIN, .result = CLP_U32}},
        {.desc = {.type = CLP_F32, .op = CLP_SUM, .mode = CLP_REDUCE_COMPENSATED}},
        {.desc = {.type = CLP_F32, .op = CLP_MEAN}},
    };
    static const size_t few[] = {3, 129, TILE * 9 - 1, 150000};
    for (unsigned f = 0; f < 4; f++)
        if (test_full() || (f + turn) % 3 == 0)
            reduce_compare_sets(context, &some[f], CLP_SCHEDULE_DEFAULT, few, 4);
}

START_TEST(every_group_size_and_back_end) {
    reduce_each_back_end((unsigned)_i, some_forms);
}
END_TEST

/* More than 2^24 elements make a third level. */
START_TEST(three_levels) {
    static const struct reduce_form some[] = {
        {.desc = {.type = CLP_U8, .op = CLP_ARGMAX}},
        {.desc = {.type = CLP_F32, .op = CLP_SUM, .mode = CLP_REDUCE_COMPENSATED}},
        {.desc = {.type = CLP_F16, .op = CLP_MEAN}},
    };
    const size_t n = (size_t)TILE * TILE + 3 * TILE + 5;
    if (n > test_max_n() || !test_shape((clp_shape)_i))
        return;
    clp_context *context = test_context((clp_shape)_i, CLP_SUBGROUPS_DEFAULT, 0);
    for (size_t f = 0; f < sizeof some / sizeof *some; f++) {
        const size_t bytes = (n + REDUCE_MAX_OFFSET) * reduce_element_size(&some[f].desc);
        unsigned char *data = malloc(bytes);
        ck_assert_ptr_nonnull(data);
        ref_fill(REF_UNIFORM, some[f].desc.type, 0, n + REDUCE_MAX_OFFSET, data);
        if (some[f].desc.op == CLP_ARGMAX) { /* the extreme in the last tile only */
            for (size_t i = 0; i < n; i++)
                data[i] &= 127;
            data[n - 2] = 200;
        }
        cl_mem mem = test_input(context, data, bytes), out = test_output(context, REDUCE_OUT_SIZE);
        reduce_compare(context, &some[f], CLP_SCHEDULE_DEFAULT, mem, data, 1, n, out, "uniform");
        clReleaseMemObject(mem);
        clReleaseMemObject(out);
        free(data);
    }
    clp_context_destroy(context);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("reduce_forms");
    TCase *bits = tcase_create("bits");
    tcase_add_loop_test(bits, bits_equal_the_reference, 0, CLP_F64 * NUM_REQUESTS);
    tcase_add_loop_test(bits, every_group_size_and_back_end, 0, 2 * REDUCE_GROUP_SIZES);
    tcase_add_loop_test(bits, three_levels, CLP_SHAPE_SIMT, CLP_SHAPE_SIMD + 1);
    suite_add_tcase(suite, bits);
    return reduce_main(suite);
}

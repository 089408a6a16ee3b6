/* SPDX-License-Identifier: Apache-2.0 */
/* Reduction's bits: every form, shape, schedule and work-group size against the serial reference. */
#include "reduce_cases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TILE = 4096 };

/* Forms that meet every work-group size: each accumulator type, each kind of order. */
static const struct reduce_form forms[] = {
    {.desc = {.type = CLP_F32, .op = CLP_SUM}}, {.desc = {.type = CLP_I32, .op = CLP_SUM}},
    {.desc = {.type = CLP_F64, .op = CLP_SUM}}, {.desc = {.type = CLP_F32, .op = CLP_MAX}},
    {.desc = {.type = CLP_U8, .op = CLP_SUM}},  {.desc = {.type = CLP_U32, .op = CLP_MIN}},
};
enum { NUM_FORMS = sizeof forms / sizeof *forms };

static const size_t sizes[] = {
    0,   1,   2,    3,    15,   16,       17,           31,       33,           127,           128,
    129, 255, 4095, 4096, 4097, 2 * TILE, TILE * 3 + 1, TILE * 8, TILE * 9 - 1, TILE * 33 - 1, 200000};
enum { NUM_SIZES = sizeof sizes / sizeof *sizes };

static const size_t group_sizes[] = {1, 4, 48, 64, 256, SIZE_MAX}; /* SIZE_MAX: the device's limit */
enum { NUM_GROUP_SIZES = sizeof group_sizes / sizeof *group_sizes };

/*
 * The matrix form × shape × work-group size. Nearly pairwise: each form meets both shapes, each shape each
 * work-group size (form and size alternate). Full: all.
 */
START_TEST(bits_equal_the_reference) {
    const int group = _i % NUM_GROUP_SIZES, form = _i / NUM_GROUP_SIZES;
    /* Never thinned: f32, in both shapes. */
    const bool usual = forms[form].desc.type == CLP_F32 && (group == 4 || (group == 3 && form == 0));
    if (!usual && ((unsigned)_i * 2654435761u >> 16) % test_thin() != 0) /* a choice without a pattern */
        return;
    for (int shape = CLP_SHAPE_SIMT; shape <= CLP_SHAPE_SIMD; shape++) {
        /* Work-items of the simd shape know nothing of each other: two forms at each size will do. */
        if (!test_shape((clp_shape)shape) ||
            (!test_full() && (shape != (form + group) % 2 + 1 ||
                              (shape == CLP_SHAPE_SIMD && form > 1 && group > 2 && !usual))))
            continue;
        clp_context *context = test_context((clp_shape)shape, CLP_SUBGROUPS_DEFAULT, group_sizes[group]);
        if (reduce_device_can(context, &forms[form].desc))
            reduce_compare_sets(context, &forms[form], REDUCE_ALL_SCHEDULES, sizes, NUM_SIZES);
        if (clp_context_info(context)->subgroups != CLP_SUBGROUPS_LOCAL) {
            clp_context_destroy(context);
            context = test_context((clp_shape)shape, CLP_SUBGROUPS_LOCAL, group_sizes[group]);
            if (reduce_device_can(context, &forms[form].desc))
                reduce_compare_sets(context, &forms[form], REDUCE_ALL_SCHEDULES, sizes, NUM_SIZES);
        }
        clp_context_destroy(context);
    }
}
END_TEST

/* Signed and unsigned integers have the same kernels for these; so the OpenCL's cache has the second of them.
 */
static bool sees_bits_only(const clp_reduce_desc *desc) {
    return desc->type < CLP_F16 && (desc->op == CLP_AND || desc->op == CLP_OR || desc->op == CLP_XOR ||
                                    desc->op == CLP_ALL || desc->op == CLP_ANY);
}

/* Products of integers wrap in 64 bits whatever the sign; how elements are loaded, sums show. */
static bool same_twin(const clp_reduce_desc *desc) {
    return desc->op == CLP_PROD && desc->type < CLP_F16 && (int)desc->type % 2 == 0;
}

/*
 * Every type with every operator and mode, at one work-group size and shape each, chosen so that each type
 * and each operator meets all sizes and both shapes: a quarter simt, for which PoCL compiles three times as
 * long. A result that is not the default one is but another way to store: every other one. Half of them by
 * the schedule "single" alone, whose kernel folds by the same code. Full: all.
 */
START_TEST(all_types_and_operators) {
    const clp_type type = (clp_type)(_i / 16 + 1);
    const clp_op op = (clp_op)(_i % 16);
    for (int mode = CLP_REDUCE_TREE; mode <= CLP_REDUCE_WIDE; mode++)
        for (int result = 0; result <= CLP_F64; result++) {
            const struct reduce_form form = {
                .desc = {.type = type, .op = op, .result = (clp_type)result, .mode = (clp_reduce_mode)mode}};
            const clp_reduce_desc *desc = &form.desc;
            const int kin = sees_bits_only(desc) ? ((int)type + 1) / 2 * 2 : (int)type;
            const int choice = kin + (int)op + result;
            if (mode == CLP_REDUCE_COMPENSATED || op == CLP_ARGMIN || op == CLP_ARGMAX || op == CLP_MEAN ||
                clp_reduce_result_type(desc) == CLP_TYPE_INVALID || /* check_reduce_forms.c has those */
                ((unsigned)(choice + 16 * kin) * 2654435761u >> 16) % test_thin() != 0)
                continue;
            if (result != 0 && (result != (int)type ||
                                clp_reduce_result_type(&(clp_reduce_desc){.type = type, .op = op}) == type))
                continue; /* the default, and the element type where that is not the default */
            if (!test_full() &&
                ((result != 0 && (kin / 2 + (int)op) % 2 != 0 && op != CLP_NORM2) || same_twin(desc)))
                continue;
            ck_assert_int_eq(clp_reduce_result_type(desc), ref_result_type(desc));
            const int turn = sees_bits_only(desc) ? kin / 2 + (int)op : kin + (int)op * 3;
            const clp_shape usual = turn % 4 == 0 && result == 0 ? CLP_SHAPE_SIMT : CLP_SHAPE_SIMD;
            const int schedule = test_full()                   ? REDUCE_ALL_SCHEDULES
                                 : turn / 4 % 2 || result != 0 ? CLP_SCHEDULE_SINGLE
                                                               : REDUCE_FEW_SCHEDULES;
            for (int shape = CLP_SHAPE_SIMT; shape <= CLP_SHAPE_SIMD; shape++)
                for (int group = 0; group < NUM_GROUP_SIZES; group++) {
                    const bool chosen = group == choice % NUM_GROUP_SIZES &&
                                        ((clp_shape)shape == usual || !test_shape(usual));
                    if (!test_shape((clp_shape)shape) || (!test_full() && !chosen))
                        continue;
                    clp_context *context =
                        test_context((clp_shape)shape, CLP_SUBGROUPS_DEFAULT, group_sizes[group]);
                    if (reduce_device_can(context, desc))
                        reduce_compare_sets(context, &form, schedule, sizes, NUM_SIZES);
                    clp_context_destroy(context);
                }
        }
}
END_TEST

/* More than 2^24 elements make a third level; the last tile and the last tile of totals are partial. */
START_TEST(three_levels) {
    const size_t n = (size_t)TILE * TILE + 3 * TILE + 5;
    if (n > test_max_n() || !test_shape((clp_shape)_i))
        return;
    static const size_t some[] = {0, 1, 3, 2};
    for (size_t f = 0; f < sizeof some / sizeof *some; f++) {
        if (f > 0 && (int)f % 2 + 1 != _i && !test_full() && test_shape((clp_shape)(3 - _i)))
            continue; /* sums of f32 in both shapes, the others in one */
        const struct reduce_form *form = &forms[some[f]];
        clp_reduce_desc desc = form->desc;
        const size_t element = clp_type_size(desc.type);
        clp_context *context = test_context((clp_shape)_i, CLP_SUBGROUPS_DEFAULT, 0);
        if (reduce_device_can(context, &desc)) {
            void *data = malloc((n + REDUCE_MAX_OFFSET) * element);
            ck_assert_ptr_nonnull(data);
            ref_fill(REF_UNIFORM, desc.type, 0, n + REDUCE_MAX_OFFSET, data);
            cl_mem mem = test_input(context, data, (n + REDUCE_MAX_OFFSET) * element),
                   out = test_output(context, REDUCE_OUT_SIZE);
            for (int schedule = 0; schedule <= CLP_SCHEDULE_SINGLE; schedule++) {
                desc.schedule = (clp_schedule)schedule;
                clp_plan plan;
                if (!reduce_device_can(context, &desc))
                    continue;
                ok(clp_reduce_plan(context, &desc, n, &plan));
                ck_assert_uint_eq(plan.launches, plan.schedule == CLP_SCHEDULE_LEVELS ? 3 : 1);
            }
            reduce_compare(context, form, REDUCE_ALL_SCHEDULES, mem, data, f % 2, n, out, "uniform");
            clReleaseMemObject(mem);
            clReleaseMemObject(out);
            free(data);
        }
        clp_context_destroy(context);
    }
}
END_TEST

/*
 * More than 2^32 elements, on devices that hold them. The elements repeat every four, so all full tiles have
 * the same total, and the reference needs the totals only: they are the elements of the next level.
 */
START_TEST(beyond_32_bits) {
    const size_t n = ((size_t)1 << 32) + TILE + 6, tiles = n / TILE + 1;
    if (n > test_max_n())
        return;
    clp_context *context = test_context(CLP_SHAPE_DEFAULT, CLP_SUBGROUPS_DEFAULT, 0);
    cl_command_queue queue = clp_context_queue(context);
    const float period[4] = {0.1f, -2.7f, 3.3e-5f, 1.9f};
    cl_int code;
    cl_mem in = clCreateBuffer(clp_context_cl(context), CL_MEM_READ_WRITE, n * 4, NULL, &code);
    ok_cl(code);
    ok_cl(clEnqueueFillBuffer(queue, in, period, sizeof period, 0, n / 4 * 16, 0, NULL, NULL));
    ok_cl(clEnqueueWriteBuffer(queue, in, CL_TRUE, n / 4 * 16, n % 4 * 4, period, 0, NULL, NULL));
    float tile[TILE], *totals = malloc(tiles * sizeof *totals), want, got;
    ck_assert_ptr_nonnull(totals);
    for (size_t i = 0; i < TILE; i++)
        tile[i] = period[i % 4];
    clp_reduce_desc desc = {.type = CLP_F32, .op = CLP_SUM};
    ref_reduce(&desc, tile, TILE, &totals[0]);
    for (size_t i = 1; i + 1 < tiles; i++)
        totals[i] = totals[0];
    ref_reduce(&desc, tile, n % TILE, &totals[tiles - 1]);
    ref_reduce(&desc, totals, tiles, &want);
    cl_mem out = test_output(context, REDUCE_OUT_SIZE);
    for (int schedule = 0; schedule <= CLP_SCHEDULE_FUSED; schedule++) {
        desc.schedule = (clp_schedule)schedule;
        if (!reduce_device_can(context, &desc))
            continue;
        ok(clp_reduce(context, queue, &desc, (clp_buffer){in, 0}, (clp_buffer){out, 1}, n, NULL, 0, NULL,
                      NULL));
        test_read(queue, out, 4, sizeof got, &got);
        must(memcmp(&got, &want, sizeof got) == 0, "schedule %d: %.9g, not %.9g", schedule, got, want);
    }
    /* An offset beyond 2^32. */
    ref_reduce(&(clp_reduce_desc){.type = CLP_F32, .op = CLP_SUM}, tile, 1001, &want);
    ok(clp_reduce(context, queue, &desc, (clp_buffer){in, (size_t)1 << 32}, (clp_buffer){out, 2}, 1001, NULL,
                  0, NULL, NULL));
    test_read(queue, out, 8, sizeof got, &got);
    must(memcmp(&got, &want, sizeof got) == 0, "%.9g, not %.9g", got, want);
    free(totals);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    clp_context_destroy(context);
}
END_TEST

/* Reduces floats given as bits and returns the result's bits. */
static uint32_t reduce_bits(clp_context *context, clp_op op, const uint32_t *bits, size_t n) {
    uint32_t result;
    cl_mem mem = test_input(context, bits, n * sizeof *bits), out = test_output(context, sizeof result);
    const clp_reduce_desc desc = {.type = CLP_F32, .op = op};
    ok(clp_reduce(context, clp_context_queue(context), &desc, (clp_buffer){mem, 0}, (clp_buffer){out, 0}, n,
                  NULL, 0, NULL, NULL));
    test_read(clp_context_queue(context), out, 0, sizeof result, &result);
    if (mem)
        clReleaseMemObject(mem);
    clReleaseMemObject(out);
    return result;
}

START_TEST(special_values) {
    if (!test_shape((clp_shape)_i))
        return;
    clp_context *context = test_context((clp_shape)_i, CLP_SUBGROUPS_DEFAULT, 0);
    const bool flushes = !clp_context_info(context)->keeps_denormals_f32;
    for (size_t i = 0; i < reduce_num_specials; i++) {
        if (flushes && reduce_specials[i].want == 1)
            continue;
        const uint32_t got =
            reduce_bits(context, reduce_specials[i].op, reduce_specials[i].elements, reduce_specials[i].n);
        must(got == reduce_specials[i].want, "row %zu: %s: %08x, not %08x", i,
             clp_op_name(reduce_specials[i].op), got, reduce_specials[i].want);
    }
    clp_context_destroy(context);
}
END_TEST

/* Sums of integers wrap; 64-bit results do not lose what 32 bits would. */
START_TEST(integers_wrap_or_widen) {
    static const int32_t ones[5] = {INT32_MAX, INT32_MAX, INT32_MAX, 1, -5};
    if (!test_shape((clp_shape)_i))
        return;
    clp_context *context = test_context((clp_shape)_i, CLP_SUBGROUPS_DEFAULT, 0);
    cl_command_queue queue = clp_context_queue(context);
    cl_mem in = test_input(context, ones, sizeof ones), out = test_output(context, 8);
    int64_t wide;
    int32_t narrow;
    clp_reduce_desc desc = {.type = CLP_I32, .op = CLP_SUM};
    ok(clp_reduce(context, queue, &desc, (clp_buffer){in, 0}, (clp_buffer){out, 0}, 5, NULL, 0, NULL, NULL));
    test_read(queue, out, 0, sizeof wide, &wide);
    ck_assert_int_eq(wide, 3 * (int64_t)INT32_MAX - 4);
    desc.result = CLP_I32;
    ok(clp_reduce(context, queue, &desc, (clp_buffer){in, 0}, (clp_buffer){out, 0}, 5, NULL, 0, NULL, NULL));
    test_read(queue, out, 0, sizeof narrow, &narrow);
    ck_assert_int_eq(narrow, (int32_t)(uint32_t)(3 * (int64_t)INT32_MAX - 4));
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    clp_context_destroy(context);
}
END_TEST

/* The documented error bound, against a sum in long double, and exactness on small whole numbers. */
START_TEST(error_bound) {
    if (!test_shape((clp_shape)_i))
        return;
    const size_t n = test_max_n() < 300000 ? test_max_n() : 300000;
    float *data = malloc(n * sizeof *data), got;
    ck_assert_ptr_nonnull(data);
    clp_context *context = test_context((clp_shape)_i, CLP_SUBGROUPS_DEFAULT, 0);
    const clp_reduce_desc desc = {.type = CLP_F32, .op = CLP_SUM};
    for (int set = REF_UNIFORM; set <= REF_SMALL; set++) {
        ref_fill((ref_set)set, CLP_F32, 0, n, data);
        long double sum = 0, magnitudes = 0;
        for (size_t i = 0; i < n; i++)
            sum += data[i], magnitudes += fabsl(data[i]);
        cl_mem in = test_input(context, data, n * sizeof *data), out = test_output(context, sizeof got);
        ok(clp_reduce(context, clp_context_queue(context), &desc, (clp_buffer){in, 0}, (clp_buffer){out, 0},
                      n, NULL, 0, NULL, NULL));
        test_read(clp_context_queue(context), out, 0, sizeof got, &got);
        const long double u = ldexpl(1, -24), h = 2 * (31 + 7);
        const long double bound = set == REF_SMALL ? 0 : h * u / (1 - h * u) * magnitudes;
        must(fabsl((long double)got - sum) <= bound, "sum %.9g, not %.12Lg within %.3Lg", got, sum, bound);
        clReleaseMemObject(in);
        clReleaseMemObject(out);
    }
    free(data);
    clp_context_destroy(context);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("reduce");
    TCase *bits = tcase_create("bits");
    tcase_add_loop_test(bits, bits_equal_the_reference, 0, NUM_FORMS * NUM_GROUP_SIZES);
    tcase_add_loop_test(bits, all_types_and_operators, 0, CLP_F64 * 16);
    tcase_add_loop_test(bits, three_levels, CLP_SHAPE_SIMT, CLP_SHAPE_SIMD + 1);
    tcase_add_test(bits, beyond_32_bits);
    tcase_add_loop_test(bits, special_values, CLP_SHAPE_SIMT, CLP_SHAPE_SIMD + 1);
    tcase_add_loop_test(bits, integers_wrap_or_widen, CLP_SHAPE_SIMT, CLP_SHAPE_SIMD + 1);
    tcase_add_loop_test(bits, error_bound, CLP_SHAPE_SIMT, CLP_SHAPE_SIMD + 1);
    suite_add_tcase(suite, bits);
    return reduce_main(suite);
}

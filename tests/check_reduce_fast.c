/* SPDX-License-Identifier: Apache-2.0 */
/* Reduction in no fixed order: exact where the order does not matter, within a proven bound where it does. */
#include "reduce_cases.h"
#include "reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { OUT_SIZE = 64, OUT_ELEMENT = 3, MAX_OFFSET = 5, LARGEST = 200000 };

static const clp_type types[] = {CLP_I32, CLP_U32, CLP_U64, CLP_F32};
static const clp_op ops[] = {CLP_SUM, CLP_MIN, CLP_MAX};
enum { NUM_TYPES = 4, NUM_OPS = 3 };

static const size_t sizes[] = {0,   1,   2,    3,    4,    5,    15,   16,   17,    31,    33,    127,    128,
                               129, 255, 1023, 1024, 1025, 2047, 4097, 8191, 16385, 40000, 99999, LARGEST};
enum { NUM_SIZES = sizeof sizes / sizeof *sizes };

static const size_t group_sizes[] = {1, 48, 256, SIZE_MAX};
enum { NUM_GROUP_SIZES = sizeof group_sizes / sizeof *group_sizes };

/* How many results were compared: a run without any must not be green. */
static size_t compared;

/* As test_output(), but readable, for atomics read. */
static cl_mem output(clp_context *context, size_t size) {
    cl_int code;
    cl_mem mem = clCreateBuffer(clp_context_cl(context), CL_MEM_READ_WRITE, size, NULL, &code);
    ok_cl(code);
    test_guard(clp_context_queue(context), mem, size);
    return mem;
}

static bool same_float(float a, float b) {
    return memcmp(&a, &b, sizeof a) == 0;
}

/*
 * Is this a sum of the n floats in some order? NaN and infinity follow from the elements, and so does the
 * sign of a sum of zeros. Else any order of n − 1 additions is within γ(n − 1) · Σ|x| of the exact sum
 * (Higham, "Accuracy and Stability of Numerical Algorithms", 4.2); an exact sum is the result of every order.
 * The data here never overflow.
 */
static bool right_float_sum(const float *x, size_t n, float got, bool exact) {
    long double sum = 0, magnitudes = 0;
    bool nan = false, plus = false, minus = false, negative_zeros = n > 0;
    for (size_t i = 0; i < n; i++) {
        nan = nan || isnan(x[i]);
        plus = plus || x[i] == INFINITY;
        minus = minus || x[i] == -INFINITY;
        negative_zeros = negative_zeros && x[i] == 0 && signbit(x[i]);
        sum += x[i], magnitudes += fabsl(x[i]);
    }
    const uint32_t canonical = 0x7fc00000;
    if (nan || (plus && minus))
        return memcmp(&got, &canonical, sizeof got) == 0;
    if (plus || minus)
        return got == (plus ? INFINITY : -INFINITY);
    if (negative_zeros)
        return same_float(got, -0.0f);
    if (exact || magnitudes == 0)
        return same_float(got, (float)sum + 0.0f);
    const long double h = n > 1 ? (long double)(n - 1) : 0, u = ldexpl(1, -24);
    /* The sum in long double has an error too: γ(n − 1) of its own u, 2^-64. */
    return fabsl((long double)got - sum) <= (h * u / (1 - h * u) + h * ldexpl(1, -63)) * magnitudes;
}

static void expect_result(const clp_reduce_desc *desc, const void *data, size_t n, ref_set set,
                          const void *got) {
    bool right;
    if (desc->type == CLP_F32 && desc->op == CLP_SUM) {
        float sum;
        memcpy(&sum, got, sizeof sum);
        right = right_float_sum(data, n, sum, set == REF_SMALL || set == REF_ZEROS);
    } else {
        /* The tree in the same types: the reference's default result is wider. */
        const clp_reduce_desc tree = {.type = desc->type, .op = desc->op, .result = desc->type};
        unsigned char want[8];
        ref_reduce(&tree, data, n, want);
        right = memcmp(got, want, clp_type_size(desc->type)) == 0;
    }
    compared++;
    must(right, "%s of %s, n = %zu, set %s: wrong result", clp_op_name(desc->op), clp_type_name(desc->type),
         n, ref_set_name(set));
}

/* Can the device do this? What cannot be done must say so. */
static bool device_can(clp_context *context, const clp_reduce_desc *desc) {
    const clp_status status = clp_reduce_prewarm(context, desc);
    must(status == CLP_SUCCESS || (status == CLP_DEVICE_UNSUPPORTED && desc->type == CLP_U64), "%s: %s",
         clp_status_name(status), clp_last_detail());
    return status == CLP_SUCCESS;
}

/* All sizes and sets; offsets take turns. */
static void all_inputs(clp_context *context, const clp_reduce_desc *desc) {
    const bool flushes = desc->type == CLP_F32 && !clp_context_info(context)->keeps_denormals_f32;
    const size_t element = clp_type_size(desc->type), elements = LARGEST + MAX_OFFSET;
    cl_command_queue queue = clp_context_queue(context);
    unsigned char *data = malloc(elements * element), got[8];
    ck_assert_ptr_nonnull(data);
    cl_mem out = output(context, OUT_SIZE);
    for (int set = 0; set < REF_SET_COUNT; set++) {
        if (set == REF_DENORMALS && desc->op == CLP_SUM && flushes)
            continue;
        ref_fill((ref_set)set, desc->type, 0, elements, data);
        cl_mem in = test_input(context, data, elements * element);
        for (int size = 0; size < NUM_SIZES; size++) {
            const size_t n = sizes[size], offset = (size_t)(size + set) % (MAX_OFFSET + 1);
            if (n > test_max_n())
                continue;
            test_guard(queue, out, OUT_SIZE);
            ok(clp_reduce(context, queue, desc, (clp_buffer){n ? in : NULL, offset},
                          (clp_buffer){out, OUT_ELEMENT}, n, NULL, 0, NULL, NULL));
            test_read(queue, out, OUT_ELEMENT * element, element, got);
            expect_result(desc, data + offset * element, n, (ref_set)set, got);
            ck_assert(test_guarded(queue, out, OUT_SIZE, OUT_ELEMENT * element, (OUT_ELEMENT + 1) * element));
        }
        clReleaseMemObject(in);
    }
    clReleaseMemObject(out);
    free(data);
}

/*
 * Type and operator × work-group size × shape: pairwise, as in check_reduce.c, but the sum of floats, whose
 * atomic is the only one of our own, meets all. Full: all.
 */
START_TEST(results_are_right) {
    const int group = _i % NUM_GROUP_SIZES, form = _i / NUM_GROUP_SIZES;
    const int type = form % NUM_TYPES, op = form / NUM_TYPES;
    const clp_reduce_desc desc = {.type = types[type], .op = ops[op], .mode = CLP_REDUCE_FAST};
    const bool both = test_full() || (desc.type == CLP_F32 && desc.op == CLP_SUM);
    ck_assert_int_eq(clp_reduce_result_type(&desc), desc.type);
    if (((unsigned)_i * 2654435761u >> 16) % test_thin() != 0)
        return;
    for (int shape = CLP_SHAPE_SIMT; shape <= CLP_SHAPE_SIMD; shape++)
        for (int local = 0; local < 2; local++) {
            if (!test_shape((clp_shape)shape) || (!both && shape != (type + op + group) % 2 + 1))
                continue;
            clp_context *context = test_context(
                (clp_shape)shape, local ? CLP_SUBGROUPS_LOCAL : CLP_SUBGROUPS_DEFAULT, group_sizes[group]);
            const bool last = clp_context_info(context)->subgroups == CLP_SUBGROUPS_LOCAL ||
                              shape == CLP_SHAPE_SIMD; /* the default was local memory already */
            if (device_can(context, &desc))
                all_inputs(context, &desc);
            clp_context_destroy(context);
            if (last)
                break;
        }
}
END_TEST

/* Special values: side by side, which is for one team; and so far apart that they meet in the atomic. */
START_TEST(special_values) {
    if (!test_shape((clp_shape)_i))
        return;
    enum { APART = 20000 };
    static uint32_t elements[APART * 3 + 1];
    clp_context *context = test_context((clp_shape)_i, CLP_SUBGROUPS_DEFAULT, 0);
    cl_command_queue queue = clp_context_queue(context);
    const bool flushes = !clp_context_info(context)->keeps_denormals_f32;
    cl_mem out = output(context, 4);
    for (size_t i = 0; i < reduce_num_specials; i++)
        for (int apart = 0; apart < 2; apart++) {
            const clp_reduce_desc desc = {
                .type = CLP_F32, .op = reduce_specials[i].op, .mode = CLP_REDUCE_FAST};
            const size_t step = apart ? APART : 1,
                         n = reduce_specials[i].n ? (reduce_specials[i].n - 1) * step + 1 : 0;
            if (n > test_max_n() || (flushes && reduce_specials[i].want == 1))
                continue;
            for (size_t k = 0; k < n; k++)
                elements[k] = reduce_specials[i].elements[k / step];
            /* Every value often, except where that would change the sum: there, −0 between them. */
            if (reduce_specials[i].op == CLP_SUM)
                for (size_t k = 0; k < n; k++)
                    if (k % step != 0)
                        elements[k] = 0x80000000;
            cl_mem in = test_input(context, elements, n * 4);
            uint32_t got;
            ok(clp_reduce(context, queue, &desc, (clp_buffer){in, 0}, (clp_buffer){out, 0}, n, NULL, 0, NULL,
                          NULL));
            test_read(queue, out, 0, 4, &got);
            must(got == reduce_specials[i].want, "row %zu: %s: %08x, not %08x", i, clp_op_name(desc.op), got,
                 reduce_specials[i].want);
            if (in)
                clReleaseMemObject(in);
        }
    clReleaseMemObject(out);
    clp_context_destroy(context);
}
END_TEST

/* Calls one after the other in an out-of-order queue: both launches of a call keep their order. */
START_TEST(out_of_order_queue) {
    enum { N = 50000 };
    static uint32_t data[N];
    const size_t n = test_max_n() < N ? test_max_n() : N;
    const clp_reduce_desc desc = {.type = CLP_U32, .op = CLP_MAX, .mode = CLP_REDUCE_FAST};
    clp_context *context = test_context(CLP_SHAPE_DEFAULT, CLP_SUBGROUPS_DEFAULT, 0);
    cl_int code;
    cl_command_queue queue = clCreateCommandQueue(clp_context_cl(context), clp_context_device(context),
                                                  CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
    if (code != CL_SUCCESS) /* not every device has them */
        queue = clCreateCommandQueue(clp_context_cl(context), clp_context_device(context), 0, &code);
    ok_cl(code);
    ref_fill(REF_UNIFORM, CLP_U32, 0, n, data);
    uint32_t want, got;
    ref_reduce(&(clp_reduce_desc){.type = CLP_U32, .op = CLP_MAX}, data, n, &want);
    cl_mem in = test_input(context, data, n * 4), out = output(context, 16);
    cl_event events[4];
    for (size_t k = 0; k < 4; k++)
        ok(clp_reduce(context, queue, &desc, (clp_buffer){in, 0}, (clp_buffer){out, k}, n, NULL, k ? 1 : 0,
                      k ? &events[k - 1] : NULL, &events[k]));
    ok_cl(clWaitForEvents(4, events));
    for (size_t k = 0; k < 4; k++) {
        test_read(queue, out, k * 4, 4, &got);
        ck_assert_uint_eq(got, want);
        clReleaseEvent(events[k]);
    }
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    clReleaseCommandQueue(queue);
    clp_context_destroy(context);
}
END_TEST

/* Every documented error; a failed call leaves the output alone and gives no event. */
START_TEST(errors) {
    static float data[64];
    const clp_reduce_desc good = {.type = CLP_F32, .op = CLP_SUM, .mode = CLP_REDUCE_FAST};
    const clp_user user = {.transform = "x"};
    clp_context *context = test_context(CLP_SHAPE_DEFAULT, CLP_SUBGROUPS_DEFAULT, 0);
    cl_command_queue queue = clp_context_queue(context);
    cl_mem in = test_input(context, data, sizeof data), out = output(context, OUT_SIZE);
    cl_mem write_only = test_output(context, 64);
    cl_int code;
    cl_mem both = clCreateBuffer(clp_context_cl(context), CL_MEM_READ_WRITE, 1024, NULL, &code);
    ok_cl(code);
    const clp_buffer from = {in, 0}, to = {out, 0};
    const struct {
        clp_reduce_desc desc;
        clp_status want;
    } rows[] = {
        {{.type = CLP_I32, .op = CLP_PROD}, CLP_UNSUPPORTED},
        {{.type = CLP_F32, .op = CLP_NORM2}, CLP_UNSUPPORTED},
        {{.type = CLP_F32, .op = CLP_MEAN}, CLP_UNSUPPORTED},
        {{.type = CLP_F32, .op = CLP_ARGMAX}, CLP_UNSUPPORTED},
        {{.type = CLP_F64, .op = CLP_SUM}, CLP_UNSUPPORTED},
        {{.type = CLP_I64, .op = CLP_SUM}, CLP_UNSUPPORTED},
        {{.type = CLP_F16, .op = CLP_MAX}, CLP_UNSUPPORTED},
        {{.type = CLP_U8, .op = CLP_MIN}, CLP_UNSUPPORTED},
        {{.type = CLP_I32, .op = CLP_SUM, .result = CLP_I64}, CLP_UNSUPPORTED},
        {{.type = CLP_U32, .op = CLP_SUM, .result = CLP_I32}, CLP_UNSUPPORTED},
        {{.type = CLP_F32, .op = CLP_SUM, .user = &user}, CLP_UNSUPPORTED},
        {{.type = CLP_F32, .op = CLP_SUM, .schedule = CLP_SCHEDULE_SINGLE}, CLP_UNSUPPORTED},
        {{.type = CLP_F32, .op = CLP_SUM, .schedule = (clp_schedule)9}, CLP_INVALID_MODE},
        {{.type = (clp_type)99, .op = CLP_SUM}, CLP_INVALID_TYPE},
        {{.type = CLP_F32, .op = CLP_OP_INVALID}, CLP_INVALID_OPERATOR},
        {{.type = CLP_F32, .op = CLP_SUM, .reserved = {1}}, CLP_INVALID_ARGUMENT},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        clp_reduce_desc desc = rows[i].desc;
        clp_plan plan;
        cl_event event = (cl_event)data;
        desc.mode = CLP_REDUCE_FAST;
        expect(clp_reduce(context, queue, &desc, from, to, 64, NULL, 0, NULL, &event), rows[i].want);
        ck_assert_ptr_null(event);
        ck_assert_str_ne(clp_last_detail(), "");
        expect(clp_reduce_plan(context, &desc, 64, &plan), rows[i].want);
        expect(clp_reduce_prewarm(context, &desc), rows[i].want);
    }
    ck_assert_int_eq(
        clp_reduce_result_type(&(clp_reduce_desc){.type = CLP_F64, .op = CLP_SUM, .mode = CLP_REDUCE_FAST}),
        CLP_TYPE_INVALID);
    const clp_rows one_row = {.count = 1, .columns = 64};
    const clp_segments segments = {.count = 1, .n = 64, .offsets = {in, 0}};
    const clp_buffer none = {NULL, 0};
    clp_plan plan;
    expect(clp_reduce_rows(context, queue, &good, from, none, to, &one_row, NULL, 0, NULL, NULL),
           CLP_UNSUPPORTED);
    expect(clp_reduce_rows_plan(context, &good, &one_row, &plan), CLP_UNSUPPORTED);
    expect(clp_reduce_segments(context, queue, &good, from, none, to, &segments, NULL, 0, NULL, NULL),
           CLP_UNSUPPORTED);
    expect(clp_reduce_pair(context, queue, &good, from, from, to, 64, NULL, 0, NULL, NULL), CLP_UNSUPPORTED);
    expect(clp_reduce_plan(context, &good, 64, NULL), CLP_INVALID_ARGUMENT);
    expect(clp_reduce(NULL, queue, &good, from, to, 64, NULL, 0, NULL, NULL), CLP_INVALID_ARGUMENT);
    expect(clp_reduce(context, NULL, &good, from, to, 64, NULL, 0, NULL, NULL), CLP_INVALID_QUEUE);
    expect(clp_reduce(context, queue, &good, none, to, 64, NULL, 0, NULL, NULL), CLP_INVALID_BUFFER);
    expect(clp_reduce(context, queue, &good, from, none, 64, NULL, 0, NULL, NULL), CLP_INVALID_BUFFER);
    expect(clp_reduce(context, queue, &good, (clp_buffer){write_only, 0}, to, 8, NULL, 0, NULL, NULL),
           CLP_INVALID_BUFFER);
    expect(clp_reduce(context, queue, &good, from, (clp_buffer){write_only, 0}, 8, NULL, 0, NULL, NULL),
           CLP_INVALID_BUFFER);
    expect(clp_reduce(context, queue, &good, from, (clp_buffer){in, 0}, 8, NULL, 0, NULL, NULL),
           CLP_INVALID_BUFFER); /* read-only */
    expect(clp_reduce(context, queue, &good, (clp_buffer){in, 1}, to, 64, NULL, 0, NULL, NULL),
           CLP_OUT_OF_RANGE);
    expect(clp_reduce(context, queue, &good, from, (clp_buffer){out, OUT_SIZE / 4}, 64, NULL, 0, NULL, NULL),
           CLP_OUT_OF_RANGE);
    expect(clp_reduce(context, queue, &good, (clp_buffer){both, 0}, (clp_buffer){both, 7}, 8, NULL, 0, NULL,
                      NULL),
           CLP_OVERLAP);
    expect(clp_reduce(context, queue, &good, from, to, 8, &(clp_workspace){both, 4, 256}, 0, NULL, NULL),
           CLP_MISALIGNED);
    expect(clp_reduce(context, queue, &good, from, to, 8, &(clp_workspace){both, 0, 4096}, 0, NULL, NULL),
           CLP_OUT_OF_RANGE);
    ck_assert(test_guarded(queue, out, OUT_SIZE, 0, 0));
    /* The result next to its elements is fine. */
    ok_cl(clEnqueueWriteBuffer(queue, both, CL_TRUE, 0, 32, data, 0, NULL, NULL));
    ok(clp_reduce(context, queue, &good, (clp_buffer){both, 0}, (clp_buffer){both, 8}, 8, NULL, 0, NULL,
                  NULL));
    ok_cl(clFinish(queue));
    clReleaseMemObject(both);
    clReleaseMemObject(write_only);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    clp_context_destroy(context);
}
END_TEST

/* The plan: no scratch memory, two launches, one for nothing. */
START_TEST(plan) {
    const clp_reduce_desc desc = {.type = CLP_I32, .op = CLP_SUM, .mode = CLP_REDUCE_FAST};
    clp_context *context = test_context(CLP_SHAPE_DEFAULT, CLP_SUBGROUPS_DEFAULT, 0);
    clp_plan told;
    ok(clp_reduce_plan(context, &desc, 1000, &told));
    ck_assert_uint_eq(told.workspace_size, 0);
    ck_assert_uint_eq(told.launches, 2);
    ck_assert_uint_gt(told.work_group_size, 0);
    ok(clp_reduce_plan(context, &desc, 0, &told));
    ck_assert_uint_eq(told.launches, 1);
    clp_context_destroy(context);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("reduce_fast");
    TCase *fast = tcase_create("fast");
    tcase_add_loop_test(fast, results_are_right, 0, NUM_TYPES * NUM_OPS * NUM_GROUP_SIZES);
    tcase_add_loop_test(fast, special_values, CLP_SHAPE_SIMT, CLP_SHAPE_SIMD + 1);
    tcase_add_test(fast, out_of_order_queue);
    tcase_add_test(fast, errors);
    tcase_add_test(fast, plan);
    suite_add_tcase(suite, fast);
    const int status = test_main(suite);
    if (compared == 0)
        fprintf(stderr, "no result was compared\n");
    return compared == 0 ? EXIT_FAILURE : status;
}

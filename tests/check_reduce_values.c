/* SPDX-License-Identifier: Apache-2.0 */
/* Indices, means and compensated sums: special values written down as bits, and what does not exist. */
#include "reduce_cases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TILE = 4096 };

static uint64_t reduce_words(clp_context *context, const clp_reduce_desc *desc, const void *elements,
                             size_t n) {
    uint64_t result = 0;
    cl_command_queue queue = clp_context_queue(context);
    cl_mem in = test_input(context, elements, n * clp_type_size(desc->type));
    cl_mem out = test_output(context, sizeof result);
    const clp_buffer from = {in, 0}, to = {out, 0};
    if (desc->op == CLP_DOT)
        ok(clp_reduce_pair(context, queue, desc, from, from, to, n, NULL, 0, NULL, NULL));
    else
        ok(clp_reduce(context, queue, desc, from, to, n, NULL, 0, NULL, NULL));
    test_read(queue, out, 0, clp_type_size(clp_reduce_result_type(desc)), &result);
    if (in)
        clReleaseMemObject(in);
    clReleaseMemObject(out);
    return result;
}

#define P0      0x00000000u
#define N0      0x80000000u
#define ONE     0x3f800000u
#define NEG_ONE 0xbf800000u
#define TWO     0x40000000u
#define INF     0x7f800000u
#define NINF    0xff800000u
#define QNAN    0x7fc00000u
#define ODD_NAN 0x7f800123u
#define NEG_NAN 0xffc00001u
#define BIG     0x4cbebc20u /* 1e8 */
#define NEG_BIG 0xccbebc20u
#define HUGE_   0x7f7fffffu /* the largest float */
#define NHUGE   0xff7fffffu
#define DENORM  0x00000001u
#define NOTHING UINT64_MAX

START_TEST(special_indices) {
    static const struct {
        size_t n;
        uint32_t elements[4];
        uint64_t min, max;
    } rows[] = {
        {0, {0}, NOTHING, NOTHING},
        {1, {QNAN}, 0, 0},
        {1, {NINF}, 0, 0},
        {1, {INF}, 0, 0},
        {2, {P0, N0}, 0, 0}, /* equal here, though the minimum itself is −0 */
        {2, {N0, P0}, 0, 0},
        {3, {ONE, N0, P0}, 1, 0},
        {3, {NEG_ONE, N0, P0}, 0, 1},
        {3, {NEG_ONE, P0, N0}, 0, 1},
        {4, {ONE, ONE, ONE, ONE}, 0, 0},
        {4, {TWO, ONE, TWO, ONE}, 1, 0},
        {4, {ONE, TWO, ONE, TWO}, 0, 1},
        {4, {NEG_NAN, INF, QNAN, ODD_NAN}, 1, 0}, /* all NaNs are equal and above +infinity */
        {4, {INF, NEG_NAN, QNAN, NINF}, 3, 1},
        {3, {ODD_NAN, QNAN, NEG_NAN}, 0, 0}, /* the minimum ignores NaN unless there is nothing else */
        {3, {QNAN, QNAN, INF}, 2, 0},
        {3, {INF, INF, QNAN}, 0, 2},
        {2, {NINF, NINF}, 0, 0},
        {3, {INF, HUGE_, NHUGE}, 2, 0},
        {3, {N0, DENORM, P0}, 0, 1}, /* keys are integers: denormals count on every device */
        {3, {P0, DENORM | N0, N0}, 1, 0},
    };
    if (!test_shape((clp_shape)_i))
        return;
    clp_context *context = test_context((clp_shape)_i, CLP_SUBGROUPS_DEFAULT, 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int max = 0; max < 2; max++) {
            clp_reduce_desc desc = {.type = CLP_F32, .op = max ? CLP_ARGMAX : CLP_ARGMIN};
            const uint64_t want = max ? rows[i].max : rows[i].min;
            const uint64_t wide = reduce_words(context, &desc, rows[i].elements, rows[i].n);
            desc.result = CLP_U32;
            const uint64_t word = reduce_words(context, &desc, rows[i].elements, rows[i].n);
            ck_assert_msg(wide == want && word == (uint32_t)want, "row %zu: %s: %llx, %llx, not %llx", i,
                          clp_op_name(desc.op), (unsigned long long)wide, (unsigned long long)word,
                          (unsigned long long)want);
        }
    clp_context_destroy(context);
}
END_TEST

/* The first of equals wins, however the order of the fold turns them around. */
START_TEST(planted_indices) {
    enum { N = 5 * TILE + 17 };
    static const size_t places[] = {0,    1,        3,        4,        127,          128,       131,
                                    255,  4000,     TILE - 1, TILE,     TILE + 1,     TILE + 64, 2 * TILE - 1,
                                    9000, 4 * TILE, N - 18,   5 * TILE, 5 * TILE + 1, N - 1};
    enum { NUM_PLACES = sizeof places / sizeof *places };
    if (!test_shape((clp_shape)_i))
        return;
    static int32_t data[N];
    clp_context *context = test_context((clp_shape)_i, CLP_SUBGROUPS_DEFAULT, 0);
    cl_command_queue queue = clp_context_queue(context);
    cl_int code;
    cl_mem in = clCreateBuffer(clp_context_cl(context), CL_MEM_READ_ONLY, sizeof data, NULL, &code);
    ok_cl(code);
    cl_mem out = test_output(context, 16);
    const size_t n = N < test_max_n() ? N : TILE + 65;
    for (int turn = 0; turn < 2; turn++) {
        const clp_reduce_desc desc = {.type = turn ? CLP_I32 : CLP_F32, .op = turn ? CLP_ARGMIN : CLP_ARGMAX};
        for (size_t p = 0; p < NUM_PLACES; p++)
            for (size_t q = p; q < NUM_PLACES; q += 3) { /* q = p: alone */
                if (places[q] >= n)
                    continue;
                memset(data, 0, sizeof data);
                data[places[p]] = data[places[q]] = turn ? -7 : 0x40490fdb;
                ok_cl(clEnqueueWriteBuffer(queue, in, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL));
                ok(clp_reduce(context, queue, &desc, (clp_buffer){in, 0}, (clp_buffer){out, 1}, n, NULL, 0,
                              NULL, NULL));
                uint64_t got;
                test_read(queue, out, 8, sizeof got, &got);
                ck_assert_msg(got == places[p], "%s: planted at %zu and %zu, found at %llu",
                              clp_op_name(desc.op), places[p], places[q], (unsigned long long)got);
                reduce_compared++;
            }
    }
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    clp_context_destroy(context);
}
END_TEST

START_TEST(special_sums) {
    enum { SUM, MEAN, NORM1, NORM2, DOT, C_SUM, C_MEAN, C_NORM1, C_DOT };
    static const clp_reduce_desc descs[] = {
        [SUM] = {.type = CLP_F32, .op = CLP_SUM},
        [MEAN] = {.type = CLP_F32, .op = CLP_MEAN},
        [NORM1] = {.type = CLP_F32, .op = CLP_NORM1},
        [NORM2] = {.type = CLP_F32, .op = CLP_NORM2},
        [DOT] = {.type = CLP_F32, .op = CLP_DOT},
        [C_SUM] = {.type = CLP_F32, .op = CLP_SUM, .mode = CLP_REDUCE_COMPENSATED},
        [C_MEAN] = {.type = CLP_F32, .op = CLP_MEAN, .mode = CLP_REDUCE_COMPENSATED},
        [C_NORM1] = {.type = CLP_F32, .op = CLP_NORM1, .mode = CLP_REDUCE_COMPENSATED},
        [C_DOT] = {.type = CLP_F32, .op = CLP_DOT, .mode = CLP_REDUCE_COMPENSATED},
    };
    static const struct {
        int desc;
        size_t n;
        uint32_t elements[9], want;
    } rows[] = {
        {MEAN, 0, {0}, QNAN},
        {MEAN, 1, {N0}, N0},
        {MEAN, 2, {ONE, TWO}, 0x3fc00000},
        {MEAN, 3, {ONE, ONE, TWO}, 0x3faaaaab}, /* 4/3, correctly rounded */
        {MEAN, 7, {ONE}, 0x3e124925},           /* 1/7, the rest +0 */
        {MEAN, 2, {INF, ONE}, INF},
        {MEAN, 2, {INF, NINF}, QNAN},
        {MEAN, 2, {HUGE_, HUGE_}, INF}, /* the sum overflows, and that is what is divided */
        {MEAN, 2, {ONE, NEG_NAN}, QNAN},
        /* 1, 1e8, −1e8: lane 0 meets lane 2 first and is lost. */
        {SUM, 3, {ONE, BIG, NEG_BIG}, P0},
        {C_SUM, 3, {ONE, BIG, NEG_BIG}, ONE},
        {MEAN, 3, {ONE, BIG, NEG_BIG}, P0},
        {C_MEAN, 3, {ONE, BIG, NEG_BIG}, 0x3eaaaaab},
        /* 1e8 and eight ones: floats there are 8 apart. */
        {NORM1, 9, {NEG_BIG, ONE, ONE, NEG_ONE, ONE, ONE, ONE, ONE, ONE}, 0x4cbebc20},
        {C_NORM1, 9, {NEG_BIG, ONE, ONE, NEG_ONE, ONE, ONE, ONE, ONE, ONE}, 0x4cbebc21},
        {C_SUM, 9, {BIG, ONE, ONE, ONE, ONE, ONE, ONE, ONE, ONE}, 0x4cbebc21},
        /* 1e4 squared and eight ones. */
        {DOT, 9, {0x461c4000, ONE, ONE, NEG_ONE, ONE, ONE, ONE, ONE, ONE}, 0x4cbebc20},
        {C_DOT, 9, {0x461c4000, ONE, ONE, NEG_ONE, ONE, ONE, ONE, ONE, ONE}, 0x4cbebc21},
        {C_SUM, 0, {0}, P0},
        {C_MEAN, 0, {0}, QNAN},
        {C_NORM1, 0, {0}, P0},
        {C_DOT, 0, {0}, P0},
        {C_SUM, 1, {N0}, N0},
        {C_SUM, 3, {N0, N0, N0}, N0},
        {C_MEAN, 2, {N0, N0}, N0},
        {C_SUM, 2, {N0, P0}, P0},
        {C_SUM, 2, {ONE, NEG_ONE}, P0},
        {C_SUM, 1, {INF}, INF}, /* the error of an infinite sum is NaN and must not count */
        {C_SUM, 3, {ONE, NINF, ONE}, NINF},
        {C_MEAN, 3, {ONE, NINF, ONE}, NINF},
        {C_SUM, 2, {INF, NINF}, QNAN},
        {C_SUM, 2, {INF, INF}, INF},
        {C_SUM, 2, {ONE, ODD_NAN}, QNAN},
        {C_SUM, 1, {NEG_NAN}, QNAN},
        {C_SUM, 2, {HUGE_, HUGE_}, INF},
        {C_SUM, 3, {HUGE_, HUGE_, NHUGE}, HUGE_}, /* lane 0 meets lane 2 first */
        {C_SUM, 3, {HUGE_, NHUGE, HUGE_}, INF},   /* and here overflows: INF + finite */
        {C_NORM1, 2, {NINF, N0}, INF},
        {C_DOT, 2, {HUGE_, ONE}, INF},
    };
    if (!test_shape((clp_shape)_i))
        return;
    clp_context *context = test_context((clp_shape)_i, CLP_SUBGROUPS_DEFAULT, 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const clp_reduce_desc *desc = &descs[rows[i].desc];
        uint32_t want = 0;
        ref_reduce(desc, rows[i].elements, rows[i].n, &want);
        ck_assert_msg(want == rows[i].want, "row %zu: the reference: %s: %08x, not %08x", i,
                      clp_op_name(desc->op), want, rows[i].want);
        if (!test_full() && rows[i].desc != C_SUM && rows[i].desc % 2 != _i % 2 &&
            test_shape((clp_shape)(3 - _i)))
            continue; /* sums in both shapes, the rest in turn */
        const uint32_t got = (uint32_t)reduce_words(context, desc, rows[i].elements, rows[i].n);
        ck_assert_msg(got == rows[i].want, "row %zu: %s: %08x, not %08x", i, clp_op_name(desc->op), got,
                      rows[i].want);
    }
    clp_context_destroy(context);
}
END_TEST

/* Sums of integers wrap, are rounded once and then divided; 16-bit means are rounded once more at the end. */
START_TEST(special_means) {
    static const struct {
        clp_type type, result;
        size_t n;
        uint64_t elements[3]; /* packed below */
        uint64_t want;
    } rows[] = {
        {CLP_I32, CLP_F32, 2, {(uint64_t)-3, 0}, 0xbfc00000},                    /* −1.5 */
        {CLP_U32, CLP_F32, 1, {16777217}, 0x4b800000},                           /* to even: 2^24 */
        {CLP_U32, CLP_F32, 1, {16777219}, 0x4b800002},                           /* to even: 2^24 + 4 */
        {CLP_U32, CLP_F32, 3, {0xffffffff, 0xffffffff, 0xffffffff}, 0x4f800000}, /* 2^32 */
        {CLP_I8, CLP_F32, 3, {0x80, 0x80, 0x7f}, 0xc22c0000},                    /* −129/3 = −43 */
        {CLP_U64, CLP_F32, 1, {~(uint64_t)0}, 0x5f800000},                       /* 2^64, not −1 */
        {CLP_U64, CLP_F32, 2, {~(uint64_t)0, 2}, 0x3f000000},                    /* wraps to 1 */
        {CLP_I64, CLP_F32, 2, {INT64_MAX, INT64_MAX}, 0xbf800000},               /* wraps to −2 */
        {CLP_I32, CLP_F32, 0, {0}, 0x7fc00000},
        {CLP_I32, CLP_F64, 0, {0}, 0x7ff8000000000000},
        {CLP_U8, CLP_F64, 3, {1, 0, 0}, 0x3fd5555555555555},                  /* 1/3 */
        {CLP_U64, CLP_F64, 1, {((uint64_t)1 << 53) + 1}, 0x4340000000000000}, /* 2^53 */
        {CLP_I64, CLP_F64, 2, {(uint64_t)INT64_MIN, 0}, 0xc3d0000000000000},  /* −2^62 */
        {CLP_I16, CLP_F64, 3, {0x8000, 0x7fff, 0}, 0xbfd5555555555555},
        {CLP_F16, CLP_F32, 3, {0x3c00, 0x4000, 0x4000}, 0x3fd55555}, /* 5/3 */
        {CLP_F16, CLP_F16, 3, {0x3c00, 0x4000, 0x4000}, 0x3eab},
        {CLP_F16, CLP_F16, 2, {0x7bff, 0x7bff}, 0x7bff}, /* the sum is beyond f16 */
        {CLP_F16, CLP_F16, 0, {0}, 0x7e00},
        {CLP_BF16, CLP_BF16, 3, {0x3f80, 0x4000, 0x4000}, 0x3fd5},
        {CLP_BF16, CLP_BF16, 0, {0}, 0x7fc0},
        {CLP_F64, CLP_F64, 3, {0x3ff0000000000000, 0, 0}, 0x3fd5555555555555},
        {CLP_F64, CLP_F64, 0, {0}, 0x7ff8000000000000},
    };
    if (!test_shape((clp_shape)_i))
        return;
    clp_context *context = test_context((clp_shape)_i, CLP_SUBGROUPS_DEFAULT, 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const clp_reduce_desc desc = {.type = rows[i].type, .op = CLP_MEAN, .result = rows[i].result};
        const size_t size = clp_type_size(desc.type);
        unsigned char packed[24];
        uint64_t want = 0;
        for (size_t k = 0; k < rows[i].n; k++)
            memcpy(packed + k * size, &rows[i].elements[k], size);
        ref_reduce(&desc, packed, rows[i].n, &want);
        ck_assert_msg(want == rows[i].want, "row %zu: the reference: %llx, not %llx", i,
                      (unsigned long long)want, (unsigned long long)rows[i].want);
        if (!reduce_device_can(context, &desc) ||
            (!test_full() && (int)i % 2 != _i % 2 && test_shape((clp_shape)(3 - _i))))
            continue; /* shapes take turns */
        const uint64_t got = reduce_words(context, &desc, packed, rows[i].n);
        ck_assert_msg(got == want, "row %zu: mean of %s: %llx, not %llx", i, clp_type_name(desc.type),
                      (unsigned long long)got, (unsigned long long)want);
    }
    clp_context_destroy(context);
}
END_TEST

/* The documented bound: half an ulp of the sum and γ² of the magnitudes, where the tree alone errs by γ. */
START_TEST(compensated_error_bound) {
    if (!test_shape((clp_shape)_i))
        return;
    const size_t n = test_max_n() < 300000 ? test_max_n() : 300000;
    float *data = malloc(n * sizeof *data);
    ck_assert_ptr_nonnull(data);
    ref_fill(REF_UNIFORM, CLP_F32, 0, n, data);
    for (size_t i = 1; i < n; i += 2) /* cancel all but a little */
        data[i] = -data[i - 1] * (1 + (float)(i % 5) / 8388608);
    long double sum = 0, magnitudes = 0;
    for (size_t i = 0; i < n; i++)
        sum += data[i], magnitudes += fabsl(data[i]);
    clp_context *context = test_context((clp_shape)_i, CLP_SUBGROUPS_DEFAULT, 0);
    const clp_reduce_desc desc = {.type = CLP_F32, .op = CLP_SUM, .mode = CLP_REDUCE_COMPENSATED};
    const uint32_t bits = (uint32_t)reduce_words(context, &desc, data, n);
    float got;
    memcpy(&got, &bits, sizeof got);
    const long double u = ldexpl(1, -24), h = 2 * (31 + 7), gamma = h * u / (1 - h * u);
    const long double bound = u * fabsl(sum) + gamma * gamma * magnitudes;
    ck_assert_msg(fabsl((long double)got - sum) <= bound, "sum %.9g, not %.12Lg within %.3Lg", got, sum,
                  bound);
    free(data);
    clp_context_destroy(context);
}
END_TEST

/* ---- what does not exist
 * ----------------------------------------------------------------------------------- */

START_TEST(combinations_that_do_not_exist) {
    static const clp_reduce_desc wrong[] = {
        {.type = CLP_F32, .op = CLP_ARGMIN, .result = CLP_I32},
        {.type = CLP_F32, .op = CLP_ARGMIN, .result = CLP_I64},
        {.type = CLP_F32, .op = CLP_ARGMAX, .result = CLP_F32},
        {.type = CLP_U32, .op = CLP_ARGMAX, .result = CLP_U16},
        {.type = CLP_F32, .op = CLP_ARGMAX, .mode = CLP_REDUCE_COMPENSATED},
        {.type = CLP_F32, .op = CLP_ARGMAX, .mode = CLP_REDUCE_WIDE},
        {.type = CLP_F32, .op = CLP_ARGMAX, .mode = CLP_REDUCE_FAST},
        {.type = CLP_I32, .op = CLP_MEAN, .result = CLP_I32},
        {.type = CLP_I32, .op = CLP_MEAN, .result = CLP_I64},
        {.type = CLP_I32, .op = CLP_MEAN, .result = CLP_F16},
        {.type = CLP_F32, .op = CLP_MEAN, .result = CLP_F64},
        {.type = CLP_F16, .op = CLP_MEAN, .result = CLP_BF16},
        {.type = CLP_F64, .op = CLP_MEAN, .result = CLP_F32},
        {.type = CLP_F32, .op = CLP_MEAN, .result = CLP_F16},
        {.type = CLP_F32, .op = CLP_MEAN, .mode = CLP_REDUCE_WIDE},
        {.type = CLP_F32, .op = CLP_MEAN, .mode = CLP_REDUCE_FAST},
        {.type = CLP_I32, .op = CLP_MEAN, .mode = CLP_REDUCE_COMPENSATED},
        {.type = CLP_I32, .op = CLP_SUM, .mode = CLP_REDUCE_COMPENSATED},
        {.type = CLP_U64, .op = CLP_SUM, .mode = CLP_REDUCE_COMPENSATED},
        {.type = CLP_F32, .op = CLP_PROD, .mode = CLP_REDUCE_COMPENSATED},
        {.type = CLP_F32, .op = CLP_MIN, .mode = CLP_REDUCE_COMPENSATED},
        {.type = CLP_F32, .op = CLP_ALL, .mode = CLP_REDUCE_COMPENSATED},
        {.type = CLP_F32, .op = CLP_SUM, .result = CLP_F64, .mode = CLP_REDUCE_COMPENSATED},
        {.type = CLP_F16, .op = CLP_SUM, .mode = CLP_REDUCE_WIDE},
        {.type = CLP_F32, .op = CLP_NORM1, .mode = CLP_REDUCE_WIDE},
        {.type = CLP_F64, .op = CLP_SUM, .mode = CLP_REDUCE_FAST},
        {.type = CLP_F16, .op = CLP_SUM, .mode = CLP_REDUCE_FAST},
        {.type = CLP_I64, .op = CLP_SUM, .mode = CLP_REDUCE_FAST},
        {.type = CLP_U8, .op = CLP_MAX, .mode = CLP_REDUCE_FAST},
        {.type = CLP_F32, .op = CLP_PROD, .mode = CLP_REDUCE_FAST},
        {.type = CLP_F32, .op = CLP_NORM2, .mode = CLP_REDUCE_FAST},
        {.type = CLP_I32, .op = CLP_NORM1},
        {.type = CLP_U8, .op = CLP_NORM2},
        {.type = CLP_USER, .op = CLP_SUM}, /* without user text */
    };
    clp_context *context = test_context(CLP_SHAPE_DEFAULT, CLP_SUBGROUPS_DEFAULT, 0);
    cl_command_queue queue = clp_context_queue(context);
    const uint64_t data[8] = {0};
    cl_mem in = test_input(context, data, sizeof data), out = test_output(context, 32);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const clp_reduce_desc *desc = &wrong[i];
        cl_event event = (cl_event)in; /* must become NULL */
        const clp_status want = desc->type == CLP_USER ? CLP_INVALID_ARGUMENT : CLP_UNSUPPORTED;
        const clp_status status = clp_reduce(context, queue, desc, (clp_buffer){in, 0}, (clp_buffer){out, 1},
                                             2, NULL, 0, NULL, &event);
        ck_assert_msg(status == want, "row %zu: %s of %s, mode %d: %s, not %s", i, clp_op_name(desc->op),
                      clp_type_name(desc->type), (int)desc->mode, clp_status_name(status),
                      clp_status_name(want));
        ck_assert_ptr_null(event);
        ck_assert_str_ne(clp_last_detail(), "");
        ck_assert_int_eq(clp_reduce_result_type(desc), CLP_TYPE_INVALID);
        clp_plan plan;
        clp_cost cost = {1, 1, 1, 1, 1};
        expect(clp_reduce_plan(context, desc, 2, &plan), want);
        expect(clp_reduce_prewarm(context, desc), want);
        ck_assert_int_ne(clp_reduce_cost(desc, 2, &cost), CLP_SUCCESS);
        ck_assert(cost.bytes == 0 && cost.work == 0);
    }
    ck_assert(test_guarded(queue, out, 32, 0, 0));
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    clp_context_destroy(context);
}
END_TEST

/* An index of 32 bits cannot tell 2^32 elements apart: found before any memory is looked at. */
START_TEST(indices_of_32_bits) {
    const size_t n = (size_t)1 << 32;
    clp_context *context = test_context(CLP_SHAPE_DEFAULT, CLP_SUBGROUPS_DEFAULT, 0);
    cl_command_queue queue = clp_context_queue(context);
    const clp_reduce_desc desc = {.type = CLP_U8, .op = CLP_ARGMIN, .result = CLP_U32};
    const uint8_t data[16] = {3, 1, 2};
    cl_int code = CL_SUCCESS;
    cl_mem small = test_input(context, data, sizeof data), out = test_output(context, 16), big = NULL;
    if (n < test_max_n())
        big = clCreateBuffer(clp_context_cl(context), CL_MEM_READ_ONLY, n + 16, NULL, &code);
    ok_cl(code);
    for (int which = 0; which < 2; which++) {
        const clp_buffer from = {which && big ? big : small, 0}, to = {out, 1};
        expect(clp_reduce(context, queue, &desc, from, to, n, NULL, 0, NULL, NULL), CLP_OUT_OF_RANGE);
        expect(clp_reduce_rows(context, queue, &desc, from, (clp_buffer){NULL, 0}, to,
                               &(clp_rows){.count = 1, .columns = n}, NULL, 0, NULL, NULL),
               CLP_OUT_OF_RANGE);
    }
    ck_assert(test_guarded(queue, out, 16, 0, 0));
    uint32_t got;
    ok(clp_reduce(context, queue, &desc, (clp_buffer){small, 0}, (clp_buffer){out, 1}, 3, NULL, 0, NULL,
                  NULL));
    test_read(queue, out, 4, 4, &got);
    ck_assert_uint_eq(got, 1);
    if (big)
        clReleaseMemObject(big);
    clReleaseMemObject(small);
    clReleaseMemObject(out);
    clp_context_destroy(context);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("reduce_values");
    TCase *values = tcase_create("values");
    tcase_add_loop_test(values, special_indices, CLP_SHAPE_SIMT, CLP_SHAPE_SIMD + 1);
    tcase_add_loop_test(values, planted_indices, CLP_SHAPE_SIMT, CLP_SHAPE_SIMD + 1);
    tcase_add_loop_test(values, special_sums, CLP_SHAPE_SIMT, CLP_SHAPE_SIMD + 1);
    tcase_add_loop_test(values, special_means, CLP_SHAPE_SIMT, CLP_SHAPE_SIMD + 1);
    tcase_add_loop_test(values, compensated_error_bound, CLP_SHAPE_SIMT, CLP_SHAPE_SIMD + 1);
    suite_add_tcase(suite, values);
    TCase *errors = tcase_create("errors");
    tcase_add_test(errors, combinations_that_do_not_exist);
    tcase_add_test(errors, indices_of_32_bits);
    suite_add_tcase(suite, errors);
    return reduce_main(suite);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The cost model: work, span and bytes of each pattern, and the bound. Needs no device. */
#include "harness.h"

#include <string.h>

static clp_cost reduce_cost(clp_op op, clp_type type, clp_type result, size_t n) {
    const clp_reduce_desc desc = {.type = type, .op = op, .result = result};
    clp_cost cost;
    ok(clp_reduce_cost(&desc, n, &cost));
    return cost;
}

static bool all_zero(const clp_cost *cost) {
    const clp_cost zero = {0};
    return memcmp(cost, &zero, sizeof zero) == 0;
}

START_TEST(reduce_work_and_span) {
    static const struct {
        size_t n, work, span;
    } rows[] = {
        {0, 0, 0},
        {1, 0, 0},
        {2, 1, 38},
        {4096, 4095, 38},
        {4097, 4096, 76},
        {(size_t)1 << 24, ((size_t)1 << 24) - 1, 76},
        {((size_t)1 << 24) + 1, (size_t)1 << 24, 114},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const clp_cost cost = reduce_cost(CLP_SUM, CLP_F32, CLP_TYPE_INVALID, rows[i].n);
        ck_assert_double_eq(cost.work, (double)rows[i].work);
        ck_assert_double_eq(cost.span, (double)rows[i].span);
        ck_assert_double_eq(cost.serial_work, (double)rows[i].work);
        ck_assert_double_eq(cost.serial_span, (double)rows[i].work);
    }
    /* A count that size_t holds and that no memory does. */
    ck_assert_double_eq(reduce_cost(CLP_SUM, CLP_F32, CLP_TYPE_INVALID, SIZE_MAX).span, 38 * 6);
}
END_TEST

/* The input once and the result: its size follows the description. */
START_TEST(reduce_bytes) {
    ck_assert_double_eq(reduce_cost(CLP_SUM, CLP_F32, CLP_TYPE_INVALID, 1000).bytes, 4004);
    ck_assert_double_eq(reduce_cost(CLP_SUM, CLP_I32, CLP_TYPE_INVALID, 1000).bytes, 4008);
    ck_assert_double_eq(reduce_cost(CLP_SUM, CLP_I32, CLP_I32, 1000).bytes, 4004);
    ck_assert_double_eq(reduce_cost(CLP_MAX, CLP_F64, CLP_TYPE_INVALID, 1000).bytes, 8008);
    ck_assert_double_eq(reduce_cost(CLP_MIN, CLP_U32, CLP_TYPE_INVALID, 0).bytes, 4);
}
END_TEST

/* Operators that need not be commutative have the ordered form's chain. */
START_TEST(reduce_of_the_ordered_form) {
    static const struct {
        size_t n;
        double span;
    } rows[] = {{0, 0},       {1, 0},        {2, 16},       {4096, 16},    {4097, 21},   {131072, 21},
                {131073, 26}, {1 << 22, 26}, {4194305, 27}, {8388608, 27}, {8388609, 28}};
    const float zero = 0;
    clp_user user = {.op = "b", .identity = &zero};
    const clp_reduce_desc desc = {.type = CLP_F32, .op = CLP_OP_USER, .user = &user};
    clp_cost cost;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ok(clp_reduce_cost(&desc, rows[i].n, &cost));
        ck_assert_double_eq(cost.span, rows[i].span);
    }
    user.promises = CLP_COMMUTATIVE;
    ok(clp_reduce_cost(&desc, 4097, &cost));
    ck_assert_double_eq(cost.span, 76);
    const clp_reduce_desc own = {
        .type = CLP_USER,
        .op = CLP_OP_USER,
        .user = &(clp_user){.type = "float3", .type_size = 16, .op = "a + b", .identity = (float[4]){0}}};
    ok(clp_reduce_cost(&own, 100, &cost));
    ck_assert_double_eq(cost.bytes, 1616);
}
END_TEST

/* The new operators and modes count like the others. */
START_TEST(reduce_of_other_forms) {
    const clp_reduce_desc compensated = {.type = CLP_F32, .op = CLP_SUM, .mode = CLP_REDUCE_COMPENSATED};
    clp_cost cost;
    ok(clp_reduce_cost(&compensated, 5000, &cost));
    ck_assert_double_eq(cost.work, 4999);
    ck_assert_double_eq(cost.span, 76);
    ck_assert_double_eq(cost.bytes, 20004);
    ck_assert_double_eq(reduce_cost(CLP_ARGMAX, CLP_F32, CLP_TYPE_INVALID, 1000).bytes, 4008);
    ck_assert_double_eq(reduce_cost(CLP_ARGMAX, CLP_F32, CLP_U32, 1000).bytes, 4004);
    ck_assert_double_eq(reduce_cost(CLP_MEAN, CLP_I32, CLP_TYPE_INVALID, 1000).bytes, 4008);
    ck_assert_double_eq(reduce_cost(CLP_DOT, CLP_F32, CLP_TYPE_INVALID, 1000).bytes, 8004);
}
END_TEST

START_TEST(rows_and_segments) {
    const clp_reduce_desc desc = {.type = CLP_F32, .op = CLP_SUM};
    const clp_buffer somewhere = {.mem = (cl_mem)(uintptr_t)64}; /* it is not looked into */
    clp_rows rows = {.count = 10, .columns = 5000, .stride = 8192};
    clp_segments segments = {.count = 10, .n = 50000};
    clp_cost cost;
    ok(clp_reduce_rows_cost(&desc, &rows, &cost));
    ck_assert_double_eq(cost.bytes, 4 * 50000 + 4 * 10);
    ck_assert_double_eq(cost.work, 10 * 4999);
    ck_assert_double_eq(cost.serial_work, 10 * 4999);
    ck_assert_double_eq(cost.span, 76);
    ck_assert_double_eq(cost.serial_span, 4999);
    rows.lengths = somewhere;
    ok(clp_reduce_rows_cost(&desc, &rows, &cost));
    ck_assert_double_eq(cost.bytes, 4 * 50000 + 8 * 10);
    ok(clp_reduce_segments_cost(&desc, &segments, &cost));
    ck_assert_double_eq(cost.bytes, 4 * 50000 + 4 * 11 + 4 * 10);
    ck_assert_double_eq(cost.work, 50000 - 10);
    ck_assert_double_eq(cost.span, 76);
    segments = (clp_segments){.count = 10, .n = 50000, .index = CLP_U64, .ends = somewhere};
    ok(clp_reduce_segments_cost(&desc, &segments, &cost));
    ck_assert_double_eq(cost.bytes, 4 * 50000 + 8 * 20 + 4 * 10);
    segments.n = 5; /* the others are empty */
    ok(clp_reduce_segments_cost(&desc, &segments, &cost));
    ck_assert_double_eq(cost.work, 0);
    ck_assert_double_eq(cost.span, 0);
    /* Nothing to do. */
    segments = (clp_segments){.n = 5};
    ok(clp_reduce_segments_cost(&desc, &segments, &cost));
    ck_assert_double_eq(cost.bytes, 4);
    rows = (clp_rows){.columns = 5};
    ok(clp_reduce_rows_cost(&desc, &rows, &cost));
    ck_assert(all_zero(&cost));
}
END_TEST

START_TEST(rows_and_segments_errors) {
    const clp_reduce_desc desc = {.type = CLP_F32, .op = CLP_SUM}, none = {.type = CLP_F32};
    const clp_rows rows = {.count = 1, .columns = 1};
    const clp_segments segments = {.count = 1, .n = 1}, odd = {.count = 1, .n = 1, .index = CLP_I32};
    clp_cost cost;
    expect(clp_reduce_rows_cost(&desc, &rows, NULL), CLP_INVALID_ARGUMENT);
    expect(clp_reduce_rows_cost(NULL, &rows, &cost), CLP_INVALID_ARGUMENT);
    expect(clp_reduce_rows_cost(&desc, NULL, &cost), CLP_INVALID_ARGUMENT);
    memset(&cost, 0xff, sizeof cost);
    expect(clp_reduce_rows_cost(&none, &rows, &cost), CLP_UNSUPPORTED);
    ck_assert(all_zero(&cost));
    expect(clp_reduce_segments_cost(&desc, &segments, NULL), CLP_INVALID_ARGUMENT);
    expect(clp_reduce_segments_cost(NULL, &segments, &cost), CLP_INVALID_ARGUMENT);
    expect(clp_reduce_segments_cost(&desc, NULL, &cost), CLP_INVALID_ARGUMENT);
    memset(&cost, 0xff, sizeof cost);
    expect(clp_reduce_segments_cost(&desc, &odd, &cost), CLP_INVALID_TYPE);
    ck_assert(all_zero(&cost));
    expect(clp_reduce_segments_cost(&none, &segments, &cost), CLP_UNSUPPORTED);
}
END_TEST

START_TEST(reduce_errors) {
    clp_reduce_desc desc = {.type = CLP_F32, .op = CLP_SUM};
    clp_cost cost;
    expect(clp_reduce_cost(&desc, 1, NULL), CLP_INVALID_ARGUMENT);
    memset(&cost, 0xff, sizeof cost);
    expect(clp_reduce_cost(NULL, 1, &cost), CLP_INVALID_ARGUMENT);
    ck_assert(all_zero(&cost));
    desc.type = CLP_TYPE_INVALID;
    expect(clp_reduce_cost(&desc, 1, &cost), CLP_INVALID_TYPE);
    desc = (clp_reduce_desc){.type = CLP_F32, .op = CLP_OP_INVALID};
    memset(&cost, 0xff, sizeof cost);
    expect(clp_reduce_cost(&desc, 1, &cost), CLP_UNSUPPORTED);
    ck_assert(all_zero(&cost));
    desc = (clp_reduce_desc){.type = CLP_F32, .op = CLP_SUM, .result = CLP_I8};
    expect(clp_reduce_cost(&desc, 1, &cost), CLP_UNSUPPORTED);
}
END_TEST

/* A scan of a chunk is four rounds of at most 16 operations; all that is larger adds to the span. */
START_TEST(scan_work_span_and_bytes) {
    static const float identity[4];
    const clp_user vector = {.type = "float4", .type_size = 16, .op = "a + b", .identity = identity};
    const clp_scan_desc sum = {.type = CLP_F32, .op = CLP_SUM},
                        wide = {.type = CLP_U8, .op = CLP_SUM, .result = CLP_U64},
                        user = {.type = CLP_USER, .op = CLP_OP_USER, .user = &vector};
    clp_cost cost;
    ok(clp_scan_cost(&sum, 1000, &cost));
    ck_assert_double_eq(cost.bytes, 8000);
    ck_assert_double_eq(cost.serial_work, 999);
    ck_assert_double_eq(cost.serial_span, 999);
    ck_assert_double_eq(cost.span, 32);
    ck_assert_double_ge(cost.work, 4 * 1000);
    ck_assert_double_le(cost.work, 8 * 1000);
    ok(clp_scan_cost(&sum, (size_t)1 << 28, &cost));
    ck_assert_double_eq(cost.span, 31 + 64);
    ok(clp_scan_cost(&wide, 1000, &cost));
    ck_assert_double_eq(cost.bytes, 9000);
    ok(clp_scan_cost(&user, 1000, &cost));
    ck_assert_double_eq(cost.bytes, 32000);
    ok(clp_scan_cost(&sum, 1, &cost));
    ck_assert(cost.bytes == 8 && cost.work == 0 && cost.span == 0);
    ok(clp_scan_cost(&sum, 0, &cost));
    ck_assert(all_zero(&cost));
}
END_TEST

START_TEST(scan_errors) {
    clp_scan_desc desc = {.type = CLP_F32, .op = CLP_SUM};
    clp_cost cost;
    expect(clp_scan_cost(&desc, 1, NULL), CLP_INVALID_ARGUMENT);
    memset(&cost, 0xff, sizeof cost);
    expect(clp_scan_cost(NULL, 1, &cost), CLP_INVALID_ARGUMENT);
    ck_assert(all_zero(&cost));
    desc.type = CLP_TYPE_INVALID;
    expect(clp_scan_cost(&desc, 1, &cost), CLP_INVALID_TYPE);
    desc = (clp_scan_desc){.type = CLP_F32, .op = CLP_OP_INVALID};
    expect(clp_scan_cost(&desc, 1, &cost), CLP_UNSUPPORTED);
    desc.op = CLP_OP_USER;
    expect(clp_scan_cost(&desc, 1, &cost), CLP_INVALID_ARGUMENT);
    desc = (clp_scan_desc){.type = CLP_F32, .op = CLP_SUM, .result = CLP_F64};
    expect(clp_scan_cost(&desc, 1, &cost), CLP_UNSUPPORTED);
}
END_TEST

/* Flags spare reading what they drop, indices all of it; a count is eight bytes or four. */
START_TEST(histograms) {
    clp_cost cost;
    clp_histogram_desc desc = {.type = CLP_U8, .bins = {{.count = 256}}};
    ok(clp_histogram_cost(&desc, 1024, &cost));
    ck_assert(cost.bytes == 1024 + 256 * 8 && cost.work == 4 * 1024 && cost.span == 13);
    desc = (clp_histogram_desc){
        .type = CLP_F32, .weight = CLP_U32, .channels = 3, .active = 2, .count = CLP_U32};
    desc.bins[0] = (clp_bins){.count = 100, .high.f = 1};
    desc.bins[1] = (clp_bins){.count = 8, .edges.mem = (cl_mem)(void *)&cost}; /* not looked into */
    ok(clp_histogram_cost(&desc, 10, &cost));
    ck_assert(cost.bytes == 10 * 3 * 8 + 108 * 4 + 9 * 4 && cost.work == 10 * 4 + 10 * 4 && cost.span == 7);
    ok(clp_histogram_cost(&desc, 0, &cost));
    ck_assert(cost.work == 0 && cost.span == 0 && cost.serial_span == 0);
    expect(clp_histogram_cost(&desc, 1, NULL), CLP_INVALID_ARGUMENT);
    memset(&cost, 0xff, sizeof cost);
    expect(clp_histogram_cost(NULL, 1, &cost), CLP_INVALID_ARGUMENT);
    ck_assert(all_zero(&cost));
    desc.bins[0].high.f = 0;
    expect(clp_histogram_cost(&desc, 1, &cost), CLP_OUT_OF_RANGE);
}
END_TEST

START_TEST(selections) {
    const clp_user vector = {.type = "float4", .type_size = 16};
    const clp_select_desc above = {.type = CLP_F32, .where = "x > 0.5f"},
                          flags = {.type = CLP_F64, .second = CLP_U8, .count = CLP_U32},
                          with = {.type = CLP_I16, .second = CLP_USER, .where = "x > s.x", .user = &vector},
                          indices = {.type = CLP_U8, .second = CLP_U16, .index = CLP_U32},
                          runs = {.type = CLP_F32}, pairs = {.type = CLP_F32, .second = CLP_U64};
    const struct {
        const clp_select_desc *desc;
        double select, partition; /* bytes, 1000 elements and 300 kept */
    } rows[] = {
        {&above, 4000 + 1200 + 8, 8000 + 8},
        {&flags, 1000 + 2 * 2400 + 4, 1000 + 16000 + 4},
        {&with, 2000 + 16000 + 600 + 8, 4000 + 16000 + 8},
        {&indices, 2000 + 1200 + 8, 2000 + 4000 + 8},
    };
    clp_cost cost;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ok(clp_select_cost(rows[i].desc, 1000, 300, &cost));
        ck_assert_msg(cost.bytes == rows[i].select, "row %zu: %g bytes", i, cost.bytes);
        ok(clp_partition_cost(rows[i].desc, 1000, &cost));
        ck_assert_msg(cost.bytes == rows[i].partition, "row %zu: %g bytes of a partition", i, cost.bytes);
    }
    ok(clp_unique_cost(&runs, 1000, 300, &cost));
    ck_assert_double_eq(cost.bytes, 4000 + 1200 + 8);
    ck_assert(cost.work == 4000 && cost.span == 22 && cost.serial_work == 2000 && cost.serial_span == 1001);
    ok(clp_unique_cost(&pairs, 1000, 300, &cost));
    ck_assert_double_eq(cost.bytes, 4000 + 1200 + 2 * 2400 + 8);
    ok(clp_select_cost(&above, 1, 1, &cost));
    ck_assert(cost.bytes == 16 && cost.work == 4 && cost.span == 2);
    ok(clp_select_cost(&above, 0, 0, &cost));
    ck_assert(cost.bytes == 8 && cost.work == 0 && cost.span == 0 && cost.serial_span == 0);
}
END_TEST

START_TEST(selections_errors) {
    clp_select_desc desc = {.type = CLP_F32, .where = "1"};
    clp_cost cost;
    expect(clp_select_cost(&desc, 1, 1, NULL), CLP_INVALID_ARGUMENT);
    expect(clp_partition_cost(&desc, 1, NULL), CLP_INVALID_ARGUMENT);
    expect(clp_unique_cost(&desc, 1, 1, NULL), CLP_INVALID_ARGUMENT);
    memset(&cost, 0xff, sizeof cost);
    expect(clp_select_cost(NULL, 1, 1, &cost), CLP_INVALID_ARGUMENT);
    ck_assert(all_zero(&cost));
    memset(&cost, 0xff, sizeof cost);
    expect(clp_select_cost(&desc, 1, 2, &cost), CLP_OUT_OF_RANGE);
    ck_assert(all_zero(&cost));
    expect(clp_unique_cost(&desc, 1, 1, &cost), CLP_INVALID_ARGUMENT);
    desc.where = NULL;
    expect(clp_select_cost(&desc, 1, 1, &cost), CLP_INVALID_ARGUMENT);
    desc.second = CLP_F32;
    expect(clp_partition_cost(&desc, 1, &cost), CLP_INVALID_TYPE);
    desc.type = CLP_USER;
    expect(clp_unique_cost(&desc, 1, 1, &cost), CLP_INVALID_ARGUMENT);
    desc.type = (clp_type)99;
    expect(clp_unique_cost(&desc, 1, 1, &cost), CLP_INVALID_TYPE);
}
END_TEST

/* Each of the three parts can be the greatest; an unknown one bounds nothing. */
START_TEST(bound_is_the_greatest_part) {
    const clp_cost cost = {.work = 1000, .span = 10, .bytes = 4000};
    clp_machine machine = {.bytes_per_second = 1000, .operations_per_second = 500, .latency_seconds = 0.1};
    ck_assert_double_eq(clp_cost_bound(&cost, &machine), 4);
    machine.operations_per_second = 100;
    ck_assert_double_eq(clp_cost_bound(&cost, &machine), 10);
    machine.latency_seconds = 2;
    ck_assert_double_eq(clp_cost_bound(&cost, &machine), 20);
    machine = (clp_machine){.operations_per_second = 100};
    ck_assert_double_eq(clp_cost_bound(&cost, &machine), 10);
    machine = (clp_machine){0};
    ck_assert_double_eq(clp_cost_bound(&cost, &machine), 0);
    ck_assert_double_eq(clp_cost_bound(NULL, &machine), 0);
    ck_assert_double_eq(clp_cost_bound(&cost, NULL), 0);
}
END_TEST

/* Section 4.5: with few units the work decides, with many the span. */
START_TEST(more_units_leave_the_span) {
    const clp_cost cost = reduce_cost(CLP_SUM, CLP_F32, CLP_TYPE_INVALID, 1000000);
    const clp_machine serial = {.operations_per_second = 1, .latency_seconds = 1},
                      huge = {.operations_per_second = 1e6, .latency_seconds = 1};
    ck_assert_double_eq(clp_cost_bound(&cost, &serial), cost.work);
    ck_assert_double_eq(clp_cost_bound(&cost, &huge), cost.span);
}
END_TEST

/* User types have the caller's size, transforms of pairs read two arrays, results are of the value's type. */
START_TEST(reduction_with_user_text) {
    const float identity[4] = {0};
    const clp_user vector = {.type = "float4", .type_size = 16, .op = "a + b", .identity = identity},
                   triple = {.type = "rgb", .type_size = 3, .transform = "(float)x.r", .value = CLP_F32},
                   pair = {.transform = "x * s", .pair = 1},
                   widen = {.transform = "x * 0.5f", .value = CLP_F32};
    const struct {
        clp_reduce_desc desc;
        double bytes; /* of ten elements and the result */
    } rows[] = {
        {{.type = CLP_USER, .op = CLP_OP_USER, .user = &vector}, 10 * 16 + 16},
        {{.type = CLP_USER, .op = CLP_SUM, .user = &triple}, 10 * 3 + 4},
        {{.type = CLP_F32, .op = CLP_SUM, .user = &pair}, 2 * 10 * 4 + 4},
        {{.type = CLP_U8, .op = CLP_SUM, .user = &widen}, 10 * 1 + 4},
        {{.type = CLP_U8, .op = CLP_ARGMAX, .user = &widen}, 10 * 1 + 8},
        {{.type = CLP_F32, .op = CLP_ARGMIN, .result = CLP_U32}, 10 * 4 + 4},
        {{.type = CLP_I16, .op = CLP_MEAN}, 10 * 2 + 8},
        {{.type = CLP_F16, .op = CLP_NORM2, .mode = CLP_REDUCE_COMPENSATED}, 10 * 2 + 4},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        clp_cost cost;
        const clp_status status = clp_reduce_cost(&rows[i].desc, 10, &cost);
        ck_assert_msg(status == CLP_SUCCESS, "row %zu: %s (%s)", i, clp_status_name(status),
                      clp_last_detail());
        ck_assert_msg(cost.bytes == rows[i].bytes, "row %zu: %g bytes, not %g", i, cost.bytes, rows[i].bytes);
        ck_assert_msg(cost.work == 9 && cost.serial_span == 9, "row %zu: work %g", i, cost.work);
    }
}
END_TEST

/* All comparisons at once, then a tree that numbers the runs; what it reads and writes follows from the runs.
 */
START_TEST(runs_work_span_and_bytes) {
    const clp_run_length_desc encode = {.type = CLP_F32, .length = CLP_U32}, wide = {.type = CLP_U8};
    const clp_reduce_by_key_desc reduce = {.key = CLP_U16, .type = CLP_F16, .op = CLP_SUM, .result = CLP_F32};
    const clp_scan_desc scan = {.type = CLP_F16, .op = CLP_SUM, .result = CLP_F32};
    clp_cost cost, scanned;
    ok(clp_run_length_cost(&encode, 1024, 10, 0, &cost));
    ck_assert_double_eq(cost.bytes, 4096 + 10 * 8);
    ck_assert_double_eq(cost.work, 2 * 1023);
    ck_assert_double_eq(cost.span, 11);
    ck_assert_double_eq(cost.serial_span, 1023);
    ok(clp_run_length_cost(&encode, 1024, 10, 1, &cost));
    ck_assert_double_eq(cost.bytes, 4096 + 10 * 12);
    ok(clp_run_length_cost(&wide, 100, 100, 1, &cost));
    ck_assert_double_eq(cost.bytes, 100 + 100 * 17);
    ok(clp_run_length_cost(&wide, 1, 1, 0, &cost));
    ck_assert(cost.bytes == 10 && cost.work == 0 && cost.span == 0);
    ok(clp_run_length_cost(&wide, 0, 0, 0, &cost));
    ck_assert(all_zero(&cost));
    ok(clp_reduce_by_key_cost(&reduce, 1000, 10, &cost));
    ok(clp_scan_heads_cost(&scan, CLP_U16, 1000, &scanned));
    ck_assert_double_eq(cost.bytes, 4000 + 10 * 6);
    ck_assert_double_eq(cost.work, scanned.work);
    ck_assert_double_eq(cost.span, scanned.span);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("cost");
    TCase *model = tcase_create("cost");
    tcase_add_test(model, reduce_work_and_span);
    tcase_add_test(model, reduce_bytes);
    tcase_add_test(model, reduce_of_the_ordered_form);
    tcase_add_test(model, reduce_of_other_forms);
    tcase_add_test(model, rows_and_segments);
    tcase_add_test(model, rows_and_segments_errors);
    tcase_add_test(model, reduce_errors);
    tcase_add_test(model, scan_work_span_and_bytes);
    tcase_add_test(model, scan_errors);
    tcase_add_test(model, histograms);
    tcase_add_test(model, selections);
    tcase_add_test(model, selections_errors);
    tcase_add_test(model, runs_work_span_and_bytes);
    tcase_add_test(model, bound_is_the_greatest_part);
    tcase_add_test(model, more_units_leave_the_span);
    tcase_add_test(model, reduction_with_user_text);
    suite_add_tcase(suite, model);
    return test_main(suite);
}

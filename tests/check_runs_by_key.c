/* SPDX-License-Identifier: Apache-2.0 */
/* Reduction by key against the serial reference. */
#include "harness.h"
#include "runs_cases.h"

static const struct runs_ask asks[] = {
    {.name = "sum of f32 by u32", .key = CLP_U32, .type = CLP_F32, .op = CLP_SUM, .count = CLP_U32},
    {.name = "sum of f16 by f32", .key = CLP_F32, .type = CLP_F16, .op = CLP_SUM, .result = CLP_F32},
    {.name = "sum of i32 by u8", .key = CLP_U8, .type = CLP_I32, .op = CLP_SUM, .result = CLP_I64},
    {.name = "max of f64 by bf16", .key = CLP_BF16, .type = CLP_F64, .op = CLP_MAX},
    {.name = "min of u8 by i64", .key = CLP_I64, .type = CLP_U8, .op = CLP_MIN},
};
enum { NUM_ASKS = sizeof asks / sizeof *asks };

START_TEST(outputs_equal_the_reference) {
    runs_compare_all(&asks[_i / RUNS_NUM_GROUP_SIZES], _i);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("runs_by_key");
    TCase *calls = tcase_create("calls");
    tcase_add_loop_test(calls, outputs_equal_the_reference, 0, NUM_ASKS * RUNS_NUM_GROUP_SIZES);
    suite_add_tcase(suite, calls);
    return runs_at_end(test_main(suite));
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Run-length encoding against the serial reference. */
#include "harness.h"
#include "runs_cases.h"

static const struct runs_ask asks[] = {
    {.name = "u8", .key = CLP_U8, .length = CLP_U32, .count = CLP_U32, .offsets = true},
    {.name = "i16", .key = CLP_I16, .offsets = true},
    {.name = "i32", .key = CLP_I32, .length = CLP_U32, .offsets = false},
    {.name = "u64", .key = CLP_U64, .count = CLP_U32, .offsets = false},
    {.name = "f16", .key = CLP_F16, .length = CLP_U32, .offsets = true},
    {.name = "bf16", .key = CLP_BF16, .offsets = false},
    {.name = "f32", .key = CLP_F32, .length = CLP_U32, .offsets = true},
    {.name = "f64", .key = CLP_F64, .length = CLP_U64, .offsets = true},
};
enum { NUM_ASKS = sizeof asks / sizeof *asks };

START_TEST(outputs_equal_the_reference) {
    runs_compare_all(&asks[_i / RUNS_NUM_GROUP_SIZES], _i);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("runs");
    TCase *calls = tcase_create("calls");
    tcase_add_loop_test(calls, outputs_equal_the_reference, 0, NUM_ASKS * RUNS_NUM_GROUP_SIZES);
    suite_add_tcase(suite, calls);
    return runs_at_end(test_main(suite));
}

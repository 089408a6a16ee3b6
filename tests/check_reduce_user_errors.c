/* SPDX-License-Identifier: Apache-2.0 */
/* User text that is malformed, does not go with the rest of a description, or does not compile. */
#include "reduce_user_texts.h"

#include <stdlib.h>
#include <string.h>

static clp_context *context;
static cl_command_queue queue;
static cl_mem in, out;

static void set_up(void) {
    static const uint64_t data[8] = {1, 2, 3};
    ok(clp_context_pick(NULL, &context)); /* silent: builds are to fail */
    queue = clp_context_queue(context);
    in = test_input(context, data, sizeof data);
    out = test_output(context, 64);
}

static void tear_down(void) {
    ck_assert(test_guarded(queue, out, 64, 0, 0));
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    clp_context_destroy(context);
}

/* Every entry point says the same of a description, and nothing is written. */
static void expect_status(const char *what, const clp_reduce_desc *desc, clp_status want) {
    const clp_buffer from = {in, 0}, to = {out, 1};
    const clp_buffer second = {reduce_is_pair(desc) ? in : NULL, 0};
    const clp_rows rows = {.count = 1, .columns = 2};
    cl_event event = (cl_event)in; /* must become NULL */
    clp_plan plan;
    clp_status got[4];
    if (second.mem)
        got[0] = clp_reduce_pair(context, queue, desc, from, second, to, 2, NULL, 0, NULL, &event);
    else
        got[0] = clp_reduce(context, queue, desc, from, to, 2, NULL, 0, NULL, &event);
    ck_assert_msg(event == NULL, "%s: an event that failed is not NULL", what);
    ck_assert_str_ne(clp_last_detail(), "");
    got[1] = clp_reduce_plan(context, desc, 2, &plan);
    got[2] = clp_reduce_prewarm(context, desc);
    got[3] = clp_reduce_rows(context, queue, desc, from, second, to, &rows, NULL, 0, NULL, NULL);
    for (int i = 0; i < 4; i++)
        ck_assert_msg(got[i] == want, "%s, entry %d: %s, not %s (%s)", what, i, clp_status_name(got[i]),
                      clp_status_name(want), clp_last_detail());
    if (want != CL_BUILD_PROGRAM_FAILURE)
        ck_assert_msg(clp_reduce_result_type(desc) == CLP_TYPE_INVALID, "%s: has a result type", what);
}

static const uint64_t identity[2] = {0, 0};

START_TEST(malformed_text) {
    const clp_user good = {.op = "a + b", .identity = identity};
    const clp_user typed = {.declarations = "typedef struct { uint x; } one;",
                            .type = "one",
                            .type_size = 4,
                            .op = "(one){a.x + b.x}",
                            .identity = identity};
    clp_user user;
    clp_reduce_desc desc = {.type = CLP_U32, .op = CLP_OP_USER};
    expect_status("no text for the operator", &desc, CLP_INVALID_ARGUMENT);
    desc.type = CLP_USER;
    desc.op = CLP_SUM;
    expect_status("no text for the type", &desc, CLP_INVALID_ARGUMENT);
    desc = (clp_reduce_desc){.type = CLP_U32, .op = CLP_OP_USER, .user = &user};
    user = good, user.op = NULL;
    expect_status("no operator", &desc, CLP_INVALID_ARGUMENT);
    user = good, user.identity = NULL;
    expect_status("no identity", &desc, CLP_INVALID_ARGUMENT);
    for (int i = 0; i < 8; i++) {
        user = good, user.reserved[i] = 1;
        expect_status("reserved", &desc, CLP_INVALID_ARGUMENT);
    }
    for (uint32_t bit = 1; bit < 32; bit++) {
        user = good, user.promises = (uint32_t)1 << bit | CLP_COMMUTATIVE;
        expect_status("unknown promises", &desc, CLP_INVALID_ARGUMENT);
    }
    user = good, user.pair = 1;
    expect_status("a pair without a transform", &desc, CLP_INVALID_ARGUMENT);
    user = good, user.transform = "x", user.pair = 2;
    expect_status("pair 2", &desc, CLP_INVALID_ARGUMENT);
    user = good, user.transform = "x", user.value = (clp_type)99;
    expect_status("an unknown value", &desc, CLP_INVALID_TYPE);
    user = good, user.transform = "x", user.value = CLP_USER;
    expect_status("a value without a type", &desc, CLP_INVALID_ARGUMENT);
    user = good, user.type = "uint";
    expect_status("a type of size 0", &desc, CLP_INVALID_ARGUMENT);
    desc.type = CLP_USER;
    user = good;
    expect_status("a user type without text", &desc, CLP_INVALID_ARGUMENT);
    static const size_t sizes[] = {0, 17, 32, SIZE_MAX};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        user = typed, user.type_size = sizes[i];
        expect_status("a size that is none", &desc, CLP_INVALID_ARGUMENT);
    }
    user = typed, user.type = NULL;
    expect_status("a size without a type", &desc, CLP_INVALID_ARGUMENT);
}
END_TEST

START_TEST(combinations_that_do_not_exist) {
    const clp_user typed = {.type = "uint", .type_size = 4, .op = NULL};
    const clp_user add = {.op = "a + b", .identity = identity};
    const clp_user to_half = {.transform = "x", .value = CLP_F16},
                   to_bfloat = {.transform = "x", .value = CLP_BF16};
    const clp_user to_user = {.type = "uint", .type_size = 4, .transform = "(uint)x", .value = CLP_USER};
    const clp_user to_int = {.transform = "(int)x", .value = CLP_I32};
    const clp_user same = {.transform = "x"};
    const struct {
        const char *what;
        clp_reduce_desc desc;
    } rows[] = {
        {"a sum of a user type", {.type = CLP_USER, .op = CLP_SUM, .user = &typed}},
        {"a maximum of a user type", {.type = CLP_USER, .op = CLP_MAX, .user = &typed}},
        {"an index of a user type", {.type = CLP_USER, .op = CLP_ARGMAX, .user = &typed}},
        {"a sum of values of a user type", {.type = CLP_F32, .op = CLP_SUM, .user = &to_user}},
        {"values of f16", {.type = CLP_F32, .op = CLP_SUM, .user = &to_half}},
        {"values of bf16", {.type = CLP_BF16, .op = CLP_MAX, .user = &to_bfloat}},
        {"a norm of integers", {.type = CLP_F32, .op = CLP_NORM2, .user = &to_int}},
        {"bits of floats", {.type = CLP_F16, .op = CLP_XOR, .user = &same}},
        {"compensated integers",
         {.type = CLP_F32, .op = CLP_SUM, .mode = CLP_REDUCE_COMPENSATED, .user = &to_int}},
        {"a dot of transforms", {.type = CLP_F32, .op = CLP_DOT, .user = &same}},
        {"another result", {.type = CLP_F32, .op = CLP_OP_USER, .user = &add, .result = CLP_F64}},
        {"a narrower result", {.type = CLP_F32, .op = CLP_OP_USER, .user = &add, .result = CLP_F16}},
        {"another small float", {.type = CLP_F16, .op = CLP_OP_USER, .user = &add, .result = CLP_BF16}},
        {"a wider integer", {.type = CLP_U8, .op = CLP_OP_USER, .user = &add, .result = CLP_U64}},
        {"a user type as result", {.type = CLP_U32, .op = CLP_SUM, .user = &typed, .result = CLP_USER}},
        {"compensated", {.type = CLP_F32, .op = CLP_OP_USER, .user = &add, .mode = CLP_REDUCE_COMPENSATED}},
        {"wide", {.type = CLP_F32, .op = CLP_OP_USER, .user = &add, .mode = CLP_REDUCE_WIDE}},
        {"fast", {.type = CLP_F32, .op = CLP_OP_USER, .user = &add, .mode = CLP_REDUCE_FAST}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect_status(rows[i].what, &rows[i].desc, CLP_UNSUPPORTED);
    /* One array where two are needed, and two where there is one. */
    const clp_user pair = {.transform = "x * s", .pair = 1};
    const clp_reduce_desc two = {.type = CLP_F32, .op = CLP_SUM, .user = &pair},
                          one = {.type = CLP_F32, .op = CLP_SUM, .user = &same};
    const clp_buffer from = {in, 0}, to = {out, 1};
    expect(clp_reduce(context, queue, &two, from, to, 2, NULL, 0, NULL, NULL), CLP_UNSUPPORTED);
    expect(clp_reduce_pair(context, queue, &one, from, from, to, 2, NULL, 0, NULL, NULL), CLP_UNSUPPORTED);
}
END_TEST

START_TEST(text_that_does_not_compile) {
    static const struct {
        const char *what, *named; /**< in the log */
        clp_user user;
        clp_type type;
        clp_op op;
    } rows[] = {
        {"an unknown name",
         "user operator",
         {.op = "a + nothing", .identity = identity},
         CLP_U32,
         CLP_OP_USER},
        {"half an expression", "user operator", {.op = "a +", .identity = identity}, CLP_F32, CLP_OP_USER},
        {"a field that is none", "user operator", {.op = "a.x", .identity = identity}, CLP_I8, CLP_OP_USER},
        {"two statements", "user operator", {.op = "a; b", .identity = identity}, CLP_U32, CLP_OP_USER},
        {"an unknown function", "user transform", {.transform = "nothing(x)"}, CLP_F32, CLP_SUM},
        {"one array only", "user transform", {.transform = "x * z"}, CLP_F32, CLP_MAX},
        {"a pointer", "user transform", {.transform = "&x"}, CLP_F32, CLP_SUM},
        {"an unknown word",
         "user declarations",
         {.declarations = "what is this;", .transform = "x"},
         CLP_U32,
         CLP_SUM},
        {"a struct without its end",
         "user declarations",
         {.declarations = "typedef struct { uint x; two;", .transform = "x"},
         CLP_U32,
         CLP_SUM},
        {"another size",
         "user",
         {.declarations = "typedef struct { uint x, y; } two;",
          .type = "two",
          .type_size = 12,
          .op = "a",
          .identity = identity},
         CLP_USER,
         CLP_OP_USER},
        {"an unknown type",
         "user",
         {.type = "two", .type_size = 8, .op = "a", .identity = identity},
         CLP_USER,
         CLP_OP_USER},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const clp_reduce_desc desc = {.type = rows[i].type, .op = rows[i].op, .user = &rows[i].user};
        expect_status(rows[i].what, &desc, CL_BUILD_PROGRAM_FAILURE);
        ck_assert_msg(strstr(clp_last_build_log(), rows[i].named) != NULL,
                      "%s: the log does not name \"%s\":\n%s", rows[i].what, rows[i].named,
                      clp_last_build_log());
        ck_assert_msg(strstr(clp_last_build_log(), "clp_user_size") != NULL ||
                          strcmp(rows[i].what, "another size") != 0,
                      "the log does not show that the size is wrong:\n%s", clp_last_build_log());
    }
}
END_TEST

/* A text that failed does not stand in the way of the next one, and lines are counted from the text's first.
 */
START_TEST(after_a_failure) {
    const clp_user wrong = {.op = "a +\n\n b + nothing", .identity = identity},
                   right = {.op = "a + b", .identity = identity};
    clp_reduce_desc desc = {.type = CLP_U64, .op = CLP_OP_USER, .user = &wrong};
    expect_status("the third line", &desc, CL_BUILD_PROGRAM_FAILURE);
    ck_assert_msg(strstr(clp_last_build_log(), "user operator:3") != NULL, "not line 3:\n%s",
                  clp_last_build_log());
    desc.user = &right;
    uint64_t got;
    ok(clp_reduce(context, queue, &desc, (clp_buffer){in, 0}, (clp_buffer){out, 0}, 3, NULL, 0, NULL, NULL));
    test_read(queue, out, 0, 8, &got);
    ck_assert_uint_eq(got, 6);
    reduce_compared++;
    test_guard(queue, out, 64);
}
END_TEST

/* Strings and the identity are read before a call returns: the same variant for other memory with the same
 * text. */
START_TEST(text_is_copied) {
    char op[16] = "a + b", transform[16] = "x + 1";
    uint32_t pad = 0, got[2];
    const uint32_t data[3] = {1, 2, 3};
    clp_user user = {.op = op, .transform = transform, .identity = &pad};
    const clp_reduce_desc desc = {.type = CLP_U32, .op = CLP_OP_USER, .user = &user};
    cl_mem words = test_input(context, data, sizeof data);
    ok(clp_reduce(context, queue, &desc, (clp_buffer){words, 0}, (clp_buffer){out, 0}, 3, NULL, 0, NULL,
                  NULL));
    strcpy(op, "a * b"), strcpy(transform, "x + 2");
    pad = 1;
    ok(clp_reduce(context, queue, &desc, (clp_buffer){words, 0}, (clp_buffer){out, 1}, 3, NULL, 0, NULL,
                  NULL));
    strcpy(op, "nothing"), strcpy(transform, "none");
    pad = 77;
    test_read(queue, out, 0, 8, got);
    ck_assert_uint_eq(got[0], 9);
    ck_assert_uint_eq(got[1], 3 * 4 * 5);
    /* The same text with another identity is the same kernel, and yet another result. */
    strcpy(op, "a + b"), strcpy(transform, "x + 1");
    pad = 0;
    ok(clp_reduce(context, queue, &desc, (clp_buffer){NULL, 0}, (clp_buffer){out, 0}, 0, NULL, 0, NULL,
                  NULL));
    pad = 5;
    ok(clp_reduce(context, queue, &desc, (clp_buffer){NULL, 0}, (clp_buffer){out, 1}, 0, NULL, 0, NULL,
                  NULL));
    test_read(queue, out, 0, 8, got);
    ck_assert(got[0] == 0 && got[1] == 5);
    reduce_compared++;
    clReleaseMemObject(words);
    test_guard(queue, out, 64);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("reduce_user_errors");
    TCase *errors = tcase_create("errors");
    tcase_add_checked_fixture(errors, set_up, tear_down);
    tcase_add_test(errors, malformed_text);
    tcase_add_test(errors, combinations_that_do_not_exist);
    tcase_add_test(errors, text_that_does_not_compile);
    tcase_add_test(errors, after_a_failure);
    tcase_add_test(errors, text_is_copied);
    suite_add_tcase(suite, errors);
    return reduce_main(suite);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The references themselves, against what can be told without them. Needs no device. */
#include "reduce_user_texts.h"

#include <stdlib.h>
#include <string.h>

/* An operator that keeps a record of its operands: a digest of the bracketing, and how many leaves there are.
 */
typedef struct {
    uint64_t digest;
    uint32_t first, leaves;
} record;

static const record nothing = {0x1234567, 0, 0};

static uint64_t mix(uint64_t left, uint64_t right) {
    const uint64_t x = left * 0x9e3779b97f4a7c15u + right * 0xbf58476d1ce4e5b9u + 0x94d049bb133111ebu;
    return (x ^ x >> 29) * 0x94d049bb133111ebu;
}

static void record_op(const void *pa, const void *pb, void *result) {
    const record *a = pa, *b = pb;
    *(record *)result =
        (record){mix(a->digest, b->digest), a->leaves ? a->first : b->first, a->leaves + b->leaves};
}

/* The ordered form once more, from the top down: the digest of elements begin … begin + width − 1 of n. */
static uint64_t by_pairs(size_t begin, size_t n, size_t width, size_t leaf);

static uint64_t unit(size_t begin, size_t n, size_t width) {
    switch (width) {
    case 1:
        return begin < n ? begin + 1 : nothing.digest;
    case 16:
        return by_pairs(begin, n, 16, 1);
    case 512:
        return by_pairs(begin, n, 512, 16);
    case 4096: {
        uint64_t total = unit(begin, n, 512);
        for (size_t group = 1; group < 8; group++)
            total = mix(total, begin + group * 512 < n ? unit(begin + group * 512, n, 512) : nothing.digest);
        return total;
    }
    case 131072:
        return by_pairs(begin, n, 131072, 4096);
    default:
        return by_pairs(begin, n, 4194304, 131072);
    }
}

static uint64_t by_pairs(size_t begin, size_t n, size_t width, size_t leaf) {
    if (width == leaf) /* a unit that holds no element is the identity */
        return begin < n || leaf == 1 ? unit(begin, n, leaf) : nothing.digest;
    return mix(by_pairs(begin, n, width / 2, leaf), by_pairs(begin + width / 2, n, width / 2, leaf));
}

START_TEST(ordered_form) {
    static const size_t sizes[] = {1,    2,    15,   16,     17,     511,    512,     513,    1000,
                                   4095, 4096, 4097, 131071, 131072, 131073, 1000000, 4194305};
    const size_t n = sizes[_i];
    const clp_user text = {.type = "record", .type_size = sizeof(record), .op = "-", .identity = &nothing};
    const clp_reduce_desc desc = {.type = CLP_USER, .op = CLP_OP_USER, .user = &text};
    const ref_user twin = {.op = record_op};
    record *elements = malloc(n * sizeof *elements), got;
    ck_assert_ptr_nonnull(elements);
    for (size_t i = 0; i < n; i++)
        elements[i] = (record){i + 1, (uint32_t)i, 1};
    ref_reduce_user(&desc, &twin, elements, NULL, n, &got);
    uint64_t want = unit(0, n, 4194304);
    for (size_t super = 4194304; super < n; super += 4194304)
        want = mix(want, unit(super, n, 4194304));
    ck_assert_uint_eq(got.leaves, n);
    ck_assert_uint_eq(got.first, 0);
    ck_assert_msg(got.digest == want, "n = %zu: another bracketing", n);
    free(elements);
}
END_TEST

/* The tile order of user operators is that of the built-in sum, wherever a sum can tell. */
START_TEST(tile_order) {
    static const size_t sizes[] = {1, 127, 128, 129, 4096, 4097, 40000, 300000};
    const float pad = -0.0f;
    const clp_user text = {.op = "a + b", .identity = &pad, .promises = CLP_COMMUTATIVE};
    const clp_reduce_desc plain = {.type = CLP_F32, .op = CLP_SUM},
                          user = {.type = CLP_F32, .op = CLP_OP_USER, .user = &text};
    const size_t n = sizes[_i];
    float *data = malloc(n * sizeof *data);
    uint32_t want, got;
    ck_assert_ptr_nonnull(data);
    for (int set = 0; set < REF_SET_COUNT; set++) {
        ref_fill((ref_set)set, CLP_F32, 5, n, data);
        ref_reduce(&plain, data, n, &want);
        ref_reduce_user(&user, user_form_named("sum as a tree")->form.user, data, NULL, n, &got);
        ck_assert_msg(got == want, "n = %zu, set %s", n, ref_set_name((ref_set)set));
    }
    free(data);
}
END_TEST

/* Operators that are associative to the last bit do not care for bracketing, but for the order of operands.
 */
START_TEST(exact_operators) {
    static const char *const names[] = {"affine", "matrix", "quaternion", "rgb", "nibbles", "runs"};
    enum { N = 70001 };
    const struct user_form *user = user_form_named(names[_i]);
    const clp_reduce_desc *desc = &user->form.desc;
    const size_t size = reduce_element_size(desc);
    unsigned char *data = malloc(N * size);
    ck_assert_ptr_nonnull(data);
    user_fill(user, 3, N, data);
    for (size_t n = 0; n <= N; n = n * 3 + 1) {
        _Alignas(16) unsigned char total[16] = {0}, element[16] = {0}, next[16] = {0}, got[16] = {0};
        memcpy(total, desc->user->identity, size);
        for (size_t i = 0; i < n; i++) {
            memcpy(element, data + i * size, size);
            user->form.user->op(total, element, next);
            memcpy(total, next, size);
        }
        ref_reduce_user(desc, user->form.user, data, NULL, n, got);
        ck_assert_msg(memcmp(got, total, size) == 0, "%s, n = %zu", names[_i], n);
    }
    free(data);
}
END_TEST

/* A compensated sum of exact cancellations is exact; a plain one is not. */
START_TEST(compensation) {
    enum { N = 5000 };
    static float data[N];
    for (size_t i = 0; i < N; i++) /* big, −big, one */
        data[i] = i % 3 == 0 ? 3e7f + (float)i * 16 : i % 3 == 1 ? -data[i - 1] : 1;
    const clp_reduce_desc plain = {.type = CLP_F32, .op = CLP_SUM},
                          compensated = {.type = CLP_F32, .op = CLP_SUM, .mode = CLP_REDUCE_COMPENSATED};
    float sum, exact;
    const size_t n = N / 3 * 3;
    ref_reduce(&plain, data, n, &sum);
    ref_reduce(&compensated, data, n, &exact);
    ck_assert_msg(exact == (float)(n / 3), "%.9g, not %zu", exact, n / 3);
    ck_assert_msg(sum != exact, "the plain sum is exact too: a poor test");
}
END_TEST

int main(void) {
    Suite *suite = suite_create("reference");
    TCase *reduce = tcase_create("reduce");
    tcase_add_loop_test(reduce, ordered_form, 0, 17);
    tcase_add_loop_test(reduce, tile_order, 0, 8);
    tcase_add_loop_test(reduce, exact_operators, 0, 6);
    tcase_add_test(reduce, compensation);
    suite_add_tcase(suite, reduce);
    return test_main(suite);
}

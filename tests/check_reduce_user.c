/* SPDX-License-Identifier: Apache-2.0 */
/* User text in reduction: operators, element types and transforms against their twins in C. */
#include "reduce_user_texts.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK = 16, GROUP = 512, TILE = 4096, BLOCK = 131072, SUPER = 4194304 };

/* Around each level of the ordered form and each edge of the tiles. */
static const size_t sizes[] = {0,    1,        2,    15,        16,       17,
                               31,   33,       129,  GROUP - 1, GROUP,    GROUP + 1,
                               1500, TILE - 1, TILE, TILE + 1,  TILE * 3, TILE * 9 + 5};
static const size_t large_sizes[] = {BLOCK - 1, BLOCK, BLOCK + 1, BLOCK * 3 + TILE + 3};
enum { NUM_SIZES = sizeof sizes / sizeof *sizes, NUM_LARGE = sizeof large_sizes / sizeof *large_sizes };

/* All sizes of a list, offsets in turn, with as many kinds of data. */
static void all_sizes(clp_context *context, const struct user_form *user, const size_t *list, size_t count,
                      int schedule, unsigned kinds) {
    const size_t element = reduce_element_size(&user->form.desc);
    size_t most = 0;
    for (size_t i = 0; i < count; i++)
        if (list[i] <= test_max_n() && list[i] > most)
            most = list[i];
    const size_t elements = most + REDUCE_MAX_OFFSET;
    void *data = malloc(elements * element);
    ck_assert_ptr_nonnull(data);
    cl_mem out = test_output(context, REDUCE_OUT_SIZE);
    for (unsigned kind = 0; kind < kinds; kind++) {
        char set[32];
        snprintf(set, sizeof set, "kind %u", kind);
        user_fill(user, kind, elements, data);
        cl_mem mem = test_input(context, data, elements * element);
        for (size_t i = 0; i < count; i++)
            if (list[i] <= test_max_n() && reduce_size_chosen(i + kind, count))
                reduce_compare(context, &user->form, schedule, mem, data,
                               (i + kind) % (REDUCE_MAX_OFFSET + 1), list[i], out, set);
        clReleaseMemObject(mem);
    }
    clReleaseMemObject(out);
    free(data);
}

/* Each text in a shape, the first in both; work-group sizes in turn. Full: all. */
START_TEST(texts_equal_their_twins) {
    const unsigned text = (unsigned)_i / 2;
    const clp_shape shape = (clp_shape)(_i % 2 + CLP_SHAPE_SIMT);
    const struct user_form *user = &user_forms[text];
    const bool usual = text < 3 || text % 2 == (unsigned)_i % 2 || !test_shape((clp_shape)(3 - (int)shape));
    if (!test_shape(shape) || !reduce_chosen((unsigned)_i) || (!test_full() && !usual))
        return;
    for (unsigned group = 0; group < REDUCE_GROUP_SIZES; group++) {
        if (!test_full() && group != (text + (unsigned)_i % 2) % REDUCE_GROUP_SIZES)
            continue;
        clp_context *context = test_context(shape, CLP_SUBGROUPS_DEFAULT, reduce_group_sizes[group]);
        if (reduce_device_can(context, &user->form.desc)) {
            all_sizes(context, user, sizes, NUM_SIZES,
                      text % 4 == 0 ? REDUCE_ALL_SCHEDULES : REDUCE_FEW_SCHEDULES, test_thin() == 1 ? 4 : 2);
            all_sizes(context, user, large_sizes, NUM_LARGE, CLP_SCHEDULE_DEFAULT, 1);
        }
        clp_context_destroy(context);
    }
}
END_TEST

/* What cannot be turned around, at every work-group size, shape and back-end. */
static void some_forms(clp_context *context, unsigned group, unsigned turn) {
    static const size_t few[] = {7, 500, TILE * 9 + 5, BLOCK + 70000};
    (void)group;
    static const char *const names[] = {"matrix", "affine_f", "rgb", "moments"};
    for (unsigned k = 0; k < 4; k++)
        if (test_full() || (k + turn) % 3 == 0)
            all_sizes(context, user_form_named(names[k]), few, 4, REDUCE_FEW_SCHEDULES, 1);
}

START_TEST(every_group_size_and_back_end) {
    reduce_each_back_end((unsigned)_i, some_forms);
}
END_TEST

/* More than 2^22 elements make a second super-block. */
START_TEST(super_blocks) {
    static const size_t list[] = {SUPER - 1, SUPER, SUPER + 1, 2 * SUPER + BLOCK + 7};
    static const char *const names[] = {"affine", "sum in order"};
    if (!test_shape((clp_shape)_i) || test_max_n() < SUPER + 1)
        return;
    clp_context *context = test_context((clp_shape)_i, CLP_SUBGROUPS_DEFAULT, 0);
    for (int k = 0; k < 2; k++)
        all_sizes(context, user_form_named(names[k]), list, test_thin() == 1 ? 4 : 1, CLP_SCHEDULE_DEFAULT,
                  1);
    clp_context_destroy(context);
}
END_TEST

/* The tree with a user's sum is the tree of the library's own; a transform of products is a dot. */
START_TEST(texts_equal_what_is_built_in) {
    enum { N = 3 * TILE + 77 };
    const float pad = -0.0f;
    const clp_user sum = {.op = "a + b", .identity = &pad, .promises = CLP_COMMUTATIVE};
    const clp_user product = {.transform = "x * s", .pair = 1},
                   none = {.declarations = "typedef int unused;"};
    static const clp_reduce_desc built_in[] = {
        {.type = CLP_F32, .op = CLP_SUM}, {.type = CLP_F32, .op = CLP_DOT}, {.type = CLP_F32, .op = CLP_MAX}};
    const clp_reduce_desc own[] = {{.type = CLP_F32, .op = CLP_OP_USER, .user = &sum},
                                   {.type = CLP_F32, .op = CLP_SUM, .user = &product},
                                   {.type = CLP_F32, .op = CLP_MAX, .user = &none}};
    if (!test_shape((clp_shape)_i))
        return;
    static float data[N];
    ref_fill(REF_UNIFORM, CLP_F32, 0, N, data);
    clp_context *context = test_context((clp_shape)_i, CLP_SUBGROUPS_DEFAULT, 0);
    cl_command_queue queue = clp_context_queue(context);
    cl_mem in = test_input(context, data, sizeof data), out = test_output(context, 16);
    const size_t n = N < test_max_n() ? N : test_max_n();
    for (int k = 0; k < 3; k++) {
        uint32_t got[2];
        for (size_t which = 0; which < 2; which++) {
            const clp_reduce_desc *desc = which ? &own[k] : &built_in[k];
            const clp_buffer from = {in, 0}, to = {out, which};
            if (k == 1)
                ok(clp_reduce_pair(context, queue, desc, from, from, to, n, NULL, 0, NULL, NULL));
            else
                ok(clp_reduce(context, queue, desc, from, to, n, NULL, 0, NULL, NULL));
        }
        test_read(queue, out, 0, 8, got);
        must(got[0] == got[1], "case %d: %08x, but %08x by user text", k, got[0], got[1]);
        reduce_compared++;
    }
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    clp_context_destroy(context);
}
END_TEST

/* A row's result is that of the row alone; its indices start at 0. */
START_TEST(rows_equal_rows_alone) {
    static const struct {
        size_t count, columns, stride;
    } shapes[] = {{1, 5000, 0}, {5, 1, 0},       {3, 0, 2},    {0, 9, 0},
                  {40, 33, 35}, {3, 4097, 4100}, {200, 600, 0}};
    static const char *const names[] = {"affine", "rgb", "x i", "swap", "place"};
    enum { ROWS = 200, CELLS = ROWS * 600 + 3 };
    if (!test_shape((clp_shape)_i))
        return;
    clp_context *context = test_context((clp_shape)_i, CLP_SUBGROUPS_DEFAULT, 0);
    cl_uint lengths[ROWS + 1];
    for (cl_uint r = 0; r <= ROWS; r++)
        lengths[r] = r % 5 == 0 ? 0 : r * 37 % 5000;
    cl_mem lengths_mem = test_input(context, lengths, sizeof lengths);
    for (size_t f = 0; f < sizeof names / sizeof *names; f++) {
        const struct user_form *user = user_form_named(names[f]);
        const size_t size = CELLS * reduce_element_size(&user->form.desc);
        unsigned char *data = malloc(size);
        ck_assert(data);
        user_fill(user, 0, CELLS, data);
        cl_mem in = test_input(context, data, size),
               out = test_output(context, (ROWS + 2) * reduce_result_size(&user->form.desc));
        for (size_t k = 0; k < 2 * (sizeof shapes / sizeof *shapes); k++) {
            const bool ragged = k % 2;
            clp_rows rows = {.count = shapes[k / 2].count,
                             .columns = shapes[k / 2].columns,
                             .stride = shapes[k / 2].stride,
                             .second_stride = shapes[k / 2].stride};
            if (rows.count * (rows.stride ? rows.stride : rows.columns) > test_max_n())
                continue;
            if (ragged)
                rows.lengths = (clp_buffer){lengths_mem, 1};
            reduce_compare_rows(context, &user->form, in, data, &rows, ragged ? lengths : NULL, out);
        }
        clReleaseMemObject(in);
        clReleaseMemObject(out);
        free(data);
    }
    clReleaseMemObject(lengths_mem);
    clp_context_destroy(context);
}
END_TEST

/* Small results that can be told by hand, apart from the reference. */
START_TEST(results_by_hand) {
    if (!test_shape((clp_shape)_i))
        return;
    clp_context *context = test_context((clp_shape)_i, CLP_SUBGROUPS_DEFAULT, 0);
    cl_command_queue queue = clp_context_queue(context);
    cl_mem out = test_output(context, 64);
    struct {
        uint32_t m, c;
    } maps[3] = {{2, 1}, {3, 0}, {1, 5}}, map; /* (x·2 + 1)·3 + 5 = 6x + 8 */
    cl_mem in = test_input(context, maps, sizeof maps);
    const clp_reduce_desc *affine = &user_form_named("affine")->form.desc;
    ck_assert_int_eq(clp_reduce_result_type(affine), CLP_USER);
    ok(clp_reduce(context, queue, affine, (clp_buffer){in, 0}, (clp_buffer){out, 1}, 3, NULL, 0, NULL, NULL));
    test_read(queue, out, 8, 8, &map);
    ck_assert(map.m == 6 && map.c == 8);
    ok(clp_reduce(context, queue, affine, (clp_buffer){NULL, 0}, (clp_buffer){out, 0}, 0, NULL, 0, NULL,
                  NULL));
    test_read(queue, out, 0, 8, &map);
    must(map.m == 1 && map.c == 0, "nothing is the identity, not %u x + %u", map.m, map.c);
    clReleaseMemObject(in);
    /* A sum of indices: i counts from the first element, and x need not be used. */
    const uint8_t bytes[20] = {0};
    in = test_input(context, bytes, sizeof bytes);
    const clp_user index = {.transform = "i", .value = CLP_U64};
    const clp_reduce_desc sum = {.type = CLP_U8, .op = CLP_SUM, .user = &index};
    uint64_t total;
    ok(clp_reduce(context, queue, &sum, (clp_buffer){in, 3}, (clp_buffer){out, 1}, 17, NULL, 0, NULL, NULL));
    test_read(queue, out, 8, 8, &total);
    ck_assert_uint_eq(total, 16 * 17 / 2);
    clReleaseMemObject(in);
    /* A NaN in an operator on floats is written as the canonical one; the identity is used even for n = 1. */
    const uint32_t nan = 0xff800123, ten = 0x41200000;
    const float three = 3;
    in = test_input(context, &nan, 4);
    cl_mem in_ten = test_input(context, &ten, 4);
    const clp_user least = {.op = "b < a ? b : a", .identity = &three},
                   add = {.op = "a + b", .identity = &three};
    const clp_reduce_desc reduce_add = {.type = CLP_F32, .op = CLP_OP_USER, .user = &add},
                          reduce_least = {.type = CLP_F32, .op = CLP_OP_USER, .user = &least};
    uint32_t got;
    ok(clp_reduce(context, queue, &reduce_add, (clp_buffer){in, 0}, (clp_buffer){out, 2}, 1, NULL, 0, NULL,
                  NULL));
    test_read(queue, out, 8, 4, &got);
    ck_assert_uint_eq(got, 0x7fc00000);
    ok(clp_reduce(context, queue, &reduce_least, (clp_buffer){in_ten, 0}, (clp_buffer){out, 2}, 1, NULL, 0,
                  NULL, NULL));
    test_read(queue, out, 8, 4, &got);
    ck_assert_uint_eq(got, 0x40400000); /* 3, the pad, for 10 */
    clReleaseMemObject(in);
    clReleaseMemObject(in_ten);
    clReleaseMemObject(out);
    clp_context_destroy(context);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("reduce_user");
    TCase *bits = tcase_create("bits");
    tcase_add_loop_test(bits, results_by_hand, CLP_SHAPE_SIMT, CLP_SHAPE_SIMD + 1);
    tcase_add_loop_test(bits, texts_equal_what_is_built_in, CLP_SHAPE_SIMT, CLP_SHAPE_SIMD + 1);
    tcase_add_loop_test(bits, texts_equal_their_twins, 0, 2 * (int)num_user_forms);
    tcase_add_loop_test(bits, every_group_size_and_back_end, 0, 2 * REDUCE_GROUP_SIZES);
    tcase_add_loop_test(bits, super_blocks, CLP_SHAPE_SIMT, CLP_SHAPE_SIMD + 1);
    tcase_add_loop_test(bits, rows_equal_rows_alone, CLP_SHAPE_SIMT, CLP_SHAPE_SIMD + 1);
    suite_add_tcase(suite, bits);
    return reduce_main(suite);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* User operators and element types in scan, against their twins in C. */
#include "reduce_user_texts.h"
#include "scan_cases.h"

#include <stdlib.h>
#include <string.h>

enum { GROUP = 512, TILE = 4096, BLOCK = 32 * TILE, SUPER = 32 * BLOCK };

static const size_t group_sizes[] = {1, 4, 48, 64, 256, SIZE_MAX};
enum { NUM_GROUP_SIZES = sizeof group_sizes / sizeof *group_sizes };
static const size_t sizes[] = {0,        1,    15,   16,       17,    33,        GROUP,       GROUP + 1,
                               TILE - 1, TILE, 5000, 4 * TILE, 30000, BLOCK + 1, BLOCK + 9000};
enum { NUM_SIZES = sizeof sizes / sizeof *sizes, LARGEST = BLOCK + 9000 };
static const clp_schedule schedules[] = {CLP_SCHEDULE_SINGLE, CLP_SCHEDULE_LEVELS};
enum { NUM_SCHEDULES = sizeof schedules / sizeof *schedules };

static clp_scan_desc describe(const struct user_form *user, clp_scan_kind kind) {
    const clp_reduce_desc *desc = &user->form.desc;
    return (clp_scan_desc){
        .type = desc->type, .op = desc->op, .result = desc->result, .kind = kind, .user = desc->user};
}

/* Forms of reduction that are scans too: an operator on the elements as they are. */
static bool applies(const struct user_form *user) {
    return user->form.desc.op == CLP_OP_USER && !user->form.desc.user->transform &&
           user->form.desc.mode == CLP_REDUCE_TREE;
}

/* All sizes of a list, offsets in turn, with as many kinds of data. */
static void compare_sizes(clp_context *context, const struct user_form *user, clp_scan_kind scan,
                          const size_t *list, size_t count, unsigned kinds) {
    clp_scan_desc desc = describe(user, scan);
    const size_t element = scan_element_size(&desc);
    const bool same = element == scan_output_size(&desc);
    size_t most = 0;
    for (size_t i = 0; i < count; i++)
        if (list[i] <= test_max_n() && list[i] > most)
            most = list[i];
    if (!scan_device_can(context, &desc))
        return;
    struct scan_arrays arrays = scan_make_arrays(context, &desc, most + SCAN_MAX_OFFSET);
    for (unsigned kind = 0; kind < kinds; kind++) {
        unsigned char init[16];
        user_fill(user, kind, most + SCAN_MAX_OFFSET, arrays.data);
        scan_upload(context, &arrays, &desc, most + SCAN_MAX_OFFSET);
        if (desc.type == CLP_F16 || desc.type == CLP_BF16) /* the operator computes in float */
            memcpy(init, &(float){1.5f}, sizeof(float));
        else
            memcpy(init, arrays.data + element, element);
        for (size_t i = 0; i < count; i++) {
            const size_t offset = (i + kind) % (SCAN_MAX_OFFSET + 1);
            if (list[i] > test_max_n())
                continue;
            desc.init = (i + kind) % 3 == 1 ? init : NULL;
            ref_scan_user(&desc, user->form.user, arrays.data + offset * element, list[i], arrays.want);
            for (int s = 0; s < NUM_SCHEDULES; s++) {
                desc.schedule = schedules[s];
                scan_compare(context, &arrays, &desc, offset, list[i], false, user->form.name);
                if (same && (i + (size_t)s) % 3 == 0)
                    scan_compare(context, &arrays, &desc, offset, list[i], true, user->form.name);
            }
        }
    }
    scan_free_arrays(&arrays);
}

START_TEST(texts_equal_their_twins) {
    const unsigned text = (unsigned)_i;
    const struct user_form *user = &user_forms[text];
    if (!applies(user) || (text * 2654435761u >> 16) % test_thin() != 0)
        return;
    for (int shape = CLP_SHAPE_SIMT; shape <= CLP_SHAPE_SIMD; shape++) {
        /* User types in both shapes, built-in ones in one. */
        const bool chosen = user->form.desc.type == CLP_USER || (int)text % 2 + 1 == shape;
        if (!test_shape((clp_shape)shape) || (!chosen && !test_full()))
            continue;
        for (unsigned group = 0; group < NUM_GROUP_SIZES; group++) {
            if (!test_full() && group != (text + (unsigned)shape) % NUM_GROUP_SIZES)
                continue;
            clp_context *context = test_context((clp_shape)shape, CLP_SUBGROUPS_DEFAULT, group_sizes[group]);
            compare_sizes(context, user,
                          (text + (unsigned)shape) % 2 ? CLP_SCAN_EXCLUSIVE : CLP_SCAN_INCLUSIVE, sizes,
                          NUM_SIZES, 2);
            clp_context_destroy(context);
        }
    }
}
END_TEST

/* What cannot be turned around, at every work-group size and shape. */
START_TEST(every_group_size) {
    static const char *const names[] = {"matrix", "affine_f", "rgb", "affine"};
    static const size_t few[] = {7, 500, 9 * TILE + 5, BLOCK + 70000};
    const unsigned group = (unsigned)_i % NUM_GROUP_SIZES;
    const clp_shape shape = (clp_shape)((unsigned)_i / NUM_GROUP_SIZES + CLP_SHAPE_SIMT);
    if (!test_shape(shape) || ((unsigned)_i * 2654435761u >> 16) % test_thin() != 0)
        return;
    clp_context *context = test_context(shape, CLP_SUBGROUPS_DEFAULT, group_sizes[group]);
    for (unsigned k = 0; k < 4; k++)
        if (test_full() || k == group % 4)
            compare_sizes(context, user_form_named(names[k]), (clp_scan_kind)(group / 2 % 2), few, 4, 1);
    clp_context_destroy(context);
}
END_TEST

/* More than 2^22 elements make a second super-block. */
START_TEST(super_blocks) {
    static const size_t list[] = {SUPER, SUPER + 1, 2 * SUPER + BLOCK + 7};
    if (!test_shape((clp_shape)_i) || test_max_n() < SUPER + 1)
        return;
    clp_context *context = test_context((clp_shape)_i, CLP_SUBGROUPS_DEFAULT, 0);
    compare_sizes(context, user_form_named("affine"), CLP_SCAN_INCLUSIVE, list, test_thin() == 1 ? 3 : 2, 1);
    clp_context_destroy(context);
}
END_TEST

/* A user's sum is the library's own, bit for bit: both have one order. */
START_TEST(texts_equal_what_is_built_in) {
    enum { N = 3 * TILE + 77 };
    const float zero = -0.0f;
    const clp_user sum = {.op = "a + b", .identity = &zero};
    static float data[N], built_in[N], own[N];
    const size_t n = N < test_max_n() ? N : test_max_n();
    if (!test_shape((clp_shape)_i))
        return;
    ref_fill(REF_UNIFORM, CLP_F32, 0, N, data);
    clp_context *context = test_context((clp_shape)_i, CLP_SUBGROUPS_DEFAULT, 0);
    cl_command_queue queue = clp_context_queue(context);
    cl_mem in = test_input(context, data, sizeof data), out = test_output(context, sizeof data);
    const clp_scan_desc library = {.type = CLP_F32, .op = CLP_SUM},
                        user = {.type = CLP_F32, .op = CLP_OP_USER, .user = &sum};
    ok(clp_scan(context, queue, &library, (clp_buffer){in, 0}, (clp_buffer){out, 0}, n, NULL, 0, NULL, NULL));
    test_read(queue, out, 0, n * sizeof(float), built_in);
    ok(clp_scan(context, queue, &user, (clp_buffer){in, 0}, (clp_buffer){out, 0}, n, NULL, 0, NULL, NULL));
    test_read(queue, out, 0, n * sizeof(float), own);
    ck_assert_mem_eq(built_in, own, n * sizeof(float));
    scan_compared++;
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    clp_context_destroy(context);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("scan_user");
    TCase *bits = tcase_create("bits");
    tcase_add_loop_test(bits, texts_equal_their_twins, 0, (int)num_user_forms);
    tcase_add_loop_test(bits, every_group_size, 0, 2 * NUM_GROUP_SIZES);
    tcase_add_loop_test(bits, super_blocks, CLP_SHAPE_SIMT, CLP_SHAPE_SIMD + 1);
    tcase_add_loop_test(bits, texts_equal_what_is_built_in, CLP_SHAPE_SIMT, CLP_SHAPE_SIMD + 1);
    suite_add_tcase(suite, bits);
    return scan_main(suite);
}

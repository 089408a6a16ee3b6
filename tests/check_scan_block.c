/* SPDX-License-Identifier: Apache-2.0 */
/* Scans of short rows within one work-group: Hillis-Steele and Blelloch. */
#include "reduce_user_texts.h"
#include "scan_cases.h"

#include <stdlib.h>
#include <string.h>

enum { GROUP = 512, MOST = 4096, ELEMENTS = MOST + SCAN_MAX_OFFSET };

static const clp_scan_desc forms[] = {
    {.type = CLP_F32, .op = CLP_SUM},
    {.type = CLP_U32, .op = CLP_SUM, .kind = CLP_SCAN_EXCLUSIVE},
    {.type = CLP_F64, .op = CLP_SUM, .kind = CLP_SCAN_EXCLUSIVE},
    {.type = CLP_F32, .op = CLP_MAX, .kind = CLP_SCAN_EXCLUSIVE},
    {.type = CLP_I64, .op = CLP_MIN},
    {.type = CLP_BF16, .op = CLP_SUM, .result = CLP_F32},
    {.type = CLP_I8, .op = CLP_SUM, .result = CLP_I32},
    {.type = CLP_U16, .op = CLP_XOR, .kind = CLP_SCAN_EXCLUSIVE},
};
enum { NUM_FORMS = sizeof forms / sizeof *forms };
static const size_t sizes[] = {0,   1,     2,         15,   16,   17,   31,       33,
                               511, GROUP, GROUP + 1, 1000, 2047, 2048, MOST - 1, MOST};
enum { NUM_SIZES = sizeof sizes / sizeof *sizes };
static const size_t group_sizes[] = {1, 4, 48, 64, 256, SIZE_MAX};
enum { NUM_GROUP_SIZES = sizeof group_sizes / sizeof *group_sizes };

static bool exact(const clp_scan_desc *desc) {
    return desc->op != CLP_OP_USER && (desc->type < CLP_F16 || desc->op == CLP_MIN || desc->op == CLP_MAX);
}

/* All sizes with one kind of data, by both schedules; offsets, init and in place take turns. */
static void compare_sizes(clp_context *context, struct scan_arrays *arrays, clp_scan_desc desc,
                          const struct user_form *user, const void *init, size_t turn, const char *what) {
    const size_t element = scan_element_size(&desc);
    const bool same = element == scan_output_size(&desc);
    for (size_t size = 0; size < NUM_SIZES; size++) {
        const size_t offset = (size + turn) % (SCAN_MAX_OFFSET + 1), n = sizes[size];
        const unsigned char *from = arrays->data + offset * element;
        desc.init = (size + turn) % 3 == 1 ? init : NULL;
        if (user)
            ref_scan_user(&desc, user->form.user, from, n, arrays->want);
        else
            ref_scan(&desc, from, n, arrays->want);
        for (int schedule = CLP_SCHEDULE_HILLIS_STEELE; schedule <= CLP_SCHEDULE_BLELLOCH; schedule++) {
            desc.schedule = (clp_schedule)schedule;
            if (schedule == CLP_SCHEDULE_BLELLOCH && !exact(&desc))
                continue;
            scan_compare(context, arrays, &desc, offset, n, false, what);
            if (same && (size + (size_t)schedule) % 2 == 0)
                scan_compare(context, arrays, &desc, offset, n, true, what);
        }
    }
}

static void compare_form(clp_context *context, const clp_scan_desc *desc) {
    const bool flushes =
        desc->type >= CLP_F16 && desc->type <= CLP_F32 && !clp_context_info(context)->keeps_denormals_f32;
    const clp_type small = desc->type == CLP_F16 || desc->type == CLP_BF16 ? CLP_F32 : CLP_TYPE_INVALID;
    unsigned char init[8];
    if (!scan_device_can(context, desc))
        return;
    struct scan_arrays arrays = scan_make_arrays(context, desc, ELEMENTS);
    ref_fill(REF_UNIFORM, small ? small : clp_scan_result_type(desc), 5, 1, init);
    for (int set = 0; set < (test_thin() > 1 ? 1 : REF_SET_COUNT); set++) {
        if (set == REF_DENORMALS && flushes)
            continue;
        ref_fill((ref_set)set, desc->type, 0, ELEMENTS, arrays.data);
        scan_upload(context, &arrays, desc, ELEMENTS);
        compare_sizes(context, &arrays, *desc, NULL, init, (size_t)set, ref_set_name((ref_set)set));
    }
    scan_free_arrays(&arrays);
}

/* Each form with two work-group sizes, in both shapes; each size with two or three forms. Full: all. */
START_TEST(bits_equal_the_reference) {
    const unsigned form = (unsigned)_i % NUM_FORMS, group = (unsigned)_i / NUM_FORMS;
    for (int shape = CLP_SHAPE_SIMT; shape <= CLP_SHAPE_SIMD; shape++) {
        const bool chosen = (group + form) % 3 == 0 && (shape == CLP_SHAPE_SIMT || group < 3);
        const bool turn = ((unsigned)_i * 2654435761u >> 16) % test_thin() == 0;
        if (!test_shape((clp_shape)shape) || (!test_full() && (!chosen || !turn)))
            continue;
        clp_context *context = test_context((clp_shape)shape, CLP_SUBGROUPS_DEFAULT, group_sizes[group]);
        compare_form(context, &forms[form]);
        clp_context_destroy(context);
    }
}
END_TEST

/* Operators whose operands must not change places. Thinned only the first: rusticl counts local memory twice,
 * and twice that of 16-byte values is more than it has. */
START_TEST(user_operators) {
    static const char *const names[] = {"affine_f", "matrix", "rgb"};
    if (!test_shape((clp_shape)_i))
        return;
    clp_context *context = test_context((clp_shape)_i, CLP_SUBGROUPS_DEFAULT, 64);
    for (size_t k = 0; k < 3 && (k == 0 || test_thin() == 1); k++) {
        const struct user_form *user = user_form_named(names[k]);
        const clp_reduce_desc *of = &user->form.desc;
        const clp_scan_desc desc = {.type = of->type,
                                    .op = of->op,
                                    .result = of->result,
                                    .kind = k == 0 ? CLP_SCAN_EXCLUSIVE : CLP_SCAN_INCLUSIVE,
                                    .user = of->user};
        struct scan_arrays arrays = scan_make_arrays(context, &desc, ELEMENTS);
        user_fill(user, 0, ELEMENTS, arrays.data);
        scan_upload(context, &arrays, &desc, ELEMENTS);
        unsigned char init[16];
        memcpy(init, arrays.data, scan_element_size(&desc));
        compare_sizes(context, &arrays, desc, user, init, k, names[k]);
        scan_free_arrays(&arrays);
    }
    clp_context_destroy(context);
}
END_TEST

/* Each row as if it were alone; what is behind a row's length, and between rows, stays. */
START_TEST(rows) {
    enum { ROWS = 37, COLUMNS = 700, STRIDE = COLUMNS + 3, OUT_STRIDE = COLUMNS + 1, N = ROWS * STRIDE };
    static uint32_t data[N], got[N], want[N];
    static cl_uint lengths[ROWS];
    if (!test_shape((clp_shape)_i))
        return;
    clp_context *context = test_context((clp_shape)_i, CLP_SUBGROUPS_DEFAULT, 64);
    cl_command_queue queue = clp_context_queue(context);
    ref_fill(REF_UNIFORM, CLP_U32, 0, N, data);
    for (cl_uint row = 0; row < ROWS; row++)
        lengths[row] = row * 97 % (COLUMNS + 60); /* some are 0, some more than there are columns */
    cl_mem in = test_input(context, data, sizeof data), mem = test_input(context, lengths, sizeof lengths);
    cl_mem out = test_output(context, sizeof got);
    for (int k = 0; k < 4; k++) {
        const clp_schedule schedule = k < 2 ? CLP_SCHEDULE_HILLIS_STEELE : CLP_SCHEDULE_BLELLOCH;
        const clp_scan_desc desc = {
            .type = CLP_U32, .op = CLP_SUM, .kind = CLP_SCAN_EXCLUSIVE, .schedule = schedule};
        const bool ragged = k % 2 != 0;
        const clp_rows call = {.count = ROWS,
                               .columns = COLUMNS,
                               .stride = STRIDE,
                               .second_stride = OUT_STRIDE,
                               .lengths = {ragged ? mem : NULL, 0}};
        test_guard(queue, out, sizeof got);
        test_read(queue, out, 0, sizeof want, want);
        for (size_t row = 0; row < ROWS; row++)
            ref_scan(&desc, data + row * STRIDE, ragged && lengths[row] < COLUMNS ? lengths[row] : COLUMNS,
                     want + 1 + row * OUT_STRIDE);
        ok(clp_scan_rows(context, queue, &desc, (clp_buffer){in, 0}, (clp_buffer){out, 1}, &call, NULL, 0,
                         NULL, NULL));
        test_read(queue, out, 0, sizeof got, got);
        ck_assert_msg(memcmp(got, want, sizeof got) == 0, "schedule %d, ragged %d", (int)schedule, ragged);
        scan_compared++;
    }
    clReleaseMemObject(in);
    clReleaseMemObject(mem);
    clReleaseMemObject(out);
    clp_context_destroy(context);
}
END_TEST

/* What these schedules do not do, and that the detail says why. */
START_TEST(errors) {
    clp_context *context = test_context(CLP_SHAPE_DEFAULT, CLP_SUBGROUPS_DEFAULT, 0);
    cl_command_queue queue = clp_context_queue(context);
    const float zero = 0;
    const clp_user user = {.op = "a + b", .identity = &zero, .promises = CLP_COMMUTATIVE};
    cl_mem mem = test_output(context, 65536), in = test_input(context, (char[65536]){0}, 65536);
    const clp_buffer from = {in, 0}, to = {mem, 0};
    const clp_segments segments = {.count = 1, .n = 100, .index = CLP_U32, .offsets = {in, 0}};
    clp_plan plan;
    for (int s = CLP_SCHEDULE_HILLIS_STEELE; s <= CLP_SCHEDULE_BLELLOCH; s++) {
        const clp_scan_desc desc = {.type = CLP_I32, .op = CLP_SUM, .schedule = (clp_schedule)s};
        ok(clp_scan_plan(context, &desc, MOST, &plan));
        ck_assert_int_eq(plan.schedule, s);
        ck_assert_uint_eq(plan.launches, 1);
        ck_assert_uint_eq(plan.workspace_size, 0);
        ok(clp_scan_prewarm(context, &desc));
        expect(clp_scan(context, queue, &desc, from, to, MOST + 1, NULL, 0, NULL, NULL), CLP_UNSUPPORTED);
        ck_assert_ptr_nonnull(strstr(clp_last_detail(), "4096 elements at most, not of 4097"));
        expect(clp_scan_rows(context, queue, &desc, from, to, &(clp_rows){.count = 2, .columns = MOST + 1},
                             NULL, 0, NULL, NULL),
               CLP_UNSUPPORTED);
        expect(clp_scan_segments(context, queue, &desc, from, to, &segments, NULL, 0, NULL, NULL),
               CLP_UNSUPPORTED);
        expect(clp_scan_by_flags(context, queue, &desc, from, from, to, 10, NULL, 0, NULL, NULL),
               CLP_UNSUPPORTED);
    }
    const clp_scan_desc descs[] = {
        {.type = CLP_F32, .op = CLP_SUM, .schedule = CLP_SCHEDULE_BLELLOCH},
        {.type = CLP_F16, .op = CLP_PROD, .schedule = CLP_SCHEDULE_BLELLOCH},
        {.type = CLP_F32, .op = CLP_OP_USER, .user = &user, .schedule = CLP_SCHEDULE_BLELLOCH}};
    for (size_t i = 0; i < sizeof descs / sizeof *descs; i++) {
        expect(clp_scan(context, queue, &descs[i], from, to, 10, NULL, 0, NULL, NULL), CLP_UNSUPPORTED);
        ck_assert_ptr_nonnull(strstr(clp_last_detail(), "not the canonical order"));
    }
    ck_assert(test_guarded(queue, mem, 65536, 0, 0));
    clReleaseMemObject(mem);
    clReleaseMemObject(in);
    clp_context_destroy(context);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("scan_block");
    TCase *bits = tcase_create("bits");
    tcase_add_loop_test(bits, bits_equal_the_reference, 0, NUM_FORMS * NUM_GROUP_SIZES);
    tcase_add_loop_test(bits, user_operators, CLP_SHAPE_SIMT, CLP_SHAPE_SIMD + 1);
    tcase_add_loop_test(bits, rows, CLP_SHAPE_SIMT, CLP_SHAPE_SIMD + 1);
    tcase_add_test(bits, errors);
    suite_add_tcase(suite, bits);
    return scan_main(suite);
}

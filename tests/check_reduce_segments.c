/* SPDX-License-Identifier: Apache-2.0 */
/* Reduction of segments by offsets: each segment's bits are those of the segment alone. */
#include "reduce_user_texts.h"
#include "segments_cases.h"

#include <stdlib.h>
#include <string.h>

enum { N = 300000, WORKSPACE_GUARD = 512 };

/* ---- one call
 * ---------------------------------------------------------------------------------------------- */

static struct segments_layout layout;

struct array {
    const struct user_form *user;
    cl_mem mem;
    unsigned char *data;
    size_t n;
};

/* A workspace of exactly the planned size between guard bytes, or none where none is needed. */
static cl_mem workspace_for(clp_context *context, const clp_plan *plan, clp_workspace *workspace) {
    cl_int code;
    const size_t size = plan->workspace_size + 2 * WORKSPACE_GUARD;
    cl_mem mem = clCreateBuffer(clp_context_cl(context), CL_MEM_READ_WRITE, size, NULL, &code);
    ok_cl(code);
    test_guard(clp_context_queue(context), mem, size);
    *workspace = (clp_workspace){mem, WORKSPACE_GUARD, plan->workspace_size};
    return mem;
}

static void compare(clp_context *context, const struct array *array, int kind, size_t n, clp_type index,
                    bool own_workspace) {
    const struct reduce_form *form = &array->user->form;
    const size_t element = reduce_element_size(&form->desc), result = reduce_result_size(&form->desc);
    const bool pair = reduce_is_pair(&form->desc);
    cl_command_queue queue = clp_context_queue(context);
    segments_lay(&layout, kind, n);
    const size_t size = (layout.count + 2) * result, offset = (size_t)kind % 4;
    unsigned char *got = malloc(size), want[16];
    ck_assert_ptr_nonnull(got);
    cl_mem begins = segments_index_buffer(context, index, layout.begins, layout.count + !layout.has_ends);
    cl_mem ends = layout.has_ends ? segments_index_buffer(context, index, layout.ends, layout.count) : NULL;
    cl_mem out = test_output(context, size), scratch = NULL;
    const clp_segments segments = {.count = layout.count,
                                   .n = n,
                                   .index = index == CLP_U32 && kind % 2 ? CLP_TYPE_INVALID : index,
                                   .offsets = {begins, 1},
                                   .ends = {ends, ends != NULL}};
    clp_workspace workspace;
    clp_plan plan;
    ok(clp_reduce_segments_plan(context, &form->desc, &segments, &plan));
    if (own_workspace)
        scratch = workspace_for(context, &plan, &workspace);
    ok(clp_reduce_segments(context, queue, &form->desc, (clp_buffer){array->mem, offset},
                           (clp_buffer){pair ? array->mem : NULL, pair ? 3 - offset : 0},
                           (clp_buffer){out, 1}, &segments,
                           own_workspace && plan.workspace_size ? &workspace : NULL, 0, NULL, NULL));
    test_read(queue, out, 0, size, got);
    for (size_t k = 0; k < layout.count; k++) {
        size_t begin;
        const size_t length = segments_at(&layout, k, n, &begin);
        reduce_reference(form, array->data + (offset + begin) * element,
                         array->data + (3 - offset + begin) * element, length, want);
        must(memcmp(got + (k + 1) * result, want, result) == 0,
             "%s, %s of %s: layout %s, %s, n = %zu: segment %zu of %zu, [%zu, +%zu): wrong bits",
             form->name ? form->name : "", clp_op_name(form->desc.op), clp_type_name(form->desc.type),
             segments_layout_names[kind], clp_type_name(index), n, k, layout.count, begin, length);
        reduce_compared++;
    }
    must(test_guarded(queue, out, size, result, size - result), "%s of %s: layout %s: wrote beside",
         clp_op_name(form->desc.op), clp_type_name(form->desc.type), segments_layout_names[kind]);
    if (scratch) {
        must(test_guarded(queue, scratch, plan.workspace_size + 2 * WORKSPACE_GUARD, WORKSPACE_GUARD,
                          WORKSPACE_GUARD + plan.workspace_size),
             "%s: layout %s: wrote beside its workspace", clp_op_name(form->desc.op),
             segments_layout_names[kind]);
        clReleaseMemObject(scratch);
    }
    clReleaseMemObject(begins);
    clReleaseMemObject(out);
    if (ends)
        clReleaseMemObject(ends);
    free(got);
}

static void all_layouts(clp_context *context, const struct user_form *user, unsigned turn) {
    const size_t element = reduce_element_size(&user->form.desc), n = N < test_max_n() ? N : test_max_n();
    struct array array = {.user = user, .n = n, .data = malloc((n + 3) * element)};
    ck_assert_ptr_nonnull(array.data);
    user_fill(user, 0, n + 3, array.data);
    array.mem = test_input(context, array.data, (n + 3) * element);
    for (int kind = 0; kind < SEGMENTS_NUM_LAYOUTS; kind++) {
        const unsigned choice = turn + (unsigned)kind;
        compare(context, &array, kind, n, choice % 3 == 0 ? CLP_U64 : CLP_U32, choice % 2 == 0);
        if (kind == SEGMENTS_ONE || kind == SEGMENTS_EDGES ||
            kind == SEGMENTS_ANYWHERE) /* and the other type of offsets */
            compare(context, &array, kind, n - n / 3, choice % 3 == 0 ? CLP_U32 : CLP_U64, choice % 2 == 1);
    }
    compare(context, &array, SEGMENTS_DESCENDING, 0, CLP_U32, false);
    compare(context, &array, SEGMENTS_ANYWHERE, 0, CLP_U64, true);
    clReleaseMemObject(array.mem);
    free(array.data);
}

/* ---- the matrix form x shape x work-group size
 * ------------------------------------------------------------- */

static const struct user_form forms[] = {
    {.form = {.desc = {.type = CLP_F32, .op = CLP_SUM}}},
    {.form = {.desc = {.type = CLP_F32, .op = CLP_MAX}}},
    {.form = {.desc = {.type = CLP_U8, .op = CLP_SUM}}},
    {.form = {.desc = {.type = CLP_F32, .op = CLP_ARGMIN}}},
    {.form = {.desc = {.type = CLP_U16, .op = CLP_ARGMAX, .result = CLP_U32}}},
    {.form = {.desc = {.type = CLP_F32, .op = CLP_SUM, .mode = CLP_REDUCE_COMPENSATED}}},
    {.form = {.desc = {.type = CLP_F32, .op = CLP_DOT}}},
    {.form = {.desc = {.type = CLP_F16, .op = CLP_MEAN}}},
    {.form = {.desc = {.type = CLP_I64, .op = CLP_MIN}}},
    {.form = {.desc = {.type = CLP_BF16, .op = CLP_NORM2, .result = CLP_BF16}}},
    {.form = {.desc = {.type = CLP_I32, .op = CLP_MEAN}}},
    {.form = {.desc = {.type = CLP_F64, .op = CLP_SUM}}},
};
static const char *const user_names[] = {"affine", "matrix", "moments", "x i", "x s", "rgb"};
enum {
    NUM_BUILT_IN = sizeof forms / sizeof *forms,
    NUM_FORMS = NUM_BUILT_IN + (int)(sizeof user_names / sizeof *user_names)
};

static const struct user_form *form_number(unsigned i) {
    return i < NUM_BUILT_IN ? &forms[i] : user_form_named(user_names[i - NUM_BUILT_IN]);
}

START_TEST(segments_equal_segments_alone) {
    const unsigned number = (unsigned)_i / 2;
    const clp_shape shape = (clp_shape)(_i % 2 + CLP_SHAPE_SIMT);
    const bool usual = number / 2 % 2 == (unsigned)_i % 2 || !test_shape((clp_shape)(3 - (int)shape));
    if (!test_shape(shape) || !reduce_chosen((unsigned)_i) || (!test_full() && !usual))
        return;
    for (unsigned group = 0; group < REDUCE_GROUP_SIZES; group++) {
        if (!test_full() && group != number % REDUCE_GROUP_SIZES)
            continue;
        clp_context *context = test_context(shape, CLP_SUBGROUPS_DEFAULT, reduce_group_sizes[group]);
        if (reduce_device_can(context, &form_number(number)->form.desc))
            all_layouts(context, form_number(number), number);
        clp_context_destroy(context);
    }
}
END_TEST

static void some_forms(clp_context *context, unsigned group, unsigned turn) {
    static const unsigned numbers[] = {0, 3, NUM_BUILT_IN};
    for (unsigned k = 0; k < 3; k++)
        if (test_full() || turn % 3 == k)
            all_layouts(context, form_number(numbers[k]), group);
}

START_TEST(every_group_size_and_back_end) {
    reduce_each_back_end((unsigned)_i, some_forms);
}
END_TEST

/* ---- errors
 * ------------------------------------------------------------------------------------------------ */

START_TEST(errors) {
    clp_context *context = test_context(CLP_SHAPE_DEFAULT, CLP_SUBGROUPS_DEFAULT, 0);
    cl_command_queue queue = clp_context_queue(context);
    const clp_reduce_desc sum = {.type = CLP_F32, .op = CLP_SUM};
    cl_int code;
    const cl_uint offsets[4] = {0, 10, 20, 30};
    const float data[64] = {1};
    cl_mem in = test_input(context, data, sizeof data), index = test_input(context, offsets, sizeof offsets);
    cl_mem out = test_output(context, 64);
    cl_mem both = clCreateBuffer(clp_context_cl(context), CL_MEM_READ_WRITE, 1024, NULL, &code);
    ok_cl(code);
    const clp_buffer from = {in, 0}, to = {out, 1}, none = {NULL, 0};
    const clp_segments good = {.count = 3, .n = 64, .offsets = {index, 0}};
#define CALL(desc, from, second, to, segments, workspace)                                                    \
    clp_reduce_segments(context, queue, desc, from, second, to, segments, workspace, 0, NULL, NULL)
    clp_segments bad;
    clp_plan plan;
    cl_event event = (cl_event)in;
    expect(clp_reduce_segments(context, queue, &sum, from, none, to, NULL, NULL, 0, NULL, &event),
           CLP_INVALID_ARGUMENT);
    ck_assert_ptr_null(event);
    expect(CALL(NULL, from, none, to, &good, NULL), CLP_INVALID_ARGUMENT);
    expect(clp_reduce_segments(NULL, queue, &sum, from, none, to, &good, NULL, 0, NULL, NULL),
           CLP_INVALID_ARGUMENT);
    expect(clp_reduce_segments(context, NULL, &sum, from, none, to, &good, NULL, 0, NULL, NULL),
           CLP_INVALID_QUEUE);
    for (int i = 0; i < 8; i++) {
        bad = good, bad.reserved[i] = 1;
        expect(CALL(&sum, from, none, to, &bad, NULL), CLP_INVALID_ARGUMENT);
        expect(clp_reduce_segments_plan(context, &sum, &bad, &plan), CLP_INVALID_ARGUMENT);
    }
    expect(clp_reduce_segments_plan(context, &sum, NULL, &plan), CLP_INVALID_ARGUMENT);
    expect(clp_reduce_segments_plan(context, &sum, &good, NULL), CLP_INVALID_ARGUMENT);
    static const int types[] = {CLP_I32, CLP_I64, CLP_U16, CLP_F32, CLP_USER, 99};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        bad = good, bad.index = (clp_type)types[i];
        expect(CALL(&sum, from, none, to, &bad, NULL), CLP_INVALID_TYPE);
        expect(clp_reduce_segments_plan(context, &sum, &bad, &plan), CLP_INVALID_TYPE);
    }
    for (int schedule = CLP_SCHEDULE_LEVELS; schedule <= CLP_SCHEDULE_SINGLE; schedule++) {
        const clp_reduce_desc desc = {.type = CLP_F32, .op = CLP_SUM, .schedule = (clp_schedule)schedule};
        expect(CALL(&desc, from, none, to, &good, NULL), CLP_UNSUPPORTED);
        expect(clp_reduce_segments_plan(context, &desc, &good, &plan), CLP_UNSUPPORTED);
    }
    const clp_reduce_desc fast = {.type = CLP_F32, .op = CLP_SUM, .mode = CLP_REDUCE_FAST};
    expect(CALL(&fast, from, none, to, &good, NULL), CLP_UNSUPPORTED);
    /* Buffers: missing, short, not readable, of a range that wraps. */
    bad = good, bad.offsets.mem = NULL;
    expect(CALL(&sum, from, none, to, &bad, NULL), CLP_INVALID_BUFFER);
    bad = good, bad.offsets.mem = out;
    expect(CALL(&sum, from, none, to, &bad, NULL), CLP_INVALID_BUFFER);
    bad = good, bad.offsets.offset = 1;
    expect(CALL(&sum, from, none, to, &bad, NULL), CLP_OUT_OF_RANGE);
    bad = good, bad.count = 4;
    expect(CALL(&sum, from, none, to, &bad, NULL), CLP_OUT_OF_RANGE);
    bad = good, bad.index = CLP_U64;
    expect(CALL(&sum, from, none, to, &bad, NULL), CLP_OUT_OF_RANGE);
    bad = good, bad.ends = (clp_buffer){index, 2};
    expect(CALL(&sum, from, none, to, &bad, NULL), CLP_OUT_OF_RANGE);
    bad = good, bad.count = 5, bad.ends = (clp_buffer){index, 0};
    expect(CALL(&sum, from, none, to, &bad, NULL), CLP_OUT_OF_RANGE);
    bad = good, bad.n = 65;
    expect(CALL(&sum, from, none, to, &bad, NULL), CLP_OUT_OF_RANGE);
    bad = good, bad.count = SIZE_MAX;
    expect(CALL(&sum, from, none, to, &bad, NULL), CLP_OUT_OF_RANGE);
    bad = good, bad.n = SIZE_MAX / 4 + 3;
    expect(CALL(&sum, from, none, to, &bad, NULL), CLP_OUT_OF_RANGE);
    expect(CALL(&sum, from, none, ((clp_buffer){out, 14}), &good, NULL), CLP_OUT_OF_RANGE);
    expect(CALL(&sum, none, none, to, &good, NULL), CLP_INVALID_BUFFER);
    expect(CALL(&sum, from, none, ((clp_buffer){in, 0}), &good, NULL), CLP_INVALID_BUFFER);
    const clp_reduce_desc arg = {.type = CLP_F32, .op = CLP_ARGMAX, .result = CLP_U32};
    bad = good, bad.n = (size_t)1 << 32;
    expect(CALL(&arg, from, none, to, &bad, NULL), CLP_OUT_OF_RANGE);
    /* The output inside what is read: the elements, the offsets, the ends. */
    bad = (clp_segments){.count = 3, .n = 64, .offsets = {both, 100}, .ends = {both, 120}};
    expect(CALL(&sum, ((clp_buffer){both, 0}), none, ((clp_buffer){both, 61}), &bad, NULL), CLP_OVERLAP);
    expect(CALL(&sum, ((clp_buffer){both, 0}), none, ((clp_buffer){both, 102}), &bad, NULL), CLP_OVERLAP);
    expect(CALL(&sum, ((clp_buffer){both, 0}), none, ((clp_buffer){both, 122}), &bad, NULL), CLP_OVERLAP);
    /* Two arrays for one operator and one for two. */
    const clp_reduce_desc dot = {.type = CLP_F32, .op = CLP_DOT};
    const clp_status rows_say = clp_reduce_rows(context, queue, &dot, from, none, to,
                                                &(clp_rows){.count = 1, .columns = 4}, NULL, 0, NULL, NULL);
    ck_assert_int_ne(rows_say, CLP_SUCCESS);
    expect(CALL(&dot, from, none, to, &good, NULL), rows_say);
    /* A workspace that is too small. */
    ok(clp_reduce_segments_plan(context, &sum, &good, &plan));
    if (plan.workspace_size) {
        const clp_workspace little = {both, 0, plan.workspace_size - 1};
        expect(CALL(&sum, from, none, to, &good, &little), CLP_WORKSPACE_TOO_SMALL);
    }
    ck_assert(test_guarded(queue, out, 64, 0, 0));
    /* No segments: nothing is written or needed, the event is there all the same. */
    const clp_segments nothing = {.count = 0, .n = 64};
    ok(clp_reduce_segments(context, queue, &sum, from, none, to, &nothing, NULL, 0, NULL, &event));
    ck_assert_ptr_nonnull(event);
    ok_cl(clWaitForEvents(1, &event));
    clReleaseEvent(event);
    ck_assert(test_guarded(queue, out, 64, 0, 0));
    ok(CALL(&sum, from, none, to, &good, NULL));
    float got[3];
    test_read(queue, out, 4, sizeof got, got);
    ck_assert(got[0] == 1 && got[1] == 0 && got[2] == 0);
    ck_assert(test_guarded(queue, out, 64, 4, 16));
    clReleaseMemObject(in);
    clReleaseMemObject(index);
    clReleaseMemObject(out);
    clReleaseMemObject(both);
    clp_context_destroy(context);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("reduce_segments");
    TCase *bits = tcase_create("bits");
    tcase_add_loop_test(bits, segments_equal_segments_alone, 0, 2 * NUM_FORMS);
    tcase_add_loop_test(bits, every_group_size_and_back_end, 0, 2 * REDUCE_GROUP_SIZES);
    suite_add_tcase(suite, bits);
    TCase *wrong = tcase_create("errors");
    tcase_add_test(wrong, errors);
    suite_add_tcase(suite, wrong);
    return reduce_main(suite);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Scan of segments by offsets: each segment's bits are those of the segment alone. */
#include "reduce_user_texts.h"
#include "scan_cases.h"
#include "segments_cases.h"

#include <stdlib.h>
#include <string.h>

/* Fewer elements with user operators: for each segment the reference calls them for a whole tile. */
enum { N = 150000, FEW = 30000, FEW_USER = 10000, GUARD_BYTES = 512, SLACK = 4, BYTE = 0xa5 };

/* user: the name of a text in reduce_user_texts.c, or NULL. init: of the result's type, or float for f16. */
struct form {
    const char *user;
    clp_type type;
    clp_op op;
    clp_type result;
    clp_scan_kind kind;
    bool init;
};

static const struct form forms[] = {
    {NULL, CLP_F32, CLP_SUM, 0, CLP_SCAN_INCLUSIVE, false},
    {NULL, CLP_F32, CLP_SUM, 0, CLP_SCAN_EXCLUSIVE, true},
    {NULL, CLP_U8, CLP_SUM, CLP_U32, CLP_SCAN_EXCLUSIVE, false},
    {NULL, CLP_F16, CLP_MAX, 0, CLP_SCAN_EXCLUSIVE, false},
    {NULL, CLP_BF16, CLP_SUM, 0, CLP_SCAN_INCLUSIVE, false},
    {NULL, CLP_I64, CLP_MIN, 0, CLP_SCAN_INCLUSIVE, true},
    {NULL, CLP_F64, CLP_SUM, 0, CLP_SCAN_EXCLUSIVE, false},
    {NULL, CLP_U16, CLP_XOR, 0, CLP_SCAN_INCLUSIVE, false},
    {"affine", 0, 0, 0, CLP_SCAN_INCLUSIVE, false},
    {"matrix", 0, 0, 0, CLP_SCAN_EXCLUSIVE, false},
    {"affine_f", 0, 0, 0, CLP_SCAN_INCLUSIVE, true},
};
enum { NUM_FORMS = sizeof forms / sizeof *forms };

static struct segments_layout layout;
static const size_t group_sizes[] = {1, 4, 48, 64, 256, SIZE_MAX};
enum { NUM_GROUP_SIZES = sizeof group_sizes / sizeof *group_sizes };

struct subject {
    clp_context *context;
    clp_scan_desc desc;
    const struct user_form *user;
    unsigned char *data, *want, *got;
    size_t n;
    cl_mem in, out;
};

static void expected(const struct subject *s, size_t begin, size_t length, unsigned char *out) {
    const void *in = s->data + begin * scan_element_size(&s->desc);
    if (s->user)
        ref_scan_user(&s->desc, s->user->form.user, in, length, out);
    else
        ref_scan(&s->desc, in, length, out);
}

static cl_mem read_write(clp_context *context, size_t bytes) {
    cl_int code;
    cl_mem mem = clCreateBuffer(clp_context_cl(context), CL_MEM_READ_WRITE, bytes, NULL, &code);
    ok_cl(code);
    test_guard(clp_context_queue(context), mem, bytes);
    return mem;
}

static void compare(const struct subject *s, int kind, size_t n, clp_type index, bool in_place, bool own) {
    const size_t size = scan_output_size(&s->desc), offset = (size_t)kind % SLACK;
    const size_t bytes = (N + 2 * SLACK) * size, element = scan_element_size(&s->desc);
    cl_command_queue queue = clp_context_queue(s->context);
    segments_lay(&layout, kind, n);
    if (layout.has_ends)
        segments_separate(&layout, n); /* outputs of those that share elements are unspecified */
    memset(s->want, BYTE, bytes);
    if (in_place)
        memcpy(s->want + offset * size, s->data + offset * element, n * size);
    ok_cl(clEnqueueWriteBuffer(queue, s->out, CL_TRUE, 0, bytes, s->want, 0, NULL, NULL));
    for (size_t k = 0; k < layout.count; k++) {
        size_t begin;
        const size_t length = segments_at(&layout, k, n, &begin);
        expected(s, offset + begin, length, s->want + (offset + begin) * size);
    }
    cl_mem begins = segments_index_buffer(s->context, index, layout.begins, layout.count + !layout.has_ends);
    cl_mem ends =
        layout.has_ends ? segments_index_buffer(s->context, index, layout.ends, layout.count) : NULL;
    const clp_segments segments = {.count = layout.count,
                                   .n = n,
                                   .index = index == CLP_U32 && kind % 2 ? CLP_TYPE_INVALID : index,
                                   .offsets = {begins, 1},
                                   .ends = {ends, ends != NULL}};
    clp_plan plan;
    ok(clp_scan_segments_plan(s->context, &s->desc, &segments, &plan));
    clp_workspace workspace = {NULL, GUARD_BYTES, plan.workspace_size};
    const size_t scratch_bytes = plan.workspace_size + 2 * GUARD_BYTES;
    if (own)
        workspace.mem = read_write(s->context, scratch_bytes);
    const clp_buffer out = {s->out, offset};
    ok(clp_scan_segments(s->context, queue, &s->desc, in_place ? out : (clp_buffer){s->in, offset}, out,
                         &segments, own ? &workspace : NULL, 0, NULL, NULL));
    test_read(queue, s->out, 0, bytes, s->got);
    for (size_t i = 0; i < N + 2 * SLACK; i++)
        must(memcmp(s->got + i * size, s->want + i * size, size) == 0,
             "%s %s of %s%s: layout %s, %s offsets, n = %zu%s: position %zu: wrong bits, or written at all",
             s->user ? s->user->form.name : "", clp_op_name(s->desc.op), clp_type_name(s->desc.type),
             s->desc.kind == CLP_SCAN_EXCLUSIVE ? ", exclusive" : "", segments_layout_names[kind],
             clp_type_name(index), n, in_place ? ", in place" : "", i - offset);
    scan_compared++;
    if (own) {
        must(test_guarded(queue, workspace.mem, scratch_bytes, GUARD_BYTES, scratch_bytes - GUARD_BYTES),
             "layout %s: wrote beside its workspace", segments_layout_names[kind]);
        clReleaseMemObject(workspace.mem);
    }
    clReleaseMemObject(begins);
    if (ends)
        clReleaseMemObject(ends);
}

static void all_layouts(clp_context *context, const struct form *form, unsigned turn, bool whole) {
    struct subject s = {.context = context, .n = whole ? N : form->user ? FEW_USER : FEW};
    s.n = s.n < test_max_n() ? s.n : test_max_n();
    unsigned char init[16];
    s.desc = (clp_scan_desc){.type = form->type, .op = form->op, .result = form->result, .kind = form->kind};
    if (form->user) {
        s.user = user_form_named(form->user);
        s.desc.type = s.user->form.desc.type;
        s.desc.op = CLP_OP_USER;
        s.desc.result = s.user->form.desc.result;
        s.desc.user = s.user->form.desc.user;
    }
    if (!scan_device_can(context, &s.desc))
        return;
    const size_t element = scan_element_size(&s.desc), size = scan_output_size(&s.desc);
    s.data = malloc((N + SLACK) * element);
    s.want = malloc((N + 2 * SLACK) * size);
    s.got = malloc((N + 2 * SLACK) * size);
    ck_assert(s.data && s.want && s.got);
    if (s.user)
        user_fill(s.user, 0, N + SLACK, s.data);
    else
        ref_fill(REF_UNIFORM, s.desc.type, 0, N + SLACK, s.data);
    memcpy(init, s.data + 3 * element, element);
    s.desc.init = form->init ? init : NULL;
    s.in = test_input(context, s.data, (N + SLACK) * element);
    s.out = read_write(context, (N + 2 * SLACK) * size);
    for (int kind = 0; kind < SEGMENTS_NUM_LAYOUTS; kind++) {
        const unsigned choice = turn + (unsigned)kind;
        const bool in_place = element == size && choice % 3 == 1;
        compare(&s, kind, s.n, choice % 3 == 0 ? CLP_U64 : CLP_U32, in_place, choice % 2 == 0);
        if (kind == SEGMENTS_ONE || kind == SEGMENTS_EDGES)
            compare(&s, kind, s.n - s.n / 3, choice % 3 == 0 ? CLP_U32 : CLP_U64, false, choice % 2 == 1);
    }
    compare(&s, SEGMENTS_DESCENDING, 0, CLP_U32, false, false);
    clReleaseMemObject(s.in);
    clReleaseMemObject(s.out);
    free(s.data);
    free(s.want);
    free(s.got);
}

START_TEST(segments_equal_segments_alone) {
    const unsigned number = (unsigned)_i / 2, group = ((unsigned)_i * 5 + 3) % NUM_GROUP_SIZES;
    const clp_shape shape = (clp_shape)(_i % 2 + CLP_SHAPE_SIMT);
    /* The first and the last form in both shapes, others in one. */
    const bool usual = number % (NUM_FORMS - 1) == 0 || number / 2 % 2 == (unsigned)_i % 2 ||
                       !test_shape((clp_shape)(3 - (int)shape));
    if (!test_shape(shape) || (!test_full() && !usual) ||
        ((unsigned)_i * 2654435761u >> 16) % test_thin() != 0)
        return;
    clp_context *context = test_context(shape, CLP_SUBGROUPS_DEFAULT, group_sizes[group]);
    all_layouts(context, &forms[number], number, number == 0 && shape == CLP_SHAPE_SIMD);
    clp_context_destroy(context);
}
END_TEST

/* So many long segments of the same elements that no list holds them; one lies apart and must be right. */
START_TEST(lists_overflow) {
    enum { COUNT = 3000, LENGTH = 20000, APART = LENGTH + 5 };
    static uint32_t data[2 * LENGTH], got[2 * LENGTH], want[LENGTH];
    const clp_scan_desc desc = {.type = CLP_U32, .op = CLP_SUM};
    cl_uint begins[COUNT], ends[COUNT];
    if (!test_shape((clp_shape)_i) || test_max_n() < 2 * LENGTH)
        return;
    for (size_t k = 0; k < COUNT; k++)
        begins[k] = k == COUNT / 2 ? APART : 0, ends[k] = k == COUNT / 2 ? 2 * LENGTH - 7 : 129;
    ref_fill(REF_UNIFORM, CLP_U32, 0, 2 * LENGTH, data);
    clp_context *context = test_context((clp_shape)_i, CLP_SUBGROUPS_DEFAULT, 0);
    cl_command_queue queue = clp_context_queue(context);
    cl_mem in = test_input(context, data, sizeof data), out = test_output(context, sizeof data);
    cl_mem first = test_input(context, begins, sizeof begins), last = test_input(context, ends, sizeof ends);
    const clp_segments segments = {.count = COUNT, .n = 2 * LENGTH, .offsets = {first, 0}, .ends = {last, 0}};
    ok(clp_scan_segments(context, queue, &desc, (clp_buffer){in, 0}, (clp_buffer){out, 0}, &segments, NULL, 0,
                         NULL, NULL));
    test_read(queue, out, 0, sizeof got, got);
    ref_scan(&desc, data + APART, LENGTH - 12, want);
    ck_assert_mem_eq(got + APART, want, (LENGTH - 12) * sizeof *want);
    scan_compared++;
    for (size_t i = 129; i < 2 * LENGTH; i += i == APART - 1 ? LENGTH - 11 : 1)
        ck_assert_uint_eq(got[i], got[129]); /* the guard's: in no segment */
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    clReleaseMemObject(first);
    clReleaseMemObject(last);
    clp_context_destroy(context);
}
END_TEST

START_TEST(errors) {
    clp_context *context = test_context(CLP_SHAPE_DEFAULT, CLP_SUBGROUPS_DEFAULT, 0);
    cl_command_queue queue = clp_context_queue(context);
    const clp_scan_desc sum = {.type = CLP_F32, .op = CLP_SUM};
    const cl_uint offsets[4] = {0, 10, 20, 30};
    const float data[64] = {1};
    cl_mem in = test_input(context, data, sizeof data), index = test_input(context, offsets, sizeof offsets);
    cl_mem out = test_output(context, sizeof data);
    cl_mem both = read_write(context, 1024);
    const clp_buffer from = {in, 0}, to = {out, 0};
    const clp_segments good = {.count = 3, .n = 64, .offsets = {index, 0}};
    clp_segments bad;
    clp_plan plan;
    clp_cost cost;
    cl_event event = (cl_event)in;
#define CALL(desc, from, to, segments, workspace)                                                            \
    clp_scan_segments(context, queue, desc, from, to, segments, workspace, 0, NULL, NULL)
    expect(clp_scan_segments(context, queue, &sum, from, to, NULL, NULL, 0, NULL, &event),
           CLP_INVALID_ARGUMENT);
    ck_assert_ptr_null(event);
    expect(CALL(NULL, from, to, &good, NULL), CLP_INVALID_ARGUMENT);
    expect(clp_scan_segments_plan(context, &sum, NULL, &plan), CLP_INVALID_ARGUMENT);
    expect(clp_scan_segments_plan(context, &sum, &good, NULL), CLP_INVALID_ARGUMENT);
    expect(clp_scan_segments_cost(&sum, NULL, &cost), CLP_INVALID_ARGUMENT);
    expect(clp_scan_segments_cost(&sum, &good, NULL), CLP_INVALID_ARGUMENT);
    for (int i = 0; i < 8; i++) {
        bad = good, bad.reserved[i] = 1;
        expect(CALL(&sum, from, to, &bad, NULL), CLP_INVALID_ARGUMENT);
    }
    bad = good, bad.index = CLP_I32;
    expect(CALL(&sum, from, to, &bad, NULL), CLP_INVALID_TYPE);
    expect(clp_scan_segments_cost(&sum, &bad, &cost), CLP_INVALID_TYPE);
    for (int schedule = CLP_SCHEDULE_LEVELS; schedule <= CLP_SCHEDULE_SINGLE; schedule++) {
        const clp_scan_desc desc = {.type = CLP_F32, .op = CLP_SUM, .schedule = (clp_schedule)schedule};
        expect(CALL(&desc, from, to, &good, NULL), CLP_UNSUPPORTED);
    }
    bad = good, bad.offsets.mem = NULL;
    expect(CALL(&sum, from, to, &bad, NULL), CLP_INVALID_BUFFER);
    bad = good, bad.offsets.offset = 1;
    expect(CALL(&sum, from, to, &bad, NULL), CLP_OUT_OF_RANGE);
    bad = good, bad.ends = (clp_buffer){index, 2};
    expect(CALL(&sum, from, to, &bad, NULL), CLP_OUT_OF_RANGE);
    bad = good, bad.n = 65;
    expect(CALL(&sum, from, to, &bad, NULL), CLP_OUT_OF_RANGE);
    bad = good, bad.count = SIZE_MAX;
    expect(CALL(&sum, from, to, &bad, NULL), CLP_OUT_OF_RANGE);
    bad = good, bad.n = SIZE_MAX / 4;
    expect(CALL(&sum, from, to, &bad, NULL), CLP_OUT_OF_RANGE);
    /* The outputs inside what is read: half of the elements, the offsets, the ends. */
    bad = (clp_segments){.count = 3, .n = 64, .offsets = {both, 100}, .ends = {both, 200}};
    expect(CALL(&sum, ((clp_buffer){both, 0}), ((clp_buffer){both, 32}), &bad, NULL), CLP_OVERLAP);
    expect(CALL(&sum, from, ((clp_buffer){both, 90}), &bad, NULL), CLP_OVERLAP);
    expect(CALL(&sum, from, ((clp_buffer){both, 190}), &bad, NULL), CLP_OVERLAP);
    ok(clp_scan_segments_plan(context, &sum, &good, &plan));
    const clp_workspace little = {both, 0, plan.workspace_size - 1};
    expect(CALL(&sum, from, to, &good, &little), CLP_WORKSPACE_TOO_SMALL);
    ck_assert(test_guarded(queue, out, sizeof data, 0, 0));
    const clp_segments nothing = {.count = 0, .n = 64};
    ok(clp_scan_segments(context, queue, &sum, from, to, &nothing, NULL, 0, NULL, &event));
    ck_assert_ptr_nonnull(event);
    ok_cl(clWaitForEvents(1, &event));
    clReleaseEvent(event);
    ck_assert(test_guarded(queue, out, sizeof data, 0, 0));
    ok(clp_scan_segments_cost(&sum, &good, &cost));
    ck_assert(cost.bytes == 64.0 * 8 + 4 * 4 && cost.work > 0 && cost.span > 0);
    clReleaseMemObject(in);
    clReleaseMemObject(index);
    clReleaseMemObject(out);
    clReleaseMemObject(both);
    clp_context_destroy(context);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("scan_segments");
    TCase *bits = tcase_create("bits");
    tcase_add_loop_test(bits, segments_equal_segments_alone, 0, 2 * NUM_FORMS);
    tcase_add_loop_test(bits, lists_overflow, CLP_SHAPE_SIMT, CLP_SHAPE_SIMD + 1);
    suite_add_tcase(suite, bits);
    TCase *wrong = tcase_create("errors");
    tcase_add_test(wrong, errors);
    suite_add_tcase(suite, wrong);
    return scan_main(suite);
}

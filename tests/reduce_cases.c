/* SPDX-License-Identifier: Apache-2.0 */
#include "reduce_cases.h"

#include <stdlib.h>
#include <string.h>

enum { OUT_ELEMENT = 3 };

size_t reduce_compared;

int reduce_main(Suite *suite) {
    const int status = test_main(suite);
    if (reduce_compared == 0)
        fprintf(stderr, "no result was compared\n");
    return reduce_compared == 0 ? EXIT_FAILURE : status;
}

static size_t size_of(const clp_reduce_desc *desc, clp_type type) {
    return type == CLP_USER ? desc->user->type_size : clp_type_size(type);
}

size_t reduce_element_size(const clp_reduce_desc *desc) {
    return size_of(desc, desc->type);
}

size_t reduce_result_size(const clp_reduce_desc *desc) {
    return size_of(desc, clp_reduce_result_type(desc));
}

bool reduce_is_pair(const clp_reduce_desc *desc) {
    return desc->op == CLP_DOT || (desc->user && desc->user->pair);
}

void reduce_reference(const struct reduce_form *form, const void *in, const void *second, size_t n,
                      void *out) {
    if (form->user)
        ref_reduce_user(&form->desc, form->user, in, second, n, out);
    else
        ref_reduce_pair(&form->desc, in, second, n, out);
}

static bool is_float(clp_type type) {
    return type >= CLP_F16 && type <= CLP_F64;
}

bool reduce_device_can(clp_context *context, const clp_reduce_desc *desc) {
    const clp_device_info *info = clp_context_info(context);
    /* Products of many floats pass through denormals; bf16's are f32's. */
    if (desc->op == CLP_PROD && is_float(desc->type) && desc->type != CLP_F64 && !info->keeps_denormals_f32)
        return false;
    const bool doubles = desc->type == CLP_F64 || desc->mode == CLP_REDUCE_WIDE ||
                         clp_reduce_result_type(desc) == CLP_F64 ||
                         (desc->user && desc->user->value == CLP_F64);
    return (!doubles || info->has_f64) && (desc->schedule != CLP_SCHEDULE_FUSED || info->has_device_fence);
}

static const char *describe(const struct reduce_form *form) {
    static char text[160];
    const clp_reduce_desc *desc = &form->desc;
    snprintf(text, sizeof text, "%s: %s of %s to %s, mode %d, schedule %d", form->name ? form->name : "form",
             clp_op_name(desc->op), clp_type_name(desc->type), clp_type_name(clp_reduce_result_type(desc)),
             (int)desc->mode, (int)desc->schedule);
    return text;
}

static bool all_guard(const unsigned char *bytes, size_t size) {
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != 0xa5)
            return false;
    return true;
}

static void run(clp_context *context, const struct reduce_form *form, clp_buffer from, size_t n, cl_mem out,
                const void *want, const char *set) {
    const size_t begin = OUT_ELEMENT * reduce_result_size(&form->desc),
                 end = begin + reduce_result_size(&form->desc);
    const clp_buffer to = {out, OUT_ELEMENT};
    unsigned char got[REDUCE_OUT_SIZE];
    cl_command_queue queue = clp_context_queue(context);
    test_guard(queue, out, REDUCE_OUT_SIZE);
    if (reduce_is_pair(&form->desc))
        ok(clp_reduce_pair(context, queue, &form->desc, from,
                           (clp_buffer){from.mem, REDUCE_MAX_OFFSET - from.offset}, to, n, NULL, 0, NULL,
                           NULL));
    else
        ok(clp_reduce(context, queue, &form->desc, from, to, n, NULL, 0, NULL, NULL));
    test_read(queue, out, 0, REDUCE_OUT_SIZE, got);
    reduce_compared++;
    must(memcmp(got + begin, want, end - begin) == 0, "%s: n = %zu, offset %zu, set %s: wrong bits",
         describe(form), n, from.offset, set);
    must(all_guard(got, begin) && all_guard(got + end, REDUCE_OUT_SIZE - end),
         "%s: n = %zu: wrote beside its output", describe(form), n);
}

void reduce_compare(clp_context *context, const struct reduce_form *form, int schedule, cl_mem mem,
                    const void *data, size_t offset, size_t n, cl_mem out, const char *set) {
    unsigned char want[16];
    const size_t element = reduce_element_size(&form->desc);
    reduce_reference(form, (const char *)data + offset * element,
                     (const char *)data + (REDUCE_MAX_OFFSET - offset) * element, n, want);
    const int first = schedule < 0 ? CLP_SCHEDULE_DEFAULT : schedule;
    const int last = schedule < 0 ? CLP_SCHEDULE_SINGLE : schedule;
    for (int s = first; s <= last; s++) {
        struct reduce_form scheduled = *form;
        scheduled.desc.schedule = (clp_schedule)s;
        if (reduce_device_can(context, &scheduled.desc) &&
            (s != CLP_SCHEDULE_LEVELS || schedule != REDUCE_FEW_SCHEDULES))
            run(context, &scheduled, (clp_buffer){n ? mem : NULL, offset}, n, out, want, set);
    }
}

bool reduce_size_chosen(size_t turn, size_t num_sizes) {
    return test_thin() == 1 || num_sizes <= 4 || turn % 3 == 0;
}

void reduce_compare_sets(clp_context *context, const struct reduce_form *form, int schedule,
                         const size_t *sizes, size_t num_sizes) {
    const clp_type type = form->desc.type;
    const bool flushes = is_float(type) && type != CLP_F64 && !clp_context_info(context)->keeps_denormals_f32;
    const size_t element = reduce_element_size(&form->desc);
    size_t elements = 0;
    for (size_t i = 0; i < num_sizes; i++)
        if (sizes[i] <= test_max_n() && sizes[i] > elements)
            elements = sizes[i];
    elements += REDUCE_MAX_OFFSET;
    void *data = malloc(elements * element);
    ck_assert_ptr_nonnull(data);
    cl_mem out = test_output(context, REDUCE_OUT_SIZE);
    for (size_t set = 0; set < REF_SET_COUNT; set++) {
        if (set == REF_DENORMALS && flushes)
            continue; /* the one thing that may differ: tests/CMakeLists.txt names the devices */
        ref_fill((ref_set)set, type, 0, elements, data);
        cl_mem mem = test_input(context, data, elements * element);
        for (size_t i = 0; i < num_sizes; i++)
            if (sizes[i] <= test_max_n() && reduce_size_chosen(i + set, num_sizes))
                reduce_compare(context, form, schedule, mem, data, (i + set) % (REDUCE_MAX_OFFSET + 1),
                               sizes[i], out, ref_set_name((ref_set)set));
        clReleaseMemObject(mem);
    }
    clReleaseMemObject(out);
    free(data);
}

void reduce_compare_rows(clp_context *context, const struct reduce_form *form, cl_mem mem, const void *data,
                         const clp_rows *rows, const cl_uint *lengths, cl_mem out) {
    const bool pair = reduce_is_pair(&form->desc);
    const size_t element = reduce_element_size(&form->desc), result = reduce_result_size(&form->desc);
    const size_t size = (rows->count + 2) * result, end = (rows->count + 1) * result;
    const size_t stride = rows->stride ? rows->stride : rows->columns;
    const size_t second_stride = rows->second_stride ? rows->second_stride : rows->columns;
    unsigned char *got = malloc(size), want[16];
    must(got != NULL, "no memory for %zu results", rows->count);
    cl_command_queue queue = clp_context_queue(context);
    test_guard(queue, out, size);
    ok(clp_reduce_rows(context, queue, &form->desc, (clp_buffer){mem, 1}, (clp_buffer){pair ? mem : NULL, 2},
                       (clp_buffer){out, 1}, rows, NULL, 0, NULL, NULL));
    test_read(queue, out, 0, size, got);
    for (size_t r = 0; r < rows->count; r++) {
        const size_t n = lengths && lengths[1 + r] < rows->columns ? lengths[1 + r] : rows->columns;
        reduce_reference(form, (const char *)data + (1 + r * stride) * element,
                         (const char *)data + (2 + r * second_stride) * element, n, want);
        must(memcmp(got + (1 + r) * result, want, result) == 0,
             "%s: row %zu of %zu x %zu, strides %zu and %zu%s", describe(form), r, rows->count, rows->columns,
             stride, second_stride, lengths ? ", ragged" : "");
        reduce_compared++;
    }
    must(all_guard(got, result) && all_guard(got + end, size - end), "%s: %zu rows of %zu%s: wrote beside",
         describe(form), rows->count, rows->columns, lengths ? ", ragged" : "");
    free(got);
}

const size_t reduce_group_sizes[REDUCE_GROUP_SIZES] = {1, 4, 48, 64, 256, SIZE_MAX};

bool reduce_chosen(unsigned i) {
    return (i * 2654435761u >> 16) % test_thin() == 0;
}

void reduce_each_back_end(unsigned i, void (*tests)(clp_context *context, unsigned group, unsigned turn)) {
    const unsigned group = i % REDUCE_GROUP_SIZES;
    const clp_shape shape = (clp_shape)(i / REDUCE_GROUP_SIZES + CLP_SHAPE_SIMT);
    if (!test_shape(shape) || !reduce_chosen(i))
        return;
    for (int local = 0; local < 2; local++) {
        clp_context *context = test_context(shape, local ? CLP_SUBGROUPS_LOCAL : CLP_SUBGROUPS_DEFAULT,
                                            reduce_group_sizes[group]);
        if (clp_context_info(context)->subgroups == CLP_SUBGROUPS_LOCAL || shape == CLP_SHAPE_SIMD)
            local++; /* the default is local memory, or does not matter */
        tests(context, group, group + i / REDUCE_GROUP_SIZES);
        clp_context_destroy(context);
    }
}

enum { P0 = 0, ONE = 0x3f800000, INF = 0x7f800000, QNAN = 0x7fc00000, ODD_NAN = 0x7f800123 };
#define N0      0x80000000u
#define NINF    0xff800000u
#define NEG_NAN 0xffc00001u
#define NEG_ONE 0xbf800000u

const struct reduce_special reduce_specials[] = {
    {CLP_SUM, 0, {0}, P0},
    {CLP_MIN, 0, {0}, INF},
    {CLP_MAX, 0, {0}, NINF},
    {CLP_SUM, 1, {N0}, N0},
    {CLP_SUM, 3, {N0, N0, N0}, N0},
    {CLP_SUM, 2, {N0, P0}, P0},
    {CLP_SUM, 2, {ONE, NEG_ONE}, P0},
    {CLP_SUM, 2, {INF, NINF}, QNAN},
    {CLP_SUM, 2, {ONE, ODD_NAN}, QNAN},
    {CLP_SUM, 1, {NEG_NAN}, QNAN},
    {CLP_MAX, 2, {N0, P0}, P0},
    {CLP_MAX, 2, {P0, N0}, P0},
    {CLP_MAX, 2, {N0, N0}, N0},
    {CLP_MIN, 2, {P0, N0}, N0},
    {CLP_MIN, 2, {N0, P0}, N0},
    {CLP_MIN, 2, {P0, P0}, P0},
    {CLP_MIN, 4, {QNAN, ONE, NEG_NAN, NEG_ONE}, NEG_ONE},
    {CLP_MAX, 4, {QNAN, ONE, NEG_NAN, NEG_ONE}, QNAN},
    {CLP_MAX, 2, {NEG_NAN, INF}, QNAN},
    {CLP_MIN, 2, {NEG_NAN, ODD_NAN}, QNAN},
    {CLP_MIN, 2, {INF, INF}, INF},
    {CLP_MAX, 2, {NINF, NINF}, NINF},
    {CLP_SUM, 2, {INF, ONE}, INF},
    {CLP_SUM, 1, {1}, 1}, /* the smallest denormal */
    {CLP_MAX, 2, {NEG_ONE, NINF}, NEG_ONE},
};
const size_t reduce_num_specials = sizeof reduce_specials / sizeof *reduce_specials;

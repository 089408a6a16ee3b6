/* SPDX-License-Identifier: Apache-2.0 */
#include "scan_cases.h"

#include <stdlib.h>
#include <string.h>

size_t scan_compared;

int scan_main(Suite *suite) {
    const int status = test_main(suite);
    if (scan_compared == 0)
        fprintf(stderr, "no result was compared\n");
    return scan_compared == 0 ? EXIT_FAILURE : status;
}

size_t scan_element_size(const clp_scan_desc *desc) {
    return desc->type == CLP_USER ? desc->user->type_size : clp_type_size(desc->type);
}

size_t scan_output_size(const clp_scan_desc *desc) {
    const clp_type type = clp_scan_result_type(desc);
    return type == CLP_USER ? desc->user->type_size : clp_type_size(type);
}

bool scan_device_can(clp_context *context, const clp_scan_desc *desc) {
    clp_plan plan;
    const clp_device_info *info = clp_context_info(context);
    /* Products of many floats pass through denormals; bf16's are f32's. */
    if (desc->op == CLP_PROD && desc->type >= CLP_F16 && desc->type <= CLP_F32 && !info->keeps_denormals_f32)
        return false;
    return clp_scan_plan(context, desc, 4096, &plan) != CLP_DEVICE_UNSUPPORTED;
}

static cl_mem both_ways(clp_context *context, size_t bytes) {
    cl_int code;
    cl_mem mem = clCreateBuffer(clp_context_cl(context), CL_MEM_READ_WRITE, bytes, NULL, &code);
    ok_cl(code);
    return mem;
}

struct scan_arrays scan_make_arrays(clp_context *context, const clp_scan_desc *desc, size_t elements) {
    const size_t in = scan_element_size(desc), out = scan_output_size(desc);
    struct scan_arrays arrays = {.bytes =
                                     (in > out ? in : out) * (elements + SCAN_MAX_OFFSET + 2 * SCAN_GUARD)};
    arrays.data = calloc(1, arrays.bytes);
    arrays.got = malloc(arrays.bytes);
    arrays.want = malloc(arrays.bytes);
    ck_assert(arrays.data && arrays.got && arrays.want);
    arrays.in = both_ways(context, arrays.bytes);
    arrays.out = both_ways(context, arrays.bytes);
    return arrays;
}

void scan_free_arrays(struct scan_arrays *arrays) {
    free(arrays->data);
    free(arrays->got);
    free(arrays->want);
    clReleaseMemObject(arrays->in);
    clReleaseMemObject(arrays->out);
}

void scan_upload(clp_context *context, struct scan_arrays *arrays, const clp_scan_desc *desc,
                 size_t elements) {
    ok_cl(clEnqueueWriteBuffer(clp_context_queue(context), arrays->in, CL_TRUE, 0,
                               elements * scan_element_size(desc), arrays->data, 0, NULL, NULL));
}

static const char *describe(const clp_scan_desc *desc) {
    static char text[160];
    snprintf(text, sizeof text, "%s %s of %s to %s, schedule %d%s",
             desc->kind == CLP_SCAN_EXCLUSIVE ? "exclusive" : "inclusive",
             desc->user && desc->user->op ? desc->user->op : clp_op_name(desc->op), clp_type_name(desc->type),
             clp_type_name(clp_scan_result_type(desc)), (int)desc->schedule, desc->init ? ", init" : "");
    return text;
}

/* The n outputs behind SCAN_GUARD + offset guards, and SCAN_GUARD guards behind them. */
static void check_outputs(const struct scan_arrays *arrays, const clp_scan_desc *desc, size_t offset,
                          size_t n, const char *what) {
    const size_t size = scan_output_size(desc), begin = (SCAN_GUARD + offset) * size;
    const unsigned char *got = arrays->got + begin;
    scan_compared++;
    if (memcmp(got, arrays->want, n * size) != 0) {
        size_t i = 0;
        uint64_t bits[2] = {0, 0};
        while (memcmp(got + i * size, arrays->want + i * size, size) == 0)
            i++;
        memcpy(&bits[0], got + i * size, size < 8 ? size : 8);
        memcpy(&bits[1], arrays->want + i * size, size < 8 ? size : 8);
        ck_abort_msg("%s: n = %zu, offset %zu, %s: output %zu begins %llx, not %llx", describe(desc), n,
                     offset, what, i, (unsigned long long)bits[0], (unsigned long long)bits[1]);
    }
    for (size_t i = 0; i < SCAN_GUARD * size; i++)
        ck_assert_msg(arrays->got[begin - 1 - i] == 0xa5 && got[n * size + i] == 0xa5,
                      "%s: n = %zu, offset %zu, %s: wrote beside its outputs", describe(desc), n, offset,
                      what);
}

static clp_status plain(clp_context *context, const clp_scan_desc *desc, clp_buffer in, clp_buffer out,
                        size_t offset, size_t n, const void *cookie) {
    (void)offset, (void)cookie;
    return clp_scan(context, clp_context_queue(context), desc, in, out, n, NULL, 0, NULL, NULL);
}

void scan_compare(clp_context *context, struct scan_arrays *arrays, const clp_scan_desc *desc, size_t offset,
                  size_t n, bool in_place, const char *what) {
    scan_compare_call(context, arrays, desc, offset, n, in_place, what, plain, NULL);
}

void scan_compare_call(clp_context *context, struct scan_arrays *arrays, const clp_scan_desc *desc,
                       size_t offset, size_t n, bool in_place, const char *what, scan_call *call,
                       const void *cookie) {
    const size_t size = scan_output_size(desc), bytes = (n + 2 * SCAN_GUARD + offset) * size;
    cl_command_queue queue = clp_context_queue(context);
    const clp_buffer out = {arrays->out, SCAN_GUARD + offset},
                     in = in_place ? out : (clp_buffer){n ? arrays->in : NULL, offset};
    memset(arrays->got, 0xa5, bytes);
    if (in_place)
        memcpy(arrays->got + (SCAN_GUARD + offset) * size, arrays->data + offset * size, n * size);
    ok_cl(clEnqueueWriteBuffer(queue, arrays->out, CL_TRUE, 0, bytes, arrays->got, 0, NULL, NULL));
    ok(call(context, desc, in, out, offset, n, cookie));
    test_read(queue, arrays->out, 0, bytes, arrays->got);
    check_outputs(arrays, desc, offset, n, what);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Scan: rows, every documented error, and waits that run out. */
#include "harness.h"
#include "reference.h"

#include <stdlib.h>
#include <string.h>

enum { TILE = 4096 };

static cl_mem both_ways(clp_context *context, size_t bytes, const void *data) {
    cl_int code;
    cl_mem mem = clCreateBuffer(clp_context_cl(context), CL_MEM_READ_WRITE, bytes, NULL, &code);
    ok_cl(code);
    ok_cl(clEnqueueWriteBuffer(clp_context_queue(context), mem, CL_TRUE, 0, bytes, data, 0, NULL, NULL));
    return mem;
}

/* Each row as if it were alone, whatever its neighbours; what is behind a row's length stays. */
START_TEST(each_row_alone) {
    enum {
        ROWS = 5,
        COLUMNS = TILE + 300,
        STRIDE = COLUMNS + 3,
        OUT_STRIDE = COLUMNS + 1,
        N = ROWS * STRIDE
    };
    static const cl_uint lengths[ROWS] = {COLUMNS, 0, 17, TILE + 1, COLUMNS + 50};
    static const clp_schedule schedules[] = {CLP_SCHEDULE_DEFAULT, CLP_SCHEDULE_LEVELS, CLP_SCHEDULE_SINGLE};
    if (!test_shape((clp_shape)_i) || N > 4 * test_max_n())
        return;
    clp_context *context = test_context((clp_shape)_i, CLP_SUBGROUPS_DEFAULT, 0);
    cl_command_queue queue = clp_context_queue(context);
    float *data = malloc(N * sizeof *data), *got = malloc(N * sizeof *got), *want = malloc(N * sizeof *want);
    ck_assert(data && got && want);
    ref_fill(REF_UNIFORM, CLP_F32, 0, N, data);
    cl_mem in = both_ways(context, N * sizeof *data, data), out = both_ways(context, N * sizeof *data, data);
    cl_mem mem = both_ways(context, sizeof lengths, lengths);
    for (size_t s = 0; s < sizeof schedules / sizeof *schedules; s++)
        for (int ragged = 0; ragged < 2; ragged++) {
            clp_scan_desc desc = {
                .type = CLP_F32, .op = CLP_SUM, .kind = CLP_SCAN_EXCLUSIVE, .schedule = schedules[s]};
            const clp_rows rows = {.count = ROWS,
                                   .columns = COLUMNS,
                                   .stride = STRIDE,
                                   .second_stride = OUT_STRIDE,
                                   .lengths = {ragged ? mem : NULL, 0}};
            memset(got, 0xa5, N * sizeof *got);
            memcpy(want, got, N * sizeof *got);
            for (size_t row = 0; row < ROWS; row++)
                ref_scan(&desc, data + row * STRIDE,
                         ragged && lengths[row] < COLUMNS ? lengths[row] : COLUMNS,
                         want + 1 + row * OUT_STRIDE);
            ok_cl(clEnqueueWriteBuffer(queue, out, CL_TRUE, 0, N * sizeof *got, got, 0, NULL, NULL));
            ok(clp_scan_rows(context, queue, &desc, (clp_buffer){in, 0}, (clp_buffer){out, 1}, &rows, NULL, 0,
                             NULL, NULL));
            test_read(queue, out, 0, N * sizeof *got, got);
            ck_assert_msg(memcmp(got, want, N * sizeof *got) == 0, "schedule %d, ragged %d",
                          (int)schedules[s], ragged);
        }
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    clReleaseMemObject(mem);
    free(data);
    free(got);
    free(want);
    clp_context_destroy(context);
}
END_TEST

START_TEST(errors) {
    enum { N = 100 };
    static const double data[2 * N];
    clp_context *context = test_context(CLP_SHAPE_DEFAULT, CLP_SUBGROUPS_DEFAULT, 0);
    cl_command_queue queue = clp_context_queue(context);
    clp_plan plan;
    cl_mem mem = both_ways(context, sizeof data, data), read_only = test_input(context, data, sizeof data);
    const clp_buffer in = {read_only, 0}, out = {mem, 0};
    const float zero = 0;
    const clp_user own = {.op = "a + b", .identity = &zero}, no_identity = {.op = "a + b"},
                   transform = {.transform = "x * x"}, typed = {.type = "float2", .type_size = 8},
                   broken = {.op = "a +* nosuch(b)", .identity = &zero};
    const clp_scan_desc good = {.type = CLP_F32, .op = CLP_SUM};
    const struct {
        clp_scan_desc desc;
        clp_status want;
    } descs[] = {
        {{.op = CLP_SUM}, CLP_INVALID_TYPE},
        {{.type = CLP_F32}, CLP_INVALID_OPERATOR},
        {{.type = CLP_F32, .op = CLP_SUM, .result = (clp_type)99}, CLP_INVALID_TYPE},
        {{.type = CLP_F32, .op = CLP_SUM, .kind = (clp_scan_kind)2}, CLP_INVALID_MODE},
        {{.type = CLP_F32, .op = CLP_SUM, .schedule = (clp_schedule)9}, CLP_INVALID_MODE},
        {{.type = CLP_F32, .op = CLP_SUM, .schedule = CLP_SCHEDULE_FUSED}, CLP_UNSUPPORTED},
        {{.type = CLP_F32, .op = CLP_XOR}, CLP_UNSUPPORTED},
        {{.type = CLP_F32, .op = CLP_MEAN}, CLP_UNSUPPORTED},
        {{.type = CLP_F32, .op = CLP_MAX, .result = CLP_F64}, CLP_UNSUPPORTED},
        {{.type = CLP_U8, .op = CLP_SUM, .result = CLP_I32}, CLP_UNSUPPORTED},
        {{.type = CLP_U8, .op = CLP_SUM, .reserved = {1}}, CLP_INVALID_ARGUMENT},
        {{.type = CLP_F32, .op = CLP_OP_USER}, CLP_INVALID_ARGUMENT},
        {{.type = CLP_USER, .op = CLP_OP_USER, .user = &own}, CLP_INVALID_ARGUMENT},
        {{.type = CLP_F32, .op = CLP_OP_USER, .user = &no_identity}, CLP_INVALID_ARGUMENT},
        {{.type = CLP_F32, .op = CLP_SUM, .user = &transform}, CLP_UNSUPPORTED},
        {{.type = CLP_F32, .op = CLP_OP_USER, .user = &own, .result = CLP_F16}, CLP_UNSUPPORTED},
        {{.type = CLP_F32, .op = CLP_OP_USER, .user = &own, .schedule = CLP_SCHEDULE_ONE_PASS},
         CLP_UNSUPPORTED},
        {{.type = CLP_USER, .op = CLP_SUM, .user = &typed}, CLP_UNSUPPORTED},
        {{.type = CLP_F32, .op = CLP_OP_USER, .user = &broken}, CL_BUILD_PROGRAM_FAILURE},
    };
    for (size_t i = 0; i < sizeof descs / sizeof *descs; i++)
        expect(clp_scan(context, queue, &descs[i].desc, in, out, N, NULL, 0, NULL, NULL), descs[i].want);
    expect(clp_scan(NULL, queue, &good, in, out, N, NULL, 0, NULL, NULL), CLP_INVALID_ARGUMENT);
    expect(clp_scan(context, queue, NULL, in, out, N, NULL, 0, NULL, NULL), CLP_INVALID_ARGUMENT);
    expect(clp_scan(context, NULL, &good, in, out, N, NULL, 0, NULL, NULL), CLP_INVALID_QUEUE);
    expect(clp_scan(context, queue, &good, in, in, N, NULL, 0, NULL, NULL), CLP_INVALID_BUFFER);
    expect(clp_scan(context, queue, &good, in, (clp_buffer){mem, 4 * N - 99}, N, NULL, 0, NULL, NULL),
           CLP_OUT_OF_RANGE);
    expect(clp_scan(context, queue, &good, out, (clp_buffer){mem, 1}, N, NULL, 0, NULL, NULL), CLP_OVERLAP);
    const clp_scan_desc wider = {.type = CLP_U8, .op = CLP_SUM, .result = CLP_U32};
    expect(clp_scan(context, queue, &wider, out, out, N, NULL, 0, NULL, NULL), CLP_OVERLAP);
    expect(clp_scan(context, queue, &good, in, out, N, &(clp_workspace){mem, 0, 1}, 0, NULL, NULL),
           CLP_WORKSPACE_TOO_SMALL);
    expect(clp_scan_plan(context, &good, N, NULL), CLP_INVALID_ARGUMENT);
    expect(clp_scan_plan(NULL, &good, N, &plan), CLP_INVALID_ARGUMENT);
    expect(clp_scan_plan(context, NULL, N, &plan), CLP_INVALID_ARGUMENT);
    expect(clp_scan_prewarm(NULL, &good), CLP_INVALID_ARGUMENT);
    expect(clp_scan_prewarm(context, NULL), CLP_INVALID_ARGUMENT);
    expect(clp_scan_rows_plan(context, &good, NULL, &plan), CLP_INVALID_ARGUMENT);
    expect(clp_scan_rows(context, queue, &good, in, out,
                         &(clp_rows){.count = 2, .columns = 5, .reserved = {1}}, NULL, 0, NULL, NULL),
           CLP_INVALID_ARGUMENT);
    expect(clp_scan_rows(context, queue, &good, in, out,
                         &(clp_rows){.count = 2, .columns = 5, .second_stride = 4}, NULL, 0, NULL, NULL),
           CLP_INVALID_ARGUMENT);
    expect(clp_scan_rows(context, queue, &good, in, out,
                         &(clp_rows){.count = SIZE_MAX / 2, .columns = 5, .stride = 6}, NULL, 0, NULL, NULL),
           CLP_OUT_OF_RANGE);
    const clp_scan_desc one_pass = {.type = CLP_F32, .op = CLP_SUM, .schedule = CLP_SCHEDULE_ONE_PASS};
    const clp_status can = clp_scan_plan(context, &one_pass, N, &plan);
    ck_assert(can == CLP_SUCCESS || can == CLP_DEVICE_UNSUPPORTED);
    expect(clp_scan(context, queue, &one_pass, out, out, N, NULL, 0, NULL, NULL),
           can == CLP_SUCCESS ? CLP_UNSUPPORTED : can);
    expect(clp_scan_rows(context, queue, &one_pass, in, out, &(clp_rows){.count = 2, .columns = 5}, NULL, 0,
                         NULL, NULL),
           can == CLP_SUCCESS ? CLP_UNSUPPORTED : can);
    ck_assert_int_eq(clp_scan_result_type(NULL), CLP_TYPE_INVALID);
    expect(clp_scan_rows(context, queue, &good, in, out, NULL, NULL, 0, NULL, NULL), CLP_INVALID_ARGUMENT);
    expect(clp_scan_rows(context, queue, &good, in, out, &(clp_rows){.count = 2, .columns = 5, .stride = 4},
                         NULL, 0, NULL, NULL),
           CLP_INVALID_ARGUMENT);
    ck_assert_int_eq(clp_scan_result_type(&descs[6].desc), CLP_TYPE_INVALID);
    clReleaseMemObject(mem);
    clReleaseMemObject(read_only);
    clp_context_destroy(context);
}
END_TEST

/* Whoever waits in vain computes what is missing: nothing hangs, and the bits stay. */
START_TEST(lost_publications) {
    const size_t all = (size_t)TILE * 1024 * 2 + 5 * TILE + 7, n = all < test_max_n() ? all : test_max_n();
    const char *folder = CLP_SCRATCH_FOLDER "/lost_publications";
    if (!test_shape((clp_shape)_i))
        return;
    test_lossy_kernels(CLP_KERNEL_FOLDER, folder);
    clp_context *context = NULL;
    ok(clp_context_pick(&(clp_options){.shape = (clp_shape)_i, .source_dir = folder}, &context));
    cl_command_queue queue = clp_context_queue(context);
    clp_scan_desc desc = {.type = CLP_F32, .op = CLP_SUM, .schedule = CLP_SCHEDULE_ONE_PASS};
    clp_plan plan;
    if (clp_scan_plan(context, &desc, n, &plan) != CLP_DEVICE_UNSUPPORTED) {
        float *data = malloc(n * sizeof *data), *got = malloc(n * sizeof *got),
              *want = malloc(n * sizeof *want);
        ck_assert(data && got && want);
        ref_fill(REF_UNIFORM, CLP_F32, 0, n, data);
        ref_scan(&desc, data, n, want);
        cl_mem in = test_input(context, data, n * sizeof *data), out = test_output(context, n * sizeof *got);
        for (int run = 0; run < 3; run++) { /* the words of one call are not those of the next */
            ok(clp_scan(context, queue, &desc, (clp_buffer){in, 0}, (clp_buffer){out, 0}, n, NULL, 0, NULL,
                        NULL));
            test_read(queue, out, 0, n * sizeof *got, got);
            ck_assert_msg(memcmp(got, want, n * sizeof *got) == 0, "run %d: wrong bits", run);
        }
        clReleaseMemObject(in);
        clReleaseMemObject(out);
        free(data);
        free(got);
        free(want);
    }
    clp_context_destroy(context);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("scan_calls");
    TCase *calls = tcase_create("calls");
    tcase_add_loop_test(calls, each_row_alone, CLP_SHAPE_SIMT, CLP_SHAPE_SIMD + 1);
    tcase_add_test(calls, errors);
    tcase_add_loop_test(calls, lost_publications, CLP_SHAPE_SIMT, CLP_SHAPE_SIMD + 1);
    suite_add_tcase(suite, calls);
    return test_main(suite);
}

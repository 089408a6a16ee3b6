/* SPDX-License-Identifier: Apache-2.0 */
/* Reduction of rows: each row's bits are those of the row alone. */
#include "reduce_cases.h"

#include <stdlib.h>
#include <string.h>

/* A row's result is that of the row alone, whatever its place, its stride and its neighbours. */
START_TEST(rows_equal_rows_alone) {
    static const struct {
        size_t count, columns, stride;
    } shapes[] = {{1, 5000, 0},   {5, 1, 0},       {7, 0, 3},     {0, 9, 0},
                  {33, 129, 130}, {3, 4097, 4100}, {2, 70001, 0}, {300, 77, 80}};
    static const clp_reduce_desc some[] = {{.type = CLP_F32, .op = CLP_SUM},
                                           {.type = CLP_F32, .op = CLP_DOT},
                                           {.type = CLP_U8, .op = CLP_SUM},
                                           {.type = CLP_F16, .op = CLP_MAX},
                                           {.type = CLP_I64, .op = CLP_MIN}};
    enum { CELLS = 150000, ROWS = 300 };
    if (!test_shape((clp_shape)_i))
        return;
    clp_context *context = test_context((clp_shape)_i, CLP_SUBGROUPS_DEFAULT, 0);
    cl_command_queue queue = clp_context_queue(context);
    cl_uint lengths[ROWS + 1];
    for (cl_uint r = 0; r <= ROWS; r++)
        lengths[r] = r % 5 == 0 ? 0 : r * 37 % 5000; /* some none, some more than the columns */
    cl_mem lengths_mem = test_input(context, lengths, sizeof lengths);
    for (size_t f = 0; f < sizeof some / sizeof *some; f++) {
        clp_reduce_desc desc = some[f];
        const size_t element = clp_type_size(desc.type),
                     result = clp_type_size(clp_reduce_result_type(&desc));
        unsigned char *data = malloc(CELLS * element), *got = malloc((ROWS + 2) * result), want[8];
        ck_assert(data && got);
        ref_fill(REF_UNIFORM, desc.type, 0, CELLS, data);
        cl_mem in = test_input(context, data, CELLS * element),
               out = test_output(context, (ROWS + 2) * result);
        for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
            for (int variant = 0; variant < 2 * (CLP_SCHEDULE_SINGLE + 1); variant++) {
                const bool ragged = variant % 2;
                clp_rows rows = {
                    .count = shapes[k].count, .columns = shapes[k].columns, .stride = shapes[k].stride};
                const size_t stride = rows.stride ? rows.stride : rows.columns;
                desc.schedule = (clp_schedule)(variant / 2);
                if (desc.schedule == CLP_SCHEDULE_LEVELS ||
                    (desc.schedule == CLP_SCHEDULE_FUSED && !clp_context_info(context)->has_device_fence) ||
                    rows.count * stride > test_max_n())
                    continue;
                if (ragged)
                    rows.lengths = (clp_buffer){lengths_mem, 1};
                test_guard(queue, out, (ROWS + 2) * result);
                ok(clp_reduce_rows(context, queue, &desc, (clp_buffer){in, 1},
                                   (clp_buffer){desc.op == CLP_DOT ? in : NULL, 2}, (clp_buffer){out, 1},
                                   &rows, NULL, 0, NULL, NULL));
                test_read(queue, out, 0, (ROWS + 2) * result, got);
                for (size_t r = 0; r < rows.count; r++) {
                    const size_t n = ragged && lengths[1 + r] < rows.columns ? lengths[1 + r] : rows.columns;
                    ref_reduce_pair(&desc, data + (1 + r * stride) * element,
                                    data + (2 + r * rows.columns) * element, n, want);
                    if (desc.op == CLP_DOT && stride != rows.columns)
                        continue; /* second_stride differs below */
                    ck_assert_msg(memcmp(got + (1 + r) * result, want, result) == 0,
                                  "%s of %s: row %zu of %zu x %zu, stride %zu, variant %d",
                                  clp_op_name(desc.op), clp_type_name(desc.type), r, rows.count, rows.columns,
                                  stride, variant);
                    reduce_compared++;
                }
                ck_assert(test_guarded(queue, out, (ROWS + 2) * result, result, (1 + rows.count) * result));
            }
        clReleaseMemObject(in);
        clReleaseMemObject(out);
        free(data);
        free(got);
    }
    clReleaseMemObject(lengths_mem);
    clp_context_destroy(context);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("reduce_rows");
    TCase *rows = tcase_create("rows");
    tcase_add_loop_test(rows, rows_equal_rows_alone, CLP_SHAPE_SIMT, CLP_SHAPE_SIMD + 1);
    suite_add_tcase(suite, rows);
    return reduce_main(suite);
}

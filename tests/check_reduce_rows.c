/* SPDX-License-Identifier: Apache-2.0 */
/* Reduction of rows: each row's bits are those of the row alone. */
#include "reduce_cases.h"

#include <stdlib.h>

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
    cl_uint lengths[ROWS + 1];
    for (cl_uint r = 0; r <= ROWS; r++)
        lengths[r] = r % 5 == 0 ? 0 : r * 37 % 5000; /* some none, some more than the columns */
    cl_mem lengths_mem = test_input(context, lengths, sizeof lengths);
    for (size_t f = 0; f < sizeof some / sizeof *some; f++) {
        struct reduce_form form = {.desc = some[f]};
        const size_t size = CELLS * reduce_element_size(&form.desc);
        unsigned char *data = malloc(size);
        ck_assert(data);
        ref_fill(REF_UNIFORM, form.desc.type, 0, CELLS, data);
        cl_mem in = test_input(context, data, size),
               out = test_output(context, (ROWS + 2) * reduce_result_size(&form.desc));
        for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
            for (int variant = 0; variant < 2 * (CLP_SCHEDULE_SINGLE + 1); variant++) {
                const bool ragged = variant % 2;
                clp_rows rows = {
                    .count = shapes[k].count, .columns = shapes[k].columns, .stride = shapes[k].stride};
                rows.second_stride = ragged ? 0 : rows.stride; /* 0: other than the first one's */
                form.desc.schedule = (clp_schedule)(variant / 2);
                if (form.desc.schedule == CLP_SCHEDULE_LEVELS || !reduce_device_can(context, &form.desc) ||
                    rows.count * (rows.stride ? rows.stride : rows.columns) > test_max_n())
                    continue;
                if (ragged)
                    rows.lengths = (clp_buffer){lengths_mem, 1};
                reduce_compare_rows(context, &form, in, data, &rows, ragged ? lengths : NULL, out);
            }
        clReleaseMemObject(in);
        clReleaseMemObject(out);
        free(data);
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

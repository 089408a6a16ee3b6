/* SPDX-License-Identifier: Apache-2.0 */
/* Scan's bits: every form, shape, schedule and work-group size against the serial reference. */
#include "scan_cases.h"

enum { CHUNK = 16, GROUP = 512, TILE = 4096, BLOCK = 32 * TILE, SUPER = 32 * BLOCK };

/* Forms that meet every work-group size: each accumulator type, each kind of order. */
static const clp_scan_desc forms[] = {
    {.type = CLP_F32, .op = CLP_SUM},
    {.type = CLP_U32, .op = CLP_SUM, .kind = CLP_SCAN_EXCLUSIVE},
    {.type = CLP_F64, .op = CLP_SUM, .kind = CLP_SCAN_EXCLUSIVE},
    {.type = CLP_F32, .op = CLP_MAX},
    {.type = CLP_I64, .op = CLP_MIN},
    {.type = CLP_BF16, .op = CLP_SUM},
    {.type = CLP_U8, .op = CLP_SUM, .result = CLP_U32, .kind = CLP_SCAN_EXCLUSIVE},
};
enum { NUM_FORMS = sizeof forms / sizeof *forms };

static const size_t sizes[] = {0,     1,         2,           15,           16,        17,
                               31,    33,        GROUP - 1,   GROUP,        GROUP + 1, TILE - 1,
                               TILE,  TILE + 1,  4 * TILE,    4 * TILE + 1, 20000,     BLOCK - 1,
                               BLOCK, BLOCK + 1, BLOCK + 5000};
enum { NUM_SIZES = sizeof sizes / sizeof *sizes, LARGEST = BLOCK + 5000 };

static const size_t group_sizes[] = {1, 4, 48, 64, 256, SIZE_MAX}; /* SIZE_MAX: the device's limit */
enum { NUM_GROUP_SIZES = sizeof group_sizes / sizeof *group_sizes };
static const clp_schedule schedules[] = {CLP_SCHEDULE_DEFAULT, CLP_SCHEDULE_LEVELS, CLP_SCHEDULE_SINGLE,
                                         CLP_SCHEDULE_ONE_PASS};
enum { NUM_SCHEDULES = sizeof schedules / sizeof *schedules };
static const clp_schedule two_schedules[] = {CLP_SCHEDULE_SINGLE,
                                             CLP_SCHEDULE_LEVELS}; /* one kernel, three */

/* What one context is asked: schedules and data sets. */
struct extent {
    const clp_schedule *schedules;
    int num_schedules, num_sets;
};

/* All sizes, sets and schedules on one context; offsets, init and in place take turns. */
static void all_inputs(clp_context *context, clp_scan_desc desc, struct extent extent) {
    const bool flushes =
        desc.type >= CLP_F16 && desc.type <= CLP_F32 && !clp_context_info(context)->keeps_denormals_f32;
    const size_t element = clp_type_size(desc.type), elements = LARGEST + SCAN_MAX_OFFSET;
    const bool same = clp_type_size(clp_scan_result_type(&desc)) == element;
    if (!scan_device_can(context, &(clp_scan_desc){.type = desc.type, .op = desc.op, .result = desc.result}))
        return;
    struct scan_arrays arrays = scan_make_arrays(context, &desc, elements);
    unsigned char init[8];
    ref_fill(REF_UNIFORM,
             desc.type == CLP_F16 || desc.type == CLP_BF16 ? CLP_F32 : clp_scan_result_type(&desc), 5, 1,
             init);
    if (desc.op != CLP_SUM && desc.op != CLP_PROD)
        ref_fill(REF_UNIFORM, desc.type, 5, 1, init);
    for (int set = 0; set < extent.num_sets; set++) {
        if (set == REF_DENORMALS && flushes)
            continue; /* the one thing that may differ: tests/CMakeLists.txt names the devices */
        ref_fill((ref_set)set, desc.type, 0, elements, arrays.data);
        scan_upload(context, &arrays, &desc, elements);
        for (int size = 0; size < NUM_SIZES; size++) {
            const size_t offset = (size_t)(size + set) % (SCAN_MAX_OFFSET + 1);
            if (sizes[size] > test_max_n() || (set > 0 && (size + set) % 3 != 0 && !test_full()))
                continue;
            desc.init = (size + set) % 3 == 1 ? init : NULL;
            ref_scan(&desc, arrays.data + offset * element, sizes[size], arrays.want);
            for (int s = 0; s < extent.num_schedules; s++) {
                desc.schedule = extent.schedules[s];
                if (desc.schedule == CLP_SCHEDULE_ONE_PASS && !scan_device_can(context, &desc))
                    continue;
                scan_compare(context, &arrays, &desc, offset, sizes[size], false, ref_set_name((ref_set)set));
                if (same && desc.schedule != CLP_SCHEDULE_ONE_PASS && (size + s) % 2 == 0)
                    scan_compare(context, &arrays, &desc, offset, sizes[size], true, "in place");
            }
        }
    }
    scan_free_arrays(&arrays);
}

/*
 * The matrix form × shape × work-group size. Two forms meet each work-group size, and each of these both
 * shapes (form and size alternate); the others two sizes. Full: all.
 */
START_TEST(bits_equal_the_reference) {
    const int group = _i % NUM_GROUP_SIZES, form = _i / NUM_GROUP_SIZES;
    const bool thin = test_thin() > 1;                                     /* on slow devices */
    const bool usual = form == 0 && (group == 4 || (group == 3 && !thin)); /* both shapes: never thinned */
    if (form >= 2 && group % 3 != form % 3 && !test_full())
        return; /* two sizes of each form: one in each shape */
    if (!usual && ((unsigned)_i * 2654435761u >> 16) % test_thin() != 0) /* a choice without a pattern */
        return;
    /* One pass is a program of its own. */
    const bool one_pass = test_full() || (group == 4 && form < 5) || (group > 2 && form == 0);
    const int sets = thin ? 2 : test_full() || form == 0 ? REF_SET_COUNT : REF_SPECIAL + 1;
    const struct extent extent = {schedules, one_pass ? 4 : 3, sets};
    for (int shape = CLP_SHAPE_SIMT; shape <= CLP_SHAPE_SIMD; shape++) {
        if (!test_shape((clp_shape)shape) || (!test_full() && !usual && shape != (form + group) % 2 + 1))
            continue;
        clp_context *context = test_context((clp_shape)shape, CLP_SUBGROUPS_DEFAULT, group_sizes[group]);
        all_inputs(context, forms[form], extent);
        if (clp_context_info(context)->subgroups != CLP_SUBGROUPS_LOCAL) {
            clp_context_destroy(context);
            context = test_context((clp_shape)shape, CLP_SUBGROUPS_LOCAL, group_sizes[group]);
            all_inputs(context, forms[form], extent);
        }
        clp_context_destroy(context);
    }
}
END_TEST

/* Products and bitwise operators load and store integers as sums do, and compute alike whatever the sign: of
 * the four each type meets one, and each of them two types. */
static bool same_twin(const clp_scan_desc *desc) {
    return desc->type < CLP_F16 && desc->op != CLP_SUM && desc->op != CLP_MIN && desc->op != CLP_MAX &&
           ((int)desc->type + (int)desc->op) % 4 != 0;
}

/*
 * Every type with every operator, at one work-group size and shape each, chosen so that each type and each
 * operator meets all sizes and both shapes: a quarter simt, for which PoCL compiles three times as long. A
 * result that is not the default one is but another way to load and to store: every other one. Full: all.
 */
START_TEST(all_types_and_operators) {
    const clp_type type = (clp_type)(_i / CLP_XOR + 1);
    const clp_op op = (clp_op)(_i % CLP_XOR + 1);
    for (int result = 0; result <= CLP_F64; result++) {
        const int choice = (int)type + (int)op + result, turn = (int)type + 3 * (int)op;
        const clp_scan_desc desc = {.type = type,
                                    .op = op,
                                    .result = (clp_type)result,
                                    .kind = choice % 2 ? CLP_SCAN_EXCLUSIVE : CLP_SCAN_INCLUSIVE};
        if (clp_scan_result_type(&desc) == CLP_TYPE_INVALID || result == (int)type ||
            (result != 0 && choice % 2 != 0 && !test_full()) || (same_twin(&desc) && !test_full()) ||
            ((unsigned)(choice + 16 * (int)type) * 2654435761u >> 16) % test_thin() != 0)
            continue;
        const clp_shape usual = turn % 4 == 0 && result == 0 ? CLP_SHAPE_SIMT : CLP_SHAPE_SIMD;
        const struct extent extent = {two_schedules, test_full() || turn % 2 == 0 ? 2 : 1,
                                      test_full()       ? REF_SET_COUNT
                                      : test_thin() > 1 ? 1
                                                        : REF_SPECIAL + 1};
        for (int shape = CLP_SHAPE_SIMT; shape <= CLP_SHAPE_SIMD; shape++)
            for (int group = 0; group < NUM_GROUP_SIZES; group++) {
                const bool chosen =
                    group == choice % NUM_GROUP_SIZES && ((clp_shape)shape == usual || !test_shape(usual));
                if (!test_shape((clp_shape)shape) || (!test_full() && !chosen))
                    continue;
                clp_context *context =
                    test_context((clp_shape)shape, CLP_SUBGROUPS_DEFAULT, group_sizes[group]);
                all_inputs(context, desc, extent);
                clp_context_destroy(context);
            }
    }
}
END_TEST

/* Several super-blocks; the last tile, block and super-block are partial. */
START_TEST(super_blocks) {
    static const size_t large[] = {SUPER - 1, SUPER, SUPER + 1, 3 * (size_t)SUPER + 2 * BLOCK + 5 * TILE + 7};
    static const int some[] = {0, 1};
    if (!test_shape((clp_shape)_i))
        return;
    clp_context *context = test_context((clp_shape)_i, CLP_SUBGROUPS_DEFAULT, 0);
    for (size_t f = 0; f < sizeof some / sizeof *some; f++)
        for (size_t s = 0; s < sizeof large / sizeof *large; s++) {
            clp_scan_desc desc = forms[some[f]];
            const size_t n = large[s], offset = s, element = clp_type_size(desc.type);
            if (n > test_max_n())
                continue;
            struct scan_arrays arrays = scan_make_arrays(context, &desc, n + SCAN_MAX_OFFSET);
            ref_fill(REF_UNIFORM, desc.type, 0, n + offset, arrays.data);
            scan_upload(context, &arrays, &desc, n + offset);
            ref_scan(&desc, arrays.data + offset * element, n, arrays.want);
            for (int schedule = 0; schedule < NUM_SCHEDULES; schedule++) {
                desc.schedule = schedules[schedule];
                if (scan_device_can(context, &desc))
                    scan_compare(context, &arrays, &desc, offset, n, false, "several super-blocks");
            }
            scan_free_arrays(&arrays);
        }
    clp_context_destroy(context);
}
END_TEST

/* The documented rules for special values, written down as bits, apart from the reference. */
START_TEST(special_values) {
    enum {
        P0 = 0,
        ONE = 0x3f800000,
        TWO = 0x40000000,
        INF = 0x7f800000,
        QNAN = 0x7fc00000,
        ODD_NAN = 0x7f800123
    };
    const uint32_t N0 = 0x80000000, NINF = 0xff800000, NEG_NAN = 0xffc00001, NEG_ONE = 0xbf800000;
    const struct {
        clp_op op;
        clp_scan_kind kind;
        uint32_t elements[3], want[3];
    } rows[] = {
        {CLP_SUM, CLP_SCAN_INCLUSIVE, {N0, N0, P0}, {N0, N0, P0}},
        {CLP_SUM, CLP_SCAN_EXCLUSIVE, {N0, N0, P0}, {P0, N0, N0}},
        {CLP_SUM, CLP_SCAN_INCLUSIVE, {ONE, ODD_NAN, ONE}, {ONE, QNAN, QNAN}},
        {CLP_SUM, CLP_SCAN_INCLUSIVE, {INF, NINF, NEG_NAN}, {INF, QNAN, QNAN}},
        {CLP_SUM, CLP_SCAN_INCLUSIVE, {ONE, NEG_ONE, N0}, {ONE, P0, P0}},
        {CLP_PROD, CLP_SCAN_EXCLUSIVE, {TWO, NEG_ONE, ONE}, {ONE, TWO, 0xc0000000}},
        {CLP_MIN, CLP_SCAN_INCLUSIVE, {NEG_NAN, P0, N0}, {QNAN, P0, N0}},
        {CLP_MIN, CLP_SCAN_EXCLUSIVE, {ODD_NAN, ONE, NINF}, {INF, QNAN, ONE}},
        {CLP_MAX, CLP_SCAN_INCLUSIVE, {N0, P0, N0}, {N0, P0, P0}},
        {CLP_MAX, CLP_SCAN_EXCLUSIVE, {ONE, NEG_NAN, INF}, {NINF, ONE, QNAN}},
    };
    if (!test_shape((clp_shape)_i))
        return;
    clp_context *context = test_context((clp_shape)_i, CLP_SUBGROUPS_DEFAULT, 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t got[3];
        cl_mem in = test_input(context, rows[i].elements, sizeof got), out = test_output(context, sizeof got);
        const clp_scan_desc desc = {.type = CLP_F32, .op = rows[i].op, .kind = rows[i].kind};
        ok(clp_scan(context, clp_context_queue(context), &desc, (clp_buffer){in, 0}, (clp_buffer){out, 0}, 3,
                    NULL, 0, NULL, NULL));
        test_read(clp_context_queue(context), out, 0, sizeof got, got);
        for (int k = 0; k < 3; k++)
            ck_assert_msg(got[k] == rows[i].want[k], "row %zu: output %d is %08x, not %08x", i, k, got[k],
                          rows[i].want[k]);
        clReleaseMemObject(in);
        clReleaseMemObject(out);
    }
    clp_context_destroy(context);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("scan");
    TCase *bits = tcase_create("bits");
    tcase_add_loop_test(bits, bits_equal_the_reference, 0, NUM_FORMS * NUM_GROUP_SIZES);
    tcase_add_loop_test(bits, all_types_and_operators, 0, CLP_F64 * CLP_XOR);
    tcase_add_loop_test(bits, super_blocks, CLP_SHAPE_SIMT, CLP_SHAPE_SIMD + 1);
    tcase_add_loop_test(bits, special_values, CLP_SHAPE_SIMT, CLP_SHAPE_SIMD + 1);
    suite_add_tcase(suite, bits);
    return scan_main(suite);
}

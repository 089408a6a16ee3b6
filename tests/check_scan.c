/* SPDX-License-Identifier: Apache-2.0 */
/* Scan's bits: every form, shape, schedule and work-group size against the serial reference. */
#include "harness.h"
#include "reference.h"

#include <stdlib.h>
#include <string.h>

enum {
    CHUNK = 16,
    GROUP = 512,
    TILE = 4096,
    BLOCK = 32 * TILE,
    SUPER = 32 * BLOCK,
    MAX_OFFSET = 3,
    GUARD = 8
};

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

/* How many results were compared: a run without any must not be green. */
static size_t compared;

static const char *describe(const clp_scan_desc *desc) {
    static char text[128];
    snprintf(text, sizeof text, "%s %s of %s to %s, schedule %d%s",
             desc->kind == CLP_SCAN_EXCLUSIVE ? "exclusive" : "inclusive", clp_op_name(desc->op),
             clp_type_name(desc->type), clp_type_name(clp_scan_result_type(desc)), (int)desc->schedule,
             desc->init ? ", init" : "");
    return text;
}

static bool device_can(clp_context *context, const clp_scan_desc *desc) {
    clp_plan plan;
    const clp_device_info *info = clp_context_info(context);
    /* Products of many floats pass through denormals; bf16's are f32's. */
    if (desc->op == CLP_PROD && desc->type >= CLP_F16 && desc->type <= CLP_F32 && !info->keeps_denormals_f32)
        return false;
    return clp_scan_plan(context, desc, TILE, &plan) != CLP_DEVICE_UNSUPPORTED;
}

/* Memory for the elements, the outputs and what they must be, made once for all sizes. */
struct arrays {
    unsigned char *data, *got, *want;
    cl_mem in, out;
    size_t bytes;
};

static cl_mem both_ways(clp_context *context, size_t bytes) {
    cl_int code;
    cl_mem mem = clCreateBuffer(clp_context_cl(context), CL_MEM_READ_WRITE, bytes, NULL, &code);
    ok_cl(code);
    return mem;
}

static struct arrays make_arrays(clp_context *context, size_t elements) {
    struct arrays arrays = {.bytes = 8 * (elements + MAX_OFFSET + 2 * GUARD)};
    arrays.data = calloc(1, arrays.bytes);
    arrays.got = malloc(arrays.bytes);
    arrays.want = malloc(arrays.bytes);
    ck_assert(arrays.data && arrays.got && arrays.want);
    arrays.in = both_ways(context, arrays.bytes);
    arrays.out = both_ways(context, arrays.bytes);
    return arrays;
}

static void free_arrays(struct arrays *arrays) {
    free(arrays->data);
    free(arrays->got);
    free(arrays->want);
    clReleaseMemObject(arrays->in);
    clReleaseMemObject(arrays->out);
}

/* Compares the n outputs behind GUARD + offset guards, and GUARD guards behind them. */
static void compare(const struct arrays *arrays, const clp_scan_desc *desc, size_t offset, size_t n,
                    const char *what) {
    const size_t size = clp_type_size(clp_scan_result_type(desc)), begin = (GUARD + offset) * size;
    const unsigned char *got = arrays->got + begin;
    compared++;
    if (memcmp(got, arrays->want, n * size) != 0) {
        size_t i = 0;
        uint64_t bits[2] = {0, 0};
        while (memcmp(got + i * size, arrays->want + i * size, size) == 0)
            i++;
        memcpy(&bits[0], got + i * size, size);
        memcpy(&bits[1], arrays->want + i * size, size);
        ck_abort_msg("%s: n = %zu, offset %zu, %s: output %zu is %llx, not %llx", describe(desc), n, offset,
                     what, i, (unsigned long long)bits[0], (unsigned long long)bits[1]);
    }
    for (size_t i = 0; i < GUARD * size; i++)
        ck_assert_msg(arrays->got[begin - 1 - i] == 0xa5 && got[n * size + i] == 0xa5,
                      "%s: n = %zu, offset %zu, %s: wrote beside its outputs", describe(desc), n, offset,
                      what);
}

/* Scans n elements that are at arrays->data and in arrays->in behind GUARD + offset others. */
static void run(clp_context *context, struct arrays *arrays, const clp_scan_desc *desc, size_t offset,
                size_t n, const char *what) {
    const size_t size = clp_type_size(clp_scan_result_type(desc));
    const size_t bytes = (n + 2 * GUARD + offset) * size;
    cl_command_queue queue = clp_context_queue(context);
    memset(arrays->got, 0xa5, bytes);
    ok_cl(clEnqueueWriteBuffer(queue, arrays->out, CL_TRUE, 0, bytes, arrays->got, 0, NULL, NULL));
    ok(clp_scan(context, queue, desc, (clp_buffer){n ? arrays->in : NULL, offset},
                (clp_buffer){arrays->out, GUARD + offset}, n, NULL, 0, NULL, NULL));
    test_read(queue, arrays->out, 0, bytes, arrays->got);
    compare(arrays, desc, offset, n, what);
}

/* The same with the outputs in the elements' place. */
static void run_in_place(clp_context *context, struct arrays *arrays, const clp_scan_desc *desc,
                         size_t offset, size_t n, const char *what) {
    const size_t size = clp_type_size(desc->type), bytes = (n + 2 * GUARD + offset) * size;
    cl_command_queue queue = clp_context_queue(context);
    const clp_buffer at = {arrays->out, GUARD + offset};
    memset(arrays->got, 0xa5, bytes);
    memcpy(arrays->got + (GUARD + offset) * size, arrays->data + offset * size, n * size);
    ok_cl(clEnqueueWriteBuffer(queue, arrays->out, CL_TRUE, 0, bytes, arrays->got, 0, NULL, NULL));
    ok(clp_scan(context, queue, desc, at, at, n, NULL, 0, NULL, NULL));
    test_read(queue, arrays->out, 0, bytes, arrays->got);
    compare(arrays, desc, offset, n, what);
}

/* All sizes, sets and schedules on one context; offsets, init and in place take turns. */
static void all_inputs(clp_context *context, clp_scan_desc desc, int num_sets) {
    const bool flushes =
        desc.type >= CLP_F16 && desc.type <= CLP_F32 && !clp_context_info(context)->keeps_denormals_f32;
    const size_t element = clp_type_size(desc.type), elements = LARGEST + MAX_OFFSET;
    const bool same = clp_type_size(clp_scan_result_type(&desc)) == element;
    if (!device_can(context, &(clp_scan_desc){.type = desc.type, .op = desc.op, .result = desc.result}))
        return;
    struct arrays arrays = make_arrays(context, elements);
    unsigned char init[8];
    ref_fill(REF_UNIFORM,
             desc.type == CLP_F16 || desc.type == CLP_BF16 ? CLP_F32 : clp_scan_result_type(&desc), 5, 1,
             init);
    if (desc.op != CLP_SUM && desc.op != CLP_PROD)
        ref_fill(REF_UNIFORM, desc.type, 5, 1, init);
    for (int set = 0; set < num_sets; set++) {
        if (set == REF_DENORMALS && flushes)
            continue; /* the one thing that may differ: tests/CMakeLists.txt names the devices */
        ref_fill((ref_set)set, desc.type, 0, elements, arrays.data);
        ok_cl(clEnqueueWriteBuffer(clp_context_queue(context), arrays.in, CL_TRUE, 0, elements * element,
                                   arrays.data, 0, NULL, NULL));
        for (int size = 0; size < NUM_SIZES; size++) {
            const size_t offset = (size_t)(size + set) % (MAX_OFFSET + 1);
            if (sizes[size] > test_max_n())
                continue;
            desc.init = (size + set) % 3 == 1 ? init : NULL;
            ref_scan(&desc, arrays.data + offset * element, sizes[size], arrays.want);
            for (int s = 0; s < NUM_SCHEDULES; s++) {
                desc.schedule = schedules[s];
                if (schedules[s] == CLP_SCHEDULE_ONE_PASS && !device_can(context, &desc))
                    continue;
                run(context, &arrays, &desc, offset, sizes[size], ref_set_name((ref_set)set));
                if (same && schedules[s] != CLP_SCHEDULE_ONE_PASS && (size + s) % 2 == 0)
                    run_in_place(context, &arrays, &desc, offset, sizes[size], "in place");
            }
        }
    }
    free_arrays(&arrays);
}

/*
 * The matrix form × shape × work-group size. Pairwise: each form meets each work-group size, and each of
 * these both shapes (form and size alternate). Full: all.
 */
START_TEST(bits_equal_the_reference) {
    const int group = _i % NUM_GROUP_SIZES, form = _i / NUM_GROUP_SIZES;
    const bool usual = form == 0 && (group == 3 || group == 4);          /* both shapes: never thinned */
    if (!usual && ((unsigned)_i * 2654435761u >> 16) % test_thin() != 0) /* a choice without a pattern */
        return;
    for (int shape = CLP_SHAPE_SIMT; shape <= CLP_SHAPE_SIMD; shape++) {
        if (!test_shape((clp_shape)shape) || (!test_full() && shape != (form + group) % 2 + 1))
            continue;
        clp_context *context = test_context((clp_shape)shape, CLP_SUBGROUPS_DEFAULT, group_sizes[group]);
        all_inputs(context, forms[form], test_full() || form == 0 ? REF_SET_COUNT : REF_SPECIAL + 1);
        if (clp_context_info(context)->subgroups != CLP_SUBGROUPS_LOCAL) {
            clp_context_destroy(context);
            context = test_context((clp_shape)shape, CLP_SUBGROUPS_LOCAL, group_sizes[group]);
            all_inputs(context, forms[form], test_full() ? REF_SET_COUNT : REF_SMALL);
        }
        clp_context_destroy(context);
    }
}
END_TEST

/*
 * Every type with every operator, result and kind, at one work-group size and shape each, chosen so that each
 * type and each operator meets all sizes and both shapes. Full: all.
 */
START_TEST(all_types_and_operators) {
    const clp_type type = (clp_type)(_i / CLP_OP_USER + 1);
    const clp_op op = (clp_op)(_i % CLP_OP_USER);
    for (int result = 0; result <= CLP_F64; result++) {
        const int choice = (int)type + (int)op + result;
        const clp_scan_desc desc = {.type = type,
                                    .op = op,
                                    .result = (clp_type)result,
                                    .kind = choice % 2 ? CLP_SCAN_EXCLUSIVE : CLP_SCAN_INCLUSIVE};
        if (clp_scan_result_type(&desc) == CLP_TYPE_INVALID || result == (int)type ||
            ((unsigned)(choice + 16 * (int)type) * 2654435761u >> 16) % test_thin() != 0)
            continue;
        for (int shape = CLP_SHAPE_SIMT; shape <= CLP_SHAPE_SIMD; shape++)
            for (int group = 0; group < NUM_GROUP_SIZES; group++) {
                const bool chosen =
                    group == choice % NUM_GROUP_SIZES && shape == (choice / 2 + (int)type) % 2 + 1;
                if (!test_shape((clp_shape)shape) || (!test_full() && !chosen))
                    continue;
                clp_context *context =
                    test_context((clp_shape)shape, CLP_SUBGROUPS_DEFAULT, group_sizes[group]);
                all_inputs(context, desc, test_full() ? REF_SET_COUNT : REF_SPECIAL + 1);
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
    for (size_t f = 0; f < sizeof some / sizeof *some; f++)
        for (size_t s = 0; s < sizeof large / sizeof *large; s++) {
            clp_scan_desc desc = forms[some[f]];
            const size_t n = large[s], offset = s, element = clp_type_size(desc.type);
            if (n > test_max_n())
                continue;
            clp_context *context = test_context((clp_shape)_i, CLP_SUBGROUPS_DEFAULT, 0);
            struct arrays arrays = make_arrays(context, n + MAX_OFFSET);
            ref_fill(REF_UNIFORM, desc.type, 0, n + offset, arrays.data);
            ok_cl(clEnqueueWriteBuffer(clp_context_queue(context), arrays.in, CL_TRUE, 0,
                                       (n + offset) * element, arrays.data, 0, NULL, NULL));
            ref_scan(&desc, arrays.data + offset * element, n, arrays.want);
            for (int schedule = 0; schedule < NUM_SCHEDULES; schedule++) {
                desc.schedule = schedules[schedule];
                if (device_can(context, &desc))
                    run(context, &arrays, &desc, offset, n, "several super-blocks");
            }
            free_arrays(&arrays);
            clp_context_destroy(context);
        }
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
    tcase_add_loop_test(bits, all_types_and_operators, 0, CLP_F64 * CLP_OP_USER);
    tcase_add_loop_test(bits, super_blocks, CLP_SHAPE_SIMT, CLP_SHAPE_SIMD + 1);
    tcase_add_loop_test(bits, special_values, CLP_SHAPE_SIMT, CLP_SHAPE_SIMD + 1);
    suite_add_tcase(suite, bits);
    const int status = test_main(suite);
    if (compared == 0)
        fprintf(stderr, "no result was compared\n");
    return compared == 0 ? EXIT_FAILURE : status;
}

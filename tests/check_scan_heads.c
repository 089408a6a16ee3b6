/* SPDX-License-Identifier: Apache-2.0 */
/* Scan by flags and by keys: bits against the serial reference, which is compared with a loop; errors. */
#include "reduce_user_texts.h"
#include "scan_cases.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK = 16, GROUP = 512, TILE = 4096, BLOCK = 32 * TILE, SUPER = 32 * BLOCK };

static const size_t sizes[] = {0,         1,         2,           15,   16,       17,       GROUP - 1,
                               GROUP,     GROUP + 1, TILE - 1,    TILE, TILE + 1, 4 * TILE, 4 * TILE + 1,
                               BLOCK - 1, BLOCK + 1, BLOCK + 5000};
enum { NUM_SIZES = sizeof sizes / sizeof *sizes, LARGEST = BLOCK + 5000 };
static const size_t group_sizes[] = {1, 4, 48, 64, 256, SIZE_MAX};
enum { NUM_GROUP_SIZES = sizeof group_sizes / sizeof *group_sizes };
static const clp_schedule schedules[] = {CLP_SCHEDULE_SINGLE, CLP_SCHEDULE_LEVELS, CLP_SCHEDULE_DEFAULT,
                                         CLP_SCHEDULE_ONE_PASS};
enum { NUM_SCHEDULES = sizeof schedules / sizeof *schedules };

/* Where segments begin, besides element 0. */
enum places {
    NOWHERE,
    EVERYWHERE,
    CHUNKS,
    CHUNK_ENDS,
    GROUPS,
    GROUP_ENDS,
    TILES,
    TILE_ENDS,
    BLOCKS,
    BLOCK_ENDS,
    LAST,
    SOME,
    MANY,
    NUM_PLACES
};

static uint32_t hash(size_t i) {
    uint32_t h = (uint32_t)i * 2654435761u;
    h ^= h >> 15;
    h *= 2246822519u;
    return h ^ h >> 13;
}

/* Flags of n elements: any value but 0 will do. */
static void place_heads(enum places places, size_t n, uint8_t *flags) {
    static const size_t units[] = {[CHUNKS] = CHUNK, [GROUPS] = GROUP, [TILES] = TILE, [BLOCKS] = BLOCK};
    for (size_t i = 0; i < n; i++) {
        bool head = places == EVERYWHERE;
        if (places >= CHUNKS && places < LAST) {
            const size_t unit = units[places - (places - CHUNKS) % 2];
            head = i % unit == ((places - CHUNKS) % 2 ? unit - 1 : 0);
        } else if (places == LAST) {
            head = i + 1 == n;
        } else if (places >= SOME) {
            head = hash(i) % (places == SOME ? 100 : 2) == 0;
        }
        flags[i] = head ? (uint8_t)(1 + hash(i) % 255) : 0;
    }
}

/* ---- by flags ------------------------------------------------------------------------------------------ */

/* The heads' buffer, and how many elements it begins after the others. */
struct heads {
    cl_mem mem;
    size_t shift;
    clp_type key_type; /* CLP_TYPE_INVALID: flags */
};

static clp_status call_heads(clp_context *context, const clp_scan_desc *desc, clp_buffer in, clp_buffer out,
                             size_t offset, size_t n, const void *cookie) {
    const struct heads *heads = cookie;
    const clp_buffer buffer = {n ? heads->mem : NULL, heads->shift};
    cl_command_queue queue = clp_context_queue(context);
    (void)offset;
    return heads->key_type == CLP_TYPE_INVALID
               ? clp_scan_by_flags(context, queue, desc, in, buffer, out, n, NULL, 0, NULL, NULL)
               : clp_scan_by_key(context, queue, desc, in, buffer, heads->key_type, out, n, NULL, 0, NULL,
                                 NULL);
}

static void write_heads(clp_context *context, cl_mem mem, size_t offset, const void *data, size_t bytes) {
    if (bytes > 0)
        ok_cl(clEnqueueWriteBuffer(clp_context_queue(context), mem, CL_TRUE, offset, bytes, data, 0, NULL,
                                   NULL));
}

/* A form's description and, of user operators, the twin in C. */
struct form {
    clp_scan_desc desc;
    const struct user_form *user;
    bool one_pass; /* too, where the device can: a program of its own */
};

static void fill(const struct form *form, size_t n, void *out) {
    if (form->user)
        user_fill(form->user, 0, n, out);
    else
        ref_fill(REF_UNIFORM, form->desc.type, 0, n, out);
}

static bool can_one_pass(clp_context *context) {
    const clp_scan_desc desc = {.type = CLP_F32, .op = CLP_SUM, .schedule = CLP_SCHEDULE_ONE_PASS};
    return clp_context_info(context)->shape == CLP_SHAPE_SIMD && scan_device_can(context, &desc);
}

/* Sizes, places, offsets, init and in place take turns. */
static void all_flags(clp_context *context, struct form form, const size_t *list, int count, int turns) {
    const size_t element = scan_element_size(&form.desc);
    const bool same = scan_output_size(&form.desc) == element;
    unsigned char init[16] = {0};
    size_t most = 0;
    for (int i = 0; i < count; i++)
        if (list[i] <= test_max_n() && list[i] > most)
            most = list[i];
    if (!scan_device_can(context, &form.desc))
        return;
    struct scan_arrays arrays = scan_make_arrays(context, &form.desc, most + SCAN_MAX_OFFSET);
    uint8_t *flags = malloc(most + 8);
    ck_assert(flags);
    fill(&form, most + SCAN_MAX_OFFSET, arrays.data);
    scan_upload(context, &arrays, &form.desc, most + SCAN_MAX_OFFSET);
    cl_mem mem = test_input(context, arrays.data, most + 8);
    if (form.desc.type == CLP_F16 || form.desc.type == CLP_BF16)
        memcpy(init, &(float){1.5f}, sizeof(float));
    else if (form.user || scan_output_size(&form.desc) == element)
        memcpy(init, arrays.data + element, element);
    else
        init[0] = 3;
    for (int i = 0; i < count; i++)
        for (int turn = 0; turn < turns; turn++) {
            const size_t n = list[i], offset = (size_t)(i + turn) % (SCAN_MAX_OFFSET + 1);
            const enum places places = (enum places)((i * turns + turn) % NUM_PLACES);
            const struct heads heads = {mem, (size_t)(i + 2 * turn) % 4, CLP_TYPE_INVALID};
            char what[40];
            if (n > test_max_n())
                continue;
            snprintf(what, sizeof what, "heads at places %d", (int)places);
            place_heads(places, n, flags);
            write_heads(context, mem, heads.shift, flags, n);
            form.desc.init = (i + turn) % 3 == 1 ? init : NULL;
            ref_scan_by_flags(&form.desc, form.user ? form.user->form.user : NULL,
                              arrays.data + offset * element, flags, n, arrays.want);
            for (int s = 0; s < NUM_SCHEDULES; s++) {
                form.desc.schedule = schedules[s];
                const bool one_pass = schedules[s] == CLP_SCHEDULE_ONE_PASS;
                if ((schedules[s] == CLP_SCHEDULE_DEFAULT && turn > 0) ||
                    (one_pass && !(form.one_pass && can_one_pass(context))))
                    continue;
                scan_compare_call(context, &arrays, &form.desc, offset, n,
                                  same && !one_pass && (i + s + turn) % 3 == 0, what, call_heads, &heads);
            }
        }
    clReleaseMemObject(mem);
    free(flags);
    scan_free_arrays(&arrays);
}

static const clp_scan_desc forms[] = {
    {.type = CLP_F32, .op = CLP_SUM},
    {.type = CLP_F32, .op = CLP_SUM, .kind = CLP_SCAN_EXCLUSIVE},
    {.type = CLP_F64, .op = CLP_SUM, .kind = CLP_SCAN_EXCLUSIVE},
    {.type = CLP_F16, .op = CLP_SUM},
    {.type = CLP_U8, .op = CLP_SUM, .result = CLP_U32, .kind = CLP_SCAN_EXCLUSIVE},
    {.type = CLP_I64, .op = CLP_MIN},
    {.type = CLP_BF16, .op = CLP_MAX, .kind = CLP_SCAN_EXCLUSIVE},
    {.type = CLP_I32, .op = CLP_PROD},
    {.type = CLP_U16, .op = CLP_XOR},
    {.type = CLP_I8, .op = CLP_MAX, .kind = CLP_SCAN_EXCLUSIVE},
    {.type = CLP_U64, .op = CLP_AND, .kind = CLP_SCAN_EXCLUSIVE},
    {.type = CLP_I16, .op = CLP_SUM, .result = CLP_I64},
    {.type = CLP_U32, .op = CLP_OR},
};
enum { NUM_FORMS = sizeof forms / sizeof *forms };
/* What cannot be turned around, and accumulators of 16, 8, 3 and 4 bytes. */
static const char *const user_names[] = {"matrix", "affine_f", "rgb", "affine"};
enum { NUM_USERS = sizeof user_names / sizeof *user_names, NUM_ALL = NUM_FORMS + NUM_USERS };

static struct form form_at(int i, clp_scan_kind kind) {
    if (i < NUM_FORMS)
        return (struct form){.desc = forms[i], .one_pass = i == 1 || i == 2};
    const struct user_form *user = user_form_named(user_names[i - NUM_FORMS]);
    const clp_reduce_desc *desc = &user->form.desc;
    return (struct form){.desc = {.type = desc->type,
                                  .op = desc->op,
                                  .result = desc->result,
                                  .kind = kind,
                                  .user = desc->user},
                         .user = user};
}

/* Form × shape × work-group size: the first form at every size, it and user operators in both shapes, the
 * others in one (a third simt, for which PoCL compiles longer). Full: all. */
START_TEST(bits_equal_the_reference) {
    const int form = _i / NUM_GROUP_SIZES, group = _i % NUM_GROUP_SIZES;
    for (int shape = CLP_SHAPE_SIMT; shape <= CLP_SHAPE_SIMD; shape++) {
        const bool both = form < 2 || form >= NUM_FORMS, simt = shape == CLP_SHAPE_SIMT;
        const bool chosen =
            (group == (form + 3 * shape) % NUM_GROUP_SIZES && (both || simt == (form % 3 == 0))) ||
            (form == 0 && simt);
        if (!test_shape((clp_shape)shape) || (!test_full() && !chosen) ||
            ((unsigned)_i * 2654435761u >> 16) % test_thin() != 0)
            continue;
        clp_context *context = test_context((clp_shape)shape, CLP_SUBGROUPS_DEFAULT, group_sizes[group]);
        all_flags(context, form_at(form, (clp_scan_kind)(shape % 2)), sizes, NUM_SIZES, form == 0 ? 5 : 2);
        clp_context_destroy(context);
    }
}
END_TEST

/* Several super-blocks, the last one partial. */
START_TEST(super_blocks) {
    static const size_t large[] = {SUPER + 1,
                                   2 * SUPER + 2 * BLOCK + 5 * TILE + 7}; /* the larger is streamed */
    if (!test_shape((clp_shape)_i) || test_max_n() < SUPER + 1)
        return;
    clp_context *context = test_context((clp_shape)_i, CLP_SUBGROUPS_DEFAULT, 0);
    all_flags(context, form_at(0, CLP_SCAN_INCLUSIVE), large, 2, 1);
    clp_context_destroy(context);
}
END_TEST

/* ---- by keys ------------------------------------------------------------------------------------------- */

/* Keys in runs: of few values among which are those that differ in bits but not as keys. */
static void fill_keys(clp_type type, size_t n, unsigned char *keys) {
    const size_t size = clp_type_size(type);
    unsigned char special[64 * 8];
    ref_fill(REF_SPECIAL, type, 0, 64, special);
    for (size_t i = 0, value = 0; i < n; i++) {
        if (hash(i) % 7 == 0)
            value = hash(i + n) % 64;
        memcpy(keys + i * size, special + value * size, size);
        if (hash(i) % 97 == 0) /* both zeros, in one run */
            memset(keys + i * size, 0, size);
        if (hash(i) % 97 == 1 && type >= CLP_F16) {
            memset(keys + i * size, 0, size);
            keys[(i + 1) * size - 1] = 0x80;
        }
    }
}

/* Each type of keys, by one form; both shapes at some. */
START_TEST(keys_of_all_types) {
    static const size_t some[] = {1, 17, 3 * TILE + 5, BLOCK + 70};
    const clp_type type = (clp_type)(_i + 1);
    const size_t size = clp_type_size(type), most = BLOCK + 70;
    for (int shape = CLP_SHAPE_SIMT; shape <= CLP_SHAPE_SIMD; shape++) {
        if (!test_shape((clp_shape)shape) || (!test_full() && shape == CLP_SHAPE_SIMT && _i % 3 != 1) ||
            ((unsigned)_i * 2654435761u >> 16) % test_thin() != 0)
            continue;
        clp_context *context = test_context((clp_shape)shape, CLP_SUBGROUPS_DEFAULT, 0);
        clp_scan_desc desc = {
            .type = _i % 2 ? CLP_F32 : CLP_I64, .op = CLP_SUM, .kind = (clp_scan_kind)(_i / 2 % 2)};
        if (!scan_device_can(context, &desc) || (type == CLP_F64 && !clp_context_info(context)->has_f64)) {
            clp_context_destroy(context);
            continue;
        }
        struct scan_arrays arrays = scan_make_arrays(context, &desc, most + SCAN_MAX_OFFSET);
        unsigned char *keys = calloc(most + 4, size);
        uint8_t *flags = malloc(most);
        ck_assert(keys && flags);
        fill_keys(type, most + 4, keys);
        ref_fill(REF_UNIFORM, desc.type, 0, most + SCAN_MAX_OFFSET, arrays.data);
        scan_upload(context, &arrays, &desc, most + SCAN_MAX_OFFSET);
        cl_mem mem = test_input(context, keys, (most + 4) * size);
        for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
            const struct heads heads = {mem, i, type};
            if (some[i] > test_max_n())
                continue;
            ref_flags_of_keys(type, keys + heads.shift * size, some[i], flags);
            ref_scan_by_flags(&desc, NULL, arrays.data + i % 3 * clp_type_size(desc.type), flags, some[i],
                              arrays.want);
            for (int s = 0; s < 2; s++) {
                desc.schedule = schedules[s];
                scan_compare_call(context, &arrays, &desc, i % 3, some[i], (i + (size_t)s) % 2, "keys",
                                  call_heads, &heads);
            }
        }
        clReleaseMemObject(mem);
        free(keys);
        free(flags);
        scan_free_arrays(&arrays);
        clp_context_destroy(context);
    }
}
END_TEST

/* Which keys are equal, written down as bits, apart from the reference. */
START_TEST(equal_keys) {
    static const uint32_t keys[] = {0x80000000, 0,          0x80000000, 0x7fc00000, 0xffc00001, 0x7f800123,
                                    0x7f800000, 0xff800000, 1,          1,          0,          0x3f800000};
    static const uint32_t ones[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    static const uint32_t counts[] = {1, 2, 3, 1, 2, 3, 1, 1, 1, 2, 1, 1};
    enum { N = sizeof keys / sizeof *keys };
    const clp_scan_desc desc = {.type = CLP_U32, .op = CLP_SUM};
    uint32_t got[N];
    if (!test_shape((clp_shape)_i))
        return;
    clp_context *context = test_context((clp_shape)_i, CLP_SUBGROUPS_DEFAULT, 0);
    cl_command_queue queue = clp_context_queue(context);
    cl_mem in = test_input(context, ones, sizeof ones), mem = test_input(context, keys, sizeof keys),
           out = test_output(context, sizeof got);
    ok(clp_scan_by_key(context, queue, &desc, (clp_buffer){in, 0}, (clp_buffer){mem, 0}, CLP_F32,
                       (clp_buffer){out, 0}, N, NULL, 0, NULL, NULL));
    test_read(queue, out, 0, sizeof got, got);
    for (int i = 0; i < N; i++)
        must(got[i] == counts[i], "output %d is %u, not %u", i, got[i], counts[i]);
    clReleaseMemObject(in);
    clReleaseMemObject(mem);
    clReleaseMemObject(out);
    clp_context_destroy(context);
}
END_TEST

/* ---- the reference, and errors ------------------------------------------------------------------------- */

/* Integers in a loop: the reference's order does not matter for them. */
START_TEST(reference_equals_a_loop) {
    enum { N = BLOCK + 77 };
    static const clp_op ops[] = {CLP_SUM, CLP_MAX, CLP_XOR};
    const uint32_t init = 12345;
    const enum places places = (enum places)_i;
    uint32_t *in = malloc(N * sizeof *in), *out = malloc(N * sizeof *out);
    uint8_t *flags = malloc(N);
    ck_assert(in && out && flags);
    ref_fill(REF_UNIFORM, CLP_U32, 0, N, in);
    place_heads(places, N, flags);
    for (int form = 0; form < 12; form++) {
        const clp_op op = ops[form % 3];
        const bool exclusive = form / 3 % 2, with_init = form / 6;
        const clp_scan_desc desc = {.type = CLP_U32,
                                    .op = op,
                                    .kind = exclusive ? CLP_SCAN_EXCLUSIVE : CLP_SCAN_INCLUSIVE,
                                    .init = with_init ? &init : NULL};
        ref_scan_by_flags(&desc, NULL, in, flags, N, out);
        for (uint32_t i = 0, value = 0; i < N; i++) {
            if (i == 0 || flags[i])
                value = with_init ? init : 0;
            const uint32_t before = value;
            value = op == CLP_SUM   ? value + in[i]
                    : op == CLP_XOR ? value ^ in[i]
                    : value < in[i] ? in[i]
                                    : value;
            must(out[i] == (exclusive ? before : value), "form %d, output %u", form, i);
        }
    }
    free(in);
    free(out);
    free(flags);
}
END_TEST

START_TEST(errors) {
    enum { N = 100 };
    static const double data[4 * N];
    cl_int code;
    cl_event event = (cl_event)1;
    clp_context *context = test_context(CLP_SHAPE_DEFAULT, CLP_SUBGROUPS_DEFAULT, 0);
    cl_command_queue queue = clp_context_queue(context);
    cl_mem mem = clCreateBuffer(clp_context_cl(context), CL_MEM_READ_WRITE, sizeof data, NULL, &code),
           read_only = test_input(context, data, sizeof data);
    ok_cl(code);
    const clp_buffer in = {read_only, 0}, out = {mem, 0}, far = {mem, 4 * N}, none = {NULL, 0};
    const clp_scan_desc good = {.type = CLP_F32, .op = CLP_SUM}, invalid = {.type = CLP_F32, .op = CLP_MEAN},
                        pass = {.type = CLP_F32, .op = CLP_SUM, .schedule = CLP_SCHEDULE_ONE_PASS},
                        fused = {.type = CLP_F32, .op = CLP_SUM, .schedule = CLP_SCHEDULE_FUSED};
    clp_plan plan;
    clp_cost cost, plain;
#define FLAGS(desc, in, flags, out, n)                                                                       \
    clp_scan_by_flags(context, queue, desc, in, flags, out, n, NULL, 0, NULL, &event)
#define KEYS(desc, in, keys, type, out, n)                                                                   \
    clp_scan_by_key(context, queue, desc, in, keys, type, out, n, NULL, 0, NULL, &event)
    expect(FLAGS(NULL, in, in, out, N), CLP_INVALID_ARGUMENT);
    ck_assert_ptr_null(event);
    expect(FLAGS(&invalid, in, in, out, N), CLP_UNSUPPORTED);
    const bool simt = clp_context_info(context)->shape == CLP_SHAPE_SIMT;
    const clp_status cannot = simt ? CLP_UNSUPPORTED : CLP_DEVICE_UNSUPPORTED;
    if (!can_one_pass(context))
        expect(FLAGS(&pass, in, in, out, N), cannot);
    expect(FLAGS(&fused, in, in, out, N), CLP_UNSUPPORTED);
    expect(FLAGS(&good, in, none, out, N), CLP_INVALID_BUFFER);
    expect(FLAGS(&good, in, in, in, N), CLP_INVALID_BUFFER);
    expect(FLAGS(&good, in, ((clp_buffer){read_only, sizeof data - N + 1}), out, N), CLP_OUT_OF_RANGE);
    expect(FLAGS(&good, in, out, out, N), CLP_OVERLAP);
    expect(FLAGS(&good, in, ((clp_buffer){mem, 4 * N - 1}), out, N), CLP_OVERLAP);
    expect(FLAGS(&good, ((clp_buffer){mem, 1}), in, out, N), CLP_OVERLAP);
    expect(KEYS(&good, in, in, CLP_TYPE_INVALID, out, N), CLP_INVALID_TYPE);
    expect(KEYS(&good, in, in, (clp_type)99, out, N), CLP_INVALID_TYPE);
    expect(KEYS(&good, in, in, CLP_USER, out, N), CLP_UNSUPPORTED);
    ck_assert_ptr_null(event);
    if (!can_one_pass(context))
        expect(KEYS(&pass, in, in, CLP_U32, out, N), cannot);
    else /* in place */
        expect(KEYS(&pass, out, in, CLP_U32, out, N), CLP_UNSUPPORTED);
    expect(KEYS(&good, in, ((clp_buffer){mem, N - 1}), CLP_U32, out, N), CLP_OVERLAP);
    expect(KEYS(&good, in, ((clp_buffer){read_only, 8 * N - N + 1}), CLP_U32, out, N), CLP_OUT_OF_RANGE);
    expect(clp_scan_by_flags(NULL, queue, &good, in, in, out, N, NULL, 0, NULL, NULL), CLP_INVALID_ARGUMENT);
    expect(clp_scan_by_flags(context, NULL, &good, in, in, out, N, NULL, 0, NULL, NULL), CLP_INVALID_QUEUE);
    /* Beside the outputs, and the elements themselves as keys, in place or not. */
    ok(FLAGS(&good, in, ((clp_buffer){mem, 4 * N}), out, N));
    ok_cl(clWaitForEvents(1, &event));
    clReleaseEvent(event);
    ok(KEYS(&good, in, in, CLP_F32, far, N));
    clReleaseEvent(event);
    ok(FLAGS(&good, none, none, none, 0));
    ok_cl(clWaitForEvents(1, &event));
    clReleaseEvent(event);
    expect(clp_scan_heads_plan(context, &good, CLP_USER, N, &plan), CLP_UNSUPPORTED);
    expect(clp_scan_heads_plan(context, &good, (clp_type)99, N, &plan), CLP_INVALID_TYPE);
    expect(clp_scan_heads_plan(context, &good, CLP_U32, N, NULL), CLP_INVALID_ARGUMENT);
    if (!can_one_pass(context))
        expect(clp_scan_heads_plan(context, &pass, CLP_TYPE_INVALID, N, &plan), cannot);
    ok(clp_scan_heads_plan(context, &good, CLP_TYPE_INVALID, 100 * TILE, &plan));
    ck_assert(plan.workspace_size >= 100 * 8 && plan.schedule != CLP_SCHEDULE_ONE_PASS);
    ok(clp_scan_cost(&good, 1000, &plain));
    ok(clp_scan_heads_cost(&good, CLP_TYPE_INVALID, 1000, &cost));
    ck_assert(cost.bytes == plain.bytes + 1000 && cost.work == plain.work && cost.span == plain.span);
    ok(clp_scan_heads_cost(&good, CLP_U64, 1000, &cost));
    ck_assert(cost.bytes == plain.bytes + 8000);
    expect(clp_scan_heads_cost(&good, CLP_USER, 1000, &cost), CLP_UNSUPPORTED);
    expect(clp_scan_heads_cost(&good, (clp_type)99, 1000, &cost), CLP_INVALID_TYPE);
    expect(clp_scan_heads_cost(&good, CLP_U64, 1000, NULL), CLP_INVALID_ARGUMENT);
    expect(clp_scan_heads_cost(NULL, CLP_U64, 1000, &cost), CLP_INVALID_ARGUMENT);
    ok_cl(clFinish(queue));
    clReleaseMemObject(mem);
    clReleaseMemObject(read_only);
    clp_context_destroy(context);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("scan_heads");
    TCase *bits = tcase_create("bits");
    tcase_add_loop_test(bits, reference_equals_a_loop, 0, NUM_PLACES);
    tcase_add_loop_test(bits, bits_equal_the_reference, 0, NUM_ALL * NUM_GROUP_SIZES);
    tcase_add_loop_test(bits, super_blocks, CLP_SHAPE_SIMT, CLP_SHAPE_SIMD + 1);
    tcase_add_loop_test(bits, keys_of_all_types, 0, CLP_F64);
    tcase_add_loop_test(bits, equal_keys, CLP_SHAPE_SIMT, CLP_SHAPE_SIMD + 1);
    tcase_add_test(bits, errors);
    suite_add_tcase(suite, bits);
    return scan_main(suite);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Select, partition and unique against the serial reference: outputs, counts, and what must not be written.
 */
#include "harness.h"
#include "reference.h"

#include <stdlib.h>
#include <string.h>

enum { TILE = 4096, PART = 16 * TILE, MAX_N = 3 * PART + 777, MAX_OFFSET = 3 };
static const size_t sizes[] = {0, 1, 2, 15, 16, 17, 511, 513, TILE - 1, TILE, TILE + 1, 20000, PART, MAX_N};
enum { NUM_SIZES = sizeof sizes / sizeof *sizes };
static const size_t group_sizes[] = {1, 4, 48, 64, 256, SIZE_MAX}; /* SIZE_MAX: the device's limit */
enum { NUM_GROUP_SIZES = sizeof group_sizes / sizeof *group_sizes };

/* How many outputs were compared: a run without any must not be green. */
static size_t compared;

typedef struct {
    float x;
    uint32_t words[3];
} wide;

/* What a test asks for; keep is the predicate's twin. */
struct ask {
    const char *name;
    clp_select_desc desc;
    bool heads;
    bool (*keep)(const void *x, size_t i, const void *s);
};

static bool above(const void *x, size_t i, const void *s) {
    (void)i, (void)s;
    return *(const float *)x > 0.5f;
}
static bool hardly(const void *x, size_t i, const void *s) {
    (void)x, (void)s;
    return i % 97 == 3;
}
static bool odd(const void *x, size_t i, const void *s) {
    (void)i, (void)s;
    return *(const uint8_t *)x & 1;
}
static bool wide_above(const void *x, size_t i, const void *s) {
    (void)i, (void)s;
    return ((const wide *)x)->x > 0.0f;
}
static bool high_bit(const void *x, size_t i, const void *s) {
    (void)i, (void)s;
    return *(const uint64_t *)x >> 63;
}
static bool less(const void *x, size_t i, const void *s) {
    (void)i;
    return *(const int32_t *)x < (int32_t) * (const int16_t *)s;
}
static bool flag(const void *x, size_t i, const void *s) {
    (void)x, (void)i;
    return *(const uint16_t *)s != 0;
}
static bool all(const void *x, size_t i, const void *s) {
    (void)x, (void)i, (void)s;
    return true;
}
static bool none(const void *x, size_t i, const void *s) {
    (void)x, (void)i, (void)s;
    return false;
}
static bool last(const void *x, size_t i, const void *s) {
    (void)x, (void)s;
    return i == 4095 || i == 65535 || i == 20000 - 1;
}

static const clp_user wide_text = {.declarations = "typedef struct { float x; uint words[3]; } wide;",
                                   .type = "wide",
                                   .type_size = sizeof(wide)};

static const struct ask asks[] = {
    {"f32 > 0.5", {.type = CLP_F32, .where = "x > 0.5f"}, false, above},
    {"f32 > 0.5, indices", {.type = CLP_F32, .where = "x > 0.5f // or not", .index = CLP_U64}, false, above},
    {"one in 97", {.type = CLP_F64, .where = "i % 97 == 3", .count = CLP_U32}, false, hardly},
    {"u8 odd", {.type = CLP_U8, .where = "x & 1"}, false, odd},
    {"16 bytes", {.type = CLP_USER, .where = "x.x > 0.0f", .user = &wide_text}, false, wide_above},
    {"a predicate of 64 bits", {.type = CLP_U64, .where = "x & 0x8000000000000000ul"}, false, high_bit},
    {"i32 < i16", {.type = CLP_I32, .second = CLP_I16, .where = "x < s", .index = CLP_U32}, false, less},
    {"flags", {.type = CLP_F16, .second = CLP_U16}, false, flag},
    {"all", {.type = CLP_I16, .where = "1"}, false, all},
    {"none", {.type = CLP_U32, .where = "0"}, false, none},
    {"last", {.type = CLP_F32, .where = "i == 4095 || i == 65535 || i == 19999"}, false, last},
    {"unique u8", {.type = CLP_U8}, true, NULL},
    {"unique f32", {.type = CLP_F32, .count = CLP_U32}, true, NULL},
    {"unique bf16 with i64", {.type = CLP_BF16, .second = CLP_I64}, true, NULL},
    {"unique i32 with 16 bytes", {.type = CLP_I32, .second = CLP_USER, .user = &wide_text}, true, NULL},
    {"where runs of f64 begin", {.type = CLP_F64, .index = CLP_U32}, true, NULL},
};
enum { NUM_ASKS = sizeof asks / sizeof *asks };

static size_t size_of(const struct ask *ask, clp_type type) {
    return type == CLP_USER ? ask->desc.user->type_size : clp_type_size(type);
}

/* Elements; for runs, of few values, each some times in a row, with both zeros and several NaNs among them.
 */
static void fill(const struct ask *ask, clp_type type, size_t n, unsigned char *data) {
    const size_t size = size_of(ask, type);
    ref_fill(REF_UNIFORM, CLP_U32, 17, n * ((size + 3) / 4), data);
    if (type == CLP_F32)
        ref_fill(REF_UNIFORM, CLP_F32, 3, n, data);
    if (type == CLP_USER) {
        wide *elements = (wide *)data;
        for (size_t i = 0; i < n; i++)
            elements[i].x = (float)(int)(elements[i].words[0] % 7) - 3.0f;
    }
    if (type == CLP_U16)
        for (size_t i = 0; i < n; i++)
            ((uint16_t *)data)[i] %= 3; /* flags */
    if (!ask->heads || type != ask->desc.type)
        return;
    static const uint32_t specials[][4] = {
        [CLP_BF16] = {0x0000, 0x8000, 0x7fc0, 0xffc1}, [CLP_F32] = {0, 0x80000000, 0x7fc00000, 0xffc00001}};
    for (size_t i = 1; i < n; i++) {
        const uint32_t random = ((uint32_t)i * 2654435761u) >> 11;
        if (i % TILE < 600 || random % 3 != 0)
            memcpy(data + i * size, data + (i - 1) * size, size);
        if ((type == CLP_BF16 || type == CLP_F32) && random % 5 == 0)
            memcpy(data + i * size, &specials[type][random / 5 % 4], size);
    }
}

/* Buffers and what must be in them, for all sizes of one ask. */
struct arrays {
    unsigned char *in, *second, *flags, *dropped, *want, *want_others, *got;
    cl_mem in_mem, second_mem, out, others, count, in_place, values_in_place;
    size_t bytes; /* of out and others */
};

static struct arrays make_arrays(clp_context *context, const struct ask *ask) {
    const size_t size = size_of(ask, ask->desc.type);
    const size_t second = ask->desc.second ? size_of(ask, ask->desc.second) : 0;
    const size_t elements = (MAX_N < test_max_n() ? MAX_N : test_max_n()) + 2 * MAX_OFFSET;
    struct arrays arrays = {.bytes = elements * 16};
    unsigned char **const memory[] = {&arrays.in,   &arrays.second,      &arrays.flags, &arrays.dropped,
                                      &arrays.want, &arrays.want_others, &arrays.got};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++) {
        *memory[i] = calloc(1, arrays.bytes);
        ck_assert_ptr_nonnull(*memory[i]);
    }
    fill(ask, ask->desc.type, elements, arrays.in);
    if (second)
        fill(ask, ask->desc.second, elements, arrays.second);
    arrays.in_mem = test_input(context, arrays.in, elements * size);
    arrays.second_mem = test_input(context, arrays.second, elements * second);
    arrays.out = test_output(context, arrays.bytes);
    arrays.others = test_output(context, arrays.bytes);
    arrays.count = test_output(context, 24);
    cl_int code;
    arrays.in_place = clCreateBuffer(clp_context_cl(context), CL_MEM_READ_WRITE, arrays.bytes, NULL, &code);
    ok_cl(code);
    arrays.values_in_place =
        clCreateBuffer(clp_context_cl(context), CL_MEM_READ_WRITE, arrays.bytes, NULL, &code);
    ok_cl(code);
    return arrays;
}

static void free_arrays(struct arrays *arrays) {
    const cl_mem mems[] = {arrays->in_mem,         arrays->second_mem, arrays->out,
                           arrays->others,         arrays->count,      arrays->in_place,
                           arrays->values_in_place};
    for (size_t i = 0; i < sizeof mems / sizeof *mems; i++)
        if (mems[i])
            clReleaseMemObject(mems[i]);
    free(arrays->in), free(arrays->second), free(arrays->flags), free(arrays->dropped);
    free(arrays->want), free(arrays->want_others), free(arrays->got);
}

static void compare_bytes(cl_command_queue queue, cl_mem mem, struct arrays *arrays, size_t begin,
                          size_t size, const unsigned char *want, const char *what, size_t n) {
    if (size > 0)
        test_read(queue, mem, begin, size, arrays->got);
    must(memcmp(arrays->got, want, size) == 0, "%s, n = %zu: wrong outputs", what, n);
    must(test_guarded(queue, mem, arrays->bytes, begin, begin + size),
         "%s, n = %zu: written beside the output", what, n);
    test_guard(queue, mem, arrays->bytes);
}

static void compare_count(cl_command_queue queue, const struct ask *ask, cl_mem mem, size_t want,
                          const char *what, size_t n) {
    const size_t size = ask->desc.count == CLP_U32 ? 4 : 8;
    uint64_t got = 0;
    test_read(queue, mem, size, size, &got);
    must(got == want, "%s, n = %zu: count %llu, not %zu", what, n, (unsigned long long)got, want);
    must(test_guarded(queue, mem, 24, size, 2 * size), "%s: written beside the count", what);
    test_guard(queue, mem, 24);
    compared++;
}

/* Outputs of the flags: elements or indices. */
static size_t wanted(const struct ask *ask, const unsigned char *flags, const unsigned char *in, size_t n,
                     unsigned char *want) {
    const clp_type index = ask->desc.index;
    if (!index)
        return ref_select(flags, n, size_of(ask, ask->desc.type), in, want);
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (flags[i]) {
            const uint64_t wide_index = i;
            memcpy(want + kept++ * clp_type_size(index), &wide_index, clp_type_size(index));
        }
    return kept;
}

/* One size and schedule: select or unique with several capacities, partition with one output and with two. */
static void compare(clp_context *context, const struct ask *ask, struct arrays *arrays, size_t n,
                    size_t offset, clp_schedule schedule) {
    cl_command_queue queue = clp_context_queue(context);
    clp_select_desc desc = ask->desc;
    desc.schedule = schedule;
    const size_t size = size_of(ask, desc.type), out_size = desc.index ? clp_type_size(desc.index) : size;
    const size_t second_size = desc.second ? size_of(ask, desc.second) : 0;
    const unsigned char *in = arrays->in + offset * size, *second = arrays->second + offset * second_size;
    const clp_buffer from = {arrays->in_mem, offset}, with = {arrays->second_mem, desc.second ? offset : 0},
                     to = {arrays->out, 1 + offset}, count = {arrays->count, 1}, none_at_all = {NULL, 0};
    if (ask->heads)
        ref_heads(desc.type, in, n, arrays->flags);
    for (size_t i = 0; i < n; i++) {
        if (!ask->heads)
            arrays->flags[i] = ask->keep(in + i * size, i, second + i * second_size);
        arrays->dropped[i] = !arrays->flags[i];
    }
    const size_t kept = wanted(ask, arrays->flags, in, n, arrays->want);
    const bool values = ask->heads && desc.second;
    if (values)
        ref_select(arrays->flags, n, second_size, second, arrays->want_others);
    const size_t capacities[] = {n, kept, kept / 2, 0};
    for (int c = 0; c<4; c += test_thin()> 1 ? 2 : 1) {
        const size_t capacity = capacities[c], written = kept < capacity ? kept : capacity;
        if (ask->heads)
            ok(clp_unique(context, queue, &desc, from, with, to,
                          values ? (clp_buffer){arrays->others, 2} : none_at_all, capacity, count, n, NULL, 0,
                          NULL, NULL));
        else
            ok(clp_select(context, queue, &desc, from, with, to, capacity, count, n, NULL, 0, NULL, NULL));
        compare_count(queue, ask, arrays->count, kept, ask->name, n);
        compare_bytes(queue, arrays->out, arrays, to.offset * out_size, written * out_size, arrays->want,
                      ask->name, n);
        if (values)
            compare_bytes(queue, arrays->others, arrays, 2 * second_size, written * second_size,
                          arrays->want_others, "values", n);
    }
    const bool pass = schedule == CLP_SCHEDULE_ONE_PASS;                    /* not in place, no partition */
    if (!desc.index && schedule != CLP_SCHEDULE_LEVELS && !pass && n > 0) { /* in place */
        const clp_buffer place = {arrays->in_place, offset}, values_place = {arrays->values_in_place, offset};
        /* From the buffer's begin: Oclgrind takes what is written behind an offset for uninitialised. */
        ok_cl(clEnqueueWriteBuffer(queue, arrays->in_place, CL_TRUE, 0, (offset + n) * size, arrays->in, 0,
                                   NULL, NULL));
        if (values)
            ok_cl(clEnqueueWriteBuffer(queue, arrays->values_in_place, CL_TRUE, 0, (offset + n) * second_size,
                                       arrays->second, 0, NULL, NULL));
        if (ask->heads)
            ok(clp_unique(context, queue, &desc, place, values ? values_place : none_at_all, place,
                          values ? values_place : none_at_all, n, count, n, NULL, 0, NULL, NULL));
        else
            ok(clp_select(context, queue, &desc, place, with, place, n, count, n, NULL, 0, NULL, NULL));
        compare_count(queue, ask, arrays->count, kept, "in place", n);
        test_read(queue, arrays->in_place, offset * size, n * size, arrays->got);
        must(memcmp(arrays->got, arrays->want, kept * size) == 0, "%s in place, n = %zu", ask->name, n);
        must(memcmp(arrays->got + kept * size, in + kept * size, (n - kept) * size) == 0,
             "%s in place, n = %zu: written behind the kept ones", ask->name, n);
    }
    if (ask->heads || pass)
        return;
    unsigned char *others = arrays->want_others;
    const size_t rejected = wanted(ask, arrays->dropped, in, n, others);
    ok(clp_partition(context, queue, &desc, from, with, to, (clp_buffer){arrays->others, 3}, count, n, NULL,
                     0, NULL, NULL));
    compare_count(queue, ask, arrays->count, kept, "partition", n);
    compare_bytes(queue, arrays->out, arrays, to.offset * out_size, kept * out_size, arrays->want,
                  "partition", n);
    compare_bytes(queue, arrays->others, arrays, 3 * out_size, rejected * out_size, others, "rejected", n);
    memcpy(arrays->want + kept * out_size, others, rejected * out_size);
    ok(clp_partition(context, queue, &desc, from, with, to, none_at_all, count, n, NULL, 0, NULL, NULL));
    compare_count(queue, ask, arrays->count, kept, "partition behind", n);
    compare_bytes(queue, arrays->out, arrays, to.offset * out_size, n * out_size, arrays->want,
                  "partition behind", n);
}

static bool has_schedule(clp_context *context, const struct ask *ask, clp_schedule schedule) {
    clp_select_desc desc = ask->desc;
    clp_plan plan;
    desc.schedule = schedule;
    if (schedule != CLP_SCHEDULE_ONE_PASS)
        return schedule != CLP_SCHEDULE_FUSED;
    const clp_status status = clp_select_plan(context, &desc, 1, &plan);
    must(status == CLP_SUCCESS || status == CLP_DEVICE_UNSUPPORTED || status == CLP_UNSUPPORTED, "%s: %s: %s",
         ask->name, clp_status_name(status), clp_last_detail());
    return status == CLP_SUCCESS;
}

/* Ask × shape × work-group size, pairwise: each ask meets two sizes, one in each shape. Full: all. */
START_TEST(outputs_equal_the_reference) {
    const struct ask *ask = &asks[_i / NUM_GROUP_SIZES];
    const int group = _i % NUM_GROUP_SIZES, which = _i / NUM_GROUP_SIZES;
    if (((unsigned)_i * 2654435761u >> 16) % test_thin() != 0)
        return;
    for (int shape = CLP_SHAPE_SIMT; shape <= CLP_SHAPE_SIMD; shape++) {
        const bool usual = group == (which + 3 * (shape - 1) + which / NUM_GROUP_SIZES) % NUM_GROUP_SIZES;
        if (!test_shape((clp_shape)shape) || (!usual && !test_full() && test_thin() == 1))
            continue;
        clp_context *context = test_context((clp_shape)shape, CLP_SUBGROUPS_DEFAULT, group_sizes[group]);
        clp_plan plan;
        if (clp_select_plan(context, &ask->desc, 1, &plan) != CLP_DEVICE_UNSUPPORTED) {
            struct arrays arrays = make_arrays(context, ask);
            for (int s = 0; s<NUM_SIZES; s += test_thin()> 1 ? 2 : 1)
                for (int schedule = 0; schedule <= CLP_SCHEDULE_ONE_PASS; schedule++)
                    if (has_schedule(context, ask, (clp_schedule)schedule) && sizes[s] <= test_max_n())
                        compare(context, ask, &arrays, sizes[s], (size_t)(s + which) % (MAX_OFFSET + 1),
                                (clp_schedule)schedule);
            free_arrays(&arrays);
        }
        clp_context_destroy(context);
    }
}
END_TEST

static int at_end(int failed) {
    if (compared == 0)
        fprintf(stderr, "nothing was compared\n");
    return compared == 0 ? EXIT_FAILURE : failed;
}

int main(void) {
    Suite *suite = suite_create("select");
    TCase *calls = tcase_create("calls");
    tcase_add_loop_test(calls, outputs_equal_the_reference, 0, NUM_ASKS * NUM_GROUP_SIZES);
    suite_add_tcase(suite, calls);
    return at_end(test_main(suite));
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "runs_cases.h"

#include "harness.h"
#include "reference.h"

#include <stdlib.h>
#include <string.h>

/* A work-group's tile has 32 elements for each work-item, a part 8192 or a multiple. */
enum { TILE = 8192, MAX_N = 9 * TILE + 777, MAX_OFFSET = 3 };
static const size_t sizes[] = {0, 1, 2, 31, 32, 33, 1000, TILE - 1, TILE, TILE + 1, 3 * TILE + 5, MAX_N};
enum { NUM_SIZES = sizeof sizes / sizeof *sizes };
/* Elements of each run; 0: mixed, by a hash; SIZE_MAX: all are one. */
static const size_t run_lengths[] = {1, 2, 31, 32, 33, TILE - 1, TILE, TILE + 1, 0, SIZE_MAX};
enum { NUM_LENGTHS = sizeof run_lengths / sizeof *run_lengths };
static const size_t group_sizes[RUNS_NUM_GROUP_SIZES] = {1,   4,       48, 64,
                                                         256, SIZE_MAX}; /* SIZE_MAX: the device's limit */

/* How many outputs were compared: a run without any must not be green. */
static size_t compared;

static clp_run_length_desc encoding(const struct runs_ask *ask, clp_schedule schedule) {
    return (clp_run_length_desc){
        .type = ask->key, .length = ask->length, .count = ask->count, .schedule = schedule};
}

static clp_reduce_by_key_desc reduction(const struct runs_ask *ask) {
    return (clp_reduce_by_key_desc){
        .key = ask->key, .type = ask->type, .op = ask->op, .result = ask->result, .count = ask->count};
}

static uint32_t hash(size_t i) {
    uint32_t h = (uint32_t)i * 2654435761u;
    h ^= h >> 15;
    return (h * 2246822519u) >> 3;
}

/* Bits of one of five floats that all differ, each in all its forms: NaNs, zeros, a denormal (not zero,
 * though devices may take it for one), 1, −∞. */
static uint64_t float_of(clp_type type, size_t class, uint32_t form) {
    static const struct {
        uint64_t sign, infinity, one;
    } types[] = {[CLP_F16] = {0x8000, 0x7c00, 0x3c00},
                 [CLP_BF16] = {0x8000, 0x7f80, 0x3f80},
                 [CLP_F32] = {0x80000000, 0x7f800000, 0x3f800000},
                 [CLP_F64] = {0x8000000000000000, 0x7ff0000000000000, 0x3ff0000000000000}};
    const uint64_t sign = form & 1 ? types[type].sign : 0;
    const uint64_t values[] = {sign | (types[type].infinity + 1 + (form >> 1) % 100), sign, 5,
                               types[type].one, types[type].infinity | types[type].sign};
    return values[class % 5];
}

/* n keys: neighbouring runs differ; floats of one run need not have the same bits. */
static void fill_keys(clp_type type, size_t run_length, size_t n, unsigned char *keys) {
    const size_t size = clp_type_size(type);
    size_t run = 0, left = run_length;
    for (size_t i = 0; i < n; i++) {
        const bool ends =
            run_length == 0 ? hash(i / 100) % 3 == 0 ? hash(i) % 2 : hash(i) % 500 == 0 : left == 0;
        if (ends) {
            run++;
            left = run_length;
        }
        left--;
        const uint64_t bits = type >= CLP_F16 ? float_of(type, run, hash(i)) : run * 0x0101010101010101;
        memcpy(keys + i * size, &bits, size); /* little-endian, as OpenCL's devices */
    }
}

/* Buffers and what must be in them, for all sizes of one ask. */
struct arrays {
    unsigned char *keys, *in, *want_values, *want_ends, *got;
    uint64_t *lengths, *offsets;
    cl_mem keys_mem, in_mem, values, ends, begins, count;
    size_t elements, bytes; /* of the outputs */
};

static struct arrays make_arrays(clp_context *context, const struct runs_ask *ask) {
    struct arrays arrays = {.elements = (MAX_N < test_max_n() ? MAX_N : test_max_n()) + 2 * MAX_OFFSET};
    arrays.bytes = 8 * arrays.elements + 64;
    void **const memory[] = {(void **)&arrays.keys,      (void **)&arrays.in,  (void **)&arrays.want_values,
                             (void **)&arrays.want_ends, (void **)&arrays.got, (void **)&arrays.lengths,
                             (void **)&arrays.offsets};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++) {
        *memory[i] = calloc(1, arrays.bytes);
        ck_assert_ptr_nonnull(*memory[i]);
    }
    cl_int code;
    arrays.keys_mem = clCreateBuffer(clp_context_cl(context), CL_MEM_READ_ONLY, arrays.bytes, NULL, &code);
    ok_cl(code);
    if (ask->type)
        ref_fill(REF_UNIFORM, ask->type, 5, arrays.elements, arrays.in);
    arrays.in_mem = test_input(context, arrays.in, arrays.bytes);
    arrays.values = test_output(context, arrays.bytes);
    arrays.ends = test_output(context, arrays.bytes);
    arrays.begins = test_output(context, arrays.bytes);
    arrays.count = test_output(context, 24);
    return arrays;
}

static void free_arrays(struct arrays *arrays) {
    const cl_mem mems[] = {arrays->keys_mem, arrays->in_mem, arrays->values,
                           arrays->ends,     arrays->begins, arrays->count};
    for (size_t i = 0; i < sizeof mems / sizeof *mems; i++)
        clReleaseMemObject(mems[i]);
    free(arrays->keys), free(arrays->in), free(arrays->want_values), free(arrays->want_ends);
    free(arrays->got), free(arrays->lengths), free(arrays->offsets);
}

/* Which case it is, for messages. */
struct place {
    const struct runs_ask *ask;
    size_t n, run_length, capacity;
};

static void compare_bytes(cl_command_queue queue, cl_mem mem, struct arrays *arrays, size_t begin,
                          size_t size, const void *want, const char *what, struct place at) {
    test_read(queue, mem, 0, arrays->bytes, arrays->got);
    must(memcmp(arrays->got + begin, want, size) == 0, "%s, n = %zu, runs of %zu, capacity %zu: wrong %s",
         at.ask->name, at.n, at.run_length, at.capacity, what);
    for (size_t i = 0; i < arrays->bytes; i++)
        if (i < begin || i >= begin + size)
            must(arrays->got[i] == 0xa5,
                 "%s, n = %zu, runs of %zu, capacity %zu: %s written beside the output", at.ask->name, at.n,
                 at.run_length, at.capacity, what);
    compared++;
}

/* Numbers of 64 bits as those of the type. */
static void narrow(clp_type type, const uint64_t *numbers, size_t count, unsigned char *to) {
    const size_t size = type == CLP_U32 ? 4 : 8;
    for (size_t i = 0; i < count; i++)
        memcpy(to + i * size, numbers + i, size);
}

/* What the reference makes of n elements from `offset` on. Returns the number of runs. */
static size_t reference(const struct runs_ask *ask, struct arrays *arrays, size_t offset, size_t n) {
    const unsigned char *keys = arrays->keys + offset * clp_type_size(ask->key);
    if (!ask->type) {
        const size_t runs =
            ref_run_length_encode(ask->key, keys, n, arrays->want_values, arrays->lengths, arrays->offsets);
        narrow(ask->length, arrays->lengths, runs, arrays->want_ends);
        return runs;
    }
    const clp_scan_desc scan = {.type = ask->type, .op = ask->op, .result = ask->result};
    return ref_reduce_by_key(&scan, ask->key, keys, arrays->in + offset * clp_type_size(ask->type), n,
                             arrays->want_values, arrays->want_ends);
}

/* One size and run length, with several capacities. */
static void compare(clp_context *context, const struct runs_ask *ask, struct arrays *arrays, size_t n,
                    size_t run_length, size_t offset, clp_schedule schedule) {
    cl_command_queue queue = clp_context_queue(context);
    const size_t size = clp_type_size(ask->key), runs = reference(ask, arrays, offset, n);
    const size_t ends_size = ask->type                ? clp_type_size(ask->result ? ask->result : ask->type)
                             : ask->length == CLP_U32 ? 4
                                                      : 8;
    const size_t count_size = ask->count == CLP_U32 ? 4 : 8;
    const clp_buffer keys = {arrays->keys_mem, offset}, in = {arrays->in_mem, offset},
                     values = {arrays->values, 1 + offset}, ends = {arrays->ends, 2},
                     begins = {ask->offsets ? arrays->begins : NULL, ask->offsets ? 3 : 0},
                     count = {arrays->count, 1};
    const clp_run_length_desc encode = encoding(ask, schedule);
    const clp_reduce_by_key_desc reduce = reduction(ask);
    const size_t capacities[] = {n, runs, runs / 2, 0};
    for (int c = 0; c<4; c += n> TILE || test_thin() > 1 ? 2 : 1) {
        const size_t capacity = capacities[c], written = runs < capacity ? runs : capacity;
        const struct place at = {ask, n, run_length, capacity};
        test_guard(queue, arrays->values, arrays->bytes);
        test_guard(queue, arrays->ends, arrays->bytes);
        test_guard(queue, arrays->count, 24);
        if (ask->type)
            ok(clp_reduce_by_key(context, queue, &reduce, keys, in, values, ends, capacity, count, n, NULL, 0,
                                 NULL, NULL));
        else
            ok(clp_run_length_encode(context, queue, &encode, keys, values, ends, begins, capacity, count, n,
                                     NULL, 0, NULL, NULL));
        uint64_t got = 0;
        test_read(queue, arrays->count, count_size, count_size, &got);
        must(got == runs, "%s, n = %zu, runs of %zu: count %llu, not %zu", ask->name, n, run_length,
             (unsigned long long)got, runs);
        must(test_guarded(queue, arrays->count, 24, count_size, 2 * count_size),
             "%s: written beside the count", ask->name);
        compare_bytes(queue, arrays->values, arrays, values.offset * size, written * size,
                      arrays->want_values, "values", at);
        compare_bytes(queue, arrays->ends, arrays, 2 * ends_size, written * ends_size, arrays->want_ends,
                      "lengths or totals", at);
        if (!ask->offsets)
            continue;
        unsigned char *want = malloc(runs * ends_size + 1);
        ck_assert_ptr_nonnull(want);
        narrow(ask->length, arrays->offsets, runs, want);
        compare_bytes(queue, arrays->begins, arrays, 3 * ends_size, written * ends_size, want, "offsets", at);
        test_guard(queue, arrays->begins, arrays->bytes);
        free(want);
    }
}

static clp_status plan_of(clp_context *context, const struct runs_ask *ask, clp_schedule schedule,
                          clp_plan *plan) {
    const clp_run_length_desc encode = encoding(ask, schedule);
    const clp_reduce_by_key_desc reduce = reduction(ask);
    return ask->type ? clp_reduce_by_key_plan(context, &reduce, 1, plan)
                     : clp_run_length_plan(context, &encode, 1, plan);
}

/* Do this length of runs and this size meet? All small sizes do, unless time is short, and some large ones.
 */
static bool meet(int length, int size, int which) {
    if (test_thin() > 1)
        return (length + size + which) % 6 == 0;
    return test_full() || sizes[size] < 100 || (length + size + which) % 3 == 0;
}

/* All runs and sizes, by one schedule, if the device has it. */
static void all_inputs(clp_context *context, const struct runs_ask *ask, int which, clp_schedule schedule) {
    clp_plan plan;
    const clp_status status = plan_of(context, ask, schedule, &plan);
    if (status == CLP_DEVICE_UNSUPPORTED)
        return;
    ok(status);
    struct arrays arrays = make_arrays(context, ask);
    for (int l = 0; l<NUM_LENGTHS; l += test_thin()> 1 ? 3 : 1) {
        fill_keys(ask->key, run_lengths[l], arrays.elements, arrays.keys);
        ok_cl(clEnqueueWriteBuffer(clp_context_queue(context), arrays.keys_mem, CL_TRUE, 0, arrays.bytes,
                                   arrays.keys, 0, NULL, NULL));
        for (int s = 0; s < NUM_SIZES; s++)
            if (sizes[s] <= test_max_n() && meet(l, s, which))
                compare(context, ask, &arrays, sizes[s], run_lengths[l],
                        (size_t)(s + l + which) % (MAX_OFFSET + 1), schedule);
    }
    free_arrays(&arrays);
}

void runs_compare_all(const struct runs_ask *ask, int i) {
    const int group = i % RUNS_NUM_GROUP_SIZES, which = i / RUNS_NUM_GROUP_SIZES;
    if (((unsigned)i * 2654435761u >> 16) % test_thin() != 0)
        return;
    for (int shape = CLP_SHAPE_SIMT; shape <= CLP_SHAPE_SIMD; shape++) {
        const bool usual =
            group == (which + 3 * (shape - 1) + which / RUNS_NUM_GROUP_SIZES) % RUNS_NUM_GROUP_SIZES;
        if (!test_shape((clp_shape)shape) || (!usual && !test_full() && test_thin() == 1))
            continue;
        clp_context *context = test_context((clp_shape)shape, CLP_SUBGROUPS_DEFAULT, group_sizes[group]);
        /* A reduction by key has one schedule only. */
        static const clp_schedule schedules[] = {CLP_SCHEDULE_LEVELS, CLP_SCHEDULE_ONE_PASS};
        for (int schedule = 0; schedule < (ask->type ? 1 : 2); schedule++)
            all_inputs(context, ask, which, schedules[schedule]);
        clp_context_destroy(context);
    }
}

int runs_at_end(int failed) {
    if (compared == 0)
        fprintf(stderr, "nothing was compared\n");
    return compared == 0 ? EXIT_FAILURE : failed;
}

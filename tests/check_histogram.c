/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms against the serial reference: counts, what is outside, and what must not be written. */
#include "harness.h"
#include "reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_N = 200000, ROWS = 6, GUARDS = 24 };
static const size_t sizes[] = {0, 1, 7, 255, 4097, 70001, MAX_N};
enum { NUM_SIZES = sizeof sizes / sizeof *sizes };
static const size_t group_sizes[] = {1, 4, 48, 64, 256, SIZE_MAX}; /* SIZE_MAX: the device's limit */
enum { NUM_GROUP_SIZES = sizeof group_sizes / sizeof *group_sizes };

/* How many histograms were compared: a run without any must not be green. */
static size_t compared;

/* What a test asks for. custom: which channels have custom edges, as bits. */
struct ask {
    const char *name;
    clp_histogram_desc desc;
    unsigned custom;
};

#define FLOATS(n, from, to)                                                                                  \
    { .count = (n), .low.f = (from), .high.f = (to) }
#define SIGNED(n, from, to)                                                                                  \
    { .count = (n), .low.i = (from), .high.i = (to) }
#define UNSIGNED(n, from, to)                                                                                \
    { .count = (n), .low.u = (from), .high.u = (to) }

static const struct ask asks[] = {
    {"u8, all values", {.type = CLP_U8, .bins = {{.count = 256}}}, 0},
    {"i8, few bins", {.type = CLP_I8, .count = CLP_U32, .bins = {SIGNED(7, -100, 128)}}, 0},
    {"u8, custom", {.type = CLP_U8, .bins = {{.count = 9}}}, 1},
    {"u8, 4 channels", {.type = CLP_U8, .channels = 4, .active = 3, .bins = {{.count = 256}}}, 0},
    {"u8, weights", {.type = CLP_U8, .weight = CLP_U32, .bins = {UNSIGNED(100, 3, 256)}}, 0},
    {"f32, 1024 bins", {.type = CLP_F32, .bins = {FLOATS(1024, -100.1, 200.7)}}, 0},
    {"f32, 1 bin", {.type = CLP_F32, .count = CLP_I32, .bins = {FLOATS(1, 0, 1)}}, 0},
    {"f32, 40000 bins", {.type = CLP_F32, .bins = {FLOATS(40000, -256, 256)}}, 0},
    {"f32, denormals", {.type = CLP_F32, .bins = {FLOATS(100, -3e-40, 9e-40)}}, 0},
    {"f32, custom", {.type = CLP_F32, .bins = {{.count = 300}}}, 1},
    {"f32, weights", {.type = CLP_F32, .weight = CLP_I32, .bins = {FLOATS(50, -1, 3)}}, 0},
    {"f32, weights of 32 bits",
     {.type = CLP_F32, .weight = CLP_I32, .count = CLP_U32, .bins = {FLOATS(20000, -9, 3)}},
     0},
    {"f32, 3 channels",
     {.type = CLP_F32, .channels = 3, .bins = {FLOATS(33, -1, 1), {.count = 5}, FLOATS(900, -9, 256)}},
     2},
    {"f16", {.type = CLP_F16, .bins = {FLOATS(777, -3.3, 7.77)}}, 0},
    {"bf16, 2 channels", {.type = CLP_BF16, .channels = 2, .bins = {FLOATS(99, -0.1, 100)}}, 0},
    {"f64", {.type = CLP_F64, .bins = {FLOATS(1000, -1.0 / 3, 100.0 / 7)}}, 0},
    {"f64, far from 0", {.type = CLP_F64, .bins = {FLOATS(1000, 1e9, 1e9 + 1e-3)}}, 0},
    {"i16, 4 channels", {.type = CLP_I16, .channels = 4, .bins = {SIGNED(13, -32768, 32768)}}, 0},
    {"u16", {.type = CLP_U16, .count = CLP_U32, .bins = {{.count = 65536}}}, 0},
    {"i32", {.type = CLP_I32, .bins = {SIGNED(1000, INT32_MIN, 2147483648)}}, 0},
    {"u32, custom", {.type = CLP_U32, .bins = {{.count = 1000}}}, 1},
    {"i64, all values", {.type = CLP_I64, .bins = {{.count = 1001}}}, 0},
    {"u64, high", {.type = CLP_U64, .bins = {UNSIGNED(3, UINT64_MAX - 1000000007, UINT64_MAX)}}, 0},
    {"u64, all values", {.type = CLP_U64, .weight = CLP_U32, .bins = {{.count = 1 << 12}}}, 0},
};
enum { NUM_ASKS = sizeof asks / sizeof *asks };

static uint64_t hash(uint64_t i) {
    i = (i + 1) * 0x9e3779b97f4a7c15u;
    i = (i ^ i >> 30) * 0xbf58476d1ce4e5b9u;
    return i ^ i >> 31;
}

/* Sorted edges of the type, some of them equal; of floats −0, +0 and NaNs at the end. */
static void *custom_edges(clp_type type, size_t count) {
    const size_t size = clp_type_size(type);
    char *edges = calloc(count + 1, size);
    ck_assert_ptr_nonnull(edges);
    for (size_t k = 0; k <= count; k++) {
        const size_t place = k % 7 == 3 ? k - 1 : k;
        const double x = ((double)place - (double)count / 3) * 0.75;
        const float narrow = k == count ? (float)NAN : (float)x;
        const uint64_t integer = type == CLP_U8 ? 20 * place : place * place * 4000;
        if (type == CLP_F32)
            memcpy(edges + k * size, &narrow, size);
        else
            memcpy(edges + k * size, &integer, size);
    }
    return edges;
}

/* Several sets one behind the other; every fifth sample is an edge or beside one. */
static void fill(clp_type type, const clp_bins *bins, const void *edges, size_t n, unsigned char *data) {
    static const ref_set sets[] = {REF_UNIFORM, REF_SPECIAL, REF_SMALL, REF_DENORMALS, REF_EQUAL};
    enum { NUM_SETS = sizeof sets / sizeof *sets };
    const size_t size = clp_type_size(type);
    for (size_t s = 0; s < NUM_SETS; s++) {
        const size_t begin = n * s / NUM_SETS, end = n * (s + 1) / NUM_SETS;
        ref_fill(sets[s], type, begin, end - begin, data + begin * size);
    }
    for (size_t i = 0; i < n; i += 5) {
        uint64_t bits = 0;
        memcpy(&bits, (const char *)edges + hash(i) % (bins->count + 1) * size, size);
        bits += hash(i) >> 60 < 12 ? hash(i) >> 50 & 1 : (uint64_t)-1;
        memcpy(data + i * size, &bits, size);
    }
}

/* Buffers and what must be in them, for all sizes of one ask. */
struct arrays {
    const struct ask *ask;
    clp_histogram_desc desc; /* the ask's, with buffers for edges */
    size_t channels, active, total, count_size, samples;
    void *edges[CLP_HISTOGRAM_CHANNELS];
    unsigned char *in;
    uint32_t *weights;
    unsigned char *want, *got;
    cl_mem in_mem, weights_mem, counts, outside, edges_mem[CLP_HISTOGRAM_CHANNELS];
    size_t counts_size, outside_size;
};

static cl_mem guarded(clp_context *context, size_t size) {
    cl_int code;
    cl_mem mem = clCreateBuffer(clp_context_cl(context), CL_MEM_READ_WRITE, size, NULL, &code);
    ok_cl(code);
    test_guard(clp_context_queue(context), mem, size);
    return mem;
}

static struct arrays make_arrays(clp_context *context, const struct ask *ask) {
    const size_t most = MAX_N < test_max_n() ? MAX_N : test_max_n();
    struct arrays a = {.ask = ask, .desc = ask->desc};
    a.channels = a.desc.channels ? a.desc.channels : 1;
    a.active = a.desc.active ? a.desc.active : a.channels;
    a.count_size = a.desc.count == CLP_U32 || a.desc.count == CLP_I32 ? 4 : 8;
    a.samples = most + 8;
    const size_t size = clp_type_size(a.desc.type);
    a.in = calloc(a.samples, size);
    a.weights = calloc(a.samples, sizeof *a.weights);
    ck_assert(a.in && a.weights);
    for (size_t c = 0; c < a.active; c++) {
        const clp_bins *bins = &a.desc.bins[a.desc.bins[c].count ? c : 0];
        a.total += bins->count;
        if (!(ask->custom >> c & 1))
            continue;
        a.edges[c] = custom_edges(a.desc.type, bins->count);
        a.edges_mem[c] = test_input(context, a.edges[c], (bins->count + 1) * size);
        a.desc.bins[c].edges.mem = a.edges_mem[c];
    }
    void *even = a.edges[0] ? NULL : ref_histogram_edges(a.desc.type, &a.desc.bins[0]);
    fill(a.desc.type, &a.desc.bins[0], even ? even : a.edges[0], a.samples, a.in);
    free(even);
    ref_fill(REF_UNIFORM, CLP_U32, 5, a.samples, a.weights);
    a.in_mem = test_input(context, a.in, a.samples * size);
    a.weights_mem = a.desc.weight ? test_input(context, a.weights, a.samples * sizeof *a.weights) : NULL;
    a.counts_size = (ROWS * a.total) * a.count_size + 2 * GUARDS;
    a.outside_size = (ROWS * 3 * a.active) * a.count_size + 2 * GUARDS;
    a.counts = guarded(context, a.counts_size);
    a.outside = guarded(context, a.outside_size);
    a.want = calloc(1, a.counts_size + a.outside_size);
    a.got = calloc(1, a.counts_size + a.outside_size);
    ck_assert(a.want && a.got);
    return a;
}

static void free_arrays(struct arrays *a) {
    const cl_mem mems[] = {a->in_mem,       a->weights_mem,  a->counts,       a->outside,
                           a->edges_mem[0], a->edges_mem[1], a->edges_mem[2], a->edges_mem[3]};
    for (size_t i = 0; i < sizeof mems / sizeof *mems; i++)
        if (mems[i])
            clReleaseMemObject(mems[i]);
    for (size_t c = 0; c < CLP_HISTOGRAM_CHANNELS; c++)
        free(a->edges[c]);
    free(a->in), free(a->weights), free(a->want), free(a->got);
}

/* want: so many sets of counts, then as many of what is outside. */
static void compare(cl_command_queue queue, struct arrays *a, size_t sets, const char *what, size_t n) {
    const size_t counts = sets * a->total * a->count_size, outside = sets * 3 * a->active * a->count_size;
    test_read(queue, a->counts, GUARDS, counts, a->got);
    test_read(queue, a->outside, GUARDS, outside, a->got + counts);
    for (size_t i = 0; i < (counts + outside) / a->count_size; i++) {
        uint64_t got = 0, want = 0;
        memcpy(&got, a->got + i * a->count_size, a->count_size);
        memcpy(&want, a->want + i * a->count_size, a->count_size);
        must(got == want, "%s, %s, n = %zu: wrong count %zu of %zu: %llu, not %llu", a->ask->name, what, n, i,
             counts / a->count_size, (unsigned long long)got, (unsigned long long)want);
    }
    must(test_guarded(queue, a->counts, a->counts_size, GUARDS, GUARDS + counts) &&
             test_guarded(queue, a->outside, a->outside_size, GUARDS, GUARDS + outside),
         "%s, %s, n = %zu: written beside the output", a->ask->name, what, n);
    compared++;
}

static void refer(const struct arrays *a, size_t set, size_t sets, size_t first, size_t pixels) {
    const size_t size = clp_type_size(a->desc.type);
    unsigned char *counts = a->want + set * a->total * a->count_size;
    unsigned char *outside = a->want + (sets * a->total + set * 3 * a->active) * a->count_size;
    clp_histogram_desc desc = a->desc;
    desc.count = a->count_size == 4 ? CLP_U32 : CLP_U64;
    ref_histogram(&desc, (const void *const *)a->edges, a->in + first * size, a->weights + first, pixels,
                  counts, outside);
}

/* One array of a size, twice: the second call adds to the first one's. Then rows. */
static void check_size(clp_context *context, struct arrays *a, size_t samples, size_t offset) {
    cl_command_queue queue = clp_context_queue(context);
    const clp_buffer in = {a->in_mem, offset}, weights = {a->weights_mem, a->weights_mem ? offset : 0};
    const clp_buffer counts = {a->counts, GUARDS / a->count_size},
                     outside = {a->outside, GUARDS / a->count_size}, none = {NULL, 0};
    const size_t n = samples / a->channels;
    clp_histogram_desc desc = a->desc;
    memset(a->want, 0, a->counts_size + a->outside_size);
    refer(a, 0, 1, offset, n);
    ok(clp_histogram(context, queue, &desc, in, weights, counts, outside, n, NULL, 0, NULL, NULL));
    compare(queue, a, 1, "array", n);
    desc.accumulate = 1;
    refer(a, 0, 1, offset, n);
    ok(clp_histogram(context, queue, &desc, in, weights, counts, outside, n, NULL, 0, NULL, NULL));
    compare(queue, a, 1, "accumulated", n);
    if (samples > 5000 && test_thin() > 1)
        return;
    /* Rows with a gap between them, the last ones short. */
    uint32_t lengths[ROWS];
    const size_t columns = n / ROWS, stride = columns * a->channels + 1;
    if (columns == 0 || stride * ROWS > samples + ROWS)
        return;
    for (size_t r = 0; r < ROWS; r++)
        lengths[r] = r == 3 ? 0 : (uint32_t)(r < 4 ? columns + r : columns / 2);
    cl_mem lengths_mem = test_input(context, lengths, sizeof lengths);
    const clp_rows rows = {.count = ROWS, .columns = columns, .stride = stride, .lengths = {lengths_mem, 0}};
    const size_t rows_in = (ROWS - 1) * stride + columns * a->channels;
    if (rows_in > samples)
        goto done;
    for (int join = 0; join < 2; join++) {
        desc.accumulate = 0, desc.join_rows = (uint32_t)join;
        memset(a->want, 0, a->counts_size + a->outside_size);
        for (size_t r = 0; r < ROWS; r++)
            refer(a, join ? 0 : r, join ? 1 : ROWS, offset + r * stride,
                  lengths[r] < columns ? lengths[r] : columns);
        test_guard(queue, a->counts, a->counts_size);
        test_guard(queue, a->outside, a->outside_size);
        ok(clp_histogram_rows(context, queue, &desc, in, weights, counts, outside, &rows, NULL, 0, NULL,
                              NULL));
        compare(queue, a, join ? 1 : ROWS, join ? "joined rows" : "rows", columns);
    }
    test_guard(queue, a->counts, a->counts_size);
    test_guard(queue, a->outside, a->outside_size);
    ok(clp_histogram_rows(context, queue, &desc, in, weights, counts, none, &rows, NULL, 0, NULL, NULL));
    must(test_guarded(queue, a->outside, a->outside_size, 0, 0), "%s: outside is not wanted", a->ask->name);
done:
    test_guard(queue, a->counts, a->counts_size);
    test_guard(queue, a->outside, a->outside_size);
    clReleaseMemObject(lengths_mem);
}

/* Ask × shape × work-group size, pairwise: each ask meets one size in the simt shape, and the simd shape,
 * where work-groups have one work-item. Full: all. */
START_TEST(counts_equal_the_reference) {
    const struct ask *ask = &asks[_i / NUM_GROUP_SIZES];
    const int group = _i % NUM_GROUP_SIZES, which = _i / NUM_GROUP_SIZES;
    if (((unsigned)_i * 2654435761u >> 16) % test_thin() != 0)
        return;
    for (int shape = CLP_SHAPE_SIMT; shape <= CLP_SHAPE_SIMD; shape++) {
        const bool usual = group == (shape == CLP_SHAPE_SIMD ? 0 : which % NUM_GROUP_SIZES);
        if (!test_shape((clp_shape)shape) || (!usual && !test_full() && test_thin() == 1))
            continue;
        clp_context *context = test_context((clp_shape)shape, CLP_SUBGROUPS_DEFAULT, group_sizes[group]);
        clp_plan plan;
        if (clp_histogram_plan(context, &ask->desc, 1, &plan) != CLP_DEVICE_UNSUPPORTED) {
            struct arrays arrays = make_arrays(context, ask);
            for (int s = 0; s < NUM_SIZES; s++)
                if (sizes[s] <= test_max_n())
                    check_size(context, &arrays, sizes[s], (size_t)(s + which) % 4);
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
    Suite *suite = suite_create("histogram");
    TCase *calls = tcase_create("calls");
    tcase_add_loop_test(calls, counts_equal_the_reference, 0, NUM_ASKS * NUM_GROUP_SIZES);
    suite_add_tcase(suite, calls);
    return at_end(test_main(suite));
}

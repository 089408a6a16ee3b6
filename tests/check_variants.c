/* SPDX-License-Identifier: Apache-2.0 */
/* Calls find their kernels by a number: descriptions that differ in one thing must not find each other's. */
#include "harness.h"
#include "reference.h"

#include <string.h>

enum { N = 300, BYTES = 8 * (N + 1) };

static unsigned char elements[BYTES], heads[BYTES], want[2 * BYTES], got[BYTES];

/* A context, what calls read, and two outputs. */
struct world {
    clp_context *context;
    cl_command_queue queue;
    clp_buffer in, heads, out, others, count;
};

static struct world make_world(void) {
    struct world w = {.context = test_context(CLP_SHAPE_DEFAULT, CLP_SUBGROUPS_DEFAULT, 0)};
    w.queue = clp_context_queue(w.context);
    ref_fill(REF_UNIFORM, CLP_U32, 0, BYTES / 4, elements);
    ref_fill(REF_ZEROS, CLP_U8, 0, BYTES, heads); /* bytes 0 and 1, so that no width of flags is all 0 */
    w.in.mem = test_input(w.context, elements, BYTES);
    w.heads.mem = test_input(w.context, heads, BYTES);
    w.out.mem = test_output(w.context, BYTES);
    w.others.mem = test_output(w.context, BYTES);
    w.count.mem = test_output(w.context, 8);
    return w;
}

static void free_world(struct world *w) {
    const clp_buffer all[] = {w->in, w->heads, w->out, w->others, w->count};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        clReleaseMemObject(all[i].mem);
    clp_context_destroy(w->context);
}

static void compare(const struct world *w, cl_mem mem, size_t size, size_t row, const char *what) {
    test_read(w->queue, mem, 0, size, got);
    must(memcmp(got, want, size) == 0, "row %zu: wrong %s", row, what);
    must(test_guarded(w->queue, mem, BYTES, 0, size), "row %zu: written beside the %s", row, what);
    test_guard(w->queue, mem, BYTES);
}

enum call { SELECT, PARTITION, UNIQUE };

static const struct {
    enum call call;
    clp_select_desc desc;
} selections[] = {
    {SELECT, {.type = CLP_U32, .second = CLP_U8}},
    {SELECT, {.type = CLP_U64, .second = CLP_U8}},
    {SELECT, {.type = CLP_U32, .second = CLP_U16}},
    {SELECT, {.type = CLP_U32, .second = CLP_U8, .index = CLP_U32}},
    {SELECT, {.type = CLP_U32, .second = CLP_U8, .index = CLP_U64}},
    {SELECT, {.type = CLP_U32, .second = CLP_U8, .count = CLP_U32}},
    {PARTITION, {.type = CLP_U32, .second = CLP_U8}},
    {UNIQUE, {.type = CLP_U32, .second = CLP_U8}},
    {UNIQUE, {.type = CLP_U32}},
};

static size_t wanted_indices(const unsigned char *flags, clp_type type) {
    const size_t size = clp_type_size(type);
    size_t kept = 0;
    for (uint64_t i = 0; i < N; i++)
        if (flags[i])
            memcpy(want + kept++ * size, &i, size);
    return kept;
}

static void one_selection(const struct world *w, size_t row) {
    const clp_select_desc *desc = &selections[row].desc;
    const enum call call = selections[row].call;
    const clp_buffer nothing = {NULL, 0};
    const size_t size = clp_type_size(desc->type), width = clp_type_size(desc->second);
    unsigned char flags[N];
    if (call == UNIQUE)
        ref_heads(desc->type, elements, N, flags);
    else
        for (size_t i = 0; i < N; i++) {
            uint64_t flag = 0;
            memcpy(&flag, heads + i * width, width);
            flags[i] = flag != 0;
        }
    if (call == PARTITION)
        ok(clp_partition(w->context, w->queue, desc, w->in, w->heads, w->out, w->others, w->count, N, NULL, 0,
                         NULL, NULL));
    else if (call == UNIQUE)
        ok(clp_unique(w->context, w->queue, desc, w->in, desc->second ? w->heads : nothing, w->out,
                      desc->second ? w->others : nothing, N, w->count, N, NULL, 0, NULL, NULL));
    else
        ok(clp_select(w->context, w->queue, desc, w->in, w->heads, w->out, N, w->count, N, NULL, 0, NULL,
                      NULL));
    const size_t kept =
        desc->index ? wanted_indices(flags, desc->index) : ref_select(flags, N, size, elements, want);
    uint64_t count = 0;
    const size_t count_size = desc->count == CLP_U32 ? 4 : 8;
    test_read(w->queue, w->count.mem, 0, count_size, &count);
    must(count == kept, "row %zu: count %llu, not %zu", row, (unsigned long long)count, kept);
    must(test_guarded(w->queue, w->count.mem, 8, 0, count_size), "row %zu: written beside the count", row);
    test_guard(w->queue, w->count.mem, 8);
    compare(w, w->out.mem, kept * (desc->index ? clp_type_size(desc->index) : size), row, "outputs");
    if (call == UNIQUE && desc->second) {
        ref_select(flags, N, width, heads, want);
        compare(w, w->others.mem, kept * width, row, "values");
    }
    if (call == PARTITION) {
        for (size_t i = 0; i < N; i++)
            flags[i] = !flags[i];
        const size_t rejected = ref_select(flags, N, size, elements, want);
        compare(w, w->others.mem, rejected * size, row, "others");
    }
}

/* Twice: the first time kernels are built, the second time found. */
START_TEST(selections_of_one_context) {
    struct world w = make_world();
    for (int round = 0; round < 2; round++)
        for (size_t row = 0; row < sizeof selections / sizeof *selections; row++)
            one_selection(&w, row);
    free_world(&w);
}
END_TEST

static const struct {
    clp_scan_desc desc;
    bool flags;
    clp_type keys;
} scans[] = {
    {.desc = {.type = CLP_U32, .op = CLP_SUM}},
    {.desc = {.type = CLP_U32, .op = CLP_MAX}},
    {.desc = {.type = CLP_I32, .op = CLP_MAX}},
    {.desc = {.type = CLP_U32, .op = CLP_SUM, .result = CLP_U64}},
    {.desc = {.type = CLP_U32, .op = CLP_SUM, .kind = CLP_SCAN_EXCLUSIVE}},
    {.desc = {.type = CLP_U32, .op = CLP_SUM}, .flags = true},
    {.desc = {.type = CLP_U32, .op = CLP_SUM}, .keys = CLP_U8},
    {.desc = {.type = CLP_U32, .op = CLP_SUM}, .keys = CLP_U16},
};

static void one_scan(const struct world *w, size_t row) {
    const clp_scan_desc *desc = &scans[row].desc;
    const clp_type keys = scans[row].keys;
    uint8_t flags[N];
    if (scans[row].flags) {
        ok(clp_scan_by_flags(w->context, w->queue, desc, w->in, w->heads, w->out, N, NULL, 0, NULL, NULL));
        ref_scan_by_flags(desc, NULL, elements, heads, N, want);
    } else if (keys != CLP_TYPE_INVALID) {
        ok(clp_scan_by_key(w->context, w->queue, desc, w->in, w->heads, keys, w->out, N, NULL, 0, NULL,
                           NULL));
        ref_flags_of_keys(keys, heads, N, flags);
        ref_scan_by_flags(desc, NULL, elements, flags, N, want);
    } else {
        ok(clp_scan(w->context, w->queue, desc, w->in, w->out, N, NULL, 0, NULL, NULL));
        ref_scan(desc, elements, N, want);
    }
    compare(w, w->out.mem, N * clp_type_size(clp_scan_result_type(desc)), row, "outputs");
}

START_TEST(scans_of_one_context) {
    struct world w = make_world();
    for (int round = 0; round < 2; round++)
        for (size_t row = 0; row < sizeof scans / sizeof *scans; row++)
            one_scan(&w, row);
    free_world(&w);
}
END_TEST

/* User texts that differ in one thing. All texts stand in memory that is overwritten after each call. */
static const struct {
    const char *declarations, *where, *type; /* type: what CLP_USER is */
    size_t type_size;
    uint32_t least; /* elements from this on are kept */
} texts[] = {
    {.where = "x >= 1000000u", .least = 1000000},
    {.where = "x >= 2000000u", .least = 2000000},
    {.declarations = "enum { LEAST = 1000000 };", .where = "x >= LEAST", .least = 1000000},
    {.declarations = "enum { LEAST = 2000000 };", .where = "x >= LEAST", .least = 2000000},
    {.where = "(uint)x >= 1000000u", .type = "uint", .type_size = 4, .least = 1000000},
    {.where = "(uint)x >= 1000000u", .type = "float", .type_size = 4, .least = 0x49742400}, /* 1000000.0f */
};

START_TEST(texts_of_one_context) {
    struct world w = make_world();
    for (int round = 0; round < 2; round++)
        for (size_t row = 0; row < sizeof texts / sizeof *texts; row++) {
            static char where[64], declarations[64], type[16];
            uint32_t x[N], *kept = (uint32_t *)want;
            strcpy(where, texts[row].where);
            strcpy(declarations, texts[row].declarations ? texts[row].declarations : "");
            strcpy(type, texts[row].type ? texts[row].type : "");
            const clp_user user = {.declarations = texts[row].declarations ? declarations : NULL,
                                   .type = texts[row].type ? type : NULL,
                                   .type_size = texts[row].type_size};
            const clp_select_desc desc = {.type = texts[row].type ? CLP_USER : CLP_U32,
                                          .where = where,
                                          .user = user.declarations || user.type ? &user : NULL};
            const clp_buffer nothing = {NULL, 0};
            for (size_t i = 0; i < N; i++)
                x[i] = texts[row].type ? 0x48000000 + (uint32_t)i * 0x20000 : (uint32_t)i * 10000;
            ok_cl(clEnqueueWriteBuffer(w.queue, w.in.mem, CL_TRUE, 0, sizeof x, x, 0, NULL, NULL));
            ok(clp_select(w.context, w.queue, &desc, w.in, nothing, w.out, N, w.count, N, NULL, 0, NULL,
                          NULL));
            memset(where, '#', sizeof where - 1);
            memset(declarations, '#', sizeof declarations - 1);
            memset(type, '#', sizeof type - 1);
            size_t count = 0;
            for (size_t i = 0; i < N; i++)
                if (x[i] >= texts[row].least)
                    kept[count++] = x[i];
            compare(&w, w.out.mem, count * sizeof *kept, row, "outputs");
            test_guard(w.queue, w.count.mem, 8);
        }
    free_world(&w);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("variants");
    TCase *found = tcase_create("found");
    tcase_add_test(found, selections_of_one_context);
    tcase_add_test(found, scans_of_one_context);
    tcase_add_test(found, texts_of_one_context);
    suite_add_tcase(suite, found);
    return test_main(suite);
}

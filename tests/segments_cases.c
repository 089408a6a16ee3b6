/* SPDX-License-Identifier: Apache-2.0 */
#include "segments_cases.h"

#include <stdlib.h>
#include <string.h>

enum { TILE = 4096 };

const char *const segments_layout_names[SEGMENTS_NUM_LAYOUTS] = {
    "empty", "one", "tiny", "mixed", "edges", "huge among tiny", "descending", "gaps", "anywhere", "none"};

static uint32_t hash(uint32_t x) {
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

/* Segments that follow each other, of lengths that a function of their number gives, until n. */
static void consecutive(struct segments_layout *layout, size_t n, size_t most, size_t (*length)(size_t k)) {
    layout->begins[0] = 0;
    for (layout->count = 0; layout->count < most && layout->begins[layout->count] < n; layout->count++)
        layout->begins[layout->count + 1] = layout->begins[layout->count] + length(layout->count);
}

static size_t tiny(size_t k) {
    return hash((uint32_t)k) % 6;
}

/* From nothing to 10^5, small ones far more often. */
static size_t mixed(size_t k) {
    static const size_t limits[8] = {3, 20, 130, 600, 5000, 3, 40000, 100000};
    return hash((uint32_t)k) % limits[hash((uint32_t)k + 77) % 8];
}

static size_t edges(size_t k) {
    static const size_t lengths[] = {TILE, TILE - 1, TILE + 1, 128, 127, 129,          1,
                                     0,    512,      511,      513, 16,  2 * TILE + 1, 8 * TILE};
    return lengths[k % (sizeof lengths / sizeof *lengths)];
}

static size_t huge(size_t k) {
    return k == 1000 ? 100000 : hash((uint32_t)k) % 4;
}

void segments_lay(struct segments_layout *layout, int kind, size_t n) {
    layout->has_ends = kind == SEGMENTS_GAPS || kind == SEGMENTS_ANYWHERE;
    layout->count = 0;
    switch (kind) {
    case SEGMENTS_EMPTY:
        layout->count = 1000;
        for (size_t k = 0; k <= 1000; k++)
            layout->begins[k] = 7 < n ? 7 : 0;
        break;
    case SEGMENTS_ONE:
        layout->count = 1;
        layout->begins[0] = 1 < n;
        layout->begins[1] = n;
        break;
    case SEGMENTS_TINY:
        consecutive(layout, n, SEGMENTS_MAX_COUNT, tiny);
        break;
    case SEGMENTS_MIXED:
        consecutive(layout, n, SEGMENTS_MAX_COUNT, mixed); /* the last ends beyond n */
        break;
    case SEGMENTS_EDGES:
        consecutive(layout, n, SEGMENTS_MAX_COUNT, edges);
        break;
    case SEGMENTS_HUGE_AMONG_TINY:
        consecutive(layout, n, SEGMENTS_MAX_COUNT, huge);
        break;
    case SEGMENTS_DESCENDING: /* all are empty but six, where it goes up; they cover the array backwards */
        layout->count = 300;
        for (size_t k = 0; k <= 300; k++) {
            const size_t part = k / 50, step = k % 50;
            const size_t high = n * (part == 0 ? 6 : 7 - part) / 6, low = part < 5 ? n * (5 - part) / 6 : 0;
            layout->begins[k] = high - (high - low) * step / 49;
        }
        break;
    case SEGMENTS_GAPS:
        layout->count = 500;
        for (size_t k = 0; k < 500; k++) {
            layout->begins[k] = n * k / 500 + k % 4;
            layout->ends[k] = layout->begins[k] + hash((uint32_t)k) % (n / 500 + 1);
        }
        break;
    case SEGMENTS_ANYWHERE: /* overlapping, out of order, inside out, beyond the array */
        layout->count = 200;
        for (size_t k = 0; k < 200; k++) {
            layout->begins[k] = hash((uint32_t)k) % (n + n / 8 + 1);
            layout->ends[k] = k % 7 == 0   ? hash((uint32_t)k + 1000) % (n + 1)
                              : k % 7 == 1 ? layout->begins[k] + 100000
                              : k % 7 == 2 ? UINT32_MAX
                              : k % 7 == 3 ? 0
                                           : layout->begins[k] + hash((uint32_t)k) % 2000;
        }
        break;
    default:
        break;
    }
}

/* Begin and length of a segment, cut to the array. */
size_t segments_at(const struct segments_layout *layout, size_t k, size_t n, size_t *begin) {
    uint64_t end = layout->has_ends ? layout->ends[k] : layout->begins[k + 1];
    end = end < n ? end : n;
    *begin = layout->begins[k] < n ? (size_t)layout->begins[k] : 0;
    return end > layout->begins[k] ? (size_t)(end - layout->begins[k]) : 0;
}

void segments_separate(struct segments_layout *layout, size_t n) {
    unsigned char *taken = calloc(n + 1, 1);
    ck_assert_ptr_nonnull(taken);
    for (int long_ones = 0; long_ones < 2; long_ones++)
        for (size_t k = 0; k < layout->count; k++) {
            size_t begin, length = segments_at(layout, k, n, &begin);
            if ((length > TILE) != long_ones)
                continue;
            for (size_t i = 0; i < length; i++) {
                if (taken[begin + i]) {
                    layout->ends[k] = begin + i;
                    break;
                }
                taken[begin + i] = 1;
            }
        }
    free(taken);
}

/* Offsets as a buffer of 32 or 64 bits, from its element 1 on; exactly as many as are needed. */
cl_mem segments_index_buffer(clp_context *context, clp_type index, const uint64_t *offsets, size_t count) {
    const size_t size = clp_type_size(index);
    unsigned char *bytes = malloc((count + 1) * size);
    ck_assert_ptr_nonnull(bytes);
    memset(bytes, 0xee, size); /* far beyond n, should it be read */
    for (size_t k = 0; k < count; k++)
        memcpy(bytes + (k + 1) * size, &offsets[k], size); /* little-endian */
    cl_mem mem = test_input(context, bytes, (count + 1) * size);
    free(bytes);
    return mem;
}

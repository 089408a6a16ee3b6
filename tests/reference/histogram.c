/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms, serially: a table of edges, and for each sample a binary search in it. */
#include "elements.h"
#include "reference.h"

#include <stdlib.h>
#include <string.h>

/* The place of an element; −0 is +0. Elements of U64 are moved to the order of signed integers. */
static int64_t place(clp_type type, const void *x, size_t i) {
    const int64_t key = ref_key(type, x, i);
    if (type == CLP_U64)
        return (int64_t)((uint64_t)key ^ (uint64_t)1 << 63);
    return ref_is_float(type) && key == -1 ? 0 : key;
}

static bool is_nan(clp_type type, const void *x, size_t i) {
    return ref_is_float(type) && (ref_bits(type, x, i) & ~ref_sign(type)) > ref_infinity(type);
}

/*
 * A double in a 16-bit float, rounded once: cut to a float with more bits than needed, whose last one says
 * that something was cut off, so that its rounding is the double's.
 */
static void store_narrow(clp_type type, double value, void *out) {
    float cut = (float)value;
    uint32_t bits;
    memcpy(&bits, &cut, sizeof bits);
    if ((double)cut != value) {
        if ((cut > value) == (value > 0))
            bits--; /* rounded away from zero */
        bits |= 1;
    }
    memcpy(&cut, &bits, sizeof cut);
    ref_store_float(type, cut, out);
}

static void even_edge(clp_type type, const clp_bins *bins, size_t k, void *out) {
    const size_t size = clp_type_size(type);
    const uint64_t n = bins->count > 0 ? bins->count : 1, sign = (uint64_t)1 << (8 * size - 1);
    if (ref_is_float(type)) {
        const double step = (bins->high.f - bins->low.f) / (double)n;
        const double product = (double)k * step;
        const double edge = k == n ? bins->high.f : bins->low.f + product;
        if (size == 2)
            store_narrow(type, edge, out);
        else
            ref_store_double(type, edge, out);
        return;
    }
    /* Modulo 2^64; all values of a type of 64 bits have a width of 0 there. */
    const bool all = bins->low.u == 0 && bins->high.u == 0;
    const uint64_t low = !all ? bins->low.u : ref_is_signed(type) ? 0 - sign : 0;
    const uint64_t width = !all ? bins->high.u - low : size == 8 ? 0 : sign * 2;
    uint64_t whole = width / n, rest = width % n;
    if (width == 0) { /* 2^64 */
        whole = UINT64_MAX / n, rest = UINT64_MAX % n + 1;
        if (rest == n)
            whole++, rest = 0;
    }
    uint64_t edge = low + k * whole + (k * rest + n - 1) / n;
    const uint64_t largest = ref_is_signed(type) ? sign - 1 : sign * 2 - 1;
    if (k == n && edge == largest + 1) /* no sample is above, and the last bin is closed */
        edge = largest;
    memcpy(out, &edge, size);
}

void *ref_histogram_edges(clp_type type, const clp_bins *bins) {
    const size_t size = clp_type_size(type);
    char *edges = ref_allocate((bins->count + 1) * size);
    for (size_t k = 0; k <= bins->count; k++)
        even_edge(type, bins, k, edges + k * size);
    return edges;
}

/* @return a bin, or count (below), count + 1 (above), count + 2 (NaN) */
static size_t bin_of(clp_type type, const void *edges, size_t count, const void *in, size_t i) {
    const int64_t x = place(type, in, i);
    size_t low = 0;
    if (is_nan(type, in, i))
        return count + 2;
    if (x < place(type, edges, 0))
        return count;
    if (x > place(type, edges, count))
        return count + 1;
    for (size_t left = count; left > 1;) { /* the bin is one of so many from low on */
        const size_t lower = left / 2;
        if (place(type, edges, low + lower) <= x)
            low += lower;
        left -= lower;
    }
    return low;
}

static uint64_t weight_of(const clp_histogram_desc *desc, const void *weights, size_t i) {
    return desc->weight ? (uint64_t)ref_integer(desc->weight, weights, i) : 1;
}

static void add(clp_type count, uint64_t value, void *counts, size_t i) {
    const size_t size = count == CLP_U32 || count == CLP_I32 ? 4 : 8;
    uint64_t sum = 0;
    memcpy(&sum, (char *)counts + i * size, size);
    sum += value;
    memcpy((char *)counts + i * size, &sum, size);
}

void ref_histogram(const clp_histogram_desc *desc, const void *const *edges, const void *in,
                   const void *weights, size_t n, void *counts, void *outside) {
    const size_t channels = desc->channels ? desc->channels : 1;
    const size_t active = desc->active ? desc->active : channels;
    size_t first = 0;
    for (size_t c = 0; c < active; c++) {
        const size_t from = desc->bins[c].count ? c : 0, count = desc->bins[from].count;
        const void *given = edges ? edges[from] : NULL;
        void *even = given ? NULL : ref_histogram_edges(desc->type, &desc->bins[from]);
        const void *table = given ? given : even;
        for (size_t p = 0; p < n; p++) {
            const size_t i = p * channels + c, bin = bin_of(desc->type, table, count, in, i);
            if (bin < count)
                add(desc->count, weight_of(desc, weights, i), counts, first + bin);
            else if (outside)
                add(desc->count, weight_of(desc, weights, i), outside, 3 * c + bin - count);
        }
        first += count;
        free(even);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * histogram_bytes.cl: histograms of bytes of one channel without weights, whatever the bins: all 256 values are counted,
 * and what a value's bin is, is asked once for each row.
 *
 * Algorithm:
 *   simt  each work-item has 256 counters of one byte of its own in local memory, four in a word: that of value v is byte
 *         v / 64 of word v % 64 · work-group size + i, so that each neighbour has a bank of its own, whatever the values
 *         are, and an address is made of two fields of a byte. One that overflows gives 256 to the work-group's sums; in the end
 *         the columns are added up, two 16-bit halves of a word at a time
 *   simd  a work-item counts in eight tables of its own, so that equal neighbours do not wait for each other
 * Launch, arguments: as histogram.cl's; counters has 64 · CLP_WG_SIZE + 256 words of local memory (simt shape).
 * Preconditions: CLP_WG_SIZE at most 256 (simt shape).
 *
 * Macros: prelude.cl's and histogram_bins.cl's.
 */
#include "prelude.cl"
#include "order.cl"
#include "operators.cl"
#include "team.cl"
#include "histogram_bins.cl"
#include "histogram_edges.cl"

#if CLP_WEIGHT
#error "bytes with weights are histogram.cl's"
#endif
#if !CLP_SIMD && CLP_WG_SIZE > 256
#error "halves of 16 bits hold the sums of 256 work-items"
#endif

#define CLP_MOST_HELD (1u << 30)
#define CLP_MIN_UINT(a, b) ((a) < (b) ? (a) : (b))

/* Gives the count of one value to the row's sums. */
static inline void clp_give_value(const clp_sums *sums, ulong row, uint value, uint count, const __global CLP_KEY *table,
                                  float scale) {
    if (count != 0)
        clp_give_slot(sums, row, 0, 0, clp_bin__global((CLP_T)value, table, sums->bins.x, scale), count);
}

#if CLP_SIMD

#define CLP_TABLES 8

typedef struct {
    uint of[CLP_TABLES][256];
} clp_tables;

static inline void clp_give_all(const clp_sums *sums, ulong row, clp_tables *tables, const __global CLP_KEY *table,
                                float scale) {
    for (uint value = 0; value < 256; value++) {
        uint count = 0;
        for (uint t = 0; t < CLP_TABLES; t++) {
            count += tables->of[t][value];
            tables->of[t][value] = 0;
        }
        clp_give_value(sums, row, value, count, table, scale);
    }
}

#define CLP_COUNT_WORD(word, table)                                                                          \
    do {                                                                                                     \
        tables->of[(table)][(word) & 255u]++;                                                                \
        tables->of[(table) + 1][(word) >> 8 & 255u]++;                                                       \
        tables->of[(table) + 2][(word) >> 16 & 255u]++;                                                      \
        tables->of[(table) + 3][(word) >> 24]++;                                                             \
    } while (0)

static inline void clp_count_part(const __global uchar *x, uint samples, clp_tables *tables) {
    uint i = 0;
    for (; i + 16 <= samples; i += 16) {
        const uint4 words = as_uint4(vload16(0, x + i));
        CLP_COUNT_WORD(words.x, 0);
        CLP_COUNT_WORD(words.y, 4);
        CLP_COUNT_WORD(words.z, 0);
        CLP_COUNT_WORD(words.w, 4);
    }
    for (; i < samples; i++)
        tables->of[0][x[i]]++;
}

#else

/* Vectors of 16 bytes that a work-item has under way at a time. */
#define CLP_VECTORS 8u

/* Where the counter of the byte at `shift` of a word is in a column. */
static inline uint clp_place_of(uint word, uint shift) {
    const uint value = word >> shift;
    return (value & 63u) * (4u * CLP_WG_SIZE) + (value >> 6 & 3u);
}

/*
 * One more at a place in the work-item's own column; @return the new count, 256 if it is 0 again. Nobody else touches
 * it, so it needs no atomic (which takes NVIDIA's local memory longer than a load and a store).
 */
static inline uint clp_one_more(volatile __local uchar *column, uint place) {
    const uint count = column[place] + 1u;
    column[place] = (uchar)count;
    return count;
}

/* A counter that is 0 again has had 256. */
static inline void clp_count_byte(volatile __local uchar *column, volatile __local uint *totals, uint byte) {
    if (clp_one_more(column, clp_place_of(byte, 0)) == 256u)
        atomic_add(totals + byte, 256u);
}

static inline void clp_count_word(volatile __local uchar *column, volatile __local uint *totals, uint word) {
    const uint a = clp_one_more(column, clp_place_of(word, 0)), b = clp_one_more(column, clp_place_of(word, 8));
    const uint c = clp_one_more(column, clp_place_of(word, 16)), d = clp_one_more(column, clp_place_of(word, 24));
    if ((a | b | c | d) & 256u) {
        atomic_add(totals + (word & 255u), a & 256u);
        atomic_add(totals + (word >> 8 & 255u), b & 256u);
        atomic_add(totals + (word >> 16 & 255u), c & 256u);
        atomic_add(totals + (word >> 24), d & 256u);
    }
}

static inline void clp_count_vector(volatile __local uchar *column, volatile __local uint *totals, uint4 vector) {
    clp_count_word(column, totals, vector.x);
    clp_count_word(column, totals, vector.y);
    clp_count_word(column, totals, vector.z);
    clp_count_word(column, totals, vector.w);
}

/* Adds the columns up: a work-item takes a word of a range of columns, neighbours at different banks. */
static inline void clp_add_up(volatile __local uint *columns, volatile __local uint *totals) {
    const uint ranges = CLP_WG_SIZE < 128 ? 1u : CLP_WG_SIZE / 64, width = (CLP_WG_SIZE + ranges - 1) / ranges;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint task = (uint)get_local_id(0); task < 64 * ranges; task += CLP_WG_SIZE) {
        const uint word = task % 64, first = task / 64 * width;
        const uint there = first < CLP_WG_SIZE ? CLP_MIN_UINT(width, CLP_WG_SIZE - first) : 0u;
        __local uint *row = (__local uint *)columns + word * CLP_WG_SIZE + first;
        const uint begin = there ? word % there : 0;
        uint even = 0, odd = 0;
#pragma unroll 8
        for (uint i = 0; i < there; i++) {
            const uint at = begin + i < there ? begin + i : begin + i - there, four = row[at];
            row[at] = 0;
            even += four & 0x00ff00ffu;
            odd += four >> 8 & 0x00ff00ffu;
        }
        atomic_add(totals + word, even & 0xffffu);
        atomic_add(totals + word + 64, odd & 0xffffu);
        atomic_add(totals + word + 128, even >> 16);
        atomic_add(totals + word + 192, odd >> 16);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

static inline void clp_give_all(const clp_sums *sums, ulong row, volatile __local uint *columns,
                                volatile __local uint *totals, const __global CLP_KEY *table, float scale) {
    clp_add_up(columns, totals);
    for (uint value = (uint)get_local_id(0); value < 256; value += CLP_WG_SIZE) {
        clp_give_value(sums, row, value, totals[value], table, scale);
        totals[value] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

static inline void clp_count_part(const __global uchar *x, uint samples, volatile __local uint *columns,
                                  volatile __local uint *totals) {
    const uint item = (uint)get_local_id(0);
    volatile __local uchar *column = (volatile __local uchar *)(columns + item);
    const uint head = CLP_MIN_UINT(samples, (uint)(-(size_t)x & 15));
    const uint vectors = (samples - head) / 16, tail = samples - head - 16 * vectors;
    const __global uint4 *v = (const __global uint4 *)(x + head);
    for (uint i = item; i < head; i += CLP_WG_SIZE)
        clp_count_byte(column, totals, x[i]);
    for (uint i = item; i < tail; i += CLP_WG_SIZE)
        clp_count_byte(column, totals, x[samples - tail + i]);
    uint begin = 0;
    for (; begin + CLP_VECTORS * CLP_WG_SIZE <= vectors; begin += CLP_VECTORS * CLP_WG_SIZE) {
        uint4 batch[CLP_VECTORS]; /* all loads are under way before the first is counted */
#pragma unroll
        for (uint i = 0; i < CLP_VECTORS; i++)
            batch[i] = v[begin + i * CLP_WG_SIZE + item];
#pragma unroll
        for (uint i = 0; i < CLP_VECTORS; i++)
            clp_count_vector(column, totals, batch[i]);
    }
    for (uint i = begin + item; i < vectors; i += CLP_WG_SIZE)
        clp_count_vector(column, totals, v[i]);
}

#endif

CLP_KERNEL void clp_histogram_bytes(const __global CLP_T *in, ulong in_offset, const __global uint *weights,
                                    ulong weights_offset, const __global uint *lengths, ulong lengths_offset,
                                    uint has_lengths, ulong columns, ulong stride, ulong part, ulong parts, ulong units,
                                    uint channels, uint active, uint4 all_bins, float4 scales,
                                    const __global CLP_KEY *table, ulong table_offset, volatile __global CLP_C *counts,
                                    ulong counts_offset, ulong total, volatile __global CLP_C *outside,
                                    ulong outside_offset, uint has_outside, uint joined, __global uint *memory,
                                    ulong memory_offset, uint slots, uint copies, uint near_edges,
                                    volatile __local uint *counters, __local CLP_KEY *near) {
    const ulong team = CLP_TEAM_ID, teams = CLP_TEAM_COUNT, end = (team + 1) * units / teams;
    clp_sums sums;
    sums.counts = counts + counts_offset, sums.outside = outside + outside_offset;
    sums.total = total, sums.channels = active, sums.has_outside = has_outside, sums.bins = all_bins;
    table += table_offset;
    ulong row_before = team * units / teams / parts;
    uint held = 0;
#if CLP_SIMD
    clp_tables tables;
    for (uint t = 0; t < CLP_TABLES; t++)
        for (uint value = 0; value < 256; value++)
            tables.of[t][value] = 0;
#define CLP_GIVE_ALL(row) clp_give_all(&sums, joined ? 0 : (row), &tables, table, scales.x)
#else
    volatile __local uint *sums_here = counters + 64 * CLP_WG_SIZE;
    for (uint s = (uint)get_local_id(0); s < 64 * CLP_WG_SIZE + 256; s += CLP_WG_SIZE)
        counters[s] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
#define CLP_GIVE_ALL(row) clp_give_all(&sums, joined ? 0 : (row), counters, sums_here, table, scales.x)
#endif
    for (ulong unit = team * units / teams; unit < end; unit++) {
        const ulong row = unit / parts, begin = unit % parts * part;
        const uint samples = (uint)clp_part(begin, part, columns, lengths + lengths_offset, has_lengths, row);
        const __global uchar *x = (const __global uchar *)(in + in_offset + row * stride + begin);
        if ((row != row_before && !joined) || held + samples > CLP_MOST_HELD) {
            CLP_GIVE_ALL(row_before);
            held = 0;
        }
        held += samples;
        row_before = row;
#if CLP_SIMD
        clp_count_part(x, samples, &tables);
#else
        clp_count_part(x, samples, counters, sums_here);
#endif
    }
    CLP_GIVE_ALL(row_before);
    (void)weights, (void)weights_offset, (void)channels, (void)memory, (void)memory_offset;
    (void)slots, (void)copies, (void)near_edges, (void)near, (void)counters;
}

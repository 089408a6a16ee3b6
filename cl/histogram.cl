/* SPDX-License-Identifier: Apache-2.0 */
/*
 * histogram.cl: histograms of any element type, of interleaved channels, with weights or without.
 *
 * Algorithm: rows are cut into parts, and each team takes a run of neighbouring parts. It counts in private copies, and
 * adds them to the sums when the row is done: in the simt shape in local memory, in `copies` copies of each counter, one
 * beside the other, which neighbouring work-items take in turn; in the simd shape in global memory of its own, without
 * atomics. Where there are too many bins for that (slots is 0), every sample is added to the sums themselves.
 *
 * Launch: one-dimensional; clp_histogram_prepare first. The number of work-groups is free.
 * Local memory, simt shape, as arguments: counters, slots · copies words, or twice that (weights and 64-bit sums);
 * near, all edges if near_edges, else anything.
 * Preconditions: less than 2^27 samples in a part; slots: the bins of all active channels and 3 for each, or 0; copies: a
 * power of 2; simd shape: 2 · slots words of 32 bits for each team in `own`, or slots of 64.
 *
 * Macros: prelude.cl's and histogram_bins.cl's.
 */
#include "prelude.cl"
#include "order.cl"
#include "operators.cl"
#include "team.cl"
#include "histogram_bins.cl"
#include "histogram_edges.cl"

/* Counters of 64 bits: only weights can bring more than 32 together before a team gives its counts away. */
#define CLP_LONG (CLP_WIDE && CLP_WEIGHT)
#define CLP_MOST_HELD (1u << 30)

#if CLP_WEIGHT == 2 && CLP_WIDE
#define CLP_WEIGHT_OF(weight) ((ulong)(long)as_int(weight))
#else
#define CLP_WEIGHT_OF(weight) ((ulong)(weight))
#endif

#if CLP_SIMD
#if CLP_LONG
typedef ulong clp_counter;
#else
typedef uint clp_counter;
#endif
#else
typedef uint clp_counter;
CLP_DEFINE_BINS(__local)
#if CLP_LONG
CLP_DEFINE_ADD(__local)
#endif
#endif

/* One more in a private copy. */
#if CLP_SIMD
#define CLP_ADD_OWN(slot, weight) (own[slot] += (clp_counter)CLP_WEIGHT_OF(weight))
#elif CLP_LONG
#define CLP_ADD_OWN(slot, weight) clp_add_words__local(counters + (((slot) * copies + copy) << 1), CLP_WEIGHT_OF(weight))
#else
#define CLP_ADD_OWN(slot, weight) atomic_add(counters + ((slot) * copies + copy), weight)
#endif
#define CLP_ADD_HERE(slot, weight) CLP_ADD_OWN(slots_before + (slot), weight)
#define CLP_ADD_THERE(slot, weight) clp_give_slot(&sums, joined ? 0 : row, c, bins_before, slot, CLP_WEIGHT_OF(weight))

/* Gives all private counts to the sums of a row and begins anew; by the whole team. */
#if CLP_SIMD
static inline void clp_give_all(const clp_sums *sums, ulong row, __global clp_counter *own, uint slots)
#else
static inline void clp_give_all(const clp_sums *sums, ulong row, volatile __local uint *counters, uint slots, uint copies)
#endif
{
#if CLP_SIMD
    const uint first = 0, step = 1;
#else
    const uint first = (uint)get_local_id(0), step = CLP_WG_SIZE;
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    for (uint s = first; s < slots; s += step) {
        ulong count = 0;
#if CLP_SIMD
        count = own[s];
        own[s] = 0;
#else
        for (uint i = 0; i < copies; i++) {
            const uint at = s * copies + (i + first) % copies; /* neighbours begin at different banks */
#if CLP_LONG
            count += counters[2 * at] | (ulong)counters[2 * at + 1] << 32;
            counters[2 * at] = 0, counters[2 * at + 1] = 0;
#else
            count += counters[at];
            counters[at] = 0;
#endif
        }
#endif
        uint c = 0, before = 0, slot = s;
        while (slot >= clp_pick(sums->bins, c) + 3) {
            slot -= clp_pick(sums->bins, c) + 3;
            before += clp_pick(sums->bins, c);
            c++;
        }
        if (count != 0)
            clp_give_slot(sums, row, c, before, slot, count);
    }
#if !CLP_SIMD
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
}

CLP_KERNEL void clp_histogram_count(const __global CLP_T *in, ulong in_offset, const __global uint *weights,
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
    (void)counters, (void)near, (void)copies, (void)near_edges;
    __global clp_counter *own = (__global clp_counter *)(memory + memory_offset + team * slots * 2);
    for (uint s = 0; s < slots; s++)
        own[s] = 0;
#define CLP_GIVE_ALL(row) clp_give_all(&sums, joined ? 0 : (row), own, slots)
#else
    (void)memory, (void)memory_offset;
    const uint item = (uint)get_local_id(0), copy = item & (copies - 1);
    for (uint s = item; s < slots * copies * (CLP_LONG ? 2 : 1); s += CLP_WG_SIZE)
        counters[s] = 0;
    if (near_edges) {
        uint edges = 0;
        for (uint c = 0; c < active; c++)
            edges += clp_pick(all_bins, c) + 1;
        for (uint k = item; k < edges; k += CLP_WG_SIZE)
            near[k] = table[k];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#define CLP_GIVE_ALL(row) clp_give_all(&sums, joined ? 0 : (row), counters, slots, copies)
#endif
    for (ulong unit = team * units / teams; unit < end; unit++) {
        const ulong row = unit / parts, begin = unit % parts * part;
        const uint samples = (uint)clp_part(begin, part, columns, lengths + lengths_offset, has_lengths, row) * channels;
        const __global CLP_T *x = in + in_offset + row * stride + begin * channels;
#if CLP_WEIGHT
        const __global uint *w = weights + weights_offset + row * stride + begin * channels;
#endif
        if (slots && ((row != row_before && !joined) || held + samples > CLP_MOST_HELD)) {
            CLP_GIVE_ALL(row_before);
            held = 0;
        }
        held += samples;
        row_before = row;
        /* A work-item keeps its channel: it goes on by a multiple of the channels. */
#if CLP_SIMD
        const uint step = channels;
        for (uint first = 0; first < active; first++) {
            const uint c = first;
#else
        const uint step = CLP_WG_SIZE / channels * channels > 0 ? CLP_WG_SIZE / channels * channels : channels;
        for (uint first = item; first < step; first += CLP_WG_SIZE) {
            const uint c = first % channels;
            if (c >= active)
                continue;
#endif
            const uint bins = clp_pick(all_bins, c);
            const float scale = c == 0 ? scales.x : c == 1 ? scales.y : c == 2 ? scales.z : scales.w;
            uint bins_before = 0;
            for (uint i = 0; i < c; i++)
                bins_before += clp_pick(all_bins, i);
            const uint slots_before = bins_before + 3 * c, edges_before = bins_before + c;
#define CLP_BIN_OF clp_bin__global
#define CLP_EDGES (table + edges_before)
            if (slots == 0) {
#define CLP_COUNT CLP_ADD_THERE
#include "histogram_run.cl"
#undef CLP_COUNT
#define CLP_COUNT CLP_ADD_HERE
#if !CLP_SIMD
            } else if (near_edges) {
#undef CLP_BIN_OF
#undef CLP_EDGES
#define CLP_BIN_OF clp_bin__local
#define CLP_EDGES (near + edges_before)
#include "histogram_run.cl"
#undef CLP_BIN_OF
#undef CLP_EDGES
#define CLP_BIN_OF clp_bin__global
#define CLP_EDGES (table + edges_before)
#endif
            } else {
#include "histogram_run.cl"
            }
        }
    }
    if (slots)
        CLP_GIVE_ALL(row_before);
    (void)weights, (void)weights_offset;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * select.cl: stream compaction, partition, and the first elements of runs.
 *
 * Algorithm, in three launches (schedule "levels"): the array is cut into parts of `part` elements.
 *   clp_select_counts  how many elements of each part are kept
 *   clp_select_spine   one team: how many are kept before each part, and in all
 *   clp_select_apply   each part again: its elements to their places. With `single` one team does all parts and needs
 *                      no counts (schedule "single"); it may work in place, for no output comes after its element
 * Launch: one-dimensional, a team a part, see team.cl; teams beyond the last part idle. The spine: one team.
 * Local memory: the spine and the counts CLP_WG_SIZE words, apply a tile of elements besides; none in the simd shape.
 * Counts are exact, so that any division into parts gives the same outputs.
 *
 * Macros besides prelude.cl's:
 *   CLP_T, CLP_W    types of elements and of the second array's, as they lie in memory; CLP_W is uchar without one
 *   CLP_BY          1: by the predicate clp_user_transform(x, i, s); 2: by flags in the second array; 3: those that
 *                   differ from the element before them
 *   CLP_SEE, CLP_SEE_SECOND   names of the conversions of x and s to what a predicate sees, CLP_SEE also to what tells
 *                   floats apart
 *   CLP_PAIRED      1: there is a second array for the predicate
 *   CLP_OUT         type of an output; CLP_INDICES 1: outputs are indices
 *   CLP_OTHERS      0: others are dropped; 1: they are written too (partition); 2: the second array's elements go with
 *                   those that are kept (unique by key)
 *   CLP_OUT_BITS    its size
 *   CLP_C           type of the count
 *   CLP_ITEMS       simt shape: elements of a work-item in a tile
 */
#include "prelude.cl"
#include "order.cl"
#include "operators.cl"
#include "user.cl"
#include "team.cl"
#include "compress.cl"
#include "places.cl"

#include "select_keep.cl"

#ifndef CLP_ITEMS
#error "CLP_ITEMS must be a number"
#endif

/* Which elements this team has. */
#define CLP_PART_BEGIN(p) min((p) * part, n)
#define CLP_PART_END(p) min((p) * part + part, n)

CLP_KERNEL void clp_select_counts(const __global CLP_T *in, ulong in_offset, const __global CLP_W *second,
                                  ulong second_offset, ulong n, ulong part, __global ulong *counts,
                                  ulong counts_offset) {
    const ulong p = CLP_TEAM_ID, end = CLP_PART_END(p);
    in += in_offset;
    second += second_offset;
    counts += counts_offset;
#if CLP_SIMD
    if (p * part >= n)
        return;
    uint kept = 0;
    for (ulong i = p * part; i < end; i++)
        kept += clp_keep(in, second, i);
    counts[p] = kept;
#else
    __local uint sums[CLP_WG_SIZE];
    uint own = 0, kept;
    for (ulong i = CLP_PART_BEGIN(p) + get_local_id(0); i < end; i += CLP_WG_SIZE)
        own += clp_keep(in, second, i);
    clp_before(own, sums, &kept);
    if (CLP_TEAM_LEADER && p * part < n)
        counts[p] = kept;
#endif
}

CLP_DEFINE_SPINE(clp_spine_counts, CLP_ADD_COUNTS)

/* Replaces each of so many counts by the sum of those before it, and writes the total behind them and to *count. */
CLP_KERNEL void clp_select_spine(__global ulong *counts, ulong counts_offset, ulong parts, __global CLP_C *count,
                                 ulong count_offset) {
    ulong all;
    counts += counts_offset;
#if CLP_SIMD
    if (get_global_id(0) > 0)
        return;
    const uint teller = clp_spine_counts(counts, parts, &all);
#else
    __local ulong sums[CLP_WG_SIZE];
    const uint teller = clp_spine_counts(counts, parts, sums, &all);
#endif
    if (teller) {
        counts[parts] = all;
        count[count_offset] = (CLP_C)all;
    }
}

#if CLP_SIMD && CLP_OTHERS == 1
/* The elements begin … end − 1: kept ones from *out on, others from *rejected on. */
static inline void clp_move(const __global CLP_T *in, const __global CLP_W *second, ulong begin, ulong end,
                            __global CLP_OUT *out, __global CLP_OUT *rejected) {
    for (ulong i = begin; i < end; i++) {
        const uint keep = clp_keep(in, second, i);
        __global CLP_OUT *to = keep ? out : rejected;
        *to = CLP_OUTPUT(in[i], i);
        out += keep;
        rejected += 1 - keep;
    }
}
#elif CLP_SIMD
#if CLP_OTHERS == 2
#define CLP_WRITE(i) (out[k] = CLP_OUTPUT(in[i], i), values[k] = second[i])
#else
#define CLP_WRITE(i) (out[k] = CLP_OUTPUT(in[i], i))
#endif
/*
 * The elements begin … end − 1: kept ones from out[k] on, up to out[stop]. Returns where the next one would go.
 * fast: stop is where the last one ends. Then there are no branches on each element: the place where the next one goes is
 * written anyway.
 */
static inline ulong clp_move(const __global CLP_T *in, const __global CLP_W *second, ulong begin, ulong end,
                             __global CLP_OUT *out, __global CLP_W *values, ulong k, ulong stop, uint fast) {
    ulong i = begin;
    for (; fast && i + 16 <= end && k + 16 <= stop; i += 16) {
        uint keep = 0;
        for (uint lane = 0; lane < 16; lane++)
            keep |= clp_keep(in, second, i + lane) << lane;
#if CLP_CAN_COMPRESS && CLP_OUT_BITS == 32 && !CLP_INDICES && CLP_OTHERS == 0
        vstore16(clp_compress16(vload16(0, (const __global uint *)(in + i)), (ushort)keep), 0,
                 (__global uint *)(out + k));
        k += popcount(keep);
#else
        if (keep)
            for (uint lane = 0; lane < 16; lane++) {
                CLP_WRITE(i + lane);
                k += keep >> lane & 1u;
            }
#endif
    }
    for (; i < end; i++)
        if (clp_keep(in, second, i)) {
            if (k < stop)
                CLP_WRITE(i);
            k++;
        }
    (void)values;
    return k;
}
#endif

/*
 * others, behind: with CLP_OTHERS 1 where rejected ones go, behind the kept ones if behind; with 2 where values go.
 * single: there is one part, and counts are not there.
 */
CLP_KERNEL void clp_select_apply(const __global CLP_T *in, ulong in_offset, const __global CLP_W *second,
                                 ulong second_offset, __global CLP_OUT *out, ulong out_offset, ulong capacity,
                                 __global void *others, ulong others_offset, uint behind, ulong n, ulong part,
                                 ulong parts, const __global ulong *counts, ulong counts_offset, uint single,
                                 __global CLP_C *count, ulong count_offset) {
    const ulong p = CLP_TEAM_ID, begin = CLP_PART_BEGIN(p), end = CLP_PART_END(p);
    in += in_offset;
    second += second_offset;
    out += out_offset;
    counts += counts_offset;
    ulong k = 0;
    if (!single && p < parts)
        k = counts[p];
#if CLP_OTHERS == 1
    __global CLP_OUT *rejected = (__global CLP_OUT *)others + others_offset;
    if (behind)
        rejected += counts[parts];
    const ulong r = begin - k; /* rejected ones before this part */
#else
    __global CLP_W *values = (__global CLP_W *)others + others_offset;
#endif
#if CLP_SIMD
    if (single ? p > 0 : begin >= end)
        return;
#if CLP_OTHERS == 1
    clp_move(in, second, begin, end, out + k, rejected + r);
#else
    const ulong stop = single ? capacity : min(capacity, counts[p + 1]);
    k = clp_move(in, second, begin, end, out, values, k, stop, !single);
#endif
#else
    __local CLP_OUT tile[CLP_WG_SIZE * CLP_ITEMS];
#if CLP_OTHERS == 2
    __local CLP_W with[CLP_WG_SIZE * CLP_ITEMS];
#endif
    __local uint sums[CLP_WG_SIZE];
    const uint first = (uint)get_local_id(0) * CLP_ITEMS;
#if CLP_OTHERS == 1
    rejected += r;
#endif
    for (ulong t = begin; t < end; t += CLP_WG_SIZE * CLP_ITEMS) {
        const uint there = (uint)min((ulong)(CLP_WG_SIZE * CLP_ITEMS), end - t);
        uint keep = 0, kept, place;
        for (uint j = 0; j < CLP_ITEMS; j++)
            if (first + j < there)
                keep |= clp_keep(in, second, t + first + j) << j;
        place = clp_before(popcount(keep), sums, &kept);
        for (uint j = 0; j < CLP_ITEMS; j++) {
            const uint mine = keep >> j & 1u;
#if CLP_OTHERS == 1
            const uint moved = first + j < there, at = mine ? place : kept + first + j - place;
#else
            const uint moved = mine, at = place;
#endif
            if (moved) {
                tile[at] = CLP_OUTPUT(in[t + first + j], t + first + j);
#if CLP_OTHERS == 2
                with[at] = second[t + first + j];
#endif
            }
            place += mine;
        }
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        for (uint e = (uint)get_local_id(0); e < (CLP_OTHERS == 1 ? there : kept); e += CLP_WG_SIZE) {
#if CLP_OTHERS == 1
            __global CLP_OUT *to = e < kept ? out + k + e : rejected + (e - kept);
            *to = tile[e];
#else
            if (k + e < capacity) {
                out[k + e] = tile[e];
#if CLP_OTHERS == 2
                values[k + e] = with[e];
#endif
            }
#endif
        }
        k += kept;
#if CLP_OTHERS == 1
        rejected += there - kept;
#endif
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
#endif
    if (single && p == 0 && CLP_TEAM_LEADER)
        count[count_offset] = (CLP_C)k;
#if CLP_OTHERS == 1
    (void)capacity;
#else
    (void)values, (void)behind;
#endif
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reduce_segments.cl: reduction of each segment of an array, told by offsets that only the device knows.
 *
 * Algorithm: see reduce_tree.cl; each segment is a tree of its own. Work is shared by elements:
 *   clp_segments_begin    clears the four counters
 *   clp_segments_short    segments of one tile are finished, many by one work-group; longer ones are listed, cut
 *                         into pieces of CLP_SEGMENT_PIECE tiles
 *   clp_segments_pieces   tile totals of all pieces, which all teams share
 *   clp_segments_finish   the further levels of each listed segment, a team each
 *   clp_segments_rest     segments that overlap may be more than the lists hold: one team works off what is over
 * The order of the lists depends on timing; results do not depend on it.
 * Launch: one-dimensional, any number of teams; clp_segments_begin, clp_segments_rest: one work-group. Local memory: CLP_SCRATCH
 * accumulators.
 */
#include "reduce_tree.cl"

#define CLP_SEGMENT_PIECE 8u /* a multiple of CLP_STEP_TILES or smaller: both are powers of two */
#define CLP_SEGMENT_RUN 16u /* pieces of an entry of the list */

#include "segments.cl"

/* Totals of a tree of n elements on all its levels. */
static inline uint clp_totals_of(ulong n) {
    ulong level = clp_tiles_of(n), sum = level;
    for (uint depth = 0; !CLP_IS_ROOT(level, depth); depth++) {
        level = CLP_PARENTS(level, depth);
        sum += level;
    }
    return (uint)sum;
}

static inline void clp_list_long(const clp_segments_job *job, volatile __global uint *counters, ulong k, ulong n) {
    clp_list(job, counters, k, (uint)clp_ceil_div(clp_tiles_of(n), CLP_SEGMENT_PIECE), clp_totals_of(n));
}

CLP_KERNEL void clp_segments_begin(__global char *lists, ulong lists_at) {
    clp_clear_counters(lists, lists_at);
}

#if CLP_ORDERED
/* A tile is a tree of more levels, on which it meets the identity only. */
static inline CLP_A clp_tile_root(CLP_A total, CLP_A pad) {
    for (uint children = CLP_ORDERED_CHILDREN * CLP_ORDERED_CHILDREN; children > 1; children /= 2)
        total = clp_any_op(total, pad);
    return total;
}
#else
#define clp_tile_root(total, pad) (total)
#endif

CLP_KERNEL void clp_segments_short(const __global CLP_T *in, const __global CLP_T *second,
                                   const __global uint *offsets, const __global uint *ends, __global CLP_R *out,
                                   __global char *lists, ulong lists_at, CLP_A pad, CLP_R empty, clp_segments_job job) {
    volatile __global uint *counters = (volatile __global uint *)(lists + lists_at);
    in += job.in_offset;
    second += job.second_offset;
    out += job.out_offset;
#if CLP_SIMD
    for (ulong k = CLP_TEAM_ID; k < job.count; k += CLP_TEAM_COUNT) {
        const clp_segment at = clp_segment_of(&job, offsets, ends, k);
        if (at.n > CLP_TILE)
            clp_list_long(&job, counters, k, at.n);
        else
#if CLP_ORDERED
            out[k] = clp_result(
                clp_tile_root(clp_fold_elements_tile(in + at.begin, second + at.begin, at.n, 0, pad), pad), at.n, empty);
#else
            out[k] = clp_result(clp_fold_elements_tile(in + at.begin, second + at.begin, at.n, 0,
                                                       CLP_ELEMENT_PAD(pad)),
                                at.n, empty);
#endif
    }
#else
    const uint local_id = (uint)get_local_id(0);
    __local CLP_A scratch[CLP_SCRATCH];
    for (ulong first = (ulong)CLP_TEAM_ID * CLP_STEP_TILES; first < job.count;
         first += (ulong)CLP_TEAM_COUNT * CLP_STEP_TILES) {
#if CLP_ORDERED
        const clp_segment at = clp_segment_of(&job, offsets, ends, first);
        const CLP_A total = clp_fold_elements_tile(in + at.begin, second + at.begin, min(at.n, (ulong)CLP_TILE), 0, pad,
                                                   scratch);
        if (local_id == 0 && at.n <= CLP_TILE)
            out[first] = clp_result(clp_tile_root(total, pad), at.n, empty);
#elif CLP_SUBGROUPS != 1
        const uint tile = local_id / CLP_ITEMS, place = local_id % CLP_ITEMS;
        const ulong k = tile < CLP_STEP_TILES ? first + tile : job.count;
        const clp_segment at = clp_segment_of(&job, offsets, ends, k);
        const CLP_ELEMENT_TOTAL total = clp_fold_elements_join(
            clp_fold_elements_lanes(in + at.begin, second + at.begin, at.n > CLP_TILE ? 0 : at.n, 0, place, pad));
        if (k < job.count && place == 0 && at.n <= CLP_TILE)
            out[k] = clp_result(CLP_ELEMENT_ROOT(total), at.n, empty);
        (void)scratch;
#else
        __local CLP_ELEMENT_TOTAL *lanes = (__local CLP_ELEMENT_TOTAL *)scratch;
        for (uint item = local_id; item < CLP_STEP_TILES * CLP_ITEMS; item += CLP_WG_SIZE) {
            const clp_segment at = clp_segment_of(&job, offsets, ends, first + item / CLP_ITEMS);
            CLP_V_TO(CLP_ELEMENT_TOTAL, CLP_V,
                     clp_fold_elements_lanes(in + at.begin, second + at.begin, at.n > CLP_TILE ? 0 : at.n, 0,
                                             item % CLP_ITEMS, pad),
                     item, lanes);
        }
        clp_fold_elements_join(lanes, CLP_STEP_TILES);
        for (uint tile = local_id; tile < CLP_STEP_TILES; tile += CLP_WG_SIZE) {
            const clp_segment at = clp_segment_of(&job, offsets, ends, first + tile);
            if (first + tile < job.count && at.n <= CLP_TILE)
                out[first + tile] = clp_result(CLP_ELEMENT_ROOT(lanes[tile * CLP_V * CLP_ITEMS]), at.n, empty);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
        for (uint tile = local_id; tile < CLP_STEP_TILES; tile += CLP_WG_SIZE) {
            const clp_segment long_one = clp_segment_of(&job, offsets, ends, first + tile);
            if (long_one.n > CLP_TILE)
                clp_list_long(&job, counters, first + tile, long_one.n);
        }
    }
#endif
}

CLP_KERNEL void clp_segments_pieces(const __global CLP_T *in, const __global CLP_T *second,
                                    const __global uint *offsets, const __global uint *ends,
                                    __global char *lists, ulong lists_at, __global CLP_A *totals, CLP_A pad,
                                    clp_segments_job job) {
    const __global uint *counters = (const __global uint *)(lists + lists_at);
    __local CLP_A scratch[CLP_SCRATCH];
    const ulong units = (ulong)min(counters[CLP_NUM_ENTRIES], job.max_entries) * CLP_SEGMENT_RUN;
    for (ulong unit = CLP_TEAM_ID; unit < units; unit += CLP_TEAM_COUNT) {
        const uint2 entry = CLP_ENTRY_LIST[unit / CLP_SEGMENT_RUN];
        ulong2 listed = (ulong2)(job.count, 0);
        if (entry.x < job.max_longs)
            listed = CLP_LONG_LIST[entry.x];
        const clp_segment at = clp_segment_of(&job, offsets, ends, listed.x);
        const ulong tiles = at.n == 0 ? 0 : clp_tiles_of(at.n);
        const ulong start = ((ulong)entry.y + unit % CLP_SEGMENT_RUN) * CLP_SEGMENT_PIECE;
        clp_fold_tiles(in + job.in_offset + at.begin, second + job.second_offset + at.begin, at.n, start,
                       min(tiles, start + CLP_SEGMENT_PIECE), pad, totals + job.totals_offset + listed.y, scratch);
    }
}

CLP_KERNEL void clp_segments_finish(const __global uint *offsets, const __global uint *ends, __global CLP_R *out,
                                    __global char *lists, ulong lists_at, __global CLP_A *totals, CLP_A pad,
                                    CLP_R empty, clp_segments_job job) {
    const __global uint *counters = (const __global uint *)(lists + lists_at);
    __local CLP_A scratch[CLP_SCRATCH];
    const uint longs = min(counters[CLP_NUM_LONGS], job.max_longs);
    for (uint slot = (uint)CLP_TEAM_ID; slot < longs; slot += (uint)CLP_TEAM_COUNT) {
        const ulong2 listed = CLP_LONG_LIST[slot];
        const clp_segment at = clp_segment_of(&job, offsets, ends, listed.x);
        /* An entry that did not fit is an empty segment, folded where nobody looks, and not stored. */
        const __global CLP_A *root =
            clp_fold_up(totals + (at.n > 0 ? job.totals_offset + listed.y : job.unused_totals_offset),
                        clp_tiles_of(at.n), pad, scratch);
        if (at.n > 0 && CLP_TEAM_LEADER)
            out[job.out_offset + listed.x] = clp_result(*root, at.n, empty);
    }
}

/*
 * One team. A kernel of its own: with both loops in one kernel, PoCL 3.1's work-groups on different threads
 * disturbed each other (seen with many long segments in the simt shape; one thread did not).
 */
CLP_KERNEL void clp_segments_rest(const __global CLP_T *in, const __global CLP_T *second,
                                  const __global uint *offsets, const __global uint *ends, __global CLP_R *out,
                                  __global char *lists, ulong lists_at, __global CLP_A *totals, CLP_A pad, CLP_R empty,
                                  clp_segments_job job) {
    __local CLP_A scratch[CLP_SCRATCH];
    const __global uint *counters = (const __global uint *)(lists + lists_at);
    __global CLP_A *own = totals + job.rest_totals_offset;
    const uint rest = CLP_TEAM_ID == 0 ? counters[CLP_NUM_REST] : 0; /* a work-group has more teams in the simd shape */
    for (uint i = 0; i < rest; i++) {
        const ulong k = CLP_REST_LIST[i];
        const clp_segment at = clp_segment_of(&job, offsets, ends, k);
        clp_fold_tiles(in + job.in_offset + at.begin, second + job.second_offset + at.begin, at.n, 0,
                       clp_tiles_of(at.n), pad, own, scratch);
        const __global CLP_A *root = clp_fold_up(own, clp_tiles_of(at.n), pad, scratch);
        if (CLP_TEAM_LEADER)
            out[job.out_offset + k] = clp_result(*root, at.n, empty);
#if !CLP_SIMD
        barrier(CLK_GLOBAL_MEM_FENCE); /* its totals are written again */
#endif
    }
}

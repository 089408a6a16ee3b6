/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reduce.cl: reduction in the canonical order, for commutative operators; of one array or of many rows.
 *
 * Algorithm: level 0 is the input; the totals of a level's tiles are the elements of the next; the level
 * with one total is the result. Totals of all levels of a row lie one after the other in `totals`.
 *   clp_reduce        folds level 0, a chunk of tiles a team. With climb, the team that finishes the last
 *                     chunk of a tile of totals folds that tile too, and so on: one launch (fused, or
 *                     single with one team a row). Without, level 0 only.
 *   clp_reduce_node   folds one further level (schedule "levels", one row).
 * Launch: one-dimensional; team t works on row t / teams, as that row's team t % teams, teams beyond the
 * last row idle; chunk is a power of two up to CLP_TILE, a multiple of CLP_STEP_TILES in the simt shape or
 * smaller than it. Local memory: CLP_SCRATCH accumulators and a word. State: one counter for each tile of
 * totals, all 0 before and after.
 *
 * Macros besides prelude.cl's and lanes.cl's:
 *   CLP_T, CLP_B, CLP_R       types of elements, of a lane's rows, of the result
 *   CLP_LOAD, CLP_WIDEN       names of the conversions T to B and B to CLP_A, see fold.cl
 *   CLP_STORE                 name of the conversion CLP_A to CLP_R
 *   CLP_PAIRED                1: a second array takes part (dot product)
 *   CLP_STEP_TILES            tiles that a work-group folds at a time: a power of two
 *   CLP_V, CLP_ITEMS, CLP_BATCH                 of elements, see fold.cl
 *   CLP_NODE_V, CLP_NODE_ITEMS, CLP_NODE_BATCH  of totals
 */
#include "prelude.cl"
#include "order.cl"
#include "operators.cl"
#include "arithmetic.cl"
#include "subgroups.cl"
#include "team.cl"

#if !defined(CLP_T) || !defined(CLP_A) || !defined(CLP_B) || !defined(CLP_R)
#error "CLP_T, CLP_A, CLP_B and CLP_R must be types"
#endif
#if !defined(CLP_LOAD) || !defined(CLP_WIDEN) || !defined(CLP_STORE) || !defined(CLP_OP)
#error "CLP_LOAD, CLP_WIDEN, CLP_STORE and CLP_OP must be names"
#endif
#if !defined(CLP_PAIRED) || !defined(CLP_V) || !defined(CLP_ITEMS) || !defined(CLP_BATCH)
#error "CLP_PAIRED, CLP_V, CLP_ITEMS and CLP_BATCH must be numbers"
#endif
#if 32 % CLP_BATCH != 0 || CLP_LANES % (CLP_V * CLP_ITEMS) != 0
#error "CLP_BATCH must divide 32, CLP_V times CLP_ITEMS must divide 128"
#endif
#if !defined(CLP_STEP_TILES) || (CLP_STEP_TILES & (CLP_STEP_TILES - 1)) != 0
#error "CLP_STEP_TILES must be a power of two"
#endif
#if !CLP_SIMD && CLP_SUBGROUPS != 1 && (CLP_STEP_TILES * CLP_ITEMS > CLP_WG_SIZE || CLP_NODE_ITEMS > CLP_WG_SIZE)
#error "a work-group must hold its tiles"
#endif

#include "lanes.cl"

#if CLP_SIMD || CLP_SUBGROUPS != 1
#define CLP_SCRATCH 1
#else
#define CLP_SCRATCH (CLP_STEP_TILES * CLP_LANES)
#endif

#define CLP_FOLD clp_fold_elements
#define CLP_FOLD_T CLP_T
#define CLP_FOLD_B CLP_B
#define CLP_FOLD_LOAD CLP_LOAD
#define CLP_FOLD_WIDEN CLP_WIDEN
#define CLP_FOLD_PAIRED CLP_PAIRED
#define CLP_FOLD_V CLP_V
#define CLP_FOLD_ITEMS CLP_ITEMS
#define CLP_FOLD_BATCH CLP_BATCH
#define CLP_FOLD_FETCH clp_fetch_stream
#include "fold.cl"

#define CLP_FOLD clp_fold_totals
#define CLP_FOLD_T CLP_A
#define CLP_FOLD_B CLP_A
#define CLP_FOLD_LOAD clp_same
#define CLP_FOLD_WIDEN clp_same
#define CLP_FOLD_PAIRED 0
#define CLP_FOLD_V CLP_NODE_V
#define CLP_FOLD_ITEMS CLP_NODE_ITEMS
#define CLP_FOLD_BATCH CLP_NODE_BATCH
#define CLP_FOLD_FETCH clp_fetch
#include "fold.cl"

static inline ulong clp_tiles_of(ulong n) {
    return n == 0 ? 1 : n / CLP_TILE + (n % CLP_TILE != 0);
}

/*
 * Row r is n elements from element in_offset + r · in_stride on, or lengths[r] of them, n at most; likewise
 * `second`. totals and state have totals_stride and state_stride entries for each row.
 */
CLP_KERNEL void clp_reduce(const __global CLP_T *in, ulong in_offset, const __global CLP_T *second,
                           ulong second_offset, ulong in_stride, ulong second_stride,
                           const __global uint *lengths, ulong lengths_offset, uint has_lengths, ulong n,
                           ulong rows, CLP_A pad, __global CLP_R *out, ulong out_offset, CLP_R empty,
                           __global CLP_A *totals, ulong totals_offset, ulong totals_stride,
                           volatile __global uint *state, ulong state_stride, ulong teams, uint chunk, uint climb) {
    __local CLP_A scratch[CLP_SCRATCH];
    __local uint flag;
    /* Not by %: of a / b with a % b clang makes a `freeze`, which Oclgrind's checker does not know. */
    const ulong row = CLP_TEAM_ID / teams;
    const uint team = (uint)CLP_TEAM_ID - (uint)row * (uint)teams; /* fewer than 2^32 work on a row */
    /* A work-group of the simd shape may hold more teams than there are rows to work on. */
    if (has_lengths && row < rows)
        n = min(n, (ulong)lengths[lengths_offset + row]);
    const ulong tiles = clp_tiles_of(n);
    in += in_offset + row * in_stride;
    second += second_offset + row * second_stride;
    totals += totals_offset + row * totals_stride;
    state += row * state_stride;

    for (ulong start = row < rows ? (ulong)team * chunk : tiles; start < tiles; start += teams * chunk) {
        uint count = (uint)min((ulong)chunk, tiles - start);
#if CLP_SIMD
        clp_fold_elements(in, second, n, start, count, pad, totals, scratch);
#else
        for (uint done = 0; done < count; done += CLP_STEP_TILES)
            clp_fold_elements(in, second, n, start + done, min((uint)CLP_STEP_TILES, count - done), pad, totals,
                              scratch);
#endif
        /* Up the tree for as long as this team is the last of the children. */
        ulong level = tiles, first = start;
        __global CLP_A *children = totals;
        volatile __global uint *counters = state;
        while (climb && level > 1) {
            const ulong node = first / CLP_TILE;
            const uint all = (uint)min((ulong)CLP_TILE, level - node * CLP_TILE);
            if (!clp_team_last(counters + node, count, all, &flag))
                break;
            clp_fold_totals(children, children, level, node, 1, pad, children + level, scratch);
            children += level;
            level = clp_tiles_of(level);
            counters += level;
            first = node;
            count = 1;
        }
        if (level == 1 && CLP_TEAM_LEADER)
            out[out_offset + row] = n == 0 ? empty : CLP_STORE(children[0]);
    }
}

/* totals, from totals_offset on: the n totals of the level below, behind them those of this level. */
CLP_KERNEL void clp_reduce_node(__global CLP_A *totals, ulong totals_offset, ulong n, CLP_A pad,
                                __global CLP_R *out, ulong out_offset) {
    __local CLP_A scratch[CLP_SCRATCH];
    const ulong tiles = clp_tiles_of(n);
    const __global CLP_A *elements = totals + totals_offset;
    totals += totals_offset + n;
    for (ulong tile = CLP_TEAM_ID; tile < tiles; tile += CLP_TEAM_COUNT) {
        clp_fold_totals(elements, elements, n, tile, 1, pad, totals, scratch);
        if (tiles == 1 && CLP_TEAM_LEADER)
            out[out_offset] = CLP_STORE(totals[0]);
    }
}

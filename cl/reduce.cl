/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reduce.cl: reduction in the canonical order, for commutative operators.
 *
 * Algorithm: level 0 is the input; the totals of a level's tiles are the elements of the next; the level
 * with one total is the result. Totals of all levels lie one after the other in `totals`.
 *   clp_reduce        folds level 0, a chunk of tiles a team. With climb, the team that finishes the last
 *                     chunk of a tile of totals folds that tile too, and so on: one launch (fused, or
 *                     single with one team). Without, level 0 only.
 *   clp_reduce_node   folds one further level (schedule "levels").
 * Launch: one-dimensional; the first `teams` teams work (1 for single); chunk is a power of two up to CLP_TILE, a multiple of
 * CLP_STEP_TILES in the simt shape or smaller than it. Local memory: CLP_SCRATCH accumulators and a word.
 * State: one counter for each tile of totals, all 0 before and after.
 *
 * Macros besides prelude.cl's and fold.cl's:
 *   CLP_T       element type             CLP_LOAD    name of the conversion CLP_T to CLP_A, see fold.cl
 *   CLP_R       result type              CLP_STORE   name of the conversion CLP_A to CLP_R
 */
#include "prelude.cl"
#include "order.cl"
#include "subgroups.cl"
#include "team.cl"

#if !defined(CLP_T) || !defined(CLP_A) || !defined(CLP_R)
#error "CLP_T, CLP_A and CLP_R must be types"
#endif
#if !defined(CLP_A_BITS) || (CLP_A_BITS != 32 && CLP_A_BITS != 64)
#error "CLP_A_BITS must be 32 or 64"
#endif
#if !defined(CLP_LOAD) || !defined(CLP_STORE) || !defined(CLP_OP)
#error "CLP_LOAD, CLP_STORE and CLP_OP must be names"
#endif
#if !defined(CLP_BATCH) || CLP_BATCH < 1 || 32 % CLP_BATCH != 0
#error "CLP_BATCH must divide 32"
#endif
#if !defined(CLP_STEP_TILES) || (CLP_STEP_TILES & (CLP_STEP_TILES - 1)) != 0
#error "CLP_STEP_TILES must be a power of two"
#endif
#if !CLP_SIMD && CLP_SUBGROUPS != 1 && (CLP_SUBGROUP_SIZE % 32 != 0 || CLP_STEP_TILES * 32 > CLP_WG_SIZE)
#error "a sub-group must hold whole tiles of 32 work-items"
#endif

#define CLP_A2 CLP_CAT(CLP_A, 2)
#define CLP_A4 CLP_CAT(CLP_A, 4)
#define CLP_A8 CLP_CAT(CLP_A, 8)
#define CLP_A16 CLP_CAT(CLP_A, 16)

#if !CLP_SIMD && CLP_SUBGROUPS != 1
static inline CLP_A clp_down1(CLP_A value, uint delta)
{
#if CLP_A_BITS == 32
    return CLP_CAT(as_, CLP_A)(clp_down_32(as_uint(value), delta));
#else
    return CLP_CAT(as_, CLP_A)(clp_down_64(as_ulong(value), delta));
#endif
}

static inline CLP_A4 clp_down4(CLP_A4 value, uint delta)
{
    return (CLP_A4)(clp_down1(value.x, delta), clp_down1(value.y, delta), clp_down1(value.z, delta),
                    clp_down1(value.w, delta));
}
#endif

#if CLP_SIMD || CLP_SUBGROUPS != 1
#define CLP_SCRATCH 1
#else
#define CLP_SCRATCH (CLP_STEP_TILES * CLP_LANES)
#endif

#define CLP_FOLD clp_fold_elements
#define CLP_FOLD_T CLP_T
#define CLP_FOLD_LOAD CLP_LOAD
#include "fold.cl"

#define CLP_FOLD clp_fold_totals
#define CLP_FOLD_T CLP_A
#define CLP_FOLD_LOAD clp_same
#include "fold.cl"

static inline ulong clp_tiles_of(ulong n)
{
    return n == 0 ? 1 : n / CLP_TILE + (n % CLP_TILE != 0);
}

CLP_KERNEL void clp_reduce(const __global CLP_T *in, ulong in_offset, ulong n, CLP_A pad, __global CLP_R *out,
                           ulong out_offset, CLP_R empty, __global CLP_A *totals, ulong totals_offset,
                           volatile __global uint *state, ulong teams, uint chunk, uint climb)
{
    __local CLP_A scratch[CLP_SCRATCH];
    __local uint flag;
    const ulong tiles = clp_tiles_of(n);
    in += in_offset;
    totals += totals_offset;

    /* A work-group of the simd shape may hold more teams than there is work for, or than may share it. */
    ulong start = CLP_TEAM_ID < teams ? CLP_TEAM_ID * (ulong)chunk : tiles;
    for (; start < tiles; start += teams * chunk) {
        uint count = (uint)min((ulong)chunk, tiles - start);
#if CLP_SIMD
        clp_fold_elements(in, n, start, count, pad, totals, scratch);
#else
        for (uint done = 0; done < count; done += CLP_STEP_TILES)
            clp_fold_elements(in, n, start + done, min((uint)CLP_STEP_TILES, count - done), pad, totals, scratch);
#endif
        /* Up the tree for as long as this team is the last of the children. */
        ulong level = tiles, first = start;
        __global CLP_A *children = totals;
        volatile __global uint *counters = state;
        while (climb && level > 1) {
            const ulong node = first / CLP_TILE;
            if (!clp_team_last(counters + node, count, (uint)min((ulong)CLP_TILE, level - node * CLP_TILE), &flag))
                break;
            clp_fold_totals(children, level, node, 1, pad, children + level, scratch);
            children += level;
            level = clp_tiles_of(level);
            counters += level;
            first = node;
            count = 1;
        }
        if (level == 1 && CLP_TEAM_LEADER)
            out[out_offset] = n == 0 ? empty : CLP_STORE(children[0]);
    }
}

/* totals, from totals_offset on: the n totals of the level below, behind them those of this level. */
CLP_KERNEL void clp_reduce_node(__global CLP_A *totals, ulong totals_offset, ulong n, CLP_A pad, __global CLP_R *out,
                                ulong out_offset)
{
    __local CLP_A scratch[CLP_SCRATCH];
    const ulong tiles = clp_tiles_of(n);
    const __global CLP_A *elements = totals + totals_offset;
    totals += totals_offset + n;
    for (ulong tile = CLP_TEAM_ID; tile < tiles; tile += CLP_TEAM_COUNT) {
        clp_fold_totals(elements, n, tile, 1, pad, totals, scratch);
        if (tiles == 1 && CLP_TEAM_LEADER)
            out[out_offset] = CLP_STORE(totals[0]);
    }
}

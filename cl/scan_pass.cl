/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan_pass.cl: the scan of one array in one launch (schedule "one pass"). simt shape.
 *
 * Algorithm: look-back over a fixed tree, in which totals are published well before they are needed; pass.cl has tickets,
 * words and progress. Each work-group in turn
 *   settles the tile that it has fetched in local memory and publishes its total,
 *   starts to fetch the next one,
 *   finishes the tile that it settled the turn before: takes what lies before it, which has had the time of a whole
 *   tile to come, scans, and writes.
 * So elements are read once and outputs written once.
 * D. Merrill and M. Garland, "Single-pass parallel prefix scan with decoupled look-back", NVR-2016-002, have the idea;
 * the tree is ours.
 *
 * Launch: one-dimensional, any number of work-groups, two at least where there is a spine; fewer than 2^32 tiles and
 * work-groups together. Local memory: two tiles of accumulators and a little more, see the kernel.
 *
 * CLP_HELD   tiles that are settled in local memory: 2; 1: by-runs tiles wait in registers, others do not wait
 */
#if !defined(CLP_HELD) || CLP_STEP != 8
#error "CLP_HELD must be a number and CLP_STEP 8"
#endif
#define CLP_HELD_LOCAL (CLP_HELD == 2)
#include "scan_base.cl"
#if CLP_SIMD
#error "the one-pass schedule is for the simt shape"
#endif
#include "pass.cl"
#if CLP_SUBGROUPS != 1 && !CLP_BY_RUNS
#error "with sub-groups a work-group must hold eight runs"
#endif

/* The array, and what all parts of the kernel need. */
typedef struct {
    const __global CLP_T *in;
    ulong n;
    CLP_A pad, init;
    clp_board board;
    clp_parts parts;
    __local CLP_A *values; /* CLP_HELD tiles, CLP_AT(CLP_TILE) each */
    __local CLP_A *chunks; /* prefixes of chunks, CLP_CHUNKS for each tile; by runs: totals of groups, 8 */
    __local CLP_A *other;  /* CLP_CHUNKS, of no use with sub-groups */
} clp_pass;

static inline clp_scratch clp_slot(const clp_pass *pass, uint slot) {
    const uint held = CLP_HELD == 2 ? slot : 0u;
#if CLP_BY_RUNS
    const clp_scratch where = {pass->values + held * CLP_AT(CLP_TILE), pass->chunks + slot * 8u, pass->other};
#else
    /* Five steps from array to array end in the other one. */
    const clp_scratch where = {pass->values + held * CLP_AT(CLP_TILE), pass->other, pass->chunks + held * CLP_CHUNKS};
#endif
    return where;
}

/* ---- tiles on their way, see pass_turns.cl ---- */

#if CLP_BY_RUNS
CLP_INLINE uint clp_fetch_tile(const clp_pass *pass, ulong tile, clp_own *own) {
    return clp_fetch_own(pass->in + tile * CLP_TILE, clp_tile_count(pass->n, tile), own);
}

CLP_INLINE void clp_settle(const clp_pass *pass, ulong tile, const clp_own *own, uint aligned, uint slot,
                              clp_held *held) {
    const clp_scratch where = clp_slot(pass, slot);
    clp_settle_group(own, aligned, pass->in + tile * CLP_TILE, clp_tile_count(pass->n, tile), pass->pad,
                     CLP_GROUP_OF(where.values), where.totals, held);
}

CLP_INLINE CLP_A clp_announced(const clp_pass *pass, ulong tile, uint slot, clp_held *held) {
    (void)tile;
    return clp_fold_groups(clp_slot(pass, slot).totals, pass->pad, held);
}

CLP_INLINE void clp_finish(const clp_pass *pass, ulong tile, uint slot, const clp_held *held, CLP_A prefix,
                              __global CLP_R *out) {
    clp_finish_group(held, prefix, pass->pad, out + tile * CLP_TILE, clp_tile_count(pass->n, tile),
                     CLP_GROUP_OF(clp_slot(pass, slot).values));
}
#else
typedef struct {
    uint none;
} clp_own, clp_held;

CLP_INLINE uint clp_fetch_tile(const clp_pass *pass, ulong tile, clp_own *own) {
    (void)pass, (void)tile, (void)own;
    return 0;
}

CLP_INLINE void clp_settle(const clp_pass *pass, ulong tile, const clp_own *own, uint aligned, uint slot,
                              clp_held *held) {
    (void)own, (void)aligned, (void)held;
    clp_begin_piece(pass->in + tile * CLP_TILE, clp_tile_count(pass->n, tile), pass->pad, clp_slot(pass, slot));
}

CLP_INLINE CLP_A clp_announced(const clp_pass *pass, ulong tile, uint slot, clp_held *held) {
    const __local CLP_A *chunks = clp_slot(pass, slot).other;
    CLP_A total = pass->pad;
    (void)tile, (void)held;
    for (uint group = 0; group < 8; group++)
        total = CLP_OP(total, chunks[group * 32u + 31u]);
    return total;
}

CLP_INLINE void clp_finish(const clp_pass *pass, ulong tile, uint slot, const clp_held *held, CLP_A prefix,
                              __global CLP_R *out) {
    const clp_scratch where = clp_slot(pass, slot);
    (void)held;
    clp_scan_piece(where.values, where.other, pass->pad, prefix, pass->pad);
    barrier(CLK_LOCAL_MEM_FENCE);
    clp_store_piece(pass->in + tile * CLP_TILE, out + tile * CLP_TILE, clp_tile_count(pass->n, tile), where.values);
}
#endif

/* The total of a full tile, read again: chunk by chunk, for what is settled stays where it is. */
static inline CLP_A clp_total_again(const clp_pass *pass, ulong tile) {
    const __global CLP_T *x = pass->in + tile * CLP_TILE;
    CLP_A v[16], total = pass->pad;
    barrier(CLK_LOCAL_MEM_FENCE);
#if CLP_BY_RUNS
    for (uint i = 0; i < 16; i++)
        v[i] = CLP_WORKS ? CLP_LOAD(x[CLP_RUN * CLP_GROUP + CLP_CHUNK * 16u + i]) : pass->pad;
    const CLP_A scanned = clp_scan_lanes(clp_tree16(v), pass->pad);
    __local CLP_A *groups = pass->parts.scratch.totals;
    if (CLP_LANE == 0 && CLP_WORKS)
        groups[CLP_RUN] = scanned;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint group = 0; group < 8; group++)
        total = CLP_OP(total, groups[group]);
#else
    __local CLP_A *chunks = pass->other;
    for (uint c = (uint)get_local_id(0); c < CLP_CHUNKS; c += CLP_WG_SIZE) {
        for (uint i = 0; i < 16; i++)
            v[i] = CLP_LOAD(x[c * 16u + i]);
        chunks[c] = clp_tree16(v);
    }
    for (uint d = 1; d < 32; d *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint c = (uint)get_local_id(0) * 2 * d; c < CLP_CHUNKS; c += CLP_WG_SIZE * 2 * d)
            chunks[c] = CLP_OP(chunks[c], chunks[c + d]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint group = 0; group < 8; group++)
        total = CLP_OP(total, chunks[group * 32u]);
#endif
    return total;
}

/* Finishes a tile in the kernel. */
#define CLP_FINISH(tile, slot, held, prefix)                                                                           \
    do {                                                                                                               \
        clp_finish(&pass, tile, slot, held, prefix, out);                                                              \
        if ((tile) == 0 && has_head) {                                                                                 \
            CLP_TEAM_BARRIER();                                                                                        \
            if (CLP_TEAM_LEADER)                                                                                       \
                out[0] = CLP_STORE(head);                                                                              \
        }                                                                                                              \
    } while (0)
#define CLP_WAITS (CLP_HELD == 2 || CLP_BY_RUNS)
#define clp_work clp_pass
#define CLP_WORK pass
#include "pass_recover.cl"

/* head: what output 0 must be, if has_head */
CLP_KERNEL void clp_scan_pass(const __global CLP_T *in, ulong in_offset, __global CLP_R *out, ulong out_offset, ulong n,
                              CLP_A pad, CLP_A init, CLP_A head, uint has_head, volatile __global ulong *words,
                              uint epoch, volatile __global uint *ticket) {
    __local CLP_A values[CLP_HELD * CLP_AT(CLP_TILE)] __attribute__((aligned(16)));
    __local CLP_A chunks[CLP_BY_RUNS ? 16 : CLP_HELD * CLP_CHUNKS], runs[64];
    __local CLP_A other[CLP_SUBGROUPS == 1 ? CLP_CHUNKS : 1], other_runs[CLP_SUBGROUPS == 1 ? 64 : 1], before;
    __local uint lost[3], tickets[2];
    const ulong tiles = CLP_UNITS(n, (ulong)CLP_TILE);
    clp_pass pass;
    pass.in = in + in_offset, pass.n = n, pass.pad = pad, pass.init = init;
    pass.board = clp_board_of(words, epoch, tiles);
    pass.parts.before = &before, pass.parts.lost = lost;
    pass.parts.scratch.values = values, pass.parts.scratch.totals = runs, pass.parts.scratch.other = other_runs;
    pass.values = values, pass.chunks = chunks, pass.other = other;
    out += out_offset;
#include "pass_turns.cl"
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan_pass.cl: the scan of one array in one launch (schedule "one pass"). simt shape.
 *
 * Algorithm: look-back over a fixed tree, in which totals are published well before they are needed. Each work-group
 * takes tiles by ticket, in turn:
 *   loads a tile into local memory and publishes its total; for the last tile of a block the block's total too, for
 *   that of a super-block the prefix of the next super-block;
 *   then finishes the tile that it has held longest (CLP_HELD of them are in local memory): takes the totals before
 *   it, which have had the time of a whole tile to come, and scans. Meanwhile the next tile's elements are on their way.
 * So elements are read once and outputs written once.
 * D. Merrill and M. Garland, "Single-pass parallel prefix scan with decoupled look-back", NVR-2016-002, have the idea;
 * the tree is ours.
 *
 * Progress: all that a ticket waits for belongs to earlier tickets, and whoever has a ticket has been started, so that
 * a device that keeps started work-groups running gets on, be it only one at a time. Waits are bounded all the same:
 * when one runs out, the waiter computes from the input what is missing, by the same tree, and publishes it.
 *
 * Published values: see scan_board.cl. Tiles come first, from CLP_BLOCKS_AT on blocks, from CLP_SUPERS_AT on super-blocks.
 * *ticket is 0 before and after: each work-group takes one ticket too many, and the last one of all clears it.
 *
 * Launch: one-dimensional, any number of work-groups; fewer than 2^32 tiles and work-groups together.
 * Local memory: CLP_HELD tiles of accumulators and a little more, see the kernel.
 *
 * CLP_HELD    1 or 2, see above
 */
#define CLP_WHOLE_TILES 1
#include "scan_base.cl"

#if CLP_SIMD
#error "the simd shape has scan_pass_simd.cl"
#endif
#if !defined(CLP_HELD) || CLP_STEP != 8
#error "CLP_HELD must be a number and CLP_STEP 8"
#endif
#include "scan_board.cl"

/* What a work-group waits for: the totals of so many tiles of a block and blocks of its super-block, and, if there is
 * a super-block before, the prefix of its own. */
typedef struct {
    ulong block;
    uint tiles, blocks, before;
} clp_goal;

/* What came, in local memory: see clp_gather. */
typedef struct {
    __local CLP_A *before; /* the prefix of the super-block, init for the first */
    __local uint *lost;    /* which tiles, blocks, super-blocks did not come: three words of bits */
    clp_scratch scratch;
} clp_parts;

/*
 * Waits for all of the goal. @return where the prefixes are, tiles' first, blocks' from 32 on; NULL if parts.lost says
 * that some did not come in time. For the whole work-group.
 */
static inline __local CLP_A *clp_gather(clp_board board, clp_goal goal, CLP_A pad, CLP_A init, clp_parts parts) {
    const ulong super = goal.block / 32;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (CLP_TEAM_LEADER)
        parts.lost[0] = parts.lost[1] = parts.lost[2] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint c = (uint)get_local_id(0); c < 65u; c += CLP_WG_SIZE) {
        CLP_A value = c < 64u ? pad : init;
        const uint place = c < 64u ? c ^ 31u : c;
        const ulong at = place < 32u   ? goal.block * 32 + place
                         : place < 64u ? board.blocks_at + super * 32 + (place - 32u)
                                       : board.supers_at + super;
        const uint wanted = place < 32u   ? place < goal.tiles
                            : place < 64u ? place - 32u < goal.blocks
                                          : goal.before && super > 0;
        if (wanted && !clp_await(board, at, CLP_PATIENCE, &value))
            atomic_or(&parts.lost[place / 32u], 1u << (place % 32u));
        if (place < 64u)
            parts.scratch.totals[place] = value;
        else
            *parts.before = value;
    }
    __local CLP_A *prefixes = clp_scan_runs(parts.scratch, 64u, pad);
    return (parts.lost[0] | parts.lost[1] | parts.lost[2]) ? 0 : prefixes;
}

/*
 * After clp_gather() has failed: the lowest thing that is lost is what to do next; what it is made of may be lost as
 * well, then that comes first. Each such step publishes something, the same bits as whoever else may publish it, so
 * that all is there in the end. Tiles are reduced by the caller, from *first to the end of the goal.
 */
static inline clp_goal clp_next_goal(clp_goal goal, const __local uint *lost, ulong *first, ulong *end) {
    if (lost[0]) {
        *first = goal.block * 32 + (31u - clz(lost[0] & -lost[0]));
        *end = goal.block * 32 + goal.tiles;
    } else if (lost[1]) {
        goal.block = goal.block / 32 * 32 + (31u - clz(lost[1] & -lost[1]));
        goal.tiles = 32, goal.blocks = 0, goal.before = 0;
    } else { /* the prefix of this super-block: of the one before and its blocks */
        goal.block = goal.block / 32 * 32 - 1;
        goal.tiles = 0, goal.blocks = 32, goal.before = 1;
    }
    return goal;
}

/* ---- tiles that are held ---- */

/* Vectors of a tile on their way, if it is full and aligned. */
#if CLP_V > 1 && (CLP_TILE / CLP_V) % CLP_WG_SIZE == 0 && CLP_TILE / CLP_V / CLP_WG_SIZE <= 8
#define CLP_OWN (CLP_TILE / CLP_V / CLP_WG_SIZE)
#else
#define CLP_OWN 0
#endif
typedef struct {
    uint4 vectors[CLP_OWN ? CLP_OWN : 1];
} clp_own;

/* The array, and what all parts of the kernel need. */
typedef struct {
    const __global CLP_T *in;
    ulong n;
    CLP_A pad, init;
    clp_board board;
    clp_parts parts;
    __local CLP_A *values, *chunks; /* CLP_HELD tiles, CLP_AT(CLP_TILE) and CLP_CHUNKS accumulators each */
    __local CLP_A *other;           /* CLP_CHUNKS, of no use with sub-groups */
    ulong tile, later;              /* the tile held longest and the other one; CLP_NO_TILE: none */
    uint slot;                      /* of `tile`; `later` has the other one */
} clp_pass;
#define CLP_NO_TILE (~0ul)

static inline clp_scratch clp_slot(const clp_pass *pass, uint slot) {
    /* Without sub-groups five steps from array to array end in the other one. */
    __local CLP_A *chunks = pass->chunks + slot * CLP_CHUNKS;
    const clp_scratch where = {pass->values + slot * CLP_AT(CLP_TILE), CLP_SUBGROUPS == 1 ? pass->other : chunks,
                               CLP_SUBGROUPS == 1 ? chunks : pass->other};
    return where;
}

/* Starts to load a tile. */
static inline void clp_fetch(const clp_pass *pass, ulong tile, clp_own *own) {
#if CLP_OWN
    const __global CLP_T *x = pass->in + tile * CLP_TILE;
    if (clp_tile_count(pass->n, tile) == CLP_TILE && ((size_t)x & 15) == 0)
        CLP_UNROLL
        for (uint i = 0; i < CLP_OWN; i++)
            own->vectors[i] = CLP_FETCH((const __global uint4 *)x + i * CLP_WG_SIZE + get_local_id(0));
#else
    (void)pass, (void)tile, (void)own;
#endif
}

/* Puts a fetched tile into a slot that is free and scans its chunks' totals. */
static inline __attribute__((always_inline)) void clp_settle(const clp_pass *pass, ulong tile, const clp_own *own, uint slot) {
    const __global CLP_T *x = pass->in + tile * CLP_TILE;
    const uint count = clp_tile_count(pass->n, tile);
    const clp_scratch where = clp_slot(pass, slot);
    barrier(CLK_LOCAL_MEM_FENCE);
#if CLP_OWN
    if (count == CLP_TILE && ((size_t)x & 15) == 0) {
        CLP_UNROLL
        for (uint i = 0; i < CLP_OWN; i++)
            clp_spread(own->vectors[i], (i * CLP_WG_SIZE + (uint)get_local_id(0)) * CLP_V, where.values);
    } else
#endif
        clp_load_piece(x, count, pass->pad, where.values);
    (void)own;
    barrier(CLK_LOCAL_MEM_FENCE);
    clp_scan_chunk_totals(pass->pad, where);
}

/*
 * Computes and publishes what is missing until the goal can be reached: the lowest thing that is lost first; what that
 * is made of may be lost as well, then it comes before. Slot 0 is used, so all tiles are loaded again after it.
 */
CLP_RARELY void clp_recover(const clp_pass by_value, clp_goal wanted) {
    const clp_pass *pass = &by_value; /* a copy, so that the caller's may lie in registers */
    clp_goal goal = wanted;
    for (uint reached = 0; !reached;) {
        const __local CLP_A *prefixes = clp_gather(pass->board, goal, pass->pad, pass->init, pass->parts);
        ulong first = 0, end = 0;
        if (prefixes) {
            if (CLP_TEAM_LEADER && goal.tiles == 32u)
                clp_publish(pass->board, pass->board.blocks_at + goal.block, prefixes[31]);
            if (CLP_TEAM_LEADER && goal.blocks == 32u)
                clp_publish(pass->board, pass->board.supers_at + goal.block / 32 + 1,
                            CLP_OP(*pass->parts.before, prefixes[63]));
            reached = goal.block == wanted.block && goal.tiles == wanted.tiles && goal.blocks == wanted.blocks;
            goal = wanted;
        } else {
            goal = clp_next_goal(goal, pass->parts.lost, &first, &end);
        }
        for (; first < end; first++) { /* never the last tile of all, for which nobody waits */
            const CLP_A total = clp_tile_total(pass->in + first * CLP_TILE, CLP_TILE, pass->pad, clp_slot(pass, 0));
            if (CLP_TEAM_LEADER)
                clp_publish(pass->board, first, total);
        }
    }
    clp_own own;
    if (pass->tile != CLP_NO_TILE) {
        clp_fetch(pass, pass->tile, &own);
        clp_settle(pass, pass->tile, &own, pass->slot);
    }
    if (pass->later != CLP_NO_TILE) {
        clp_fetch(pass, pass->later, &own);
        clp_settle(pass, pass->later, &own, pass->slot ^ 1u);
    }
}

/* Waits for the goal, whatever that takes. @return where the prefixes are, as clp_gather() has them */
static inline const __local CLP_A *clp_reach(const clp_pass *pass, clp_goal goal) {
    const __local CLP_A *prefixes = clp_gather(pass->board, goal, pass->pad, pass->init, pass->parts);
    while (!prefixes) {
        clp_recover(*pass, goal);
        prefixes = clp_gather(pass->board, goal, pass->pad, pass->init, pass->parts);
    }
    return prefixes;
}

/* Publishes a settled tile's total, and what that completes. */
static inline void clp_announce(const clp_pass *pass, ulong tile, uint slot) {
    const ulong block = tile / 32;
    const clp_board board = pass->board;
    if (CLP_TEAM_LEADER && CLP_IS_KEPT(tile)) {
        CLP_A total = pass->pad;
        for (uint group = 0; group < 8; group++)
            total = CLP_OP(total, pass->chunks[slot * CLP_CHUNKS + group * 32u + 31u]);
        clp_publish(board, tile, total);
    }
    /* The last tile of all has nobody behind it. */
    const uint steps = tile % 32 < 31 || (tile + 1) * CLP_TILE >= pass->n ? 0u : block % 32 < 31 ? 1u : 2u;
    for (uint step = 0; step < steps; step++) {
        const clp_goal goal = {block, step == 0 ? 32u : 0u, step == 0 ? 0u : 32u, step};
        const __local CLP_A *prefixes = clp_reach(pass, goal);
        if (CLP_TEAM_LEADER && CLP_IS_KEPT(block))
            clp_publish(board, step == 0 ? board.blocks_at + block : board.supers_at + block / 32 + 1,
                        step == 0 ? prefixes[31] : CLP_OP(*pass->parts.before, prefixes[63]));
    }
}

/* Scans the tile that is held longest. */
static inline void clp_finish(const clp_pass *pass, __global CLP_R *out) {
    const ulong tile = pass->tile;
    const uint t = (uint)(tile % 32), b = (uint)(tile / 32 % 32), count = clp_tile_count(pass->n, tile);
    __local CLP_A *values = pass->values + pass->slot * CLP_AT(CLP_TILE);
    const clp_goal goal = {tile / 32, t, b, 1};
    const __local CLP_A *prefixes = clp_reach(pass, goal);
    const CLP_A prefix = CLP_OP(CLP_OP(*pass->parts.before, b > 0 ? prefixes[32u + b - 1u] : pass->pad),
                                t > 0 ? prefixes[t - 1u] : pass->pad);
    clp_scan_piece(values, pass->chunks + pass->slot * CLP_CHUNKS, pass->pad, prefix, pass->pad);
    barrier(CLK_LOCAL_MEM_FENCE);
    clp_store_piece(pass->in + tile * CLP_TILE, out + tile * CLP_TILE, count, values);
}

/* head: what output 0 must be, if has_head */
CLP_KERNEL void clp_scan_pass(const __global CLP_T *in, ulong in_offset, __global CLP_R *out, ulong out_offset, ulong n,
                              CLP_A pad, CLP_A init, CLP_A head, uint has_head, volatile __global ulong *words,
                              uint epoch, volatile __global uint *ticket) {
    __local CLP_A values[CLP_HELD * CLP_AT(CLP_TILE)], chunks[CLP_HELD * CLP_CHUNKS], runs[64];
    __local CLP_A other[CLP_SUBGROUPS == 1 ? CLP_CHUNKS : 1], other_runs[CLP_SUBGROUPS == 1 ? 64 : 1], before;
    __local uint lost[3], tickets[2];
    const ulong tiles = CLP_UNITS(n, (ulong)CLP_TILE);
    clp_pass pass;
    pass.in = in + in_offset, pass.n = n, pass.pad = pad, pass.init = init;
    pass.board.words = words, pass.board.epoch = epoch;
    pass.board.blocks_at = CLP_BLOCKS_AT(tiles), pass.board.supers_at = CLP_SUPERS_AT(tiles);
    pass.parts.before = &before, pass.parts.lost = lost;
    pass.parts.scratch.values = values, pass.parts.scratch.totals = runs, pass.parts.scratch.other = other_runs;
    pass.values = values, pass.chunks = chunks, pass.other = other;
    pass.tile = pass.later = CLP_NO_TILE, pass.slot = 0;
    out += out_offset;
    uint turn = 0, taken = 0;
    if (CLP_TEAM_LEADER)
        tickets[0] = taken = atomic_inc(ticket);
    barrier(CLK_LOCAL_MEM_FENCE);
    ulong next = tickets[0];
    while (next < tiles || pass.tile != CLP_NO_TILE || pass.later != CLP_NO_TILE) {
        clp_own own;
        if (next < tiles) {
            clp_fetch(&pass, next, &own);
            if (CLP_TEAM_LEADER)
                taken = atomic_inc(ticket); /* is back when it is needed */
        }
        if (pass.tile != CLP_NO_TILE) {
            clp_finish(&pass, out);
            if (pass.tile == 0 && has_head) {
                CLP_TEAM_BARRIER();
                if (CLP_TEAM_LEADER)
                    out[0] = CLP_STORE(head);
            }
        }
        const uint slot = pass.slot;
        pass.tile = next < tiles ? next : CLP_NO_TILE;
        if (next < tiles) {
            clp_settle(&pass, next, &own, slot);
            clp_announce(&pass, next, slot);
        }
#if CLP_HELD == 2
        const ulong newest = pass.tile;
        pass.tile = pass.later, pass.later = newest, pass.slot ^= 1u;
#endif
        turn ^= 1u;
        if (CLP_TEAM_LEADER)
            tickets[turn] = taken;
        barrier(CLK_LOCAL_MEM_FENCE);
        next = tickets[turn];
    }
    /* All work-groups take one ticket that has no tile; nobody takes another one after the last of these. */
    if (CLP_TEAM_LEADER && taken == (uint)tiles + (uint)get_num_groups(0) - 1u)
        atomic_xchg(ticket, 0u);
}

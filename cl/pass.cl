/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pass.cl: work in one launch whose tiles need what lies before them, folded by CLP_OP in the canonical tree: blocks of
 * 32 tiles, super-blocks of 32 blocks. simt shape. After scan_base.cl.
 *
 * Work-groups take tiles by ticket, publish each tile's total, and later take what lies before it. On NVIDIA the first
 * work-group has no tiles: it is the spine, which makes of the totals what lies before each block and publishes
 * that, so that a tile waits for 31 tiles at most and one front, and no word has more than a few dozen readers: a
 * word that hundreds of work-groups look at slows down all the memory that lies beside it.
 *
 * Progress: all that a ticket waits for belongs to earlier tickets or to the spine, which has the first one; and whoever
 * has a ticket has been started, so that a device that keeps started work-groups running gets on. Waits are bounded
 * all the same: when one runs out, the waiter computes from the input what is missing, by the same tree, and publishes
 * it. Where there is no spine all fronts come about that way.
 *
 * Published values (scan_board.cl): totals of tiles; from CLP_BLOCKS_AT on, of blocks; from CLP_SUPERS_AT on, what
 * lies before super-blocks; behind these, before blocks. Totals of blocks and super-blocks are published where
 * something was lost only.
 * *ticket is 0 before and after: each work-group takes one ticket too many, and the last one of all clears it.
 *
 *   clp_spine(…)    the spine's work
 *   clp_before(…)   what lies before a tile, 0 if some of it did not come
 *   clp_gather(…), clp_next_goal(…)   for recovery, which is the pattern's own, see there
 */
#define CLP_SPINE (CLP_SUBGROUPS == 2)
#include "scan_board.cl"

static inline clp_board clp_board_of(volatile __global ulong *words, uint epoch, ulong tiles) {
    const clp_board board = {words, CLP_BLOCKS_AT(tiles), CLP_SUPERS_AT(tiles),
                             CLP_SUPERS_AT(tiles) + CLP_UNITS(tiles, 1024ul) + 1, epoch};
    return board;
}

/* What a work-group waits for: the totals of so many tiles of a block and blocks of its super-block, and, if there is
 * a super-block before, the prefix of its own. */
typedef struct {
    ulong block;
    uint tiles, blocks, before;
} clp_goal;

/* What came, in local memory: see clp_gather and clp_before. */
typedef struct {
    __local CLP_A *before; /* the prefix of the super-block, init for the first */
    __local uint *lost;    /* which tiles, blocks, super-blocks did not come: three words of bits */
    clp_scratch scratch;
} clp_parts;

static inline void clp_forget(__local uint *lost) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (CLP_TEAM_LEADER)
        lost[0] = lost[1] = lost[2] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
}

/*
 * What lies before a tile, if it comes in time: *value. @return did it? If not, parts.lost has to be cleared. For the
 * whole work-group; meets once, after which all have what they need of local memory but parts.
 */
static inline uint clp_before(clp_board board, ulong tile, CLP_A pad, CLP_A init, clp_parts parts, CLP_A *value) {
    const uint t = (uint)(tile % 32);
    for (uint c = (uint)get_local_id(0); c < 64u; c += CLP_WG_SIZE) {
        const uint place = c ^ 31u;
        CLP_A got = pad;
        uint there = 1;
        if (place < t)
            there = clp_await(board, tile / 32 * 32 + place, CLP_PATIENCE, &got);
        else if (c == 32u && tile / 32 > 0)
            there = clp_await(board, board.fronts_at + tile / 32, CLP_PATIENCE, &got);
        if (!there)
            atomic_or(parts.lost, 1u);
        if (c < 32u)
            parts.scratch.totals[place] = got;
        else if (c == 32u)
            *parts.before = tile / 32 > 0 ? got : init;
    }
    const __local CLP_A *prefixes = clp_scan_runs(parts.scratch, 32u, pad);
    *value = CLP_OP(*parts.before, t > 0 ? prefixes[t - 1u] : pad);
    return parts.lost[0] == 0;
}

/*
 * Waits for all of the goal. @return where the prefixes are, tiles' first, blocks' from 32 on; NULL if parts.lost says
 * that some did not come in time. For the whole work-group.
 */
static inline __local CLP_A *clp_gather(clp_board board, clp_goal goal, CLP_A pad, CLP_A init, clp_parts parts) {
    const ulong super = goal.block / 32;
    clp_forget(parts.lost);
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


#if CLP_SPINE
/* Of 64 blocks, by block % 64: totals, and who they belong to; of super-blocks likewise what lies before them. */
typedef struct {
    volatile __local CLP_A *totals, *befores;
    volatile __local uint *blocks, *supers;
} clp_ring;
#define CLP_RING_MEMORY                                                                                                \
    __local CLP_A ring_totals[64], ring_befores[2];                                                                    \
    __local uint ring_blocks[64], ring_supers[2];                                                                      \
    const clp_ring ring = {ring_totals, ring_befores, ring_blocks, ring_supers};

static inline void clp_ring_set(volatile __local CLP_A *value, volatile __local uint *tag, CLP_A what, uint whose) {
    *value = what;
    mem_fence(CLK_LOCAL_MEM_FENCE);
    *tag = whose;
}

/* @return is it there? */
static inline uint clp_ring_get(const volatile __local CLP_A *value, const volatile __local uint *tag, uint whose,
                                CLP_A *what) {
    uint looks = CLP_PATIENCE << 6;
    while (*tag != whose && --looks)
        ;
    mem_fence(CLK_LOCAL_MEM_FENCE);
    *what = *value;
    return looks > 0;
}

static inline uint clp_any_lane(uint flag) {
    uint any;
    __asm__ volatile("{\n\t.reg .pred p;\n\tsetp.ne.u32 p, %1, 0;\n\tvote.sync.any.pred p, p, 0xffffffff;\n\t"
                     "selp.u32 %0, 1, 0, p;\n\t}"
                     : "=r"(any)
                     : "r"(flag));
    return any;
}

/*
 * Each run of 32 work-items has every so many-th block. A run cannot get 32 blocks ahead of another one, for it needs the totals of
 * the blocks before. When a wait runs out the run ends, the others soon after, and the waiters help themselves.
 */
static inline void clp_spine(clp_board board, ulong blocks, CLP_A pad, CLP_A init, clp_ring ring) {
    const uint place = CLP_LANE ^ 31u;
    for (uint i = (uint)get_local_id(0); i < 64u; i += CLP_WG_SIZE) {
        ring.blocks[i] = 0;
        if (i < 2u)
            ring.supers[i] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint block = CLP_RUN; block + 1 < blocks; block += CLP_WG_SIZE / 32u) {
        CLP_A value = pad, before = init;
        const uint super = block / 32, first = super * 32;
        uint there = clp_await(board, (ulong)block * 32 + place, CLP_PATIENCE, &value);
        value = clp_scan_lanes(value, pad);
        if (CLP_LANE == 0 && there)
            clp_ring_set(ring.totals + block % 64u, ring.blocks + block % 64u, value, block + 1);
        value = pad;
        if (first + place <= block)
            there &= clp_ring_get(ring.totals + (first + place) % 64u, ring.blocks + (first + place) % 64u,
                                  first + place + 1, &value);
        if (super > 0)
            there &= clp_ring_get(ring.befores + super % 2u, ring.supers + super % 2u, super, &before);
        if (clp_any_lane(!there))
            return;
        value = CLP_OP(before, clp_scan_lanes(value, pad));
        if (first + place == block) {
            /* Before the next block: its super-block's front is folded with no block. */
            if (CLP_IS_KEPT((ulong)block))
                clp_publish(board, board.fronts_at + block + 1, block % 32 == 31 ? CLP_OP(value, pad) : value);
            if (block % 32 == 31)
                clp_ring_set(ring.befores + (super + 1) % 2u, ring.supers + (super + 1) % 2u, value, super + 1);
        }
        CLP_RUN_SYNC();
    }
}
#endif

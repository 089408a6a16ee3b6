/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan_pass.cl: the scan of one array in one launch (schedule "one pass"). simt shape.
 *
 * Algorithm: run-ahead reduction. Some work-groups only reduce tiles and publish totals, a few megabytes ahead of
 * those that scan: when a tile is scanned, its elements are still in the cache and all totals before it are there.
 * Work is taken by ticket: the first `lead` blocks have reducers only; then come, by turns, the 32 scanners of a
 * block and the reducers of the block that is `lead` further.
 *   reducer   CLP_REDUCED tiles: publishes their totals. That of a block's last tiles publishes the block's total
 *             too, and that of a super-block's last tiles the prefix of the next super-block.
 *   scanner   one tile: waits for the totals before it, then scans
 * Progress: nobody waits for a later ticket, and whoever has a ticket has been started, so that a device that keeps
 * started work-groups running gets on. Waits are bounded all the same: when one runs out, the waiter computes from the
 * input what is missing, by the same tree, and publishes it.
 *
 * Published values: words of 64 bits, the upper half the call's epoch, the lower half 32 bits of the value; so a
 * word is either there or not, no order of writes matters, and nothing has to be cleared between calls. Values of 64
 * bits have two words. Tiles come first, from CLP_BLOCKS_AT on blocks, from CLP_SUPERS_AT on super-blocks.
 * *ticket is 0 before and after.
 *
 * CLP_DROPS   tests: so many publications that one in so many is lost; 0: none
 */
#include "scan_base.cl"

#if CLP_SIMD
#error "the one-pass schedule is for the simt shape"
#endif
#ifndef CLP_DROPS
#define CLP_DROPS 0
#endif
#if CLP_DROPS
#define CLP_IS_KEPT(place) ((place) % CLP_DROPS != 1)
#else
#define CLP_IS_KEPT(place) ((place) != ~0ul)
#endif

#define CLP_REDUCED 4u
#define CLP_REDUCERS (32u / CLP_REDUCED)
#define CLP_WORDS (CLP_A_BITS / 32)
#define CLP_PATIENCE (CLP_DROPS ? 64u : 1u << 14) /* looks at a word before it is given up */

#if CLP_DEVICE_FENCE == 2
static inline ulong clp_look(volatile __global ulong *word) {
    ulong value;
    __asm__ volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
    return value;
}

static inline void clp_show(volatile __global ulong *word, ulong value) {
    __asm__ volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
}
#else
#ifndef cl_khr_int64_base_atomics
#error "published values need atomic words of 64 bits"
#endif
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
static inline ulong clp_look(volatile __global ulong *word) {
    return atom_add(word, 0ul);
}

static inline void clp_show(volatile __global ulong *word, ulong value) {
    atom_xchg(word, value);
}
#endif

/* Where values are published, and what of the call they need. */
typedef struct {
    volatile __global ulong *words;
    ulong blocks_at, supers_at;
    uint epoch;
} clp_board;

static inline void clp_publish(clp_board board, ulong place, CLP_A value) {
    const ulong tag = (ulong)board.epoch << 32;
#if CLP_WORDS == 1
    clp_show(board.words + place, tag | as_uint(value));
#else
    const uint2 halves = as_uint2(value);
    clp_show(board.words + 2 * place, tag | halves.x);
    clp_show(board.words + 2 * place + 1, tag | halves.y);
#endif
}

/* Gets a published value. @return 0 if it is not there after so many looks */
static inline uint clp_await(clp_board board, ulong place, uint looks, CLP_A *value) {
    uint halves[CLP_WORDS];
    for (uint i = 0; i < CLP_WORDS; i++) {
        ulong word = clp_look(board.words + CLP_WORDS * place + i);
        for (; (uint)(word >> 32) != board.epoch && looks > 1; looks--)
            word = clp_look(board.words + CLP_WORDS * place + i);
        if ((uint)(word >> 32) != board.epoch)
            return 0;
        halves[i] = (uint)word;
    }
#if CLP_WORDS == 1
    *value = CLP_CAT(as_, CLP_A)(halves[0]);
#else
    *value = CLP_CAT(as_, CLP_A)((uint2)(halves[0], halves[1]));
#endif
    return 1;
}

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

#if CLP_BY_RUNS
/*
 * Scans a tile whose elements are on their way while its goal is waited for.
 * @return 0 if parts.lost says that something did not come; then nothing is written
 */
static inline uint clp_scan_tile_by_runs(const __global CLP_T *in, __global CLP_R *out, ulong n, ulong tile,
                                         clp_goal goal, clp_board board, CLP_A pad, CLP_A init, clp_parts parts,
                                         clp_meeting meeting) {
    const uint count = clp_tile_count(n, tile), c = (uint)get_local_id(0), place = c < 64u ? c ^ 31u : c;
    const ulong super = goal.block / 32;
    clp_own own;
    CLP_A value = c == 64u ? init : pad;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (c < 3u)
        parts.lost[c] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint aligned = clp_fetch_own(in + tile * CLP_TILE, count, &own);
    const ulong at = place < 32u   ? goal.block * 32 + place
                     : place < 64u ? board.blocks_at + super * 32 + (place - 32u)
                                   : board.supers_at + super;
    const uint wanted = place < 32u   ? place < goal.tiles
                        : place < 64u ? place - 32u < goal.blocks
                                      : place == 64u && super > 0;
    if (wanted && !clp_await(board, at, CLP_PATIENCE, &value))
        atomic_or(&parts.lost[place / 32u], 1u << (place % 32u));
    clp_finish_tile(&own, aligned, in + tile * CLP_TILE, out + tile * CLP_TILE, count, value, goal.tiles, goal.blocks, pad,
                    parts.scratch.values, meeting, parts.lost);
    return !(parts.lost[0] | parts.lost[1] | parts.lost[2]);
}
#endif

CLP_KERNEL void clp_scan_pass(const __global CLP_T *in, ulong in_offset, __global CLP_R *out, ulong out_offset, ulong n,
                              CLP_A pad, CLP_A init, CLP_A head, uint has_head, volatile __global ulong *words,
                              uint epoch, volatile __global uint *ticket, uint lead) {
    __local CLP_A values[CLP_AT(CLP_PIECE)], runs[CLP_RUNS], other[CLP_SUBGROUPS == 1 ? CLP_RUNS : 1], before;
    __local uint lost[3], taken_by_group[1];
#if CLP_BY_RUNS
    __local CLP_A met_groups[8], met_parts[3];
#if CLP_V > 1
    __local CLP_A groups[8u * CLP_TOTALS];
#endif
    const clp_meeting meeting = {met_groups, met_parts};
#endif
    const clp_scratch scratch = {values, runs, other};
    const clp_parts parts = {&before, lost, scratch};
    const ulong tiles = CLP_UNITS(n, (ulong)CLP_TILE);
    const clp_board board = {words, CLP_BLOCKS_AT(tiles), CLP_SUPERS_AT(tiles), epoch};
    in += in_offset;
    out += out_offset;
    if (CLP_TEAM_LEADER) {
        taken_by_group[0] = atomic_inc(ticket);
        if (taken_by_group[0] == (uint)get_num_groups(0) - 1)
            *ticket = 0; /* nobody takes another one */
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint taken = taken_by_group[0];

    /* What this ticket stands for. */
    const uint leaders = lead * CLP_REDUCERS, turn = taken < leaders ? 0 : (taken - leaders) / (32u + CLP_REDUCERS);
    const uint within = taken < leaders ? 0 : taken - leaders - turn * (32u + CLP_REDUCERS);
    const uint scanner = taken >= leaders && within < 32u;
    const ulong tile = taken < leaders ? (ulong)taken * CLP_REDUCED
                       : scanner       ? (ulong)turn * 32 + within
                                       : (ulong)(lead + turn) * 32 + (within - 32u) * CLP_REDUCED;
    const ulong block = tile / 32;
    const uint t = (uint)(tile % 32), b = (uint)(block % 32);

    /* The last tile of all has nobody behind it, so that whatever is reduced is full. */
    ulong first = tile, end = scanner ? tile : min(tile + CLP_REDUCED, tiles - min(tiles, 1ul));
    const uint ends_block = !scanner && t + CLP_REDUCED == 32u && (block + 1) * 32 < tiles;
    const uint steps = scanner ? tile < tiles : ends_block ? (b == 31u ? 2u : 1u) : 0u;
    const clp_goal to_scan = {block, t, b, 1}, block_total = {block, 32, 0, 0}, super_total = {block, 0, 32, 1};
    clp_goal goal = scanner ? to_scan : block_total;
    uint step = 0, own = 1, may_lose = 1;
    for (;;) {
#if CLP_BY_RUNS && CLP_V > 1
        if (((size_t)in & 15) == 0)
            for (; first < end; first += CLP_TOTALS) {
                const uint count = (uint)min((ulong)CLP_TOTALS, end - first);
                const CLP_A total = clp_full_totals(in + first * CLP_TILE, count, pad, groups);
                const ulong place = first + get_local_id(0);
                if (get_local_id(0) < count && (!may_lose || CLP_IS_KEPT(place)))
                    clp_publish(board, place, total);
            }
#endif
        for (; first < end; first++) {
            const CLP_A total = clp_tile_total(in + first * CLP_TILE, CLP_TILE, pad, scratch);
            if (CLP_TEAM_LEADER && (!may_lose || CLP_IS_KEPT(first)))
                clp_publish(board, first, total);
        }
        if (step >= steps)
            break;
        uint came;
        const __local CLP_A *prefixes = 0;
#if CLP_BY_RUNS
        if (scanner && own)
            came = clp_scan_tile_by_runs(in, out, n, tile, goal, board, pad, init, parts, meeting);
        else
#endif
        {
            prefixes = clp_gather(board, goal, pad, init, parts);
            came = prefixes != 0;
        }
        may_lose = 0;
        if (!came) {
            own = own && lost[0] != 0; /* with its tiles reduced, the same goal again */
            goal = clp_next_goal(goal, lost, &first, &end);
            continue;
        }
        if (CLP_TEAM_LEADER && goal.tiles == 32u && (!own || CLP_IS_KEPT(block)))
            clp_publish(board, board.blocks_at + goal.block, prefixes[31]);
        if (CLP_TEAM_LEADER && goal.blocks == 32u && (!own || CLP_IS_KEPT(block)))
            clp_publish(board, board.supers_at + goal.block / 32 + 1, CLP_OP(before, prefixes[63]));
#if !CLP_BY_RUNS
        if (scanner && own) {
            const CLP_A prefix =
                CLP_OP(CLP_OP(before, b > 0 ? prefixes[32u + b - 1u] : pad), t > 0 ? prefixes[t - 1u] : pad);
            clp_tile_scan(in + tile * CLP_TILE, out + tile * CLP_TILE, clp_tile_count(n, tile), prefix, pad, scratch);
        }
#endif
        step += own;
        own = 1;
        goal = scanner ? to_scan : step == 0 ? block_total : super_total;
    }
    if (scanner && tile == 0 && n > 0 && has_head) {
        CLP_TEAM_BARRIER();
        if (CLP_TEAM_LEADER)
            out[0] = CLP_STORE(head);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * select_pass.cl: stream compaction, the first elements of runs, and run-length encoding in one launch (schedule "one
 * pass"). simt shape, with sub-groups; built-in types; fewer than 2^32 elements.
 *
 * Algorithm: pass.cl's, with counts for totals. Each run of 32 work-items has a group of 512 elements of a tile, in rows
 * of 32 vectors of 16 bytes, of which neighbours load neighbours. What is kept is numbered row by row: the counts of up to
 * four rows are scanned in one word. The kept elements, or their places, wait in local memory in order, while the tile's
 * count is published and the next tile is on its way; then neighbours write neighbours. A run's length is known where
 * the next one begins. For that of a tile's first one each tile publishes, behind all that pass.cl has, the place behind
 * its last one, 0 if it has none: who needs it looks back for the nearest.
 *
 * Launch: one-dimensional, two work-groups at least; fewer than 2^32 tiles and work-groups together. Local memory: two
 * tiles of outputs, or of places of 16 bits, and a little more, see the kernel.
 *
 * Macros: select.cl's, but CLP_ITEMS; CLP_OTHERS 3 is run-length encoding, with lengths and offsets of type CLP_W; and
 *   CLP_V        elements in 16 bytes
 *   CLP_SECOND_BITS   size of CLP_W
 */
#include "prelude.cl"
#include "order.cl"
#include "operators.cl"
#include "user.cl"
#include "subgroups.cl"
#include "team.cl"
#include "select_keep.cl"

#if CLP_SIMD || CLP_SUBGROUPS == 1 || CLP_WG_SIZE != 256
#error "one pass of a selection is for work-groups of 256 with sub-groups"
#endif
#if !defined(CLP_V) || !defined(CLP_SECOND_BITS)
#error "CLP_V and CLP_SECOND_BITS must be numbers"
#endif
#if CLP_OTHERS == 1
#error "a partition must know the count first"
#endif
#define CLP_LENGTHS (CLP_OTHERS == 3)
#if CLP_LENGTHS && CLP_BY != 3
#error "lengths are those of runs: CLP_BY must be 3"
#endif

#define CLP_A uint
#define CLP_A_BITS 32
#define CLP_ANY 0
#define CLP_HEADS 0
#define CLP_OP(a, b) ((a) + (b))
#define clp_value uint
#include "scan_shared.cl"
#include "pass.cl"

#define CLP_WAITS 1
#define CLP_GROUP 512u
#define CLP_VECTOR_ROWS (16 / CLP_V)
/* The counts of rows in a word: a row has 32 CLP_V elements. */
#define CLP_ROWS_IN_WORD (CLP_VECTOR_ROWS < 4 ? CLP_VECTOR_ROWS : 4)
#define CLP_COUNT_BITS (32 / CLP_ROWS_IN_WORD)
#define CLP_COUNT_OF(word, row) (CLP_VECTOR_ROWS == 1 ? (word) : (word) >> (row) % 4 * CLP_COUNT_BITS & ((1ul << CLP_COUNT_BITS) - 1))
/* Outputs of 32 bits wait themselves, others' places do. */
#define CLP_PLACES (CLP_OTHERS >= 2 || CLP_OUT_BITS > 32)
#if CLP_PLACES
#define clp_waiting ushort
#else
#define clp_waiting CLP_OUT
#endif
/* The second array's elements that go with a vector are loaded as one word or vector. */
#if CLP_SEES_SECOND && (CLP_SECOND_BITS * CLP_V == 32 || CLP_SECOND_BITS * CLP_V == 64 || CLP_SECOND_BITS * CLP_V == 128)
#define CLP_SECOND_WORDS (CLP_SECOND_BITS * CLP_V / 32)
#else
#define CLP_SECOND_WORDS 0
#endif

typedef struct {
    const __global CLP_T *in;
    const __global CLP_W *second;
    uint pad, init;
    clp_board board;
    clp_parts parts;
} clp_work;

typedef struct {
    __global CLP_OUT *out;
    __global CLP_W *values;
    __global CLP_C *count;
    ulong n, capacity;
    __local clp_waiting *waiting; /* two tiles */
    __local uint *groups;         /* two times 8 counts of groups */
    __local uint *rows;           /* 8 times CLP_VECTOR_ROWS / 4 words of counts of rows */
    volatile __local uint *near;  /* a word of either turn, see clp_count_before() */
#if CLP_LENGTHS
    __global CLP_W *offsets;
    uint has_offsets;
    ulong lasts_at;    /* on the board: places behind tiles' last heads */
    volatile __local uint *met; /* two words of either turn: see clp_look_back() and clp_last_before() */
#endif
    clp_work work;
} clp_pass;

typedef union {
    uint4 bytes;
    CLP_T lanes[CLP_V];
} clp_elements;

#if CLP_SECOND_WORDS
#if CLP_SECOND_WORDS == 1
#define CLP_SECOND_VECTOR uint
#elif CLP_SECOND_WORDS == 2
#define CLP_SECOND_VECTOR uint2
#else
#define CLP_SECOND_VECTOR uint4
#endif
typedef union {
    CLP_SECOND_VECTOR bytes;
    CLP_W lanes[CLP_V];
} clp_seconds;
#endif

typedef struct {
    uint4 vectors[CLP_VECTOR_ROWS];
#if CLP_BY == 3
    CLP_T earlier[CLP_VECTOR_ROWS]; /* in lane 31: the element before each row */
#endif
#if CLP_SECOND_WORDS
    CLP_SECOND_VECTOR seconds[CLP_VECTOR_ROWS];
#endif
} clp_own;

typedef struct {
    uint before, count; /* of this run's group: kept ones in the groups before, and in it */
    uint total;         /* of the tile */
#if CLP_LENGTHS
    uint previous, last; /* places in the tile behind the last head of the groups before, and of all; 0: there is none */
#endif
} clp_held;

/* Where a work-item's vector lies in a row: the vector before it is the next work-item's, see scan_shared.cl. */
#define CLP_PLACE_IN_ROW (CLP_LANE ^ 31u)
#define CLP_FIRST(row) ((CLP_PLACE_IN_ROW + (row) * 32u) * CLP_V)

static inline uint clp_tile_count(ulong n, ulong tile) {
    return (uint)min(4096ul, n - tile * 4096);
}

/* @return are they vectors? */
CLP_INLINE uint clp_fetch_tile(const clp_pass *pass, ulong tile, clp_own *own) {
    const ulong first = tile * 4096 + CLP_RUN * CLP_GROUP;
    const __global CLP_T *x = pass->work.in + first;
    uint vectors = clp_tile_count(pass->n, tile) == 4096u && ((size_t)x & 15) == 0;
#if CLP_SECOND_WORDS
    const __global CLP_W *s = pass->work.second + first;
    vectors = vectors && ((size_t)s & (CLP_SECOND_WORDS * 4 - 1)) == 0;
#endif
#pragma unroll
    for (uint row = 0; row < CLP_VECTOR_ROWS; row++) {
        own->vectors[row] = (uint4)(0);
#if CLP_BY == 3
        own->earlier[row] = 0;
#endif
#if CLP_SECOND_WORDS
        own->seconds[row] = 0;
#endif
    }
    if (vectors) {
#pragma unroll
        for (uint row = 0; row < CLP_VECTOR_ROWS; row++) {
            own->vectors[row] = CLP_FETCH((const __global uint4 *)(x + CLP_FIRST(row)));
#if CLP_BY == 3
            if (CLP_LANE == 31u && first + row > 0)
                own->earlier[row] = x[(long)(row * 32u * CLP_V) - 1];
#endif
#if CLP_SECOND_WORDS
            own->seconds[row] = *(const __global CLP_SECOND_VECTOR *)(s + CLP_FIRST(row));
#endif
        }
    }
    return vectors;
}

/* Keeps element `place` of the group, which is x, at this place of what waits. */
#if CLP_PLACES
#define CLP_WAIT(to, x, place) ((to) = (ushort)(place))
#else
#define CLP_WAIT(to, x, place) ((to) = CLP_OUTPUT(x, first + (place)))
#endif

CLP_INLINE void clp_settle(const clp_pass *pass, ulong tile, const clp_own *own, uint vectors, uint slot,
                           clp_held *held) {
    const ulong first = tile * 4096 + CLP_RUN * CLP_GROUP;
    const uint tile_count = clp_tile_count(pass->n, tile);
    const uint there = tile_count > CLP_RUN * CLP_GROUP ? min(tile_count - CLP_RUN * CLP_GROUP, CLP_GROUP) : 0u;
    const __global CLP_T *x = pass->work.in + first;
    const __global CLP_W *s = pass->work.second + first;
    __local clp_waiting *waiting = pass->waiting + slot * 4096u + CLP_RUN * CLP_GROUP;
    uint keep = 0, counts[CLP_VECTOR_ROWS / CLP_ROWS_IN_WORD];
    clp_elements rows[CLP_VECTOR_ROWS];
#pragma unroll
    for (uint word = 0; word < CLP_VECTOR_ROWS / CLP_ROWS_IN_WORD; word++)
        counts[word] = 0;
#pragma unroll
    for (uint row = 0; row < CLP_VECTOR_ROWS; row++) {
        uint bits = 0;
        rows[row].bytes = own->vectors[row];
        if (vectors) {
#if CLP_BY == 3
            clp_elements before;
            before.bytes = (uint4)(0, 0, clp_later(rows[row].bytes.z, 1), clp_later(rows[row].bytes.w, 1));
            CLP_T earlier = CLP_LANE < 31u ? before.lanes[CLP_V - 1] : own->earlier[row];
#endif
#if CLP_SECOND_WORDS
            clp_seconds seconds;
            seconds.bytes = own->seconds[row];
#endif
#pragma unroll
            for (uint i = 0; i < CLP_V; i++) {
                const CLP_T element = rows[row].lanes[i];
#if CLP_BY == 3
                bits |= clp_keep_of(element, earlier, 0, first + CLP_FIRST(row) + i) << i;
                earlier = element;
#elif CLP_SECOND_WORDS
                bits |= clp_keep_of(element, element, seconds.lanes[i], first + CLP_FIRST(row) + i) << i;
#elif CLP_SEES_SECOND
                bits |= clp_keep_of(element, element, s[CLP_FIRST(row) + i], first + CLP_FIRST(row) + i) << i;
#else
                bits |= clp_keep_of(element, element, 0, first + CLP_FIRST(row) + i) << i;
#endif
            }
        } else {
#pragma unroll
            for (uint i = 0; i < CLP_V; i++)
                if (CLP_FIRST(row) + i < there) {
                    rows[row].lanes[i] = x[CLP_FIRST(row) + i];
                    bits |= clp_keep(pass->work.in, pass->work.second, first + CLP_FIRST(row) + i) << i;
                }
        }
        keep |= bits << (row * CLP_V);
        counts[row / 4u] += popcount(bits) << row % 4u * CLP_COUNT_BITS % 32u;
    }
    __local uint *sums = pass->rows + CLP_RUN * (CLP_VECTOR_ROWS / CLP_ROWS_IN_WORD);
    uint before[CLP_VECTOR_ROWS / CLP_ROWS_IN_WORD];
    CLP_RUN_SYNC(); /* the sums of the tile before were read */
#pragma unroll
    for (uint word = 0; word < CLP_VECTOR_ROWS / CLP_ROWS_IN_WORD; word++) {
        const uint scanned = clp_scan_lanes(counts[word], 0);
        before[word] = scanned - counts[word];
        if (CLP_LANE == 0)
            sums[word] = scanned;
    }
    CLP_RUN_SYNC();
    uint rows_before = 0;
#pragma unroll
    for (uint row = 0; row < CLP_VECTOR_ROWS; row++) {
        uint at = rows_before + CLP_COUNT_OF(before[row / 4u], row);
        rows_before += CLP_COUNT_OF(sums[row / 4u], row);
#pragma unroll
        for (uint i = 0; i < CLP_V; i++)
            if (keep >> (row * CLP_V + i) & 1u) {
                CLP_WAIT(waiting[at], rows[row].lanes[i], CLP_FIRST(row) + i);
                at++;
            }
    }
    held->count = rows_before;
    if (CLP_LANE == 0)
        pass->groups[slot * 8u + CLP_RUN] = rows_before;
    (void)s;
}

CLP_INLINE uint clp_announced(const clp_pass *pass, ulong tile, uint slot, clp_held *held) {
    uint total = 0;
#if CLP_LENGTHS
    held->previous = held->last = 0;
#pragma unroll
    for (uint group = 0; group < 8; group++) {
        const uint count = pass->groups[slot * 8u + group];
        held->previous = group == CLP_RUN ? held->last : held->previous;
        if (count > 0)
            held->last = group * CLP_GROUP + pass->waiting[slot * 4096u + group * CLP_GROUP + count - 1u] + 1u;
    }
    if (CLP_TEAM_LEADER && CLP_IS_KEPT(tile))
        clp_publish(pass->work.board, pass->lasts_at + tile, held->last);
#else
    (void)tile;
#endif
    held->before = 0;
#pragma unroll
    for (uint group = 0; group < 8; group++) {
        held->before += group < CLP_RUN ? pass->groups[slot * 8u + group] : 0u;
        total += pass->groups[slot * 8u + group];
    }
    held->total = total;
    return total;
}

#include "select_before.cl"

CLP_INLINE void clp_finish(const clp_pass *pass, ulong tile, uint slot, uint turn, const clp_held *held, uint prefix) {
    const __local clp_waiting *waiting = pass->waiting + slot * 4096u + CLP_RUN * CLP_GROUP;
    const ulong k = (ulong)prefix + held->before;
    const uint stop = k >= pass->capacity ? 0u : (uint)min((ulong)held->count, pass->capacity - k);
    __global CLP_OUT *out = pass->out + k;
#if CLP_PLACES
    const ulong first = tile * 4096 + CLP_RUN * CLP_GROUP;
#endif
    (void)turn;
#if CLP_OTHERS == 2
    __global CLP_W *values = pass->values + k;
#endif
#if CLP_LENGTHS
    const uint ends = (tile + 1) * 4096 >= pass->n; /* the last run does */
    uint met = pass->met[turn];
    if (prefix > 0 && met == 0 && (held->total > 0 || ends))
        met = clp_last_before(&pass->work, pass->lasts_at, tile, pass->met + 2 + turn); /* not the one that others may not have read yet */
    __global CLP_W *lengths = pass->values;
    if (CLP_LANE == 0 && held->count > 0 && k > 0 && k <= pass->capacity)
        lengths[k - 1] = (CLP_W)(first + waiting[0] - (held->previous > 0 ? tile * 4096 + held->previous : met) + 1);
    const ulong all = (ulong)prefix + held->total;
    if (ends && CLP_TEAM_LEADER && all > 0 && all <= pass->capacity)
        lengths[all - 1] = (CLP_W)(pass->n - (held->last > 0 ? tile * 4096 + held->last : met) + 1);
    lengths += k;
#endif
#pragma unroll 4
    for (uint e = CLP_LANE; e < stop; e += 32u) {
#if CLP_PLACES
        const ulong i = first + waiting[e];
        out[e] = CLP_OUTPUT(pass->work.in[i], i);
#if CLP_OTHERS == 2
        values[e] = pass->work.second[i];
#endif
#if CLP_LENGTHS
        if (e + 1 < held->count)
            lengths[e] = (CLP_W)(waiting[e + 1] - waiting[e]);
        if (pass->has_offsets)
            pass->offsets[k + e] = (CLP_W)i;
#endif
#else
        out[e] = waiting[e];
#endif
    }
    if ((tile + 1) * 4096 >= pass->n && CLP_TEAM_LEADER)
        *pass->count = (CLP_C)((ulong)prefix + held->total);
    CLP_RUN_SYNC(); /* what waited was read */
}

/* By a word of local memory that nobody else needs meanwhile. */
static inline uint clp_total_again(const clp_work *work, ulong tile) {
    __local uint *total = work->parts.scratch.totals;
    uint own = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (CLP_TEAM_LEADER)
        *total = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint e = (uint)get_local_id(0); e < 4096u; e += CLP_WG_SIZE)
        own += clp_keep(work->in, work->second, tile * 4096 + e);
    atomic_add(total, own);
    barrier(CLK_LOCAL_MEM_FENCE);
    return *total;
}

#if CLP_LENGTHS
#define CLP_CLEAR(turn) pass.near[turn] = pass.met[turn] = pass.met[2 + (turn)] = 0;
#else
#define CLP_CLEAR(turn) pass.near[turn] = 0;
#endif
#define CLP_FINISH(tile, from, held, prefix) clp_finish(&pass, tile, from, slot, held, prefix)
#define CLP_WORK pass.work
#include "pass_recover.cl"

#if CLP_LENGTHS
#define CLP_OFFSETS_PARAMETERS __global CLP_W *offsets, ulong offsets_offset, uint has_offsets,
#else
#define CLP_OFFSETS_PARAMETERS
#endif
/* values: with CLP_OTHERS 2 where the second array's elements go, with 3 the lengths. */
CLP_KERNEL void clp_select_pass(const __global CLP_T *in, ulong in_offset, const __global CLP_W *second,
                                ulong second_offset, __global CLP_OUT *out, ulong out_offset, ulong capacity,
                                __global CLP_W *values, ulong values_offset, CLP_OFFSETS_PARAMETERS ulong n,
                                __global CLP_C *count, ulong count_offset, volatile __global ulong *words, uint epoch,
                                volatile __global uint *ticket) {
    __local clp_waiting waiting[2 * 4096];
    __local uint groups[16], rows[8 * (CLP_VECTOR_ROWS / CLP_ROWS_IN_WORD)], totals[64], before, lost[3], tickets[2];
    const ulong tiles = CLP_UNITS(n, 4096ul);
    clp_pass pass;
    if (n == 0 && get_global_id(0) == 0)
        count[count_offset] = 0;
    pass.work.in = in + in_offset, pass.work.second = second + second_offset, pass.work.pad = 0, pass.work.init = 0;
    pass.work.board = clp_board_of(words, epoch, tiles);
    pass.work.parts.before = &before, pass.work.parts.lost = lost, pass.work.parts.scratch.values = totals;
    pass.work.parts.scratch.totals = totals, pass.work.parts.scratch.other = totals;
    pass.out = out + out_offset, pass.values = values + values_offset, pass.count = count + count_offset;
    pass.n = n, pass.capacity = capacity;
    __local uint near[2];
    pass.waiting = waiting, pass.groups = groups, pass.rows = rows, pass.near = near;
#if CLP_LENGTHS
    __local uint met[4];
    pass.offsets = offsets + offsets_offset, pass.has_offsets = has_offsets, pass.met = met;
    pass.lasts_at = pass.work.board.fronts_at + CLP_UNITS(tiles, 32ul) + 1;
#endif
#include "pass_turns.cl"
}

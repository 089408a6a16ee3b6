/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan_runs.cl: a tile of a scan by a work-group with sub-groups, a group of 512 by each run of 32 work-items: so
 * neighbours exchange within a run, and the work-group meets once a tile. For CLP_STEP 8; included by scan_simt.cl.
 *
 *   clp_fetch_own(x, count, own)     starts to load a tile: sixteen elements for each work-item
 *   clp_finish_tile(…)               scans what was loaded; returns the tile's total
 *   clp_tile_total(x, count, pad, l) the total alone of any tile
 *   clp_full_totals(x, count, …)     the totals alone of full, aligned tiles
 *
 * CLP_RUN_SYNC()   what one work-item of a run wrote to local memory is there for the others
 */
#if CLP_SUBGROUPS == 2
#define CLP_RUN_SYNC() __asm__ volatile("bar.warp.sync 0xffffffff;" ::: "memory")
#else
#define CLP_RUN_SYNC() barrier(CLK_LOCAL_MEM_FENCE)
#endif

/* This work-item's run, which has group `run` of the tile; runs beyond the eighth idle. */
#define CLP_RUN ((uint)get_local_id(0) / 32u)
#define CLP_LANE ((uint)get_local_id(0) % 32u)
#define CLP_GROUP_COUNT(count) ((count) > CLP_RUN * CLP_GROUP ? min((count) - CLP_RUN * CLP_GROUP, CLP_GROUP) : 0u)

/* Can this run's group be read or written as vectors? */
#if CLP_V > 1
#define CLP_X_ALIGNED(x, there) ((there) == CLP_GROUP && ((size_t)(x) & 15) == 0)
#else
#define CLP_X_ALIGNED(x, there) 0
#endif

/* A group's vectors on their way: neighbours have neighbours. Without vectors nothing is on its way. */
typedef struct {
#if CLP_V > 1
    uint4 vectors[16 / CLP_V];
#else
    uint none;
#endif
} clp_own;

/* @return are they vectors? */
static inline uint clp_fetch_own(const __global CLP_T *x, uint count, clp_own *own) {
#if CLP_V > 1
    const uint there = CLP_RUN < 8u ? CLP_GROUP_COUNT(count) : 0u;
    const __global CLP_T *from = x + CLP_RUN * CLP_GROUP;
    if (CLP_X_ALIGNED(from, there)) {
#pragma unroll
        for (uint i = 0; i < 16 / CLP_V; i++)
            own->vectors[i] = CLP_FETCH((const __global uint4 *)from + CLP_LANE + i * 32u);
        return 1;
    }
#pragma unroll
    for (uint i = 0; i < 16 / CLP_V; i++)
        own->vectors[i] = (uint4)(0); /* a register that is set on some paths only is kept on all */
#else
    own->none = 0;
#endif
    return 0;
}

/* Brings a group into local memory, its vectors or one element after the other; what is missing are pads. */
static inline void clp_spread_own(const clp_own *own, uint aligned, const __global CLP_T *x, uint there, CLP_A pad,
                                  __local CLP_A *values) {
#if CLP_V > 1
    if (aligned) {
#pragma unroll
        for (uint i = 0; i < 16 / CLP_V; i++)
            clp_spread(own->vectors[i], CLP_LANE * CLP_V + i * 32u * CLP_V, values);
        return;
    }
#endif
    x += CLP_RUN * CLP_GROUP;
#pragma unroll 8
    for (uint i = 0; i < 16; i++) {
        CLP_A element = pad;
        if (i * 32u + CLP_LANE < there)
            element = CLP_LOAD(x[i * 32u + CLP_LANE]);
        values[CLP_AT(CLP_LANE) + CLP_AT(i * 32u)] = element;
    }
}

/* Local memory of a tile on its way. Two halves take turns, so that one meeting a tile is enough. */
typedef struct {
    __local CLP_A *groups; /* 8 totals */
    __local CLP_A *parts;  /* of the prefix: tiles before it in the block, blocks, super-blocks */
} clp_meeting;

/*
 * value: work-item c's, of the 64 first: total c ^ 31 of the tiles of the block and, from 32 on, of the blocks of the
 * super-block; that of work-item 64 is the super-block's prefix. t, b: how many of them are before this tile.
 * *lost: after the meeting, if it is not NULL: is anything amiss? Then nothing is written.
 */
static inline CLP_A clp_finish_tile(const clp_own *own, uint aligned, const __global CLP_T *x, __global CLP_R *y, uint count, CLP_A value, uint t,
                                    uint b, CLP_A pad, __local CLP_A *all_values, clp_meeting meeting,
                                    const __local uint *lost) {
    const uint there = CLP_RUN < 8u ? CLP_GROUP_COUNT(count) : 0u, local_id = (uint)get_local_id(0);
    __local CLP_A *values = all_values + (CLP_RUN < 8u ? CLP_AT(CLP_RUN * CLP_GROUP) : 0u);
    const CLP_A ahead = clp_scan_lanes(value, pad);
    if (local_id < 64u) {
        const uint place = local_id ^ 31u;
        if (place + 1u == t || (b > 0 && place + 1u == 32u + b))
            meeting.parts[place / 32u] = ahead;
        if (local_id == 0 && t == 0)
            meeting.parts[0] = pad;
        if (local_id == 32u && b == 0)
            meeting.parts[1] = pad;
    } else if (local_id == 64u) {
        meeting.parts[2] = value;
    }
    CLP_RUN_SYNC(); /* the last tile's outputs have left local memory */
    if (CLP_RUN < 8u)
        clp_spread_own(own, aligned, x, there, pad, values);
    CLP_RUN_SYNC();
    const uint chunk = CLP_LANE ^ 31u;
    const CLP_A scanned = clp_scan_lanes(CLP_RUN < 8u ? clp_chunk_total(values, chunk) : pad, pad);
    const CLP_A earlier = clp_later(scanned, 1);
    if (CLP_LANE == 0 && CLP_RUN < 8u)
        meeting.groups[CLP_RUN] = scanned;
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint amiss = lost && (lost[0] | lost[1] | lost[2]);
    CLP_A before = pad, total = pad;
#pragma unroll
    for (uint group = 0; group < 8; group++) {
        if (group == CLP_RUN)
            before = total;
        total = CLP_OP(total, meeting.groups[group]);
    }
    before = CLP_OP(CLP_OP(CLP_OP(meeting.parts[2], meeting.parts[1]), meeting.parts[0]), before);
    if (CLP_RUN < 8u)
        clp_scan_chunk(values, chunk, CLP_OP(before, chunk > 0 ? earlier : pad), pad);
    CLP_RUN_SYNC();
    if (CLP_RUN >= 8u || amiss)
        return total;
    y += CLP_RUN * CLP_GROUP;
#if CLP_VR > 1
    if (there == CLP_GROUP && ((size_t)y & 15) == 0) {
#pragma unroll
        for (uint i = 0; i < 16 / CLP_VR; i++)
            CLP_PUT((__global uint4 *)y + i * 32u + CLP_LANE,
                    clp_collect(values, CLP_LANE * CLP_VR + i * 32u * CLP_VR));
        return total;
    }
#endif
#pragma unroll 8
    for (uint i = 0; i < 16; i++)
        if (i * 32u + CLP_LANE < there)
            y[i * 32u + CLP_LANE] = CLP_STORE(values[CLP_AT(i * 32u + CLP_LANE)]);
    return total;
}

static inline CLP_A clp_tile_total(const __global CLP_T *x, uint count, CLP_A pad, clp_scratch local_memory) {
    const uint there = CLP_RUN < 8u ? CLP_GROUP_COUNT(count) : 0u;
    __local CLP_A *values = local_memory.values + (CLP_RUN < 8u ? CLP_AT(CLP_RUN * CLP_GROUP) : 0u);
    clp_own own;
    const uint aligned = clp_fetch_own(x, count, &own);
    CLP_RUN_SYNC();
    if (CLP_RUN < 8u)
        clp_spread_own(&own, aligned, x, there, pad, values);
    CLP_RUN_SYNC();
    const CLP_A scanned = clp_scan_lanes(CLP_RUN < 8u ? clp_chunk_total(values, CLP_LANE ^ 31u) : pad, pad);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (CLP_LANE == 0 && CLP_RUN < 8u)
        local_memory.totals[CLP_RUN] = scanned;
    barrier(CLK_LOCAL_MEM_FENCE);
    CLP_A total = pad;
#pragma unroll
    for (uint group = 0; group < 8; group++)
        total = CLP_OP(total, local_memory.totals[group]);
    return total;
}

#if CLP_V > 1
#define CLP_ROWS_16 (16 / CLP_V) /* vectors that a work-item has of a group: neighbours read neighbours */

/* The total of this run's group in work-item 0 of the run, of rows of 32 vectors. */
static inline CLP_A clp_group_total(const uint4 *batch) {
    CLP_A rows[CLP_ROWS_16];
#pragma unroll
    for (uint row = 0; row < CLP_ROWS_16; row++) {
        clp_elements elements;
        CLP_A v[CLP_V];
        elements.bytes = batch[row];
#pragma unroll
        for (uint i = 0; i < CLP_V; i++)
            v[i] = CLP_LOAD(elements.lanes[i]);
#pragma unroll
        for (uint level = 0; level < 4; level++)
#pragma unroll
            for (uint i = 0; i < CLP_V / 2; i++)
                if (i < (CLP_V / 2) >> level)
                    v[i] = CLP_OP(v[2 * i], v[2 * i + 1]);
        rows[row] = v[0];
    }
#pragma unroll
    for (uint d = 1; d < 32; d *= 2)
#pragma unroll
        for (uint row = 0; row < CLP_ROWS_16; row++)
            rows[row] = CLP_OP(rows[row], clp_later(rows[row], d));
#pragma unroll
    for (uint level = 0; level < 4; level++)
#pragma unroll
        for (uint i = 0; i < CLP_ROWS_16 / 2; i++)
            if (i < (CLP_ROWS_16 / 2) >> level)
                rows[i] = CLP_OP(rows[2 * i], rows[2 * i + 1]);
    return rows[0];
}

/*
 * Totals of `count` full, aligned tiles, CLP_TOTALS at most: that of tile q in work-item q. Two tiles are loaded at a
 * time, to have many loads on their way; all load, whether they need it or not, see clp_fetch_own. groups: local memory of 8 · CLP_TOTALS.
 */
#define CLP_TOTALS 4u
static inline CLP_A clp_full_totals(const __global CLP_T *x, uint count, CLP_A pad, __local CLP_A *groups) {
    const __global uint4 *vectors = (const __global uint4 *)x + CLP_RUN % 8u * (CLP_GROUP / CLP_V) + CLP_LANE;
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint pair = 0; pair < CLP_TOTALS; pair += 2) {
        uint4 batch[2][CLP_ROWS_16];
#pragma unroll
        for (uint q = 0; q < 2; q++)
#pragma unroll
            for (uint row = 0; row < CLP_ROWS_16; row++)
                batch[q][row] =
                    CLP_FETCH(vectors + (pair + q < count ? pair + q : 0u) * (CLP_TILE / CLP_V) + row * 32u);
#pragma unroll
        for (uint q = 0; q < 2; q++) {
            const CLP_A total = clp_group_total(batch[q]);
            if (CLP_LANE == 0 && CLP_RUN < 8u)
                groups[(pair + q) * 8u + CLP_RUN] = total;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    CLP_A total = pad;
    if ((uint)get_local_id(0) < count)
#pragma unroll
        for (uint i = 0; i < 8; i++)
            total = CLP_OP(total, groups[(uint)get_local_id(0) * 8u + i]);
    return total;
}
#endif

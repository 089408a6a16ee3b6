/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan_runs.cl: a tile of a scan by a work-group with sub-groups, a group of 512 by each run of 32 work-items: so
 * neighbours exchange within a run, and the work-group meets once a tile. For CLP_STEP 8; included by scan_simt.cl.
 *
 *   clp_fetch_own(x, count, own)     starts to load a tile: sixteen elements for each work-item
 *   clp_settle_group(…)              puts what was loaded into local memory and scans the totals of its chunks
 *   clp_fold_groups(…)               after a barrier: what lies before each group, and the tile's total
 *   clp_finish_group(…)              scans the chunks behind a prefix and writes the outputs
 *   clp_finish_tile(…)               all of these; returns the tile's total
 *   clp_tile_total(x, count, pad, l) the total alone of any tile
 *   clp_full_totals(x, count, …)     the totals alone of full, aligned tiles
 *
 * A group lies in local memory by 16 bytes, at clp_swizzle() of their place: then neighbours that have neighbouring 16
 * bytes and neighbours that have 16 bytes of neighbouring chunks all find them in different banks.
 *
 * CLP_HELD_LOCAL     1: between settling and finishing, elements stay in local memory; 0: in registers
 */
#ifndef CLP_HELD_LOCAL
#define CLP_HELD_LOCAL 0
#endif

/* Accumulators in 16 bytes, and these of a chunk and of a group. */
#define CLP_PER16 (128u / CLP_A_BITS)
#define CLP_CHUNK16 (16u / CLP_PER16)
#define CLP_GROUP16 (CLP_GROUP / CLP_PER16)
#if CLP_V * CLP_A_BITS < 128
#error "an element must not be larger than its accumulator"
#endif

typedef union {
    uint4 bytes;
    CLP_A lanes[CLP_PER16];
} clp_sixteen;

static inline uint clp_swizzle(uint place) {
    return place ^ (place >> 3 & 7u);
}

/* Where the accumulator of element e of a group lies, in accumulators. */
static inline uint clp_swizzled(uint e) {
    return clp_swizzle(e / CLP_PER16) * CLP_PER16 + e % CLP_PER16;
}

/* Elements that this run's group has, of a tile that has count. */
#define CLP_GROUP_COUNT(count) ((count) > CLP_RUN * CLP_GROUP ? min((count) - CLP_RUN * CLP_GROUP, CLP_GROUP) : 0u)
/* Can a group be read or written as vectors? */
#define CLP_ALIGNED(x, there) ((there) == CLP_GROUP && ((size_t)(x) & 15) == 0)

/* A group's vectors on their way: neighbours have neighbours. */
typedef struct {
    uint4 vectors[16 / CLP_V];
} clp_own;

/* @return are they vectors? */
CLP_INLINE uint clp_fetch_own(const __global CLP_T *x, uint count, clp_own *own) {
    const uint there = CLP_WORKS ? CLP_GROUP_COUNT(count) : 0u;
    const __global CLP_T *from = x + CLP_RUN * CLP_GROUP;
    if (CLP_ALIGNED(from, there)) {
#pragma unroll
        for (uint i = 0; i < 16 / CLP_V; i++)
            own->vectors[i] = CLP_FETCH((const __global uint4 *)from + CLP_LANE + i * 32u);
        return 1;
    }
#pragma unroll
    for (uint i = 0; i < 16 / CLP_V; i++)
        own->vectors[i] = (uint4)(0); /* a register that is set on some paths only is kept on all */
    return 0;
}

/* Brings a group into local memory, its vectors or one element after the other; what is missing are pads. */
CLP_INLINE void clp_spread_own(const clp_own *own, uint aligned, const __global CLP_T *x, uint there, CLP_A pad,
                                  __local uint4 *group) {
    if (aligned) {
#pragma unroll
        for (uint i = 0; i < 16 / CLP_V; i++) {
            clp_elements elements;
            elements.bytes = own->vectors[i];
#pragma unroll
            for (uint part = 0; part < CLP_V / CLP_PER16; part++) {
                clp_sixteen some;
#pragma unroll
                for (uint lane = 0; lane < CLP_PER16; lane++)
                    some.lanes[lane] = CLP_LOAD(elements.lanes[part * CLP_PER16 + lane]);
                group[clp_swizzle((CLP_LANE + i * 32u) * (CLP_V / CLP_PER16) + part)] = some.bytes;
            }
        }
        return;
    }
    x += CLP_RUN * CLP_GROUP;
#pragma unroll 8
    for (uint i = 0; i < 16; i++) {
        CLP_A element = pad;
        if (i * 32u + CLP_LANE < there)
            element = CLP_LOAD(x[i * 32u + CLP_LANE]);
        ((__local CLP_A *)group)[clp_swizzled(i * 32u + CLP_LANE)] = element;
    }
}

/* This work-item's chunk, see scan_simt.cl. */
#define CLP_CHUNK (CLP_LANE ^ 31u)

CLP_INLINE void clp_take_chunk(const __local uint4 *group, CLP_A *v) {
#pragma unroll
    for (uint part = 0; part < CLP_CHUNK16; part++) {
        clp_sixteen some;
        some.bytes = group[clp_swizzle(CLP_CHUNK * CLP_CHUNK16 + part)];
#pragma unroll
        for (uint lane = 0; lane < CLP_PER16; lane++)
            v[part * CLP_PER16 + lane] = some.lanes[lane];
    }
}

/* What a work-item keeps of a tile between settling and finishing. */
typedef struct {
    CLP_A before, earlier; /* folds of the groups before its own, and of the chunks before its own in the group */
#if !CLP_HELD_LOCAL
    CLP_A chunk[16];
#endif
} clp_held;

/* group: of this run; totals: of the tile's 8 groups, for clp_fold_groups(). */
CLP_INLINE void clp_settle_group(const clp_own *own, uint aligned, const __global CLP_T *x, uint count, CLP_A pad,
                                    __local uint4 *group, __local CLP_A *totals, clp_held *held) {
    const uint there = CLP_WORKS ? CLP_GROUP_COUNT(count) : 0u;
    CLP_RUN_SYNC(); /* the last tile's outputs have left local memory */
    if (CLP_WORKS)
        clp_spread_own(own, aligned, x, there, pad, group);
    CLP_RUN_SYNC();
    CLP_A v[16];
#pragma unroll
    for (uint i = 0; i < 16; i++)
        v[i] = pad;
    if (CLP_WORKS)
        clp_take_chunk(group, v);
#if !CLP_HELD_LOCAL
#pragma unroll
    for (uint i = 0; i < 16; i++)
        held->chunk[i] = v[i];
#endif
    const CLP_A scanned = clp_scan_lanes(clp_tree16(v), pad), earlier = clp_later(scanned, 1);
    held->earlier = CLP_CHUNK > 0 ? earlier : pad;
    if (CLP_LANE == 0 && CLP_WORKS)
        totals[CLP_RUN] = scanned;
}

/* @return the tile's total */
CLP_INLINE CLP_A clp_fold_groups(const __local CLP_A *totals, CLP_A pad, clp_held *held) {
    CLP_A total = pad;
    held->before = pad;
#pragma unroll
    for (uint group = 0; group < 8; group++) {
        if (group == CLP_RUN)
            held->before = total;
        total = CLP_OP(total, totals[group]);
    }
    return total;
}

/* prefix: of the tile. */
CLP_INLINE void clp_finish_group(const clp_held *held, CLP_A prefix, CLP_A pad, __global CLP_R *y, uint count,
                                    __local uint4 *group) {
    const uint there = CLP_WORKS ? CLP_GROUP_COUNT(count) : 0u;
    prefix = CLP_OP(CLP_OP(prefix, held->before), held->earlier);
    if (CLP_WORKS) {
        CLP_A v[16];
#if CLP_HELD_LOCAL
        clp_take_chunk(group, v);
#else
#pragma unroll
        for (uint i = 0; i < 16; i++)
            v[i] = held->chunk[i];
#endif
        clp_hillis_steele(v, pad);
#pragma unroll
        for (uint part = 0; part < CLP_CHUNK16; part++) {
            clp_sixteen some;
#pragma unroll
            for (uint lane = 0; lane < CLP_PER16; lane++)
                some.lanes[lane] = CLP_OP(prefix, v[part * CLP_PER16 + lane]);
            group[clp_swizzle(CLP_CHUNK * CLP_CHUNK16 + part)] = some.bytes; /* only its own were read there */
        }
    }
    CLP_RUN_SYNC();
    if (!CLP_WORKS)
        return;
    y += CLP_RUN * CLP_GROUP;
#if CLP_VR > 1
    if (CLP_ALIGNED(y, there)) {
#pragma unroll
        for (uint i = 0; i < 16 / CLP_VR; i++) {
            clp_outputs outputs;
            const uint first = (CLP_LANE + i * 32u) * CLP_VR;
#if CLP_VR * CLP_A_BITS >= 128
#pragma unroll
            for (uint part = 0; part < CLP_VR / CLP_PER16; part++) {
                clp_sixteen some;
                some.bytes = group[clp_swizzle(first / CLP_PER16 + part)];
#pragma unroll
                for (uint lane = 0; lane < CLP_PER16; lane++)
                    outputs.lanes[part * CLP_PER16 + lane] = CLP_STORE(some.lanes[lane]);
            }
#else
#pragma unroll
            for (uint lane = 0; lane < CLP_VR; lane++)
                outputs.lanes[lane] = CLP_STORE(((__local CLP_A *)group)[clp_swizzled(first + lane)]);
#endif
            CLP_PUT((__global uint4 *)y + CLP_LANE + i * 32u, outputs.bytes);
        }
        return;
    }
#endif
#pragma unroll 8
    for (uint i = 0; i < 16; i++)
        if (i * 32u + CLP_LANE < there)
            y[i * 32u + CLP_LANE] = CLP_STORE(((__local CLP_A *)group)[clp_swizzled(i * 32u + CLP_LANE)]);
}

/* The group of this run, of a tile in local memory that is aligned to 16 bytes. */
#define CLP_GROUP_OF(values) ((__local uint4 *)(values) + (CLP_WORKS ? CLP_RUN * CLP_GROUP16 : 0u))

#if !CLP_HELD_LOCAL
/* Local memory of a tile on its way. Two halves take turns, so that one meeting a tile is enough. */
typedef struct {
    __local CLP_A *groups; /* 8 totals */
    __local CLP_A *parts;  /* of the prefix: tiles before it in the block, blocks, super-blocks */
} clp_meeting;

/*
 * value: work-item c's, of the 64 first: total c ^ 31 of the tiles of the block and, from 32 on, of the blocks of the
 * super-block; that of work-item 64 is the super-block's prefix. t, b: how many of them are before this tile.
 */
static inline CLP_A clp_finish_tile(const clp_own *own, uint aligned, const __global CLP_T *x, __global CLP_R *y,
                                    uint count, CLP_A value, uint t, uint b, CLP_A pad, __local CLP_A *values,
                                    clp_meeting meeting) {
    const uint local_id = (uint)get_local_id(0);
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
    clp_held held;
    clp_settle_group(own, aligned, x, count, pad, CLP_GROUP_OF(values), meeting.groups, &held);
    barrier(CLK_LOCAL_MEM_FENCE);
    const CLP_A total = clp_fold_groups(meeting.groups, pad, &held);
    clp_finish_group(&held, CLP_OP(CLP_OP(meeting.parts[2], meeting.parts[1]), meeting.parts[0]), pad, y, count,
                     CLP_GROUP_OF(values));
    return total;
}
#endif

static inline CLP_A clp_tile_total(const __global CLP_T *x, uint count, CLP_A pad, clp_scratch local_memory) {
    clp_own own;
    clp_held held;
    const uint aligned = clp_fetch_own(x, count, &own);
    barrier(CLK_LOCAL_MEM_FENCE);
    clp_settle_group(&own, aligned, x, count, pad, CLP_GROUP_OF(local_memory.values), local_memory.totals, &held);
    barrier(CLK_LOCAL_MEM_FENCE);
    return clp_fold_groups(local_memory.totals, pad, &held);
}

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
            if (CLP_LANE == 0 && CLP_WORKS)
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

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan_simt.cl: tiles of a scan by a work-group. It takes a piece of CLP_STEP groups at a time into local memory, so
 * that global memory is read and written by neighbours while each work-item scans chunks of its own.
 *
 *   clp_scan_runs(local, count, pad)   Hillis-Steele scans of runs of 32 totals in local memory
 *   clp_tile_total(x, count, pad, l)   the total of a tile, of which count elements are there; the same for all
 *   clp_tile_scan(x, y, count, …)      scans a tile behind a prefix; returns its total
 *
 * All are called by the whole work-group with the same arguments. Work-item c has chunk c ^ 31: so the next
 * earlier chunk of a group is that of the next work-item, whose value is what back-ends can fetch (clp_down).
 *
 *   CLP_STEP    groups of a piece: 1, 2, 4 or 8; with sub-groups 32 times it must not exceed CLP_WG_SIZE
 *   CLP_V       elements in 16 bytes, 1: no vectors (user types); CLP_VR likewise of results
 */
#define CLP_PIECE (CLP_STEP * CLP_GROUP)
#define CLP_CHUNKS (CLP_STEP * 32u)
/* Totals that are scanned at once: of a piece's chunks, or of the tiles of a block and the blocks of a super-block. */
#define CLP_RUNS (CLP_CHUNKS < 64u ? 64u : CLP_CHUNKS)
/* Where element e of a piece lies: a gap after 32 keeps work-items that are a chunk apart in different banks. */
#define CLP_AT(e) ((e) + ((e) >> 5))

/* Registers are indexed by constants where that matters; elsewhere unrolling costs seconds of compilation (PoCL). */
#if CLP_SUBGROUPS != 1
#define CLP_UNROLL _Pragma("unroll")
#else
#define CLP_UNROLL
#endif

/* Local memory of a work-group. */
typedef struct {
    __local CLP_A *values; /* CLP_AT(CLP_PIECE) */
    __local CLP_A *totals; /* CLP_RUNS */
    __local CLP_A *other;  /* CLP_RUNS, of no use with sub-groups */
} clp_scratch;

#if CLP_SUBGROUPS != 1
static inline CLP_A clp_later(CLP_A value, uint delta) {
#if CLP_A_BITS == 32
    return CLP_CAT(as_, CLP_A)(clp_down_32(as_uint(value), delta));
#else
    return CLP_CAT(as_, CLP_A)(clp_down_64(as_ulong(value), delta));
#endif
}

/* Hillis and Steele over the 32 work-items of a run; the value of item c stands at place c ^ 31. */
static inline CLP_A clp_scan_lanes(CLP_A value, CLP_A pad) {
    const uint lane = (uint)get_local_id(0) & 31u;
    CLP_UNROLL
    for (uint d = 1; d < 32; d *= 2) {
        const CLP_A earlier = clp_later(value, d);
        value = CLP_OP(lane + d < 32 ? earlier : pad, value);
    }
    return value;
}
#endif

/*
 * Scans each run of 32 of the count totals (a multiple of 32) and returns where the prefixes are. Total c ^ 31 must
 * have been written by work-item c % CLP_WG_SIZE; the prefixes are there for all.
 */
static inline __local CLP_A *clp_scan_runs(clp_scratch local_memory, uint count, CLP_A pad) {
    const uint local_id = (uint)get_local_id(0);
    __local CLP_A *from = local_memory.totals;
#if CLP_SUBGROUPS != 1
    for (uint base = 0; base < count; base += CLP_WG_SIZE) {
        const uint place = (base + local_id) ^ 31u;
        const CLP_A value = clp_scan_lanes(place < count ? from[place] : pad, pad);
        if (place < count)
            from[place] = value;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#else
    __local CLP_A *to = local_memory.other;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint d = 1; d < 32; d *= 2) {
        for (uint i = local_id; i < count; i += CLP_WG_SIZE)
            to[i] = CLP_OP((i & 31u) >= d ? from[i - d] : pad, from[i]);
        barrier(CLK_LOCAL_MEM_FENCE);
        __local CLP_A *swap = from;
        from = to, to = swap;
    }
#endif
    return from;
}

#if CLP_V > 1
#define CLP_TV CLP_CAT(CLP_T, CLP_V)
/* Puts the CLP_V elements of 16 bytes into local memory, from element e of the piece on. */
static inline void clp_spread(uint4 bytes, uint e, __local CLP_A *values) {
    CLP_T lanes[CLP_V];
    CLP_CAT(vstore, CLP_V)(CLP_CAT(as_, CLP_TV)(bytes), 0, lanes);
    CLP_UNROLL
    for (uint lane = 0; lane < CLP_V; lane++)
        values[CLP_AT(e) + lane] = CLP_LOAD(lanes[lane]);
}
#endif

/* Brings a piece of count elements from x on into local memory; the missing ones are pads. */
static inline void clp_load_piece(const __global CLP_T *x, uint count, CLP_A pad, __local CLP_A *values) {
    const uint local_id = (uint)get_local_id(0);
#if CLP_V > 1
    if (count == CLP_PIECE && ((size_t)x & 15) == 0) {
        const __global uint4 *vectors = (const __global uint4 *)x;
#if (CLP_PIECE / CLP_V) % CLP_WG_SIZE == 0 && CLP_PIECE / CLP_V / CLP_WG_SIZE <= 8
        uint4 batch[CLP_PIECE / CLP_V / CLP_WG_SIZE];
        CLP_UNROLL
        for (uint i = 0; i < CLP_PIECE / CLP_V / CLP_WG_SIZE; i++)
            batch[i] = CLP_FETCH(vectors + i * CLP_WG_SIZE + local_id);
        CLP_UNROLL
        for (uint i = 0; i < CLP_PIECE / CLP_V / CLP_WG_SIZE; i++)
            clp_spread(batch[i], (i * CLP_WG_SIZE + local_id) * CLP_V, values);
#else
        for (uint i = local_id; i < CLP_PIECE / CLP_V; i += CLP_WG_SIZE)
            clp_spread(CLP_FETCH(vectors + i), i * CLP_V, values);
#endif
        return;
    }
#endif
#if CLP_PIECE % CLP_WG_SIZE == 0 && CLP_PIECE / CLP_WG_SIZE <= 16
    if (count == CLP_PIECE) {
        CLP_T batch[CLP_PIECE / CLP_WG_SIZE];
        CLP_UNROLL
        for (uint i = 0; i < CLP_PIECE / CLP_WG_SIZE; i++)
            batch[i] = x[i * CLP_WG_SIZE + local_id];
        CLP_UNROLL
        for (uint i = 0; i < CLP_PIECE / CLP_WG_SIZE; i++)
            values[CLP_AT(i * CLP_WG_SIZE + local_id)] = CLP_LOAD(batch[i]);
        return;
    }
#endif
    for (uint e = local_id; e < CLP_PIECE; e += CLP_WG_SIZE) {
        CLP_A value = pad;
        if (e < count)
            value = CLP_LOAD(x[e]);
        values[CLP_AT(e)] = value;
    }
}

/* Writes the count outputs of a piece. */
static inline void clp_store_piece(__global CLP_R *y, uint count, const __local CLP_A *values) {
    const uint local_id = (uint)get_local_id(0);
#if CLP_VR > 1
    if (count == CLP_PIECE && ((size_t)y & 15) == 0) {
        __global uint4 *vectors = (__global uint4 *)y;
        for (uint i = local_id; i < CLP_PIECE / CLP_VR; i += CLP_WG_SIZE) {
            CLP_R lanes[CLP_VR];
            CLP_UNROLL
            for (uint lane = 0; lane < CLP_VR; lane++)
                lanes[lane] = CLP_STORE(values[CLP_AT(i * CLP_VR) + lane]);
            CLP_PUT(vectors + i, as_uint4(CLP_CAT(vload, CLP_VR)(0, lanes)));
        }
        return;
    }
#endif
    for (uint e = local_id; e < count; e += CLP_WG_SIZE)
        y[e] = CLP_STORE(values[CLP_AT(e)]);
}

/* The total of a chunk: what the last element of its Hillis-Steele scan is. */
static inline CLP_A clp_chunk_total(const __local CLP_A *values, uint chunk) {
    CLP_A v[16];
    CLP_UNROLL
    for (uint i = 0; i < 16; i++)
        v[i] = values[CLP_AT(chunk * 16u) + i];
    CLP_UNROLL
    for (uint width = 8; width > 0; width /= 2)
        CLP_UNROLL
        for (uint i = 0; i < width; i++)
            v[i] = CLP_OP(v[2 * i], v[2 * i + 1]);
    return v[0];
}

/* Replaces a chunk by its outputs behind the prefix. */
static inline void clp_scan_chunk(__local CLP_A *values, uint chunk, CLP_A prefix, CLP_A pad) {
    CLP_A v[16];
    CLP_UNROLL
    for (uint i = 0; i < 16; i++)
        v[i] = values[CLP_AT(chunk * 16u) + i];
    CLP_UNROLL
    for (uint d = 1; d < 16; d *= 2)
        CLP_UNROLL
        for (uint i = 16; i-- > 0;)
            v[i] = CLP_OP(i >= d ? v[i - d] : pad, v[i]);
#if CLP_EXCLUSIVE
    CLP_UNROLL
    for (uint i = 15; i > 0; i--)
        v[i] = v[i - 1];
    v[0] = pad;
#endif
    CLP_UNROLL
    for (uint i = 0; i < 16; i++)
        values[CLP_AT(chunk * 16u) + i] = CLP_OP(prefix, v[i]);
}

/* Elements of a piece that are there, of a tile that has count. */
#define CLP_PIECE_COUNT(piece) (count > (piece) ? min(count - (piece), CLP_PIECE) : 0u)

/* Brings a piece in and scans its chunks' totals: returns where these prefixes are. */
static inline __local CLP_A *clp_begin_piece(const __global CLP_T *x, uint count, CLP_A pad, clp_scratch local_memory) {
    barrier(CLK_LOCAL_MEM_FENCE); /* whatever the last piece left is read */
    clp_load_piece(x, count, pad, local_memory.values);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint c = (uint)get_local_id(0); c < CLP_CHUNKS; c += CLP_WG_SIZE)
        local_memory.totals[c ^ 31u] = clp_chunk_total(local_memory.values, c ^ 31u);
    return clp_scan_runs(local_memory, CLP_CHUNKS, pad);
}

#if CLP_SUBGROUPS != 1 && CLP_V > 1 && CLP_STEP == 8
#define CLP_ROWS_16 (16 / CLP_V) /* vectors that a work-item has of a group: neighbours read neighbours */
/* The total of a full tile whose address allows vectors: nothing goes through local memory but groups' totals. */
static inline CLP_A clp_full_tile_total(const __global CLP_T *x, CLP_A pad, clp_scratch local_memory) {
    const uint local_id = (uint)get_local_id(0), group = local_id / 32u, lane = local_id % 32u;
    const __global uint4 *vectors = (const __global uint4 *)x + group * (CLP_GROUP / CLP_V) + lane;
    CLP_A rows[CLP_ROWS_16];
    uint4 batch[CLP_ROWS_16];
#pragma unroll
    for (uint row = 0; row < CLP_ROWS_16; row++)
        if (group < 8)
            batch[row] = CLP_FETCH(vectors + row * 32u);
#pragma unroll
    for (uint row = 0; row < CLP_ROWS_16; row++) {
        CLP_T lanes[CLP_V];
        CLP_A v[CLP_V];
        CLP_CAT(vstore, CLP_V)(CLP_CAT(as_, CLP_TV)(batch[row]), 0, lanes);
#pragma unroll
        for (uint i = 0; i < CLP_V; i++)
            v[i] = CLP_LOAD(lanes[i]);
#pragma unroll
        for (uint width = CLP_V / 2; width > 0; width /= 2)
#pragma unroll
            for (uint i = 0; i < width; i++)
                v[i] = CLP_OP(v[2 * i], v[2 * i + 1]);
        rows[row] = v[0];
    }
#pragma unroll
    for (uint d = 1; d < 32; d *= 2)
#pragma unroll
        for (uint row = 0; row < CLP_ROWS_16; row++)
            rows[row] = CLP_OP(rows[row], clp_later(rows[row], d));
#pragma unroll
    for (uint width = CLP_ROWS_16 / 2; width > 0; width /= 2)
#pragma unroll
        for (uint i = 0; i < width; i++)
            rows[i] = CLP_OP(rows[2 * i], rows[2 * i + 1]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane == 0 && group < 8)
        local_memory.totals[group] = rows[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    CLP_A total = pad;
#pragma unroll
    for (uint i = 0; i < 8; i++)
        total = CLP_OP(total, local_memory.totals[i]);
    return total;
}
#endif

static inline CLP_A clp_tile_total(const __global CLP_T *x, uint count, CLP_A pad, clp_scratch local_memory) {
    CLP_A total = pad;
#if CLP_SUBGROUPS != 1 && CLP_V > 1 && CLP_STEP == 8
    if (count == CLP_TILE && ((size_t)x & 15) == 0)
        return clp_full_tile_total(x, pad, local_memory);
#endif
    for (uint piece = 0; piece < CLP_TILE; piece += CLP_PIECE) {
        const __local CLP_A *chunks = clp_begin_piece(x + piece, CLP_PIECE_COUNT(piece), pad, local_memory);
        for (uint group = 0; group < CLP_STEP; group++)
            total = CLP_OP(total, chunks[group * 32u + 31u]);
    }
    return total;
}

static inline CLP_A clp_tile_scan(const __global CLP_T *x, __global CLP_R *y, uint count, CLP_A prefix, CLP_A pad,
                                  clp_scratch local_memory) {
    CLP_A groups = pad;
    for (uint piece = 0; piece < CLP_TILE; piece += CLP_PIECE) {
        const uint there = CLP_PIECE_COUNT(piece);
        const __local CLP_A *chunks = clp_begin_piece(x + piece, there, pad, local_memory);
        for (uint c = (uint)get_local_id(0); c < CLP_CHUNKS; c += CLP_WG_SIZE) {
            const uint chunk = c ^ 31u;
            CLP_A before = groups;
            CLP_UNROLL
            for (uint group = 0; group + 1 < CLP_STEP; group++)
                if (group < chunk / 32u)
                    before = CLP_OP(before, chunks[group * 32u + 31u]);
            before = CLP_OP(CLP_OP(prefix, before), chunk % 32u > 0 ? chunks[chunk - 1u] : pad);
            clp_scan_chunk(local_memory.values, chunk, before, pad);
        }
        CLP_UNROLL
        for (uint group = 0; group < CLP_STEP; group++)
            groups = CLP_OP(groups, chunks[group * 32u + 31u]);
        barrier(CLK_LOCAL_MEM_FENCE);
        clp_store_piece(y + piece, there, local_memory.values);
    }
    return groups;
}

/* The tree of 32 totals, of which count are there. */
static inline CLP_A clp_tree32(const __global CLP_A *totals, ulong count, CLP_A pad) {
    CLP_A v[32];
    CLP_UNROLL
    for (uint i = 0; i < 32; i++) {
        v[i] = pad;
        if (i < count)
            v[i] = totals[i];
    }
    CLP_UNROLL
    for (uint width = 16; width > 0; width /= 2)
        CLP_UNROLL
        for (uint i = 0; i < width; i++)
            v[i] = CLP_OP(v[2 * i], v[2 * i + 1]);
    return v[0];
}

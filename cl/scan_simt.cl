/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan_simt.cl: tiles of a scan by a work-group. It takes a piece of CLP_STEP groups at a time into local memory, so
 * that global memory is read and written by neighbours while each work-item scans chunks of its own.
 *
 *   clp_tile_total(x, count, pad, l)   the total of a tile, of which count elements are there; the same for all
 *   clp_tile_scan(x, y, count, …)      scans a tile behind a prefix; returns its total
 *
 * All are called by the whole work-group with the same arguments. Work-item c has chunk c ^ 31: so the next
 * earlier chunk of a group is that of the next work-item, whose value is what back-ends can fetch (clp_down).
 *
 *   CLP_STEP    groups of a piece: 1, 2, 4 or 8; with sub-groups 32 times it must not exceed CLP_WG_SIZE
 *   CLP_V       elements in 16 bytes, 1: no vectors (user types, heads); CLP_VR likewise of results
 */
#define CLP_PIECE (CLP_STEP * CLP_GROUP)
#define CLP_CHUNKS (CLP_STEP * 32u)
/* Totals that are scanned at once: of a piece's chunks, or of the tiles of a block and the blocks of a super-block. */
#define CLP_RUNS (CLP_CHUNKS < 64u ? 64u : CLP_CHUNKS)
/* Where element e of a piece lies: a gap after 32 keeps work-items that are a chunk apart in different banks. */
#define CLP_AT(e) ((e) + ((e) >> 5))

/* 16 bytes as elements or as outputs. */
#if CLP_V > 1
typedef union {
    uint4 bytes;
    CLP_T lanes[CLP_V];
} clp_elements;

/* Puts the CLP_V elements of 16 bytes into local memory, from element e of the piece on. */
static inline void clp_spread(uint4 bytes, uint e, __local CLP_A *values) {
    clp_elements elements;
    elements.bytes = bytes;
    __local CLP_A *to = values + CLP_AT(e);
    CLP_UNROLL
    for (uint lane = 0; lane < CLP_V; lane++)
        to[lane] = CLP_LOAD(elements.lanes[lane]);
}
#endif
#if CLP_VR > 1
typedef union {
    uint4 bytes;
    CLP_R lanes[CLP_VR];
} clp_outputs;

/* The CLP_VR outputs from element e on. */
static inline uint4 clp_collect(const __local CLP_A *values, uint e) {
    clp_outputs outputs;
    const __local CLP_A *from = values + CLP_AT(e);
    CLP_UNROLL
    for (uint lane = 0; lane < CLP_VR; lane++)
        outputs.lanes[lane] = CLP_STORE(from[lane]);
    return outputs.bytes;
}
#endif

/* The total of a chunk, which is lost: what the last element of its Hillis-Steele scan is. */
CLP_INLINE CLP_A clp_tree16(CLP_A *v) {
    CLP_UNROLL
    for (uint level = 0; level < 4; level++)
        CLP_UNROLL
        for (uint i = 0; i < 8; i++)
            if (i < 8u >> level)
                v[i] = CLP_OP(v[2 * i], v[2 * i + 1]);
    return v[0];
}

static inline CLP_A clp_chunk_total(const __local CLP_A *values, uint chunk) {
    CLP_A v[16];
    CLP_UNROLL
    for (uint i = 0; i < 16; i++)
        v[i] = values[CLP_AT(chunk * 16u) + i];
    return clp_tree16(v);
}

/* Scans a chunk by itself; an exclusive scan's outputs stand one further. */
CLP_INLINE void clp_hillis_steele(CLP_A *v, CLP_A pad) {
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
}

/* Replaces a chunk by its outputs behind the prefix. */
static inline void clp_scan_chunk(__local CLP_A *values, uint chunk, CLP_A prefix, CLP_A pad) {
    CLP_A v[16];
    CLP_UNROLL
    for (uint i = 0; i < 16; i++)
        v[i] = values[CLP_AT(chunk * 16u) + i];
    clp_hillis_steele(v, pad);
    CLP_UNROLL
    for (uint i = 0; i < 16; i++)
        values[CLP_AT(chunk * 16u) + i] = CLP_OP(prefix, v[i]);
}

#if CLP_SUBGROUPS != 1 && CLP_STEP == 8
#define CLP_BY_RUNS 1
#include "scan_runs.cl"
#else
#define CLP_BY_RUNS 0
/* Brings a piece of count elements from x on into local memory; the missing ones are pads. */
static inline void clp_load_piece(CLP_IN x, uint count, CLP_A pad, __local CLP_A *values) {
    const uint local_id = (uint)get_local_id(0);
    uint done = 0; /* loops that turn no more, not branches around them: those crash PoCL 5.0's compiler */
#if CLP_V > 1
    const __global uint4 *vectors = (const __global uint4 *)x;
    done = count == CLP_PIECE && ((size_t)x & 15) == 0 ? CLP_PIECE : 0;
#if (CLP_PIECE / CLP_V) % CLP_WG_SIZE == 0 && CLP_PIECE / CLP_V / CLP_WG_SIZE <= 8
    if (done) {
        uint4 batch[CLP_PIECE / CLP_V / CLP_WG_SIZE];
        CLP_UNROLL
        for (uint i = 0; i < CLP_PIECE / CLP_V / CLP_WG_SIZE; i++)
            batch[i] = CLP_FETCH(vectors + i * CLP_WG_SIZE + local_id);
        CLP_UNROLL
        for (uint i = 0; i < CLP_PIECE / CLP_V / CLP_WG_SIZE; i++)
            clp_spread(batch[i], (i * CLP_WG_SIZE + local_id) * CLP_V, values);
    }
#else
    for (uint i = local_id; i < done / CLP_V; i += CLP_WG_SIZE)
        clp_spread(CLP_FETCH(vectors + i), i * CLP_V, values);
#endif
#endif
#if !CLP_HEADS && CLP_PIECE % CLP_WG_SIZE == 0 && CLP_PIECE / CLP_WG_SIZE <= 16
    if (!done && count == CLP_PIECE) {
        CLP_T batch[CLP_PIECE / CLP_WG_SIZE];
        CLP_UNROLL
        for (uint i = 0; i < CLP_PIECE / CLP_WG_SIZE; i++)
            batch[i] = x[i * CLP_WG_SIZE + local_id];
        CLP_UNROLL
        for (uint i = 0; i < CLP_PIECE / CLP_WG_SIZE; i++)
            values[CLP_AT(i * CLP_WG_SIZE + local_id)] = CLP_LOAD(batch[i]);
        done = CLP_PIECE;
    }
#endif
    for (uint e = done + local_id; e < CLP_PIECE; e += CLP_WG_SIZE) {
        CLP_A value = pad;
        if (e < count)
            value = CLP_ELEMENT(x, e);
        values[CLP_AT(e)] = value;
    }
}

/* Writes the count outputs of a piece, whose elements are x. */
static inline void clp_store_piece(CLP_IN x, __global CLP_R *y, uint count, const __local CLP_A *values) {
    const uint local_id = (uint)get_local_id(0);
    uint done = 0;
    (void)x;
#if CLP_VR > 1
    __global uint4 *vectors = (__global uint4 *)y;
    done = count == CLP_PIECE && ((size_t)y & 15) == 0 ? CLP_PIECE : 0;
    for (uint i = local_id; i < done / CLP_VR; i += CLP_WG_SIZE)
        CLP_PUT(vectors + i, clp_collect(values, i * CLP_VR));
#endif
    /* As many turns for all work-items: PoCL 3.1 counts wrongly, in large kernels, where some have none. */
    for (uint base = done; base < count; base += CLP_WG_SIZE)
        if (base + local_id < count)
            y[base + local_id] = CLP_OUTPUT(x, base + local_id, values[CLP_AT(base + local_id)]);
}

/* Elements of a piece that are there, of a tile that has count. */
#define CLP_PIECE_COUNT(piece) (count > (piece) ? min(count - (piece), CLP_PIECE) : 0u)

/* Scans the totals of a piece's chunks: returns where these prefixes are. */
static inline __local CLP_A *clp_scan_chunk_totals(CLP_A pad, clp_scratch local_memory) {
    for (uint c = (uint)get_local_id(0); c < CLP_CHUNKS; c += CLP_WG_SIZE)
        local_memory.totals[c ^ 31u] = clp_chunk_total(local_memory.values, c ^ 31u);
    return clp_scan_runs(local_memory, CLP_CHUNKS, pad);
}

/* Brings a piece in and scans its chunks' totals: returns where these prefixes are. */
static inline __local CLP_A *clp_begin_piece(CLP_IN x, uint count, CLP_A pad, clp_scratch local_memory) {
    barrier(CLK_LOCAL_MEM_FENCE); /* whatever the last piece left is read */
    clp_load_piece(x, count, pad, local_memory.values);
    barrier(CLK_LOCAL_MEM_FENCE);
    return clp_scan_chunk_totals(pad, local_memory);
}

/* Replaces a piece by its outputs behind the prefix of its tile and the fold of the tile's groups before the piece. */
static inline void clp_scan_piece(__local CLP_A *values, const __local CLP_A *chunks, CLP_A groups, CLP_A prefix,
                                  CLP_A pad) {
    for (uint c = (uint)get_local_id(0); c < CLP_CHUNKS; c += CLP_WG_SIZE) {
        const uint chunk = c ^ 31u;
        CLP_A before = groups;
        CLP_UNROLL
        for (uint group = 0; group + 1 < CLP_STEP; group++)
            if (group < chunk / 32u)
                before = CLP_OP(before, chunks[group * 32u + 31u]);
        before = CLP_OP(CLP_OP(prefix, before), chunk % 32u > 0 ? chunks[chunk - 1u] : pad);
        clp_scan_chunk(values, chunk, before, pad);
    }
}

static inline CLP_A clp_tile_total(CLP_IN x, uint count, CLP_A pad, clp_scratch local_memory) {
    CLP_A total = pad;
    for (uint piece = 0; piece < CLP_TILE; piece += CLP_PIECE) {
        const __local CLP_A *chunks = clp_begin_piece(CLP_FROM(x, piece), CLP_PIECE_COUNT(piece), pad, local_memory);
        for (uint group = 0; group < CLP_STEP; group++)
            total = CLP_OP(total, chunks[group * 32u + 31u]);
    }
    return total;
}

static inline CLP_A clp_tile_scan(CLP_IN x, __global CLP_R *y, uint count, CLP_A prefix, CLP_A pad,
                                  clp_scratch local_memory) {
    CLP_A groups = pad;
    for (uint piece = 0; piece < CLP_TILE; piece += CLP_PIECE) {
        const uint there = CLP_PIECE_COUNT(piece);
        const __local CLP_A *chunks = clp_begin_piece(CLP_FROM(x, piece), there, pad, local_memory);
        clp_scan_piece(local_memory.values, chunks, groups, prefix, pad);
        CLP_UNROLL
        for (uint group = 0; group < CLP_STEP; group++)
            groups = CLP_OP(groups, chunks[group * 32u + 31u]);
        barrier(CLK_LOCAL_MEM_FENCE);
        clp_store_piece(CLP_FROM(x, piece), y + piece, there, local_memory.values);
    }
    return groups;
}
#endif

/* The tree of 32 totals, of which count are there: eight at a time, for registers are dear. */
static inline CLP_A clp_tree32(const __global CLP_A *totals, ulong count, CLP_A pad) {
    CLP_A eights[4];
    for (uint part = 0; part < 4; part++) {
        CLP_A v[8];
        CLP_UNROLL
        for (uint i = 0; i < 8; i++) {
            v[i] = pad;
            if (part * 8 + i < count)
                v[i] = totals[part * 8 + i];
        }
        eights[part] = CLP_OP(CLP_OP(CLP_OP(v[0], v[1]), CLP_OP(v[2], v[3])),
                              CLP_OP(CLP_OP(v[4], v[5]), CLP_OP(v[6], v[7])));
    }
    return CLP_OP(CLP_OP(eights[0], eights[1]), CLP_OP(eights[2], eights[3]));
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan_segments.cl: scan of each segment of an array, told by offsets that only the device knows.
 *
 * Algorithm: each segment is a scan of its own in the canonical order. Work is shared by elements:
 *   clp_segments_begin          clears the four counters
 *   clp_scan_segments_tiny      a work-item each: scans segments of CLP_TINY elements at most; lists the others, cut
 *                               into pieces of CLP_SEGMENT_PIECE tiles
 *   clp_scan_segments_totals    tile totals of all pieces, which all teams share; nobody needs a segment's last one
 *   clp_scan_segments_spine     what lies before each block and super-block of a listed segment, a team each
 *   clp_scan_segments_apply     scans the tiles of all pieces
 *   clp_scan_segments_rest      segments that overlap may be more than the lists hold: one team scans what is over
 * Launch: one-dimensional, any number of teams; clp_segments_begin, clp_scan_segments_rest: one work-group. Local
 * memory: see scan_tiles.cl.
 * Scratch of a segment, in accumulators: totals of tiles, of blocks, prefixes of super-blocks and one more.
 *
 * Macros: see scan_base.cl.
 */
#include "scan_base.cl"
#include "scan_tiles.cl"

#define CLP_SEGMENT_PIECE 8u
#define CLP_SEGMENT_RUN 1u
#include "segments.cl"

#define CLP_TINY 128u /* host/scan_segments.c has the same */
#define CLP_TINY_CHUNKS (CLP_TINY / 16u)

/* A listed segment, and its totals. */
typedef struct {
    clp_segment at;
    ulong tiles, blocks, start;
    __global CLP_A *totals, *block_totals, *befores;
} clp_listed;

static inline clp_listed clp_listed_of(const clp_segments_job *job, const __global uint *offsets,
                                       const __global uint *ends, ulong k, __global CLP_A *totals) {
    clp_listed listed;
    listed.at = clp_segment_of(job, offsets, ends, k);
    listed.tiles = CLP_UNITS(listed.at.n, (ulong)CLP_TILE);
    listed.blocks = CLP_UNITS(listed.tiles, 32ul);
    listed.start = 0;
    listed.totals = totals;
    listed.block_totals = totals + listed.tiles;
    listed.befores = listed.block_totals + listed.blocks;
    return listed;
}

/* The segment of an entry of the list, and the first tile of its piece. An entry that did not fit is empty. */
static inline clp_listed clp_listed_at(const clp_segments_job *parameters, const __global uint *counters,
                                       const __global uint *offsets, const __global uint *ends, ulong entry,
                                       __global CLP_A *totals) {
    const clp_segments_job job = *parameters;
    const uint2 piece = CLP_ENTRY_LIST[entry];
    ulong2 segment = (ulong2)(job.count, 0);
    if (piece.x < job.max_longs)
        segment = CLP_LONG_LIST[piece.x];
    clp_listed listed = clp_listed_of(&job, offsets, ends, segment.x, totals + job.totals_offset + segment.y);
    listed.start = (ulong)piece.y * CLP_SEGMENT_PIECE;
    return listed;
}

CLP_KERNEL void clp_segments_begin(__global char *lists, ulong lists_at) {
    clp_clear_counters(lists, lists_at);
}

static inline void clp_tiny_chunk(const __global CLP_T *x, uint count, CLP_A pad, CLP_A *v) {
    for (uint i = 0; i < 16; i++) {
        v[i] = pad;
        if (i < count)
            v[i] = CLP_LOAD(x[i]);
    }
}

/* The first `there` of width values, which a scan of width values would leave. */
static inline void clp_tiny_scan(CLP_A *v, uint width, uint there, CLP_A pad) {
    for (uint d = 1; d < width; d *= 2)
        for (uint i = there; i-- > 0;) {
            CLP_A earlier = pad;
            if (i >= d)
                earlier = v[i - d];
            v[i] = CLP_OP(earlier, v[i]);
        }
}

/* Scans count elements, CLP_TINY at most, by one work-item. Each chunk is read before it is written. */
static inline void clp_tiny_segment(const __global CLP_T *x, __global CLP_R *y, uint count, CLP_A prefix, CLP_A pad) {
    CLP_A v[16], chunks[CLP_TINY_CHUNKS];
    const CLP_A base = CLP_OP(prefix, pad); /* no groups before */
    for (uint c = 0; c < CLP_TINY_CHUNKS; c++) {
        chunks[c] = pad;
        if (c * 16u < count) {
            clp_tiny_chunk(x + c * 16u, count - c * 16u, pad, v);
            for (uint step = 1; step < 16; step *= 2)
                for (uint i = 0; i < 16; i += 2 * step)
                    v[i] = CLP_OP(v[i], v[i + step]);
            chunks[c] = v[0];
        }
    }
    clp_tiny_scan(chunks, 32, CLP_TINY_CHUNKS, pad);
    for (uint c = 0; c * 16u < count; c++) {
        CLP_A before = pad;
        if (c > 0)
            before = chunks[c - 1];
        before = CLP_OP(base, before);
        clp_tiny_chunk(x + c * 16u, count - c * 16u, pad, v);
        clp_tiny_scan(v, 16, 16, pad);
        for (uint i = 0; i < 16 && c * 16u + i < count; i++) {
#if CLP_EXCLUSIVE
            CLP_A last = pad;
            if (i > 0)
                last = v[i - 1];
#else
            const CLP_A last = v[i];
#endif
            y[c * 16u + i] = CLP_STORE(CLP_OP(before, last));
        }
    }
}

#if CLP_SIMD && !CLP_ANY
/*
 * The same by vectors, of 16 elements at least. No lane reaches beyond the segment, whose neighbours belong to others:
 * the last chunk is made of the last 16 elements and written with them.
 */
static inline void clp_tiny_vectors(const __global CLP_T *x, __global CLP_R *y, uint count, CLP_A prefix, CLP_A pad) {
    const CLP_A16 pads = (CLP_A16)(pad);
    const uint last = (count - 1u) / 16u, rest = count - last * 16u; /* 1 … 16 elements of the last chunk */
    CLP_A16 own[CLP_TINY_CHUNKS];
    CLP_A totals[16], lanes[32];
    CLP_R results[32];
    for (uint c = 0; c < last; c++)
        own[c] = CLP_LOAD16(vload16(0, x + c * 16u));
    vstore16(CLP_LOAD16(vload16(0, x + count - 16u)), 0, lanes);
    vstore16(pads, 1, lanes);
    own[last] = vload16(0, lanes + 16u - rest);
    vstore16(pads, 0, totals);
    for (uint c = 0; c <= last; c++) {
        own[c] = clp_scan16(own[c], pads);
        totals[c] = own[c].sf;
    }
    /* Of 32 chunks' totals the first 16: the last step has nothing but pads for them. */
    const CLP_A16 scanned = CLP_OP(pads, clp_scan16(vload16(0, totals), pads));
    vstore16(CLP_OP((CLP_A16)(CLP_OP(prefix, pad)), CLP_UP1(pads, scanned)), 0, totals);
    for (uint c = 0; c <= last; c++) {
#if CLP_EXCLUSIVE
        const CLP_A16 mine = CLP_UP1(pads, own[c]);
#else
        const CLP_A16 mine = own[c];
#endif
        const CLP_R16 outputs = CLP_STORE16(CLP_OP((CLP_A16)(totals[c]), mine));
        if (c < last)
            vstore16(outputs, 0, y + c * 16u);
        if (c + 1u >= last)
            vstore16(outputs, c == last, results);
    }
    vstore16(vload16(0, results + rest), 0, y + count - 16u);
}
#endif

CLP_KERNEL void clp_scan_segments_tiny(const __global CLP_T *in, const __global uint *offsets,
                                       const __global uint *ends, __global CLP_R *out, __global char *lists,
                                       ulong lists_at, CLP_A pad, CLP_A init, CLP_A head, uint has_head,
                                       clp_segments_job job) {
    volatile __global uint *counters = (volatile __global uint *)(lists + lists_at);
    const CLP_A prefix = CLP_OP(CLP_OP(init, pad), pad); /* no blocks, no tiles before */
    in += job.in_offset;
    out += job.out_offset;
    /* Neighbours by work-items side by side on a GPU; by one after the other on a CPU, which reads ahead. */
#if CLP_SIMD
    const ulong share = CLP_UNITS(job.count, (ulong)get_global_size(0)), first = get_global_id(0) * share, step = 1;
    const ulong end = min(job.count, first + share);
#else
    const ulong first = get_global_id(0), step = get_global_size(0), end = job.count;
#endif
    for (ulong k = first; k < end; k += step) {
        const clp_segment at = clp_segment_of(&job, offsets, ends, k);
        if (at.n > CLP_TINY) {
            const ulong tiles = CLP_UNITS(at.n, (ulong)CLP_TILE), blocks = CLP_UNITS(tiles, 32ul);
            clp_list(&job, counters, k, (uint)CLP_UNITS(tiles, (ulong)CLP_SEGMENT_PIECE),
                     (uint)(tiles + blocks + CLP_UNITS(blocks, 32ul) + 1));
        } else if (at.n > 0) {
#if CLP_SIMD && !CLP_ANY
            if (at.n >= 16)
                clp_tiny_vectors(in + at.begin, out + at.begin, (uint)at.n, prefix, pad);
            else
#endif
                clp_tiny_segment(in + at.begin, out + at.begin, (uint)at.n, prefix, pad);
            if (has_head)
                out[at.begin] = CLP_STORE(head);
        }
    }
}

CLP_KERNEL void clp_scan_segments_totals(const __global CLP_T *in, const __global uint *offsets,
                                         const __global uint *ends, __global char *lists, ulong lists_at,
                                         __global CLP_A *totals, CLP_A pad, clp_segments_job job) {
    const __global uint *counters = (const __global uint *)(lists + lists_at);
#if !CLP_SIMD
    __local CLP_A values[CLP_AT(CLP_PIECE)] __attribute__((aligned(16))), runs[CLP_RUNS], other[CLP_SUBGROUPS == 1 ? CLP_RUNS : 1];
    const clp_scratch local_memory = {values, runs, other};
#endif
    const uint entries = min(counters[CLP_NUM_ENTRIES], job.max_entries);
    for (ulong entry = CLP_TEAM_ID; entry < entries; entry += CLP_TEAM_COUNT) {
        const clp_listed listed = clp_listed_at(&job, counters, offsets, ends, entry, totals);
        const __global CLP_T *x = in + job.in_offset + listed.at.begin;
        const ulong end = min(listed.tiles, listed.start + CLP_SEGMENT_PIECE);
        for (ulong tile = listed.start; tile < end && tile + 1 < listed.tiles; tile++) {
#if CLP_SIMD
            listed.totals[tile] = clp_tile_total(x + tile * CLP_TILE, CLP_TILE, pad);
#else
            const CLP_A total = clp_tile_total(x + tile * CLP_TILE, CLP_TILE, pad, local_memory);
            if (CLP_TEAM_LEADER)
                listed.totals[tile] = total;
#endif
        }
    }
}

CLP_KERNEL void clp_scan_segments_spine(const __global uint *offsets, const __global uint *ends, __global char *lists,
                                        ulong lists_at, __global CLP_A *totals, CLP_A pad, CLP_A init,
                                        clp_segments_job job) {
    const __global uint *counters = (const __global uint *)(lists + lists_at);
    const uint longs = min(counters[CLP_NUM_LONGS], job.max_longs);
    for (ulong slot = CLP_TEAM_ID; slot < longs; slot += CLP_TEAM_COUNT) {
        const ulong2 segment = CLP_LONG_LIST[slot];
        const clp_listed listed =
            clp_listed_of(&job, offsets, ends, segment.x, totals + job.totals_offset + segment.y);
        clp_spine(listed.totals, listed.tiles - (listed.tiles > 0), listed.blocks, listed.block_totals, listed.befores,
                  pad, init);
    }
}

CLP_KERNEL void clp_scan_segments_apply(const __global CLP_T *in, const __global uint *offsets,
                                        const __global uint *ends, __global CLP_R *out, __global char *lists,
                                        ulong lists_at, __global CLP_A *totals, CLP_A pad, CLP_A head, uint has_head,
                                        uint stream, clp_segments_job job) {
    const __global uint *counters = (const __global uint *)(lists + lists_at);
    CLP_TILES_MEMORY
    const uint entries = min(counters[CLP_NUM_ENTRIES], job.max_entries);
    for (ulong entry = CLP_TEAM_ID; entry < entries; entry += CLP_TEAM_COUNT) {
        const clp_listed listed = clp_listed_at(&job, counters, offsets, ends, entry, totals);
        clp_scan_tiles(in + job.in_offset + listed.at.begin, out + job.out_offset + listed.at.begin, listed.at.n,
                       listed.start, min(listed.tiles, listed.start + CLP_SEGMENT_PIECE),
                       listed.tiles - (listed.tiles > 0), listed.totals, listed.block_totals, listed.befores, pad,
                       head, has_head, 0, stream CLP_TILES_PASS);
    }
}

/* One team. */
CLP_KERNEL void clp_scan_segments_rest(const __global CLP_T *in, const __global uint *offsets,
                                       const __global uint *ends, __global CLP_R *out, __global char *lists,
                                       ulong lists_at, __global CLP_A *totals, CLP_A pad, CLP_A init, CLP_A head,
                                       uint has_head, clp_segments_job job) {
    const __global uint *counters = (const __global uint *)(lists + lists_at);
    CLP_TILES_MEMORY
    const uint rest = CLP_TEAM_ID == 0 ? counters[CLP_NUM_REST] : 0; /* a work-group has more teams in the simd shape */
    for (uint i = 0; i < rest; i++) {
        const clp_listed listed =
            clp_listed_of(&job, offsets, ends, CLP_REST_LIST[i], totals + job.rest_totals_offset);
        CLP_TEAM_BARRIER(); /* the last segment's totals are read */
        if (CLP_TEAM_LEADER)
            listed.befores[0] = init;
        CLP_TEAM_BARRIER();
        clp_scan_tiles(in + job.in_offset + listed.at.begin, out + job.out_offset + listed.at.begin, listed.at.n, 0,
                       listed.tiles, 0, listed.totals, listed.block_totals, listed.befores, pad, head, has_head, 1,
                       0 CLP_TILES_PASS);
    }
}

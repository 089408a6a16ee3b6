/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan.cl: scan in the canonical order, for any associative operator; of one array or of many rows.
 *
 * Algorithm, reduce-then-scan in three launches (schedule "levels"):
 *   clp_scan_totals   the total of each tile
 *   clp_scan_spine    one team a row: the total of each block of 32 tiles, and what lies before each super-block
 *                     of 32 blocks
 *   clp_scan_apply    scans each tile behind its prefix, (super-blocks ⊕ block) ⊕ tile, which it makes of 32 blocks'
 *                     and 32 tiles' totals. With `single` one team a row does it all: tile by tile, keeping the
 *                     totals as it goes (schedule "single")
 * Launch: one-dimensional; team t works on row t / teams, as that row's team t % teams, on chunks of `chunk` tiles;
 * teams beyond the last row idle. Local memory: see scan_tiles.cl; none in the simd shape.
 * Scratch of a row, scratch_stride accumulators: totals of all tiles, from CLP_BLOCKS_AT on those of all blocks, from
 * CLP_SUPERS_AT on the prefixes of super-blocks.
 *
 * With heads (CLP_HEADS) the array is one row and CLP_A are pairs: see scan_heads.cl.
 *
 * Macros: see scan_base.cl.
 */
#include "scan_base.cl"
#include "scan_tiles.cl"

/* Which part of a call this team has. */
typedef struct {
    ulong row;
    uint team;
    ulong n;     /* elements of the row, 0 for teams beyond the last row */
    ulong tiles; /* of the row */
} clp_share;

static inline clp_share clp_share_of(const __global uint *lengths, ulong lengths_offset, uint has_lengths, ulong n,
                                     ulong rows, ulong teams) {
    clp_share share;
    /* Not by %: of a / b with a % b clang makes a `freeze`, which Oclgrind's checker does not know. */
    share.row = CLP_TEAM_ID / teams;
    share.team = (uint)CLP_TEAM_ID - (uint)share.row * (uint)teams; /* fewer than 2^32 work on a row */
    share.n = share.row < rows ? n : 0;
    if (has_lengths && share.row < rows)
        share.n = min(n, (ulong)lengths[lengths_offset + share.row]);
    share.tiles = CLP_UNITS(share.n, (ulong)CLP_TILE);
    return share;
}

CLP_KERNEL void clp_scan_totals(const __global CLP_T *in, ulong in_offset, ulong in_stride,
                                CLP_HEADS_PARAMETERS const __global uint *lengths, ulong lengths_offset,
                                uint has_lengths, ulong n, ulong rows, clp_value identity, __global CLP_A *scratch,
                                ulong scratch_offset, ulong scratch_stride, ulong teams, uint chunk) {
    const clp_share share = clp_share_of(lengths, lengths_offset, has_lengths, n, rows, teams);
#if !CLP_SIMD
    __local CLP_A values[CLP_AT(CLP_PIECE)] __attribute__((aligned(16))), totals[CLP_RUNS], other[CLP_SUBGROUPS == 1 ? CLP_RUNS : 1];
    const clp_scratch local_memory = {values, totals, other};
#if CLP_BY_RUNS
    __local CLP_A groups[8u * CLP_TOTALS];
#endif
#endif
    in += in_offset + share.row * in_stride;
    scratch += scratch_offset + share.row * scratch_stride;
    const CLP_A pad = CLP_BARE(identity);
    CLP_IN source = CLP_SOURCE(in);
    for (ulong start = (ulong)share.team * chunk; start < share.tiles; start += teams * chunk) {
        const ulong end = min(start + chunk, share.tiles);
        ulong tile = start;
#if !CLP_SIMD && CLP_BY_RUNS
        if (((size_t)in & 15) == 0)
            for (; tile < share.n / CLP_TILE && tile < end; tile += CLP_TOTALS) {
                const uint count = (uint)min((ulong)CLP_TOTALS, min(end, share.n / CLP_TILE) - tile);
                const CLP_A total = clp_full_totals(in + tile * CLP_TILE, count, pad, groups);
                if ((uint)get_local_id(0) < count)
                    scratch[tile + get_local_id(0)] = total;
            }
        tile = min(tile, max(start, share.n / CLP_TILE));
#endif
        for (; tile < end; tile++) {
            const uint count = clp_tile_count(share.n, tile);
#if CLP_SIMD
            scratch[tile] = clp_tile_total(CLP_FROM(source, tile * CLP_TILE), count, pad);
#else
            const CLP_A total = clp_tile_total(CLP_FROM(source, tile * CLP_TILE), count, pad, local_memory);
            if (CLP_TEAM_LEADER)
                scratch[tile] = total;
#endif
        }
    }
}

/* One team a row. */
CLP_KERNEL void clp_scan_spine(const __global uint *lengths, ulong lengths_offset, uint has_lengths, ulong n,
                               ulong rows, clp_value identity, clp_value front, __global CLP_A *scratch,
                               ulong scratch_offset, ulong scratch_stride) {
    const clp_share share = clp_share_of(lengths, lengths_offset, has_lengths, n, rows, 1);
    const CLP_A pad = CLP_BARE(identity);
    const ulong most = CLP_UNITS(n, (ulong)CLP_TILE);
    const ulong blocks = CLP_UNITS(share.tiles, 32ul);
    scratch += scratch_offset + share.row * scratch_stride;
    clp_spine(scratch, share.tiles, blocks, scratch + CLP_BLOCKS_AT(most), scratch + CLP_SUPERS_AT(most), pad,
              CLP_BARE(front));
}

/* has_head: head is what output 0 must be. stream: so much is written that it should pass the caches. */
CLP_KERNEL void clp_scan_apply(const __global CLP_T *in, ulong in_offset, ulong in_stride,
                               CLP_HEADS_PARAMETERS __global CLP_R *out,
                               ulong out_offset, ulong out_stride, const __global uint *lengths, ulong lengths_offset,
                               uint has_lengths, ulong n, ulong rows, clp_value identity, clp_value front,
                               clp_value head, uint has_head,
                               __global CLP_A *scratch, ulong scratch_offset, ulong scratch_stride, ulong teams,
                               uint chunk, uint single, uint stream) {
    const clp_share share = clp_share_of(lengths, lengths_offset, has_lengths, n, rows, teams);
    const CLP_A pad = CLP_BARE(identity);
    const ulong most = CLP_UNITS(n, (ulong)CLP_TILE);
    CLP_TILES_MEMORY
    in += in_offset + share.row * in_stride;
    out += out_offset + share.row * out_stride;
    scratch += scratch_offset + share.row * scratch_stride;
    __global CLP_A *block_totals = scratch + CLP_BLOCKS_AT(most), *befores = scratch + CLP_SUPERS_AT(most);
    if (single && share.tiles > 0 && CLP_TEAM_LEADER)
        befores[0] = CLP_BARE(front);
    CLP_TEAM_BARRIER();
    CLP_IN source = CLP_SOURCE(in);
    for (ulong start = (ulong)share.team * chunk; start < share.tiles; start += teams * chunk) {
        clp_scan_tiles(source, out, share.n, start, min(start + chunk, share.tiles), share.tiles, scratch,
                       block_totals, befores, pad, head, has_head, single, stream CLP_TILES_PASS);
    }
}

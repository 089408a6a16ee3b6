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
 * teams beyond the last row idle. Local memory: see clp_scratch (scan_simt.cl); none in the simd shape.
 * Scratch of a row, scratch_stride accumulators: totals of all tiles, from CLP_BLOCKS_AT on those of all blocks, from
 * CLP_SUPERS_AT on the prefixes of super-blocks.
 *
 * With heads (CLP_HEADS) the array is one row and CLP_A are pairs: see scan_heads.cl.
 *
 * Macros: see scan_base.cl.
 */
#include "scan_base.cl"

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
    __local CLP_A values[CLP_AT(CLP_PIECE)], totals[CLP_RUNS], other[CLP_SUBGROUPS == 1 ? CLP_RUNS : 1];
    const clp_scratch local_memory = {values, totals, other};
#if CLP_BY_RUNS && CLP_V > 1
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
#if !CLP_SIMD && CLP_BY_RUNS && CLP_V > 1
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
    const ulong blocks = CLP_UNITS(share.tiles, 32ul), supers = CLP_UNITS(blocks, 32ul);
    scratch += scratch_offset + share.row * scratch_stride;
    __global CLP_A *block_totals = scratch + CLP_BLOCKS_AT(most), *befores = scratch + CLP_SUPERS_AT(most);
#if CLP_SIMD
    const uint first = 0, step = 1;
#else
    const uint first = (uint)get_local_id(0), step = CLP_WG_SIZE;
#endif
    for (ulong block = first; block < blocks; block += step)
        block_totals[block] = clp_tree32(scratch + block * 32, share.tiles - block * 32, pad);
    CLP_TEAM_BARRIER();
    for (ulong super = first; super < supers; super += step)
        befores[super] = clp_tree32(block_totals + super * 32, blocks - super * 32, pad);
    CLP_TEAM_BARRIER();
    if (CLP_TEAM_LEADER) {
        CLP_A before = CLP_BARE(front);
        /* Eight loads at a time: one after the other they would take longer than all else here. */
        for (ulong super = 0; super < supers; super += 8) {
            CLP_A some[8];
            for (uint i = 0; i < 8; i++) {
                some[i] = pad;
                if (super + i < supers)
                    some[i] = befores[super + i];
            }
            for (uint i = 0; i < 8 && super + i < supers; i++) {
                befores[super + i] = before;
                before = CLP_OP(before, some[i]);
            }
        }
    }
}

/*
 * The prefix of a tile, of which those in the same block and the blocks before it have their totals written. In the
 * simd shape `base` and `tiles` keep what does not change within a block: fresh says that they must be made anew, of
 * the totals of the first `known` tiles.
 */
#if CLP_SIMD
static inline CLP_A clp_prefix_of(ulong tile, const __global CLP_A *totals, const __global CLP_A *block_totals,
                                  const __global CLP_A *befores, ulong known, CLP_A pad, uint fresh, CLP_A *base,
                                  CLP_A *tiles) {
    const ulong block = tile / 32, super = block / 32;
    const uint t = (uint)(tile - block * 32), b = (uint)(block - super * 32);
    if (fresh) {
        CLP_A blocks[32];
        clp_prefixes(block_totals + super * 32, b, pad, blocks);
        *base = CLP_OP(befores[super], blocks[b]);
        clp_prefixes(totals + block * 32, known - block * 32, pad, tiles);
    }
    return CLP_OP(*base, tiles[t]);
}
#elif !CLP_BY_RUNS
static inline CLP_A clp_prefix_of(ulong tile, const __global CLP_A *totals, const __global CLP_A *block_totals,
                                  const __global CLP_A *befores, CLP_A pad, clp_scratch local_memory) {
    const ulong block = tile / 32, super = block / 32;
    const uint t = (uint)(tile - block * 32), b = (uint)(block - super * 32);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint c = (uint)get_local_id(0); c < 64u; c += CLP_WG_SIZE) {
        const uint place = c ^ 31u;
        CLP_A total = pad;
        if (place < t)
            total = totals[block * 32 + place];
        else if (place >= 32u && place < 32u + b)
            total = block_totals[super * 32 + (place - 32u)];
        local_memory.totals[place] = total;
    }
    const __local CLP_A *prefixes = clp_scan_runs(local_memory, 64u, pad);
    return CLP_OP(CLP_OP(befores[super], b > 0 ? prefixes[32u + b - 1u] : pad), t > 0 ? prefixes[t - 1u] : pad);
}
#endif

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
#if CLP_SIMD
    CLP_A base = pad, tiles[32];
#else
    __local CLP_A values[CLP_AT(CLP_PIECE)];
#if CLP_BY_RUNS
    __local CLP_A met_groups[2][8], met_parts[2][3];
#else
    __local CLP_A runs[CLP_RUNS], other[CLP_SUBGROUPS == 1 ? CLP_RUNS : 1];
    const clp_scratch local_memory = {values, runs, other};
#endif
    (void)stream;
#endif
    in += in_offset + share.row * in_stride;
    out += out_offset + share.row * out_stride;
    scratch += scratch_offset + share.row * scratch_stride;
    __global CLP_A *block_totals = scratch + CLP_BLOCKS_AT(most), *befores = scratch + CLP_SUPERS_AT(most);
    if (single && share.tiles > 0 && CLP_TEAM_LEADER)
        befores[0] = CLP_BARE(front);
    CLP_TEAM_BARRIER();
    CLP_IN source = CLP_SOURCE(in);
    for (ulong start = (ulong)share.team * chunk; start < share.tiles; start += teams * chunk) {
        const ulong end = min(start + chunk, share.tiles);
        for (ulong tile = start; tile < end; tile++) {
            const uint count = clp_tile_count(share.n, tile);
#if CLP_SIMD
            const uint fresh = single || tile == start || tile % 32 == 0;
            const CLP_A prefix = clp_prefix_of(tile, scratch, block_totals, befores, single ? tile : share.tiles, pad,
                                               fresh, &base, tiles);
            const CLP_A total = clp_tile_scan(CLP_FROM(source, tile * CLP_TILE), out + tile * CLP_TILE, count, prefix,
                                              pad, stream);
#elif CLP_BY_RUNS
            const ulong block = tile / 32, super = block / 32;
            const uint t = (uint)(tile - block * 32), b = (uint)(block - super * 32);
            const uint local_id = (uint)get_local_id(0), place = local_id ^ 31u, half_of = (uint)tile & 1u;
            const clp_meeting meeting = {met_groups[half_of], met_parts[half_of]};
            clp_own own;
            CLP_A value = pad;
            const uint aligned = clp_fetch_own(CLP_FROM(source, tile * CLP_TILE), count, &own);
            if (local_id == 64u)
                value = befores[super];
            else if (place < t)
                value = scratch[block * 32 + place];
            else if (place >= 32u && place < 32u + b)
                value = block_totals[super * 32 + (place - 32u)];
            const CLP_A total =
                clp_finish_tile(&own, aligned, CLP_FROM(source, tile * CLP_TILE), out + tile * CLP_TILE, count, value, t,
                                b, pad, values, meeting, 0);
            if (single || (tile == 0 && has_head))
                CLP_TEAM_BARRIER();
#else
            const CLP_A prefix = clp_prefix_of(tile, scratch, block_totals, befores, pad, local_memory);
            const CLP_A total =
                clp_tile_scan(CLP_FROM(source, tile * CLP_TILE), out + tile * CLP_TILE, count, prefix, pad,
                              local_memory);
            if (single || (tile == 0 && has_head))
                CLP_TEAM_BARRIER();
#endif
            if (tile == 0 && has_head && CLP_TEAM_LEADER)
                out[0] = CLP_STORE(head);
            if (single && CLP_TEAM_LEADER) {
                const ulong of_block = tile / 32, of_super = tile / 1024;
                scratch[tile] = total;
                if (tile % 32 == 31)
                    block_totals[of_block] = clp_tree32(scratch + of_block * 32, 32, pad);
                if (tile % 1024 == 1023)
                    befores[of_super + 1] =
                        CLP_OP(befores[of_super], clp_tree32(block_totals + of_super * 32, 32, pad));
            }
            if (single)
                CLP_TEAM_BARRIER();
        }
    }
}

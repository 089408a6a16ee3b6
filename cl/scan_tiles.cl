/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan_tiles.cl: tiles of one array, row or segment, in both shapes; after scan_base.cl.
 *
 *   clp_spine(…)        what lies before each super-block, of the totals of tiles
 *   clp_scan_tiles(…)   scans tiles behind their prefixes, (super-blocks ⊕ block) ⊕ tile
 * All are called by a whole team. Local memory of clp_scan_tiles(), declared by CLP_TILES_MEMORY in a kernel: see
 * clp_scratch (scan_simt.cl) and clp_meeting (scan_runs.cl); none in the simd shape.
 */

#if CLP_SIMD
/* 32 totals, of which those from count on are missing; of such their tree and their prefixes. */
static inline void clp_totals32(const __global CLP_A *totals, ulong count, CLP_A pad, CLP_A *v) {
    for (uint lane = 0; lane < 32; lane++) {
        v[lane] = pad;
        if (lane < count)
            v[lane] = totals[lane];
    }
}

static inline CLP_A clp_tree32(const __global CLP_A *totals, ulong count, CLP_A pad) {
    CLP_A v[32];
    clp_totals32(totals, count, pad, v);
    return clp_total32(v);
}

static inline void clp_prefixes(const __global CLP_A *totals, ulong count, CLP_A pad, CLP_A *prefixes) {
    clp_totals32(totals, count, pad, prefixes);
    clp_prefixes32(prefixes, pad);
}
#endif

/*
 * tiles totals make `blocks` totals of blocks of 32 and the prefixes of super-blocks of 32 blocks; the last tile of the
 * array may be missing among them.
 */
static inline void clp_spine(const __global CLP_A *totals, ulong tiles, ulong blocks, __global CLP_A *block_totals,
                             __global CLP_A *befores, CLP_A pad, CLP_A init) {
    const ulong supers = CLP_UNITS(blocks, 32ul);
#if CLP_SIMD
    const uint first = 0, step = 1;
#else
    const uint first = (uint)get_local_id(0), step = CLP_WG_SIZE;
#endif
    for (ulong block = first; block < blocks; block += step)
        block_totals[block] = clp_tree32(totals + block * 32, tiles - block * 32, pad);
    CLP_TEAM_BARRIER();
    for (ulong super = first; super < supers; super += step)
        befores[super] = clp_tree32(block_totals + super * 32, blocks - super * 32, pad);
    CLP_TEAM_BARRIER();
    if (CLP_TEAM_LEADER) {
        CLP_A before = init;
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

#if CLP_SIMD
#define CLP_TILES_MEMORY
#define CLP_TILES_ARG
#define CLP_TILES_PASS
#elif CLP_BY_RUNS
typedef struct {
    __local CLP_A *values, *groups, *parts;
} clp_tiles_memory;
#define CLP_TILES_MEMORY                                                                                               \
    __local CLP_A values[CLP_AT(CLP_PIECE)] __attribute__((aligned(16))), met_groups[16], met_parts[6];                                             \
    const clp_tiles_memory memory = {values, met_groups, met_parts};
#define CLP_TILES_ARG , clp_tiles_memory memory
#define CLP_TILES_PASS , memory
#else
#define CLP_TILES_MEMORY                                                                                               \
    __local CLP_A values[CLP_AT(CLP_PIECE)] __attribute__((aligned(16))), runs[CLP_RUNS], other[CLP_SUBGROUPS == 1 ? CLP_RUNS : 1];                 \
    const clp_scratch memory = {values, runs, other};
#define CLP_TILES_ARG , clp_scratch memory
#define CLP_TILES_PASS , memory
#endif

/*
 * Scans tiles start … end - 1 of n elements, of which the first `known` totals are there, and those of the blocks and
 * super-blocks before them. single: all from tile 0 on, with totals that are made here; befores[0] is there.
 * has_head: head is what output 0 must be. stream: so much is written that it should pass the caches.
 */
static inline void clp_scan_tiles(CLP_IN in, __global CLP_R *out, ulong n, ulong start, ulong end, ulong known,
                                  __global CLP_A *totals, __global CLP_A *block_totals, __global CLP_A *befores,
                                  CLP_A pad, clp_value head, uint has_head, uint single, uint stream CLP_TILES_ARG) {
#if CLP_SIMD
    CLP_A base = pad, tiles[32];
#else
    (void)known;
    (void)stream;
#endif
    for (ulong tile = start; tile < end; tile++) {
        const uint count = clp_tile_count(n, tile);
#if CLP_SIMD
        const uint fresh = single || tile == start || tile % 32 == 0;
        const CLP_A prefix = clp_prefix_of(tile, totals, block_totals, befores, single ? tile : known, pad, fresh,
                                           &base, tiles);
        const CLP_A total =
            clp_tile_scan(CLP_FROM(in, tile * CLP_TILE), out + tile * CLP_TILE, count, prefix, pad, stream);
#elif CLP_BY_RUNS
        const ulong block = tile / 32, super = block / 32;
        const uint t = (uint)(tile - block * 32), b = (uint)(block - super * 32);
        const uint local_id = (uint)get_local_id(0), place = local_id ^ 31u, half_of = (uint)tile & 1u;
        const clp_meeting meeting = {memory.groups + half_of * 8u, memory.parts + half_of * 3u};
        clp_own own;
        CLP_A value = pad;
        const uint aligned = clp_fetch_own(CLP_FROM(in, tile * CLP_TILE), count, &own);
        if (local_id == 64u)
            value = befores[super];
        else if (place < t)
            value = totals[block * 32 + place];
        else if (place >= 32u && place < 32u + b)
            value = block_totals[super * 32 + (place - 32u)];
        const CLP_A total = clp_finish_tile(&own, aligned, CLP_FROM(in, tile * CLP_TILE), out + tile * CLP_TILE, count,
                                            value, t, b, pad, memory.values, meeting);
        if (single || (tile == 0 && has_head))
            CLP_TEAM_BARRIER();
#else
        const CLP_A prefix = clp_prefix_of(tile, totals, block_totals, befores, pad, memory);
        const CLP_A total =
            clp_tile_scan(CLP_FROM(in, tile * CLP_TILE), out + tile * CLP_TILE, count, prefix, pad, memory);
        if (single || (tile == 0 && has_head))
            CLP_TEAM_BARRIER();
#endif
        if (tile == 0 && has_head && CLP_TEAM_LEADER)
            out[0] = CLP_STORE(head);
        if (single && CLP_TEAM_LEADER) {
            const ulong of_block = tile / 32, of_super = tile / 1024;
            totals[tile] = total;
            if (tile % 32 == 31)
                block_totals[of_block] = clp_tree32(totals + of_block * 32, 32, pad);
            if (tile % 1024 == 1023)
                befores[of_super + 1] =
                    CLP_OP(befores[of_super], clp_tree32(block_totals + of_super * 32, 32, pad));
        }
        if (single)
            CLP_TEAM_BARRIER();
    }
}

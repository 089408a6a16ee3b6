/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan_pass_simd.cl: the scan of one array in one launch (schedule "one pass"). simd shape; not for user operators.
 *
 * Algorithm: each team takes runs of `chunk` tiles by ticket, in turn. It computes the totals of the run's tiles and
 * publishes them, and a block's where the run ends one; then takes what was published of the tiles, blocks and
 * super-blocks before; then scans the run, whose elements are still in its cache. So elements are read once
 * and outputs written once. scan_pass.cl has the sources.
 *
 * Progress: a run's own totals are published before anything is waited for, and whoever has a ticket has been started.
 * Waits are bounded all the same: what does not come is computed from the input, by the same tree. (A thread that the
 * operating system has put aside may be gone for longer than that takes.) So the call must not be in place.
 *
 * Published values: see scan_board.cl. Tiles come first, from CLP_BLOCKS_AT on blocks.
 * *ticket is 0 before and after: each team takes one ticket too many, and the last one of all clears it.
 *
 * Launch: one-dimensional, any number of teams; chunk a power of two, 32 at most; fewer than 2^32 runs and teams
 * together. No local memory.
 */
#include "scan_base.cl"

#if !CLP_SIMD || CLP_ANY
#error "the simt shape has scan_pass.cl; user operators have no such schedule"
#endif
#include "scan_board.cl"

/* The array, and what all parts of the kernel need. */
typedef struct {
    CLP_IN source;
    CLP_A pad;
    clp_board board;
} clp_pass;

/* The total of a full tile of an earlier run. */
static inline CLP_A clp_earlier_tile(const clp_pass *pass, ulong tile) {
    CLP_A total;
    if (!clp_await(pass->board, tile, CLP_PATIENCE, &total))
        total = clp_tile_total(CLP_FROM(pass->source, tile * CLP_TILE), CLP_TILE, pass->pad);
    return total;
}

static inline CLP_A clp_earlier_block(const clp_pass *pass, ulong block) {
    CLP_A total;
    if (!clp_await(pass->board, pass->board.blocks_at + block, CLP_PATIENCE, &total)) {
        CLP_A totals[32];
        for (uint i = 0; i < 32; i++)
            totals[i] = clp_earlier_tile(pass, block * 32 + i);
        total = clp_total32(totals);
    }
    return total;
}

/* count blocks from this one on, and pads. */
static inline void clp_earlier_blocks(const clp_pass *pass, ulong block, uint count, CLP_A *totals) {
    for (uint i = 0; i < 32; i++) {
        totals[i] = pass->pad;
        if (i < count)
            totals[i] = clp_earlier_block(pass, block + i);
    }
}

/* has_head: head is what output 0 must be. stream: so much is written that it should pass the caches. */
CLP_KERNEL void clp_scan_pass(const __global CLP_T *in, ulong in_offset, CLP_HEADS_PARAMETERS __global CLP_R *out,
                              ulong out_offset, ulong n, clp_value identity, clp_value front, clp_value head,
                              uint has_head, volatile __global ulong *words, uint epoch, volatile __global uint *ticket,
                              uint chunk, uint stream) {
    const ulong tiles = CLP_UNITS(n, (ulong)CLP_TILE);
    const uint runs = (uint)CLP_UNITS(tiles, (ulong)chunk), teams = (uint)get_global_size(0);
    const CLP_A pad = CLP_BARE(identity);
    clp_pass pass;
    in += in_offset;
    out += out_offset;
    pass.source = CLP_SOURCE(in);
    pass.pad = pad;
    pass.board.words = words, pass.board.epoch = epoch;
    pass.board.blocks_at = CLP_BLOCKS_AT(tiles), pass.board.supers_at = CLP_SUPERS_AT(tiles);
    CLP_A before = CLP_BARE(front); /* what lies before this super-block: */
    ulong super = 0;
    uint run = atomic_inc(ticket);
    for (; run < runs; run = atomic_inc(ticket)) {
        const ulong start = (ulong)run * chunk, end = min(start + chunk, tiles), block = start / 32;
        CLP_A totals[32], blocks[32];
        for (ulong tile = start; tile < end; tile++) {
            const CLP_A total =
                clp_tile_total(CLP_FROM(pass.source, tile * CLP_TILE), clp_tile_count(n, tile), pad);
            totals[tile % 32] = total;
            if (CLP_IS_KEPT(tile))
                clp_publish(pass.board, tile, total);
        }
        for (ulong tile = block * 32; tile < start; tile++)
            totals[tile % 32] = clp_earlier_tile(&pass, tile);
        for (uint i = (uint)(end - block * 32); i < 32; i++)
            totals[i] = pad;
        if (end == block * 32 + 32 && CLP_IS_KEPT(block))
            clp_publish(pass.board, pass.board.blocks_at + block, clp_total32(totals));
        for (; super < block / 32; super++) {
            clp_earlier_blocks(&pass, super * 32, 32, blocks);
            before = CLP_OP(before, clp_total32(blocks));
        }
        clp_earlier_blocks(&pass, super * 32, (uint)(block - super * 32), blocks);
        clp_prefixes32(blocks, pad);
        clp_prefixes32(totals, pad);
        const CLP_A base = CLP_OP(before, blocks[block % 32]);
        for (ulong tile = start; tile < end; tile++)
            clp_tile_scan(CLP_FROM(pass.source, tile * CLP_TILE), out + tile * CLP_TILE, clp_tile_count(n, tile),
                          CLP_OP(base, totals[tile % 32]), pad, stream);
        if (run == 0 && has_head)
            out[0] = CLP_STORE(head);
    }
    if (run == runs + teams - 1u) /* nobody takes another ticket after this one */
        atomic_xchg(ticket, 0u);
}

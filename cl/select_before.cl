/* SPDX-License-Identifier: Apache-2.0 */
/*
 * select_before.cl: what lies before a tile of select_pass.cl, which includes it: how many are kept, and, for run-length
 * encoding, the last head.
 */
/*
 * What lies before a tile, as clp_before(). The first tiles see all tiles before them, which add up in any order: that is
 * one wait less than for the front of a block, which is what small arrays take their time for.
 */
CLP_INLINE uint clp_count_before(clp_board board, clp_parts parts, volatile __local uint *near, ulong tile, uint *count) {
    if (tile > CLP_WG_SIZE)
        return clp_before(board, tile, 0, 0, parts, count);
    if (get_local_id(0) < tile) {
        uint total = 0;
        if (!clp_await(board, get_local_id(0), CLP_PATIENCE, &total))
            atomic_or(parts.lost, 1u);
        if (total > 0)
            atomic_add(near, total);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    *count = *near;
    return parts.lost[0] == 0;
}
#define CLP_PREFIX(tile, turn, count) clp_count_before(pass.work.board, pass.work.parts, pass.near + (turn), tile, count)

#if CLP_LENGTHS
/* The place behind the last head of a tile, again, by one work-item. */
CLP_RARELY uint clp_last_again(const __global CLP_T *in, ulong tile) {
    uint place = 4096;
    while (place > 0 && !clp_keep(in, 0, tile * 4096 + place - 1))
        place--;
    return place;
}

/* Looks at a tile before this one, `back` tiles away, if there is one: *met becomes the place in the array behind the
 * last head that was seen. */
CLP_INLINE void clp_look_back(const clp_work *work, ulong lasts_at, ulong tile, uint back, volatile __local uint *met) {
    if (back < tile) {
        const ulong at = tile - 1 - back;
        uint last;
        if (!clp_await(work->board, lasts_at + at, CLP_PATIENCE, &last))
            last = clp_last_again(work->in, at);
        if (last > 0)
            atomic_max(met, (uint)(at * 4096 + last));
    }
}

/* Some work-items do, who have nothing else to wait for: mostly one of these 32 tiles has a head. */
#define CLP_LOOKED_AT 32u
#define CLP_BESIDE(tile, turn)                                                                                         \
    if (CLP_RUN == 7u)                                                                                                 \
    clp_look_back(&pass.work, pass.lasts_at, tile, CLP_LANE, pass.met + (turn))

/* The place behind the last head before a tile, of which there is one, if it is further away. For the whole work-group. */
CLP_INLINE uint clp_last_before(const clp_work *work, ulong lasts_at, ulong tile, volatile __local uint *met) {
    uint found = 0;
    for (tile -= CLP_LOOKED_AT; found == 0; tile -= min(tile, (ulong)CLP_WG_SIZE)) {
        clp_look_back(work, lasts_at, tile, (uint)get_local_id(0), met);
        barrier(CLK_LOCAL_MEM_FENCE);
        found = *met;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return found;
}
#endif

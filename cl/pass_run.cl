/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pass_run.cl: the turns of a work-group of pass.cl, and recovery. The pattern has defined
 *   clp_pass       what a call needs; CLP_PASS_FIELDS and its own
 *   clp_own        of a work-item: what it loads of a tile; clp_held what it keeps of one until the tile is finished
 *   clp_fetch_tile(pass, tile, &own)   starts to load; returns what clp_settle() must be told
 *   clp_settle(pass, tile, &own, told, slot, &held)   brings the tile into one of two slots
 *   clp_announced(pass, slot, &held)   after a barrier: the tile's total, in all work-items
 *   clp_finish(pass, tile, slot, &held, prefix)       writes, given what lies before the tile
 *   clp_total_again(pass, tile)        the total of a full tile, from the input; slots stay as they are
 *   CLP_WAITS      1: a tile is finished a turn after it was settled; 0: at once, as there is one slot
 * All are called by the whole work-group.
 */
#define CLP_NO_TILE (~0ul)

/*
 * Computes and publishes what is missing before the tile: the lowest thing that is lost first; what that is made of may be
 * lost as well, then it comes before. @return what lies before the tile
 */
CLP_RARELY CLP_A clp_recover(const clp_pass by_value, ulong tile) {
    const clp_pass *pass = &by_value; /* a copy, so that the caller's may lie in registers */
    const uint t = (uint)(tile % 32), b = (uint)(tile / 32 % 32);
    const clp_goal wanted = {tile / 32, t, b, 1};
    clp_goal goal = wanted;
    for (;;) {
        const __local CLP_A *prefixes = clp_gather(pass->board, goal, pass->pad, pass->init, pass->parts);
        ulong first = 0, end = 0;
        if (prefixes) {
            const CLP_A front = CLP_OP(*pass->parts.before, goal.blocks > 0 ? prefixes[31u + goal.blocks] : pass->pad);
            if (CLP_TEAM_LEADER && goal.tiles == 32u)
                clp_publish(pass->board, pass->board.blocks_at + goal.block, prefixes[31]);
            if (CLP_TEAM_LEADER && goal.blocks == 32u)
                clp_publish(pass->board, pass->board.supers_at + goal.block / 32 + 1, front);
            if (goal.block == wanted.block && goal.tiles == t && goal.blocks == b && goal.before) {
                if (CLP_TEAM_LEADER)
                    clp_publish(pass->board, pass->board.fronts_at + goal.block, front);
                const CLP_A value = CLP_OP(front, t > 0 ? prefixes[t - 1u] : pass->pad);
                clp_forget(pass->parts.lost);
                return value;
            }
            goal = wanted;
        } else {
            goal = clp_next_goal(goal, pass->parts.lost, &first, &end);
        }
        for (; first < end; first++) { /* never the last tile of all, for which nobody waits */
            const CLP_A total = clp_total_again(pass, first);
            if (CLP_TEAM_LEADER)
                clp_publish(pass->board, first, total);
        }
    }
}

/* tickets: two words of local memory. */
CLP_INLINE void clp_run_pass(const clp_pass *pass, ulong tiles, volatile __global uint *ticket, __local uint *tickets) {
    uint taken = 0, slot = 0, aligned = 0;
    if (CLP_TEAM_LEADER)
        tickets[1] = taken = atomic_inc(ticket);
    clp_forget(pass->parts.lost);
    ulong next = tickets[1], settled = CLP_NO_TILE;
#if CLP_SPINE
    if (next == 0) {
        clp_spine(pass->board, CLP_UNITS(tiles, 32ul), pass->pad, pass->init, pass->ring);
        return;
    }
    next--;
#endif
    clp_own own;
    clp_held newer, held;
    if (next < tiles)
        aligned = clp_fetch_tile(pass, next, &own);
    while (next < tiles || settled != CLP_NO_TILE) {
        if (CLP_TEAM_LEADER && next < tiles)
            taken = atomic_inc(ticket); /* is back when the tile is settled */
        if (next < tiles)
            clp_settle(pass, next, &own, aligned, slot, &newer);
        if (CLP_TEAM_LEADER)
            tickets[slot] = taken;
        barrier(CLK_LOCAL_MEM_FENCE);
        const ulong after = tickets[slot] - (ulong)CLP_SPINE;
        if (next < tiles) {
            const CLP_A total = clp_announced(pass, slot, &newer);
            if (CLP_TEAM_LEADER && CLP_IS_KEPT(next))
                clp_publish(pass->board, next, total);
            if (after < tiles)
                aligned = clp_fetch_tile(pass, after, &own);
        }
#if !CLP_WAITS
        settled = next < tiles ? next : CLP_NO_TILE;
        held = newer;
#endif
        const uint from = CLP_WAITS ? slot ^ 1u : slot;
        if (settled != CLP_NO_TILE) {
            CLP_A prefix;
            if (!clp_before(pass->board, settled, pass->pad, pass->init, pass->parts, &prefix))
                prefix = clp_recover(*pass, settled);
            clp_finish(pass, settled, from, &held, prefix);
        }
        settled = CLP_WAITS && next < tiles ? next : CLP_NO_TILE;
        next = next < tiles ? after : next;
        held = newer;
        slot ^= 1u;
    }
    /* All work-groups but the spine take one ticket that has no tile; nobody takes another one after the last of these. */
    if (CLP_TEAM_LEADER && taken == (uint)tiles + (uint)get_num_groups(0) - 1u)
        atomic_xchg(ticket, 0u);
}

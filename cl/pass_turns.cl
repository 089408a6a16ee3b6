/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pass_turns.cl: the turns of a work-group of pass.cl: the end of a kernel's body, included there. (As a function, however
 * inlined, it made NVIDIA's compiler keep a scan's structures in memory: 0.74 ms instead of 0.61.) The kernel has
 *   pass, tiles, ticket         clp_pass; number of tiles; the counter
 *   tickets                     two words of local memory
 * and the pattern
 *   CLP_WORK                    the part of pass that pass_recover.cl needs
 *   CLP_WAITS                   1: a tile is finished a turn after it was settled; 0: at once, as there is one slot
 *   clp_own, clp_held           what a work-item loads of a tile; what it keeps of one until the tile is finished
 *   clp_fetch_tile(&pass, tile, &own)                     starts to load; returns what clp_settle() must be told
 *   clp_settle(&pass, tile, &own, told, slot, &held)      brings the tile into one of two slots
 *   clp_announced(&pass, tile, slot, &held)               after a barrier: the tile's total, in all work-items
 *   CLP_CLEAR(turn)                                       optional: by one work-item, before the others meet: clears what
 *                                                         CLP_PREFIX and CLP_BESIDE have in local memory for this turn
 *   CLP_PREFIX(tile, turn, &prefix)                       optional: gets what lies before the tile; clp_before() if not there
 *   CLP_BESIDE(tile, turn)                                optional: what else to look for, while the work-group waits for
 *                                                         what lies before the tile; turn 0 or 1, in turns; meets nobody
 *   CLP_FINISH(tile, slot, &held, prefix)                 writes, given what lies before the tile
 */
#define CLP_NO_TILE (~0ul)
#ifndef CLP_CLEAR
#define CLP_CLEAR(turn)
#endif
#ifndef CLP_PREFIX
#define CLP_PREFIX(tile, turn, prefix)                                                                                 \
    clp_before(CLP_WORK.board, tile, CLP_WORK.pad, CLP_WORK.init, CLP_WORK.parts, prefix)
#endif

    uint taken = 0, slot = 0, aligned = 0;
    if (CLP_TEAM_LEADER)
        tickets[1] = taken = atomic_inc(ticket);
    clp_forget(CLP_WORK.parts.lost);
    ulong next = tickets[1], settled = CLP_NO_TILE;
#if CLP_SPINE
    CLP_RING_MEMORY
    if (next == 0) {
        clp_spine(CLP_WORK.board, CLP_UNITS(tiles, 32ul), CLP_WORK.pad, CLP_WORK.init, ring);
        return;
    }
    next--;
#endif
    clp_own own;
    clp_held newer, held;
    if (next < tiles)
        aligned = clp_fetch_tile(&pass, next, &own);
    while (next < tiles || settled != CLP_NO_TILE) {
        if (CLP_TEAM_LEADER && next < tiles)
            taken = atomic_inc(ticket); /* is back when the tile is settled */
        if (next < tiles)
            clp_settle(&pass, next, &own, aligned, slot, &newer);
        if (CLP_TEAM_LEADER) {
            tickets[slot] = taken;
            CLP_CLEAR(slot)
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        const ulong after = tickets[slot] - (ulong)CLP_SPINE;
        if (next < tiles) {
            const CLP_A total = clp_announced(&pass, next, slot, &newer);
            if (CLP_TEAM_LEADER && CLP_IS_KEPT(next))
                clp_publish(CLP_WORK.board, next, total);
            if (after < tiles)
                aligned = clp_fetch_tile(&pass, after, &own);
        }
#if !CLP_WAITS
        settled = next < tiles ? next : CLP_NO_TILE;
        const uint from = slot;
#else
        const uint from = slot ^ 1u;
#endif
        if (settled != CLP_NO_TILE) {
            CLP_A prefix;
#ifdef CLP_BESIDE
            CLP_BESIDE(settled, slot);
#endif
            if (!CLP_PREFIX(settled, slot, &prefix))
                prefix = clp_recover(CLP_WORK, settled);
            CLP_FINISH(settled, from, &held, prefix);
        }
#if !CLP_WAITS
        settled = CLP_NO_TILE;
#else
        settled = next < tiles ? next : CLP_NO_TILE;
#endif
        next = next < tiles ? after : next;
        held = newer;
        slot ^= 1u;
    }
    /* All work-groups but the spine take one ticket that has no tile; nobody takes another one after the last of these. */
    if (CLP_TEAM_LEADER && taken == (uint)tiles + (uint)get_num_groups(0) - 1u)
        atomic_xchg(ticket, 0u);

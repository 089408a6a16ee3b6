/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pass_recover.cl: what a work-group of pass.cl does after a wait in vain. The pattern has defined
 *   clp_work      what recovery needs: pad, init, board, parts (see pass.cl), and what totals are made of. It is passed by
 *                 value to a function that is not inlined; a large one would be kept in memory by NVIDIA's compiler
 *   clp_total_again(work, tile)   the total of a full tile, from the input, for the whole work-group; what is settled stays
 */
/*
 * Computes and publishes what is missing before the tile: the lowest thing that is lost first; what that is made of may be
 * lost as well, then it comes before. @return what lies before the tile
 */
CLP_RARELY CLP_A clp_recover(const clp_work by_value, ulong tile) {
    const clp_work *work = &by_value; /* a copy, so that the caller's may lie in registers */
    const uint t = (uint)(tile % 32), b = (uint)(tile / 32 % 32);
    const clp_goal wanted = {tile / 32, t, b, 1};
    clp_goal goal = wanted;
    for (;;) {
        const __local CLP_A *prefixes = clp_gather(work->board, goal, work->pad, work->init, work->parts);
        ulong first = 0, end = 0;
        if (prefixes) {
            const CLP_A front = CLP_OP(*work->parts.before, goal.blocks > 0 ? prefixes[31u + goal.blocks] : work->pad);
            if (CLP_TEAM_LEADER && goal.tiles == 32u)
                clp_publish(work->board, work->board.blocks_at + goal.block, prefixes[31]);
            if (CLP_TEAM_LEADER && goal.blocks == 32u)
                clp_publish(work->board, work->board.supers_at + goal.block / 32 + 1, front);
            if (goal.block == wanted.block && goal.tiles == t && goal.blocks == b && goal.before) {
                if (CLP_TEAM_LEADER)
                    clp_publish(work->board, work->board.fronts_at + goal.block, front);
                const CLP_A value = CLP_OP(front, t > 0 ? prefixes[t - 1u] : work->pad);
                clp_forget(work->parts.lost);
                return value;
            }
            goal = wanted;
        } else {
            goal = clp_next_goal(goal, work->parts.lost, &first, &end);
        }
        for (; first < end; first++) { /* never the last tile of all, for which nobody waits */
            const CLP_A total = clp_total_again(work, first);
            if (CLP_TEAM_LEADER)
                clp_publish(work->board, first, total);
        }
    }
}

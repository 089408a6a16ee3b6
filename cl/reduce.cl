/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reduce.cl: reduction in the canonical order, of one array or of many rows.
 *
 * Algorithm: see reduce_tree.cl.
 *   clp_reduce         folds level 0, a chunk of tiles a team. With job.climb, the team that finishes the last chunk
 *                      of a node's children folds that node too, and so on (schedule "fused"); else nothing more
 *                      (schedule "levels")
 *   clp_reduce_single  a row's only team folds all of it (schedule "single")
 *   clp_reduce_node    folds one further level (schedule "levels", one row).
 * Launch: one-dimensional; team t works on row t / teams, as that row's team t % teams, teams beyond the
 * last row idle; chunk is a power of two, at most the tiles of a node (4096, ordered 32), a multiple of
 * CLP_STEP_TILES in the simt shape or smaller than it. Local memory: CLP_SCRATCH accumulators and a word. State: one
 * counter for each node, all 0 before and after.
 */
#include "reduce_tree.cl"

/*
 * The numbers of a call; host/reduce.c has the same. Row r is n elements from element in_offset + r · in_stride on,
 * or lengths[r] of them, n at most; likewise `second`. totals and state have totals_stride and state_stride entries
 * for each row.
 */
typedef struct {
    ulong in_offset, second_offset, in_stride, second_stride, lengths_offset, out_offset, n, rows;
    ulong totals_offset, totals_stride, state_stride;
    uint teams, chunk, climb, has_lengths;
} clp_reduce_job;

/* Elements of a row, as job and lengths tell; 0 for a row that is none. */
static inline ulong clp_row_length(const clp_reduce_job *job, const __global uint *lengths, ulong row) {
    if (row >= job->rows)
        return 0;
    return job->has_lengths ? min(job->n, (ulong)lengths[job->lengths_offset + row]) : job->n;
}

CLP_KERNEL void clp_reduce(const __global CLP_T *in, const __global CLP_T *second, const __global uint *lengths,
                           __global CLP_R *out, __global CLP_A *totals, volatile __global uint *state, CLP_A pad,
                           CLP_R empty, clp_reduce_job job) {
    __local CLP_A scratch[CLP_SCRATCH];
    __local uint flag;
    /* Not by %: of a / b with a % b clang makes a `freeze`, which Oclgrind's checker does not know. */
    const ulong row = CLP_TEAM_ID / job.teams;
    const uint team = (uint)CLP_TEAM_ID - (uint)row * job.teams; /* fewer than 2^32 work on a row */
    const ulong n = clp_row_length(&job, lengths, row), tiles = clp_tiles_of(n);
    in += job.in_offset + row * job.in_stride;
    second += job.second_offset + row * job.second_stride;
    totals += job.totals_offset + row * job.totals_stride;
    state += row * job.state_stride;

    /* A work-group of the simd shape may hold more teams than there are rows to work on. */
    for (ulong start = row < job.rows ? (ulong)team * job.chunk : tiles; start < tiles;
         start += (ulong)job.teams * job.chunk) {
        uint count = (uint)min((ulong)job.chunk, tiles - start), depth = 0;
        clp_fold_tiles(in, second, n, start, start + count, pad, totals, scratch);
        /* Up the tree for as long as this team is the last of the children. */
        ulong level = tiles, first = start;
        __global CLP_A *children = totals;
        volatile __global uint *counters = state;
        while (job.climb && !CLP_IS_ROOT(level, depth)) {
            const ulong size = CLP_CHILDREN(level, depth), node = first / size;
            if (!clp_team_last(counters + node, count, (uint)min(size, level - node * size), &flag))
                break;
            clp_fold_node(children, level, node, depth, pad, children + level, scratch);
            children += level;
            level = CLP_PARENTS(level, depth);
            counters += level;
            first = node;
            count = 1;
            depth++;
        }
        if (CLP_IS_ROOT(level, depth) && CLP_TEAM_LEADER)
            out[job.out_offset + row] = clp_result(children[0], n, empty);
    }
}

/* A kernel of its own: PoCL's compiler copies what follows a conditional barrier. */
CLP_KERNEL void clp_reduce_single(const __global CLP_T *in, const __global CLP_T *second,
                                  const __global uint *lengths, __global CLP_R *out, __global CLP_A *totals,
                                  volatile __global uint *state, CLP_A pad, CLP_R empty, clp_reduce_job job) {
    __local CLP_A scratch[CLP_SCRATCH];
    const ulong row = CLP_TEAM_ID, n = clp_row_length(&job, lengths, row);
    (void)state;
#if CLP_SIMD
    if (row >= job.rows)
        return; /* a work-group may hold more teams than there are rows */
#endif
    totals += job.totals_offset + row * job.totals_stride;
    clp_fold_tiles(in + job.in_offset + row * job.in_stride, second + job.second_offset + row * job.second_stride, n, 0,
                   clp_tiles_of(n), pad, totals, scratch);
    const __global CLP_A *root = clp_fold_up(totals, clp_tiles_of(n), pad, scratch);
    if (CLP_TEAM_LEADER && row < job.rows)
        out[job.out_offset + row] = clp_result(*root, n, empty);
}

/* totals, from totals_offset on: the `level` totals of this depth, behind them those of the next. */
CLP_KERNEL void clp_reduce_node(__global CLP_A *totals, __global CLP_R *out, CLP_A pad, CLP_R empty,
                                ulong totals_offset, ulong level, uint depth, ulong n, ulong out_offset) {
    __local CLP_A scratch[CLP_SCRATCH];
    const ulong parents = CLP_PARENTS(level, depth);
    totals += totals_offset;
    for (ulong node = CLP_TEAM_ID; node < parents; node += CLP_TEAM_COUNT) {
        clp_fold_node(totals, level, node, depth, pad, totals + level, scratch);
        if (CLP_IS_ROOT(parents, depth + 1) && CLP_TEAM_LEADER)
            out[out_offset] = clp_result(totals[level], n, empty);
    }
}

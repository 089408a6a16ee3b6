/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fold_ordered.cl: folds in the ordered form, which never changes the order of operands: the total of the scan's
 * tree. A chunk of 16 elements folds by pairs of neighbours, 32 chunk totals likewise (a group of 512), 8 groups
 * from left to right (a tile of 4096); 32 tile totals by pairs (a block), 32 block totals by pairs (a super-block),
 * super-blocks from left to right. What is missing counts as pad, the identity.
 *
 * In place of fold.cl's: clp_fold_elements(), with count 1 in the simt shape, and clp_fold_node(). Accumulators are
 * clp_any of lanes.cl's kind 3; scratch holds CLP_CHUNKS of them in the simt shape. Any work-group size.
 */
#define CLP_CHUNK 16u
#define CLP_CHUNKS 256u /* of a tile */
#define CLP_GROUPS 8u   /* of a tile */

/* Folds count values by pairs of neighbours: a power of two. */
static inline clp_any clp_fold_pairs(clp_any *values, uint count) {
    for (uint step = 1; step < count; step *= 2)
        for (uint i = 0; i < count; i += 2 * step)
            values[i] = clp_any_op(values[i], values[i + step]);
    return values[0];
}

static inline clp_any clp_fold_chunk(const __global CLP_T *x, const __global CLP_T *s, ulong n, ulong start,
                                     clp_any pad) {
    clp_any values[CLP_CHUNK];
    (void)s;
    for (uint i = 0; i < CLP_CHUNK; i++) {
        values[i] = pad;
        if (start + i < n)
#if CLP_PAIRED
            values[i] = clp_load(x[start + i], s[start + i], start + i);
#else
            values[i] = clp_load(x[start + i], x[start + i], start + i);
#endif
    }
    return clp_fold_pairs(values, CLP_CHUNK);
}

#if CLP_SIMD
static inline clp_any clp_fold_elements_tile(const __global CLP_T *x, const __global CLP_T *s, ulong n, ulong start,
                                             clp_any pad) {
    clp_any total;
    for (uint group = 0; group < CLP_GROUPS; group++, start += CLP_TILE / CLP_GROUPS) {
        clp_any chunks[CLP_CHUNKS / CLP_GROUPS];
        for (uint chunk = 0; chunk < CLP_CHUNKS / CLP_GROUPS; chunk++)
            chunks[chunk] = clp_fold_chunk(x, s, n, start + chunk * CLP_CHUNK, pad);
        const clp_any next = clp_fold_pairs(chunks, CLP_CHUNKS / CLP_GROUPS);
        total = group == 0 ? next : clp_any_op(total, next);
    }
    return total;
}

static inline void clp_fold_elements(const __global CLP_T *x, const __global CLP_T *s, ulong n, ulong first,
                                     uint count, clp_any pad, __global clp_any *totals, __local clp_any *scratch) {
    (void)scratch;
    for (ulong tile = first; tile < first + count; tile++)
        totals[tile] = clp_fold_elements_tile(x, s, n, tile * CLP_TILE, pad);
}
#else
/* One tile: its total for the leader. */
static inline clp_any clp_fold_elements_tile(const __global CLP_T *x, const __global CLP_T *s, ulong n, ulong start,
                                             clp_any pad, __local clp_any *scratch) {
    const uint local_id = (uint)get_local_id(0);
    for (uint chunk = local_id; chunk < CLP_CHUNKS; chunk += CLP_WG_SIZE)
        scratch[chunk] = clp_fold_chunk(x, s, n, start + chunk * CLP_CHUNK, pad);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = 1, pairs = CLP_CHUNKS / 2; pairs >= CLP_GROUPS; step *= 2, pairs /= 2) {
        for (uint pair = local_id; pair < pairs; pair += CLP_WG_SIZE)
            scratch[2 * step * pair] = clp_any_op(scratch[2 * step * pair], scratch[2 * step * pair + step]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    clp_any total = pad;
    if (local_id == 0) {
        total = scratch[0];
        for (uint group = 1; group < CLP_GROUPS; group++)
            total = clp_any_op(total, scratch[group * (CLP_CHUNKS / CLP_GROUPS)]);
    }
    barrier(CLK_LOCAL_MEM_FENCE); /* scratch is free again */
    return total;
}

static inline void clp_fold_elements(const __global CLP_T *x, const __global CLP_T *s, ulong n, ulong first,
                                     uint count, clp_any pad, __global clp_any *totals, __local clp_any *scratch) {
    (void)count;
    const clp_any total = clp_fold_elements_tile(x, s, n, first * CLP_TILE, pad, scratch);
    if (get_local_id(0) == 0)
        totals[first] = total;
}
#endif

/* Folds the children of one node, which are few: the team's leader does it. */
static inline void clp_fold_node(const __global clp_any *children, ulong level, ulong node, uint depth, clp_any pad,
                                 __global clp_any *parents, __local clp_any *scratch) {
    (void)scratch;
    if (!CLP_TEAM_LEADER)
        return;
    if (depth < 2) {
        clp_any values[CLP_ORDERED_CHILDREN];
        for (uint i = 0; i < CLP_ORDERED_CHILDREN; i++) {
            values[i] = pad;
            if (node * CLP_ORDERED_CHILDREN + i < level)
                values[i] = children[node * CLP_ORDERED_CHILDREN + i];
        }
        parents[node] = clp_fold_pairs(values, CLP_ORDERED_CHILDREN);
    } else {
        clp_any total = children[0];
        for (ulong i = 1; i < level; i++)
            total = clp_any_op(total, children[i]);
        parents[0] = total;
    }
}

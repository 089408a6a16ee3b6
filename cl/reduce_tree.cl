/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reduce_tree.cl: the tree of a reduction, for one array, row or segment: level 0 is the input; the totals of a
 * level's tiles are the elements of the next; the level with one total is the root. Totals of all levels lie one
 * after the other in `totals`. See reduce.cl and reduce_segments.cl for the kernels, which share these macros,
 * besides prelude.cl's, lanes.cl's and load.cl's:
 *   CLP_T, CLP_B, CLP_A, CLP_R  types of elements, of a lane's rows, of totals, of the result
 *   CLP_WIDEN                   name of the conversion of B to the type in which lanes fold, see fold.cl
 *   CLP_NARROW                  name of the conversion of the pad to B, if it is not a cast
 *   CLP_STORE                   name of the conversion of a total to CLP_R
 *   CLP_MEAN                    1: CLP_STORE takes the number of elements too
 *   CLP_ORDERED                 1: the ordered form, see fold_ordered.cl
 *   CLP_STEP_TILES              tiles that a work-group folds at a time: a power of two
 *   CLP_V, CLP_ITEMS, CLP_BATCH                 of elements, see fold.cl
 *   CLP_NODE_V, CLP_NODE_ITEMS, CLP_NODE_BATCH  of totals
 */
#include "prelude.cl"
#include "order.cl"
#include "operators.cl"
#include "arithmetic.cl"
#include "user.cl"
#include "subgroups.cl"
#include "team.cl"

#if !defined(CLP_T) || !defined(CLP_A) || !defined(CLP_B) || !defined(CLP_R)
#error "CLP_T, CLP_A, CLP_B and CLP_R must be types"
#endif
#if !defined(CLP_LOAD) || !defined(CLP_WIDEN) || !defined(CLP_STORE)
#error "CLP_LOAD, CLP_WIDEN and CLP_STORE must be names"
#endif
#if !defined(CLP_MEAN) || !defined(CLP_ORDERED)
#error "CLP_MEAN and CLP_ORDERED must be 0 or 1"
#endif
#if !defined(CLP_V) || !defined(CLP_ITEMS) || !defined(CLP_BATCH)
#error "CLP_V, CLP_ITEMS and CLP_BATCH must be numbers"
#endif
#if 32 % CLP_BATCH != 0 || CLP_LANES % (CLP_V * CLP_ITEMS) != 0
#error "CLP_BATCH must divide 32, CLP_V times CLP_ITEMS must divide 128"
#endif
#if !defined(CLP_STEP_TILES) || (CLP_STEP_TILES & (CLP_STEP_TILES - 1)) != 0
#error "CLP_STEP_TILES must be a power of two"
#endif
#if !CLP_SIMD && CLP_SUBGROUPS != 1 && (CLP_STEP_TILES * CLP_ITEMS > CLP_WG_SIZE || CLP_NODE_ITEMS > CLP_WG_SIZE)
#error "a work-group must hold its tiles"
#endif

#include "lanes.cl"
#include "load.cl"

static inline ulong clp_ceil_div(ulong n, uint size) {
    return n / size + (n % size != 0);
}

static inline ulong clp_tiles_of(ulong n) {
    return n == 0 ? 1 : clp_ceil_div(n, CLP_TILE);
}

#if CLP_ORDERED

#if !CLP_SIMD && CLP_STEP_TILES != 1
#error "a work-group folds one tile at a time in the ordered form"
#endif
#define CLP_ORDERED_CHILDREN 32u
#if CLP_SIMD
#define CLP_SCRATCH 1
#else
#define CLP_SCRATCH 256
#endif
#include "fold_ordered.cl"

/* Children of a node whose children are totals of this depth, 0 for tiles'; the level above; is this the root? */
#define CLP_CHILDREN(level, depth) ((depth) < 2 ? (ulong)CLP_ORDERED_CHILDREN : (level))
#define CLP_PARENTS(level, depth) ((depth) < 2 ? clp_ceil_div(level, CLP_ORDERED_CHILDREN) : 1)
#define CLP_IS_ROOT(level, depth) ((depth) == 3)

#else

#define CLP_CHILDREN(level, depth) ((ulong)CLP_TILE)
#define CLP_PARENTS(level, depth) clp_tiles_of(level)
#define CLP_IS_ROOT(level, depth) ((level) == 1)

#if CLP_SIMD || CLP_SUBGROUPS != 1
#define CLP_SCRATCH 1
#else
#define CLP_SCRATCH (CLP_STEP_TILES * CLP_LANES)
#endif

/* The totals of a tile's elements before they leave it, as CLP_A, and the pad of a lane. */
#if CLP_KIND == 1
#define CLP_ELEMENT_TOTAL clp_near
#define CLP_ELEMENT_PAD(pad) clp_near_pad(pad)
#define CLP_ELEMENT_ROOT(total) clp_far(total, 0)
#define CLP_FOLD_TOTAL(total, start) clp_far(total, start)
#else
#define CLP_ELEMENT_TOTAL CLP_A
#if CLP_KIND == 0 && defined(CLP_NARROW)
#define CLP_ELEMENT_PAD(pad) CLP_NARROW(pad)
#elif CLP_KIND == 0
#define CLP_ELEMENT_PAD(pad) ((CLP_B)(pad))
#else
#define CLP_ELEMENT_PAD(pad) (pad) /* no casts between structures, not even of one type */
#endif
#define CLP_ELEMENT_ROOT(total) (total)
#define CLP_FOLD_TOTAL(total, start) (total)
#endif

#define CLP_FOLD clp_fold_elements
#define CLP_FOLD_T CLP_T
#define CLP_FOLD_B CLP_B
#define CLP_FOLD_A CLP_ELEMENT_TOTAL
#define CLP_FOLD_PAD(pad) CLP_ELEMENT_PAD(pad)
#define CLP_FOLD_LOAD(x, s, i) clp_load(x, s, i)
#define CLP_FOLD_LOAD_VECTOR(x, s, i) clp_load_vector(x, s, i)
#define CLP_FOLD_NATIVE CLP_T_NATIVE
#define CLP_FOLD_WIDEN CLP_WIDEN
#define CLP_FOLD_ROW_OP CLP_V_NEXT
#define CLP_FOLD_PAIRED CLP_PAIRED
#define CLP_FOLD_V CLP_V
#define CLP_FOLD_ITEMS CLP_ITEMS
#define CLP_FOLD_BATCH CLP_BATCH
#define CLP_FOLD_FETCH clp_fetch_stream
#include "fold.cl"

#define CLP_FOLD clp_fold_totals
#define CLP_FOLD_T CLP_A
#define CLP_FOLD_B CLP_A
#define CLP_FOLD_A CLP_A
#define CLP_FOLD_PAD(pad) (pad)
#define CLP_FOLD_TOTAL(total, start) (total)
#define CLP_FOLD_LOAD(x, s, i) (x)
#define CLP_FOLD_LOAD_VECTOR(x, s, i) (x)
#define CLP_FOLD_NATIVE (CLP_KIND == 0)
#define CLP_FOLD_WIDEN clp_same
#define CLP_FOLD_ROW_OP CLP_V_OP
#define CLP_FOLD_PAIRED 0
#define CLP_FOLD_V CLP_NODE_V
#define CLP_FOLD_ITEMS CLP_NODE_ITEMS
#define CLP_FOLD_BATCH CLP_NODE_BATCH
#define CLP_FOLD_FETCH clp_fetch
#include "fold.cl"

static inline void clp_fold_node(const __global CLP_A *children, ulong level, ulong node, uint depth, CLP_A pad,
                                 __global CLP_A *parents, __local CLP_A *scratch) {
    (void)depth;
    clp_fold_totals(children, children, level, node, 1, pad, parents, scratch);
}
#endif

/* The totals of tiles first … stop − 1, by a team. */
static inline void clp_fold_tiles(const __global CLP_T *x, const __global CLP_T *s, ulong n, ulong first, ulong stop,
                                  CLP_A pad, __global CLP_A *totals, __local CLP_A *scratch) {
#if CLP_SIMD
    for (ulong tile = first; tile < stop; tile++)
        clp_fold_elements(x, s, n, tile, 1, pad, totals, scratch);
#else
    for (ulong tile = first; tile < stop; tile += CLP_STEP_TILES)
        clp_fold_elements(x, s, n, tile, (uint)min((ulong)CLP_STEP_TILES, stop - tile), pad, totals, scratch);
#endif
}

/* All further levels by one team, when the tiles' totals are there. Returns where the root is; its leader may read. */
static inline __global CLP_A *clp_fold_up(__global CLP_A *totals, ulong tiles, CLP_A pad, __local CLP_A *scratch) {
    ulong level = tiles;
    for (uint depth = 0; !CLP_IS_ROOT(level, depth); depth++) {
        const ulong parents = CLP_PARENTS(level, depth);
#if !CLP_SIMD
        barrier(CLK_GLOBAL_MEM_FENCE);
#endif
        for (ulong node = 0; node < parents; node++)
            clp_fold_node(totals, level, node, depth, pad, totals + level, scratch);
        totals += level;
        level = parents;
    }
    return totals;
}

/* The result of n elements from their root. */
static inline CLP_R clp_result(CLP_A root, ulong n, CLP_R empty) {
    if (n == 0)
        return empty;
#if CLP_KIND == 1
    return CLP_STORE(root.second);
#else
#if CLP_KIND == 2
#define CLP_ROOT clp_pair_value(root)
#else
#define CLP_ROOT root
#endif
#if CLP_MEAN
    return CLP_STORE(CLP_ROOT, n);
#else
    return CLP_STORE(CLP_ROOT);
#endif
#endif
}

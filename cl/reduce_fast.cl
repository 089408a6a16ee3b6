/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reduce_fast.cl: reduction in no fixed order, one atomic for each team: the chapter's blockSum.
 *
 * Algorithm: clp_reduce_fast_begin writes the operator's identity (the result of nothing, if there is
 * nothing) to the result. clp_reduce_fast runs next: each team folds its share of the elements and joins
 * the result by one atomic.
 *   simt  work-items stride over the whole array by vectors of 16 bytes, CLP_BATCH loads in flight; the
 *         work-group folds by sub-groups, or a tree in local memory
 *   simd  a work-item folds a piece of the array, sixteen elements a vector
 * Launch: one-dimensional; begin any size, one element is written. Local memory: CLP_SCRATCH accumulators.
 * Any element offset: the elements before the first aligned vector and behind the last are taken singly.
 * Sums of floats depend on the order in which teams finish. The others do not, NaN and ±0 included.
 *
 * Macros besides prelude.cl's and lanes.cl's:
 *   CLP_T, CLP_LOAD    type of elements and result; name of the conversion T to CLP_A
 *   CLP_JOIN           name of the atomic, one of atomics.cl's; takes a pointer to the result and a CLP_A
 *   CLP_V              elements in 16 bytes: 2 or 4
 *   CLP_BATCH          simt shape: vectors that a work-item loads before it folds them
 *   CLP_ATOMICS64      1: with 64-bit atomics, see atomics.cl
 */
#include "prelude.cl"
#include "order.cl"
#include "operators.cl"
#include "subgroups.cl"
#include "team.cl"

#if !defined(CLP_T) || !defined(CLP_A) || !defined(CLP_LOAD) || !defined(CLP_OP) || !defined(CLP_JOIN)
#error "CLP_T and CLP_A must be types, CLP_LOAD, CLP_OP and CLP_JOIN names"
#endif
#if !defined(CLP_V) || (CLP_V != 2 && CLP_V != 4)
#error "CLP_V must be 2 or 4"
#endif
#if !defined(CLP_BATCH) || CLP_BATCH < 1
#error "CLP_BATCH must be at least 1"
#endif
#include "lanes.cl"
#include "atomics.cl"

#define CLP_AV CLP_CAT(CLP_A, CLP_V)
#if CLP_SIMD
#define CLP_SCRATCH 1
#elif CLP_SUBGROUPS != 1
#define CLP_SCRATCH ((CLP_WG_SIZE + 31) / 32)
#else
#define CLP_SCRATCH CLP_WG_SIZE
#endif

/* ---- folds --------------------------------------------------------------------------------------------- */

#if CLP_SIMD

/* This work-item's piece, a run of neighbours; pieces are multiples of 128 elements. */
static inline CLP_A clp_fold_share(const __global CLP_T *x, ulong n, CLP_A pad) {
    const ulong rows = n / 128 + (n % 128 != 0), share = (rows + get_global_size(0) - 1) / get_global_size(0);
    const ulong end = min(n, (get_global_id(0) + 1) * share * 128);
    CLP_A16 a0 = (CLP_A16)(pad), a1 = a0, a2 = a0, a3 = a0, a4 = a0, a5 = a0, a6 = a0, a7 = a0;
    ulong i = get_global_id(0) * share * 128;
    for (; i + 128 <= end; i += 128) {
        a0 = CLP_OP(a0, CLP_CAT(CLP_LOAD, 16)(vload16(0, x + i)));
        a1 = CLP_OP(a1, CLP_CAT(CLP_LOAD, 16)(vload16(0, x + i + 16)));
        a2 = CLP_OP(a2, CLP_CAT(CLP_LOAD, 16)(vload16(0, x + i + 32)));
        a3 = CLP_OP(a3, CLP_CAT(CLP_LOAD, 16)(vload16(0, x + i + 48)));
        a4 = CLP_OP(a4, CLP_CAT(CLP_LOAD, 16)(vload16(0, x + i + 64)));
        a5 = CLP_OP(a5, CLP_CAT(CLP_LOAD, 16)(vload16(0, x + i + 80)));
        a6 = CLP_OP(a6, CLP_CAT(CLP_LOAD, 16)(vload16(0, x + i + 96)));
        a7 = CLP_OP(a7, CLP_CAT(CLP_LOAD, 16)(vload16(0, x + i + 112)));
    }
    a0 = CLP_OP(a0, a4), a1 = CLP_OP(a1, a5), a2 = CLP_OP(a2, a6), a3 = CLP_OP(a3, a7);
    a0 = CLP_OP(a0, a2), a1 = CLP_OP(a1, a3);
    CLP_A a = clp_fold_lanes16(CLP_OP(a0, a1));
    for (; i < end; i++)
        a = CLP_OP(a, CLP_LOAD(x[i]));
    return a;
}

/* A work-item is a team. */
static inline CLP_A clp_fold_team(CLP_A a, CLP_A pad, __local CLP_A *scratch) {
    (void)pad;
    (void)scratch;
    return a;
}

#else

#define CLP_TAKE(p) CLP_CAT(CLP_LOAD, CLP_V)(CLP_CAT(as_, CLP_CAT(CLP_T, CLP_V))(clp_fetch_stream(p)))

/* This work-item's share: vectors, and single elements around them, all work-items apart. */
static inline CLP_A clp_fold_share(const __global CLP_T *x, ulong n, CLP_A pad) {
    const ulong id = get_global_id(0), all = get_global_size(0);
    const ulong head = min(n, ((0 - (ulong)x) & 15) / sizeof(CLP_T)), vectors = (n - head) / CLP_V;
    const __global uint4 *v = (const __global uint4 *)(x + head);
    CLP_AV a = (CLP_AV)(pad);
    ulong i = id;
    for (; i + (CLP_BATCH - 1) * all < vectors; i += CLP_BATCH * all) {
        CLP_AV batch[CLP_BATCH];
#pragma unroll
        for (uint k = 0; k < CLP_BATCH; k++)
            batch[k] = CLP_TAKE(v + (i + k * all));
#pragma unroll
        for (uint k = 0; k < CLP_BATCH; k++)
            a = CLP_OP(a, batch[k]);
    }
    /* The last batch is partial. */
    if (i < vectors) {
        CLP_AV batch[CLP_BATCH];
#pragma unroll
        for (uint k = 0; k < CLP_BATCH; k++) {
            batch[k] = (CLP_AV)(pad);
            if (i + k * all < vectors)
                batch[k] = CLP_TAKE(v + (i + k * all));
        }
#pragma unroll
        for (uint k = 0; k < CLP_BATCH; k++)
            a = CLP_OP(a, batch[k]);
    }
    CLP_A single = CLP_CAT(clp_fold_lanes, CLP_V)(a);
    for (i = id; i < head; i += all)
        single = CLP_OP(single, CLP_LOAD(x[i]));
    for (i = head + vectors * CLP_V + id; i < n; i += all)
        single = CLP_OP(single, CLP_LOAD(x[i]));
    return single;
}

/* Folds a of all work-items of the work-group; the leader gets the result. */
static inline CLP_A clp_fold_team(CLP_A a, CLP_A pad, __local CLP_A *scratch) {
    const uint id = (uint)get_local_id(0);
#if CLP_SUBGROUPS != 1
    /* Runs of neighbours, then the first run all the others' totals. Exchanges are for the whole work-group. */
    for (uint delta = CLP_SUBGROUP_SIZE / 2; delta > 0; delta /= 2)
        a = CLP_OP(a, clp_down1(a, delta));
    if (id % CLP_SUBGROUP_SIZE == 0)
        scratch[id / CLP_SUBGROUP_SIZE] = a;
    barrier(CLK_LOCAL_MEM_FENCE);
    a = pad;
    if (id < CLP_SUBGROUP_SIZE)
        for (uint run = id; run < CLP_SCRATCH; run += CLP_SUBGROUP_SIZE)
            a = CLP_OP(a, scratch[run]);
    for (uint delta = CLP_SUBGROUP_SIZE / 2; delta > 0; delta /= 2)
        a = CLP_OP(a, clp_down1(a, delta));
    return a;
#else
    (void)pad;
    scratch[id] = a;
    barrier(CLK_LOCAL_MEM_FENCE);
    /* Any number of work-items: of an odd number the one in the middle waits for the next round. */
    for (uint left = CLP_WG_SIZE; left > 1; left = (left + 1) / 2) {
        const uint kept = (left + 1) / 2;
        if (id < left - kept)
            scratch[id] = CLP_OP(scratch[id], scratch[id + kept]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return scratch[0];
#endif
}

#endif

/* ---- kernels ------------------------------------------------------------------------------------------- */

CLP_KERNEL void clp_reduce_fast_begin(__global CLP_T *out, ulong out_offset, CLP_T first) {
    if (get_global_id(0) == 0)
        out[out_offset] = first;
}

CLP_KERNEL void clp_reduce_fast(const __global CLP_T *in, ulong in_offset, ulong n, CLP_A pad,
                                volatile __global CLP_T *out, ulong out_offset) {
    __local CLP_A scratch[CLP_SCRATCH];
    const CLP_A a = clp_fold_team(clp_fold_share(in + in_offset, n, pad), pad, scratch);
    if (CLP_TEAM_LEADER)
        CLP_JOIN(out + out_offset, a);
}

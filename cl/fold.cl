/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fold.cl: folds tiles to their totals in the canonical order. A template: included once for each kind
 * of element, with
 *   CLP_FOLD         name of the function defined here
 *   CLP_FOLD_T       type of the elements in memory
 *   CLP_FOLD_LOAD    name of the conversion to CLP_A; CLP_FOLD_LOAD##4 and ##16 convert vectors
 * and, alike for all inclusions,
 *   CLP_A            accumulator type; CLP_A_BITS its size; CLP_OP(a, b) the operator, commutative
 *   CLP_V            lanes of a work-item in the simt shape: 4
 *   CLP_BATCH        rows that a work-item loads before it folds them: divides 32
 *   CLP_STEP_TILES   tiles that a work-group folds at a time: a power of two
 *
 * CLP_FOLD(x, n, first, count, pad, totals, scratch): the whole team writes totals[first … first + count − 1],
 * the totals of tiles first … of x, which has n elements from x on. Elements from n on count as pad, the
 * operator's identity. The team's leader writes totals[first]. In the simt shape count ≤ CLP_STEP_TILES;
 * scratch: CLP_SCRATCH elements of local memory.
 */
#define CLP_FOLD_T4 CLP_CAT(CLP_FOLD_T, 4)
#define CLP_FOLD_NAME(suffix) CLP_CAT(CLP_FOLD, suffix)

#if CLP_SIMD

/* Sixteen lanes of a row, from element i on. */
static inline CLP_A16 CLP_FOLD_NAME(_some)(const __global CLP_FOLD_T *x, ulong n, ulong i, CLP_A pad)
{
    CLP_A lanes[16];
    for (uint lane = 0; lane < 16; lane++) {
        lanes[lane] = pad;
        if (i + lane < n)
            lanes[lane] = CLP_FOLD_LOAD(x[i + lane]);
    }
    return vload16(0, lanes);
}

/* One tile by one work-item, from element start on: a row is eight vectors of sixteen lanes. */
static inline CLP_A CLP_FOLD_NAME(_tile)(const __global CLP_FOLD_T *x, ulong n, ulong start, CLP_A pad)
{
    CLP_A16 a0 = (CLP_A16)(pad), a1 = a0, a2 = a0, a3 = a0, a4 = a0, a5 = a0, a6 = a0, a7 = a0;
    const ulong end = start + CLP_TILE <= n ? start + CLP_TILE : n;
    ulong i = start;
    for (; i + CLP_LANES <= end; i += CLP_LANES) {
        const __global CLP_FOLD_T *row = x + i;
        a0 = CLP_OP(a0, CLP_CAT(CLP_FOLD_LOAD, 16)(vload16(0, row)));
        a1 = CLP_OP(a1, CLP_CAT(CLP_FOLD_LOAD, 16)(vload16(1, row)));
        a2 = CLP_OP(a2, CLP_CAT(CLP_FOLD_LOAD, 16)(vload16(2, row)));
        a3 = CLP_OP(a3, CLP_CAT(CLP_FOLD_LOAD, 16)(vload16(3, row)));
        a4 = CLP_OP(a4, CLP_CAT(CLP_FOLD_LOAD, 16)(vload16(4, row)));
        a5 = CLP_OP(a5, CLP_CAT(CLP_FOLD_LOAD, 16)(vload16(5, row)));
        a6 = CLP_OP(a6, CLP_CAT(CLP_FOLD_LOAD, 16)(vload16(6, row)));
        a7 = CLP_OP(a7, CLP_CAT(CLP_FOLD_LOAD, 16)(vload16(7, row)));
    }
    /* The last row may be a part of one. Rows of pads alone would change nothing: pad is the identity. */
    if (i < end) {
        a0 = CLP_OP(a0, CLP_FOLD_NAME(_some)(x, n, i, pad));
        a1 = CLP_OP(a1, CLP_FOLD_NAME(_some)(x, n, i + 16, pad));
        a2 = CLP_OP(a2, CLP_FOLD_NAME(_some)(x, n, i + 32, pad));
        a3 = CLP_OP(a3, CLP_FOLD_NAME(_some)(x, n, i + 48, pad));
        a4 = CLP_OP(a4, CLP_FOLD_NAME(_some)(x, n, i + 64, pad));
        a5 = CLP_OP(a5, CLP_FOLD_NAME(_some)(x, n, i + 80, pad));
        a6 = CLP_OP(a6, CLP_FOLD_NAME(_some)(x, n, i + 96, pad));
        a7 = CLP_OP(a7, CLP_FOLD_NAME(_some)(x, n, i + 112, pad));
    }
    a0 = CLP_OP(a0, a4), a1 = CLP_OP(a1, a5), a2 = CLP_OP(a2, a6), a3 = CLP_OP(a3, a7);
    a0 = CLP_OP(a0, a2), a1 = CLP_OP(a1, a3);
    a0 = CLP_OP(a0, a1);
    CLP_A8 b8 = CLP_OP(a0.lo, a0.hi);
    CLP_A4 b4 = CLP_OP(b8.lo, b8.hi);
    CLP_A2 b2 = CLP_OP(b4.lo, b4.hi);
    return CLP_OP(b2.x, b2.y);
}

static inline void CLP_FOLD(const __global CLP_FOLD_T *x, ulong n, ulong first, uint count, CLP_A pad,
                            __global CLP_A *totals, __local CLP_A *scratch)
{
    (void)scratch;
    for (ulong tile = first; tile < first + count; tile++)
        totals[tile] = CLP_FOLD_NAME(_tile)(x, n, tile * CLP_TILE, pad);
}

#else

/* Four lanes of one tile, all rows; start is the element where the tile's first such lane begins. */
static inline CLP_A4 CLP_FOLD_NAME(_rows)(const __global CLP_FOLD_T *x, ulong n, ulong start, CLP_A pad)
{
    CLP_A4 a = (CLP_A4)(pad);
    const ulong end = start + (CLP_TILE - CLP_LANES + 4); /* behind the last row's four lanes */
    x += start;
    if (end <= n && ((size_t)x & (sizeof(CLP_FOLD_T4) - 1)) == 0) {
        const __global CLP_FOLD_T4 *rows = (const __global CLP_FOLD_T4 *)x;
        for (uint row = 0; row < CLP_ROWS; row += CLP_BATCH) {
            CLP_FOLD_T4 batch[CLP_BATCH];
#pragma unroll
            for (uint i = 0; i < CLP_BATCH; i++)
                batch[i] = rows[(row + i) * (CLP_LANES / 4)];
#pragma unroll
            for (uint i = 0; i < CLP_BATCH; i++)
                a = CLP_OP(a, CLP_CAT(CLP_FOLD_LOAD, 4)(batch[i]));
        }
    } else if (end <= n) {
        for (uint row = 0; row < CLP_ROWS; row += CLP_BATCH) {
            CLP_FOLD_T4 batch[CLP_BATCH];
#pragma unroll
            for (uint i = 0; i < CLP_BATCH; i++)
                batch[i] = vload4((row + i) * (CLP_LANES / 4), x);
#pragma unroll
            for (uint i = 0; i < CLP_BATCH; i++)
                a = CLP_OP(a, CLP_CAT(CLP_FOLD_LOAD, 4)(batch[i]));
        }
    } else {
        ulong i = start;
        for (; i + 4 <= n && i < end; i += CLP_LANES, x += CLP_LANES)
            a = CLP_OP(a, CLP_CAT(CLP_FOLD_LOAD, 4)(vload4(0, x)));
        if (i < n && i < end) { /* and i + 3 is no element */
            CLP_A4 b = (CLP_A4)(pad);
            b.s0 = CLP_FOLD_LOAD(x[0]);
            if (i + 1 < n)
                b.s1 = CLP_FOLD_LOAD(x[1]);
            if (i + 2 < n)
                b.s2 = CLP_FOLD_LOAD(x[2]);
            a = CLP_OP(a, b);
        }
    }
    return a;
}

static inline void CLP_FOLD(const __global CLP_FOLD_T *x, ulong n, ulong first, uint count, CLP_A pad,
                            __global CLP_A *totals, __local CLP_A *scratch)
{
    const uint local_id = (uint)get_local_id(0);
#if CLP_SUBGROUPS != 1
    /* A tile is CLP_LANES / 4 neighbours of one sub-group; the host sees to it that they fit. */
    (void)scratch;
    const uint tile = local_id / (CLP_LANES / 4), place = local_id % (CLP_LANES / 4);
    CLP_A4 a = (CLP_A4)(pad);
    if (tile < count)
        a = CLP_FOLD_NAME(_rows)(x, n, (first + tile) * CLP_TILE + place * 4, pad);
    for (uint step = CLP_LANES / 8; step > 0; step /= 2)
        a = CLP_OP(a, clp_down4(a, step));
    CLP_A2 b = CLP_OP(a.lo, a.hi);
    if (tile < count && place == 0)
        totals[first + tile] = CLP_OP(b.x, b.y);
#else
    /* Any number of work-items: each takes lanes by fours until all lanes of all tiles are in local memory. */
    for (uint item = local_id; item < count * (CLP_LANES / 4); item += CLP_WG_SIZE) {
        const uint tile = item / (CLP_LANES / 4), place = item % (CLP_LANES / 4);
        vstore4(CLP_FOLD_NAME(_rows)(x, n, (first + tile) * CLP_TILE + place * 4, pad), item, scratch);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    /* Shifts, not divisions: Oclgrind's checker knows no `freeze`, which clang makes of a / b with a % b. */
    for (uint shift = CLP_LOG2_LANES; shift-- > 0;) {
        const uint half_lanes = 1u << shift;
        for (uint item = local_id; item < count << shift; item += CLP_WG_SIZE) {
            __local CLP_A *lane = scratch + (item >> shift) * CLP_LANES + (item & (half_lanes - 1));
            *lane = CLP_OP(lane[0], lane[half_lanes]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (uint tile = local_id; tile < count; tile += CLP_WG_SIZE)
        totals[first + tile] = scratch[tile * CLP_LANES];
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
}

#endif

#undef CLP_FOLD_T4
#undef CLP_FOLD_NAME
#undef CLP_FOLD
#undef CLP_FOLD_T
#undef CLP_FOLD_LOAD

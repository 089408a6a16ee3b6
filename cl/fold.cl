/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fold.cl: folds tiles to their totals in the canonical order. A template: included once for each kind
 * of element, with
 *   CLP_FOLD         name of the function defined here
 *   CLP_FOLD_T       type of the elements in memory
 *   CLP_FOLD_B       type in which a lane folds its rows, and its pad: CLP_FOLD_PAD(pad of CLP_A)
 *   CLP_FOLD_A       type in which the lanes of a tile fold; not larger than CLP_A
 *   CLP_FOLD_LOAD(x, s, i)    one element at index i as B
 *   CLP_FOLD_LOAD_VECTOR(x, s, i)   likewise a vector of 16 (simd shape) or CLP_FOLD_V; not used if not NATIVE
 *   CLP_FOLD_NATIVE  1: T is a built-in scalar, so vectors of it can be loaded
 *   CLP_FOLD_ROW_OP  CLP_V_NEXT, by which rows fold, or CLP_V_OP
 *   CLP_FOLD_WIDEN   name of the conversion B to FOLD_A; with a width appended, of vectors
 *   CLP_FOLD_TOTAL(a, start)  the total of the tile that begins at element start, as CLP_A
 *   CLP_FOLD_PAIRED  1: each element is made of one of x and one of s
 *   CLP_FOLD_V       simt shape: lanes that a work-item loads at a time: 2, 4, 8 or 16
 *   CLP_FOLD_ITEMS   simt shape: work-items that share a tile: a power of two up to 32
 *   CLP_FOLD_FETCH   name of how 16 bytes are read from an aligned address: clp_fetch, or clp_fetch_stream for what
 *                    nobody writes during the launch and nobody reads twice
 *   CLP_FOLD_BATCH   simt shape: rows that a work-item loads before it folds them: divides 32
 * and, alike for all inclusions, CLP_A and what lanes.cl takes.
 *
 * CLP_FOLD(x, s, n, first, count, pad, totals, scratch): the whole team writes totals[first … first + count − 1],
 * the totals of tiles first … of x, which has n elements from x on. Elements from n on count as pad, the
 * operator's identity. The team's leader writes totals[first]. In the simt shape count tiles must fit the
 * work-group (back-ends with sub-groups: count · ITEMS work-items) and the scratch (local memory: count · 128
 * accumulators).
 */
#define CLP_FOLD_NAME(suffix) CLP_CAT(CLP_FOLD, suffix)
#if CLP_FOLD_PAIRED
#define CLP_FOLD_OTHER(x, s) (s)
#define CLP_FOLD_PARTNER(i, row) others[(row) * (CLP_LANES / CLP_FOLD_V)]
#else
#define CLP_FOLD_OTHER(x, s) (x)
#define CLP_FOLD_PARTNER(i, row) batch[i]
#endif
#define CLP_FOLD_READ1(i) CLP_FOLD_LOAD(x[i], CLP_FOLD_OTHER(x, s)[i], i)
#if CLP_SIMD
#define CLP_FOLD_W 16
#else
#define CLP_FOLD_W CLP_FOLD_V
#endif
#define CLP_FOLD_BV CLP_VECTOR(CLP_FOLD_B, CLP_FOLD_W)
#define CLP_FOLD_AV CLP_VECTOR(CLP_FOLD_A, CLP_FOLD_W)
#define CLP_FOLD_B_OP(a, b) CLP_FOLD_ROW_OP(CLP_FOLD_B, CLP_FOLD_W, a, b)
#define CLP_FOLD_A_OP(a, b) CLP_V_OP(CLP_FOLD_A, CLP_FOLD_W, a, b)

/* A vector of elements from element i on, of which those from n on count as pad; one by one. */
static inline CLP_FOLD_BV CLP_FOLD_NAME(_few)(const __global CLP_FOLD_T *x, const __global CLP_FOLD_T *s, ulong n,
                                               ulong i, CLP_FOLD_B pad)
{
    CLP_FOLD_B lanes[CLP_FOLD_W];
    (void)s;
    for (uint lane = 0; lane < CLP_FOLD_W; lane++) {
        lanes[lane] = pad;
        if (i + lane < n)
            lanes[lane] = CLP_FOLD_READ1(i + lane);
    }
    return CLP_V_FROM(CLP_FOLD_B, CLP_FOLD_W, lanes);
}

/* A vector of elements from element i on, all of them there, at any address. */
static inline CLP_FOLD_BV CLP_FOLD_NAME(_vector)(const __global CLP_FOLD_T *x, const __global CLP_FOLD_T *s, ulong i)
{
    (void)s;
#if CLP_FOLD_NATIVE
    return CLP_FOLD_LOAD_VECTOR(CLP_CAT(vload, CLP_FOLD_W)(0, x + i),
                                CLP_CAT(vload, CLP_FOLD_W)(0, CLP_FOLD_OTHER(x, s) + i), i);
#else
    CLP_FOLD_B lanes[CLP_FOLD_W];
    for (uint lane = 0; lane < CLP_FOLD_W; lane++)
        lanes[lane] = CLP_FOLD_READ1(i + lane);
    return CLP_V_FROM(CLP_FOLD_B, CLP_FOLD_W, lanes);
#endif
}

#if CLP_SIMD

/* The same, as one where it can be. */
static inline CLP_FOLD_BV CLP_FOLD_NAME(_some)(const __global CLP_FOLD_T *x, const __global CLP_FOLD_T *s, ulong n,
                                               ulong i, CLP_FOLD_B pad)
{
    if (i + CLP_FOLD_W <= n)
        return CLP_FOLD_NAME(_vector)(x, s, i);
    return i < n ? CLP_FOLD_NAME(_few)(x, s, n, i, pad) : CLP_V_SPLAT(CLP_FOLD_B, CLP_FOLD_W, pad);
}

/* One tile by one work-item, from element start on: a row is eight vectors of sixteen lanes. */
static inline CLP_A CLP_FOLD_NAME(_tile)(const __global CLP_FOLD_T *x, const __global CLP_FOLD_T *s, ulong n,
                                         ulong start, CLP_FOLD_B pad)
{
    CLP_FOLD_BV b0 = CLP_V_SPLAT(CLP_FOLD_B, 16, pad), b1 = b0, b2 = b0, b3 = b0, b4 = b0, b5 = b0, b6 = b0, b7 = b0;
    const ulong end = start + CLP_TILE <= n ? start + CLP_TILE : n;
    ulong i = start;
    for (; i + CLP_LANES <= end; i += CLP_LANES) {
        b0 = CLP_FOLD_B_OP(b0, CLP_FOLD_NAME(_vector)(x, s, i));
        b1 = CLP_FOLD_B_OP(b1, CLP_FOLD_NAME(_vector)(x, s, i + 16));
        b2 = CLP_FOLD_B_OP(b2, CLP_FOLD_NAME(_vector)(x, s, i + 32));
        b3 = CLP_FOLD_B_OP(b3, CLP_FOLD_NAME(_vector)(x, s, i + 48));
        b4 = CLP_FOLD_B_OP(b4, CLP_FOLD_NAME(_vector)(x, s, i + 64));
        b5 = CLP_FOLD_B_OP(b5, CLP_FOLD_NAME(_vector)(x, s, i + 80));
        b6 = CLP_FOLD_B_OP(b6, CLP_FOLD_NAME(_vector)(x, s, i + 96));
        b7 = CLP_FOLD_B_OP(b7, CLP_FOLD_NAME(_vector)(x, s, i + 112));
    }
    /* The last row may be a part of one. Rows of pads alone would change nothing: pad is the identity. */
    if (i < end) {
        b0 = CLP_FOLD_B_OP(b0, CLP_FOLD_NAME(_some)(x, s, n, i, pad));
        b1 = CLP_FOLD_B_OP(b1, CLP_FOLD_NAME(_some)(x, s, n, i + 16, pad));
        b2 = CLP_FOLD_B_OP(b2, CLP_FOLD_NAME(_some)(x, s, n, i + 32, pad));
        b3 = CLP_FOLD_B_OP(b3, CLP_FOLD_NAME(_some)(x, s, n, i + 48, pad));
        b4 = CLP_FOLD_B_OP(b4, CLP_FOLD_NAME(_some)(x, s, n, i + 64, pad));
        b5 = CLP_FOLD_B_OP(b5, CLP_FOLD_NAME(_some)(x, s, n, i + 80, pad));
        b6 = CLP_FOLD_B_OP(b6, CLP_FOLD_NAME(_some)(x, s, n, i + 96, pad));
        b7 = CLP_FOLD_B_OP(b7, CLP_FOLD_NAME(_some)(x, s, n, i + 112, pad));
    }
    CLP_FOLD_AV a0 = CLP_FOLD_A_OP(CLP_CAT(CLP_FOLD_WIDEN, 16)(b0), CLP_CAT(CLP_FOLD_WIDEN, 16)(b4));
    CLP_FOLD_AV a1 = CLP_FOLD_A_OP(CLP_CAT(CLP_FOLD_WIDEN, 16)(b1), CLP_CAT(CLP_FOLD_WIDEN, 16)(b5));
    CLP_FOLD_AV a2 = CLP_FOLD_A_OP(CLP_CAT(CLP_FOLD_WIDEN, 16)(b2), CLP_CAT(CLP_FOLD_WIDEN, 16)(b6));
    CLP_FOLD_AV a3 = CLP_FOLD_A_OP(CLP_CAT(CLP_FOLD_WIDEN, 16)(b3), CLP_CAT(CLP_FOLD_WIDEN, 16)(b7));
    a0 = CLP_FOLD_A_OP(a0, a2), a1 = CLP_FOLD_A_OP(a1, a3);
    return CLP_FOLD_TOTAL(CLP_V_FOLD(CLP_FOLD_A, 16, CLP_FOLD_A_OP(a0, a1)), start);
}

static inline void CLP_FOLD(const __global CLP_FOLD_T *x, const __global CLP_FOLD_T *s, ulong n, ulong first,
                            uint count, CLP_A pad, __global CLP_A *totals, __local CLP_A *scratch)
{
    (void)scratch;
    for (ulong tile = first; tile < first + count; tile++)
        totals[tile] = CLP_FOLD_NAME(_tile)(x, s, n, tile * CLP_TILE, CLP_FOLD_PAD(pad));
}

#else
#define CLP_FOLD_TV CLP_CAT(CLP_FOLD_T, CLP_FOLD_V)
/* A row is this many pieces that the work-items of a tile load together, and lanes of one. */
#define CLP_FOLD_PIECE (CLP_FOLD_V * CLP_FOLD_ITEMS)
#define CLP_FOLD_PIECES (CLP_LANES / CLP_FOLD_PIECE)
/* Rows in flight where the address allows no vectors and each lane is a load of its own. */
#define CLP_FOLD_SLOW_BATCH (64 / CLP_FOLD_V < CLP_FOLD_BATCH ? 64 / CLP_FOLD_V : CLP_FOLD_BATCH)

/*
 * V lanes of one tile, all rows: those of one piece that begin at element start. The rows of a full tile are
 * loaded in batches, to have many loads in flight, as vectors if the address allows it.
 */
static inline CLP_FOLD_BV CLP_FOLD_NAME(_rows)(const __global CLP_FOLD_T *x, const __global CLP_FOLD_T *s, ulong n,
                                               ulong start, CLP_FOLD_B pad)
{
    CLP_FOLD_BV b = CLP_V_SPLAT(CLP_FOLD_B, CLP_FOLD_V, pad);
    const ulong end = start + (CLP_TILE - CLP_LANES + CLP_FOLD_V); /* behind the last row's lanes */
#if CLP_FOLD_NATIVE
    if (end <= n && ((size_t)(x + start) & (sizeof(CLP_FOLD_TV) - 1)) == 0 &&
        ((size_t)(CLP_FOLD_OTHER(x, s) + start) & (sizeof(CLP_FOLD_TV) - 1)) == 0) {
        const __global CLP_FOLD_TV *rows = (const __global CLP_FOLD_TV *)(x + start);
        const __global CLP_FOLD_TV *others = (const __global CLP_FOLD_TV *)(CLP_FOLD_OTHER(x, s) + start);
        (void)others;
        for (uint row = 0; row < CLP_ROWS; row += CLP_FOLD_BATCH) {
            CLP_FOLD_TV batch[CLP_FOLD_BATCH];
#pragma unroll
            for (uint i = 0; i < CLP_FOLD_BATCH; i++)
                batch[i] = CLP_CAT(as_, CLP_FOLD_TV)(CLP_FOLD_FETCH(rows + (row + i) * (CLP_LANES / CLP_FOLD_V)));
#pragma unroll
            for (uint i = 0; i < CLP_FOLD_BATCH; i++)
                b = CLP_FOLD_B_OP(b, CLP_FOLD_LOAD_VECTOR(batch[i], CLP_FOLD_PARTNER(i, row + i),
                                                          start + (row + i) * CLP_LANES));
        }
        return b;
    }
#endif
    if (end <= n) {
        for (uint row = 0; row < CLP_ROWS; row += CLP_FOLD_SLOW_BATCH) {
            CLP_FOLD_BV batch[CLP_FOLD_SLOW_BATCH];
#pragma unroll
            for (uint i = 0; i < CLP_FOLD_SLOW_BATCH; i++)
                batch[i] = CLP_FOLD_NAME(_vector)(x, s, start + (row + i) * CLP_LANES);
#pragma unroll
            for (uint i = 0; i < CLP_FOLD_SLOW_BATCH; i++)
                b = CLP_FOLD_B_OP(b, batch[i]);
        }
    } else {
        ulong i = start;
        for (; i + CLP_FOLD_V <= n && i < end; i += CLP_LANES)
            b = CLP_FOLD_B_OP(b, CLP_FOLD_NAME(_vector)(x, s, i));
        if (i < n && i < end)
            b = CLP_FOLD_B_OP(b, CLP_FOLD_NAME(_few)(x, s, n, i, pad));
    }
    return b;
}

/* The lanes of one work-item (place) of a tile, the pieces of a row folded: they are the first halvings. */
static inline CLP_FOLD_AV CLP_FOLD_NAME(_lanes)(const __global CLP_FOLD_T *x, const __global CLP_FOLD_T *s, ulong n,
                                                ulong tile, uint place, CLP_A pad)
{
    const ulong start = tile * CLP_TILE + place * CLP_FOLD_V;
    CLP_FOLD_AV a[CLP_FOLD_PIECES];
#pragma unroll
    for (uint piece = 0; piece < CLP_FOLD_PIECES; piece++)
        a[piece] = CLP_CAT(CLP_FOLD_WIDEN, CLP_FOLD_V)(
            CLP_FOLD_NAME(_rows)(x, s, n, start + piece * CLP_FOLD_PIECE, CLP_FOLD_PAD(pad)));
#pragma unroll
    for (uint half_pieces = CLP_FOLD_PIECES / 2; half_pieces > 0; half_pieces /= 2)
#pragma unroll
        for (uint piece = 0; piece < half_pieces; piece++)
            a[piece] = CLP_FOLD_A_OP(a[piece], a[piece + half_pieces]);
    return a[0];
}

#if CLP_SUBGROUPS != 1
/* The total of a tile for its first work-item, from the lanes of all ITEMS; all work-items of the group call. */
static inline CLP_FOLD_A CLP_FOLD_NAME(_join)(CLP_FOLD_AV a)
{
    for (uint step = CLP_FOLD_ITEMS / 2; step > 0; step /= 2)
        a = CLP_FOLD_A_OP(a, CLP_V_DOWN(CLP_FOLD_A, CLP_FOLD_V, a, step));
    return CLP_V_FOLD(CLP_FOLD_A, CLP_FOLD_V, a);
}
#else
/* Folds the lanes of count tiles in local memory: tile t's total is at t · PIECE. Begins and ends with a barrier. */
static inline void CLP_FOLD_NAME(_join)(__local CLP_FOLD_A *scratch, uint count)
{
    barrier(CLK_LOCAL_MEM_FENCE);
    /* Shifts, not divisions: Oclgrind's checker knows no `freeze`, which clang makes of a / b with a % b. */
    for (uint lanes = CLP_FOLD_PIECE / 2, shift = CLP_LOG2(CLP_FOLD_PIECE / 2); lanes > 0; lanes /= 2, shift--) {
        for (uint item = (uint)get_local_id(0); item < count << shift; item += CLP_WG_SIZE) {
            __local CLP_FOLD_A *lane = scratch + (item >> shift) * CLP_FOLD_PIECE + (item & (lanes - 1));
            *lane = CLP_OP1(CLP_FOLD_A, lane[0], lane[lanes]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
#endif

static inline void CLP_FOLD(const __global CLP_FOLD_T *x, const __global CLP_FOLD_T *s, ulong n, ulong first,
                            uint count, CLP_A pad, __global CLP_A *totals, __local CLP_A *scratch)
{
    const uint local_id = (uint)get_local_id(0);
#if CLP_SUBGROUPS != 1
    /* A tile is CLP_FOLD_ITEMS neighbours of one sub-group; the host sees to it that they fit. */
    (void)scratch;
    const uint tile = local_id / CLP_FOLD_ITEMS, place = local_id % CLP_FOLD_ITEMS;
    CLP_FOLD_AV a = CLP_CAT(CLP_FOLD_WIDEN, CLP_FOLD_V)(CLP_V_SPLAT(CLP_FOLD_B, CLP_FOLD_V, CLP_FOLD_PAD(pad)));
    if (tile < count)
        a = CLP_FOLD_NAME(_lanes)(x, s, n, first + tile, place, pad);
    const CLP_FOLD_A total = CLP_FOLD_NAME(_join)(a);
    if (tile < count && place == 0)
        totals[first + tile] = CLP_FOLD_TOTAL(total, (first + tile) * CLP_TILE);
#else
    /* Any number of work-items: each takes places in turn until all lanes of all tiles are in local memory. */
    __local CLP_FOLD_A *lanes = (__local CLP_FOLD_A *)scratch;
    for (uint item = local_id; item < count * CLP_FOLD_ITEMS; item += CLP_WG_SIZE) {
        const uint tile = item / CLP_FOLD_ITEMS, place = item % CLP_FOLD_ITEMS;
        CLP_V_TO(CLP_FOLD_A, CLP_FOLD_V, CLP_FOLD_NAME(_lanes)(x, s, n, first + tile, place, pad), item, lanes);
    }
    CLP_FOLD_NAME(_join)(lanes, count);
    for (uint tile = local_id; tile < count; tile += CLP_WG_SIZE)
        totals[first + tile] = CLP_FOLD_TOTAL(lanes[tile * CLP_FOLD_PIECE], (first + tile) * CLP_TILE);
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
}

#undef CLP_FOLD_TV
#undef CLP_FOLD_PIECE
#undef CLP_FOLD_PIECES
#undef CLP_FOLD_SLOW_BATCH
#endif

#undef CLP_FOLD_NAME
#undef CLP_FOLD_OTHER
#undef CLP_FOLD_PARTNER
#undef CLP_FOLD_READ1
#undef CLP_FOLD_W
#undef CLP_FOLD_BV
#undef CLP_FOLD_AV
#undef CLP_FOLD_B_OP
#undef CLP_FOLD_A_OP
#undef CLP_FOLD
#undef CLP_FOLD_T
#undef CLP_FOLD_B
#undef CLP_FOLD_A
#undef CLP_FOLD_PAD
#undef CLP_FOLD_LOAD
#undef CLP_FOLD_LOAD_VECTOR
#undef CLP_FOLD_NATIVE
#undef CLP_FOLD_WIDEN
#undef CLP_FOLD_ROW_OP
#undef CLP_FOLD_TOTAL
#undef CLP_FOLD_PAIRED
#undef CLP_FOLD_V
#undef CLP_FOLD_ITEMS
#undef CLP_FOLD_BATCH
#undef CLP_FOLD_FETCH

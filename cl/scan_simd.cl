/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan_simd.cl: tiles of a scan by one work-item each; a chunk is a vector of 16 lanes.
 *
 *   clp_total32(totals)              the total of 32 totals
 *   clp_prefixes32(totals, pad)      makes of 32 totals the prefix of each, pad for the first
 *   clp_tile_total(x, count, pad)    the total of a tile, of which count elements are there
 *   clp_tile_scan(x, y, count, …)    scans a tile behind a prefix; returns its total
 *
 * The total of a Hillis-Steele scan of 2^k elements is the tree of neighbours: no identity takes part in it.
 */
/* Types, not macros: scan_heads.cl gives CLP_A another meaning. */
typedef CLP_CAT(CLP_A, 8) clp_a8;
typedef CLP_CAT(CLP_A, 16) clp_a16;
#define CLP_A8 clp_a8
#define CLP_A16 clp_a16
#define CLP_R16 CLP_CAT(CLP_R, 16)
#define CLP_LOAD16(v) CLP_CAT(CLP_LOAD, 16)(v)
#define CLP_STORE16(v) CLP_CAT(CLP_STORE, 16)(v)

#ifdef __has_builtin
#if __has_builtin(__builtin_shufflevector)
#define CLP_HAS_SHUFFLE 1
#endif
#if __has_builtin(__builtin_nontemporal_store)
#define CLP_CAN_STREAM 1
#endif
#endif
#ifndef CLP_HAS_SHUFFLE
#define CLP_HAS_SHUFFLE 0
#endif
#ifndef CLP_CAN_STREAM
#define CLP_CAN_STREAM 0
#endif

/* Inlined where count is CLP_TILE, so that no chunk of a full tile asks how many elements there are. */
#define CLP_INLINE static inline __attribute__((always_inline))

/*
 * Each lane of v moved up by d lanes; what comes in at the bottom are the last lanes of a. And the lanes of a and b
 * with even and with odd numbers. clang makes one instruction of its own shuffles but many of vectors in parts.
 * With _OF: of vectors of type T.
 */
#if CLP_HAS_SHUFFLE
#define CLP_UP1_OF(T, a, v) \
    __builtin_shufflevector(a, v, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30)
#define CLP_UP2_OF(T, a, v) \
    __builtin_shufflevector(a, v, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29)
#define CLP_UP4_OF(T, a, v) \
    __builtin_shufflevector(a, v, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27)
#define CLP_UP8_OF(T, a, v) __builtin_shufflevector(a, v, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23)
#define CLP_EVEN_OF(T, a, b) __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30)
#define CLP_ODD_OF(T, a, b) __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31)
#else
#define CLP_UP1_OF(T, a, v) ((T)((a).sf, (v).s0123, (v).s456789ab, (v).scde))
#define CLP_UP2_OF(T, a, v) ((T)((a).sef, (v).s0123, (v).s456789ab, (v).scd))
#define CLP_UP4_OF(T, a, v) ((T)((a).scdef, (v).s01234567, (v).s89ab))
#define CLP_UP8_OF(T, a, v) ((T)((a).hi, (v).lo))
#define CLP_EVEN_OF(T, a, b) ((T)((a).even, (b).even))
#define CLP_ODD_OF(T, a, b) ((T)((a).odd, (b).odd))
#endif
#define CLP_UP1(a, v) CLP_UP1_OF(CLP_A16, a, v)
#define CLP_UP2(a, v) CLP_UP2_OF(CLP_A16, a, v)
#define CLP_UP4(a, v) CLP_UP4_OF(CLP_A16, a, v)
#define CLP_UP8(a, v) CLP_UP8_OF(CLP_A16, a, v)
#define CLP_EVEN(a, b) CLP_EVEN_OF(CLP_A16, a, b)
#define CLP_ODD(a, b) CLP_ODD_OF(CLP_A16, a, b)

/* Hillis and Steele: 16 lanes, and 32 in two vectors. */
static inline CLP_A16 clp_scan16(CLP_A16 v, CLP_A16 pads) {
    v = CLP_OP(CLP_UP1(pads, v), v);
    v = CLP_OP(CLP_UP2(pads, v), v);
    v = CLP_OP(CLP_UP4(pads, v), v);
    return CLP_OP(CLP_UP8(pads, v), v);
}

static inline void clp_scan32(CLP_A16 *low, CLP_A16 *high, CLP_A16 pads) {
    CLP_A16 l = *low, h = *high;
    h = CLP_OP(CLP_UP1(l, h), h), l = CLP_OP(CLP_UP1(pads, l), l);
    h = CLP_OP(CLP_UP2(l, h), h), l = CLP_OP(CLP_UP2(pads, l), l);
    h = CLP_OP(CLP_UP4(l, h), h), l = CLP_OP(CLP_UP4(pads, l), l);
    h = CLP_OP(CLP_UP8(l, h), h), l = CLP_OP(CLP_UP8(pads, l), l);
    *high = CLP_OP(l, h);
    *low = CLP_OP(pads, l);
}

/* Neighbours of a and of b combined: eight lanes of each. Four rounds of it turn 16 chunks into their totals. */
static inline CLP_A16 clp_pairs(CLP_A16 a, CLP_A16 b) {
    return CLP_OP(CLP_EVEN(a, b), CLP_ODD(a, b));
}

static inline CLP_A clp_tree16(CLP_A16 v) {
    const CLP_A8 a = CLP_OP(v.even, v.odd);
    const CLP_CAT(CLP_A, 4) b = CLP_OP(a.even, a.odd);
    const CLP_CAT(CLP_A, 2) c = CLP_OP(b.even, b.odd);
    return CLP_OP(c.x, c.y);
}

/* Sixteen elements from element i on, as accumulators; those from count on are missing. */
CLP_INLINE CLP_A16 clp_chunk(const __global CLP_T *x, uint i, uint count, CLP_A16 pads) {
    if (i + 16 <= count)
        return CLP_LOAD16(vload16(0, x + i));
    CLP_A lanes[16];
    for (uint lane = 0; lane < 16; lane++) {
        lanes[lane] = pads.s0;
        if (i + lane < count)
            lanes[lane] = CLP_LOAD(x[i + lane]);
    }
    return vload16(0, lanes);
}

/* Totals of the sixteen chunks from element i on. */
CLP_INLINE CLP_A16 clp_chunk_totals(const __global CLP_T *x, uint i, uint count, CLP_A16 pads) {
    CLP_A16 four[4];
    for (uint k = 0; k < 4; k++, i += 64)
        four[k] = clp_pairs(clp_pairs(clp_chunk(x, i, count, pads), clp_chunk(x, i + 16, count, pads)),
                            clp_pairs(clp_chunk(x, i + 32, count, pads), clp_chunk(x, i + 48, count, pads)));
    return clp_pairs(clp_pairs(four[0], four[1]), clp_pairs(four[2], four[3]));
}

CLP_INLINE CLP_A clp_total_of(const __global CLP_T *x, uint count, CLP_A pad) {
    const CLP_A16 pads = (CLP_A16)(pad);
    CLP_A total = pad;
    for (uint i = 0; i < CLP_TILE; i += CLP_GROUP)
        total = CLP_OP(total, clp_tree16(clp_pairs(clp_chunk_totals(x, i, count, pads),
                                                   clp_chunk_totals(x, i + CLP_GROUP / 2, count, pads))));
    return total;
}

static inline CLP_A clp_tile_total(const __global CLP_T *x, uint count, CLP_A pad) {
    return count == CLP_TILE ? clp_total_of(x, CLP_TILE, pad) : clp_total_of(x, count, pad);
}

/* Writes sixteen outputs from element i on, those that are there. */
CLP_INLINE void clp_put(__global CLP_R *y, uint i, uint count, CLP_R16 results) {
    if (i + 16 <= count) {
        vstore16(results, 0, y + i);
        return;
    }
    CLP_R lanes[16];
    vstore16(results, 0, lanes);
    for (uint lane = 0; lane < 16; lane++)
        if (i + lane < count)
            y[i + lane] = lanes[lane];
}

/*
 * Sixteen outputs from element i of a full tile on, in turn, past the caches where the compiler knows how (clang): a
 * store that does not read the line first saves a quarter of the traffic. It must be aligned. Where y is not, outputs
 * wait in a ring for the vector of y that they are in.
 */
#define CLP_RING 256u
#define CLP_BEHIND 64u /* by so much a store is behind the outputs, so that no load waits for what it reads */
#if CLP_CAN_STREAM
CLP_INLINE void clp_stream_vector(__global CLP_R *y, uint i, const CLP_R *ring) {
    __builtin_nontemporal_store(vload16(0, ring + i % CLP_RING), (__global CLP_R16 *)(y + i));
}

CLP_INLINE void clp_stream(__global CLP_R *y, uint i, CLP_R16 results, CLP_R *ring) {
    const uint lead = (uint)((0 - (size_t)y / sizeof(CLP_R)) & 15); /* elements before y's first vector */
    if (lead == 0) {
        __builtin_nontemporal_store(results, (__global CLP_R16 *)(y + i));
        return;
    }
    vstore16(results, 0, ring + i % CLP_RING);
    if (i % CLP_RING == 0) /* a vector may begin before the ring's end */
        vstore16(results, 0, ring + CLP_RING);
    if (i == 0)
        for (uint k = 0; k < lead; k++)
            y[k] = ring[k];
    if (i >= CLP_BEHIND)
        clp_stream_vector(y, lead + i - CLP_BEHIND, ring);
    if (i == CLP_TILE - 16) {
        for (uint k = i - CLP_BEHIND + 16; k < i; k += 16)
            clp_stream_vector(y, lead + k, ring);
        for (uint k = i + lead; k < CLP_TILE; k++)
            y[k] = ring[k % CLP_RING];
    }
}
#else
#define clp_stream(y, i, results, ring) clp_put(y, i, CLP_TILE, results)
#endif

CLP_INLINE CLP_A clp_scan_of(const __global CLP_T *x, __global CLP_R *y, uint count, CLP_A prefix, CLP_A pad,
                             uint stream) {
    const CLP_A16 pads = (CLP_A16)(pad);
    CLP_A16 low[8], high[8];
    CLP_A groups = pad, before[256];
    const uint groups_there = (count + CLP_GROUP - 1u) / CLP_GROUP, chunks_there = (count + 15u) / 16u;
    /* All chunks' totals first: one group's latency hides behind the next one's work. */
    for (uint group = 0; group < groups_there; group++) {
        low[group] = clp_chunk_totals(x, group * CLP_GROUP, count, pads);
        high[group] = clp_chunk_totals(x, group * CLP_GROUP + CLP_GROUP / 2, count, pads);
        clp_scan32(&low[group], &high[group], pads);
    }
    for (uint group = 0; group < groups_there; group++) {
        const CLP_A16 base = (CLP_A16)(CLP_OP(prefix, groups));
        vstore16(CLP_OP(base, CLP_UP1(pads, low[group])), 2 * group, before);
        vstore16(CLP_OP(base, CLP_UP1(low[group], high[group])), 2 * group + 1, before);
        groups = CLP_OP(groups, high[group].sf);
    }
    CLP_R ring[CLP_RING + 16];
    for (uint c = 0; c < chunks_there; c++) {
        CLP_A16 own = clp_scan16(clp_chunk(x, c * 16, count, pads), pads);
#if CLP_EXCLUSIVE
        own = CLP_UP1(pads, own);
#endif
        const CLP_R16 results = CLP_STORE16(CLP_OP((CLP_A16)(before[c]), own));
        if (stream)
            clp_stream(y, c * 16, results, ring);
        else
            clp_put(y, c * 16, count, results);
    }
    return groups;
}

static inline CLP_A clp_tile_scan(const __global CLP_T *x, __global CLP_R *y, uint count, CLP_A prefix, CLP_A pad,
                                  uint stream) {
    if (CLP_CAN_STREAM && count == CLP_TILE && stream)
        return clp_scan_of(x, y, CLP_TILE, prefix, pad, 1);
    return count == CLP_TILE ? clp_scan_of(x, y, CLP_TILE, prefix, pad, 0)
                             : clp_scan_of(x, y, count, prefix, pad, 0);
}

static inline CLP_A clp_total32(const CLP_A *totals) {
    return clp_tree16(clp_pairs(vload16(0, totals), vload16(1, totals)));
}

static inline void clp_prefixes32(CLP_A *totals, CLP_A pad) {
    const CLP_A16 pads = (CLP_A16)(pad);
    CLP_A16 low = vload16(0, totals), high = vload16(1, totals);
    clp_scan32(&low, &high, pads);
    vstore16(CLP_UP1(pads, low), 0, totals);
    vstore16(CLP_UP1(low, high), 1, totals);
}

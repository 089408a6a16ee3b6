/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan_heads_simd.cl: tiles of a scan with heads by one work-item each: scan_simd.cl of pairs, which are a vector of
 * values and one of masks. What it defines is named and used as there. Where there is no head, the operator of the
 * pairs is that of the values, so that scan_simd.cl's own functions compute the same bits.
 */
#if CLP_A_BITS == 32
#define CLP_MASK16 int16
#define CLP_TO_MASK16(v) convert_int16(v)
#else
#define CLP_MASK16 long16
#define CLP_TO_MASK16(v) convert_long16(v)
#endif
#define clp_total32 clp_headed_total32
#define clp_prefixes32 clp_headed_prefixes32
#define clp_tile_total clp_headed_tile_total
#define clp_tile_scan clp_headed_tile_scan

/* f: lanes of −1 and 0. */
typedef struct {
    clp_a16 v;
    CLP_MASK16 f;
} clp_headed16;

static inline clp_headed16 clp_headed_op16(clp_headed16 a, clp_headed16 b) {
    b.v = select(clp_value_op16(a.v, b.v), b.v, b.f);
    b.f |= a.f;
    return b;
}

static inline clp_headed16 clp_headed_splat(clp_headed a) {
    clp_headed16 all;
    all.v = (clp_a16)(a.value);
    all.f = (CLP_MASK16)(a.head);
    return all;
}

/* The moves of lanes of scan_simd.cl, of pairs. */
#define CLP_DEFINE_MOVE(NAME, MOVE)                                                                                    \
    static inline clp_headed16 clp_headed_##NAME(clp_headed16 a, clp_headed16 b) {                                     \
        clp_headed16 moved;                                                                                            \
        moved.v = MOVE(clp_a16, a.v, b.v);                                                                             \
        moved.f = MOVE(CLP_MASK16, a.f, b.f);                                                                          \
        return moved;                                                                                                  \
    }
CLP_DEFINE_MOVE(up1, CLP_UP1_OF)
CLP_DEFINE_MOVE(up2, CLP_UP2_OF)
CLP_DEFINE_MOVE(up4, CLP_UP4_OF)
CLP_DEFINE_MOVE(up8, CLP_UP8_OF)
CLP_DEFINE_MOVE(even, CLP_EVEN_OF)
CLP_DEFINE_MOVE(odd, CLP_ODD_OF)

static inline void clp_headed_scan32(clp_headed16 *low, clp_headed16 *high, clp_headed16 pads) {
    clp_headed16 l = *low, h = *high;
    h = clp_headed_op16(clp_headed_up1(l, h), h), l = clp_headed_op16(clp_headed_up1(pads, l), l);
    h = clp_headed_op16(clp_headed_up2(l, h), h), l = clp_headed_op16(clp_headed_up2(pads, l), l);
    h = clp_headed_op16(clp_headed_up4(l, h), h), l = clp_headed_op16(clp_headed_up4(pads, l), l);
    h = clp_headed_op16(clp_headed_up8(l, h), h), l = clp_headed_op16(clp_headed_up8(pads, l), l);
    *high = clp_headed_op16(l, h);
    *low = clp_headed_op16(pads, l);
}

static inline clp_headed16 clp_headed_pairs(clp_headed16 a, clp_headed16 b) {
    return clp_headed_op16(clp_headed_even(a, b), clp_headed_odd(a, b));
}

static inline clp_headed clp_headed_tree16(clp_headed16 a) {
    for (uint level = 0; level < 4; level++)
        a = clp_headed_pairs(a, a); /* the lower half is what counts */
    return clp_headed_of(a.v.s0, (int)a.f.s0);
}

/* Which of the sixteen elements from element i on begin a segment: −1 or 0. */
CLP_INLINE char16 clp_heads16(clp_headed_in in, uint i, uint count) {
    if (i + 16 <= count && in.at + i != 0) {
        const __global CLP_H *heads = in.heads + i;
#if CLP_HEADS == 1
        return convert_char16(convert_int16(vload16(0, heads)) != (int16)(0));
#else
        return convert_char16(CLP_CAT(CLP_KEY, 16)(vload16(0, heads)) != CLP_CAT(CLP_KEY, 16)(vload16(0, heads - 1)));
#endif
    }
    char lanes[16];
    for (uint lane = 0; lane < 16; lane++) {
        lanes[lane] = 0;
        if (i + lane < count)
            lanes[lane] = (char)clp_is_head(in, i + lane);
    }
    return vload16(0, lanes);
}

static inline ulong clp_some_head(char16 heads) {
    const ulong2 halves = as_ulong2(heads);
    return halves.x | halves.y;
}

/* Sixteen elements from element i on, of which these are heads. */
CLP_INLINE clp_a16 clp_headed_chunk(clp_headed_in in, uint i, uint count, char16 heads, clp_a16 pads) {
    const clp_a16 v = clp_chunk(in.x, i, count, pads);
    return select(v, clp_value_op16((clp_a16)(in.init), v), CLP_TO_MASK16(heads));
}

/* Neighbours of a and of b combined, where later is not 0 for those whose later one has a head in it. */
static inline clp_a16 clp_headed_neighbours(clp_a16 a, clp_a16 b, CLP_MASK16 later) {
    const clp_a16 odd = CLP_ODD(a, b);
    return select(clp_value_op16(CLP_EVEN(a, b), odd), odd, later);
}

/*
 * Totals of the sixteen chunks from element i on. Heads stay bytes: 2, 4, 8 of them are a word, whose upper half tells
 * of the later ones (little-endian, as OpenCL's devices). By a pointer: Oclgrind does not know what clang makes of
 * inlined functions that return structures.
 */
CLP_INLINE void clp_headed_chunk_totals(clp_headed_in in, uint i, uint count, clp_a16 pads, clp_headed16 *totals) {
    char16 heads[16], some = (char16)(0);
    clp_a16 v[16];
    for (uint k = 0; k < 16; k++) {
        heads[k] = clp_heads16(in, i + 16 * k, count);
        some |= heads[k];
    }
    if (clp_some_head(some) == 0) {
        totals->v = clp_chunk_totals(in.x, i, count, pads);
        totals->f = (CLP_MASK16)(0);
        return;
    }
    for (uint k = 0; k < 16; k++)
        v[k] = clp_headed_chunk(in, i + 16 * k, count, heads[k], pads);
    for (uint k = 0; k < 16; k += 2) {
        const ushort16 two = (ushort16)(as_ushort8(heads[k]), as_ushort8(heads[k + 1]));
        v[k] = clp_headed_neighbours(v[k], v[k + 1], CLP_TO_MASK16((two & (ushort16)(0xff00)) != (ushort16)(0)));
    }
    for (uint k = 0; k < 16; k += 4) {
        const uint16 four = (uint16)(as_uint4(heads[k]), as_uint4(heads[k + 1]), as_uint4(heads[k + 2]),
                                     as_uint4(heads[k + 3]));
        v[k] = clp_headed_neighbours(v[k], v[k + 2], CLP_TO_MASK16((four & (uint16)(0xffff0000u)) != (uint16)(0)));
    }
    long16 eight[2]; /* heads of half a chunk each */
    for (uint k = 0; k < 2; k++) {
        const char16 *h = heads + 8 * k;
        eight[k] = (long16)(as_long2(h[0]), as_long2(h[1]), as_long2(h[2]), as_long2(h[3]), as_long2(h[4]),
                            as_long2(h[5]), as_long2(h[6]), as_long2(h[7]));
        v[8 * k] = clp_headed_neighbours(v[8 * k], v[8 * k + 4], CLP_TO_MASK16((eight[k] >> 32) != (long16)(0)));
    }
    const long16 first = CLP_EVEN_OF(long16, eight[0], eight[1]), second = CLP_ODD_OF(long16, eight[0], eight[1]);
    totals->v = clp_headed_neighbours(v[0], v[8], CLP_TO_MASK16(second != (long16)(0)));
    totals->f = CLP_TO_MASK16((first | second) != (long16)(0));
}

CLP_INLINE void clp_headed_total_of(clp_headed_in in, uint count, clp_headed pad, clp_headed *total) {
    const clp_a16 pads = (clp_a16)(pad.value);
    *total = pad;
    for (uint i = 0; i < CLP_TILE; i += CLP_GROUP) {
        clp_headed16 low, high;
        clp_headed_chunk_totals(in, i, count, pads, &low);
        clp_headed_chunk_totals(in, i + CLP_GROUP / 2, count, pads, &high);
        *total = clp_headed_op(*total, clp_headed_tree16(clp_headed_pairs(low, high)));
    }
}

static inline clp_headed clp_tile_total(clp_headed_in in, uint count, clp_headed pad) {
    clp_headed total;
    if (count == CLP_TILE)
        clp_headed_total_of(in, CLP_TILE, pad, &total);
    else
        clp_headed_total_of(in, count, pad, &total);
    return total;
}

/* Sixteen outputs from element i on, behind the prefix before. */
CLP_INLINE clp_a16 clp_headed_outputs(clp_headed_in in, uint i, uint count, clp_value before, clp_headed16 pads) {
    const char16 heads = clp_heads16(in, i, count);
    if (clp_some_head(heads) == 0) {
        clp_a16 own = clp_scan16(clp_chunk(in.x, i, count, pads.v), pads.v);
#if CLP_EXCLUSIVE
        own = CLP_UP1(pads.v, own);
#endif
        return clp_value_op16((clp_a16)(before), own);
    }
    /* Hillis and Steele: what is already behind a head takes no more. */
    char16 behind = heads;
    const char16 none = (char16)(0);
    clp_a16 own = clp_headed_chunk(in, i, count, heads, pads.v);
#define CLP_STEP_HEADS(UP)                                                                                             \
    own = select(clp_value_op16(UP(clp_a16, pads.v, own), own), own, CLP_TO_MASK16(behind));                           \
    behind |= UP(char16, none, behind)
    CLP_STEP_HEADS(CLP_UP1_OF);
    CLP_STEP_HEADS(CLP_UP2_OF);
    CLP_STEP_HEADS(CLP_UP4_OF);
    CLP_STEP_HEADS(CLP_UP8_OF);
#if CLP_EXCLUSIVE
    own = CLP_UP1(pads.v, own);
    behind = CLP_UP1_OF(char16, none, behind);
#endif
    own = select(clp_value_op16((clp_a16)(before), own), own, CLP_TO_MASK16(behind));
#if CLP_EXCLUSIVE
    own = select(own, (clp_a16)(in.start), CLP_TO_MASK16(heads));
#endif
    return own;
}

CLP_INLINE void clp_headed_scan_of(clp_headed_in in, __global CLP_R *y, uint count, clp_headed prefix, clp_headed pad,
                                   uint stream, clp_headed *total) {
    const clp_headed16 pads = clp_headed_splat(pad);
    clp_headed16 low[8], high[8];
    clp_headed groups = pad;
    clp_value before[256];
    for (uint group = 0; group < 8; group++) {
        clp_headed_chunk_totals(in, group * CLP_GROUP, count, pads.v, &low[group]);
        clp_headed_chunk_totals(in, group * CLP_GROUP + CLP_GROUP / 2, count, pads.v, &high[group]);
        clp_headed_scan32(&low[group], &high[group], pads);
    }
    for (uint group = 0; group < 8; group++) {
        const clp_headed16 base = clp_headed_splat(clp_headed_op(prefix, groups)), h = high[group];
        vstore16(clp_headed_op16(base, clp_headed_up1(pads, low[group])).v, 2 * group, before);
        vstore16(clp_headed_op16(base, clp_headed_up1(low[group], h)).v, 2 * group + 1, before);
        groups = clp_headed_op(groups, clp_headed_of(h.v.sf, (int)h.f.sf));
    }
    CLP_R ring[CLP_RING + 16];
    for (uint c = 0; c < 256; c++) {
        const CLP_R16 results = CLP_STORE16(clp_headed_outputs(in, c * 16, count, before[c], pads));
        if (stream)
            clp_stream(y, c * 16, results, ring);
        else
            clp_put(y, c * 16, count, results);
    }
    *total = groups;
}

static inline clp_headed clp_tile_scan(clp_headed_in in, __global CLP_R *y, uint count, clp_headed prefix,
                                       clp_headed pad, uint stream) {
    clp_headed total;
    if (CLP_CAN_STREAM && count == CLP_TILE && stream)
        clp_headed_scan_of(in, y, CLP_TILE, prefix, pad, 1, &total);
    else if (count == CLP_TILE)
        clp_headed_scan_of(in, y, CLP_TILE, prefix, pad, 0, &total);
    else
        clp_headed_scan_of(in, y, count, prefix, pad, 0, &total);
    return total;
}

static inline void clp_headed_load32(const clp_headed *totals, clp_headed16 *low, clp_headed16 *high) {
    clp_value values[32];
    int heads[32];
    for (uint lane = 0; lane < 32; lane++) {
        values[lane] = totals[lane].value;
        heads[lane] = totals[lane].head;
    }
    low->v = vload16(0, values);
    low->f = CLP_TO_MASK16(vload16(0, heads));
    high->v = vload16(1, values);
    high->f = CLP_TO_MASK16(vload16(1, heads));
}

static inline clp_headed clp_total32(const clp_headed *totals) {
    clp_headed16 low, high;
    clp_headed_load32(totals, &low, &high);
    return clp_headed_tree16(clp_headed_pairs(low, high));
}

static inline void clp_prefixes32(clp_headed *totals, clp_headed pad) {
    const clp_headed16 pads = clp_headed_splat(pad);
    clp_headed16 low, high;
    clp_value values[32];
    int heads[32];
    clp_headed_load32(totals, &low, &high);
    clp_headed_scan32(&low, &high, pads);
    const clp_headed16 first = clp_headed_up1(pads, low), second = clp_headed_up1(low, high);
    vstore16(first.v, 0, values);
    vstore16(second.v, 1, values);
    vstore16(convert_int16(first.f), 0, heads);
    vstore16(convert_int16(second.f), 1, heads);
    for (uint lane = 0; lane < 32; lane++)
        totals[lane] = clp_headed_of(values[lane], heads[lane]);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runs.cl: run-length encoding, and the last step of a reduction by key.
 *
 * Algorithm, in three launches: the array is cut into parts of `part` elements, a multiple of 32.
 *   clp_runs_heads  a bit for each element: does it differ from the one before? How many do in each part, and where the
 *                   last one is that does
 *   clp_runs_spine  one team: the same of all parts before each part, and the number of runs
 *   clp_runs_apply  each part's bits again: a head's element goes to its place, and what is known where a run ends (its
 *                   length, or its total, which is the scan's last output of the run) to the place of the run before
 * So elements are read once, and those that begin runs once more.
 * Elements are counted by `place`, which is their index plus `lead`: place 0 lies at a multiple of 16 bytes, so that
 * vectors do whatever the offset is. Bit b of word w is that of place 32 w + b.
 * Launch: one-dimensional, a team a part, see team.cl; teams beyond the last part idle. The spine: one team.
 * Local memory: heads 64 bytes for each work-item, apply 68, the spine 16; none in the simd shape.
 * Counts are exact, so that any division into parts gives the same outputs.
 *
 * Macros besides prelude.cl's:
 *   CLP_T        type of elements, as they lie in memory; CLP_V of them have 16 bytes
 *   CLP_KEY      name of the conversion of CLP_T to what is compared; with 16 appended, of vectors
 *   CLP_TOTALS   0: run-length encoding; 1: reduction by key
 *   CLP_N        type of lengths and offsets, or of totals
 *   CLP_C        type of the count
 */
#include "prelude.cl"
#include "order.cl"
#include "operators.cl"
#include "team.cl"
#include "places.cl"

#if !defined(CLP_T) || !defined(CLP_N) || !defined(CLP_C)
#error "CLP_T, CLP_N and CLP_C must be types"
#endif
#if !defined(CLP_V) || !defined(CLP_TOTALS) || !defined(CLP_KEY)
#error "CLP_V and CLP_TOTALS must be numbers, CLP_KEY a name"
#endif
#if !CLP_SIMD && CLP_WG_SIZE > 2048
#error "places in a tile have 16 bits"
#endif

/* Places of a part. */
#define CLP_PART_BEGIN(p) min((p) * part, end)
#define CLP_PART_END(p) min((p) * part + part, end)

/* Does the element at this place differ from the one before it, or has none before it? in: of place 0. */
static inline uint clp_is_head(const __global CLP_T *in, ulong place, ulong lead) {
    return place == lead || CLP_KEY(in[place]) != CLP_KEY(in[place - 1]);
}

/* The bits of some places, of which those outside [lead, end) have none. */
static inline uint clp_heads_one_by_one(const __global CLP_T *in, ulong place, uint count, ulong lead, ulong end) {
    uint bits = 0;
    for (uint i = 0; i < count; i++)
        if (place + i >= lead && place + i < end)
            bits |= clp_is_head(in, place + i, lead) << i;
    return bits;
}

#if CLP_SIMD
/* The bits of sixteen places, which are there, as is the one before them. */
static inline uint clp_heads16(const __global CLP_T *x) {
    const ulong2 bytes =
        as_ulong2(convert_char16(CLP_CAT(CLP_KEY, 16)(vload16(0, x)) != CLP_CAT(CLP_KEY, 16)(vload16(0, x - 1))));
    if ((bytes.x | bytes.y) == 0)
        return 0;
    /* Little-endian, as OpenCL's devices: the product brings the lowest bits of eight bytes to the top, in order. */
    const ulong2 ones = bytes & (ulong2)(0x0101010101010101UL);
    return (uint)(ones.x * 0x0102040810204080UL >> 56) | (uint)(ones.y * 0x0102040810204080UL >> 56) << 8;
}
#else
#define CLP_TILE_PLACES (CLP_WG_SIZE * 32ul)
#define CLP_VECTORS (32 / CLP_V) /* of 32 elements */
#define CLP_T_VECTOR CLP_CAT(CLP_T, CLP_V)

/* The bits of a vector of elements behind `earlier`. */
static inline uint clp_heads_of(uint4 bytes, CLP_T earlier) {
    CLP_T x[CLP_V];
    CLP_CAT(vstore, CLP_V)(CLP_CAT(as_, CLP_T_VECTOR)(bytes), 0, x);
    uint bits = CLP_KEY(x[0]) != CLP_KEY(earlier);
#pragma unroll
    for (uint i = 1; i < CLP_V; i++)
        bits |= (uint)(CLP_KEY(x[i]) != CLP_KEY(x[i - 1])) << i;
    return bits;
}

/*
 * The bits of a tile's places, from `tile` on, for each work-item those of 32 in a row: neighbours load neighbours and
 * exchange the bits. inside: all are there, as is the one before them, and vectors are aligned.
 */
static inline uint clp_tile_heads(const __global CLP_T *in, ulong tile, ulong lead, ulong end, uint inside,
                                  __local ushort *shares) {
    const uint id = (uint)get_local_id(0);
    if (inside) {
        uint4 vectors[CLP_VECTORS];
        CLP_T earlier[CLP_VECTORS];
#pragma unroll
        for (uint v = 0; v < CLP_VECTORS; v++) {
            const __global CLP_T *x = in + tile + (v * CLP_WG_SIZE + id) * CLP_V;
            vectors[v] = *(const __global uint4 *)x;
            earlier[v] = x[-1];
        }
#pragma unroll
        for (uint v = 0; v < CLP_VECTORS; v++)
            shares[v * CLP_WG_SIZE + id] = (ushort)clp_heads_of(vectors[v], earlier[v]);
    } else {
        for (uint v = 0; v < CLP_VECTORS; v++)
            shares[v * CLP_WG_SIZE + id] =
                (ushort)clp_heads_one_by_one(in, tile + (v * CLP_WG_SIZE + id) * CLP_V, CLP_V, lead, end);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint word = 0;
#pragma unroll
    for (uint v = 0; v < CLP_VECTORS; v++)
        word |= (uint)shares[id * CLP_VECTORS + v] << (v * CLP_V);
    return word;
}
#endif

/* counts[p], lasts[p]: heads in part p, and the place behind the last of them, or 0. lasts are behind the counts. */
CLP_KERNEL void clp_runs_heads(const __global CLP_T *in, ulong in_offset, ulong lead, ulong n, ulong part, ulong parts,
                               __global ulong *counts, ulong counts_offset, __global uint *bits, ulong bits_offset) {
    const ulong p = CLP_TEAM_ID, end = lead + n, stop = CLP_PART_END(p);
    in += in_offset - lead;
    counts += counts_offset;
    bits += bits_offset;
    uint own = 0;
    ulong last = 0;
#if CLP_SIMD
    if (p >= parts)
        return;
    for (ulong at = p * part; at < stop; at += 32) {
        const uint word = at > lead && at + 32 <= stop ? clp_heads16(in + at) | clp_heads16(in + at + 16) << 16
                                                       : clp_heads_one_by_one(in, at, 32, lead, stop);
        bits[at / 32] = word;
        own += popcount(word);
        last = word ? at + 32 - clz(word) : last;
    }
    counts[p] = own;
    counts[parts + p] = last;
#else
    __local ushort shares[CLP_WG_SIZE * CLP_VECTORS];
    __local uint sums[CLP_WG_SIZE];
    __local uint latest; /* as what is behind the part's begin: a part has less than 2^32 */
    if (CLP_TEAM_LEADER)
        latest = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint aligned = ((size_t)in & 15) == 0, id = (uint)get_local_id(0);
    for (ulong tile = CLP_PART_BEGIN(p); tile < stop; tile += CLP_TILE_PLACES) {
        const uint inside = aligned && tile > lead && tile + CLP_TILE_PLACES <= stop;
        const uint word = clp_tile_heads(in, tile, lead, stop, inside, shares);
        const ulong at = tile + id * 32u;
        if (at < stop)
            bits[at / 32] = word;
        own += popcount(word);
        last = word ? at + 32 - clz(word) : last;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (last > 0)
        atomic_max(&latest, (uint)(last - p * part));
    uint kept;
    clp_before(own, sums, &kept);
    if (id == 0 && p < parts) {
        counts[p] = kept;
        counts[parts + p] = latest ? p * part + latest : 0;
    }
#endif
}

CLP_DEFINE_SPINE(clp_spine_counts, CLP_ADD_COUNTS)
CLP_DEFINE_SPINE(clp_spine_lasts, CLP_LATER_PLACE)

CLP_KERNEL void clp_runs_spine(__global ulong *counts, ulong counts_offset, ulong parts, __global CLP_C *count,
                               ulong count_offset) {
    ulong all, last;
    counts += counts_offset;
#if CLP_SIMD
    if (get_global_id(0) > 0)
        return;
    clp_spine_lasts(counts + parts, parts, &last);
    const uint teller = clp_spine_counts(counts, parts, &all);
#else
    __local ulong sums[CLP_WG_SIZE], latest[CLP_WG_SIZE];
    /* In this order: PoCL 5.0 loses `teller` and `all` over the barriers of the other. */
    clp_spine_lasts(counts + parts, parts, latest, &last);
    const uint teller = clp_spine_counts(counts, parts, sums, &all);
#endif
    if (teller)
        count[count_offset] = (CLP_C)all;
}

/* Where outputs go, and what they are made of. All begin at the first element or output. */
typedef struct {
    const __global CLP_T *in;
    const __global CLP_N *scanned; /* CLP_TOTALS: the scan's outputs */
    __global CLP_T *values;
    __global CLP_N *ends; /* lengths, or totals */
    __global CLP_N *offsets;
    ulong capacity;
    uint has_offsets;
} clp_runs;

/* Run k begins at element i. */
static inline void clp_run_begins(clp_runs runs, ulong k, ulong i) {
    if (k < runs.capacity) {
        runs.values[k] = runs.in[i];
#if !CLP_TOTALS
        if (runs.has_offsets)
            runs.offsets[k] = (CLP_N)i;
#endif
    }
}

#if CLP_TOTALS
#define CLP_END_OF(begin, end) ((void)(begin), runs.scanned[(end)-1])
#else
#define CLP_END_OF(begin, end) ((CLP_N)((end) - (begin)))
#endif
/* The run before run k, if there is one, has the elements begin … end − 1. */
static inline void clp_run_ended(clp_runs runs, ulong k, ulong begin, ulong end) {
    if (k > 0 && k <= runs.capacity)
        runs.ends[k - 1] = CLP_END_OF(begin, end);
}

#if CLP_SIMD
/* 32 runs begin at element i and the next ones, all but the last of which have that element only. They fit. */
static inline void clp_runs_of_one(clp_runs runs, ulong k, ulong i) {
    vstore16(vload16(0, runs.in + i), 0, runs.values + k);
    vstore16(vload16(1, runs.in + i), 1, runs.values + k);
    for (uint j = 0; j < 16; j += 15) { /* 31 are two times 16, one of them twice */
#if CLP_TOTALS
        vstore16(vload16(0, runs.scanned + i + j), 0, runs.ends + k + j);
#else
        vstore16((CLP_CAT(CLP_N, 16))(1), 0, runs.ends + k + j);
#endif
    }
#if !CLP_TOTALS
    if (runs.has_offsets)
        for (uint j = 0; j < 32; j++)
            runs.offsets[k + j] = (CLP_N)(i + j);
#endif
}
#endif

CLP_KERNEL void clp_runs_apply(const __global CLP_T *in, ulong in_offset, ulong lead, ulong n, ulong part, ulong parts,
                               const __global ulong *counts, ulong counts_offset, const __global uint *bits,
                               ulong bits_offset, const __global CLP_N *scanned, ulong scanned_offset,
                               __global CLP_T *values, ulong values_offset, __global CLP_N *ends, ulong ends_offset,
                               __global CLP_N *offsets, ulong offsets_offset, uint has_offsets, ulong capacity) {
    const ulong p = CLP_TEAM_ID, end = lead + n, stop = CLP_PART_END(p);
    const clp_runs runs = {in + in_offset,          scanned + scanned_offset, values + values_offset,
                           ends + ends_offset,      offsets + offsets_offset, capacity, has_offsets};
    counts += counts_offset;
    bits += bits_offset;
    ulong k = 0, earlier = 0; /* the next run; where the one before it begins */
    if (p < parts) {
        k = counts[p];
        earlier = k > 0 ? counts[parts + p] - 1 - lead : 0;
    }
#if CLP_SIMD
    if (p >= parts)
        return;
    for (ulong at = p * part; at < stop; at += 32) {
        uint word = bits[at / 32];
        if (word == 0xffffffffu && k + 32 <= capacity) {
            clp_run_ended(runs, k, earlier, at - lead);
            clp_runs_of_one(runs, k, at - lead);
            k += 32;
            earlier = at - lead + 31;
            word = 0;
        }
        for (; word; word &= word - 1) {
            const ulong i = at + 31 - clz(word & -word) - lead;
            clp_run_begins(runs, k, i);
            clp_run_ended(runs, k, earlier, i);
            earlier = i;
            k++;
        }
    }
#else
    __local uint sums[CLP_WG_SIZE];
    __local ushort places[CLP_TILE_PLACES];
    const uint id = (uint)get_local_id(0);
    for (ulong tile = CLP_PART_BEGIN(p); tile < stop; tile += CLP_TILE_PLACES) {
        uint word = 0, kept;
        if (tile + id * 32u < stop)
            word = bits[tile / 32 + id];
        uint at = clp_before(popcount(word), sums, &kept);
        for (; word; word &= word - 1)
            places[at++] = (ushort)(id * 32u + 31u - clz(word & -word));
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint base = 0; base < kept; base += CLP_WG_SIZE) {
            const uint e = base + id;
            if (e < kept) {
                const ulong i = tile + places[e] - lead;
                clp_run_begins(runs, k + e, i);
                clp_run_ended(runs, k + e, e > 0 ? tile + places[e - 1] - lead : earlier, i);
            }
        }
        if (kept > 0)
            earlier = tile + places[kept - 1] - lead;
        k += kept;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#endif
    if (p + 1 == parts && CLP_TEAM_LEADER)
        clp_run_ended(runs, k, earlier, n);
}

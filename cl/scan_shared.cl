/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan_shared.cl: what scans share with whatever else is numbered by one: units of the canonical tree, access to memory
 * past the caches, exchange among runs of 32 work-items. After subgroups.cl and team.cl.
 *
 *   CLP_A, CLP_A_BITS, CLP_OP(a, b), CLP_ANY, clp_value   see scan_base.cl; included behind scan_heads.cl, if at all
 *   clp_scan_runs(local, count, pad)   simt shape: Hillis-Steele scans of runs of 32 totals in local memory
 *   CLP_RUN_SYNC()   what one work-item of a run wrote to local memory is there for the others
 */
#define CLP_UNITS(n, unit) ((n) / (unit) + ((n) % (unit) != 0))
#define CLP_BLOCKS_AT(tiles) (CLP_UNITS(tiles, 32ul) * 32ul)
#define CLP_SUPERS_AT(tiles) (CLP_BLOCKS_AT(tiles) + CLP_BLOCKS_AT(CLP_UNITS(tiles, 32ul)))

/* A function that is hardly ever called: not inlined where inlining is the compiler's choice. */
#if CLP_DEVICE_FENCE == 2
#define CLP_RARELY static __attribute__((noinline))
#else
#define CLP_RARELY static inline
#endif
/* 16 bytes of elements and of outputs: they pass the nearest cache where the device can be told so. */
#if CLP_DEVICE_FENCE == 2 /* NVIDIA */
static inline uint4 clp_fetch_once(const __global uint4 *p) {
    uint4 v;
    __asm__ volatile("ld.global.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                     : "l"(p));
    return v;
}

static inline void clp_put_once(__global uint4 *p, uint4 v) {
    __asm__ volatile("st.global.cs.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(p), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w)
                     : "memory");
}
#define CLP_FETCH(p) clp_fetch_once(p)
#define CLP_PUT(p, v) clp_put_once(p, v)
#else
#define CLP_FETCH(p) (*(p))
#define CLP_PUT(p, v) (*(p) = (v))
#endif

#if !CLP_ANY
/* 32 or 64 bits as a value. */
#if CLP_A_BITS == 32
typedef uint clp_bits;
#else
typedef uint2 clp_bits;
#endif
static inline clp_value clp_as_value(clp_bits bits) {
    union {
        clp_bits bits;
        clp_value value;
    } same;
    same.bits = bits;
    return same.value;
}
#endif
#if !CLP_SIMD
#if CLP_SUBGROUPS == 2
#define CLP_RUN_SYNC() __asm__ volatile("bar.warp.sync 0xffffffff;" ::: "memory")
#else
#define CLP_RUN_SYNC() barrier(CLK_LOCAL_MEM_FENCE)
#endif
/* This work-item's run, which has group `run` of the tile. */
#define CLP_RUN ((uint)get_local_id(0) / 32u)
/* Has it one? Runs beyond the eighth idle. */
#define CLP_WORKS (CLP_WG_SIZE <= 256u || CLP_RUN < 8u)
#define CLP_LANE ((uint)get_local_id(0) % 32u)
/* Takes arrays, which are registers only where it is inlined. (Oclgrind does not know what clang makes of such a
 * function that returns a structure; there work-items exchange through local memory.) */
#if CLP_SUBGROUPS != 1
#define CLP_INLINE static inline __attribute__((always_inline))
#else
#define CLP_INLINE static inline
#endif
/* Registers are indexed by constants where that matters; elsewhere unrolling costs seconds of compilation (PoCL). */
#if CLP_SUBGROUPS != 1
#define CLP_UNROLL _Pragma("unroll")
#else
#define CLP_UNROLL
#endif

/* Local memory of a work-group. */
typedef struct {
    __local CLP_A *values; /* a piece, see scan_simt.cl */
    __local CLP_A *totals; /* as many as are scanned */
    __local CLP_A *other;  /* as many, of no use with sub-groups */
} clp_scratch;

#if CLP_SUBGROUPS != 1
static inline CLP_A clp_later(CLP_A value, uint delta) {
#if CLP_A_BITS == 32
    return CLP_CAT(as_, CLP_A)(clp_down_32(as_uint(value), delta));
#else
    return CLP_CAT(as_, CLP_A)(clp_down_64(as_ulong(value), delta));
#endif
}

/* Hillis and Steele over the 32 work-items of a run; the value of item c stands at place c ^ 31. */
static inline CLP_A clp_scan_lanes(CLP_A value, CLP_A pad) {
    const uint lane = (uint)get_local_id(0) & 31u;
    CLP_UNROLL
    for (uint d = 1; d < 32; d *= 2) {
        const CLP_A earlier = clp_later(value, d);
        value = CLP_OP(lane + d < 32 ? earlier : pad, value);
    }
    return value;
}
#endif

/*
 * Scans each run of 32 of the count totals (a multiple of 32) and returns where the prefixes are. Total c ^ 31 must
 * have been written by work-item c % CLP_WG_SIZE; the prefixes are there for all.
 */
static inline __local CLP_A *clp_scan_runs(clp_scratch local_memory, uint count, CLP_A pad) {
    const uint local_id = (uint)get_local_id(0);
    __local CLP_A *from = local_memory.totals;
#if CLP_SUBGROUPS != 1
    for (uint base = 0; base < count; base += CLP_WG_SIZE) {
        const uint place = (base + local_id) ^ 31u;
        const CLP_A value = clp_scan_lanes(place < count ? from[place] : pad, pad);
        if (place < count)
            from[place] = value;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#else
    __local CLP_A *to = local_memory.other;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint d = 1; d < 32; d *= 2) {
        for (uint i = local_id; i < count; i += CLP_WG_SIZE)
            to[i] = CLP_OP((i & 31u) >= d ? from[i - d] : pad, from[i]);
        barrier(CLK_LOCAL_MEM_FENCE);
        __local CLP_A *swap = from;
        from = to, to = swap;
    }
#endif
    return from;
}
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * places.cl: where things that are kept go: how many are before them.
 *
 *   clp_before(own, sums, &total)         simt shape: of a work-group, each work-item of which has some
 *   CLP_DEFINE_SPINE(NAME, COMBINE)       a function that scans a list of parts by one team
 * Local memory: CLP_WG_SIZE words, of 64 bits for the spine; none in the simd shape. Preconditions: called by all
 * work-items of a work-group.
 */
#if !CLP_SIMD
/* Scans a number of each work-item: returns the sum of those before this one; *total is that of all. */
static inline uint clp_before(uint own, __local uint *sums, uint *total) {
    const uint id = (uint)get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    sums[id] = own;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint d = 1; d < CLP_WG_SIZE; d *= 2) {
        uint sum = sums[id];
        if (id >= d)
            sum += sums[id - d];
        barrier(CLK_LOCAL_MEM_FENCE);
        sums[id] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    *total = sums[CLP_WG_SIZE - 1];
    return sums[id] - own;
}
#endif

/*
 * Replaces each number of a list by all those before it, combined; 0 stands before the first. *all: what all give, in
 * the work-item that this returns 1 in, one of the team. COMBINE(a, b): exact, in any order.
 */
#if CLP_SIMD
#define CLP_DEFINE_SPINE(NAME, COMBINE)                                                                                \
    static inline uint NAME(__global ulong *list, ulong length, ulong *all) {                                          \
        ulong before = 0;                                                                                              \
        for (ulong p = 0; p < length; p++) {                                                                           \
            const ulong own = list[p];                                                                                 \
            list[p] = before;                                                                                          \
            before = COMBINE(before, own);                                                                             \
        }                                                                                                              \
        *all = before;                                                                                                 \
        return 1;                                                                                                      \
    }
#else
/* Each work-item has a part of the list, and sees the others' sums. */
#define CLP_DEFINE_SPINE(NAME, COMBINE)                                                                                \
    static inline uint NAME(__global ulong *list, ulong length, __local ulong *sums, ulong *all) {                     \
        const ulong each = length / CLP_WG_SIZE + 1, begin = min(get_local_id(0) * each, length);                      \
        const ulong end = min(begin + each, length);                                                                   \
        ulong sum = 0, before = 0;                                                                                     \
        for (ulong p = begin; p < end; p++)                                                                            \
            sum = COMBINE(sum, list[p]);                                                                               \
        sums[get_local_id(0)] = sum;                                                                                   \
        barrier(CLK_LOCAL_MEM_FENCE);                                                                                  \
        for (uint id = 0; id < CLP_WG_SIZE; id++)                                                                      \
            before = COMBINE(before, id < get_local_id(0) ? sums[id] : 0);                                             \
        for (ulong p = begin; p < end; p++) {                                                                          \
            const ulong own = list[p];                                                                                 \
            list[p] = before;                                                                                          \
            before = COMBINE(before, own);                                                                             \
        }                                                                                                              \
        *all = before;                                                                                                 \
        return end == length && (begin < end || get_local_id(0) == 0);                                                 \
    }
#endif
#define CLP_ADD_COUNTS(a, b) ((a) + (b))
#define CLP_LATER_PLACE(a, b) max((ulong)(a), (ulong)(b))

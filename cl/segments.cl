/* SPDX-License-Identifier: Apache-2.0 */
/*
 * segments.cl: what patterns by offsets share: where segments lie, and the lists of those that many teams share. The
 * order of the lists depends on timing; results must not depend on it.
 *
 *   CLP_SEGMENT_RUN   pieces of an entry of the list
 */
#ifndef CLP_SEGMENT_RUN
#error "CLP_SEGMENT_RUN must be a number"
#endif

enum { CLP_NUM_ENTRIES, CLP_NUM_LONGS, CLP_NUM_TOTALS, CLP_NUM_REST }; /* the counters */

/*
 * The numbers of a call; host/segments.h has the same. Offsets of lists are in their elements, from the start
 * of scratch on. rest_totals holds the tree of n elements, unused_totals that of none.
 */
typedef struct {
    ulong in_offset, second_offset, out_offset, offsets_offset, ends_offset, count, n;
    ulong totals_offset, rest_totals_offset, unused_totals_offset;
    ulong entries_at, longs_at, rest_at; /* bytes */
    uint max_entries, max_longs, max_totals, wide, has_ends, unused; /* whole ulongs: rusticl does not round up */
} clp_segments_job;

typedef struct {
    ulong begin, n;
} clp_segment;

/* The lists in scratch: {slot among the long ones, first piece}; {segment, its totals}; segments. */
#define CLP_ENTRY_LIST ((__global uint2 *)((__global char *)counters + job.entries_at))
#define CLP_LONG_LIST ((__global ulong2 *)((__global char *)counters + job.longs_at))
#define CLP_REST_LIST ((__global ulong *)((__global char *)counters + job.rest_at))

static inline ulong clp_offset_at(const __global uint *offsets, ulong i, uint wide) {
    return wide ? ((const __global ulong *)offsets)[i] : offsets[i];
}

/* Segment k; one that does not exist is empty. */
static inline clp_segment clp_segment_of(const clp_segments_job *job, const __global uint *offsets,
                                         const __global uint *ends, ulong k) {
    clp_segment segment;
    segment.begin = segment.n = 0;
    if (k < job->count) {
        const ulong begin = clp_offset_at(offsets, job->offsets_offset + k, job->wide);
        const ulong end = min(job->n, job->has_ends ? clp_offset_at(ends, job->ends_offset + k, job->wide)
                                                    : clp_offset_at(offsets, job->offsets_offset + k + 1, job->wide));
        segment.begin = begin;
        segment.n = end - min(begin, end);
    }
    return segment;
}

/*
 * Lists a segment of so many pieces, which needs so many totals. Bounded by the lists' lengths: what does not fit is
 * "rest". Who finds the lists full adds nothing, so a counter passes its limit by what is on its way at once only; the
 * host launches so few work-groups that it cannot wrap around.
 */
static inline void clp_list(const clp_segments_job *parameters, volatile __global uint *counters, ulong k, uint pieces,
                            uint totals) {
    const clp_segments_job job = *parameters;
    if (atomic_add(counters + CLP_NUM_TOTALS, 0u) > job.max_totals) { /* read so that no checker sees a race */
        CLP_REST_LIST[atomic_inc(counters + CLP_NUM_REST)] = k;
        return;
    }
    const uint entries = (pieces + CLP_SEGMENT_RUN - 1) / CLP_SEGMENT_RUN;
    const uint slot = atomic_inc(counters + CLP_NUM_LONGS);
    const uint entry = atomic_add(counters + CLP_NUM_ENTRIES, entries);
    const uint base = atomic_add(counters + CLP_NUM_TOTALS, totals);
    const uint fits = slot < job.max_longs && base + totals <= job.max_totals && entry + entries <= job.max_entries;
    if (slot < job.max_longs)
        CLP_LONG_LIST[slot] = (ulong2)(fits ? k : job.count, base);
    for (uint i = 0; i < entries && entry + i < job.max_entries; i++)
        CLP_ENTRY_LIST[entry + i] = (uint2)(fits ? slot : job.max_longs, i * CLP_SEGMENT_RUN);
    if (!fits)
        CLP_REST_LIST[atomic_inc(counters + CLP_NUM_REST)] = k;
}

static inline void clp_clear_counters(__global char *lists, ulong lists_at) {
    __global uint *counters = (__global uint *)(lists + lists_at);
    if (get_global_id(0) == 0)
        for (uint i = 0; i < 4; i++)
            counters[i] = 0;
}

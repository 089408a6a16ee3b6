/* SPDX-License-Identifier: Apache-2.0 */
/** @file segments.h What patterns by offsets share on the host. */
#ifndef CLP_SEGMENTS_H
#define CLP_SEGMENTS_H

#include "internal.h"

#include <clpatterns/reduce.h>

/** clp_segments_job of cl/segments.cl. */
struct clp_segments_numbers {
    cl_ulong in_offset, second_offset, out_offset, offsets_offset, ends_offset, count, n;
    cl_ulong totals_offset, rest_totals_offset, unused_totals_offset;
    cl_ulong entries_at, longs_at, rest_at;
    cl_uint max_entries, max_longs, max_totals, wide, has_ends, unused;
};

/** Bytes of an offset. */
size_t clp_segments_index_size(const clp_segments *segments);

/** Checks the struct: not NULL, reserved words, type of the offsets. */
clp_status clp_segments_check(const clp_segments *segments);

/** Checks the buffers of offsets and ends. */
clp_status clp_segments_check_ranges(const clp_context *context, const clp_segments *segments,
                                     struct clp_range *offsets, struct clp_range *ends);

/** What a plan says of a call that has `launches` launches of one variant and needs so many bytes of scratch.
 */
clp_plan clp_segments_tell_plan(const clp_context *context, const struct clp_variant *variant, size_t size,
                                unsigned launches);

#endif

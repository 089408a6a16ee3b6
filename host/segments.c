/* SPDX-License-Identifier: Apache-2.0 */
/* Segments by offsets, as callers give them. */
#include "segments.h"

size_t clp_segments_index_size(const clp_segments *segments) {
    return segments->index == CLP_U64 ? sizeof(cl_ulong) : sizeof(cl_uint);
}

clp_status clp_segments_check(const clp_segments *segments) {
    if (!segments)
        return clp_fail(CLP_INVALID_ARGUMENT, "segments is NULL");
    if (!clp_reserved_zero(segments->reserved))
        return clp_fail(CLP_INVALID_ARGUMENT, "segments: a reserved field is not zero");
    if (segments->index != CLP_TYPE_INVALID && segments->index != CLP_U32 && segments->index != CLP_U64)
        return clp_fail(CLP_INVALID_TYPE, "segments->index is %s (%d), neither u32 nor u64",
                        clp_type_name(segments->index), (int)segments->index);
    return CLP_SUCCESS;
}

clp_status clp_segments_check_ranges(const clp_context *context, const clp_segments *segments,
                                     struct clp_range *offsets, struct clp_range *ends) {
    const bool has_ends = segments->ends.mem != NULL;
    const size_t index = clp_segments_index_size(segments), count = segments->count;
    const clp_status status = clp_check_range(
        context, segments->offsets, index, count == 0 ? 0 : count + !has_ends, CLP_READ, "offsets", offsets);
    return status == CLP_SUCCESS
               ? clp_check_range(context, segments->ends, index, has_ends ? count : 0, CLP_READ, "ends", ends)
               : status;
}

clp_plan clp_segments_tell_plan(const clp_context *context, const struct clp_variant *variant, size_t size,
                                unsigned launches) {
    return (clp_plan){.workspace_size = size,
                      .schedule = CLP_SCHEDULE_LEVELS,
                      .launches = launches,
                      .work_group_size = clp_variant_work_group_size(variant),
                      .shape = context->info.shape,
                      .subgroups = clp_variant_subgroups(variant)};
}

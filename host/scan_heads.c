/* SPDX-License-Identifier: Apache-2.0 */
/* Scans of segments by flags and by keys: the heads that the one says and the other implies. The rest is
 * scan.c's. */
#include "scan_plan.h"

#include <string.h>

/* The type of flags (CLP_TYPE_INVALID) or keys. */
static clp_status check_type(clp_type keys) {
    if (strcmp(clp_type_name(keys), "invalid") == 0)
        return clp_fail(CLP_INVALID_TYPE, "key_type is %d, no element type", (int)keys);
    if (keys == CLP_USER)
        return clp_fail(CLP_UNSUPPORTED, "keys of a user type are not compared");
    return CLP_SUCCESS;
}

static clp_status run(clp_context *context, cl_command_queue queue, const clp_scan_desc *desc,
                      struct clp_scan_job job, size_t n, const clp_workspace *workspace, cl_uint num_waits,
                      const cl_event *waits, cl_event *event) {
    job.rows = (clp_rows){.count = 1, .columns = n};
    return clp_scan_run(context, queue, desc, &job, workspace, num_waits, waits, event);
}

clp_status clp_scan_by_flags(clp_context *context, cl_command_queue queue, const clp_scan_desc *desc,
                             clp_buffer in, clp_buffer flags, clp_buffer out, size_t n,
                             const clp_workspace *workspace, cl_uint num_events_in_wait_list,
                             const cl_event *event_wait_list, cl_event *event) {
    const struct clp_scan_job job = {
        .in = in, .out = out, .heads = flags, .kind = CLP_SCAN_FLAGS, .head_type = CLP_U8};
    return run(context, queue, desc, job, n, workspace, num_events_in_wait_list, event_wait_list, event);
}

clp_status clp_scan_by_key(clp_context *context, cl_command_queue queue, const clp_scan_desc *desc,
                           clp_buffer in, clp_buffer keys, clp_type key_type, clp_buffer out, size_t n,
                           const clp_workspace *workspace, cl_uint num_events_in_wait_list,
                           const cl_event *event_wait_list, cl_event *event) {
    const struct clp_scan_job job = {
        .in = in, .out = out, .heads = keys, .kind = CLP_SCAN_KEYS, .head_type = key_type};
    if (event)
        *event = NULL;
    const clp_status status = check_type(key_type);
    if (status != CLP_SUCCESS)
        return status;
    return run(context, queue, desc, job, n, workspace, num_events_in_wait_list, event_wait_list, event);
}

clp_status clp_scan_heads_plan(clp_context *context, const clp_scan_desc *desc, clp_type key_type, size_t n,
                               clp_plan *plan) {
    struct clp_scan_extent extent = {.rows = 1, .n = n, .heads = CLP_SCAN_FLAGS, .head_type = CLP_U8};
    if (key_type != CLP_TYPE_INVALID) {
        const clp_status status = check_type(key_type);
        if (status != CLP_SUCCESS)
            return status;
        extent.heads = CLP_SCAN_KEYS;
        extent.head_type = key_type;
    }
    return clp_scan_tell_plan(context, desc, extent, plan);
}

clp_status clp_scan_heads_cost(const clp_scan_desc *desc, clp_type key_type, size_t n, clp_cost *cost) {
    clp_status status = clp_scan_cost(desc, n, cost);
    if (status == CLP_SUCCESS && key_type != CLP_TYPE_INVALID)
        status = check_type(key_type);
    if (status == CLP_SUCCESS)
        cost->bytes += (double)n * (double)(key_type != CLP_TYPE_INVALID ? clp_type_size(key_type) : 1);
    return status;
}

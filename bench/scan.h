/* SPDX-License-Identifier: Apache-2.0 */
/** @file scan.h What `run scan` and the cases of scan share: one call of the library, however parted. */
#ifndef SCAN_H
#define SCAN_H

#include <clpatterns/clpatterns.h>

enum scan_parts { SCAN_WHOLE, SCAN_ROWS, SCAN_SEGMENTS, SCAN_FLAGS, SCAN_KEYS };

struct scan_job {
    enum scan_parts parts;
    clp_buffer in, out;
    clp_buffer by;    /**< offsets, flags or keys … */
    clp_type by_type; /**< … of this type */
    size_t n;         /**< elements of all parts */
    size_t count;     /**< rows or segments */
};

clp_status scan_plan(clp_context *context, const clp_scan_desc *desc, const struct scan_job *job,
                     clp_plan *plan);
clp_status scan_call(clp_context *context, cl_command_queue queue, const clp_scan_desc *desc,
                     const struct scan_job *job, cl_event *event);
clp_status scan_job_cost(const clp_scan_desc *desc, const struct scan_job *job, clp_cost *cost);

#endif

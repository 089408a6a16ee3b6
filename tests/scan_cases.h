/* SPDX-License-Identifier: Apache-2.0 */
/** @file scan_cases.h What the tests of scan share: one call on one input, compared with the reference. */
#ifndef CLP_SCAN_CASES_H
#define CLP_SCAN_CASES_H

#include "harness.h"
#include "reference.h"

enum { SCAN_MAX_OFFSET = 3, SCAN_GUARD = 8 };

/** How many results were compared: a run without any must not be green. */
extern size_t scan_compared;

/** test_main() that fails if nothing was compared. */
int scan_main(Suite *suite);

/** Bytes of an element and of an output. */
size_t scan_element_size(const clp_scan_desc *desc);
size_t scan_output_size(const clp_scan_desc *desc);

/** Can the device do it, and does it not flush the denormals that products meet? */
bool scan_device_can(clp_context *context, const clp_scan_desc *desc);

/** Memory for the elements, the outputs and what they must be, made once for all sizes. */
struct scan_arrays {
    unsigned char *data, *got, *want;
    cl_mem in, out;
    size_t bytes;
};
struct scan_arrays scan_make_arrays(clp_context *context, const clp_scan_desc *desc, size_t elements);
void scan_free_arrays(struct scan_arrays *arrays);

/** Copies so many elements of arrays->data to the device. */
void scan_upload(clp_context *context, struct scan_arrays *arrays, const clp_scan_desc *desc,
                 size_t elements);

/**
 * Scans n elements from element `offset` on and compares bits with arrays->want, and guards beside the
 * outputs. in_place: with the outputs in a copy of the elements.
 */
void scan_compare(clp_context *context, struct scan_arrays *arrays, const clp_scan_desc *desc, size_t offset,
                  size_t n, bool in_place, const char *what);

/** The call of a scan; buffers begin at the same element. */
typedef clp_status scan_call(clp_context *context, const clp_scan_desc *desc, clp_buffer in, clp_buffer out,
                             size_t offset, size_t n, const void *cookie);

/** scan_compare() of another call than clp_scan(), which is given the cookie. */
void scan_compare_call(clp_context *context, struct scan_arrays *arrays, const clp_scan_desc *desc,
                       size_t offset, size_t n, bool in_place, const char *what, scan_call *call,
                       const void *cookie);

#endif

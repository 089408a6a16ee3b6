/* SPDX-License-Identifier: Apache-2.0 */
/** @file reduce_fast.h CLP_REDUCE_FAST: reduction in no fixed order, by atomics. */
#ifndef CLP_REDUCE_FAST_H
#define CLP_REDUCE_FAST_H

#include "internal.h"

/** Does the fast mode have this type, operator and result? The result type is the element type. */
bool clp_reduce_fast_exists(const clp_reduce_desc *desc);

/** CLP_UNSUPPORTED, CLP_DEVICE_UNSUPPORTED: of a description whose fields are valid each for itself. */
clp_status clp_reduce_fast_check(const clp_context *context, const clp_reduce_desc *desc);

/** Checks as above, builds the kernels, tells the plan; that is all a prewarm needs. */
clp_status clp_reduce_fast_plan(clp_context *context, const clp_reduce_desc *desc, size_t n, clp_plan *plan);

/** Checks as above, then arrays and workspace, and enqueues. Between clp_call_begin() and clp_call_end(). */
clp_status clp_reduce_fast(struct clp_call *call, const clp_reduce_desc *desc, clp_buffer in, clp_buffer out,
                           size_t n, const clp_workspace *workspace);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file reduce.h Reduction: many elements to one.
 *
 * Determinism: the result's bits depend on the elements, their number and the description, and on
 * nothing else. A sum is folded in the canonical order (docs/reproducibility.md): tiles of 128 lanes by
 * 32 rows, each lane top to bottom, lanes by halving, tile totals by the same rule again. Minimum and
 * maximum do not depend on any order. tests/reference/reduce.c computes the same bits serially.
 *
 * The tree follows the fixed-order reduction of the CUDA text this library ports (its section 4.1) and
 * pairwise summation (N. J. Higham, "The accuracy of floating point summation", SIAM J. Sci. Comput.
 * 14(4), 1993): |error| ≤ γ(h) · Σ|xᵢ| with γ(h) = hu/(1 − hu), u half an ulp of 1 and h the height of
 * the tree: 31 + 7 additions a level, 2 levels up to 2^24 elements, 3 up to 2^36.
 *
 * Values: sums wrap for integers. Floats: a NaN anywhere makes sum and max NaN; min ignores NaN unless
 * all elements are NaN (one order of floats: NaN above +∞). A NaN result is the canonical quiet NaN. The
 * maximum of −0 and +0 is +0, the minimum −0; a sum of −0 alone is −0. n = 0 gives +0 for sum, the
 * largest value of the type for min and the smallest for max (±∞ for floats).
 */
#ifndef CLPATTERNS_REDUCE_H
#define CLPATTERNS_REDUCE_H

#include <clpatterns/context.h>
#include <clpatterns/cost.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How a reduction computes. */
typedef enum clp_reduce_mode {
    CLP_REDUCE_TREE = 0 /**< the canonical tree: the same bits on every device */
} clp_reduce_mode;

/** What to reduce. Zero-initialise it, then set at least type and op. */
typedef struct clp_reduce_desc {
    clp_type type;         /**< of the elements: CLP_I32, CLP_U32, CLP_F32 or CLP_F64 */
    clp_op op;             /**< CLP_SUM, CLP_MIN or CLP_MAX */
    clp_type result;       /**< 0: the default (see clp_reduce_result_type()), or the element type itself */
    clp_reduce_mode mode;  /**< CLP_REDUCE_TREE */
    clp_schedule schedule; /**< 0: the best for the device */
    uint32_t reserved[8];  /**< must be zero */
} clp_reduce_desc;

/**
 * The type of the result: 64-bit integers for sums of integers unless desc->result says the element
 * type, else the element type. CLP_TYPE_INVALID if the description is not valid.
 */
CLP_API clp_type clp_reduce_result_type(const clp_reduce_desc *desc);

/**
 * What reducing n elements costs at least (cost.h): bytes are the elements once and the result; W = n − 1
 * operations in any form; S = n − 1 of the serial loop and 31 + 7 a level of the canonical tree. 0 for n ≤ 1.
 * Needs no device.
 * @return CLP_SUCCESS, CLP_INVALID_ARGUMENT (desc or cost is NULL), CLP_INVALID_TYPE, or CLP_UNSUPPORTED (a
 *   type, result or operator that reduction does not have); then *cost is all 0
 */
CLP_API clp_status clp_reduce_cost(const clp_reduce_desc *desc, size_t n, clp_cost *cost);

/**
 * Tells the scratch memory, schedule and sizes that clp_reduce() would use for n elements.
 * Builds the kernel if it is not built yet (its limits decide the work-group size), enqueues nothing.
 * @return as clp_reduce() for description and device.
 */
CLP_API clp_status clp_reduce_plan(clp_context *context, const clp_reduce_desc *desc, size_t n,
                                   clp_plan *plan);

/** Builds what clp_reduce() needs for this description, so that no later call compiles. */
CLP_API clp_status clp_reduce_prewarm(clp_context *context, const clp_reduce_desc *desc);

/**
 * Enqueues the reduction of n elements to one element.
 *
 * @param context   the library's context
 * @param queue     in-order or out-of-order, of the same OpenCL context and device
 * @param desc      type, operator and form; read before the call returns
 * @param in        first of n elements of desc->type; readable by kernels. mem may be NULL if n is 0
 * @param out       where one element of clp_reduce_result_type() goes; offset in elements of that type
 * @param n         number of elements; 0 is allowed, 2^32 and more too
 * @param workspace the caller's scratch memory of clp_reduce_plan()'s size, or NULL for the context's own.
 *                  (64 KiB at most of the context's own memory serve as counters in either case.)
 * @param num_events_in_wait_list, event_wait_list as in clEnqueueNDRangeKernel
 * @param event     if not NULL, receives an event that completes with the result; release it. NULL on failure
 *
 * The call does not block, flush or finish; the first call of a variant compiles it (PoCL compiles once
 * more at the first launch). Nothing but the output element (and the workspace) is written. On failure the
 * output's contents are unspecified and all else is untouched. An invalid argument is found before anything
 * is enqueued; if OpenCL itself fails later (out of resources, say), a part of the call may be in the queue
 * already: finish the queue before you reuse in, out or workspace.
 *
 * @return CLP_SUCCESS, or
 *   CLP_INVALID_ARGUMENT (context or desc is NULL, or a reserved field is not zero),
 *   CLP_INVALID_TYPE, CLP_INVALID_OPERATOR, CLP_INVALID_MODE (unknown mode or schedule),
 *   CLP_UNSUPPORTED (a type, result or operator that reduction does not have),
 *   CLP_DEVICE_UNSUPPORTED (f64, or a schedule, that the device lacks),
 *   CLP_INVALID_QUEUE, CLP_INVALID_BUFFER (in not readable, out not writable, …),
 *   CLP_OUT_OF_RANGE, CLP_OVERLAP (out or workspace inside in, …),
 *   CLP_WORKSPACE_TOO_SMALL, CLP_MISALIGNED, CLP_SELF_TEST_FAILED, CLP_SOURCE_NOT_FOUND,
 *   or what OpenCL said: CL_BUILD_PROGRAM_FAILURE (clp_last_build_log() has the log),
 *   CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_RESOURCES, CL_OUT_OF_HOST_MEMORY, CL_INVALID_EVENT_WAIT_LIST,
 * …
 */
CLP_API clp_status clp_reduce(clp_context *context, cl_command_queue queue, const clp_reduce_desc *desc,
                              clp_buffer in, clp_buffer out, size_t n, const clp_workspace *workspace,
                              cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                              cl_event *event);

#ifdef __cplusplus
}
#endif

#endif

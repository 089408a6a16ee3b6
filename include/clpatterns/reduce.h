/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file reduce.h Reduction: many elements to one.
 *
 * Determinism: the result's bits depend on the elements, their number and the description, and on nothing else
 * (CLP_REDUCE_FAST excepted). Commutative operators fold in the canonical tile order (docs/reproducibility.md):
 * tiles of 128 lanes by 32 rows, each lane top to bottom, lanes by halving, tile totals by the same rule again.
 * User operators that do not promise CLP_COMMUTATIVE fold in the ordered form, which never permutes operands:
 * 16, 32 by pairs, 8 left to right, 32, 32 by pairs, the rest left to right. Minimum, maximum and their indices
 * do not depend on any order. tests/reference/reduce.c computes the same bits serially.
 *
 * The tree follows the fixed-order reduction of the CUDA text this library ports (its section 4.1) and
 * pairwise summation (N. J. Higham, "The accuracy of floating point summation", SIAM J. Sci. Comput.
 * 14(4), 1993): |error| ≤ γ(h) · Σ|xᵢ| with γ(h) = hu/(1 − hu), u half an ulp of 1 and h the height of
 * the tree: 31 + 7 additions a level, 2 levels up to 2^24 elements, 3 up to 2^36. CLP_REDUCE_COMPENSATED adds the
 * rounding error of each addition, found by Knuth's TwoSum, beside it: |error| ≤ u·|s| + γ(h)² · Σ|xᵢ|.
 *
 * Values: sums and products wrap for integers. Floats: a NaN anywhere makes sums, products, norms, dots, means and
 * max NaN; min ignores NaN unless all elements are NaN (one order of floats: NaN above +∞). A NaN result is
 * the canonical quiet NaN. The maximum of −0 and +0 is +0, the minimum −0; for argmin and argmax they are equal, all
 * NaNs are equal, and the first of equals wins. A sum of −0 alone is −0. Square roots and the division of a mean are
 * correctly rounded. n = 0 gives +0 for sums, norms and dots, 1 for prod and all, 0 for any, or and xor, all
 * bits set for and, argmin and argmax, NaN for mean, the
 * largest value of the type for min and the smallest for max (±∞ for floats), the identity for user operators.
 */
#ifndef CLPATTERNS_REDUCE_H
#define CLPATTERNS_REDUCE_H

#include <clpatterns/context.h>
#include <clpatterns/cost.h>
#include <clpatterns/user.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How a reduction computes. */
typedef enum clp_reduce_mode {
    CLP_REDUCE_TREE = 0,        /**< the canonical tree: the same bits on every device */
    CLP_REDUCE_COMPENSATED = 1, /**< sums, means, norms, dots of floats: rounding errors summed in the same tree */
    CLP_REDUCE_WIDE = 2,        /**< sums of f32 in f64, by the same tree; rounded once if the result is f32 */
    CLP_REDUCE_FAST = 3 /**< sum, min, max of i32, u32, u64, f32 in the element type by atomics, a result in no
                             fixed order: sums of f32 may differ from run to run (the chapter's blockSum).
                             The output must be readable by kernels, for atomics read */
} clp_reduce_mode;

/** What to reduce. Zero-initialise it, then set at least type and op. */
typedef struct clp_reduce_desc {
    clp_type type;         /**< of the elements; CLP_USER takes user text */
    clp_op op;             /**< sum, prod, min, max, argmin, argmax, all, any, mean: any type; and, or, xor: integers;
                                norm1, norm2, dot: floats; CLP_OP_USER */
    clp_type result;       /**< 0: the default, see clp_reduce_result_type() */
    clp_reduce_mode mode;  /**< CLP_REDUCE_TREE */
    clp_schedule schedule; /**< 0: the best for the device */
    const clp_user *user;  /**< NULL: no user text. Its transform comes before the operator: the reduction is that
                                of an array of user->value (never f16 or bf16), whatever the operator */
    uint32_t reserved[8];  /**< must be zero */
} clp_reduce_desc;

/**
 * The type of the result. Sums and products of integers: 64 bits of the same sign, or by desc->result the
 * element type or 32 bits. Sums, products, norms, dots, means of f16 and bf16: f32, or by option the element
 * type, computed in f32 and rounded once. Means of integers: f64, or by option f32, of the wrapping 64-bit sum,
 * rounded once to that type and then divided. all, any: u8, 0 or 1. argmin, argmax: u64, or by option u32 (then
 * n < 2^32). User operators: what they compute, which is the type of the elements or of what the transform gives
 * (f32 for f16 and bf16, which may be asked for as result). Everything else: the element type.
 * CLP_TYPE_INVALID if the description is not valid.
 */
CLP_API clp_type clp_reduce_result_type(const clp_reduce_desc *desc);

/**
 * What reducing n elements costs at least (cost.h): bytes are the elements once (both arrays where
 * there are two) and the result; W = n − 1 applications of the operator in any form and mode (transforms, error terms and a
 * mean's division are not counted); S = n − 1 of the serial loop; of the canonical tree 31 + 7 a level; of
 * the ordered form 4 + 5 + 7, 5 more above 4096 elements, 5 more above 2^17, and 1 for each 2^22 after the
 * first. 0 for n ≤ 1. Needs no device.
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
 *                  (16 KiB of the context's own memory serve as counters in either case.)
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
 *   CLP_UNSUPPORTED (types, operator and mode that do not go together; too many elements for the schedule),
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

/**
 * The same for two arrays of n elements of desc->type each, in and second: for CLP_DOT, the sum of their products,
 * and for user->transform with user->pair, which sees x and s. They may be the same array or overlap. Errors as
 * clp_reduce(); for descriptions of one array CLP_UNSUPPORTED (and likewise clp_reduce() for those of two).
 */
CLP_API clp_status clp_reduce_pair(clp_context *context, cl_command_queue queue, const clp_reduce_desc *desc,
                                   clp_buffer in, clp_buffer second, clp_buffer out, size_t n,
                                   const clp_workspace *workspace, cl_uint num_events_in_wait_list,
                                   const cl_event *event_wait_list, cl_event *event);

/** The rows of a matrix. Zero-initialise it. Numbers and strides are in elements. */
typedef struct clp_rows {
    size_t count;         /**< rows; 0 is allowed */
    size_t columns;       /**< elements of a row; 0 is allowed */
    size_t stride;        /**< from the start of a row to the next one's, at least columns; 0: columns */
    size_t second_stride; /**< the same for the second array of CLP_DOT */
    clp_buffer lengths; /**< mem not NULL: one cl_uint for each row, how many of its columns count (more than
                             columns means all); offset in cl_uints */
    uint32_t reserved[8]; /**< must be zero */
} clp_rows;

/**
 * Enqueues one reduction for each row; row r goes to element out.offset + r. A row's result is that of
 * clp_reduce() on the row alone, bit for bit, whatever its place and its neighbours.
 *
 * @param second the second array of CLP_DOT; mem is NULL for other operators
 * @param rows   read before the call returns; what lengths points to must stay until the event is complete
 *
 * Everything else, errors too, as clp_reduce(). CLP_SCHEDULE_LEVELS takes one row without lengths only:
 * CLP_UNSUPPORTED.
 */
CLP_API clp_status clp_reduce_rows(clp_context *context, cl_command_queue queue, const clp_reduce_desc *desc,
                                   clp_buffer in, clp_buffer second, clp_buffer out, const clp_rows *rows,
                                   const clp_workspace *workspace, cl_uint num_events_in_wait_list,
                                   const cl_event *event_wait_list, cl_event *event);

/** Segments of an array by offsets. Zero-initialise it. */
typedef struct clp_segments {
    size_t count;       /**< segments; 0 is allowed */
    size_t n;           /**< elements of the array */
    clp_type index;     /**< type of the offsets: CLP_U32 (0 means it too) or CLP_U64 */
    clp_buffer offsets; /**< segment k is elements offsets[k] … offsets[k + 1] − 1: count + 1 offsets, or count if
                             there are ends. An end beyond n is n, an end before its begin makes it empty */
    clp_buffer ends;    /**< mem not NULL: segment k ends before element ends[k] */
    uint32_t reserved[8]; /**< must be zero */
} clp_segments;

/**
 * Enqueues one reduction for each segment, whatever their lengths: work is shared by elements, not by segments.
 * Segment k goes to element out.offset + k; its result is that of clp_reduce() on the segment alone, bit for bit.
 * Segments may leave gaps, overlap, and come in any order.
 *
 * @param second   the second array, of n elements too; mem is NULL for operators of one
 * @param segments read before the call returns; what it points to must stay until the event is complete
 *
 * Everything else, errors too, as clp_reduce(); desc->schedule must be 0, desc->mode not CLP_REDUCE_FAST:
 * CLP_UNSUPPORTED.
 */
CLP_API clp_status clp_reduce_segments(clp_context *context, cl_command_queue queue, const clp_reduce_desc *desc,
                                       clp_buffer in, clp_buffer second, clp_buffer out,
                                       const clp_segments *segments, const clp_workspace *workspace,
                                       cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                       cl_event *event);

/** clp_reduce_plan() for segments. */
CLP_API clp_status clp_reduce_segments_plan(clp_context *context, const clp_reduce_desc *desc,
                                            const clp_segments *segments, clp_plan *plan);

/** clp_reduce_plan() for rows. */
CLP_API clp_status clp_reduce_rows_plan(clp_context *context, const clp_reduce_desc *desc,
                                        const clp_rows *rows, clp_plan *plan);

/**
 * clp_reduce_cost() for rows: W = count · (columns − 1), S of one row; the bytes hold the lengths if there
 * are any. Lengths lie on the device, so that all columns are taken to count. No mem is looked into.
 * @return as clp_reduce_cost(); CLP_INVALID_ARGUMENT too if rows is NULL
 */
CLP_API clp_status clp_reduce_rows_cost(const clp_reduce_desc *desc, const clp_rows *rows, clp_cost *cost);

/**
 * clp_reduce_cost() for segments that cover the array once: bytes are the elements, the offsets and the
 * results; W = n − count (more if segments are empty), S of a segment of the mean length, for the longest has
 * at least that.
 * @return as clp_reduce_cost(); CLP_INVALID_ARGUMENT too if segments is NULL, CLP_INVALID_TYPE for the index
 */
CLP_API clp_status clp_reduce_segments_cost(const clp_reduce_desc *desc, const clp_segments *segments,
                                            clp_cost *cost);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file runs.h Runs: neighbours that are equal, as long as can be. Their lengths, and reductions of what goes
 * with them.
 *
 * Equal are, for floats, −0 and +0, and all NaNs, as for clp_unique(); a run is told by the bits of its first
 * element.
 *
 * Determinism: lengths and positions are exact. A reduction by key has the bits of clp_scan_by_key().
 *
 * Each element is compared with the one before it, which gives a bit; the bits of each part of the array are
 * counted and the counts scanned, then the runs are written from the bits; in one pass all that happens tile
 * by tile, each waiting for what lies before it: G. E. Blelloch, "Prefix sums and
 * their applications", CMU-CS-90-190, 1990.
 */
#ifndef CLPATTERNS_RUNS_H
#define CLPATTERNS_RUNS_H

#include <clpatterns/scan.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What to encode. Zero-initialise it, then set at least type. */
typedef struct clp_run_length_desc {
    clp_type type;         /**< of the elements: any but CLP_USER */
    clp_type length;       /**< type of lengths and offsets: CLP_U64 (0 means it too) or CLP_U32 */
    clp_type count;        /**< type of the count: CLP_U64 (0 means it too) or CLP_U32 */
    clp_schedule schedule; /**< 0, CLP_SCHEDULE_LEVELS or CLP_SCHEDULE_ONE_PASS */
    uint32_t reserved[8];  /**< must be zero */
} clp_run_length_desc;

/**
 * What encoding n elements costs at least (cost.h), if they have so many runs: each element is read once,
 * each run's value, length and, if offsets is not 0, offset written once. W and S count comparisons of
 * neighbours, and the additions that number the runs. Needs no device.
 *
 * @return as clp_run_length_encode(); CLP_INVALID_ARGUMENT too if cost is NULL or there are more runs than
 * elements
 */
CLP_API clp_status clp_run_length_cost(const clp_run_length_desc *desc, size_t n, size_t runs, int offsets,
                                       clp_cost *cost);

/** As clp_reduce_plan(), for clp_run_length_encode(). */
CLP_API clp_status clp_run_length_plan(clp_context *context, const clp_run_length_desc *desc, size_t n,
                                       clp_plan *plan);

/** Builds what clp_run_length_encode() needs for this description, so that no later call compiles. */
CLP_API clp_status clp_run_length_prewarm(clp_context *context, const clp_run_length_desc *desc);

/**
 * Enqueues the run-length encoding of n elements: for each run, in order, its first element, how many
 * elements it has, and where it begins.
 *
 * @param context  the library's context
 * @param queue    in-order or out-of-order, of the same OpenCL context and device
 * @param desc     read before the call returns
 * @param in       first of n elements of desc->type; readable by kernels. mem may be NULL if n is 0
 * @param values   room for `capacity` elements of desc->type
 * @param lengths  room for `capacity` numbers of desc->length
 * @param offsets  the same, for the index of each run's first element; mem NULL: not wanted
 * @param capacity outputs beyond it are not written: a count above the capacity tells that it was too small.
 * No more than n are ever written, so no output needs room for more
 * @param count    receives the number of runs, whatever the capacity; one element of desc->count; stays on
 * the device
 * @param n        number of elements; 0 is allowed, 2^32 and more too
 * @param workspace the caller's scratch memory of clp_run_length_plan()'s size, or NULL for the context's own
 * @param num_events_in_wait_list, event_wait_list as in clEnqueueNDRangeKernel
 * @param event    if not NULL, receives an event that completes with the outputs; release it. NULL on failure
 *
 * The call does not block, flush or finish; the first call of a variant compiles it. Nothing but the outputs
 * and the count (and the workspace) is written. Not in place.
 *
 * @return as clp_reduce(); CLP_INVALID_TYPE for another length or count than those above; CLP_UNSUPPORTED for
 * CLP_USER, for another schedule, for lengths or counts of 32 bits with n beyond them, and for
 * CLP_SCHEDULE_ONE_PASS with 2^32 elements or more; CLP_INVALID_MODE for no schedule; CLP_DEVICE_UNSUPPORTED
 * for CLP_SCHEDULE_ONE_PASS where there are no sub-groups or the device is not known to keep started
 * work-groups running, and in the simd shape; CLP_OVERLAP if an output overlaps anything else
 */
CLP_API clp_status clp_run_length_encode(clp_context *context, cl_command_queue queue,
                                         const clp_run_length_desc *desc, clp_buffer in, clp_buffer values,
                                         clp_buffer lengths, clp_buffer offsets, size_t capacity,
                                         clp_buffer count, size_t n, const clp_workspace *workspace,
                                         cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                         cl_event *event);

/** What to reduce, by what. Zero-initialise it, then set at least key, type and op. */
typedef struct clp_reduce_by_key_desc {
    clp_type key;         /**< of the keys: any but CLP_USER */
    clp_type type;        /**< of the elements: any but CLP_USER */
    clp_op op;            /**< sum, prod, min, max: any type; and, or, xor: integers */
    clp_type result;      /**< of the totals, as clp_scan_desc has it; 0: the type of the elements */
    clp_type count;       /**< type of the count: CLP_U64 (0 means it too) or CLP_U32 */
    uint32_t reserved[8]; /**< must be zero */
} clp_reduce_by_key_desc;

/** As clp_run_length_cost(), for clp_reduce_by_key(): keys and elements are read once, each run's key and
 * total written once; W and S are those of clp_scan_heads_cost(). */
CLP_API clp_status clp_reduce_by_key_cost(const clp_reduce_by_key_desc *desc, size_t n, size_t runs,
                                          clp_cost *cost);

/** As clp_reduce_plan(), for clp_reduce_by_key(). The workspace holds n totals, and more. */
CLP_API clp_status clp_reduce_by_key_plan(clp_context *context, const clp_reduce_by_key_desc *desc, size_t n,
                                          clp_plan *plan);

/** Builds what clp_reduce_by_key() needs for this description, so that no later call compiles. */
CLP_API clp_status clp_reduce_by_key_prewarm(clp_context *context, const clp_reduce_by_key_desc *desc);

/**
 * Enqueues one reduction for each run of equal keys: the run's first key, and all its elements combined.
 *
 * Determinism: a total is what clp_scan_by_key(), inclusive and without init, has at the run's last element,
 * bit for bit. So the bits of a sum of floats depend on where in the array its run begins, and on nothing
 * else that is not in the run: not on other runs' elements, nor on what computes it. clp_reduce_segments(),
 * whose results depend on the segment alone, may give other bits. Integers, minima and maxima do not differ.
 *
 * @param keys   first of n keys of desc->key; readable by kernels. mem may be NULL if n is 0. Need not be
 * sorted: equal keys that are no neighbours are different runs
 * @param in     first of n elements of desc->type, likewise; may be keys
 * @param unique room for `capacity` keys
 * @param totals room for `capacity` results, of desc->result or desc->type
 *
 * Everything else as clp_run_length_encode(), with clp_reduce_by_key_plan()'s workspace; errors too, and:
 * CLP_INVALID_OPERATOR for no operator; CLP_UNSUPPORTED for a combination of operator and types that
 * clp_scan_by_key() does not have, and for CLP_OP_USER
 */
CLP_API clp_status clp_reduce_by_key(clp_context *context, cl_command_queue queue,
                                     const clp_reduce_by_key_desc *desc, clp_buffer keys, clp_buffer in,
                                     clp_buffer unique, clp_buffer totals, size_t capacity, clp_buffer count,
                                     size_t n, const clp_workspace *workspace,
                                     cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                     cl_event *event);

#ifdef __cplusplus
}
#endif

#endif

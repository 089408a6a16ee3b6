/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file select.h Select: the elements of an array that are wanted, in their order.
 *
 * Determinism: elements are moved, never computed with, so that outputs have the bits of the elements (NaN's
 * payloads, signs of zeros) and depend on data and description only. All is stable: outputs are in the order
 * of the elements. A predicate's own bits are promised for what docs/reproducibility.md says of user text.
 *
 * Each part of the array is counted, the counts are scanned, then each part writes its own: G. E. Blelloch,
 * "Prefix sums and their applications", CMU-CS-90-190, 1990.
 */
#ifndef CLPATTERNS_SELECT_H
#define CLPATTERNS_SELECT_H

#include <clpatterns/reduce.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What to keep, and what to write of it. Zero-initialise it, then set at least type. */
typedef struct clp_select_desc {
    clp_type type;   /**< of the elements; CLP_USER takes user text */
    clp_type second; /**< of the elements of a second array, see the calls; 0: there is none */
    /** Predicate: an expression of OpenCL C; an element is kept if it is not 0. It sees the element x, its
     * index i (a ulong), and, if there is a second array, the element s of that at the same place; f16 and
     * bf16 as float. NULL: the second array holds flags, and an element is kept if its flag is not 0. */
    const char *where;
    clp_type index;        /**< 0: elements are written; CLP_U32 or CLP_U64: their indices instead */
    clp_type count;        /**< type of the count: CLP_U64 (0 means it too) or CLP_U32 */
    clp_schedule schedule; /**< 0, CLP_SCHEDULE_LEVELS, CLP_SCHEDULE_SINGLE or CLP_SCHEDULE_ONE_PASS */
    const clp_user *user;  /**< only its declarations, type and type_size: for where, and for CLP_USER */
    uint32_t reserved[8];  /**< must be zero */
} clp_select_desc;

/** Builds what clp_select() needs for this description, so that no later call compiles. clp_partition() and
 * clp_unique() have kernels of their own, which their first calls compile. */
CLP_API clp_status clp_select_prewarm(clp_context *context, const clp_select_desc *desc);

/** As clp_reduce_plan(), for clp_select(); its workspace serves clp_partition() and clp_unique() too. */
CLP_API clp_status clp_select_plan(clp_context *context, const clp_select_desc *desc, size_t n,
                                   clp_plan *plan);

/**
 * What selecting `kept` of n elements costs at least (cost.h). Needs no device.
 *   - bytes: what tells which elements are kept, that is elements and second array for a predicate, flags
 *     without one; the kept elements, unless they were read already or their indices are written; the outputs
 *     and the count
 *   - W = 4 n: each element is tested twice, counted once and given its place once (2 n in a serial loop,
 * which does both at once). With CLP_SCHEDULE_SINGLE half of it
 *   - S = 2 + 2 ⌈log2 n⌉: a test, the counts added by pairs, and the same way back to the places (n + 1 in a
 *     serial loop). Parts that one work-item counts alone make it longer
 *
 * @return CLP_SUCCESS; CLP_INVALID_ARGUMENT (desc or cost is NULL), CLP_OUT_OF_RANGE (kept > n), or what
 *   clp_select() says of a description; then *cost is all 0
 */
CLP_API clp_status clp_select_cost(const clp_select_desc *desc, size_t n, size_t kept, clp_cost *cost);

/** clp_select_cost() for clp_partition(), which moves all elements, so that the bytes do not depend on how
 * many are kept. */
CLP_API clp_status clp_partition_cost(const clp_select_desc *desc, size_t n, clp_cost *cost);

/** clp_select_cost() for clp_unique() of n elements in `kept` runs: all elements are read, and of the values,
 * if there are any, those that are written. */
CLP_API clp_status clp_unique_cost(const clp_select_desc *desc, size_t n, size_t kept, clp_cost *cost);

/**
 * Enqueues the selection of n elements: those for which the predicate or flag is not zero.
 *
 * @param context  the library's context
 * @param queue    in-order or out-of-order, of the same OpenCL context and device
 * @param desc     read before the call returns
 * @param in       first of n elements of desc->type; readable by kernels. mem may be NULL if n is 0
 * @param second   first of n elements of desc->second; mem is NULL if there is no second array
 * @param out      room for `capacity` outputs of desc->type, or desc->index. It may be exactly `in` with
 * CLP_SCHEDULE_SINGLE, which a call in place takes by default, if elements are written; else they must not
 * overlap
 * @param capacity outputs beyond it are not written: a count above the capacity tells that it was too small
 * @param count    receives the number of elements that are kept, whatever the capacity; one element of
 * desc->count; stays on the device
 * @param n        number of elements; 0 is allowed, 2^32 and more too
 * @param workspace the caller's scratch memory of clp_select_plan()'s size, or NULL for the context's own
 * @param num_events_in_wait_list, event_wait_list as in clEnqueueNDRangeKernel
 * @param event    if not NULL, receives an event that completes with the outputs; release it. NULL on failure
 *
 * The call does not block, flush or finish; the first call of a variant compiles it. Nothing but the outputs
 * and the count (and the workspace) is written.
 *
 * @return as clp_reduce(); CLP_INVALID_ARGUMENT if there is neither where nor flags; CLP_INVALID_TYPE for
 * flags that are no integers, and for another index or count than those above; CLP_OVERLAP if an output
 * overlaps anything else; CLP_UNSUPPORTED for another schedule, for CLP_SCHEDULE_LEVELS in place, for
 * CLP_SCHEDULE_ONE_PASS in place, for user types, partitions, and 2^32 elements or more;
 * CLP_DEVICE_UNSUPPORTED for it where there are no sub-groups or the device is not known to keep started
 * work-groups running, and in the simd shape; CLP_UNSUPPORTED for user text with more than declarations and a
 * type, and for indices or counts of 32 bits with n beyond them; CL_BUILD_PROGRAM_FAILURE for a predicate
 * that does not compile: clp_last_build_log() names its lines "user where:1", …
 */
CLP_API clp_status clp_select(clp_context *context, cl_command_queue queue, const clp_select_desc *desc,
                              clp_buffer in, clp_buffer second, clp_buffer out, size_t capacity,
                              clp_buffer count, size_t n, const clp_workspace *workspace,
                              cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                              cl_event *event);

/**
 * Enqueues the partition of n elements: those that clp_select() keeps, in their order, and the others, in
 * theirs.
 *
 * @param out      room for n outputs, all of which may be kept ones. Not in place
 * @param rejected room for n outputs, or mem NULL: the others follow the kept ones in out
 * @param count    receives the number of kept elements
 *
 * Everything else, errors too, as clp_select().
 */
CLP_API clp_status clp_partition(clp_context *context, cl_command_queue queue, const clp_select_desc *desc,
                                 clp_buffer in, clp_buffer second, clp_buffer out, clp_buffer rejected,
                                 clp_buffer count, size_t n, const clp_workspace *workspace,
                                 cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                 cl_event *event);

/**
 * Enqueues the first element of each run of equal neighbours, of n. Equal are, for floats, −0 and +0, and all
 * NaNs. With desc->index the indices of these elements: where runs begin.
 *
 * @param desc     where must be NULL; type one of the twelve built-in ones
 * @param second   desc->second not 0: first of n values that go with the elements, of any type
 * @param values   room for `capacity` values: those of the elements that are written; mem is NULL without
 *
 * Everything else, errors too, as clp_select(); in place: second and values too, or not at all.
 */
CLP_API clp_status clp_unique(clp_context *context, cl_command_queue queue, const clp_select_desc *desc,
                              clp_buffer in, clp_buffer second, clp_buffer out, clp_buffer values,
                              size_t capacity, clp_buffer count, size_t n, const clp_workspace *workspace,
                              cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                              cl_event *event);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file scan.h Scan: at each position, all elements up to it.
 *
 * Determinism: an output's bits depend on the elements up to it, their number and the description, and on
 * nothing else. All operators, commutative or not, combine in the canonical scan order
 * (docs/reproducibility.md), which never permutes operands: chunks of 16, groups of 32 chunks, tiles of 8
 * groups, blocks of 32 tiles, super-blocks of 32 blocks. tests/reference/scan.c computes the same bits
 * serially. The last element of a scan and clp_reduce() of the same elements are different trees, so floats
 * may differ.
 *
 * Chunks, groups, blocks and super-blocks are scanned as in W. D. Hillis and G. L. Steele, "Data parallel
 * algorithms", Commun. ACM 29(12), 1986; groups in a tile and super-blocks are folded from left to right.
 *
 * Values: as in reduce.h. Sums and products of integers wrap. A NaN makes sums, products and maxima NaN from
 * its position on; minima ignore NaN until there is nothing else. Every NaN written is the canonical quiet
 * NaN.
 */
#ifndef CLPATTERNS_SCAN_H
#define CLPATTERNS_SCAN_H

#include <clpatterns/reduce.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What element i of a scan holds. */
typedef enum clp_scan_kind {
    CLP_SCAN_INCLUSIVE = 0, /**< elements 0 … i */
    CLP_SCAN_EXCLUSIVE = 1 /**< elements 0 … i − 1: element 0 is init, or without one what clp_reduce() gives
                              for no elements: +0, 1, ±∞, …, the identity of a user operator */
} clp_scan_kind;

/** What to scan. Zero-initialise it, then set at least type and op. */
typedef struct clp_scan_desc {
    clp_type type;   /**< of the elements; CLP_USER takes user text */
    clp_op op;       /**< sum, prod, min, max: any type but CLP_USER; and, or, xor: integers; CLP_OP_USER */
    clp_type result; /**< 0: the type of the elements, see clp_scan_result_type() */
    clp_scan_kind kind;    /**< CLP_SCAN_INCLUSIVE */
    clp_schedule schedule; /**< 0: the best for the device */
    /** Stands in front of the elements: one value of the result's type, or a float for sums, products and
     * user operators of f16 and bf16. NULL: nothing does. Read before the call returns. */
    const void *init;
    const clp_user *user; /**< NULL: no user text. Operators and types; a transform is CLP_UNSUPPORTED */
    uint32_t reserved[8]; /**< must be zero */
} clp_scan_desc;

/**
 * The type of the outputs. By default the type of the elements. By option, for sums and products: 32 or 64
 * bits of the same sign for integers that are not wider; f32 for f16 and bf16, which are computed in f32 and
 * else rounded once, when they are written. User operators: what they compute, float for f16 and bf16, or by
 * option the type of the elements. CLP_TYPE_INVALID if the
 * description is not valid.
 */
CLP_API clp_type clp_scan_result_type(const clp_scan_desc *desc);

/**
 * What scanning n elements costs at least (cost.h): bytes are each element read once and each output written
 * once. W and S count the operations of the canonical order: 4 for each element of a chunk, 5 for each total
 * of 32, and the one that puts the prefix in front. Needs no device. Errors as clp_reduce_cost().
 */
CLP_API clp_status clp_scan_cost(const clp_scan_desc *desc, size_t n, clp_cost *cost);

/** As clp_reduce_plan(), for clp_scan(). */
CLP_API clp_status clp_scan_plan(clp_context *context, const clp_scan_desc *desc, size_t n, clp_plan *plan);

/** Builds what clp_scan() needs for this description, so that no later call compiles. */
CLP_API clp_status clp_scan_prewarm(clp_context *context, const clp_scan_desc *desc);

/**
 * Enqueues the scan of n elements to n outputs.
 *
 * @param context   the library's context
 * @param queue     in-order or out-of-order, of the same OpenCL context and device
 * @param desc      type, operator and kind; read before the call returns
 * @param in        first of n elements of desc->type; readable by kernels. mem may be NULL if n is 0
 * @param out       first of n outputs of clp_scan_result_type(); offset in elements of that type. It may be
 * exactly in, if both types have the same size: then the scan is in place. Else they must not overlap
 * @param n         number of elements; 0 is allowed, 2^32 and more too
 * @param workspace the caller's scratch memory of clp_scan_plan()'s size, or NULL for the context's own
 * @param num_events_in_wait_list, event_wait_list as in clEnqueueNDRangeKernel
 * @param event     if not NULL, receives an event that completes with the outputs; release it. NULL on
 * failure
 *
 * The call does not block, flush or finish; the first call of a variant compiles it. Nothing but the outputs
 * (and the workspace) is written. On failure the outputs' contents are unspecified and all else is untouched;
 * if OpenCL itself fails, a part of the call may be in the queue already.
 *
 * @return as clp_reduce(); CLP_OVERLAP if in and out overlap but are not the same elements;
 *   CLP_DEVICE_UNSUPPORTED for CLP_SCHEDULE_ONE_PASS where the device is not known to keep started
 *   work-groups running (known are NVIDIA's, and CPUs, on PoCL in the simd shape only); CLP_UNSUPPORTED
 * for it in place, with rows and with user operators; CLP_UNSUPPORTED for CLP_SCHEDULE_FUSED and for
 * user->transform
 */
CLP_API clp_status clp_scan(clp_context *context, cl_command_queue queue, const clp_scan_desc *desc,
                            clp_buffer in, clp_buffer out, size_t n, const clp_workspace *workspace,
                            cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                            cl_event *event);

/**
 * Enqueues one scan for each row. A row's outputs are those of clp_scan() on the row alone, bit for bit,
 * whatever its place and its neighbours. rows->second_stride is the stride of out; columns behind a row's
 * length are not written. In place, both strides must be the same. Everything else, errors too, as
 * clp_scan().
 *
 * @param rows read before the call returns; what lengths points to must stay until the event is complete
 */
CLP_API clp_status clp_scan_rows(clp_context *context, cl_command_queue queue, const clp_scan_desc *desc,
                                 clp_buffer in, clp_buffer out, const clp_rows *rows,
                                 const clp_workspace *workspace, cl_uint num_events_in_wait_list,
                                 const cl_event *event_wait_list, cl_event *event);

/** As clp_scan_plan(), for clp_scan_rows(). */
CLP_API clp_status clp_scan_rows_plan(clp_context *context, const clp_scan_desc *desc, const clp_rows *rows,
                                      clp_plan *plan);

/**
 * Enqueues one scan for each segment. Segment k's outputs are those of clp_scan() on the segment alone, bit
 * for bit, whatever its place and its neighbours, and lie in out where its elements lie in in. Positions in
 * no segment are not written. init stands in front of each segment. Segments as in clp_reduce_segments():
 * empty ones, any order, ends beyond n are cut. They must not overlap: what is written to those that
 * share elements is unspecified, and nothing else.
 *
 * Everything else, errors too, as clp_scan(): in place is allowed. Besides CLP_INVALID_ARGUMENT if segments
 * is NULL or has a reserved word that is not zero, CLP_INVALID_TYPE for the index type, CLP_OUT_OF_RANGE for
 * offsets that are not in their buffers, CLP_UNSUPPORTED for every schedule but CLP_SCHEDULE_DEFAULT.
 *
 * @param segments read before the call returns; what it points to must stay until the event is complete, and
 * must not overlap out
 */
CLP_API clp_status clp_scan_segments(clp_context *context, cl_command_queue queue, const clp_scan_desc *desc,
                                     clp_buffer in, clp_buffer out, const clp_segments *segments,
                                     const clp_workspace *workspace, cl_uint num_events_in_wait_list,
                                     const cl_event *event_wait_list, cl_event *event);

/** As clp_scan_plan(), for clp_scan_segments(). */
CLP_API clp_status clp_scan_segments_plan(clp_context *context, const clp_scan_desc *desc,
                                          const clp_segments *segments, clp_plan *plan);

/**
 * clp_scan_cost() for segments that cover the array once: bytes are the elements, the offsets and the
 * outputs; W and S are those of segments of the mean length, for the longest has to be known for more.
 *
 * @return as clp_scan_cost(); CLP_INVALID_ARGUMENT too if segments is NULL, CLP_INVALID_TYPE for the index
 * type
 */
CLP_API clp_status clp_scan_segments_cost(const clp_scan_desc *desc, const clp_segments *segments,
                                          clp_cost *cost);

/**
 * Enqueues one scan for each segment of an array, where flags tell the heads of segments: element i begins
 * one if flags[i] is not 0, and element 0 does anyway. desc->init stands in front of each segment; without it
 * the first output of a segment of an exclusive scan is what clp_scan() gives for its output 0.
 *
 * Determinism: the order is that of clp_scan() of the whole array, over pairs of a value and "a head lies in
 * it" with (a, f) ∘ (b, g) = (g ? b : a ⊕ b, f | g). So the bits of a sum of floats depend on where in the
 * array its segment begins, and on nothing else that is not in the segment: not on the elements of other
 * segments, nor on what runs the scan. Alone, the same segment may have other bits. Integers, minima and
 * maxima do not differ. tests/reference/scan_heads.c computes the same serially.
 *
 * The operator of the pairs is that of G. E. Blelloch, "Prefix sums and their applications", CMU-CS-90-190,
 * 1990. All operators, types, results and user text of clp_scan(), in place too.
 *
 * @param flags first of n bytes; readable by kernels. mem may be NULL if n is 0. Must not overlap out
 *
 * All else, other parameters and errors too, as clp_scan(), and: CLP_OVERLAP if flags and out overlap;
 * CLP_UNSUPPORTED for CLP_SCHEDULE_ONE_PASS in the simt shape. Work-items exchange through local memory,
 * whatever the back-end.
 */
CLP_API clp_status clp_scan_by_flags(clp_context *context, cl_command_queue queue, const clp_scan_desc *desc,
                                     clp_buffer in, clp_buffer flags, clp_buffer out, size_t n,
                                     const clp_workspace *workspace, cl_uint num_events_in_wait_list,
                                     const cl_event *event_wait_list, cl_event *event);

/**
 * The same where keys tell the segments: each is a run of neighbours with equal keys, as long as can be. The
 * outputs are those of clp_scan_by_flags() with a flag wherever a key differs from the one before, bit for
 * bit. Keys are equal as in the library's order: −0 equals +0, and all NaNs are one.
 *
 * @param keys     first of n keys; offset in elements of key_type. Must not overlap out; may be in
 * @param key_type any type but CLP_USER
 *
 * Errors as clp_scan_by_flags(), and: CLP_INVALID_TYPE for a key_type that is none; CLP_UNSUPPORTED for
 * CLP_USER; CLP_DEVICE_UNSUPPORTED for keys of f64 where the device has none.
 */
CLP_API clp_status clp_scan_by_key(clp_context *context, cl_command_queue queue, const clp_scan_desc *desc,
                                   clp_buffer in, clp_buffer keys, clp_type key_type, clp_buffer out,
                                   size_t n, const clp_workspace *workspace, cl_uint num_events_in_wait_list,
                                   const cl_event *event_wait_list, cl_event *event);

/**
 * As clp_scan_plan(), for clp_scan_by_key(); with a key_type of CLP_TYPE_INVALID for clp_scan_by_flags(). It
 * builds what the call needs, so that no later call compiles.
 */
CLP_API clp_status clp_scan_heads_plan(clp_context *context, const clp_scan_desc *desc, clp_type key_type,
                                       size_t n, clp_plan *plan);

/**
 * As clp_scan_cost(), with the bytes of the keys, or with a key_type of CLP_TYPE_INVALID of the flags, read
 * once. An operation of the pairs counts as one.
 */
CLP_API clp_status clp_scan_heads_cost(const clp_scan_desc *desc, clp_type key_type, size_t n,
                                       clp_cost *cost);

#ifdef __cplusplus
}
#endif

#endif

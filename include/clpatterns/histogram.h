/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file histogram.h Histogram: how many samples fall into each bin.
 *
 * Determinism: counts and sums of weights are integers, so their bits depend on samples, weights and the
 * description only. No sample is ever misplaced: a bin is found in a table of edges, by comparison;
 * arithmetic guesses where to look, no more. tests/reference/histogram.c computes the same serially.
 *
 * Bin k holds the samples with edge[k] <= x < edge[k + 1], the last bin also those that equal the last edge,
 * as numpy.histogram has it. Of equal edges the last one counts, so that a bin between equal edges is empty
 * (unless it is the last one).
 *   - Even bins of floats: edge[k] = low + k · ((high − low) / count), computed in double, each operation
 *     rounded by itself, then rounded once to the type of the samples; the last edge is high, rounded. That
 * is numpy.linspace. Devices without f64 compute the same bits by integers.
 *   - Even bins of integers: edge[k] = low + ⌈k · (high − low) / count⌉, exactly. So sample x is in bin
 *     ⌊(x − low) · count / (high − low)⌋, without rounding, in 64 bits too.
 *   - Custom edges are given, of the type of the samples. They must not decrease. A NaN edge is above all
 *     samples; −0 equals +0. If edges do decrease, every sample is counted once, somewhere in its histogram.
 * Samples below the first edge, above the last one, and NaNs are in no bin; they are counted apart.
 *
 * Work-groups count in private copies, as the text that this library ports has it (its section 4.4): bytes in
 * packed counters of each work-item's own, so that neither skew nor memory banks matter; others in copies in
 * local memory that neighbours take in turn; more bins than fit there in global memory.
 */
#ifndef CLPATTERNS_HISTOGRAM_H
#define CLPATTERNS_HISTOGRAM_H

#include <clpatterns/reduce.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Interleaved channels at most, and bins of a histogram. */
#define CLP_HISTOGRAM_CHANNELS 4
#define CLP_HISTOGRAM_MAX_BINS 16777216

/** A bound of a range. Which member counts follows the type of the samples. */
typedef union clp_bound {
    int64_t i;  /**< i8 … i64 */
    uint64_t u; /**< u8 … u64 */
    double f;   /**< floats */
} clp_bound;

/** The bins of one channel. */
typedef struct clp_bins {
    size_t count; /**< 1 … CLP_HISTOGRAM_MAX_BINS */
    /** Even bins: low < high. Integers: from the type's least value to its largest and one more, as numbers;
     * both 0 mean all values of the type (also the only way to end at 2^63 or 2^64), and there are no more
     * bins than values then, nor where high is beyond the type. Floats: finite, in the type of the samples
     * too. */
    clp_bound low, high;
    clp_buffer edges; /**< mem not NULL: count + 1 custom edges; low and high are not looked at */
} clp_bins;

/** What to count, and how. Zero-initialise it, then set at least type and the count of bins[0]. */
typedef struct clp_histogram_desc {
    clp_type type;       /**< of the samples: any built-in one */
    clp_type count;      /**< of the counts: CLP_U32, CLP_U64, CLP_I32, CLP_I64; 0: CLP_U64, with weights of
                            CLP_I32      CLP_I64. Sums wrap in this type */
    clp_type weight;     /**< CLP_U32 or CLP_I32: each sample counts as often as its weight says; 0: once */
    uint32_t channels;   /**< samples of a pixel, one behind the other: 1 … 4; 0: 1 */
    uint32_t active;     /**< the first so many channels have a histogram each; 0: all */
    uint32_t accumulate; /**< 0: counts are written; else they are added to what is there */
    uint32_t join_rows;  /**< not 0: clp_histogram_rows() counts all rows together (an image with a pitch) */
    clp_bins bins[CLP_HISTOGRAM_CHANNELS]; /**< of the active channels; one with a count of 0 has those of
                                                channel 0 */
    uint32_t reserved[8];                  /**< must be zero */
} clp_histogram_desc;

/** Builds what clp_histogram() needs for this description, so that no later call compiles. */
CLP_API clp_status clp_histogram_prewarm(clp_context *context, const clp_histogram_desc *desc);

/**
 * As clp_reduce_plan(), for n pixels. The workspace does not depend on n or on rows: it has
 *   Σ (bins + 1) · (4 bytes, or 8 for elements of 64 bits)      the edges of the active channels, and
 *   compute units · 64 · Σ (bins + 3) bytes                     private copies, in the simd shape, unless
 *                                                               bytes are counted or Σ is more than 131072
 * each rounded up to a multiple of 256 bytes. The schedule is CLP_SCHEDULE_LEVELS.
 */
CLP_API clp_status clp_histogram_plan(clp_context *context, const clp_histogram_desc *desc, size_t n,
                                      clp_plan *plan);

/**
 * What a histogram of n pixels costs at least (cost.h). Needs no device.
 *   - bytes: samples and weights, of all channels, custom edges, and the counts
 *   - W: n · active additions, and ⌈log2⌉ of the bins for each to find them by search (custom edges), or 3
 *     (a guess and two comparisons)
 *   - S: the search, and ⌈log2 n⌉ additions by pairs if all samples fall into one bin
 *
 * @return CLP_SUCCESS, or what clp_histogram() says of a description; then *cost is all 0
 */
CLP_API clp_status clp_histogram_cost(const clp_histogram_desc *desc, size_t n, clp_cost *cost);

/**
 * Enqueues the histograms of n pixels of desc->channels samples each.
 *
 * @param context the library's context
 * @param queue   in-order or out-of-order, of the same OpenCL context and device
 * @param desc    read before the call returns
 * @param in      first of n · channels samples; readable by kernels. mem may be NULL if n is 0
 * @param weights first of as many weights, one for each sample; mem is NULL without weights
 * @param counts  Σ bins of the active channels counts, one histogram behind the other, in a buffer that
 *                kernels may read and write. Cleared by the call unless desc->accumulate
 * @param outside NULL mem, or room for three counts for each active channel: samples below, above, and NaNs.
 *                Cleared, or added to, as the counts
 * @param n       number of pixels; 0 is allowed, 2^32 and more too
 * @param workspace the caller's scratch memory of clp_histogram_plan()'s size, or NULL for the context's own
 * @param num_events_in_wait_list, event_wait_list as in clEnqueueNDRangeKernel
 * @param event   if not NULL, receives an event that completes with the counts; release it. NULL on failure
 *
 * The call does not block, flush or finish; the first call of a variant compiles it. Nothing but counts and
 * outside (and the workspace) is written.
 *
 * @return as clp_reduce(); CLP_INVALID_TYPE for another count or weight than those above, and for CLP_USER;
 * CLP_OUT_OF_RANGE for a number of channels, active channels or bins, or a range, that is none of those
 * above; CLP_INVALID_BUFFER if there are weights without desc->weight or none with it; CLP_OVERLAP if counts
 * or outside overlap anything else; CLP_UNSUPPORTED for more samples than counts of 32 bits hold, without
 * weights; CLP_DEVICE_UNSUPPORTED for f64 without it
 */
CLP_API clp_status clp_histogram(clp_context *context, cl_command_queue queue, const clp_histogram_desc *desc,
                                 clp_buffer in, clp_buffer weights, clp_buffer counts, clp_buffer outside,
                                 size_t n, const clp_workspace *workspace, cl_uint num_events_in_wait_list,
                                 const cl_event *event_wait_list, cl_event *event);

/**
 * Enqueues the histograms of each row; row r's begin at counts.offset + r · (Σ bins), and its outside counts
 * at outside.offset + r · 3 · (active channels). With desc->join_rows there is one set for all rows.
 *
 * @param rows read before the call returns. columns are pixels, and so are lengths; stride is in samples, at
 *             least columns · channels; 0: that. Weights lie as samples do; second_stride must be 0
 *
 * Everything else, errors too, as clp_histogram(), and CLP_INVALID_ARGUMENT if rows is NULL or a stride
 * wrong.
 */
CLP_API clp_status clp_histogram_rows(clp_context *context, cl_command_queue queue,
                                      const clp_histogram_desc *desc, clp_buffer in, clp_buffer weights,
                                      clp_buffer counts, clp_buffer outside, const clp_rows *rows,
                                      const clp_workspace *workspace, cl_uint num_events_in_wait_list,
                                      const cl_event *event_wait_list, cl_event *event);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/** @file histogram_form.h What a description of a histogram means. */
#ifndef CLP_HISTOGRAM_FORM_H
#define CLP_HISTOGRAM_FORM_H

#include "reduce_form.h"

/** The bins of an active channel, as clp_histogram_prepare takes them (cl/histogram_edges.cl). */
struct clp_histogram_bins {
    size_t count;
    clp_buffer edges; /**< mem NULL: even bins */
    cl_ulong low, step, rest, high;
    cl_float scale; /**< bins per distance; 0: custom edges */
};

/** A description that was checked. */
struct clp_histogram_form {
    clp_type count;
    size_t channels, active;
    struct clp_histogram_bins bins[CLP_HISTOGRAM_CHANNELS];
    size_t total; /**< bins of all active channels */
    size_t element_size, count_size, key_size;
    bool wide;  /**< counts have 64 bits */
    bool bytes; /**< cl/histogram_bytes.cl counts them */
};

/** Checks the description and fills its form; context NULL: for no device in particular. */
clp_status clp_histogram_form_of(const clp_context *context, const clp_histogram_desc *desc,
                                 struct clp_histogram_form *form);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/** @file runs.h What run-length encoding and reduction by key share: heads as bits, and runs written from
 * them. */
#ifndef CLP_RUNS_H
#define CLP_RUNS_H

#include "scan_plan.h"

/** What the kernels of cl/runs.cl are built for. */
struct clp_runs_form {
    clp_type type; /**< of what is compared */
    clp_type ends; /**< of lengths and offsets, or of totals */
    clp_type count;
    bool totals; /**< reduction by key */
};

/** How a call is spread over the device. */
struct clp_runs_plan {
    struct clp_runs_form form;
    struct clp_variant *variant;
    size_t part, parts; /**< elements of a part; parts */
    size_t counts_size; /**< bytes of scratch memory: of the parts' counts … */
    size_t size;        /**< … and with the bits behind them */
};

/** The buffers of a call. */
struct clp_runs_job {
    clp_buffer in, values, ends, offsets, count;
    size_t capacity, n;
};

/** CLP_U64 for 0, or what is there: CLP_INVALID_TYPE unless it is CLP_U32 or CLP_U64. name: for the detail */
clp_status clp_runs_number(clp_type given, const char *name, clp_type *type);

/** Is it a type that is compared, which the device has? name: for the detail */
clp_status clp_runs_check_type(const clp_context *context, clp_type type, const char *name);

/** CLP_UNSUPPORTED for n beyond numbers of 32 bits; CLP_OUT_OF_RANGE. */
clp_status clp_runs_check_n(const struct clp_runs_form *form, size_t n);

/** Builds the kernels, chooses sizes. CLP_UNSUPPORTED for n beyond numbers of 32 bits. */
clp_status clp_runs_make_plan(clp_context *context, const struct clp_runs_form *form, size_t n,
                              struct clp_runs_plan *plan);

/** Fills what a plan tells of them: launches and scratch memory, besides others'. */
void clp_runs_tell_plan(const clp_context *context, const struct clp_runs_plan *plan, clp_plan *result);

/** Bytes of scratch memory, such that what lies behind them is aligned as a workspace. */
static inline size_t clp_runs_aligned(size_t bytes) {
    return clp_scan_units(bytes, CLP_WORKSPACE_ALIGNMENT) * CLP_WORKSPACE_ALIGNMENT;
}

/** The ranges of a call's buffers; OTHER is the caller's. */
enum {
    CLP_RUNS_IN,
    CLP_RUNS_OTHER,
    CLP_RUNS_VALUES,
    CLP_RUNS_ENDS,
    CLP_RUNS_OFFSETS,
    CLP_RUNS_COUNT,
    CLP_RUNS_RANGES
};

/** Checks buffers: sizes and overlap. ranges[CLP_RUNS_OTHER] is there already: something else that is read.
 */
clp_status clp_runs_check_ranges(const clp_context *context, const struct clp_runs_form *form,
                                 const struct clp_runs_job *job, struct clp_range ranges[CLP_RUNS_RANGES]);

/**
 * Enqueues the launches. scratch_begin: bytes at which plan->size of the call's scratch memory are theirs,
 * aligned as a workspace. scanned: byte at which the scan's outputs begin there, for totals.
 */
clp_status clp_runs_launch(struct clp_call *call, const struct clp_runs_plan *plan,
                           const struct clp_runs_job *job, size_t scratch_begin, size_t scanned);

#endif

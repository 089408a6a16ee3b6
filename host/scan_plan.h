/* SPDX-License-Identifier: Apache-2.0 */
/** @file scan_plan.h How a scan is spread over the device, before anything is enqueued. */
#ifndef CLP_SCAN_PLAN_H
#define CLP_SCAN_PLAN_H

#include "scan_form.h"

/** Where segments begin: values are those of CLP_HEADS in cl/scan_heads.cl. */
enum clp_scan_heads { CLP_SCAN_NO_HEADS = 0, CLP_SCAN_FLAGS = 1, CLP_SCAN_KEYS = 2 };

/** In the simd shape arrays of fewer tiles fit caches, and are read twice: one pass gains nothing. */
enum { CLP_SCAN_MANY_TILES = 2048 };

/** Are the outputs of rows of n elements more than caches keep for whoever reads them next? */
static inline bool clp_scan_streams(const struct clp_scan_form *form, size_t rows, size_t n) {
    return n >= (32 << 20) / form->result_size / (rows ? rows : 1);
}

/** The schedules of short rows, cl/scan_block.cl. */
static inline bool clp_scan_in_block(clp_schedule schedule) {
    return schedule == CLP_SCHEDULE_HILLIS_STEELE || schedule == CLP_SCHEDULE_BLELLOCH;
}

/** Everything a call needs to know before it enqueues. */
struct clp_scan_plan {
    struct clp_scan_form form;
    struct clp_variant *variant;
    clp_schedule schedule;
    size_t tiles;   /* of a row */
    size_t scratch; /* accumulators of a row */
    size_t chunk;   /* tiles that a team takes at a time */
    size_t teams;   /* that work on a row */
    size_t groups;  /* work-groups of the launches over tiles */
};

/** What decides how a call can be spread. */
struct clp_scan_extent {
    size_t rows, n;
    bool ragged, in_place;
    enum clp_scan_heads heads;
    clp_type head_type; /**< of flags or keys */
};

/** Checks the description, builds the variant, chooses schedule and sizes. */
clp_status clp_scan_make_plan(clp_context *context, const clp_scan_desc *desc, struct clp_scan_extent extent,
                              struct clp_scan_plan *plan);

/** How keys are compared, as CLP_KEY: floats by their place in the order, where −0 is +0 and all NaNs are
 * one. */
const char *clp_scan_comparison(clp_type type);

/** Checks what of a description needs no device, and fills its form. */
clp_status clp_scan_check_types(const clp_scan_desc *desc, struct clp_scan_form *form);

/** Checks the description and fills its form. */
clp_status clp_scan_check_desc(clp_context *context, const clp_scan_desc *desc, enum clp_scan_heads heads,
                               struct clp_scan_form *form);

/** Builds a program of scan: its stem and the names of its kernels, NULL behind them. */
clp_status clp_scan_variant(clp_context *context, const clp_scan_desc *desc, const struct clp_scan_form *form,
                            struct clp_scan_extent extent, const char *stem, const char *const *kernels,
                            struct clp_variant **variant);

/** The arguments of a call. */
struct clp_scan_job {
    clp_buffer in, out;
    clp_rows rows;
    clp_buffer heads; /**< flags or keys: then rows are one */
    enum clp_scan_heads kind;
    clp_type head_type;
};

/** What clp_scan(), clp_scan_rows(), … do. Fills in the job's strides. */
clp_status clp_scan_run(clp_context *context, cl_command_queue queue, const clp_scan_desc *desc,
                        struct clp_scan_job *job, const clp_workspace *workspace, cl_uint num_waits,
                        const cl_event *waits, cl_event *event);

/** Bytes of scratch memory. rows: as in the job, 0 too. */
size_t clp_scan_scratch_size(const struct clp_scan_plan *plan, size_t rows);

/** The launches of a scan in a call that has its scratch memory. The job's strides are filled in, its ranges
 * checked. */
clp_status clp_scan_launch(struct clp_call *call, const struct clp_scan_plan *plan,
                           const struct clp_scan_job *job);

/** What clp_scan_plan(), … do. */
clp_status clp_scan_tell_plan(clp_context *context, const clp_scan_desc *desc, struct clp_scan_extent extent,
                              clp_plan *plan);

/** How many units n elements are, the last one perhaps in part. */
static inline size_t clp_scan_units(size_t n, size_t unit) {
    return n / unit + (n % unit != 0);
}

/** @return words that one pass publishes: of scratch, and of what lies before blocks; see cl/pass.cl */
size_t clp_scan_pass_words(const struct clp_scan_plan *plan, enum clp_scan_heads heads);

#endif

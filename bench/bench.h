/* SPDX-License-Identifier: Apache-2.0 */
/** @file bench.h The parts of `clpatterns bench`: one case, and the records of all. */
#ifndef BENCH_H
#define BENCH_H

#include "limits.h"
#include "machine.h"
#include "measure.h"
#include "patterns.h"

#include <cjson/cJSON.h>
#include <stdio.h>

struct bench_options {
    size_t sizes[32];
    size_t size_count;       /**< 0: the device's own */
    const char *types, *ops; /**< lists; NULL: the pattern's selection */
    size_t offset;           /**< elements in front of the first one */
    bool quick;              /**< --quick: a smaller default size */
    clp_schedule schedule;
    bool peers;
    bool model; /**< print the cost model, measure nothing but the device */
    size_t runs, calls;
    double longest_ms; /**< of one batch of calls */
};

/** Elements of one type: on the host and on the device. Kept from case to case. */
struct bench_data {
    clp_type type;
    enum pattern_layout runs; /**< the layout whose runs they are; LAYOUT_WHOLE: none */
    size_t n, offset;
    void *host;
    cl_mem device;
};

/** One device at work. */
struct bench {
    const struct bench_options *options;
    clp_context *context;
    const clp_device_info *info;
    struct limits limits;
    clp_machine machine; /**< its rate of memory is for reading; each case replaces it by its own run's */
    double copy_bytes_per_second;
    struct bench_data data;
    struct bench_report *report;
};

/** Measures the limits alone, for the record. */
void bench_limits(struct bench *bench);

/** Measures one case of one size with its limit and its peers. */
void bench_case(struct bench *bench, const struct pattern *pattern, const struct pattern_case *what,
                size_t n);
/** Prints the parts of the bound of one case. */
void bench_model_heading(const struct bench *bench);
void bench_model(const struct bench *bench, const struct pattern *pattern, const struct pattern_case *what,
                 size_t n);
void bench_data_free(struct bench_data *data);

/** What a record says besides its times. Zero or NULL: it says nothing of it. */
struct bench_row {
    const char *impl, *pattern, *name, *type, *result;
    size_t n, parts; /**< elements, and the rows or segments that they are; 1: all are one */
    clp_cost cost;
    double bound_ms;      /**< by the cost model, with the rate of this run; 0: unknown */
    const char *bound_by; /**< "bytes", "work" or "span" */
    double limit_gbps;    /**< the device's rate in the same run; 0: no judge for this one */
    const char *limit;    /**< "read" or "copy" */
    const struct subject *subject;
    bool verified;
    const clp_plan *plan;
    const char *skipped; /**< why there are no times */
    bool skipped_always; /**< for that reason, in all cases of this device */
    const char *note;
};

/** All records of one invocation. */
struct bench_report {
    cJSON *json, *devices, *records;
    const char *json_path, *csv_path; /**< NULL: not asked for; "-": standard output */
    const cJSON *device;              /**< the current one's entry in devices */
    cJSON *reference;                 /**< an earlier report to compare with, or NULL */
    bool table;                       /**< print rows as they come */
    bool wrong;                       /**< a row was not verified */
    const char *told[16];             /**< implementations whose absence the table has shown */
};

/** Reads the earlier report. Looks at the other names, so that a bad one costs no measurement, but leaves the
 * files alone until there is something to write. @return false after a message */
bool report_open(struct bench_report *report, const char *json, const char *csv, const char *compare);
void report_device(struct bench_report *report, const clp_device_info *info);
void report_heading(struct bench_report *report);
/** Two records: back to back and single; or one that says why there are none. */
void report_row(struct bench_report *report, const struct bench_row *row);
/** Writes the files, prints the comparison, frees all. @return false after a message */
bool report_close(struct bench_report *report);

/** Rate in GB/s of so many bytes in so many milliseconds. */
double rate_gbps(double bytes, double ms);

#endif

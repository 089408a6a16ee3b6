/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file patterns.h What `check`, `run` and `bench` know of a pattern.
 *
 * A new pattern is one file `bench/<pattern>.c` that fills a struct pattern, one line in the table of
 * patterns.c, its peers in `bench/peers/<pattern>.*`, and its digests in golden.h.
 */
#ifndef PATTERNS_H
#define PATTERNS_H

#include "peers/peers.h"
#include "program.h"

/** How a case parts its elements; each part has a result of its own. */
enum pattern_layout {
    LAYOUT_WHOLE,        /**< all are one */
    LAYOUT_ROWS,         /**< rows of 129280 elements, a vocabulary's; of 1000 if there are less than 2^20 */
    LAYOUT_ROWS_4096,    /**< rows of 4096, the most that a scan by one work-group takes */
    LAYOUT_SEGMENT_ONE,  /**< one segment of all */
    LAYOUT_SEGMENTS_100, /**< segments of 100, the last one of what is left */
    LAYOUT_SEGMENTS_MIXED, /**< segments of 0 … 10^6 by a hash, as many below 1000 as above */
    LAYOUT_FLAGS_ONE,      /**< the same three, told by flags (u8) … */
    LAYOUT_FLAGS_100,
    LAYOUT_FLAGS_MIXED,
    LAYOUT_KEYS_ONE, /**< … and by keys (u32), which are the segments' numbers */
    LAYOUT_KEYS_5,
    LAYOUT_KEYS_100,
    LAYOUT_KEYS_MIXED,
    LAYOUT_FLAGS_HALF, /**< no parts: flags by a hash, half of them 1 */
    LAYOUT_RUNS_5,     /**< the elements themselves are runs of equal ones, of 5 … */
    LAYOUT_RUNS_100,   /**< … 100 … */
    LAYOUT_RUNS_MIXED, /**< … or as in mixed segments */
    LAYOUT_RUNS_ONE,   /**< … or all */
    LAYOUT_ZEROS_90,   /**< no parts: nine of ten elements, by a hash, are 0 */
    LAYOUT_EDGES_512   /**< no parts: offsets are the edges of 512 bins (u32) */
};

/** One thing that a pattern does to one element type: what JSON calls `case` and `type`. */
struct pattern_case {
    const char *name; /**< the operator, then mode or layout: "sum", "sum_compensated", "max_rows" */
    clp_type type;    /**< of the input's elements */
    clp_type result;  /**< of the output's elements */
    int operation;    /**< the pattern's own numbers for what it does … */
    int mode;         /**< … and how */
    enum pattern_layout layout;
    bool benched; /**< `bench` takes it when no type and no operator is asked for */
};

/** A case of so many elements and how they are parted (work.c). */
struct pattern_work {
    const struct pattern_case *what;
    size_t n;         /**< elements of all parts: less than was asked for if rows leave a rest */
    size_t parts;     /**< their number */
    size_t columns;   /**< elements of each row; 0: no rows */
    cl_uint *offsets; /**< parts + 1 of segments or runs; NULL: there are none */
    cl_mem on_device; /**< the offsets, after work_upload() */
    void *heads;      /**< n flags or keys; NULL: the layout has none */
    cl_mem heads_on_device;
};

/** Parts n elements. Free it with work_free(), after a failure too. @return NULL or what is wrong */
const char *work_make(struct pattern_work *work, const struct pattern_case *what, size_t n);
/** The type of the layout's flags or keys; CLP_TYPE_INVALID if it has none. */
clp_type work_head_type(enum pattern_layout layout);
/** Are the elements runs of equal ones? */
bool work_has_runs(enum pattern_layout layout);
/** Makes the elements be the layout's runs, if it has any: each becomes what its run's first one is. */
void work_make_runs(const struct pattern_work *work, void *in);
/** Copies the offsets of segments, flags and keys, if there are any, to the device. */
cl_int work_upload(struct pattern_work *work, cl_context context);
void work_free(struct pattern_work *work);
/** Where a part begins; where part work->parts would begin is the end of the last one. */
size_t work_begin(const struct pattern_work *work, size_t part);

/** One call of the library. */
struct pattern_call {
    const struct pattern_work *work;
    clp_context *context;
    cl_command_queue queue;
    clp_schedule schedule;
    clp_buffer in, out;
    clp_buffer count; /**< a u64, of patterns that count */
};

/** A name of its own for `run`, besides the pattern's. */
struct pattern_run {
    const char *name, *summary;
    int (*run)(struct program *program, int argc, char **argv);
};

/** What fills the outputs before a call, so that those which it does not write can be told. */
enum { PATTERN_BLANK = 0xA5 };

/** Which rate of the memory bounds a pattern. */
enum pattern_limit { LIMIT_READ, LIMIT_COPY };

struct pattern {
    const char *name;
    const char *summary; /**< one line for --help */
    enum pattern_limit limit;
    const struct pattern_case *cases; /**< those of one type stand together */
    size_t case_count;
    /** How many outputs there are depends on the elements and is counted on the device. Then results are the
     * outputs, blank behind the last one, and the count, eight bytes. */
    bool counts;
    /** Elements that are written; of a pattern that counts, at most. */
    size_t (*output_count)(const struct pattern_work *work);
    /** Elements that `bench` takes instead of its large default, if that is more; 0: the default. */
    size_t (*usual_size)(const struct pattern_case *what, bool cpu);
    /** Whether `check` runs this schedule, CLP_SCHEDULE_DEFAULT too, and `bench` may be asked for it. */
    bool (*has_schedule)(const struct pattern_case *what, clp_schedule schedule);
    /** Work, span and the fewest bytes, see clpatterns/cost.h. */
    clp_status (*cost)(const struct pattern_work *work, clp_cost *cost);
    /** The same in serial C: the specification. out: pattern_result_size() bytes, blank. */
    void (*reference)(const struct pattern_work *work, const void *in, void *out);
    clp_status (*plan)(const struct pattern_call *call, clp_plan *plan);
    clp_status (*enqueue)(const struct pattern_call *call, cl_event *event);
    /** `run PATTERN …`; argv[0] is a name for messages. NULL: `run` has other names for it. */
    int (*run)(struct program *program, int argc, char **argv);
    const struct pattern_run *more_runs; /**< ends with a name that is NULL; NULL: there are none */
    /** Whether the library promises the reference's bits. If not, near_enough() judges and there is no
     * digest. */
    bool (*exact)(const struct pattern_case *what);
    /** Peers need not be bit-exact either: is `got` near enough to the reference's `expected`? */
    bool (*near_enough)(const struct pattern_work *work, const void *in, const void *expected,
                        const void *got);
    const struct peer *const *peers; /**< ends with NULL */
};

extern const struct pattern *const patterns[]; /**< ends with NULL */

/** @return NULL after a message if there is no such pattern */
const struct pattern *pattern_find(const char *name);

/** Bytes of the results: the outputs, then the count if the pattern counts. */
size_t pattern_result_size(const struct pattern *pattern, const struct pattern_work *work);

enum { PATTERN_LABEL_SIZE = 64 };

/** "sum i32 → i64" in ASCII: "sum i32>i64", or "sum f32" if both types are one. Static per call site. */
const char *pattern_case_label(const struct pattern_case *what, char label[PATTERN_LABEL_SIZE]);

#endif

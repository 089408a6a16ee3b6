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

/** One thing that a pattern does to one element type: what JSON calls `case` and `type`. */
struct pattern_case {
    const char *name; /**< the operator or form: "sum" */
    clp_type type;    /**< of the input's elements */
    clp_type result;  /**< of the output's elements */
    int operation;    /**< the pattern's own number for it */
    bool benched;     /**< `bench` takes it when no type and no operator is asked for */
};

/** One call of the library. */
struct pattern_call {
    const struct pattern_case *what;
    clp_context *context;
    cl_command_queue queue;
    clp_schedule schedule;
    clp_buffer in, out;
    size_t n;
};

/** Which rate of the memory bounds a pattern. */
enum pattern_limit { LIMIT_READ, LIMIT_COPY };

struct pattern {
    const char *name;
    const char *summary; /**< one line for --help */
    enum pattern_limit limit;
    unsigned schedules; /**< that it has: bits 1 << clp_schedule; 0: levels, fused and single */
    const struct pattern_case *cases;
    size_t case_count;
    /** Elements that are written for n that are read. */
    size_t (*output_count)(const struct pattern_case *what, size_t n);
    /** Work, span and the fewest bytes, see clpatterns/cost.h. */
    clp_status (*cost)(const struct pattern_case *what, size_t n, clp_cost *cost);
    /** The same in serial C: the specification. */
    void (*reference)(const struct pattern_case *what, const void *in, size_t n, void *out);
    clp_status (*plan)(const struct pattern_call *call, clp_plan *plan);
    clp_status (*enqueue)(const struct pattern_call *call, cl_event *event);
    /** `run PATTERN …`; argv[0] is a name for messages. */
    int (*run)(struct program *program, int argc, char **argv);
    /** Peers need not be bit-exact: is `got` near enough to the reference's `expected`? */
    bool (*peer_is_right)(const struct pattern_case *what, const void *in, size_t n, const void *expected,
                          const void *got);
    const struct peer *const *peers; /**< ends with NULL */
};

extern const struct pattern *const patterns[]; /**< ends with NULL */

/** @return NULL after a message if there is no such pattern */
const struct pattern *pattern_find(const char *name);

/** "sum i32 → i64" in ASCII: "sum i32>i64", or "sum f32" if both types are one. Static per call site. */
const char *pattern_case_label(const struct pattern_case *what, char label[48]);

#endif

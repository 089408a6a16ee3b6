/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file measure.h Fair timing of several implementations of one thing.
 *
 * All take turns: run 1 of each, then run 2 of each, … so that a change of clock or load meets all alike.
 * Each run measures (a) many calls back to back, their time divided by their number, and (b) single calls,
 * each with its wait. Before every measurement one call warms caches and workers, unmeasured.
 */
#ifndef MEASURE_H
#define MEASURE_H

#include <stddef.h>

enum { MEASURE_MAX_SAMPLES = 512, MEASURE_SINGLES = 5 };

struct samples {
    double ms[MEASURE_MAX_SAMPLES];
    size_t count;
};

/** Median, minimum, and the distance of the quartiles over the median. All 0 without samples. */
struct summary {
    double median, min, spread;
};

struct summary summarize(const struct samples *samples);

/** Something to be measured. Texts that are returned are static; NULL means success. */
struct subject {
    const char *(*batch)(void *state, size_t calls); /**< starts so many calls, waits for the last */
    double (*event_ms)(void *state); /**< one call by the device's clock; < 0: unknown; or NULL */
    double (*took_ms)(void *state);  /**< the last batch by its own clock; NULL: by ours */
    void *state;
    /* filled in: */
    const char *error;    /**< what went wrong; nothing more is measured then */
    double first_call_ms; /**< the very first call, with its compilation */
    size_t calls;         /**< back to back, in a run */
    struct samples back_to_back, single, events;
};

/**
 * @param runs   how often each takes its turn
 * @param calls  back to back; fewer (5 at least) if they would take longer than longest_ms
 */
void measure(struct subject *const *subjects, size_t count, size_t runs, size_t calls, double longest_ms);

#endif

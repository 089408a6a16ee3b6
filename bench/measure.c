/* SPDX-License-Identifier: Apache-2.0 */
#include "measure.h"
#include "program.h"

#include <stdlib.h>
#include <string.h>

static int compare_doubles(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

struct summary summarize(const struct samples *samples) {
    double sorted[MEASURE_MAX_SAMPLES];
    const size_t n = samples->count;
    struct summary summary = {0};
    if (n == 0)
        return summary;
    memcpy(sorted, samples->ms, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, compare_doubles);
    summary.min = sorted[0];
    summary.median = n % 2 == 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
    if (summary.median > 0)
        summary.spread = (sorted[(3 * (n - 1) + 2) / 4] - sorted[(n - 1) / 4]) / summary.median;
    return summary;
}

static void add(struct samples *samples, double ms) {
    if (samples->count < MEASURE_MAX_SAMPLES && ms >= 0)
        samples->ms[samples->count++] = ms;
}

/* One batch by the host's clock; negative after an error. */
static double timed(struct subject *subject, size_t calls) {
    const double start = clock_ms();
    subject->error = subject->batch(subject->state, calls);
    if (subject->error != NULL)
        return -1;
    return subject->took_ms != NULL ? subject->took_ms(subject->state) : clock_ms() - start;
}

/* The first call compiles; the ones after it tell how many calls fit into a run. */
static void warm(struct subject *subject, size_t calls, double longest_ms) {
    double once = 1e30;
    subject->first_call_ms = timed(subject, 1);
    for (int i = 0; i < 3 && subject->error == NULL; i++) {
        const double took = timed(subject, 1);
        once = took < once ? took : once;
    }
    subject->calls = calls;
    if (once * (double)calls > longest_ms)
        subject->calls = once * 5 > longest_ms ? 5 : (size_t)(longest_ms / once);
    if (subject->calls > calls)
        subject->calls = calls;
}

static void one_run(struct subject *subject) {
    (void)timed(subject, 1);
    if (subject->error == NULL)
        add(&subject->back_to_back, timed(subject, subject->calls) / (double)subject->calls);
    for (int i = 0; i < MEASURE_SINGLES && subject->error == NULL; i++)
        add(&subject->single, timed(subject, 1));
    if (subject->error == NULL && subject->event_ms != NULL)
        for (int i = 0; i < MEASURE_SINGLES; i++)
            add(&subject->events, subject->event_ms(subject->state));
}

void measure(struct subject *const *subjects, size_t count, size_t runs, size_t calls, double longest_ms) {
    for (size_t s = 0; s < count; s++)
        if (subjects[s]->error == NULL)
            warm(subjects[s], calls, longest_ms);
    for (size_t run = 0; run < runs; run++)
        for (size_t s = 0; s < count; s++)
            if (subjects[s]->error == NULL)
                one_run(subjects[s]);
}

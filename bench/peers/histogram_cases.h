/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file histogram_cases.h What a case of histogram counts, by its name: what histogram.c and its peers must
 * agree on.
 *
 * Names: `bytes` for all values of a byte; `even_N` for N even bins; `edges_N` for N bins of custom edges;
 * then the layout or `_weights`. Custom edges are powers of two times 1 to 2 (u32), which lie denser at the
 * small end.
 */
#ifndef HISTOGRAM_CASES_H
#define HISTOGRAM_CASES_H

#include <clpatterns/types.h>

#include <stdlib.h>
#include <string.h>

/** Even bins of floats: about all of the uniform set, which lies between −256 and 256. */
#define HISTOGRAM_LOW  (-250)
#define HISTOGRAM_HIGH 250

/** Does the name begin with this word? */
static inline int histogram_is(const char *name, const char *word) {
    return strncmp(name, word, strlen(word)) == 0;
}

static inline size_t histogram_bins(const char *name) {
    const char *number = strchr(name, '_');
    return histogram_is(name, "bytes") || number == NULL ? 256 : (size_t)atol(number + 1);
}

/** Edge k of n + 1 custom ones: 32 steps to the next power of two, from 2^32 / 2^(n / 32) on. */
static inline cl_uint histogram_edge(size_t n, size_t k) {
    const size_t before = n - k;
    if (before == 0)
        return 0xffffffffu;
    return (cl_uint)(((cl_ulong)(63 - (before - 1) % 32) << 26) >> ((before - 1) / 32));
}

#endif

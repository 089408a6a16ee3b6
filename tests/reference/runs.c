/* SPDX-License-Identifier: Apache-2.0 */
/* Runs, serially: the specification of clp_run_length_encode() and clp_reduce_by_key(). */
#include "reference.h"

#include <stdlib.h>
#include <string.h>

size_t ref_run_length_encode(clp_type type, const void *in, size_t n, void *values, uint64_t *lengths,
                             uint64_t *offsets) {
    const size_t size = clp_type_size(type);
    unsigned char *heads = malloc(n + 1);
    size_t runs = 0;
    if (!heads)
        abort();
    ref_heads(type, in, n, heads);
    for (size_t i = 0; i < n; i++)
        if (heads[i]) {
            memcpy((char *)values + runs * size, (const char *)in + i * size, size);
            offsets[runs] = i;
            lengths[runs++] = 1;
        } else {
            lengths[runs - 1]++;
        }
    free(heads);
    return runs;
}

size_t ref_reduce_by_key(const clp_scan_desc *desc, clp_type key_type, const void *keys, const void *in,
                         size_t n, void *unique, void *totals) {
    const size_t size = clp_type_size(key_type), total_size = clp_type_size(clp_scan_result_type(desc));
    unsigned char *heads = malloc(n + 1);
    char *scanned = malloc(n * total_size + 1);
    size_t runs = 0;
    if (!heads || !scanned)
        abort();
    ref_heads(key_type, keys, n, heads);
    ref_scan_by_flags(desc, NULL, in, heads, n, scanned);
    for (size_t i = 0; i < n; i++) {
        if (heads[i])
            memcpy((char *)unique + runs++ * size, (const char *)keys + i * size, size);
        /* The last one of the run stays. */
        memcpy((char *)totals + (runs - 1) * total_size, scanned + i * total_size, total_size);
    }
    free(heads), free(scanned);
    return runs;
}

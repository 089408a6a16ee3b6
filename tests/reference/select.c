/* SPDX-License-Identifier: Apache-2.0 */
/* Select, serially: elements are moved one after the other. */
#include "reference.h"

#include <string.h>

size_t ref_select(const unsigned char *flags, size_t n, size_t size, const void *in, void *out) {
    const unsigned char *from = in;
    unsigned char *to = out;
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (flags[i])
            memcpy(to + kept++ * size, from + i * size, size);
    return kept;
}

/* The bits of an integer or float, such that equal keys are equal bits: one zero, one NaN. */
static uint64_t key_at(clp_type type, const unsigned char *element) {
    static const struct {
        uint64_t infinity, sign;
    } floats[] = {[CLP_F16] = {0x7c00, 0x8000},
                  [CLP_BF16] = {0x7f80, 0x8000},
                  [CLP_F32] = {0x7f800000, 0x80000000},
                  [CLP_F64] = {0x7ff0000000000000, 0x8000000000000000}};
    uint64_t bits = 0;
    memcpy(&bits, element, clp_type_size(type)); /* little-endian, as OpenCL's devices */
    if (type < CLP_F16)
        return bits;
    const uint64_t magnitude = bits & ~floats[type].sign;
    return magnitude > floats[type].infinity ? floats[type].infinity + 1 : magnitude == 0 ? 0 : bits;
}

void ref_heads(clp_type type, const void *in, size_t n, unsigned char *flags) {
    const unsigned char *elements = in;
    const size_t size = clp_type_size(type);
    for (size_t i = 0; i < n; i++)
        flags[i] = i == 0 || key_at(type, elements + i * size) != key_at(type, elements + (i - 1) * size);
}

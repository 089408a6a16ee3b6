/* SPDX-License-Identifier: Apache-2.0 */
/*
 * selftest.cl: does the sub-group back-end exchange what it should, on this device and driver?
 * Launch: any number of work-groups of any multiple of 32 up to CLP_WG_SIZE; CLP_HINT_WG_SIZE must be 0.
 * With g = get_global_size(0): out[d * g + i] is what global work-item i gets, in exchange d, from the one delta
 * further, where delta is 1 << d and at last 31; both halves of a 64-bit exchange are folded into one word.
 */
#include "prelude.cl"
#include "subgroups.cl"

#if CLP_HINT_WG_SIZE
#error "the self-test is launched at several work-group sizes"
#endif

CLP_KERNEL void clp_selftest(__global uint *out)
{
    const uint i = (uint)get_global_id(0), size = (uint)get_global_size(0);
    for (uint d = 0; d < 6; d++) {
        const uint delta = min(1u << d, 31u);
        const uint narrow = clp_down_32(i * 2654435761u, delta);
        const uint2 wide = as_uint2(clp_down_64(as_ulong((uint2)(i * 40503u, i ^ 0x5bd1e995u)), delta));
        out[d * size + i] = narrow ^ (wide.x << 1) ^ (wide.y << 2);
    }
}

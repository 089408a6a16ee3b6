/* SPDX-License-Identifier: Apache-2.0 */
/*
 * selftest.cl: does the sub-group back-end exchange what it should, on this device and driver?
 * out[d * CLP_WG_SIZE + i] is what work-item i gets from the one (1 << d) further, for d in 0 … 4, both
 * halves of a 64-bit exchange folded into one word.
 */
#include "prelude.cl"
#include "subgroups.cl"

CLP_KERNEL void clp_selftest(__global uint *out)
{
    const uint i = (uint)get_local_id(0);
    for (uint d = 0; d < 5; d++) {
        const uint narrow = clp_down_32(i * 2654435761u, 1u << d);
        const uint2 wide = as_uint2(clp_down_64(as_ulong((uint2)(i * 40503u, i ^ 0x5bd1e995u)), 1u << d));
        out[d * CLP_WG_SIZE + i] = narrow ^ (wide.x << 1) ^ (wide.y << 2);
    }
}

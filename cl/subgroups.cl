/* SPDX-License-Identifier: Apache-2.0 */
/*
 * subgroups.cl: how work-items of the simt shape exchange values. The only file that knows widths.
 *
 * CLP_SUBGROUPS   1  local memory: no functions here; patterns bring their own tree
 *                 2  NVIDIA inline PTX. Preconditions: one-dimensional work-groups, CLP_WG_SIZE a
 *                    multiple of 32, called by all 32 work-items of a warp together
 * Each back-end but 1 defines
 *   CLP_SUBGROUP_SIZE              work-items of a sub-group
 *   clp_down_32/64(value, delta)   the value of the work-item delta further in the sub-group
 */
#if CLP_SUBGROUPS == 2
#if CLP_WG_SIZE % 32 != 0
#error "the NVIDIA back-end needs a work-group size that is a multiple of 32"
#endif
#define CLP_SUBGROUP_SIZE 32u

static inline uint clp_down_32(uint value, uint delta)
{
    uint result;
    __asm__ volatile("shfl.sync.down.b32 %0, %1, %2, 0x1f, 0xffffffff;" : "=r"(result) : "r"(value), "r"(delta));
    return result;
}

static inline ulong clp_down_64(ulong value, uint delta)
{
    uint2 half_words = as_uint2(value);
    return as_ulong((uint2)(clp_down_32(half_words.x, delta), clp_down_32(half_words.y, delta)));
}
#elif CLP_SUBGROUPS != 1
#error "unknown CLP_SUBGROUPS"
#endif

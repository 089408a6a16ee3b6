/* SPDX-License-Identifier: Apache-2.0 */
/*
 * subgroups.cl: how work-items of the simt shape exchange values. The only file that knows widths.
 *
 * CLP_SUBGROUPS   1  local memory: no functions here; patterns bring their own tree
 *                 2  NVIDIA inline PTX
 *                 3  KHR: cl_khr_subgroup_shuffle_relative or cl_khr_subgroup_shuffle; OpenCL C 2.0 or 3.0
 *                 4  Intel: cl_intel_subgroups
 *                 5  AMD: built-ins of clang's amdgcn target; wavefronts of 32 or 64
 * Each back-end but 1 defines
 *   CLP_SUBGROUP_SIZE              work-items of a run: an aligned run of so many neighbours by local id lies in
 *                                  one sub-group, in order. A sub-group may hold several runs, and the last
 *                                  sub-group of a work-group fewer than the others
 *   clp_down_32/64(value, delta)   the value of the work-item delta further, delta < CLP_SUBGROUP_SIZE; any
 *                                  value if that one is not in the same run
 * Preconditions: one-dimensional work-groups, CLP_WG_SIZE a multiple of CLP_SUBGROUP_SIZE (so that each run is
 * whole), a sub-group size that is one too. The host checks both, the second on the built kernel, and the
 * self-test that local ids map to runs. Call uniformly, by the whole work-group: the sub-group may be all of
 * it, and an exchange a barrier (PoCL).
 */
#if CLP_SUBGROUPS != 1
#define CLP_SUBGROUP_SIZE 32u
#if CLP_WG_SIZE % 32 != 0
#error "a sub-group back-end needs a work-group size that is a multiple of 32"
#endif
#endif

#if CLP_SUBGROUPS == 2

static inline uint clp_down_32(uint value, uint delta)
{
    uint result;
    __asm__ volatile("shfl.sync.down.b32 %0, %1, %2, 0x1f, 0xffffffff;" : "=r"(result) : "r"(value), "r"(delta));
    return result;
}

#elif CLP_SUBGROUPS == 3

#ifdef cl_khr_subgroups /* in OpenCL 3.0 sub-groups are a feature, not an extension */
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#endif

static inline uint clp_down_32(uint value, uint delta)
{
#if defined(cl_khr_subgroup_shuffle_relative)
    return sub_group_shuffle_down(value, delta);
#elif defined(cl_khr_subgroup_shuffle)
    const uint lane = get_sub_group_local_id(), run = lane & ~(CLP_SUBGROUP_SIZE - 1);
    return sub_group_shuffle(value, run + ((lane + delta) & (CLP_SUBGROUP_SIZE - 1)));
#else
#error "the KHR back-end needs cl_khr_subgroup_shuffle_relative or cl_khr_subgroup_shuffle"
#endif
}

#elif CLP_SUBGROUPS == 4

#ifdef cl_intel_subgroups
#pragma OPENCL EXTENSION cl_intel_subgroups : enable
#else
#error "the Intel back-end needs cl_intel_subgroups"
#endif

static inline uint clp_down_32(uint value, uint delta)
{
    return intel_sub_group_shuffle_down(value, value, delta);
}

#elif CLP_SUBGROUPS == 5

static inline uint clp_down_32(uint value, uint delta)
{
    const uint lane = __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0));
    /* Within a run of 32: RDNA's wavefronts of 64 exchange within their halves only. The address is in bytes. */
    const uint from = (lane & ~(CLP_SUBGROUP_SIZE - 1)) + ((lane + delta) & (CLP_SUBGROUP_SIZE - 1));
    return (uint)__builtin_amdgcn_ds_bpermute((int)(from * 4), (int)value);
}

#elif CLP_SUBGROUPS != 1
#error "unknown CLP_SUBGROUPS"
#endif

#if CLP_SUBGROUPS != 1
static inline ulong clp_down_64(ulong value, uint delta)
{
    uint2 half_words = as_uint2(value);
    return as_ulong((uint2)(clp_down_32(half_words.x, delta), clp_down_32(half_words.y, delta)));
}
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * team.cl: a team is what owns a piece of work: a work-item in the simd shape, a work-group in the
 * simt shape. Patterns are written for teams; the shapes differ here and in the innermost folds only.
 *
 *   CLP_TEAM_ID, CLP_TEAM_COUNT, CLP_TEAM_LEADER   which team, how many, is this its first member
 *   clp_team_last(counter, count, total, flag)     tells whether this team brings a counter to total
 *
 * CLP_DEVICE_FENCE   0  none: clp_team_last may only be used when there is one team
 *                    1  OpenCL C 3.0 (or 2.0) atomics with acquire and release at device scope
 *                    2  NVIDIA inline PTX (compute capability 7.0 and newer)
 */
#if CLP_SIMD
#define CLP_TEAM_ID get_global_id(0)
#define CLP_TEAM_COUNT get_global_size(0)
#define CLP_TEAM_LEADER 1
#else
#define CLP_TEAM_ID get_group_id(0)
#define CLP_TEAM_COUNT get_num_groups(0)
#define CLP_TEAM_LEADER (get_local_id(0) == 0)
#endif

/*
 * Adds count to *counter: our writes before it are seen by whoever brings the counter to total, and
 * that one (told by a result of 1) sees everybody's and leaves the counter at 0, as it was found.
 * Nobody waits for anybody, so no progress is assumed of other work-groups.
 */
static inline uint clp_arrive(volatile __global uint *counter, uint count, uint total)
{
    uint before;
#if CLP_DEVICE_FENCE == 2
    __asm__ volatile("fence.acq_rel.gpu;\n\tatom.relaxed.gpu.global.add.u32 %0, [%1], %2;\n\tfence.acq_rel.gpu;"
                     : "=r"(before)
                     : "l"(counter), "r"(count)
                     : "memory");
#elif CLP_DEVICE_FENCE == 1
    before = atomic_fetch_add_explicit((volatile __global atomic_uint *)counter, count, memory_order_acq_rel,
                                       memory_scope_device);
#else
    before = *counter;
    *counter = before + count;
#endif
    if (before + count != total)
        return 0;
    *counter = 0;
    return 1;
}

/*
 * clp_arrive() by the whole team; who brings all of total at once needs no counter. flag: a word of local
 * memory (unused in the simd shape).
 */
static inline uint clp_team_last(volatile __global uint *counter, uint count, uint total, __local uint *flag)
{
#if CLP_SIMD
    (void)flag;
    return count == total || clp_arrive(counter, count, total);
#else
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (count == total)
        return 1;
    if (CLP_TEAM_LEADER)
        *flag = clp_arrive(counter, count, total);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    return *flag;
#endif
}

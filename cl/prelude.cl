/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prelude.cl: what every pattern's program starts with.
 *
 * Base language: OpenCL C 1.2. The host puts these macros in front, as text, so that driver caches
 * see them:
 *   CLP_SIMD           1: simd shape (a work-item owns a tile); 0: simt shape (lanes are work-items)
 *   CLP_SUBGROUPS      back-end for exchange between work-items, see subgroups.cl
 *   CLP_DEVICE_FENCE   how work-groups see each other's writes, see team.cl
 *   CLP_WG_SIZE        work-items of a work-group
 *   CLP_HINT_WG_SIZE   1: tell the compiler CLP_WG_SIZE (helps most, hurts some: host/quirks.c)
 *   CLP_REQD_SUBGROUP  sub-group size to demand of the compiler (cl_intel_required_subgroup_size), 0: none
 * and the macros of the pattern.
 */
#pragma OPENCL FP_CONTRACT OFF

#ifndef CLP_SIMD
#error "CLP_SIMD must be 0 or 1"
#endif
#ifndef CLP_SUBGROUPS
#error "CLP_SUBGROUPS must name a back-end"
#endif
#ifndef CLP_DEVICE_FENCE
#error "CLP_DEVICE_FENCE must be 0, 1 or 2"
#endif
#if !defined(CLP_WG_SIZE) || CLP_WG_SIZE < 1
#error "CLP_WG_SIZE must be at least 1"
#endif
#ifndef CLP_HINT_WG_SIZE
#error "CLP_HINT_WG_SIZE must be 0 or 1"
#endif

#ifndef CLP_REQD_SUBGROUP
#error "CLP_REQD_SUBGROUP must be 0 or a sub-group size"
#endif

#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

/* The canonical tile, a rule for bits: 128 lanes by 32 rows of consecutive elements. */
#define CLP_LANES 128u
#define CLP_LOG2(x) ((x) == 64u ? 6u : 5u) /* of what is left of a tile after its first halving */
#define CLP_ROWS 32u
#define CLP_TILE 4096u

#define CLP_CAT_(a, b) a##b
#define CLP_CAT(a, b) CLP_CAT_(a, b)

#if CLP_HINT_WG_SIZE
#define CLP_KERNEL_SIZE __attribute__((reqd_work_group_size(CLP_WG_SIZE, 1, 1)))
#else
#define CLP_KERNEL_SIZE
#endif
#if CLP_REQD_SUBGROUP
#define CLP_KERNEL __kernel CLP_KERNEL_SIZE __attribute__((intel_reqd_sub_group_size(CLP_REQD_SUBGROUP)))
#else
#define CLP_KERNEL __kernel CLP_KERNEL_SIZE
#endif

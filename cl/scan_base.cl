/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan_base.cl: what all schedules of a scan share: checks of macros, access to memory, tiles in both shapes, and
 * where the totals of a row lie.
 *
 * Macros besides prelude.cl's:
 *   CLP_T, CLP_A, CLP_R    types of elements, accumulators, results; CLP_A_BITS the size of CLP_A
 *   CLP_OP(a, b)           the operator, a the earlier operand
 *   CLP_LOAD, CLP_STORE    names of the conversions T to A and A to R; with 16 appended, of vectors
 *   CLP_EXCLUSIVE          1: an output does not take its own element
 *   CLP_ANY                1: accumulators are clp_any, CLP_OP is a user operator: see user.cl
 *   CLP_HEADS              0: one segment; 1: segments by flags, 2: by keys, see scan_heads.cl
 *   CLP_STEP, CLP_V, CLP_VR   simt shape, see scan_simt.cl
 */
#include "prelude.cl"
#include "order.cl"
#include "operators.cl"
#include "stores.cl"
#include "user.cl"
#include "subgroups.cl"
#include "team.cl"

#if !defined(CLP_T) || !defined(CLP_A) || !defined(CLP_R) || !defined(CLP_A_BITS)
#error "CLP_T, CLP_A and CLP_R must be types, CLP_A_BITS a number"
#endif
#if !defined(CLP_LOAD) || !defined(CLP_STORE) || !defined(CLP_OP)
#error "CLP_LOAD, CLP_STORE and CLP_OP must be names"
#endif
#if !defined(CLP_EXCLUSIVE) || !defined(CLP_ANY)
#error "CLP_EXCLUSIVE and CLP_ANY must be 0 or 1"
#endif
#ifndef CLP_HEADS
#error "CLP_HEADS must be 0, 1 or 2"
#endif
#if !CLP_SIMD && (!defined(CLP_STEP) || !defined(CLP_V) || !defined(CLP_VR))
#error "CLP_STEP, CLP_V and CLP_VR must be numbers"
#endif
#if !CLP_SIMD && CLP_SUBGROUPS != 1 && CLP_ANY
#error "accumulators of any type are exchanged through local memory"
#endif
#if !CLP_SIMD && CLP_SUBGROUPS != 1 && CLP_STEP * 32 > CLP_WG_SIZE
#error "a work-group must hold its chunks"
#endif

#define CLP_GROUP 512u

#if CLP_SIMD && !CLP_ANY
#include "scan_simd.cl"
#endif
/*
 * What tiles are made of, and what kernels take besides: elements as they are, or with heads of segments.
 *   CLP_IN                  type of a source of elements; CLP_FROM(x, i) is the one that begins i elements later
 *   CLP_ELEMENT(x, i)       element i as an accumulator
 *   CLP_OUTPUT(x, i, a)     output i, of the accumulator a
 *   clp_value, CLP_BARE(v)  type of a kernel's argument for an accumulator, and the accumulator
 *   CLP_HEADS_PARAMETERS, CLP_SOURCE(in)   parameters of kernels that read elements, and the source of them and in
 */
#if CLP_HEADS
#include "scan_heads.cl"
#else
#define CLP_IN const __global CLP_T *
#define CLP_FROM(x, i) ((x) + (i))
#define CLP_ELEMENT(x, i) CLP_LOAD((x)[i])
#define CLP_OUTPUT(x, i, a) CLP_STORE(a)
#define clp_value CLP_A
#define CLP_BARE(v) (v)
#define CLP_HEADS_PARAMETERS
#define CLP_SOURCE(in) (in)
#endif
#include "scan_shared.cl" /* CLP_A is now what is scanned, with heads a pair */

#if CLP_SIMD
#if CLP_ANY
#include "scan_any.cl"
#elif CLP_HEADS
#include "scan_heads_simd.cl"
#endif
#define CLP_TEAM_BARRIER()
#else
#include "scan_simt.cl"
#define CLP_TEAM_BARRIER() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#endif

static inline uint clp_tile_count(ulong n, ulong tile) {
    return (uint)min((ulong)CLP_TILE, n - tile * CLP_TILE);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * atomics.cl: joins a value to one in global memory, by an operator, whoever else does so at the same time.
 *   clp_join_OP_T(out, value)   *out = OP(*out, value), for sum, min and max of int, uint, ulong and float.
 *                               Signed integers are summed as unsigned ones; min and max of floats take keys
 *                               (order.cl), and *out is a float
 * Relaxed: orders nothing else.
 *
 *   CLP_ATOMICS64   1: ulong too; the device has cl_khr_int64_base_atomics and cl_khr_int64_extended_atomics
 */
#ifndef CLP_ATOMICS64
#error "CLP_ATOMICS64 must be 0 or 1"
#endif
#if CLP_ATOMICS64
#ifndef cl_khr_int64_base_atomics
#error "CLP_ATOMICS64 needs cl_khr_int64_base_atomics and cl_khr_int64_extended_atomics"
#endif
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#endif

#define clp_join_sum_int(out, value) atomic_add((volatile __global uint *)(out), value)
#define clp_join_min_int(out, value) atomic_min(out, value)
#define clp_join_max_int(out, value) atomic_max(out, value)
#define clp_join_sum_uint(out, value) atomic_add(out, value)
#define clp_join_min_uint(out, value) atomic_min(out, value)
#define clp_join_max_uint(out, value) atomic_max(out, value)
#if CLP_ATOMICS64
#define clp_join_sum_ulong(out, value) atom_add(out, value)
#define clp_join_min_ulong(out, value) atom_min(out, value)
#define clp_join_max_ulong(out, value) atom_max(out, value)
#endif

/*
 * The order of floats by integer atomics on their bits: bits of positive floats ascend as signed integers,
 * those of negative floats descend as unsigned ones, and all negative ones are below as signed and above as
 * unsigned. So each value needs one atomic, whatever the result holds. NaN is 7fc00000, the highest.
 */
static inline void clp_join_max_float(volatile __global float *out, int key) {
    const int bits = as_int(clp_unkey_float(key));
    if (bits >= 0)
        atomic_max((volatile __global int *)out, bits);
    else
        atomic_min((volatile __global uint *)out, as_uint(bits));
}

static inline void clp_join_min_float(volatile __global float *out, int key) {
    const int bits = as_int(clp_unkey_float(key));
    if (bits >= 0)
        atomic_min((volatile __global int *)out, bits);
    else
        atomic_max((volatile __global uint *)out, as_uint(bits));
}

static inline void clp_join_sum_float(volatile __global float *out, float value) {
    volatile __global uint *word = (volatile __global uint *)out;
#if CLP_DEVICE_FENCE == 2
    /*
     * NVIDIA adds floats in memory, so that teams that finish at once do not try in turns. Its atomic flushes
     * denormals: next to values this large they are less than a quarter of the sum's rounding error, and a
     * sum of one of these and a normal number is no denormal. Whoever makes a NaN writes the canonical one
     * behind it, so that the last to add leaves that one.
     */
    if (fabs(value) >= as_float(0x0d800000) /* 2^-100 */ && !isinf(value)) {
        float before;
        __asm__ volatile("atom.global.add.f32 %0, [%1], %2;" : "=f"(before) : "l"(out), "f"(value) : "memory");
        if (isnan(before + value))
            atomic_xchg(word, 0x7fc00000u);
        return;
    }
#endif
    /*
     * An exchange fails only where another team's succeeded in between: at most once for each of the others.
     * A sum that changes nothing, of zeros say, needs none.
     */
    uint before = atomic_or(word, 0u); /* an atomic read */
    for (;;) {
        const uint after = as_uint(clp_canonical_float(as_float(before) + value));
        if (after == before)
            break;
        const uint seen = atomic_cmpxchg(word, before, after);
        if (seen == before)
            break;
        before = seen;
    }
}

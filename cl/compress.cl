/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compress.cl: moving the wanted lanes of a vector to its front, on CPUs whose compiler lets us (clang, AVX-512).
 *
 *   CLP_CAN_COMPRESS         1: these exist
 *   clp_compress16(v, mask)  the lanes of v whose bits are set, in order; then anything
 */
#ifdef __has_builtin
#if __has_builtin(__builtin_ia32_compresssi512_mask) && defined(__AVX512F__)
#define CLP_CAN_COMPRESS 1

static inline uint16 clp_compress16(uint16 v, ushort mask) {
    return as_uint16(__builtin_ia32_compresssi512_mask(as_int16(v), as_int16(v), mask));
}
#endif
#endif
#ifndef CLP_CAN_COMPRESS
#define CLP_CAN_COMPRESS 0
#endif

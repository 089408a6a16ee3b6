/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan_board.cl: values that teams publish for each other while they run; after scan_base.cl.
 *
 *   clp_publish(board, place, value)         a value of a place, once a call
 *   clp_await(board, place, looks, &value)   gets it, if it is there after so many looks
 *
 * A published value is in words of 64 bits, the upper half the call's epoch, the lower half 32 bits of the value; so a
 * word is either there or not, no order of writes matters, and nothing has to be cleared between calls. Values of 64
 * bits have two words, heads (scan_heads.cl) one more.
 *
 * CLP_DROPS   tests: so many publications that one in so many is lost; 0: none
 */
#ifndef CLP_DROPS
#define CLP_DROPS 0
#endif
#if CLP_DROPS
#define CLP_IS_KEPT(place) ((place) % CLP_DROPS != 1)
#else
#define CLP_IS_KEPT(place) ((place) != ~0ul)
#endif

#define CLP_WORDS (CLP_A_BITS / 32 + (CLP_HEADS != 0))
/* Looks at a word before it is given up. */
#define CLP_PATIENCE (CLP_DROPS ? 64u : CLP_SIMD ? 1u << 9 : CLP_SUBGROUPS == 2 ? 1u << 14 : 64u)

#if CLP_DEVICE_FENCE == 2
static inline ulong clp_look(volatile __global ulong *word) {
    ulong value;
    __asm__ volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
    return value;
}

static inline void clp_show(volatile __global ulong *word, ulong value) {
    __asm__ volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
}
#else
#ifndef cl_khr_int64_base_atomics
#error "published values need atomic words of 64 bits"
#endif
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
static inline ulong clp_look(volatile __global ulong *word) {
    return atom_add(word, 0ul);
}

static inline void clp_show(volatile __global ulong *word, ulong value) {
    atom_xchg(word, value);
}
#endif

/* Where values are published, and what of the call they need. */
typedef struct {
    volatile __global ulong *words;
    ulong blocks_at, supers_at, fronts_at;
    uint epoch;
} clp_board;

static inline void clp_publish(clp_board board, ulong place, CLP_A value) {
    const ulong tag = (ulong)board.epoch << 32;
    volatile __global ulong *words = board.words + CLP_WORDS * place;
#if CLP_HEADS
    const clp_value bare = value.value;
    clp_show(words + CLP_WORDS - 1, tag | (uint)value.head);
#else
    const clp_value bare = value;
#endif
#if CLP_A_BITS == 32
    clp_show(words, tag | as_uint(bare));
#else
    const uint2 halves = as_uint2(bare);
    clp_show(words, tag | halves.x);
    clp_show(words + 1, tag | halves.y);
#endif
}

/* Gets a published value. @return 0 if it is not there after so many looks */
static inline uint clp_await(clp_board board, ulong place, uint looks, CLP_A *value) {
    uint halves[CLP_WORDS];
    for (uint i = 0; i < CLP_WORDS; i++) {
        ulong word = clp_look(board.words + CLP_WORDS * place + i);
        for (; (uint)(word >> 32) != board.epoch && looks > 1; looks--)
            word = clp_look(board.words + CLP_WORDS * place + i);
        if ((uint)(word >> 32) != board.epoch)
            return 0;
        halves[i] = (uint)word;
    }
#if CLP_A_BITS == 32
    const uint bits = halves[0];
#else
    const uint2 bits = (uint2)(halves[0], halves[1]);
#endif
#if CLP_HEADS
    *value = clp_headed_of(clp_as_value(bits), (int)halves[CLP_WORDS - 1]);
#else
    *value = clp_as_value(bits);
#endif
    return 1;
}

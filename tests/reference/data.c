/* SPDX-License-Identifier: Apache-2.0 */
/* The canonical data sets: integer arithmetic only, so that every machine makes the same bytes. */
#include "reference.h"

#include <stdbool.h>
#include <string.h>

const char *ref_set_name(ref_set set) {
    static const char *const names[REF_SET_COUNT] = {
        [REF_UNIFORM] = "uniform",     [REF_SMALL] = "small",
        [REF_EQUAL] = "equal",         [REF_SPECIAL] = "special",
        [REF_ZEROS] = "zeros",         [REF_NEGATIVE_ZEROS] = "negative_zeros",
        [REF_NANS] = "nans",           [REF_DENORMALS] = "denormals",
        [REF_ASCENDING] = "ascending", [REF_DESCENDING] = "descending",
    };
    return (unsigned)set < REF_SET_COUNT ? names[set] : "invalid";
}

/* A bijective mixer of 64 bits: the finaliser of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014). */
static uint64_t mix(uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* Bits of a binary float: sign, exponent relative to the bias, mantissa from the top of a 52-bit field. */
struct format {
    unsigned mantissa, exponent;
};

static uint64_t float_bits(struct format f, uint64_t sign, int exponent, uint64_t mantissa52) {
    const uint64_t bias = ((uint64_t)1 << (f.exponent - 1)) - 1;
    return (sign & 1) << (f.exponent + f.mantissa) | (bias + (uint64_t)(int64_t)exponent) << f.mantissa |
           mantissa52 >> (52 - f.mantissa);
}

/* The exact bits of a small whole number. */
static uint64_t whole_bits(struct format f, int value) {
    if (value == 0)
        return 0;
    const uint64_t magnitude = (uint64_t)(value < 0 ? -value : value);
    int exponent = 0;
    while (magnitude >> (exponent + 1))
        exponent++;
    const uint64_t fraction = magnitude ^ ((uint64_t)1 << exponent);
    return float_bits(f, value < 0, exponent, fraction << (52 - exponent));
}

/* Denormals are at most half full, so that a few of them add up to a denormal still. */
static uint64_t float_element(ref_set set, struct format f, uint64_t i) {
    const uint64_t h = mix(i * REF_SET_COUNT + (uint64_t)set);
    const uint64_t sign_bit = (uint64_t)1 << (f.exponent + f.mantissa);
    const uint64_t infinity = (((uint64_t)1 << f.exponent) - 1) << f.mantissa;
    const uint64_t payload = (h & (((uint64_t)1 << f.mantissa) - 1)) | 1;
    const uint64_t ordinary = float_bits(f, h >> 63, (int)(h >> 52 & 15) - 8, h & 0xfffffffffffffu);
    switch (set) {
    case REF_SMALL:
        return whole_bits(f, (int)(h & 15) - 8);
    case REF_EQUAL:
        return float_bits(f, 0, 0, 0x999999999999au); /* 1.6, rounded down */
    case REF_SPECIAL:
        switch (h >> 56 & 15) {
        case 0:
            return 0;
        case 1:
            return sign_bit;
        case 2:
            return infinity | (h >> 60 & 1 ? sign_bit : 0);
        case 3:
            return infinity | payload | (h >> 60 & 1 ? sign_bit : 0);
        default:
            return ordinary;
        }
    case REF_ZEROS:
        return h & 1 ? sign_bit : 0;
    case REF_NEGATIVE_ZEROS:
        return sign_bit;
    case REF_NANS:
        return infinity | payload | (h >> 63 ? sign_bit : 0);
    case REF_DENORMALS:
        return (h & (((uint64_t)1 << (f.mantissa - 1)) - 1)) | (h >> 63 ? sign_bit : 0);
    case REF_ASCENDING: /* positive floats are ordered as their bits are */
        return float_bits(f, 0, 0, 0) + (i >> (f.mantissa < 23 ? 20 : 8));
    case REF_DESCENDING:
        return float_bits(f, 0, 7, 0) - (i >> (f.mantissa < 23 ? 20 : 8));
    default:
        return ordinary;
    }
}

static uint64_t integer_element(ref_set set, unsigned bits, bool is_signed, uint64_t i) {
    const uint64_t h = mix(i * REF_SET_COUNT + (uint64_t)set);
    const uint64_t top = (uint64_t)1 << (bits - 1);
    switch (set) {
    case REF_SMALL:
    case REF_DENORMALS:
        return (h & 15) - (is_signed ? 8 : 0);
    case REF_EQUAL:
        return 0x5a5a5a5a5a5a5a5au;
    case REF_SPECIAL: { /* limits of signed and unsigned types among all values */
        const uint64_t limits[4] = {top, top - 1, 0, ~(uint64_t)0};
        return h >> 60 < 4 ? limits[h >> 60] : h >> 3;
    }
    case REF_ZEROS:
        return h & 1;
    case REF_NEGATIVE_ZEROS:
        return 0;
    case REF_NANS:
        return ~(uint64_t)0;
    case REF_ASCENDING:
        return (i & (top - 1)) + (is_signed ? ~(top / 2) + 1 : 0);
    case REF_DESCENDING:
        return top - 1 - (i & (top - 1));
    default:
        return h >> 7;
    }
}

void ref_fill(ref_set set, clp_type type, size_t first, size_t n, void *out) {
    static const struct format formats[] = {
        [CLP_F16] = {10, 5}, [CLP_BF16] = {7, 8}, [CLP_F32] = {23, 8}, [CLP_F64] = {52, 11}};
    const size_t size = clp_type_size(type);
    const bool is_float = type >= CLP_F16;
    const bool is_signed = type == CLP_I8 || type == CLP_I16 || type == CLP_I32 || type == CLP_I64;
    unsigned char *bytes = out;
    for (size_t i = 0; i < n; i++) {
        const uint64_t element = is_float ? float_element(set, formats[type], first + i)
                                          : integer_element(set, (unsigned)size * 8, is_signed, first + i);
        memcpy(bytes + i * size, &element,
               size); /* the low bytes: little-endian hosts, as OpenCL's devices */
    }
}

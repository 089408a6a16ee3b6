/* SPDX-License-Identifier: Apache-2.0 */
/** @file values.h Elements of any type as numbers, and back, for the references. */
#ifndef CLP_REFERENCE_VALUES_H
#define CLP_REFERENCE_VALUES_H

#include <clpatterns/types.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

static inline uint64_t value_bits(clp_type type, const void *x, size_t i) {
    uint64_t bits = 0;
    memcpy(&bits, (const char *)x + i * clp_type_size(type), clp_type_size(type));
    return bits;
}

static inline bool value_is_signed(clp_type type) {
    return type == CLP_I8 || type == CLP_I16 || type == CLP_I32 || type == CLP_I64;
}

/** A signed integer's value, sign-extended; any other type's bits. */
static inline uint64_t value_integer(clp_type type, const void *x, size_t i) {
    const uint64_t bits = value_bits(type, x, i), sign = (uint64_t)1 << (8 * clp_type_size(type) - 1);
    return value_is_signed(type) ? (bits ^ sign) - sign : bits;
}

/** A float of up to 32 bits, exactly. */
static inline float value_float(clp_type type, const void *x, size_t i) {
    uint32_t bits = (uint32_t)value_bits(type, x, i);
    if (type == CLP_BF16)
        bits <<= 16;
    if (type == CLP_F16) {
        const uint32_t sign = (bits & 0x8000) << 16, exponent = bits >> 10 & 31, mantissa = bits & 0x3ff;
        if (exponent == 0) {
            const float magnitude = (float)mantissa / 16777216;
            return sign ? -magnitude : magnitude;
        }
        bits = sign | (exponent == 31 ? 0x7f800000 : (exponent + 112) << 23) | mantissa << 13;
    }
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/**
 * A float's bits in a 16-bit format with `mantissa` bits below the point and the given exponent range,
 * rounded to nearest even: the spacing of the format around the value is a power of two; divide by it, round,
 * multiply, each exactly but the rounding.
 */
static inline uint32_t value_narrow(float value, int mantissa, int smallest, int largest) {
    const uint32_t sign = signbit(value) ? 0x8000 : 0;
    const uint32_t infinity = (uint32_t)(largest - smallest + 2) << mantissa;
    int exponent;
    if (isinf(value))
        return sign | infinity;
    frexp(value, &exponent); /* value = f · 2^exponent, f in [0.5, 1) */
    if (exponent - 1 < smallest || value == 0)
        exponent = smallest + 1;
    const uint32_t units = (uint32_t)nearbyint(ldexp(fabs((double)value), mantissa + 1 - exponent));
    /* Units of the spacing: with a full mantissa the next exponent follows by itself. */
    const uint32_t bits = ((uint32_t)(exponent - 1 - smallest) << mantissa) + units;
    return sign | (bits < infinity ? bits : infinity);
}

/** Writes a float as element i of an array of the type; every NaN is the canonical one. */
static inline void value_store_float(clp_type type, float value, void *out, size_t i) {
    static const uint32_t nans[] = {[CLP_F16] = 0x7e00, [CLP_BF16] = 0x7fc0, [CLP_F32] = 0x7fc00000};
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (isnan(value))
        bits = nans[type];
    else if (type == CLP_F16)
        bits = value_narrow(value, 10, -14, 15);
    else if (type == CLP_BF16)
        bits = value_narrow(value, 7, -126, 127);
    memcpy((char *)out + i * clp_type_size(type), &bits, clp_type_size(type));
}

static inline void value_store_double(double value, void *out, size_t i) {
    const uint64_t nan = 0x7ff8000000000000;
    memcpy((char *)out + i * sizeof value, isnan(value) ? (const void *)&nan : (const void *)&value,
           sizeof value);
}

static inline uint64_t value_infinity(clp_type type) {
    return type == CLP_F16    ? 0x7c00
           : type == CLP_BF16 ? 0x7f80
           : type == CLP_F32  ? 0x7f800000
                              : 0x7ff0000000000000;
}

/**
 * The order of all types as an order of signed integers (of unsigned ones for CLP_U64). A negative float's
 * key is −1 minus its magnitude's bits; all NaNs are the canonical one.
 */
static inline uint64_t value_key(clp_type type, const void *x, size_t i) {
    if (type < CLP_F16)
        return value_integer(type, x, i);
    const uint64_t sign = (uint64_t)1 << (8 * clp_type_size(type) - 1), infinity = value_infinity(type);
    const uint64_t bits = value_bits(type, x, i), magnitude = bits & ~sign;
    if (magnitude > infinity) /* the quiet bit is the mantissa's first */
        return infinity | (infinity & ~(infinity << 1)) >> 1;
    return bits & sign ? ~magnitude : magnitude;
}

/** Writes the value of a key as element i. */
static inline void value_store_key(clp_type type, uint64_t key, void *out, size_t i) {
    const uint64_t sign = (uint64_t)1 << (8 * clp_type_size(type) - 1);
    const uint64_t bits = type >= CLP_F16 && key >> 63 ? ~key | sign : key;
    memcpy((char *)out + i * clp_type_size(type), &bits, clp_type_size(type));
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#include "elements.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *ref_allocate(size_t size) {
    void *memory = malloc(size);
    if (!memory) {
        fprintf(stderr, "reference: no memory for %zu bytes\n", size);
        abort();
    }
    return memory;
}

bool ref_is_float(clp_type type) {
    return type >= CLP_F16 && type <= CLP_F64;
}

bool ref_is_signed(clp_type type) {
    return type == CLP_I8 || type == CLP_I16 || type == CLP_I32 || type == CLP_I64;
}

uint64_t ref_sign(clp_type type) {
    return (uint64_t)1 << (8 * clp_type_size(type) - 1);
}

uint64_t ref_infinity(clp_type type) {
    return type == CLP_F16    ? 0x7c00
           : type == CLP_BF16 ? 0x7f80
           : type == CLP_F32  ? 0x7f800000
                              : 0x7ff0000000000000;
}

/* ---- reading ------------------------------------------------------------------------------------------- */

uint64_t ref_bits(clp_type type, const void *x, size_t i) {
    uint64_t bits = 0; /* the low bytes: little-endian hosts, as OpenCL's devices */
    memcpy(&bits, (const char *)x + i * clp_type_size(type), clp_type_size(type));
    return bits;
}

int64_t ref_integer(clp_type type, const void *x, size_t i) {
    const uint64_t bits = ref_bits(type, x, i);
    switch (type) {
    case CLP_I8:
        return (int8_t)bits;
    case CLP_I16:
        return (int16_t)bits;
    case CLP_I32:
        return (int32_t)bits;
    default:
        return (int64_t)bits;
    }
}

float ref_float(clp_type type, const void *x, size_t i) {
    uint32_t bits = (uint32_t)ref_bits(type, x, i);
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

double ref_double(clp_type type, const void *x, size_t i) {
    double value;
    if (type != CLP_F64)
        return ref_float(type, x, i);
    memcpy(&value, (const char *)x + i * sizeof value, sizeof value);
    return value;
}

int64_t ref_key(clp_type type, const void *x, size_t i) {
    if (!ref_is_float(type))
        return ref_integer(type, x, i);
    const uint64_t infinity = ref_infinity(type), bits = ref_bits(type, x, i),
                   magnitude = bits & ~ref_sign(type);
    if (magnitude > infinity) /* the quiet bit is the mantissa's first */
        return (int64_t)(infinity | (infinity & ~(infinity << 1)) >> 1);
    return bits & ref_sign(type) ? -1 - (int64_t)magnitude : (int64_t)magnitude;
}

/* ---- writing ------------------------------------------------------------------------------------------- */

/*
 * A float's bits in a 16-bit format with `mantissa` bits below the point and the given exponent range,
 * rounded to nearest even: the spacing of the format around the value is a power of two; divide by it, round,
 * multiply, each exactly but the rounding.
 */
static uint32_t narrow(float value, int mantissa, int smallest, int largest) {
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

void ref_store_float(clp_type result, float value, void *out) {
    static const uint32_t nans[] = {[CLP_F16] = 0x7e00, [CLP_BF16] = 0x7fc0, [CLP_F32] = 0x7fc00000};
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (isnan(value))
        bits = nans[result];
    else if (result == CLP_F16)
        bits = narrow(value, 10, -14, 15);
    else if (result == CLP_BF16)
        bits = narrow(value, 7, -126, 127);
    memcpy(out, &bits, clp_type_size(result));
}

void ref_store_double(clp_type result, double value, void *out) {
    if (result == CLP_F32)
        ref_store_float(CLP_F32, (float)value, out);
    else
        memcpy(out, isnan(value) ? (const void *)&(uint64_t){0x7ff8000000000000} : (const void *)&value, 8);
}

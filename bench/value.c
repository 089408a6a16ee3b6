/* SPDX-License-Identifier: Apache-2.0 */
#include "value.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_signed(clp_type type) {
    return type == CLP_I8 || type == CLP_I16 || type == CLP_I32 || type == CLP_I64;
}

/* The bits of an element, little-endian as everywhere here; a signed integer's sign goes all the way up. */
static uint64_t bits_of(clp_type type, const void *data, size_t i) {
    const size_t size = clp_type_size(type);
    uint64_t bits = 0;
    memcpy(&bits, (const char *)data + i * size, size);
    if (is_signed(type) && size < 8 && bits >> (8 * size - 1) != 0)
        bits |= ~(uint64_t)0 << (8 * size);
    return bits;
}

static double half_value(uint64_t bits) {
    const int exponent = (int)(bits >> 10 & 31), mantissa = (int)(bits & 0x3ff);
    const double magnitude = exponent == 31  ? (mantissa != 0 ? (double)NAN : (double)INFINITY)
                             : exponent == 0 ? ldexp(mantissa, -24)
                                             : ldexp(mantissa | 0x400, exponent - 25);
    return bits & 0x8000 ? -magnitude : magnitude;
}

static double float_value(uint64_t bits) {
    const uint32_t word = (uint32_t)bits;
    float value;
    memcpy(&value, &word, sizeof value);
    return (double)value;
}

double value_of(clp_type type, const void *data, size_t i) {
    const uint64_t bits = bits_of(type, data, i);
    double value;
    switch (type) {
    case CLP_F16:
        return half_value(bits);
    case CLP_BF16:
        return float_value(bits << 16);
    case CLP_F32:
        return float_value(bits);
    case CLP_F64:
        memcpy(&value, &bits, sizeof value);
        return value;
    default:
        return is_signed(type) ? (double)(int64_t)bits : (double)bits;
    }
}

void value_print(clp_type type, const void *data, size_t i) {
    static const int digits[] = {[CLP_F16] = 5, [CLP_BF16] = 4, [CLP_F32] = 9, [CLP_F64] = 17};
    if (type >= CLP_F16 && isnan(value_of(type, data, i)))
        puts("nan"); /* not the sign that printf() shows */
    else if (type >= CLP_F16)
        printf("%.*g\n", digits[type], value_of(type, data, i));
    else if (is_signed(type))
        printf("%lld\n", (long long)bits_of(type, data, i));
    else
        printf("%llu\n", (unsigned long long)bits_of(type, data, i));
}

/* A whole number's bits, if so many bytes hold it. */
static bool parse_integer(clp_type type, const char *text, char **end, uint64_t *bits) {
    const int base = strpbrk(text, "xX") != NULL ? 16 : 10; /* not the octal of a leading 0 */
    const unsigned unused = 64 - 8 * (unsigned)clp_type_size(type);
    if (is_signed(type)) {
        const long long value = strtoll(text, end, base);
        *bits = (uint64_t)value;
        return value >= INT64_MIN >> unused && value <= INT64_MAX >> unused;
    }
    *bits = strtoull(text, end, base);
    return strchr(text, '-') == NULL && *bits <= UINT64_MAX >> unused;
}

bool value_parse(clp_type type, const char *text, void *value) {
    char *end = NULL;
    uint64_t bits = 0;
    bool fits = true;
    errno = 0;
    if (type == CLP_F32) {
        const float number = strtof(text, &end);
        memcpy(&bits, &number, sizeof number);
    } else if (type == CLP_F64) {
        const double number = strtod(text, &end);
        memcpy(&bits, &number, sizeof number);
    } else {
        fits = parse_integer(type, text, &end, &bits) && errno == 0;
    }
    if (!fits || end == text || *end != '\0')
        return false;
    memcpy(value, &bits, clp_type_size(type));
    return true;
}

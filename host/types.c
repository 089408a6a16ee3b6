/* SPDX-License-Identifier: Apache-2.0 */
/* Names and sizes of element types and operators; the version. */
#include "internal.h"

#include <string.h>

#define TEXT_(x) #x
#define TEXT(x)  TEXT_(x)

uint32_t clp_version(void) {
    return CLP_VERSION;
}

const char *clp_version_string(void) {
    return TEXT(CLP_VERSION_MAJOR) "." TEXT(CLP_VERSION_MINOR) "." TEXT(CLP_VERSION_PATCH);
}

static const struct {
    const char *name;
    size_t size;
} types[] = {
    [CLP_TYPE_INVALID] = {"invalid", 0},
    [CLP_I8] = {"i8", 1},
    [CLP_U8] = {"u8", 1},
    [CLP_I16] = {"i16", 2},
    [CLP_U16] = {"u16", 2},
    [CLP_I32] = {"i32", 4},
    [CLP_U32] = {"u32", 4},
    [CLP_I64] = {"i64", 8},
    [CLP_U64] = {"u64", 8},
    [CLP_F16] = {"f16", 2},
    [CLP_BF16] = {"bf16", 2},
    [CLP_F32] = {"f32", 4},
    [CLP_F64] = {"f64", 8},
    [CLP_USER] = {"user", 0},
};
enum { NUM_TYPES = sizeof types / sizeof *types };

static const char *const ops[] = {
    [CLP_OP_INVALID] = "invalid",
    [CLP_SUM] = "sum",
    [CLP_PROD] = "prod",
    [CLP_MIN] = "min",
    [CLP_MAX] = "max",
    [CLP_ARGMIN] = "argmin",
    [CLP_ARGMAX] = "argmax",
    [CLP_AND] = "and",
    [CLP_OR] = "or",
    [CLP_XOR] = "xor",
    [CLP_ALL] = "all",
    [CLP_ANY] = "any",
    [CLP_MEAN] = "mean",
    [CLP_NORM1] = "norm1",
    [CLP_NORM2] = "norm2",
    [CLP_DOT] = "dot",
    [CLP_OP_USER] = "user",
};
enum { NUM_OPS = sizeof ops / sizeof *ops };

cl_ushort clp_float_to_bfloat(cl_float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if ((bits & 0x7fffffffu) > 0x7f800000u)
        return 0x7fc0;
    return (cl_ushort)((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

cl_ushort clp_float_to_half(cl_float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    const uint32_t sign = bits >> 16 & 0x8000u, low = bits & 0x7fffffffu;
    if (low > 0x7f800000u)
        return 0x7e00;
    if (low >= 0x477ff000u) /* rounds to 65520 or more */
        return (cl_ushort)(sign | 0x7c00u);
    if (low >= 0x38800000u) /* a normal half */
        return (cl_ushort)(sign | (low - 0x38000000u + 0x0fffu + (low >> 13 & 1u)) >> 13);
    if (low < 0x33000000u) /* below half of the smallest denormal */
        return (cl_ushort)sign;
    /* A denormal: the significand in units of 2^-24. */
    const uint32_t shift = 126u - (low >> 23), significand = (low & 0x007fffffu) | 0x00800000u;
    const uint32_t whole = significand >> shift, rest = significand & ((1u << shift) - 1u);
    const uint32_t half_unit = 1u << (shift - 1u);
    return (cl_ushort)(sign | (whole + (rest > half_unit || (rest == half_unit && (whole & 1u)))));
}

size_t clp_type_size(clp_type type) {
    return (unsigned)type < NUM_TYPES ? types[type].size : 0;
}

const char *clp_type_name(clp_type type) {
    return (unsigned)type < NUM_TYPES ? types[type].name : types[0].name;
}

clp_type clp_type_from_name(const char *name) {
    for (int i = 1; name && i < NUM_TYPES; i++)
        if (strcmp(types[i].name, name) == 0)
            return (clp_type)i;
    return CLP_TYPE_INVALID;
}

const char *clp_op_name(clp_op op) {
    return (unsigned)op < NUM_OPS && ops[op] ? ops[op] : ops[0];
}

clp_op clp_op_from_name(const char *name) {
    for (int i = 1; name && i < NUM_OPS; i++)
        if (ops[i] && strcmp(ops[i], name) == 0)
            return (clp_op)i;
    return CLP_OP_INVALID;
}

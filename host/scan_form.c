/* SPDX-License-Identifier: Apache-2.0 */
/* The combinations of operator and types that scan has; see cl/operators.cl for the names. */
#include "scan_form.h"

#include <string.h>

/* What the kernels call a type: as it is in memory, its unsigned twin, and its conversions. */
static const struct {
    const char *name, *bits;
    const char *word, *wide; /* to an accumulator of 4 and 8 bytes that wraps */
    const char *cut;         /* from one of 4 bytes to the type */
} types[] = {
    [CLP_I8] = {"char", "uchar", "clp_word_char", "clp_wide_char", "clp_cut_char"},
    [CLP_U8] = {"uchar", "uchar", "convert_uint", "convert_ulong", "clp_cut_uchar"},
    [CLP_I16] = {"short", "ushort", "clp_word_short", "clp_wide_short", "clp_cut_short"},
    [CLP_U16] = {"ushort", "ushort", "convert_uint", "convert_ulong", "clp_cut_ushort"},
    [CLP_I32] = {"int", "uint", "as_uint", "clp_wide_int", "as_int"},
    [CLP_U32] = {"uint", "uint", "clp_same", "convert_ulong", "clp_same"},
    [CLP_I64] = {"long", "ulong", NULL, "as_ulong", "as_long"},
    [CLP_U64] = {"ulong", "ulong", NULL, "clp_same", "clp_same"},
    [CLP_F16] = {.name = "ushort", .bits = "ushort"},
    [CLP_BF16] = {.name = "ushort", .bits = "ushort"},
    [CLP_F32] = {.name = "float", .bits = "uint"},
    [CLP_F64] = {.name = "double", .bits = "ulong"},
};

static bool is_float(clp_type type) {
    return type >= CLP_F16;
}

static bool is_signed(clp_type type) {
    return type == CLP_I8 || type == CLP_I16 || type == CLP_I32 || type == CLP_I64;
}

static void accumulate_in(struct clp_scan_form *form, const char *type, size_t size, const char *load) {
    form->accumulator = type;
    form->accumulator_size = size;
    form->load = load;
}

/* The value of an integer of the type, extended to 64 bits. */
static uint64_t integer_at(clp_type type, const void *value) {
    uint64_t bits = 0;
    const size_t size = clp_type_size(type);
    memcpy(&bits, value, size); /* little-endian, as OpenCL's devices */
    const uint64_t sign = (uint64_t)1 << (8 * size - 1);
    return is_signed(type) ? (bits ^ sign) - sign : bits;
}

/* ---- integers ------------------------------------------------------------------------------------------ */

static bool integer_sum_or_product(const clp_scan_desc *desc, struct clp_scan_form *form) {
    const bool sign = is_signed(desc->type);
    const clp_type word = sign ? CLP_I32 : CLP_U32, wide = sign ? CLP_I64 : CLP_U64;
    form->result = desc->result ? desc->result : desc->type;
    if (form->result != desc->type && form->result != wide &&
        (form->result != word || clp_type_size(desc->type) > 4))
        return false;
    const bool eight = clp_type_size(form->result) == 8;
    accumulate_in(form, eight ? "ulong" : "uint", eight ? 8 : 4,
                  eight ? types[desc->type].wide : types[desc->type].word);
    form->store = types[form->result].cut;
    form->pad.u64 = form->head.u64 = desc->op == CLP_PROD; /* little-endian: the low bytes do for any size */
    form->init.u64 = desc->init ? integer_at(form->result, desc->init) : form->pad.u64;
    return true;
}

static void integer_extreme(const clp_scan_desc *desc, struct clp_scan_form *form) {
    const size_t size = clp_type_size(desc->type);
    const bool max = desc->op == CLP_MAX, sign = is_signed(desc->type);
    const uint64_t top = (uint64_t)1 << (8 * size - 1);
    const uint64_t smallest = sign ? ~top + 1 : 0, largest = sign ? top - 1 : top | (top - 1);
    accumulate_in(form, size > 2 ? types[desc->type].name : "int", size > 4 ? 8 : 4,
                  size > 2 ? "clp_same" : "convert_int");
    form->store = size > 2 ? "clp_same" : types[desc->type].cut;
    form->pad.u64 = form->head.u64 = max ? smallest : largest;
    form->init.u64 = desc->init ? integer_at(desc->type, desc->init) : form->pad.u64;
}

static void bitwise(const clp_scan_desc *desc, struct clp_scan_form *form) {
    const bool eight = clp_type_size(desc->type) == 8;
    accumulate_in(form, eight ? "ulong" : "uint", eight ? 8 : 4,
                  eight ? types[desc->type].wide : types[desc->type].word);
    form->store = types[desc->type].cut;
    form->pad.u64 = form->head.u64 = desc->op == CLP_AND ? ~(uint64_t)0 : 0;
    form->init.u64 = desc->init ? integer_at(desc->type, desc->init) : form->pad.u64;
}

/* ---- floats -------------------------------------------------------------------------------------------- */

/* The key of a float, as cl/order.cl makes it. */
static int64_t key_of(clp_type type, const void *value) {
    static const struct {
        uint64_t infinity, nan;
    } rows[] = {[CLP_F16] = {0x7c00, 0x7e00},
                [CLP_BF16] = {0x7f80, 0x7fc0},
                [CLP_F32] = {0x7f800000, 0x7fc00000},
                [CLP_F64] = {0x7ff0000000000000, 0x7ff8000000000000}};
    const uint64_t bits = integer_at(type, value), sign = (uint64_t)1 << (8 * clp_type_size(type) - 1);
    const uint64_t magnitude = bits & (sign - 1);
    if (magnitude > rows[type].infinity)
        return (int64_t)rows[type].nan;
    return bits & sign ? -1 - (int64_t)magnitude : (int64_t)magnitude;
}

static void float_extreme(const clp_scan_desc *desc, struct clp_scan_form *form) {
    static const struct {
        const char *accumulator, *load, *store;
        size_t size;
        int64_t largest, infinity;
    } rows[] = {
        [CLP_F16] = {"int", "clp_int_key_half", "clp_unkey_16", 4, CL_SHRT_MAX, 0x7c00},
        [CLP_BF16] = {"int", "clp_int_key_bfloat", "clp_unkey_16", 4, CL_SHRT_MAX, 0x7f80},
        [CLP_F32] = {"int", "clp_key_float", "clp_unkey_float", 4, CL_INT_MAX, 0x7f800000},
        [CLP_F64] = {"long", "clp_key_double", "clp_unkey_double", 8, CL_LONG_MAX, 0x7ff0000000000000},
    };
    const bool max = desc->op == CLP_MAX;
    accumulate_in(form, rows[desc->type].accumulator, rows[desc->type].size, rows[desc->type].load);
    form->store = rows[desc->type].store;
    /* Every key, NaN's too, is above the smallest and below the largest integer of its size. */
    form->pad.i64 = max ? -1 - rows[desc->type].largest : rows[desc->type].largest;
    form->head.i64 = max ? -1 - rows[desc->type].infinity : rows[desc->type].infinity;
    form->init.i64 = desc->init ? key_of(desc->type, desc->init) : form->pad.i64;
}

static bool float_sum_or_product(const clp_scan_desc *desc, struct clp_scan_form *form) {
    static const char *const loads[] = {
        [CLP_F16] = "clp_half", [CLP_BF16] = "clp_bfloat", [CLP_F32] = "clp_same", [CLP_F64] = "clp_same"};
    static const char *const stores[] = {[CLP_F16] = "clp_to_half",
                                         [CLP_BF16] = "clp_to_bfloat",
                                         [CLP_F32] = "clp_canonical_float",
                                         [CLP_F64] = "clp_canonical_double"};
    const bool f64 = desc->type == CLP_F64, product = desc->op == CLP_PROD;
    form->result = desc->result ? desc->result : desc->type;
    if (form->result != desc->type && (f64 || form->result != CLP_F32))
        return false;
    accumulate_in(form, f64 ? "double" : "float", f64 ? 8 : 4, loads[desc->type]);
    form->store = stores[form->result];
    /* −0 is the identity of addition, for −0 too; the sum of nothing is +0. */
    if (f64) {
        form->pad.f64 = product ? 1.0 : -0.0;
        form->head.f64 = product ? 1.0 : 0.0;
    } else {
        form->pad.f32 = product ? 1.0f : -0.0f;
        form->head.f32 = product ? 1.0f : 0.0f;
    }
    form->init = form->pad;
    if (desc->init)
        memcpy(&form->init, desc->init, form->accumulator_size);
    return true;
}

/* Bytes of a value of one of the types that the description deals with. */
static size_t size_of(const clp_scan_desc *desc, clp_type type) {
    return type == CLP_USER && desc->user ? desc->user->type_size : clp_type_size(type);
}

/* What the operator computes in is what the result is, unless the element's 16-bit type is asked for. */
static bool user_operator(const clp_scan_desc *desc, struct clp_scan_form *form) {
    static const struct {
        const char *load, *store;
    } floats[] = {[CLP_F16] = {"clp_half", "clp_to_half"},
                  [CLP_BF16] = {"clp_bfloat", "clp_to_bfloat"},
                  [CLP_F32] = {"clp_same", "clp_canonical_float"},
                  [CLP_F64] = {"clp_same", "clp_canonical_double"}};
    const bool small = desc->type == CLP_F16 || desc->type == CLP_BF16, real = clp_type_is_float(desc->type);
    const clp_type computed = small ? CLP_F32 : desc->type;
    const size_t size = size_of(desc, computed);
    if (desc->result && desc->result != computed && desc->result != desc->type)
        return false;
    form->any = true;
    form->result = desc->result ? desc->result : computed;
    form->op = "user_op";
    accumulate_in(form, "clp_any", size, real ? floats[desc->type].load : "clp_same");
    form->store = real ? floats[form->result].store : "clp_same";
    if (desc->user)
        memcpy(form->pad.bytes, desc->user->identity, size);
    form->init = form->head = form->pad;
    if (desc->init)
        memcpy(form->init.bytes, desc->init, size);
    return true;
}

bool clp_scan_form_of(const clp_scan_desc *desc, struct clp_scan_form *form) {
    *form = (struct clp_scan_form){.result = desc->type,
                                   .op = clp_op_name(desc->op),
                                   .f64 = desc->type == CLP_F64,
                                   .exclusive = desc->kind == CLP_SCAN_EXCLUSIVE};
    if ((clp_type_size(desc->type) == 0 && desc->op != CLP_OP_USER) || (desc->user && desc->user->transform))
        return false;
    const bool same = !desc->result || desc->result == desc->type;
    bool exists = true;
    switch (desc->op) {
    case CLP_SUM:
    case CLP_PROD:
        exists = is_float(desc->type) ? float_sum_or_product(desc, form) : integer_sum_or_product(desc, form);
        break;
    case CLP_MIN:
    case CLP_MAX:
        exists = same;
        if (is_float(desc->type))
            float_extreme(desc, form);
        else
            integer_extreme(desc, form);
        break;
    case CLP_AND:
    case CLP_OR:
    case CLP_XOR:
        exists = same && !is_float(desc->type);
        if (exists)
            bitwise(desc, form);
        break;
    case CLP_OP_USER:
        exists = user_operator(desc, form);
        break;
    default:
        exists = false;
    }
    form->element = clp_type_texts[desc->type].name;
    form->stored = clp_type_texts[form->result].name;
    form->element_size = size_of(desc, desc->type);
    form->result_size = size_of(desc, form->result);
    form->scratch_size = form->accumulator_size;
    form->has_head = form->exclusive && !desc->init;
    form->exact =
        desc->op != CLP_OP_USER && (!is_float(desc->type) || desc->op == CLP_MIN || desc->op == CLP_MAX);
    return exists;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The combinations of operator, types and mode that reduction has; see cl/operators.cl for the names. */
#include "reduce_form.h"

/* What the kernels call a type: as it is in memory, and its unsigned twin. 16-bit floats are bits. */
static const struct {
    const char *name, *bits, *format;
} names[] = {
    [CLP_I8] = {"char", "uchar", NULL},       [CLP_U8] = {"uchar", "uchar", NULL},
    [CLP_I16] = {"short", "ushort", NULL},    [CLP_U16] = {"ushort", "ushort", NULL},
    [CLP_I32] = {"int", "uint", NULL},        [CLP_U32] = {"uint", "uint", NULL},
    [CLP_I64] = {"long", "ulong", NULL},      [CLP_U64] = {"ulong", "ulong", NULL},
    [CLP_F16] = {"ushort", "ushort", "half"}, [CLP_BF16] = {"ushort", "ushort", "bfloat"},
    [CLP_F32] = {"float", "uint", "float"},   [CLP_F64] = {"double", "ulong", "double"},
    [CLP_USER] = {"user", "user", NULL},
};

static bool is_float(clp_type type) {
    return type >= CLP_F16;
}

static bool is_signed(clp_type type) {
    return type == CLP_I8 || type == CLP_I16 || type == CLP_I32 || type == CLP_I64;
}

/* Sets the accumulator, and lanes that are accumulators themselves. */
static void accumulate_in(struct clp_reduce_form *form, const char *type, size_t size, const char *load) {
    form->accumulator = form->lane = type;
    form->accumulator_size = size;
    form->load = load;
    form->widen = "clp_same";
}

/* The cut from an integer accumulator to a result of its own size or less. */
static const char *cut(clp_type result, size_t accumulator_size) {
    if (clp_type_size(result) == accumulator_size)
        return result == CLP_I32 ? "as_int" : result == CLP_I64 ? "as_long" : "clp_same";
    switch (result) {
    case CLP_I8:
        return "clp_cut_char";
    case CLP_U8:
        return "clp_cut_uchar";
    case CLP_I16:
        return "clp_cut_short";
    default:
        return "clp_cut_ushort";
    }
}

/* ---- integers ------------------------------------------------------------------------------------------ */

/* Elements as accumulators of 4 or 8 bytes: sign-extended, then unsigned, for sums and products wrap. */
static const char *integer_load(clp_type type, size_t accumulator_size) {
    static const char *const wide[] = {
        [CLP_I8] = "clp_wide_char",  [CLP_U8] = "convert_ulong", [CLP_I16] = "clp_wide_short",
        [CLP_U16] = "convert_ulong", [CLP_I32] = "clp_wide_int", [CLP_U32] = "convert_ulong",
        [CLP_I64] = "as_ulong",      [CLP_U64] = "clp_same",
    };
    static const char *const word[] = {
        [CLP_I8] = "clp_word_char", [CLP_U8] = "convert_uint", [CLP_I16] = "clp_word_short",
        [CLP_U16] = "convert_uint", [CLP_I32] = "as_uint",     [CLP_U32] = "clp_same",
        [CLP_I64] = "clp_same",     [CLP_U64] = "clp_same", /* never: 8 bytes */
    };
    return accumulator_size == 8 ? wide[type] : word[type];
}

/* A lane's 32 rows of small integers fit a type twice as wide, so sums widen once a tile, not once a row. */
static void narrow_lanes(struct clp_reduce_form *form, clp_type type, clp_shape shape) {
    const bool bytes = clp_type_size(type) == 1, wide = form->accumulator_size == 8;
    if (clp_type_size(type) > 2)
        return;
    if (bytes && shape == CLP_SHAPE_SIMD) {
        form->lane = is_signed(type) ? "short" : "ushort";
        form->load = is_signed(type) ? "convert_short" : "convert_ushort";
        form->widen = integer_load(is_signed(type) ? CLP_I16 : CLP_U16, form->accumulator_size);
    } else {
        form->lane = is_signed(type) ? "int" : "uint";
        form->load = is_signed(type) ? "convert_int" : "convert_uint";
        form->widen =
            is_signed(type) ? (wide ? "clp_wide_int" : "as_uint") : (wide ? "convert_ulong" : "clp_same");
    }
}

static bool integer_sum_or_product(const clp_reduce_desc *desc, clp_shape shape,
                                   struct clp_reduce_form *form) {
    const bool sign = is_signed(desc->type);
    const clp_type wide = sign ? CLP_I64 : CLP_U64, word = sign ? CLP_I32 : CLP_U32;
    if (desc->result != CLP_TYPE_INVALID && desc->result != wide && desc->result != desc->type &&
        (desc->result != word || clp_type_size(desc->type) > 4))
        return false;
    form->result = desc->result == CLP_TYPE_INVALID ? wide : desc->result;
    const size_t size = form->result == wide ? 8 : 4;
    accumulate_in(form, size == 8 ? "ulong" : "uint", size, integer_load(desc->type, size));
    form->store = cut(form->result, size);
    form->pad.u64 = form->empty.u64 = desc->op == CLP_PROD; /* little-endian: the low bytes do for any size */
    if (desc->op == CLP_SUM)
        narrow_lanes(form, desc->type, shape);
    return true;
}

static void integer_extreme(const clp_reduce_desc *desc, clp_shape shape, struct clp_reduce_form *form) {
    const clp_type type = desc->type;
    const size_t size = clp_type_size(type);
    const unsigned bits = 8 * (unsigned)size;
    const bool max = desc->op == CLP_MAX, sign = is_signed(type);
    const uint64_t top = (uint64_t)1 << (bits - 1);
    const uint64_t smallest = sign ? ~top + 1 : 0, largest = sign ? top - 1 : top | (top - 1);
    if (size > 2)
        accumulate_in(form, names[type].name, size, "clp_same");
    else
        accumulate_in(form, "int", 4, "convert_int");
    if (size <= 2 && shape == CLP_SHAPE_SIMD) { /* vectors of the type itself hold more lanes */
        form->lane = names[type].name;
        form->load = "clp_same";
        form->widen = "convert_int";
    }
    form->store = size > 2 ? "clp_same" : cut(type, 4);
    form->pad.u64 = form->empty.u64 = max ? smallest : largest;
}

static void bitwise(const clp_reduce_desc *desc, struct clp_reduce_form *form) {
    const size_t size = clp_type_size(desc->type) == 8 ? 8 : 4;
    const clp_type bits = desc->type == CLP_I8 || desc->type == CLP_U8     ? CLP_U8
                          : desc->type == CLP_I16 || desc->type == CLP_U16 ? CLP_U16
                          : size == 4                                      ? CLP_U32
                                                                           : CLP_U64;
    form->element = form->stored = names[desc->type].bits;
    accumulate_in(form, size == 8 ? "ulong" : "uint", size, integer_load(bits, size));
    form->store = cut(bits, size);
    form->pad.u64 = form->empty.u64 = desc->op == CLP_AND ? ~(uint64_t)0 : 0;
}

/* ---- floats ----------------------------------------------------------------------------------------------
 */

static void float_extreme(const clp_reduce_desc *desc, struct clp_reduce_form *form) {
    static const struct {
        const char *accumulator, *lane, *load, *widen, *store;
        size_t size;
        uint64_t infinity, sign;
    } rows[] = {
        [CLP_F16] = {"int", "short", "clp_key_half", "convert_int", "clp_unkey_16", 4, 0x7c00, 0x8000},
        [CLP_BF16] = {"int", "short", "clp_key_bfloat", "convert_int", "clp_unkey_16", 4, 0x7f80, 0x8000},
        [CLP_F32] = {"int", "int", "clp_key_float", "clp_same", "clp_unkey_float", 4, 0x7f800000, 0x80000000},
        [CLP_F64] = {"long", "long", "clp_key_double", "clp_same", "clp_unkey_double", 8, 0x7ff0000000000000,
                     0x8000000000000000},
    };
    const bool max = desc->op == CLP_MAX;
    accumulate_in(form, rows[desc->type].accumulator, rows[desc->type].size, rows[desc->type].load);
    form->lane = rows[desc->type].lane;
    form->widen = rows[desc->type].widen;
    form->store = rows[desc->type].store;
    /* Every key, NaN's too, is above the smallest and below the largest integer of its size. */
    if (desc->type == CLP_F64)
        form->pad.i64 = max ? CL_LONG_MIN : CL_LONG_MAX;
    else if (desc->type == CLP_F32)
        form->pad.i32 = max ? CL_INT_MIN : CL_INT_MAX;
    else
        form->pad.i32 = max ? CL_SHRT_MIN : CL_SHRT_MAX;
    form->empty.u64 = rows[desc->type].infinity | (max ? rows[desc->type].sign : 0);
}

/* Sums and products of elements, of their absolute values, squares or products. 16-bit floats in f32. */
static bool float_sum_or_product(const clp_reduce_desc *desc, struct clp_reduce_form *form) {
    static const char *const same[] = {
        [CLP_F16] = "clp_half", [CLP_BF16] = "clp_bfloat", [CLP_F32] = "clp_same", [CLP_F64] = "clp_same"};
    static const char *const absolute[] = {[CLP_F16] = "clp_abs_half",
                                           [CLP_BF16] = "clp_abs_bfloat",
                                           [CLP_F32] = "clp_abs_float",
                                           [CLP_F64] = "clp_abs_double"};
    static const char *const square[] = {[CLP_F16] = "clp_square_half",
                                         [CLP_BF16] = "clp_square_bfloat",
                                         [CLP_F32] = "clp_square_float",
                                         [CLP_F64] = "clp_square_double"};
    static const char *const product[] = {[CLP_F16] = "clp_dot_half",
                                          [CLP_BF16] = "clp_dot_bfloat",
                                          [CLP_F32] = "clp_dot_float",
                                          [CLP_F64] = "clp_dot_double"};
    static const char *const store[] = {[CLP_F16] = "clp_to_half",
                                        [CLP_BF16] = "clp_to_bfloat",
                                        [CLP_F32] = "clp_canonical_float",
                                        [CLP_F64] = "clp_canonical_double"};
    static const char *const root[] = {[CLP_F16] = "clp_root_half",
                                       [CLP_BF16] = "clp_root_bfloat",
                                       [CLP_F32] = "clp_root_float",
                                       [CLP_F64] = "clp_root_double"};
    const bool wide = desc->mode == CLP_REDUCE_WIDE, f64 = desc->type == CLP_F64 || wide;
    const clp_type usual = desc->type == CLP_F64 ? CLP_F64 : CLP_F32;
    if (wide && (desc->type != CLP_F32 || desc->op != CLP_SUM))
        return false;
    if (desc->result != CLP_TYPE_INVALID && desc->result != usual && desc->result != desc->type &&
        !(wide && desc->result == CLP_F64))
        return false;
    form->result = desc->result == CLP_TYPE_INVALID ? usual : desc->result;
    const char *const *load = desc->op == CLP_NORM1   ? absolute
                              : desc->op == CLP_NORM2 ? square
                              : desc->op == CLP_DOT   ? product
                                                      : same;
    accumulate_in(form, f64 ? "double" : "float", f64 ? 8 : 4, wide ? "convert_double" : load[desc->type]);
    form->store = wide && form->result == CLP_F32 ? "clp_narrow_double"
                  : desc->op == CLP_NORM2         ? root[form->result]
                                                  : store[form->result];
    form->op = desc->op == CLP_PROD ? "prod" : "sum";
    form->paired = desc->op == CLP_DOT;
    form->f64 = f64;
    /* −0 is the identity of addition, for −0 too; the sum of nothing is +0, the product 1. */
    if (f64)
        form->pad.f64 = desc->op == CLP_PROD ? 1.0 : -0.0;
    else
        form->pad.f32 = desc->op == CLP_PROD ? 1.0f : -0.0f;
    static const uint64_t ones[] = {
        [CLP_F16] = 0x3c00, [CLP_BF16] = 0x3f80, [CLP_F32] = 0x3f800000, [CLP_F64] = 0x3ff0000000000000};
    form->empty.u64 = desc->op == CLP_PROD ? ones[form->result] : 0;
    return true;
}

/* ---- any type --------------------------------------------------------------------------------------------
 */

static bool all_or_any(const clp_reduce_desc *desc, struct clp_reduce_form *form) {
    static const char *const loads[] = {
        [CLP_I8] = "clp_truth_uchar",   [CLP_U8] = "clp_truth_uchar",  [CLP_I16] = "clp_truth_ushort",
        [CLP_U16] = "clp_truth_ushort", [CLP_I32] = "clp_truth_uint",  [CLP_U32] = "clp_truth_uint",
        [CLP_I64] = "clp_truth_ulong",  [CLP_U64] = "clp_truth_ulong", [CLP_F16] = "clp_truth_half",
        [CLP_BF16] = "clp_truth_half",  [CLP_F32] = "clp_truth_float", [CLP_F64] = "clp_truth_double",
    };
    if (desc->result != CLP_TYPE_INVALID && desc->result != CLP_U8)
        return false;
    form->result = CLP_U8;
    if (!is_float(desc->type))
        form->element = names[desc->type].bits;
    accumulate_in(form, "uint", 4, loads[desc->type]);
    form->store = "clp_cut_uchar";
    form->op = desc->op == CLP_ALL ? "and" : "or";
    form->pad.u64 = form->empty.u64 = desc->op == CLP_ALL;
    return true;
}

bool clp_reduce_form_of(const clp_reduce_desc *desc, clp_shape shape, struct clp_reduce_form *form) {
    *form = (struct clp_reduce_form){.result = desc->type,
                                     .element = names[desc->type].name,
                                     .op = clp_op_name(desc->op),
                                     .element_size = clp_type_size(desc->type),
                                     .f64 = desc->type == CLP_F64};
    bool exists = desc->mode == CLP_REDUCE_TREE || desc->mode == CLP_REDUCE_WIDE;
    if (desc->mode == CLP_REDUCE_WIDE && !is_float(desc->type))
        return false;
    if (desc->type == CLP_USER || desc->user || desc->op == CLP_OP_USER || desc->op == CLP_MEAN ||
        desc->op == CLP_ARGMIN || desc->op == CLP_ARGMAX)
        return false;
    switch (desc->op) {
    case CLP_SUM:
    case CLP_PROD:
        exists = exists && (is_float(desc->type) ? float_sum_or_product(desc, form)
                                                 : integer_sum_or_product(desc, shape, form));
        break;
    case CLP_NORM1:
    case CLP_NORM2:
    case CLP_DOT:
        exists = exists && is_float(desc->type) && float_sum_or_product(desc, form);
        break;
    case CLP_MIN:
    case CLP_MAX:
        exists = desc->mode == CLP_REDUCE_TREE && (!desc->result || desc->result == desc->type);
        if (is_float(desc->type))
            float_extreme(desc, form);
        else
            integer_extreme(desc, shape, form);
        break;
    case CLP_AND:
    case CLP_OR:
    case CLP_XOR:
        exists = desc->mode == CLP_REDUCE_TREE && !is_float(desc->type) &&
                 (!desc->result || desc->result == desc->type);
        if (exists)
            bitwise(desc, form);
        break;
    default:
        exists = desc->mode == CLP_REDUCE_TREE && all_or_any(desc, form);
    }
    form->result_size = clp_type_size(form->result);
    if (!form->stored)
        form->stored = names[form->result].name;
    return exists;
}

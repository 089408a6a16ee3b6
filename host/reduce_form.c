/* SPDX-License-Identifier: Apache-2.0 */
/* The combinations of operator, types and mode that reduction has; see cl/operators.cl for the names. */
#include "reduce_form.h"

#include <string.h>

const struct clp_type_text clp_type_texts[CLP_USER + 1] = {
    [CLP_I8] = {"char", "uchar", "char"},       [CLP_U8] = {"uchar", "uchar", "uchar"},
    [CLP_I16] = {"short", "ushort", "short"},   [CLP_U16] = {"ushort", "ushort", "ushort"},
    [CLP_I32] = {"int", "uint", "int"},         [CLP_U32] = {"uint", "uint", "uint"},
    [CLP_I64] = {"long", "ulong", "long"},      [CLP_U64] = {"ulong", "ulong", "ulong"},
    [CLP_F16] = {"ushort", "ushort", "half"},   [CLP_BF16] = {"ushort", "ushort", "bfloat"},
    [CLP_F32] = {"float", "uint", "float"},     [CLP_F64] = {"double", "ulong", "double"},
    [CLP_USER] = {"clp_user_type", NULL, NULL},
};

void clp_reduce_form_accumulate(struct clp_reduce_form *form, const char *type, size_t size,
                                const char *load) {
    form->accumulator = form->lane = form->scalar = type;
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
    /* Two lanes a word. Not for unsigned bytes: NVIDIA's compiler makes code of it that is 1.7 times slower.
     */
    if (bytes && shape == CLP_SHAPE_SIMT && clp_type_is_signed(type)) {
        form->lane = form->scalar = "clp_bytes";
        form->load = "clp_bytes_char";
        form->widen = wide ? "clp_bytes_ulong" : "clp_bytes_uint";
        form->next = "clp_bytes_add";
        form->from = "clp_bytes_from";
        return;
    }
    if (bytes && shape == CLP_SHAPE_SIMD) {
        form->lane = form->scalar = clp_type_is_signed(type) ? "short" : "ushort";
        form->load = clp_type_is_signed(type) ? "convert_short" : "convert_ushort";
        form->widen = integer_load(clp_type_is_signed(type) ? CLP_I16 : CLP_U16, form->accumulator_size);
    } else {
        form->lane = form->scalar = clp_type_is_signed(type) ? "int" : "uint";
        form->load = clp_type_is_signed(type) ? "convert_int" : "convert_uint";
        form->widen = clp_type_is_signed(type) ? (wide ? "clp_wide_int" : "as_uint")
                                               : (wide ? "convert_ulong" : "clp_same");
    }
}

static bool integer_sum_or_product(const clp_reduce_desc *desc, clp_shape shape,
                                   struct clp_reduce_form *form) {
    const bool sign = clp_type_is_signed(desc->type);
    const clp_type wide = sign ? CLP_I64 : CLP_U64, word = sign ? CLP_I32 : CLP_U32;
    if (desc->result != CLP_TYPE_INVALID && desc->result != wide && desc->result != desc->type &&
        (desc->result != word || clp_type_size(desc->type) > 4))
        return false;
    form->result = desc->result == CLP_TYPE_INVALID ? wide : desc->result;
    const size_t size = form->result == wide ? 8 : 4;
    clp_reduce_form_accumulate(form, size == 8 ? "ulong" : "uint", size, integer_load(desc->type, size));
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
    const bool max = desc->op == CLP_MAX, sign = clp_type_is_signed(type);
    const uint64_t top = (uint64_t)1 << (bits - 1);
    const uint64_t smallest = sign ? ~top + 1 : 0, largest = sign ? top - 1 : top | (top - 1);
    if (size > 2)
        clp_reduce_form_accumulate(form, clp_type_texts[type].name, size, "clp_same");
    else
        clp_reduce_form_accumulate(form, "int", 4, "convert_int");
    if (size <= 2 && shape == CLP_SHAPE_SIMD) { /* vectors of the type itself hold more lanes */
        form->lane = form->scalar = clp_type_texts[type].name;
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
    form->element = form->stored = clp_type_texts[desc->type].bits;
    clp_reduce_form_accumulate(form, size == 8 ? "ulong" : "uint", size, integer_load(bits, size));
    form->store = cut(bits, size);
    form->pad.u64 = form->empty.u64 = desc->op == CLP_AND ? ~(uint64_t)0 : 0;
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
    if (!clp_type_is_float(desc->type))
        form->element = clp_type_texts[desc->type].bits;
    clp_reduce_form_accumulate(form, "uint", 4, loads[desc->type]);
    form->store = "clp_cut_uchar";
    form->op = desc->op == CLP_ALL ? "clp_and" : "clp_or";
    form->pad.u64 = form->empty.u64 = desc->op == CLP_ALL;
    return true;
}

/* Index of the best key: the order of floats with −0 equal to +0. */
static bool extreme_place(const clp_reduce_desc *desc, struct clp_reduce_form *form) {
    static const char *const loads[] = {
        [CLP_I8] = "convert_int",        [CLP_U8] = "convert_int",      [CLP_I16] = "convert_int",
        [CLP_U16] = "convert_int",       [CLP_I32] = "clp_same",        [CLP_U32] = "clp_key_uint",
        [CLP_I64] = "clp_same",          [CLP_U64] = "clp_key_ulong",   [CLP_F16] = "clp_place_half",
        [CLP_BF16] = "clp_place_bfloat", [CLP_F32] = "clp_place_float", [CLP_F64] = "clp_place_double",
    };
    const bool min = desc->op == CLP_ARGMIN;
    if (desc->result != CLP_TYPE_INVALID && desc->result != CLP_U64 && desc->result != CLP_U32)
        return false;
    form->kind = CLP_KIND_PLACE;
    form->result = desc->result == CLP_TYPE_INVALID ? CLP_U64 : desc->result;
    form->wide_place = clp_type_size(desc->type) == 8;
    clp_reduce_form_accumulate(form, "clp_pair", 16, loads[desc->type]);
    form->lane = "clp_near";
    form->scalar = form->wide_place ? "long" : "int";
    form->store = form->result == CLP_U64 ? "clp_same" : "convert_uint";
    form->op = min ? "clp_less" : "clp_greater";
    if (form->wide_place)
        form->pad.place.key = min ? CL_LONG_MAX : CL_LONG_MIN;
    else
        form->pad.place.key = min ? CL_INT_MAX : CL_INT_MIN;
    form->pad.place.index = form->empty.u64 = CL_ULONG_MAX;
    return true;
}

/* A mean of integers: their wrapping sum of 64 bits, rounded once, divided. */
static bool integer_mean(const clp_reduce_desc *desc, clp_shape shape, struct clp_reduce_form *form) {
    const bool f32 = desc->result == CLP_F32, sign = clp_type_is_signed(desc->type);
    const clp_reduce_desc sum = {.type = desc->type, .op = CLP_SUM};
    if (desc->result != CLP_TYPE_INVALID && !f32 && desc->result != CLP_F64)
        return false;
    integer_sum_or_product(&sum, shape, form);
    form->op = "clp_sum";
    form->result = f32 ? CLP_F32 : CLP_F64;
    form->f64 = !f32;
    form->mean = true;
    form->store = f32 ? (sign ? "clp_mean_long_float" : "clp_mean_ulong_float")
                      : (sign ? "clp_mean_long_double" : "clp_mean_ulong_double");
    form->empty.u64 = f32 ? 0x7fc00000 : 0x7ff8000000000000;
    return true;
}

/* The caller's operator, on what it computes: the values, 16-bit floats as f32. */
static bool user_operator(const clp_reduce_desc *desc, const clp_user *user, struct clp_reduce_form *form) {
    static const struct {
        const char *load, *store;
    } floats[] = {{"clp_half", "clp_to_half"},
                  {"clp_bfloat", "clp_to_bfloat"},
                  {"clp_same", "clp_canonical_float"},
                  {"clp_same", "clp_canonical_double"}};
    const bool small = desc->type == CLP_F16 || desc->type == CLP_BF16,
               is_float = clp_type_is_float(desc->type);
    const clp_type usual = small ? CLP_F32 : desc->type;
    if (desc->result != CLP_TYPE_INVALID && desc->result != usual && desc->result != desc->type)
        return false;
    form->kind = CLP_KIND_ANY;
    form->result = desc->result == CLP_TYPE_INVALID ? usual : desc->result;
    form->result_size = form->result == CLP_USER ? user->type_size : clp_type_size(form->result);
    clp_reduce_form_accumulate(form, "clp_any",
                               desc->type == CLP_USER ? user->type_size : clp_type_size(usual),
                               is_float ? floats[desc->type - CLP_F16].load : "clp_same");
    form->store = is_float ? floats[form->result - CLP_F16].store : "clp_same";
    form->op = "clp_user_op";
    form->ordered = !(user->promises & CLP_COMMUTATIVE);
    memcpy(form->pad.bytes, user->identity, form->accumulator_size);
    return true;
}

/* The identity as a result. */
static void user_empty(struct clp_reduce_form *form) {
    form->empty = form->pad;
    if (form->result == CLP_F16)
        form->empty.u32 = clp_float_to_half(form->pad.f32);
    else if (form->result == CLP_BF16)
        form->empty.u32 = clp_float_to_bfloat(form->pad.f32);
}

/* The operator on an array of desc->type, without a transform. */
static bool operator_of(const clp_reduce_desc *desc, const clp_context *context,
                        struct clp_reduce_form *form) {
    const clp_shape shape = context ? context->info.shape : CLP_SHAPE_SIMT;
    const bool is_float = clp_type_is_float(desc->type), tree = desc->mode == CLP_REDUCE_TREE;
    const bool same_type = !desc->result || desc->result == desc->type;
    if (desc->op == CLP_OP_USER)
        return tree && user_operator(desc, desc->user, form);
    if (desc->type == CLP_USER || (!tree && !is_float))
        return false;
    switch (desc->op) {
    case CLP_SUM:
    case CLP_PROD:
        return is_float ? clp_reduce_form_float(desc, form) : integer_sum_or_product(desc, shape, form);
    case CLP_MEAN:
        return is_float ? clp_reduce_form_float(desc, form) : integer_mean(desc, shape, form);
    case CLP_NORM1:
    case CLP_NORM2:
    case CLP_DOT:
        return is_float && clp_reduce_form_float(desc, form);
    case CLP_MIN:
    case CLP_MAX:
        if (is_float)
            clp_reduce_form_float_extreme(desc, context, form);
        else
            integer_extreme(desc, shape, form);
        return tree && same_type;
    case CLP_ARGMIN:
    case CLP_ARGMAX:
        return tree && extreme_place(desc, form);
    case CLP_AND:
    case CLP_OR:
    case CLP_XOR:
        if (!tree || is_float || !same_type)
            return false;
        bitwise(desc, form);
        return true;
    default:
        return tree && all_or_any(desc, form);
    }
}

bool clp_reduce_form_of(const clp_reduce_desc *desc, const clp_context *context,
                        struct clp_reduce_form *form) {
    static const char *const ops[] = {
        [CLP_SUM] = "clp_sum", [CLP_PROD] = "clp_prod", [CLP_MIN] = "clp_min", [CLP_MAX] = "clp_max",
        [CLP_AND] = "clp_and", [CLP_OR] = "clp_or",     [CLP_XOR] = "clp_xor"};
    const clp_user *user = desc->user;
    const bool transform = user && user->transform, small = desc->type == CLP_F16 || desc->type == CLP_BF16;
    clp_reduce_desc values = *desc; /* of what is reduced */
    if (transform)
        values.type = user->value ? user->value : small ? CLP_F32 : desc->type;
    *form = (struct clp_reduce_form){.values = values.type,
                                     .result = values.type,
                                     .element = clp_type_texts[values.type].name,
                                     .op = desc->op <= CLP_XOR ? ops[desc->op] : NULL,
                                     .native = desc->type != CLP_USER,
                                     .transform = transform,
                                     .element_size = clp_type_size(values.type),
                                     .f64 = values.type == CLP_F64};
    if (transform && (values.type == CLP_F16 || values.type == CLP_BF16 || desc->op == CLP_DOT))
        return false;
    if (!operator_of(&values, context, form))
        return false;
    form->exact = form->kind == CLP_KIND_PLACE ||
                  (form->kind == CLP_KIND_SCALAR && strcmp(form->accumulator, "float") != 0 &&
                   strcmp(form->accumulator, "double") != 0);
    form->paired = desc->op == CLP_DOT || (transform && user->pair);
    if (form->result != CLP_USER)
        form->result_size = clp_type_size(form->result);
    if (form->kind == CLP_KIND_ANY)
        user_empty(form);
    if (!form->stored)
        form->stored = clp_type_texts[form->result].name;
    if (transform) {
        form->value = form->element;
        form->element = clp_type_texts[desc->type].name;
        form->seen = small ? (desc->type == CLP_F16 ? "clp_half" : "clp_bfloat") : "clp_same";
        form->seen_type = small ? "float" : form->element;
        form->f64 = form->f64 || desc->type == CLP_F64;
    }
    form->element_size = user && desc->type == CLP_USER ? user->type_size : clp_type_size(desc->type);
    return true;
}

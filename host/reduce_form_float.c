/* SPDX-License-Identifier: Apache-2.0 */
/* The combinations of operator, types and mode that reductions of floats have. */
#include "reduce_form.h"

void clp_reduce_form_float_extreme(const clp_reduce_desc *desc, const clp_context *context,
                                   struct clp_reduce_form *form) {
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
    clp_reduce_form_accumulate(form, rows[desc->type].accumulator, rows[desc->type].size, rows[desc->type].load);
    form->lane = form->scalar = rows[desc->type].lane;
    form->widen = rows[desc->type].widen;
    form->store = rows[desc->type].store;
    /* Every key, NaN's too, is above the smallest and below the largest integer of its size. */
    if (desc->type == CLP_F64)
        form->pad.i64 = max ? CL_LONG_MIN : CL_LONG_MAX;
    else if (desc->type == CLP_F32)
        form->pad.u32 = max ? 0x807fffff : 0x7fc00000; /* -inf; NaN, which loses a minimum */
    else
        form->pad.i32 = max ? CL_SHRT_MIN : CL_SHRT_MAX;
    if (desc->type == CLP_F32 && context && context->fence == CLP_FENCE_NVIDIA) {
        form->lane = form->scalar = "float";
        form->load = "clp_same";
        form->next = max ? "clp_float_max" : "clp_float_min";
        form->narrow = "clp_unkey_float";
        form->widen = "clp_key_float";
    }
    form->empty.u64 = rows[desc->type].infinity | (max ? rows[desc->type].sign : 0);
}

/* Where a table has a row for each type, 16-bit floats are computed in f32. */
enum { FIRST = CLP_F16, COUNT = CLP_F64 - CLP_F16 + 1 };
typedef const char *const per_type[COUNT];

static const char *load_of(const clp_reduce_desc *desc) {
    static per_type same = {"clp_half", "clp_bfloat", "clp_same", "clp_same"};
    static per_type absolute = {"clp_abs_half", "clp_abs_bfloat", "clp_abs_float", "clp_abs_double"};
    static per_type square = {"clp_square_half", "clp_square_bfloat", "clp_square_float", "clp_square_double"};
    static per_type product = {"clp_dot_half", "clp_dot_bfloat", "clp_dot_float", "clp_dot_double"};
    if (desc->mode == CLP_REDUCE_WIDE)
        return "convert_double";
    return (desc->op == CLP_NORM1   ? absolute
            : desc->op == CLP_NORM2 ? square
            : desc->op == CLP_DOT   ? product
                                    : same)[desc->type - FIRST];
}

static const char *store_of(const clp_reduce_desc *desc, clp_type result) {
    static per_type store = {"clp_to_half", "clp_to_bfloat", "clp_canonical_float", "clp_canonical_double"};
    static per_type root = {"clp_root_half", "clp_root_bfloat", "clp_root_float", "clp_root_double"};
    static per_type mean = {"clp_mean_half", "clp_mean_bfloat", "clp_mean_float", "clp_mean_double"};
    if (desc->mode == CLP_REDUCE_WIDE && result == CLP_F32)
        return "clp_narrow_double";
    return (desc->op == CLP_NORM2 ? root : desc->op == CLP_MEAN ? mean : store)[result - FIRST];
}

/* Bits of a float type's 1, and of its canonical NaN. */
static const uint64_t ones[COUNT] = {0x3c00, 0x3f80, 0x3f800000, 0x3ff0000000000000};
static const uint64_t nans[COUNT] = {0x7e00, 0x7fc0, 0x7fc00000, 0x7ff8000000000000};

/* Sums and products of elements, of their absolute values, squares or products; means. */
bool clp_reduce_form_float(const clp_reduce_desc *desc, struct clp_reduce_form *form) {
    const bool wide = desc->mode == CLP_REDUCE_WIDE, f64 = desc->type == CLP_F64 || wide;
    const bool product = desc->op == CLP_PROD;
    const clp_type usual = desc->type == CLP_F64 ? CLP_F64 : CLP_F32;
    if ((wide && (desc->type != CLP_F32 || desc->op != CLP_SUM)) || desc->mode == CLP_REDUCE_FAST ||
        (desc->mode == CLP_REDUCE_COMPENSATED && product))
        return false;
    if (desc->result != CLP_TYPE_INVALID && desc->result != usual && desc->result != desc->type &&
        !(wide && desc->result == CLP_F64))
        return false;
    form->result = desc->result == CLP_TYPE_INVALID ? usual : desc->result;
    clp_reduce_form_accumulate(form, f64 ? "double" : "float", f64 ? 8 : 4, load_of(desc));
    form->store = store_of(desc, form->result);
    form->op = product ? "clp_prod" : "clp_sum";
    form->f64 = f64;
    form->mean = desc->op == CLP_MEAN;
    /* −0 is the identity of addition, for −0 too; the sum of nothing is +0, the product 1. */
    if (f64)
        form->pad.f64s[0] = form->pad.f64s[1] = product ? 1.0 : -0.0;
    else
        form->pad.f32s[0] = form->pad.f32s[1] = product ? 1.0f : -0.0f;
    if (desc->mode == CLP_REDUCE_COMPENSATED) {
        form->kind = CLP_KIND_COMPENSATED;
        form->lane = form->accumulator = "clp_pair";
        form->accumulator_size *= 2;
    }
    form->empty.u64 = product ? ones[form->result - FIRST] : form->mean ? nans[form->result - FIRST] : 0;
    return true;
}

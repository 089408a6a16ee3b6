/* SPDX-License-Identifier: Apache-2.0 */
/** @file reduce_form.h How each combination of operator, types and mode of a reduction is computed. */
#ifndef CLP_REDUCE_FORM_H
#define CLP_REDUCE_FORM_H

#include "internal.h"

/** A value of any accumulator or result type, as kernels take it. */
union clp_value {
    cl_int i32;
    cl_uint u32;
    cl_long i64;
    cl_ulong u64;
    cl_float f32;
    cl_double f64;
    cl_float f32s[2];
    cl_double f64s[2];
    struct {
        cl_long key;
        cl_ulong index;
    } place;
    unsigned char bytes[16];
};

/** CLP_KIND of cl/lanes.cl. */
enum clp_kind { CLP_KIND_SCALAR = 0, CLP_KIND_PLACE = 1, CLP_KIND_COMPENSATED = 2, CLP_KIND_ANY = 3 };

/** The macros of cl/reduce.cl for one combination, and the values that go with them. */
struct clp_reduce_form {
    enum clp_kind kind;
    clp_type values; /**< type of what is reduced: of the elements, or of what the transform gives */
    clp_type result;
    const char *element;                   /**< CLP_T */
    const char *seen, *seen_type, *value;  /**< with a transform: CLP_SEEN, CLP_X, CLP_VALUE */
    const char *seen_second;               /**< type of the second array's, NULL: seen_type */
    const char *label;                     /**< what build logs call the transform, NULL: "transform" */
    const char *scalar;                    /**< CLP_LANE: a lane's scalar */
    const char *lane, *accumulator;        /**< CLP_B, CLP_A */
    const char *stored;                    /**< CLP_R */
    const char *load, *widen, *store, *op; /**< CLP_LOAD, CLP_WIDEN, CLP_STORE, CLP_OP */
    const char *next, *narrow, *from;      /**< CLP_NEXT, CLP_NARROW, CLP_FROM, or NULL */
    bool native;                           /**< elements are built-in scalars */
    bool paired;                           /**< takes a second array */
    bool transform, mean, ordered;
    bool exact;      /**< any order of folding gives the same bits */
    bool wide_place; /**< CLP_KIND_PLACE: keys of 64 bits */
    bool f64;        /**< needs doubles */
    size_t element_size, accumulator_size, result_size;
    union clp_value pad;   /**< the operator's identity, as an accumulator */
    union clp_value empty; /**< the result of nothing */
};

/** What kernels call a type: as it is in memory, its unsigned twin, and in names of conversions. */
struct clp_type_text {
    const char *name, *bits, *suffix;
};
extern const struct clp_type_text clp_type_texts[CLP_USER + 1];

static inline bool clp_type_is_float(clp_type type) {
    return type >= CLP_F16 && type <= CLP_F64;
}

static inline bool clp_type_is_signed(clp_type type) {
    return type == CLP_I8 || type == CLP_I16 || type == CLP_I32 || type == CLP_I64;
}

/**
 * Fills the form of a description whose type, operator and user text are valid (clp_user_check()).
 * context: lanes fold in narrower types on CPUs, and by the device's own instructions; NULL: as on any GPU.
 * @return false if the combination does not exist
 */
bool clp_reduce_form_of(const clp_reduce_desc *desc, const clp_context *context,
                        struct clp_reduce_form *form);

/** Sums, products, norms, dots, means of floats, in every mode; desc->type is that of the values. */
bool clp_reduce_form_float(const clp_reduce_desc *desc, struct clp_reduce_form *form);

/** Minimum and maximum of floats, by their keys. */
void clp_reduce_form_float_extreme(const clp_reduce_desc *desc, const clp_context *context,
                                   struct clp_reduce_form *form);

/** Sets the accumulator, and lanes that are accumulators themselves. */
void clp_reduce_form_accumulate(struct clp_reduce_form *form, const char *type, size_t size,
                                const char *load);

/** CLP_INVALID_ARGUMENT, …, unless the user text is complete for an operator on elements of a type. */
clp_status clp_user_check(const clp_user *user, clp_type type, clp_op op);

/** Writes the text that takes the place of cl/user.cl, NULL in *text if there is none. Free it. */
clp_status clp_user_text(const clp_user *user, const struct clp_reduce_form *form, char **text);

#endif

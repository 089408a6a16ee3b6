/* SPDX-License-Identifier: Apache-2.0 */
/* What a description of a selection means. */
#include "select_form.h"

#include <stdio.h>
#include <string.h>

static size_t size_of(const clp_select_desc *desc, clp_type type) {
    return type == CLP_USER && desc->user ? desc->user->type_size : clp_type_size(type);
}

static bool is_type(clp_type type) {
    return strcmp(clp_type_name(type), "invalid") != 0;
}

/* CLP_U32, CLP_U64 or nothing. */
static bool is_index(clp_type type) {
    return type == CLP_TYPE_INVALID || type == CLP_U32 || type == CLP_U64;
}

static clp_status check_user(const clp_select_desc *desc) {
    const clp_user *user = desc->user;
    if (user &&
        (user->op || user->identity || user->transform || user->value || user->pair || user->promises))
        return clp_fail(CLP_UNSUPPORTED, "a selection's user text has declarations and a type only");
    clp_status status = clp_user_check(user, desc->type, CLP_SUM);
    if (status == CLP_SUCCESS && desc->second == CLP_USER)
        status = clp_user_check(user, CLP_USER, CLP_SUM);
    return status;
}

/* The types and the rest, whatever the call. */
static clp_status check_fields(const clp_context *context, const clp_select_desc *desc) {
    if (!desc)
        return clp_fail(CLP_INVALID_ARGUMENT, "desc is NULL");
    if (!clp_reserved_zero(desc->reserved))
        return clp_fail(CLP_INVALID_ARGUMENT, "desc: a reserved field is not zero");
    if (!is_type(desc->type))
        return clp_fail(CLP_INVALID_TYPE, "desc->type is %d, no element type", (int)desc->type);
    if (desc->second && !is_type(desc->second))
        return clp_fail(CLP_INVALID_TYPE, "desc->second is %d, no element type", (int)desc->second);
    if (!is_index(desc->index) || !is_index(desc->count))
        return clp_fail(CLP_INVALID_TYPE, "desc->index is %d and desc->count %d: u32, u64 or 0",
                        (int)desc->index, (int)desc->count);
    if ((unsigned)desc->schedule > CLP_SCHEDULE_BLELLOCH)
        return clp_fail(CLP_INVALID_MODE, "desc->schedule is %d, no schedule", (int)desc->schedule);
    if (desc->schedule == CLP_SCHEDULE_FUSED || desc->schedule > CLP_SCHEDULE_ONE_PASS)
        return clp_fail(CLP_UNSUPPORTED, "a selection has the schedules levels, single and one pass");
    if ((desc->type == CLP_F64 || desc->second == CLP_F64) && context && !context->info.has_f64)
        return clp_fail(CLP_DEVICE_UNSUPPORTED, "%s has no doubles", context->info.name);
    return check_user(desc);
}

clp_status clp_select_form_of(const clp_context *context, const clp_select_desc *desc, bool heads,
                              enum clp_select_others others, struct clp_select_form *form) {
    clp_status status = check_fields(context, desc);
    if (status != CLP_SUCCESS)
        return status;
    if (heads && desc->where)
        return clp_fail(CLP_INVALID_ARGUMENT, "clp_unique() takes no desc->where");
    if (heads && desc->type == CLP_USER)
        return clp_fail(CLP_UNSUPPORTED, "clp_unique() compares built-in types");
    if (!heads && !desc->where && !desc->second)
        return clp_fail(CLP_INVALID_ARGUMENT,
                        "desc->where is NULL and there are no flags: desc->second is 0");
    if (!heads && !desc->where && (desc->second < CLP_I8 || desc->second > CLP_U64))
        return clp_fail(CLP_INVALID_TYPE, "flags are integers: desc->second is %s",
                        clp_type_name(desc->second));
    if (others == CLP_OTHERS_VALUES && !desc->second)
        others = CLP_OTHERS_DROPPED;
    *form = (struct clp_select_form){.by = heads         ? CLP_BY_HEADS
                                           : desc->where ? CLP_BY_TEXT
                                                         : CLP_BY_FLAGS,
                                     .others = others,
                                     .out = desc->index ? desc->index : desc->type,
                                     .count = desc->count ? desc->count : CLP_U64};
    form->element_size = size_of(desc, desc->type);
    form->second_size = desc->second ? size_of(desc, desc->second) : 1;
    form->out_size = size_of(desc, form->out);
    form->count_size = clp_type_size(form->count);
    return CLP_SUCCESS;
}

/* The conversion of a type to what is compared, and what a predicate sees. */
static const char *see(clp_type type) {
    return type == CLP_F16 ? "clp_half" : type == CLP_BF16 ? "clp_bfloat" : "clp_same";
}

void clp_select_defines(const struct clp_select_form *form, clp_type type, clp_type second, bool indices,
                        char *text, size_t size) {
    const clp_type other = second ? second : CLP_U8;
    snprintf(text, size,
             "#define CLP_T %s\n#define CLP_W %s\n#define CLP_BY %d\n#define CLP_SEE %s\n"
             "#define CLP_SEE_SECOND %s\n#define CLP_PAIRED %d\n#define CLP_OUT %s\n#define CLP_INDICES %d\n"
             "#define CLP_OTHERS %d\n#define CLP_OUT_BITS %zu\n#define CLP_C %s\n#define CLP_V %zu\n"
             "#define CLP_SECOND_BITS %zu\n",
             clp_type_texts[type].name, clp_type_texts[other].name, (int)form->by, see(type), see(other),
             second != CLP_TYPE_INVALID, clp_type_texts[form->out].name, indices, (int)form->others,
             8 * form->out_size, clp_type_texts[form->count].name,
             form->element_size <= 16 ? 16 / form->element_size : 1, 8 * form->second_size);
}

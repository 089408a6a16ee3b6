/* SPDX-License-Identifier: Apache-2.0 */
/* User text: checked, and made into the text that takes the place of cl/user.cl. */
#include "reduce_form.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_USER_SIZE = 16 };

static clp_status check_type(const clp_user *user) {
    if ((user->type == NULL) != (user->type_size == 0))
        return clp_fail(CLP_INVALID_ARGUMENT, "user->type is %s but user->type_size is %zu",
                        user->type ? user->type : "NULL", user->type_size);
    if (user->type_size > MAX_USER_SIZE)
        return clp_fail(CLP_INVALID_ARGUMENT, "user->type_size is %zu, more than %d", user->type_size,
                        MAX_USER_SIZE);
    return CLP_SUCCESS;
}

clp_status clp_user_check(const clp_user *user, clp_type type, clp_op op) {
    const bool has_type = user && user->type, has_op = user && user->op;
    if (type == CLP_USER && !has_type)
        return clp_fail(CLP_INVALID_ARGUMENT, "the type is CLP_USER but user->type is NULL");
    if (op == CLP_OP_USER && !has_op)
        return clp_fail(CLP_INVALID_ARGUMENT, "the operator is CLP_OP_USER but user->op is NULL");
    if (!user)
        return CLP_SUCCESS;
    if (!clp_reserved_zero(user->reserved))
        return clp_fail(CLP_INVALID_ARGUMENT, "user: a reserved field is not zero");
    if (user->promises & ~(uint32_t)CLP_COMMUTATIVE)
        return clp_fail(CLP_INVALID_ARGUMENT, "user->promises is %#x, of which not all are known",
                        (unsigned)user->promises);
    if (has_op && op != CLP_OP_USER)
        return clp_fail(CLP_INVALID_ARGUMENT, "user->op is given but the operator is %s", clp_op_name(op));
    if (has_op && !user->identity)
        return clp_fail(CLP_INVALID_ARGUMENT, "user->identity is NULL");
    if (user->value && !user->transform)
        return clp_fail(CLP_INVALID_ARGUMENT, "user->value is given but user->transform is NULL");
    if (user->pair > 1 || (user->pair && !user->transform))
        return clp_fail(CLP_INVALID_ARGUMENT, "user->pair is %u, user->transform is %s", (unsigned)user->pair,
                        user->transform ? "given" : "NULL");
    if (user->value && strcmp(clp_type_name(user->value), "invalid") == 0)
        return clp_fail(CLP_INVALID_TYPE, "user->value is %d, no element type", (int)user->value);
    if (user->value == CLP_USER && !has_type)
        return clp_fail(CLP_INVALID_ARGUMENT, "user->value is CLP_USER but user->type is NULL");
    return check_type(user);
}

/* ---- what is kept of user text --------------------------------------------------------------------------
 */

/* The same text, or neither is any. */
static bool same_text(const char *a, const char *b) {
    return a == b || (a && b && strcmp(a, b) == 0);
}

bool clp_user_same(const clp_user *a, const clp_user *b) {
    static const clp_user none;
    a = a ? a : &none;
    b = b ? b : &none;
    return a->type_size == b->type_size && a->value == b->value && a->pair == b->pair &&
           a->promises == b->promises && same_text(a->transform, b->transform) && same_text(a->op, b->op) &&
           same_text(a->type, b->type) && same_text(a->declarations, b->declarations);
}

struct clp_user_kept *clp_user_keep(const clp_user *user, const char *text) {
    struct clp_user_kept kept = {.asked = user ? *user : (clp_user){0}, .text = text};
    kept.asked.identity = NULL; /* goes to kernels as an argument */
    const char **const texts[] = {&kept.text, &kept.asked.declarations, &kept.asked.type, &kept.asked.op,
                                  &kept.asked.transform};
    enum { NUM = sizeof texts / sizeof *texts };
    size_t size = sizeof kept;
    for (int i = 0; i < NUM; i++)
        size += *texts[i] ? strlen(*texts[i]) + 1 : 0;
    struct clp_user_kept *result = malloc(size);
    if (!result)
        return NULL;
    char *to = (char *)(result + 1);
    for (int i = 0; i < NUM; i++) {
        if (!*texts[i])
            continue;
        const size_t length = strlen(*texts[i]) + 1;
        *texts[i] = memcpy(to, *texts[i], length);
        to += length;
    }
    *result = kept;
    return result;
}

/* ---- what kernels get --------------------------------------------------------------------------------- */

clp_status clp_user_text(const clp_user *user, const struct clp_reduce_form *form, char **text) {
    static const char format[] = "#line 1 \"user declarations\"\n%s\n#line 1 \"user type\"\n";
    *text = NULL;
    if (!user || (!user->type && !user->op && !user->transform))
        return CLP_SUCCESS;
    const char *const declarations = user->declarations ? user->declarations : "";
    const char *const transform = user->transform ? user->transform : "", *const op =
                                                                              user->op ? user->op : "";
    const char *const type = user->type ? user->type : "";
    const size_t size =
        sizeof format + strlen(declarations) + 2 * strlen(type) + strlen(op) + strlen(transform) + 1024;
    char *chars = malloc(size);
    if (!chars)
        return clp_fail(CL_OUT_OF_HOST_MEMORY, "no memory for user text");
    size_t length = (size_t)snprintf(chars, size, format, declarations);
    if (user->type)
        length += (size_t)snprintf(chars + length, size - length,
                                   "typedef %s clp_user_type;\n"
                                   "typedef char clp_user_size[sizeof(clp_user_type) == %zu ? 1 : -1];\n",
                                   type, user->type_size);
    if (user->op)
        length += (size_t)snprintf(chars + length, size - length,
                                   "typedef %s clp_any;\n"
                                   "static inline clp_any clp_user_op(const clp_any a, const clp_any b) {\n"
                                   "#line 1 \"user operator\"\nreturn (%s\n); }\n#line 1 \"user.cl\"\n",
                                   form->values == CLP_USER ? "clp_user_type"
                                   : form->values == CLP_F16 || form->values == CLP_BF16
                                       ? "float"
                                       : clp_type_texts[form->values].name,
                                   op);
    if (user->transform)
        snprintf(chars + length, size - length,
                 "static inline %s clp_user_transform(const %s x, const ulong i, const %s s) {\n"
                 "(void)x; (void)i; (void)s;\n"
                 "#line 1 \"user %s\"\nreturn (%s\n); }\n#line 1 \"user.cl\"\n",
                 form->value, form->seen_type, form->seen_second ? form->seen_second : form->seen_type,
                 form->label ? form->label : "transform", transform);
    *text = chars;
    return CLP_SUCCESS;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * user.cl: the place of the caller's text (include/clpatterns/user.h). The host puts in its stead, where there is
 * any, the declarations and then
 *   clp_any                             the type of what the operator computes
 *   clp_user_op(a, b)                   the operator of two clp_any
 *   clp_user_transform(x, i, s)         the transform: of CLP_X (x and s) and ulong to CLP_VALUE
 */
#ifdef CLP_USER_EXAMPLE /* for compile checks: maps x ↦ scale · x + shift, composed */
typedef struct {
    uint scale, shift;
} clp_user_type;
typedef clp_user_type clp_any;

static inline clp_any clp_user_op(const clp_any a, const clp_any b) {
    clp_any both;
    both.scale = a.scale * b.scale;
    both.shift = a.shift * b.scale + b.shift;
    return both;
}
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file user.h User text: operators, transforms and element types of the caller's own, in OpenCL C.
 *
 * All text is scalar OpenCL C 1.2 and sees single elements; the library applies it lane by lane. Its bits are
 * the same on every device if it uses + − × fma, integer operations, comparisons and conversions only: OpenCL
 * leaves division, square roots and the functions of the mathematical library to the vendor. A text that does
 * not compile gives CL_BUILD_PROGRAM_FAILURE; clp_last_build_log() names the lines as "user operator:1", …
 * Text is part of what tells compiled kernels apart: keep it constant, pass what changes as data.
 */
#ifndef CLPATTERNS_USER_H
#define CLPATTERNS_USER_H

#include <clpatterns/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Promises about user text; they are not checked. */
enum {
    CLP_COMMUTATIVE = 1 /**< op(a, b) is op(b, a), bit for bit: the faster tree may be used */
};

/**
 * User text. Zero-initialise it. Strings and identity are read before a call returns. The names that begin
 * with clp_ and CLP_ are the library's.
 */
typedef struct clp_user {
    const char *declarations; /**< in front of all else: types, functions, constants; or NULL */
    const char *type;         /**< what CLP_USER is: the name of a built-in or declared type; or NULL */
    size_t type_size;         /**< its size in bytes, 1 to 16; checked against the compiler's */
    const char *op;           /**< an expression of a (the earlier) and b for CLP_OP_USER: associative */
    const void *identity;     /**< of op: one value of what op computes; op(identity, identity) is identity */
    const char *transform;    /**< an expression of x, its index i (a ulong, 0 for the first element of a row or
                                   segment) and, with pair, s; or NULL: the element itself. f16 and bf16 are seen
                                   as float, all other types as themselves */
    clp_type value;           /**< type that transform gives; 0: what it sees */
    uint32_t pair;            /**< 1: transform takes an element s of a second array too */
    uint32_t promises;        /**< CLP_COMMUTATIVE or 0 */
    uint32_t reserved[8];     /**< must be zero */
} clp_user;

#ifdef __cplusplus
}
#endif

#endif

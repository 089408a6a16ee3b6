/* SPDX-License-Identifier: Apache-2.0 */
/** @file types.h Element types, operators, buffers and workspaces that all patterns share. */
#ifndef CLPATTERNS_TYPES_H
#define CLPATTERNS_TYPES_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
#ifdef __APPLE__
#include <OpenCL/cl.h>
#else
#include <CL/cl.h>
#endif
#include <clpatterns/export.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Element types. 0 is no type, so that a forgotten field is an error. Values never move. */
typedef enum clp_type {
    CLP_TYPE_INVALID = 0,
    CLP_I8 = 1,
    CLP_U8 = 2,
    CLP_I16 = 3,
    CLP_U16 = 4,
    CLP_I32 = 5,
    CLP_U32 = 6,
    CLP_I64 = 7,
    CLP_U64 = 8,
    CLP_F16 = 9,
    CLP_BF16 = 10,
    CLP_F32 = 11,
    CLP_F64 = 12,
    CLP_USER = 13 /**< a type of the caller's, see user.h */
} clp_type;

/** Operators. 0 is no operator. Values never move. */
typedef enum clp_op {
    CLP_OP_INVALID = 0,
    CLP_SUM = 1,
    CLP_PROD = 2,
    CLP_MIN = 3,
    CLP_MAX = 4,
    CLP_ARGMIN = 5, /**< index of the smallest element, the first of equals */
    CLP_ARGMAX = 6,
    CLP_AND = 7, /**< bitwise */
    CLP_OR = 8,
    CLP_XOR = 9,
    CLP_ALL = 10,    /**< is no element zero? A NaN is not zero */
    CLP_ANY = 11,    /**< is an element not zero? */
    CLP_MEAN = 12,   /**< sum divided by the number of elements */
    CLP_NORM1 = 13,  /**< sum of absolute values */
    CLP_NORM2 = 14,  /**< square root of the sum of squares */
    CLP_DOT = 15,    /**< sum of products of two arrays */
    CLP_OP_USER = 16 /**< the caller's, see user.h */
} clp_op;

/** Bytes of one element; 0 for no type, and for CLP_USER, whose size is clp_user.type_size. */
CLP_API size_t clp_type_size(clp_type type);

/** "i32", "f64", …; "invalid" for no type. Static. */
CLP_API const char *clp_type_name(clp_type type);

/** The type of a name as clp_type_name() writes it, CLP_TYPE_INVALID for any other text or NULL. */
CLP_API clp_type clp_type_from_name(const char *name);

/** "sum", "min", …; "invalid" for no operator. Static. */
CLP_API const char *clp_op_name(clp_op op);

/** The operator of a name as clp_op_name() writes it, CLP_OP_INVALID for any other text or NULL. */
CLP_API clp_op clp_op_from_name(const char *name);

/**
 * Where an array starts: a buffer and an offset in elements of the array's type (never bytes), so
 * that any element can be the first one. The caller keeps the buffer; it must live until the call's
 * event is complete.
 */
typedef struct clp_buffer {
    cl_mem mem;
    size_t offset;
} clp_buffer;

/** What a caller's workspace must be aligned to, in bytes, counted from the start of its memory. */
#define CLP_WORKSPACE_ALIGNMENT 256

/**
 * A caller's scratch memory: `size` bytes from byte `offset` of a read-write buffer. How many bytes
 * a call needs, its plan says. The caller keeps it; no other call may use it until this one's event
 * is complete. Its contents need not be cleared and are unspecified afterwards.
 */
typedef struct clp_workspace {
    cl_mem mem;
    size_t offset;
    size_t size;
} clp_workspace;

#ifdef __cplusplus
}
#endif

#endif

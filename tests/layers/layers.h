/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file layers.h What the tests ask of the two OpenCL layers.
 *
 * The OpenCL loader loads them from the environment variable OPENCL_LAYERS (paths with ':' between; the
 * last one sees a call first). It loads them locally, so a test reaches their functions through
 * clp_layers_load(). Both may be used together, in either order, from any number of threads.
 */
#ifndef CLP_LAYERS_H
#define CLP_LAYERS_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define CLP_LAYER_EXPORT __attribute__((visibility("default")))

/** Kinds of objects that the counting layer tells apart. Buffers and sub-buffers are one kind. */
enum clp_kind {
    CLP_KIND_DEVICE, /**< only references from clRetainDevice: devices found by a query are nobody's */
    CLP_KIND_CONTEXT,
    CLP_KIND_QUEUE,
    CLP_KIND_MEM,
    CLP_KIND_PROGRAM,
    CLP_KIND_KERNEL,
    CLP_KIND_EVENT,
    CLP_KIND_COUNT
};

/*
 * The fault layer: fails one call, or all calls from one on, without handing it to the implementation.
 * It counts all calls of calls.h save clRelease*, which it never fails: a caller could do nothing about it.
 * A failed query writes nothing, a failed clCreate* returns NULL, a failed clEnqueue* leaves *event alone.
 */

/** Starts counting at 0; the n-th call from now (1: the next) fails with `status`. n = 0: none fails. */
CLP_LAYER_EXPORT void clp_fault_arm(unsigned n, cl_int status);

/** The same, but every call from the n-th on fails, as when memory has really run out. */
CLP_LAYER_EXPORT void clp_fault_arm_from(unsigned n, cl_int status);

/** Calls seen since the layer was armed last, the failed ones included. */
CLP_LAYER_EXPORT unsigned clp_fault_count(void);

/** How many of them were failed. */
CLP_LAYER_EXPORT unsigned clp_fault_failed(void);

/** The entry point that was failed first since the layer was armed, "" if none was. Static. */
CLP_LAYER_EXPORT const char *clp_fault_last_name(void);

/*
 * The counting layer: references that the application owns, from creates, retains, releases and the
 * events of enqueued commands. Compare references before and after: a forgotten release of an object
 * that the caller keeps too changes no number of live objects.
 */

/** Objects of a kind to which the application holds at least one reference. */
CLP_LAYER_EXPORT size_t clp_count_live(enum clp_kind kind);
CLP_LAYER_EXPORT size_t clp_count_total_live(void);

/** References that the application holds. */
CLP_LAYER_EXPORT size_t clp_count_references(enum clp_kind kind);
CLP_LAYER_EXPORT size_t clp_count_total_references(void);

/** Releases and retains of objects that were not live (one release too many). They are not handed on. */
CLP_LAYER_EXPORT size_t clp_count_misuses(void);

/** Writes one line for each live object: kind, references, the entry point that made it. */
CLP_LAYER_EXPORT void clp_count_report(FILE *to);

/** The functions above as a test calls them. */
struct clp_fault {
    void (*arm)(unsigned n, cl_int status);
    void (*arm_from)(unsigned n, cl_int status);
    unsigned (*count)(void);
    unsigned (*failed)(void);
    const char *(*last_name)(void);
};
struct clp_count {
    size_t (*live)(enum clp_kind kind);
    size_t (*total_live)(void);
    size_t (*references)(enum clp_kind kind);
    size_t (*total_references)(void);
    size_t (*misuses)(void);
    void (*report)(FILE *to);
};

/**
 * Makes the loader load its layers and finds their functions. Either argument may be NULL: not wanted.
 * @return false, with a line on stderr, if a wanted layer is not loaded or sees no calls
 */
bool clp_layers_load(struct clp_fault *fault, struct clp_count *count);

#endif

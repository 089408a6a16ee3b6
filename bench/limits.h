/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file limits.h How fast this device reads, and copies, memory: what every figure is judged against.
 *
 * Our own simple kernels, several forms of each; the fastest one here and now is the limit.
 */
#ifndef LIMITS_H
#define LIMITS_H

#include "patterns.h"

struct limits {
    cl_context context;
    cl_device_id device;
    cl_command_queue queue;
    cl_program program;
    cl_mem in, out, sums;
    size_t bytes; /**< of each of in and out */
    struct limit {
        struct limits *owner;
        enum pattern_limit kind;
        cl_kernel kernel;
        size_t global, local;
        char form[48]; /**< which form won */
    } best[2];         /**< by enum pattern_limit */
};

/** Makes buffers of at most so many bytes, builds the kernels, tries all forms. @return NULL or what failed
 */
const char *limits_open(struct limits *limits, clp_context *context, size_t bytes);
void limits_close(struct limits *limits);

/** Bytes that one call moves. */
double limit_bytes(const struct limit *limit);

/** A batch for measure(): state is a struct limit. */
const char *limit_batch(void *limit, size_t calls);

/** Whether what the kernel read or copied is right. */
bool limit_verify(const struct limit *limit);

#endif

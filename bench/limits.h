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
    cl_command_queue event_queue; /**< with profiling, for event times alone; NULL if the device has none */
    cl_program program;
    cl_mem in, out, sums;
    size_t bytes;        /**< of each of in and out: a power of two */
    size_t bytes_in_use; /**< that a call reads now, see limits_use() */
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

/**
 * Reads from this buffer from now on, if it is large enough to tell anything, and from the limits' own
 * otherwise (NULL, 0). Where the pages of a buffer happen to lie makes a difference of a tenth and more, so
 * that a pattern is best judged in the very memory that it reads.
 */
void limits_use(struct limits *limits, cl_mem in, size_t bytes);

/** Bytes that one call moves. */
double limit_bytes(const struct limit *limit);

/** A batch for measure(): state is a struct limit. */
const char *limit_batch(void *limit, size_t calls);

/** One call by the device's own clock, for measure(); negative if it cannot tell. */
double limit_event_ms(void *limit);

/** Milliseconds from one moment of the first event to the end of the last; negative if unknown. */
double event_time_ms(cl_event first, cl_profiling_info which, cl_event last);

/** Whether what the kernel read or copied is right. */
bool limit_verify(const struct limit *limit);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pool of scratch memory. A block belongs to one call from lease to return. It is lent again to a call
 * on the same in-order queue, whose commands wait for it anyway, or, after a call on an out-of-order queue,
 * when that call's last event is complete. When there are many blocks and none can be had so, one gets new
 * buffers: OpenCL keeps the old ones for the commands that still use them. So no call ever waits, neither
 * on the host nor on the device, and in-order queues, the usual ones, need no events (1 to 8 us each).
 */
#include "internal.h"

#include <stdlib.h>

enum { MAX_BLOCKS = 16, MIN_SCRATCH = 1 << 16 };

static bool is_complete(cl_event event) {
    cl_int status = CL_QUEUED;
    const cl_int code =
        clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
    return code == CL_SUCCESS && status <= CL_COMPLETE; /* negative: it failed and will not run */
}

/*
 * May the next call on this queue use the block at once? The queue is compared only: a queue is not
 * deleted before its commands are done, so a new queue at the old one's address means that they are.
 */
static bool is_ready(struct clp_block *block, cl_command_queue queue, bool in_order) {
    if (!block->used || (in_order && block->in_order && block->queue == queue))
        return true;
    if (!block->last || !is_complete(block->last))
        return false;
    clReleaseEvent(block->last);
    block->last = NULL;
    block->used = false;
    return true;
}

static clp_status grow(clp_context *context, struct clp_block *block, size_t size) {
    size_t rounded = MIN_SCRATCH;
    while (rounded < size && rounded <= SIZE_MAX / 2)
        rounded *= 2;
    if (rounded < size || rounded > context->info.max_allocation)
        rounded = size;
    cl_int code;
    cl_mem scratch =
        clCreateBuffer(context->cl, CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS, rounded, NULL, &code);
    if (code != CL_SUCCESS)
        return clp_fail(code, "no buffer of %zu bytes for scratch memory: %d (%s)", rounded, (int)code,
                        clp_status_name(code));
    if (block->scratch)
        clReleaseMemObject(block->scratch); /* OpenCL keeps it for the commands that still use it */
    block->scratch = scratch;
    block->size = rounded;
    return CLP_SUCCESS;
}

/* Gives the block a state buffer, all zero. */
static clp_status new_state(clp_context *context, struct clp_block *block) {
    cl_uint *zeros = calloc(CLP_STATE_WORDS, sizeof *zeros);
    if (!zeros)
        return clp_fail(CL_OUT_OF_HOST_MEMORY, "no memory for the pool");
    cl_int code;
    block->state = clCreateBuffer(context->cl, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                  CLP_STATE_WORDS * sizeof *zeros, zeros, &code);
    free(zeros);
    return code == CL_SUCCESS ? CLP_SUCCESS : clp_fail_cl(code, "clCreateBuffer");
}

clp_status clp_block_words(clp_context *context, struct clp_block *block, size_t count) {
    if (block->word_count < count || block->epoch == CL_UINT_MAX) {
        size_t rounded = 1 << 13;
        while (rounded < count && rounded <= SIZE_MAX / 16)
            rounded *= 2;
        cl_ulong *zeros = calloc(rounded, sizeof *zeros); /* no call has epoch 0 */
        if (!zeros)
            return clp_fail(CL_OUT_OF_HOST_MEMORY, "no memory for the pool");
        cl_int code;
        cl_mem words = clCreateBuffer(context->cl, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                      rounded * sizeof *zeros, zeros, &code);
        free(zeros);
        if (code != CL_SUCCESS)
            return clp_fail_cl(code, "clCreateBuffer");
        if (block->words)
            clReleaseMemObject(block->words); /* OpenCL keeps it for the commands that still use it */
        block->words = words;
        block->word_count = rounded;
        block->epoch = 0;
    }
    block->epoch++;
    return CLP_SUCCESS;
}

/* Lets go of a block's buffers and event; commands that still use them are not disturbed. */
static void empty(struct clp_block *block) {
    if (block->last)
        clReleaseEvent(block->last);
    if (block->scratch)
        clReleaseMemObject(block->scratch);
    if (block->state)
        clReleaseMemObject(block->state);
    if (block->words)
        clReleaseMemObject(block->words);
    *block = (struct clp_block){.next = block->next};
}

/*
 * The best block that is not leased, or NULL: ready before busy, large enough before too small, then the
 * smallest.
 */
static struct clp_block *best_block(const clp_context *context, cl_command_queue queue, bool in_order,
                                    size_t size, bool *ready, int *count) {
    struct clp_block *best = NULL;
    *ready = false;
    *count = 0;
    for (struct clp_block *block = context->blocks; block; block = block->next) {
        ++*count;
        if (block->leased)
            continue;
        const bool this_ready = is_ready(block, queue, in_order);
        const bool fits = block->size >= size;
        const bool better =
            !best || (this_ready && !*ready) ||
            (this_ready == *ready &&
             ((fits && best->size < size) || (fits == (best->size >= size) && block->size < best->size)));
        if (better) {
            best = block;
            *ready = this_ready;
        }
    }
    return best;
}

/* A block to use at once: a ready one, a new one, or one of many busy ones emptied. context->lock is held. */
static clp_status find_block(clp_context *context, cl_command_queue queue, bool in_order, size_t size,
                             struct clp_block **result) {
    bool ready;
    int count;
    struct clp_block *block = best_block(context, queue, in_order, size, &ready, &count);
    if (!block || (!ready && count < MAX_BLOCKS)) {
        block = calloc(1, sizeof *block);
        if (!block)
            return clp_fail(CL_OUT_OF_HOST_MEMORY, "no memory for the pool");
        block->next = context->blocks;
        context->blocks = block;
    } else if (!ready) {
        empty(block);
    }
    *result = block;
    return CLP_SUCCESS;
}

clp_status clp_block_lease(clp_context *context, cl_command_queue queue, bool in_order, size_t size,
                           struct clp_block **result) {
    *result = NULL;
    struct clp_block *block = NULL;
    pthread_mutex_lock(&context->lock);
    clp_status status = find_block(context, queue, in_order, size, &block);
    if (status == CLP_SUCCESS && !block->state)
        status = new_state(context, block);
    if (status == CLP_SUCCESS && block->size < size)
        status = grow(context, block, size);
    if (status == CLP_SUCCESS) {
        block->leased = true;
        *result = block;
    }
    pthread_mutex_unlock(&context->lock);
    return status;
}

void clp_block_return(clp_context *context, struct clp_block *block, cl_command_queue queue, bool in_order,
                      bool used, cl_event last) {
    pthread_mutex_lock(&context->lock);
    if (used) {
        if (block->last)
            clReleaseEvent(block->last);
        block->last = last;
        block->queue = queue;
        block->in_order = in_order;
        block->used = true;
    }
    block->leased = false;
    pthread_mutex_unlock(&context->lock);
}

void clp_blocks_free(clp_context *context) {
    while (context->blocks) {
        struct clp_block *block = context->blocks;
        context->blocks = block->next;
        empty(block);
        free(block);
    }
}

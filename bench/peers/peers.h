/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file peers.h Other people's implementations, to compare with. Only these files are C++, CUDA or Python.
 *
 * A peer gets the same elements, on the device or in host memory, and must bring its result back to
 * the host, where it is verified. A peer that was not built stays in the table and says why.
 */
#ifndef PEERS_H
#define PEERS_H

#include <clpatterns/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a peer works on. Everything stays valid until it is closed. */
struct peer_input {
    const char *pattern; /**< "reduce" */
    const char *name;    /**< the case: "sum" */
    clp_type type;       /**< of the elements */
    clp_type result;     /**< what its result must be written as */
    size_t result_size;  /**< bytes of it in all, without a count */
    size_t n;
    size_t parts;           /**< of the n elements, each with a result of its own; 0: they are one */
    const cl_uint *offsets; /**< parts + 1: where the parts begin and the last one ends; NULL: equal rows */
    const void *heads;      /**< n flags or keys in host memory; NULL: the case has none */
    size_t heads_size;      /**< bytes of one; 1: they are flags */
    const void *host;       /**< the elements in host memory */
    cl_context context;
    cl_device_id device;
    cl_command_queue queue; /**< in order */
    cl_mem in;              /**< the elements on the device … */
    size_t offset;          /**< … from this one */
};

/** Functions return NULL, or a static text that says what is wrong. Nothing is thrown. */
struct peer {
    const char *name;
    const char *missing; /**< NULL, or why it was not built */
    int on_host;         /**< it runs on the host's processors, whatever the device is */
    const char *note;    /**< NULL, or how it differs from what the library computes */
    const char *(*open)(const struct peer_input *input, void **state);
    const char *(*run)(void *state, size_t calls); /**< starts so many calls and waits for the last */
    /** The last call's results: result_size bytes, and of a pattern that counts its outputs (select) then
     * their number in eight. */
    const char *(*result)(void *state, void *out);
    void (*close)(void *state);
    /* These may be NULL. */
    const char *(*unfit)(cl_device_id device); /**< why it cannot run beside this device at all */
    double (*event_ms)(void *state);           /**< one call by the device's clock; negative: unknown */
    double (*took_ms)(void *state);            /**< what the last run() took, for a peer in another process */
};

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/** @file fault.c The layer that fails the n-th OpenCL call (layers.h). */
#include "layer.h"
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    unsigned first;  /* the first call to fail, 0: none */
    unsigned last;   /* the last one */
    cl_int status;   /* what it returns */
    unsigned count;  /* calls since armed */
    unsigned failed; /* of those, failed */
    const char *failed_name;
} state = {.failed_name = ""};

static void arm(unsigned first, unsigned last, cl_int status) {
    pthread_mutex_lock(&lock);
    state.first = first;
    state.last = last;
    state.status = status;
    state.count = 0;
    state.failed = 0;
    state.failed_name = "";
    pthread_mutex_unlock(&lock);
}

void clp_fault_arm(unsigned n, cl_int status) {
    arm(n, n, status);
}

void clp_fault_arm_from(unsigned n, cl_int status) {
    arm(n, n == 0 ? 0 : ~0u, status);
}

unsigned clp_fault_count(void) {
    pthread_mutex_lock(&lock);
    unsigned count = state.count;
    pthread_mutex_unlock(&lock);
    return count;
}

unsigned clp_fault_failed(void) {
    pthread_mutex_lock(&lock);
    unsigned failed = state.failed;
    pthread_mutex_unlock(&lock);
    return failed;
}

const char *clp_fault_last_name(void) {
    pthread_mutex_lock(&lock);
    const char *name = state.failed_name;
    pthread_mutex_unlock(&lock);
    return name;
}

/* Counts one call. Returns CL_SUCCESS if it shall go on, else what to fail it with. */
static cl_int count_call(const char *name) {
    cl_int status = CL_SUCCESS;
    pthread_mutex_lock(&lock);
    state.count++;
    if (state.first != 0 && state.count >= state.first && state.count <= state.last) {
        if (state.failed++ == 0) {
            state.failed_name = name;
        }
        status = state.status;
    }
    pthread_mutex_unlock(&lock);
    return status;
}

#define FAULT_STATUS(name, parameters, arguments)                                                            \
    static cl_int CL_API_CALL fault_##name parameters {                                                      \
        cl_int status = count_call(#name);                                                                   \
        return status != CL_SUCCESS ? status : clp_layer_next->name arguments;                               \
    }

#define FAULT_CREATE(kind, type, name, parameters, arguments)                                                \
    static type CL_API_CALL fault_##name parameters {                                                        \
        cl_int status = count_call(#name);                                                                   \
        if (status == CL_SUCCESS) {                                                                          \
            return clp_layer_next->name arguments;                                                           \
        }                                                                                                    \
        if (errcode_ret != NULL) {                                                                           \
            *errcode_ret = status;                                                                           \
        }                                                                                                    \
        return NULL;                                                                                         \
    }

#define FAULT_MAP(name, parameters, arguments) FAULT_CREATE(none, void *, name, parameters, arguments)

#define FAULT_RETAIN(kind, type, suffix) FAULT_STATUS(clRetain##suffix, (type object), (object))

CLP_STATUS_CALLS(FAULT_STATUS)
CLP_ENQUEUE_CALLS(FAULT_STATUS)
CLP_CREATE_CALLS(FAULT_CREATE)
CLP_MAP_CALLS(FAULT_MAP)
CLP_COUNTED_TYPES(FAULT_RETAIN)

void clp_layer_fill(cl_icd_dispatch *table) {
#define FILL(name, parameters, arguments)               table->name = fault_##name;
#define FILL_CREATE(kind, type, name, parameters, args) table->name = fault_##name;
#define FILL_COUNTED(kind, type, suffix)                                                                     \
    table->clRetain##suffix = fault_clRetain##suffix;                                                        \
    table->clRelease##suffix = clp_layer_next->clRelease##suffix;
    CLP_STATUS_CALLS(FILL)
    CLP_ENQUEUE_CALLS(FILL)
    CLP_MAP_CALLS(FILL)
    CLP_CREATE_CALLS(FILL_CREATE)
    CLP_COUNTED_TYPES(FILL_COUNTED)
}

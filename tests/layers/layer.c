/* SPDX-License-Identifier: Apache-2.0 */
/** @file layer.c The two functions that the OpenCL loader looks up in a layer. Part of each layer. */
#include "layer.h"
#include <CL/cl_layer.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = sizeof(cl_icd_dispatch) / sizeof(void (*)(void)) };

const cl_icd_dispatch *clp_layer_next;

static void unknown_call(void) {
    fprintf(stderr, "An OpenCL entry point was called that tests/layers/calls.h does not list.\n");
    abort();
}

/* The loader would hand empty slots on, unseen: see calls.h. */
static void fill_empty_slots(cl_icd_dispatch *table) {
    void (*const empty)(void) = NULL;
    void (*const stub)(void) = unknown_call;
    for (size_t i = 0; i < SLOTS; i++) {
        char *slot = (char *)table + i * sizeof(stub);
        if (memcmp(slot, &empty, sizeof(empty)) == 0) {
            memcpy(slot, &stub, sizeof(stub));
        }
    }
}

CLP_LAYER_EXPORT cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name, size_t size, void *value,
                                                   size_t *got) {
    static const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
    static const char label[] = "libclpatterns test layer";
    const void *from = NULL;
    size_t bytes = 0;
    if (name == CL_LAYER_API_VERSION) {
        from = &version;
        bytes = sizeof(version);
    } else if (name == CL_LAYER_NAME) {
        from = label;
        bytes = sizeof(label);
    }
    if (from == NULL || (value != NULL && size < bytes)) {
        return CL_INVALID_VALUE;
    }
    if (value != NULL) {
        memcpy(value, from, bytes);
    }
    if (got != NULL) {
        *got = bytes;
    }
    return CL_SUCCESS;
}

CLP_LAYER_EXPORT cl_int CL_API_CALL clInitLayer(cl_uint slots, const cl_icd_dispatch *target,
                                                cl_uint *slots_ret, const cl_icd_dispatch **table_ret) {
    static cl_icd_dispatch table;
    if (target == NULL || slots_ret == NULL || table_ret == NULL || slots == 0) {
        return CL_INVALID_VALUE;
    }
    clp_layer_next = target;
    clp_layer_fill(&table);
#define FORWARD(name) table.name = target->name;
    CLP_FORWARDED_CALLS(FORWARD)
#undef FORWARD
    fill_empty_slots(&table);
    /* A loader that knows fewer entry points than our headers never calls the others. */
    *slots_ret = slots < SLOTS ? slots : SLOTS;
    *table_ret = &table;
    return CL_SUCCESS;
}

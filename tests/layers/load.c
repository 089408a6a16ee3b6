/* SPDX-License-Identifier: Apache-2.0 */
/** @file load.c How a test program gets to the layers that the OpenCL loader has loaded. */
#include "layers.h"
#include <dlfcn.h>
#include <string.h>

/* CLP_FAULT_LAYER and CLP_COUNT_LAYER, the files of the layers, come from the build. */

/* Not loading here is the point: a layer that the loader has not loaded intercepts nothing. */
static void *find_layer(const char *file) {
    void *layer = dlopen(file, RTLD_LAZY | RTLD_NOLOAD);
    if (layer == NULL) {
        fprintf(stderr, "Layer %s is not loaded: set OPENCL_LAYERS.\n", file);
    }
    return layer;
}

/* ISO C has no conversion from void * to a function pointer; POSIX promises that the bytes are the same. */
static bool find_function(void *layer, const char *name, void *function) {
    void *symbol = dlsym(layer, name);
    if (symbol == NULL) {
        fprintf(stderr, "The layer does not export %s.\n", name);
    }
    memcpy(function, &symbol, sizeof(symbol));
    return symbol != NULL;
}

static bool load_fault(struct clp_fault *fault) {
    void *layer = find_layer(CLP_FAULT_LAYER);
    if (layer == NULL || !find_function(layer, "clp_fault_arm", &fault->arm) ||
        !find_function(layer, "clp_fault_arm_from", &fault->arm_from) ||
        !find_function(layer, "clp_fault_count", &fault->count) ||
        !find_function(layer, "clp_fault_failed", &fault->failed) ||
        !find_function(layer, "clp_fault_last_name", &fault->last_name)) {
        return false;
    }
    fault->arm(1, CL_OUT_OF_RESOURCES);
    cl_uint n;
    cl_int status = clGetPlatformIDs(0, NULL, &n);
    fault->arm(0, CL_SUCCESS);
    if (status != CL_OUT_OF_RESOURCES) {
        fprintf(stderr, "The fault layer does not see OpenCL calls.\n");
        return false;
    }
    return true;
}

static bool load_count(struct clp_count *count) {
    void *layer = find_layer(CLP_COUNT_LAYER);
    if (layer == NULL || !find_function(layer, "clp_count_live", &count->live) ||
        !find_function(layer, "clp_count_total_live", &count->total_live) ||
        !find_function(layer, "clp_count_references", &count->references) ||
        !find_function(layer, "clp_count_total_references", &count->total_references) ||
        !find_function(layer, "clp_count_misuses", &count->misuses) ||
        !find_function(layer, "clp_count_report", &count->report)) {
        return false;
    }
    /* The first device: a retain must be seen. */
    cl_platform_id platform;
    cl_device_id device;
    if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS ||
        clRetainDevice(device) != CL_SUCCESS) {
        fprintf(stderr, "There is no OpenCL device.\n");
        return false;
    }
    bool seen = count->references(CLP_KIND_DEVICE) == 1;
    clReleaseDevice(device);
    if (!seen) {
        fprintf(stderr, "The counting layer does not see OpenCL calls.\n");
    }
    return seen;
}

bool clp_layers_load(struct clp_fault *fault, struct clp_count *count) {
    cl_uint n = 0;
    cl_int status = clGetPlatformIDs(0, NULL, &n); /* the loader loads its layers on its first call */
    if (status != CL_SUCCESS || n == 0) {
        fprintf(stderr, "There is no OpenCL platform (status %d).\n", (int)status);
        return false;
    }
    return (fault == NULL || load_fault(fault)) && (count == NULL || load_count(count));
}

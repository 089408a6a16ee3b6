/* SPDX-License-Identifier: Apache-2.0 */
#include "run.h"

#include <stdlib.h>

bool run_take_type(const char *option, const char *text, clp_type *type) {
    *type = clp_type_from_name(text);
    if (*type != CLP_TYPE_INVALID && *type != CLP_USER)
        return true;
    complain("%s is a type like i32, u8 or f64, not '%s'", option, text);
    return false;
}

bool run_check_offsets(const char *path, const struct npy *offsets) {
    if ((offsets->type == CLP_U32 || offsets->type == CLP_U64) && offsets->dimension_count == 1 &&
        offsets->count > 0)
        return true;
    complain("%s: --segments needs one dimension of at least one element of type u32 or u64", path);
    return false;
}

cl_int run_upload(clp_context *context, const struct npy *array, cl_mem *mem) {
    const size_t bytes = array->count * clp_type_size(array->type);
    cl_int status = CL_SUCCESS;
    if (array->data != NULL && bytes > 0)
        *mem = clCreateBuffer(clp_context_cl(context), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes,
                              array->data, &status);
    return status;
}

bool run_fits_bytes(clp_context *context, const char *path, const char *what, size_t bytes) {
    const clp_device_info *info = clp_context_info(context);
    if (info == NULL || bytes <= info->max_allocation)
        return true;
    complain("%s: its %zu bytes%s are more than the largest buffer of this device (%llu bytes)", path, bytes,
             what, (unsigned long long)info->max_allocation);
    return false;
}

bool run_fits_device(clp_context *context, const char *path, const struct npy *array) {
    return array->data == NULL ||
           run_fits_bytes(context, path, "", array->count * clp_type_size(array->type));
}

bool run_write(clp_context *context, const char *path, clp_type type, cl_mem mem, size_t count) {
    const size_t bytes = count * clp_type_size(type);
    struct npy array = {
        .type = type, .dimension_count = 1, .shape = {count}, .count = count, .data = malloc(bytes + 1)};
    char message[NPY_MESSAGE_SIZE] = "out of memory";
    bool good = array.data != NULL;
    if (good && bytes > 0) {
        const cl_int status = clEnqueueReadBuffer(clp_context_queue(context), mem, CL_TRUE, 0, bytes,
                                                  array.data, 0, NULL, NULL);
        good = status == CL_SUCCESS;
        if (!good)
            snprintf(message, sizeof message, "%s", clp_status_name(status));
    }
    good = good && npy_write(path, &array, message);
    if (!good)
        complain("%s: %s", path, message);
    free(array.data);
    return good;
}

void run_release(clp_context *context, cl_mem *buffers, int buffer_count, struct npy *arrays,
                 int array_count) {
    for (int b = 0; b < buffer_count; b++)
        if (buffers[b] != NULL)
            clReleaseMemObject(buffers[b]);
    clp_context_destroy(context);
    for (int a = 0; a < array_count; a++)
        npy_free(&arrays[a]);
}

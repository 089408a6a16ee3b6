/* SPDX-License-Identifier: Apache-2.0 */
#include "upload.h"
#include "program.h"

cl_int upload(clp_context *context, const struct npy *array, cl_mem *mem) {
    const size_t bytes = array->count * clp_type_size(array->type);
    cl_int status = CL_SUCCESS;
    if (bytes > 0)
        *mem = clCreateBuffer(clp_context_cl(context), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes,
                              array->data, &status);
    return status;
}

bool upload_fits(clp_context *context, const char *path, size_t bytes) {
    const clp_device_info *info = clp_context_info(context);
    if (info == NULL || bytes <= info->max_allocation)
        return true;
    complain("%s: its %zu bytes are more than the largest buffer of this device (%llu bytes)", path, bytes,
             (unsigned long long)info->max_allocation);
    return false;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sub-group back-ends: their names, which of them a device has by feature query, and their preconditions.
 * Whether one that is there works is for selftest.c; the exchange itself is cl/subgroups.cl.
 */
#include "internal.h"

#include <string.h>

/* cl_intel_required_subgroup_size, cl_amd_device_attribute_query */
#define DEVICE_SUB_GROUP_SIZES_INTEL 0x4108
#define DEVICE_WAVEFRONT_WIDTH_AMD   0x4043

/* CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE and its KHR form are the same number. */
#define KERNEL_MAX_SUB_GROUP_SIZE 0x2033

/* Work-items of a run, CLP_SUBGROUP_SIZE of cl/subgroups.cl: any back-end's sub-groups hold whole runs. */
enum { RUN = 32 };

const char *const clp_subgroups_names[CLP_NUM_SUBGROUPS] = {
    [CLP_SUBGROUPS_DEFAULT] = "default", [CLP_SUBGROUPS_LOCAL] = "local", [CLP_SUBGROUPS_NVIDIA] = "nvidia",
    [CLP_SUBGROUPS_KHR] = "khr",         [CLP_SUBGROUPS_INTEL] = "intel", [CLP_SUBGROUPS_AMD] = "amd",
};

const char *clp_subgroups_name(clp_subgroups subgroups) {
    return clp_subgroups_names[(unsigned)subgroups < CLP_NUM_SUBGROUPS ? subgroups : CLP_SUBGROUPS_DEFAULT];
}

clp_subgroups clp_subgroups_from_name(const char *name) {
    for (int i = 1; name && i < CLP_NUM_SUBGROUPS; i++)
        if (strcmp(clp_subgroups_names[i], name) == 0)
            return (clp_subgroups)i;
    return CLP_SUBGROUPS_DEFAULT;
}

/* The function that tells a built kernel's sub-group size: OpenCL's own since 2.1, an extension's before. */
static clp_status find_info(cl_device_id device, const clp_device_info *info, const char *extensions,
                            clp_subgroup_info_fn *function) {
    *function = NULL;
#ifdef CL_VERSION_2_1
    if (clp_device_version(info) >= 201) {
        *function = clGetKernelSubGroupInfo;
        return CLP_SUCCESS;
    }
#endif
    if (!clp_has_word(extensions, "cl_khr_subgroups") && !clp_has_word(extensions, "cl_intel_subgroups"))
        return CLP_SUCCESS;
    cl_platform_id platform;
    const clp_status status =
        clp_device_get(device, CL_DEVICE_PLATFORM, "CL_DEVICE_PLATFORM", sizeof platform, &platform);
    if (status == CLP_SUCCESS) {
        void *address = clGetExtensionFunctionAddressForPlatform(platform, "clGetKernelSubGroupInfoKHR");
        memcpy(function, &address, sizeof address); /* ISO C has no cast from object to function */
    }
    return status;
}

/* Can kernels demand sub-groups of one run? */
static clp_status find_demand(cl_device_id device, const char *extensions, bool *can_demand) {
    size_t sizes[32];
    size_t bytes = 0;
    *can_demand = false;
    if (!clp_has_word(extensions, "cl_intel_required_subgroup_size"))
        return CLP_SUCCESS;
    const cl_int code = clGetDeviceInfo(device, DEVICE_SUB_GROUP_SIZES_INTEL, sizeof sizes, sizes, &bytes);
    if (code != CL_SUCCESS)
        return clp_fail_cl(code, "clGetDeviceInfo");
    for (size_t i = 0; i < bytes / sizeof *sizes; i++)
        *can_demand = *can_demand || sizes[i] == RUN;
    return CLP_SUCCESS;
}

clp_status clp_subgroups_query(cl_device_id device, const clp_device_info *info, const char *extensions,
                               bool nvidia, struct clp_subgroup_features *features) {
    *features = (struct clp_subgroup_features){.has = {[CLP_SUBGROUPS_LOCAL] = true}};
    bool *has = features->has;
    has[CLP_SUBGROUPS_NVIDIA] = nvidia;
    clp_status status = find_info(device, info, extensions, &features->info);
    if (status != CLP_SUCCESS)
        return status;
    if (features->info) {
        has[CLP_SUBGROUPS_KHR] = clp_device_version(info) >= 200 &&
                                 (clp_has_word(extensions, "cl_khr_subgroup_shuffle_relative") ||
                                  clp_has_word(extensions, "cl_khr_subgroup_shuffle"));
        has[CLP_SUBGROUPS_INTEL] = clp_has_word(extensions, "cl_intel_subgroups");
    }
    if (has[CLP_SUBGROUPS_KHR] || has[CLP_SUBGROUPS_INTEL])
        status = find_demand(device, extensions, &features->can_demand);
    if (status == CLP_SUCCESS && clp_has_word(extensions, "cl_amd_device_attribute_query")) {
        cl_uint width = 0;
        status = clp_device_get(device, DEVICE_WAVEFRONT_WIDTH_AMD, "CL_DEVICE_WAVEFRONT_WIDTH_AMD",
                                sizeof width, &width);
        has[CLP_SUBGROUPS_AMD] = status == CLP_SUCCESS && width != 0 && width % RUN == 0;
    }
    return status;
}

bool clp_subgroups_allow(clp_subgroups subgroups, size_t work_group_size) {
    return subgroups != CLP_SUBGROUPS_LOCAL && work_group_size != 0 && work_group_size % RUN == 0;
}

clp_status clp_subgroups_fit(const clp_context *context, clp_subgroups subgroups, cl_kernel kernel,
                             size_t work_group_size, bool *fits) {
    *fits = true;
    if (subgroups != CLP_SUBGROUPS_KHR && subgroups != CLP_SUBGROUPS_INTEL)
        return CLP_SUCCESS; /* the device's width holds for all kernels and was asked before */
    size_t size = 0;
    const cl_int code =
        context->features.info(kernel, context->device, KERNEL_MAX_SUB_GROUP_SIZE, sizeof work_group_size,
                               &work_group_size, sizeof size, &size, NULL);
    if (code != CL_SUCCESS)
        return clp_fail_cl(code, "clGetKernelSubGroupInfo");
    *fits = size != 0 && size % RUN == 0;
    return CLP_SUCCESS;
}

unsigned clp_subgroups_demand(const clp_context *context, clp_subgroups subgroups) {
    const bool demand = subgroups == CLP_SUBGROUPS_KHR || subgroups == CLP_SUBGROUPS_INTEL;
    return demand && context->features.can_demand ? RUN : 0;
}

const char *clp_subgroups_standard(const clp_context *context, clp_subgroups subgroups) {
    if (subgroups != CLP_SUBGROUPS_KHR || context->fence == CLP_FENCE_C11)
        return context->standard;
    return clp_device_version(&context->info) < 300 ? "-cl-std=CL2.0" : "-cl-std=CL3.0";
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Finding a device by request; reading its limits and features (by feature query, never by name). */
#include "internal.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* cl_nv_device_attribute_query */
#define DEVICE_COMPUTE_CAPABILITY_MAJOR_NV 0x4000
#define DEVICE_WARP_SIZE_NV                0x4003
#define PLATFORM_NOT_FOUND_KHR             (-1001)

#define GET(device, param, value) clp_device_get(device, param, #param, sizeof(value), &(value))

clp_status clp_device_get(cl_device_id device, cl_device_info param, const char *name, size_t size,
                          void *value) {
    const cl_int code = clGetDeviceInfo(device, param, size, value, NULL);
    return code == CL_SUCCESS ? CLP_SUCCESS
                              : clp_fail(code, "clGetDeviceInfo(%s) failed with %d (%s)", name, (int)code,
                                         clp_status_name(code));
}

/* ---- finding -------------------------------------------------------------------------------------- */

struct candidates {
    cl_device_id *devices;
    cl_uint *platform_of, *index_of; /* indices as `clpatterns info` lists them */
    size_t count;
};

static void candidates_free(struct candidates *all) {
    free(all->devices);
    free(all->platform_of);
    free(all->index_of);
}

static clp_status add_platform(struct candidates *all, cl_platform_id platform, cl_uint platform_index) {
    cl_uint count = 0;
    cl_int code = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &count);
    if (code == CL_DEVICE_NOT_FOUND || (code == CL_SUCCESS && count == 0))
        return CLP_SUCCESS;
    if (code != CL_SUCCESS)
        return clp_fail_cl(code, "clGetDeviceIDs");

    const size_t total = all->count + count;
    cl_device_id *devices = realloc(all->devices, total * sizeof *devices);
    if (devices)
        all->devices = devices;
    cl_uint *platform_of = realloc(all->platform_of, total * sizeof *platform_of);
    if (platform_of)
        all->platform_of = platform_of;
    cl_uint *index_of = realloc(all->index_of, total * sizeof *index_of);
    if (index_of)
        all->index_of = index_of;
    if (!devices || !platform_of || !index_of)
        return clp_fail(CL_OUT_OF_HOST_MEMORY, "no memory for the list of devices");

    code = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, devices + all->count, NULL);
    if (code != CL_SUCCESS)
        return clp_fail_cl(code, "clGetDeviceIDs");
    for (cl_uint i = 0; i < count; i++) {
        platform_of[all->count + i] = platform_index;
        index_of[all->count + i] = i;
    }
    all->count = total;
    return CLP_SUCCESS;
}

static clp_status list_devices(struct candidates *all) {
    cl_uint count = 0;
    cl_int code = clGetPlatformIDs(0, NULL, &count);
    if (code == PLATFORM_NOT_FOUND_KHR || (code == CL_SUCCESS && count == 0))
        return clp_fail(CLP_DEVICE_NOT_FOUND, "no OpenCL platform is installed");
    if (code != CL_SUCCESS)
        return clp_fail_cl(code, "clGetPlatformIDs");
    cl_platform_id *platforms = malloc(count * sizeof(cl_platform_id));
    if (!platforms)
        return clp_fail(CL_OUT_OF_HOST_MEMORY, "no memory for the list of platforms");
    clp_status status = CLP_SUCCESS;
    code = clGetPlatformIDs(count, platforms, NULL);
    if (code != CL_SUCCESS)
        status = clp_fail_cl(code, "clGetPlatformIDs");
    for (cl_uint i = 0; i < count && code == CL_SUCCESS; i++) {
        const clp_status added = add_platform(all, platforms[i], i);
        if (added != CLP_SUCCESS)
            status = added; /* the others' devices may do */
    }
    free(platforms);
    return status;
}

static bool equal_ignoring_case(const char *a, const char *b) {
    while (*a && tolower((unsigned char)*a) == tolower((unsigned char)*b))
        a++, b++;
    return tolower((unsigned char)*a) == tolower((unsigned char)*b);
}

static bool contains_ignoring_case(const char *text, const char *part) {
    const size_t length = strlen(part);
    for (; *text; text++) {
        size_t i = 0;
        while (i < length && tolower((unsigned char)text[i]) == tolower((unsigned char)part[i]))
            i++;
        if (i == length)
            return true;
    }
    return false;
}

int clp_name_index(const char *text, const char *const *names, int n) {
    for (int i = 0; i < n; i++)
        if (equal_ignoring_case(text, names[i]))
            return i;
    return -1;
}

/* What a request asks for. */
struct wish {
    enum { ANY, BY_INDEX, BY_TYPE, BY_NAME } kind;
    cl_uint platform, device;
    cl_device_type type;
    const char *name;
};

static clp_status parse_request(const char *request, struct wish *wish) {
    static const char *const type_names[] = {"gpu", "cpu", "accelerator"};
    static const cl_device_type type_values[] = {CL_DEVICE_TYPE_GPU, CL_DEVICE_TYPE_CPU,
                                                 CL_DEVICE_TYPE_ACCELERATOR};
    *wish = (struct wish){.kind = ANY};
    if (!request || !*request)
        return CLP_SUCCESS;
    const int type = clp_name_index(request, type_names, 3);
    if (type >= 0) {
        *wish = (struct wish){.kind = BY_TYPE, .type = type_values[type]};
        return CLP_SUCCESS;
    }
    if (strchr(request, ':') && request[strspn(request, "0123456789:")] == '\0') {
        unsigned platform = 0, device = 0;
        int used = 0;
        if (sscanf(request, "%9u:%9u%n", &platform, &device, &used) != 2 || request[used] != '\0')
            return clp_fail(CLP_INVALID_SELECTION, "device request \"%s\" is not of the form platform:device",
                            request);
        *wish = (struct wish){.kind = BY_INDEX, .platform = platform, .device = device};
        return CLP_SUCCESS;
    }
    *wish = (struct wish){.kind = BY_NAME, .name = request};
    return CLP_SUCCESS;
}

/* Default order: the first GPU, accelerator, CPU; a device that a quirk sets aside, or of no such type, last.
 */
static int default_rank(const clp_device_info *info) {
    if (clp_quirks_of(info, NULL, 0) & CLP_QUIRK_IGNORE_DEVICE)
        return 4;
    if (info->type & CL_DEVICE_TYPE_GPU)
        return 0;
    if (info->type & CL_DEVICE_TYPE_ACCELERATOR)
        return 1;
    return info->type & CL_DEVICE_TYPE_CPU ? 2 : 3;
}

/* Lower is better, negative is no match. */
static int rank_of(const struct wish *wish, const struct candidates *all, size_t i,
                   const clp_device_info *info) {
    switch (wish->kind) {
    case BY_INDEX:
        return all->platform_of[i] == wish->platform && all->index_of[i] == wish->device ? 0 : -1;
    case BY_TYPE:
        return info->type & wish->type ? default_rank(info) : -1;
    case BY_NAME:
        return contains_ignoring_case(info->name, wish->name) ||
                       contains_ignoring_case(info->platform, wish->name)
                   ? 0
                   : -1;
    default:
        return default_rank(info);
    }
}

/* Rank of one device, −1 if it does not match or is not available. */
static clp_status examine(const struct wish *wish, const struct candidates *all, size_t i, int *rank) {
    clp_device_info info;
    const char *extensions;
    char *text = NULL;
    cl_bool available = CL_FALSE;
    *rank = -1;
    clp_status status = clp_device_describe(all->devices[i], &info, &text, &extensions);
    if (status == CLP_SUCCESS)
        status = GET(all->devices[i], CL_DEVICE_AVAILABLE, available);
    if (status == CLP_SUCCESS && available)
        *rank = rank_of(wish, all, i, &info);
    free(text);
    return status;
}

clp_status clp_device_find(const char *request, cl_device_id *device) {
    struct wish wish;
    clp_status status = parse_request(request, &wish);
    if (status != CLP_SUCCESS)
        return status;
    struct candidates all = {0};
    status = list_devices(&all);
    int best_rank = -1;
    for (size_t i = 0; i < all.count; i++) {
        int rank;
        const clp_status examined = examine(&wish, &all, i, &rank);
        if (examined != CLP_SUCCESS)
            status = examined; /* one broken device must not hide the others: told only if nothing matches */
        if (rank >= 0 && (best_rank < 0 || rank < best_rank)) {
            best_rank = rank;
            *device = all.devices[i];
        }
    }
    candidates_free(&all);
    if (best_rank >= 0)
        return CLP_SUCCESS;
    return status != CLP_SUCCESS
               ? status
               : clp_fail(CLP_DEVICE_NOT_FOUND, "none of %zu OpenCL devices matches the request \"%s\"",
                          all.count, request ? request : "");
}

/* ---- describing ----------------------------------------------------------------------------------- */

/* Appends a string property to *text, which is *used bytes long; *at: where it starts. */
static clp_status append_string(cl_device_id device, cl_platform_id platform, cl_uint param, char **text,
                                size_t *used, size_t *at) {
    size_t size = 0;
    cl_int code = platform ? clGetPlatformInfo(platform, param, 0, NULL, &size)
                           : clGetDeviceInfo(device, param, 0, NULL, &size);
    if (code != CL_SUCCESS)
        return clp_fail_cl(code, platform ? "clGetPlatformInfo" : "clGetDeviceInfo");
    char *longer = realloc(*text, *used + size + 1);
    if (!longer)
        return clp_fail(CL_OUT_OF_HOST_MEMORY, "no memory for the device's description");
    *text = longer;
    code = platform ? clGetPlatformInfo(platform, param, size, longer + *used, NULL)
                    : clGetDeviceInfo(device, param, size, longer + *used, NULL);
    if (code != CL_SUCCESS)
        return clp_fail_cl(code, platform ? "clGetPlatformInfo" : "clGetDeviceInfo");
    longer[*used + size] = '\0';
    *at = *used;
    *used += strlen(longer + *used) + 1;
    return CLP_SUCCESS;
}

bool clp_has_word(const char *words, const char *word) {
    const size_t length = strlen(word);
    for (const char *at = strstr(words, word); at; at = strstr(at + 1, word))
        if ((at == words || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

clp_status clp_device_describe(cl_device_id device, clp_device_info *info, char **text,
                               const char **extensions) {
    enum { NAME, VENDOR, VERSION, DRIVER, EXTENSIONS, PLATFORM, NUM_STRINGS };
    static const cl_uint params[] = {CL_DEVICE_NAME,    CL_DEVICE_VENDOR,     CL_DEVICE_VERSION,
                                     CL_DRIVER_VERSION, CL_DEVICE_EXTENSIONS, CL_PLATFORM_NAME};
    *info = (clp_device_info){.notes = ""};
    *text = NULL;
    size_t used = 0, at[NUM_STRINGS];
    cl_platform_id platform = NULL;
    cl_device_fp_config single_config = 0;
    cl_uint units = 0;
    cl_ulong local = 0, global = 0, allocation = 0;
    clp_status status = GET(device, CL_DEVICE_PLATFORM, platform);
    for (int i = 0; i < NUM_STRINGS && status == CLP_SUCCESS; i++)
        status = append_string(device, i == PLATFORM ? platform : NULL, params[i], text, &used, &at[i]);
    if (status == CLP_SUCCESS)
        status = GET(device, CL_DEVICE_TYPE, info->type);
    if (status == CLP_SUCCESS)
        status = GET(device, CL_DEVICE_MAX_COMPUTE_UNITS, units);
    if (status == CLP_SUCCESS)
        status = GET(device, CL_DEVICE_LOCAL_MEM_SIZE, local);
    if (status == CLP_SUCCESS)
        status = GET(device, CL_DEVICE_GLOBAL_MEM_SIZE, global);
    if (status == CLP_SUCCESS)
        status = GET(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, allocation);
    if (status == CLP_SUCCESS)
        status = GET(device, CL_DEVICE_MAX_WORK_GROUP_SIZE, info->max_work_group_size);
    if (status == CLP_SUCCESS)
        status = GET(device, CL_DEVICE_SINGLE_FP_CONFIG, single_config);
    if (status != CLP_SUCCESS) {
        free(*text);
        *text = NULL;
        return status;
    }
    info->name = *text + at[NAME];
    info->vendor = *text + at[VENDOR];
    info->version = *text + at[VERSION];
    info->driver = *text + at[DRIVER];
    info->platform = *text + at[PLATFORM];
    info->compute_units = units;
    info->local_memory = local;
    info->global_memory = global;
    info->max_allocation = allocation;
    *extensions = *text + at[EXTENSIONS];
    info->has_f64 = clp_has_word(*extensions, "cl_khr_fp64");
    info->has_f16 = clp_has_word(*extensions, "cl_khr_fp16");
    info->keeps_denormals_f32 = (single_config & CL_FP_DENORM) != 0;
    return CLP_SUCCESS;
}

clp_status clp_device_nvidia(cl_device_id device, const char *extensions, bool *nvidia) {
    cl_uint major = 0, warp = 0;
    *nvidia = false;
    if (!clp_has_word(extensions, "cl_nv_device_attribute_query"))
        return CLP_SUCCESS;
    clp_status status = GET(device, DEVICE_COMPUTE_CAPABILITY_MAJOR_NV, major);
    if (status == CLP_SUCCESS)
        status = GET(device, DEVICE_WARP_SIZE_NV, warp);
    *nvidia = status == CLP_SUCCESS && major >= 7 && warp == 32;
    return status;
}

unsigned clp_device_version(const clp_device_info *info) {
    unsigned major = 1, minor = 0;
    return sscanf(info->version, "OpenCL %9u.%2u", &major, &minor) == 2 ? major * 100 + minor : 100;
}

clp_status clp_device_fence(cl_device_id device, const clp_device_info *info, bool nvidia,
                            enum clp_fence *fence, const char **standard) {
    const unsigned version = clp_device_version(info);
    *standard = "-cl-std=CL1.2";
    *fence = CLP_FENCE_NONE;
    if (nvidia) {
        *fence = CLP_FENCE_NVIDIA;
        return CLP_SUCCESS;
    }
    if (version < 200)
        return CLP_SUCCESS;
    cl_device_atomic_capabilities atomics = 0;
    const cl_device_atomic_capabilities needed =
        CL_DEVICE_ATOMIC_ORDER_ACQ_REL | CL_DEVICE_ATOMIC_SCOPE_DEVICE;
    if (version < 300) { /* acquire and release at device scope are part of 2.x, optional in 3.0 */
        atomics = needed;
    } else {
        const clp_status status = GET(device, CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES, atomics);
        if (status != CLP_SUCCESS)
            return status;
    }
    if ((atomics & needed) == needed) {
        *fence = CLP_FENCE_C11;
        *standard = version < 300 ? "-cl-std=CL2.0" : "-cl-std=CL3.0";
    }
    return CLP_SUCCESS;
}

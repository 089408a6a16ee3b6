/* SPDX-License-Identifier: Apache-2.0 */
/* `clpatterns info`: what devices there are, what is chosen for each, what is missing and why. */
#include "program.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_size(const char *label, uint64_t bytes) {
    if (bytes >= 1ULL << 30)
        printf("%s%.1f GiB", label, (double)bytes / 0x1p30);
    else if (bytes >= 1ULL << 20)
        printf("%s%.1f MiB", label, (double)bytes / 0x1p20);
    else
        printf("%s%.1f KiB", label, (double)bytes / 0x1p10);
}

/* Indents the lines of notes below one label. */
static void print_notes(const char *notes) {
    const char *label = "notes";
    while (*notes != '\0') {
        const int length = (int)strcspn(notes, "\n");
        if (length > 0)
            printf("       %-10s %.*s\n", label, length, notes);
        label = "";
        notes += length + (notes[length] == '\n');
    }
}

static void print_device(const char *request, bool is_default, const clp_device_info *info) {
    printf("%s %-4s %s\n", is_default ? "*" : " ", request, info->name);
    printf("       %-10s %s (%s), driver %s\n", "platform", info->platform, info->version, info->driver);
    printf("       %-10s %s, %u compute units, by %s\n", "type", device_type_name(info->type),
           info->compute_units, info->vendor);
    print_size("       memory     ", info->global_memory);
    print_size(", largest buffer ", info->max_allocation);
    print_size(", local ", info->local_memory);
    printf("\n       %-10s shape %s, lanes exchange by %s, work-group size %zu (limit %zu)\n", "chosen",
           shape_name(info->shape),
           info->shape == CLP_SHAPE_SIMD            ? "vector elements"
           : info->subgroups == CLP_SUBGROUPS_LOCAL ? "local memory"
                                                    : clp_subgroups_name(info->subgroups),
           info->work_group_size, info->max_work_group_size);
    printf("       %-10s f64 %s, f16 %s, f32 denormals %s, fence between work-groups %s\n", "has",
           info->has_f64 ? "yes" : "no", info->has_f16 ? "yes" : "storage only",
           info->keeps_denormals_f32 ? "kept" : "flushed", info->has_device_fence ? "yes" : "no");
    print_notes(info->notes);
}

static cJSON *device_json(const char *request, bool is_default, const clp_device_info *info) {
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "request", request);
    cJSON_AddBoolToObject(json, "default", is_default);
    cJSON_AddStringToObject(json, "device", info->name);
    cJSON_AddStringToObject(json, "platform", info->platform);
    cJSON_AddStringToObject(json, "vendor", info->vendor);
    cJSON_AddStringToObject(json, "version", info->version);
    cJSON_AddStringToObject(json, "driver", info->driver);
    cJSON_AddStringToObject(json, "type", device_type_name(info->type));
    cJSON_AddNumberToObject(json, "compute_units", info->compute_units);
    cJSON_AddNumberToObject(json, "global_memory", (double)info->global_memory);
    cJSON_AddNumberToObject(json, "max_allocation", (double)info->max_allocation);
    cJSON_AddNumberToObject(json, "local_memory", (double)info->local_memory);
    cJSON_AddStringToObject(json, "shape", shape_name(info->shape));
    cJSON_AddStringToObject(json, "subgroups", clp_subgroups_name(info->subgroups));
    cJSON_AddNumberToObject(json, "work_group_size", (double)info->work_group_size);
    cJSON_AddNumberToObject(json, "max_work_group_size", (double)info->max_work_group_size);
    cJSON_AddBoolToObject(json, "has_f64", info->has_f64);
    cJSON_AddBoolToObject(json, "has_f16", info->has_f16);
    cJSON_AddBoolToObject(json, "keeps_denormals_f32", info->keeps_denormals_f32);
    cJSON_AddBoolToObject(json, "has_device_fence", info->has_device_fence);
    cJSON_AddStringToObject(json, "notes", info->notes);
    return json;
}

/* A platform may have no device: rusticl and PoCL want to be told which driver to use. */
static void print_empty_platforms(void) {
    cl_platform_id platforms[64];
    cl_uint count = 0, devices;
    if (clGetPlatformIDs(64, platforms, &count) != CL_SUCCESS)
        return;
    for (cl_uint p = 0; p < count && p < 64; p++) {
        char name[128] = "?";
        if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 0, NULL, &devices) == CL_SUCCESS && devices > 0)
            continue;
        clGetPlatformInfo(platforms[p], CL_PLATFORM_NAME, sizeof name, name, NULL);
        printf("  %u:-  platform %s has no device%s\n", p, name,
               strcmp(name, "rusticl") == 0 ? " (it needs RUSTICL_ENABLE=llvmpipe or another driver's name)"
                                            : "");
    }
}

/* One device by its indices. It is the default if it is the device that picking without a request found. */
static int show_device(const struct program *program, const char *request, cl_device_id default_device,
                       cJSON *json_devices) {
    clp_context *context = program_open(program, request);
    const clp_device_info *info = context != NULL ? clp_context_info(context) : NULL;
    bool is_default;
    if (info == NULL) {
        clp_context_destroy(context);
        return STATUS_WRONG;
    }
    is_default = clp_context_device(context) == default_device;
    if (json_devices != NULL)
        cJSON_AddItemToArray(json_devices, device_json(request, is_default, info));
    else
        print_device(request, is_default, info);
    clp_context_destroy(context);
    return STATUS_OK;
}

/* Which device a call without a request would get; NULL if that fails. */
static cl_device_id find_default(const struct program *program) {
    const clp_options options = {.device = program->device};
    clp_context *context = NULL;
    cl_device_id device = NULL;
    if (clp_context_pick(&options, &context) == CLP_SUCCESS)
        device = clp_context_device(context);
    clp_context_destroy(context);
    return device;
}

static int show_all(const struct program *program, bool json) {
    cl_device_id default_device;
    struct device_list list;
    cJSON *object = NULL, *devices = NULL;
    const char *environment = getenv("CLPATTERNS_DEVICE");
    int status = STATUS_OK;
    if (!program_devices(&list)) {
        if (!json)
            print_empty_platforms();
        return STATUS_USAGE;
    }
    default_device = find_default(program);
    if (json) {
        object = cJSON_CreateObject();
        cJSON_AddNumberToObject(object, "format_version", 1);
        cJSON_AddStringToObject(object, "library_version", clp_version_string());
        devices = cJSON_AddArrayToObject(object, "devices");
    } else {
        printf("libclpatterns %s\n", clp_version_string());
    }
    for (size_t i = 0; i < list.count; i++)
        if (show_device(program, list.text[i], default_device, devices) != STATUS_OK)
            status = STATUS_WRONG;
    free(list.text);
    if (json) {
        char *text = cJSON_Print(object);
        puts(text != NULL ? text : "null");
        cJSON_free(text);
        cJSON_Delete(object);
        return status;
    }
    print_empty_platforms();
    if (default_device == NULL)
        complain_status("default device",
                        clp_context_pick(&(clp_options){.device = program->device}, &(clp_context *){0}));
    else if (program->device != NULL || (environment != NULL && environment[0] != '\0'))
        printf("* is what %s '%s' picks\n", program->device != NULL ? "--device" : "CLPATTERNS_DEVICE",
               program->device != NULL ? program->device : environment);
    else
        puts("* is picked without a request; choose by --device or CLPATTERNS_DEVICE");
    return status;
}

int command_info(struct program *program, int argc, char **argv) {
    static const struct option options[] = {
        PROGRAM_LONG_OPTIONS, {"json", no_argument, NULL, OPTION_OWN}, {NULL, 0, NULL, 0}};
    bool json = false;
    program_restart_getopt();
    for (int option; (option = getopt_long(argc, argv, "h", options, NULL)) != -1;) {
        if (option == 'h') {
            puts("usage: clpatterns info [--json]\n"
                 "Lists every device as PLATFORM:DEVICE for --device, what the library has chosen for it,\n"
                 "and what is missing and why. --shape and --work-group-size show what they would change.");
            return STATUS_OK;
        }
        if (option == OPTION_OWN)
            json = true;
        else if (!program_option(program, option, optarg))
            return STATUS_USAGE;
    }
    if (optind < argc) {
        complain("info takes no argument '%s'", argv[optind]);
        return STATUS_USAGE;
    }
    return show_all(program, json);
}

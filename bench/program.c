/* SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

void complain(const char *format, ...) {
    va_list arguments;
    progress_clear();
    fflush(stdout); /* so that the order is right when both go to one place */
    fputs("clpatterns: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

void complain_status(const char *what, clp_status status) {
    const char *detail = clp_last_detail();
    complain("%s: %s (%s)%s%s", what, clp_status_message(status), clp_status_name(status),
             detail[0] != '\0' ? ": " : "", detail);
    if (status == CL_BUILD_PROGRAM_FAILURE && clp_last_build_log()[0] != '\0')
        fprintf(stderr, "%s\n", clp_last_build_log());
}

const char *shape_name(clp_shape shape) {
    switch (shape) {
    case CLP_SHAPE_SIMT:
        return "simt";
    case CLP_SHAPE_SIMD:
        return "simd";
    case CLP_SHAPE_DEFAULT:
        break;
    }
    return "default";
}

const char *schedule_name(clp_schedule schedule) {
    switch (schedule) {
    case CLP_SCHEDULE_LEVELS:
        return "levels";
    case CLP_SCHEDULE_FUSED:
        return "fused";
    case CLP_SCHEDULE_SINGLE:
        return "single";
    case CLP_SCHEDULE_DEFAULT:
        break;
    }
    return "default";
}

const char *device_type_name(cl_device_type type) {
    if (type & CL_DEVICE_TYPE_GPU)
        return "gpu";
    if (type & CL_DEVICE_TYPE_ACCELERATOR)
        return "accelerator";
    if (type & CL_DEVICE_TYPE_CPU)
        return "cpu";
    return "other";
}

bool parse_size(const char *text, size_t *size) {
    char *end;
    unsigned long long value, more = 0;
    if (text[0] < '0' || text[0] > '9')
        return false;
    errno = 0;
    if (strncmp(text, "2^", 2) == 0) {
        const unsigned long exponent = strtoul(text + 2, &end, 10);
        if (text[2] < '0' || text[2] > '9' || exponent >= 8 * sizeof(size_t))
            return false;
        value = 1ULL << exponent;
    } else {
        value = strtoull(text, &end, 10);
    }
    if (end[0] == '+' && end[1] >= '0' && end[1] <= '9')
        more = strtoull(end + 1, &end, 10);
    if (*end != '\0' || errno != 0 || value > SIZE_MAX || more > SIZE_MAX - value)
        return false;
    *size = (size_t)(value + more);
    return true;
}

bool list_has(const char *list, const char *name) {
    const size_t length = strlen(name);
    if (list == NULL || strcmp(list, "all") == 0)
        return true;
    for (const char *at = list; at != NULL; at = strchr(at, ','), at += at != NULL)
        if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == '\0'))
            return true;
    return false;
}

bool program_option(struct program *program, int option, const char *argument) {
    switch (option) {
    case OPTION_DEVICE:
        program->device = argument;
        return true;
    case OPTION_SHAPE:
        for (clp_shape shape = CLP_SHAPE_SIMT; shape <= CLP_SHAPE_SIMD; shape++)
            if (strcmp(argument, shape_name(shape)) == 0) {
                program->shape = shape;
                return true;
            }
        complain("--shape is simt or simd, not '%s'", argument);
        return false;
    case OPTION_SUBGROUPS:
        program->subgroups = clp_subgroups_from_name(argument);
        if (program->subgroups != CLP_SUBGROUPS_DEFAULT)
            return true;
        complain("--subgroups is local, nvidia, khr, intel or amd, not '%s'", argument);
        return false;
    case OPTION_WORK_GROUP_SIZE:
        if (!parse_size(argument, &program->work_group_size) || program->work_group_size == 0) {
            complain("--work-group-size is a whole number from 1, not '%s'", argument);
            return false;
        }
        return true;
    case OPTION_VERBOSE:
        program->verbose = true;
        return true;
    default:
        return false; /* getopt_long() has said what is wrong */
    }
}

void program_restart_getopt(void) {
#if defined(__APPLE__) || defined(__FreeBSD__) || defined(__OpenBSD__) || defined(__NetBSD__)
    optreset = 1;
    optind = 1;
#else
    optind = 0; /* glibc and musl: forget the scan so far */
#endif
}

static void log_line(void *cookie, clp_log_level level, const char *message) {
    static const char *const names[] = {"", "error", "warning", "info"};
    (void)cookie;
    fprintf(stderr, "%s: %s\n", names[level], message);
}

clp_context *program_open(const struct program *program, const char *device) {
    const clp_options options = {.device = device,
                                 .shape = program->shape,
                                 .subgroups = program->subgroups,
                                 .work_group_size = program->work_group_size,
                                 .log = program->verbose ? log_line : NULL};
    clp_context *context = NULL;
    const clp_status status = clp_context_pick(&options, &context);
    if (status != CLP_SUCCESS) {
        complain_status(device != NULL ? device : "default device", status);
        return NULL;
    }
    return context;
}

/* Appends one request; the list grows one by one because it is short. */
static bool append_device(struct device_list *list, unsigned platform, unsigned device) {
    void *grown = realloc(list->text, (list->count + 1) * sizeof *list->text);
    if (grown == NULL) {
        complain("out of memory");
        return false;
    }
    list->text = grown;
    snprintf(list->text[list->count++], sizeof *list->text, "%u:%u", platform, device);
    return true;
}

bool program_devices(struct device_list *list) {
    cl_platform_id platforms[64];
    cl_uint platform_count = 0;
    *list = (struct device_list){0};
    if (clGetPlatformIDs(64, platforms, &platform_count) != CL_SUCCESS)
        platform_count = 0;
    for (cl_uint p = 0; p < platform_count && p < 64; p++) {
        cl_uint device_count = 0;
        if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 0, NULL, &device_count) != CL_SUCCESS)
            continue;
        for (cl_uint d = 0; d < device_count; d++)
            if (!append_device(list, p, d))
                return false;
    }
    if (list->count == 0) {
        complain("no OpenCL device");
        return false;
    }
    return true;
}

double clock_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static bool progress_shown;

void progress(const char *format, ...) {
    va_list arguments;
    if (!isatty(STDERR_FILENO))
        return;
    fputs("\r\033[K", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fflush(stderr);
    progress_shown = true;
}

void progress_clear(void) {
    if (progress_shown)
        fputs("\r\033[K", stderr);
    progress_shown = false;
}

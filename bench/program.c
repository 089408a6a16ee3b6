/* SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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
    case CLP_SCHEDULE_ONE_PASS:
        return "one_pass";
    case CLP_SCHEDULE_HILLIS_STEELE:
        return "hillis_steele";
    case CLP_SCHEDULE_BLELLOCH:
        return "blelloch";
    case CLP_SCHEDULE_DEFAULT:
        break;
    }
    return "default";
}

bool take_schedule(const char *text, clp_schedule *schedule) {
    for (*schedule = CLP_SCHEDULE_LEVELS; *schedule <= CLP_SCHEDULE_BLELLOCH; (*schedule)++)
        if (strcmp(text, schedule_name(*schedule)) == 0)
            return true;
    complain("--schedule is levels, fused, single, one_pass, hillis_steele or blelloch, not '%s'", text);
    return false;
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

/* Where an output goes. */
struct place {
    char *target;
    bool replace; /* by another file; otherwise the target is opened as it is */
    mode_t mode;  /* of the file that is there, or 0 */
};

/* The real name of a file that is there, or could be made in a folder that is there. Free it. */
static char *real_name(const char *path) {
    char *name = realpath(path, NULL), *folder, *real_folder;
    const char *slash = strrchr(path, '/'), *base = slash != NULL ? slash + 1 : path;
    if (name != NULL || errno != ENOENT || *base == '\0')
        return name;
    folder = slash == NULL ? strdup(".") : strndup(path, slash == path ? 1 : (size_t)(slash - path));
    real_folder = folder != NULL ? realpath(folder, NULL) : NULL;
    if (real_folder != NULL && asprintf(&name, "%s/%s", real_folder, base) < 0)
        name = NULL;
    free(folder);
    free(real_folder);
    return name;
}

/* The folder that a real name lies in, with its slash. */
static int folder_length(const char *target) {
    return (int)(strrchr(target, '/') + 1 - target);
}

static bool find_place(struct place *place, const char *path) {
    /* Names of open files: renaming would cut off whoever else writes to them. */
    static const char *const descriptors[] = {"/dev/fd/", "/dev/std", "/proc/"};
    struct stat now;
    char *folder;
    bool there;
    *place = (struct place){0};
    for (size_t i = 0; i < sizeof descriptors / sizeof *descriptors; i++) {
        if (strncmp(path, descriptors[i], strlen(descriptors[i])) == 0) {
            place->target = strdup(path);
            return place->target != NULL;
        }
    }
    place->target = real_name(path);
    if (place->target == NULL)
        return false;
    there = lstat(place->target, &now) == 0;
    place->replace = !there || S_ISREG(now.st_mode);
    place->mode = there ? now.st_mode & 07777 : 0;
    if (there && S_ISDIR(now.st_mode)) {
        errno = EISDIR;
        return false;
    }
    /* A link that leads nowhere yet is left to fopen(). */
    if (there && !S_ISLNK(now.st_mode) && access(place->target, W_OK) != 0)
        return false;
    if (place->replace) {
        folder = strndup(place->target, (size_t)folder_length(place->target));
        there = folder != NULL && access(folder, W_OK | X_OK) == 0;
        free(folder);
        return there;
    }
    return true;
}

bool output_check(const char *path) {
    struct place place;
    const bool good = find_place(&place, path);
    free(place.target);
    return good;
}

bool output_is_same(const char *a, const char *b) {
    char *real_a = real_name(a), *real_b = real_name(b);
    const bool same = strcmp(a, b) == 0 || (real_a != NULL && real_b != NULL && strcmp(real_a, real_b) == 0);
    free(real_a);
    free(real_b);
    return same;
}

/* Makes a file with a new name beside the target. */
static FILE *open_beside(struct output *output, mode_t mode) {
    int fd = -1;
    for (int i = 0; i < 100 && fd < 0; i++) {
        free(output->temporary);
        if (asprintf(&output->temporary, "%.*s.clpatterns-%ld-%d", folder_length(output->target),
                     output->target, (long)getpid(), i) < 0) {
            output->temporary = NULL;
            return NULL;
        }
        fd = open(output->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST)
            return NULL;
    }
    if (fd >= 0 && mode != 0)
        (void)fchmod(fd, mode); /* some file systems have no modes */
    return fd >= 0 ? fdopen(fd, "wb") : NULL;
}

static void free_output(struct output *output) {
    free(output->target);
    free(output->temporary);
    *output = (struct output){0};
}

bool output_open(struct output *output, const char *path) {
    struct place place;
    const bool good = find_place(&place, path);
    *output = (struct output){.target = place.target};
    if (good)
        output->file = place.replace ? open_beside(output, place.mode) : fopen(place.target, "wb");
    if (output->file != NULL)
        return true;
    free_output(output);
    return false;
}

bool output_close(struct output *output, bool good) {
    int error;
    good = good && fflush(output->file) == 0 && !ferror(output->file);
    error = errno;
    if (fclose(output->file) != 0 && good) {
        good = false;
        error = errno;
    }
    if (output->temporary != NULL) {
        if (good && rename(output->temporary, output->target) != 0) {
            good = false;
            error = errno;
        }
        if (!good)
            (void)remove(output->temporary);
    }
    free_output(output);
    errno = error;
    return good;
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

/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts: picking, adopting, choices, freeing. */
#ifndef CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS /* clCreateCommandQueue: 1.x drivers lack the newer call */
#endif
#include "internal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const shape_names[] = {"default", "simt", "simd"};

void clp_log(const clp_context *context, clp_log_level level, const char *format, ...) {
    if (!context->log)
        return;
    char message[512];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    context->log(context->log_cookie, level, message);
}

void clp_note(clp_context *context, const char *format, ...) {
    const size_t used = strlen(context->notes), size = sizeof context->notes;
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(context->notes + used, size - used, format, args);
    va_end(args);
    if (length < 0 || used + (size_t)length + 1 >= size) {
        context->notes[used] = '\0'; /* a whole line or none */
        return;
    }
    context->notes[used + (size_t)length] = '\n';
    context->notes[used + (size_t)length + 1] = '\0';
}

/* The value of an environment variable, NULL if it is not set or empty. */
static const char *variable(const char *name) {
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

/* An enumeration from options, else from a variable by one of its names, else 0. */
static clp_status choose(unsigned option, const char *variable_name, const char *const *names, int n,
                         unsigned *value) {
    if (option >= (unsigned)n)
        return clp_fail(CLP_INVALID_MODE, "options: %u is no value for what %s chooses", option,
                        variable_name);
    *value = option;
    const char *text = variable(variable_name);
    if (option != 0 || !text)
        return CLP_SUCCESS;
    const int index = clp_name_index(text, names, n);
    if (index < 0)
        return clp_fail(CLP_INVALID_SELECTION, "%s=\"%s\" is none of its values", variable_name, text);
    *value = (unsigned)index;
    return CLP_SUCCESS;
}

static clp_status choose_work_group_size(size_t option, const clp_device_info *info, size_t otherwise,
                                         size_t *size) {
    *size = option;
    const char *text = variable("CLPATTERNS_WORK_GROUP_SIZE");
    if (option == 0 && text) {
        char *end;
        errno = 0;
        const unsigned long long value = strtoull(text, &end, 10);
        if (*end || errno || value == 0 || value > SIZE_MAX || text[0] < '0' || text[0] > '9')
            return clp_fail(CLP_INVALID_SELECTION, "CLPATTERNS_WORK_GROUP_SIZE=\"%s\" is no positive number",
                            text);
        *size = (size_t)value;
    }
    if (*size == 0)
        *size = otherwise;
    /*
     * A work-item of the simd shape holds a tile's lanes, up to 1 KiB and more; CPU runtimes keep those of a
     * whole work-group on one thread's stack, which 4096 of them overflow on PoCL.
     */
    const size_t limit = info->shape == CLP_SHAPE_SIMD ? 256 : SIZE_MAX;
    if (*size > limit)
        *size = limit;
    if (*size > info->max_work_group_size)
        *size = info->max_work_group_size;
    return CLP_SUCCESS;
}

/* What is missing or odd, a line each, into context->notes. */
static void write_notes(clp_context *context) {
    clp_device_info *info = &context->info;
    context->quirks = clp_quirks_of(info, context->notes, sizeof context->notes);
    const struct {
        bool when;
        const char *text;
    } lines[] = {
        {!info->has_f64, "no doubles (cl_khr_fp64): f64 gives CLP_DEVICE_UNSUPPORTED"},
        {!info->keeps_denormals_f32,
         "flushes denormal floats: results that meet them can differ from other devices"},
        {!info->has_device_fence,
         "no device-scope acquire and release: large calls take one launch for each level"},
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (lines[i].when)
            clp_note(context, "%s", lines[i].text);
    info->notes = context->notes;
}

/* Fills a new context for its device: features, shape, sizes. */
static clp_status configure(clp_context *context, const clp_options *options) {
    clp_device_info *info = &context->info;
    const char *extensions;
    clp_status status = clp_device_describe(context->device, info, &context->text, &extensions);
    if (status != CLP_SUCCESS)
        return status;
    bool nvidia;
    status = clp_device_nvidia(context->device, extensions, &nvidia);
    if (status == CLP_SUCCESS)
        status = clp_device_fence(context->device, info, nvidia, &context->fence, &context->standard);
    if (status == CLP_SUCCESS)
        status = clp_subgroups_query(context->device, info, extensions, nvidia, &context->features);
    if (status != CLP_SUCCESS)
        return status;
    context->has_atomics64 = clp_has_word(extensions, "cl_khr_int64_base_atomics") &&
                             clp_has_word(extensions, "cl_khr_int64_extended_atomics");
    context->limits_registers = clp_has_word(extensions, "cl_nv_compiler_options");
    info->has_device_fence = context->fence != CLP_FENCE_NONE;
    write_notes(context);
    unsigned shape = 0, subgroups = 0;
    status = choose((unsigned)options->shape, "CLPATTERNS_SHAPE", shape_names, 3, &shape);
    if (status == CLP_SUCCESS)
        status = choose((unsigned)options->subgroups, "CLPATTERNS_SUBGROUPS", clp_subgroups_names,
                        CLP_NUM_SUBGROUPS, &subgroups);
    if (status != CLP_SUCCESS)
        return status;
    info->shape = shape                             ? (clp_shape)shape
                  : info->type & CL_DEVICE_TYPE_CPU ? CLP_SHAPE_SIMD
                                                    : CLP_SHAPE_SIMT;
    /* NVIDIA's scheduler never takes a running work-group off for one that waits (compute capability 7.0 and
     * newer); a CPU runtime's work-groups are run to their end by threads of the operating system. */
    context->keeps_running = (nvidia || ((info->type & CL_DEVICE_TYPE_CPU) && context->has_atomics64)) &&
                             !(context->quirks & CLP_QUIRK_NO_ONE_PASS) &&
                             !(info->shape == CLP_SHAPE_SIMT && (context->quirks & CLP_QUIRK_NO_SIMT_PASS));
    context->wanted_subgroups = (clp_subgroups)subgroups;
    context->tuning = clp_tuning_of(info);
    status = choose_work_group_size(options->work_group_size, info, context->tuning.work_group_size,
                                    &info->work_group_size);
    if (status != CLP_SUCCESS)
        return status;
    if (options->source_dir) {
        const size_t size = strlen(options->source_dir) + 1;
        context->source_dir = malloc(size);
        if (!context->source_dir)
            return clp_fail(CL_OUT_OF_HOST_MEMORY, "no memory for the folder's name");
        memcpy(context->source_dir, options->source_dir, size);
    }
    return CLP_SUCCESS;
}

static clp_status create(cl_context cl, cl_device_id device, cl_command_queue queue,
                         const clp_options *options, clp_context **result) {
    static const clp_options defaults = {0};
    clp_context *context = calloc(1, sizeof *context);
    if (!context)
        return clp_fail(CL_OUT_OF_HOST_MEMORY, "no memory for a context");
    if (!options)
        options = &defaults;
    context->device = device;
    context->log = options->log;
    context->log_cookie = options->log_cookie;
    clp_status status = configure(context, options);
    cl_int code = status == CLP_SUCCESS ? clRetainContext(cl) : CL_SUCCESS;
    if (code != CL_SUCCESS)
        status = clp_fail_cl(code, "clRetainContext");
    if (status != CLP_SUCCESS) {
        free(context->source_dir);
        free(context->text);
        free(context);
        return status;
    }
    context->cl = cl;
    context->queue = queue; /* taken over */
    pthread_mutex_init(&context->lock, NULL);
    pthread_mutex_init(&context->subgroups_lock, NULL);
    pthread_cond_init(&context->built, NULL);
    *result = context;
    return CLP_SUCCESS;
}

static clp_status check_options(const clp_options *options, clp_context **context) {
    if (!context)
        return clp_fail(CLP_INVALID_ARGUMENT, "context: nowhere to put the result");
    *context = NULL;
    if (options && !clp_reserved_zero(options->reserved))
        return clp_fail(CLP_INVALID_ARGUMENT, "options: a reserved field is not zero");
    return CLP_SUCCESS;
}

clp_status clp_context_pick(const clp_options *options, clp_context **context) {
    clp_status status = check_options(options, context);
    if (status != CLP_SUCCESS)
        return status;
    cl_device_id device = NULL;
    status = clp_device_find(options && options->device ? options->device : variable("CLPATTERNS_DEVICE"),
                             &device);
    if (status != CLP_SUCCESS)
        return status;
    cl_int code;
    cl_context cl = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    if (code != CL_SUCCESS)
        return clp_fail_cl(code, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueue(cl, device, 0, &code);
    if (code != CL_SUCCESS)
        status = clp_fail_cl(code, "clCreateCommandQueue");
    else
        status = create(cl, device, queue, options, context);
    if (status != CLP_SUCCESS && queue)
        clReleaseCommandQueue(queue);
    clReleaseContext(cl); /* create() retained it */
    return status;
}

clp_status clp_context_adopt(cl_context cl, cl_device_id device, const clp_options *options,
                             clp_context **context) {
    clp_status status = check_options(options, context);
    if (status != CLP_SUCCESS)
        return status;
    if (!cl || !device)
        return clp_fail(CLP_INVALID_ARGUMENT, "%s is NULL", cl ? "device" : "cl_context");
    cl_device_id devices[64];
    size_t size = 0;
    const cl_int code = clGetContextInfo(cl, CL_CONTEXT_DEVICES, sizeof devices, devices, &size);
    if (code != CL_SUCCESS)
        return clp_fail_cl(code, "clGetContextInfo");
    bool found = false;
    for (size_t i = 0; i < size / sizeof *devices; i++)
        found = found || devices[i] == device;
    if (!found)
        return clp_fail(CLP_INVALID_ARGUMENT, "the device is not one of the OpenCL context's");
    return create(cl, device, NULL, options, context);
}

void clp_context_destroy(clp_context *context) {
    if (!context)
        return;
    clp_variants_free(context);
    clp_blocks_free(context);
    if (context->queue)
        clReleaseCommandQueue(context->queue);
    clReleaseContext(context->cl);
    pthread_cond_destroy(&context->built);
    pthread_mutex_destroy(&context->subgroups_lock);
    pthread_mutex_destroy(&context->lock);
    free(context->source_dir);
    free(context->text);
    free(context);
}

cl_context clp_context_cl(const clp_context *context) {
    return context ? context->cl : NULL;
}

cl_device_id clp_context_device(const clp_context *context) {
    return context ? context->device : NULL;
}

cl_command_queue clp_context_queue(const clp_context *context) {
    return context ? context->queue : NULL;
}

const clp_device_info *clp_context_info(clp_context *context) {
    if (!context)
        return NULL;
    clp_subgroups_settle(context); /* a failure is told by the calls that need the back-end */
    return &context->info;
}

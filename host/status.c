/* SPDX-License-Identifier: Apache-2.0 */
/* Names and messages of status codes; each thread's last failure. */
#include "internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct status_row {
    clp_status status;
    const char *name, *message;
};

#define ROW(code, message)                                                                                   \
    { code, #code, message }

static const struct status_row rows[] = {
    ROW(CLP_SUCCESS, "Success."),
    ROW(CLP_INVALID_ARGUMENT,
        "An argument is missing, contradicts another, or has a reserved field that is not zero."),
    ROW(CLP_INVALID_TYPE, "The element type is not set or is no type."),
    ROW(CLP_INVALID_OPERATOR, "The operator is not set or is no operator."),
    ROW(CLP_INVALID_MODE, "A mode, schedule, shape or back-end is no such value."),
    ROW(CLP_INVALID_BUFFER,
        "A buffer is missing, belongs to another context, is no buffer, or forbids this access."),
    ROW(CLP_OUT_OF_RANGE, "A range of elements goes past the end of its buffer."),
    ROW(CLP_OVERLAP, "Two ranges overlap that must not."),
    ROW(CLP_WORKSPACE_TOO_SMALL, "The workspace is smaller than the plan says."),
    ROW(CLP_MISALIGNED, "The workspace does not start at a multiple of CLP_WORKSPACE_ALIGNMENT bytes."),
    ROW(CLP_UNSUPPORTED, "This combination of types, operator and mode does not exist."),
    ROW(CLP_DEVICE_UNSUPPORTED, "This device lacks a feature that the call needs."),
    ROW(CLP_DEVICE_NOT_FOUND, "No OpenCL device matches the request."),
    ROW(CLP_INVALID_SELECTION, "A request for a device, shape, back-end or size cannot be read."),
    ROW(CLP_INVALID_QUEUE, "The command queue is missing or belongs to another context or device."),
    ROW(CLP_SOURCE_NOT_FOUND, "A kernel source cannot be read."),
    ROW(CLP_SELF_TEST_FAILED,
        "The sub-group back-end that was asked for gives wrong answers on this device."),
    ROW(CLP_INTERNAL, "A fault in libclpatterns; please report it."),
    ROW(CL_DEVICE_NOT_FOUND, "OpenCL found no device of the wanted type."),
    ROW(CL_DEVICE_NOT_AVAILABLE, "The device is not available at present."),
    ROW(CL_COMPILER_NOT_AVAILABLE, "The device has no OpenCL C compiler."),
    ROW(CL_MEM_OBJECT_ALLOCATION_FAILURE, "OpenCL could not allocate a buffer."),
    ROW(CL_OUT_OF_RESOURCES, "The device is out of resources."),
    ROW(CL_OUT_OF_HOST_MEMORY, "The host is out of memory."),
    ROW(CL_PROFILING_INFO_NOT_AVAILABLE, "The queue was made without profiling."),
    ROW(CL_MEM_COPY_OVERLAP, "OpenCL: source and destination overlap."),
    ROW(CL_IMAGE_FORMAT_MISMATCH, "OpenCL: image formats differ."),
    ROW(CL_IMAGE_FORMAT_NOT_SUPPORTED, "OpenCL: image format not supported."),
    ROW(CL_BUILD_PROGRAM_FAILURE, "OpenCL could not build a kernel; clp_last_build_log() has the log."),
    ROW(CL_MAP_FAILURE, "OpenCL could not map a buffer."),
    ROW(CL_MISALIGNED_SUB_BUFFER_OFFSET, "A sub-buffer's origin is not aligned for this device."),
    ROW(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "An event of the wait list failed."),
    ROW(CL_COMPILE_PROGRAM_FAILURE, "OpenCL could not compile a program."),
    ROW(CL_LINKER_NOT_AVAILABLE, "OpenCL has no linker."),
    ROW(CL_LINK_PROGRAM_FAILURE, "OpenCL could not link a program."),
    ROW(CL_DEVICE_PARTITION_FAILED, "OpenCL could not partition the device."),
    ROW(CL_KERNEL_ARG_INFO_NOT_AVAILABLE, "OpenCL has no information on kernel arguments."),
    ROW(CL_INVALID_VALUE, "OpenCL: a value is not valid."),
    ROW(CL_INVALID_DEVICE_TYPE, "OpenCL: no such type of device."),
    ROW(CL_INVALID_PLATFORM, "OpenCL: not a platform."),
    ROW(CL_INVALID_DEVICE, "OpenCL: not a device of this context."),
    ROW(CL_INVALID_CONTEXT, "OpenCL: not a context, or not the same context."),
    ROW(CL_INVALID_QUEUE_PROPERTIES, "OpenCL: the device has no such queue."),
    ROW(CL_INVALID_COMMAND_QUEUE, "OpenCL: not a command queue."),
    ROW(CL_INVALID_HOST_PTR, "OpenCL: host pointer and flags contradict each other."),
    ROW(CL_INVALID_MEM_OBJECT, "OpenCL: not a memory object."),
    ROW(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "OpenCL: image format not valid."),
    ROW(CL_INVALID_IMAGE_SIZE, "OpenCL: image size not valid."),
    ROW(CL_INVALID_SAMPLER, "OpenCL: not a sampler."),
    ROW(CL_INVALID_BINARY, "OpenCL: not a program binary of this device."),
    ROW(CL_INVALID_BUILD_OPTIONS, "OpenCL: build options not valid."),
    ROW(CL_INVALID_PROGRAM, "OpenCL: not a program."),
    ROW(CL_INVALID_PROGRAM_EXECUTABLE, "OpenCL: the program is not built for this device."),
    ROW(CL_INVALID_KERNEL_NAME, "OpenCL: the program has no such kernel."),
    ROW(CL_INVALID_KERNEL_DEFINITION, "OpenCL: the kernel differs between devices."),
    ROW(CL_INVALID_KERNEL, "OpenCL: not a kernel."),
    ROW(CL_INVALID_ARG_INDEX, "OpenCL: the kernel has no such argument."),
    ROW(CL_INVALID_ARG_VALUE, "OpenCL: a kernel argument's value is not valid."),
    ROW(CL_INVALID_ARG_SIZE, "OpenCL: a kernel argument's size is not valid."),
    ROW(CL_INVALID_KERNEL_ARGS, "OpenCL: not all kernel arguments are set."),
    ROW(CL_INVALID_WORK_DIMENSION, "OpenCL: number of dimensions not valid."),
    ROW(CL_INVALID_WORK_GROUP_SIZE, "OpenCL: work-group size not valid."),
    ROW(CL_INVALID_WORK_ITEM_SIZE, "OpenCL: too many work-items in a dimension of a work-group."),
    ROW(CL_INVALID_GLOBAL_OFFSET, "OpenCL: global offset not valid."),
    ROW(CL_INVALID_EVENT_WAIT_LIST, "OpenCL: the wait list and its length contradict, or it holds no event."),
    ROW(CL_INVALID_EVENT, "OpenCL: not an event."),
    ROW(CL_INVALID_OPERATION, "OpenCL: the operation is not valid here."),
    ROW(CL_INVALID_GL_OBJECT, "OpenCL: not a GL object."),
    ROW(CL_INVALID_BUFFER_SIZE, "OpenCL: a buffer of this size cannot be made on this device."),
    ROW(CL_INVALID_MIP_LEVEL, "OpenCL: mip level not valid."),
    ROW(CL_INVALID_GLOBAL_WORK_SIZE, "OpenCL: global work size not valid."),
    ROW(CL_INVALID_PROPERTY, "OpenCL: property not valid."),
    ROW(CL_INVALID_IMAGE_DESCRIPTOR, "OpenCL: image descriptor not valid."),
    ROW(CL_INVALID_COMPILER_OPTIONS, "OpenCL: compiler options not valid."),
    ROW(CL_INVALID_LINKER_OPTIONS, "OpenCL: linker options not valid."),
    ROW(CL_INVALID_DEVICE_PARTITION_COUNT, "OpenCL: partition count not valid."),
    {-1001, "CL_PLATFORM_NOT_FOUND_KHR", "No OpenCL platform is installed."},
};

static const struct status_row *row_of(clp_status status) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].status == status)
            return &rows[i];
    return NULL;
}

const char *clp_status_name(clp_status status) {
    const struct status_row *row = row_of(status);
    return row ? row->name : "unknown status";
}

const char *clp_status_message(clp_status status) {
    const struct status_row *row = row_of(status);
    return row ? row->message : "Neither a status of libclpatterns nor one of OpenCL.";
}

static _Thread_local char last_detail[512];

clp_status(clp_fail)(clp_status status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(last_detail, sizeof last_detail, format, args);
    va_end(args);
    return status;
}

clp_status(clp_fail_cl)(cl_int code, const char *call) {
    return clp_fail(code, "%s failed with %d (%s)", call, (int)code, clp_status_name(code));
}

const char *clp_last_detail(void) {
    return last_detail;
}

/*
 * A build log has no useful limit, so it is on the heap, one a thread. A thread-specific key, not a
 * _Thread_local pointer: its destructor frees the log when the thread ends.
 */
static pthread_key_t log_key;
static pthread_once_t log_once = PTHREAD_ONCE_INIT;
static bool log_key_made;

static void make_log_key(void) {
    log_key_made = pthread_key_create(&log_key, free) == 0;
}

void clp_set_build_log(char *log) {
    pthread_once(&log_once, make_log_key);
    if (!log_key_made) {
        free(log);
        return;
    }
    char *old = pthread_getspecific(log_key);
    if (pthread_setspecific(log_key, log) != 0) {
        free(log);
        return;
    }
    free(old);
}

const char *clp_last_build_log(void) {
    pthread_once(&log_once, make_log_key);
    const char *log = log_key_made ? pthread_getspecific(log_key) : NULL;
    return log ? log : "";
}

/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file calls.h The OpenCL entry points that the layers know, as tables for X-macros.
 *
 * An entry point that is in no table aborts the process when a layer sees it (layer.c), because a call
 * that slips past would make a green test worthless. To add one, add its line here; nothing else.
 */
#ifndef CLP_LAYER_CALLS_H
#define CLP_LAYER_CALLS_H

#include "layers.h"

/* clang-format off */

/* X(name, (parameters), (arguments)): return a status, make no object and give none back. */
#define CLP_STATUS_CALLS(X)                                                                                   \
    X(clGetPlatformIDs, (cl_uint n, cl_platform_id *list, cl_uint *found), (n, list, found))                  \
    X(clGetPlatformInfo, (cl_platform_id of, cl_platform_info what, size_t size, void *value, size_t *got),   \
      (of, what, size, value, got))                                                                           \
    X(clGetDeviceIDs, (cl_platform_id of, cl_device_type type, cl_uint n, cl_device_id *list, cl_uint *found),\
      (of, type, n, list, found))                                                                             \
    X(clGetDeviceInfo, (cl_device_id of, cl_device_info what, size_t size, void *value, size_t *got),         \
      (of, what, size, value, got))                                                                           \
    X(clGetContextInfo, (cl_context of, cl_context_info what, size_t size, void *value, size_t *got),         \
      (of, what, size, value, got))                                                                           \
    X(clGetCommandQueueInfo,                                                                                  \
      (cl_command_queue of, cl_command_queue_info what, size_t size, void *value, size_t *got),               \
      (of, what, size, value, got))                                                                           \
    X(clGetMemObjectInfo, (cl_mem of, cl_mem_info what, size_t size, void *value, size_t *got),               \
      (of, what, size, value, got))                                                                           \
    X(clGetProgramInfo, (cl_program of, cl_program_info what, size_t size, void *value, size_t *got),         \
      (of, what, size, value, got))                                                                           \
    X(clGetProgramBuildInfo,                                                                                  \
      (cl_program of, cl_device_id dev, cl_program_build_info what, size_t size, void *value, size_t *got),   \
      (of, dev, what, size, value, got))                                                                      \
    X(clGetKernelInfo, (cl_kernel of, cl_kernel_info what, size_t size, void *value, size_t *got),            \
      (of, what, size, value, got))                                                                           \
    X(clGetKernelArgInfo,                                                                                     \
      (cl_kernel of, cl_uint i, cl_kernel_arg_info what, size_t size, void *value, size_t *got),              \
      (of, i, what, size, value, got))                                                                        \
    X(clGetKernelWorkGroupInfo,                                                                               \
      (cl_kernel of, cl_device_id dev, cl_kernel_work_group_info what, size_t size, void *value, size_t *got),\
      (of, dev, what, size, value, got))                                                                      \
    X(clGetKernelSubGroupInfo,                                                                                \
      (cl_kernel of, cl_device_id dev, cl_kernel_sub_group_info what, size_t in_size, const void *in,         \
       size_t size, void *value, size_t *got),                                                                \
      (of, dev, what, in_size, in, size, value, got))                                                         \
    X(clGetKernelSubGroupInfoKHR,                                                                             \
      (cl_kernel of, cl_device_id dev, cl_kernel_sub_group_info what, size_t in_size, const void *in,         \
       size_t size, void *value, size_t *got),                                                                \
      (of, dev, what, in_size, in, size, value, got))                                                         \
    X(clGetEventInfo, (cl_event of, cl_event_info what, size_t size, void *value, size_t *got),               \
      (of, what, size, value, got))                                                                           \
    X(clGetEventProfilingInfo, (cl_event of, cl_profiling_info what, size_t size, void *value, size_t *got),  \
      (of, what, size, value, got))                                                                           \
    X(clBuildProgram,                                                                                         \
      (cl_program program, cl_uint n, const cl_device_id *list, const char *options,                          \
       void(CL_CALLBACK *notify)(cl_program, void *), void *cookie),                                          \
      (program, n, list, options, notify, cookie))                                                            \
    X(clCompileProgram,                                                                                       \
      (cl_program program, cl_uint n, const cl_device_id *list, const char *options, cl_uint headers,         \
       const cl_program *header, const char **name, void(CL_CALLBACK *notify)(cl_program, void *),            \
       void *cookie),                                                                                         \
      (program, n, list, options, headers, header, name, notify, cookie))                                     \
    X(clSetKernelArg, (cl_kernel kernel, cl_uint i, size_t size, const void *value), (kernel, i, size, value))\
    X(clWaitForEvents, (cl_uint n, const cl_event *list), (n, list))                                          \
    X(clSetUserEventStatus, (cl_event event, cl_int value), (event, value))                                   \
    X(clSetEventCallback,                                                                                     \
      (cl_event event, cl_int type, void(CL_CALLBACK *notify)(cl_event, cl_int, void *), void *cookie),       \
      (event, type, notify, cookie))                                                                          \
    X(clSetMemObjectDestructorCallback,                                                                       \
      (cl_mem mem, void(CL_CALLBACK *notify)(cl_mem, void *), void *cookie), (mem, notify, cookie))           \
    X(clFlush, (cl_command_queue queue), (queue))                                                             \
    X(clFinish, (cl_command_queue queue), (queue))

/* X(kind, type, name, (parameters), (arguments)): make an object; the last parameter is errcode_ret. */
#define CLP_CREATE_CALLS(X)                                                                                   \
    X(CLP_KIND_CONTEXT, cl_context, clCreateContext,                                                          \
      (const cl_context_properties *props, cl_uint n, const cl_device_id *list,                               \
       void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *cookie,                   \
       cl_int *errcode_ret),                                                                                  \
      (props, n, list, notify, cookie, errcode_ret))                                                          \
    X(CLP_KIND_CONTEXT, cl_context, clCreateContextFromType,                                                  \
      (const cl_context_properties *props, cl_device_type type,                                               \
       void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *cookie,                   \
       cl_int *errcode_ret),                                                                                  \
      (props, type, notify, cookie, errcode_ret))                                                             \
    X(CLP_KIND_QUEUE, cl_command_queue, clCreateCommandQueue,                                                 \
      (cl_context context, cl_device_id dev, cl_command_queue_properties props, cl_int *errcode_ret),         \
      (context, dev, props, errcode_ret))                                                                     \
    X(CLP_KIND_QUEUE, cl_command_queue, clCreateCommandQueueWithProperties,                                   \
      (cl_context context, cl_device_id dev, const cl_queue_properties *props, cl_int *errcode_ret),          \
      (context, dev, props, errcode_ret))                                                                     \
    X(CLP_KIND_MEM, cl_mem, clCreateBuffer,                                                                   \
      (cl_context context, cl_mem_flags flags, size_t size, void *host, cl_int *errcode_ret),                 \
      (context, flags, size, host, errcode_ret))                                                              \
    X(CLP_KIND_MEM, cl_mem, clCreateBufferWithProperties,                                                     \
      (cl_context context, const cl_mem_properties *props, cl_mem_flags flags, size_t size, void *host,       \
       cl_int *errcode_ret),                                                                                  \
      (context, props, flags, size, host, errcode_ret))                                                       \
    X(CLP_KIND_MEM, cl_mem, clCreateSubBuffer,                                                                \
      (cl_mem mem, cl_mem_flags flags, cl_buffer_create_type type, const void *info, cl_int *errcode_ret),    \
      (mem, flags, type, info, errcode_ret))                                                                  \
    X(CLP_KIND_PROGRAM, cl_program, clCreateProgramWithSource,                                                \
      (cl_context context, cl_uint n, const char **text, const size_t *size, cl_int *errcode_ret),            \
      (context, n, text, size, errcode_ret))                                                                  \
    X(CLP_KIND_PROGRAM, cl_program, clCreateProgramWithBinary,                                                \
      (cl_context context, cl_uint n, const cl_device_id *list, const size_t *size,                           \
       const unsigned char **binary, cl_int *each, cl_int *errcode_ret),                                      \
      (context, n, list, size, binary, each, errcode_ret))                                                    \
    X(CLP_KIND_PROGRAM, cl_program, clLinkProgram,                                                            \
      (cl_context context, cl_uint n, const cl_device_id *list, const char *options, cl_uint inputs,          \
       const cl_program *input, void(CL_CALLBACK *notify)(cl_program, void *), void *cookie,                  \
       cl_int *errcode_ret),                                                                                  \
      (context, n, list, options, inputs, input, notify, cookie, errcode_ret))                                \
    X(CLP_KIND_KERNEL, cl_kernel, clCreateKernel,                                                             \
      (cl_program program, const char *name, cl_int *errcode_ret), (program, name, errcode_ret))              \
    X(CLP_KIND_KERNEL, cl_kernel, clCloneKernel, (cl_kernel kernel, cl_int *errcode_ret),                     \
      (kernel, errcode_ret))                                                                                  \
    X(CLP_KIND_EVENT, cl_event, clCreateUserEvent, (cl_context context, cl_int *errcode_ret),                 \
      (context, errcode_ret))

/* X(name, (parameters), (arguments)): return a status and make an event if the last parameter is not NULL. */
#define CLP_ENQUEUE_CALLS(X)                                                                                  \
    X(clEnqueueNDRangeKernel,                                                                                 \
      (cl_command_queue queue, cl_kernel kernel, cl_uint dims, const size_t *offset, const size_t *global,    \
       const size_t *local, cl_uint n, const cl_event *wait, cl_event *event),                                \
      (queue, kernel, dims, offset, global, local, n, wait, event))                                           \
    X(clEnqueueReadBuffer,                                                                                    \
      (cl_command_queue queue, cl_mem mem, cl_bool blocking, size_t offset, size_t size, void *host,          \
       cl_uint n, const cl_event *wait, cl_event *event),                                                     \
      (queue, mem, blocking, offset, size, host, n, wait, event))                                             \
    X(clEnqueueWriteBuffer,                                                                                   \
      (cl_command_queue queue, cl_mem mem, cl_bool blocking, size_t offset, size_t size, const void *host,    \
       cl_uint n, const cl_event *wait, cl_event *event),                                                     \
      (queue, mem, blocking, offset, size, host, n, wait, event))                                             \
    X(clEnqueueCopyBuffer,                                                                                    \
      (cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset, size_t to_offset, size_t size,     \
       cl_uint n, const cl_event *wait, cl_event *event),                                                     \
      (queue, from, to, from_offset, to_offset, size, n, wait, event))                                        \
    X(clEnqueueFillBuffer,                                                                                    \
      (cl_command_queue queue, cl_mem mem, const void *pattern, size_t pattern_size, size_t offset,           \
       size_t size, cl_uint n, const cl_event *wait, cl_event *event),                                        \
      (queue, mem, pattern, pattern_size, offset, size, n, wait, event))                                      \
    X(clEnqueueMigrateMemObjects,                                                                             \
      (cl_command_queue queue, cl_uint mems, const cl_mem *mem, cl_mem_migration_flags flags, cl_uint n,      \
       const cl_event *wait, cl_event *event),                                                                \
      (queue, mems, mem, flags, n, wait, event))                                                              \
    X(clEnqueueUnmapMemObject,                                                                                \
      (cl_command_queue queue, cl_mem mem, void *host, cl_uint n, const cl_event *wait, cl_event *event),     \
      (queue, mem, host, n, wait, event))                                                                     \
    X(clEnqueueMarkerWithWaitList,                                                                            \
      (cl_command_queue queue, cl_uint n, const cl_event *wait, cl_event *event), (queue, n, wait, event))    \
    X(clEnqueueBarrierWithWaitList,                                                                           \
      (cl_command_queue queue, cl_uint n, const cl_event *wait, cl_event *event), (queue, n, wait, event))

/* X(name, (parameters), (arguments)): like an enqueue, but returns a pointer and has errcode_ret after event. */
#define CLP_MAP_CALLS(X)                                                                                      \
    X(clEnqueueMapBuffer,                                                                                     \
      (cl_command_queue queue, cl_mem mem, cl_bool blocking, cl_map_flags flags, size_t offset, size_t size,  \
       cl_uint n, const cl_event *wait, cl_event *event, cl_int *errcode_ret),                                \
      (queue, mem, blocking, flags, offset, size, n, wait, event, errcode_ret))

/* X(kind, type, suffix): clRetain<suffix> and clRelease<suffix>. */
#define CLP_COUNTED_TYPES(X)                                                                                  \
    X(CLP_KIND_DEVICE, cl_device_id, Device)                                                                  \
    X(CLP_KIND_CONTEXT, cl_context, Context)                                                                  \
    X(CLP_KIND_QUEUE, cl_command_queue, CommandQueue)                                                         \
    X(CLP_KIND_MEM, cl_mem, MemObject)                                                                        \
    X(CLP_KIND_PROGRAM, cl_program, Program)                                                                  \
    X(CLP_KIND_KERNEL, cl_kernel, Kernel)                                                                     \
    X(CLP_KIND_EVENT, cl_event, Event)

/* X(name): entry points that are handed on as they are: they make nothing and cannot fail with a status. */
#define CLP_FORWARDED_CALLS(X)                                                                                \
    X(clGetExtensionFunctionAddress)                                                                          \
    X(clGetExtensionFunctionAddressForPlatform)                                                               \
    X(clUnloadPlatformCompiler)

/* clang-format on */

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What every call does: check its arguments, get scratch memory, enqueue launches in order, hand out the
 * event. */
#include "internal.h"

bool clp_reserved_zero(const uint32_t reserved[8]) {
    uint32_t any = 0;
    for (int i = 0; i < 8; i++)
        any |= reserved[i];
    return any == 0;
}

static clp_status check_queue(struct clp_call *call) {
    const clp_context *context = call->context;
    cl_context queue_context = NULL;
    cl_device_id queue_device = NULL;
    cl_command_queue_properties properties = 0;
    if (!call->queue)
        return clp_fail(CLP_INVALID_QUEUE, "queue is NULL");
    cl_int code =
        clGetCommandQueueInfo(call->queue, CL_QUEUE_CONTEXT, sizeof(cl_context), &queue_context, NULL);
    if (code == CL_SUCCESS)
        code = clGetCommandQueueInfo(call->queue, CL_QUEUE_DEVICE, sizeof(cl_device_id), &queue_device, NULL);
    if (code == CL_SUCCESS)
        code = clGetCommandQueueInfo(call->queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL);
    if (code != CL_SUCCESS)
        return clp_fail_cl(code, "clGetCommandQueueInfo");
    if (queue_context != context->cl)
        return clp_fail(CLP_INVALID_QUEUE, "the queue belongs to another OpenCL context");
    if (queue_device != context->device)
        return clp_fail(CLP_INVALID_QUEUE, "the queue belongs to another device");
    if (properties & CL_QUEUE_ON_DEVICE)
        return clp_fail(CLP_INVALID_QUEUE, "the queue is an on-device queue");
    call->in_order = !(properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    return CLP_SUCCESS;
}

clp_status clp_call_begin(struct clp_call *call, clp_context *context, cl_command_queue queue,
                          cl_uint num_waits, const cl_event *waits, cl_event *event) {
    if (event)
        *event = NULL;
    *call = (struct clp_call){.context = context,
                              .queue = queue,
                              .num_waits = num_waits,
                              .waits = waits,
                              .want_event = event != NULL};
    if (!context)
        return clp_fail(CLP_INVALID_ARGUMENT, "context is NULL");
    if ((num_waits == 0) != (waits == NULL))
        return clp_fail(CL_INVALID_EVENT_WAIT_LIST, "num_events_in_wait_list is %u but event_wait_list is %s",
                        (unsigned)num_waits, waits ? "not NULL" : "NULL");
    for (cl_uint i = 0; i < num_waits; i++)
        if (!waits[i])
            return clp_fail(CL_INVALID_EVENT_WAIT_LIST, "event_wait_list[%u] is NULL", (unsigned)i);
    return check_queue(call);
}

/* Root buffer, origin and size of a buffer or sub-buffer; checks context, kind and flags. */
static clp_status look_at(const clp_context *context, cl_mem mem, int access, const char *name, cl_mem *root,
                          size_t *origin, size_t *size) {
    cl_mem_object_type type = 0;
    cl_mem_flags flags = 0;
    cl_context mem_context = NULL;
    cl_mem parent = NULL;
    *origin = 0;
    cl_int code = clGetMemObjectInfo(mem, CL_MEM_TYPE, sizeof type, &type, NULL);
    if (code == CL_SUCCESS)
        code = clGetMemObjectInfo(mem, CL_MEM_CONTEXT, sizeof(cl_context), &mem_context, NULL);
    if (code == CL_SUCCESS)
        code = clGetMemObjectInfo(mem, CL_MEM_FLAGS, sizeof flags, &flags, NULL);
    if (code == CL_SUCCESS)
        code = clGetMemObjectInfo(mem, CL_MEM_SIZE, sizeof *size, size, NULL);
    if (code == CL_SUCCESS)
        code = clGetMemObjectInfo(mem, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof(cl_mem), &parent, NULL);
    if (code == CL_SUCCESS && parent)
        code = clGetMemObjectInfo(mem, CL_MEM_OFFSET, sizeof *origin, origin, NULL);
    if (code != CL_SUCCESS)
        return clp_fail(code, "%s: clGetMemObjectInfo failed with %d (%s)", name, (int)code,
                        clp_status_name(code));
    if (type != CL_MEM_OBJECT_BUFFER)
        return clp_fail(CLP_INVALID_BUFFER, "%s is a memory object but no buffer", name);
    if (mem_context != context->cl)
        return clp_fail(CLP_INVALID_BUFFER, "%s belongs to another OpenCL context", name);
    if ((access & CLP_READ) && (flags & CL_MEM_WRITE_ONLY))
        return clp_fail(CLP_INVALID_BUFFER, "%s is read but was made CL_MEM_WRITE_ONLY", name);
    if ((access & CLP_WRITE) && (flags & CL_MEM_READ_ONLY))
        return clp_fail(CLP_INVALID_BUFFER, "%s is written but was made CL_MEM_READ_ONLY", name);
    *root = parent ? parent : mem;
    return CLP_SUCCESS;
}

clp_status clp_check_range(const clp_context *context, clp_buffer buffer, size_t element_size, size_t count,
                           int access, const char *name, struct clp_range *range) {
    *range = (struct clp_range){.name = name};
    if (!buffer.mem) {
        if (count == 0)
            return CLP_SUCCESS; /* OpenCL has no empty buffers, so an empty array has none */
        return clp_fail(CLP_INVALID_BUFFER, "%s.mem is NULL", name);
    }
    size_t origin, size;
    const clp_status status = look_at(context, buffer.mem, access, name, &range->root, &origin, &size);
    if (status != CLP_SUCCESS)
        return status;
    const size_t elements = size / element_size;
    if (buffer.offset > elements || count > elements - buffer.offset)
        return clp_fail(CLP_OUT_OF_RANGE,
                        "%s: %zu elements of %zu bytes from element %zu do not fit into %zu bytes", name,
                        count, element_size, buffer.offset, size);
    range->begin = origin + buffer.offset * element_size;
    range->end = range->begin + count * element_size;
    return CLP_SUCCESS;
}

clp_status clp_check_disjoint(const struct clp_range *a, const struct clp_range *b) {
    const bool empty = a->begin == a->end || b->begin == b->end;
    if (!empty && a->root && a->root == b->root && a->begin < b->end && b->begin < a->end)
        return clp_fail(CLP_OVERLAP, "%s (bytes %zu to %zu) and %s (bytes %zu to %zu) overlap", a->name,
                        a->begin, a->end, b->name, b->begin, b->end);
    return CLP_SUCCESS;
}

clp_status clp_call_scratch(struct clp_call *call, const clp_workspace *workspace, size_t size,
                            const struct clp_range *others, int num_others) {
    clp_status status = CLP_SUCCESS;
    if (workspace) {
        struct clp_range range;
        if (workspace->size < size)
            return clp_fail(CLP_WORKSPACE_TOO_SMALL, "the workspace has %zu bytes, %zu are needed",
                            workspace->size, size);
        status = clp_check_range(call->context, (clp_buffer){workspace->mem, workspace->offset}, 1,
                                 workspace->size, CLP_READ | CLP_WRITE, "workspace", &range);
        if (status == CLP_SUCCESS && range.begin % CLP_WORKSPACE_ALIGNMENT != 0)
            status =
                clp_fail(CLP_MISALIGNED, "the workspace starts at byte %zu of its memory, no multiple of %d",
                         range.begin, CLP_WORKSPACE_ALIGNMENT);
        for (int i = 0; i < num_others && status == CLP_SUCCESS; i++)
            status = clp_check_disjoint(&range, &others[i]);
        if (status != CLP_SUCCESS)
            return status;
    }
    status = clp_block_lease(call->context, call->queue, call->in_order, workspace ? 0 : size, &call->block);
    if (status != CLP_SUCCESS)
        return status;
    call->scratch = workspace ? workspace->mem : call->block->scratch;
    call->scratch_begin = workspace ? workspace->offset : 0;
    return CLP_SUCCESS;
}

size_t clp_call_scratch_offset(const struct clp_call *call, size_t size) {
    return call->scratch_begin / size + (call->scratch_begin % size != 0);
}

clp_status clp_call_launch(struct clp_call *call, struct clp_variant *variant, int index,
                           const struct clp_arg *args, int num_args, size_t groups, bool final) {
    struct clp_kernel *kernel;
    clp_status status = clp_kernel_take(call->context, variant, index, &kernel);
    if (status != CLP_SUCCESS)
        return status;
    cl_int code = CL_SUCCESS;
    for (int i = 0; i < num_args && code == CL_SUCCESS; i++)
        code = clSetKernelArg(kernel->cl, (cl_uint)i, args[i].size, args[i].value);
    if (code != CL_SUCCESS) {
        status = clp_fail_cl(code, "clSetKernelArg");
    } else {
        /* The first launch waits for the caller's events, the others for the launch before. */
        const bool chained = call->launched && !call->in_order;
        const cl_uint num_waits = chained ? 1 : call->launched ? 0 : call->num_waits;
        const cl_event *waits = num_waits == 0 ? NULL : chained ? &call->last : call->waits;
        const bool need_event = !call->in_order || (final && call->want_event);
        const size_t local = clp_variant_work_group_size(variant), global = groups * local;
        cl_event event = NULL;
        code = clEnqueueNDRangeKernel(call->queue, kernel->cl, 1, NULL, &global, &local, num_waits, waits,
                                      need_event ? &event : NULL);
        if (code != CL_SUCCESS) {
            status = clp_fail_cl(code, "clEnqueueNDRangeKernel");
        } else {
            if (call->last)
                clReleaseEvent(call->last);
            call->last = event;
            call->launched = true;
        }
    }
    clp_kernel_give(call->context, variant, kernel);
    return status;
}

clp_status clp_call_end(struct clp_call *call, clp_status status, cl_event *event) {
    if (status == CLP_SUCCESS && event) {
        /* An out-of-order queue's event is the block's too. */
        const cl_int code = call->in_order ? CL_SUCCESS : clRetainEvent(call->last);
        if (code != CL_SUCCESS)
            status = clp_fail_cl(code, "clRetainEvent");
        else
            *event = call->last;
        if (call->in_order)
            call->last = NULL;
    }
    if (call->block)
        clp_block_return(call->context, call->block, call->queue, call->in_order, call->launched, call->last);
    else if (call->last)
        clReleaseEvent(call->last);
    return status;
}

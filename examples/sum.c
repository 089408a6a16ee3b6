#include <clpatterns/clpatterns.h>
#include <stdio.h>

int main(void) {
    float data[] = {1.5f, 2.25f, -0.75f, 39.0f}, sum = 0;
    clp_context *ctx;
    if (clp_context_pick(NULL, &ctx) != CLP_SUCCESS)
        return fprintf(stderr, "%s\n", clp_last_detail()), 1;
    clp_buffer in = {clCreateBuffer(clp_context_cl(ctx), CL_MEM_COPY_HOST_PTR, sizeof data, data, NULL), 0};
    clp_buffer out = {clCreateBuffer(clp_context_cl(ctx), CL_MEM_READ_WRITE, sizeof sum, NULL, NULL), 0};
    cl_command_queue queue = clp_context_queue(ctx);
    clp_reduce_desc desc = {.type = CLP_F32, .op = CLP_SUM};
    clp_status status = clp_reduce(ctx, queue, &desc, in, out, 4, NULL, 0, NULL, NULL);
    if (status == CLP_SUCCESS)
        status = clEnqueueReadBuffer(queue, out.mem, CL_TRUE, 0, sizeof sum, &sum, 0, NULL, NULL);
    printf("%s: %g\n", clp_status_name(status), sum);
    clReleaseMemObject(in.mem);
    clReleaseMemObject(out.mem);
    clp_context_destroy(ctx);
    return status != CLP_SUCCESS;
}

#include <clpatterns/clpatterns.h>
#include <stdio.h>

typedef struct {
    cl_float m, c;
} affine; /* x -> m x + c */

int main(void) {
    affine maps[] = {{2, 1}, {0.5f, -3}, {4, 0}, {1, 17}}, all = {0, 0};
    const affine identity = {1, 0};
    const clp_user user = {.declarations = "typedef struct { float m, c; } affine;\n"
                                           "affine then(affine a, affine b) {\n"
                                           "    affine both;\n"
                                           "    both.m = a.m * b.m;\n"
                                           "    both.c = a.c * b.m + b.c;\n"
                                           "    return both;\n"
                                           "}\n",
                           .type = "affine",
                           .type_size = sizeof(affine),
                           .op = "then(a, b)",
                           .identity = &identity};
    const clp_reduce_desc desc = {.type = CLP_USER, .op = CLP_OP_USER, .user = &user};
    clp_context *ctx;
    if (clp_context_pick(NULL, &ctx) != CLP_SUCCESS)
        return fprintf(stderr, "%s\n", clp_last_detail()), 1;
    clp_buffer in = {clCreateBuffer(clp_context_cl(ctx), CL_MEM_COPY_HOST_PTR, sizeof maps, maps, NULL), 0};
    clp_buffer out = {clCreateBuffer(clp_context_cl(ctx), CL_MEM_READ_WRITE, sizeof all, NULL, NULL), 0};
    cl_command_queue queue = clp_context_queue(ctx);
    clp_status status = clp_reduce(ctx, queue, &desc, in, out, 4, NULL, 0, NULL, NULL);
    if (status == CL_BUILD_PROGRAM_FAILURE)
        fprintf(stderr, "%s\n", clp_last_build_log());
    if (status == CLP_SUCCESS)
        status = clEnqueueReadBuffer(queue, out.mem, CL_TRUE, 0, sizeof all, &all, 0, NULL, NULL);
    printf("%s: x -> %g x + %g\n", clp_status_name(status), all.m, all.c);
    clReleaseMemObject(in.mem);
    clReleaseMemObject(out.mem);
    clp_context_destroy(ctx);
    return status != CLP_SUCCESS;
}

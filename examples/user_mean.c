#include <clpatterns/clpatterns.h>
#include <math.h>
#include <stdio.h>

typedef struct {
    cl_float mean;
    cl_uint count;
} part; /* the mean of so many numbers */

int main(void) {
    float data[1000];
    for (int i = 0; i < 1000; i++)
        data[i] = i % 10 == 0 ? NAN : (float)i; /* NaN: nothing was measured */
    part all = {0, 0};
    const part nothing = {0, 0};
    const clp_user user = {.declarations = "typedef struct { float mean; uint count; } part;\n"
                                           "part of(float x) {\n"
                                           "    part one;\n"
                                           "    one.count = x == x; // a NaN is not equal to itself\n"
                                           "    one.mean = one.count ? x : 0;\n"
                                           "    return one;\n"
                                           "}\n"
                                           "part merge(part a, part b) {\n"
                                           "    part both = a.count ? a : b;\n"
                                           "    if (a.count && b.count) {\n"
                                           "        both.count = a.count + b.count;\n"
                                           "        both.mean += (b.mean - a.mean) * b.count / both.count;\n"
                                           "    }\n"
                                           "    return both;\n"
                                           "}\n",
                           .type = "part",
                           .type_size = sizeof(part),
                           .transform = "of(x)",
                           .value = CLP_USER,
                           .op = "merge(a, b)",
                           .identity = &nothing};
    const clp_reduce_desc desc = {.type = CLP_F32, .op = CLP_OP_USER, .user = &user};
    clp_context *ctx;
    if (clp_context_pick(NULL, &ctx) != CLP_SUCCESS)
        return fprintf(stderr, "%s\n", clp_last_detail()), 1;
    clp_buffer in = {clCreateBuffer(clp_context_cl(ctx), CL_MEM_COPY_HOST_PTR, sizeof data, data, NULL), 0};
    clp_buffer out = {clCreateBuffer(clp_context_cl(ctx), CL_MEM_READ_WRITE, sizeof all, NULL, NULL), 0};
    cl_command_queue queue = clp_context_queue(ctx);
    clp_status status = clp_reduce(ctx, queue, &desc, in, out, 1000, NULL, 0, NULL, NULL);
    if (status == CL_BUILD_PROGRAM_FAILURE)
        fprintf(stderr, "%s\n", clp_last_build_log());
    if (status == CLP_SUCCESS)
        status = clEnqueueReadBuffer(queue, out.mem, CL_TRUE, 0, sizeof all, &all, 0, NULL, NULL);
    printf("%s: mean %g of %u numbers\n", clp_status_name(status), all.mean, (unsigned)all.count);
    clReleaseMemObject(in.mem);
    clReleaseMemObject(out.mem);
    clp_context_destroy(ctx);
    return status != CLP_SUCCESS;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What check, run and bench need of reduce. */
#include "npy.h"
#include "patterns.h"
#include "reference.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The fifth field: benched without being asked for by name. */
static const struct pattern_case cases[] = {
    {"sum", CLP_I8, CLP_I64, CLP_SUM, false},      {"max", CLP_I8, CLP_I8, CLP_MAX, false},
    {"sum", CLP_U8, CLP_U64, CLP_SUM, false},      {"sum", CLP_U8, CLP_U32, CLP_SUM, false},
    {"max", CLP_U8, CLP_U8, CLP_MAX, false},       {"sum", CLP_I16, CLP_I64, CLP_SUM, false},
    {"max", CLP_I16, CLP_I16, CLP_MAX, false},     {"sum", CLP_U16, CLP_U64, CLP_SUM, false},
    {"max", CLP_U16, CLP_U16, CLP_MAX, false},     {"sum", CLP_I32, CLP_I64, CLP_SUM, true},
    {"sum", CLP_I32, CLP_I32, CLP_SUM, false},     {"min", CLP_I32, CLP_I32, CLP_MIN, false},
    {"max", CLP_I32, CLP_I32, CLP_MAX, false},     {"sum", CLP_U32, CLP_U64, CLP_SUM, false},
    {"sum", CLP_U32, CLP_U32, CLP_SUM, false},     {"min", CLP_U32, CLP_U32, CLP_MIN, false},
    {"max", CLP_U32, CLP_U32, CLP_MAX, false},     {"xor", CLP_U32, CLP_U32, CLP_XOR, false},
    {"sum", CLP_I64, CLP_I64, CLP_SUM, false},     {"max", CLP_I64, CLP_I64, CLP_MAX, false},
    {"sum", CLP_U64, CLP_U64, CLP_SUM, false},     {"max", CLP_U64, CLP_U64, CLP_MAX, false},
    {"sum", CLP_F16, CLP_F32, CLP_SUM, false},     {"max", CLP_F16, CLP_F16, CLP_MAX, false},
    {"sum", CLP_BF16, CLP_F32, CLP_SUM, false},    {"max", CLP_BF16, CLP_BF16, CLP_MAX, false},
    {"sum", CLP_F32, CLP_F32, CLP_SUM, true},      {"min", CLP_F32, CLP_F32, CLP_MIN, false},
    {"max", CLP_F32, CLP_F32, CLP_MAX, true},      {"norm2", CLP_F32, CLP_F32, CLP_NORM2, false},
    {"all", CLP_F32, CLP_U8, CLP_ALL, false},      {"sum", CLP_F64, CLP_F64, CLP_SUM, true},
    {"min", CLP_F64, CLP_F64, CLP_MIN, false},     {"max", CLP_F64, CLP_F64, CLP_MAX, false},
    {"norm2", CLP_F64, CLP_F64, CLP_NORM2, false},
};
static clp_reduce_desc describe(const struct pattern_case *what, clp_schedule schedule) {
    return (clp_reduce_desc){
        .type = what->type, .op = (clp_op)what->operation, .result = what->result, .schedule = schedule};
}

static size_t output_count(const struct pattern_case *what, size_t n) {
    (void)what;
    (void)n;
    return 1;
}

static clp_status cost(const struct pattern_case *what, size_t n, clp_cost *the_cost) {
    const clp_reduce_desc desc = describe(what, CLP_SCHEDULE_DEFAULT);
    return clp_reduce_cost(&desc, n, the_cost);
}

static void reference(const struct pattern_case *what, const void *in, size_t n, void *out) {
    const clp_reduce_desc desc = describe(what, CLP_SCHEDULE_DEFAULT);
    ref_reduce(&desc, in, n, out);
}

static clp_status plan(const struct pattern_call *call, clp_plan *the_plan) {
    const clp_reduce_desc desc = describe(call->what, call->schedule);
    return clp_reduce_plan(call->context, &desc, call->n, the_plan);
}

static clp_status enqueue(const struct pattern_call *call, cl_event *event) {
    const clp_reduce_desc desc = describe(call->what, call->schedule);
    return clp_reduce(call->context, call->queue, &desc, call->in, call->out, call->n, NULL, 0, NULL, event);
}

static double element(clp_type type, const void *in, size_t i) {
    const uint16_t bits = type == CLP_F16 || type == CLP_BF16 ? ((const uint16_t *)in)[i] : 0;
    const double sign = bits & 0x8000 ? -1 : 1;
    const int exponent = bits >> 10 & 31;
    switch (type) {
    case CLP_F16:
        return sign * ldexp(exponent == 0 ? bits & 0x3ff : (bits & 0x3ff) | 0x400,
                            exponent == 0 ? -24 : exponent - 25);
    case CLP_BF16:
        return sign * ldexp((bits & 0x7f) | 0x80, (bits >> 7 & 255) - 134); /* of a normal number */
    case CLP_F32:
        return (double)((const float *)in)[i];
    default:
        return ((const double *)in)[i];
    }
}

/* Integers, minima and maxima must be exact. A sum of floats in an order we do not know may differ by
 * u · sqrt(n) · Σ|x|, u half an ulp of 1: a serial loop of random signs stays well within. */
static bool peer_is_right(const struct pattern_case *what, const void *in, size_t n, const void *expected,
                          const void *got) {
    double sum = 0, difference;
    if (what->operation != CLP_SUM || what->type < CLP_F16)
        return memcmp(expected, got, clp_type_size(what->result)) == 0;
    for (size_t i = 0; i < n; i++)
        sum += fabs(element(what->type, in, i));
    difference = fabs(element(what->result, expected, 0) - element(what->result, got, 0));
    return difference <= (what->type == CLP_F64 ? 0x1p-53 : 0x1p-24) * sqrt((double)n) * sum;
}

/* As many digits as bring the same bits back; not a number and infinities as NumPy prints them. */
static void print_value(clp_type type, const void *value) {
    union {
        int32_t i32;
        uint32_t u32;
        int64_t i64;
        uint64_t u64;
        float f32;
        double f64;
    } v;
    memcpy(&v, value, clp_type_size(type));
    if (type == CLP_I32)
        printf("%lld\n", (long long)v.i32);
    else if (type == CLP_U32)
        printf("%llu\n", (unsigned long long)v.u32);
    else if (type == CLP_I64)
        printf("%lld\n", (long long)v.i64);
    else if (type == CLP_U64)
        printf("%llu\n", (unsigned long long)v.u64);
    else if (type == CLP_F32 ? isnan(v.f32) : isnan(v.f64))
        printf("nan\n");
    else if (type == CLP_F32)
        printf("%.9g\n", (double)v.f32);
    else
        printf("%.17g\n", v.f64);
}

/* Copies the array to the device, reduces it and brings the value back. */
static clp_status reduce_array(clp_context *context, const clp_reduce_desc *desc, const struct npy *array,
                               void *value) {
    cl_context cl = clp_context_cl(context);
    cl_command_queue queue = clp_context_queue(context);
    const size_t in_size = array->count * clp_type_size(array->type);
    const size_t out_size = clp_type_size(clp_reduce_result_type(desc));
    cl_int status = CL_SUCCESS;
    cl_mem in = NULL, out = clCreateBuffer(cl, CL_MEM_READ_WRITE, out_size, NULL, &status);
    if (status == CL_SUCCESS && in_size > 0)
        in = clCreateBuffer(cl, CL_MEM_READ_ONLY, in_size, NULL, &status);
    if (status == CL_SUCCESS && in_size > 0)
        status = clEnqueueWriteBuffer(queue, in, CL_TRUE, 0, in_size, array->data, 0, NULL, NULL);
    if (status == CL_SUCCESS)
        status = clp_reduce(context, queue, desc, (clp_buffer){in, 0}, (clp_buffer){out, 0}, array->count,
                            NULL, 0, NULL, NULL);
    if (status == CL_SUCCESS)
        status = clEnqueueReadBuffer(queue, out, CL_TRUE, 0, out_size, value, 0, NULL, NULL);
    if (in != NULL)
        clReleaseMemObject(in);
    if (out != NULL)
        clReleaseMemObject(out);
    return status;
}

static int run_file(struct program *program, clp_reduce_desc desc, bool same, const char *in,
                    const char *out) {
    char message[NPY_MESSAGE_SIZE];
    uint64_t value = 0;
    struct npy array, result = {0};
    clp_context *context;
    clp_status status = CLP_SUCCESS;
    int exit_status = STATUS_USAGE;
    if (!npy_read(in, &array, message)) {
        complain("%s: %s", in, message);
        return STATUS_USAGE;
    }
    desc.type = array.type;
    desc.result = same ? array.type : CLP_TYPE_INVALID;
    result.type = clp_reduce_result_type(&desc);
    if (result.type == CLP_TYPE_INVALID) {
        complain("%s: reduce %s has no form for elements of type %s", in, clp_op_name(desc.op),
                 clp_type_name(array.type));
        npy_free(&array);
        return STATUS_USAGE;
    }
    result.count = 1;
    result.data = &value;
    context = program_open(program, program->device);
    if (context != NULL) {
        const clp_device_info *info = clp_context_info(context);
        const size_t size = array.count * clp_type_size(array.type);
        if (info != NULL && size > info->max_allocation)
            complain("%s: its %zu bytes are more than the largest buffer of this device (%llu bytes)", in,
                     size, (unsigned long long)info->max_allocation);
        else if ((status = reduce_array(context, &desc, &array, &value)) != CLP_SUCCESS)
            complain_status(in, status);
        else if (out != NULL && !npy_write(out, &result, message))
            complain("%s: %s", out, message);
        else
            exit_status = STATUS_OK;
        if (exit_status == STATUS_OK && out == NULL)
            print_value(result.type, &value);
        clp_context_destroy(context);
    }
    npy_free(&array);
    return exit_status;
}

static int run(struct program *program, int argc, char **argv) {
    enum { OPTION_OP = OPTION_OWN, OPTION_RESULT };
    static const struct option options[] = {PROGRAM_LONG_OPTIONS,
                                            {"op", required_argument, NULL, OPTION_OP},
                                            {"type-result", required_argument, NULL, OPTION_RESULT},
                                            {"output", required_argument, NULL, 'o'},
                                            {NULL, 0, NULL, 0}};
    clp_reduce_desc desc = {0};
    const char *out = NULL;
    bool same = false;
    program_restart_getopt();
    for (int option; (option = getopt_long(argc, argv, "ho:", options, NULL)) != -1;) {
        switch (option) {
        case 'h':
            puts("usage: clpatterns run reduce --op sum|min|max [--type-result same|wide] IN.npy [-o "
                 "OUT.npy]\n"
                 "Prints the value with all its digits, or writes it as an array without dimensions.\n"
                 "Elements: i4, u4, f4, f8. A sum of integers is 64 bits wide unless --type-result same.");
            return STATUS_OK;
        case 'o':
            out = optarg;
            break;
        case OPTION_OP:
            desc.op = clp_op_from_name(optarg);
            if (desc.op == CLP_OP_INVALID) {
                complain("--op is sum, min or max, not '%s'", optarg);
                return STATUS_USAGE;
            }
            break;
        case OPTION_RESULT:
            same = strcmp(optarg, "same") == 0;
            if (!same && strcmp(optarg, "wide") != 0) {
                complain("--type-result is same or wide, not '%s'", optarg);
                return STATUS_USAGE;
            }
            break;
        default:
            if (!program_option(program, option, optarg))
                return STATUS_USAGE;
        }
    }
    if (desc.op == CLP_OP_INVALID || argc - optind != 1) {
        complain("usage: run reduce --op sum|min|max [--type-result same|wide] IN.npy [-o OUT.npy]");
        return STATUS_USAGE;
    }
    return run_file(program, desc, same, argv[optind], out);
}

extern const struct peer *const peers_reduce[];
extern const struct pattern pattern_reduce;

const struct pattern pattern_reduce = {
    .name = "reduce",
    .summary = "many elements to one: sum, min, max",
    .limit = LIMIT_READ,
    .cases = cases,
    .case_count = sizeof cases / sizeof *cases,
    .output_count = output_count,
    .cost = cost,
    .reference = reference,
    .plan = plan,
    .enqueue = enqueue,
    .run = run,
    .peer_is_right = peer_is_right,
    .peers = peers_reduce,
};

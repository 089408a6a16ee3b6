/* SPDX-License-Identifier: Apache-2.0 */
/* What check, run and bench need of scan. */
#include "npy.h"
#include "patterns.h"
#include "reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* operation: the operator, and this for exclusive scans. */
enum { EXCLUSIVE = 256 };
#define INC(name, type, result, op, benched)                                                                 \
    { name, type, result, op, 0, LAYOUT_WHOLE, benched }
#define PARTED(name, type, result, op, layout, benched)                                                      \
    { name, type, result, op, 0, layout, benched }
#define EXC(name, type, result, op, benched)                                                                 \
    { "exclusive_" name, type, result, (op) + EXCLUSIVE, 0, LAYOUT_WHOLE, benched }

/* The fifth field: benched without being asked for by name. */
static const struct pattern_case cases[] = {
    INC("sum", CLP_I8, CLP_I8, CLP_SUM, false), EXC("sum", CLP_U8, CLP_U32, CLP_SUM, false),
    EXC("min", CLP_U16, CLP_U16, CLP_MIN, false), INC("sum", CLP_I32, CLP_I32, CLP_SUM, false),
    INC("sum", CLP_I32, CLP_I64, CLP_SUM, false), EXC("sum", CLP_U32, CLP_U32, CLP_SUM, true),
    INC("xor", CLP_U32, CLP_U32, CLP_XOR, false), EXC("sum", CLP_U64, CLP_U64, CLP_SUM, false),
    INC("sum", CLP_F16, CLP_F16, CLP_SUM, false), INC("max", CLP_BF16, CLP_BF16, CLP_MAX, false),
    INC("sum", CLP_F32, CLP_F32, CLP_SUM, true), INC("max", CLP_F32, CLP_F32, CLP_MAX, false),
    INC("sum", CLP_F64, CLP_F64, CLP_SUM, true),
    /* clang-format off */
    PARTED("sum_flags_one", CLP_F32, CLP_F32, CLP_SUM, LAYOUT_FLAGS_ONE, true),
    PARTED("sum_flags_100", CLP_F32, CLP_F32, CLP_SUM, LAYOUT_FLAGS_100, true),
    PARTED("sum_flags_mixed", CLP_F32, CLP_F32, CLP_SUM, LAYOUT_FLAGS_MIXED, true),
    PARTED("sum_keys_100", CLP_F32, CLP_F32, CLP_SUM, LAYOUT_KEYS_100, true),
    PARTED("exclusive_sum_flags_mixed", CLP_F64, CLP_F64, CLP_SUM + EXCLUSIVE, LAYOUT_FLAGS_MIXED, false),
    PARTED("max_keys_mixed", CLP_I32, CLP_I32, CLP_MAX, LAYOUT_KEYS_MIXED, false),
    /* clang-format on */
};

/* Are segments told by flags or keys? CLP_TYPE_INVALID as the type of keys means flags. */
static bool has_heads(const struct pattern_case *what) {
    return work_head_type(what->layout) != CLP_TYPE_INVALID;
}

static clp_type key_type(const struct pattern_case *what) {
    return what->layout >= LAYOUT_KEYS_ONE ? work_head_type(what->layout) : CLP_TYPE_INVALID;
}

static clp_scan_desc describe(const struct pattern_case *what, clp_schedule schedule) {
    return (clp_scan_desc){.type = what->type,
                           .op = (clp_op)(what->operation % EXCLUSIVE),
                           .result = what->result,
                           .kind = what->operation >= EXCLUSIVE ? CLP_SCAN_EXCLUSIVE : CLP_SCAN_INCLUSIVE,
                           .schedule = schedule};
}

static size_t output_count(const struct pattern_work *work) {
    return work->n;
}

static size_t usual_size(const struct pattern_case *what, bool cpu) {
    (void)what, (void)cpu;
    return 0;
}

/* The kernels of levels are those of single and two more, so they are checked where they matter most. */
static bool has_schedule(const struct pattern_case *what, clp_schedule schedule) {
    return schedule == CLP_SCHEDULE_SINGLE ||
           (what->benched &&
            (schedule == CLP_SCHEDULE_LEVELS || (schedule == CLP_SCHEDULE_ONE_PASS && !has_heads(what))));
}

static clp_status cost(const struct pattern_work *work, clp_cost *the_cost) {
    const clp_scan_desc desc = describe(work->what, CLP_SCHEDULE_DEFAULT);
    if (has_heads(work->what))
        return clp_scan_heads_cost(&desc, key_type(work->what), work->n, the_cost);
    return clp_scan_cost(&desc, work->n, the_cost);
}

static void reference(const struct pattern_work *work, const void *in, void *out) {
    const clp_scan_desc desc = describe(work->what, CLP_SCHEDULE_DEFAULT);
    if (!has_heads(work->what)) {
        ref_scan(&desc, in, work->n, out);
        return;
    }
    uint8_t *flags = malloc(work->n + 1);
    if (flags != NULL && key_type(work->what) != CLP_TYPE_INVALID)
        ref_flags_of_keys(key_type(work->what), work->heads, work->n, flags);
    else if (flags != NULL)
        memcpy(flags, work->heads, work->n);
    else
        memset(out, 0, work->n * clp_type_size(work->what->result)); /* what comes out is reported as wrong */
    if (flags != NULL)
        ref_scan_by_flags(&desc, NULL, in, flags, work->n, out);
    free(flags);
}

static clp_status plan(const struct pattern_call *call, clp_plan *the_plan) {
    const clp_scan_desc desc = describe(call->work->what, call->schedule);
    if (has_heads(call->work->what))
        return clp_scan_heads_plan(call->context, &desc, key_type(call->work->what), call->work->n, the_plan);
    return clp_scan_plan(call->context, &desc, call->work->n, the_plan);
}

/* What a call reads and writes. */
struct arrays {
    clp_buffer in, out, heads;
    bool has_heads;
    clp_type key_type; /* CLP_TYPE_INVALID: heads are flags */
    size_t n;
};

static clp_status scan_call(clp_context *context, cl_command_queue queue, const clp_scan_desc *desc,
                            struct arrays a, cl_event *event) {
    if (!a.has_heads)
        return clp_scan(context, queue, desc, a.in, a.out, a.n, NULL, 0, NULL, event);
    if (a.key_type == CLP_TYPE_INVALID)
        return clp_scan_by_flags(context, queue, desc, a.in, a.heads, a.out, a.n, NULL, 0, NULL, event);
    return clp_scan_by_key(context, queue, desc, a.in, a.heads, a.key_type, a.out, a.n, NULL, 0, NULL, event);
}

static clp_status enqueue(const struct pattern_call *call, cl_event *event) {
    const clp_scan_desc desc = describe(call->work->what, call->schedule);
    const struct pattern_work *work = call->work;
    return scan_call(call->context, call->queue, &desc,
                     (struct arrays){.in = call->in,
                                     .out = call->out,
                                     .heads = {work->heads_on_device, 0},
                                     .has_heads = has_heads(work->what),
                                     .key_type = key_type(work->what),
                                     .n = work->n},
                     event);
}

static bool exact(const struct pattern_case *what) {
    (void)what;
    return true;
}

/* Integers, minima and maxima must be exact. A prefix of floats in an order we do not know may differ by
 * u · sqrt(i) · Σ|x|, u half an ulp of 1; 16-bit floats are not judged that finely. */
static bool near_enough(const struct pattern_work *work, const void *in, const void *expected,
                        const void *got) {
    const struct pattern_case *what = work->what;
    const size_t n = work->n;
    double sum = 0;
    if (what->operation % EXCLUSIVE != CLP_SUM || what->type < CLP_F32)
        return memcmp(expected, got, n * clp_type_size(what->result)) == 0;
    for (size_t i = 0; i < n; i++) {
        const bool wide = what->type == CLP_F64;
        const double x = wide ? ((const double *)in)[i] : (double)((const float *)in)[i];
        const double a = wide ? ((const double *)expected)[i] : (double)((const float *)expected)[i];
        const double b = wide ? ((const double *)got)[i] : (double)((const float *)got)[i];
        sum += fabs(x);
        if (!(fabs(a - b) <= (wide ? 0x1p-53 : 0x1p-24) * sqrt((double)(i + 1)) * sum))
            return false;
    }
    return true;
}

/* Copies the array, and flags or keys if there are any, to the device, scans it there and brings the outputs
 * back. */
static clp_status scan_array(clp_context *context, const clp_scan_desc *desc, const struct npy *array,
                             const struct npy *heads, bool keys, void *outputs) {
    cl_context cl = clp_context_cl(context);
    cl_command_queue queue = clp_context_queue(context);
    const size_t in_size = array->count * clp_type_size(array->type);
    const size_t out_size = array->count * clp_type_size(clp_scan_result_type(desc));
    cl_int status = CL_SUCCESS;
    cl_mem in, out = NULL, heads_mem = NULL;
    if (array->count == 0)
        return CLP_SUCCESS;
    in = clCreateBuffer(cl, CL_MEM_READ_ONLY, in_size, NULL, &status);
    if (status == CL_SUCCESS)
        out = clCreateBuffer(cl, CL_MEM_READ_WRITE, out_size, NULL, &status);
    if (status == CL_SUCCESS)
        status = clEnqueueWriteBuffer(queue, in, CL_TRUE, 0, in_size, array->data, 0, NULL, NULL);
    if (status == CL_SUCCESS && heads != NULL)
        heads_mem = clCreateBuffer(cl, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                   heads->count * clp_type_size(heads->type), heads->data, &status);
    if (status == CL_SUCCESS)
        status = scan_call(context, queue, desc,
                           (struct arrays){.in = {in, 0},
                                           .out = {out, 0},
                                           .heads = {heads_mem, 0},
                                           .has_heads = heads != NULL,
                                           .key_type = keys ? heads->type : CLP_TYPE_INVALID,
                                           .n = array->count},
                           NULL);
    if (status == CL_SUCCESS)
        status = clEnqueueReadBuffer(queue, out, CL_TRUE, 0, out_size, outputs, 0, NULL, NULL);
    if (in != NULL)
        clReleaseMemObject(in);
    if (out != NULL)
        clReleaseMemObject(out);
    if (heads_mem != NULL)
        clReleaseMemObject(heads_mem);
    return status;
}

/* What the command line says. */
struct request {
    clp_scan_desc desc;
    const char *init, *in, *out, *flags, *keys;
};

/* Reads --init as a value of the type that the operator computes in. */
static bool read_init(const char *text, clp_type type, void *value) {
    char *end = NULL;
    if (type == CLP_F64) {
        const double number = strtod(text, &end);
        memcpy(value, &number, sizeof number);
    } else if (type == CLP_F32) {
        const float number = strtof(text, &end);
        memcpy(value, &number, sizeof number);
    } else if (type == CLP_U64) {
        const unsigned long long number = strtoull(text, &end, 0);
        memcpy(value, &number, 8);
    } else {
        const long long number = strtoll(text, &end, 0);
        memcpy(value, &number,
               clp_type_size(type)); /* the low bytes: little-endian hosts, as OpenCL's devices */
    }
    return end != text && *end == '\0';
}

/* heads: of --flags or --keys; NULL if neither is given. */
static int scan_read(struct program *program, struct request *request, const struct npy *array,
                     const struct npy *heads) {
    char message[NPY_MESSAGE_SIZE];
    uint64_t init = 0;
    clp_scan_desc *desc = &request->desc;
    desc->type = array->type;
    struct npy result = *array;
    result.type = clp_scan_result_type(desc);
    if (result.type == CLP_TYPE_INVALID) {
        complain("%s: scan %s has no form for elements of type %s", request->in, clp_op_name(desc->op),
                 clp_type_name(array->type));
        return STATUS_USAGE;
    }
    if (request->init != NULL) {
        const clp_type type = result.type == CLP_F16 ? CLP_F32 : result.type;
        if (!read_init(request->init, type, &init) ||
            (desc->op != CLP_SUM && desc->op != CLP_PROD && type != result.type)) {
            complain("--init '%s' is no value of type %s", request->init, clp_type_name(type));
            return STATUS_USAGE;
        }
        desc->init = &init;
    }
    result.data = malloc(array->count * clp_type_size(result.type) + 1);
    clp_context *context = result.data != NULL ? program_open(program, program->device) : NULL;
    int exit_status = STATUS_USAGE;
    if (context != NULL) {
        const clp_device_info *info = clp_context_info(context);
        const size_t size = array->count * clp_type_size(result.type);
        clp_status status = CLP_SUCCESS;
        if (info != NULL && size > info->max_allocation)
            complain(
                "%s: its %zu bytes of outputs are more than the largest buffer of this device (%llu bytes)",
                request->in, size, (unsigned long long)info->max_allocation);
        else if ((status = scan_array(context, desc, array, heads, request->keys != NULL, result.data)) !=
                 CLP_SUCCESS)
            complain_status(request->in, status);
        else if (!npy_write(request->out, &result, message))
            complain("%s: %s", request->out, message);
        else
            exit_status = STATUS_OK;
        clp_context_destroy(context);
    } else if (result.data == NULL) {
        complain("out of memory");
    }
    free(result.data);
    desc->init = NULL; /* it was ours */
    return exit_status;
}

/* Reads the flags or keys, which must be as many as the elements. */
static int scan_with_heads(struct program *program, struct request *request, const struct npy *array) {
    const char *path = request->flags != NULL ? request->flags : request->keys;
    char message[NPY_MESSAGE_SIZE];
    struct npy heads;
    int status = STATUS_USAGE;
    if (path == NULL)
        return scan_read(program, request, array, NULL);
    if (!npy_read(path, &heads, message)) {
        complain("%s: %s", path, message);
        return STATUS_USAGE;
    }
    if (heads.count != array->count)
        complain("%s: it has %zu elements, %s has %zu", path, heads.count, request->in, array->count);
    else if (request->flags != NULL && heads.type != CLP_U8)
        complain("%s: --flags needs elements of type u8, not %s", path, clp_type_name(heads.type));
    else
        status = scan_read(program, request, array, &heads);
    npy_free(&heads);
    return status;
}

static int run(struct program *program, int argc, char **argv) {
    enum { OPTION_OP = OPTION_OWN, OPTION_EXCLUSIVE, OPTION_INIT, OPTION_RESULT, OPTION_FLAGS, OPTION_KEYS };
    static const char usage[] = "run scan --op OP [--exclusive] [--init V] [--result TYPE] "
                                "[--flags F.npy | --keys K.npy] IN.npy -o OUT.npy";
    static const struct option options[] = {PROGRAM_LONG_OPTIONS,
                                            {"op", required_argument, NULL, OPTION_OP},
                                            {"exclusive", no_argument, NULL, OPTION_EXCLUSIVE},
                                            {"init", required_argument, NULL, OPTION_INIT},
                                            {"result", required_argument, NULL, OPTION_RESULT},
                                            {"flags", required_argument, NULL, OPTION_FLAGS},
                                            {"keys", required_argument, NULL, OPTION_KEYS},
                                            {"output", required_argument, NULL, 'o'},
                                            {NULL, 0, NULL, 0}};
    struct request request = {.out = NULL};
    char message[NPY_MESSAGE_SIZE];
    struct npy array;
    program_restart_getopt();
    for (int option; (option = getopt_long(argc, argv, "ho:", options, NULL)) != -1;) {
        switch (option) {
        case 'h':
            printf("usage: clpatterns %s\n"
                   "OP is sum, prod, min, max, and, or or xor. The array is scanned in the order in which it "
                   "is\n"
                   "stored; OUT.npy has its shape. Results are of the elements' type, or of the\n"
                   "TYPE that --result asks for: sums and products of integers in 32 or 64 bits, of f16 in "
                   "f32.\n"
                   "Segments begin where F.npy (u8) is not 0, or where K.npy (any type) changes.\n",
                   usage);
            return STATUS_OK;
        case 'o':
            request.out = optarg;
            break;
        case OPTION_OP:
            request.desc.op = clp_op_from_name(optarg);
            if (request.desc.op == CLP_OP_INVALID) {
                complain("--op is sum, prod, min, max, and, or or xor, not '%s'", optarg);
                return STATUS_USAGE;
            }
            break;
        case OPTION_EXCLUSIVE:
            request.desc.kind = CLP_SCAN_EXCLUSIVE;
            break;
        case OPTION_INIT:
            request.init = optarg;
            break;
        case OPTION_FLAGS:
            request.flags = optarg;
            break;
        case OPTION_KEYS:
            request.keys = optarg;
            break;
        case OPTION_RESULT:
            request.desc.result = clp_type_from_name(optarg);
            if (request.desc.result == CLP_TYPE_INVALID || request.desc.result == CLP_USER) {
                complain("--result is a type like i32, u8 or f64, not '%s'", optarg);
                return STATUS_USAGE;
            }
            break;
        default:
            if (!program_option(program, option, optarg))
                return STATUS_USAGE;
        }
    }
    if (request.desc.op == CLP_OP_INVALID || argc - optind != 1 || request.out == NULL ||
        (request.flags != NULL && request.keys != NULL)) {
        complain("usage: %s", usage);
        return STATUS_USAGE;
    }
    request.in = argv[optind];
    if (!npy_read(request.in, &array, message)) {
        complain("%s: %s", request.in, message);
        return STATUS_USAGE;
    }
    const int status = scan_with_heads(program, &request, &array);
    npy_free(&array);
    return status;
}

extern const struct peer *const peers_scan[];
extern const struct pattern pattern_scan;

const struct pattern pattern_scan = {
    .name = "scan",
    .summary = "at each position all elements up to it: sum, min, max",
    .limit = LIMIT_COPY,
    .cases = cases,
    .case_count = sizeof cases / sizeof *cases,
    .output_count = output_count,
    .usual_size = usual_size,
    .has_schedule = has_schedule,
    .cost = cost,
    .reference = reference,
    .plan = plan,
    .enqueue = enqueue,
    .run = run,
    .exact = exact,
    .near_enough = near_enough,
    .peers = peers_scan,
};

/* SPDX-License-Identifier: Apache-2.0 */
/* `clpatterns run scan`: scans an array of a file, its rows or its segments. */
#include "npy.h"
#include "patterns.h"
#include "run.h"
#include "scan.h"
#include "value.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The files it can read: the array, and what parts it. */
enum { IN, OFFSETS, FLAGS, KEYS, FILE_COUNT };

struct request {
    clp_scan_desc desc;
    bool rows;
    const char *init, *out;
    const char *paths[FILE_COUNT]; /* NULL: not given */
    struct npy arrays[FILE_COUNT];
    cl_mem buffers[FILE_COUNT];
    uint64_t init_value;
    struct npy result;
};

static void print_help(void) {
    puts("usage: clpatterns run scan --op OP [OPTION…] IN.npy -o OUT.npy\n"
         "The array is scanned in the order in which it is stored; OUT.npy has its shape.\n\n"
         "  --op OP              sum, prod, min, max; of integers and, or, xor\n"
         "  --exclusive          an output does not take its own element\n"
         "  --init V             stands in front of the elements, or of each row or segment\n"
         "  --result TYPE        sums and products of integers in 32 or 64 bits, of f16 in f32; default the\n"
         "                       elements' type\n"
         "  --schedule S         levels, single, one_pass; of up to 4096 elements hillis_steele, blelloch\n"
         "  --rows               IN has two dimensions; each row is scanned alone\n"
         "  --segments O.npy     u32 or u64: segment k is elements O[k] to O[k + 1] - 1; outputs of elements "
         "in\n"
         "                       no segment are 0\n"
         "  --flags F.npy        u8: segments begin where it is not 0\n"
         "  --keys K.npy         any type: segments begin where it changes\n"
         "  -o, --output OUT.npy");
}

/* Options that do not go together. @return NULL or what is wrong */
static const char *conflict(const struct request *request) {
    const int parts = request->rows + (request->paths[OFFSETS] != NULL) + (request->paths[FLAGS] != NULL) +
                      (request->paths[KEYS] != NULL);
    if (request->desc.op == CLP_OP_INVALID)
        return "--op must be given (--help tells more)";
    if (request->paths[IN] == NULL)
        return "which file? (--help tells more)";
    if (request->out == NULL)
        return "-o OUT.npy must be given";
    return parts > 1 ? "--rows, --segments, --flags and --keys exclude each other" : NULL;
}

static bool read_files(struct request *request) {
    char message[NPY_MESSAGE_SIZE];
    for (int f = 0; f < FILE_COUNT; f++)
        if (request->paths[f] != NULL && !npy_read(request->paths[f], &request->arrays[f], message)) {
            complain("%s: %s", request->paths[f], message);
            return false;
        }
    return true;
}

/* Do the shapes and types of what parts the array fit it? */
static bool check_parts(const struct request *request) {
    const struct npy *in = &request->arrays[IN];
    if (request->rows && in->dimension_count != 2) {
        complain("%s: --rows needs an array of 2 dimensions, it has %zu", request->paths[IN],
                 in->dimension_count);
        return false;
    }
    if (request->paths[OFFSETS] != NULL)
        return run_check_offsets(request->paths[OFFSETS], &request->arrays[OFFSETS]);
    for (int f = FLAGS; f <= KEYS; f++)
        if (request->paths[f] != NULL && request->arrays[f].count != in->count) {
            complain("%s: it has %zu elements, %s has %zu", request->paths[f], request->arrays[f].count,
                     request->paths[IN], in->count);
            return false;
        }
    if (request->paths[FLAGS] != NULL && request->arrays[FLAGS].type != CLP_U8) {
        complain("%s: --flags needs elements of type u8, not %s", request->paths[FLAGS],
                 clp_type_name(request->arrays[FLAGS].type));
        return false;
    }
    return true;
}

/* Fills what depends on the type of the elements. */
static bool finish_description(struct request *request) {
    clp_scan_desc *desc = &request->desc;
    desc->type = request->arrays[IN].type;
    request->result = request->arrays[IN];
    request->result.data = NULL;
    request->result.type = clp_scan_result_type(desc);
    if (request->result.type == CLP_TYPE_INVALID) {
        complain("%s: scan %s has no form for elements of type %s", request->paths[IN], clp_op_name(desc->op),
                 clp_type_name(desc->type));
        return false;
    }
    if (request->init == NULL)
        return true;
    /* Sums and products of f16 are computed in float. */
    const clp_type type = request->result.type == CLP_F16 ? CLP_F32 : request->result.type;
    if (!value_parse(type, request->init, &request->init_value) ||
        (desc->op != CLP_SUM && desc->op != CLP_PROD && type != request->result.type)) {
        complain("--init '%s' is no value of type %s", request->init, clp_type_name(type));
        return false;
    }
    desc->init = &request->init_value;
    return true;
}

static struct scan_job job_of(const struct request *request, cl_mem out) {
    const struct npy *in = &request->arrays[IN];
    struct scan_job job = {.in = {request->buffers[IN], 0}, .out = {out, 0}, .n = in->count, .count = 1};
    if (request->rows) {
        job.parts = SCAN_ROWS;
        job.count = in->shape[0];
    }
    for (int f = OFFSETS; f < FILE_COUNT; f++)
        if (request->paths[f] != NULL) {
            job.parts = f == OFFSETS ? SCAN_SEGMENTS : f == FLAGS ? SCAN_FLAGS : SCAN_KEYS;
            job.by = (clp_buffer){request->buffers[f], 0};
            job.by_type = request->arrays[f].type;
            job.count = request->arrays[f].count - (f == OFFSETS);
        }
    return job;
}

/* Copies the files to the device, scans, and brings the outputs back. */
static clp_status scan(struct request *request, clp_context *context) {
    const size_t bytes = request->result.count * clp_type_size(request->result.type);
    cl_command_queue queue = clp_context_queue(context);
    cl_int status = CL_SUCCESS;
    if (bytes == 0)
        return CLP_SUCCESS;
    /* What is in no segment stays as the host has it: 0. */
    cl_mem out = clCreateBuffer(clp_context_cl(context), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes,
                                request->result.data, &status);
    for (int f = 0; f < FILE_COUNT && status == CL_SUCCESS; f++)
        status = run_upload(context, &request->arrays[f], &request->buffers[f]);
    if (status == CL_SUCCESS) {
        const struct scan_job job = job_of(request, out);
        status = scan_call(context, queue, &request->desc, &job, NULL);
    }
    if (status == CL_SUCCESS)
        status = clEnqueueReadBuffer(queue, out, CL_TRUE, 0, bytes, request->result.data, 0, NULL, NULL);
    for (int f = 0; f < FILE_COUNT; f++)
        if (request->buffers[f] != NULL)
            clReleaseMemObject(request->buffers[f]);
    if (out != NULL)
        clReleaseMemObject(out);
    return status;
}

static int run_request(struct program *program, struct request *request) {
    char message[NPY_MESSAGE_SIZE];
    clp_context *context = NULL;
    clp_status status;
    int exit_status = STATUS_USAGE;
    bool fits = true;
    if (read_files(request) && check_parts(request) && finish_description(request)) {
        request->result.data = calloc(request->result.count + 1, clp_type_size(request->result.type));
        if (request->result.data == NULL)
            complain("out of memory");
        else
            context = program_open(program, program->device);
    }
    for (int f = 0; f < FILE_COUNT && context != NULL; f++)
        fits = fits && run_fits_device(context, request->paths[f], &request->arrays[f]);
    if (context != NULL && fits &&
        run_fits_bytes(context, request->paths[IN], " of outputs",
                       request->result.count * clp_type_size(request->result.type))) {
        if ((status = scan(request, context)) != CLP_SUCCESS)
            complain_status(request->paths[IN], status);
        else if (!npy_write(request->out, &request->result, message))
            complain("%s: %s", request->out, message);
        else
            exit_status = STATUS_OK;
    }
    run_release(context, NULL, 0, request->arrays, FILE_COUNT);
    npy_free(&request->result);
    return exit_status;
}

extern int scan_run(struct program *program, int argc, char **argv);

int scan_run(struct program *program, int argc, char **argv) {
    enum {
        OPTION_OP = OPTION_OWN,
        OPTION_EXCLUSIVE,
        OPTION_INIT,
        OPTION_RESULT,
        OPTION_SCHEDULE,
        OPTION_ROWS,
        OPTION_SEGMENTS,
        OPTION_FLAGS,
        OPTION_KEYS
    };
    static const struct option options[] = {PROGRAM_LONG_OPTIONS,
                                            {"op", required_argument, NULL, OPTION_OP},
                                            {"exclusive", no_argument, NULL, OPTION_EXCLUSIVE},
                                            {"init", required_argument, NULL, OPTION_INIT},
                                            {"result", required_argument, NULL, OPTION_RESULT},
                                            {"schedule", required_argument, NULL, OPTION_SCHEDULE},
                                            {"rows", no_argument, NULL, OPTION_ROWS},
                                            {"segments", required_argument, NULL, OPTION_SEGMENTS},
                                            {"flags", required_argument, NULL, OPTION_FLAGS},
                                            {"keys", required_argument, NULL, OPTION_KEYS},
                                            {"output", required_argument, NULL, 'o'},
                                            {NULL, 0, NULL, 0}};
    struct request request = {.out = NULL};
    const char *wrong;
    bool good = true;
    program_restart_getopt();
    for (int option; good && (option = getopt_long(argc, argv, "ho:", options, NULL)) != -1;) {
        switch (option) {
        case 'h':
            print_help();
            return STATUS_OK;
        case 'o':
            request.out = optarg;
            break;
        case OPTION_OP:
            request.desc.op = clp_op_from_name(optarg);
            good = request.desc.op != CLP_OP_INVALID;
            if (!good)
                complain("--op is sum, prod, min, max, and, or or xor, not '%s'", optarg);
            break;
        case OPTION_EXCLUSIVE:
            request.desc.kind = CLP_SCAN_EXCLUSIVE;
            break;
        case OPTION_INIT:
            request.init = optarg;
            break;
        case OPTION_RESULT:
            good = run_take_type("--result", optarg, &request.desc.result);
            break;
        case OPTION_SCHEDULE:
            good = take_schedule(optarg, &request.desc.schedule);
            break;
        case OPTION_ROWS:
            request.rows = true;
            break;
        case OPTION_SEGMENTS:
            request.paths[OFFSETS] = optarg;
            break;
        case OPTION_FLAGS:
            request.paths[FLAGS] = optarg;
            break;
        case OPTION_KEYS:
            request.paths[KEYS] = optarg;
            break;
        default:
            good = program_option(program, option, optarg);
        }
    }
    if (!good)
        return STATUS_USAGE;
    if (argc - optind > 1) {
        complain("usage: run scan --op OP [OPTION…] IN.npy -o OUT.npy");
        return STATUS_USAGE;
    }
    request.paths[IN] = optind < argc ? argv[optind] : NULL;
    wrong = conflict(&request);
    if (wrong != NULL) {
        complain("run scan: %s", wrong);
        return STATUS_USAGE;
    }
    return run_request(program, &request);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* `clpatterns run reduce`: reduces an array of a file, its rows or its segments. */
#include "npy.h"
#include "patterns.h"
#include "run.h"
#include "value.h"

#include <stdlib.h>
#include <string.h>

/* The files it can read. */
enum { IN, SECOND, LENGTHS, OFFSETS, FILE_COUNT };

struct job {
    clp_reduce_desc desc;
    clp_user user;
    bool rows, same; /* --rows; --result same */
    const char *identity;
    const char *paths[FILE_COUNT]; /* NULL: not given */
    const char *out;
    struct npy arrays[FILE_COUNT];
    cl_mem buffers[FILE_COUNT];
    uint64_t identity_value;
    struct npy result;
};

static const char *const mode_names[] = {"tree", "compensated", "wide", "fast"};

static void print_help(void) {
    puts("usage: clpatterns run reduce --op OP [OPTION…] IN.npy [SECOND.npy]\n"
         "       clpatterns run reduce --op-text EXPR --identity V [OPTION…] IN.npy [SECOND.npy]\n"
         "Prints the results with all their digits, one a line, or writes them as an array: without "
         "dimensions "
         "for\n"
         "one result, with one dimension for rows and segments.\n\n"
         "  --op OP              sum, prod, min, max, argmin, argmax, all, any, mean; of integers and, or, "
         "xor;\n"
         "                       of floats norm1, norm2, dot (of IN and SECOND)\n"
         "  --mode M             tree (default), compensated, wide or fast\n"
         "  --result TYPE        of the result: a type like f32, or same as the elements\n"
         "  --rows               IN has two dimensions; a result for each row\n"
         "  --lengths L.npy      with --rows: u32, how many elements of each row count\n"
         "  --segments O.npy     u32 or u64: segment k is elements O[k] to O[k + 1] - 1\n"
         "  --transform EXPR     OpenCL C of an element x (and s of SECOND) and its index i, before the "
         "operator\n"
         "  --transform-type T   what that gives; default what it sees\n"
         "  --op-text EXPR       OpenCL C of a (the earlier) and b, in place of --op: associative\n"
         "  --identity V         of --op-text: a number\n"
         "  --commutative        the promise that --op-text is: faster\n"
         "  -o, --output OUT.npy");
}

/* ---- options ------------------------------------------------------------------------------------------- */

static bool take_op(const char *text, clp_op *op) {
    *op = clp_op_from_name(text);
    if (*op != CLP_OP_INVALID && *op != CLP_OP_USER)
        return true;
    complain(
        "--op is sum, prod, min, max, argmin, argmax, and, or, xor, all, any, mean, norm1, norm2 or dot, "
        "not '%s'",
        text);
    return false;
}

static bool take_mode(const char *text, clp_reduce_mode *mode) {
    for (size_t m = 0; m < sizeof mode_names / sizeof *mode_names; m++)
        if (strcmp(text, mode_names[m]) == 0) {
            *mode = (clp_reduce_mode)m;
            return true;
        }
    complain("--mode is tree, compensated, wide or fast, not '%s'", text);
    return false;
}

/* Options that do not go together. @return NULL or what is wrong */
static const char *conflict(const struct job *job) {
    if ((job->desc.op != CLP_OP_INVALID) == (job->user.op != NULL))
        return "one of --op and --op-text must be given (--help tells more)";
    if ((job->user.op != NULL) != (job->identity != NULL))
        return "--op-text and --identity go together";
    if (job->user.promises != 0 && job->user.op == NULL)
        return "--commutative is about --op-text";
    if (job->user.value != CLP_TYPE_INVALID && job->user.transform == NULL)
        return "--transform-type is about --transform";
    if (job->rows && job->paths[OFFSETS] != NULL)
        return "--rows and --segments exclude each other";
    if (job->paths[LENGTHS] != NULL && !job->rows)
        return "--lengths is about --rows";
    if (job->paths[IN] == NULL)
        return "which file? (--help tells more)";
    if (job->desc.op == CLP_DOT && job->user.transform == NULL && job->paths[SECOND] == NULL)
        return "dot takes two files";
    if (job->desc.op != CLP_DOT && job->user.transform == NULL && job->paths[SECOND] != NULL)
        return "a second file is for dot and --transform";
    return NULL;
}

/* ---- files --------------------------------------------------------------------------------------------- */

static bool read_files(struct job *job) {
    char message[NPY_MESSAGE_SIZE];
    for (int f = 0; f < FILE_COUNT; f++) {
        if (job->paths[f] != NULL && !npy_read(job->paths[f], &job->arrays[f], message)) {
            complain("%s: %s", job->paths[f], message);
            return false;
        }
    }
    return true;
}

static bool same_shape(const struct npy *a, const struct npy *b) {
    return a->dimension_count == b->dimension_count &&
           memcmp(a->shape, b->shape, a->dimension_count * sizeof *a->shape) == 0;
}

static bool check_second(const struct job *job) {
    const struct npy *in = &job->arrays[IN], *second = &job->arrays[SECOND];
    if (job->paths[SECOND] == NULL || (second->type == in->type && same_shape(in, second)))
        return true;
    complain("%s: it must have the type (%s) and the shape of %s", job->paths[SECOND],
             clp_type_name(in->type), job->paths[IN]);
    return false;
}

/* Counts the results; the shapes of all that has to do with them. */
static bool check_parts(struct job *job) {
    const struct npy *in = &job->arrays[IN], *lengths = &job->arrays[LENGTHS],
                     *offsets = &job->arrays[OFFSETS];
    job->result.count = 1;
    if (job->rows) {
        if (in->dimension_count != 2) {
            complain("%s: --rows needs an array of 2 dimensions, it has %zu", job->paths[IN],
                     in->dimension_count);
            return false;
        }
        job->result.count = in->shape[0];
    }
    if (job->paths[LENGTHS] != NULL &&
        (lengths->type != CLP_U32 || lengths->dimension_count != 1 || lengths->count != job->result.count)) {
        complain("%s: --lengths needs one dimension of %zu elements of type u32, one for each row",
                 job->paths[LENGTHS], job->result.count);
        return false;
    }
    if (job->paths[OFFSETS] != NULL) {
        if (!run_check_offsets(job->paths[OFFSETS], offsets))
            return false;
        job->result.count = offsets->count - 1;
    }
    return true;
}

/* Fills what depends on the type of the elements. */
static bool finish_description(struct job *job) {
    const clp_type type = job->arrays[IN].type, sees = type == CLP_F16 ? CLP_F32 : type;
    const clp_type computes = job->user.value != CLP_TYPE_INVALID ? job->user.value : sees;
    char result[32] = "";
    job->desc.type = type;
    if (job->same)
        job->desc.result = type;
    if (job->user.op != NULL) {
        job->desc.op = CLP_OP_USER;
        if (!value_parse(computes, job->identity, &job->identity_value)) {
            complain("--identity is a number of type %s, not '%s'", clp_type_name(computes), job->identity);
            return false;
        }
        job->user.identity = &job->identity_value;
    }
    if (job->user.op != NULL || job->user.transform != NULL)
        job->desc.user = &job->user;
    if (job->user.transform != NULL)
        job->user.pair = job->paths[SECOND] != NULL;
    job->result.type = clp_reduce_result_type(&job->desc);
    if (job->result.type != CLP_TYPE_INVALID)
        return true;
    if (job->desc.result != CLP_TYPE_INVALID)
        snprintf(result, sizeof result, ", with results of type %s", clp_type_name(job->desc.result));
    complain("%s: reduce %s has no %s form for elements of type %s%s", job->paths[IN],
             clp_op_name(job->desc.op), mode_names[job->desc.mode], clp_type_name(type), result);
    return false;
}

/* ---- the device ---------------------------------------------------------------------------------------- */

static clp_status enqueue(const struct job *job, clp_context *context, cl_mem out_mem) {
    cl_command_queue queue = clp_context_queue(context);
    const struct npy *array = &job->arrays[IN];
    const clp_buffer in = {job->buffers[IN], 0}, second = {job->buffers[SECOND], 0}, out = {out_mem, 0};
    if (job->rows) {
        const clp_rows rows = {
            .count = array->shape[0], .columns = array->shape[1], .lengths = {job->buffers[LENGTHS], 0}};
        return clp_reduce_rows(context, queue, &job->desc, in, second, out, &rows, NULL, 0, NULL, NULL);
    }
    if (job->paths[OFFSETS] != NULL) {
        const clp_segments segments = {.count = job->result.count,
                                       .n = array->count,
                                       .index = job->arrays[OFFSETS].type,
                                       .offsets = {job->buffers[OFFSETS], 0}};
        return clp_reduce_segments(context, queue, &job->desc, in, second, out, &segments, NULL, 0, NULL,
                                   NULL);
    }
    if (job->paths[SECOND] != NULL)
        return clp_reduce_pair(context, queue, &job->desc, in, second, out, array->count, NULL, 0, NULL,
                               NULL);
    return clp_reduce(context, queue, &job->desc, in, out, array->count, NULL, 0, NULL, NULL);
}

/* Copies the files to the device, reduces, and brings the results back. */
static clp_status reduce(struct job *job, clp_context *context) {
    const size_t bytes = job->result.count * clp_type_size(job->result.type);
    cl_int status = CL_SUCCESS;
    cl_mem out = clCreateBuffer(clp_context_cl(context), CL_MEM_READ_WRITE, bytes + 1, NULL, &status);
    for (int f = 0; f < FILE_COUNT && status == CL_SUCCESS; f++)
        status = run_upload(context, &job->arrays[f], &job->buffers[f]);
    if (status == CL_SUCCESS)
        status = enqueue(job, context, out);
    if (status == CL_SUCCESS && bytes > 0)
        status = clEnqueueReadBuffer(clp_context_queue(context), out, CL_TRUE, 0, bytes, job->result.data, 0,
                                     NULL, NULL);
    for (int f = 0; f < FILE_COUNT; f++)
        if (job->buffers[f] != NULL)
            clReleaseMemObject(job->buffers[f]);
    if (out != NULL)
        clReleaseMemObject(out);
    return status;
}

/* Prints the results or writes the file. */
static bool deliver(struct job *job) {
    char message[NPY_MESSAGE_SIZE];
    job->result.dimension_count = job->rows || job->paths[OFFSETS] != NULL;
    job->result.shape[0] = job->result.count;
    if (job->out == NULL) {
        for (size_t i = 0; i < job->result.count; i++)
            value_print(job->result.type, job->result.data, i);
        return true;
    }
    if (npy_write(job->out, &job->result, message))
        return true;
    complain("%s: %s", job->out, message);
    return false;
}

static int run_job(struct program *program, struct job *job) {
    clp_context *context = NULL;
    clp_status status;
    int exit_status = STATUS_USAGE;
    bool fits = true;
    if (read_files(job) && check_second(job) && check_parts(job) && finish_description(job)) {
        job->result.data = malloc(job->result.count * clp_type_size(job->result.type) + 1);
        if (job->result.data == NULL)
            complain("out of memory");
        else
            context = program_open(program, program->device);
    }
    for (int f = 0; f < FILE_COUNT; f++)
        fits = fits && (context == NULL || run_fits_device(context, job->paths[f], &job->arrays[f]));
    if (context != NULL && fits) {
        if ((status = reduce(job, context)) != CLP_SUCCESS)
            complain_status(job->paths[IN], status);
        else if (deliver(job))
            exit_status = STATUS_OK;
    }
    run_release(context, NULL, 0, job->arrays, FILE_COUNT);
    npy_free(&job->result);
    return exit_status;
}

extern int reduce_run(struct program *program, int argc, char **argv);

int reduce_run(struct program *program, int argc, char **argv) {
    enum {
        OPTION_OP = OPTION_OWN,
        OPTION_MODE,
        OPTION_RESULT,
        OPTION_ROWS,
        OPTION_LENGTHS,
        OPTION_SEGMENTS,
        OPTION_TRANSFORM,
        OPTION_TRANSFORM_TYPE,
        OPTION_OP_TEXT,
        OPTION_IDENTITY,
        OPTION_COMMUTATIVE
    };
    static const struct option options[] = {
        PROGRAM_LONG_OPTIONS,
        {"op", required_argument, NULL, OPTION_OP},
        {"mode", required_argument, NULL, OPTION_MODE},
        {"result", required_argument, NULL, OPTION_RESULT},
        {"rows", no_argument, NULL, OPTION_ROWS},
        {"lengths", required_argument, NULL, OPTION_LENGTHS},
        {"segments", required_argument, NULL, OPTION_SEGMENTS},
        {"transform", required_argument, NULL, OPTION_TRANSFORM},
        {"transform-type", required_argument, NULL, OPTION_TRANSFORM_TYPE},
        {"op-text", required_argument, NULL, OPTION_OP_TEXT},
        {"identity", required_argument, NULL, OPTION_IDENTITY},
        {"commutative", no_argument, NULL, OPTION_COMMUTATIVE},
        {"output", required_argument, NULL, 'o'},
        {NULL, 0, NULL, 0}};
    struct job job = {0};
    const char *wrong;
    bool good = true;
    program_restart_getopt();
    for (int option; good && (option = getopt_long(argc, argv, "ho:", options, NULL)) != -1;) {
        switch (option) {
        case 'h':
            print_help();
            return STATUS_OK;
        case 'o':
            job.out = optarg;
            break;
        case OPTION_OP:
            good = take_op(optarg, &job.desc.op);
            break;
        case OPTION_MODE:
            good = take_mode(optarg, &job.desc.mode);
            break;
        case OPTION_RESULT:
            job.same = strcmp(optarg, "same") == 0;
            good = job.same || run_take_type("--result", optarg, &job.desc.result);
            break;
        case OPTION_ROWS:
            job.rows = true;
            break;
        case OPTION_LENGTHS:
            job.paths[LENGTHS] = optarg;
            break;
        case OPTION_SEGMENTS:
            job.paths[OFFSETS] = optarg;
            break;
        case OPTION_TRANSFORM:
            job.user.transform = optarg;
            break;
        case OPTION_TRANSFORM_TYPE:
            good = run_take_type("--transform-type", optarg, &job.user.value);
            break;
        case OPTION_OP_TEXT:
            job.user.op = optarg;
            break;
        case OPTION_IDENTITY:
            job.identity = optarg;
            break;
        case OPTION_COMMUTATIVE:
            job.user.promises |= CLP_COMMUTATIVE;
            break;
        default:
            good = program_option(program, option, optarg);
        }
    }
    if (!good)
        return STATUS_USAGE;
    if (argc - optind > 2) {
        complain("usage: run reduce --op OP [OPTION…] IN.npy [SECOND.npy]");
        return STATUS_USAGE;
    }
    job.paths[IN] = optind < argc ? argv[optind] : NULL;
    job.paths[SECOND] = optind + 1 < argc ? argv[optind + 1] : NULL;
    wrong = conflict(&job);
    if (wrong != NULL) {
        complain("run reduce: %s", wrong);
        return STATUS_USAGE;
    }
    return run_job(program, &job);
}

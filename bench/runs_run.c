/* SPDX-License-Identifier: Apache-2.0 */
/* `clpatterns run rle` and `run reduce-by-key`. */
#include "run.h"
#include "npy.h"
#include "patterns.h"

#include <string.h>

enum call { LENGTHS, TOTALS };

/* The files it reads, those it writes, and the count. VALUES: of runs, or their keys; ENDS: lengths or
 * totals. */
enum {
    IN,
    KEYS,
    FILE_COUNT,
    VALUES = FILE_COUNT,
    ENDS,
    OFFSETS,
    PATH_COUNT,
    COUNT = PATH_COUNT,
    BUFFER_COUNT
};

struct job {
    enum call call;
    clp_op op;
    clp_type result;               /* of totals; 0: the type of the elements */
    const char *paths[PATH_COUNT]; /* NULL: not given */
    struct npy arrays[FILE_COUNT];
    cl_mem buffers[BUFFER_COUNT];
    clp_type types[PATH_COUNT];
    size_t runs;
};

static const char *const names[] = {[LENGTHS] = "rle", [TOTALS] = "reduce-by-key"};

static const char *const usages[] = {
    [LENGTHS] = "run rle IN.npy -o VALUES.npy --lengths LENGTHS.npy [--offsets OFFSETS.npy]",
    [TOTALS] = "run reduce-by-key --op OP --keys KEYS.npy [--result TYPE] IN.npy -o TOTALS.npy "
               "[--unique UNIQUE.npy]"};

static void print_help(enum call call) {
    printf("usage: clpatterns %s\n", usages[call]);
    puts(call == LENGTHS
             ? "Writes the first element of each run of equal neighbours, and how many elements it has.\n"
               "Equal are, of floats, -0 and +0, and all NaNs.\n\n"
               "  -o, --output VALUES.npy\n"
               "  --lengths LENGTHS.npy  lengths of the runs (u64)\n"
               "  --offsets OFFSETS.npy  where they begin (u64)"
             : "Combines the elements whose keys are a run of equal neighbours.\n"
               "Equal are, of floats, -0 and +0, and all NaNs. OP is sum, prod, min, max, and, or or xor.\n\n"
               "  --keys KEYS.npy        a key for each element\n"
               "  --result TYPE          of the totals, as `run scan` has it\n"
               "  -o, --output TOTALS.npy\n"
               "  --unique UNIQUE.npy    the first key of each run");
}

/* ---- files --------------------------------------------------------------------------------------------- */

static bool read_files(struct job *job) {
    char message[NPY_MESSAGE_SIZE];
    for (int f = 0; f < FILE_COUNT; f++) {
        if (job->paths[f] == NULL)
            continue;
        if (!npy_read(job->paths[f], &job->arrays[f], message)) {
            complain("%s: %s", job->paths[f], message);
            return false;
        }
        if (job->arrays[f].count != job->arrays[IN].count) {
            complain("%s: it has %zu elements, %s has %zu", job->paths[f], job->arrays[f].count,
                     job->paths[IN], job->arrays[IN].count);
            return false;
        }
    }
    const clp_type type = job->arrays[IN].type;
    job->types[VALUES] = job->call == LENGTHS ? type : job->arrays[KEYS].type;
    job->types[ENDS] = job->call == LENGTHS ? CLP_U64 : job->result != CLP_TYPE_INVALID ? job->result : type;
    job->types[OFFSETS] = CLP_U64;
    return true;
}

static bool write_files(const struct job *job, clp_context *context) {
    for (int f = VALUES; f < PATH_COUNT; f++)
        if (job->paths[f] != NULL &&
            !run_write(context, job->paths[f], job->types[f], job->buffers[f], job->runs))
            return false;
    return true;
}

/* ---- the device ---------------------------------------------------------------------------------------- */

/* Offsets have a buffer only if they are wanted. */
static bool has_buffer(const struct job *job, int file) {
    return file != OFFSETS || job->paths[OFFSETS] != NULL;
}

static bool fits_device(const struct job *job, clp_context *context) {
    bool good = true;
    for (int f = 0; f < FILE_COUNT && good; f++)
        good = run_fits_device(context, job->paths[f], &job->arrays[f]);
    for (int f = VALUES; f < PATH_COUNT && good; f++)
        good =
            !has_buffer(job, f) || run_fits_bytes(context, job->paths[IN], " of outputs",
                                                  job->arrays[IN].count * clp_type_size(job->types[f]) + 1);
    return good;
}

static clp_status enqueue(const struct job *job, clp_context *context) {
    cl_command_queue queue = clp_context_queue(context);
    const size_t n = job->arrays[IN].count;
    const clp_buffer in = {job->buffers[IN], 0}, keys = {job->buffers[KEYS], 0},
                     values = {job->buffers[VALUES], 0}, ends = {job->buffers[ENDS], 0},
                     offsets = {job->buffers[OFFSETS], 0}, count = {job->buffers[COUNT], 0};
    if (job->call == LENGTHS) {
        const clp_run_length_desc desc = {.type = job->arrays[IN].type};
        return clp_run_length_encode(context, queue, &desc, in, values, ends, offsets, n, count, n, NULL, 0,
                                     NULL, NULL);
    }
    const clp_reduce_by_key_desc desc = {
        .key = job->arrays[KEYS].type, .type = job->arrays[IN].type, .op = job->op, .result = job->result};
    return clp_reduce_by_key(context, queue, &desc, keys, in, values, ends, n, count, n, NULL, 0, NULL, NULL);
}

/* Copies the files to the device, finds the runs there, and brings their number back. */
static clp_status find_runs(struct job *job, clp_context *context) {
    cl_int status = CL_SUCCESS;
    cl_ulong runs = 0;
    for (int f = 0; f < FILE_COUNT && status == CL_SUCCESS; f++)
        status = run_upload(context, &job->arrays[f], &job->buffers[f]);
    for (int b = VALUES; b < BUFFER_COUNT && status == CL_SUCCESS; b++) {
        const size_t bytes =
            b == COUNT ? sizeof runs : job->arrays[IN].count * clp_type_size(job->types[b]) + 1;
        if (b == COUNT || has_buffer(job, b))
            job->buffers[b] =
                clCreateBuffer(clp_context_cl(context), CL_MEM_READ_WRITE, bytes, NULL, &status);
    }
    if (status == CL_SUCCESS)
        status = enqueue(job, context);
    if (status == CL_SUCCESS)
        status = clEnqueueReadBuffer(clp_context_queue(context), job->buffers[COUNT], CL_TRUE, 0, sizeof runs,
                                     &runs, 0, NULL, NULL);
    job->runs = (size_t)runs;
    return status;
}

static int run_job(struct program *program, struct job *job) {
    clp_context *context = read_files(job) ? program_open(program, program->device) : NULL;
    int exit_status = STATUS_USAGE;
    if (context != NULL && fits_device(job, context)) {
        const clp_status status = find_runs(job, context);
        if (status != CLP_SUCCESS)
            complain_status(job->paths[IN], status);
        else if (write_files(job, context))
            exit_status = STATUS_OK;
    }
    run_release(context, job->buffers, BUFFER_COUNT, job->arrays, FILE_COUNT);
    return exit_status;
}

/* ---- options ------------------------------------------------------------------------------------------- */

/* What is missing or does not go together. @return NULL or what is wrong */
static const char *conflict(const struct job *job) {
    if (job->call == TOTALS && job->op == CLP_OP_INVALID)
        return "--op is missing (--help tells more)";
    if (job->call == TOTALS && job->paths[KEYS] == NULL)
        return "--keys KEYS.npy is missing";
    if (job->paths[job->call == LENGTHS ? VALUES : ENDS] == NULL)
        return job->call == LENGTHS ? "-o VALUES.npy is missing" : "-o TOTALS.npy is missing";
    if (job->paths[ENDS] == NULL)
        return "--lengths LENGTHS.npy is missing";
    if (job->paths[IN] == NULL)
        return "which file? (--help tells more)";
    for (int a = VALUES; a < PATH_COUNT; a++)
        for (int b = a + 1; b < PATH_COUNT; b++)
            if (job->paths[a] != NULL && job->paths[b] != NULL &&
                output_is_same(job->paths[a], job->paths[b]))
                return "two outputs cannot be one file";
    return NULL;
}

static int run(struct program *program, int argc, char **argv, enum call call) {
    enum {
        OPTION_LENGTHS = OPTION_OWN,
        OPTION_OFFSETS,
        OPTION_OP,
        OPTION_KEYS,
        OPTION_RESULT,
        OPTION_UNIQUE
    };
    static const struct option lengths_options[] = {{"lengths", required_argument, NULL, OPTION_LENGTHS},
                                                    {"offsets", required_argument, NULL, OPTION_OFFSETS},
                                                    {"output", required_argument, NULL, 'o'},
                                                    PROGRAM_LONG_OPTIONS,
                                                    {NULL, 0, NULL, 0}};
    static const struct option totals_options[] = {{"op", required_argument, NULL, OPTION_OP},
                                                   {"keys", required_argument, NULL, OPTION_KEYS},
                                                   {"result", required_argument, NULL, OPTION_RESULT},
                                                   {"unique", required_argument, NULL, OPTION_UNIQUE},
                                                   {"output", required_argument, NULL, 'o'},
                                                   PROGRAM_LONG_OPTIONS,
                                                   {NULL, 0, NULL, 0}};
    const struct option *options = call == LENGTHS ? lengths_options : totals_options;
    struct job job = {.call = call};
    program_restart_getopt();
    for (int option; (option = getopt_long(argc, argv, "ho:", options, NULL)) != -1;) {
        switch (option) {
        case 'h':
            print_help(call);
            return STATUS_OK;
        case 'o':
            job.paths[call == LENGTHS ? VALUES : ENDS] = optarg;
            break;
        case OPTION_LENGTHS:
            job.paths[ENDS] = optarg;
            break;
        case OPTION_OFFSETS:
            job.paths[OFFSETS] = optarg;
            break;
        case OPTION_OP:
            job.op = clp_op_from_name(optarg);
            if (job.op == CLP_OP_INVALID) {
                complain("--op is sum, prod, min, max, and, or or xor, not '%s'", optarg);
                return STATUS_USAGE;
            }
            break;
        case OPTION_KEYS:
            job.paths[KEYS] = optarg;
            break;
        case OPTION_RESULT:
            if (!run_take_type("--result", optarg, &job.result))
                return STATUS_USAGE;
            break;
        case OPTION_UNIQUE:
            job.paths[VALUES] = optarg;
            break;
        default:
            if (!program_option(program, option, optarg))
                return STATUS_USAGE;
        }
    }
    if (argc - optind > 1) {
        complain("usage: %s", usages[call]);
        return STATUS_USAGE;
    }
    job.paths[IN] = argv[optind]; /* NULL behind the last one */
    const char *wrong = conflict(&job);
    if (wrong != NULL) {
        complain("run %s: %s", names[call], wrong);
        return STATUS_USAGE;
    }
    return run_job(program, &job);
}

extern int run_length_run(struct program *program, int argc, char **argv);
extern int reduce_by_key_run(struct program *program, int argc, char **argv);

int run_length_run(struct program *program, int argc, char **argv) {
    return run(program, argc, argv, LENGTHS);
}

int reduce_by_key_run(struct program *program, int argc, char **argv) {
    return run(program, argc, argv, TOTALS);
}

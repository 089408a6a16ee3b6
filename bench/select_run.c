/* SPDX-License-Identifier: Apache-2.0 */
/* `clpatterns run select`, `run partition` and `run unique`. */
#include "npy.h"
#include "patterns.h"
#include "run.h"

#include <string.h>

enum call { SELECT, PARTITION, UNIQUE };

/* The files it reads and the buffers of its calls; FLAGS are the second array too, of which there is one. */
enum { IN, SECOND, FILE_COUNT };
enum { OUT = FILE_COUNT, REJECTED, COUNT, BUFFER_COUNT };

struct job {
    enum call call;
    clp_select_desc desc;
    const char *paths[FILE_COUNT]; /* NULL: not given */
    const char *flags, *out, *rejected;
    struct npy arrays[FILE_COUNT];
    cl_mem buffers[BUFFER_COUNT];
    clp_type result;
    size_t kept;
};

static const char *const usages[] = {
    [SELECT] = "run select (--where EXPR | --flags F.npy) [--indices] IN.npy [SECOND.npy] -o OUT.npy",
    [PARTITION] = "run partition (--where EXPR | --flags F.npy) [--indices] [--rejected R.npy] IN.npy "
                  "[SECOND.npy] -o OUT.npy",
    [UNIQUE] = "run unique [--indices] IN.npy -o OUT.npy"};

static const char *const names[] = {[SELECT] = "select", [PARTITION] = "partition", [UNIQUE] = "unique"};

static void print_help(enum call call) {
    static const char *const about[] = {
        [SELECT] = "Writes the elements that are wanted, in their order, as an array of one dimension.",
        [PARTITION] = "Writes the elements that are wanted, in their order, then the others, in theirs, and "
                      "prints how\nmany are wanted.",
        [UNIQUE] =
            "Writes the first element of each run of equal neighbours. Equal are, of floats, -0 and +0, "
            "and all NaNs."};
    printf("usage: clpatterns %s\n%s\n\n", usages[call], about[call]);
    if (call != UNIQUE)
        puts(
            "  --where EXPR         OpenCL C of an element x, its index i, and s, the element of SECOND.npy: "
            "wanted\n"
            "                       if not 0\n"
            "  --flags F.npy        integers or Booleans, one for each element: wanted if not 0");
    if (call == PARTITION)
        puts("  --rejected R.npy     the others go there instead");
    puts("  --indices            where these elements are (u64), instead of the elements\n"
         "  -o, --output OUT.npy");
}

/* ---- files --------------------------------------------------------------------------------------------- */

static bool read_files(struct job *job) {
    char message[NPY_MESSAGE_SIZE];
    for (int f = 0; f < FILE_COUNT; f++) {
        struct npy *array = &job->arrays[f];
        if (job->paths[f] == NULL)
            continue;
        if (!(f == SECOND && job->flags ? npy_read_flags : npy_read)(job->paths[f], array, message)) {
            complain("%s: %s", job->paths[f], message);
            return false;
        }
        if (array->count != job->arrays[IN].count) {
            complain("%s: it has %zu elements, %s has %zu", job->paths[f], array->count, job->paths[IN],
                     job->arrays[IN].count);
            return false;
        }
    }
    if (job->flags != NULL && job->arrays[SECOND].type > CLP_U64) {
        complain("%s: --flags needs integers or Booleans, not elements of type %s", job->flags,
                 clp_type_name(job->arrays[SECOND].type));
        return false;
    }
    job->desc.type = job->arrays[IN].type;
    job->desc.second = job->arrays[SECOND].type;
    job->result = job->desc.index != CLP_TYPE_INVALID ? job->desc.index : job->desc.type;
    return true;
}

/* ---- the device ---------------------------------------------------------------------------------------- */

static clp_status enqueue(const struct job *job, clp_context *context) {
    cl_command_queue queue = clp_context_queue(context);
    const size_t n = job->arrays[IN].count;
    const clp_buffer in = {job->buffers[IN], 0}, second = {job->buffers[SECOND], 0},
                     out = {job->buffers[OUT], 0}, rejected = {job->buffers[REJECTED], 0},
                     count = {job->buffers[COUNT], 0}, nothing = {NULL, 0};
    switch (job->call) {
    case PARTITION:
        return clp_partition(context, queue, &job->desc, in, second, out, rejected, count, n, NULL, 0, NULL,
                             NULL);
    case UNIQUE:
        return clp_unique(context, queue, &job->desc, in, nothing, out, nothing, n, count, n, NULL, 0, NULL,
                          NULL);
    default:
        return clp_select(context, queue, &job->desc, in, second, out, n, count, n, NULL, 0, NULL, NULL);
    }
}

/* Copies the files to the device, selects there, and brings the count back. */
static clp_status select_arrays(struct job *job, clp_context *context) {
    cl_context cl = clp_context_cl(context);
    const size_t bytes = job->arrays[IN].count * clp_type_size(job->result) + 1;
    cl_ulong kept = 0;
    cl_int status = run_upload(context, &job->arrays[IN], &job->buffers[IN]);
    if (status == CL_SUCCESS)
        status = run_upload(context, &job->arrays[SECOND], &job->buffers[SECOND]);
    if (status == CL_SUCCESS)
        job->buffers[OUT] = clCreateBuffer(cl, CL_MEM_READ_WRITE, bytes, NULL, &status);
    if (status == CL_SUCCESS && job->rejected != NULL)
        job->buffers[REJECTED] = clCreateBuffer(cl, CL_MEM_READ_WRITE, bytes, NULL, &status);
    if (status == CL_SUCCESS)
        job->buffers[COUNT] = clCreateBuffer(cl, CL_MEM_READ_WRITE, sizeof kept, NULL, &status);
    if (status == CL_SUCCESS)
        status = enqueue(job, context);
    if (status == CL_SUCCESS)
        status = clEnqueueReadBuffer(clp_context_queue(context), job->buffers[COUNT], CL_TRUE, 0, sizeof kept,
                                     &kept, 0, NULL, NULL);
    job->kept = (size_t)kept;
    return status;
}

static bool fits_device(const struct job *job, clp_context *context) {
    return run_fits_device(context, job->paths[IN], &job->arrays[IN]) &&
           run_fits_device(context, job->paths[SECOND], &job->arrays[SECOND]) &&
           run_fits_bytes(context, job->paths[IN], " of outputs",
                          job->arrays[IN].count * clp_type_size(job->result) + 1);
}

static bool deliver(const struct job *job, clp_context *context) {
    const size_t n = job->arrays[IN].count;
    const bool behind = job->call == PARTITION && job->rejected == NULL;
    if (!run_write(context, job->out, job->result, job->buffers[OUT], behind ? n : job->kept) ||
        (job->rejected != NULL &&
         !run_write(context, job->rejected, job->result, job->buffers[REJECTED], n - job->kept)))
        return false;
    if (job->call == PARTITION)
        printf("%zu\n", job->kept);
    return true;
}

static int run_job(struct program *program, struct job *job) {
    clp_context *context = read_files(job) ? program_open(program, program->device) : NULL;
    int exit_status = STATUS_USAGE;
    if (context != NULL && fits_device(job, context)) {
        const clp_status status = select_arrays(job, context);
        if (status != CLP_SUCCESS)
            complain_status(job->paths[IN], status);
        else if (deliver(job, context))
            exit_status = STATUS_OK;
    }
    run_release(context, job->buffers, BUFFER_COUNT, job->arrays, FILE_COUNT);
    return exit_status;
}

/* ---- options ------------------------------------------------------------------------------------------- */

/* What does not go together. @return NULL or what is wrong */
static const char *conflict(const struct job *job) {
    const bool files = job->paths[IN] != NULL && job->out != NULL;
    if (job->call != UNIQUE && (job->desc.where != NULL) == (job->flags != NULL))
        return "one of --where and --flags must be given (--help tells more)";
    if (!files)
        return job->out == NULL ? "-o OUT.npy is missing" : "which file? (--help tells more)";
    if (job->call != UNIQUE && job->flags != NULL && job->paths[SECOND] != NULL)
        return "a second file is for --where";
    if (job->rejected != NULL && output_is_same(job->out, job->rejected))
        return "--output and --rejected cannot be one file";
    return NULL;
}

static int run(struct program *program, int argc, char **argv, enum call call) {
    enum { OPTION_WHERE = OPTION_OWN, OPTION_FLAGS, OPTION_INDICES, OPTION_REJECTED };
    /* Each call has those from its first one on. */
    static const struct option options[] = {{"rejected", required_argument, NULL, OPTION_REJECTED},
                                            {"where", required_argument, NULL, OPTION_WHERE},
                                            {"flags", required_argument, NULL, OPTION_FLAGS},
                                            {"indices", no_argument, NULL, OPTION_INDICES},
                                            {"output", required_argument, NULL, 'o'},
                                            PROGRAM_LONG_OPTIONS,
                                            {NULL, 0, NULL, 0}};
    static const int first[] = {[PARTITION] = 0, [SELECT] = 1, [UNIQUE] = 3};
    struct job job = {.call = call};
    program_restart_getopt();
    for (int option; (option = getopt_long(argc, argv, "ho:", options + first[call], NULL)) != -1;) {
        switch (option) {
        case 'h':
            print_help(call);
            return STATUS_OK;
        case 'o':
            job.out = optarg;
            break;
        case OPTION_WHERE:
            job.desc.where = optarg;
            break;
        case OPTION_FLAGS:
            job.flags = optarg;
            break;
        case OPTION_INDICES:
            job.desc.index = CLP_U64;
            break;
        case OPTION_REJECTED:
            job.rejected = optarg;
            break;
        default:
            if (!program_option(program, option, optarg))
                return STATUS_USAGE;
        }
    }
    job.paths[IN] = optind < argc ? argv[optind] : NULL;
    job.paths[SECOND] = optind + 1 < argc ? argv[optind + 1] : NULL;
    const char *wrong = conflict(&job);
    if (argc - optind > (call == UNIQUE ? 1 : 2)) {
        complain("usage: %s", usages[call]);
        return STATUS_USAGE;
    }
    if (wrong != NULL) {
        complain("run %s: %s", names[call], wrong);
        return STATUS_USAGE;
    }
    if (job.flags != NULL)
        job.paths[SECOND] = job.flags;
    return run_job(program, &job);
}

extern int select_run(struct program *program, int argc, char **argv);
extern int partition_run(struct program *program, int argc, char **argv);
extern int unique_run(struct program *program, int argc, char **argv);

int select_run(struct program *program, int argc, char **argv) {
    return run(program, argc, argv, SELECT);
}

int partition_run(struct program *program, int argc, char **argv) {
    return run(program, argc, argv, PARTITION);
}

int unique_run(struct program *program, int argc, char **argv) {
    return run(program, argc, argv, UNIQUE);
}

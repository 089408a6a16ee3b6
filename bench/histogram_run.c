/* SPDX-License-Identifier: Apache-2.0 */
/* `clpatterns run histogram`. */
#include "npy.h"
#include "patterns.h"
#include "run.h"
#include "value.h"

#include <stdlib.h>
#include <string.h>

enum { IN, EDGES, WEIGHTS, FILE_COUNT };
enum { COUNTS = FILE_COUNT, BUFFER_COUNT };

struct job {
    clp_histogram_desc desc;
    const char *paths[FILE_COUNT]; /* NULL: not given */
    const char *out, *bins, *range[2];
    bool by_rows, by_channels;
    struct npy arrays[FILE_COUNT];
    cl_mem buffers[BUFFER_COUNT];
    size_t rows, pixels; /* pixels of a row */
};

static const char usage[] =
    "run histogram [--bins N] [--range LO HI] [--edges E.npy] [--channels C] [--rows] "
    "[--weights W.npy] IN.npy -o OUT.npy";

static void print_help(void) {
    printf("usage: clpatterns %s\n", usage);
    puts("Writes how many elements fall into each bin (u64), the last one closed, as numpy.histogram has "
         "it.\n\n"
         "  --bins N             even bins; 256 for bytes if not given\n"
         "  --range LO HI        from where to where; all values of an integer type if not given\n"
         "  --edges E.npy        edges of bins instead, of the type of the elements; they must not decrease\n"
         "  --channels C         the last dimension has C channels (1 to 4): a histogram of each\n"
         "  --rows               a histogram of each entry of the first dimension\n"
         "  --weights W.npy      u32 or i32, one for each element: their sums (u64 or i64)\n"
         "  -o, --output OUT.npy");
}

/* ---- files --------------------------------------------------------------------------------------------- */

static bool read_files(struct job *job) {
    char message[NPY_MESSAGE_SIZE];
    for (int f = 0; f < FILE_COUNT; f++)
        if (job->paths[f] != NULL && !npy_read(job->paths[f], &job->arrays[f], message)) {
            complain("%s: %s", job->paths[f], message);
            return false;
        }
    return true;
}

static bool take_bound(clp_type type, const char *text, clp_bound *bound) {
    if (type >= CLP_F16)
        return value_parse(CLP_F64, text, &bound->f);
    const bool is_signed = type == CLP_I8 || type == CLP_I16 || type == CLP_I32 || type == CLP_I64;
    return value_parse(is_signed ? CLP_I64 : CLP_U64, text, &bound->u);
}

static bool take_bins(struct job *job) {
    clp_bins *bins = &job->desc.bins[0];
    const struct npy *edges = &job->arrays[EDGES];
    const clp_type type = job->desc.type;
    if (job->paths[EDGES] != NULL) {
        if (edges->type != type || edges->dimension_count != 1 || edges->count < 2) {
            complain("%s: --edges needs one dimension of at least two elements of type %s", job->paths[EDGES],
                     clp_type_name(type));
            return false;
        }
        bins->count = edges->count - 1;
        return true;
    }
    bins->count = 256;
    if (job->bins != NULL ? !parse_size(job->bins, &bins->count) || bins->count == 0
                          : clp_type_size(type) > 1) {
        complain(job->bins != NULL ? "--bins is a number, not '%s'" : "--bins or --edges is missing",
                 job->bins);
        return false;
    }
    if (job->range[0] == NULL && type >= CLP_F16) {
        complain("%s has floats: --range LO HI is missing", job->paths[IN]);
        return false;
    }
    if (job->range[0] != NULL &&
        (!take_bound(type, job->range[0], &bins->low) || !take_bound(type, job->range[1], &bins->high))) {
        complain("--range: '%s' and '%s' are no bounds for elements of type %s", job->range[0], job->range[1],
                 clp_type_name(type));
        return false;
    }
    return true;
}

/* What the dimensions are. */
static bool take_shape(struct job *job) {
    const struct npy *in = &job->arrays[IN], *weights = &job->arrays[WEIGHTS];
    const size_t channels = job->by_channels ? job->desc.channels : 1;
    if (job->by_channels && (in->dimension_count == 0 || in->shape[in->dimension_count - 1] != channels)) {
        complain("%s: its last dimension is no %zu channels", job->paths[IN], channels);
        return false;
    }
    if (job->by_rows && in->dimension_count < (job->by_channels ? 3 : 2)) {
        complain("%s: it has no rows", job->paths[IN]);
        return false;
    }
    if (job->paths[WEIGHTS] != NULL && weights->count != in->count) {
        complain("%s: it has %zu elements, %s has %zu", job->paths[WEIGHTS], weights->count, job->paths[IN],
                 in->count);
        return false;
    }
    if (job->paths[WEIGHTS] != NULL && weights->type != CLP_U32 && weights->type != CLP_I32) {
        complain("%s: --weights needs elements of type u32 or i32", job->paths[WEIGHTS]);
        return false;
    }
    job->rows = job->by_rows ? in->shape[0] : 1;
    job->pixels = job->rows > 0 ? in->count / channels / job->rows : 0;
    job->desc.type = in->type;
    job->desc.weight = weights->type;
    return true;
}

/* ---- the device ---------------------------------------------------------------------------------------- */

static size_t result_count(const struct job *job) {
    return job->rows * (job->by_channels ? job->desc.channels : 1) * job->desc.bins[0].count;
}

static clp_status count_array(struct job *job, clp_context *context) {
    cl_int status = CL_SUCCESS;
    for (int f = 0; f < FILE_COUNT && status == CL_SUCCESS; f++)
        status = run_upload(context, &job->arrays[f], &job->buffers[f]);
    if (status == CL_SUCCESS)
        job->buffers[COUNTS] = clCreateBuffer(clp_context_cl(context), CL_MEM_READ_WRITE,
                                              result_count(job) * sizeof(cl_ulong) + 1, NULL, &status);
    if (status != CL_SUCCESS)
        return status;
    const clp_buffer in = {job->buffers[IN], 0}, weights = {job->buffers[WEIGHTS], 0},
                     counts = {job->buffers[COUNTS], 0}, outside = {NULL, 0};
    const clp_rows rows = {.count = job->rows, .columns = job->pixels};
    job->desc.bins[0].edges.mem = job->buffers[EDGES];
    return clp_histogram_rows(context, clp_context_queue(context), &job->desc, in, weights, counts, outside,
                              &rows, NULL, 0, NULL, NULL);
}

static bool deliver(const struct job *job, clp_context *context) {
    const size_t count = result_count(job);
    struct npy array = {.type = job->desc.weight == CLP_I32 ? CLP_I64 : CLP_U64,
                        .count = count,
                        .data = malloc(count * sizeof(cl_ulong) + 1)};
    char message[NPY_MESSAGE_SIZE] = "out of memory";
    bool good = array.data != NULL;
    if (job->by_rows)
        array.shape[array.dimension_count++] = job->rows;
    if (job->by_channels)
        array.shape[array.dimension_count++] = job->desc.channels;
    array.shape[array.dimension_count++] = job->desc.bins[0].count;
    if (good && count > 0) {
        const cl_int status = clEnqueueReadBuffer(clp_context_queue(context), job->buffers[COUNTS], CL_TRUE,
                                                  0, count * sizeof(cl_ulong), array.data, 0, NULL, NULL);
        good = status == CL_SUCCESS;
        if (!good)
            snprintf(message, sizeof message, "%s", clp_status_name(status));
    }
    good = good && npy_write(job->out, &array, message);
    if (!good)
        complain("%s: %s", job->out, message);
    free(array.data);
    return good;
}

static int run_job(struct program *program, struct job *job) {
    clp_context *context =
        read_files(job) && take_shape(job) && take_bins(job) ? program_open(program, program->device) : NULL;
    int exit_status = STATUS_USAGE;
    bool fits = context != NULL;
    for (int f = 0; f < FILE_COUNT && fits; f++)
        fits = run_fits_device(context, job->paths[f], &job->arrays[f]);
    if (fits &&
        run_fits_bytes(context, job->paths[IN], " of counts", result_count(job) * sizeof(cl_ulong) + 1)) {
        const clp_status status = count_array(job, context);
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
    if (job->paths[EDGES] != NULL && (job->bins != NULL || job->range[0] != NULL))
        return "--edges goes without --bins and --range";
    if (job->by_channels && (job->desc.channels < 1 || job->desc.channels > CLP_HISTOGRAM_CHANNELS))
        return "--channels is 1 to 4";
    if (job->out == NULL)
        return "-o OUT.npy is missing";
    return job->paths[IN] == NULL ? "which file? (--help tells more)" : NULL;
}

extern int histogram_run(struct program *program, int argc, char **argv);

int histogram_run(struct program *program, int argc, char **argv) {
    enum {
        OPTION_BINS = OPTION_OWN,
        OPTION_RANGE,
        OPTION_EDGES,
        OPTION_CHANNELS,
        OPTION_ROWS,
        OPTION_WEIGHTS
    };
    static const struct option options[] = {{"bins", required_argument, NULL, OPTION_BINS},
                                            {"range", required_argument, NULL, OPTION_RANGE},
                                            {"edges", required_argument, NULL, OPTION_EDGES},
                                            {"channels", required_argument, NULL, OPTION_CHANNELS},
                                            {"rows", no_argument, NULL, OPTION_ROWS},
                                            {"weights", required_argument, NULL, OPTION_WEIGHTS},
                                            {"output", required_argument, NULL, 'o'},
                                            PROGRAM_LONG_OPTIONS,
                                            {NULL, 0, NULL, 0}};
    struct job job = {.by_rows = false};
    size_t number = 0;
    program_restart_getopt();
    for (int option; (option = getopt_long(argc, argv, "ho:", options, NULL)) != -1;) {
        switch (option) {
        case 'h':
            print_help();
            return STATUS_OK;
        case 'o':
            job.out = optarg;
            break;
        case OPTION_BINS:
            job.bins = optarg;
            break;
        case OPTION_RANGE:
            if (optind >= argc) {
                complain("run histogram: --range takes two numbers");
                return STATUS_USAGE;
            }
            job.range[0] = optarg;
            job.range[1] = argv[optind++];
            break;
        case OPTION_EDGES:
            job.paths[EDGES] = optarg;
            break;
        case OPTION_CHANNELS:
            job.by_channels = true;
            job.desc.channels = parse_size(optarg, &number) && number < 100 ? (uint32_t)number : 0;
            break;
        case OPTION_ROWS:
            job.by_rows = true;
            break;
        case OPTION_WEIGHTS:
            job.paths[WEIGHTS] = optarg;
            break;
        default:
            if (!program_option(program, option, optarg))
                return STATUS_USAGE;
        }
    }
    job.paths[IN] = optind < argc ? argv[optind] : NULL;
    const char *wrong = conflict(&job);
    if (argc - optind > 1) {
        complain("usage: %s", usage);
        return STATUS_USAGE;
    }
    if (wrong != NULL) {
        complain("run histogram: %s", wrong);
        return STATUS_USAGE;
    }
    return run_job(program, &job);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* `clpatterns bench`: how fast the patterns are, beside the memory's own limit and beside peers. */
#include "bench.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    OPTION_SIZE = OPTION_OWN,
    OPTION_TYPE,
    OPTION_OP,
    OPTION_OFFSET,
    OPTION_SCHEDULE,
    OPTION_PEERS,
    OPTION_MODEL,
    OPTION_QUICK,
    OPTION_RUNS,
    OPTION_CALLS,
    OPTION_JSON,
    OPTION_CSV,
    OPTION_COMPARE
};

enum { SMALL_SIZE = 1 << 16 };

/* Most bytes of one buffer: a quarter of what the device, and the host that makes the data, have. */
static double largest_buffer(const clp_device_info *info) {
    const double host = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    double bytes = (double)info->global_memory / 4;
    if (host / 4 < bytes)
        bytes = host / 4;
    return bytes < (double)info->max_allocation ? bytes : (double)info->max_allocation;
}

/* A small size that shows what a call costs, and a large one that shows the memory. */
static size_t default_sizes(const clp_device_info *info, bool quick, size_t sizes[2]) {
    sizes[0] = SMALL_SIZE;
    sizes[1] = (size_t)1 << ((info->type & CL_DEVICE_TYPE_CPU) == 0 ? 28 : quick ? 24 : 26);
    while (sizes[1] > sizes[0] && (double)sizes[1] * 8 > largest_buffer(info))
        sizes[1] /= 2;
    return sizes[1] > sizes[0] ? 2 : 1;
}

static bool wanted_case(const struct bench_options *options, const struct pattern_case *what) {
    if (options->types == NULL && options->ops == NULL)
        return what->benched;
    return list_has(options->types, clp_type_name(what->type)) && list_has(options->ops, what->name);
}

static bool wanted_pattern(const char *name, int count, char **wanted) {
    bool found = count == 0;
    for (int i = 0; i < count; i++)
        found = found || strcmp(wanted[i], name) == 0;
    return found;
}

/* Says so before anything is measured. */
static bool any_case(const struct bench_options *options, int count, char **wanted) {
    for (size_t p = 0; patterns[p] != NULL; p++)
        for (size_t c = 0; c < patterns[p]->case_count && wanted_pattern(patterns[p]->name, count, wanted);
             c++)
            if (wanted_case(options, &patterns[p]->cases[c]))
                return true;
    complain("no case of these patterns has that type and that operator");
    return false;
}

/* The large default size may be the case's own instead. */
static void one_case(struct bench *bench, const struct pattern *pattern, const struct pattern_case *what,
                     size_t n) {
    const size_t usual = pattern->usual_size(what, (bench->info->type & CL_DEVICE_TYPE_CPU) != 0);
    if (bench->options->size_count == 0 && n > SMALL_SIZE && usual > 0 && usual < n)
        n = usual;
    if (bench->options->model)
        bench_model(bench, pattern, what, n);
    else
        bench_case(bench, pattern, what, n);
}

static void bench_patterns(struct bench *bench, const size_t *sizes, size_t size_count, int count,
                           char **wanted) {
    for (size_t p = 0; patterns[p] != NULL; p++) {
        if (!wanted_pattern(patterns[p]->name, count, wanted))
            continue;
        if (bench->report->table)
            printf("\n%s\n", patterns[p]->name);
        if (bench->options->model)
            bench_model_heading(bench);
        else
            report_heading(bench->report);
        for (size_t s = 0; s < size_count; s++)
            for (size_t c = 0; c < patterns[p]->case_count; c++)
                if (wanted_case(bench->options, &patterns[p]->cases[c]))
                    one_case(bench, patterns[p], &patterns[p]->cases[c], sizes[s]);
    }
}

static int bench_device(const struct program *program, const char *device,
                        const struct bench_options *options, struct bench_report *report, int count,
                        char **wanted) {
    struct bench bench = {.options = options, .context = program_open(program, device), .report = report};
    size_t defaults[2];
    const size_t *sizes = options->size_count > 0 ? options->sizes : defaults;
    size_t size_count = options->size_count, limit_bytes_wanted;
    const char *error;
    int status = STATUS_USAGE;
    if (bench.context == NULL)
        return STATUS_USAGE;
    bench.info = clp_context_info(bench.context);
    if (size_count == 0)
        size_count = default_sizes(bench.info, options->quick, defaults);
    limit_bytes_wanted = (size_t)1 << ((bench.info->type & CL_DEVICE_TYPE_CPU) != 0 ? 28 : 30);
    while ((double)limit_bytes_wanted > largest_buffer(bench.info))
        limit_bytes_wanted /= 2;
    report_device(report, bench.info);
    progress("memory: trying");
    error = limits_open(&bench.limits, bench.context, limit_bytes_wanted);
    if (error != NULL) {
        complain("%s: %s", bench.info->name, error);
    } else {
        report_heading(report);
        bench_limits(&bench);
        bench_patterns(&bench, sizes, size_count, count, wanted);
        status = STATUS_OK;
    }
    bench_data_free(&bench.data);
    limits_close(&bench.limits);
    clp_context_destroy(bench.context);
    return status;
}

static int bench_devices(const struct program *program, const struct bench_options *options,
                         struct bench_report *report, int count, char **wanted) {
    struct device_list list;
    int status = STATUS_OK;
    if (program->device == NULL || strcmp(program->device, "all") != 0)
        return bench_device(program, program->device, options, report, count, wanted);
    if (!program_devices(&list))
        return STATUS_USAGE;
    for (size_t i = 0; i < list.count; i++) {
        const int one = bench_device(program, list.text[i], options, report, count, wanted);
        status = one > status ? one : status;
    }
    free(list.text);
    return status;
}

static void print_help(void) {
    puts("usage: clpatterns bench [OPTION…] [PATTERN…]\n"
         "Times each case as many calls back to back (\"many\", time / calls) and as one call with its wait\n"
         "(\"one\"), by the host's clock; \"event ms\" is the device's. GB/s are the fewest bytes that must "
         "move\n"
         "over the median time; \"limit\" is their share of what this device reads or copies in the same "
         "run,\n"
         "\"bound\" that of the cost model's max(bytes / rate, work / rate, span x latency) in the time.\n"
         "Every result is compared with the serial reference; a wrong one is marked and makes the status "
         "1.\n\n"
         "  --size N         elements: a number, 2^K, or a list; several times too\n"
         "  --type T         of elements: a list like i32,f32, or all\n"
         "  --op OP          a list of cases like sum,sum_fast,max_rows (docs/design.md names them), or all\n"
         "  --offset N       elements in front of the first one (default 0)\n"
         "  --schedule S     levels, fused, single, one_pass, hillis_steele or blelloch\n"
         "  --peers          other implementations beside it, those that were built\n"
         "  --model          the cost model's bound of each case in its parts; nothing is timed\n"
         "  --quick          two short turns of each, on CPUs of at most 2^24 elements: for a look\n"
         "  --runs N         turns that each takes (default 5)\n"
         "  --calls N        calls back to back (default 100, fewer if they take longer than 0.25 s)\n"
         "  --device all     every device, one after the other\n"
         "  --json FILE, --csv FILE    all records; - is standard output, without the table; a FILE is "
         "replaced\n"
         "                             when all is measured\n"
         "  --compare FILE   beside an earlier JSON file");
}

/* Adds the sizes of one --size option. */
static bool add_sizes(struct bench_options *options, char *list) {
    for (char *at; (at = strsep(&list, ",")) != NULL;) { /* strtok() would skip empty ones */
        if (options->size_count == sizeof options->sizes / sizeof *options->sizes ||
            !parse_size(at, &options->sizes[options->size_count])) {
            complain("--size takes up to 32 numbers like 1000, 2^20 or 2^20+1, not '%s'", at);
            return false;
        }
        options->size_count++;
    }
    return true;
}

static bool take_number(const char *name, const char *text, size_t least, size_t most, size_t *number) {
    if (parse_size(text, number) && *number >= least && *number <= most)
        return true;
    complain("%s is a whole number from %zu to %zu, not '%s'", name, least, most, text);
    return false;
}

int command_bench(struct program *program, int argc, char **argv) {
    static const struct option long_options[] = {PROGRAM_LONG_OPTIONS,
                                                 {"size", required_argument, NULL, OPTION_SIZE},
                                                 {"type", required_argument, NULL, OPTION_TYPE},
                                                 {"op", required_argument, NULL, OPTION_OP},
                                                 {"offset", required_argument, NULL, OPTION_OFFSET},
                                                 {"schedule", required_argument, NULL, OPTION_SCHEDULE},
                                                 {"peers", no_argument, NULL, OPTION_PEERS},
                                                 {"model", no_argument, NULL, OPTION_MODEL},
                                                 {"quick", no_argument, NULL, OPTION_QUICK},
                                                 {"runs", required_argument, NULL, OPTION_RUNS},
                                                 {"calls", required_argument, NULL, OPTION_CALLS},
                                                 {"json", required_argument, NULL, OPTION_JSON},
                                                 {"csv", required_argument, NULL, OPTION_CSV},
                                                 {"compare", required_argument, NULL, OPTION_COMPARE},
                                                 {NULL, 0, NULL, 0}};
    struct bench_options options = {.runs = 5, .calls = 100, .longest_ms = 250};
    const char *json = NULL, *csv = NULL, *compare = NULL;
    struct bench_report report;
    bool good = true;
    int status;
    program_restart_getopt();
    for (int option; good && (option = getopt_long(argc, argv, "h", long_options, NULL)) != -1;) {
        switch (option) {
        case 'h':
            print_help();
            return STATUS_OK;
        case OPTION_SIZE:
            good = add_sizes(&options, optarg);
            break;
        case OPTION_TYPE:
            options.types = optarg;
            break;
        case OPTION_OP:
            options.ops = optarg;
            break;
        case OPTION_OFFSET:
            good = take_number("--offset", optarg, 0, 1 << 20, &options.offset);
            break;
        case OPTION_SCHEDULE:
            good = take_schedule(optarg, &options.schedule);
            break;
        case OPTION_PEERS:
            options.peers = true;
            break;
        case OPTION_MODEL:
            options.model = true;
            break;
        case OPTION_QUICK:
            options.quick = true;
            options.runs = 2;
            options.longest_ms = 50;
            break;
        case OPTION_RUNS:
            good = take_number("--runs", optarg, 1, MEASURE_MAX_SAMPLES / MEASURE_SINGLES, &options.runs);
            break;
        case OPTION_CALLS:
            good = take_number("--calls", optarg, 1, 1 << 20, &options.calls);
            options.longest_ms = 1e30;
            break;
        case OPTION_JSON:
            json = optarg;
            break;
        case OPTION_CSV:
            csv = optarg;
            break;
        case OPTION_COMPARE:
            compare = optarg;
            break;
        default:
            good = program_option(program, option, optarg);
        }
    }
    if (good && options.model && (json != NULL || csv != NULL || compare != NULL)) {
        complain("--model prints a table and makes no records");
        good = false;
    }
    for (int i = optind; i < argc && good; i++)
        good = pattern_find(argv[i]) != NULL;
    if (!good || !any_case(&options, argc - optind, argv + optind) ||
        !report_open(&report, json, csv, compare))
        return STATUS_USAGE;
    status = bench_devices(program, &options, &report, argc - optind, argv + optind);
    progress_clear();
    if (!report_close(&report))
        status = STATUS_USAGE;
    return status == STATUS_OK && report.wrong ? STATUS_WRONG : status;
}

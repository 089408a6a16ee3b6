/* SPDX-License-Identifier: Apache-2.0 */
/* The program `clpatterns`: what devices there are, whether they are right, and how fast they are. */
#include "patterns.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    int (*run)(struct program *program, int argc, char **argv);
    const char *title; /* getopt_long() prints it before its messages */
    const char *summary;
} commands[] = {
    {"info", command_info, "clpatterns: info", "what devices there are, and what is chosen for each"},
    {"check", command_check, "clpatterns: check",
     "compare every variant with the serial reference, bit for bit"},
    {"run", command_run, "clpatterns: run", "apply a pattern to arrays in NumPy's .npy files"},
    {"bench", command_bench, "clpatterns: bench", "measure speed beside the memory's own limit, and peers"},
};

static void print_patterns(void) {
    for (size_t i = 0; patterns[i] != NULL; i++)
        printf("  %-9s %s\n", patterns[i]->name, patterns[i]->summary);
}

static void print_help(void) {
    puts("usage: clpatterns [OPTION…] COMMAND [OPTION…] [ARGUMENT…]\n\nCommands (each takes --help):");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        printf("  %-8s %s\n", commands[i].name, commands[i].summary);
    puts("\nPatterns:");
    print_patterns();
    puts("\nOptions:\n"
         "  --device WHICH         PLATFORM:DEVICE as `info` lists them, a type (gpu, cpu, accelerator),\n"
         "                         or a part of a name; without it CLPATTERNS_DEVICE, then the first GPU, …\n"
         "  --shape SHAPE          simt or simd; never changes a bit of a result\n"
         "  --subgroups HOW        local, nvidia, khr, intel or amd: how lanes of the simt shape exchange "
         "values\n"
         "  --work-group-size N    wanted size; a kernel may get less\n"
         "  --verbose              show the library's log on stderr\n"
         "  --help, --version\n\n"
         "Exit status: 0 all is well, 1 a wrong result, 2 it could not be done.");
}

static void print_version(void) {
    printf("clpatterns %d.%d.%d, library %s\n", CLP_VERSION_MAJOR, CLP_VERSION_MINOR, CLP_VERSION_PATCH,
           clp_version_string());
}

/* What `run` does under a name: a pattern's own, or another one that it has. NULL after a message. */
static int (*find_run(const char *name))(struct program *, int, char **) {
    for (size_t i = 0; patterns[i] != NULL; i++) {
        if (patterns[i]->run != NULL && strcmp(patterns[i]->name, name) == 0)
            return patterns[i]->run;
        for (const struct pattern_run *more = patterns[i]->more_runs; more != NULL && more->name != NULL;
             more++)
            if (strcmp(more->name, name) == 0)
                return more->run;
    }
    complain("no pattern is called '%s'; `clpatterns run --help` lists them", name);
    return NULL;
}

int command_run(struct program *program, int argc, char **argv) {
    static const struct option options[] = {PROGRAM_LONG_OPTIONS, {NULL, 0, NULL, 0}};
    int (*run)(struct program *, int, char **);
    int first;
    program_restart_getopt();
    for (int option; (option = getopt_long(argc, argv, "+h", options, NULL)) != -1;) {
        if (option == 'h') {
            puts("usage: clpatterns run PATTERN …\n\nPatterns (`run PATTERN --help` says more):");
            for (size_t i = 0; patterns[i] != NULL; i++) {
                if (patterns[i]->run != NULL)
                    printf("  %-13s %s\n", patterns[i]->name, patterns[i]->summary);
                for (const struct pattern_run *more = patterns[i]->more_runs;
                     more != NULL && more->name != NULL; more++)
                    printf("  %-13s %s\n", more->name, more->summary);
            }
            return STATUS_OK;
        }
        if (!program_option(program, option, optarg))
            return STATUS_USAGE;
    }
    if (optind >= argc) {
        complain("run which pattern? `clpatterns run --help` lists them");
        return STATUS_USAGE;
    }
    first = optind;
    run = find_run(argv[first]);
    if (run == NULL)
        return STATUS_USAGE;
    argv[first] = argv[0];
    return run(program, argc - first, argv + first);
}

static int run_command(int argc, char **argv) {
    static const struct option options[] = {
        PROGRAM_LONG_OPTIONS, {"version", no_argument, NULL, 'V'}, {NULL, 0, NULL, 0}};
    static char title[64] = "clpatterns";
    struct program program = {0};
    if (argc > 0)
        argv[0] = title;
    /* "+": stop at the command, whose own options follow it */
    for (int option; (option = getopt_long(argc, argv, "+hV", options, NULL)) != -1;) {
        if (option == 'h') {
            print_help();
            return STATUS_OK;
        }
        if (option == 'V') {
            print_version();
            return STATUS_OK;
        }
        if (!program_option(&program, option, optarg))
            return STATUS_USAGE;
    }
    if (optind >= argc) {
        complain("which command? `clpatterns --help` lists them");
        return STATUS_USAGE;
    }
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (strcmp(argv[optind], commands[i].name) == 0) {
            const int first = optind;
            int status;
            snprintf(title, sizeof title, "%s", commands[i].title);
            argv[first] = title;
            status = commands[i].run(&program, argc - first, argv + first);
            progress_clear();
            return status;
        }
    }
    complain("no command is called '%s'; `clpatterns --help` lists them", argv[optind]);
    return STATUS_USAGE;
}

int main(int argc, char **argv) {
    const int status = run_command(argc, argv);
    /* What the buffer still holds may be all there is, and its loss must not look like success. */
    const bool flushed = fflush(stdout) == 0;
    if (flushed && !ferror(stdout))
        return status;
    complain("cannot write standard output%s%s", flushed ? "" : ": ", flushed ? "" : strerror(errno));
    return STATUS_USAGE;
}

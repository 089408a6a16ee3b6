/* SPDX-License-Identifier: Apache-2.0 */
/** @file program.h What all subcommands of the program `clpatterns` share. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include <clpatterns/clpatterns.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>

/** Exit statuses: 0 is success, 1 a wrong result, 2 something that could not be done at all. */
enum { STATUS_OK = 0, STATUS_WRONG = 1, STATUS_USAGE = 2 };

/** The options that every subcommand takes. */
struct program {
    const char *device; /**< NULL: the library's choice; "all" where a subcommand allows it */
    clp_shape shape;
    clp_subgroups subgroups;
    size_t work_group_size;
    bool verbose; /**< the library's log goes to stderr */
};

/** Values of long options without a letter start here; those of one subcommand at OPTION_OWN. */
enum {
    OPTION_DEVICE = 256,
    OPTION_SHAPE,
    OPTION_SUBGROUPS,
    OPTION_WORK_GROUP_SIZE,
    OPTION_VERBOSE,
    OPTION_OWN
};

/* clang-format off */
#define PROGRAM_LONG_OPTIONS                                              \
    {"device", required_argument, NULL, OPTION_DEVICE},                   \
    {"shape", required_argument, NULL, OPTION_SHAPE},                     \
    {"subgroups", required_argument, NULL, OPTION_SUBGROUPS},             \
    {"work-group-size", required_argument, NULL, OPTION_WORK_GROUP_SIZE}, \
    {"verbose", no_argument, NULL, OPTION_VERBOSE},                       \
    {"help", no_argument, NULL, 'h'}
/* clang-format on */

/** Takes one of PROGRAM_LONG_OPTIONS. @return false after a message if its argument is no good */
bool program_option(struct program *program, int option, const char *argument);

/** Makes getopt_long() start afresh with another argument vector. */
void program_restart_getopt(void);

/** Prints one line to stderr: "clpatterns: " and the message. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** The same for a failed call of the library; a failed build's log follows. */
void complain_status(const char *what, clp_status status);

/** Picks a device with the program's options. @return NULL after a message */
clp_context *program_open(const struct program *program, const char *device);

/** All devices of all platforms as requests "P:D" that clp_context_pick() takes. Free `text`. */
struct device_list {
    char (*text)[24];
    size_t count;
};

/** @return false after a message if there is no device */
bool program_devices(struct device_list *list);

/** Reads "123", "2^20" or "2^20+1". @return false if it is none of them or does not fit */
bool parse_size(const char *text, size_t *size);

/** Whether `name` is an entry of a list like "sum,max". NULL and "all" hold everything. */
bool list_has(const char *list, const char *name);

/**
 * A file that appears under its name when it is complete: it is written beside it and renamed at the end.
 * What is no regular file (a device, a pipe) is written as it is and never removed. errno says why something
 * failed.
 */
struct output {
    FILE *file;
    char *target;    /**< behind symbolic links */
    char *temporary; /**< NULL: the target itself is written */
};

/** Whether output_open() would find a place for it; touches nothing. */
bool output_check(const char *path);
/** @return false if there is nothing to close */
bool output_open(struct output *output, const char *path);
/** Puts the file in its place if `good` and nothing failed until now. @return whether it is there */
bool output_close(struct output *output, bool good);
/** Whether two names mean one file. */
bool output_is_same(const char *a, const char *b);

/** Monotonic host clock in milliseconds. */
double clock_ms(void);

/** One line on stderr that overwrites itself if that is a terminal, nothing elsewhere. */
void progress(const char *format, ...) __attribute__((format(printf, 1, 2)));
void progress_clear(void);

const char *shape_name(clp_shape shape);
const char *schedule_name(clp_schedule schedule);
/** The schedule of a name. @return false after a message if there is none */
bool take_schedule(const char *text, clp_schedule *schedule);
const char *device_type_name(cl_device_type type);

/* The subcommands. argv[0] is a name for messages. @return the exit status */
int command_info(struct program *program, int argc, char **argv);
int command_check(struct program *program, int argc, char **argv);
int command_run(struct program *program, int argc, char **argv);
int command_bench(struct program *program, int argc, char **argv);

#endif

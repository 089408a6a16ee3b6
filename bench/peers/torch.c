/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PyTorch on the same GPU, in a child process that runs torch.py: one for the whole program, started when it
 * is first asked for, because importing takes seconds. The elements go through the pipe, so it has the same
 * ones. It takes its turns with the others, but tells its own times: the way to it and back is not in them.
 */
#include "torch.h"
#include "nvidia.h"
#include "peers.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PATIENCE_MS = 120000, LINE_SIZE = 1024 };

static struct child {
    int fd;          /* -1: not started, or it failed */
    bool tried;      /* to start it */
    char error[160]; /* the last one */
    unsigned char uuid[16];
    size_t result_size;
    double took_ms;
} child = {.fd = -1};

/* Sends all of it. A child that has died is no signal here. */
static bool put(const void *data, size_t size) {
    for (const char *at = data; size > 0;) {
        const ssize_t sent = send(child.fd, at, size, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        at += sent;
        size -= (size_t)sent;
    }
    return true;
}

static bool take(void *data, size_t size) {
    for (char *at = data; size > 0;) {
        struct pollfd ready = {.fd = child.fd, .events = POLLIN};
        ssize_t got = -1;
        if (poll(&ready, 1, PATIENCE_MS) <= 0 || (got = read(child.fd, at, size)) <= 0)
            return false;
        at += got;
        size -= (size_t)got;
    }
    return true;
}

static const char *lost(void) {
    if (child.fd >= 0)
        close(child.fd);
    child.fd = -1;
    return "python3 ended or does not answer";
}

/* The next answer; *number is its "ms" or "bytes". @return NULL or what is wrong */
static const char *answer(const char *name, double *number) {
    char line[LINE_SIZE];
    size_t length = 0;
    while (length + 1 < sizeof line && take(line + length, 1) && line[length] != '\n')
        length++;
    if (length + 1 >= sizeof line || child.fd < 0)
        return lost();
    line[length] = '\0';
    cJSON *json = cJSON_Parse(line);
    const char *error = cJSON_GetStringValue(cJSON_GetObjectItem(json, "error"));
    const cJSON *item = cJSON_GetObjectItem(json, name);
    const bool good = item != NULL && error == NULL;
    if (error != NULL)
        snprintf(child.error, sizeof child.error, "%s", error);
    if (good && number != NULL)
        *number = cJSON_GetNumberValue(item);
    cJSON_Delete(json);
    return good ? NULL : error != NULL ? child.error : lost();
}

static const char *ask(const char *request, const char *name, double *number) {
    if (child.fd < 0)
        return "python3 does not run";
    return put(request, strlen(request)) ? answer(name, number) : lost();
}

/* Only the wanted GPU is visible to it, which is then the first one. */
static const char *start(const struct nvidia_gpu *gpu) {
    char visible[64] = "CUDA_VISIBLE_DEVICES=GPU-";
    char env[] = "env", python[] = "python3", option[] = "-c";
    int ends[2];
    pid_t process;
    posix_spawn_file_actions_t actions;
    for (size_t i = 0, at = strlen(visible); i < sizeof gpu->uuid; i++)
        at += (size_t)snprintf(visible + at, sizeof visible - at, "%s%02x",
                               i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", gpu->uuid[i]);
    char *script = strdup(torch_script);
    char *argv[] = {env, visible, python, option, script, NULL};
    if (script == NULL || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        free(script);
        return "cannot start python3";
    }
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    const int failed = posix_spawnp(&process, env, &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    free(script);
    child.fd = ends[0];
    return failed ? lost() : answer("ok", NULL);
}

static const char *torch_unfit(cl_device_id device) {
    struct nvidia_gpu gpu;
    const char *error = nvidia_gpu_of(device, &gpu);
    if (error != NULL)
        return error;
    if (!gpu.has_uuid)
        return "OpenCL does not tell this GPU's UUID";
    if (child.tried && memcmp(child.uuid, gpu.uuid, sizeof gpu.uuid) == 0)
        return child.fd >= 0 ? NULL : child.error;
    if (child.fd >= 0)
        lost(); /* that was another GPU's */
    child.tried = true;
    memcpy(child.uuid, gpu.uuid, sizeof gpu.uuid);
    error = start(&gpu);
    if (error != NULL) {
        if (error != child.error)
            snprintf(child.error, sizeof child.error, "%s", error);
        lost();
    }
    return error == NULL ? NULL : child.error;
}

static const char *torch_open(const struct peer_input *input, void **state) {
    char request[LINE_SIZE];
    const size_t bytes = input->n * clp_type_size(input->type);
    *state = NULL;
    if (child.fd < 0)
        return "python3 does not run";
    if (input->n == 0)
        return "nothing to do";
    if (input->offsets != NULL)
        return "not written for segments";
    snprintf(request, sizeof request,
             "{\"pattern\": \"%s\", \"case\": \"%s\", \"type\": \"%s\", \"result\": \"%s\", "
             "\"rows\": %zu, \"bytes\": %zu}\n",
             input->pattern, input->name, clp_type_name(input->type), clp_type_name(input->result),
             input->parts, bytes);
    if (!put(request, strlen(request)) || !put(input->host, bytes))
        return lost();
    const char *error = answer("ok", NULL);
    child.result_size = input->result_size;
    *state = error == NULL ? &child : NULL;
    return error;
}

static const char *torch_run(void *state, size_t calls) {
    char request[64];
    (void)state;
    snprintf(request, sizeof request, "run %zu\n", calls);
    return ask(request, "ms", &child.took_ms);
}

static double torch_took_ms(void *state) {
    (void)state;
    return child.took_ms;
}

static double torch_event_ms(void *state) {
    double ms = -1;
    (void)state;
    return ask("event\n", "ms", &ms) == NULL ? ms : -1;
}

static const char *torch_result(void *state, void *out) {
    double bytes = 0;
    (void)state;
    const char *error = ask("result\n", "bytes", &bytes);
    if (error != NULL)
        return error;
    if (bytes != (double)child.result_size || !take(out, child.result_size))
        return lost();
    return NULL;
}

static void torch_close(void *state) {
    (void)state; /* the next open() frees its memory; the end of the program ends it */
}

extern const struct peer peer_torch;

const struct peer peer_torch = {
    .name = "torch",
    .note = "PyTorch in a process of its own, timed by its own clock, results allocated in each call",
    .open = torch_open,
    .run = torch_run,
    .result = torch_result,
    .close = torch_close,
    .unfit = torch_unfit,
    .event_ms = torch_event_ms,
    .took_ms = torch_took_ms,
};

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scans and selections again and again on a device that others keep busy: a second queue of the same context,
 * and a second process. No result may differ and nothing may hang: schedules in which work-groups wait for
 * each other would show it. CLP_TEST_REPEATS says how often (default 10; by hand 1000), CLP_TEST_MAX_N how
 * many elements at most.
 *
 * The second process is this program with the argument "busy", which works until its standard input ends: so
 * it ends with us, however we end. It is started before there is any OpenCL object, for some drivers do not
 * survive a fork.
 */
#include "harness.h"
#include "reference.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 1 << 20, SHORT = 4096, BUSY = 1 << 21 };

static const char *self;

static size_t repeats(void) {
    const char *text = getenv("CLP_TEST_REPEATS");
    return text ? strtoull(text, NULL, 10) : 10;
}

/* A buffer of work and a queue for it: what keeps the device busy. */
struct load {
    clp_context *context;
    cl_command_queue queue;
    cl_mem in, out;
    size_t n;
};

static struct load load_open(clp_context *context) {
    struct load load = {.context = context, .n = BUSY < test_max_n() ? BUSY : test_max_n()};
    cl_int code;
    float *data = malloc(load.n * sizeof *data);
    ck_assert_ptr_nonnull(data);
    ref_fill(REF_UNIFORM, CLP_F32, 0, load.n, data);
    load.queue = clCreateCommandQueue(clp_context_cl(context), clp_context_device(context), 0, &code);
    ok_cl(code);
    load.in = test_input(context, data, load.n * sizeof *data);
    load.out = test_output(context, load.n * sizeof *data);
    free(data);
    return load;
}

static void load_add(const struct load *load) {
    const clp_scan_desc desc = {.type = CLP_F32, .op = CLP_MAX};
    ok(clp_scan(load->context, load->queue, &desc, (clp_buffer){load->in, 0}, (clp_buffer){load->out, 0},
                load->n, NULL, 0, NULL, NULL));
    ok_cl(clFlush(load->queue));
}

static void load_close(struct load *load) {
    ok_cl(clFinish(load->queue));
    clReleaseMemObject(load->in);
    clReleaseMemObject(load->out);
    clReleaseCommandQueue(load->queue);
}

/* The second process: works until nobody holds the other end of its input. */
START_TEST(busy) {
    clp_context *context = test_context(CLP_SHAPE_DEFAULT, CLP_SUBGROUPS_DEFAULT, 0);
    struct load load = load_open(context);
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    while (poll(&input, 1, 0) == 0) {
        load_add(&load);
        ok_cl(clFinish(load.queue));
    }
    load_close(&load);
    clp_context_destroy(context);
}
END_TEST

static pid_t other = -1;
static int others_input = -1;

static void start_other(void) {
    int ends[2];
    if (pipe(ends) != 0)
        return;
    other = fork();
    if (other == 0) {
        dup2(ends[0], STDIN_FILENO);
        close(ends[0]);
        close(ends[1]);
        execl(self, self, "busy", (char *)NULL);
        _exit(127);
    }
    close(ends[0]);
    others_input = ends[1];
}

/* @return did it work all the time, and end well? */
static bool stop_other(void) {
    int status = -1;
    const bool alive = other > 0 && waitpid(other, &status, WNOHANG) == 0;
    close(others_input);
    return alive && waitpid(other, &status, 0) == other && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* One call of the pattern, repeated. */
struct subject {
    bool select;
    clp_scan_desc desc;
    clp_select_desc selection;
    size_t n, bytes; /* what comes out */
};

static void call(clp_context *context, const struct subject *subject, cl_mem in, cl_mem out, cl_mem count) {
    cl_command_queue queue = clp_context_queue(context);
    const clp_buffer from = {in, 0}, none = {NULL, 0}, to = {out, 0};
    if (subject->select)
        ok(clp_select(context, queue, &subject->selection, from, none, to, subject->n, (clp_buffer){count, 0},
                      subject->n, NULL, 0, NULL, NULL));
    else
        ok(clp_scan(context, queue, &subject->desc, from, to, subject->n, NULL, 0, NULL, NULL));
}

/* Makes what must come out; the number of kept elements stands behind it. */
static void make_wanted(struct subject *subject, const float *data, float *want, uint64_t *kept) {
    *kept = 0;
    subject->bytes = subject->n * sizeof *want;
    if (!subject->select) {
        ref_scan(&subject->desc, data, subject->n, want);
        return;
    }
    for (size_t i = 0; i < subject->n; i++)
        if (data[i] > 0.0f)
            want[(*kept)++] = data[i];
    subject->bytes = *kept * sizeof *want;
}

static void repeat(clp_context *context, struct subject *subject, const float *data,
                   const struct load *load) {
    const size_t size = subject->n * sizeof(float);
    float *got = malloc(size), *want = malloc(size);
    uint64_t kept = 0, count = 0;
    ck_assert(got && want);
    make_wanted(subject, data, want, &kept);
    cl_mem in = test_input(context, data, size), out = test_output(context, size),
           counted = test_output(context, sizeof count);
    cl_command_queue queue = clp_context_queue(context);
    for (size_t run = 0; run < repeats(); run++) {
        if (run % 8 == 0)
            ok_cl(clFinish(load->queue)); /* no more waits there than that */
        load_add(load);
        test_guard(queue, out, size); /* nothing of the last run is left */
        call(context, subject, in, out, counted);
        test_read(queue, out, 0, subject->bytes, got);
        must(memcmp(got, want, subject->bytes) == 0, "%s, schedule %d, run %zu: other bits",
             subject->select ? "select" : "scan",
             (int)(subject->select ? subject->selection.schedule : subject->desc.schedule), run);
        if (subject->select) {
            test_read(queue, counted, 0, sizeof count, &count);
            must(count == kept, "select, run %zu: another count", run);
        }
    }
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    clReleaseMemObject(counted);
    free(got);
    free(want);
}

START_TEST(same_bits_beside_others) {
    static const clp_schedule scans[] = {CLP_SCHEDULE_DEFAULT,       CLP_SCHEDULE_LEVELS,
                                         CLP_SCHEDULE_SINGLE,        CLP_SCHEDULE_ONE_PASS,
                                         CLP_SCHEDULE_HILLIS_STEELE, CLP_SCHEDULE_BLELLOCH};
    static const clp_schedule selects[] = {CLP_SCHEDULE_LEVELS, CLP_SCHEDULE_SINGLE};
    if (!test_shape((clp_shape)_i))
        return;
    const size_t most = MOST < test_max_n() ? MOST : test_max_n();
    float *data = malloc(most * sizeof *data);
    ck_assert_ptr_nonnull(data);
    ref_fill(REF_UNIFORM, CLP_F32, 0, most, data);
    clp_context *context = test_context((clp_shape)_i, CLP_SUBGROUPS_DEFAULT, 0);
    struct load load = load_open(context);
    for (size_t s = 0; s < sizeof scans / sizeof *scans; s++) {
        const bool block = scans[s] >= CLP_SCHEDULE_HILLIS_STEELE;
        struct subject subject = {.desc = {.type = CLP_F32,
                                           .op = scans[s] == CLP_SCHEDULE_BLELLOCH ? CLP_MAX : CLP_SUM,
                                           .schedule = scans[s]},
                                  /* By one work-group a few tiles are enough. */
                                  .n = block && SHORT < most                             ? SHORT
                                       : scans[s] == CLP_SCHEDULE_SINGLE && most > 50000 ? 50001
                                                                                         : most - 3};
        clp_plan plan;
        if (clp_scan_plan(context, &subject.desc, subject.n, &plan) == CLP_DEVICE_UNSUPPORTED)
            continue; /* one pass, where it may hang */
        repeat(context, &subject, data, &load);
    }
    for (size_t s = 0; s < sizeof selects / sizeof *selects; s++) {
        struct subject subject = {.select = true,
                                  .selection = {.type = CLP_F32, .where = "x > 0.0f", .schedule = selects[s]},
                                  .n = selects[s] == CLP_SCHEDULE_SINGLE && most > 50000 ? 50001 : most - 3};
        repeat(context, &subject, data, &load);
    }
    load_close(&load);
    clp_context_destroy(context);
    free(data);
}
END_TEST

/* Last: the other process was there all the time. */
START_TEST(the_other_process_ends_well) {
    ck_assert(stop_other());
}
END_TEST

int main(int argc, char **argv) {
    Suite *suite = suite_create("stress");
    TCase *stress = tcase_create("stress");
    self = argv[0];
    if (argc > 1 && strcmp(argv[1], "busy") == 0) {
        tcase_add_test(stress, busy);
    } else {
        start_other();
        tcase_add_loop_test(stress, same_bits_beside_others, CLP_SHAPE_SIMT, CLP_SHAPE_SIMD + 1);
        tcase_add_test(stress, the_other_process_ends_well);
    }
    suite_add_tcase(suite, stress);
    return test_main(suite);
}

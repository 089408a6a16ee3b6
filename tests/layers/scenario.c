/* SPDX-License-Identifier: Apache-2.0 */
/** @file scenario.c See scenario.h. */
#include "scenario.h"
#include <check.h>
#include <string.h>

static const struct plan no_fault = {0, CL_SUCCESS, false};

void arm(struct plan plan) {
    (plan.for_good ? fault.arm_from : fault.arm)(plan.n, plan.status);
}

unsigned disarm(void) {
    unsigned failed = fault.failed();
    fault.arm(0, CL_SUCCESS);
    return failed;
}

static bool makes_context(const struct scenario *s) {
    return s->operation == PICK || s->operation == ADOPT;
}

/* The reference is slow and a scenario is done often: the last results are kept. */
static const uint32_t *expected(const struct scenario *s) {
    static const float *data;
    static enum request request;
    static size_t n;
    static uint32_t words[FIXTURE_OUTPUTS];
    if (data != world.data || request != s->request || n != s->n) {
        request_expected(&world, s->request, s->n, words);
        data = world.data, request = s->request, n = s->n;
    }
    return words;
}

static void check_results(const struct scenario *s) {
    static uint32_t words[FIXTURE_OUTPUTS];
    const size_t results = request_results(s->request, s->n);
    fixture_results(&world, results, words);
    const uint32_t *want = expected(s);
    for (size_t k = 0; k < results; k++) {
        if (words[k] != want[k])
            ck_abort_msg("%s: result %zu is %08x, not %08x", s->name, k, words[k], want[k]);
    }
}

static struct outcome call(const struct scenario *s, clp_context *context, struct plan plan) {
    struct outcome o = {0};
    const clp_workspace workspace = {world.workspace, 0, world.workspace_size};
    int mark;
    cl_event event = (cl_event)&mark;
    cl_event user = s->behind_event ? clCreateUserEvent(world.context, NULL) : NULL;
    fixture_poison(&world);
    arm(plan);
    o.status =
        request_call(&world, context, s->out_of_order ? world.out_of_order : world.in_order, s->request,
                     s->schedule, s->n, (clp_buffer){world.out, 1}, s->own_workspace ? &workspace : NULL,
                     user != NULL ? 1 : 0, user != NULL ? &user : NULL, &event);
    strcpy(o.name, fault.last_name());
    o.failed = disarm();
    if (user != NULL) { /* before any check: one that fails must not leave commands waiting for ever */
        ck_assert_int_eq(clSetUserEventStatus(user, CL_COMPLETE), CL_SUCCESS);
    }
    if (o.status != CLP_SUCCESS) {
        ck_assert_ptr_null(event);
    }
    if (o.status == CLP_SUCCESS) {
        ck_assert_int_eq(clWaitForEvents(1, &event), CL_SUCCESS);
        ck_assert_int_eq(clReleaseEvent(event), CL_SUCCESS);
        check_results(s);
    }
    ck_assert_int_eq(clFinish(world.out_of_order), CL_SUCCESS);
    ck_assert_int_eq(clFinish(world.in_order), CL_SUCCESS);
    static uint32_t words[FIXTURE_OUTPUTS];
    fixture_results(&world, request_results(s->request, s->n),
                    words); /* the guard words, whatever happened */
    if (user != NULL) {
        clReleaseEvent(user);
    }
    return o;
}

struct outcome perform(const struct scenario *s, clp_context **context, struct plan plan) {
    struct outcome o = {0};
    const clp_options options = {.shape = s->shape};
    clp_plan sizes;
    if (s->operation == CALL) {
        return call(s, *context, plan);
    }
    arm(plan);
    switch (s->operation) {
    case PICK:
        o.status = clp_context_pick(&options, context);
        break;
    case ADOPT:
        o.status = clp_context_adopt(world.context, world.device, &options, context);
        break;
    case INFO:
        ck_assert_ptr_nonnull(clp_context_info(*context));
        break;
    case PLAN:
        o.status = request_plan(&world, *context, s->request, s->schedule, s->n, &sizes);
        break;
    default:
        o.status = request_prewarm(*context, s->request, s->schedule);
        break;
    }
    strcpy(o.name, fault.last_name());
    o.failed = disarm();
    if (o.status != CLP_SUCCESS && makes_context(s)) {
        ck_assert_ptr_null(*context);
    }
    return o;
}

void check_usable(clp_context *context) {
    const size_t n = 20000; /* more than one level of the tree */
    const clp_reduce_desc desc = fixture_sum(CLP_SCHEDULE_DEFAULT);
    cl_context cl = clp_context_cl(context);
    cl_command_queue queue = clCreateCommandQueue(cl, clp_context_device(context), 0, NULL);
    cl_mem in =
        clCreateBuffer(cl, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, n * sizeof(float), world.data, NULL);
    cl_mem out = clCreateBuffer(cl, CL_MEM_READ_WRITE, sizeof(uint32_t), NULL, NULL);
    uint32_t bits = 0;
    ck_assert_int_eq(
        clp_reduce(context, queue, &desc, (clp_buffer){in, 0}, (clp_buffer){out, 0}, n, NULL, 0, NULL, NULL),
        CLP_SUCCESS);
    ck_assert_int_eq(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof(bits), &bits, 0, NULL, NULL),
                     CL_SUCCESS);
    ck_assert_uint_eq(bits, fixture_expected(&world, n));
    clReleaseMemObject(out);
    clReleaseMemObject(in);
    clReleaseCommandQueue(queue);
}

/* Fails a call in a known way, so that the next failure's detail can be told from it. */
static void set_known_detail(char known[256]) {
    ck_assert_int_eq(clp_reduce_prewarm(NULL, NULL), CLP_INVALID_ARGUMENT);
    snprintf(known, 256, "%s", clp_last_detail());
}

struct references references_now(void) {
    struct references now;
    for (int kind = 0; kind < CLP_KIND_COUNT; kind++) {
        now.of[kind] = count.references((enum clp_kind)kind);
    }
    return now;
}

void check_references(const struct scenario *s, const char *failed, struct references expected) {
    struct references now = references_now();
    if (memcmp(&now, &expected, sizeof(now)) != 0) {
        count.report(stderr);
    }
    for (int kind = 0; kind < CLP_KIND_COUNT; kind++) {
        ck_assert_msg(now.of[kind] == expected.of[kind], "%s, %s failed: %zu references of kind %d, not %zu",
                      s->name, failed, now.of[kind], kind, expected.of[kind]);
    }
}

clp_context *prepare(const struct scenario *s) {
    clp_context *context = makes_context(s) ? NULL : fixture_adopt(&world, s->shape);
    if (s->warm) {
        ck_assert_int_eq(perform(s, &context, no_fault).status, CLP_SUCCESS);
    }
    return context;
}

/* Fails the n-th call, checks what the library makes of it, and that the next call is as good as new. */
static struct outcome fail_and_recover(const struct scenario *s, clp_context **context, struct plan plan) {
    char known[256];
    set_known_detail(known);
    struct outcome o = perform(s, context, plan);
    if (o.status != CLP_SUCCESS) {
        ck_assert_msg(o.status == plan.status, "%s: %s failed with %d, the library says %s", s->name, o.name,
                      plan.status, clp_status_name(o.status));
        ck_assert_str_ne(clp_last_detail(), "");
        ck_assert_str_ne(clp_last_detail(), known);
    } else if (makes_context(s)) {
        if (o.failed != 0) {
            check_usable(*context);
        }
        clp_context_destroy(*context);
    }
    if (o.failed != 0) {
        struct outcome next = perform(s, context, no_fault);
        ck_assert_msg(next.status == CLP_SUCCESS, "%s: after %s had failed the next call says %s: %s",
                      s->name, o.name, clp_status_name(next.status), clp_last_detail());
        if (makes_context(s)) {
            clp_context_destroy(*context);
        }
    }
    return o;
}

/* When a block of the pool could not be asked whether it is free, another may have been made, no more. */
static void allow_one_more_block(struct references *settled) {
    struct references now = references_now();
    for (int kind = 0; kind < CLP_KIND_COUNT; kind++) {
        size_t more = kind == CLP_KIND_MEM ? 2 : kind == CLP_KIND_EVENT ? 1 : 0;
        if (now.of[kind] > settled->of[kind] && now.of[kind] <= settled->of[kind] + more) {
            settled->of[kind] = now.of[kind];
        }
    }
}

unsigned fail_each(const struct scenario *s, cl_int status, bool for_good) {
    unsigned n = 1, tolerated = 0;
    char names[1024] = "";
    size_t misuses = count.misuses();
    const struct references before = references_now();
    clp_context *context = s->warm ? prepare(s) : NULL;
    struct references settled = references_now();
    for (;; n++) {
        ck_assert_uint_lt(n, SCENARIO_MANY_CALLS);
        if (!s->warm) {
            context = prepare(s);
        }
        struct outcome o = fail_and_recover(s, &context, (struct plan){n, status, for_good});
        if (o.failed != 0 && o.status == CLP_SUCCESS) {
            tolerated++;
            size_t used = strlen(names);
            snprintf(names + used, sizeof(names) - used, " %s", o.name);
        }
        if (s->warm && strcmp(o.name, "clGetEventInfo") == 0) {
            allow_one_more_block(&settled);
        }
        if (!s->warm && !makes_context(s)) {
            clp_context_destroy(context);
        }
        check_references(s, o.name, s->warm ? settled : before);
        if (o.failed == 0) {
            break;
        }
    }
    if (s->warm) {
        clp_context_destroy(context);
        check_references(s, "any call", before);
    }
    ck_assert_uint_eq(count.misuses(), misuses);
    printf("%s, status %d%s: %u calls, %u tolerated%s\n", s->name, status, for_good ? " for good" : "", n - 1,
           tolerated, names);
    ck_assert_uint_le(tolerated, s->tolerated);
    return n - 1;
}

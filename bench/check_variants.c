/* SPDX-License-Identifier: Apache-2.0 */
/* Which variants of a case `check` runs: shapes × back-ends × schedules × work-group sizes. */
#include "check.h"

#include <stdio.h>
#include <string.h>

/* An edge of every kind: one work-item, less than a sub-group, no power of two, one and many sub-groups. */
static const size_t usual_sizes[] = {1, 4, 48, 64, 256};

static void add_size(struct check_session *session, size_t size) {
    if (size > session->info->max_work_group_size)
        return;
    for (size_t i = 0; i < session->size_count; i++)
        if (session->sizes[i] == size)
            return;
    session->sizes[session->size_count++] = size;
}

static void add_arm(struct check_session *session, const struct program *program, clp_shape shape,
                    clp_subgroups subgroups) {
    session->arms[session->arm_count++] = (struct check_arm){
        .shape = shape,
        .subgroups = subgroups,
        .requested = program->shape != CLP_SHAPE_DEFAULT || program->subgroups != CLP_SUBGROUPS_DEFAULT};
}

static clp_status adopt(const struct check_session *session, clp_shape shape, clp_subgroups subgroups,
                        size_t size, clp_context **context) {
    const clp_options options = {.shape = shape, .subgroups = subgroups, .work_group_size = size};
    return clp_context_adopt(clp_context_cl(session->base), clp_context_device(session->base), &options,
                             context);
}

/* Which back-end the library itself chooses for the simt shape: it has passed its self-test then. */
static clp_subgroups best_subgroups(const struct check_session *session) {
    clp_context *context = NULL;
    clp_subgroups best = CLP_SUBGROUPS_LOCAL;
    if (adopt(session, CLP_SHAPE_SIMT, CLP_SUBGROUPS_DEFAULT, 0, &context) == CLP_SUCCESS &&
        clp_context_info(context) != NULL)
        best = clp_context_info(context)->subgroups;
    clp_context_destroy(context);
    return best;
}

bool check_session_open(struct check_session *session, const struct program *program, const char *device,
                        bool matrix, bool full) {
    *session = (struct check_session){.matrix = matrix};
    if (program->shape == CLP_SHAPE_SIMD && program->subgroups != CLP_SUBGROUPS_DEFAULT) {
        complain("--subgroups %s is for --shape simt; the lanes of simd are elements of vectors",
                 clp_subgroups_name(program->subgroups));
        return false;
    }
    session->base = program_open(program, device);
    if (session->base == NULL)
        return false;
    session->info = clp_context_info(session->base);
    session->thin = (session->info->type & CL_DEVICE_TYPE_CPU) && !matrix && !full;
    if (program->work_group_size != 0) {
        session->sizes[session->size_count++] = program->work_group_size;
    } else {
        for (size_t i = 0; i < sizeof usual_sizes / sizeof *usual_sizes; i++)
            add_size(session, usual_sizes[i]);
        add_size(session, session->info->max_work_group_size);
    }
    if (program->shape != CLP_SHAPE_SIMD) {
        const clp_subgroups best = best_subgroups(session);
        if (program->subgroups != CLP_SUBGROUPS_DEFAULT) {
            add_arm(session, program, CLP_SHAPE_SIMT, program->subgroups);
        } else {
            add_arm(session, program, CLP_SHAPE_SIMT, CLP_SUBGROUPS_LOCAL);
            if (best > CLP_SUBGROUPS_LOCAL)
                add_arm(session, program, CLP_SHAPE_SIMT, best);
            else
                snprintf(session->unavailable, sizeof session->unavailable,
                         "sub-group back-ends: none works here, so lanes exchange by local memory");
        }
    }
    if (program->shape != CLP_SHAPE_SIMT) {
        add_arm(session, program, CLP_SHAPE_SIMD, CLP_SUBGROUPS_DEFAULT);
        /* --subgroups asks for the other shape's arm alone. */
        session->arms[session->arm_count - 1].requested = program->shape == CLP_SHAPE_SIMD;
    }
    return true;
}

void check_session_close(struct check_session *session) {
    for (size_t a = 0; a < session->arm_count; a++)
        for (size_t s = 0; s < session->size_count; s++)
            clp_context_destroy(session->arms[a].contexts[s]);
    clp_context_destroy(session->base);
    session->base = NULL;
}

static bool same_plan(const clp_plan *a, const clp_plan *b) {
    return a->shape == b->shape && a->subgroups == b->subgroups && a->schedule == b->schedule &&
           a->work_group_size == b->work_group_size;
}

/* Notes whether an arm runs at all: in the way it stands for, not in one that the library fell back to. One
 * that fails is reported when it runs. */
static void note_arm(struct check_arm *arm, clp_status status, const clp_plan *plan) {
    if (status == CLP_SUCCESS && (plan->shape != arm->shape || (arm->subgroups != CLP_SUBGROUPS_DEFAULT &&
                                                                plan->subgroups != arm->subgroups)))
        snprintf(arm->dropped, sizeof arm->dropped, "the library runs %s/%s instead", shape_name(plan->shape),
                 clp_subgroups_name(plan->subgroups));
    else if (status != CLP_DEVICE_UNSUPPORTED)
        arm->ran = true;
    else if (arm->dropped[0] == '\0')
        snprintf(arm->dropped, sizeof arm->dropped, "%.150s", clp_last_detail());
}

/* Adds a variant unless it does what an earlier one does already. A failing one is kept: it is reported when
 * it runs. */
static clp_status add_variant(struct check_session *session, const struct pattern *pattern,
                              const struct pattern_work *work, struct check_arm *arm, clp_context *context,
                              clp_schedule schedule, struct check_variant *variants, size_t *count) {
    struct check_variant variant = {.context = context, .schedule = schedule};
    const struct pattern_call call = {.work = work, .context = context, .schedule = schedule};
    const clp_status status = pattern->plan(&call, &variant.plan);
    bool seen = false;
    if (arm != NULL)
        note_arm(arm, status, &variant.plan);
    if (status == CLP_DEVICE_UNSUPPORTED || *count == CHECK_MAX_VARIANTS)
        return status;
    for (size_t i = 0; i < *count && status == CLP_SUCCESS; i++)
        if (same_plan(&variants[i].plan, &variant.plan))
            return status;
    variants[(*count)++] = variant;
    for (size_t i = 0; i < session->seen_count; i++)
        seen = seen || same_plan(&session->seen[i], &variant.plan);
    if (!seen && status == CLP_SUCCESS && session->seen_count < CHECK_MAX_VARIANTS)
        session->seen[session->seen_count++] = variant.plan;
    return status;
}

/* Numbers the cases so that each pair (type, size) and each pair (operator, size) occurs: two sizes a case,
 * those of the next case of a type are the next two, and each type starts two further on. */
static size_t rotation(const struct pattern *pattern, size_t case_index) {
    size_t types = 0, within = 0;
    for (size_t i = 0; i < case_index; i++) {
        types += pattern->cases[i].type != pattern->cases[i + 1].type;
        within = pattern->cases[i].type != pattern->cases[i + 1].type ? 0 : within + 1;
    }
    return 2 * (types + within);
}

static clp_status arm_context(const struct check_session *session, struct check_arm *arm, size_t i) {
    if (arm->contexts[i] != NULL)
        return CLP_SUCCESS;
    return adopt(session, arm->shape, arm->subgroups, session->sizes[i], &arm->contexts[i]);
}

/*
 * A sample: each third case in the simt shape, each sixth once more in the simd shape, at one size and by one
 * schedule, which take turns so that all pairs of the two occur. (On PoCL a kernel costs half a second.)
 */
static clp_status add_sample(struct check_session *session, const struct pattern *pattern, size_t case_index,
                             const struct pattern_work *work, struct check_variant *variants, size_t *count) {
    const size_t turn = case_index / 3, i = turn % session->size_count;
    /* What few cases have takes no turns. */
    for (clp_schedule schedule = CLP_SCHEDULE_HILLIS_STEELE; schedule <= CLP_SCHEDULE_BLELLOCH; schedule++)
        if (pattern->has_schedule(work->what, schedule))
            (void)add_variant(session, pattern, work, NULL, session->base, schedule, variants, count);
    size_t simt_arms = 0, arm = session->arm_count;
    while (simt_arms < session->arm_count && session->arms[simt_arms].shape == CLP_SHAPE_SIMT)
        simt_arms++;
    if (case_index % 3 == 0 && simt_arms > 0)
        arm = turn % simt_arms;
    else if (case_index % 6 == 4)
        arm = simt_arms;
    if (arm >= session->arm_count)
        return CLP_SUCCESS;
    const clp_status status = arm_context(session, &session->arms[arm], i);
    if (status != CLP_SUCCESS)
        return status;
    for (size_t s = 0, first = turn + turn / session->size_count; s <= CLP_SCHEDULE_SINGLE; s++) {
        const clp_schedule schedule = (clp_schedule)((first + s) % (CLP_SCHEDULE_SINGLE + 1));
        if (pattern->has_schedule(work->what, schedule) &&
            add_variant(session, pattern, work, &session->arms[arm], session->arms[arm].contexts[i], schedule,
                        variants, count) == CLP_SUCCESS)
            break;
    }
    return CLP_SUCCESS;
}

/* The variants of every arm, after the default one. */
static clp_status add_arms(struct check_session *session, const struct pattern *pattern, size_t first,
                           const struct pattern_work *work, struct check_variant *variants, size_t *count) {
    const struct pattern_case *what = work->what;
    /* Small integers and 16-bit floats differ from 32-bit ones in how they are loaded, no more: fewer
     * variants. */
    const bool usual = clp_type_size(what->type) >= 4 && what->type != CLP_I64 && what->type != CLP_U64;
    for (size_t a = 0; a < session->arm_count; a++) {
        struct check_arm *arm = &session->arms[a];
        /* The work-items of the simd shape know nothing of each other: one size of work-group is enough. */
        const size_t most = session->matrix                ? CHECK_MAX_SIZES
                            : arm->shape == CLP_SHAPE_SIMD ? usual
                                                           : 1u + usual;
        const size_t taken = most < session->size_count ? most : session->size_count;
        for (size_t s = 0; s < taken; s++) {
            const size_t i = (first + s) % session->size_count;
            const clp_status status = arm_context(session, arm, i);
            if (status != CLP_SUCCESS)
                return status;
            for (clp_schedule schedule = CLP_SCHEDULE_DEFAULT; schedule <= CLP_SCHEDULE_BLELLOCH; schedule++)
                if (pattern->has_schedule(what, schedule)) /* What it cannot run is noted in the arm. */
                    (void)add_variant(session, pattern, work, arm, arm->contexts[i], schedule, variants,
                                      count);
        }
    }
    return CLP_SUCCESS;
}

size_t check_variants(struct check_session *session, const struct pattern *pattern, size_t case_index,
                      struct check_variant variants[CHECK_MAX_VARIANTS], clp_status *status) {
    struct pattern_work work;
    size_t count = 0;
    *status = CL_OUT_OF_HOST_MEMORY;
    if (work_make(&work, &pattern->cases[case_index], 65537) == NULL)
        *status = work_upload(&work, clp_context_cl(session->base));
    if (*status == CLP_SUCCESS)
        *status =
            add_variant(session, pattern, &work, NULL, session->base, CLP_SCHEDULE_DEFAULT, variants, &count);
    if (*status == CLP_SUCCESS || *status == CLP_DEVICE_UNSUPPORTED) {
        /* Of a pattern with few cases a sample might miss a shape. */
        const clp_status of_arms =
            session->thin && pattern->case_count >= 12
                ? add_sample(session, pattern, case_index, &work, variants, &count)
                : add_arms(session, pattern, rotation(pattern, case_index), &work, variants, &count);
        if (of_arms != CLP_SUCCESS)
            *status = of_arms;
    }
    work_free(&work);
    return *status == CLP_SUCCESS ? count : 0;
}

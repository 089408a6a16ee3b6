/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sub-group back-ends: what the device lacks is refused, what it has is used where it fits, and one that
 * exchanges wrong values is found by its self-test. A device may have none: then only the first is tested,
 * and a line says so.
 */
#include "harness.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const clp_reduce_desc sum = {.type = CLP_F32, .op = CLP_SUM};

/* Does the device have this back-end, and does it pass? */
static bool works(clp_subgroups back_end) {
    clp_context *context = test_context(CLP_SHAPE_SIMT, back_end, 0);
    const bool chosen = clp_context_info(context)->subgroups == back_end;
    clp_context_destroy(context);
    return chosen;
}

/* A back-end that the device does not have is an error when it is asked for, never a silent fall-back. */
START_TEST(no_silent_back_end) {
    clp_context *context = test_context(CLP_SHAPE_SIMT, (clp_subgroups)_i, 0);
    clp_status wanted = CLP_SUCCESS;
    if (clp_context_info(context)->subgroups == (clp_subgroups)_i) {
        ok(clp_reduce_prewarm(context, &sum));
        printf("subgroups: %s works here\n", clp_subgroups_name((clp_subgroups)_i));
    } else {
        ck_assert_int_eq(clp_context_info(context)->subgroups, CLP_SUBGROUPS_LOCAL);
        /* Or it has it and it does not work, as PoCL 5.0's Intel shuffles. */
        wanted = clp_reduce_prewarm(context, &sum);
        ck_assert(wanted == CLP_DEVICE_UNSUPPORTED || wanted == CLP_SELF_TEST_FAILED);
        ck_assert_ptr_nonnull(strstr(clp_last_detail(), clp_subgroups_name((clp_subgroups)_i)));
        printf("subgroups: %s is not here\n", clp_subgroups_name((clp_subgroups)_i));
    }
    clp_context_destroy(context);
    /* The variable is the same request. */
    setenv("CLPATTERNS_SUBGROUPS", clp_subgroups_name((clp_subgroups)_i), 1);
    context = test_context(CLP_SHAPE_SIMT, CLP_SUBGROUPS_DEFAULT, 0);
    const clp_status status = clp_reduce_prewarm(context, &sum);
    unsetenv("CLPATTERNS_SUBGROUPS");
    expect(status, wanted);
    clp_context_destroy(context);
}
END_TEST

/* Work-groups that do not hold whole runs of 32 use local memory, and the plan says so. */
START_TEST(used_where_it_fits) {
    static const size_t groups[] = {1, 16, 32, 48, 64, 96, 160, 256};
    if (!works((clp_subgroups)_i))
        return;
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++) {
        clp_context *context = test_context(CLP_SHAPE_SIMT, (clp_subgroups)_i, groups[g]);
        clp_plan plan;
        ok(clp_reduce_plan(context, &sum, 100000, &plan));
        if (plan.work_group_size % 32 != 0)
            ck_assert_int_eq(plan.subgroups, CLP_SUBGROUPS_LOCAL);
        else if (groups[g] == 256) /* smaller ones may get narrower sub-groups */
            ck_assert_int_eq(plan.subgroups, (clp_subgroups)_i);
        clp_context_destroy(context);
    }
}
END_TEST

static char *read_kernel(const char *name) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", CLP_KERNEL_FOLDER, name);
    FILE *file = fopen(path, "r");
    ck_assert_ptr_nonnull(file);
    char *text = calloc(1, 1 << 20);
    ck_assert_ptr_nonnull(text);
    ck_assert_uint_gt(fread(text, 1, (1 << 20) - 1, file), 0);
    fclose(file);
    return text;
}

/* Copies the kernels to a folder, with text put before and behind subgroups.cl. */
static void plant(const char *folder, const char *before, const char *behind) {
    mkdir(folder, 0777);
    DIR *kernels = opendir(CLP_KERNEL_FOLDER);
    ck_assert_ptr_nonnull(kernels);
    for (const struct dirent *entry; (entry = readdir(kernels)) != NULL;) {
        const char *dot = strrchr(entry->d_name, '.');
        if (!dot || strcmp(dot, ".cl") != 0)
            continue;
        const bool here = strcmp(entry->d_name, "subgroups.cl") == 0;
        char path[1024], *text = read_kernel(entry->d_name);
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        FILE *file = fopen(path, "w");
        ck_assert_ptr_nonnull(file);
        fprintf(file, "%s%s%s", here ? before : "", text, here ? behind : "");
        fclose(file);
        free(text);
    }
    closedir(kernels);
}

/* Back-ends that are wrong in a way that few exchanges show, and one that does not compile. */
static const struct {
    const char *folder, *behind;
} faults[] = {
    {CLP_SCRATCH_FOLDER "/subgroups_delta", "#if CLP_SUBGROUPS != 1\n"
                                            "static inline uint clp_planted(uint value, uint delta)\n"
                                            "{\n    return clp_down_32(value, delta == 16 ? 17 : delta);\n}\n"
                                            "#define clp_down_32 clp_planted\n#endif\n"},
    {CLP_SCRATCH_FOLDER "/subgroups_halves",
     "#if CLP_SUBGROUPS != 1\n"
     "static inline ulong clp_planted(ulong value, uint delta)\n"
     "{\n    return as_ulong(as_uint2(clp_down_64(value, delta)).yx);\n}\n"
     "#define clp_down_64 clp_planted\n#endif\n"},
    {CLP_SCRATCH_FOLDER "/subgroups_syntax", "#if CLP_SUBGROUPS != 1\nno_such_type clp_planted;\n#endif\n"},
};

START_TEST(a_wrong_one_is_refused) {
    if (!works((clp_subgroups)_i))
        return;
    for (size_t f = 0; f < sizeof faults / sizeof *faults; f++) {
        clp_context *context = NULL;
        clp_options options = {
            .shape = CLP_SHAPE_SIMT, .subgroups = (clp_subgroups)_i, .source_dir = faults[f].folder};
        plant(faults[f].folder, "", faults[f].behind);
        ok(clp_context_pick(&options, &context));
        expect(clp_reduce_prewarm(context, &sum), CLP_SELF_TEST_FAILED);
        clp_context_destroy(context);
        options.subgroups = CLP_SUBGROUPS_DEFAULT; /* all of them are wrong */
        ok(clp_context_pick(&options, &context));
        ok(clp_reduce_prewarm(context, &sum));
        ck_assert_int_eq(clp_context_info(context)->subgroups, CLP_SUBGROUPS_LOCAL);
        ck_assert_ptr_nonnull(strstr(clp_context_info(context)->notes, "fails its self-test"));
        clp_context_destroy(context);
    }
    ck_assert(works((clp_subgroups)_i)); /* the verdict on a folder's kernels is not the library's own */
}
END_TEST

/* The KHR back-end has a second form, for devices without the relative shuffle. */
START_TEST(absolute_shuffle) {
    const char *folder = CLP_SCRATCH_FOLDER "/subgroups_absolute";
    if (!works(CLP_SUBGROUPS_KHR))
        return;
    clp_context *context = NULL;
    plant(folder, "#undef cl_khr_subgroup_shuffle_relative\n", "");
    ok(clp_context_pick(
        &(clp_options){.shape = CLP_SHAPE_SIMT, .subgroups = CLP_SUBGROUPS_KHR, .source_dir = folder},
        &context));
    const clp_status status = clp_reduce_prewarm(context, &sum);
    /* A device may have the relative one alone; then this form does not compile. */
    ck_assert(status == CLP_SUCCESS || *clp_last_build_log());
    printf("subgroups: khr by absolute shuffle %s\n", status == CLP_SUCCESS ? "works" : "does not compile");
    clp_context_destroy(context);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("subgroups");
    TCase *back_ends = tcase_create("back-ends");
    tcase_add_loop_test(back_ends, no_silent_back_end, CLP_SUBGROUPS_NVIDIA, CLP_SUBGROUPS_AMD + 1);
    tcase_add_loop_test(back_ends, used_where_it_fits, CLP_SUBGROUPS_NVIDIA, CLP_SUBGROUPS_AMD + 1);
    tcase_add_loop_test(back_ends, a_wrong_one_is_refused, CLP_SUBGROUPS_NVIDIA, CLP_SUBGROUPS_AMD + 1);
    tcase_add_test(back_ends, absolute_shuffle);
    suite_add_tcase(suite, back_ends);
    return test_main(suite);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts: device requests, options, environment, kernel sources from a folder, names and versions. */
#include "harness.h"
#include "reference.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static clp_status pick(const char *request, clp_context **context) {
    return clp_context_pick(&(clp_options){.device = request}, context);
}

/* Each way to ask for the device under test finds it; each request that matches nothing is an error. */
START_TEST(requests) {
    clp_context *context = test_context(CLP_SHAPE_DEFAULT, CLP_SUBGROUPS_DEFAULT, 0), *other;
    const clp_device_info *info = clp_context_info(context);
    char part[8] = "", upper[8] = "";
    strncpy(part, info->name, sizeof part - 1);
    for (size_t i = 0; part[i]; i++)
        upper[i] = (char)(part[i] >= 'a' && part[i] <= 'z' ? part[i] - 'a' + 'A' : part[i]);
    ck_assert(info->type & (CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_ACCELERATOR));
    const char *type = info->type & CL_DEVICE_TYPE_CPU   ? "cpu"
                       : info->type & CL_DEVICE_TYPE_GPU ? "GPU"
                                                         : "accelerator";
    const char *const good[] = {"0:0", part, upper, info->platform, type, NULL, ""};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        ok(pick(good[i], &other));
        ck_assert_ptr_nonnull(clp_context_queue(other));
        clp_context_destroy(other);
    }
    static const struct {
        const char *request;
        clp_status status;
    } bad[] = {
        {"no such device", CLP_DEVICE_NOT_FOUND},
        {"77:0", CLP_DEVICE_NOT_FOUND},
        {"0:77", CLP_DEVICE_NOT_FOUND},
        {"0:", CLP_INVALID_SELECTION},
        {":", CLP_INVALID_SELECTION},
        {"314159265", CLP_DEVICE_NOT_FOUND},
        {"1:2:3", CLP_INVALID_SELECTION},
        {":1", CLP_INVALID_SELECTION},
        {"99999999999:0", CLP_INVALID_SELECTION},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        other = context;
        expect(pick(bad[i].request, &other), bad[i].status);
        ck_assert_ptr_null(other);
        ck_assert_ptr_nonnull(strstr(clp_last_detail(), bad[i].request));
    }
    clp_context_destroy(context);
}
END_TEST

START_TEST(options_and_environment) {
    clp_context *context = NULL;
    clp_options options = {0};
    expect(clp_context_pick(&options, NULL), CLP_INVALID_ARGUMENT);
    options.reserved[7] = 1;
    expect(clp_context_pick(&options, &context), CLP_INVALID_ARGUMENT);
    options = (clp_options){.shape = (clp_shape)9};
    expect(clp_context_pick(&options, &context), CLP_INVALID_MODE);
    options = (clp_options){.subgroups = (clp_subgroups)9};
    expect(clp_context_pick(&options, &context), CLP_INVALID_MODE);

    setenv("CLPATTERNS_SHAPE", "SIMT", 1);
    setenv("CLPATTERNS_WORK_GROUP_SIZE", "32", 1);
    setenv("CLPATTERNS_SUBGROUPS", "local", 1);
    ok(clp_context_pick(NULL, &context));
    ck_assert_int_eq(clp_context_info(context)->shape, CLP_SHAPE_SIMT);
    ck_assert_int_eq(clp_context_info(context)->subgroups, CLP_SUBGROUPS_LOCAL);
    ck_assert_uint_eq(clp_context_info(context)->work_group_size, 32);
    clp_context_destroy(context);
    options = (clp_options){.shape = CLP_SHAPE_SIMD, .work_group_size = 2}; /* options win */
    ok(clp_context_pick(&options, &context));
    ck_assert_int_eq(clp_context_info(context)->shape, CLP_SHAPE_SIMD);
    ck_assert_uint_eq(clp_context_info(context)->work_group_size, 2);
    clp_context_destroy(context);
    setenv("CLPATTERNS_SHAPE", "round", 1);
    expect(clp_context_pick(NULL, &context), CLP_INVALID_SELECTION);
    setenv("CLPATTERNS_SHAPE", "", 1);
    static const char *const sizes[] = {"0", "-1", "12x", "x", " 8", "99999999999999999999999"};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        setenv("CLPATTERNS_WORK_GROUP_SIZE", sizes[i], 1);
        expect(clp_context_pick(NULL, &context), CLP_INVALID_SELECTION);
    }
    unsetenv("CLPATTERNS_SHAPE");
    unsetenv("CLPATTERNS_WORK_GROUP_SIZE");
    unsetenv("CLPATTERNS_SUBGROUPS");
    const char *old = getenv("CLPATTERNS_DEVICE");
    char *kept = old ? strdup(old) : NULL;
    setenv("CLPATTERNS_DEVICE", "no such device", 1);
    expect(clp_context_pick(NULL, &context), CLP_DEVICE_NOT_FOUND);
    ok(clp_context_pick(&(clp_options){.device = "0:0"}, &context));
    clp_context_destroy(context);
    unsetenv("CLPATTERNS_DEVICE");
    if (kept)
        setenv("CLPATTERNS_DEVICE", kept, 1);
    free(kept);
}
END_TEST

START_TEST(adopting) {
    clp_context *picked = test_context(CLP_SHAPE_DEFAULT, CLP_SUBGROUPS_DEFAULT, 0), *context = picked;
    expect(clp_context_adopt(NULL, clp_context_device(picked), NULL, &context), CLP_INVALID_ARGUMENT);
    ck_assert_ptr_null(context);
    expect(clp_context_adopt(clp_context_cl(picked), NULL, NULL, &context), CLP_INVALID_ARGUMENT);
    cl_device_id stranger = (cl_device_id)picked; /* compared only */
    expect(clp_context_adopt(clp_context_cl(picked), stranger, NULL, &context), CLP_INVALID_ARGUMENT);
    ok(clp_context_adopt(clp_context_cl(picked), clp_context_device(picked), NULL, &context));
    ck_assert_ptr_eq(clp_context_cl(context), clp_context_cl(picked));
    ck_assert_ptr_null(clp_context_queue(context));
    clp_context_destroy(picked); /* the adopted one holds its own references */
    ck_assert_str_ne(clp_context_info(context)->name, "");
    clp_context_destroy(context);
    clp_context_destroy(NULL);
    ck_assert_ptr_null(clp_context_info(NULL));
    ck_assert_ptr_null(clp_context_cl(NULL));
}
END_TEST

static char logged[4096];

static void keep(void *cookie, clp_log_level level, const char *message) {
    ck_assert_ptr_eq(cookie, logged);
    if (level == CLP_LOG_ERROR)
        strncpy(logged, message, sizeof logged - 1);
}

static void write_file(const char *folder, const char *name, const char *text) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
}

/* Kernels from a folder: the originals work, a missing file and a broken one are told apart, with the log. */
START_TEST(sources_from_a_folder) {
    const clp_reduce_desc desc = {.type = CLP_U32, .op = CLP_SUM};
    clp_context *context;
    clp_options options = {.source_dir = CLP_KERNEL_FOLDER};
    ok(clp_context_pick(&options, &context));
    ok(clp_reduce_prewarm(context, &desc));
    clp_context_destroy(context);

    options.source_dir = CLP_SCRATCH_FOLDER "/no_such_folder";
    ok(clp_context_pick(&options, &context));
    expect(clp_reduce_prewarm(context, &desc), CLP_SOURCE_NOT_FOUND);
    ck_assert_ptr_nonnull(strstr(clp_last_detail(), ".cl")); /* reduce.cl, or a self-test before it */
    clp_context_destroy(context);

    const char *folder = CLP_SCRATCH_FOLDER "/broken_kernels";
    mkdir(folder, 0777);
    write_file(folder, "reduce.cl", "/* one */\n#include \"other.cl\"\nint int this_is_line_three;\n");
    write_file(folder, "other.cl", "/* nothing */\n");
    /* simd: no self-test of a back-end, whose source is not there, comes first */
    options = (clp_options){.shape = CLP_SHAPE_SIMD, .source_dir = folder, .log = keep, .log_cookie = logged};
    ok(clp_context_pick(&options, &context));
    expect(clp_reduce_prewarm(context, &desc), CL_BUILD_PROGRAM_FAILURE);
    ck_assert_ptr_nonnull(strstr(clp_last_build_log(), "error"));
    ck_assert_str_eq(logged, clp_last_build_log());
    /* #line keeps names and lines true, where the compiler heeds it: Oclgrind's and NVIDIA's do not. */
    if (strcmp(clp_context_info(context)->platform, "Portable Computing Language") == 0)
        ck_assert_ptr_nonnull(strstr(clp_last_build_log(), "reduce.cl:3"));
    write_file(folder, "reduce.cl", "#include \"reduce.cl\"\n");
    expect(clp_reduce_prewarm(context, &desc), CLP_SOURCE_NOT_FOUND);
    clp_context_destroy(context);
}
END_TEST

START_TEST(names) {
    for (int type = CLP_I8; type <= CLP_F64; type++) {
        ck_assert_int_eq(clp_type_from_name(clp_type_name((clp_type)type)), type);
        ck_assert_uint_gt(clp_type_size((clp_type)type), 0);
    }
    ck_assert_str_eq(clp_type_name(CLP_BF16), "bf16");
    ck_assert_str_eq(clp_type_name((clp_type)-1), "invalid");
    ck_assert_uint_eq(clp_type_size((clp_type)13), 0);
    ck_assert_int_eq(clp_type_from_name("invalid"), CLP_TYPE_INVALID);
    ck_assert_int_eq(clp_type_from_name(NULL), CLP_TYPE_INVALID);
    ck_assert_int_eq(clp_op_from_name("max"), CLP_MAX);
    ck_assert_int_eq(clp_op_from_name("no"), CLP_OP_INVALID);
    ck_assert_str_eq(clp_op_name((clp_op)99), "invalid");
    for (int back_end = CLP_SUBGROUPS_DEFAULT; back_end <= CLP_SUBGROUPS_AMD; back_end++)
        ck_assert_int_eq(clp_subgroups_from_name(clp_subgroups_name((clp_subgroups)back_end)), back_end);
    ck_assert_str_eq(clp_subgroups_name((clp_subgroups)99), "default");
    ck_assert_int_eq(clp_subgroups_from_name("simd"), CLP_SUBGROUPS_DEFAULT);
    ck_assert_int_eq(clp_subgroups_from_name(NULL), CLP_SUBGROUPS_DEFAULT);
    ck_assert_int_eq(CLP_SUBGROUPS_AMD, 5);
    ck_assert_uint_eq(clp_version(), CLP_VERSION);
    /* Values are part of the ABI. */
    ck_assert_int_eq(CLP_INVALID_ARGUMENT, -20000);
    ck_assert_int_eq(CLP_OVERLAP, -20006);
    ck_assert_int_eq(CLP_INTERNAL, -20016);
    ck_assert_int_eq(CLP_F64, 12);
    ck_assert_int_eq(CLP_MAX, 4);
    for (clp_status status = CLP_INTERNAL; status <= CLP_INVALID_ARGUMENT; status++) {
        ck_assert_str_ne(clp_status_name(status), "unknown status");
        ck_assert_uint_gt(strlen(clp_status_message(status)), 10);
    }
    ck_assert_str_eq(clp_status_name(CL_OUT_OF_RESOURCES), "CL_OUT_OF_RESOURCES");
    ck_assert_str_eq(clp_status_name(-12345), "unknown status");
    for (int set = 0; set < REF_SET_COUNT; set++)
        ck_assert_str_ne(ref_set_name((ref_set)set), "invalid");
}
END_TEST

int main(void) {
    Suite *suite = suite_create("context");
    TCase *contexts = tcase_create("context");
    tcase_add_test(contexts, requests);
    tcase_add_test(contexts, options_and_environment);
    tcase_add_test(contexts, adopting);
    tcase_add_test(contexts, sources_from_a_folder);
    tcase_add_test(contexts, names);
    suite_add_tcase(suite, contexts);
    return test_main(suite);
}

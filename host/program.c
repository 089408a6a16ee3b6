/* SPDX-License-Identifier: Apache-2.0 */
/* Programs: one self-contained text a variant, built once a context, kernels lent to one call at a time. */
#include "internal.h"

#include "embedded.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- text ------------------------------------------------------------------------------------------- */

/* A string that grows. After a failure it stays as it is; `failed` tells once, at the end. */
struct text {
    char *chars;
    size_t length, capacity;
    bool failed;
};

static void append(struct text *text, const char *chars, size_t length) {
    if (text->length + length + 1 > text->capacity) {
        const size_t capacity = 2 * (text->length + length + 1);
        char *longer = text->failed ? NULL : realloc(text->chars, capacity);
        if (!longer) {
            text->failed = true;
            return;
        }
        text->chars = longer;
        text->capacity = capacity;
    }
    memcpy(text->chars + text->length, chars, length);
    text->length += length;
    text->chars[text->length] = '\0';
}

CLP_PRINTF(2, 3) static void append_format(struct text *text, const char *format, ...) {
    char chars[1024];
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(chars, sizeof chars, format, args);
    va_end(args);
    if (length < 0 || (size_t)length >= sizeof chars)
        text->failed = true;
    else
        append(text, chars, (size_t)length);
}

/* The text of a source file: embedded, or from the folder of the context. *owned: must be freed. */
static clp_status source_text(const clp_context *context, const char *name, const char **chars,
                              char **owned) {
    *owned = NULL;
    if (!context->source_dir) {
        for (const struct clp_embedded_source *source = clp_embedded_sources; source->name; source++)
            if (strcmp(source->name, name) == 0) {
                *chars = source->text;
                return CLP_SUCCESS;
            }
        return clp_fail(CLP_INTERNAL, "no embedded source %s", name);
    }
    char path[4096];
    const int length = snprintf(path, sizeof path, "%s/%s", context->source_dir, name);
    FILE *file = length > 0 && (size_t)length < sizeof path ? fopen(path, "rb") : NULL;
    if (!file)
        return clp_fail(CLP_SOURCE_NOT_FOUND, "cannot open kernel source %s/%s", context->source_dir, name);
    struct text text = {0};
    char part[4096];
    size_t got;
    append(&text, "", 0);
    while ((got = fread(part, 1, sizeof part, file)) > 0)
        append(&text, part, got);
    const bool bad = ferror(file) != 0;
    fclose(file);
    if (bad || text.failed) {
        free(text.chars);
        return bad ? clp_fail(CLP_SOURCE_NOT_FOUND, "cannot read kernel source %s/%s", context->source_dir,
                              name)
                   : clp_fail(CL_OUT_OF_HOST_MEMORY, "no memory for kernel source %s", name);
    }
    *chars = *owned = text.chars;
    return CLP_SUCCESS;
}

/*
 * Appends a source file with its `#include "file"` lines replaced by those files: drivers' caches do not
 * see include files, so programs have none. #line keeps file names and lines true in build logs.
 */
static clp_status append_source(const clp_context *context, const char *name, const char *user, int depth,
                                struct text *text) {
    static const char directive[] = "#include \"";
    const char *chars;
    char *owned;
    if (user && strcmp(name, "user.cl") == 0) {
        append(text, user, strlen(user));
        return CLP_SUCCESS;
    }
    if (depth > 8)
        return clp_fail(CLP_SOURCE_NOT_FOUND, "kernel source %s includes itself", name);
    clp_status status = source_text(context, name, &chars, &owned);
    if (status != CLP_SUCCESS)
        return status;
    append_format(text, "#line 1 \"%s\"\n", name);
    unsigned line = 1;
    for (const char *at = chars; *at && status == CLP_SUCCESS; line++) {
        const char *end = strchr(at, '\n');
        end = end ? end + 1 : at + strlen(at);
        char included[64];
        if (strncmp(at, directive, sizeof directive - 1) == 0 &&
            sscanf(at, "#include \"%63[^\"\n]\"", included) == 1) {
            status = append_source(context, included, user, depth + 1, text);
            append_format(text, "#line %u \"%s\"\n", line + 1, name);
        } else {
            append(text, at, (size_t)(end - at));
        }
        at = end;
    }
    free(owned);
    return status;
}

/* ---- variants ----------------------------------------------------------------------------------------- */

struct clp_variant {
    struct clp_variant *next;
    struct clp_variant_key key;
    struct clp_user_kept *kept; /* what key.asked and key.user are */
    enum { BUILDING, READY } state;
    cl_program program;
    size_t work_group_size;
    clp_subgroups subgroups;
    bool narrow;                     /* the built kernels' sub-groups are of no use to the back-end */
    struct clp_kernel *free_kernels; /* not lent at the moment */
};

static bool same_key(const struct clp_variant_key *a, const struct clp_variant_key *b) {
    return strcmp(a->stem, b->stem) == 0 && strcmp(a->defines, b->defines) == 0 &&
           strcmp(a->user ? a->user : "", b->user ? b->user : "") == 0 && a->subgroups == b->subgroups &&
           a->work_group_size == b->work_group_size;
}

size_t clp_variant_work_group_size(const struct clp_variant *variant) {
    return variant->work_group_size;
}

clp_subgroups clp_variant_subgroups(const struct clp_variant *variant) {
    return variant->subgroups;
}

static void free_kernel(struct clp_kernel *kernel) {
    if (kernel->cl)
        clReleaseKernel(kernel->cl);
    free(kernel);
}

/* Throws away what build_once() made, to build again or to give up. */
static void unbuild(struct clp_variant *variant) {
    while (variant->free_kernels) {
        struct clp_kernel *kernel = variant->free_kernels;
        variant->free_kernels = kernel->next;
        free_kernel(kernel);
    }
    if (variant->program)
        clReleaseProgram(variant->program);
    variant->program = NULL;
}

static void free_variant(struct clp_variant *variant) {
    unbuild(variant);
    free(variant->kept);
    free(variant);
}

void clp_variants_free(clp_context *context) {
    while (context->variants) {
        struct clp_variant *variant = context->variants;
        context->variants = variant->next;
        free_variant(variant);
    }
}

static clp_status make_kernel(const struct clp_variant *variant, int index, struct clp_kernel **result) {
    struct clp_kernel *kernel = calloc(1, sizeof *kernel);
    if (!kernel)
        return clp_fail(CL_OUT_OF_HOST_MEMORY, "no memory for a kernel");
    cl_int code;
    kernel->index = index;
    kernel->cl = clCreateKernel(variant->program, variant->key.kernels[index], &code);
    if (code != CL_SUCCESS) {
        free(kernel);
        return clp_fail(code, "clCreateKernel(%s) failed with %d (%s)", variant->key.kernels[index],
                        (int)code, clp_status_name(code));
    }
    *result = kernel;
    return CLP_SUCCESS;
}

clp_status clp_kernel_take(clp_context *context, struct clp_variant *variant, int index,
                           struct clp_kernel **kernel) {
    pthread_mutex_lock(&context->lock);
    struct clp_kernel **link = &variant->free_kernels;
    while (*link && (*link)->index != index)
        link = &(*link)->next;
    *kernel = *link;
    if (*link)
        *link = (*link)->next;
    pthread_mutex_unlock(&context->lock);
    return *kernel ? CLP_SUCCESS : make_kernel(variant, index, kernel);
}

void clp_kernel_give(clp_context *context, struct clp_variant *variant, struct clp_kernel *kernel) {
    pthread_mutex_lock(&context->lock);
    kernel->next = variant->free_kernels;
    variant->free_kernels = kernel;
    pthread_mutex_unlock(&context->lock);
}

/* Keeps the compiler's log for clp_last_build_log() and the log callback. */
static void keep_build_log(const clp_context *context, cl_program program) {
    size_t size = 0;
    clp_set_build_log(NULL); /* never an earlier build's */
    if (clGetProgramBuildInfo(program, context->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size) != CL_SUCCESS)
        return;
    char *log = malloc(size + 1);
    if (!log)
        return;
    if (clGetProgramBuildInfo(program, context->device, CL_PROGRAM_BUILD_LOG, size, log, NULL) !=
        CL_SUCCESS) {
        free(log);
        return;
    }
    log[size] = '\0';
    if (context->log)
        context->log(context->log_cookie, CLP_LOG_ERROR, log); /* whole: clp_log() would cut it */
    clp_set_build_log(log);
}

/* Is there a limit of registers that the compiler takes? */
static bool limits_registers(const clp_context *context, const struct clp_variant_key *key) {
    return key->max_registers && context->limits_registers;
}

/* Is the compiler told the work-group size? NVIDIA's one ignores a limit of registers where it is. */
static bool hints_size(const clp_context *context, const struct clp_variant_key *key) {
    return !key->self_test && !(context->quirks & CLP_QUIRK_NO_WG_HINT) && !limits_registers(context, key);
}

/* The whole text of a variant at its present work-group size and back-end. */
static clp_status write_text(const clp_context *context, const struct clp_variant *variant,
                             struct text *text) {
    const struct clp_variant_key *key = &variant->key;
    char sized[256] = "", file[64];
    if (key->size_defines)
        key->size_defines(context, key, variant->work_group_size, variant->subgroups, sized, sizeof sized);
    append_format(text,
                  "#define CLP_SIMD %d\n#define CLP_SUBGROUPS %d\n#define CLP_DEVICE_FENCE %d\n"
                  "#define CLP_WG_SIZE %zu\n#define CLP_HINT_WG_SIZE %d\n#define CLP_REQD_SUBGROUP %u\n",
                  context->info.shape == CLP_SHAPE_SIMD, (int)variant->subgroups, (int)context->fence,
                  variant->work_group_size, hints_size(context, key),
                  clp_subgroups_demand(context, variant->subgroups));
    append(text, key->defines, strlen(key->defines));
    append(text, sized, strlen(sized));
    snprintf(file, sizeof file, "%s.cl", key->stem);
    const clp_status status = append_source(context, file, key->user, 0, text);
    if (status == CLP_SUCCESS && text->failed)
        return clp_fail(CL_OUT_OF_HOST_MEMORY, "no memory for the text of %s", file);
    return status;
}

/* The compiler's options: the language that the variant's back-end needs, and what a quirk or a pattern asks
 * for. */
static const char *write_options(const clp_context *context, const struct clp_variant *variant,
                                 char options[64]) {
    char registers[32] = "";
    if (limits_registers(context, &variant->key))
        snprintf(registers, sizeof registers, " -cl-nv-maxrregcount=%u", variant->key.max_registers);
    snprintf(options, 64, "%s%s%s", clp_subgroups_standard(context, variant->subgroups), registers,
             context->quirks & CLP_QUIRK_NO_OPTIMIZER ? " -cl-opt-disable" : "");
    return options;
}

/* Builds the program and makes one kernel of each name; *limit: the smallest of their work-group limits. */
static clp_status build_once(clp_context *context, struct clp_variant *variant, size_t *limit) {
    struct text text = {0};
    clp_status status = write_text(context, variant, &text);
    cl_int code = CL_SUCCESS;
    if (status == CLP_SUCCESS) {
        const char *chars = text.chars;
        variant->program = clCreateProgramWithSource(context->cl, 1, &chars, &text.length, &code);
        if (code != CL_SUCCESS)
            status = clp_fail_cl(code, "clCreateProgramWithSource");
    }
    free(text.chars);
    if (status != CLP_SUCCESS)
        return status;
    char options[64];
    code = clBuildProgram(variant->program, 1, &context->device, write_options(context, variant, options),
                          NULL, NULL);
    if (code != CL_SUCCESS) {
        keep_build_log(context, variant->program);
        return clp_fail(code,
                        "building %s.cl failed with %d (%s); clp_last_build_log() has the compiler's log",
                        variant->key.stem, (int)code, clp_status_name(code));
    }
    *limit = variant->work_group_size;
    variant->narrow = false;
    for (int i = 0; i < CLP_MAX_KERNELS && variant->key.kernels[i]; i++) {
        struct clp_kernel *kernel;
        size_t size = 0;
        status = make_kernel(variant, i, &kernel);
        if (status != CLP_SUCCESS)
            return status;
        kernel->next = variant->free_kernels;
        variant->free_kernels = kernel;
        code = clGetKernelWorkGroupInfo(kernel->cl, context->device, CL_KERNEL_WORK_GROUP_SIZE, sizeof size,
                                        &size, NULL);
        if (code != CL_SUCCESS)
            return clp_fail_cl(code, "clGetKernelWorkGroupInfo");
        cl_ulong local = 0;
        code = clGetKernelWorkGroupInfo(kernel->cl, context->device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof local,
                                        &local, NULL);
        if (code != CL_SUCCESS)
            return clp_fail_cl(code, "clGetKernelWorkGroupInfo");
        if (local > context->info.local_memory && size > variant->work_group_size / 2)
            size = variant->work_group_size / 2; /* a smaller work-group needs less */
        if (size < *limit)
            *limit = size;
        bool fits = true;
        status = clp_subgroups_fit(context, variant->subgroups, kernel->cl, variant->work_group_size, &fits);
        if (status != CLP_SUCCESS)
            return status;
        variant->narrow = variant->narrow || !fits;
    }
    return CLP_SUCCESS;
}

/*
 * Builds at the context's work-group size, then smaller until the built kernels allow it; with local memory
 * where the back-end cannot work at that size.
 */
static clp_status build(clp_context *context, struct clp_variant *variant) {
    const size_t wanted = variant->key.work_group_size;
    clp_subgroups subgroups = variant->key.subgroups;
    variant->work_group_size = wanted ? wanted : context->info.work_group_size;
    for (;;) {
        size_t limit = 0;
        variant->subgroups =
            clp_subgroups_allow(subgroups, variant->work_group_size) ? subgroups : CLP_SUBGROUPS_LOCAL;
        if (variant->key.self_test && variant->subgroups == CLP_SUBGROUPS_LOCAL)
            return clp_fail(CLP_DEVICE_UNSUPPORTED, "the device gives no sub-groups of the size needed");
        const clp_status status = build_once(context, variant, &limit);
        if (status != CLP_SUCCESS) {
            unbuild(variant);
            return status;
        }
        if (limit >= variant->work_group_size && !variant->narrow)
            return CLP_SUCCESS;
        unbuild(variant);
        if (limit >= variant->work_group_size) {
            clp_log(context, CLP_LOG_INFO,
                    "%s.cl: its sub-groups are too narrow at work-group size %zu: local memory is used",
                    variant->key.stem, variant->work_group_size);
            subgroups = CLP_SUBGROUPS_LOCAL;
            continue;
        }
        if (limit == 0)
            return clp_fail(CL_OUT_OF_RESOURCES, "the kernels of %s.cl cannot run on this device",
                            variant->key.stem);
        clp_log(context, CLP_LOG_INFO, "%s.cl: work-group size %zu instead of %zu", variant->key.stem, limit,
                variant->work_group_size);
        variant->work_group_size = limit > 32 ? limit / 32 * 32 : limit;
    }
}

/* The variant of a key, or NULL; context->lock is held. */
static struct clp_variant *find(const clp_context *context, const struct clp_variant_key *key) {
    struct clp_variant *variant = context->variants;
    while (variant && !same_key(&variant->key, key))
        variant = variant->next;
    return variant;
}

struct clp_variant *clp_variant_find(clp_context *context, const char *stem, uint32_t id,
                                     const clp_user *asked) {
    pthread_mutex_lock(&context->lock);
    struct clp_variant *variant = context->variants;
    while (variant && (variant->key.id != id || variant->state != READY ||
                       strcmp(variant->key.stem, stem) != 0 || !clp_user_same(variant->key.asked, asked)))
        variant = variant->next;
    pthread_mutex_unlock(&context->lock);
    return variant;
}

/* A variant in the state "building", not in the list yet; NULL: no memory. */
static struct clp_variant *new_variant(const struct clp_variant_key *key) {
    struct clp_variant *variant = calloc(1, sizeof *variant);
    if (!variant)
        return NULL;
    variant->key = *key;
    variant->state = BUILDING;
    variant->kept = clp_user_keep(key->asked, key->user);
    if (!variant->kept) {
        free(variant);
        return NULL;
    }
    variant->key.asked = &variant->kept->asked;
    variant->key.user = variant->kept->text;
    return variant;
}

clp_status clp_variant_get(clp_context *context, const struct clp_variant_key *key,
                           struct clp_variant **result) {
    pthread_mutex_lock(&context->lock);
    struct clp_variant *variant;
    while ((variant = find(context, key)) != NULL && variant->state == BUILDING)
        pthread_cond_wait(&context->built, &context->lock);
    if (!variant) {
        variant = new_variant(key);
        if (variant) {
            variant->next = context->variants;
            context->variants = variant;
            pthread_mutex_unlock(&context->lock);
            const clp_status status = build(context, variant);
            pthread_mutex_lock(&context->lock);
            variant->state = READY;
            if (status != CLP_SUCCESS) { /* who waited for it tries for himself */
                struct clp_variant **link = &context->variants;
                while (*link != variant)
                    link = &(*link)->next;
                *link = variant->next;
                free_variant(variant);
            }
            pthread_cond_broadcast(&context->built);
            pthread_mutex_unlock(&context->lock);
            *result = variant;
            return status;
        }
    }
    pthread_mutex_unlock(&context->lock);
    *result = variant;
    return variant ? CLP_SUCCESS : clp_fail(CL_OUT_OF_HOST_MEMORY, "no memory for a program");
}

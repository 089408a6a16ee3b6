/* SPDX-License-Identifier: Apache-2.0 */
/* What reductions of arrays, rows and segments share. See cl/reduce_tree.cl. */
#include "reduce_plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ORDERED_CHILDREN = 32, ORDERED_LEVELS = 4 };

size_t clp_reduce_children(const struct clp_reduce_form *form) {
    return form->ordered ? ORDERED_CHILDREN : CLP_TILE;
}

static size_t ceil_div(size_t n, size_t size) {
    return n / size + (n % size != 0);
}

struct clp_levels clp_reduce_levels(const struct clp_reduce_form *form, size_t n) {
    struct clp_levels levels = {0};
    size_t level = n == 0 ? 1 : ceil_div(n, CLP_TILE);
    for (;;) {
        levels.of[levels.count++] = level;
        levels.totals += level;
        if (levels.count > 1)
            levels.nodes += level;
        if (form->ordered ? levels.count == ORDERED_LEVELS : level == 1)
            return levels;
        level = form->ordered && levels.count == ORDERED_LEVELS - 1
                    ? 1
                    : ceil_div(level, clp_reduce_children(form));
    }
}

/* How the work-items of the simt shape share a tile: 16 bytes a load, 128 lanes, 32 work-items at most. */
struct lanes {
    size_t vector, items;
};

static struct lanes lanes_of(size_t element_size, bool native) {
    const size_t vector = native && element_size <= 8 ? 16 / element_size : 2;
    return (struct lanes){vector, 128 / vector < 32 ? 128 / vector : 32};
}

/* Tiles that a work-group folds at a time in the simt shape: what its work-items or its local memory hold. */
static size_t step_tiles(const clp_context *context, size_t work_group_size, clp_subgroups subgroups,
                         const struct clp_reduce_form *form) {
    const size_t items = lanes_of(form->element_size, form->native).items;
    const size_t tile_bytes = 128 * form->accumulator_size;
    size_t memory = context->info.local_memory / 4; /* some devices add up the kernels of a program */
    if (memory > 8 << 10)
        memory = 8 << 10;
    size_t step = 1;
    while (!form->ordered && 2 * step * items <= work_group_size &&
           (subgroups != CLP_SUBGROUPS_LOCAL || 2 * step * tile_bytes <= memory))
        step *= 2;
    return step;
}

size_t clp_reduce_step_tiles(const clp_context *context, const struct clp_variant *variant,
                             const struct clp_reduce_form *form) {
    return context->info.shape == CLP_SHAPE_SIMD ? 1
                                                 : step_tiles(context, clp_variant_work_group_size(variant),
                                                              clp_variant_subgroups(variant), form);
}

static void size_defines(const clp_context *context, const struct clp_variant_key *key,
                         size_t work_group_size, clp_subgroups subgroups, char *text, size_t size) {
    snprintf(text, size, "#define CLP_STEP_TILES %zu\n",
             step_tiles(context, work_group_size, subgroups, key->pattern));
}

clp_status clp_reduce_check_fields(const clp_context *context, const clp_reduce_desc *desc) {
    if (!context)
        return clp_fail(CLP_INVALID_ARGUMENT, "context is NULL");
    if (!desc)
        return clp_fail(CLP_INVALID_ARGUMENT, "desc is NULL");
    if (!clp_reserved_zero(desc->reserved))
        return clp_fail(CLP_INVALID_ARGUMENT, "desc: a reserved field is not zero");
    if (strcmp(clp_type_name(desc->type), "invalid") == 0)
        return clp_fail(CLP_INVALID_TYPE, "desc->type is %d, no element type", (int)desc->type);
    if (desc->result != CLP_TYPE_INVALID && strcmp(clp_type_name(desc->result), "invalid") == 0)
        return clp_fail(CLP_INVALID_TYPE, "desc->result is %d, no element type", (int)desc->result);
    if (strcmp(clp_op_name(desc->op), "invalid") == 0)
        return clp_fail(CLP_INVALID_OPERATOR, "desc->op is %d, no operator", (int)desc->op);
    if ((unsigned)desc->mode > CLP_REDUCE_FAST)
        return clp_fail(CLP_INVALID_MODE, "desc->mode is %d, no mode", (int)desc->mode);
    if ((unsigned)desc->schedule > CLP_SCHEDULE_SINGLE)
        return clp_fail(CLP_INVALID_MODE, "desc->schedule is %d, no schedule", (int)desc->schedule);
    return clp_user_check(desc->user, desc->type, desc->op);
}

clp_status clp_reduce_check(const clp_context *context, const clp_reduce_desc *desc,
                            struct clp_reduce_form *form) {
    const clp_status status = clp_reduce_check_fields(context, desc);
    if (status != CLP_SUCCESS)
        return status;
    if (!clp_reduce_form_of(desc, context, form))
        return clp_fail(
            CLP_UNSUPPORTED, "no reduction %s of %s%s to %s in mode %d", clp_op_name(desc->op),
            clp_type_name(desc->type), desc->user && desc->user->transform ? ", transformed," : "",
            desc->result == CLP_TYPE_INVALID ? "any type" : clp_type_name(desc->result), (int)desc->mode);
    if (form->f64 && !context->info.has_f64)
        return clp_fail(CLP_DEVICE_UNSUPPORTED, "%s has no doubles", context->info.name);
    if (desc->schedule == CLP_SCHEDULE_FUSED && !context->info.has_device_fence)
        return clp_fail(CLP_DEVICE_UNSUPPORTED, "%s has no device-scope acquire and release",
                        context->info.name);
    return CLP_SUCCESS;
}

/* Macros that only some forms have. */
static void kind_defines(const struct clp_reduce_form *form, char *text, size_t size) {
    int length;
    switch (form->kind) {
    case CLP_KIND_SCALAR:
        length = snprintf(text, size, "#define CLP_A_BITS %zu\n#define CLP_OP %s\n",
                          8 * form->accumulator_size, form->op);
        if (form->next)
            length += snprintf(text + length, size - (size_t)length, "#define CLP_NEXT %s\n", form->next);
        if (form->narrow)
            length += snprintf(text + length, size - (size_t)length, "#define CLP_NARROW %s\n", form->narrow);
        if (form->from)
            snprintf(text + length, size - (size_t)length, "#define CLP_FROM %s\n", form->from);
        break;
    case CLP_KIND_PLACE:
        snprintf(text, size,
                 "#define CLP_NEAR_KEY %s\n#define CLP_NEAR_INDEX %s\n#define CLP_NEAR_BITS %d\n"
                 "#define CLP_BETTER %s\n",
                 form->scalar, form->wide_place ? "ulong" : "uint", form->wide_place ? 64 : 32, form->op);
        break;
    case CLP_KIND_COMPENSATED:
        snprintf(text, size, "#define CLP_PART %s\n#define CLP_PART_BITS %zu\n", form->scalar,
                 4 * form->accumulator_size);
        break;
    default:
        snprintf(text, size, "#define CLP_OP %s\n", form->op);
    }
}

clp_status clp_reduce_variant(clp_context *context, const clp_reduce_desc *desc,
                              const struct clp_reduce_form *form, const char *stem,
                              const char *const *kernels, struct clp_variant **variant) {
    /* Each field fits a byte. */
    const uint32_t id = (uint32_t)desc->type | (uint32_t)desc->op << 8 | (uint32_t)desc->result << 16 |
                        (uint32_t)desc->mode << 24;
    *variant = clp_variant_find(context, stem, id, desc->user);
    if (*variant)
        return CLP_SUCCESS;
    clp_status status = clp_subgroups_settle(context);
    if (status != CLP_SUCCESS)
        return status;
    const struct lanes elements = lanes_of(form->element_size, form->native);
    const struct lanes nodes = lanes_of(form->accumulator_size, form->kind == CLP_KIND_SCALAR);
    struct clp_variant_key key = {.stem = stem,
                                  .id = id,
                                  .asked = desc->user,
                                  .size_defines = size_defines,
                                  .pattern = form,
                                  .subgroups = context->info.subgroups};
    for (int i = 0; i < CLP_MAX_KERNELS && kernels[i]; i++)
        key.kernels[i] = kernels[i];
    if (form->kind == CLP_KIND_ANY)
        key.subgroups = CLP_SUBGROUPS_LOCAL; /* sub-groups exchange 32 and 64 bits only */
    char kind[256], transform[128] = "";
    kind_defines(form, kind, sizeof kind);
    if (form->transform)
        snprintf(transform, sizeof transform, "#define CLP_SEEN %s\n#define CLP_VALUE %s\n", form->seen,
                 form->value);
    /* 16 loads of 16 bytes in flight keep a GPU's memory busy; pairs need the registers themselves. */
    const int batch = form->kind == CLP_KIND_SCALAR ? 16 : 8;
    const int length = snprintf(
        key.defines, sizeof key.defines,
        "#define CLP_KIND %d\n%s%s#define CLP_T %s\n#define CLP_T_NATIVE %d\n#define CLP_LANE %s\n#define "
        "CLP_B %s\n"
        "#define CLP_A %s\n#define CLP_R %s\n#define CLP_LOAD %s\n#define CLP_WIDEN %s\n#define CLP_STORE "
        "%s\n"
        "#define CLP_PAIRED %d\n#define CLP_TRANSFORM %d\n#define CLP_MEAN %d\n#define CLP_ORDERED %d\n"
        "#define CLP_EXACT %d\n"
        "#define CLP_V %zu\n#define CLP_ITEMS %zu\n#define CLP_BATCH %d\n"
        "#define CLP_NODE_V %zu\n#define CLP_NODE_ITEMS %zu\n#define CLP_NODE_BATCH 16\n",
        (int)form->kind, kind, transform, form->element, form->native, form->scalar, form->lane,
        form->accumulator, form->stored, form->load, form->widen, form->store, form->paired, form->transform,
        form->mean, form->ordered, form->exact, elements.vector, elements.items, batch, nodes.vector,
        nodes.items);
    if (length < 0 || (size_t)length >= sizeof key.defines)
        return clp_fail(CLP_INTERNAL, "the macros of %s.cl are too long", stem);
    char *user = NULL;
    status = clp_user_text(desc->user, form, &user);
    if (status == CLP_SUCCESS) {
        key.user = user;
        status = clp_variant_get(context, &key, variant);
    }
    free(user);
    return status;
}

clp_status clp_reduce_check_second(const struct clp_reduce_form *form, clp_buffer second, bool empty) {
    if (form->paired != (second.mem != NULL) && (second.mem || !empty))
        return clp_fail(CLP_UNSUPPORTED, "this reduction takes %s",
                        form->paired ? "two arrays" : "one array");
    return CLP_SUCCESS;
}

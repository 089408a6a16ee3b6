/* SPDX-License-Identifier: Apache-2.0 */
/* How a scan is spread over the device: schedule, sizes, the built kernels. */
#include "scan_plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TILE = 4096, GROUP = 512, TILES = 32 };

/* Groups that a work-group takes at a time in the simt shape: what its work-items and its local memory hold,
 * which has so many arrays of accumulators. */
static size_t step_groups(const clp_context *context, size_t work_group_size, size_t arrays,
                          const struct clp_scan_form *form) {
    /* Some devices add up the kernels of a program: here two. Local memory without sub-groups has two more
     * accumulators for each chunk. */
    const size_t memory = context->info.local_memory / 2;
    const size_t bytes = (arrays * (GROUP + GROUP / 32) + 64) * form->scratch_size;
    size_t step = 1;
    while (step < 8 && 2 * step * 32 <= work_group_size && 2 * step * bytes <= memory)
        step *= 2;
    return step;
}

/* Local memory of the one-pass schedule for each tile that a work-group holds, and its share of what else
 * there is. */
static size_t held_bytes(const struct clp_scan_form *form) {
    return (TILE + TILE / 32 + 2 * TILE / 16) * form->accumulator_size;
}

static void size_defines(const clp_context *context, const struct clp_variant_key *key,
                         size_t work_group_size, clp_subgroups subgroups, char *text, size_t size) {
    const struct clp_scan_form *form = key->pattern;
    if (strcmp(key->stem, "scan_pass") == 0)
        snprintf(text, size, "#define CLP_STEP 8u\n#define CLP_HELD %uu\n",
                 2 * held_bytes(form) <= context->info.local_memory ? 2 : 1);
    else
        snprintf(text, size, "#define CLP_STEP %zuu\n",
                 step_groups(context, work_group_size, strcmp(key->stem, "scan_block") == 0 ? 2 : 1, form));
    (void)subgroups;
}

clp_status clp_scan_check_types(const clp_scan_desc *desc, struct clp_scan_form *form) {
    if (!clp_reserved_zero(desc->reserved))
        return clp_fail(CLP_INVALID_ARGUMENT, "desc: a reserved field is not zero");
    if (strcmp(clp_type_name(desc->type), "invalid") == 0)
        return clp_fail(CLP_INVALID_TYPE, "desc->type is %d, no element type", (int)desc->type);
    if (desc->result != CLP_TYPE_INVALID && strcmp(clp_type_name(desc->result), "invalid") == 0)
        return clp_fail(CLP_INVALID_TYPE, "desc->result is %d, no element type", (int)desc->result);
    if (strcmp(clp_op_name(desc->op), "invalid") == 0)
        return clp_fail(CLP_INVALID_OPERATOR, "desc->op is %d, no operator", (int)desc->op);
    if ((unsigned)desc->kind > CLP_SCAN_EXCLUSIVE)
        return clp_fail(CLP_INVALID_MODE, "desc->kind is %d, no kind", (int)desc->kind);
    if ((unsigned)desc->schedule > CLP_SCHEDULE_BLELLOCH)
        return clp_fail(CLP_INVALID_MODE, "desc->schedule is %d, no schedule", (int)desc->schedule);
    if (desc->schedule == CLP_SCHEDULE_FUSED)
        return clp_fail(CLP_UNSUPPORTED, "scan has no schedule \"fused\"");
    const clp_status status = clp_user_check(desc->user, desc->type, desc->op);
    if (status != CLP_SUCCESS)
        return status;
    if (desc->user && desc->user->transform)
        return clp_fail(CLP_UNSUPPORTED, "scan takes no user->transform");
    if (!clp_scan_form_of(desc, form))
        return clp_fail(CLP_UNSUPPORTED, "no scan %s of %s to %s", clp_op_name(desc->op),
                        clp_type_name(desc->type),
                        desc->result == CLP_TYPE_INVALID ? "any type" : clp_type_name(desc->result));
    return CLP_SUCCESS;
}

clp_status clp_scan_check_desc(clp_context *context, const clp_scan_desc *desc, enum clp_scan_heads heads,
                               struct clp_scan_form *form) {
    if (!context)
        return clp_fail(CLP_INVALID_ARGUMENT, "context is NULL");
    if (!desc)
        return clp_fail(CLP_INVALID_ARGUMENT, "desc is NULL");
    const clp_status status = clp_scan_check_types(desc, form);
    if (status != CLP_SUCCESS)
        return status;
    if (form->f64 && !context->info.has_f64)
        return clp_fail(CLP_DEVICE_UNSUPPORTED, "%s has no doubles", context->info.name);
    if (desc->schedule == CLP_SCHEDULE_ONE_PASS && form->any)
        return clp_fail(CLP_UNSUPPORTED, "one pass takes no user operator");
    if (clp_scan_in_block(desc->schedule) && heads != CLP_SCAN_NO_HEADS)
        return clp_fail(CLP_UNSUPPORTED, "Hillis-Steele and Blelloch take no flags or keys");
    if (desc->schedule == CLP_SCHEDULE_ONE_PASS && heads != CLP_SCAN_NO_HEADS &&
        context->info.shape == CLP_SHAPE_SIMT)
        return clp_fail(CLP_UNSUPPORTED, "one pass takes no flags or keys in the simt shape");
    if (desc->schedule == CLP_SCHEDULE_BLELLOCH && !form->exact)
        return clp_fail(
            CLP_UNSUPPORTED,
            "Blelloch's tree is not the canonical order: it has the same bits for integers, minima "
            "and maxima only, not for %s of %s",
            clp_op_name(desc->op), clp_type_name(desc->type));
    if (desc->schedule == CLP_SCHEDULE_ONE_PASS && !context->keeps_running)
        return clp_fail(CLP_DEVICE_UNSUPPORTED,
                        "one pass needs a device that is known to keep started work-groups running");
    return CLP_SUCCESS;
}

/* Elements of 16 bytes; 1: they are loaded one by one. */
static size_t in_vector(clp_type type, size_t size) {
    return type == CLP_USER ? 1 : 16 / size;
}

const char *clp_scan_comparison(clp_type type) {
    static const char *const places[] = {[CLP_F16] = "clp_place_half",
                                         [CLP_BF16] = "clp_place_bfloat",
                                         [CLP_F32] = "clp_place_float",
                                         [CLP_F64] = "clp_place_double"};
    return type >= CLP_F16 ? places[type] : "clp_same";
}

/* A value and whether there is a head: a power of two, which is no less than any alignment. */
static size_t headed_size(size_t size) {
    return size <= 4 ? 8 : size <= 12 ? 16 : 32;
}

static void head_defines(const struct clp_scan_form *form, struct clp_scan_extent extent, char *text,
                         size_t size) {
    const size_t length = strlen(text);
    if (extent.heads == CLP_SCAN_NO_HEADS)
        snprintf(text + length, size - length, "#define CLP_HEADS 0\n");
    else
        snprintf(text + length, size - length,
                 "#define CLP_HEADS %d\n#define CLP_H %s\n#define CLP_KEY %s\n#define CLP_HEADED_SIZE %zu\n",
                 (int)extent.heads, clp_type_texts[extent.head_type].name,
                 clp_scan_comparison(extent.head_type), form->scratch_size);
}

clp_status clp_scan_variant(clp_context *context, const clp_scan_desc *desc, const struct clp_scan_form *form,
                            struct clp_scan_extent extent, const char *stem, const char *const *kernels,
                            struct clp_variant **variant) {
    const bool heads = extent.heads != CLP_SCAN_NO_HEADS;
    /* Types fit four bits, operators five. */
    const uint32_t id = (uint32_t)desc->type | (uint32_t)desc->op << 4 | (uint32_t)desc->result << 9 |
                        (uint32_t)desc->kind << 13 | (uint32_t)extent.heads << 14 |
                        (uint32_t)extent.head_type << 16;
    *variant = clp_variant_find(context, stem, id, desc->user);
    if (*variant)
        return CLP_SUCCESS;
    clp_status status = clp_subgroups_settle(context);
    if (status != CLP_SUCCESS)
        return status;
    const bool local = form->any || heads || clp_scan_in_block(desc->schedule);
    struct clp_variant_key key = {.stem = stem,
                                  .id = id,
                                  .asked = desc->user,
                                  .size_defines = size_defines,
                                  .pattern = form,
                                  .subgroups = local ? CLP_SUBGROUPS_LOCAL : context->info.subgroups,
                                  .work_group_size = context->info.work_group_size};
    const bool pass = strcmp(stem, "scan_pass") == 0;
    if (pass && key.work_group_size < TILE / 16)
        key.subgroups = CLP_SUBGROUPS_LOCAL; /* with sub-groups it has eight runs of 32 */
    /* More have nothing to do: a tile is 256 chunks. (And their variables would overflow PoCL's stack.) */
    if (key.work_group_size > TILE / 16)
        key.work_group_size = TILE / 16;
    for (int i = 0; kernels[i]; i++)
        key.kernels[i] = kernels[i];
    if (pass) /* four work-groups of 256 on a compute unit, two with accumulators of 64 bits */
        key.max_registers = form->accumulator_size == 4 ? 64 : 128;
    snprintf(key.defines, sizeof key.defines,
             "#define CLP_T %s\n#define CLP_A %s\n#define CLP_A_BITS %zu\n#define CLP_R %s\n"
             "#define CLP_OP clp_%s\n#define CLP_LOAD %s\n#define CLP_STORE %s\n#define CLP_EXCLUSIVE %d\n"
             "#define CLP_ANY %d\n#define CLP_V %zu\n#define CLP_VR %zu\n",
             form->element, form->accumulator, 8 * form->accumulator_size, form->stored, form->op, form->load,
             form->store, form->exclusive, form->any, heads ? 1 : in_vector(desc->type, form->element_size),
             heads ? 1 : in_vector(form->result, form->result_size));
    head_defines(form, extent, key.defines, sizeof key.defines);
    char *user = NULL;
    if (form->any)
        status = clp_user_text(desc->user, &(struct clp_reduce_form){.values = desc->type}, &user);
    if (status == CLP_SUCCESS) {
        key.user = user;
        status = clp_variant_get(context, &key, variant);
    }
    free(user);
    return status;
}

/* Tiles a team takes at a time: as many as the tuning allows once all compute units have enough teams. */
static size_t choose_chunk(const clp_context *context, const struct clp_scan_plan *plan, size_t rows) {
    const size_t tile_bytes = TILE * plan->form.element_size;
    const size_t per_row = (size_t)context->info.compute_units * context->tuning.teams_per_unit / rows + 1;
    size_t chunk = 1;
    while (chunk < TILES && 2 * chunk * tile_bytes <= context->tuning.team_bytes &&
           plan->tiles / (2 * chunk) >= per_row)
        chunk *= 2;
    return chunk;
}

/* ahead: what run-ahead reduction needs is given: one row of known length, not in place, on a device that
 * can. */
static clp_schedule choose_schedule(const clp_context *context, const clp_scan_desc *desc,
                                    const struct clp_scan_plan *plan, size_t rows, bool ahead) {
    if (desc->schedule != CLP_SCHEDULE_DEFAULT)
        return desc->schedule;
    /* A few tiles take less time one after the other than two more launches do. */
    if (plan->tiles <= 4 || rows >= context->info.compute_units)
        return CLP_SCHEDULE_SINGLE;
    const bool small = context->info.shape == CLP_SHAPE_SIMD && plan->tiles < CLP_SCAN_MANY_TILES;
    return ahead && context->tuning.scan_one_pass && !small ? CLP_SCHEDULE_ONE_PASS : CLP_SCHEDULE_LEVELS;
}

clp_status clp_scan_make_plan(clp_context *context, const clp_scan_desc *desc, struct clp_scan_extent extent,
                              struct clp_scan_plan *plan) {
    static const char *const kernels[] = {"clp_scan_totals", "clp_scan_spine", "clp_scan_apply", NULL};
    static const char *const pass_kernels[] = {"clp_scan_pass", NULL};
    static const char *const block_kernels[] = {"clp_scan_hillis_steele", "clp_scan_blelloch", NULL};
    const size_t n = extent.n, rows = extent.rows ? extent.rows : 1;
    *plan = (struct clp_scan_plan){0};
    clp_status status = clp_scan_check_desc(context, desc, extent.heads, &plan->form);
    if (status != CLP_SUCCESS)
        return status;
    if (extent.heads != CLP_SCAN_NO_HEADS) {
        plan->form.scratch_size = headed_size(plan->form.accumulator_size);
        if (!plan->form.has_head)
            plan->form.head = plan->form.init; /* at a head of an exclusive scan */
        if (extent.head_type == CLP_F64 && !context->info.has_f64)
            return clp_fail(CLP_DEVICE_UNSUPPORTED, "%s has no doubles", context->info.name);
    }
    plan->tiles = clp_scan_units(n, TILE);
    const size_t blocks = clp_scan_units(plan->tiles, TILES), supers = clp_scan_units(blocks, TILES);
    /* With `single` the prefix behind the last super-block is written too. */
    plan->scratch =
        clp_scan_units(plan->tiles, TILES) * TILES + clp_scan_units(blocks, TILES) * TILES + supers + 1;
    const bool simd = context->info.shape == CLP_SHAPE_SIMD;
    const bool ahead = (extent.heads == CLP_SCAN_NO_HEADS || simd) && extent.rows == 1 && !extent.ragged &&
                       !extent.in_place && !plan->form.any && context->keeps_running &&
                       blocks < CL_UINT_MAX / 64;
    plan->schedule = choose_schedule(context, desc, plan, rows, ahead);
    const bool one_pass = plan->schedule == CLP_SCHEDULE_ONE_PASS,
               in_block = clp_scan_in_block(plan->schedule),
               single = plan->schedule == CLP_SCHEDULE_SINGLE || in_block;
    if (one_pass && !ahead)
        return clp_fail(CLP_UNSUPPORTED, "one pass takes one row without lengths, not in place");
    if (in_block && n > TILE)
        return clp_fail(CLP_UNSUPPORTED,
                        "Hillis-Steele and Blelloch scan rows of %d elements at most, not of %zu: one "
                        "work-group has a row in its local memory",
                        TILE, n);
    if (in_block)
        plan->scratch = 0;
    status = clp_scan_variant(context, desc, &plan->form, extent,
                              one_pass   ? (simd ? "scan_pass_simd" : "scan_pass")
                              : in_block ? "scan_block"
                                         : "scan",
                              one_pass   ? pass_kernels
                              : in_block ? block_kernels
                                         : kernels,
                              &plan->variant);
    if (status != CLP_SUCCESS)
        return status;
    plan->chunk = single ? TILES : choose_chunk(context, plan, rows);
    plan->teams = single || plan->tiles == 0 ? 1 : clp_scan_units(plan->tiles, plan->chunk);
    if (plan->teams > SIZE_MAX / rows / 4096 || plan->scratch > SIZE_MAX / rows / 16)
        return clp_fail(CLP_OUT_OF_RANGE, "%zu rows of %zu elements are more than any memory holds", rows, n);
    plan->groups = rows * plan->teams;
    if (simd)
        plan->groups = clp_scan_units(plan->groups, clp_variant_work_group_size(plan->variant));
    if (one_pass) { /* by ticket: as many teams as may run at once */
        const size_t most = context->info.compute_units;
        plan->groups = !simd                ? clp_pass_groups(context, plan->tiles)
                       : plan->teams < most ? plan->teams + (plan->teams == 0)
                                            : most;
    }
    return CLP_SUCCESS;
}

size_t clp_scan_pass_words(const struct clp_scan_plan *plan, enum clp_scan_heads heads) {
    return clp_pass_words(plan->tiles) * (plan->form.accumulator_size / 4 + (heads != CLP_SCAN_NO_HEADS));
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Reduction in no fixed order: two launches, the second with one atomic a team. See cl/reduce_fast.cl. */
#include "reduce_fast.h"

#include <stdio.h>

enum { KERNEL_FAST = 0, KERNEL_BEGIN = 1 };

/* Bits of a value of 4 or 8 bytes, as a kernel takes it. */
union bits {
    cl_uint word;
    cl_ulong wide;
};

/*
 * One combination. pad: the operator's identity, as an accumulator; first: the same as a result; empty: the
 * result of nothing. Sums of floats begin with −0, minima with NaN, which is above all.
 */
static const struct form {
    clp_type type;
    clp_op op;
    const char *element, *accumulator, *load;
    uint64_t pad, first, empty;
} forms[] = {
    {CLP_I32, CLP_SUM, "int", "uint", "as_uint", 0, 0, 0},
    {CLP_I32, CLP_MIN, "int", "int", "clp_same", 0x7fffffff, 0x7fffffff, 0x7fffffff},
    {CLP_I32, CLP_MAX, "int", "int", "clp_same", 0x80000000, 0x80000000, 0x80000000},
    {CLP_U32, CLP_SUM, "uint", "uint", "clp_same", 0, 0, 0},
    {CLP_U32, CLP_MIN, "uint", "uint", "clp_same", UINT32_MAX, UINT32_MAX, UINT32_MAX},
    {CLP_U32, CLP_MAX, "uint", "uint", "clp_same", 0, 0, 0},
    {CLP_U64, CLP_SUM, "ulong", "ulong", "clp_same", 0, 0, 0},
    {CLP_U64, CLP_MIN, "ulong", "ulong", "clp_same", UINT64_MAX, UINT64_MAX, UINT64_MAX},
    {CLP_U64, CLP_MAX, "ulong", "ulong", "clp_same", 0, 0, 0},
    {CLP_F32, CLP_SUM, "float", "float", "clp_same", 0x80000000, 0x80000000, 0},
    {CLP_F32, CLP_MIN, "float", "int", "clp_key_float", 0x7fc00000, 0x7fc00000, 0x7f800000},
    {CLP_F32, CLP_MAX, "float", "int", "clp_key_float", 0x807fffff, 0xff800000, 0xff800000},
};

static const struct form *form_of(const clp_reduce_desc *desc) {
    if (desc->user || (desc->result != CLP_TYPE_INVALID && desc->result != desc->type))
        return NULL;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (forms[i].type == desc->type && forms[i].op == desc->op)
            return &forms[i];
    return NULL;
}

bool clp_reduce_fast_exists(const clp_reduce_desc *desc) {
    return form_of(desc) != NULL;
}

clp_status clp_reduce_fast_check(const clp_context *context, const clp_reduce_desc *desc) {
    if (!form_of(desc))
        return clp_fail(
            CLP_UNSUPPORTED,
            "the fast mode has sum, min and max of i32, u32, u64 and f32 in the element type, not "
            "%s of %s%s",
            clp_op_name(desc->op), clp_type_name(desc->type),
            desc->user     ? " with user text"
            : desc->result ? " in another type"
                           : "");
    if (desc->schedule != CLP_SCHEDULE_DEFAULT)
        return clp_fail(CLP_UNSUPPORTED, "the fast mode has a schedule of its own: desc->schedule must be 0");
    if (desc->type == CLP_U64 && !context->has_atomics64)
        return clp_fail(CLP_DEVICE_UNSUPPORTED, "%s has no 64-bit atomics", context->info.name);
    return CLP_SUCCESS;
}

static clp_status get_variant(clp_context *context, const struct form *form, struct clp_variant **variant) {
    const clp_status status = clp_subgroups_settle(context);
    if (status != CLP_SUCCESS)
        return status;
    struct clp_variant_key key = {.stem = "reduce_fast",
                                  .kernels = {"clp_reduce_fast", "clp_reduce_fast_begin"},
                                  .subgroups = context->info.subgroups};
    const size_t size = clp_type_size(form->type);
    snprintf(key.defines, sizeof key.defines,
             "#define CLP_KIND 0\n#define CLP_T %s\n#define CLP_A %s\n#define CLP_A_BITS %zu\n#define CLP_OP clp_%s\n"
             "#define CLP_LOAD %s\n#define CLP_JOIN clp_join_%s_%s\n#define CLP_V %zu\n#define CLP_BATCH 8\n"
             "#define CLP_ATOMICS64 %d\n",
             form->element, form->accumulator, 8 * size, clp_op_name(form->op), form->load,
             clp_op_name(form->op), form->element, 16 / size, form->type == CLP_U64);
    return clp_variant_get(context, &key, variant);
}

/* Work-groups: as many as fill the device, but each work-item has some 128 bytes (simd: 16 KiB) to read. */
static size_t groups_of(const clp_context *context, const struct form *form,
                        const struct clp_variant *variant, size_t n) {
    const bool simd = context->info.shape == CLP_SHAPE_SIMD;
    const size_t group = clp_variant_work_group_size(variant);
    const size_t share = (simd ? 16 << 10 : 128) / clp_type_size(form->type) * group;
    const size_t items = simd ? context->tuning.teams_per_unit : 2048; /* for each compute unit */
    const size_t per_unit = items / group < 1 ? 1 : items / group > 16 ? 16 : items / group;
    const size_t enough = n / share + 1, most = per_unit * context->info.compute_units;
    return enough < most ? enough : most;
}

clp_status clp_reduce_fast_plan(clp_context *context, const clp_reduce_desc *desc, size_t n, clp_plan *plan) {
    struct clp_variant *variant;
    *plan = (clp_plan){0};
    clp_status status = clp_reduce_fast_check(context, desc);
    if (status == CLP_SUCCESS)
        status = get_variant(context, form_of(desc), &variant);
    if (status != CLP_SUCCESS)
        return status;
    plan->launches = n == 0 ? 1 : 2;
    plan->work_group_size = clp_variant_work_group_size(variant);
    plan->shape = context->info.shape;
    plan->subgroups = clp_variant_subgroups(variant);
    return CLP_SUCCESS;
}

clp_status clp_reduce_fast(struct clp_call *call, const clp_reduce_desc *desc, clp_buffer in, clp_buffer out,
                           size_t n, const clp_workspace *workspace) {
    struct clp_variant *variant;
    struct clp_range ranges[2];
    clp_status status = clp_reduce_fast_check(call->context, desc);
    if (status != CLP_SUCCESS)
        return status;
    const struct form *form = form_of(desc);
    const size_t size = clp_type_size(form->type);
    status = get_variant(call->context, form, &variant);
    if (status == CLP_SUCCESS)
        status = clp_check_range(call->context, in, size, n, CLP_READ, "in", &ranges[0]);
    if (status == CLP_SUCCESS)
        status = clp_check_range(call->context, out, size, 1, CLP_READ | CLP_WRITE, "out", &ranges[1]);
    if (status == CLP_SUCCESS)
        status = clp_check_disjoint(&ranges[0], &ranges[1]);
    if (status == CLP_SUCCESS)
        status = clp_call_scratch(call, workspace, 0, ranges, 2);
    if (status != CLP_SUCCESS)
        return status;

    const cl_ulong in_offset = in.offset, out_offset = out.offset, count = n;
    const bool narrow = size == 4; /* a value's low word, on hosts of either byte order */
    const uint64_t start = n == 0 ? form->empty : form->first;
    union bits first = {0}, pad = {0};
    if (narrow)
        first.word = (cl_uint)start, pad.word = (cl_uint)form->pad;
    else
        first.wide = start, pad.wide = form->pad;
    const struct clp_arg begin[] = {
        {sizeof out.mem, &out.mem}, {sizeof out_offset, &out_offset}, {size, &first}};
    status = clp_call_launch(call, variant, KERNEL_BEGIN, begin, 3, 1, n == 0);
    if (status != CLP_SUCCESS || n == 0)
        return status;
    const struct clp_arg fast[] = {{sizeof in.mem, &in.mem},   {sizeof in_offset, &in_offset},
                                   {sizeof count, &count},     {size, &pad},
                                   {sizeof out.mem, &out.mem}, {sizeof out_offset, &out_offset}};
    return clp_call_launch(call, variant, KERNEL_FAST, fast, sizeof fast / sizeof *fast,
                           groups_of(call->context, form, variant, n), true);
}

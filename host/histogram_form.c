/* SPDX-License-Identifier: Apache-2.0 */
/* What a description of a histogram means; what it costs. */
#include "histogram_form.h"

#include <math.h>
#include <string.h>

static bool is_signed(clp_type type) {
    return type == CLP_I8 || type == CLP_I16 || type == CLP_I32 || type == CLP_I64;
}

static clp_status check_fields(const clp_context *context, const clp_histogram_desc *desc) {
    if (!desc)
        return clp_fail(CLP_INVALID_ARGUMENT, "desc is NULL");
    if (!clp_reserved_zero(desc->reserved))
        return clp_fail(CLP_INVALID_ARGUMENT, "desc: a reserved field is not zero");
    if (desc->type < CLP_I8 || desc->type > CLP_F64)
        return clp_fail(CLP_INVALID_TYPE, "desc->type is %d, no built-in element type", (int)desc->type);
    if (desc->count != CLP_TYPE_INVALID && desc->count != CLP_I32 && desc->count != CLP_U32 &&
        desc->count != CLP_I64 && desc->count != CLP_U64)
        return clp_fail(CLP_INVALID_TYPE, "desc->count is %d: u32, u64, i32, i64 or 0", (int)desc->count);
    if (desc->weight != CLP_TYPE_INVALID && desc->weight != CLP_I32 && desc->weight != CLP_U32)
        return clp_fail(CLP_INVALID_TYPE, "desc->weight is %d: u32, i32 or 0", (int)desc->weight);
    if (desc->channels > CLP_HISTOGRAM_CHANNELS)
        return clp_fail(CLP_OUT_OF_RANGE, "desc->channels is %u, more than %d", (unsigned)desc->channels,
                        CLP_HISTOGRAM_CHANNELS);
    if (desc->active > (desc->channels ? desc->channels : 1))
        return clp_fail(CLP_OUT_OF_RANGE, "desc->active is %u, more than there are channels",
                        (unsigned)desc->active);
    if (desc->type == CLP_F64 && context && !context->info.has_f64)
        return clp_fail(CLP_DEVICE_UNSUPPORTED, "%s has no doubles", context->info.name);
    return CLP_SUCCESS;
}

/* The largest number that rounds to a finite one is below this. */
static double limit_of(clp_type type) {
    return type == CLP_F16    ? 65520.0
           : type == CLP_BF16 ? 0x1.ffp127
           : type == CLP_F32  ? 0x1.ffffffp127
                              : HUGE_VAL;
}

static clp_status float_bins(clp_type type, const clp_bins *from, size_t c, struct clp_histogram_bins *bins) {
    const double low = from->low.f, high = from->high.f, limit = limit_of(type);
    const double step = (high - low) / (double)from->count;
    if (!(low < high) || !(fabs(low) < limit) || !(fabs(high) < limit) || !isfinite(step) || step == 0)
        return clp_fail(CLP_OUT_OF_RANGE,
                        "bins[%zu]: %zu bins from %g to %g; low must be less than high, both and their "
                        "distance finite as %s, and a bin's width no zero",
                        c, from->count, low, high, clp_type_name(type));
    memcpy(&bins->low, &low, sizeof low);
    memcpy(&bins->step, &step, sizeof step);
    memcpy(&bins->high, &high, sizeof high);
    bins->scale = (cl_float)((double)from->count / (high - low));
    if (!(bins->scale > 0 && bins->scale < HUGE_VALF)) /* any guess will do */
        bins->scale = 1;
    return CLP_SUCCESS;
}

/* All modulo 2^64; signed numbers are compared with their sign flipped. */
static clp_status integer_bins(clp_type type, const clp_bins *from, size_t c,
                               struct clp_histogram_bins *bins) {
    const uint64_t sign = (uint64_t)1 << (8 * clp_type_size(type) - 1), top = (uint64_t)1 << 63;
    const uint64_t least = is_signed(type) ? 0 - sign : 0,
                   largest = is_signed(type) ? sign - 1 : 2 * sign - 1;
    const uint64_t flip = is_signed(type) ? top : 0, n = from->count;
    const bool all = from->low.u == 0 && from->high.u == 0;
    const uint64_t low = all ? least : from->low.u, high = all ? largest + 1 : from->high.u;
    const bool beyond = high == largest + 1; /* of 64 bits: only if all */
    const uint64_t width = high - low;       /* 0: 2^64 */
    if (!all && (((high ^ flip) <= (low ^ flip)) || (low ^ flip) < (least ^ flip) ||
                 (!beyond && (high ^ flip) > (largest ^ flip))))
        return clp_fail(CLP_OUT_OF_RANGE,
                        "bins[%zu]: a range of %s is from its least value to its largest and one more", c,
                        clp_type_name(type));
    if (beyond && width != 0 && n > width)
        return clp_fail(CLP_OUT_OF_RANGE, "bins[%zu]: %zu bins for %llu values up to the last one", c,
                        from->count, (unsigned long long)width);
    bins->low = low;
    bins->high = beyond ? largest : high;
    bins->step = width ? width / n : UINT64_MAX / n;
    bins->rest = width ? width % n : UINT64_MAX % n + 1;
    if (bins->rest == n)
        bins->step++, bins->rest = 0;
    bins->scale = (cl_float)((double)n / (width ? (double)width : 0x1p64));
    return CLP_SUCCESS;
}

clp_status clp_histogram_form_of(const clp_context *context, const clp_histogram_desc *desc,
                                 struct clp_histogram_form *form) {
    clp_status status = check_fields(context, desc);
    if (status != CLP_SUCCESS)
        return status;
    *form = (struct clp_histogram_form){
        .count = desc->count               ? desc->count
                 : desc->weight == CLP_I32 ? CLP_I64
                                           : CLP_U64,
        .channels = desc->channels ? desc->channels : 1,
        .element_size = clp_type_size(desc->type),
    };
    form->active = desc->active ? desc->active : form->channels;
    form->count_size = clp_type_size(form->count);
    form->wide = form->count_size == 8;
    form->key_size = form->element_size == 8 ? 8 : 4;
    form->bytes = form->element_size == 1 && form->channels == 1 && !desc->weight;
    for (size_t c = 0; c < form->active; c++) {
        const clp_bins *from = &desc->bins[desc->bins[c].count ? c : 0];
        struct clp_histogram_bins *bins = &form->bins[c];
        if (from->count < 1 || from->count > CLP_HISTOGRAM_MAX_BINS)
            return clp_fail(CLP_OUT_OF_RANGE, "bins[%zu].count is %zu: 1 to %d", c, from->count,
                            CLP_HISTOGRAM_MAX_BINS);
        bins->count = from->count;
        bins->edges = from->edges;
        if (!from->edges.mem)
            status = clp_type_is_float(desc->type) ? float_bins(desc->type, from, c, bins)
                                                   : integer_bins(desc->type, from, c, bins);
        if (status != CLP_SUCCESS)
            return status;
        form->total += bins->count;
    }
    return CLP_SUCCESS;
}

/* ---- cost ---------------------------------------------------------------------------------------------- */

/* Levels of a tree of n. */
static double levels(size_t n) {
    double height = 0;
    for (size_t level = n; level > 1; level = level / 2 + level % 2)
        height++;
    return height;
}

clp_status clp_histogram_cost(const clp_histogram_desc *desc, size_t n, clp_cost *cost) {
    enum { GUESSED = 3 }; /* a guess and two comparisons */
    struct clp_histogram_form form;
    if (!cost)
        return clp_fail(CLP_INVALID_ARGUMENT, "cost is NULL");
    *cost = (clp_cost){0};
    const clp_status status = clp_histogram_form_of(NULL, desc, &form);
    if (status != CLP_SUCCESS)
        return status;
    double longest = 0;
    for (size_t c = 0; c < form.active; c++) {
        const struct clp_histogram_bins *bins = &form.bins[c];
        const double search = bins->edges.mem ? levels(bins->count) : GUESSED;
        longest = search > longest ? search : longest;
        cost->work += (double)n * (search + 1);
        if (bins->edges.mem)
            cost->bytes += (double)(bins->count + 1) * (double)form.element_size;
    }
    const double sample = (double)form.element_size + (desc->weight ? 4 : 0);
    cost->bytes += (double)n * (double)form.channels * sample + (double)form.total * (double)form.count_size;
    cost->span = n > 0 ? longest + levels(n) : 0;
    cost->serial_work = cost->work;
    cost->serial_span = n > 0 ? longest + (double)n : 0; /* all in one bin */
    return CLP_SUCCESS;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sizes: a formula from the device's limits that is good on devices nobody here has seen, then a table
 * that overrides it where measurements say so. Sizes never change a bit of a result.
 */
#include "internal.h"

#include <string.h>

static const struct {
    const char *name; /* part of CL_DEVICE_NAME */
    clp_shape shape;
    struct clp_tuning tuning; /* 0: as the formula says */
} rows[] = {
    {"H200", CLP_SHAPE_SIMT, {.work_group_size = 256, .scan_one_pass = true}},
};

struct clp_tuning clp_tuning_of(const clp_device_info *info) {
    struct clp_tuning tuning;
    if (info->shape == CLP_SHAPE_SIMD) {
        /* A work-item is a whole tile's worth of work: one a work-group, so that all cores get some. */
        tuning = (struct clp_tuning){.work_group_size = 1,
                                     .team_bytes = 256 << 10, /* twice that is in the second cache */
                                     .teams_per_unit = 8,
                                     .scan_one_pass = true};
    } else {
        tuning = (struct clp_tuning){.work_group_size = 256, .team_bytes = 128 << 10, .teams_per_unit = 16};
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].shape != info->shape || !strstr(info->name, rows[i].name))
            continue;
        if (rows[i].tuning.work_group_size)
            tuning.work_group_size = rows[i].tuning.work_group_size;
        if (rows[i].tuning.team_bytes)
            tuning.team_bytes = rows[i].tuning.team_bytes;
        if (rows[i].tuning.teams_per_unit)
            tuning.teams_per_unit = rows[i].tuning.teams_per_unit;
        if (rows[i].tuning.scan_one_pass)
            tuning.scan_one_pass = true;
    }
    if (tuning.work_group_size > info->max_work_group_size)
        tuning.work_group_size = info->max_work_group_size;
    return tuning;
}

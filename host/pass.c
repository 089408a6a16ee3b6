/* SPDX-License-Identifier: Apache-2.0 */
/* One pass of selections, runs and scans: what a device must have for it, and how large it is. See
 * cl/pass.cl. */
#include "scan_plan.h"

/* Work-items of a work-group; work-groups that a compute unit holds. */
enum { GROUP = 256, TEAMS = 4 };

clp_status clp_pass_can(clp_context *context, bool *can) {
    const clp_status status = clp_subgroups_settle(context);
    *can = status == CLP_SUCCESS && context->info.shape == CLP_SHAPE_SIMT && context->keeps_running &&
           context->info.subgroups != CLP_SUBGROUPS_LOCAL && context->info.work_group_size >= GROUP;
    return status;
}

void clp_pass_key(const clp_context *context, const char *stem, const char *kernel,
                  struct clp_variant_key *key) {
    *key = (struct clp_variant_key){.stem = stem,
                                    .kernels = {kernel},
                                    .subgroups = context->info.subgroups,
                                    .work_group_size = GROUP,
                                    .max_registers = 64}; /* so that TEAMS fit */
}

size_t clp_pass_groups(const clp_context *context, size_t tiles) {
    const size_t most = (size_t)context->info.compute_units * TEAMS;
    return 1 + (tiles < most ? tiles + (tiles == 0) : most);
}

size_t clp_pass_words(size_t tiles) {
    const size_t blocks = clp_scan_units(tiles, 32), supers = clp_scan_units(blocks, 32);
    return 32 * blocks + 32 * supers + supers + 1 + blocks + 1;
}

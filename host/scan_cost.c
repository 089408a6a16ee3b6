/* SPDX-License-Identifier: Apache-2.0 */
/* What a scan costs, whatever the device. */
#include "scan_form.h"

#include <string.h>

enum { CHUNK = 16, GROUP = 512, TILE = 4096, BLOCK = 32 * TILE, SUPER = 32 * BLOCK };

/* Operations of a Hillis-Steele scan of 16 and of 32, identities not counted: Σ (width − d). */
enum { SCAN_16 = 4 * 16 - 15, SCAN_32 = 5 * 32 - 31 };

static double units(size_t n, size_t unit) {
    const size_t whole = n / unit + (n % unit != 0);
    return (double)whole;
}

clp_status clp_scan_cost(const clp_scan_desc *desc, size_t n, clp_cost *cost) {
    struct clp_scan_form form;
    if (!cost)
        return clp_fail(CLP_INVALID_ARGUMENT, "cost is NULL");
    *cost = (clp_cost){0};
    if (!desc)
        return clp_fail(CLP_INVALID_ARGUMENT, "desc is NULL");
    if (strcmp(clp_type_name(desc->type), "invalid") == 0)
        return clp_fail(CLP_INVALID_TYPE, "desc->type is %d, no element type", (int)desc->type);
    const clp_status status = clp_user_check(desc->user, desc->type, desc->op);
    if (status != CLP_SUCCESS)
        return status;
    if (!clp_scan_form_of(desc, &form))
        return clp_fail(CLP_UNSUPPORTED, "no scan %s of %s", clp_op_name(desc->op),
                        clp_type_name(desc->type));
    cost->bytes = (double)n * (double)(form.element_size + form.result_size);
    cost->serial_work = cost->serial_span = n > 1 ? (double)(n - 1) : 0;
    if (n <= 1)
        return CLP_SUCCESS;
    /* Chunks, groups, groups in a tile, tiles in a block, blocks in a super-block, super-blocks; then five
     * prefixes of each chunk and one of each element. */
    cost->work = units(n, CHUNK) * SCAN_16 + units(n, GROUP) * SCAN_32 + units(n, TILE) * 7 +
                 units(n, BLOCK) * SCAN_32 + units(n, SUPER) * SCAN_32 + units(n, SUPER) +
                 4 * units(n, CHUNK) + (double)n;
    cost->span = 4 + 5 + 7 + 5 + 5 + units(n, SUPER) + 5;
    return CLP_SUCCESS;
}

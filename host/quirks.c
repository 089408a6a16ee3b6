/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Quirks: the only place that knows vendors and products by name. A row is a last resort, for what no
 * feature query tells; it names what it is about, what it does and why. docs/adding_a_device.md
 * tells how to add one.
 */
#include "internal.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *platform, *name; /* parts of CL_PLATFORM_NAME and CL_DEVICE_NAME; NULL: any */
    unsigned flags;
    const char *reason;
} rows[] = {
    {NULL, "llvmpipe", CLP_QUIRK_IGNORE_DEVICE,
     "llvmpipe is a software rasteriser, far slower than a CPU runtime: used on request only"},
    {"Clover", NULL, CLP_QUIRK_IGNORE_DEVICE, "Clover is no longer maintained: used on request only"},
    {NULL, "Adreno", CLP_QUIRK_NO_WG_HINT,
     "Adreno compilers make slower code for a required work-group size (CLBlast pull request 451)"},
    {"Portable Computing Language", NULL, CLP_QUIRK_NO_SIMT_PASS,
     "PoCL copies code for each barrier under a condition: the one-pass kernel of a scan in the simt shape "
     "takes it minutes to compile"},
    {NULL, "llvmpipe", CLP_QUIRK_NO_ONE_PASS,
     "llvmpipe leaves loops after 65535 turns: work-groups must not wait for each other"},
    {"Oclgrind", NULL, CLP_QUIRK_NO_OPTIMIZER,
     "Oclgrind does not know what its optimizer leaves of inlined functions that return structs "
     "(llvm.experimental.noalias.scope.decl): kernels are not optimized"},
};

unsigned clp_quirks_of(const clp_device_info *info, char *notes, size_t size) {
    unsigned flags = 0;
    size_t used = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if ((rows[i].platform && !strstr(info->platform, rows[i].platform)) ||
            (rows[i].name && !strstr(info->name, rows[i].name)))
            continue;
        flags |= rows[i].flags;
        if (notes && used < size)
            used += (size_t)snprintf(notes + used, size - used, "%s\n", rows[i].reason);
    }
    return flags;
}

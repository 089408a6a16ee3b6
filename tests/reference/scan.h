/* SPDX-License-Identifier: Apache-2.0 */
/** @file scan.h The shape of the canonical scan, for those who include scan.inc. */
#ifndef CLP_REFERENCE_SCAN_H
#define CLP_REFERENCE_SCAN_H

#include <stdbool.h>
#include <stddef.h>

enum {
    CHUNK = 16,             /* elements, by Hillis and Steele */
    CHUNKS = 32,            /* of a group, by Hillis and Steele */
    GROUP = CHUNK * CHUNKS, /* 512 elements */
    GROUPS = 8,             /* of a tile, from left to right */
    TILE = GROUP * GROUPS,  /* 4096 elements */
    TILES = 32,             /* of a block, by Hillis and Steele */
    BLOCKS = 32             /* of a super-block, by Hillis and Steele; super-blocks from left to right */
};

#define CAT_(a, b) a##b
#define CAT(a, b)  CAT_(a, b)

#endif

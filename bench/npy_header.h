/* SPDX-License-Identifier: Apache-2.0 */
/** @file npy_header.h The text header of a .npy file: a Python dictionary of three entries. */
#ifndef NPY_HEADER_H
#define NPY_HEADER_H

#include "npy.h"

/**
 * Reads `{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }` into type, shape and count.
 * @param text length bytes, need not end with a zero
 */
bool npy_parse_header(const char *text, size_t length, struct npy *array, char *message);

/** The descr of a type, for example "<f4"; NULL for a type that .npy files cannot hold (bf16). */
const char *npy_descr(clp_type type);

#endif

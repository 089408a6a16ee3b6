/* SPDX-License-Identifier: Apache-2.0 */
/** @file value.h Single values of the built-in element types: as numbers and as text. */
#ifndef VALUE_H
#define VALUE_H

#include <clpatterns/types.h>
#include <stdbool.h>

/** Element i as a double: exact but for 64-bit integers. */
double value_of(clp_type type, const void *data, size_t i);

/** Prints element i and a newline: as many digits as bring the same bits back; nan and inf as NumPy does. */
void value_print(clp_type type, const void *data, size_t i);

/** Reads a number of a type that is not f16 or bf16. @return false if it is none or does not fit */
bool value_parse(clp_type type, const char *text, void *value);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file golden.h Digests of the results over the canonical data sets, one row a case.
 *
 * A digest is XXH64 (seed 0) over the little-endian bytes of the results of one class of data sets, in the
 * order of check_classes[]. It depends on the pattern's canonical order alone: a device whose digests are
 * these computes the same bits as every other. The rows change only when a pattern's format does, or when
 * the data sets do; then write them anew by
 *
 *     build/clpatterns check --print-golden
 *
 * which computes them by the serial reference, without any device, and replace what stands between the
 * braces of golden.c.
 */
#ifndef GOLDEN_H
#define GOLDEN_H

#include "check.h"

/** The digest that this case must have, or 0 if none is written down. */
uint64_t golden_digest(const struct pattern *pattern, const struct pattern_case *what,
                       enum check_class_name name);

/** Prints the rows of golden.c, for all patterns or those named, by the reference alone. @return false after
 * a message */
bool golden_print(int count, char **names);

#endif

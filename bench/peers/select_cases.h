/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file select_cases.h What a case of select is, by its name: what select.c and its peers must agree on.
 *
 * Names: select, partition, indices or unique, then `_where_P` for the predicate that keeps about P in 100
 * elements of the uniform set, or the layout.
 */
#ifndef SELECT_CASES_H
#define SELECT_CASES_H

#include <clpatterns/types.h>

#include <stdlib.h>
#include <string.h>

/** P of the name; 0: there is no predicate. */
static inline int select_percent(const char *name) {
    const char *where = strstr(name, "_where_");
    return where != NULL ? atoi(where + strlen("_where_")) : 0;
}

/** Elements above this one are kept: 1, 50 or 99 in 100 of floats, 50 of integers. Every type holds it. */
static inline int select_threshold(int percent, clp_type type) {
    return percent == 50 ? (type == CLP_U8 ? 127 : 0) : percent < 50 ? 215 : -215;
}

/** Does the name begin with this word? */
static inline int select_is(const char *name, const char *word) {
    return strncmp(name, word, strlen(word)) == 0;
}

#endif

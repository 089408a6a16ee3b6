/* SPDX-License-Identifier: Apache-2.0 */
/** @file reduce_user_texts.h User texts with their twins in C, for the tests of all that takes user text. */
#ifndef CLP_REDUCE_USER_TEXTS_H
#define CLP_REDUCE_USER_TEXTS_H

#include "reduce_cases.h"

/** A form with user text, and what its elements must be like. */
struct user_form {
    struct reduce_form form;
    void (*fix)(void *element); /**< makes any bytes a valid element; NULL: the canonical data sets do */
    bool small;                 /**< small whole numbers only */
};

extern const struct user_form user_forms[];
extern const size_t num_user_forms;

/** The form of a name; fails the test if there is none. */
const struct user_form *user_form_named(const char *name);

/** Writes n elements for the form; seed 0, 1, …: other elements. */
void user_fill(const struct user_form *form, unsigned seed, size_t n, void *out);

#endif

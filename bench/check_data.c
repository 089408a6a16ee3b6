/* SPDX-License-Identifier: Apache-2.0 */
/* The classes of data that `check` runs through every variant. Their order is part of the digests. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

/* Around the edges of vectors (16), sub-groups (32), rows (128), tiles (4096) and levels of tiles. */
static const size_t small_sizes[] = {0,  1,   2,   3,   15,   16,   17,   31,    32,
                                     33, 127, 128, 129, 4095, 4096, 4097, 12289, 65537};
static const size_t large_sizes[] = {(1 << 20) + 1, (1 << 24) + 4097};

static const ref_set small_sets[] = {REF_UNIFORM,        REF_SMALL, REF_EQUAL,     REF_SPECIAL,   REF_ZEROS,
                                     REF_NEGATIVE_ZEROS, REF_NANS,  REF_ASCENDING, REF_DESCENDING};
static const ref_set denormal_sets[] = {REF_DENORMALS};
static const ref_set large_sets[] = {REF_UNIFORM, REF_SPECIAL};

#define COUNTED(array) array, sizeof(array) / sizeof *(array)

const struct check_class check_classes[CHECK_CLASS_COUNT] = {
    [CHECK_SMALL] = {"small", COUNTED(small_sizes), COUNTED(small_sets), 4},
    [CHECK_DENORMALS] = {"denormals", COUNTED(small_sizes), COUNTED(denormal_sets), 4},
    [CHECK_LARGE] = {"large", COUNTED(large_sizes), COUNTED(large_sets), 2},
};

bool check_class_applies(enum check_class_name name, const struct pattern_case *what) {
    return name != CHECK_DENORMALS || what->type >= CLP_F16;
}

bool check_data_make(struct check_data *data, const struct pattern *pattern, const struct pattern_case *what,
                     const struct check_class *class, ref_set set) {
    const struct pattern_work *longest = NULL;
    char *at;
    bool good;
    *data = (struct check_data){.pattern = pattern,
                                .what = what,
                                .class = class,
                                .set = set,
                                .works = calloc(class->size_count, sizeof *data->works)};
    good = data->works != NULL;
    for (size_t s = 0; s < class->size_count && good; s++) {
        if (class->sizes[s] >= data->n_max) {
            data->n_max = class->sizes[s];
            longest = &data->works[s];
        }
        good = work_make(&data->works[s], what, class->sizes[s]) == NULL;
        data->expected_size += pattern_result_size(pattern, &data->works[s]);
    }
    data->in = malloc(data->n_max * clp_type_size(what->type));
    data->expected = malloc(data->expected_size);
    if (!good || data->in == NULL || data->expected == NULL) {
        check_data_free(data);
        return false;
    }
    ref_fill(set, what->type, 0, data->n_max, data->in);
    work_make_runs(longest, data->in);
    memset(data->expected, PATTERN_BLANK, data->expected_size);
    at = data->expected;
    for (size_t s = 0; s < class->size_count; s++) {
        pattern->reference(&data->works[s], data->in, at);
        at += pattern_result_size(pattern, &data->works[s]);
    }
    return true;
}

void check_data_free(struct check_data *data) {
    for (size_t s = 0; data->works != NULL && s < data->class->size_count; s++)
        work_free(&data->works[s]);
    free(data->works);
    free(data->in);
    free(data->expected);
    *data = (struct check_data){0};
}

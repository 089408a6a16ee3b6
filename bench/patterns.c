/* SPDX-License-Identifier: Apache-2.0 */
#include "patterns.h"

#include <stdio.h>
#include <string.h>

extern const struct pattern pattern_reduce, pattern_scan, pattern_select, pattern_runs, pattern_histogram;

const struct pattern *const patterns[] = {&pattern_reduce, &pattern_scan,      &pattern_select,
                                          &pattern_runs,   &pattern_histogram, NULL};

size_t pattern_result_size(const struct pattern *pattern, const struct pattern_work *work) {
    return pattern->output_count(work) * clp_type_size(work->what->result) +
           (pattern->counts ? sizeof(cl_ulong) : 0);
}

const struct pattern *pattern_find(const char *name) {
    char known[256] = "";
    size_t length = 0;
    for (size_t i = 0; patterns[i] != NULL; i++) {
        if (strcmp(patterns[i]->name, name) == 0)
            return patterns[i];
        length += (size_t)snprintf(known + length, sizeof known - length, " %s", patterns[i]->name);
    }
    complain("no pattern is called '%s'; there are:%s", name, known);
    return NULL;
}

const char *pattern_case_label(const struct pattern_case *what, char label[PATTERN_LABEL_SIZE]) {
    if (what->type == what->result)
        snprintf(label, PATTERN_LABEL_SIZE, "%s %s", what->name, clp_type_name(what->type));
    else
        snprintf(label, PATTERN_LABEL_SIZE, "%s %s>%s", what->name, clp_type_name(what->type),
                 clp_type_name(what->result));
    return label;
}

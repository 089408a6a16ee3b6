/* SPDX-License-Identifier: Apache-2.0 */
#include "golden.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

/* pattern, case, type, result; digests of the classes small, denormals, large */
static const struct golden_row {
    const char *pattern, *name;
    clp_type type, result;
    uint64_t digests[CHECK_CLASS_COUNT];
} rows[] = {
    /* clang-format off */
    {"", "", CLP_TYPE_INVALID, CLP_TYPE_INVALID, {0}},
    /* clang-format on */
};

uint64_t golden_digest(const struct pattern *pattern, const struct pattern_case *what,
                       enum check_class_name name) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].type == what->type && rows[i].result == what->result &&
            strcmp(rows[i].pattern, pattern->name) == 0 && strcmp(rows[i].name, what->name) == 0)
            return rows[i].digests[name];
    return 0;
}

/* Writes the enumerator of a type: "i32" is CLP_I32. */
static void print_type(clp_type type) {
    printf("CLP_");
    for (const char *c = clp_type_name(type); *c != '\0'; c++)
        putchar(*c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
}

static uint64_t reference_digest(const struct pattern *pattern, const struct pattern_case *what,
                                 enum check_class_name name) {
    XXH64_state_t *state = XXH64_createState();
    uint64_t digest = 0;
    XXH64_reset(state, 0);
    for (size_t s = 0; s < check_classes[name].set_count; s++) {
        struct check_data data;
        if (!check_data_make(&data, pattern, what, &check_classes[name], check_classes[name].sets[s])) {
            complain("out of memory");
            break;
        }
        XXH64_update(state, data.expected, data.expected_count * clp_type_size(what->result));
        check_data_free(&data);
    }
    digest = XXH64_digest(state);
    XXH64_freeState(state);
    return digest;
}

void golden_print(void) {
    for (size_t p = 0; patterns[p] != NULL; p++) {
        for (size_t c = 0; c < patterns[p]->case_count; c++) {
            const struct pattern_case *what = &patterns[p]->cases[c];
            printf("    {\"%s\", \"%s\", ", patterns[p]->name, what->name);
            print_type(what->type);
            printf(", ");
            print_type(what->result);
            for (enum check_class_name name = 0; name < CHECK_CLASS_COUNT; name++)
                printf("%s0x%016" PRIx64, name == 0 ? ", {" : ", ",
                       check_class_applies(name, what) ? reference_digest(patterns[p], what, name) : 0);
            printf("}},\n");
        }
    }
}

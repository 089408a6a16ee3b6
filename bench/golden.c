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
    {"reduce", "sum", CLP_I32, CLP_I64, {0xd318bb17f2bc3df5, 0x0000000000000000, 0x61acf5ac13ef1902}},
    {"reduce", "sum", CLP_I32, CLP_I32, {0x5605020b7af8211b, 0x0000000000000000, 0x1a2adbb195a3989e}},
    {"reduce", "min", CLP_I32, CLP_I32, {0xef5cdc5989457e9c, 0x0000000000000000, 0x1ec9df1ae0ff6403}},
    {"reduce", "max", CLP_I32, CLP_I32, {0xfa8daede22925606, 0x0000000000000000, 0xf4faf31cd04fd305}},
    {"reduce", "sum", CLP_U32, CLP_U64, {0xfac3754ae00d7684, 0x0000000000000000, 0x0bc0ba4a44342eef}},
    {"reduce", "sum", CLP_U32, CLP_U32, {0x895b0c952614f85d, 0x0000000000000000, 0x1a2adbb195a3989e}},
    {"reduce", "min", CLP_U32, CLP_U32, {0x57b6d5d8f24155dc, 0x0000000000000000, 0xcf25d04d88419bb1}},
    {"reduce", "max", CLP_U32, CLP_U32, {0x1bd621250318f4ab, 0x0000000000000000, 0x916ebfdc3b9b0b2f}},
    {"reduce", "sum", CLP_F32, CLP_F32, {0x562518712b396573, 0x31f52e58ec63b4ca, 0x4b7521301fa4846f}},
    {"reduce", "min", CLP_F32, CLP_F32, {0xa72ab163792abb1a, 0x7203cfe1ca4f69e3, 0xc733c56137bd7631}},
    {"reduce", "max", CLP_F32, CLP_F32, {0x4d84821848013f5a, 0x94b0961091da95b9, 0x20cce4822daaf747}},
    {"reduce", "sum", CLP_F64, CLP_F64, {0xd1627a493222ff14, 0xb7225194e97fa2f6, 0xadff68c77034e96b}},
    {"reduce", "min", CLP_F64, CLP_F64, {0x0af2089b8cdb184d, 0xa978ebd7aa2937de, 0x52a861ebba8fd8f9}},
    {"reduce", "max", CLP_F64, CLP_F64, {0x41aa0695d2600574, 0xe5db9c5b84e19a3a, 0xa406f37db16ef240}},
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

/* @return 0 after a message */
static uint64_t reference_digest(const struct pattern *pattern, const struct pattern_case *what,
                                 enum check_class_name name) {
    XXH64_state_t *state = XXH64_createState();
    uint64_t digest = 0;
    bool good = true;
    XXH64_reset(state, 0);
    for (size_t s = 0; s < check_classes[name].set_count && good; s++) {
        struct check_data data;
        if (!check_data_make(&data, pattern, what, &check_classes[name], check_classes[name].sets[s])) {
            complain("out of memory");
            good = false;
            break;
        }
        XXH64_update(state, data.expected, data.expected_count * clp_type_size(what->result));
        check_data_free(&data);
    }
    digest = good ? XXH64_digest(state) : 0;
    XXH64_freeState(state);
    return digest;
}

bool golden_print(void) {
    bool good = true;
    for (size_t p = 0; patterns[p] != NULL; p++) {
        for (size_t c = 0; c < patterns[p]->case_count; c++) {
            const struct pattern_case *what = &patterns[p]->cases[c];
            printf("    {\"%s\", \"%s\", ", patterns[p]->name, what->name);
            print_type(what->type);
            printf(", ");
            print_type(what->result);
            for (enum check_class_name name = 0; name < CHECK_CLASS_COUNT; name++) {
                const bool applies = check_class_applies(name, what);
                const uint64_t digest = applies ? reference_digest(patterns[p], what, name) : 0;
                printf("%s0x%016" PRIx64, name == 0 ? ", {" : ", ", digest);
                good = good && (digest != 0 || !applies);
            }
            printf("}},\n");
        }
    }
    return good;
}

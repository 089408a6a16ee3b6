/* SPDX-License-Identifier: Apache-2.0 */
/* `clpatterns check`: proves a device right, one line per pattern. */
#include "check.h"
#include "golden.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { OPTION_QUICK = OPTION_OWN, OPTION_FULL, OPTION_MATRIX, OPTION_TYPE, OPTION_JSON, OPTION_PRINT_GOLDEN };

/* A digest over the cases of one type, for the line of text; JSON has each case's own. */
struct type_digest {
    clp_type type;
    XXH64_state_t *state;
};

enum { MAX_TYPES = 12, MAX_SKIPPED = 24 };

/* Something that did not run. */
struct skipped {
    char what[64], why[160];
    size_t more; /* cases that are skipped for the same reason */
    bool fault;  /* it had to run */
};

/* What is known of one pattern on one device so far. */
struct progress_of_pattern {
    struct check_session *session;
    const struct pattern *pattern;
    const char *types; /* a list, or NULL */
    bool classes[CHECK_CLASS_COUNT];
    struct check_tally tally;
    size_t golden_mismatches, golden_missing;
    char first_missing[80];
    bool undone; /* something that had to run did not */
    struct type_digest digests[CHECK_CLASS_COUNT][MAX_TYPES];
    struct skipped skipped[MAX_SKIPPED];
    size_t skipped_count;
    cJSON *json_digests;
};

/* Remembers a named row for something that did not run; the same one only once. */
static struct skipped *skip(struct progress_of_pattern *p, const char *what, const char *why) {
    struct skipped row = {.more = 0};
    snprintf(row.what, sizeof row.what, "%.60s", what);
    snprintf(row.why, sizeof row.why, "%.150s", why);
    for (size_t i = 0; i < p->skipped_count; i++)
        if (strcmp(p->skipped[i].what, row.what) == 0 && strcmp(p->skipped[i].why, row.why) == 0)
            return &p->skipped[i];
    if (p->skipped_count == MAX_SKIPPED)
        return &p->skipped[MAX_SKIPPED - 1];
    p->skipped[p->skipped_count] = row;
    return &p->skipped[p->skipped_count++];
}

/* One row for all cases that are skipped for one reason. */
static void skip_case(struct progress_of_pattern *p, const char *label, const char *why) {
    for (size_t i = 0; i < p->skipped_count; i++) {
        if (strncmp(p->skipped[i].why, why, sizeof p->skipped[i].why - 10) == 0) {
            p->skipped[i].more++;
            return;
        }
    }
    (void)skip(p, label, why);
}

/* For what had to run: the status says so then. */
static void miss(struct progress_of_pattern *p, const char *what, const char *why) {
    skip(p, what, why)->fault = true;
    p->undone = true;
}

static void print_skipped(const struct skipped *row, char *text, size_t size) {
    char more[32] = "";
    if (row->more > 0)
        snprintf(more, sizeof more, " and %zu more", row->more);
    snprintf(text, size, "%s%s: %s", row->what, more, row->why);
}

static void add_type_digest(struct type_digest *digests, clp_type type, uint64_t digest) {
    unsigned char bytes[8];
    size_t i = 0;
    while (i < MAX_TYPES - 1 && digests[i].state != NULL && digests[i].type != type)
        i++;
    if (digests[i].state == NULL) {
        digests[i].state = XXH64_createState();
        digests[i].type = type;
        XXH64_reset(digests[i].state, 0);
    }
    for (int byte = 0; byte < 8; byte++)
        bytes[byte] = (unsigned char)(digest >> (8 * byte));
    XXH64_update(digests[i].state, bytes, sizeof bytes);
}

/* Compares a digest with the one written down, and keeps both. */
static void judge_digest(struct progress_of_pattern *p, const struct pattern_case *what,
                         enum check_class_name name, uint64_t digest) {
    const uint64_t golden = golden_digest(p->pattern, what, name);
    char text[20], label[PATTERN_LABEL_SIZE];
    cJSON *json = cJSON_CreateObject();
    add_type_digest(p->digests[name], what->type, digest);
    if (golden == 0 && p->golden_missing++ == 0)
        snprintf(p->first_missing, sizeof p->first_missing, "%s, class %s", pattern_case_label(what, label),
                 check_classes[name].name);
    if (golden != 0 && golden != digest && p->golden_mismatches++ == 0 && p->tally.mismatches == 0)
        snprintf(p->tally.first, sizeof p->tally.first,
                 "%s %s: digest of class %s is %016" PRIx64 ", must be %016" PRIx64
                 ", yet it is what the serial reference built here computes",
                 p->pattern->name, pattern_case_label(what, label), check_classes[name].name, digest, golden);
    cJSON_AddStringToObject(json, "case", what->name);
    cJSON_AddStringToObject(json, "type", clp_type_name(what->type));
    cJSON_AddStringToObject(json, "result", clp_type_name(what->result));
    cJSON_AddStringToObject(json, "class", check_classes[name].name);
    snprintf(text, sizeof text, "%016" PRIx64, digest);
    cJSON_AddStringToObject(json, "digest", text);
    snprintf(text, sizeof text, "%016" PRIx64, golden);
    cJSON_AddStringToObject(json, "golden", golden != 0 ? text : "");
    cJSON_AddItemToArray(p->json_digests, json);
}

/* One class of data of one case, set by set so that only one is in memory. */
static void check_class_of_case(struct progress_of_pattern *p, const struct pattern_case *what,
                                enum check_class_name name, const struct check_variant *variants,
                                size_t count) {
    const struct check_class *class = &check_classes[name];
    XXH64_state_t *digest = XXH64_createState();
    char label[PATTERN_LABEL_SIZE];
    bool good = true;
    XXH64_reset(digest, 0);
    for (size_t s = 0; s < class->set_count && good; s++) {
        struct check_data data;
        progress("%s %s: %s, %s (%zu results)", p->pattern->name, pattern_case_label(what, label),
                 class->name, ref_set_name(class->sets[s]), p->tally.results);
        if (!check_data_make(&data, p->pattern, what, class, class->sets[s])) {
            miss(p, class->name, "out of host memory");
            good = false;
            break;
        }
        if (data.n_max * clp_type_size(what->type) + 1024 > p->session->info->max_allocation) {
            (void)skip(p, class->name, "larger than this device's largest buffer");
            good = false;
        } else {
            good = check_compare(p->session, &data, variants, count, digest, &p->tally);
        }
        check_data_free(&data);
    }
    if (good && p->pattern->exact(what))
        judge_digest(p, what, name, XXH64_digest(digest));
    XXH64_freeState(digest);
}

static void check_case(struct progress_of_pattern *p, size_t case_index) {
    const struct pattern_case *what = &p->pattern->cases[case_index];
    const clp_device_info *info = p->session->info;
    struct check_variant variants[CHECK_MAX_VARIANTS];
    clp_status status;
    char label[PATTERN_LABEL_SIZE];
    size_t count;
    if (!list_has(p->types, clp_type_name(what->type)))
        return;
    if (what->type == CLP_F64 && !info->has_f64) {
        (void)skip(p, "f64", "the device has no doubles");
        return;
    }
    progress("%s %s: building", p->pattern->name, pattern_case_label(what, label));
    count = check_variants(p->session, p->pattern, case_index, variants, &status);
    if (status == CLP_DEVICE_UNSUPPORTED) {
        skip_case(p, label, clp_last_detail());
        return;
    }
    if (count == 0) {
        if (p->tally.mismatches++ == 0)
            snprintf(p->tally.first, sizeof p->tally.first, "%s %s: %s: %.300s", p->pattern->name, label,
                     clp_status_name(status), clp_last_detail());
        if (status == CL_BUILD_PROGRAM_FAILURE)
            complain("%s %s: %s", p->pattern->name, label, clp_last_build_log());
        return;
    }
    for (enum check_class_name name = 0; name < CHECK_CLASS_COUNT; name++) {
        if (!check_class_applies(name, what) || !p->classes[name])
            continue;
        if (name == CHECK_DENORMALS && (what->type == CLP_F32 || what->type == CLP_BF16) &&
            !info->keeps_denormals_f32)
            (void)skip(p, "f32 and bf16 denormals",
                       "the device flushes them, so results with them may differ");
        else
            check_class_of_case(p, what, name, variants, count);
    }
}

/* "digest i32 01234567 u32 …" of one class; the first eight digits are enough to tell by eye. */
static void print_digests(const struct type_digest *digests, const char *title) {
    if (digests[0].state == NULL)
        return;
    printf("%s", title);
    for (size_t i = 0; i < MAX_TYPES && digests[i].state != NULL; i++)
        printf(" %s %08" PRIx64, clp_type_name(digests[i].type),
               (uint64_t)XXH64_digest(digests[i].state) >> 32);
}

static void print_pattern(const struct progress_of_pattern *p, int status) {
    static const char *const words[] = {"ok", "WRONG", "UNDONE"};
    const size_t wrong = p->tally.mismatches + p->golden_mismatches;
    printf("%-9s %-6s %zu results, %zu variants", p->pattern->name, words[status], p->tally.results,
           p->session->seen_count);
    print_digests(p->digests[CHECK_SMALL], ", digest");
    print_digests(p->digests[CHECK_DENORMALS], "\n                 denormals,");
    print_digests(p->digests[CHECK_LARGE], "\n                 large,");
    printf("\n");
    if (wrong > 0)
        printf("          %zu of %zu are wrong; the first: %s\n", wrong, p->tally.results, p->tally.first);
    if (p->golden_missing > 0)
        printf(
            "          %zu digests have no golden value (bench/golden.h says how they get one); the first: "
            "%s\n",
            p->golden_missing, p->first_missing);
    for (size_t i = 0; i < p->skipped_count; i++) {
        char text[300];
        print_skipped(&p->skipped[i], text, sizeof text);
        printf("          %s %s\n", p->skipped[i].fault ? "NOT RUN " : "skipped ", text);
    }
}

static cJSON *pattern_json(const struct progress_of_pattern *p, int status) {
    static const char *const words[] = {"ok", "wrong", "undone"};
    cJSON *json = cJSON_CreateObject(), *skipped;
    cJSON_AddStringToObject(json, "pattern", p->pattern->name);
    cJSON_AddStringToObject(json, "status", words[status]);
    cJSON_AddNumberToObject(json, "results", (double)p->tally.results);
    cJSON_AddNumberToObject(json, "variants", (double)p->session->seen_count);
    cJSON_AddNumberToObject(json, "mismatches", (double)(p->tally.mismatches + p->golden_mismatches));
    cJSON_AddStringToObject(json, "first_mismatch", p->tally.first);
    cJSON_AddNumberToObject(json, "golden_missing", (double)p->golden_missing);
    cJSON_AddItemToObject(json, "digests", p->json_digests);
    skipped = cJSON_AddArrayToObject(json, "skipped");
    for (size_t i = 0; i < p->skipped_count; i++) {
        char text[300];
        print_skipped(&p->skipped[i], text, sizeof text);
        cJSON_AddItemToArray(skipped, cJSON_CreateString(text));
    }
    return json;
}

/* Rows for the arms that no case could run. One that was asked for is missed, the others are news. */
static void judge_arms(struct progress_of_pattern *p) {
    for (size_t a = 0; a < p->session->arm_count; a++) {
        const struct check_arm *arm = &p->session->arms[a];
        char label[32];
        snprintf(label, sizeof label, "%s/%s", shape_name(arm->shape), clp_subgroups_name(arm->subgroups));
        if (arm->ran)
            continue;
        if (arm->requested)
            miss(p, label, arm->dropped[0] != '\0' ? arm->dropped : "no case ran");
        else if (arm->dropped[0] != '\0')
            (void)skip(p, label, arm->dropped);
    }
}

/* @return the exit status for this one alone */
static int check_pattern(struct check_session *session, const struct pattern *pattern, const bool *classes,
                         const char *types, cJSON *json_patterns) {
    static struct progress_of_pattern p; /* too large for some stacks */
    int status = STATUS_OK;
    p = (struct progress_of_pattern){
        .session = session, .pattern = pattern, .types = types, .json_digests = cJSON_CreateArray()};
    memcpy(p.classes, classes, sizeof p.classes);
    session->seen_count = 0;
    for (size_t a = 0; a < session->arm_count; a++) {
        session->arms[a].ran = false;
        session->arms[a].dropped[0] = '\0';
    }
    if (session->unavailable[0] != '\0')
        (void)skip(&p, "variants", session->unavailable);
    if (!session->info->has_device_fence)
        (void)skip(&p, "schedule fused", "the device has no acquire and release between work-groups");
    if (session->thin)
        (void)skip(&p, "variants", "a sample, for this is a CPU; --full runs all");
    if (types != NULL)
        (void)skip(&p, "other types", "asked for some only");
    if (!classes[CHECK_LARGE])
        (void)skip(&p, "large class", "asked to be quick, or not a GPU; --full runs it");
    for (size_t c = 0; c < pattern->case_count; c++)
        check_case(&p, c);
    progress_clear();
    judge_arms(&p);
    if (p.tally.mismatches > 0 || p.golden_mismatches > 0 || p.golden_missing > 0)
        status = STATUS_WRONG;
    else if (p.undone || p.tally.results == 0)
        status = STATUS_USAGE;
    if (json_patterns != NULL)
        cJSON_AddItemToArray(json_patterns, pattern_json(&p, status));
    else
        print_pattern(&p, status);
    if (json_patterns == NULL)
        cJSON_Delete(p.json_digests);
    for (size_t name = 0; name < CHECK_CLASS_COUNT; name++)
        for (size_t i = 0; i < MAX_TYPES; i++)
            XXH64_freeState(p.digests[name][i].state);
    return status;
}

struct check_options {
    bool quick, full, matrix, json, print_golden;
    const char *types;
    int pattern_count;
    char **patterns;
};

static int check_device(const struct program *program, const char *device,
                        const struct check_options *options, cJSON *json_devices) {
    struct check_session session;
    bool classes[CHECK_CLASS_COUNT] = {true, true, true};
    cJSON *json = NULL, *json_patterns = NULL;
    int status = STATUS_OK;
    if (!check_session_open(&session, program, device, options->matrix, options->full))
        return STATUS_USAGE;
    classes[CHECK_LARGE] = options->full || (!options->quick && !(session.info->type & CL_DEVICE_TYPE_CPU));
    if (json_devices != NULL) {
        json = cJSON_CreateObject();
        cJSON_AddStringToObject(json, "device", session.info->name);
        cJSON_AddStringToObject(json, "platform", session.info->platform);
        cJSON_AddStringToObject(json, "driver", session.info->driver);
        json_patterns = cJSON_AddArrayToObject(json, "patterns");
        cJSON_AddItemToArray(json_devices, json);
    } else {
        printf("%s (%s, driver %s)\n", session.info->name, session.info->platform, session.info->driver);
    }
    for (size_t i = 0; patterns[i] != NULL; i++) {
        bool wanted = options->pattern_count == 0;
        for (int j = 0; j < options->pattern_count; j++)
            wanted = wanted || strcmp(options->patterns[j], patterns[i]->name) == 0;
        if (wanted) {
            const int one = check_pattern(&session, patterns[i], classes, options->types, json_patterns);
            status = one > status ? one : status;
        }
        fflush(stdout);
    }
    check_session_close(&session);
    return status;
}

static int check_devices(const struct program *program, const struct check_options *options) {
    cJSON *json = NULL, *devices = NULL;
    int status = STATUS_OK;
    if (options->json) {
        json = cJSON_CreateObject();
        cJSON_AddNumberToObject(json, "format_version", 1);
        cJSON_AddStringToObject(json, "library_version", clp_version_string());
        devices = cJSON_AddArrayToObject(json, "devices");
    }
    if (program->device != NULL && strcmp(program->device, "all") == 0) {
        struct device_list list;
        if (!program_devices(&list))
            status = STATUS_USAGE;
        for (size_t i = 0; i < list.count; i++) {
            const int one = check_device(program, list.text[i], options, devices);
            status = one > status ? one : status;
        }
        free(list.text);
    } else {
        status = check_device(program, program->device, options, devices);
    }
    if (json != NULL) {
        char *text = cJSON_Print(json);
        puts(text != NULL ? text : "null");
        cJSON_free(text);
        cJSON_Delete(json);
    }
    return status;
}

static void print_help(void) {
    puts("usage: clpatterns check [OPTION…] [PATTERN…]\n"
         "Runs every variant (shapes, schedules, back-ends, work-group sizes) over the canonical data sets "
         "and\n"
         "compares with the serial reference bit for bit; digests must be the same on every device.\n\n"
         "  --quick          at most 2^16 + 1 elements (the default on CPUs)\n"
         "  --full           up to 2^24 + 4097 elements (the default on other devices), and on CPUs too\n"
         "                   every variant, not a sample\n"
         "  --matrix         every work-group size and offset for every case, not a pairwise selection\n"
         "  --type T         elements of these types only: a list like u8,f32\n"
         "  --json           the same as one JSON object\n"
         "  --device all     every device, one after the other\n"
         "  --print-golden   the rows of golden.c by the serial reference; see bench/golden.h");
}

int command_check(struct program *program, int argc, char **argv) {
    static const struct option long_options[] = {PROGRAM_LONG_OPTIONS,
                                                 {"quick", no_argument, NULL, OPTION_QUICK},
                                                 {"full", no_argument, NULL, OPTION_FULL},
                                                 {"matrix", no_argument, NULL, OPTION_MATRIX},
                                                 {"type", required_argument, NULL, OPTION_TYPE},
                                                 {"json", no_argument, NULL, OPTION_JSON},
                                                 {"print-golden", no_argument, NULL, OPTION_PRINT_GOLDEN},
                                                 {NULL, 0, NULL, 0}};
    struct check_options options = {0};
    program_restart_getopt();
    for (int option; (option = getopt_long(argc, argv, "h", long_options, NULL)) != -1;) {
        switch (option) {
        case 'h':
            print_help();
            return STATUS_OK;
        case OPTION_QUICK:
            options.quick = true;
            break;
        case OPTION_FULL:
            options.full = true;
            break;
        case OPTION_MATRIX:
            options.matrix = true;
            break;
        case OPTION_TYPE:
            options.types = optarg;
            break;
        case OPTION_JSON:
            options.json = true;
            break;
        case OPTION_PRINT_GOLDEN:
            options.print_golden = true;
            break;
        default:
            if (!program_option(program, option, optarg))
                return STATUS_USAGE;
        }
    }
    options.pattern_count = argc - optind;
    options.patterns = argv + optind;
    for (int i = optind; i < argc; i++)
        if (pattern_find(argv[i]) == NULL)
            return STATUS_USAGE;
    if (options.print_golden)
        return golden_print(options.pattern_count, options.patterns) ? STATUS_OK : STATUS_USAGE;
    return check_devices(program, &options);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The records of `bench` as a table, as JSON and as CSV; and their comparison with earlier ones. */
#include "bench.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Columns of the CSV file, which are names in the JSON records too. */
static const char *const columns[] = {
    "device",   "impl",      "pattern",         "case",       "type",
    "result",   "n",         "parts",           "mode",       "status",
    "verified", "median_ms", "min_ms",          "spread",     "event_ms",
    "bytes",    "gbps",      "limit",           "limit_gbps", "limit_fraction",
    "work",     "span",      "bound_ms",        "bound_by",   "bound_fraction",
    "calls",    "samples",   "compile_ms",      "shape",      "subgroups",
    "schedule", "launches",  "work_group_size", "reason",     "note",
};

static cJSON *read_json(const char *path) {
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    long size;
    cJSON *json = NULL;
    if (file != NULL && fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) >= 0 &&
        fseek(file, 0, SEEK_SET) == 0 && (text = malloc((size_t)size + 1)) != NULL &&
        fread(text, 1, (size_t)size, file) == (size_t)size)
        json = cJSON_ParseWithLength(text, (size_t)size);
    free(text);
    if (file != NULL)
        fclose(file);
    if (cJSON_IsArray(cJSON_GetObjectItem(json, "records")) &&
        cJSON_GetNumberValue(cJSON_GetObjectItem(json, "format_version")) == 1)
        return json;
    complain("%s: %s", path,
             file == NULL   ? "cannot open"
             : json == NULL ? "not JSON"
                            : "not a report of `clpatterns bench` of format version 1");
    cJSON_Delete(json);
    return NULL;
}

static bool is_stdout(const char *path) {
    return path != NULL && strcmp(path, "-") == 0;
}

static bool can_write(const char *path) {
    if (path == NULL || is_stdout(path) || output_check(path))
        return true;
    complain("%s: cannot write: %s", path, strerror(errno));
    return false;
}

bool report_open(struct bench_report *report, const char *json, const char *csv, const char *compare) {
    *report = (struct bench_report){.json_path = json, .csv_path = csv};
    if (json != NULL && csv != NULL && output_is_same(json, csv)) {
        complain("--json and --csv cannot both be '%s'", csv);
        return false;
    }
    if (!can_write(json) || !can_write(csv))
        return false;
    if (compare != NULL && (report->reference = read_json(compare)) == NULL)
        return false;
    report->table = !is_stdout(json) && !is_stdout(csv);
    report->json = cJSON_CreateObject();
    cJSON_AddNumberToObject(report->json, "format_version", 1);
    cJSON_AddStringToObject(report->json, "library_version", clp_version_string());
    return true;
}

void report_device(struct bench_report *report, const clp_device_info *info) {
    cJSON *device = cJSON_CreateObject();
    cJSON_AddStringToObject(device, "device", info->name);
    cJSON_AddStringToObject(device, "platform", info->platform);
    cJSON_AddStringToObject(device, "version", info->version);
    cJSON_AddStringToObject(device, "driver", info->driver);
    cJSON_AddStringToObject(device, "type", device_type_name(info->type));
    cJSON_AddNumberToObject(device, "compute_units", info->compute_units);
    /* The first device stands at the top, for readers who know that there is only one. */
    if (report->devices == NULL) {
        cJSON_AddStringToObject(report->json, "device", info->name);
        cJSON_AddStringToObject(report->json, "driver", info->driver);
        report->devices = cJSON_AddArrayToObject(report->json, "devices");
        report->records = cJSON_AddArrayToObject(report->json, "records");
    }
    cJSON_AddItemToArray(report->devices, device);
    report->device = device;
    memset(report->told, 0, sizeof report->told);
    if (report->table)
        printf("%s%s (%s, driver %s)\n", cJSON_GetArraySize(report->devices) > 1 ? "\n" : "", info->name,
               info->platform, info->driver);
}

void report_heading(struct bench_report *report) {
    if (report->table)
        printf("%-14s %-22s %9s %-4s %10s %10s %6s %9s %8s %6s %6s\n", "impl", "case", "n", "mode",
               "median ms", "min ms", "spread", "event ms", "GB/s", "limit", "bound");
}

/* "2^26" where it is one. */
static void print_count(char *text, size_t size, size_t n) {
    int exponent = 0;
    while (exponent < 63 && (size_t)1 << exponent < n)
        exponent++;
    if (n >= 1024 && n == (size_t)1 << exponent)
        snprintf(text, size, "2^%d", exponent);
    else
        snprintf(text, size, "%zu", n);
}

static void print_row(const struct bench_row *row, const char *mode, const struct summary *times,
                      double event_ms, double gbps) {
    char count[24], label[PATTERN_LABEL_SIZE], event[16] = "-", limit[16] = "", bound[16] = "";
    print_count(count, sizeof count, row->n);
    snprintf(label, sizeof label, "%s %s%s%s", row->name, row->type,
             strcmp(row->type, row->result) ? ">" : "", strcmp(row->type, row->result) ? row->result : "");
    if (event_ms > 0)
        snprintf(event, sizeof event, "%.4f", event_ms);
    if (row->limit_gbps > 0)
        snprintf(limit, sizeof limit, "%.2f", gbps / row->limit_gbps);
    if (row->bound_ms > 0)
        snprintf(bound, sizeof bound, "%.2f", row->bound_ms / times->median);
    printf("%-14s %-22s %9s %-4s %10.4f %10.4f %5.1f%% %9s %8.1f %6s %6s%s\n", row->impl, label, count, mode,
           times->median, times->min, 100 * times->spread, event, gbps, limit, bound,
           row->verified ? "" : " WRONG");
    fflush(stdout);
}

/* A reason that holds for all cases is shown once; the records have it each time. */
static bool told(struct bench_report *report, const char *impl) {
    size_t i = 0;
    while (i < sizeof report->told / sizeof *report->told && report->told[i] != NULL)
        if (strcmp(report->told[i++], impl) == 0)
            return true;
    if (i < sizeof report->told / sizeof *report->told)
        report->told[i] = impl;
    return false;
}

static void print_reason(struct bench_report *report, const struct bench_row *row, const char *status,
                         const char *reason) {
    char count[24], label[PATTERN_LABEL_SIZE];
    if (row->skipped_always) {
        if (!told(report, row->impl))
            printf("%-14s %s\n", row->impl, reason);
        return;
    }
    print_count(count, sizeof count, row->n);
    snprintf(label, sizeof label, "%s %s", row->name, row->type);
    printf("%-14s %-22s %9s %s: %s\n", row->impl, label, count, status, reason);
    fflush(stdout);
}

/* Everything that does not depend on the mode. */
static cJSON *begin_record(const struct bench_report *report, const struct bench_row *row, const char *mode,
                           const char *status, const char *reason) {
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "device",
                            cJSON_GetStringValue(cJSON_GetObjectItem(report->device, "device")));
    cJSON_AddStringToObject(json, "impl", row->impl);
    cJSON_AddStringToObject(json, "pattern", row->pattern);
    cJSON_AddStringToObject(json, "case", row->name);
    cJSON_AddStringToObject(json, "type", row->type);
    cJSON_AddStringToObject(json, "result", row->result);
    cJSON_AddNumberToObject(json, "n", (double)row->n);
    cJSON_AddNumberToObject(json, "parts", (double)row->parts);
    cJSON_AddStringToObject(json, "mode", mode);
    cJSON_AddStringToObject(json, "status", status);
    if (reason != NULL)
        cJSON_AddStringToObject(json, "reason", reason);
    if (row->note != NULL)
        cJSON_AddStringToObject(json, "note", row->note);
    cJSON_AddBoolToObject(json, "verified", row->verified);
    if (row->plan != NULL) {
        cJSON_AddStringToObject(json, "shape", shape_name(row->plan->shape));
        cJSON_AddStringToObject(json, "subgroups", clp_subgroups_name(row->plan->subgroups));
        cJSON_AddStringToObject(json, "schedule", schedule_name(row->plan->schedule));
        cJSON_AddNumberToObject(json, "launches", row->plan->launches);
        cJSON_AddNumberToObject(json, "work_group_size", (double)row->plan->work_group_size);
    }
    return json;
}

static void add_number(cJSON *json, const char *name, double value, bool known) {
    if (known)
        cJSON_AddNumberToObject(json, name, value);
    else
        cJSON_AddNullToObject(json, name);
}

static void add_mode(struct bench_report *report, const struct bench_row *row, const char *mode,
                     const struct samples *samples, size_t calls) {
    const struct subject *subject = row->subject;
    const struct summary times = summarize(samples), events = summarize(&subject->events);
    const double gbps = rate_gbps(row->cost.bytes, times.median);
    const double compile = subject->first_call_ms - summarize(&subject->single).median;
    cJSON *json = begin_record(report, row, mode, "ok", NULL);
    cJSON_AddNumberToObject(json, "median_ms", times.median);
    cJSON_AddNumberToObject(json, "min_ms", times.min);
    cJSON_AddNumberToObject(json, "spread", times.spread);
    add_number(json, "event_ms", events.median, subject->events.count > 0);
    cJSON_AddNumberToObject(json, "bytes", row->cost.bytes);
    cJSON_AddNumberToObject(json, "gbps", gbps);
    if (row->limit != NULL)
        cJSON_AddStringToObject(json, "limit", row->limit);
    add_number(json, "limit_gbps", row->limit_gbps, row->limit_gbps > 0);
    add_number(json, "limit_fraction", row->limit_gbps > 0 ? gbps / row->limit_gbps : 0, row->limit_gbps > 0);
    if (row->bound_ms > 0) {
        cJSON_AddNumberToObject(json, "work", row->cost.work);
        cJSON_AddNumberToObject(json, "span", row->cost.span);
        cJSON_AddNumberToObject(json, "bound_ms", row->bound_ms);
        cJSON_AddStringToObject(json, "bound_by", row->bound_by);
        cJSON_AddNumberToObject(json, "bound_fraction", row->bound_ms / times.median);
    }
    cJSON_AddNumberToObject(json, "calls", (double)calls);
    cJSON_AddNumberToObject(json, "samples", (double)samples->count);
    cJSON_AddNumberToObject(json, "compile_ms", compile > 0 ? compile : 0);
    cJSON_AddItemToArray(report->records, json);
    if (report->table)
        print_row(row, strcmp(mode, "single") == 0 ? "one" : "many", &times, events.median, gbps);
}

void report_row(struct bench_report *report, const struct bench_row *row) {
    const bool failed = row->skipped == NULL && row->subject->error != NULL;
    progress_clear();
    if (row->skipped != NULL || failed) {
        const char *status = failed ? "error" : "skipped",
                   *reason = failed ? row->subject->error : row->skipped;
        cJSON_AddItemToArray(report->records, begin_record(report, row, "none", status, reason));
        if (report->table)
            print_reason(report, row, status, reason);
        /* A peer that fails is no fault of ours. */
        report->wrong = report->wrong || (failed && row->plan != NULL);
        return;
    }
    add_mode(report, row, "back_to_back", &row->subject->back_to_back, row->subject->calls);
    add_mode(report, row, "single", &row->subject->single, 1);
    report->wrong = report->wrong || !row->verified;
}

static void write_csv_field(FILE *file, const cJSON *item) {
    if (cJSON_IsString(item)) {
        fputc('"', file);
        for (const char *c = item->valuestring; *c != '\0'; c++)
            fprintf(file, *c == '"' ? "\"\"" : "%c", *c);
        fputc('"', file);
    } else if (cJSON_IsBool(item)) {
        fputs(cJSON_IsTrue(item) ? "true" : "false", file);
    } else if (cJSON_IsNumber(item)) {
        fprintf(file, "%.15g", item->valuedouble);
    }
}

static bool write_csv(const struct bench_report *report, FILE *file) {
    const size_t count = sizeof columns / sizeof *columns;
    const cJSON *record;
    for (size_t c = 0; c < count; c++)
        fprintf(file, "%s%s", columns[c], c + 1 < count ? "," : "\r\n");
    cJSON_ArrayForEach(record, report->records) {
        for (size_t c = 0; c < count; c++) {
            write_csv_field(file, cJSON_GetObjectItem(record, columns[c]));
            fputs(c + 1 < count ? "," : "\r\n", file);
        }
    }
    return !ferror(file);
}

static bool write_json(const struct bench_report *report, FILE *file) {
    char *text = cJSON_Print(report->json);
    const bool good = text != NULL && fprintf(file, "%s\n", text) > 0;
    cJSON_free(text);
    return good;
}

/* Standard output is flushed, and its loss noticed, by main(). */
static bool write_file(const struct bench_report *report, const char *path,
                       bool (*write)(const struct bench_report *report, FILE *file)) {
    struct output output;
    if (path == NULL)
        return true;
    if (is_stdout(path) ? write(report, stdout)
                        : output_open(&output, path) && output_close(&output, write(report, output.file)))
        return true;
    complain("%s: cannot write the report: %s", path, strerror(errno));
    return false;
}

static bool same_key(const cJSON *a, const cJSON *b) {
    static const char *const keys[] = {"impl", "pattern", "case", "type", "result", "n", "mode"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (!cJSON_Compare(cJSON_GetObjectItem(a, keys[i]), cJSON_GetObjectItem(b, keys[i]), true))
            return false;
    return true;
}

static void print_comparison(const struct bench_report *report) {
    const cJSON *now, *then;
    const char *then_device = cJSON_GetStringValue(cJSON_GetObjectItem(report->reference, "device"));
    size_t rows = 0;
    printf("\nCompared with an earlier report of %s\n%-14s %-10s %-18s %-5s %12s %-13s %10s %10s %8s\n",
           then_device != NULL ? then_device : "an unknown device", "impl", "pattern", "case", "type", "n",
           "mode", "then GB/s", "now GB/s", "change");
    cJSON_ArrayForEach(now, report->records) {
        const double now_gbps = cJSON_GetNumberValue(cJSON_GetObjectItem(now, "gbps"));
        cJSON_ArrayForEach(then, cJSON_GetObjectItem(report->reference, "records")) {
            const double then_gbps = cJSON_GetNumberValue(cJSON_GetObjectItem(then, "gbps"));
            if (!(now_gbps > 0) || !(then_gbps > 0) || !same_key(now, then))
                continue;
            printf("%-14s %-10s %-18s %-5s %12.0f %-13s %10.1f %10.1f %+7.1f%%\n",
                   cJSON_GetObjectItem(now, "impl")->valuestring,
                   cJSON_GetObjectItem(now, "pattern")->valuestring,
                   cJSON_GetObjectItem(now, "case")->valuestring,
                   cJSON_GetObjectItem(now, "type")->valuestring, cJSON_GetObjectItem(now, "n")->valuedouble,
                   cJSON_GetObjectItem(now, "mode")->valuestring, then_gbps, now_gbps,
                   100 * (now_gbps / then_gbps - 1));
            rows++;
            break;
        }
    }
    if (rows == 0)
        puts("no row is in both");
}

bool report_close(struct bench_report *report) {
    bool good = true;
    /* An earlier file is better than one without records. */
    if (cJSON_GetArraySize(report->records) > 0) {
        good = write_file(report, report->json_path, write_json);
        good = write_file(report, report->csv_path, write_csv) && good;
        if (report->reference != NULL && report->table)
            print_comparison(report);
    }
    cJSON_Delete(report->json);
    cJSON_Delete(report->reference);
    return good;
}

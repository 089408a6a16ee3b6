/* SPDX-License-Identifier: Apache-2.0 */
/* Runs one data set through the variants and compares every bit with the reference. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* Elements on both sides of every output that must stay as they are. */
enum { GUARD = 2 };

/* The buffers of one data set: several copies of the input at different element offsets, a slot for each
 * result, and its count. */
struct buffers {
    cl_mem in, out, counts;
    size_t copies, stride; /* elements from one copy to the next, without its offset */
    size_t out_bytes;
    unsigned char *host_out;
    size_t counts_size;
    cl_ulong *host_counts;
};

static size_t copy_offset(const struct buffers *b, size_t copy) {
    return b->copies > 1 ? copy * 3 / (b->copies - 1) : 0;
}

static size_t slot_count(const struct check_data *data, size_t s) {
    return data->pattern->output_count(&data->works[s]);
}

/* Fills the device's input. What lies between the copies would show in most results if it were read. */
static cl_int fill_input(const struct buffers *b, cl_command_queue queue, const struct check_data *data) {
    const size_t size = clp_type_size(data->what->type);
    const size_t bytes = b->copies * b->stride * size;
    unsigned char *host = malloc(bytes);
    cl_int status;
    if (host == NULL)
        return CL_OUT_OF_HOST_MEMORY;
    memset(host, 0xFF, bytes);
    for (size_t c = 0; c < b->copies; c++)
        memcpy(host + (c * b->stride + copy_offset(b, c)) * size, data->in, data->n_max * size);
    status = clEnqueueWriteBuffer(queue, b->in, CL_TRUE, 0, bytes, host, 0, NULL, NULL);
    free(host);
    return status;
}

static cl_int make_buffers(struct buffers *b, const struct check_session *session,
                           const struct check_data *data) {
    cl_context cl = clp_context_cl(session->base);
    const size_t size = clp_type_size(data->what->type);
    size_t out_elements = GUARD;
    cl_int status;
    *b = (struct buffers){.copies = data->class->copies, .stride = (data->n_max / 64 + 2) * 64};
    if ((uint64_t)b->stride * size * b->copies > session->info->max_allocation)
        b->copies = 1;
    for (size_t s = 0; s < data->class->size_count; s++) {
        out_elements += b->copies * (slot_count(data, s) + GUARD);
        status = work_upload(&data->works[s], cl);
        if (status != CL_SUCCESS)
            return status;
    }
    b->out_bytes = out_elements * clp_type_size(data->what->result);
    b->counts_size = data->class->size_count * b->copies * sizeof *b->host_counts;
    b->host_out = malloc(b->out_bytes);
    b->host_counts = malloc(b->counts_size + 1);
    if (b->host_out == NULL || b->host_counts == NULL)
        return CL_OUT_OF_HOST_MEMORY;
    b->in = clCreateBuffer(cl, CL_MEM_READ_ONLY, b->copies * b->stride * size, NULL, &status);
    if (status == CL_SUCCESS)
        b->out = clCreateBuffer(cl, CL_MEM_READ_WRITE, b->out_bytes, NULL, &status);
    if (status == CL_SUCCESS)
        b->counts = clCreateBuffer(cl, CL_MEM_READ_WRITE, b->counts_size, NULL, &status);
    return status == CL_SUCCESS ? fill_input(b, clp_context_queue(session->base), data) : status;
}

static void free_buffers(struct buffers *b) {
    if (b->in != NULL)
        clReleaseMemObject(b->in);
    if (b->out != NULL)
        clReleaseMemObject(b->out);
    if (b->counts != NULL)
        clReleaseMemObject(b->counts);
    free(b->host_out);
    free(b->host_counts);
}

/* The value as a little-endian number, so that floats show their bits. */
static void print_bits(char *text, size_t size, const unsigned char *value, size_t bytes) {
    size_t length = (size_t)snprintf(text, size, "0x");
    for (size_t i = bytes; i-- > 0;)
        length += (size_t)snprintf(text + length, size - length, "%02x", value[i]);
}

static void report(struct check_tally *tally, const struct check_data *data,
                   const struct check_variant *variant, size_t n, size_t offset, const char *what) {
    char label[PATTERN_LABEL_SIZE];
    if (tally->mismatches++ > 0)
        return;
    snprintf(tally->first, sizeof tally->first,
             "%s %s: %s/%s/%s, work-group size %zu, set %s, n %zu, element offset %zu: %s",
             data->pattern->name, pattern_case_label(data->what, label), shape_name(variant->plan.shape),
             clp_subgroups_name(variant->plan.subgroups), schedule_name(variant->plan.schedule),
             variant->plan.work_group_size, ref_set_name(data->set), n, offset, what);
}

/* Looks at one slot and at the guards before and after it; at its count too, if the pattern counts. */
static void compare_slot(struct check_tally *tally, const struct check_data *data,
                         const struct check_variant *variant, size_t s, size_t offset,
                         const unsigned char *slot, cl_ulong counted, const unsigned char *expected) {
    const size_t size = clp_type_size(data->what->result), count = slot_count(data, s);
    const size_t n = data->class->sizes[s];
    char what[160], got_bits[40], expected_bits[40];
    tally->results++;
    for (size_t i = 0; i < GUARD * size; i++) {
        if (slot[i - GUARD * size] != PATTERN_BLANK || slot[count * size + i] != PATTERN_BLANK) {
            report(tally, data, variant, n, offset, "wrote outside its output");
            return;
        }
    }
    if (data->pattern->counts) {
        cl_ulong wanted;
        memcpy(&wanted, expected + count * size, sizeof wanted);
        if (counted != wanted) {
            snprintf(what, sizeof what, "the count is %llu, must be %llu", (unsigned long long)counted,
                     (unsigned long long)wanted);
            report(tally, data, variant, n, offset, what);
            return;
        }
    }
    if (memcmp(slot, expected, count * size) == 0 ||
        (!data->pattern->exact(data->what) &&
         data->pattern->near_enough(&data->works[s], data->in, expected, slot)))
        return;
    for (size_t i = 0; i < count; i++) {
        if (memcmp(slot + i * size, expected + i * size, size) != 0) {
            print_bits(got_bits, sizeof got_bits, slot + i * size, size);
            print_bits(expected_bits, sizeof expected_bits, expected + i * size, size);
            snprintf(what, sizeof what, "element %zu is %s, must be %s", i, got_bits, expected_bits);
            report(tally, data, variant, n, offset, what);
            return;
        }
    }
}

/* Outputs and counts, to the device (blank) or back. */
static cl_int move_results(cl_command_queue queue, const struct buffers *b, bool back) {
    if (back) {
        const cl_int status =
            clEnqueueReadBuffer(queue, b->out, CL_TRUE, 0, b->out_bytes, b->host_out, 0, NULL, NULL);
        return status != CL_SUCCESS ? status
                                    : clEnqueueReadBuffer(queue, b->counts, CL_TRUE, 0, b->counts_size,
                                                          b->host_counts, 0, NULL, NULL);
    }
    memset(b->host_out, PATTERN_BLANK, b->out_bytes);
    memset(b->host_counts, PATTERN_BLANK, b->counts_size);
    const cl_int status =
        clEnqueueWriteBuffer(queue, b->out, CL_TRUE, 0, b->out_bytes, b->host_out, 0, NULL, NULL);
    return status != CL_SUCCESS ? status
                                : clEnqueueWriteBuffer(queue, b->counts, CL_TRUE, 0, b->counts_size,
                                                       b->host_counts, 0, NULL, NULL);
}

/* All sizes at one copy (or, of the first variant and in the matrix, at all copies) of the input. */
static cl_int run_variant(const struct check_session *session, const struct check_data *data,
                          struct buffers *b, const struct check_variant *variant, size_t variant_index,
                          void *digest, struct check_tally *tally) {
    cl_command_queue queue = clp_context_queue(session->base);
    const bool all = variant_index == 0 || session->matrix;
    const size_t size = clp_type_size(data->what->result);
    const unsigned char *expected = data->expected;
    size_t at = GUARD;
    cl_int status = move_results(queue, b, false);
    for (size_t s = 0; s < data->class->size_count && status == CL_SUCCESS; s++) {
        for (size_t c = 0; c < b->copies; c++, at += slot_count(data, s) + GUARD) {
            const struct pattern_call call = {.work = &data->works[s],
                                              .context = variant->context,
                                              .queue = queue,
                                              .schedule = variant->schedule,
                                              .in = {b->in, c * b->stride + copy_offset(b, c)},
                                              .out = {b->out, at},
                                              .count = {b->counts, s * b->copies + c}};
            clp_status failed;
            if (!all && c != (s + variant_index + (size_t)data->set) % b->copies)
                continue;
            failed = data->pattern->enqueue(&call, NULL);
            if (failed != CLP_SUCCESS) {
                char what[160];
                snprintf(what, sizeof what, "%s: %.120s", clp_status_name(failed), clp_last_detail());
                report(tally, data, variant, data->class->sizes[s], copy_offset(b, c), what);
                clFinish(queue);
                return CL_SUCCESS;
            }
        }
    }
    if (status == CL_SUCCESS)
        status = move_results(queue, b, true);
    if (status != CL_SUCCESS)
        return status;
    at = GUARD;
    for (size_t s = 0; s < data->class->size_count; s++) {
        for (size_t c = 0; c < b->copies; c++, at += slot_count(data, s) + GUARD) {
            const unsigned char *slot = b->host_out + at * size;
            if (!all && c != (s + variant_index + (size_t)data->set) % b->copies)
                continue;
            const cl_ulong *count = &b->host_counts[s * b->copies + c];
            compare_slot(tally, data, variant, s, copy_offset(b, c), slot, *count, expected);
            if (digest != NULL && c == 0)
                XXH64_update(digest, slot, slot_count(data, s) * size);
            if (digest != NULL && c == 0 && data->pattern->counts)
                XXH64_update(digest, count, sizeof *count);
        }
        expected += pattern_result_size(data->pattern, &data->works[s]);
    }
    return CL_SUCCESS;
}

bool check_compare(struct check_session *session, const struct check_data *data,
                   const struct check_variant *variants, size_t variant_count, void *digest,
                   struct check_tally *tally) {
    struct buffers b;
    cl_int status = make_buffers(&b, session, data);
    for (size_t v = 0; v < variant_count && status == CL_SUCCESS; v++)
        status = run_variant(session, data, &b, &variants[v], v, v == 0 ? digest : NULL, tally);
    free_buffers(&b);
    if (status != CL_SUCCESS)
        report(tally, data, &variants[0], data->n_max, 0, clp_status_name(status));
    return status == CL_SUCCESS;
}

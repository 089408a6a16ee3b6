/* SPDX-License-Identifier: Apache-2.0 */
#include "npy_header.h"
#include "program.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

static const unsigned char magic[6] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

/* Headers of real files have some hundred bytes. A larger one is damage, not data. */
enum { LARGEST_HEADER = 1 << 20 };

static bool fail(char *message, const char *what) {
    snprintf(message, NPY_MESSAGE_SIZE, "%s", what);
    return false;
}

static bool fail_system(char *message, const char *what) {
    snprintf(message, NPY_MESSAGE_SIZE, "%s: %s", what, strerror(errno));
    return false;
}

/* Files are little-endian as they are; so must be this machine. */
static bool machine_is_little_endian(void) {
    const unsigned one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 1;
}

static bool read_header(FILE *file, struct npy *array, char *message) {
    unsigned char start[12];
    size_t length;
    char *text;
    bool good;
    if (fread(start, 1, 10, file) != 10 || memcmp(start, magic, sizeof magic) != 0)
        return ferror(file) ? fail_system(message, "cannot read") : fail(message, "not a .npy file");
    if (start[6] < 1 || start[6] > 3 || start[7] != 0) {
        snprintf(message, NPY_MESSAGE_SIZE, ".npy format %u.%u is not supported (1.0, 2.0 and 3.0 are)",
                 start[6], start[7]);
        return false;
    }
    length = (size_t)start[8] | (size_t)start[9] << 8;
    if (start[6] > 1) {
        if (fread(start + 10, 1, 2, file) != 2)
            return fail(message, "truncated in its header");
        length |= (size_t)start[10] << 16 | (size_t)start[11] << 24;
    }
    if (length > LARGEST_HEADER)
        return fail(message, "corrupt header: longer than 1 MiB");
    text = malloc(length + 1);
    if (text == NULL)
        return fail(message, "out of memory");
    if (fread(text, 1, length, file) != length)
        good = fail(message, "truncated in its header");
    else
        good = npy_parse_header(text, length, array, message);
    free(text);
    return good;
}

/* Compares the size of the file with what the header promises, before memory is taken for it. Not for
 * pipes, which cannot tell. */
static bool check_file_size(FILE *file, size_t bytes, char *message) {
    const off_t here = ftello(file);
    off_t end;
    if (here < 0 || fseeko(file, 0, SEEK_END) != 0)
        return true;
    end = ftello(file);
    if (end < here || fseeko(file, here, SEEK_SET) != 0)
        return fail_system(message, "cannot seek");
    if ((size_t)(end - here) >= bytes)
        return true;
    snprintf(message, NPY_MESSAGE_SIZE, "truncated: the header promises %zu bytes of data, the file has %zu",
             bytes, (size_t)(end - here));
    return false;
}

static bool read_data(FILE *file, struct npy *array, char *message) {
    const size_t bytes = array->count * clp_type_size(array->type);
    if (!check_file_size(file, bytes, message))
        return false;
    array->data = malloc(bytes > 0 ? bytes : 1);
    if (array->data == NULL) {
        snprintf(message, NPY_MESSAGE_SIZE, "out of memory for %zu bytes", bytes);
        return false;
    }
    if (fread(array->data, 1, bytes, file) == bytes)
        return true;
    npy_free(array);
    return ferror(file) ? fail_system(message, "cannot read") : fail(message, "truncated in its data");
}

static bool read_file(const char *path, struct npy *array, char *message) {
    FILE *file;
    bool good;
    if (!machine_is_little_endian())
        return fail(message, "reading .npy files needs a little-endian machine");
    file = fopen(path, "rb");
    if (file == NULL)
        return fail_system(message, "cannot open");
    good = read_header(file, array, message) && read_data(file, array, message);
    fclose(file);
    return good;
}

bool npy_read(const char *path, struct npy *array, char *message) {
    *array = (struct npy){0};
    return read_file(path, array, message);
}

bool npy_read_flags(const char *path, struct npy *array, char *message) {
    *array = (struct npy){.takes_booleans = true};
    return read_file(path, array, message);
}

bool npy_write(const char *path, const struct npy *array, char *message) {
    const char *descr = npy_descr(array->type);
    const size_t bytes = array->count * clp_type_size(array->type);
    char text[1024];
    unsigned char start[10];
    size_t length = 0;
    struct output output;
    bool good;
    if (descr == NULL || !machine_is_little_endian())
        return fail(message, "a .npy file cannot hold this type");
    length +=
        (size_t)snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (", descr);
    for (size_t i = 0; i < array->dimension_count; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%zu%s", i > 0 ? ", " : "",
                                   array->shape[i], array->dimension_count == 1 ? "," : "");
    length += (size_t)snprintf(text + length, sizeof text - length, "), }");
    while ((sizeof start + length + 1) % 64 != 0)
        text[length++] = ' '; /* the data begin at a multiple of 64 bytes, as NumPy does it */
    text[length++] = '\n';
    memcpy(start, magic, sizeof magic);
    start[6] = 1;
    start[7] = 0;
    start[8] = (unsigned char)(length & 255);
    start[9] = (unsigned char)(length >> 8);

    if (!output_open(&output, path))
        return fail_system(message, "cannot write");
    good = fwrite(start, 1, sizeof start, output.file) == sizeof start &&
           fwrite(text, 1, length, output.file) == length &&
           fwrite(array->data, 1, bytes, output.file) == bytes;
    return output_close(&output, good) || fail_system(message, "cannot write");
}

void npy_free(struct npy *array) {
    free(array->data);
    array->data = NULL;
}

/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file npy.h Arrays in NumPy's .npy files, formats 1.0, 2.0 and 3.0.
 *
 * The format is NumPy's own: numpy.org/doc/stable/reference/generated/numpy.lib.format.html. Read are
 * little-endian integers and floats in C order (Fortran order too if at most one dimension is longer
 * than 1, where both orders are the same). Everything else is refused with a message that says what it is.
 */
#ifndef NPY_H
#define NPY_H

#include <clpatterns/types.h>
#include <stdbool.h>

enum { NPY_MAX_DIMENSIONS = 32, NPY_MESSAGE_SIZE = 256 };

struct npy {
    clp_type type;
    size_t dimension_count; /**< 0: a single value */
    size_t shape[NPY_MAX_DIMENSIONS];
    size_t count;        /**< elements: the product of the shape */
    void *data;          /**< count elements; never NULL after success */
    bool takes_booleans; /**< for the reader */
};

/**
 * Reads a whole file. Free with npy_free().
 * @param message receives what is wrong (without the file's name), NPY_MESSAGE_SIZE bytes
 */
bool npy_read(const char *path, struct npy *array, char *message);

/** The same for flags: Booleans too, as u8. */
bool npy_read_flags(const char *path, struct npy *array, char *message);

/** Writes a file of format 1.0, as struct output does. @return false with a message */
bool npy_write(const char *path, const struct npy *array, char *message);

/** Frees the data of npy_read(). */
void npy_free(struct npy *array);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/** @file run.h What `run` shares among patterns: options and arrays. */
#ifndef RUN_H
#define RUN_H

#include "npy.h"
#include "program.h"

/** The type of a name, but no user type. @return false after a message that names the option */
bool run_take_type(const char *option, const char *text, clp_type *type);

/** Is an array what --segments takes? @return false after a message */
bool run_check_offsets(const char *path, const struct npy *offsets);

/** Copies an array to the device, unless it is empty or was not read. */
cl_int run_upload(clp_context *context, const struct npy *array, cl_mem *mem);

/** @return false after a message if a buffer of so many bytes is more than the device has */
bool run_fits_bytes(clp_context *context, const char *path, const char *what, size_t bytes);

/** The same for an array, which may not have been read. */
bool run_fits_device(clp_context *context, const char *path, const struct npy *array);

/** Releases what a run had: buffers (NULL: not made), the context, arrays. */
void run_release(clp_context *context, cl_mem *buffers, int buffer_count, struct npy *arrays,
                 int array_count);

/** Writes so many elements of a buffer as an array of one dimension. @return false after a message */
bool run_write(clp_context *context, const char *path, clp_type type, cl_mem mem, size_t count);

#endif

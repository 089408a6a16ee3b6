/* SPDX-License-Identifier: Apache-2.0 */
/** @file upload.h Arrays of files on the device. */
#ifndef UPLOAD_H
#define UPLOAD_H

#include "npy.h"

#include <clpatterns/clpatterns.h>

/** Copies the elements to the device; *mem stays as it is if there are none. */
cl_int upload(clp_context *context, const struct npy *array, cl_mem *mem);

/** Whether so many bytes fit a buffer of the device. @return false after a message about the file */
bool upload_fits(clp_context *context, const char *path, size_t bytes);

#endif

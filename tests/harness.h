/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file harness.h What the test programs of all patterns share: contexts, buffers between guard words,
 * one entry point for Check.
 *
 * Environment, set by tests/CMakeLists.txt for each device:
 *   CLPATTERNS_DEVICE   the device; without one that matches, the test fails
 *   CLP_TEST_MAX_N      largest number of elements to use (default 2^25)
 *   CLP_TEST_THIN       run every k-th configuration of a matrix only (default 1: all)
 *   CLP_TEST_SHAPE      simt or simd: that shape only (default: both)
 *   CLP_TEST_OPTIONS    options for the programs that tests build themselves
 *   CLP_TEST_KERNELS    folder of kernel sources to use instead of the library's own
 *   CLP_TEST_REPEATS    how often check_stress repeats a call (default 10)
 *   CLP_TEST_FULL       1: the full product of a matrix, not a pairwise covering
 */
#ifndef CLP_HARNESS_H
#define CLP_HARNESS_H

#ifndef CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS /* clCreateCommandQueue */
#endif
#include <check.h>
#include <clpatterns/clpatterns.h>
#include <stdbool.h>
#include <stdio.h>

/** Fails the test with a message unless the condition holds. Check's own assertions each write to a file. */
#define must(condition, ...)                                                                                 \
    do {                                                                                                     \
        if (!(condition))                                                                                    \
            ck_abort_msg(__VA_ARGS__);                                                                       \
    } while (0)

/** Fails the test with the status' name and detail unless the call gives the wanted status. */
#define expect(call, wanted)                                                                                 \
    do {                                                                                                     \
        const clp_status expect_got = (call);                                                                \
        must(expect_got == (wanted), "%s: %s, not %s (%s)", #call, clp_status_name(expect_got),              \
             clp_status_name(wanted), clp_last_detail());                                                    \
    } while (0)
#define ok(call) expect(call, CLP_SUCCESS)

/** Fails the test unless an OpenCL call gives CL_SUCCESS. */
#define ok_cl(call)                                                                                          \
    do {                                                                                                     \
        const cl_int ok_got = (call);                                                                        \
        must(ok_got == CL_SUCCESS, "%s: %d (%s)", #call, (int)ok_got, clp_status_name(ok_got));              \
    } while (0)

/** Numbers of the environment variables above. */
size_t test_max_n(void);
size_t test_thin(void);
bool test_full(void);
bool test_shape(clp_shape shape); /**< is this shape to be tested? */

/** Picks a device as the environment says; the test fails if that fails. */
clp_context *test_context(clp_shape shape, clp_subgroups subgroups, size_t work_group_size);

/** A read-only buffer with a copy of size bytes; size 0 gives NULL. */
cl_mem test_input(clp_context *context, const void *data, size_t size);

/** A write-only buffer of size bytes, all of them the guard byte. */
cl_mem test_output(clp_context *context, size_t size);

/** Reads size bytes from byte offset on, blocking. */
void test_read(cl_command_queue queue, cl_mem mem, size_t offset, size_t size, void *to);

/** Writes guard bytes over the whole buffer of size bytes. */
void test_guard(cl_command_queue queue, cl_mem mem, size_t size);

/** Are all bytes of the buffer but [begin, end) guard bytes? */
bool test_guarded(cl_command_queue queue, cl_mem mem, size_t size, size_t begin, size_t end);

/** Runs a suite without forking (a context made before a fork hangs PoCL). Returns main()'s value. */
int test_main(Suite *suite);

/** Makes a folder of kernels in which one publication of values in three is lost (cl/scan_board.cl). */
void test_lossy_kernels(const char *kernels_folder, const char *folder);

/** A queue without order, or with it where the device has no other (rusticl). Release it. */
cl_command_queue test_unordered_queue(clp_context *context);

#endif

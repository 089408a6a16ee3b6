/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file status.h What a call says of itself.
 *
 * A status is 0, one of OpenCL's own (negative) codes passed through unchanged, or one of the codes
 * below. The values below never move; new ones take new numbers from −20000 … −20999, which no Khronos
 * extension and no neighbouring library uses.
 */
#ifndef CLPATTERNS_STATUS_H
#define CLPATTERNS_STATUS_H

#include <clpatterns/export.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef int32_t clp_status;

enum {
    CLP_SUCCESS = 0,
    CLP_INVALID_ARGUMENT = -20000, /**< a NULL that must not be, a reserved field not zero, a bad list */
    CLP_INVALID_TYPE = -20001,     /**< element or result type is 0 or no type at all */
    CLP_INVALID_OPERATOR = -20002, /**< operator is 0 or no operator at all */
    CLP_INVALID_MODE = -20003,     /**< mode, schedule, shape or back-end is no such value */
    CLP_INVALID_BUFFER = -20004, /**< buffer missing, of another context, not a buffer, or flags forbid it */
    CLP_OUT_OF_RANGE = -20005,   /**< offset + count goes past the end of a buffer, or overflows */
    CLP_OVERLAP = -20006,        /**< ranges overlap that must not (seen through sub-buffers) */
    CLP_WORKSPACE_TOO_SMALL = -20007, /**< the caller's workspace is smaller than the plan says */
    CLP_MISALIGNED = -20008,          /**< the caller's workspace is not aligned to CLP_WORKSPACE_ALIGNMENT */
    CLP_UNSUPPORTED = -20009,         /**< this combination of type, operator and mode does not exist */
    CLP_DEVICE_UNSUPPORTED = -20010,  /**< it exists, but this device lacks what it needs (f64, say) */
    CLP_DEVICE_NOT_FOUND = -20011,    /**< no device at all, or none that matches an explicit request */
    CLP_INVALID_SELECTION = -20012,   /**< a device, shape or size request that cannot be read */
    CLP_INVALID_QUEUE = -20013,       /**< queue missing, of another context or device, or on the device */
    CLP_SOURCE_NOT_FOUND = -20014,    /**< a file of the folder of kernel sources cannot be read */
    CLP_SELF_TEST_FAILED = -20015,    /**< a sub-group back-end that was asked for gives wrong answers here */
    CLP_INTERNAL = -20016             /**< a fault in this library; please report it */
};

/**
 * The name of a status as it is written in C: "CLP_OVERLAP", "CL_OUT_OF_RESOURCES", "CLP_SUCCESS".
 * Static, never NULL; "unknown status" for a number that is neither.
 */
CLP_API const char *clp_status_name(clp_status status);

/** One sentence that says what a status means. Static, never NULL. */
CLP_API const char *clp_status_message(clp_status status);

/**
 * What exactly was wrong with this thread's last failed call: which argument, which numbers.
 * Owned by the library, never NULL, empty before the first failure; valid until this thread's next
 * call. Read it right after the failure: a later call that succeeds may replace it with what went wrong on
 * its way (a device that was passed over, say).
 */
CLP_API const char *clp_last_detail(void);

/**
 * The OpenCL compiler's log of this thread's last failed build, "" when none failed.
 * Owned by the library; valid until this thread's next failed build or its end.
 */
CLP_API const char *clp_last_build_log(void);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file context.h One device, with its compiled kernels, its limits and its scratch memory.
 *
 * Threads: different contexts are independent; one context may be used by several threads at once,
 * save that clp_context_destroy() must be the last call. No OpenCL object outlives its context, and
 * none is kept in a global.
 */
#ifndef CLPATTERNS_CONTEXT_H
#define CLPATTERNS_CONTEXT_H

#include <clpatterns/status.h>
#include <clpatterns/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct clp_context clp_context;

/**
 * How a pattern is laid on the device. It never changes a bit of a result.
 * By default GPUs and accelerators get SIMT, CPUs get SIMD.
 */
typedef enum clp_shape {
    CLP_SHAPE_DEFAULT = 0,
    CLP_SHAPE_SIMT = 1, /**< lanes are work-items */
    CLP_SHAPE_SIMD = 2  /**< one work-item owns a tile; lanes are vector elements */
} clp_shape;

/**
 * How lanes of the SIMT shape exchange values. It never changes a bit of a result. All but local memory need
 * sub-groups, and a work-group, that hold whole runs of 32 work-items: a kernel that does not get them uses
 * local memory, and its plan says so.
 */
typedef enum clp_subgroups {
    CLP_SUBGROUPS_DEFAULT = 0, /**< the first of nvidia, khr, intel, amd that the device has and that passes
                                  its self-test there; else local memory */
    CLP_SUBGROUPS_LOCAL = 1,   /**< local memory: works everywhere */
    CLP_SUBGROUPS_NVIDIA = 2,  /**< inline PTX shuffles (NVIDIA's OpenCL has no sub-group extension) */
    CLP_SUBGROUPS_KHR = 3,     /**< cl_khr_subgroup_shuffle_relative or cl_khr_subgroup_shuffle */
    CLP_SUBGROUPS_INTEL = 4,   /**< cl_intel_subgroups */
    CLP_SUBGROUPS_AMD = 5      /**< ds_bpermute, a built-in of AMD's compiler; wavefronts of 32 or 64 */
} clp_subgroups;

/** "local", "nvidia", "khr", "intel", "amd", as CLPATTERNS_SUBGROUPS takes them; "default" for anything else.
 */
CLP_API const char *clp_subgroups_name(clp_subgroups subgroups);

/** The back-end of such a name, CLP_SUBGROUPS_DEFAULT for any other text or NULL. */
CLP_API clp_subgroups clp_subgroups_from_name(const char *name);

/**
 * How a pattern is spread over launches. It never changes a bit of a result.
 *
 * W are applications of a scan's operator to n elements, S the longest chain of them (about, identities
 * count); of a reduction W is n and S 38 for each level, whatever the schedule.
 */
typedef enum clp_schedule {
    CLP_SCHEDULE_DEFAULT = 0,
    /** One launch for each level of the tree: works everywhere. W = 7.6 n, for totals are made before the
     * scan; S = 37, and one for each 2^22 elements. */
    CLP_SCHEDULE_LEVELS = 1,
    /** One launch; who finishes a level last does the next. Nobody waits. Needs device-scope acquire and
     * release. No scans. */
    CLP_SCHEDULE_FUSED = 2,
    /** One launch of one work-group: for few elements; works everywhere. W = 6.4 n, S = 27 for each 4096
     * elements. */
    CLP_SCHEDULE_SINGLE = 3,
    /** Scans: one launch in which work-groups wait, for a bounded time, for earlier ones. Needs a device that
     * keeps started work-groups running. W = 6.4 n, S as levels. */
    CLP_SCHEDULE_ONE_PASS = 4,
    /** Scans of rows of 4096 elements at most, a work-group each, by Hillis and Steele's steps: W = 6.3 n,
     * S = 12, and one for each 512 elements. */
    CLP_SCHEDULE_HILLIS_STEELE = 5,
    /** The same by Blelloch's up- and down-sweep: W = 2 n (3 n if inclusive), S = 2 log2 n + 1. Integers,
     * minima and maxima only. */
    CLP_SCHEDULE_BLELLOCH = 6
} clp_schedule;

/** What a log message is about. */
typedef enum clp_log_level { CLP_LOG_ERROR = 1, CLP_LOG_WARNING = 2, CLP_LOG_INFO = 3 } clp_log_level;

/**
 * Receives one message; a failed build's log, of many lines, is one. May be called from any thread that
 * calls the library, must not call it back.
 */
typedef void (*clp_log_fn)(void *cookie, clp_log_level level, const char *message);

/** Choices for a new context. All zero (or a NULL pointer) means the sensible default of each. */
typedef struct clp_options {
    const char *device;      /**< which device to pick, see clp_context_pick(); unused when adopting */
    clp_shape shape;         /**< overrides CLPATTERNS_SHAPE */
    clp_subgroups subgroups; /**< overrides CLPATTERNS_SUBGROUPS. Of no use, and not checked, in the SIMD
                                  shape; in the SIMT shape calls fail if the device lacks it
                                  (CLP_DEVICE_UNSUPPORTED) or it fails its self-test (CLP_SELF_TEST_FAILED) */
    size_t work_group_size; /**< overrides CLPATTERNS_WORK_GROUP_SIZE; shrinks to what a kernel allows, and to
                                  256 in the SIMD shape */
    const char *source_dir; /**< read kernels from this folder, not from the library (for kernel hacking) */
    clp_log_fn log;         /**< NULL: silent. The library never prints */
    void *log_cookie;       /**< handed to log */
    uint32_t reserved[8];   /**< must be zero */
} clp_options;

/**
 * Picks a device and makes a context with an in-order queue on it. (Profiling is off: it costs up to 8 µs a
 * launch. Make a queue of your own on clp_context_cl() to profile.)
 *
 * The request is options->device if not NULL, else the environment variable CLPATTERNS_DEVICE if set
 * and not empty. It is one of
 *   - `platform:device`, two indices in the order that `clpatterns info` lists, for example `0:1`;
 *   - a type: `gpu`, `cpu` or `accelerator`: the first device of that type;
 *   - any other text: the first device whose name or platform name contains it, upper and lower case alike.
 * Without a request: the first GPU, then the first accelerator, then the first CPU, then any device.
 *
 * @param options may be NULL
 * @param context receives the context, NULL on failure; free it with clp_context_destroy()
 * @return CLP_DEVICE_NOT_FOUND if nothing matches (an explicit request never falls back),
 *   CLP_INVALID_SELECTION for a request that cannot be read (an environment variable's too),
 *   CLP_INVALID_MODE, CLP_INVALID_ARGUMENT, or what OpenCL said.
 */
CLP_API clp_status clp_context_pick(const clp_options *options, clp_context **context);

/**
 * Wraps the caller's OpenCL context and one of its devices. The context, and with it the device, is
 * retained until clp_context_destroy(). There is no queue of our own: pass yours to each call.
 *
 * @return as clp_context_pick(); CLP_INVALID_ARGUMENT if the device is not one of the context's.
 */
CLP_API clp_status clp_context_adopt(cl_context cl, cl_device_id device, const clp_options *options,
                                     clp_context **context);

/**
 * Frees the context and all that it made. Commands already enqueued complete normally: OpenCL keeps
 * what they use. NULL is allowed. The caller's buffers and queues are untouched.
 */
CLP_API void clp_context_destroy(clp_context *context);

/** The OpenCL context, device and (picked contexts only, else NULL) queue. Not retained for the caller. */
CLP_API cl_context clp_context_cl(const clp_context *context);
CLP_API cl_device_id clp_context_device(const clp_context *context);
CLP_API cl_command_queue clp_context_queue(const clp_context *context);

/** What a context knows of its device and has chosen for it. Strings and struct live as long as the context.
 */
typedef struct clp_device_info {
    const char *platform;       /**< CL_PLATFORM_NAME */
    const char *name;           /**< CL_DEVICE_NAME */
    const char *vendor;         /**< CL_DEVICE_VENDOR */
    const char *version;        /**< CL_DEVICE_VERSION */
    const char *driver;         /**< CL_DRIVER_VERSION */
    const char *notes;          /**< what is missing or quirky and why; one line each, "" if nothing */
    cl_device_type type;        /**< CL_DEVICE_TYPE */
    uint32_t compute_units;     /**< CL_DEVICE_MAX_COMPUTE_UNITS */
    uint64_t local_memory;      /**< bytes a work-group may use */
    uint64_t global_memory;     /**< bytes of the device */
    uint64_t max_allocation;    /**< bytes of the largest buffer */
    size_t max_work_group_size; /**< the device's limit */
    size_t work_group_size;     /**< chosen; a kernel may get less if its own limit is lower */
    clp_shape shape;            /**< chosen */
    clp_subgroups subgroups;    /**< chosen, after the self-test */
    int has_f64;                /**< doubles work */
    int has_f16;                /**< half arithmetic works (storage needs nothing) */
    int keeps_denormals_f32;    /**< 0: denormal floats are flushed, so results with them can differ */
    int has_device_fence;       /**< acquire and release between work-groups: CLP_SCHEDULE_FUSED works */
} clp_device_info;

/**
 * What was picked and chosen. The first call for a device may build and run the self-test of its
 * sub-group back-end; the verdict is remembered for the process. NULL only for a NULL context.
 */
CLP_API const clp_device_info *clp_context_info(clp_context *context);

/** What a call with these arguments would do, without doing it. */
typedef struct clp_plan {
    size_t workspace_size;   /**< bytes of scratch memory; 0: none is needed */
    clp_schedule schedule;   /**< which schedule runs */
    uint32_t launches;       /**< how many kernels it enqueues */
    size_t work_group_size;  /**< of each of them */
    clp_shape shape;         /**< execution shape */
    clp_subgroups subgroups; /**< how lanes exchange */
    uint32_t reserved[8];    /**< zero */
} clp_plan;

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/** @file internal.h What the host files share. Nothing here is exported. */
#ifndef CLP_INTERNAL_H
#define CLP_INTERNAL_H

#include <clpatterns/clpatterns.h>
#include <pthread.h>
#include <stdbool.h>

#if defined(__GNUC__)
#define CLP_PRINTF(at, first) __attribute__((format(printf, at, first)))
#else
#define CLP_PRINTF(at, first)
#endif

/* ---- status.c --------------------------------------------------------------------------------- */

/** Records the detail of this thread's failure and returns the status, so that one can `return clp_fail(…)`.
 */
clp_status clp_fail(clp_status status, const char *format, ...) CLP_PRINTF(2, 3);

/** The same for an OpenCL call: passes its code through. */
clp_status clp_fail_cl(cl_int code, const char *call);

#ifdef __clang_analyzer__ /* it cannot see that the status comes back unchanged */
#define clp_fail(status, ...)   ((void)clp_fail(status, __VA_ARGS__), (clp_status)(status))
#define clp_fail_cl(code, call) ((void)clp_fail_cl(code, call), (clp_status)(code))
#endif

/** Keeps a copy of a build log for clp_last_build_log(). Takes ownership of log (malloc), which may be NULL.
 */
void clp_set_build_log(char *log);

/* ---- types.c ---------------------------------------------------------------------------------- */

/** The nearest f16, ties to even, as bits; every NaN is 7e00. */
cl_ushort clp_float_to_half(cl_float value);

/** The nearest bf16, ties to even, as bits; every NaN is 7fc0. */
cl_ushort clp_float_to_bfloat(cl_float value);

/* ---- quirks.c, tuning.c --------------------------------------------------------------------------- */

/** What a quirk switches on. */
enum {
    CLP_QUIRK_IGNORE_DEVICE = 1, /**< never picked by default, only by an explicit request */
    CLP_QUIRK_NO_WG_HINT = 2,    /**< do not tell the compiler the work-group size */
    CLP_QUIRK_NO_OPTIMIZER = 4,  /**< build without optimization */
    CLP_QUIRK_NO_ONE_PASS = 8,   /**< no kernels in which work-groups wait for each other */
    CLP_QUIRK_NO_SIMT_PASS = 16  /**< the same, of the simt shape */
};

/** Flags of all rows that match the device; their reasons go to notes, a line each (size bytes at most). */
unsigned clp_quirks_of(const clp_device_info *info, char *notes, size_t size);

/** Sizes that follow the device and never change a bit. */
struct clp_tuning {
    size_t work_group_size;  /**< of the context's shape */
    uint32_t team_bytes;     /**< input a team takes at a time, at most */
    uint32_t teams_per_unit; /**< at least this many teams for each compute unit before chunks grow */
    bool scan_one_pass;      /**< scan's schedule for large arrays is "one pass", where the device can */
};

/** Formula from the limits in info, overridden by a matching row. */
struct clp_tuning clp_tuning_of(const clp_device_info *info);

/* ---- device.c ------------------------------------------------------------------------------------- */

/** Finds the device of a request (see clp_context_pick()); NULL or "": the default order. */
clp_status clp_device_find(const char *request, cl_device_id *device);

/**
 * Reads limits and features. text: where the strings of info and *extensions are kept; *text must be
 * freed by the caller.
 */
clp_status clp_device_describe(cl_device_id device, clp_device_info *info, char **text,
                               const char **extensions);

/** How work-groups see each other's writes; values are those of CLP_DEVICE_FENCE in cl/team.cl. */
enum clp_fence { CLP_FENCE_NONE = 0, CLP_FENCE_C11 = 1, CLP_FENCE_NVIDIA = 2 };

/** Which fence the device has, and the -cl-std= option that its kernels need. */
clp_status clp_device_fence(cl_device_id device, const clp_device_info *info, bool nvidia,
                            enum clp_fence *fence, const char **standard);

/** Is the device one of NVIDIA's with warps of 32 and shfl.sync (compute capability 7.0 or newer)? */
clp_status clp_device_nvidia(cl_device_id device, const char *extensions, bool *nvidia);

/** OpenCL version of the device as major × 100 + minor; 100 if it cannot be read. */
unsigned clp_device_version(const clp_device_info *info);

/** Reads one property of the device; name: for the detail of a failure. */
clp_status clp_device_get(cl_device_id device, cl_device_info param, const char *name, size_t size,
                          void *value);

/** Is word one of words, which are separated by spaces? */
bool clp_has_word(const char *words, const char *word);

/** Index of text among the n names, upper and lower case alike; −1 if it is none. */
int clp_name_index(const char *text, const char *const *names, int n);

/* ---- subgroups.c ---------------------------------------------------------------------------------- */

enum { CLP_NUM_SUBGROUPS = CLP_SUBGROUPS_AMD + 1 };

/** clGetKernelSubGroupInfo() or its KHR form. */
typedef cl_int(CL_API_CALL *clp_subgroup_info_fn)(cl_kernel, cl_device_id, cl_kernel_sub_group_info, size_t,
                                                  const void *, size_t, void *, size_t *);

/** What a device has for exchange between work-items, by feature query. */
struct clp_subgroup_features {
    bool has[CLP_NUM_SUBGROUPS]; /**< by clp_subgroups */
    bool can_demand;             /**< kernels can demand the sub-group size of a run */
    clp_subgroup_info_fn info;   /**< NULL: the sizes of built kernels cannot be asked */
};

/** Names of clp_subgroups, as CLPATTERNS_SUBGROUPS takes them. */
extern const char *const clp_subgroups_names[CLP_NUM_SUBGROUPS];

/** Finds the features. nvidia: as clp_device_nvidia() says. */
clp_status clp_subgroups_query(cl_device_id device, const clp_device_info *info, const char *extensions,
                               bool nvidia, struct clp_subgroup_features *features);

/** Can the back-end work at this work-group size? (Its preconditions that need no built kernel.) */
bool clp_subgroups_allow(clp_subgroups subgroups, size_t work_group_size);

/** Does the built kernel get sub-groups that the back-end can use at this work-group size? */
clp_status clp_subgroups_fit(const clp_context *context, clp_subgroups subgroups, cl_kernel kernel,
                             size_t work_group_size, bool *fits);

/** CLP_REQD_SUBGROUP: the sub-group size that kernels demand of the compiler, 0 for none. */
unsigned clp_subgroups_demand(const clp_context *context, clp_subgroups subgroups);

/** The -cl-std= option for kernels with this back-end and the context's fence. */
const char *clp_subgroups_standard(const clp_context *context, clp_subgroups subgroups);

/* ---- context.c ------------------------------------------------------------------------------------ */

struct clp_context {
    cl_context cl;
    cl_device_id device;
    cl_command_queue queue; /**< NULL if adopted */
    clp_device_info info;
    char *text; /**< the strings of info */
    struct clp_subgroup_features features;
    char notes[1024];
    enum clp_fence fence;
    bool keeps_running;    /**< a work-group that was started goes on whatever others wait for */
    bool limits_registers; /**< cl_nv_compiler_options */
    bool has_atomics64;    /**< cl_khr_int64_base_atomics and cl_khr_int64_extended_atomics */
    const char *standard;  /**< -cl-std=…, "" for the default */
    unsigned quirks;
    struct clp_tuning tuning;
    clp_subgroups wanted_subgroups; /**< as asked for; CLP_SUBGROUPS_DEFAULT: the best */
    clp_status subgroups_status;    /**< of the self-test of an explicit request */
    bool subgroups_known;           /**< info.subgroups is final; guarded by subgroups_lock */
    pthread_mutex_t subgroups_lock;
    char *source_dir; /**< NULL: embedded sources */
    clp_log_fn log;
    void *log_cookie;

    pthread_mutex_t lock;         /**< guards the two lists below */
    pthread_cond_t built;         /**< a variant left the state "building" */
    struct clp_variant *variants; /**< program.c */
    struct clp_block *blocks;     /**< workspace.c */
};

/** Sends a line to the context's log, if there is one. */
void clp_log(const clp_context *context, clp_log_level level, const char *format, ...) CLP_PRINTF(3, 4);

/** Adds a line to the notes, before info is handed out. */
void clp_note(clp_context *context, const char *format, ...) CLP_PRINTF(2, 3);

/* ---- selftest.c ------------------------------------------------------------------------------------- */

/** Settles info.subgroups, once. Fails if an explicit request cannot be met. */
clp_status clp_subgroups_settle(clp_context *context);

/* ---- program.c -------------------------------------------------------------------------------------- */

enum { CLP_MAX_KERNELS = 6 };

/** A program built for one pattern × types × operator. */
struct clp_variant;

/** What tells variants of one context apart, and how to build one. */
struct clp_variant_key {
    const char *stem;                     /**< "reduce": cl/reduce.cl */
    const char *kernels[CLP_MAX_KERNELS]; /**< names of its kernels; the rest NULL */
    char defines[1536];                   /**< macros in front, apart from those of prelude.cl */
    /** Writes the macros that follow from the work-group size and back-end; NULL if there are none. */
    void (*size_defines)(const clp_context *context, const struct clp_variant_key *key,
                         size_t work_group_size, clp_subgroups subgroups, char *text, size_t size);
    uint32_t id;             /**< for clp_variant_find(); 0: none */
    const clp_user *asked;   /**< likewise: what `user` is made of, or NULL; copied */
    size_t work_group_size;  /**< 0: the context's */
    const void *pattern;     /**< for size_defines; not part of the key, not kept */
    const char *user;        /**< text in place of user.cl, or NULL; copied */
    clp_subgroups subgroups; /**< back-end to build for; local memory instead where its preconditions fail */
    unsigned
        max_registers; /**< of a work-item, 0: the compiler's choice; where it takes such advice (NVIDIA) */
    bool self_test;    /**< then CLP_DEVICE_UNSUPPORTED; and launched at several work-group sizes */
};

/** User text that outlives the call it came with. One block: free() frees it. */
struct clp_user_kept {
    clp_user asked;   /**< without the identity */
    const char *text; /**< what clp_user_text() made of it, or NULL */
};

/** Copies both, of which each may be NULL; NULL if there is no memory. */
struct clp_user_kept *clp_user_keep(const clp_user *user, const char *text);

/** Do both make the same programs, the rest being equal? NULL is as all zero. */
bool clp_user_same(const clp_user *a, const clp_user *b);

/** A kernel object that is lent to one call at a time, so that no two set its arguments at once. */
struct clp_kernel {
    cl_kernel cl;
    int index; /**< in key.kernels */
    struct clp_kernel *next;
};

/**
 * The built variant of a stem that was asked for with this id and user text, or NULL. Writing a key's text
 * costs more than a launch: patterns ask by a number first, which tells their descriptions apart but for user
 * text.
 */
struct clp_variant *clp_variant_find(clp_context *context, const char *stem, uint32_t id,
                                     const clp_user *asked);

/** Finds the variant or builds it. Other threads that want the same one wait, others do not. */
clp_status clp_variant_get(clp_context *context, const struct clp_variant_key *key,
                           struct clp_variant **variant);

/** Work-items of a work-group, after shrinking to what the built kernels allow. */
size_t clp_variant_work_group_size(const struct clp_variant *variant);

/** Back-end that the variant was built for. */
clp_subgroups clp_variant_subgroups(const struct clp_variant *variant);

/** Lends a kernel object that nobody else sets arguments of. */
clp_status clp_kernel_take(clp_context *context, struct clp_variant *variant, int index,
                           struct clp_kernel **kernel);

/** Gives it back; its arguments may be anything. */
void clp_kernel_give(clp_context *context, struct clp_variant *variant, struct clp_kernel *kernel);

/** Frees all variants. */
void clp_variants_free(clp_context *context);

/* ---- workspace.c ------------------------------------------------------------------------------------ */

/** Counters of a block: 32-bit words, all 0 between calls. */
enum { CLP_STATE_WORDS = 4096 };

/** Scratch memory of the pool, leased to one call. */
struct clp_block {
    cl_mem scratch; /**< NULL if size is 0 */
    size_t size;
    cl_mem state;
    cl_mem words; /**< published values, see clp_block_words(); NULL if no call needed any */
    size_t word_count;
    cl_uint epoch; /**< of the last call that published */
    bool leased;
    bool used;              /**< commands may still use it: those of the last call, told by the next three */
    cl_command_queue queue; /**< compared, never used */
    bool in_order;
    cl_event last; /**< NULL if the queue is in-order */
    struct clp_block *next;
};

/** Leases a block of at least size bytes that the next command on the queue may use at once. */
clp_status clp_block_lease(clp_context *context, cl_command_queue queue, bool in_order, size_t size,
                           struct clp_block **block);

/** Gives a block back. used: commands were enqueued; last: the last one's event (out-of-order), taken over.
 */
void clp_block_return(clp_context *context, struct clp_block *block, cl_command_queue queue, bool in_order,
                      bool used, cl_event last);

/**
 * Words of 64 bits whose upper halves no call before had: block->words, at least count of them. The call
 * tells its own by block->epoch, so that they need no clearing. The block is leased.
 */
clp_status clp_block_words(clp_context *context, struct clp_block *block, size_t count);

/** Frees all blocks. */
void clp_blocks_free(clp_context *context);

/* ---- call.c ------------------------------------------------------------------------------------------- */

/** Access that a range is checked for. */
enum clp_access { CLP_READ = 1, CLP_WRITE = 2 };

/** Bytes begin … end − 1 of a root buffer (never a sub-buffer). root NULL: an empty range. */
struct clp_range {
    cl_mem root;
    size_t begin, end;
    const char *name;
};

/** One call of a pattern: its queue, its wait list, the chain of its launches, its scratch memory. */
struct clp_call {
    clp_context *context;
    cl_command_queue queue;
    bool in_order;
    cl_uint num_waits;
    const cl_event *waits;
    bool want_event; /**< the caller wants one */
    bool launched;   /**< something was enqueued */
    cl_event last;   /**< of the last launch, where an event is needed; NULL otherwise */
    struct clp_block *block;
    cl_mem scratch;       /**< the caller's or the block's; NULL if none is needed */
    size_t scratch_begin; /**< bytes */
};

/** Checks context, queue and wait list and begins a call. *event is set to NULL if event is not. */
clp_status clp_call_begin(struct clp_call *call, clp_context *context, cl_command_queue queue,
                          cl_uint num_waits, const cl_event *waits, cl_event *event);

/** Checks count elements from buffer.offset on; fills range. */
clp_status clp_check_range(const clp_context *context, clp_buffer buffer, size_t element_size, size_t count,
                           int access, const char *name, struct clp_range *range);

/** CLP_OVERLAP if the two ranges share a byte. */
clp_status clp_check_disjoint(const struct clp_range *a, const struct clp_range *b);

/** Are all reserved words zero? */
bool clp_reserved_zero(const uint32_t reserved[8]);

/** Gets size bytes of scratch: the caller's, checked against the other ranges, or the pool's; and a state
 * block. */
clp_status clp_call_scratch(struct clp_call *call, const clp_workspace *workspace, size_t size,
                            const struct clp_range *others, int num_others);

/** Where the call's scratch memory begins, in units of size bytes. */
size_t clp_call_scratch_offset(const struct clp_call *call, size_t size);

/** A kernel argument. */
struct clp_arg {
    size_t size;
    const void *value;
};

/** Enqueues one kernel after what the call already enqueued. final: it is the call's last one. */
clp_status clp_call_launch(struct clp_call *call, struct clp_variant *variant, int kernel,
                           const struct clp_arg *args, int num_args, size_t groups, bool final);

/** Ends a call, well or not: gives back what it leased, hands the last event out. Returns status. */
clp_status clp_call_end(struct clp_call *call, clp_status status, cl_event *event);

/* ---- pass.c: one pass in the simt shape, see cl/pass.cl ---- */

enum { CLP_PASS_TILE = 4096 };

/** Can the device run kernels that need sub-groups and that started work-groups keep running? */
clp_status clp_pass_can(clp_context *context, bool *can);

/** A key of such a kernel, but its defines. */
void clp_pass_key(const clp_context *context, const char *stem, const char *kernel,
                  struct clp_variant_key *key);

/** What clp_pass_can() asks for, for messages. */
#define CLP_PASS_NEEDS                                                                                       \
    "one pass needs the simt shape, sub-groups, work-groups of 256 and a device that is known to keep "      \
    "started work-groups running"

/** @return work-groups for so many tiles: as many as may run at once, and one that may be the spine */
size_t clp_pass_groups(const clp_context *context, size_t tiles);

/** @return values that so many tiles publish */
size_t clp_pass_words(size_t tiles);

#endif

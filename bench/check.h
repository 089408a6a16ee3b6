/* SPDX-License-Identifier: Apache-2.0 */
/** @file check.h The parts of `clpatterns check`: classes of data, variants, and the comparison. */
#ifndef CHECK_H
#define CHECK_H

#include "patterns.h"
#include "reference.h"

/** Classes of data. Every device does the small one; each class has its own digest. */
enum check_class_name {
    CHECK_SMALL,     /**< sizes around every edge up to 2^16 + 1 */
    CHECK_DENORMALS, /**< the same sizes of denormal floats: not for devices that flush them */
    CHECK_LARGE,     /**< some millions of elements */
    CHECK_CLASS_COUNT
};

struct check_class {
    const char *name;
    const size_t *sizes;
    size_t size_count;
    const ref_set *sets;
    size_t set_count;
    size_t copies; /**< the data lie at this many different element offsets, the last ones of 0, 1, 2, 3 */
};

extern const struct check_class check_classes[CHECK_CLASS_COUNT];

/** Whether a class says anything about a case: denormals are for floats. */
bool check_class_applies(enum check_class_name name, const struct pattern_case *what);

/** One data set of one case: inputs of all sizes and what must come out. */
struct check_data {
    const struct pattern *pattern;
    const struct pattern_case *what;
    const struct check_class *class;
    ref_set set;
    size_t n_max;
    void *in;                   /**< n_max elements */
    struct pattern_work *works; /**< one for each size */
    void *expected;             /**< results of all sizes, one after the other */
    size_t expected_size;       /**< bytes of them */
};

/** Makes the elements and, by the serial reference, the results. @return false when out of memory */
bool check_data_make(struct check_data *data, const struct pattern *pattern, const struct pattern_case *what,
                     const struct check_class *class, ref_set set);
void check_data_free(struct check_data *data);

/** One way to run a case. */
struct check_variant {
    clp_context *context; /**< owned by the session */
    clp_schedule schedule;
    clp_plan plan; /**< what is really done */
};

enum { CHECK_MAX_VARIANTS = 64, CHECK_MAX_SIZES = 8, CHECK_MAX_ARMS = 4 };

/** One device with all contexts that are needed for its variants. */
struct check_session {
    clp_context *base; /**< as the user asked for it; its queue serves all */
    const clp_device_info *info;
    size_t sizes[CHECK_MAX_SIZES]; /**< work-group sizes to try */
    size_t size_count;
    struct check_arm {
        clp_shape shape;
        clp_subgroups subgroups;
        bool requested; /**< by an option: that it cannot run is no detail then */
        clp_context *contexts[CHECK_MAX_SIZES];
        bool ran;          /**< in some variant of this pattern */
        char dropped[160]; /**< why it did not */
    } arms[CHECK_MAX_ARMS];
    size_t arm_count;
    bool matrix;                       /**< every work-group size for every case, not a pairwise selection */
    bool thin;                         /**< a sample of that selection */
    char unavailable[256];             /**< back-ends that were tried and are not there */
    clp_plan seen[CHECK_MAX_VARIANTS]; /**< the different variants that ran so far */
    size_t seen_count;
};

/** matrix, full: every variant; CPUs, whose compilers are slow, do a sample otherwise. */
bool check_session_open(struct check_session *session, const struct program *program, const char *device,
                        bool matrix, bool full);
void check_session_close(struct check_session *session);

/**
 * Lists the variants for one case; the first is what a caller gets by default.
 * @param status receives why even that cannot run, else CLP_SUCCESS
 */
size_t check_variants(struct check_session *session, const struct pattern *pattern, size_t case_index,
                      struct check_variant variants[CHECK_MAX_VARIANTS], clp_status *status);

/** What came of comparing. */
struct check_tally {
    size_t results;    /**< compared */
    size_t mismatches; /**< of them differ, or could not be computed */
    char first[512];   /**< the first of them, precisely */
};

/** Runs one data set through the variants; the first variant's results go to `digest` (an XXH64_state_t). */
bool check_compare(struct check_session *session, const struct check_data *data,
                   const struct check_variant *variants, size_t variant_count, void *digest,
                   struct check_tally *tally);

#endif

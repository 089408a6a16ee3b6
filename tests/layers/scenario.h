/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file scenario.h One operation of the library under the fault layer: done once with one OpenCL call
 * failing, then again without; or with each of its calls failing in turn.
 */
#ifndef CLP_SCENARIO_H
#define CLP_SCENARIO_H

#include "fixture.h"

enum { SCENARIO_MANY_CALLS = 500 }; /* more than any operation makes: a loop that gets there has no end */

enum operation { PICK, ADOPT, INFO, PLAN, PREWARM, REDUCE, SCAN, SCAN_PREWARM };

/** What is done, and how. All zero but the first two: cold, in order, nothing to wait for, pool memory. */
struct scenario {
    const char *name;
    enum operation operation;
    clp_shape shape;
    clp_schedule schedule;
    size_t n;
    bool warm; /**< the operation has been done before with the same context */
    bool own_workspace, out_of_order;
    bool behind_event;  /**< waits for a user event that is set after the call returned */
    unsigned tolerated; /**< so many failing calls (optional queries) may be absorbed with a right result */
};

/** Which call fails: the n-th (0: none), with what, and whether all later ones fail too. */
struct plan {
    unsigned n;
    cl_int status;
    bool for_good;
};

/** What one call of the library did. */
struct outcome {
    clp_status status;
    unsigned failed; /**< OpenCL calls that were failed */
    char name[64];   /**< the first of them */
};

/** The layers and the world in which scenarios are played; set up by the test program. */
extern struct clp_fault fault;
extern struct clp_count count;
extern struct fixture world;

void arm(struct plan plan);

/** Stops failing calls; returns how many were failed. */
unsigned disarm(void);

/** The context that the operation needs, warmed if it shall be warm; NULL for PICK and ADOPT. */
clp_context *prepare(const struct scenario *s);

/** Does the operation once. PICK and ADOPT make *context, the others use it. Checks what it gives. */
struct outcome perform(const struct scenario *s, clp_context **context, struct plan plan);

/** Checks that a context reduces right; works for picked contexts too. */
void check_usable(clp_context *context);

/** References by kind, and the check that they are what they were. */
struct references {
    size_t of[CLP_KIND_COUNT];
};
struct references references_now(void);
void check_references(const struct scenario *s, const char *failed, struct references expected);

/**
 * Does the operation once for each of its OpenCL calls, with that call (and, for good, all later ones)
 * failing, and checks status, detail, event, leaks, and that the next call is as good as new.
 * @return how many calls the operation makes
 */
unsigned fail_each(const struct scenario *s, cl_int status, bool for_good);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file cost.h What a pattern costs at least, on any machine: the work/span model.
 *
 * Work W is the number of operations that are done in all, span S the number on the longest chain of
 * operations that wait for each other. With p units that each do one operation a step
 *
 *     max(W / p, S) <= T_p <= W / p + S
 *
 * The left side is the lower bound of the CUDA text that this library ports (its section 4.5); the right
 * side is Brent's theorem (R. P. Brent, "The parallel evaluation of general arithmetic expressions", J. ACM
 * 21(2), 1974): a greedy schedule is never worse than twice the bound. Nearly every pattern moves bytes, so
 * that clp_cost_bound() adds the memory's own bound to it.
 *
 * Nothing here needs a device. Each pattern has a function of its own, such as clp_reduce_cost().
 */
#ifndef CLPATTERNS_COST_H
#define CLPATTERNS_COST_H

#include <clpatterns/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * What a pattern costs. An operation is one application of the pattern's operator; conversions, addresses
 * and identities that stand for missing elements are not counted. Counts are doubles: they are exact up to
 * 2^53 and only ever divided.
 */
typedef struct clp_cost {
    double work;        /**< W: operations of the form that the library computes */
    double span;        /**< S: operations on the longest chain in that form */
    double serial_work; /**< W of the simple serial loop */
    double serial_span; /**< S of the simple serial loop */
    double bytes;       /**< that any implementation must read and write at least */
} clp_cost;

/** A machine as the model sees it. A field that is 0 is unknown and bounds nothing. */
typedef struct clp_machine {
    double bytes_per_second;      /**< that its memory moves */
    double operations_per_second; /**< p · rate: of all units together */
    double latency_seconds;       /**< from an operation to the next one that needs its result */
} clp_machine;

/**
 * Seconds below which no implementation of this form gets on this machine:
 * max(bytes / bytes_per_second, work / operations_per_second, span · latency_seconds).
 * What a call costs by itself (a launch, a wait) is not in it. 0 if an argument is NULL.
 */
CLP_API double clp_cost_bound(const clp_cost *cost, const clp_machine *machine);

#ifdef __cplusplus
}
#endif

#endif

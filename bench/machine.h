/* SPDX-License-Identifier: Apache-2.0 */
/** @file machine.h What the cost model asks of a device besides its memory's rate: operations and latency. */
#ifndef MACHINE_H
#define MACHINE_H

#include "limits.h"

/**
 * Measures additions of floats: operations_per_second of all units together, and latency_seconds from one to
 * the next that needs it. A field stays 0 if it cannot be measured. bytes_per_second is left alone.
 */
void machine_measure(const struct limits *limits, clp_context *context, clp_machine *machine);

/** Which part of clp_cost_bound() is the greatest: "bytes", "work", "span", or "" if none is known. */
const char *machine_bound_by(const clp_cost *cost, const clp_machine *machine);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The bound of the cost model. What a pattern costs stands in <pattern>_cost.c. */
#include "internal.h"

double clp_cost_bound(const clp_cost *cost, const clp_machine *machine) {
    double bound = 0;
    if (!cost || !machine)
        return 0;
    if (machine->bytes_per_second > 0)
        bound = cost->bytes / machine->bytes_per_second;
    if (machine->operations_per_second > 0 && cost->work / machine->operations_per_second > bound)
        bound = cost->work / machine->operations_per_second;
    if (cost->span * machine->latency_seconds > bound)
        bound = cost->span * machine->latency_seconds;
    return bound;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* `clpatterns bench --model`: the bound of each case in its parts, on this device. */
#include "bench.h"

void bench_model_heading(const struct bench *bench) {
    const clp_machine *machine = &bench->machine;
    progress_clear();
    printf("memory %.1f GB/s, all units %.1f G additions/s, one after another every %.2f ns\n",
           machine->bytes_per_second * 1e-9, machine->operations_per_second * 1e-9,
           machine->latency_seconds * 1e9);
    printf("%-22s %12s %12s %12s %6s %12s %12s %12s %12s %s\n", "case", "n", "bytes", "work", "span",
           "bytes ms", "work ms", "span ms", "bound ms", "by");
}

void bench_model(const struct bench *bench, const struct pattern *pattern, const struct pattern_case *what,
                 size_t n) {
    clp_machine machine = bench->machine;
    struct pattern_work work;
    clp_cost cost;
    char label[PATTERN_LABEL_SIZE];
    if (pattern->limit == LIMIT_COPY)
        machine.bytes_per_second = bench->copy_bytes_per_second;
    const bool known = work_make(&work, what, n) == NULL && pattern->cost(&work, &cost) == CLP_SUCCESS;
    n = work.n;
    work_free(&work);
    if (!known)
        return;
    const clp_machine memory = {.bytes_per_second = machine.bytes_per_second},
                      units = {.operations_per_second = machine.operations_per_second},
                      chain = {.latency_seconds = machine.latency_seconds};
    printf("%-22s %12zu %12.0f %12.0f %6.0f %12.6f %12.6f %12.6f %12.6f %s\n",
           pattern_case_label(what, label), n, cost.bytes, cost.work, cost.span,
           1e3 * clp_cost_bound(&cost, &memory), 1e3 * clp_cost_bound(&cost, &units),
           1e3 * clp_cost_bound(&cost, &chain), 1e3 * clp_cost_bound(&cost, &machine),
           machine_bound_by(&cost, &machine));
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The loop that everyone writes first, with all that the compiler may do to it. */
#include "reduce_host.hpp"

namespace {

struct openmp_algorithms {
    template <class Op, class T> static typename Op::value fold(const T *in, size_t n) {
        typename Op::value total = Op::identity();
        HOST_FOLD(parallel for simd)
        return total;
    }
    template <class Call> static void each(size_t count, const Call &call) {
#pragma omp parallel for schedule(dynamic, 16)
        for (size_t i = 0; i < count; i++)
            call(i);
    }
};

} // namespace

extern "C" {
extern const struct peer peer_reduce_openmp;
const struct peer peer_reduce_openmp = host_peer<openmp_algorithms>::as(
    "openmp", "omp parallel for simd reduction, -O3 -march=native -ffast-math");
}

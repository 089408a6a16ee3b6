/* SPDX-License-Identifier: Apache-2.0 */
/* Parallel STL: std::transform_reduce(par_unseq), which libstdc++ runs on TBB. Many parts: TBB's own
 * parallel_for. */
#include "reduce_host.hpp"

#include <execution>
#include <numeric>
#include <tbb/parallel_for.h>

namespace {

struct tbb_algorithms {
    template <class Op, class T> static typename Op::value fold(const T *in, size_t n) {
        using value = typename Op::value;
        return std::transform_reduce(
            std::execution::par_unseq, in, in + n, Op::identity(),
            [](value a, value b) { return Op::step(a, b); }, [](T x) { return static_cast<value>(x); });
    }
    template <class Call> static void each(size_t count, const Call &call) {
        tbb::parallel_for(size_t{0}, count, call);
    }
};

} // namespace

extern "C" {
extern const struct peer peer_reduce_tbb;
const struct peer peer_reduce_tbb =
    host_peer<tbb_algorithms>::as("tbb", "std::reduce(std::execution::par_unseq)");
}

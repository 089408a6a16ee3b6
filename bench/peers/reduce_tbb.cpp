/* SPDX-License-Identifier: Apache-2.0 */
/* Parallel STL: std::reduce(par_unseq), which libstdc++ runs on TBB. */
#include "reduce_host.hpp"

#include <execution>
#include <functional>
#include <limits>
#include <numeric>

template <class T> struct tbb_algorithms {
    template <class R> static R sum(const T *in, size_t n) {
        return std::transform_reduce(std::execution::par_unseq, in, in + n, R(0), std::plus<R>(),
                                     [](T x) { return static_cast<R>(x); });
    }
    static T min(const T *in, size_t n) {
        return std::reduce(std::execution::par_unseq, in, in + n, std::numeric_limits<T>::max(),
                           [](T a, T b) { return b < a ? b : a; });
    }
    static T max(const T *in, size_t n) {
        return std::reduce(std::execution::par_unseq, in, in + n, std::numeric_limits<T>::lowest(),
                           [](T a, T b) { return a < b ? b : a; });
    }
};

using self = host_peer<tbb_algorithms>;

extern "C" {
extern const struct peer peer_reduce_tbb;
const struct peer peer_reduce_tbb = {"tbb",
                                     nullptr,
                                     1,
                                     "std::reduce(std::execution::par_unseq)",
                                     self::open,
                                     self::run,
                                     self::result,
                                     self::close,
                                     nullptr,
                                     nullptr,
                                     nullptr};
}

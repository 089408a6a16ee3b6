/* SPDX-License-Identifier: Apache-2.0 */
/* Parallel STL: std::copy_if, std::partition_copy and std::unique_copy (par_unseq), which libstdc++ runs on
 * TBB. It has no selection by flags. */
#include "select_host.hpp"

#include <algorithm>
#include <execution>

namespace {

struct tbb_algorithms {
    static constexpr bool has_flags = false;
    template <class T> static size_t above(const T *in, size_t n, T threshold, T *out) {
        return static_cast<size_t>(std::copy_if(std::execution::par_unseq, in, in + n, out,
                                                [threshold](T x) { return x > threshold; }) -
                                   out);
    }
    template <class T> static size_t partition(const T *in, size_t n, T threshold, T *out, T *rejected) {
        return static_cast<size_t>(std::partition_copy(std::execution::par_unseq, in, in + n, out, rejected,
                                                       [threshold](T x) { return x > threshold; })
                                       .first -
                                   out);
    }
    template <class T> static size_t unique(const T *in, size_t n, T *out) {
        return static_cast<size_t>(std::unique_copy(std::execution::par_unseq, in, in + n, out) - out);
    }
};

} // namespace

extern "C" {
extern const struct peer peer_select_tbb;
const struct peer peer_select_tbb =
    host_peer<tbb_algorithms>::as("tbb", "std::copy_if(std::execution::par_unseq)");
}

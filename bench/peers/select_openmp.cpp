/* SPDX-License-Identifier: Apache-2.0 */
/* The loop that one writes by hand: each thread counts its part, then moves it, without a branch on an
 * element. */
#include "select_host.hpp"

#include <omp.h>

namespace {

/* keep(i): 1 for the elements that go to out; the others go to rejected, if that is not null. */
template <class T, class Keep>
size_t move_kept(const T *in, size_t n, T *out, T *rejected, const Keep &keep) {
    std::vector<size_t> before(static_cast<size_t>(omp_get_max_threads()) + 1);
    size_t total = 0;
#pragma omp parallel
    {
        const size_t thread = static_cast<size_t>(omp_get_thread_num()),
                     threads = static_cast<size_t>(omp_get_num_threads());
        const size_t begin = n / threads * thread,
                     end = thread + 1 < threads ? n / threads * (thread + 1) : n;
        size_t count = 0;
        for (size_t i = begin; i < end; i++)
            count += keep(i);
        before[thread + 1] = count;
#pragma omp barrier
#pragma omp single
        {
            for (size_t t = 0; t < threads; t++)
                before[t + 1] += before[t];
            total = before[threads];
        }
        size_t k = before[thread];
        if (rejected != nullptr) {
            size_t r = begin - k;
            for (size_t i = begin; i < end; i++) {
                const size_t kept = keep(i);
                *(kept ? out + k : rejected + r) = in[i];
                k += kept;
                r += 1 - kept;
            }
        } else { /* where the next one goes is written anyway */
            for (size_t i = begin, stop = before[thread + 1]; k < stop; i++) {
                out[k] = in[i];
                k += keep(i);
            }
        }
    }
    return total;
}

struct openmp_algorithms {
    static constexpr bool has_flags = true;
    template <class T> static size_t above(const T *in, size_t n, T threshold, T *out) {
        return move_kept<T>(in, n, out, nullptr, [=](size_t i) -> size_t { return in[i] > threshold; });
    }
    template <class T> static size_t flagged(const T *in, const unsigned char *flags, size_t n, T *out) {
        return move_kept<T>(in, n, out, nullptr, [=](size_t i) -> size_t { return flags[i] != 0; });
    }
    template <class T> static size_t partition(const T *in, size_t n, T threshold, T *out, T *rejected) {
        return move_kept<T>(in, n, out, rejected, [=](size_t i) -> size_t { return in[i] > threshold; });
    }
    template <class T> static size_t unique(const T *in, size_t n, T *out) {
        return move_kept<T>(in, n, out, nullptr,
                            [=](size_t i) -> size_t { return i == 0 || in[i] != in[i - 1]; });
    }
};

} // namespace

extern "C" {
extern const struct peer peer_select_openmp;
const struct peer peer_select_openmp = host_peer<openmp_algorithms>::as(
    "openmp", "each thread counts its part, then moves it without branches, -O3 -march=native -ffast-math");
}

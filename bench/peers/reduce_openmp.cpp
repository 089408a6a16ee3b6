/* SPDX-License-Identifier: Apache-2.0 */
/* The loop that everyone writes first, with all that the compiler may do to it. */
#include "reduce_host.hpp"

#include <limits>
#include <type_traits>

template <class T> struct openmp_algorithms {
    template <class R> static R sum(const T *in, size_t n) {
        /* Signed sums wrap around in the library; here they are unsigned, where that is defined. */
        using U = typename std::conditional<std::is_integral<R>::value, std::make_unsigned<R>,
                                            std::common_type<R>>::type::type;
        U total = 0;
#pragma omp parallel for simd reduction(+ : total)
        for (size_t i = 0; i < n; i++)
            total += static_cast<U>(in[i]);
        return static_cast<R>(total);
    }
    static T min(const T *in, size_t n) {
        T least = std::numeric_limits<T>::max();
#pragma omp parallel for simd reduction(min : least)
        for (size_t i = 0; i < n; i++)
            least = in[i] < least ? in[i] : least;
        return least;
    }
    static T max(const T *in, size_t n) {
        T greatest = std::numeric_limits<T>::lowest();
#pragma omp parallel for simd reduction(max : greatest)
        for (size_t i = 0; i < n; i++)
            greatest = greatest < in[i] ? in[i] : greatest;
        return greatest;
    }
};

using self = host_peer<openmp_algorithms>;

extern "C" {
extern const struct peer peer_reduce_openmp;
const struct peer peer_reduce_openmp = {"openmp",
                                        nullptr,
                                        1,
                                        "omp parallel for simd reduction, -O3 -march=native -ffast-math",
                                        self::open,
                                        self::run,
                                        self::result,
                                        self::close,
                                        nullptr,
                                        nullptr,
                                        nullptr};
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Parallel STL: std::inclusive_scan and std::exclusive_scan (par_unseq), which libstdc++ runs on TBB. */
#include "peers.h"

#include <cstdint>
#include <cstring>
#include <execution>
#include <new>
#include <numeric>
#include <vector>

namespace {

struct scan {
    const void *in;
    size_t n;
    std::vector<unsigned char> out;
    void (*call)(scan &self);
};

template <class T> void inclusive_sum(scan &self) {
    const T *in = static_cast<const T *>(self.in);
    std::inclusive_scan(std::execution::par_unseq, in, in + self.n, reinterpret_cast<T *>(self.out.data()),
                        std::plus<T>(), T(0));
}

template <class T> void exclusive_sum(scan &self) {
    const T *in = static_cast<const T *>(self.in);
    std::exclusive_scan(std::execution::par_unseq, in, in + self.n, reinterpret_cast<T *>(self.out.data()),
                        T(0), std::plus<T>());
}

/* Without an initial value: with one, libstdc++ 12 writes a wrong first output here. */
template <class T> void inclusive_max(scan &self) {
    const T *in = static_cast<const T *>(self.in);
    std::inclusive_scan(std::execution::par_unseq, in, in + self.n, reinterpret_cast<T *>(self.out.data()),
                        [](T a, T b) { return a < b ? b : a; });
}

template <class T> void (*choose(const char *name))(scan &) {
    if (std::strcmp(name, "sum") == 0)
        return inclusive_sum<T>;
    if (std::strcmp(name, "exclusive_sum") == 0)
        return exclusive_sum<T>;
    return std::strcmp(name, "max") == 0 ? inclusive_max<T> : nullptr;
}

const char *open(const peer_input *input, void **state) {
    void (*call)(scan &) = nullptr;
    *state = nullptr;
    if (input->n == 0)
        return "nothing to do";
    if (input->parts > 0 || input->type != input->result)
        return "not written for this case";
    switch (input->type) {
    case CLP_I32:
        call = choose<std::int32_t>(input->name);
        break;
    case CLP_U32:
        call = choose<std::uint32_t>(input->name);
        break;
    case CLP_F32:
        call = choose<float>(input->name);
        break;
    case CLP_F64:
        call = choose<double>(input->name);
        break;
    default:
        break;
    }
    if (call == nullptr)
        return "not written for this case";
    try {
        *state = new scan{input->host, input->n, std::vector<unsigned char>(input->result_size), call};
    } catch (...) {
        return "out of memory";
    }
    return nullptr;
}

const char *run(void *state, size_t calls) {
    try {
        for (size_t i = 0; i < calls; i++)
            static_cast<scan *>(state)->call(*static_cast<scan *>(state));
    } catch (...) {
        return "it threw an exception";
    }
    return nullptr;
}

const char *result(void *state, void *out) {
    const scan *self = static_cast<const scan *>(state);
    std::memcpy(out, self->out.data(), self->out.size());
    return nullptr;
}

void close(void *state) {
    delete static_cast<scan *>(state);
}

} // namespace

extern "C" {
extern const struct peer peer_scan_tbb;
const struct peer peer_scan_tbb = {"tbb",   nullptr, 1,      "std::inclusive_scan(std::execution::par_unseq)",
                                   open,    run,     result, close,
                                   nullptr, nullptr, nullptr};
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The loop that one writes by hand: each thread counts its part in four private copies. */
#include "histogram_cases.h"
#include "peers.h"

#include <cstdint>
#include <cstring>
#include <new>
#include <omp.h>
#include <vector>

namespace {

struct counting {
    const void *in;
    std::size_t n, bins;
    std::vector<std::uint32_t> counts;
    void (*call)(counting &self);
};

/* bin(x) for each element; four neighbours go to four copies. */
template <class T, class Bin> void count(counting &self, const Bin &bin) {
    const T *in = static_cast<const T *>(self.in);
    const std::size_t n = self.n, bins = self.bins;
    std::memset(self.counts.data(), 0, bins * sizeof(std::uint32_t));
#pragma omp parallel
    {
        std::vector<std::uint32_t> own(4 * (bins + 1)); /* the last one is for what is outside */
        const std::size_t thread = static_cast<std::size_t>(omp_get_thread_num()),
                          threads = static_cast<std::size_t>(omp_get_num_threads());
        const std::size_t begin = n / threads * thread,
                          end = thread + 1 < threads ? n / threads * (thread + 1) : n;
        std::uint32_t *a = own.data(), *b = a + bins + 1, *c = b + bins + 1, *d = c + bins + 1;
        std::size_t i = begin;
        for (; i + 4 <= end; i += 4) {
            a[bin(in[i])]++;
            b[bin(in[i + 1])]++;
            c[bin(in[i + 2])]++;
            d[bin(in[i + 3])]++;
        }
        for (; i < end; i++)
            a[bin(in[i])]++;
#pragma omp critical
        for (std::size_t k = 0; k < bins; k++)
            self.counts[k] += a[k] + b[k] + c[k] + d[k];
    }
}

void bytes(counting &self) {
    count<std::uint8_t>(self, [](std::uint8_t x) -> std::size_t { return x; });
}

void even(counting &self) {
    const float low = HISTOGRAM_LOW, high = HISTOGRAM_HIGH;
    const float scale = static_cast<float>(self.bins) / (high - low);
    const std::size_t bins = self.bins;
    count<float>(self, [=](float x) -> std::size_t {
        const std::size_t k = x >= low && x <= high ? static_cast<std::size_t>((x - low) * scale) : bins;
        return x <= high && k == bins && x >= low ? bins - 1 : k;
    });
}

const char *open(const peer_input *input, void **state) {
    void (*call)(counting &) = nullptr;
    *state = nullptr;
    if (input->result == CLP_U32 && input->type == CLP_U8 && histogram_is(input->name, "bytes"))
        call = bytes;
    if (input->result == CLP_U32 && input->type == CLP_F32 && histogram_is(input->name, "even"))
        call = even;
    if (call == nullptr)
        return "not written for this case";
    try {
        const std::size_t bins = histogram_bins(input->name);
        *state = new counting{input->host, input->n, bins, std::vector<std::uint32_t>(bins), call};
    } catch (...) {
        return "out of memory";
    }
    return nullptr;
}

const char *run(void *state, std::size_t calls) {
    try {
        for (std::size_t i = 0; i < calls; i++)
            static_cast<counting *>(state)->call(*static_cast<counting *>(state));
    } catch (...) {
        return "it threw an exception";
    }
    return nullptr;
}

const char *result(void *state, void *out) {
    const counting &self = *static_cast<const counting *>(state);
    std::memcpy(out, self.counts.data(), self.bins * sizeof(std::uint32_t));
    return nullptr;
}

void close(void *state) {
    delete static_cast<counting *>(state);
}

} // namespace

extern "C" {
extern const struct peer peer_histogram_openmp;
const struct peer peer_histogram_openmp = {
    "openmp", nullptr, 1,      "four private copies a thread, -O3 -march=native -ffast-math",
    open,     run,     result, close,
    nullptr,  nullptr, nullptr};
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The loop that one writes by hand: each thread counts the runs that begin in its part, then sums each of
 * them up. What a part has of an earlier one's last run is added in the end. */
#include "peers.h"

#include <cstdint>
#include <cstring>
#include <new>
#include <omp.h>
#include <vector>

namespace {

/* Totals, and behind them what tells the runs apart: the elements or the keys. */
struct runs_work {
    const void *in, *keys;
    size_t n;
    std::vector<unsigned char> out;
    cl_ulong runs;
    void (*call)(runs_work &self);
};

/* value(i): what is summed up. @return the number of runs */
template <class Key, class Total, class Value>
size_t sum_runs(const Key *keys, size_t n, Key *unique, Total *totals, const Value &value) {
    const size_t most = static_cast<size_t>(omp_get_max_threads());
    std::vector<size_t> before(most + 1);
    std::vector<Total> carry(most);
    const auto begins = [=](size_t i) { return i == 0 || keys[i] != keys[i - 1]; };
    size_t used = 0;
#pragma omp parallel
    {
        const size_t thread = static_cast<size_t>(omp_get_thread_num()),
                     threads = static_cast<size_t>(omp_get_num_threads());
        const size_t first = n / threads * thread,
                     end = thread + 1 < threads ? n / threads * (thread + 1) : n;
        size_t count = 0;
        for (size_t i = first; i < end; i++)
            count += begins(i);
        before[thread + 1] = count;
#pragma omp barrier
#pragma omp single
        {
            used = threads;
            for (size_t t = 0; t < threads; t++)
                before[t + 1] += before[t];
        }
        size_t k = before[thread], i = first;
        while (i < end) {
            const bool own = begins(i);
            const Key key = keys[i];
            Total total = value(i++);
            while (i < end && keys[i] == key)
                total += value(i++);
            if (own) {
                unique[k] = key;
                totals[k++] = total;
            } else {
                carry[thread] = total;
            }
        }
    }
    for (size_t t = 1; t < used; t++)
        if (before[t] > 0)
            totals[before[t] - 1] += carry[t];
    return before[used];
}

template <class Key, class Total> void lengths(runs_work &w) {
    Total *out = reinterpret_cast<Total *>(w.out.data());
    w.runs = sum_runs(static_cast<const Key *>(w.in), w.n, reinterpret_cast<Key *>(out + w.n), out,
                      [](size_t) -> Total { return 1; });
}

void sums(runs_work &w) {
    float *out = reinterpret_cast<float *>(w.out.data());
    const float *in = static_cast<const float *>(w.in);
    w.runs = sum_runs(static_cast<const std::uint32_t *>(w.keys), w.n,
                      reinterpret_cast<std::uint32_t *>(out + w.n), out, [=](size_t i) { return in[i]; });
}

void (*choose(const peer_input *input))(runs_work &) {
    if (std::strncmp(input->name, "sum_keys", 8) == 0)
        return input->type == CLP_F32 ? sums : nullptr;
    if (std::strncmp(input->name, "rle", 3) != 0)
        return nullptr;
    switch (input->type) {
    case CLP_U8:
        return lengths<std::uint8_t, std::uint64_t>;
    case CLP_U32:
        return lengths<std::uint32_t, std::uint32_t>;
    case CLP_F32:
        return lengths<float, std::uint32_t>;
    default:
        return nullptr;
    }
}

const char *open(const peer_input *input, void **state) {
    void (*call)(runs_work &) = choose(input);
    *state = nullptr;
    if (input->n == 0)
        return "nothing to do";
    if (call == nullptr)
        return "not written for this case";
    try {
        *state = new runs_work{
            input->host, input->heads, input->n, std::vector<unsigned char>(input->result_size), 0, call};
    } catch (...) {
        return "out of memory";
    }
    return nullptr;
}

const char *run(void *state, size_t calls) {
    try {
        for (size_t i = 0; i < calls; i++)
            static_cast<runs_work *>(state)->call(*static_cast<runs_work *>(state));
    } catch (...) {
        return "it threw an exception";
    }
    return nullptr;
}

const char *result(void *state, void *out) {
    const runs_work &w = *static_cast<const runs_work *>(state);
    std::memcpy(out, w.out.data(), w.out.size());
    std::memcpy(static_cast<unsigned char *>(out) + w.out.size(), &w.runs, sizeof w.runs);
    return nullptr;
}

void close(void *state) {
    delete static_cast<runs_work *>(state);
}

} // namespace

extern "C" {
extern const struct peer peer_runs_openmp;
const struct peer peer_runs_openmp = {
    "openmp", nullptr,
    1,        "each thread counts its runs, then sums them up, -O3 -march=native -ffast-math",
    open,     run,
    result,   close,
    nullptr,  nullptr,
    nullptr};
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Boost.Compute's scans on the same device, context, queue and buffer. */
#include "peers.h"

#include <boost/compute/algorithm/exclusive_scan.hpp>
#include <boost/compute/algorithm/inclusive_scan.hpp>
#include <boost/compute/command_queue.hpp>
#include <boost/compute/context.hpp>
#include <boost/compute/iterator/buffer_iterator.hpp>
#include <cstring>
#include <new>

namespace compute = boost::compute;

namespace {

struct scan {
    compute::context context;
    compute::command_queue queue;
    compute::buffer in, out;
    size_t first, n, result_size;
    void (*call)(scan &);

    scan(const peer_input *input, void (*function)(scan &))
        : context(input->context), queue(input->queue), in(input->in), out(context, input->result_size),
          first(input->offset), n(input->n), result_size(input->result_size), call(function) {}
};

template <class T> void inclusive_sum(scan &s) {
    const auto begin = compute::make_buffer_iterator<T>(s.in, s.first);
    compute::inclusive_scan(begin, begin + static_cast<std::ptrdiff_t>(s.n),
                            compute::make_buffer_iterator<T>(s.out, 0), s.queue);
}

template <class T> void exclusive_sum(scan &s) {
    const auto begin = compute::make_buffer_iterator<T>(s.in, s.first);
    compute::exclusive_scan(begin, begin + static_cast<std::ptrdiff_t>(s.n),
                            compute::make_buffer_iterator<T>(s.out, 0), s.queue);
}

template <class T> void (*choose(const char *name))(scan &) {
    if (std::strcmp(name, "sum") == 0)
        return inclusive_sum<T>;
    return std::strcmp(name, "exclusive_sum") == 0 ? exclusive_sum<T> : nullptr;
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
        call = choose<compute::int_>(input->name);
        break;
    case CLP_U32:
        call = choose<compute::uint_>(input->name);
        break;
    case CLP_F32:
        call = choose<compute::float_>(input->name);
        break;
    case CLP_F64:
        call = choose<compute::double_>(input->name);
        break;
    default:
        break;
    }
    if (call == nullptr)
        return "not written for this case";
    try {
        *state = new scan(input, call);
    } catch (...) {
        return "it threw an exception";
    }
    return nullptr;
}

const char *run(void *state, size_t calls) {
    scan &s = *static_cast<scan *>(state);
    try {
        for (size_t i = 0; i < calls; i++)
            s.call(s);
        s.queue.finish();
    } catch (...) {
        return "it threw an exception";
    }
    return nullptr;
}

const char *result(void *state, void *out) {
    scan &s = *static_cast<scan *>(state);
    try {
        s.queue.enqueue_read_buffer(s.out, 0, s.result_size, out);
    } catch (...) {
        return "it threw an exception";
    }
    return nullptr;
}

void close(void *state) {
    delete static_cast<scan *>(state);
}

} // namespace

extern "C" {
extern const struct peer peer_scan_boost;
const struct peer peer_scan_boost = {"boost.compute", nullptr, 0,       nullptr, open,   run,
                                     result,          close,   nullptr, nullptr, nullptr};
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Boost.Compute's copy_if and unique_copy on the same device, context, queue and buffer. */
#include "peers.h"
#include "select_cases.h"

#include <boost/compute/algorithm/copy_if.hpp>
#include <boost/compute/algorithm/unique_copy.hpp>
#include <boost/compute/command_queue.hpp>
#include <boost/compute/context.hpp>
#include <boost/compute/iterator/buffer_iterator.hpp>
#include <boost/compute/lambda.hpp>
#include <cstring>
#include <new>

namespace compute = boost::compute;

namespace {

struct selection {
    compute::context context;
    compute::command_queue queue;
    compute::buffer in, out;
    size_t first, n, result_size;
    int threshold;
    cl_ulong kept;
    void (*call)(selection &);

    selection(const peer_input *input, void (*function)(selection &))
        : context(input->context), queue(input->queue), in(input->in), out(context, input->result_size),
          first(input->offset), n(input->n), result_size(input->result_size),
          threshold(select_threshold(select_percent(input->name), input->type)), kept(0), call(function) {}
};

template <class T> void above(selection &s) {
    const auto begin = compute::make_buffer_iterator<T>(s.in, s.first),
               out = compute::make_buffer_iterator<T>(s.out, 0);
    s.kept = static_cast<cl_ulong>(compute::copy_if(begin, begin + static_cast<std::ptrdiff_t>(s.n), out,
                                                    compute::_1 > static_cast<T>(s.threshold), s.queue) -
                                   out);
}

template <class T> void unique(selection &s) {
    const auto begin = compute::make_buffer_iterator<T>(s.in, s.first),
               out = compute::make_buffer_iterator<T>(s.out, 0);
    s.kept = static_cast<cl_ulong>(
        compute::unique_copy(begin, begin + static_cast<std::ptrdiff_t>(s.n), out, s.queue) - out);
}

template <class T> void (*choose(const char *name))(selection &) {
    if (select_is(name, "unique"))
        return unique<T>;
    return select_is(name, "select") && select_percent(name) > 0 ? above<T> : nullptr;
}

const char *open(const peer_input *input, void **state) {
    void (*call)(selection &) = nullptr;
    *state = nullptr;
    if (input->n == 0)
        return "nothing to do";
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
        *state = new selection(input, call);
    } catch (...) {
        return "it threw an exception";
    }
    return nullptr;
}

const char *run(void *state, size_t calls) {
    selection &s = *static_cast<selection *>(state);
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
    selection &s = *static_cast<selection *>(state);
    try {
        s.queue.enqueue_read_buffer(s.out, 0, s.result_size, out);
    } catch (...) {
        return "it threw an exception";
    }
    std::memcpy(static_cast<char *>(out) + s.result_size, &s.kept, sizeof s.kept);
    return nullptr;
}

void close(void *state) {
    delete static_cast<selection *>(state);
}

} // namespace

extern "C" {
extern const struct peer peer_select_boost;
const struct peer peer_select_boost = {
    "boost.compute", nullptr, 0,      "it waits for the count of each call", open, run, result, close,
    nullptr,         nullptr, nullptr};
}

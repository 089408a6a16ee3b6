/* SPDX-License-Identifier: Apache-2.0 */
/* Boost.Compute's reduce on the same device, context, queue and buffer. */
#include "peers.h"

#include <boost/compute/algorithm/reduce.hpp>
#include <boost/compute/command_queue.hpp>
#include <boost/compute/context.hpp>
#include <boost/compute/functional.hpp>
#include <boost/compute/iterator/buffer_iterator.hpp>
#include <cstring>
#include <new>

namespace compute = boost::compute;

namespace {

/* One reduction; the result stays on the device until it is asked for, so that calls can follow each other.
 */
struct reduction {
    compute::context context;
    compute::command_queue queue;
    compute::buffer in, out;
    size_t first, n, result_size;
    void (*call)(reduction &);

    reduction(const peer_input *input, size_t size, void (*function)(reduction &))
        : context(input->context), queue(input->queue), in(input->in), out(context, 8), first(input->offset),
          n(input->n), result_size(size), call(function) {}
};

template <class T, class F> void reduce(reduction &r) {
    const auto begin = compute::make_buffer_iterator<T>(r.in, r.first);
    compute::reduce(begin, begin + static_cast<std::ptrdiff_t>(r.n),
                    compute::make_buffer_iterator<T>(r.out, 0), F(), r.queue);
}

template <class T> void (*choose(const char *name))(reduction &) {
    if (std::strcmp(name, "sum") == 0)
        return reduce<T, compute::plus<T>>;
    if (std::strcmp(name, "min") == 0)
        return reduce<T, compute::min<T>>;
    return std::strcmp(name, "max") == 0 ? reduce<T, compute::max<T>> : nullptr;
}

const char *open(const peer_input *input, void **state) {
    void (*call)(reduction &) = nullptr;
    *state = nullptr;
    if (input->n == 0)
        return "nothing to do";
    if (input->parts > 0)
        return "not written for rows and segments";
    if (input->type != input->result)
        return "its reduce sums in the type of the elements";
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
        *state = new reduction(input, input->type == CLP_F64 ? 8 : 4, call);
    } catch (...) {
        return "it threw an exception";
    }
    return nullptr;
}

const char *run(void *state, size_t calls) {
    reduction &r = *static_cast<reduction *>(state);
    try {
        for (size_t i = 0; i < calls; i++)
            r.call(r);
        r.queue.finish();
    } catch (...) {
        return "it threw an exception";
    }
    return nullptr;
}

const char *result(void *state, void *out) {
    reduction &r = *static_cast<reduction *>(state);
    try {
        r.queue.enqueue_read_buffer(r.out, 0, r.result_size, out);
    } catch (...) {
        return "it threw an exception";
    }
    return nullptr;
}

void close(void *state) {
    delete static_cast<reduction *>(state);
}

} // namespace

extern "C" {
extern const struct peer peer_reduce_boost;
const struct peer peer_reduce_boost = {"boost.compute", nullptr, 0,       nullptr, open,   run,
                                       result,          close,   nullptr, nullptr, nullptr};
}

/* SPDX-License-Identifier: Apache-2.0 */
/** @file boost.hpp What peers of Boost.Compute share: they run on the same device, context, queue and buffer.
 */
#ifndef BOOST_HPP
#define BOOST_HPP

#include "peers.h"

#include <boost/compute/command_queue.hpp>
#include <boost/compute/context.hpp>
#include <boost/compute/iterator/buffer_iterator.hpp>
#include <cstring>
#include <new>

namespace {

namespace compute = boost::compute;

/** A case that was opened; outputs stay on the device until they are asked for. Work: what derives from it.
 */
template <class Work> struct boost_work {
    typedef void (*function)(Work &);
    compute::context context;
    compute::command_queue queue;
    compute::buffer in, out;
    size_t first, n, result_size;
    function call;

    boost_work(const peer_input *input, function f)
        : context(input->context), queue(input->queue), in(input->in), out(context, input->result_size),
          first(input->offset), n(input->n), result_size(input->result_size), call(f) {}

    template <class T> compute::buffer_iterator<T> begin() const {
        return compute::make_buffer_iterator<T>(in, first);
    }
    template <class T> compute::buffer_iterator<T> end() const {
        return compute::make_buffer_iterator<T>(in, first + n);
    }
    template <class T> compute::buffer_iterator<T> outputs() const {
        return compute::make_buffer_iterator<T>(out, 0);
    }
};

/** Work::choose<T>(name): the function for a case's name and elements of type T, or nullptr. */
template <class Work> const char *boost_open(const peer_input *input, void **state) {
    typename Work::function call = nullptr;
    *state = nullptr;
    if (input->n == 0)
        return "nothing to do";
    switch (input->type) {
    case CLP_I32:
        call = Work::template choose<compute::int_>(input->name);
        break;
    case CLP_U32:
        call = Work::template choose<compute::uint_>(input->name);
        break;
    case CLP_F32:
        call = Work::template choose<compute::float_>(input->name);
        break;
    case CLP_F64:
        call = Work::template choose<compute::double_>(input->name);
        break;
    default:
        break;
    }
    if (call == nullptr)
        return "not written for this case";
    try {
        *state = new Work(input, call);
    } catch (...) {
        return "it threw an exception";
    }
    return nullptr;
}

template <class Work> const char *boost_run(void *state, size_t calls) {
    Work &work = *static_cast<Work *>(state);
    try {
        for (size_t i = 0; i < calls; i++)
            work.call(work);
        work.queue.finish();
    } catch (...) {
        return "it threw an exception";
    }
    return nullptr;
}

template <class Work> const char *boost_result(void *state, void *out) {
    Work &work = *static_cast<Work *>(state);
    try {
        work.queue.enqueue_read_buffer(work.out, 0, work.result_size, out);
    } catch (...) {
        return "it threw an exception";
    }
    return nullptr;
}

template <class Work> void boost_close(void *state) {
    delete static_cast<Work *>(state);
}

} // namespace

#endif

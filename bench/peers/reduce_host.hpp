/* SPDX-License-Identifier: Apache-2.0 */
/** @file reduce_host.hpp What reductions on the host's processors share: types, and the calls in a row. */
#ifndef REDUCE_HOST_HPP
#define REDUCE_HOST_HPP

#include "peers.h"

#include <cstdint>
#include <cstring>
#include <new>

/** A reduction that is chosen once and then called through one pointer. */
struct host_reduction {
    const void *in;
    size_t n;
    size_t result_size;
    unsigned char result[8];
    void (*call)(host_reduction *self);
};

/** Stores a result where its peer_input wants it. */
template <class R> void keep(host_reduction *self, R value) {
    std::memcpy(self->result, &value, sizeof value);
    self->result_size = sizeof value;
}

/**
 * The open, run, result and close of a peer made from algorithms F<T>: sum<R>(in, n), min(in, n), max(in, n).
 */
template <template <class> class F> struct host_peer {
    template <class T, class R> static void sum(host_reduction *self) {
        keep<R>(self, F<T>::template sum<R>(static_cast<const T *>(self->in), self->n));
    }
    template <class T> static void min(host_reduction *self) {
        keep<T>(self, F<T>::min(static_cast<const T *>(self->in), self->n));
    }
    template <class T> static void max(host_reduction *self) {
        keep<T>(self, F<T>::max(static_cast<const T *>(self->in), self->n));
    }

    template <class T, class Wide> static void (*choose(const peer_input *input))(host_reduction *) {
        if (std::strcmp(input->name, "sum") == 0)
            return input->result == input->type ? sum<T, T> : sum<T, Wide>;
        if (std::strcmp(input->name, "min") == 0)
            return min<T>;
        return std::strcmp(input->name, "max") == 0 ? max<T> : nullptr;
    }

    static const char *open(const peer_input *input, void **state) {
        void (*call)(host_reduction *) = nullptr;
        *state = nullptr;
        if (input->n == 0)
            return "nothing to do";
        if (input->rows > 0)
            return "not written for rows";
        switch (input->type) {
        case CLP_I32:
            call = choose<std::int32_t, std::int64_t>(input);
            break;
        case CLP_U32:
            call = choose<std::uint32_t, std::uint64_t>(input);
            break;
        case CLP_F32:
            call = choose<float, float>(input);
            break;
        case CLP_F64:
            call = choose<double, double>(input);
            break;
        default:
            break;
        }
        if (call == nullptr)
            return "not written for this case";
        *state = new (std::nothrow) host_reduction{input->host, input->n, 0, {0}, call};
        return *state == nullptr ? "out of memory" : nullptr;
    }

    static const char *run(void *state, size_t calls) {
        try {
            for (size_t i = 0; i < calls; i++)
                static_cast<host_reduction *>(state)->call(static_cast<host_reduction *>(state));
        } catch (...) {
            return "it threw an exception";
        }
        return nullptr;
    }

    static const char *result(void *state, void *out) {
        const host_reduction *self = static_cast<const host_reduction *>(state);
        std::memcpy(out, self->result, self->result_size);
        return nullptr;
    }

    static void close(void *state) {
        delete static_cast<host_reduction *>(state);
    }
};

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file select_host.hpp What selections on the host's processors share: cases, types and the calls in a row.
 * Each peer includes it once, with its own compiler options; hence the namespace without a name.
 */
#ifndef SELECT_HOST_HPP
#define SELECT_HOST_HPP

#include "peers.h"
#include "select_cases.h"

#include <cstdint>
#include <cstring>
#include <new>
#include <vector>

namespace {

/** A selection that is chosen once and then called through one pointer. */
struct host_selection {
    const void *in;
    const unsigned char *flags;
    size_t n, size;
    int threshold;
    std::vector<unsigned char> out, rejected; /* n elements; rejected: none, but of a partition */
    cl_ulong kept;
    void (*call)(host_selection &self);
};

/**
 * The open, run, result and close of a peer made from the algorithms of F, which return how many are kept:
 * above(in, n, threshold, out), flagged(in, flags, n, out), partition(in, n, threshold, out, rejected) and
 * unique(in, n, out). F::has_flags: does it have flagged()?
 */
template <class F> struct host_peer {
    template <class T> static const T *input(const host_selection &self) {
        return static_cast<const T *>(self.in);
    }
    template <class T> static T *output(std::vector<unsigned char> &bytes) {
        return reinterpret_cast<T *>(bytes.data());
    }
    template <class T> static void above(host_selection &self) {
        self.kept =
            F::template above<T>(input<T>(self), self.n, static_cast<T>(self.threshold), output<T>(self.out));
    }
    template <class T> static void partition(host_selection &self) {
        self.kept = F::template partition<T>(input<T>(self), self.n, static_cast<T>(self.threshold),
                                             output<T>(self.out), output<T>(self.rejected));
    }
    template <class T> static void unique(host_selection &self) {
        self.kept = F::template unique<T>(input<T>(self), self.n, output<T>(self.out));
    }
    template <class T> static void flagged(host_selection &self) {
        if constexpr (F::has_flags)
            self.kept = F::template flagged<T>(input<T>(self), self.flags, self.n, output<T>(self.out));
    }

    template <class T> static void (*choose(const peer_input *input))(host_selection &) {
        if (select_is(input->name, "unique"))
            return unique<T>;
        if (select_is(input->name, "partition"))
            return select_percent(input->name) > 0 ? partition<T> : nullptr;
        if (!select_is(input->name, "select"))
            return nullptr;
        return select_percent(input->name) > 0 ? above<T> : F::has_flags ? flagged<T> : nullptr;
    }

    static const char *open(const peer_input *input, void **state) {
        void (*call)(host_selection &) = nullptr;
        *state = nullptr;
        if (input->n == 0)
            return "nothing to do";
        switch (input->type) {
        case CLP_U8:
            call = choose<std::uint8_t>(input);
            break;
        case CLP_I32:
            call = choose<std::int32_t>(input);
            break;
        case CLP_U32:
            call = choose<std::uint32_t>(input);
            break;
        case CLP_U64:
            call = choose<std::uint64_t>(input);
            break;
        case CLP_F32:
            call = choose<float>(input);
            break;
        case CLP_F64:
            call = choose<double>(input);
            break;
        default:
            break;
        }
        if (call == nullptr)
            return "not written for this case";
        try {
            const bool two = select_is(input->name, "partition");
            *state = new host_selection{input->host,
                                        static_cast<const unsigned char *>(input->heads),
                                        input->n,
                                        clp_type_size(input->type),
                                        select_threshold(select_percent(input->name), input->type),
                                        std::vector<unsigned char>(input->result_size),
                                        std::vector<unsigned char>(two ? input->result_size : 0),
                                        0,
                                        call};
        } catch (...) {
            return "out of memory";
        }
        return nullptr;
    }

    static const char *run(void *state, size_t calls) {
        try {
            for (size_t i = 0; i < calls; i++)
                static_cast<host_selection *>(state)->call(*static_cast<host_selection *>(state));
        } catch (...) {
            return "it threw an exception";
        }
        return nullptr;
    }

    static const char *result(void *state, void *out) {
        const host_selection &self = *static_cast<const host_selection *>(state);
        const size_t kept = self.kept * self.size;
        unsigned char *bytes = static_cast<unsigned char *>(out);
        std::memcpy(bytes, self.out.data(), kept);
        if (!self.rejected.empty())
            std::memcpy(bytes + kept, self.rejected.data(), self.n * self.size - kept);
        std::memcpy(bytes + self.n * self.size, &self.kept, sizeof self.kept);
        return nullptr;
    }

    static void close(void *state) {
        delete static_cast<host_selection *>(state);
    }

    static constexpr peer as(const char *name, const char *note) {
        return {name, nullptr, 1, note, open, run, result, close, nullptr, nullptr, nullptr};
    }
};

} // namespace

#endif

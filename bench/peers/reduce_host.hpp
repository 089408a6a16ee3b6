/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file reduce_host.hpp What reductions on the host's processors share: types, operators, parts, and the
 * calls in a row. Each peer includes it once, with its own compiler options; hence the namespace without a
 * name.
 */
#ifndef REDUCE_HOST_HPP
#define REDUCE_HOST_HPP

#include "peers.h"

#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <type_traits>
#include <vector>

namespace {

/** Operators on values of type R: the identity, a step, and which one of OpenMP's clauses it is. */
enum class clause { sum, min, max };

template <class R> struct op_sum {
    static constexpr clause is = clause::sum;
    /* Signed sums wrap around in the library; here they are unsigned, where that is defined. */
    using value = typename std::conditional<std::is_integral<R>::value, std::make_unsigned<R>,
                                            std::common_type<R>>::type::type;
    static value identity() {
        return 0;
    }
    static value step(value a, value b) {
        return a + b;
    }
};

template <class R> struct op_min {
    static constexpr clause is = clause::min;
    using value = R;
    static value identity() {
        return std::numeric_limits<R>::max();
    }
    static value step(value a, value b) {
        return b < a ? b : a;
    }
};

template <class R> struct op_max {
    static constexpr clause is = clause::max;
    using value = R;
    static value identity() {
        return std::numeric_limits<R>::lowest();
    }
    static value step(value a, value b) {
        return a < b ? b : a;
    }
};

#define HOST_PRAGMA(text) _Pragma(#text)
/** Folds in[0 … n) into `total` by Op, as a loop of OpenMP's that its directive tells how to run. */
#define HOST_LOOP(directive, operation)                                                                      \
    HOST_PRAGMA(omp directive reduction(operation : total))                                                  \
    for (size_t i = 0; i < n; i++)                                                                           \
        total = Op::step(total, static_cast<typename Op::value>(in[i]));
/** The same with the clause that Op is. */
#define HOST_FOLD(directive)                                                                                 \
    if constexpr (Op::is == clause::sum) {                                                                   \
        HOST_LOOP(directive, +)                                                                              \
    } else if constexpr (Op::is == clause::min) {                                                            \
        HOST_LOOP(directive, min)                                                                            \
    } else {                                                                                                 \
        HOST_LOOP(directive, max)                                                                            \
    }

/** One processor's fold: for parts that are many. */
template <class Op, class T> typename Op::value fold_alone(const T *in, size_t n) {
    typename Op::value total = Op::identity();
    HOST_FOLD(simd)
    return total;
}

/** A reduction that is chosen once and then called through one pointer. */
struct host_reduction {
    const void *in;
    size_t n, parts;
    const cl_uint *offsets;
    std::vector<unsigned char> result;
    void (*call)(host_reduction *self);

    size_t begin(size_t part) const {
        return offsets != nullptr ? offsets[part] : part * (n / parts);
    }
};

/**
 * The open, run, result and close of a peer made from two algorithms of F: fold<Op>(in, n), and each(count,
 * f), which calls f(0) … f(count - 1), all by all processors.
 */
template <class F> struct host_peer {
    /* Fewer parts than this are folded one after the other, each by all processors. */
    static constexpr size_t few = 16;

    template <class T, class R, class Op> static void reduce(host_reduction *self) {
        const T *in = static_cast<const T *>(self->in);
        const auto keep = [self](size_t part, typename Op::value value) {
            const R result = static_cast<R>(value);
            std::memcpy(self->result.data() + part * sizeof result, &result, sizeof result);
        };
        const auto length = [self](size_t part) { return self->begin(part + 1) - self->begin(part); };
        if (self->parts < few)
            for (size_t part = 0; part < self->parts; part++)
                keep(part, F::template fold<Op>(in + self->begin(part), length(part)));
        else
            F::each(self->parts,
                    [&](size_t part) { keep(part, fold_alone<Op>(in + self->begin(part), length(part))); });
    }

    /* Names of cases: the operator, then what does not matter here: the layout is told by parts and offsets.
     */
    static bool names(const char *name, const char *op) {
        static const char *const ends[] = {
            "", "_fast", "_rows", "_segments_one", "_segments_100", "_segments_mixed"};
        const size_t length = std::strlen(op);
        bool known = false;
        for (const char *end : ends)
            known = known || (std::strncmp(name, op, length) == 0 && std::strcmp(name + length, end) == 0);
        return known;
    }

    template <class T, class Wide> static void (*choose(const peer_input *input))(host_reduction *) {
        if (names(input->name, "sum"))
            return input->result == input->type ? reduce<T, T, op_sum<T>> : reduce<T, Wide, op_sum<Wide>>;
        if (names(input->name, "min"))
            return reduce<T, T, op_min<T>>;
        return names(input->name, "max") ? reduce<T, T, op_max<T>> : nullptr;
    }

    static const char *open(const peer_input *input, void **state) {
        void (*call)(host_reduction *) = nullptr;
        *state = nullptr;
        if (input->n == 0)
            return "nothing to do";
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
        try {
            *state = new host_reduction{input->host,
                                        input->n,
                                        input->parts > 0 ? input->parts : 1,
                                        input->offsets,
                                        std::vector<unsigned char>(input->result_size),
                                        call};
        } catch (...) {
            return "out of memory";
        }
        return nullptr;
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
        std::memcpy(out, self->result.data(), self->result.size());
        return nullptr;
    }

    static void close(void *state) {
        delete static_cast<host_reduction *>(state);
    }

    static constexpr peer as(const char *name, const char *note) {
        return {name, nullptr, 1, note, open, run, result, close, nullptr, nullptr, nullptr};
    }
};

} // namespace

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Boost.Compute's copy_if and unique_copy. */
#include "boost.hpp"
#include "select_cases.h"

#include <boost/compute/algorithm/copy_if.hpp>
#include <boost/compute/algorithm/unique_copy.hpp>
#include <boost/compute/lambda.hpp>

namespace {

struct selection : boost_work<selection> {
    int threshold;
    cl_ulong kept;

    selection(const peer_input *input, function f)
        : boost_work(input, f), threshold(select_threshold(select_percent(input->name), input->type)),
          kept(0) {}

    template <class T> static void above(selection &s) {
        const auto end = compute::copy_if(s.begin<T>(), s.end<T>(), s.outputs<T>(),
                                          compute::_1 > static_cast<T>(s.threshold), s.queue);
        s.kept = static_cast<cl_ulong>(end - s.outputs<T>());
    }

    template <class T> static void unique(selection &s) {
        const auto end = compute::unique_copy(s.begin<T>(), s.end<T>(), s.outputs<T>(), s.queue);
        s.kept = static_cast<cl_ulong>(end - s.outputs<T>());
    }

    template <class T> static function choose(const char *name) {
        if (select_is(name, "unique"))
            return unique<T>;
        return select_is(name, "select") && select_percent(name) > 0 ? above<T> : nullptr;
    }
};

const char *result(void *state, void *out) {
    const selection &s = *static_cast<selection *>(state);
    const char *error = boost_result<selection>(state, out);
    if (error == nullptr)
        std::memcpy(static_cast<char *>(out) + s.result_size, &s.kept, sizeof s.kept);
    return error;
}

} // namespace

extern "C" {
extern const struct peer peer_select_boost;
const struct peer peer_select_boost = {"boost.compute",
                                       nullptr,
                                       0,
                                       "it waits for the count of each call",
                                       boost_open<selection>,
                                       boost_run<selection>,
                                       result,
                                       boost_close<selection>,
                                       nullptr,
                                       nullptr,
                                       nullptr};
}

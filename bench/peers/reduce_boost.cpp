/* SPDX-License-Identifier: Apache-2.0 */
/* Boost.Compute's reduce. */
#include "boost.hpp"

#include <boost/compute/algorithm/reduce.hpp>
#include <boost/compute/functional.hpp>

namespace {

struct reduction : boost_work<reduction> {
    using boost_work::boost_work;

    template <class T, class F> static void reduce(reduction &r) {
        compute::reduce(r.begin<T>(), r.end<T>(), r.outputs<T>(), F(), r.queue);
    }

    template <class T> static function choose(const char *name) {
        if (std::strcmp(name, "sum") == 0)
            return reduce<T, compute::plus<T>>;
        if (std::strcmp(name, "min") == 0)
            return reduce<T, compute::min<T>>;
        return std::strcmp(name, "max") == 0 ? reduce<T, compute::max<T>> : nullptr;
    }
};

const char *open(const peer_input *input, void **state) {
    *state = nullptr;
    if (input->parts > 0)
        return "not written for rows and segments";
    if (input->type != input->result)
        return "its reduce sums in the type of the elements";
    return boost_open<reduction>(input, state);
}

} // namespace

extern "C" {
extern const struct peer peer_reduce_boost;
const struct peer peer_reduce_boost = {
    "boost.compute",        nullptr, 0,       nullptr, open, boost_run<reduction>, boost_result<reduction>,
    boost_close<reduction>, nullptr, nullptr, nullptr};
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Boost.Compute's scans. */
#include "boost.hpp"

#include <boost/compute/algorithm/exclusive_scan.hpp>
#include <boost/compute/algorithm/inclusive_scan.hpp>

namespace {

struct scan : boost_work<scan> {
    using boost_work::boost_work;

    template <class T> static void inclusive_sum(scan &s) {
        compute::inclusive_scan(s.begin<T>(), s.end<T>(), s.outputs<T>(), s.queue);
    }

    template <class T> static void exclusive_sum(scan &s) {
        compute::exclusive_scan(s.begin<T>(), s.end<T>(), s.outputs<T>(), s.queue);
    }

    template <class T> static function choose(const char *name) {
        if (std::strcmp(name, "sum") == 0)
            return inclusive_sum<T>;
        return std::strcmp(name, "exclusive_sum") == 0 ? exclusive_sum<T> : nullptr;
    }
};

const char *open(const peer_input *input, void **state) {
    *state = nullptr;
    if (input->parts > 0 || input->type != input->result)
        return "not written for this case";
    return boost_open<scan>(input, state);
}

} // namespace

extern "C" {
extern const struct peer peer_scan_boost;
const struct peer peer_scan_boost = {
    "boost.compute",    nullptr,           0,       nullptr, open,   boost_run<scan>,
    boost_result<scan>, boost_close<scan>, nullptr, nullptr, nullptr};
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CUB's DeviceHistogram. Compiled once for each peer that is made of it (peers.cmake):
 *   CLP_PEER              the suffix of the symbol: cub, cub_new
 *   CLP_PEER_NAME         the name in the table
 *   CLP_CUB_VERSION       which CUB the build means: proves that its headers come first
 */
#include "cuda.cuh"
#include "histogram_cases.h"

#include <cub/device/device_histogram.cuh>

#if CUB_VERSION != CLP_CUB_VERSION
#error "these are not the CUB headers that the build chose"
#endif

namespace PEER_SPACE {
namespace histograms { /* other patterns' peers have these names too */

using work = cuda_work;

/* Levels are one more than bins; the upper one is exclusive. */
template <class T, class Level, int bins> cudaError_t even(work &w) {
    const bool bytes = sizeof(T) == 1;
    return cub::DeviceHistogram::HistogramEven(
        w.scratch, w.scratch_size, static_cast<const T *>(w.in), static_cast<unsigned int *>(w.out), bins + 1,
        static_cast<Level>(bytes ? 0 : HISTOGRAM_LOW), static_cast<Level>(bytes ? 256 : HISTOGRAM_HIGH),
        static_cast<std::int64_t>(w.n), w.stream);
}

/* The edges go where other patterns' offsets are. */
template <class T> cudaError_t range(work &w) {
    return cub::DeviceHistogram::HistogramRange(
        w.scratch, w.scratch_size, static_cast<const T *>(w.in), static_cast<unsigned int *>(w.out),
        static_cast<int>(w.parts) + 1, static_cast<const T *>(w.offsets), static_cast<std::int64_t>(w.n),
        w.stream);
}

/* The cases: one line each. */
const struct {
    const char *name;
    clp_type type;
    cudaError_t (*call)(work &w);
} cases[] = {
    {"bytes", CLP_U8, even<std::uint8_t, int, 256>},
    {"bytes_zeros_90", CLP_U8, even<std::uint8_t, int, 256>},
    {"bytes_runs_one", CLP_U8, even<std::uint8_t, int, 256>},
    {"even_1024", CLP_F32, even<float, float, 1024>},
    {"even_65536", CLP_F32, even<float, float, 65536>},
    {"edges_512", CLP_U32, range<std::uint32_t>},
};

const char *cub_open(const peer_input *input, void **state) {
    *state = nullptr;
    if (input->n == 0)
        return "nothing to do";
    for (const auto &c : cases)
        if (std::strcmp(c.name, input->name) == 0 && c.type == input->type && input->result == CLP_U32)
            return cuda_open(input, c.call, state);
    return "not written for this case";
}

} // namespace histograms
} // namespace PEER_SPACE

#define TEXT_(x) #x
#define TEXT(x)  TEXT_(x)
#define PEER     JOIN(peer_histogram_, CLP_PEER)
#define VERSION  "CUB " TEXT(CUB_MAJOR_VERSION) "." TEXT(CUB_MINOR_VERSION) "." TEXT(CUB_SUBMINOR_VERSION)

using namespace PEER_SPACE;
using namespace PEER_SPACE::histograms;

extern "C" {
extern const struct peer PEER;
const struct peer PEER = {CLP_PEER_NAME, nullptr,    0,          VERSION,       cub_open, cuda_run,
                          cuda_result,   cuda_close, cuda_unfit, cuda_event_ms, nullptr};
}

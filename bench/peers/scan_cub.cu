/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CUB's DeviceScan. Compiled once for each peer that is made of it (peers.cmake):
 *   CLP_PEER              the suffix of the symbol: cub, cub_new
 *   CLP_PEER_NAME         the name in the table
 *   CLP_CUB_VERSION       which CUB the build means: proves that its headers come first
 */
#include "cuda.cuh"

#include <cub/device/device_scan.cuh>

#if CUB_VERSION != CLP_CUB_VERSION
#error "these are not the CUB headers that the build chose"
#endif

namespace PEER_SPACE {
namespace scans { /* other patterns' peers have these names too */

using work = cuda_work;

template <class T> cudaError_t sum(work &w) {
    return cub::DeviceScan::InclusiveSum(w.scratch, w.scratch_size, static_cast<const T *>(w.in),
                                         static_cast<T *>(w.out), w.n, w.stream);
}

template <class T> cudaError_t exclusive_sum(work &w) {
    return cub::DeviceScan::ExclusiveSum(w.scratch, w.scratch_size, static_cast<const T *>(w.in),
                                         static_cast<T *>(w.out), w.n, w.stream);
}

/* The cases: one line each. */
const struct {
    const char *name;
    clp_type type;
    cudaError_t (*call)(work &w);
} cases[] = {
    {"sum", CLP_I8, sum<int8_t>},
    {"sum", CLP_I32, sum<int32_t>},
    {"sum", CLP_U32, sum<uint32_t>},
    {"sum", CLP_I64, sum<int64_t>},
    {"sum", CLP_F32, sum<float>},
    {"sum", CLP_F64, sum<double>},
    {"exclusive_sum", CLP_U32, exclusive_sum<uint32_t>},
    {"exclusive_sum", CLP_U64, exclusive_sum<uint64_t>},
    {"exclusive_sum", CLP_F32, exclusive_sum<float>},
    {"exclusive_sum", CLP_F64, exclusive_sum<double>},
};

const char *cub_open(const peer_input *input, void **state) {
    *state = nullptr;
    if (input->n == 0)
        return "nothing to do";
    for (const auto &c : cases)
        if (std::strcmp(c.name, input->name) == 0 && c.type == input->type && input->result == input->type &&
            input->parts == 0)
            return cuda_open(input, c.call, state);
    return "not written for this case";
}

} // namespace scans
} // namespace PEER_SPACE

#define TEXT_(x) #x
#define TEXT(x)  TEXT_(x)
#define PEER     JOIN(peer_scan_, CLP_PEER)
#define VERSION  "CUB " TEXT(CUB_MAJOR_VERSION) "." TEXT(CUB_MINOR_VERSION) "." TEXT(CUB_SUBMINOR_VERSION)

using namespace PEER_SPACE;
using namespace PEER_SPACE::scans;

extern "C" {
extern const struct peer PEER;
const struct peer PEER = {CLP_PEER_NAME, nullptr,       0,           VERSION ", its own order of floats",
                          cub_open,      cuda_run,      cuda_result, cuda_close,
                          cuda_unfit,    cuda_event_ms, nullptr};
}

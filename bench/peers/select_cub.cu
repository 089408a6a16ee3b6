/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CUB's DeviceSelect and DevicePartition. Compiled once for each peer that is made of it (peers.cmake):
 *   CLP_PEER              the suffix of the symbol: cub, cub_new
 *   CLP_PEER_NAME         the name in the table
 *   CLP_CUB_VERSION       which CUB the build means: proves that its headers come first
 */
#include "cuda.cuh"
#include "select_cases.h"

#include <cub/device/device_partition.cuh>
#include <cub/device/device_select.cuh>

#if CUB_VERSION != CLP_CUB_VERSION
#error "these are not the CUB headers that the build chose"
#endif

namespace PEER_SPACE {
namespace selections { /* other patterns' peers have these names too */

using work = cuda_work;

template <class T> struct above {
    T threshold;
    __host__ __device__ bool operator()(const T &x) const {
        return x > threshold;
    }
};

/* The count goes where others keep an extreme. */
inline unsigned long long *count_of(work &w) {
    return static_cast<unsigned long long *>(w.extreme);
}

template <class T, clp_type type, int percent> cudaError_t where(work &w) {
    return cub::DeviceSelect::If(w.scratch, w.scratch_size, static_cast<const T *>(w.in),
                                 static_cast<T *>(w.out), count_of(w), static_cast<std::int64_t>(w.n),
                                 above<T>{static_cast<T>(select_threshold(percent, type))}, w.stream);
}

template <class T> cudaError_t flagged(work &w) {
    return cub::DeviceSelect::Flagged(w.scratch, w.scratch_size, static_cast<const T *>(w.in),
                                      static_cast<const unsigned char *>(w.heads), static_cast<T *>(w.out),
                                      count_of(w), static_cast<std::int64_t>(w.n), w.stream);
}

template <class T> cudaError_t unique(work &w) {
    return cub::DeviceSelect::Unique(w.scratch, w.scratch_size, static_cast<const T *>(w.in),
                                     static_cast<T *>(w.out), count_of(w), static_cast<std::int64_t>(w.n),
                                     w.stream);
}

/* The others lie behind, from the last one to the first. */
template <class T> cudaError_t partition(work &w) {
    return cub::DevicePartition::If(w.scratch, w.scratch_size, static_cast<const T *>(w.in),
                                    static_cast<T *>(w.out), count_of(w), static_cast<std::int64_t>(w.n),
                                    above<T>{static_cast<T>(select_threshold(50, CLP_F32))}, w.stream);
}

/* The cases: one line each. */
const struct {
    const char *name;
    clp_type type;
    cudaError_t (*call)(work &w);
} cases[] = {
    {"select_where_50", CLP_U8, where<uint8_t, CLP_U8, 50>},
    {"select_where_50", CLP_I32, where<int32_t, CLP_I32, 50>},
    {"select_where_1", CLP_F32, where<float, CLP_F32, 1>},
    {"select_where_50", CLP_F32, where<float, CLP_F32, 50>},
    {"select_where_99", CLP_F32, where<float, CLP_F32, 99>},
    {"select_where_50", CLP_F64, where<double, CLP_F64, 50>},
    {"select_flags_half", CLP_F32, flagged<float>},
    {"select_flags_half", CLP_U64, flagged<uint64_t>},
    {"select_flags_100", CLP_U16, flagged<uint16_t>},
    {"partition_where_50", CLP_F32, partition<float>},
    {"unique", CLP_U8, unique<uint8_t>},
    {"unique", CLP_F32, unique<float>},
    {"unique_runs_5", CLP_U32, unique<uint32_t>},
    {"unique_runs_5", CLP_F32, unique<float>},
    {"unique_runs_100", CLP_F32, unique<float>},
    {"unique_runs_mixed", CLP_F64, unique<double>},
};

const char *cub_open(const peer_input *input, void **state) {
    *state = nullptr;
    if (input->n == 0)
        return "nothing to do";
    for (const auto &c : cases)
        if (std::strcmp(c.name, input->name) == 0 && c.type == input->type)
            return cuda_open(input, c.call, state);
    return "not written for this case";
}

} // namespace selections
} // namespace PEER_SPACE

#define TEXT_(x) #x
#define TEXT(x)  TEXT_(x)
#define PEER     JOIN(peer_select_, CLP_PEER)
#define VERSION  "CUB " TEXT(CUB_MAJOR_VERSION) "." TEXT(CUB_MINOR_VERSION) "." TEXT(CUB_SUBMINOR_VERSION)

using namespace PEER_SPACE;
using namespace PEER_SPACE::selections;

extern "C" {
extern const struct peer PEER;
const struct peer PEER = {CLP_PEER_NAME,
                          nullptr,
                          0,
                          VERSION ", others of a partition backwards",
                          cub_open,
                          cuda_run,
                          cuda_result_counted,
                          cuda_close,
                          cuda_unfit,
                          cuda_event_ms,
                          nullptr};
}

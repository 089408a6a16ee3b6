/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CUB's DeviceRunLengthEncode and ReduceByKey. Compiled once for each peer that is made of it (peers.cmake):
 *   CLP_PEER              the suffix of the symbol: cub, cub_new
 *   CLP_PEER_NAME         the name in the table
 *   CLP_CUB_VERSION       which CUB the build means: proves that its headers come first
 */
#include "cuda.cuh"

#include <climits>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_run_length_encode.cuh>

#if CUB_VERSION != CLP_CUB_VERSION
#error "these are not the CUB headers that the build chose"
#endif

namespace PEER_SPACE {
namespace runs { /* other patterns' peers have these names too */

using work = cuda_work;

/* The count goes where others keep an extreme. */
inline unsigned long long *count_of(work &w) {
    return static_cast<unsigned long long *>(w.extreme);
}

struct plus {
    template <class T> __host__ __device__ T operator()(const T &a, const T &b) const {
        return a + b;
    }
};

/* Lengths, and the values behind them. */
template <class T, class Length> cudaError_t lengths(work &w) {
    Length *out = static_cast<Length *>(w.out);
    return cub::DeviceRunLengthEncode::Encode(w.scratch, w.scratch_size, static_cast<const T *>(w.in),
                                              reinterpret_cast<T *>(out + w.n), out, count_of(w),
                                              static_cast<int>(w.n), w.stream);
}

/* Totals, and the keys behind them. */
cudaError_t sums(work &w) {
    float *out = static_cast<float *>(w.out);
    return cub::DeviceReduce::ReduceByKey(w.scratch, w.scratch_size, static_cast<const uint32_t *>(w.heads),
                                          reinterpret_cast<uint32_t *>(out + w.n),
                                          static_cast<const float *>(w.in), out, count_of(w), plus{},
                                          static_cast<int>(w.n), w.stream);
}

/* The cases: one line each. They begin with the name. */
const struct {
    const char *name;
    clp_type type;
    cudaError_t (*call)(work &w);
} cases[] = {
    {"rle", CLP_U8, lengths<uint8_t, uint64_t>},
    {"rle", CLP_U32, lengths<uint32_t, uint32_t>},
    {"rle", CLP_F32, lengths<float, uint32_t>},
    {"sum_keys", CLP_F32, sums},
};

const char *cub_open(const peer_input *input, void **state) {
    *state = nullptr;
    if (input->n == 0)
        return "nothing to do";
    if (input->n > INT_MAX)
        return "more elements than an int counts";
    for (const auto &c : cases)
        if (std::strncmp(c.name, input->name, std::strlen(c.name)) == 0 && c.type == input->type)
            return cuda_open(input, c.call, state);
    return "not written for this case";
}

} // namespace runs
} // namespace PEER_SPACE

#define TEXT_(x) #x
#define TEXT(x)  TEXT_(x)
#define PEER     JOIN(peer_runs_, CLP_PEER)
#define VERSION  "CUB " TEXT(CUB_MAJOR_VERSION) "." TEXT(CUB_MINOR_VERSION) "." TEXT(CUB_SUBMINOR_VERSION)

using namespace PEER_SPACE;
using namespace PEER_SPACE::runs;

extern "C" {
extern const struct peer PEER;
const struct peer PEER = {CLP_PEER_NAME,       nullptr,    0,          VERSION,       cub_open, cuda_run,
                          cuda_result_counted, cuda_close, cuda_unfit, cuda_event_ms, nullptr};
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CUB's DeviceReduce. Compiled once for each peer that is made of it (peers.cmake):
 *   CLP_PEER              the suffix of the symbol: cub, cub_new, cub_gpu_to_gpu
 *   CLP_PEER_NAME         the name in the table
 *   CLP_CUB_VERSION       which CUB the build means: proves that its headers come first
 *   CLP_CUB_GPU_TO_GPU    1: only sums that have the same bits on every GPU
 */
#include "cuda.cuh"

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#if CUB_VERSION != CLP_CUB_VERSION
#error "these are not the CUB headers that the build chose"
#endif

namespace PEER_SPACE {

using work = cuda_work;

#if CLP_CUB_GPU_TO_GPU

/* Only the interface with an environment has it. It allocates its scratch memory in each call, from the
 * device's pool, which cub_open() tells to keep it. */
template <class T, class R> cudaError_t sum(work &w) {
    if (w.scratch == nullptr)
        return cudaSuccess;
    const auto env = cuda::std::execution::env{
        cuda::stream_ref{w.stream}, cuda::execution::require(cuda::execution::determinism::gpu_to_gpu)};
    return cub::DeviceReduce::Sum(static_cast<const T *>(w.in), static_cast<R *>(w.out), w.n, env);
}

#else

/* It accumulates in the type of its output. */
template <class T, class R> cudaError_t sum(work &w) {
    return cub::DeviceReduce::Sum(w.scratch, w.scratch_size, static_cast<const T *>(w.in),
                                  static_cast<R *>(w.out), w.n, w.stream);
}

template <class T> cudaError_t min(work &w) {
    return cub::DeviceReduce::Min(w.scratch, w.scratch_size, static_cast<const T *>(w.in),
                                  static_cast<T *>(w.out), w.n, w.stream);
}

template <class T> cudaError_t max(work &w) {
    return cub::DeviceReduce::Max(w.scratch, w.scratch_size, static_cast<const T *>(w.in),
                                  static_cast<T *>(w.out), w.n, w.stream);
}

/* Halves are summed as floats. */
template <class T> struct as_float {
    __host__ __device__ float operator()(T x) const {
        return static_cast<float>(x);
    }
};

template <class T> cudaError_t sum_halves(work &w) {
    return cub::DeviceReduce::TransformReduce(w.scratch, w.scratch_size, static_cast<const T *>(w.in),
                                              static_cast<float *>(w.out), w.n, cuda::std::plus<float>{},
                                              as_float<T>{}, 0.0f, w.stream);
}

/* Equal rows, by offsets or, where there is one, by the form that is made for them. */
struct row_start {
    size_t length;
    __host__ __device__ int64_t operator()(int64_t row) const {
        return row * static_cast<int64_t>(length);
    }
};

template <class Call> cudaError_t by_rows(work &w, const Call &call) {
#if CUB_VERSION >= 300500
    return call(static_cast<int64_t>(w.rows), static_cast<int>(w.n / w.rows));
#else
    const auto starts =
        thrust::make_transform_iterator(thrust::counting_iterator<int64_t>(0), row_start{w.n / w.rows});
    return call(static_cast<int64_t>(w.rows), starts, starts + 1);
#endif
}

template <class T, class R> cudaError_t sum_rows(work &w) {
    return by_rows(w, [&](auto... rows) {
        return cub::DeviceSegmentedReduce::Sum(w.scratch, w.scratch_size, static_cast<const T *>(w.in),
                                               static_cast<R *>(w.out), rows..., w.stream);
    });
}

template <class T> cudaError_t max_rows(work &w) {
    return by_rows(w, [&](auto... rows) {
        return cub::DeviceSegmentedReduce::Max(w.scratch, w.scratch_size, static_cast<const T *>(w.in),
                                               static_cast<T *>(w.out), rows..., w.stream);
    });
}

#endif

/* The cases: one line each. */
const struct {
    const char *name;
    clp_type type, result;
    cudaError_t (*call)(work &w);
    bool rows;
} cases[] = {
    {"sum", CLP_F32, CLP_F32, sum<float, float>},
    {"sum", CLP_F64, CLP_F64, sum<double, double>},
#if !CLP_CUB_GPU_TO_GPU
    {"sum", CLP_I8, CLP_I64, sum<int8_t, int64_t>},
    {"sum", CLP_U8, CLP_U64, sum<uint8_t, uint64_t>},
    {"sum", CLP_U8, CLP_U32, sum<uint8_t, uint32_t>},
    {"sum", CLP_I16, CLP_I64, sum<int16_t, int64_t>},
    {"sum", CLP_U16, CLP_U64, sum<uint16_t, uint64_t>},
    {"sum", CLP_I32, CLP_I64, sum<int32_t, int64_t>},
    {"sum", CLP_I32, CLP_I32, sum<int32_t, int32_t>},
    {"sum", CLP_U32, CLP_U64, sum<uint32_t, uint64_t>},
    {"sum", CLP_U32, CLP_U32, sum<uint32_t, uint32_t>},
    {"sum", CLP_I64, CLP_I64, sum<int64_t, int64_t>},
    {"sum", CLP_U64, CLP_U64, sum<uint64_t, uint64_t>},
    {"sum", CLP_F16, CLP_F32, sum_halves<__half>},
    {"sum", CLP_BF16, CLP_F32, sum_halves<__nv_bfloat16>},
    {"min", CLP_I32, CLP_I32, min<int32_t>},
    {"max", CLP_I32, CLP_I32, max<int32_t>},
    {"min", CLP_U32, CLP_U32, min<uint32_t>},
    {"max", CLP_U32, CLP_U32, max<uint32_t>},
    {"min", CLP_F32, CLP_F32, min<float>},
    {"max", CLP_F32, CLP_F32, max<float>},
    {"min", CLP_F64, CLP_F64, min<double>},
    {"max", CLP_F64, CLP_F64, max<double>},
    {"max", CLP_U8, CLP_U8, max<uint8_t>},
    {"max", CLP_F16, CLP_F16, max<__half>},
    {"max", CLP_BF16, CLP_BF16, max<__nv_bfloat16>},
    {"sum", CLP_F32, CLP_F32, sum_rows<float, float>, true},
    {"max", CLP_F32, CLP_F32, max_rows<float>, true},
#endif
};

const char *cub_open(const peer_input *input, void **state) {
    *state = nullptr;
    if (input->n == 0)
        return "nothing to do";
#if CLP_CUB_GPU_TO_GPU
    cudaMemPool_t pool;
    unsigned long long keep = ~0ULL;
    int device;
    const char *error = cuda_select(input->device);
    if (error != nullptr)
        return error;
    if (cudaGetDevice(&device) == cudaSuccess && cudaDeviceGetDefaultMemPool(&pool, device) == cudaSuccess)
        cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep);
#endif
    for (const auto &c : cases)
        if (std::strcmp(c.name, input->name) == 0 && c.type == input->type && c.result == input->result &&
            c.rows == (input->rows > 0))
            return cuda_open(input, c.call, state);
    return "not written for this case";
}

} // namespace PEER_SPACE

#define TEXT_(x) #x
#define TEXT(x)  TEXT_(x)
#define PEER     JOIN(peer_reduce_, CLP_PEER)
#define VERSION  "CUB " TEXT(CUB_MAJOR_VERSION) "." TEXT(CUB_MINOR_VERSION) "." TEXT(CUB_SUBMINOR_VERSION)

using namespace PEER_SPACE;

extern "C" {
extern const struct peer PEER;
const struct peer PEER = {CLP_PEER_NAME,
                          nullptr,
                          0,
#if CLP_CUB_GPU_TO_GPU
                          VERSION ", determinism gpu_to_gpu, scratch memory from the pool in each call",
#else
                          VERSION ", its own order of floats",
#endif
                          cub_open,
                          cuda_run,
                          cuda_result,
                          cuda_close,
                          cuda_unfit,
                          cuda_event_ms,
                          nullptr};
}

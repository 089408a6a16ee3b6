/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CUB's DeviceReduce. Compiled once for each peer that is made of it (peers.cmake):
 *   CLP_PEER              the suffix of the symbol: cub, cub_new, cub_gpu_to_gpu
 *   CLP_PEER_NAME         the name in the table
 *   CLP_CUB_VERSION       which CUB the build means: proves that its headers come first
 *   CLP_CUB_GPU_TO_GPU    1: only sums that have the same bits on every GPU
 * Sums and maxima of rows and segments are DeviceSegmentedReduce; it needs CUB 3.0 for indices and fixed
 * rows 3.1.
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

/* The first of equals wins, as in the library. The index alone is the result; older ones write a pair. */
#if CUB_VERSION >= 300000
template <class T> cudaError_t arg_min(work &w) {
    return cub::DeviceReduce::ArgMin(w.scratch, w.scratch_size, static_cast<const T *>(w.in),
                                     static_cast<T *>(w.extreme), static_cast<int64_t *>(w.out),
                                     static_cast<int64_t>(w.n), w.stream);
}

template <class T> cudaError_t arg_max(work &w) {
    return cub::DeviceReduce::ArgMax(w.scratch, w.scratch_size, static_cast<const T *>(w.in),
                                     static_cast<T *>(w.extreme), static_cast<int64_t *>(w.out),
                                     static_cast<int64_t>(w.n), w.stream);
}
#endif

/* Segments by their offsets. Equal rows by the form that is made for them or, where there is none, by offsets
 * that are computed. */
struct row_start {
    size_t length;
    __host__ __device__ int64_t operator()(int64_t row) const {
        return row * static_cast<int64_t>(length);
    }
};

template <class Call> cudaError_t by_parts(work &w, const Call &call) {
    const auto parts = static_cast<int64_t>(w.parts);
    const cl_uint *offsets = static_cast<const cl_uint *>(w.offsets);
    if (offsets != nullptr)
        return call(parts, offsets, offsets + 1);
#if CUB_VERSION >= 300100
    return call(parts, static_cast<int>(w.n / w.parts));
#else
    const auto starts =
        thrust::make_transform_iterator(thrust::counting_iterator<int64_t>(0), row_start{w.n / w.parts});
    return call(parts, starts, starts + 1);
#endif
}

template <class T, class R> cudaError_t sum_parts(work &w) {
    return by_parts(w, [&](auto... parts) {
        return cub::DeviceSegmentedReduce::Sum(w.scratch, w.scratch_size, static_cast<const T *>(w.in),
                                               static_cast<R *>(w.out), parts..., w.stream);
    });
}

template <class T> cudaError_t max_parts(work &w) {
    return by_parts(w, [&](auto... parts) {
        return cub::DeviceSegmentedReduce::Max(w.scratch, w.scratch_size, static_cast<const T *>(w.in),
                                               static_cast<T *>(w.out), parts..., w.stream);
    });
}

#endif

/* The cases: one line each. */
const struct {
    const char *name;
    clp_type type, result;
    cudaError_t (*call)(work &w);
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
#if CUB_VERSION >= 300000
    {"argmin", CLP_I32, CLP_U64, arg_min<int32_t>},
    {"argmax", CLP_I32, CLP_U64, arg_max<int32_t>},
    {"argmin", CLP_I64, CLP_U64, arg_min<int64_t>},
    {"argmax", CLP_U8, CLP_U64, arg_max<uint8_t>},
    {"argmin", CLP_F32, CLP_U64, arg_min<float>},
    {"argmax", CLP_F32, CLP_U64, arg_max<float>},
    {"argmax", CLP_F64, CLP_U64, arg_max<double>},
#endif
    {"sum_rows", CLP_I32, CLP_I64, sum_parts<int32_t, int64_t>},
    {"sum_rows", CLP_F32, CLP_F32, sum_parts<float, float>},
    {"max_rows", CLP_F32, CLP_F32, max_parts<float>},
    {"sum_segments_one", CLP_F32, CLP_F32, sum_parts<float, float>},
    {"sum_segments_100", CLP_F32, CLP_F32, sum_parts<float, float>},
    {"sum_segments_mixed", CLP_F32, CLP_F32, sum_parts<float, float>},
    {"sum_segments_mixed", CLP_F64, CLP_F64, sum_parts<double, double>},
    {"max_segments_mixed", CLP_I32, CLP_I32, max_parts<int32_t>},
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
        if (std::strcmp(c.name, input->name) == 0 && c.type == input->type && c.result == input->result)
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

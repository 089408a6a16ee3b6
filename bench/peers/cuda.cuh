/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file cuda.cuh What CUDA's peers share: the same GPU, a copy of the input, memory that is allocated once,
 * the calls in a row and their time.
 */
#ifndef CUDA_CUH
#define CUDA_CUH

#include "nvidia.h"
#include "peers.h"

#include <cstring>
#include <cuda_runtime.h>
#include <new>

/* One file becomes several peers, and nvcc tells apart anonymous namespaces by file only. */
#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)
#define PEER_SPACE  JOIN(peer_of_, CLP_PEER)

namespace PEER_SPACE {

/** One case at work. offsets: where its parts begin and the last one ends; null: none, or equal rows.
 * heads: n flags or keys, or null. extreme: room for one element, or a count, besides the result. `call`
 * enqueues it once on `stream`; without scratch memory it says how much it needs.
 */
struct cuda_work {
    cudaStream_t stream;
    cudaEvent_t begin, end;
    void *base, *out, *scratch, *offsets, *heads, *extreme;
    const void *in; /* in base */
    size_t n, parts, result_size, scratch_size;
    cudaError_t (*call)(cuda_work &work);
};

/** Makes the GPU behind an OpenCL device current. @return NULL or what is wrong */
inline const char *cuda_select(cl_device_id device) {
    nvidia_gpu gpu;
    int count = 0;
    const char *error = nvidia_gpu_of(device, &gpu);
    if (error != nullptr)
        return error;
    if (cudaGetDeviceCount(&count) != cudaSuccess)
        return "CUDA finds no GPU, or its driver is too old for this CUDA";
    for (int i = 0; i < count; i++) {
        cudaDeviceProp is;
        if (cudaGetDeviceProperties(&is, i) != cudaSuccess)
            continue;
        const bool same = gpu.has_uuid ? std::memcmp(is.uuid.bytes, gpu.uuid, sizeof gpu.uuid) == 0
                                       : static_cast<cl_uint>(is.pciDomainID) == gpu.pci_domain &&
                                             static_cast<cl_uint>(is.pciBusID) == gpu.pci_bus &&
                                             static_cast<cl_uint>(is.pciDeviceID) == gpu.pci_device;
        if (same)
            return cudaSetDevice(i) == cudaSuccess ? nullptr : "CUDA cannot use this GPU";
    }
    return "CUDA does not see this OpenCL device";
}

inline void cuda_close(void *state) {
    cuda_work *work = static_cast<cuda_work *>(state);
    if (work == nullptr)
        return;
    cudaFree(work->base);
    cudaFree(work->out);
    cudaFree(work->scratch);
    cudaFree(work->offsets);
    cudaFree(work->heads);
    cudaFree(work->extreme);
    if (work->begin != nullptr)
        cudaEventDestroy(work->begin);
    if (work->end != nullptr)
        cudaEventDestroy(work->end);
    if (work->stream != nullptr)
        cudaStreamDestroy(work->stream);
    delete work;
}

/** Copies the input, at the same offset, and allocates all that the call needs. */
inline const char *cuda_open(const peer_input *input, cudaError_t (*call)(cuda_work &), void **state) {
    const size_t size = clp_type_size(input->type), before = input->offset * size, bytes = input->n * size;
    *state = nullptr;
    const char *error = cuda_select(input->device);
    if (error != nullptr)
        return error;
    cuda_work *work = new (std::nothrow) cuda_work{};
    if (work == nullptr)
        return "out of memory";
    work->n = input->n;
    work->parts = input->parts;
    work->result_size = input->result_size;
    work->call = call;
    cudaError_t status = cudaStreamCreateWithFlags(&work->stream, cudaStreamNonBlocking);
    if (status == cudaSuccess)
        status = cudaEventCreate(&work->begin);
    if (status == cudaSuccess)
        status = cudaEventCreate(&work->end);
    if (status == cudaSuccess)
        status = cudaMalloc(&work->base, before + bytes + 1);
    if (status == cudaSuccess)
        status = cudaMalloc(&work->out, work->result_size);
    if (status == cudaSuccess)
        status = cudaMalloc(&work->extreme, sizeof(double));
    if (status == cudaSuccess && input->offsets != nullptr) {
        const size_t offsets = (input->parts + 1) * sizeof *input->offsets;
        status = cudaMalloc(&work->offsets, offsets);
        if (status == cudaSuccess)
            status = cudaMemcpy(work->offsets, input->offsets, offsets, cudaMemcpyHostToDevice);
    }
    if (status == cudaSuccess && input->heads != nullptr) {
        const size_t heads = input->n * input->heads_size;
        status = cudaMalloc(&work->heads, heads);
        if (status == cudaSuccess)
            status = cudaMemcpy(work->heads, input->heads, heads, cudaMemcpyHostToDevice);
    }
    if (status == cudaSuccess) {
        work->in = static_cast<char *>(work->base) + before;
        status =
            cudaMemcpy(static_cast<char *>(work->base) + before, input->host, bytes, cudaMemcpyHostToDevice);
    }
    if (status == cudaSuccess)
        status = call(*work);
    if (status == cudaSuccess)
        status = cudaMalloc(&work->scratch, work->scratch_size + 1);
    if (status == cudaSuccess)
        status = cudaDeviceSynchronize();
    if (status != cudaSuccess) {
        cuda_close(work);
        return cudaGetErrorString(status);
    }
    *state = work;
    return nullptr;
}

inline const char *cuda_text(cudaError_t status) {
    return status == cudaSuccess ? nullptr : cudaGetErrorString(status);
}

inline const char *cuda_run(void *state, size_t calls) {
    cuda_work &work = *static_cast<cuda_work *>(state);
    for (size_t i = 0; i < calls; i++) {
        const cudaError_t status = work.call(work);
        if (status != cudaSuccess)
            return cudaGetErrorString(status);
    }
    return cuda_text(cudaStreamSynchronize(work.stream));
}

inline double cuda_event_ms(void *state) {
    cuda_work &work = *static_cast<cuda_work *>(state);
    float ms = -1;
    if (cudaEventRecord(work.begin, work.stream) != cudaSuccess || work.call(work) != cudaSuccess ||
        cudaEventRecord(work.end, work.stream) != cudaSuccess ||
        cudaEventSynchronize(work.end) != cudaSuccess ||
        cudaEventElapsedTime(&ms, work.begin, work.end) != cudaSuccess)
        return -1;
    return static_cast<double>(ms);
}

inline const char *cuda_result(void *state, void *out) {
    const cuda_work &work = *static_cast<const cuda_work *>(state);
    return cuda_text(cudaMemcpy(out, work.out, work.result_size, cudaMemcpyDeviceToHost));
}

/** The same with the count behind it, which `extreme` has. */
inline const char *cuda_result_counted(void *state, void *out) {
    const cuda_work &work = *static_cast<const cuda_work *>(state);
    const char *error = cuda_result(state, out);
    if (error != nullptr)
        return error;
    return cuda_text(cudaMemcpy(static_cast<char *>(out) + work.result_size, work.extreme,
                                sizeof(unsigned long long), cudaMemcpyDeviceToHost));
}

/** For struct peer: can it run beside this device at all? */
inline const char *cuda_unfit(cl_device_id device) {
    return cuda_select(device);
}

} // namespace PEER_SPACE

#endif

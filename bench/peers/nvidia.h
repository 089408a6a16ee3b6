/* SPDX-License-Identifier: Apache-2.0 */
/** @file nvidia.h Which NVIDIA GPU an OpenCL device is, so that CUDA's peers run on the same one. */
#ifndef NVIDIA_H
#define NVIDIA_H

#include <clpatterns/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What CUDA can be asked for. */
struct nvidia_gpu {
    int has_uuid, has_pci;
    unsigned char uuid[16];
    cl_uint pci_domain, pci_bus, pci_device;
};

/** @return NULL, or a static text: no NVIDIA GPU, or its driver does not tell which one */
const char *nvidia_gpu_of(cl_device_id device, struct nvidia_gpu *gpu);

#ifdef __cplusplus
}
#endif

#endif

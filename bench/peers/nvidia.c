/* SPDX-License-Identifier: Apache-2.0 */
#include "nvidia.h"

/* cl_khr_device_uuid and cl_nv_device_attribute_query; not every cl_ext.h has them. */
enum {
    DEVICE_UUID = 0x106A,
    NV_PCI_BUS = 0x4008,
    NV_PCI_SLOT = 0x4009, /* device << 3 | function */
    NV_PCI_DOMAIN = 0x400A,
    NVIDIA_VENDOR = 0x10DE
};

static int get(cl_device_id device, cl_device_info what, size_t size, void *value) {
    size_t got = 0;
    return clGetDeviceInfo(device, what, size, value, &got) == CL_SUCCESS && got == size;
}

const char *nvidia_gpu_of(cl_device_id device, struct nvidia_gpu *gpu) {
    cl_uint vendor = 0, slot = 0;
    cl_device_type type = 0;
    *gpu = (struct nvidia_gpu){0};
    if (!get(device, CL_DEVICE_VENDOR_ID, sizeof vendor, &vendor) || vendor != NVIDIA_VENDOR ||
        !get(device, CL_DEVICE_TYPE, sizeof type, &type) || (type & CL_DEVICE_TYPE_GPU) == 0)
        return "needs an NVIDIA GPU";
    gpu->has_uuid = get(device, DEVICE_UUID, sizeof gpu->uuid, gpu->uuid);
    gpu->has_pci = get(device, NV_PCI_BUS, sizeof gpu->pci_bus, &gpu->pci_bus) &&
                   get(device, NV_PCI_SLOT, sizeof slot, &slot);
    gpu->pci_device = slot >> 3;
    if (!get(device, NV_PCI_DOMAIN, sizeof gpu->pci_domain, &gpu->pci_domain))
        gpu->pci_domain = 0;
    return gpu->has_uuid || gpu->has_pci ? NULL : "OpenCL does not tell which NVIDIA GPU this is";
}

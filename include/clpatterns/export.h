/* SPDX-License-Identifier: Apache-2.0 */
/** @file export.h Symbol visibility and the version of the library. */
#ifndef CLPATTERNS_EXPORT_H
#define CLPATTERNS_EXPORT_H

#include <stdint.h>

/** Version of these headers. CMake, pkg-config and the SONAME read these three lines. */
#define CLP_VERSION_MAJOR 0
#define CLP_VERSION_MINOR 1
#define CLP_VERSION_PATCH 0

/** One number that orders versions: 0xMMmmpp. */
#define CLP_VERSION ((CLP_VERSION_MAJOR << 16) | (CLP_VERSION_MINOR << 8) | CLP_VERSION_PATCH)

#if defined(CLP_STATIC)
#define CLP_API
#elif defined(_WIN32) && defined(CLP_BUILDING)
#define CLP_API __declspec(dllexport)
#elif defined(_WIN32)
#define CLP_API __declspec(dllimport)
#else
#define CLP_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** The version of the library that is linked, as CLP_VERSION; compare it with the headers' one. */
CLP_API uint32_t clp_version(void);

/** The same as text, for example "0.1.0". Static, never freed. */
CLP_API const char *clp_version_string(void);

#ifdef __cplusplus
}
#endif

#endif

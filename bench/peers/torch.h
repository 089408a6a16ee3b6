/* SPDX-License-Identifier: Apache-2.0 */
/** @file torch.h The script that torch.c runs. */
#ifndef TORCH_H
#define TORCH_H

extern const char torch_script[];

#endif

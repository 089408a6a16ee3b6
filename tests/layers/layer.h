/* SPDX-License-Identifier: Apache-2.0 */
/** @file layer.h What both layers share: how the loader gets to them and how they get on. */
#ifndef CLP_LAYER_H
#define CLP_LAYER_H

#include "calls.h"
#include <CL/cl_icd.h>

/** What the layer calls to go on: the next layer or the implementation. */
extern const cl_icd_dispatch *clp_layer_next;

/** Implemented by each layer: puts its functions for all calls of calls.h into the table. */
void clp_layer_fill(cl_icd_dispatch *table);

#endif

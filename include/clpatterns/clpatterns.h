/* SPDX-License-Identifier: Apache-2.0 */
/** @file clpatterns.h All of libclpatterns: the parallel patterns for every OpenCL device. */
#ifndef CLPATTERNS_H
#define CLPATTERNS_H

#include <clpatterns/context.h>
#include <clpatterns/cost.h>
#include <clpatterns/export.h>
#include <clpatterns/histogram.h>
#include <clpatterns/reduce.h>
#include <clpatterns/runs.h>
#include <clpatterns/scan.h>
#include <clpatterns/select.h>
#include <clpatterns/status.h>
#include <clpatterns/types.h>
#include <clpatterns/user.h>

#endif

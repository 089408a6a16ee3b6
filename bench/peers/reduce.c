/* SPDX-License-Identifier: Apache-2.0 */
/* The peers of reduce, those that were not built included. CMake defines PEER_TBB, PEER_OPENMP, PEER_BOOST.
 */
#include "peers.h"

#include <stddef.h>

#ifdef PEER_TBB
extern const struct peer peer_reduce_tbb;
#else
static const struct peer peer_reduce_tbb = {
    .name = "tbb", .missing = "not built: no C++ compiler or no TBB (libtbb-dev)", .on_host = 1};
#endif
#ifdef PEER_OPENMP
extern const struct peer peer_reduce_openmp;
#else
static const struct peer peer_reduce_openmp = {
    .name = "openmp", .missing = "not built: no C++ compiler or no OpenMP", .on_host = 1};
#endif
#ifdef PEER_BOOST
extern const struct peer peer_reduce_boost;
#else
static const struct peer peer_reduce_boost = {
    .name = "boost.compute", .missing = "not built: no C++ compiler or no Boost.Compute (libboost-dev)"};
#endif

extern const struct peer *const peers_reduce[];

const struct peer *const peers_reduce[] = {&peer_reduce_tbb, &peer_reduce_openmp, &peer_reduce_boost, NULL};

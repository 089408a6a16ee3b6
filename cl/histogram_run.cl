/* SPDX-License-Identifier: Apache-2.0 */
/*
 * histogram_run.cl: counts every step-th sample of a part, from sample `first` on: those of one channel. A part of a
 * kernel's text, as it takes the address space of the edges.
 *
 * Uses x, w (the part's samples and weights), samples, first, step; bins, scale; CLP_EDGES, a pointer, and
 * CLP_BIN_OF, a name: see histogram_bins.cl; CLP_COUNT(slot, weight), what to do with each.
 * Loads of a batch are under way before any sample of it is counted.
 */
#define CLP_BATCH 8u
for (uint j = first; j < samples;) {
    if (samples - j > (CLP_BATCH - 1) * step) {
        CLP_T batch[CLP_BATCH];
        uint slot[CLP_BATCH];
#if CLP_WEIGHT
        uint weight[CLP_BATCH];
#endif
#pragma unroll
        for (uint i = 0; i < CLP_BATCH; i++) {
            batch[i] = x[j + i * step];
#if CLP_WEIGHT
            weight[i] = w[j + i * step];
#endif
        }
#pragma unroll
        for (uint i = 0; i < CLP_BATCH; i++)
            slot[i] = CLP_BIN_OF(batch[i], CLP_EDGES, bins, scale);
#pragma unroll
        for (uint i = 0; i < CLP_BATCH; i++) {
#if CLP_WEIGHT
            CLP_COUNT(slot[i], weight[i]);
#else
            CLP_COUNT(slot[i], 1u);
#endif
        }
        j += CLP_BATCH * step;
    } else {
        const uint slot = CLP_BIN_OF(x[j], CLP_EDGES, bins, scale);
#if CLP_WEIGHT
        CLP_COUNT(slot, w[j]);
#else
        CLP_COUNT(slot, 1u);
#endif
        j += step;
    }
}
#undef CLP_BATCH

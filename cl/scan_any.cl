/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan_any.cl: tiles of a scan by one work-item each, as scan_simd.cl, for accumulators that no vector holds: those of
 * user operators. What it defines is named and used as there.
 */

/* Hillis and Steele over width values. */
static inline void clp_scan_values(CLP_A *v, uint width, CLP_A pad) {
    for (uint d = 1; d < width; d *= 2)
        for (uint i = width; i-- > 0;) {
            CLP_A earlier = pad;
            if (i >= d)
                earlier = v[i - d];
            v[i] = CLP_OP(earlier, v[i]);
        }
}

/* The total of so many values, a power of two, by pairs of neighbours: what the last of their scan would be. */
static inline CLP_A clp_total_of(CLP_A *v, uint count) {
    for (uint step = 1; step < count; step *= 2)
        for (uint i = 0; i < count; i += 2 * step)
            v[i] = CLP_OP(v[i], v[i + step]);
    return v[0];
}

/* Sixteen elements from element i on; those from count on are missing. */
static inline void clp_chunk(CLP_IN x, uint i, uint count, CLP_A pad, CLP_A *v) {
    for (uint lane = 0; lane < 16; lane++) {
        v[lane] = pad;
        if (i + lane < count)
            v[lane] = CLP_ELEMENT(x, i + lane);
    }
}

/* The totals of the 32 chunks from element i on. */
static inline void clp_chunk_totals(CLP_IN x, uint i, uint count, CLP_A pad, CLP_A *chunks) {
    for (uint chunk = 0; chunk < 32; chunk++) {
        CLP_A v[16];
        clp_chunk(x, i + chunk * 16, count, pad, v);
        chunks[chunk] = clp_total_of(v, 16);
    }
}

static inline CLP_A clp_tile_total(CLP_IN x, uint count, CLP_A pad) {
    CLP_A total = pad;
    for (uint i = 0; i < CLP_TILE; i += CLP_GROUP) {
        CLP_A chunks[32];
        clp_chunk_totals(x, i, count, pad, chunks);
        total = CLP_OP(total, clp_total_of(chunks, 32));
    }
    return total;
}

static inline CLP_A clp_tile_scan(CLP_IN x, __global CLP_R *y, uint count, CLP_A prefix, CLP_A pad,
                                  uint stream) {
    CLP_A groups = pad;
    (void)stream;
    for (uint i = 0; i < CLP_TILE; i += CLP_GROUP) {
        CLP_A chunks[32];
        clp_chunk_totals(x, i, count, pad, chunks);
        clp_scan_values(chunks, 32, pad);
        const CLP_A base = CLP_OP(prefix, groups);
        for (uint chunk = 0; chunk < 32; chunk++) {
            CLP_A own[16], before = pad;
            clp_chunk(x, i + chunk * 16, count, pad, own);
            clp_scan_values(own, 16, pad);
            if (chunk > 0)
                before = chunks[chunk - 1];
            before = CLP_OP(base, before);
            for (uint lane = 0; lane < 16; lane++) {
#if CLP_EXCLUSIVE
                CLP_A last = pad;
                if (lane > 0)
                    last = own[lane - 1];
#else
                const CLP_A last = own[lane];
#endif
                if (i + chunk * 16 + lane < count)
                    y[i + chunk * 16 + lane] = CLP_OUTPUT(x, i + chunk * 16 + lane, CLP_OP(before, last));
            }
        }
        groups = CLP_OP(groups, chunks[31]);
    }
    return groups;
}

static inline CLP_A clp_total32(const CLP_A *totals) {
    CLP_A v[32];
    for (uint lane = 0; lane < 32; lane++)
        v[lane] = totals[lane];
    return clp_total_of(v, 32);
}

static inline void clp_prefixes32(CLP_A *totals, CLP_A pad) {
    clp_scan_values(totals, 32, pad);
    for (uint i = 31; i > 0; i--)
        totals[i] = totals[i - 1];
    totals[0] = pad;
}

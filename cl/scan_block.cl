/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan_block.cl: the two classical scans within one team, as schedules of short rows.
 *
 * Algorithms, both on CLP_BLOCK elements at a time, which the team has in its memory:
 *   clp_scan_hillis_steele   every element takes what is d before it into account, for d = 1, 2, 4, …: W. D. Hillis,
 *                            G. L. Steele, "Data parallel algorithms", Commun. ACM 29(12), 1986. In the canonical
 *                            order: 4 steps within chunks of 16, 5 among the 32 chunks' totals of a group, groups from
 *                            left to right. Any operator
 *   clp_scan_blelloch        up the tree of neighbours, totals; down again, what is before each: G. E. Blelloch,
 *                            "Prefix sums and their applications", CMU-CS-90-190, 1990. Fewer applications, twice as
 *                            many steps, and another bracketing: for operators that are exact in any order
 * Launch: one-dimensional; team t has row t, teams beyond the last row idle. In the simd shape a team is a work-item,
 * which takes each step's places one after the other.
 * Local memory, simt shape: CLP_AT(CLP_BLOCK) accumulators; for Hillis and Steele twice that, and 2 CLP_CHUNKS.
 * Precondition: work-items exchange through local memory (CLP_SUBGROUPS is 1); no heads (CLP_HEADS is 0).
 *
 * Macros: see scan_base.cl.
 */
#include "scan_base.cl"

#if CLP_HEADS || CLP_SUBGROUPS != 1
#error "CLP_HEADS must be 0 and CLP_SUBGROUPS 1"
#endif

#if CLP_SIMD
#define CLP_BLOCK CLP_GROUP
#define CLP_BLOCK_CHUNKS 32u
#define CLP_AT(e) (e)
#define CLP_SHARED
#define CLP_MEMBER 0u
#define CLP_MEMBERS 1u
#define CLP_MEET()
#else
#define CLP_BLOCK CLP_PIECE
#define CLP_BLOCK_CHUNKS CLP_CHUNKS
#define CLP_SHARED __local
#define CLP_MEMBER ((uint)get_local_id(0))
#define CLP_MEMBERS CLP_WG_SIZE
#define CLP_MEET() barrier(CLK_LOCAL_MEM_FENCE)
#endif

/* The elements of a row, 0 for teams beyond the last one. */
static inline ulong clp_row_length(const __global uint *lengths, ulong lengths_offset, uint has_lengths, ulong n,
                                   ulong rows) {
    ulong length = CLP_TEAM_ID < rows ? n : 0;
    if (has_lengths && CLP_TEAM_ID < rows)
        length = min(n, (ulong)lengths[lengths_offset + CLP_TEAM_ID]);
    return length;
}

/* Brings a block in, of which count elements are there. */
static inline void clp_load_block(const __global CLP_T *x, ulong count, CLP_A pad, CLP_SHARED CLP_A *values) {
    for (uint e = CLP_MEMBER; e < CLP_BLOCK; e += CLP_MEMBERS) {
        CLP_A value = pad;
        if (e < count)
            value = CLP_LOAD(x[e]);
        values[CLP_AT(e)] = value;
    }
}

#define CLP_ROW_PARAMETERS                                                                                             \
    const __global CLP_T *in, ulong in_offset, ulong in_stride, __global CLP_R *out, ulong out_offset,                 \
        ulong out_stride, const __global uint *lengths, ulong lengths_offset, uint has_lengths, ulong n, ulong rows,   \
        CLP_A pad, CLP_A front, CLP_A head, uint has_head

/* has_head: head is what output 0 must be. */
CLP_KERNEL void clp_scan_hillis_steele(CLP_ROW_PARAMETERS) {
    CLP_SHARED CLP_A values[CLP_AT(CLP_BLOCK)], others[CLP_AT(CLP_BLOCK)];
    CLP_SHARED CLP_A totals[CLP_BLOCK_CHUNKS], other_totals[CLP_BLOCK_CHUNKS];
    const ulong count = clp_row_length(lengths, lengths_offset, has_lengths, n, rows);
    CLP_A groups = pad; /* those before, from left to right */
    const CLP_A prefix = CLP_OP(CLP_OP(front, pad), pad); /* no blocks, no tiles before */
    in += in_offset + CLP_TEAM_ID * in_stride;
    out += out_offset + CLP_TEAM_ID * out_stride;
    for (ulong start = 0; start < count; start += CLP_BLOCK) {
        clp_load_block(in + start, count - start, pad, values);
        CLP_MEET();
        CLP_SHARED CLP_A *from = values, *to = others, *swap;
        for (uint d = 1; d < 16; d *= 2) {
            for (uint e = CLP_MEMBER; e < CLP_BLOCK; e += CLP_MEMBERS) {
                CLP_A earlier = pad;
                if ((e & 15u) >= d)
                    earlier = from[CLP_AT(e - d)];
                to[CLP_AT(e)] = CLP_OP(earlier, from[CLP_AT(e)]);
            }
            CLP_MEET();
            swap = from, from = to, to = swap;
        }
        /* Four steps: what is scanned is in values again. */
        for (uint c = CLP_MEMBER; c < CLP_BLOCK_CHUNKS; c += CLP_MEMBERS)
            totals[c] = values[CLP_AT(c * 16u + 15u)];
        CLP_MEET();
        from = totals, to = other_totals;
        for (uint d = 1; d < 32; d *= 2) {
            for (uint c = CLP_MEMBER; c < CLP_BLOCK_CHUNKS; c += CLP_MEMBERS) {
                CLP_A earlier = pad;
                if ((c & 31u) >= d)
                    earlier = from[c - d];
                to[c] = CLP_OP(earlier, from[c]);
            }
            CLP_MEET();
            swap = from, from = to, to = swap;
        }
        for (uint group = 0; group < CLP_BLOCK / CLP_GROUP; group++) {
            const CLP_A base = CLP_OP(prefix, groups);
            for (uint e = group * CLP_GROUP + CLP_MEMBER; e < (group + 1u) * CLP_GROUP; e += CLP_MEMBERS) {
                const uint chunk = e / 16u;
                CLP_A before = pad, own = pad;
                if ((chunk & 31u) > 0)
                    before = from[chunk - 1u];
#if CLP_EXCLUSIVE
                if ((e & 15u) > 0)
                    own = values[CLP_AT(e - 1u)];
#else
                own = values[CLP_AT(e)];
#endif
                if (e < count - start)
                    out[start + e] = CLP_STORE(CLP_OP(CLP_OP(base, before), own));
            }
            groups = CLP_OP(groups, from[group * 32u + 31u]);
        }
        CLP_MEET();
    }
    if (count > 0 && has_head && CLP_TEAM_LEADER)
        out[0] = CLP_STORE(head); /* where the leader itself wrote */
}

/* The same parameters. */
CLP_KERNEL void clp_scan_blelloch(CLP_ROW_PARAMETERS) {
    CLP_SHARED CLP_A values[CLP_AT(CLP_BLOCK)];
    const ulong count = clp_row_length(lengths, lengths_offset, has_lengths, n, rows);
    CLP_A before = front; /* all blocks before */
    in += in_offset + CLP_TEAM_ID * in_stride;
    out += out_offset + CLP_TEAM_ID * out_stride;
    for (ulong start = 0; start < count; start += CLP_BLOCK) {
        clp_load_block(in + start, count - start, pad, values);
        CLP_MEET();
        /* Up: the last of 2 d places becomes their total. */
        for (uint d = 1; d < CLP_BLOCK; d *= 2) {
            for (uint k = CLP_MEMBER; k < CLP_BLOCK / 2u / d; k += CLP_MEMBERS) {
                const uint left = CLP_AT((2u * k + 1u) * d - 1u), right = CLP_AT((2u * k + 2u) * d - 1u);
                values[right] = CLP_OP(values[left], values[right]);
            }
            CLP_MEET();
        }
        const CLP_A total = values[CLP_AT(CLP_BLOCK - 1u)];
        CLP_MEET();
        if (CLP_TEAM_LEADER)
            values[CLP_AT(CLP_BLOCK - 1u)] = before;
        CLP_MEET();
        /* Down: what is before 2 d places is before the left d; with their total it is before the right d. */
        for (uint d = CLP_BLOCK / 2u; d > 0; d /= 2) {
            for (uint k = CLP_MEMBER; k < CLP_BLOCK / 2u / d; k += CLP_MEMBERS) {
                const uint left = CLP_AT((2u * k + 1u) * d - 1u), right = CLP_AT((2u * k + 2u) * d - 1u);
                const CLP_A of_left = values[left], above = values[right];
                values[left] = above;
                values[right] = CLP_OP(above, of_left);
            }
            CLP_MEET();
        }
        for (uint e = CLP_MEMBER; e < CLP_BLOCK; e += CLP_MEMBERS)
            if (e < count - start) {
#if CLP_EXCLUSIVE
                out[start + e] = CLP_STORE(values[CLP_AT(e)]);
#else
                out[start + e] = CLP_STORE(CLP_OP(values[CLP_AT(e)], CLP_LOAD(in[start + e])));
#endif
            }
        before = CLP_OP(before, total);
        CLP_MEET();
    }
    if (count > 0 && has_head && CLP_TEAM_LEADER)
        out[0] = CLP_STORE(head);
}

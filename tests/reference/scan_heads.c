/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scan of segments that begin at heads, serially: the specification of clp_scan_by_flags() and
 * clp_scan_by_key(). The order is scan.inc's, of pairs: a value, and whether a head lies in what it was made
 * of.
 */
#include "elements.h"
#include "reference.h"
#include "scan.h"

#include <string.h>

/* What an operator computes in: a float, a double, an integer, the key of an element, or a user's value. */
enum kind { IN_FLOAT, IN_DOUBLE, IN_INTEGER, IN_KEY, IN_USER };

struct pair {
    _Alignas(16) union {
        float f;
        double d;
        uint64_t u;
        int64_t key;
        unsigned char bytes[16];
    } value;
    bool head;
};

/* The call. The template hands only pairs to OP, so it is kept here; each thread has its own. */
static _Thread_local struct {
    const clp_scan_desc *desc;
    const ref_user *user;
    enum kind kind;
    clp_type result;
    const uint8_t *flags;
    struct pair init;
    unsigned char start[16]; /* what an exclusive scan writes at a head */
} call;

static bool less(int64_t a, int64_t b) {
    return call.desc->type == CLP_U64 ? (uint64_t)a < (uint64_t)b : a < b;
}

static uint64_t combine(uint64_t a, uint64_t b) {
    switch (call.desc->op) {
    case CLP_SUM:
        return a + b;
    case CLP_PROD:
        return a * b;
    case CLP_AND:
        return a & b;
    case CLP_OR:
        return a | b;
    default:
        return a ^ b;
    }
}

/* a ⊕ b. The results have no head. */
static struct pair operate(struct pair a, struct pair b) {
    const bool product = call.desc->op == CLP_PROD;
    struct pair result = {.head = false};
    switch (call.kind) {
    case IN_FLOAT:
        result.value.f = product ? a.value.f * b.value.f : a.value.f + b.value.f;
        break;
    case IN_DOUBLE:
        result.value.d = product ? a.value.d * b.value.d : a.value.d + b.value.d;
        break;
    case IN_INTEGER:
        result.value.u = combine(a.value.u, b.value.u);
        break;
    case IN_KEY:
        result.value.key =
            (call.desc->op == CLP_MAX ? less(a.value.key, b.value.key) : less(b.value.key, a.value.key))
                ? b.value.key
                : a.value.key;
        break;
    case IN_USER:
        call.user->op(a.value.bytes, b.value.bytes, result.value.bytes);
    }
    return result;
}

static struct pair pair_op(struct pair a, struct pair b) {
    struct pair result = b.head ? b : operate(a, b);
    result.head = a.head || b.head;
    return result;
}

#define A        struct pair
#define SCAN     heads
#define OP(a, b) pair_op(a, b)
#include "scan.inc"

static size_t size_of(clp_type type) {
    return type == CLP_USER ? call.desc->user->type_size : clp_type_size(type);
}

/* An element of the type as what the operator computes in. */
static struct pair value_at(clp_type type, const void *in, size_t i) {
    struct pair pair = {.head = false};
    switch (call.kind) {
    case IN_FLOAT:
        pair.value.f = ref_float(type, in, i);
        break;
    case IN_DOUBLE:
        pair.value.d = ref_double(type, in, i);
        break;
    case IN_INTEGER:
        pair.value.u = (uint64_t)ref_integer(type, in, i);
        break;
    case IN_KEY:
        pair.value.key = ref_key(type, in, i);
        break;
    case IN_USER:
        if (type == CLP_F16 || type == CLP_BF16)
            pair.value.f = ref_float(type, in, i);
        else
            memcpy(pair.value.bytes, (const char *)in + i * size_of(type), size_of(type));
    }
    return pair;
}

static bool is_head(size_t i) {
    return i == 0 || call.flags[i];
}

static struct pair load(const void *in, size_t i) {
    struct pair pair = value_at(call.desc->type, in, i);
    if (is_head(i))
        pair = operate(call.init, pair);
    pair.head = is_head(i);
    return pair;
}

static void store(void *array, size_t i, struct pair pair) {
    const clp_type type = call.desc->type, result = call.result;
    char *out = (char *)array + i * size_of(result);
    const bool real = ref_is_float(type) && call.kind != IN_KEY;
    if (call.desc->kind == CLP_SCAN_EXCLUSIVE && is_head(i))
        memcpy(out, call.start, size_of(result));
    else if (real && type == CLP_F64)
        ref_store_double(result, pair.value.d, out);
    else if (real)
        ref_store_float(result, pair.value.f, out);
    else if (call.kind == IN_KEY && ref_is_float(type)) {
        const uint64_t bits =
            pair.value.key < 0 ? ~(uint64_t)pair.value.key | ref_sign(type) : (uint64_t)pair.value.key;
        memcpy(out, &bits, size_of(result)); /* the low bytes */
    } else
        memcpy(out, pair.value.bytes, size_of(result));
}

/* The identity, below or above every key. */
static struct pair identity(void) {
    const clp_op op = call.desc->op;
    struct pair pad = {.head = false};
    switch (call.kind) {
    case IN_FLOAT:
        pad.value.f = op == CLP_PROD ? 1.0f : -0.0f;
        break;
    case IN_DOUBLE:
        pad.value.d = op == CLP_PROD ? 1.0 : -0.0;
        break;
    case IN_INTEGER:
        pad.value.u = op == CLP_PROD ? 1 : op == CLP_AND ? ~(uint64_t)0 : 0;
        break;
    case IN_KEY:
        pad.value.key = call.desc->type == CLP_U64 ? (op == CLP_MAX ? 0 : -1)
                        : op == CLP_MAX            ? INT64_MIN
                                                   : INT64_MAX;
        break;
    case IN_USER:
        memcpy(pad.value.bytes, call.desc->user->identity,
               call.desc->type == CLP_F16 || call.desc->type == CLP_BF16 ? sizeof(float)
                                                                         : size_of(call.desc->type));
    }
    return pad;
}

static enum kind kind_of(const clp_scan_desc *desc) {
    if (desc->op == CLP_OP_USER)
        return IN_USER;
    if (desc->op == CLP_MIN || desc->op == CLP_MAX)
        return IN_KEY;
    if (!ref_is_float(desc->type))
        return IN_INTEGER;
    return desc->type == CLP_F64 ? IN_DOUBLE : IN_FLOAT;
}

void ref_scan_by_flags(const clp_scan_desc *desc, const ref_user *user, const void *in, const uint8_t *flags,
                       size_t n, void *out) {
    clp_scan_desc first = *desc;
    call.desc = desc;
    call.user = user;
    call.kind = kind_of(desc);
    call.result = clp_scan_result_type(desc);
    call.flags = flags;
    call.init = identity();
    if (desc->init) {
        const bool small = desc->type == CLP_F16 || desc->type == CLP_BF16;
        const clp_type given = call.kind == IN_KEY ? desc->type : small ? CLP_F32 : call.result;
        call.init = value_at(given, desc->init, 0);
    }
    /* Output 0 of a plain exclusive scan is what each segment begins with. */
    first.kind = CLP_SCAN_EXCLUSIVE;
    if (n > 0 && user)
        ref_scan_user(&first, user, in, 1, call.start);
    else if (n > 0)
        ref_scan(&first, in, 1, call.start);
    heads(load, store, in, n, identity(), identity(), desc->kind == CLP_SCAN_EXCLUSIVE, out);
}

void ref_flags_of_keys(clp_type key_type, const void *keys, size_t n, uint8_t *flags) {
    const bool real = ref_is_float(key_type);
    int64_t before = 0;
    for (size_t i = 0; i < n; i++) {
        int64_t key = ref_key(key_type, keys, i);
        if (real && key == -1) /* −0 is +0 */
            key = 0;
        flags[i] = i == 0 || key != before;
        before = key;
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "reduce_user_texts.h"

#include <stdlib.h>
#include <string.h>

/* A function of two values of a C type, and one of an element, its index and a second one. */
#define OPERATOR(name, type, expression)                                                                     \
    static void name(const void *pa, const void *pb, void *result) {                                         \
        const type a = *(const type *)pa, b = *(const type *)pb;                                             \
        *(type *)result = (type)(expression);                                                                \
    }
#define OPERATOR_STRUCT(name, type, ...)                                                                     \
    static void name(const void *pa, const void *pb, void *result) {                                         \
        const type a = *(const type *)pa, b = *(const type *)pb;                                             \
        *(type *)result = (type)__VA_ARGS__;                                                                 \
    }
#define TRANSFORM(name, from, to, ...)                                                                       \
    static void name(const void *px, uint64_t i, const void *ps, void *result) {                             \
        const from x = *(const from *)px, s = *(const from *)ps;                                             \
        (void)i, (void)s, (void)x;                                                                           \
        *(to *)result = (to)__VA_ARGS__;                                                                     \
    }

/* ---- types of 1 to 16 bytes
 * -------------------------------------------------------------------------------- */

/* x → m·x + c; `a` is applied first. None of these commute. */
typedef struct {
    uint32_t m, c;
} affine;
OPERATOR_STRUCT(affine_op, affine, {a.m * b.m, b.m *a.c + b.c})
#define AFFINE_TEXT                                                                                          \
    "typedef struct { uint m, c; } affine;\n"                                                                \
    "affine affine_then(affine a, affine b)\n"                                                               \
    "{\n"                                                                                                    \
    "    affine r;\n"                                                                                        \
    "    r.m = a.m * b.m;\n"                                                                                 \
    "    r.c = b.m * a.c + b.c; // a first\n"                                                                \
    "    return r;\n"                                                                                        \
    "}"

/* In floats the bracketing shows; m is 1 or −1, so that nothing overflows. */
typedef struct {
    float m, c;
} affine_f;
OPERATOR_STRUCT(affine_f_op, affine_f, {a.m * b.m, b.m *a.c + b.c})
static void affine_f_fix(void *element) {
    uint32_t words[2];
    memcpy(words, element, 8);
    const float m = words[0] & 1 ? 1 : -1, c = (float)(int32_t)words[1] / 65536;
    memcpy(element, &m, 4);
    memcpy((char *)element + 4, &c, 4);
}

typedef struct {
    uint32_t e[4];
} matrix;
OPERATOR_STRUCT(matrix_op, matrix,
                {{a.e[0] * b.e[0] + a.e[1] * b.e[2], a.e[0] * b.e[1] + a.e[1] * b.e[3],
                  a.e[2] * b.e[0] + a.e[3] * b.e[2], a.e[2] * b.e[1] + a.e[3] * b.e[3]}})

/* Hamilton's product, of whole numbers. */
typedef struct {
    uint32_t w, x, y, z;
} quaternion;
OPERATOR_STRUCT(quaternion_op, quaternion,
                {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w *b.x + a.x *b.w + a.y *b.z - a.z *b.y,
                 a.w *b.y - a.x *b.z + a.y *b.w + a.z *b.x, a.w *b.z + a.x *b.y - a.y *b.x + a.z *b.w})

/* Three bytes: an affine map modulo 256, and the last that is not zero. */
typedef struct {
    uint8_t r, g, b;
} rgb;
OPERATOR_STRUCT(rgb_op, rgb, {(uint8_t)(a.r * b.r), (uint8_t)(b.r *a.g + b.g), b.b ? b.b : a.b})

/* One byte: an affine map modulo 16, m in the low half. */
OPERATOR(nibbles_op, uint8_t, ((a & 15) * (b & 15) & 15) | (((b & 15) * (a >> 4) + (b >> 4)) & 15) << 4)

/* Twelve bytes: how often neighbours differ. first = 0xffffffff is nothing. */
typedef struct {
    uint32_t first, last, changes;
} runs;
static void runs_op(const void *pa, const void *pb, void *result) {
    const runs *a = pa, *b = pb;
    runs r = {a->first, b->last, a->changes + b->changes + (a->last != b->first)};
    *(runs *)result = a->first == UINT32_MAX ? *b : b->first == UINT32_MAX ? *a : r;
}
TRANSFORM(runs_of, uint8_t, runs, {x, x, 0})
#define RUNS_TEXT                                                                                            \
    "typedef struct { uint first, last, changes; } runs;\n"                                                  \
    "runs runs_op(runs a, runs b) {\n"                                                                       \
    "  runs r; r.first = a.first; r.last = b.last;\n"                                                        \
    "  r.changes = a.changes + b.changes + (a.last != b.first);\n"                                           \
    "  return a.first == NOTHING ? b : b.first == NOTHING ? a : r; }\n"                                      \
    "runs runs_of(uint x) { runs r; r.first = r.last = x; r.changes = 0; return r; }\n"

typedef struct {
    float x, y;
} pair_f;
OPERATOR_STRUCT(float2_op, pair_f, {a.x + b.x, a.y + b.y})

/* Number, sum and sum of squares. */
typedef struct {
    float n, sum, squares;
} moments;
OPERATOR_STRUCT(moments_op, moments, {a.n + b.n, a.sum + b.sum, a.squares + b.squares})
TRANSFORM(moments_of, float, moments, {1, x, x *x})
#define MOMENTS_TEXT                                                                                         \
    "typedef struct { float n, sum, squares; } moments;\n"                                                   \
    "moments merge(moments a, moments b) {\n"                                                                \
    "  a.n += b.n; a.sum += b.sum; a.squares += b.squares; return a; }\n"                                    \
    "moments lift(float x) { moments m; m.n = 1; m.sum = x; m.squares = x * x; return m; }\n"

/* The largest and where, with the last of equals, which no built-in has. */
typedef struct {
    uint32_t value, index;
} place;
static void place_op(const void *pa, const void *pb, void *result) {
    const place *a = pa, *b = pb;
    *(place *)result = b->value >= a->value ? *b : *a;
}
TRANSFORM(place_of, uint32_t, place, {x >> 28, (uint32_t)i})

static const affine affine_identity = {1, 0};
static const affine_f affine_f_identity = {1, 0};
static const matrix matrix_identity = {{1, 0, 0, 1}};
static const quaternion quaternion_identity = {1, 0, 0, 0};
static const rgb rgb_identity = {1, 0, 0};
static const uint8_t nibbles_identity = 1;
static const runs runs_identity = {UINT32_MAX, 0, 0};
static const pair_f float2_identity = {0, 0};
static const moments moments_identity = {0, 0, 0};
static const place place_identity = {0, 0};

static const clp_user affine_text = {.declarations = AFFINE_TEXT,
                                     .type = "affine",
                                     .type_size = 8,
                                     .op = "affine_then(a, b)",
                                     .identity = &affine_identity};
static const clp_user affine_f_text = {
    .declarations = "typedef struct { float m, c; } affine_f; /* no newline at the end */ // none",
    .type = "affine_f",
    .type_size = 8,
    .op = "(affine_f){a.m * b.m, b.m * a.c + b.c}",
    .identity = &affine_f_identity};
static const clp_user matrix_text = {
    .declarations = "struct matrix { uint e[4]; };\n",
    .type = "struct matrix",
    .type_size = 16,
    .op = "(struct matrix){{a.e[0] * b.e[0] + a.e[1] * b.e[2], a.e[0] * b.e[1] + a.e[1] * b.e[3],\n"
          "                  a.e[2] * b.e[0] + a.e[3] * b.e[2], a.e[2] * b.e[1] + a.e[3] * b.e[3]}}",
    .identity = &matrix_identity};
static const clp_user quaternion_text = {
    .type = "uint4",
    .type_size = 16,
    .op = "(uint4)(a.x * b.x - a.y * b.y - a.z * b.z - a.w * b.w, // w\n"
          "a.x * b.y + a.y * b.x + a.z * b.w - a.w * b.z,\n"
          "a.x * b.z - a.y * b.w + a.z * b.x + a.w * b.y, /* y */\n"
          "a.x * b.w + a.y * b.z - a.z * b.y + a.w * b.x) // and a comment last",
    .identity = &quaternion_identity};
static const clp_user rgb_text = {.declarations = "typedef struct { uchar r, g, b; } rgb;\n",
                                  .type = "rgb",
                                  .type_size = 3,
                                  .op =
                                      "(rgb){(uchar)(a.r * b.r), (uchar)(b.r * a.g + b.g), b.b ? b.b : a.b}",
                                  .identity = &rgb_identity};
static const clp_user nibbles_text = {
    .type = "uchar",
    .type_size = 1,
    .op = "(uchar)(((a & 15) * (b & 15) & 15) | (((b & 15) * (a >> 4) + (b >> 4)) & 15) << 4)",
    .identity = &nibbles_identity};
static const clp_user runs_text = {.declarations = "#define NOTHING 0xffffffffu\n" RUNS_TEXT,
                                   .type = "runs",
                                   .type_size = 12,
                                   .op = "runs_op(a, b)",
                                   .identity = &runs_identity,
                                   .transform = "runs_of(x)",
                                   .value = CLP_USER};
static const clp_user runs_plain_text = {.declarations = "#define NOTHING 0xffffffffu\n" RUNS_TEXT,
                                         .type = "runs",
                                         .type_size = 12,
                                         .op = "runs_op(a, b)",
                                         .identity = &runs_identity};
static const clp_user float2_text = {.type = "float2",
                                     .type_size = 8,
                                     .op = "a + b",
                                     .identity = &float2_identity,
                                     .promises = CLP_COMMUTATIVE};
static const clp_user moments_text = {.declarations = MOMENTS_TEXT,
                                      .type = "moments",
                                      .type_size = 12,
                                      .op = "merge(a, b)",
                                      .identity = &moments_identity,
                                      .transform = "lift(x)",
                                      .value = CLP_USER,
                                      .promises = CLP_COMMUTATIVE};
static const clp_user moments_ordered_text = {.declarations = MOMENTS_TEXT,
                                              .type = "moments",
                                              .type_size = 12,
                                              .op = "merge(a, b)",
                                              .identity = &moments_identity,
                                              .transform = "lift(x)",
                                              .value = CLP_USER};
static const clp_user place_text = {.declarations = "typedef struct { uint value, index; } place;\n",
                                    .type = "place",
                                    .type_size = 8,
                                    .op = "b.value >= a.value ? b : a",
                                    .identity = &place_identity,
                                    .transform = "(place){x >> 28, (uint)i}",
                                    .value = CLP_USER};

/* ---- operators on built-in types: the last that is not zero, the first, sums in order
 * ---------------------- */

static const uint64_t zero = 0;
static const float negative_zero = -0.0f;
#define LAST(type)                                                                                           \
    OPERATOR(last_##type, type, b != 0 ? b : a)                                                              \
    static const ref_user last_##type##_ref = {.op = last_##type};
LAST(int8_t)
LAST(uint16_t)
LAST(int32_t)
LAST(uint64_t)
LAST(float)
LAST(double)
OPERATOR(first_u32, uint32_t, a != 0 ? a : b)
OPERATOR(add_u8, uint8_t, a + b)
OPERATOR(add_f, float, a + b)
OPERATOR(add_d, double, a + b)
static const clp_user last_text = {.op = "b // the later one,\n != 0 // if it counts\n ? b : a",
                                   .identity = &zero};
static const clp_user first_text = {.op = "a != 0 ? a : b", .identity = &zero};
static const clp_user add_text = {.op = "a + b", .identity = &zero};
static const clp_user tree_text = {
    .op = "a + b // \\o/", .identity = &negative_zero, .promises = CLP_COMMUTATIVE};

/* ---- transforms
 * -------------------------------------------------------------------------------------------- */

TRANSFORM(by_index, float, float, (x * (float)i))
TRANSFORM(product, float, float, (x * s))
TRANSFORM(difference, float, float, (x - s))
TRANSFORM(square, float, float, (x * x))
TRANSFORM(doubled, double, double, (x * 2 + (double)i))
TRANSFORM(half_of, uint8_t, float, (x * 0.5f))
TRANSFORM(same_as, int16_t, uint8_t, (x == s))
TRANSFORM(above, float, uint32_t, (x > 1.0f))
TRANSFORM(whole, float, int32_t, ((int32_t)x * 3))
TRANSFORM(mixed, uint64_t, uint64_t, (x ^ (i << 40)))
TRANSFORM(swap_text, affine, affine, {s.m, x.c})
TRANSFORM(field, rgb, int16_t, (x.r - s.g))
static const clp_user by_index_text = {.transform = "x * (float)i"};
static const clp_user product_text = {.pair = 1, .transform = "x * s"};
static const clp_user difference_text = {.pair = 1, .transform = "x // less\n - s"};
static const clp_user square_text = {.declarations = "float square(float y) { return y * y; }",
                                     .transform = "square(x)"};
static const clp_user doubled_text = {.transform = "x * 2 + (double)i"};
static const clp_user half_text = {.transform = "x * 0.5f", .value = CLP_F32};
static const clp_user same_text = {.pair = 1, .transform = "x == s", .value = CLP_U8};
static const clp_user above_text = {.transform = "x > 1.0f", .value = CLP_U32};
static const clp_user whole_text = {.transform = "(int)x * 3", .value = CLP_I32};
static const clp_user mixed_text = {.transform = "x ^ (i << 40)"};
static const clp_user swap_user_text = {.declarations = AFFINE_TEXT,
                                        .type = "affine",
                                        .type_size = 8,
                                        .op = "affine_then(a, b)",
                                        .identity = &affine_identity,
                                        .transform = "(affine){s.m, x.c}",
                                        .pair = 1};
static const clp_user field_text = {.declarations = "typedef struct { uchar r, g, b; } rgb;",
                                    .type = "rgb",
                                    .type_size = 3,
                                    .transform = "x.r - s.g",
                                    .pair = 1,
                                    .value = CLP_I16};
static const clp_user ordered_square_text = {.op = "a + b", .identity = &zero, .transform = "x * x"};

/* ---- the table
 * --------------------------------------------------------------------------------------------- */

static const ref_user affine_ref = {.op = affine_op}, affine_f_ref = {.op = affine_f_op},
                      matrix_ref = {.op = matrix_op}, quaternion_ref = {.op = quaternion_op},
                      rgb_ref = {.op = rgb_op}, nibbles_ref = {.op = nibbles_op},
                      runs_ref = {.op = runs_op, .transform = runs_of}, runs_plain_ref = {.op = runs_op},
                      float2_ref = {.op = float2_op},
                      moments_ref = {.op = moments_op, .transform = moments_of},
                      place_ref = {.op = place_op, .transform = place_of}, first_ref = {.op = first_u32},
                      add_u8_ref = {.op = add_u8}, add_f_ref = {.op = add_f}, add_d_ref = {.op = add_d},
                      by_index_ref = {.transform = by_index}, product_ref = {.transform = product},
                      difference_ref = {.transform = difference}, square_ref = {.transform = square},
                      doubled_ref = {.transform = doubled}, half_ref = {.transform = half_of},
                      same_ref = {.transform = same_as}, above_ref = {.transform = above},
                      whole_ref = {.transform = whole}, mixed_ref = {.transform = mixed},
                      swap_ref = {.op = affine_op, .transform = swap_text}, field_ref = {.transform = field},
                      ordered_square_ref = {.op = add_f, .transform = square};

#define USER(label, element, text, twin, ...)                                                                \
    {                                                                                                        \
        .form = {.desc = {.type = element, .op = CLP_OP_USER, .user = &(text)},                              \
                 .name = label,                                                                              \
                 .user = &(twin)},                                                                           \
        __VA_ARGS__                                                                                          \
    }
#define MAPPED(label, element, operator, text, twin, ...)                                                    \
    {                                                                                                        \
        .form = {                                                                                            \
            .desc = {.type = element, .op = operator, .user = &(text), __VA_ARGS__},                         \
            .name = label,                                                                                   \
            .user = &(twin)                                                                                  \
        }                                                                                                    \
    }
/* clang-format off: a table */
const struct user_form user_forms[] = {
    USER("affine", CLP_USER, affine_text, affine_ref, .fix = NULL),
    USER("affine_f", CLP_USER, affine_f_text, affine_f_ref, .fix = affine_f_fix),
    USER("matrix", CLP_USER, matrix_text, matrix_ref, .fix = NULL),
    USER("quaternion", CLP_USER, quaternion_text, quaternion_ref, .fix = NULL),
    USER("rgb", CLP_USER, rgb_text, rgb_ref, .fix = NULL),
    USER("nibbles", CLP_USER, nibbles_text, nibbles_ref, .fix = NULL),
    USER("runs of u8", CLP_U8, runs_text, runs_ref, .small = true),
    USER("runs", CLP_USER, runs_plain_text, runs_plain_ref, .fix = NULL),
    USER("float2", CLP_USER, float2_text, float2_ref, .fix = affine_f_fix),
    USER("moments", CLP_F32, moments_text, moments_ref, .small = false),
    USER("moments in order", CLP_F32, moments_ordered_text, moments_ref, .small = false),
    USER("moments of bf16", CLP_BF16, moments_ordered_text, moments_ref, .small = false),
    USER("place", CLP_U32, place_text, place_ref, .small = false),
    USER("last", CLP_I8, last_text, last_int8_t_ref, .small = true),
    USER("last", CLP_U16, last_text, last_uint16_t_ref, .small = true),
    USER("last", CLP_I32, last_text, last_int32_t_ref, .small = true),
    USER("last", CLP_U64, last_text, last_uint64_t_ref, .small = true),
    USER("last", CLP_F16, last_text, last_float_ref, .small = false),
    USER("last", CLP_F32, last_text, last_float_ref, .small = false),
    USER("last", CLP_F64, last_text, last_double_ref, .small = false),
    USER("first", CLP_U32, first_text, first_ref, .small = true),
    USER("sum in order", CLP_U8, add_text, add_u8_ref, .small = false),
    USER("sum in order", CLP_F16, add_text, add_f_ref, .small = false),
    USER("sum in order", CLP_BF16, add_text, add_f_ref, .small = false),
    USER("sum in order", CLP_F32, add_text, add_f_ref, .small = false),
    USER("sum in order", CLP_F64, add_text, add_d_ref, .small = false),
    USER("sum as a tree", CLP_F32, tree_text, add_f_ref, .small = false),
    USER("sum as a tree", CLP_F16, tree_text, add_f_ref, .small = false),
    USER("squares in order", CLP_F32, ordered_square_text, ordered_square_ref, .small = false),
    USER("squares in order", CLP_F16, ordered_square_text, ordered_square_ref, .small = false),
    MAPPED("sum in order, rounded", CLP_F16, CLP_OP_USER, add_text, add_f_ref, .result = CLP_F16),
    MAPPED("sum as a tree, rounded", CLP_BF16, CLP_OP_USER, tree_text, add_f_ref, .result = CLP_BF16),
    MAPPED("x i", CLP_F32, CLP_SUM, by_index_text, by_index_ref, .result = CLP_F32),
    MAPPED("x i", CLP_BF16, CLP_SUM, by_index_text, by_index_ref, .result = CLP_TYPE_INVALID),
    MAPPED("x i, compensated", CLP_F32, CLP_SUM, by_index_text, by_index_ref, .mode = CLP_REDUCE_COMPENSATED),
    MAPPED("x s", CLP_F32, CLP_SUM, product_text, product_ref, .result = CLP_F32),
    MAPPED("x s", CLP_F16, CLP_SUM, product_text, product_ref, .result = CLP_F32),
    MAPPED("x - s", CLP_F32, CLP_NORM2, difference_text, difference_ref, .result = CLP_F32),
    MAPPED("x - s", CLP_F32, CLP_NORM1, difference_text, difference_ref, .mode = CLP_REDUCE_COMPENSATED),
    MAPPED("x x", CLP_F32, CLP_ARGMAX, square_text, square_ref, .result = CLP_U32),
    MAPPED("x x", CLP_F32, CLP_ARGMIN, square_text, square_ref, .result = CLP_U64),
    MAPPED("x x", CLP_F16, CLP_MAX, square_text, square_ref, .result = CLP_F32),
    MAPPED("x x", CLP_F32, CLP_MIN, square_text, square_ref, .result = CLP_F32),
    MAPPED("2 x + i", CLP_F64, CLP_MEAN, doubled_text, doubled_ref, .result = CLP_F64),
    MAPPED("x / 2", CLP_U8, CLP_SUM, half_text, half_ref, .result = CLP_F32),
    MAPPED("x / 2", CLP_U8, CLP_MEAN, half_text, half_ref, .result = CLP_F32),
    MAPPED("x / 2", CLP_U8, CLP_SUM, half_text, half_ref, .mode = CLP_REDUCE_WIDE),
    MAPPED("x = s", CLP_I16, CLP_ANY, same_text, same_ref, .result = CLP_U8),
    MAPPED("x = s", CLP_I16, CLP_SUM, same_text, same_ref, .result = CLP_U32),
    MAPPED("x > 1", CLP_F32, CLP_SUM, above_text, above_ref, .result = CLP_U64),
    MAPPED("x > 1", CLP_F32, CLP_ALL, above_text, above_ref, .result = CLP_U8),
    {.form = {.desc = {.type = CLP_F32, .op = CLP_PROD, .user = &whole_text, .result = CLP_I64},
              .name = "whole",
              .user = &whole_ref},
     .small = true},
    MAPPED("x ^ i", CLP_U64, CLP_XOR, mixed_text, mixed_ref, .result = CLP_U64),
    MAPPED("x ^ i", CLP_U64, CLP_ARGMIN, mixed_text, mixed_ref, .result = CLP_U64),
    MAPPED("swap", CLP_USER, CLP_OP_USER, swap_user_text, swap_ref, .result = CLP_TYPE_INVALID),
    MAPPED("field", CLP_USER, CLP_MAX, field_text, field_ref, .result = CLP_I16),
};
/* clang-format on */
const size_t num_user_forms = sizeof user_forms / sizeof *user_forms;

const struct user_form *user_form_named(const char *name) {
    for (size_t i = 0; i < num_user_forms; i++)
        if (strcmp(user_forms[i].form.name, name) == 0)
            return &user_forms[i];
    ck_abort_msg("no user form is called %s", name);
}

/* The fields of rgb and the like are bytes of the whole; other user types get any bytes, made valid. */
void user_fill(const struct user_form *form, unsigned seed, size_t n, void *out) {
    const clp_reduce_desc *desc = &form->form.desc;
    const size_t size = reduce_element_size(desc);
    if (desc->type != CLP_USER) {
        static const ref_set sets[] = {REF_UNIFORM, REF_SPECIAL, REF_ZEROS, REF_SMALL};
        const ref_set set = form->small ? REF_SMALL : sets[seed % 4];
        /* Structs keep the payload of a NaN, which depends on the vendor. */
        const bool plain = clp_reduce_result_type(desc) == CLP_USER;
        ref_fill(plain && !form->small ? REF_UNIFORM : set, desc->type, seed * 1000, n, out);
        return;
    }
    const size_t bytes = n * size, words = bytes / 4 + 1;
    uint32_t *random = malloc(words * 4);
    ck_assert_ptr_nonnull(random);
    ref_fill(REF_UNIFORM, CLP_U32, seed * 100000, words, random);
    memcpy(out, random, bytes);
    free(random);
    for (size_t i = 0; form->fix && i < n; i++)
        form->fix((char *)out + i * size);
}

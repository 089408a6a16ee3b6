/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The arithmetic of cl/operators.cl and cl/arithmetic.cl on its own: division, square root, means and
 * conversions against the host's, which IEEE 754 rounds correctly. Values travel as bits.
 */
#include "harness.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const files[] = {"prelude.cl", "order.cl", "operators.cl", "arithmetic.cl"};

/* One kernel for each function. f: what it computes of the bits a and b. */
#define KERNEL(NAME, A, B, R, F)                                                                             \
    "__kernel void " NAME "(__global const " A " *a, __global const " B " *b, __global " R " *r) {\n"        \
    "    const size_t i = get_global_id(0);\n    r[i] = " F ";\n}\n"
#define HALVES(W)                                                                                            \
    "__kernel void halves" #W "(__global const ushort *a, __global const uint *b, __global uint *r) {\n"     \
    "    const size_t i = get_global_id(0);\n"                                                               \
    "    vstore" #W "(as_uint" #W "(clp_half" #W "(vload" #W "(i, a))), i, r);\n}\n"
static const char kernels[] = KERNEL("divide_float", "uint", "uint", "uint",
                                     "as_uint(clp_divide_float(as_float(a[i]), as_float(b[i])))")
    KERNEL("sqrt_float", "uint", "uint", "uint", "as_uint(clp_sqrt_float(as_float(a[i])))")
        KERNEL("mean_float", "uint", "ulong", "uint", "as_uint(clp_mean_float(as_float(a[i]), b[i]))") KERNEL(
            "mean_long_float", "ulong", "ulong", "uint", "as_uint(clp_mean_long_float(a[i], b[i]))")
            KERNEL("mean_ulong_float", "ulong", "ulong", "uint", "as_uint(clp_mean_ulong_float(a[i], b[i]))")
                KERNEL("mean_bfloat", "uint", "ulong", "ushort", "clp_mean_bfloat(as_float(a[i]), b[i])")
                    KERNEL("mean_half", "uint", "ulong", "ushort", "clp_mean_half(as_float(a[i]), b[i])")
                        KERNEL("halves1", "ushort", "uint", "uint", "as_uint(clp_half(a[i]))") HALVES(4)
                            HALVES(8) HALVES(16) "#ifdef cl_khr_fp64\n" KERNEL(
                                "divide_double", "ulong", "ulong", "ulong",
                                "as_ulong(clp_divide_double(as_double(a[i]), as_double(b[i])))")
                                KERNEL("sqrt_double", "ulong", "ulong", "ulong",
                                       "as_ulong(clp_sqrt_double(as_double(a[i])))")
                                    KERNEL("mean_double", "ulong", "ulong", "ulong",
                                           "as_ulong(clp_mean_double(as_double(a[i]), b[i]))")
                                        KERNEL("mean_long_double", "ulong", "ulong", "ulong",
                                               "as_ulong(clp_mean_long_double(a[i], b[i]))")
                                            KERNEL("mean_ulong_double", "ulong", "ulong", "ulong",
                                                   "as_ulong(clp_mean_ulong_double(a[i], b[i]))") "#endif\n";

static clp_context *context;
static cl_program programs[2]; /* of the simt and the simd shape */

/* The files one after the other, as the library would paste them. fence: 2 takes NVIDIA's conversions. */
static char *source(int simd, int fence) {
    const size_t most = 1 << 20;
    char *text = malloc(most);
    ck_assert_ptr_nonnull(text);
    size_t length =
        (size_t)snprintf(text, most,
                         "#define CLP_SIMD %d\n#define CLP_SUBGROUPS 1\n#define CLP_DEVICE_FENCE %d\n"
                         "#define CLP_WG_SIZE 1\n#define CLP_HINT_WG_SIZE 0\n#define CLP_REQD_SUBGROUP 0\n",
                         simd, fence);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", CLP_KERNEL_FOLDER, files[i]);
        FILE *file = fopen(path, "rb");
        ck_assert_msg(file != NULL, "cannot open %s", path);
        length += fread(text + length, 1, most - length - sizeof kernels, file);
        fclose(file);
    }
    memcpy(text + length, kernels, sizeof kernels);
    return text;
}

static void set_up(void) {
    context = test_context(CLP_SHAPE_SIMT, CLP_SUBGROUPS_DEFAULT, 0);
    cl_device_id device = clp_context_device(context);
    char extensions[8192] = "";
    ok_cl(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL));
    const bool nvidia = strstr(extensions, "cl_nv_device_attribute_query") &&
                        clp_context_info(context)->has_device_fence; /* then it is PTX's */
    for (int simd = 0; simd < 2; simd++) {
        char *text = source(simd, nvidia ? 2 : 0);
        const char *chars = text;
        cl_int code;
        programs[simd] = clCreateProgramWithSource(clp_context_cl(context), 1, &chars, NULL, &code);
        ok_cl(code);
        free(text);
        code = clBuildProgram(programs[simd], 1, &device, "", NULL, NULL);
        if (code != CL_SUCCESS) {
            static char log[1 << 16];
            clGetProgramBuildInfo(programs[simd], device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
            fprintf(stderr, "%s\n", log);
        }
        ok_cl(code);
    }
}

static void tear_down(void) {
    clReleaseProgram(programs[0]);
    clReleaseProgram(programs[1]);
    clp_context_destroy(context);
}

/* Runs a kernel on n work-items. Sizes in bytes of all of a, b and r. */
static void run_of(cl_program program, const char *name, size_t n, const void *a, size_t a_size,
                   const void *b, size_t b_size, void *r, size_t r_size) {
    cl_int code;
    cl_command_queue queue = clp_context_queue(context);
    cl_kernel kernel = clCreateKernel(program, name, &code);
    ok_cl(code);
    cl_mem from = test_input(context, a, a_size), second = test_input(context, b, b_size),
           to = test_output(context, r_size);
    ok_cl(clSetKernelArg(kernel, 0, sizeof from, &from));
    ok_cl(clSetKernelArg(kernel, 1, sizeof second, &second));
    ok_cl(clSetKernelArg(kernel, 2, sizeof to, &to));
    ok_cl(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &n, NULL, 0, NULL, NULL));
    test_read(queue, to, 0, r_size, r);
    clReleaseMemObject(from);
    clReleaseMemObject(second);
    clReleaseMemObject(to);
    clReleaseKernel(kernel);
}

static void run(const char *name, size_t n, const void *a, size_t a_size, const void *b, size_t b_size,
                void *r, size_t r_size) {
    run_of(programs[0], name, n, a, a_size, b, b_size, r, r_size);
}

/* ---- data ---------------------------------------------------------------------------------------------- */

static uint64_t hash(uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* Values around every edge of a format of 1 + exponent + mantissa bits. */
static uint64_t edge(uint64_t h, int exponent, int mantissa) {
    const uint64_t one = (uint64_t)1 << mantissa, all = ((uint64_t)1 << exponent) - 1;
    const uint64_t exponents[] = {0, 0, 1, 2, all / 2 - 1, all / 2, all / 2 + 1, all - 2, all - 1, all};
    const uint64_t mantissas[] = {0,       1,       2,           3,
                                  one - 1, one - 2, one / 2 - 1, one / 2 + 1,
                                  one / 2, one / 4, h % one,     (h >> 5) % one & ~(uint64_t)0xff};
    const uint64_t sign = h >> 63 << (exponent + mantissa);
    return sign | exponents[(h >> 8) % 10] << mantissa | mantissas[(h >> 16) % 12];
}

/*
 * Pair i: any bits; numbers near each other; edges; denormals over powers of two, whose quotients are halfway
 * between two denormals; quotients that a small whole number times b makes exact or nearly so.
 */
static void pair(size_t i, int exponent, int mantissa, uint64_t *a, uint64_t *b) {
    const uint64_t h = hash(2 * i), k = hash(2 * i + 1), one = (uint64_t)1 << mantissa;
    const uint64_t mask = exponent == 8 ? 0xffffffff : ~(uint64_t)0,
                   bias = ((uint64_t)1 << (exponent - 1)) - 1;
    *a = h & mask;
    *b = k & mask;
    switch (i % 6) {
    case 1:
        *b = (*a & ~(one - 1)) | (k % one);
        break;
    case 2:
        *a = edge(h, exponent, mantissa);
        *b = edge(k, exponent, mantissa);
        break;
    case 3: /* a little above the denormals, over 2^1 … 2^40 */
        *a = (1 + h % 20) << mantissa | (h >> 8) % one;
        *a &= ~(uint64_t)0 << (h >> 56) % 24;
        *b = (bias + 1 + k % 40) << mantissa;
        break;
    case 4: /* a is b times a whole number below 256, if b has 8 zeros behind */
        *b = (bias - 20 + k % 40) << mantissa | ((k >> 8) % one & ~(uint64_t)0xff);
        if (mantissa == 23) {
            float x;
            const uint32_t low = (uint32_t)*b;
            memcpy(&x, &low, 4);
            x *= (float)(1 + h % 255);
            uint32_t bits;
            memcpy(&bits, &x, 4);
            *a = bits;
        } else {
            double x;
            memcpy(&x, b, 8);
            x *= (double)(1 + h % 255);
            memcpy(a, &x, 8);
        }
        *a += (h >> 40) % 3 - 1;
        break;
    case 5:
        *b = edge(k, exponent, mantissa);
        break;
    default:
        break;
    }
}

static uint32_t bits_f32(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return isnan(x) ? 0x7fc00000 : bits;
}

static uint64_t bits_f64(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return isnan(x) ? 0x7ff8000000000000 : bits;
}

static float f32_of(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static double f64_of(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static size_t pairs(void) {
    return test_max_n() < (size_t)2 << 20 ? test_max_n() : (size_t)2 << 20;
}

static bool doubles(void) {
    return clp_context_info(context)->has_f64;
}

/* ---- tests --------------------------------------------------------------------------------------------- */

START_TEST(divide_and_root_f32) {
    ck_assert_int_eq(FLT_EVAL_METHOD, 0);
    const size_t n = pairs();
    uint32_t *a = malloc(n * 4), *b = malloc(n * 4), *r = malloc(n * 4);
    ck_assert(a && b && r);
    for (size_t i = 0; i < n; i++) {
        uint64_t x, y;
        pair(i, 8, 23, &x, &y);
        a[i] = (uint32_t)x, b[i] = (uint32_t)y;
    }
    run("divide_float", n, a, n * 4, b, n * 4, r, n * 4);
    for (size_t i = 0; i < n; i++)
        ck_assert_msg(r[i] == bits_f32(f32_of(a[i]) / f32_of(b[i])), "%08x / %08x: %08x, not %08x", a[i],
                      b[i], r[i], bits_f32(f32_of(a[i]) / f32_of(b[i])));
    run("sqrt_float", n, a, n * 4, b, n * 4, r, n * 4);
    for (size_t i = 0; i < n; i++) {
        const uint32_t want = bits_f32(sqrtf(f32_of(a[i])));
        ck_assert_msg(r[i] == want, "root of %08x: %08x, not %08x", a[i], r[i], want);
    }
    free(a);
    free(b);
    free(r);
}
END_TEST

START_TEST(divide_and_root_f64) {
    if (!doubles())
        return;
    const size_t n = pairs();
    uint64_t *a = malloc(n * 8), *b = malloc(n * 8), *r = malloc(n * 8);
    ck_assert(a && b && r);
    for (size_t i = 0; i < n; i++)
        pair(i, 11, 52, &a[i], &b[i]);
    run("divide_double", n, a, n * 8, b, n * 8, r, n * 8);
    for (size_t i = 0; i < n; i++) {
        const uint64_t want = bits_f64(f64_of(a[i]) / f64_of(b[i]));
        ck_assert_msg(r[i] == want, "%016llx / %016llx: %016llx, not %016llx", (unsigned long long)a[i],
                      (unsigned long long)b[i], (unsigned long long)r[i], (unsigned long long)want);
    }
    run("sqrt_double", n, a, n * 8, b, n * 8, r, n * 8);
    for (size_t i = 0; i < n; i++)
        ck_assert_msg(r[i] == bits_f64(sqrt(f64_of(a[i]))), "root of %016llx: %016llx",
                      (unsigned long long)a[i], (unsigned long long)r[i]);
    free(a);
    free(b);
    free(r);
}
END_TEST

/* A whole number: of any width, and halfway between two floats or a unit beside that. */
static uint64_t whole(uint64_t h, int digits) {
    const unsigned width = 1 + (unsigned)(h >> 58); /* 1 … 64 */
    uint64_t n = hash(h) >> (64 - width) | (uint64_t)1 << (width - 1);
    const int below = (int)width - digits; /* bits behind the last that is kept */
    if (h & 1 && below >= 1)
        n = ((n >> below << below) | (uint64_t)1 << (below - 1)) + (h >> 1) % 3 - 1;
    return n;
}

/* The host's conversion of an integer is correctly rounded too. */
START_TEST(means) {
    const size_t n = pairs() / 4;
    uint64_t *a = malloc(n * 8), *b = malloc(n * 8), *r64 = malloc(n * 8);
    uint32_t *a32 = malloc(n * 4), *r = malloc(n * 4);
    ck_assert(a && b && a32 && r && r64);
    for (int digits = 24; digits <= 53; digits += 29) {
        for (size_t i = 0; i < n; i++) {
            a[i] = i % 7 == 0 ? 0 : whole(hash(3 * i), digits);
            a[i] = hash(i) % 3 == 0 ? 0 - a[i] : a[i];
            b[i] = whole(hash(3 * i + 1), digits);
            a32[i] = (uint32_t)(i % 2 ? hash(3 * i + 2) : edge(hash(3 * i + 2), 8, 23));
        }
        if (digits == 24) {
            run("mean_float", n, a32, n * 4, b, n * 8, r, n * 4);
            for (size_t i = 0; i < n; i++)
                ck_assert_msg(r[i] == bits_f32(f32_of(a32[i]) / (float)b[i]), "mean of %08x and %llu: %08x",
                              a32[i], (unsigned long long)b[i], r[i]);
            run("mean_long_float", n, a, n * 8, b, n * 8, r, n * 4);
            for (size_t i = 0; i < n; i++)
                ck_assert_msg(r[i] == bits_f32((float)(int64_t)a[i] / (float)b[i]),
                              "mean of %lld and %llu: %08x", (long long)a[i], (unsigned long long)b[i], r[i]);
            run("mean_ulong_float", n, a, n * 8, b, n * 8, r, n * 4);
            for (size_t i = 0; i < n; i++)
                ck_assert_msg(r[i] == bits_f32((float)a[i] / (float)b[i]), "mean of %llu and %llu: %08x",
                              (unsigned long long)a[i], (unsigned long long)b[i], r[i]);
        } else if (doubles()) {
            run("mean_long_double", n, a, n * 8, b, n * 8, r64, n * 8);
            for (size_t i = 0; i < n; i++)
                ck_assert_msg(r64[i] == bits_f64((double)(int64_t)a[i] / (double)b[i]),
                              "mean of %lld and %llu", (long long)a[i], (unsigned long long)b[i]);
            run("mean_ulong_double", n, a, n * 8, b, n * 8, r64, n * 8);
            for (size_t i = 0; i < n; i++)
                ck_assert_msg(r64[i] == bits_f64((double)a[i] / (double)b[i]), "mean of %llu and %llu",
                              (unsigned long long)a[i], (unsigned long long)b[i]);
            run("mean_double", n, a, n * 8, b, n * 8, r64, n * 8); /* any bits: a sum too */
            for (size_t i = 0; i < n; i++)
                ck_assert_msg(r64[i] == bits_f64(f64_of(a[i]) / (double)b[i]), "mean of %016llx and %llu",
                              (unsigned long long)a[i], (unsigned long long)b[i]);
        }
    }
    free(a);
    free(b);
    free(a32);
    free(r);
    free(r64);
}
END_TEST

/* 16-bit means are the float's, rounded once. By hand, for a C host has no such types. */
START_TEST(means_of_16_bits) {
    static const struct {
        uint32_t sum;
        uint64_t n;
        uint16_t as_half, as_bfloat;
    } rows[] = {
        {0x3f800000, 1, 0x3c00, 0x3f80},         /* 1 */
        {0x3f800000, 3, 0x3555, 0x3eab},         /* 1/3 */
        {0x40000000, 3, 0x3955, 0x3f2b},         /* 2/3 */
        {0x80000000, 7, 0x8000, 0x8000},         /* −0 */
        {0x7f800000, 2, 0x7c00, 0x7f80},         /* ∞ */
        {0xffc12345, 2, 0x7e00, 0x7fc0},         /* NaN */
        {0x477fe000, 1, 0x7bff, 0x4780},         /* 65504, the largest half */
        {0x47ffe000, 2, 0x7bff, 0x4780},         /* the same */
        {0x477ff000, 1, 0x7c00, 0x4780},         /* 65520 is halfway to the next */
        {0x33800000, 2, 0x0000, 0x3300},         /* 2^-25 is halfway to the smallest denormal half */
        {0x34400000, 2, 0x0002, 0x33c0},         /* 3 · 2^-25 too */
        {0x4b7fffff, 0x1000000, 0x3c00, 0x3f80}, /* just below 1 */
    };
    enum { ROWS = sizeof rows / sizeof *rows };
    uint32_t sums[ROWS];
    uint64_t counts[ROWS];
    uint16_t halves[ROWS], bfloats[ROWS];
    for (size_t i = 0; i < ROWS; i++)
        sums[i] = rows[i].sum, counts[i] = rows[i].n;
    run("mean_half", ROWS, sums, sizeof sums, counts, sizeof counts, halves, sizeof halves);
    run("mean_bfloat", ROWS, sums, sizeof sums, counts, sizeof counts, bfloats, sizeof bfloats);
    for (size_t i = 0; i < ROWS; i++) {
        ck_assert_msg(halves[i] == rows[i].as_half, "row %zu: half %04x", i, halves[i]);
        ck_assert_msg(bfloats[i] == rows[i].as_bfloat, "row %zu: bfloat %04x", i, bfloats[i]);
    }
}
END_TEST

/* All halves, as vectors of every width, in the simt and the simd shape. Any NaN will do for a NaN. */
START_TEST(halves_to_floats) {
    enum { ALL = 1 << 16 };
    static const char *const names[] = {"halves1", "halves4", "halves8", "halves16"};
    static const size_t widths[] = {1, 4, 8, 16};
    static uint16_t bits[ALL];
    static uint32_t got[ALL];
    for (uint32_t i = 0; i < ALL; i++)
        bits[i] = (uint16_t)(i * 40503u); /* neighbours differ in kind */
    for (int w = 0; w < 4; w++) {
        run_of(programs[_i], names[w], ALL / widths[w], bits, sizeof bits, bits, sizeof bits, got,
               sizeof got);
        for (int i = 0; i < ALL; i++) {
            const int exponent = bits[i] >> 10 & 31, mantissa = bits[i] & 1023;
            const float magnitude = exponent == 31  ? (mantissa ? NAN : INFINITY)
                                    : exponent == 0 ? ldexpf((float)mantissa, -24)
                                                    : ldexpf((float)(1024 + mantissa), exponent - 25);
            const float want = bits[i] & 0x8000 ? -magnitude : magnitude;
            ck_assert_msg(isnan(want) ? isnan(f32_of(got[i])) : got[i] == bits_f32(want), "%s of %04x: %08x",
                          names[w], bits[i], got[i]);
        }
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("arithmetic");
    TCase *arithmetic = tcase_create("arithmetic");
    tcase_add_unchecked_fixture(arithmetic, set_up, tear_down);
    tcase_add_test(arithmetic, divide_and_root_f32);
    tcase_add_test(arithmetic, divide_and_root_f64);
    tcase_add_test(arithmetic, means);
    tcase_add_test(arithmetic, means_of_16_bits);
    tcase_add_loop_test(arithmetic, halves_to_floats, 0, 2);
    suite_add_tcase(suite, arithmetic);
    return test_main(suite);
}

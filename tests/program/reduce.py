# SPDX-License-Identifier: Apache-2.0
"""`run reduce` of files that NumPy wrote, compared with Python's exact sum, minimum and maximum."""

import math
import os
import subprocess

import numpy as np
from program import at, main, run

SIZES = 0, 1, 5000
WIDE = {"int32": "int64", "uint32": "uint64"}


def make(dtype, n):
    random = np.random.default_rng(n)
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        return (random.uniform(-1, 1, n) * 10 ** random.uniform(-3, 3, n)).astype(dtype)
    limits = np.iinfo(dtype)
    return random.integers(limits.min, limits.max, n, dtype, endpoint=True)


def reduce(array, op, *options):
    """The result as NumPy reads it from the output file; what is printed must be the same."""
    np.save(at("in.npy"), array)
    done = run("run", "reduce", "--op", op, *options, "in.npy", "-o", "out.npy")
    assert done.stdout == "" and done.stderr == "", done
    value = np.load(at("out.npy"))
    assert value.shape == (), value.shape
    printed = run("run", "reduce", "--op", op, *options, "in.npy").stdout
    assert printed.count("\n") == 1, printed
    number = float(printed) if value.dtype.kind == "f" else int(printed)
    assert value.dtype.type(number).tobytes() == value.tobytes(), (printed, value)
    return value[()]


# docs/reproducibility.md, "How exact a sum is"
def bound(array):
    levels, n = 1, len(array)
    while n > 4096:
        levels, n = levels + 1, -(-n // 4096)
    u = float(np.finfo(array.dtype).eps) / 2
    k = 38 * levels
    return k * u / (1 - k * u) * math.fsum(np.abs(array).tolist())


def test_sums_of_integers_are_exact_and_wide():
    for dtype, wide in WIDE.items():
        for n in SIZES:
            array = make(dtype, n)
            value = reduce(array, "sum")
            assert value.dtype == wide and int(value) == sum(array.tolist()), (dtype, n, value)


def test_sums_of_integers_wrap_if_asked_to():
    for dtype in WIDE:
        for n in SIZES:
            array = make(dtype, n)
            value = reduce(array, "sum", "--result", "same")
            assert value.dtype == dtype and value == array.sum(dtype=dtype), (dtype, n, value)


def test_sums_of_floats_are_within_the_documented_bound():
    for dtype in "float32", "float64":
        for n in SIZES:
            array = make(dtype, n)
            value = reduce(array, "sum")
            error = abs(float(value) - math.fsum(array.tolist()))
            # fsum rounds to a double too
            assert value.dtype == dtype and error <= bound(array) * (1 + 1e-12), (dtype, n, value, error)
            assert n > 1 or error == 0, (dtype, n, value)


def test_minimum_and_maximum():
    for dtype in "int32", "uint32", "float32", "float64":
        for n in SIZES:
            array = make(dtype, n)
            infinity = np.iinfo(dtype) if np.dtype(dtype).kind != "f" else None
            most = np.dtype(dtype).type(infinity.max if infinity else math.inf)
            least = np.dtype(dtype).type(infinity.min if infinity else -math.inf)
            smallest, largest = reduce(array, "min"), reduce(array, "max")
            assert smallest.dtype == dtype and largest.dtype == dtype
            assert smallest == array.min(initial=most), (dtype, n, smallest)
            assert largest == array.max(initial=least), (dtype, n, largest)


def test_not_a_number():
    for dtype in "float32", "float64":
        array = np.array([1, math.nan, -2], dtype)
        assert math.isnan(reduce(array, "sum"))
        assert reduce(array, "min") == -2 and math.isnan(reduce(array, "max"))
        assert math.isnan(reduce(np.full(3, math.nan, dtype), "min"))
        assert reduce(np.array([1, math.inf], dtype), "sum") == math.inf


def test_any_shape_is_one_row_of_elements():
    array = make("int32", 5000).reshape(50, 4, 25)
    assert reduce(array, "sum") == array.sum(dtype="int64")
    assert reduce(np.array(7, "int32"), "sum") == 7
    assert reduce(np.zeros((3, 0, 2), "float64"), "sum") == 0


def test_formats_orders_and_pipes():
    array = make("float32", 100)
    expected = reduce(array, "sum")
    for version in (1, 0), (2, 0), (3, 0):
        with open(at("version.npy"), "wb") as file:
            np.lib.format.write_array(file, array, version)
        run("run", "reduce", "--op", "sum", "version.npy", "-o", "out.npy")
        assert np.load(at("out.npy")) == expected, version
    # One long dimension is the same in both orders.
    np.save(at("fortran.npy"), np.asfortranarray(array.reshape(100, 1)))
    run("run", "reduce", "--op", "sum", "fortran.npy", "-o", "out.npy")
    assert np.load(at("out.npy")) == expected
    np.save(at("in.npy"), array)
    with subprocess.Popen(["cat", at("in.npy")], stdout=subprocess.PIPE) as cat:
        run("run", "reduce", "--op", "sum", "/dev/stdin", "-o", "out.npy", stdin=cat.stdout)
    assert np.load(at("out.npy")) == expected


def test_a_file_may_be_replaced_by_its_own_sum():
    np.save(at("in.npy"), np.arange(10, dtype="int32"))
    run("run", "reduce", "--op", "sum", "in.npy", "-o", "in.npy")
    assert np.load(at("in.npy")) == 45 and os.listdir(at(".")) == ["in.npy"]


main(globals())

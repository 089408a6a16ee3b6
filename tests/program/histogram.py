# SPDX-License-Identifier: Apache-2.0
"""`run histogram`, compared with NumPy."""

import numpy as np
from program import at, main, refuse, run

RANDOM = np.random.default_rng(5)


def call(array, *options, **others):
    """The counts. others: further files by name."""
    np.save(at("in.npy"), array)
    for other, values in others.items():
        np.save(at(f"{other}.npy"), values)
    done = run("run", "histogram", *options, "in.npy", "-o", "out.npy")
    assert done.stderr == "" and done.stdout == "", done
    return np.load(at("out.npy"))


def same(got, want):
    assert got.dtype in (np.uint64, np.int64) and got.shape == want.shape, (got.dtype, got.shape, want.shape)
    assert np.array_equal(got.astype("int64"), want.astype("int64")), np.flatnonzero(got != want)[:9]


def numpy_counts(array, bins, low, high):
    return np.histogram(array, bins, (low, high))[0]


def test_even_bins_of_floats():
    for dtype in "float16", "float32", "float64":
        for bins, low, high in (1, 0, 1), (10, -1.1, 0.7), (255, -0.3, 0.3), (1000, 1 / 3, 2 / 3):
            array = RANDOM.uniform(-1.5, 1, 20000).astype(dtype)
            edges = np.linspace(low, high, bins + 1).astype(dtype)
            array[:bins] = edges[:bins]
            array[bins : 2 * bins] = np.nextafter(edges[1:], np.array(-9, dtype))
            array[-1] = edges[-1]
            array[-2] = np.nan
            want = np.histogram(array, edges)[0] if dtype == "float16" else numpy_counts(array, bins, low, high)
            same(call(array, "--bins", bins, "--range", low, high), want)


def test_even_bins_of_integers():
    # Ranges that double arithmetic divides exactly, and others by the exact rule.
    for dtype in "int8", "uint8", "int16", "uint16", "int32", "uint32":
        limits = np.iinfo(dtype)
        array = RANDOM.integers(limits.min, limits.max, 20000, dtype, endpoint=True)
        same(call(array, "--bins", 16, "--range", 0, 96), numpy_counts(array, 16, 0, 96))
        same(call(array, "--bins", 64), numpy_counts(array, 64, limits.min, limits.max + 1))
    for dtype in "int64", "uint64":
        array = RANDOM.integers(0, 1000003, 5000).astype(dtype)
        edges = np.array([(k * 1000003 + 6) // 7 for k in range(8)], dtype)
        same(call(array, "--bins", 7, "--range", 0, 1000003), np.histogram(array, edges)[0])
    # Too far apart for doubles to tell neighbours.
    array = np.array([0, 2**63 - 1, 2**63, 2**64 - 1], "uint64")
    same(call(array, "--bins", 2), np.array([2, 2]))


def test_bytes():
    array = RANDOM.integers(0, 256, (50, 70), "uint8")
    same(call(array), np.bincount(array.ravel(), minlength=256))
    same(call(array, "--rows"), np.array([np.bincount(row, minlength=256) for row in array]))
    image = RANDOM.integers(0, 256, (20, 31, 3), "uint8")
    same(call(image, "--channels", 3), np.array([np.bincount(image[:, :, c].ravel(), minlength=256) for c in range(3)]))
    rows = call(image, "--channels", 3, "--rows", "--bins", 16)
    same(rows, np.array([[np.bincount(row[:, c] // 16, minlength=16) for c in range(3)] for row in image]))


def test_edges():
    for dtype in "int16", "uint32", "float32", "float64":
        array = RANDOM.integers(0, 100, 9999).astype(dtype)
        edges = np.array([3, 3, 10, 40, 40, 40, 77, 90], dtype)
        same(call(array, "--edges", "e.npy", e=edges), np.histogram(array, edges)[0])


def test_weights():
    array = RANDOM.uniform(0, 1, 7000).astype("float32")
    for weights in RANDOM.integers(0, 2**32, 7000, "uint32"), RANDOM.integers(-(2**31), 2**31, 7000, "int32"):
        bins = (array * np.float32(8)).astype(int)
        want = np.array([weights[bins == k].astype("int64").sum() for k in range(8)])
        same(call(array, "--bins", 8, "--range", 0, 1, "--weights", "w.npy", w=weights), want)


def test_nothing():
    same(call(np.zeros(0, "float32"), "--bins", 3, "--range", -1, 1), np.zeros(3))
    same(call(np.zeros((0, 5), "uint8"), "--rows"), np.zeros((0, 256)))


def test_bad_usage():
    np.save(at("in.npy"), np.zeros(3, "float32"))
    np.save(at("i.npy"), np.zeros((4, 2), "int32"))
    np.save(at("two.npy"), np.zeros(2, "uint32"))
    for line, words in {
        "run histogram in.npy -o out.npy": "--bins or --edges is missing",
        "run histogram --bins 3 in.npy -o out.npy": "--range LO HI is missing",
        "run histogram --bins x --range 0 1 in.npy -o out.npy": "--bins is a number",
        "run histogram --bins 0 --range 0 1 in.npy -o out.npy": "--bins is a number",
        "run histogram --bins 3 --range 1 1 in.npy -o out.npy": "low must be less than high",
        "run histogram --bins 3 --range 0 x in.npy -o out.npy": "no bounds for elements of type f32",
        "run histogram --bins 3 --range 0 1.5 i.npy -o out.npy": "no bounds for elements of type i32",
        "run histogram --bins 99999999 --range 0 1 in.npy -o out.npy": "1 to 16777216",
        "run histogram in.npy -o out.npy --range 1": "--range takes two numbers",
        "run histogram --edges two.npy in.npy -o out.npy": "elements of type f32",
        "run histogram --edges two.npy --bins 2 in.npy -o out.npy": "--edges goes without",
        "run histogram --bins 3 --channels 5 i.npy -o out.npy": "--channels is 1 to 4",
        "run histogram --bins 3 --channels 3 i.npy -o out.npy": "its last dimension is no 3 channels",
        "run histogram --bins 3 --range 0 1 --rows in.npy -o out.npy": "it has no rows",
        "run histogram --bins 3 --weights two.npy i.npy -o out.npy": "two.npy: it has 2 elements, i.npy has 8",
        "run histogram --bins 3 --weights in.npy --range 0 1 in.npy -o out.npy": "type u32 or i32",
        "run histogram --bins 3": "-o OUT.npy is missing",
        "run histogram --bins 3 -o out.npy": "which file",
        "run histogram --bins 3 i.npy i.npy -o out.npy": "usage",
        "run histogram --bins 3 nosuch.npy -o out.npy": "nosuch.npy",
        "run histogram --bins 3 i.npy -o nosuch/out.npy": "nosuch/out.npy: cannot write",
    }.items():
        refuse(*line.split(), says=words)


main(globals())

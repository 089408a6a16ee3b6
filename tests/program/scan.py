# SPDX-License-Identifier: Apache-2.0
"""`run scan`, compared with NumPy."""

import numpy as np
from program import at, main, refuse, run

RANDOM = np.random.default_rng(1)


def scan(array, *options):
    np.save(at("in.npy"), array)
    done = run("run", "scan", *options, "in.npy", "-o", "out.npy")
    assert done.stdout == "" and done.stderr == "", done
    return np.load(at("out.npy"))


def test_integers_are_exact():
    for dtype in "int8", "uint16", "int32", "uint64":
        limits = np.iinfo(dtype)
        for n in 1, 17, 5000:
            array = RANDOM.integers(limits.min, limits.max, n, dtype, endpoint=True)
            sums = np.cumsum(array, dtype=dtype)
            assert (scan(array, "--op", "sum") == sums).all(), (dtype, n)
            assert (scan(array, "--op", "max") == np.maximum.accumulate(array)).all(), (dtype, n)
            exclusive = scan(array, "--op", "sum", "--exclusive")
            assert exclusive[0] == 0 and (exclusive[1:] == sums[:-1]).all(), (dtype, n)
            behind = scan(array, "--op", "xor", "--exclusive", "--init", "5")
            assert behind[0] == 5 and (behind[1:] == np.bitwise_xor.accumulate(array)[:-1] ^ 5).all(), (dtype, n)


def test_results_of_other_types():
    array = RANDOM.integers(0, 255, 3000, "uint8", endpoint=True)
    for result, dtype in ("u32", "uint32"), ("u64", "uint64"):
        sums = scan(array, "--op", "sum", "--result", result)
        assert sums.dtype == dtype and (sums == np.cumsum(array, dtype=dtype)).all()


def test_floats_and_shapes():
    array = RANDOM.uniform(-1, 1, (30, 40)).astype("float32")
    sums = scan(array, "--op", "sum")
    assert sums.shape == array.shape and np.allclose(sums.ravel(), np.cumsum(array.ravel(), dtype="float64"), atol=1e-4)
    assert scan(np.zeros(0, "float64"), "--op", "sum").shape == (0,)


def test_bad_usage():
    np.save(at("in.npy"), np.zeros(3, "float32"))
    for line, words in {
        "run scan in.npy -o out.npy": "usage",
        "run scan --op sum in.npy": "usage",
        "run scan --op mean in.npy -o out.npy": "has no form",
        "run scan --op sum --result long in.npy -o out.npy": "a type like",
        "run scan --op sum --result i32 in.npy -o out.npy": "has no form",
        "run scan --op sum --init x in.npy -o out.npy": "is no value",
        "run scan --op sum nosuch.npy -o out.npy": "nosuch.npy",
    }.items():
        refuse(*line.split(), says=words)


main(globals())

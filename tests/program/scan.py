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


def test_schedules_have_the_same_bits():
    array = RANDOM.uniform(-1, 1, 4096).astype("float32")
    whole = RANDOM.integers(0, 1 << 32, 4001, "uint32")
    for kind in (), ("--exclusive", "--init", "3"):
        wanted = scan(array, "--op", "sum", *kind).tobytes()
        assert scan(array, "--op", "sum", "--schedule", "hillis_steele", *kind).tobytes() == wanted
        wanted = scan(whole, "--op", "sum", *kind).tobytes()
        for schedule in "levels", "single", "hillis_steele", "blelloch":
            assert scan(whole, "--op", "sum", "--schedule", schedule, *kind).tobytes() == wanted, schedule


def test_rows():
    array = RANDOM.integers(-9, 9, (7, 5000), "int64")
    assert (scan(array, "--op", "sum", "--rows") == np.cumsum(array, axis=1)).all()
    short = array[:, :4096]
    assert (scan(short, "--op", "sum", "--rows", "--schedule", "blelloch") == np.cumsum(short, axis=1)).all()


def test_segments():
    array = RANDOM.integers(0, 1 << 20, 20000, "uint32")
    offsets = np.array([3, 3, 100, 9000, 9001, 19990])
    wanted = np.zeros_like(array)
    for begin, end in zip(offsets, offsets[1:]):
        wanted[begin:end] = np.cumsum(array[begin:end], dtype="uint32")
    for dtype in "uint32", "uint64":
        np.save(at("offsets.npy"), offsets.astype(dtype))
        assert (scan(array, "--op", "sum", "--segments", "offsets.npy") == wanted).all(), dtype
    np.save(at("offsets.npy"), np.zeros(1, "uint32"))
    assert not scan(array, "--op", "sum", "--segments", "offsets.npy").any()


def test_bad_usage():
    np.save(at("in.npy"), np.zeros(3, "float32"))
    np.save(at("long.npy"), np.zeros(4097, "float32"))
    for line, words in {
        "run scan in.npy -o out.npy": "--op must be given",
        "run scan --op sum in.npy": "-o OUT.npy must be given",
        "run scan --op sum -o out.npy": "which file?",
        "run scan --op sum in.npy in.npy -o out.npy": "usage",
        "run scan --op sum --rows in.npy -o out.npy": "2 dimensions",
        "run scan --op sum --rows --flags in.npy in.npy -o out.npy": "exclude each other",
        "run scan --op sum --segments in.npy in.npy -o out.npy": "type u32 or u64",
        "run scan --op sum --segments gone.npy in.npy -o out.npy": "gone.npy: ",
        "run scan --op sum --schedule slow in.npy -o out.npy": "hillis_steele or blelloch",
        "run scan --op sum --schedule blelloch in.npy -o out.npy": "not the canonical order",
        "run scan --op max --schedule blelloch long.npy -o out.npy": "4096 elements at most",
        "run scan --op mean in.npy -o out.npy": "has no form",
        "run scan --op sum --result long in.npy -o out.npy": "a type like",
        "run scan --op sum --result i32 in.npy -o out.npy": "has no form",
        "run scan --op sum --init x in.npy -o out.npy": "is no value",
        "run scan --op sum nosuch.npy -o out.npy": "nosuch.npy",
    }.items():
        refuse(*line.split(), says=words)


main(globals())

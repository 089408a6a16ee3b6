# SPDX-License-Identifier: Apache-2.0
"""`run rle` and `run reduce-by-key`, compared with NumPy."""

import numpy as np
from program import at, main, refuse, run

RANDOM = np.random.default_rng(3)
KEYS = np.repeat(RANDOM.integers(0, 3, 2000), RANDOM.integers(1, 9, 2000)).astype("uint32")
X = RANDOM.integers(-100, 100, KEYS.size).astype("float32")


def begins_of(keys):
    return np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]])[: keys.size])


def lengths_of(keys):
    return np.diff(begins_of(keys), append=keys.size).astype("uint64")


def same(name, want):
    """A file holds these bits, in one dimension."""
    got = np.load(at(name))
    assert got.dtype == want.dtype and got.shape == want.shape, (got.dtype, got.shape, want.dtype, want.shape)
    assert got.tobytes() == want.tobytes(), name


def call(name, array, *options):
    np.save(at("in.npy"), array)
    done = run("run", name, *options, "in.npy", "-o", "out.npy")
    assert done.stderr == "" and done.stdout == "", done


def test_lengths():
    for array in KEYS, KEYS.astype("float64"), np.zeros((0, 3), "uint32"):
        flat = array.reshape(-1)
        call("rle", array, "--lengths", "l.npy", "--offsets", "o.npy")
        same("out.npy", flat[begins_of(flat)])
        same("l.npy", lengths_of(flat))
        same("o.npy", begins_of(flat).astype("uint64"))
    floats = np.array([0.0, -0.0, np.nan, -np.nan, 1, 1, np.nan], "float64")
    call("rle", floats.reshape(1, 7), "--lengths", "l.npy")
    same("out.npy", floats[[0, 2, 4, 6]])
    same("l.npy", np.array([2, 2, 2, 1], "uint64"))


def test_totals():
    """Sums of small whole numbers are exact."""
    begins = begins_of(KEYS)
    np.save(at("k.npy"), KEYS)
    call("reduce-by-key", X, "--op", "sum", "--keys", "k.npy", "--unique", "u.npy")
    same("out.npy", np.add.reduceat(X, begins))
    same("u.npy", KEYS[begins])
    call("reduce-by-key", X.astype("int32"), "--op", "sum", "--keys", "k.npy", "--result", "i64")
    same("out.npy", np.add.reduceat(X.astype("int64"), begins))


def test_bad_usage():
    np.save(at("in.npy"), np.zeros(3, "float32"))
    np.save(at("two.npy"), np.zeros(2, "uint8"))
    by_key = "run reduce-by-key --op sum --keys in.npy"
    for line, words in {
        "run rle in.npy": "-o VALUES.npy is missing",
        "run rle in.npy -o out.npy": "--lengths LENGTHS.npy is missing",
        "run rle -o out.npy --lengths l.npy": "which file",
        "run rle in.npy in.npy -o out.npy --lengths l.npy": "usage",
        "run rle in.npy -o out.npy --lengths ./out.npy": "cannot be one file",
        "run rle in.npy -o out.npy --lengths l.npy --offsets l.npy": "cannot be one file",
        "run rle nosuch.npy -o out.npy --lengths l.npy": "nosuch.npy",
        "run reduce-by-key --keys in.npy in.npy -o out.npy": "--op is missing",
        "run reduce-by-key --op sum in.npy -o out.npy": "--keys KEYS.npy is missing",
        "run reduce-by-key --op mode in.npy": "not 'mode'",
        f"{by_key} in.npy": "-o TOTALS.npy is missing",
        f"{by_key} -o out.npy": "which file",
        f"{by_key} in.npy -o out.npy --unique out.npy": "cannot be one file",
        f"{by_key} in.npy -o out.npy --result i33": "not 'i33'",
        "run reduce-by-key --op sum --keys two.npy in.npy -o out.npy": "two.npy: it has 2 elements, in.npy has 3",
        "run reduce-by-key --op xor --keys in.npy in.npy -o out.npy": "in.npy",
        "run rle in.npy -o nosuch/out.npy --lengths l.npy": "nosuch/out.npy: cannot write",
        "run runs in.npy": "no pattern is called 'runs'",
    }.items():
        refuse(*line.split(), says=words)
    assert "unrecognized option" in run("run", "rle", "--op", "sum", "in.npy", status=2).stderr


main(globals())

# SPDX-License-Identifier: Apache-2.0
"""`run select`, `run partition` and `run unique`, compared with NumPy. (A module select would hide Python's own.)"""

import numpy as np
from program import at, main, refuse, run

RANDOM = np.random.default_rng(2)
X = RANDOM.uniform(-1, 1, 5000).astype("float32")


def call(name, array, *options, out="out.npy", **others):
    """The array that comes out. others: further files by name."""
    np.save(at("in.npy"), array)
    for other, values in others.items():
        np.save(at(f"{other}.npy"), values)
    done = run("run", name, *options, "-o", out)
    assert done.stderr == "", done
    return np.load(at("out.npy")), done.stdout


def same(got, want):
    """The same bits, one dimension."""
    assert got.dtype == want.dtype and got.shape == want.shape, (got.dtype, got.shape, want.dtype, want.shape)
    assert got.tobytes() == want.tobytes()


def test_predicates():
    for text, wanted in ("x > 0.5f", X > 0.5), ("i % 3 == 1", np.arange(5000) % 3 == 1), ("0", X > 2), ("1", X < 2):
        for options, want in ((), X[wanted]), (("--indices",), np.flatnonzero(wanted).astype("uint64")):
            got, said = call("select", X, "--where", text, *options, "in.npy")
            same(got, want)
            assert said == ""
    second = RANDOM.integers(-5, 5, 5000, "int16")
    same(call("select", X, "--where", "x * 10 > s", "in.npy", "s.npy", s=second)[0], X[X * np.float32(10) > second])


def test_types_and_shapes():
    for dtype in "int8", "uint16", "uint64", "float16", "float64":
        array = RANDOM.integers(0, 100, (30, 40)).astype(dtype)
        same(call("select", array, "--where", "x > 50", "in.npy")[0], array[array > 50])
    nothing = np.zeros((0, 3), "int32")
    same(call("select", nothing, "--where", "1", "in.npy")[0], np.zeros(0, "int32"))


def test_flags():
    wanted = X > 0.25
    for flags in wanted, wanted.astype("uint8"), wanted.astype("int64") << 40:
        same(call("select", X, "--flags", "f.npy", "in.npy", f=flags)[0], X[wanted])


def test_partition():
    wanted = X > 0.5
    got, said = call("partition", X, "--where", "x > 0.5f", "in.npy")
    same(got, np.concatenate([X[wanted], X[~wanted]]))
    assert said == f"{wanted.sum()}\n"
    got, said = call("partition", X, "--flags", "f.npy", "--rejected", "r.npy", "in.npy", f=wanted)
    same(got, X[wanted])
    same(np.load(at("r.npy")), X[~wanted])
    assert said == f"{wanted.sum()}\n"
    got, _ = call("partition", X, "--where", "x > 0.5f", "--indices", "in.npy")
    same(got, np.concatenate([np.flatnonzero(wanted), np.flatnonzero(~wanted)]).astype("uint64"))


def test_unique():
    array = np.repeat(RANDOM.integers(0, 3, 2000), RANDOM.integers(1, 9, 2000)).astype("int32")
    first = np.concatenate([[True], array[1:] != array[:-1]])
    same(call("unique", array, "in.npy")[0], array[first])
    same(call("unique", array, "--indices", "in.npy")[0], np.flatnonzero(first).astype("uint64"))
    floats = np.array([0.0, -0.0, np.nan, -np.nan, 1, 1, np.nan], "float64")
    same(call("unique", floats, "in.npy")[0], floats[[0, 2, 4, 6]])


def test_bad_usage():
    np.save(at("in.npy"), np.zeros(3, "float32"))
    np.save(at("two.npy"), np.zeros(2, "uint8"))
    for line, words in {
        "run select in.npy -o out.npy": "--where and --flags",
        "run select --where 1 --flags two.npy in.npy -o out.npy": "--where and --flags",
        "run select --where 1 in.npy": "-o OUT.npy is missing",
        "run select --where 1 -o out.npy": "which file",
        "run select --where 1 in.npy in.npy in.npy -o out.npy": "usage",
        "run select --where 1 in.npy two.npy -o out.npy": "two.npy: it has 2 elements, in.npy has 3",
        "run select --flags two.npy in.npy -o out.npy": "two.npy: it has 2 elements, in.npy has 3",
        "run select --flags in.npy in.npy -o out.npy": "integers or Booleans",
        "run select --flags in.npy in.npy in.npy -o out.npy": "a second file is for --where",
        "run select --where 1 nosuch.npy -o out.npy": "nosuch.npy",
        "run select --where 1 in.npy -o nosuch/out.npy": "nosuch/out.npy: cannot write",
        "run partition --where 1 --rejected out.npy in.npy -o ./out.npy": "cannot be one file",
        "run unique in.npy in.npy -o out.npy": "usage",
        "run unique in.npy": "-o OUT.npy is missing",
        "run uniq in.npy": "no pattern is called 'uniq'",
    }.items():
        refuse(*line.split(), says=words)
    for line in "run unique --where 1 in.npy -o out.npy", "run select --rejected out.npy --where 1 in.npy -o out.npy":
        assert "unrecognized option" in run(*line.split(), status=2).stderr


def test_a_text_that_does_not_compile():
    np.save(at("in.npy"), np.zeros(3, "float32"))
    done = run("run", "select", "--where", "x > nosuch", "in.npy", "-o", "out.npy", status=2)
    assert done.stderr.startswith("clpatterns: in.npy: ") or "nosuch" in done.stderr, done.stderr
    assert "user where:1" in done.stderr and done.stdout == "", done


main(globals())

# SPDX-License-Identifier: Apache-2.0
"""`run reduce` of rows and segments, by user text, and in other modes, compared with NumPy and Python."""

import math

import numpy as np
from program import USAGE, at, main, refuse, run

RANDOM = np.random.default_rng(1)
REDUCE = "run", "reduce"


def save(**arrays):
    for name, array in arrays.items():
        np.save(at(f"{name}.npy"), array)


def reduce(*options, files=("in.npy",)):
    """The results as NumPy reads them from the output file."""
    done = run(*REDUCE, *options, *files, "-o", "out.npy")
    assert done.stdout == "" and done.stderr == "", done
    return np.load(at("out.npy"))


def whole(*options, files=("in.npy",)):
    value = reduce(*options, files=files)
    assert value.shape == ()
    return value[()]


def integers(dtype, shape):
    limits = np.iinfo(dtype)
    return RANDOM.integers(limits.min, limits.max, shape, dtype, endpoint=True)


def test_printed_values_bring_the_same_bits_back():
    """Each row has one element, which is printed."""
    for dtype in "int8", "uint8", "int16", "uint16", "int32", "uint64", "float16", "float32", "float64":
        is_float = np.dtype(dtype).kind == "f"
        array = integers(dtype, (9, 1)) if not is_float else RANDOM.uniform(-99, 99, (9, 1)).astype(dtype)
        if is_float:
            array[0] = math.nan
        save(**{"in": array})
        lines = run(*REDUCE, "--op", "max", "--rows", "in.npy").stdout.split()
        printed = np.array([[float(line) if is_float else int(line)] for line in lines], dtype)
        assert printed.tobytes() == array.tobytes(), (dtype, lines)


def test_indices():
    for dtype in "uint8", "int64", "float16", "float32":
        is_float = np.dtype(dtype).kind == "f"
        array = RANDOM.uniform(-9, 9, 9000).astype(dtype) if is_float else integers(dtype, 9000)
        save(**{"in": array})
        for op, right in ("argmin", array.argmin()), ("argmax", array.argmax()):
            value = whole("--op", op)
            assert value.dtype == "uint64" and value == right, (dtype, op, value, right)
    save(**{"in": np.array([-0.0, 0.0, math.nan, 1, math.nan], "float32")})
    assert whole("--op", "argmin") == 0 and whole("--op", "argmax") == 2
    assert whole("--op", "argmax", "--result", "u32").dtype == "uint32"
    save(**{"in": np.zeros(0, "float32")})
    assert whole("--op", "argmax") == 2**64 - 1


def test_integer_operators():
    for dtype in "uint8", "int64":
        array = integers(dtype, 5000)
        wide = "uint64" if dtype[0] == "u" else "int64"
        save(**{"in": array})
        for op, function in ("and", np.bitwise_and), ("or", np.bitwise_or), ("xor", np.bitwise_xor):
            value = whole("--op", op)
            assert value.dtype == dtype and value == function.reduce(array), (dtype, op, value)
        assert whole("--op", "all") == array.all() and whole("--op", "any") == array.any()
        assert whole("--op", "prod") == array.prod(dtype=wide)
        assert whole("--op", "mean") == np.float64(array.sum(dtype=wide)) / 5000  # sums wrap


def test_norms_dots_and_means():
    for dtype, digits in ("float16", 3), ("float32", 6):
        x, y = (RANDOM.uniform(-1, 1, 7000).astype(dtype) for _ in range(2))
        wide, other = x.astype("float64"), y.astype("float64")
        save(**{"in": x, "y": y})
        result = "float32" if dtype == "float16" else dtype
        for right, *call in (
            (np.abs(wide).sum(), "norm1"),
            (math.sqrt((wide * wide).sum()), "norm2"),
            (wide.sum() / 7000, "mean"),
            ((wide * other).sum(), "dot", "y.npy"),
        ):
            value = whole("--op", call[0], files=("in.npy", *call[1:]))
            assert value.dtype == result and abs(value - right) < 10**-digits * 7000, (call, value, right)
    save(**{"in": np.zeros(0, "float32")})
    assert math.isnan(whole("--op", "mean"))


def test_modes():
    array = np.array([1, 1e8, 1, -1e8] * 5000, "float32")
    save(**{"in": array})
    right = math.fsum(array.tolist())
    assert whole("--op", "sum", "--mode", "tree").dtype == "float32"
    assert whole("--op", "sum", "--mode", "compensated") == right
    assert whole("--op", "sum", "--mode", "wide") == right
    assert whole("--op", "sum", "--mode", "wide", "--result", "f64").dtype == "float64"
    numbers = integers("int32", 70000)
    save(**{"in": numbers})
    assert whole("--op", "sum", "--mode", "fast", "--result", "i32") == numbers.sum(dtype="int32")
    assert whole("--op", "max", "--mode", "fast") == numbers.max()


def test_rows():
    array = integers("int32", (37, 5001))
    save(**{"in": array, "lengths": RANDOM.integers(0, 6000, 37).astype("uint32")})
    assert (reduce("--op", "sum", "--rows") == array.sum(1, dtype="int64")).all()
    assert (reduce("--op", "argmax", "--rows") == array.argmax(1)).all()
    lengths = np.load(at("lengths.npy"))
    ragged = reduce("--op", "max", "--rows", "--lengths", "lengths.npy")
    right = [row[:length].max(initial=-(2**31)) for row, length in zip(array, lengths)]
    assert ragged.dtype == "int32" and (ragged == right).all()
    floats = [RANDOM.uniform(-1, 1, (5, 300)).astype("float64") for _ in range(2)]
    save(**{"in": floats[0], "y": floats[1]})
    dots = reduce("--op", "dot", "--rows", files=("in.npy", "y.npy"))
    assert np.allclose(dots, (floats[0] * floats[1]).sum(1), rtol=0, atol=1e-12)


def test_rows_that_are_none():
    for shape in (0, 5), (5, 0):
        save(**{"in": np.zeros(shape, "float32")})
        values = reduce("--op", "sum", "--rows")
        assert values.shape == shape[:1] and not values.any()


def test_segments():
    array = integers("int32", 50000)
    offsets = np.sort(RANDOM.integers(0, 50001, 200))
    save(**{"in": array})
    for dtype in "uint32", "uint64":
        save(offsets=offsets.astype(dtype))
        sums = reduce("--op", "sum", "--segments", "offsets.npy")
        right = [array[a:b].sum(dtype="int64") for a, b in zip(offsets, offsets[1:])]
        assert sums.shape == (199,) and (sums == right).all()
    save(offsets=np.array([7], "uint32"))
    assert reduce("--op", "sum", "--segments", "offsets.npy").shape == (0,)


def test_a_segment_has_the_bits_of_an_array():
    array = RANDOM.uniform(-1, 1, 30000).astype("float32")
    save(**{"in": array, "alone": array[777:29000], "offsets": np.array([777, 29000], "uint32")})
    alone = whole("--op", "sum", files=("alone.npy",))
    assert reduce("--op", "sum", "--segments", "offsets.npy").tobytes() == alone.tobytes()


def test_user_text():
    array = integers("int32", 9000) % 100
    save(**{"in": array, "y": array[::-1].copy()})
    assert whole("--op", "sum", "--transform", "x * x") == (array.astype("int64") ** 2).sum()
    assert whole("--op", "sum", "--transform", "x * (int)(i % 2)") == array[1::2].sum()
    assert whole("--op", "max", "--transform", "x - s", files=("in.npy", "y.npy")) == (array - array[::-1]).max()
    wide = "--transform", "(long)x << 32", "--transform-type", "i64"
    assert whole("--op", "sum", *wide) == array.sum(dtype="int64") << 32
    text = "--op-text", "a > b ? a : b", "--identity", str(-(2**31))
    assert whole(*text) == array.max() and whole(*text, "--commutative") == array.max()
    last = "--op-text", "b == -1 ? a : b", "--identity", "-1"
    assert whole(*last) == array[array != -1][-1]
    save(**{"in": np.array([1.5, 2.5], "float16")})
    halves = whole("--op-text", "a * b", "--identity", "1", "--commutative")
    assert halves.dtype == "float32" and halves == 3.75


def test_user_text_that_does_not_compile():
    save(**{"in": np.ones(5, "float32")})
    done = run(*REDUCE, "--op-text", "a +", "--identity", "0", "in.npy", status=USAGE)
    # PoCL says a line of its own before.
    assert "clpatterns: in.npy: " in done.stderr and "BUILD_PROGRAM_FAILURE" in done.stderr, done


def test_identities_that_are_none():
    for dtype, texts in {
        "uint8": ("-1", "256", "1.5", "x", ""),
        "int8": ("128", "-129"),
        "int64": (str(2**63), "1 2"),
        "float32": ("one", "1,5"),
    }.items():
        save(**{"in": np.ones(5, dtype)})
        for text in texts:
            refuse(*REDUCE, "--op-text", "a+b", "--identity", text, "in.npy", says="--identity is a number")


def test_files_that_do_not_go_together():
    save(**{"in": np.ones((4, 3), "float32"), "flat": np.ones(12, "float32")})
    save(wide=np.ones((4, 3), "float64"), lengths=np.ones(3, "uint32"), offsets=np.ones(0, "uint32"))
    sums, rows = ("--op", "sum"), ("--op", "sum", "--rows")
    for options, says in {
        ("--op", "dot", "in.npy", "flat.npy"): "the shape of in.npy",
        ("--op", "dot", "in.npy", "wide.npy"): "the type (f32)",
        (*rows, "flat.npy"): "2 dimensions, it has 1",
        (*rows, "--lengths", "lengths.npy", "in.npy"): "of 4 elements of type u32",
        (*rows, "--lengths", "flat.npy", "in.npy"): "of type u32",
        (*sums, "--segments", "flat.npy", "in.npy"): "type u32 or u64",
        (*sums, "--segments", "offsets.npy", "in.npy"): "at least one",
        (*sums, "--segments", "nosuch.npy", "in.npy"): "nosuch.npy: ",
        (*sums, "--result", "i8", "in.npy"): "with results of type i8",
        ("--op", "xor", "in.npy"): "reduce xor has no tree form for elements of type f32",
        ("--op", "max", "--mode", "compensated", "in.npy"): "no compensated form",
    }.items():
        refuse(*REDUCE, *options, says=says)


main(globals())

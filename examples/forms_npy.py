# SPDX-License-Identifier: Apache-2.0
"""The ordered form, compensated sums and means, written in NumPy, next to what the program `clpatterns` computes
from the same arrays: bit for bit. Usage: forms_npy.py PROGRAM FOLDER"""

import os
import subprocess
import sys

import numpy as np


# docs/reproducibility.md
def ordered(x, op, identity):
    """x[0] op x[1] op …; op takes arrays, element by element, and need not commute."""

    def runs_of(x, width):
        runs = -(-len(x) // width)
        padded = np.full(runs * width, identity, x.dtype)
        padded[: len(x)] = x
        return padded.reshape(runs, width)

    def by_pairs(x, width):
        runs = runs_of(x, width)
        while runs.shape[1] > 1:
            runs = op(runs[:, 0::2], runs[:, 1::2])
        return runs[:, 0]

    def left_to_right(x, width):
        runs = runs_of(x, width)
        total = runs[:, 0]
        for i in range(1, width):
            total = op(total, runs[:, i])
        return total

    if len(x) == 0:
        return x.dtype.type(identity)
    x = by_pairs(x, 16)  # chunks
    x = by_pairs(x, 32)  # groups of 512
    x = left_to_right(x, 8)  # tiles of 4096
    x = by_pairs(x, 32)  # blocks of 2^17
    x = by_pairs(x, 32)  # super-blocks of 2^22
    return left_to_right(x, len(x))[0]


def compensated_sum(x):
    """canonical_sum(x) of pairs: a sum, and beside it what its additions lost."""

    def add(a, b):
        total = a[0] + b[0]
        back = total - a[0]
        lost = (a[0] - (total - back)) + (b[0] - back)
        return np.stack([total, (a[1] + b[1]) + lost])

    if len(x) == 0:
        return x.dtype.type(0)
    x = np.stack([x, np.full(len(x), -0.0, x.dtype)])
    while True:
        tiles = -(-x.shape[1] // 4096)
        padded = np.full((2, tiles * 4096), -0.0, x.dtype)
        padded[:, : x.shape[1]] = x
        rows = padded.reshape(2, tiles, 32, 128)
        lanes = np.full((2, tiles, 128), -0.0, x.dtype)
        for row in range(32):
            lanes = add(lanes, rows[:, :, row])
        while lanes.shape[2] > 1:
            half = lanes.shape[2] // 2
            lanes = add(lanes[:, :, :half], lanes[:, :, half:])
        x = lanes[:, :, 0]
        if tiles == 1:
            total, lost = x[:, 0]
            return total + lost if np.isfinite(lost) and lost != 0 else total
# end


def library(program, folder, array, *options):
    """What the library computes, with its own bits; None if the device lacks the type."""
    path, output = os.path.join(folder, "forms_in.npy"), os.path.join(folder, "forms_out.npy")
    np.save(path, array)
    command = [program, "run", "reduce", *options, path, "-o", output]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
    if "CLP_DEVICE_UNSUPPORTED" in done.stderr:
        return None
    if done.returncode != 0:
        sys.exit(done.stderr)
    return np.load(output)[()]


# x → m·x + c modulo 2^32 in one number, m in the high half: associative, and in one order only.
AFFINE = "(a >> 32) * (b >> 32) << 32 | ((b >> 32) * (a & 0xffffffff) + b) & 0xffffffff"


def affine(a, b):
    low = np.uint64(0xFFFFFFFF)
    half = np.uint64(32)
    return ((a >> half) * (b >> half) << half) | (((b >> half) * (a & low) + b) & low)


def cases(random):
    """Name, array, options of the program, and what must come out."""
    for n in (0, 1, 15, 17, 511, 4095, 4097, 3 * 2**17 + 5, 2**22 + 4097):
        u64 = random.integers(0, 2**64, n, np.uint64) | np.uint64(1 << 32)
        yield "affine maps, ordered", u64, ["--op-text", AFFINE, "--identity", str(1 << 32)], ordered(
            u64, affine, 1 << 32
        )
        f32 = random.uniform(-1, 1, n).astype(np.float32)
        yield "sum of f32, ordered", f32, ["--op-text", "a + b", "--identity", "-0.0"], ordered(f32, np.add, -0.0)
        for name in ("float32", "float64"):
            x = (random.uniform(-1, 1, n) * 10 ** random.uniform(-6, 6, n)).astype(name)
            options = ["--op", "sum", "--mode", "compensated"]
            yield f"sum of {name}, compensated", x, options, compensated_sum(x)
            mean = compensated_sum(x) / x.dtype.type(n) if n else x.dtype.type(np.nan)
            yield f"mean of {name}, compensated", x, ["--op", "mean", "--mode", "compensated"], mean
        i32 = random.integers(-(2**31), 2**31, n, np.int32)
        mean = np.float64(i32.sum(dtype=np.int64)) / np.float64(n) if n else np.float64(np.nan)
        yield "mean of i32", i32, ["--op", "mean"], mean
    zero = np.array([-0.0], np.float32)
    yield "identity 0 meets −0", zero, ["--op-text", "a + b", "--identity", "0"], np.float32(0)
    huge = np.array([3e38, 3e38], np.float32)
    yield "a sum that overflows", huge, ["--op", "sum", "--mode", "compensated"], np.float32(np.inf)


def main():
    program, folder = sys.argv[1:]
    wrong = 0
    np.seterr(all="ignore")
    print(f"{'form':30}{'elements':>10}{'library':>26}{'NumPy, same order':>20}")
    for name, array, options, expected in cases(np.random.default_rng(1)):
        value = library(program, folder, array, *options)
        if value is None:
            print(f"{name:30}{len(array):10}{'this device lacks the type':>46}")
            continue
        same = value.dtype == expected.dtype and value.tobytes() == expected.tobytes()
        wrong += not same
        print(f"{name:30}{len(array):10}{value!s:>26}{'same bits' if same else 'DIFFERENT':>20}")
    sys.exit(wrong != 0)


if __name__ == "__main__":
    main()

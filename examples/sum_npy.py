# SPDX-License-Identifier: Apache-2.0
"""Sums arrays that NumPy wrote with the program `clpatterns`; compares with Python's exact sum and, bit for
bit, with the canonical order written in NumPy. Usage: sum_npy.py PROGRAM FOLDER"""

import math
import os
import subprocess
import sys

import numpy as np


# docs/reproducibility.md
def canonical_sum(x):
    if len(x) == 0:
        return x.dtype.type(0)
    while True:
        tiles = -(-len(x) // 4096)
        padded = np.full(tiles * 4096, -0.0, x.dtype)
        padded[: len(x)] = x
        rows = padded.reshape(tiles, 32, 128)
        lanes = np.full((tiles, 128), -0.0, x.dtype)
        for row in range(32):
            lanes = lanes + rows[:, row]
        while lanes.shape[1] > 1:
            half = lanes.shape[1] // 2
            lanes = lanes[:, :half] + lanes[:, half:]
        x = lanes[:, 0]
        if tiles == 1:
            return x[0]
# end


def library_sum(program, path, output):
    """The sum that the library computes, with its own bits; None if the device lacks the type."""
    command = [program, "run", "reduce", "--op", "sum", path, "-o", output]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
    if "CLP_DEVICE_UNSUPPORTED" in done.stderr:
        return None
    if done.returncode != 0:
        sys.exit(done.stderr)
    return np.load(output)[()]


def main():
    program, folder = sys.argv[1:]
    random = np.random.default_rng(1)
    n = 3 * 2**20 + 7
    arrays = {
        "f32, -1 to 1": random.uniform(-1, 1, n).astype(np.float32),
        "f32, 1e-6 to 1e6": (10 ** random.uniform(-6, 6, n)).astype(np.float32),
        "f64, -1 to 1": random.uniform(-1, 1, n),
        "i32, all bits": random.integers(-(2**31), 2**31, n, np.int32),
    }
    print(f"{n} elements each")
    print(f"{'array':18}{'library':>24}{'exact':>24}{'relative error':>16}{'NumPy, same order':>19}")
    wrong = 0
    for name, array in arrays.items():
        path = os.path.join(folder, "in.npy")
        np.save(path, array)
        value = library_sum(program, path, os.path.join(folder, "out.npy"))
        if value is None:
            print(f"{name:18}{'this device lacks the type':>24}")
            continue
        if array.dtype.kind == "f":
            exact = math.fsum(array.tolist())
            same = value.tobytes() == canonical_sum(array).tobytes()
            error = abs(float(value) - exact) / abs(exact)
        else:
            exact = int(array.sum(dtype=np.int64))
            same = int(value) == exact
            error = 0.0 if same else math.nan
        wrong += not same
        print(f"{name:18}{value!s:>24}{exact!s:>24}{error:16.1e}{'same bits' if same else 'DIFFERENT':>19}")
    sys.exit(wrong != 0)


if __name__ == "__main__":
    main()

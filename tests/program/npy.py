# SPDX-License-Identifier: Apache-2.0
"""Files that `run` must refuse: in one line, with status 2, whatever the bytes are."""

import os
import struct
import warnings

import numpy as np
from program import at, main, refuse, run

GOOD = "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }"


def file_of(header, data=bytes(12), version=(1, 0), length=None):
    text = header.encode("latin-1")
    form = "<H" if version[0] == 1 else "<I"
    size = struct.pack(form, len(text) if length is None else length)
    return b"\x93NUMPY" + bytes(version) + size + text + data


def write_bytes(content):
    with open(at("in.npy"), "wb") as file:
        file.write(content)


def refuse_bytes(content, says=""):
    write_bytes(content)
    done = refuse("run", "reduce", "--op", "sum", "in.npy", "-o", "out.npy", says=says)
    assert "in.npy: " in done.stderr and len(done.stderr) < 400, done.stderr
    assert os.listdir(at(".")) == ["in.npy"]


def test_the_good_one():
    write_bytes(file_of(GOOD))
    assert run("run", "reduce", "--op", "sum", "in.npy").stdout == "0\n"


def test_every_truncation():
    good = file_of(GOOD)
    for length in range(len(good)):
        refuse_bytes(good[:length], "truncated" if length >= 10 else "not a .npy file")


def test_damaged_headers():
    for header, says in {
        "": "does not start",
        "garbage": "does not start",
        GOOD[:-1]: "string is missing",
        GOOD + "x": "text after",
        GOOD.replace("'shape'", "'sharp'"): "unknown or repeated",
        GOOD.replace("}", "'shape': (3,), }"): "unknown or repeated",
        GOOD.replace("'shape': (3,), ", ""): "missing",
        GOOD.replace("(3,)", "3"): "not a tuple",
        GOOD.replace("(3,)", "(-3,)"): "whole number",
        GOOD.replace("(3,)", "(3.5,)"): "corrupt",
        GOOD.replace("(3,)", "(3"): "corrupt",
        GOOD.replace("(3,)", f"({2**70},)"): "too large",
        GOOD.replace("(3,)", f"({2**40}, {2**40})"): "larger than memory",
        GOOD.replace("(3,)", f"({2**50},)"): "truncated",
        GOOD.replace("(3,)", "(" + "1, " * 40 + ")"): "more than 32",
        GOOD.replace("False", "Perhaps"): "neither True nor False",
        GOOD.replace("<f4", "\\x00"): "corrupt",
        GOOD.replace("<f4", "x" * 100): "corrupt",
        GOOD.replace("<f4", "<f4\n"): "corrupt",
        GOOD.replace("<f4", "<f3"): "not supported",
        GOOD.replace("<f4", ""): "not supported",
    }.items():
        refuse_bytes(file_of(header), says)


def test_damaged_starts():
    refuse_bytes(b"", "not a .npy file")
    refuse_bytes(b"PK\x03\x04 a zip file, as .npz is", "not a .npy file")
    refuse_bytes(file_of(GOOD, version=(4, 0)), "format 4.0")
    refuse_bytes(file_of(GOOD, version=(1, 1)), "format 1.1")
    refuse_bytes(file_of(GOOD, version=(2, 0), length=2**31), "longer than 1 MiB")
    refuse_bytes(file_of(GOOD, length=65535), "truncated")


def test_single_flipped_bytes():
    """None may crash: a good status or one line."""
    good = bytearray(file_of(GOOD))
    for i in range(len(good) - 12):
        bad = bytearray(good)
        bad[i] ^= 0x11
        if i % 3 == 0:
            refuse_bytes(bytes(bad))


def test_arrays_of_other_things():
    class_of = np.dtype([("a", "<i4"), ("b", "<f4")])
    arrays = {
        "big-endian": np.zeros(3, ">f4"),
        "complex": np.zeros(3, "complex64"),
        "Boolean": np.zeros(3, "bool"),
        "text": np.array(["a", "b"]),
        "dates": np.zeros(3, "datetime64[s]"),
        "structured": np.zeros(3, class_of),
        "Python objects": np.array([None, {}], object),
        "Fortran order": np.asfortranarray(np.zeros((3, 4), "f4")),
        "unusual size": np.zeros(3, "longdouble"),
    }
    for says, array in arrays.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            np.save(at("in.npy"), array)
        refuse("run", "reduce", "--op", "sum", "in.npy", says=says)


def test_names_that_are_no_files():
    refuse("run", "reduce", "--op", "sum", "nosuch.npy", says="No such file")
    refuse("run", "reduce", "--op", "sum", ".", says="directory")
    refuse("run", "reduce", "--op", "sum", "", says="cannot open")
    refuse("run", "reduce", "--op", "sum", "/dev/null", says="not a .npy file")


main(globals())

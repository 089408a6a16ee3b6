# SPDX-License-Identifier: Apache-2.0
"""What becomes of output files, and of what was there before, when writing fails and when it does not."""

import io
import json
import os
import stat

import numpy as np
from program import USAGE, at, main, planted, read, refuse, run, write

SUM = "run", "reduce", "--op", "sum", "in.npy"
BENCH = "bench", "reduce", "--size", "2^12", "--op", "max", "--type", "f32", "--runs", "1", "--calls", "1"


def make_input():
    np.save(at("in.npy"), np.arange(10, dtype="int32"))


def names():
    return sorted(os.listdir(at(".")))


def test_a_new_output_is_written_beside_the_old_one():
    make_input()
    write("out.npy", "the old one")
    os.chmod(at("out.npy"), 0o640)
    os.link(at("out.npy"), at("old"))
    run(*SUM, "-o", "out.npy")
    assert np.load(at("out.npy")) == 45 and read("old") == "the old one"
    assert stat.S_IMODE(os.stat(at("out.npy")).st_mode) == 0o640
    assert names() == ["in.npy", "old", "out.npy"]


def test_a_new_file_has_the_usual_mode():
    make_input()
    run(*SUM, "-o", "out.npy", preexec_fn=lambda: os.umask(0o027))
    assert stat.S_IMODE(os.stat(at("out.npy")).st_mode) == 0o640


def test_a_failed_write_leaves_the_old_one():
    make_input()
    write("out.npy", "the old one")
    for name in "out.npy", "new.npy":
        refuse(*SUM, "-o", name, says=f"{name}: cannot write: No space left", program=planted("write_fails"))
    assert read("out.npy") == "the old one" and names() == ["in.npy", "out.npy"]


def test_links_stay_links():
    make_input()
    write("out.npy", "the old one")
    os.mkdir(at("folder"))
    os.symlink("../out.npy", at("folder/link"))
    run(*SUM, "-o", "folder/link")
    assert os.path.islink(at("folder/link")) and np.load(at("out.npy")) == 45
    os.symlink("later.npy", at("nowhere"))
    run(*SUM, "-o", "nowhere")
    assert os.path.islink(at("nowhere")) and np.load(at("later.npy")) == 45
    assert os.listdir(at("folder")) == ["link"]


def test_devices_are_never_removed():
    make_input()
    os.symlink("/dev/full", at("full"))
    for name in "full", "/dev/full":
        refuse(*SUM, "-o", name, says="cannot write: No space left")
    run(*SUM, "-o", "/dev/null")
    assert os.path.islink(at("full")) and names() == ["full", "in.npy"]
    for name in "/dev/full", "/dev/null":
        assert stat.S_ISCHR(os.stat(name).st_mode), name


def test_pipes_are_written():
    make_input()
    reading, writing = os.pipe()
    run(*SUM, "-o", f"/dev/fd/{writing}", pass_fds=[writing])
    os.close(writing)
    with os.fdopen(reading, "rb") as file:
        assert np.load(io.BytesIO(file.read())) == 45
    os.mkfifo(at("fifo"))
    holder = os.open(at("fifo"), os.O_RDWR)
    run(*SUM, "-o", "fifo")
    with os.fdopen(holder, "rb", closefd=True) as file:
        assert file.read(6) == b"\x93NUMPY"
    assert stat.S_ISFIFO(os.stat(at("fifo")).st_mode)


def test_outputs_that_cannot_be():
    make_input()
    refuse(*SUM, "-o", ".", says="directory")
    refuse(*SUM, "-o", "nosuch/out.npy", says="No such file")
    refuse(*SUM, "-o", "", says="No such file")
    refuse(*SUM, "-o", "out/", says="No such file")
    refuse(*SUM, "-o", "in.npy/out", says="Not a directory")
    assert names() == ["in.npy"]


def test_lost_standard_output_is_no_success():
    make_input()
    for command in SUM, ["info"], ["info", "--json"], ["--help"], ["--version"], ["check", "--help"]:
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = run(*command, status=USAGE, stdout=full)
        assert "standard output" in done.stderr and done.stderr.count("\n") == 1, done.stderr
    with open("/dev/full", "w", encoding="utf-8") as full:
        run("--shape", "simt", "--subgroups", "nvidia", "check", "--json", status=USAGE, stdout=full)
        run("check", "--shape", "simd", "--quick", "--json", status=USAGE, stdout=full)


def test_a_report_is_replaced_by_a_complete_one_alone():
    write("base.json", "the old one")
    write("base.csv", "the old one too")
    files = "--json", "base.json", "--csv", "base.csv"
    run("--device", "nosuch", *BENCH, *files, status=USAGE)
    run(*BENCH, *files, "--size", "", status=USAGE)
    run(*BENCH, *files, "--compare", "nosuch.json", status=USAGE)
    run(*BENCH, *files, "nosuch", status=USAGE)
    assert read("base.json") == "the old one" and read("base.csv") == "the old one too"
    os.link(at("base.json"), at("kept"))
    run(*BENCH, *files)
    assert json.loads(read("base.json"))["records"] and read("base.csv").startswith("device,")
    assert read("kept") == "the old one" and names() == ["base.csv", "base.json", "kept"]


def test_json_and_csv_need_two_names():
    write("same", "the old one")
    os.symlink("same", at("link"))
    for other in "same", "./same", "link", at("same"):
        refuse(*BENCH, "--json", "same", "--csv", other, says="cannot both be")
    refuse(*BENCH, "--json", "new", "--csv", "./new", says="cannot both be")
    refuse(*BENCH, "--json", "-", "--csv", "-", says="cannot both be")
    assert read("same") == "the old one"


def test_report_names_that_cannot_be_cost_no_measurement():
    for option in "--json", "--csv":
        refuse(*BENCH, option, "nosuch/report", says="No such file")
        refuse(*BENCH, option, ".", says="directory")
    done = run(*BENCH, "--csv", "/dev/full", status=USAGE)
    assert "/dev/full: cannot write the report: No space left" in done.stderr, done.stderr
    assert names() == []


main(globals())

# SPDX-License-Identifier: Apache-2.0
"""Help, versions, `info`, and what is refused."""

import json
import re

import numpy as np
from program import USAGE, at, main, refuse, run


def test_help():
    runs = [["run", name] for name in ("reduce", "scan", "select", "partition", "unique", "rle", "reduce-by-key")]
    for command in [], ["info"], ["check"], ["run"], *runs, ["bench"]:
        done = run(*command, "--help")
        assert done.stdout.startswith("usage: clpatterns ") and not done.stderr, done
        assert run(*command, "-h").stdout == done.stdout
    assert re.fullmatch(r"clpatterns (\d+\.\d+\.\d+), library \1\n", run("--version").stdout)


def test_info():
    text = run("info").stdout
    assert text.startswith("libclpatterns ") and "\n* 0:0 " in text, text
    report = json.loads(run("info", "--json").stdout)
    assert report["format_version"] == 1 and report["devices"], report
    assert [device["default"] for device in report["devices"]].count(True) == 1
    device = report["devices"][0]
    assert device["device"] in text and device["type"] == "cpu" and device["has_f64"], device
    forced = json.loads(run("--shape", "simt", "info", "--json").stdout)["devices"][0]
    assert (device["shape"], forced["shape"]) == ("simd", "simt")


def test_devices_are_found_by_name():
    name = json.loads(run("info", "--json").stdout)["devices"][0]["device"]
    np.save(at("in.npy"), np.ones(3, "int32"))
    for device in "0:0", "cpu", name, name[2:-2]:
        assert run("--device", device, "run", "reduce", "--op", "sum", "in.npy").stdout == "3\n"
    for device in "nosuch", "7:0", "0:7", "gpu":
        refuse("--device", device, "run", "reduce", "--op", "sum", "in.npy")
        refuse("--device", device, "check")


def test_bad_usage():
    np.save(at("in.npy"), np.ones(3, "int32"))
    for command, says in {
        "": "which command",
        "nosuch": "no command is called 'nosuch'",
        "--shape round info": "simt or simd",
        "--subgroups none info": "intel or amd",
        "--work-group-size 0 info": "whole number from 1",
        "--work-group-size 2^64 info": "whole number from 1",
        "info extra": "takes no argument",
        "run": "which pattern",
        "run nosuch": "no pattern is called 'nosuch'",
        "run reduce in.npy": "--op and --op-text",
        "run reduce --op sum": "which file",
        "run reduce --op sum in.npy in.npy": "for dot and --transform",
        "run reduce --op sum --transform x+s in.npy in.npy in.npy": "usage",
        "run reduce --op nosuch in.npy": "--op is",
        "run reduce --op user in.npy": "--op is",
        "run reduce --op sum --mode slow in.npy": "tree, compensated, wide or fast",
        "run reduce --op sum --result long in.npy": "a type like",
        "run reduce --op sum --result user in.npy": "a type like",
        "run reduce --op sum --transform x --transform-type int in.npy": "a type like",
        "run reduce --op sum --op-text a in.npy": "--op and --op-text",
        "run reduce --op-text a in.npy": "--op-text and --identity",
        "run reduce --op sum --identity 0 in.npy": "--op-text and --identity",
        "run reduce --op sum --commutative in.npy": "about --op-text",
        "run reduce --op sum --transform-type f32 in.npy": "about --transform",
        "run reduce --op sum --lengths in.npy in.npy": "about --rows",
        "run reduce --op sum --rows --segments in.npy in.npy": "exclude each other",
        "run reduce --op dot in.npy": "dot takes two files",
        "check nosuch": "no pattern is called 'nosuch'",
        "check --shape simd --subgroups nvidia": "is for --shape simt",
        "bench nosuch": "no pattern is called 'nosuch'",
        "bench --type nosuch": "no case",
        "bench --op nosuch": "no case",
        "bench --schedule slow": "levels, fused, single, one_pass, hillis_steele or blelloch",
        "bench --offset -1": "whole number",
        "bench --runs 0": "whole number",
        "bench --calls x": "whole number",
        "bench --compare nosuch.json": "cannot open",
        "bench --compare in.npy": "not JSON",
    }.items():
        refuse(*command.split(), says=says)


def test_sizes():
    for size in "", ",", "1,", ",1", "1,,2", " ", "-1", "x", "2^64", "2^", "1e6", "1 2", "18446744073709551616":
        refuse("bench", "--size", size, says="--size takes")
    refuse("bench", "--size", ",".join(["1"] * 33), says="--size takes")


def test_unknown_options():
    for command in [], ["info"], ["check"], ["run"], ["run", "reduce"], ["bench"]:
        done = run(*command, "--nosuch", status=USAGE)
        assert done.stderr.startswith("clpatterns") and done.stderr.count("\n") == 1, done.stderr
        assert "--nosuch" in done.stderr and not done.stdout, done


main(globals())

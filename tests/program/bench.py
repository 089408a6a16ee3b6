# SPDX-License-Identifier: Apache-2.0
"""`bench`: every record is verified, JSON and CSV say the same, sizes that cannot be are rows that say so."""

import csv
import json

from program import USAGE, at, main, read, refuse, run, write

SMALL = "--size", "2^12", "--runs", "1", "--calls", "2"
ONE = "bench", "reduce", "--op", "sum", "--type", "f32"


def records(*arguments):
    report = json.loads(run(*arguments, "--json", "-").stdout)
    assert report["format_version"] == 1 and len(report["devices"]) == 1, report
    return report["records"]


def test_all_cases_are_verified():
    run("bench", *SMALL, "--type", "all", "--op", "all", "--peers", "--json", "r.json", "--csv", "r.csv")
    report = json.loads(read("r.json"))
    rows = report["records"]
    for row in rows:
        if row["status"] == "skipped":  # peers that were not built or have no such case
            assert row["reason"] and row["impl"] not in ("clpatterns", "limit"), row
            continue
        assert row["status"] == "ok" and row["verified"] is True, row
        assert row["device"] == report["device"] and row["samples"] > 0, row
        assert 0 < row["min_ms"] <= row["median_ms"] and row["gbps"] > 0, row
        assert row["mode"] in ("back_to_back", "single"), row
    own = [row for row in rows if row["impl"] == "clpatterns"]
    cases = {(row["case"], row["type"], row["result"]) for row in own}
    wanted = {("sum", "i32", "i64"), ("sum", "i32", "i32"), ("max", "f32", "f32"), ("min", "f64", "f64")}
    assert wanted <= cases and len(own) == 2 * len(cases) and {row["n"] for row in own} == {4096}

    with open(at("r.csv"), encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    assert len(lines) == len(rows)
    for line, row in zip(lines, rows):
        for name, value in line.items():
            known = row.get(name)
            if isinstance(known, bool):
                assert value == str(known).lower(), (name, value, row)
            elif isinstance(known, (int, float)):
                assert abs(float(value) - known) <= 1e-12 * abs(known), (name, value, row)
            else:
                assert value == (known or ""), (name, value, row)


def test_schedules_and_offsets():
    for schedule in "levels", "fused", "single":
        for row in records(*ONE, *SMALL, "--schedule", schedule, "--offset", "3"):
            assert row["verified"] is True, row
            assert row["impl"] == "limit" or row["schedule"] == schedule, row


def test_several_sizes():
    rows = records(*ONE, *SMALL, "--size", "1000", "--size", "7,2^10+1")
    assert {row["n"] for row in rows if row["impl"] == "clpatterns"} == {4096, 1000, 7, 1025}


def test_sizes_beyond_the_device_are_rows():
    for size in "2^64-1", "18446744073709551615", "2^63+1", "2^62", "2^40":
        if "-" in size:
            refuse(*ONE, "--size", size)
            continue
        for offset in "0", "1", "2^20":
            options = "--size", size, "--offset", offset, "--runs", "1", "--calls", "1"
            row = records(*ONE, *options)[-1]
            assert row["status"] == "skipped" and "largest buffer" in row["reason"], row


def test_csv_alone_on_standard_output():
    lines = list(csv.DictReader(run(*ONE, *SMALL, "--csv", "-").stdout.splitlines()))
    assert lines and all(line["verified"] == "true" for line in lines), lines


def test_comparison():
    run(*ONE, *SMALL, "--json", "base.json")
    text = run(*ONE, *SMALL, "--compare", "base.json", "--json", "base.json").stdout
    compared = text.partition("Compared with an earlier report of ")[2].splitlines()
    rows = [line.split() for line in compared[2:]]
    found = {(row[0], row[2], row[5]) for row in rows}
    for mode in "back_to_back", "single":
        assert ("clpatterns", "sum", mode) in found and ("limit", "copy", mode) in found, compared
    assert all(row[-1].endswith("%") for row in rows), compared
    text = run("bench", "--op", "max", "--type", "f32", *SMALL, "--compare", "base.json").stdout
    assert "clpatterns" not in text.partition("Compared with")[2], text
    write("empty.json", '{"format_version": 1, "records": []}')
    assert "no row is in both" in run(*ONE, *SMALL, "--compare", "empty.json").stdout
    for broken in '{"format_version": 2, "records": []}', '{"format_version": 1}', "[]":
        write("broken.json", broken)
        refuse(*ONE, "--compare", "broken.json", says="format version 1")
    write("broken.json", "{")
    refuse(*ONE, "--compare", "broken.json", says="not JSON")


def test_peers_and_the_library_alike_need_a_device():
    done = run("--device", "nosuch", *ONE, *SMALL, "--json", "-", status=USAGE)
    assert done.stdout == "" and "nosuch" in done.stderr, done


main(globals())

# SPDX-License-Identifier: Apache-2.0
"""`bench`: every record is verified, JSON and CSV say the same, sizes that cannot be are rows that say so."""

import csv
import json

from program import USAGE, at, main, read, refuse, run, write

SMALL = "--size", "2^12", "--runs", "1", "--calls", "2"
ONE = "bench", "reduce", "--op", "sum", "--type", "f32"


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
    cases = {(row["pattern"], row["case"], row["type"], row["result"]) for row in own}
    wanted = {("sum", "i32", "i64"), ("sum", "i32", "i32"), ("max", "f32", "f32"), ("min", "f64", "f64")}
    wanted |= {("argmax", "f32", "u64"), ("sum_compensated", "f32", "f32"), ("sum_fast", "i32", "i32")}
    wanted = {("reduce", *case) for case in wanted} | {("scan", "sum", "f32", "f32")}
    wanted |= {("select", "select_where_1", "f32", "f32"), ("select", "unique_runs_5", "f32", "f32")}
    wanted |= {("runs", "rle_runs_5", "f32", "u32"), ("runs", "sum_keys_5", "f32", "f32")}
    wanted |= {("histogram", "bytes", "u8", "u32"), ("histogram", "even_1024", "f32", "u32")}
    assert wanted <= cases and len(own) == 2 * len(cases), wanted - cases
    for row in own:  # rows leave a rest
        layout = row["case"].removeprefix("exclusive_").partition("_")[2]
        assert (row["n"], row["parts"]) in {
            "rows": [(4000, 4)],
            "segments_one": [(4096, 1)],
            "segments_100": [(4096, 41)],
            "segments_mixed": [(4096, parts) for parts in range(8, 80)],
            "flags_100": [(4096, 41)],
            "runs_5": [(4096, 820)],
            "runs_100": [(4096, 41)],
            "runs_mixed": [(4096, parts) for parts in range(8, 80)],
            "flags_mixed": [(4096, parts) for parts in range(8, 80)],
            "keys_5": [(4096, 820)],
            "100_weights": [(4096, 820)],  # the keys are weights
            "512": [(4096, 512)],  # edges
            "keys_100": [(4096, 41)],
            "keys_mixed": [(4096, parts) for parts in range(8, 80)],
        }.get(layout, [(4096, 1)]), row

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


def test_schedules_offsets_and_sizes():
    """And CSV alone on standard output."""
    options = "--schedule", "fused", "--offset", "3", "--size", "1000", "--size", "7,2^10+1", "--csv", "-"
    rows = list(csv.DictReader(run(*ONE, *SMALL, *options).stdout.splitlines()))
    own = [row for row in rows if row["impl"] == "clpatterns"]
    assert all(row["verified"] == "true" for row in rows), rows
    assert [row["n"] for row in own[::2]] == ["4096", "1000", "7", "1025"], own
    assert {row["schedule"] for row in own} == {"fused"}, own


def test_sizes_beyond_the_device_are_rows():
    """Size and offset together may be more than a size_t holds."""
    sizes = "18446744073709551615,2^63+1,2^62,2^40"
    options = "--size", sizes, "--offset", "1", "--runs", "1", "--calls", "1", "--json", "-"
    rows = json.loads(run(*ONE, *options).stdout)["records"]
    own = [row for row in rows if row["impl"] == "clpatterns"]
    assert len(own) == 4, own
    for row in own:
        assert row["status"] == "skipped" and "largest buffer" in row["reason"], row


def test_schedules_that_a_case_does_not_have():
    options = "--op", "sum_segments_100,sum_rows", "--type", "f32", "--schedule", "levels"
    rows = json.loads(run("bench", "reduce", *options, *SMALL, "--json", "-").stdout)["records"]
    own = [row for row in rows if row["impl"] == "clpatterns"]
    assert len(own) == 2 and {row["reason"] for row in own} == {"it has no such schedule"}, own


def test_comparison():
    then = {"impl": "clpatterns", "pattern": "reduce", "case": "sum", "type": "f32", "result": "f32"}
    then |= {"n": 4096, "mode": "single", "gbps": 1e-3}
    others = [then | {"mode": "other"}, then | {"n": 4097}, then | {"type": "f64"}, {}]
    report = {"format_version": 1, "device": "the old device", "records": [*others, then]}
    write("base.json", json.dumps(report))
    text = run(*ONE, *SMALL, "--compare", "base.json", "--json", "base.json").stdout
    head, _, compared = text.partition("Compared with an earlier report of the old device\n")
    rows = [line.split() for line in compared.splitlines()[1:]]
    assert head and len(rows) == 1, text
    assert rows[0][:7] == ["clpatterns", "reduce", "sum", "f32", "4096", "single", "0.0"], rows
    assert rows[0][-1].startswith("+") and rows[0][-1].endswith("%"), rows
    assert len(json.loads(read("base.json"))["records"]) == 6


def test_earlier_reports_that_are_none():
    for broken in '{"format_version": 2, "records": []}', '{"format_version": 1}', "[]":
        write("broken.json", broken)
        refuse(*ONE, "--compare", "broken.json", says="format version 1")
    write("broken.json", "{")
    refuse(*ONE, "--compare", "broken.json", says="not JSON")


def test_peers_and_the_library_alike_need_a_device():
    done = run("--device", "nosuch", *ONE, *SMALL, "--json", "-", status=USAGE)
    assert done.stdout == "" and "nosuch" in done.stderr, done


main(globals())

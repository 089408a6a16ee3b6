# SPDX-License-Identifier: Apache-2.0
"""`check` is green only if all that had to run ran and was right."""

import json
import os

from program import OK, USAGE, WRONG, main, run

QUICK = "check", "--quick", "reduce"


def check(*options, status=OK, **keywords):
    """Text and pattern of the JSON."""
    text = run(*options, *QUICK, status=status, **keywords).stdout
    report = json.loads(run(*options, *QUICK, "--json", status=status, **keywords).stdout)
    return text, report["devices"][0]["patterns"][0]


def test_right():
    text, found = check("--shape", "simd")
    assert "reduce    ok" in text and found["status"] == "ok", text
    assert found["mismatches"] == 0 and found["golden_missing"] == 0 and found["results"] > 1000, found
    assert all(row["digest"] == row["golden"] for row in found["digests"]), found


def test_a_back_end_that_was_asked_for_must_run():
    """PoCL has no sub-groups of NVIDIA's kind."""
    text, found = check("--subgroups", "nvidia", status=USAGE)
    assert "reduce    UNDONE" in text and "NOT RUN  simt/nvidia: " in text, text
    assert found["status"] == "undone" and found["results"] > 0 and found["mismatches"] == 0, found
    assert any(row.startswith("simt/nvidia: ") for row in found["skipped"]), found


def test_with_nothing_left_to_run():
    text, found = check("--subgroups", "nvidia", "--shape", "simt", status=USAGE)
    assert "UNDONE 0 results" in text and "NOT RUN  simt/nvidia: " in text, text
    assert "are wrong" not in text and found["status"] == "undone", text
    assert found["results"] == 0 and len(found["skipped"]) == 3, found


def test_a_missing_golden_digest_is_a_failure():
    options = {"program": os.environ["PROGRAM_GOLDEN_MISSING"], "status": WRONG}
    text, found = check("--shape", "simd", **options)
    assert "reduce    WRONG" in text and "1 digests have no golden value" in text, text
    assert "max u32, class small" in text and "are wrong" not in text, text
    assert found["status"] == "wrong" and found["golden_missing"] == 1 and found["mismatches"] == 0, found


def test_a_lack_of_memory_is_a_failure():
    options = {"program": os.environ["PROGRAM_OUT_OF_MEMORY"], "status": USAGE}
    text, found = check("--shape", "simd", **options)
    assert "reduce    UNDONE" in text and "NOT RUN  small: out of host memory" in text, text
    assert found["status"] == "undone" and "small: out of host memory" in found["skipped"], found
    # Half a digest is none.
    assert all(row["class"] != "small" for row in found["digests"]), found
    done = run("check", "--print-golden", **options)
    assert "out of memory" in done.stderr, done.stderr


def test_print_golden_prints_what_is_there():
    rows = run("check", "--print-golden").stdout
    assert '{"reduce", "sum", CLP_I32, CLP_I64, {0xd318bb17f2bc3df5, 0x0000000000000000, ' in rows, rows


main(globals())

# SPDX-License-Identifier: Apache-2.0
"""`check` is green only if all that had to run ran and was right."""

import json

from program import OK, USAGE, WRONG, main, planted, run

# One size of work-group and two types: program_check_pocl has them all, this is about what is said of them.
QUICK = "--work-group-size", "1", "check", "--quick", "--type", "u32,f32", "reduce"


def check_text(*options, status=OK, **keywords):
    return run(*options, *QUICK, status=status, **keywords).stdout


def check_json(*options, status=OK, **keywords):
    """What is said of the one pattern."""
    report = json.loads(run(*options, *QUICK, "--json", status=status, **keywords).stdout)
    return report["devices"][0]["patterns"][0]


def test_right():
    found = check_json("--shape", "simd")
    assert found["status"] == "ok" and found["results"] > 1000, found
    assert found["mismatches"] == 0 and found["golden_missing"] == 0, found
    assert all(row["digest"] == row["golden"] for row in found["digests"]), found


def test_types():
    found = check_json("--shape", "simd")
    assert {row["type"] for row in found["digests"]} == {"u32", "f32"}, found
    assert any("other types" in row for row in found["skipped"]), found
    text = run("check", "--type", "f31", "reduce", status=USAGE).stdout
    assert "UNDONE 0 results" in text, text


def test_a_back_end_that_was_asked_for_must_run():
    """PoCL has no sub-groups of NVIDIA's kind."""
    text = check_text("--subgroups", "nvidia", status=USAGE)
    assert "reduce    UNDONE" in text and "NOT RUN  simt/nvidia: " in text, text
    found = check_json("--subgroups", "nvidia", status=USAGE)
    assert found["status"] == "undone" and found["results"] > 0 and found["mismatches"] == 0, found
    assert any(row.startswith("simt/nvidia: ") for row in found["skipped"]), found


def test_with_nothing_left_to_run():
    options = "--subgroups", "nvidia", "--shape", "simt"
    text, found = check_text(*options, status=USAGE), check_json(*options, status=USAGE)
    assert "UNDONE 0 results" in text and "NOT RUN  simt/nvidia: " in text, text
    assert "are wrong" not in text and found["status"] == "undone", text
    assert found["results"] == 0 and len(found["skipped"]) < 8, found


def test_a_missing_golden_digest_is_a_failure():
    text = check_text("--shape", "simd", program=planted("golden_missing"), status=WRONG)
    assert "reduce    WRONG" in text and "1 digests have no golden value" in text, text
    assert "max u32, class small" in text and "are wrong" not in text, text


def test_a_lack_of_memory_is_a_failure():
    faulty = {"program": planted("out_of_memory"), "status": USAGE}
    found = check_json("--shape", "simd", **faulty)
    assert found["status"] == "undone" and "small: out of host memory" in found["skipped"], found
    # Half a digest is none.
    assert all(row["class"] != "small" for row in found["digests"]), found
    done = run("check", "--print-golden", "reduce", **faulty)
    assert "out of memory" in done.stderr, done.stderr


main(globals())

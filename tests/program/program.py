# SPDX-License-Identifier: Apache-2.0
"""What the tests of the program share. Usage of each: TEST.py PROGRAM FOLDER"""

import os
import shutil
import subprocess
import sys
import traceback

OK, WRONG, USAGE = 0, 1, 2

PROGRAM, FOLDER = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])


def run(*arguments, status=OK, program=PROGRAM, **keywords):
    """Runs the program in FOLDER, asserts its exit status, returns what it wrote."""
    command = [program, *map(str, arguments)]
    keywords.setdefault("stdout", subprocess.PIPE)
    keywords.setdefault("stdin", subprocess.DEVNULL)
    done = subprocess.run(
        command, stderr=subprocess.PIPE, text=True, check=False, timeout=120, cwd=FOLDER, **keywords
    )
    said = f"{' '.join(command)}: status {done.returncode}, must be {status}\n{done.stdout}{done.stderr}"
    assert done.returncode == status, said
    return done


def refuse(*arguments, says="", status=USAGE, **keywords):
    """The program must refuse this with one line on stderr that holds a text, and with nothing on stdout."""
    done = run(*arguments, status=status, **keywords)
    said = f"{arguments}: {done.stderr!r}, stdout {done.stdout!r}"
    assert done.stderr.startswith("clpatterns: ") and done.stderr.count("\n") == 1, said
    assert done.stderr.endswith("\n") and not done.stdout, said
    assert says in done.stderr, f"no {says!r} in {said}"
    return done


def at(name):
    return os.path.join(FOLDER, name)


def planted(fault):
    """The program with a fault in it, see CMakeLists.txt."""
    return os.path.join(os.environ["PLANTED"], f"program_{fault}")


def write(name, text):
    with open(at(name), "w", encoding="utf-8") as file:
        file.write(text)
    return at(name)


def read(name):
    with open(at(name), encoding="utf-8") as file:
        return file.read()


def main(tests):
    """Runs every function test_… of a module in an empty folder each."""
    failed = 0
    for name, test in list(tests.items()):
        if not name.startswith("test_"):
            continue
        shutil.rmtree(FOLDER, ignore_errors=True)
        os.makedirs(FOLDER)
        try:
            test()
            print(name, "passed", flush=True)
        except Exception:  # the others still say what they find
            print(name, "failed", flush=True)
            traceback.print_exc()
            failed += 1
    sys.exit(failed != 0)

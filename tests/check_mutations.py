#!/usr/bin/env python3
"""The checks that read the tree fail when one fact in it is changed.

    check_mutations.py SAMARA

Copies what they read, changes one thing at a time (an include that goes up, a constant of the reference, a digit of a
known answer, a cell of a table in SPEC.md), and expects the check to fail; and to pass on the copy as it is.
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SAMARA = pathlib.Path(sys.argv[1]).resolve()

ROOMS = ["tests/check_rooms.py"]
VECTORS = ["tests/reference/make_vectors.py", "--check"]
SELFTEST = ["tests/reference/selftest.py", "rff"]
TABLES = ["tests/spec_tables.py", str(SAMARA), "SPEC.md", "--check"]

# A file, what stands in it once or more, what takes its place, and the check that must notice.
MUTATIONS = [
    ("src/learn/gram.cpp", '#include "simd', '#include "samara/model.hpp"\n#include "simd', ROOMS),
    ("src/map/rff/rff.cpp", '#include "samara/kernel.hpp"', '#include "samara/map/arccos.hpp"', ROOMS),
    ("ports/host/training/seal.cpp", "namespace {", "namespace { using namespace samara::detail; detail::x", ROOMS),
    ("tests/reference/spec/functions.py", "0x1.3daff6p+5", "0x1.3daff4p+5", VECTORS),
    ("tests/reference/spec/streams.py", "0xBF58476D1CE4E5B9", "0xBF58476D1CE4E5B8", SELFTEST),
    ("tests/vectors/streams.json", "b86cd27c", "b86cd27d", VECTORS),
    ("SPEC.md", "| 16 | 4 | bandwidth |", "| 20 | 4 | bandwidth |", TABLES),
]


def passes(place, check):
    return subprocess.run([sys.executable, *check], cwd=place, capture_output=True, check=False).returncode == 0


def main():
    failures = 0
    with tempfile.TemporaryDirectory(prefix="samara-mutations-") as directory:
        place = pathlib.Path(directory)
        for name in ("include", "src", "ports", "tests"):
            shutil.copytree(ROOT / name, place / name)
        shutil.copy(ROOT / "SPEC.md", place)
        for check in (ROOMS, VECTORS, SELFTEST, TABLES):
            if not passes(place, check):
                print(f"fails without a change: {' '.join(check)}")
                failures += 1
        for name, found, changed, check in MUTATIONS:
            file = place / name
            text = file.read_text(encoding="utf-8")
            if found not in text:
                print(f"{name}: no '{found}' to change")
                failures += 1
                continue
            file.write_text(text.replace(found, changed, 1), encoding="utf-8")
            if passes(place, check):
                print(f"{name}: '{changed}' in the place of '{found}' goes unnoticed by {check[0]}")
                failures += 1
            file.write_text(text, encoding="utf-8")
    print(f"{len(MUTATIONS)} changes, {failures} unnoticed")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()

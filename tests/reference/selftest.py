#!/usr/bin/env python3
"""Every line of the self-test from the Python reference, compared with tests/data/selftest.txt.

    selftest.py [part of a name ...]     only the lines whose names hold one of the parts

Prints each line that differs, and how many are equal; exit code 1 if any differs.
"""
import pathlib
import sys

import selftest_cases
from spec.numbers import crc32, little_endian

EXPECTED = pathlib.Path(__file__).resolve().parent.parent / "data" / "selftest.txt"


def main(parts):
    expected = dict(line.split() for line in EXPECTED.read_text().splitlines())
    cases = selftest_cases.all_cases()
    wanted = [name for name in expected if not parts or any(part in name for part in parts)]
    for name in cases.keys() - expected.keys():
        print(f"{name}: not in {EXPECTED.name}")
    good = 0
    for name in wanted:
        if name not in cases:
            print(f"{name}: the reference does not have it")
            continue
        crc = 0
        for piece in cases[name]():
            crc = crc32(little_endian(piece), crc)
        if "%08x" % crc == expected[name]:
            good += 1
        else:
            print(f"{name}: {crc:08x}, not {expected[name]}")
    print(f"{good} of {len(wanted)} lines")
    return 0 if good == len(wanted) and not cases.keys() - expected.keys() else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

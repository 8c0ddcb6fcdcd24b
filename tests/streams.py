#!/usr/bin/env python3
"""What streams of local maps take on a Cortex-M0+ and a Cortex-M4F: prints the README's table of them.

    python3 tests/streams.py [--basic-motions DIRECTORY]

Of the bundled models of the digits, a row of pixels a step, and of the gestures, a sample of six channels a step; with
--basic-motions also of a model that is trained on basicmotions_train.x.npy and .y.npy of the directory (40 series of 6 x 100 floats
in NPY files), times 900, as a sensor of 16 bits would give them, with its accuracy on basicmotions_test. RAM is sizeof(FixedStream).
Instructions are those of a hop, its samples and its answer, counted by QEMU (-icount); they are not cycles. Takes a minute; no test
runs it.
"""

import argparse
import json
import pathlib
import shutil
import struct
import sys

from sizes import ROOT, SAMARA, measured, run

WORK = ROOT / "build" / "streams"
TARGETS = ["cortex-m0plus", "cortex-m4f"]
HOPS = (10, 25, 100)
CHANNELS = 6


def as_a_sensor(source, target):
    """Floats of an NPY file times 900, rounded."""
    data = source.read_bytes()
    if data[:8] != b"\x93NUMPY\x01\x00":
        sys.exit(f"streams.py: {source} is not an NPY file of version 1.0")
    begin = 10 + struct.unpack("<H", data[8:10])[0]
    if b"'<f4'" not in data[:begin]:
        sys.exit(f"streams.py: {source} holds something else, expected float32 ('<f4')")
    numbers = struct.unpack(f"<{(len(data) - begin) // 4}f", data[begin:])
    target.write_bytes(data[:begin] + struct.pack(f"<{len(numbers)}f", *(float(round(900 * v)) for v in numbers)))


def train_basic_motions(source):
    """Writes gestures_model.h of that name, which the images take; returns the accuracy on the test series in %."""
    if not SAMARA.is_file():
        sys.exit(f"streams.py: found no {SAMARA}, expected the build of tests/run.sh native")
    for part in ("train", "test"):
        as_a_sensor(source / f"basicmotions_{part}.x.npy", WORK / f"{part}.x.npy")
    model = WORK / "motions.samara"
    run([SAMARA, "train", f"local:channels={CHANNELS}", "--features", "32", "--in", WORK / "train.x.npy",
         "--target", source / "basicmotions_train.y.npy", "--out", model])
    run([SAMARA, "export", model, "--c-header", "--name", "gestures_model", "--out", WORK / "motions" / "gestures_model.h"])
    said = run([SAMARA, "evaluate", model, "--in", WORK / "test.x.npy", "--target", source / "basicmotions_test.y.npy", "--json"])
    return 100 * json.loads(said[said.index("{"):])["accuracy"]


def rows(name, images, data):
    for hop, form, image in images:
        cells = []
        for target in TARGETS:
            build = WORK / f"{data.name}-{target}"
            flash, ram, stack, instructions = measured(image, target, build, data)
            cells += [stack, flash, instructions, round(instructions / hop)]
        print(f"| {name} | {hop} | {form} | " + " | ".join(f"{c:,}" for c in (ram, *cells)) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--basic-motions", type=pathlib.Path, metavar="DIRECTORY")
    options = parser.parse_args()
    bundled = WORK / "bundled"
    for directory in (bundled, WORK / "motions"):
        directory.mkdir(parents=True, exist_ok=True)
    for header in ("digits_local_model.h", "gestures_model.h"):
        shutil.copy(ROOT / "examples" / "data" / header, bundled)
    print("| stream | hop | form | RAM " + "".join(f"| {t}: stack | flash | a hop | a step " for t in TARGETS) + "|")
    print("|" + "---|" * (4 + 4 * len(TARGETS)))
    rows("digits, rows", [(8, "window", "link_stream_window"), (8, "running", "link_stream_rows")], bundled)
    series = [(hop, form, f"link_stream_{hop}{suffix}") for hop in HOPS for form, suffix in (("window", ""), ("running", "_running"))]
    rows("gestures", series, bundled)
    if options.basic_motions:
        accuracy = train_basic_motions(options.basic_motions)
        rows(f"basic motions ({accuracy:.1f} %)", series, WORK / "motions")


if __name__ == "__main__":
    main()

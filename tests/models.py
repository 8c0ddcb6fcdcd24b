#!/usr/bin/env python3
"""What models of the digits take on a Cortex-M4F, and how often they are right: prints a table for the README.

    python3 tests/models.py [ROW...]

Trains with the desk tool of build/native on three quarters of the bundled digits, exports, and builds tests/link/predictor.cpp
with each model. Flash is the model and all code that it needs: text and data of the image less those of an image without
a model. RAM is sizeof(FixedPredictor); input (256 bytes) and stack come on top. QEMU counts the instructions. Takes a few
minutes; no test runs it.
"""

import gzip
import json
import pathlib
import re
import sys

from sizes import ROOT, emulator, flash, run

SAMARA = ROOT / "build" / "native" / "ports" / "host" / "samara"
WORK = ROOT / "build" / "models"
BUILD = WORK / "cortex-m4f"
CHOSEN = "arccos:orders=none"
ROWS = [
    (f"{size} of 2,048", [CHOSEN, "--candidates", "2048", "--features", str(size)]) for size in (48, 64, 128, 256)
] + [(f"{size:,}", ["arccos", "--scale", "centre", "--features", str(size)]) for size in (64, 128, 256, 512, 1024, 2048)] + [
    (f"{name}, 512", [name, "--scale", "centre", "--features", "512"]) for name in ("ntk", "ntk-poly")
]


def split_data():
    with gzip.open(ROOT / "examples" / "data" / "digits.csv.gz", "rt", encoding="ascii") as file:
        lines = file.readlines()
    for name, rest in (("train", (0, 1, 2)), ("test", (3,))):
        (WORK / f"{name}.csv").write_text("".join(l for i, l in enumerate(lines) if i % 4 in rest), encoding="ascii")


def main():
    if not SAMARA.is_file():
        sys.exit(f"models.py: found no {SAMARA}, expected the build of tests/run.sh native")
    WORK.mkdir(parents=True, exist_ok=True)
    split_data()
    model, header = WORK / "digits.samara", WORK / "digits_model.h"
    print("| features | accuracy | model | model and code | RAM | stack | instructions |\n|---|---|---|---|---|---|---|")
    wanted = sys.argv[1:]
    for name, arguments in ROWS:
        if wanted and name not in wanted:
            continue
        run([SAMARA, "train", *arguments, "--readout", "int8", "--in", WORK / "train.csv", "--target", "column:-1",
             "--out", model])
        said = run([SAMARA, "evaluate", model, "--in", WORK / "test.csv", "--target", "column:-1", "--json"])
        right = 100 * json.loads(said)["accuracy"]
        run([SAMARA, "export", model, "--c-header", "--name", "digits_model", "--out", header])
        if not (BUILD / "build.ninja").is_file():
            run(["meson", "setup", BUILD, "--cross-file", "toolchains/cortex-m4f.ini", f"-Dexample_data={WORK}"])
        images = BUILD / "tests" / "link"
        run(["ninja", "-C", BUILD, "tests/link/link_predictor", "tests/link/link_empty"])
        found = dict(re.findall(r"^(ram|stack|instructions) (\d+)$",
                                run([*emulator("cortex-m4f"), images / "link_predictor"]), re.MULTILINE))
        cells = [model.stat().st_size, flash(images / "link_predictor") - flash(images / "link_empty"),
                 *(int(found[what]) for what in ("ram", "stack", "instructions"))]
        print(f"| {name} | {right:.1f} % | " + " | ".join(f"{c:,}" for c in cells) + " |", flush=True)


if __name__ == "__main__":
    main()

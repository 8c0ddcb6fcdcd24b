#!/usr/bin/env python3
"""What models take on a Cortex-M4F, and how often they are right: prints the README's tables of the digits and of tic-tac-toe.

    python3 tests/models.py [ROW...]

Of the digits, trains with the desk tool of build/native on three quarters of the bundled digits, exports, and builds tests/link/predictor.cpp
with each model, or tests/link/whole.cpp with models that compute in whole numbers alone. Flash is the model and all code that it needs: text and data of the image less those of an image without
a model. RAM is sizeof(FixedPredictor); input and stack come on top. "tic-tac-toe" is the model of examples/parities.cpp. QEMU
counts the instructions. Takes a few minutes; no test runs it.
"""

import gzip
import json
import sys

from sizes import ROOT, measured, run

SAMARA = ROOT / "build" / "native" / "ports" / "host" / "samara"
WORK = ROOT / "build" / "models"
BUILD = WORK / "cortex-m4f"
CHOSEN = "arccos:orders=none"
WHOLE = "arccos:numbers=int8,orders=even"
LOCAL = "local:height=8,width=8"
POWERS = "polynomial:numbers=int8,degree=2"
ROWS = [
    (f"{size} of 2,048", [CHOSEN, "--candidates", "2048", "--features", str(size)]) for size in (48, 64, 128, 256)
] + [(f"{size:,}", ["arccos", "--scale", "centre", "--features", str(size)]) for size in (64, 128, 256, 512, 1024, 2048)] + [
    (f"{name}, 512", [name, "--scale", "centre", "--features", "512"]) for name in ("ntk", "ntk-poly")
] + [
    (f"{kept} of {rows:,}, {readout} alone", [WHOLE, "--scale", "global", "--candidates", str(rows), "--features", str(kept),
                                             "--readout", readout])
    for kept, rows, readout in ((64, 256, "int8"), (128, 256, "int8"), (128, 512, "int8"), (128, 512, "int4"), (256, 1024, "int8"))
] + [
    (f"products, {size}, {readout} alone", [POWERS, "--scale", "global", "--features", str(size), "--readout", readout])
    for size, readout in ((64, "int4"), (128, "int8"), (512, "int8"))
] + [
    (f"products, {kept} of {rows:,}, {readout} alone", [POWERS, "--scale", "global", "--candidates", str(rows), "--features", str(kept),
                                                       "--readout", readout])
    for kept, rows, readout in ((128, 2048, "int4"), (256, 4096, "int8"))
] + [(f"local, {size}, int4 alone", [LOCAL, "--features", str(size), "--readout", "int4"]) for size in (32, 56, 128, 256)
] + [("cntk, 128", ["cntk:height=8,width=8,depth=2,inner=128", "--features", "128", "--readout", "float16"])]


def split_data():
    with gzip.open(ROOT / "examples" / "data" / "digits.csv.gz", "rt", encoding="ascii") as file:
        lines = file.readlines()
    for name, rest in (("train", (0, 1, 2)), ("test", (3,))):
        (WORK / f"{name}.csv").write_text("".join(l for i, l in enumerate(lines) if i % 4 in rest), encoding="ascii")


def cells_of(image, bytes_of_model):
    """Model, model and code, RAM, stack and instructions, of an image of tests/link."""
    return " | ".join(f"{c:,}" for c in (bytes_of_model, *measured(image, "cortex-m4f", BUILD, WORK)))


def tic_tac_toe():
    said = dict(line.split() for line in run([ROOT / "build" / "native" / "examples" / "parities"]).splitlines())
    right = 100 * int(said["right"]) / int(said["positions"])
    print(f"| tic-tac-toe | {right:.1f} % | {cells_of('link_parities', int(said['model']))} |", flush=True)


def main():
    if not SAMARA.is_file():
        sys.exit(f"models.py: found no {SAMARA}, expected the build of tests/run.sh native")
    WORK.mkdir(parents=True, exist_ok=True)
    split_data()
    model = WORK / "digits.samara"
    print("| features | accuracy | model | model and code | RAM | stack | instructions |\n|---|---|---|---|---|---|---|")
    wanted = sys.argv[1:]
    for name, arguments in ROWS:
        if wanted and name not in wanted:
            continue
        readout = [] if "--readout" in arguments else ["--readout", "int8"]
        run([SAMARA, "train", *arguments, *readout, "--in", WORK / "train.csv", "--target", "column:-1",
             "--out", model])
        said = run([SAMARA, "evaluate", model, "--in", WORK / "test.csv", "--target", "column:-1", "--json"])
        right = 100 * json.loads(said)["accuracy"]
        image = "whole" if {WHOLE, POWERS, LOCAL} & set(arguments) else "predictor"
        name_in_c = "digits_whole_model" if image == "whole" else "digits_model"
        run([SAMARA, "export", model, "--c-header", "--name", name_in_c, "--out", WORK / f"{name_in_c}.h"])
        print(f"| {name} | {right:.1f} % | {cells_of(f'link_{image}', model.stat().st_size)} |", flush=True)
    if not wanted or "tic-tac-toe" in wanted:
        tic_tac_toe()


if __name__ == "__main__":
    main()

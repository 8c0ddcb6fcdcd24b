#!/usr/bin/env python3
"""What a map takes on each Cortex-M: prints a table, and writes it to build/logs/sizes.txt.

    python3 tests/sizes.py [TARGET...]

Flash is code and constants (text + data) of an image with one map, less those of the same image without a map.
RAM is sizeof(Fixed<spec>). Stack is the most that one call used, by painting. Instructions are counted by
QEMU (-icount), which executes one at a time; they are not cycles. Builds that are not there yet are made in
build/TARGET, as tests/run.sh makes them. Where the desk's tool is built, what `samara inspect` predicts of the
bundled models must be right within a tenth.
"""

import ast
import configparser
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGETS = ["cortex-m0plus", "cortex-m3", "cortex-m4f", "cortex-m7", "cortex-m33", "cortex-m55"]
# Images of tests/link, and the features of their maps.
IMAGES = [
    ("rff_hadamard", 256),
    ("rff_hadamard_512", 512),
    ("arccos_hadamard", 256),
    ("arccos_hadamard_512", 512),
    ("rff_dense", 256),
    ("arccos_dense", 256),
    ("rff_quasi", 256),
    ("ntk_hadamard", 512),
    ("count_sketch", 64),
]
# Images of one bundled model, and the header that it lies in.
MODELS = [("predictor", "digits_model.h"), ("whole", "digits_whole_model.h"), ("whole_powers", "digits_power_model.h"),
          ("whole_local", "digits_local_model.h")]
SAMARA = ROOT / "build" / "native" / "ports" / "host" / "samara"
COLUMNS = ["target", "map", "sizes", "flash", "RAM", "stack", "instructions"]


def run(arguments):
    """The output of a command; what it said is part of the error if it fails."""
    done = subprocess.run(arguments, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=900)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, arguments))} failed:\n{done.stdout}")
    return done.stdout


def emulator(target):
    """The cross file's own emulator, counting instructions."""
    cross_file = configparser.ConfigParser(interpolation=None)
    cross_file.read(ROOT / "toolchains" / f"{target}.ini")
    wrapper = ast.literal_eval(cross_file["binaries"]["exe_wrapper"])
    return [*wrapper[:-1], "-icount", "shift=6", wrapper[-1]]


def flash(image):
    text, data = run(["arm-none-eabi-size", image]).splitlines()[1].split()[:2]
    return int(text) + int(data)


def measured(image, target, build, data):
    """Flash beyond the empty image, RAM, stack and instructions of an image of tests/link that has its model in the directory `data`."""
    if not (build / "build.ninja").is_file():
        run(["meson", "setup", build, "--cross-file", f"toolchains/{target}.ini", f"-Dexample_data={data}"])
    run(["ninja", "-C", build, "-j", "2", f"tests/link/{image}", "tests/link/link_empty"])
    images = build / "tests" / "link"
    output = run([*emulator(target), images / image])
    found = dict(re.findall(r"^(ram|stack|instructions) (\d+)$", output, re.MULTILINE))
    if len(found) != 3:
        sys.exit(f"{images / image} printed something else:\n{output}")
    return [flash(images / image) - flash(images / "link_empty"), *(int(found[what]) for what in ("ram", "stack", "instructions"))]


def measure(target):
    """Rows of the table."""
    build = ROOT / "build" / target
    if not (build / "build.ninja").is_file():
        run(["meson", "setup", build, "--cross-file", f"toolchains/{target}.ini"])
    run(["ninja", "-C", build, "-j", "2", "link_images"])
    images = build / "tests" / "link"
    empty = flash(images / "link_empty")
    for name, features in IMAGES:
        image = images / f"link_{name}"
        output = run([*emulator(target), image])
        found = dict(re.findall(r"^(ram|stack|instructions) (\d+)$", output, re.MULTILINE))
        if len(found) != 3:
            sys.exit(f"{image} printed something else:\n{output}")
        yield [target, "/".join(name.split("_")[:2]), f"64 -> {features}", flash(image) - empty,
               int(found["ram"]), int(found["stack"]), int(found["instructions"])]


def check_predictions(target):
    """Whether inspect knows what the bundled models take; one line for each."""
    images = ROOT / "build" / target / "tests" / "link"
    for name, header in MODELS:
        text = (ROOT / "examples" / "data" / header).read_text(encoding="ascii")
        model = ROOT / "build" / "logs" / f"{name}.samara"
        begin = text.rindex("= {")
        numbers = re.findall(r"0x[0-9a-fA-F]+|\b\d+\b", text[begin:text.index("}", begin)])
        model.write_bytes(bytes(int(number, 0) for number in numbers))
        said = json.loads(run([SAMARA, "inspect", model, "--json"]))
        predicted = said["boards"][target]
        output = run([*emulator(target), images / f"link_{name}"])
        found = {key: int(value) for key, value in re.findall(r"^(ram|stack|instructions) (\d+)$", output, re.MULTILINE)}
        exact = {"flash_bytes": flash(images / f"link_{name}") - flash(images / "link_empty"),
                 "ram_bytes": found["ram"] + found["stack"] + said["work_bytes"]["sample"],
                 "instructions": found["instructions"]}
        off = {key: predicted[key] / exact[key] - 1 for key in exact}
        yield f"{target} {name}: " + ", ".join(f"{key} {predicted[key]:,} predicted, {exact[key]:,} measured" for key in exact)
        # More stack may be counted than one model needs: it is that of the deepest of its kind.
        if abs(off["flash_bytes"]) > 0.1 or abs(off["instructions"]) > 0.1 or not -0.02 < off["ram_bytes"] < 0.3:
            sys.exit(f"{target} {name}: inspect is wrong by more than a tenth: {predicted}, measured {exact}; "
                     "tests/bench/board_costs.py makes its numbers")


def table(rows):
    cells = [COLUMNS] + [[f"{c:,}" if isinstance(c, int) else c for c in row] for row in rows]
    widths = [max(len(row[i]) for row in cells) for i in range(len(COLUMNS))]
    return "".join(
        "  ".join(c.ljust(w) if i < 3 else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths))).rstrip() + "\n"
        for row in cells)


def main():
    targets = sys.argv[1:] or TARGETS
    unknown = [t for t in targets if t not in TARGETS]
    if unknown:
        sys.exit(f"sizes.py: unknown target '{unknown[0]}' (known: {' '.join(TARGETS)})")
    rows = [row for target in targets for row in measure(target)]
    text = ("Bytes, and instructions a sample. Flash: more than the same image without a map. "
            "RAM: sizeof(Fixed<spec>).\n\n" + table(rows))
    logs = ROOT / "build" / "logs"
    logs.mkdir(parents=True, exist_ok=True)
    (logs / "sizes.txt").write_text(text, encoding="utf-8")
    print(text, end="")
    if SAMARA.is_file():
        for target in targets:
            for line in check_predictions(target):
                print(line)
    # What an entry of a CountSketch takes where there are floats in hardware.
    for target_name, name, _, *_, instructions in rows:
        if name == "count/sketch" and target_name == "cortex-m4f" and instructions >= 60 * 64:
            sys.exit(f"{target_name} {name}: 64 entries take {instructions} instructions, expected fewer than 60 each")
    # Sizes are run-time arguments of one body, so a larger map takes no more code.
    code = {}
    for target_name, name, sizes, bytes_of_code, *_ in rows:
        first = code.setdefault((target_name, name), bytes_of_code)
        if abs(bytes_of_code - first) > 200:
            sys.exit(f"{target_name} {name}: {sizes} takes {bytes_of_code} bytes of code, a smaller one {first}")


if __name__ == "__main__":
    main()

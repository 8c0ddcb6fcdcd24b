#!/usr/bin/env python3
"""What `samara inspect` and budgets of `samara train` know of boards: measures programs under QEMU, fits what each part takes.

    python3 tests/bench/board_costs.py [--check] [--cores CORE,CORE] [--families NAME,NAME]

Makes models of many shapes with the desk tool of build/native, builds a program of each for each core, counts
instructions, code and stack, and fits to them what one transform, one weight and so on take (none less than 0; squares of
relative errors are least). Prints how far the fit is off, for each shape when it is left out of the fit, and writes
ports/host/training/board_cost_table.hpp, of the cores and families that it was asked for. With --check it fits nothing: it
makes models of other shapes and prints how far `samara inspect` is off for them; exit code 1 says that one is off by more
than a tenth. Measurements are kept in build/board_costs: remove it when the core has changed. Takes an hour; no test runs it.
"""

import argparse
import concurrent.futures
import hashlib
import json
import pathlib
import random
import re
import shlex
import subprocess
import sys
import threading

import numpy

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from sizes import ROOT, TARGETS, emulator, flash, run  # noqa: E402

SAMARA = ROOT / "build" / "native" / "ports" / "host" / "samara"
WORK = ROOT / "build" / "board_costs"
TABLE = ROOT / "ports" / "host" / "training" / "board_cost_table.hpp"
FAMILIES = ["arccos hadamard", "arccos dense", "rff hadamard", "rff dense", "linear", "whole", "whole fourier", "whole powers",
            "whole counted", "local"]
MOST_INPUTS = 1024
FLOAT_READOUTS = ["int8", "float16", "float32"]
# Height, width and channels of images, and channels and length of series.
IMAGES = [(8, 8, 1), (12, 10, 1), (16, 16, 1), (20, 14, 1), (28, 28, 1), (5, 30, 1), (8, 8, 3), (12, 12, 2), (6, 6, 4), (16, 16, 3)]
SERIES = [(1, 150), (1, 64), (1, 400), (3, 40), (6, 100), (12, 25), (20, 24), (2, 128)]


def shapes(family, check):
    """Arguments of `samara train` and (inputs, outputs) of models whose costs say what each part takes."""
    draw = random.Random(f"{family} {check}")
    few = check
    hadamard_inputs = [16, 21, 30, 64, 100, 128, 300]
    count = {"arccos dense": 26, "rff dense": 26, "linear": 24, "arccos hadamard": 40, "rff hadamard": 40, "local": 70}.get(family, 28)
    for i in range(5 if few else count):
        readout = FLOAT_READOUTS[i % 3] if not few else draw.choice(FLOAT_READOUTS)
        outputs = draw.choice([1, 2, 3, 5, 10, 26])
        features = draw.choice([16, 24, 32, 48, 64, 96, 128, 192, 256, 512])
        scale = draw.choice(["none", "standardise", "standardise", "unit", "global"])
        if family in ("arccos hadamard", "rff hadamard"):
            inputs = hadamard_inputs[i % len(hadamard_inputs)] if not few else draw.choice(hadamard_inputs)
            orders = "1" if i % 4 == 3 and features > 2 * inputs + 8 else "none"
            chosen = ["--candidates", str(features * draw.choice([2, 4, 8]))] if i % 3 != 0 else []
            base = "arccos" if family.startswith("arccos") else "rff:bandwidth=4"
            if chosen:
                orders = "none"
            text = f"{base}{',' if ':' in base else ':'}orders={orders},rows=hadamard"
        elif family in ("arccos dense", "rff dense"):
            inputs = draw.choice([2, 4, 6, 8, 10, 13, 15])
            orders = "1" if i % 4 == 3 and features > 2 * inputs + 8 else "none"
            chosen = ["--candidates", str(features * 2)] if i % 3 == 1 and orders == "none" else []
            base = "arccos" if family.startswith("arccos") else "rff:bandwidth=2"
            text = f"{base}{',' if ':' in base else ':'}orders={orders},rows=dense"
        elif family == "linear":
            inputs = draw.choice([4, 8, 16, 21, 40, 64, 100, 200])
            features, chosen, text = inputs, [], "polynomial:degree=1,offset=0,orders=1"
        elif family == "local":
            images = (i if not few else draw.randrange(10)) % 2 == 0
            many = IMAGES if images else SERIES
            shape = many[i // 2 % len(many)] if not few else draw.choice(many)
            inputs = shape[0] * shape[1] * (shape[2] if images else 1)
            words = "height={},width={},channels={}" if images else "channels={},length={}"
            pairs = draw.choice([2, 2, 2, 2, 1, 3, 4]) if i < 60 else 1  # so that two taps are told from four
            text = f"local:{words.format(*shape)},pairs={pairs},kinds={draw.choice(['both', 'both', 'sum', 'max'])}"
            features, readout = draw.choice([8, 16, 24, 32, 56, 64, 96, 128, 192, 256]), ["int4", "int8"][i // 2 % 2]
            chosen, scale = [], draw.choice(["auto", "global", "channel", "standardise"])
        elif family in ("whole powers", "whole counted"):
            inputs = draw.choice([8, 16, 21, 36, 50, 64, 64, 100, 128, 256, 300])
            readout, scale = ["int8", "int4"][i % 2], draw.choice(["global", "standardise"])
            candidates = 2 ** draw.randint(5, 10)
            degree, sketch = draw.choice([1, 2, 2]), "srht"
            if family == "whole counted":
                degree, sketch = 1, "count"
            elif degree == 1:
                candidates = min(candidates, 2 ** max(6, (inputs - 1).bit_length()))
            features = candidates if i % 3 == 0 else candidates // draw.choice([2, 4])
            chosen = ["--candidates", str(candidates)] if features < candidates else []
            text = f"polynomial:numbers=int8,degree={degree},sketch={sketch},offset={draw.choice([0, 1000])}"
        else:
            inputs = draw.choice([8, 16, 21, 36, 50, 64, 64, 100, 128, 256, 300])
            readout = ["int8", "int4"][i % 2]
            scale = draw.choice(["global", "standardise"])
            chosen = ["--candidates", str(features * draw.choice([2, 4, 8]))] if i % 4 != 0 else []
            text = f"arccos:numbers=int8,orders={draw.choice(['even', 'none'])}" if family == "whole" else \
                f"rff:numbers=int8,bandwidth=90,form={draw.choice(['pair', 'phase'])}"
        yield [text, "--features", str(features), *chosen, *(["--blocks", "any"] if chosen else []), "--readout", readout, "--scale", scale], \
            inputs, outputs


def written(rows, cores):
    """The table with these rows in place of those that it has, and the others as they are."""
    text = TABLE.read_text(encoding="utf-8")
    begin = text.index("// clang-format off\n")
    kept, core = {}, None
    lines = text[begin:].splitlines()
    for line, after in zip(lines, lines[1:]):
        if found := re.fullmatch(r"    \{ // (\S+)", line):
            core = found.group(1)
        elif found := re.search(r"// (.+)$", after) if line.startswith("        {{") else None:
            kept[core, found.group(1)] = f"{line}\n{after}\n"
    table = "// clang-format off\ninline constexpr const char* board_core_names[] = {" + ", ".join(f'"{c}"' for c in cores) + "};\n"
    table += "inline constexpr BoardRates board_rates[][board_families] = {\n"
    for core in cores:
        table += f"    {{ // {core}\n"
        for family in FAMILIES:
            if (core, family) in rows:
                rates, bytes_of, stack = rows[core, family]
                table += f"        {{{numbers(rates)},\n         {numbers(bytes_of)}, {stack}}}, // {family}\n"
            elif (core, family) in kept:
                table += kept[core, family]
            else:
                sys.exit(f"board_costs.py: the table has no {family} of {core}, and it was not measured")
        table += "    },\n"
    return text[:begin] + table + "};\n// clang-format on\n\n} // namespace samara::desk\n"


def data(inputs, outputs):
    """Few rows: costs depend on shapes, not on what was learned."""
    file = WORK / f"{inputs}x{outputs}.csv"
    if not file.exists():
        draw = numpy.random.default_rng(inputs)
        x = draw.integers(0, 17, (90, inputs))
        y = x[:, 0] * 0.5 if outputs == 1 else numpy.arange(90) % outputs
        whole = file.with_suffix(f".{threading.get_ident()}")
        whole.write_text("".join(",".join(map(str, row)) + f",{answer}\n" for row, answer in zip(x, y)), encoding="ascii")
        whole.replace(file)
    return file


def flags_of(target):
    """How this build compiles and links an image of tests/link, as words with places for names."""
    build = ROOT / "build" / "board_costs" / target
    if not (build / "build.ninja").is_file():
        run(["meson", "setup", build, "--cross-file", f"toolchains/{target}.ini"])
    run(["ninja", "-C", build, "-j", "2", "tests/link/link_predictor", "tests/link/link_empty"])
    lines = run(["ninja", "-C", build, "-t", "commands", "tests/link/link_predictor"]).splitlines()
    compiled = next(shlex.split(line) for line in lines if "tests/link/predictor.cpp" in line)
    linked = shlex.split(lines[-1])
    return build, compiled, linked


def made(shape):
    """The file of a model of this shape, and what inspect says of it."""
    arguments, inputs, outputs = shape
    model = WORK / (hashlib.sha256(" ".join([*arguments, str(inputs), str(outputs)]).encode()).hexdigest()[:16] + ".samara")
    if not model.exists():
        task = ["--task", "regress"] if outputs == 1 else []
        run([SAMARA, "train", *arguments, *task, "--loss", "squared", "--ridge", "0.01", "--in", data(inputs, outputs),
             "--target", "column:-1", "--out", model, "--threads", "1"])
    said = json.loads(run([SAMARA, "inspect", model, "--json"]))
    if "work" not in said:
        sys.exit(f"board_costs.py: inspect says no work of {' '.join(arguments)}")
    return model, said


def measured(target, built, model, bytes_of_model):
    """Instructions, code and stack of a model on a core."""
    build, compiled, linked = built
    folder = WORK / target / f"m_{model.stem}"
    result = folder / "result.json"
    if result.exists():
        return json.loads(result.read_text(encoding="ascii"))
    folder.mkdir(parents=True, exist_ok=True)
    run([SAMARA, "export", model, "--c-header", "--name", "measured_model", "--out", folder / "measured_model.h"])
    objects = []
    for source in ("tests/bench/board_image.cpp", "tests/link/measure.cpp"):
        target_object = folder / (pathlib.Path(source).stem + ".o")
        words = list(compiled)
        words[words.index("-o") + 1] = str(target_object)
        words[words.index("-c") + 1] = str(ROOT / source)
        for flag in ("-MF", "-MQ"):
            words[words.index(flag) + 1] = str(folder / "depends")
        words[1:1] = [f"-I{folder}", f"-I{ROOT / 'tests' / 'link'}", f"-DSAMARA_MEASURED_INPUTS={MOST_INPUTS}"]
        subprocess.run(words, cwd=build, check=True)
        objects.append(str(target_object))
    words = [w for w in linked if "measure" not in w]
    image = folder / "image"
    words[words.index("-o") + 1] = str(image)
    place = next(i for i, w in enumerate(words) if w.endswith("predictor.cpp.o"))
    words[place:place + 1] = objects
    subprocess.run(words, cwd=build, check=True)
    found = dict(re.findall(r"^(ram|stack|instructions) (\d+)$", run([*emulator(target), image]), re.MULTILINE))
    kept = {**{key: int(found[key]) for key in ("ram", "stack", "instructions")},
            "code": flash(image) - flash(build / "tests" / "link" / "link_empty") - bytes_of_model}
    result.write_text(json.dumps(kept), encoding="ascii")
    image.unlink()
    return kept


def fitted(counts, values):
    """The numbers >= 0 with the least squares of relative errors."""
    a = counts / values[:, None]
    scale = numpy.sqrt((a * a).sum(axis=0))
    used = scale > 0
    a = a[:, used] / scale[used]
    gram, right = a.T @ a + 1e-9 * numpy.eye(used.sum()), a.sum(axis=0)
    x = numpy.zeros(used.sum())
    for _ in range(3000):
        before = x.copy()
        for i in range(len(x)):
            x[i] = max(0.0, x[i] + (right[i] - gram[i] @ x) / gram[i, i])
        if numpy.abs(x - before).max() < 1e-7:
            break
    whole = numpy.zeros(len(used))
    whole[used] = x / scale[used]
    return whole


def off(counts, rates, values):
    return counts @ rates / values - 1.0


def left_out(counts, values):
    """Relative errors of each shape that the others were fitted to."""
    return numpy.array([off(counts[i:i + 1], fitted(numpy.delete(counts, i, 0), numpy.delete(values, i)), values[i:i + 1])[0]
                        for i in range(len(values))])


def numbers(values):
    return "{" + ", ".join(f"{v:.4g}" for v in values) + "}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--cores", default=",".join(TARGETS))
    parser.add_argument("--families", default=",".join(FAMILIES))
    options = parser.parse_args()
    if not SAMARA.is_file():
        sys.exit(f"board_costs.py: found no {SAMARA}, expected the build of tests/run.sh native")
    WORK.mkdir(parents=True, exist_ok=True)
    cores, families = options.cores.split(","), options.families.split(",")
    for known, wanted in ((TARGETS, cores), (FAMILIES, families)):
        unknown = [w for w in wanted if w not in known]
        if unknown:
            sys.exit(f"board_costs.py: found '{unknown[0]}', expected one of: {', '.join(known)}")
    rows, worst = {}, 0.0
    for core in cores:
        built = flags_of(core)
        for family in families:
            done = []
            asked = list(shapes(family, options.check))
            with concurrent.futures.ThreadPoolExecutor(2) as pool:
                models = list(pool.map(made, asked))
                results = list(pool.map(lambda m: measured(core, built, m[0], m[1]["flash_bytes"] + m[1]["work_bytes"]["tables"]), models))
            for (arguments, inputs, outputs), (_, said), kept in zip(asked, models, results):
                constants = said["flash_bytes"] + said["work_bytes"]["tables"]
                if kept["ram"] != said["work_bytes"]["predictor"]:
                    sys.exit(f"board_costs.py: {arguments} on {core} takes {kept['ram']} bytes of RAM, inspect says "
                             f"{said['work_bytes']['predictor']}")
                if said["work"]["family"] != family:
                    sys.exit(f"board_costs.py: {arguments} is of the family {said['work']['family']}, expected {family}")
                done.append((kept, said))
                if options.check:
                    predicted = said["boards"][core]
                    errors = [predicted["instructions"] / kept["instructions"] - 1,
                              predicted["flash_bytes"] / (kept["code"] + constants) - 1]
                    worst = max(worst, *map(abs, errors))
                    print(f"{core:14} {family:16} {kept['instructions']:10,} instructions, predicted {100 * errors[0]:+5.1f} %; "
                          f"flash {kept['code'] + constants:7,}, predicted {100 * errors[1]:+5.1f} %  "
                          f"{' '.join(arguments)}, {inputs} inputs, {outputs} outputs", flush=True)
            if options.check:
                continue
            names = [n for n in done[0][1]["work"] if n != "family"]
            counts = numpy.array([[said["work"][n] for n in names] for _, said in done])
            present = (counts > 0).astype(float)
            took = numpy.array([kept["instructions"] for kept, _ in done], float)
            code = numpy.array([kept["code"] for kept, _ in done], float)
            # Code is there or not, however often it runs.
            rates, bytes_of = fitted(counts, took), fitted(present, code)
            stack = max(kept["stack"] for kept, _ in done)
            rows[core, family] = (rates, bytes_of, stack)
            errors, apart = numpy.abs(off(counts, rates, took)), numpy.abs(left_out(counts, took))
            code_errors = numpy.abs(off(present, bytes_of, code))
            print(f"{core:14} {family:16} instructions: off by {100 * errors.mean():.1f} % (worst {100 * errors.max():.1f} %), "
                  f"left out {100 * numpy.median(apart):.1f} % (worst {100 * apart.max():.1f} %); code: "
                  f"{100 * code_errors.mean():.1f} % (worst {100 * code_errors.max():.1f} %)", flush=True)
    if options.check:
        print(f"worst: {100 * worst:.1f} %")
        sys.exit(1 if worst > 0.1 else 0)
    TABLE.write_text(written(rows, TARGETS), encoding="utf-8")


if __name__ == "__main__":
    main()

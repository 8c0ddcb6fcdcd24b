#!/usr/bin/env python3
"""samara's small models beside others, on the same rows: accuracy, flash, RAM and instructions.

    python3 tests/bench/rivals.py [--data DIRECTORY] [--sets A,B] [--rivals A,B] [--cores A,B] [--runs N] [--json FILE]

Needs NumPy and scikit-learn, emlearn for what forests take on a board, and the desk tool of build/native. `digits` is bundled;
the other sets are NPY files of DIRECTORY, and those that are not there are skipped:

    wisdm           wisdm/wisdm.{x,y,user}.npy: six activities from a phone. People 1, 5, 9 ... are the test rows of the first run, 2, 6, ...
                    of the second and so on: nobody is on both sides.
    spoken          fsdd/fsdd_logmel.{x,y,split}.npy: digits by six people, 24 x 20 log-mel bands, as bytes
    bearings        cwru/cwru48k.{x,y,split}.npy: nine states of a bearing, 64 bands of the logarithm of a window's spectrum, as bytes
    cardiotocography, image, letter   uci90 or uci_other/NAME.{x,y,folds}.npy: the four folds of the files

Every number is a mean of four runs: four seeds where there is one split, else four folds. Networks, logistic regression
and samara's models are scored as they run on a board, in int8 where they are int8; forests by votes, as emlearn has them.
Inputs are what sensors give, uint8 or int16, and each model scales them by itself; samara's models of floats get floats.
Flash is the model and all code that it needs, of the first run; RAM has the stack, and no input. QEMU counts the instructions
(-O2), the mean of sixteen test rows, on which the image must agree with the desk. "-" is what was not measured: kernel
machines have no image, and forests none without emlearn or with too many nodes.

Results are kept in build/rivals/SET--RIVAL--KEY.json, and are not computed again for the same rows and settings: remove them
when samara has changed.
"""

import argparse
import gzip
import hashlib
import json
import pathlib
import sys
import tempfile

try:
    import numpy as np
    import sklearn  # noqa: F401
except ImportError as missing:
    print(f"rivals.py: found no {missing.name}, expected NumPy and scikit-learn (pip install numpy scikit-learn emlearn)", file=sys.stderr)
    sys.exit(2)

import rival_images as images
import rival_models as models
from rival_images import ROOT, SAMARA, WORK, run
from rival_models import Split

RUNS = 4
# |z| is the quickest, and right for bytes, which lie to one side of zero. Of inputs on both sides it cannot tell x from -x.
WHOLE, WHOLE_BOTH_SIDES = "arccos:numbers=int8,orders=even", "arccos:numbers=int8,orders=none"


def samara_ways():
    ways = {}
    for kept, rows, readout in ((64, 256, "int8"), (128, 512, "int4"), (128, 512, "int8"), (256, 1024, "int8")):
        ways[f"samara-whole-{kept}-{readout}"] = (f"samara, whole numbers, {kept} of {rows:,}, {readout}", [
            WHOLE, "--scale", "SCALE", "--candidates", str(rows), "--features", str(kept), "--readout", readout])
    for name in ("arccos", "rff"):
        ways[f"samara-{name}-128"] = (f"samara, {name}, 128 of 2,048, int8", [
            f"{name}:orders=none", "--scale", "SCALE", "--candidates", "2048", "--features", "128", "--readout", "int8"])
    ways["samara"] = ("samara, nothing said", [])
    return ways


SAMARA_WAYS = samara_ways()
OTHERS = {
    "logistic": ("logistic regression, int8", models.fit_logistic, ()),
    **{f"network-{n}": (f"network, {n} hidden, int8", models.fit_network, (n,)) for n in (16, 32, 64)},
    **{f"forest-{n}": (f"forest, {n} trees, as code", models.fit_forest, (n, "inline")) for n in (50, 100)},
    "forest-50-tables": ("forest, 50 trees, as tables", models.fit_forest, (50, "loadable")),
    "machine": ("kernel machine (SVC)", models.fit_machine, ()),
}
NO_SEEDS = {"logistic", "machine"}
RIVALS = [*SAMARA_WAYS, *OTHERS]


# ---- The sets: each gives its splits, or None where its files are missing.


def arrays(directory, *names):
    paths = [directory / f"{name}.npy" for name in names] if directory else []
    return [np.load(path) for path in paths] if paths and all(path.is_file() for path in paths) else None


def as_bytes(x, low, high):
    return np.clip(np.rint((x - low) * (255 / (high - low))), 0, 255).astype(np.uint8)


def as_shorts(x, train):
    """Each column's own unit: 15 bits for what the training rows have."""
    low, high = x[train].min(0), x[train].max(0)
    return np.clip(np.rint((x - (low + high) / 2) * (32000 / np.maximum(high - low, 1e-9))), -32767, 32767).astype(np.int16)


def parted(x, y, test, scale, groups=None, train=None):
    train = ~test if train is None else train
    return Split(x[train], y[train], x[test], y[test], None if groups is None else groups[train], scale, int(y.max()) + 1)


def digits(directory):
    del directory
    with gzip.open(ROOT / "examples" / "data" / "digits.csv.gz", "rt", encoding="ascii") as file:
        table = np.array([[int(v) for v in line.split(",")] for line in file])
    test = np.arange(len(table)) % 4 == 3
    return [parted(table[:, :-1].astype(np.uint8), table[:, -1], test, "global")]


def wisdm(directory):
    found = arrays(directory, "wisdm/wisdm.x", "wisdm/wisdm.y", "wisdm/wisdm.user")
    if not found:
        return None
    x, y, user = found
    x = np.where(np.isnan(x), np.float32(0), x)  # no peak was found: no time between peaks
    tests = [user % 4 == (k + 1) % 4 for k in range(4)]
    return [parted(as_shorts(x, ~test), y, test, "standardise", user) for test in tests]


def spoken(directory):
    found = arrays(directory, "fsdd/fsdd_logmel.x", "fsdd/fsdd_logmel.y", "fsdd/fsdd_logmel.split")
    if not found:
        return None
    x, y, split = found
    x = x.reshape(len(x), -1)
    return [parted(as_bytes(x, np.log(1e-6), x[split == 0].max()), y, split == 1, "global")]


def bearings(directory):
    found = arrays(directory, "cwru/cwru48k.x", "cwru/cwru48k.y", "cwru/cwru48k.split")
    if not found:
        return None
    x, y, split = found
    power = np.abs(np.fft.rfft(x * np.hanning(x.shape[1]), axis=1))[:, 1:] ** 2
    bands = np.log(power.reshape(len(x), 64, -1).mean(2) + 1e-6)
    return [parted(as_bytes(bands, bands[split == 0].min(), bands[split == 0].max()), y, split == 1, "global")]


def uci(name):
    def splits(directory):
        for folder in ("uci90", "uci_other"):
            found = arrays(directory, *(f"{folder}/{name}.{part}" for part in ("x", "y", "folds")))
            if found:
                x, y, folds = found
                x = np.clip(np.rint(x * 256), -32767, 32767).astype(np.int16)  # the files have columns of deviation 1
                return [parted(x, y, fold == 1, "global", train=fold == 0) for fold in folds]
        return None

    return splits


SETS = {
    "digits": ("digits (64 bytes, 10 classes)", digits),
    "wisdm": ("WISDM (43 int16, 6 activities, unseen people)", wisdm),
    "spoken": ("spoken digits (480 bytes, 10 classes)", spoken),
    "bearings": ("bearings (64 bytes, 9 states)", bearings),
    "cardiotocography": ("cardiotocography (21 int16, 10 classes)", uci("cardiotocography-10clases")),
    "image": ("statlog-image (18 int16, 7 classes)", uci("statlog-image")),
    "letter": ("letter (16 int16, 26 classes)", uci("letter")),
}


# ---- One way, trained and scored.


def words_of(split, rival):
    """What `samara train` is told, but for the scale."""
    words = SAMARA_WAYS[rival][1]
    return words if split.x.dtype == np.uint8 else [WHOLE_BOTH_SIDES if w == WHOLE else w for w in words]


def scores(predicted, truth):
    recalls = [np.mean(predicted[truth == c] == c) for c in np.unique(truth)]
    return {"accuracy": 100 * float(np.mean(predicted == truth)), "balanced": 100 * float(np.mean(recalls))}


def fit_samara(split, seed, words, model, folder):
    """Predictions of the test rows, and the model in the file `model`."""
    for name, rows in (("x", split.x), ("y", split.y), ("tx", split.test_x)):
        np.save(folder / f"{name}.npy", rows)
    groups = []
    if split.groups is not None:
        np.save(folder / "groups.npy", split.groups)
        groups = ["--groups", folder / "groups.npy"]
    run([SAMARA, "train", *[split.scale if w == "SCALE" else w for w in words], "--in", folder / "x.npy", "--target", folder / "y.npy",
         "--task", "classify", *groups, "--seed", str(seed), "--threads", "1", "--out", model])
    run([SAMARA, "predict", model, "--in", folder / "tx.npy", "--out", folder / "predicted.npy"])
    return np.load(folder / "predicted.npy").ravel().astype(int)


def number_of(split):
    return "uint8_t" if split.x.dtype == np.uint8 else "int16_t"


def measured_samara(split, words, model, predicted, cores):
    rows = split.test_x[:images.ROWS]
    number = number_of(split) if {WHOLE, WHOLE_BOTH_SIDES} & set(words) else None
    if not number:
        rows = rows.astype(np.float32)
    labels = list(np.unique(split.y))
    expected = [labels.index(p) for p in predicted[:images.ROWS]]
    with images.one_at_a_time():
        text = images.image(images.samara_code(model, number), "sizeof predictor", number or "float", rows, expected)
        return images.counted(text, rows.nbytes + 4 * images.ROWS, cores=cores)


def measured_other(split, fitted, cores):
    rows = split.test_x[:images.ROWS]
    number, include, ram = number_of(split), None, 0
    if isinstance(fitted.model, models.WholeNetwork):
        code, ram = images.network_code(fitted.model, number)
    elif fitted.model:
        number, rows = "int16_t", rows.astype(np.int16)
        code, include = images.forest_code(*fitted.model)
        if code is None:
            return {"not measured": include}
    else:
        return {"not measured": "a kernel machine, for which there is no image"}
    text = images.image(code, ram, number, rows, fitted.predicted[:images.ROWS])
    with images.one_at_a_time():
        return images.counted(text, rows.nbytes + 4 * images.ROWS, include, cores)


def runs_of(splits, rival, count):
    """The mean is over folds where there are folds, else over seeds, if there is anything random."""
    if rival in NO_SEEDS:
        count = min(count, len(splits))
    return [(splits[k % len(splits)], k) for k in range(count)]


def computed(splits, rival, count, cores):
    found = {"runs": []}
    for split, seed in runs_of(splits, rival, count):
        first = not found["runs"]
        if rival in SAMARA_WAYS:
            with tempfile.TemporaryDirectory() as temporary:
                folder = pathlib.Path(temporary)
                words = words_of(split, rival)
                predicted = fit_samara(split, seed, words, folder / "m.samara", folder)
                entry = scores(predicted, split.test_y) | {"model": (folder / "m.samara").stat().st_size}
                if first:
                    found["cores"] = measured_samara(split, words, folder / "m.samara", predicted, cores)
        else:
            _, fit, more = OTHERS[rival]
            fitted = fit(split, seed, *more)
            entry = scores(fitted.predicted, split.test_y) | {"model": fitted.parameters, **fitted.notes}
            if first:
                found["cores"] = measured_other(split, fitted, cores)
        found["runs"].append(entry)
    return found


def key_of(splits, rival, count, cores):
    digest = hashlib.sha256()
    for split in splits:
        for values in (split.x, split.y, split.test_x, split.test_y):
            digest.update(np.ascontiguousarray(values).tobytes())
    words = words_of(splits[0], rival) if rival in SAMARA_WAYS else [rival, models.DECAYS, models.SMOOTHINGS]
    digest.update(repr((words, count, cores)).encode())
    return digest.hexdigest()[:16]


def result_of(name, splits, rival, count, cores):
    path = WORK / f"{name}--{rival}--{key_of(splits, rival, count, cores)}.json"
    if path.is_file():
        return json.loads(path.read_text(encoding="utf-8"))
    if sys.stderr.isatty():
        print(f"{name}: {rival} ...", file=sys.stderr, flush=True)
    found = computed(splits, rival, count, cores)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    part.write_text(json.dumps(found, default=lambda v: v.item()), encoding="utf-8")
    part.rename(path)
    return found


# ---- The tables.


def row_of(title, found, balanced, cores):
    mean = {k: np.mean([r[k] for r in found["runs"]]) for k in ("accuracy", "balanced", "model")}
    cells = [title, f"{mean['accuracy']:.1f} %"] + ([f"{mean['balanced']:.1f} %"] if balanced else []) + [f"{mean['model']:,.0f}"]
    first = found["cores"].get(cores[0], {})
    cells += [f"{first[k]:,}" if first else "-" for k in ("flash", "RAM")]
    cells += [f"{found['cores'][c]['instructions']:,}" if c in found["cores"] else "-" for c in cores]
    return "| " + " | ".join(cells) + " |"


def table(name, results, cores):
    balanced = name == "wisdm"
    heads = ["model", "accuracy"] + (["balanced"] if balanced else []) + ["parameters", "flash", "RAM"] + [f"instructions, {c}" for c in cores]
    titles = {**SAMARA_WAYS, **OTHERS}
    lines = [f"### {SETS[name][0]}", "", "| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    lines += [row_of(titles[rival][0], found, balanced, cores) for rival, found in results.items()]
    reasons = sorted({f["cores"]["not measured"] for f in results.values() if "not measured" in f["cores"]})
    return "\n".join(lines + ([""] + ["Not measured (-): " + "; ".join(reasons) + "."] if reasons else [])) + "\n"


def chosen(text, known, what):
    names = text.split(",") if text else list(known)
    for name in names:
        if name not in known:
            print(f"rivals.py: --{what}: found '{name}', expected some of {', '.join(known)}", file=sys.stderr)
            sys.exit(2)
    return names


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path)
    parser.add_argument("--sets")
    parser.add_argument("--rivals")
    parser.add_argument("--cores")
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--json", type=pathlib.Path)
    arguments = parser.parse_args()
    sets = chosen(arguments.sets, SETS, "sets")
    rivals = chosen(arguments.rivals, RIVALS, "rivals")
    cores = chosen(arguments.cores, images.CORES, "cores")
    if arguments.data and not arguments.data.is_dir():
        print(f"rivals.py: --data: found no directory {arguments.data}, expected one with files of the sets", file=sys.stderr)
        sys.exit(2)
    if arguments.runs < 1:
        print(f"rivals.py: --runs: found {arguments.runs}, expected 1 or more", file=sys.stderr)
        sys.exit(2)
    if not SAMARA.is_file() and any(r in SAMARA_WAYS for r in rivals):
        print(f"rivals.py: found no {SAMARA}, expected the build of tests/run.sh native", file=sys.stderr)
        sys.exit(2)
    everything = {}
    for name in sets:
        splits = SETS[name][1](arguments.data)
        if splits is None:
            where = f"{arguments.data} has no such files" if arguments.data else "its files are in no place that --data names"
            print(f"### {SETS[name][0]}\n\nSkipped: {where}.\n", flush=True)
            continue
        results = {rival: result_of(name, splits, rival, arguments.runs, cores) for rival in rivals}
        everything[name] = results
        print(table(name, results, cores), flush=True)
    if arguments.json:
        arguments.json.write_text(json.dumps(everything, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""What `samara train` makes of small classification sets, beside other ways of calling it.

    uci_train.py SAMARA DIRECTORY [--ways NAME=WORDS ...] [--sets A,B] [--most-rows N] [--folds K] [--seeds N]
                                  [--jobs N] [--results FILE]

DIRECTORY holds NAME.x.npy, NAME.y.npy and NAME.folds.npy of each set, as examples/uci.sh takes them: a line of folds has
for each row 0 (train), 1 (test) or 255 (neither). Each way is trained on the training rows of each fold, with each seed,
and scored on the test rows. The table has the mean accuracy of each set in per cent; below it how far each way is from
the first one, and the sets where it is behind by more than two standard errors of the difference over folds and seeds.

The ways are `plain`, random features of one map, and `chosen`, what the library finds by itself. --ways takes others:
    --ways "plain=arccos:orders=none --features 200" "none=--features 200 --candidates 200"

Results are appended to --results as they come, and are not computed again.
"""
import argparse
import ast
import collections
import concurrent.futures
import math
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

WAYS = ["plain=arccos:orders=none --features 200", "chosen=--features 200"]


class Array:
    """A .npy file of version 1.0 as rows of bytes."""

    def __init__(self, path):
        data = path.read_bytes()
        if data[:8] != b"\x93NUMPY\x01\x00":
            sys.exit(f"{path}: found another format, expected NPY of version 1.0")
        length = int.from_bytes(data[8:10], "little")
        header = ast.literal_eval(data[10 : 10 + length].decode("latin1"))
        self.type, self.shape = header["descr"], header["shape"]
        body = data[10 + length :]
        size = int(self.type[-1]) * math.prod(self.shape[1:])
        self.rows = [body[i : i + size] for i in range(0, size * self.shape[0], size)]

    def write(self, path, rows):
        header = repr({"descr": self.type, "fortran_order": False, "shape": (len(rows),) + self.shape[1:]})
        header += " " * (-(len(header) + 11) % 64) + "\n"
        path.write_bytes(
            b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + b"".join(self.rows[r] for r in rows)
        )


def accuracy(samara, words, folder, seed):
    command = [samara, "train", *words, "--task", "classify", "--threads", "1", "--seed", str(seed)]
    for name, option in (("train.x", "--in"), ("train.y", "--target"), ("test.x", "--test-in"), ("test.y", "--test-target")):
        command += [option, str(folder / (name + ".npy"))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = re.search(r"test: accuracy ([0-9.]+) %", done.stderr + done.stdout)
    if done.returncode != 0 or not found:
        sys.exit(f"{shlex.join(command)}: exit code {done.returncode}\n{done.stderr}")
    return float(found.group(1))


def computed(job):
    samara, directory, name, fold, seed, way, words = job
    x, y, folds = (Array(pathlib.Path(directory) / f"{name}.{part}.npy") for part in ("x", "y", "folds"))
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        for part, mark in (("train", 0), ("test", 1)):
            rows = [r for r, value in enumerate(folds.rows[fold]) if value == mark]
            x.write(folder / f"{part}.x.npy", rows)
            y.write(folder / f"{part}.y.npy", rows)
        return accuracy(samara, shlex.split(words), folder, seed)


def read_results(path):
    results = {}
    if path.exists():
        for line in path.read_text(encoding="utf-8").splitlines():
            *key, value = line.split("\t")
            results[tuple(key)] = float(value)
    return results


def mean(values):
    return sum(values) / len(values)


def report(ways, results, keys):
    by_set = collections.defaultdict(lambda: collections.defaultdict(dict))
    for name, fold, seed, way, words in keys:
        by_set[name][way][fold, seed] = results[name, fold, seed, way, words]
    names = list(ways)
    width = max(len(name) for name in by_set)
    print(f"{'':{width}}", *(f"{way:>10}" for way in names))
    for name, found in sorted(by_set.items()):
        print(f"{name:{width}}", *(f"{mean(found[way].values()):10.2f}" for way in names))
    print(f"{'mean':{width}}", *(f"{mean([mean(f[way].values()) for f in by_set.values()]):10.2f}" for way in names))
    for way in names[1:]:
        behind = []
        for name, found in sorted(by_set.items()):
            gains = [found[way][key] - found[names[0]][key] for key in found[way]]
            spread = math.sqrt(sum((g - mean(gains)) ** 2 for g in gains) / max(1, len(gains) - 1) / len(gains))
            if mean(gains) < -2 * spread and mean(gains) < 0:
                behind.append(f"{name} ({mean(gains):+.2f} +- {spread:.2f})")
        print(f"{way} behind {names[0]} by more than two standard errors:", ", ".join(behind) or "nowhere")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("samara")
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("--ways", nargs="+", default=WAYS)
    parser.add_argument("--sets")
    parser.add_argument("--most-rows", type=int)
    parser.add_argument("--folds", type=int, default=4)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--results", type=pathlib.Path, default=pathlib.Path("build/uci-train.tsv"))
    arguments = parser.parse_args()
    ways = dict(way.split("=", 1) for way in arguments.ways)
    names = arguments.sets.split(",") if arguments.sets else []
    sizes = {p.name[: -len(".folds.npy")]: Array(p).shape[1] for p in arguments.directory.glob("*.folds.npy")}
    missing = [name for name in names if name not in sizes]
    if missing or not sizes:
        sys.exit(f"{arguments.directory}: found no set {missing[0] if missing else 'at all'}, expected NAME.folds.npy")
    names = names or [name for name in sizes if sizes[name] <= (arguments.most_rows or sizes[name])]
    results = read_results(arguments.results)
    keys = [
        (name, str(fold), str(seed), way, words)
        for name in sorted(names, key=lambda name: sizes[name])
        for fold in range(arguments.folds)
        for seed in range(arguments.seeds)
        for way, words in ways.items()
    ]
    arguments.results.parent.mkdir(parents=True, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool, arguments.results.open("a", encoding="utf-8") as out:
        jobs = {}
        for name, fold, seed, way, words in keys:
            if (name, fold, seed, way, words) not in results:
                job = (arguments.samara, arguments.directory, name, int(fold), int(seed), way, words)
                jobs[pool.submit(computed, job)] = name, fold, seed, way, words
        for job in concurrent.futures.as_completed(jobs):
            if job.exception() is not None:
                pool.shutdown(cancel_futures=True)
            results[jobs[job]] = job.result()
            print(*jobs[job], results[jobs[job]], sep="\t", file=out, flush=True)
    report(ways, results, keys)


if __name__ == "__main__":
    main()

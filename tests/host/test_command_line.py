#!/usr/bin/env python3
"""test_command_line.py SAMARA: runs the desk tool as a user would, on small data made here."""
import array
import ast
import json
import math
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

from every_map import catalogue, every_map, of_images, with_features

tool = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else "samara"
commands = ["maps", "features", "kernel", "compare", "selftest"]


def read_npy(path):
    """Type and rows of a two-dimensional little-endian NPY 1.0 file."""
    with open(path, "rb") as file:
        data = file.read()
    assert data[:8] == b"\x93NUMPY\x01\x00", data[:8]
    (length,) = struct.unpack("<H", data[8:10])
    header = ast.literal_eval(data[10:10 + length].decode("latin1"))
    assert not header["fortran_order"]
    values = array.array({"<f4": "f", "<f8": "d"}[header["descr"]])
    values.frombytes(data[10 + length:])
    rows, cols = header["shape"]
    assert len(values) == rows * cols
    return header["descr"], [list(values[i * cols:(i + 1) * cols]) for i in range(rows)]


def read_csv(text):
    return [[float(cell) for cell in line.split(",")] for line in text.splitlines()]


def as_float32(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


class Desk(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.mkdtemp(prefix="samara-test-")
        self.addCleanup(shutil.rmtree, self.place)
        numbers = random.Random(1)
        self.x = [[as_float32(numbers.gauss(0.0, 0.3)) for _ in range(20)] for _ in range(30)]
        self.write("x.csv", "".join(",".join(map(repr, row)) + "\n" for row in self.x))
        self.write("y.csv", "".join(",".join(map(repr, row)) + "\n" for row in self.x[:4]))

    def write(self, name, text):
        with open(os.path.join(self.place, name), "w", encoding="utf-8") as file:
            file.write(text)

    def path(self, name):
        return os.path.join(self.place, name)

    def run_tool(self, *words, simd=None, stdout=subprocess.PIPE):
        environment = {name: value for name, value in os.environ.items() if name != "SAMARA_SIMD"}
        if simd is not None:
            environment["SAMARA_SIMD"] = simd
        return subprocess.run([tool, *words], cwd=self.place, env=environment, stdout=stdout, stderr=subprocess.PIPE,
                              text=True, timeout=120, check=False)

    def good(self, *words, simd=None, error=""):
        result = self.run_tool(*words, simd=simd)
        self.assertEqual((result.returncode, result.stderr), (0, error), words)
        return result.stdout

    def bad(self, part, *words, simd=None, stdout=subprocess.PIPE):
        """Exit status 2, one line on standard error with `part` in it, nothing else written anywhere."""
        before = sorted(os.listdir(self.place))
        result = self.run_tool(*words, simd=simd, stdout=stdout)
        self.assertEqual(result.returncode, 2, (words, result))
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertTrue(result.stderr.startswith("samara: ") and result.stderr.endswith("\n"), result.stderr)
        self.assertIn(part, result.stderr)
        self.assertIn(result.stdout, ("", None))
        self.assertEqual(sorted(os.listdir(self.place)), before, words)


class Good(Desk):
    def test_help_and_version(self):
        self.assertRegex(self.good("--version"), r"^samara \d+\.\d+\.\d+\n$")
        overview = self.good("help")
        self.assertEqual(overview, self.good("--help"))
        self.assertEqual(overview, self.good("-h"))
        for command in commands:
            self.assertIn("  " + command, overview)
            page = self.good(command, "--help")
            self.assertTrue(page.startswith("usage: samara " + command))
            self.assertEqual(page, self.good("help", command))
            self.assertEqual(page, self.good(command, "-h"))

    def test_maps(self):
        text = self.good("maps")
        for word in ("rff", "bandwidth", "gamma", "laplacian", "arccos", "sweeps", "gibbs", "16777216", "polynomial",
                     "offset", "dot", "coefficients", "nngp", "ntk", "ntk-sketch", "fix-diagonal", "ntk-poly"):
            self.assertIn(word, text)
        for name, keys, _ in every_map(tool):
            self.assertIn(self.good("maps", name).rstrip("\n"), text)
            self.assertTrue({"features", "seed"} <= set(keys), name)
        self.assertNotIn("sweeps", self.good("maps", "rff"))
        self.assertTrue(all(line == line.rstrip() for line in text.splitlines()))

    def test_selftest(self):
        lines = self.good("selftest").splitlines()
        self.assertGreater(len(lines), 10)
        self.assertEqual(lines, self.good("selftest", simd="scalar").splitlines())

    def test_features(self):
        self.assertEqual(self.good("features", "rff:features=64", "--in", "x.csv", "--out", "z.npy"), "")
        kind, z = read_npy(self.path("z.npy"))
        self.assertEqual((kind, len(z), len(z[0])), ("<f4", 30, 64))
        # CSV, to a file and to standard output, holds the same values; neither threads nor SIMD change one.
        text = self.good("features", "rff:features=64", "--in=x.csv", "--threads", "3")
        self.assertEqual([[as_float32(v) for v in row] for row in read_csv(text)], z)
        self.assertEqual(text, self.good("features", "rff:features=64", "--in", "x.csv", "--out", "-", simd="scalar"))
        self.good("features", "rff:features=64", "--in", "z.npy", "--out", "zz.CSV", "--threads=1")
        self.assertTrue(os.path.exists(self.path("zz.CSV")))
        # The seed is the map's or the option's, and the option wins.
        seeded = self.good("features", "rff:features=64,seed=5", "--in", "x.csv")
        self.assertNotEqual(seeded, text)
        self.assertEqual(seeded, self.good("features", "rff:features=64,seed=9", "--in", "x.csv", "--seed", "0x5"))

    def test_features_of_sketches(self):
        self.assertIn("sketch-poly", self.good("maps"))
        for spec, power in (("sketch-count", 1), ("sketch-osnap:nonzeros=2", 1), ("sketch-srht:sampling=with", 1),
                            ("sketch-srht", 1), ("sketch-tensor-srht", 2), ("sketch-tensor", 2),
                            ("sketch-tensor:degree=1", 1), ("sketch-poly:degree=2,base=osnap", 2)):
            words = ("--in", "x.csv", "--out", "z.npy")
            self.good("features", spec + ("," if ":" in spec else ":") + "features=4096,seed=3", *words)
            _, z = read_npy(self.path("z.npy"))
            self.good("kernel", "polynomial:offset=0,degree=%d" % power, "--in", "x.csv", "--out", "k.npy")
            _, k = read_npy(self.path("k.npy"))
            for i in range(0, 30, 7):
                for j in range(0, 30, 5):
                    estimate = sum(a * b for a, b in zip(z[i], z[j]))
                    self.assertAlmostEqual(estimate, k[i][j], delta=0.15 * (k[i][i] * k[j][j]) ** 0.5, msg=spec)
        self.bad("sketch-osnap: features: found '3'", "features", "sketch-osnap:features=3", "--in", "x.csv")
        self.bad("sketch-tensor: features: found '98', expected an even number from 4 to 1048576 whose half has no prime "
                 "factor above 5; the nearest is 100", "features", "sketch-tensor:features=98", "--in", "x.csv")
        self.bad("sketch-poly: degree: found '65'", "features", "sketch-poly:degree=65", "--in", "x.csv")
        self.bad("unknown map 'sketch-count', which is a sketch for `samara features` alone", "kernel", "sketch-count", "--in", "x.csv")

    def test_features_are_of_the_kernel(self):
        for spec in ("rff:bandwidth=2,features=4096", "rff:kernel=cauchy,features=4096,bandwidth=3",
                     "arccos:features=4096", "arccos:features=4096,order=0", "arccos:features=4096,orders=2",
                     "arccos:features=4096,orders=2,pairs=200", "ntk:features=4096,depth=2,orders=2",
                     "nngp:features=4096,depth=3,orders=2", "ntk-poly:features=4096,depth=2,orders=2",
                     "polynomial:scale=0.05,degree=3,features=4096", "polynomial:scale=0.05,sketch=count,features=4096",
                     "dot:coefficients=1;0.01;0.01,features=4096"):
            self.good("features", spec, "--in", "x.csv", "--out", "z.npy")
            self.good("kernel", spec, "--in", "x.csv", "--out", "k.npy")
            _, z = read_npy(self.path("z.npy"))
            kind, k = read_npy(self.path("k.npy"))
            self.assertEqual(kind, "<f8")
            for i in range(0, 30, 7):
                for j in range(0, 30, 5):
                    estimate = sum(a * b for a, b in zip(z[i], z[j]))
                    self.assertAlmostEqual(estimate, k[i][j], delta=0.15, msg=spec)

    # What the tool says of a skeleton of all columns.
    skeleton_note = ("samara: skeleton: 21 nodes in 2 groups, depth 1, complexity 1 (factors of a feature, on "
                     "average)\n")

    def test_kernels_of_skeletons(self):
        with open(self.path("net.csv"), "w", encoding="utf-8") as file:
            file.write("circle a count=%d period=8\nwindows b of=c patch=1x2 dual=identity  # of which there are none\n"
                       % len(self.x[0]))
        self.bad("net.csv: line 2: of: found 'c'", "kernel", "skeleton:file=net.csv", "--in", "x.csv", "--out", "k.npy")
        with open(self.path("net.csv"), "w", encoding="utf-8") as file:
            file.write("node b of=a dual=series(.25;.5;.25)\ncircle a count=%d period=8\n" % len(self.x[0]))
        said = self.skeleton_note
        self.good("kernel", "skeleton:file=net.csv", "--in", "x.csv", "--out", "k.npy", error=said)
        kind, k = read_npy(self.path("k.npy"))
        self.assertEqual(kind, "<f8")
        for i in range(0, 30, 7):
            for j in range(0, 30, 5):
                mean = sum(math.cos(math.pi / 4 * (a - b)) for a, b in zip(self.x[i], self.x[j])) / len(self.x[0])
                self.assertAlmostEqual(k[i][j], 0.25 + 0.5 * mean + 0.25 * mean * mean, delta=1e-6)
        self.good("kernel", "skeleton:file=net.csv", "--in", "x.csv", "--with", "x.csv", "--out", "with.npy",
                  error=said)
        self.assertEqual(read_npy(self.path("with.npy"))[1], k)
        self.bad("--out net.csv: found the same file as the skeleton net.csv", "kernel", "skeleton:file=net.csv", "--in",
                 "x.csv", "--out", "net.csv")
        self.bad("nosuch.txt: cannot open", "kernel", "skeleton:file=nosuch.txt", "--in", "x.csv")
        with open(self.path("net.csv"), "w", encoding="utf-8") as file:
            file.write("node b of=a dual=relu\ncircle a count=3\n")
        self.bad("x.csv: found %d columns, expected the 3 of net.csv" % len(self.x[0]), "kernel", "skeleton:file=net.csv",
                 "--in", "x.csv")

    def test_features_are_of_the_kernels_of_deep_networks(self):
        for spec in ("nngp:depth=2,features=4096", "ntk:features=4096", "ntk:features=4096,depth=2,sketch=count",
                     "ntk:features=4096,rows=unit,orders=none", "ntk:sketch=none,features=8000,orders=none",
                     "ntk-sketch:features=2048,relu-powers=1024", "ntk-poly:features=4096,depth=3",
                     "ntk-poly:features=4096,depth=3,rest=fit"):
            self.good("features", spec, "--in", "x.csv", "--out", "z.npy")
            # Sizes do not matter to the exact kernel.
            self.good("kernel", spec, "--in", "x.csv", "--out", "k.npy")
            _, z = read_npy(self.path("z.npy"))
            _, k = read_npy(self.path("k.npy"))
            depth = int(spec.partition("depth=")[2][:1] or 1)
            for i in range(0, 30, 7):
                norm = sum(v * v for v in self.x[i]) * (1 if spec.startswith("nngp") else depth + 1)
                self.assertAlmostEqual(k[i][i] / norm, 1.0, delta=1e-5, msg=spec)
                for j in range(0, 30, 5):
                    estimate = sum(a * b for a, b in zip(z[i], z[j]))
                    self.assertAlmostEqual(estimate, k[i][j], delta=0.15 * (k[i][i] * k[j][j]) ** 0.5, msg=spec)

    def test_features_of_every_map_are_of_its_kernel(self):
        helps = catalogue(tool)
        for name, keys, given in every_map(tool):
            deep = with_features(name, given, 16384)
            # The kernel of images is zero at depth 1.
            shallow = deep if of_images(keys) else deep.replace("depth=2", "depth=1")
            for spec in sorted({deep, shallow}):
                said = self.skeleton_note if name == "skeleton" else ""
                self.good("features", spec, "--in", "x.csv", "--out", "z.npy", error=said)
                if "no closed form" in helps[name]:
                    last = self.run_tool("kernel", spec, "--in", "x.csv", "--out", "k.npy")
                    self.assertEqual(last.returncode, 2)
                    self.assertIn(name + ": found a map whose kernel has no closed form", last.stderr)
                    continue
                self.good("kernel", spec, "--in", "x.csv", "--out", "k.npy", error=said)
                _, z = read_npy(self.path("z.npy"))
                _, k = read_npy(self.path("k.npy"))
                # From depth 2 on there may be a bias of the order 1/width, and a width is the root of the features.
                allowed = 0.4 if "depth=2" in spec else 0.15
                for i in range(0, 30, 7):
                    if "depth" in keys and " the Neural Tangent Kernel" in helps[name]:
                        norm = sum(v * v for v in self.x[i]) * (3 if "depth=2" in spec else 2)
                        self.assertAlmostEqual(k[i][i] / norm, 1.0, delta=1e-5, msg=spec)
                    for j in range(0, 30, 5):
                        estimate = sum(a * b for a, b in zip(z[i], z[j]))
                        self.assertAlmostEqual(estimate, k[i][j], delta=allowed * (k[i][i] * k[j][j]) ** 0.5, msg=spec)

    def test_kernel(self):
        k = read_csv(self.good("kernel", "rff:bandwidth=0.75", "--in", "x.csv"))
        self.assertEqual((len(k), len(k[0])), (30, 30))
        for i in (0, 3, 29):
            for j in (0, 5, 29):
                square = sum((a - b) ** 2 for a, b in zip(self.x[i], self.x[j]))
                self.assertAlmostEqual(k[i][j], math.exp(-square / (2 * 0.75 ** 2)), delta=1e-12)
                self.assertEqual(k[i][j], k[j][i])
        part = read_csv(self.good("kernel", "rff:bandwidth=0.75", "--in", "x.csv", "--with", "y.csv"))
        self.assertEqual(part, [row[:4] for row in k])
        # gamma is the same by another name; features and what they allow do not matter.
        gamma = repr(1 / (2 * 0.75 ** 2))
        self.assertEqual(read_csv(self.good("kernel", f"rff:gamma={gamma},features=1,orders=1", "--in", "x.csv",
                                            "--threads", "2")), k)

    def test_kernel_that_features_tend_to(self):
        kernel = lambda *words: read_csv(self.good("kernel", *words, "--in", "x.csv"))
        lengths = [math.sqrt(sum(v * v for v in row)) for row in self.x]
        for name in ("ntk-sketch:depth=2,relu-degree=1,step-degree=1", "ntk-poly:depth=2,degree=3"):
            own, limit = kernel(name), kernel(name, "--limit")
            # Mended: right on the diagonal, and not elsewhere.
            for i in range(30):
                self.assertAlmostEqual(limit[i][i], 3 * lengths[i] ** 2, delta=1e-5 * lengths[i] ** 2)
            off = [abs(own[i][j] - limit[i][j]) / (lengths[i] * lengths[j]) for i in range(30) for j in range(i)]
            self.assertGreater(max(off), 1e-3)
        cut = kernel("ntk-sketch:relu-degree=1,step-degree=1,fix-diagonal=no", "--limit")
        # 1/pi + 1/2 + 1/(2 pi) + 1/(24 pi) of k1, 1/2 + 1/pi + 1/(6 pi) of k0
        self.assertAlmostEqual(cut[0][0] / lengths[0] ** 2, 1 + 2.5 / math.pi + 5 / (24 * math.pi), delta=1e-6)
        self.assertEqual(kernel("ntk:depth=2", "--limit"), kernel("ntk:depth=2"))
        part = read_csv(self.good("kernel", "ntk-poly", "--limit", "--in", "x.csv", "--with", "y.csv"))
        self.assertEqual(part, [row[:4] for row in kernel("ntk-poly", "--limit")])
        words = ("compare", "ntk-poly:degree=2,features=16384,rows=dense", "--in", "x.csv", "--seeds", "2", "--json")
        error = lambda text: json.loads(text)["measures"]["relative_frobenius"]["mean"]
        self.assertLess(error(self.good(*words, "--limit")), 0.8 * error(self.good(*words)))

    def test_bandwidth_auto(self):
        distances = sorted(math.dist(a, b) for i, a in enumerate(self.x) for b in self.x[:i])
        median = (distances[(len(distances) - 1) // 2] + distances[len(distances) // 2]) / 2
        result = self.run_tool("features", "rff:bandwidth=auto,features=8", "--in", "x.csv", "--out", "auto.npy")
        self.assertEqual((result.returncode, result.stdout), (0, ""))
        spec = result.stderr.strip().split()[-1]
        found = dict(item.split("=") for item in spec.split(":")[1].split(","))
        self.assertAlmostEqual(float(found["bandwidth"]), median, delta=1e-5)
        # The printed map gives the same features.
        self.good("features", spec, "--in", "x.csv", "--out", "again.npy")
        self.assertEqual(read_npy(self.path("auto.npy")), read_npy(self.path("again.npy")))

    def test_compare(self):
        words = ("compare", "rff:features=256,rows=dense,orders=none,seed=3", "--in", "x.csv", "--seeds", "6")
        result = json.loads(self.good(*words, "--json"))
        self.assertEqual((result["rows"], result["inputs"], result["seeds"], result["first_seed"]), (30, 20, 6, 3))
        self.assertAlmostEqual(result["lambda"], 30e-4)
        self.assertTrue(0 < result["statistical_dimension"] <= 30)
        measures = result["measures"]
        self.assertEqual(len(measures), 7)
        for name, measure in measures.items():
            values = measure["values"]
            mean = sum(values) / 6
            self.assertEqual(len(set(values)), 6, name)
            self.assertAlmostEqual(measure["mean"], mean)
            self.assertAlmostEqual(measure["standard_deviation"], math.sqrt(sum((v - mean) ** 2 for v in values) / 5))
        # The first value, again from what the other commands write.
        self.good("features", result["map"], "--in", "x.csv", "--out", "z.npy")
        self.good("kernel", result["map"], "--in", "x.csv", "--out", "k.npy")
        z, k = read_npy(self.path("z.npy"))[1], read_npy(self.path("k.npy"))[1]
        errors = [sum(a * b for a, b in zip(z[i], z[j])) - k[i][j] for i in range(30) for j in range(30)]
        frobenius = math.sqrt(sum(e * e for e in errors) / sum(v * v for row in k for v in row))
        self.assertAlmostEqual(measures["relative_frobenius"]["values"][0], frobenius, delta=1e-9)
        self.assertAlmostEqual(measures["maximum_absolute"]["values"][0], max(map(abs, errors)), delta=1e-9)
        table = self.good(*words)
        self.assertIn("relative Frobenius error ", table)
        self.assertIn(f"{measures['relative_frobenius']['mean']:.4g}", table)
        # --seed shifts the seeds; one seed has no deviation; the ridge may be given in two ways.
        shifted = json.loads(self.good(*words[:4], "--seed", "4", "--seeds", "1", "--json", "--lambda", "0.06"))
        self.assertEqual(shifted["measures"]["relative_frobenius"]["values"][0],
                         measures["relative_frobenius"]["values"][1])
        self.assertIsNone(shifted["measures"]["relative_frobenius"]["standard_deviation"])
        scaled = json.loads(self.good(*words[:4], "--seed", "4", "--seeds", "1", "--json", "--ridge-scale", "0.002"))
        self.assertEqual(scaled, shifted)

    def test_compare_of_merged_features(self):
        """Which features are equal depends on the seed: a later seed of several is what it is by itself."""
        words = ("compare", "skeleton:merge=yes,features=64", "--in", "x.csv", "--json")
        run = subprocess.run([tool, *words, "--seeds", "3"], cwd=self.place, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             text=True, timeout=280)
        several = json.loads(run.stdout)["measures"]["relative_frobenius"]["values"]
        for i, value in enumerate(several):
            run = subprocess.run([tool, *words, "--seeds", "1", "--seed", str(1 + i)], cwd=self.place, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True, timeout=280)
            self.assertEqual(json.loads(run.stdout)["measures"]["relative_frobenius"]["values"], [value])

    def test_names_with_odd_letters(self):
        name = 'a "b"\n.csv'
        shutil.copy(self.path("x.csv"), self.path(name))
        result = json.loads(self.good("compare", "arccos:features=8", "--in", name, "--seeds", "1", "--json"))
        self.assertEqual(result["data"], name)
        self.bad("no\\x0asuch", "features", "rff", "--in", "no\nsuch.csv")


class Bad(Desk):
    def features(self, part, spec, *words, **options):
        self.bad(part, "features", spec, "--in", "x.csv", "--out", "z.npy", *words, **options)

    def test_commands_and_options(self):
        self.bad("found no command")
        self.bad("did you mean 'features'", "feature")
        self.bad("'--in'", "--in", "x.csv")
        self.bad("unknown command", "help", "nothing")
        self.bad("extra argument", "--version", "now")
        self.bad("extra argument", "selftest", "now")
        self.bad("unknown map 'rf' (did you mean 'rff'?)", "maps", "rf")
        self.bad("expected a map", "features", "--in", "x.csv")
        self.bad("unknown command 'fit', which samara calls train; expected one of", "fit")
        self.bad("found no --in, expected --in X", "features", "rff")
        self.bad("which samara calls MAP:features=N", "features", "rff", "--features", "12", "--in", "x.csv")
        self.bad("did you mean 'rff'?", "features", "RFF", "--in", "x.csv")
        for spec in ("rff,features=12", "rff features=12", "rff=12"):
            self.bad("expected a colon behind its name, as in rff:features=512", "features", spec, "--in", "x.csv")
        self.bad("extra argument 'arccos'", "features", "rff", "arccos", "--in", "x.csv")
        self.bad("--in", "features", "rff")
        self.bad("expected a value", "features", "rff", "--in")
        self.features("unknown option '--thread' (did you mean '--threads'?)", "rff", "--thread", "2")
        self.features("--threads: found '0'", "rff", "--threads", "0")
        self.features("--threads: found '99999'", "rff", "--threads", "99999")
        self.features("--threads: found 'two'", "rff", "--threads", "two")
        self.features("--seed: found '-1'", "rff", "--seed=-1")
        self.features("--out: found the option twice", "rff", "--out", "w.npy")
        compare = ("compare", "rff", "--in", "x.csv")
        self.bad("--seeds: found '0'", *compare, "--seeds", "0")
        self.bad("--lambda: found '0'", *compare, "--lambda", "0")
        self.bad("--lambda: found 'nan'", *compare, "--lambda", "nan")
        self.bad("expected one of the two", *compare, "--lambda", "1", "--ridge-scale", "1")
        self.bad("expected no value", *compare, "--json=yes")
        self.bad("unknown option '--out'", *compare, "--out", "c.csv")

    def test_files(self):
        self.bad("missing.csv: cannot open", "features", "rff", "--in", "missing.csv", "--out", "z.npy")
        self.bad("expected one that ends in .npy, .npz, .csv", "features", "rff", "--in", ".", "--out", "z.npy")
        for name, text, part in (("empty.csv", "", "empty file"),
                                 ("header.csv", "a,b\n", "header.csv"),
                                 ("ragged.csv", "1,2\n3\n", "ragged.csv"),
                                 ("text.csv", "1,2\n3,four\n", "'four'"),
                                 ("gap.csv", "1,2\n3,\n", "empty cell"),
                                 ("nan.csv", "1,2\n3,nan\n", "row 2, column 2: found nan"),
                                 ("inf.csv", "1,2\n-inf,4\n", "row 2, column 1: found -inf"),
                                 ("huge.csv", "1,2\n3,2e12\n", "2^40"),
                                 ("empty.npy", "", "empty.npy"),
                                 ("false.npy", "1,2\n", "false.npy")):
            self.write(name, text)
            for words in (("features", "rff"), ("kernel", "rff"), ("kernel", "rff", "--with", "x.csv")):
                self.bad(part, *words, "--in", name, "--out", "z.npy")
            self.bad(part, "compare", "rff", "--in", name)
            self.bad(part, "kernel", "rff", "--in", "x.csv", "--with", name, "--out", "k.npy")
        for shape in ("(0, 3)", "(3, 0)", "(0,)"):
            header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
            with open(self.path("none.npy"), "wb") as file:
                file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header)
            for words in (("features", "rff"), ("kernel", "rff")):
                self.bad("none.npy: found", *words, "--in", "none.npy", "--out", "z.npy")
            self.bad("none.npy: found", "compare", "rff", "--in", "none.npy")
        self.write("narrow.csv", "1,2,3\n")
        self.bad("narrow.csv: found 3 columns, expected 20 as in x.csv", "kernel", "rff", "--in", "x.csv", "--with",
                 "narrow.csv", "--out", "k.npy")

    def test_maps(self):
        for spec, part in (("rbf", "unknown map 'rbf', which samara calls rff; expected rff, arccos"),
                           ("", "unknown map ''"),
                           ("rff:width=2", "unknown key 'width'"),
                           ("rff:seed=1,seed=2", "seed: found the key twice"),
                           ("rff:features", "expected key=value"),
                           ("rff:features=many", "features: found 'many'"),
                           ("rff:features=0", "expected a whole number from 1 to 16777216"),
                           ("rff:bandwidth=-1", "bandwidth: found '-1'"),
                           ("rff:bandwidth=1e40", "bandwidth: found '1e40'"),
                           ("rff:gamma=1,bandwidth=1", "not both"),
                           ("rff:kernel=laplace", "kernel: found 'laplace'"),
                           ("rff:features=255", "features: found '255', expected an even number"),
                           ("rff:kernel=laplacian,rows=hadamard", "rows: found 'hadamard'"),
                           ("rff:form=phase,orders=1", "orders: found '1'"),
                           ("rff:features=22,orders=1", "the nearest is 24"),
                           ("arccos:features=21,orders=1", "the nearest is 22"),
                           ("arccos:rows=gibbs,orders=1", "arccos: orders: found '1'"),
                           ("arccos:order=0,orders=2", "order 0 has no quadratic part"),
                           ("arccos:rows=gibbs,orders=2", "arccos: orders: found '2'"),
                           ("arccos:orders=3", "arccos: orders: found '3', expected auto, none, 1, 2 or even"),
                           ("arccos:features=22,orders=2", "the nearest is 23"),
                           ("arccos:orders=2,pairs=211", "pairs: found '211'"),
                           ("arccos:orders=2,pairs=211", "the nearest is 210"),
                           ("arccos:features=231,orders=2,pairs=210", "the nearest is 232"),
                           ("arccos:orders=1,pairs=2", "pairs: found '2', expected 0, because orders is not 2"),
                           ("rff:orders=2", "rff: orders: found '2', expected auto, none or 1"),
                           ("ntk:features=230,orders=2", "the nearest is 239"),
                           ("ntk:sketch=none,depth=16,step=100,relu=100", "more than 2^40, and at most 1048576"),
                           ("polynomial:degree=32,scale=1e9", "no coefficient leaves the range of floats"),
                           ("arccos:sweeps=-1", "sweeps: found '-1'"),
                           ("arccos:order=2", "order: found '2'"),
                           ("polynomial:degree=33", "degree: found '33'"),
                           ("polynomial:features=21,orders=1", "the nearest is 22"),
                           ("dot", "dot: coefficients: found none"),
                           ("dot:coefficients=1;-1", "coefficients: found '1;-1'"),
                           ("nngp:depth=17", "depth: found '17'"),
                           ("nngp:features=21,orders=1", "the nearest is 22"),
                           ("ntk:sketch=none,orders=1", "ntk: orders: found '1'"),
                           ("ntk:relu=10,tensor=10,orders=none", "the nearest is 20"),
                           ("ntk-sketch:tensor=2", "ntk-sketch: tensor: found '2'"),
                           ("ntk-poly:degree=33", "degree: found '33'")):
            self.features(part, spec)
        for name, keys, given in every_map(tool):
            self.features(name + ": features: found '0'", with_features(name, given, 0))
            self.features(name + ": found the unknown key 'nokey'", with_features(name, given, 64) + ",nokey=1")
            if "width" in keys and "height" not in keys:  # of layers of which the features have no room
                self.features("features: found '1024'", name + ":width=100")
        self.write("wide.csv", ",".join(["1"] * 1025) + "\n")
        for command in ("features", "kernel"):
            self.bad("inputs: found 1025 (the columns of wide.csv)", command, "rff:rows=quasi", "--in", "wide.csv",
                     "--out", "z.npy")
        self.write("same.csv", "1,2\n1,2\n")
        self.bad("median distance 0", "features", "rff:bandwidth=auto", "--in", "same.csv", "--out", "z.npy")

    def test_outputs(self):
        words = ("rff:features=8", "--in", "x.csv", "--out")
        for command in ("features", "kernel"):
            self.bad("the suffix '.txt'", command, *words, "z.txt")
            self.bad("no suffix", command, *words, "z")
            self.bad("nowhere/z.npy: cannot", command, *words, "nowhere/z.npy")
            os.mkdir(self.path("dir.npy"))
            self.bad("found a directory", command, *words, "dir.npy")
            os.rmdir(self.path("dir.npy"))
            self.bad("--out", command, *words, "")
        closed = self.path("closed")
        os.mkdir(closed)
        os.chmod(closed, 0o500)
        if not os.access(closed, os.W_OK):  # root may write anywhere
            self.bad("closed/z.npy: cannot", "features", *words, "closed/z.npy")
        os.chmod(closed, 0o700)
        if os.path.exists("/dev/full"):
            for command in (("features", *words[:3]), ("kernel", *words[:3]), ("compare", *words[:3], "--seeds", "1"),
                            ("maps",), ("help",), ("--version",), ("selftest",), ("kernel", "--help")):
                with open("/dev/full", "w", encoding="utf-8") as full:
                    self.bad("standard output: cannot write", *command, stdout=full)

    def test_more_than_memory(self):
        self.write("long.csv", "1\n" * 100000)
        self.bad("GB of this machine", "features", "rff:features=16777216", "--in", "long.csv", "--out", "z.npy")

    def test_simd(self):
        self.features("SAMARA_SIMD is 'nonsense', expected scalar", "rff", simd="nonsense")
        self.bad("SAMARA_SIMD", "selftest", simd="nonsense")


if __name__ == "__main__":
    unittest.main()

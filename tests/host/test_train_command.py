#!/usr/bin/env python3
"""test_train_command.py SAMARA: trains, evaluates and predicts as a user would, on digits and on small data made here."""
import gzip
import json
import math
import os
import pty
import random
import re
import signal
import struct
import subprocess
import time
import unittest

from every_map import every_map, with_features
from tool_case import ToolCase, tool, watched

digits = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../examples/data/digits.csv.gz")


def npy(rows, code="f"):
    """The bytes of a float32 (f), float64 (d) or int64 (q) array."""
    kind = {"f": "<f4", "d": "<f8", "q": "<i8"}[code]
    header = "{'descr': '%s', 'fortran_order': False, 'shape': (%d, %d), }" % (kind, len(rows), len(rows[0]))
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    values = [value for row in rows for value in row]
    return (b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() +
            struct.pack("<%d%s" % (len(values), code), *values))


def idx(shape, values):
    return struct.pack(">BBBB", 0, 0, 8, len(shape)) + struct.pack(">%dI" % len(shape), *shape) + bytes(values)


class Training(ToolCase):
    def setUp(self):
        super().setUp()
        numbers = random.Random(1)
        self.x = [[round(numbers.uniform(-1, 1), 3) for _ in range(4)] for _ in range(80)]
        self.kinds = ["left" if row[0] + row[1] < 0 else "right" for row in self.x]
        self.values = [math.sin(2 * row[0]) + row[1] for row in self.x]
        self.write("x.csv", self.lines(self.x))
        self.write("kinds.csv", "".join(kind + "\n" for kind in self.kinds))
        self.write("values.csv", "".join("%r\n" % value for value in self.values))
        self.write("table.csv", "a,b,c,d,kind,value\n" + "".join(
            "%s,%s,%r\n" % (",".join(map(repr, row)), kind, value)
            for row, kind, value in zip(self.x, self.kinds, self.values)))

    @staticmethod
    def lines(rows):
        return "".join(",".join(map(repr, row)) + "\n" for row in rows)

    def write(self, name, contents):
        with open(self.path(name), "wb") as file:
            file.write(contents if isinstance(contents, bytes) else contents.encode())

    def train(self, *words, target="kinds.csv", data="x.csv", model="m.samara", features="rff:features=64"):
        return self.good("train", features, "--in", data, "--target", target, "--out", model, *words)

    def accuracy(self, *words, model="m.samara"):
        return json.loads(self.good("evaluate", model, "--json", *words).stdout)

    def test_text_classes(self):
        result = self.train()
        self.assertIn("80 rows, 64 features, logistic loss, ridge", result.stderr)
        self.assertGreater(self.accuracy("--in", "x.csv", "--target", "kinds.csv")["accuracy"], 0.95)
        found = self.good("predict", "m.samara", "--in", "x.csv").stdout.split()
        self.assertEqual(set(found), {"left", "right"})
        scores = self.good("predict", "m.samara", "--in", "x.csv", "--scores").stdout.splitlines()
        self.assertEqual(scores[0], "left,right")
        for kind, line in zip(found, scores[1:]):
            left, right = map(float, line.split(","))
            self.assertEqual(kind, "left" if left >= right else "right")
        self.assertIn("rows: what it is", self.good("evaluate", "m.samara", "--in", "x.csv", "--target",
                                                    "kinds.csv").stdout)

    def test_columns_of_a_table(self):
        self.write("inputs.csv", "a,b,c,d,kind\n" + "".join(
            "%s,%s\n" % (",".join(map(repr, row)), kind) for row, kind in zip(self.x, self.kinds)))
        for target in ("kind", "column:kind", "column:5", "column:-1"):
            self.train(data="inputs.csv", target=target)
            self.assertGreater(self.accuracy("--in", "inputs.csv", "--target", target)["accuracy"], 0.95)
        self.write("two.csv", "a,b,c,d,up,down\n" + "".join(
            "%s,%r,%r\n" % (",".join(map(repr, row)), value, -value) for row, value in zip(self.x, self.values)))
        self.train(data="two.csv", target="up,down")
        report = self.accuracy("--in", "two.csv", "--target", "up,down")
        self.assertGreater(report["r_squared"], 0.98)
        self.assertLess(report["relative_error"], 0.1)
        self.assertEqual(self.good("predict", "m.samara", "--in", "x.csv").stdout.splitlines()[0], "up,down")

    def test_formats_give_the_same_model(self):
        pixels = [[random.Random(i).randrange(256) for _ in range(6)] for i in range(60)]
        labels = [[int(row[0] > 127)] for row in pixels]
        self.write("x.npy", npy(pixels))
        self.write("y.npy", npy(labels, "q"))
        self.write("p.csv", self.lines(pixels))
        self.write("l.csv", self.lines(labels))
        flat = [value for row in pixels for value in row]
        self.write("x-idx3-ubyte.gz", gzip.compress(idx((60, 2, 3), flat)))
        self.write("y-idx1-ubyte", idx((60,), [row[0] for row in labels]))
        self.write("p.csv.gz", gzip.compress(self.lines(pixels).encode()))
        models = set()
        for data, target in (("x.npy", "y.npy"), ("p.csv", "l.csv"), ("x-idx3-ubyte.gz", "y-idx1-ubyte"),
                             ("p.csv.gz", "y.npy")):
            self.train("--scale", "minmax", "--ridge", "1e-3", "--threads", "1", data=data, target=target)
            with open(self.path("m.samara"), "rb") as file:
                models.add(file.read())
        self.assertEqual(len(models), 1)
        self.good("predict", "m.samara", "--in", "x.npy", "--out", "found.npy")

    def test_scaling_and_missing_values(self):
        rows = [list(row) + [7.0] for row in self.x]
        rows[3][2] = float("nan")
        self.write("holes.csv", self.lines(rows))
        self.bad("row 4, column 3: found nan", "train", "rff", "--in", "holes.csv", "--target", "kinds.csv", "--out",
                 "m.samara")
        for scale in ("none", "centre", "standardise", "minmax", "unit"):
            result = self.train("--missing", "mean", "--scale", scale, data="holes.csv")
            if scale in ("standardise", "minmax"):
                self.assertIn("one value only", result.stderr)
            self.assertGreater(self.accuracy("--in", "holes.csv", "--target", "kinds.csv")["accuracy"], 0.9)

    def test_ridges_sizes_and_readouts(self):
        for ridge in ("1e-4", "cv", "loo", "holdout", "rule", "auto"):
            self.train("--ridge", ridge, target="values.csv")
            self.assertGreater(self.accuracy("--in", "x.csv", "--target", "values.csv")["r_squared"], 0.9)
        result = self.train("--bandwidths", "0.5,2", "--valid-in", "x.csv", "--valid-target", "values.csv", "--ridge",
                            "cv", target="values.csv")
        self.assertIn("by the validation rows", result.stderr)
        for readout in ("float16", "int8"):
            self.assertIn("against float32", self.train("--readout", readout, target="values.csv").stderr)
        self.assertIn("features taken", self.train("--features", "auto", target="values.csv").stderr)
        chosen = self.train("--candidates", "256", "--features", "32", target="values.csv")
        self.assertIn("features chosen of 256", chosen.stderr)
        self.assertGreater(self.accuracy("--in", "x.csv", "--target", "values.csv")["r_squared"], 0.9)
        self.assertIn("bandwidth", self.train(features="rff:bandwidth=auto", target="values.csv").stderr)
        for spec in ("polynomial:features=64", "dot:coefficients=1;1;0.5,features=64,sketch=count"):
            self.train(features=spec, target="values.csv")
            self.assertIn("r_squared", self.accuracy("--in", "x.csv", "--target", "values.csv"))

    def test_maps_of_deep_networks_and_every_map(self):
        for spec in ("nngp:features=128,depth=2", "ntk:features=128,depth=2", "ntk:features=128,sketch=count",
                     "ntk-sketch:features=64,orders=none", "ntk-sketch:features=128", "ntk-poly:features=128",
                     *(with_features(name, given, 256) for name, _, given in every_map(tool))):
            said = self.train(features=spec, target="values.csv").stderr
            self.assertIn("the map is " + spec.partition(":")[0] + ":", said)
            self.assertGreater(self.accuracy("--in", "x.csv", "--target", "values.csv")["r_squared"], 0.5, spec)
            self.assertEqual(len(self.good("predict", "m.samara", "--in", "x.csv").stdout.split()), 80)
        # Beside exact low orders there is nothing left that is worth choosing for.
        chosen = self.train("--candidates", "256", "--features", "32", features="ntk-poly:orders=none", target="values.csv")
        self.assertIn("features chosen of 256", chosen.stderr)
        self.assertGreater(self.accuracy("--in", "x.csv", "--target", "values.csv")["r_squared"], 0.5)
        self.good("train", "ntk", "--exact", "--in", "x.csv", "--target", "values.csv", "--test-in", "x.csv",
                  "--test-target", "values.csv")

    def test_skeletons(self):
        """A kernel of signs, whose features are parities: of four inputs 12 differ. Left and right are the product of two signs."""
        signs = ["left" if row[0] * row[1] < 0 else "right" for row in self.x]
        self.write("signs.csv", "".join(sign + "\n" for sign in signs))
        words = "skeleton:base=binary,features=64,merge=yes"
        said = self.train("--candidates", "256", "--seed", "3", features=words, target="signs.csv").stderr
        self.assertIn("80 rows, 12 features,", said)
        self.assertIn("the map is skeleton:base=binary,merge=yes,form=real,features=12,seed=3", said)
        self.assertEqual(self.accuracy("--in", "x.csv", "--target", "signs.csv")["accuracy"], 1.0)
        self.assertEqual(self.good("predict", "m.samara", "--in", "x.csv").stdout.split(), signs)
        seen = self.good("inspect", "m.samara").stdout
        self.assertIn("5 nodes in 2 groups, depth 1, complexity 1", seen)
        self.assertIn("12 distinct features stand for 1,048,576 drawn", seen)
        header = self.good("export", "m.samara", "--c-header").stdout
        size = os.path.getsize(self.path("m.samara"))
        self.assertIn("[%d]" % size, header)

        # What a report says of the map makes it again, and so does a file with the same skeleton.
        self.write("net.txt", "binary a count=4\nnode b of=a dual=relu\n")
        models = set()
        for words in ("base=binary,merge=yes,draws=3000,features=64", "base=binary,merge=yes,draws=3000,form=real,features=12",
                      "file=%s,merge=yes,draws=3000,features=64" % self.path("net.txt")):
            self.assertIn("draws=3000,form=real,features=12,seed=1", self.train(features="skeleton:" + words).stderr)
            with open(self.path("m.samara"), "rb") as file:
                models.add(file.read())
        self.assertEqual(len(models), 1)

        # An odd number of features, where the skeleton makes auto the form whose features come singly.
        said = self.train(features="skeleton:base=binary,features=7", target="signs.csv").stderr
        self.assertIn("the map is skeleton:base=binary,form=real,features=7,seed=1", said)
        self.bad("skeleton: features: found '7', expected an even number", "train", "skeleton:features=7", "--in", "x.csv",
                 "--target", "signs.csv", "--out", "n.samara")

        # Categories, of which the row to judge has one too many.
        self.write("kinds.csv", "".join("%d,%d,%s\n" % (i % 3, i % 2, "even" if i % 2 == 0 else "odd") for i in range(30)))
        self.good("train", "skeleton:base=categorical,values=3", "--in", "kinds.csv", "--target", "column:-1", "--out", "k.samara")
        self.write("more.csv", "0,1\n3,1\n")
        self.bad("more.csv: row 2: found an input that is none of its categories", "predict", "k.samara", "--in", "more.csv")

        # Angles; some of those that were merged are chosen.
        said = self.train("--candidates", "128", features="skeleton:period=4,dual=exp(1),merge=yes,features=64",
                          target="signs.csv").stderr
        self.assertIn("64 features chosen of 128", said)
        self.assertGreater(self.accuracy("--in", "x.csv", "--target", "signs.csv")["accuracy"], 0.9)
        self.assertRegex(self.good("inspect", "m.samara").stdout, "32 distinct features stand for [0-9]+ drawn")
        for form in ("pair", "phase"):
            said = self.train(features="skeleton:period=4,merge=yes,draws=300,form=" + form, target="values.csv").stderr
            self.assertIn("draws=300,form=" + form, said)
            self.assertGreater(self.accuracy("--in", "x.csv", "--target", "values.csv")["r_squared"], 0.9)

        def refused(part, words):
            self.bad(part, "train", words, "--in", "x.csv", "--target", "signs.csv", "--out", "n.samara")
        self.write("short.txt", "binary a count=3\nnode b of=a dual=relu\n")
        self.write("wrong.txt", "binary a count=4\nnode b of=c dual=relu\n")
        refused("x.csv: found 4 columns, expected the 3 of", "skeleton:file=" + self.path("short.txt"))
        refused("wrong.txt: line 2: of: found 'c'", "skeleton:file=" + self.path("wrong.txt"))
        refused("none.txt: cannot open", "skeleton:file=" + self.path("none.txt"))
        refused("skeleton: base: found 'bynary' (did you mean 'binary'?), expected", "skeleton:base=bynary")
        refused("skeleton: form: found 'real'", "skeleton:form=real")
        refused("skeleton: draws: found '5', expected it beside merge=yes", "skeleton:draws=5")
        refused("an input that is none of its categories", "skeleton:base=categorical,values=4")

    def test_digits(self):
        with gzip.open(digits, "rb") as file:
            lines = file.readlines()
        self.write("digits.csv", b"".join(lines[:120] if watched else lines))

        def folds(*words):
            text = self.good("train", *words, "--in", "digits.csv", "--target", "column:-1", "--folds", "4").stdout
            return float(re.match(r"accuracy ([0-9.]+) %", text).group(1))
        # With more features than rows least squares is the better loss of classes. So few rows say only that it works.
        for least, *words in ((98.9, "arccos", "--features", "256" if watched else "2048", "--loss", "squared"),
                              (97.7, "arccos", "--features", "256", "--scale", "centre"),
                              (97.7, "rff:bandwidth=35,orders=none", "--features", "256"),
                              (98.9, "rff:bandwidth=25", "--exact", "--ridge", "1e-5")):
            self.assertGreaterEqual(folds(*words), 70.0 if watched else least, words)

    def test_exact(self):
        words = ("train", "rff", "--exact", "--in", "x.csv", "--target", "kinds.csv")
        self.assertIn("test: accuracy", self.good(*words, "--test-in", "x.csv", "--test-target", "kinds.csv").stdout)
        self.bad("cannot be sealed", *words, "--out", "m.samara")
        self.bad("--exact", *words)

    def test_bad_files(self):
        def refused(part, data="x.csv", target="kinds.csv", *words):
            self.bad(part, "train", "rff", "--in", data, "--target", target, "--out", "m.samara", *words)
        self.write("empty.csv", "")
        self.write("ragged.csv", "1,2\n3\n")
        self.write("text.csv", "1,2\n3,four\n")
        self.write("nan.csv", self.lines([[1.0, float("nan")]] + [[1.0, 2.0]] * 79))
        self.write("huge.csv", self.lines([[1.0, 1e20]] + [[1.0, 2.0]] * 79))
        self.write("one.csv", "cat\n" * 80)
        self.write("short.csv", "cat\ndog\n")
        self.write("blank.csv", self.lines(self.x[:1]).replace("-", "", 1) + "1,,2,3\n")
        self.write("cut.csv.gz", gzip.compress(self.lines(self.x).encode())[:-30])
        self.write("not.csv.gz", "1,2\n")
        self.write("bad-idx3-ubyte", b"\x93NUMPY")
        self.write("long-idx1-ubyte", idx((100,), [1] * 80))
        self.write("empty.npy", b"")
        self.write("cut.npy", npy(self.x)[:-4])
        self.write("y.npy", npy([[1.5]] * 79 + [[float("inf")]]))
        self.write("two.csv", "1,2\n" * 80)
        refused("cannot open", "none.csv")
        refused("found an empty file", "empty.csv")
        refused("line 2, column 2", "ragged.csv")
        refused("line 2, column 2: found 'four'", "text.csv")
        refused("row 1, column 2: found nan", "nan.csv")
        refused("2^40", "huge.csv")
        refused("an empty cell", "blank.csv")
        refused("truncated", "cut.csv.gz")
        refused("no gzip signature", "not.csv.gz")
        refused("as IDX files begin", "bad-idx3-ubyte")
        refused("bytes of data", "x.csv", "long-idx1-ubyte")
        refused("empty file", "empty.npy")
        refused("truncated", "cut.npy")
        refused("found the name 'x.txt'", "x.txt")
        refused("one class only ('cat') in the target, expected 2 to 4096 for classification", "x.csv", "one.csv")
        words = ("train", "rff", "--in", "x.csv", "--out", "m.samara", "--target")
        self.assertNotIn("regress", self.run_tool(*words, "one.csv").stderr)  # these are no numbers
        refused("found a target of 2 rows, expected 80", "x.csv", "short.csv")
        refused("row 80, column 1 of the target: found inf", "x.csv", "y.npy")
        refused("expected a number for regression", "x.csv", "kinds.csv", "--task", "regress")
        refused("expected one for classification", "x.csv", "two.csv", "--task", "classify")
        refused("--target: found 'color', expected a file, a column's number as in column:-1, or a column of table.csv, whose first line is 'a, b, c, d", "table.csv",
                "color")
        refused("found 6 columns", "table.csv", "column:9")
        refused("only a CSV file has named columns", "cut.npy", "kind")

    def test_training_by_steps(self):
        """The same model whether or not it is interrupted, scored as it is sealed."""
        words = ("train", "rff:features=256,bandwidth=2", "--in", "x.csv", "--target", "kinds.csv", "--test-in", "x.csv",
                 "--test-target", "kinds.csv", "--scale", "standardise")
        whole = self.good(*words, "--epochs", "4", "--out", "whole.samara")
        self.assertEqual(whole.stderr.count(" of rows before they were learned"), 4)
        self.assertIn("4 epochs of AdaGrad, rate 10\n", whole.stderr)
        self.good(*words, "--epochs", "2", "--out", "half.samara", "--state", "state")
        rest = self.good(*words, "--epochs", "4", "--out", "rest.samara", "--state", "state", "--threads", "2")
        self.assertIn("state: going on after 2 epochs and 0 rows", rest.stderr)
        models = []
        for name in ("whole.samara", "rest.samara", "half.samara"):
            with open(self.path(name), "rb") as file:
                models.append(file.read())
        self.assertEqual(models[0], models[1])
        self.assertNotEqual(models[0], models[2])
        said = whole.stderr[whole.stderr.index("test: accuracy"):].split("(")[0].partition(": ")[2].strip()
        scored = self.good("evaluate", "whole.samara", "--in", "x.csv", "--target", "kinds.csv").stdout
        self.assertIn(said.partition(" ")[2], scored)
        folds = self.good(*words[:6], "--epochs", "3", "--folds", "3", "--ridge", "1e-6")
        self.assertIn("over 3 test folds", folds.stdout)
        self.assertNotIn("ridge", folds.stderr)
        self.bad("found the state of a training with another map", *words, "--epochs", "5", "--rate", "3", "--out", "n",
                 "--state", "state")

    def test_bad_options(self):
        def refused(part, *words, start="rff"):
            self.bad(part, "train", start, "--in", "x.csv", "--target", "kinds.csv", *words)
        refused("--out")
        for ridge in ("0", "-1", "much", "nan", "1e-400"):
            refused("--ridge", "--out", "m", "--ridge", ridge)
        refused("--candidates: found 10 for the map's 1024 features", "--out", "m", "--candidates", "10")
        refused("at most the 32 of --candidates", "--out", "m", "--candidates", "32", "--features", "64")
        without = [with_features(name, given, 64) for name, keys, given in every_map(tool)
                   if "rows" not in keys and name not in ("skeleton", "cntk", "local")]
        self.assertGreater(len(without), 2)
        for start in ("ntk", *without):
            refused("no rows to choose from", "--out", "m", "--candidates", "2048", start=start)
        refused("--rate: found it without --epochs", "--out", "m", "--rate", "1")
        refused("--state: found it without --epochs", "--out", "m", "--state", "s")
        refused("--loss: found 'softmax', which samara calls logistic", "--out", "m", "--loss", "softmax")
        refused("--loss: found hinge with --epochs", "--out", "m", "--loss", "hinge", "--epochs", "2")
        for words in (("--candidates", "2048"), ("--confidence",), ("--bandwidths", "1,2"), ("--ridge-folds", "3")):
            refused("--epochs: found it with " + words[0], "--out", "m", "--epochs", "2", *words)
        refused("--epochs: found it with --features auto", "--out", "m", "--epochs", "2", "--features", "auto")
        refused("--ridge: found 'loo' with --epochs", "--out", "m", "--epochs", "2", "--ridge", "loo")
        refused("--rate", "--out", "m", "--epochs", "2", "--rate", "0")
        refused("--state: found it with --folds", "--epochs", "2", "--folds", "3", "--state", "s")
        refused("--features auto", "--out", "m", "--candidates", "32", "--features", "auto")
        refused("an even number", "--out", "m", "--features", "65")
        refused("--scale", "--out", "m", "--scale", "log")
        refused("--readout", "--out", "m", "--readout", "int4")
        refused("--bandwidths", "--out", "m", "--bandwidths", "1,-2")
        refused("no bandwidth", "--out", "m", "--bandwidths", "1", start="arccos")
        refused("--folds", "--folds", "1")
        refused("at least two rows a fold", "--folds", "60")
        refused("--valid-in", "--out", "m", "--valid-target", "kinds.csv")
        refused("--test-target", "--out", "m", "--test-in", "x.csv")
        refused("unknown key", "--out", "m", start="rff:width=2")
        self.write("new.csv", "left\n" * 79 + "up\n")
        refused("row 80 of the target: found the class 'up'", "--out", "m", "--test-in", "x.csv", "--test-target",
                "new.csv")
        self.write("narrow.csv", self.lines([row[:3] for row in self.x]))
        refused("found 3 columns, expected 4", "--out", "m", "--test-in", "narrow.csv", "--test-target", "kinds.csv")

    def test_bad_outputs(self):
        words = ("train", "rff", "--in", "x.csv", "--target", "kinds.csv", "--out")
        self.bad("cannot write in its directory", *words, "none/m.samara")
        self.bad("found a directory", *words, self.place)
        if os.path.exists("/dev/full"):
            self.bad("cannot write", *words, "/dev/full")
            self.assertFalse(os.path.isfile("/dev/full"))
        if os.geteuid() != 0:
            os.mkdir(self.path("locked"), 0o500)
            self.bad("cannot write in its directory", *words, "locked/m.samara")

    def test_bad_predictions(self):
        self.train()
        self.write("narrow.csv", "1,2\n")
        self.write("label.csv", "left\n")
        self.write("nan.csv", "1,2,3,4\n1,2,nan,4\n")
        self.write("more.csv", "1,2,3,4,5\n")
        self.bad("found 5 columns, expected the 4 that the model was trained with, without columns of answers", "predict",
                 "m.samara", "--in", "more.csv")
        self.write("two.csv", "left,right\n" * 80)
        self.bad("two.csv: found 2 columns of the target, expected one, because the model tells classes", "evaluate",
                 "m.samara", "--in", "x.csv", "--target", "two.csv")
        self.bad("found no --in", "evaluate", "m.samara", "--target", "two.csv")
        self.bad("found 2 columns, expected the 4", "predict", "m.samara", "--in", "narrow.csv")
        self.bad("row 2, column 3: found nan, expected a number (a model that was trained with --missing mean fills", "predict", "m.samara", "--in", "nan.csv")
        self.bad("expected a sealed model", "predict", "x.csv", "--in", "x.csv")
        self.bad("cannot open", "predict", "none.samara", "--in", "x.csv")
        self.bad("found 2 columns", "evaluate", "m.samara", "--in", "narrow.csv", "--target", "label.csv")
        with open(self.path("m.samara"), "rb") as file:
            model = file.read()
        self.write("cut.samara", model[:-8])
        self.bad("expected a sealed model", "predict", "cut.samara", "--in", "x.csv")
        self.write("newer.samara", model[:8] + b"\x09" + model[9:])
        self.bad("version 9", "predict", "newer.samara", "--in", "x.csv")

    def test_targets_that_cannot_be_sealed(self):
        self.write("many.npy", npy([[0.5 * i] * 5000 for i in range(80)]))
        words = ("train", "rff:features=64", "--in", "x.csv", "--out", "m.samara", "--target")
        done = self.run_tool(*words, "many.npy")
        # Before the training: nothing else was said.
        self.assertEqual((done.returncode, done.stderr),
                         (2, "samara: many.npy: found 5000 columns of the target, expected at most 4096 targets\n"))
        self.write("large.csv", self.lines([[1.5 + 1.8e30 * (i % 2)] for i in range(80)]))
        self.bad("row 2, column 1 of the target: found 1.8e+30, expected a number of magnitude at most 1e+30", *words,
                 "large.csv")
        self.bad("--features: found 1000000 for 4000 outputs", "train", "rff:features=1000000", "--in", "x.csv", "--out",
                 "m.samara", "--target", self.of_columns(4000))

    def of_columns(self, columns):
        self.write("wide.npy", npy([[0.5 * i] * columns for i in range(80)]))
        return "wide.npy"

    def test_a_missing_target_is_named(self):
        # The data would be refused too, because of the words in them: the missing file is what is wrong.
        self.bad("--target: found 'nosuch.csv', of which there is no file", "train", "rff", "--in", "table.csv", "--out",
                 "m.samara", "--target", "nosuch.csv")
        self.bad("--target: found 'nosuch', expected a file, a column's number as in column:-1, or a column of x.csv", "train", "rff", "--in", "x.csv", "--out",
                 "m.samara", "--target", "nosuch")

    def test_targets_that_do_not_vary(self):
        self.write("same.csv", "2.5\n" * 80)
        self.write("both.csv", self.lines([[value, 2.5] for value in self.values]))
        for words in (("--readout", "int8"), ("--readout", "float16", "--test-in", "x.csv", "--test-target", "same.csv"),
                      ("--features", "auto"), ("--folds", "4"), ("--ridge", "cv")):
            said = self.train(*words, target="same.csv")
            self.assertNotIn("nan", said.stderr + said.stdout)
            self.assertIn("R2 not defined: the target has one value only", said.stderr)
        self.assertIn("R2 is not defined over 4 test folds", self.train("--folds", "4", target="same.csv").stdout)
        self.assertIn("R2    not defined: the target has one value only",
                      self.good("evaluate", "m.samara", "--in", "x.csv", "--target", "same.csv").stdout)
        self.assertIsNone(self.accuracy("--in", "x.csv", "--target", "same.csv")["r_squared"])
        self.train(target="both.csv")
        self.assertIn("the mean over 1 of 2 targets", self.good("evaluate", "m.samara", "--in", "x.csv", "--target",
                                                                "both.csv").stdout)
        self.assertGreater(self.accuracy("--in", "x.csv", "--target", "both.csv")["r_squared"], 0.9)

    def test_what_evaluate_prints(self):
        self.train()
        said = self.good("evaluate", "m.samara", "--in", "x.csv", "--target", "kinds.csv").stdout
        report = self.accuracy("--in", "x.csv", "--target", "kinds.csv")
        self.assertEqual(set(report), {"rows", "accuracy", "balanced_accuracy", "log_loss", "labels", "confusion", "classes"})
        (a, b), (c, d) = report["confusion"]
        self.assertAlmostEqual(report["accuracy"], (a + d) / 80, delta=1e-12)
        self.assertAlmostEqual(report["balanced_accuracy"], (a / (a + b) + d / (c + d)) / 2, delta=1e-12)
        self.assertIn("balanced accuracy  %.4g %%\n" % (100 * report["balanced_accuracy"]), said)
        self.assertRegex(said, r"left +%d +%.4g %% +%.4g %%" % (a + b, 100 * a / (a + b), 100 * a / (a + c)))
        self.assertNotRegex(said, r"[1-9]\d{4}")
        self.assertNotIn("R2", said)
        # Of many classes the worst ones.
        self.write("many.csv", "".join("k%d\n" % (i // 2) for i in range(80)))
        self.train(target="many.csv")
        said = self.good("evaluate", "m.samara", "--in", "x.csv", "--target", "many.csv").stdout
        self.assertIn("the 10 of 40 classes with the least recall", said)
        self.assertLess(said.count("\n"), 20)
        self.train(target="values.csv")
        said = self.good("evaluate", "m.samara", "--in", "x.csv", "--target", "values.csv").stdout
        report = self.accuracy("--in", "x.csv", "--target", "values.csv")
        self.assertEqual([line.split()[0] for line in said.splitlines()], ["rows", "RMSE", "MAE", "R2"])
        self.assertIn("RMSE  %.4g\n" % report["root_mean_squared_error"], said)
        self.assertAlmostEqual(report["root_mean_squared_error"] ** 2, report["mean_squared_error"], delta=1e-12)
        found = [float(line) for line in self.good("predict", "m.samara", "--in", "x.csv").stdout.split()]
        mean = sum(abs(a - b) for a, b in zip(found, self.values)) / 80
        self.assertAlmostEqual(report["mean_absolute_error"], mean, delta=1e-6)

    def test_the_score_is_that_of_what_is_sealed(self):
        with gzip.open(digits, "rt", encoding="ascii") as file:
            lines = file.readlines()
        self.write("learn.csv", "".join(lines[::2]))
        self.write("judge.csv", "".join(lines[1::2]))
        differ = 0
        for seed in range(8):
            said = self.good("train", "arccos:features=24", "--seed", str(seed), "--in", "learn.csv", "--target", "column:-1",
                             "--test-in", "judge.csv", "--readout", "int8", "--out", "m.samara").stderr
            own = self.accuracy("--in", "judge.csv", "--target", "column:-1")["accuracy"]
            self.assertIn("test: accuracy %.4g %% (%d rows)" % (100 * own, len(lines) // 2), said)
            sealed, full = re.search(r"accuracy (\S+) % against float32's (\S+) %, on \d+ test rows", said).groups()
            self.assertEqual(sealed, "%.4g" % (100 * own))
            differ += sealed != full
        self.assertGreater(differ, 0)

    def test_labels_of_others_cannot_command_a_terminal(self):
        labels = [b"\x1b]0!owned\x07", "\u202eneddih".encode(), b"st\xffray", "\u00e9\u4e2d".encode()]
        self.write("odd.csv", b"".join(labels[i % 4] + b"\n" for i in range(80)))
        self.good("train", "rff:features=64", "--in", "x.csv", "--target", "odd.csv", "--out", "m.samara")
        shown = ["\\x1b]0!owned\\x07", "\\u202eneddih", "st\\xffray", "\u00e9\u4e2d"]
        for words in (("inspect", "m.samara"), ("evaluate", "m.samara", "--in", "x.csv", "--target", "odd.csv")):
            said = self.good(*words).stdout
            for label in shown:
                self.assertIn(label, said)
            self.assertNotRegex(said, "[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]")
        self.assertTrue(self.good("evaluate", "m.samara", "--in", "x.csv", "--target", "odd.csv", "--json").stdout.isascii())
        # A file has them as they are, and so has a pipe.
        self.good("predict", "m.samara", "--in", "x.csv", "--out", "y.csv")
        with open(self.path("y.csv"), "rb") as file:
            written = file.read()
        self.assertLessEqual(set(written.splitlines()), set(labels))
        self.assertGreater(len(set(written.splitlines())), 2)
        self.assertEqual(subprocess.run([tool, "predict", "m.samara", "--in", "x.csv"], cwd=self.place, check=True,
                                        capture_output=True, timeout=60).stdout, written)
        ours, theirs = pty.openpty()
        with subprocess.Popen([tool, "predict", "m.samara", "--in", "x.csv"], cwd=self.place, stdout=theirs) as process:
            os.close(theirs)
            seen = b""
            try:
                while part := os.read(ours, 4096):
                    seen += part
            except OSError:
                pass  # what Linux says when the other end has gone
            self.assertEqual(process.wait(), 0)
        os.close(ours)
        self.assertEqual({line.decode() for line in seen.splitlines()}, {
            shown[labels.index(line)] for line in written.splitlines()})
        self.write("new.csv", b"\x1b[2J\n" * 80)
        self.bad("found the class '\\x1b[2J'", "evaluate", "m.samara", "--in", "x.csv", "--target", "new.csv")

    def test_interrupts_leave_nothing(self):
        numbers = random.Random(2)
        rows = [[numbers.random() for _ in range(8)] for _ in range(20000)]
        self.write("long.npy", npy(rows))
        self.write("long_y.npy", npy([[row[0]] for row in rows]))
        before = sorted(os.listdir(self.place))
        for number in (signal.SIGINT, signal.SIGTERM):
            with subprocess.Popen([tool, "train", "rff:features=4096", "--in", "long.npy", "--target", "long_y.npy",
                                   "--out", "m.samara"], cwd=self.place, stderr=subprocess.DEVNULL) as process:
                time.sleep(0.5)
                process.send_signal(number)
                self.assertEqual(process.wait(20), -number)
            self.assertEqual(sorted(os.listdir(self.place)), before)

    def test_help(self):
        for command in ("train", "evaluate", "predict"):
            self.assertIn("usage: samara " + command, self.good(command, "--help").stdout)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""test_loss_command.py SAMARA: losses of classes, weights and groups of rows, probabilities, and what is said of them."""
import json
import math
import os
import random
import re
import struct
import unittest

from tool_case import ToolCase

digits = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../examples/data/digits.csv.gz")
MAP = "arccos:features=48,orders=none"


class Losses(ToolCase):
    def setUp(self):
        super().setUp()
        numbers = random.Random(4)
        self.rows = []
        for i in range(240):
            kind = numbers.choices(("few", "many"), (1, 7))[0]
            x = [numbers.gauss(0.9 if kind == "few" else -0.2, 1) for _ in range(3)]
            self.rows.append([*x, numbers.choice((0, 1, 1, 3)), "person %d" % (i // 30), kind])
        self.table("t.csv", self.rows)
        self.table("plain.csv", [row[:3] + row[5:] for row in self.rows], "a,b,c,kind")
        self.table("x.csv", [row[:3] for row in self.rows], "a,b,c")

    def table(self, name, rows, header="a,b,c,often,who,kind"):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(header + "\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))

    def train(self, *words, data="t.csv", out="m.samara", beside=("--weights", "often", "--groups", "who")):
        return self.good("train", MAP, "--in", data, "--target", "kind", "--out", out, "--threads", "1", *beside, *words)

    def inspected(self, model="m.samara"):
        return json.loads(self.good("inspect", model, "--json").stdout)

    def evaluated(self, model="m.samara", data="plain.csv"):
        return json.loads(self.good("evaluate", model, "--in", data, "--target", "kind", "--json").stdout)

    def bytes_of(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def test_losses(self):
        plain = {"data": "plain.csv", "beside": ()}
        for loss, said in (("auto", "logistic loss"), ("logistic", "logistic loss"), ("hinge", "hinge loss"), ("squared", None)):
            done = self.train("--loss", loss, **plain)
            self.assertIn("240 rows, 48 features, " + (said or "ridge"), done.stderr)
            self.assertGreater(self.evaluated()["accuracy"], 0.85)
            # Of a loss of classes what makes probabilities is sealed.
            self.assertEqual(self.inspected()["probability_scale"] is None, loss == "squared", loss)
        # Squared is what it is without a word where the ridge is found by what is true of it alone, and of values.
        for words in (("--ridge", "loo"), ("--ridge", "rule"), ("--task", "classify", "--ridge", "loo")):
            self.assertNotIn("loss", self.train(*words, **plain).stderr)
        self.good("train", MAP, "--in", "x.csv", "--target", "c", "--out", "v.samara")
        self.assertEqual(self.inspected("v.samara")["task"], "regress")
        for ridge in ("cv", "holdout", "1e-3", "auto"):
            said = self.train("--loss", "logistic", "--ridge", ridge, **plain).stderr
            self.assertIn("of rows left out", said)
        # Rows apart choose, and make the probabilities.
        valid = self.train("--valid-in", "plain.csv", **plain).stderr
        self.assertIn("by the validation rows, log-loss", valid)
        for part, words in (("--loss: found 'absolute'", ("--loss", "absolute")),
                            ("--ridge: found loo with --loss logistic", ("--loss", "logistic", "--ridge", "loo")),
                            ("--ridge: found rule with --loss hinge", ("--loss", "hinge", "--ridge", "rule")),
                            ("--loss: found hinge with --epochs", ("--loss", "hinge", "--epochs", "2")),
                            ("--exact: found it with --loss logistic", ("--loss", "logistic", "--exact", "--folds", "2")),
                            ("--loss: found 'mse', which samara calls squared", ("--loss", "mse")),
                            ("which samara calls logistic", ("--loss", "log_loss")),
                            ("which samara calls --balance", ("--class-weight", "balanced")),
                            ("which samara calls --weights", ("--sample_weight", "often"))):
            self.bad(part, "train", MAP, "--in", "plain.csv", "--target", "kind", "--out", "n.samara", *words)
        for option in ("--loss=logistic", "--balance", "--probabilities"):
            self.bad("for a target of values, expected classes", "train", MAP, "--in", "x.csv", "--target", "c", "--out",
                     "n.samara", option)

    def test_digits(self):
        found = {}
        for loss in ("squared", "logistic", "hinge"):
            folds = json.loads(self.good("train", "arccos:features=64,orders=none", "--in", digits, "--target", "column:-1",
                                         "--folds", "3", "--scale", "centre", "--loss", loss, "--json").stdout)["folds"]
            self.assertEqual((folds["measure"], len(folds["scores"])), ("accuracy", 3))
            self.assertAlmostEqual(folds["mean"], sum(fold["accuracy"] for fold in folds["scores"]) / 3, places=9)
            found[loss] = folds["mean"]
        # With few features the losses of classes are clearly better.
        self.assertGreater(found["logistic"], found["squared"] + 0.01)
        self.assertGreater(found["hinge"], found["squared"] + 0.01)

    def test_weights(self):
        # A row that counts three times is as three rows, one that counts 0 as none, of every loss and both forms.
        self.weighted()
        copies = [row for row in self.rows for _ in range(row[3])]
        self.table("copies.csv", [row[:3] + row[5:] for row in copies], "a,b,c,kind")
        for features in ("48", "400"):
            for loss in ("squared", "logistic", "hinge"):
                words = ("--ridge", "1e-2", "--features", features, "--loss", loss)
                self.train(*words, beside=("--weights", "often"), data="weighted.csv")
                self.train(*words, data="copies.csv", beside=(), out="copies.samara")
                scores = [list(map(float, line.split(","))) for model in ("m.samara", "copies.samara") for line in
                          self.good("predict", model, "--in", "x.csv", "--scores").stdout.splitlines()[1:]]
                half = len(scores) // 2
                worst = max(abs(a - b) for one, other in zip(scores[:half], scores[half:]) for a, b in zip(one, other))
                self.assertLess(worst, 0.02 if loss != "squared" else 2e-3, (features, loss))
        # The same as a file, with units of its own.
        self.table("often.csv", [[1000 * row[3]] for row in self.rows], "often")
        self.train("--ridge", "1e-2", beside=("--weights", "often.csv"), data="plain.csv", out="file.samara")
        self.train("--ridge", "1e-2", beside=("--weights", "often"), data="weighted.csv")
        self.assertEqual(self.evaluated("file.samara")["confusion"], self.evaluated()["confusion"])
        for value, found in (("-1", "found -1 in row 3"), ("nan", "found nan in row 3"), ("some", "found 'some' in row 3"),
                             ("1e31", "found 1e+31 in row 3")):
            rows = [[*row[:4], row[5]] for row in self.rows]
            rows[2][3] = value
            self.table("w.csv", rows, "a,b,c,often,kind")
            self.bad("--weights: " + found + " of w.csv", "train", MAP, "--in", "w.csv", "--target", "kind", "--weights",
                     "often", "--out", "n.samara")
        self.table("w.csv", [[*row[:3], 0, row[5]] for row in self.rows], "a,b,c,often,kind")
        self.bad("--weights: found 0 in every row", "train", MAP, "--in", "w.csv", "--target", "kind", "--weights", "often",
                 "--out", "n.samara")
        for part, words in (("--weights: found 'never', expected", ("never",)), ("--weights: found 'a,b'", ("a,b",)),
                            ("for --weights and for something else", ("kind",)),
                            ("--weights: found 'no.npy', of which there is no file", ("no.npy",))):
            self.bad(part, "train", MAP, "--in", "plain.csv", "--target", "kind", "--out", "n.samara", "--weights", *words)
        self.table("short.csv", [[1]] * 7, "often")
        self.bad("short.csv: found 7 rows", "train", MAP, "--in", "plain.csv", "--target", "kind", "--out", "n.samara",
                 "--weights", "short.csv")

    def weighted(self):
        self.table("weighted.csv", [[*row[:4], row[5]] for row in self.rows], "a,b,c,often,kind")

    def test_balance(self):
        recalls = {}
        for loss in ("squared", "logistic", "hinge"):
            for words in ((), ("--balance",)):
                self.train("--loss", loss, *words, data="plain.csv", beside=())
                few = self.evaluated()["classes"][0]
                self.assertEqual(few["label"], "few")
                recalls[loss, words] = few["recall"]
            # One row in eight is of the class; they count as much as the others now.
            self.assertGreater(recalls[loss, ("--balance",)], recalls[loss, ()] + 0.1, loss)
        # With --weights it is the sum of the weights that is the same of each class; and by steps, too.
        self.weighted()
        self.train("--balance", data="weighted.csv", beside=("--weights", "often"))
        self.assertGreater(self.evaluated()["classes"][0]["recall"], 0.6)
        self.train("--balance", "--epochs", "20", data="plain.csv", beside=())
        self.assertGreater(self.evaluated()["classes"][0]["recall"], 0.6)

    def test_groups(self):
        # Each person has an answer of their own, and rows that lie close together: to whom the rows of a person are
        # known, the answer is easy, else it is a guess.
        numbers = random.Random(8)
        rows = []
        for person in range(24):
            place = [numbers.gauss(0, 3) for _ in range(3)]
            rows += [[*(p + numbers.gauss(0, 0.05) for p in place), person, "yes" if person % 2 else "no"] for _ in range(8)]
        numbers.shuffle(rows)
        self.table("p.csv", rows, "a,b,c,person,kind")
        self.table("q.csv", [row[:3] + row[4:] for row in rows], "a,b,c,kind")
        self.table("who.csv", [[row[3]] for row in rows], "who")
        alike = ("train", "rff:features=200,bandwidth=1", "--target", "kind", "--json")
        common = (*alike, "--folds", "4")
        mean = {}
        for loss in ("squared", "logistic"):
            for groups, data in (((), "q.csv"), (("--groups", "person"), "p.csv"), (("--groups", "who.csv"), "q.csv")):
                done = json.loads(self.good(*common, "--in", data, "--loss", loss, *groups).stdout)
                mean[loss, groups[-1:]] = done["folds"]["mean"]
                # Parts are about as large as each other.
                sizes = [fold["rows"] for fold in done["folds"]["scores"]]
                self.assertEqual((sum(sizes), max(sizes)), (192, 48))
            self.assertGreater(mean[loss, ()], 0.95)
            self.assertLess(mean[loss, ("person",)], 0.8)
            self.assertAlmostEqual(mean[loss, ("person",)], mean[loss, ("who.csv",)], places=9)
        # Where a split must be made inside a training, groups stay together there, too: the ridge that it chooses expects
        # little, and the error on its left-out rows says so.
        for method in ("cv", "holdout", "auto"):
            errors = []
            for groups, data in (((), "q.csv"), (("--groups", "person"), "p.csv")):
                done = json.loads(self.good("train", "rff:features=200,bandwidth=1", "--in", data, "--target", "kind", "--out",
                                            "g.samara", "--ridge", method, "--json", *groups).stdout)
                errors.append(done["readout"]["left_out_wrong"])
            self.assertLess(errors[0], 0.05)
            self.assertGreater(errors[1], 0.15, method)
        # No more folds than groups; where training parts the rows for itself, there may be fewer parts than it wants.
        self.table("two.csv", [[*row[:3], row[3] % 2 + 4 * (row[3] == 0), row[4]] for row in rows], "a,b,c,person,kind")
        self.bad("--folds: found 4 folds for the 3 groups of --groups, expected at most one fold a group", *common, "--in",
                 "two.csv", "--groups", "person", "--loss", "squared")
        done = json.loads(self.good(*alike, "--in", "two.csv", "--groups", "person", "--loss", "logistic", "--folds",
                                    "3").stdout)
        self.assertEqual(len(done["folds"]["scores"]), 3)
        self.table("one.csv", [[*row[:3], "me", row[4]] for row in rows], "a,b,c,person,kind")
        self.bad("--groups: found 'me' in every row of one.csv", *common, "--in", "one.csv", "--groups", "person")
        self.bad("--ridge: found loo with --groups", *common, "--in", "p.csv", "--groups", "person", "--ridge", "loo")

    def test_probabilities(self):
        self.train(data="plain.csv", beside=())
        lines = self.good("predict", "m.samara", "--in", "x.csv", "--probabilities").stdout.splitlines()
        self.assertEqual(lines[0], "few,many")
        probabilities = [list(map(float, line.split(","))) for line in lines[1:]]
        scores = [list(map(float, line.split(","))) for line in
                  self.good("predict", "m.samara", "--in", "x.csv", "--scores").stdout.splitlines()[1:]]
        scale = self.inspected()["probability_scale"]
        self.assertEqual(struct.unpack("<f", struct.pack("<f", scale))[0], scale)
        loss = 0.0
        for row, p, s in zip(self.rows, probabilities, scores):
            self.assertAlmostEqual(sum(p), 1, places=5)
            self.assertAlmostEqual(p[0], 1 / (1 + math.exp(scale * (s[1] - s[0]))), places=4)
            loss -= math.log(p[0 if row[5] == "few" else 1]) / len(self.rows)
        report = self.evaluated()
        self.assertAlmostEqual(report["log_loss"], loss, places=4)
        self.assertLess(loss, 0.5)
        text = self.good("evaluate", "m.samara", "--in", "plain.csv", "--target", "kind").stdout
        self.assertIn("log-loss           %.4g\n" % report["log_loss"], text)
        self.assertIn("probabilities", self.good("inspect", "m.samara").stdout)
        # Of other readouts of the same scores the scale is the same word.
        self.train("--readout", "int8", data="plain.csv", beside=(), out="8.samara")
        self.assertAlmostEqual(self.inspected("8.samara")["probability_scale"], scale, places=6)

        self.train("--loss", "squared", data="plain.csv", beside=(), out="s.samara")
        self.assertIsNone(self.evaluated("s.samara")["log_loss"])
        self.bad("s.samara: found nothing that makes probabilities", "predict", "s.samara", "--in", "x.csv", "--probabilities")
        said = self.train("--loss", "squared", "--probabilities", data="plain.csv", beside=(), out="s.samara").stderr
        self.assertIn("log-loss", said)
        self.assertLess(self.evaluated("s.samara")["log_loss"], 0.5)
        self.good("train", MAP, "--in", "x.csv", "--target", "c", "--out", "v.samara")
        self.bad("v.samara: found a model of values", "predict", "v.samara", "--in", "x.csv", "--probabilities")
        self.bad("--probabilities: found it with --scores", "predict", "m.samara", "--in", "x.csv", "--probabilities", "--scores")
        for part, words in (("--probabilities: found it without --out", ("--folds", "2")),
                            ("--probabilities: found it with --exact", ("--exact", "--folds", "2")),
                            ("--probabilities: found it with --epochs", ("--epochs", "2", "--out", "n.samara"))):
            self.bad(part, "train", MAP, "--in", "plain.csv", "--target", "kind", "--probabilities", *words)
        # Probabilities say how often they are right: of many rows like these.
        numbers = random.Random(5)
        rows = []
        for _ in range(4000):
            kind = numbers.choices(("few", "many"), (1, 7))[0]
            rows.append([*(numbers.gauss(0.9 if kind == "few" else -0.2, 1) for _ in range(3)), kind])
        self.table("more.csv", rows, "a,b,c,kind")
        self.table("more_x.csv", [row[:3] for row in rows], "a,b,c")
        for model in ("m.samara", "s.samara"):
            lines = self.good("predict", model, "--in", "more_x.csv", "--probabilities").stdout.splitlines()[1:]
            expected = sum(float(line.split(",")[0]) for line in lines) / len(lines)
            self.assertAlmostEqual(expected, sum(row[3] == "few" for row in rows) / len(rows), delta=0.05)

    def test_whole_numbers(self):
        # Readouts in whole numbers follow the scores of each loss, of chosen features too, and keep its probabilities.
        accuracy = {}
        digit = lambda model, *more: json.loads(self.good("evaluate", model, "--in", digits, "--target", "column:-1", "--json",
                                                          *more).stdout)
        for loss in ("logistic", "hinge", "squared"):
            for readout in ("int8", "int4"):
                for words in ((), ("--candidates", "128")):
                    said = self.good("train", "arccos:numbers=int8,orders=none", "--in", digits, "--target", "column:-1",
                                     "--scale", "global", "--features", "48", "--loss", loss, "--readout", readout,
                                     "--threads", "1", "--out", "w.samara", *words).stderr
                    self.assertEqual("chosen of 128" in said, bool(words), said)
                    report = digit("w.samara")
                    accuracy[loss, readout, words] = report["accuracy"]
                    self.assertEqual(report["log_loss"] is None, loss == "squared")
                    inspected = self.inspected("w.samara")
                    self.assertEqual(inspected["readout"], readout + ", whole numbers")
                    self.assertEqual(inspected["input_scaling"][:24], "rounded to whole numbers")
                    # What float32 would have, of the same fit.
                    both = [float(v) for v in re.search("accuracy ([0-9.]+) % against float32's ([0-9.]+) %", said).groups()]
                    self.assertLess(abs(both[0] - both[1]), 1.0 if readout == "int8" else 2.0, said)
            if loss == "logistic":
                self.assertLess(report["log_loss"], 0.15)
        for readout in ("int8", "int4"):
            self.assertGreater(accuracy["logistic", readout, ()], accuracy["squared", readout, ()] + 0.02)
            self.assertGreater(accuracy["logistic", readout, ("--candidates", "128")], 0.97)

    def test_whole_fourier_features(self):
        # Of either form, chosen or not, as classes and as values; and what is refused.
        for form in ("pair", "phase"):
            for words in ((), ("--candidates", "256")):
                said = self.good("train", f"rff:numbers=int8,form={form},bandwidth=400", "--in", digits, "--target", "column:-1",
                                 "--scale", "global", "--features", "64", "--readout", "int8", "--threads", "1",
                                 "--out", "w.samara", *words).stderr
                both = [float(v) for v in re.search("accuracy ([0-9.]+) % against float32's ([0-9.]+) %", said).groups()]
                self.assertLess(abs(both[0] - both[1]), 1.0, said)
                inspected = self.inspected("w.samara")
                self.assertEqual(inspected["readout"], "int8, whole numbers")
                report = json.loads(self.good("evaluate", "w.samara", "--in", digits, "--target", "column:-1", "--json").stdout)
                self.assertGreater(report["accuracy"], 0.96)
        numbers = random.Random(5)
        rows = [[numbers.gauss(0, 1) for _ in range(4)] for _ in range(600)]
        self.table("waves.csv", [[*row, math.sin(row[0] + row[1]) * math.cos(row[2])] for row in rows], "a,b,c,d,value")
        for bandwidth in ("auto", "80"):
            self.good("train", f"rff:numbers=int8,bandwidth={bandwidth}", "--in", "waves.csv", "--target", "column:value",
                      "--task", "regress", "--scale", "standardise", "--features", "256", "--readout", "int8", "--threads", "1",
                      "--out", "v.samara")
            report = json.loads(self.good("evaluate", "v.samara", "--in", "waves.csv", "--target", "column:value", "--json").stdout)
            self.assertGreater(report["r_squared"], 0.9)
        for wrong, word in (("kernel=laplacian", "gaussian"), ("rows=dense", "auto or hadamard"), ("orders=1", "auto or none"),
                            ("bandwidth=0.5", "1 to 65536")):
            self.bad(word + " with numbers=int8", "train", f"rff:numbers=int8,{wrong}", "--in", "waves.csv",
                     "--target", "column:value", "--out", "n.samara")

    def test_whole_powers(self):
        # Products and sums in whole numbers, as classes and as values; and what is refused.
        for powers, words, least in (
            ("degree=2", ("--features", "128", "--readout", "int8"), 0.98),
            ("degree=2,offset=20000", ("--features", "256", "--readout", "int4"), 0.98),
            ("degree=2", ("--candidates", "1024", "--features", "128", "--readout", "int8"), 0.985),
            ("degree=1", ("--features", "64", "--readout", "int8"), 0.95),
            ("degree=1,sketch=count,offset=0", ("--features", "64", "--readout", "int8"), 0.85),
        ):
            said = self.good("train", f"polynomial:numbers=int8,{powers}", "--in", digits, "--target", "column:-1", "--scale", "global",
                             "--loss", "logistic", "--threads", "1", "--out", "w.samara", *words).stderr
            both = [float(v) for v in re.search("accuracy ([0-9.]+) % against float32's ([0-9.]+) %", said).groups()]
            self.assertLess(abs(both[0] - both[1]), 1.5, said)
            self.assertEqual(self.inspected("w.samara")["readout"], f"{words[-1]}, whole numbers")
            report = json.loads(self.good("evaluate", "w.samara", "--in", digits, "--target", "column:-1", "--json").stdout)
            self.assertGreater(report["accuracy"], least, powers)
        numbers = random.Random(5)
        rows = [[numbers.gauss(0, 1) for _ in range(4)] for _ in range(400)]
        self.table("powers.csv", [[*row, 3 * row[0] * row[1] - row[2] + row[3] * row[3]] for row in rows], "a,b,c,d,value")
        self.good("train", "polynomial:numbers=int8,degree=2,offset=1024", "--in", "powers.csv", "--target", "column:value", "--task",
                  "regress", "--scale", "standardise", "--features", "128", "--readout", "int8", "--threads", "1", "--out", "v.samara")
        report = json.loads(self.good("evaluate", "v.samara", "--in", "powers.csv", "--target", "column:value", "--json").stdout)
        self.assertGreater(report["r_squared"], 0.98)
        for wrong, words in (("degree=3", "degree: found '3', expected 1 or 2 with numbers=int8"),
                             ("sketch=count", "sketch: found 'count', expected srht with numbers=int8 and degree=2"),
                             ("scale=2", "scale: found '2', expected 1 with numbers=int8"), ("orders=1", "auto or none with numbers=int8"),
                             ("offset=1e9", "at most 33554432 with numbers=int8"),
                             ("features=5000", "features: found '5000', expected with numbers=int8 at most the square of the inputs"),
                             ("degree=1,features=65", "the nearest is 64"),
                             ("degree=1,sketch=count,features=100", "a power of two up to 65536")):
            self.bad(words, "train", f"polynomial:numbers=int8,{wrong}", "--in", "powers.csv", "--target", "column:value",
                     "--out", "n.samara")

    def test_features_that_do_not_fit(self):
        # Made anew for each pass over the rows where they are more than the memory: the same readout, up to rounding.
        for loss in ("logistic", "hinge"):
            scores = []
            for memory in ("1G", "3M"):
                self.good("train", "arccos:features=512,orders=none", "--in", digits, "--target", "column:-1", "--ridge", "1",
                          "--loss", loss, "--most-memory", memory, "--threads", "1", "--out", "k.samara")
                report = json.loads(self.good("evaluate", "k.samara", "--in", digits, "--target", "column:-1", "--json").stdout)
                scores.append((report["accuracy"], report["log_loss"]))
            self.assertAlmostEqual(scores[0][0], scores[1][0], delta=2e-3)
            self.assertAlmostEqual(scores[0][1], scores[1][1], delta=2e-3)
            self.assertGreater(scores[1][0], 0.95)

    def test_search(self):
        # Without a map: the loss that is asked for is the one that maps are judged and the readout is fitted by.
        for words, found in (((), "logistic loss"), (("--loss", "hinge"), "hinge loss"), (("--loss", "squared"), "leave-one-out")):
            said = self.good("train", "--in", "plain.csv", "--target", "kind", "--features", "32", "--out", "any.samara",
                             "--balance", "--threads", "1", *words).stderr
            self.assertIn("samara: map: ", said)
            self.assertIn(found, said)
            self.assertGreater(self.evaluated("any.samara")["balanced_accuracy"], 0.6)

    def test_bad_losses(self):
        common = ("train", MAP, "--in", "x.csv", "--target", "c", "--out", "n.samara")
        for loss in ("logistic", "hinge"):
            self.bad("--loss: found %s for a target of values, expected classes" % loss, *common, "--loss", loss)
        self.bad("--balance: found it for a target of values", *common, "--balance")
        self.bad("--probabilities: found it for a target of values", *common, "--probabilities")
        common = ("train", MAP, "--in", "plain.csv", "--target", "kind", "--out", "n.samara")
        self.bad("--loss: found 'cubic'", *common, "--loss", "cubic")
        self.bad("--ridge: found loo with --loss hinge", *common, "--loss", "hinge", "--ridge", "loo")
        self.bad("--ridge: found rule with --loss logistic", *common, "--loss", "logistic", "--ridge", "rule")
        self.bad("--groups: found 'nobody', expected", *common, "--groups", "nobody")
        self.bad("--groups: found 'none.npy', of which there is no file", *common, "--groups", "none.npy")

    def test_few_rows(self):
        for count in (2, 3, 5):
            rows = [[*(float(i + j) for j in range(3)), "ab"[i % 2]] for i in range(count)]
            self.table("small.csv", rows, "a,b,c,kind")
            self.good("train", MAP, "--in", "small.csv", "--target", "kind", "--out", "m.samara", "--loss", "logistic")
            self.assertEqual(self.evaluated("m.samara", "small.csv")["rows"], count)
        # Inputs that do not vary: every row is of the commonest class.
        self.table("same.csv", [[1, 1, 1, kind] for kind in "abbab" * 6], "a,b,c,kind")
        self.good("train", MAP, "--in", "same.csv", "--target", "kind", "--out", "m.samara")
        self.assertEqual(self.evaluated("m.samara", "same.csv")["confusion"], [[0, 12], [0, 18]])

    def test_reports(self):
        self.train("--test-in", "plain.csv", data="plain.csv", beside=())
        done = json.loads(self.good("train", MAP, "--in", "plain.csv", "--target", "kind", "--out", "m.samara", "--test-in",
                                    "plain.csv", "--valid-in", "plain.csv", "--folds", "2", "--json").stdout)
        self.assertEqual(list(done), ["folds", "rows", "features", "map", "readout", "probability_scale", "training",
                                      "validation", "test", "model", "seconds"])
        self.assertEqual(list(done["readout"]), ["loss", "ridge", "ridge_method", "left_out_log_loss", "left_out_wrong"])
        self.assertEqual((done["rows"], done["model"]["file"], done["model"]["readout"]), (240, "m.samara", "float32"))
        self.assertEqual(done["model"]["bytes"], os.path.getsize(self.path("m.samara")))
        report = self.evaluated()
        self.assertEqual(done["test"], report)
        self.assertEqual(list(report), ["rows", "accuracy", "balanced_accuracy", "log_loss", "labels", "confusion", "classes"])
        for k, one in enumerate(report["classes"]):
            right, rows = report["confusion"][k][k], sum(report["confusion"][k])
            predicted = sum(row[k] for row in report["confusion"])
            self.assertEqual((one["rows"], one["predicted"]), (rows, predicted))
            self.assertAlmostEqual(one["recall"], right / rows)
            self.assertAlmostEqual(one["precision"], right / predicted)
            self.assertAlmostEqual(one["f1"], 2 * one["recall"] * one["precision"] / (one["recall"] + one["precision"]))
        self.assertAlmostEqual(report["balanced_accuracy"], sum(c["recall"] for c in report["classes"]) / 2)
        text = self.good("evaluate", "m.samara", "--in", "plain.csv", "--target", "kind").stdout
        self.assertIn("recall  precision", text)
        self.assertIn("F1", text)
        # A class that there are no rows of, and one that is never predicted, have nothing to divide by.
        self.table("few.csv", [row[:3] + row[5:] for row in self.rows if row[5] == "many"][:5], "a,b,c,kind")
        few = self.evaluated(data="few.csv")["classes"][0]
        self.assertEqual((few["rows"], few["recall"]), (0, None))
        inspected = self.inspected()
        self.assertEqual(inspected["flash_bytes"], os.path.getsize(self.path("m.samara")))
        self.assertEqual((inspected["labels"], inspected["inputs"], inspected["features"]), (["few", "many"], 3, 48))
        # Values.
        self.table("v.csv", [[*row[:2], row[0] - 2 * row[1]] for row in self.rows], "a,b,value")
        done = json.loads(self.good("train", MAP, "--in", "v.csv", "--target", "value", "--out", "v.samara", "--json").stdout)
        self.assertEqual(done["readout"]["loss"], "squared")
        self.assertGreater(done["training"]["r_squared"], 0.9)


if __name__ == "__main__":
    unittest.main()

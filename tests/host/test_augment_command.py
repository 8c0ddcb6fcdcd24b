#!/usr/bin/env python3
"""test_augment_command.py SAMARA: samara train --augment, copies of training rows."""
import json
import os
import random
import re
import struct
import unittest

from tool_case import ToolCase


def npy(path, shape, values):
    """A file of float32."""
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {tuple(shape)}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() +
                   struct.pack(f"<{len(values)}f", *values))


class Augment(ToolCase):
    def bumps(self, name, rows, seed, places):
        """Series of 40 places with a bump up or down and noise; where it is differs."""
        numbers = random.Random(seed)
        values, kinds = [], []
        for i in range(rows):
            row = [numbers.gauss(0, 0.5) for _ in range(40)]
            at = numbers.choice(places)
            for k in range(6):
                row[at + k] += 3 if i % 2 else -3
            values += row
            kinds.append(i % 2)
        npy(self.path(name + ".npy"), [rows, 40], values)
        npy(self.path(name + "s.npy"), [rows, 1, 40], values)
        npy(self.path(name + "i.npy"), [rows, 5, 8, 1], values)
        with open(self.path(name + ".csv"), "w", encoding="ascii") as file:
            file.write("kind\n" + "".join(f"{k}\n" for k in kinds))

    def setUp(self):
        super().setUp()
        self.bumps("a", 30, 1, [17])
        self.bumps("b", 200, 2, range(9, 26))

    def train(self, mapping, *words, data="a"):
        return self.good("train", mapping, "--in", data + ".npy", "--target", "a.csv", "--test-in", "b.npy",
                         "--test-target", "b.csv", "--out", "m.samara", *words)

    def accuracy(self, result):
        return float(re.findall(r"test: accuracy ([0-9.]+) %", result.stderr)[-1])

    def test_what_moves_is_learned_from_rows_that_do_not(self):
        # A map that does not know places: from bumps at one place it learns those elsewhere by copies alone.
        plain = self.accuracy(self.train("arccos:features=128"))
        moved = self.train("arccos:features=128", "--augment", "channels=1,shift=10,copies=20")
        self.assertIn("30 rows, each with 20 copies, 128 features", moved.stderr)
        self.assertGreater(self.accuracy(moved), plain + 10)
        # Steps of AdaGrad see another copy in each round.
        words = ["--epochs", "25"]
        plain = self.accuracy(self.train("arccos:features=128", *words))
        moved = self.train("arccos:features=128", "--augment", "channels=1,shift=10", *words)
        self.assertGreater(self.accuracy(moved), plain + 10)

    def test_the_same_bytes_of_the_same_seed(self):
        words = ["--features", "12", "--candidates", "128", "--augment", "shift=2,noise=0.1,scale=0.1,copies=3"]
        sealed = []
        for more in (["--threads", "1"], ["--threads", "2"], ["--seed", "1"]):
            self.train("local:channels=1", *words, *more)
            with open(self.path("m.samara"), "rb") as file:
                sealed.append(file.read())
        self.assertEqual(sealed[0], sealed[1])
        self.assertNotEqual(sealed[0], sealed[2])

    def test_who_says_what_a_row_is(self):
        words = ["--augment", "shift=2,noise=0.05,copies=2", "--features", "64"]
        for mapping, data in [("local:channels=1", "a"), ("local", "ai"), ("local:height=5", "a"),
                              ("cntk:height=1,form=features", "a"), ("cntk:form=features", "ai"),
                              ("skeleton:patch=3,length=40", "a"), ("skeleton:patch=2x2,height=5,width=8", "a"),
                              ("arccos", "ai"), ("rff", "ai")]:
            said = self.train(mapping, *words, data=data).stderr
            self.assertIn("30 rows, each with 2 copies", said, mapping)
        said = self.train("arccos", "--augment", "height=5,shift=1,copies=1", "--features", "8").stderr
        self.assertIn("30 rows, each with 1 copy", said)

    def test_judged_are_the_rows_themselves(self):
        # Copies of so much noise that nobody tells their classes: among them about half of the judged ones were wrong.
        words = ["--augment", "channels=1,noise=8,copies=6", "--features", "64", "--ridge", "cv", "--json"]
        said = self.good("train", "arccos", "--in", "b.npy", "--target", "b.csv", "--folds", "4", "--out", "m.samara",
                         *words)
        found = json.loads(said.stdout)
        self.assertEqual((found["rows"], found["copies"], found["training"]["rows"]), (200, 6, 200))
        self.assertEqual(sum(fold["rows"] for fold in found["folds"]["scores"]), 200)
        self.assertLess(found["readout"]["left_out_wrong"], 0.2)
        # The sealed model is scored as it is evaluated, on rows alone.
        evaluated = self.good("evaluate", "m.samara", "--in", "b.npy", "--target", "b.csv")
        self.assertIn(f"{100 * found['training']['accuracy']:.4g} %", evaluated.stdout + evaluated.stderr)

    def test_sweep_and_budget(self):
        said = self.good("sweep", "arccos", "--sizes", "8", "--in", "a.npy", "--target", "a.csv", "--augment",
                         "channels=1,shift=3,copies=2")
        self.assertIn("arccos", said.stdout)
        self.good("train", "--flash", "20K", "--in", "a.npy", "--target", "a.csv", "--out", "m.samara", "--augment",
                  "channels=1,shift=3,copies=1")

    def test_refusals(self):
        with open(self.path("flat.csv"), "w", encoding="ascii") as file:
            file.write("".join(f"{i},{i % 3},{i % 2}\n" for i in range(20)))
        training = ["--in", "a.npy", "--target", "a.csv", "--out", "m.samara"]
        for part, words in [
                ("half of the shortest side", ["train", "local:channels=1", "--augment", "shift=21", *training]),
                ("at most 2, half", ["train", "local:height=5", "--augment", "shift=3", *training]),
                ("expected height=5 with it for images", ["train", "arccos", "--augment", "shift=1", "--in", "b2.npy",
                                                          "--target", "b2.csv", "--out", "m.samara"]),
                ("without a shape", ["train", "rff", "--augment", "shift=1", *training]),
                ("without a shape", ["train", "rff", "--augment", "noise=0.1", "--in", "flat.csv", "--target",
                                     "column:3", "--out", "m.samara"]),
                ("sizes of 1 channel of 20", ["train", "local:channels=1", "--augment", "shift=1,length=20,channels=2",
                                              *training]),
                ("expected the 40 columns", ["train", "arccos", "--augment", "shift=1,length=30", *training]),
                ("did you mean 'shift'", ["train", "arccos", "--augment", "shfit=1,length=40", *training]),
                ("expected KEY=N", ["train", "arccos", "--augment", "shift", *training]),
                ("copies: found '0'", ["train", "arccos", "--augment", "shift=1,copies=0", *training]),
                ("shift: found '1.5'", ["train", "arccos", "--augment", "shift=1.5", *training]),
                ("noise: found '-1'", ["train", "arccos", "--augment", "noise=-1", *training]),
                ("scale: found '1'", ["train", "arccos", "--augment", "scale=1", *training]),
                ("are the rows themselves", ["train", "arccos", "--augment", "copies=3", *training]),
                ("loo with --augment", ["train", "arccos", "--ridge", "loo", "--augment", "shift=1,length=40", *training]),
                ("with --exact", ["train", "arccos", "--exact", "--folds", "3", "--augment", "shift=1,length=40", "--in",
                                  "a.npy", "--target", "a.csv"])]:
            if "b2.npy" in words:
                npy(self.path("b2.npy"), [4, 5, 8], [float(i % 7) for i in range(160)])
                with open(self.path("b2.csv"), "w", encoding="ascii") as file:
                    file.write("0\n1\n0\n1\n")
            if "sizes of" in part:
                part = "expected the 1 channel of 40"
            self.bad(part, *words)


if __name__ == "__main__":
    unittest.main()

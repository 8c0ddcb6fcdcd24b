#!/usr/bin/env python3
"""test_local_command.py SAMARA DIGITS: models of local features from the command line; DIGITS is the bundled digits.csv.gz."""
import gzip
import json
import os
import random
import re
import struct
import sys
import unittest

from tool_case import ToolCase

digits = os.path.abspath(sys.argv.pop())


def npy(path, shape, values):
    """A file of float32."""
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {tuple(shape)}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() +
                   struct.pack(f"<{len(values)}f", *values))


class Local(ToolCase):
    def digits(self):
        with gzip.open(digits, "rt", encoding="ascii") as file:
            lines = file.readlines()
        for name, rest in (("train.csv", (0, 1, 2)), ("test.csv", (3,))):
            with open(self.path(name), "w", encoding="ascii") as file:
                file.write("".join(line for i, line in enumerate(lines) if i % 4 in rest))

    def series(self, name, rows, seed):
        """Two channels of noise, one of them a thousand times as large; a class has a bump in the small one."""
        numbers = random.Random(seed)
        values, kinds = [], []
        for i in range(rows):
            kind = i % 2
            large = [numbers.gauss(0, 1000) for _ in range(40)]
            small = [numbers.gauss(0, 1) for _ in range(40)]
            at = numbers.randrange(30)
            for k in range(8):
                small[at + k] += 4 * kind
            values += large + small
            kinds.append(kind)
        npy(self.path(name + ".npy"), [rows, 2, 40], values)
        with open(self.path(name + ".csv"), "w", encoding="ascii") as file:
            file.write("kind\n" + "".join(f"{k}\n" for k in kinds))

    def accuracy(self, said):
        return float(re.findall(r"test: accuracy ([0-9.]+) %", said)[-1])

    def test_digits_in_half_a_kilobyte(self):
        self.digits()
        said = self.good("train", "local:height=8", "--features", "48", "--candidates", "512", "--in", "train.csv",
                         "--target", "column:-1", "--test-in", "test.csv", "--out", "m.samara").stderr
        self.assertIn("48 features chosen of 512", said)
        self.assertIn("readout int4", said)
        # Plain rows of a map without the shape have 91 % in as many bytes.
        self.assertGreater(self.accuracy(said), 96.0)
        self.assertLess(os.path.getsize(self.path("m.samara")), 560)
        self.assertIn("local:height=8,width=8,channels=1", self.good("inspect", "m.samara").stdout)
        # What is sealed is what was scored.
        evaluated = self.good("evaluate", "m.samara", "--in", "test.csv", "--target", "column:-1")
        self.assertIn(f"{self.accuracy(said):g} %", evaluated.stdout + evaluated.stderr)

    def test_kernel_of_normal_weights(self):
        """local-arccos has the kernel that `compare` and `kernel` compute, and takes shapes as local does."""
        numbers = random.Random(8)
        npy(self.path("x.npy"), [12, 6, 5], [numbers.gauss(0.5, 1) for _ in range(360)])
        errors = []
        for features in (500, 8000):
            said = json.loads(self.good("compare", f"local-arccos:height=6,features={features}", "--in", "x.npy", "--seeds", "6",
                                        "--json").stdout)
            errors.append(said["measures"]["relative_frobenius"]["mean"])
        self.assertLess(errors[1], 0.03)
        self.assertTrue(2.6 < errors[0] / errors[1] < 6, errors)
        # Entries of two files are those of one that has both.
        self.good("kernel", "local-arccos:height=6", "--in", "x.npy", "--out", "k.csv")
        self.good("kernel", "local-arccos:height=6", "--in", "x.npy", "--with", "x.npy", "--out", "other.csv")
        tables = []
        for name in ("k.csv", "other.csv"):
            with open(self.path(name), encoding="ascii") as file:
                tables.append([float(v) for line in file for v in line.split(",")])
        self.assertEqual(len(tables[0]), 144)
        for a, b in zip(*tables):
            self.assertAlmostEqual(a, b, places=10)
        self.bad("expected another one (local-arccos)", "kernel", "local:height=6", "--in", "x.npy", "--out", "k.npy")
        self.bad("height: found '5'", "kernel", "local-arccos:height=5", "--in", "x.npy", "--out", "k.npy")

    def test_channels_of_their_own_scale(self):
        self.series("a", 160, 1)
        self.series("b", 80, 2)
        words = ["train", "local:channels=2", "--features", "12", "--candidates", "256", "--in", "a.npy", "--target", "a.csv",
                 "--test-in", "b.npy", "--test-target", "b.csv", "--out", "m.samara"]
        said = self.good(*words).stderr
        self.assertIn("scale: one for each channel", said)
        self.assertGreater(self.accuracy(said), 85.0)
        self.assertIn("one for each of 2 channels", self.good("inspect", "m.samara").stdout)
        # One scale for all leaves nothing of the small channel.
        self.assertLess(self.accuracy(self.good(*words, "--scale", "global").stderr), 70.0)
        # The same series without a shape, and the same numbers in another one.
        values = [0.0] * 160
        npy(self.path("flat.npy"), [2, 80], values)
        self.good("predict", "m.samara", "--in", "flat.npy")
        npy(self.path("other.npy"), [2, 40, 2], values)
        self.bad("channels: found '2'", "predict", "m.samara", "--in", "other.npy")
        npy(self.path("image.npy"), [2, 2, 20, 2], values)
        self.bad("2 x 40, the series of the map local", "predict", "m.samara", "--in", "image.npy")

    def test_refusals(self):
        npy(self.path("x.npy"), [4, 6, 5], [float(i % 7) for i in range(120)])
        npy(self.path("flat.npy"), [4, 30], [float(i % 7) for i in range(120)])
        with open(self.path("y.csv"), "w", encoding="ascii") as file:
            file.write("0\n1\n0\n1\n")
        training = ["--target", "y.csv", "--out", "m.samara"]
        for part, words in [
                ("height= for images", ["features", "local", "--in", "x.npy", "--out", "z.npy"]),
                ("height or width of images, or channels or length of series", ["features", "local", "--in", "flat.npy"]),
                ("width: found '7'", ["features", "local:height=6,width=7", "--in", "x.npy"]),
                ("length: found '6'", ["features", "local:length=6", "--in", "x.npy"]),
                ("gain: found '17'", ["features", "local:height=6,gain=17", "--in", "x.npy"]),
                ("no closed form", ["kernel", "local:height=6", "--in", "x.npy", "--out", "k.npy"]),
                ("no closed form", ["compare", "local:height=6", "--in", "x.npy"]),
                ("--features: found auto", ["train", "local:height=6", "--features", "auto", "--in", "x.npy", *training]),
                ("--scale: found unit", ["train", "local:height=6", "--scale", "unit", "--in", "x.npy", *training])]:
            self.bad(part, *words)


if __name__ == "__main__":
    unittest.main()

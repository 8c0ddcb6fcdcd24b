#!/usr/bin/env python3
"""test_parities.py SAMARA PARITIES EXAMPLES: examples/parities.cpp computes what the desk computes of its model, and the README's
command makes a model like it of the data beside it."""
import ast
import gzip
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zlib

tool, example, examples = (os.path.abspath(sys.argv.pop(1)) for _ in range(3))
MAP = "skeleton:base=binary,dual=series(0;0;0.5;0.5),merge=yes"


def data(name):
    return os.path.join(examples, "data", name)


class Parities(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.mkdtemp(prefix="samara-parities-")
        self.addCleanup(shutil.rmtree, self.place)
        with gzip.open(data("tic_tac_toe.csv.gz"), "rt", encoding="ascii") as file:
            lines = file.read().splitlines()
        self.train = [line for i, line in enumerate(lines) if i % 4 != 3]
        self.test = lines[3::4]
        self.write("train.csv", self.train)
        self.write("test.csv", self.test)
        self.write("inputs.csv", [line.rpartition(",")[0] for line in self.test])

    def path(self, name):
        return os.path.join(self.place, name)

    def write(self, name, lines):
        with open(self.path(name), "w", encoding="ascii") as file:
            file.write("\n".join(lines) + "\n")

    def samara(self, *words):
        done = subprocess.run([tool, *words], cwd=self.place, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=280)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_data(self):
        with open(data("tic_tac_toe_test.inc"), encoding="ascii") as file:
            self.assertEqual(file.read().splitlines(), ["{" + line + "}," for line in self.test])
        self.assertEqual(len(set(self.train + self.test)), 958)

    def test_same_bits(self):
        with open(data("tic_tac_toe_model.h"), encoding="ascii") as file:
            exported = file.read()
        found = re.findall(r"0x[0-9a-f]{2}", exported)
        with open(self.path("model.samara"), "wb") as file:
            file.write(bytes(int(byte, 16) for byte in found))
        self.samara("export", "model.samara", "--c-header", "--name", "tic_tac_toe_model", "--out", "model.h")
        with open(self.path("model.h"), encoding="ascii") as file:
            self.assertEqual(file.read(), exported)
        self.assertIn("96 rows kept", exported)
        self.samara("predict", "model.samara", "--in", "inputs.csv", "--scores", "--out", "scores.npy")
        with open(self.path("scores.npy"), "rb") as file:
            npy = file.read()
        begin = 10 + int.from_bytes(npy[8:10], "little")
        header = ast.literal_eval(npy[10:begin].decode("ascii"))
        self.assertEqual((header["descr"], header["shape"]), ("<f4", (len(self.test), 2)))
        labels = self.samara("predict", "model.samara", "--in", "inputs.csv").split()
        right = sum(label == line[-1] for label, line in zip(labels[-len(self.test):], self.test))

        done = subprocess.run([example], stdout=subprocess.PIPE, text=True, timeout=280)
        said = dict(line.split() for line in done.stdout.splitlines())
        self.assertEqual(said["crc"], f"{zlib.crc32(npy[begin:]):08x}")
        self.assertEqual((int(said["right"]), int(said["positions"])), (right, len(self.test)))
        self.assertEqual(int(said["model"]), len(found))
        self.assertEqual(done.returncode, 0)

    def test_training(self):
        self.samara("train", MAP, "--candidates", "900", "--features", "96", "--readout", "int8", "--in", "train.csv", "--target",
                    "column:-1", "--out", "model.samara")
        said = self.samara("evaluate", "model.samara", "--in", "test.csv", "--target", "column:-1", "--json")
        self.assertGreater(float(re.search(r'"accuracy": *([0-9.]+)', said).group(1)), 0.98)
        self.assertLess(os.path.getsize(self.path("model.samara")), 1000)


if __name__ == "__main__":
    unittest.main()

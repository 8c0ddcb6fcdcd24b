#!/usr/bin/env python3
"""test_convolution.py SAMARA CONVOLUTION EXAMPLES: examples/convolution.cpp computes what the desk computes of its model, which the
command in examples/data/README.md makes again of the data beside it."""
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


def data(name):
    return os.path.join(examples, "data", name)


class Convolution(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.mkdtemp(prefix="samara-convolution-")
        self.addCleanup(shutil.rmtree, self.place)

    def path(self, name):
        return os.path.join(self.place, name)

    def write(self, name, lines):
        with open(self.path(name), "w", encoding="ascii") as file:
            file.write("\n".join(lines) + "\n")

    def samara(self, *words):
        done = subprocess.run([tool, *words], cwd=self.place, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=280)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_same_bits(self):
        with open(data("digits_cntk_model.h"), encoding="ascii") as file:
            exported = file.read()
        found = re.findall(r"0x[0-9a-f]{2}", exported)
        with open(self.path("model.samara"), "wb") as file:
            file.write(bytes(int(byte, 16) for byte in found))
        self.samara("export", "model.samara", "--c-header", "--name", "digits_cntk_model", "--out", "model.h")
        with open(self.path("model.h"), encoding="ascii") as file:
            self.assertEqual(file.read(), exported)
        with open(data("digits_test.inc"), encoding="ascii") as file:
            images = [line.strip("{},\n").rpartition(",") for line in file]
        self.write("inputs.csv", [inputs for inputs, _, _ in images])
        self.samara("predict", "model.samara", "--in", "inputs.csv", "--scores", "--out", "scores.npy")
        with open(self.path("scores.npy"), "rb") as file:
            npy = file.read()
        begin = 10 + int.from_bytes(npy[8:10], "little")
        header = ast.literal_eval(npy[10:begin].decode("ascii"))
        self.assertEqual((header["descr"], header["shape"]), ("<f4", (len(images), 10)))
        labels = self.samara("predict", "model.samara", "--in", "inputs.csv").split()[-len(images):]
        right = sum(label == digit for label, (_, _, digit) in zip(labels, images))

        done = subprocess.run([example], stdout=subprocess.PIPE, text=True, timeout=280)
        said = dict(line.split() for line in done.stdout.splitlines())
        self.assertEqual(said["crc"], f"{zlib.crc32(npy[begin:]):08x}")
        self.assertEqual((int(said["right"]), int(said["images"])), (right, len(images)))
        self.assertEqual(int(said["model"]), len(found))
        self.assertEqual(done.returncode, 0)

    def test_training(self):
        with gzip.open(data("digits.csv.gz"), "rt", encoding="ascii") as file:
            lines = file.read().splitlines()
        self.write("train.csv", [line for i, line in enumerate(lines) if i % 4 != 2])
        self.write("test.csv", lines[2::4])
        self.samara("train", "cntk:height=8,width=8,depth=2,inner=128", "--features", "128", "--readout", "float16", "--in",
                    "train.csv", "--target", "column:-1", "--out", "model.samara")
        said = self.samara("evaluate", "model.samara", "--in", "test.csv", "--target", "column:-1", "--json")
        self.assertGreater(float(re.search(r'"accuracy": *([0-9.]+)', said).group(1)), 0.93)
        self.assertLess(os.path.getsize(self.path("model.samara")), 3000)


if __name__ == "__main__":
    unittest.main()

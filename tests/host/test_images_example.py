#!/usr/bin/env python3
"""test_images_example.py SCRIPT SAMARA PLOT: runs examples/images.sh on small images made here, and on what it must refuse."""
import csv
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

script, samara, plot = (os.path.abspath(sys.argv.pop(1)) for _ in range(3))


def npy(shape, kind, values):
    header = "{'descr': '%s', 'fortran_order': False, 'shape': (%s,), }" % (kind, ", ".join(map(str, shape)))
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    return (b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() +
            struct.pack("<%d%s" % (len(values), {"|u1": "B", "<i4": "i"}[kind]), *values))


class Images(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.mkdtemp(prefix="samara-images-")
        self.addCleanup(shutil.rmtree, self.place)
        numbers = random.Random(1)
        for name, rows in (("train", 60), ("test", 30)):
            labels = [row % 2 for row in range(rows)]
            values = []
            # Stripes across or up, in noise, 6 x 6 pixels of two channels; where they begin is of no account.
            for label in labels:
                begin = numbers.randrange(2)
                for y in range(6):
                    for x in range(6):
                        light = 160 * (((y if label else x) + begin) % 2)
                        values += [light + numbers.randrange(60), numbers.randrange(60)]
            self.write(name + ".x.npy", npy((rows, 6, 6, 2), "|u1", values))
            self.write(name + ".y.npy", npy((rows,), "<i4", labels))
        self.files = ["--images", "train.x.npy", "--labels", "train.y.npy", "--test-images", "test.x.npy", "--test-labels",
                      "test.y.npy"]

    def path(self, *names):
        return os.path.join(self.place, *names)

    def write(self, name, contents):
        with open(self.path(name), "wb") as file:
            file.write(contents)

    def run_script(self, *words):
        return subprocess.run(["bash", script, *words], cwd=self.place, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, timeout=280, check=False)

    def bad(self, parts, *words):
        result = self.run_script(*words)
        self.assertEqual(result.returncode, 2, result)
        self.assertEqual(result.stdout, "")
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        for part in parts:
            self.assertIn(part, result.stderr)

    def test_table_and_drawing(self):
        result = self.run_script("out", *self.files, "--sizes", "64,256", "--seeds=2", "--exact", "--samara", samara, "--plot", plot)
        self.assertEqual((result.returncode, result.stderr), (0, ""), result)
        with open(self.path("out", "images.csv"), newline="", encoding="ascii") as file:
            lines = list(csv.DictReader(file))
        self.assertEqual(len(lines), 3 * 2 * 2 + 1)
        for line in lines:
            self.assertTrue(0 <= float(line["accuracy"]) <= 100, line)
            if "cntk" in line["map"]:
                self.assertGreater(float(line["accuracy"]), 90, line)
        self.assertEqual(lines[-1]["map"], "exact cntk")
        with open(self.path("out", "images.md"), encoding="ascii") as file:
            table = file.read()
        self.assertIn(table, result.stdout)
        self.assertEqual(len(table.splitlines()), 2 + 3 * 2 + 1)
        with open(self.path("out", "images.svg"), encoding="ascii") as file:
            drawing = file.read()
        self.assertEqual(drawing.count("<polyline"), 4)
        self.assertIn("</svg>", drawing)

    def test_bad_input(self):
        self.bad(["DIRECTORY"], *self.files)
        self.bad(["second directory", "'b'"], "a", "b", *self.files)
        self.bad(["--test-labels", "NPY"], "out", *self.files[:-2])
        self.bad(["--images", "'none.npy'"], "out", *self.files, "--images", "none.npy")
        self.bad(["--sizes", "'12,x'"], "out", *self.files, "--sizes", "12,x")
        self.bad(["--seeds", "'0'"], "out", *self.files, "--seeds", "0")
        self.bad(["'--size'", "--help"], "out", *self.files, "--size", "12")
        self.bad(["--maps", "no value"], "out", *self.files, "--maps")

    def test_failing_tool(self):
        result = self.run_script("out", *self.files, "--maps", "cnkt", "--samara", samara, "--plot", plot)
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertIn("cnkt", result.stderr)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""test_images.py SAMARA: maps of images, and scaling by channel, on arrays of several dimensions."""
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

tool = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else "samara"


def npy(shape, values, kind="B"):
    """The bytes of an array of uint8 (B) or float32 (f) values."""
    code = {"B": "|u1", "f": "<f4"}[kind]
    header = "{'descr': '%s', 'fortran_order': False, 'shape': (%s,), }" % (code, ", ".join(map(str, shape)))
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    return (b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() +
            struct.pack("<%d%s" % (len(values), kind), *values))


class Images(unittest.TestCase):
    rows, height, width, channels = 60, 4, 5, 3

    def setUp(self):
        self.place = tempfile.mkdtemp(prefix="samara-images-")
        self.addCleanup(shutil.rmtree, self.place)
        numbers = random.Random(3)
        size = self.height * self.width * self.channels
        self.kinds = [index % 2 for index in range(self.rows)]
        # Red rows or columns on noise; blue is far brighter.
        self.x = []
        for kind in self.kinds:
            line = numbers.randrange(4)
            for at in range(size):
                place, channel = divmod(at, self.channels)
                on = channel == 0 and (place // self.width if kind else place % self.width) == line
                self.x.append(numbers.randrange(30) + (40 if on else 0) + (150 if channel == 2 else 0))
        shape = (self.rows, self.height, self.width, self.channels)
        self.write("x.npy", npy(shape, self.x))
        self.write("wide.npy", npy(shape[:3] + (1,), self.x[: self.rows * 20]))
        self.write("grey.npy", npy(shape[:3], self.x[: self.rows * 20]))
        self.write("float.npy", npy(shape, self.x, "f"))
        self.write("five.npy", npy((self.rows, 2, 2, 5, 3), self.x))
        self.write("flat.csv", "".join(
            ",".join(map(str, self.x[i * size : (i + 1) * size])) + "\n" for i in range(self.rows)))
        self.write("y.csv", "".join("%s\n" % ("row" if kind else "column") for kind in self.kinds))

    def path(self, name):
        return os.path.join(self.place, name)

    def write(self, name, contents):
        with open(self.path(name), "wb") as file:
            file.write(contents if isinstance(contents, bytes) else contents.encode())

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def run_tool(self, *words):
        return subprocess.run([tool, *words], cwd=self.place, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              timeout=120, check=False)

    def good(self, *words):
        result = self.run_tool(*words)
        self.assertEqual(result.returncode, 0, (words, result))
        return result

    def bad(self, part, *words):
        result = self.run_tool(*words)
        self.assertEqual(result.returncode, 2, (words, result))
        self.assertIn(part, result.stderr.splitlines()[-1])
        self.assertIn("expected", result.stderr.splitlines()[-1])

    def train(self, spec, data, *words, model="m.samara"):
        return self.good("train", spec, "--in", data, "--target", "y.csv", "--out", model, "--threads", "1", *words)

    def features(self, spec, data):
        self.good("features", spec, "--in", data, "--out", "z.npy")
        return self.read("z.npy")

    def test_the_shape_of_data(self):
        short = "cntk-gradient:features=300,depth=2,filters=3"
        whole = short + ",height=4,width=5,channels=3"
        expected = self.features(short, "x.npy")
        for spec, data in ((whole, "x.npy"), (whole, "flat.csv"), (short, "float.npy"),
                           (short + ",height=4,width=5", "flat.csv"), (short + ",height=4,channels=3", "flat.csv"),
                           (short + ",width=5,channels=3", "x.npy")):
            self.assertEqual(self.features(spec, data), expected, (spec, data))
        self.assertNotEqual(self.features(short + ",height=5,width=4", "flat.csv"), expected)
        self.assertEqual(self.features(short, "grey.npy"), self.features(short, "wide.npy"))
        # A series: with height=1 rows of two dimensions are its length and channels.
        series = self.features(short + ",height=1", "grey.npy")
        self.write("column.npy", npy((self.rows, 1, 4, 5), self.x[: self.rows * 20]))
        self.assertEqual(series, self.features(short, "column.npy"))
        said = self.train(short, "x.npy").stderr
        self.assertIn("height=4,width=5,channels=3,", said)

    def test_what_contradicts(self):
        short = "cntk-gradient:features=300,depth=2"
        for key, value, told in (("height", 5, 4), ("width", 4, 5), ("channels", 1, 3)):
            self.bad(f"cntk-gradient: {key}: found '{value}', expected the {told} of x.npy, whose rows are 4 x 5 x 3",
                     "features", f"{short},{key}={value}", "--in", "x.npy", "--out", "z.npy")
        self.bad("channels: found '3', expected the 1 of grey.npy", "kernel", short + ",channels=3", "--in", "grey.npy")
        self.bad("five.npy", "features", short, "--in", "five.npy", "--out", "z.npy")
        self.bad("NPY of four dimensions", "features", short, "--in", "flat.csv", "--out", "z.npy")
        self.bad("inputs: found 60 (the columns of flat.csv)", "kernel", short + ",height=7", "--in", "flat.csv")
        self.bad("because the kernel of depth 1 is zero", "features", "cntk-gradient:depth=1", "--in", "x.npy", "--out",
                 "z.npy")
        self.bad("expected an odd number; the nearest is 5", "kernel", short + ",patch=4", "--in", "x.npy")

    def test_other_images_of_as_many_numbers(self):
        """Channels first, or rows for columns: not what the model was trained with, though the numbers are as many."""
        short = "cntk-gradient:features=300,depth=2"
        first, turned = (self.rows, 3, 4, 5), (self.rows, 5, 4, 3)
        self.write("first.npy", npy(first, self.x))
        self.write("turned.npy", npy(turned, self.x))
        self.train(short, "x.npy")
        told = "first.npy: found rows of 3 x 4 x 5, expected 4 x 5 x 3, the images of the map cntk-gradient"
        self.bad(told, "predict", "m.samara", "--in", "first.npy")
        self.bad(told, "evaluate", "m.samara", "--in", "first.npy", "--target", "y.csv")
        self.bad(told, "kernel", short, "--in", "x.npy", "--with", "first.npy")
        self.bad(told, "train", short, "--in", "x.npy", "--target", "y.csv", "--valid-in", "first.npy",
                 "--valid-target", "y.csv", "--out", "n.samara")
        self.bad("turned.npy: found rows of 5 x 4 x 3", "train", short, "--in", "x.npy", "--target", "y.csv",
                 "--test-in", "turned.npy", "--test-target", "y.csv", "--out", "n.samara")
        # Without a shape, of another type, or as a series rows are the same numbers.
        whole = self.good("predict", "m.samara", "--in", "x.npy").stdout
        self.assertEqual(whole, self.good("predict", "m.samara", "--in", "flat.csv").stdout)
        self.assertEqual(whole, self.good("predict", "m.samara", "--in", "float.npy").stdout)
        self.train(short + ",height=1", "grey.npy")
        self.write("series.npy", npy((self.rows, 1, 4, 5), self.x[: self.rows * 20]))
        series = self.good("predict", "m.samara", "--in", "grey.npy").stdout
        self.assertEqual(series, self.good("predict", "m.samara", "--in", "series.npy").stdout)
        self.bad("wide.npy: found rows of 4 x 5 x 1, expected 1 x 4 x 5", "predict", "m.samara", "--in", "wide.npy")
        # A map of other data takes rows as they are.
        self.train("arccos:features=60", "x.npy")
        self.good("predict", "m.samara", "--in", "first.npy")

    def test_the_kernel(self):
        """The kernel of an image with itself is positive, and most of it is there when the pixels change places."""
        spec = "cntk-gradient:features=1,depth=3"
        lines = [[float(word) for word in line.split(",")]
                 for line in self.good("kernel", spec, "--in", "x.npy").stdout.splitlines()]
        again = self.good("kernel", spec + ",height=4,width=5", "--in", "flat.csv").stdout
        self.assertEqual(lines, [[float(word) for word in line.split(",")] for line in again.splitlines()])
        for i in range(0, self.rows, 7):
            self.assertGreater(lines[i][i], 0)
            for j in range(0, self.rows, 11):
                self.assertEqual(lines[i][j], lines[j][i])
                self.assertLess(lines[i][j], (lines[i][i] * lines[j][j]) ** 0.5 * (1 + 1e-9))
        self.good("train", spec, "--exact", "--in", "x.npy", "--target", "y.csv", "--test-in", "x.npy", "--test-target",
                  "y.csv")

    def test_scaling_by_channel(self):
        spec = "cntk-gradient:features=600,depth=2"
        for words in ((), ("--missing", "mean")):
            self.train(spec, "x.npy", "--scale", "channel", *words)
            seen = self.good("inspect", "m.samara").stdout
            self.assertIn("shifted and scaled (alike for every 3 inputs)", seen)
            model = self.read("m.samara")
            at, length = struct.unpack_from("<II", model, 48)
            vectors = 2 + len(words) // 2
            self.assertEqual(length, 8 + 4 * 3 * vectors)
            shift = struct.unpack_from("<3f", model, at + 8 + 4 * 3 * (vectors - 2))
            for channel in range(3):
                values = self.x[channel :: 3]
                self.assertAlmostEqual(shift[channel], sum(values) / len(values), delta=1e-3)
            # The same from rows without a shape.
            self.train(spec + ",height=4,width=5", "flat.csv", "--scale", "channel", *words, model="n.samara")
            self.assertEqual(self.read("n.samara"), model)
            self.assertEqual(self.good("predict", "m.samara", "--in", "x.npy").stdout,
                             self.good("predict", "m.samara", "--in", "flat.csv").stdout)
        # Scores are those of rows that were scaled before.
        self.train(spec, "x.npy", "--scale", "channel")
        at = struct.unpack_from("<I", self.read("m.samara"), 48)[0]
        numbers = struct.unpack_from("<6f", self.read("m.samara"), at + 8)
        single = lambda value: struct.unpack("<f", struct.pack("<f", value))[0]
        scaled = [single(single(v - numbers[i % 3]) * numbers[3 + i % 3]) for i, v in enumerate(self.x)]
        self.write("scaled.npy", npy((self.rows, self.height, self.width, self.channels), scaled, "f"))
        self.train(spec, "scaled.npy", model="n.samara")
        self.assertEqual(self.good("predict", "m.samara", "--in", "x.npy", "--scores").stdout,
                         self.good("predict", "n.samara", "--in", "scaled.npy", "--scores").stdout)
        # Other maps take the channels of the data, where there are some.
        self.train("arccos:features=128", "x.npy", "--scale", "channel")
        self.assertIn("alike for every 3 inputs", self.good("inspect", "m.samara").stdout)
        self.train(spec, "grey.npy", "--scale", "channel")
        self.assertIn("alike for every 1 input)", self.good("inspect", "m.samara").stdout)
        for data in ("flat.csv", "grey.npy"):
            self.bad("--scale: found channel for the map rff", "train", "rff", "--in", data, "--target", "y.csv", "--out",
                     "m.samara", "--scale", "channel")
        header = self.good("export", "n.samara", "--c-header").stdout
        self.assertIn("[%d]" % len(self.read("n.samara")), header)

    def test_local_maps_take_images_and_series(self):
        short = "local:features=80,seed=3,gain=7"
        expected = self.features(short, "x.npy")
        for spec, data in ((short + ",height=4,width=5", "flat.csv"), (short + ",height=4,channels=3", "x.npy"),
                           (short, "float.npy")):
            self.assertEqual(self.features(spec, data), expected, (spec, data))
        self.assertNotEqual(self.features(short + ",height=5,width=4", "flat.csv"), expected)
        # Rows of two dimensions are images of one channel or, with channels, series.
        self.assertEqual(self.features(short + ",width=5", "grey.npy"), self.features(short, "wide.npy"))
        series = self.features(short + ",channels=4", "grey.npy")
        self.assertEqual(series, self.features(short + ",length=5", "grey.npy"))
        self.write("lines.csv", "".join(
            ",".join(map(str, self.x[i * 20 : (i + 1) * 20])) + "\n" for i in range(self.rows)))
        self.assertEqual(series, self.features(short + ",channels=4", "lines.csv"))
        self.assertNotEqual(series, self.features(short + ",height=4", "lines.csv"))
        # A series of one channel lies as an image's row does, but has filters of its own.
        self.assertNotEqual(series, self.features(short + ",channels=1", "lines.csv"))

        self.bad("local: height: found '5', expected the 4 of x.npy, whose rows are 4 x 5 x 3", "features",
                 short + ",height=5", "--in", "x.npy", "--out", "z.npy")
        self.bad("local: found neither height nor channels, and rows of grey.npy that are 4 x 5", "features", short,
                 "--in", "grey.npy", "--out", "z.npy")
        self.bad("expected height or width of images, or channels or length of series", "features", short, "--in",
                 "flat.csv", "--out", "z.npy")
        self.bad("inputs: found 60 (the columns of flat.csv), expected height x width x channels; the nearest is 56",
                 "features", short + ",height=7", "--in", "flat.csv", "--out", "z.npy")
        self.bad("local: length: found '60'", "features", short + ",height=4,length=60", "--in", "flat.csv", "--out",
                 "z.npy")
        for command in ("kernel", "compare"):
            self.bad("whose kernel has no closed form", command, short + ",height=4", "--in", "flat.csv")

    def test_the_gain_of_local_maps_follows_the_data(self):
        """Of larger numbers it is smaller, a given one stays, and a model keeps what was chosen."""
        gains = []
        for times in (1, 8):
            self.write("scaled.csv", "".join(
                ",".join(str((v % 30 - 15) * times) for v in self.x[i * 60 : (i + 1) * 60]) + "\n"
                for i in range(self.rows)))
            said = self.train("local:features=40,height=4", "scaled.csv", "--scale", "none").stderr
            gains.append(int(re.search(r"gain=(\d+)", said).group(1)))
            self.assertIn(",gain=%d," % gains[-1], self.good("inspect", "m.samara").stdout)
        self.assertEqual(gains[0] - gains[1], 3, gains)
        self.assertIn(",gain=4,", self.train("local:features=40,height=4,gain=4", "scaled.csv").stderr)

    def test_local_models_compute_in_whole_numbers(self):
        """Four bits a weight unless something else is asked; scores of sealed models are of the features that are kept."""
        self.train("local:features=40", "x.npy", "--scale", "global", "--candidates", "300")
        seen = self.good("inspect", "m.samara").stdout
        self.assertIn("readout        int4, whole numbers", seen)
        self.assertIn("features=300,", seen)
        self.assertIn("features       40", seen)
        found = self.good("predict", "m.samara", "--in", "x.npy").stdout.split()
        kinds = ["row" if kind else "column" for kind in self.kinds]
        self.assertGreater(sum(a == b for a, b in zip(found, kinds)), 0.9 * self.rows)
        self.train("local:features=40", "x.npy", "--scale", "global", "--readout", "float32")
        self.assertIn("readout        float32", self.good("inspect", "m.samara").stdout)


if __name__ == "__main__":
    unittest.main()

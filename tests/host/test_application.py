#!/usr/bin/env python3
"""test_application.py SAMARA: what a model says to the application, and what a prediction may cost, on the command line."""
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

tool = os.path.abspath(sys.argv.pop(1))


class Application(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.mkdtemp(prefix="samara-application-")
        self.addCleanup(shutil.rmtree, self.place)
        rows = [(i % 7 / 7, i % 5 / 5 - 0.4) for i in range(30)]
        self.write("x.csv", "".join(f"{a},{b}\n" for a, b in rows).encode())
        self.write("y.csv", "".join(f"{a * b + 0.25}\n" for a, b in rows).encode())

    def path(self, name):
        return os.path.join(self.place, name)

    def write(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data)

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def run_tool(self, *words):
        return subprocess.run([tool, *words], cwd=self.place, capture_output=True, text=True, timeout=120)

    def good(self, *words):
        done = self.run_tool(*words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def bad(self, parts, *words):
        done = self.run_tool(*words)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        for part in parts:
            self.assertIn(part, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)

    def train(self, spec, *words, out="m.samara"):
        return self.good("train", spec, "--in", "x.csv", "--target", "y.csv", "--ridge", "1e-2", "--out", out, *words)

    def test_words_are_sealed_and_printed(self):
        self.train("arccos:features=24")
        silent = self.read("m.samara")
        self.assertEqual(struct.unpack_from("<H", silent, 10)[0], 5)
        said = self.good("inspect", "m.samara").stdout
        self.assertNotIn("application", said)
        self.write("words.bin", b"\x00mV\xff")
        self.train("arccos:features=24", "--application-version", "12", "--input-layout", "4000000000",
                   "--application-data", "words.bin", out="n.samara")
        data = self.read("n.samara")
        self.assertEqual(struct.unpack_from("<H", data, 10)[0], 6)
        at, length = struct.unpack_from("<II", data, 72)
        self.assertEqual(data[at : at + length], struct.pack("<IIff", 12, 4000000000, 0, 0) + b"\x00mV\xff")
        # Nothing else has changed but the offsets' table, the length and the CRC.
        end = struct.unpack_from("<I", silent, 64)[0]
        self.assertEqual(data[80:end], silent[80:end])
        said = self.good("inspect", "n.samara").stdout
        self.assertRegex(said, r"application version +12\n")
        self.assertRegex(said, r"input layout +4000000000\n")
        self.assertRegex(said, r"application data +4 bytes: 006d56ff\n")
        self.assertRegex(said, r"confidence +not sealed\n")
        for model in "m.samara", "n.samara":
            self.good("predict", model, "--in", "x.csv", "--out", model + ".csv")
        self.assertEqual(self.read("m.samara.csv"), self.read("n.samara.csv"))

    def test_confidence_is_that_of_rows_that_were_left_out(self):
        # One weight, so that the score of a row can be worked out: y = 3 x exactly, sealed with next to no ridge.
        rows = [(i % 7) / 4 for i in range(60)]
        self.write("x1.csv", "".join(f"{x}\n" for x in rows).encode())
        self.write("y1.csv", "".join(f"{3 * x + .25}\n" for x in rows).encode())
        done = self.good("train", "arccos:features=16", "--in", "x1.csv", "--target", "y1.csv", "--task", "regress",
                         "--valid-in", "x1.csv", "--valid-target", "y1.csv", "--ridge", "1e-5", "--confidence",
                         "--out", "c.samara")
        targets = [3 * x + .25 for x in rows]
        mean = sum(targets) / 60
        spread = (sum((y - mean) ** 2 for y in targets) / 59) ** .5
        data = self.read("c.samara")
        at = struct.unpack_from("<I", data, 72)[0]
        found = struct.unpack_from("<ff", data, at + 8)
        self.assertAlmostEqual(found[0], mean, delta=.01)
        self.assertAlmostEqual(found[1], spread, delta=.01)
        self.assertIn("confidence", done.stderr)
        self.assertRegex(self.good("inspect", "c.samara").stdout, r"confidence +[0-9.]+, spread [0-9.]+\n")
        # Without such rows a fifth is left out; what cannot be left out is refused.
        self.train("arccos:features=24", "--confidence", out="d.samara")
        self.assertGreater(struct.unpack_from("<f", self.read("d.samara"), at + 12)[0], -1)
        self.write("few.csv", b"1\n2\n3\n4\n")
        self.bad(["--confidence", "4 rows", "10"], "train", "arccos:features=16", "--in", "few.csv", "--target",
                 "few.csv", "--task", "regress", "--ridge", "1", "--confidence", "--out", "e.samara")
        self.bad(["--confidence", "--out"], "train", "arccos:features=16", "--in", "x.csv", "--target", "y.csv",
                 "--folds", "2", "--confidence")

    def test_words_that_do_not_fit(self):
        common = ["train", "arccos:features=24", "--in", "x.csv", "--target", "y.csv", "--out", "m.samara"]
        self.write("long.bin", bytes(257))
        self.bad(["long.bin", "257", "256"], *common, "--application-data", "long.bin")
        self.bad(["nosuch.bin"], *common, "--application-data", "nosuch.bin")
        self.bad(["--application-version", "'-1'"], *common, "--application-version=-1")
        self.bad(["--input-layout", "4294967296"], *common, "--input-layout", "4294967296")
        self.bad(["--input-layout", "--out"], "train", "arccos:features=24", "--in", "x.csv", "--target", "y.csv",
                 "--folds", "2", "--input-layout", "3")
        self.assertFalse(os.path.exists(self.path("m.samara")))
        self.write("most.bin", bytes(256))
        self.train("arccos:features=24", "--application-data", "most.bin")

    def test_predictions_that_cost_too_much(self):
        self.train("arccos:features=24")
        said = self.good("inspect", "m.samara").stdout
        cost = said.split("operations of a prediction, about")[1].split()[0]
        number = int(cost.replace(",", ""))
        for command in ["predict", "m.samara"], ["evaluate", "m.samara", "--target", "y.csv"]:
            command += ["--in", "x.csv"]
            self.bad(["m.samara", cost, "--most-operations"], *command, "--most-operations", str(number - 1))
            self.good(*command, "--most-operations", str(number))
            self.good(*command, "--most-operations", "any")
            for wrong in "0", "-1", "few", "1e9", "":
                self.bad(["--most-operations", "any"], *command, "--most-operations=" + wrong)

    def test_a_small_file_does_not_compute_for_minutes(self):
        self.train("nngp:rows=gibbs,depth=16,sweeps=1,features=200")
        data = bytearray(self.read("m.samara"))
        self.assertEqual(struct.unpack_from("<I", data, 80 + 20)[0], 1)
        struct.pack_into("<I", data, 80 + 20, 1000)  # sweeps
        struct.pack_into("<I", data, len(data) - 4, zlib.crc32(data[:-4]))
        self.write("slow.samara", data)
        self.assertLess(len(data), 1200)
        self.bad(["slow.samara", "operations"], "predict", "slow.samara", "--in", "x.csv")
        said = self.good("inspect", "slow.samara").stdout
        self.assertRegex(said, r"operations of a prediction, about +[1-9][0-9]{1,2},[0-9]{3},[0-9]{3},[0-9]{3}\n")
        self.good("export", "slow.samara", "--c-header", "--out", "slow.h")


if __name__ == "__main__":
    unittest.main()

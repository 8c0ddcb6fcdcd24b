#!/usr/bin/env python3
"""test_uci.py UCI: runs the example on two small sets made here, again, and on what it must refuse."""
import csv
import math
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

tool = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else "uci"

methods = "rff,rbf-exact relu=arccos:features={features},seed={seed} relu-exact=arccos"


def npy(rows, code="f"):
    kind = {"f": "<f4", "i": "<i4", "B": "|u1"}[code]
    header = "{'descr': '%s', 'fortran_order': False, 'shape': (%d, %d), }" % (kind, len(rows), len(rows[0]))
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    values = [value for row in rows for value in row]
    return (b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() +
            struct.pack("<%d%s" % (len(values), code), *values))


class Uci(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.mkdtemp(prefix="samara-uci-")
        self.addCleanup(shutil.rmtree, self.place)
        os.mkdir(self.path("data"))
        numbers = random.Random(1)
        # Three clouds, far apart; and a circle within another one, with every tenth label wrong.
        centres = [(3, 0, 0), (0, 3, 0), (0, 0, 3)]
        classes = [row % 3 for row in range(90)]
        self.add("clouds", [[centre + numbers.gauss(0, 0.5) for centre in centres[kind]] for kind in classes], classes,
                 numbers)
        classes = [row % 2 for row in range(120)]
        angles = [numbers.uniform(0, 2 * math.pi) for _ in classes]
        radii = [(0.5 if kind else 1.5) + numbers.gauss(0, 0.1) for kind in classes]
        self.add("circles", [[r * math.cos(a), r * math.sin(a)] for r, a in zip(radii, angles)],
                 [1 - kind if row % 10 == 0 else kind for row, kind in enumerate(classes)], numbers, text=True)

    def path(self, *names):
        return os.path.join(self.place, *names)

    def write(self, name, contents):
        with open(self.path("data", name), "wb") as file:
            file.write(contents if isinstance(contents, bytes) else contents.encode())

    def add(self, name, x, classes, numbers, text=False):
        n = len(x)

        def part(share, of):
            test = set(numbers.sample(range(n), n * share // of))
            return [1 if row in test else 0 for row in range(n)]

        tables = {
            "x": (x, "f"),
            "y": ([[kind] for kind in classes], "i"),
            "tune": ([[value] for value in part(1, 2)], "B"),
            "folds": ([part(1, 4) for _ in range(4)], "B"),
        }
        for end, (rows, code) in tables.items():
            if text:
                self.write("%s.%s.csv" % (name, end), "".join(",".join(map(repr, row)) + "\n" for row in rows))
            else:
                self.write("%s.%s.npy" % (name, end), npy(rows, code))

    def run_tool(self, *words):
        return subprocess.run([tool, *words], cwd=self.place, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, timeout=120, check=False)

    def good(self, *words, seeds=1):
        result = self.run_tool("data", "--methods", methods, "--seeds", str(seeds), *words)
        self.assertEqual(result.returncode, 0, result)
        return result

    def bad(self, parts, *words):
        result = self.run_tool(*words)
        self.assertEqual(result.returncode, 2, result)
        self.assertEqual(result.stdout, "")
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        for part in parts:
            self.assertIn(part, result.stderr)

    def lines(self):
        with open(self.path("uci-results.csv"), newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def table(self, output):
        """The numbers behind each method's name."""
        found = {}
        for line in output.splitlines():
            words = line.split()
            if words and words[0] in ("rff", "rbf-exact", "relu", "relu-exact"):
                found[words[0]] = [float(word) for word in words[1:]]
        return found

    def test_accuracy_and_table(self):
        result = self.good()
        self.assertEqual(result.stderr, "")  # progress is for terminals
        lines = self.lines()
        self.assertEqual(len(lines), 8)
        for line in lines:
            accuracy = float(line["accuracy"])
            self.assertGreater(accuracy, 97 if line["set"] == "clouds" else 70, line)
            self.assertLessEqual(accuracy, 100 if line["set"] == "clouds" else 97, line)
            self.assertNotIn("{", line["map"])
        table = self.table(result.stdout)
        self.assertEqual(len(table), 4)
        for name, (mean, _, _, _, p90, p95, pma, rank, *_) in table.items():
            own = [float(line["accuracy"]) for line in lines if line["method"] == name]
            self.assertAlmostEqual(mean, sum(own) / 2, delta=0.006)
            self.assertTrue(0 <= p95 <= p90 <= 100 and 70 < pma <= 100 and 1 <= rank <= 4, table[name])
        self.assertAlmostEqual(sum(row[7] for row in table.values()), 10, delta=0.03)

    def test_resumes(self):
        first = self.good()
        whole = self.lines()
        with open(self.path("uci-results.csv"), encoding="utf-8") as file:
            text = file.read().splitlines(keepends=True)
        with open(self.path("uci-results.csv"), "w", encoding="utf-8") as file:
            file.writelines(text[:4])
        kept = self.lines()
        second = self.good("--threads", "1")
        self.assertIn("3 of 8 results were there already", second.stderr)
        self.assertEqual(self.table(second.stdout), self.table(first.stdout))

        def without_time(lines):
            return [{key: value for key, value in line.items() if key != "seconds"} for line in lines]

        again = self.lines()
        self.assertEqual(without_time(again), without_time(whole))
        self.assertEqual(again[:3], kept)  # taken as they were, and not computed again
        self.assertEqual([name for name in os.listdir(self.place) if name.startswith("uci")], ["uci-results.csv"])
        # Two more random maps of each kind; a kernel has none.
        third = self.good(seeds=3)
        self.assertEqual(len(self.lines()), 16)
        found, before = self.table(third.stdout), self.table(first.stdout)
        self.assertEqual(found["rbf-exact"][:4], before["rbf-exact"][:4])
        self.assertEqual(before["rff"][3], 0)
        own = [float(line["accuracy"]) for line in self.lines() if line["method"] == "rff"]
        self.assertAlmostEqual(found["rff"][0], sum(own) / 6, delta=0.006)

    def test_bad_input(self):
        self.bad(["nowhere", "cannot read"], "nowhere")
        os.mkdir(self.path("empty"))
        self.bad(["empty", "found no data"], "empty")
        self.bad(["no argument"])
        self.bad(["--methods", "'rf'", "did you mean 'rff'?"], "data", "--methods", "rf")
        self.bad(["unknown map 'foo'"], "data", "--methods", "own=foo:features={features}")
        self.assertFalse(os.path.exists(self.path("uci-results.csv")))

        def refused(file, contents, *parts):
            with open(self.path("data", file), "rb") as old:
                before = old.read()
            self.write(file, contents)
            self.bad([file, *parts], "data", "--methods", "rff")
            self.write(file, before)

        refused("circles.x.csv", "1,2\n3,4\n5,x\n", "line 3")
        refused("circles.x.csv", "1,2\n3,4\n5,nan\n", "row 3, column 2")
        refused("circles.y.csv", "0\n" * 119, "119 rows")
        refused("circles.y.csv", "0\n" * 118 + "0.5\n1\n", "row 119, column 1: found 0.5")
        refused("circles.tune.csv", "0\n" * 118 + "1\n2\n", "row 120, column 1: found 2")
        refused("circles.folds.csv", ",".join(["0"] * 119 + ["1"]) + "\n" + ",".join(["0"] * 120) + "\n", "row 2")
        refused("clouds.y.npy", b"\x93NUMPY\x01\x00\x10\x00", "clouds.y.npy")
        os.remove(self.path("data", "clouds.tune.npy"))
        self.bad(["clouds.tune.npy", "found no such file"], "data", "--methods", "rff")

    def test_bad_results(self):
        def refused(text, *parts):
            with open(self.path("uci-results.csv"), "w", encoding="utf-8") as file:
                file.write(text)
            self.bad(["uci-results.csv", *parts], "data", "--methods", "rff")
            with open(self.path("uci-results.csv"), encoding="utf-8") as file:
                self.assertEqual(file.read(), text)

        head = "set,method,text,seed,map,ridge,validation,accuracy,seconds\n"
        good = "iris,rff,rff,0,rff,0.1,90,90,1\n"
        refused("", "uci-results.csv")
        refused("a,b\n1,2\n", "line 1")
        refused(head + good + good.replace("90,1", "x,1"), "line 3", "accuracy", "'x'")
        refused(head + good.replace("90,1", "190,1"), "line 2", "'190'")
        refused(head + good + "iris,rff\n", "line 3")


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""test_compare_ntk.py SCRIPT SAMARA: runs the example's quick form, and it on what it must refuse."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

from every_map import catalogue, keys_of

samara = os.path.abspath(sys.argv.pop(2)) if len(sys.argv) > 2 else "samara"
script = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else "compare_ntk.sh"


def table(path):
    """The lines of a tab-separated file, each as a dictionary of words."""
    with open(path, encoding="utf-8") as file:
        head, *lines = [line.rstrip("\n").split("\t") for line in file]
    return [dict(zip(head, line)) for line in lines]


class CompareNtk(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.mkdtemp(prefix="samara-compare-ntk-")
        self.addCleanup(shutil.rmtree, self.place)

    def path(self, *names):
        return os.path.join(self.place, *names)

    def run_script(self, *words):
        return subprocess.run(["bash", script, *words], cwd=self.place, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=280, check=False)

    def good(self, *words):
        result = self.run_script("--quick", "--samara", samara, "--out", self.path("out"), *words)
        self.assertEqual(result.returncode, 0, result)
        self.assertEqual(result.stderr, "")  # progress is for terminals
        return result.stdout

    def bad(self, parts, *words):
        result = self.run_script(*words)
        self.assertEqual(result.returncode, 2, result)
        self.assertEqual(result.stdout, "")
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        for part in parts:
            self.assertIn(part, result.stderr)

    def check_errors(self):
        """Error and centred error of each depth, map and size."""
        errors, used = {}, {}
        for line in table(self.path("out", "figure2.tsv")):
            if line["map"] != "constant":
                key = (int(line["depth"]), line["map"])
                errors.setdefault(key, []).append((float(line["error"]), float(line["centred"])))
                used.setdefault(key, []).append((int(line["used"]), int(line["features"])))
        helps = catalogue(samara)
        others = {name for name, text in helps.items() if " the Neural Tangent Kernel" in text}
        others -= {"ntk", "ntk-sketch", "ntk-poly"}
        self.assertGreater(len(others), 0)
        self.assertEqual(len(errors), 14 + 2 * len(others))
        for key, (few, many) in errors.items():
            self.assertGreater(few[0], many[0], key)
            for own, asked in used[key]:
                self.assertLessEqual(own, asked, key)
        for depth in (1, 2):
            for default, naive in zip(errors[depth, "ntk"], errors[depth, "ntk:sketch=none"]):
                self.assertLess(default[0], 0.5 * naive[0])
                self.assertLess(default[1], 0.5 * naive[1])
        # 64 inputs: widths 3 and 15 of depth 1, 2 and 13 of depth 2; 3 and 15 step and relu features, 1 and 3
        for name in others:
            self.assertIn((1, name), used)
            if "width" in keys_of(helps[name]):
                self.assertEqual(used[1, name], [(195, 256), (975, 1024)])
                self.assertEqual(used[2, name], [(204, 256), (1014, 1024)])
        self.assertEqual(used[1, "ntk:sketch=none"], [(195, 256), (975, 1024)])
        self.assertEqual(used[2, "ntk:sketch=none"], [(66, 256), (588, 1024)])

    def test_digits(self):
        output = self.good()
        self.check_errors()
        lines = [line.split() for line in output.splitlines()]
        for line in table(self.path("out", "figure2.tsv")):
            if line["map"] != "constant":
                self.assertIn(list(line.values()), lines)
        conditions = {}
        for line in table(self.path("out", "figure1.tsv")):
            self.assertIn(list(line.values()), lines)
            conditions.setdefault(line["map"], []).append(float(line["condition"]))
        self.assertEqual(len(conditions), 3)
        for name, (few, many) in conditions.items():
            self.assertTrue(1 < many < few, name)
        if shutil.which("gnuplot") is None:
            self.assertIn("gnuplot was not found", output)
        else:
            for name in ("figure1.svg", "figure2.svg"):
                with open(self.path("out", name), encoding="utf-8") as file:
                    self.assertIn("</svg>", file.read())

    def test_directions(self):
        output = self.good("--data=directions", "--rows", "60", "--threads", "1")
        self.assertIn("directions, 60 rows", output)
        self.check_errors()
        with open(self.path("out", "rows.csv"), encoding="utf-8") as file:
            rows = [[float(word) for word in line.split(",")] for line in file]
        self.assertEqual([len(row) for row in rows], [64] * 60)
        for row in rows:
            self.assertAlmostEqual(sum(value * value for value in row), 1, places=6)

    def test_bad_input(self):
        self.bad(["--rows", "'3'", "10 to 1797"], "--rows", "3")
        self.bad(["--rows", "'many'"], "--rows=many")
        self.bad(["--rows", "no value"], "--rows=")
        self.bad(["--seeds", "'1'", "2 to 1000"], "--seeds", "1")
        self.bad(["--seeds", "no value"], "--seeds")
        self.bad(["--data", "'cats'", "digits or directions"], "--data", "cats")
        self.bad(["'--quik'", "--help"], "--quik")
        self.bad(["'rows'", "--help"], "rows")
        self.bad(["--samara", self.place], "--samara", self.place)
        with open(self.path("file"), "w", encoding="utf-8"):
            pass
        self.bad(["--out", "cannot write"], "--samara", samara, "--out", self.path("file"))

    def test_failing_tool(self):
        with open(self.path("tool"), "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\necho 'samara: out of order' >&2\nexit 1\n")
        os.chmod(self.path("tool"), 0o755)
        result = self.run_script("--quick", "--samara", self.path("tool"), "--out", self.path("out"))
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertIn("samara: out of order", result.stderr)
        self.assertEqual(os.listdir(self.path("out")), ["rows.csv"])


if __name__ == "__main__":
    unittest.main()

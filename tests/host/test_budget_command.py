#!/usr/bin/env python3
"""test_budget_command.py SAMARA: budgets of `samara train`, `samara sweep`, and what `samara inspect` knows of boards."""
import json
import os
import random
import re
import shutil
import struct
import unittest
import xml.etree.ElementTree

from tool_case import ToolCase

LOCAL = "local:height=6,width=6"
POWERS = "polynomial:numbers=int8"
WHOLE = "arccos:numbers=int8,orders=even"
CORES = ["cortex-m0plus", "cortex-m3", "cortex-m4f", "cortex-m7", "cortex-m33", "cortex-m55"]


class Budget(ToolCase):
    def setUp(self):
        super().setUp()
        numbers = random.Random(3)
        self.rows = []
        for _ in range(150):
            x = [round(numbers.gauss(0, 30)) for _ in range(5)]
            self.rows.append([*x, "in" if sum(v * v for v in x[:3]) < 2400 else "out"])
        self.table("t.csv", self.rows)
        self.table("few.csv", self.rows[:20])

    def table(self, name, rows):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write("a,b,c,d,e,kind\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))

    def images(self):
        """Bars that lie or stand somewhere in 6 x 6 pixels of noise: as a table, and as an NPY that has their shape."""
        numbers, values = random.Random(4), []
        with open(self.path("bars.csv"), "w", encoding="utf-8") as table:
            table.write(",".join(f"p{i}" for i in range(36)) + ",kind\n")
            for i in range(120):
                lies, at, other = i % 2, numbers.randrange(1, 5), numbers.randrange(3)
                pixels = [numbers.randrange(6) for _ in range(36)]
                for k in range(other, other + 4):
                    pixels[6 * at + k if lies else 6 * k + at] += 14
                values += pixels
                table.write(",".join(map(str, pixels)) + (",lies\n" if lies else ",stands\n"))
        with open(self.path("kinds.csv"), "w", encoding="utf-8") as file:
            file.write("".join("lies\n" if i % 2 else "stands\n" for i in range(120)))
        for name, shape in (("images.npy", (120, 6, 6, 1)), ("planes.npy", (120, 6, 6))):
            header = f"{{'descr': '|u1', 'fortran_order': False, 'shape': {shape}, }}"
            header += " " * (-(len(header) + 11) % 64) + "\n"
            with open(self.path(name), "wb") as file:
                file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + bytes(values))

    def words(self, *more, data="t.csv"):
        # Squared loss is solved at once, so that many models take little time.
        return ["--in", data, "--target", "kind", "--threads", "1", "--loss", "squared", *more]

    def inspected(self):
        return json.loads(self.good("inspect", "m.samara", "--json").stdout)

    def test_inspect_knows_the_boards(self):
        self.good("train", WHOLE, *self.words("--features", "32", "--readout", "int8", "--out", "m.samara"))
        found = self.inspected()
        self.assertEqual(list(found["boards"]), CORES)
        for cost in found["boards"].values():
            self.assertGreater(cost["flash_bytes"], found["flash_bytes"] + 1000)
            self.assertGreater(cost["ram_bytes"], found["work_bytes"]["predictor"] + found["work_bytes"]["sample"])
            self.assertGreater(cost["instructions"], 2000)
        boards = found["boards"]
        # Twice the outputs or features are more work everywhere; no core has fewer instructions than the M4F's 32-bit ones.
        self.good("train", WHOLE, *self.words("--features", "64", "--readout", "int8", "--out", "m.samara"))
        for core, cost in self.inspected()["boards"].items():
            self.assertGreater(cost["instructions"], boards[core]["instructions"])
        self.assertGreater(boards["cortex-m0plus"]["instructions"], boards["cortex-m4f"]["instructions"])
        text = self.good("inspect", "m.samara").stdout
        self.assertRegex(text, r"cortex-m0plus +[\d,]+ +[\d,]+ +[\d,]+")
        # Powers, too: a square takes a transform more than a plain product, and a CountSketch none.
        costs = []
        for keys in ("degree=1,sketch=count", "degree=1", "degree=2"):
            self.good("train", f"{POWERS},{keys}", *self.words("--features", "64", "--readout", "int8", "--out", "m.samara"))
            found = self.inspected()
            self.assertEqual(list(found["boards"]), CORES)
            costs.append([cost["instructions"] for cost in found["boards"].values()])
        for counted, linear, square in zip(*costs):
            self.assertLess(counted, linear)
            self.assertLess(linear, square)
        # Of a map that nobody measured nothing is said.
        self.good("train", "ntk:features=64", *self.words("--out", "m.samara"))
        self.assertNotIn("boards", self.inspected())
        self.assertIn("were not measured", self.good("inspect", "m.samara").stdout)

    def test_budget_holds(self):
        for budget, core in (({"flash": 5000}, "cortex-m4f"), ({"instructions": 9000, "ram": 1000}, "cortex-m0plus")):
            words = [word for name, most in budget.items() for word in (f"--{name}", str(most))]
            done = self.good("train", WHOLE, *self.words(*words, "--for", core, "--out", "m.samara"))
            self.assertRegex(done.stderr, r"best of \d+ models within the budget: arccos in whole numbers, \d+ features")
            cost = self.inspected()["boards"][core]
            for name, most in budget.items():
                self.assertLessEqual(cost[name if name == "instructions" else name + "_bytes"], most)
            said = json.loads(self.good("evaluate", "m.samara", "--in", "t.csv", "--target", "kind", "--json").stdout)
            self.assertGreater(said["accuracy"], 0.75)

    def test_local_maps(self):
        self.images()
        said = self.good("train", LOCAL, *self.words("--features", "16", "--readout", "int4", "--out", "m.samara", data="bars.csv"))
        self.assertIn("chosen of 2048", said.stderr)
        found = self.inspected()
        self.assertEqual(found["work"]["family"], "local")
        # Filters of 12 or 16 bytes a feature are constants of the program; nothing of them is RAM.
        self.assertTrue(16 * 12 <= found["work_bytes"]["tables"] <= 16 * 16)
        self.assertEqual(found["work_bytes"]["predictor"], 36 * 2 + 128 + 4 * 2)
        flash = {core: cost["flash_bytes"] for core, cost in found["boards"].items()}
        places = sum(found["work"][name] for name in ("sums_of_two", "sums_of_four", "maxima_of_two", "maxima_of_four"))
        self.assertTrue(16 <= places <= 16 * 25)
        self.assertEqual(found["work"]["any_places"], 0)  # one channel, and balanced signs
        # More features take more of both; and three channels lie beside each other, so that filters are of the other kind.
        self.good("train", LOCAL, *self.words("--features", "48", "--readout", "int4", "--out", "m.samara", data="bars.csv"))
        for core, cost in self.inspected()["boards"].items():
            self.assertGreater(cost["flash_bytes"], flash[core] + 32 * 12)
        self.good("train", "local:height=3,width=4,channels=3", *self.words("--features", "16", "--out", "m.samara", data="bars.csv"))
        found = self.inspected()
        self.assertEqual(sum(found["work"][name] for name in ("sums_of_two", "maxima_of_four")), 0)
        self.assertGreater(found["work"]["any_taps"], found["work"]["any_places"])

    def test_budget_of_local_maps(self):
        self.images()
        words = self.words("--flash", "4400", "--instructions", "9K", "--ram", "1K", "--for", "cortex-m0plus", "--out", "m.samara",
                           data="bars.csv")
        done = self.good("train", LOCAL, *words)
        self.assertRegex(done.stderr, r"best of \d+ models within the budget: local in whole numbers, \d+ features of 2048, int[48]")
        found = self.inspected()
        cost = found["boards"]["cortex-m0plus"]
        for name, most in (("flash_bytes", 4400), ("instructions", 9000), ("ram_bytes", 1024)):
            self.assertLessEqual(cost[name], most)
        self.assertEqual(found["map"].split(":")[0], "local")
        said = json.loads(self.good("evaluate", "m.samara", "--in", "bars.csv", "--target", "kind", "--json").stdout)
        self.assertGreater(said["accuracy"], 0.9)
        self.bad("the smallest that was tried takes", "train", LOCAL, *self.words("--instructions", "500", "--out", "n.samara", data="bars.csv"))

    def test_shapes_of_files_count_without_a_map(self):
        self.images()
        labels = ["--target", "kinds.csv", "--threads", "1", "--loss", "squared", "--sizes", "8", "--readout", "int8", "--json"]
        for file, ways in (("images.npy", 1), ("planes.npy", 2)):
            models = json.loads(self.good("sweep", "--in", file, *labels).stdout)["models"]
            names = [m["model"] for m in models if m["model"].startswith("local")]
            self.assertEqual(names, ["local in whole numbers, 8 features of 2048, int8"] * ways)
            self.assertTrue(any(m["model"].startswith("arccos") for m in models))
            # A bar is where it is told from the other kind by the pixels beside it.
            best = max(models, key=lambda m: m["quality"])
            self.assertTrue(best["model"].startswith("local"), models)
        self.assertNotIn("local", self.good("sweep", *self.words("--sizes", "8", "--readout", "int8", data="bars.csv")).stdout)

    def test_sweep_of_local_maps(self):
        self.images()
        models = json.loads(self.good("sweep", LOCAL, *self.words("--sizes", "8,24", "--json", data="bars.csv")).stdout)["models"]
        self.assertEqual(len(models), 4)  # two sizes in four bits and in eight
        by_size = sorted(models, key=lambda m: m["instructions"])
        self.assertTrue(all("8 features of 2048" in m["model"] for m in by_size[:2]))
        self.assertGreater(max(m["quality"] for m in models), 0.8)

    def test_what_is_given_stays(self):
        self.good("train", WHOLE, *self.words("--flash", "8K", "--features", "24", "--candidates", "48", "--readout", "int4",
                                              "--out", "m.samara"))
        found = self.inspected()
        self.assertEqual(found["features"], 24)
        self.assertEqual(found["readout"], "int4, whole numbers")

    def test_few_rows_take_the_smallest(self):
        done = self.good("train", WHOLE, *self.words("--flash", "8K", "--out", "m.samara", data="few.csv"))
        self.assertIn("too few rows to tell", done.stderr)
        self.assertEqual(self.inspected()["features"], 8)

    def test_without_a_map(self):
        done = self.good("train", *self.words("--instructions", "4K", "--features", "16", "--out", "m.samara"))
        self.assertIn("models within the budget", done.stderr)
        self.assertLessEqual(self.inspected()["boards"]["cortex-m4f"]["instructions"], 4000)

    def test_weights_are_no_errors(self):
        """Rows that all count three times are predicted as well as rows that count once."""
        with open(self.path("w.csv"), "w", encoding="utf-8") as file:
            file.write("3\n" * len(self.rows))
        words = ["sweep", WHOLE, *self.words("--sizes", "8,24", "--readout", "int8", "--json")]
        once = json.loads(self.good(*words).stdout)["models"]
        thrice = json.loads(self.good(*words, "--weights", "w.csv").stdout)["models"]
        for a, b in zip(once, thrice):
            self.assertGreater(a["quality"], 0.6)
            self.assertAlmostEqual(a["quality"], b["quality"], delta=0.06)

    def test_rows_that_are_mostly_alike(self):
        """A median distance of 0 is no reason to refuse data for which nobody asked for a bandwidth."""
        numbers = random.Random(5)
        rows = [[int(numbers.random() < 0.1), 0, 0, 0, 9 * (i % 9 == 0)] for i in range(150)]
        self.table("alike.csv", [[*row, "in" if row[0] else "out"] for row in rows])
        for budget in (["--flash", "5K"], []):
            self.good("train", *self.words("--scale", "global", *budget, "--out", "m.samara", data="alike.csv"))
        self.bad("--bandwidths: found '90,0.5'", "train", "rff:numbers=int8",
                 *self.words("--bandwidths", "90,0.5", "--out", "n.samara"))

    def test_refusals(self):
        out = ["--out", "m.samara"]
        smallest = self.bad("the smallest that was tried takes", "train", WHOLE, *self.words("--flash", "1000", *out))
        # What it says would be enough is enough.
        needed = re.search(r"takes ([\d,]+) bytes of flash", smallest).group(1).replace(",", "")
        self.good("train", WHOLE, *self.words("--flash", needed, "--features", "8", *out))
        os.unlink(self.path("m.samara"))
        # What is named is the nearest to the budget, whatever that is of.
        fewest = self.bad("found no model", "train", *self.words("--instructions", "500", *out))
        needed = re.search(r"and ([\d,]+) instructions", fewest).group(1).replace(",", "")
        self.good("train", *self.words("--instructions", needed, *out))
        os.unlink(self.path("m.samara"))
        for part, words in (
                ("--for: found it without", ["--for", "cortex-m4f"]),
                ("--for: found 'cortex-m99'", ["--flash", "8K", "--for", "cortex-m99"]),
                ("--flash: found '8X'", ["--flash", "8X"]),
                ("--flash: found '0'", ["--flash", "0"]),
                ("--ram: found 'K'", ["--ram", "K"]),
                ("--instructions: found '-5'", ["--instructions=-5"]),
                ("--folds: found it", ["--flash", "8K", "--folds", "3"]),
                ("--features: found auto", ["--flash", "8K", "--features", "auto"]),
                ("--epochs: found it", ["--flash", "8K", "--epochs", "3"])):
            self.bad(part, "train", WHOLE.replace(":numbers=int8,orders=even", "") if "--epochs" in words else WHOLE,
                     *self.words(*words, *out))
        self.bad("found no model", "train", "ntk", *self.words("--flash", "8K", *out))

    def test_sweep(self):
        words = self.words("--sizes", "32,8", "--readout", "int8")
        found = json.loads(self.good("sweep", WHOLE, *words, "--json", "--for", "cortex-m0plus").stdout)
        self.assertEqual((found["core"], found["measure"]), ("cortex-m0plus", "accuracy"))
        models = found["models"]
        self.assertEqual(len(models), 6)  # two sizes, of which rows are not chosen, and chosen of twice and four times as many
        self.assertEqual([m["flash_bytes"] for m in models], sorted(m["flash_bytes"] for m in models))
        for cost, mark in (("flash_bytes", "best_for_flash"), ("instructions", "best_for_instructions")):
            best = [m for m in models if m[mark]]
            self.assertTrue(best)
            for m in models:
                beaten = any((o["quality"] > m["quality"] and o[cost] <= m[cost]) or
                             (o["quality"] >= m["quality"] and o[cost] < m[cost]) for o in models)
                self.assertEqual(m[mark], not beaten)
        table = self.good("sweep", WHOLE, *words).stdout
        self.assertEqual(len(re.findall(r"arccos in whole numbers, (?:8|32) features", table)), 6)
        self.bad("--sizes: found '8,x'", "sweep", WHOLE, *self.words("--sizes", "8,x"))
        self.bad("--plot: found 'a.pdf'", "sweep", WHOLE, *self.words("--plot", "a.pdf"))
        self.bad("found 20 rows", "sweep", WHOLE, *self.words(data="few.csv"))
        self.bad("--epochs", "sweep", WHOLE, *self.words("--epochs", "3"))

    @unittest.skipUnless(shutil.which("gnuplot"), "gnuplot draws")
    def test_figure(self):
        self.good("sweep", WHOLE, *self.words("--sizes", "8,16", "--readout", "int8", "--plot", "f.svg"))
        root = xml.etree.ElementTree.parse(self.path("f.svg")).getroot()
        self.assertIn("svg", root.tag)
        self.assertIn("instructions, cortex-m4f", "".join(root.itertext()))
        self.assertFalse(os.path.exists(self.path("f.svg.part")))


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""test_target_command.py SAMARA: what the first line of a CSV file is, and what a target means, as a user meets them."""
import array
import ast
import json
import math
import os
import struct
import unittest
import zipfile

from tool_case import ToolCase


def npy(descr, count, data):
    header = "{'descr': '%s', 'fortran_order': False, 'shape': (%d,), }" % (descr, count)
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data


def read_npy(path):
    """The type and the labels of a column as the tool writes it."""
    with open(path, "rb") as file:
        data = file.read()
    (length,) = struct.unpack("<H", data[8:10])
    header = ast.literal_eval(data[10:10 + length].decode("latin1"))
    rows, cols = header["shape"]
    assert cols == 1 and not header["fortran_order"]
    kind, data = header["descr"], data[10 + length:]
    if kind[1] == "U":
        width = 4 * int(kind[2:])
        return kind, [data[i * width:(i + 1) * width].decode("utf-32-le").rstrip("\0") for i in range(rows)]
    values = array.array({"<i8": "q", "<f8": "d"}[kind])
    values.frombytes(data)
    assert len(values) == rows
    return kind, list(values)


class Target(ToolCase):
    def setUp(self):
        super().setUp()
        self.x = [(math.sin(i * i), math.cos(7.1 * i)) for i in range(200)]
        self.y = [int(math.sin(i * i) > 0) for i in range(200)]
        self.write("x.csv", *("%r,%r" % row for row in self.x))
        self.write("y.csv", *self.y)
        self.write("kinds.csv", *self.kinds("dog", "cat"))

    def kinds(self, zero, one):
        return [one if y else zero for y in self.y]

    def write(self, name, *lines):
        with open(os.path.join(self.place, name), "wb") as file:
            if lines and isinstance(lines[0], bytes):
                file.write(lines[0])
            else:
                file.write("".join(str(line) + "\n" for line in lines).encode())

    def bad(self, part, *words):
        """Exit status 2, one line on standard error with `part` in it, nothing written."""
        before = sorted(os.listdir(self.place))
        result = self.run_tool(*words)
        self.assertEqual((result.returncode, result.stdout), (2, ""), (words, result))
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertIn(part, result.stderr)
        self.assertEqual(sorted(os.listdir(self.place)), before, words)

    @staticmethod
    def training(target, *words, data="x.csv"):
        return ("train", "arccos:features=64", "--in", data, "--target", target, "--out", "m.samara", "--ridge", ".01",
                *words)

    def accuracy(self, target, *words, data="x.csv"):
        return json.loads(self.good("evaluate", "m.samara", "--in", data, "--target", target, "--json",
                                    *words).stdout)["accuracy"]

    def test_a_target_one_row_longer_or_shorter_is_refused(self):
        for name, lines in (("numbers.csv", self.y), ("kinds.csv", self.kinds("dog", "cat"))):
            self.write("long.csv", lines[0], *lines)
            self.write("short.csv", *lines[1:])
            self.bad("long.csv: found a target of 201 rows, expected 200 as in x.csv", *self.training("long.csv"))
            self.bad("short.csv: found a target of 199 rows, expected 200 as in x.csv", *self.training("short.csv"))
            self.write("headed.csv", "a,b", *("%r,%r" % row for row in self.x))
            self.bad("long.csv: found a target of 201 rows, expected 200 as in headed.csv under its header",
                     *self.training("long.csv", data="headed.csv"))
            self.write(name, *lines)
            self.good(*self.training(name))
            for target in ("long.csv", "short.csv"):
                self.bad("expected 200 as in x.csv", "evaluate", "m.samara", "--in", "x.csv", "--target", target)
                self.bad("expected 200 as in x.csv", *self.training(name), "--test-in", "x.csv", "--test-target", target)

    def test_headers_of_targets(self):
        self.write("named.csv", "kind", *self.kinds("dog", "cat"))
        self.write("headed.csv", "a,b", *("%r,%r" % row for row in self.x))
        self.write("cut.csv", "kind", *self.kinds("dog", "cat")[1:])
        self.bad("named.csv: found a target of 201 rows, expected 200 as in x.csv (--target-header yes",
                 *self.training("named.csv"))
        self.bad("cut.csv: line 1, column 1: found 'kind', which no other line has", *self.training("cut.csv"))
        for words in (self.training("named.csv", data="headed.csv"), self.training("named.csv", "--target-header", "yes"),
                      self.training("named.csv", "--header", "yes", data="headed.csv")):
            self.assertIn("task: classify, 2 classes: 'cat', 'dog'", self.good(*words).stderr)
        self.assertGreater(self.accuracy("named.csv"), 0.9)  # 'kind' is none of the model's classes
        self.bad("'kind'", "evaluate", "m.samara", "--in", "x.csv", "--target", "cut.csv")
        self.write("values.csv", "value", *(a for a, _ in self.x))
        self.assertIn("task: regress, 1 target: 'value'", self.good(*self.training("values.csv")).stderr)

    def test_a_first_row_with_a_bad_cell_is_no_header(self):
        self.good(*self.training("y.csv"))
        rest = ["%r,%r" % row for row in self.x[1:]]
        for cell in ("NA", "3%", "1e"):
            self.write("bad.csv", cell + ",1", *rest)
            found = "bad.csv: line 1, column 1: found '%s' beside numbers, expected a number" % cell
            for words in (("predict", "m.samara", "--in", "bad.csv"), self.training("y.csv", data="bad.csv"),
                          ("evaluate", "m.samara", "--in", "bad.csv", "--target", "y.csv"),
                          ("features", "rff", "--in", "bad.csv"), ("compare", "rff", "--in", "bad.csv"),
                          ("kernel", "rff", "--in", "bad.csv"), ("kernel", "rff", "--in", "x.csv", "--with", "bad.csv")):
                self.bad(found, *words)
                self.bad("line 1, column 1: found '%s', expected a number\n" % cell, *words, "--header", "no")
            predictions = self.good("predict", "m.samara", "--in", "bad.csv", "--header", "yes").stdout
            self.assertEqual(predictions.count("\n"), 199)
            self.write("column.csv", cell, *(a for a, _ in self.x[1:]))
            self.bad("found '%s', expected a number, or the name of a column" % cell, "features", "rff", "--in",
                     "column.csv")

    def test_numbers_as_names(self):
        rows = ["%r,%r,%r,%d" % (a, b, a * b, y) for (a, b), y in zip(self.x, self.y)]
        self.write("pandas.csv", "0,1,2,target", *rows)
        self.bad("pandas.csv: line 1: found '0,1,2,target', which looks like the names", *self.training(
            "column:-1", data="pandas.csv"))
        self.bad("line 1: found '0,1,2,target'", *self.training("column:-1", "--task", "classify", data="pandas.csv"))
        for words in (self.training("target", data="pandas.csv"),
                      self.training("column:-1", "--header", "yes", data="pandas.csv")):
            self.assertIn("200 rows", self.good(*words).stderr)
        self.write("inputs.csv", "0,1,2", *(row.rpartition(",")[0] for row in rows))
        self.bad("line 1: found '0,1,2', which looks like the names", "predict", "m.samara", "--in", "inputs.csv")
        self.assertEqual(self.good("predict", "m.samara", "--in", "inputs.csv", "--header", "yes").stdout.count("\n"), 200)
        self.bad("--target: found the name 'target' beside --header no", *self.training(
            "target", "--header", "no", data="pandas.csv"))
        self.bad("--header: found 'maybe', expected 'auto', 'yes' or 'no'", *self.training("y.csv", "--header", "maybe"))

    def test_columns_in_another_order(self):
        for name, first, second in (("train.csv", "a", "b"), ("test.csv", "b", "a"), ("other.csv", "b", "c")):
            self.write(name, "%s,kind,%s" % (first, second), *("%r,%d,%r" % (a, y, b) for (a, b), y in zip(self.x, self.y)))
        words = self.training("kind", data="train.csv") + ("--test-in",)
        self.bad("test.csv: line 1: found the column 'b' where train.csv has 'a'", *words, "test.csv")
        self.good(*words, "train.csv")
        self.good(*words, "other.csv")

    def test_one_word_among_numbers(self):
        values = ["%.1f" % a for a, _ in self.x]
        values[57] = "NA"
        self.write("holes.csv", *values)
        self.bad("holes.csv: row 58 of the target: found 'NA', expected a number as in 199 of the 200 rows "
                 "(--task classify", *self.training("holes.csv"))
        self.bad("row 58 of the target: found 'NA', expected a number for regression", *self.training(
            "holes.csv", "--task", "regress"))
        said = self.good(*self.training("holes.csv", "--task", "classify")).stderr
        self.assertIn("task: classify, %d classes" % len(set(values)), said)
        self.assertIn("the class 'NA' of 1 row", said)

    def test_the_task_is_said_and_likely_other_ones(self):
        self.assertIn("samara: task: classify, 2 classes: '0', '1'\n", self.good(*self.training("y.csv")).stderr)
        for words in (("--folds", "3"), ("--exact", "--test-in", "x.csv", "--test-target", "y.csv")):
            said = self.good("train", "rff:features=16", "--in", "x.csv", "--target", "y.csv", *words).stderr
            self.assertIn("task: classify, 2 classes", said)
        self.write("floats.csv", *("%d.0" % (i % 7) for i in range(200)))
        self.write("floats.npy", npy("<f8", 200, struct.pack("<200d", *(i % 7 for i in range(200)))))
        for name in ("floats.csv", "floats.npy"):
            said = self.good(*self.training(name)).stderr
            self.assertIn("task: regress, 1 target\n", said)
            self.assertIn(name + ": the target looks like 7 classes; --task classify?", said)
            self.assertIn("task: classify, 7 classes", self.good(*self.training(name, "--task", "classify")).stderr)
            self.assertNotIn("looks like", self.good(*self.training(name, "--task", "regress")).stderr)
        self.write("prices.csv", *(1000 * i for i in range(200)))
        self.assertIn("--task regress?", self.good(*self.training("prices.csv")).stderr)

    def test_numbers_that_are_rounded_away(self):
        times = [1700000000 + 60 * i for i in range(200)]
        self.write("times.csv", "time,angle", *("%d,%r" % (t, x[1]) for t, x in zip(times, self.x)))
        words = ("train", "arccos:features=64", "--in", "times.csv", "--scale", "standardise", "--out", "m.samara", "--target")
        self.assertIn("times.csv: column 1 ('time') lies from 1700000000 to 1700011904, where float32 numbers are 128 apart",
                      self.good(*words, "y.csv").stderr)
        self.write("times.csv", *("%d,%r" % (t - 1.7e9, x[1]) for t, x in zip(times, self.x)))
        self.assertNotIn("float32", self.good(*words, "y.csv").stderr.replace("readout float32", ""))
        self.write("late.csv", *("%r" % (t + .5) for t in times))
        self.assertIn("late.csv: the target lies from 1700000000.5 to 1700011940.5, where float32",
                      self.good(*words, "late.csv").stderr)

    def test_labels_come_back_as_they_went_in(self):
        cases = (("large", [16777217, 16777219], "<i8"), ("huge", [9007199254740993, 9007199254740995], "<i8"),
                 ("beyond", [18446744073709551614, 18446744073709551615], "<U20"), ("zero", ["01", "1"], "<U2"),
                 ("sign", ["+1", "-1"], "<U2"), ("text", ["dog", "größer, \"als\""], "<U13"),
                 ("blanks", ['" dog"', "dog"], "<U4"), ("half", ["0.5", "1.5"], "<f8"))
        for name, (zero, one), kind in cases:
            self.write("labels.csv", *self.kinds(zero, '"%s"' % one.replace('"', '""') if name == "text" else one))
            said = self.good(*self.training("labels.csv", "--task", "classify")).stderr
            self.assertIn("task: classify, 2 classes", said)
            self.assertEqual("although they are one number" in said, name == "zero")
            self.good("predict", "m.samara", "--in", "x.csv", "--out", "p.npy")
            self.good("predict", "m.samara", "--in", "x.csv", "--out", "p.csv")
            found, labels = read_npy(os.path.join(self.place, "p.npy"))
            self.assertEqual(found, kind, name)
            zero = zero.strip('"') if isinstance(zero, str) else zero
            numbers = kind == "<f8"
            self.assertEqual(set(labels), {float(zero), float(one)} if numbers else {zero, one} if kind != "<U20" else
                             {str(zero), str(one)})
            for target in ("p.npy", "p.csv"):
                self.assertEqual(self.accuracy(target), 1.0, (name, target))
            self.assertGreater(self.accuracy("labels.csv"), 0.9)

    def test_labels_of_libsvm_files(self):
        def rows(zero, one):
            return ["%s 1:%r 2:%r" % (kind, *row) for kind, row in zip(self.kinds(zero, one), self.x)]
        words = ("arccos:features=64", "--in", "x.svm", "--out", "m.samara", "--ridge", ".01")
        # The same rules as of a target in a file of its own: a task that is said, classes as they are spelled.
        for zero, one, shown in (("-1", "+1", "'-1', '1'"), ("01", "1", "'01', '1'"),
                                 ("9007199254740993", "9007199254740994", "'9007199254740993', '9007199254740994'")):
            self.write("x.svm", *rows(zero, one))
            self.assertIn("task: classify, 2 classes: " + shown, self.good("train", *words).stderr)
            self.good("predict", "m.samara", "--in", "x.csv", "--out", "p.npy")
            kind, labels = read_npy(os.path.join(self.place, "p.npy"))
            self.assertEqual(", ".join(sorted(map("'{}'".format, set(labels)))), shown)
            self.assertEqual(kind, "<U2" if zero == "01" else "<i8")
            found = json.loads(self.good("evaluate", "m.samara", "--in", "x.svm", "--json").stdout)
            self.assertGreater(found["accuracy"], 0.9)
        self.write("x.svm", *rows("0", "1.0"))
        said = self.good("train", *words).stderr
        self.assertIn("task: regress, 1 target\n", said)
        self.assertIn("x.svm: the target looks like 2 classes; --task classify?", said)
        self.write("x.svm", *rows("0", "1")[1:], "1e400 1:1")
        self.bad("x.svm: row 200 of the target: found '1e400', expected a number within float64's range", "train", *words)
        self.write("x.svm", *rows("0", "1"))
        self.write("more.svm", *rows("0", "1")[:9], "7 1:1")
        self.good("train", *words)
        self.bad("more.svm: row 10 of the target: found the class '7', expected one of the 2", "evaluate", "m.samara",
                 "--in", "more.svm")

    def test_options_of_reading_work_together(self):
        self.write("x.txt", "0,1", *("%r,%r" % row for row in self.x))
        self.write("y.csv", "0", *self.kinds("dog", "cat"))
        reading = ("--in", "x.txt", "--format", "csv", "--header", "yes", "--most-memory", "1M")
        self.good("train", "arccos:features=64", *reading, "--target", "y.csv", "--out", "m.samara", "--ridge", ".01")
        said = self.good("evaluate", "m.samara", *reading, "--target", "y.csv").stdout
        self.assertIn("rows               200\n", said)
        self.bad("y.csv: found a target of 201 rows", "evaluate", "m.samara", *reading, "--target", "y.csv",
                 "--target-header", "no")
        for words in (("predict", "m.samara"), ("features", "rff:features=2")):
            self.assertEqual(len(self.good(*words, *reading).stdout.splitlines()), 200)
        self.assertEqual(len(self.good("kernel", "rff", *reading).stdout.splitlines()), 200)
        self.assertIn("200 rows", self.good("compare", "rff", "--seeds", "1", *reading).stdout)
        for words in (("train", "arccos", "--target", "y.csv", "--out", "z"), ("features", "rff"), ("kernel", "rff"),
                      ("evaluate", "m.samara", "--target", "y.csv"), ("predict", "m.samara"), ("compare", "rff")):
            self.bad("of --most-memory", *words, *reading[:-1], "500")
            self.bad("x.txt: found the name 'x.txt'", *words, "--in", "x.txt")
            self.bad("--columns: found it with x.txt", *words, *reading, "--columns", "2")

    def test_labels_of_text_in_npy(self):
        def arrays(zero, one, width):
            kinds = self.kinds(zero, one)
            for descr, codec in (("<U%d" % width, "utf-32-le"), (">U%d" % width, "utf-32-be"), ("|S%d" % width, "utf-8")):
                size = width if descr[1] == "S" else 4 * width
                yield npy(descr, 200, b"".join(kind.encode(codec).ljust(size, b"\0") for kind in kinds))
        for data in arrays("dog", "kätzin", 8):
            self.write("kinds.npy", data)
            self.assertIn("task: classify, 2 classes: 'dog', 'kätzin'", self.good(*self.training("kinds.npy")).stderr)
            self.assertGreater(self.accuracy("kinds.npy"), 0.9)
        for data in arrays("01", "1", 2):
            self.write("kinds.npy", data)
            self.assertIn("task: classify, 2 classes: '01', '1'", self.good(*self.training("kinds.npy")).stderr)
        self.write("wide.npy", npy("<i8", 200, struct.pack("<200q", *(2**62 + y for y in self.y))))
        self.assertIn("'4611686018427387904', '4611686018427387905'", self.good(*self.training("wide.npy")).stderr)
        self.bad("kinds.npy: found dtype", "features", "rff", "--in", "kinds.npy")
        self.write("long.npy", npy("|S1", 201, b"a" * 201))
        self.bad("long.npy: found a target of 201 rows, expected 200 as in x.csv", *self.training("long.npy"))
        with zipfile.ZipFile(os.path.join(self.place, "kinds.npz"), "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("arr_0.npy", next(arrays("dog", "kätzin", 8)))
        self.assertIn("task: classify, 2 classes: 'dog', 'kätzin'", self.good(*self.training("kinds.npz")).stderr)
        self.bad("kinds.npz: found dtype", "features", "rff", "--in", "kinds.npz")
        self.write("latin.csv", b"".join(b"\xe9\n" if y else b"x\n" for y in self.y))
        self.good(*self.training("latin.csv"))
        before = sorted(os.listdir(self.place))
        self.bad("which is no UTF-8, expected a .csv file", "predict", "m.samara", "--in", "x.csv", "--out", "p.npy")
        self.assertEqual(sorted(os.listdir(self.place)), before)
        self.good("predict", "m.samara", "--in", "x.csv", "--out", "p.csv")
        self.assertEqual(self.accuracy("p.csv"), 1.0)


if __name__ == "__main__":
    unittest.main()

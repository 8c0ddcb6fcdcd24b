#!/usr/bin/env python3
"""test_data_command.py SAMARA: data files as users have them and places that results go to, through every command."""
import gzip
import io
import json
import os
import random
import resource
import shutil
import signal
import stat
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import zipfile

tool = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else "samara"


def npy(kind, code, shape, values, fortran=False):
    header = "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }\n" % (kind, fortran, tuple(shape))
    order = ">" if kind[0] == ">" else "<"
    return (b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() +
            struct.pack("%s%d%s" % (order, len(values), code), *values))


class Data(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.mkdtemp(prefix="samara-data-")
        self.addCleanup(shutil.rmtree, self.place)
        numbers = random.Random(3)
        # Four inputs of which some are 0; the last one is, everywhere but in the first row.
        self.x = [[round(numbers.uniform(-1, 1), 3) if numbers.random() < 0.7 else 0.0 for _ in range(4)]
                  for _ in range(60)]
        for row in self.x:
            row[3] = 0.0
        self.x[0][3] = 0.5
        self.y = [1 if row[0] + row[1] > 0 else -1 for row in self.x]
        self.write("x.csv", "".join(",".join(map(repr, row)) + "\n" for row in self.x))
        self.write("y.csv", "".join("%d\n" % value for value in self.y))
        self.write("x.npy", npy("<f4", "f", (60, 4), [value for row in self.x for value in row]))
        self.write("x.svm", self.libsvm(self.x, self.y))

    @staticmethod
    def libsvm(x, y):
        return "".join("%+d %s # a row\n" % (label, " ".join("%d:%r" % (j + 1, value) for j, value in enumerate(row)
                                                              if value != 0)) for row, label in zip(x, y))

    def path(self, name):
        return os.path.join(self.place, name)

    def write(self, name, contents):
        with open(self.path(name), "wb") as file:
            file.write(contents if isinstance(contents, bytes) else contents.encode())

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def run_tool(self, *words, **options):
        environment = {name: value for name, value in os.environ.items() if name != "SAMARA_SIMD"}
        options = {"stdout": subprocess.PIPE, **options}
        return subprocess.run([tool, *words], cwd=self.place, env=environment, stderr=subprocess.PIPE, text=True,
                              timeout=120, check=False, **options)

    def good(self, *words, **options):
        result = self.run_tool(*words, **options)
        self.assertEqual(result.returncode, 0, (words, result))
        return result

    def bad(self, part, *words, **options):
        """Exit status 2, one sentence with `part` in it, and every file as it was."""
        before = {name: self.read(name) for name in os.listdir(self.place) if os.path.isfile(self.path(name))}
        result = self.run_tool(*words, **options)
        self.assertEqual(result.returncode, 2, (words, result))
        last = result.stderr.splitlines()[-1]
        self.assertTrue(last.startswith("samara: "), result.stderr)
        self.assertIn(part, last)
        after = {name: self.read(name) for name in os.listdir(self.place) if os.path.isfile(self.path(name))}
        self.assertEqual(after, before, words)

    def train(self, *words, data="x.csv", target="y.csv", out="m.samara"):
        return self.good("train", "rff:features=32", "--ridge", "1e-3", "--threads", "1", "--in", data,
                         *(("--target", target) if target else ()), "--out", out, *words)


class Outputs(Data):
    def test_no_command_writes_over_its_data(self):
        self.train()
        self.train("--readout", "int8", out="m.csv")
        os.symlink("x.csv", self.path("soft.csv"))
        os.link(self.path("x.csv"), self.path("hard.csv"))
        for out in ("x.csv", "./x.csv", "soft.csv", "hard.csv", self.path("x.csv")):
            same = "--out " + out + ": found the same file as "
            for words in (("features", "rff:features=2", "--in", "x.csv"),
                          ("kernel", "rff", "--in", "x.npy", "--with", "x.csv"),
                          ("train", "rff", "--in", "x.npy", "--target", "x.csv"),
                          ("train", "rff", "--in", "x.npy", "--target", "y.csv", "--valid-in", "x.csv",
                           "--valid-target", "y.csv"),
                          ("train", "rff", "--in", "x.npy", "--target", "y.csv", "--test-in", "x.npy",
                           "--test-target", "x.csv"),
                          ("predict", "m.samara", "--in", "x.csv"),
                          ("merge", "m.samara", "x.csv"),
                          ("export", "x.csv", "--c-header")):
                self.bad(same, *words, "--out", out)
                self.bad("x.csv", *words, "--out", out)
            self.bad("--state-out " + out + ": found the same file as the argument x.csv", "merge", "m.samara", "x.csv",
                     "--state-out", out)
        self.bad("--out m.csv: found the same file as the argument m.csv", "predict", "m.csv", "--in", "x.csv", "--out",
                 "m.csv")
        self.bad("--out m.samara: found the same file as", "export", "m.samara", "--c-source", "--out", "m.samara")
        shutil.copy(self.path("m.samara"), self.path("model.h"))
        self.bad("--out ./model.h: found the same file as", "export", "model.h", "--c-function", "--name", "m", "--out",
                 "./model")
        self.bad("--state-out sum.bin: found the same file as --out ./sum.bin", "merge", "m.samara", "x.csv", "--out",
                 "./sum.bin", "--state-out", "sum.bin")
        for words in (("features", "rff:features=2", "--in", "x.csv"), ("compare", "rff", "--in", "x.csv"),
                      ("evaluate", "m.samara", "--in", "x.csv", "--target", "y.csv"),
                      ("predict", "m.samara", "--in", "x.csv"), ("inspect", "m.samara")):
            for name in ("x.csv", "m.samara"):
                if name in words:
                    with open(self.path(name), "ab") as file:
                        self.bad("standard output: found the same file as", *words, stdout=file)
        # Another file of the same name elsewhere, and the name of an argument that is no file.
        os.mkdir(self.path("other"))
        self.good("features", "rff:features=2", "--in", "x.csv", "--out", "other/x.csv")
        self.good("features", "rff:features=2", "--in", "x.csv", "--out", "other/x.csv")
        self.good("train", "rff", "--in", "x.csv", "--target", "y.csv", "--out", "rff")
        self.good("train", "rff", "--in", "x.csv", "--target", "y.csv", "--out", "rff")

    def test_links_and_modes(self):
        os.mkdir(self.path("store"))
        self.write("store/z.csv", "older")
        os.chmod(self.path("store/z.csv"), 0o640)
        os.symlink("store/z.csv", self.path("z.csv"))
        os.symlink("store/model", self.path("m.samara"))
        self.good("features", "rff:features=2", "--in", "x.csv", "--out", "z.csv")
        self.train()
        for name in ("z.csv", "m.samara"):
            self.assertTrue(os.path.islink(self.path(name)))
        self.assertEqual(len(self.read("store/z.csv").splitlines()), 60)
        self.assertEqual(stat.S_IMODE(os.stat(self.path("store/z.csv")).st_mode), 0o640)
        self.assertEqual(self.read("store/model")[:6], b"samara")
        self.assertEqual(sorted(os.listdir(self.path("store"))), ["model", "z.csv"])
        # The directory that counts is the target's.
        os.symlink("nowhere/z.csv", self.path("lost.csv"))
        self.bad("lost.csv: cannot write in its directory", "features", "rff", "--in", "x.csv", "--out", "lost.csv")

    def test_pipes_devices_and_standard_output(self):
        wanted = self.good("features", "rff:features=2", "--in", "x.csv").stdout
        for out in ("-", "/dev/stdout", "/dev/fd/1"):
            self.assertEqual(self.good("features", "rff:features=2", "--in", "x.csv", "--out", out).stdout, wanted)
            with open(self.path("log"), "wb") as log:
                log.write(b"first\n")
                log.flush()
                number = os.fstat(log.fileno()).st_ino
                self.good("features", "rff:features=2", "--in", "x.csv", "--out", out, stdout=log)
                log.seek(0, os.SEEK_END)
                log.write(b"last\n")
            self.assertEqual(self.read("log").decode(), "first\n" + wanted + "last\n")
            self.assertEqual(os.stat(self.path("log")).st_ino, number)
        self.good("features", "rff:features=2", "--in", "x.csv", "--out", "/dev/null")
        self.train(out="/dev/null")
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/null").st_mode))
        os.mkfifo(self.path("pipe"))
        found = []

        def drain():
            with open(self.path("pipe"), encoding="utf-8") as pipe:
                found.append(pipe.read())
        reader = threading.Thread(target=drain)
        reader.start()
        self.good("features", "rff:features=2", "--in", "x.csv", "--out", "pipe")
        reader.join(20)
        self.assertEqual(found, [wanted])
        self.assertTrue(stat.S_ISFIFO(os.stat(self.path("pipe")).st_mode))

    def test_signals_leave_nothing(self):
        before = sorted(os.listdir(self.place))
        # The system's own, in the middle of a file.
        result = self.run_tool("features", "rff:features=4096", "--in", "x.csv", "--out", "z.npy",
                               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000)))
        self.assertNotEqual(result.returncode, 0)
        self.assertEqual(sorted(os.listdir(self.place)), before)
        # Writing takes long enough for the temporary to be seen.
        for number in (signal.SIGQUIT, signal.SIGHUP):
            def plain(number=number):
                signal.signal(number, signal.SIG_DFL)  # a test in the background may have it ignored
                resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            with subprocess.Popen([tool, "features", "rff:features=65536", "--in", "x.csv", "--out", "z.csv"],
                                  cwd=self.place, stderr=subprocess.DEVNULL,
                                  preexec_fn=plain) as process:
                end = time.monotonic() + 60
                while process.poll() is None and not any(".part" in name for name in os.listdir(self.place)):
                    self.assertLess(time.monotonic(), end)
                process.send_signal(number)
                self.assertEqual(process.wait(20), -number)
            self.assertEqual(sorted(os.listdir(self.place)), before)


class Inputs(Data):
    def use_of(self, *words):
        """Memory in KB and times of the processor, which others on the machine do not change."""
        with open(os.devnull, "wb") as nowhere:
            process = subprocess.Popen([tool, *words], cwd=self.place, stdout=nowhere, stderr=nowhere)
            use = os.wait4(process.pid, 0)[2]
            process.returncode = 0  # it was waited for
        return use

    def test_compressed_files_are_judged_by_their_header(self):
        zeros = io.BytesIO()
        with gzip.GzipFile(fileobj=zeros, mode="wb", compresslevel=1) as file:
            for _ in range(400):
                file.write(bytes(1000000))
        for name, part in (("z.npy.gz", "expected the NPY signature"), ("z.idx.gz", "IDX element type 0"),
                           ("z.csv.gz", "found a zero at byte 1"), ("z.svm.gz", "found a zero at byte 1")):
            self.write(name, zeros.getvalue())
            for words in (("features", "rff:features=2"), ("train", "rff", "--target", "y.csv")):
                self.bad(part, *words, "--in", name, "--out", "m.csv")
                # Far from the 400 MB that are in it.
                self.assertLess(self.use_of(*words, "--in", name, "--out", "m.csv").ru_maxrss, 300000)
        self.bad("z.npy.gz: found", "train", "rff", "--in", "x.csv", "--target", "z.npy.gz", "--out", "m.csv")
        # A header that tells the truth, and one that does not.
        header = npy("<f4", "f", (100000, 1000), [])
        with gzip.GzipFile(self.path("wide.npy.gz"), "wb", 1) as file:
            file.write(header)
            for _ in range(400):
                file.write(bytes(1000000))
        for words in (("features", "rff:features=2"), ("train", "rff", "--target", "y.csv")):
            self.bad("wide.npy.gz: found an array of 100000 rows of 1000 values, which takes 400 MB of memory, "
                     "expected at most the 100 MB of --most-memory", *words, "--in", "wide.npy.gz", "--out", "m.csv",
                     "--most-memory", "100M")
        self.write("lie.npy", npy("<f4", "f", (10 ** 12, 4), [1.0]))
        self.write("lie.npy.gz", gzip.compress(self.read("lie.npy")))
        self.bad("lie.npy: found 4 bytes of data (truncated), expected 16000000000000", "features", "rff", "--in",
                 "lie.npy", "--out", "z.npy")
        self.bad("lie.npy.gz: found an array of 1000000000000 rows", "features", "rff", "--in", "lie.npy.gz", "--out",
                 "z.npy")
        self.write("x.npy.gz", gzip.compress(self.read("x.npy")))
        self.assertEqual(self.good("features", "rff:features=2", "--in", "x.npy.gz").stdout,
                         self.good("features", "rff:features=2", "--in", "x.npy").stdout)

    def test_limits_of_memory(self):
        for size in ("0", "-1", "much", "1X"):
            self.bad("--most-memory: found '%s', expected a number of bytes" % size, "features", "rff", "--in", "x.csv",
                     "--most-memory", size)
        for command in ("features", "kernel", "compare", "train", "evaluate", "predict"):
            self.assertRegex(self.good(command, "--help").stdout,
                             r"--most-memory SIZE .*\n?.*\(default: half of the machine's\)")
        for name in ("x.csv", "x.npy"):
            self.bad(name + ": found", "features", "rff", "--in", name, "--most-memory", "500")
            self.bad("of --most-memory", "features", "rff", "--in", name, "--most-memory", "500")

    def test_fortran_order_is_read_in_one_pass(self):
        # Two rows of 400,000 columns took seconds, column by column.
        values = [random.Random(1).random() for _ in range(1000)] * 800
        order = [values[i * 400000 + j] for j in range(400000) for i in range(2)]
        self.write("c.npy", npy(">f8", "d", (2, 400000), values))
        self.write("f.npy", npy(">f8", "d", (2, 400000), order, True))
        times = []
        for name in ("c.npy", "f.npy"):
            use = self.use_of("features", "rff:features=2,rows=dense", "--in", name, "--out", name + ".z.csv")
            times.append(use.ru_utime + use.ru_stime)
        self.assertEqual(self.read("c.npy.z.csv"), self.read("f.npy.z.csv"))
        self.assertLess(times[1], 3 * times[0] + 0.5)

    def test_shapes(self):
        flat = [value for row in self.x for value in row]
        wanted = self.good("features", "rff:features=4", "--in", "x.npy").stdout
        for shape, said in (((60, 2, 2), "60 x 2 x 2"), ((60, 1, 2, 2), "60 x 1 x 2 x 2"), ((60, 4, 1), "60 x 4 x 1")):
            self.write("s.npy", npy("<f4", "f", shape, flat))
            result = self.good("features", "rff:features=4", "--in", "s.npy")
            self.assertEqual((result.stdout, result.stderr),
                             (wanted, "samara: s.npy: shape %s read as rows of 4\n" % said))
            self.assertIn("s.npy: shape %s read as rows of 4\n" % said, self.train(data="s.npy").stderr)
        turned = [self.x[i][2 * j + k] for k in range(2) for j in range(2) for i in range(60)]
        self.write("s.npy", npy("<f4", "f", (60, 2, 2), turned, True))
        self.assertEqual(self.good("features", "rff:features=4", "--in", "s.npy").stdout, wanted)
        for shape, values in (((), [1.0]), ((0, 4), []), ((60, 0, 2), []), ((1, 1, 1, 1, 1), [1.0])):
            self.write("s.npy", npy("<f4", "f", shape, values))
            self.bad("s.npy: found an array of shape", "features", "rff", "--in", "s.npy")

    def test_numbers_out_of_range(self):
        huge = "1" + "0" * 400
        for text in (huge, huge + "e-10", "-1e400", "0." + "0" * 400 + "1e800"):
            self.write("n.csv", "1,2\n3,%s\n" % text)
            self.bad("n.csv: line 2, column 2: found", "features", "rff:features=2", "--in", "n.csv")
            self.write("t.csv", "1.5\n" * 59 + text + "\n")
            self.bad("t.csv: ", "train", "rff", "--in", "x.csv", "--target", "t.csv", "--out", "m", "--task", "regress")
        self.write("n.csv", "1,0\n")
        wanted = self.good("features", "rff:features=2", "--in", "n.csv").stdout
        for text in ("1e-400", "0." + "0" * 400 + "1", "1e-50"):
            self.write("n.csv", "1,%s\n" % text)
            self.assertEqual(self.good("features", "rff:features=2", "--in", "n.csv").stdout, wanted)

    def test_libsvm(self):
        self.train()
        wanted = self.good("predict", "m.samara", "--in", "x.csv").stdout
        accuracy = lambda *words: json.loads(self.good("evaluate", "s.samara", "--json", *words).stdout)["accuracy"]
        # The labels are the target; the same model as from the same numbers with their zeros.
        self.train(data="x.svm", target=None, out="s.samara")
        self.assertEqual(self.read("s.samara"), self.read("m.samara"))
        self.train(data="x.svm", target="y.csv", out="s.samara")
        self.assertEqual(self.read("s.samara"), self.read("m.samara"))
        self.assertGreater(accuracy("--in", "x.svm"), 0.9)
        self.assertEqual(accuracy("--in", "x.svm"), accuracy("--in", "x.csv", "--target", "y.csv"))
        # A file whose last column is 0 everywhere: the model knows that there is one.
        self.write("some.libsvm", self.libsvm(self.x[1:], self.y[1:]))
        self.assertEqual(self.good("predict", "s.samara", "--in", "some.libsvm").stdout,
                         "".join(wanted.splitlines(True)[1:]))
        self.assertGreater(accuracy("--in", "some.libsvm"), 0.9)
        # Validation rows judge the probabilities, too: another model.
        self.train("--test-in", "some.libsvm", "--valid-in", "some.libsvm", data="x.svm", target=None, out="v.samara")
        narrow = self.train(data="some.libsvm", target=None, out="n.samara")
        self.assertIn("59 rows", narrow.stderr)
        self.bad("some.libsvm: line 1: found the index of", "train", "rff", "--in", "some.libsvm", "--columns", "2",
                 "--out", "w.samara")
        self.bad("x.svm: line 1: found the index of '4:0.5', expected one from 1 to 3", "predict", "n.samara", "--in",
                 "x.svm")
        self.train("--columns", "4", data="some.libsvm", target=None, out="w.samara")
        self.good("predict", "w.samara", "--in", "x.csv")
        # Without labels there is something to predict and nothing to learn; names may lie, and --format mends that.
        bare = lambda rows: "".join(line.split(" ", 1)[1] for line in self.libsvm(rows, [0] * len(rows)).splitlines(True))
        self.write("bare.svm", bare(self.x))
        self.bad("expected a label in front of every row", "predict", "s.samara", "--in", "bare.svm")
        some = [row for row in self.x if any(row)]
        self.assertLess(len(some), 60)
        self.write("bare.svm", bare(some))
        wanted = self.good("predict", "s.samara", "--in", "bare.svm", "--format", "libsvm").stdout
        self.write("some.csv", "".join(",".join(map(repr, row)) + "\n" for row in some))
        self.assertEqual(self.good("predict", "s.samara", "--in", "some.csv").stdout, wanted)
        self.bad("bare.svm: found no labels in it, expected --target", "train", "rff", "--in", "bare.svm", "--out", "m")
        shutil.copy(self.path("x.svm"), self.path("train.txt"))
        self.bad("found the name 'train.txt'", "train", "rff", "--in", "train.txt", "--out", "t.samara")
        self.train("--format", "libsvm", data="train.txt", target=None, out="t.samara")
        self.assertEqual(self.read("t.samara"), self.read("m.samara"))
        self.write("x.svm.gz", gzip.compress(self.read("x.svm")))
        self.train(data="x.svm.gz", target=None, out="t.samara")
        self.assertEqual(self.read("t.samara"), self.read("m.samara"))
        for words in (("features", "rff:features=2"), ("kernel", "rff"), ("compare", "rff", "--seeds", "1", "--json")):
            of_csv = self.good(*words, "--in", "x.csv").stdout
            self.assertEqual(self.good(*words, "--in", "x.svm").stdout, of_csv.replace("x.csv", "x.svm"))
        self.bad("--columns: found it with x.csv, expected a libsvm file", "features", "rff", "--in", "x.csv",
                 "--columns", "4")
        self.bad("--target", "train", "rff", "--in", "x.csv", "--out", "m")
        self.write("multi.svm", "1,2 1:1\n")
        self.bad("multi.svm: line 1: found the label '1,2'", "features", "rff", "--in", "multi.svm")
        # Values, and not classes.
        self.write("values.svm", "".join("%r 1:%r 2:%r\n" % (row[0] + row[1], row[0], row[1]) for row in self.x))
        self.train(data="values.svm", target=None, out="v.samara")
        report = json.loads(self.good("evaluate", "v.samara", "--json", "--in", "values.svm").stdout)
        self.assertGreater(report["r_squared"], 0.95)

    def sparse(self, compression, **changes):
        entries = [(i, j, value) for i, row in enumerate(self.x) for j, value in enumerate(row) if value != 0]
        starts = [sum(entry[0] < i for entry in entries) for i in range(61)]
        arrays = {"indices": npy("<i4", "i", (len(entries),), [entry[1] for entry in entries]),
                  "indptr": npy("<i4", "i", (61,), starts),
                  "format": npy("|S3", "b", (), []) + b"csr",
                  "shape": npy("<i8", "q", (2,), [60, 4]),
                  "data": npy("<f8", "d", (len(entries),), [entry[2] for entry in entries]), **changes}
        place = io.BytesIO()
        with zipfile.ZipFile(place, "w", compression) as archive:
            for name, contents in arrays.items():
                with archive.open(name + ".npy", "w", force_zip64=True) as member:
                    member.write(contents)
        return place.getvalue()

    def test_npz(self):
        self.train()
        for compression in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            self.write("x.npz", self.sparse(compression))
            self.train(data="x.npz", out="s.samara")
            self.assertEqual(self.read("s.samara"), self.read("m.samara"))
            self.assertEqual(self.good("predict", "m.samara", "--in", "x.npz").stdout,
                             self.good("predict", "m.samara", "--in", "x.csv").stdout)
            self.assertEqual(self.good("features", "rff:features=2", "--in", "x.npz").stdout,
                             self.good("features", "rff:features=2", "--in", "x.csv").stdout)
            self.good("evaluate", "m.samara", "--in", "x.npz", "--target", "y.csv")
        self.write("x.npz", self.sparse(zipfile.ZIP_STORED, indices=npy("<i4", "i", (1,), [-1])))
        self.bad("x.npz: indices.npy: found the column -1", "features", "rff", "--in", "x.npz")
        self.write("x.npz", self.sparse(zipfile.ZIP_STORED, format=npy("|S3", "b", (), []) + b"coo"))
        self.bad("format 'coo', expected 'csr'", "features", "rff", "--in", "x.npz")
        with zipfile.ZipFile(self.path("one.npz"), "w") as archive:
            archive.writestr("x.npy", self.read("x.npy"))
        self.assertEqual(self.good("features", "rff:features=2", "--in", "one.npz").stdout,
                         self.good("features", "rff:features=2", "--in", "x.npy").stdout)
        # A small archive of many zeros.
        with zipfile.ZipFile(self.path("bomb.npz"), "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("x.npy", npy("|u1", "B", (100000, 1000), []) + bytes(100000000))
        self.bad("bomb.npz: found an array of 100000 rows of 1000 values, which takes 100 MB", "features", "rff", "--in",
                 "bomb.npz", "--most-memory", "50M")


if __name__ == "__main__":
    unittest.main()

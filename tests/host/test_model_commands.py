#!/usr/bin/env python3
"""test_model_commands.py SAMARA INCLUDE... LIBRARY: inspects, exports and merges sealed models as a user would; the exported C is
compiled and used, in C99 and in C++20."""
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

from every_map import every_map, with_features

tool = os.path.abspath(sys.argv.pop(1))
includes = []
while len(sys.argv) > 2:
    includes.append("-I" + os.path.abspath(sys.argv.pop(1)))
# What a program is linked with: the library, and in builds that count lines what counts them.
library = [os.path.abspath(sys.argv.pop(1)), *os.environ.get("SAMARA_LINK_ARGS", "").split()]

# Of an accumulator of 32 features and 2 outputs.
DIGEST = zlib.crc32(struct.pack("<2I", 32, 2)) & 0x7FFFFFFF

C_PROGRAM = r"""
#include <stdio.h>
#include <samara/samara.h>
#include "model.h"
int main(void)
{
    samara_model model;
    float x[3] = {0.25f, -0.5f, 1.0f}, y[2], work[4096];
    int status = samara_open(&model, toy, sizeof toy);
    if (status == SAMARA_OK)
        status = samara_scores(&model, x, y, work, sizeof work);
    printf("%s %.9g %.9g\n", samara_status_text(status), y[0], y[1]);
    return status;
}
"""
CPP_PROGRAM = r"""
#include <cstdio>
#include <samara/samara.hpp>
#include "model.h"
static samara::FixedPredictor<toy> predictor;
int main()
{
    float x[3] = {0.25f, -0.5f, 1.0f}, y[2];
    const samara::Status status = predictor.scores(x, y);
    std::printf("%s %.9g %.9g\n", samara::text(status), y[0], y[1]);
    return predictor.check() == samara::Status::ok && sizeof predictor < 2000 ? 0 : 1;
}
"""
# What a device needs by the library's own functions; that it is enough, and that 4 bytes less are not.
COSTS_PROGRAM = r"""
#include <stdio.h>
#include <samara/samara.h>
#include "model.h"
int main(void)
{
    static samara_model model;
    static float x[16], y[2], work[16384];
    uint32_t best;
    size_t bytes;
    int status = samara_open(&model, toy, sizeof toy);
    if (status != SAMARA_OK)
        return 1;
    bytes = samara_workspace_bytes(&model);
    if (samara_predict(&model, x, &best, y, work, bytes) != SAMARA_OK ||
        samara_predict(&model, x, &best, y, work, bytes - 4) != SAMARA_SMALL_WORKSPACE)
        return 2;
    printf("ok %zu %zu", bytes, samara_learner_state_bytes(&model));
    return 0;
}
"""
DEEP_PROGRAM = r"""
#include <cstdio>
#include <samara/samara.hpp>
%s
template <const auto& bytes>
static samara::FixedPredictor<bytes> predictor;
template <const auto& bytes>
static int run()
{
    float x[3] = {0.25f, -0.5f, 1.0f}, y[2] = {};
    if (predictor<bytes>.check() != samara::Status::ok || predictor<bytes>.scores(x, y) != samara::Status::ok)
        return 1;
    std::printf(" %%.9g %%.9g", y[0], y[1]);
    return 0;
}
int main()
{
    std::printf("ok");
    return %s;
}
"""


# A C program that calls the functions of a model and prints every score; its exit code says what went wrong.
FUNCTION_PROGRAM = """
#include <stdio.h>
#include "toy_function.h"

static const float x[][TOY_INPUTS] = {%s};

int main(void)
{
    unsigned i;
    if (toy_check() != 0)
        return 1;
    for (i = 0; i < sizeof x / sizeof x[0]; ++i) {
        float scores[TOY_OUTPUTS];
        uint32_t best = 99, o, largest = 0;
        if (toy_scores(x[i], scores) != 0 || toy_predict(x[i], &best) != 0)
            return 2;
        for (o = 0; o < TOY_OUTPUTS; ++o) {
            largest = scores[o] > scores[largest] ? o : largest;
            printf("%%.9g\\n", (double)scores[o]);
        }
        if (best != largest)
            return 3;
    }
    return 0;
}
"""


class Models(unittest.TestCase):
    digest = 0  # of the states that state() makes

    def setUp(self):
        self.place = tempfile.mkdtemp(prefix="samara-models-")
        self.addCleanup(shutil.rmtree, self.place)
        numbers = random.Random(3)
        self.x = [[round(numbers.uniform(-1, 1), 3) for _ in range(3)] for _ in range(60)]
        self.y = [[a * b + 0.5, a - c * c] for a, b, c in self.x]
        self.write("x.csv", self.x)
        self.write("y.csv", self.y)
        self.write("one.csv", [[0.25, -0.5, 1.0]])
        self.spec = "rff:features=32,bandwidth=2,seed=4"
        self.train("toy.samara")

    def train(self, name):
        self.good("train", self.spec, "--in", "x.csv", "--target", "y.csv", "--ridge", "1e-3", "--out", name)

    def path(self, name):
        return os.path.join(self.place, name)

    def write(self, name, rows):
        with open(self.path(name), "w", encoding="ascii") as file:
            file.writelines(",".join(map(repr, row)) + "\n" for row in rows)

    def read(self, name):
        with open(self.path(name), encoding="ascii") as file:
            return [[float(v) for v in line.split(",")] for line in file if line[0] in "-.0123456789"]

    def run_tool(self, *words):
        return subprocess.run([tool, *words], cwd=self.place, capture_output=True, text=True, timeout=120)

    def good(self, *words):
        done = self.run_tool(*words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def bad(self, part, *words):
        done = self.run_tool(*words)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertIn(part, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)

    def predictions(self, model, name):
        self.good("predict", model, "--in", name, "--out", "p.csv", "--scores")
        return self.read("p.csv")

    def compiled(self, program, name, compiler, *flags):
        with open(self.path(name), "w", encoding="ascii") as file:
            file.write(program)
        binary = self.path(name + ".out")
        subprocess.run([*compiler, *flags, "-Wall", "-Wextra", "-Werror", *includes, "-c", name, "-o", name + ".o"],
                       cwd=self.place, check=True, timeout=120)
        subprocess.run(["c++", name + ".o", *library, "-o", binary], cwd=self.place, check=True, timeout=120)
        done = subprocess.run([binary], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stdout)
        words = done.stdout.split()
        self.assertEqual(words[0], "ok")
        return [float(word) for word in words[1:]]

    def test_inspect(self):
        said = self.good("inspect", "toy.samara")
        for part in ("rff:kernel=gaussian", "seed=4", "float32", "regress", f"{os.path.getsize(self.path('toy.samara')):,}"):
            self.assertIn(part, said)

    def costs(self, model):
        """The numbers that inspect gives, by the first words of their lines."""
        found = {}
        for line in self.good("inspect", model).splitlines():
            match = re.fullmatch(r" *(flash|of it|RAM, workspace|RAM, inputs|RAM to go on|operations)\b.*?  ([0-9,]+)(?:  bytes)?", line)
            if match:
                found[match[1]] = int(match[2].replace(",", ""))
        self.assertEqual(len(found), 6)
        return found

    def test_costs_are_what_a_device_needs(self):
        features, outputs, inputs = 64, 2, 3
        for spec, readout, weight in (("rff:rows=dense", "float32", 4), ("arccos:features=64", "float16", 2), ("ntk", "int8", 1),
                                      ("polynomial", "float32", 4)):
            self.spec = f"{spec.partition(':')[0]}:{spec.partition(':')[2] or 'seed=1'}"
            self.good("train", self.spec, "--features", str(features), "--in", "x.csv", "--target", "y.csv", "--ridge", "1e-3",
                      "--readout", readout, "--out", "m.samara")
            cost = self.costs("m.samara")
            self.assertEqual(cost["flash"], os.path.getsize(self.path("m.samara")))
            scales = 4 * outputs if readout == "int8" else 0
            self.assertEqual(cost["of it"], 16 + 4 * outputs + scales + weight * outputs * features)
            self.assertEqual(cost["RAM, inputs"], 4 * (inputs + outputs))
            self.good("export", "m.samara", "--c-header", "--name", "toy", "--out", "model.h")
            workspace, state = self.compiled(COSTS_PROGRAM, "costs.c", ["cc"], "-std=c99")
            self.assertEqual(cost["RAM, workspace"], workspace)
            # The state, and the features of the sample that is learned.
            self.assertEqual(cost["RAM to go on"], state + 4 * features)

    def test_operations_follow_the_work(self):
        def operations(spec, inputs=3):
            rows = [[((i * j) % 7 - 3.0) / 64 for j in range(1, inputs + 1)] for i in range(len(self.y))]
            self.write("wide.csv", rows)
            self.good("train", spec, "--in", "wide.csv", "--target", "y.csv", "--ridge", "1", "--out", "m.samara")
            return self.costs("m.samara")["operations"]

        dense = "arccos:rows=dense,orders=none,features=%d"
        # Each weight is made, multiplied and added; then come a few operations a feature and two a weight of the readout.
        products = 2 * 400 * 256 + 2 * 2 * 256
        self.assertGreater(operations(dense % 256, 400), products)
        self.assertLess(operations(dense % 256, 400), 20 * products)
        for larger, smaller, least, most in (
                (operations(dense % 512, 400), operations(dense % 256, 400), 1.95, 2.05),
                (operations(dense % 256, 800), operations(dense % 256, 400), 1.9, 2.1),
                # Structured rows take few operations for each of them, however many inputs there are.
                (operations(dense % 512, 512), operations("arccos:orders=none,features=512", 512), 10, 1000),
                (operations("ntk:features=256,depth=4", 64), operations("ntk:features=256,depth=2", 64), 1.6, 2.6),
                (operations("polynomial:features=256,degree=8,orders=1", 64),
                 operations("polynomial:features=256,degree=2,orders=1", 64), 2, 8)):
            self.assertGreater(larger / smaller, least)
            self.assertLess(larger / smaller, most)

    def test_export_compiles_and_predicts(self):
        self.good("export", "toy.samara", "--c-header", "--out", "model.h")
        expected = self.predictions("toy.samara", "one.csv")[0]
        for found in (self.compiled(C_PROGRAM, "use.c", ["cc"], "-std=c99", "-pedantic"),
                      self.compiled(CPP_PROGRAM, "use.cpp", ["c++"], "-std=c++20", "-O1")):
            # the same bits: nine digits name a float32
            self.assertEqual([struct.pack("f", v) for v in found], [struct.pack("f", v) for v in expected])

        self.good("export", "toy.samara", "--c-source", "--name", "toy", "--out", "model.c")
        size = os.path.getsize(self.path("toy.samara"))
        with open(self.path("model.h"), "w", encoding="ascii") as file:
            file.write(f"extern const unsigned char toy[{size}];\n")
        subprocess.run(["cc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-c", "model.c", "-o", "model.o"],
                       cwd=self.place, check=True, timeout=60)
        with open(self.path("use.c"), "w", encoding="ascii") as file:
            file.write(C_PROGRAM)
        subprocess.run(["cc", "-std=c99", *includes, "-c", "use.c", "-o", "use.o"], cwd=self.place, check=True, timeout=60)
        subprocess.run(["c++", "use.o", "model.o", *library, "-o", "use"], cwd=self.place, check=True, timeout=60)
        subprocess.run([self.path("use")], check=True, timeout=60, stdout=subprocess.DEVNULL)

    def test_export_of_deep_networks(self):
        names, expected = [], []
        for spec in ("nngp:features=32,depth=2", "ntk:features=32,depth=2", "ntk:features=32,sketch=count,orders=none",
                     "ntk-sketch:features=16,relu-powers=8", "ntk-sketch:features=64,orders=1",
                     "ntk-poly:features=32", "ntk-poly:features=32,orders=none,rows=dense",
                     *(with_features(name, given, 48) for name, keys, given in every_map(tool) if "depth" in keys)):
            names.append("deep%d" % len(names))
            self.good("train", spec, "--in", "x.csv", "--target", "y.csv", "--ridge", "1e-3", "--out", "m.samara")
            self.good("export", "m.samara", "--c-header", "--name", names[-1], "--out", names[-1] + ".h")
            expected += self.predictions("m.samara", "one.csv")[0]
            said = self.good("inspect", "m.samara")
            self.assertIn(spec.partition(":")[0] + ":", said)
            self.assertIn("depth=" + spec.partition("depth=")[2][:1], said)
            self.assertEqual("coefficients" in said, "poly" in spec)
            # Of cntk there are rows beside exact orders alone.
            self.assertEqual("rows kept" in said, "poly" in spec or (spec.startswith("cntk:") and "orders=1" in said), said)
            self.assertGreater(self.costs("m.samara")["operations"], 4 * 2 * 32)
        program = DEEP_PROGRAM % ("\n".join(f'#include "{name}.h"' for name in names),
                                  " + ".join(f"run<{name}>()" for name in names))
        found = self.compiled(program, "deep.cpp", ["c++"], "-std=c++20", "-O1")
        self.assertEqual([struct.pack("f", v) for v in found], [struct.pack("f", v) for v in expected])

    def test_export_function(self):
        self.good("export", "toy.samara", "--c-function", "--name", "toy", "--out", "toy_function")
        rows = ",".join("{" + ",".join(map(repr, row)) + "}" for row in self.x)
        with open(self.path("call.c"), "w", encoding="ascii") as file:
            file.write(FUNCTION_PROGRAM % rows)
        for command in (["cc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-c", "call.c", "-o", "call.o"],
                        ["c++", "-std=c++20", "-O1", "-Wall", "-Wextra", "-Werror", *includes, "-c", "toy_function.cpp",
                         "-o", "toy.o"],
                        ["c++", "call.o", "toy.o", *library, "-o", "call"]):
            subprocess.run(command, cwd=self.place, check=True, timeout=120)
        done = subprocess.run([self.path("call")], capture_output=True, text=True, timeout=60, check=True)
        found = [struct.pack("f", float(word)) for word in done.stdout.split()]
        expected = [struct.pack("f", v) for row in self.predictions("toy.samara", "x.csv") for v in row]
        self.assertEqual(found, expected)
        self.bad("expected one of them", "export", "toy.samara", "--c-function", "--c-header")

    def test_export_refuses(self):
        self.bad("none of --c-header, --c-source and --c-function", "export", "toy.samara")
        self.bad("expected a C identifier", "export", "toy.samara", "--c-header", "--name", "1-2")
        self.bad("No such file", "export", "none.samara", "--c-header")
        self.bad("found a file that begins with", "export", "x.csv", "--c-header")
        self.bad("expected a sealed model", "inspect", "x.csv")
        with open(self.path("toy.samara"), "rb") as file:
            model = file.read()
        with open(self.path("short.samara"), "wb") as file:
            file.write(model[:-5])
        self.bad("found the first %d bytes of a model, expected a sealed model's %d" % (len(model) - 5, len(model)),
                 "inspect", "short.samara")

    # Headers that a program may have beside an exported model.
    SURROUNDINGS = ["complex.h", "ctype.h", "errno.h", "fenv.h", "float.h", "inttypes.h", "limits.h", "locale.h",
                    "math.h", "setjmp.h", "signal.h", "stdarg.h", "stdbool.h", "stddef.h", "stdint.h", "stdio.h",
                    "stdlib.h", "string.h", "time.h", "wchar.h", "wctype.h"]
    STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror", "-fsyntax-only"]

    def compiles(self, text, *command):
        done = subprocess.run([*command, *self.STRICT, *includes, "-"], cwd=self.place, input=text, text=True,
                              capture_output=True, timeout=120)
        return done.returncode == 0

    def exported_compiles(self, name):
        """Every form of the model under this name in strict C99 and C++20, alone and beside all headers."""
        self.good("export", "toy.samara", "--c-header", "--name", name, "--out", "m.h")
        self.good("export", "toy.samara", "--c-source", "--name", name, "--out", "m.c")
        self.good("export", "toy.samara", "--c-function", "--name", name, "--out", "f")
        headers = "".join("#include <%s>\n" % header for header in self.SURROUNDINGS)
        used = '#include "m.h"\nunsigned first(void);\nunsigned first(void) { return %s[0]; }\n' % name
        called = '#include "f.h"\nint call(const float *x, float *y);\n' \
                 "int call(const float *x, float *y) { return %s_check() + %s_scores(x, y); }\n" % (name, name)
        for before in ("", headers + "#include <samara/samara.h>\n"):
            for text in (used, called, '#include "m.c"\n'):
                for language in (["cc", "-std=c99", "-xc"], ["cc", "-std=gnu17", "-xc"], ["c++", "-std=c++20", "-xc++"]):
                    self.assertTrue(self.compiles(before + text, *language), (name, before, text, language))
        self.assertTrue(self.compiles('#include <samara/samara.hpp>\n#include "f.cpp"\n', "c++", "-std=c++20", "-xc++"))

    def test_export_names(self):
        for name in ("ALIGNED", "x", "a" * 40):
            self.exported_compiles(name)
        for name in ("int", "class", "restrict", "and", "constexpr", "typeof", "_x", "_Bool", "a__b", "main", "std",
                     "linux", "exp", "cosf", "y0", "printf", "index", "uint8_t", "EOF", "SIGINT", "errno",
                     "samara", "samara_open", "a" * 41, "", "1a", "a-b", "a;b", "a\nb", "\u00e9"):
            for form in ("--c-header", "--c-source", "--c-function"):
                self.bad("--name: found ", "export", "toy.samara", form, "--name", name, "--out", "refused")
        self.assertFalse([name for name in os.listdir(self.place) if name.startswith("refused")])

    def test_export_names_that_compilers_refuse(self):
        """What is refused because of other headers really does not compile, and what compiles there is not refused."""
        headers = "".join("#include <%s>\n" % header for header in self.SURROUNDINGS)
        for name, wrong in (("exp", True), ("cosf", True), ("printf", True), ("uint8_t", True), ("linux", True),
                            ("expo", False), ("lin", False), ("print", False), ("uint8", False)):
            text = headers + "extern const unsigned char %s[4];\n" % name
            self.assertEqual(self.compiles(text, "cc", "-std=gnu17", "-xc"), not wrong, name)
            done = self.run_tool("export", "toy.samara", "--c-header", "--name", name)
            self.assertEqual(done.returncode, 2 if wrong else 0, name)

    def test_export_names_from_files(self):
        for file, name in (("int.samara", "model_int"), ("we ird.\u00e9.samara", "we_ird"), ("1.samara", "model_1"),
                           ("_.samara", "model"), ("\u00e9.samara", "model"), ("linux.samara", "model_linux")):
            shutil.copy(self.path("toy.samara"), self.path(file))
            self.assertIn("char %s[" % name, self.good("export", file, "--c-header"))
        self.bad("does not end in an underscore", "export", "toy.samara", "--c-function", "--name", "toy_")
        for base in ('a"b', "a\nb", "a\\b", "a?\u00e9", "d/"):
            self.bad("--out: found ", "export", "toy.samara", "--c-function", "--name", "f", "--out", base)

    def state(self, rows):
        """An accumulator of these rows as a device would send it, from the features that the tool computes."""
        self.write("part.csv", [self.x[i] for i in rows])
        self.good("features", self.spec, "--in", "part.csv", "--out", "z.csv")
        n, outputs = 32, 2
        zy = [[0.0] * (n + 1) for _ in range(outputs)]
        zz = [[0.0] * (i + 1) for i in range(n + 1)]
        for z, i in zip(self.read("z.csv"), rows):
            z = z + [1.0]
            for a in range(n + 1):
                for b in range(a + 1):
                    zz[a][b] += z[a] * z[b]
                for o in range(outputs):
                    zy[o][a] += self.y[i][o] * z[a]
        with open(self.path("toy.samara"), "rb") as file:
            model = file.read()
        first, last = struct.unpack_from("<I", model, 32)[0], struct.unpack_from("<I", model, 56)[0]
        header = struct.pack("<4sIIIIQI", b"SSML", 3, n, outputs, zlib.crc32(model[first:last]), len(rows), self.digest)
        values = [0.0] * outputs + [v for row in zy for v in row] + [v for row in zz for v in row]
        return header + struct.pack(f"<{len(values)}f", *values)

    def test_merge_of_sketched_powers(self):
        rff = self.state([1, 2])
        for self.spec in ("polynomial:features=32,degree=3,seed=4", "polynomial:features=32,sketch=count,orders=none"):
            self.train("toy.samara")
            self.merge_is_training_on_everything()
            with open(self.path("rff"), "wb") as file:
                file.write(rff)
            self.bad("another model's features", "merge", "toy.samara", "a", "rff", "--out", "m.samara")

    def test_merge_is_training_on_everything(self):
        for self.digest in (0, DIGEST):  # states of before there were digests are taken too
            self.merge_is_training_on_everything()

    def merge_is_training_on_everything(self):
        for name, rows in (("a", range(0, 60, 3)), ("b", range(1, 60, 3)), ("c", range(2, 60, 3))):
            with open(self.path(name), "wb") as file:
                file.write(self.state(list(rows)))
        self.good("merge", "toy.samara", "a", "b", "c", "--ridge", "1e-3", "--out", "merged.samara")
        self.good("merge", "toy.samara", "a", "b", "--state-out", "ab")
        with open(self.path("ab"), "rb") as file:
            self.assertEqual(struct.unpack_from("<I", file.read(), 28)[0], DIGEST)
        self.good("merge", "toy.samara", "ab", "c", "--ridge", "1e-3", "--out", "twice.samara")
        expected = self.predictions("toy.samara", "x.csv")
        for model in ("merged.samara", "twice.samara"):
            found = self.predictions(model, "x.csv")
            worst = max(abs(a - b) for p, q in zip(expected, found) for a, b in zip(p, q))
            self.assertLess(worst, 1e-3)
        self.good("merge", "toy.samara", "a", "--ridge", "1e-3", "--out", "one.samara")
        found = self.predictions("one.samara", "x.csv")
        self.assertGreater(max(abs(a - b) for p, q in zip(expected, found) for a, b in zip(p, q)), 1e-3)

    def test_merge_refuses(self):
        good = self.state([1, 2])
        for name, contents in (("short", good[:-1]), ("kind", good[:4] + b"\1" + good[5:]),
                               ("other", good[:16] + b"abcd" + good[20:]), ("nan", good[:-4] + b"\0\0\xc0\x7f"),
                               ("good", good), ("solved", good[:28] + struct.pack("<I", DIGEST | 1 << 31) + good[32:]),
                               ("changed", good[:28] + struct.pack("<I", DIGEST ^ 1) + good[32:])):
            with open(self.path(name), "wb") as file:
                file.write(contents)
        out = ("--out", "m.samara")
        self.bad("short: found", "merge", "toy.samara", "short", *out)
        self.bad("kind: found other bytes", "merge", "toy.samara", "kind", *out)
        self.bad("another model's features", "merge", "toy.samara", "good", "other", *out)
        self.bad("has consumed", "merge", "toy.samara", "good", "solved", *out)
        self.bad("changed: found other bytes", "merge", "toy.samara", "good", "changed", *out)
        self.bad("not finite", "merge", "toy.samara", "nan", *out)
        self.bad("neither --out nor --state-out", "merge", "toy.samara", "good")
        # What is refused at the end names the sums as they were before solving, and nothing is written by then.
        self.bad("found 2 samples and --ridge 0, of which the matrix is not positive definite; take a larger ridge",
                 "merge", "toy.samara", "good", "--ridge", "0", "--state-out", "sum", *out)
        self.assertFalse(os.path.exists(self.path("sum")))
        # Weights beyond float16: float32 holds them. What is advised must not be what was done.
        wide = self.state([1, 2, 5])
        sums = bytearray(wide)
        for at in range(32 + 8, 32 + 8 + 4 * 66, 4):  # the products of outputs and features
            struct.pack_into("<f", sums, at, 1e7 * struct.unpack_from("<f", sums, at)[0])
        with open(self.path("large"), "wb") as file:
            file.write(sums)
        self.bad("or --readout float32", "merge", "toy.samara", "large", "--readout", "float16", *out)
        for at in range(32 + 8, 32 + 8 + 4 * 66, 4):
            struct.pack_into("<f", sums, at, min(3e38, max(-3e38, 1e31 * struct.unpack_from("<f", sums, at)[0])))
        with open(self.path("larger"), "wb") as file:
            file.write(sums)
        done = self.run_tool("merge", "toy.samara", "larger", "--ridge", "1e-9", "--readout", "float32", *out)
        self.assertEqual(done.returncode, 2)
        self.assertNotIn("--readout float32", done.stderr)
        self.assertFalse(os.path.exists(self.path("m.samara")))


if __name__ == "__main__":
    unittest.main()

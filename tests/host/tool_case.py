"""A directory of its own for each test, and the tool run in it."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

tool = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else "samara"
# Whether sanitizers watch the tool, which takes it ten times as long: how good models are is then no question.
watched = os.environ.get("SAMARA_WATCHED") == "yes"


class ToolCase(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.mkdtemp(prefix="samara-test-")
        self.addCleanup(shutil.rmtree, self.place)

    def path(self, name):
        return os.path.join(self.place, name)

    def run_tool(self, *words):
        environment = {name: value for name, value in os.environ.items() if name != "SAMARA_SIMD"}
        environment.update(OPENBLAS_NUM_THREADS="1", BLIS_NUM_THREADS="1")
        return subprocess.run([tool, *words], cwd=self.place, env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, errors="replace", timeout=300, check=False)

    def good(self, *words):
        result = self.run_tool(*words)
        self.assertEqual(result.returncode, 0, (words, result))
        return result

    def bad(self, part, *words):
        """Refused in one sentence, with nothing left behind."""
        before = sorted(os.listdir(self.place))
        result = self.run_tool(*words)
        self.assertEqual((result.returncode, result.stdout), (2, ""), (words, result))
        last = result.stderr.splitlines()[-1]
        self.assertTrue(last.startswith("samara: ") and ("expected" in last or "cannot" in last), result.stderr)
        self.assertIn(part, last)
        self.assertEqual(sorted(os.listdir(self.place)), before, words)
        return last

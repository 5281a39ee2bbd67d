"""A builder without LLVM counts no scalar work: kernels are judged, and no record looks as if their time were known.

usage: without_llvm_test.py AKGEN BUILDER
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILDER = pathlib.Path(sys.argv.pop())
AKGEN = pathlib.Path(sys.argv.pop())
ROOT = pathlib.Path(__file__).resolve().parents[2]
KERNEL = ROOT / "tests/cases/memory/aligned_ok.cpp"  # no plain accesses, which go unseen here


class WithoutLlvm(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.dir = pathlib.Path(self.folder.name)
        for program in AKGEN.parent.iterdir():
            if program.name != "akgen-builder" and program.is_file():
                self.place(program)
        self.place(BUILDER)
        self.env = dict(os.environ, AKGEN_HOME=str(ROOT), AKGEN_CACHE=str(self.dir / "cache"))

    def place(self, program):
        try:
            os.link(program, self.dir / program.name)
        except OSError:
            shutil.copy2(program, self.dir / program.name)

    def akgen(self, *args):
        record = self.dir / "record.json"
        done = subprocess.run([self.dir / "akgen", *map(str, args), "--json", record], capture_output=True, text=True, env=self.env)
        self.assertTrue(record.exists(), done.stderr)
        return json.loads(record.read_text()), done.stdout

    def test_a_lone_kernel_has_no_time(self):
        record, text = self.akgen("run", KERNEL, "--time", "--backend", "native")
        self.assertEqual([(r["verdict"], r["modelled"]) for r in record], [("pass", {"scalar_unpriced": True})])
        self.assertIn("no modelled time", text)
        self.assertIn("without LLVM", text)

    @unittest.skipUnless((AKGEN.parent / "akgen-reference").exists(), "needs libtorch")
    def test_a_project_has_no_time(self):
        record, text = self.akgen("judge", ROOT / "examples/kernels/fast_gelu", "--task", "FastGelu", "--case", "0", "--time", "--seed", "1", "--backend", "native")
        self.assertEqual([(c["verdict"], c["modelled"]) for c in record["cases"]], [("pass", {"scalar_unpriced": True})])
        self.assertIn("without LLVM", text)


if __name__ == "__main__":
    unittest.main()

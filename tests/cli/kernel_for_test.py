#!/usr/bin/env python3
"""tools/kernel_for: an operator described in PyTorch becomes judged Ascend C; files it cannot read are refused by line.

usage: kernel_for_test.py AKGEN
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

AKGEN = sys.argv.pop(1)
ROOT = pathlib.Path(__file__).resolve().parents[2]
OPERATOR = ROOT / "examples/operators/scaled_swish.py"


def kernel_for(*args):
    return subprocess.run([ROOT / "tools/kernel_for", "--akgen", AKGEN, *map(str, args)], capture_output=True, text=True, timeout=300)


class KernelFor(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def refused(self, text, why):
        (self.path / "f.py").write_text(text)
        done = kernel_for(self.path / "f.py", "--model", "planner")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(why, done.stderr)

    def test_an_operator_becomes_a_project(self):
        done = kernel_for(OPERATOR, "--model", "planner", "--out", self.path / "o")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("2 of 2 cases pass", done.stdout)
        self.assertIn("op_host/", done.stdout)
        self.assertIn("__aicore__", done.stdout)
        judged = subprocess.run([AKGEN, "judge", next((self.path / "o/planner/answers").glob("*/sample0")), "--task", self.path / "o/planner/task/level1/Own/ScaledSwish"], capture_output=True, text=True, timeout=300)
        self.assertEqual(judged.returncode, 0, judged.stdout + judged.stderr)

    def test_the_shipped_model_writes_or_the_planner_does(self):
        done = kernel_for(OPERATOR, "--out", self.path / "o")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"2 of 2 cases pass .*by (models/kernelgen-lm-mini/\w+, sample \d|the planner)")
        self.assertTrue(any((self.path / "o/model/answers").glob("*/sample*/program.py")), "the model was not asked")

    def test_a_wrong_promise_of_the_output_is_no_kernel(self):
        text = OPERATOR.read_text().replace("-> f16[64, 1000]", "-> f16[64, 999]")
        (self.path / "f.py").write_text(text)
        done = kernel_for(self.path / "f.py", "--model", "planner")
        self.assertNotEqual(done.returncode, 0)
        self.assertNotIn("__aicore__", done.stdout)

    def test_what_cannot_be_read_is_refused(self):
        self.refused("x = 1\n", "has no function")
        self.refused("def f(x: Tensor) -> Tensor:\n    return x\n", "says nothing of arguments")
        self.refused("# case: x=f16[4 -> f16[4]\ndef f(x: Tensor) -> Tensor:\n    return x\n", "f.py:1")
        self.refused("# case: y=f16[4] -> f16[4]\ndef f(x: Tensor) -> Tensor:\n    return x\n", "f() takes x")
        self.refused("# case: x=f16[4] -> f16[4]\ndef f(x) -> Tensor:\n    return x\n", "needs a type")


if __name__ == "__main__":
    unittest.main()

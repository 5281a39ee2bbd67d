#!/usr/bin/env python3
"""tools/kernel_for: an operator described in PyTorch becomes judged Ascend C; files it cannot read are refused by line.

usage: kernel_for_test.py AKGEN
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

AKGEN = sys.argv.pop(1)
ROOT = pathlib.Path(__file__).resolve().parents[2]
OPERATOR = ROOT / "examples/operators/scaled_swish.py"


class KernelFor(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)

    def kernel_for(self, *args):
        return subprocess.run([ROOT / "tools/kernel_for", "--akgen", AKGEN, *map(str, args)], capture_output=True, text=True, timeout=300, env={**os.environ, "TMPDIR": str(self.path)})

    def tearDown(self):
        self.folder.cleanup()

    def refused(self, text, why):
        (self.path / "f.py").write_text(text)
        done = self.kernel_for(self.path / "f.py", "--model", "planner")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(why, done.stderr)

    def test_an_operator_becomes_a_project(self):
        done = self.kernel_for(OPERATOR, "--model", "planner", "--out", self.path / "o")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("2 of 2 cases pass", done.stdout)
        self.assertIn("op_host/", done.stdout)
        self.assertIn("__aicore__", done.stdout)
        judged = subprocess.run([AKGEN, "judge", next((self.path / "o/planner/answers").glob("*/sample0")), "--task", self.path / "o/planner/task/level1/Own/ScaledSwish"], capture_output=True, text=True, timeout=300)
        self.assertEqual(judged.returncode, 0, judged.stdout + judged.stderr)

    def test_a_kernel_is_printed_whatever_else_lies_beside_it(self):
        answers = self.path / "o/planner/answers"
        answers.mkdir(parents=True)
        for i in range(40):  # whichever comes first in the folder's own order, it is no sample
            (answers / f"file{i}").write_text("")
        done = self.kernel_for(OPERATOR, "--model", "planner", "--out", self.path / "o")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("__aicore__", done.stdout)

    def test_rules_come_first_and_what_is_done_is_said(self):
        done = self.kernel_for(OPERATOR)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("(by the planner)", done.stdout)
        self.assertIn("the planner writes a kernel", done.stderr)
        self.assertNotIn("answers", done.stderr)

    def test_the_shipped_model_is_asked_where_rules_do_not_reach(self):
        # A branch on a computed value is not a static graph for the planner, and the one-sample model answers it or not.
        text = OPERATOR.read_text().replace("    return", "    if bool(torch.all(x > 9)):\n        return x\n    return")
        (self.path / "f.py").write_text(text)
        done = self.kernel_for(self.path / "f.py", "-n", 1)
        self.assertRegex(done.stderr, r"the planner writes a kernel.*\n.*no answer passes")
        self.assertRegex(done.stderr, r"models/kernelgen-lm-mini/\w+ writes 1 answer")

    def test_a_model_writes(self):
        done = self.kernel_for(OPERATOR, "--model", ROOT / "models/kernelgen-lm-mini/dpo", "--out", self.path / "o")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"2 of 2 cases pass .*by models/kernelgen-lm-mini/\w+, sample \d")
        self.assertTrue(any((self.path / "o/model/answers").glob("*/sample*/program.py")), "the model was not asked")

    def test_an_argument_may_have_any_name(self):
        for name in ("y", "id", "out"):
            (self.path / "f.py").write_text(f"# case: x=f16[3, 64] {name}=f16[3, 64] -> f16[3]\ndef f(x: Tensor, {name}: Tensor):\n    return (x * {name}).sum(-1)\n")
            done = self.kernel_for(self.path / "f.py", "--model", "planner")
            self.assertEqual(done.returncode, 0, done.stderr)
        (self.path / "f.py").write_text("# case: x=f16[64] x_low=-1.5 -> f16[64]\ndef f(x: Tensor, x_low: float):\n    return torch.clamp(x, min=x_low)\n")
        done = self.kernel_for(self.path / "f.py", "--model", "planner")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_integers_are_drawn_from_the_range_that_is_said(self):
        (self.path / "f.py").write_text(
            "# case: x=i32[400]{3, 5} -> i32[400]\n# case: x=i32[500]{-7, -2} -> i32[500]\ndef f(x: Tensor) -> Tensor:\n"
            "    if x.numel() == 400:\n        assert int(x.min()) == 3 and int(x.max()) == 5, 'not what was said'\n"
            "    else:\n        assert int(x.min()) == -7 and int(x.max()) == -2, 'not what was said'\n    return x + x\n")
        self.kernel_for(self.path / "f.py", "--model", "planner", "--out", self.path / "o")
        report = self.path / "lint.json"
        subprocess.run([AKGEN, "bench", "lint", "--tasks", self.path / "o/planner/task/level1/Own/F", "--references", "--json", report], capture_output=True, timeout=300)
        said = json.loads(report.read_text())
        self.assertEqual((said["references"], said["failed"]), (2, []))
        self.refused("# case: x=i32[4]{0.5, 4} -> i32[4]\ndef f(x: Tensor) -> Tensor:\n    return x\n", "are no whole numbers")
        self.refused("# case: x=f32[4]{3, 1} -> f32[4]\ndef f(x: Tensor) -> Tensor:\n    return x\n", "must not be above")

    def test_what_failed_is_kept(self):
        (self.path / "f.py").write_text(OPERATOR.read_text().replace("-> f16[64, 1000]", "-> f16[64, 999]"))
        done = self.kernel_for(self.path / "f.py", "--model", "planner")
        self.assertEqual(done.returncode, 1, done.stderr)
        kept = pathlib.Path(re.search(r"task and answers are in (\S+)", done.stderr)[1])
        self.assertTrue((kept / "planner/answers/journal.jsonl").exists())

    def test_a_wrong_promise_of_the_output_is_no_kernel(self):
        text = OPERATOR.read_text().replace("-> f16[64, 1000]", "-> f16[64, 999]")
        (self.path / "f.py").write_text(text)
        done = self.kernel_for(self.path / "f.py", "--model", "planner")
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

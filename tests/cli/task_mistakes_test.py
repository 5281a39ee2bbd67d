#!/usr/bin/env python3
"""A mistake in a user's task is a usage error of every command that takes a task: exit status 2, with task, case and column.

task_mistakes_test.py AKGEN REPO
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
AKGEN, REPO = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
KERNEL = REPO / "examples/kernels/sqrt_via_float"
GOOD = {"id": "7", "shape": [2, 48], "dtype": "float16"}


class Mistakes(unittest.TestCase):
    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="akgen_mistakes_"))
        self.addCleanup(shutil.rmtree, self.dir, True)

    def task(self, case, reference=None):
        folder = self.dir / "Mine"
        shutil.rmtree(folder, True)
        shutil.copytree(REPO / "tasks/level1/Math/Sqrt", folder)
        toml = folder / "task.toml"
        toml.write_text(toml.read_text().replace('name = "Sqrt"', 'name = "Mine"'))
        (folder / "cases.json").write_text(json.dumps([case]))
        if reference:
            (folder / "reference.py").write_text(reference)
        return folder

    def akgen(self, *args):
        done = subprocess.run([AKGEN, *map(str, args)], capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def commands(self, task):
        yield "judge", KERNEL, "--task", task
        yield "bench", "run", "--tasks", task, "--candidates", KERNEL, "--out", self.dir / "run.db"
        yield "bench", "lint", "--tasks", task
        yield "tasks", "show", task
        yield "craft", "plan", "--task", task
        yield "generate", "--tasks", task, "--generator", "plan", "--out", self.dir / "generated"

    def test_every_command_names_task_case_and_column(self):
        task = self.task({**GOOD, "shape": [2, None]})
        for command in self.commands(task):
            with self.subTest(" ".join(map(str, command[:2]))):
                code, text = self.akgen(*command)
                self.assertEqual(code, 2, text)
                for part in ("AK0102", "task Mine, case 7", "column 'shape'", "got null"):
                    self.assertIn(part, text)

    def test_each_kind_of_mistake(self):
        without = {k: v for k, v in GOOD.items() if k != "shape"}
        for case, column in ((without, "'shape'"), ({**GOOD, "shape": [1e300]}, "column 'shape'"), ({**GOOD, "shape": [-1]}, "column 'shape'"),
                             ({**GOOD, "shape": ["48"]}, "column 'shape'"), ({**GOOD, "shape": None}, "column 'shape'"),
                             ({**GOOD, "shape": [2**62, 2**62]}, "column 'shape'"), ({**GOOD, "dtype": 3}, "column 'dtype'")):
            with self.subTest(str(case)):
                code, text = self.akgen("judge", KERNEL, "--task", self.task(case))
                self.assertEqual(code, 2, text)
                self.assertIn("task Mine, case 7: ", text)
                self.assertIn(column, text)
                self.assertNotIn("infra_error", text)

    def test_a_reference_that_does_not_work(self):
        for text, code in (("def reference(x: Tensor) -> Tensor:\n    return torch.sqrrt(x)\n", "AK0110"),
                           ("def reference(x: Tensor) -> Tensor:\n    assert False\n    return x\n", "AK0111"),
                           ("def reference(x: Tensor) -> Tensor:\n    return x[0]\n", "AK0112")):
            with self.subTest(code):
                status, said = self.akgen("judge", KERNEL, "--task", self.task(GOOD, text))
                self.assertEqual(status, 2, said)
                self.assertIn("a mistake in task Mine", said)
                self.assertIn("case 7", said)
                self.assertIn(code, said)
        status, said = self.akgen("judge", KERNEL, "--task", self.task(GOOD))
        self.assertEqual(status, 0, said)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

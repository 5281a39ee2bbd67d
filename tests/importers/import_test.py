#!/usr/bin/env python3
"""tools/import_tasks on small files of our own in the style of each benchmark; what comes out is judged."""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PYTHON = "/usr/bin/python3" if pathlib.Path("/usr/bin/python3").exists() else sys.executable
AKGEN = None

GAUGE = '''import torch
import torch.nn as nn

class Model(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(features))
        self.beta = nn.Parameter(torch.zeros(features))

    def forward(self, x):
        return torch.abs(x) * self.gamma + self.beta

rows = 40960
features = 1024

def get_inputs():
    return [torch.rand(rows, features)]

def get_init_inputs():
    return [features]
'''


def has(module):
    return subprocess.run([PYTHON, "-c", f"import {module}"], capture_output=True).returncode == 0


class Import(unittest.TestCase):
    def setUp(self):
        self.temp = tempfile.TemporaryDirectory()
        self.dir = pathlib.Path(self.temp.name)
        self.addCleanup(self.temp.cleanup)

    def write(self, name, text):
        path = self.dir / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def run_import(self, kind, *more):
        return subprocess.run([PYTHON, str(ROOT / "tools/import_tasks"), kind, *map(str, more), "--out", str(self.dir / "out")],
                              capture_output=True, text=True)

    def judge(self, task):
        record = self.dir / "record.json"
        subprocess.run([AKGEN, "judge", str(ROOT / "tests/exploits/honest"), "--task", str(task), "--json", str(record)], capture_output=True)
        return json.loads(record.read_text())

    @unittest.skipUnless(has("torch"), "needs PyTorch (python3-torch)")
    def test_a_task_file_becomes_a_task_that_judges(self):
        done = self.run_import("kernelbench", self.write("checks/gauge.py", GAUGE), "--elements", 4096)
        self.assertEqual(done.returncode, 0, done.stderr)
        task = self.dir / "out/level1/Checks/Gauge"
        self.assertIn("torch.abs(", (task / "reference.py").read_text())
        row = json.loads((task / "cases.json").read_text())[0]
        self.assertLessEqual(row["x_shape"][0] * row["x_shape"][1], 4096)
        text = (task / "task.toml").read_text()
        self.assertNotIn('"constant"', text, "a parameter's neutral first value would hide that it is left out")
        self.assertNotIn('"uniform"', text, "|x| of positive numbers is x")
        if AKGEN:
            self.assertEqual(self.judge(task)["verdict"], "pass")
            (task / "reference.py").write_text((task / "reference.py").read_text().replace("torch.abs(x)", "x"))
            self.assertEqual(self.judge(task)["verdict"], "wrong_answer", "the reference decides")

    @unittest.skipUnless(has("torch"), "needs PyTorch (python3-torch)")
    def test_state_and_small_steps_can_be_seen(self):
        # One step of an optimiser: its state starts as zeros, and what it adds is lost beside what it adds it to.
        step = GAUGE.replace("def __init__(self, features):", "def __init__(self):").replace("self.gamma = nn.Parameter(torch.ones(features))\n", "pass\n")
        step = step.replace("        self.beta = nn.Parameter(torch.zeros(features))\n", "").replace("def forward(self, x):", "def forward(self, x, slope, state):")
        step = step.replace("return torch.abs(x) * self.gamma + self.beta", "return x - 1e-6 * slope / (torch.sqrt(state + slope * slope) + 1e-8)")
        step = step.replace("return [torch.rand(rows, features)]", "return [torch.rand(rows, features), torch.rand(rows, features), torch.zeros(rows, features)]")
        step = step.replace("return [features]", "return []")
        path = self.write("steps/step.py", step)
        for inputs in ("hardened", "upstream"):
            done = self.run_import("kernelbench", path, "--elements", 4096, "--inputs", inputs)
            self.assertEqual(done.returncode, 0, done.stderr)
            task = self.dir / "out/level1/Steps/Step"
            text = (task / "task.toml").read_text()
            self.assertEqual('"constant"' in text, inputs == "upstream", "zeros hide what is done with the state")
            self.assertEqual(text.count("special_fraction"), inputs == "hardened", "the step stands alone where x is zero")
            if AKGEN and inputs == "hardened":
                lint = self.dir / "lint.json"
                subprocess.run([AKGEN, "bench", "lint", "--tasks", str(task), "--references", "--json", str(lint)], capture_output=True)
                said = json.loads(lint.read_text())
                self.assertEqual((said["references"], said["failed"]), (1, []))

    @unittest.skipUnless(has("torch"), "needs PyTorch (python3-torch)")
    def test_full_shapes_need_no_memory(self):
        path = self.write("checks/gauge.py", GAUGE.replace("40960", "1 << 22"))
        done = self.run_import("kernelbench", path, "--profile", "full", "--inputs", "upstream")
        self.assertEqual(done.returncode, 0, done.stderr)
        task = self.dir / "out/level1/Checks/Gauge"
        self.assertEqual(json.loads((task / "cases.json").read_text())[0]["out_shape"], [1 << 22, 1024])
        self.assertIn('kind = "uniform"', (task / "task.toml").read_text())

    @unittest.skipUnless(has("torch"), "needs PyTorch (python3-torch)")
    def test_what_cannot_be_a_task_is_refused_by_name(self):
        bad = {"syntax": ("def f(:\n", "no Python: line 1"), "other": ("x = 1\n", "no Model in the file"), "raises": ("1 / 0\n", "ZeroDivisionError"),
               "random": (GAUGE.replace("return torch.abs(x)", "return torch.nn.functional.dropout(x)"), "random numbers"),
               "text": (GAUGE.replace("[torch.rand(rows, features)]", "['text']"), "an input is a str"),
               "fails": (GAUGE.replace("torch.abs(x)", "x.view(21, -1)"), "forward failed")}
        for name, (text, why) in bad.items():
            self.write(f"bad/{name}.py", text)
        done = self.run_import("kernelbench", self.dir / "bad")
        self.assertEqual(done.returncode, 1)
        self.assertIn("0 imported, 6 not", done.stdout)
        said = {line.split()[0].rsplit("/", 1)[1]: line for line in done.stderr.splitlines() if "not imported" in line}
        for name, (text, why) in bad.items():
            self.assertIn(why, said.get(f"{name}.py", ""), done.stderr)
        self.assertFalse((self.dir / "out").exists(), "nothing half-written")

    def test_missing_files_are_wrong_use(self):
        done = self.run_import("npukernelbench", self.dir / "nowhere")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no such file", done.stderr)

    def test_answers_become_candidates(self):
        for half in ("op_host", "op_kernel"):
            self.write(f"bench/tasks/level1/Math/Sum/answer/0/{half}/sum.cpp", "// ours\n")
        self.write("bench/tasks/level2/Math/Half/answer/0/op_host/half.cpp", "// no kernel\n")
        done = self.run_import("npukernelbench", self.dir / "bench")
        self.assertEqual(done.returncode, 1)
        self.assertIn("it has no op_kernel/", done.stderr)
        self.assertTrue((self.dir / "out/Sum/sample0/op_kernel/sum.cpp").exists())
        self.assertEqual(self.run_import("npukernelbench", self.dir / "bench", "--level", 1).returncode, 0)

    @unittest.skipUnless(has("torch") and has("yaml"), "needs PyTorch and PyYAML")
    def test_declared_cases_become_tasks(self):
        self.write("cann/gauge/proto.yaml", "operator:\n  name: gauge\n  inputs: [{name: x}, {name: gamma}, {name: beta}]\n  outputs: [{name: y}]\n")
        self.write("cann/gauge/cases.yaml", "cases:\n- case_id: 1\n  input_shape: [[3, 40], [40], [40]]\n  dtype: [float32, float32, float32]\n"
                                            "  value_range: [[-2, 2], [-1, 1], [-1, 1]]\n")
        self.write("cann/gauge/golden.py", "import torch\ndef golden(x, gamma, beta):\n    return torch.abs(x) * gamma + beta\n")
        done = self.run_import("cannbench", self.dir / "cann")
        self.assertEqual(done.returncode, 0, done.stderr)
        task = self.dir / "out/level1/CannBench/GaugeCase1"
        if AKGEN:
            self.assertEqual(self.judge(task)["verdict"], "pass")
        self.write("cann/gauge/cases.yaml", "cases:\n- case_id: 1\n  input_shape: [[3, 40]]\n  dtype: [float32]\n")
        done = self.run_import("cannbench", self.dir / "cann")
        self.assertEqual(done.returncode, 1)
        self.assertIn("3 inputs need as many shapes", done.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--akgen")
    args, rest = parser.parse_known_args()
    AKGEN = args.akgen
    unittest.main(argv=[sys.argv[0], *rest])

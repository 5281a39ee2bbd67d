#!/usr/bin/env python3
"""tools/import_tasks on small files of our own in the style of each benchmark; what comes out is judged."""
import argparse
import json
import pathlib
import re
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

    def elements_of(self, name, text, *more):
        """Of each tensor, by name."""
        done = self.run_import("kernelbench", self.write(f"nets/{name}.py", text), "--elements", 4096, *more)
        self.assertEqual(done.returncode, 0, done.stderr)
        row = json.loads((self.dir / f"out/level1/Nets/{name.capitalize()}/cases.json").read_text())[0]
        return {n: eval("*".join(map(str, shape)) or "1") for n, shape in row.items() if n != "id"}

    @unittest.skipUnless(has("torch"), "needs PyTorch (python3-torch)")
    def test_large_networks_become_small(self):
        # One cap for all numbers breaks a relation: twice the rows are the features.
        related = GAUGE.replace("rows = 40960\nfeatures = 1024", "rows = 512\nfeatures = 1024\nbatch = 64").replace("torch.abs(x)", "torch.cat([x, x], 1).transpose(1, 2)")
        related = related.replace("torch.rand(rows, features)", "torch.rand(batch, rows, 32)").replace(" * self.gamma", " * self.gamma")
        self.assertLessEqual(max(self.elements_of("related", related).values()), 4096)
        # Layers whose widths are in the class; the width of an image that they are made for is not changed.
        wide = GAUGE.replace("self.gamma = nn.Parameter(torch.ones(features))", "self.inner = nn.Linear(features * 7, 2048)")
        wide = wide.replace("self.beta = nn.Parameter(torch.zeros(features))", "self.outer = nn.Linear(2048, 1024)").replace("features = 1024", "features = 3")
        wide = wide.replace("return torch.abs(x) * self.gamma + self.beta", "return self.outer(torch.relu(self.inner(x)))").replace("rand(rows, features)", "rand(rows, features * 7)")
        elements = self.elements_of("wide", wide)
        self.assertEqual(elements["inner_weight_shape"], 64 * 21)
        self.assertLessEqual(max(elements.values()), 4096)

    @unittest.skipUnless(has("torch"), "needs PyTorch (python3-torch)")
    def test_state_that_is_no_parameter_is_an_input(self):
        text = GAUGE.replace("self.gamma = nn.Parameter(torch.ones(features))", "self.gamma = torch.randn(features)")
        self.assertIn("gamma_shape", self.elements_of("state", text))
        made = GAUGE.replace("torch.abs(x)", "torch.cat([x, torch.zeros(1, x.shape[1])])")
        self.assertEqual(set(self.elements_of("made", made)), {"x_shape", "gamma_shape", "beta_shape", "out_shape"})

    @unittest.skipUnless(has("torch"), "needs PyTorch (python3-torch)")
    def test_names_and_dtypes_of_a_trace(self):
        # An input that is called as variables of the program are, and is read again behind them; state that is cast where it is used.
        clash = GAUGE.replace("self.gamma = nn.Parameter(torch.ones(features))", "self.inner, self.outer = nn.Linear(features, features), Outer()")
        clash = clash.replace("forward(self, x)", "forward(self, v0)")
        clash = clash.replace("return torch.abs(x) * self.gamma + self.beta", "return self.outer(self.inner(v0)).to(torch.get_default_dtype()) - v0 * self.beta")
        clash = clash.replace("class Model", "class Outer(nn.Module):\n    def forward(self, x):\n        return torch.relu(torch.abs(x)) + torch.ones(1)\n\nclass Model")
        done = self.run_import("kernelbench", self.write("names/clash.py", clash), "--elements", 4096)
        self.assertEqual(done.returncode, 0, done.stderr)
        text = (self.dir / "out/level1/Names/Clash/reference.py").read_text()
        self.assertRegex(text, r"torch.matmul\(v0, (.|\n)*torch.mul\(v0, beta\)", "the input, not a variable")
        self.assertNotRegex(text, r"\bv0 = ")
        self.assertRegex(text, r"(v\d+) = torch.ones\(\[1\], dtype=7\)\n    v\d+ = torch.type_as\(\1, v0\)", "in float32 where the reference is run in float32")
        self.assertIn('[hidden]\nfixed = ["beta_shape", "inner_weight_shape", "inner_bias_shape"]', (self.dir / "out/level1/Names/Clash/task.toml").read_text(), "a model's parameters have one shape")
        recurrent = GAUGE.replace("self.gamma = nn.Parameter(torch.ones(features))", "self.gru = nn.GRU(features, features)")
        recurrent = recurrent.replace("        self.beta = nn.Parameter(torch.zeros(features))\n", "").replace("torch.abs(x) * self.gamma + self.beta", "self.gru(x)[0]")
        self.elements_of("recurrent", recurrent.replace("torch.rand(rows, features)", "torch.rand(4, rows, features)"))
        self.assertRegex((self.dir / "out/level1/Nets/Recurrent/task.toml").read_text(), r'fixed = \["x_shape", "gru_weight_ih_l0_shape"')

    @unittest.skipUnless(has("torch"), "needs PyTorch (python3-torch)")
    def test_a_reference_is_what_is_captured(self):
        text = GAUGE.replace("torch.abs(x) * self.gamma + self.beta", "nn.functional.grid_sample(x, x[:, :2].permute(0, 2, 3, 1), align_corners=False) * self.gamma.mean() + self.beta.mean()")
        for profile in ("sim", "full"):
            self.elements_of("resized", text.replace("torch.rand(rows, features)", "torch.rand(2, 3, 8, 16)"), "--profile", profile)
            reference = (self.dir / "out/level1/Nets/Resized/reference.py").read_text()
            self.assertNotIn("grid_sampler", reference, "the planner does not take it")
            self.assertIn("torch.floor(", reference, "the capture's rule")

    @unittest.skipUnless(has("torch"), "needs PyTorch (python3-torch)")
    def test_inputs_that_a_limit_does_not_hide(self):
        text = GAUGE.replace("torch.abs(x) * self.gamma + self.beta", "torch.clamp(torch.amax((x * 100).abs(), 1), max=100.0)")
        self.elements_of("limited", text.replace("self.gamma = nn.Parameter(torch.ones(features))\n", "pass\n").replace("        self.beta = nn.Parameter(torch.zeros(features))\n", "").replace("rows, features", "rows, 4"))
        task = (self.dir / "out/level1/Nets/Limited/task.toml").read_text()
        self.assertIn("normal" if "normal" in task else "uniform", task)

    @unittest.skipUnless(has("torch"), "needs PyTorch (python3-torch)")
    def test_what_cannot_be_a_task_is_refused_by_name(self):
        bad = {"syntax": ("def f(:\n", "no Python: line 1"), "other": ("x = 1\n", "no Model in the file"), "raises": ("1 / 0\n", "ZeroDivisionError"),
               "random": (GAUGE.replace("return torch.abs(x)", "return torch.nn.functional.dropout(x)"), "random numbers"),
               "text": (GAUGE.replace("[torch.rand(rows, features)]", "['text']"), "an input is a str"),
               "hub": ("from transformers import AutoConfig\n" + GAUGE, "its weights come from a hub, which is unsupported"),
               "drawn": (GAUGE.replace("torch.abs(x)", "(x @ torch.randn(x.shape[1], x.shape[1]))"), "randn draws random numbers"),
               "fails": (GAUGE.replace("torch.abs(x)", "x.view(21, -1)"), "forward failed")}
        for name, (text, why) in bad.items():
            self.write(f"bad/{name}.py", text)
        done = self.run_import("kernelbench", self.dir / "bad")
        self.assertEqual(done.returncode, 1)
        self.assertIn("0 imported, 8 not", done.stdout)
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
        for half in ("op_host", "op_kernel"):
            self.write(f"bench/tasks/level3/GMM/FlashAttentionScoreWithLargeHeadDim/answer/0/{half}/attention.cpp", "// ours\n")
        self.assertEqual(self.run_import("npukernelbench", self.dir / "bench", "--level", 3).returncode, 0)
        for task in ("FlashAttentionScoreWithLargeHeadDim", "FlashAttentionScorePerHead"):
            self.assertTrue((self.dir / "out" / task / "sample0/op_kernel/attention.cpp").exists(), task)

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

    # The form of the files that the benchmark ships: much that nobody needs here, ranges and dtypes for all inputs, cases as YAML or as a
    # table of JSON, functions beside the reference.
    PROTO = """# a licence, here
operator:
  name: ScaledAdd
  category: Elementwise
  difficulty: L2
  formula: y = x + scale * y
  description: 逐元素
  attrs:
  - {name: scale, type: float, description: factor, required: true}
  - {name: eps, type: float, default: 1e-5}
  - {name: dims, type: list_int, default: [0, 1]}
  inputs:
  - name: x
    dtype: [float16, float32, bfloat16]
  - name: y
    dtype: [float16, float32, bfloat16]
  outputs:
  - name: y
    dtype: [float16, float32, bfloat16]
  schema: scaled_add(Tensor x, Tensor y, float scale) -> Tensor y
"""
    GOLDEN = ("from typing import List\nimport torch\nimport torch.nn.functional as F\n\ndef helper(v):\n    return v.to(torch.float)\n\n"
              "def scaled_add(x: torch.Tensor, y: torch.Tensor, scale: float, eps: float = 1.0) -> torch.Tensor:\n"
              "    return (helper(x) + scale * helper(y)).to(x.dtype)\n\n"
              "def scaled_add_oracle(x, y, scale: float, eps: float = 1.0):\n    assert isinstance(eps, float)\n    return torch.abs(x) + scale * y + eps\n")

    def task(self, name):
        folder = self.dir / f"out/level2/CannBench/{name}"
        return (folder / "task.toml").read_text(), (folder / "reference.py").read_text()

    @unittest.skipUnless(has("torch") and has("yaml"), "needs PyTorch and PyYAML")
    def test_what_the_benchmark_ships(self):
        self.write("cann/scaled_add/proto.yaml", self.PROTO)
        self.write("cann/scaled_add/golden.py", self.GOLDEN)
        cases = [("1", "[[3, 40], [3, 40]]", "[float16, float16]", "{scale: 2.0}", "[-1, 1]"),
                 ("2", "[[3, 40], [40]]", "float32", "{scale: 3}", "[[-1, 1], [0.5, 0.5]]"),
                 ("3", "[[4096, 65536], [4096, 65536]]", "[float32]", "{scale: 2e-1}", "null"),       # two gigabytes: its shapes are enough
                 ("4", "[[3, 40]]", "[float16, float16]", "{scale: 2.0}", "[-1, 1]"),                  # a shape is missing
                 ("5", "[[3, 40], [3, 40]]", "[float16, complex128]", "{scale: 2.0}", "[-1, 1]"),
                 ("6", "[[3, 40], [3, 40]]", "[float16, float16]", "{}", "[-1, 1]"),                   # an attribute is
                 ("7", "[[3, 40], [3, 41]]", "[float16, float16]", "{scale: 2.0}", "[-1, 1]"),
                 ("8", "[[3, 40], [3, 40]]", "[float16, float16]", "{scale: 2.0}", "[-inf, inf]"),
                 ("1", "[[3, 40], [3, 40]]", "[float16, float16]", "{scale: 2.0}", "[-1, 1]")]
        text = "".join(f"- operator: ScaledAdd\n  case_id: {i}\n  input_shape: {s}\n  dtype: {d}\n  attrs: {a}\n  value_range: {r}\n  note: \"a | b\"\n"
                       for i, s, d, a, r in cases)
        self.write("cann/scaled_add/cases.yaml", "# more\n\ncases:\n" + text + "- operator: ScaledAdd\n  case_id: 10\n  input_shape: [[3, 40], [3, 40]]\n")
        done = self.run_import("cannbench", self.dir / "cann", "--json", self.dir / "said.json")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("3 cases, one task each", done.stdout)
        refused = {r["source"].split(" case ")[1]: r["reason"] for r in json.loads((self.dir / "said.json").read_text())["refused"]}
        for case, why in (("4", "cases.yaml:25: 2 inputs need as many shapes"), ("5", "cases.yaml:32: `dtype`: akgen has no tensors of complex128"),
                          ("6", "cases.yaml:39: `attrs` has no scale"), ("7", "forward failed"), ("8", "cases.yaml:53: `value_range`"), ("1", "case_id` 1 appears twice"),
                          ("10", "cases.yaml:67: no `dtype`")):
            self.assertIn(why, refused[case])
        text, reference = self.task("ScaledAddCase1")
        self.assertIn("torch.abs(", reference, "the oracle is the reference")
        self.assertIn('name = "y_"', text, "the output is called like an input")
        self.assertIn("dims: List[int]", reference)
        self.assertIn('{ kind = "uniform", low = -1.0, high = 1.0 }', text)
        self.assertIn('{ kind = "constant", value = 0.5 }', self.task("ScaledAddCase2")[0])
        if AKGEN:
            planned = self.dir / "planned.json"
            done = subprocess.run([AKGEN, "bench", "run", "--generator", "plan", "--tasks", self.dir / "out/level2/CannBench/ScaledAddCase1", "--candidates",
                                   self.dir / "planned", "--json", planned], capture_output=True, text=True)
            self.assertEqual(json.loads(planned.read_text())["passed"], 1, done.stderr)
        # The same as tables, and as JSON.
        rows = "".join(f'ScaledAdd,{i},"{s}","{d.replace("float", chr(34) * 2 + "float").replace("16", "16" + chr(34) * 2)}","{{""scale"": 2.0}}","{r}",note\n'
                       for i, s, d, a, r in cases[:1])
        (self.dir / "cann/scaled_add/cases.yaml").unlink()
        self.write("cann/scaled_add/cases.csv", "\ufeffoperator,case_id,input_shape,dtype,attrs,value_range,note\n" + rows + "ScaledAdd,2,\"[[3\",x,,,\n")
        done = self.run_import("cannbench", self.dir / "cann")
        self.assertIn("1 cases, one task each", done.stdout, done.stderr)
        self.assertIn("cases.csv:3", done.stderr)
        self.assertEqual(self.task("ScaledAddCase1")[1], reference)
        (self.dir / "cann/scaled_add/cases.csv").unlink()
        (self.dir / "cann/scaled_add/proto.yaml").unlink()
        self.write("cann/scaled_add/proto.json", json.dumps({"name": "ScaledAdd", "difficulty": "L2", "inputs": [{"name": "x"}, {"name": "lambda"}], "outputs": [{"name": "out"}],
                                                             "attrs": [{"name": "scale"}]}, indent=1))
        self.write("cann/scaled_add/cases.json", json.dumps([{"input_shape": [[3, 40], [3, 40]], "dtype": "float16", "attrs": {"scale": 2.0}}]))
        done = self.run_import("cannbench", self.dir / "cann")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("lambda_: Tensor", self.task("ScaledAddCase1")[1])

    @unittest.skipUnless(has("torch") and has("yaml"), "needs PyTorch and PyYAML")
    def test_lists_of_tensors_and_inputs_left_out(self):
        self.write("cann/total/proto.yaml", "operator:\n  name: Total\n  inputs: [{name: x, is_list: true}, {name: bias}]\n  outputs: [{name: y}]\n")
        self.write("cann/total/golden.py", "import torch\ndef total(x, bias=None):\n    out = sum(torch.abs(t).sum() for t in x)\n    return out if bias is None else out + bias\n")
        self.write("cann/total/cases.yaml", "cases:\n- {case_id: 1, input_shape: [[[30, 40], [50]], null], dtype: [[float32, float32], null], value_range: [[[-1, 1], [-1, 1]], null]}\n"
                                            "- {case_id: 2, input_shape: [[[30, 40]], [1]], dtype: [float32, float32]}\n")
        done = self.run_import("cannbench", self.dir / "cann", "--level", 2)
        self.assertEqual(done.returncode, 0, done.stderr)
        text, reference = self.task("TotalCase1")
        self.assertIn("def reference(x: List[Tensor]):", reference)
        self.assertEqual([len(re.findall(rf"abs\(t{i}\)", reference)) for i in (0, 1)], [1, 1], reference)
        self.assertIn('kind = "list"', text)
        self.assertNotIn("bias", text)
        self.assertIn("bias", self.task("TotalCase2")[0])
        if AKGEN:
            lint = self.dir / "lint.json"
            subprocess.run([AKGEN, "bench", "lint", "--tasks", str(self.dir / "out"), "--references", "--json", str(lint)], capture_output=True)
            said = json.loads(lint.read_text())
            self.assertEqual((said["references"], said["failed"]), (2, []))

    @unittest.skipUnless(has("torch") and has("yaml"), "needs PyTorch and PyYAML")
    def test_one_bad_operator_costs_no_other(self):
        good = "operator:\n  name: {}\n  inputs: [{{name: x}}]\n  outputs: [{{name: z}}]\n"
        cases = "cases:\n- {input_shape: [[8]], dtype: [float32]}\n"
        golden = "import torch\ndef f(x):\n    return torch.abs(x)\n"
        bad = {"no_yaml": ("operator:\n  name: [\n", cases, golden, "proto.yaml:3"), "no_name": ("operator:\n  inputs: []\n", cases, golden, "proto.yaml:2: no `name`"),
               "no_inputs": ("operator:\n  name: A\n", cases, golden, "proto.yaml:2: no `inputs`"), "a_list": ("- 1\n", cases, golden, "proto.yaml"),
               "no_input_name": ("operator:\n  name: A\n  inputs: [{dtype: x}]\n", cases, golden, "no `name`"), "no_cases": (good.format("B"), "cases: {}\n", golden, "`cases` is no list"),
               "words": (good.format("C"), "cases: [a, b]\n", golden, "no mapping"), "no_golden": (good.format("D"), cases, "import torch\n", "0 public functions"),
               "leaves": (good.format("E"), cases, "raise SystemExit(3)\n", "golden.py failed: SystemExit"), "deep": (good.format("F"), "[" * 5000, golden, "cases.yaml"),
               "bytes": (good.format("G"), "\x00", golden, "cases.yaml")}
        for name, (proto, case, code, why) in {**bad, "right": (good.format("Right"), cases, golden, "")}.items():
            for file, text in (("proto.yaml", proto), ("cases.yaml", case), ("golden.py", code)):
                self.write(f"cann/{name}/{file}", text)
        done = self.run_import("cannbench", self.dir / "cann")
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"1 imported, {len(bad)} not", done.stdout, done.stderr)
        for name, (proto, case, code, why) in bad.items():
            line = next(t for t in done.stderr.splitlines() if f"/{name} " in t)
            self.assertIn(why, line)
            self.assertNotIn("Traceback", done.stderr)
        (self.dir / "empty").mkdir()
        self.assertEqual(self.run_import("cannbench", self.dir / "empty").returncode, 2)

    def test_a_parameter_keeps_its_scale(self):
        layer = GAUGE.replace("self.gamma = nn.Parameter(torch.ones(features))", "self.gamma = nn.Parameter(0.02 * torch.randn(features))")
        self.assertEqual(self.run_import("kernelbench", self.write("layer/gauge.py", layer)).returncode, 0)
        text = next((self.dir / "out").rglob("task.toml")).read_text()
        self.assertRegex(text, r'name = "gamma"\ndtype = "float32"\nshape = .*\ndist = \{ kind = "normal", std = 0\.0(1[5-9]|2[0-5])')

    def test_a_collection_is_planned_judged_and_counted(self):
        self.write("reference/math/gauge.py", GAUGE.replace("40960", "64"))
        self.write("reference/math/solver.py", GAUGE.replace("torch.abs(x)", "torch.linalg.svd(x)[1].sum() + x").replace("40960", "64"))
        self.write("reference/npukernelbench_level1/gauge.py", GAUGE)
        out = self.dir / "counts.json"
        done = subprocess.run([sys.executable, str(ROOT / "lab/run_upstream"), "multikernelbench", str(self.dir), "--akgen", AKGEN, "--python", PYTHON,
                               "--json", str(out)], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        said = json.loads(out.read_text())
        math = said["categories"]["math"]
        self.assertEqual((math["files"], math["planned"], math["verified"], math["Pass@1"]), (2, 1, 1, 0.5), said)
        self.assertGreater(next(r for r in said["results"] if r["task"] == "math/gauge")["speedup"], 0)
        self.assertEqual(sum(said["refusals"].values()), 1)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--akgen")
    args, rest = parser.parse_known_args()
    AKGEN = args.akgen
    unittest.main(argv=[sys.argv[0], *rest])

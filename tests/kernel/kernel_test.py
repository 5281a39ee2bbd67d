#!/usr/bin/env python3
"""akgen kernel: functions as people write them become verified kernels; what a kernel assumes is a guard; a refusal has its line.

usage: kernel_test.py AKGEN      with PyTorch for $AKGEN_PYTHON, else for Debian's python3; without, only what needs none is tested
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
AKGEN = sys.argv.pop(1)
HERE = pathlib.Path(__file__).resolve().parent
PYTHON = os.environ.get("AKGEN_PYTHON") or ("/usr/bin/python3" if pathlib.Path("/usr/bin/python3").exists() else sys.executable)
TORCH = subprocess.run([PYTHON, "-c", "import torch"], capture_output=True, check=False).returncode == 0
HEAD = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"


class WithFiles(unittest.TestCase):
    def setUp(self):
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="akgen_kernel_"))
        self.addCleanup(shutil.rmtree, self.path, True)

    def kernel(self, *args, python=PYTHON):
        done = subprocess.run([AKGEN, "kernel", *map(str, args)], capture_output=True, text=True, timeout=300, env={**os.environ, "AKGEN_PYTHON": python}, check=False)
        return done

    def made(self, text, *args, name="f.py"):
        """The record of `akgen kernel` for a file of this text, and its output."""
        (self.path / name).write_text(text)
        out = self.path / "k.json"
        target = args[0] if args and not args[0].startswith("-") else ""
        rest = args[1:] if target else args
        done = self.kernel(self.path / (name + (":" + target if target else "")), "--json", out, "--hidden", 2, "--out", self.path / "out", *rest)
        return json.loads(out.read_text()) if out.exists() else None, done

    def refused(self, code, line, text, *args):
        record, done = self.made(text, *args)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn(code, done.stderr)
        self.assertEqual((record["verdict"], record["refusal"]["code"], record["refusal"]["line"]), ("refused", code, line), record["refusal"])
        return record


class Door(WithFiles):
    def test_without_pytorch_it_says_what_to_install(self):
        (self.path / "python").write_text(f'#!/bin/sh\nexec {sys.executable} -S -I -c \'import sys; sys.stderr.write("PyTorch is not installed\\n"); sys.exit(3)\'\n')
        (self.path / "python").chmod(0o755)
        (self.path / "f.py").write_text("def f(x):\n    return x\n")
        done = self.kernel(self.path / "f.py", "--example", "x=f32[8]", python=str(self.path / "python"))
        self.assertEqual(done.returncode, 3)
        self.assertIn("AK1547", done.stderr)
        self.assertIn("install", done.stderr)

    def test_a_file_that_is_not_there(self):
        done = self.kernel(self.path / "no.py")
        self.assertEqual(done.returncode, 2)
        self.assertIn("AK1545", done.stderr)


@unittest.skipUnless(TORCH, "no PyTorch")
class Sample(WithFiles):
    def test_a_function_as_it_is_written(self):
        record, done = self.made(HEAD + "# case: x=f16[32, 256] weight=f16[256]\ndef norm(x, weight, eps=1e-6):\n    h = x.float()\n"
                                 "    return weight * (h * torch.rsqrt(h.pow(2).mean(-1, keepdim=True) + eps)).to(x.dtype)\n")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertTrue(record["verified"])
        self.assertEqual((record["inputs"], record["attributes"], record["verdict"]), (["x", "weight"], ["eps"], "pass"))
        self.assertIn("weight.shape[0] == x.shape[1]", [g["require"] for g in record["guards"]])
        program = (self.path / "out/program.py").read_text()
        self.assertIn("def norm(x: tensor(f16), weight: tensor(f16), eps: float)", program)
        self.assertIn("require(weight.shape[0] == x.shape[1])", program)
        for part in ("op_kernel/norm.cpp", "op_host/norm_infer.cpp", "op_host/CMakeLists.txt", "CMakeLists.txt", "norm.json", "torch/norm_torch.cpp", "torch/test_norm.py"):
            self.assertTrue((self.path / "out" / part).is_file(), part)
        self.assertIn("| 0 |", (self.path / "out/README.md").read_text())
        self.assertEqual(json.loads((self.path / "out/verdict.json").read_text())["verdict"], "pass")
        description, = json.loads((self.path / "out/norm.json").read_text())
        self.assertEqual([t["name"] for t in description["input_desc"]], ["x", "weight"])

    def test_shapes_that_the_inference_gets_wrong_are_found(self):
        record, done = self.made(HEAD + "# case: x=f32[10, 30]\ndef halve(x):\n    return x[:, : x.shape[1] // 2] * 2\n")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        infer = self.path / "out/op_host/halve_infer.cpp"
        text = infer.read_text()
        self.assertIn("Extent(context, 0, 1, known) / 2", text)
        infer.write_text(text.replace("known) / 2", "known) / 3"))
        task = next((self.path / "out/task/level1/Own").iterdir())
        done = subprocess.run([AKGEN, "judge", self.path / "out", "--task", task], capture_output=True, text=True, timeout=300, check=False)
        self.assertIn("AK3016", done.stdout + done.stderr)

    def test_a_refusal_names_its_line(self):
        self.refused("AK1542", 5, HEAD + "def f(x):\n    return x[x > 0]\n", "--example", "x=f32[8, 8]")


@unittest.skipUnless(TORCH, "no PyTorch")
class Kernel(WithFiles):
    def test_a_module_has_its_parameters_as_inputs(self):
        record, done = self.made(HEAD + "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.w = nn.Parameter(torch.ones(64))\n"
                                 "        self.drop = nn.Dropout(0.5)\n    def forward(self, x):\n        return self.drop(x * self.w).clamp_(-1, 1)\n", "--example", "x=f32[16, 64]")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(record["inputs"], ["x", "w"])
        self.assertIn("x.shape[1] == 64", [g["require"] for g in record["guards"]])

    def test_refusals_name_the_line(self):
        example = ("--example", "x=f32[8, 8]")
        self.refused("AK1542", 5, HEAD + "def f(x):\n    if x.sum() > 0:\n        return x\n    return -x\n", *example)
        self.refused("AK1543", 5, HEAD + "def f(x):\n    return F.dropout(x, 0.1)\n", *example)
        self.refused("AK1544", 5, HEAD + "def f(x):\n    for i in range(5000):\n        x = x * 2\n    return x\n", *example)
        self.refused("AK1541", 8, HEAD + "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.register_buffer('seen', torch.zeros(8))\n"
                     "    def forward(self, x):\n        self.seen += x[0]\n        return x * self.seen\n", *example)
        self.refused("AK1545", 4, HEAD + "def f(x):\n    return x\n", "--example", "y=f32[8]")
        self.refused("AK1541", 6, HEAD + "def f(x):\n    y = x + 1\n    return torch.linalg.svd(y)[1]\n", *example)
        self.refused("AK1540", 6, HEAD + "def f(x):\n    y = x + 1\n    return torch.mode(y, 1)[0]\n", *example)

    def test_what_is_chosen_joined_or_seen_twice_is_used_further(self):
        for text, example in (("0.5 * (x + x.t())", "x=f32[10, 10]"), ("torch.cat([x * 2, x[:, :7]], 1).softmax(1)", "x=f32[6, 20]"),
                              ("torch.where(x >= x.topk(3).values[:, -1:], x, torch.zeros_like(x))", "x=f32[9, 30]"), ("torch.exp(x).chunk(2, 1)[1] + x.argmax(1, True)", "x=f32[9, 30]")):
            record, done = self.made(HEAD + f"def f(x):\n    return {text}\n", "--example", example)
            self.assertEqual((done.returncode, record["verdict"]), (0, "pass"), text + done.stdout + done.stderr)

    def test_a_function_that_keeps_state_is_not_taken(self):
        self.refused("AK1546", 5, HEAD + "calls = []\ndef f(x):\n    calls.append(0)\n    return x * float(len(calls))\n", "--example", "x=f32[8, 8]")


@unittest.skipUnless(TORCH, "no PyTorch")
class Guards(WithFiles):
    """Another value of what was decided in Python is refused by the host function, or has its own program."""

    def refuses(self, task_change):
        """Judges what was made with other values of the task's cases."""
        task = next((self.path / "out/task/level1/Own").iterdir())
        rows = json.loads((task / "cases.json").read_text())
        rows = [{**r, **task_change} for r in rows]
        (task / "cases.json").write_text(json.dumps(rows))
        done = subprocess.run([AKGEN, "judge", self.path / "out", "--task", task, "--json", self.path / "j.json"], capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        judged = json.loads((self.path / "j.json").read_text())
        self.assertEqual(judged["verdict"], "runtime_error", done.stdout)
        return done.stdout

    def test_a_string_that_decides(self):
        text = HEAD + "def gate(x, kind='tanh'):\n    return torch.tanh(x) if kind == 'tanh' else torch.sigmoid(x)\n"
        record, done = self.made(text, "--example", "x=f16[8, 64]")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn('kind == "tanh"', [g["require"] for g in record["guards"]])
        self.refuses({"kind.value": "other"})
        record, done = self.made(text, "--example", "x=f16[8, 64]", "--example", "x=f16[8, 64] kind=sigmoid")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual({g["variant"] for g in record["guards"]}, {0, 1})
        self.refuses({"kind.value": "other"})

    def test_a_number_and_a_shape_that_decide(self):
        record, done = self.made(HEAD + "def groups(x, n: int = 8):\n    return x.view(x.shape[0], n, x.shape[1] // n).amax(-1)\n", "--example", "x=f32[20, 64]")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        asked = [g["require"] for g in record["guards"]]
        self.assertIn("n == 8", asked)
        self.assertIn("x.shape[1] % 8 == 0", asked)
        self.refuses({"n.value": 4})


if __name__ == "__main__":
    unittest.main()

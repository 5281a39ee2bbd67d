#!/usr/bin/env python3
"""torch.compile(backend="akgen"): a kernel that gives what the function gives, in the memory where the function has it, or a reason; never a wrong result.

usage: compile_test.py AKGEN      with a Python that has PyTorch 2; without it nothing is tested
"""
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import warnings

sys.dont_write_bytecode = True
os.environ["AKGEN"] = os.path.abspath(sys.argv.pop(1))
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
if importlib.util.find_spec("torch") is None:
    print("no PyTorch: nothing is tested")
    sys.exit(77)  # skipped
import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402
from torch import nn, randn  # noqa: E402

if int(torch.__version__.split(".")[0]) < 2:
    print(f"PyTorch {torch.__version__} has no torch.compile: nothing is tested")
    sys.exit(77)
import akgen  # noqa: E402

INSTALLED = """import warnings, torch
warnings.simplefilter("error")
x = torch.randn(6, 40)
compiled = torch.compile(lambda x: torch.relu(x) * 2, backend="akgen", options={"hidden": 0})
torch.testing.assert_close(compiled(x), torch.relu(x) * 2)
print(torch._dynamo.lookup_backend("akgen").__module__)
"""


def gate(x, up, scale: float = 0.5):
    return torch.sigmoid(x) * up * scale


def flags(x, w, scale: float = 0.5, causal=True, how="tanh"):
    y = x @ w * scale
    if causal:
        y = y.masked_fill(torch.ones(y.shape[-2], y.shape[-1], dtype=torch.bool).triu(1), -4.0)
    return torch.tanh(y) if how == "tanh" else y.softmax(-1)


def tensors(value):
    return [t for v in value for t in tensors(v)] if isinstance(value, (tuple, list)) else [value]


def memories(values):
    """Which of them lie in one memory."""
    where = [v.untyped_storage().data_ptr() if isinstance(v, torch.Tensor) and v.numel() else None for v in values]
    return [(i, k) for i in range(len(where)) for k in range(i) if where[i] is not None and where[i] == where[k]]


def modes(x):
    return x.mode(-1)[0]


class Compiled(unittest.TestCase):
    def setUp(self):
        torch._dynamo.reset()
        torch.manual_seed(0)
        caught = warnings.catch_warnings()
        caught.__enter__()
        self.addCleanup(caught.__exit__, None, None, None)
        warnings.simplefilter("ignore")

    def agrees(self, function, *calls, reasons=(), near=1e-3, grad=False, **options):
        """Every call gives what the function gives; the graphs that run without a kernel do so for these reasons."""
        compiled = torch.compile(function, backend=akgen.torch_backend, options={"hidden": 1}, **options)
        before = len(akgen.FALLBACKS)
        for given in calls:
            mine, its = [[a.clone() if isinstance(a, torch.Tensor) else a for a in given] for _ in range(2)]
            with torch.set_grad_enabled(grad):
                got, expected = tensors(compiled(*mine)), tensors(function(*its))
            self.assertEqual(len(got), len(expected))
            for a, b in zip(got + mine, expected + its):
                if not isinstance(b, torch.Tensor):
                    self.assertEqual(a, b)
                    continue
                self.assertEqual((a.dtype, a.stride(), a.requires_grad), (b.dtype, b.stride(), b.requires_grad))
                torch.testing.assert_close(a, b, rtol=near, atol=near / 10)
            self.assertEqual(memories(got + mine), memories(expected + its))
        told = akgen.FALLBACKS[before:]
        self.assertEqual(len(told), len(reasons), told)
        for one, reason in zip(told, reasons):
            self.assertRegex(one, reason)

    def test_a_module_with_parameters(self):
        net = nn.Sequential(nn.Linear(16, 24), nn.LayerNorm(24), nn.GELU(), nn.Linear(24, 8)).eval()
        self.agrees(net, (randn(4, 16),), (randn(9, 16),))
        with torch.no_grad():
            net[0].weight.mul_(2)
        self.agrees(net, (randn(4, 16),))
        self.agrees(net, (randn(4, 16),), grad=True, reasons=["gradients"])

    def test_flags_and_numbers(self):
        self.agrees(flags, (randn(8, 8), randn(8, 8)), (randn(8, 8), randn(8, 8), 0.25, False), (randn(8, 8), randn(8, 8), 0.125, True, "softmax"))
        self.agrees(lambda x, k: x[:, :k] * k, (randn(6, 40), 2), (randn(6, 40), 3))

    def test_other_sizes(self):
        self.agrees(gate, (randn(6, 40), randn(6, 40)), (randn(9, 77), randn(9, 77)), (randn(5, 31), randn(5, 31)))
        self.agrees(lambda x: ((x * x.shape[0]).mean(-1), x[: x.shape[0] // 2] * 2, x.shape[1]), (randn(6, 40),), (randn(9, 77),), dynamic=True)

    def test_several_outputs_and_halves(self):
        self.agrees(lambda x: (x.sum(-1), x.amax(0), (x * 2).softmax(-1), x.argmax(-1)), (randn(6, 20),))
        for dtype in (torch.float16, torch.bfloat16):
            self.agrees(gate, (randn(6, 40).to(dtype), randn(6, 40).to(dtype)), near=1e-2, dynamic=False)

    def test_arguments_that_change(self):
        def twice(x, y):
            x.mul_(2).add_(y)
            return x

        def parts(x, y):
            x[:, 1:4] = y[:, :3]
            return (x + 1).relu_()
        self.agrees(twice, (randn(6, 20), randn(6, 20)))
        self.agrees(parts, (randn(6, 20), randn(6, 20)))
        self.agrees(lambda x: (x.add_(1), x.view(-1)), (randn(6, 20),))
        self.agrees(lambda x, mean, var: F.batch_norm(x, mean, var, training=True), (randn(6, 20), torch.zeros(20), torch.ones(20)))

    def test_results_in_one_memory(self):
        def views(x):
            y = x * 2
            return y, y[1], x.view(-1), x.t() + 0, y.sum(-1, True).expand(-1, 4)
        self.agrees(views, (randn(6, 20),))

    def test_a_change_that_another_argument_sees(self):
        def change(x, y):
            x.mul_(2)
            return x + y
        x = randn(6, 20)
        same = x.clone()
        before = len(akgen.FALLBACKS)
        with torch.no_grad():
            got = torch.compile(change, backend=akgen.torch_backend, options={"hidden": 0})(x, x[:1])
            torch.testing.assert_close(got, change(same, same[:1]))
        torch.testing.assert_close(x, same)
        self.assertIn("shares memory", akgen.FALLBACKS[-1] if len(akgen.FALLBACKS) > before else "")

    def test_graphs_around_a_break(self):
        def broken(x):
            y = torch.relu(x) * 2
            torch._dynamo.graph_break()
            return y.softmax(-1) if y.sum() > 0 else y - 1
        self.agrees(broken, (randn(6, 20),), (-randn(6, 20).abs(),))

    def test_reasons_with_the_users_line(self):
        line = modes.__code__.co_firstlineno + 1
        self.agrees(modes, (randn(6, 20),), reasons=[rf"compile_test.py:{line}: .*mode"])
        self.agrees(gate, (randn(6, 40).double(), randn(6, 40).double()), reasons=["float64"])

    def test_whole_numbers_wrap_around(self):
        self.agrees(lambda x: x + 200, (torch.randint(0, 255, (4, 40), dtype=torch.uint8),), reasons=["wraps"])
        self.agrees(lambda x: x.to(torch.int32), (torch.randint(-(2**50), 2**50, (4, 40)),), reasons=["wraps"])
        self.agrees(lambda x: x * 3 + 1, (torch.randint(-(2**30), 2**30, (4, 40), dtype=torch.int32),))

    def test_random_numbers_stay_random(self):
        compiled = torch.compile(lambda x: x * 0 + torch.rand(20), backend=akgen.torch_backend, options={"hidden": 0})
        before = len(akgen.FALLBACKS)
        self.assertFalse(torch.equal(compiled(randn(6, 20)), compiled(randn(6, 20))))
        self.assertIn("random", akgen.FALLBACKS[-1] if len(akgen.FALLBACKS) > before else "")

    def test_indices_from_the_end(self):
        x, line = randn(6, 20), torch.tensor([0, 3, 5])
        self.agrees(lambda x, i: x[:, i] * 2, (x, line), (x, line - 3), reasons=["negative"])

    def test_autocast(self):
        compiled = torch.compile(lambda x, w: x @ w, backend=akgen.torch_backend, options={"hidden": 0})
        x, w = randn(6, 20), randn(20, 8)
        with torch.no_grad():
            self.assertEqual(compiled(x, w).dtype, torch.float32)
            with torch.autocast("cpu", dtype=torch.bfloat16):
                self.assertEqual(compiled(x, w).dtype, torch.bfloat16)
        self.assertIn("autocast", akgen.FALLBACKS[-1])

        def within(x, w):
            with torch.autocast("cpu", dtype=torch.bfloat16):
                return F.linear(x, w)
        self.agrees(within, (randn(6, 20), randn(8, 20)), reasons=["bfloat16"])

    def test_the_installed_package_has_the_entry_point(self):
        with tempfile.TemporaryDirectory() as told:
            subprocess.run([sys.executable, "-m", "pip", "-q", "--disable-pip-version-check", "install", "--no-deps", "--no-index", "--target", told, str(ROOT / "python")], check=True)
            done = subprocess.run([sys.executable, "-c", INSTALLED], capture_output=True, text=True, cwd=told, env={**os.environ, "PYTHONPATH": told}, check=False)
        self.assertEqual((done.returncode, done.stdout.strip()), (0, "akgen.backend"), done.stderr[-2000:])


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""akgen.kernel, and the project that is handed over: its binding builds and agrees with the function.

usage: torch_test.py AKGEN      with a Python that has PyTorch; the binding where cmake is there
"""
import importlib
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
os.environ["AKGEN"] = os.path.abspath(sys.argv.pop(1))
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "python"))
TORCH = importlib.util.find_spec("torch") is not None
if TORCH:
    import torch
    import akgen
TWO = TORCH and int(torch.__version__.split(".")[0]) > 1
USER = """import torch

HELD = torch.tensor([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0])


def gate(x, up, scale: float = 0.5):
    return torch.sigmoid(x) * up * scale, torch.cat([x, up], 1)[:, ::2], x.sum()


def mixed(xs, double, kind="tanh", flag=False, k: int = 1):
    y = torch.relu(xs[0]) if kind == "relu" else torch.tanh(xs[0])
    double.mul_(k)
    return (y + xs[1] * HELD if flag else y).sum(-1)
"""
SYMBOLIC = """import sys, torch
from torch.fx.experimental.proxy_tensor import make_fx
torch.ops.load_library(sys.argv[1])
made = make_fx(lambda x, up: torch.ops.ascend.gate(x, up, 0.5), tracing_mode="symbolic")(torch.randn(6, 40), torch.randn(6, 40))
call = next(n for n in made.graph.nodes if "gate" in str(n.target))
sizes = [str(n) for t in call.meta["val"] for n in t.shape]
assert len(sizes) == 4 and all("s" in n for n in sizes), sizes
"""


def gate(x, up, scale: float = 0.5):
    return torch.sigmoid(x) * up * scale


def columns(x, i):
    return x[:, i] * 2


HELD = torch.tensor([1.0, 2.0, 3.0]) if TORCH else None


def adds(x, y):
    x.mul_(2)
    x.add_(y * HELD)
    return x


def rows(x):
    return x.mode(-1)[0]


@unittest.skipUnless(TORCH, "no PyTorch")
class Kernels(unittest.TestCase):
    def close(self, a, b):
        torch.testing.assert_close(a, b, rtol=1e-3, atol=1e-4)

    def test_a_function_and_other_sizes(self):
        x, up = torch.randn(6, 40), torch.randn(6, 40)
        made = akgen.kernel(gate, x, up, hidden=1)
        self.assertTrue(made.verified, made.explain())
        self.close(made(x, up), gate(x, up))
        x, up = torch.randn(9, 77), torch.randn(9, 77)
        self.close(made(x, up, scale=2.0), gate(x, up, scale=2.0))
        with self.assertRaises(akgen.KernelError):
            made(x, torch.randn(9, 76).expand(9, 76)[:, :1])

    def test_a_refusal_says_why(self):
        with self.assertRaisesRegex(akgen.KernelError, r"torch_test.py:\d+: .*mode"):
            akgen.kernel(rows, torch.randn(4, 8))
        with self.assertRaisesRegex(akgen.KernelError, "no name"):
            akgen.kernel(lambda x: x + 1, torch.randn(4, 8))

    def test_other_dtypes_and_indices_from_the_end_are_refused(self):
        x, up = torch.randn(6, 40).half(), torch.randn(6, 40).half()
        made = akgen.kernel(gate, x, up, hidden=0)
        with self.assertRaisesRegex(akgen.KernelError, "x is float32, the kernel was made for float16"):
            made(x.float(), up)
        made = akgen.kernel(columns, torch.randn(4, 5), torch.tensor([0, 1, 2]), hidden=0)
        with self.assertRaisesRegex(akgen.KernelError, "negative"):
            made(torch.randn(4, 5), torch.tensor([0, -1, 2]))

    def test_a_tensor_that_the_function_holds_and_one_that_it_changes(self):
        x, y = torch.randn(4, 3), torch.randn(3)
        same = x.clone()
        got = akgen.kernel(adds, x, y, hidden=0)(x, y)
        self.assertIs(got, x)
        self.close(x, adds(same, y))

    def test_a_module_that_is_trained(self):
        net = torch.nn.LayerNorm(32)
        with torch.no_grad():
            net.weight.mul_(1.5)
        x = torch.randn(5, 32)
        self.close(akgen.kernel(net, x, hidden=1)(x), net(x).detach())

    def bound(self, told, name, function, example):
        """Builds the binding of a copy of the project, runs its test, and gives the library."""
        folder = akgen.kernel(function, example, hidden=0).check().project(pathlib.Path(told) / name)
        for command in (["cmake", "-S", folder / "torch", "-B", folder / "b", f"-DPYTHON={sys.executable}"], ["cmake", "--build", folder / "b"],
                        [sys.executable, f"test_{name}.py", folder / f"b/lib{name}_torch.so"]):
            done = subprocess.run(list(map(str, command)), capture_output=True, text=True, cwd=folder / "torch", check=False)
            self.assertEqual(done.returncode, 0, done.stdout[-2000:] + done.stderr[-2000:])
        self.assertIn("shapes agree", done.stdout)
        return folder / f"b/lib{name}_torch.so"

    @unittest.skipUnless(shutil.which("cmake"), "no cmake")
    def test_the_binding_builds_and_agrees(self):
        with tempfile.TemporaryDirectory() as told:
            (pathlib.Path(told) / "user.py").write_text(USER)
            sys.path.insert(0, told)
            self.addCleanup(sys.path.remove, told)
            user = importlib.import_module("user")
            library = self.bound(told, "gate", user.gate, "x=f32[6, 40] up=f32[6, 40] scale=0.5")
            self.bound(told, "net", torch.nn.Sequential(torch.nn.Linear(8, 4), torch.nn.ReLU()), "input=f16[6, 8]")
            self.bound(told, "mixed", user.mixed, "xs=(f16[6, 8], f16[6, 8]) double=f16[6, 8] kind=relu flag=True k=2")
            if TWO:
                done = subprocess.run([sys.executable, "-c", SYMBOLIC, str(library)], capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 0, done.stderr[-2000:])


if __name__ == "__main__":
    unittest.main()

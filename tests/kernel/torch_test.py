#!/usr/bin/env python3
"""akgen.kernel, torch.compile(backend="akgen"), and the project that is handed over: its binding builds and agrees with the function.

usage: torch_test.py AKGEN      with a Python that has PyTorch; torch.compile where that is 2 or newer, the binding where cmake is there
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
import warnings

sys.dont_write_bytecode = True
os.environ["AKGEN"] = os.path.abspath(sys.argv.pop(1))
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "python"))
TORCH = importlib.util.find_spec("torch") is not None
if TORCH:
    import torch
    import akgen
    TWO = int(torch.__version__.split(".")[0]) > 1
else:
    TWO = False


def gate(x, up, scale: float = 0.5):
    return torch.sigmoid(x) * up * scale


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

    def test_a_module_that_is_trained(self):
        net = torch.nn.LayerNorm(32)
        with torch.no_grad():
            net.weight.mul_(1.5)
        x = torch.randn(5, 32)
        self.close(akgen.kernel(net, x, hidden=1)(x), net(x).detach())

    @unittest.skipUnless(shutil.which("cmake"), "no cmake")
    def test_the_binding_builds_and_agrees(self):
        with tempfile.TemporaryDirectory() as told:
            folder = pathlib.Path(told) / "gate"
            (pathlib.Path(told) / "user.py").write_text("import torch\n\n\ndef gate(x, up, scale: float = 0.5):\n    return torch.sigmoid(x) * up * scale, x.sum(-1)\n")
            sys.path.insert(0, told)
            self.addCleanup(sys.path.remove, told)
            akgen.kernel(importlib.import_module("user").gate, "x=f32[6, 40] up=f32[6, 40] scale=0.5", hidden=0, out=folder).check()
            for command in (["cmake", "-S", folder / "torch", "-B", folder / "b", f"-DPYTHON={sys.executable}"], ["cmake", "--build", folder / "b"],
                            [sys.executable, "test_gate.py", folder / "b/libgate_torch.so"]):
                done = subprocess.run(list(map(str, command)), capture_output=True, text=True, cwd=folder / "torch", check=False)
                self.assertEqual(done.returncode, 0, done.stdout[-2000:] + done.stderr[-2000:])
            self.assertIn("shapes agree", done.stdout)


@unittest.skipUnless(TWO, "no PyTorch 2")
class Compiled(unittest.TestCase):
    def test_a_kernel_or_a_reason(self):
        x, up = torch.randn(6, 40), torch.randn(6, 40)
        before = len(akgen.FALLBACKS)
        compiled = torch.compile(gate, backend=akgen.torch_backend, dynamic=False)
        torch.testing.assert_close(compiled(x, up), gate(x, up), rtol=1e-3, atol=1e-4)
        self.assertEqual(len(akgen.FALLBACKS), before, akgen.FALLBACKS)
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            modes = torch.compile(rows, backend=akgen.torch_backend, dynamic=False)
            torch.testing.assert_close(modes(x), rows(x))
        self.assertIn("mode", akgen.FALLBACKS[-1])
        self.assertTrue(any("without a kernel" in str(w.message) for w in said))

    def test_a_module_with_parameters(self):
        net = torch.nn.Sequential(torch.nn.Linear(16, 8), torch.nn.ReLU())
        x = torch.randn(4, 16)
        before = len(akgen.FALLBACKS)
        with torch.no_grad():
            got = torch.compile(net, backend=akgen.torch_backend, dynamic=False)(x)
            torch.testing.assert_close(got, net(x), rtol=1e-3, atol=1e-4)
        self.assertEqual(len(akgen.FALLBACKS), before, akgen.FALLBACKS)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""PyTorch extensions: kernels bound by TORCH_LIBRARY, as candidates of AscendKernelBench are, from the binding on.

torch_test.py AKGEN
"""
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from fresh_cache import fresh_cache  # noqa: E402
from torch_candidates import HOST, KERNEL, LEGACY  # noqa: E402

sys.dont_write_bytecode = True
AKGEN = sys.argv[1]
CANDIDATES = {  # by name: the source and its verdict
    "right": (KERNEL + HOST, "pass"),
    "legacy": (KERNEL + LEGACY, "pass"),
    "wrong": (KERNEL.replace("Max(b, a, b, n)", "Min(b, a, b, n)") + HOST, "wrong_answer"),
    "racy": (KERNEL.replace("      WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);\n", "") + HOST, "finding"),
    "slow": (KERNEL + HOST.replace("return y;", "for (;;) y.zero_();"), "timeout"),
    "cheating": (KERNEL + HOST.replace("return y;", "return at::leaky_relu(x, negative_slope);"), "rejected"),
    "unsupported": (KERNEL + HOST.replace("at::empty_like(x)", "x.new_empty_strided_like()"), "unsupported"),
}


class Extensions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.dir = pathlib.Path(cls.folder.name)
        cls.cache = fresh_cache(cls.dir / "cache")
        xs = [((7 * i) % 41 - 20) / 8 for i in range(37 * 100)]
        (cls.dir / "x.bin").write_bytes(struct.pack(f"{len(xs)}f", *xs))
        (cls.dir / "y.bin").write_bytes(struct.pack(f"{len(xs)}f", *(max(x, 0.125 * x) for x in xs)))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def judged(self, name, source, *words, call="run(x=f32[37,100]@x.bin, 0.125)"):
        file, out = self.dir / f"{name}.asc", self.dir / f"{name}.json"
        file.write_text(source)
        done = subprocess.run([AKGEN, "exec", str(file), "--call", call, "--cwd", str(self.dir), "--json", str(out),
                               *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**os.environ, "AKGEN_CACHE": self.cache})
        self.assertTrue(out.exists(), done.stdout.decode())
        return json.loads(out.read_text())

    def test_each_candidate_gets_its_verdict(self):
        os.chmod(self.dir, 0o777)
        for name, (source, verdict) in CANDIDATES.items():
            with self.subTest(name):
                limit = ["--timeout", "3" if name == "slow" else "30"]
                said = self.judged(name, source, "--expect", str(self.dir / "y.bin"), *limit)
                self.assertEqual(said["verdict"], verdict, said)
                if name == "racy":
                    self.assertIn("AK1201", [f["code"] for f in said["findings"]])
                if name == "cheating":
                    self.assertIn("at::leaky_relu", said["reason"])
                if name == "unsupported":
                    self.assertIn("new_empty_strided_like", said["reason"])

    def test_what_is_wrong_with_a_call(self):
        os.chmod(self.dir, 0o777)
        source = CANDIDATES["right"][0]
        for call, text in (("walk(x=f32[8], 1.0)", "there are: custom_op::run"), ("run(f32[8], 1.0, 2)", "it takes 2 arguments"),
                           ("run(1, 1.0)", "takes Tensor"), ("run(q8[8], 1.0)", "no type of a tensor")):
            with self.subTest(call):
                said = self.judged("right", source, call=call)
                self.assertEqual(said["verdict"], "runtime_error", said)
                self.assertIn(text, said["console"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)

#!/usr/bin/env python3
"""AK1507: outputs that are wrong for the inaccuracy of an instruction; results of 16 bits that are rounded one way.

accuracy_test.py AKGEN REPO
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from fresh_cache import fresh_cache  # noqa: E402

AKGEN, REPO = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
EXAMPLE = REPO / "examples/kernels/sqrt_via_float"
KERNEL = (EXAMPLE / "op_kernel/sqrt.cpp").read_text()
DIST = '{ kind = "normal", mean = 0.01, std = 10.0, abs = true }'
RSQRT = KERNEL.replace("Sqrt(y, x, n);", "Rsqrt(y, x, n);").replace("Sqrt(wide, wide, n);", "Rsqrt(wide, wide, n);")
BY_DIV = KERNEL.replace("Sqrt(y, x, n);", "Sqrt(x, x, n);\n      Duplicate(y, 1.0f, n);\n      Div(y, y, x, n);")


class Accuracy(unittest.TestCase):
    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="akgen_accuracy_"))
        self.addCleanup(shutil.rmtree, self.dir, True)
        self.task = self.dir / "tasks/level1/Math/Sqrt"
        shutil.copytree(REPO / "tasks/level1/Math/Sqrt", self.task)
        (self.task / "reference.py").write_text("def reference(x: Tensor) -> Tensor:\n    return 1.0 / torch.sqrt(x)\n")
        text = (self.task / "task.toml").read_text()
        self.assertIn(DIST, text)
        (self.task / "task.toml").write_text(text.replace(DIST, '{ kind = "uniform", low = 0.5, high = 8.0 }'))

    def judge(self, kernel, dtype):
        project, record = self.dir / "candidate", self.dir / "record.json"
        (self.task / "cases.json").write_text(json.dumps([{"id": "0", "shape": [48, 128], "dtype": dtype}]))
        shutil.copytree(EXAMPLE, project, dirs_exist_ok=True)
        (project / "op_kernel/sqrt.cpp").write_text(kernel)
        env = {**os.environ, "AKGEN_CACHE": fresh_cache(self.dir / "cache")}
        done = subprocess.run([str(AKGEN), "judge", str(project), "--task", str(self.task), "--inputs", "upstream", "--json", str(record)],
                              env=env, capture_output=True, text=True)
        self.assertIn(done.returncode, (0, 1), done.stdout + done.stderr)
        return json.loads(record.read_text())

    def test_rsqrt_in_float_is_named(self):
        record = self.judge(RSQRT, "float32")
        self.assertEqual(record["verdict"], "wrong_answer", record)
        named = [f for f in record["cases"][0]["findings"] if f["code"] == "AK1507"]
        self.assertEqual(len(named), 1, record)
        line = 1 + RSQRT[:RSQRT.index("Rsqrt(y, x, n);")].count("\n")
        self.assertEqual((named[0]["place"]["file"], named[0]["place"]["line"]), ("op_kernel/sqrt.cpp", line))
        self.assertIn("Rsqrt in float", named[0]["message"])
        self.assertIn("AK1507", record["cases"][0]["reason"])

    def test_sqrt_and_div_are_exact(self):
        record = self.judge(BY_DIV, "float32")
        self.assertEqual((record["verdict"], record["cases"][0]["findings"]), ("pass", []), record)

    def test_the_inaccuracy_of_float_is_lost_in_bfloat16(self):
        record = self.judge(RSQRT, "bfloat16")
        self.assertEqual((record["verdict"], record["cases"][0]["findings"]), ("pass", []), record)

    def test_what_is_wrong_anyway_is_not_blamed_on_it(self):
        record = self.judge(RSQRT.replace("Rsqrt(y, x, n);", "Rsqrt(y, x, n);\n      Adds(y, y, 0.5f, n);"), "float32")
        self.assertEqual((record["verdict"], record["cases"][0]["findings"]), ("wrong_answer", []), record)

    def test_truncation_is_told_from_rounding(self):
        good = RSQRT.replace("Rsqrt(wide, wide, n);", "Adds(wide, wide, 0.0f, n);\n      Sqrt(wide, wide, n);\n      Duplicate(wide2, 1.0f, n);\n      Div(wide, wide2, wide, n);").replace(
            "LocalTensor<float> wide = wide_.Get<float>();", "LocalTensor<float> wide = wide_.Get<float>(), wide2 = wide[tile_];").replace(
            "InitBuffer(wide_, tile * sizeof(float))", "InitBuffer(wide_, 2 * tile * sizeof(float))").replace("t.tile)", "t.tile / 32 * 16)")
        for dtype in ("bfloat16", "float16"):
            cut = self.judge(good.replace("CAST_RINT", "CAST_TRUNC"), dtype)
            self.assertEqual(cut["verdict"], "wrong_answer", cut)
            self.assertIn("rounded one way", cut["cases"][0]["reason"])
            rounded = self.judge(good, dtype)
            self.assertEqual((rounded["verdict"], rounded["cases"][0]["findings"]), ("pass", []), rounded)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])

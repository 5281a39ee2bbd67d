#!/usr/bin/env python3
"""AK0609: answers that are right without an input that the results depend on.

unread_test.py AKGEN REPO
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
HONEST = REPO / "tests/exploits/honest"
KERNEL = (HONEST / "op_kernel/gauge.cpp").read_text()
WITHOUT_BETA = KERNEL.replace("Load(params[half_], beta_);", "").replace("Add(y, y, params[half_], cols_);", "")
BY_SCALAR = WITHOUT_BETA.replace("Mul(y, y, params, cols_);", "Mul(y, y, params, cols_); if (beta_.GetValue(cols_ - 1) > 1) Abs(y, y, cols_);")
# One more parameter makes no difference: its last element, by a plain load.
BY_POINTER = WITHOUT_BETA.replace("cols_ = cols;", "cols_ = cols + (((__gm__ float *)beta)[cols - 1] > 1);")


class Unread(unittest.TestCase):
    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="akgen_unread_"))
        self.addCleanup(shutil.rmtree, self.dir, True)
        self.task = self.dir / "tasks/level1/Exploits/Gauge"
        shutil.copytree(REPO / "tests/exploits/task", self.task)
        toml = self.task / "task.toml"
        head, tail = toml.read_text().split('name = "beta"')
        toml.write_text(head + 'name = "beta"' + tail.replace('kind = "normal"', 'kind = "normal", std = 1e-20'))
        (self.task / "cases.json").write_text('[{"id": "0", "rows": 8, "cols": 64}, {"id": "1", "rows": 3, "cols": 40}]')

    def judge(self, kernel, code, *more):
        project, record = self.dir / "candidate", self.dir / "record.json"
        shutil.copytree(HONEST, project, dirs_exist_ok=True)
        (project / "op_kernel/gauge.cpp").write_text(kernel)
        env = {**os.environ, "AKGEN_CACHE": fresh_cache(self.dir / "cache")}
        done = subprocess.run([str(AKGEN), "judge", str(project), "--task", str(self.task), "--inputs", "upstream", "--json", str(record), *more],
                              env=env, capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return json.loads(record.read_text())

    def test_an_input_that_no_case_reads(self):
        for backend in ("native", "guest"):
            record = self.judge(WITHOUT_BETA, 1, "--backend", backend)
            self.assertEqual(record["verdict"], "finding")
            finding = record["cases"][0]["findings"][0]
            self.assertEqual((finding["code"], finding["memory"]), ("AK0609", "GM:beta"))
            self.assertIn("case 0: AK0609", record["reason"])
            self.assertTrue(record["cases"][0]["numbers_pass"])

    def test_one_that_is_read(self):
        for backend in ("native", "guest"):
            for kernel in (KERNEL, BY_SCALAR, BY_POINTER):
                self.assertEqual(self.judge(kernel, 0, "--backend", backend)["verdict"], "pass")

    def test_one_that_no_result_depends_on(self):
        (self.task / "reference.py").write_text(
            "def reference(x: Tensor, gamma: Tensor, beta: Tensor):\n    return torch.abs(x) * gamma\n")
        self.assertEqual(self.judge(WITHOUT_BETA, 0)["verdict"], "pass")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])

#!/usr/bin/env python3
"""--timeout bounds what a case takes on the clock by 1.5 times, wherever the candidate spends it; what is behind such a case is not
run, and the next candidate is judged.

limits_test.py AKGEN REPO
"""
import json
import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from fresh_cache import fresh_cache  # noqa: E402

AKGEN, REPO = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()

LIMIT, PROCESSES = 1, 1.0  # seconds: of a case; for what is started and told around it
HOST, KERNEL = "op_host/fast_gelu.cpp", "op_kernel/fast_gelu.cpp"
FOREVER = "for (volatile uint32_t i = 1; i; i = i + 2) {}\n"
TILING = "  FastGeluTilingData tiling;\n"
MMAD = """// launch: blocks=1 args=in:f16[65536],out:f32[65536]
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
  LocalTensor<half> a(TPosition::A2, 0, 128 * 128), b(TPosition::B2, 0, 128 * 128), l1(TPosition::A1, 0, 128 * 128);
  LocalTensor<float> c(TPosition::CO1, 0, 128 * 128);
  GlobalTensor<half> g;
  g.SetGlobalBuffer((__gm__ half *)x);
  DataCopy(l1, g, 128 * 128);
  SetFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
  LoadData(a, l1, LoadData2DParams{0, 64, 1, 0, 0, false, 0});
  LoadData(b, l1, LoadData2DParams{0, 64, 1, 0, 0, true, 0});
  SetFlag<HardEvent::MTE1_M>(EVENT_ID0);
  WaitFlag<HardEvent::MTE1_M>(EVENT_ID0);
  for (uint32_t i = 0; i < 1000000; ++i) {
    Mmad(c, a, b, MmadParams{128, 128, 128, 0, false, i == 0});
    PipeBarrier<PIPE_M>();
  }
}
"""


class Limits(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="akgen_limits_")))
        cls.env = {**os.environ, "AKGEN_CACHE": fresh_cache(cls.folder / "cache")}

    def project(self, name, *edits):
        project = self.folder / name
        shutil.copytree(REPO / "examples/kernels/fast_gelu", project)
        for file, before, after in edits:
            path = next((project / file).parent.glob("*.cpp"))
            text = path.read_text()
            self.assertIn(before, text)
            path.write_text(text.replace(before, after, 1))
        return project

    def judge(self, project, *more):
        record = pathlib.Path(f"{project}.json")
        done = subprocess.run([str(AKGEN), "judge", str(project), "--task", "FastGelu", "--seed", "1", "--timeout", str(LIMIT), "--json", str(record), *more],
                              env=self.env, capture_output=True, text=True, timeout=120)
        self.assertIn(done.returncode, (0, 1, 3), done.stderr)
        return json.loads(record.read_text())

    def test_a_case_behind_one_that_ran_out_of_time_is_not_run(self):
        project = self.project("later", (HOST, TILING, TILING + f"  if (total > 100000) {FOREVER}"))
        rows = json.loads((REPO / "tasks" / self.task() / "cases.json").read_text())
        record = self.judge(project)
        verdicts = [c["verdict"] for c in record["cases"]]
        self.assertEqual(record["verdict"], "timeout", record["reason"])
        self.assertEqual(len(verdicts), len(rows))
        late = verdicts.index("timeout")
        self.assertLess(late, len(rows) - 1, "no case is behind it")
        self.assertEqual(set(verdicts[:late]), {"pass"})
        self.assertEqual(set(verdicts[late + 1:]), {"skipped"})
        name = record["cases"][late]["id"]
        self.assertEqual({c["reason"] for c in record["cases"][late + 1:]}, {f"not run: case {name} ran out of time"})

    def task(self):
        return next((REPO / "tasks").glob("*/*/FastGelu")).relative_to(REPO / "tasks")

    def test_tiling_and_kernel_end_in_time(self):
        for name, edit in {"tiling": (HOST, TILING, TILING + FOREVER),
                           "kernel": (KERNEL, "  GET_TILING_DATA(t, tiling);", f"  GET_TILING_DATA(t, tiling);\n  {FOREVER}")}.items():
            with self.subTest(name):
                record = self.judge(self.project("spins_" + name, edit), "--case", "0")
                self.assertEqual(record["verdict"], "timeout", record["reason"])
                case, = record["cases"]
                self.assertLess(case.get("tile_ms", 0) + case.get("run_ms", 0), 1000 * (1.5 * LIMIT + PROCESSES))

    def test_a_cube_core_ends_in_time(self):
        kernel, out = self.folder / "cube.cpp", self.folder / "cube.json"
        kernel.write_text(MMAD)
        subprocess.run([str(AKGEN), "run", str(kernel), "--timeout", str(LIMIT), "--json", str(out)], env=self.env, capture_output=True, timeout=120)
        record, = json.loads(out.read_text())
        # A machine that gives it no time is no fault of the kernel's.
        self.assertIn(record["verdict"], ("timeout", "infra_error"), record["reason"])
        self.assertLess(record["run_ms"], 1000 * (1.5 * LIMIT + PROCESSES))

    def test_the_next_candidate_is_judged(self):
        candidates, db = self.folder / "candidates/FastGelu", self.folder / "run.db"
        spins = self.project("spins", (KERNEL, "  GET_TILING_DATA(t, tiling);", f"  GET_TILING_DATA(t, tiling);\n  {FOREVER}"))
        for sample, project in enumerate((spins, REPO / "examples/kernels/fast_gelu")):
            shutil.copytree(project, candidates / f"sample{sample}")
        start = time.monotonic()
        done = subprocess.run([str(AKGEN), "bench", "run", "--tasks", "FastGelu", "--candidates", str(candidates.parent), "--out", str(db), "-n", "2", "-j", "1",
                               "--profile", "ragged", "--cases", "4", "--timeout", str(LIMIT), "--hidden", "2", "--seed", "1"],
                              env=self.env, capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        rows = sqlite3.connect(db).execute("SELECT sample, verdict FROM verdicts WHERE part = 'public' ORDER BY sample").fetchall()
        self.assertEqual([v for _, v in rows], ["timeout", "pass"])
        self.assertLess(time.monotonic() - start, 60)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

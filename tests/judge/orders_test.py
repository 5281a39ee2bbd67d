#!/usr/bin/env python3
"""AK1204: kernels whose blocks exchange data are run under further legal orders.

orders_test.py AKGEN REPO
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
HOST = (HONEST / "op_host/gauge.cpp").read_text()
WITH_WORKSPACE = HOST.replace("GetWorkspaceSizes(1)[0] = 0", "GetWorkspaceSizes(1)[0] = platform.GetLibApiWorkSpaceSize() + 65536")
HANDS_ON = "DataCopyPad(y_[uint64_t(row) * cols_], y, copy);"
ENTRY = "kernel.Process();"
KERNEL = (HONEST / "op_kernel/gauge.cpp").read_text().replace("kernel.Init(x,", "kernel.work_.SetGlobalBuffer((__gm__ float *)GetUserWorkspace(workspace), 16384);\n  kernel.Init(x,").replace(
    " private:", " public:\n  GlobalTensor<float> work_;\n\n private:")
# Each block computes its row into the workspace and, once all have, carries its neighbour's row to the output.
NEIGHBOUR = KERNEL.replace(HANDS_ON, "DataCopyPad(work_[uint64_t(row) * cols_], y, copy);").replace(ENTRY, """kernel.Process();
  CrossCoreSetFlag<0x0, PIPE>(5);
  CrossCoreWaitFlag(5);
  kernel.Carry((GetBlockIdx() + 1) % GetBlockNum());""").replace("  __aicore__ inline void Compute(", """ public:
  __aicore__ inline void Carry(uint32_t row) {
    LocalTensor<float> x = in_.AllocTensor<float>();
    Load(x, work_[uint64_t(row) * cols_]);
    in_.EnQue(x);
    x = in_.DeQue<float>();
    LocalTensor<float> y = out_.AllocTensor<float>();
    Adds(y, x, 0.0f, cols_);
    out_.EnQue(y);
    in_.FreeTensor(x);
    y = out_.DeQue<float>();
    DataCopyExtParams copy{1, static_cast<uint32_t>(cols_ * sizeof(float)), 0, 0, 0};
    DataCopyPad(y_[uint64_t(row) * cols_], y, copy);
    out_.FreeTensor(y);
  }

  __aicore__ inline void Compute(""")
# A block looks once whether its neighbour has written its flag, where it would have to wait for that, and works only if so. In the chip's own order the
# last to arrive goes on first.
LOOKS_ONCE = KERNEL.replace(ENTRY, """const int32_t me = GetBlockIdx(), last = GetBlockNum() - 1;
  GlobalTensor<float> flag;
  flag.SetGlobalBuffer((__gm__ float *)GetUserWorkspace(workspace), 16 * GetBlockNum());
  flag.SetValue(16 * me, 0.0f);
  DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(flag[16 * me]);
  SyncAll();
  flag.SetValue(16 * me, 1.0f);
  DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(flag[16 * me]);
  const int32_t other = me == last ? last : (me + last) % (last + 1);
  DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(flag[16 * other]);
  if (flag.GetValue(16 * other) == 1.0f) kernel.Process();""")
# The first of four blocks adds beta to their four rows, the others a third of |x| * gamma each: any order is right, with other last bits.
SUM = KERNEL.replace(HANDS_ON, "SetAtomicAdd<float>();\n    " + HANDS_ON + "\n    SetAtomicNone();").replace(
    "first_ = GetBlockIdx() * perCore;\n    last_ = first_ + perCore < rows ? first_ + perCore : rows;",
    "first_ = GetBlockIdx() / 4 * 4;\n    last_ = first_ + 4;").replace(
    "Add(y, y, params[half_], cols_);",
    "if (GetBlockIdx() % 4 == 0) Adds(y, params[half_], 0.0f, cols_);\n    else Muls(y, y, 1.0f / 3.0f, cols_);")


class Orders(unittest.TestCase):
    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="akgen_orders_"))
        self.addCleanup(shutil.rmtree, self.dir, True)
        self.task = self.dir / "tasks/level1/Exploits/Gauge"
        shutil.copytree(REPO / "tests/exploits/task", self.task)
        (self.task / "cases.json").write_text('[{"id": "0", "rows": 8, "cols": 64}]')

    def judge(self, kernel, *more):
        project, record = self.dir / "candidate", self.dir / "record.json"
        shutil.copytree(HONEST, project, dirs_exist_ok=True)
        (project / "op_host/gauge.cpp").write_text(WITH_WORKSPACE)
        (project / "op_kernel/gauge.cpp").write_text(kernel)
        env = {**os.environ, "AKGEN_CACHE": fresh_cache(self.dir / "cache")}
        done = subprocess.run([str(AKGEN), "judge", str(project), "--task", str(self.task), "--inputs", "upstream", "--json", str(record), *more],
                              env=env, capture_output=True, text=True)
        self.assertIn(done.returncode, (0, 1), done.stdout + done.stderr)
        return json.loads(record.read_text())

    def test_one_look_where_a_wait_belongs(self):
        for seed in ("1", "2", "3"):
            record = self.judge(LOOKS_ONCE, "--seed", seed)
            self.assertEqual(record["verdict"], "finding", record)
            finding = record["cases"][0]["findings"][-1]
            self.assertEqual((finding["code"], finding["check"]), ("AK1204", "racecheck"))
            self.assertIn("--schedule ", finding["message"])
        # The chip's own order does not show it, the one that the finding names does.
        self.assertEqual(self.judge(LOOKS_ONCE, "--seed", "1", "--orders", "0")["verdict"], "pass")
        order = finding["message"].split("--schedule ")[1].split(")")[0]
        self.assertEqual(self.judge(LOOKS_ONCE, "--seed", "3", "--schedule", order)["verdict"], "wrong_answer")

    def test_a_flag_on_the_wrong_pipe(self):
        finding = self.judge(NEIGHBOUR.replace("PIPE>", "PIPE_V>"))["cases"][0]["findings"][0]
        self.assertEqual((finding["code"], finding["check"]), ("AK1201", "racecheck"))

    def test_a_flag_on_the_right_pipe(self):
        record = self.judge(NEIGHBOUR.replace("PIPE>", "PIPE_MTE3>"), "--orders", "12")
        self.assertEqual((record["verdict"], record["cases"][0]["findings"]), ("pass", []), record)
        self.assertEqual(len(set(record["cases"][0]["orders"])), 12)

    def test_a_sum_in_any_order(self):
        task = self.task / "task.toml"
        head, tail = task.read_text().split('name = "y"')
        task.write_text(head + 'name = "y"\nzeroed = true' + tail)
        record = self.judge(SUM, "--orders", "12")
        self.assertEqual((record["verdict"], record["cases"][0]["findings"]), ("pass", []), record)
        self.assertEqual(len(record["cases"][0]["orders"]), 12)

    def test_blocks_that_keep_to_themselves(self):
        record = self.judge(KERNEL)
        self.assertEqual(record["verdict"], "pass", record)
        self.assertNotIn("orders", record["cases"][0])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])

"""`akgen tune` on real kernels: it finds what is fastest by the model, within its budget, and never a wrong kernel.

usage: tune_test.py AKGEN [unittest arguments]
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

AKGEN = sys.argv.pop(1)
ROOT = pathlib.Path(__file__).resolve().parents[2]

SCALE = r"""// launch: blocks=4 args=in:f32[262144],out:f32[262144]  // tune: 4, 16
#include "kernel_operator.h"
using namespace AscendC;
constexpr uint32_t kTile = 1024;  // tune: 512, 1024, 4096
constexpr uint32_t kAll = 262144;
constexpr uint32_t kBuffers = 1;  // tune: 1, 2
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z) {
  TPipe pipe;
  TQue<QuePosition::VECIN, kBuffers> in;
  TQue<QuePosition::VECOUT, kBuffers> out;
  pipe.InitBuffer(in, kBuffers, kTile * 4);
  pipe.InitBuffer(out, kBuffers, kTile * 4);
  GlobalTensor<float> gx, gz;
  gx.SetGlobalBuffer((__gm__ float*)x);
  gz.SetGlobalBuffer((__gm__ float*)z);
  for (uint32_t i = GetBlockIdx(); i < kAll / kTile; i += GetBlockNum()) {
    LocalTensor<float> a = in.AllocTensor<float>();
    DataCopy(a, gx[uint64_t(i) * kTile], kTile);
    in.EnQue(a);
    a = in.DeQue<float>();
    LocalTensor<float> c = out.AllocTensor<float>();
    Muls(c, a, 3.0f, kTile);
    in.FreeTensor(a);
    out.EnQue(c);
    c = out.DeQue<float>();
    DataCopy(gz[uint64_t(i) * kTile], c, kTile);
    out.FreeTensor(c);
  }
}
"""

PROGRAM = """@kernel
def add_kernel(x: gm[total], y: gm[total], z: gm[total], total, per_core, tile):
    first = core() * per_core
    x_ub = ub(tile, dtype=x.dtype)
    y_ub = ub(tile, dtype=y.dtype)
    z_ub = ub(tile, dtype=z.dtype)
    for i, n in tiles(first, min(first + per_core, total), tile):
        with copyin:
            load(x_ub, x[i : i + n])
            load(y_ub, y[i : i + n])
        with compute:
            z_ub[:] = x_ub + y_ub
        with copyout:
            store(z[i : i + n], z_ub)


@host
def unalign_add(x: tensor(f16), y: tensor(f16)):
    z = empty(x.shape, x.dtype)
    per_core = align(ceil_div(x.numel, vector_cores()), 16)
    tile = tune(32, 1024)
    add_kernel[ceil_div(x.numel, per_core)](x, y, z, x.numel, per_core, tile)
    return z
"""


class Tune(unittest.TestCase):
    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="akgen_tune_"))
        self.addCleanup(shutil.rmtree, self.dir, True)

    def tune(self, subject, *more, code=0):
        done = subprocess.run([AKGEN, "tune", str(subject), "--json", "-", *map(str, more)], capture_output=True, text=True, timeout=240)
        self.assertEqual(done.returncode, code, done.stderr[-2000:])
        return json.loads(done.stdout) if code == 0 else done.stderr

    def lone(self, source=SCALE):
        file = self.dir / "scale.cpp"
        file.write_text(source)
        return file

    def test_the_fastest_of_all(self):
        file, out = self.lone(), self.dir / "best.cpp"
        said = self.tune(file, "--out", out)
        self.assertEqual([t["name"] for t in said["tunables"]], ["blocks", "kTile", "kBuffers"])
        self.assertTrue(said["complete"])
        self.assertEqual(len(said["trials"]), 12)
        self.assertEqual(said["trials"][0]["choice"], [0, 1, 0], "as it stands comes first")
        times = [t["modelled_us"] for t in said["trials"]]
        self.assertEqual(times[said["best"]], min(times))
        self.assertEqual(said["trials"][said["best"]]["choice"], [1, 2, 1], "most cores, largest tiles, two buffers")
        best = subprocess.run([AKGEN, "profile", str(out), "--json", "-"], capture_output=True, text=True, timeout=120)
        self.assertEqual(json.loads(best.stdout)["us"], min(times), "what is written is what was timed")
        self.assertEqual(self.tune(file), said, "again gives the same")

    def test_a_budget_and_a_second_run(self):
        file, record = self.lone(), self.dir / "t.json"
        said = self.tune(file, "--budget", "5")
        self.assertEqual(len(said["trials"]), 5)
        self.assertFalse(said["complete"])
        self.assertLess(said["trials"][said["best"]]["modelled_us"], said["trials"][0]["modelled_us"])
        # A record with a time that no run gives shows that what is known is not run again.
        said["trials"][1]["modelled_us"] = 0.125
        record.write_text(json.dumps(said))
        subprocess.run([AKGEN, "tune", str(file), "--json", str(record), "--resume", "--budget", "5"], check=True, capture_output=True, timeout=120)
        resumed = json.loads(record.read_text())
        self.assertEqual(resumed["trials"][resumed["best"]]["modelled_us"], 0.125)
        file.write_text(SCALE + "// another kernel\n")
        subprocess.run([AKGEN, "tune", str(file), "--json", str(record), "--resume", "--budget", "5"], check=True, capture_output=True, timeout=120)
        self.assertNotIn(0.125, [t["modelled_us"] for t in json.loads(record.read_text())["trials"]])

    def test_a_faster_wrong_kernel_does_not_win(self):
        wrong = SCALE.replace("constexpr uint32_t kAll = 262144;", "constexpr uint32_t kAll = 262144;  // tune: 262144, 131072")
        wrong = wrong.replace("  // tune: 4, 16", "").replace("  // tune: 512, 1024, 4096", "").replace("3.0f, kTile", "3.0f + kMore, kTile")
        wrong = wrong.replace("constexpr uint32_t kBuffers = 1;  // tune: 1, 2", "constexpr uint32_t kBuffers = 1;\nconstexpr int kMore = 0;  // tune: 0, 1")
        said = self.tune(self.lone(wrong))
        self.assertEqual(said["best"], 0)
        self.assertEqual([t["modelled_us"] is None for t in said["trials"]], [False, True, True, True])

    def test_wrong_use(self):
        self.assertIn("declares nothing", self.tune(self.lone("// launch: blocks=1\n"), code=2))
        self.assertIn("AK0402", self.tune(self.lone(SCALE.replace("kTile = 1024", "kTile = 1000")), code=2))
        self.assertIn("--task", self.tune(ROOT / "examples/craft/lerp.py", code=2) + self.tune(self.program(), code=2))

    def program(self):
        file = self.dir / "unalign_add.py"
        file.write_text(PROGRAM)
        return file

    @unittest.skipUnless((pathlib.Path(AKGEN).parent / "akgen-reference").exists(), "needs libtorch")
    def test_a_project_and_a_program_for_a_task(self):
        project = self.dir / "add"
        shutil.copytree(ROOT / "examples/kernels/add_double_buffer", project)
        host = next((project / "op_host").glob("*.cpp"))
        text = host.read_text()
        for old, new in (("kMaxTile = 512;", "kMaxTile = 512;  // tune: 64, 512"),
                         ("cores = platform.GetCoreNumAiv();", "cores = 48;  // tune: 1, 48")):
            self.assertIn(old, text)
            text = text.replace(old, new)
        host.write_text(text)
        said = self.tune(project, "--task", "UnalignAdd", "--case", "0", "--out", self.dir / "best")
        self.assertEqual(len(said["trials"]), 4)
        times = [t["modelled_us"] for t in said["trials"]]
        self.assertNotIn(None, times)
        self.assertEqual(len(set(times)), 4, "every choice counts")
        best = subprocess.run([AKGEN, "judge", str(self.dir / "best"), "--task", "UnalignAdd", "--case", "0", "--seed", "1", "--time", "--json", "-"],
                              capture_output=True, text=True, timeout=120)
        self.assertEqual(json.loads(best.stdout)["cases"][0]["modelled"]["us"], min(times))
        said = self.tune(self.program(), "--task", "UnalignAdd", "--case", "0")
        self.assertEqual([t["text"] for t in said["trials"]], ["tile = 32", "tile = 1024"])
        self.assertEqual(said["best"], 1)


if __name__ == "__main__":
    unittest.main()

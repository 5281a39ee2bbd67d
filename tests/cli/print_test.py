#!/usr/bin/env python3
"""What a kernel prints, and dumps of its tensors, as `akgen run` and `akgen judge` show them.

print_test.py AKGEN REPO
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

AKGEN, REPO = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()

KERNEL = """// launch: blocks=2 args=in:f16[64],out:f16[64]
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void dumps(GM_ADDR x, GM_ADDR y) {
  GlobalTensor<half> in, out;
  in.SetGlobalBuffer((__gm__ half*)x + GetBlockIdx() * 32, 32);
  out.SetGlobalBuffer((__gm__ half*)y + GetBlockIdx() * 32, 32);
  TPipe pipe;
  TBuf<TPosition::VECCALC> values, more;
  pipe.InitBuffer(values, 64);
  pipe.InitBuffer(more, 64);
  LocalTensor<half> t = more.Get<half>();
  LocalTensor<int32_t> n = values.Get<int32_t>();
  Duplicate(n, -7, 16);
  Duplicate(t, half(2.5), 32);
  if (GetBlockIdx() == 0) {
    DumpTensor(n, 1, 3);
    DumpTensor(t[16], 2, 4);
    uint32_t sizes[] = {3, 2};
    DumpTensor(t, 3, 6, ShapeInfo(2, sizes));
    DumpTensor(t, 4, 5, ShapeInfo(2, sizes));
    DumpTensor(t, 5, 7, ShapeInfo(2, sizes));
    DumpTensor(t, 6, 1 << 20);
    LocalTensor<bfloat16_t> b = t.ReinterpretCast<bfloat16_t>();
    DumpTensor(b, 7, 1);
  }
  printf("block %d of %d says \\033[31m%s\\n", int(GetBlockIdx()), int(GetBlockNum()), "so");
  event_t id = static_cast<event_t>(pipe.FetchEventID(HardEvent::V_MTE3));
  SetFlag<HardEvent::V_MTE3>(id);
  WaitFlag<HardEvent::V_MTE3>(id);
  DataCopy(out, t, 32);
  pipe_barrier(PIPE_ALL);
  DumpTensor(out[30], 8, 2);
}
"""
PRINTED = """DumpTensor: desc=1, addr=0x0, data_type=int32, position=UB, dump_size=3
[-7, -7, -7]
DumpTensor: desc=2, addr=0x60, data_type=float16, position=UB, dump_size=4
[2.500000, 2.500000, 2.500000, 2.500000]
DumpTensor: desc=3, addr=0x40, data_type=float16, position=UB, dump_size=6
[[2.500000, 2.500000],
[2.500000, 2.500000],
[2.500000, 2.500000]]
DumpTensor: desc=4, addr=0x40, data_type=float16, position=UB, dump_size=5
shape is [3, 2], dumpSize is 5, data is not enough.
[[2.500000, 2.500000],
[2.500000, 2.500000],
[2.500000, -]]
DumpTensor: desc=5, addr=0x40, data_type=float16, position=UB, dump_size=7
shape is [3, 2], dumpSize is 7, dumpSize is greater than shapeSize.
[[2.500000, 2.500000],
[2.500000, 2.500000],
[2.500000, 2.500000]]
DumpTensor: desc=6, addr=0x40, data_type=float16, position=UB, dump_size=1048576
(a dump shows at most 30720 bytes)
DumpTensor: desc=7, addr=0x40, data_type=bfloat16, position=UB, dump_size=1
[8.000000]
block 0 of 2 says ESC[31mso
DumpTensor: desc=8, addr=0x3c, data_type=float16, position=GM, dump_size=2
[2.500000, 2.500000]
block 1 of 2 says ESC[31mso
DumpTensor: desc=8, addr=0x7c, data_type=float16, position=GM, dump_size=2
[2.500000, 2.500000]
"""


class Print(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="akgen_print_")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def akgen(self, *argv):
        return subprocess.run([AKGEN, *map(str, argv)], capture_output=True, text=True, timeout=120)

    def test_a_kernel(self):
        source = self.folder / "dumps.cpp"
        source.write_text(KERNEL)
        done = self.akgen("run", source, "--json", self.folder / "r.json")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn(PRINTED.replace("ESC", "\\x1b"), done.stdout)
        self.assertEqual(json.loads((self.folder / "r.json").read_text())[0]["print"], PRINTED.replace("ESC", "\x1b"))

    def test_a_project(self):
        project = self.folder / "add"
        shutil.copytree(REPO / "examples/kernels/add_double_buffer", project)
        kernel = project / "op_kernel/unalign_add.cpp"
        text = kernel.read_text().replace("  __aicore__ inline void Process() {\n", '  __aicore__ inline void Process() {\n    if (GetBlockIdx() == 0) PRINTF("tiles of %u\\n", tile_);\n', 1)
        kernel.write_text(text)
        self.assertIn("PRINTF", text)
        done = self.akgen("judge", project, "--task", "UnalignAdd", "--case", "typical", "--json", self.folder / "r.json")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        printed = json.loads((self.folder / "r.json").read_text())["cases"][0]["print"]
        self.assertRegex(printed, r"\Atiles of \d+\n\Z")
        self.assertIn(printed, done.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

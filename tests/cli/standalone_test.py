#!/usr/bin/env python3
"""What is run without a reference says so, with its warnings and what its outputs hold.

usage: standalone_test.py AKGEN
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

KERNEL = """// launch: blocks=1 args=in:f32[64],out:f32[64]
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y) {
  GlobalTensor<float> xGm, yGm;
  xGm.SetGlobalBuffer((__gm__ float *)x, 64);
  yGm.SetGlobalBuffer((__gm__ float *)y, 64);
  LocalTensor<float> a(TPosition::VECCALC, 0, 64);
  DataCopy(a, xGm, 64);
  SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
  Duplicate(a, 2.0f, 32);
  Duplicate(a[32], -3.0f, 16);
  Duplicate(a[48], VALUE, 16);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, a, 64);
  LEFT
}
"""


class Standalone(unittest.TestCase):
    akgen = ""

    def run_kernel(self, value, left=""):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "kernel.cpp"
            file.write_text(KERNEL.replace("VALUE", value).replace("LEFT", left))
            done = subprocess.run([self.akgen, "run", file], capture_output=True, text=True)
            record = json.loads(subprocess.run([self.akgen, "run", file, "--json", "-"], capture_output=True, text=True).stdout)
        return done, record[0]

    def test_values(self):
        done, record = self.run_kernel("1.0f")
        self.assertEqual(done.returncode, 0)
        self.assertIn("clean (no reference: values not compared)", done.stdout)
        self.assertIn("arg1: 64 elements, -3 to 2\n", done.stdout)
        self.assertEqual(record["outputs"], [{"name": "arg1", "elements": 64, "nan": 0, "infinite": 0, "low": -3.0, "high": 2.0}])
        self.assertEqual(record["verdict"], "pass")

    def test_no_numbers(self):
        done, record = self.run_kernel("0.0f / 0.0f")
        self.assertIn("-3 to 2, 16 NaN\n", done.stdout)
        self.assertEqual(record["outputs"][0]["nan"], 16)

    def test_warnings(self):
        done, _ = self.run_kernel("1.0f", "SetAtomicMax<float>();")
        self.assertEqual(done.returncode, 0)
        self.assertIn("warning[AK1306]", done.stdout)
        self.assertIn("clean (no reference: values not compared)", done.stdout)


if __name__ == "__main__":
    Standalone.akgen = sys.argv.pop(1)
    unittest.main()

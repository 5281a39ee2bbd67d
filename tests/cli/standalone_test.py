#!/usr/bin/env python3
"""What is run without a reference says so, with its warnings and what its outputs hold.

usage: standalone_test.py AKGEN
"""
import json
import pathlib
import struct
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


SCALED = """#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void scaled(GM_ADDR x, __gm__ float *y, uint32_t n, float by, GM_ADDR tiling) {
  GlobalTensor<float> xGm, yGm;
  xGm.SetGlobalBuffer((__gm__ float *)x, n);
  yGm.SetGlobalBuffer(y, n);
  LocalTensor<float> a(TPosition::VECCALC, 0, 64);
  DataCopy(a, xGm, n);
  SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
  Muls(a, a, by * static_cast<float>(((__gm__ uint32_t *)tiling)[1]), n);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, a, n);
}
"""


CASES = pathlib.Path(__file__).resolve().parent.parent / "cases"


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

    def scaled(self, launch, *words, code=0, comment=False):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "scaled.cpp"
            file.write_text((f"// launch: {launch}\n" if comment else "") + SCALED)
            (file.parent / "x.bin").write_bytes(struct.pack("64f", *range(64)))
            (file.parent / "y.bin").write_bytes(struct.pack("64f", *(1.5 * i for i in range(64))))
            command = [self.akgen, "run", file, *([] if comment else ["--launch", launch]), *words]
            done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
            self.assertEqual(done.returncode, code, done.stdout + done.stderr)
            return done.stdout + done.stderr

    def test_arguments_with_values(self):
        line = "args=in:f32[64]@x.bin,out:f32[64]{},u32=64,f32=0.5,tiling:u32[2]=7;3"
        self.assertIn(": pass (", self.scaled(line.format("@y.bin")))
        self.assertIn(": pass (", self.scaled(line.format("@y.bin"), comment=True))
        self.assertIn(": pass (", self.scaled(line.format(""), "--expect", "y.bin"))
        self.assertIn(": clean (", self.scaled(line.format("")))
        said = self.scaled(line.format("=0;1.5;3;4.5"), code=1)
        self.assertIn("wrong_answer — arg1: 60 of 64 elements are wrong; the first is 4: 6, expected 0", said)
        self.assertIn(": pass (", self.scaled(line.format("@x.bin").replace("f32=0.5", "f32=0.34"), "--tolerance", "0.1"))

    def test_arguments_that_do_not_fit(self):
        line = "args=in:f32[64]@x.bin,out:f32[64],{},tiling[8]"
        for words, text in (("u32=64", "takes 5 arguments and 4 are given, none for the one of type GM_ADDR"), ("u32=64,null", "is a float: give a number"),
                            ("u32=6.5,f32=1", "no number of that type"), ("u32=64,f32=1;2", "'f32=1;2'"), ("q=1,f32=1", "'q=1'")):
            with self.subTest(words):
                said = self.scaled(line.format(words), code=2)
                self.assertIn("AK0401", said)
                self.assertIn(text, said)
        rest = ",out:f32[64],u32=64,f32=1,tiling[8]"
        self.assertIn("x.bin has 256 bytes, the argument 128", self.scaled("args=in:f32[32]@x.bin" + rest, code=2))
        self.assertIn("no file z.bin", self.scaled("args=in:f32[64]@z.bin" + rest, code=2))
        self.assertIn("outside of the kernel's folder", self.scaled("args=in:f32[64]@/proc/self/environ" + rest, code=2, comment=True))
        self.assertIn("no output is left", self.scaled("args=in:f32[64]" + rest, "--expect", "y.bin", "--expect", "y.bin", code=2))

    def test_no_numbers(self):
        done, record = self.run_kernel("0.0f / 0.0f")
        self.assertIn("-3 to 2, 16 NaN\n", done.stdout)
        self.assertEqual(record["outputs"][0]["nan"], 16)

    def test_a_core_on_which_nothing_would_run(self):
        case = (CASES / "cube/qualifier_ok.cpp").read_text()
        by_type = case.replace("__cube__", "__aicore__").replace("{\n  if", "{\n  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);\n  if")
        for name, text in (("a qualifier", case), ("a type", by_type)):
            with self.subTest(name):
                self.assertEqual(self.verdict("run", text), ("pass", ""))
                verdict, reason = self.verdict("run", text, "--backend", "native")
                self.assertEqual(verdict, "unsupported", reason)
                self.assertIn("Cube cores as machine code", reason)
        program = (CASES / "host/core_type_ok.cpp").read_text()
        chosen = program.replace("  named<<<", "  void (*chosen)(GM_ADDR) = stream ? named : nullptr;\n  chosen<<<")
        self.assertEqual(self.verdict("exec", program)[0], "pass")
        for text in (chosen, program.replace("  named<<<", "  (stream ? named : nullptr)<<<"),
                     program.replace("  named<<<", "  auto get = [] { return &named; };\n  get()<<<")):
            verdict, reason = self.verdict("exec", text)
            self.assertEqual(verdict, "unsupported", reason)
            self.assertIn("through a variable", reason)

    def verdict(self, command, text, *more):
        with tempfile.TemporaryDirectory() as folder:
            file, record = pathlib.Path(folder) / "kernel.cpp", pathlib.Path(folder) / "record.json"
            file.write_text(text)
            subprocess.run([self.akgen, command, str(file), "--json", str(record), *more], capture_output=True)
            said = json.loads(record.read_text())
            said = said[0] if isinstance(said, list) else said
            return said["verdict"], said.get("reason", "")

    def test_warnings(self):
        done, _ = self.run_kernel("1.0f", "SetAtomicMax<float>();")
        self.assertEqual(done.returncode, 0)
        self.assertIn("warning[AK1306]", done.stdout)
        self.assertIn("clean (no reference: values not compared)", done.stdout)


if __name__ == "__main__":
    Standalone.akgen = sys.argv.pop(1)
    unittest.main()

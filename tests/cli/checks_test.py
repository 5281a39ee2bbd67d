#!/usr/bin/env python3
"""--checks: each name switches its own findings on, nothing else does, and results say which checks ran."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

AKGEN, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
CASES = ROOT / "tests/cases"
ALL = ["memcheck", "initcheck", "racecheck", "synccheck"]
FAULTS = {"memcheck": "memory/gm_read_past_end.cpp", "initcheck": "memory/undefined_scalar.cpp",
          "racecheck": "sync/mte2_v.cpp", "synccheck": "sync/flag_set_twice.cpp"}


def run(file, *options):
    """(exit code, the one result) of `akgen run FILE`."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out.json"
        done = subprocess.run([AKGEN, "run", str(CASES / file), "--json", str(out), *options], capture_output=True, text=True)
        return done.returncode, json.loads(out.read_text())[0] if out.exists() else done.stderr


class Checks(unittest.TestCase):
    def test_each_check_reports_its_own_fault_and_no_other_does(self):
        for check, file in FAULTS.items():
            with self.subTest(check):
                code, result = run(file, "--checks", check)
                self.assertEqual(code, 1)
                self.assertEqual(result["verdict"], "finding")
                self.assertEqual({f["check"] for f in result["findings"]}, {check})
                self.assertEqual(result["checks"], [check])
                code, result = run(file, "--checks", ",".join(c for c in ALL if c != check))
                self.assertNotIn(check, {f["check"] for f in result["findings"]})

    def test_none_reports_nothing_and_says_so(self):
        for file in FAULTS.values():
            with self.subTest(file):
                code, result = run(file, "--checks", "none")
                self.assertEqual((code, result["verdict"], result["checks"], result["findings"]), (0, "pass", [], []))

    def test_all_is_the_default(self):
        self.assertEqual(run("memory/tail_ok.cpp")[1]["checks"], ALL)

    def test_malformed_launch_line(self):
        for line in ("blocks=0 args=null", "colour=blue", "args=out:f32[", "args=out:f33[8]", "args=f32[8]",
                     "args=in:f16[9223372036854775809]", "args=in:f32[-1]", "args=in:f32[8+99999999999999999999]",
                     "args=tiling[1000000000000]", "args=workspace[8589934593]", "blocks=4294967297 args=null"):
            with self.subTest(line):
                code, error = run("memory/tail_ok.cpp", "--launch", line)
                self.assertEqual(code, 2)
                self.assertIn("AK0401", error)

    def test_an_argument_that_is_not_given_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "scaled.cpp"
            body = "(GM_ADDR x, GM_ADDR y, uint32_t n) {}\n"
            file.write_text('// launch: blocks=1 args=in:f32[64],out:f32[64]\n#include "kernel_operator.h"\nextern "C" __global__ __aicore__ void scaled' + body)
            code, error = run(file)
            self.assertEqual(code, 2)
            self.assertRegex(error, "AK0401.*takes 3 arguments and 2 are given.*uint32_t")
            file.write_text(file.read_text().replace(", uint32_t n", ""))
            self.assertNotIn("AK0401", json.dumps(run(file)[1]))

    def test_a_kernel_alone_finds_headers_below_include(self):
        with tempfile.TemporaryDirectory() as folder:
            file, header = pathlib.Path(folder) / "k.cpp", pathlib.Path(folder) / "inc/own.h"
            header.parent.mkdir()
            header.write_text("#pragma once\n#define OWN 1\n")
            file.write_text('// launch: blocks=1 args=null\n#include "kernel_operator.h"\n#include "own.h"\nextern "C" __global__ __aicore__ void k(GM_ADDR x) { int n[OWN]; (void)n; }\n')
            self.assertEqual(run(file, "-I", str(header.parent))[1]["verdict"], "pass")
            self.assertIn("'own.h' file not found", run(file)[1]["reason"])

    def test_unknown_check_is_wrong_use(self):
        code, error = run("memory/tail_ok.cpp", "--checks", "memcheck,race")
        self.assertEqual(code, 2)
        self.assertIn("'race'", error)
        self.assertIn("synccheck", error)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

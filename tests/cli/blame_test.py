#!/usr/bin/env python3
"""Whose fault: the candidate's, ours, or of whoever typed the command.

blame_test.py AKGEN REPO
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

AKGEN, REPO = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()


class Blame(unittest.TestCase):
    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="akgen_blame_"))
        self.addCleanup(shutil.rmtree, self.dir, True)
        self.env = {**os.environ, "AKGEN_CACHE": fresh_cache(self.dir / "cache")}

    def akgen(self, *args):
        return subprocess.run([AKGEN, *map(str, args)], capture_output=True, text=True, env=self.env)

    def project(self, name, change):
        """The right one with `change(host, kernel)` applied: each a function of a text."""
        folder = self.dir / name
        shutil.copytree(REPO / "examples/kernels/sqrt_via_float", folder)
        for half, edit in zip(("op_host", "op_kernel"), change):
            file = next((folder / half).glob("*.cpp"))
            file.write_text(edit(file.read_text()))
        return folder

    def judged(self, folder):
        record = self.dir / "verdict.json"
        done = self.akgen("judge", folder, "--task", "Sqrt", "--case", "0", "--json", record)
        j = json.loads(record.read_text())
        return j["verdict"], j["reason"], done.returncode

    def test_what_is_not_there_is_wrong_use(self):
        right = REPO / "examples/kernels/sqrt_via_float"
        for args, code in ((["judge", self.dir / "nothing", "--task", "Sqrt"], "AK0310"), (["judge", right, "--task", "Sqrt", "--case", "99"], "AK0103"),
                           (["judge", right, "--task", "Sqrt", "--case", "0,99"], "AK0103"),
                           (["profile", self.dir / "nothing", "--task", "Sqrt"], "AK0310"),
                           (["profile", right, "--task", "Sqrt", "--case", "99"], "AK0103")):
            done = self.akgen(*args)
            self.assertEqual(done.returncode, 2, f"{args}: {done.stdout}{done.stderr}")
            self.assertIn(code, done.stderr)
            self.assertNotIn("Sqrt: ", done.stdout)  # no verdict

    def test_what_the_toolkit_has_and_akgen_lacks_is_unsupported_by_name(self):
        def same(text):
            return text
        for name, change, lacking in (
                ("header", (lambda t: '#include "aicpu_api/aicpu_api.h"\n' + t, same), "aicpu_api/aicpu_api.h"),
                ("kernel_header", (same, lambda t: '#include "adv_api/conv/conv3d/conv3d_api.h"\n' + t), "adv_api/conv/conv3d/conv3d_api.h"),
                ("macro", (same, lambda t: t + '\nREGIST_MATMUL_OBJ_STATIC(1, 2);\n'), "REGIST_MATMUL_OBJ_STATIC"),
                ("function", (same, lambda t: t + "\nvoid more() { AscendC::LoadImageToLocal(1, 2); }\n"), "LoadImageToLocal"),
                ("symbol", (lambda t: t + "\nnamespace ge { int AscendStringLength(int); int OpsParamInfer(int); }\n"
                            "namespace optiling { int SetAippFunctions(int); int used = SetAippFunctions(3); }\n", same), "SetAippFunctions")):
            verdict, reason, code = self.judged(self.project(name, change))
            self.assertEqual((verdict, code), ("unsupported", 1), f"{name}: {reason}")
            self.assertIn(lacking, reason)

    def test_variables_in_global_memory_are_read_and_not_changed(self):
        def turns(use):
            variables = "namespace turns {\ninline volatile __gm__ uint32_t taken[4] = {3, 0};\n__gm__ static float scale = 1;\n}\n"
            start = "  GET_TILING_DATA(t, tiling);\n"
            return lambda t: t.replace('extern "C" __global__', variables + 'extern "C" __global__', 1).replace(start, start + use, 1)
        cases = {"read": ("if (turns::taken[t.total % 4] > 3 || turns::scale != 1) return;", "pass"),
                 "never_written": ("if (t.total == 77) turns::taken[0] = 1;", "pass"),
                 "written": ("turns::taken[1]++;", "turns::taken"), "written_alone": ("turns::taken[1] = 0;", "pass"),
                 "anywhere": ("turns::taken[t.total % 4] = 3; if (turns::taken[t.tile % 4] == 9) return;", "turns::taken"),
                 "by_address": ("GlobalTensor<float> g; g.SetGlobalBuffer(&turns::scale, 1);", "turns::scale")}
        for name, (use, expected) in cases.items():
            verdict, reason, _ = self.judged(self.project(name, (str, turns("  " + use + "\n"))))
            if expected == "pass":
                self.assertEqual(verdict, "pass", f"{name}: {reason}")
            else:
                self.assertEqual(verdict, "unsupported", f"{name}: {reason}")
                self.assertIn(expected, reason)

    def test_what_nobody_has_is_a_build_error_by_name(self):
        def same(text):
            return text
        for name, change, named in (
                ("header", (same, lambda t: '#include "my_own.h"\n' + t), "my_own.h"),
                ("kernel_symbol", (same, lambda t: t.replace("AscendC::TPipe", "AscendC::TPipe", 1) + "\nint mine(int);\nint used() { return mine(3); }\n"), "mine(int)"),
                ("host_symbol", (lambda t: t + "\nint mine(int);\nint used = mine(3);\n", same), "mine(int)")):
            verdict, reason, code = self.judged(self.project(name, change))
            self.assertEqual((verdict, code), ("build_error", 1), f"{name}: {reason}")
            self.assertIn(named, reason)

    def test_nobody_chooses_a_fault_of_ours(self):
        def many(folder):
            for i in range(5001):
                (folder / f"h{i}.h").write_text("")

        def no_text(folder):
            file = next((folder / "op_kernel").glob("*.cpp"))
            os.rename(os.fsencode(file), os.fsencode(folder / "op_kernel") + b"/\xff.cpp")

        def loop(folder):
            shutil.rmtree(folder / "op_kernel")
            (folder / "op_kernel").symlink_to("op_kernel")
        for spoil, code in ((many, "AK0303"), (no_text, "AK0316"), (loop, "AK0311")):
            folder = self.project(spoil.__name__, (str, str))
            spoil(folder)
            verdict, reason, rc = self.judged(folder)
            self.assertEqual((verdict, rc), ("build_error", 1), reason)
            self.assertIn(code, reason)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])

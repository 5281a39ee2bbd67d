#!/usr/bin/env python3
"""`akgen check`: the operators of a Git repository that a change touches, judged before it is merged.

check_test.py AKGEN REPO
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

sys.dont_write_bytecode = True
AKGEN, REPO = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
CACHE = fresh_cache(pathlib.Path(tempfile.mkdtemp()) / "cache")


class Check(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.repo = pathlib.Path(self.folder.name, "ops")
        for name in ("add_double_buffer", "fast_gelu"):
            shutil.copytree(REPO / "examples/kernels" / name, self.repo / "math" / name)
        self.write("CMakeLists.txt", "project(ops)\n")
        self.write("common/inc/op_kernel/lanes.h", "#pragma once\n")
        self.git("init", "-q", "-b", "main")
        self.commit("first")

    def tearDown(self):
        self.folder.cleanup()

    def write(self, name, text):
        path = self.repo / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def git(self, *words):
        subprocess.run(["git", "-C", str(self.repo), "-c", "user.name=a", "-c", "user.email=a@example.com", *words], check=True,
                       stdout=subprocess.DEVNULL)

    def commit(self, message):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)

    def check(self, *words, since="main"):
        out = self.repo.parent / "out.json"
        out.unlink(missing_ok=True)
        done = subprocess.run([AKGEN, "check", str(self.repo), "--changed-since", since, "--json", str(out), *words],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "AKGEN_CACHE": CACHE})
        said = json.loads(out.read_text()) if out.exists() else None
        return done.returncode, said, (done.stdout + done.stderr).decode()

    def kernel_of(self, name):
        return next((self.repo / "math" / name / "op_kernel").glob("*.cpp"))

    def test_a_change_without_a_fault(self):
        self.git("checkout", "-q", "-b", "change")
        kernel = self.kernel_of("fast_gelu")
        kernel.write_text(kernel.read_text() + "// the same\n")
        self.commit("second")
        code, said, text = self.check()
        self.assertEqual(code, 0, text)
        self.assertEqual([o["operator"] for o in said["operators"]], ["math/fast_gelu"])
        self.assertEqual(said["operators"][0]["verdict"], "pass", text)

    def test_a_planted_fault_is_named(self):
        self.git("checkout", "-q", "-b", "change")
        faulty = REPO / "examples/kernels/wrong_missing_handoff/op_kernel/unalign_add.cpp"
        shutil.copy(faulty, self.kernel_of("add_double_buffer"))
        self.commit("second")
        summary = self.repo.parent / "summary.md"
        sarif = self.repo.parent / "out.sarif"
        code, said, printed = self.check("--markdown", str(summary), "--sarif", str(sarif))
        self.assertEqual(code, 1, printed)
        one = said["operators"][0]
        self.assertEqual((one["operator"], one["verdict"]), ("math/add_double_buffer", "finding"), printed)
        found = one["findings"][0]
        self.assertEqual((found["code"], found["place"]["file"]), ("AK1201", "op_kernel/unalign_add.cpp"))
        self.assertIn("AK1201", summary.read_text())
        results = json.loads(sarif.read_text())["runs"][0]["results"]
        self.assertIn("AK1201", [r["ruleId"] for r in results])

    def test_a_header_that_an_operator_includes(self):
        kernel = self.kernel_of("fast_gelu")
        kernel.write_text('#include "lanes.h"\n' + kernel.read_text())
        self.commit("include")
        self.git("checkout", "-q", "-b", "change")
        self.write("common/inc/op_kernel/lanes.h", "#pragma once\n// changed\n")
        code, said, text = self.check()  # the working tree counts
        self.assertEqual(code, 0, text)
        self.assertEqual([(o["operator"], o["files"]) for o in said["operators"]],
                         [("math/fast_gelu", ["common/inc/op_kernel/lanes.h"])])

    def test_nothing_to_judge(self):
        self.write("README.md", "text\n")
        code, said, text = self.check()
        self.assertEqual((code, said["operators"]), (0, []), text)

    def test_cases_of_its_own(self):
        kernel = self.kernel_of("fast_gelu")
        self.write("math/fast_gelu/akgen_cases.toml", '[[case]]\nid = "few"\ninputs.x = "f16[8,64]"\noutputs.y = "f16[8,64]"\n')
        kernel.write_text(kernel.read_text() + "// the same\n")
        code, said, text = self.check()
        self.assertEqual((code, said["operators"][0]["how"]), (0, "akgen_cases.toml"), text)

    def test_a_branch_that_is_not_there(self):
        code, _, text = self.check(since="mian")
        self.assertEqual(code, 2, text)
        self.assertIn("AK0320", text)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)

#!/usr/bin/env python3
"""`cmake --install` to a prefix that is then moved: the programs find everything there, and nothing of this tree.

usage: prefix_test.py BUILD REPO
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import roots


class Prefix(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.dir = tempfile.TemporaryDirectory(prefix="akgen_prefix_", dir="/var/tmp")
        cls.addClassCleanup(cls.dir.cleanup)
        folder = pathlib.Path(cls.dir.name)
        subprocess.run(["cmake", "--install", roots.BUILD, "--prefix", folder / "first"], check=True, stdout=subprocess.DEVNULL)
        cls.prefix = (folder / "first").rename(folder / "second")
        cls.akgen = cls.prefix / "bin/akgen"
        cls.share = cls.prefix / "share/akgen"
        cls.env = {"PATH": "/usr/bin:/bin", "AKGEN_CACHE": str(folder / "cache"), "HOME": str(folder), "PYTHONPATH": str(cls.share / "python")}

    def run_it(self, *command, code=0):
        """The tree that it was built from is out of sight, where a namespace can be made."""
        hide = ["unshare", "-m", "bash", "-c", f"mount --make-rprivate / && mount -t tmpfs none {roots.REPO} && exec \"$@\"", "-"] if os.geteuid() == 0 else []
        done = subprocess.run([*hide, *map(str, command)], capture_output=True, text=True, env=self.env, cwd=self.dir.name)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout

    def test_a_verdict(self):
        record = pathlib.Path(self.dir.name) / "verdict.json"
        self.run_it(self.akgen, "judge", self.share / "examples/kernels/fast_gelu", "--task", "FastGelu", "--json", record)
        self.assertEqual(json.loads(record.read_text())["verdict"], "pass")
        said = self.run_it(self.akgen, "judge", self.share / "examples/kernels/wrong_missing_handoff", "--task", "UnalignAdd", "--case", "0", code=1)
        self.assertIn("finding[AK1201]", said)

    def test_a_kernel_by_the_model_that_is_shipped(self):
        model = self.share / "models/kernelgen-lm-mini/dpo"
        said = self.run_it(self.akgen, "generate", "ForeachNeg", "--generator", "craft", "--prompt", "operations", "--model", model, "--grammar", self.share / "docs/craft/grammar.gbnf",
                           "--max-tokens", "1000", "-n", "4", "--first-pass", "--profile", "tiny", "--cases", "1", "--no-transcript", "--out", pathlib.Path(self.dir.name) / "written")
        self.assertIn("pass", said)

    def test_what_lies_in_other_folders(self):
        self.assertIn("AK1201", self.run_it(self.akgen, "code", "AK1201"))
        self.assertIn("level1", self.run_it(self.akgen, "tasks"))
        self.assertIn("ok      kernel headers", self.run_it(self.akgen, "doctor"))
        self.assertIn(" ", self.run_it("/usr/bin/python3", "-c", "import akgen; print(akgen.__version__, akgen.__file__)"))

    def test_an_operator_of_ones_own(self):
        self.run_it(self.akgen, "init", "my_gelu")
        self.assertIn("pass", self.run_it(self.akgen, "judge", "my_gelu"))
        self.run_it(self.akgen, "init", "my_gelu", code=2)
        self.run_it(self.akgen, "init", "MyScale", "--program")
        self.assertIn("pass", self.run_it(self.akgen, "judge", "my_scale/my_scale.py"))
        self.run_it(self.akgen, "init", "no-name", code=2)

    def test_manual_and_completions(self):
        text = (self.prefix / "share/man/man1/akgen.1").read_text()
        for word in (r"\fB\-\-task\fR", ".SS akgen judge"):
            self.assertIn(word, text)
        completed = self.run_it("bash", "-c", f"source {self.prefix}/share/bash-completion/completions/akgen; COMP_WORDS=(akgen judge --ta); COMP_CWORD=2; _akgen; echo ${{COMPREPLY[*]}}")
        self.assertEqual(completed.strip(), "--task")


roots.main()

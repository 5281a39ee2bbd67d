#!/usr/bin/env python3
"""Where no temporary folder can be made, each command says so and ends with the status of a fault.

no_temporary_folder_test.py AKGEN REPO
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

AKGEN, REPO = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
KERNEL = REPO / "tests/mutate/every_class.cpp"
SAYS = "error[AK0002]: no temporary folder"


class NoTemporaryFolder(unittest.TestCase):
    def setUp(self):
        self.dir = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="akgen_no_temp_")))

    def akgen(self, *args, **env):
        return subprocess.run([AKGEN, *map(str, args)], capture_output=True, text=True, timeout=120, cwd=self.dir, env={**os.environ, **env})

    def test_each_command(self):
        record = self.dir / "record.json"
        made = self.akgen("judge", REPO / "examples/kernels/sqrt_via_float", "--task", "Sqrt", "--seed", "1", "--json", record)
        self.assertTrue(record.exists(), made.stderr)
        for args, status in ((["judge", REPO / "examples/craft/fast_gelu.py", "--task", "FastGelu"], 3),
                             (["mutate", KERNEL], 3),
                             (["mutate", KERNEL, "--examine", "--count", "1", "--seed", "1"], 3),
                             (["kernel", REPO / "examples/operators/scaled_swish.py"], 3),
                             (["generate", "--tasks", "Gelu", "--generator", "plan", "-n", "1", "--out", self.dir / "made"], 3),
                             (["corpus", "tasks", "--heldout", REPO / "models/heldout.json", "--out", self.dir / "tasks"], 3),
                             (["report", record, "--html", self.dir / "page.html"], 3)):
            with self.subTest(args=args[0]):
                done = self.akgen(*args, TMPDIR=str(self.dir / "nowhere"))
                self.assertIn(SAYS, done.stderr, done)
                self.assertEqual(done.returncode, status, done)

    def test_a_verdict_needs_none(self):
        """Without a folder for them edits are not tried, and nothing else changes."""
        told = []
        for folder in (tempfile.gettempdir(), self.dir / "nowhere"):
            done = self.akgen("judge", REPO / "examples/kernels/wrong_missing_handoff", "--task", "UnalignAdd", "--edits", "--seed", "1",
                              TMPDIR=str(folder))
            self.assertEqual(done.returncode, 1, done)
            told.append([line.split("build")[0] for line in done.stdout.splitlines() if line.startswith("case ")])
        self.assertEqual(*told)
        self.assertTrue(told[0])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

#!/usr/bin/env python3
"""The cache of builds that tests and users keep between runs hides no change: of a kernel, of a header of its own, of a header of akgen, of a task.

usage: cache_test.py AKGEN REPO
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

AKGEN, REPO = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()


class Cache(unittest.TestCase):
    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="akgen_cache_"))
        self.addCleanup(shutil.rmtree, self.dir, True)
        self.home, self.project = self.dir / "home", self.dir / "project"
        self.home.mkdir()
        shutil.copytree(REPO / "include", self.home / "include")
        shutil.copytree(REPO / "tasks/level1/Math/Sqrt", self.home / "tasks/level1/Math/Sqrt")
        (self.home / "data").symlink_to(REPO / "data")
        shutil.copytree(REPO / "examples/kernels/sqrt_via_float", self.project)
        self.kernel = next((self.project / "op_kernel").glob("*.cpp"))
        self.env = {**os.environ, "AKGEN_CACHE": str(self.dir / "cache"), "AKGEN_HOME": str(self.home)}

    def judge(self):
        """The verdict, and whether nothing was compiled for it."""
        record = self.dir / "record.json"
        record.unlink(missing_ok=True)
        done = subprocess.run([str(AKGEN), "judge", str(self.project), "--task", "Sqrt", "--case", "0", "--seed", "1", "--inputs", "upstream", "--json", str(record)],
                              env=self.env, capture_output=True, text=True)
        self.assertIn(done.returncode, (0, 1), done.stdout + done.stderr)
        built = set((self.dir / "cache/build").rglob("*.so"))
        known, self.built = built == getattr(self, "built", None), built
        return json.loads(record.read_text())["verdict"], known

    def changed(self, path, old, new, verdict):
        """A change gives another verdict, and taking it back the first one, from the cache."""
        text = path.read_text()
        self.assertIn(old, text)
        path.write_text(text.replace(old, new, 1))
        self.assertEqual(self.judge()[0], verdict, path)
        path.write_text(text)
        return self.judge()

    def test_no_change_is_hidden(self):
        header = self.kernel.with_name("own.h")
        header.write_text("#define OWN 0\n")
        self.kernel.write_text('#include "own.h"\n' + self.kernel.read_text())
        self.assertEqual(self.judge(), ("pass", False))
        self.assertEqual(self.judge(), ("pass", True), "the second time nothing is compiled")
        self.assertIn("Sqrt(", self.kernel.read_text())
        self.assertEqual(self.changed(self.kernel, "Sqrt(", "Abs(", "wrong_answer"), ("pass", True))
        self.assertEqual(self.changed(header, "0", "0\n#error no more", "build_error"), ("pass", True))
        of_akgen = self.home / "include/ascendc/kernel_operator.h"
        self.assertEqual(self.changed(of_akgen, '#include "kernel/debug.h"', "#error no more", "build_error")[0], "pass")
        reference = self.home / "tasks/level1/Math/Sqrt/reference.py"
        self.assertEqual(self.changed(reference, "return ", "return 1.0 + ", "wrong_answer"), ("pass", True))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])

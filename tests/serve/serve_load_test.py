#!/usr/bin/env python3
"""The sizing table is made, small. usage: serve_load_test.py AKGEN ROOT"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

AKGEN, ROOT = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()


class Table(unittest.TestCase):
    def test_a_small_one(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([str(ROOT / "tests/perf/serve_load"), "--akgen", AKGEN, "-j", "1", "--callers", "1,4", "--groups", "one", "--requests", "8", "--json", f"{folder}/table.json"],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            rows = json.loads(pathlib.Path(folder, "table.json").read_text())["rows"]
        self.assertEqual([(r["group"], r["callers"], r["cases"]) for r in rows], [("one", 1, 1.0), ("one", 4, 1.0)])
        for row in rows:
            self.assertGreater(row["per_s"], 0)
            self.assertLessEqual(row["p50_s"], row["p99_s"])
            self.assertGreater(row["processor_ms"], 1)
            self.assertAlmostEqual(row["per_s"] * row["p50_s"], row["callers"], delta=row["callers"] * 0.8)  # Little's law, roughly


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

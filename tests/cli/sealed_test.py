#!/usr/bin/env python3
"""What a verdict rests on: guests unless native execution is asked for, whose verdicts are nobody's reward, sample or statistic.

sealed_test.py AKGEN REPO
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
EXAMPLE = REPO / "examples/kernels/sqrt_via_float"
KERNEL = REPO / "tests/cases/sync/mask_setter_ok.cpp"


class Sealed(unittest.TestCase):
    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="akgen_sealed_"))
        self.addCleanup(shutil.rmtree, self.dir, True)

    def akgen(self, *args, code=0):
        done = subprocess.run([AKGEN, *map(str, args)], capture_output=True, text=True, env={**os.environ, "AKGEN_CACHE": fresh_cache(self.dir / "cache")})
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def record(self, *args):
        out = self.dir / "out.json"
        said = self.akgen(*args, "--json", out)
        j = json.loads(out.read_text())
        return (j[0] if isinstance(j, list) else j), said

    def test_records_say_what_ran_the_kernel(self):
        judge, run = ("judge", EXAMPLE, "--task", "Sqrt", "--case", "0"), ("run", KERNEL)
        for command in (judge, run):
            record, said = self.record(*command)
            self.assertEqual((record["verdict"], record["backend"], record["sealed"]), ("pass", "guest", True))
            self.assertNotIn("unsealed", said)
            record, said = self.record(*command, "--backend", "native")
            self.assertEqual((record["verdict"], record["backend"], record["sealed"]), ("pass", "native", False))
            self.assertIn("unsealed", said)
            self.akgen(*command, "--backend", "fast", code=2)

    def test_a_program_with_a_main_is_its_users_own(self):
        program = next(p for p in sorted((REPO / "tests/cases/host").glob("*.cpp")) if "// program\n// expect: clean" in p.read_text().replace("\r", ""))
        record, _ = self.record("exec", program, "--cwd", self.dir)
        self.assertEqual((record["backend"], record["sealed"]), ("native", False))

    def bench(self, db, *more):
        candidates = self.dir / "candidates"
        if not candidates.exists():
            shutil.copytree(EXAMPLE, candidates / "Sqrt/sample0")
        said = self.akgen("bench", "run", "--tasks", "Sqrt", "--candidates", candidates, "--out", db, "--profile", "tiny", "--cases", "1",
                          "--hidden", "1", "--seed", "1", "--hidden-seed", "2", *more)
        numbers = self.dir / "numbers.json"
        return said + self.akgen("bench", "show", db, "--json", numbers), json.loads(numbers.read_text())

    def test_runs_of_native_execution_count_as_nothing(self):
        native, guest = self.dir / "native.db", self.dir / "guest.db"
        said, numbers = self.bench(native, "--backend", "native")
        self.assertIn("unsealed: a run of native execution", said)
        self.assertEqual((numbers["pass"]["1"]["value"], numbers["taxonomy"]), (0, {"unsealed": 1}))
        # The cache keeps the two apart.
        said, numbers = self.bench(guest)
        self.assertIn("(0 from the cache)", said)
        self.assertNotIn("unsealed", said)
        self.assertEqual((numbers["pass"]["1"]["value"], numbers["taxonomy"]), (1, {"pass": 1}))
        self.assertIn("<skipped message=\"unsealed: pass", self.akgen("bench", "export", native, "--format", "junit"))
        for db, answers in ((native, 0), (guest, 1)):
            counts, said = self.record("corpus", "pairs", db, "--out", self.dir / f"{db.stem}_data")
            self.assertEqual((counts["answers"], counts["unsealed"]), (answers, 1 - answers))
            self.assertEqual("1 of 1 tries are left out: unsealed" in said, db == native)

    def test_what_learns_takes_no_native_verdicts(self):
        config = self.dir / "c.toml"
        config.write_text("steps = 1\n")
        for command in (("lm", "reinforce", "--config", config, "--out", self.dir / "x", "--compositions", "1"),
                        ("corpus", "prefer", "--model", "script:none", "--out", self.dir / "x", "--compositions", "1"),
                        ("corpus", "build", "--synthetic", "1", "--out", self.dir / "x"),
                        ("corpus", "tasks", "--heldout", config, "--out", self.dir / "x")):
            said = self.akgen(*command, "--backend", "native", code=2)
            self.assertIn("not sealed", said)
            self.assertFalse((self.dir / "x").exists())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

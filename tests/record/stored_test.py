#!/usr/bin/env python3
"""What earlier versions stored stays readable: a store and a journal of each; and reports say when they mix judges, clocks or estimators.

stored_test.py AKGEN REPO      A version's files are made by its own `akgen bench run --time` and `akgen generate --repair 1`, and never changed.
"""
import json
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile
import unittest

AKGEN, STORED = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve() / "tests/record/stored"
SCHEMAS = pathlib.Path(sys.argv[2]).resolve() / "docs/schema"
STORES, JOURNALS = sorted(STORED.glob("run_*.sql")), sorted(STORED.glob("journal_*.jsonl"))
APPLICATION, SCHEMA = 1095452494, 1   # of src/store/store.cc


class Stored(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="akgen_stored_")
        self.addCleanup(folder.cleanup)
        self.dir = pathlib.Path(folder.name)

    def akgen(self, *args, code=0):
        done = subprocess.run([str(AKGEN), *map(str, args)], capture_output=True, text=True, cwd=self.dir, timeout=120)
        self.assertEqual(done.returncode, code, f"{args}: {done.stdout}{done.stderr}")
        return done.stdout

    def store(self, name, sql, change=lambda text: text):
        path = self.dir / name
        db = sqlite3.connect(path)
        db.executescript(change(sql.read_text()))
        db.executescript(f"PRAGMA application_id={APPLICATION}; PRAGMA user_version={SCHEMA};")
        db.close()
        return path

    def hold(self, schema, records):
        """Against docs/schema, where python3-jsonschema is there."""
        self.assertTrue(records)
        try:
            from jsonschema import Draft202012Validator
        except ImportError:
            return
        schema = json.loads((SCHEMAS / f"{schema}.schema.json").read_text())
        Draft202012Validator.check_schema(schema)
        validator = Draft202012Validator(schema)
        for record in records:
            self.assertEqual([e.message for e in validator.iter_errors(record)], [])
            self.assertFalse(validator.is_valid({**record, "more": 1}))

    def test_there_are_some(self):
        self.assertTrue(STORES and JOURNALS)

    def test_stores(self):
        for sql in STORES:
            with self.subTest(sql.name):
                db = self.store("run.db", sql)
                shown = json.loads(self.akgen("bench", "show", db, "--json", "-"))
                self.assertEqual(shown["taxonomy"], {"pass": 2, "finding": 1})
                self.assertTrue(all(isinstance(v, float) for v in shown["fast_p"].values()), "times are read")
                self.assertGreater(shown["fast_p"]["0.2"], 0)
                self.assertIn("FastGelu", self.akgen("bench", "export", db, "--format", "csv"))
                page = self.dir / "page.html"
                model = json.loads(self.akgen("report", db, "--html", page, "--json", "-"))
                self.assertIn("AK1004", page.read_text())
                self.assertEqual(model["mixture"], [])
                self.assertIn("Sqrt", self.akgen("report", db, "--markdown", "-"))
                self.assertNotIn("mixed", self.akgen("bench", "diff", db, db))

    def test_journals(self):
        for journal in JOURNALS:
            with self.subTest(journal.name):
                counts = json.loads(self.akgen("corpus", "pairs", journal, "--out", self.dir / "data", "--json", "-"))
                self.assertEqual({key: counts[key] for key in ("tries", "answers", "repairs", "pairs")}, {"tries": 3, "answers": 1, "repairs": 1, "pairs": 1})
                lines = [json.loads(line) for line in journal.read_text().splitlines()]
                self.hold("turn", [line for line in lines if line["kind"] == "turn"])
                for schema, name in (("sample", "samples"), ("preference_pair", "pairs")):
                    self.hold(schema, [json.loads(line) for line in (self.dir / f"data/{name}.jsonl").read_text().splitlines()])
                self.assertIn("Sqrt", self.akgen("report", journal, "--markdown", "-"))

    def test_mixed_judges_clocks_and_estimators_are_named(self):
        sql = STORES[0]
        hashes = {key: re.search(rf'"{key}":"([0-9a-f]+)"', sql.read_text()).group(1) for key in ("judge", "chip", "estimator")}
        other = self.store("other.db", sql, lambda text: text.replace(hashes["judge"], "e" * 64).replace(hashes["chip"], "f" * 64)
                           .replace(hashes["estimator"], "0" * len(hashes["estimator"])))
        one = self.store("one.db", sql)
        said = self.akgen("bench", "diff", one, other)
        for word in ("judges", "timing models", "estimators"):
            self.assertIn(f"mixed: the records are of 2 {word}", said)
        records = self.dir / "both.jsonl"
        with records.open("w") as out:
            for db in (one, other):
                for (record,) in sqlite3.connect(db).execute("SELECT record FROM verdicts"):
                    out.write(record + "\n")
        self.assertIn("**Mixed:** these records are of 2 judges", self.akgen("report", records, "--markdown", "-"))

    def test_a_record_of_a_later_schema_is_refused(self):
        file = self.dir / "later.json"
        file.write_text(json.dumps({"schema": 2, "task": "Sqrt", "verdict": "pass"}))
        done = subprocess.run([str(AKGEN), "report", str(file), "--markdown", "-"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2, done.stderr)


if __name__ == "__main__":
    sys.argv = sys.argv[:1]
    unittest.main(verbosity=2)

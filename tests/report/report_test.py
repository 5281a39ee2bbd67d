#!/usr/bin/env python3
"""`akgen report` on records of a made-up run: Markdown and JSON to the letter, the page by its properties, bad files by their errors.

usage: report_test.py --akgen FILE [--golden]     --golden writes the expected files anew
"""
import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True
import make_records  # noqa: E402

AKGEN = None
GOLDEN = False


class Report(unittest.TestCase):
    def setUp(self):
        temp = tempfile.TemporaryDirectory()
        self.addCleanup(temp.cleanup)
        self.dir = pathlib.Path(temp.name)
        self.file = self.dir / "run.jsonl"
        self.file.write_text("".join(json.dumps(r) + "\n" for r in make_records.records()))

    def report(self, *more, file=None):
        return subprocess.run([AKGEN, "report", str(file or self.file), *map(str, more)], capture_output=True, text=True)

    def expect(self, name, text):
        place = HERE / "golden" / name
        if GOLDEN:
            place.parent.mkdir(exist_ok=True)
            place.write_text(text)
        self.assertEqual(text, place.read_text(), f"differs from {place}")

    def test_markdown_to_the_letter(self):
        done = self.report("--tasks", "Attention", "--title", "A made-up run")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.expect("run.md", done.stdout)

    def test_json_to_the_letter(self):
        done = self.report("--tasks", "Attention", "--title", "A made-up run", "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        model = json.loads(done.stdout)
        self.assertFalse(any("code" in s for t in model["tasks"] for s in t["samples"]))
        for task in model["tasks"]:
            for sample in task["samples"]:
                sample["cases"] = [[c["id"], c["part"], c["verdict"]] for c in sample["cases"]]  # the records' own, as they are
        self.expect("run.json", json.dumps(model, indent=1) + "\n")

    def test_counts(self):
        model = json.loads(self.report("--tasks", "Attention", "--json", "-").stdout)
        self.assertEqual(len(model["tasks"]), 6)
        right = {t["name"]: t["right"] for t in model["tasks"]}
        self.assertEqual(right, {"Abs": 1, "Gauge": 0, "Fill": 0, "Norm": 1, "Gelu": 0, "Attention": 0})
        self.assertAlmostEqual(model["headline"]["pass"]["1"]["value"], 2 / 12)
        self.assertEqual([s["count"] for s in model["flow"]], [12, 9, 7, 5, 4, 3, 2])
        self.assertTrue(all(v == "not modelled" for v in model["headline"]["fast_p"].values()))

    def test_page_is_whole_and_needs_nobody(self):
        page = self.dir / "page.html"
        done = self.report("--html", page)
        self.assertEqual(done.returncode, 0, done.stderr)
        text = page.read_text()
        self.assertIsNone(re.search(r"<!--[A-Z]+-->", text), "a mark was left in")
        self.assertIsNone(re.search(r"""(?:src|href)=["'](?:https?:)?//""", text), "something is loaded from elsewhere")
        self.assertEqual(text.count("</script>"), 2, "data must not end their element")
        data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S).group(1))
        reasons = {t["name"]: t["reason"] for t in data["tasks"]}
        self.assertIn("</script><script>", reasons["Gauge"])
        self.assertLess(len(text), 400_000)

    def test_sources_are_shown_as_long_as_they_are_what_was_judged(self):
        project = HERE.parent.parent / "tests/exploits/honest"
        record = self.dir / "verdict.json"
        subprocess.run([AKGEN, "judge", str(project), "--task", str(HERE.parent / "exploits/task"), "--json", str(record)], capture_output=True)
        page = self.dir / "page.html"

        def sample():
            self.report("--html", page, file=record)
            data = re.search(r'id="data">(.*?)</script>', page.read_text(), re.S).group(1)
            return json.loads(data)["tasks"][0]["samples"][0]
        self.assertEqual([c["file"] for c in sample()["code"]], ["op_host/gauge.cpp", "op_kernel/gauge.cpp"])
        judged = json.loads(record.read_text())
        judged["provenance"]["candidate"] = "00" * 32
        record.write_text(json.dumps(judged))
        self.assertEqual(sample()["code"], [])
        self.assertIn("no longer what was judged", sample()["code_note"])

    def test_bad_files_are_named(self):
        for text, code in (("", "AK0610"), ("[]", "AK0610"), ("nothing\n", "AK0610"), ('{"task": 1}', "AK0610"), ('{"task": "A", "verdict": "pass"}\n{\n', "AK0610")):
            bad = self.dir / "bad.json"
            bad.write_text(text)
            done = self.report(file=bad)
            self.assertEqual(done.returncode, 2, text)
            self.assertIn(code, done.stderr)
        self.assertEqual(self.report(file=self.dir / "nowhere").returncode, 2)

    def test_a_store_gives_the_same_report(self):
        shutil.copytree(HERE.parent.parent / "examples/kernels/sqrt_via_float", self.dir / "candidates/Sqrt/sample0")
        store = self.dir / "run.db"
        done = subprocess.run([AKGEN, "bench", "run", "--tasks", "Sqrt,Neg", "--candidates", str(self.dir / "candidates"), "--profile", "tiny", "--cases", "1",
                               "--hidden", "1", "--out", str(store)], capture_output=True, text=True)
        self.assertTrue(store.exists(), done.stderr)
        model = json.loads(self.report("--json", "-", file=store).stdout)
        self.assertEqual([(t["name"], t["best"], t["right"]) for t in model["tasks"]], [("Neg", "missing", 0), ("Sqrt", "pass", 1)])
        self.assertEqual({c["part"] for c in model["tasks"][1]["samples"][0]["cases"]}, {"public", "hidden"})
        self.assertEqual(model["headline"]["pass"]["1"]["value"], 0.5)
        unknown = self.report("--run", "zz", file=store)
        self.assertEqual(unknown.returncode, 2)
        self.assertIn("AK0611", unknown.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--akgen", required=True)
    parser.add_argument("--golden", action="store_true")
    args, rest = parser.parse_known_args()
    AKGEN, GOLDEN = args.akgen, args.golden
    unittest.main(argv=[sys.argv[0], *rest])

#!/usr/bin/env python3
"""`akgen report` on records of a made-up run: Markdown and JSON to the letter, the page by its properties, bad files by their errors.

usage: report_test.py --akgen FILE [--golden]     --golden rewrites the expected files
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

    def test_training_becomes_curves(self):
        def metrics(name, steps, slope):
            folder = self.dir / name
            folder.mkdir()
            rows = [{"step": i + 1, "loss": 3 - slope * i, "lr": 1e-3, "grad_norm": 1, "tokens": 100, "tokens_per_s": 50 + i % 3, "seconds": 2} for i in range(steps)]
            for r in rows[9::10]:
                r["validation_loss"] = r["loss"] + 0.5
            (folder / "metrics.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows) + '{"step": ')   # one is being written
            return folder / "metrics.jsonl"
        files = [metrics("base", 1000, 0.001), metrics("a<b", 40, 0.01)]
        page, numbers = self.dir / "curves.html", self.dir / "curves.json"
        p = self.report(files[1], "--html", page, "--json", numbers, "--markdown", "-", file=files[0])
        self.assertEqual(p.returncode, 0, p.stderr)
        runs = json.loads(numbers.read_text())["runs"]
        self.assertEqual([r["name"] for r in runs], ["base", "a<b"])
        self.assertEqual([r["steps"] for r in runs], [1000, 40])
        self.assertEqual(runs[0]["tokens"], 100000)
        self.assertAlmostEqual(runs[0]["minutes"], 1000 * 2 / 60)
        self.assertEqual(runs[0]["tokens_per_s"], 51)
        self.assertAlmostEqual(runs[0]["loss_first"], 3 - 0.001 * 9.5)
        self.assertAlmostEqual(runs[0]["loss_last"], 3 - 0.001 * 989.5)
        self.assertAlmostEqual(runs[1]["validation_best"], 3 - 0.39 + 0.5)
        loss = runs[0]["series"]["loss"]
        self.assertLessEqual(len(loss), 400)
        self.assertAlmostEqual(loss[0][1], 3 - 0.001 * 1)      # of the first three steps
        self.assertEqual(loss[-1][0], 1000)
        text = page.read_text()
        self.assertEqual(len(re.findall("<polyline", text)), 2 * 5)
        self.assertNotIn("a<b", text)
        self.assertEqual(text.count("<script"), 1, "the page's own, for light and dark")
        self.assertIn("| base | 1000 | 100000 | 33.3 | 51 |", p.stdout)
        files[0].write_text(files[0].read_text() + "\n" + '{"no": 1}\n')
        p = self.report(file=files[0])
        self.assertEqual(p.returncode, 2)
        self.assertIn("AK0610", p.stderr)
        self.assertIn("metrics.jsonl:1001", p.stderr)

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

    def test_records_that_contradict_themselves_are_left_out(self):
        records = [make_records.record(make_records.TASKS[0], 0, "pass"), make_records.record(make_records.TASKS[1], 0, "pass"),
                   make_records.record(make_records.TASKS[2], 0, "pass"), make_records.record(make_records.TASKS[3], 0, "pass"),
                   make_records.record(make_records.TASKS[4], 0, "pass")]
        records[1]["cases"] = []                                    # a pass without cases
        records[2]["cases"][1]["verdict"] = "wrong_answer"          # with a case that did not pass
        records[3]["backend"] = "native"                            # a seal that its backend cannot give
        records[4]["cases"][0]["findings"] = [make_records.finding()]
        file = self.dir / "odd.jsonl"
        file.write_text("".join(json.dumps(r) + "\n" for r in records))
        page = self.dir / "odd.html"
        done = self.report("--json", "-", "--html", page, file=file)
        self.assertEqual(done.returncode, 0, done.stderr)
        model = json.loads(done.stdout)
        self.assertEqual({t["name"]: (t["right"], t["of"], t["best"]) for t in model["tasks"]},
                         {"Abs": (1, 1, "pass"), **{n: (0, 1, "missing") for n in ("Gauge", "Fill", "Norm", "Gelu")}})
        self.assertAlmostEqual(model["headline"]["pass"]["1"]["value"], 1 / 5)
        reasons = ["Gauge, sample 0, public: a pass without a case that passed", "Fill, sample 0, public: a pass with case 1, which is wrong_answer",
                   "Norm, sample 0, public: sealed, but its kernel ran as machine code (backend native)", "Gelu, sample 0, public: a pass with a finding in case 0"]
        self.assertEqual(model["dropped"], reasons)
        for reason in reasons:
            self.assertIn("left out: " + reason, done.stderr)
        text = self.report(file=file).stdout
        self.assertIn("**Left out:**", text)
        self.assertIn("- " + reasons[0], text)
        self.assertIn("a pass without a case", page.read_text())

    def test_a_sample_number_is_bounded(self):
        for number in (-1, 100_000, 2**31, 2**63, 1e300, "x", None):
            self.file.write_text(json.dumps({**make_records.record(make_records.TASKS[0], 0, "pass"), "sample": number}) + "\n")
            done = self.report()
            self.assertEqual(done.returncode, 2, f"{number}: {done.stdout}{done.stderr}")

    def test_markdown_shows_what_candidates_print(self):
        reason = "x | y\n![i](http://evil/a.png) <img src=x> `c` \x1b[31m [l](javascript:1) **b**"
        self.file.write_text(json.dumps(make_records.record(("T<b>", 1, "C|d"), 0, "wrong_answer", reason)) + "\n")
        done = self.report("--title", "# <i>t</i>")
        row = next(line for line in done.stdout.splitlines() if line.startswith("| T"))
        self.assertEqual(len(re.findall(r"(?<!\\)\|", row)), 7, row)
        for raw in ("<b>", "<img", "![i]", "http://", "\x1b", "`c`", "**b**", "[l]("):
            self.assertIsNone(re.search(r"(?<!\\)" + re.escape(raw), done.stdout), raw)
        self.assertTrue(done.stdout.startswith("# \\# \\<i\\>t"), done.stdout[:40])

    def test_counts(self):
        model = json.loads(self.report("--tasks", "Attention", "--json", "-").stdout)
        self.assertEqual(len(model["tasks"]), 6)
        right = {t["name"]: t["right"] for t in model["tasks"]}
        self.assertEqual(right, {"Abs": 1, "Gauge": 0, "Fill": 0, "Norm": 1, "Gelu": 0, "Attention": 0})
        self.assertAlmostEqual(model["headline"]["pass"]["1"]["value"], 2 / 12)
        self.assertEqual([s["count"] for s in model["flow"]], [12, 9, 7, 5, 4, 3, 2])
        self.assertTrue(all(v == "not modelled" for v in model["headline"]["fast_p"].values()))

    def test_the_best_of_equal_verdicts_has_more_right_cases_then_less_time(self):
        def said(*samples):     # the reason that the task is shown with
            rows = []
            for number, (reason, cases) in enumerate(samples):
                row = make_records.record(make_records.TASKS[1], number, "wrong_answer", reason)
                row["cases"] = [dict(make_records.case(i, verdict), **({"modelled": {"us": us}} if us else {})) for i, (verdict, us) in enumerate(cases)]
                rows.append(row)
            file = self.dir / "equal.jsonl"
            file.write_text("".join(json.dumps(r) + "\n" for r in rows))
            return json.loads(self.report("--json", "-", file=file).stdout)["tasks"][0]["reason"]
        none, one = [("wrong_answer", 0)] * 2, [("pass", 0), ("wrong_answer", 0)]
        self.assertEqual(said(("first", none), ("second", one), ("third", one)), "second")
        slow, fast = ([("pass", us), ("wrong_answer", us)] for us in (9.0, 3.0))
        self.assertEqual(said(("slow", slow), ("fast", fast), ("untimed", one)), "fast")

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
        project = self.dir / "honest"
        shutil.copytree(HERE.parent.parent / "tests/exploits/honest", project)
        for name in ("a.h", "b.hpp", "c.txt", "d.cpp.orig", "e.py", "f", "g.cc"):
            (project / "notes" / name).parent.mkdir(exist_ok=True)
            (project / "notes" / name).write_text("// shown or not\n")
        record = self.dir / "verdict.json"
        subprocess.run([AKGEN, "judge", str(project), "--task", str(HERE.parent / "exploits/task"), "--json", str(record)], capture_output=True)
        page = self.dir / "page.html"

        def sample():
            self.report("--html", page, file=record)
            data = re.search(r'id="data">(.*?)</script>', page.read_text(), re.S).group(1)
            return json.loads(data)["tasks"][0]["samples"][0]
        self.assertEqual([c["file"] for c in sample()["code"]], ["notes/a.h", "notes/b.hpp", "notes/g.cc", "op_host/gauge.cpp", "op_kernel/gauge.cpp"])
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

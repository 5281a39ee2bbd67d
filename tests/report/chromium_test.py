#!/usr/bin/env python3
"""Opens the report in headless Chromium from a file and clicks through it. Needs Debian's chromium and chromium-driver.

usage: chromium_test.py --akgen FILE [--shots DIR]      --shots keeps pictures of the page
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
sys.dont_write_bytecode = True
import browser  # noqa: E402
import make_journals  # noqa: E402
import make_records  # noqa: E402

AKGEN = None


@unittest.skipUnless(browser.THERE, "needs chromium and chromium-driver")
class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temp = tempfile.TemporaryDirectory()
        cls.page = pathlib.Path(cls.temp.name) / "report.html"
        records = cls.page.with_suffix(".jsonl")
        records.write_text("".join(json.dumps(r) + "\n" for r in make_records.records()))
        subprocess.run([AKGEN, "report", str(records), "--tasks", "Attention", "--title", "A made-up run", "--html", str(cls.page)], check=True)
        cls.b = browser.Browser()

    @classmethod
    def tearDownClass(cls):
        cls.b.close()
        cls.temp.cleanup()

    def setUp(self):
        self.b.do("/url", {"url": "about:blank"})
        self.b.do("/url", {"url": self.page.as_uri()})

    def test_overview(self):
        text = self.b.text()
        for word in ("A made-up run", "compile@1", "16.7 %", "not modelled", "Where samples end", "Normalization", "hidden cases"):
            self.assertIn(word, text)
        self.assertEqual(self.b.script("return document.querySelectorAll('#tasks-body tr').length"), 6)
        self.assertEqual(self.b.script("return document.title"), "A made-up run", "a candidate's text became a script")
        self.assertEqual(self.b.script("return performance.getEntriesByType('resource').length"), 0, "something was loaded")
        self.assertLessEqual(self.b.pictures("report"), 1, "it scrolls sideways")
        self.assertEqual(self.b.errors(), [])

    def test_filter_sort_and_open_a_task(self):
        self.b.type("#filter", "norm")
        self.assertEqual(self.b.script("return [...document.querySelectorAll('#tasks-body tr td:first-child')].map(e => e.innerText)"), ["Norm"])
        self.b.click("#tasks-body tr a")
        text = self.b.text()
        for word in ("Norm", "AK1201", "op_kernel/norm.cpp:12", "other side op_kernel/norm.cpp:9", "order the two with EnQue/DeQue", "Provenance"):
            self.assertIn(word, text)
        self.assertEqual(self.b.script("return document.querySelectorAll('[role=tab]').length"), 2)
        self.assertLessEqual(self.b.pictures("report-task"), 1, "it scrolls sideways")
        self.b.click("[role=tab]:nth-child(2)")
        self.assertIn("pass", self.b.text("#panel"))
        self.assertIn("Error of y", self.b.text("#panel"))
        self.b.do("/back", {})
        self.assertIn("Where samples end", self.b.text())

    def test_a_run_with_modelled_times(self):
        records = make_records.records()
        links = ["timelines/abs.html", "javascript:document.title='taken'"]
        for r in records:
            for c in r["cases"]:
                if c["verdict"] == "pass":
                    c["modelled"] = {"us": 5.0, "baseline_us": 8.0, "bound_us": 2.0}
            if r["task"] == "Abs":
                r["timeline"] = links[r["sample"]]
        page = self.page.with_name("timed.html")
        page.with_suffix(".jsonl").write_text("".join(json.dumps(r) + "\n" for r in records))
        subprocess.run([AKGEN, "report", str(page.with_suffix(".jsonl")), "--html", str(page)], check=True)
        self.b.do("/url", {"url": page.as_uri()})
        self.assertNotIn("not modelled", self.b.text())
        self.assertEqual(self.b.script("return document.querySelectorAll('.chart circle').length"), 5)
        self.b.type("#filter", "abs")
        self.b.click("#tasks-body tr a")
        self.assertEqual(self.b.script("return document.querySelector('#panel a').getAttribute('href')"), "timelines/abs.html")
        self.assertIn("5.00 µs", self.b.text("#panel"))
        self.b.click("[role=tab]:nth-child(2)")
        self.assertEqual(self.b.script("return document.querySelectorAll('#panel a').length"), 0, "a record's text became a link")
        self.assertIn("akgen profile PROJECT --task Abs --case 0", self.b.text("#panel"))

    def test_only_one_verdict(self):
        self.b.script("const o = document.getElementById('only'); o.value = 'missing'; o.dispatchEvent(new Event('change'))")
        self.assertEqual(self.b.script("return [...document.querySelectorAll('#tasks-body tr td:first-child')].map(e => e.innerText)"), ["Attention"])

    def test_hostile_text_stays_text(self):
        self.b.script("location.hash = '#/task/Gauge'")
        self.assertIn("</script><script>document.title='taken'</script><b>&amp;", self.b.text())
        self.assertEqual(self.b.script("return document.querySelectorAll('main b').length"), 0)

    def test_sections_can_be_reached(self):
        for number, name in ((2, "heat"), (4, "flow"), (5, "tasks")):
            self.b.click(f"#sections a:nth-child({number})")
            top = self.b.script("return document.getElementById(arguments[0]).getBoundingClientRect().top", name)
            room = self.b.script("return innerHeight")
            self.assertLess(top, room)
            self.assertGreater(top, -40)

    def test_dark_and_light_are_readable(self):
        seen = set()
        for name in ("first", "second"):
            self.b.click("#theme")
            seen.add(self.b.script("return getComputedStyle(document.documentElement).backgroundColor"))
            worst, where = self.b.script(browser.CONTRAST)
            self.assertGreaterEqual(worst, 4.5, f"contrast of {where} ({name})")
        self.assertEqual(len(seen), 2)

    def test_names_for_those_who_do_not_see(self):
        nameless = self.b.script("""return [...document.querySelectorAll('button, input, select, svg[role=img], a')]
            .filter(e => !(e.getAttribute('aria-label') || e.innerText || e.textContent).trim()).map(e => e.outerHTML)""")
        self.assertEqual(nameless, [])
        self.assertEqual(self.b.script("return document.querySelectorAll('th:not([scope])').length"), 0)
        self.assertEqual(self.b.script("return document.querySelectorAll('h1').length"), 1)
        self.assertEqual(self.b.script("return document.documentElement.lang"), "en")


@unittest.skipUnless(browser.THERE, "needs chromium and chromium-driver")
class Beside(unittest.TestCase):
    """Two runs side by side."""

    @classmethod
    def setUpClass(cls):
        cls.temp = tempfile.TemporaryDirectory()
        folder = pathlib.Path(cls.temp.name)
        cls.page = folder / "beside.html"
        subprocess.run([AKGEN, "report", *map(str, make_journals.write(folder)), "--title", "Two made-up runs", "--html", str(cls.page), "--json", str(folder / "beside.json")], check=True)
        cls.numbers = json.loads((folder / "beside.json").read_text())
        cls.b = browser.Browser()

    @classmethod
    def tearDownClass(cls):
        cls.b.close()
        cls.temp.cleanup()

    def setUp(self):
        self.b.do("/url", {"url": "about:blank"})
        self.b.do("/url", {"url": self.page.as_uri()})

    def test_shares_failures_and_tasks(self):
        text = self.b.text()
        for word in ("Two made-up runs", "first answers that pass", "Failures by cause", "finding AK1201", "Softmax"):
            self.assertIn(word, text)
        for run in self.numbers["generators"]:
            share, low, high = self.numbers["shares"][run]["passed_first"]
            counts = self.numbers["all"][run]
            self.assertAlmostEqual(share, counts["passed_first"] / counts["samples"])
            self.assertLessEqual(low, share)
            self.assertGreaterEqual(high, share)
            told = lambda x: f"{100 * x:.{1 if 0 < x < 1 else 0}f} %"
            self.assertIn(f"{told(low)} to {told(high)}", text)
            self.assertEqual(sum(self.numbers["failures"][run].values()), counts["samples"] - counts["passed"])
        empty = self.b.script("return [...document.querySelectorAll('td, th')].filter(e => !e.textContent.trim()).length")
        self.assertEqual(empty, 0)
        self.assertLessEqual(self.b.pictures("comparison"), 1, "it scrolls sideways")
        self.assertEqual(self.b.errors(), [])

    def test_what_was_said(self):
        self.b.script("location.hash = '#/task/Abs'")
        text = self.b.text()
        for word in ("sample 0", "You write Ascend C kernels.", "__aicore__", "wrong answer", "The verdict is"):
            self.assertIn(word, text)
        self.b.click("[role=tab]:nth-child(2)")
        self.assertNotEqual(text, self.b.text())
        self.assertEqual(self.b.script("return document.title"), "Abs · Two made-up runs", "a record's text became a script")
        self.assertLessEqual(self.b.pictures("comparison-task"), 1, "it scrolls sideways")

    def test_light_and_dark_are_readable(self):
        for place in ("#/", "#/task/Softmax"):
            self.b.script("location.hash = arguments[0]", place)
            for scheme in ("light", "dark"):
                self.b.scheme(scheme)
                worst, where = self.b.script(browser.CONTRAST)
                self.assertGreaterEqual(worst, 4.5, f"contrast of {where} ({scheme})")
        self.b.scheme("light")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--akgen", required=True)
    parser.add_argument("--shots")
    args, rest = parser.parse_known_args()
    AKGEN, browser.SHOTS = args.akgen, args.shots
    unittest.main(argv=[sys.argv[0], *rest])

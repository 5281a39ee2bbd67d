#!/usr/bin/env python3
"""Opens the report in headless Chromium from a file and clicks through it. Needs Debian's chromium and chromium-driver.

usage: chromium_test.py --akgen FILE [--shots DIR]      --shots keeps pictures of the page
"""
import argparse
import base64
import json
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True
import make_records  # noqa: E402

AKGEN = None
SHOTS = None
CONTRAST = """
const parse = (c) => c.match(/[\\d.]+/g).slice(0, 3).map(Number);
const light = (c) => { const [r, g, b] = parse(c).map((v) => { v /= 255; return v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4; }); return .2126 * r + .7152 * g + .0722 * b; };
const behind = (e) => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor; if (!/, 0\\)$/.test(c) && c !== 'transparent') return c; } return 'rgb(255,255,255)'; };
let worst = 21, where = '';
for (const e of document.querySelectorAll('main *, header *, footer')) {
  if (e.closest('svg') || ![...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim())) continue;
  if (/^(rgba|color)/.test(behind(e))) continue;  // see-through: marked lines
  const a = light(getComputedStyle(e).color), b = light(behind(e)), ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
  if (ratio < worst) { worst = ratio; where = e.tagName + ' ' + e.className + ' ' + e.textContent.slice(0, 40); }
}
return [worst, where];"""


class Browser:
    """A session of chromedriver, spoken to in WebDriver's own HTTP."""

    def __init__(self):
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            self.base = f"http://127.0.0.1:{s.getsockname()[1]}"
        port = self.base.rsplit(":", 1)[1]
        self.driver = subprocess.Popen(["chromedriver", f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        options = {"args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1180,1400",
                            f"--user-data-dir={self.profile.name}"]}
        wanted = {"capabilities": {"alwaysMatch": {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}}}
        for attempt in range(100):
            try:
                self.session = self.call("POST", "/session", wanted)["sessionId"]
                return
            except urllib.error.URLError:
                time.sleep(0.2)
        raise RuntimeError("chromedriver does not answer")

    def call(self, method, path, body=None):
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=120) as answer:
            return json.loads(answer.read())["value"]

    def do(self, path, body=None, method="POST"):
        return self.call(method, f"/session/{self.session}{path}", body if method == "POST" else None)

    def script(self, text, *args):
        return self.do("/execute/sync", {"script": text, "args": list(args)})

    def find(self, selector):
        return next(iter(self.do("/element", {"using": "css selector", "value": selector}).values()))

    def click(self, selector):
        self.do(f"/element/{self.find(selector)}/click", {})

    def type(self, selector, text):
        self.do(f"/element/{self.find(selector)}/value", {"text": text})

    def text(self, selector="main"):
        return self.script("return document.querySelector(arguments[0]).innerText", selector)

    def shot(self, name):
        if SHOTS:
            pathlib.Path(SHOTS).mkdir(parents=True, exist_ok=True)
            high = self.script("return document.documentElement.scrollHeight")
            self.do("/window/rect", {"width": 1180, "height": min(high + 140, 4000)})
            (pathlib.Path(SHOTS) / name).write_bytes(base64.b64decode(self.do("/screenshot", method="GET")))

    def close(self):
        try:
            self.do("", method="DELETE")
        finally:
            self.driver.terminate()
            self.driver.wait(20)
            self.profile.cleanup()


@unittest.skipUnless(shutil.which("chromedriver") and shutil.which("chromium"), "needs chromium and chromium-driver")
class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temp = tempfile.TemporaryDirectory()
        cls.page = pathlib.Path(cls.temp.name) / "report.html"
        records = cls.page.with_suffix(".jsonl")
        records.write_text("".join(json.dumps(r) + "\n" for r in make_records.records()))
        subprocess.run([AKGEN, "report", str(records), "--tasks", "Attention", "--title", "A made-up run", "--html", str(cls.page)], check=True)
        cls.b = Browser()

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
        self.b.shot("overview-light.png")

    def test_filter_sort_and_open_a_task(self):
        self.b.type("#filter", "norm")
        self.assertEqual(self.b.script("return [...document.querySelectorAll('#tasks-body tr td:first-child')].map(e => e.innerText)"), ["Norm"])
        self.b.click("#tasks-body tr a")
        text = self.b.text()
        for word in ("Norm", "AK1201", "op_kernel/norm.cpp:12", "other side op_kernel/norm.cpp:9", "order the two with EnQue/DeQue", "Provenance"):
            self.assertIn(word, text)
        self.assertEqual(self.b.script("return document.querySelectorAll('[role=tab]').length"), 2)
        self.b.shot("task-light.png")
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
            worst, where = self.b.script(CONTRAST)
            self.assertGreaterEqual(worst, 4.5, f"contrast of {where} ({name})")
            if self.b.script("return document.documentElement.dataset.theme") == "dark":
                self.b.shot("overview-dark.png")
                self.b.script("location.hash = '#/task/Norm'")
                self.b.shot("task-dark.png")
                self.b.script("location.hash = '#/'")
        self.assertEqual(len(seen), 2)

    def test_names_for_those_who_do_not_see(self):
        nameless = self.b.script("""return [...document.querySelectorAll('button, input, select, svg[role=img], a')]
            .filter(e => !(e.getAttribute('aria-label') || e.innerText || e.textContent).trim()).map(e => e.outerHTML)""")
        self.assertEqual(nameless, [])
        self.assertEqual(self.b.script("return document.querySelectorAll('th:not([scope])').length"), 0)
        self.assertEqual(self.b.script("return document.querySelectorAll('h1').length"), 1)
        self.assertEqual(self.b.script("return document.documentElement.lang"), "en")

    def test_narrow_screens_do_not_scroll_sideways(self):
        self.b.do("/window/rect", {"width": 500, "height": 900})
        try:
            wide = self.b.script("return document.documentElement.scrollWidth - document.documentElement.clientWidth")
            self.assertLessEqual(wide, 1)
        finally:
            self.b.do("/window/rect", {"width": 1180, "height": 1400})


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--akgen", required=True)
    parser.add_argument("--shots")
    args, rest = parser.parse_known_args()
    AKGEN, SHOTS = args.akgen, args.shots
    unittest.main(argv=[sys.argv[0], *rest])

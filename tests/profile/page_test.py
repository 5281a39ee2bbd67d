"""The page of a profile in headless Chromium: what it says is what the record says, it can be steered, and a million spans stay fluent.

usage: page_test.py AKGEN [SHOTS]      SHOTS: folder that keeps pictures
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(HERE), str(HERE.parent)]
import browser  # noqa: E402
import kernels  # noqa: E402

AKGEN = sys.argv[1]
browser.SHOTS = sys.argv[2] if len(sys.argv) > 2 else None
ROOT = HERE.parents[1]

# Of the time in which the vector unit of core 0 is at work, the share in which MTE2 is too.
OVERLAP = """
const row = (pipe) => spans.rows.get(0).find((r) => r.pipe === pipe), copies = row('MTE2'), work = row('V');
let both = 0, all = 0;
for (const v of work.index) { all += spans.length[v];
  for (const m of copies.index) both += Math.max(0, Math.min(spans.end(v), spans.end(m)) - Math.max(spans.begin[v], spans.begin[m])); }
return [copies.index.length, work.index.length, both / all];"""

# Zooms and moves for a while; the times from one frame to the next, in milliseconds.
STEER = """
const done = arguments[0], times = [];
const core = document.querySelectorAll('canvas')[1];
let last = performance.now(), step = 0;
view.whole();
const frame = (now) => {
  times.push(now - last); last = now;
  if (++step > 90) return done([times.slice(2), Surface.slowest, spans.count]);
  if (step < 45) view.zoom(0.85, spans.until * 0.4); else if (step < 70) view.move(0.15); else view.zoom(1.3);
  requestAnimationFrame(frame);
};
requestAnimationFrame(frame);"""


def shown(us):
    return f"{us:.2f} µs" if us < 100 else f"{us:.1f} µs"


def profile(folder, name, source, *more):
    kernel, page = pathlib.Path(folder) / (name + ".cpp"), pathlib.Path(folder) / (name + ".html")
    kernel.write_text(source)
    record = page.with_suffix(".json")
    subprocess.run([AKGEN, "profile", str(kernel), "--html", str(page), "--json", str(record), *more], check=True, stdout=subprocess.DEVNULL)
    return page, json.loads(record.read_text())


@unittest.skipUnless(browser.THERE, "needs chromium and chromium-driver")
class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temp = tempfile.TemporaryDirectory()
        cls.b = browser.Browser()
        _, one, two = kernels.PAIRS["chain_one_buffer"]
        cls.one, cls.before = profile(cls.temp.name, "one", one)
        cls.two, cls.now = profile(cls.temp.name, "two", two, "--against", str(cls.one.with_suffix(".json")))

    @classmethod
    def tearDownClass(cls):
        cls.b.close()
        cls.temp.cleanup()

    def open(self, page):
        self.b.do("/url", {"url": page.as_uri()})

    def test_two_buffers_overlap(self):
        boxes = [12 * 2, 12 * (kernels.CHAIN * 3).count(";")]  # 12 tiles a core: a copy an input, every instruction of the chain
        self.open(self.one)
        copies, work, share = self.b.script(OVERLAP)
        self.assertEqual([copies, work], boxes)
        self.assertLess(share, 0.05)
        self.open(self.two)
        copies, work, share = self.b.script(OVERLAP)
        self.assertEqual([copies, work], boxes)
        self.assertGreater(share, 0.5)

    def test_it_says_what_the_record_says(self):
        self.open(self.one)
        text, best = self.b.text(), self.before["profile"]["advice"][0]
        for word in (shown(self.before["us"]), self.before["profile"]["bottleneck"], best["text"], f"one.cpp:{best['line']}",
                     "All cores", "Critical path", "Roofline", "Advice", "Time by line", "Pipes", "HBM", "vector, 32 bits"):
            self.assertIn(word, text)
        path = sum(part["us"] for part in self.before["profile"]["critical_path"]["shares"])
        self.assertLess(path, self.before["us"])
        self.assertGreater(path, 0.9 * self.before["longest_core_us"])
        self.assertNotIn("undefined", text)
        self.assertNotIn("NaN", text)
        empty = self.b.script("return [...document.querySelectorAll('td, th, dd')].filter(e => !e.textContent.trim() && !e.children.length).length")
        self.assertEqual(empty, 0)
        self.assertEqual(self.b.script("return performance.getEntriesByType('resource').length"), 0, "something was loaded")
        self.assertEqual(self.b.errors(), [])

    def test_two_profiles_are_compared(self):
        self.open(self.two)
        text = self.b.text()
        for word in ("Before and now", "one.cpp", shown(self.before["us"])):
            self.assertIn(word, text)
        gain = self.b.script("return document.querySelector('.compare tbody tr .better').innerText")
        self.assertTrue(gain.startswith("−"), gain)

    def test_it_can_be_steered(self):
        self.open(self.one)
        window = "return [view.from, view.to, view.core]"
        keys = lambda text: self.b.do(f"/element/{self.b.find('canvas')}/value", {"text": text})
        keys("0")
        whole = self.b.script(window)
        self.assertEqual(whole[0], 0)
        keys("+++")
        zoomed = self.b.script(window)
        self.assertAlmostEqual((zoomed[1] - zoomed[0]) / whole[1], 0.7 ** 3, 6)
        keys("\ue014")  # the right arrow
        self.assertGreater(self.b.script(window)[0], zoomed[0])
        keys("n")
        self.assertEqual(self.b.script("return spans.onPath.has(view.selected) && spans.core[view.selected] === view.core"), True)
        self.assertIn("on the critical path", self.b.text(".chosen-span"))
        self.b.script("""const c = document.querySelectorAll('canvas')[1], r = c.getBoundingClientRect();
            c.dispatchEvent(new WheelEvent('wheel', {deltaY: -300, clientX: r.left + 300, clientY: r.top + 20, cancelable: true, bubbles: true}))""")
        wheeled = self.b.script(window)
        self.assertLess(wheeled[1] - wheeled[0], zoomed[1] - zoomed[0])
        self.assertEqual(self.b.errors(), [])

    def test_the_trace_for_perfetto(self):
        self.open(self.one)
        events = self.b.script("return chromeTrace().traceEvents")
        self.assertEqual(sum(e["ph"] == "X" for e in events), self.b.script("return spans.count - [...spans.rows.values()].flat().reduce((n, r) => n + r.waits.length, 0)"))

    def test_light_and_dark_are_readable(self):
        self.open(self.two)
        for scheme in ("light", "dark"):
            self.b.scheme(scheme)
            worst, where = self.b.script(browser.CONTRAST)
            self.assertGreaterEqual(worst, 4.5, f"contrast of {where} ({scheme})")
        self.b.scheme("light")
        before = self.b.script("return getComputedStyle(document.documentElement).backgroundColor")
        self.b.click("#theme")
        self.assertNotEqual(before, self.b.script("return getComputedStyle(document.documentElement).backgroundColor"))

    def test_pictures(self):
        self.open(self.one)
        self.assertLessEqual(self.b.pictures("profile"), 1, "it scrolls sideways")
        self.open(self.two)
        self.assertLessEqual(self.b.pictures("profile-compared"), 1, "it scrolls sideways")

    def test_an_operator_of_a_task(self):
        if not (pathlib.Path(AKGEN).parent / "akgen-reference").exists():
            self.skipTest("needs libtorch")
        for kernel, task in (("matmul_queues", "BasicMatmul"), ("add_double_buffer", "UnalignAdd")):
            page = pathlib.Path(self.temp.name) / f"{task}.html"
            subprocess.run([AKGEN, "profile", str(ROOT / "examples/kernels" / kernel), "--task", task, "--html", str(page)], check=True, stdout=subprocess.DEVNULL)
            self.open(page)
            for word in ("against eager", "the task's bytes and arithmetic", "Cube, 16 bits" if task == "BasicMatmul" else "vector, 16 bits"):
                self.assertIn(word, self.b.text())
            self.assertLessEqual(self.b.pictures(f"profile-{task}"), 1, "it scrolls sideways")
            self.assertEqual(self.b.errors(), [])

    def test_a_million_spans(self):
        page, record = profile(self.temp.name, "many", kernels.tiles(tile=64, t="f32", tiles=48 * 1700, compute=kernels.CHAIN))
        self.open(page)
        self.b.do("/timeouts", {"script": 120000})
        times, slowest, count = self.b.do("/execute/async", {"script": STEER, "args": []})
        times.sort()
        print(f"{count} spans: from frame to frame {times[len(times) // 2]:.1f} ms in the middle, {times[-1]:.1f} ms at most, drawn in {slowest:.1f} ms at most")
        self.assertGreater(count, 900_000)
        self.assertLess(times[len(times) // 2], 50)
        self.assertLess(times[int(len(times) * 0.95)], 120)
        self.b.pictures("profile-million")
        self.assertEqual(self.b.errors(), [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

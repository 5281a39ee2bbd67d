#!/usr/bin/env python3
"""The page of akgen serve in headless Chromium: a kernel is pasted and judged, light and dark, narrow and wide. Needs Debian's
chromium and chromium-driver.

usage: page_chromium_test.py AKGEN ROOT [SHOTS]      SHOTS: folder that keeps pictures
"""
import os
import sys
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..")]
sys.dont_write_bytecode = True
import browser  # noqa: E402
import running  # noqa: E402

AKGEN, ROOT = sys.argv[1], sys.argv[2]
browser.SHOTS = sys.argv[3] if len(sys.argv) > 3 else None


@unittest.skipUnless(browser.THERE, "needs chromium and chromium-driver")
class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = running.Server(AKGEN, "-j", "2", "--seed", "7", "--form")
        for name, task in (("wrong_missing_handoff", "UnalignAdd"), ("wrong_call", "Sqrt"), ("wrong_constant", "FastGelu")):
            cls.server.judge({"task": task, "files": running.project(ROOT, name), "cases": ["0", "1"], "timeline": True, "profile": True})
        got = cls.server.judge({"task": "UnalignAdd", "files": running.project(ROOT, "add_double_buffer"), "timeline": True, "profile": True})[1]
        cls.right = "/records/" + got["id"]
        cls.b = browser.Browser()

    @classmethod
    def tearDownClass(cls):
        cls.b.close()
        cls.server.__exit__()

    def go(self, path):
        self.b.do("/url", {"url": self.server.url + path})

    def pages(self):
        self.go("/")
        link = self.b.script("return [...document.querySelectorAll('tr')].find(r => r.innerText.includes('finding')).querySelector('a').getAttribute('href')")
        return {"overview": "/", "record": link, "timeline": self.right, "form": "/judge"}

    def test_a_kernel_is_pasted_and_judged(self):
        self.go("/judge")
        self.b.script("document.querySelector('#task').value = 'UnalignAdd'; document.querySelector('#text').value = arguments[0]",
                      "".join(f"`{p}`:\n```cpp\n{t}```\n" for p, t in running.project(ROOT, "wrong_missing_handoff").items()))
        self.b.click("form.ask button")
        for _ in range(300):
            if "AK1201" in self.b.text():
                break
            time.sleep(0.2)
        text = self.b.text()
        for word in ("AK1201", "op_kernel/unalign_add.cpp:45", "Fix:", "Source"):
            self.assertIn(word, text)
        self.assertIn("45", self.b.script("return [...document.querySelectorAll('.l.hit i')].map(e => e.innerText)"), "the line of the finding, of the file that was in the text")

    def test_nothing_is_loaded_and_nothing_is_refused(self):
        for name, path in self.pages().items():
            self.go(path)
            self.assertEqual(self.b.script("return performance.getEntriesByType('resource').filter(e => !e.name.endsWith('/favicon.ico')).length"), 0, name)
            log = [e for e in self.b.do("/se/log", {"type": "browser"}) if "favicon" not in e["message"]]
            self.assertEqual(log, [], name)

    def test_light_and_dark_are_readable(self):
        seen = set()
        for scheme in ("light", "dark"):
            self.b.scheme(scheme)
            for name, path in self.pages().items():
                self.go(path)
                seen.add(self.b.script("return getComputedStyle(document.documentElement).backgroundColor"))
                worst, where = self.b.script(browser.CONTRAST)
                self.assertGreaterEqual(worst, 4.5, f"contrast of {where} ({name}, {scheme})")
        self.assertEqual(len(seen), 2)
        self.b.scheme("light")

    def test_the_timeline_moves_and_the_choice_of_dark_stays(self):
        self.go(self.right)
        self.assertEqual(self.b.script("return [document.querySelectorAll('#timeline canvas').length, document.querySelectorAll('#timeline svg').length]"), [1, 0])
        before = self.b.text("#timeline h2")
        self.b.script("document.querySelector('#timeline canvas').dispatchEvent(new KeyboardEvent('keydown', {key: '+'}))")
        self.assertNotEqual(self.b.text("#timeline h2"), before)
        colour = "return getComputedStyle(document.documentElement).backgroundColor"
        light = self.b.script(colour)
        self.b.click("#theme")
        dark = self.b.script(colour)
        self.assertNotEqual(light, dark)
        self.go("/")
        self.assertEqual(self.b.script(colour), dark)
        self.b.click("#theme")
        self.assertEqual(self.b.script(colour), light)

    def test_names_for_those_who_do_not_see(self):
        for name, path in self.pages().items():
            self.go(path)
            nameless = self.b.script("""return [...document.querySelectorAll('button, input, select, textarea, svg[role=img], a')]
                .filter(e => !(e.getAttribute('aria-label') || e.innerText || e.textContent || [...(e.labels || [])].map(l => l.innerText).join('')).trim()).map(e => e.outerHTML)""")
            self.assertEqual(nameless, [], name)
            self.assertEqual(self.b.script("return document.querySelectorAll('th:not([scope])').length"), 0)
            self.assertEqual(self.b.script("return document.querySelectorAll('h1').length"), 1)

    def test_pictures_and_narrow_screens(self):
        for name, path in self.pages().items():
            self.go(path)
            self.assertLessEqual(self.b.pictures("serve-" + name), 1, f"{name} scrolls sideways")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

"""The timeline page in headless Chromium: with two buffers copies in run while the vector unit works, with one they do not.

usage: timeline_test.py AKGEN [unittest arguments]
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(HERE), str(HERE.parent / "report")]
import kernels  # noqa: E402
from chromium_test import Browser  # noqa: E402

AKGEN = sys.argv.pop(1) if __name__ == "__main__" else None

# Of the time in which the vector unit has a box on the page, the share in which PIPE_MTE2 has one above it.
OVERLAP = """
const boxes = (pipe) => [...document.querySelectorAll(`rect[data-core="0"][data-pipe="${pipe}"]`)].map((r) => r.getBoundingClientRect());
const copies = boxes('PIPE_MTE2'), work = boxes('PIPE_V');
let both = 0, all = 0;
for (const v of work) { all += v.width;
  for (const m of copies) both += Math.max(0, Math.min(v.right, m.right) - Math.max(v.left, m.left)); }
return [copies.length, work.length, all ? both / all : 0];"""


@unittest.skipUnless(shutil.which("chromedriver") and shutil.which("chromium"), "needs chromium and chromium-driver")
class Timeline(unittest.TestCase):
    def overlap(self, browser, folder, source):
        kernel, page = pathlib.Path(folder) / "kernel.cpp", pathlib.Path(folder) / "timeline.html"
        kernel.write_text(source)
        subprocess.run([AKGEN, "profile", str(kernel), "--html", str(page), "--cores", "1"], check=True, stdout=subprocess.DEVNULL)
        browser.do("/url", {"url": page.as_uri()})
        return browser.script(OVERLAP)

    def test_two_buffers_overlap(self):
        _, one, two = kernels.PAIRS["chain_one_buffer"]
        boxes = (12 * 2, 12 * (kernels.CHAIN * 3).count(";"))  # 12 tiles a core: a copy an input, every instruction of the chain
        browser = Browser()
        try:
            with tempfile.TemporaryDirectory() as folder:
                copies, work, share = self.overlap(browser, folder, one)
                self.assertEqual((copies, work), boxes)
                self.assertLess(share, 0.05)
                copies, work, share = self.overlap(browser, folder, two)
                self.assertEqual((copies, work), boxes)
                self.assertGreater(share, 0.5)
                browser.click("#in")
                self.assertGreater(browser.script("return document.querySelector('svg').getBoundingClientRect().width"), 2000)
        finally:
            browser.close()


if __name__ == "__main__":
    unittest.main()

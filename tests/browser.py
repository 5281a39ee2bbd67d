"""Headless Chromium for the tests of pages, driven over WebDriver's own HTTP. Needs Debian's chromium and chromium-driver."""
import base64
import json
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

THERE = bool(shutil.which("chromedriver") and shutil.which("chromium"))
SHOTS = None  # a folder: pictures are kept there
WIDTHS = {"wide": 1400, "narrow": 420}
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

    def cdp(self, command, **parameters):
        return self.do("/goog/cdp/execute", {"cmd": command, "params": parameters})

    def scheme(self, name):
        """light or dark: what the reader's system prefers."""
        self.cdp("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def size(self, width, height=900):
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def shot(self, name):
        """The whole page as it is."""
        if SHOTS:
            pathlib.Path(SHOTS).mkdir(parents=True, exist_ok=True)
            high = self.script("return document.documentElement.scrollHeight")
            self.cdp("Emulation.setDeviceMetricsOverride", width=self.script("return innerWidth"), height=min(high, 8000), deviceScaleFactor=1, mobile=False)
            time.sleep(0.3)  # canvases are drawn again
            (pathlib.Path(SHOTS) / name).write_bytes(base64.b64decode(self.cdp("Page.captureScreenshot", format="png")["data"]))

    def pictures(self, name):
        """Light and dark, wide and narrow; gives by how many pixels the page is wider than the narrow screen."""
        sideways = {}
        for scheme in ("light", "dark"):
            self.scheme(scheme)
            for width, pixels in WIDTHS.items():
                self.size(pixels)
                time.sleep(0.2)
                sideways[width] = self.script("return document.documentElement.scrollWidth - document.documentElement.clientWidth")
                self.shot(f"{name}-{scheme}-{width}.png")
        self.scheme("light")
        self.size(1180, 1400)
        return max(sideways.values())

    def errors(self):
        """What the console has said since the last call."""
        return [line["message"] for line in self.do("/se/log", {"type": "browser"}) if line["level"] in ("SEVERE", "WARNING")]

    def close(self):
        try:
            self.do("", method="DELETE")
        finally:
            self.driver.terminate()
            self.driver.wait(20)
            self.profile.cleanup()

#!/usr/bin/env python3
"""The page of akgen serve as HTML: what it shows, to whom, and that nothing of others becomes part of it. usage: page_test.py AKGEN ROOT"""
import base64
import hashlib
import html.parser
import os
import re
import sys
import tempfile
import time
import unittest
import urllib.parse

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import running  # noqa: E402

AKGEN, ROOT = sys.argv[1], sys.argv[2]
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
HOSTILE = "</pre></span><script>document.title='taken'</script><img src=x onerror=alert(1)>\"'&"


class Page(html.parser.HTMLParser):
    """Elements and text of a page."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.text = [], ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text += data

    def links(self):
        return [a.get("href", "") for tag, a in self.tags if tag == "a"]


def answer(name):
    return "An answer.\n" + "".join(f"`{path}`:\n```cpp\n{content}```\n" for path, content in running.project(ROOT, name).items())


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = running.Server(AKGEN, "-j", "2", "--seed", "7", "--form")

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__()

    def get(self, path, server=None, **headers):
        status, text, got = (server or self.server).ask("GET", path, headers=headers)
        self.assertIsInstance(text, str)
        self.harmless(text, got)
        return status, Page(text), got

    def harmless(self, text, headers):
        """No script but the page's own, which its policy names, and nothing from elsewhere, whatever stands in a record."""
        self.assertIn("text/html", headers["content-type"])
        self.assertIn("frame-ancestors 'none'", headers["content-security-policy"])
        page = Page(text)
        scripts = [s for kind, s in re.findall(r"<script([^>]*)>(.*?)</script>", text, re.S) if not kind]
        self.assertEqual(len(scripts), 1)
        name = base64.b64encode(hashlib.sha256(scripts[0].encode()).digest()).decode()
        self.assertIn(f"script-src 'sha256-{name}'\"", text)
        self.assertLessEqual({tag: attrs for tag, attrs in page.tags if tag == "script" and attrs}.get("script", {}).items(), {"type": "application/json", "id": "data"}.items())
        for tag, attrs in page.tags:
            self.assertNotIn(tag, ("img", "iframe", "link", "object", "embed", "base"))
            self.assertFalse([a for a in attrs if a.startswith("on")], attrs)
            for name in ("href", "src", "action"):
                self.assertRegex(attrs.get(name, "/"), r"^(/(?!/)|#main$)", (tag, attrs))
        self.assertIn("default-src 'none'", text)
        self.assertIn(("html", {"lang": "en"}), page.tags)

    def judged(self, body, server=None):
        status, got, _ = (server or self.server).judge(body)
        self.assertEqual(status, 200, got)
        return got["id"]

    def test_a_record_shows_findings_source_and_timeline(self):
        id = self.judged({"task": "UnalignAdd", "files": running.project(ROOT, "wrong_missing_handoff"), "cases": ["0", "1"], "timeline": True, "profile": True})
        status, page, _ = self.get("/records/" + id)
        self.assertEqual(status, 200)
        for word in ("UnalignAdd", "finding", "AK1201", "op_kernel/unalign_add.cpp:45", "other side op_kernel/unalign_add.cpp:37", "Fix: ", "cases 0, 1", "910B"):
            self.assertIn(word, page.text)
        hits = [a for tag, a in page.tags if tag == "span" and a.get("class") == "l hit"]
        self.assertGreaterEqual(len(hits), 2, "lines of the finding stand out")
        right = self.judged({"task": "UnalignAdd", "files": running.project(ROOT, "add_double_buffer"), "cases": ["0"], "timeline": True, "profile": True})
        _, page, _ = self.get("/records/" + right)
        self.assertIn("What limits it", page.text)
        self.assertIn("Timeline of case 0", page.text)
        bars = [a for tag, a in page.tags if tag == "rect"]
        self.assertEqual({b["class"] for b in bars} & {"MTE2", "V", "MTE3"}, {"MTE2", "V", "MTE3"})
        broken = self.judged({"task": "Sqrt", "files": running.project(ROOT, "wrong_call"), "cases": ["0"]})
        _, page, _ = self.get("/records/" + broken)
        self.assertIn("Diagnostics of the build", page.text)

    def test_the_overview_lists_what_was_judged(self):
        id = self.judged({"task": "Sqrt", "files": running.project(ROOT, "sqrt_via_float"), "cases": ["0"]})
        status, page, headers = self.get("/")
        self.assertEqual((status, headers["refresh"]), (200, "5"))
        self.assertIn("/records/" + id, page.links())
        for word in ("waiting", "being judged", "judges", "Recent verdicts", "Sqrt", "pass"):
            self.assertIn(word, page.text)
        job = self.server.ask("POST", "/v1/jobs", {"task": "UnalignAdd", "files": running.project(ROOT, "add_double_buffer"), "seed": "fresh", "cache": False})[1]["id"]
        _, page, _ = self.get("/")
        self.assertIn("/records/" + job, page.links())
        _, page, headers = self.get("/records/" + job)
        self.assertTrue("refresh" in headers or "pass" in page.text)

    def test_text_of_others_stays_text(self):
        id = self.judged({"task": "Sqrt", "files": {"op_kernel/k.cpp": HOSTILE, "op_host/h.cpp": HOSTILE}, "project": HOSTILE, "cases": ["0"]})
        _, page, _ = self.get("/records/" + id)
        self.assertIn(HOSTILE, page.text)
        self.get("/")

    def test_nothing_of_others_is_seen(self):
        with tempfile.NamedTemporaryFile("w") as f:
            f.write("ann aaaaaaaaaaaaaaaaaaaaaaaa\nbob bbbbbbbbbbbbbbbbbbbbbbbb\n")
            f.flush()
            with running.Server(AKGEN, "-j", "1", "--token-file", f.name) as server:
                ann, bob = ({"Authorization": "Basic " + base64.b64encode(f"x:{c * 24}".encode()).decode()} for c in "ab")
                status, got, _ = server.ask("POST", "/v1/judge", {"task": "Sqrt", "text": "No."}, {"Authorization": "Bearer " + "a" * 24})
                self.assertEqual(status, 200)
                self.assertEqual(self.get("/records/" + got["id"], server, **ann)[0], 200)
                self.assertEqual(self.get("/records/" + got["id"], server, **bob)[0], 404)
                self.assertNotIn("/records/" + got["id"], self.get("/", server, **bob)[1].links())
                status, _, headers = server.ask("GET", "/", headers={"Accept": "text/html"})
                self.assertEqual((status, headers["www-authenticate"].split()[0]), (401, "Basic"))
                status, _, headers = server.ask("GET", "/")
                self.assertEqual((status, headers["www-authenticate"]), (401, "Bearer"))
                for wrong in ("Basic " + base64.b64encode(b"x:" + b"c" * 24).decode(), "Basic !!", "Basic", "Basic " + base64.b64encode(b"a" * 24).decode()):
                    self.assertEqual(server.ask("GET", "/", headers={"Authorization": wrong})[0], 401, wrong)

    def test_it_only_shows_unless_told(self):
        with running.Server(AKGEN, "-j", "1") as server:
            self.assertNotIn("/judge", self.get("/", server)[1].links())
            self.assertEqual(server.ask("GET", "/judge")[0], 404)
            self.assertEqual(server.ask("POST", "/judge", "task=Sqrt&text=x", FORM)[0], 404)

    def post(self, fields, **headers):
        return self.server.ask("POST", "/judge", urllib.parse.urlencode(fields), {**FORM, **headers})

    def test_a_kernel_is_pasted_and_judged(self):
        _, page, _ = self.get("/judge")
        names = {a.get("name") for tag, a in page.tags if tag in ("select", "textarea", "input")}
        self.assertEqual(names, {"task", "form", "text", "timeline"})
        labels = {a["for"] for tag, a in page.tags if tag == "label" and "for" in a}
        self.assertEqual(labels, {"task", "form", "text"})
        status, _, headers = self.post({"task": "Sqrt", "form": "", "text": answer("sqrt_via_float").replace("\n", "\r\n"), "timeline": "yes"})
        self.assertEqual(status, 303)
        self.assertRegex(headers["location"], r"^/records/[0-9a-f]{26}$")
        for _ in range(300):
            _, page, got = self.get(headers["location"])
            if "refresh" not in got:
                break
            time.sleep(0.2)
        self.assertIn("pass", page.text)
        self.assertTrue([tag for tag, _ in page.tags if tag == "rect"], "no timeline")

    def test_a_form_that_makes_no_sense_keeps_its_text(self):
        for fields in ({"task": "NoSuch", "form": "", "text": "x<y"}, {"task": "Sqrt", "form": "rocket", "text": "x<y"}):
            status, text, headers = self.post(fields)
            self.assertEqual(status, 422)
            self.harmless(text, headers)
            self.assertIn("x<y", Page(text).text)
            self.assertIn("alert", [a.get("role") for _, a in Page(text).tags])
        self.assertEqual(self.server.ask("POST", "/judge", "task=%zz", FORM)[0], 422)

    def test_pages_of_elsewhere_cannot_post(self):
        self.assertEqual(self.post({"task": "Sqrt", "text": "x"}, Origin="http://evil.example")[0], 403)
        self.assertEqual(self.post({"task": "Sqrt", "text": "x"}, Origin="null")[0], 403)

    def test_what_is_not_there(self):
        status, page, _ = self.get("/records/" + "0" * 26)
        self.assertEqual(status, 404)
        self.assertIn("last 200", page.text)
        self.assertTrue(re.search("Nothing here", page.text))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

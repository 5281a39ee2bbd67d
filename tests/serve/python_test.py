#!/usr/bin/env python3
"""The Python package, as a wheel in a virtual environment of its own. usage: python_test.py AKGEN ROOT [unittest arguments]"""
import ast
import asyncio
import hashlib
import http.server
import json
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import running  # noqa: E402

AKGEN, ROOT = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
INSIDE = "AKGEN_TEST_VENV" in os.environ
if INSIDE:
    import akgen
    from akgen.records import Judgement


def example(name):
    return ROOT / "examples/kernels" / name


def text_of(name):
    return "Here.\n" + "".join(f"`{p}`:\n```cpp\n{c}```\n" for p, c in akgen.files_of(example(name)).items())


class Canned:
    """A server that says what it is told to, once each; the last one again and again."""

    def __init__(self, *replies):
        replies = list(replies)
        self.asked = 0
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                outer.asked += 1
                self.rfile.read(int(self.headers["Content-Length"]))
                status, body = replies.pop(0) if len(replies) > 1 else replies[0]
                if status:
                    data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
                    self.send_response(status)
                    self.send_header("Content-Length", str(len(data)))
                    if "X-Request-Id" in self.headers:
                        self.send_header("X-Request-Id", self.headers["X-Request-Id"])
                    self.end_headers()
                    self.wfile.write(data)
                self.close_connection = not status

            def log_message(self, *_):
                pass
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


def error(code, retryable=False):
    return {"error": {"code": code, "message": "m", "where": "w", "fix": "f", "retryable": retryable}}


def answer(verdict, reward, **more):
    return {"id": "1", "verdict": verdict, "reason": "because", "reward": reward, "reward_version": 2, "sealed": True, "cached": False, "queued_ms": 0, "judged_ms": 1,
            "retryable": False, "feedback": "", "record": None, **more}


@unittest.skipUnless(INSIDE, "runs in the virtual environment")
class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.client = akgen.Client.start(akgen=AKGEN, jobs=2, options=["--seed", "7"])

    @classmethod
    def tearDownClass(cls):
        cls.client.close()

    def test_it_is_the_wheel_and_nothing_else(self):
        self.assertIn(os.environ["AKGEN_TEST_VENV"], akgen.__file__)
        found = subprocess.run([sys.executable, "-m", "pip", "list", "--format", "json"], capture_output=True, text=True, check=True).stdout
        self.assertEqual({p["name"] for p in json.loads(found)} - {"pip", "setuptools"}, {"akgen"})
        self.assertIn(f'kVersion = "{akgen.__version__}"', (ROOT / "src/base/version.h").read_text())

    def test_a_project_is_judged(self):
        result = self.client.judge(example("sqrt_via_float"), task="Sqrt", cases=["0"])
        self.assertTrue(result.passed)
        self.assertEqual((result.reward(), result.record.task, result.record.cases[0].verdict), (1.0, "Sqrt", "pass"))
        result = self.client.judge(example("wrong_misaligned_offset"), task="Sqrt", cases=["0"])
        self.assertEqual((result.verdict, result.reward()), ("finding", 0.3))
        self.assertEqual(result.findings()[0].code, "AK1004")
        self.assertIn("AK1004", result.feedback)
        self.assertEqual(result.findings()[0].place.file, "op_kernel/sqrt.cpp")

    def test_an_answer_is_judged(self):
        self.assertEqual(self.client.reward(text_of("sqrt_via_float"), "Sqrt", cases=["0"]), 1.0)
        self.assertEqual(self.client.reward(text_of("wrong_call"), "Sqrt"), 0.0)
        nothing = self.client.judge_source("", "Sqrt")
        self.assertEqual((nothing.verdict, nothing.reward(), nothing.record), ("no_code", 0.0, None))
        program = (ROOT / "examples/craft/fast_gelu.py").read_text()
        for name in ("fast_gelu", "op"):  # `op`: what small models call it
            answer = f"```python\n{program.replace('def fast_gelu(', f'def {name}(')}```"
            self.assertEqual(self.client.judge_source(answer, "FastGelu", cases=["0"]).verdict, "pass")

    def test_what_says_nothing_is_no_number(self):
        result = self.client.judge(example("convolution_not_yet"), task="UnalignAdd", cases=["0"])
        self.assertEqual((result.verdict, result.number), ("unsupported", None))
        with self.assertRaises(akgen.Unsupported) as caught:
            result.reward()
        self.assertIs(caught.exception.result, result)
        sent = pickle.loads(pickle.dumps(caught.exception))  # out of a worker process
        self.assertEqual((type(sent), str(sent), sent.result), (akgen.Unsupported, str(caught.exception), result))
        akgen.set_default(self.client)
        self.addCleanup(akgen.set_default, None)
        self.assertIsNone(akgen.reward_or_none(text_of("convolution_not_yet"), "UnalignAdd", cases=["0"]))
        for verdict, sealed, kind in (("undecided", True, akgen.Undecided), ("infra_error", True, akgen.InfraError), ("pass", False, akgen.Unsealed)):
            with Canned((503 if verdict == "infra_error" else 200, answer(verdict, None, sealed=sealed))) as server:
                with self.assertRaises(kind):
                    akgen.Client(server.url, patience=0).reward("x", "Sqrt")
        with Canned((503, answer("infra_error", None, retryable=True))) as server:
            akgen.set_default(akgen.Client(server.url, patience=0))
            self.assertIsNone(akgen.reward_or_none("x", "Sqrt"))

    def test_errors_are_exceptions(self):
        cases = ((lambda c: c.judge_source("x", "Nothing"), akgen.NotFound, "AK0101"), (lambda c: c.judge_source("x", "Sqrt", cases=["99"]), akgen.InvalidRequest, "AK0103"),
                 (lambda c: c.judge({"../x.cpp": "x"}, "Sqrt"), akgen.InvalidRequest, "AK0902"), (lambda c: c.judge("/nowhere", "Sqrt"), akgen.InvalidRequest, ""),
                 (lambda c: c.job("none").state(), akgen.NotFound, "AK0901"), (lambda c: c.job("none").wait(), akgen.NotFound, "AK0901"),
                 (lambda c: c.judge(example("add_double_buffer"), "UnalignAdd", seed="fresh", deadline_s=0.03), akgen.DeadlineExpired, "AK0905"))
        for ask, kind, code in cases:
            with self.assertRaises(kind) as caught:
                ask(self.client)
            self.assertEqual(caught.exception.code, code)
        with self.assertRaises(akgen.AccessDenied):
            akgen.Client(self.client.url, "a wrong token, long enough").tasks()
        with self.assertRaises(akgen.ConnectionFailed):
            akgen.Client("http://127.0.0.1:9", patience=0).tasks()
        with self.assertRaises(akgen.ConnectionFailed):
            akgen.Client.start(akgen="/no/such/program")
        with self.assertRaises(akgen.ConnectionFailed) as caught:
            akgen.Client.start(akgen=AKGEN, options=["--no-such-option"])
        self.assertIn("no-such-option", str(caught.exception))

    def test_a_busy_server_is_asked_again(self):
        with Canned((429, error("AK0903", True)), (0, ""), (503, error("AK0905", True)), (200, answer("pass", 1.0))) as server:
            self.assertEqual(akgen.Client(server.url).reward("x", "Sqrt"), 1.0)
            self.assertEqual(server.asked, 4)
        for status, body, kind in ((429, error("AK0903"), akgen.Overloaded), (500, "not JSON", akgen.ServerFault), (503, "", akgen.ServerFault), (409, error("AK0907"), akgen.KeyConflict)):
            with Canned((status, body)) as server:
                with self.assertRaises(kind):
                    akgen.Client(server.url, patience=0).judge_source("x", "Sqrt")
        for broken in ({**answer("pass", 1.0), "record": {"verdict": "pass"}}, {"verdict": "pass", "reward": 1.0}):
            with Canned((200, broken)) as server:
                with self.assertRaises(akgen.ServerFault):
                    akgen.Client(server.url).reward("x", "Sqrt")
        with Canned((200, {"reward": 1.0})) as server:  # a number without a verdict is none
            with self.assertRaises(akgen.AkgenError):
                akgen.Client(server.url).reward("x", "Sqrt")

    def test_many_keep_their_order(self):
        names = ["sqrt_via_float", "wrong_call", "wrong_misaligned_offset"]
        requests = [akgen.submission("Sqrt", files=akgen.files_of(example(n)), cases=["0"]) for n in names] + [akgen.submission("Nope", text="x")]
        for results in (self.client.judge_many(requests * 3), self.client.batch(requests * 3)):
            self.assertEqual([getattr(r, "verdict", None) for r in results], ["pass", "build_error", "finding", None] * 3)
            self.assertIsInstance(results[3], akgen.NotFound)

    def test_jobs(self):
        job = self.client.submit(akgen.submission("Sqrt", files=akgen.files_of(example("sqrt_via_float")), cases=["0"]), key="k1")
        self.assertEqual(list(job.follow())[-1]["result"]["verdict"], "pass")
        self.assertTrue(self.client.job(job.id).wait().passed)
        self.assertEqual(job.state()["state"], "done")
        same = self.client.judge(example("sqrt_via_float"), task="Sqrt", cases=["0"], form="auto", key="k1")
        self.assertEqual(same.id, job.id)
        with self.assertRaises(akgen.KeyConflict):
            self.client.judge(example("wrong_call"), task="Sqrt", key="k1")
        slow = self.client.submit(akgen.submission("UnalignAdd", files=running.endless(ROOT), seed="fresh", cache=False))
        slow.cancel()
        with self.assertRaises(akgen.Cancelled):
            slow.wait()

    def test_records_lose_nothing(self):
        for name, task in (("sqrt_via_float", "Sqrt"), ("wrong_call", "Sqrt"), ("wrong_missing_handoff", "UnalignAdd"), ("wrong_missing_tail", "UnalignAdd")):
            body = akgen.submission(task, files=akgen.files_of(example(name)), cases=["0"], time=True)
            _, reply = self.client._transport.ask("POST", "/v1/judge", body)
            self.assertEqual(akgen.Result.from_json(reply).to_json(), reply)
            self.assertEqual(akgen.Result.from_json(reply).record.more, {})
            self.assertEqual(Judgement.from_json({**reply["record"], "newer": [1]}).to_json()["newer"], [1])
            with self.assertRaises(ValueError):
                Judgement.from_json({k: v for k, v in reply["record"].items() if k != "verdict"})

    def test_a_notebook_shows_it(self):
        shown = self.client.judge(example("wrong_misaligned_offset"), task="Sqrt", cases=["0"])._repr_html_()
        for part in ("finding", "AK1004", "op_kernel/sqrt.cpp:", "reward 0.3"):
            self.assertIn(part, shown)
        hostile = akgen.Result.from_json(answer("rejected", 0.0, reason="<script>alert(1)</script>"))
        self.assertNotIn("<script", hostile._repr_html_())

    def test_tasks(self):
        self.assertIn("FastGelu", [t["name"] for t in self.client.tasks()])
        self.assertTrue(self.client.task("FastGelu")["cases"])

    def test_edits_and_profile(self):
        files = akgen.files_of(example("wrong_missing_handoff"))
        found = self.client.edits(files, "UnalignAdd", cases=["0"])
        self.assertEqual(found.findings()[0].code, "AK1201")
        repaired = akgen.apply_edits(files, found.repairs()[0])
        self.assertNotEqual(repaired, files)
        self.assertTrue(self.client.judge(repaired, "UnalignAdd", cases=["0"]).passed)
        self.assertEqual(self.client.judge(files, "UnalignAdd", cases=["0"]).repairs(), [])
        with self.assertRaises(akgen.InvalidRequest):
            akgen.apply_edits({"op_kernel/other.cpp": ""}, found.repairs()[0])
        profile, = self.client.profile(example("add_double_buffer"), "UnalignAdd", cases=["0"])
        self.assertEqual((profile.case, profile.bottleneck != "", profile.modelled_us > 0), ("0", True, True))
        self.assertEqual(self.client.profile(example("wrong_call"), "Sqrt", cases=["0"]), [])
        self.assertIsNone(self.client.judge(example("add_double_buffer"), "UnalignAdd", cases=["0"]).profiles)

    def test_asyncio(self):
        async def ask():
            async with akgen.AsyncClient(self.client.url, self.client._child.token) as client:
                names = ["sqrt_via_float", "wrong_call", "wrong_misaligned_offset"]
                requests = [akgen.submission("Sqrt", files=akgen.files_of(example(n)), cases=["0"]) for n in names] + [akgen.submission("Nope", text="x")]
                for results in (await client.judge_many(requests * 3, concurrency=8), await client.batch(requests * 3)):
                    self.assertEqual([getattr(r, "verdict", None) for r in results], ["pass", "build_error", "finding", None] * 3)
                    self.assertIsInstance(results[3], akgen.NotFound)
                self.assertEqual(await client.rewards([text_of("sqrt_via_float"), text_of("wrong_call")], ["Sqrt", "Sqrt"], cases=["0"]), [1.0, 0.0])
                self.assertEqual(await client.reward(text_of("sqrt_via_float"), "Sqrt", cases=["0"]), 1.0)
                with self.assertRaises(akgen.InvalidRequest):
                    await client.rewards(["x"], [])
                job = await client.submit(requests[0], key="async-1")
                self.assertTrue((await job.wait()).passed)
                self.assertEqual([s["state"] async for s in job.follow()], ["done"])
                self.assertIn("FastGelu", [t["name"] for t in await client.tasks()])
                with self.assertRaises(akgen.NotFound):
                    await client.job("none").wait()
                slow = asyncio.create_task(client.judge(running.endless(ROOT), "UnalignAdd", seed="fresh", cache=False))
                while not await under_way(client):
                    await asyncio.sleep(0.05)
                slow.cancel()  # and the server stops it: work takes seconds
                begun = time.monotonic()
                while await under_way(client):
                    await asyncio.sleep(0.05)
                self.assertLess(time.monotonic() - begun, 5)
            with self.assertRaises(akgen.AccessDenied):
                await akgen.AsyncClient(self.client.url, "a wrong token, long enough").tasks()
            with self.assertRaises(akgen.ConnectionFailed):
                await akgen.AsyncClient("http://127.0.0.1:9", patience=0).tasks()
            for replies in (((429, error("AK0903", True)), (0, ""), (503, error("AK0905", True)), (200, answer("pass", 1.0))),):
                with Canned(*replies) as server:
                    self.assertEqual(await akgen.AsyncClient(server.url).reward("x", "Sqrt"), 1.0)
                    self.assertEqual(server.asked, 4)

        async def under_way(client):
            return (await client.get("/v1/jobs"))["jobs"]
        asyncio.run(ask())

    def test_a_log_to_standard_error_does_not_stop_the_server(self):
        script = ("import akgen, sys\nc = akgen.Client.start(akgen=sys.argv[1], jobs=1, options=['--log', '-'])\n"
                  "for _ in range(1500):\n    c.tasks()\nc.close()\nprint('done')")
        done = subprocess.run([sys.executable, "-I", "-c", script, AKGEN], capture_output=True, text=True, timeout=120)
        self.assertEqual((done.returncode, done.stdout), (0, "done\n"), done.stderr[-500:])
        self.assertGreater(len(done.stderr), 100000)  # more than a pipe holds
        self.assertEqual({json.loads(line)["event"] for line in done.stderr.splitlines()}, {"request"})

    def test_a_child_ends_with_its_parent(self):
        script = ("import akgen, sys, time\nc = akgen.Client.start(akgen=sys.argv[1], jobs=1)\n"
                  "print(c._child.process.pid, flush=True)\ntime.sleep(600)")
        parent = subprocess.Popen([sys.executable, "-c", script, AKGEN], stdout=subprocess.PIPE, text=True)
        child = int(parent.stdout.readline())
        os.kill(child, 0)
        parent.send_signal(signal.SIGKILL)
        parent.wait()
        parent.stdout.close()
        for _ in range(200):
            try:
                with open(f"/proc/{child}/stat") as f:
                    if f.read().rsplit(")", 1)[1].split()[0] == "Z":
                        return
            except FileNotFoundError:
                return
            time.sleep(0.05)
        self.fail("the server outlives who started it")


@unittest.skipIf(INSIDE, "looks at the sources")
class Sources(unittest.TestCase):
    def test_records_are_current(self):
        subprocess.run([str(ROOT / "tools/python_records"), "--check"], check=True)

    def test_python_3_9_reads_them(self):
        for path in (ROOT / "python").rglob("*.py"):
            ast.parse(path.read_text(encoding="utf-8"), filename=str(path), feature_version=(3, 9))

    def test_equal_sources_give_equal_archives(self):
        sys.path.insert(0, str(ROOT / "python"))
        import build_wheel
        for build in (build_wheel.build_wheel, build_wheel.build_sdist):
            digests = set()
            for _ in range(2):
                with tempfile.TemporaryDirectory() as folder:
                    digests.add(hashlib.sha256((pathlib.Path(folder) / build(folder)).read_bytes()).hexdigest())
            self.assertEqual(len(digests), 1)


def in_a_fresh_environment():
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "venv", f"{folder}/venv"], check=True)
        python = f"{folder}/venv/bin/python"
        pip = [python, "-m", "pip", "--disable-pip-version-check", "-q"]
        subprocess.run([*pip, "wheel", "--no-index", "--no-deps", "-w", folder, str(ROOT / "python")], check=True)
        subprocess.run([*pip, "install", "--no-index", *map(str, pathlib.Path(folder).glob("*.whl"))], check=True)
        env = {k: v for k, v in os.environ.items() if not k.startswith("AKGEN_")} | {"AKGEN_TEST_VENV": folder}
        return subprocess.run([python, "-I", __file__, *sys.argv[1:]], env=env).returncode


if __name__ == "__main__":
    result = unittest.main(argv=[sys.argv[0], *sys.argv[3:]], exit=False).result
    sys.exit(1 if not result.wasSuccessful() else 0 if INSIDE else in_a_fresh_environment())

#!/usr/bin/env python3
"""akgen serve over its own protocol: verdicts, queue, deadlines, cancellation. usage: v1_test.py AKGEN ROOT"""
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import running  # noqa: E402

AKGEN, ROOT = sys.argv[1], sys.argv[2]
TIMES = ("build_ms", "tile_ms", "run_ms", "chip_ms", "chip_cpu_ms", "reference_ms", "check_ms", "reference_cached", "build_host_ms", "build_kernel_ms")


def work(name, task, **more):
    return {"task": task, "files": running.project(ROOT, name), **more}


def without_times(value):
    if isinstance(value, dict):
        return {k: without_times(v) for k, v in value.items() if k not in TIMES + ("project",)}
    return [without_times(v) for v in value] if isinstance(value, list) else value


def by_command(name, task):
    with tempfile.TemporaryDirectory() as folder:
        for path, content in running.project(ROOT, name).items():
            os.makedirs(os.path.dirname(os.path.join(folder, "p", path)), exist_ok=True)
            with open(os.path.join(folder, "p", path), "w") as f:
                f.write(content)
        file = os.path.join(folder, "verdict.json")
        subprocess.run([AKGEN, "judge", os.path.join(folder, "p"), "--task", task, "--case", "0", "--seed", "7", "--json", file],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with open(file) as f:
            return json.load(f)


def endless():
    return {"task": "UnalignAdd", "files": running.endless(ROOT), "seed": "fresh", "cache": False}


class Serve(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = running.Server(AKGEN, "-j", "2", "--seed", "7")

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__()

    def test_a_verdict_is_that_of_the_command(self):
        for name, task in (("add_double_buffer", "UnalignAdd"), ("wrong_missing_handoff", "UnalignAdd"), ("wrong_call", "Sqrt"), ("convolution_not_yet", "UnalignAdd")):
            status, got, _ = self.server.judge(work(name, task, cases=["0"]))
            self.assertEqual(status, 200, got)
            want = by_command(name, task)
            self.assertEqual(without_times(got["record"]), without_times(want))
            self.assertEqual(got["verdict"], want["verdict"])

    def test_rewards_are_numbers_only_for_what_counts(self):
        reward = {name: self.server.judge(work(name, task, cases=["0"]))[1]["reward"]
                  for name, task in (("add_double_buffer", "UnalignAdd"), ("wrong_missing_handoff", "UnalignAdd"), ("wrong_call", "Sqrt"), ("convolution_not_yet", "UnalignAdd"))}
        self.assertEqual(reward, {"add_double_buffer": 1.0, "wrong_missing_handoff": 0.3, "wrong_call": 0.0, "convolution_not_yet": None})

    def test_equal_work_is_judged_once(self):
        body = work("fast_gelu", "FastGelu", cases=["0"], seed=11)
        before = self.server.metric("akgen_judge_seconds_count")
        got = []
        threads = [threading.Thread(target=lambda: got.append(self.server.judge(body)[1])) for _ in range(8)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual({g["verdict"] for g in got}, {"pass"})
        self.assertEqual(len({json.dumps(g["record"], sort_keys=True) for g in got}), 1)
        self.assertEqual(sum(not g["cached"] for g in got), 1)
        self.assertEqual(self.server.metric("akgen_judge_seconds_count"), before + 1)

    def test_an_expired_deadline_is_no_verdict(self):
        status, got, _ = self.server.judge({**endless(), "deadline_ms": 30})
        self.assertEqual((status, got["error"]["code"]), (504, "AK0905"))
        self.assertNotIn("reward", got)

    def test_a_caller_that_leaves_ends_its_job(self):
        cancelled = self.server.metric('akgen_judgements_total{verdict="cancelled"}')
        text = json.dumps(endless())
        s = socket.create_connection(("127.0.0.1", self.server.port))
        s.sendall(f"POST /v1/judge HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(text)}\r\n\r\n{text}".encode())
        self.assertTrue(self.server.wait_until(lambda: self.server.metric("akgen_inflight") == 1))
        s.close()
        self.assertTrue(self.server.wait_until(lambda: self.server.metric("akgen_inflight") == 0))
        self.assertEqual(self.server.metric('akgen_judgements_total{verdict="cancelled"}'), cancelled + 1)
        self.assertEqual(self.server.judge(work("add_double_buffer", "UnalignAdd", cases=["0"]))[1]["verdict"], "pass")

    def test_a_full_queue_is_told(self):
        with running.Server(AKGEN, "-j", "1", "--queue", "4") as small:
            got = []
            threads = [threading.Thread(target=lambda: got.append(small.judge(work("sqrt_via_float", "Sqrt", cases=["0"], seed="fresh")))) for _ in range(12)]
            for t in threads:
                t.start()
            for t in threads:
                t.join()
            full = [g for g in got if g[0] == 429]
            self.assertTrue(full)
            self.assertEqual({g[0] for g in got}, {200, 429})
            for _, body, headers in full:
                self.assertEqual(body["error"]["code"], "AK0903")
                self.assertIn("retry-after", headers)

    def test_a_port_that_is_taken(self):
        p = subprocess.run([AKGEN, "serve", "--port", str(self.server.port)], capture_output=True, text=True, timeout=60)
        self.assertEqual(p.returncode, 2)
        self.assertIn("AK0906", p.stderr)

    def test_answers_from_text(self):
        files = running.project(ROOT, "sqrt_via_float")
        text = "Here it is.\n" + "".join(f"`{name}`:\n```cpp\n{content}```\n" for name, content in files.items())
        self.assertEqual(self.server.judge({"task": "sqrt", "text": text, "cases": ["0"]})[1]["verdict"], "pass")
        got = self.server.judge({"task": "Sqrt", "text": "I cannot."})[1]
        self.assertEqual((got["verdict"], got["reward"], got["record"]), ("no_code", 0.0, None))

    def test_stopping_waits_for_what_is_under_way(self):
        with running.Server(AKGEN, "-j", "1") as server:
            got = []
            t = threading.Thread(target=lambda: got.append(server.judge(work("add_double_buffer", "UnalignAdd", seed="fresh", cache=False))))
            t.start()
            self.assertTrue(server.wait_until(lambda: server.metric("akgen_judge_seconds_count") + server.metric("akgen_inflight") == 1))
            self.assertEqual(server.stop(), 0)
            t.join()
            self.assertEqual(got[0][0], 200)
            self.assertEqual(got[0][1]["verdict"], "pass")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

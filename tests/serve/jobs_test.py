#!/usr/bin/env python3
"""Jobs that outlive their connection and their server. usage: jobs_test.py AKGEN ROOT"""
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import running  # noqa: E402

AKGEN, ROOT = sys.argv[1], sys.argv[2]


def work(name="sqrt_via_float", task="Sqrt", **more):
    return {"task": task, "files": running.project(ROOT, name), "cases": ["0"], **more}


def ended(server, job, seconds=60):
    for _ in range(seconds * 20):
        status, state, _ = server.ask("GET", "/v1/jobs/" + job)
        if status != 200 or state["state"] == "done":
            return status, state
        time.sleep(0.05)
    raise AssertionError(f"{job} has not ended: {state}")


class Jobs(unittest.TestCase):
    def test_a_job_is_submitted_followed_and_kept(self):
        with running.Server(AKGEN, "-j", "1") as server:
            status, got, _ = server.ask("POST", "/v1/jobs", work())
            self.assertEqual(status, 202)
            status, text, headers = server.ask("GET", f"/v1/jobs/{got['id']}/events")
            self.assertTrue(headers["content-type"].startswith("text/event-stream"))
            states = [json.loads(line[6:]) for line in text.splitlines() if line.startswith("data: ")]
            self.assertEqual(states[-1]["state"], "done")
            self.assertEqual(states[-1]["result"]["verdict"], "pass")
            self.assertEqual(ended(server, got["id"])[1]["result"]["reward"], 1.0)
            self.assertEqual(server.ask("GET", "/v1/jobs/nobody")[0], 404)
            self.assertEqual(server.ask("POST", "/v1/jobs", {"task": "Nothing", "text": "x"})[0], 404)

    def test_a_batch_keeps_its_order(self):
        with running.Server(AKGEN, "-j", "2") as server:
            requests = [work(), work("wrong_call"), {"task": "Sqrt", "text": "no code"}, {"task": "Nope", "text": "x"}, {"bad": 1}, work("wrong_misaligned_offset")]
            status, got, _ = server.ask("POST", "/v1/batch", {"requests": requests})
            self.assertEqual(status, 200)
            self.assertEqual([r["status"] for r in got["results"]], [200, 200, 200, 404, 422, 200])
            self.assertEqual([r["result"].get("verdict") for r in got["results"]], ["pass", "build_error", "no_code", None, None, "finding"])

    def test_a_key_never_judges_twice(self):
        with running.Server(AKGEN, "-j", "1") as server:
            key = {"Idempotency-Key": "one"}
            first = server.judge(work(seed="fresh", cache=False), headers=key)[1]
            again = server.judge(work(seed="fresh", cache=False), headers=key)[1]
            self.assertEqual((again["id"], again["record"]), (first["id"], first["record"]))
            self.assertEqual(server.metric("akgen_judge_seconds_count"), 1)
            status, other, _ = server.judge(work("wrong_call"), headers=key)
            self.assertEqual((status, other["error"]["code"]), (409, "AK0907"))

    def test_a_job_that_is_taken_back_ends(self):
        with running.Server(AKGEN, "-j", "1") as server:
            endless = {"task": "UnalignAdd", "files": running.endless(ROOT), "cases": ["0"]}
            jobs = [server.ask("POST", "/v1/jobs", {**w, "seed": "fresh", "cache": False})[1]["id"] for w in (endless, work(), work(), work())]
            self.assertEqual(len(server.ask("GET", "/v1/jobs")[1]["jobs"]), 4)
            for taken in (jobs[3], jobs[0]):
                self.assertEqual(server.ask("DELETE", "/v1/jobs/" + taken)[0], 200)
                self.assertEqual(ended(server, taken)[1]["result"]["error"]["code"], "AK0905")
            self.assertEqual(ended(server, jobs[1])[1]["result"]["verdict"], "pass")

    def test_jobs_of_others_are_not_there(self):
        with running.Server(AKGEN, "-j", "1", "--token-file", self.tokens()) as server:
            mine, theirs = {"Authorization": "Bearer " + "a" * 20}, {"Authorization": "Bearer " + "b" * 20}
            job = server.ask("POST", "/v1/jobs", work(), headers=mine)[1]["id"]
            self.assertEqual(server.ask("GET", "/v1/jobs/" + job, headers=theirs)[0], 404)
            self.assertEqual(server.ask("DELETE", "/v1/jobs/" + job, headers=theirs)[0], 404)
            self.assertEqual(server.ask("GET", "/v1/jobs/" + job)[0], 401)
            self.assertEqual(server.ask("GET", "/v1/jobs/" + job, headers=mine)[0], 200)

    def tokens(self):
        file = tempfile.NamedTemporaryFile("w", delete=False)
        self.addCleanup(os.unlink, file.name)
        with file:
            file.write("mine " + "a" * 20 + "\ntheirs " + "b" * 20 + "\n")
        return file.name

    def test_jobs_survive_a_kill(self):
        with tempfile.TemporaryDirectory() as folder:
            state = os.path.join(folder, "jobs.db")
            key = {"Idempotency-Key": "the one"}
            with running.Server(AKGEN, "-j", "1", "--state", state, "--seed", "3") as server:
                done = server.judge(work(), headers=key)[1]
                jobs = [server.ask("POST", "/v1/jobs", work(name, seed=seed, cache=False))[1]["id"] for seed in range(3) for name in ("sqrt_via_float", "wrong_misaligned_offset")]
                server.stop(signal.SIGKILL)
            with running.Server(AKGEN, "-j", "1", "--state", state, "--seed", "4") as server:
                verdicts = [ended(server, job)[1]["result"] for job in jobs]
                self.assertEqual([v["verdict"] for v in verdicts], ["pass", "finding"] * 3)
                self.assertEqual([v["record"]["seed"] for v in verdicts], [0, 0, 1, 1, 2, 2])
                before = server.metric("akgen_judge_seconds_count")
                again = server.judge(work(), headers=key)[1]
                self.assertEqual((again["id"], again["record"]), (done["id"], done["record"]))
                self.assertEqual(server.metric("akgen_judge_seconds_count"), before)

    def test_a_journal_has_one_server(self):
        with tempfile.TemporaryDirectory() as folder:
            state = os.path.join(folder, "jobs.db")
            with running.Server(AKGEN, "--state", state):
                for file in (state, os.path.join(ROOT, "README.md"), os.path.join(folder, "none", "x.db")):
                    p = subprocess.run([AKGEN, "serve", "--port", "0", "--state", file], capture_output=True, text=True, timeout=60)
                    self.assertEqual(p.returncode, 2)
                    self.assertIn("AK0909", p.stderr)

    def test_stopping_gives_jobs_to_the_next_server(self):
        with tempfile.TemporaryDirectory() as folder:
            state = os.path.join(folder, "jobs.db")
            with running.Server(AKGEN, "-j", "1", "--state", state, "--grace", "0") as server:
                jobs = [server.ask("POST", "/v1/jobs", work(seed=s, cache=False))[1]["id"] for s in range(3)]
                self.assertEqual(server.stop(), 0)
            with running.Server(AKGEN, "-j", "1", "--state", state) as server:
                self.assertEqual([ended(server, job)[1]["result"]["verdict"] for job in jobs], ["pass"] * 3)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

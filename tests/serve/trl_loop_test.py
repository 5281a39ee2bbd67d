#!/usr/bin/env python3
"""TRL's GRPO on a processor: the shipped mini model, rewards from `akgen serve`, ten steps. (ctest -L clients; pip installs TRL and torch, 6 GB)

usage: trl_loop_test.py AKGEN ROOT [LOG.json]
"""
import http.server
import importlib.machinery
import importlib.util
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest

HERE = pathlib.Path(__file__).resolve().parent
AKGEN, ROOT = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
sys.path.insert(0, str(HERE))
import running  # noqa: E402

loader = importlib.machinery.SourceFileLoader("clients", str(HERE / "clients"))
clients = importlib.util.module_from_spec(importlib.util.spec_from_loader("clients", loader))
loader.exec_module(clients)

TRL = ["trl==1.16.0", "torch==2.15.0", "transformers==5.24.0", "datasets==5.2.0", "accelerate==1.15.0"]
TASKS = "FastGelu,Lerp,Addcdiv"
STEPS = int(os.environ.get("STEPS", 10))


def loop(url, steps, folder):
    """The log of a run against the server there."""
    python = clients.environment(clients.default_folder() / "trl", TRL, [])
    env = {**os.environ, "AKGEN_URL": url, "AKGEN": AKGEN, "PYTHONPATH": f"{ROOT / 'python'}:{ROOT / 'examples/training'}", "OMP_NUM_THREADS": "2",
           "HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false", "CUDA_VISIBLE_DEVICES": ""}
    argv = [python, ROOT / "examples/training/trl_grpo.py", "--model", ROOT / "models/kernelgen-lm-mini/sft2", "--tasks", TASKS, "--out", folder,
            "--steps", str(steps), "--temperature", "1.5", "--max-tokens", "256"]
    p = subprocess.run([str(a) for a in argv], env=env, capture_output=True, text=True)
    if p.returncode != 0:
        raise AssertionError(p.stderr[-3000:])
    return json.loads((pathlib.Path(folder) / "log.json").read_text())


def check(log, steps):
    """A loop that learns from judgements: every step has its mean, and within groups rewards differ."""
    assert len(log["steps"]) == steps, f"{len(log['steps'])} steps"
    varied = groups = 0
    for step in log["steps"]:
        rewards = [a["reward"] for a in step["answers"] if a["reward"] is not None]
        assert rewards and all(0 <= r <= 1.25 for r in rewards), rewards
        assert math.isclose(step["mean"], sum(rewards) / len(rewards), abs_tol=1e-4), step
        for task in {a["task"] for a in step["answers"]}:
            groups += 1
            varied += len({a["reward"] for a in step["answers"] if a["task"] == task}) > 1
    assert varied * 4 >= groups, f"rewards vary in {varied} of {groups} groups only"
    return varied, groups


class Constant(http.server.BaseHTTPRequestHandler):
    """A server that judges nothing."""
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        body = json.dumps({"id": "1", "verdict": "wrong_answer", "reason": "", "reward": 0.2, "sealed": True, "cached": False, "queued_ms": 0, "judged_ms": 0,
                           "retryable": False, "feedback": "", "record": None}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("X-Request-Id", self.headers.get("X-Request-Id", ""))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Loop(unittest.TestCase):
    def test_ten_steps_with_rewards_of_the_server(self):
        with running.Server(AKGEN, "-j", "2", "--seed", "7") as server, tempfile.TemporaryDirectory() as folder:
            log = loop(server.url, STEPS, folder)
            judged = sum(server.metric(f'akgen_judgements_total{{verdict="{v}"}}') for v in ("pass", "wrong_answer", "finding", "build_error", "refused", "no_code"))
        if len(sys.argv) > 3:
            pathlib.Path(sys.argv[3]).write_text(json.dumps(log, indent=1))
        varied, groups = check(log, STEPS)
        self.assertGreaterEqual(judged, STEPS * 8)
        print("mean rewards", [round(s["mean"], 3) for s in log["steps"]], f"; rewards vary in {varied} of {groups} groups")

    def test_a_server_that_answers_a_constant_fails_it(self):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Constant)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            with tempfile.TemporaryDirectory() as folder:
                log = loop(f"http://127.0.0.1:{server.server_port}", 2, folder)
            with self.assertRaisesRegex(AssertionError, "vary in 0"):
                check(log, 2)
        finally:
            server.shutdown()
            server.server_close()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

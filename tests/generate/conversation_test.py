#!/usr/bin/env python3
"""Conversations for models that do not know the language: the programs they show are right; an endpoint gets one request for all answers.

usage: conversation_test.py AKGEN SOURCE
"""
import http.server
import json
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest

AKGEN, SOURCE = sys.argv.pop(1), pathlib.Path(sys.argv.pop(1))
TASK = "FastGelu"


def akgen(*args):
    return subprocess.run([AKGEN, *map(str, args)], capture_output=True, text=True, timeout=300)


class Endpoint(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, answers):
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers, self.asked = answers, []
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(body)
        choices = [{"index": i, "message": {"role": "assistant", "content": self.server.answers[i % 2]}, "finish_reason": "stop"} for i in range(min(body["n"], 2))]
        said = json.dumps({"choices": choices, "usage": {"prompt_tokens": 9, "completion_tokens": 9}}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def log_message(self, *args):
        pass


class Conversation(unittest.TestCase):
    def test_the_programs_shown_are_right(self):
        pairs = sorted((SOURCE / "data/generate/pairs").iterdir())
        self.assertGreater(len(pairs), 4)
        for pair in pairs:
            with self.subTest(pair.name), tempfile.TemporaryDirectory() as folder:
                made = akgen("craft", "lower", pair / "program.py", "--out", folder)
                self.assertEqual(made.returncode, 0, made.stderr)
                judged = akgen("judge", folder, "--task", pair)
                self.assertEqual(judged.returncode, 0, judged.stdout + judged.stderr)
                self.assertIn(f"{pair.name}: pass", judged.stdout)

    def test_an_endpoint_is_scored(self):
        right = akgen("craft", "plan", "--task", TASK).stdout
        endpoint = Endpoint([right, "I cannot do that."])
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            done = subprocess.run(
                [sys.executable, SOURCE / "lab/reproduce", "--akgen", AKGEN, "--eval-only", "--model", f"http://127.0.0.1:{endpoint.server_port}/v1", "--model-name", "m",
                 "--tasks", TASK, "--samples", "3", "--baselines", "", "--out", folder / "out", "--json", folder / "result.json"], capture_output=True, text=True, timeout=600)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            row = json.loads((folder / "result.json").read_text())["rows"][0]
        # Two of three answers come with the first request; the third is asked for alone, and is the first answer again.
        self.assertEqual([b["n"] for b in endpoint.asked], [3, 1])
        self.assertAlmostEqual(row["pass"]["1"]["all"], 2 / 3, places=3)
        first = endpoint.asked[0]
        self.assertEqual((first["model"], first["seed"]), ("m", 1))
        self.assertEqual(endpoint.asked[1]["seed"], 3)
        self.assertEqual(first["grammar"], (SOURCE / "docs/craft/grammar.gbnf").read_text())
        self.assertEqual(first["structured_outputs"], {"grammar": first["grammar"]})
        self.assertEqual([m["role"] for m in first["messages"]], ["system", "user", "assistant", "user", "assistant", "user"])
        self.assertIn("def fast_gelu(x: tensor(", first["messages"][-1]["content"])
        self.assertEqual(first["messages"], endpoint.asked[1]["messages"])


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""`akgen generate` against an endpoint that misbehaves, killed twice, and with files of answers.

loop_test.py AKGEN REPO
"""
import collections
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from fresh_cache import fresh_cache  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from endpoint import FAILING, WAYS, Endpoint, project_text  # noqa: E402

AKGEN, REPO = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
KEY = "sk-a-key-that-stands-in-no-record"
RIGHT = project_text(REPO / "examples/kernels/sqrt_via_float")


class Generate(unittest.TestCase):
    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="akgen_generate_"))
        self.addCleanup(shutil.rmtree, self.dir, True)
        self.out = self.dir / "out"
        self.env = {**os.environ, "AKGEN_CACHE": fresh_cache(self.dir / "cache"), "AKGEN_API_KEY": KEY}
        for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY", "all_proxy"):
            self.env.pop(name, None)
        self.endpoint = Endpoint(RIGHT)
        self.addCleanup(self.endpoint.server_close)
        self.addCleanup(self.endpoint.shutdown)
        self.addCleanup(self.endpoint.gone.set)

    def command(self, *more, model=None, out=None, seed=0):
        return [str(AKGEN), "generate", "Sqrt", "--model", model or self.endpoint.url, "--out", str(out or self.out), "--cases", "1", "--seed", str(seed),
                "--backoff", "0.05", *map(str, more)]

    def generate(self, *more, code=0, **kw):
        done = subprocess.run(self.command(*more, **kw), env=self.env, capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def lines(self, kind, out=None):
        path = (out or self.out) / "journal.jsonl"
        whole = path.read_text().split("\n")[:-1] if path.exists() else []
        return [j for j in map(json.loads, whole) if j["kind"] == kind]

    def kill_after(self, turns, command):
        process = subprocess.Popen(command, env=self.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.monotonic() + 240
        while len(self.lines("turn")) < turns and process.poll() is None and time.monotonic() < end:
            time.sleep(0.05)
        self.assertIsNone(process.poll(), "it ended before it was killed")
        process.send_signal(signal.SIGKILL)
        process.wait()

    def script(self, *lines):
        path = self.dir / "script.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return f"script:{path}"

    def content(self, out=None):
        """What a journal says, without times, tries and the order in which samples took turns."""
        kept = ("kind", "task", "sample", "turn", "turns", "best_turn", "prompt", "hash", "messages", "seed", "answer", "reasoning", "finish", "files", "verdict", "reason", "feedback",
                "cases", "codes", "project", "config", "prompt_tokens", "completion_tokens")
        lines = [{k: j[k] for k in kept if k in j and not (k == "answer" and j["finish"] == "too_long")} for kind in ("run", "prompt", "turn", "sample") for j in self.lines(kind, out)]
        return sorted(json.dumps(j, sort_keys=True) for j in lines)

    def test_an_endpoint_that_misbehaves_in_twelve_ways_and_two_kills(self):
        more = ("-n", WAYS, "--repair", 1, "--concurrency", 3, "--idle-timeout", 4, "--request-timeout", 60)
        command = self.command(*more)
        self.kill_after(3, command)
        self.kill_after(8, command)
        with open(self.out / "journal.jsonl", "a") as f:
            f.write('{"kind": "turn", "task": "Sq')          # as a crash leaves it
        done = subprocess.run(command, env=self.env, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        turns = collections.Counter((t["sample"], t["turn"]) for t in self.lines("turn"))
        expected = [(k, 0) for k in range(WAYS)] + [(k, 1) for k in range(FAILING, WAYS)]
        self.assertEqual(turns, collections.Counter(expected))
        verdict = {(t["sample"], t["turn"]): t["verdict"] for t in self.lines("turn")}
        self.assertEqual([verdict[k, 0] for k in range(WAYS)], ["pass"] * FAILING + ["no_code", "too_long", "no_code", "rejected", "no_code"])
        self.assertEqual([verdict[k, 1] for k in range(FAILING, WAYS)], ["pass"] * (WAYS - FAILING))
        self.assertEqual(sorted((s["sample"], s["verdict"]) for s in self.lines("sample")), [(k, "pass") for k in range(WAYS)])
        self.assertEqual(len(self.lines("prompt")), 1)
        self.assertEqual(self.lines("trouble"), [])
        for k in range(WAYS):
            self.assertTrue((self.out / f"Sqrt/sample{k}/op_kernel").is_dir(), k)
        self.assertTrue(all("float" in t["reasoning"] for t in self.lines("turn") if t["verdict"] == "pass"))
        self.assertGreaterEqual(min(self.endpoint.waits), 0.95)  # Retry-After
        # Again: nothing is left to do, and nothing is asked.
        asked = len(self.endpoint.asked)
        self.assertIn(f"{WAYS} of {WAYS} samples", subprocess.run(command, env=self.env, capture_output=True, text=True).stdout)
        self.assertEqual(len(self.endpoint.asked), asked)
        for path in self.dir.rglob("*"):
            if path.is_file():
                self.assertNotIn(KEY.encode(), path.read_bytes(), path)
        # Nobody kills this one; the endpoint, asked again, misbehaves as before.
        calm = self.dir / "calm"
        self.endpoint.asked.clear()
        self.generate(*more, "--no-cache", out=calm)
        self.assertEqual(self.content(), self.content(calm))

    def test_an_interrupt_is_no_verdict(self):
        """Ctrl-C goes to all processes of the terminal's group: what was being judged is judged to its end, or not at all."""
        model, samples = self.script({"text": RIGHT}), 8
        for turns in (0, 1, 3):
            child = subprocess.Popen(self.command("-n", samples, "--concurrency", 2, "-j", 2, model=model), env=self.env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                     text=True, start_new_session=True)
            while len(self.lines("turn")) < turns and child.poll() is None:
                time.sleep(0.02)
            time.sleep(0.3)
            if child.poll() is None:
                os.killpg(child.pid, signal.SIGINT)
            said, _ = child.communicate(timeout=120)
            self.assertNotRegex(said, "AK001|infra_error")
            self.assertLessEqual({t["verdict"] for t in self.lines("turn")}, {"pass"})
        self.generate("-n", samples, model=model)
        self.assertEqual([t["verdict"] for t in self.lines("turn")], ["pass"] * samples)

    def test_endpoints_that_refuse(self):
        self.endpoint.status = 401
        said = self.generate("--retries", 2, code=3)
        self.assertIn("AK0702", said)
        self.assertNotIn(KEY, said)
        self.assertEqual(len(self.endpoint.asked), 1)            # a refusal is final
        self.assertNotIn(KEY, (self.out / "transcript.jsonl").read_text() + json.dumps(self.lines("trouble")))
        self.endpoint.status = None
        # Seeds 4 and 5: no JSON, no choices.
        said = self.generate("--retries", 0, "-n", 2, seed=4, code=3, out=self.dir / "b")
        self.assertIn("AK0703", said)
        self.assertIn("2 samples are left", said)
        self.assertEqual([t["code"] for t in self.lines("trouble", self.dir / "b")], ["AK0703"] * 2)
        self.generate("--retries", 0, "-n", 2, seed=4, out=self.dir / "b")
        self.generate("--no-stream", seed=20, out=self.dir / "c")  # an endpoint that streams all the same

    def test_a_budget_ends_the_run_and_a_larger_one_resumes_it(self):
        more = ("-n", 3, "--concurrency", 1)
        said = self.generate(*more, "--max-total-tokens", 1500, code=3, seed=20)
        self.assertIn("AK0704", said)
        self.assertEqual(len(self.lines("sample")), 2)
        self.generate(*more, "--max-total-tokens", 1500, code=3, seed=20)
        self.assertEqual(len(self.endpoint.asked), 2)
        self.generate(*more, "--max-total-tokens", 100000, seed=20)
        self.assertEqual(len(self.lines("sample")), 3)
        self.assertIn("AK0706", self.generate(*more, "--temperature", 0.1, code=2, seed=20))

    def test_both_generators_with_one_script(self):
        program = (REPO / "examples/craft/fast_gelu.py").read_text().replace("fast_gelu", "sqrt").replace("x_ub * sigmoid(1.702 * x_ub)", "sqrt(x_ub)")
        program = program.replace("tensor(f16, f32)", "tensor(f16, bf16, f32)").replace("sqrt_kernel", "root_kernel")
        model = self.script({"when": {"generator": "craft", "turn": 0}, "text": f"```python\n{program.replace('sqrt(x_ub)', 'root(x_ub)')}```"},
                            {"when": {"generator": "craft"}, "text": f"```python\n{program}```"},
                            {"when": {"generator": "direct"}, "text": RIGHT})
        summary = self.dir / "s.json"
        config = self.dir / "c.toml"
        config.write_text('[loop]\nrepair = 1\nsamples = 1\n[out]\njson = "%s"\n' % summary)
        self.generate("--generator", "craft", "--config", config, model=model)
        j = json.loads(summary.read_text())
        self.assertEqual((j["tasks_passed"], j["turns"], j["verdicts_of_turns"]), (1, 2, {"pass": 1, "refused": 1}))
        self.assertEqual(j["best"]["Sqrt"]["turn"], 1)
        self.assertTrue((self.out / "Sqrt/sample0/program.py").is_file())
        self.assertIn("AK15", self.lines("turn")[0]["feedback"])
        self.generate("--config", config, model=model, out=self.dir / "direct")
        self.assertEqual(json.loads(summary.read_text())["verdicts_of_turns"], {"pass": 1})
        config.write_text("repairs = 1\n")
        self.assertIn("AK0708", self.generate("--config", config, model=model, code=2))

    def test_wrong_answers_come_back_with_what_is_wrong(self):
        wrong = RIGHT.replace('#include "kernel_operator.h"', '#include "kernel_operator.h"\nint broken = ;')
        model = self.script({"when": {"turn": 0}, "text": wrong}, {"text": RIGHT})
        self.generate(model=model, code=1, out=self.dir / "a")
        self.generate("--repair", 3, model=model)
        first, second = self.lines("turn")
        self.assertEqual((first["verdict"], second["verdict"]), ("build_error", "pass"))
        self.assertRegex(first["feedback"], r"op_kernel/\S+\.cpp:\d+")
        self.assertIn(first["feedback"].split("\n")[0], (self.out / "transcript.jsonl").read_text())
        data = self.dir / "data"
        said = subprocess.run([str(AKGEN), "corpus", "pairs", str(self.out / "journal.jsonl"), "--out", str(data)], env=self.env, capture_output=True, text=True)
        self.assertIn("2 tries, 1 answers that pass, 1 repairs, 1 pairs", said.stdout, said.stderr)
        pair, = map(json.loads, (data / "trl/preference.jsonl").read_text().splitlines())
        self.assertIn("int broken", pair["rejected"][0]["content"])
        self.assertNotIn("int broken", pair["chosen"][0]["content"])
        self.generate("--generator", "plan", out=self.dir / "plan")
        self.assertEqual(self.lines("turn", self.dir / "plan")[0]["verdict"], "pass")


    def test_what_passes_becomes_faster_and_only_right_and_faster_ones_are_kept(self):
        slow = RIGHT.replace("platform.GetCoreNumAiv()", "1")
        self.assertNotEqual(slow, RIGHT)
        broken = RIGHT.replace('#include "kernel_operator.h"', '#include "kernel_operator.h"\nint broken = ;')
        model = self.script({"when": {"turn": 0}, "text": slow}, {"when": {"turn": 1}, "text": broken}, {"when": {"turn": 2}, "text": RIGHT}, {"text": slow})
        self.generate("--improve", 3, "--profile", "sim", model=model)
        turns = self.lines("turn")
        self.assertEqual([t["verdict"] for t in turns], ["pass", "build_error", "pass", "pass"])
        self.assertIn("modelled time", turns[0]["advice"])
        self.assertLess(turns[2]["modelled_us"] * 2, turns[0]["modelled_us"])
        sample, = self.lines("sample")
        self.assertEqual((sample["best_turn"], sample["modelled_us"]), (2, turns[2]["modelled_us"]))
        asked = [json.loads(line) for line in (self.out / "transcript.jsonl").read_text().splitlines()]
        self.assertEqual(asked[2]["messages"][2]["content"], asked[1]["messages"][2]["content"])   # the slow one, not the broken one
        self.assertNotEqual(asked[3]["messages"][2]["content"], asked[1]["messages"][2]["content"])
        data = self.dir / "data"
        subprocess.run([str(AKGEN), "corpus", "pairs", str(self.out / "journal.jsonl"), "--out", str(data)], env=self.env, check=True, stdout=subprocess.DEVNULL)
        kinds = [json.loads(line)["kind"] for line in (data / "pairs.jsonl").read_text().splitlines()]
        self.assertEqual(sorted(kinds), ["faster", "pass>build_error", "pass>build_error"])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])

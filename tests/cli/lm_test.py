#!/usr/bin/env python3
"""akgen lm as its users meet it: a tokenizer, a short training, an answer under a grammar, errors.

usage: lm_test.py AKGEN
"""
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest

AKGEN = sys.argv.pop(1)


def akgen(*args, program=AKGEN, stdin=""):
    return subprocess.run([program, *map(str, args)], input=stdin, capture_output=True, text=True, timeout=300)


class Lm(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        rows = [{"prompt": f"add {i % 10}", "completion": f"y = x + {i % 10}\n"} for i in range(60)]
        (cls.folder / "d.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))
        (cls.folder / "s.toml").write_text(
            f'data = "{cls.folder}/d.jsonl"\ntokenizer = "{cls.folder}/tok"\nsteps = 20\nlr = 5e-3\nwarmup = 2\ntokens_per_step = 300\n'
            "[model]\nhidden = 32\nlayers = 1\nheads = 2\nkv_heads = 1\nhead_dim = 16\nmlp = 48\ncontext = 64\n")
        cls.made = akgen("lm", "tokenize", cls.folder / "d.jsonl", "--vocab", 290, "--out", cls.folder / "tok")
        cls.trained = akgen("lm", "train", "--config", cls.folder / "s.toml", "--out", cls.folder / "run")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def test_training_writes_what_it_promises(self):
        self.assertEqual(self.made.returncode, 0, self.made.stderr)
        self.assertEqual(self.trained.returncode, 0, self.trained.stderr)
        lines = [json.loads(x) for x in (self.folder / "run/metrics.jsonl").read_text().splitlines()]
        self.assertEqual([x["step"] for x in lines], list(range(1, 21)))
        self.assertLess(lines[-1]["loss"], lines[0]["loss"])
        for name in ("config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"):
            self.assertTrue((self.folder / "run/model" / name).exists(), name)

    def test_half_the_bytes_say_the_same(self):
        small = self.folder / "small"
        done = akgen("lm", "convert", self.folder / "run/model", "--dtype", "bf16", "--out", small)
        self.assertEqual(done.returncode, 0, done.stderr)
        size = lambda folder: (folder / "model.safetensors").stat().st_size
        self.assertLess(size(small), 0.6 * size(self.folder / "run/model"))
        said = [akgen("lm", "chat", model, "add 3", "--temperature", 0, "--max-tokens", 8).stdout for model in (self.folder / "run/model", small)]
        self.assertTrue(said[0].strip())
        self.assertEqual(said[0], said[1])
        self.assertEqual(akgen("lm", "convert", self.folder / "run/model", "--dtype", "int3", "--out", small).returncode, 2)

    def test_goes_on_after_kill_with_the_same_losses(self):
        settings = (self.folder / "s.toml").read_text().replace("steps = 20", "steps = 120\nsave_every = 7")
        (self.folder / "k.toml").write_text(settings)
        losses = lambda run: [json.loads(x)["loss"] for x in (self.folder / run / "metrics.jsonl").read_text().splitlines()]
        command = lambda run, *more: ["lm", "train", "--config", self.folder / "k.toml", "--out", self.folder / run, *more]
        self.assertEqual(akgen(*command("whole")).returncode, 0)
        child = subprocess.Popen([AKGEN, *map(str, command("cut"))], stderr=subprocess.DEVNULL)
        metrics = self.folder / "cut/metrics.jsonl"
        while not (metrics.exists() and metrics.read_text().count("\n") >= 10):
            self.assertIsNone(child.poll())
            time.sleep(0.001)
        child.kill()
        child.wait()
        self.assertLess(len(losses("cut")), 120, "the run was over before it was killed")
        self.assertEqual(akgen(*command("cut", "--resume")).returncode, 0)
        self.assertEqual(losses("cut"), losses("whole"))
        state = lambda run: (self.folder / run / "state.safetensors").read_bytes()
        self.assertEqual(state("cut"), state("whole"))

    def test_an_adapter_goes_on_wherever_it_was_killed(self):
        (self.folder / "a.toml").write_text(
            f'data = "{self.folder}/d.jsonl"\ninit = "{self.folder}/run/model"\nlora_rank = 2\nlora_layers = 1\nlora_keep_states = true\n'
            "lora_output_tokens = 280\nsteps = 40\nsave_every = 1\ntokens_per_step = 300\nlr = 5e-3\n")
        command = lambda run, *more: list(map(str, [AKGEN, "lm", "train", "--config", self.folder / "a.toml", "--out", self.folder / run, *more]))
        losses = lambda run: [json.loads(x)["loss"] for x in (self.folder / run / "metrics.jsonl").read_text().split("\n")[:-1]]
        self.assertEqual(subprocess.run(command("whole_adapter"), stderr=subprocess.DEVNULL, timeout=300).returncode, 0)
        metrics = self.folder / "cut_adapter/metrics.jsonl"
        for lines in (1, 2, 13, 30):   # states are written in the first epoch, and read later
            child = subprocess.Popen(command("cut_adapter", "--resume"), stderr=subprocess.DEVNULL)
            while not (metrics.exists() and metrics.read_text().count("\n") >= lines):
                self.assertIsNone(child.poll())
                time.sleep(0.001)
            child.kill()
            child.wait()
            self.assertLess(len(losses("cut_adapter")), 40, "the run was over before it was killed")
        self.assertEqual(subprocess.run(command("cut_adapter", "--resume"), stderr=subprocess.DEVNULL, timeout=300).returncode, 0)
        self.assertEqual(losses("cut_adapter"), losses("whole_adapter"))
        for name in ("state.safetensors", "adapter/adapter_model.safetensors", "model/model.safetensors"):
            self.assertEqual((self.folder / "cut_adapter" / name).read_bytes(), (self.folder / "whole_adapter" / name).read_bytes(), name)

    def test_two_processes_are_two_workers(self):
        settings = (self.folder / "s.toml").read_text().replace("[model]", f'peak_tflops = 0.5\nvalidation = "{self.folder}/d.jsonl"\nvalidate_every = 10\n[model]')
        (self.folder / "together.toml").write_text("workers = 2\n" + settings)
        (self.folder / "apart.toml").write_text("workers = 1\n" + settings)
        command = lambda config, run: [AKGEN, "lm", "train", "--config", str(self.folder / config), "--out", str(self.folder / run)]
        alone = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        done = subprocess.run(command("together.toml", "together"), env=alone, capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            port = s.getsockname()[1]
        rank = lambda n: {**alone, "RANK": str(n), "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "GLOO_SOCKET_IFNAME": "lo"}
        both = [subprocess.Popen(command("apart.toml", "apart"), env=rank(n), stderr=subprocess.PIPE, text=True) for n in (0, 1)]
        said = [p.communicate(timeout=300)[1] for p in both]
        if any("was built without Gloo" in text for text in said):
            self.skipTest("akgen-lm was built without Gloo")
        self.assertEqual([p.returncode for p in both], [0, 0], said)
        self.assertEqual(said[1], "")
        losses = lambda run: [{k: json.loads(x).get(k) for k in ("loss", "grad_norm", "tokens", "validation_loss")} for x in (self.folder / run / "metrics.jsonl").read_text().splitlines()]
        self.assertEqual(losses("apart"), losses("together"))
        line = json.loads((self.folder / "apart/metrics.jsonl").read_text().splitlines()[0])
        vocab = json.loads((self.folder / "apart/model/config.json").read_text())["vocab_size"]
        weights, length = 32 * (32 + 2 * 16 + 32) + 3 * 32 * 48 + vocab * 32, line["tokens"] / line["sequences"]
        self.assertAlmostEqual(line["mfu"], line["tokens_per_s"] * (6 * weights + 6 * 32 * length) / 0.5e12, places=9)
        weights = lambda run: (self.folder / run / "model/model.safetensors").read_bytes()
        self.assertEqual(weights("apart"), weights("together"))

    def test_a_lost_process_ends_the_others(self):
        (self.folder / "l.toml").write_text("workers = 1\n" + (self.folder / "s.toml").read_text().replace("steps = 20", "steps = 100000\nsave_every = 50"))
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            port = s.getsockname()[1]
        env = lambda n: {**os.environ, "RANK": str(n), "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "GLOO_SOCKET_IFNAME": "lo"}
        both = [subprocess.Popen([AKGEN, "lm", "train", "--config", str(self.folder / "l.toml"), "--out", str(self.folder / "l")], env=env(n), stderr=subprocess.PIPE, text=True) for n in (0, 1)]
        metrics, began = self.folder / "l/metrics.jsonl", time.time()
        while both[0].poll() is None and time.time() < began + 120 and not (metrics.exists() and metrics.read_text().count("\n") >= 60):
            time.sleep(0.02)
        both[1].kill()
        said = [p.communicate(timeout=120)[1] for p in both]
        if any("was built without Gloo" in text for text in said):
            self.skipTest("akgen-lm was built without Gloo")
        self.assertEqual(both[0].returncode, 2, said[0][-500:])
        self.assertIn("AK1927", said[0])
        self.assertTrue((self.folder / "l/state.safetensors").exists())   # to go on from

    def test_processes_that_cannot_meet(self):
        def train(**more):
            env = {**os.environ, "RANK": "0", "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29500", **more}
            return subprocess.run([AKGEN, "lm", "train", "--config", str(self.folder / "s.toml"), "--out", str(self.folder / "lost")], env=env, capture_output=True, text=True, timeout=60)
        for wrong in ({"RANK": "2"}, {"RANK": "one"}, {"WORLD_SIZE": "0"}, {"MASTER_PORT": "0"}, {"MASTER_ADDR": ""}):
            p = train(**wrong)
            self.assertEqual(p.returncode, 2, wrong)
            self.assertIn("AK1927", p.stderr)
            self.assertFalse((self.folder / "lost").exists())

    def test_chat_answers(self):
        (self.folder / "g.gbnf").write_text('root ::= "y = x + " [0-9] "\\n"\n')
        p = akgen("lm", "chat", self.folder / "run/model", "add 3", "-n", 3, "--grammar", self.folder / "g.gbnf")
        self.assertEqual(p.returncode, 0, p.stderr)
        self.assertEqual(len([x for x in p.stdout.splitlines() if x.startswith("y = x + ")]), 3, p.stdout)

    def test_generation_asks_it(self):
        (self.folder / "long.toml").write_text((self.folder / "s.toml").read_text().replace("context = 64", "context = 1024").replace("steps = 20", "steps = 1"))
        self.assertEqual(akgen("lm", "train", "--config", self.folder / "long.toml", "--out", self.folder / "long").returncode, 0)
        answers = []
        for at_once in (3, 1):
            out = self.folder / f"made{at_once}"
            p = akgen("generate", "Sqrt", "--generator", "craft", "--prompt", "operations", "--model", self.folder / "long/model", "-n", 3, "--concurrency", at_once,
                      "--max-tokens", 20, "--temperature", 1, "--out", out)
            self.assertEqual(p.returncode, 1, p.stderr)
            turns = [json.loads(x) for x in (out / "journal.jsonl").read_text().splitlines() if '"kind":"turn"' in x]
            self.assertEqual({t["verdict"] for t in turns}, {"no_code"})
            answers.append({t["sample"]: t["answer"] for t in turns})
        self.assertEqual(answers[0], answers[1])
        self.assertEqual(len(set(answers[0].values())), 3)

    def test_serving_is_a_line_a_request(self):
        request = json.dumps({"prompt": "y", "max_tokens": 2, "temperature": 0})
        p = akgen("lm", "serve", self.folder / "run/model", stdin=f"{request}\nnot json\n{request}\n")
        answers = [json.loads(x) for x in p.stdout.splitlines()]
        self.assertEqual(len(answers), 3, p.stderr)
        self.assertEqual(answers[0]["choices"], answers[2]["choices"])
        self.assertEqual(answers[1]["error"]["code"], "AK1932")

    def test_wrong_settings(self):
        (self.folder / "w.toml").write_text("speed = 3\n")
        p = akgen("lm", "train", "--config", self.folder / "w.toml", "--out", self.folder / "w")
        self.assertEqual(p.returncode, 2)
        self.assertIn("AK1921", p.stderr)

    def test_without_the_process(self):
        alone = self.folder / "alone"
        alone.mkdir()
        shutil.copy(AKGEN, alone / "akgen")
        p = akgen("lm", "serve", self.folder, program=str(alone / "akgen"))
        self.assertEqual(p.returncode, 3)
        self.assertIn("AK1940", p.stderr)


if __name__ == "__main__":
    unittest.main()

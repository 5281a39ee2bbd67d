#!/usr/bin/env python3
"""Answers cannot be memorised: seeds of runs, what feedback shows, hidden cases of a pass.

seeds_test.py AKGEN REPO
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from fresh_cache import fresh_cache  # noqa: E402

AKGEN, REPO = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
HONEST = REPO / "tests/exploits/honest"


def answer(kernel):
    """The honest host side with this kernel, as a model writes it."""
    files = {"op_host/gauge.cpp": (HONEST / "op_host/gauge.cpp").read_text(), "op_kernel/gauge.cpp": kernel}
    return "\n".join(f"`{path}`\n```cpp\n{text}```\n" for path, text in files.items())


RIGHT = (HONEST / "op_kernel/gauge.cpp").read_text()
WRONG = RIGHT.replace("Abs(y, x, cols_);", "Adds(y, x, 0.0f, cols_);")
# Right where a row has 64 columns, as in the one case that its author knows.
ONE_SHAPE = RIGHT.replace("Abs(y, x, cols_);", "Abs(y, x, 64);").replace("Mul(y, y, params, cols_);", "Mul(y, y, params, 64);").replace(
    "Add(y, y, params[half_], cols_);", "Add(y, y, params[half_], 64);")


class Seeds(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cache = fresh_cache(tempfile.mkdtemp(prefix="akgen_seeds_cache_"))
        cls.addClassCleanup(shutil.rmtree, cache, True)
        cls.env = {**os.environ, "AKGEN_CACHE": cache}

    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="akgen_seeds_"))
        self.addCleanup(shutil.rmtree, self.dir, True)
        self.task = self.dir / "tasks/level1/Exploits/Gauge"
        shutil.copytree(REPO / "tests/exploits/task", self.task)
        (self.task / "cases.json").write_text('[{"id": "0", "rows": 8, "cols": 64}]')
        self.out = self.dir / "out"

    def akgen(self, *args, code=0):
        done = subprocess.run([str(AKGEN), *map(str, args)], env=self.env, capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def project(self, kernel, name="candidate"):
        folder = self.dir / name
        shutil.copytree(HONEST, folder)
        (folder / "op_kernel/gauge.cpp").write_text(kernel)
        return folder

    def judge(self, project, *more, code=1):
        record = self.dir / "record.json"
        self.akgen("judge", project, "--task", self.task, "--json", record, *more, code=code)
        return json.loads(record.read_text())

    def generate(self, *texts, code=0, more=()):
        script = self.dir / "script.jsonl"
        script.write_text("".join(json.dumps({"when": {"turn": i}, "text": t}) + "\n" for i, t in enumerate(texts)))
        self.akgen("generate", self.task, "--model", f"script:{script}", "--out", self.out, "--repair", len(texts) - 1, *more, code=code)
        return [json.loads(line) for line in (self.out / "journal.jsonl").read_text().splitlines()]

    def test_judge_draws_a_seed_and_repeats_one(self):
        wrong = self.project(WRONG)
        first, second = self.judge(wrong), self.judge(wrong)
        self.assertNotEqual(first["seed"], second["seed"])
        shown = [r["cases"][0]["outputs"][0]["first"] for r in (first, second)]
        self.assertNotEqual(*shown)
        again = self.judge(wrong, "--seed", first["seed"])
        self.assertEqual((again["seed"], again["cases"][0]["outputs"][0]["first"]), (first["seed"], shown[0]))
        self.assertIn(f"--seed {first['seed']}", self.akgen("judge", wrong, "--task", self.task, "--seed", first["seed"], code=1))

    def test_feedback_shows_no_value_that_the_next_try_is_compared_with(self):
        lines = self.generate(answer(WRONG), answer(RIGHT))
        first, second = [j for j in lines if j["kind"] == "turn"]
        self.assertEqual((first["verdict"], second["verdict"]), ("wrong_answer", "pass"), (first["reason"], second["reason"]))
        told = [float(v) for v in re.findall(r"expected (\S+?)[;\n]", first["feedback"])]
        self.assertTrue(told, first["feedback"])
        seed = lines[0]["config"].get("inputs_seed", 1)
        compared = self.judge(self.project(WRONG), "--seed", seed)["cases"][0]["outputs"][0]["first"]
        self.assertFalse(set(told) & {m["ref"] for m in compared}, first["feedback"])
        self.assertNotIn(str(seed), first["feedback"])

    def test_a_run_has_one_seed_and_keeps_it(self):
        config = self.generate(answer(WRONG), code=1)[0]["config"]
        script = self.dir / "script.jsonl"
        command = ("generate", self.task, "--model", f"script:{script}", "--out", self.out, "--repair", 0)
        script.write_text(json.dumps({"text": answer(RIGHT)}) + "\n")
        self.akgen(*command, "-n", 2)
        lines = [json.loads(line) for line in (self.out / "journal.jsonl").read_text().splitlines()]
        self.assertEqual([j["config"] for j in lines if j["kind"] == "run"], [config])
        self.assertIn("AK0706", self.akgen(*command, "-n", 2, "--seed", 5, code=2))
        shutil.rmtree(self.out)
        self.assertNotEqual(self.generate(answer(WRONG), code=1)[0]["config"]["inputs_seed"], config["inputs_seed"])
        shutil.rmtree(self.out)
        self.assertEqual(self.generate(answer(RIGHT), more=("--seed", 5))[0]["config"]["inputs_seed"], 5)

    def test_a_pass_of_generate_has_passed_hidden_cases(self):
        # With this seed some hidden case is wide: a row of 57 to 64 columns is right by chance, and all four may have one.
        lines = self.generate(answer(ONE_SHAPE), answer(RIGHT), more=("--inputs", "upstream", "--seed", 5))
        first, second = [j for j in lines if j["kind"] == "turn"]
        self.assertEqual([c["verdict"] for c in first["cases"]], ["pass"], first["reason"])
        self.assertNotEqual(first["verdict"], "pass")
        self.assertIn("hidden cases: ", first["reason"])
        self.assertIn("not shown", first["feedback"])
        self.assertNotIn("expected", first["feedback"])
        self.assertEqual(second["verdict"], "pass", second["reason"])
        shutil.rmtree(self.out)
        self.assertEqual([j["verdict"] for j in self.generate(answer(ONE_SHAPE), more=("--hidden", 0, "--inputs", "upstream")) if j["kind"] == "turn"], ["pass"])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])

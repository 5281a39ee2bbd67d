#!/usr/bin/env python3
"""lab/reproduce with models of a few weights: all stages, what stands beside them, and the table.

usage: reproduce_test.py AKGEN SOURCE
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

AKGEN, SOURCE = sys.argv.pop(1), pathlib.Path(sys.argv.pop(1))
sys.dont_write_bytecode = True
sys.path.insert(0, str(SOURCE / "lab"))
from reproduction import retrieval, table, texts  # noqa: E402

RECIPE = """
[data]
records = 3
seed = 11
task_copies = 2
vocab = 320
[data2]
records = 3
seed = 14
[model]
hidden = 16
layers = 1
heads = 2
kv_heads = 1
head_dim = 8
mlp = 16
context = 4096
[base]
steps = 2
tokens_per_step = 4000
[sft]
steps = 1
tokens_per_step = 4000
[sft2]
steps = 1
tokens_per_step = 4000
[preference]
compositions = 2
seed = 12
samples = 2
temperature = 1
max_tokens = 12
per_prompt = 1
[dpo]
steps = 1
lr = 1e-4
tokens_per_step = 4000
[reinforcement]
compositions = 1
seed = 13
[grpo]
steps = 1
prompts_per_step = 1
group = 2
max_tokens = 12
temperature = 1.0
[evaluation]
samples = 2
temperature = 1
max_tokens = 12
resample = 1
hidden = 1
"""


def chat(operations, program):
    return json.dumps({"messages": [{"role": "user", "content": operations}, {"role": "assistant", "content": program}]}) + "\n"


class Parts(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def test_retrieval_goes_by_operations_not_by_names(self):
        file = self.folder / "r.jsonl"
        file.write_text(chat("x0: f32 [A]\nv0 = exp(x0)\nreturn v0: f32\n", "exp") + chat("x0: f32 [A]\nv0 = x0 * 2\nv1 = tanh(v0)\nreturn v1: f32\n", "tanh")
                        + chat("x0: f32 [A]\nv0 = x0 * 2\nv1 = tanh(v0)\nreturn v1: f32\n", "tanh") + chat("i\n", "other"))
        records = retrieval.Records([file])
        self.assertEqual(records.nearest("x0: f32 [A]\nv3 = x0 * 0.75\nv9 = tanh(v3)\nreturn v9: f32\n", 5), ["tanh", "exp", "other"])
        self.assertEqual(records.nearest("x0: f32 [A]\nv0 = exp(x0)\nreturn v0: f32\n", 1), ["exp"])
        lines = [json.loads(x) for x in retrieval.script(records, {"T": "i\n"}, 2).splitlines()]
        self.assertEqual([(x["when"], x["text"]) for x in lines], [({"task": "T", "sample": 0}, "other"), ({"task": "T", "sample": 1}, "exp")])

    def test_the_table_counts_every_task(self):
        unit = lambda name, level, built, right, candidates=10: {"name": name, "level": level, "category": "c", "candidates": candidates, "built": built, "right": right}
        row = table.row("SFT", "m", {"n": 10, "taxonomy": {}, "units": [unit("A", 1, 10, 5), unit("B", 2, 2, 1), unit("C", 2, 0, 0, 0)]})
        self.assertAlmostEqual(row["pass"]["1"]["1"], 0.5)
        self.assertAlmostEqual(row["pass"]["1"]["2"], 0.05)
        self.assertAlmostEqual(row["pass"]["1"]["all"], 0.2)
        self.assertAlmostEqual(row["pass"]["10"]["all"], 2 / 3)
        self.assertAlmostEqual(row["compile"]["1"]["2"], 0.1)
        self.assertEqual((row["without_answer"], row["tasks"]), (["C"], {"1": 1, "2": 2, "all": 3}))
        self.assertAlmostEqual(table.at_k(4, 2, 2), 1 - 1 / 6)
        once = table.row("planner", "rules", {"n": 1, "taxonomy": {}, "units": [unit("A", 1, 1, 1, 1), unit("B", 2, 1, 0, 1)]}, deterministic=True)
        self.assertEqual((once["pass"]["1"]["all"], once["pass"]["10"]["all"]), (0.5, 0.5))
        few = table.row("SFT", "m", {"n": 2, "taxonomy": {}, "units": [unit("A", 1, 1, 1)]})
        text = table.markdown([row, few])
        self.assertIn("| SFT | 10 | 100.0 | 10.0 | 40.0 | 100.0 | 50.0 | 66.7 | 50.0 | 5.0 | 20.0 | 100.0 | 50.0 | 66.7 |", text)
        self.assertIn("| SFT | 2 | 50.0 | – | 50.0 | – | – | – | 50.0 | – | 50.0 | – | – | – |", text)

    def test_base_reads_operations_and_program(self):
        (self.folder / "a.jsonl").write_text(chat("v0 = 1\n", "@kernel\n"))
        texts.base_texts([(self.folder / "a.jsonl", 2)], self.folder / "d/base.jsonl")
        self.assertEqual([json.loads(x) for x in (self.folder / "d/base.jsonl").read_text().splitlines()], 2 * [{"text": "v0 = 1\n\n@kernel\n"}])


class Whole(unittest.TestCase):
    def reproduce(self, *args, good=True):
        done = subprocess.run([sys.executable, SOURCE / "lab/reproduce", "--akgen", AKGEN, *map(str, args)], capture_output=True, text=True, timeout=800)
        self.assertEqual(done.returncode == 0, good, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def test_stages_baselines_and_table(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "recipe.toml").write_text(RECIPE)
            out, result = folder / "out", folder / "result.json"
            # Records of one task in place of all: the others would take minutes.
            names = [line.split()[2] for line in subprocess.run([AKGEN, "tasks"], check=True, capture_output=True, text=True).stdout.splitlines() if line.strip()]
            (folder / "all.json").write_text(json.dumps({"tasks": {"some": [n for n in names if n != "Eye"]}}))
            subprocess.run([AKGEN, "corpus", "tasks", "--heldout", folder / "all.json", "--out", out / "seen"], check=True, capture_output=True)
            more = ["--stages", "base,sft,sft2,dpo,grpo", "--recipe", folder / "recipe.toml", "--out", out, "--tasks", "FastGelu,ForeachNeg", "--json", result, "--markdown", folder / "table.md"]
            self.reproduce(*more)
            made = json.loads(result.read_text())
            rows = {r["name"]: r for r in made["rows"]}
            self.assertEqual(list(rows), ["base", "SFT", "SFT, more records", "SFT + DPO", "GRPO on top", "GRPO on top, up to 1 resamplings", "retrieval alone", "planner"])
            self.assertEqual((rows["planner"]["pass"]["1"]["all"], rows["planner"]["compile"]["10"]["all"]), (1, 1))
            for name in ("base", "SFT", "SFT, more records", "SFT + DPO", "GRPO on top", "GRPO on top, up to 1 resamplings"):
                self.assertEqual((rows[name]["pass"]["1"]["all"], rows[name]["taxonomy"]), (0, {"missing": 4}), name)
            # Whole programs, though of other operators: they are judged, not missing.
            self.assertNotIn("missing", rows["retrieval alone"]["taxonomy"], rows["retrieval alone"])
            self.assertEqual(made["sft_on_fresh_compositions"]["answers"], 4)
            self.assertIn("| planner | 1 |", (folder / "table.md").read_text())
            start = {stage: (out / f"{stage}.toml").read_text() for stage in ("base", "sft", "sft2", "dpo", "grpo")}
            self.assertIn("base/model", start["sft"])
            self.assertIn("sft/model", start["sft2"])
            self.assertIn("corpus2/", start["sft2"])
            self.assertIn("sft2/model", start["dpo"])
            self.assertIn("dpo/model", start["grpo"])
            self.assertEqual(len((out / "grpo.answers.jsonl").read_text().splitlines()), 2)
            self.assertNotEqual((out / "sft/model/model.safetensors").read_bytes(), (out / "dpo/model/model.safetensors").read_bytes())
            # Again: nothing is made twice, and the numbers stay.
            kept = [out / "dpo/metrics.jsonl", out / "eval/dpo/answers/journal.jsonl", out / "pairs/journal.jsonl"]
            before = [path.read_bytes() for path in kept]
            self.reproduce(*more)
            self.assertEqual(json.loads(result.read_text()), made)
            self.assertEqual([path.read_bytes() for path in kept], before)
            # One model alone, without the grammar.
            self.reproduce(*more, "--eval-only", "--model", out / "sft/model", "--free", "--resample", 0, "--baselines", "")
            alone = json.loads(result.read_text())
            self.assertEqual([r["name"] for r in alone["rows"]], ["SFT, free"])
            self.assertFalse(alone["grammar"])

    def test_what_is_not_there_is_said(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertIn("no folder of a checkpoint", self.reproduce("--eval-only", "--model", folder, good=False))
            self.assertIn("not held out", self.reproduce("--out", folder, "--eval-only", "--model", SOURCE / "tests/lm/data/qwen3_tiny", "--tasks", "Abs", good=False))
            if not (SOURCE / "models/kernelgen-lm-mini").exists():
                self.assertIn("no model to score", self.reproduce("--out", folder, "--eval-only", good=False))


if __name__ == "__main__":
    unittest.main()

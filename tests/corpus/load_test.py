#!/usr/bin/env python3
"""Loads every export with Hugging Face `datasets`, as TRL, LLaMA-Factory and verl do. Exit status 77 where it is not installed.

load_test.py AKGEN     (python3 -m venv v && v/bin/pip install datasets)
"""
import json
import pathlib
import subprocess
import sys
import tempfile

try:
    import datasets
except ImportError:
    sys.exit(77)

PROMPT = [{"role": "system", "content": "s"}, {"role": "user", "content": "Write √"}]
LINES = [{"kind": "run", "schema": 1, "config": {"generator": "direct"}}, {"kind": "prompt", "hash": "h", "messages": PROMPT}]
for sample in range(3):
    for turn, verdict in enumerate(["wrong_answer", "pass"]):
        LINES.append({"kind": "turn", "task": "Sqrt", "sample": sample, "turn": turn, "prompt": "h", "answer": f"a{sample}{turn}", "reasoning": "r" * turn,
                      "verdict": verdict, "feedback": "" if verdict == "pass" else "wrong"})
ROWS = {"trl/sft.jsonl": 6, "trl/preference.jsonl": 9, "llama_factory/sft.json": 6, "llama_factory/sft_sharegpt.json": 6, "llama_factory/preference.json": 9,
        "verl/sft.jsonl": 6, "verl/preference.jsonl": 9, "verl/rl.jsonl": 1, "openai/sft.jsonl": 6, "openai/preference.jsonl": 9, "ms_swift/sft.jsonl": 6, "ms_swift/preference.jsonl": 9,
        "nemo_rl/sft.jsonl": 6, "nemo_rl/preference.jsonl": 9, "mindspeed_llm/sft.jsonl": 6, "mindspeed_llm/preference.jsonl": 9, "samples.jsonl": 6, "pairs.jsonl": 9}

with tempfile.TemporaryDirectory() as folder:
    root = pathlib.Path(folder)
    (root / "journal.jsonl").write_text("".join(json.dumps(line) + "\n" for line in LINES))
    subprocess.run([sys.argv[1], "corpus", "pairs", root / "journal.jsonl", "--out", root / "data"], check=True)
    for name, rows in ROWS.items():
        loaded = datasets.load_dataset("json", data_files=str(root / "data" / name), split="train", cache_dir=str(root / "cache"))
        assert loaded.num_rows == rows, (name, loaded.num_rows, rows)
        print(f"{name}: {rows} rows, {', '.join(loaded.column_names)}")
    loaded = datasets.load_dataset("json", data_files=str(root / "data/verl/rl.jsonl"), split="train", cache_dir=str(root / "cache"))
    loaded.to_parquet(str(root / "rl.parquet"))   # verl reads Parquet
    assert (root / "rl.parquet").stat().st_size > 0

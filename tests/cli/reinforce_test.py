#!/usr/bin/env python3
"""akgen lm reinforce: a model that can only choose between a right and a wrong program gets the judge's rewards for its choices, also after a kill; and resampling.

usage: reinforce_test.py AKGEN
"""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

AKGEN = sys.argv[1]


def akgen(*args, code=0):
    done = subprocess.run([AKGEN, *map(str, args)], capture_output=True, text=True, timeout=600)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def rows(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


# A problem, and a grammar of two programs for it: the planner's, and one that is off by a half.
def choice(folder):
    (folder / "nothing.jsonl").write_text('{"text": "nothing"}\n')
    for seed in range(907, 937):                       # a composition whose program is short
        asked = folder / f"asked{seed}"
        akgen("corpus", "prefer", "--model", f"script:{folder}/nothing.jsonl", "-n", 1, "--compositions", 1, "--seed", seed, "--out", asked)
        problem = next((r for r in rows(asked / "journal.jsonl") if r["kind"] == "problem" and r["planner"].get("text")), None)
        if problem and len(problem["planner"]["text"]) < 2000 and problem["planner"]["verdict"] == "pass":
            break
    else:
        raise AssertionError("no short program among thirty seeds")
    program = problem["planner"]["text"]
    last = re.search(r"(y0\w*\[:\] = )(.*)\n", program)
    assert last, program
    tensor = re.search(r"\b(y0\w*): gm\[", program).group(1)   # y0, or y0 seen as rows
    wrong = f"cast(cast({last.group(2)}, f32) * 0.5, {tensor}.dtype)"
    before, after = program[:last.start(2)], program[last.end(2):]
    for name, other in (("g.gbnf", wrong), ("refused.gbnf", "nobody")):
        (folder / name).write_text(f"root ::= {json.dumps(before)} ({json.dumps(last.group(2))} | {json.dumps(other)}) {json.dumps(after)}\n")
    (folder / "d.jsonl").write_text(4 * (json.dumps({"prompt": problem["operations"], "completion": program}) + "\n"))
    shape = "[model]\nhidden = 32\nlayers = 1\nheads = 2\nkv_heads = 1\nhead_dim = 16\nmlp = 48\ncontext = 4096\n"
    (folder / "s.toml").write_text(f'data = "{folder}/d.jsonl"\ntokenizer = "{folder}/tok"\nsteps = 1\nworkers = 1\n{shape}')
    akgen("lm", "tokenize", folder / "d.jsonl", "--vocab", 500, "--out", folder / "tok")
    akgen("lm", "train", "--config", folder / "s.toml", "--out", folder / "start")
    (folder / "grpo.toml").write_text(f'init = "{folder}/start/model"\ngrammar = "{folder}/g.gbnf"\nsteps = 4\nprompts_per_step = 1\ngroup = 8\nmax_tokens = 3500\ntemperature = 1.0\nlr = 1e-2\n'
                                      "warmup = 0\nworkers = 1\nsave_every = 1\n")
    return problem, seed


def command(folder, seed, out, *more):
    return ["lm", "reinforce", "--config", folder / "grpo.toml", "--compositions", 1, "--seed", seed, "-j", 2, "--out", out, *more]


# The same model between the planner's program and one that is refused: resampling gets a pass, though the grammar allows no assignment of what is missing.
def check_resampling(folder, seed):
    asked = ["corpus", "prefer", "--grammar", folder / "refused.gbnf", "--compositions", 1, "--seed", seed, "-n", 6, "--temperature", 4, "--max-tokens", 3500]
    akgen(*asked, "--model", folder / "start/model", "--out", folder / "plain")
    plain = rows(folder / "plain/journal.jsonl")[1]["answers"]
    assert {a["verdict"] for a in plain} == {"pass", "refused"}, [a["verdict"] for a in plain]
    akgen(*asked, "--model", folder / "start/model", "--resample", 30, "--out", folder / "resampled")
    resampled = rows(folder / "resampled/journal.jsonl")[1]["answers"]
    assert all(r["verdict"] == "pass" and (r["redraws"] > 0) == (p["verdict"] == "refused") for p, r in zip(plain, resampled, strict=True)), resampled
    assert "AK0708" in akgen(*asked, "--model", f"script:{folder}/nothing.jsonl", "--resample", 1, "--out", folder / "script", code=2)
    assert "AK0706" in akgen(*asked, "--model", folder / "start/model", "--resample", 29, "--out", folder / "resampled", code=2)


# All answers alike: nothing is learned in any step, and the time that is left is known all the same.
def check_progress(folder, problem, seed):
    (folder / "one.gbnf").write_text(f"root ::= {json.dumps(problem['planner']['text'])}\n")
    (folder / "one.toml").write_text((folder / "grpo.toml").read_text().replace("g.gbnf", "one.gbnf").replace("steps = 4", "steps = 1").replace("group = 8", "group = 2"))
    said = akgen("lm", "reinforce", "--config", folder / "one.toml", "--compositions", 1, "--seed", seed, "--out", folder / "one")
    assert re.search(r" 1/1 .* 0 s left", said), said


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        problem, seed = choice(folder)
        check_resampling(folder, seed)
        check_progress(folder, problem, seed)
        whole, cut = folder / "whole", folder / "cut"
        akgen(*command(folder, seed, whole, "--json", folder / "whole.json"))
        steps = rows(whole / "metrics.jsonl")
        assert rows(pathlib.Path(f"{whole}.prompts.jsonl")) == [{"id": problem["id"], "prompt": problem["operations"]}]
        answers = rows(pathlib.Path(f"{whole}.answers.jsonl"))
        assert len(answers) == 32 and {(a["verdict"], a["reward"]) for a in answers} == {("pass", 1), ("wrong_answer", 0.1)}, answers[0]
        assert all((a["text"] == problem["planner"]["text"]) == (a["verdict"] == "pass") for a in answers)
        # All answers of a group have the same inputs, each group new ones.
        groups = [{a["inputs_seed"] for a in answers[8 * i:8 * i + 8]} for i in range(4)]
        assert all(len(g) == 1 for g in groups) and len(set.union(*groups)) == 4, groups
        # A step's reward is that of its eight answers, and where they differ something is learned.
        for i, step in enumerate(steps):
            mine = [a["reward"] for a in answers[8 * i:8 * i + 8]]
            assert abs(step["reward"] - sum(mine) / 8) < 1e-9 and (step["grad_norm"] > 0) == (len(set(mine)) > 1), (step, mine)
        assert len(steps) == 4 and any(s["grad_norm"] > 0 for s in steps), steps
        counts = json.loads((folder / "whole.json").read_text())
        assert counts["steps"] == 4 and sum(counts["verdicts"].values()) == 32 and counts["exit_code"] == 0, counts

        # Killed with all that it has started (the state of a step is kept before the next one is written), and gone on with: the same losses to the last digit.
        child = subprocess.Popen([AKGEN, *map(str, command(folder, seed, cut))], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL, start_new_session=True)
        metrics = cut / "metrics.jsonl"
        while not (metrics.exists() and metrics.read_text().count("\n") >= 2):
            assert child.poll() is None, "it ended by itself"
            time.sleep(0.002)
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        assert len(rows(metrics)) < 4, "the run was over before it was killed"
        assert "AK1924" in akgen(*command(folder, seed, cut), code=2)
        akgen(*command(folder, seed, cut, "--resume"))
        assert [(s["loss"], s["reward"]) for s in rows(metrics)] == [(s["loss"], s["reward"]) for s in steps]

        (folder / "bad.toml").write_text("objective")
        assert "AK1921" in akgen("lm", "reinforce", "--config", folder / "bad.toml", "--compositions", 1, "--out", folder / "no", code=2)
        assert "AK0708" in akgen("lm", "reinforce", "--config", folder / "grpo.toml", "--out", folder / "no", code=2)
    print("ok")


if __name__ == "__main__":
    main()

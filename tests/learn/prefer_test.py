"""Preference pairs out of a model's own answers: what is right, wrong, refused and no program at all stands where it belongs, also after a kill.

usage: prefer_test.py AKGEN
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
SEED, COUNT = "905", 4


def prefer(out, model, *more, good=(0,), count=COUNT, program=AKGEN):
    done = subprocess.run([program, "corpus", "prefer", "--model", str(model), "--compositions", str(count), "--seed", SEED, "--out", str(out), "--json", str(out) + ".json", *map(str, more)],
                          capture_output=True, text=True, timeout=500)
    assert done.returncode in good, done.stdout + done.stderr
    return json.loads(pathlib.Path(str(out) + ".json").read_text()) if done.returncode in (0, 3) else done.stderr


def problems(out):
    lines = [json.loads(line) for line in (out / "journal.jsonl").read_text().splitlines()]
    return [line for line in lines if line["kind"] == "problem"]


def rows(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


# The planner's programs as answers in four ways: as they are but for a word, off by a half, with a name that nobody gave a value, and none.
def answers(folder, asked):
    script = []
    for p in asked:
        program = p["planner"]["text"]
        last = re.search(r"(y0\w*)\[:\] = (.*)", program)
        assert last, program
        tensor = re.search(r"\b(y0\w*): gm\[", program).group(1)   # y0, or y0 seen as rows
        wrong = program.replace(last.group(0), f"{last.group(1)}[:] = cast(cast({last.group(2)}, f32) * 0.5, {tensor}.dtype)")
        texts = ["# mine\n" + program, wrong, program.replace(last.group(0), f"{last.group(1)}[:] = nobody"), "I cannot do that."]
        script += [{"when": {"task": p["id"], "sample": k}, "text": text} for k, text in enumerate(texts)]
    path = folder / "answers.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in script))
    return f"script:{path}"


def check_scripted(folder):
    (folder / "nothing.jsonl").write_text('{"text": "nothing"}\n')
    first = prefer(folder / "first", f"script:{folder}/nothing.jsonl", "-n", 2)
    assert (first["problems"], first["verdicts"], first["pass_at"], first["unusable"]) == (COUNT, {"no_code": 2 * COUNT}, {"1": 0, "2": 0}, {}), first
    # Nothing passes: the planner stands over the one text there is.
    assert first["kinds"] == {"planner>no_code": COUNT}, first
    asked = problems(folder / "first")
    model = answers(folder, asked)
    card = prefer(folder / "made", model, "-n", 4, "-j", 2, "--performance", "--per-prompt", 3)
    verdicts = card["verdicts"]
    assert verdicts["pass"] == COUNT and verdicts["refused"] == COUNT and verdicts["no_code"] == COUNT and verdicts["wrong_answer"] == COUNT, card
    assert card["pass_at"] == {"1": 0.25, "4": 1} and card["composed"]["pass_at"] == card["pass_at"] and card["tasks"]["problems"] == 0, card
    assert card["kinds"] == {"pass>wrong_answer": COUNT, "pass>refused": COUNT, "pass>no_code": COUNT} and card["pairs"] == 3 * COUNT, card
    for p in problems(folder / "made"):
        assert p["answers"][0]["us"] > 0 and p["planner"]["us"] > 0, p
    pairs = rows(folder / "made/trl/preference.jsonl")
    assert len(pairs) == 3 * COUNT and all([m["role"] for m in r["prompt"] + r["chosen"] + r["rejected"]] == ["user", "assistant", "assistant"] for r in pairs), pairs[0]
    assert all(r["chosen"][0]["content"].startswith("# mine\n") and not r["rejected"][0]["content"].startswith("# mine\n") for r in pairs)
    prompts = {p["operations"]: p["planner"]["text"] for p in asked}
    assert all(prompts[r["prompt"][0]["content"]] in r["chosen"][0]["content"] for r in pairs)
    passes = rows(folder / "made/trl/sft.jsonl")
    assert len(passes) == COUNT and all(r["messages"][1]["content"].startswith("# mine\n") for r in passes)
    return model


def check_goes_on(folder, model):
    made = folder / "made"
    want = (made / "pairs.jsonl").read_bytes()
    journal = (made / "journal.jsonl").read_bytes()
    lines = journal.splitlines(keepends=True)
    # As a kill leaves it: two problems are whole, the third is cut off.
    (made / "journal.jsonl").write_bytes(b"".join(lines[:3]) + lines[3][:200])
    (made / "pairs.jsonl").unlink()
    prefer(made, model, "-n", 4, "--performance", "--per-prompt", 3)
    assert (made / "pairs.jsonl").read_bytes() == want, "not what an undisturbed run gives"
    assert (made / "journal.jsonl").read_bytes().startswith(b"".join(lines[:3])), "problems were asked twice"
    # Stopped from the keyboard, which stops the helper processes as well: what they did not finish is no verdict.
    stopped = folder / "stopped"
    child = subprocess.Popen([AKGEN, "corpus", "prefer", "--model", model, "--compositions", str(COUNT), "--seed", SEED, "--out", str(stopped), "-n", "4", "--performance", "--per-prompt", "3", "-j", "2"],
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    while child.poll() is None and not ((stopped / "journal.jsonl").exists() and '"problem"' in (stopped / "journal.jsonl").read_text()):
        time.sleep(0.002)
    if child.poll() is None:
        os.killpg(child.pid, signal.SIGINT)
    child.wait()
    assert "infra_error" not in (stopped / "journal.jsonl").read_text()
    prefer(stopped, model, "-n", 4, "--performance", "--per-prompt", 3)
    assert (stopped / "pairs.jsonl").read_bytes() == want, "not what an undisturbed run gives"
    wrong = prefer(made, model, "-n", 3, "--performance", good=(2,))
    assert "AK0706" in wrong, wrong
    # The script answers no fifth problem: it is left, and said so; the others stay.
    more = prefer(made, model, "-n", 4, "--performance", "--per-prompt", 3, count=COUNT + 1, good=(3,))
    assert more["left"] == 1 and more["pairs"] == 3 * COUNT and "AK0705" in more["troubles"][0], more


# A composition that stands in a corpus is not asked, and tasks only when nothing of them is held out.
def check_apart(folder):
    nothing = f"script:{folder}/nothing.jsonl"
    corpus = folder / "corpus"
    subprocess.run([AKGEN, "corpus", "build", "--synthetic", "2", "--per-build", "2", "--seed", SEED, "--out", str(corpus)], check=True, capture_output=True)
    graphs = {r["operations"] for r in rows(corpus / "synthetic/records.jsonl")}
    card = prefer(folder / "apart", nothing, "-n", 1, "--exclude-corpus", corpus, count=2)
    asked = {p["operations"] for p in problems(folder / "apart")}
    assert len(asked) == 2 and not asked & graphs and card["passed_over"] >= 2, card
    assert asked & {p["operations"] for p in problems(folder / "first")}, "the problems that are not in the corpus should stay"

    names = [line.split()[2] for line in subprocess.run([AKGEN, "tasks"], check=True, capture_output=True, text=True).stdout.splitlines() if line.strip()]
    some = folder / "some.json"
    some.write_text(json.dumps({"tasks": {"some": [n for n in names if n != "Eye"]}}))
    subprocess.run([AKGEN, "corpus", "tasks", "--heldout", str(some), "--out", str(folder / "seen")], check=True, capture_output=True)
    record = rows(folder / "seen/tasks/records.jsonl")[0]
    (folder / "eye.jsonl").write_text(json.dumps({"when": {"task": "task Eye"}, "text": record["program"]}) + "\n")
    card = prefer(folder / "tasks", f"script:{folder}/eye.jsonl", "-n", 2, "--tasks", folder / "seen", "--heldout", some, count=0)
    assert card["tasks"] == {"problems": 1, "answers": 2, "verdicts": {"pass": 2}, "pass_at": {"1": 1, "2": 1}} and card["pairs"] == 0, card
    assert "AK0708" in prefer(folder / "no", nothing, "--tasks", folder / "seen", good=(2,))
    (folder / "eye.json").write_text(json.dumps({"tasks": {"some": ["Eye"]}}))
    assert "Eye is held out" in prefer(folder / "no", nothing, "--tasks", folder / "seen", "--heldout", folder / "eye.json", good=(2,))


# A model with weights, even if they are drawn: its answers are no programs, and the same whenever they are asked for.
def check_local(folder):
    (folder / "d.jsonl").write_text("".join(json.dumps({"prompt": f"v0 = x0 + {i}", "completion": "@kernel\n"}) + "\n" for i in range(40)))
    (folder / "s.toml").write_text(f'data = "{folder}/d.jsonl"\ntokenizer = "{folder}/tok"\nsteps = 1\n[model]\nhidden = 32\nlayers = 1\nheads = 2\nkv_heads = 1\nhead_dim = 16\nmlp = 48\ncontext = 2048\n')
    subprocess.run([AKGEN, "lm", "tokenize", str(folder / "d.jsonl"), "--vocab", "280", "--out", str(folder / "tok")], check=True, capture_output=True)
    subprocess.run([AKGEN, "lm", "train", "--config", str(folder / "s.toml"), "--out", str(folder / "run")], check=True, capture_output=True)
    grammar = pathlib.Path(__file__).resolve().parent.parent.parent / "docs/craft/grammar.gbnf"
    made = []
    for name in ("one", "two"):
        card = prefer(folder / name, folder / "run/model", "-n", 3, "--max-tokens", 24, "--temperature", 1, "--grammar", grammar, count=2)
        assert card["verdicts"] == {"no_code": 6} and card["tokens"] == 6 * 24 and card["left"] == 0, card
        texts = [[a["text"] for a in p["answers"]] for p in problems(folder / name)]
        assert all(len(set(t)) == 3 and all(x.startswith(("@kernel", "#")) for x in t) for t in texts), texts
        made.append((folder / name / "pairs.jsonl").read_bytes())
    assert made[0] == made[1]


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        model = check_scripted(folder)
        check_goes_on(folder, model)
        check_apart(folder)
        if pathlib.Path(AKGEN).with_name("akgen-lm").exists():
            check_local(folder)
    print("ok")


if __name__ == "__main__":
    main()

"""Records of tasks: what is held out, what computes the same, and what passes the public cases alone, teaches nothing."""
import argparse
import json
import os
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
# The planner sees public cases only, of 64 columns each: its kernel is right there and nowhere else.
ONE_WIDTH = """def reference(x: Tensor) -> Tensor:
    if x.size(1) == 64:
        return x * 2.0
    return x * 3.0
"""


def one_width(akgen, folder):
    home = folder / "home"
    task = home / "tasks/level1/Math/OneWidth"
    task.mkdir(parents=True)
    for part in ROOT.iterdir():
        if part.name != "tasks":
            (home / part.name).symlink_to(part)
    (task.parent / "Eye").symlink_to(next(ROOT.glob("tasks/*/*/Eye")))
    (task / "task.toml").write_text("""schema = 1
name = "OneWidth"
level = 1
category = "Math"
entry = "one_width"
description = "Twice x, or three times."
[[input]]
name = "x"
dtype = "float32"
shape = ["$rows", "$cols"]
dist = { kind = "normal" }
[[output]]
name = "y"
dtype = "float32"
shape = ["$rows", "$cols"]
[precision]
rule = "D"
""")
    (task / "cases.json").write_text('[{"id": "0", "rows": 8, "cols": 64}]')
    (task / "reference.py").write_text(ONE_WIDTH)

    def run(*args, code=0):
        done = subprocess.run([akgen, *map(str, args)], env={**os.environ, "AKGEN_HOME": str(home)}, capture_output=True, text=True)
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout
    run("craft", "plan", "--task", "OneWidth", "-o", folder / "program.py")
    run("craft", "lower", folder / "program.py", "-o", folder / "project")
    run("judge", folder / "project", "--task", "OneWidth", "--inputs", "upstream")
    (folder / "eye.json").write_text(json.dumps({"tasks": {"some": ["Eye"]}}))
    heldout = ("--heldout", folder / "eye.json")
    made = json.loads(run("corpus", "tasks", *heldout, "--out", folder / "narrow", "--json", "-"))
    assert made["records"] == 0 and made["skipped"]["OneWidth"].startswith("hidden cases: "), made
    # Nor is an answer of a model that is right for the public case alone, where the planner is right for all.
    (task / "reference.py").write_text("def reference(x: Tensor) -> Tensor:\n    return x * 2.0\n")
    assert json.loads(run("corpus", "tasks", *heldout, "--out", folder / "wide", "--json", "-"))["records"] == 1
    program = json.loads((folder / "wide/tasks/records.jsonl").read_text())["program"]
    narrow = program.replace("* 2.0", "* float(total // 256)")   # 8 rows of 64
    assert narrow != program, program
    (folder / "answers.jsonl").write_text("".join(json.dumps({"when": {"sample": i}, "text": t}) + "\n" for i, t in enumerate((narrow, "# mine\n" + program))))
    card = json.loads(run("corpus", "prefer", "--model", f"script:{folder}/answers.jsonl", "-n", 2, "--compositions", 0, "--tasks", folder / "wide", *heldout,
                          "--out", folder / "pairs", "--json", "-"))
    assert card["verdicts"] == {"wrong_answer": 1, "pass": 1} and card["kinds"] == {"pass>wrong_answer": 1}, card
    (folder / "program.py").write_text(narrow)
    run("craft", "lower", folder / "program.py", "-o", folder / "narrow_project")
    run("judge", folder / "narrow_project", "--task", "OneWidth", "--inputs", "upstream")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("akgen")
    akgen = parser.parse_args().akgen
    names = [line.split()[2] for line in subprocess.run([akgen, "tasks"], check=True, capture_output=True, text=True).stdout.splitlines() if line.strip()]
    # Eye computes what no other task does; Neg what ForeachNeg does.
    heldout = {"tasks": {"some": [n for n in names if n not in ("Eye", "Neg")]}}
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "heldout.json").write_text(json.dumps(heldout))
        made = json.loads(subprocess.run([akgen, "corpus", "tasks", "--heldout", str(folder / "heldout.json"), "--out", str(folder / "seen"), "--json", "-"],
                                         check=True, capture_output=True, text=True).stdout)
        assert (made["records"], made["like_heldout"], made["skipped"]["Neg"]) == (1, 1, "computes what a held-out task computes"), made
        record = json.loads((folder / "seen/tasks/records.jsonl").read_text())
        assert record["name"] == "Eye" and record["verification"]["verdict"] == "pass" and "def op(" in record["program"], record
        subprocess.run([akgen, "corpus", "export", str(folder / "seen"), "--answers", "operations", "--format", "trl", "--out", str(folder / "data")], check=True, capture_output=True)
        row = json.loads((folder / "data/trl/sft.jsonl").read_text())
        assert [m["role"] for m in row["messages"]] == ["user", "assistant"], row
        assert row["messages"][0]["content"] == record["operations"] and row["messages"][1]["content"] == record["program"], row
        (folder / "none.json").write_text("{}")
        bad = subprocess.run([akgen, "corpus", "tasks", "--heldout", str(folder / "none.json"), "--out", str(folder / "no")], capture_output=True, text=True)
        assert bad.returncode == 2 and "AK0801" in bad.stdout + bad.stderr, bad
        one_width(akgen, folder)
    print("ok")


if __name__ == "__main__":
    main()

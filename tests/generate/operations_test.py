"""A model that is shown operations alone: its bare program gets the task's names, is lowered and judged; a wrong one and prose are told apart."""
import argparse
import json
import pathlib
import subprocess
import tempfile

TASK, ATTRIBUTE = "RmsNorm", "epsilon"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("akgen")
    akgen = parser.parse_args().akgen
    run = lambda *args: subprocess.run([akgen, *args], check=True, capture_output=True, text=True).stdout
    program = run("craft", "plan", "--task", TASK)
    assert ATTRIBUTE in program and "def rms_norm(" in program, program
    bare = program.replace("def rms_norm(", "def op(").replace(ATTRIBUTE, "a0")
    answers = [bare, bare.replace("rsqrt(", "sqrt("), "I cannot do that."]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        lines = [{"when": {"task": TASK, "sample": k}, "text": text} for k, text in enumerate(answers)]
        (folder / "answers.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        (folder / "nothing.jsonl").write_text('{"text": "nothing"}\n')
        out = folder / "made"
        done = subprocess.run([akgen, "generate", TASK, "--generator", "craft", "--prompt", "operations", "-n", "3", "--model", f"script:{folder}/answers.jsonl",
                               "--no-cache", "--out", str(out), "--json", str(folder / "summary.json")], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        journal = [json.loads(line) for line in (out / "journal.jsonl").read_text().splitlines()]
        verdicts = {line["sample"]: line["verdict"] for line in journal if line["kind"] == "sample"}
        assert verdicts == {0: "pass", 1: "wrong_answer", 2: "no_code"}, verdicts
        prompts = [line for line in journal if line["kind"] == "prompt"]
        assert len(prompts) == 1 and prompts[0]["messages"] == [{"role": "user", "content": run("craft", "plan", "--task", TASK, "--graph")}], prompts
        text = (out / TASK / "sample0" / "program.py").read_text()
        assert f"{ATTRIBUTE}: float" in text and "def rms_norm(" in text, text
        # Few samples, many at a time: whoever has no more to do must not take with it the helper processes that others use.
        for turn in range(4):
            done = subprocess.run([akgen, "generate", "--tasks", "FastGelu,ForeachNeg", "--generator", "craft", "--prompt", "operations", "-n", "2", "--concurrency", "4", "-j", "2", "--cases", "1",
                                   "--model", f"script:{folder}/nothing.jsonl", "--out", str(folder / f"many{turn}")], capture_output=True, text=True)
            assert done.returncode == 1, done.stdout + done.stderr
        wrong = subprocess.run([akgen, "generate", TASK, "--generator", "direct", "--prompt", "operations", "--model", "script:none", "--out", str(folder / "no")], capture_output=True, text=True)
        assert wrong.returncode == 2 and "AK0708" in wrong.stderr + wrong.stdout, wrong.stderr
    print("ok")


if __name__ == "__main__":
    main()

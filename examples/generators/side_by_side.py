#!/usr/bin/env python3
"""The same tasks and the same model, once in Ascend C and once in the kernel language, and a page that shows both side by side.

side_by_side.py AKGEN OUT [akgen generate's options]

The model is a script here: its answers are kernels and programs of this folder's neighbours, some wrong at first. With an endpoint
(--model http://127.0.0.1:8000/v1 --model-name NAME at the end) it is a real comparison.
Writes OUT/direct and OUT/craft (journals and candidates), OUT/beside.html, beside.md and beside.json.
"""
import json
import pathlib
import subprocess
import sys

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent
TASKS = ["FastGelu", "RmsNorm", "Sqrt"]


def changed(text, changes):
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return text


def project(name, *changes):
    """A project as a model writes it: each file in a block, its path in the line before."""
    folder = EXAMPLES / "kernels" / name
    files = sorted(p for p in folder.rglob("*") if p.suffix in (".cpp", ".h"))
    return changed("\n".join(f"`{p.relative_to(folder)}`\n```cpp\n{p.read_text()}```" for p in files), changes)


def program(name, *changes):
    return changed("```python\n" + (EXAMPLES / "craft" / f"{name}.py").read_text() + "```", changes)


TO_ROOT = [("fast_gelu", "sqrt"), ("sqrt_kernel", "root_kernel"), ("x_ub * sigmoid(1.702 * x_ub)", "sqrt(x_ub)"), ("tensor(f16, f32)", "tensor(f16, bf16, f32)")]

# What the model says: to a task, by generator, at first and when told what was wrong.
ANSWERS = {
    ("FastGelu", "direct"): [project("wrong_constant"), project("fast_gelu")],
    ("FastGelu", "craft"): [program("fast_gelu")],
    ("RmsNorm", "direct"): [project("rms_norm_rows")],
    ("RmsNorm", "craft"): [program("rms_norm")],
    ("Sqrt", "direct"): [project("sqrt_via_float", (" Sqrt(", " SquareRoot(")), project("sqrt_via_float")],
    ("Sqrt", "craft"): [program("fast_gelu", *TO_ROOT, ("sqrt(x_ub)", "root(x_ub)")), program("fast_gelu", *TO_ROOT)],
}


def script(file):
    lines = [{"when": {"task": task, "generator": generator, "turn": turn}, "text": text} for (task, generator), texts in ANSWERS.items() for turn, text in enumerate(texts)]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return f"script:{file}"


def main():
    akgen, out, more = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]
    out.mkdir(parents=True, exist_ok=True)
    if "--model" not in more:
        more += ["--model", script(out / "answers.jsonl")]
    for generator in ("direct", "craft"):
        done = subprocess.run([akgen, "generate", "--tasks", ",".join(TASKS), "--generator", generator, "--repair", "1", "--time", "--out", out / generator, *more])
        if done.returncode not in (0, 1):     # 1: not every task passes
            sys.exit(done.returncode)
    journals = [out / generator / "journal.jsonl" for generator in ("direct", "craft")]
    subprocess.run([akgen, "report", *journals, "--html", out / "beside.html", "--markdown", out / "beside.md", "--json", out / "beside.json"], check=True)
    print((out / "beside.md").read_text())


if __name__ == "__main__":
    main()

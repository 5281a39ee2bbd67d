#!/usr/bin/env python3
"""The same kernels judged again and again while other work runs, with and without address randomisation: every record is the same,
but for what time and caches put into it.

usage: tests/runner/repeat.py [--akgen FILE] [--runs N] [--kernels N | --all-cases] [--json FILE]
exit status: 0 all the same, 1 something differed, 2 usage error, 77 this machine cannot switch randomisation off
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FIXED = ["setarch", "-R"]
# What the clock and the caches put into a record, and what names this run.
DROP = re.compile(r".*_ms$|.*_cached$|^(wall_ms|process|project|run_us|run_cpu_us)$")
# Two of a kind that examples have few of: findings with addresses, places and other blocks in their sentences.
CASES = ["memory/block_count_range.cpp", "raw/*.cpp", "sync/*.cpp", "queue/*.cpp", "launch/*.cpp"]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--akgen", default=str(ROOT / "build/release/bin/akgen"))
    parser.add_argument("--runs", type=int, default=20, help="runs with randomisation, and as many without")
    parser.add_argument("--kernels", type=int, default=20)
    parser.add_argument("--all-cases", action="store_true", help="every kernel of tests/cases instead")
    parser.add_argument("--json", metavar="FILE", help="write what was run and what differed to this file")
    args = parser.parse_args()
    if not os.access(args.akgen, os.X_OK):
        parser.exit(2, f"error: no executable {args.akgen}: build it, or name it with --akgen\n")
    return args


def plain(value):
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items() if not DROP.match(k)}
    return [plain(v) for v in value] if isinstance(value, list) else value


def all_cases():
    files = [p for p in sorted((ROOT / "tests/cases").glob("*/*.cpp")) if "// launch:" in p.read_text()]
    return [(str(p.relative_to(ROOT / "tests/cases")), ["run", str(p), "--time"]) for p in files]


def kernels(most):
    """(name, arguments of akgen without --json), examples and chip cases in turn."""
    examples = []
    for file in sorted((ROOT / "examples/kernels").glob("*/example.toml")):
        task = tomllib.loads(file.read_text())["task"]
        task = str(ROOT / task) if (ROOT / task).is_dir() else task
        examples.append((file.parent.name, ["judge", str(file.parent), "--task", task, "--seed", "1", "--backend", "guest"]))
    cases = []
    for pattern in CASES:
        cases += [(str(p.relative_to(ROOT / "tests/cases")), ["run", str(p), "--backend", "guest"]) for p in sorted((ROOT / "tests/cases").glob(pattern))[:3]]
    both = [k for pair in zip(cases, examples) for k in pair] + examples[len(cases):] + cases[len(examples):]
    return both[:most]


def record(akgen, kernel, fixed, folder):
    name, command = kernel
    file = folder / f"{name.replace('/', '_')}.{time.monotonic_ns()}.json"
    done = subprocess.run((FIXED if fixed else []) + [akgen, *command, "--json", str(file)], capture_output=True, text=True, timeout=600)
    if not file.exists():
        return {"no record": done.returncode, "said": done.stderr[-2000:]}
    out = plain(json.loads(file.read_text()))
    file.unlink()
    return out


def differences(a, b, path=""):
    """Places where two records differ."""
    if isinstance(a, dict) and isinstance(b, dict):
        return [d for k in sorted(set(a) | set(b)) for d in differences(a.get(k), b.get(k), f"{path}/{k}")]
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        return [d for i, (x, y) in enumerate(zip(a, b)) for d in differences(x, y, f"{path}/{i}")]
    return [] if a == b else [f"{path}: {json.dumps(a)[:200]} and {json.dumps(b)[:200]}"]


def load():
    """Other work on every processor, that comes and goes."""
    burn = "import time, random\nwhile True:\n    end = time.time() + random.random()\n    while time.time() < end: sum(range(1000))\n    time.sleep(random.random() / 4)"
    return [subprocess.Popen([sys.executable, "-c", burn]) for _ in range(os.cpu_count() or 1)]


def main():
    args = arguments()
    if subprocess.run(FIXED + ["true"], capture_output=True).returncode != 0:
        return 77
    todo = all_cases() if args.all_cases else kernels(args.kernels)
    start, wrong, others = time.monotonic(), [], load()
    try:
        with tempfile.TemporaryDirectory(prefix="repeat-") as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
            folder = pathlib.Path(folder)
            first = dict(zip((k[0] for k in todo), pool.map(lambda k: record(args.akgen, k, False, folder), todo)))
            wrong += [f"{name}: {r}" for name, r in first.items() if "no record" in r]
            works = [(k, fixed) for _ in range(args.runs) for k in todo for fixed in (False, True)]
            for (kernel, fixed), again in zip(works, pool.map(lambda w: record(args.akgen, w[0], w[1], folder), works)):
                found = differences(first[kernel[0]], again)
                wrong += [f"{kernel[0]}{' without randomisation' if fixed else ''}: {d}" for d in found]
    finally:
        for other in others:
            other.kill()
            other.wait()
    seconds = time.monotonic() - start
    verdicts = sorted({str(r["verdict"]) for r in first.values() if "verdict" in r})
    print(f"{len(todo)} kernels, {args.runs} runs with and {args.runs} without address randomisation, {seconds:.0f} s: "
          f"{len(wrong)} differences (verdicts: {', '.join(verdicts)})")
    for line in wrong[:40]:
        print("  " + line)
    if args.json:
        pathlib.Path(args.json).write_text(json.dumps({"kernels": [k[0] for k in todo], "runs": args.runs, "differences": wrong}, indent=1) + "\n")
    return 1 if wrong or len(todo) < args.kernels else 0  # fewer: nothing was looked at


if __name__ == "__main__":
    sys.exit(main())

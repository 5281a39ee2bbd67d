#!/usr/bin/env python3
"""Judges examples/kernels and compares each verdict with what its example.toml expects."""
import argparse
import json
import pathlib
import subprocess
import sys
import time
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--akgen", required=True, help="the akgen executable")
    parser.add_argument("--out", default="out/examples.json", help="where the JSON goes")
    parser.add_argument("--timeout", type=float, default=300, help="seconds for one example")
    parser.add_argument("names", nargs="*", help="examples to judge (default: all)")
    return parser.parse_args()


def load_examples(names):
    folder = ROOT / "examples/kernels"
    known = sorted(p.parent.name for p in folder.glob("*/example.toml"))
    for name in names:
        if name not in known:
            sys.exit(f"error: no example is called {name}; there are: {', '.join(known)}")
    for name in names or known:
        with open(folder / name / "example.toml", "rb") as f:
            yield name, folder / name, tomllib.load(f)


def task_of(expected):
    """A task's name, or the folder of one that lies in this repository."""
    folder = ROOT / expected["task"]
    return str(folder) if folder.is_dir() else expected["task"]


def judge(akgen, folder, expected, timeout):
    """The verdict record of one example, with `seconds` added."""
    record = folder.name + ".json"
    path = pathlib.Path(ROOT / "out" / record)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    command = [akgen, "judge", str(folder), "--task", task_of(expected), "--seed", "1", "--json", str(path)]
    start = time.monotonic()
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout)
        said = (done.stderr or done.stdout).strip()
    except subprocess.TimeoutExpired:
        said = f"no answer within {timeout} s"
    except OSError as e:
        said = str(e)
    seconds = round(time.monotonic() - start, 2)
    try:
        verdict = json.loads(path.read_text())
    except (OSError, ValueError):
        verdict = {"verdict": "infra_error", "reason": said[-2000:]}
    return {**verdict, "seconds": seconds}


def codes_of(verdict):
    """Codes of all findings (warnings last), of all cases, each once."""
    found = [f for case in verdict.get("cases", []) for f in case.get("findings", [])]
    found.sort(key=lambda f: f.get("warning", False))
    return list(dict.fromkeys(f["code"] for f in found))


def as_expected(expected, verdict):
    if verdict.get("verdict") != expected["verdict"]:
        return False
    return "finding" not in expected or expected["finding"] in codes_of(verdict)


def main():
    args = arguments()
    results = []
    examples = list(load_examples(args.names))
    in_place = sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"
    for number, (name, folder, expected) in enumerate(examples, 1):
        print(f"[{number:2}/{len(examples)}] {name} ...", end="\r" if in_place else "\n", flush=True)
        verdict = judge(args.akgen, folder, expected, args.timeout)
        results.append({"name": name, "description": expected["description"], "task": expected["task"],
                        "expected": {k: expected[k] for k in ("verdict", "finding") if k in expected},
                        "as_expected": as_expected(expected, verdict), "judgement": verdict})
    out = pathlib.Path(args.out)
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps({"schema": 1, "examples": results}, indent=1) + "\n")
    print_table(results)
    wrong = sum(not r["as_expected"] for r in results)
    print(f"\n{len(results) - wrong} of {len(results)} verdicts as expected; records: {out}")
    return bool(wrong)


def print_table(results):
    width = max(len(r["name"]) for r in results)
    print(f"{'example':{width}}  {'task':16} {'verdict':14} {'findings':18} {'seconds':>7}  as expected")
    for r in results:
        v = r["judgement"]
        codes = " ".join(codes_of(v)[:3])
        answer = "yes" if r["as_expected"] else "NO, wanted " + " ".join(r["expected"].values())
        print(f"{r['name']:{width}}  {r['task']:16} {v.get('verdict', '?'):14} {codes:18} {v['seconds']:7.2f}  {answer}")
        if not r["as_expected"] and v.get("reason"):
            print(f"{'':{width}}  {v['reason'].splitlines()[0]}")


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""What `akgen kernel` makes of the functions of a folder: captured, planned, verified, and why not.

usage: table.py AKGEN [FILE.py[:NAME] ...] [--json FILE] [--least N]      without files: those of functions/
"""
import argparse
import collections
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
SUBJECT = re.compile(r"^(?:def|class) (\w+)|^(\w+) = lambda", re.M)


def subjects(argument):
    """FILE.py:NAME for every function and module of a file."""
    if ":" in argument:
        return [argument]
    text = pathlib.Path(argument).read_text()
    return [f"{argument}:{m[1] or m[2]}" for m in SUBJECT.finditer(text) if not (m[1] or m[2]).startswith("_")]


def examples(subject):
    """Arguments in the comment of the first line, for files that say so: `def f(x):  # x: f16[4]  i: i64[4] below 9`."""
    file, name = subject.rsplit(":", 1)
    line = next((x for x in pathlib.Path(file).read_text().splitlines() if re.match(rf"(def|class) {name}\b", x)), "")
    said = re.findall(r"((?:\w+, )*\w+): (\w+\[[\d, ]*\])(?: below (\d+))?", line.partition("#")[2])
    return " ".join(f"{n.strip()}={t}" + (f"{{0, {int(below) - 1}}}" if below else "") for names, t, below in said for n in names.split(","))


def run(akgen, subject, env):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "k.json"
        command = [akgen, "kernel", subject, "--json", out]
        given = examples(subject)
        if given:
            command += ["--example", given]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, env=env, timeout=600)
        if not out.exists():
            return {"verdict": "failed", "reason": done.stderr.strip()[-200:], "captured": False, "planned": False, "verified": False, "seconds": 0}
        return json.loads(out.read_text())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("akgen")
    parser.add_argument("files", nargs="*")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--least", type=int, default=0, help="fails below so many verified ones")
    options = parser.parse_args()
    files = options.files or sorted(map(str, (HERE / "functions").glob("*.py")))
    rows = {}
    for subject in [s for f in files for s in subjects(f)]:
        r = rows[subject] = run(options.akgen, subject, os.environ)
        place = r.get("refusal", {}).get("line")
        state = "verified" if r["verified"] else "planned" if r["planned"] else "captured" if r["captured"] else "-"
        print(f"{pathlib.Path(subject).name:32} {state:9} {r['verdict']:13} {r['seconds']:6.1f} s  {(f'line {place}: ' if place else '') + r['reason'][:150]}", flush=True)
    for state in ("captured", "planned", "verified"):
        print(f"{state}: {sum(r[state] for r in rows.values())} of {len(rows)}")
    if rows:
        print(f"median: {statistics.median(r['seconds'] for r in rows.values()):.1f} s")
    for reason, n in collections.Counter(r["reason"][:100] for r in rows.values() if not r["verified"]).most_common():
        print(f"{n:3} {reason}")
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n")
    sys.exit(sum(r["verified"] for r in rows.values()) < options.least)


if __name__ == "__main__":
    main()

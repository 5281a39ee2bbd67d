#!/usr/bin/env python3
"""The kernels of examples/craft/mhc: each passes its task's cases and range group without a finding, at least three times as fast as eager
where there are 64 tokens or more, both modelled. With --story, the modelled time of every step is the one that the README states.

usage: mhc_test.py --akgen PATH [--story]      exit status 1 when it is not so
"""
import argparse
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDER = os.path.join(ROOT, "examples/craft/mhc")
LEAST = 3.0
TOKENS = 64    # fewer are little more than a launch
SLIP = 0.006   # of a time stated with two digits behind the point


def task_of(program):
    with open(program, encoding="utf-8") as f:
        return os.path.join(ROOT, re.match(r"# task: ([\w/]+)\n", f.readline()).group(1))


def judge(akgen, program, *more):
    done = subprocess.run([akgen, "judge", program, "--task", task_of(program), "--seed", "1", "--time", "--json", "-", *more],
                          capture_output=True, text=True)
    try:
        return json.loads(done.stdout)
    except ValueError:
        sys.exit(f"{program}: {done.stdout}{done.stderr}")


def faults(record, program):
    """What is wrong with a kernel's judgement."""
    with open(os.path.join(task_of(program), "cases.json"), encoding="utf-8") as f:
        tokens = {case["id"]: case["tokens"] for case in json.load(f)}
    if record["verdict"] != "pass":
        yield f"{record['verdict']}: {record['reason']}"
    if not record["range"].startswith("run"):
        yield f"the range group is {record['range']}"
    for found in record["findings"]:
        yield f"finding {found['code']}"
    for case in record["cases"]:
        modelled = case["modelled"]
        speed = modelled["baseline_us"] / modelled["us"]
        if not modelled["eager_from_graph"]:
            yield f"case {case['id']}: the baseline does not follow the reference"
        if speed < LEAST and tokens[case["id"]] >= TOKENS:
            yield f"case {case['id']}: {speed:.2f} times eager"


def stated():
    """Programs of the README's tables and the microseconds beside them."""
    with open(os.path.join(FOLDER, "README.md"), encoding="utf-8") as f:
        return [(name, float(us)) for name, us in re.findall(r"^\| \[[\w/.]+\]\(([\w/.]+)\) \| ([\d.]+) \|", f.read(), re.M)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--akgen", required=True)
    parser.add_argument("--story", action="store_true")
    args = parser.parse_args()
    wrong = []
    if args.story:
        steps = stated()
        written = {os.path.relpath(os.path.join(at, n), FOLDER) for at, _, names in os.walk(FOLDER) for n in names if n.endswith(".py")}
        wrong += [f"{name}: the README states no time" for name in sorted(written - {name for name, _ in steps})]
        for name, us in steps:
            record = judge(args.akgen, os.path.join(FOLDER, name), "--case", "3")
            modelled = record["cases"][0]["modelled"]["us"]
            print(f"{name}: {record['verdict']}, {modelled:.2f} us, stated {us:.2f}")
            if record["verdict"] != "pass" or abs(modelled - us) > SLIP:
                wrong.append(f"{name}: {record['verdict']}, {modelled:.2f} us where the README states {us:.2f}")
    else:
        for name in sorted(n for n in os.listdir(FOLDER) if n.endswith(".py")):
            program = os.path.join(FOLDER, name)
            found = list(faults(judge(args.akgen, program), program))
            print(f"{'FAIL' if found else 'ok  '} {name}")
            wrong += [f"{name}: {what}" for what in found]
    print("\n".join(wrong))
    sys.exit(1 if wrong else 0)


main()

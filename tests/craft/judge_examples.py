#!/usr/bin/env python3
"""Lowers every program in a folder and judges it against the task its first line names, if it names one (`# task: NAME cases 0,1`).
Those that say `(slow)` there are judged with --slow alone.

usage: judge_examples.py --akgen PATH [--slow] FOLDER      exit status 1 when one does not pass
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile


def judge(akgen, program, slow):
    with open(program, encoding="utf-8") as f:
        head = re.match(r"# task: (\w+)(?: cases ([\w,]+))?( \(slow\))?\n", f.readline())
    if not head or bool(head.group(3)) != slow:
        return None
    with tempfile.TemporaryDirectory() as out:
        lower = subprocess.run([akgen, "craft", "lower", program, "-o", out], capture_output=True, text=True)
        if lower.returncode != 0:
            return lower.stderr
        command = [akgen, "judge", out, "--task", head.group(1), "--seed", "1"]
        if head.group(2):
            command += ["--case", head.group(2)]
        done = subprocess.run(command, capture_output=True, text=True)
        return "" if done.returncode == 0 else done.stdout + done.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--akgen", required=True)
    parser.add_argument("--slow", action="store_true")
    parser.add_argument("folder")
    args = parser.parse_args()
    programs = sorted(os.path.join(args.folder, n) for n in os.listdir(args.folder) if n.endswith(".py"))
    if not programs:
        sys.exit("no programs")
    failed = judged = 0
    for program in programs:
        why = judge(args.akgen, program, args.slow)
        if why is None:  # `craft validate` holds it against the interpreter
            continue
        judged += 1
        print(f"{'ok  ' if not why else 'FAIL'} {program}")
        if why:
            print(why)
            failed += 1
    sys.exit(1 if failed or not judged else 0)


main()

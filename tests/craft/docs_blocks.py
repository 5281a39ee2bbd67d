#!/usr/bin/env python3
"""Runs programs, and every ```python block of pages: each is held against its interpreter on the inputs it brings along.

usage: docs_blocks.py --akgen PATH FILE.md|FILE.py...      exit status 1 when one does not agree
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--akgen", required=True)
    parser.add_argument("pages", nargs="+")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        programs = []
        for page in args.pages:
            if page.endswith(".py"):
                programs.append(page)
                continue
            with open(page, encoding="utf-8") as f:
                blocks = re.findall(r"^```python\n(.*?)^```$", f.read(), re.M | re.S)
            for number, block in enumerate(blocks):
                path = os.path.join(folder, f"{os.path.basename(page)[:-3]}_{number}.py")
                with open(path, "w", encoding="utf-8") as out:
                    out.write(block)
                programs.append(path)
        if not programs:
            sys.exit("no blocks")
        bad = 0
        for program in programs:
            for command in (["check", program], ["fmt", program]):
                done = subprocess.run([args.akgen, "craft"] + command, capture_output=True, text=True)
                if done.returncode:
                    print(done.stderr)
                    bad += 1
        done = subprocess.run([args.akgen, "craft", "validate"] + programs)
        sys.exit(1 if bad or done.returncode else 0)


main()

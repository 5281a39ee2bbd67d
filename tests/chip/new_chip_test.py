#!/usr/bin/env python3
"""A chip that nobody has heard of is one data file: it gets plans, tiles and blocks of its own.

usage: new_chip_test.py AKGEN_BINARY REPOSITORY
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

NAME, CORES, UB, TASK = "910Z9", 6, 98304, "InplaceAttnSoftmax"


def home_with_chip(repository, folder):
    """The repository as akgen sees it, with one more file in data/chips."""
    for entry in os.listdir(repository):
        if entry in ("include", "tasks"):
            os.symlink(os.path.join(repository, entry), os.path.join(folder, entry))
    shutil.copytree(os.path.join(repository, "data"), os.path.join(folder, "data"))
    chips = os.path.join(folder, "data", "chips")
    with open(os.path.join(chips, "910B2.toml"), encoding="utf-8") as f:
        text = f.read()
    for old, new in (("910B2", NAME), ("aiv = { value = 48", f"aiv = {{ value = {CORES}"),
                     ("aic = { value = 24", f"aic = {{ value = {CORES // 2}"),
                     ("ub = { value = 196608", f"ub = {{ value = {UB}")):
        assert old in text, old
        text = text.replace(old, new)
    with open(os.path.join(chips, NAME + ".toml"), "w", encoding="utf-8") as f:
        f.write(text)


def main():
    akgen, repository = sys.argv[1:]
    with tempfile.TemporaryDirectory() as home:
        home_with_chip(repository, home)

        def run(*args, code=0):
            done = subprocess.run([akgen, *args], env=dict(os.environ, AKGEN_HOME=home), capture_output=True, text=True)
            assert done.returncode == code, f"{args}: {done.returncode}\n{done.stdout}\n{done.stderr}"
            return done.stdout

        seen = {}
        for chip in ("910B2", NAME):
            program = run("craft", "plan", "--task", TASK, "--chip", chip)
            path = os.path.join(home, chip + ".py")
            with open(path, "w", encoding="utf-8") as f:
                f.write(program)
            project = os.path.join(home, chip + ".project")
            run("craft", "lower", path, "--chip", chip, "--out", project)
            record = json.loads(run("judge", project, "--task", TASK, "--chip", chip, "--case", "3", "--time", "--json",
                                    "-"))
            assert record["verdict"] == "pass", record["reason"]
            assert len(record["provenance"]["chip"]) == 64
            seen[chip] = {"longest": int(re.search(r"if cols <= (\d+):", program).group(1)),
                          "chip": record["provenance"]["chip"],
                          "blocks": record["cases"][0]["block_dim"],
                          "ub": record["cases"][0]["modelled"]["ub_used"]}
        print(json.dumps(seen, indent=1))
        usual, new = seen["910B2"], seen[NAME]
        assert usual["blocks"] > CORES == new["blocks"]  # as many as there are cores
        assert usual["ub"] > UB >= new["ub"]             # tiles are cut to what fits
        assert usual["longest"] > 1.9 * new["longest"]   # the planner knows it, too
        assert usual["chip"] != new["chip"]
        # However its name is spelled.
        kernel = os.path.join(repository, "examples/kernels/fast_gelu")
        record = json.loads(run("judge", kernel, "--task", "FastGelu", "--case", "0", "--chip", "ascend" + NAME.lower(),
                                "--json", "-"))
        assert record["provenance"]["chip"] == new["chip"]


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""The tests of this folder with PyTorch 2 of the package index, in a virtual environment that is made where it is not there, and kept.

usage: torch2.py AKGEN FOLDER      (ctest -L torch2; 5 GB in build/release/torch2)

Exit status: 0 all passed, 1 some did not, 77 skipped: the package index cannot be reached.
"""
import os
import pathlib
import re
import subprocess
import sys
import venv

HERE = pathlib.Path(__file__).resolve().parent
WANTED = "torch==2.5.1 numpy setuptools"
TESTS = ("rules_test.py", "compile_test.py", "torch_test.py", "kernel_test.py")
NO_NETWORK = re.compile(r"from versions: none|ConnectionError|ConnectTimeoutError|ReadTimeoutError|ProxyError|NameResolutionError")  # pip's


def installed(folder):
    """The interpreter of the environment, or why there is none."""
    python, mark = folder / "bin/python", folder / "installed"
    wanted = f"{sys.version}\n{WANTED}\n"
    if mark.exists() and mark.read_text() == wanted:
        return python, ""
    print(f"installs {WANTED} into {folder}", flush=True)
    venv.create(folder, clear=True, with_pip=True)
    done = subprocess.run([python, "-m", "pip", "-q", "--disable-pip-version-check", "install", *WANTED.split()], stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode == 0:
        mark.write_text(wanted)
        return python, ""
    print(done.stderr, file=sys.stderr)
    if NO_NETWORK.search(done.stderr):
        print("the package index cannot be reached: nothing is tested")
        sys.exit(77)
    return None, "PyTorch cannot be installed"


def main(akgen, folder):
    python, reason = installed(pathlib.Path(folder).resolve())
    if python is None:
        print(reason)
        return 1
    failed = []
    for test in TESTS:
        print(f"--- {test}", flush=True)
        argv = [python, "-B", HERE / test, *([] if test == "rules_test.py" else [akgen])]
        if subprocess.run(list(map(str, argv)), env={**os.environ, "AKGEN_PYTHON": str(python)}, check=False).returncode:
            failed.append(test)
    print(f"failed: {', '.join(failed)}" if failed else f"{len(TESTS)} tests passed with {WANTED.split()[0]}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1]), sys.argv[2]))

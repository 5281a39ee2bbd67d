#!/usr/bin/env python3
"""What a page shows is what its commands say. usage: console_test.py PROGRAMS REPO PAGE"""
import os
import pathlib
import re
import socket
import sys
import tempfile

import console


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return str(s.getsockname()[1])


def main():
    programs, repo, name = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve(), sys.argv[3]
    page = re.sub(r"\b8000\b", free_port(), (repo / name).read_text())
    with tempfile.TemporaryDirectory() as folder:
        for path in repo.iterdir():
            if not path.name.startswith(".") and path.name != "out":
                (pathlib.Path(folder) / path.name).symlink_to(path)
        environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "PYTHONPATH": str(repo / "python"), "COLUMNS": "80"}
        wrong = console.run(page, folder, environment)
    print("\n\n".join(wrong) or f"{len(console.commands(page))} commands of {name} say what it shows")
    sys.exit(bool(wrong) or not console.commands(page))


main()

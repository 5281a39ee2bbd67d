"""The program `akgen`, where the package brings it along."""
from __future__ import annotations

import os
import pathlib
import sys
from typing import Optional


def bundled() -> Optional[str]:
    """Its path, or nothing: this is the client alone."""
    path = pathlib.Path(__file__).resolve().parent / "_program/libexec/akgen/akgen"
    return str(path) if path.exists() else None


def main() -> None:
    """The command `akgen`; what it captures with Python, it captures with this one."""
    os.environ.setdefault("AKGEN_PYTHON", sys.executable)
    path = bundled()
    assert path, "a package without the program has no command"
    os.execv(path, ["akgen", *sys.argv[1:]])

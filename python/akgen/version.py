"""The version: written at build time, else that of the sources around this file."""
from __future__ import annotations

import pathlib
import re


def _of_sources() -> str:
    header = pathlib.Path(__file__).resolve().parents[2] / "src/base/version.h"
    try:
        found = re.search(r'kVersion = "([0-9.]+)"', header.read_text(encoding="utf-8"))
    except OSError:
        found = None
    return found.group(1) if found else "0"


try:
    from ._version import __version__ as _built  # type: ignore[import-not-found, unused-ignore]
except ImportError:
    _built = ""
version: str = _built or _of_sources()

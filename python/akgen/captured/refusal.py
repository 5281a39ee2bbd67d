"""Why a function is not captured, with the line of the user's file."""
from __future__ import annotations

import linecache
import sys
from typing import Any, Dict, Optional


class Refused(Exception):
    """`kind` is one of: example, operator, data, random, loop, unfaithful, file. `line` is one of the user's file."""

    def __init__(self, kind: str, reason: str, line: Optional[int] = None, file: str = "") -> None:
        super().__init__(reason)
        self.kind, self.reason, self.line, self.file = kind, reason, line, file

    def record(self, file: str) -> Dict[str, Any]:
        name = self.file or file
        text = linecache.getline(name, self.line).strip() if self.line else ""
        return {"kind": self.kind, "reason": self.reason, "file": name, "line": self.line, "text": text}


def line_in(file: str) -> Optional[int]:
    """The line of `file` that is running: that of its innermost frame."""
    frame = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_filename == file:
            return frame.f_lineno
        frame = frame.f_back  # type: ignore[assignment]
    return None


def line_of(error: BaseException, file: str) -> Optional[int]:
    """The line of `file` that an exception came through, the innermost one."""
    line, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == file:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line

"""Edits that the judge tried: put into the files that were judged."""
from __future__ import annotations

from typing import Dict, Iterable, List, Mapping, Tuple

from . import errors
from .records.judgement import Edit


def _offset(source: bytes, starts: List[int], line: int, column: int, file: str) -> int:
    place = starts[line - 1] + column - 1 if 1 <= line <= len(starts) else -1
    if not 0 <= place <= len(source):
        raise errors.InvalidRequest("an edit lies outside of its file", where=f"{file}:{line}:{column}", fix="apply edits to the files that were judged")
    return place


def apply_edits(files: Mapping[str, str], edits: Iterable[Edit]) -> Dict[str, str]:
    """The files with the edits of one finding in them. Those of a second finding name lines that may have moved: judge again first."""
    by_file: Dict[str, List[Edit]] = {}
    for edit in edits:
        by_file.setdefault(edit.file, []).append(edit)
    out = dict(files)
    for file, of_file in by_file.items():
        if file not in files:
            raise errors.InvalidRequest("an edit names a file that is not there", where=file, fix="apply edits to the files that were judged")
        source = files[file].encode()
        starts = [0]
        for line in source.split(b"\n")[:-1]:
            starts.append(starts[-1] + len(line) + 1)
        spans: List[Tuple[int, int, bytes]] = sorted(
            (_offset(source, starts, e.line, e.column, file), _offset(source, starts, e.end_line, e.end_column, file), e.text.encode()) for e in of_file)
        edited, end = b"", 0
        for first, last, text in spans:
            edited += source[end:first] + text
            end = last
        out[file] = (edited + source[end:]).decode()
    return out

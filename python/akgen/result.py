"""What a judgement ends in, and how a notebook shows it."""
from __future__ import annotations

import html
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional

from . import errors
from .profiles import Profile
from .record import Record, member
from .records import Judgement
from .records.judgement import Edit, Finding

_COLOURS = {"pass": "#1a7f37", "unsupported": "#6e7781", "undecided": "#6e7781", "infra_error": "#6e7781"}
_CELL = "text-align:left;padding:2px 10px 2px 0;vertical-align:top"


@dataclass
class Result(Record):
    """One verdict. The number is `reward()`; `number` is None where there must be none."""

    id: str = member("id")
    verdict: str = member("verdict")  # of the record; or no_code, refused, too_long
    reason: str = member("reason")
    number: Optional[float] = member("reward")
    sealed: bool = member("sealed")
    cached: bool = member("cached")
    queued_ms: float = member("queued_ms")
    judged_ms: float = member("judged_ms")
    retryable: bool = member("retryable")
    feedback: str = member("feedback")  # what a model may read: diagnostics and findings, no value that it is compared with
    record: Optional[Judgement] = member("record", lambda: Judgement)  # None: there was nothing to judge
    reward_version: Optional[int] = member("reward_version", required=False)  # of the table of rewards, docs/reward.md
    bound_share: Optional[float] = member("bound_share", required=False)  # of the least time that the chip allows; None: not timed
    profiles: Optional[List[Profile]] = member("profiles", lambda: Profile, required=False)  # where `profile` was asked for, of cases that ran
    more: Dict[str, Any] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        return self.verdict == "pass"

    def reward(self) -> float:
        """The reward. Raises `NotRewarded` where the judgement says nothing about the candidate."""
        if self.number is not None:
            return self.number
        kinds = {"unsupported": errors.Unsupported, "undecided": errors.Undecided, "infra_error": errors.InfraError}
        kind = kinds.get(self.verdict, errors.NotRewarded if self.sealed else errors.Unsealed)
        raise kind(f"{self.verdict}: {self.reason}" if self.reason else self.verdict, self)

    def findings(self) -> List[Finding]:
        """Findings of all cases."""
        return [f for case in self.record.cases for f in case.findings] if self.record else []

    def repairs(self) -> List[List[Edit]]:
        """Edits that make a finding go away, finding by finding, each once; where `edits` was asked for."""
        out: List[List[Edit]] = []
        for f in self.findings():
            if f.edits and f.edits not in out:
                out.append(f.edits)
        return out

    def __str__(self) -> str:
        return self.verdict + (f": {self.reason}" if self.reason else "")

    def _repr_html_(self) -> str:
        colour = _COLOURS.get(self.verdict, "#cf222e")
        number = "no reward" if self.number is None else f"reward {self.number:g}"
        project = self.record.project or self.record.task if self.record else ""
        head = f'<b style="color:{colour}">{_text(self.verdict)}</b> {_text(project)} <small>({number})</small>'
        rows = [_row(case.id, case.verdict, case.reason, case.findings) for case in self.record.cases] if self.record else []
        table = f'<table><tr>{"".join(f"<th style={_quoted(_CELL)}>{h}</th>" for h in ("case", "verdict", "what"))}</tr>{"".join(rows)}</table>'
        build = "".join(f"<pre>{_text(d.file or '')}:{d.line or 0}: {_text(d.message)}</pre>" for d in self.record.diagnostics[:10]) if self.record else ""
        return f"<div>{head}<br>{_text(self.reason)}{build}{table if rows else ''}</div>"


def _text(value: Any) -> str:
    return html.escape(str(value))


def _quoted(value: str) -> str:
    return f'"{value}"'


def _row(case: str, verdict: str, reason: str, findings: List[Any]) -> str:
    what = [_text(reason)] if reason and not findings else []
    for f in findings[:5]:
        place = f" at {f.place.file}:{f.place.line}" if f.place.file else ""
        what.append(f"<b>{_text(f.code)}</b> {_text(f.message + place)}<br><small>fix: {_text(f.fix)}</small>")
    if len(findings) > 5:
        what.append(f"and {len(findings) - 5} more")
    cells = (_text(case), _text(verdict), "<br>".join(what))
    return "<tr>" + "".join(f"<td style={_quoted(_CELL)}>{c}</td>" for c in cells) + "</tr>"

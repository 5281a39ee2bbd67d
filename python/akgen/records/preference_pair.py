"""Made by tools/python_records from docs/schema/preference_pair.schema.json; changes are lost."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, List, Literal, Optional

from ..record import Record, member


@dataclass
class Message(Record):
    """`message` of the schema `preference_pair`."""

    role: Literal["system", "user", "assistant"] = member("role")
    content: str = member("content")
    more: Dict[str, Any] = field(default_factory=dict)


@dataclass
class Attempt(Record):
    """`attempt` of the schema `preference_pair`."""

    task: str = member("task")
    verdict: Literal["pass", "wrong_answer", "finding", "runtime_error", "timeout", "build_error", "rejected", "unsupported", "undecided", "infra_error", "refused", "no_code", "too_long"] = member("verdict")
    reason: str = member("reason")
    modelled_us: float = member("modelled_us")  # 0: not known
    sample: int = member("sample")
    turn: int = member("turn")
    source: str = member("source")  # the journal or store it came from
    generator: str = member("generator")
    provenance: Dict[str, Any] = member("provenance")  # hashes of what the verdict depends on
    reasoning: str = member("reasoning")
    answer: str = member("answer")
    more: Dict[str, Any] = field(default_factory=dict)


@dataclass
class PreferencePair(Record):
    """A line of pairs.jsonl of `akgen corpus pairs`: two attempts at one prompt, the better one chosen."""

    schema: Literal[1] = member("schema")
    kind: str = member("kind")  # the two verdicts, or faster
    margin: float = member("margin")  # how much better
    prompt: List[Message] = member("prompt", lambda: Message)
    chosen: Attempt = member("chosen", lambda: Attempt)
    rejected: Attempt = member("rejected", lambda: Attempt)
    more: Dict[str, Any] = field(default_factory=dict)

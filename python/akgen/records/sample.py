"""Made by tools/python_records from docs/schema/sample.schema.json; changes are lost."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, List, Literal, Optional

from ..record import Record, member


@dataclass
class Message(Record):
    """`message` of the schema `sample`."""

    role: Literal["system", "user", "assistant"] = member("role")
    content: str = member("content")
    more: Dict[str, Any] = field(default_factory=dict)


@dataclass
class Attempt(Record):
    """`attempt` of the schema `sample`."""

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
class Sample(Record):
    """A line of samples.jsonl of `akgen corpus pairs`: a conversation whose last message passed."""

    schema: Literal[1] = member("schema")
    kind: Literal["answer", "repair"] = member("kind")
    messages: List[Message] = member("messages", lambda: Message)
    record: Attempt = member("record", lambda: Attempt)
    failed: Optional[Attempt] = member("failed", lambda: Attempt, required=False)
    diagnosis: Optional[str] = member("diagnosis", required=False)  # what the model was told of the failed attempt
    more: Dict[str, Any] = field(default_factory=dict)

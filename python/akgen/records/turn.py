"""Made by tools/python_records from docs/schema/turn.schema.json; changes are lost."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, List, Literal, Optional

from ..record import Record, member


@dataclass
class Case(Record):
    """`case` of the schema `turn`."""

    id: str = member("id")
    verdict: Literal["pass", "wrong_answer", "finding", "runtime_error", "timeout", "build_error", "rejected", "unsupported", "undecided", "infra_error", "skipped"] = member("verdict")
    reason: str = member("reason")
    modelled_us: Optional[float] = member("modelled_us", required=False)  # microseconds
    modelled_range_us: Optional[List[Optional[float]]] = member("modelled_range_us", required=False)
    more: Dict[str, Any] = field(default_factory=dict)


@dataclass
class Turn(Record):
    """A line of kind `turn` in a journal of `akgen generate`: one answer and what became of it. Lines with the same task and sample, by turn, are a trajectory."""

    kind: Literal["turn"] = member("kind")
    task: str = member("task")
    sample: int = member("sample")
    turn: int = member("turn")
    verdict: Literal["pass", "wrong_answer", "finding", "runtime_error", "timeout", "build_error", "rejected", "unsupported", "undecided", "infra_error", "refused", "no_code", "too_long"] = member("verdict")
    sealed: bool = member("sealed")
    reason: str = member("reason")
    seed: Optional[int] = member("seed", required=False)  # of the request
    prompt: Optional[str] = member("prompt", required=False)  # hash of the messages: a line of kind `prompt` has them
    answer: Optional[str] = member("answer", required=False)
    reasoning: Optional[str] = member("reasoning", required=False)
    finish: Optional[str] = member("finish", required=False)
    prompt_tokens: Optional[int] = member("prompt_tokens", required=False)
    completion_tokens: Optional[int] = member("completion_tokens", required=False)
    cached: Optional[bool] = member("cached", required=False)
    attempts: Optional[int] = member("attempts", required=False)
    redraws: Optional[int] = member("redraws", required=False)  # attempts of compiler-guided resampling
    logprobs: Any = member("logprobs", required=False)  # as the model gave them
    model_ms: Optional[float] = member("model_ms", required=False)
    plan_ms: Optional[float] = member("plan_ms", required=False)
    judge_ms: Optional[float] = member("judge_ms", required=False)
    backend: Optional[Literal["guest", "native"]] = member("backend", required=False)
    feedback: Optional[str] = member("feedback", required=False)  # what the model is told when it repairs
    advice: Optional[str] = member("advice", required=False)  # what it is told when it improves
    files: Optional[Dict[str, Any]] = member("files", required=False)  # path: text
    cases: Optional[List[Case]] = member("cases", lambda: Case, required=False)
    codes: Optional[List[str]] = member("codes", required=False)  # of the findings
    modelled_us: Optional[float] = member("modelled_us", required=False)  # of all cases
    provenance: Optional[Dict[str, Any]] = member("provenance", required=False)  # hashes of what the verdict depends on
    more: Dict[str, Any] = field(default_factory=dict)

"""The keyword arguments that requests have in common, for type checkers and editors: `**options: Unpack[JudgeOptions]`."""
from __future__ import annotations

from typing import Literal, Sequence, TypedDict, Union

Form = Literal["project", "kernel", "program", "auto"]
Priority = Literal["high", "normal", "low"]
Precision = Literal["strict", "upstream"]
Inputs = Literal["wide", "upstream"]
Seed = Union[int, Literal["fresh"]]


class JudgeOptions(TypedDict, total=False):
    """All but the candidate, as POST /v1/judge has them (docs/serve.md)."""

    cases: Sequence[str]  # ids; without: every case
    seed: Seed  # of the inputs and the hidden cases; without: the server's
    hidden: int  # cases with unseen shapes and values that a pass takes as well; without: the server's number, 0 where cases are named
    chip: str
    precision: Precision
    inputs: Inputs  # upstream: the benchmark's own distributions, without the range group
    time: bool  # model the time of every case
    timeline: bool  # and keep the timeline of the first core
    profile: bool  # say what limits the kernel and what changes would gain: Result.profiles
    edits: bool  # look for edits that make findings go away; several times as long
    priority: Priority
    deadline_s: float  # how long the caller waits, queue included
    cache: bool  # False: judge it again even where the same work has a verdict


class AnswerOptions(JudgeOptions, total=False):
    form: Form  # what the text holds; without: auto
    project: str  # what the record calls it


class ClientOptions(TypedDict, total=False):
    """Of a client, however it is made."""

    name: str  # what the server's fairness and log call this client
    timeout: float  # seconds that one reply may take
    patience: float  # seconds that a server which is busy, stopping or not there is asked again

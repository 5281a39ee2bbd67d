"""Verdicts and rewards for Ascend C kernels.

    import akgen
    akgen.judge("examples/kernels/fast_gelu", task="FastGelu")        # a Result
    akgen.reward(answer_of_a_model, task="FastGelu")                  # a number, or an exception; never a guess

The functions here ask the server of $AKGEN_URL (token: $AKGEN_TOKEN), or else one that is started as a child process
(program: $AKGEN, else `akgen` of the PATH). `Client` is the same with everything said explicitly.
"""
from __future__ import annotations

import os
import threading
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Union

from . import records
from .client import Client, Job, Project, files_of, submission
from .errors import (AccessDenied, AkgenError, Cancelled, ConnectionFailed, DeadlineExpired, InfraError, InvalidRequest, KeyConflict,
                     NotFound, NotRewarded, Overloaded, ServerFault, Undecided, Unsealed, Unsupported)
from .records import Judgement
from .result import Result

_default: Optional[Client] = None
_lock = threading.Lock()


def default_client() -> Client:
    """The one that the functions of this module share."""
    global _default
    with _lock:
        if _default is None:
            url = os.environ.get("AKGEN_URL")
            _default = Client(url) if url else Client.start()
        return _default


def set_default(client: Optional[Client]) -> None:
    """Another one from now on; None: made when it is next needed."""
    global _default
    with _lock:
        _default = client


def judge(project: Project, task: str, **options: Any) -> Result:
    return default_client().judge(project, task, **options)


def judge_source(text: str, task: str, **options: Any) -> Result:
    return default_client().judge_source(text, task, **options)


def judge_many(requests: Iterable[Mapping[str, Any]], **options: Any) -> List[Union[Result, AkgenError]]:
    return default_client().judge_many(requests, **options)


def reward(text: str, task: str, **options: Any) -> float:
    return default_client().reward(text, task, **options)


def rewards(texts: Sequence[str], tasks: Sequence[str], **options: Any) -> List[Optional[float]]:
    return default_client().rewards(texts, tasks, **options)


def reward_or_none(text: str, task: str, **options: Any) -> Optional[float]:
    """For trainers that leave out samples without a number: None where the judgement says nothing about the answer."""
    try:
        return reward(text, task, **options)
    except NotRewarded:
        return None


def tasks() -> List[Dict[str, Any]]:
    return default_client().tasks()


__all__ = ["AccessDenied", "AkgenError", "Cancelled", "Client", "ConnectionFailed", "DeadlineExpired", "InfraError", "InvalidRequest", "Job",
           "Judgement", "KeyConflict", "NotFound", "NotRewarded", "Overloaded", "Project", "Result", "ServerFault", "Undecided", "Unsealed",
           "Unsupported", "default_client", "files_of", "judge", "judge_many", "judge_source", "records", "reward", "reward_or_none",
           "rewards", "set_default", "submission", "tasks"]

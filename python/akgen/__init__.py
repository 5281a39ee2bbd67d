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
from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Mapping, Optional, Sequence, Union

from . import records
from .aio import AsyncClient, AsyncJob
from .backend import FALLBACKS, torch_backend
from .client import Client, Job, Project, files_of, submission
from .repairs import apply_edits
from .errors import (AccessDenied, AkgenError, Cancelled, ConnectionFailed, DeadlineExpired, InfraError, InvalidRequest, KeyConflict,
                     NotFound, NotRewarded, Overloaded, ServerFault, Undecided, Unsealed, Unsupported)
from .kernels import Kernel, KernelError, kernel
from .options import AnswerOptions, ClientOptions, Form, JudgeOptions
from .profiles import Profile
from .records import Judgement
from .result import Result
from .version import version as __version__

if TYPE_CHECKING:
    from typing_extensions import Unpack

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


def judge(project: Project, task: str, *, key: str = "", form: Form = "project", **options: Unpack[JudgeOptions]) -> Result:
    return default_client().judge(project, task, key=key, form=form, **options)


def judge_source(text: str, task: str, *, key: str = "", **options: Unpack[AnswerOptions]) -> Result:
    return default_client().judge_source(text, task, key=key, **options)


def judge_many(requests: Iterable[Mapping[str, Any]], *, concurrency: int = 32) -> List[Union[Result, AkgenError]]:
    return default_client().judge_many(requests, concurrency=concurrency)


def edits(project: Project, task: str, *, form: Form = "project", **options: Unpack[JudgeOptions]) -> Result:
    return default_client().edits(project, task, form=form, **options)


def profile(project: Project, task: str, *, form: Form = "project", **options: Unpack[JudgeOptions]) -> List[Profile]:
    return default_client().profile(project, task, form=form, **options)


def reward(text: str, task: str, *, key: str = "", **options: Unpack[AnswerOptions]) -> float:
    return default_client().reward(text, task, key=key, **options)


def rewards(texts: Sequence[str], tasks: Sequence[str], *, concurrency: int = 32, **options: Unpack[AnswerOptions]) -> List[Optional[float]]:
    return default_client().rewards(texts, tasks, concurrency=concurrency, **options)


def reward_or_none(text: str, task: str, *, key: str = "", **options: Unpack[AnswerOptions]) -> Optional[float]:
    """For trainers that leave out samples without a number: None where the judgement says nothing about the answer."""
    try:
        return reward(text, task, key=key, **options)
    except NotRewarded:
        return None


def tasks() -> List[Dict[str, Any]]:
    return default_client().tasks()


__all__ = ["FALLBACKS", "Kernel", "KernelError", "kernel", "torch_backend", "AccessDenied", "AkgenError", "AnswerOptions", "AsyncClient", "AsyncJob", "Cancelled", "Client", "ClientOptions", "ConnectionFailed",
           "DeadlineExpired", "InfraError", "InvalidRequest", "Job", "JudgeOptions", "Judgement", "KeyConflict", "NotFound", "NotRewarded", "Overloaded",
           "Profile", "Project", "Result", "ServerFault", "Undecided", "Unsealed", "Unsupported", "__version__", "apply_edits", "default_client",
           "files_of", "judge", "judge_many", "judge_source", "records", "reward", "reward_or_none", "rewards", "set_default", "submission", "tasks"]

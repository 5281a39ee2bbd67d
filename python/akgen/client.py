"""Asking a server: one candidate, many of them, jobs that outlive the connection."""
from __future__ import annotations

import concurrent.futures
import os
import pathlib
from typing import TYPE_CHECKING, Any, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Union

from . import errors
from .child import Child
from .options import AnswerOptions, ClientOptions, Form, Inputs, JudgeOptions, Precision, Priority, Seed
from .profiles import Profile
from .result import Result
from .transport import Transport

if TYPE_CHECKING:
    from typing_extensions import Unpack

Project = Union[str, "os.PathLike[str]", Mapping[str, str]]
_PARTS = ("op_host", "op_kernel")


def files_of(project: Project) -> Dict[str, str]:
    """Path below the project to content: a mapping as it is, or what lies in op_host and op_kernel of a folder."""
    if isinstance(project, Mapping):
        return dict(project)
    base = pathlib.Path(project)
    if not base.is_dir():
        raise errors.InvalidRequest("there is no such folder", where=str(base), fix="name a folder with op_host and op_kernel, or give a mapping of files")
    found = [p for part in _PARTS for p in sorted((base / part).rglob("*")) if p.is_file()]
    if not found:
        raise errors.InvalidRequest("the folder has neither op_host nor op_kernel in it", where=str(base))
    return {p.relative_to(base).as_posix(): p.read_text(encoding="utf-8") for p in found}


def submission(task: str, *, files: Optional[Mapping[str, str]] = None, text: Optional[str] = None, form: Form = "auto",
               cases: Optional[Sequence[str]] = None, seed: Optional[Seed] = None, chip: Optional[str] = None,
               precision: Optional[Precision] = None, inputs: Optional[Inputs] = None, time: bool = False, timeline: bool = False, profile: bool = False, edits: bool = False,
               priority: Optional[Priority] = None, deadline_s: Optional[float] = None, cache: bool = True, project: Optional[str] = None,
               hidden: Optional[int] = None) -> Dict[str, Any]:
    """The body of a request, as POST /v1/judge takes it (docs/serve.md). `hidden`: cases that a pass takes as well; default: the server's number."""
    body: Dict[str, Any] = {"task": task, "form": form, "files": None if files is None else dict(files), "cases": None if cases is None else [str(c) for c in cases],
                            "text": " " if text == "" else text, "seed": seed, "chip": chip, "precision": precision, "inputs": inputs, "time": time or None, "timeline": timeline or None,
                            "profile": profile or None, "edits": edits or None, "hidden": hidden,
                            "priority": priority, "deadline_ms": None if deadline_s is None else deadline_s * 1000, "cache": None if cache else False, "project": project}
    return {name: value for name, value in body.items() if value is not None}


def judge_body(project: Project, task: str, form: Form, options: JudgeOptions) -> Dict[str, Any]:
    return submission(task, files=files_of(project), form=form, **options)


def profile_body(project: Project, task: str, form: Form, options: JudgeOptions) -> Dict[str, Any]:
    """Two profiles are compared: the inputs are the same where nothing else is said."""
    return {"seed": 1, **judge_body(project, task, form, options), "profile": True}


def result_of(status: int, body: Any) -> Result:
    if isinstance(body, dict) and "verdict" in body:
        try:
            result = Result.from_json(body)
        except ValueError as e:
            raise errors.ServerFault(f"the server's record is none of this package's: {e}", fix="use the package and the server of one version", status=status) from e
        if result.verdict == "infra_error":
            result.reward()  # raises: there is nothing to look at
        return result
    raise errors.from_reply(status, body)


def results_of_batch(status: int, body: Any) -> List[Union[Result, errors.AkgenError]]:
    if status != 200 or not isinstance(body, dict):
        raise errors.from_reply(status, body)
    out: List[Union[Result, errors.AkgenError]] = []
    for entry in body["results"]:
        try:
            out.append(result_of(entry["status"], entry["result"]))
        except errors.AkgenError as e:
            out.append(e)
    return out


def submissions(texts: Sequence[str], tasks: Sequence[str], options: AnswerOptions) -> List[Dict[str, Any]]:
    if isinstance(texts, str) or isinstance(tasks, str) or len(texts) != len(tasks):
        raise errors.InvalidRequest("answers and tasks are two lists of one length", where="rewards", fix="name the task of each answer")
    return [submission(task, text=text, **options) for text, task in zip(texts, tasks)]


def numbers_of(results: Sequence[Union[Result, errors.AkgenError]]) -> List[Optional[float]]:
    """Rewards; None where the judgement says nothing about the candidate. Anything else that failed is raised."""
    out: List[Optional[float]] = []
    for r in results:
        if isinstance(r, Exception) and not isinstance(r, errors.NotRewarded):
            raise r
        out.append(r.number if isinstance(r, Result) else None)
    return out


class Client:
    """A server of `url`, or one started here as a child (`Client.start`). Any number of threads may use it, and processes
    that are forked from this one: each opens connections of its own.

    `name` is what the server's fairness and log call this client; `timeout` is what one reply may take, in seconds;
    `patience` how long a server that is busy, stopping or not there is asked again.
    """

    def __init__(self, url: str, token: Optional[str] = None, *, name: str = "", timeout: float = 3600.0, patience: float = 60.0) -> None:
        self._child: Optional[Child] = None
        self._transport = Transport(url, token or os.environ.get("AKGEN_TOKEN"), name, timeout, patience)

    @classmethod
    def start(cls, *, akgen: Optional[str] = None, jobs: Optional[int] = None, options: Sequence[str] = (), **more: Unpack[ClientOptions]) -> "Client":
        """Over a server of its own, which ends with this client or this process. `options` are those of `akgen serve`."""
        child = Child(akgen, jobs, options)
        client = cls(child.url, child.token, **more)
        client._child = child
        return client

    @property
    def url(self) -> str:
        return self._transport.url

    def close(self) -> None:
        self._transport.close()
        if self._child:
            self._child.close()

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def judge(self, project: Project, task: str, *, key: str = "", form: Form = "project", **options: Unpack[JudgeOptions]) -> Result:
        """Judges an operator project: a folder, or a mapping of its files."""
        return self.judge_request(judge_body(project, task, form, options), key=key)

    def edits(self, project: Project, task: str, *, form: Form = "project", **options: Unpack[JudgeOptions]) -> Result:
        """The same, and looks for edits that make findings go away: `Result.repairs()` has them, `apply_edits` puts one in."""
        return self.judge_request({**judge_body(project, task, form, options), "edits": True})

    def profile(self, project: Project, task: str, *, form: Form = "project", **options: Unpack[JudgeOptions]) -> List[Profile]:
        """What limits a kernel in each case that runs, and what changes would gain. Empty where none runs."""
        return self.judge_request(profile_body(project, task, form, options)).profiles or []

    def judge_source(self, text: str, task: str, *, key: str = "", **options: Unpack[AnswerOptions]) -> Result:
        """Judges an answer: code is taken out of the text. Without code the verdict is `no_code`."""
        return self.judge_request(submission(task, text=text, **options), key=key)

    def judge_request(self, body: Mapping[str, Any], *, key: str = "") -> Result:
        """With `key` nothing is judged twice, whatever happens to the server or the connection."""
        return result_of(*self._transport.ask("POST", "/v1/judge", body, key=key))

    def reward(self, text: str, task: str, *, key: str = "", **options: Unpack[AnswerOptions]) -> float:
        """The reward of an answer. Raises `NotRewarded` where there must be none; never guesses."""
        return self.judge_source(text, task, key=key, **options).reward()

    def judge_many(self, requests: Iterable[Mapping[str, Any]], *, concurrency: int = 32) -> List[Union[Result, errors.AkgenError]]:
        """All of them (made by `submission`), in their order. One that fails is its exception, in its place."""
        def one(body: Mapping[str, Any]) -> Union[Result, errors.AkgenError]:
            try:
                return self.judge_request(body)
            except errors.AkgenError as e:
                return e
        with concurrent.futures.ThreadPoolExecutor(max(1, concurrency)) as pool:
            return list(pool.map(one, requests))

    def rewards(self, texts: Sequence[str], tasks: Sequence[str], *, concurrency: int = 32, **options: Unpack[AnswerOptions]) -> List[Optional[float]]:
        """One reward for each answer; None where the judgement says nothing about it. Anything else that fails is raised."""
        return numbers_of(self.judge_many(submissions(texts, tasks, options), concurrency=concurrency))

    def batch(self, requests: Sequence[Mapping[str, Any]]) -> List[Union[Result, errors.AkgenError]]:
        """The same in one request (at most 10,000, within the server's --body-mb), which is not asked again where the queue is full."""
        return results_of_batch(*self._transport.ask("POST", "/v1/batch", {"requests": [dict(r) for r in requests]}))

    def submit(self, body: Mapping[str, Any], *, key: str = "") -> "Job":
        """A job that outlives this connection, and the server where it has a --state."""
        status, reply = self._transport.ask("POST", "/v1/jobs", body, key=key)
        if status != 202:
            raise errors.from_reply(status, reply)
        return Job(self, reply["id"])

    def job(self, id: str) -> "Job":
        return Job(self, id)

    def tasks(self) -> List[Dict[str, Any]]:
        """name, level and category of every task."""
        out: List[Dict[str, Any]] = self.get("/v1/tasks")["tasks"]
        return out

    def task(self, name: str) -> Dict[str, Any]:
        """Description, reference and cases of one."""
        out: Dict[str, Any] = self.get("/v1/tasks/" + name)
        return out

    def get(self, path: str) -> Any:
        status, body = self._transport.ask("GET", path)
        if status != 200:
            raise errors.from_reply(status, body)
        return body


def gone(e: errors.AkgenError) -> bool:
    """Is its server not there, maybe for a while only? A balancer says so in place of the server."""
    return isinstance(e, errors.ConnectionFailed) or e.status in (502, 503, 504) and not e.code


class Job:
    """A job of the server's, which keeps it for a day after its end."""

    def __init__(self, client: Client, id: str) -> None:
        self._client, self.id = client, id

    def __repr__(self) -> str:
        return f"Job({self.id!r})"

    def state(self) -> Dict[str, Any]:
        """`state` (queued, running, done), `ahead`; `status` and `result` when it is done."""
        out: Dict[str, Any] = self._client.get("/v1/jobs/" + self.id)
        return out

    def follow(self) -> Iterator[Dict[str, Any]]:
        """States as they change; the last one is `done`."""
        return self._client._transport.events(f"/v1/jobs/{self.id}/events")

    def wait(self) -> Result:
        """Blocks until it is done; follows it again when the connection breaks."""
        broken = 0
        while True:
            try:
                for state in self.follow():
                    broken = 0
                    if state["state"] == "done":
                        return result_of(state["status"], state["result"])
            except errors.AkgenError as e:
                broken += 1
                if broken > 3 or not gone(e):
                    raise
            self.state()  # which has patience

    def cancel(self) -> None:
        """Takes it back; what judges it is ended."""
        status, body = self._client._transport.ask("DELETE", "/v1/jobs/" + self.id)
        if status != 200:
            raise errors.from_reply(status, body)

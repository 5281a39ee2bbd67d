"""The client for asyncio: the methods of `Client`, each awaited. A task that is cancelled takes its work back."""
from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, Any, AsyncIterator, Dict, Iterable, List, Mapping, Optional, Sequence, Union

from . import errors
from .aio_transport import AsyncTransport
from .child import Child
from .client import Project, gone, judge_body, numbers_of, profile_body, result_of, results_of_batch, submission, submissions
from .options import AnswerOptions, ClientOptions, Form, JudgeOptions
from .profiles import Profile
from .result import Result

if TYPE_CHECKING:
    from typing_extensions import Unpack


class AsyncClient:
    """A server of `url`, or one started here as a child (`await AsyncClient.start()`). Any number of tasks of one event loop may use it."""

    def __init__(self, url: str, token: Optional[str] = None, *, name: str = "", timeout: float = 3600.0, patience: float = 60.0) -> None:
        self._child: Optional[Child] = None
        self._transport = AsyncTransport(url, token or os.environ.get("AKGEN_TOKEN"), name, timeout, patience)

    @classmethod
    async def start(cls, *, akgen: Optional[str] = None, jobs: Optional[int] = None, options: Sequence[str] = (), **more: Unpack[ClientOptions]) -> "AsyncClient":
        """Over a server of its own, which ends with this client or this process. `options` are those of `akgen serve`."""
        child = await asyncio.get_running_loop().run_in_executor(None, Child, akgen, jobs, options)
        client = cls(child.url, child.token, **more)
        client._child = child
        return client

    @property
    def url(self) -> str:
        return self._transport.url

    async def close(self) -> None:
        await self._transport.close()
        if self._child:
            await asyncio.get_running_loop().run_in_executor(None, self._child.close)

    async def __aenter__(self) -> "AsyncClient":
        return self

    async def __aexit__(self, *_: Any) -> None:
        await self.close()

    async def judge(self, project: Project, task: str, *, key: str = "", form: Form = "project", **options: Unpack[JudgeOptions]) -> Result:
        """Judges an operator project: a folder, or a mapping of its files."""
        return await self.judge_request(judge_body(project, task, form, options), key=key)

    async def edits(self, project: Project, task: str, *, form: Form = "project", **options: Unpack[JudgeOptions]) -> Result:
        """The same, and looks for edits that make findings go away: `Result.repairs()` has them, `apply_edits` puts one in."""
        return await self.judge_request({**judge_body(project, task, form, options), "edits": True})

    async def profile(self, project: Project, task: str, *, form: Form = "project", **options: Unpack[JudgeOptions]) -> List[Profile]:
        """What limits a kernel in each case that runs, and what changes would gain. Empty where none runs."""
        return (await self.judge_request(profile_body(project, task, form, options))).profiles or []

    async def judge_source(self, text: str, task: str, *, key: str = "", **options: Unpack[AnswerOptions]) -> Result:
        """Judges an answer: code is taken out of the text. Without code the verdict is `no_code`."""
        return await self.judge_request(submission(task, text=text, **options), key=key)

    async def judge_request(self, body: Mapping[str, Any], *, key: str = "") -> Result:
        """With `key` nothing is judged twice, whatever happens to the server or the connection."""
        return result_of(*await self._transport.ask("POST", "/v1/judge", body, key=key))

    async def reward(self, text: str, task: str, *, key: str = "", **options: Unpack[AnswerOptions]) -> float:
        """The reward of an answer. Raises `NotRewarded` where there must be none; never guesses."""
        return (await self.judge_source(text, task, key=key, **options)).reward()

    async def judge_many(self, requests: Iterable[Mapping[str, Any]], *, concurrency: int = 64) -> List[Union[Result, errors.AkgenError]]:
        """All of them (made by `submission`), in their order. One that fails is its exception, in its place."""
        limit = asyncio.Semaphore(max(1, concurrency))

        async def one(body: Mapping[str, Any]) -> Union[Result, errors.AkgenError]:
            async with limit:
                try:
                    return await self.judge_request(body)
                except errors.AkgenError as e:
                    return e
        return list(await asyncio.gather(*(one(body) for body in requests)))

    async def rewards(self, texts: Sequence[str], tasks: Sequence[str], *, concurrency: int = 64, **options: Unpack[AnswerOptions]) -> List[Optional[float]]:
        """One reward for each answer; None where the judgement says nothing about it. Anything else that fails is raised."""
        return numbers_of(await self.judge_many(submissions(texts, tasks, options), concurrency=concurrency))

    async def batch(self, requests: Sequence[Mapping[str, Any]]) -> List[Union[Result, errors.AkgenError]]:
        """The same in one request (at most 10,000, within the server's --body-mb), which is not asked again where the queue is full."""
        return results_of_batch(*await self._transport.ask("POST", "/v1/batch", {"requests": [dict(r) for r in requests]}))

    async def submit(self, body: Mapping[str, Any], *, key: str = "") -> "AsyncJob":
        """A job that outlives this connection, and the server where it has a --state."""
        status, reply = await self._transport.ask("POST", "/v1/jobs", body, key=key)
        if status != 202:
            raise errors.from_reply(status, reply)
        return AsyncJob(self, reply["id"])

    def job(self, id: str) -> "AsyncJob":
        return AsyncJob(self, id)

    async def tasks(self) -> List[Dict[str, Any]]:
        """name, level and category of every task."""
        out: List[Dict[str, Any]] = (await self.get("/v1/tasks"))["tasks"]
        return out

    async def task(self, name: str) -> Dict[str, Any]:
        """Description, reference and cases of one."""
        out: Dict[str, Any] = await self.get("/v1/tasks/" + name)
        return out

    async def get(self, path: str) -> Any:
        status, body = await self._transport.ask("GET", path)
        if status != 200:
            raise errors.from_reply(status, body)
        return body


class AsyncJob:
    """A job of the server's, which keeps it for a day after its end."""

    def __init__(self, client: AsyncClient, id: str) -> None:
        self._client, self.id = client, id

    def __repr__(self) -> str:
        return f"AsyncJob({self.id!r})"

    async def state(self) -> Dict[str, Any]:
        """`state` (queued, running, done), `ahead`; `status` and `result` when it is done."""
        out: Dict[str, Any] = await self._client.get("/v1/jobs/" + self.id)
        return out

    def follow(self) -> AsyncIterator[Dict[str, Any]]:
        """States as they change; the last one is `done`."""
        return self._client._transport.events(f"/v1/jobs/{self.id}/events")

    async def wait(self) -> Result:
        """Until it is done; follows it again when the connection breaks."""
        broken = 0
        while True:
            try:
                async for state in self.follow():
                    broken = 0
                    if state["state"] == "done":
                        return result_of(state["status"], state["result"])
            except errors.AkgenError as e:
                broken += 1
                if broken > 3 or not gone(e):
                    raise
            await self.state()  # which has patience

    async def cancel(self) -> None:
        """Takes it back; what judges it is ended."""
        status, body = await self._client._transport.ask("DELETE", "/v1/jobs/" + self.id)
        if status != 200:
            raise errors.from_reply(status, body)

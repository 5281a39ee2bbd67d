"""Judging on a Ray cluster: a pool of actors, each with a server of its own, for rewards and for the shards of `akgen bench run`.

    ray.init(address="auto")
    with akgen.ray.Pool(jobs=4) as pool:                              # an actor for every 4 processors of the cluster
        numbers = pool.rewards(answers, tasks)
        pool.bench_run(["--candidates", "/shared/candidates"], out="run.db", shards=16)

Ray moves the work and says who is lost; what was lost is judged again elsewhere, which gives the same verdict: all servers have one seed.
The program akgen must be there on every node (`akgen=`, else $AKGEN, else the PATH), and what `bench_run` names on a file system that they share.
"""
from __future__ import annotations

import collections
import os
import pathlib
import secrets
import subprocess
import tempfile
import time
from typing import TYPE_CHECKING, Any, Deque, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

import ray as _ray  # type: ignore[import-not-found, unused-ignore]

from . import errors
from .child import find_akgen
from .client import Client, numbers_of, result_of, submissions
from .options import AnswerOptions
from .result import Result

if TYPE_CHECKING:
    from typing_extensions import Unpack

ray: Any = _ray  # its functions are only partly typed
_WAIT_S = 1.0
_AT_A_TIME = 2  # requests for each judging process: one under way, one that waits for it


class _Judge:
    """Runs in an actor."""

    def __init__(self, akgen: Optional[str], jobs: int, options: Sequence[str]) -> None:
        self._client = Client.start(akgen=akgen, jobs=jobs, options=options)

    def ready(self) -> str:
        return str(ray.get_runtime_context().get_node_id())

    def judge(self, body: Mapping[str, Any]) -> Tuple[int, Any]:
        return self._client._transport.ask("POST", "/v1/judge", body)


class _Member:
    """An actor, from when it is asked for: `starting` until it has answered, then `node`."""

    def __init__(self, actor: Any) -> None:
        self.actor, self.busy, self.node = actor, 0, ""
        self.starting: Any = actor.ready.remote()


class Pool:
    """`actors`: how many (without: as many as the processors of the cluster allow); `jobs`: judging processes and processors of each;
    `options`: further ones of `akgen serve`; `attempts`: actors that may be lost over one request; `patience`: seconds without any actor."""

    def __init__(self, actors: Optional[int] = None, *, jobs: int = 1, akgen: Optional[str] = None, options: Sequence[str] = (), seed: Optional[int] = None,
                 attempts: int = 5, patience: float = 600.0) -> None:
        if not ray.is_initialized():
            ray.init()
        self._jobs, self._akgen, self._attempts, self._patience = jobs, akgen, attempts, patience
        self.seed = secrets.randbits(32) if seed is None else seed
        self._wanted = actors or max(1, int(ray.cluster_resources().get("CPU", 1)) // jobs)
        self._make = ray.remote(_Judge).options(num_cpus=jobs, max_concurrency=_AT_A_TIME * jobs + 1)
        self._arguments = (akgen, jobs, ["--seed", str(self.seed), *options])
        self._members: List[_Member] = []
        self._refill()

    def __enter__(self) -> "Pool":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        members, self._members = self._members, []
        for member in members:
            ray.kill(member.actor)

    def nodes(self) -> List[str]:
        """The node of each actor that has started."""
        return [m.node for m in self._members if m.node]

    def judge_many(self, requests: Iterable[Mapping[str, Any]]) -> List[Union[Result, errors.AkgenError]]:
        """All of them (made by `submission`), in their order. One that fails is its exception, in its place. Of one thread at a time."""
        bodies = [dict(r) for r in requests]
        results: List[Union[None, Result, errors.AkgenError]] = [None] * len(bodies)
        todo: Deque[int] = collections.deque(range(len(bodies)))
        losses = [0] * len(bodies)
        under_way: Dict[Any, Tuple[int, _Member]] = {}
        alone_since = time.monotonic()
        while todo or under_way:
            self._refill()
            for member in self._members:
                while todo and member.node and member.busy < _AT_A_TIME * self._jobs:
                    i = todo.popleft()
                    under_way[member.actor.judge.remote(bodies[i])] = i, member
                    member.busy += 1
            starting = {m.starting: m for m in self._members if not m.node}
            done, _ = ray.wait([*under_way, *starting], timeout=_WAIT_S)
            for ref in done:
                if ref in starting:
                    self._started(starting[ref])
                    continue
                i, member = under_way.pop(ref)
                member.busy -= 1
                results[i] = self._answer(ref, member)
                if results[i] is None:
                    losses[i] += 1
                    if losses[i] < self._attempts:
                        todo.append(i)
                    else:
                        results[i] = errors.ServerFault(f"{losses[i]} judging actors were lost over this request", retryable=True)
            if self.nodes():
                alone_since = time.monotonic()
            elif time.monotonic() - alone_since > self._patience:
                raise errors.ConnectionFailed("the cluster has started no judging actor", fix="is there a node with as many free processors as `jobs`?", retryable=True)
        return [r for r in results if r is not None]

    def rewards(self, texts: Sequence[str], tasks: Sequence[str], **options: Unpack[AnswerOptions]) -> List[Optional[float]]:
        """One reward for each answer; None where the judgement says nothing about it. Anything else that fails is raised."""
        return numbers_of(self.judge_many(submissions(texts, tasks, options)))

    def bench_run(self, arguments: Sequence[str], out: Union[str, "os.PathLike[str]"], *, shards: int) -> None:
        """`akgen bench run ARGUMENTS`, a shard at a time on any node, merged into `out`. A shard whose node is lost is run again."""
        given = list(arguments)
        for name in ("--seed", "--hidden-seed"):
            if name not in given:
                given += [name, str(secrets.randbits(31))]
        self.close()  # its actors hold the processors that the shards need
        run = ray.remote(_run_shard).options(num_cpus=self._jobs, max_retries=-1)
        under_way = [run.remote(self._akgen, [*given, "-j", str(self._jobs), "--shard", f"{i}/{shards}"]) for i in range(shards)]
        with tempfile.TemporaryDirectory(prefix="akgen-") as folder:
            files = [pathlib.Path(folder) / f"shard-{i}.db" for i in range(shards)]
            for file, ref in zip(files, under_way):
                file.write_bytes(_got(ref))
            _run_akgen(self._akgen, ["bench", "merge", *map(str, files), "--out", os.fspath(out)])

    def _refill(self) -> None:
        while len(self._members) < self._wanted:
            self._members.append(_Member(self._make.remote(*self._arguments)))

    def _lose(self, member: _Member) -> None:
        if member in self._members:
            self._members.remove(member)
            ray.kill(member.actor)  # one that only seems lost must not keep its processors

    def _started(self, member: _Member) -> None:
        try:
            member.node = ray.get(member.starting)
        except ray.exceptions.RayError as e:
            self._lose(member)
            if getattr(e, "actor_init_failed", False):  # akgen does not start there: no other actor would do better
                raise errors.ConnectionFailed(f"a judging actor did not start: {str(e).strip()[-1000:]}") from e

    def _answer(self, ref: Any, member: _Member) -> Union[None, Result, errors.AkgenError]:
        """None: the actor was lost over it."""
        try:
            return result_of(*ray.get(ref))
        except ray.exceptions.RayTaskError as e:
            cause = e.as_instanceof_cause()
            return cause if isinstance(cause, errors.AkgenError) else errors.ServerFault(str(e), retryable=True)
        except ray.exceptions.RayError:
            self._lose(member)
            return None
        except errors.AkgenError as e:
            return e


def _got(ref: Any) -> bytes:
    try:
        found: bytes = ray.get(ref)
        return found
    except ray.exceptions.RayTaskError as e:
        raise e.as_instanceof_cause()


def _run_shard(akgen: Optional[str], arguments: List[str]) -> bytes:
    """Runs in a task: the store of one shard."""
    with tempfile.TemporaryDirectory(prefix="akgen-") as folder:
        out = pathlib.Path(folder) / "shard.db"
        _run_akgen(akgen, ["bench", "run", *arguments, "--out", str(out)])
        return out.read_bytes()


def _run_akgen(akgen: Optional[str], arguments: List[str]) -> None:
    done = subprocess.run([akgen or find_akgen(), *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        raise errors.ServerFault(f"akgen {arguments[0]} {arguments[1]} ended with {done.returncode}: {(done.stderr or done.stdout).strip()[-500:]}")

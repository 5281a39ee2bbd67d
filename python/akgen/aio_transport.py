"""HTTP over asyncio's streams: kept connections, patience with a busy server, errors as exceptions."""
from __future__ import annotations

import asyncio
import json
import os
import random
import secrets
import ssl
import time
import urllib.parse
from typing import Any, AsyncIterator, Dict, List, Optional, Tuple

from . import errors
from .transport import REQUEST_ID, check_request_id

_MOST_IDLE = 512
_MOST_HEAD = 1 << 20
_BROKEN = (OSError, EOFError, asyncio.LimitOverrunError, ValueError)


class _Connection:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer
        self.status, self.headers = 0, {}  # type: int, Dict[str, str]

    async def send(self, method: str, host: str, path: str, body: Optional[bytes], headers: Dict[str, str]) -> None:
        """One request, and the head of its reply."""
        lines = [f"{method} {path} HTTP/1.1", f"Host: {host}", *(f"{k}: {v}" for k, v in headers.items())]
        if body is not None or method in ("POST", "PUT"):
            lines.append(f"Content-Length: {len(body or b'')}")
        self.writer.write("\r\n".join([*lines, "", ""]).encode("latin-1") + (body or b""))
        await self.writer.drain()
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        self.status = int(head[0].split()[1])
        self.headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)}

    async def parts(self) -> AsyncIterator[bytes]:
        """The body of the reply, as it comes."""
        if "chunked" in self.headers.get("transfer-encoding", "").lower():
            while size := int((await self.reader.readuntil(b"\r\n")).split(b";")[0], 16):
                yield await self.reader.readexactly(size)
                await self.reader.readexactly(2)
            while await self.reader.readuntil(b"\r\n") != b"\r\n":
                pass
        elif "content-length" in self.headers:
            yield await self.reader.readexactly(int(self.headers["content-length"]))
        elif self.status not in (204, 304):
            while part := await self.reader.read(65536):
                yield part

    def kept(self) -> bool:
        framed = "content-length" in self.headers or "transfer-encoding" in self.headers or self.status in (204, 304)
        return framed and self.headers.get("connection", "").lower() != "close"

    def close(self) -> None:
        self.writer.close()

    def drop(self) -> None:
        """In the middle of something."""
        self.writer.transport.abort()


class AsyncTransport:
    """Any number of tasks of one event loop may use one."""

    def __init__(self, url: str, token: Optional[str], name: str, timeout: float, patience: float) -> None:
        parts = urllib.parse.urlsplit(url if "://" in url else "http://" + url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise errors.InvalidRequest("this is no address of a server", where=url, fix="use http://HOST:PORT")
        self.url = urllib.parse.urlunsplit((parts.scheme, parts.netloc, parts.path.rstrip("/"), "", ""))
        self._tls = ssl.create_default_context() if parts.scheme == "https" else None
        self._host, self._port, self._base = parts.hostname, parts.port or (443 if self._tls else 80), parts.path.rstrip("/")
        self._named = parts.netloc.rpartition("@")[2]
        self._timeout, self._patience = timeout, patience
        self._headers = {"Content-Type": "application/json", "User-Agent": "akgen-python"}
        if token:
            self._headers["Authorization"] = f"Bearer {token}"
        if name:
            self._headers["X-Client-Id"] = name
        for value in self._headers.values():
            if "\r" in value or "\n" in value:
                raise errors.InvalidRequest("a name or token has a line end in it")
        self._idle: List[_Connection] = []
        self._process = os.getpid()

    async def close(self) -> None:
        idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()
        for connection in idle:
            try:
                await connection.writer.wait_closed()
            except OSError:
                pass

    async def _connect(self) -> _Connection:
        return _Connection(*await asyncio.open_connection(self._host, self._port, ssl=self._tls, limit=_MOST_HEAD))

    async def _once(self, method: str, path: str, body: Optional[bytes], headers: Dict[str, str]) -> Tuple[int, bytes, float]:
        if self._process != os.getpid():  # the parent's connections, of the parent's event loop
            self._idle, self._process = [], os.getpid()
        kept = bool(self._idle)
        connection = self._idle.pop() if kept else await self._connect()
        request_id = secrets.token_hex(12)
        try:
            await connection.send(method, self._named, self._base + path, body, {**headers, REQUEST_ID: request_id})
            data = b"".join([part async for part in connection.parts()])
            check_request_id(connection.status, connection.headers.get(REQUEST_ID.lower()), request_id, self.url)
        except BaseException as e:
            connection.drop()  # takes the work back, also where our own task was cancelled: the server stops what nobody waits for
            if kept and isinstance(e, _BROKEN):
                return await self._once(method, path, body, headers)  # it had closed a connection that was idle
            raise
        if connection.kept() and len(self._idle) < _MOST_IDLE:
            self._idle.append(connection)
        else:
            connection.close()
        wait = connection.headers.get("retry-after", "")
        return connection.status, data, float(wait) if wait.isdigit() else 0.0

    async def ask(self, method: str, path: str, body: Any = None, *, key: str = "") -> Tuple[int, Any]:
        """Status and parsed body. Asks again, as long as its patience lasts, where the server is busy or not there."""
        data = None if body is None else json.dumps(body).encode()
        if "\r" in key or "\n" in key:
            raise errors.InvalidRequest("a key has a line end in it", where="key")
        headers = {**self._headers, **({"Idempotency-Key": key} if key else {})}
        until, pause = time.monotonic() + self._patience, 0.25
        while True:
            wait, trouble = 0.0, None
            try:
                status, raw, wait = await asyncio.wait_for(self._once(method, path, data, headers), self._timeout)
                if status not in (429, 502, 503):
                    return status, parsed(raw)
            except asyncio.TimeoutError as e:
                raise self._broken(e) from e  # the work may still be under way
            except _BROKEN as e:
                trouble = self._broken(e)
            left = until - time.monotonic()
            if left <= 0:
                if trouble:
                    raise trouble
                return status, parsed(raw)
            await asyncio.sleep(min(left, max(wait, pause) * (0.5 + random.random())))
            pause = min(pause * 2, 8.0)

    async def events(self, path: str) -> AsyncIterator[Any]:
        """Server-sent events, parsed, until the server ends them."""
        connection = None
        try:
            connection = await self._connect()
            await connection.send("GET", self._named, self._base + path, None, self._headers)
            rest = b""
            if connection.status != 200:
                raise errors.from_reply(connection.status, parsed(b"".join([part async for part in connection.parts()])))
            async for part in connection.parts():
                *lines, rest = (rest + part).split(b"\n")
                for line in lines:
                    if line.startswith(b"data: "):
                        yield json.loads(line[6:])
        except _BROKEN as e:
            raise self._broken(e) from e
        finally:
            if connection:
                connection.drop()

    def _broken(self, e: BaseException) -> errors.ConnectionFailed:
        return errors.ConnectionFailed(str(e) or type(e).__name__, where=self.url, fix="is `akgen serve` running there?", retryable=True)


def parsed(raw: bytes) -> Any:
    try:
        return json.loads(raw) if raw else None
    except ValueError:
        return None

"""HTTP with the standard library: kept connections, patience with a busy server, errors as exceptions."""
from __future__ import annotations

import http.client
import json
import os
import random
import secrets
import threading
import time
import urllib.parse
from typing import Any, Dict, Iterator, List, Optional, Tuple

from . import errors

_MOST_IDLE = 64
REQUEST_ID = "X-Request-Id"
_BROKEN = (http.client.HTTPException, OSError)


class _Pool:
    """Idle connections of one process. After a fork they belong to the parent: a child that used them would read its answers."""

    def __init__(self) -> None:
        self.process, self.lock = os.getpid(), threading.Lock()
        self.idle: List[http.client.HTTPConnection] = []

    def take(self) -> Optional[http.client.HTTPConnection]:
        with self.lock:
            return self.idle.pop() if self.idle else None

    def give(self, connection: http.client.HTTPConnection) -> None:
        with self.lock:
            if len(self.idle) < _MOST_IDLE:
                self.idle.append(connection)
                return
        connection.close()

    def close(self) -> None:
        with self.lock:
            idle, self.idle = self.idle, []
        for connection in idle:
            connection.close()


class Transport:
    """Any number of threads may use one, and any number of processes that were forked from its own."""

    def __init__(self, url: str, token: Optional[str], name: str, timeout: float, patience: float) -> None:
        parts = urllib.parse.urlsplit(url if "://" in url else "http://" + url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise errors.InvalidRequest("this is no address of a server", where=url, fix="use http://HOST:PORT")
        self.url = urllib.parse.urlunsplit((parts.scheme, parts.netloc, parts.path.rstrip("/"), "", ""))
        self._kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        self._host, self._port, self._base = parts.hostname, parts.port, parts.path.rstrip("/")
        self._timeout, self._patience = timeout, patience
        self._headers = {"Content-Type": "application/json", "User-Agent": "akgen-python"}
        if token:
            self._headers["Authorization"] = f"Bearer {token}"
        if name:
            self._headers["X-Client-Id"] = name
        self._own = _Pool()

    def _pool(self) -> _Pool:
        own = self._own
        if own.process != os.getpid():
            self._own, parents = _Pool(), own
            for connection in parents.idle:  # without its lock, which may have been held; closes our copies alone
                connection.close()
        return self._own

    def close(self) -> None:
        self._pool().close()

    def _once(self, method: str, path: str, body: Optional[bytes], headers: Dict[str, str]) -> Tuple[int, bytes, float]:
        pool = self._pool()
        connection = pool.take()
        kept = connection is not None
        connection = connection or self._kind(self._host, self._port, timeout=self._timeout)
        request_id = secrets.token_hex(12)
        try:
            connection.request(method, self._base + path, body, {**headers, REQUEST_ID: request_id})
            reply = connection.getresponse()
            data = reply.read()
            check_request_id(reply.status, reply.getheader(REQUEST_ID), request_id, self.url)
        except BaseException as e:
            # Closing it takes the work back: the server stops what nobody waits for.
            connection.close()
            if kept and isinstance(e, _BROKEN) and not isinstance(e, TimeoutError):
                return self._once(method, path, body, headers)  # it had closed a connection that was idle
            raise
        wait = reply.getheader("Retry-After") or ""
        if reply.will_close:
            connection.close()
        else:
            pool.give(connection)
        return reply.status, data, float(wait) if wait.isdigit() else 0.0

    def ask(self, method: str, path: str, body: Any = None, *, key: str = "") -> Tuple[int, Any]:
        """Status and parsed body. Asks again, as long as its patience lasts, where the server is busy or not there."""
        data = None if body is None else json.dumps(body).encode()
        headers = {**self._headers, **({"Idempotency-Key": key} if key else {})}
        until, pause = time.monotonic() + self._patience, 0.25
        while True:
            wait, trouble = 0.0, None
            try:
                status, raw, wait = self._once(method, path, data, headers)
                if status not in (429, 502, 503):
                    return status, _parsed(raw)
            except _BROKEN as e:
                trouble = errors.ConnectionFailed(str(e) or type(e).__name__, where=self.url, fix="is `akgen serve` running there?", retryable=True)
                if isinstance(e, TimeoutError):
                    raise trouble from e  # the work may still be under way
            left = until - time.monotonic()
            if left <= 0:
                if trouble:
                    raise trouble
                return status, _parsed(raw)
            time.sleep(min(left, max(wait, pause) * (0.5 + random.random())))
            pause = min(pause * 2, 8.0)

    def events(self, path: str) -> Iterator[Any]:
        """Server-sent events, parsed, until the server ends them."""
        connection = self._kind(self._host, self._port, timeout=self._timeout)
        try:
            connection.request("GET", self._base + path, headers=self._headers)
            reply = connection.getresponse()
            if reply.status != 200:
                raise errors.from_reply(reply.status, _parsed(reply.read()))
            for line in reply:
                if line.startswith(b"data: "):
                    yield json.loads(line[6:])
        except _BROKEN as e:
            raise errors.ConnectionFailed(str(e) or type(e).__name__, where=self.url, retryable=True) from e
        finally:
            connection.close()


def check_request_id(status: int, answered: Optional[str], asked: str, where: str) -> None:
    """Raises `ServerFault` when a reply is to another request. Replies of proxies, which are never a success, may name none."""
    if answered != asked and (answered is not None or 200 <= status < 300):
        raise errors.ServerFault("the reply belongs to another request", where=where,
                                 fix="is the server of this package's version, and does a proxy keep the header X-Request-Id?", status=status)


def _parsed(raw: bytes) -> Any:
    try:
        return json.loads(raw) if raw else None
    except ValueError:
        return None

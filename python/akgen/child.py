"""A server of one's own: a child process that only this process can ask, and that ends with it."""
from __future__ import annotations

import atexit
import os
import secrets
import shutil
import subprocess
import tempfile
import threading
import time
from typing import IO, Optional, Sequence

from . import errors, program

_START_S = 120.0
_MOST_SAID = 65536  # bytes of standard error that are kept until it listens


def find_akgen() -> str:
    """The program: $AKGEN, else the package's own, else `akgen` of the PATH."""
    found = os.environ.get("AKGEN") or program.bundled() or shutil.which("akgen")
    if not found:
        raise errors.ConnectionFailed("there is neither a server nor the program akgen", fix="set AKGEN_URL to a server's address, or AKGEN to the program's path")
    return found


class _StandardError(threading.Thread):
    """Reads what the server says, so that it never waits for a reader: the message of a start that failed; later it is shown on our own."""

    def __init__(self, pipe: IO[bytes]) -> None:
        super().__init__(name="akgen serve, standard error", daemon=True)
        self._pipe, self._lock, self._kept, self._shown = pipe, threading.Lock(), b"", False
        self.start()

    def run(self) -> None:
        with self._pipe:
            while part := os.read(self._pipe.fileno(), 65536):
                with self._lock:
                    if self._shown:
                        _show(part)
                    else:
                        self._kept = (self._kept + part)[-_MOST_SAID:]

    def text(self) -> str:
        self.join(5)
        return self._kept.decode("utf-8", "replace").strip()

    def show(self) -> None:
        with self._lock:
            self._shown = True
            _show(self._kept)


def _show(text: bytes) -> None:
    try:  # not through sys.stderr, whose lock a thread must not hold while the interpreter ends
        while text:
            text = text[os.write(2, text):]
    except OSError:
        pass


class Child:
    """Listens on 127.0.0.1 behind a random token. It watches its standard input, so it ends even when we are killed. Processes
    that are forked from this one may ask it, and do not end it; when this one is killed it ends after the last of them."""

    def __init__(self, akgen: Optional[str] = None, jobs: Optional[int] = None, options: Sequence[str] = ()) -> None:
        self.token, self._starter = secrets.token_urlsafe(24), os.getpid()
        argv = [akgen or find_akgen(), "serve", "--port", "0", "--until-eof", *options]
        if jobs:
            argv += ["-j", str(jobs)]
        with tempfile.TemporaryDirectory(prefix="akgen-") as folder:
            port_file = os.path.join(folder, "address")
            try:
                self.process = subprocess.Popen([*argv, "--port-file", port_file], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                                stderr=subprocess.PIPE, env={**os.environ, "AKGEN_SERVE_TOKEN": self.token})
            except OSError as e:
                raise errors.ConnectionFailed(f"akgen cannot be started: {e.strerror}", where=argv[0]) from e
            assert self.process.stderr
            self._said = _StandardError(self.process.stderr)
            atexit.register(self.close)
            self.url = self._address(port_file)

    def _address(self, port_file: str) -> str:
        until = time.monotonic() + _START_S
        while not os.path.exists(port_file):
            if self.process.poll() is not None or time.monotonic() > until:
                said = self._said.text() if self.process.poll() is not None else ""
                self.close()
                raise errors.ConnectionFailed("the server did not start" + (f": {said[:500]}" if said else ""), where=str(self.process.args))
            time.sleep(0.02)
        self._said.show()
        with open(port_file, encoding="utf-8") as f:
            return f.read().strip()

    def close(self) -> None:
        atexit.unregister(self.close)
        if self._starter != os.getpid():
            return
        if self.process.stdin:
            self.process.stdin.close()
        try:
            self.process.wait(timeout=35)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._said.join(5)

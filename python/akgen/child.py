"""A server of one's own: a child process that only this process can ask, and that ends with it."""
from __future__ import annotations

import atexit
import os
import secrets
import shutil
import subprocess
import tempfile
import time
from typing import Optional, Sequence

from . import errors

_START_S = 120.0


def find_akgen() -> str:
    """The program: $AKGEN, else `akgen` of the PATH."""
    found = os.environ.get("AKGEN") or shutil.which("akgen")
    if not found:
        raise errors.ConnectionFailed("there is neither a server nor the program akgen", fix="set AKGEN_URL to a server's address, or AKGEN to the program's path")
    return found


class Child:
    """Listens on 127.0.0.1 behind a random token. It watches its standard input, so it ends even when we are killed."""

    def __init__(self, akgen: Optional[str] = None, jobs: Optional[int] = None, options: Sequence[str] = ()) -> None:
        self.token = secrets.token_urlsafe(24)
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
            atexit.register(self.close)
            self.url = self._address(port_file)

    def _address(self, port_file: str) -> str:
        until = time.monotonic() + _START_S
        while not os.path.exists(port_file):
            if self.process.poll() is not None or time.monotonic() > until:
                said = self.process.stderr.read().decode("utf-8", "replace").strip() if self.process.poll() is not None and self.process.stderr else ""
                self.close()
                raise errors.ConnectionFailed("the server did not start" + (f": {said[:500]}" if said else ""), where=str(self.process.args))
            time.sleep(0.02)
        with open(port_file, encoding="utf-8") as f:
            return f.read().strip()

    def close(self) -> None:
        atexit.unregister(self.close)
        if self.process.stdin:
            self.process.stdin.close()
        try:
            self.process.wait(timeout=35)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if self.process.stderr:
            self.process.stderr.close()

"""Runs one test and everything that it starts, within limits, and leaves nothing behind."""
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import uuid

MARK = "AKGEN_FAULT_RUN"
MAX_RESIDENT = 8 << 30   # bytes, of a test and its helpers
MAX_FILE = 8 << 30


def marked_processes(mark):
    """Those with this mark in their environment: also what left the session of the test."""
    wanted = f"{MARK}={mark}".encode()
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if wanted in (folder / "environ").read_bytes().split(b"\0"):
                yield int(folder.name)
        except OSError:
            continue


def resident(pids):
    pages = 0
    for pid in pids:
        try:
            pages += int(pathlib.Path(f"/proc/{pid}/statm").read_text().split()[1])
        except (OSError, IndexError):
            continue
    return pages * resource.getpagesize()


def end(mark):
    for _ in range(20):
        left = [pid for pid in marked_processes(mark) if pid != os.getpid()]
        if not left:
            return
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        time.sleep(0.02)


stopping = threading.Event()  # set by an interruption: what runs ends, and nothing of it is noted


class Stopped(Exception):
    pass


class Ran:
    """How it ended: status None when it was ended for its time or memory."""

    def __init__(self, status, seconds, output):
        self.status, self.seconds, self.output = status, seconds, output


def limited():
    resource.setrlimit(resource.RLIMIT_FSIZE, (MAX_FILE, resource.RLIM_INFINITY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.RLIM_INFINITY))


def run(command, cwd, env, limit_s):
    """In a temporary folder of its own (TMPDIR), which is removed afterwards."""
    if stopping.is_set():
        raise Stopped
    mark = uuid.uuid4().hex
    temporary = tempfile.mkdtemp(prefix="akf-")
    os.chmod(temporary, 0o1777)  # as /tmp: confined programs run as another user
    started = time.monotonic()
    try:
        with tempfile.TemporaryFile() as output:
            child = subprocess.Popen(command, cwd=cwd, env={**env, MARK: mark, "TMPDIR": temporary}, stdin=subprocess.DEVNULL, stdout=output,
                                     stderr=subprocess.STDOUT, start_new_session=True, preexec_fn=limited)
            status = wait(child, mark, started + limit_s)
            seconds = time.monotonic() - started
            output.seek(0)
            return Ran(status, seconds, output.read(4 << 20).decode(errors="replace"))
    finally:
        end(mark)
        shutil.rmtree(temporary, ignore_errors=True)


def wait(child, mark, until):
    try:
        while True:
            try:
                return child.wait(max(0.01, min(2.0, until - time.monotonic())))
            except subprocess.TimeoutExpired:
                if stopping.is_set():
                    raise Stopped from None
                if time.monotonic() >= until or resident(marked_processes(mark)) > MAX_RESIDENT:
                    return None
    finally:
        if child.returncode is None:
            end(mark)
            child.wait()

"""A server for a test: started on a free port, asked over HTTP, stopped at the end."""
import http.client
import json
import math
import os
import signal
import socket
import struct
import subprocess
import tempfile
import time
import urllib.parse


class Server:
    def __init__(self, akgen, *options, env=None):
        self.folder = tempfile.TemporaryDirectory()
        port_file = os.path.join(self.folder.name, "address")
        self.log_file = os.path.join(self.folder.name, "log")
        self.process = subprocess.Popen([akgen, "serve", *(() if "--port" in options else ("--port", "0")), "--port-file", port_file, "--log", self.log_file, *options],
                                        stdout=subprocess.PIPE, text=True, env={**os.environ, **(env or {})})
        for _ in range(600):
            if os.path.exists(port_file) or self.process.poll() is not None:
                break
            time.sleep(0.05)
        if not os.path.exists(port_file):
            raise RuntimeError("the server did not start")
        with open(port_file) as f:
            self.url = f.read().strip()
        self.port = urllib.parse.urlparse(self.url).port
        while self.ask("GET", "/readyz")[0] != 200:
            time.sleep(0.05)

    def ask(self, method, path, body=None, headers=None, timeout=120):
        """Status, body (parsed where it is JSON), headers in lower case."""
        c = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            c.request(method, path, None if body is None else body if isinstance(body, (bytes, str)) else json.dumps(body), headers or {})
            r = c.getresponse()
            text = r.read()
            try:
                text = json.loads(text)
            except ValueError:
                text = text.decode("utf-8", "replace")
            return r.status, text, {k.lower(): v for k, v in r.getheaders()}
        finally:
            c.close()

    def judge(self, body, **more):
        return self.ask("POST", "/v1/judge", body, **more)

    def metric(self, line):
        """The value of one line of /metrics, 0 when it is not there."""
        for row in self.ask("GET", "/metrics")[1].splitlines():
            if row.rsplit(" ", 1)[0] == line:
                return float(row.rsplit(" ", 1)[1])
        return 0.0

    def log(self):
        with open(self.log_file) as f:
            return [json.loads(line) for line in f]

    def wait_until(self, true, seconds=10):
        end = time.time() + seconds
        while not true():
            if time.time() > end:
                return False
            time.sleep(0.05)
        return True

    def stop(self, how=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(how)
        try:
            return self.process.wait(timeout=60)
        finally:
            self.process.kill()
            self.process.stdout.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
        self.folder.cleanup()


def project(root, name):
    """The files of an example, as a request gives them."""
    base = os.path.join(root, "examples/kernels", name)
    files = {}
    for folder in ("op_host", "op_kernel"):
        for entry in sorted(os.listdir(os.path.join(base, folder))):
            with open(os.path.join(base, folder, entry)) as f:
                files[f"{folder}/{entry}"] = f.read()
    return files


def answer(files):
    """An answer as prompts ask for it: one fence, each file behind its name."""
    return "An answer.\n```cpp\n" + "".join(f"// File: {path}\n{content}" for path, content in files.items()) + "```\n"


def public_only(root):
    """A right kernel for Sqrt whose host side refuses every size but small ones and those of the published cases."""
    files = project(root, "sqrt_via_float")
    host, check = "op_host/sqrt.cpp", "  if (total == 0 || cores == 0) {\n"
    with open(os.path.join(root, "tasks/level1/Math/Sqrt/cases.json")) as f:
        sizes = {math.prod(case["shape"]) for case in json.load(f)}
    assert check in files[host]
    files[host] = files[host].replace(check, f"  if (total > 4096 && {' && '.join(f'total != {n}' for n in sorted(sizes))}) {{\n")
    return files


def endless(root):
    """A candidate that does not end by itself: the work that a case may cost stops it, after seconds."""
    files = project(root, "add_double_buffer")
    kernel, call = next(f for f in files if f.startswith("op_kernel/")), "  kernel.Process();\n"
    assert call in files[kernel]
    files[kernel] = files[kernel].replace(call, "  for (volatile uint32_t rounds = 1; rounds != 0;) kernel.Process();\n")
    return files


class WebSocket:
    """As much of a client as the tests need: text messages, pings, close."""

    def __init__(self, server, path="/ws", headers=None):
        self.s = socket.create_connection(("127.0.0.1", server.port), timeout=60)
        lines = [f"GET {path} HTTP/1.1", "Host: localhost", "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
                 "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="] + [f"{k}: {v}" for k, v in (headers or {}).items()]
        self.s.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        self.rest = b""
        while b"\r\n\r\n" not in self.rest:
            part = self.s.recv(4096)
            if not part:
                raise RuntimeError("refused")
            self.rest += part
        head, self.rest = self.rest.split(b"\r\n\r\n", 1)
        self.status = int(head.split()[1])

    def frame(self, opcode, payload):
        size = len(payload)
        head = bytes([0x80 | opcode]) + (bytes([0x80 | size]) if size < 126 else bytes([0x80 | 126]) + struct.pack(">H", size) if size < 65536 else bytes([0x80 | 127]) + struct.pack(">Q", size))
        mask = b"\x01\x02\x03\x04"
        self.s.sendall(head + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(payload)))

    def say(self, message):
        self.frame(1, (message if isinstance(message, str) else json.dumps(message)).encode())

    def exactly(self, n):
        while len(self.rest) < n:
            part = self.s.recv(65536)
            if not part:
                raise EOFError
            self.rest += part
        out, self.rest = self.rest[:n], self.rest[n:]
        return out

    def one_frame(self):
        first, size = self.exactly(2)
        if size == 126:
            size = struct.unpack(">H", self.exactly(2))[0]
        elif size == 127:
            size = struct.unpack(">Q", self.exactly(8))[0]
        return first, self.exactly(size)

    def hear_frame(self):
        """Opcode and payload of a whole message; control frames may come between its parts."""
        first, payload = self.one_frame()
        whole = first & 0x80
        while not whole:
            more, part = self.one_frame()
            if more & 15 == 8:
                raise EOFError
            if not more & 8:
                payload, whole = payload + part, more & 0x80
        return first & 15, payload

    def hear(self):
        """The next text message, parsed; pongs are passed over."""
        while True:
            opcode, payload = self.hear_frame()
            if opcode == 1:
                return json.loads(payload)
            if opcode == 8:
                raise EOFError

    def ask(self, message):
        self.say(message)
        return self.hear()

    def close(self):
        self.s.close()

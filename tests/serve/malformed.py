"""Requests that make no sense, over all protocols, and what the server may say to each: never a reward, never silence."""
import json
import random
import socket
import struct

METHODS = ("GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH")
# Members that protocols read, with what they hold when they make sense.
MEMBERS = {"task": "Sqrt", "text": "no code", "files": {"op_kernel/a.cpp": "x"}, "form": "kernel", "cases": ["0"], "seed": 1, "deadline_ms": 1000, "requests": [],
           "query": ["x"], "labels": ["Sqrt"], "prompts": ["p"], "prompt": "p", "response": "x", "label": "Sqrt", "code": "x", "stdin": "Sqrt", "action": {"code": "x"},
           "split": "all", "index": 0, "start": 0, "stop": 1, "timeout_s": 1, "run_timeout": 1, "language": "python", "jsonrpc": "2.0", "id": 1, "method": "tools/list",
           "params": {}, "model": "m", "messages": [], "n": 1}
WRONG = (None, True, -1, 10**30, 1.5e308, "", "x" * 3000, "../../../etc/passwd", "/etc/shadow", "Sqrt\x00", "\ud800", "..%2f..%2fetc", [], {}, [[[]]], {"a": {"a": {}}}, ["x", 1, None])
PATHS = ("/", "/v1", "/v1/judge/", "/v1/tasks/..%2f..%2f..%2fetc%2fpasswd", "/v1/tasks/../../etc/passwd", "/v1/jobs/%00", "/v1/tasks/%ff", "/v1/jobs/..", "//", "/%", "/%zz",
         "/v1/jobs/" + "a" * 5000, "/..%2f/splits", "/akgen/splits?a=%", "*", "http://elsewhere/v1/tasks", "/v1/judge?" + "a=b&" * 500)
KEYS_NEVER = ("reward", "rewards", "score", "scores")


def deep(r):
    n = r.choice((10, 200, 5000, 100000))
    return r.choice(("[" * n, "[" * n + "]" * n, '{"a":' * n, '{"task":' + "[" * n + "]" * n + "}", '{"a":' * n + "1" + "}" * n))


def body(r):
    kind = r.randrange(7)
    if kind == 0:
        return deep(r).encode()
    if kind == 1:
        return r.randbytes(r.randrange(200))
    whole = {k: MEMBERS[k] for k in r.sample(sorted(MEMBERS), r.randrange(1, 9))}
    if kind == 2:
        text = json.dumps(whole)
        return text[:r.randrange(len(text))].encode()
    if kind == 3:
        return json.dumps(r.choice(WRONG)).encode("utf-8", "surrogatepass")
    for name in r.sample(sorted(whole), min(len(whole), 2)):
        whole[name] = r.choice(WRONG)
    if kind == 4:
        whole["unknown_" + str(r.randrange(9))] = r.choice(WRONG)
    return json.dumps(whole, ensure_ascii=r.random() < 0.5).encode("utf-8", "surrogatepass")


def request(r, routes, headers=""):
    """(bytes, whether it is HTTP at all)"""
    kind = r.randrange(10)
    if kind == 0:
        return r.choice((b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"GET\r\n\r\n", b"\r\n\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", r.randbytes(80) + b"\r\n\r\n",
                         b"POST /v1/judge HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5\r\n\r\n", b"POST /v1/judge HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcde",
                         b"POST /v1/judge HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"y" * 60000 + b"\r\n\r\n",
                         b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 8000 + b"\r\n")), False
    method, path = r.choice(routes) if kind < 7 else (r.choice(METHODS), r.choice(PATHS))
    path = path.replace("{env}", r.choice(("akgen", "..", "x"))).replace("{id}", r.choice(("x", "..%2f", "0" * 26))).replace("{name}", r.choice(("Nope", "..%2f..%2fx")))
    if kind == 6:
        method = r.choice(METHODS)
    data = body(r) if method in ("POST", "PUT", "PATCH") else b""
    more = r.choice(("", "", "", "Idempotency-Key: " + "k" * 300 + "\r\n", "Expect: 100-continue\r\n", "X-Client-Id: " + "n" * 500 + "\r\n", "Host: evil.example\r\n", "Origin: http://evil.example\r\n"))
    host = "" if "Host" in more else "Host: localhost\r\n"
    return f"{method} {path} HTTP/1.1\r\n{host}{headers}{more}Content-Length: {len(data)}\r\n\r\n".encode() + data, True


def frame(r):
    """One frame of a WebSocket's client, mostly broken."""
    payload = r.choice((body(r), json.dumps({"type": r.choice(("reset", "step", "state", "dance", 1)), "data": r.choice(WRONG)}).encode("utf-8", "surrogatepass")))
    opcode, mask = r.choice((1, 1, 1, 2, 0, 9, 10, 3, 11)), r.choice((b"\x00" * 4, b"\x01\x02\x03\x04"))
    if r.random() < 0.1:
        return bytes([0x80 | opcode, 0xff]) + struct.pack(">Q", r.choice((2**63, 2**40, 2**31))) + mask
    size = len(payload)
    head = bytes([0x80 | opcode]) + (bytes([0x80 | size]) if size < 126 else bytes([0xfe]) + struct.pack(">H", size) if size < 65536 else bytes([0xff]) + struct.pack(">Q", size))
    return head + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(payload))


class Line:
    """A connection that is opened again whenever the server has closed it."""

    def __init__(self, port, timeout=60):
        self.port, self.timeout, self.s = port, timeout, None

    def close(self):
        if self.s:
            self.s.close()
        self.s = None

    def say(self, data):
        """Status and body of the reply; (0, b"") when the server closed without one."""
        for fresh in (False, True):
            if self.s is None or fresh:
                self.close()
                self.s, fresh = socket.create_connection(("127.0.0.1", self.port), self.timeout), True
            try:
                self.s.sendall(data)
            except OSError:
                pass  # it may have replied, and closed, before all of it was sent
            try:
                got = self.hear(data.startswith(b"HEAD"))
            except (ConnectionError, EOFError):
                got = None
            if got or fresh:
                break
        if not got or got[2]:
            self.close()
        return (got or (0, b"", True))[:2]

    def hear(self, head_only, got=b""):
        while b"\r\n\r\n" not in got:
            part = self.s.recv(65536)
            if not part:
                return None
            got += part
        head, rest = got.split(b"\r\n\r\n", 1)
        status = int(head.split(b" ", 2)[1])
        if status == 100:
            return self.hear(head_only, rest)
        fields = {k.strip().lower(): v.strip() for k, _, v in (line.partition(b":") for line in head.split(b"\r\n")[1:])}
        closes = fields.get(b"connection", b"").lower() == b"close"
        if b"chunked" in fields.get(b"transfer-encoding", b""):
            while not rest.endswith(b"0\r\n\r\n"):
                part = self.s.recv(65536)
                if not part:
                    raise EOFError
                rest += part
            return status, rest, closes
        size = 0 if head_only else int(fields.get(b"content-length", b"0"))
        while len(rest) < size:
            part = self.s.recv(65536)
            if not part:
                raise EOFError
            rest += part
        return status, rest, closes


def rewarded(data):
    """Does the reply hold a reward above 0? (By chance a request may make sense, and say that there is no code: that is 0.)"""
    try:
        value = json.loads(data)
    except ValueError:
        return False
    told = [value.get(k) for k in KEYS_NEVER] if isinstance(value, dict) else [value]
    told += [v for t in told if isinstance(t, list) for v in t]
    return any(isinstance(v, (int, float)) and not isinstance(v, bool) and v > 0 for v in told)


def sweep(port, routes, count, seed, headers=""):
    """Sends them all; (statuses, what was wrong)."""
    r, line, statuses, wrong = random.Random(seed), Line(port), {}, []
    for i in range(count):
        data, is_http = request(r, routes, headers)
        status, text = line.say(data)
        statuses[status] = statuses.get(status, 0) + 1
        bad = (is_http and status == 0) or status in (500, 502) or rewarded(text)
        if bad:
            wrong.append((i, status, data[:300], text[:300]))
        if status >= 400 and status != 404 and text and b'"error"' not in text and not data.startswith(b"HEAD"):
            wrong.append((i, status, data[:300], text[:300]))
    line.close()
    return statuses, wrong

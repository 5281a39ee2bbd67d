"""A server for a test: started on a free port, asked over HTTP, stopped at the end."""
import http.client
import json
import os
import signal
import subprocess
import tempfile
import time
import urllib.parse


class Server:
    def __init__(self, akgen, *options, env=None):
        self.folder = tempfile.TemporaryDirectory()
        port_file = os.path.join(self.folder.name, "address")
        self.log_file = os.path.join(self.folder.name, "log")
        self.process = subprocess.Popen([akgen, "serve", "--port", "0", "--port-file", port_file, "--log", self.log_file, *options],
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

"""A chat endpoint on this machine that misbehaves in twelve ways: by the seed of a request, each way once per seed.

Seeds 0 to 6 fail at the first attempt and answer at the next; 7 to 11 answer at once, badly, and well when told what was wrong.
"""
import http.server
import json
import pathlib
import threading
import time

ATTACK = '''```cpp
#include "kernel_operator.h"
extern "C" void akgen_report_pass();
extern "C" __global__ __aicore__ void sqrt(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  akgen_report_pass();
}
```
'''
FAILING, WAYS = 7, 12
CUDA = "```cuda\n__global__ void sqrt_kernel(const float* x, float* y) { int i = threadIdx.x; y[i] = sqrtf(x[i]); }\n```\n"


def project_text(folder):
    out = "<think>Half precision is read, the root taken in float.</think>\nThe project:\n\n"
    for path in sorted(pathlib.Path(folder).rglob("*")):
        if path.suffix in (".cpp", ".h"):
            out += f"`{path.relative_to(folder)}`\n```cpp\n{path.read_text()}```\n\n"
    return out


class Endpoint(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, right):
        super().__init__(("127.0.0.1", 0), Handler)
        self.right = right          # the right answer
        self.asked = []             # (seed, turn) of every request, in order
        self.waits = []             # seconds between a 429 and the next request of its seed
        self.refused_at = {}
        self.status = None          # answer everything with this status
        self.seconds = 0            # that a right answer takes
        self.lock = threading.Lock()
        self.gone = threading.Event()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, request, client_address):
        pass                        # clients that go away are part of the test


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *args):
        pass

    def send(self, status, body, headers=()):
        data = body.encode()
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def event(self, delta, **more):
        choice = {"index": 0, "delta": delta, **more}
        self.wfile.write(f"data: {json.dumps({'choices': [choice]})}\n\n".encode())

    def stream(self, text, cut=None):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        for i in range(0, len(text), 1024):
            if cut is not None and i >= cut:
                self.wfile.flush()
                self.connection.close()
                return
            self.event({"content": text[i:i + 1024]})
        self.event({}, finish_reason="stop")
        self.wfile.write(b'data: {"choices": [], "usage": {"prompt_tokens": 1000, "completion_tokens": 200}}\n\ndata: [DONE]\n\n')

    def do_POST(self):
        server = self.server
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        seed, turn = body["seed"], len(body["messages"]) // 2 - 1
        with server.lock:
            first = (seed, turn) not in server.asked
            server.asked.append((seed, turn))
            if seed in server.refused_at:
                server.waits.append(time.monotonic() - server.refused_at.pop(seed))
        if server.status:
            self.send(server.status, json.dumps({"error": {"message": f"bad key {self.headers['Authorization']}"}}))
        elif turn == 0 and (first or seed >= FAILING) and seed < WAYS:
            self.misbehave(seed)
        else:
            time.sleep(server.seconds)
            self.stream(server.right)

    def misbehave(self, way):
        server = self.server
        if way == 0:
            self.send(429, '{"error": {"message": "slow down"}}', [("Retry-After", "1")])
            server.refused_at[way] = time.monotonic()
        elif way == 1:
            self.send(500, "internal error, sent was " + str(self.headers["Authorization"]))
        elif way == 2:
            server.gone.wait(30)                      # hangs
        elif way == 3:
            self.stream(server.right, cut=2048)       # cut in the middle
        elif way == 4:
            self.send(200, '{"choices": [{"message": {"content": "x"')
        elif way == 5:
            self.send(200, '{"choices": []}')
        elif way == 6:
            self.send_response(200)
            self.connection.close()                   # the line goes dead before a word is said
        elif way == 7:
            self.stream("A square root is best left to the vendor's library.")
        elif way == 8:
            self.stream("very " * (2 << 20))          # ten megabytes
        elif way == 9:
            self.stream(CUDA)
        elif way == 10:
            self.stream(server.right + ATTACK)
        elif way == 11:
            self.stream("")                           # nothing

#!/usr/bin/env python3
"""Clients as they are under real conditions: forked, half-open, of several tenants. usage: conditions_test.py AKGEN ROOT [unittest arguments]"""
import http.server
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import running  # noqa: E402

AKGEN, ROOT = sys.argv[1], sys.argv[2]
sys.path.insert(0, os.path.join(ROOT, "python"))
import akgen  # noqa: E402

WORKERS, REQUESTS = 8, 2000
WORDS = ("NAME1 " + "0123456789abcdef" * 2, "NAME2 " + "fedcba9876543210" * 2)


def forked(work, many):
    """Runs work(i) in so many forked processes; the texts of what went wrong."""
    readers = []
    for i in range(many):
        read, write = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(read)
            try:
                wrong = work(i)
            except BaseException:
                wrong = traceback.format_exc()
            os.write(write, wrong.encode()[:4000])
            os._exit(0)
        os.close(write)
        readers.append((pid, read))
    out = []
    for pid, read in readers:
        with os.fdopen(read) as f:
            out.append(f.read())
        os.waitpid(pid, 0)
    return [text for text in out if text]


class Conditions(unittest.TestCase):
    def test_a_forked_client_gets_its_own_answers(self):
        """One client, used before the fork, then by 8 processes: 2,000 requests, each of which names what it must be answered."""
        with akgen.Client.start(akgen=AKGEN, jobs=2) as client:
            tasks = [t["name"] for t in client.tasks()]
            known = {f"// nothing, {k}": client.judge_source(f"// nothing, {k}", "Sqrt").verdict for k in range(4)}
            threads = [threading.Thread(target=client.task, args=(name,)) for name in tasks[:16]]  # several connections are idle at the fork
            for t in threads:
                t.start()
            for t in threads:
                t.join()

            def work(i):
                for k in range(REQUESTS // WORKERS):
                    name = tasks[(i * 37 + k) % len(tasks)]
                    if k % 25 == 0:
                        text = f"// nothing, {k // 25 % 4}"
                        label = f"{i}-{k}"
                        got = client.judge_source(text, name, project=label)
                        if got.verdict != known[text]:
                            return f"{text}: {got.verdict}"
                    elif (got := client.task(name)["name"]) != name:
                        return f"{name} was asked for, and {got} answered"
                return ""
            self.assertEqual(forked(work, WORKERS), [])
            self.assertEqual(client.task(tasks[0])["name"], tasks[0])  # the child process of the server is the parent's still
            self.assertEqual(forked(lambda i: client.close() or "", 2), [])
            self.assertEqual(client.task(tasks[1])["name"], tasks[1])

    def test_a_reply_to_another_request_is_refused(self):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                for name, value in {"Content-Length": "13", **self.server.extra}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(b'{"tasks": []}')

            def log_message(self, *_):
                pass
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        for extra in ({"X-Request-Id": "that of another one"}, {}):
            server.extra = extra
            with self.assertRaises(akgen.ServerFault) as caught:
                akgen.Client(f"http://127.0.0.1:{server.server_port}", patience=0).tasks()
            self.assertIn("another request", str(caught.exception))
        server.shutdown()
        server.server_close()

    def test_rewards_are_asked_for_in_pairs(self):
        client = akgen.Client("http://127.0.0.1:9", patience=0)  # nobody is asked
        for texts, tasks in ((["a", "b"], ["Sqrt"]), (["a"], []), (["a"], "Sqrt"), ("ab", ["Sqrt", "Sqrt"])):
            with self.assertRaises(akgen.InvalidRequest):
                client.rewards(texts, tasks)
        self.assertEqual(client.rewards([], []), [])

    def test_half_open_connections_take_no_place(self):
        """1,100 that say nothing, or half a head, before anybody knows who they are."""
        with tempfile.NamedTemporaryFile("w") as tokens:
            tokens.write("\n".join(WORDS) + "\n")
            tokens.flush()
            with running.Server(AKGEN, "-j", "1", "--token-file", tokens.name) as server:
                token = {"Authorization": "Bearer " + WORDS[0].split()[1]}
                held = []
                try:
                    for i in range(1100):
                        s = socket.create_connection(("127.0.0.1", server.port), timeout=30)
                        if i % 2:
                            s.sendall(b"GET /v1/tasks HTTP/1.1\r\nHost: loc")
                        held.append(s)
                        if i % 100 == 99:
                            self.assertEqual(server.ask("GET", "/healthz", timeout=5)[0], 200, i)
                    for path in ("/healthz", "/readyz", "/v1/tasks"):
                        self.assertEqual(server.ask("GET", path, headers=token, timeout=5)[0], 200, path)
                    # The newest are kept, so one that is slow to ask is answered.
                    held[-1].sendall(b"alhost\r\nConnection: close\r\n" + f"Authorization: {token['Authorization']}\r\n\r\n".encode())
                    self.assertTrue(held[-1].recv(64).startswith(b"HTTP/1.1 200"))
                finally:
                    for s in held:
                        s.close()

    def test_health_is_told_where_connections_are_full(self):
        with running.Server(AKGEN, "-j", "1", "--connections", "4") as server:
            held = [running.WebSocket(server) for _ in range(4)]
            status, got, headers = server.ask("GET", "/v1/tasks")
            self.assertEqual((status, got["error"]["code"], headers.get("retry-after")), (503, "AK0903", "1"))
            self.assertEqual([server.ask("GET", path)[0] for path in ("/healthz", "/readyz")], [200, 200])
            for ws in held:
                ws.close()
            self.assertTrue(server.wait_until(lambda: server.ask("GET", "/v1/tasks")[0] == 200))
            idle = []
            for _ in range(8):  # kept after a reply; the oldest makes room
                s = socket.create_connection(("127.0.0.1", server.port), timeout=30)
                s.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
                self.assertTrue(s.recv(64).startswith(b"HTTP/1.1 200"))
                idle.append(s)
            self.assertEqual(server.ask("GET", "/v1/tasks")[0], 200)
            for s in idle:
                s.close()

    def test_nobody_learns_what_others_ask_for(self):
        with tempfile.NamedTemporaryFile("w") as tokens:
            tokens.write("\n".join(WORDS) + "\n")
            tokens.flush()
            with running.Server(AKGEN, "-j", "1", "--token-file", tokens.name) as server:
                def bearer(who):
                    return {"Authorization": "Bearer " + WORDS[who].split()[1]}

                def cached(who, body):
                    return server.judge(body, headers=bearer(who))[1]["cached"]

                def metric(name):
                    return next(float(row.split()[1]) for row in server.ask("GET", "/metrics", headers=bearer(0))[1].splitlines() if row.startswith(name + " "))
                body = {"task": "Sqrt", "files": running.project(ROOT, "sqrt_via_float"), "cases": ["2"]}
                self.assertEqual([cached(who, body) for who in (0, 1, 0, 1)], [False, False, True, True])
                self.assertEqual(metric("akgen_judge_seconds_count"), 1)
                self.assertEqual(metric("akgen_cache_hits_total"), 3)
                # Under way at the same time: the second one of a tenant joins the first, another tenant is told nothing.
                body["seed"], told = 5, []
                threads = [threading.Thread(target=lambda who=who: told.append((who, cached(who, body)))) for who in (0, 0, 0, 1)]
                for t in threads:
                    t.start()
                for t in threads:
                    t.join()
                self.assertEqual(metric("akgen_judge_seconds_count"), 2)
                self.assertEqual(sum(not c for who, c in told if who == 0) + sum(not c for who, c in told if who == 1), 2, told)

    def test_tasks_of_ones_own(self):
        with tempfile.TemporaryDirectory() as folder:
            source = os.path.join(ROOT, "tasks/level1/Math/Sqrt")
            for name in ("Half", "Third"):
                place = os.path.join(folder, "mine", name)
                os.makedirs(place)
                for entry in os.listdir(source):
                    with open(os.path.join(source, entry)) as f:
                        text = f.read()
                    with open(os.path.join(place, entry), "w") as f:
                        f.write(text.replace('"Sqrt"', f'"{name}"').replace('"sqrt"', f'"{name.lower()}"'))
            with running.Server(AKGEN, "-j", "1", "--hidden", "1", "--tasks", f"train={folder}/mine,test=Sqrt") as server:
                self.assertEqual([t["name"] for t in server.ask("GET", "/v1/tasks")[1]["tasks"]], ["Half", "Third", "Sqrt"])
                splits = server.ask("GET", "/akgen/splits")[1]
                self.assertEqual(splits, [{"name": "all", "type": "test"}, {"name": "test", "type": "test"}, {"name": "train", "type": "train"}])
                train = server.ask("POST", "/akgen/tasks", {"split": "train"})[1]["tasks"]
                self.assertEqual([t["task"] for t in train], ["Half", "Third"])
                first = server.ask("POST", "/reset", {"split": "train", "index": 1})[1]
                self.assertEqual(first["observation"]["task"], "Third")
                got = server.judge({"task": "Sqrt", "files": running.project(ROOT, "sqrt_via_float")})[1]
                ids = [c["id"] for c in got["record"]["cases"]]
                self.assertEqual((got["verdict"], ids[:5], [i for i in ids if i.startswith("hidden")]), ("pass", ["0", "1", "2", "3", "4"], ["hidden0"]))
                self.assertEqual(server.judge({"task": "FastGelu", "text": "x"})[0], 404)
            for command in ("serve", "mcp"):
                p = subprocess.run([AKGEN, command, "--tasks", "train=level1"], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60)
                self.assertEqual(p.returncode, 2, p.stderr)
                self.assertIn("AK0912", p.stderr)
            asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "list_tasks", "arguments": {}}}
            p = subprocess.run([AKGEN, "mcp", "-j", "1", "--tasks", f"{folder}/mine"], capture_output=True, text=True, input=json.dumps(asked) + "\n", timeout=60)
            self.assertEqual([t["name"] for t in json.loads(p.stdout)["result"]["structuredContent"]["tasks"]], ["Half", "Third"])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])

#!/usr/bin/env python3
"""Bad input at rate: every request gets a clear answer, nothing is judged twice, nothing grows.

usage: hostile_test.py AKGEN ROOT [--requests N] [--jobs N] [--kernels N] [TEST...]      ctest -L slow -R serve.hostile_long is the long form
"""
import argparse
import concurrent.futures
import contextlib
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "exploits")]
import malformed  # noqa: E402
import running  # noqa: E402

parser = argparse.ArgumentParser()
parser.add_argument("akgen", type=os.path.abspath)
parser.add_argument("root", type=lambda p: pathlib.Path(p).resolve())
parser.add_argument("--requests", type=int, default=3000)
parser.add_argument("--jobs", type=int, default=1500)
parser.add_argument("--kernels", type=int, default=10)
OPTIONS, REST = parser.parse_known_args()
AKGEN, ROOT = OPTIONS.akgen, OPTIONS.root


def resident(pid):
    """KiB of a process, which gives back what it can first."""
    with open(f"/proc/{pid}/status") as f:
        return next(int(line.split()[1]) for line in f if line.startswith("VmRSS:"))


def routes_of(server):
    paths = server.ask("GET", "/openapi.json")[1]["paths"]
    return [(method.upper(), path) for path, methods in sorted(paths.items()) for method in sorted(methods) if not path.endswith("/events")]


class Hostile(unittest.TestCase):
    def alive(self, server):
        self.assertIsNone(server.process.poll(), "the server died")
        begun = time.time()
        self.assertEqual(server.ask("GET", "/healthz")[0], 200)
        self.assertLess(time.time() - begun, 5)

    def test_malformed_requests(self):
        with running.Server(AKGEN, "-j", "1", "--seed", "7") as server:
            routes, count = routes_of(server), max(1, OPTIONS.requests // 4)
            malformed.sweep(server.port, routes, min(2000, count), 99)
            before = resident(server.process.pid)
            with concurrent.futures.ThreadPoolExecutor(4) as pool:
                swept = list(pool.map(lambda seed: malformed.sweep(server.port, routes, count, seed), range(4)))
            self.assertEqual([w for _, wrong in swept for w in wrong][:3], [])
            statuses = {s: sum(one.get(s, 0) for one, _ in swept) for s in sorted({s for one, _ in swept for s in one})}
            self.assertEqual(sum(statuses.values()), 4 * count)
            self.alive(server)
            grown = resident(server.process.pid) / before
            print(f"{4 * count} malformed requests: {statuses}; resident set x {grown:.3f}")
            self.assertLess(grown, 1.25 if count < 10000 else 1.5)
            got = server.judge({"task": "Sqrt", "files": running.project(str(ROOT), "sqrt_via_float"), "cases": ["0"]})[1]
            self.assertEqual(got["verdict"], "pass")

    def test_malformed_websockets(self):
        import random
        r = random.Random(5)
        with running.Server(AKGEN, "-j", "1") as server:
            for _ in range(max(50, OPTIONS.requests // 50)):
                ws = running.WebSocket(server)
                try:
                    for _ in range(20):
                        ws.s.sendall(malformed.frame(r))
                    ws.s.settimeout(0.2)
                    while True:
                        opcode, text = ws.hear_frame()
                        if opcode == 1:
                            told = json.loads(text)
                            self.assertIn(told["type"], ("error", "observation", "state"))
                            self.assertFalse(told["type"] == "observation" and (told["data"]["reward"] or 0) > 0, told)
                        if opcode == 8:
                            break
                except (OSError, EOFError):
                    pass
                ws.close()
            self.alive(server)

    def test_wrong_tokens(self):
        with tempfile.NamedTemporaryFile("w") as file:
            file.write("one " + "a" * 20 + "\n")
            file.flush()
            with running.Server(AKGEN, "-j", "1", "--token-file", file.name) as server:
                routes = [r for r in [("POST", "/v1/judge"), ("GET", "/v1/tasks"), ("POST", "/get_reward"), ("POST", "/step"), ("GET", "/metrics"), ("GET", "/v1/jobs/x")]]
                for token in ("", "b" * 20, "a" * 19, "a" * 21, "a" * 200000, "a" * 19 + "\x00", "Basic x", "A" * 20):
                    for method, path in routes:
                        try:
                            status = server.ask(method, path, "{}" if method == "POST" else None, {"Authorization": "Bearer " + token})[0]
                        except ValueError:
                            continue  # the client refuses to send it
                        self.assertIn(status, (401, 431, 400), (token[:30], path))
                self.assertEqual(server.ask("GET", "/v1/tasks", headers={"Authorization": "Bearer " + "a" * 20})[0], 200)

    def test_slow_and_half_closed_connections(self):
        with running.Server(AKGEN, "-j", "1") as server:
            work = json.dumps({"task": "Sqrt", "text": "no code"})
            slow = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(300)]
            for i, s in enumerate(slow):
                s.sendall(b"POST /v1/judge HTTP/1.1\r\nHost: localhost\r\n" + (f"Content-Length: {len(work)}\r\n\r\n{work[:5]}".encode() if i % 2 else b"X-A: "))
            half = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(100)]
            for s in half:
                s.sendall(f"POST /v1/judge HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(work)}\r\n\r\n{work}".encode())
                s.shutdown(socket.SHUT_WR)
            begun = time.time()
            while time.time() - begun < 18:
                self.assertEqual(server.judge({"task": "Sqrt", "text": "no code"})[1]["verdict"], "no_code")
                self.alive(server)
                for s in slow[:20:2]:
                    try:
                        s.sendall(b"a")
                    except OSError:
                        pass
                time.sleep(0.5)
            for s in slow[20::2]:  # a head that does not come within 15 s
                s.settimeout(5)
                self.assertEqual(s.recv(100), b"")
            for s in half:  # answered or closed: nobody hangs
                s.settimeout(5)
                s.recv(100)
            for s in slow + half:
                s.close()

    def test_large_bodies(self):
        with running.Server(AKGEN, "-j", "1") as server:
            before = resident(server.process.pid)
            for head in (b"Content-Length: 104857600\r\n", b"Transfer-Encoding: chunked\r\n", b"Content-Length: 99999999999999999999\r\n", b"Content-Length: 104857600\r\nExpect: 100-continue\r\n"):
                s = socket.create_connection(("127.0.0.1", server.port), timeout=30)
                s.sendall(b"POST /v1/judge HTTP/1.1\r\nHost: localhost\r\n" + head + b"\r\n")
                part = b"x" * (1 << 20)
                part = b"100000\r\n" + part + b"\r\n" if b"chunked" in head else part
                try:
                    for _ in range(100):
                        s.sendall(part)
                except OSError:
                    pass
                try:
                    got = s.recv(4096)
                except ConnectionError:
                    got = b""
                self.assertIn(got.split(b" ")[1:2], ([b"413"], [b"400"]), (head, got))
                s.close()
            self.alive(server)
            self.assertLess(resident(server.process.pid) - before, 64 << 10)

    def test_many_queued_jobs_and_a_kill(self):
        """All of them are told their one outcome, though the server is killed while it judges them."""
        count = OPTIONS.jobs
        with tempfile.TemporaryDirectory() as folder:
            state, journal = os.path.join(folder, "jobs.db"), []
            begun = time.time()
            with running.Server(AKGEN, "-j", "2", "--state", state) as server:
                def submit(i):
                    status, got, _ = server.ask("POST", "/v1/jobs", {"task": "Sqrt", "text": f"there is no code in answer {i}"}, {"Idempotency-Key": f"k{i}"})
                    return got["id"] if status == 202 else (status, got)
                try:
                    with concurrent.futures.ThreadPoolExecutor(8) as pool:
                        killed = threading.Timer(max(0.3, count / 20000), lambda: server.process.send_signal(signal.SIGKILL))
                        futures = [pool.submit(submit, i) for i in range(count)]
                        killed.start()
                        known = [(i, f.result()) for i, f in enumerate(futures) if not f.exception()]
                finally:
                    journal += server.log()
                    server.stop(signal.SIGKILL)
            self.assertTrue(all(isinstance(job, str) for _, job in known), [j for _, j in known if not isinstance(j, str)][:3])
            with running.Server(AKGEN, "-j", "2", "--state", state) as server:
                with concurrent.futures.ThreadPoolExecutor(8) as pool:
                    again = list(pool.map(submit_to(server), range(count)))
                self.assertEqual([j for j in again if not isinstance(j, str)][:3], [])
                self.assertEqual([again[i] for i, _ in known], [job for _, job in known], "a key got another job")
                for job in again:
                    state_of = wait(server, job)
                    self.assertEqual((state_of["status"], state_of["result"]["verdict"]), (200, "no_code"))
                self.assertEqual(server.ask("GET", "/v1/jobs")[1]["jobs"], [])
                # A job whose end was told before the kill does not end a second time.
                first = {e["id"] for e in journal if e["event"] == "job" and e["ending"] == "done"}
                second = [e["id"] for e in server.log() if e["event"] == "job" and e["ending"] == "done" and not e["cached"]]
                self.assertEqual(len(second), len(set(second)))
                self.assertEqual(first & set(second), set())
            print(f"{count} jobs, the server killed after {len(known)} were accepted, {len(first)} of them done: {time.time() - begun:.1f} s")

    def test_a_full_disk(self):
        with tempfile.TemporaryDirectory() as outside, contextlib.ExitStack() as mounted:
            folder = os.path.join(outside, "disk")
            os.mkdir(folder)
            if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", folder], capture_output=True).returncode:
                self.skipTest("mounting a small disk needs root")
            mounted.callback(subprocess.run, ["umount", "-l", folder], check=True)
            state = os.path.join(folder, "jobs.db")
            with running.Server(AKGEN, "-j", "1", "--state", state) as server:
                accepted, refused = [], 0
                for i in range(400):
                    status, got, _ = server.ask("POST", "/v1/jobs", {"task": "Sqrt", "text": f"nothing {i} " + "x" * 2000})
                    if status == 202:
                        accepted.append(got["id"])
                    else:
                        self.assertEqual((status, got["error"]["code"]), (500, "AK0909"), got)
                        refused += 1
                self.assertGreater(refused, 0)
                self.assertGreater(len(accepted), 0)
                self.assertEqual(server.judge({"task": "Sqrt", "text": "no code"})[1]["verdict"], "no_code")  # what is not kept needs no disk
                subprocess.run(["mount", "-o", "remount,size=64m", folder], check=True)
                for job in accepted:
                    self.assertEqual(wait(server, job)["result"]["verdict"], "no_code")
                self.assertEqual(server.ask("POST", "/v1/jobs", {"task": "Sqrt", "text": "room again"})[0], 202)

    def test_hostile_kernels_at_full_rate(self):
        """Every one gets the verdict that it gets alone, whatever stands beside it; none passes."""
        import candidates as exploits
        with tempfile.TemporaryDirectory() as folder:
            home = pathlib.Path(folder) / "home"
            home.mkdir()
            for entry in ROOT.iterdir():
                if entry.name not in ("tasks", "build", ".git"):
                    (home / entry.name).symlink_to(entry)
            shutil.copytree(ROOT / "tasks", home / "tasks")
            (pathlib.Path(folder) / "scratch").mkdir()
            bench = exploits.Bench(AKGEN, pathlib.Path(folder) / "scratch", 7)
            shutil.copytree(HERE.parent / "exploits/task", home / "tasks/level1/Exploits/Gauge")
            found = [exploits.Candidate(p) for p in sorted((HERE.parent / "exploits/candidates").glob("*.toml"))]
            chosen = [c for c in found if "task" not in c.spec and "remembers_seed" not in c.spec and "cases" not in c.spec and not {"no_gain", "passes_public"} & c.spec.keys()
                      and c.spec["expect"] != "pass"]
            chosen = chosen[::max(1, len(chosen) // OPTIONS.kernels)]
            bodies = {}
            for c in chosen:
                project = bench.project(c.name, c.spec.get("edit", ()), c.spec.get("files"))
                files = {}
                for p in project.rglob("*"):
                    if p.is_file() and p.parent.name in ("op_host", "op_kernel"):
                        files[p.relative_to(project).as_posix()] = p.read_bytes().decode("utf-8", "replace")
                bodies[c.name] = {"task": "Gauge", "files": files, "seed": 7, "cache": False}
            with running.Server(AKGEN, "-j", "2", env={"AKGEN_HOME": str(home)}) as server:
                alone = {name: server.judge(body, timeout=300) for name, body in bodies.items()}
                for name, (status, got, _) in alone.items():
                    self.assertTrue(status == 200 and got["verdict"] != "pass" or status == 422, (name, status, got.get("verdict"), got.get("reason")))
                with concurrent.futures.ThreadPoolExecutor(16) as pool:
                    together = list(pool.map(lambda name: (name, server.judge(bodies[name], timeout=600)), list(bodies) * 2))
                for name, (status, got, _) in together:
                    self.assertEqual((status, got.get("verdict")), (alone[name][0], alone[name][1].get("verdict")), (name, got.get("reason")))
                self.alive(server)
                self.assertEqual(server.judge({"task": "Sqrt", "files": running.project(str(ROOT), "sqrt_via_float"), "cases": ["0"]}, timeout=300)[1]["verdict"], "pass")
            print(f"{len(bodies)} hostile kernels: " + ", ".join(sorted({str(got.get('verdict')) for _, (_, got, _) in together})))


def submit_to(server):
    def submit(i):
        status, got, _ = server.ask("POST", "/v1/jobs", {"task": "Sqrt", "text": f"there is no code in answer {i}"}, {"Idempotency-Key": f"k{i}"})
        return got["id"] if status == 202 else (status, got)
    return submit


def wait(server, job, seconds=120):
    until = time.time() + seconds
    while time.time() < until:
        status, state, _ = server.ask("GET", "/v1/jobs/" + job)
        if status != 200 or state["state"] == "done":
            return state
        time.sleep(0.02)
    raise AssertionError(f"{job} has not ended")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *REST])

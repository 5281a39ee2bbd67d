#!/usr/bin/env python3
"""Several servers: a Slurm job array of them (a stand-in for Slurm's commands), and behind a balancer. usage: servers_test.py AKGEN ROOT"""
import concurrent.futures
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

AKGEN, ROOT = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
sys.path[:0] = [str(ROOT / "python"), str(pathlib.Path(__file__).resolve().parent)]
import akgen  # noqa: E402
import running  # noqa: E402

SBATCH = """#!/usr/bin/env bash
[[ -z ${REFUSE-} ]] || { echo "sbatch: error: invalid partition" >&2; exit 1; }
for last; do [[ $last == --array=0-* ]] && most=${last#--array=0-}; done
for ((i = 0; i <= most; ++i)); do
  SLURM_ARRAY_TASK_ID=$i setsid "$last" >"$STAND_IN/log-$i" 2>&1 </dev/null &
  echo $! >"$STAND_IN/pid-$i"
done
echo "42;cluster"
"""
SQUEUE = """#!/usr/bin/env bash
for file in "$STAND_IN"/pid-*; do kill -0 "$(cat "$file")" 2>/dev/null && echo 42_0; done
exit 0
"""


class Balancer:
    """Takes connections in turn to the servers that are there."""

    def __init__(self, ports):
        self.ports, self.turn, self.lock = list(ports), 0, threading.Lock()
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                threading.Thread(target=self.join, args=(self.socket.accept()[0],), daemon=True).start()
            except OSError:
                return

    def join(self, client):
        for _ in self.ports:
            with self.lock:
                self.turn += 1
                port = self.ports[self.turn % len(self.ports)]
            try:
                server = socket.create_connection(("127.0.0.1", port))
                break
            except OSError:
                continue
        else:
            return client.close()

        def carry(source, to):
            try:
                while part := source.recv(65536):
                    to.sendall(part)
            except OSError:
                pass
            for s in (source, to):
                try:
                    s.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
        threading.Thread(target=carry, args=(server, client), daemon=True).start()
        carry(client, server)


def work(name="sqrt_via_float", task="Sqrt", **more):
    return akgen.submission(task, files=akgen.files_of(ROOT / "examples/kernels" / name), form="project", cases=["0"], **more)


class Servers(unittest.TestCase):
    def test_a_job_array(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            for name, text in (("sbatch", SBATCH), ("squeue", SQUEUE)):
                (folder / name).write_text(text)
                (folder / name).chmod(0o755)
            env = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "STAND_IN": str(folder)}
            command = [str(ROOT / "tools/serve_on_slurm"), "--servers", "2", "--out", str(folder / "out"), "--akgen", AKGEN]
            refused = subprocess.run(command, env={**env, "REFUSE": "1"}, capture_output=True, text=True)
            self.assertEqual(refused.returncode, 1, refused.stderr)
            ended = subprocess.run([*command, "--", "--no-such-option"], env=env, capture_output=True, text=True, timeout=120)
            self.assertEqual(ended.returncode, 1)
            self.assertIn("has ended", ended.stderr)
            self.assertEqual(subprocess.run(command[:3], env=env, capture_output=True).returncode, 2)
            done = subprocess.run([*command, "--", "-j", "1"], env=env, capture_output=True, text=True, timeout=120)
            try:
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                urls = (folder / "out/addresses").read_text().split()
                self.assertEqual((len(set(urls)), (folder / "out/job").read_text()), (2, "42\n"))
                token = (folder / "out/token").read_text().strip()
                self.assertEqual((folder / "out/token").stat().st_mode & 0o77, 0)
                clients = [akgen.Client(url, token) for url in urls]
                results = [c.judge_request(work()) for c in clients]
                self.assertEqual([(r.verdict, r.cached) for r in results], [("pass", False), ("pass", True)])  # one seed, one cache
                with self.assertRaises(akgen.AccessDenied):
                    akgen.Client(urls[0], "another token, long enough").tasks()
                config = (folder / "out/haproxy.cfg").read_text()
                for i in range(2):
                    address = (folder / f"out/address-{i}").read_text().strip()[len("http://"):]
                    self.assertIn(f"server s{i} {address} check", config)
                    self.assertTrue(akgen.Client("http://" + address, token).submit(work()).id.startswith(f"s{i}-"))
                if shutil.which("haproxy"):
                    subprocess.run(["haproxy", "-c", "-f", str(folder / "out/haproxy.cfg")], check=True, capture_output=True)
            finally:
                for pid in folder.glob("pid-*"):
                    subprocess.run(["kill", "-TERM", "--", "-" + pid.read_text().strip()], capture_output=True)
            for _ in range(200):
                if not list((folder / "out").glob("address-*")):
                    break
                time.sleep(0.1)
            self.assertEqual(list((folder / "out").glob("address-*")), [])  # who has ended has no address

    def test_behind_a_balancer(self):
        with tempfile.TemporaryDirectory() as cache:
            options = ("-j", "1", "--seed", "7", "--cache", cache)
            with running.Server(AKGEN, *options) as one, running.Server(AKGEN, *options) as other:
                balancer = Balancer([one.port, other.port])
                with akgen.Client(balancer.url) as client:
                    names = [("sqrt_via_float", "Sqrt"), ("wrong_call", "Sqrt"), ("wrong_misaligned_offset", "Sqrt")]
                    alone = [one.judge(work(*n))[1]["verdict"] for n in names]
                    together = client.judge_many([work(*n) for n in names * 8], concurrency=8)
                    self.assertEqual([r.verdict for r in together], alone * 8)
                    asked = lambda s: s.metric('akgen_http_requests_total{route="/v1/judge",status="200"}')
                    self.assertGreater(asked(other), 0)
                    with concurrent.futures.ThreadPoolExecutor(1) as pool:
                        under_way = pool.submit(client.judge_many, [work(*n, seed=s) for n in names for s in range(4)], concurrency=4)
                        time.sleep(0.3)
                        other.process.kill()
                        self.assertEqual([r.verdict for r in under_way.result()], [v for v in alone for _ in range(4)])
                balancer.socket.close()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

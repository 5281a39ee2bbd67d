#!/usr/bin/env python3
"""Two servers behind HAProxy, with the configuration that akgen prints. usage: haproxy_test.py AKGEN ROOT      (ctest -L haproxy)

Without haproxy on the PATH its Debian package is unpacked, not installed, below ~/.cache/akgen/haproxy.
"""
import asyncio
import concurrent.futures
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest

AKGEN, ROOT = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
sys.path[:0] = [str(ROOT / "python"), str(pathlib.Path(__file__).resolve().parent)]
import akgen  # noqa: E402
import running  # noqa: E402

PACKAGES = ("haproxy", "liblua5.3-0", "libopentracing-c-wrapper0", "libopentracing1")
JOBS = 100


def haproxy():
    """(program, environment)"""
    if shutil.which("haproxy"):
        return "haproxy", dict(os.environ)
    folder = pathlib.Path(os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache"))) / "akgen/haproxy"
    program = folder / "usr/sbin/haproxy"
    if not program.exists():
        with tempfile.TemporaryDirectory() as debs:
            subprocess.run(["apt-get", "download", *PACKAGES], cwd=debs, check=True, capture_output=True)
            for deb in pathlib.Path(debs).glob("*.deb"):
                subprocess.run(["dpkg-deb", "-x", str(deb), str(folder)], check=True)
    return str(program), {**os.environ, "LD_LIBRARY_PATH": str(folder / "usr/lib/x86_64-linux-gnu")}


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as s:
        return s.getsockname()[1]


def request(i, **more):
    files = {p: c + f"// {i}\n" if p.startswith("op_kernel/") else c for p, c in akgen.files_of(ROOT / "examples/kernels/sqrt_via_float").items()}
    return akgen.submission("Sqrt", files=files, form="project", cases=["0"], **more)


class Behind(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.servers, self.ports = {}, {}
        for name in ("s0", "s1"):
            self.start(name)
        self.port = free_port()
        listed = ",".join(f"{name}=127.0.0.1:{port}" for name, port in self.ports.items())
        config = subprocess.run([AKGEN, "serve", "--print-haproxy", listed, "--port", str(self.port)], check=True, capture_output=True, text=True).stdout
        (self.folder / "haproxy.cfg").write_text(config)
        program, env = haproxy()
        checked = subprocess.run([program, "-c", "-f", str(self.folder / "haproxy.cfg")], env=env, capture_output=True, text=True)
        self.assertEqual(checked.returncode, 0, checked.stderr)
        self.assertNotIn("WARNING", checked.stderr.upper())
        self.balancer = subprocess.Popen([program, "-db", "-f", str(self.folder / "haproxy.cfg")], env=env, stderr=subprocess.DEVNULL)
        self.addCleanup(self.balancer.wait)
        self.addCleanup(self.balancer.kill)
        self.client = akgen.Client(f"http://127.0.0.1:{self.port}")
        self.addCleanup(self.client.close)
        self.assertTrue(self.client.tasks())  # has patience until the first check

    def start(self, name):
        """Again under the same name, on the same port, with the same journal."""
        port = self.ports.setdefault(name, free_port())
        self.servers[name] = running.Server(AKGEN, "-j", "1", "--seed", "7", "--name", name, "--state", str(self.folder / f"{name}.db"), "--port", str(port))
        self.addCleanup(self.servers[name].__exit__)

    def taken(self, name):
        return self.servers[name].metric('akgen_http_requests_total{route="/v1/jobs",status="202"}')

    def test_a_job_stays_with_its_server(self):
        def one(i):
            job = self.client.submit(request(i))
            job.state()
            return job.id.split("-")[0], job.wait().verdict, job.state()["state"]
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            done = list(pool.map(one, range(JOBS)))
        self.assertEqual({d[1:] for d in done}, {("pass", "done")})
        by_server = {name: sum(d[0] == name for d in done) for name in self.servers}
        self.assertEqual(by_server, {name: self.taken(name) for name in self.servers})
        self.assertGreater(min(by_server.values()), JOBS // 10, "both take part")

    def test_a_key_leads_to_one_server(self):
        async def ask():
            async with akgen.AsyncClient(self.client.url) as client:
                return [r.id for i in range(10) for r in [await client.judge_request(request(f"key {i % 5}"), key=f"k{i % 5}")]]
        ids = asyncio.run(ask())
        self.assertEqual(ids[:5], ids[5:])
        self.assertEqual(len(set(ids)), 5)

    def test_a_server_that_comes_back_has_its_jobs(self):
        jobs = [self.client.submit(request(f"kill {i}")) for i in range(12)]
        self.servers["s1"].process.kill()
        self.servers["s1"].process.wait()
        self.assertIn("s1", {j.id.split("-")[0] for j in jobs})
        with concurrent.futures.ThreadPoolExecutor(12) as pool:
            waiting = [pool.submit(j.wait) for j in jobs]
            self.assertTrue(self.client.judge_request(request("meanwhile")).passed)  # the other one judges
            time.sleep(1)
            self.start("s1")
            self.assertEqual({w.result(timeout=120).verdict for w in waiting}, {"pass"})

    def test_who_leaves_takes_the_work_back(self):
        async def ask():
            async with akgen.AsyncClient(self.client.url) as client:
                slow = asyncio.create_task(client.judge(running.endless(ROOT), "UnalignAdd", seed="fresh", cache=False))
                while not sum(s.metric("akgen_inflight") for s in self.servers.values()):
                    await asyncio.sleep(0.05)
                slow.cancel()
        asyncio.run(ask())
        for server in self.servers.values():
            self.assertTrue(server.wait_until(lambda: server.metric("akgen_inflight") == 0, seconds=5))

    def test_sockets_pass(self):
        with_port = type("Balancer", (), {"port": self.port})
        ws = running.WebSocket(with_port)
        self.assertEqual(ws.status, 101)
        self.assertEqual(ws.ask({"type": "reset", "data": {"task": "Sqrt"}})["type"], "observation")
        ws.close()


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])

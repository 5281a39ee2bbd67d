#!/usr/bin/env python3
"""Judging on a Ray cluster of two nodes on this machine, one of which is killed. usage: ray_test.py AKGEN ROOT [VENV]      (ctest -L ray)

Ray comes from the package index, into an environment that is kept (VENV; default: ~/.cache/akgen/clients/ray).
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import unittest

AKGEN, ROOT = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tests/serve")]
NAMES = (("sqrt_via_float", "Sqrt", "pass"), ("wrong_call", "Sqrt", "build_error"), ("wrong_misaligned_offset", "Sqrt", "finding"), ("add_double_buffer", "UnalignAdd", "pass"))


def work(count, salt):
    """Requests that differ from one another, and their verdicts."""
    import akgen
    requests, verdicts = [], []
    for i in range(count):
        name, task, verdict = NAMES[i % len(NAMES)]
        files = {p: c + f"// {i} {salt}\n" if p.startswith("op_kernel/") else c for p, c in akgen.files_of(ROOT / "examples/kernels" / name).items()}
        requests.append(akgen.submission(task, files=files, form="project", cases=["0"]))
        verdicts.append(verdict)
    return requests, verdicts


class OnRay(unittest.TestCase):
    def setUp(self):
        import ray
        from ray.cluster_utils import Cluster
        self.ray = ray
        self.cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
        self.addCleanup(self.cluster.shutdown)
        self.other = self.cluster.add_node(num_cpus=1)
        ray.init(address=self.cluster.address, log_to_driver=False)
        self.addCleanup(ray.shutdown)
        self.cluster.wait_for_nodes()

    def kill_later(self, seconds, node):
        """As a machine that fails: its processes are killed."""
        thread = threading.Timer(seconds, self.cluster.remove_node, [node], {"allow_graceful": False})
        thread.start()
        self.addCleanup(thread.join)

    def wait_for(self, true):
        until = time.monotonic() + 120
        while not true():
            self.assertLess(time.monotonic(), until)
            time.sleep(0.1)

    def test_rewards_while_a_node_is_killed(self):
        import akgen.ray
        with akgen.ray.Pool(akgen=AKGEN, seed=7) as pool:
            first, verdicts = work(8, "first")
            while len(set(pool.nodes())) < 2:  # both judge
                self.assertEqual([r.verdict for r in pool.judge_many(first)], verdicts)
            requests, verdicts = work(60, "second")
            self.kill_later(1.5, self.other)
            results = pool.judge_many(requests)
            self.assertEqual([r.verdict for r in results], verdicts)
            self.assertEqual({r.record.seed for r in results if r.record}, {7})
            self.wait_for(lambda: sum(n["Alive"] for n in self.ray.nodes()) == 1)
            self.assertEqual([r.verdict for r in pool.judge_many(first)], [v for v in verdicts[:8]])  # what is left goes on
            self.assertEqual(len(set(pool.nodes())), 1)
            self.cluster.add_node(num_cpus=1)  # a new node is used
            until = time.monotonic() + 120
            while len(set(pool.nodes())) < 2:
                self.assertLess(time.monotonic(), until)
                pool.judge_many(first)
            answers = ["no code", "".join(f"`{p}`:\n```cpp\n{c}```\n" for p, c in akgen.files_of(ROOT / "examples/kernels/sqrt_via_float").items())]
            self.assertEqual(pool.rewards(answers, ["Sqrt", "Sqrt"], cases=["0"]), [0.0, 1.0])
            with self.assertRaises(akgen.InvalidRequest):
                pool.rewards(["x"], [])
            self.assertIsInstance(pool.judge_many([akgen.submission("Nope", text="x")])[0], akgen.NotFound)

    def test_shards_of_a_run_while_a_node_is_killed(self):
        import akgen.ray
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            expected = {}
            for i in range(16):
                name, task, verdict = NAMES[i % len(NAMES)]
                sample = sum(t == task for t, _ in expected)
                expected[task, sample] = verdict
                for path, content in akgen.files_of(ROOT / "examples/kernels" / name).items():
                    file = folder / "candidates" / task / f"sample{sample}" / path
                    file.parent.mkdir(parents=True, exist_ok=True)
                    file.write_text(content + (f"// {i}\n" if path.startswith("op_kernel/") else ""))
            samples = max(s for _, s in expected) + 1
            arguments = ["--candidates", str(folder / "candidates"), "--tasks", "Sqrt,UnalignAdd", "-n", str(samples), "--cases", "1", "--no-cache", "--seed", "7",
                         "--hidden-seed", "7"]
            pool = akgen.ray.Pool(akgen=AKGEN)
            self.kill_later(4, self.other)
            pool.bench_run(arguments, folder / "run.db", shards=8)
            self.wait_for(lambda: sum(n["Alive"] for n in self.ray.nodes()) == 1)
            run = lambda *a: subprocess.run([AKGEN, "bench", *a], capture_output=True, text=True)  # noqa: E731
            shown = run("show", str(folder / "run.db"), "--failed").stdout
            failed = {(line.split()[0], int(line.split()[2]), line.split(": ")[1]) for line in shown.splitlines() if " sample " in line}
            self.assertEqual(failed, {(task, sample, verdict) for (task, sample), verdict in expected.items() if verdict != "pass"})
            self.assertEqual(run("run", *arguments, "--out", str(folder / "alone.db")).returncode, 0)
            same = json.loads(run("diff", str(folder / "alone.db"), str(folder / "run.db"), "--json", "-").stdout)
            self.assertEqual((same["flips"], same["different_config"], same["both"]), ([], "", sum(v == "pass" for v in expected.values())))

    def test_what_cannot_start_is_said(self):
        import akgen.ray
        with akgen.ray.Pool(akgen="/no/such/program") as pool, self.assertRaises(akgen.ConnectionFailed) as caught:
            pool.judge_many(work(1, "none")[0])
        self.assertIn("/no/such/program", str(caught.exception))


def with_ray():
    """Runs this file where Ray is."""
    folder = pathlib.Path(sys.argv[3] if len(sys.argv) > 3 else os.path.join(os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache")), "akgen/clients/ray"))
    python = folder / "bin/python"
    if not (folder / "installed").exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
        subprocess.run([str(python), "-m", "pip", "--disable-pip-version-check", "-q", "install", "ray==2.60.0"], check=True)
        (folder / "installed").write_text("ray==2.60.0")
    env = {**os.environ, "AKGEN_TEST_RAY": "1", "PYTHONPATH": str(ROOT / "python"), "RAY_USAGE_STATS_ENABLED": "0"}
    return subprocess.run([str(python), __file__, AKGEN, str(ROOT)], env=env).returncode


if __name__ == "__main__":
    if "AKGEN_TEST_RAY" not in os.environ:
        sys.exit(with_ray())
    unittest.main(argv=sys.argv[:1])

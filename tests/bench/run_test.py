#!/usr/bin/env python3
"""Runs of the benchmark, end to end, with akgen's own example kernels: resuming after kill -9, shards, bad input.

run_test.py AKGEN REPO [--kills N] [--neighbours N]    N kills at random moments instead of two;  N candidates for two runs on one
                                                       cache instead of six
"""
import fcntl
import json
import math
import os
import pathlib
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree as xml

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from fresh_cache import fresh_cache  # noqa: E402

AKGEN, REPO = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
NEIGHBOURS = int(sys.argv[sys.argv.index("--neighbours") + 1]) if "--neighbours" in sys.argv else 6
KILLS = int(sys.argv[sys.argv.index("--kills") + 1]) if "--kills" in sys.argv else 2
EXAMPLES = {"UnalignAdd": ["add_double_buffer", "wrong_missing_handoff", "wrong_missing_tail"],
            "Sqrt": ["sqrt_via_float", "wrong_call", "wrong_misaligned_offset"],
            "FastGelu": ["fast_gelu", "wrong_constant"]}
TASKS = "Sqrt,FastGelu,UnalignAdd"


class Bench(unittest.TestCase):
    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="akgen_bench_"))
        self.addCleanup(shutil.rmtree, self.dir, True)
        self.env = {**os.environ, "AKGEN_CACHE": fresh_cache(self.dir / "cache")}
        self.db = self.dir / "run.db"
        self.candidates = self.dir / "candidates"
        for task, names in EXAMPLES.items():
            for k, name in enumerate(names):
                shutil.copytree(REPO / "examples/kernels" / name, self.candidates / task / f"sample{k}")

    def command(self, *more, out=None, tasks=TASKS, n=3):
        return [str(AKGEN), "bench", "run", "--tasks", tasks, "--candidates", str(self.candidates), "--out", str(out or self.db),
                "-n", str(n), "--profile", "ragged", "--hidden-seed", "5", *self.unless("--cases", "4", more), *self.unless("--seed", "1", more), *self.unless("--hidden", "2", more),
                *self.unless("--inputs", "upstream", more), *more]  # how a run goes on does not depend on what its inputs are

    @staticmethod
    def unless(option, value, more):
        return () if option in more else (option, value)

    def run_bench(self, *more, out=None, code=0, tasks=TASKS):
        done = subprocess.run(self.command(*more, out=out, tasks=tasks), env=self.env, capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def bench(self, *args, code=0):
        done = subprocess.run([str(AKGEN), "bench", *map(str, args)], env=self.env, capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def verdicts(self, db=None):
        rows = sqlite3.connect(db or self.db).execute("SELECT task, sample, part, verdict, reason, key FROM verdicts").fetchall()
        self.assertEqual(len(rows), len({r[:3] for r in rows}), "a verdict was given twice")
        return {r[:3]: r[3:] for r in rows}

    def test_planner_as_generator(self):
        summary = self.dir / "plan.json"
        args = ["run", "--generator", "plan", "--tasks", "Sqrt,MaskedSelectV3", "--profile", "tiny", "--cases", "1", "--hidden", "1", "--json", summary]
        self.bench(*args)
        j = json.loads(summary.read_text())
        self.assertEqual({k: j[k] for k in ("tasks", "emitted", "built", "passed", "passed_hidden", "findings")},
                         {"tasks": 2, "emitted": 1, "built": 1, "passed": 1, "passed_hidden": 1, "findings": 0})
        self.assertEqual(list(j["refused"]), ["MaskedSelectV3"])
        self.assertEqual(len(list(self.dir.glob("cache/generated/*/Sqrt/sample0/program.py"))), 1)
        self.bench(*args, "--candidates", self.dir / "made", "--out", self.db)
        self.assertEqual({k[0] for k in self.verdicts()}, {"Sqrt"})
        self.assertIn("--candidates", self.bench("run", "--tasks", "Sqrt", code=2))

    def test_verdicts_metrics_and_exports(self):
        self.run_bench("-j", "2", "--inputs", "wide")
        v = {k: r[0] for k, r in self.verdicts().items()}
        self.assertEqual(len(v), 16)
        for task in EXAMPLES:
            self.assertEqual((v[task, 0, "public"], v[task, 0, "hidden"]), ("pass", "pass"), task)
        self.assertEqual(v["Sqrt", 1, "public"], "build_error")
        self.assertEqual(v["FastGelu", 1, "public"], "wrong_answer")
        self.assertEqual(v["UnalignAdd", 1, "public"], "finding")
        self.bench("show", self.db, "--json", self.dir / "m.json")
        m = json.loads((self.dir / "m.json").read_text())
        self.assertAlmostEqual(m["pass"]["1"]["value"], 1 / 3)
        self.assertEqual(m["taxonomy"]["missing"], 1)
        self.assertEqual(sum(m["taxonomy"].values()), 9)
        self.assertEqual(m["fast_p"]["1.0"], "not modelled")
        text = self.bench("show", self.db, "--tasks", "--failed")
        self.assertIn("not modelled", text)
        self.assertIn("finding", text)
        kb = json.loads(self.bench("export", self.db, "--format", "kernelbench"))
        self.assertEqual([s["correctness"] for s in kb["1"]], [True, False, False])
        mkb = json.loads(self.bench("export", self.db, "--format", "multikernelbench"))
        self.assertTrue(mkb["Sqrt"]["correctness"])
        up = json.loads(self.bench("export", self.db, "--format", "upstream"))
        self.assertEqual(up["results"]["Sqrt/all"]["compile_pass"], 2)
        self.assertEqual(self.bench("export", self.db, "--format", "csv").count("\n"), 17)
        root = xml.fromstring(self.bench("export", self.db, "--format", "junit"))
        self.assertEqual(len(root.findall("testsuite/testcase")), 17)
        # Again, from the cache: the same verdicts, nothing judged.
        other = self.dir / "again.db"
        self.assertIn("8 from the cache", self.run_bench("--inputs", "wide", out=other))
        self.bench("diff", self.db, other)
        # And judged again: the same verdicts for the same reasons.
        fresh = self.dir / "fresh.db"
        self.run_bench("--no-cache", "--inputs", "wide", out=fresh)
        self.assertEqual(self.verdicts(), self.verdicts(fresh))

    def test_modelled_time(self):
        """fast_p and HAP of a timed run are what its own records give by their definitions."""
        self.run_bench("--time", "--hidden", "0", tasks="UnalignAdd")
        rows = sqlite3.connect(self.db).execute("SELECT sample, verdict, record FROM verdicts ORDER BY sample").fetchall()
        self.assertEqual([r[1] == "pass" for r in rows], [True, False, False])
        times = [c["modelled"] for c in json.loads(rows[0][2])["cases"]]
        self.assertEqual(len(times), 4)
        for t in times:
            self.assertGreater(t["us"], t["bound_us"])
            self.assertTrue(t["bottleneck"] and t["estimator"])
            for time, between in (("us", "range_us"), ("baseline_us", "baseline_range_us")):
                low, high = t[between]
                self.assertTrue(low < t[time] < high, t)
        speedup = math.exp(sum(math.log(t["baseline_us"] / t["us"]) for t in times) / len(times))
        self.bench("show", self.db, "--json", self.dir / "m.json")
        m = json.loads((self.dir / "m.json").read_text())
        for p, share in m["fast_p"].items():  # one of three samples is right
            self.assertAlmostEqual(share, 1 / 3 if speedup > float(p) else 0, msg=p)
        self.assertAlmostEqual(m["fast_p"]["0.2"], 1 / 3)
        room = [(t["baseline_us"] - t["bound_us"], t["us"] - t["bound_us"]) for t in times]
        self.assertAlmostEqual(m["hap"], sum(base / (base + mine) for base, mine in room) / len(room) / 3)
        # The cache keeps timed and untimed verdicts apart.
        plain = self.dir / "plain.db"
        self.run_bench("--hidden", "0", tasks="UnalignAdd", out=plain)
        self.bench("show", plain, "--json", self.dir / "m.json")
        self.assertEqual(json.loads((self.dir / "m.json").read_text())["hap"], "not modelled")

    def test_unknown_format(self):
        self.run_bench("--hidden", "0", tasks="FastGelu")
        self.assertIn("AK0514", self.bench("export", self.db, "--format", "xml", code=2))

    def test_killed_at_random_moments(self):
        whole = self.dir / "whole.db"
        started = time.time()
        self.run_bench("--no-cache", out=whole)
        length = time.time() - started
        random.seed(11)
        before = {}
        for _ in range(KILLS):
            child = subprocess.Popen(self.command("--no-cache", "-j", "2"), env=self.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(random.uniform(0.02, 0.5) * length)
            child.send_signal(signal.SIGKILL)
            child.wait()
            now = self.verdicts_or_none()
            self.assertLessEqual(before.items(), now.items(), "a verdict was lost or changed")
            before = now
            if len(now) == 16:  # the whole run: begin again
                self.assertEqual(now, self.verdicts(whole))
                before = {}
                for name in self.dir.glob("run.db*"):
                    name.unlink()
        self.run_bench("--no-cache", "-j", "2")
        self.assertEqual(self.verdicts(), self.verdicts(whole))

    def workers_of(self, pid):
        """Processes that judge for it."""
        out = []
        for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                name, rest = stat.read_text().rsplit(")", 1)
            except OSError:
                continue
            if name.endswith("(akgen-judge") and int(rest.split()[1]) == pid and rest.split()[0] != "Z":
                out.append(int(stat.parent.name))
        return out

    def start_and_kill_workers(self, most, after):
        """The run's exit status and output when so many of its workers are killed, each so many seconds after it is seen."""
        child = subprocess.Popen(self.command("--no-cache", "-j", "2"), env=self.env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        killed = set()  # a process that is killed is there for a while yet
        while child.poll() is None and len(killed) < most:
            for worker in set(self.workers_of(child.pid)) - killed:
                time.sleep(after)
                try:
                    os.kill(worker, signal.SIGKILL)
                    killed.add(worker)
                except ProcessLookupError:
                    pass
            time.sleep(0.01)
        out, _ = child.communicate(timeout=300)
        self.assertTrue(killed)
        return child.returncode, out

    def test_a_worker_that_dies_costs_nothing(self):
        whole = self.dir / "whole.db"
        self.run_bench("--no-cache", out=whole)
        code, out = self.start_and_kill_workers(1, 0.3)
        self.assertEqual(code, 0, out)
        self.assertEqual(self.verdicts(), self.verdicts(whole))

    def test_workers_that_always_die_cost_their_units_alone(self):
        code, out = self.start_and_kill_workers(6, 0)  # two workers, twice each, and some to spare
        self.assertEqual(code, 3, out)
        self.assertIn("AK0516", out)
        self.assertIn("died, twice", out)
        some = self.verdicts()
        self.assertTrue(some, "the run went on with the others")
        self.run_bench("--no-cache", "-j", "2")
        self.assertLessEqual(some.items(), self.verdicts().items())
        self.assertEqual(len(self.verdicts()), 16)

    @staticmethod
    def catches(pid, sig):
        caught = re.search(r"SigCgt:\s*(\w+)", pathlib.Path(f"/proc/{pid}/status").read_text()).group(1)
        return int(caught, 16) >> (sig - 1) & 1

    def test_an_interrupt_is_nobodys_fault(self):
        """Ctrl-C goes to all processes of the terminal's group: what was under way has its own verdict or none."""
        home = self.own_home()
        reference = home / "tasks/level1/Math/Sqrt/reference.py"   # one that keeps its process busy
        reference.write_text("def reference(x: Tensor) -> Tensor:\n    z = torch.ones([700, 700])\n    for i in range(12):\n        z = torch.matmul(z, z) * 0.0 + 1.0\n"
                             "    return torch.sqrt(x) + (z[0, 0] - 1.0)\n")
        whole, before = self.dir / "whole.db", {}
        self.run_bench("--no-cache", "--cases", "2", "--hidden", "0", out=whole, tasks="Sqrt")
        for delay in (0.3, 0.7):
            shutil.rmtree(self.dir / "cache")  # references have to be computed again
            child = subprocess.Popen(self.command("--no-cache", "--cases", "2", "--hidden", "0", tasks="Sqrt"), env=self.env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                     text=True, start_new_session=True)
            while child.poll() is None and not self.catches(child.pid, signal.SIGINT):  # before, there is nothing to stop
                time.sleep(0.01)
            time.sleep(delay)
            os.killpg(child.pid, signal.SIGINT)
            out, _ = child.communicate(timeout=120)
            self.assertNotIn("error[", out)
            self.assertIn("stopped; the same command resumes", out)
            now = self.verdicts_or_none()
            self.assertLessEqual(before.items(), now.items())
            self.assertLessEqual(now.items(), self.verdicts(whole).items())
            before = now
        self.run_bench("--no-cache", "--cases", "2", "--hidden", "0", tasks="Sqrt")
        self.assertEqual(self.verdicts(), self.verdicts(whole))

    def test_a_second_interrupt_ends_it_at_once(self):
        slow = next((self.candidates / "Sqrt/sample0/op_kernel").glob("*.cpp"))
        slow.write_text(re.sub(r"(__global__[^;{]*\)\s*\{)", r"\1 for (volatile int spin = 0;; spin = spin + 1) {}", slow.read_text(), count=1))
        child = subprocess.Popen(self.command("--no-cache", "--timeout", "60", tasks="Sqrt"), env=self.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                 start_new_session=True)
        time.sleep(1)
        for _ in range(50):
            os.killpg(child.pid, signal.SIGINT)
            time.sleep(0.1)
            if child.poll() is not None:
                break
        self.assertIn(child.poll(), (128 + signal.SIGINT, -signal.SIGINT))
        self.assertEqual(self.verdicts_or_none(), {})

    def verdicts_or_none(self):
        try:
            return self.verdicts() if self.db.exists() else {}
        except sqlite3.OperationalError:  # killed before the tables were there
            return {}

    def test_shards_make_the_whole(self):
        self.run_bench()
        parts = [self.dir / f"part{i}.db" for i in range(3)]
        for i, part in enumerate(parts):
            self.run_bench("--shard", f"{i}/3", out=part)
        merged = self.dir / "merged.db"
        self.bench("merge", *parts, "--out", merged)
        self.assertEqual(self.verdicts(), self.verdicts(merged))
        self.bench("merge", parts[0], parts[0], "--out", merged)  # again: nothing new
        self.assertEqual(self.verdicts(), self.verdicts(merged))
        stranger = self.dir / "stranger.db"
        self.run_bench("--seed", "2", "--shard", "0/3", out=stranger)
        self.assertIn("AK0513", self.bench("merge", stranger, "--out", merged, code=3))
        self.run_bench("--shard", "3/3", out=stranger, code=2)

    def test_one_run_per_file(self):
        self.run_bench(tasks="Sqrt")
        self.assertIn("AK0512", self.run_bench("--precision", "upstream", tasks="Sqrt", code=3))
        self.assertEqual(len(self.verdicts()), 6)
        with open(f"{self.db}.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.assertIn("AK0501", self.run_bench(tasks="Sqrt", code=3))

    def test_a_candidate_that_changes(self):
        self.run_bench(tasks="Sqrt")
        kernel = next((self.candidates / "Sqrt/sample1/op_kernel").glob("*.cpp"))
        kernel.write_text(kernel.read_text() + "// later\n")
        self.assertIn("AK0505", self.run_bench(tasks="Sqrt", code=3))
        self.assertEqual(len(self.verdicts()), 6)

    def test_a_candidate_that_changes_while_it_is_judged(self):
        # The hostile part: the content that is judged is not the one that was registered.
        child = subprocess.Popen(self.command("--no-cache", tasks="Sqrt"), env=self.env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        kernel = next((self.candidates / "Sqrt/sample2/op_kernel").glob("*.cpp"))
        for _ in range(2000):
            try:
                if sqlite3.connect(f"file:{self.db}?mode=ro", uri=True).execute("SELECT count(*) FROM candidates").fetchone()[0]:
                    break
            except sqlite3.OperationalError:
                pass
            time.sleep(0.005)
        kernel.write_text(kernel.read_text() + "// later\n")
        out, _ = child.communicate()
        self.assertEqual(child.returncode, 3, out)
        self.assertIn("AK0511", out)
        self.assertEqual({k[1] for k in self.verdicts()}, {0, 1})

    def test_candidates_that_are_no_candidates(self):
        # A generator that failed leaves empty folders, and a hostile one leaves traps: the others are judged all the same.
        kernels = self.candidates / "Sqrt/sample1/op_kernel"
        shutil.rmtree(kernels)
        kernels.mkdir()
        shutil.rmtree(self.candidates / "Sqrt/sample1/op_host")
        traps = self.candidates / "Sqrt/sample2/op_kernel"
        with open(traps / "large.h", "wb") as f:
            f.truncate(1 << 42)   # four terabytes of nothing
        (traps / "endless.h").symlink_to("/dev/zero")
        (traps / "loop").symlink_to(traps)
        os.mkfifo(traps / "pipe.h")
        (traps / os.fsdecode(b"no\xfftext.h")).write_text("int x;\n")
        self.run_bench("--hidden", "0", "--no-cache", tasks="Sqrt")
        v = {k[1]: r for k, r in self.verdicts().items()}
        self.assertEqual({k: r[0] for k, r in v.items()}, {0: "pass", 1: "build_error", 2: "finding"})
        self.assertIn("AK0311", v[1][1])
        json.loads(self.bench("export", self.db, "--format", "kernelbench"))

    def test_one_candidate_never_ends_a_run(self):
        """Host code that answers nonsense, dies in its answer or prints no text: each has a verdict of its own, and the same one where the run is resumed."""
        for k, (old, new) in enumerate((('Input("x")', 'Input("\\xff\\xfe\\n{}")'), ('Input("x")', 'Input((std::printf("\\xff{\\"status\\":[]}\\n"), std::quick_exit(0), "x"))'),
                                        ('Input("x")', 'Input(std::string(20u << 20, \'a\').c_str())'))):
            host = next((self.candidates / f"Sqrt/sample{k}/op_host").glob("*.cpp"))
            text = host.read_text()
            self.assertIn(old, text)
            host.write_text("#include <cstdio>\n#include <cstdlib>\n#include <string>\n" + text.replace(old, new, 1))
        self.run_bench("--hidden", "0", "--no-cache", "-j", "2", tasks="Sqrt,FastGelu")
        first = self.verdicts()
        self.assertEqual({k[:2]: r[0] for k, r in first.items() if k[0] == "FastGelu"}, {("FastGelu", 0): "pass", ("FastGelu", 1): "wrong_answer"})
        blamed = [r[0] for k, r in first.items() if k[0] == "Sqrt"]
        self.assertEqual(len(blamed), 3)
        self.assertLessEqual(set(blamed), {"build_error", "runtime_error", "rejected"}, first)
        self.run_bench("--hidden", "0", "--no-cache", tasks="Sqrt,FastGelu")
        self.assertEqual(self.verdicts(), first)
        self.run_bench("--hidden", "0", "--no-cache", tasks="Sqrt,FastGelu", out=self.dir / "again.db")
        self.assertEqual({k: r[:2] for k, r in self.verdicts(self.dir / "again.db").items()}, {k: r[:2] for k, r in first.items()})

    def test_a_disk_that_fills_up(self):
        disk = self.dir / "disk"
        disk.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", str(disk)], capture_output=True).returncode:
            self.skipTest("mounting a small disk needs root")
        self.addCleanup(subprocess.run, ["umount", "-l", str(disk)])
        whole, small = self.dir / "whole.db", disk / "run.db"
        self.run_bench(out=whole)
        self.assertIn("AK0502", self.run_bench(out=small, code=3))
        subprocess.run(["mount", "-o", "remount,size=16m", str(disk)], check=True)
        before = self.verdicts(small)
        self.assertLess(len(before), 16)
        self.assertLessEqual(before.items(), self.verdicts(whole).items())
        self.run_bench(out=small)   # resumes where the disk was full
        self.assertEqual(self.verdicts(small), self.verdicts(whole))

    def test_a_full_cache_is_nobodys_fault(self):
        """Room for hardly a build, for builds but not what references compute, for nearly all: only what is true is given and kept."""
        def given(db):
            return {k: r[:2] for k, r in self.verdicts(db).items()} if db.exists() else {}

        cache, whole = self.dir / "cache", self.dir / "whole.db"
        headers = (cache / "pch").resolve()
        self.run_bench(out=whole, tasks="Sqrt")
        truth = given(whole)
        self.assertEqual(len(truth), 6)
        used = sum(f.stat().st_blocks * 512 for f in cache.rglob("*"))
        shutil.rmtree(cache)
        cache.mkdir()
        full = 0
        for size in (40 << 10, used // 3, used * 9 // 10):
            if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(cache)], capture_output=True).returncode:
                self.skipTest("mounting a small disk needs root")
            self.addCleanup(subprocess.run, ["umount", "-l", str(cache)], capture_output=True)
            (cache / "pch").symlink_to(headers)   # elsewhere: making them takes longer than all else here
            db = self.dir / f"{size}.db"
            done = subprocess.run(self.command(out=db, tasks="Sqrt"), env=self.env, capture_output=True, text=True)
            self.assertIn(done.returncode, (0, 3), done.stdout + done.stderr)
            self.assertEqual(done.returncode == 3, "AK0516" in done.stderr, done.stderr)
            full += done.returncode == 3
            self.assertLessEqual(given(db).items(), truth.items(), size)
            subprocess.run(["mount", "-o", "remount,size=1g", str(cache)], check=True)
            for again in (db, self.dir / f"{size}_again.db"):   # where there was no room, and all of it with what the cache has kept
                self.run_bench(out=again, tasks="Sqrt")
                self.assertEqual(given(again), truth, size)
            subprocess.run(["umount", str(cache)], check=True)
        self.assertGreaterEqual(full, 1)

    def test_a_header_below_include_that_changes(self):
        for k in (1, 2):
            shutil.rmtree(self.candidates / "Sqrt" / f"sample{k}")
        outside = self.dir / "outside"
        outside.mkdir()
        header, other = outside / "outside.h", outside / "other.h"
        header.write_text("// nothing\n")
        host = next((self.candidates / "Sqrt/sample0/op_host").glob("*.cpp"))
        host.write_text('#include "outside.h"\n' + host.read_text())

        def judged(name):
            text = self.run_bench("--hidden", "0", "-I", str(outside), out=self.dir / name, tasks="Sqrt")
            return self.verdicts(self.dir / name)["Sqrt", 0, "public"][0], "(1 from the cache)" in text
        self.assertEqual(judged("1.db"), ("pass", False))
        self.assertEqual(judged("2.db"), ("pass", True))
        other.write_text("#error nobody includes this\n")
        self.assertEqual(judged("3.db"), ("pass", True))
        header.write_text("#error it changed\n")
        self.assertEqual(judged("4.db"), ("build_error", False))

    def test_two_pid_namespaces_on_one_cache(self):
        """Each sees the other's process numbers as those of nobody, and cleans up after what seems dead."""
        alone = ["unshare", "--pid", "--fork", "--mount-proc"]
        if subprocess.run([*alone, "true"], capture_output=True).returncode:
            self.skipTest("a PID namespace needs root")
        shutil.rmtree(self.candidates)
        names = EXAMPLES["UnalignAdd"]
        for k in range(NEIGHBOURS):
            sample = self.candidates / "UnalignAdd" / f"sample{k}"
            shutil.copytree(REPO / "examples/kernels" / names[k % len(names)], sample)
            for source in sample.glob("op_*/*.cpp"):
                source.write_text(source.read_text() + f"// {k}\n")

        def command(out):
            return self.command("--hidden", "0", "--no-cache", "-j", "2", out=self.dir / out, tasks="UnalignAdd", n=NEIGHBOURS)
        lone = {**self.env, "AKGEN_CACHE": fresh_cache(self.dir / "lone")}
        subprocess.run(command("lone.db"), env=lone, check=True, capture_output=True)
        both = [subprocess.Popen([*alone, *command(f"{n}.db")], env=self.env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
                for n in range(2)]
        # A third one comes and goes: whoever starts cleans up.
        while any(p.poll() is None for p in both):
            subprocess.run([*alone, str(AKGEN), "judge", str(REPO / "examples/kernels/add_double_buffer"), "--task", "UnalignAdd", "--case", "0"],
                           env=self.env, capture_output=True)
        for p in both:
            self.assertEqual(p.returncode, 0, p.stdout.read())
            p.stdout.close()
        expected = {k: r[:2] for k, r in self.verdicts(self.dir / "lone.db").items()}
        self.assertEqual(len(expected), NEIGHBOURS)
        for n in range(2):
            self.assertEqual({k: r[:2] for k, r in self.verdicts(self.dir / f"{n}.db").items()}, expected)

    def own_home(self):
        """A folder to read tasks from that has nothing but Sqrt, to be changed."""
        home = self.dir / "home"
        shutil.copytree(REPO / "tasks/level1/Math/Sqrt", home / "tasks/level1/Math/Sqrt")
        for name in ("include", "data"):
            (home / name).symlink_to(REPO / name)
        self.env["AKGEN_HOME"] = str(home)
        (self.dir / "cache/pch").unlink()  # precompiled headers of a folder that goes are of use to nobody
        return home

    def test_broken_tasks(self):
        home = self.own_home()
        reference = home / "tasks/level1/Math/Sqrt/reference.py"
        reference.write_text("def reference(x: Tensor) -> Tensor:\n    assert False, 'no reference today'\n    return x\n")
        text = self.run_bench("--hidden", "0", "--timeout", "30", tasks="Sqrt", code=2)
        self.assertIn("AK0516", text)
        self.assertIn("no reference today", text)
        self.assertNotIn("infra_error", {r[0] for r in self.verdicts().values()})
        judged = len(self.verdicts())
        (home / "tasks/level1/Math/Sqrt/task.toml").write_text("schema = 1\nname = 3\n")
        self.assertIn("AK0102", self.run_bench("--hidden", "0", tasks="Sqrt", code=2))
        self.assertEqual(len(self.verdicts()), judged)

    def fake_slurm(self, sbatch):
        """A PATH with an sbatch that runs the script given here, and a squeue that knows its jobs."""
        tools = self.dir / "tools"
        tools.mkdir(exist_ok=True)
        for name, text in (("sbatch", sbatch), ("squeue", f'while read -r p; do kill -0 "$p" 2>/dev/null && echo "$p"; done < {self.dir}/jobs\nexit 0\n'),
                           ("scancel", "exit 0\n")):
            (tools / name).write_text("#!/bin/bash\n" + text)
            (tools / name).chmod(0o755)
        self.env["PATH"] = f"{tools}:/usr/bin:/bin"

    def slurm(self, *more, code=0, db=None):
        return self.run_bench("--executor", "slurm", "--workers", "2", *more, out=db, code=code)

    def test_workers_of_a_cluster(self):
        whole = self.dir / "whole.db"
        self.run_bench(out=whole)
        # Each worker of the first submission is killed after a moment; later ones live.
        run_array = (f'array=""; for a; do case $a in --array=*) array=${{a#--array=}};; esac; script=$a; done\n'
                     f'[[ $array == *-* ]] && array=$(seq -s, ${{array%-*}} ${{array#*-}})\n: > {self.dir}/jobs\n'
                     f'first=0; [ -e {self.dir}/submitted ] || first=1; touch {self.dir}/submitted\n'
                     f'for i in ${{array//,/ }}; do\n  if [ $first = 1 ]; then SLURM_ARRAY_TASK_ID=$i timeout -s KILL 1.5 "$script" </dev/null >/dev/null 2>&1 &\n'
                     f'  else SLURM_ARRAY_TASK_ID=$i "$script" </dev/null >/dev/null 2>&1 & fi\n  echo $! >> {self.dir}/jobs\ndone\necho 17\n')
        self.fake_slurm(run_array)
        for _ in range(4):  # a submission in which nothing was judged ends the command; the next one goes on
            done = subprocess.run(self.command("--no-cache", "--executor", "slurm", "--workers", "2"), env=self.env, capture_output=True, text=True)
            if done.returncode == 0:
                break
            self.assertIn("AK0515", done.stdout + done.stderr)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(self.verdicts(), self.verdicts(whole))

    def test_a_cluster_that_refuses(self):
        self.fake_slurm("echo 'sbatch: error: invalid partition' >&2; exit 1\n")
        self.assertIn("AK0515", self.slurm(code=3))
        self.env["PATH"] = "/nonexistent"
        self.assertIn("AK0015", self.slurm(code=3))

    def test_wrong_use(self):
        self.assertIn("AK0101", self.run_bench(tasks="NoSuchTask", code=2))
        self.assertIn("AK0504", self.run_bench(out=self.dir / "no/folder.db", code=3))
        shutil.rmtree(self.candidates)
        self.assertIn("AK0510", self.run_bench(code=3))
        self.assertIn("AK0503", self.bench("show", self.dir / "none.db", code=2))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *(sys.argv[5:] if {"--kills", "--neighbours"} & set(sys.argv) else sys.argv[3:])])

#!/usr/bin/env python3
"""Many clients at a time while processes are killed, and for long: every request is answered, with the verdict of a lone run; nothing grows.

usage: load_test.py AKGEN ROOT [--seconds N] [--clients N] [--minutes N] [TEST...]     ctest -L slow -R "serve.(chaos|soak)" are the long forms
"""
import argparse
import collections
import os
import pathlib
import random
import signal
import sys
import threading
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import running  # noqa: E402

parser = argparse.ArgumentParser()
parser.add_argument("akgen", type=os.path.abspath)
parser.add_argument("root", type=lambda p: str(pathlib.Path(p).resolve()))
parser.add_argument("--seconds", type=float, default=6, help="of the storm")
parser.add_argument("--clients", type=int, default=16)
parser.add_argument("--minutes", type=float, default=0.2, help="of the soak")
parser.add_argument("--jobs", type=int, default=2, help="judging processes")
OPTIONS, REST = parser.parse_known_args()
EXAMPLES = (("sqrt_via_float", "Sqrt"), ("wrong_misaligned_offset", "Sqrt"), ("wrong_call", "Sqrt"), ("fast_gelu", "FastGelu"), ("wrong_constant", "FastGelu"),
            ("add_double_buffer", "UnalignAdd"), ("wrong_missing_handoff", "UnalignAdd"), ("wrong_missing_tail", "UnalignAdd"))
SEEDS = (11, 12)


def works(**more):
    return [{"task": task, "files": running.project(OPTIONS.root, name), "cases": ["0"], "seed": seed, **more} for name, task in EXAMPLES for seed in SEEDS]


def children(pid):
    """Processes below this one: pid -> name."""
    found = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open(f"/proc/{entry}/stat") as f:
                    name, rest = f.read().split("(", 1)[1].rsplit(")", 1)
                found[int(entry)] = (name, int(rest.split()[1]))
            except OSError:
                pass
    below, wanted = {}, {pid}
    while wanted:
        parent = wanted.pop()
        for p, (name, above) in found.items():
            if above == parent and p not in below:
                below[p] = name
                wanted.add(p)
    return below


def resident(pids):
    """KiB of them all."""
    total = 0
    for pid in pids:
        try:
            with open(f"/proc/{pid}/status") as f:
                total += next((int(line.split()[1]) for line in f if line.startswith("VmRSS:")), 0)
        except OSError:
            pass
    return total


def essence(record):
    """What two runs of one seed have in common."""
    if not record:
        return record
    return (record["verdict"], record["reason"], [(c["id"], c["verdict"], c["reason"], [(f["code"], f["place"], f["count"]) for f in c["findings"]]) for c in record["cases"]])


class Load(unittest.TestCase):
    def test_a_worker_is_killed_every_second(self):
        bodies = works(cache=False)
        with running.Server(OPTIONS.akgen, "-j", str(OPTIONS.jobs)) as server:
            alone = [server.judge(body)[1] for body in bodies]
            end, killed, answers = time.monotonic() + OPTIONS.seconds, [], []

            def kill():
                r = random.Random(1)
                while time.monotonic() < end:
                    time.sleep(1)
                    workers = [p for p, name in children(server.process.pid).items() if name == "akgen-judge"]
                    if workers:
                        killed.append(r.choice(workers))
                        try:
                            os.kill(killed[-1], signal.SIGKILL)
                        except ProcessLookupError:
                            killed.pop()

            def client(number):
                r = random.Random(number)
                while time.monotonic() < end:
                    i = r.randrange(len(bodies))
                    try:
                        answers.append((i, *server.judge(bodies[i], headers={"X-Client-Id": f"c{number}"}, timeout=600)[:2]))
                    except OSError as e:
                        answers.append((i, 0, {"error": repr(e)}))

            threads = [threading.Thread(target=client, args=(n,)) for n in range(OPTIONS.clients)] + [threading.Thread(target=kill)]
            for t in threads:
                t.start()
            for t in threads:
                t.join()
            deaths = server.metric("akgen_worker_deaths_total")
        unanswered = [a for a in answers if a[1] == 0]
        judged = [a for a in answers if a[1] == 200]
        print(f"{OPTIONS.clients} clients, {OPTIONS.seconds:g} s, {len(killed)} workers killed ({deaths:g} while judging): {len(answers)} requests, {len(unanswered)} unanswered, "
              f"{100 * len(judged) / max(1, len(answers)):.1f} % with a verdict; statuses {dict(collections.Counter(a[1] for a in answers))}")
        self.assertEqual(unanswered[:3], [])
        self.assertGreater(len(killed), OPTIONS.seconds / 3)
        self.assertGreaterEqual(len(judged), 0.95 * len(answers))
        for i, _, got in judged:
            self.assertEqual(essence(got["record"]), essence(alone[i]["record"]))
        for _, status, got in answers:
            self.assertTrue(status == 200 or got.get("reward") is None, got)

    def test_memory_stays_flat(self):
        r = random.Random(3)
        bodies = works(cache=False) + [{"task": "Sqrt", "text": "no code"}, {"task": "Nope"}, {"task": "Sqrt", "files": {"../x": ""}}]
        with running.Server(OPTIONS.akgen, "-j", str(OPTIONS.jobs), "--recycle", "100000") as server:
            end, asked, samples = time.monotonic() + 60 * OPTIONS.minutes, [0], []

            def client():
                while time.monotonic() < end:
                    server.judge(r.choice(bodies), timeout=600)
                    server.ask("GET", r.choice(("/metrics", "/v1/tasks", "/v1/jobs/none", "/nowhere")))
                    asked[0] += 2
            threads = [threading.Thread(target=client) for _ in range(8)]
            for t in threads:
                t.start()
            while time.monotonic() < end:
                time.sleep(min(5, OPTIONS.minutes * 3))
                workers = [p for p, name in children(server.process.pid).items() if name == "akgen-judge"]
                samples.append((resident([server.process.pid]), resident(workers)))
            for t in threads:
                t.join()
        third = max(1, len(samples) // 3)
        mean = lambda part, which: sum(s[which] for s in part) / len(part)
        grown = [mean(samples[-third:], which) / mean(samples[third:2 * third] or samples, which) for which in (0, 1)]
        print(f"{OPTIONS.minutes:g} minutes, {asked[0]} requests: resident set of the server x {grown[0]:.3f}, of the judging processes x {grown[1]:.3f}, last third over the second; "
              f"server {samples[-1][0] >> 10} MiB, judges {samples[-1][1] >> 10} MiB")
        limit = 1.05 if OPTIONS.minutes >= 10 else 1.3
        self.assertLess(max(grown), limit)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *REST])

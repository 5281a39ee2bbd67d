#!/usr/bin/env python3
"""`akgen bench run --device sim,npu` with the stand-in toolkit, from the command line: a run, what is made of it, a device that fails in the middle,
and kill -9.

usage: bench_test.py AKGEN RUNTIME [unittest arguments]
"""
import fcntl
import json
import os
import pathlib
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

import stand_in

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from fresh_cache import fresh_cache  # noqa: E402

AKGEN, RUNTIME = pathlib.Path(sys.argv.pop(1)).resolve(), pathlib.Path(sys.argv.pop(1)).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
KERNELS = ROOT / "examples/kernels"
# Each with the way in which it misbehaves on the device alone.
CANDIDATES = [("add_double_buffer", ""), ("add_double_buffer", "wrong"), ("wrong_missing_handoff", ""), ("flags_by_hand", "exception")]
VERDICTS = [("pass", "pass"), ("pass", "wrong_answer"), ("finding", "pass"), ("pass", "runtime_error")]


class Bench(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="akgen_device_bench_")
        cls.addClassCleanup(folder.cleanup)
        cls.dir = pathlib.Path(folder.name)
        cls.home, cls.logs = stand_in.toolkit_at(cls.dir / "cann", RUNTIME), cls.dir / "logs"
        cls.logs.mkdir()
        cls.environment = {**os.environ, "AKGEN_CACHE": fresh_cache(cls.dir / "cache"), "ASCEND_HOME_PATH": str(cls.home), "ASCEND_RT_VISIBLE_DEVICES": ",".join(stand_in.devices_of(cls)), "ASCEND_PROCESS_LOG_PATH": str(cls.logs),
                           "ASCEND_DRIVER_PATH": str(cls.home / "driver"), "AKGEN_TEST_LOG": str(cls.logs / "log.jsonl")}
        for k, (name, how) in enumerate(CANDIDATES):
            sample = cls.dir / "candidates/UnalignAdd" / f"sample{k}"
            shutil.copytree(KERNELS / name, sample)
            for kernel in (sample / "op_kernel").glob("*.cpp"):
                kernel.write_text(kernel.read_text() + (f"// stand-in: {how}\n" if how else ""))
        cls.whole = cls.dir / "whole.db"
        cls.run_bench(cls.whole, "-j", "2")

    @classmethod
    def command(cls, out, *more):
        return [AKGEN, "bench", "run", "--device", "sim,npu", "--time", "--tasks", "UnalignAdd", "--candidates", cls.dir / "candidates", "-n", len(CANDIDATES),
                "--profile", "tiny", "--hidden", "1", "--seed", "3", "--hidden-seed", "4", "--inputs", "upstream", "--out", out, *more]

    @classmethod
    def akgen(cls, command, code=0, **environment):
        done = subprocess.run([str(word) for word in command], env={**cls.environment, **environment}, capture_output=True, text=True, timeout=900)
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    @classmethod
    def run_bench(cls, out, *more, code=0, **environment):
        return cls.akgen(cls.command(out, *more), code, **environment)

    def records(self, db):
        if not db.exists():
            return {}
        try:
            rows = sqlite3.connect(db).execute("SELECT sample, part, record FROM verdicts").fetchall()
        except sqlite3.OperationalError:  # killed before the tables were there
            return {}
        self.assertEqual(len(rows), len({r[:2] for r in rows}), "a verdict was given twice")
        return {row[:2]: json.loads(row[2]) for row in rows}

    def verdicts(self, db):
        return {key: (r["verdict"], r["npu"]["verdict"]) for key, r in self.records(db).items()}

    def expected(self, parts=("public", "hidden")):
        return {(k, part): v for k, v in enumerate(VERDICTS) for part in parts}

    def test_one_record_holds_both(self):
        self.assertEqual(self.verdicts(self.whole), self.expected())
        for (sample, _), record in self.records(self.whole).items():
            npu = record["npu"]
            self.assertEqual((record["sealed"], npu["sealed"], npu["provenance"]["device"]["soc"], npu["seed"]), (True, False, "Ascend910B2", record["seed"]))
            self.assertEqual([c["id"] for c in npu["cases"]], [c["id"] for c in record["cases"]])
            for chip, device in zip(record["cases"], npu["cases"]):
                self.assertNotIn("measured", chip)
                self.assertEqual("measured" in device, VERDICTS[sample][1] != "runtime_error")

    def test_report_export_and_calibration_take_the_store(self):
        out = self.dir / "report.json"
        text = self.akgen([AKGEN, "report", self.whole, "--json", out, "--markdown", "-"])
        device = json.loads(out.read_text())["device"]
        counts = {name: sum(r["agreement"] == name for r in device["rows"]) for name in device["agreement"]}
        self.assertEqual(device["agreement"], counts)
        rows = {(r["sample"], r["part"]): r for r in device["rows"]}
        self.assertEqual({k: r["agreement"] for k, r in rows.items()},
                         {k: {("pass", "pass"): "same", ("finding", "pass"): "finding only"}.get(v, "differs") for k, v in self.expected().items()})
        self.assertGreater(rows[(0, "public")]["modelled_us"], 0)
        self.assertAlmostEqual(rows[(0, "public")]["measured_us"], 9.045, 3)
        self.assertEqual(rows[(3, "public")]["vendor_code"], 507035)
        self.assertIn("### Disagreements", text)
        folder = self.dir / "disagreements"
        self.akgen([AKGEN, "parity", "export", self.whole, "--out", folder])
        self.assertEqual(len(list(folder.iterdir())), sum(counts[n] for n in ("differs",)))
        one = folder / "UnalignAdd_1_public_0"
        words = (one / "README.md").read_text().split("```sh\n")[1].split("\n")[0].split()
        subprocess.run([AKGEN, *words[1:], "--json", "again.json"], cwd=one, env=self.environment, capture_output=True, timeout=300)
        again = json.loads((one / "again.json").read_text())
        self.assertEqual((again["cases"][0]["verdict"], again["npu"]["cases"][0]["verdict"]), ("pass", "wrong_answer"))
        fit = self.dir / "fit.json"
        self.akgen([AKGEN, "calibrate", "--measured", self.whole, "--chip", "910B2", "--json", fit])
        parity = json.loads(fit.read_text())
        self.assertTrue(parity["rows"])
        # Hidden cases are the run's own; values that are wrong on the device are no measurement.
        self.assertEqual({r["why"] for r in parity["untied"]}, {"the task has no case hidden0", "its values on the device are wrong_answer"})

    def test_a_device_that_is_lost_costs_no_verdict(self):
        out = self.dir / "lost.db"
        said = self.run_bench(out, code=3, AKGEN_TEST_DEVICE="lost")
        self.assertIn("AK0516", said)
        self.assertIn("on the device: case 0: aclrtSynchronizeStreamWithTimeout failed with 507010", said)
        self.assertEqual([v for v in self.verdicts(out).values() if v[1] == "infra_error"], [])
        self.run_bench(out, "--npu", "1")  # once it is back, on whichever device
        self.assertEqual(self.verdicts(out), self.expected())

    def test_without_a_device_nothing_is_judged(self):
        out = self.dir / "none.db"
        began = time.monotonic()
        self.assertIn("AK0620", self.run_bench(out, code=3, ASCEND_HOME_PATH=str(self.dir / "nowhere")))
        self.assertIn("AK0621", self.run_bench(out, "--npu", "7", code=3))
        self.assertLess(time.monotonic() - began, 30)
        self.assertFalse(out.exists())

    def test_shards_on_devices_of_their_own_are_one_run(self):
        parts = [self.dir / f"part{k}.db" for k in (0, 1)]
        for k, part in enumerate(parts):
            self.run_bench(part, "--shard", f"{k}/2", "--npu", k)
        merged = self.dir / "merged.db"
        self.akgen([AKGEN, "bench", "merge", *parts, "--out", merged])
        self.assertEqual(self.verdicts(merged), self.expected())
        self.assertEqual({r["npu"]["provenance"]["device"]["id"] for r in self.records(merged).values()}, {0, 1})

    def test_killed_at_random_moments(self):
        out, before = self.dir / "killed.db", {}
        own = {**self.environment, "AKGEN_TEST_LOG": str(self.logs / "killed.jsonl")}
        device = own["ASCEND_RT_VISIBLE_DEVICES"].split(",")[0]
        random.seed(5)
        for _ in range(4):
            child = subprocess.Popen([str(word) for word in self.command(out, "-j", "2")], env=own, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(random.uniform(0.5, 6))
            child.kill()
            child.wait()
            for _ in range(200):  # the processes of the device follow at once
                if not (left := stand_in.processes_of(own["AKGEN_TEST_LOG"])):
                    break
                time.sleep(0.05)
            self.assertEqual(left, [])
            with open(f"/tmp/akgen-npu-{device}.lock") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # BlockingIOError: it is kept
            now = self.verdicts(out)
            self.assertLessEqual(before.items(), now.items(), "a verdict was lost or changed")
            before = now
        self.run_bench(out, "-j", "2")
        self.assertEqual(self.verdicts(out), self.expected())


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""`akgen judge --device npu` with a stand-in toolkit (tests/device/toolkit): what it is asked, and what becomes of each way in which it can fail.

usage: device_test.py AKGEN RUNTIME [unittest arguments]      RUNTIME: the stand-in for libascendcl.so
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import unittest

import stand_in
from stand_in import TOOLKIT

AKGEN, RUNTIME = pathlib.Path(sys.argv.pop(1)).resolve(), pathlib.Path(sys.argv.pop(1)).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
ADD = ROOT / "examples/kernels/add_double_buffer"


class Device(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="akgen_device_")
        cls.addClassCleanup(folder.cleanup)
        cls.dir = pathlib.Path(folder.name)
        cls.home = stand_in.toolkit_at(cls.dir / "cann", RUNTIME)
        cls.logs = cls.dir / "logs"  # the only place beside its own folder that a candidate's process may write to
        cls.logs.mkdir()
        cls.devices = stand_in.devices_of(cls)

    def environment(self, home=None, **how):
        self.log = self.logs / "log.jsonl"
        return {**os.environ, "ASCEND_PROCESS_LOG_PATH": str(self.logs), "ASCEND_HOME_PATH": str(home or self.home), "ASCEND_RT_VISIBLE_DEVICES": ",".join(self.devices), "ASCEND_DRIVER_PATH": str((home or self.home) / "driver"),
                "AKGEN_TEST_LOG": str(self.log), "ASCEND_CUSTOM_OPP_PATH": "/somebody/else",
                **{f"AKGEN_TEST_{k.strip('_').upper()}": v for k, v in how.items()}}

    def judge(self, *more, project=ADD, home=None, device="npu", case="0", **how):
        """(finished process, record) of a judgement; the log begins with it."""
        environment, record = self.environment(home, **how), self.dir / "record.json"
        for file in (self.log, record):
            file.unlink(missing_ok=True)
        done = subprocess.run([AKGEN, "judge", project, "--task", "UnalignAdd", "--case", case, "--seed", "7", "--device", device, "--json", record,
                               *map(str, more)], env=environment, capture_output=True, text=True, timeout=600)
        return done, json.loads(record.read_text()) if record.exists() else None

    def calls(self, program):
        text = self.log.read_text() if self.log.exists() else ""
        rows = [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]  # the last one may be half-written
        return [row for row in rows if row["program"] == program]

    def fails(self, verdict, said, code=None, **how):
        done, record = self.judge(**how)
        self.assertIsNotNone(record, done.stdout + done.stderr)
        self.assertEqual(record["verdict"], verdict, record["reason"])
        self.assertIn(said, record["reason"])
        self.assertNotEqual(done.returncode, 0)
        if code:
            self.assertEqual(record["cases"][0]["vendor_code"], code)
            self.assertIn(str(code), record["reason"])
        return record

    # What it does when all goes well.

    def test_values_and_time_of_a_kernel(self):
        done, record = self.judge()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual((record["verdict"], record["backend"], record["sealed"]), ("pass", "npu", False))
        self.assertEqual(record["provenance"]["device"], {"id": 0, "soc": "Ascend910B2", "toolkit": "8.3.RC1", "driver": "25.0.rc1"})
        self.assertIn("unsealed", done.stderr)
        measured = record["cases"][0]["measured"]
        self.assertEqual(measured["rule"], {"source": "profiler", "warm_up": 10, "discarded": 0, "repeats": 100, "flush_bytes": 402653184,
                                        "fresh_inputs": True, "host_gaps": False})
        self.assertEqual((measured["launches"], measured["clock_mhz"], measured["rated_mhz"], measured["slow_clock"]), (100, 1800, 1800, 0))
        self.assertAlmostEqual(measured["us"], 9.045, 3)
        self.assertEqual(measured["pipes"], {"vec": 3.0, "mte2": 4.0, "mte3": 3.0})
        self.assertTrue(measured["same_outputs"])

    def test_how_the_vendor_s_programs_are_called(self):
        self.judge()
        [build] = self.calls("bisheng")
        self.assertEqual(build["custom_opp"], "")  # of somebody else: no operator of others has a part in it
        self.assertIn("--npu-arch=dav-2201", build["argv"])
        self.assertIn("-shared", build["argv"])
        product = pathlib.Path(build["argv"][build["argv"].index("-o") + 1])
        self.assertNotIn(self.home, product.parents)  # nothing is installed
        self.assertFalse(product.exists())            # and nothing stays
        [profile] = self.calls("msopprof")
        self.assertIn("--kernel-name=akgen_kernel", profile["argv"])
        self.assertIn("--launch-count=100", profile["argv"])
        self.assertIn("--warm-up=10", profile["argv"])
        self.assertEqual({c["custom_opp"] for c in self.calls("runtime")}, {""})

    def test_without_a_profiler_events_give_the_time(self):
        home = stand_in.toolkit_at(self.dir / "no_profiler", RUNTIME)
        (home / "bin/msopprof").unlink()
        done, record = self.judge(home=home)
        self.assertEqual(record["verdict"], "pass", record["reason"])
        measured = record["cases"][0]["measured"]
        self.assertEqual((measured["rule"]["source"], measured["rule"]["warm_up"], measured["rule"]["discarded"], measured["launches"]), ("events", 10, 1, 100))
        self.assertAlmostEqual(measured["us"], 12.7, 1)
        self.assertNotIn("rated_mhz", measured)

    def test_one_record_of_chip_and_device(self):
        done, record = self.judge("--time", device="sim,npu")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual((record["backend"], record["sealed"], record["verdict"]), ("guest", True, "pass"))
        npu = record["npu"]
        self.assertEqual((npu["backend"], npu["sealed"], npu["verdict"], npu["seed"]), ("npu", False, "pass", record["seed"]))
        self.assertGreater(record["cases"][0]["modelled"]["us"], 0)
        self.assertGreater(npu["cases"][0]["measured"]["us"], 0)
        self.assertNotIn("measured", record["cases"][0])
        self.assertIn("measured 9.0", done.stdout)

    def test_before_each_launch_inputs_are_copied_and_l2_is_overwritten(self):
        home = stand_in.toolkit_at(self.dir / "for_events", RUNTIME)
        (home / "bin/msopprof").unlink()
        done, record = self.judge(home=home)
        rule = record["cases"][0]["measured"]["rule"]
        self.assertEqual(rule["flush_bytes"], max(256 << 20, 2 * (192 << 20)))
        device = max({c["pid"] for c in self.calls("runtime")}, key=lambda pid: len([c for c in self.calls("runtime") if c["pid"] == pid]))
        calls = [(c["call"], c.get("bytes", 0)) for c in map(json.loads, self.log.read_text().splitlines())
                 if c.get("pid") == device and c["call"] not in ("aclInit", "aclrtSetDevice")]
        launches = [i for i, c in enumerate(calls) if c[0] == "launch"]
        self.assertEqual(len(launches), 1 + rule["warm_up"] + rule["discarded"] + rule["repeats"])
        for i in launches[1:]:
            before, after = calls[i - 5:i], calls[i + 1:i + 3]
            # Both inputs and the poisoned output first, so that none of them is left in L2; nothing between the events but the launch.
            self.assertEqual([c[0] for c in before], 3 * ["aclrtMemcpyAsync"] + ["aclrtMemsetAsync", "aclrtRecordEvent"])
            self.assertEqual(before[3][1], rule["flush_bytes"])
            self.assertEqual([c[0] for c in after], ["aclrtRecordEvent", "aclrtSynchronizeStreamWithTimeout"])

    def test_all_cases_and_the_range_group_run_there(self):
        done, record = self.judge(case="all")
        self.assertEqual(record["verdict"], "pass", record["reason"])
        self.assertRegex(record["range"], r"run: \d+ cases")
        self.assertTrue(all("measured" in c for c in record["cases"]))

    def test_findings_stay_with_the_chip(self):
        done, record = self.judge(project=ROOT / "examples/kernels/wrong_missing_handoff", device="sim,npu")
        self.assertEqual((record["verdict"], record["npu"]["verdict"]), ("finding", "pass"), record["reason"])

    # What a candidate may get wrong.

    def test_wrong_values(self):
        record = self.fails("wrong_answer", "output", compiler="wrong")
        self.assertGreater(record["cases"][0]["outputs"][0]["mismatches"], 0)

    def test_values_that_are_wrong_in_later_launches_are_wrong(self):
        record = self.fails("wrong_answer", "output", compiler="wrong_later")
        self.assertFalse(record["cases"][0]["measured"]["same_outputs"])

    def test_a_compile_error_has_the_vendor_s_text_and_the_candidate_s_line(self):
        record = self.fails("build_error", "use of undeclared identifier 'Muls2'", compiler="error")
        [error] = [d for d in record["diagnostics"] if d["severity"] == "error"]
        self.assertEqual((error["file"], error["line"]), (str(ADD / "op_kernel/unalign_add.cpp"), 7))

    def test_a_kernel_that_does_not_end(self):
        self.fails("timeout", "stream synchronize timeout", 507046, device_="hang")
        self.assertIn("aclrtResetDeviceForce", [c["call"] for c in self.calls("runtime")])

    def test_an_exception_of_a_core_is_the_kernel_s(self):
        self.fails("runtime_error", "vector core exception", 507035, device_="exception")

    def test_one_that_cannot_be_reset_is_lost(self):
        self.fails("infra_error", "the device cannot be reset: 507010", 507046, device_="hang_for_good")

    def test_a_brace_that_is_missing_is_the_candidate_s(self):
        record = self.fails("build_error", "expected '}'", compiler="brace")  # which the compiler reports behind its text
        [error] = [d for d in record["diagnostics"] if d["severity"] == "error"]
        self.assertEqual(error["file"], str(ADD / "op_kernel/unalign_add.cpp"))
        self.assertEqual(len(self.calls("bisheng")), 2)  # the unit builds without the kernel
        self.fails("build_error", "ended with 139", compiler="crash_on_kernel")

    def test_an_answer_in_place_of_akgen_device(self):
        self.fails("runtime_error", "stopped in the middle of a message", compiler="stalls")

    def test_a_candidate_reaches_nothing_but_the_device(self):
        if "ok      sandbox layer landlock" not in subprocess.run([AKGEN, "doctor"], capture_output=True, text=True).stdout:
            self.skipTest("no Landlock on this machine")
        secret = self.dir / "secret"
        secret.write_text("expected values")
        done, record = self.judge(compiler="escapes", secret=str(secret))
        self.assertEqual((record["verdict"], record["provenance"]["sandbox"]), ("pass", ["no_new_privs", "rlimits", "landlock"]), record["reason"])
        self.assertEqual([c["call"] for c in self.calls("kernel") if c["call"] != "launch"], 2 * ["looked around"])  # once below the profiler
        self.assertEqual(list(self.dir.glob("secret*")), [secret])

    def test_a_candidate_of_another_benchmark(self):
        folder = self.dir / "torch"
        folder.mkdir(exist_ok=True)
        (folder / "model_new.py").write_text("class ModelNew: ...\n")
        (folder / "custom_op.asc").write_text('#include "kernel_operator.h"\n__global__ __vector__ void relu(GM_ADDR x, GM_ADDR y) {}\n'
                                              '// ==== ASCEND_HOST_SECTION ====\n#include "torch/library.h"\n')
        for project in (folder, folder / "custom_op.asc"):
            for device in ("sim", "npu"):
                self.fails("unsupported", "AK0318: the host code calls PyTorch", project=project, device=device)

    # What is nobody's but the machine's.

    def fails_here(self, said, code=None, **how):
        record = self.fails("infra_error", said, code, **how)
        return record

    def test_no_toolkit(self):
        self.fails_here("AK0620: no CANN toolkit was found", home=self.dir / "empty")
        self.assertEqual(self.calls("runtime"), [])

    def test_a_toolkit_that_is_too_old(self):
        self.fails_here("AK0620: toolkit version 8.0.RC3 cannot be used", home=stand_in.toolkit_at(self.dir / "old", RUNTIME, "8.0.RC3"))

    def test_a_runtime_that_lacks_a_function(self):
        home = stand_in.toolkit_at(self.dir / "older_runtime", RUNTIME)
        (home / "lib64/libascendcl.so").unlink()
        subprocess.run(["cc", "-shared", "-fPIC", "-DOLD", str(TOOLKIT / "runtime.c"), "-o", str(home / "lib64/libascendcl.so")], check=True)
        self.fails_here("the device runtime lacks aclrtSynchronizeStreamWithTimeout", home=home)

    def test_no_such_device(self):
        done, record = self.judge("--npu", "5")
        self.assertEqual((record["verdict"], done.returncode), ("infra_error", 3))
        self.assertIn("AK0621: device 5: aclrtSetDevice failed with 107001", record["reason"])
        done, record = self.judge("--npu", "1")
        self.assertEqual(record["verdict"], "pass", record["reason"])
        self.assertEqual(record["provenance"]["device"]["id"], 1)

    def test_another_chip_than_the_one_asked_for(self):
        self.fails_here("is an Ascend910B4, and the chip asked for is 910B2", device_="other_soc")

    def test_errors_that_are_the_device_s(self):
        self.fails_here("failed to allocate memory", 207001, device_="memory")
        self.fails_here("lost heartbeat", 507010, device_="lost")
        self.fails_here("545454", 545454, device_="unknown")
        self.fails_here("the process on the device", device_="killed")

    def test_a_compiler_that_breaks(self):
        self.fails_here("ended with 139", compiler="crash")
        self.fails_here("wrote no object", compiler="nothing")
        self.fails_here("unit.asc", compiler="unit_error")

    def test_a_stale_object_is_not_run(self):
        self.fails_here("stale", compiler="stale")
        self.fails_here("another number of parameters", compiler="parameters")

    def test_the_vendor_s_library_does_not_answer_for_a_missing_operator(self):
        # The library's function is reached through the object, and would pass: it computes the right values.
        record = self.fails_here("the object does not define akgen_launch, but a library of it does", compiler="no_operator")
        self.assertNotIn("measured", record["cases"][0])
        self.assertEqual([c["call"] for c in self.calls("opapi")], ["load"])  # with the object, and never called

    def test_the_device_process_knows_no_operator_of_the_vendor_s(self):
        binary = (AKGEN.parent / "akgen-device").read_bytes()
        self.assertEqual(re.findall(rb"\x00(aclnn[A-Z]\w*|aclop\w+|lib\w*opapi[\w.]*)(?=\x00)", binary), [])
        self.assertIn(b"\x00aclrtMemsetAsync\x00", binary)  # names are looked up as they stand in the program
        self.judge()
        self.assertEqual(self.calls("opapi"), [])  # its library is not loaded

    # What spoils a time and no verdict.

    def time_of(self, **how):
        done, record = self.judge(**how)
        self.assertEqual(record["verdict"], "pass", record["reason"])
        return record["cases"][0]["measured"]

    def test_a_device_below_its_rated_frequency_has_no_time(self):
        measured = self.time_of(profiler="slow")
        self.assertNotIn("us", measured)
        self.assertEqual((measured["slow_clock"], measured["clock_mhz"], measured["rated_mhz"]), (100, 1200, 1800))
        self.assertIn("below its rated frequency", measured["note"])
        measured = self.time_of(profiler="slow_sometimes")
        self.assertEqual((measured["slow_clock"], measured["launches"]), (30, 70))
        self.assertAlmostEqual(measured["us"], 9.045, 3)

    def test_outliers_are_counted(self):
        measured = self.time_of(profiler="outliers")
        self.assertEqual((measured["outliers"], measured["launches"]), (2, 100))
        self.assertAlmostEqual(measured["us"], 9.045, 1)

    def test_a_table_that_ends_early_says_so(self):
        measured = self.time_of(profiler="half_of_the_lines")
        self.assertEqual((measured["rule"]["source"], measured["launches"], measured["note"]), ("profiler", 40, "the profiler's tables have 40 of 100 launches"))

    def test_tables_that_cannot_be_read(self):
        for how, said in (("unreadable", "AK0122"), ("half", "AK0122"), ("header", "no row"), ("no_table", "wrote no table"), ("fails", "ended with 1"),
                          ("others", "do not name the kernel, only 100 launches of others")):
            with self.subTest(how):
                measured = self.time_of(profiler=how)
                self.assertEqual(measured["rule"]["source"], "events")
                self.assertIn(said, measured["note"])

    # Two at a time.

    def test_two_judges_take_turns_on_one_device(self):
        environment = self.environment(device_="slow_start")
        self.log.unlink(missing_ok=True)
        # Folders of their own for what is temporary, as on a cluster; one calls the device 1, and one 0.
        others = [{"TMPDIR": str(self.dir / "a")}, {"TMPDIR": str(self.dir / "b"), "ASCEND_RT_VISIBLE_DEVICES": self.devices[1]}]
        for other in others:
            pathlib.Path(other["TMPDIR"]).mkdir(exist_ok=True)
        judges = [subprocess.Popen([AKGEN, "judge", ADD, "--task", "UnalignAdd", "--case", "0", "--seed", "7", "--device", "npu", "--npu", str(1 - k)],
                                   env={**environment, **other}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for k, other in enumerate(others)]
        for judge in judges:
            out, _ = judge.communicate(timeout=300)
            self.assertEqual(judge.returncode, 0, out)
        runs = {}  # when each process on the device launched something
        for call in self.calls("runtime"):
            if call["call"] == "aclrtSynchronizeStreamWithTimeout":
                first, last = runs.get(call["pid"], (call["at"], call["at"]))
                runs[call["pid"]] = (min(first, call["at"]), max(last, call["at"]))
        spans = sorted(runs.values())
        self.assertEqual(len(spans), 4)  # each judge's run, and the profiler's of it
        for (_, end), (begin, _) in zip(spans, spans[1:]):
            self.assertLess(end, begin)

    def test_a_judge_that_is_killed_leaves_nothing_behind(self):
        for profiler in ("hang", "hang_in_program"):  # while the profiler waits, and while the program below it runs
            with self.subTest(profiler):
                environment = self.environment(profiler=profiler)
                self.log.unlink(missing_ok=True)
                judge = subprocess.Popen([AKGEN, "judge", ADD, "--task", "UnalignAdd", "--case", "0", "--seed", "7", "--device", "npu"], env=environment)
                self.addCleanup(judge.wait)  # one that is left would keep the device's lock
                self.addCleanup(judge.kill)
                started = time.monotonic()
                while not self.calls("msopprof") and time.monotonic() - started < 60:
                    time.sleep(0.05)
                time.sleep(0.5)
                self.assertTrue(stand_in.processes_of(environment["AKGEN_TEST_LOG"]))
                judge.kill()
                judge.wait()
                while (left := stand_in.processes_of(environment["AKGEN_TEST_LOG"])) and time.monotonic() - started < 80:
                    time.sleep(0.05)
                self.assertEqual(left, [])
                done, record = self.judge()  # the lock is free
                self.assertEqual(record["verdict"], "pass", record["reason"])

    # `akgen doctor`.

    def doctor(self, home):
        return subprocess.run([AKGEN, "doctor", "--device", "npu"], env=self.environment(home), capture_output=True, text=True)

    def test_it_says_what_is_there_by_version(self):
        done = self.doctor(self.home)
        self.assertEqual(done.returncode, 0, done.stdout)
        for said in ("toolkit version: 8.3.RC1", "driver version: 25.0.rc1", "bisheng", "msopprof", "device 0: Ascend910B2", "sandbox of kernels: Landlock"):
            self.assertIn(said, done.stdout)

    def test_it_says_what_is_missing(self):
        done = self.doctor(self.dir / "nowhere")
        self.assertEqual(done.returncode, 3, done.stdout)
        self.assertIn("missing runtime libascendcl.so", done.stdout)
        self.assertIn("set_env.sh", done.stdout)
        done = self.doctor(stand_in.toolkit_at(self.dir / "older", RUNTIME, "8.1.RC1"))
        self.assertEqual(done.returncode, 3, done.stdout)
        self.assertIn("version 8.1.RC1 is too old", done.stdout)


if __name__ == "__main__":
    unittest.main()

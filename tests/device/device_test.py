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
import unittest

AKGEN, RUNTIME = pathlib.Path(sys.argv.pop(1)).resolve(), pathlib.Path(sys.argv.pop(1)).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOLKIT = ROOT / "tests/device/toolkit"
ADD = ROOT / "examples/kernels/add_double_buffer"


def toolkit_at(home, version="8.3.RC1"):
    """A toolkit as it is installed, at `home`."""
    (home / "bin").mkdir(parents=True)
    (home / "lib64").mkdir()
    (home / "x86_64-linux").mkdir()
    for program in ("bisheng", "msopprof"):
        (home / "bin" / program).symlink_to(TOOLKIT / program)
    (home / "lib64/libascendcl.so").symlink_to(RUNTIME)
    # The vendor's own operators: one has the name of what akgen looks up, and computes the right values.
    subprocess.run(["cc", "-shared", "-fPIC", "-DVENDOR", str(TOOLKIT / "kernels.c"), "-o", str(home / "lib64/libopapi.so")], check=True)
    (home / "x86_64-linux/ascend_toolkit_install.info").write_text(f"package_name=Ascend-cann-toolkit\nversion={version}\n")
    (home / "driver").mkdir()
    (home / "driver/version.info").write_text("Version=25.0.rc1\n")
    return home


class Device(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="akgen_device_")
        cls.addClassCleanup(folder.cleanup)
        cls.dir = pathlib.Path(folder.name)
        cls.home = toolkit_at(cls.dir / "cann")

    def environment(self, home=None, **how):
        self.log = self.dir / "log.jsonl"
        return {**os.environ, "ASCEND_HOME_PATH": str(home or self.home), "ASCEND_DRIVER_PATH": str((home or self.home) / "driver"),
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
        rows = [json.loads(line) for line in self.log.read_text().splitlines()] if self.log.exists() else []
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
        time = record["cases"][0]["measured"]
        self.assertEqual(time["rule"], {"source": "profiler", "warm_up": 10, "discarded": 0, "repeats": 100, "flush_bytes": 402653184,
                                        "fresh_inputs": True, "host_gaps": False})
        self.assertEqual((time["launches"], time["clock_mhz"], time["rated_mhz"], time["slow_clock"]), (100, 1800, 1800, 0))
        self.assertAlmostEqual(time["us"], 9.045, 3)
        self.assertEqual(time["pipes"], {"vec": 3.0, "mte2": 4.0, "mte3": 3.0})
        self.assertTrue(time["same_outputs"])

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
        home = toolkit_at(self.dir / "no_profiler")
        (home / "bin/msopprof").unlink()
        done, record = self.judge(home=home)
        self.assertEqual(record["verdict"], "pass", record["reason"])
        time = record["cases"][0]["measured"]
        self.assertEqual((time["rule"]["source"], time["rule"]["warm_up"], time["rule"]["discarded"], time["launches"]), ("events", 10, 1, 100))
        self.assertAlmostEqual(time["us"], 12.7, 1)
        self.assertNotIn("rated_mhz", time)

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

    # What is nobody's but the machine's.

    def fails_here(self, said, code=None, **how):
        record = self.fails("infra_error", said, code, **how)
        return record

    def test_no_toolkit(self):
        self.fails_here("AK0620: no CANN toolkit was found", home=self.dir / "empty")
        self.assertEqual(self.calls("runtime"), [])

    def test_a_toolkit_that_is_too_old(self):
        self.fails_here("AK0620: toolkit version 8.0.RC3 cannot be used", home=toolkit_at(self.dir / "old", "8.0.RC3"))

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
        time = self.time_of(profiler="slow")
        self.assertNotIn("us", time)
        self.assertEqual((time["slow_clock"], time["clock_mhz"], time["rated_mhz"]), (100, 1200, 1800))
        self.assertIn("below its rated frequency", time["note"])
        time = self.time_of(profiler="slow_sometimes")
        self.assertEqual((time["slow_clock"], time["launches"]), (30, 70))
        self.assertAlmostEqual(time["us"], 9.045, 3)

    def test_outliers_are_counted(self):
        time = self.time_of(profiler="outliers")
        self.assertEqual((time["outliers"], time["launches"]), (2, 100))
        self.assertAlmostEqual(time["us"], 9.045, 1)

    def test_tables_that_cannot_be_read(self):
        for how, said in (("unreadable", "AK0122"), ("half", "AK0122"), ("header", "no row"), ("no_table", "wrote no table"), ("fails", "ended with 1"),
                          ("others", "do not name the kernel, only 100 launches of others")):
            with self.subTest(how):
                time = self.time_of(profiler=how)
                self.assertEqual(time["rule"]["source"], "events")
                self.assertIn(said, time["note"])

    # Two at a time.

    def test_two_judges_take_turns_on_one_device(self):
        environment = self.environment(device_="slow_start")
        self.log.unlink(missing_ok=True)
        judges = [subprocess.Popen([AKGEN, "judge", ADD, "--task", "UnalignAdd", "--case", "0", "--seed", "7", "--device", "npu"], env=environment,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for _ in range(2)]
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


    # `akgen doctor`.

    def doctor(self, home):
        return subprocess.run([AKGEN, "doctor", "--device", "npu"], env=self.environment(home), capture_output=True, text=True)

    def test_it_says_what_is_there_by_version(self):
        done = self.doctor(self.home)
        self.assertEqual(done.returncode, 0, done.stdout)
        for said in ("toolkit version: 8.3.RC1", "driver version: 25.0.rc1", "bisheng", "msopprof", "device 0: Ascend910B2"):
            self.assertIn(said, done.stdout)

    def test_it_says_what_is_missing(self):
        done = self.doctor(self.dir / "nowhere")
        self.assertEqual(done.returncode, 3, done.stdout)
        self.assertIn("missing runtime libascendcl.so", done.stdout)
        self.assertIn("set_env.sh", done.stdout)
        done = self.doctor(toolkit_at(self.dir / "older", "8.1.RC1"))
        self.assertEqual(done.returncode, 3, done.stdout)
        self.assertIn("version 8.1.RC1 is too old", done.stdout)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""200 made-up records of chip and device, from end to end: schema, report, calibration, export of disagreements.

The chip's half is real: four example kernels, judged here. The device's half is made by a rule that the test knows: 1.3 times the modelled time and
2 us on top, with noise; some records differ in their verdicts, some have no time.

usage: records_test.py AKGEN [unittest arguments]
"""
import copy
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

try:
    from jsonschema import Draft202012Validator
except ImportError:
    Draft202012Validator = None

AKGEN = pathlib.Path(sys.argv.pop(1)).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
KERNELS = ROOT / "examples/kernels"
PROJECTS = {"add_double_buffer": "UnalignAdd", "flags_by_hand": "UnalignAdd", "fast_gelu": "FastGelu", "wrong_missing_handoff": "UnalignAdd"}
RECORDS = 200
RULE = {"source": "profiler", "warm_up": 10, "discarded": 0, "repeats": 100, "flush_bytes": 402653184, "fresh_inputs": True, "host_gaps": False}
# What the device says in place of the chip's verdict, by the number of the record.
DIFFERS = {11: ("wrong_answer", 0), 52: ("wrong_answer", 0), 93: ("runtime_error", 507035), 134: ("timeout", 507046)}
LOST, SLOW, OTHER_SOC = 25, 66, 107


def akgen(*arguments, code=0):
    done = subprocess.run([AKGEN, *map(str, arguments)], capture_output=True, text=True, timeout=600)
    assert done.returncode in (code if isinstance(code, tuple) else (code,)), done.stdout + done.stderr
    return done


def measured(modelled_us, draw):
    us = round((1.3 * modelled_us + 2) * draw.gauss(1, 0.01), 3)
    return {"rule": RULE, "us": us, "p10": us * 0.98, "p90": us * 1.03, "launches": 100, "slow_clock": 0, "outliers": 1, "clock_mhz": 1800,
            "rated_mhz": 1800, "pipes": {"vec": us / 3, "mte2": us / 2}, "same_outputs": True}


def on_a_device(chip, number, draw):
    """The record of the same judgement on a device."""
    npu = copy.deepcopy(chip)
    npu.update(backend="npu", sealed=False, checks=[], findings=[], verdict="pass", reason="")
    npu["provenance"]["device"] = {"id": 0, "soc": "Ascend910B4" if number == OTHER_SOC else "Ascend910B2", "toolkit": "8.3.RC1", "driver": "25.0.rc1"}
    for case in npu["cases"]:
        us = case.pop("modelled", {}).get("us", 20)
        case.update(findings=[], verdict="pass", reason="", numbers_pass=True, measured=measured(us, draw))
        case.pop("orders", None)
    if number in DIFFERS:
        npu["verdict"], code = DIFFERS[number]
        case = npu["cases"][0]
        case.update(verdict=npu["verdict"], reason=f"made up for record {number}", numbers_pass=False, **({"vendor_code": code} if code else {}))
        npu["reason"] = f"case {case['id']}: {case['reason']}"
        if code:
            case.pop("measured")
    if number == LOST:
        npu.update(verdict="infra_error", reason="case 0: lost heartbeat")
        npu["cases"] = [dict(npu["cases"][0], verdict="infra_error", reason="lost heartbeat", vendor_code=507010)]
        npu["cases"][0].pop("measured")
    if number == SLOW:
        for case in npu["cases"]:
            case["measured"] = {"rule": RULE, "launches": 0, "slow_clock": 100, "outliers": 0, "clock_mhz": 1200, "rated_mhz": 1800,
                                "note": "the device ran below its rated frequency in every launch"}
    return npu


class Records(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="akgen_records_")
        cls.addClassCleanup(folder.cleanup)
        cls.dir, draw = pathlib.Path(folder.name), random.Random(5)
        chips = {}
        for name, task in PROJECTS.items():
            akgen("judge", KERNELS / name, "--task", task, "--time", "--seed", 3, "--chip", "910B2", "--json", cls.dir / f"{name}.json", code=(0, 1))
            chips[name] = json.loads((cls.dir / f"{name}.json").read_text())
            assert chips[name]["verdict"] == ("finding" if name.startswith("wrong") else "pass"), chips[name]["reason"]
        cls.records, names = [], list(PROJECTS)
        for number in range(RECORDS):
            record = copy.deepcopy(chips[names[number % 4]])
            record["npu"] = on_a_device(record, number, draw)
            record["sample"] = number // 4 + (50 if names[number % 4] == "flags_by_hand" else 100 if names[number % 4].startswith("wrong") else 0)
            cls.records.append(record)
        cls.file = cls.dir / "records.jsonl"
        cls.file.write_text("".join(json.dumps(r) + "\n" for r in cls.records))

    def cases(self, want):
        return sum(bool(want(number, chip, npu)) for number, r in enumerate(self.records) for chip in r["cases"]
                   for npu in [next((c for c in r["npu"]["cases"] if c["id"] == chip["id"]), None)])

    def test_the_schema_knows_them(self):
        if Draft202012Validator is None:
            self.skipTest("no python3-jsonschema")
        validator = Draft202012Validator(json.loads((ROOT / "docs/schema/judgement.schema.json").read_text()))
        for number, record in enumerate(self.records):
            record = {k: v for k, v in record.items() if k != "sample"}
            self.assertEqual([f"{list(e.path)}: {e.message}" for e in validator.iter_errors(record)], [], number)
        for spoil in (lambda m: m.pop("rule"), lambda m: m.update(us=-1), lambda m: m["rule"].update(host_gaps=True), lambda m: m["rule"].update(source="clock")):
            record = {k: v for k, v in copy.deepcopy(self.records[0]).items() if k != "sample"}
            spoil(record["npu"]["cases"][0]["measured"])
            self.assertTrue(list(validator.iter_errors(record)))

    def test_the_report_sets_both_side_by_side(self):
        out, page = self.dir / "report.json", self.dir / "report.html"
        text = akgen("report", self.file, "--json", out, "--markdown", "-", "--html", page).stdout
        report = json.loads(out.read_text())
        self.assertEqual(report["dropped"], [])
        device = report["device"]
        self.assertEqual(len(device["rows"]), self.cases(lambda *_: True))
        said = lambda c: c is not None and c["verdict"] not in ("infra_error", "skipped")
        self.assertEqual(device["agreement"], {
            "same": self.cases(lambda n, chip, npu: said(npu) and chip["verdict"] == npu["verdict"]),
            "finding only": self.cases(lambda n, chip, npu: said(npu) and chip["verdict"] == "finding" and npu["verdict"] == "pass"),
            "differs": len(DIFFERS),
            "open": self.cases(lambda n, chip, npu: not said(npu))})
        timed = self.cases(lambda n, chip, npu: "modelled" in chip and "us" in (npu or {}).get("measured", {}))
        self.assertEqual(device["errors"]["rows"], timed)
        self.assertTrue(0.2 < device["errors"]["median"] < 0.7, device["errors"])
        differ = [r for r in device["rows"] if r["agreement"] == "differs"]
        self.assertEqual([(r["device"], r.get("vendor_code", 0)) for r in sorted(differ, key=lambda r: int(r["reason"].split()[-1]))], list(DIFFERS.values()))
        for said in ("## On a real device", "### Disagreements", "runtime_error (507035)", "### Modelled beside measured", "Ascend910B2, toolkit 8.3.RC1"):
            self.assertIn(said, text)
        self.assertIn("507035", page.read_text())

    def test_records_without_a_device_have_no_such_section(self):
        plain = self.dir / "plain.jsonl"
        plain.write_text("".join(json.dumps({k: v for k, v in r.items() if k != "npu"}) + "\n" for r in self.records))
        done = akgen("report", plain, "--markdown", "-")
        self.assertNotIn("On a real device", done.stdout)
        self.assertEqual(akgen("calibrate", "--measured", plain, code=2).returncode, 2)

    def test_a_record_that_contradicts_itself_on_the_device_is_left_out(self):
        bad = copy.deepcopy(self.records[0])
        bad["npu"]["cases"][0]["verdict"] = "wrong_answer"
        sealed = copy.deepcopy(self.records[0])
        sealed["npu"]["sealed"] = True
        file, out = self.dir / "bad.jsonl", self.dir / "bad.json"
        file.write_text(json.dumps(bad) + "\n" + json.dumps(sealed) + "\n")
        akgen("report", file, "--json", out)
        dropped = json.loads(out.read_text())["dropped"]
        self.assertEqual(len(dropped), 2)
        self.assertTrue(all("on the device" in d for d in dropped), dropped)

    def test_the_timing_model_is_fitted_to_them(self):
        out, timing = self.dir / "fit.json", self.dir / "fit.toml"
        done = akgen("calibrate", "--measured", self.file, "--chip", "910B2", "--json", out, "--out", timing)
        fit = json.loads(out.read_text())
        used = [line for row in fit["rows"] for line in row["lines"]]
        want = [n + 1 for n, r in enumerate(self.records) for c in r["npu"]["cases"]
                if n != OTHER_SOC and c["verdict"] == "pass" and "us" in c.get("measured", {}) and "modelled" in r["cases"][0]]
        self.assertEqual(sorted(used), sorted(want))
        untied = {row["line"]: row["why"] for row in fit["untied"]}
        self.assertIn("measured on Ascend910B4", untied[OTHER_SOC + 1])
        self.assertIn("wrong_answer", untied[12])
        self.assertLess(fit["errors"]["median"], 0.5 * fit["before"]["median"])
        self.assertTrue(timing.exists())
        self.assertIn("fitted", done.stdout)
        parity = self.dir / "parity.json"
        akgen("report", "--parity", self.file, "--chip", "910B2", "--json", parity)
        self.assertEqual(len(json.loads(parity.read_text())["rows"]), len(fit["rows"]))

    def test_each_disagreement_becomes_a_folder_that_reproduces_it(self):
        out = self.dir / "disagreements"
        akgen("parity", "export", self.file, "--out", out)
        folders = sorted(out.iterdir())
        self.assertEqual(len(folders), len(DIFFERS))
        for folder in folders:
            record = json.loads((folder / "record.json").read_text())
            self.assertEqual(len(record["cases"]), 1)
            self.assertNotIn(str(ROOT), (folder / "record.json").read_text().replace(str(ROOT / "examples"), ""))
            self.assertTrue(list((folder / "candidate/op_kernel").iterdir()))
            readme = (folder / "README.md").read_text()
            self.assertIn("made up for record", readme)
            command = readme.split("```sh\n")[1].split("\n")[0].replace("--device sim,npu", "--device sim").split()
            again = subprocess.run([AKGEN, *command[1:], "--json", "again.json"], cwd=folder, capture_output=True, text=True, timeout=300)
            self.assertIn(again.returncode, (0, 1), again.stderr)
            self.assertEqual(json.loads((folder / "again.json").read_text())["cases"][0]["verdict"], record["cases"][0]["verdict"])
            self.assertLess(sum(f.stat().st_size for f in folder.rglob("*") if f.is_file()), 1 << 20)
        self.assertEqual(akgen("parity", "export", self.file, "--out", out, code=2).returncode, 2)  # they are there already
        self.assertIn("no disagreement", akgen("parity", "export", self.file, "--out", self.dir / "none", "--task", "FastGelu", "--case", "5").stdout)


if __name__ == "__main__":
    unittest.main()

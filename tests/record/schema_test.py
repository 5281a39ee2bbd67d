#!/usr/bin/env python3
"""Records of real judgements against docs/schema/judgement.schema.json, by the validator of python3-jsonschema.

schema_test.py AKGEN REPO        exit status 77: there is no such validator (apt install python3-jsonschema)
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import tomllib
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from fresh_cache import fresh_cache  # noqa: E402

try:
    from jsonschema import Draft202012Validator
except ImportError:
    print("no python3-jsonschema")
    sys.exit(77)

AKGEN, REPO = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
SCHEMA = json.loads((REPO / "docs/schema/judgement.schema.json").read_text())
# Every kind of verdict that an example can have, a build with diagnostics, and a rewrite.
EXAMPLES = ("add_double_buffer", "sqrt_via_float", "sasum_two_phase", "convolution_not_yet", "wrong_call", "wrong_constant",
            "wrong_missing_handoff", "wrong_read_past_tensor", "wrong_tiling_refuses", "wrong_wait_without_set")


def faults_of(record):
    return [f"{'/'.join(map(str, e.path))}: {e.message}" for e in Draft202012Validator(SCHEMA).iter_errors(record)]


class Schema(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="akgen_schema_")
        cls.addClassCleanup(folder.cleanup)
        cls.records = {}
        for name in EXAMPLES:
            project, file = REPO / "examples/kernels" / name, pathlib.Path(folder.name) / f"{name}.json"
            task = tomllib.loads((project / "example.toml").read_text())["task"]
            done = subprocess.run([str(AKGEN), "judge", str(project), "--task", task, "--time", "--json", str(file), *(["--edits"] if name == "wrong_missing_handoff" else [])],
                                  env={**os.environ, "AKGEN_CACHE": fresh_cache(folder.name + "/cache")}, capture_output=True, text=True, timeout=300)
            assert done.returncode in (0, 1), done.stderr
            cls.records[name] = json.loads(file.read_text())

    def test_it_is_a_schema(self):
        Draft202012Validator.check_schema(SCHEMA)

    def test_real_records_are_valid(self):
        for name, record in self.records.items():
            with self.subTest(name):
                self.assertEqual(faults_of(record), [])

    def test_the_examples_have_what_the_schema_describes(self):
        cases = [c for r in self.records.values() for c in r["cases"]]
        self.assertLessEqual({"pass", "finding", "build_error", "unsupported", "wrong_answer"}, {r["verdict"] for r in self.records.values()})
        self.assertTrue(any(c["findings"] for c in cases))
        self.assertTrue(any(c.get("modelled") for c in cases))
        self.assertTrue(any(f.get("edits") for r in self.records.values() for f in r["findings"]))
        self.assertTrue(any(len(f["cases"]) > 1 for r in self.records.values() for f in r["findings"]))
        self.assertTrue(any(r["diagnostics"] for r in self.records.values()))
        self.assertTrue(any(r["rewrites"] for r in self.records.values()))

    def test_the_schema_tells_good_from_bad(self):
        good = self.records["wrong_read_past_tensor"]
        for edit in (lambda r: r.update(verdict="passed"), lambda r: r.update(sealed="yes"), lambda r: r.update(schema=2),
                     lambda r: r.pop("seed"), lambda r: r.update(more=1), lambda r: r["cases"][0].pop("id"),
                     lambda r: r["cases"][0]["findings"][0].update(code="1002"), lambda r: r["cases"][0]["findings"][0]["place"].update(line=-3),
                     lambda r: r["findings"][0].pop("cases"), lambda r: r["findings"][0].update(edits=[{"file": "k.cpp", "line": 0}])):
            bad = json.loads(json.dumps(good))
            edit(bad)
            self.assertTrue(faults_of(bad))


if __name__ == "__main__":
    sys.argv = sys.argv[:1]
    unittest.main(verbosity=2)

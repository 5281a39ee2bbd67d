#!/usr/bin/env python3
"""The comparison in run_cases must be able to fail: every departure is noticed."""
import pathlib
import tempfile
import unittest

import run_cases

SOURCE = "// launch: blocks=1 args=out:f32[8]\n// expect: AK1201 warning:AK1302\nint a;\nint b;  // <-- AK1201\n"


def finding(code, line, file="case.cpp", warning=False):
    return {"code": code, "message": "m", "warning": warning, "place": {"file": "/x/" + file, "line": line}}


class RunCases(unittest.TestCase):
    def told(self, findings, verdict="finding", source=SOURCE):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "case.cpp"
            path.write_text(source)
            return run_cases.differences(path, {"verdict": verdict, "findings": findings})

    def test_as_expected(self):
        self.assertEqual(self.told([finding("AK1201", 4), finding("AK1302", 3, warning=True)]), [])

    def test_departures(self):
        warning = finding("AK1302", 3, warning=True)
        self.assertTrue(self.told([warning]))                                              # one is missing
        self.assertTrue(self.told([finding("AK1201", 4)]))                                 # the warning is missing
        self.assertTrue(self.told([finding("AK1201", 3), warning]))                        # other line
        self.assertTrue(self.told([finding("AK1201", 4, file="pipe.h"), warning]))         # other file
        self.assertTrue(self.told([finding("AK1201", 4), finding("AK1302", 3)]))           # not a warning
        self.assertTrue(self.told([finding("AK1201", 4), warning, finding("AK1001", 1)]))  # one too many
        self.assertTrue(self.told([], verdict="build_error"))

    def test_other_side(self):
        source = SOURCE.replace("int a;", "int a;  // <== AK1201")
        warning, race = finding("AK1302", 3, warning=True), finding("AK1201", 4)
        self.assertTrue(self.told([race, warning], source=source))
        self.assertTrue(self.told([{**race, "other": {"line": 4}}, warning], source=source))
        self.assertEqual(self.told([{**race, "other": {"line": 3}}, warning], source=source), [])

    def test_clean(self):
        clean = SOURCE.replace("AK1201 warning:AK1302", "clean").replace("  // <-- AK1201", "")
        self.assertEqual(self.told([], verdict="pass", source=clean), [])
        self.assertTrue(self.told([finding("AK1201", 4)], source=clean))

    def refused(self, diagnostics, verdict="build_error"):
        source = "// expect: build_error no bfloat16\nint a;  // <-- refused\n"
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "case.cpp"
            path.write_text(source)
            return run_cases.differences(path, {"verdict": verdict, "diagnostics": diagnostics, "findings": []})

    def test_refusals(self):
        right = {"file": "case.cpp", "line": 2, "message": "error: no bfloat16"}
        self.assertEqual(self.refused([right]), [])
        self.assertTrue(self.refused([]))
        self.assertTrue(self.refused([right, {**right, "line": 1}]))
        self.assertTrue(self.refused([{**right, "message": "something else"}]))
        self.assertTrue(self.refused([right], verdict="pass"))

    def test_a_case_must_say_what_it_expects(self):
        with self.assertRaises(SystemExit):
            self.told([], source="int a;\n")
        with self.assertRaises(SystemExit):
            self.told([], source="// expect: something\n")


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""--sarif: what SARIF 2.1.0 requires of a log, and that its places are those of the findings."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

AKGEN, ROOT = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
CASES = ROOT / "tests/cases"


def sarif(*words):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out.sarif"
        done = subprocess.run([AKGEN, *words, "--sarif", str(out)], capture_output=True, text=True)
        assert out.exists(), done.stderr
        return done.returncode, json.loads(out.read_text())


def path_of(run, location):
    """The file a location names, its base resolved."""
    artifact = location["physicalLocation"]["artifactLocation"]
    base = run["originalUriBaseIds"][artifact["uriBaseId"]]["uri"] if "uriBaseId" in artifact else ""
    uri = urllib.parse.urlparse(base + artifact["uri"])
    return pathlib.Path(urllib.parse.unquote(uri.path)) if uri.scheme == "file" else None


class Sarif(unittest.TestCase):
    def check_shape(self, log):
        self.assertEqual(log["version"], "2.1.0")
        self.assertIn("sarif-2.1.0", log["$schema"])
        self.assertEqual(len(log["runs"]), 1)
        run = log["runs"][0]
        driver = run["tool"]["driver"]
        self.assertEqual(driver["name"], "akgen")
        rules = driver["rules"]
        self.assertEqual(len({r["id"] for r in rules}), len(rules))
        for rule in rules:
            self.assertTrue(rule["shortDescription"]["text"])
            page = urllib.parse.urlparse(rule["helpUri"])
            self.assertEqual(page.scheme, "file")
            self.assertTrue(pathlib.Path(page.path).is_file(), rule["helpUri"])
        for base in run.get("originalUriBaseIds", {}).values():
            self.assertTrue(base["uri"].startswith("file:///") and base["uri"].endswith("/"))
        for result in run["results"]:
            self.assertEqual(rules[result["ruleIndex"]]["id"], result["ruleId"])
            self.assertTrue(result["message"]["text"])
            self.assertIn(result["kind"], ("fail", "open"))
            # Of the levels only none may stand beside another kind than fail.
            self.assertIn(result["level"], ("error", "warning") if result["kind"] == "fail" else ("none",))
            for location in result["locations"] + result.get("relatedLocations", []):
                self.assertGreaterEqual(location["physicalLocation"]["region"]["startLine"], 1)
                self.assertTrue(path_of(run, location).is_file(), location)
        return run

    def test_race_names_both_sides(self):
        case = CASES / "sync/mte2_v.cpp"
        code, log = sarif("run", str(case))
        self.assertEqual(code, 1)
        result = self.check_shape(log)["results"][0]
        self.assertEqual((result["ruleId"], result["level"]), ("AK1201", "error"))
        lines = case.read_text().splitlines()
        here = result["locations"][0]["physicalLocation"]["region"]["startLine"]
        other = result["relatedLocations"][0]["physicalLocation"]["region"]["startLine"]
        self.assertIn("AK1201", lines[here - 1])
        self.assertIn("DataCopy", lines[other - 1])
        self.assertEqual(result["properties"]["check"], "racecheck")

    def test_files_of_several_folders(self):
        files = [CASES / "sync/mte2_v.cpp", CASES / "queue/freed_twice.cpp", CASES / "sync/flag_left_set.cpp"]
        run = self.check_shape(sarif("run", *map(str, files))[1])
        self.assertEqual([path_of(run, r["locations"][0]) for r in run["results"]], files)
        self.assertEqual([r["level"] for r in run["results"]], ["error", "error", "warning"])

    def test_clean_run_has_no_results(self):
        code, log = sarif("run", str(CASES / "sync/mte2_v_ok.cpp"))
        self.assertEqual((code, self.check_shape(log)["results"]), (0, []))

    def test_build_error_has_its_line(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "broken kernel.cpp"
            file.write_text("// launch: args=null\n#include \"kernel_operator.h\"\n"
                            "extern \"C\" __global__ __aicore__ void k(GM_ADDR x) { nonsense(x); }\n")
            code, log = sarif("run", str(file))
            run = self.check_shape(log)
            self.assertEqual(code, 1)
            self.assertEqual(run["results"][0]["ruleId"], "build_error")
            self.assertEqual(run["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"], 3)

    def test_programs_and_projects(self):
        with tempfile.TemporaryDirectory() as folder:
            run = self.check_shape(sarif("exec", str(CASES / "host/leak.cpp"), "--cwd", folder)[1])
            self.assertEqual([(r["ruleId"], r["level"]) for r in run["results"]], [("AK1802", "warning")])
        run = self.check_shape(sarif("judge", str(ROOT / "examples/kernels/wrong_constant"), "--task", "FastGelu", "--case", "0")[1])
        self.assertEqual([r["ruleId"] for r in run["results"]], ["wrong_answer"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

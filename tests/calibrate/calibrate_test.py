"""`akgen calibrate` on measurements with known parameters: the model's own times under other parameters.

usage: calibrate_test.py AKGEN [unittest arguments]
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

AKGEN = sys.argv.pop(1)
ROOT = pathlib.Path(__file__).resolve().parents[2]
KERNELS = ROOT / "examples" / "kernels"
CHIP = "910B2"
# What is to be found, as a share of the value that the chip has.
TRUTH = {"clock_mhz": 0.8, "launch_us": 1.4, "launch_core_us": 1.4, "hbm_rate": 0.7}


def value(text, name):
    return float(re.search(rf"^{name} *= \{{ value = ([0-9.e+]+)", text, re.M).group(1))


def scaled(text, name, share):
    return re.sub(rf"^({name} *= \{{ value = )[0-9.e+]+", lambda m: f"{m.group(1)}{value(text, name) * share}", text, flags=re.M)


def home(folder, truth):
    """A home of akgen whose chip and timing file say something else."""
    for child in ROOT.iterdir():
        if child.name not in ("data", "build", ".git"):
            (folder / child.name).symlink_to(child)
    shutil.copytree(ROOT / "data", folder / "data")
    timing, chip = folder / "data/timing/a2.toml", folder / f"data/chips/{CHIP}.toml"
    for name, share in truth.items():
        if name == "clock_mhz":
            text = chip.read_text()
            clock = re.search(r"^clock\w* *= \{ value = ([0-9.]+)", text, re.M)
            chip.write_text(text.replace(clock.group(0), clock.group(0).replace(clock.group(1), str(float(clock.group(1)) * share))))
        else:
            timing.write_text(scaled(timing.read_text(), name, share))
    return folder


def task(folder, name, cases):
    """A task with other cases: a measurement has shapes of its own."""
    source = next((ROOT / "tasks").glob(f"*/*/{name}"))
    shutil.copytree(source, folder)
    (folder / "cases.json").write_text(json.dumps(cases))
    return folder


def project(folder, source, was, becomes):
    """A project whose tiling is another one."""
    shutil.copytree(KERNELS / source, folder)
    for file in (folder / "op_host").glob("*.cpp"):
        text = file.read_text()
        assert was in text, f"{file} does not say {was}"
        file.write_text(text.replace(was, becomes))
    return folder


def akgen(*arguments, at=None):
    environment = dict(os.environ, **({"AKGEN_HOME": str(at)} if at else {}))
    return subprocess.run([AKGEN, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


class Calibrate(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.tmp = pathlib.Path(cls.folder.name)
        rows = [[16, 256], [48, 1024], [512, 1024], [4096, 1024]]
        cases = [{"id": str(i), "shape": shape, "dtype": "float16"} for i, shape in enumerate(rows)]
        (cls.tmp / "tasks").mkdir()
        add = task(cls.tmp / "tasks/UnalignAdd", "UnalignAdd", cases)
        gelu = task(cls.tmp / "tasks/FastGelu", "FastGelu", cases)
        few = project(cls.tmp / "add_on_two", "add_double_buffer", "= platform.GetCoreNumAiv()", "= 2")
        wide = project(cls.tmp / "add_wide", "add_double_buffer", "kMaxTile = 512", "kMaxTile = 8192")
        cls.kernels = [(wide, add, range(4)), (few, add, range(3)), (KERNELS / "fast_gelu", gelu, range(4))]

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def measured(self, truth):
        """Lines of a CSV: the model's times under these parameters."""
        (self.tmp / "home").mkdir()
        at = home(self.tmp / "home", truth)
        lines = []
        for where, of, cases in self.kernels:
            out = self.tmp / "verdict.json"
            done = akgen("judge", where, "--task", of, "--time", "--seed", 1, "--chip", CHIP, "--json", out, at=at)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            us = {c["id"]: c["modelled"]["us"] for c in json.loads(out.read_text())["cases"]}
            lines += [f"{where}:{of},{case},{us[str(case)]:.3f}" for case in cases]
        shutil.rmtree(at)
        return lines

    def calibrate(self, lines, *arguments):
        table, out = self.tmp / "mine.csv", self.tmp / "result.json"
        table.write_text("\n".join(["kernel,case,us", *lines]) + "\n")
        out.unlink(missing_ok=True)
        done = akgen("calibrate", "--measured", table, "--chip", CHIP, "--json", out, *arguments)
        return done, json.loads(out.read_text()) if out.exists() else None

    def test_known_truth_is_recovered(self):
        lines = self.measured(TRUTH) + ["/nowhere:UnalignAdd,0,5.0", "MatMulV2,0,80.5"]
        timing = self.tmp / "mine.toml"
        done, result = self.calibrate(lines, "--out", timing)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        found = {p["name"]: p for p in result["parameters"]}
        for name, share in TRUTH.items():
            ratio = found[name]["value"] / (found[name]["before"] * share)
            print(f"{name}: found {found[name]['value']:g}, true {found[name]['before'] * share:g}, {100 * (ratio - 1):+.1f} %")
            self.assertLess(abs(ratio - 1), 0.10, f"{name}: {found[name]}")
        self.assertGreater(result["before"]["median"], 0.15)
        self.assertLess(result["errors"]["p90"], 0.03)
        self.assertLess(result["left_out"]["median"], 0.05)
        self.assertEqual([row["line"] for row in result["untied"]], [13, 14])
        self.assertIn("MatMulV2", done.stdout)
        # What is written is a timing file, which a chip can name.
        text = timing.read_text()
        self.assertEqual(value(text, "hbm_rate"), found["hbm_rate"]["value"])
        (self.tmp / "home").mkdir()
        at = home(self.tmp / "home", {"clock_mhz": TRUTH["clock_mhz"]})
        shutil.copy(timing, at / "data/timing/a2.toml")
        out = self.tmp / "again.json"
        where, of, _ = self.kernels[0]
        self.assertEqual(akgen("judge", where, "--task", of, "--time", "--seed", 1, "--chip", CHIP, "--case", 3, "--json", out, at=at).returncode, 0)
        us = json.loads(out.read_text())["cases"][0]["modelled"]["us"]
        self.assertLess(abs(us / float(lines[3].split(",")[2]) - 1), 0.05)
        shutil.rmtree(at)

    def test_times_that_follow_no_clock_are_a_poor_fit(self):
        where, of, _ = self.kernels[0]
        timing = self.tmp / "poor.toml"
        done, result = self.calibrate([f"{where}:{of},{case},{us}" for case, us in enumerate([900, 3, 700, 2])], "--out", timing)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertGreater(result["errors"]["median"], 0.25)
        self.assertFalse(timing.exists())

    def test_nothing_tied_is_nothing_fitted(self):
        done, result = self.calibrate(["MatMulV2,0,80.5"])
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertEqual((result["parameters"], len(result["untied"])), ([], 1))

    def parity(self, text, *arguments):
        table, out = self.tmp / "parity.csv", self.tmp / "parity.json"
        table.write_text(text)
        done = akgen("report", "--parity", table, "--chip", CHIP, "--json", out, *arguments)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return json.loads(out.read_text())

    def test_a_profiler_s_summary_is_tied_by_name_and_shape(self):
        where, of, _ = self.kernels[0]
        gelu = f"{KERNELS / 'fast_gelu'}:{self.kernels[2][1]}"
        text = ('Op Name,OP Type,Task Duration (us),Input Shapes\n'
                'add_1,Add,6.0,"""512,1024;512,1024"""\n'
                'add_2,Add,8.0,"512,1024;512,1024"\n'
                'gelu_1,Gelu,9.0,"16,256"\n'
                'add_3,Add,9.0,"1,2;1,2"\n'
                'mm,MatMulV2,80.5,"16,16;16,16"\n'
                'add_4,Add,N/A,"512,1024;512,1024"\n')
        page = self.tmp / "parity.html"
        model = self.parity(text, "--map", f"Add={where}:{of}", "--map", f"gelu_1={gelu}:2", "--html", page)
        self.assertEqual(len(model["rows"]), 2)
        self.assertEqual({row["measured"] for row in model["rows"]}, {7.0, 9.0})
        self.assertEqual(sorted(map(tuple, (row["lines"] for row in model["rows"]))), [(2, 3), (4,)])
        self.assertEqual([row["line"] for row in model["untied"]], [5, 6, 7])
        self.assertTrue(all(row["modelled"] > 0 for row in model["rows"]))
        self.assertEqual(model["errors"]["rows"], 2)
        html = page.read_text()
        self.assertEqual(html.count("<circle "), 2)
        self.assertIn("<td>mm</td>", html)
        self.assertIn("Worst rows", html)

    def test_pipes_of_one_kernel_are_the_mean_core(self):
        where, of, _ = self.kernels[0]
        text = ('block_id,sub_block_id,aic_time(us),aiv_time(us),aiv_total_cycles\n'
                '0,vector0,NA,4.0,7200\n0,vector1,NA,6.0,10800\n0,cube0,3.0,NA,NA\n')
        model = self.parity(text, "--map", f"any={where}:{of}:2")
        self.assertEqual([(row["what"], row["measured"]) for row in model["rows"]], [("core", 5.0)])
        table = self.tmp / "parity.csv"
        done = akgen("report", "--parity", table)
        self.assertEqual(done.returncode, 2)
        self.assertIn("AK0122", done.stderr)
        done = akgen("report", "--parity", table, "--map", "any")
        self.assertEqual(done.returncode, 2)

    def test_a_broken_table_is_wrong_use(self):
        where, of, _ = self.kernels[0]
        for lines, said in (([f"{where}:{of},0,soon"], "soon"), ([f"{where}:{of},0,-1"], "-1"), ([f"{where}:{of},0"], "2 cells"), (['"a,0,1'], "no end")):
            done, result = self.calibrate(lines)
            self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
            self.assertIn("AK0122", done.stderr)
            self.assertIn(said, done.stderr)
            self.assertIsNone(result)


if __name__ == "__main__":
    unittest.main()

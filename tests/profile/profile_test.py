"""Following the advice of `akgen profile` gains what it promised: both times are modelled.

usage: profile_test.py AKGEN [unittest arguments]
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

try:
    import tomllib
except ImportError:
    tomllib = None

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import kernels  # noqa: E402

AKGEN = sys.argv.pop(1)
ROOT = pathlib.Path(__file__).resolve().parents[2]


def profile(folder, name, source, *more):
    file = pathlib.Path(folder) / (name + ".cpp")
    file.write_text(source)
    done = subprocess.run([AKGEN, "profile", str(file), "--json", "-", *more], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
    assert done.returncode == 0, f"{name}: exit {done.returncode}\n{done.stdout.decode()[-2000:]}"
    return json.loads(done.stdout)


class Profile(unittest.TestCase):
    def test_advice_keeps_its_promise(self):
        kept = 0
        with tempfile.TemporaryDirectory() as folder:
            for name, (change, before, after) in kernels.PAIRS.items():
                with self.subTest(name):
                    now, then = profile(folder, name, before), profile(folder, name + "_after", after)
                    advice = {a["change"]: a for a in now["profile"]["advice"]}
                    self.assertIn(change, advice, now["profile"])
                    promised, gained = now["us"] - advice[change]["modelled_us"], now["us"] - then["us"]
                    print(f"{name:20} {change:20} {now['us']:10.2f} us, promised {promised:10.2f}, gained {gained:10.2f}"
                          f"  ({100 * (promised / gained - 1):+.1f} %)  {now['profile']['bottleneck']}")
                    self.assertLessEqual(abs(promised - gained), 0.2 * gained)
                    self.assertGreater(gained, 0)
                    self.assertGreater(advice[change]["line"], 0, "no line")
                    kept += 1
        self.assertGreaterEqual(kept, 10)

    def test_the_class_is_the_weakness(self):
        expected = {"add_in_conflict": "bank conflicts", "add_by_scalar": "scalar-bound", "sub_one_core": "few cores", "add_uneven": "imbalanced cores",
                    "add_one_buffer": "few cores", "add_small_tiles": "MTE2-bound", "add_ragged_start": "MTE2-bound"}
        with tempfile.TemporaryDirectory() as folder:
            for name, bottleneck in expected.items():
                with self.subTest(name):
                    said = profile(folder, name, kernels.PAIRS[name][1])["profile"]
                    self.assertEqual(said["bottleneck"], bottleneck, said["why"])

    def test_views_of_the_timeline(self):
        source = kernels.tiles()
        with tempfile.TemporaryDirectory() as folder:
            trace, page = pathlib.Path(folder) / "t.json", pathlib.Path(folder) / "t.html"
            profile(folder, "add", source, "--trace", str(trace), "--html", str(page), "--cores", "1")
            events = json.loads(trace.read_text())["traceEvents"]
            names = {e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
            self.assertLessEqual({"PIPE_MTE2", "PIPE_V", "PIPE_MTE3"}, names)
            copies = [e for e in events if e["ph"] == "X" and e["cat"] == "PIPE_MTE2"]
            self.assertEqual(len(copies), 24, "12 tiles of two inputs on one core")
            self.assertTrue(all(e["dur"] > 0 for e in copies))
            text = page.read_text()
            self.assertIn("Modelled by akgen", text)
            self.assertEqual(set(re.findall(r"https?://[^\s\"']+", text)), {"http://www.w3.org/2000/svg"}, "only the name of SVG")

    def test_a_larger_launch_from_a_smaller_one(self):
        with tempfile.TemporaryDirectory() as folder:
            small = profile(folder, "small", kernels.tiles(tiles=48 * 8), "--scale", "4")["scaled"]
            full = profile(folder, "full", kernels.tiles(tiles=48 * 32))["us"]
            print(f"8 rounds a core, times 4: {small['us']:.2f} +- {small['bound_us']:.2f} us; 32 rounds: {full:.2f} us")
            self.assertLessEqual(abs(small["us"] - full), max(small["bound_us"], 0.02 * full))
            self.assertLess(small["bound_us"], 0.25 * full)

    @unittest.skipUnless((pathlib.Path(AKGEN).parent / "akgen-reference").exists(), "needs libtorch")
    def test_judge_models_every_case_that_is_asked_for(self):
        def judged(*more):
            command = [AKGEN, "judge", str(ROOT / "examples/kernels/add_double_buffer"), "--task", "UnalignAdd", "--case", "0", "--seed", "1", "--json", "-", *more]
            return json.loads(subprocess.run(command, stdout=subprocess.PIPE, timeout=120).stdout)["cases"][0]
        self.assertNotIn("modelled", judged())
        one, two = judged("--time")["modelled"], judged("--time")["modelled"]
        self.assertEqual(one, two)
        self.assertGreater(one["us"], one["bound_us"])
        self.assertGreater(one["baseline_us"], one["bound_us"])
        self.assertGreater(one["bound_us"], 0)
        self.assertIn(one["estimator"], (ROOT / "docs/timing.md").read_text(), "the frozen estimator is another one")
        self.assertTrue(one["bottleneck"])

    @unittest.skipUnless((pathlib.Path(AKGEN).parent / "akgen-reference").exists(), "needs libtorch")
    @unittest.skipUnless(tomllib, "needs Python 3.11")
    def test_a_range_is_that_of_its_class(self):
        """Of Cube cores the class of their own, whatever bounds the launch; else that of what bounds it."""
        ranges = {r["regime"]: r for r in tomllib.loads((ROOT / "data/timing/errors.toml").read_text())["clock"]}
        for kernel, task, name in (("matmul_queues", "BasicMatmul", "cube"), ("add_double_buffer", "UnalignAdd", "launch")):
            command = [AKGEN, "judge", str(ROOT / "examples/kernels" / kernel), "--task", task, "--case", "0", "--seed", "1", "--time", "--json", "-"]
            modelled = json.loads(subprocess.run(command, stdout=subprocess.PIPE, timeout=120).stdout)["cases"][0]["modelled"]
            self.assertEqual(modelled.get("cube_cores", 0) > 0, name == "cube", kernel)
            for end, us in zip(("low", "high"), modelled["range_us"]):
                self.assertAlmostEqual(us / modelled["us"], ranges[name][end], 6, f"{kernel}: {end} of {name}")

    @unittest.skipUnless((pathlib.Path(AKGEN).parent / "akgen-reference").exists(), "64 million elements: not under a sanitizer")
    def test_a_case_too_large_to_run_is_extrapolated(self):
        with tempfile.TemporaryDirectory() as folder:
            task = pathlib.Path(folder) / "UnalignAdd"
            shutil.copytree(ROOT / "tasks/level1/Math/UnalignAdd", task)
            rows = [{"id": name, "shape": shape, "dtype": "float16"}
                    for name, shape in (("large", [32768, 16384]), ("odd", [32769, 16384]))]
            (task / "cases.json").write_text(json.dumps(rows))

            def judged(case, *more):
                command = [AKGEN, "judge", str(ROOT / "examples/kernels/add_double_buffer"), "--task", str(task), "--case", case, "--json", "-", *more]
                return json.loads(subprocess.run(command, stdout=subprocess.PIPE, timeout=200).stdout)["cases"][0]
            large, odd = judged("large", "--time"), judged("odd", "--time")
            self.assertEqual((large["verdict"], odd["verdict"]), ("skipped", "skipped"), large["reason"])
            self.assertNotIn("modelled", odd, "its leading dimension cannot be halved")
            self.assertNotIn("modelled", judged("large"))
            modelled = large["modelled"]
            known = modelled["extrapolated"]
            self.assertLessEqual({0, 47}, set(known["checked"]["blocks"]), "the first and the last block at full shape")
            self.assertIn(known["factor"], (8, 16, 32))
            # More than as many of the smaller: L2 keeps a larger share of what that one writes.
            self.assertLess(modelled["us"], 1.15 * known["factor"] * known["from_us"])
            self.assertGreater(modelled["us"] + known["within_us"], 0.9 * known["factor"] * known["from_us"])
            self.assertLess(known["within_us"], 0.1 * modelled["us"])
            self.assertTrue(modelled["bottleneck"])
            print(f"extrapolated {modelled['us']:.2f} +- {known['within_us']:.2f} us from {known['from_us']:.2f} us")

    def test_wrong_use(self):
        self.assertEqual(subprocess.run([AKGEN, "profile", "."], stderr=subprocess.DEVNULL).returncode, 2)
        self.assertEqual(subprocess.run([AKGEN, "profile", "/no/such.cpp"], stderr=subprocess.DEVNULL).returncode, 2)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Kernel-only and host+kernel candidates, static and dynamic shapes, the shape profiles; own tasks in folders.

modes_test.py AKGEN REPO [--all]    --all: the skeletons of all tasks instead of a few
"""
import json
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from fresh_cache import fresh_cache  # noqa: E402

AKGEN, REPO = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
ALL = "--all" in sys.argv
HONEST = REPO / "tests/exploits/honest"
# With optional inputs and attributes of each kind; tensor lists; in place; an output whose size the kernel finds out.
KINDS = ["AddRmsNormQuant", "ForeachAddcmulScalarList", "Eye", "MaskedSelectV3", "ScatterList"]

# What the upstream harness asks for: one case, its numbers as literals, no tiling parameter.
LITERALS = '''#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void gauge(GM_ADDR x, GM_ADDR gamma, GM_ADDR beta, GM_ADDR y, GM_ADDR workspace) {
  constexpr uint32_t kRows = 8, kCols = 64;
  if (GetBlockIdx() >= kRows) return;
  TPipe pipe;
  TQue<QuePosition::VECIN, 1> in;
  TQue<QuePosition::VECOUT, 1> out;
  pipe.InitBuffer(in, 1, 3 * kCols * sizeof(float));
  pipe.InitBuffer(out, 1, kCols * sizeof(float));
  GlobalTensor<float> gx, gg, gb, gy;
  gx.SetGlobalBuffer((__gm__ float *)x, kRows * kCols);
  gg.SetGlobalBuffer((__gm__ float *)gamma, kCols);
  gb.SetGlobalBuffer((__gm__ float *)beta, kCols);
  gy.SetGlobalBuffer((__gm__ float *)y, kRows * kCols);
  LocalTensor<float> a = in.AllocTensor<float>();
  DataCopy(a, gx[GetBlockIdx() * kCols], kCols);
  DataCopy(a[kCols], gg, kCols);
  DataCopy(a[2 * kCols], gb, kCols);
  in.EnQue(a);
  a = in.DeQue<float>();
  LocalTensor<float> r = out.AllocTensor<float>();
  Abs(r, a, kCols);
  Mul(r, r, a[kCols], kCols);
  Add(r, r, a[2 * kCols], kCols);
  out.EnQue(r);
  r = out.DeQue<float>();
  DataCopy(gy[GetBlockIdx() * kCols], r, kCols);
  out.FreeTensor(r);
  in.FreeTensor(a);
}
'''


def any_shape():
    """The honest kernel, told its shape by the task's own host side."""
    text = (HONEST / "op_kernel/gauge.cpp").read_text()
    old = "kernel.Init(x, gamma, beta, y, t.rows, t.cols, t.perCore);"
    assert old in text
    return text.replace(old, "const uint32_t rows = t.x_shape[0];\n  kernel.Init(x, gamma, beta, y, rows, t.x_shape[1], (rows + GetBlockNum() - 1) / GetBlockNum());")


class Modes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cache = fresh_cache(tempfile.mkdtemp(prefix="akgen_modes_cache_"))
        cls.addClassCleanup(shutil.rmtree, cache, True)
        cls.env = {**os.environ, "AKGEN_CACHE": cache}

    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="akgen_modes_"))
        self.addCleanup(shutil.rmtree, self.dir, True)
        self.tasks = self.dir / "tasks"
        self.gauge = self.tasks / "level1/Exploits/Gauge"
        shutil.copytree(REPO / "tests/exploits/task", self.gauge)
        self.candidates = self.dir / "candidates"

    def write(self, name, text):
        path = self.candidates / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def akgen(self, *args, code=0, cwd=None):
        done = subprocess.run([str(AKGEN), *map(str, args)], env=self.env, cwd=cwd, capture_output=True, text=True)
        self.assertIn(done.returncode, code if isinstance(code, tuple) else (code,), done.stdout + done.stderr)
        return done.stdout + done.stderr

    def judge(self, project, *more, task=None, code=0):
        record = self.dir / "record.json"
        self.akgen("judge", project, "--task", task or self.gauge, "--inputs", "upstream", "--json", record, *more, code=code)
        return json.loads(record.read_text())

    def bench(self, *more, out="run.db", code=0, tasks=None):
        return self.akgen("bench", "run", "--tasks", tasks or self.tasks, "--candidates", self.candidates, "--out", self.dir / out, "--hidden-seed", 3, "--inputs", "upstream", *(() if "--seed" in more else ("--seed", 1)), *more, code=code)

    def verdicts(self, out="run.db"):
        rows = sqlite3.connect(self.dir / out).execute("SELECT task, sample, part, verdict, reason FROM verdicts").fetchall()
        return {r[:3]: (r[3], r[4]) for r in rows}

    def record(self, task, sample=0, part="public", out="run.db"):
        row = sqlite3.connect(self.dir / out).execute("SELECT record FROM verdicts WHERE task=? AND sample=? AND part=?", (task, sample, part)).fetchone()
        return json.loads(row[0])

    def test_skeletons_stand_on_their_own(self):
        tasks = KINDS
        if ALL:
            tasks = [line.split()[-1] for line in self.akgen("tasks").splitlines()]
        for name in tasks:
            with self.subTest(name):
                out = self.dir / name
                self.akgen("tasks", "--skeleton", name, "--out", out)
                cases = [c["id"] for c in json.loads(next(REPO.glob(f"tasks/level*/*/{name}/cases.json")).read_text())]
                for mode in ("kernel-only",) if name != tasks[0] else ("full", "kernel-only"):
                    # A case in which there is nothing to do (gradients scaled in place, by 1) is no question: the next one is.
                    for case in cases[:2]:
                        r = self.judge(out, "--case", case, "--mode", mode, task=name, code=(0, 1))
                        if r["verdict"] != "pass":
                            break
                    # Host code builds, registers the operator and tiles; the kernel does nothing, which is no answer.
                    self.assertIn(r["verdict"], ("wrong_answer", "undecided") if ALL else ("wrong_answer",), r["reason"])
                    if r["verdict"] == "wrong_answer":
                        self.assertEqual(r["cases"][0]["block_dim"], 48)
        self.assertIn("AK0002", self.akgen("tasks", "--skeleton", tasks[0], "--out", self.dir / tasks[0], code=2))

    def test_a_kernel_with_the_tasks_own_host_side(self):
        kernel = self.write("any/gauge.cpp", any_shape()).parent
        r = self.judge(kernel, "--mode", "kernel-only")
        self.assertEqual(r["verdict"], "pass", r["reason"])
        self.assertEqual(len(r["provenance"]["host"]), 64)
        self.assertEqual([c["block_dim"] for c in r["cases"]], [48, 48])
        self.assertEqual(self.judge(kernel, code=1)["verdict"], "build_error", "as a whole candidate it has no host side")

    def test_a_kernel_of_literals(self):
        kernel = self.write("literal/gauge.cpp", LITERALS).parent
        self.assertEqual(self.judge(kernel, "--mode", "kernel-only", "--case", "0")["verdict"], "pass")
        self.assertEqual(self.judge(kernel, "--mode", "kernel-only", "--case", "1", code=1)["verdict"], "wrong_answer")

    def test_a_host_side_that_is_given(self):
        kernel = self.write("only/op_kernel/gauge.cpp", (HONEST / "op_kernel/gauge.cpp").read_text()).parent.parent
        r = self.judge(kernel, "--mode", "kernel-only", "--host", HONEST)
        self.assertEqual(r["verdict"], "pass", r["reason"])
        own = self.judge(kernel, "--mode", "kernel-only", code=1)
        self.assertEqual(own["verdict"], "build_error", "the task's own tiling data has no `rows`")
        self.assertNotEqual(own["provenance"]["host"], r["provenance"]["host"])
        self.assertIn("AK0310", self.judge(kernel, "--mode", "kernel-only", "--host", self.dir / "none", code=3)["reason"])
        self.assertIn("AK0314", self.akgen("judge", kernel, "--task", self.gauge, "--host", HONEST, code=2))
        # What the candidate itself brings in op_host/ counts for nothing.
        self.write("only/op_host/gauge.cpp", "#error not mine to give\n")
        self.assertEqual(self.judge(kernel, "--mode", "kernel-only", "--host", HONEST)["verdict"], "pass")

    def test_the_four_settings_of_a_run(self):
        self.write("Gauge/sample0/gauge.cpp", any_shape())
        self.write("Gauge/sample1/gauge.cpp", LITERALS)
        self.bench("--mode", "kernel-only", "-n", 2, "--hidden", 2)
        v = self.verdicts()
        self.assertEqual((v["Gauge", 0, "public"][0], v["Gauge", 0, "hidden"][0]), ("pass", "pass"), v)
        self.assertEqual(v["Gauge", 1, "public"][0], "wrong_answer")
        # One case each: the literal kernel is right where it was written for.
        for case in "01":
            self.write(f"Gauge/case{case}/sample0/gauge.cpp", LITERALS)
        self.bench("--mode", "static,kernel-only", out="static.db")
        v = self.verdicts("static.db")
        self.assertEqual({k[0]: r[0] for k, r in v.items()}, {"Gauge@0": "pass", "Gauge@1": "wrong_answer"})
        # Of the cases, as many as are asked for: what nobody asked for is not missing.
        self.bench("--mode", "static,kernel-only", "--cases", 1, out="first.db")
        self.akgen("bench", "show", self.dir / "first.db", "--json", self.dir / "first.json")
        shown = json.loads((self.dir / "first.json").read_text())
        self.assertEqual(([u["name"] for u in shown["units"]], shown["taxonomy"]), (["Gauge@0"], {"pass": 1}))
        self.assertIn("AK0512", self.bench("--mode", "kernel-only", out="static.db", code=3))
        # Host and kernel, in both kinds of shape.
        shutil.rmtree(self.candidates)
        for place in ("Gauge/sample0", "Gauge/case0/sample0", "Gauge/case1/sample0"):
            shutil.copytree(HONEST, self.candidates / place)
        self.bench("--hidden", 0, out="full.db")
        self.bench("--mode", "static", out="full_static.db")
        v = self.verdicts("full.db") | self.verdicts("full_static.db")
        self.assertEqual((set(r[0] for r in v.values()), len(v)), ({"pass"}, 5), v)

    def test_one_case_is_drawn_again_several_times(self):
        shutil.copytree(HONEST, self.candidates / "Gauge/case0/sample0")
        self.bench("--mode", "static", "--hidden", 3)
        shown, hidden = self.record("Gauge@0"), self.record("Gauge@0", part="hidden")
        self.assertEqual([c["id"] for c in hidden["cases"]], ["hidden0", "hidden1", "hidden2"])
        self.assertEqual({c["outputs"][0]["elements"] for c in shown["cases"] + hidden["cases"]}, {8 * 64})
        self.assertEqual((shown["seed"], hidden["seed"]), (1, 3))
        # Each draw has values of its own: a kernel that is right for positive numbers alone shows them.
        wrong = self.candidates / "Gauge/case0/sample1"
        shutil.copytree(HONEST, wrong)
        kernel = wrong / "op_kernel/gauge.cpp"
        kernel.write_text(kernel.read_text().replace("Abs(y, x, cols_);", "Adds(y, x, 0.0f, cols_);"))
        record = self.judge(wrong, "--case", "0", "--seed", 3, code=1)["cases"][0]["outputs"][0]["first"]
        self.bench("--mode", "static", "--hidden", 3, "-n", 2, out="two.db")
        self.assertEqual(self.verdicts("two.db")["Gauge@0", 1, "hidden"][0], "wrong_answer")
        drawn = [c["outputs"][0]["first"] for c in self.record("Gauge@0", 1, "hidden", out="two.db")["cases"]]
        self.assertEqual(len({json.dumps(d) for d in [record, *drawn]}), 4)

    def test_a_run_draws_its_seeds(self):
        shutil.copytree(HONEST, self.candidates / "Gauge/sample0")
        def run(out):
            self.akgen("bench", "run", "--tasks", self.tasks, "--candidates", self.candidates, "--out", self.dir / out, "--hidden", 0)
            return self.record("Gauge", out=out)["seed"]
        first = run("first.db")
        self.assertNotEqual(first, run("second.db"))
        self.assertEqual(first, run("first.db"))   # a run that is resumed is the same

    def test_host_sides_of_a_run(self):
        self.write("Gauge/sample0/op_kernel/gauge.cpp", (HONEST / "op_kernel/gauge.cpp").read_text())
        hosts = self.dir / "hosts"
        shutil.copytree(HONEST / "op_host", hosts / "tasks/level1/Exploits/Gauge/answer/0/op_host")  # as a checkout has it
        self.bench("--mode", "kernel-only", "--host", hosts, "--hidden", 0)
        self.assertEqual(self.verdicts()["Gauge", 0, "public"][0], "pass")
        self.assertIn("AK0512", self.bench("--mode", "kernel-only", "--hidden", 0, code=3), "another host side is another run")
        self.bench("--mode", "kernel-only", "--hidden", 0, out="own.db")
        self.assertEqual(self.verdicts("own.db")["Gauge", 0, "public"][0], "build_error")
        self.assertIn("AK0510", self.bench("--mode", "kernel-only", "--host", self.candidates, "--hidden", 0, out="none.db", code=3))
        self.assertIn("AK0512", self.bench("--host", hosts, out="none.db", code=2))

    def test_samples_of_ones_own_choice_are_counted(self):
        for k in (0, 2):
            self.write(f"Gauge/sample{k}/gauge.cpp", any_shape())
        self.bench("--mode", "kernel-only", "-n", 4, "--hidden", 0)

        def rates(*more):
            return re.findall(r"^pass@(\d+) +([\d.]+) %", self.akgen("bench", "show", self.dir / "run.db", *more), re.M)
        self.assertEqual(rates(), [("1", "50.00"), ("4", "100.00")])
        self.assertEqual(rates("-k", "2,3"), [("2", "83.33"), ("3", "100.00"), ("4", "100.00")])
        self.assertIn("4 samples", self.akgen("bench", "show", self.dir / "run.db", "-k", 5, code=2))
        self.akgen("bench", "show", self.dir / "run.db", "-k", 0, code=2)

    def test_generation_judges_the_cases_that_bench_does(self):
        rows = [{"id": "s", "rows": 4, "cols": 20}, {"id": "l", "rows": 210, "cols": 1000}]
        (self.gauge / "cases.json").write_text(json.dumps(rows))
        self.bench("--generator", "plan", "--hidden", 0)
        self.akgen("generate", self.gauge, "--generator", "plan", "--out", self.dir / "made")
        turns = [json.loads(line) for line in (self.dir / "made/journal.jsonl").read_text().splitlines()]
        judged = [t["cases"] for t in turns if t["kind"] == "turn"]
        ids = [c["id"] for c in self.record("Gauge")["cases"]]
        self.assertEqual((ids, [[c["id"] for c in t] for t in judged]), (["s", "l"], [["s", "l"]]))

    def beside(self, *stores):
        self.akgen("report", *stores, "--json", self.dir / "beside.json", cwd="/")
        return json.loads((self.dir / "beside.json").read_text())

    def test_runs_side_by_side(self):
        self.write("Gauge/sample0/gauge.cpp", any_shape())
        self.bench("--mode", "kernel-only", "--hidden", 0, out="one.db")
        self.write("Gauge/sample1/gauge.cpp", LITERALS)
        self.bench("--mode", "kernel-only", "--hidden", 0, "-n", 4, out="four.db")
        shutil.rmtree(self.candidates)  # what was judged counts, whether it still lies there or not
        j = self.beside(self.dir / "one.db", self.dir / "four.db")
        self.assertEqual(j["generators"], ["one", "four"])
        keys = ("samples", "missing", "answers", "passed")
        self.assertEqual({name: [c[k] for k in keys] for name, c in j["tasks"]["Gauge"].items()}, {"one": [1, 0, 1, 1], "four": [4, 2, 2, 1]})
        self.assertEqual(j["first_verdicts"], {"one": {"pass": 1}, "four": {"pass": 1, "wrong_answer": 1, "missing": 2}})
        self.assertIn("2 missing", self.akgen("report", self.dir / "one.db", self.dir / "four.db"))
        # Two files of one name, and two runs of one file.
        (self.dir / "other").mkdir()
        shutil.copy(self.dir / "one.db", self.dir / "other/four.db")
        self.assertEqual([len(set(self.beside(*stores)["generators"])) for stores in
                          ([self.dir / "four.db", self.dir / "other/four.db"], [self.dir / "one.db", self.dir / "one.db"])], [2, 1])
        # A run's own page has every sample, too.
        self.akgen("report", self.dir / "four.db", "--json", self.dir / "four.json")
        samples = json.loads((self.dir / "four.json").read_text())["tasks"][0]["samples"]
        self.assertEqual([(s["sample"], s["verdict"]) for s in samples], [(0, "pass"), (1, "wrong_answer"), (2, "missing"), (3, "missing")])

    def test_candidates_are_found_from_every_folder(self):
        place = self.dir / "place"
        shutil.copytree(HONEST, place / "made/Gauge/sample0")
        self.akgen("bench", "run", "--tasks", self.gauge, "--candidates", "made", "--hidden", 0, "--out", "runs.db", cwd=place)
        place.rename(self.dir / "moved")  # the store and what lies beside it
        page = self.dir / "page.html"
        self.akgen("report", self.dir / "moved/runs.db", "--html", page, cwd="/")
        self.assertTrue("gauge.cpp" in page.read_text())
        self.assertTrue("SetGlobalBuffer" in page.read_text())
        # Merged into a store elsewhere, they are found from there.
        (self.dir / "all").mkdir()
        self.akgen("bench", "merge", "moved/runs.db", "--out", "all/all.db", cwd=self.dir)
        self.akgen("report", "all.db", "--html", page, cwd=self.dir / "all")
        self.assertTrue("SetGlobalBuffer" in page.read_text())

    def test_what_an_upstream_run_leaves(self):
        shutil.copytree(HONEST, self.candidates / "lvl1/Exploits/Gauge/sample0/src")
        shutil.copytree(HONEST, self.candidates / "lvl1/Exploits/Gauge/fixed_case_1/sample0/src")
        self.bench("--hidden", 0)
        self.bench("--mode", "static", out="static.db")
        self.assertEqual({k[0]: r[0] for k, r in (self.verdicts() | self.verdicts("static.db")).items()}, {"Gauge": "pass", "Gauge@1": "pass"})

    def test_profiles(self):
        rows = [{"id": "s", "rows": 4, "cols": 20}, {"id": "m", "rows": 300, "cols": 1000}, {"id": "l", "rows": 2100, "cols": 1000}]
        (self.gauge / "cases.json").write_text(json.dumps(rows))
        shutil.copytree(HONEST, self.candidates / "Gauge/sample0")
        for task, name in (("FastGelu", "fast_gelu"), ("Sqrt", "sqrt_via_float")):
            shutil.copytree(REPO / "examples/kernels" / name, self.candidates / task / "sample0")
        wanted = {"full": ["s", "m", "l"], "sim": ["s", "m"], "tiny": ["s"], "ragged": [f"ragged{i}" for i in range(8)]}
        tasks = f"{self.tasks},FastGelu,Sqrt"
        for profile, ids in wanted.items():
            with self.subTest(profile):
                # The examples' own tasks have cases of up to 10^7 elements: `full` is tried on the task above.
                self.bench("--profile", profile, "--hidden", 0, out=f"{profile}.db", tasks=self.tasks if profile == "full" else tasks)
                self.assertEqual({k[0]: r for k, r in self.verdicts(f"{profile}.db").items() if r[0] != "pass"}, {})
                record = self.record("Gauge", out=f"{profile}.db")
                got = [c["id"] for c in record["cases"]]
                self.assertEqual(len(got), len(ids))
                if profile != "ragged":
                    self.assertEqual(got, ids)
        # Drawn shapes: the same for the same seed, others for another, none of them a published one.
        first = self.record("FastGelu", out="ragged.db")["cases"]
        self.assertEqual(len(first), 8)
        self.bench("--profile", "ragged", "--hidden", 0, "--no-cache", out="again.db", tasks="FastGelu")
        self.assertEqual([c["outputs"][0]["elements"] for c in first], [c["outputs"][0]["elements"] for c in self.record("FastGelu", out="again.db")["cases"]])
        self.bench("--profile", "ragged", "--hidden", 0, "--seed", 2, out="other.db", tasks="FastGelu")
        self.assertNotEqual([c["outputs"][0]["elements"] for c in first], [c["outputs"][0]["elements"] for c in self.record("FastGelu", out="other.db")["cases"]])

    def test_folders_of_tasks(self):
        shutil.copytree(self.gauge, self.dir / "more/level2/Other/Gauge")
        shutil.copytree(HONEST, self.candidates / "Gauge/sample0")
        self.bench("--hidden", 0, tasks=self.gauge)
        self.assertEqual(self.verdicts()["Gauge", 0, "public"][0], "pass")
        self.assertIn("two tasks have the name", self.bench("--hidden", 0, tasks=f"{self.gauge},{self.dir / 'more'}", out="two.db", code=2))
        self.assertIn("AK0101", self.bench(tasks=f"{self.dir}/candidates", out="none.db", code=2))
        self.assertIn("1 of 1 tasks", self.akgen("bench", "lint", "--tasks", f"{self.gauge}"))
        # A folder's name alone will do where nothing else has that name.
        shutil.copytree(self.gauge, self.dir / "my_tasks/level1/Own/Gauge")
        shutil.copytree(self.gauge, self.dir / "level1/level1/Own/Gauge")
        (self.dir / "Sqrt").mkdir()
        said = self.akgen("bench", "lint", "--tasks", "my_tasks", cwd=self.dir)
        self.assertIn("1 of 1 tasks", said)
        self.assertIn("1 of 1 tasks", self.akgen("bench", "lint", "--tasks", "Sqrt", cwd=self.dir), "a task's own name comes first")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *[a for a in sys.argv[3:] if a != "--all"]])

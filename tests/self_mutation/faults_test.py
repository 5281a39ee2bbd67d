"""lab/faults: the draw, the marks, what is blamed for a build that fails, the order of tests, the report."""
import argparse
import collections
import pathlib
import sys
import tempfile
import threading
import time
import types
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "lab"))
from faults import planting, processes, report, sites, trials  # noqa: E402


def places(**modules):
    out = [{"file": f"src/{m}/a.cc", "module": m, "function": f"f{n}", "kind": "constant" if n % 10 else "reset", "before": "1", "after": "2",
            "id": f"{m}{n}"} for m, many in modules.items() for n in range(many)]
    return out


class Draw(unittest.TestCase):
    def test_shares_follow_the_square_root(self):
        self.assertEqual(sites.shares({"a": 100, "b": 400}, 30), {"a": 10, "b": 20})
        self.assertEqual(sum(sites.shares({"a": 3, "b": 40, "c": 7000}, 40).values()), 40)
        self.assertEqual(sites.shares({"a": 1, "b": 10000}, 4)["a"], 1)

    def test_the_same_seed_draws_the_same(self):
        all_places = places(a=50, b=200)
        one, again, other = (sites.draw(all_places, 12, seed) for seed in (1, 1, 2))
        self.assertEqual(one, again)
        self.assertNotEqual(one, other)
        self.assertEqual(len(one), 12)

    def test_a_change_elsewhere_changes_little(self):
        all_places = places(a=200)
        before = {s["id"] for s in sites.draw(all_places, 20, 1)}
        after = {s["id"] for s in sites.draw([p for p in all_places if p["id"] not in ("a3", "a70")], 20, 1)}
        self.assertGreaterEqual(len(before & after), 18)

    def test_kinds_take_turns(self):
        kinds = collections.Counter(s["kind"] for s in sites.draw(places(a=100), 10, 1))
        self.assertEqual(kinds, {"constant": 5, "reset": 5})

    def test_one_a_function_and_none_that_is_left_out(self):
        two = [{**p, "function": "f", "id": f"{p['id']}x"} for p in places(a=5)] + places(a=1)
        self.assertEqual(len(sites.draw(two, 4, 1)), 2)
        all_places = places(a=20)
        first = sites.draw(all_places, 3, 1)
        later = sites.draw(all_places, 3, 1, {first[0]["id"]})
        self.assertNotIn(first[0], later)
        self.assertEqual(len(later), 3)

    def test_one_build_of_several_seeds(self):
        spread = [{**p, "edits": [{"offset": 4 * n, "length": 3}]} for n, p in enumerate(places(a=30))]
        draws = sites.draw_several(spread, 10, [1, 2])
        self.assertEqual(draws[1], sites.draw(spread, 10, 1))
        self.assertEqual(draws[2], sites.draw(spread, 10, 2), "none is in the way of another, and both may want the same")
        crossing = [{**p, "function": f"f{n // 2}", "edits": [{"offset": 4 * (n // 2), "length": 3}]} for n, p in enumerate(places(a=30))]
        draws = sites.draw_several(crossing, 12, [1, 2])
        both = {s["id"]: s["edits"][0]["offset"] for of in draws.values() for s in of}
        self.assertEqual(len(set(both.values())), len(both), "one fault a place")
        self.assertEqual([len(of) for of in draws.values()], [12, 12])

    def test_a_name_is_counted_where_it_comes_twice(self):
        rows = [{"file": "f", "function": "g", "before": "a\n  b", "after": ""} for _ in range(2)]
        sites.identify(rows)
        self.assertEqual([r["id"] for r in rows], ["f: g: a b -> nothing", "f: g: a b -> nothing (no. 2)"])


class Marked(unittest.TestCase):
    def rows(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "marked.toml"
            path.write_text(text)
            return sites.marked(path)

    def test_rows(self):
        self.assertEqual(self.rows('[[marked]]\nfile = "f"\nfunction = "g"\nchange = "1 -> 2"\nreason = "r"\n'), {"f: g: 1 -> 2": "r"})
        with self.assertRaises(sites.Failed):
            self.rows('[[marked]]\nfile = "f"\nfunction = "g"\nchange = "1 -> 2"\nreason = " "\n')

    def test_any_change_of_several_functions(self):
        names = ["a.cc: kOne: 1 -> 2", "a.cc: kOne: 1 -> 0", "b.cc: kTwo: 1 -> 2", "b.cc: Two: 1 -> 2", "b.cc: f: *p -> *q"]
        found, gone = sites.matched({"*.cc: k*: *": "r", "b.cc: f: *p -> *q": "s", "b.cc: f: *p -> *": "t", "c.cc: *: *": "u"}, names)
        self.assertEqual(found, {**dict.fromkeys(names[:3], "r"), names[4]: "s"})
        self.assertEqual(gone, ["b.cc: f: *p -> *", "c.cc: *: *"])

    def test_those_of_the_tree_can_be_read(self):
        self.assertIsInstance(sites.marked(ROOT / "lab/self_mutation_marked.toml"), dict)


class Build(unittest.TestCase):
    def test_lines_of_faults(self):
        edit = lambda offset, length, text: {"edits": [{"offset": offset, "length": length, "text": text}]}
        made, lines = planting.planted_text(b"a < b;\nf(1);\n", [(3, edit(0, 5, "(@ON@ ? a <= b\n : a < b)")), (4, edit(9, 1, "@ON@"))])
        self.assertEqual(made.decode().splitlines()[1:], ["(::akgen::self_mutation::On(3) ? a <= b", " : a < b);", "f(::akgen::self_mutation::On(4));"])
        self.assertEqual(lines, {2: {3}, 3: {3}, 4: {4}})
        with self.assertRaises(ValueError):
            planting.planted_text(b"a < b;", [(1, edit(0, 5, "x")), (2, edit(2, 1, "y"))])

    def test_who_is_blamed(self):
        copy = planting.Copy(ROOT, pathlib.Path("/f"), {}, 1, print)
        copy.lines = {"src/a.cc": {2: {1}, 9: {2}}, "src/b.h": {5: {3}}}
        error = "/f/source/src/a.cc:{}:1: error: no\n"
        self.assertEqual(copy.blamed([error.format(2)]), {1})
        self.assertEqual(copy.blamed([error.format(4), "/f/source/src/b.h:5:1: note: declared here\n"]), {3})
        self.assertEqual(copy.blamed(["/f/source/src/a.cc:2:1: warning: w\n", "/f/source/src/b.h:5:1: note: n\n"]), set())
        self.assertEqual(copy.blamed([error.format(4)]), {1, 2}, "all of the file when no line says which")


class Order(unittest.TestCase):
    def test_own_module_then_units_then_fast_ones(self):
        rows = [("slow_unit", "judge", "judge_test", 3), ("unit", "sim", "sim_test", 1), ("script", "judge", None, 2), ("other", "sim", None, 0.1),
                ("away", "judge", "judge_test", 1)]
        suite = object.__new__(trials.Suite)
        suite.tests = [types.SimpleNamespace(name=n, module=m, binary=b, case=n) for n, m, b, _ in rows]
        suite.reached = types.SimpleNamespace(rows={n: {"ok": True, "seconds": s, "reached": [] if n == "away" else [7]} for n, _, _, s in rows})
        suite.options = types.SimpleNamespace(own=False)
        suite.tried = types.SimpleNamespace(rows={})
        self.assertEqual([g[0].name for g in suite.reaching(7, "judge")], ["slow_unit", "script", "unit", "other"])
        suite.options.own = True
        self.assertEqual([g[0].name for g in suite.reaching(7, "judge")], ["slow_unit", "script"])
        suite.options.own = False
        self.assertEqual(suite.reaching(8, "judge"), [])

    def test_what_found_faults_comes_before_what_is_a_little_quicker(self):
        rows = {"quick": 2, "telling": 3, "long": 40}
        suite = object.__new__(trials.Suite)
        suite.tests = [types.SimpleNamespace(name=n, module="cli", binary=None, case=None) for n in rows]
        suite.reached = types.SimpleNamespace(rows={n: {"ok": True, "seconds": s, "reached": [7]} for n, s in rows.items()})
        suite.options = types.SimpleNamespace(own=False)
        suite.tried = types.SimpleNamespace(rows={1: {"by": "telling"}, 2: {"by": None}})
        groups = suite.reaching(7, "sim")
        self.assertEqual([g[0].name for g in groups], ["telling", "quick", "long"])
        names = lambda budget: [t.name for g in suite.within(groups, budget) for t in g]
        self.assertEqual(names(1), ["telling"])
        self.assertEqual(names(3), ["telling"])
        self.assertEqual(names(3.1), ["telling", "quick"])
        self.assertEqual(names(100), ["telling", "quick", "long"])

    def test_which_case_failed(self):
        group = [types.SimpleNamespace(case=c) for c in ("A.one", "A.two", "A.three")]
        said = lambda text: trials.Suite.failing(group, types.SimpleNamespace(output=text)).case
        self.assertEqual(said("[ RUN      ] A.one\n[  FAILED  ] A.one (0 ms)\n[ RUN      ] A.two\n"), "A.one")
        self.assertEqual(said("[ RUN      ] A.one\n[       OK ] A.one (0 ms)\n[ RUN      ] A.two\n"), "A.two")
        self.assertEqual(said(""), "A.one")


class Runs(unittest.TestCase):
    def test_time_is_limited_and_nothing_is_left(self):
        ran = processes.run(["sh", "-c", "setsid sleep 60 & echo said; sleep 60"], "/", {"PATH": "/usr/bin:/bin"}, 1)
        self.assertIsNone(ran.status)
        self.assertEqual(ran.output, "said\n")
        self.assertLess(ran.seconds, 30)
        self.assertEqual(processes.run(["sh", "-c", "exit 3"], "/", {"PATH": "/usr/bin:/bin"}, 60).status, 3)

    def test_an_interruption_ends_what_runs(self):
        started = time.monotonic()
        timer = threading.Timer(0.5, processes.stopping.set)
        timer.start()
        try:
            with self.assertRaises(processes.Stopped):
                processes.run(["sleep", "60"], "/", {"PATH": "/usr/bin:/bin"}, 60)
            with self.assertRaises(processes.Stopped):
                processes.run(["true"], "/", {"PATH": "/usr/bin:/bin"}, 60)
        finally:
            processes.stopping.clear()
        self.assertLess(time.monotonic() - started, 30)

    def test_confined_programs_reach_the_temporary_folder(self):
        ran = processes.run(["sh", "-c", "stat -c %a $TMPDIR; echo $TMPDIR"], "/", {"PATH": "/usr/bin:/bin"}, 60)
        mode, folder = ran.output.split()
        self.assertEqual(mode, "1777")
        self.assertFalse(pathlib.Path(folder).exists())


class Report(unittest.TestCase):
    def test_marked_ones_do_not_count(self):
        site = {"module": "a", "file": "f", "line": 1, "function": "g", "kind": "k", "change": "c", "readable": {}, "tests": 1, "reaching": 2}
        results = [{**site, "state": s} for s in ("found", "found", "survived", "not reached", "marked")] + [{**site, "module": "b", "state": "marked"}]
        options = argparse.Namespace(count=6, seed=1, require=0.5, require_module=0)
        record = report.summary(options, results, types.SimpleNamespace(tests=[], unusable={}))
        self.assertEqual((record["planted"], record["found"], record["marked"], record["share"]), (6, 2, 2, 0.5))
        self.assertEqual(record["modules"]["b"]["share"], None)
        self.assertEqual(record["cut"], 1)
        self.assertEqual(report.status(record, options), 0)
        options.require = 0.51
        self.assertEqual(report.status(record, options), 1)
        options.require, options.require_module = 0, 0.51
        self.assertEqual(report.status(record, options), 1)


if __name__ == "__main__":
    unittest.main()

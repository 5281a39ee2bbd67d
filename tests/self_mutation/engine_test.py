"""akgen-mutator and the switch: one source in, all faults in one program out.

usage: engine_test.py AKGEN_MUTATOR COMPILER
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "lab"))
from faults import planting, sites  # noqa: E402

SUBJECT = ROOT / "tests/self_mutation/subject.cc"
UNCHANGED = """rows 4 2
fits 1 0
both 0 0
clamp -1 7 7
apart 2
sum 3
named 1 0
sized 4 4
kind 1
twice 3
"""
# function: change -> the line that differs, as it is then; None where none does
EXPECTED = {
    "subject::kRows: 4 -> 5": "rows 5 2",
    "subject::kRows: 2 -> 1": "rows 4 1",
    "subject::Fits: used <= limit -> used < limit": "fits 0 0",
    "subject::Both: one && other -> true && other": "both 0 1",
    "subject::Both: one && other -> one && true": "both 1 0",
    "subject::Clamp: n < 0 -> false": "clamp -5 7 7",
    "subject::Clamp: n < 0 -> true": "clamp -1 -1 -1",
    "subject::Clamp: std::min(n, 7) -> std::max(n, 7)": "clamp -1 7 9",
    "subject::Clamp: 7 -> 6": "clamp -1 6 6",
    "subject::Clamp: 7 -> 8": "clamp -1 7 8",
    "subject::Clamp: 1 -> 2": "clamp -2 7 7",
    "subject::Clamp: 1 -> 0": "clamp 0 7 7",
    "subject::Apart: Difference(a, b) -> Difference(b, a)": "apart -2",
    "subject::Sum: sum = 0 -> nothing": "sum 13",
    "subject::Sum: sum += n -> nothing": "sum 0",
    "subject::Sum: 0 -> 1": "sum 4",
    "subject::Named: name == \"half\" -> !(name == \"half\")": "named 0 1",
    "subject::Kind: 1 -> 2": "kind 2",
    "subject::Kind: 1 -> 0": "kind 0",
    "subject::Twice: 1 -> 0": "twice 2",
    "subject::Twice: 1 -> 2": "twice 4",
    "subject::kRows: 4 -> 3": "rows 3 2",
    "subject::kRows: 2 -> 3": "rows 4 3",
    # Nothing here shows these.
    "subject::Clamp: n < 0 -> n <= 0": None,
    "subject::Clamp: 0 -> 1": None,
    "subject::Sum: 10 -> 11": None,
    "subject::Sum: 10 -> 9": None,
    "subject::Kind: 0 -> 1": None,
}


class Engine(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name)
        listed = subprocess.run([MUTATOR, "--root", str(SUBJECT.parent), str(SUBJECT), "--", "-std=c++20"], capture_output=True, text=True)
        assert listed.returncode == 0, listed.stderr
        reads, *cls.sites = [json.loads(line) for line in listed.stdout.splitlines()]
        assert reads == {"reads": [str(SUBJECT)]}, reads
        sites.identify(cls.sites)
        cls.sites = [s for s in cls.sites if s["function"] != "main"]
        # Those that share a place are in different programs.
        cls.programs, cls.number, left = [], {}, list(cls.sites)
        while left:
            batch = []
            for site in list(left):
                if all(cls.apart(site, other) for other in batch):
                    left.remove(site)
                    batch.append(site)
                    cls.number[cls.name(site)] = (len(cls.programs), len(batch))
            cls.programs.append(cls.built(batch, len(cls.programs)))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @staticmethod
    def apart(one, other):
        a, b = one["edits"][-1], other["edits"][-1]
        return a["offset"] + a["length"] <= b["offset"] or b["offset"] + b["length"] <= a["offset"]

    @staticmethod
    def name(site):
        return f"{site['function']}: {site['change']}"

    @classmethod
    def built(cls, batch, number):
        made, _ = planting.planted_text(SUBJECT.read_bytes(), list(enumerate(batch, 1)))
        source, program = cls.path / f"planted{number}.cc", cls.path / f"planted{number}"
        source.write_bytes(made)
        done = subprocess.run([COMPILER, "-std=c++20", "-O0", f"-I{ROOT}/lab/mutator", str(source), "-o", str(program)], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return program

    @staticmethod
    def output(program, **env):
        return subprocess.run([str(program)], capture_output=True, text=True, env={**os.environ, **env}).stdout

    def test_all_places_are_found(self):
        self.assertEqual(sorted(map(self.name, self.sites)), sorted(EXPECTED))

    def test_nothing_changes_without_a_fault(self):
        for program in self.programs:
            self.assertEqual(self.output(program), UNCHANGED)
            self.assertEqual(self.output(program, AKGEN_FAULT="0"), UNCHANGED)

    def test_each_fault_changes_its_line_alone(self):
        for name, line in EXPECTED.items():
            program, number = self.number[name]
            said = self.output(self.programs[program], AKGEN_FAULT=str(number)).splitlines()
            changed = [new for old, new in zip(UNCHANGED.splitlines(), said, strict=True) if old != new]
            self.assertEqual(changed, [line] if line else [], name)

    def test_what_is_come_by_is_recorded(self):
        _, number = self.number["subject::Fits: used <= limit -> used < limit"]
        program = self.programs[self.number["subject::Fits: used <= limit -> used < limit"][0]]
        reached = self.path / "reached"
        reached.write_bytes(bytes(4096))
        self.output(program, AKGEN_FAULT_REACHED=str(reached))
        self.assertEqual(reached.read_bytes()[number], 1)
        _, late = self.number["subject::Kind: 0 -> 1"]
        program = self.programs[self.number["subject::Kind: 0 -> 1"][0]]
        reached.write_bytes(bytes(4096))
        self.output(program, AKGEN_FAULT_REACHED=str(reached))
        self.assertEqual(reached.read_bytes()[late], 0, "nothing asks for Kind(0)")

    def test_a_change_can_be_read(self):
        site = next(s for s in self.sites if self.name(s) == "subject::Both: one && other -> one && true")
        text, edit = SUBJECT.read_bytes(), site["readable"]
        changed = text[:edit["offset"]] + edit["text"].encode() + text[edit["offset"] + edit["length"]:]
        self.assertIn(b"return one && true;", changed)


if __name__ == "__main__":
    MUTATOR, COMPILER = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1])

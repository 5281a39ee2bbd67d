#!/usr/bin/env python3
"""Edits of findings are enough: wrong projects are judged, the edits applied, and judged again, until they pass.

edits_test.py AKGEN REPO [--list]      --list: what becomes of every wrong example and of many planted faults
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import tomllib
import unittest

AKGEN, REPO = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
EXAMPLES = REPO / "examples/kernels"
ROUNDS = 5
WRONG = {"wrong_flag_of_loads": "0", "wrong_misaligned_offset": "0,2", "wrong_missing_handoff": "0,1", "wrong_read_past_tensor": "0", "wrong_small_products": "5",
         "wrong_sum_never_starts": "0", "wrong_ub_over_budget": "0", "wrong_uninitialised_sum": "0", "wrong_wait_without_set": "0", "wrong_whole_rows": "4"}
PLANTED = (("flags_by_hand", "UnalignAdd", "drop_flag,swap_flag,wrong_event_id,shrink_buffer"), ("add_double_buffer", "UnalignAdd", "drop_queue_call,break_alignment,cut_tail"))


def judge(project, task, *options):
    file = project.parent / (project.name + ".json")
    done = subprocess.run([str(AKGEN), "judge", str(project), "--task", task, "--seed", "1", "--edits", "--json", str(file), *options],
                          capture_output=True, text=True, timeout=550)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return json.loads(file.read_text())


def apply(project, edits):
    """Edits of one finding, all of whose places are those of the sources as they were judged."""
    for file in {e["file"] for e in edits}:
        path = project / file
        lines = path.read_bytes().splitlines(keepends=True)
        at = lambda line, column: sum(map(len, lines[:line - 1])) + column - 1
        source, out, end = b"".join(lines), b"", 0
        for e in sorted((e for e in edits if e["file"] == file), key=lambda e: at(e["line"], e["column"])):
            begin = at(e["line"], e["column"])
            assert begin >= end, "edits overlap"
            out += source[end:begin] + e["text"].encode()
            end = at(e["end_line"], e["end_column"])
        path.write_bytes(out + source[end:])


def repaired(project, task, *options):
    """The verdicts on the way; each round applies the edits of the first finding that has some."""
    verdicts = []
    for _ in range(ROUNDS):
        record = judge(project, task, *options)
        verdicts.append(record["verdict"])
        known = [f for f in record["findings"] if f.get("edits")]
        if record["verdict"] == "pass" or not known:
            break
        apply(project, known[0]["edits"])
    return verdicts


class Edits(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="akgen_edits_")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_wrong_examples_pass_after_their_edits(self):
        for name, cases in WRONG.items():
            with self.subTest(name):
                project = self.folder / name
                shutil.copytree(EXAMPLES / name, project)
                verdicts = repaired(project, tomllib.loads((project / "example.toml").read_text())["task"], "--case", cases)
                self.assertNotEqual(verdicts[0], "pass")
                self.assertEqual(verdicts[-1], "pass", verdicts)

    def test_planted_faults_pass_after_their_edits(self):
        wrong = right = 0
        for example, task, classes in PLANTED:
            mutants = self.folder / ("mutants_" + example)
            subprocess.run([str(AKGEN), "mutate", str(EXAMPLES / example), "--out", str(mutants), "--seed", "7", "--count", "5", "--class",
                            *classes.split(",")], check=True, capture_output=True)
            for project in sorted(p for p in mutants.iterdir() if p.is_dir()):
                verdicts = repaired(project, task, "--case", "0")
                wrong += verdicts[0] != "pass"
                right += verdicts[0] != "pass" and verdicts[-1] == "pass"
        self.assertGreaterEqual(right, 6, f"{right} of {wrong}")

    def test_without_the_option_there_are_none_and_sources_stay(self):
        project = self.folder / "p"
        shutil.copytree(EXAMPLES / "wrong_missing_handoff", project)
        before = {p: p.read_bytes() for p in project.rglob("*") if p.is_file()}
        record = judge(project, "UnalignAdd", "--case", "0")
        self.assertTrue(record["findings"][0]["edits"])
        self.assertEqual(before, {p: p.read_bytes() for p in project.rglob("*") if p.is_file()})
        done = subprocess.run([str(AKGEN), "judge", str(project), "--task", "UnalignAdd", "--seed", "1", "--case", "0", "--json", "-"],
                              capture_output=True, text=True, timeout=300)
        self.assertNotIn('"edits"', done.stdout)


def show_all():
    """The table of docs/mutation.md is not this: here faults are repaired, not found."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="akgen_edits_"))
    for project in sorted(EXAMPLES.glob("wrong_*")):
        shutil.copytree(project, folder / project.name)
        print(project.name, repaired(folder / project.name, tomllib.loads((project / "example.toml").read_text())["task"]), flush=True)
    for example, task, _ in PLANTED:
        subprocess.run([str(AKGEN), "mutate", str(EXAMPLES / example), "--out", str(folder / ("m_" + example)), "--seed", "3", "--count", "30"],
                       check=True, capture_output=True)
        for project in sorted(p for p in (folder / ("m_" + example)).iterdir() if p.is_dir()):
            print(example, json.loads(project.with_suffix(".json").read_text())["what"], repaired(project, task, "--case", "0"), flush=True)
    shutil.rmtree(folder)


if __name__ == "__main__":
    if "--list" in sys.argv:
        show_all()
        sys.exit(0)
    sys.argv = sys.argv[:1]
    unittest.main(verbosity=2)

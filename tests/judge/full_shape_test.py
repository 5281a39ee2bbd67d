"""A case too large to run is judged at full shape: blocks of it run on inputs that repeat.

usage: full_shape_test.py AKGEN ROOT [unittest arguments]
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

AKGEN, ROOT = sys.argv.pop(1), pathlib.Path(sys.argv.pop(1))
KERNEL = "op_kernel/unalign_add.cpp"
HOST = "op_host/unalign_add.cpp"
SET_BUFFER = "x_.SetGlobalBuffer((__gm__ half *)x + first, count_);"


class FullShape(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.task = pathlib.Path(cls.folder.name) / "UnalignAdd"
        shutil.copytree(ROOT / "tasks/level1/Math/UnalignAdd", cls.task)
        rows = [{"id": "large", "shape": [32768, 16384], "dtype": "float16"}, {"id": "small", "shape": [640, 1000], "dtype": "float16"}]
        (cls.task / "cases.json").write_text(json.dumps(rows))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def judged(self, edits=(), case="large", task=None, more=()):
        project = pathlib.Path(self.folder.name) / "project"
        shutil.rmtree(project, ignore_errors=True)
        shutil.copytree(ROOT / "examples/kernels/add_double_buffer", project)
        for file, old, new in edits:
            text = (project / file).read_text()
            self.assertIn(old, text)
            (project / file).write_text(text.replace(old, new))
        command = [AKGEN, "judge", str(project), "--task", str(task or self.task), "--case", case, "--json", "-", *more]
        return json.loads(subprocess.run(command, stdout=subprocess.PIPE, timeout=200).stdout)["cases"][0]

    def test_a_right_kernel(self):
        large = self.judged()
        self.assertEqual(large["verdict"], "skipped", large["reason"])
        self.assertIn("blocks were run at full shape and are right", large["reason"])

    def test_right_only_for_the_sampled_size(self):
        """640 rows, each with a kernel that is right for as many."""
        kinds = {
            "writes no more": ([(HOST, "total = static_cast<uint32_t>(", "total = std::min<uint32_t>(640 * 16384, ")],
                               "none of its 4"),
            "reads others": ([(KERNEL, SET_BUFFER, SET_BUFFER.replace("first", "first % (640 * 16384)"))], "output 'z': "),
            "leaves out a part of each block's": ([(KERNEL, "done < count_;", "done < (count_ > 4000000 ? count_ / 10 * 9 : count_);")],
                                                  "of the blocks"),
        }
        for name, (edits, why) in kinds.items():
            with self.subTest(name):
                self.assertEqual(self.judged(edits, "small")["verdict"], "pass")
                large = self.judged(edits)
                self.assertIn(why, large["reason"])
                self.assertEqual(large["verdict"], "skipped" if name.startswith("leaves") else "wrong_answer", large["reason"])
                self.assertNotIn("modelled", large)

    def test_no_time_without_a_check(self):
        exchange = [(KERNEL, "kernel.Process();", "kernel.Process();\n  SyncAll();")]
        large = self.judged(exchange, more=["--time"])
        self.assertEqual(large["verdict"], "skipped")
        self.assertNotIn("modelled", large)
        self.assertIn("; no time: its blocks exchange data", large["reason"])
        other = pathlib.Path(self.folder.name) / "other"
        shutil.copytree(self.task, other)
        reference = (other / "reference.py").read_text()
        (other / "reference.py").write_text(reference.replace("x + y", "x + y.flip(0)"))
        self.assertNotEqual(reference, (other / "reference.py").read_text())
        large = self.judged(task=other, more=["--time"])
        self.assertNotIn("modelled", large)
        self.assertIn("; no time: the reference does not treat each row by itself", large["reason"])


if __name__ == "__main__":
    unittest.main()

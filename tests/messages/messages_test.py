#!/usr/bin/env python3
"""What people read of a wrong answer, a finding, a refusal and a profile, to the letter.

usage: messages_test.py AKGEN [--golden]      --golden rewrites the expected texts, golden/*.txt
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

AKGEN = str(pathlib.Path(sys.argv[1]).resolve())
GOLDEN = "--golden" in sys.argv
HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE.parent / "profile"))
import kernels  # noqa: E402

PYTHON = os.environ.get("AKGEN_PYTHON") or ("/usr/bin/python3" if pathlib.Path("/usr/bin/python3").exists() else sys.executable)
TORCH = subprocess.run([PYTHON, "-c", "import torch"], capture_output=True, check=False).returncode == 0

# name: example, task, cases
JUDGED = {
    "wrong_everywhere": ("wrong_constant", "FastGelu", ("0",)),
    "wrong_race_in_two_cases": ("wrong_missing_handoff", "UnalignAdd", ("0", "1")),
    "wrong_read_past_tensor": ("wrong_read_past_tensor", "UnalignAdd", ("0", "1")),
    "wrong_misaligned": ("wrong_misaligned_offset", "Sqrt", ("0",)),
    "wrong_call": ("wrong_call", "Sqrt", ("0",)),
    "wrong_deadlock": ("wrong_wait_without_set", "UnalignAdd", ("0",)),
    "wrong_over_budget": ("wrong_ub_over_budget", "UnalignAdd", ("0",)),
    "wrong_tail": ("wrong_missing_tail", "UnalignAdd", ("0",)),
    "wrong_tiling": ("wrong_tiling_refuses", "UnalignAdd", ("0", "1")),
}

# The one buffer's last part, one column, every 16th element: name: (what replaces the addition, cases)
ADDITION = "    Add(z, x, y, n);\n"
CHANGED = {
    "wrong_last_elements": ADDITION + "    if (GetBlockIdx() == GetBlockNum() - 1 && n < tile_) Adds(z[n / 32 * 16], z[n / 32 * 16], half(1), n - n / 32 * 16);\n",
    "wrong_first_tile": ADDITION + "    if (GetBlockIdx() == 0) Adds(z, z, half(1), n);\n",
    "wrong_not_a_number": ADDITION + "    if (GetBlockIdx() == 0) Ln(z, z, 16);\n",
}

# name: (function, examples)
REFUSED = {
    "refused_operator": ("import torch\n\n\ndef f(x):\n    y = x + 1\n    return torch.linalg.svd(y)[1]\n", "x=f32[8, 8]"),
    "refused_branch": ("import torch\n\n\ndef f(x):\n    if x.sum() > 0:\n        return x\n    return -x\n", "x=f32[8, 8]"),
    "refused_in_place": ("import torch\n\n\nclass Net(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                         "        self.register_buffer('seen', torch.zeros(8))\n\n    def forward(self, x):\n        self.seen += x\n"
                         "        return self.seen\n\n\nf = Net()\n", "x=f32[8]"),
    "refused_shape_by_value": ("import torch\n\n\ndef f(x):\n    return x[x > 0]\n", "x=f32[8, 8]"),
    "refused_random": ("import torch\nimport torch.nn.functional as F\n\n\ndef f(x):\n    return F.dropout(x, 0.1)\n", "x=f32[8, 8]"),
}


def plain(text, folder):
    text = text.replace(str(folder) + "/", "").replace(str(ROOT) + "/", "")
    text = re.sub(r"(build|run) +[0-9.]+ ms", r"\1 T ms", text)
    return "".join(line.rstrip() + "\n" for line in text.splitlines())


class Messages(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        temp = tempfile.TemporaryDirectory()
        self.addCleanup(temp.cleanup)
        self.folder = pathlib.Path(temp.name).resolve()

    def told(self, *args, code):
        done = subprocess.run([AKGEN, *map(str, args)], capture_output=True, text=True, timeout=300, cwd=self.folder,
                              env={**os.environ, "AKGEN_PYTHON": PYTHON, "COLUMNS": "120", "NO_COLOR": "1"}, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return plain(done.stdout + done.stderr, self.folder)

    def expect(self, name, text):
        place = HERE / "golden" / (name + ".txt")
        if GOLDEN:
            place.write_text(text)
        self.assertEqual(text, place.read_text(), f"differs from {place.relative_to(ROOT)}")

    def test_wrong_answers_and_findings(self):
        for name, (example, task, cases) in JUDGED.items():
            with self.subTest(name):
                args = [a for case in cases for a in ("--case", case)]
                self.expect(name, self.told("judge", ROOT / "examples/kernels" / example, "--task", task, *args, "--seed", 1, code=1))

    def test_where_elements_are_wrong(self):
        example = ROOT / "examples/kernels/add_double_buffer"
        for name, text in CHANGED.items():
            with self.subTest(name):
                project = self.folder / name
                for file in example.rglob("*.*"):
                    to = project / file.relative_to(example)
                    to.parent.mkdir(parents=True, exist_ok=True)
                    source = file.read_text()
                    to.write_text(source.replace(ADDITION, text) if "op_kernel" in str(file) else source)
                self.expect(name, self.told("judge", project, "--task", "UnalignAdd", "--case", 0, "--seed", 1, code=1))

    @unittest.skipUnless(TORCH, "needs PyTorch")
    def test_refusals(self):
        for name, (text, example) in REFUSED.items():
            with self.subTest(name):
                (self.folder / "net.py").write_text(text)
                self.expect(name, self.told("kernel", "net.py:f", "--example", example, "--seed", 1, code=1))

    def test_profiles(self):
        _, one, two = kernels.PAIRS["chain_one_buffer"]
        (self.folder / "one.cpp").write_text(one)
        (self.folder / "two.cpp").write_text(two)
        self.expect("profile", self.told("profile", "one.cpp", "--json", "before.json", code=0))
        self.expect("profile_compared", self.told("profile", "two.cpp", "--against", "before.json", "--text", code=0))
        self.expect("profile_of_a_task", self.told("profile", ROOT / "examples/kernels/matmul_queues", "--task", "BasicMatmul", "--case", 0, code=0))
        (self.folder / "no.json").write_text("{}")
        self.expect("profile_against_nothing", self.told("profile", "two.cpp", "--against", "no.json", code=2))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

#!/usr/bin/env python3
"""AscendKernelBench: candidates of ours, custom_op.asc with model_new.py, against task files of ours in KernelBench's style.

ascendkernelbench_test.py AKGEN
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from fresh_cache import fresh_cache  # noqa: E402
from torch_candidates import HOST, KERNEL, LEGACY  # noqa: E402

sys.dont_write_bytecode = True
AKGEN = sys.argv[1]
PYTHON = "/usr/bin/python3" if pathlib.Path("/usr/bin/python3").exists() else sys.executable

LEAKY = """import torch
import torch.nn as nn

class Model(nn.Module):
    def __init__(self, negative_slope):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        return torch.nn.functional.leaky_relu(x, self.negative_slope)

rows = 37
def get_inputs():
    return [torch.rand(rows, 100)]

def get_init_inputs():
    return [0.125]
"""
# Parameters, two kernels one after the other, and data that torch moves between them.
GATED = """import torch
import torch.nn as nn

class Model(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.mix = nn.Linear(features, 24)

    def forward(self, x):
        y = torch.nn.functional.leaky_relu(x.t(), 0.5)
        return torch.nn.functional.leaky_relu(torch.cat([y, self.mix.weight], 0), 0.25)

def get_inputs():
    return [torch.randn(16, 40)]

def get_init_inputs():
    return [16]
"""
HUB = LEAKY.replace("import torch\n", "import torch\nfrom transformers import AutoModel\n", 1)
MODEL = """import torch
import torch.nn as nn

class ModelNew(nn.Module):
    def __init__(self, negative_slope):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        return torch.ops.custom_op.run(x, self.negative_slope)
"""
GATED_MODEL = """import torch
import torch.nn as nn

class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.mix = nn.Linear(features, 24)

    def forward(self, x):
        y = torch.ops.custom_op.run(x.t().contiguous(), negative_slope=0.5)
        return torch.ops.custom_op.run(torch.cat([y, self.mix.weight], 0), 0.25)
"""
SLOW = KERNEL[:KERNEL.index("  __aicore__ inline void Process")] + """  __aicore__ inline void Process() {
    for (uint32_t i = first_; i < first_ + count_; ++i) {
      const float v = x_.GetValue(i);
      y_.SetValue(i, v < 0 ? v * slope_ : v);
    }
    DataCacheCleanAndInvalid<float, CacheLine::ENTIRE_DATA_CACHE>(y_);
  }
""" + KERNEL[KERNEL.index(" private:"):]
BOUND = LEGACY.split("PYBIND11_MODULE")[0] + HOST[HOST.index("TORCH_LIBRARY(custom_op"):].replace("ascend_custom::run", "run").replace(
    "float negative_slope", "float slope")
CONSTANT = MODEL.replace("self.negative_slope = negative_slope\n", "self.negative_slope = negative_slope\n        self.table = torch.randn(200, 100)\n")
CANDIDATES = {  # by name: the task, both files, the verdict, what its reason says
    "right": (LEAKY, KERNEL + HOST, MODEL, "pass", ""),
    "legacy": (LEAKY, KERNEL + BOUND, MODEL, "pass", ""),
    "gated": (GATED, KERNEL + HOST, GATED_MODEL, "pass", ""),
    "slow": (LEAKY, SLOW + HOST.replace("leaky_launch(20,", "leaky_launch(1,"), MODEL, "pass", ""),
    "wrong": (LEAKY, KERNEL.replace("Muls(b, a, slope_, n)", "Muls(b, a, 2 * slope_, n)") + HOST, MODEL, "wrong_answer", "elements are wrong"),
    "layers": (GATED, KERNEL + HOST, GATED_MODEL.replace("        self.mix", "        self.other = nn.Linear(8, 8)\n        self.mix"), "wrong_answer", ""),
    "racy": (LEAKY, KERNEL.replace("      WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);\n", "") + HOST, MODEL, "finding", "AK1201"),
    "cheats in host code": (LEAKY, KERNEL + HOST.replace("return y;", "return at::leaky_relu(x, negative_slope);"), MODEL, "rejected", "at::leaky_relu"),
    "cheats in the model": (LEAKY, KERNEL + HOST, MODEL.replace("return torch.ops.custom_op.run(x, self.negative_slope)",
                            "y = torch.ops.custom_op.run(x, self.negative_slope)\n        return torch.maximum(y, x)"), "rejected", "maximum"),
    "holds answers": (LEAKY, KERNEL + HOST, CONSTANT.replace("run(x, ", "run(self.table[:37], "), "wrong_answer", "no parameter of Model"),
    "breaks a rule": (LEAKY, KERNEL + HOST, "import ctypes\n" + MODEL, "rejected", "ctypes"),
    "unsupported": (LEAKY, KERNEL + HOST.replace("at::empty_like(x)", "at::from_blob(x.data_ptr(), x.sizes())"), MODEL, "unsupported", "from_blob"),
    "hub": (HUB, KERNEL + HOST, MODEL, "unsupported", "a hub"),
}


def has_torch():
    return subprocess.run([PYTHON, "-c", "import torch"], capture_output=True).returncode == 0


@unittest.skipUnless(has_torch(), "PyTorch is not installed")
class Candidates(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.dir = pathlib.Path(cls.folder.name)
        os.chmod(cls.dir, 0o755)
        cls.settings = {**os.environ, "AKGEN_CACHE": fresh_cache(cls.dir / "cache"), "AKGEN_PYTHON": PYTHON}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def judged(self, candidates, tasks, *words):
        out = self.dir / "out.json"
        out.unlink(missing_ok=True)
        done = subprocess.run([AKGEN, "bench", "ascendkernelbench", str(candidates), "--tasks", str(tasks), "--seed", "7", "--json", str(out), *words],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=self.settings)
        self.assertTrue(out.exists(), done.stdout.decode())
        return json.loads(out.read_text()), done.stdout.decode()

    def written(self, name, task, asc, model):
        place = self.dir / name.replace(" ", "_")
        place.mkdir(exist_ok=True)
        for file, text in (("task.py", task), ("custom_op.asc", asc), ("model_new.py", model)):
            (place / file).write_text(text)
        return place

    def test_each_candidate_gets_its_verdict(self):
        for name, (task, asc, model, verdict, reason) in CANDIDATES.items():
            with self.subTest(name):
                place = self.written(name, task, asc, model)
                said, printed = self.judged(place, place / "task.py")
                one = said["samples"][0]
                self.assertEqual(one["verdict"], verdict, printed)
                self.assertIn(reason, one["reason"] + " ".join(f["code"] for f in one["findings"]), printed)
                self.assertTrue(one["sealed"])
                if verdict == "pass":
                    self.assertEqual(one["trials"], 11)
                    self.assertGreater(one["modelled"]["us"], 0)
                if name == "wrong":  # the file draws positive numbers alone
                    self.assertEqual(one["trial"], "inputs times -1")
                if name == "gated":
                    self.assertEqual(one["launches"], 2)
                if name in ("right", "slow"):
                    self.assertEqual(one["modelled"]["speedup"] < 1, name == "slow", one["modelled"])

    def test_a_run_and_its_score(self):
        tasks, runs = self.dir / "tasks/level1", self.dir / "runs"
        tasks.mkdir(parents=True)
        (tasks / "1_Leaky.py").write_text(LEAKY)
        for sample, name in enumerate(("right", "wrong")):
            _, asc, model, _, _ = CANDIDATES[name]
            place = runs / f"level1/1_Leaky/sample_{sample}"
            place.mkdir(parents=True)
            (place / "custom_op.asc").write_text(asc)
            (place / "model_new.py").write_text(model)
        said, printed = self.judged(runs, tasks.parent)
        self.assertEqual([s["verdict"] for s in said["samples"]], ["pass", "wrong_answer"], printed)
        self.assertEqual(said["score"]["fast_p"]["0"], 0.5)
        self.assertEqual(said["score"]["pass_at_k"], {"1": 0.5})

    def test_an_answer_in_one_file(self):
        place = self.written("one", LEAKY, "", "")
        (place / "answer.md").write_text(f"Here:\n```cpp custom_op.asc\n{KERNEL + HOST}```\nand\n```python model_new.py\n{MODEL}```\n")
        (place / "answer.json").write_text(json.dumps({"custom_op_asc": KERNEL + HOST, "model_new_py": MODEL}))
        for file in ("answer.md", "answer.json"):
            with self.subTest(file):
                said, printed = self.judged(place / file, place / "task.py")
                self.assertEqual(said["samples"][0]["verdict"], "pass", printed)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)

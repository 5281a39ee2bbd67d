"""Every elementwise task: in cases of 1,024 elements and more, a launch without a vector instruction is modelled slower than the planner's.

usage: elementwise_test.py AKGEN [--all | --tasks A,B]      without either: a few tasks of each kind

The scalar launch is the cheapest that there can be, whatever is computed: it loads every word of its inputs and stores every word of
its outputs once, 8 bytes at a time, without computing anything, on as many cores as suit it. What a word costs is measured with
kernels that do only that, in Global Memory and in the Unified Buffer.
"""
import argparse
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys
import tempfile

try:
    import tomllib
except ImportError:
    sys.exit("SKIP: this needs Python 3.11")

from scalar_price import modelled

ROOT = pathlib.Path(__file__).resolve().parents[2]
SIZES = {"float32": 4, "float16": 2, "bfloat16": 2, "int8": 1, "uint8": 1, "bool": 1, "int16": 2, "int32": 4, "int64": 8, "complex64": 8}
# Whole tensors are put together from parts, or a number comes out: not one element from one element.
OTHERS = {"ForeachNorm", "ForeachNonFiniteCheckAndUnscale"}
TASKS = sorted({*"""Equal Less LessEqual IsFinite IsInf AbsMath AddCustom Addcdiv Addcmul CastMath ClipByValue ComplexMatDot CosMath Lerp Muls Neg
    Rsqrt SinMath Spence Sqrt Sscal TanhMath UnalignAdd Arange Fill FastGelu FastGeluGrad Gelu GeluGrad MulSigmoid Swish SwiGlu""".split(),
    *(p.name for p in (ROOT / "tasks/level2/Foreach").iterdir() if p.name not in OTHERS)})
SAMPLE = ["Equal", "FastGelu", "Fill", "ForeachCopy"]
CORES = 48

MOVE = """// launch: blocks=1 args=in:i64[{n}],out:i64[{n}]
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void kernel(GM_ADDR x_gm, GM_ADDR y_gm) {{
  {body}
}}
"""
IN_GM = "__gm__ int64_t *x = (__gm__ int64_t *)x_gm, *y = (__gm__ int64_t *)y_gm;\n  for (int i = 0; i < {n}; ++i) y[i] = {value};"
IN_UB = """GlobalTensor<int64_t> x, y;
  x.SetGlobalBuffer((__gm__ int64_t *)x_gm, {n});
  y.SetGlobalBuffer((__gm__ int64_t *)y_gm, {n});
  TPipe pipe;
  TQue<QuePosition::VECIN, 1> in;
  TQue<QuePosition::VECOUT, 1> out;
  pipe.InitBuffer(in, 1, {n} * 8);
  pipe.InitBuffer(out, 1, {n} * 8);
  LocalTensor<int64_t> a = in.AllocTensor<int64_t>(), b = out.AllocTensor<int64_t>();
  DataCopy(a, x, {n});
  in.EnQue(a);
  a = in.DeQue<int64_t>();
  __ubuf__ int64_t *p = (__ubuf__ int64_t *)a.GetPhyAddr(), *q = (__ubuf__ int64_t *)b.GetPhyAddr();
  SetFlag<HardEvent::MTE2_S>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_S>(EVENT_ID0);
  for (int i = 0; i < {n}; ++i) q[i] = {value};
  SetFlag<HardEvent::S_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::S_MTE3>(EVENT_ID0);
  out.EnQue(b);
  b = out.DeQue<int64_t>();
  DataCopy(y, b, {n});
  in.FreeTensor(a);
  out.FreeTensor(b);"""
NOTHING = MOVE.format(n=8, body="").replace("blocks=1", "blocks={blocks}")


class ScalarBound:
    """What the cheapest scalar launch takes, in microseconds."""

    def __init__(self, akgen):
        kernels = [NOTHING.replace("{blocks}", "1"), NOTHING.replace("{blocks}", str(CORES))]
        for body, source in ((IN_GM, "x[i]"), (IN_UB, "p[i]")):
            for n in (1024, 2048):
                kernels += [MOVE.format(n=n, body=body.format(n=n, value=value)) for value in (source, "i ^ 5")]
        us = modelled(akgen, kernels)
        self.start, self.core = us[0], (us[1] - us[0]) / (CORES - 1)
        gm, ub = us[2:6], us[6:10]
        self.copied, self.stored = [min((t[2 + k] - t[k]) / 1024 for t in (gm, ub)) for k in (0, 1)]

    def __call__(self, words_in, words_out):
        pairs = min(words_in, words_out)
        work = pairs * self.copied + (words_out - pairs) * self.stored + (words_in - pairs) * max(0, self.copied - self.stored)
        return min(self.start + self.core * (blocks - 1) + work / blocks for blocks in range(1, CORES + 1))


def words(task, row, case):
    """8-byte words of the case's inputs and outputs that are as large as an output."""
    def size(dtype):
        return SIZES[row[dtype[1:]] if dtype.startswith("$") else dtype]
    elements = sum(o["elements"] for o in case["outputs"])
    output = task["output"][0]
    given = [i for i in task.get("input", []) if i.get("kind") != "scalar" and i["shape"] == output["shape"]]
    return elements, sum(size(i["dtype"]) for i in given) * elements // 8, size(output["dtype"]) * elements // 8


def planned(akgen, name):
    """The cases of the planner's program for a task as judged, or why there are none."""
    with tempfile.TemporaryDirectory() as folder:
        program, project, record = (pathlib.Path(folder) / f for f in ("p.py", "project", "record.json"))
        for command in (["craft", "plan", "--task", name, "-o", program], ["craft", "lower", program, "-o", project],
                        ["judge", project, "--task", name, "--time", "--seed", "1", "--json", record]):
            done = subprocess.run([akgen, *map(str, command)], capture_output=True, text=True)
            if done.returncode > 1 or (done.returncode and command[0] != "judge"):
                return (done.stderr or done.stdout).strip().splitlines()[0]
        return json.loads(record.read_text())["cases"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("akgen")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--tasks", default="")
    args = parser.parse_args()
    bound = ScalarBound(args.akgen)
    print(f"a word copied {bound.copied * 1e3:.1f} ns, stored {bound.stored * 1e3:.1f} ns; a launch {bound.start:.2f} us, a core more {bound.core:.2f} us")
    names = TASKS if args.all else args.tasks.split(",") if args.tasks else SAMPLE
    compared, wrong, least = 0, [], (1e9, "")
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for name, cases in zip(names, pool.map(lambda n: planned(args.akgen, n), names)):
            if isinstance(cases, str):
                print(f"{name}: {cases}")
                continue
            folder = next(ROOT.glob(f"tasks/*/*/{name}"))
            task = tomllib.loads((folder / "task.toml").read_text())
            rows = {str(r["id"]): r for r in json.loads((folder / "cases.json").read_text())}
            before, closest = compared, (1e9, "")
            for case in cases:
                us = (case.get("modelled") or {}).get("us")
                if not us or not case.get("outputs"):
                    continue
                elements, words_in, words_out = words(task, rows[case["id"]], case)
                if elements < 1024:
                    continue
                scalar = bound(words_in, words_out)
                compared += 1
                closest = min(closest, (scalar / us, f"{name} {case['id']}"))
                if scalar <= us:
                    wrong.append(f"{name}, case {case['id']}: {elements} elements, {us:.2f} us, without vector instructions {scalar:.2f} us or more")
            least = min(least, closest)
            print(f"{name}: {compared - before} cases, at least {closest[0]:.2f} times as long without vector instructions", flush=True)
    print("\n".join(wrong))
    print(f"{compared} cases of {len(names)} tasks; the closest, {least[1]}, takes {least[0]:.2f} times as long without vector instructions")
    sys.exit(bool(wrong) or compared < 2 * len(names))


if __name__ == "__main__":
    main()

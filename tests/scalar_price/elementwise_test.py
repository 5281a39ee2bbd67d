"""Every elementwise task: in cases of 1,024 elements and more, a launch without a vector instruction is modelled slower than the planner's.

usage: elementwise_test.py AKGEN [--all | --tasks A,B]      without either: a few tasks of each kind

The scalar launch is the cheapest that computes the same, on as many cores as suit it: it loads every word of its inputs and stores every
word of its outputs once, 8 bytes at a time, or it does each operation of the planner's program once for each element, of a choice the
side with fewer of them: whichever takes longer, as the clock lets one hide the other. What a word, an operation and a call of the
mathematical library cost is measured with kernels that do only that. Where the planner's own kernel goes from element to element (64-bit
integers have no vector arithmetic), there is no vector form to compare with; the counts of instructions that were recorded tell.
"""
import argparse
import ast
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
COMPUTE = """// launch: blocks=1 args=in:f32[{n}],out:f32[{n}]
#include <math.h>
#include "kernel_operator.h"
extern "C" __global__ __aicore__ void kernel(GM_ADDR x_gm, GM_ADDR y_gm) {{
  __gm__ float *x = (__gm__ float *)x_gm, *y = (__gm__ float *)y_gm;
  for (int i = 0; i < {n}; ++i) y[i] = {value};
}}
"""
NOTHING = MOVE.format(n=8, body="").replace("blocks=1", "blocks={blocks}")


class ScalarBound:
    """What the cheapest scalar launch takes, in microseconds."""

    def __init__(self, akgen):
        kernels = [NOTHING.replace("{blocks}", "1"), NOTHING.replace("{blocks}", str(CORES))]
        for body, source in ((IN_GM, "x[i]"), (IN_UB, "p[i]")):
            for n in (1024, 2048):
                kernels += [MOVE.format(n=n, body=body.format(n=n, value=value)) for value in (source, "i ^ 5")]
        for form in ("({} * 1.5f)", "expf({})"):
            for times in (4, 8):
                value = "x[i]"
                for _ in range(times):
                    value = form.format(value)
                kernels += [COMPUTE.format(n=n, value=value) for n in (256, 512)]
        us = modelled(akgen, kernels)
        self.start, self.core = us[0], (us[1] - us[0]) / (CORES - 1)
        gm, ub = us[2:6], us[6:10]
        self.copied, self.stored = [min((t[2 + k] - t[k]) / 1024 for t in (gm, ub)) for k in (0, 1)]
        self.operation, self.call = [((t[3] - t[2]) - (t[1] - t[0])) / 256 / 4 for t in (us[10:14], us[14:18])]

    def __call__(self, words_in, words_out, operations):
        pairs = min(words_in, words_out)
        work = pairs * self.copied + (words_out - pairs) * self.stored + (words_in - pairs) * max(0, self.copied - self.stored)
        work = max(work, operations)
        return min(self.start + self.core * (blocks - 1) + work / blocks for blocks in range(1, CORES + 1))


class Operations:
    """What a kernel of the planner computes for an element: a value is the set of operations behind it, each True where it calls the library, None where it is the same for all elements."""
    LIBRARY = set("exp log log2 log10 sin cos tan asin acos atan sinh cosh tanh erf erfc sigmoid".split())

    def __init__(self, kernel):
        self.values, self.stored, self.stores = {}, set(), 0
        for node in ast.walk(kernel):   # statements in their order: of one block after the other, as they stand
            for statement in getattr(node, "body", []) if isinstance(node, ast.With) else []:
                self.statement(statement)
        calls = sum(call for _, call in self.stored)
        self.each = [n / max(1, self.stores) for n in (len(self.stored) - calls, calls)]

    def statement(self, s):
        if isinstance(s, ast.Assign):
            target = s.targets[0]
            self.values[target.value.id if isinstance(target, ast.Subscript) else target.id] = self.of(s.value)
        elif s.value.func.id == "load":
            self.values[s.value.args[0].id] = set()
        else:
            self.stored |= self.values[s.value.args[1].id] or set()
            self.stores += 1

    def of(self, e):
        """None: the same for all elements."""
        if isinstance(e, ast.Name):
            return self.values.get(e.id)
        if not isinstance(e, ast.Call):
            parts = [self.of(c) for c in ast.iter_child_nodes(e)]
            one = isinstance(e, ast.BinOp) and isinstance(e.op, ast.Mult) and any(isinstance(c, ast.Constant) and c.value == 1 for c in (e.left, e.right))
            return self.joined(parts, () if one else ((id(e), isinstance(e, ast.BinOp) and isinstance(e.op, ast.Pow)),))
        if e.func.id in ("iota", "full"):
            return None
        parts = [self.of(a) for a in e.args]
        if e.func.id == "where":
            sides = [p or set() for p in parts[1:]]
            return None if all(p is None for p in parts) else (parts[0] or set()) | min(sides, key=len)
        if e.func.id in ("cast", "row_gather"):
            return parts[0]
        return self.joined(parts, ((id(e), e.func.id in self.LIBRARY),))

    @staticmethod
    def joined(parts, own):
        varying = [p for p in parts if p is not None]
        return set().union(*varying, own) if varying else None


def operations(program):
    kernels = [f for f in ast.parse(program).body if isinstance(f, ast.FunctionDef) and f.decorator_list[0].id == "kernel"]
    return min((Operations(k).each for k in kernels), key=lambda each: each[::-1])


def one_by_one(case, elements):
    """Whether the kernel computed nothing on the vector unit and gave the scalar unit something to do for each element."""
    computed = sum(n for dtype, n in case["arithmetic"].items() if dtype not in ("narrowing_casts", "imprecise"))
    return computed == 0 and case["modelled"]["pipes"]["S"]["instructions"] >= elements


def words(task, row, case):
    """8-byte words of the case's inputs and outputs that are as large as an output."""
    def size(dtype):
        return SIZES[row[dtype[1:]] if dtype.startswith("$") else dtype]
    elements = sum(o["elements"] for o in case["outputs"])
    output = task["output"][0]
    given = [i for i in task.get("input", []) if i.get("kind") != "scalar" and i["shape"] == output["shape"]]
    return elements, sum(size(i["dtype"]) for i in given) * elements // 8, size(output["dtype"]) * elements // 8


def planned(akgen, name):
    """The cases of the planner's program for a task as judged, and its operations; or why there are none."""
    with tempfile.TemporaryDirectory() as folder:
        program, project, record = (pathlib.Path(folder) / f for f in ("p.py", "project", "record.json"))
        for command in (["craft", "plan", "--task", name, "-o", program], ["craft", "lower", program, "-o", project],
                        ["judge", project, "--task", name, "--time", "--seed", "1", "--json", record]):
            done = subprocess.run([akgen, *map(str, command)], capture_output=True, text=True)
            if done.returncode > 1 or (done.returncode and command[0] != "judge"):
                return (done.stderr or done.stdout).strip().splitlines()[0]
        return json.loads(record.read_text())["cases"], operations(program.read_text())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("akgen")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--tasks", default="")
    args = parser.parse_args()
    bound = ScalarBound(args.akgen)
    print(f"a word copied {bound.copied * 1e3:.1f} ns, stored {bound.stored * 1e3:.1f} ns; an operation {bound.operation * 1e3:.2f} ns, a call {bound.call * 1e3:.0f} ns; a launch {bound.start:.2f} us, a core more {bound.core:.2f} us")
    names = TASKS if args.all else args.tasks.split(",") if args.tasks else SAMPLE
    compared, wrong, least = 0, [], (1e9, "")
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for name, made in zip(names, pool.map(lambda n: planned(args.akgen, n), names)):
            if isinstance(made, str):
                print(f"{name}: {made}")
                continue
            cases, each = made
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
                if one_by_one(case, elements):
                    print(f"{name} {case['id']}: the planner's kernel goes from element to element")
                    continue
                floats = any("float" in dtype for dtype in case["arithmetic"])   # integers take too little to be seen beside a word
                scalar = bound(words_in, words_out, (each[0] * bound.operation * floats + each[1] * bound.call) * elements)
                compared += 1
                closest = min(closest, (scalar / us, f"{name} {case['id']}"))
                if scalar <= us:
                    wrong.append(f"{name}, case {case['id']}: {elements} elements, {us:.2f} us, without vector instructions {scalar:.2f} us or more")
            least = min(least, closest)
            print(f"{name}: {compared - before} cases, {each[0]:g} operations and {each[1]:g} calls, at least {closest[0]:.2f} times as long without vector instructions", flush=True)
    print("\n".join(wrong))
    print(f"{compared} cases of {len(names)} tasks; the closest, {least[1]}, takes {least[0]:.2f} times as long without vector instructions")
    sys.exit(bool(wrong) or compared < 2 * len(names))


if __name__ == "__main__":
    main()

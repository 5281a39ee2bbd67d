"""Records what a candidate's ModelNew does: which operators of torch.ops.custom_op it calls, and where every element of their arguments and of its
result comes from. `model.py DIR` runs in the sandbox, beside code that nobody knows: what it writes is read as data (judge/kernelbench/trace.h).

DIR/model.json says {"init", "inputs": [{"shape", "dtype"} | {"value"}], "schemas", "known"}: no value of a tensor is here. DIR/trace.json gets

    {"sources": [{"kind": "input", "index"} | {"kind": "held", "name", "dtype", "file"} | {"kind": "empty"} |
                 {"kind": "result" | "changed", "call", "index"}, each with "count"],
     "calls":   [{"op", "args": [ARG…], "results": [{"shape", "dtype"}…]}],
     "outputs": [TENSOR…], "end": "" | "rejected" | "unsupported" | "runtime_error", "reason"}

Elements are numbered through all sources, in order. ARG is TENSOR, {"value": …}, {"list": [ARG…]} or null; TENSOR is {"dtype", "sizes", "strides",
"given": it is an input's or a parameter's own memory, "from": first element, or "file": int64 numbers of its memory's elements, -1: nobody's}.
"""
import ast
import ctypes
import importlib.util
import json
import os
import re
import sys
import traceback

import torch
from torch.utils._python_dispatch import TorchDispatchMode

HERE = sys.argv[1]
TYPES = {torch.float32: "f32", torch.float16: "f16", torch.bfloat16: "bf16", torch.float64: "f64", torch.int8: "i8", torch.uint8: "u8",
         torch.int16: "i16", torch.int32: "i32", torch.int64: "i64", torch.bool: "bool"}
DTYPES = {name: dtype for dtype, name in TYPES.items()}
MOVES = set("""view _unsafe_view reshape _reshape_alias permute transpose transpose_ t t_ numpy_T movedim expand slice select unsqueeze unsqueeze_ squeeze
squeeze_ cat stack clone contiguous copy_ narrow split split_with_sizes unbind chunk roll flip repeat index_select index as_strided alias detach
constant_pad_nd unfold _to_copy lift_fresh repeat_interleave diagonal view_as swapaxes hstack vstack""".split())
MAKES = set("""empty empty_strided empty_like new_empty new_empty_strided zeros zeros_like new_zeros ones ones_like new_ones full full_like new_full arange
linspace eye scalar_tensor fill_ zero_""".split())


class End(BaseException):
    """The recording is over; a candidate's own `except` does not see it."""

    def __init__(self, end, reason):
        super().__init__(reason)
        self.end, self.reason = end, reason


def tensors_in(value):
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for v in value:
            yield from tensors_in(v)


class Recording(TorchDispatchMode):
    """Every tensor has a shadow, a tensor of its elements' numbers in float64, which is moved as the tensor is."""

    def __init__(self, schemas, known):
        super().__init__()
        self.schemas, self.known = {s.split("(")[0].strip().split("::")[-1]: s for s in schemas}, known
        self.sources, self.calls, self.shadows, self.count, self.files = [], [], {}, 0, 0
        self.names, self.own, self.busy = {}, set(), False

    def numbers(self, source, shape):
        """A new source; the numbers of its elements."""
        n = 1
        for d in shape:
            n *= d
        self.sources.append({**source, "count": n})
        first, self.count = self.count, self.count + n
        return torch.arange(first, first + n, dtype=torch.float64).reshape(shape)

    def file(self, stem, tensor):
        name, whole = f"{stem}_{self.files}.bin", tensor.detach().contiguous()
        self.files += 1
        with open(os.path.join(HERE, name), "wb") as f:
            f.write(ctypes.string_at(whole.data_ptr(), whole.numel() * whole.element_size()))
        return name

    def keep(self, tensor, shadow):
        self.shadows[id(tensor)] = (tensor, shadow)  # the tensor too: its number stays its own

    def held(self, tensor):
        if tensor.dtype not in TYPES:
            raise End("unsupported", f"a tensor of {tensor.dtype}")
        name = self.names.get(id(tensor), "a tensor")
        return self.numbers({"kind": "held", "name": name, "dtype": TYPES[tensor.dtype], "file": self.file("held", tensor)}, tensor.shape)

    def shadow(self, tensor):
        if id(tensor) not in self.shadows:
            self.keep(tensor, self.held(tensor))
            self.own.add(tensor.storage().data_ptr())
        return self.shadows[id(tensor)][1]

    def mapped(self, value):
        if isinstance(value, torch.Tensor):
            return self.shadow(value)
        return type(value)(self.mapped(v) for v in value) if isinstance(value, (list, tuple)) else value

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if self.busy:
            return func(*args, **kwargs)
        self.busy = True
        try:
            return self.step(func, func._schema.name.split("::")[1], args, kwargs)
        finally:
            self.busy = False

    def step(self, func, name, args, kwargs):
        if name in ("_local_scalar_dense", "equal", "is_nonzero", "nonzero"):
            raise End("unsupported", "the model looks at the values of a tensor")
        if name not in MOVES and name not in MAKES:
            raise End("rejected", f"forward computes with torch's {name}: a kernel has to")
        out = func(*args, **kwargs)
        if name in MAKES:
            numbers = self.numbers({"kind": "empty"}, out.shape) if "empty" in name else self.held(out)
            if name.endswith("_"):
                self.shadow(out).copy_(numbers)
            else:
                self.keep(out, numbers)
            return out
        if name == "_to_copy" and out.dtype != args[0].dtype:
            raise End("unsupported", f"forward converts {args[0].dtype} into {out.dtype}")
        given = list(args)
        if name in ("index", "index_select", "repeat_interleave"):  # places are no data
            at = {"index": 1, "index_select": 2, "repeat_interleave": 1}[name]
            for t in tensors_in(given[at:at + 1]):
                self.no_data(t)
            shadows = [self.mapped(a) if i != at else a for i, a in enumerate(given)]
        elif name == "constant_pad_nd":
            value = torch.tensor([given[2] if len(given) > 2 else 0], dtype=given[0].dtype)
            shadows = [self.mapped(given[0]), given[1], float(self.held(value)[0])]
        else:
            shadows = [self.mapped(a) for a in given]
        words = {k: v for k, v in kwargs.items() if k not in ("dtype", "layout", "device", "pin_memory", "non_blocking")}
        moved = func(*shadows, **words)
        if not name.endswith("_") or name in ("transpose_", "t_", "unsqueeze_", "squeeze_"):
            for t, s in zip(tensors_in(out if isinstance(out, (list, tuple)) else [out]), tensors_in(moved if isinstance(moved, (list, tuple)) else [moved])):
                self.keep(t, s)
        return out

    def no_data(self, tensor):
        if id(tensor) not in self.shadows:
            return
        low, high, at = tensor.numel() and self.shadow(tensor).min().item(), tensor.numel() and self.shadow(tensor).max().item(), 0
        for source in self.sources:
            if source["kind"] != "held" and at <= high and at + source["count"] > low:
                raise End("unsupported", "the model takes places from the values of a tensor")
            at += source["count"]

    def tensor(self, t):
        """As the trace has it: the numbers of what lies in its memory."""
        if t.dtype not in TYPES:
            raise End("unsupported", f"a tensor of {t.dtype}")
        shadow = self.shadow(t)
        given = t.storage().data_ptr() in self.own
        out = {"dtype": TYPES[t.dtype], "sizes": list(t.shape), "strides": list(t.stride()), "given": given}
        extent = 1 + sum((n - 1) * s for n, s in zip(t.shape, t.stride())) if t.numel() else 0
        memory = torch.full((extent,), -1, dtype=torch.int64)
        memory.as_strided(t.shape, t.stride()).copy_(shadow)
        if extent and bool((memory == torch.arange(int(memory[0]), int(memory[0]) + extent)).all()):
            return {**out, "from": int(memory[0])}
        return {**out, "file": self.file("map", memory)}

    def argument(self, value):
        if isinstance(value, torch.Tensor):
            return self.tensor(value)
        if isinstance(value, (list, tuple, torch.Size)):
            return {"list": [self.argument(v) for v in value]}
        if value is None:
            return None
        if isinstance(value, (bool, int, float, str)):
            return {"value": value}
        raise End("unsupported", f"an argument that is a {type(value).__name__}")

    def bound(self, op, args, kwargs):
        """Arguments in the order of the operator's schema, defaults filled in."""
        schema = self.schemas.get(op)
        if schema is None:
            return list(args) + list(kwargs.values())
        names, defaults = [], []
        for part in re.findall(r"(?:[^,(\[]|\([^)]*\)|\[[^\]]*\])+", schema[schema.index("(") + 1:schema.rindex(")", 0, schema.index("->") if "->" in schema else len(schema))]):
            if part.strip() and part.strip() != "*":
                word = part.strip().split()[-1].split("=")
                names.append(word[0])
                defaults.append(word[1:] or None)
        out = list(args)
        for name, default in list(zip(names, defaults))[len(args):]:
            if name not in kwargs and default is None:
                raise TypeError(f"custom_op::{op}() is missing the argument {name}")
            out.append(kwargs[name] if name in kwargs else ast.literal_eval(default[0]))
        if len(args) > len(names) or set(kwargs) - set(names[len(args):]):
            raise TypeError(f"custom_op::{op}() takes {', '.join(names)}")
        return out

    def results(self, op, args):
        """Shapes and dtypes of what the call returns: known, else assumed to be those of its first tensor."""
        if len(self.calls) < len(self.known):
            return self.known[len(self.calls)]
        like = next(iter(tensors_in(args)), None)
        schema = self.schemas.get(op, "-> Tensor")
        n = schema[schema.index("->"):].count("Tensor") if "->" in schema else 1
        return [{"shape": list(like.shape), "dtype": TYPES[like.dtype]}] * n if like is not None else []

    def call(self, op, args, kwargs):
        self.busy = True
        try:
            args = self.bound(op, args, kwargs)
            results = self.results(op, args)
            number = len(self.calls)
            self.calls.append({"op": op, "args": [self.argument(a) for a in args], "results": results})
            out = []
            for i, r in enumerate(results):
                t = torch.zeros(r["shape"], dtype=DTYPES[r["dtype"]])
                self.keep(t, self.numbers({"kind": "result", "call": number, "index": i}, t.shape))
                out.append(t)
            for i, a in enumerate(args):
                if isinstance(a, torch.Tensor) and a.storage().data_ptr() not in self.own:
                    self.shadow(a).copy_(self.numbers({"kind": "changed", "call": number, "index": i}, a.shape))
            return None if not out else out[0] if len(out) == 1 else tuple(out)
        finally:
            self.busy = False


class Operators:
    """torch.ops.custom_op."""

    def __init__(self, recording):
        self._recording = recording

    def __getattr__(self, op):
        if op.startswith("__"):
            raise AttributeError(op)

        def call(*args, **kwargs):
            return self._recording.call(op, args, kwargs)
        call.default = call
        return call


def input_of(said):
    return said["value"] if "value" in said else torch.zeros(said["shape"], dtype=DTYPES[said["dtype"]])


def record(recording, asked):
    spec = importlib.util.spec_from_file_location("model_new", os.path.join(HERE, "model_new.py"))
    module = importlib.util.module_from_spec(spec)
    torch.ops.custom_op = Operators(recording)
    spec.loader.exec_module(module)
    torch.manual_seed(42)
    model = module.ModelNew(*asked["init"]).eval()
    for name, t in list(model.named_parameters()) + list(model.named_buffers()):
        recording.names[id(t)] = name
    inputs = [input_of(i) for i in asked["inputs"]]
    for i, t in enumerate(inputs):
        if isinstance(t, torch.Tensor):
            recording.keep(t, recording.numbers({"kind": "input", "index": i}, t.shape))
            recording.own.add(t.storage().data_ptr())
    with torch.no_grad(), recording:
        out = model(*inputs)
    recording.busy = True
    out = list(out) if isinstance(out, (tuple, list)) else [out]
    if not all(isinstance(t, torch.Tensor) for t in out):
        raise End("runtime_error", "ModelNew returns what is no tensor")
    return [recording.tensor(t) for t in out]


def main():
    with open(os.path.join(HERE, "model.json"), encoding="utf-8") as f:
        asked = json.load(f)
    recording = Recording(asked["schemas"], asked["known"])
    trace = {"outputs": [], "end": "", "reason": ""}
    try:
        trace["outputs"] = record(recording, asked)
    except End as e:
        trace.update(end=e.end, reason=e.reason)
    except Exception as e:
        last = traceback.extract_tb(e.__traceback__)
        own = [f for f in last if f.filename.endswith("model_new.py")]
        place = f"model_new.py:{own[-1].lineno}: " if own else ""
        trace.update(end="runtime_error", reason=f"{place}{type(e).__name__}: {(str(e).splitlines() or [''])[0][:300]}")
    trace.update(sources=recording.sources, calls=recording.calls)
    with open(os.path.join(HERE, "trace.json"), "w", encoding="utf-8") as f:
        json.dump(trace, f)


main()

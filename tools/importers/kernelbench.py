"""PyTorch task files in the style of KernelBench: class Model, get_inputs(), get_init_inputs(), shapes as module numbers.

The module's parameters become inputs, its forward the program that `akgen kernel` captures of it, in float64.
"""
import contextlib
import re

import torch

from akgen.captured import trace
from akgen.captured.refusal import Refused as NotCaptured
from akgen.captured.subject import flat_outputs
from akgen.captured.writer import Writer, names_behind
from akgen.kernelbench.source import module_of, on
from importers.smaller import smaller
from importers.common import Refused, camel, task_text, write_task

DTYPES = {torch.float32: "float32", torch.float64: "float32", torch.float16: "float16", torch.bfloat16: "bfloat16", torch.int64: "int64",
          torch.int32: "int32", torch.int16: "int16", torch.int8: "int8", torch.uint8: "uint8", torch.bool: "bool"}


def sources(args):
    for path in args.paths:
        yield from sorted(p for p in path.rglob("*.py") if p.name != "__init__.py") if path.is_dir() else [path]


def draw(space, device="cpu"):
    """The file's inputs and its model, drawn from a fixed seed."""
    torch.manual_seed(7)
    try:
        with on(device):
            inputs = list(space["get_inputs"]())
            model = space["Model"](*space["get_init_inputs"]())
    except Exception as e:
        raise Refused(f"the file's get_inputs or Model failed: {type(e).__name__}: {e}") from None
    for m in model.modules():
        if getattr(m, "track_running_stats", False):
            # Training mode uses the batch's own statistics; the running ones are state that no operator returns.
            m.track_running_stats = False
            m.running_mean = m.running_var = m.num_batches_tracked = None
        if isinstance(m, torch.nn.modules.dropout._DropoutNd):
            m.forward = lambda x: x  # what it does after training
    for i in inputs:
        if not isinstance(i, (torch.Tensor, int, float, bool)):
            raise Refused(f"an input is a {type(i).__name__}; tensors and numbers can be imported")
    return inputs, model


def hidden_name(name, taken):
    name = re.sub(r"\W", "_", name)
    while name in taken:
        name += "_"
    taken.add(name)
    return name


@contextlib.contextmanager
def in_float64():
    """What a forward makes without a dtype has that of its inputs."""
    usual = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        yield
    finally:
        torch.set_default_dtype(usual)


class Traced:
    """The model as a function of its inputs and parameters."""

    def __init__(self, inputs, model):
        self.inputs, self.model = inputs, model.double()
        self.names, self.params, self.places = [], [], []
        for prefix, module in self.model.named_modules():
            for store in (module._parameters, module._buffers, module.__dict__):  # the last: state that is neither
                for name in [n for n, t in store.items() if isinstance(t, torch.Tensor)]:
                    self.params.append(self.wide([store.pop(name).detach()])[0])
                    self.names.append(f"{prefix}.{name}" if prefix else name)
                    self.places.append((module, name))
        self.tensors = [i for i in inputs if isinstance(i, torch.Tensor)]

    def call(self, *tensors):
        given = iter(tensors)
        inputs = [next(given) if isinstance(i, torch.Tensor) else i for i in self.inputs]
        for (module, name), value in zip(self.places, given):
            module.__dict__[name] = value  # an attribute like any other: tracing sees the argument
        for module in self.model.modules():
            if isinstance(module, torch.nn.RNNBase):  # which holds its weights in a list as well
                module._flat_weights = [getattr(module, name) for name in module._flat_weights_names]
        return self.model(*inputs)

    def wide(self, tensors):
        return [t.double() if t.is_floating_point() else t for t in tensors]

    def run(self, tensors):
        try:
            with torch.no_grad(), in_float64():
                out = self.call(*self.wide(tensors))
        except Exception as e:  # the file's own code
            raise Refused(f"forward failed: {type(e).__name__}: {(str(e).splitlines() or [''])[0][:200]}") from None
        return list(out) if isinstance(out, (tuple, list)) else [out]

    def script(self, names, numbers=(), file=""):
        """A function `reference` of the named tensors, in TorchScript, and those of them that it takes in one shape only."""
        tensors = self.wide(self.tensors + self.params)
        shift = trace.Shift([t.dtype for t in self.tensors + self.params], wide=True)
        writer = Writer([*names, *numbers, "reference"], tensors, shift, file)
        try:
            writer.run(trace.record(lambda *given: tuple(flat_outputs(self.call(*given))[0]), tensors, shift, file))
        except NotCaptured as e:
            raise Refused(e.reason.replace("the call fails", "forward failed")) from None
        if writer.constants:
            raise Refused("forward holds a tensor that is neither input nor parameter")
        results = [o.name for o in writer.outputs]
        needed = names_behind(writer.lines, results)
        lines = [line for line in writer.lines if needed & set(re.findall(r"\w+", line.split(" = ", 1)[0]))]
        body = "".join(f"    {line}\n" for line in [*lines, "return " + ", ".join(results)])
        pinned = {size.rsplit(".", 1)[0] for size in writer.pinned}
        return f"def reference({', '.join(n + ': Tensor' for n in names)}):\n{body}", pinned


def as_drawn(t):
    """How the file draws a tensor, told from the values it drew."""
    if t.dtype == torch.bool:
        return {"kind": "bool"}
    low, high = t.min().item(), t.max().item()
    if low == high:
        return {"kind": "constant", "value": low}
    if not t.is_floating_point():
        return {"kind": "int", "low": int(low), "high": int(high)}
    distinct = t.flatten()[:4096].unique()
    if len(distinct) <= 4:
        return {"kind": "values", "values": [v.item() for v in distinct]}
    if low >= 0:
        return {"kind": "uniform", "low": 0.0, "high": round(min(1.0, high * 1.01), 3) or high}
    return {"kind": "normal", "std": round(t.double().std().item(), 3)}


def sample(dist, t):
    """Values of a distribution in the shape of `t`, to see whether the reference bears them."""
    kind = dist["kind"]
    if kind == "normal":
        return (torch.randn(t.shape) * dist.get("std", 1.0) + dist.get("mean", 0.0)).to(t.dtype)
    if kind == "uniform":
        return (torch.rand(t.shape) * (dist["high"] - dist["low"]) + dist["low"]).to(t.dtype)
    return t


def spread(dist, is_param):
    """Other ways to draw a tensor, wider first: over both signs; where the reference needs it, positive."""
    normal = {"kind": "normal"}
    if is_param and dist["kind"] == "normal":
        return [dist]  # over both signs already; another scale would make of a network what nobody trains
    if dist["kind"] != "constant":
        return [normal]
    if is_param:  # a parameter's neutral first value would hide that it is left out
        normal = {"kind": "normal", "mean": float(dist["value"]), "std": 0.5}
    return [normal, {"kind": "uniform", "low": 0.0, "high": 1.0}]  # state that starts as zeros would hide what is done with it


def lost(outs):
    return sum((~torch.isfinite(o)).sum().item() for o in outs if o.is_floating_point())


def moved(before, after):
    """How far outputs move, at most, on average and relative to themselves."""
    far = [((a - b).abs() / (b.abs() + 1e-7)).nan_to_num(0.0, 1.0, 1.0).clamp(max=1.0).mean().item() for a, b in zip(after, before) if b.is_floating_point() and b.numel()]
    return max(far, default=1.0)


def show_what_adds_little(traced, dists, values):
    """An output that is an input and next to nothing more would be passed by a copy: a quarter of that input becomes zero,
    so that what is added stands alone there."""
    outs = traced.run(values)
    for i, t in enumerate(traced.tensors):
        near = [o for o in outs if o.shape == t.shape and o.is_floating_point() and t.is_floating_point() and moved([values[i].double()], [o]) < 1e-2]
        if near and "special_fraction" not in dists[i]:
            dists[i] = {**dists[i], "specials": [0.0], "special_fraction": 0.25}


def distributions(traced, hardened):
    """One per tensor: the file's own, or a bell curve over both signs wherever the outputs stay as finite as they were."""
    tensors = traced.tensors + traced.params
    dists = [as_drawn(t) for t in tensors]
    if not hardened:
        return dists
    torch.manual_seed(11)
    values = [sample(d, t) for d, t in zip(dists, tensors)]
    base = lost(traced.run(values))
    free = [i for i, t in enumerate(tensors) if t.is_floating_point() and dists[i]["kind"] != "values"]
    widest = {i: spread(dists[i], i >= len(traced.tensors))[0] for i in free}
    tried = [sample(widest[i], t) if i in widest else v for i, (t, v) in enumerate(zip(tensors, values))]
    if lost(traced.run(tried)) <= base:  # all of them at once, which of a deep network takes a minute less
        dists, values, free = [widest.get(i, d) for i, d in enumerate(dists)], tried, []
    for i in free:
        t = tensors[i]
        for wider in spread(dists[i], i >= len(traced.tensors)):
            tried = values[:i] + [sample(wider, t)] + values[i + 1:]
            if lost(traced.run(tried)) <= base:
                dists[i], values = wider, tried
                break
    show_what_adds_little(traced, dists, values)
    return dists


def same_whatever(traced, dists):
    """An output that is the same whatever the inputs hold makes any kernel right that writes it. That value, else nothing."""
    seen = []
    for seed in (3, 4):
        torch.manual_seed(seed)
        seen.append(traced.run([sample(d, t) for d, t in zip(dists, traced.tensors + traced.params)]))
    flat = [o for o in seen[0] + seen[1] if o.numel()]
    if flat and all(bool((o == o.flatten()[0]).all()) for o in flat) and all(torch.equal(a, b) for a, b in zip(*seen)):
        return flat[0].flatten()[0].item()
    return None


def index_dists(traced, dists):
    for i, t in enumerate(traced.tensors):
        if t.dtype == torch.int64 and dists[i]["kind"] == "int" and dists[i]["low"] == 0:
            dists[i] = {"kind": "index", "high": dists[i]["high"] + 1}


def forward_names(model, inputs):
    code = type(model).forward.__code__
    names = list(code.co_varnames[1:code.co_argcount])
    names += [f"x{i}" for i in range(len(names), len(inputs))]
    return names[:len(inputs)]


def bring(path, args):
    source = path.read_text(encoding="utf-8")
    caps = smaller(source, path, args.elements, draw)
    small = Traced(*draw(module_of(source, path, caps)))
    dists = distributions(small, args.inputs == "hardened")
    if args.inputs == "hardened" and same_whatever(small, dists) is not None:
        dists = distributions(small, False)  # wider inputs may all be beyond a limit
    if (same := same_whatever(small, dists)) is not None:
        raise Refused(f"its outputs are {same:g} whatever the inputs hold")
    index_dists(small, dists)
    shaped = small if args.profile == "sim" else Traced(*draw(module_of(source, path), "meta"))
    if args.profile == "full":
        shaped.params = [p.to("meta") for p in shaped.params]
    taken = set()
    forward = [hidden_name(n, taken) for n in forward_names(shaped.model, shaped.inputs)]
    names = [n for n, i in zip(forward, shaped.inputs) if isinstance(i, torch.Tensor)] + [hidden_name(n, taken) for n in shaped.names]
    numbers = [(n, i) for n, i in zip(forward, shaped.inputs) if not isinstance(i, torch.Tensor)]
    text, pinned = shaped.script(names, [n for n, _ in numbers], str(path))
    outs = shaped.run(shaped.tensors + shaped.params)
    inputs, row = [], {"id": "0"}
    for name, t, dist in zip(names, shaped.tensors + shaped.params, dists):
        row[f"{name}_shape"] = list(t.shape)
        inputs.append({"name": name, "dtype": DTYPES[t.dtype], "shape": f"${name}_shape", "dist": dist})
    outputs = []
    for i, o in enumerate(outs):
        if not isinstance(o, torch.Tensor) or o.dtype not in DTYPES:
            raise Refused("an output is no tensor of a known dtype")
        name = hidden_name(f"out{i}" if len(outs) > 1 else "out", taken)
        row[f"{name}_shape"] = list(o.shape)
        outputs.append({"name": name, "dtype": DTYPES[o.dtype], "shape": f"${name}_shape"})
    attrs = [{"name": n, "type": "bool" if isinstance(v, bool) else "int" if isinstance(v, int) else "float", "value": v} for n, v in numbers]
    if attrs:
        text = text.replace("):\n", "".join(f", {a['name']}: {a['type']}" for a in attrs) + "):\n", 1)
    name, level, category = camel(path.stem), args.level or 1, camel(path.parent.name)
    fixed = [f"{n}_shape" for i, n in enumerate(names) if n in pinned or i >= len(shaped.tensors)]  # a model's parameters have one shape
    task = task_text(name, level, category, f"Imported from {path.parent.name}/{path.name}, {args.profile} shapes, {args.inputs} inputs.",
                     inputs, outputs, attrs, {"rule": "C", "limit": 1e-4}, fixed)
    place = write_task(args.out, level, category, name, task, [row], text)
    elements = max([t.numel() for t in shaped.tensors + shaped.params + outs])
    return {"name": f"{category}/{name}", "what": f"{len(inputs)} inputs, largest tensor {elements} elements", "folder": str(place),
            "cap": caps.outer, "elements": elements}

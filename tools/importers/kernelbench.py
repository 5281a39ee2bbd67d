"""PyTorch task files in the style of KernelBench: class Model, get_inputs(), get_init_inputs(), shapes as module numbers.

The module's parameters become inputs, its forward becomes a TorchScript function of tensors by tracing in float64.
"""
import contextlib
import re
import warnings

import torch

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


def check_names(text):
    """libtorch compiles the text without Python: it knows operators by their plain names, and nothing else."""
    for name in set(re.findall(r"\btorch\.(\w+)\(", text)):
        if name not in ("device", "tensor") and not torch._C._jit_get_schemas_for_operator(f"aten::{name}"):
            raise Refused(f"its trace uses torch.{name}, which is no operator")
    other = re.search(r"\b(ops\.[\w.]+|annotate|CONSTANTS\.\w+|unchecked_cast|uninitialized)\b", text)
    if other:
        raise Refused(f"its trace is no TorchScript of tensors alone: {other.group(0)}")


def renamed(body, given, names):
    """The text with its arguments called `names`; its own variables make way."""
    new = dict(zip(given, names))
    words = set(re.findall(r"\w+", body)) | set(names)
    own = {n for line in re.findall(r"^\s*((?:\w+, *)*\w+),?(?:: [\w\[\]]+)? = ", body, re.M) for n in line.split(", ")} - set(given)
    for name in sorted(own & set(names)):
        new[name] = hidden_name(name + "_", words)
    return re.sub(r"\b(" + "|".join(map(re.escape, new)) + r")\b", lambda m: new[m[1]], body) if new else body  # all at once


def in_the_precision_of(like, text):
    """What the trace makes in float64, where it was traced, has the dtype of the input `like`: references are run in other precisions too."""
    at = 0
    while call := re.compile(r"\btorch\.(?!tensor\()\w+\(").search(text, at):  # a number takes the precision of what it is combined with
        given, end, depth = [call.end()], call.end(), 1
        while depth:
            depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(text[end], 0)
            given += [end + 1] if text[end] == "," and depth == 1 else []
            end += 1
        own = [text[start:stop - 1].strip() for start, stop in zip(given, given[1:] + [end])]
        at = call.end()
        if "dtype=7" in own or (call.group() == "torch.to(" and own[1:2] == ["7"]):
            text = f"{text[:call.start()]}torch.type_as({text[call.start():end]}, {like}){text[end:]}"
            at += len("torch.type_as(")
    return text


@contextlib.contextmanager
def fixed_sizes():
    """While a function is traced, sizes are plain numbers: an imported task has one shape."""
    size, shape = torch.Tensor.size, torch.Tensor.shape

    def plain(t):
        state = torch._C._get_tracing_state()
        torch._C._set_tracing_state(None)
        try:
            return size(t)
        finally:
            torch._C._set_tracing_state(state)
    torch.Tensor.size = lambda t, dim=None: plain(t) if dim is None else plain(t)[dim]
    torch.Tensor.shape = property(plain)
    try:
        yield
    finally:
        torch.Tensor.size, torch.Tensor.shape = size, shape


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

    def script(self, names):
        """TorchScript text with a function `reference` of the named tensors."""
        with warnings.catch_warnings(), torch.no_grad(), in_float64(), fixed_sizes():
            warnings.simplefilter("ignore")
            try:
                traced = torch.jit.trace(self.call, tuple(self.wide(self.tensors + self.params)), check_trace=False)
            except NotImplementedError as e:
                raise Refused(f"this PyTorch cannot tell the shapes of its own operator: {str(e).splitlines()[0][:120]}") from None
            except Exception as e:  # the file's own code
                raise Refused(f"forward failed: {type(e).__name__}: {str(e).splitlines()[0][:200] if str(e) else ''}") from None
        with torch.no_grad():
            nondeterministic = [n.kind() for n in traced.graph.nodes() if n.isNondeterministic()]
        if nondeterministic:
            raise Refused(f"forward draws random numbers ({nondeterministic[0]}): no output is the right one")
        code = traced.code
        held = [n.t("value") for n in traced.graph.nodes() if n.kind() == "prim::Constant" and isinstance(n.output().type(), torch._C.TensorType)]
        for i, value in reversed(list(enumerate(held))):
            if f"CONSTANTS.c{i}" in code and value.numel() != 1:
                raise Refused("forward holds a tensor that is neither input nor parameter")
            code = code.replace(f"CONSTANTS.c{i}", f"torch.tensor({value.item()!r}, dtype={7 if value.is_floating_point() else 4})")
        code = code.replace('torch.device("meta")', 'torch.device("cpu")')
        code = re.sub(r"\bannotate\([\w\[\], ]*?, (None|\[\])\)", r"\1", code)
        code = re.sub(r"^( *\w+) = annotate\((List\[Optional\[Tensor\]\]), (\[.*\])\)$", r"\1: \2 = \3", code, flags=re.M)
        code = re.sub(r"(?<![\w.])(inf|nan)(?![\w.])", r"float('\1')", code)
        head, body = code.split(":\n", 1)
        arguments = re.match(r"def \w+\((.*)\)", head, re.S).group(1)
        given = [a.split(":")[0].strip() for a in arguments.split(",")]
        body = renamed(body, given, names)
        floating = [n for n, t in zip(names, self.tensors + self.params) if t.is_floating_point()]
        if floating:
            body = in_the_precision_of(floating[0], body)
        text = f"def reference({', '.join(n + ': Tensor' for n in names)}):\n{body}"
        check_names(text)
        return text


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
    text = shaped.script(names)
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
    # A model's parameters have one shape; of a recurrent layer states do not fit others either, and libtorch does not look.
    recurrent = re.search(r"torch\.(lstm|gru|rnn_tanh|rnn_relu)\(", text)
    fixed = [c for c in row if c != "id"] if recurrent else [f"{n}_shape" for n in names[len(shaped.tensors):]]
    task = task_text(name, level, category, f"Imported from {path.parent.name}/{path.name}, {args.profile} shapes, {args.inputs} inputs.",
                     inputs, outputs, attrs, {"rule": "C", "limit": 1e-4}, fixed)
    place = write_task(args.out, level, category, name, task, [row], text)
    elements = max([t.numel() for t in shaped.tensors + shaped.params + outs])
    return {"name": f"{category}/{name}", "what": f"{len(inputs)} inputs, largest tensor {elements} elements", "folder": str(place),
            "cap": caps.outer, "elements": elements}

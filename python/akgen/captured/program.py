"""A captured program: its text, what it needs of its arguments, and whether it is what the function does."""
from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Sequence, Tuple

import torch

from . import trace
from .compiled import compiled
from .examples import Example, Tensor
from .refusal import Refused
from .subject import Subject, flat_outputs
from .writer import WORD, Writer, names_behind

NAMES = {torch.float32: "float32", torch.float64: "float32", torch.float16: "float16", torch.bfloat16: "bfloat16", torch.int64: "int64", torch.int32: "int32",
         torch.int16: "int16", torch.int8: "int8", torch.uint8: "uint8", torch.bool: "bool"}
TORCH = {name: dtype for dtype, name in NAMES.items() if dtype != torch.float64}
Args = Dict[str, Any]  # by parameter: a Tensor, a list of Tensor, or a Python value


def draw(spec: Tensor, seed: int, whole: int = 9) -> torch.Tensor:
    """Values of an example in float64 where they are floating-point."""
    made = torch.Generator().manual_seed(seed)
    if spec.dtype == "bool":
        return torch.rand(spec.shape, generator=made) < 0.5
    dtype = TORCH[spec.dtype]
    if not dtype.is_floating_point:
        least = (0 if spec.dtype == "uint8" else -whole) if spec.low is None else int(spec.low)
        return torch.randint(least, (whole if spec.high is None else int(spec.high)) + 1, spec.shape, generator=made).to(dtype)
    low, high = (-2.0, 2.0) if spec.low is None or spec.high is None else (spec.low, spec.high)
    return torch.rand(spec.shape, generator=made, dtype=torch.float64) * (high - low) + low


def memory(t: torch.Tensor) -> int:
    """Where the memory begins that views of a tensor share."""
    return int(t.data_ptr() - t.storage_offset() * t.element_size())


def tensors_of(args: Args) -> List[Tuple[str, Tensor]]:
    out: List[Tuple[str, Tensor]] = []
    for name, value in args.items():
        if isinstance(value, Tensor):
            out.append((name, value))
        elif isinstance(value, list) and value and isinstance(value[0], Tensor):
            out += [(f"{name}_{i}", v) for i, v in enumerate(value)]
    return out


def arguments(args: Args, tensors: Sequence[Any]) -> Tuple[Dict[str, Any], List[Any]]:
    """The function's arguments with these tensors, and those that are left: the module's."""
    given = iter(tensors)
    made: Dict[str, Any] = {}
    for name, value in args.items():
        if isinstance(value, Tensor):
            made[name] = next(given)
        elif isinstance(value, list) and value and isinstance(value[0], Tensor):
            made[name] = [next(given) for _ in value]
        else:
            made[name] = value
    return made, list(given)


def shift_of(subject: Subject, args: Args, wide: bool = False) -> trace.Shift:
    dtypes = [TORCH[t.dtype] for _, t in tensors_of(args)]
    return trace.Shift(dtypes + [t.dtype for t in getattr(subject, "state_values", {}).values()], wide)


@dataclass
class Output:
    name: str
    dtype: torch.dtype
    shape: Tuple[int, ...]
    index: Optional[Tuple[str, int]] = None


@dataclass
class Program:
    names: List[str]  # of its tensors
    lines: List[str]
    places: List[Optional[int]]
    results: List[str]
    outputs: List[Output]
    constants: Dict[str, torch.Tensor]
    attributes: List[str] = field(default_factory=list)  # floating-point parameters that it takes
    used: List[str] = field(default_factory=list)
    pinned: List[str] = field(default_factory=list)  # sizes that it is written for: "weight.2"

    def body(self) -> str:
        return "\n".join([*self.lines, "return " + ", ".join(self.results)])

    def text(self, names: Sequence[str], parameters: Sequence[Tuple[str, str]]) -> str:
        told = [f"{n}: Tensor" for n in names] + [f"{n}: {t}" for n, t in parameters]
        return f"def reference({', '.join(told)}):\n" + "\n".join("    " + line for line in self.body().splitlines()) + "\n"


def call_of(subject: Subject, args: Args, names: List[Optional[str]]) -> Any:
    """The function as one that gives its results and, behind them, the arguments that it changes and does not return."""
    told = [n for n, _ in tensors_of(args)]

    def call(*tensors: torch.Tensor) -> Any:
        made, states = arguments(args, tensors)
        before = [t._version for t in tensors]
        result = subject.call(made, states)
        values, named = ([], []) if result is None else flat_outputs(result)
        for v in values:
            if not isinstance(v, torch.Tensor):
                raise Refused("operator", f"the function returns a {type(v).__name__}; a kernel's outputs are tensors", subject.first_line)
        for name, now, was in zip(told, tensors, before):
            if now._version == was:
                continue
            i = next((i for i, v in enumerate(values) if v is now), len(values))
            if i == len(values):
                values, named = [*values, now], [*named, None]
                subject.appended.add(name)
            named = [*named[:i], f"{name}_new", *named[i + 1:]]
            subject.written[name] = i
        names[:] = named
        if not values:
            raise Refused("operator", "the function returns nothing", subject.first_line)
        return tuple(values)
    return call


def values_for(subject: Subject, args: Args, seed: int) -> List[torch.Tensor]:
    given = [draw(t, 101 * seed + i) for i, (_, t) in enumerate(tensors_of(args))]
    return given + [t.double() if t.is_floating_point() else t for t in getattr(subject, "state_values", {}).values()]


def capture(subject: Subject, args: Args) -> Program:
    """The program for the ranks, dtypes and values of `args`; sets the range of inputs that are indices."""
    shift = shift_of(subject, args)
    told = tensors_of(args)
    states = getattr(subject, "state_values", {})
    values = values_for(subject, args, 1)
    dtypes = [TORCH[t.dtype] for _, t in told] + [t.dtype for t in states.values()]
    real, owners = [], {}
    for i, (v, d) in enumerate(zip(values, dtypes)):
        whole = i < len(told) and not d.is_floating_point and d != torch.bool
        v = torch.zeros_like(v) if whole and told[i][1].low is None else v.to(shift.real(d))
        real.append(v)
        if whole:
            owners[memory(v)] = told[i][1]

    def indices(index: torch.Tensor, size: int) -> None:
        spec = owners.get(memory(index))
        if spec is not None:
            spec.index = True
            if spec.low is None:
                spec.low, spec.high = 0, int(size) - 1
    named: List[Optional[str]] = []
    passed = [r.clone() if r.is_floating_point() else r for r in real]  # the function may change them
    graph = trace.record(call_of(subject, args, named), passed, shift, subject.file, indices)
    names = [n for n, _ in told] + list(states)
    writer = Writer([*names, *args], [r.to(torch.float64) if r.is_floating_point() else r for r in real], shift, subject.file)
    writer.products_as_sums = subject.products_as_sums
    writer.run(graph)
    held = next((n for n, r in zip(names, writer.inputs) if r.version and n not in subject.written), None)
    if held:
        raise Refused("operator", f"the function changes {held}, which its module holds; give it as an argument", subject.first_line)
    return pruned(subject, writer, names, named)


def pruned(subject: Subject, writer: Writer, names: List[str], named: List[Optional[str]]) -> Program:
    """Without what no output needs."""
    results = [o.name for o in writer.outputs]
    needed = names_behind(writer.lines, results)
    kept = [i for i, line in enumerate(writer.lines) if needed & set(WORD.findall(line.split(" = ", 1)[0]))]
    lines, places = [writer.lines[i] for i in kept], [writer.places[i] for i in kept]
    all_names = names + list(writer.constants)
    ranks = {n: r.now.rank for n, r in zip(names, writer.inputs)}
    outputs = []
    returned = subject.output_names()
    if len(returned) != len(results):
        returned = [None] * len(results)
    said = [n or r for n, r in zip(named, returned)]
    taken = set(all_names) | set(subject.parameters) | {"reference", "torch", "math"}
    for i, (one, dtype) in enumerate(zip(writer.outputs, writer.dtypes)):
        name = said[i]
        if not name or not name.isidentifier() or name in taken:
            name = next(n for n in ([f"y{i}" if len(results) > 1 else "y"] + [f"out{i}"] + [f"out{i}_{k}" for k in range(99)]) if n not in taken)
        taken.add(name)
        index = index_of(one.name, lines, ranks)
        outputs.append(Output(name, dtype, one.shape, index if index and ranks[index[0]] == one.rank else None))
    return Program(all_names, lines, places, results, outputs, writer.constants, used=[n for n in all_names if n in needed], pinned=writer.pinned)


def index_of(name: str, lines: List[str], ranks: Dict[str, int]) -> Optional[Tuple[str, int]]:
    """The input and axis that an output's elements point into."""
    for line in lines:
        left, right = line.split(" = ", 1)
        said = re.match(r"torch\.(argmax|argmin|topk|sort)\((\w+), (.*)\)$", right)
        if not said or said[2] not in ranks:
            continue
        parts = [p.strip() for p in said[3].split(",")]
        if said[1].startswith("arg") and left == name and re.fullmatch(r"-?\d+", parts[0]):
            return said[2], int(parts[0]) % ranks[said[2]]
        if said[1] in ("topk", "sort") and left.endswith(f", {name}"):
            named = next((p[4:] for p in parts if p.startswith("dim=")), "-1")
            axis = parts[1] if said[1] == "topk" and len(parts) > 1 else named
            return (said[2], int(axis) % ranks[said[2]]) if re.fullmatch(r"-?\d+", axis) else None
    return None


class Checker:
    """Runs a program and the function beside each other, both in float64."""

    def __init__(self, subject: Subject, program: Program, kinds: Sequence[Tuple[str, str]]) -> None:
        self.subject, self.program, self.kinds = subject, program, list(kinds)
        text = program.text(program.names, self.kinds)
        try:
            self.run = compiled(text)
        except Exception as e:
            line = next((p for p in program.places if p), subject.first_line)
            raise Refused("operator", f"the captured program is no TorchScript: {str(e).strip().splitlines()[0][:160]}", line) from None

    def compare(self, args: Args, seed: int) -> str:
        """"": they agree; "rejected": the function does not take these arguments; else in what they differ."""
        values = values_for(self.subject, args, seed)
        try:
            with trace.called(shift_of(self.subject, args, wide=True), self.subject.file):
                expected = call_of(self.subject, args, [])(*[v.clone() for v in values])
        except Refused:
            return "rejected"
        constants = [c.double() if c.is_floating_point() else c for c in self.program.constants.values()]
        given = [*values, *constants, *[args[n] for n, _ in self.kinds]]
        try:
            with torch.no_grad():
                got = self.run(*given)
        except Exception as e:
            return f"the program fails: {str(e).strip().splitlines()[-1][:120]}"
        got = got if isinstance(got, tuple) else (got,)
        for o, a, b in zip(self.program.outputs, got, expected):
            if a.shape != b.shape:
                return f"{o.name} has the shape {list(a.shape)}, the function gives {list(b.shape)}"
            if not torch.allclose(a.double(), b.double(), rtol=1e-8, atol=1e-10, equal_nan=True):
                return f"{o.name} differs by up to {(a.double() - b.double()).abs().nan_to_num(0, 0, 0).max().item():.3g}"
        return ""


def bind(subject: Subject, example: Example) -> Args:
    """All parameters of the function in its order, with defaults."""
    unknown = [n for n in example.values if n not in subject.parameters]
    if unknown:
        raise Refused("example", f"{subject.name}() has no parameter {unknown[0]}; it takes {', '.join(subject.parameters)}", example.line or subject.first_line)
    args: Args = {}
    for name, p in subject.parameters.items():
        if name in example.values:
            value = example.values[name]
        elif p.default is not p.empty:
            value = p.default
        else:
            raise Refused("example", f"the example says nothing of {name}; add {name}=f16[…] or a value", example.line or subject.first_line)
        is_real = isinstance(p.default, float) or p.annotation in (float, "float")
        args[name] = float(value) if is_real and isinstance(value, int) and not isinstance(value, bool) else value
        if isinstance(value, torch.Tensor):
            raise Refused("example", f"{name} is a tensor by default; give it in the example", subject.first_line)
    if not tensors_of(args):
        raise Refused("example", "the example has no tensor", example.line or subject.first_line)
    return args

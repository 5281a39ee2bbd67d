"""The task folder of a captured function: task.toml, cases.json, reference.py, and the record of the capture."""
from __future__ import annotations

import copy
import ctypes
import json
import re
import time
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence, Tuple

import torch

from . import assumptions, examples, project
from .assumptions import Guard
from .program import NAMES, TORCH, Args, Checker, Program, bind, capture, tensors_of
from .refusal import Refused
from .shapes import Size, shapes
from .subject import Subject

TYPES = {bool: "bool", int: "int", float: "float", str: "str"}


class Variant:
    """One program, and the examples that it serves."""

    def __init__(self, program: Program, cases: List[int], guards: List[Guard], fixed: List[str], sizes: assumptions.Sizes,
                 shapes: List[Optional[List[Size]]]) -> None:
        self.program, self.cases, self.guards, self.fixed, self.sizes, self.shapes = program, cases, guards, fixed, sizes, shapes


def scalar_kinds(args: Args) -> List[Tuple[str, str]]:
    """Python values that a kernel can take: name and type."""
    return [(n, TYPES[type(v)]) for n, v in args.items() if type(v) in TYPES]


def signature(args: Args) -> Tuple[Any, ...]:
    tensors = tuple((n, t.dtype, len(t.shape)) for n, t in tensors_of(args))
    return tensors, tuple((n, repr(v)) for n, v in args.items() if not isinstance(v, float) and not holds_tensors(v))


def holds_tensors(value: Any) -> bool:
    return isinstance(value, examples.Tensor) or (isinstance(value, list) and bool(value) and isinstance(value[0], examples.Tensor))


def variant(subject: Subject, all_args: List[Args], cases: List[int], fix: Sequence[str]) -> Variant:
    args = all_args[cases[0]]
    program = capture(subject, args)
    for i in cases[1:]:  # the same parameters are indices
        for (_, a), (_, b) in zip(tensors_of(args), tensors_of(all_args[i])):
            if b.low is None and a.low is not None:
                b.low, b.high, b.index = a.low, a.high, a.index
    followed, fixed = assumptions.follow(subject, args, program, fix)
    kinds = scalar_kinds(args)
    checker = Checker(subject, program, kinds)
    for i in cases:
        for seed in (1, 2, 3):
            said = checker.compare(all_args[i], seed)
            if said:
                text = "" if i == cases[0] else f" for another example ({', '.join(f'{n}{list(t.shape)}' for n, t in tensors_of(all_args[i]))})"
                if said == "rejected":
                    raise Refused("unfaithful", f"the function does not run in float64{text}", subject.first_line)
                raise Refused("unfaithful", f"the captured program is not what the function does{text}: {said}", subject.first_line)
    sizes = assumptions.Sizes(checker, args, [all_args[i] for i in cases[1:]], program.used, [*fix, *program.pinned])
    if len({tuple(t.shape for _, t in tensors_of(all_args[i])) for i in cases}) == 1:
        other = sizes.another()
        if other is not None:
            cases.append(len(all_args))
            all_args.append(other)
    guards = assumptions.rank_guards(args, program.used) + sizes.guards()
    for name, value in args.items():
        if holds_tensors(value) or name in followed:
            continue
        if isinstance(value, float) and name not in fixed:
            continue  # it changes nothing
        guards.append(assumptions.value_guard(name, value))
    return Variant(program, cases, guards, fixed, sizes, shapes(checker, args, sizes, program.used))


def table(kind: str, fields: Dict[str, Any]) -> str:
    return f"[[{kind}]]\n" + "".join(f"{k} = {toml(v)}\n" for k, v in fields.items())


def toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{toml(k) if '.' in k or '/' in k else k} = {toml(v)}" for k, v in value.items()) + " }"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(toml(v) for v in value) + "]"
    return json.dumps(value, ensure_ascii=False)


def camel(name: str) -> str:
    text = "".join(w[:1].upper() + w[1:] for w in re.split(r"[^0-9A-Za-z]+", name) if w)
    return text if text[:1].isalpha() else "Op" + text


TAKEN = set("half abs exp log sqrt sin cos tan pow floor ceil round trunc fabs fmax fmin erf erfc tanh sinh cosh asin acos atan log1p log2 log10 exp2 expm1 fmod main copy "
            "hypot cbrt remainder rint read write index select".split()) | project.KEYWORDS


def snake(name: str) -> str:
    """The name of the kernel's function: none that C or C++ has."""
    said = plain_snake(name)
    return said + "_kernel" if said in TAKEN else said


def plain_snake(name: str) -> str:
    return re.sub(r"[^0-9a-z]+", "_", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()).strip("_")


def drawn(spec: examples.Tensor, name: str) -> Tuple[Dict[str, Any], Dict[str, Any]]:
    """A distribution, and the columns it refers to."""
    if spec.dtype == "bool":
        return {"kind": "bool"}, {}
    whole = not TORCH[spec.dtype].is_floating_point
    if whole and spec.low is not None:
        low, high = int(spec.low), int(spec.high or 0)
        if low == 0 and spec.dtype in ("int64", "int32"):
            return {"kind": "index", "high": f"${name}.high"}, {f"{name}.high": high + 1}
        return {"kind": "int", "low": f"${name}.low", "high": f"${name}.high"}, {f"{name}.low": low, f"{name}.high": high}
    if whole:
        return {"kind": "int", "low": 0 if spec.dtype == "uint8" else -9, "high": 9}, {}
    if spec.low is None:
        return {"kind": "uniform", "low": -2.0, "high": 2.0}, {}
    return {"kind": "uniform", "low": f"${name}.low", "high": f"${name}.high"}, {f"{name}.low": spec.low, f"{name}.high": spec.high}


def state_dist(name: str, t: torch.Tensor) -> Dict[str, Any]:
    """How a module's parameter is drawn: around its first value; what is never negative stays positive."""
    if not t.is_floating_point():
        return {"kind": "values", "values": t.flatten().tolist()[:4096]}
    if name.endswith("var"):
        return {"kind": "uniform", "low": 0.25, "high": 2.0}
    low, high = float(t.min()), float(t.max())
    if low == high:
        return {"kind": "normal", "mean": low, "std": 0.5}
    return {"kind": "normal", "std": round(max(float(t.double().std()), 1e-3), 4)}


def merged(variants: List[Variant]) -> List[Variant]:
    """Those with the same text become one."""
    out: List[Variant] = []
    for v in variants:
        same = next((o for o in out if o.program.body() == v.program.body() and [g.require for g in o.guards] == [g.require for g in v.guards]), None)
        if same:
            same.cases += v.cases
            same.guards += [g for g in v.guards if g.text not in {s.text for s in same.guards}]
        else:
            out.append(v)
    return out


def asked(v: Variant, attrs: Sequence[str]) -> str:
    """The condition of a variant, as the reference asks it."""
    parts = []
    for g in v.guards:
        if g.kind == "rank" and g.require:
            parts.append(re.sub(r"len\((\w+)\.shape\)", r"\1.dim()", g.require))
        elif g.kind == "value" and g.require and g.argument in attrs:
            parts.append(g.require)
        elif g.kind in ("extent", "multiple", "least", "equal") and g.require:
            parts.append(re.sub(r"(\w+)\.shape\[(\d+)\]", r"\1.size(\2)", g.require))
    return " and ".join(f"({p})" for p in parts) or "True"


def reference_text(variants: List[Variant], names: List[str], kinds: List[Tuple[str, str]]) -> str:
    if len(variants) == 1:
        return variants[0].program.text(names, kinds)
    told = [f"{n}: Tensor" for n in names] + [f"{n}: {t}" for n, t in kinds]
    text = f"def reference({', '.join(told)}):\n"
    attrs = [n for n, _ in kinds]
    for v in variants[:-1]:
        body = "\n".join("        " + line for line in v.program.body().splitlines())
        text += f"    if {asked(v, attrs)}:\n{body}\n"
    body = "\n".join("    " + line for line in variants[-1].program.body().splitlines())
    return text + f"    assert {asked(variants[-1], attrs)}, 'no kernel was made for these arguments'\n{body}\n"


def requirements(variants: List[Variant], attrs: Sequence[str]) -> List[str]:
    """What the host function asks for, a condition each."""
    each = [[g.require for g in v.guards if g.require and (g.kind != "value" or g.argument in attrs)] for v in variants]
    common = [r for r in each[0] if all(r in other for other in each)]
    rest = [[r for r in one if r not in common] for one in each]
    if any(not r for r in rest):
        return common
    return common + [" or ".join("(" + " and ".join(f"({r})" for r in one) + ")" for one in rest)]


def task_toml(subject: Subject, variants: List[Variant], all_args: List[Args], names: List[str], kinds: List[Tuple[str, str]], rows: List[Dict[str, Any]]) -> str:
    first = variants[0].program
    specs = dict(tensors_of(all_args[0]))
    states = getattr(subject, "state_values", {})
    inputs = []
    for n in names:
        if n in specs:
            dist, columns = drawn(specs[n], n)
            inputs.append({"name": n, "dtype": f"${n}.dtype", "shape": f"${n}.shape", "dist": dist})
            for row, args in zip(rows, all_args):
                row.update(drawn(dict(tensors_of(args))[n], n)[1])
        else:
            t = states.get(n, first.constants.get(n))
            assert t is not None
            dist = state_dist(n, t) if n in states else {"kind": "values", "values": t.flatten().tolist()}
            inputs.append({"name": n, "dtype": NAMES[t.dtype], "shape": list(t.shape), "dist": dist})
    outputs = []
    for o in first.outputs:
        one: Dict[str, Any] = {"name": o.name, "dtype": f"${o.name}.dtype", "shape": f"${o.name}.shape"}
        if o.index:
            one["index"] = {"of": o.index[0], "axis": o.index[1]}
        outputs.append(one)
    followed = {a for v in variants for a in v.program.attributes}
    attrs = []
    for n, t in kinds:
        one = {"name": n, "type": "string" if t == "str" else t, "value": f"${n}.value"}
        if n not in followed:
            one["other"] = []
        attrs.append(one)
    head = {"schema": 1, "name": camel(subject.name), "level": 1, "category": "Own", "entry": snake(camel(subject.name)), "description": f"Captured from {subject.path.name}:{subject.name}."}
    parts = ["".join(f"{k} = {toml(v)}\n" for k, v in head.items())]
    parts += [table("input", i) for i in inputs] + [table("output", o) for o in outputs] + [table("attr", a) for a in attrs]
    parts.append('[precision]\nrule = "R"\n')
    fixed = sorted({f"{n}.shape/{d}" for v in variants for n, d in v.sizes.fixed} | {f"{n}.value" for n, _ in kinds if n not in followed})
    multiple = {f"{n}.shape/{d}": by for v in variants for (n, d), by in v.sizes.multiple.items()}
    least = {f"{n}.shape/{d}": k for v in variants for (n, d), k in v.sizes.least.items()}
    hidden = {"fixed": fixed, "multiple": multiple, "least": least}
    if any(hidden.values()):
        parts.append("[hidden]\n" + "".join(f"{k} = {toml(v)}\n" for k, v in hidden.items() if v))
    return "\n".join(parts)


def rows_of(all_args: List[Args], variants: List[Variant], names: List[str], kinds: List[Tuple[str, str]], subject: Subject) -> List[Dict[str, Any]]:
    rows = []
    for i, args in enumerate(all_args):
        v = next(v for v in variants if i in v.cases)
        row: Dict[str, Any] = {"id": str(i)}
        for n, t in tensors_of(args):
            if n in names:
                row.update({f"{n}.dtype": t.dtype, f"{n}.shape": list(t.shape)})
        row.update({f"{n}.value": args[n] for n, _ in kinds})
        program = v.program if i == v.cases[0] else capture(subject, copy.deepcopy(args))
        for told, one in zip(variants[0].program.outputs, program.outputs):
            row.update({f"{told.name}.dtype": NAMES[one.dtype], f"{told.name}.shape": list(one.shape)})
        rows.append(row)
    return rows


def captured(path: Path, name: Optional[str], texts: Sequence[str], fix: Sequence[str], out: Path, sums: bool = False) -> Dict[str, Any]:
    """Captures, writes DIR/task, and gives the record."""
    began = time.monotonic()
    subject = Subject(path, name)
    subject.products_as_sums = sums
    told = [examples.example(t) for t in texts] or subject.cases
    if not told:
        raise Refused("example", f"nothing says what {subject.name}() is called with; give --example 'x=f16[64, 1000]', or write # case: x=f16[64, 1000] above it", subject.first_line)
    all_args = [bind(subject, e) for e in told]
    floats = {TORCH[t.dtype] for _, t in tensors_of(all_args[0]) if TORCH[t.dtype].is_floating_point}
    subject.take_states(floats.pop() if len(floats) == 1 and floats != {torch.float32} else None)
    groups: Dict[Any, List[int]] = {}
    for i, args in enumerate(all_args):
        groups.setdefault(signature(args), []).append(i)
    variants = merged([variant(subject, all_args, cases, fix) for cases in groups.values()])
    if len({len(v.program.outputs) for v in variants}) > 1:
        raise Refused("example", "the examples differ in the number of outputs; make a kernel for each", subject.first_line)
    if any(v.program.constants for v in variants[1:]):
        raise Refused("example", "a function that holds tensors is captured for one kind of arguments; make a kernel for each", subject.first_line)
    conditions = [asked(v, [n for n, _ in scalar_kinds(all_args[0])]) for v in variants]
    if len(set(conditions)) != len(conditions):
        raise Refused("example", "the function does something else for another dtype; make a kernel for each", subject.first_line)
    used = {n for v in variants for n in v.program.used}
    names = [n for n in variants[0].program.names if n in used]
    if not names:
        raise Refused("operator", "no output depends on a tensor that the function is given", subject.first_line)
    kinds = scalar_kinds(all_args[0])
    idle = [n for n, t in kinds if t == "float" and all(n not in v.program.attributes and n not in v.fixed for v in variants)]
    kinds = [(n, t) for n, t in kinds if n not in idle and all(type(a[n]) in TYPES and TYPES[type(a[n])] == t for a in all_args)]
    rows = rows_of(all_args, variants, names, kinds, subject)
    text = task_toml(subject, variants, all_args, names, kinds, rows)
    folder = out / "task" / "level1" / "Own" / camel(subject.name)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "task.toml").write_text(text, encoding="utf-8")
    (folder / "cases.json").write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    (folder / "reference.py").write_text(reference_text(variants, names, kinds), encoding="utf-8")
    record = record_of(subject, variants, all_args, names, kinds, idle, folder, time.monotonic() - began)
    record["dtypes"] = dtypes_of(rows, {**getattr(subject, "state_values", {}), **variants[0].program.constants}, names, record["outputs"])
    project.write(out / "project", described(subject, variants, all_args[0], names, kinds), [g["text"] for g in record["guards"]])
    return record


def described(subject: Subject, variants: List[Variant], args: Args, names: List[str], kinds: List[Tuple[str, str]]) -> project.Described:
    specs, first = dict(tensors_of(args)), variants[0].program
    states = getattr(subject, "state_values", {})
    inputs = []
    for n in names:
        held = states.get(n, first.constants.get(n))
        if held is None:
            inputs.append(project.Tensor(n, specs[n].dtype, specs[n].shape, specs[n].low, specs[n].high))
        else:
            inputs.append(project.Tensor(n, NAMES[held.dtype], tuple(held.shape), state=True, values=held.flatten().tolist() if n in first.constants else None))
    written = {repr([None if s is None else [size.text for size in s] for s in v.shapes]) for v in variants}
    known: List[Optional[List[Size]]] = variants[0].shapes if len(written) == 1 else [None for _ in first.outputs]
    defaults = {n: v for n, v in args.items() if not holds_tensors(v)}
    return project.Described(camel(subject.name), snake(camel(subject.name)), subject.name, subject.path.read_text(encoding="utf-8"), subject.module is not None, inputs,
                             [(n, t, args[n]) for n, t in kinds], list(args), defaults, first.outputs, NAMES, known,
                             {n: first.outputs[i].name for n, i in subject.written.items()}, sorted(subject.appended, key=lambda n: subject.written[n]))


def dtypes_of(rows: List[Dict[str, Any]], held: Dict[str, torch.Tensor], inputs: List[str], outputs: List[str]) -> List[List[str]]:
    """The dtypes of inputs and outputs, each way once."""
    told = [[NAMES[held[n].dtype] if n in held else row[f"{n}.dtype"] for n in inputs] + [row[f"{n}.dtype"] for n in outputs] for row in rows]
    return [one for i, one in enumerate(told) if one not in told[:i]]


def in_hexadecimal(t: torch.Tensor) -> str:
    t = t.detach().contiguous()
    return ctypes.string_at(t.data_ptr(), t.numel() * t.element_size()).hex() if t.numel() else ""


def record_of(subject: Subject, variants: List[Variant], all_args: List[Args], names: List[str], kinds: List[Tuple[str, str]], idle: List[str], folder: Path, seconds: float) -> Dict[str, Any]:
    attrs = [n for n, _ in kinds]
    operations = []
    for v in variants:
        for line, place in zip(v.program.lines, v.program.places):
            said = re.search(r"torch\.(\w+)\(", line)
            operations.append({"op": said[1] if said else "", "line": place or subject.first_line})
    notes = list(subject.notes)
    notes += [f"{n} is not used" for n, _ in tensors_of(all_args[0]) if n not in names]
    notes += [f"{n} changes nothing" for n in idle]
    outputs = [o.name for o in variants[0].program.outputs]
    changed = {n: outputs[i] for n, i in subject.written.items()}
    notes += [f"{n} is changed in place: the operator gives its new value as {output}" for n, output in changed.items()]
    states = getattr(subject, "state_values", {})
    if states:
        notes.append("parameters that are inputs: " + ", ".join(n for n in names if n in states))
    guards: List[Dict[str, Any]] = []
    for i, v in enumerate(variants):
        guards += [{**g.record(), "variant": i} for g in v.guards]
    first = variants[0].program
    constants = {n: {"dtype": NAMES[t.dtype], "shape": list(t.shape), "bytes": in_hexadecimal(t.to(TORCH[NAMES[t.dtype]]))} for n, t in first.constants.items() if n in names}
    indices = sorted({n for v in variants for n, t in tensors_of(all_args[v.cases[0]]) if t.index and n in names})
    return {"function": subject.name, "line": subject.first_line, "constants": constants, "indices": indices, "task": str(folder), "inputs": names, "attributes": attrs,
            "outputs": outputs, "changed": changed, "variants": len(variants), "guards": guards, "requires": requirements(variants, attrs),
            "operations": operations, "notes": notes, "seconds": round(seconds, 3), "torch": torch.__version__}

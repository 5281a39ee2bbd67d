"""cann-bench's declarative tasks: an operator (proto), its cases, and golden.py as the reference; a task per case, of its own shape.

Read here: proto.yaml (.yml, .json): `operator: {name, description?, difficulty?, schema?, inputs: [{name, is_list?}], outputs: [{name, dtype?}],
attrs: [{name, type?, default?}]}`, also without `operator:` around it. cases.yaml (.yml, .json): `cases: [{case_id?, input_shape, dtype, attrs?,
value_range?}]`, also the list alone; or cases.csv with the same columns, each JSON. An entry of `input_shape` is a shape, shapes for a list of
tensors, or null for an input that is left out; one dtype or one range stands for all inputs. golden.py defines the reference: its only public
function, or the one called like the operator (`<op>_oracle` goes before `<op>`).
A case that cannot be a task is left out and named with its line; the others are imported.
"""
import csv
import importlib.util
import inspect
import json
import keyword
import math
import re
import sys

import torch
import yaml

from importers import kernelbench
from importers.common import Refused, camel, task_text, write_task

NAMES = {"float16": "float16", "half": "float16", "bfloat16": "bfloat16", "float32": "float32", "float": "float32", "int8": "int8", "int16": "int16",
         "int32": "int32", "int": "int32", "int64": "int64", "uint8": "uint8", "bool": "bool"}
FLOATS = ("float16", "bfloat16", "float32")
TRIED = 1 << 24  # elements: larger ones are only traced by their shapes
ENDINGS = (".yaml", ".yml", ".json")


class Table(dict):
    """A mapping of a file that knows its place."""
    place = ""


class Loader(yaml.SafeLoader):
    """Mappings with their line; 1e-5 is a number, as in YAML 1.2."""


def table_of(loader, node):
    loader.flatten_mapping(node)
    table = Table(loader.construct_pairs(node, deep=True))
    table.place = f"{loader.name}:{node.start_mark.line + 1}"
    return table


Loader.add_constructor("tag:yaml.org,2002:map", table_of)
Loader.add_implicit_resolver("tag:yaml.org,2002:float", re.compile(r"^[-+]?(\d+\.?\d*|\.\d+)[eE][-+]?\d+$"), list("-+.0123456789"))


def parsed(text, name):
    try:
        loader = Loader(text)
        loader.name = name
        return loader.get_single_data()
    except yaml.MarkedYAMLError as e:
        at = f":{e.problem_mark.line + 1}" if e.problem_mark else ""
        raise Refused(f"{name}{at}: {e.problem or e.context}") from None
    except (yaml.YAMLError, ValueError, TypeError, RecursionError) as e:
        raise Refused(f"{name}: {(str(e).splitlines() or [type(e).__name__])[0]}") from None


def text_of(path):
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise Refused(f"{path.name}: no UTF-8") from None
    except OSError as e:
        raise Refused(f"{path.name}: {e.strerror}") from None


def sources(args):
    for path in args.paths:
        files = [p for ending in ENDINGS for p in path.rglob("proto" + ending)] if path.is_dir() else [path]
        yield from sorted({p.parent for p in files})


def find(folder, stem, endings):
    for ending in endings:
        if (folder / (stem + ending)).exists():
            return folder / (stem + ending)
    raise Refused(f"no {stem}{endings[0]}")


def field(table, key, place=""):
    """What must be there."""
    if not isinstance(table, dict):
        raise Refused(f"{place}: `{key}` is looked for in what is no mapping")
    if table.get(key) is None:
        raise Refused(f"{getattr(table, 'place', '') or place}: no `{key}`")
    return table[key]


def listed(value, place, what):
    if not isinstance(value, list):
        raise Refused(f"{place}: `{what}` is no list")
    return value


def operator_of(folder):
    path = find(folder, "proto", ENDINGS)
    whole = parsed(text_of(path), path.name)
    operator = whole.get("operator", whole) if isinstance(whole, dict) else whole
    field(operator, "name", path.name)
    for kind in ("inputs", "outputs", "attrs"):
        for one in listed(operator.get(kind) or [], operator.place, kind):
            field(one, "name", f"{operator.place}: one of `{kind}`")
    if not operator.get("inputs"):
        raise Refused(f"{operator.place}: no `inputs`")
    return operator


def cases_of(folder):
    path = find(folder, "cases", (*ENDINGS, ".csv"))
    if path.suffix == ".csv":
        rows = csv.DictReader(text_of(path).splitlines())
        return [from_csv(row, f"{path.name}:{rows.line_num}") for row in rows]
    cases = parsed(text_of(path), path.name)
    if isinstance(cases, dict):
        cases = field(cases, "cases", path.name)
    return listed(cases, path.name, "cases")


def from_csv(row, place):
    case = Table()
    case.place = place
    for column, text in row.items():
        if column in ("input_shape", "dtype", "attrs", "value_range") and isinstance(text, str) and text.strip():
            try:
                case[column] = parsed(text, place)
            except Refused as e:
                case["unreadable"] = f"{column}: {e}"
        elif column and isinstance(text, str):
            case[column] = text
    return case


def plain(name):
    return re.sub(r"[^0-9a-z]", "", str(name).lower())


def golden_of(folder, operator):
    path = folder / "golden.py"
    if not path.exists():
        raise Refused("no golden.py: without it there is no reference")
    spec = importlib.util.spec_from_file_location("golden", path)
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(folder))
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as e:  # the file's own code
        raise Refused(f"golden.py failed: {type(e).__name__}: {e}") from None
    finally:
        sys.path.remove(str(folder))
    functions = {n: f for n, f in vars(module).items() if inspect.isfunction(f) and f.__module__ == "golden" and not n.startswith("_")}
    if len(functions) == 1:
        return next(iter(functions.values()))
    called = [plain(n) for n in (operator["name"], str(operator.get("schema") or "").split("(")[0], folder.name)]
    for wanted in [c + "oracle" for c in called] + called:
        for name, function in functions.items():
            if plain(name) == wanted:
                return function
    raise Refused(f"golden.py has {len(functions)} public functions ({', '.join(functions) or 'none'}); the reference is the only one, or called {plain(operator['name'])}")


class Function(torch.nn.Module):
    """golden.py's function of the tensors alone. `slots`: what each input is made of, a position, a list of them, or None."""

    def __init__(self, function, names, slots, attrs):
        super().__init__()
        self.function, self.slots = function, slots
        parameters = inspect.signature(function).parameters
        takes_all = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
        self.attrs = {k: v for k, v in attrs.items() if takes_all or k in parameters}
        # Inputs by their names where the function has these, else in order.
        self.names = names if all(n in parameters for n in names) else [p for p in parameters if p not in attrs][:len(names)]

    def forward(self, *tensors):
        given = [None if s is None else [tensors[i] for i in s] if isinstance(s, list) else tensors[s] for s in self.slots]
        return self.function(**dict(zip(self.names, given)), **self.attrs)


def number(value, place):
    try:
        return float(value)
    except (TypeError, ValueError):
        raise Refused(f"{place}: `value_range`: {value!r} is no number") from None


def distribution(dtype, bounds, place):
    if dtype == "bool":
        return {"kind": "bool"}
    low, high = (-1.0, 1.0) if dtype in FLOATS else (-10, 10)
    if bounds is not None:
        if not isinstance(bounds, list) or len(bounds) != 2:
            raise Refused(f"{place}: `value_range`: {bounds!r} is no [low, high]")
        low, high = (number(b, place) for b in bounds)
    if not (math.isfinite(low) and math.isfinite(high) and low <= high):
        raise Refused(f"{place}: `value_range`: values from {low} to {high} cannot be drawn")
    if dtype in FLOATS:
        return {"kind": "uniform", "low": low, "high": high} if low < high else {"kind": "constant", "value": low}
    most = torch.iinfo(getattr(torch, dtype))
    return {"kind": "int", "low": max(math.ceil(low), most.min), "high": min(math.floor(high), most.max)}


def is_shape(value):
    return isinstance(value, list) and all(isinstance(n, int) and not isinstance(n, bool) and n >= 0 for n in value)


def one_each(value, count, fits, place, what):
    """One per input: a list of them, or one for all."""
    if value is None or fits(value):
        return [value] * count
    if isinstance(value, list) and len(value) == 1 and count > 1:
        return value * count
    if not isinstance(value, list) or len(value) != count:
        raise Refused(f"{place}: {count} inputs need as many entries of `{what}`")
    return value


def inputs_of(operator, case):
    """[(name, dtype, shape or shapes, distribution)]; a shape of None: left out."""
    place, names = case.place, [i["name"] for i in operator["inputs"]]
    shapes = field(case, "input_shape", place)
    if is_shape(shapes) and len(names) == 1 and shapes:
        shapes = [shapes]
    if not isinstance(shapes, list) or len(shapes) != len(names):
        raise Refused(f"{place}: {len(names)} inputs need as many shapes and known dtypes")
    dtypes = one_each(field(case, "dtype", place), len(names), lambda v: isinstance(v, str), place, "dtype")
    pair = one_each(case.get("value_range"), len(names), lambda v: isinstance(v, list) and len(v) == 2 and not any(isinstance(b, list) or b is None for b in v),
                    place, "value_range")
    out = []
    for name, shape, dtype, bounds in zip(names, shapes, dtypes, pair):
        if isinstance(dtype, list) and len(set(map(str, dtype))) == 1:
            dtype = dtype[0]
        if shape is None:
            out.append((name, None, None, None))
            continue
        known = NAMES.get(str(dtype).replace("torch.", ""))
        if not known:
            raise Refused(f"{place}: `dtype`: akgen has no tensors of {dtype}")
        if not is_shape(shape) and not (isinstance(shape, list) and all(map(is_shape, shape))):
            raise Refused(f"{place}: `input_shape`: {shape!r} is no shape")
        if isinstance(bounds, list) and bounds and isinstance(bounds[0], list):  # of each tensor of a list
            bounds = bounds[0]
        out.append((name, known, shape, distribution(known, bounds, place)))
    return out


def attrs_of(operator, case):
    attrs, given = {}, case.get("attrs") or {}
    if not isinstance(given, dict):
        raise Refused(f"{case.place}: `attrs` is no mapping")
    for a in operator.get("attrs") or []:
        value = given.get(a["name"], a.get("default"))
        if value is None and a.get("required"):
            raise Refused(f"{case.place}: `attrs` has no {a['name']}")
        if isinstance(value, str) and "float" in str(a.get("type")):
            value = float(value)
        if isinstance(value, int) and not isinstance(value, bool) and str(a.get("type")) in ("float", "double", "float32"):
            value = float(value)
        attrs[a["name"]] = value
    return {**attrs, **{k: v for k, v in given.items() if k not in attrs}}


def traced(golden, inputs, attrs):
    """The reference as text, and its outputs, by shapes alone where that can be done."""
    flat, slots = [], []
    for _, dtype, shape, _ in inputs:
        if shape is None:
            slots.append(None)
            continue
        alone = is_shape(shape)
        slots.append(len(flat) if alone else list(range(len(flat), len(flat) + len(shape))))
        flat += [(s, getattr(torch, dtype)) for s in ([shape] if alone else shape)]
    names = [n for n, *_ in inputs]
    small = sum(math.prod(s) for s, _ in flat) <= TRIED
    for device in ("meta", "cpu"):
        try:
            tensors = [torch.zeros(s, dtype=d, device=device) for s, d in flat]
            t = kernelbench.Traced(tensors, Function(golden, names, slots, attrs))
            return t.script([f"t{i}" for i in range(len(flat))])[0], t.run(t.tensors), slots
        except Refused:
            if device == "cpu" or not small:
                raise


def output_dtype(said, out, inputs):
    """Of a floating result, that of the first floating input, if the operator gives it."""
    if not out.is_floating_point():
        return str(out.dtype).split(".")[1]
    first = next((d for _, d, s, _ in inputs if s is not None and d in FLOATS), "float32")
    allowed = [NAMES.get(str(d)) for d in ([said] if isinstance(said, str) else said or [])]
    floats = [d for d in allowed if d in FLOATS]
    return first if not floats or first in floats else floats[-1] if "float32" not in floats else "float32"


def outputs_of(operator, outs, inputs, taken, place):
    said = operator.get("outputs") or [{"name": "out"}]
    if len(said) != len(outs):
        raise Refused(f"{place}: the operator has {len(said)} outputs, golden.py returns {len(outs)}")
    if not all(isinstance(o, torch.Tensor) for o in outs):
        raise Refused(f"{place}: golden.py returns something else than tensors")
    return [{"name": own_name(s["name"], taken), "dtype": output_dtype(s.get("dtype"), o, inputs), "shape": list(o.shape)} for s, o in zip(said, outs)]


def own_name(name, taken):
    """A name that libtorch takes and nothing else of the task has."""
    return kernelbench.hidden_name(str(name) + ("_" if keyword.iskeyword(str(name)) else ""), taken)


def kind_of(value):
    for kind, types in (("bool", bool), ("int", int), ("float", float), ("string", str)):
        if isinstance(value, types):
            return kind
    if isinstance(value, list) and value and all(type(v) is int for v in value):
        return "list_int"
    return "list_float" if isinstance(value, list) and value and all(type(v) in (int, float) for v in value) else None


ANNOTATIONS = {"string": "str", "list_int": "List[int]", "list_float": "List[float]"}


def reference_text(text, names, slots, attrs):
    """The traced function, which takes each tensor alone, as one of inputs, lists among them, and attributes."""
    head, body = text.split(":\n", 1)
    given, unpack = [], ""
    for name, slot in zip(names, slots):
        if slot is None:
            continue
        given.append(f"{name}: {'List[Tensor]' if isinstance(slot, list) else 'Tensor'}")
        for at, i in enumerate(slot if isinstance(slot, list) else [None]):
            unpack += f"    t{slot if i is None else i} = {name}{'' if i is None else f'[{at}]'}\n"
    given += [f"{a['name']}: {ANNOTATIONS.get(a['type'], a['type'])}" for a in attrs]
    return f"def reference({', '.join(given)}):\n{unpack}{body}"


def bring_case(name, operator, golden, case, level, args):
    if "unreadable" in case:
        raise Refused(case["unreadable"])
    inputs, attrs = inputs_of(operator, case), attrs_of(operator, case)
    text, outs, slots = traced(golden, inputs, attrs)
    taken = {f"t{i}" for i in range(len(inputs) + sum(len(s) for s in slots if isinstance(s, list)))} | {"torch", "reference"}
    names = [own_name(n, taken) for n, *_ in inputs]
    listed_attrs = [{"name": own_name(k, taken), "type": kind_of(v), "value": [float(x) for x in v] if kind_of(v) == "list_float" else v}
                    for k, v in attrs.items() if kind_of(v)]
    tables = [{"name": n, **({} if is_shape(shape) else {"kind": "list"}), "dtype": d, "shape": shape, "dist": dist}
              for n, (_, d, shape, dist) in zip(names, inputs) if shape is not None]
    outputs = outputs_of(operator, outs, inputs, taken, case.place)
    task = task_text(name, level, "CannBench", f"Imported from cann-bench files: {operator.get('description', name)}", tables, outputs, listed_attrs,
                     {"rule": "R"})
    write_task(args.out, level, "CannBench", name, task, [{"id": "0"}], reference_text(text, names, slots, listed_attrs))


def bring(folder, args):
    operator = operator_of(folder)
    golden = golden_of(folder, operator)
    difficulty = re.search(r"\d+", str(operator.get("difficulty") or ""))
    level = args.level or (int(difficulty.group()) if difficulty else 1)
    base, cases, refused, names = camel(str(operator["name"])), cases_of(folder), [], set()
    for position, case in enumerate(cases, 1):
        label = case.get("case_id", position) if isinstance(case, dict) else position
        name = base + "Case" + re.sub(r"\W", "_", str(label))
        try:
            if not isinstance(case, Table):
                raise Refused(f"case number {position} is no mapping")
            if name in names:
                raise Refused(f"{case.place}: `case_id` {label} appears twice")
            names.add(name)
            bring_case(name, operator, golden, case, level, args)
        except Refused as e:
            place = getattr(case, "place", "")
            refused.append((f"{folder} case {label}", str(e) if str(e).startswith(place) else f"{place}: {e}"))
    done = len(cases) - len(refused)
    if not done:
        raise Refused(refused[0][1] if len(refused) == 1 else f"none of {len(cases)} cases; the first: {refused[0][1]}" if refused else "no cases")
    return {"name": f"CannBench/{base}", "what": f"{done} cases, one task each", "folder": str(args.out / f"level{level}/CannBench"), "refused": refused}

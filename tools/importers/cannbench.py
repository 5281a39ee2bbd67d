"""cann-bench's declarative tasks: proto.yaml (parameters) and cases.yaml (shapes, dtypes, ranges), with golden.py as the reference.

Read here: proto.yaml with `operator: {name, description?, inputs: [{name, dtype?}], outputs: [{name}], attrs: [{name, type, default?}]}`
and cases.yaml with `cases: [{case_id, input_shape: [[...]...], dtype: [...], attrs: {...}, value_range: [[low, high]...]}]`.
golden.py must define one function of the inputs and attributes; it is traced per case, so that each case gets a task of its own shape.
"""
import importlib.util

import torch
import yaml

from importers import kernelbench
from importers.common import Refused, camel, task_text, write_task

NAMES = {"float16": "float16", "bfloat16": "bfloat16", "float32": "float32", "float": "float32", "int8": "int8", "int16": "int16",
         "int32": "int32", "int64": "int64", "uint8": "uint8", "bool": "bool"}
TORCH = {name: getattr(torch, name) for name in ("float16", "bfloat16", "float32", "int8", "int16", "int32", "int64", "uint8", "bool")}


def sources(args):
    for path in args.paths:
        yield from sorted(p.parent for p in path.rglob("proto.yaml"))


def read(path):
    try:
        return yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise Refused(f"no {path.name}") from None
    except yaml.YAMLError as e:
        raise Refused(f"{path.name}: {str(e).splitlines()[0]}") from None


def golden_of(folder):
    path = folder / "golden.py"
    if not path.exists():
        raise Refused("no golden.py: without it there is no reference")
    spec = importlib.util.spec_from_file_location("golden", path)
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as e:  # the file's own code
        raise Refused(f"golden.py failed: {type(e).__name__}: {e}") from None
    functions = [f for n, f in vars(module).items() if callable(f) and getattr(f, "__module__", "") == "golden" and not n.startswith("_")]
    if len(functions) != 1:
        raise Refused(f"golden.py has {len(functions)} public functions; one is the reference")
    return functions[0]


class Function(torch.nn.Module):
    def __init__(self, function, attrs):
        super().__init__()
        self.function, self.attrs = function, attrs

    def forward(self, *tensors):
        return self.function(*tensors, **self.attrs)


def field(table, key, where):
    if not isinstance(table, dict) or key not in table:
        raise Refused(f"{where} has no `{key}`")
    return table[key]


def distribution(dtype, bounds):
    low, high = bounds if bounds else (-1.0, 1.0)
    if dtype == "bool":
        return {"kind": "bool"}
    if dtype.startswith(("int", "uint")):
        return {"kind": "int", "low": int(low), "high": int(high)}
    return {"kind": "uniform", "low": float(low), "high": float(high)}


def bring(folder, args):
    operator = field(read(folder / "proto.yaml"), "operator", "proto.yaml")
    names = [field(i, "name", "an input") for i in field(operator, "inputs", "proto.yaml")]
    golden, level = golden_of(folder), args.level or 1
    cases = field(read(folder / "cases.yaml"), "cases", "cases.yaml")
    base = camel(field(operator, "name", "proto.yaml"))
    for number, case in enumerate(cases):
        bring_case(f"{base}Case{case.get('case_id', number)}", operator, names, golden, case, level, args)
    return {"name": f"CannBench/{base}", "what": f"{len(cases)} cases, one task each", "folder": str(args.out / f"level{level}/CannBench")}


def bring_case(name, operator, names, golden, case, level, args):
    shapes, dtypes = field(case, "input_shape", name), [NAMES.get(str(d)) for d in field(case, "dtype", name)]
    if len(shapes) != len(names) or len(dtypes) != len(names) or None in dtypes:
        raise Refused(f"{name}: {len(names)} inputs need as many shapes and known dtypes")
    ranges = case.get("value_range") or [None] * len(names)
    attrs = {a["name"]: a.get("default") for a in operator.get("attrs") or []}
    attrs.update(case.get("attrs") or {})
    dists = [distribution(d, r) for d, r in zip(dtypes, ranges)]
    tensors = [torch.zeros(s, dtype=TORCH[d]) for s, d in zip(shapes, dtypes)]
    traced = kernelbench.Traced(tensors, Function(golden, attrs))
    text = traced.script(names)
    outs = traced.run(traced.tensors)
    wide = dtypes[0] if dtypes[0] in ("float16", "bfloat16", "float32") else "float32"
    inputs = [{"name": n, "dtype": d, "shape": list(s), "dist": dist} for n, d, s, dist in zip(names, dtypes, shapes, dists)]
    out_names = [o["name"] for o in operator.get("outputs") or []] or ["out"]
    if len(out_names) != len(outs):
        raise Refused(f"{name}: proto.yaml names {len(out_names)} outputs, golden.py returns {len(outs)}")
    outputs = [{"name": n, "dtype": wide if o.is_floating_point() else str(o.dtype).split(".")[1], "shape": list(o.shape)}
               for n, o in zip(out_names, outs)]
    kinds = {bool: "bool", int: "int", float: "float", str: "string"}
    listed = [{"name": k, "type": kinds[type(v)], "value": v} for k, v in attrs.items() if type(v) in kinds]
    if listed:
        text = text.replace("):\n", "".join(f", {a['name']}: {a['type'].replace('string', 'str')}" for a in listed) + "):\n", 1)
    task = task_text(name, level, "CannBench", f"Imported from cann-bench files: {operator.get('description', name)}", inputs, outputs, listed,
                     {"rule": "R"})
    write_task(args.out, level, "CannBench", name, task, [{"id": "0"}], text)

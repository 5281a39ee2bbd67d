"""`python -m akgen.kernelbench.task TASK.py --model model_new.py --out DIR`: what a judgement needs of a KernelBench task.

DIR/task.json says the model's arguments, its parameters, inputs and expected outputs of every trial (as files of raw bytes), the tolerance, the
reference as a graph, where this Python lies, and the rules that model_new.py breaks. The trials are AscendKernelBench's: five seeds that seed 42
draws, seed 42 with the inputs multiplied by 1, 3, 0.01 and -1, seed 43; and one more, whose seed no candidate knows. The task file is run.

exit status: 0 written, 1 refused, 3 no PyTorch
"""
from __future__ import annotations

import argparse
import ctypes
import json
import sys
from pathlib import Path
from typing import Any, Dict, Iterator, List, Tuple

from . import Refused, rules

FACTORS = (1, 3, 0.01, -1)
TYPES = ("float32", "float16", "bfloat16", "float64", "int8", "uint8", "int16", "int32", "int64", "bool")
SHORT = ("f32", "f16", "bf16", "f64", "i8", "u8", "i16", "i32", "i64", "bool")


def short(dtype: Any) -> str:
    name = str(dtype).rsplit(".", 1)[-1]
    if name not in TYPES:
        raise Refused(f"a tensor of {name}")
    return SHORT[TYPES.index(name)]


class Writer:
    """Tensors as files of raw bytes."""

    def __init__(self, out: Path) -> None:
        self.out, self.files = out, 0

    def __call__(self, tensor: Any) -> Dict[str, Any]:
        whole, name = tensor.detach().cpu().contiguous(), f"{self.files}.bin"
        self.files += 1
        (self.out / name).write_bytes(ctypes.string_at(whole.data_ptr(), whole.numel() * whole.element_size()) if whole.numel() else b"")
        return {"dtype": short(whole.dtype), "shape": list(whole.shape), "file": name}


def plain(value: Any) -> Any:
    """A constructor's argument as JSON."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    raise Refused(f"an argument of the constructor is a {type(value).__name__}")


def given(value: Any) -> Dict[str, Any]:
    import torch
    if isinstance(value, torch.Tensor):
        return {"dtype": short(value.dtype), "shape": list(value.shape)}
    if value is None or isinstance(value, (bool, int, float, str)):
        return {"value": value}
    raise Refused(f"an input is a {type(value).__name__}")


def single(value: Any) -> Any:
    """The benchmark's precision, float32."""
    import torch
    return value.float() if isinstance(value, torch.Tensor) and value.is_floating_point() else value


def inputs_of(space: Dict[str, Any], seed: int) -> List[Any]:
    import torch
    torch.manual_seed(seed)
    try:
        return [single(i) for i in space["get_inputs"]()]
    except Exception as e:  # the file's own code
        raise Refused(f"get_inputs failed: {type(e).__name__}: {e}") from None


def trials(space: Dict[str, Any], secret: int) -> Iterator[Tuple[str, List[Any]]]:
    import torch
    torch.manual_seed(42)
    for i, seed in enumerate([int(torch.randint(0, 2**32 - 1, (1,)).item()) for _ in range(5)]):
        yield f"seed {i + 1} of 5", inputs_of(space, seed)
    for factor in FACTORS:
        moved = [i * factor if isinstance(i, torch.Tensor) and i.is_floating_point() else i for i in inputs_of(space, 42)]
        yield f"inputs times {factor}", moved
    yield "seed 43", inputs_of(space, 43)
    yield "a seed that nobody knows", inputs_of(space, secret)


def outputs_of(model: Any, inputs: List[Any]) -> List[Any]:
    import torch
    copies = [i.clone() if isinstance(i, torch.Tensor) else i for i in inputs]
    try:
        with torch.no_grad():
            out = model(*copies)
    except Exception as e:  # the file's own code
        raise Refused(f"forward failed: {type(e).__name__}: {(str(e).splitlines() or [''])[0][:200]}") from None
    out = list(out) if isinstance(out, (tuple, list)) else [out]
    if not all(isinstance(t, torch.Tensor) for t in out):
        raise Refused("forward returns what is no tensor")
    return out


def graph_of(model: Any, inputs: List[Any]) -> Dict[str, Any]:
    """The operators of forward, as record/graph.h has them; inputs are x0, x1, …, parameters p0, p1, …"""
    import torch
    from torch.utils._python_dispatch import TorchDispatchMode
    nodes: List[Dict[str, Any]] = []
    known: Dict[int, Tuple[Any, str]] = {}

    def named(t: Any) -> str:
        if id(t) not in known:
            known[id(t)] = (t, f"v{len(known)}")
        return known[id(t)][1]

    def arg(v: Any) -> Any:
        if isinstance(v, torch.Tensor):
            return {"t": named(v)}
        if isinstance(v, (list, tuple)):
            return {"l": [arg(i) for i in v]}
        return {"s": v} if isinstance(v, (bool, int, float, str)) else None

    class Seen(TorchDispatchMode):  # type: ignore[misc]
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            said = [arg(a) for a in args]
            out = func(*args, **(kwargs or {}))
            made = [t for t in (out if isinstance(out, (tuple, list)) else [out]) if isinstance(t, torch.Tensor)]
            nodes.append({"op": func._schema.name.split("::")[1], "args": said, "out": [
                {"id": named(t), "shape": list(t.shape), "dtype": "Float" if t.is_floating_point() else "Long"} for t in made]})
            return out
    for i, t in enumerate(inputs):
        known[id(t)] = (t, f"x{i}")
    for i, t in enumerate([*model.parameters(), *model.buffers()]):
        known[id(t)] = (t, f"p{i}")
    with torch.no_grad(), Seen():
        out = model(*inputs)
    return {"schema": 1, "nodes": nodes, "outputs": [named(t) for t in (out if isinstance(out, (tuple, list)) else [out])], "asked": []}


def drawn(space: Dict[str, Any], device: str = "cpu") -> Tuple[List[Any], Any]:
    """Inputs of the file's and its model, to see whether shapes fit."""
    import torch
    from .source import on
    torch.manual_seed(42)
    try:
        with on(device):
            return list(space["get_inputs"]()), space["Model"](*space["get_init_inputs"]())
    except Exception as e:
        raise Refused(f"get_inputs or Model failed: {type(e).__name__}: {e}") from None


def fitting(source: str, path: Path, elements: int) -> Tuple[Dict[str, Any], int]:
    """The file's names with its numbers capped as far as `elements` asks for (0: not at all), and the cap, 0 where there is none."""
    from .source import Caps, largest, module_of, small_enough
    if not elements or largest(source, path, Caps(), drawn) <= elements:
        return module_of(source, path), 0
    refused = None
    for caps in small_enough(source, path, elements, drawn):
        space = module_of(source, path, caps)
        try:
            inputs, model = drawn(space)
            outputs_of(model.eval(), inputs)
            return space, caps.outer
        except Refused as e:
            refused = refused or e
    raise refused or Refused(f"no shape of at most {64 * elements} elements was found by capping its numbers")


def prepared(path: Path, model_file: Path, out: Path, elements: int, secret: int) -> Dict[str, Any]:
    import torch
    source = path.read_text(encoding="utf-8")
    space, cap = fitting(source, path, elements)
    if "custom_check" in space:
        raise Refused("it compares with a function of its own, custom_check")
    write = Writer(out)
    torch.manual_seed(42)
    init = list(space["get_init_inputs"]())
    torch.manual_seed(42)
    model = space["Model"](*init).float().eval()
    done = []
    for name, inputs in trials(space, secret):
        expected = outputs_of(model, inputs)
        if not done and not all(torch.equal(a, b) or bool((a.isnan() == b.isnan()).all()) and torch.equal(a.nan_to_num(), b.nan_to_num())
                                for a, b in zip(expected, outputs_of(model, inputs))):
            raise Refused("forward draws random numbers: no output is the right one")
        done.append({"name": name, "inputs": [write(i) if isinstance(i, torch.Tensor) else {"value": i} for i in inputs],
                     "outputs": [write(t) for t in expected]})
    first = inputs_of(space, 42)
    state = [*model.named_parameters(), *model.named_buffers()]
    return {"init": plain(init), "inputs": [given(i) for i in first], "parameters": [{"name": n, **write(t)} for n, t in state], "trials": done,
            "tolerance": float(space["TOLERANCE"]) if "TOLERANCE" in space else None, "cap": cap, "graph": graph_of(model, first)}


def main() -> int:
    parser = argparse.ArgumentParser(prog="akgen.kernelbench.task", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("task", type=Path)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--elements", type=int, default=0, help="at most so many elements in the largest tensor; 0: the file's own shapes")
    parser.add_argument("--secret", type=int, required=True, help="seed of the last trial")
    options = parser.parse_args()
    try:
        import torch  # noqa: F401
    except ImportError:
        print(f"PyTorch is not installed for {sys.executable}: install it (Debian: apt-get install python3-torch; else: pip install torch), "
              "or name another Python in $AKGEN_PYTHON", file=sys.stderr)
        return 3
    said: Dict[str, Any] = {"refused": "", "rules": rules.broken(options.model.read_text(encoding="utf-8")),
                            "python": sys.executable, "folders": sorted({str(Path(p).resolve()) for p in [sys.prefix, sys.base_prefix, *sys.path] if p})}
    if not said["rules"]:
        try:
            said.update(prepared(options.task.resolve(), options.model, options.out, options.elements, options.secret))
        except Refused as e:
            said["refused"] = str(e)
    (options.out / "task.json").write_text(json.dumps(said) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

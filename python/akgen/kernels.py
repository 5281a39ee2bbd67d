"""Kernels of functions in PyTorch: `akgen.kernel(fn, x, w)`.

The program `akgen` makes and judges the kernel, and runs it on the simulated chip; PyTorch is imported when it is needed.
"""
from __future__ import annotations

import ctypes
import inspect
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import types
import weakref
from typing import Any, Callable, Dict, List, Optional, Sequence

from .child import find_akgen
from .errors import AkgenError

_SHORT = {"float32": "f32", "float16": "f16", "bfloat16": "bf16", "int8": "i8", "uint8": "u8", "int16": "i16", "int32": "i32", "int64": "i64", "bool": "bool"}
_LOADED = """import importlib.util, pathlib, sys
import torch
if {script!r}:  # what is pickled was defined in the main script
    spec = importlib.util.spec_from_file_location("script", {script!r})
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    vars(sys.modules["__main__"]).update({{k: v for k, v in vars(script).items() if not k.startswith("__")}})
    del spec, script
net = torch.load(pathlib.Path(__file__).with_name("net.pt"), **({{"weights_only": False}} if int(torch.__version__.split(".")[0]) > 1 else {{}}))
"""


class KernelError(AkgenError):
    """No kernel was made, or it does not take these arguments."""


def _dtype(t: Any) -> str:
    name = str(t.dtype).replace("torch.", "")
    if name not in _SHORT:
        raise KernelError(f"a kernel takes no {name}", fix=f"one of {', '.join(_SHORT)}")
    return _SHORT[name]


def _tensor_text(t: Any) -> str:
    return f"{_dtype(t)}[{', '.join(str(_size(n)) for n in t.shape)}]"


def _size(n: Any) -> int:
    """What a size is; asking a symbolic one would fix it."""
    return int(n.node.hint if hasattr(n, "node") else n)


def _listed(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and bool(value) and all(hasattr(v, "data_ptr") for v in value)


def _example(bound: Dict[str, Any]) -> str:
    words = []
    for name, value in bound.items():
        if value is None:
            continue
        if hasattr(value, "data_ptr"):
            words.append(f"{name}={_tensor_text(value)}")
        elif _listed(value):
            words.append(f"{name}=({', '.join(map(_tensor_text, value))})")
        elif isinstance(value, (bool, int, float, str)):
            words.append(f"{name}={value if isinstance(value, str) and re.fullmatch(r'[A-Za-z_]+', value) else repr(value)}")
        else:
            raise KernelError(f"{name} is a {type(value).__name__}: a kernel takes tensors, lists of them, numbers, strings and flags")
    return " ".join(words)


def _bound(function: Callable[..., Any], args: Sequence[Any], kwargs: Dict[str, Any]) -> Dict[str, Any]:
    signed = inspect.signature(getattr(function, "forward", function)).bind(*args, **kwargs)
    signed.apply_defaults()
    return dict(signed.arguments)


def _source(function: Any, folder: pathlib.Path) -> str:
    """FILE.py:NAME for a function of a file; a file that loads it for a module."""
    name = getattr(function, "__name__", "")
    if isinstance(function, types.FunctionType):
        file = inspect.getsourcefile(function)
        if file and function.__globals__.get(name) is function:
            return f"{file}:{name}"
    import torch
    if not isinstance(function, torch.nn.Module):
        raise KernelError("the function has no name in a file of its own", fix="define it at the top of a module, or give a torch.nn.Module")
    script = getattr(sys.modules["__main__"], "__file__", "") or "" if type(function).__module__ == "__main__" else ""
    try:
        torch.save(function, folder / "net.pt")
    except Exception as e:
        raise KernelError(f"the module cannot be saved: {str(e).splitlines()[0]}") from None
    (folder / "net.py").write_text(_LOADED.format(script=script and os.path.abspath(script)), encoding="utf-8")
    return f"{folder / 'net.py'}:net"


def _bytes(t: Any) -> bytes:
    t = t.detach().cpu().resolve_neg().contiguous()
    return ctypes.string_at(t.data_ptr(), t.numel() * t.element_size()) if t.numel() else b""


class Kernel:
    """A kernel as it was judged. `record` is what `akgen kernel --json` says; `folder` its project."""

    def __init__(self, function: Any, record: Dict[str, Any], folder: pathlib.Path) -> None:
        self.function, self.record, self.folder = function, record, folder
        told = folder / "capture.json"
        self._captured: Dict[str, Any] = json.loads(told.read_text(encoding="utf-8")) if told.exists() else {}
        host = "".join(p.read_text(encoding="utf-8") for p in (folder / "op_host").glob("*.cpp"))
        self._names = re.findall(r'Input\("(\w+)"\)', host), re.findall(r'Output\("(\w+)"\)', host)

    @property
    def verified(self) -> bool:
        return bool(self.record["verified"])

    def check(self) -> "Kernel":
        """Itself, where it is verified."""
        if not self.verified:
            raise KernelError(f"{self.record['function']}: {self.record['verdict']}: {self.record['reason']}")
        return self

    def explain(self) -> str:
        """What it was made for."""
        return "\n".join([f"{self.record['function']}: {self.record['verdict']}", *[f"for {g['text']}" for g in self.record["guards"]], *self.record["notes"]])

    def project(self, folder: "os.PathLike[str] | str") -> pathlib.Path:
        """A copy of the project: sources, build files, binding, verdict."""
        return pathlib.Path(shutil.copytree(self.folder, folder, dirs_exist_ok=True))

    def _tensors(self, bound: Dict[str, Any]) -> List[Any]:
        import torch
        given: Dict[str, Any] = {}
        for name, value in bound.items():
            if _listed(value):
                given.update({f"{name}_{i}": v for i, v in enumerate(value)})
            else:
                given[name] = value
        if hasattr(self.function, "named_parameters"):
            for name, t in [*self.function.named_parameters(), *self.function.named_buffers()]:
                name = name.replace(".", "_")
                given.setdefault("p" + name if name[0].isdigit() else name, t)
        for name, held in (self._captured.get("constants") or {}).items():
            given[name] = torch.frombuffer(bytearray.fromhex(held["bytes"]), dtype=getattr(torch, held["dtype"])).reshape(held["shape"])
        missing = [n for n in self.record["inputs"] if n not in given]
        if missing:
            raise KernelError(f"the kernel takes {missing[0]}, a tensor that the function holds: run its project")
        for name in self._captured.get("indices") or []:
            if name in self.record["inputs"] and bool((given[name] < 0).any()):
                raise KernelError(f"{name} has negative elements: the kernel takes indices that are counted from the beginning")
        return [given[n] for n in self.record["inputs"]]

    def _check_dtypes(self, inputs: Sequence[Any], outputs: Sequence[Any]) -> None:
        made_for = self._captured.get("dtypes") or []
        given = [str(t.dtype).replace("torch.", "") for t in [*inputs, *outputs]]
        if made_for and given not in made_for:
            name, i, told = next((n, i, g) for i, (n, g) in enumerate(zip([*self.record["inputs"], *self.record["outputs"]], given)) if all(d[:i + 1] != given[:i + 1] for d in made_for))
            raise KernelError(f"{name} is {told}, the kernel was made for {made_for[0][i]}")

    @property
    def changed(self) -> Dict[str, int]:
        """The arguments that the function changes in place, and which output is the new value."""
        return {name: self.record["outputs"].index(output) for name, output in (self.record.get("changed") or {}).items()}

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Runs it on the simulated chip: a tensor, or a tuple of them; what the function changes in place is changed."""
        results = self.run(*args, **kwargs)
        return results[0] if len(results) == 1 else tuple(results) or None

    def run(self, *args: Any, **kwargs: Any) -> List[Any]:
        import torch
        self.check()
        bound = _bound(self.function, args, kwargs)
        changed = self.changed
        with torch.no_grad():  # for the shapes and dtypes
            like = _flat(self.function(**{n: _copied(v) if n in changed else v for n, v in bound.items()}))
        returned = len(like)
        made = self.launch(bound, like)
        for name, i in changed.items():
            bound[name].copy_(made[i])
            made[i] = bound[name]
        return made[:returned]

    def launch(self, bound: Dict[str, Any], like: Sequence[Any]) -> List[Any]:
        """The kernel's outputs for these arguments, which stay as they are. `like`: what the function returns, for shapes and dtypes."""
        import torch
        like = [*like, *[bound[n] for n, i in sorted(self.changed.items(), key=lambda item: item[1]) if i >= len(like)]]
        inputs = self._tensors(bound)
        self._check_dtypes(inputs, like)
        with tempfile.TemporaryDirectory(prefix="akgen_run_") as told:
            folder = pathlib.Path(told)
            command = [find_akgen(), "run", str(self.folder), "--save", str(folder / "out"), "--json", str(folder / "run.json")]
            for i, (name, t) in enumerate(zip(self._names[0], inputs)):
                (folder / f"{i}.bin").write_bytes(_bytes(t))
                command += ["--input", f"{name}={_tensor_text(t).replace(' ', '')}@{folder / f'{i}.bin'}"]
            for name in self.record["attributes"]:
                value = bound[name]
                command += ["--attr", f"{name}={str(value).lower() if isinstance(value, bool) else value}"]
            for name, t in zip(self._names[1], like):
                command += ["--output", f"{name}={_tensor_text(t).replace(' ', '')}"]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                said = (done.stdout + done.stderr).strip().splitlines() or ["no reason"]
                raise KernelError(f"the kernel does not take these arguments, or fails: {' '.join(said[:3])}")
            made = []
            for name, t in zip(self._names[1], like):
                data = next((folder / "out").rglob(f"out.{name}.bin")).read_bytes()
                size = t.numel() * t.element_size()
                one = torch.frombuffer(bytearray(data[:size]), dtype=t.dtype).reshape(t.shape) if size else torch.empty_like(t)
                made.append(one.to(t.device))
            return made


def _copied(value: Any) -> Any:
    return value.clone() if hasattr(value, "clone") else value


def _flat(value: Any) -> List[Any]:
    if hasattr(value, "data_ptr"):
        return [value]
    return [t for v in (value.values() if isinstance(value, dict) else value or ()) for t in _flat(v)]


def kernel(function: Any, *example: Any, examples: Sequence[Any] = (), fix: Sequence[str] = (), hidden: int = 4, out: "Optional[os.PathLike[str] | str]" = None,
           **values: Any) -> Kernel:
    """Makes and judges a kernel for these arguments, for other sizes where it can be general; raises KernelError where it is refused.

    `example`: arguments as the function takes them, or texts ('x=f16[64, 1024] eps=1e-5'); `examples`: further ones, a tuple or a text each.
    """
    folder = pathlib.Path(tempfile.mkdtemp(prefix="akgen_kernel_") if out is None else out)
    folder.mkdir(parents=True, exist_ok=True)
    try:
        made = _made(function, folder, example, examples, fix, hidden, values)
    except BaseException:
        if out is None:
            shutil.rmtree(folder, True)
        raise
    if out is None:
        weakref.finalize(made, shutil.rmtree, folder, True)
    return made


def _made(function: Any, folder: pathlib.Path, example: Sequence[Any], examples: Sequence[Any], fix: Sequence[str], hidden: int, values: Dict[str, Any]) -> Kernel:
    texts = [e for e in example if isinstance(e, str)] if example and all(isinstance(e, str) for e in example) else [_example(_bound(function, example, values))] if example else []
    texts += [e if isinstance(e, str) else _example(_bound(function, e, {})) for e in examples]
    return made_from(_source(function, folder), function, folder, texts, fix, hidden)


def made_from(source: str, function: Any, folder: pathlib.Path, examples: Sequence[str], fix: Sequence[str], hidden: int) -> Kernel:
    """What `akgen kernel` makes of FILE.py:NAME, which is `function`."""
    command = [find_akgen(), "kernel", source, "--out", str(folder), "--json", str(folder / "kernel.json"), "--hidden", str(hidden)]
    command += [w for t in examples for w in ("--example", t)] + [w for f in fix for w in ("--fix", f)]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "AKGEN_PYTHON": sys.executable}, check=False)
    if not (folder / "kernel.json").exists():
        raise KernelError((done.stderr or done.stdout).strip() or f"akgen kernel ended with status {done.returncode}")
    record: Dict[str, Any] = json.loads((folder / "kernel.json").read_text(encoding="utf-8"))
    if not record["planned"]:
        refusal = record.get("refusal", {})
        place = f"{refusal.get('file', '')}:{refusal.get('line', 0)}: " if refusal.get("line") else ""
        raise KernelError(place + record["reason"])
    if (folder / "net.pt").exists() and (folder / "torch").exists():  # beside the file that loads it
        shutil.copy(folder / "net.pt", folder / "torch")
    return Kernel(function, record, folder)

"""The function that is captured: found in its file, with its parameters, and the parameters of its modules as further tensors."""
from __future__ import annotations

import ast
import importlib.util
import inspect
import sys
import textwrap
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Set, Tuple

import torch

from . import examples
from .refusal import Refused, line_of


def load(path: Path) -> Any:
    name = "akgen_captured_" + "".join(c if c.isalnum() else "_" for c in path.stem)
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise Refused("file", f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    sys.path.insert(0, str(path.resolve().parent))
    try:
        spec.loader.exec_module(module)
    except Exception as e:  # the file's own code
        line = e.lineno if isinstance(e, SyntaxError) else line_of(e, str(path))
        raise Refused("file", f"running the file fails: {type(e).__name__}: {e}", line) from None
    return module


def candidates(module: Any) -> List[str]:
    """Functions and modules that the file itself makes, in its order."""
    found = []
    for name, value in vars(module).items():
        own = getattr(value, "__module__", None) == module.__name__
        if name.startswith("_"):
            continue
        if (inspect.isfunction(value) and own) or isinstance(value, torch.nn.Module) or (inspect.isclass(value) and own and issubclass(value, torch.nn.Module)):
            found.append(name)
    return found


class Subject:
    """`call` takes the tensors of an example in order, those of modules behind them, and Python values by name."""

    def __init__(self, path: Path, name: Optional[str]) -> None:
        self.path = path
        self.file = str(path)
        space = load(path)
        names = candidates(space)
        if name is None:
            if len(names) != 1:
                raise Refused("file", f"the file has {len(names)} functions and modules{': ' + ', '.join(names) if names else ''}; name one as {path}:NAME")
            name = names[0]
        if not hasattr(space, name):
            raise Refused("file", f"there is no {name} in the file; it has {', '.join(names) or 'no function'}")
        self.name = name
        self.products_as_sums = False
        self.written: Dict[str, int] = {}  # arguments that a call changes: which output is the new value
        self.appended: Set[str] = set()  # those of them that it does not return
        target = getattr(space, name)
        self.notes: List[str] = []
        self.module: Optional[torch.nn.Module] = None
        if inspect.isclass(target):
            try:
                target = target()
            except Exception as e:  # the file's own code
                raise Refused("file", f"{name}() cannot be made without arguments: {e}; name a module that is made", line_of(e, self.file)) from None
            target.eval()
            self.notes.append(f"{name}() is captured as net.eval() leaves it")
        if isinstance(target, torch.nn.Module):
            self.module = target
        elif not callable(target):
            raise Refused("file", f"{name} is a {type(target).__name__}, and no function or module")
        self.function: Callable[..., Any] = target
        signed = target.forward if self.module is not None else target
        self.parameters = dict(inspect.signature(signed).parameters)
        for p in self.parameters.values():
            if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
                raise Refused("example", f"{name}() takes any number of arguments (*{p.name}); name them", self.line(signed))
        first, last = self.lines()
        self.first_line = self.line(signed) or first
        self.cases = self.own_cases(space, first, last, len(names) == 1)
        self.states: Dict[str, Tuple[Any, str]] = {}

    def line(self, function: Any) -> Optional[int]:
        """Where a function of the file begins; nothing for those of libraries."""
        code = getattr(function, "__code__", None) or getattr(getattr(function, "__func__", None), "__code__", None)
        return code.co_firstlineno if code and code.co_filename == self.file else None

    def lines(self) -> Tuple[int, int]:
        """The first and the last line of what makes the name."""
        for node in ast.parse(self.path.read_text(encoding="utf-8")).body:
            named = [node.name] if isinstance(node, (ast.FunctionDef, ast.ClassDef)) else \
                [t.id for t in node.targets if isinstance(t, ast.Name)] if isinstance(node, ast.Assign) else []
            if self.name in named:
                return node.lineno, node.end_lineno or node.lineno
        return 1, 1

    def own_cases(self, space: Any, first: int, last: int, alone: bool) -> List[examples.Example]:
        listed = examples.listed(getattr(space, "cases", None), self.name)
        return listed or examples.in_file(self.path.read_text(encoding="utf-8"), first, last, alone)

    def output_names(self) -> List[Optional[str]]:
        """The names in the function's last return statement; None for what is no name."""
        signed = self.module.forward if self.module is not None else self.function
        try:
            tree = ast.parse(textwrap.dedent(inspect.getsource(signed)))
        except (OSError, TypeError, SyntaxError):
            return []
        returns = [n for n in ast.walk(tree) if isinstance(n, ast.Return) and n.value is not None]
        if not returns:
            return []
        value = max(returns, key=lambda n: n.lineno).value
        parts = value.elts if isinstance(value, (ast.Tuple, ast.List)) else [value]
        return [p.id if isinstance(p, ast.Name) else None for p in parts]

    def take_states(self, dtype: Optional[torch.dtype]) -> None:
        """Parameters and buffers of the module become arguments, in `dtype` where they are floating-point."""
        if self.module is None or self.states:
            return
        self.owners: List[Tuple[torch.nn.Module, str]] = []
        self.state_values: Dict[str, torch.Tensor] = {}
        taken = set(self.parameters)
        for prefix, module in self.module.named_modules():
            for store in (module._parameters, module._buffers):
                for key in [k for k, t in store.items() if t is not None]:
                    t = store.pop(key).detach()
                    name = (f"{prefix}.{key}" if prefix else key).replace(".", "_")
                    if name[0].isdigit():
                        name = "p" + name
                    while name in taken:
                        name += "_"
                    taken.add(name)
                    if dtype is not None and t.is_floating_point():
                        t = t.to(dtype)
                    self.owners.append((module, key))
                    self.state_values[name] = t
        if dtype is not None and self.state_values:
            self.notes.append(f"parameters of {self.name} are in {str(dtype).replace('torch.', '')}, as its inputs are")

    def call(self, arguments: Dict[str, Any], states: List[Any]) -> Any:
        if self.module is not None:
            for (module, key), value in zip(self.owners, states):
                module.__dict__[key] = value  # an attribute like any other: tracing sees the argument
            for module in self.module.modules():
                if isinstance(module, torch.nn.RNNBase):  # which holds its weights in a list as well
                    module._flat_weights = [getattr(module, n) for n in module._flat_weights_names]
        return self.function(**arguments)


def flat_outputs(result: Any) -> Tuple[List[Any], List[Optional[str]]]:
    """Tensors of a result in order, and their names where it has them."""
    if isinstance(result, torch.Tensor):
        return [result], [None]
    if isinstance(result, dict):
        return [v for v in result.values() if v is not None], [str(k) for k, v in result.items() if v is not None]
    if isinstance(result, (tuple, list)):
        values: List[Any] = []
        names: List[Optional[str]] = []
        fields = getattr(result, "_fields", None)
        for i, one in enumerate(result):
            if one is None:
                continue
            v, n = flat_outputs(one)
            values += v
            names += [fields[i]] if fields and len(v) == 1 else n
        return values, names
    return [result], [None]

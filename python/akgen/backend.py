"""The backend of `torch.compile(fn, backend="akgen")`: a graph runs as its judged kernel on the simulated chip, or, with a reason, as it is."""
from __future__ import annotations

import os
import pathlib
import re
import shutil
import tempfile
import textwrap
import warnings
import weakref
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from .kernels import Kernel, KernelError, _tensor_text, made_from

FALLBACKS: List[str] = []  # why graphs of torch.compile ran without a kernel

_FILE = """import torch
{imports}

class Net(torch.nn.Module):
{code}

net = Net()
for _name, _value in torch.load({held!r}, weights_only=False).items():
    if isinstance(_value, torch.Tensor) and not isinstance(_value, torch.nn.Parameter):
        net.register_buffer(_name, _value)
    else:
        setattr(net, _name, _value)
"""


def torch_backend(graph: Any, inputs: Sequence[Any], *, options: Optional[Dict[str, Any]] = None) -> Callable[..., Any]:
    """The judged kernel, or, with a warning that says why, the graph as it is. `options`: {"hidden": N}, hidden cases that it is judged on."""
    try:
        return _Compiled(graph, inputs, int((options or {}).get("hidden", 4)))
    except Exception as e:  # whatever it is: the graph gives what it should
        _fall_back(e)
        return graph.forward  # type: ignore[no-any-return]


def _fall_back(e: Exception) -> None:
    reason = str(e) if isinstance(e, KernelError) else f"{type(e).__name__}: {(str(e).strip().splitlines() or [''])[0]}"
    FALLBACKS.append(reason)
    warnings.warn(f"akgen: the graph runs without a kernel: {reason}", stacklevel=3)


def _what_it_is(node: Any) -> Any:
    return node.meta.get("example_value", node.meta.get("val"))


def _results(graph: Any) -> List[Any]:
    """What a torch.fx.Graph returns: nodes and constants."""
    value = next(n for n in graph.nodes if n.op == "output").args[0]
    return list(value) if isinstance(value, (tuple, list)) else [value]


def _check_modes(graph: Any, inputs: Sequence[Any]) -> None:
    import torch
    told = [t for t in [*inputs, *graph.parameters(), *graph.buffers()] if isinstance(t, torch.Tensor)]
    results = [_what_it_is(n) for n in _results(graph.graph) if isinstance(n, torch.fx.Node)]
    if (torch.is_grad_enabled() and any(t.requires_grad for t in told)) or any(isinstance(t, torch.Tensor) and t.requires_grad for t in results):
        raise KernelError("gradients are asked for: use torch.no_grad()")
    if torch.get_default_dtype() != torch.float32:
        raise KernelError("the default dtype is not float32")
    for t in told:
        if t.layout != torch.strided or t.is_quantized:
            raise KernelError("the graph takes a tensor that is sparse or quantised")
    _check_whole_numbers(graph.graph)
    _check_autocast()


MOVES = set("getitem view reshape transpose t permute contiguous clone cat stack chunk split unbind squeeze unsqueeze expand flatten narrow select where gather "
            "index_select roll flip amax amin maximum minimum clamp detach".split())


def _check_whole_numbers(graph: Any) -> None:
    """Those of few bits wrap around in PyTorch, and may end at the largest one in a kernel."""
    import torch
    for node in graph.nodes:
        value, name = _what_it_is(node), node.target if isinstance(node.target, str) else getattr(node.target, "__name__", "")
        if node.op == "placeholder" or not isinstance(value, torch.Tensor) or value.dtype not in (torch.int8, torch.uint8, torch.int16, torch.int32) or name.strip("_") in MOVES:
            continue
        taken = [t for t in map(_what_it_is, node.all_input_nodes) if isinstance(t, torch.Tensor) and not t.is_floating_point() and t.dtype != torch.bool]
        if any(value.dtype != torch.int32 or t.dtype == torch.int64 for t in taken):
            raise KernelError(f"{name} in {str(value.dtype).replace('torch.', '')} wraps around: compute in {'int64' if value.dtype == torch.int32 else 'int32'}")


def _check_autocast() -> None:
    import torch
    if torch._C._is_any_autocast_enabled():
        raise KernelError("autocast is on around the graph: call it inside of the function that is compiled")


def _with_tensors_alone(graph: Any, inputs: Sequence[Any]) -> Tuple[Any, List[int], List[int]]:
    """A torch.fx.Graph without numbers among its arguments and results; which arguments and results it has.

    A size of a tensor is read from the tensor. Another number becomes a constant, which PyTorch then guards.
    """
    import torch
    plain = torch.fx.Graph()
    told = plain.graph_copy(graph.graph, {})
    results = list(told) if isinstance(told, (tuple, list)) else [told]
    returned = [i for i, n in enumerate(results) if isinstance(n, torch.fx.Node) and isinstance(_what_it_is(n), torch.Tensor)]
    if not returned:
        raise KernelError("the graph returns no tensor")
    plain.output(tuple(results[i] for i in returned))
    arguments = [n for n in plain.nodes if n.op == "placeholder"]
    taken = [i for i, t in enumerate(inputs) if isinstance(t, torch.Tensor)]
    sizes = {str(n.node.expr): (arguments[i], d) for i in reversed(taken) for d, n in reversed(list(enumerate(_what_it_is(arguments[i]).shape)))
             if isinstance(n, torch.SymInt)}
    for node, value in zip(arguments, inputs):
        if isinstance(value, torch.Tensor):
            continue
        known = sizes.get(str(value.node.expr)) if isinstance(value, torch.SymInt) else None
        if known:
            with plain.inserting_after(arguments[-1]):
                node.replace_all_uses_with(plain.call_method("size", known))
        elif node.users:
            number = {torch.SymInt: int, torch.SymFloat: float}.get(type(value))
            if number is None:
                raise KernelError(f"the graph takes a {type(value).__name__}")
            constant = number(value)
            for user in list(node.users):
                user.args = torch.fx.node.map_arg(user.args, lambda n: constant if n is node else n)
                user.kwargs = torch.fx.node.map_arg(user.kwargs, lambda n: constant if n is node else n)
        plain.erase_node(node)
    return plain, taken, returned


def _written(plain: Any, graph: Any, folder: pathlib.Path) -> str:
    """The file of a module that is this graph."""
    import torch
    from torch.fx.graph_module import _format_import_block
    from torch.package.importer import sys_importer
    code = plain.python_code("self")
    held = {name: getattr(graph, name) for name in (n.target.partition(".")[0] for n in plain.nodes if n.op in ("get_attr", "call_module"))}
    if any(isinstance(value, torch.fx.GraphModule) for value in held.values()):
        raise KernelError("the graph calls a graph of its own")
    torch.save(held, folder / "held.pt")
    text = _FILE.format(imports=_format_import_block(code.globals, sys_importer), code=textwrap.indent(code.src.strip(), "    "), held=str(folder / "held.pt"))
    (folder / "net.py").write_text(text, encoding="utf-8")
    return text


def _in_the_users_file(reason: str, file: str, text: str, plain: Any) -> str:
    """A reason with lines of the user's where it has lines of the graph's."""
    import torch
    nodes, lines = {n.name: n for n in plain.nodes}, text.splitlines()
    library = os.path.dirname(torch.__file__)

    def place(found: "re.Match[str]") -> str:
        for name in re.findall(r"(\w+)(?: : [^=;]*)? = ", lines[int(found[1]) - 1]):
            told = re.findall(r'File "([^"]+)", line (\d+)', (nodes[name].meta.get("stack_trace") or "") if name in nodes else "")
            own = [f"{f}:{n}" for f, n in told if not f.startswith(library)]
            if own:
                return own[-1]
        return "the graph"
    return re.sub(re.escape(file) + r":(\d+)", place, reason)


class _Compiled:
    def __init__(self, graph: Any, inputs: Sequence[Any], hidden: int) -> None:
        import torch
        _check_modes(graph, inputs)
        self.graph, self.said = graph, ""
        plain, self.taken, self.returned = _with_tensors_alone(graph, inputs)
        self.names = [n.target for n in plain.nodes if n.op == "placeholder"]
        example = " ".join(f"{name}={_tensor_text(inputs[i])}" for name, i in zip(self.names, self.taken))
        folder = pathlib.Path(tempfile.mkdtemp(prefix="akgen_kernel_"))
        weakref.finalize(self, shutil.rmtree, folder, True)
        file = folder / "net.py"
        text = _written(plain, graph, folder)
        try:
            self.kernel: Kernel = made_from(f"{file}:net", torch.fx.GraphModule(graph, plain), folder, [example], (), hidden).check()
        except KernelError as e:
            raise KernelError(_in_the_users_file(str(e), str(file), text, plain)) from None

    def __call__(self, *args: Any) -> Any:
        try:
            return self.on_the_chip(args)
        except Exception as e:  # as above: nothing was changed
            if str(e) != self.said:  # not for every call
                _fall_back(e)
            self.said = str(e)
            return self.graph.forward(*args)

    def on_the_chip(self, args: Sequence[Any]) -> Tuple[Any, ...]:
        import torch
        _check_autocast()
        bound = dict(zip(self.names, (args[i] for i in self.taken)))
        changed = self.kernel.changed
        if changed and _share(list(bound.values())):
            raise KernelError("the graph changes a tensor that shares memory with another one")
        with torch.no_grad():
            given = {name: t.clone() if name in changed else t for name, t in bound.items()}
            own = dict(zip(self.taken, given.values()))
            whole = list(self.graph.forward(*(own.get(i, a) for i, a in enumerate(args))))
            like = [whole[i] for i in self.returned]
            for name, t in given.items():
                if name in changed and t.stride() != bound[name].stride():
                    raise KernelError(f"the graph changes {name}, whose elements are apart in memory")
            made = self.kernel.launch(bound, like)
            laid_out = _laid_out(made, like, given, bound)
            for name, i in changed.items():
                bound[name].copy_(made[i])
        for i, t in zip(self.returned, laid_out):
            whole[i] = t
        return tuple(whole)


def _memory(t: Any) -> int:
    return int(t.untyped_storage()._cdata)


def _share(tensors: Sequence[Any]) -> bool:
    return len({_memory(t) for t in tensors}) < len(tensors)


def _view(of: Any, t: Any) -> Any:
    """As t, in the memory of another tensor."""
    import torch
    return torch.empty(0, dtype=t.dtype, device=t.device).set_(of, t.storage_offset(), t.shape, t.stride())


def _laid_out(made: Sequence[Any], like: Sequence[Any], given: Dict[str, Any], bound: Dict[str, Any]) -> List[Any]:
    """The kernel's results with the strides of the graph's, and in one memory where those are."""
    import torch
    inputs = {_memory(t): name for name, t in given.items()}
    memories: Dict[int, Any] = {}
    out: List[Any] = []
    for value, t in zip(made, like):
        name = inputs.get(_memory(t))
        if name is not None:
            whole = bound[name]
            if t is given[name]:
                out.append(whole)
            elif whole is given[name]:
                out.append(t)
            else:
                out.append(torch.as_strided(whole, t.shape, t.stride(), t.storage_offset() - given[name].storage_offset() + whole.storage_offset()))
            continue
        if _memory(t) not in memories:
            memories[_memory(t)] = torch.empty(t.untyped_storage().nbytes(), dtype=torch.uint8, device=t.device)
        new = _view(memories[_memory(t)].untyped_storage(), t)
        into = new
        for d, (n, step) in enumerate(zip(t.shape, t.stride())):
            if step == 0 and n > 1:  # one element stands for many
                into, value = into.narrow(d, 0, 1), value.narrow(d, 0, 1)
        into.copy_(value)
        out.append(new)
    return out

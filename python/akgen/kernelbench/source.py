"""A task file: class Model, get_inputs(), get_init_inputs(), with shapes as numbers of the module, which can be capped."""
from __future__ import annotations

import ast
import contextlib
import io
from pathlib import Path
from types import CodeType
from typing import Any, Callable, Dict, Iterator, List, Optional

import torch

from . import Refused

CAPS = [1 << k for k in range(20, 2, -1)]
MAKERS = ("rand", "randn", "randint", "zeros", "ones", "full", "empty", "arange", "randperm")


class Cap(ast.NodeTransformer):
    """Numbers above the cap become the cap: in assignments of the module, and inside get_inputs and get_init_inputs."""

    def __init__(self, cap: int) -> None:
        self.cap = cap

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if isinstance(node.value, int) and not isinstance(node.value, bool) and node.value > self.cap:
            return ast.copy_location(ast.Constant(self.cap), node)
        return node


def capped(source: str, path: Path, cap: Optional[int]) -> CodeType:
    try:
        tree = ast.parse(source, str(path))
    except SyntaxError as e:
        raise Refused(f"no Python: line {e.lineno}: {e.msg}") from None
    if cap:
        for i, node in enumerate(tree.body):
            if isinstance(node, (ast.Assign, ast.AnnAssign)) or isinstance(node, ast.FunctionDef) and node.name in ("get_inputs", "get_init_inputs"):
                tree.body[i] = Cap(cap).visit(node)
    return compile(ast.fix_missing_locations(tree), str(path), "exec")


def attention(query: Any, key: Any, value: Any, attn_mask: Any = None, dropout_p: float = 0.0, is_causal: bool = False,
              scale: Optional[float] = None) -> Any:
    """torch.nn.functional.scaled_dot_product_attention, for a PyTorch before 2.0."""
    weights = query @ key.transpose(-2, -1) * (scale or query.shape[-1] ** -0.5)
    if is_causal:
        weights = weights + torch.full(weights.shape[-2:], float("-inf"), dtype=weights.dtype, device=weights.device).triu(1)
    if attn_mask is not None:
        weights = weights.masked_fill(~attn_mask, float("-inf")) if attn_mask.dtype == torch.bool else weights + attn_mask
    return torch.softmax(weights, -1) @ value


if not hasattr(torch.nn.functional, "scaled_dot_product_attention"):
    torch.nn.functional.scaled_dot_product_attention = attention


def module_of(source: str, path: Path, cap: Optional[int]) -> Dict[str, Any]:
    """The file's names, after it was run."""
    space: Dict[str, Any] = {"__name__": "imported_task", "__file__": str(path)}
    code = capped(source, path, cap)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(code, space)
    except Exception as e:  # the file's own code
        raise Refused(f"running the file failed: {type(e).__name__}: {e}") from None
    for name in ("Model", "get_inputs", "get_init_inputs"):
        if name not in space:
            raise Refused(f"no {name} in the file: is it a task of KernelBench's style?")
    return space


@contextlib.contextmanager
def on(device: str) -> Iterator[None]:
    """Tensors that the file makes lie on `device`; on "meta" they have a shape and no memory."""
    if device == "cpu":
        yield
        return
    kept = {name: getattr(torch, name) for name in MAKERS}

    def moved(make: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *a, **k: make(*a, **{**k, "device": device})
    for name, make in kept.items():
        setattr(torch, name, moved(make))
    try:
        yield
    finally:
        for name, make in kept.items():
            setattr(torch, name, make)


def largest(source: str, path: Path, cap: Optional[int], draw: Callable[[Dict[str, Any], str], Any]) -> int:
    """Elements of the largest tensor among inputs and parameters, none of which is made."""
    inputs, model = draw(module_of(source, path, cap), "meta")
    return max([i.numel() for i in inputs if isinstance(i, torch.Tensor)] + [p.numel() for p in model.parameters()] + [1])


def small_enough(source: str, path: Path, elements: int, draw: Callable[[Dict[str, Any], str], Any]) -> List[int]:
    """Caps of the file's numbers, the best first: those whose largest tensor has at most `elements`, then, for networks whose layers are large
    themselves, those of up to 64 times as many, the smallest first."""
    draw(module_of(source, path, None), "meta")  # what is wrong with the file as it is
    found = []
    for cap in CAPS:
        try:
            found.append((largest(source, path, cap, draw), cap))
        except Refused:
            continue  # this cap breaks a relation of the shapes; a smaller one may not
    large = sorted((size, cap) for size, cap in found if elements < size <= 64 * elements)
    usable = [cap for size, cap in found if size <= elements] + [cap for _, cap in large]
    if not usable:
        raise Refused(f"no shape of at most {64 * elements} elements was found by capping its numbers")
    return usable

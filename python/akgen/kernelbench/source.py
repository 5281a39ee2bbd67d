"""A task file: class Model, get_inputs(), get_init_inputs(), with shapes as numbers of the module, which can be capped."""
from __future__ import annotations

import ast
import contextlib
import dataclasses
import io
import re
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Tuple

import torch

from . import Refused

LEAST_DIVIDED = 8  # smaller numbers are kernel sizes, strides, channels of an image
MAKERS = ("rand", "randn", "randint", "zeros", "ones", "full", "empty", "arange", "randperm", "tensor", "eye", "linspace")


HUB = re.compile(r"from_pretrained|^\s*(?:from|import)\s+(?:transformers|huggingface_hub|diffusers|timm)\b", re.M)


@dataclasses.dataclass(frozen=True)
class Caps:
    """What becomes of a file's numbers. `outer`: the most in assignments of the module, get_inputs and get_init_inputs; `inner`: in its classes;
    0: as they are. `part`: those of 8 and more are divided by it, in classes too where `inner` is set. `own`: single numbers by their place among
    those above 2, smaller still."""

    outer: int = 0
    inner: int = 0
    part: int = 1
    own: Tuple[Tuple[int, int], ...] = ()


class Capped(ast.NodeTransformer):
    def __init__(self, caps: Caps) -> None:
        self.caps, self.own, self.inside = caps, dict(caps.own), False
        self.numbers: List[Tuple[int, bool]] = []  # what they became, and whether they are in a class

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if not isinstance(node.value, int) or isinstance(node.value, bool) or node.value <= 2:
            return node
        cap = self.caps.inner if self.inside else self.caps.outer
        value = min(node.value, cap or node.value)
        if value >= LEAST_DIVIDED and cap:
            value //= self.caps.part
        value = self.own.get(len(self.numbers), value)
        self.numbers.append((value, self.inside))
        return ast.copy_location(ast.Constant(value), node)

    def apply(self, tree: ast.Module) -> ast.Module:
        for i, node in enumerate(tree.body):
            self.inside = isinstance(node, ast.ClassDef)
            if self.inside or isinstance(node, (ast.Assign, ast.AnnAssign)) or \
                    isinstance(node, ast.FunctionDef) and node.name in ("get_inputs", "get_init_inputs"):
                tree.body[i] = self.visit(node)
        return ast.fix_missing_locations(tree)


OUTER = [Caps(1 << k) for k in range(20, 2, -1)]


def read(source: str, path: Path) -> ast.Module:
    if HUB.search(source):
        raise Refused("its weights come from a hub, which is unsupported")
    try:
        return ast.parse(source, str(path))
    except SyntaxError as e:
        raise Refused(f"no Python: line {e.lineno}: {e.msg}") from None


def numbers(source: str, path: Path, caps: Caps) -> List[Tuple[int, bool]]:
    """Those above 2 that caps can change, as these leave them, and whether each is in a class."""
    change = Capped(caps)
    change.apply(read(source, path))
    return change.numbers


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


def module_of(source: str, path: Path, caps: Caps = Caps()) -> Dict[str, Any]:
    """The file's names, after it was run."""
    space: Dict[str, Any] = {"__name__": "imported_task", "__file__": str(path)}
    code = compile(Capped(caps).apply(read(source, path)), str(path), "exec")
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


def largest(source: str, path: Path, caps: Caps, draw: Callable[[Dict[str, Any], str], Any]) -> int:
    """Elements of the largest tensor among inputs and parameters, none of which is made."""
    inputs, model = draw(module_of(source, path, caps), "meta")
    return max([i.numel() for i in inputs if isinstance(i, torch.Tensor)] + [p.numel() for p in model.parameters()] + [1])


def small_enough(source: str, path: Path, elements: int, draw: Callable[[Dict[str, Any], str], Any], times: int = 64, tried: Iterable[Caps] = OUTER) -> List[Caps]:
    """Of these caps of the file's numbers, the best first: those whose largest tensor has at most `elements`, then, for networks whose layers are
    large themselves, those of up to `times` as many, the smallest first."""
    draw(module_of(source, path), "meta")  # what is wrong with the file as it is
    found = []
    for caps in tried:
        try:
            found.append((largest(source, path, caps, draw), caps))
        except Refused:
            continue  # this cap breaks a relation of the shapes; a smaller one may not
    large = sorted((f for f in found if elements < f[0] <= times * elements), key=lambda f: f[0])
    return [caps for size, caps in found if size <= elements] + [caps for _, caps in large]

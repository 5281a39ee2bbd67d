"""Values of a program while it is written: tensors with what they are in the example, numbers with where they come from."""
from __future__ import annotations

import math
from typing import Any, Dict, List, Optional, Tuple

import torch

INT_MAX = 9223372036854775807


class Ten:
    """A tensor of the program: its name, and what it is in the example, floating values in float64."""

    def __init__(self, name: str, value: torch.Tensor) -> None:
        self.name, self.value = name, value

    @property
    def shape(self) -> Tuple[int, ...]:
        return tuple(self.value.shape)

    @property
    def rank(self) -> int:
        return int(self.value.dim())

    @property
    def is_bool(self) -> bool:
        return bool(self.value.dtype == torch.bool)

    @property
    def is_float(self) -> bool:
        return bool(self.value.is_floating_point())


class Num:
    """A number: a literal, or an expression of sizes."""

    def __init__(self, text: str, value: Any) -> None:
        self.text, self.value = text, value


def literal(value: Any) -> str:
    if isinstance(value, float):
        if math.isnan(value) or math.isinf(value):
            return f"float('{value}')"
        return repr(value)
    return repr(value)


def number_of(value: Any) -> Any:
    return value.value if isinstance(value, Num) else value


def text_of(value: Any) -> str:
    if isinstance(value, (Ten, Num)):
        return value.name if isinstance(value, Ten) else value.text
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(text_of(v) for v in value) + "]"
    return literal(value)


def plain(value: Any) -> Any:
    """As PyTorch takes it."""
    if isinstance(value, Ten):
        return value.value
    if isinstance(value, Num):
        return value.value
    return [plain(v) for v in value] if isinstance(value, (list, tuple)) else value


def arithmetic(op: str, args: List[Any]) -> Optional[Num]:
    """An operator on numbers alone; nothing where it is none of arithmetic."""
    a = args[0]
    b = args[1] if len(args) > 1 and not isinstance(args[1], str) else None
    x, y = number_of(a), number_of(b)
    one: Dict[str, Tuple[str, Any]] = {"neg": ("(-{})", lambda: -x), "sqrt": ("(float({}) ** 0.5)", lambda: math.sqrt(x)), "rsqrt": ("(float({}) ** -0.5)", lambda: 1 / math.sqrt(x)),
           "reciprocal": ("(1.0 / {})", lambda: 1 / x), "exp": ("(2.718281828459045 ** float({}))", lambda: math.exp(x)),
           "log": ("torch.log(float({}))", lambda: math.log(x)), "log2": ("(torch.log(float({})) * 1.4426950408889634)", lambda: math.log2(x)),
           "Int": ("int({})", lambda: int(x)), "Float": ("float({})", lambda: float(x))}
    if op in ("ScalarImplicit", "IntImplicit", "FloatImplicit", "NumToTensor", "detach", "clone", "contiguous", "alias", "lift_fresh", "lift"):
        return a if isinstance(a, Num) else Num(literal(a), a)
    if op == "Int" and isinstance(x, int):
        return a if isinstance(a, Num) else Num(literal(a), a)
    if op == "to":  # a dtype: integers become floating-point where it is one
        return a if isinstance(a, Num) else Num(literal(a), a)
    if op in one:
        form, run = one[op]
        return Num(form.format(text_of(a)), run())
    two: Dict[str, Tuple[str, Any]] = {"add": ("({} + {})", lambda: x + y), "sub": ("({} - {})", lambda: x - y), "mul": ("({} * {})", lambda: x * y),
           "div": ("({} / {})", lambda: x / y), "true_divide": ("({} / {})", lambda: x / y), "floor_divide": ("({} // {})", lambda: x // y),
           "remainder": ("({} % {})", lambda: x % y), "rsub": ("({1} - {0})", lambda: y - x), "pow": ("({} ** {})", lambda: x**y),
           "maximum": ("max({}, {})", lambda: max(x, y)), "minimum": ("min({}, {})", lambda: min(x, y))}
    if op in two and b is not None:
        if op == "div" and len(args) > 2 and args[2] is not None:
            op = "floor_divide"
        if op in ("add", "sub", "rsub") and len(args) > 2 and number_of(args[2]) != 1:
            return None
        form, run = two[op]
        return Num(form.format(text_of(a), text_of(b)), run())
    return None

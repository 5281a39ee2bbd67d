"""Functions of elements that PyTorch has and the planner has not, by others that it has."""
from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, List

import torch

from .operators import RULES, are_integers, cast, dims_of, quotient, rule
from .values import Ten, number_of

if TYPE_CHECKING:
    from .writer import Writer

INFINITY = float("inf")
RULES["deg2rad"] = lambda w, a, dtype: w.do("mul", a[0], math.pi / 180)
RULES["rad2deg"] = lambda w, a, dtype: w.do("mul", a[0], 180 / math.pi)
RULES["isposinf"] = lambda w, a, dtype: w.do("eq", a[0], INFINITY)
RULES["isneginf"] = lambda w, a, dtype: w.do("eq", a[0], -INFINITY)
RULES["signbit"] = lambda w, a, dtype: negative(w, a[0])
RULES["copysign"] = lambda w, a, dtype: signed(w, w.do("abs", a[0]), w.tensor(a[1]))
RULES["ldexp"] = lambda w, a, dtype: w.do("mul", a[0], w.do("pow", 2.0, a[1]))
RULES["float_power"] = lambda w, a, dtype: w.do("pow", a[0], a[1])
RULES["fmod"] = lambda w, a, dtype: rest(w, a[0], a[1], "trunc", dtype)
RULES["remainder"] = lambda w, a, dtype: rest(w, a[0], a[1], "floor", dtype)


def is_nan(w: Writer, x: Ten) -> Ten:
    out: Ten = w.do("ne", x, x)
    return out


def negative(w: Writer, x: Ten) -> Ten:
    """Whether the sign is set: that of 0 too."""
    zero = w.do("logical_and", w.do("eq", x, 0), w.do("lt", w.do("reciprocal", x), 0)) if x.is_float else None
    below: Ten = w.do("lt", x, 0)
    return below if zero is None else w.do("logical_or", below, zero)


def signed(w: Writer, magnitude: Ten, like: Ten) -> Ten:
    out: Ten = w.do("where", negative(w, like), w.do("neg", magnitude), magnitude)
    return out


def rest(w: Writer, x: Any, y: Any, towards: str, dtype: Any) -> Any:
    """What a division leaves."""
    whole = not any(t.is_float if isinstance(t, Ten) else isinstance(number_of(t), float) for t in (x, y))
    if towards == "floor" and whole and isinstance(x, Ten):
        return w.do("remainder", x, y)
    if towards == "trunc" and are_integers([x, y]):
        return cast(w, w.do("sub", x, w.do("mul", quotient(w, cast(w, x, torch.int64), y, towards), y)), dtype)
    got = w.do("sub", x, w.do("mul", w.do(towards, w.do("div", x, y)), y))
    return cast(w, got, dtype) if whole else got


@rule("sinc")
def sinc(w: Writer, a: List[Any], dtype: Any) -> Any:
    angle = w.do("mul", a[0], math.pi)
    return w.do("where", w.do("eq", a[0], 0), 1.0, w.do("div", w.do("sin", angle), angle))


@rule("acosh", "arccosh")
def acosh(w: Writer, a: List[Any], dtype: Any) -> Any:
    x = a[0]
    near = w.do("where", w.do("lt", x, 2), w.do("div", w.do("sub", x, 1), x), w.do("rsub", w.do("reciprocal", x), 1))
    root = w.do("sqrt", w.do("mul", near, w.do("add", w.do("reciprocal", x), 1)))
    return w.do("add", w.do("log", x), w.do("log1p", root))


@rule("asinh", "arcsinh")
def asinh(w: Writer, a: List[Any], dtype: Any) -> Any:
    far = w.do("abs", a[0])
    x = w.do("clamp", far, None, 1e8)
    root = w.do("add", w.do("sqrt", w.do("add", w.do("mul", x, x), 1)), 1)
    near = w.do("log1p", w.do("add", x, w.do("div", w.do("mul", x, x), root)))
    return signed(w, w.do("where", w.do("gt", far, 1e8), w.do("add", w.do("log", far), math.log(2)), near), a[0])


@rule("atanh", "arctanh")
def atanh(w: Writer, a: List[Any], dtype: Any) -> Any:
    return w.do("mul", w.do("sub", w.do("log1p", a[0]), w.do("log1p", w.do("neg", a[0]))), 0.5)


@rule("atan2", "arctan2")
def atan2(w: Writer, a: List[Any], dtype: Any) -> Any:
    """The angle of (x, y), of the smaller one over the larger one first."""
    y, x = w.do("abs", a[0]), w.do("abs", a[1])
    high = w.do("maximum", x, y)
    share = w.do("div", w.do("minimum", x, y), w.do("where", w.do("eq", high, 0), 1.0, high))
    angle = w.do("atan", w.do("where", w.do("logical_and", w.do("eq", x, y), w.do("gt", high, 0)), 1.0, share))
    angle = w.do("where", w.do("gt", y, x), w.do("rsub", angle, math.pi / 2), angle)
    angle = w.do("where", negative(w, a[1]), w.do("rsub", angle, math.pi), angle)
    return signed(w, angle, a[0])


def of_numbers(op: str) -> Any:
    def run(w: Writer, a: List[Any], dtype: Any) -> Any:
        """The other one where one is NaN."""
        x, y = a
        return w.do("where", is_nan(w, x), y, w.do("where", is_nan(w, y), x, w.do(op, x, y)))
    return run


RULES["fmax"], RULES["fmin"] = of_numbers("maximum"), of_numbers("minimum")


def adding_exponents(base: float) -> Any:
    def run(w: Writer, a: List[Any], dtype: Any) -> Any:
        """log(b^x + b^y)."""
        x, y = a
        far = w.do("where", w.do("eq", x, y), 0.0, w.do("abs", w.do("sub", x, y)))  # also where both are infinite
        more = w.do("log1p", w.do("exp", w.do("mul", far, -math.log(base))))
        return w.do("add", w.do("maximum", x, y), more if base == math.e else w.do("mul", more, 1 / math.log(base)))
    return run


RULES["logaddexp"], RULES["logaddexp2"] = adding_exponents(math.e), adding_exponents(2)


@rule("xlogy", "special_xlogy")
def xlogy(w: Writer, a: List[Any], dtype: Any) -> Any:
    x, y = w.tensor(a[0]), w.tensor(a[1])
    product = w.do("mul", x, w.do("log", y))
    return w.do("where", w.do("logical_and", w.do("eq", x, 0), w.do("eq", y, y)), 0.0, product)


@rule("rrelu")
def rrelu(w: Writer, a: List[Any], dtype: Any) -> Any:
    """As it is outside of training: the mean of the slopes."""
    return w.do("where", w.do("ge", a[0], 0), a[0], w.do("mul", a[0], (number_of(a[1]) + number_of(a[2])) / 2))


@rule("pairwise_distance")
def pairwise_distance(w: Writer, a: List[Any], dtype: Any) -> Any:
    x, y, p, eps, keep = a
    return RULES["norm"](w, [w.do("add", w.do("sub", x, y), eps), p, [-1], bool(number_of(keep))], dtype)


@rule("heaviside")
def heaviside(w: Writer, a: List[Any], dtype: Any) -> Any:
    step = w.do("where", w.do("gt", a[0], 0), 1.0, w.do("where", is_nan(w, a[0]), a[0], 0.0))
    return w.do("where", w.do("eq", a[0], 0), a[1], step)


@rule("isclose")
def isclose(w: Writer, a: List[Any], dtype: Any) -> Any:
    x, y, relative, absolute, nan = a[0], a[1], a[2], a[3], bool(number_of(a[4]))
    far = w.do("abs", w.do("sub", x, y))
    near = w.do("logical_and", w.do("le", far, w.do("add", w.do("mul", w.do("abs", y), relative), absolute)), w.do("lt", far, INFINITY))
    near = w.do("logical_or", near, w.do("eq", x, y))
    return w.do("logical_or", near, w.do("logical_and", is_nan(w, x), is_nan(w, y))) if nan else near


@rule("dist")
def dist(w: Writer, a: List[Any], dtype: Any) -> Any:
    return RULES["norm"](w, [w.do("sub", a[0], a[1]), a[2]], dtype)


def of_those_that_are(op: str) -> Any:
    def run(w: Writer, a: List[Any], dtype: Any) -> Any:
        """Over the elements that are not NaN."""
        x, dims, keep = a[0], dims_of(a[1] if len(a) > 1 else None, a[0].rank), len(a) > 2 and bool(number_of(a[2]))
        there = w.do("eq", x, x)
        total = w.do("sum", w.do("where", there, x, 0.0), dims, keep)
        return total if op == "sum" else w.do("div", total, w.do("sum", w.do("where", there, 1.0, 0.0), dims, keep))
    return run


RULES["nansum"], RULES["nanmean"] = of_those_that_are("sum"), of_those_that_are("mean")

"""Interpolation and pooling to sizes that are no multiples: rows chosen by computed places, and weights of them.

Places are fractions of integers, rounded down with half a unit to spare: what float32 makes of them is exact.
"""
from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any, List, Optional, Tuple

from .operators import RULES, floating, pick, rule, sizes_of
from .values import Num, Ten, number_of

if TYPE_CHECKING:
    from .writer import Writer

MAX_PARTS = 32  # windows of different sizes along a dimension, each a part of its own
LARGEST_PLACE = 1 << 22  # as a fraction's numerator, so that float32 holds it with its half


def plus(w: Writer, x: Ten, by: Any) -> Ten:
    out: Ten = x if number_of(by) == 0 else w.do("add", x, by)
    return out


def times(w: Writer, x: Ten, by: Any) -> Ten:
    out: Ten = x if number_of(by) == 1 else w.do("mul", x, by)
    return out


def along(w: Writer, t: Ten, x: Ten, d: int) -> Ten:
    """A vector over dimension d of x, to be multiplied with x."""
    for _ in range(x.rank - 1 - d):
        t = w.do("unsqueeze", t, -1)
    return t


def rows(w: Writer, x: Ten, d: int, places: Ten) -> Ten:
    out: Ten = pick(w, x, d, w.do("to", w.do("clamp", places, 0, Num(f"({w.size(x, d).text} - 1)", x.shape[d] - 1)), 4))
    return out


class Places:
    """Where the m elements along a dimension lie among its n: the element before, and the share of the way to the next."""

    def __init__(self, w: Writer, n: Num, m: int, aligned: bool, scale: Optional[float], clamped: bool) -> None:
        i = floating(w, w.do("arange", m))
        if aligned:
            numerator, by = times(w, i, Num(f"({n.text} - 1)", n.value - 1)), Num(str(max(m - 1, 1)), max(m - 1, 1))
        else:
            if scale is None:
                out, of = Num(str(m), m), n
            else:
                told = Fraction(scale).limit_denominator(4096)
                if abs(float(told) - scale) > 1e-12 * scale:
                    raise w.refuse(f"interpolation by a factor of {scale!r} is not supported; give the size of the result")
                out, of = Num(str(told.numerator), told.numerator), Num(str(told.denominator), told.denominator)
            # (i + 1/2) / scale - 1/2
            numerator = w.do("sub", times(w, plus(w, times(w, i, 2), 1), of), out)
            by = Num(f"(2 * {out.text})", 2 * out.value)
        if int(numerator.value.abs().max()) >= LARGEST_PLACE:
            raise w.refuse("interpolation of so many elements is not supported")
        if clamped:
            numerator = w.do("clamp", numerator, 0, None)
        self.before: Ten = w.do("floor", w.do("div", plus(w, numerator, 0.5), by))
        self.share: Ten = w.do("div", w.do("sub", numerator, times(w, self.before, by)), by)


def weighted(w: Writer, x: Ten, d: int, taps: List[Tuple[Ten, Ten]]) -> Ten:
    """The sum of rows at places times weights."""
    made: Optional[Ten] = None
    for place, weight in taps:
        one = w.do("mul", rows(w, x, d, place), along(w, weight, x, d))
        made = one if made is None else w.do("add", made, one)
    assert made is not None
    return made


CUBIC = -0.75  # PyTorch's


def cubic_near(w: Writer, t: Ten) -> Ten:
    """The weight of an element at most 1 away."""
    out: Ten = plus(w, w.do("mul", w.do("mul", plus(w, times(w, t, CUBIC + 2), -(CUBIC + 3)), t), t), 1.0)
    return out


def cubic_far(w: Writer, t: Ten) -> Ten:
    """The weight of an element between 1 and 2 away."""
    inner = plus(w, w.do("mul", plus(w, times(w, t, CUBIC), -5 * CUBIC), t), 8 * CUBIC)
    return plus(w, w.do("mul", inner, t), -4 * CUBIC)


def resampled(w: Writer, x: Ten, d: int, m: int, mode: str, aligned: bool, scale: Optional[float]) -> Ten:
    n = w.size(x, d)
    if mode == "nearest":
        told = Fraction(scale).limit_denominator(4096) if scale else None
        by, of = (Num(str(told.numerator), told.numerator), Num(str(told.denominator), told.denominator)) if told else (Num(str(m), m), n)
        i = floating(w, w.do("arange", m))
        return rows(w, x, d, w.do("floor", w.do("div", plus(w, times(w, i, of), 0.5), by)))
    if mode == "nearest-exact":
        i = plus(w, times(w, floating(w, w.do("arange", m)), 2), 1)
        return rows(w, x, d, w.do("floor", w.do("div", plus(w, times(w, i, n), 0.5), 2 * m)))
    at = Places(w, n, m, aligned, scale, mode == "linear")
    t, rest = at.share, w.do("rsub", at.share, 1.0)
    if mode == "linear":
        return weighted(w, x, d, [(at.before, rest), (plus(w, at.before, 1), t)])
    return weighted(w, x, d, [(plus(w, at.before, -1), cubic_far(w, plus(w, t, 1.0))), (at.before, cubic_near(w, t)),
                              (plus(w, at.before, 1), cubic_near(w, rest)), (plus(w, at.before, 2), cubic_far(w, plus(w, rest, 1.0)))])


def smoothed(w: Writer, x: Ten, d: int, m: int) -> Ten:
    """Triangles as wide as a step where the result has fewer elements: interpolation without aliasing."""
    n = x.shape[d]
    by = max(n / m, 1.0)
    centre = times(w, plus(w, floating(w, w.do("arange", m)), 0.5), n / m)
    first = w.do("clamp", w.do("floor", plus(w, centre, 0.5 - by)), 0, None)
    last = w.do("clamp", w.do("floor", plus(w, centre, 0.5 + by)), None, n)
    weights, total = [], None
    for k in range(int(2 * by) + 2):
        place = plus(w, first, k)
        far = w.do("abs", times(w, plus(w, w.do("sub", place, centre), 0.5), 1.0 / by))
        weight = w.do("where", w.do("lt", place, last), w.do("clamp", w.do("rsub", far, 1.0), 0, None), 0.0)
        total = weight if total is None else w.do("add", total, weight)
        weights.append((place, weight))
    assert total is not None
    return weighted(w, x, d, [(place, w.do("div", weight, total)) for place, weight in weights])


def interpolating(op: str, mode: str, rank: int, smooth: bool = False) -> Any:
    def run(w: Writer, a: List[Any], dtype: Any) -> Any:
        x, size, more = a[0], a[1], a[2:]
        aligned = bool(number_of(more.pop(0))) if mode in ("linear", "cubic") else False
        scales = [number_of(s) for s in (more[0] or [])] if more and isinstance(more[0], list) else [number_of(s) for s in more]
        scales = [None] * rank if len(scales) < rank else scales
        first = x.rank - rank
        sizes = [number_of(s) for s in size] if size else [int(x.shape[first + i] * float(s)) for i, s in enumerate(scales)]
        whole = all(m % n == 0 and s in (None, m / n) for m, n, s in zip(sizes, x.shape[first:], scales))
        if whole and not aligned and not smooth and mode in ("nearest", "linear"):
            return w.do(op, *a)
        for d in range(x.rank - 1, first - 1, -1):
            if sizes[d - first] != x.shape[d] or aligned or mode == "cubic":
                x = smoothed(w, x, d, sizes[d - first]) if smooth else resampled(w, x, d, sizes[d - first], mode, aligned, scales[d - first])
        return x
    return run


for _op, _mode, _rank in (("linear1d", "linear", 1), ("bilinear2d", "linear", 2), ("trilinear3d", "linear", 3), ("nearest1d", "nearest", 1), ("nearest2d", "nearest", 2),
                          ("nearest3d", "nearest", 3), ("bicubic2d", "cubic", 2)):
    RULES[f"upsample_{_op}"] = interpolating(f"upsample_{_op}", _mode, _rank)
for _rank in (1, 2, 3):
    RULES[f"_upsample_nearest_exact{_rank}d"] = interpolating("", "nearest-exact", _rank)
RULES["_upsample_bilinear2d_aa"] = interpolating("", "linear", 2, smooth=True)


# ---- places that are arguments

def unnormalised(w: Writer, g: Ten, n: Num, aligned: bool) -> Ten:
    """From -1 … 1 to places."""
    if aligned:
        return times(w, times(w, plus(w, g, 1.0), 0.5), Num(f"({n.text} - 1)", n.value - 1))
    return times(w, plus(w, times(w, plus(w, g, 1.0), n), -1.0), 0.5)


@rule("grid_sampler", "grid_sampler_2d")
def grid_sampler(w: Writer, a: List[Any], dtype: Any) -> Any:
    x, grid, mode, padding, aligned = a[0], a[1], number_of(a[2]), number_of(a[3]), bool(number_of(a[4]))
    if x.rank != 4 or mode > 1 or padding > 1:
        raise w.refuse("grid_sample takes images, bilinear or nearest, with zeros or the border's elements beyond")
    sizes = [w.size(x, 2), w.size(x, 3)]
    at = [unnormalised(w, w.do("select", grid, 3, 1 - k), sizes[k], aligned) for k in (0, 1)]
    if padding == 1:
        at = [w.do("clamp", p, 0, Num(f"({n.text} - 1)", n.value - 1)) for p, n in zip(at, sizes)]
    whole = Num(f"({sizes[0].text} * {sizes[1].text})", sizes[0].value * sizes[1].value)
    places = Num(f"({w.size(grid, 1).text} * {w.size(grid, 2).text})", grid.shape[1] * grid.shape[2])
    flat = w.do("reshape", x, [w.size(x, 0), w.size(x, 1), whole])

    def element(y: Ten, z: Ten) -> Ten:
        """Of the image; 0 where the place is none of it."""
        inside = None
        for p, n in ((y, sizes[0]), (z, sizes[1])):
            both = w.do("logical_and", w.do("ge", p, 0), w.do("lt", p, n))
            inside = both if inside is None else w.do("logical_and", inside, both)
        index = w.do("where", inside, w.do("add", times(w, y, sizes[1]), z), 0.0)
        index = w.do("reshape", w.do("to", index, 4), [w.size(grid, 0), 1, places])
        index = w.do("expand", index, [w.size(x, 0), w.size(x, 1), places])
        inside = w.do("reshape", inside, [w.size(grid, 0), 1, places])
        out: Ten = w.do("where", inside, w.do("gather", flat, 2, index), 0.0)
        return out
    shape = [w.size(x, 0), w.size(x, 1), w.size(grid, 1), w.size(grid, 2)]
    if mode == 1:
        return w.do("reshape", element(*[w.do("round", p) for p in at]), shape)
    before = [w.do("floor", p) for p in at]
    share = [w.do("sub", p, b) for p, b in zip(at, before)]
    made = None
    for k in (0, 1):
        for i in (0, 1):
            corner = element(plus(w, before[0], k), plus(w, before[1], i))
            weight = w.do("mul", share[0] if k else w.do("rsub", share[0], 1.0), share[1] if i else w.do("rsub", share[1], 1.0))
            one = w.do("mul", corner, w.do("reshape", weight, [w.size(grid, 0), 1, places]))
            made = one if made is None else w.do("add", made, one)
    return w.do("reshape", made, shape)


@rule("affine_grid_generator")
def affine_grid(w: Writer, a: List[Any], dtype: Any) -> Any:
    theta, size, aligned = a[0], a[1], bool(number_of(a[2]))
    if theta.shape[1:] != (2, 3):
        raise w.refuse("affine_grid takes matrices of 2 by 3")
    lines = []
    for d, n in ((3, size[3]), (2, size[2])):
        i = floating(w, w.do("arange", n))
        made = plus(w, times(w, i, 2.0 / max(number_of(n) - 1, 1)), -1.0) if aligned else plus(w, w.do("div", plus(w, times(w, i, 2), 1), n), -1.0)
        lines.append(made if d == 3 else w.do("unsqueeze", made, 1))
    out = []
    for row in (0, 1):
        entries = [w.do("unsqueeze", w.do("unsqueeze", w.do("select", w.do("select", theta, 1, row), 1, k), 1), 2) for k in range(3)]
        sum_of = w.do("add", w.do("mul", entries[0], lines[0]), w.do("mul", entries[1], lines[1]))
        out.append(w.do("unsqueeze", w.do("add", sum_of, entries[2]), 3))
    return w.do("cat", out, 3)


# ---- pooling

def listed(value: Any, rank: int) -> List[int]:
    said = [number_of(v) for v in (value if isinstance(value, list) else [value])]
    return said * rank if len(said) == 1 else said


class Windows:
    """Those of a pooling, and how far the last ones reach beyond the padded input where one more begins in it."""

    def __init__(self, x: Ten, rank: int, kernel: Any, stride: Any, padding: Any, apart: Any = 1) -> None:
        self.kernel, self.padding = listed(kernel, rank), listed(padding, rank)
        self.stride, self.apart = listed(stride, rank) if stride else self.kernel, listed(apart, rank)
        self.beyond: List[int] = []
        for n, k, s, p, by in zip(x.shape[x.rank - rank:], self.kernel, self.stride, self.padding, self.apart):
            reach = by * (k - 1) + 1
            m = -(-(n + 2 * p - reach) // s) + 1
            m -= (m - 1) * s >= n + p
            self.beyond.append(max(0, (m - 1) * s + reach - (n + 2 * p)))

    def padded(self, w: Writer, x: Ten, value: float) -> Ten:
        pads = [v for p, more in zip(reversed(self.padding), reversed(self.beyond)) for v in (p, p + more)]
        out: Ten = w.do("constant_pad_nd", x, pads, value) if any(pads) else x
        return out


def largest_of(rank: int) -> Any:
    def run(w: Writer, a: List[Any], dtype: Any) -> Any:
        x, kernel, stride, padding, apart, up = a
        if not bool(number_of(up)):
            return w.do(f"max_pool{rank}d", *a)
        windows = Windows(x, rank, kernel, stride, padding, apart)
        return w.do(f"max_pool{rank}d", windows.padded(w, x, float("-inf")), windows.kernel, windows.stride, [0] * rank, windows.apart, False)
    return run


def means_of(rank: int) -> Any:
    def run(w: Writer, a: List[Any], dtype: Any) -> Any:
        x, kernel, stride, padding, up, with_padding = a[:6]
        windows = Windows(x, rank, kernel, stride, padding)
        if not bool(number_of(up)):
            windows.beyond = [0] * rank
        if rank > 1 and a[6] is not None:
            made = w.do(f"avg_pool{rank}d", windows.padded(w, x, 0.0), windows.kernel, windows.stride, [0] * rank, False, True)
            return w.do("mul", made, math.prod(windows.kernel) / number_of(a[6]))
        if not any(windows.beyond) and (bool(number_of(with_padding)) or not any(windows.padding)):
            return w.do(f"avg_pool{rank}d", x, windows.kernel, windows.stride, windows.padding, False, True)
        made = w.do(f"avg_pool{rank}d", windows.padded(w, x, 0.0), windows.kernel, windows.stride, [0] * rank, False, True)
        for i in range(rank):  # elements of the window that count
            d, p, k = x.rank - rank + i, windows.padding[i], windows.kernel[i]
            first = plus(w, times(w, floating(w, w.do("arange", w.size(made, d))), windows.stride[i]), -p)
            n, low = w.size(x, d), 0
            if bool(number_of(with_padding)):
                n, low = Num(f"({n.text} + {p})", n.value + p), -p
            counted = w.do("sub", w.do("clamp", plus(w, first, k), None, n), w.do("clamp", first, low, None))
            made = w.do("mul", made, along(w, w.do("mul", w.do("reciprocal", counted), float(k)), made, d))
        return made
    return run


for _rank in (1, 2, 3):
    RULES[f"max_pool{_rank}d"], RULES[f"avg_pool{_rank}d"] = largest_of(_rank), means_of(_rank)


@rule("adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d")
def adaptive(w: Writer, a: List[Any], dtype: Any) -> Any:
    """Means of windows that differ in size where the sizes do not divide each other: dimension by dimension."""
    x, sizes = a[0], [number_of(s) for s in a[1]]
    first = x.rank - len(sizes)
    inner = range(first, x.rank)
    if all(m == 1 for m in sizes):
        return w.do("mean", x, list(inner), True)
    w.pin(x, inner)
    if all(n % m == 0 for n, m in zip(x.shape[first:], sizes)):
        return w.do(f"adaptive_avg_pool{len(sizes)}d", x, a[1])
    for d, m in zip(inner, sizes):
        n = x.shape[d]
        if m > MAX_PARTS:
            raise w.refuse(f"adaptive pooling takes up to {MAX_PARTS} windows that differ in size")
        if m != n:
            parts = [w.do("mean", w.do("slice", x, d, i * n // m, -(-(i + 1) * n // m), 1), [d], True) for i in range(m)]
            x = w.do("cat", parts, d) if m > 1 else parts[0]
    return x



def adaptive_largest(rank: int) -> Any:
    def run(w: Writer, a: List[Any], dtype: Any) -> Any:
        """The largest elements; where they lie is not written."""
        x, sizes = a[0], listed(a[1], rank)
        inner = list(range(x.rank - rank, x.rank))
        if all(m == 1 for m in sizes):
            return [w.do("amax", x, inner, True), None]
        w.pin(x, inner)
        for d, m in zip(inner, sizes):
            n = x.shape[d]
            if m > MAX_PARTS:
                raise w.refuse(f"adaptive pooling takes up to {MAX_PARTS} windows that differ in size")
            if m != n:
                parts = [w.do("amax", w.do("slice", x, d, i * n // m, -(-(i + 1) * n // m), 1), [d], True) for i in range(m)]
                x = w.do("cat", parts, d) if m > 1 else parts[0]
        return [x, None]
    return run


for _rank in (1, 2, 3):
    RULES[f"adaptive_max_pool{_rank}d"] = adaptive_largest(_rank)

"""What a captured program assumes of its arguments, found by trying: which sizes are fixed, equal, or multiples of something; and which
floating-point parameters it follows."""
from __future__ import annotations

import copy
import math
import re
import time
from typing import Any, Dict, List, Optional, Sequence, Tuple

from .examples import Tensor
from .program import Args, Checker, Program, capture, tensors_of
from .refusal import Refused
from .subject import Subject

Extent = Tuple[str, int]  # a tensor's name, a dimension
NUMBER = re.compile(r"(float\('-?[a-z]+'\)|(?<![\w.'\[])-?\d+\.\d*(?:e[-+]?\d+)?|(?<![\w.'\[])-?\d+e[-+]?\d+)")
SECONDS = 8.0


class Guard:
    """`require`: the condition in the kernel language, where its host can ask it."""

    def __init__(self, kind: str, text: str, require: Optional[str] = None, argument: str = "") -> None:
        self.kind, self.text, self.require, self.argument = kind, text, require, argument

    def record(self) -> Dict[str, Any]:
        return {"kind": self.kind, "argument": self.argument, "text": self.text, "require": self.require}


def resized(args: Args, change: Dict[Extent, int]) -> Args:
    out = copy.deepcopy(args)
    for name, spec in tensors_of(out):
        spec.shape = tuple(change.get((name, d), n) for d, n in enumerate(spec.shape))
    return out


class Sizes:
    """Which extents may change, and together with which."""

    def __init__(self, checker: Checker, args: Args, others: Sequence[Args], used: Sequence[str], fixed: Sequence[str]) -> None:
        self.checker, self.args = checker, args
        self.until = time.monotonic() + SECONDS
        self.shape = {n: t.shape for n, t in tensors_of(args) if n in used}
        self.fixed: List[Extent] = []
        self.multiple: Dict[Extent, int] = {}
        self.equal: List[List[Extent]] = []
        self.free: List[Tuple[List[Extent], int]] = []  # what may change, together, and by multiples of what
        classes: Dict[Tuple[int, ...], List[Extent]] = {}
        for name, shape in self.shape.items():
            for d in range(len(shape)):
                key = tuple(dict(tensors_of(a))[name].shape[d] for a in [args, *others])
                if name in fixed or f"{name}.{d}" in fixed:
                    self.fixed.append((name, d))
                else:
                    classes.setdefault(key, []).append((name, d))
        for members in classes.values():
            self.explore(members)
        self.least: Dict[Extent, int] = {}
        for group, by in self.free:
            least = self.smallest(group, by)
            if least > by:
                self.least.update({m: least for m in group})

    def tried(self, members: Sequence[Extent], by: int) -> str:
        if time.monotonic() > self.until:
            return "rejected"
        return self.checker.compare(resized(self.args, {m: self.shape[m[0]][m[1]] + by for m in members}), 7)

    def step(self, members: Sequence[Extent]) -> Optional[int]:
        """The smallest step, a power of two or three, by which these extents may grow together."""
        n = self.shape[members[0][0]][members[0][1]]
        for by in [1, 2, 3, 4, 8, 16, 32, 64, n]:
            if by <= 1 or n % by == 0:
                said = self.tried(members, by)
                if not said:
                    return by
                if said != "rejected" and by == 1:
                    return None  # the function takes it and the program does not: a size was read as a number
        return None

    def smallest(self, group: Sequence[Extent], by: int) -> int:
        """The smallest size that the function takes and the program computes: x[:, 3] needs four columns."""
        n = self.shape[group[0][0]][group[0][1]]
        sizes = [by * k for k in (1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32) if by * k < n]
        return next((m for m in sizes if not self.tried(group, m - n)), n)

    def explore(self, members: List[Extent]) -> None:
        left: List[Extent] = []
        alone: Dict[Extent, int] = {}
        for m in members:  # those that change alone
            by = self.step([m]) if len(members) > 1 else None
            if by is None:
                left.append(m)
            else:
                alone[m] = by
        if len(left) < len(members) and left and self.step(left) is None and self.step(members) is not None:
            left, alone = members, {}  # x.gather(1, i): more rows alone, but no fewer than i has
        for m, by in alone.items():
            self.free.append(([m], by))
            if by > 1:
                self.multiple[m] = by
        groups: List[List[Extent]] = []
        if len(left) > 2:  # by position from the end: x[i, j] + y[i, j] with i = j
            by_place: Dict[int, List[Extent]] = {}
            for m in left:
                by_place.setdefault(m[1] - len(self.shape[m[0]]), []).append(m)
            if len(by_place) > 1:
                for group in by_place.values():
                    if self.step(group) is not None:
                        groups.append(group)
        for group in groups:
            left = [m for m in left if m not in group]
        if left:
            groups.append(left)
        for group in groups:
            self.settle(group)

    def settle(self, group: List[Extent]) -> None:
        by = self.step(group)
        if by is None:
            self.fixed += group
            return
        self.free.append((group, by))
        if by > 1:
            for m in group:
                self.multiple[m] = by
        if len(group) > 1:
            self.equal.append(group)

    def together(self) -> List[Tuple[List[Extent], int]]:
        """What may change, those that are equal in the example as one: y.reshape(len(x), -1) takes many lengths of either, and not any two."""
        alike: Dict[int, List[Tuple[List[Extent], int]]] = {}
        for group, by in self.free:
            alike.setdefault(self.shape[group[0][0]][group[0][1]], []).append((group, by))
        return [([m for group, _ in all_of for m in group], math.prod({by for _, by in all_of})) for all_of in alike.values()]

    def another(self) -> Optional[Args]:
        """The example with every size that may change changed, no two alike: a case that tells sizes apart which the example has equal. Where
        they do not go together, as many as do."""
        primes = [3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41]

        def changed(i: int, group: List[Extent], by: int, first: int) -> Dict[Extent, int]:
            return {m: self.shape[m[0]][m[1]] + by * primes[(i + first) % len(primes)] for m in group}

        def taken(change: Dict[Extent, int]) -> bool:
            return bool(change) and not self.checker.compare(resized(self.args, change), 5)
        for groups in (self.free, self.together()):
            for first in (0, 1, 2):
                change = {k: v for i, (group, by) in enumerate(groups) for k, v in changed(i, group, by, first).items()}
                if taken(change):
                    return resized(self.args, change)
        some: Dict[Extent, int] = {}
        for i, (group, by) in enumerate(self.free):
            tries = ({**some, **changed(i, group, by, first)} for first in (0, 1, 2))
            some = next((change for change in tries if taken(change)), some)
        return resized(self.args, some) if some else None

    def guards(self) -> List[Guard]:
        out = []
        for name, d in sorted(self.fixed):
            n = self.shape[name][d]
            out.append(Guard("extent", f"{name}.shape[{d}] is {n}", f"{name}.shape[{d}] == {n}", name))
        for (name, d), by in sorted(self.multiple.items()):
            out.append(Guard("multiple", f"{name}.shape[{d}] is a multiple of {by}", f"{name}.shape[{d}] % {by} == 0", name))
        for (name, d), least in sorted(self.least.items()):
            out.append(Guard("least", f"{name}.shape[{d}] is at least {least}", f"{name}.shape[{d}] >= {least}", name))
        for group in self.equal:
            first = group[0]
            for name, d in group[1:]:
                out.append(Guard("equal", f"{name}.shape[{d}] equals {first[0]}.shape[{first[1]}]", f"{name}.shape[{d}] == {first[0]}.shape[{first[1]}]", name))
        return out


def sketch(program: Program) -> Tuple[List[str], List[float]]:
    """The program's text without its floating-point numbers, and those numbers."""
    parts = NUMBER.split(program.body())
    numbers = [float(p.replace("float('", "").replace("')", "")) for p in parts[1::2]]
    return parts[0::2], numbers


def expression(name: str, at: List[float], c: List[float]) -> Optional[str]:
    """c as an expression of the parameter, told from three values."""
    def close(a: float, b: float) -> bool:
        return abs(a - b) <= 1e-9 * max(1e-30, abs(a), abs(b))
    if all(close(x, y) for x, y in zip(at, c)):
        return name
    if all(close(x * y, at[0] * c[0]) for x, y in zip(at, c)):
        return f"({round_number(at[0] * c[0])!r} / {name})"
    p = round_number((c[1] - c[0]) / (at[1] - at[0]))
    q = round_number(c[0] - p * at[0])
    if not all(close(p * x + q, y) or abs(p * x + q - y) < 1e-12 for x, y in zip(at, c)):
        return f"({name} * {name})" if all(close(x * x, y) for x, y in zip(at, c)) else None
    if q == 0:
        return f"({p!r} * {name})" if p != -1 else f"(-{name})"
    return f"({q!r} - {name})" if p == -1 else f"({q!r} + {name})" if p == 1 else f"({q!r} + {p!r} * {name})"


def round_number(v: float) -> float:
    return float(f"{v:.9g}")


def follow(subject: Subject, args: Args, program: Program, fix: Sequence[str]) -> Tuple[List[str], List[str]]:
    """Makes floating-point parameters of the function parameters of the program; gives those that it follows, and those that are fixed."""
    followed: List[str] = []
    fixed: List[str] = []
    kept, numbers = sketch(program)
    texts: Dict[int, str] = {}
    for name, value in args.items():
        if not isinstance(value, float) or value != value or abs(value) == float("inf"):
            continue
        if name in fix:
            fixed.append(name)
            continue
        at = [value, value * 1.25 + (0.125 if value == 0 else 0), value * 0.75 + (0.375 if value == 0 else 0)]
        told = [numbers]
        try:
            for other in at[1:]:
                one = capture(subject, {**copy.deepcopy(args), name: other})
                same, found = sketch(one)
                if same != kept:
                    raise Refused("unfaithful", "")
                told.append(found)
        except Refused:
            fixed.append(name)
            continue
        moved = {i: expression(name, at, [t[i] for t in told]) for i in range(len(numbers)) if len({t[i] for t in told}) > 1}
        if any(e is None or i in texts for i, e in moved.items()):
            fixed.append(name)
            continue
        texts.update({i: e for i, e in moved.items() if e})
        if moved:
            followed.append(name)
    if texts:
        parts = NUMBER.split(program.body())
        for i, e in texts.items():
            parts[2 * i + 1] = e
        program.lines = "".join(parts).splitlines()[:-1]
    program.attributes = followed
    return followed, fixed


def value_guard(name: str, value: Any) -> Guard:
    """A Python value that the program was made for."""
    if isinstance(value, bool):
        return Guard("value", f"{name} is {value}", name if value else f"not {name}", name)
    if isinstance(value, int):
        return Guard("value", f"{name} is {value}", f"{name} == {value}", name)
    if isinstance(value, float):
        width = abs(value) * 1e-6 + 1e-12
        return Guard("value", f"{name} is {value!r}", f"{name} >= {value - width!r} and {name} <= {value + width!r}", name)
    if isinstance(value, str) and value.isprintable() and '"' not in value and "\\" not in value:
        return Guard("value", f"{name} is {value!r}", f'{name} == "{value}"', name)
    return Guard("value", f"{name} is {value!r}", None, name)


def rank_guards(args: Args, used: Sequence[str]) -> List[Guard]:
    out = []
    for name, value in args.items():
        if isinstance(value, list) and value and isinstance(value[0], Tensor):
            out.append(Guard("count", f"{name} has {len(value)} tensors", None, name))
    for name, spec in tensors_of(args):
        if name in used:
            out.append(Guard("rank", f"{name} has {len(spec.shape)} dimensions", f"len({name}.shape) == {len(spec.shape)}", name))
            out.append(Guard("dtype", f"{name} is {spec.dtype}", None, name))
    return out

"""Shapes of the outputs by those of the inputs, found by trying other sizes."""
from __future__ import annotations

from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple

from .assumptions import Sizes, resized
from .program import Args, Checker, tensors_of, values_for

Extent = Tuple[str, int]
Sample = Tuple[Dict[Extent, int], List[Tuple[int, ...]]]
STEPS = [3, 5, 7, 11, 13, 17, 19, 23, 29, 31]


class Size:
    """A dimension of an output. `text` has the extents of inputs as {x.0}."""

    def __init__(self, text: str, of: Callable[[Dict[Extent, int]], int]) -> None:
        self.text, self.of = text, of

    def written(self, extent: Callable[[str, int], str]) -> str:
        out = self.text
        while "{" in out:
            head, _, rest = out.partition("{")
            said, _, tail = rest.partition("}")
            name, _, dim = said.rpartition(".")
            out = head + extent(name, int(dim)) + tail
        return out


def outputs_at(checker: Checker, args: Args, change: Dict[Extent, int]) -> Optional[List[Tuple[int, ...]]]:
    other = resized(args, change)
    if checker.compare(other, 11):
        return None
    constants = [c.double() if c.is_floating_point() else c for c in checker.program.constants.values()]
    got = checker.run(*values_for(checker.subject, other, 11), *constants, *[other[n] for n, _ in checker.kinds])
    return [tuple(t.shape) for t in (got if isinstance(got, tuple) else (got,))]


def samples(checker: Checker, args: Args, sizes: Sizes) -> List[Sample]:
    base = {(n, d): e for n, t in tensors_of(args) for d, e in enumerate(t.shape)}
    changes: List[Dict[Extent, int]] = [{}]
    for i, (group, by) in enumerate(sizes.free):
        changes += [{m: base[m] + by * STEPS[(i + k) % len(STEPS)] for m in group} for k in (0, 3)]
    for groups in (sizes.free, sizes.together()):
        changes.append({m: base[m] + by * STEPS[i % len(STEPS)] for i, (group, by) in enumerate(groups) for m in group})
    out: List[Sample] = []
    for change in changes:
        shapes = outputs_at(checker, args, change)
        if shapes is not None:
            out.append(({**base, **change}, shapes))
    return out


def _size(text: str, number: Callable[..., int], extents: Sequence[Extent], k: int = 0) -> Size:
    """`number` gets the extents, then k."""
    return Size(text, lambda e: number(*(e[x] for x in extents), k))


def candidates(extents: Sequence[Extent], value: int, base: Dict[Extent, int]) -> Iterator[Size]:
    yield _size(str(value), lambda v: v, (), value)
    for x in extents:
        mark = "{%s.%d}" % x
        yield _size(mark, lambda n, _: n, (x,))
    for x in extents:
        mark, n = "{%s.%d}" % x, base[x]
        for k in range(2, 17):
            yield _size(f"{mark} // {k}", lambda n, k: n // k, (x,), k)
            yield _size(f"({mark} + {k - 1}) // {k}", lambda n, k: (n + k - 1) // k, (x,), k)
            yield _size(f"{mark} * {k}", lambda n, k: n * k, (x,), k)
        if value != n:
            yield _size(f"{mark} {'+' if value > n else '-'} {abs(value - n)}", lambda n, k: n + k, (x,), value - n)
    for i, x in enumerate(extents):
        for y in extents[i + 1:]:
            a, b = "{%s.%d}" % x, "{%s.%d}" % y
            yield _size(f"{a} + {b}", lambda n, m, _: n + m, (x, y))
            yield _size(f"{a} * {b}", lambda n, m, _: n * m, (x, y))
            yield _size(f"{a} - {b}", lambda n, m, _: n - m, (x, y))
            yield _size(f"{b} - {a}", lambda n, m, _: m - n, (x, y))


def shapes(checker: Checker, args: Args, sizes: Sizes, used: Sequence[str]) -> List[Optional[List[Size]]]:
    """For each output its dimensions; None where no expression fits what was tried."""
    told = samples(checker, args, sizes)
    if not told:
        return [None for _ in checker.program.outputs]
    base, first = told[0]
    extents = [x for x in base if x[0] in used]
    out: List[Optional[List[Size]]] = []
    for o, shape in enumerate(first):
        dims: List[Size] = []
        for d, value in enumerate(shape):
            fits = (c for c in candidates(extents, value, base) if all(len(s[o]) == len(shape) and c.of(e) == s[o][d] for e, s in told))
            found: Any = next(fits, None)
            if found is not None:
                dims.append(found)
        out.append(dims if len(dims) == len(shape) else None)
    return out

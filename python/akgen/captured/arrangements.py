"""Arrangements of elements that PyTorch has a name for, by slices, sizes and orders of dimensions."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, List

from .operators import RULES, pick, rule, sizes_of
from .values import INT_MAX, Num, Ten, number_of

if TYPE_CHECKING:
    from .writer import Writer


def at_least(w: Writer, x: Ten, rank: int) -> Ten:
    """x with as many dimensions: of three the new ones stand on both sides."""
    while x.rank < rank:
        x = w.do("unsqueeze", x, 0 if x.rank == 0 or (x.rank == 1 and rank > 1) else x.rank)
    return x


RULES["fliplr"] = lambda w, a, dtype: w.do("flip", a[0], [1])
RULES["flipud"] = lambda w, a, dtype: w.do("flip", a[0], [0])
RULES["tile"] = lambda w, a, dtype: RULES["repeat"](w, [a[0], [1] * (a[0].rank - len(a[1])) + list(a[1])], dtype)
RULES["hstack"] = lambda w, a, dtype: w.do("cat", a[0], 0 if a[0][0].rank == 1 else 1)
RULES["vstack"] = RULES["row_stack"] = lambda w, a, dtype: w.do("cat", [at_least(w, t, 2) for t in a[0]], 0)
RULES["dstack"] = lambda w, a, dtype: w.do("cat", [at_least(w, t, 3) for t in a[0]], 2)
RULES["column_stack"] = lambda w, a, dtype: w.do("cat", [w.do("unsqueeze", t, 1) if t.rank == 1 else t for t in a[0]], 1)
RULES["take"] = lambda w, a, dtype: pick(w, w.do("reshape", a[0], [-1]), 0, a[1])
RULES["atleast_1d"] = lambda w, a, dtype: at_least(w, a[0], 1)
RULES["atleast_2d"] = lambda w, a, dtype: at_least(w, a[0], 2)
RULES["atleast_3d"] = lambda w, a, dtype: at_least(w, a[0], 3)
RULES["trace"] = lambda w, a, dtype: w.do("sum", w.do("diagonal", a[0]))


@rule("rot90")
def rot90(w: Writer, a: List[Any], dtype: Any) -> Any:
    x, turns, (first, second) = a[0], number_of(a[1]) % 4, [number_of(d) for d in a[2]]
    if turns in (1, 3):
        return w.do("transpose", w.do("flip", x, [second if turns == 1 else first]), first, second)
    return w.do("flip", x, [first, second]) if turns else x


@rule("channel_shuffle", "native_channel_shuffle")
def channel_shuffle(w: Writer, a: List[Any], dtype: Any) -> Any:
    x, groups, sizes = a[0], number_of(a[1]), sizes_of(w, a[0])
    each = Num(f"({sizes[1].text} // {groups})", sizes[1].value // groups)
    apart = w.do("reshape", x, [sizes[0], groups, each, *sizes[2:]])
    return w.do("reshape", w.do("transpose", apart, 1, 2), sizes)


@rule("diag_embed")
def diag_embed(w: Writer, a: List[Any], dtype: Any) -> Any:
    x, offset = a[0], number_of(a[1])
    rank = x.rank + 1
    first, second = (number_of(d) % rank for d in (a[2:4] if len(a) > 3 else (-2, -1)))
    if (first, second) != (rank - 2, rank - 1):
        raise w.refuse("diag_embed takes its new dimensions as the last ones")
    if offset:
        x = w.do("constant_pad_nd", x, [offset, 0] if offset > 0 else [0, -offset], 0)
    n = w.size(x, x.rank - 1)
    column = w.do("unsqueeze", w.do("arange", n), 0)
    row = w.do("unsqueeze", w.do("arange", n), 1)
    return w.do("where", w.do("eq", column, w.do("add", row, offset) if offset else row), w.do("unsqueeze", x, -1 if offset < 0 else -2), 0)


@rule("diag")
def diag(w: Writer, a: List[Any], dtype: Any) -> Any:
    offset = a[1] if len(a) > 1 else 0
    return diag_embed(w, [a[0], offset], dtype) if a[0].rank == 1 else w.do("diagonal", a[0], offset)


@rule("meshgrid")
def meshgrid(w: Writer, a: List[Any], dtype: Any) -> List[Ten]:
    tensors, by_columns = a[0], len(a) > 1 and a[1] == "xy" and len(a[0]) > 1
    order = [1, 0, *range(2, len(tensors))] if by_columns else list(range(len(tensors)))
    sizes = [w.size(tensors[k], 0) for k in order]
    out = []
    for k, t in enumerate(tensors):
        for d in range(len(tensors)):
            t = t if d == order.index(k) else w.do("unsqueeze", t, d)
        out.append(w.do("expand", t, sizes))
    return out


@rule("cartesian_prod")
def cartesian_prod(w: Writer, a: List[Any], dtype: Any) -> Any:
    if len(a[0]) == 1:
        return a[0][0]
    return w.do("cat", [w.do("unsqueeze", w.do("reshape", t, [-1]), 1) for t in meshgrid(w, [a[0]], dtype)], 1)


@rule("block_diag")
def block_diag(w: Writer, a: List[Any], dtype: Any) -> Any:
    blocks = [at_least(w, t, 2) for t in a[0]]
    widths = [t.shape[1] for t in blocks]
    for t in blocks:
        w.pin(t, [1])
    lines = [w.do("constant_pad_nd", t, [sum(widths[:i]), sum(widths[i + 1:])], 0) for i, t in enumerate(blocks)]
    return w.do("cat", lines, 0) if len(lines) > 1 else lines[0]


@rule("col2im")
def col2im(w: Writer, a: List[Any], dtype: Any) -> Any:
    """fold: a window of k elements, s apart, is ceil(k / s) blocks of s elements that lie side by side with those of the other windows; the
    rows of blocks are added, each a block further on."""
    x, size, window, apart, padding, step = a[0], *[[number_of(n) for n in v] for v in a[1:6]]
    if any(n != 1 for n in apart) or x.rank != 3:
        raise w.refuse("fold takes batches of windows without dilation")
    count = [(n + 2 * p - k) // s + 1 for n, p, k, s in zip(size, padding, window, step)]
    blocks = [-(-k // s) for k, s in zip(window, step)]
    short = [n * s - k for n, s, k in zip(blocks, step, window)]
    channels = Num(f"({w.size(x, 1).text} // {window[0] * window[1]})", x.shape[1] // (window[0] * window[1]))
    parts = w.do("reshape", x, [w.size(x, 0), channels, *window, *count])
    if any(short):
        parts = w.do("constant_pad_nd", parts, [0, 0, 0, 0, 0, short[1], 0, short[0]], 0)
    made = None
    for i in range(blocks[0]):
        for j in range(blocks[1]):
            one = parts
            for dim, k, n in ((2, i, 0), (3, j, 1)):
                one = one if blocks[n] == 1 else w.do("slice", one, dim, k * step[n], (k + 1) * step[n], 1)
            one = w.do("reshape", RULES["permute"](w, [one, [0, 1, 4, 2, 5, 3]], dtype), [w.size(x, 0), channels, *[n * s for n, s in zip(count, step)]])
            ends = [j * step[1], (blocks[1] - 1 - j) * step[1], i * step[0], (blocks[0] - 1 - i) * step[0]]
            one = w.do("constant_pad_nd", one, ends, 0) if any(ends) else one
            made = one if made is None else w.do("add", made, one)
    for dim, (n, p) in enumerate(zip(size, padding), 2):
        if (missing := n + p - made.shape[dim]) > 0:  # behind the last window
            made = w.do("constant_pad_nd", made, [0, 0] * (3 - dim) + [0, missing], 0)
        if p or made.shape[dim] != n:
            made = w.do("slice", made, dim, p, p + n, 1)
    return made


@rule("kthvalue")
def kthvalue(w: Writer, a: List[Any], dtype: Any) -> List[Ten]:
    """Of the stable order, so that equal elements have one answer."""
    x, k, dim, keep = a[0], number_of(a[1]), a[2], bool(number_of(a[3]))
    both = w.do("sort", x, stable=True, dim=dim, descending=False)
    found = [w.do("slice", t, dim, k - 1, k if k < x.shape[number_of(dim)] else INT_MAX, 1) for t in both]
    return found if keep else [w.do("squeeze", t, dim) for t in found]

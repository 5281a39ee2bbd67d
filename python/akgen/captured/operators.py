"""Operators as the reference states them: what PyTorch writes in many ways becomes the few operators that the planner reads.

A rule gets the writer, the arguments in the order of the operator's schema and the dtype of the result as it was traced.
"""
from __future__ import annotations

import math
import string
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Tuple

import torch

from .values import INT_MAX, Num, Ten, literal, number_of, text_of

if TYPE_CHECKING:
    from .writer import Writer

SAME = {"detach", "alias", "lift", "lift_fresh", "contiguous", "dropout", "feature_dropout", "alpha_dropout", "feature_alpha_dropout", "dropout_", "resolve_conj",
        "resolve_neg", "clone", "set_data", "positive"}
RULES: Dict[str, Callable[..., Any]] = {}


def rule(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        for name in names:
            RULES[name] = function
        return function
    return add


def dims_of(value: Any, rank: int) -> List[int]:
    value = number_of(value)
    if value is None or value == []:
        return list(range(rank))
    return sorted(number_of(d) % max(rank, 1) for d in (value if isinstance(value, (list, tuple)) else [value]))


def count(w: Writer, x: Ten, dims: List[int]) -> Num:
    text = " * ".join(w.size(x, d).text for d in dims) or "1"
    value = 1
    for d in dims:
        value *= x.shape[d]
    return Num(f"({text})" if len(dims) > 1 else text, value)


def floating(w: Writer, x: Ten) -> Any:
    """In the precision that the program runs in: float64, or that of its arguments."""
    like = next((r.now for r in w.inputs if isinstance(r.now, Ten) and r.now.is_float), None)
    return w.do("to", x, 7) if like is None else w.do("type_as", x, like)


def cast(w: Writer, x: Ten, dtype: Optional[torch.dtype]) -> Any:
    """A conversion, where it changes values: floating-point to integers, to and from bool, and integers of few bits to others."""
    if dtype is None or dtype == x.value.dtype:
        return x
    if dtype == torch.bool:
        return w.do("ne", x, 0)
    if dtype.is_floating_point:
        return x if x.is_float else floating(w, x)
    if x.is_float:
        return w.do("to", w.do("trunc", x), 4)
    return w.do("to", x, 4) if x.is_bool else between_integers(w, x, dtype)


def between_integers(w: Writer, x: Ten, dtype: torch.dtype) -> Any:
    """In 64 bits, so that nothing that follows wraps at fewer; what a dtype of 8 or 16 bits cannot hold wraps here."""
    was, new = torch.iinfo(x.value.dtype), torch.iinfo(dtype)
    wide = x if x.value.dtype == torch.int64 else w.do("to", x, 4)
    if new.bits > 16 or (new.min <= was.min and was.max <= new.max):
        return wide
    if new.bits == was.bits:  # between int8 and uint8
        beyond = w.do("gt", wide, new.max) if new.min else w.do("lt", wide, 0)
        return w.do("where", beyond, w.do("add", wide, -2**new.bits if new.min else 2**new.bits), wide)
    low = w.do("sub", wide, new.min) if new.min else wide
    low = w.do("remainder", low, 2**new.bits)
    return w.do("add", low, new.min) if new.min else low


@rule("numel")
def numel(w: Writer, a: List[Any], dtype: Any) -> Num:
    return count(w, a[0], dims_of(None, a[0].rank))


@rule("to", "type_as", "_to_copy", "_cast_Float", "_cast_Int")
def to(w: Writer, a: List[Any], dtype: Any) -> Any:
    return cast(w, a[0], dtype) if isinstance(a[0], Ten) else a[0]


def filled(w: Writer, sizes: List[Any], value: Any, dtype: Any) -> Any:
    """A tensor of one value."""
    if dtype == torch.bool:
        return w.do("ne", w.do("ones" if number_of(value) else "zeros", sizes, dtype=7), 0)
    ones = w.do("zeros" if number_of(value) == 0 else "ones", sizes, dtype=7)
    if dtype is None or dtype.is_floating_point:
        ones = floating(w, ones)
    made = ones if number_of(value) in (0, 1) else w.do("mul", ones, value)
    return made if dtype is None or dtype.is_floating_point else w.do("to", made, 4)


def sizes_of(w: Writer, x: Ten) -> List[Any]:
    return [w.size(x, d) for d in range(x.rank)]


@rule("ones", "zeros", "empty", "new_ones", "new_zeros", "new_empty")
def ones(w: Writer, a: List[Any], dtype: Any) -> Any:
    sizes = a[1] if isinstance(a[0], Ten) else a[0]
    return filled(w, sizes, 0, dtype)


for _name in ("ones", "new_ones"):
    RULES[_name] = lambda w, a, dtype: filled(w, a[1] if isinstance(a[0], Ten) else a[0], 1, dtype)


@rule("full", "new_full")
def full(w: Writer, a: List[Any], dtype: Any) -> Any:
    return filled(w, *((a[1], a[2]) if isinstance(a[0], Ten) else (a[0], a[1])), dtype)


@rule("full_like")
def full_like(w: Writer, a: List[Any], dtype: Any) -> Any:
    return filled(w, sizes_of(w, a[0]), a[1], dtype)


@rule("ones_like")
def ones_like(w: Writer, a: List[Any], dtype: Any) -> Any:
    return filled(w, sizes_of(w, a[0]), 1, dtype)


@rule("zeros_like", "empty_like")
def zeros_like(w: Writer, a: List[Any], dtype: Any) -> Any:
    return filled(w, sizes_of(w, a[0]), 0, dtype)


@rule("arange")
def arange(w: Writer, a: List[Any], dtype: Any) -> Any:
    numbers = [v for v in a if isinstance(number_of(v), (int, float)) and not isinstance(number_of(v), bool)]
    total = len(a) - 4  # dtype, layout, device and pin_memory are behind the numbers
    numbers = numbers[:total]
    start, end, step = (0, numbers[0], 1) if total == 1 else (numbers[0], numbers[1], 1) if total == 2 else numbers[:3]
    if number_of(start) == 0 and number_of(step) == 1 and isinstance(number_of(end), int):
        made = w.do("arange", end)
    else:
        n = max(0, -int(-(number_of(end) - number_of(start)) // number_of(step)))
        made = w.do("arange", n)
        made = made if number_of(step) == 1 else w.do("mul", made, step)
        made = made if number_of(start) == 0 else w.do("add", made, start)
    return cast(w, made, dtype)


@rule("eye")
def eye(w: Writer, a: List[Any], dtype: Any) -> Any:
    rows, columns = a[0], a[1] if len(a) > 5 else a[0]
    return cast(w, w.do("eq", w.do("unsqueeze", w.do("arange", rows), 1), w.do("unsqueeze", w.do("arange", columns), 0)), dtype)


@rule("linspace")
def linspace(w: Writer, a: List[Any], dtype: Any) -> Any:
    start, end, n = number_of(a[0]), number_of(a[1]), number_of(a[2])
    return w.do("add", w.do("mul", floating(w, w.do("arange", n)), (end - start) / max(n - 1, 1)), float(start))




def triangular(upper: bool) -> Callable[..., Ten]:
    def run(w: Writer, a: List[Any], dtype: Any) -> Any:
        x: Ten = a[0]
        if not x.is_bool:
            return w.do("triu" if upper else "tril", x, a[1])
        column = w.do("unsqueeze", w.do("arange", w.size(x, x.rank - 1)), 0)
        row = w.do("unsqueeze", w.do("arange", w.size(x, x.rank - 2)), 1)
        inside = w.do("ge" if upper else "le", column, w.do("add", row, a[1]) if number_of(a[1]) != 0 else row)
        return w.do("logical_and", x, inside)
    return run


RULES["triu"], RULES["tril"] = triangular(True), triangular(False)


# ---- views

@rule("permute")
def permute(w: Writer, a: List[Any], dtype: Any) -> Any:
    order = [number_of(d) % a[0].rank for d in a[1]]
    x, at = a[0], list(range(a[0].rank))
    for i, want in enumerate(order):
        j = at.index(want)
        if j != i:
            x = w.do("transpose", x, i, j)
            at[i], at[j] = at[j], at[i]
    return x


@rule("numpy_T", "t", "mT")
def turned(w: Writer, a: List[Any], dtype: Any) -> Any:
    x = a[0]
    return w.do("transpose", x, x.rank - 2, x.rank - 1) if x.rank >= 2 else x


@rule("swapaxes", "swapdims")
def swapaxes(w: Writer, a: List[Any], dtype: Any) -> Any:
    return w.do("transpose", a[0], a[1], a[2])


@rule("movedim", "moveaxis")
def movedim(w: Writer, a: List[Any], dtype: Any) -> Any:
    rank = a[0].rank
    both = [[number_of(d) % rank for d in (v if isinstance(v, list) else [v])] for v in a[1:3]]
    order: List[Any] = [None] * rank
    for s, d in zip(*both):
        order[d] = s
    rest = iter(d for d in range(rank) if d not in both[0])
    return permute(w, [a[0], [next(rest) if o is None else o for o in order]], dtype)


@rule("slice")
def sliced(w: Writer, a: List[Any], dtype: Any) -> Any:
    start, end = number_of(a[2]) or 0, number_of(a[3])
    if start == 0 and (end is None or end >= INT_MAX) and number_of(a[4]) == 1:
        return a[0]
    return w.do("slice", a[0], a[1], a[2] if a[2] is not None else 0, a[3] if a[3] is not None else INT_MAX, a[4])


@rule("stack")
def stack(w: Writer, a: List[Any], dtype: Any) -> Any:
    dim = number_of(a[1]) % (a[0][0].rank + 1)
    return w.do("cat", [w.do("unsqueeze", t, dim) for t in a[0]], dim)


@rule("cat", "concat", "concatenate")
def cat(w: Writer, a: List[Any], dtype: Any) -> Any:
    parts = [t for t in a[0] if t.value.numel() or t.rank > 1]
    return w.do("cat", [cast(w, t, dtype) for t in parts], a[1]) if len(parts) > 1 else parts[0]




def splitting(op: str) -> Callable[..., List[Ten]]:
    def run(w: Writer, a: List[Any], dtype: Any) -> List[Ten]:
        x, dim = a[0], number_of(a[2] if len(a) > 2 else 0) % a[0].rank
        n = x.shape[dim]
        if op == "chunk" and n % number_of(a[1]) == 0:
            return list(w.do("chunk", x, a[1], dim))
        parts = getattr(torch, op if op != "split_with_sizes" else "split")(torch.arange(n), [number_of(s) for s in a[1]] if isinstance(a[1], list) else number_of(a[1]))
        out, at = [], 0
        for p in parts:
            out.append(w.do("slice", x, dim, at, at + len(p), 1) if len(p) != n else x)
            at += len(p)
        return out
    return run


for _name in ("split", "split_with_sizes", "chunk", "tensor_split"):
    RULES[_name] = RULES[f"unsafe_{_name}"] = splitting(_name)


@rule("view", "_unsafe_view", "_reshape_alias")
def view(w: Writer, a: List[Any], dtype: Any) -> Any:
    """Of a tensor that PyTorch has made contiguous before, which the program does not."""
    return w.do("reshape", a[0], a[1])


@rule("unbind")
def unbind(w: Writer, a: List[Any], dtype: Any) -> List[Ten]:
    dim = number_of(a[1] if len(a) > 1 else 0) % a[0].rank
    return [w.do("select", a[0], dim, i) for i in range(a[0].shape[dim])]


@rule("roll")
def roll(w: Writer, a: List[Any], dtype: Any) -> Any:
    x, shifts, dims = a[0], a[1] if isinstance(a[1], list) else [a[1]], a[2] if isinstance(a[2], list) else [a[2]]
    if not dims:
        flat = roll(w, [w.do("reshape", x, [-1]), shifts, [0]], dtype)
        return w.do("reshape", flat, sizes_of(w, x))
    for s, d in zip(shifts, dims):
        s = number_of(s) % max(x.shape[number_of(d)], 1)
        if s:
            n = w.size(x, number_of(d) % x.rank)
            at = Num(f"({n.text} - {s})", n.value - s)
            x = w.do("cat", [w.do("slice", x, d, at, INT_MAX, 1), w.do("slice", x, d, 0, at, 1)], d)
    return x


@rule("repeat")
def repeat(w: Writer, a: List[Any], dtype: Any) -> Any:
    x, times = a[0], a[1]
    while x.rank < len(times):
        x = w.do("unsqueeze", x, 0)
    for d, n in enumerate(times):
        if number_of(n) != 1:
            wide = w.do("expand", w.do("unsqueeze", x, d), [*sizes_of(w, x)[:d], n, *sizes_of(w, x)[d:]])
            x = w.do("reshape", wide, [*sizes_of(w, x)[:d], x.shape[d] * number_of(n), *sizes_of(w, x)[d + 1:]])
    return x


@rule("repeat_interleave")
def repeat_interleave(w: Writer, a: List[Any], dtype: Any) -> Any:
    x, n, dim = a[0], a[1], a[2]
    if isinstance(n, Ten):
        raise w.refuse("how often elements are repeated depends on values", "data")
    if dim is None:
        x, dim = w.do("reshape", x, [-1]), 0
    d = number_of(dim) % x.rank
    wide = w.do("expand", w.do("unsqueeze", x, d + 1), [*sizes_of(w, x)[:d + 1], n, *sizes_of(w, x)[d + 1:]])
    return w.do("reshape", wide, [*sizes_of(w, x)[:d], x.shape[d] * number_of(n), *sizes_of(w, x)[d + 1:]])


@rule("index")
def index(w: Writer, a: List[Any], dtype: Any) -> Any:
    x, which = a[0], a[1]
    given = [(d, t) for d, t in enumerate(which) if isinstance(t, Ten)]
    if any(t.is_bool for _, t in given):
        raise w.refuse("the shape of x[mask] depends on values; torch.where(mask, x, 0) keeps it", "data")
    x, d, i = one_index(w, x, given)
    return pick(w, x, d, i)


def one_index(w: Writer, x: Ten, given: List[Any]) -> Any:
    """x with the dimensions that several tensors index as one, which one of them is, and its index."""
    first, i = given[0]
    for k, (d, j) in enumerate(given[1:], 1):
        if d != first + k:
            raise w.refuse("x[i, :, j] with tensors of indices that are apart is not supported; index neighbouring dimensions")
        n, shape = w.size(x, first + 1), sizes_of(w, x)
        i = w.do("add", w.do("mul", i, n), j)
        x = w.do("reshape", x, [*shape[:first], Num(f"({shape[first].text} * {n.text})", shape[first].value * n.value), *shape[first + 2:]])
    return x, first, i


MAX_PARTS = 16  # elements of an index that the function holds, each a slice of its own


def pick(w: Writer, x: Ten, d: int, i: Ten) -> Any:
    held = w.constants.get(i.name)
    if held is not None and held.dim() == 1 and 0 < held.numel() <= MAX_PARTS:
        parts = [w.do("slice", x, d, k, k + 1 if k != -1 else INT_MAX, 1) for k in held.tolist()]
        return w.do("cat", parts, d) if len(parts) > 1 else parts[0]
    flat = i if i.rank == 1 else w.do("reshape", i, [-1])
    got = w.do("index_select", x, d, flat)
    return got if i.rank == 1 else w.do("reshape", got, [*sizes_of(w, x)[:d], *sizes_of(w, i), *sizes_of(w, x)[d + 1:]])


@rule("embedding")
def embedding(w: Writer, a: List[Any], dtype: Any) -> Any:
    return pick(w, a[0], 0, a[1])


@rule("embedding_bag")
def embedding_bag(w: Writer, a: List[Any], dtype: Any) -> List[Any]:
    """Of bags that are equally long."""
    weight, i, offsets, mode = a[0], a[1], a[2].value.tolist(), number_of(a[4])
    each = i.shape[0] // max(len(offsets), 1)
    if offsets != list(range(0, i.shape[0], each)) or a[6] is not None:
        raise w.refuse("embedding_bag takes bags that are equally long, without weights")
    bags = pick(w, weight, 0, w.do("reshape", i, [-1, each]))
    return [w.do("amax" if mode == 2 else "mean" if mode == 1 else "sum", bags, [1], False), None, None, None]


@rule("take_along_dim")
def take_along_dim(w: Writer, a: List[Any], dtype: Any) -> Any:
    return w.do("gather", a[0], a[2], a[1])


@rule("index_put")
def index_put(w: Writer, a: List[Any], dtype: Any) -> Any:
    x, value, adds = a[0], a[2], bool(number_of(a[3]))
    given = [(d, t) for d, t in enumerate(a[1]) if isinstance(t, Ten)]
    single = not isinstance(value, Ten) or value.value.numel() == 1
    if len(given) == 1 and given[0][1].is_bool:
        first, mask = given[0]
        if adds or not single or first:
            raise w.refuse("writing several values at places that a condition gives is not supported; use torch.where")
        for _ in range(x.rank - mask.rank):
            mask = w.do("unsqueeze", mask, -1)
        return w.do("where", mask, value, x)
    if any(t.is_bool for _, t in given):
        raise w.refuse("writing elements at places that a condition and an index give is not supported")
    whole = sizes_of(w, x)
    flat, d, i = one_index(w, x, given)
    sizes = sizes_of(w, flat)
    value = w.tensor(value)
    if value.rank or adds:
        value = w.do("expand", value, [*sizes[:d], *sizes_of(w, i), *sizes[d + 1:]])
        i = i if i.rank == 1 else w.do("reshape", i, [-1])
        value = w.do("reshape", value, [*sizes[:d], w.size(i, 0), *sizes[d + 1:]])
    i = i if i.rank == 1 else w.do("reshape", i, [-1])
    new = w.do("index_add", flat, d, i, value) if adds else written_at(w, flat, d, i, value)
    return new if flat is x else w.do("reshape", new, whole)


def written_at(w: Writer, x: Ten, d: int, i: Ten, value: Ten) -> Ten:
    """x with rows of value at the places of dimension d that i gives: of equal places the last one counts."""
    hit = w.do("eq", w.do("unsqueeze", w.do("arange", w.size(x, d)), 1), w.do("unsqueeze", i, 0))
    last = w.do("amax", w.do("where", hit, w.do("arange", w.size(i, 0)), -1), [1])
    shape = [1] * x.rank
    shape[d] = w.size(x, d)
    there = w.do("reshape", w.do("ge", last, 0), shape)
    if value.rank:
        value = w.do("index_select", value, d, w.do("clamp", last, 0))
    return w.do("where", there, value, x)


@rule("index_copy")
def index_copy(w: Writer, a: List[Any], dtype: Any) -> Any:
    return written_at(w, a[0], number_of(a[1]) % a[0].rank, a[2], a[3])


@rule("index_fill")
def index_fill(w: Writer, a: List[Any], dtype: Any) -> Any:
    return written_at(w, a[0], number_of(a[1]) % a[0].rank, a[2], w.tensor(a[3]))


@rule("scatter_reduce")
def scatter_reduce(w: Writer, a: List[Any], dtype: Any) -> Any:
    x, i, source, how = a[0], a[2], a[3], a[4]
    d, with_self = number_of(a[1]) % x.rank, len(a) < 6 or bool(number_of(a[5]))
    if how == "sum" and with_self:
        return w.do("scatter_add", x, d, i, source)
    same = all(m == n for k, (m, n) in enumerate(zip(x.shape, i.shape)) if k != d)
    if how not in ("amax", "amin") or not with_self or i.shape != source.shape or not same:
        raise w.refuse("scatter_reduce takes sum, amax or amin, of the elements themselves too, with an index of the input's other dimensions")
    places = w.do("arange", w.size(x, d))
    for _ in range(x.rank - d):
        places = w.do("unsqueeze", places, -1)
    hit = w.do("eq", w.do("unsqueeze", i, d), places)  # [.., elements of x, elements of source, ..]
    none = float("-inf") if how == "amax" else float("inf")
    found = w.do(how, w.do("where", hit, w.do("unsqueeze", source, d), none), [d + 1], False)
    return w.do("maximum" if how == "amax" else "minimum", x, found)


@rule("slice_scatter")
def slice_scatter(w: Writer, a: List[Any], dtype: Any) -> Any:
    x, new = a[0], a[1]
    d = number_of(a[2]) % x.rank
    return w.sliced_back(x, d, a[3], a[4], number_of(a[5]), new)


@rule("select_scatter")
def select_scatter(w: Writer, a: List[Any], dtype: Any) -> Any:
    x, d = a[0], number_of(a[2]) % a[0].rank
    i = number_of(a[3]) % x.shape[d]
    return w.replaced(x, d, i, i + 1, w.do("unsqueeze", a[1], d))


@rule("one_hot")
def one_hot(w: Writer, a: List[Any], dtype: Any) -> Any:
    if number_of(a[1]) < 0:
        raise w.refuse("the number of classes depends on values; give one_hot its num_classes", "data")
    return w.do("to", w.do("eq", w.do("unsqueeze", a[0], -1), w.do("arange", a[1])), 4)


@rule("expand_as", "view_as", "reshape_as")
def like(w: Writer, a: List[Any], dtype: Any) -> Any:
    return w.do("expand" if a[0].value.numel() != a[1].value.numel() else "reshape", a[0], sizes_of(w, a[1]))


@rule("constant_pad_nd", "pad")
def pad(w: Writer, a: List[Any], dtype: Any) -> Any:
    mode = a[2] if len(a) > 3 else "constant"
    if mode != "constant" and isinstance(mode, str):
        return by_edges(w, a[0], [number_of(n) for n in a[1]], mode)
    value = a[3] if len(a) > 3 else a[2] if len(a) > 2 else 0
    return w.do("constant_pad_nd", a[0], a[1], value if value is not None else 0)


MAX_EDGE = 16  # elements beyond an edge, each a part of its own


def by_edges(w: Writer, x: Ten, pads: List[int], mode: str) -> Any:
    """Padding by elements of the tensor: mirrored at its edges, the edges repeated, or those of the other side."""
    for i in range(len(pads) // 2):
        d, left, right = x.rank - 1 - i, pads[2 * i], pads[2 * i + 1]
        if left < 0 or right < 0 or (mode != "circular" and left + right > MAX_EDGE):
            raise w.refuse(f"padding by {mode} takes up to {MAX_EDGE} elements in a dimension")
        if mode == "reflect":
            before = [w.do("slice", x, d, k, k + 1, 1) for k in range(left, 0, -1)]
            behind = [w.do("slice", x, d, -2 - k, -1 - k, 1) for k in range(right)]
        elif mode == "replicate":
            before = [w.do("slice", x, d, 0, 1, 1)] * left if left else []
            behind = [w.do("slice", x, d, -1, INT_MAX, 1)] * right if right else []
        else:
            before = [w.do("slice", x, d, -left, INT_MAX, 1)] if left else []
            behind = [w.do("slice", x, d, 0, right, 1)] if right else []
        x = w.do("cat", [*before, x, *behind], d) if before or behind else x
    return x


for _rank in ("1d", "2d", "3d"):
    RULES[f"reflection_pad{_rank}"] = lambda w, a, dtype: by_edges(w, a[0], [number_of(n) for n in a[1]], "reflect")
    RULES[f"replication_pad{_rank}"] = lambda w, a, dtype: by_edges(w, a[0], [number_of(n) for n in a[1]], "replicate")


def below(w: Writer, x: Ten, boundaries: Ten, more: List[Any]) -> Ten:
    """How many boundaries lie below each element; NaN lies above all. Whether an argument is sorted nobody can say."""
    right = bool(number_of(more[1])) if len(more) > 1 and more[1] is not None else False
    right = right or (len(more) > 2 and more[2] == "right")
    dtype = 3 if more and more[0] is not None and number_of(more[0]) else 4
    if len(more) > 3 and more[3] is not None:
        raise w.refuse("searchsorted with a sorter is not supported; sort first")
    if any(isinstance(r.now, Ten) and r.now.name == boundaries.name for r in w.inputs):
        raise w.refuse("boundaries that are an argument may be in any order; torch.sort them first")
    held = w.constants.get(boundaries.name)
    compare = "lt" if right else "le"
    if held is not None and held.dim() == 1 and held.numel() <= 64:
        total = w.do("zeros_like", x)
        for b in held.tolist():
            total = w.do("add", total, w.do("where", w.do(compare, x, b), 0, 1))
    else:
        each = boundaries if boundaries.rank == 1 else w.do("unsqueeze", boundaries, -2)
        total = w.do("sum", w.do("where", w.do(compare, w.do("unsqueeze", x, -1), each), 0.0, 1.0), [-1])
    return w.do("to", total, dtype)


RULES["bucketize"] = lambda w, a, dtype: below(w, a[0], a[1], a[2:])
RULES["searchsorted"] = lambda w, a, dtype: below(w, a[1], a[0], a[2:])


@rule("sort")
def sort(w: Writer, a: List[Any], dtype: Any) -> List[Ten]:
    """Equal elements in their order: what PyTorch leaves open for them has one answer then."""
    both: List[Ten] = w.do("sort", a[0], stable=True, dim=a[-2], descending=a[-1])
    return both


RULES["argsort"] = lambda w, a, dtype: sort(w, a, dtype)[1]
RULES["msort"] = lambda w, a, dtype: sort(w, [a[0], 0, False], dtype)[0]


@rule("topk")
def topk(w: Writer, a: List[Any], dtype: Any) -> Any:
    """Of computed values the first ones of all in order, so that equal ones have one answer; of inputs as it is."""
    if a[0].name in w.names:
        return w.do("topk", *a)
    values, places = w.do("sort", a[0], stable=True, dim=a[2], descending=a[3])
    return [w.do("slice", v, a[2], 0, a[1], 1) for v in (values, places)]


@rule("quantile")
def quantile(w: Writer, a: List[Any], dtype: Any) -> Any:
    """Between the two elements of the sorted row that the place lies between; NaN where the row has one."""
    x, q, dim, keep = a[0], number_of(a[1]), number_of(a[2]), bool(number_of(a[3]))
    if not isinstance(q, float) or (len(a) > 4 and a[4] != "linear"):
        raise w.refuse("quantile takes one number and linear interpolation")
    if dim is None:
        x, dim = w.do("reshape", x, [-1]), 0
    n = x.shape[dim]
    at = q * (n - 1)
    rows = w.do("sort", x, stable=True, dim=dim, descending=False)[0]
    low, high, last = (w.do("slice", rows, dim, i, i + 1, 1) for i in (int(at), min(int(at) + 1, n - 1), n - 1))
    if at != int(at):
        low = w.do("add", low, w.do("mul", w.do("sub", high, low), at - int(at)))
    out = w.do("where", w.do("ne", last, last), last, low)
    return out if keep else w.do("squeeze", out, dim)


@rule("cdist")
def cdist(w: Writer, a: List[Any], dtype: Any) -> Any:
    p = float(number_of(a[2]))
    if p not in (1.0, 2.0):
        raise w.refuse("cdist takes p = 1 or 2")
    apart = w.do("sub", w.do("unsqueeze", a[0], a[0].rank - 1), w.do("unsqueeze", a[1], a[1].rank - 2))
    total = w.do("sum", w.do("abs", apart) if p == 1 else w.do("mul", apart, apart), [a[0].rank], False)
    return total if p == 1 else w.do("sqrt", total)


# ---- elementwise

@rule("nan_to_num")
def nan_to_num(w: Writer, a: List[Any], dtype: Any) -> Any:
    if not a[0].is_float:
        return a[0]
    most = torch.finfo(w.shift.user(dtype)).max
    nan, above, below = (number_of(v) for v in a[1:4])
    x = w.do("where", w.do("ne", a[0], a[0]), 0.0 if nan is None else nan, a[0])
    x = w.do("where", w.do("eq", x, float("inf")), most if above is None else above, x)
    return w.do("where", w.do("eq", x, float("-inf")), -most if below is None else below, x)


def where(w: Writer, a: List[Any], dtype: Any) -> Any:
    return w.do("where", cast(w, a[0], torch.bool), a[1], a[2])


RULES["where"] = where
RULES["masked_fill"] = lambda w, a, dtype: w.do("where", cast(w, a[1], torch.bool), a[2], a[0])
RULES["clamp_min"] = lambda w, a, dtype: bounded(w, a[0], a[1], None)
RULES["clamp_max"] = lambda w, a, dtype: bounded(w, a[0], None, a[1])
RULES["clamp"] = RULES["clip"] = lambda w, a, dtype: bounded(w, a[0], a[1], a[2])
RULES["exp2"] = lambda w, a, dtype: w.do("pow", 2.0, a[0])
RULES["frac"] = lambda w, a, dtype: w.do("sub", a[0], w.do("trunc", a[0]))
RULES["fix"] = lambda w, a, dtype: w.do("trunc", a[0])
RULES["multiply"] = lambda w, a, dtype: w.do("mul", a[0], a[1])
RULES["negative"] = lambda w, a, dtype: w.do("neg", a[0])
RULES["absolute"] = lambda w, a, dtype: w.do("abs", a[0])
RULES["__or__"] = RULES["bitwise_or"] = lambda w, a, dtype: w.do("logical_or" if a[0].is_bool else "bitwise_or", a[0], a[1])
RULES["__rshift__"] = RULES["bitwise_right_shift"] = lambda w, a, dtype: shifted(w, a[0], a[1], dtype, "floor_divide")
RULES["__lshift__"] = RULES["bitwise_left_shift"] = lambda w, a, dtype: shifted(w, a[0], a[1], dtype, "mul")
RULES["bitwise_not"] = lambda w, a, dtype: w.do("logical_not" if a[0].is_bool else "bitwise_not", a[0])
RULES["logical_xor"] = lambda w, a, dtype: either(w, cast(w, a[0], torch.bool), cast(w, a[1], torch.bool))
RULES["hypot"] = lambda w, a, dtype: w.do("sqrt", w.do("add", w.do("mul", a[0], a[0]), w.do("mul", a[1], a[1])))
RULES["threshold"] = lambda w, a, dtype: w.do("where", w.do("le", a[0], a[1]), a[2], a[0])
RULES["hardshrink"] = lambda w, a, dtype: w.do("where", w.do("le", w.do("abs", a[0]), a[1]), 0.0, a[0])
RULES["outer"] = RULES["ger"] = lambda w, a, dtype: w.do("mul", w.do("unsqueeze", a[0], 1), w.do("unsqueeze", a[1], 0))


def either(w: Writer, x: Ten, y: Ten) -> Any:
    """One of both."""
    return w.do("logical_and", w.do("logical_or", x, y), w.do("logical_not", w.do("logical_and", x, y)))


@rule("__xor__", "bitwise_xor")
def bitwise_xor(w: Writer, a: List[Any], dtype: Any) -> Any:
    if not all(isinstance(t, Ten) and t.is_bool for t in a):
        raise w.refuse("an exclusive or takes conditions")
    return either(w, *a)


@rule("sign", "sgn")
def sign(w: Writer, a: List[Any], dtype: Any) -> Any:
    x = a[0]
    return w.do("sign", x) if x.is_float else w.do("where", w.do("gt", x, 0), 1, w.do("where", w.do("lt", x, 0), -1, 0))


@rule("__and__", "bitwise_and")
def bitwise_and(w: Writer, a: List[Any], dtype: Any) -> Any:
    """Of integers the lowest bits: what is left after a division."""
    x, y = a
    if isinstance(x, Ten) and x.is_bool:
        return w.do("logical_and", x, y)
    bits = number_of(y)
    if not isinstance(y, Ten) and bits >= 0 and bits & (bits + 1) == 0:
        return w.do("remainder", x, bits + 1)
    return w.do("bitwise_and", x, y)


def shifted(w: Writer, x: Any, by: Any, dtype: Any, op: str) -> Any:
    if isinstance(by, Ten) or not isinstance(x, Ten) or not 0 <= number_of(by) < 31:
        raise w.refuse("a shift takes a number of bits from 0 to 30")
    wide = cast(w, x, torch.int64)
    return div(w, [wide, 2**number_of(by), "floor"], torch.int64) if op == "floor_divide" else w.do(op, wide, 2**number_of(by))


@rule("kron")
def kron(w: Writer, a: List[Any], dtype: Any) -> Any:
    """Every element of one times every element of the other, in blocks."""
    x, y = a[0], a[1]
    while x.rank < y.rank:
        x = w.do("unsqueeze", x, 0)
    while y.rank < x.rank:
        y = w.do("unsqueeze", y, 0)
    sizes = [Num(f"({m.text} * {n.text})", m.value * n.value) for m, n in zip(sizes_of(w, x), sizes_of(w, y))]
    for d in range(len(sizes)):
        x, y = w.do("unsqueeze", x, 2 * d + 1), w.do("unsqueeze", y, 2 * d)
    return w.do("reshape", w.do("mul", x, y), sizes)


def bounded(w: Writer, x: Ten, low: Any, high: Any) -> Any:
    if isinstance(low, Ten) or isinstance(high, Ten):
        x = x if low is None else w.do("maximum", x, low)
        return x if high is None else w.do("minimum", x, high)
    return w.do("clamp", x, low, high)




def comparing(op: str) -> Callable[..., Ten]:
    def run(w: Writer, a: List[Any], dtype: Any) -> Any:
        x, y = a[0], a[1]
        if isinstance(x, Ten) and x.is_bool and not isinstance(y, Ten):
            return x if (op == "eq") == bool(number_of(y)) else w.do("logical_not", x)
        return w.do(op, x, y)
    return run


RULES["eq"], RULES["ne"] = comparing("eq"), comparing("ne")


def are_integers(values: List[Any]) -> bool:
    return isinstance(values[0], Ten) and all(not v.is_float and not v.is_bool if isinstance(v, Ten) else isinstance(number_of(v), int) for v in values)


def quotient(w: Writer, x: Ten, y: Any, mode: str) -> Any:
    """Of integers, which float64 does not hold all of. Rounded down; towards zero that is one less where the signs differ and something is left."""
    got = w.do("div", x, y, rounding_mode="floor")
    if mode == "floor":
        return got
    negative = w.do("lt", y, 0) if isinstance(y, Ten) else None
    apart = either(w, w.do("lt", x, 0), negative) if negative else w.do("lt" if number_of(y) > 0 else "gt", x, 0)
    left = w.do("ne", w.do("remainder", x, y), 0)
    return w.do("where", w.do("logical_and", left, apart), w.do("add", got, 1), got)


@rule("div", "divide", "true_divide", "floor_divide")
def div(w: Writer, a: List[Any], dtype: Any) -> Any:
    if len(a) > 2 and a[2] is not None and are_integers(a[:2]):
        got = quotient(w, *[cast(w, t, torch.int64) if isinstance(t, Ten) else t for t in a[:2]], a[2])
        return got if dtype is None else cast(w, got, dtype)
    got = w.do("div", a[0], a[1])
    if len(a) > 2 and a[2] is not None:
        got = w.do("floor" if a[2] == "floor" else "trunc", got)
    return cast(w, got, dtype) if dtype is not None and not dtype.is_floating_point else got


RULES["floor_divide"] = lambda w, a, dtype: div(w, [a[0], a[1], "floor"], dtype)




def adding(op: str) -> Callable[..., Ten]:
    def run(w: Writer, a: List[Any], dtype: Any) -> Any:
        x, y = a[0], a[1]
        if len(a) > 2 and number_of(a[2]) != 1:
            y = w.do("mul", y, a[2])
        if op == "rsub":
            x, y = y, x
        return w.do("sub" if op in ("sub", "rsub", "subtract") else "add", w.tensor(x) if not isinstance(x, Ten) and not isinstance(y, Ten) else x, y) \
            if isinstance(x, Ten) else w.do("add", y, x) if op == "add" else w.do("rsub", y, x)
    return run


for _name in ("add", "sub", "rsub", "subtract"):
    RULES[_name] = adding(_name)


@rule("prelu")
def prelu(w: Writer, a: List[Any], dtype: Any) -> Any:
    x, weight = a[0], a[1]
    if weight.value.numel() > 1 and x.rank > 1:
        weight = w.do("reshape", weight, [-1 if d == 1 else 1 for d in range(x.rank)])
    return w.do("where", w.do("gt", x, 0), x, w.do("mul", x, weight))


@rule("softshrink")
def softshrink(w: Writer, a: List[Any], dtype: Any) -> Any:
    x, by = a[0], a[1]
    return w.do("where", w.do("gt", x, by), w.do("sub", x, by), w.do("where", w.do("lt", x, -number_of(by)), w.do("add", x, by), 0.0))


@rule("lerp")
def lerp(w: Writer, a: List[Any], dtype: Any) -> Any:
    """From the end that is nearer, as PyTorch computes it."""
    x, y, by = a
    far = w.do("sub", y, x)
    if not isinstance(by, Ten):
        return w.do("add", x, w.do("mul", far, by)) if abs(number_of(by)) < 0.5 else w.do("sub", y, w.do("mul", far, 1 - number_of(by)))
    return w.do("where", w.do("lt", w.do("abs", by), 0.5), w.do("add", x, w.do("mul", far, by)), w.do("sub", y, w.do("mul", far, w.do("rsub", by, 1))))


@rule("glu")
def glu(w: Writer, a: List[Any], dtype: Any) -> Any:
    left, right = w.do("chunk", a[0], 2, a[1])
    return w.do("mul", left, w.do("sigmoid", right))


# ---- reductions

def without_dtype(op: str) -> Callable[..., Any]:
    def run(w: Writer, a: List[Any], dtype: Any) -> Any:
        x = cast(w, a[0], torch.float64) if dtype is not None and dtype.is_floating_point else cast(w, a[0], torch.int64) if a[0].is_bool else a[0]
        if op in ("softmax", "log_softmax"):
            return w.do(op, x, a[1])
        if op in ("cumsum", "cumprod"):
            return w.do(op, x, a[1])
        return w.do(op, x) if len(a) < 4 else w.do(op, x, dims_of(a[1], x.rank) if op != "prod" else a[1], a[2])
    return run


for _name in ("softmax", "log_softmax", "cumsum", "cumprod", "sum", "mean", "prod"):
    RULES[_name] = without_dtype(_name)
RULES["_softmax"], RULES["_log_softmax"] = RULES["softmax"], RULES["log_softmax"]




def spreading(op: str) -> Callable[..., Any]:
    def run(w: Writer, a: List[Any], dtype: Any) -> Any:
        x = a[0]
        if len(a) == 2:  # over everything
            dims, correction, keep = dims_of(None, x.rank), int(number_of(a[1])), False
        else:
            dims, correction, keep = dims_of(a[1], x.rank), 1 if a[2] is None else int(number_of(a[2])), bool(number_of(a[3]))
        mean = w.do("mean", x, dims, True)
        far = w.do("sub", x, mean)
        n = count(w, x, dims)
        total = w.do("sum", w.do("mul", far, far), dims, keep)
        var = w.do("div", total, Num(f"({n.text} - {correction})" if correction else n.text, n.value - correction))
        var = w.do("sqrt", var) if op.startswith("std") else var
        if op.endswith("mean"):
            return [var, mean if keep else w.do("mean", x, dims, False)]
        return var
    return run


for _name in ("var", "std", "var_mean", "std_mean"):
    RULES[_name] = spreading(_name)




def extremes(op: str) -> Callable[..., Any]:
    def run(w: Writer, a: List[Any], dtype: Any) -> Any:
        if len(a) == 1:
            return w.do("a" + op, a[0], dims_of(None, a[0].rank), False)
        if isinstance(a[1], Ten):
            return w.do(op + "imum", a[0], a[1])
        return [w.do("a" + op, a[0], [a[1]], a[2]), w.do("arg" + op, a[0], a[1], a[2])]
    return run


RULES["max"], RULES["min"] = extremes("max"), extremes("min")
RULES["amax"] = lambda w, a, dtype: w.do("amax", a[0], dims_of(a[1], a[0].rank), a[2])
RULES["amin"] = lambda w, a, dtype: w.do("amin", a[0], dims_of(a[1], a[0].rank), a[2])


@rule("aminmax")
def aminmax(w: Writer, a: List[Any], dtype: Any) -> List[Ten]:
    dims = dims_of(a[1], a[0].rank)
    return [w.do("amin", a[0], dims, a[2]), w.do("amax", a[0], dims, a[2])]


@rule("norm", "linalg_vector_norm", "frobenius_norm", "linalg_norm")
def norm(w: Writer, a: List[Any], dtype: Any) -> Any:
    numbers = [v for v in a[1:] if not isinstance(v, (list, bool)) and v is not None and isinstance(number_of(v), (int, float))]
    p = float(number_of(numbers[0])) if numbers else 2.0
    dims = dims_of(next((v for v in a[1:] if isinstance(v, list)), None), a[0].rank)
    keep = next((v for v in a[1:] if isinstance(v, bool)), False)
    if p == 2:
        return w.do("sqrt", w.do("sum", w.do("mul", a[0], a[0]), dims, keep))
    if p == 1:
        return w.do("sum", w.do("abs", a[0]), dims, keep)
    if p == float("inf"):
        return w.do("amax", w.do("abs", a[0]), dims, keep)
    return w.do("pow", w.do("sum", w.do("pow", w.do("abs", a[0]), p), dims, keep), 1.0 / p)


@rule("count_nonzero")
def count_nonzero(w: Writer, a: List[Any], dtype: Any) -> Any:
    x = a[0]
    return w.do("sum", cast(w, x if x.is_bool else w.do("ne", x, 0), torch.int64), dims_of(a[1] if len(a) > 1 else None, x.rank), False)


@rule("diff")
def diff(w: Writer, a: List[Any], dtype: Any) -> Any:
    x, dim = a[0], number_of(a[2]) % a[0].rank
    for _ in range(number_of(a[1])):
        x = w.do("sub", w.do("slice", x, dim, 1, INT_MAX, 1), w.do("slice", x, dim, 0, -1, 1))
    return x


# ---- losses

def reduced(w: Writer, x: Ten, how: Any) -> Ten:
    return x if number_of(how) == 0 else w.do("mean" if number_of(how) == 1 else "sum", x)


@rule("binary_cross_entropy_with_logits")
def bce_with_logits(w: Writer, a: List[Any], dtype: Any) -> Ten:
    x, t, weight, positive, how = a
    near = w.do("log1p", w.do("exp", w.do("neg", w.do("abs", x))))
    if positive is None:
        loss = w.do("add", w.do("sub", w.do("clamp", x, 0, None), w.do("mul", x, t)), near)
    else:
        scale = w.do("add", w.do("mul", w.do("sub", positive, 1), t), 1)
        near = w.do("add", near, w.do("clamp", w.do("neg", x), 0, None))
        loss = w.do("add", w.do("mul", w.do("rsub", t, 1), x), w.do("mul", scale, near))
    return reduced(w, loss if weight is None else w.do("mul", loss, weight), how)


@rule("binary_cross_entropy")
def bce(w: Writer, a: List[Any], dtype: Any) -> Ten:
    x, t, weight, how = a
    yes = w.do("clamp", w.do("log", x), -100.0, None)
    no = w.do("clamp", w.do("log1p", w.do("neg", x)), -100.0, None)
    loss = w.do("neg", w.do("add", w.do("mul", t, yes), w.do("mul", w.do("rsub", t, 1.0), no)))
    return reduced(w, loss if weight is None else w.do("mul", loss, weight), how)


@rule("poisson_nll_loss")
def poisson_nll_loss(w: Writer, a: List[Any], dtype: Any) -> Ten:
    x, t, of_log, full, eps, how = a
    loss = w.do("sub", w.do("exp", x), w.do("mul", t, x)) if number_of(of_log) else \
        w.do("sub", x, w.do("mul", t, w.do("log", w.do("add", x, eps))))
    if number_of(full):  # Stirling's formula
        more = w.do("add", w.do("sub", w.do("mul", t, w.do("log", t)), t), w.do("mul", w.do("log", w.do("mul", t, 2 * math.pi)), 0.5))
        loss = w.do("add", loss, w.do("where", w.do("gt", t, 1), more, 0.0))
    return reduced(w, loss, how)


@rule("nll_loss_nd", "nll_loss", "nll_loss2d")
def nll_loss(w: Writer, a: List[Any], dtype: Any) -> Ten:
    x, t, weight, how, ignored = a[0], a[1], a[2], number_of(a[3]), number_of(a[4])
    classes = 0 if x.rank == 1 else 1
    picked = w.do("gather", x, classes, w.do("unsqueeze", t, classes))
    loss = w.do("neg", w.do("squeeze", picked, classes))
    if weight is None and ignored < 0:
        return reduced(w, loss, how)
    counted = w.do("ones_like", loss) if weight is None else pick(w, weight, 0, t)
    if ignored >= 0:
        counted = w.do("where", w.do("eq", t, ignored), 0.0, counted)
    loss = w.do("mul", loss, counted)
    if how != 1:
        return reduced(w, loss, how)
    return w.do("div", w.do("sum", loss), w.do("sum", counted))


@rule("cross_entropy_loss")
def cross_entropy(w: Writer, a: List[Any], dtype: Any) -> Ten:
    x, t, weight, how, ignored, smoothing = a
    if weight is None:
        return w.do("cross_entropy_loss", *a)  # type: ignore[no-any-return]
    if t.is_float or number_of(smoothing):
        raise w.refuse("cross_entropy with weights of classes takes classes, without smoothing")
    return nll_loss(w, [w.do("log_softmax", x, 1 if x.rank > 1 else 0), t, weight, how, ignored], dtype)


def beyond(w: Writer, x: Ten) -> Ten:
    out: Ten = w.do("clamp", x, 0, None)
    return out


@rule("soft_margin_loss")
def soft_margin_loss(w: Writer, a: List[Any], dtype: Any) -> Ten:
    return reduced(w, w.do("log1p", w.do("exp", w.do("neg", w.do("mul", a[1], a[0])))), a[2])


@rule("margin_ranking_loss")
def margin_ranking_loss(w: Writer, a: List[Any], dtype: Any) -> Ten:
    x, y, t, margin, how = a
    return reduced(w, beyond(w, w.do("add", w.do("neg", w.do("mul", t, w.do("sub", x, y))), margin)), how)


@rule("hinge_embedding_loss")
def hinge_embedding_loss(w: Writer, a: List[Any], dtype: Any) -> Ten:
    x, t, margin, how = a
    apart = w.do("where", w.do("ne", t, 1), beyond(w, w.do("rsub", x, margin)), 0.0)
    return reduced(w, w.do("add", apart, w.do("where", w.do("ne", t, -1), x, 0.0)), how)


@rule("cosine_embedding_loss")
def cosine_embedding_loss(w: Writer, a: List[Any], dtype: Any) -> Ten:
    x, y, t, margin, how = a
    eps = 1e-12  # PyTorch's
    squares = [w.do("add", w.do("sum", w.do("mul", v, v), [-1], False), eps) for v in (x, y)]
    cosine = w.do("div", w.do("sum", w.do("mul", x, y), [-1], False), w.do("sqrt", w.do("mul", *squares)))
    alike = w.do("where", w.do("eq", t, 1), w.do("rsub", cosine, 1.0), 0.0)
    apart = w.do("where", w.do("eq", t, -1), beyond(w, w.do("sub", cosine, margin)), 0.0)
    return reduced(w, w.do("add", alike, apart), how)


@rule("multi_margin_loss")
def multi_margin_loss(w: Writer, a: List[Any], dtype: Any) -> Ten:
    x, t, p, margin, weight, how = a
    if x.rank != 2 or weight is not None:
        raise w.refuse("multi_margin_loss takes rows of classes, without weights")
    at = w.do("unsqueeze", t, 1)
    far = beyond(w, w.do("add", w.do("sub", x, w.do("gather", x, 1, at)), margin))
    far = far if number_of(p) == 1 else w.do("mul", far, far)
    others = w.do("where", w.do("eq", w.do("arange", w.size(x, 1)), at), 0.0, far)
    return reduced(w, w.do("mean", others, [1], False), how)


# ---- products

MAX_ELEMENTS = 1 << 24  # of a product as a sum, in the reference


def product(w: Writer, a: Ten, b: Ten) -> Any:
    if not w.products_as_sums:
        return w.do("matmul", a, b)
    left = a if a.rank == 1 else w.do("unsqueeze", a, -1)
    right = b if b.rank == 1 else w.do("unsqueeze", b, -3) if b.rank > 2 or a.rank > 1 else b
    if a.rank == 1 and b.rank > 1:
        left, right = w.do("unsqueeze", a, -1), b
    if b.rank == 1:
        return w.do("sum", w.do("mul", a, b), [-1], False)
    if torch.broadcast_shapes(left.shape, right.shape).numel() > MAX_ELEMENTS:
        raise w.refuse(f"a product of {list(a.shape)} and {list(b.shape)} is too large to be written as a sum")
    return w.do("sum", w.do("mul", left, right), [-2], False)


for _name in ("mm", "bmm", "mv", "matmul"):
    RULES[_name] = lambda w, a, dtype: product(w, a[0], a[1])
RULES["dot"] = RULES["vdot"] = RULES["inner"] = lambda w, a, dtype: w.do("sum", w.do("mul", a[0], a[1])) if a[0].rank == 1 else product(w, a[0], turned(w, [a[1]], dtype))


@rule("linear")
def linear(w: Writer, a: List[Any], dtype: Any) -> Any:
    got = product(w, a[0], turned(w, [a[1]], dtype))
    return got if len(a) < 3 or a[2] is None else w.do("add", got, a[2])


@rule("addmm", "baddbmm", "addmv", "addbmm")
def addmm(w: Writer, a: List[Any], dtype: Any) -> Any:
    got, plus = product(w, a[1], a[2]), a[0]
    got = got if number_of(a[4]) == 1 else w.do("mul", got, a[4])
    plus = plus if number_of(a[3]) == 1 else w.do("mul", plus, a[3])
    return w.do("add", got, plus)


@rule("addr")
def addr(w: Writer, a: List[Any], dtype: Any) -> Any:
    got, plus = RULES["outer"](w, [a[1], a[2]], dtype), a[0]
    got = got if number_of(a[4]) == 1 else w.do("mul", got, a[4])
    return w.do("add", got, plus if number_of(a[3]) == 1 else w.do("mul", plus, a[3]))


@rule("linalg_multi_dot", "chain_matmul")
def multi_dot(w: Writer, a: List[Any], dtype: Any) -> Any:
    made = a[0][0]
    for factor in a[0][1:]:
        made = product(w, made, factor)
    return made


@rule("linalg_matrix_power", "matrix_power")
def matrix_power(w: Writer, a: List[Any], dtype: Any) -> Any:
    n = number_of(a[1])
    if not 1 <= n <= 64:
        raise w.refuse("matrix_power takes powers from 1 to 64")
    made, power = None, a[0]
    while n:
        if n & 1:
            made = power if made is None else product(w, made, power)
        n >>= 1
        power = product(w, power, power) if n else power
    return made


@rule("cov")
def cov(w: Writer, a: List[Any], dtype: Any) -> Any:
    x, correction = a[0], number_of(a[1]) if len(a) > 1 else 1
    if x.rank != 2 or any(weights is not None for weights in a[2:]):
        raise w.refuse("cov takes a matrix, without weights")
    far = w.do("sub", x, w.do("mean", x, [1], True))
    n = w.size(x, 1)
    return w.do("div", product(w, far, w.do("transpose", far, 0, 1)), Num(f"({n.text} - {correction})", n.value - correction))


@rule("corrcoef")
def corrcoef(w: Writer, a: List[Any], dtype: Any) -> Any:
    c = cov(w, [a[0]], dtype)
    spread = w.do("sqrt", w.do("diagonal", c))
    scaled = w.do("div", w.do("div", c, w.do("unsqueeze", spread, 1)), w.do("unsqueeze", spread, 0))
    return w.do("clamp", scaled, -1, 1)


@rule("vander")
def vander(w: Writer, a: List[Any], dtype: Any) -> Any:
    x, n, increasing = a[0], a[1] if a[1] is not None else w.size(a[0], 0), bool(number_of(a[2]))
    powers = floating(w, w.do("arange", n))
    if not increasing:
        powers = w.do("rsub", powers, Num(f"({text_of(n)} - 1)", number_of(n) - 1))
    return w.do("pow", w.do("unsqueeze", x, 1), powers)


def convolving(op: str) -> Callable[..., Any]:
    def run(w: Writer, a: List[Any], dtype: Any) -> Any:
        w.pin(a[1], range(2, a[1].rank))  # a kernel is written for the size of its windows
        name = op
        if op == "_convolution":
            turned_back = number_of(a[6])
            name = f"conv{'_transpose' if turned_back else ''}{a[0].rank - 2}d"
            a = [*a[:5], a[7], a[8], a[5]] if turned_back else [*a[:6], a[8]]
        return w.do(name, *a)
    return run


for _name in ("_convolution", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d"):
    RULES[_name] = convolving(_name)


@rule("_convolution_mode")
def convolution_by_name(w: Writer, a: List[Any], dtype: Any) -> Any:
    """Padding as "valid", none, or "same": as many elements as before, an odd one behind."""
    x, weight, bias, stride, mode, apart, groups = a
    rank = x.rank - 2
    apart = [number_of(n) for n in apart] * (rank if len(apart) == 1 else 1)
    every = [n * (weight.shape[2 + d] - 1) if mode == "same" else 0 for d, n in enumerate(apart)]
    if any(n % 2 for n in every):
        x = w.do("constant_pad_nd", x, [p for n in reversed(every) for p in (0, n % 2)], 0)
    return RULES[f"conv{rank}d"](w, [x, weight, bias, stride, [n // 2 for n in every], apart, groups], dtype)


def spelled(equation: str, tensors: List[Ten]) -> Tuple[List[str], str]:
    """The letters of each operand and of the result: "..." as letters that nobody uses, a result that is not said as the letters that occur once."""
    left, arrow, right = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    free = [c for c in string.ascii_uppercase if c not in equation]
    spread = [t.rank - len(term) + 3 if "..." in term else 0 for term, t in zip(terms, tensors)]
    terms = [term.replace("...", "".join(free[len(free) - n:])) for term, n in zip(terms, spread)]
    dots = "".join(free[len(free) - max(spread):])
    if not arrow:
        told = left.replace("...", "")
        right = dots + "".join(sorted(c for c in set(told) - {","} if told.count(c) == 1))
    return terms, right.replace("...", dots)


@rule("einsum")
def einsum(w: Writer, a: List[Any], dtype: Any) -> Any:
    """Products by broadcasting and a sum; what is a matrix product stays one."""
    terms, right = spelled(a[0], a[1])
    if any(len(set(t)) != len(t) for t in [*terms, right]):
        raise w.refuse(f"einsum({a[0]!r}) is not supported: a letter may stand once in an operand")
    while len(terms) > 2:  # the first two become one, with what the others and the result still want
        both, rest = terms[:2], terms[2:]
        wanted = "".join(c for c in dict.fromkeys("".join(both)) if c in right + "".join(rest))
        first = einsum(w, [f"{','.join(both)}->{wanted}", a[1][:2]], dtype)
        terms, a = [wanted, *rest], [a[0], [first, *a[1][2:]]]
    letters = list(dict.fromkeys(right + "".join(terms)))
    gone = [c for c in letters if c not in right]
    if len(terms) == 2 and gone:
        only = [[c for c in t if c not in other and c in right] for t, other in ((terms[0], terms[1]), (terms[1], terms[0]))]
        shared = [c for c in gone if c in terms[0] and c in terms[1]]
        if only[0] and only[1] and shared and all(c in shared for c in gone):
            return contracted(w, a[1], terms, right, only, shared, dtype)
    made = None
    for term, x in zip(terms, a[1]):
        x = permute(w, [x, [term.index(c) for c in letters if c in term]], dtype)
        for i, c in enumerate(letters):
            if c not in term:
                x = w.do("unsqueeze", x, i)
        made = x if made is None else w.do("mul", made, x)
    assert made is not None
    return w.do("sum", made, list(range(len(right), len(letters))), False) if gone else made


@rule("tensordot")
def tensordot(w: Writer, a: List[Any], dtype: Any) -> Any:
    x, y = a[0], a[1]
    pairs = list(zip([number_of(d) % x.rank for d in a[2]], [number_of(d) % y.rank for d in a[3]]))
    left = list(string.ascii_lowercase[:x.rank])
    right = list(string.ascii_uppercase[:y.rank])
    for i, j in pairs:
        right[j] = left[i]
    out = [c for c in left if c not in right] + [c for c in right if c not in left]
    return einsum(w, [f"{''.join(left)},{''.join(right)}->{''.join(out)}", [x, y]], dtype)


@rule("bilinear")
def bilinear(w: Writer, a: List[Any], dtype: Any) -> Any:
    x, y, weight, bias = a
    made = einsum(w, ["...i,oij,...j->...o", [x, weight, y]], dtype)
    return made if bias is None else w.do("add", made, bias)


def contracted(w: Writer, tensors: List[Ten], terms: List[str], right: str, only: List[List[str]], shared: List[str], dtype: Any) -> Any:
    batch = [c for c in right if c in terms[0] and c in terms[1]]
    own = [{c: w.size(x, i) for i, c in enumerate(t)} for t, x in zip(terms, tensors)]
    sizes = {**own[0], **{c: n for c, n in own[1].items() if number_of(n) != 1 or c not in own[0]}}  # the other is repeated
    x = permute(w, [tensors[0], [terms[0].index(c) for c in batch + only[0] + shared]], dtype)
    y = permute(w, [tensors[1], [terms[1].index(c) for c in batch + shared + only[1]]], dtype)

    def joined(t: Ten, sizes: Dict[str, Any], head: List[str], tail: List[str]) -> Any:
        if len(head) == 1 and len(tail) == 1:
            return t
        flat = [Num(" * ".join(text_of(sizes[c]) for c in part), None) for part in (head, tail)]
        for n, part in zip(flat, (head, tail)):
            value = 1
            for c in part:
                value *= number_of(sizes[c])
            n.value = value
        return w.do("reshape", t, [*(sizes[c] for c in batch), *flat])
    got = product(w, joined(x, own[0], only[0], shared), joined(y, own[1], shared, only[1]))
    order = batch + only[0] + only[1]
    if len(only[0]) > 1 or len(only[1]) > 1:
        got = w.do("reshape", got, [sizes[c] for c in order])
    return permute(w, [got, [order.index(c) for c in right]], dtype)


__all__ = ["RULES", "SAME", "cast", "literal"]

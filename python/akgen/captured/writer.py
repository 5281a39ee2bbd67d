"""Writes a traced graph as the straight-line program that akgen's reference runs, and computes every value on the way.

Values are in float64 where they are floating-point; conversions between floating-point dtypes are left out (the reference rounds once, at
the output), those to integers truncate. Operators in place become new values, and those on views new values of what is viewed.
"""
from __future__ import annotations

import re
from typing import Any, Callable, Dict, Iterable, List, Optional, Sequence, Set, Tuple

import torch

from . import arrangements, functions, recurrent, resampling  # noqa: F401  their rules
from .operators import RULES, SAME, filled, floating
from .refusal import Refused
from .trace import Shift, line_of_node
from .values import INT_MAX, Num, Ten, arithmetic, literal, number_of, plain, text_of

MAX_NODES = 4096
WORD = re.compile(r"[A-Za-z_]\w*")
MAKES = {"arange", "zeros", "ones", "tensor", "to", "type_as"}  # floating-point numbers in the precision that they are asked for
VIEWS = {"select", "slice", "narrow", "view", "reshape", "unsqueeze", "squeeze", "transpose", "t", "permute", "expand", "flatten", "numpy_T", "contiguous", "swapaxes",
         "movedim", "unflatten", "expand_as", "view_as", "reshape_as", "swapdims", "diagonal", "mT", "_reshape_alias", "to", "detach", "alias", "type_as"}


def names_behind(lines: Sequence[str], results: Iterable[str]) -> Set[str]:
    """The names of a program that its results are made of, they themselves among them."""
    needed = {word for r in results for word in WORD.findall(r)}
    for line in reversed(lines):
        left, right = line.split(" = ", 1)
        if needed & set(WORD.findall(left)):
            needed |= set(WORD.findall(right))
    return needed


class Ref:
    """What a name of the graph stands for at this point of the program: a tensor, or a view of one."""

    def __init__(self, now: Any, parent: Optional["Ref"] = None, again: Optional[Callable[[Ten], Ten]] = None, back: Optional[Callable[[Ten, Ten], Ten]] = None) -> None:
        self.now, self.parent, self.again, self.back = now, parent, again, back
        self.version, self.seen = 0, parent.version if parent else 0

    def get(self) -> Any:
        if self.parent is not None and self.again is not None:
            whole = self.parent.get()
            if self.parent.version != self.seen:
                self.now, self.seen = self.again(whole), self.parent.version
                self.version += 1
        return self.now

    def set(self, value: Ten) -> None:
        self.version += 1
        if self.parent is not None:
            if self.back is None:
                raise Refused("operator", "writing into this view is not supported; build the result with torch.where or torch.cat")
            self.parent.set(self.back(self.parent.get(), value))
            self.seen = self.parent.version
        self.now = value


class Writer:
    def __init__(self, names: Sequence[str], values: Sequence[torch.Tensor], shift: Shift, file: str) -> None:
        self.shift, self.file = shift, file
        self.lines: List[str] = []
        self.places: List[Optional[int]] = []  # the user's line for each of `lines`
        self.line: Optional[int] = None
        self.env: Dict[str, Any] = {}
        self.names = set(names)
        self.count = 0
        self.inputs = [Ref(Ten(n, v.double() if v.is_floating_point() else v)) for n, v in zip(names, values)]
        self.constants: Dict[str, torch.Tensor] = {}  # tensors that the function holds: further inputs
        self.products_as_sums = False
        self.pinned: List[str] = []  # sizes of inputs that the program is written for: "weight.2"
        self.outputs: List[Ten] = []
        self.dtypes: List[torch.dtype] = []
        self.narrowed = False  # a conversion to fewer digits was left out

    def refuse(self, reason: str, kind: str = "operator") -> Refused:
        return Refused(kind, reason, self.line)

    def fresh(self) -> str:
        while True:
            name = f"v{self.count}"
            self.count += 1
            if name not in self.names:
                return name

    def do(self, op: str, *args: Any, **kwargs: Any) -> Any:
        """Writes one operator of ATen and gives its result: a tensor, or a list of them."""
        if len(self.lines) >= MAX_NODES:
            raise self.refuse(f"the function gives more than {MAX_NODES} operations", "loop")
        text = ", ".join([text_of(a) for a in args] + [f"{k}={text_of(v)}" for k, v in kwargs.items()])
        try:
            with torch.no_grad():
                value = getattr(torch.ops.aten, op)(*[plain(a) for a in args], **{k: plain(v) for k, v in kwargs.items()})
        except Exception as e:
            raise self.refuse(f"torch.{op} cannot be computed in float64: {str(e).strip().splitlines()[0][:160]}") from None
        if isinstance(value, torch.Tensor) and value.is_floating_point() and value.dtype != torch.float64 and op not in MAKES:
            return self.do(op, *[self.widened(op, a, i) for i, a in enumerate(args)], **kwargs)
        name = self.fresh()
        self.lines.append(f"{name} = torch.{op}({text})")
        self.places.append(self.line)
        if isinstance(value, torch.Tensor):
            return Ten(name, value)
        if isinstance(value, (list, tuple)) and isinstance(value, list):
            return [Ten(f"{name}[{i}]", v) for i, v in enumerate(value)]
        names = [self.fresh() for _ in value]
        self.lines[-1] = f"{', '.join(names)} = torch.{op}({text})"
        return [Ten(n, v) for n, v in zip(names, value)]

    def widened(self, op: str, a: Any, i: int) -> Any:
        """An argument of an operator that makes floating-point numbers of integers: PyTorch takes its default precision for them, which is not
        that of the program."""
        if isinstance(a, Ten) and not a.is_float and not (op == "where" and i == 0):
            return floating(self, a)
        return filled(self, [], a, torch.float64) if op == "where" and i > 0 and isinstance(number_of(a), float) else a

    # ---- values

    def value(self, v: Any) -> Any:
        found = self.env[v.debugName()]
        return self.current(found)

    def current(self, found: Any) -> Any:
        if isinstance(found, Ref):
            return found.get()
        return [self.current(f) for f in found] if isinstance(found, list) else found

    def number_tensor(self, value: torch.Tensor) -> Any:
        """A tensor that the function holds: a number where it is one, an input of its own otherwise."""
        if value.numel() == 1 and value.dim() == 0:
            return Num(literal(value.item()), value.item())
        for name, known in self.constants.items():
            if known.shape == value.shape and known.dtype == value.dtype and torch.equal(known, value):
                return Ten(name, value.double() if value.is_floating_point() else value)
        name = f"constant{len(self.constants)}"
        while name in self.names:
            name += "_"
        self.names.add(name)
        self.constants[name] = value
        return Ten(name, value.double() if value.is_floating_point() else value)

    def size(self, t: Any, dim: int) -> Num:
        return Num(f"{t.name}.size({dim})", t.shape[dim])

    def pin(self, t: Ten, dims: Iterable[int]) -> None:
        """The program is written for these sizes of an input; of a computed tensor, for those of its inputs that may have become them."""
        inputs = {r.now.name: r.now for r in self.inputs if isinstance(r.now, Ten)}
        if t.name in inputs:
            self.pinned += [f"{t.name}.{d}" for d in dims]
            return
        needed, sizes = names_behind(self.lines, [t.name]), {t.shape[d] for d in dims} - {1}
        self.pinned += [f"{name}.{d}" for name, one in inputs.items() if name in needed for d, n in enumerate(one.shape) if n in sizes]

    def tensor(self, value: Any) -> Ten:
        """A number as a tensor of no dimensions."""
        if isinstance(value, Ten):
            return value
        if isinstance(number_of(value), (int, float)):
            name = self.fresh()
            self.lines.append(f"{name} = torch.tensor({text_of(value)})")
            self.places.append(self.line)
            return Ten(name, torch.tensor(number_of(value), dtype=torch.float64 if isinstance(number_of(value), float) else None))
        raise self.refuse("a tensor was expected")

    # ---- the graph

    def run(self, graph: Any) -> None:
        for value, ref in zip(graph.inputs(), self.inputs):
            self.env[value.debugName()] = ref
        for node in graph.nodes():
            self.line = line_of_node(node, self.file) or self.line
            try:
                self.node(node)
            except Refused as e:
                e.line = e.line or self.line
                raise
            except (AttributeError, IndexError, KeyError, RuntimeError, TypeError, ValueError) as e:
                what = node.kind().split("::")[-1]
                raise self.refuse(f"{what} with these arguments is not captured: {str(e).strip().splitlines()[0][:120] if str(e).strip() else type(e).__name__}") from None
        for value in graph.outputs():
            self.output(self.env[value.debugName()], value)

    def output(self, found: Any, value: Any) -> None:
        if isinstance(found, list):
            kinds = list(value.type().elements()) if value.type().kind() == "TupleType" else [None] * len(found)
            for one, kind in zip(found, kinds):
                self.add_output(one, kind)
        else:
            self.add_output(found, value.type())

    def add_output(self, found: Any, kind: Any) -> None:
        now = self.current(found)
        if isinstance(now, list):
            for one in now:
                self.add_output(one, None)
            return
        if isinstance(now, Num):
            now = self.tensor(now)
        if now.name in {r.now.name for r in self.inputs if isinstance(r.now, Ten)} | {o.name for o in self.outputs}:
            now = self.do("clone", now)
        dtype = kind.dtype() if kind is not None and kind.kind() == "TensorType" else None
        self.outputs.append(now)
        self.dtypes.append(self.shift.user(dtype or now.value.dtype))

    def node(self, node: Any) -> None:
        kind = node.kind()
        out = list(node.outputs())
        if kind == "prim::Constant":
            self.env[out[0].debugName()] = self.constant(out[0])
            return
        args = [self.value(v) for v in node.inputs()]
        if kind in ("prim::ListConstruct", "prim::TupleConstruct"):
            self.env[out[0].debugName()] = [self.env[v.debugName()] for v in node.inputs()]
            return
        if kind in ("prim::ListUnpack", "prim::TupleUnpack"):
            for v, one in zip(out, self.env[next(iter(node.inputs())).debugName()]):
                self.env[v.debugName()] = one
            return
        if kind == "aten::size" and len(args) == 2:
            self.env[out[0].debugName()] = self.size(args[0], args[1] % args[0].rank)
            return
        if kind == "prim::NumToTensor":
            self.env[out[0].debugName()] = args[0] if isinstance(args[0], Num) else Num(literal(args[0]), args[0])
            return
        if not kind.startswith("aten::"):
            raise self.refuse(f"{kind.split('::')[1]} is nothing that is captured; scripted functions are called as plain ones")
        self.operator(node, kind[6:], args, out)

    def constant(self, out: Any) -> Any:
        value = out.toIValue()
        return self.number_tensor(value) if isinstance(value, torch.Tensor) else str(value) if isinstance(value, torch.device) else value

    def operator(self, node: Any, op: str, args: List[Any], out: List[Any]) -> None:
        if all(not has_tensor(a) for a in args) and args:
            number = arithmetic(op, args) if isinstance(args[0], Num) or op in ("Int", "Float") else None
            if number is not None:
                self.env[out[0].debugName()] = number
                return
        if op in ("Int", "Float", "Bool", "item") and has_tensor(args[0]):
            raise self.refuse("a Python number is made of the elements of a tensor", "data")
        if op.endswith("_") and not op.startswith("__"):
            self.in_place(node, op, args, out)
            return
        dtype = out[0].type().dtype() if out and out[0].type().kind() == "TensorType" else None
        result = self.apply(op, args, node, dtype)
        self.bind(node, op, args, out, result)

    def apply(self, op: str, args: List[Any], node: Any, dtype: Optional[torch.dtype]) -> Any:
        if op in SAME and isinstance(args[0], Ten):
            return args[0]
        rule = RULES.get(op)
        if rule is not None:
            return rule(self, args, dtype)
        positional, named = self.split(node, args)
        return self.do(op, *positional, **named)

    @staticmethod
    def split(node: Any, args: List[Any]) -> Tuple[List[Any], Dict[str, Any]]:
        """Arguments that the schema has by name alone are passed so."""
        try:
            schema = torch._C.parse_schema(node.schema())
        except RuntimeError:
            return args, {}
        positional, named = [], {}
        for a, told in zip(args, schema.arguments):
            if told.kwarg_only:
                named[told.name] = a
            else:
                positional.append(a)
        while positional and positional[-1] is None and len(positional) > 1:
            positional.pop()
        return positional, {k: v for k, v in named.items() if v is not None and k not in ("layout", "device", "pin_memory", "memory_format")}

    def bind(self, node: Any, op: str, args: List[Any], out: List[Any], result: Any) -> None:
        refs = [self.env[v.debugName()] for v in node.inputs()]
        if op in VIEWS and isinstance(result, Ten) and isinstance(refs[0], Ref):
            if result is args[0]:
                self.env[out[0].debugName()] = refs[0]
                return
            dtype = out[0].type().dtype()
            self.env[out[0].debugName()] = Ref(result, refs[0], lambda whole: self.apply(op, [whole, *args[1:]], node, dtype), self.writing_back(op, args))
            return
        if op in ("chunk", "split", "unbind", "split_with_sizes", "tensor_split") and isinstance(refs[0], Ref):
            result = [self.part_of(refs[0], one, op, args, i, result) for i, one in enumerate(result)]
        results = [result] if len(out) == 1 else result
        for v, one in zip(out, results):
            self.env[v.debugName()] = [r if isinstance(r, Ref) else Ref(r) for r in one] if isinstance(one, list) else one if isinstance(one, Num) else Ref(one)

    def part_of(self, whole: Ref, part: Ten, op: str, args: List[Any], i: int, parts: List[Ten]) -> Ref:
        dim = number_of(args[1] if op == "unbind" else args[2] if len(args) > 2 else 0) % args[0].rank
        if op == "unbind":
            return Ref(part, whole, lambda t: self.do("select", t, dim, i), lambda t, new: self.replaced(t, dim, i, i + 1, self.do("unsqueeze", new, dim)))
        first = sum(p.shape[dim] for p in parts[:i])
        last = first + part.shape[dim]
        return Ref(part, whole, lambda t: self.do("slice", t, dim, first, last, 1), lambda t, new: self.replaced(t, dim, first, last, new))

    # ---- in place

    def replaced(self, whole: Ten, dim: int, first: int, last: int, new: Ten) -> Ten:
        parts = [self.do("slice", whole, dim, 0, first, 1)] if first > 0 else []
        parts.append(new)
        if last < whole.shape[dim]:
            parts.append(self.do("slice", whole, dim, last, INT_MAX, 1))
        return self.do("cat", parts, dim) if len(parts) > 1 else new

    def sliced_back(self, whole: Ten, dim: int, start: Any, stop: Any, step: int, new: Ten) -> Ten:
        """whole with `new` in place of whole[start:stop:step] of a dimension; what is counted from the end stays so."""
        n = whole.shape[dim]
        start, stop = 0 if start is None else start, INT_MAX if stop is None else stop
        first, last, _ = slice(number_of(start), number_of(stop)).indices(n)
        if first >= last:
            return whole
        if step > 1:
            return self.stepped_back(whole, dim, start, stop, step, new)
        parts = [self.do("slice", whole, dim, 0, start, 1)] if first > 0 else []
        parts.append(new)
        if last < n:
            parts.append(self.do("slice", whole, dim, stop, INT_MAX, 1))
        return self.do("cat", parts, dim) if len(parts) > 1 else new

    def stepped_back(self, whole: Ten, dim: int, start: Any, stop: Any, step: int, new: Ten) -> Ten:
        n = self.size(whole, dim)

        def bound(v: Any) -> Any:
            return Num(f"({n.text} + {number_of(v)})", n.value + number_of(v)) if number_of(v) < 0 else v

        places = self.do("arange", n)
        off = self.do("sub", places, bound(start)) if number_of(start) else places
        there = self.do("eq", self.do("remainder", off, step), 0)
        if number_of(start):
            there = self.do("logical_and", there, self.do("ge", off, 0))
        if number_of(stop) < 0 or number_of(stop) < n.value:
            there = self.do("logical_and", there, self.do("lt", places, bound(stop)))
        count = self.size(new, dim)
        group = self.do("to", self.do("floor", self.do("div", off, step)), 4)
        which = self.do("clamp", group, 0, Num(f"({count.text} - 1)", count.value - 1))
        shape = [n if d == dim else 1 for d in range(whole.rank)]
        return self.do("where", self.do("reshape", there, shape), self.do("index_select", new, dim, which), whole)

    def writing_back(self, op: str, args: List[Any]) -> Optional[Callable[[Ten, Ten], Ten]]:
        if op == "select":
            dim, i = number_of(args[1]) % args[0].rank, number_of(args[2]) % args[0].shape[number_of(args[1])]
            return lambda whole, new: self.replaced(whole, dim, i, i + 1, self.do("unsqueeze", new, dim))
        if op == "slice":
            dim = number_of(args[1]) % args[0].rank
            return lambda whole, new: self.sliced_back(whole, dim, args[2], args[3], number_of(args[4]), new)
        if op in ("view", "reshape", "unsqueeze", "squeeze", "flatten", "unflatten", "contiguous", "view_as", "reshape_as"):
            return lambda whole, new: self.do("reshape", new, [self.size(whole, d) for d in range(whole.rank)])
        if op in ("transpose", "swapaxes", "swapdims"):
            return lambda whole, new: self.do("transpose", new, args[1], args[2])
        if op in ("t", "numpy_T", "mT") and args[0].rank == 2:
            return lambda whole, new: self.do("transpose", new, 0, 1)
        return None

    def in_place(self, node: Any, op: str, args: List[Any], out: List[Any]) -> None:
        ref = self.env[next(iter(node.inputs())).debugName()]
        if not isinstance(ref, Ref):
            raise self.refuse(f"{op} changes something that is no tensor of the function")
        was = args[0]
        dtype = out[0].type().dtype()
        if op == "copy_":
            new = self.spread(self.tensor(args[1]), was)
            new = RULES["to"](self, [new], dtype) if new.value.dtype != was.value.dtype else new
        elif op in ("fill_", "zero_"):
            new = RULES["full_like"](self, [was, 0 if op == "zero_" else args[1]], dtype)
        elif op == "index_put_":
            new = RULES["index_put"](self, args, dtype)
        else:
            new = self.apply(op[:-1], args, node, dtype)
            new = self.spread(new, was)
        ref.set(new)
        self.env[out[0].debugName()] = ref

    def spread(self, t: Ten, like: Ten) -> Ten:
        return t if t.shape == like.shape else self.do("expand", t, [self.size(like, d) for d in range(like.rank)])


def has_tensor(value: Any) -> bool:
    return isinstance(value, Ten) or (isinstance(value, list) and any(has_tensor(v) for v in value))

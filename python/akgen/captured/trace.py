"""One call of a function, recorded by PyTorch's tracer: a graph of ATen operators with the user's lines and dtypes.

PyTorch on a CPU lacks many float16 operators, so the call runs one precision higher: float16 (or bfloat16) as float32 and float32 as
float64. `Shift` is in between wherever the function meets a dtype, so that it sees those of its arguments.
"""
from __future__ import annotations

import ast
import contextlib
import math
import re
import warnings
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple

import torch
from torch.overrides import TorchFunctionMode

from .refusal import Refused, line_in, line_of

MAX_CALLS = 4096
HALVES = (torch.float16, torch.bfloat16)
READS = {"item", "tolist", "numpy", "__bool__", "__float__", "__int__", "__index__", "__complex__"}
BY_DATA = {"nonzero", "masked_select", "unique", "unique_consecutive", "argwhere", "bincount", "histc"}
RANDOM = {"rand", "randn", "randint", "rand_like", "randn_like", "randint_like", "randperm", "bernoulli", "multinomial", "normal", "normal_", "uniform_",
          "bernoulli_", "poisson", "exponential_", "random_", "gumbel_softmax", "rrelu", "fractional_max_pool2d"}
PLAIN_ALGEBRA = {"linalg_norm", "linalg_vector_norm", "linalg_matmul", "linalg_cross", "linalg_multi_dot", "linalg_matrix_power"}
ALGEBRA = {"svd", "qr", "cholesky", "inverse", "det", "logdet", "pinverse", "matrix_exp", "lstsq", "stft", "istft"}
DROPOUT = {"dropout": 2, "dropout_": 2, "dropout1d": 2, "dropout2d": 2, "dropout3d": 2, "alpha_dropout": 2, "feature_dropout": 2, "feature_alpha_dropout": 2}
CASTS = {"float": torch.float32, "half": torch.float16, "bfloat16": torch.bfloat16, "double": torch.float64}
FACTORIES = {"tensor", "as_tensor", "scalar_tensor"}


class Shift:
    """Between the dtypes that a user writes and those that a call runs in. `wide`: everything floating runs in float64."""

    def __init__(self, dtypes: Sequence[torch.dtype], wide: bool = False) -> None:
        halves = sorted({d for d in dtypes if d in HALVES}, key=str)
        if len(halves) > 1 and not wide:
            raise Refused("example", "float16 and bfloat16 in one call are not supported; take one of them")
        half = halves[0] if halves else torch.float16
        self.runs = {torch.float16: torch.float32, torch.bfloat16: torch.float32, torch.float32: torch.float64, torch.float64: torch.float64}
        self.said = {torch.float32: half, torch.float64: torch.float32}
        if wide:
            floats = {d for d in dtypes if d.is_floating_point}
            self.runs = {d: torch.float64 for d in self.runs}
            self.said = {torch.float64: floats.pop() if len(floats) == 1 else torch.float32}

    def real(self, dtype: torch.dtype) -> torch.dtype:
        return self.runs.get(dtype, dtype)

    def user(self, dtype: torch.dtype) -> torch.dtype:
        return self.said.get(dtype, dtype)


class Watch(TorchFunctionMode):  # type: ignore[misc]
    """Stands between the user's function and PyTorch while it is called."""

    def __init__(self, shift: Shift, file: str, indices: Optional[Callable[[torch.Tensor, int], None]] = None) -> None:
        super().__init__()
        self.shift, self.file, self.indices = shift, file, indices
        self.calls = 0
        self.sizes: Dict[int, Any] = {}  # numbers that are sizes, as the tracer hands them out

    def mapped(self, value: Any) -> Any:
        if isinstance(value, torch.dtype):
            return self.shift.real(value)
        return type(value)(self.mapped(v) for v in value) if type(value) in (list, tuple) else value

    def is_size(self, value: Any) -> bool:
        return isinstance(value, torch.Tensor) and id(value) in self.sizes

    def keep_sizes(self, value: Any) -> Any:
        for one in value if isinstance(value, (tuple, list)) else [value]:
            if isinstance(one, torch.Tensor):
                self.sizes[id(one)] = one
        return value

    def refuse(self, kind: str, reason: str) -> None:
        raise Refused(kind, reason, line_in(self.file))

    def check(self, name: str, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> None:
        self.calls += 1
        if self.calls > MAX_CALLS:
            line = line_in(self.file)
            loop = loop_around(self.file, line)
            raise Refused("loop", f"the loop gives more than {MAX_CALLS} operations" if loop else f"the function gives more than {MAX_CALLS} operations", loop or line)
        if name in READS and args and not self.is_size(args[0]):
            what = "a condition" if name == "__bool__" else "a Python number"
            self.refuse("data", f"{what} is made of the elements of a tensor: what is computed would depend on values; torch.where chooses by element")
        if name in BY_DATA or (name == "where" and len(args) == 1):
            self.refuse("data", f"the shape of what {name} gives depends on values")
        if name == "__getitem__" and any(isinstance(i, torch.Tensor) and i.dtype in (torch.bool, torch.uint8) for i in (args[1] if isinstance(args[1], tuple) else (args[1],))):
            self.refuse("data", "the shape of x[mask] depends on values; torch.where(mask, x, 0) keeps it")
        if name.startswith(("linalg_", "fft_")) and name not in PLAIN_ALGEBRA or name in ALGEBRA:
            self.refuse("operator", f"{name} is no operator that akgen writes: linear algebra and transforms are left to libraries")
        if name in RANDOM and not (name == "rrelu" and not kwargs.get("training", False)):
            self.refuse("random", f"{name} draws random numbers: there is no one right result")
        if name in DROPOUT:
            training = kwargs.get("training", kwargs.get("train", args[DROPOUT[name]] if len(args) > DROPOUT[name] else name != "dropout"))
            if training and (kwargs.get("p", args[1] if len(args) > 1 else 0.5)) != 0:
                self.refuse("random", "dropout draws random numbers in training mode; call net.eval(), or give training=False")

    def watch_indices(self, name: str, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> None:
        """Tells how large the elements of an index may be."""
        if self.indices is None:
            return
        a = list(args) + [kwargs[k] for k in ("dim", "index", "indices", "target") if k in kwargs]
        tensors = [t for t in a if isinstance(t, torch.Tensor)]
        if name == "__getitem__":
            which = args[1] if isinstance(args[1], tuple) else (args[1],)
            at = 0
            for one in which:
                if isinstance(one, torch.Tensor) and one.dtype == torch.int64:
                    self.indices(one, torch.Tensor.size(args[0])[at])
                at += one is not None
        elif name in ("gather", "index_select", "take_along_dim", "scatter", "scatter_add", "index_add") and len(tensors) >= 2:
            dim = next((v for v in a if isinstance(v, int)), 0)
            self.indices(tensors[1], torch.Tensor.size(tensors[0])[dim])
        elif name == "embedding" and len(tensors) >= 2:
            weight, index = (tensors[1], tensors[0]) if tensors[0].dtype in (torch.int64, torch.int32) else (tensors[0], tensors[1])
            self.indices(index, torch.Tensor.size(weight)[0])
        elif name in ("cross_entropy", "nll_loss") and len(tensors) >= 2 and not tensors[1].is_floating_point():
            self.indices(tensors[1], torch.Tensor.size(tensors[0])[1 if tensors[0].dim() > 1 else 0])
        elif name == "one_hot" and isinstance(a[-1], int) and a[-1] > 0:
            self.indices(tensors[0], a[-1])

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        name = getattr(func, "__name__", "")
        if name == "__get__":
            of = getattr(getattr(func, "__self__", None), "__name__", "")
            value = func(*args, **kwargs)
            return self.shift.user(value) if of == "dtype" else self.keep_sizes(value) if of == "shape" else value
        self.check(name, args, kwargs)
        with torch.no_grad(), untraced():
            self.watch_indices(name, args, kwargs)
        if name in CASTS and args and isinstance(args[0], torch.Tensor):
            return args[0].to(self.shift.real(CASTS[name]))
        args, kwargs = self.mapped(tuple(args)), {k: self.mapped(v) for k, v in kwargs.items()}
        for k in ("device", "pin_memory", "non_blocking"):  # where it is computed is no part of what is computed
            kwargs.pop(k, None)
        if name in ("cuda", "cpu", "npu") or name == "to":
            args = tuple(a for i, a in enumerate(args) if i == 0 or not isinstance(a, (str, torch.device, bool)))
            if name != "to" or (len(args) == 1 and not kwargs):
                return args[0]
        value = func(*args, **kwargs)
        tensors = [a for a in args if isinstance(a, torch.Tensor)]
        if name in ("size", "numel") or (tensors and isinstance(value, torch.Tensor) and all(self.is_size(t) for t in tensors)):
            self.keep_sizes(value)
        return value


@contextlib.contextmanager
def untraced() -> Iterator[None]:
    state = torch._C._get_tracing_state()
    torch._C._set_tracing_state(None)
    try:
        yield
    finally:
        torch._C._set_tracing_state(state)


def loop_around(file: str, line: Optional[int]) -> Optional[int]:
    """The line of the innermost loop or comprehension around a line."""
    try:
        with open(file, encoding="utf-8") as f:
            tree = ast.parse(f.read())
    except (OSError, SyntaxError):
        return None
    kinds = (ast.For, ast.While, ast.ListComp, ast.GeneratorExp)
    around = [n.lineno for n in ast.walk(tree) if isinstance(n, kinds) and line and n.lineno <= line <= (n.end_lineno or n.lineno)]
    return max(around, default=None)


@contextlib.contextmanager
def mathematics() -> Iterator[None]:
    """Python's math follows sizes: math.sqrt(x.shape[-1]) stays an expression of the size."""
    kept = {name: getattr(math, name) for name in ("sqrt", "log", "exp", "log2")}

    def followed(name: str) -> Callable[..., Any]:
        def call(x: Any, *more: Any) -> Any:
            return getattr(torch, name)(x) if isinstance(x, torch.Tensor) and not more else kept[name](x, *more)
        return call
    for name in kept:
        setattr(math, name, followed(name))
    try:
        yield
    finally:
        for name, function in kept.items():
            setattr(math, name, function)


def fused_attention(query: Any, key: Any, value: Any, attn_mask: Any = None, dropout_p: float = 0.0, is_causal: bool = False, scale: Any = None, **_: Any) -> Any:
    """What PyTorch 2 has as scaled_dot_product_attention, for versions without it."""
    scores = query @ key.transpose(-2, -1) * (query.shape[-1] ** -0.5 if scale is None else scale)
    if is_causal:
        n, m = scores.shape[-2], scores.shape[-1]
        scores = scores.masked_fill(torch.ones(n, m, dtype=torch.bool).triu(1), float("-inf"))
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, float("-inf")) if attn_mask.dtype == torch.bool else scores + attn_mask
    return scores.softmax(-1) @ value


@contextlib.contextmanager
def newer_functions() -> Iterator[None]:
    missing = not hasattr(torch.nn.functional, "scaled_dot_product_attention")
    if missing:
        torch.nn.functional.scaled_dot_product_attention = fused_attention
    try:
        yield
    finally:
        if missing:
            del torch.nn.functional.scaled_dot_product_attention


@contextlib.contextmanager
def called(shift: Shift, file: str, indices: Optional[Callable[[torch.Tensor, int], None]] = None) -> Iterator[Watch]:
    """Around a call of the user's function; what goes wrong in it is a refusal with its line."""
    before = torch.get_default_dtype()
    watch = Watch(shift, file, indices)
    torch.set_default_dtype(torch.float64)
    try:
        with warnings.catch_warnings(), torch.no_grad(), mathematics(), newer_functions(), watch:
            warnings.simplefilter("ignore")
            yield watch
    except Refused:
        raise
    except RecursionError as e:
        raise Refused("loop", "the function calls itself without an end", line_of(e, file)) from None
    except Exception as e:  # the user's own code
        text = (str(e).strip().splitlines() or [""])[0]
        raise Refused("example", f"the call fails: {type(e).__name__}: {text[:200]}", line_of(e, file)) from None
    finally:
        torch.set_default_dtype(before)


def record(call: Callable[..., Any], tensors: Sequence[torch.Tensor], shift: Shift, file: str, indices: Optional[Callable[[torch.Tensor, int], None]] = None) -> Any:
    """The graph of call(*tensors), a function that gives a tuple of tensors."""
    with called(shift, file, indices):
        traced = torch.jit.trace(call, tuple(tensors), check_trace=False)
    return traced.inlined_graph


PLACE = re.compile(r"^(.*)\((\d+)\): ", re.M)


def line_of_node(node: Any, file: str) -> Optional[int]:
    for name, line in PLACE.findall(node.sourceRange()):
        if name == file:
            return int(line)
    return None

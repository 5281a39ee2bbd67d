"""Examples: for which arguments a function is captured and judged.

`x=f16[64, 1000] i=i64[4]{0, 99} eps=1e-6 mode=tanh xs=(f16[4], f16[4])`: dtype and shape of a tensor, between which values its elements
are drawn, and Python values.
"""
from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Tuple

from .refusal import Refused

DTYPES = {"f32": "float32", "f16": "float16", "bf16": "bfloat16", "i8": "int8", "u8": "uint8", "i16": "int16", "i32": "int32", "i64": "int64",
          "bool": "bool"}
TENSOR = re.compile(r"(\w+)\[([\d, ]*)\](?:\{\s*([^,}]+),\s*([^}]+)\})?$")
CASE = re.compile(r"\s*#\s*case:(.*)")


@dataclass
class Tensor:
    dtype: str
    shape: Tuple[int, ...]
    low: Optional[float] = None
    high: Optional[float] = None
    index: bool = False  # its elements are places in another tensor


@dataclass
class Example:
    values: Dict[str, Any] = field(default_factory=dict)  # Tensor, a list of Tensor, or a Python value
    text: str = ""
    line: Optional[int] = None


def words(text: str) -> List[str]:
    """Splits at spaces outside of brackets and quotes."""
    return re.findall(r"""(?:[^\s\[\{\('"]|\[[^\]]*\]|\{[^}]*\}|\([^)]*\)|'[^']*'|"[^"]*")+""", text)


def tensor(text: str) -> Optional[Tensor]:
    said = TENSOR.match(text.strip())
    if not said or said[1] not in DTYPES:
        return None
    low, high = (None, None) if said[3] is None else (float(said[3]), float(said[4]))
    if low is not None and high is not None and low > high:
        raise Refused("example", f"{{{said[3]}, {said[4]}}}: the first must not be above the second")
    return Tensor(DTYPES[said[1]], tuple(int(d) for d in said[2].split(",") if d.strip()), low, high)


def value(text: str) -> Any:
    one = tensor(text)
    if one:
        return one
    if text.startswith("(") and "[" in text:
        parts = [tensor(p) for p in re.findall(r"\w+\[[^\]]*\](?:\{[^}]*\})?", text)]
        if parts and all(parts):
            return parts
    if re.match(r"\w+\[", text):
        raise Refused("example", f"`{text}` is no tensor; write for instance f16[64, 1000], with one of {', '.join(DTYPES)}")
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text  # a string without quotes


def example(text: str, line: Optional[int] = None) -> Example:
    out = Example(text=text.strip(), line=line)
    for word in words(text.split("->")[0]):
        name, equals, said = word.partition("=")
        if not equals:
            raise Refused("example", f"`{word}` should be NAME=VALUE", line)
        for one in name.split(","):  # a,b=f16[4]: the same for both
            try:
                out.values[one] = value(said)
            except Refused as e:
                raise Refused("example", e.reason, line) from None
            except ValueError:
                raise Refused("example", f"`{word}`: the range of its values is not numbers", line) from None
    return out


def in_file(text: str, first: int, last: int, all_lines: bool) -> List[Example]:
    """The `# case:` lines from line `first` to `last`, 1 the first, and those of the comment above; with `all_lines` of the whole file."""
    lines = text.splitlines()
    while first > 1 and re.match(r"\s*(#|@)", lines[first - 2]):
        first -= 1
    chosen = range(1, len(lines) + 1) if all_lines else range(first, last + 1)
    out = []
    for number in chosen:
        said = CASE.match(lines[number - 1])
        if said:
            out.append(example(said[1], number))
    return out


def listed(cases: Any, name: str) -> List[Example]:
    """`cases` of a file: a list of texts, or a dict of such lists by the name of the function."""
    if isinstance(cases, dict):
        cases = cases.get(name, [])
    if isinstance(cases, str):
        cases = [cases]
    return [example(c) for c in cases if isinstance(c, str)] if isinstance(cases, (list, tuple)) else []

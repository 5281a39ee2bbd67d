"""Compiles a program's text as PyTorch's scripting language. Apart, since names in the text are looked up where this is called."""
import math  # noqa: F401
import re
from typing import Any

import torch


def compiled(text: str) -> Any:
    """The function `reference` of the text; operators are ATen's, as they are without Python."""
    return torch.jit.CompilationUnit(re.sub(r"\btorch\.(?!tensor\b)(\w+)\(", r"torch.ops.aten.\1(", text)).reference

"""What AscendKernelBench forbids in model_new.py, told from its text. Arithmetic on tensors in forward is found where it happens (model.py)."""
from __future__ import annotations

import ast
from typing import List

MODULES = ("numpy", "scipy", "ctypes", "cffi", "threading", "multiprocessing", "concurrent", "subprocess", "socket", "importlib", "asyncio", "os",
           "sys", "functools", "pickle", "inspect", "gc", "builtins", "time")
METHODS = ("cpu", "numpy", "item", "tolist", "cuda")
NAMES = ("exec", "eval", "compile", "__import__", "open", "globals", "setattr", "vars", "getattr")


def dotted(node: ast.AST) -> str:
    """"torch.ops.custom_op.run" of such an expression, "" of another."""
    parts: List[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""


def broken(source: str) -> List[str]:
    """Each rule that the text breaks, with its line; empty: none."""
    try:
        tree = ast.parse(source)
    except SyntaxError as e:
        return [f"model_new.py:{e.lineno}: {e.msg}"]
    out: List[str] = []

    def say(node: ast.AST, what: str) -> None:
        out.append(f"model_new.py:{getattr(node, 'lineno', 0)}: {what}")
    for node in ast.walk(tree):
        if isinstance(node, ast.Try):
            say(node, "try is not allowed")
        elif isinstance(node, ast.Pass):
            say(node, "pass is not allowed")
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else [f"{node.module}.{a.name}" for a in node.names]
            for name in names:
                if name.split(".")[0] in MODULES or "functional" in name:
                    say(node, f"import of {name} is not allowed")
        elif isinstance(node, ast.ClassDef):
            for base in node.bases:
                if dotted(base).split(".")[-1] in ("Tensor", "Parameter", "Function"):
                    say(node, f"a class of {dotted(base)} is not allowed")
        elif isinstance(node, ast.Attribute):
            name = dotted(node)
            if name.startswith("torch.ops.") and not name.startswith("torch.ops.custom_op") or name in ("torch.ops.load_library",):
                say(node, f"{name}: of torch.ops only custom_op is allowed")
            elif name.endswith("nn.functional") or name.startswith("F.") or name.startswith("torch_npu.npu_"):
                say(node, f"{name} is not allowed")
            elif name.startswith(("torch.npu.", "torch.cuda.", "torch.jit.", "torch.compile", "torch._")):
                say(node, f"{name} is not allowed")
            elif node.attr.startswith("__") and node.attr not in ("__init__", "__name__"):
                say(node, f"{node.attr} is not allowed")
        elif isinstance(node, ast.Call):
            if isinstance(node.func, ast.Attribute) and node.func.attr in METHODS:
                say(node, f".{node.func.attr}() is not allowed")
            elif isinstance(node.func, ast.Name) and node.func.id in NAMES:
                say(node, f"{node.func.id}() is not allowed")
    if not any(isinstance(n, ast.ClassDef) and n.name == "ModelNew" for n in tree.body):
        out.append("model_new.py: there is no class ModelNew")
    if "torch.ops.custom_op" not in source:
        out.append("model_new.py: torch.ops.custom_op is never called")
    return out

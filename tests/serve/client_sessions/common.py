"""What the sessions share: answers of the examples, and where the server is."""
import os
import pathlib
import sys

import akgen

ROOT = pathlib.Path(sys.argv[1])
URL = os.environ["AKGEN_URL"]


def answer(name):
    return "Here.\n" + "".join(f"`{p}`:\n```cpp\n{c}```\n" for p, c in akgen.files_of(ROOT / "examples/kernels" / name).items())


def one_fence(name):
    """As prompts ask for it: all files in one fence, each behind its name."""
    return "Here.\n```cpp\n" + "".join(f"// File: {p}\n{c}" for p, c in akgen.files_of(ROOT / "examples/kernels" / name).items()) + "```\n"


ONE_FENCE = one_fence("sqrt_via_float")
RIGHT, FINDING, BUILD, UNSUPPORTED = map(answer, ("sqrt_via_float", "wrong_misaligned_offset", "wrong_call", "convolution_not_yet"))


def kernel_of(name):
    """The kernel alone; the host side is the task's own."""
    return next(c for p, c in akgen.files_of(ROOT / "examples/kernels" / name).items() if p.startswith("op_kernel/"))


PROGRAM = (ROOT / "examples/craft/lerp.py").read_text()


def same(got, wanted, what=""):
    if got != wanted:
        raise SystemExit(f"{what}: {got!r} instead of {wanted!r}")


def raises(kind, ask, what):
    try:
        got = ask()
    except kind:
        return
    raise SystemExit(f"{what}: {got!r} instead of {kind}")

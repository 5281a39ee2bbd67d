"""Holds docs/tables/constraints.tsv against the tree: its rows and its families.

A row's APIs are `Name`s and **families** of them. Its answer is a code with the case in tests/cases (or the test) that
shows it, or a reason out of document_tables.REASONS with a word on how.
"""
import os
import re
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools"))
from document_tables import REASONS, Constraints  # noqa: E402

PAGE = Constraints.SOURCE
CASE = re.compile(r"^(AK\d{4}) (\w+/\w+\.cpp)$")
TEST = re.compile(r"^(AK\d{4}) (tests/[\w/]+\.(?:cc|py)) (\w+)$")

COMMENT = re.compile(r"//[^\n]*")
KERNEL_NAMES = (
    re.compile(r"__aicore__[^;{}()]*?\b([A-Z]\w*[a-z]\w*|PRINTF)\s*\("),      # functions, members, constructors
    re.compile(r"^AKGEN_[A-Z0-9_]+\(([A-Z]\w*[a-z]\w*)[,)]", re.M),            # names that a macro of ours declares
    re.compile(r"^\s*#\s*define\s+((?!AKGEN_)[A-Z]\w+)\(", re.M),               # macros that kernels use
)
VEC_ROW = re.compile(r"^AKGEN_VEC_OP\((\w+), \w+, (\w+)", re.M)
HOST_NAMES = re.compile(r"^ +(?:static |virtual |explicit )*[\w:<>]+[ &*]+([A-Z]\w*[a-z]\w*)\(", re.M)
TILING_NAMES = re.compile(r"\b(Get\w+(?:TmpSize|FactorSize|TilingInfo)|[A-Z]\w+TilingFunc)\s*\(")


def apis(tree):
    """What the headers offer to kernels and host code, by name."""
    names = set()
    for path, text in tree.under("include/ascendc/kernel/", ends=".h"):
        text = COMMENT.sub("", text).replace("\\\n", " ")
        for pattern in KERNEL_NAMES:
            names.update(pattern.findall(text))
    for name, api in VEC_ROW.findall(tree.text.get("include/ascendc/akgen/vec_ops.inc", "")):
        if api != "own":
            names.add(name)
    for path, text in tree.under("include/ascendc/register/op_def.h", "include/ascendc/tiling/platform/"):
        names.update(HOST_NAMES.findall(COMMENT.sub("", text)))
    for path, text in tree.under("include/ascendc/tiling/", ends=".h"):
        names.update(TILING_NAMES.findall(COMMENT.sub("", text)))
    return {n for n in names if not n.startswith("Akgen") and n not in ("Name", "EXT_BUFPOOL")}


def answer_problem(tree, answer):
    if case := CASE.match(answer):
        code, path = case.groups()
        text = tree.text.get("tests/cases/" + path)
        if text is None:
            return f"there is no case {path}"
        if not re.search(rf"^// expect: .*\b{code}\b", text, re.M):
            return f"{path} does not expect {code}"
    elif test := TEST.match(answer):
        code, path, name = test.groups()
        if not re.search(rf"^(?:TEST(?:_[FP])?\(\w+, {name}\)|    def {name}\()", tree.text.get(path, ""), re.M):
            return f"{path} has no test {name}"
    elif answer.split(":")[0] in REASONS:
        return None
    else:
        return f"`{answer}`: a code with a case or a test, or one of {', '.join(REASONS)}"
    if f"docs/diagnostics/{code}.md" not in tree.text:
        return f"{code} has no page"
    return None


def check_constraints(tree):
    text = tree.text.get(PAGE)
    if text is None:
        return
    table = Constraints(text)
    for line, problem in table.problems:
        yield PAGE, line, "constraints", problem
    for line, names, _, page, answer in table.rows:
        if problem := answer_problem(tree, answer):
            yield PAGE, line, "constraints", problem
        if not page.endswith(".md"):
            yield PAGE, line, "constraints", f"`{page}` is no page"
        for family in re.findall(r"\*\*([a-z0-9 ]+)\*\*", names):
            if family not in table.families:
                yield PAGE, line, "constraints", f"there is no family {family}"
    bare = set().union(*(table.names_of(cell) for cell in table.bare))
    have_rows = set().union(*(table.names_of(row[1]) for row in table.rows))
    for name in sorted(apis(tree) - have_rows - bare):
        yield PAGE, 1, "constraints", f"{name} has neither a row nor a place among those without a constraint"
    for name in sorted(have_rows & bare):
        yield PAGE, 1, "constraints", f"{name} has a row and stands among those without a constraint"

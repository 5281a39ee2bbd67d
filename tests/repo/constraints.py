"""Holds docs/constraints.md against the tree: its rows, its families and its counts.

A row is  | APIs | constraint | page | answer |. APIs are `Name`s and **families** of them. The answer is a code with the
case in tests/cases (or the test) that shows it, or a reason out of REASONS with a word on how.
"""
import re

PAGE = "docs/constraints.md"
REASONS = ("speed only", "other chip", "unspecified", "compiler", "not simulated", "open")
NOT_BREAKABLE = REASONS[:-1]

ROW = re.compile(r"^\| (.+?) \| (.+?) \| (.+?) \| (.+?) \|$")
FAMILY = re.compile(r"^\| \*\*([a-z0-9 ]+)\*\* \| ([^|]+) \|$")
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


class Table:
    """The document, read: families, rows (line, APIs, answer), APIs without a constraint, and what it says it counts."""

    def __init__(self, text):
        self.families, self.rows, self.bare, self.said = {}, [], set(), {}
        section = ""
        for line, content in enumerate(text.splitlines(), 1):
            if content.startswith("## "):
                section = content[3:]
            elif family := FAMILY.match(content):
                self.families[family.group(1)] = set(re.findall(r"`(\w+)`", family.group(2)))
            elif section == "APIs without a constraint":
                self.bare.update(re.findall(r"`(\w+)`", content))
            elif section == "The count":
                if said := re.match(r"^\| ([a-z, ]+) \| ([\d.]+ ?%?) \|$", content):
                    self.said[said.group(1)] = (line, said.group(2))
            elif (row := ROW.match(content)) and row.group(1) not in ("APIs", "---"):
                self.rows.append((line, row.group(1), row.group(2), row.group(3), row.group(4)))

    def names_of(self, cell):
        names = set(re.findall(r"`(\w+)`", cell))
        for family in re.findall(r"\*\*([a-z0-9 ]+)\*\*", cell):
            names |= self.families.get(family, set())
        return names

    def counted(self):
        answers = [row[4] for row in self.rows]
        counts = {reason: sum(a.split(":")[0] == reason for a in answers) for reason in REASONS}
        counts["rows"] = len(answers)
        counts["checked"] = sum(a.startswith("AK") for a in answers)
        breakable = counts["checked"] + counts["open"]
        share = f"{100 * counts['checked'] / breakable:.1f} %" if breakable else "0 %"
        return {k: str(v) for k, v in counts.items()} | {"checked, of those that software can break": share}


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
    table = Table(text)
    for line, names, _, page, answer in table.rows:
        if problem := answer_problem(tree, answer):
            yield PAGE, line, "constraints", problem
        if not page.endswith(".md"):
            yield PAGE, line, "constraints", f"`{page}` is no page"
        for family in re.findall(r"\*\*([a-z0-9 ]+)\*\*", names):
            if family not in table.families:
                yield PAGE, line, "constraints", f"there is no family {family}"
    offered = apis(tree)
    have_rows = set().union(*(table.names_of(row[1]) for row in table.rows)) if table.rows else set()
    for name in sorted(offered - have_rows - table.bare):
        yield PAGE, 1, "constraints", f"{name} has neither a row nor a place among those without a constraint"
    for name in sorted(have_rows & table.bare):
        yield PAGE, 1, "constraints", f"{name} has a row and stands among those without a constraint"
    counted = table.counted()
    for what, number in counted.items():
        line, said = table.said.get(what, (1, "nothing"))
        if said != number:
            yield PAGE, line, "constraints", f"{what}: there are {number}, the count says {said}"

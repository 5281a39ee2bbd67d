"""The shape of sources: files that include each other in a circle, classes that offer or do too much, long lines, names of limits."""
import re

MAX_PUBLIC = 30    # members that a class offers
MAX_METHODS = 20   # functions of a class, private ones counted; constructors, destructors and deleted ones aside
MAX_COLUMNS = 100
# Lines that may be longer: within raw strings, whose text is given, and within `// clang-format off` … `on`, which keeps a table's rows whole.
# Kernels and goldens are written as their authors write (tools/format leaves them alone too).
WRITTEN_SO = ("tests/cases/", "tests/exploits/", "tests/golden/")
RAW_STRING = re.compile(r'R"(\w*)\((?:.|\n)*?\)\1"')
TABLE = re.compile(r"// clang-format off\n(?:.|\n)*?// clang-format on")
OLD_LIMIT = re.compile(r"\bkMost[A-Z]\w*")

INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)
HEAD = re.compile(r"^[ \t]*(?:template\s*<[^;{]*>\s*)?(class|struct)\s+(?:alignas\([^)]*\)\s*|\[\[\w+\]\]\s*)?(\w+)(?:\s+final)?\s*(?::[^;{]*)?\{", re.M)
NO_MEMBER = ("using ", "friend ", "static_assert", "enum ", "class ", "struct ")


def check_file_cycles(tree):
    """No file of src includes itself by way of others."""
    edges = {path: [t for t in ("src/" + i for i in INCLUDE.findall(text)) if t in tree.text]
             for path, text in tree.text.items() if path.startswith("src/")}
    state, trail = {}, []
    for root in sorted(edges):
        stack = [(root, iter(edges[root]))] if root not in state else []
        while stack:
            path, rest = stack[-1]
            if state.get(path) is None:
                state[path] = "open"
                trail.append(path)
            there = next(rest, None)
            if there is None:
                state[path] = "done"
                trail.pop()
                stack.pop()
            elif state.get(there) == "open":
                yield path, 1, "file-cycle", " -> ".join(trail[trail.index(there):] + [there])
            elif there not in state:
                stack.append((there, iter(edges[there])))


NOT_CODE = re.compile(r'R"(\w*)\((?:.|\n)*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|//[^\n]*|/\*(?:.|\n)*?\*/')


def bare(text):
    """Without comments and with empty strings, lines as they were; a digit separator is none."""
    text = re.sub(r"(?<=[0-9a-fA-F])'(?=[0-9a-fA-F])", "", text)
    return NOT_CODE.sub(lambda m: '""' if m.group(0)[0] in "R\"'" else " " + "\n" * m.group(0).count("\n"), text)


def public_members(text, at, public):
    """Declarations in public parts of the class whose body begins at `at`; several names in one count once."""
    depth, count, said = 1, 0, ""
    while at < len(text):
        c = text[at]
        at += 1
        if c in "({[":
            depth += 1
        elif c in ")}]":
            depth -= 1
            if depth == 0:
                break
            if depth == 1 and c == "}" and not text[at:].lstrip().startswith((";", ",", ".", "(")):   # of a function
                count += public and bool(said.strip())
                said = ""
                continue
        elif depth == 1 and c == ";":
            count += public and bool(said.strip()) and not said.strip().startswith(NO_MEMBER)
            said = ""
            continue
        if depth == 1:
            said += c
            label = re.match(r"\s*(public|private|protected)\s*:$", said)
            if label:
                public, said = label.group(1) == "public", ""
    return count


def check_class_members(tree):
    """No class offers more than it takes to say what it is."""
    for path, text in tree.text.items():
        if not path.startswith("src/") or not path.endswith((".h", ".cc")):
            continue
        text = bare(text)
        for head in HEAD.finditer(text):
            count = public_members(text, head.end(), head.group(1) == "struct")
            if count > MAX_PUBLIC:
                yield path, text.count("\n", 0, head.start()) + 1, "class-members", f"{head.group(2)} has {count} public members, at most {MAX_PUBLIC}"


ARGUMENTS = re.compile(r"<[^<>]*>")
NAMED = re.compile(r"[^({=]*?(operator\s*(?:\(\)|[^\s\w(]+|\w+)|~?\w+)\s*\(")


def declarations(text, at):
    """What stands in the class whose body begins at `at`, each with what is nested in it."""
    depth, said = 1, ""
    while at < len(text):
        c = text[at]
        at += 1
        if c in "({[":
            depth += 1
        elif c in ")}]":
            depth -= 1
            if depth == 0:
                return
            said += c
            if depth == 1 and c == "}" and not text[at:].lstrip().startswith((";", ",", ".", "(", "{")):   # of a function
                yield said.strip()
                said = ""
            continue
        if depth == 1 and c == ";":
            yield said.strip()
            said = ""
            continue
        said += c
        if depth == 1 and re.match(r"\s*(public|private|protected)\s*:$", said):
            said = ""


def is_method(declaration, class_name):
    """A function of the class, whatever its return type: constructors and destructors are none, nor what is deleted."""
    if declaration.startswith(NO_MEMBER) or declaration.endswith("= delete"):
        return False
    head, shorter = declaration, ARGUMENTS.sub("", declaration)
    while shorter != head:
        head, shorter = shorter, ARGUMENTS.sub("", shorter)
    named = NAMED.match(head)
    return bool(named) and named.group(1) not in (class_name, "~" + class_name)


def check_methods(tree):
    """No class does more than one can hold in mind: one that is cut over several files is still one class."""
    for path, text in tree.text.items():
        if not path.startswith("src/") or not path.endswith((".h", ".cc")):
            continue
        text = bare(text)
        for head in HEAD.finditer(text):
            count = sum(is_method(d, head.group(2)) for d in declarations(text, head.end()))
            if count > MAX_METHODS:
                yield path, text.count("\n", 0, head.start()) + 1, "methods", f"{head.group(2)} has {count} methods, at most {MAX_METHODS}"


def check_columns(tree):
    """No line of C++ is wider than what clang-format keeps to."""
    for path, text in tree.text.items():
        if not path.startswith(("src/", "include/", "tests/", "tools/", "lab/")) or not path.endswith((".cc", ".h")) or path.startswith(WRITTEN_SO):
            continue
        free = set()
        for given in (*RAW_STRING.finditer(text), *TABLE.finditer(text)):
            free.update(range(text.count("\n", 0, given.start()), text.count("\n", 0, given.end()) + 1))
        for number, line in enumerate(text.split("\n")):
            if len(line) > MAX_COLUMNS and number not in free:
                yield path, number + 1, "columns", f"{len(line)} columns, at most {MAX_COLUMNS}"


def check_limit_names(tree):
    """A limit is called kMax…."""
    for path, text in tree.text.items():
        if path.startswith(("src/", "include/", "tests/", "tools/", "lab/")) and path.endswith((".cc", ".h", ".inc")):
            for old in OLD_LIMIT.finditer(text):
                yield path, text.count("\n", 0, old.start()) + 1, "limit-name", f"{old.group(0)}: a limit is called kMax…"

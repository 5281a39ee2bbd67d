"""The shape of sources: files that include each other in a circle, and classes that offer too much."""
import re

MOST_PUBLIC = 30   # members that a class offers

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


def bare(text):
    text = re.sub(r"//[^\n]*", "", text)
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    text = re.sub(r'R"\w*\((?:.|\n)*?\)\w*"', '""', text)
    return re.sub(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', '""', text)


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
            if count > MOST_PUBLIC:
                yield path, text.count("\n", 0, head.start()) + 1, "class-members", f"{head.group(2)} has {count} public members, at most {MOST_PUBLIC}"

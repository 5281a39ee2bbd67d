#!/usr/bin/env python3
"""Checks the repository as a whole: layers, sizes, forbidden calls, diagnostics and wording.

usage: check_repo.py ROOT      prints `file:line: rule: what is wrong`; exit status 1 when there is any
"""
import os
import re
import subprocess
import sys

import constraints
import documents
import record_keys
import shape
import vocabulary

MAX_FILE_LINES = 600       # a file must stay below
MAX_FUNCTION_LINES = 80    # from the opening to the closing brace
SKIPPED_DIRS = {".git", "build", "out", ".cache", "__pycache__"}
CODE = (".cc", ".h", ".cpp")
TEXT = CODE + (".inc", ".py", ".sh", ".txt", ".cmake", ".md", ".toml", ".json", ".yml", ".tsv", "")
SELF = "tests/repo/"       # the rules and their planted violations name what they forbid


def tracked_files(root):
    """Paths relative to root: what git tracks or would track; without git, all files."""
    if os.path.exists(os.path.join(root, ".git")):
        git = subprocess.run(["git", "-C", root, "-c", f"safe.directory={os.path.abspath(root)}", "ls-files", "-co",
                              "--exclude-standard"], capture_output=True, text=True)
        if git.returncode == 0:
            return sorted(p for p in git.stdout.splitlines() if os.path.isfile(os.path.join(root, p)))
    found = []
    for folder, dirs, names in os.walk(root):
        dirs[:] = [d for d in dirs if d not in SKIPPED_DIRS]
        found += [os.path.relpath(os.path.join(folder, n), root) for n in names]
    return sorted(found)


class Tree:
    """The files of a repository, read once."""

    def __init__(self, root):
        self.root = root
        self.paths = tracked_files(root)
        self.text = {}
        for path in self.paths:
            if os.path.splitext(path)[1] in TEXT:
                try:
                    with open(os.path.join(root, path), encoding="utf-8") as f:
                        self.text[path] = f.read()
                except UnicodeDecodeError:
                    pass

    def under(self, *prefixes, ends=None):
        for path, text in self.text.items():
            if path.startswith(prefixes) and (ends is None or path.endswith(ends)):
                yield path, text


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


TOKENS = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.S)


def without_comments(text, keep_strings=False):
    """Blanks comments (and strings), keeping every line where it is."""
    def blank(match):
        token = match.group(0)
        if token.startswith("/") or not keep_strings:
            return re.sub(r"[^\n]", " ", token)
        return token
    # A digit separator (1'000) is no character literal.
    return TOKENS.sub(blank, re.sub(r"(?<=\d)'(?=\d)", "_", text))


def read_layers(tree):
    modules = {}
    for line in tree.text.get("cmake/layers.txt", "").splitlines():
        match = re.match(r"([a-z]+):(.*)", line)
        if match:
            modules[match.group(1)] = set(match.group(2).split())
    for module, sees in modules.items():
        if module != "base":
            sees.add("base")
            if module != "record":
                sees.add("record")
        sees.add(module)
    return modules


INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)


def includes(tree):
    """Every #include "..." under src/: (path, line, what is included)."""
    for path, text in tree.under("src/", ends=CODE + (".inc",)):
        for match in INCLUDE.finditer(without_comments(text, True)):
            yield path, line_of(text, match.start(1)), match.group(1)


def check_layers(tree):
    modules = read_layers(tree)
    if not modules:
        yield "cmake/layers.txt", 1, "layers", "no modules are listed"
    for path, text in tree.under("src/", ends=CODE):
        if path.count("/") < 2:
            continue
        module = path.split("/")[1]
        if module not in modules:
            yield path, 1, "layers", f"module `{module}` is not in cmake/layers.txt"
    used = set()
    for path, line, target in includes(tree):
        module, other = path.split("/")[1], target.split("/")[0]
        if target.startswith(".."):
            yield path, line, "layers", f'"{target}": name the module, not a relative path'
        elif "include/ascendc/" + target in tree.text or module not in modules:
            continue  # a kernel header that is called like a module
        elif other in modules and other not in modules[module]:
            yield path, line, "layers", f'module `{module}` may not see `{other}` ("{target}")'
        else:
            used.add((module, other))
    for line, row in enumerate(tree.text.get("cmake/layers.txt", "").splitlines(), 1):
        module, _, sees = row.partition(":")
        for other in sees.split() if module in modules else ():
            if (module, other) not in used:
                yield "cmake/layers.txt", line, "layers", f"nothing in `{module}` includes `{other}`: the edge goes"


def shortest_way(edges, start, end):
    """Folders from start to end along edges, both included; None when there is no way."""
    ways = [[start]]
    seen = {start}
    for way in ways:
        if way[-1] == end:
            return way
        for folder in sorted(edges.get(way[-1], {})):
            if folder not in seen:
                seen.add(folder)
                ways.append(way + [folder])
    return None


def check_folder_cycles(tree):
    """Folders under src/, nested ones too, include each other in one direction."""
    edges = {}  # folder -> folder -> the first include that leads there
    for path, line, target in includes(tree):
        here, there = os.path.dirname(path), os.path.dirname("src/" + target)
        if here != there and "src/" + target in tree.text:
            edges.setdefault(here, {}).setdefault(there, (path, line, target))
    told = set()
    for here in sorted(edges):
        for there, (path, line, target) in sorted(edges[here].items()):
            back = shortest_way(edges, there, here)
            if back and frozenset(back) not in told:
                told.add(frozenset(back))
                yield path, line, "folder-cycle", f'"{target}" closes a cycle: {" -> ".join([here] + back)}'


def check_file_length(tree):
    for path, text in tree.under("src/", "include/", "tests/", "tools/", "lab/", "examples/", ends=CODE + (".py", ".sh")):
        lines = text.count("\n")
        if lines >= MAX_FILE_LINES:
            yield path, lines, "file-length", f"{lines} lines; split it before {MAX_FILE_LINES}"


def one_preprocessor_branch(text):
    """Drops directives and all but the first branch of each conditional, so that braces balance."""
    out, skip, depth, continued = [], [], 0, False
    for line in text.split("\n"):
        stripped = line.strip()
        directive = continued or stripped.startswith("#")
        if directive and not continued:
            word = re.match(r"#\s*(\w*)", stripped).group(1)
            if word in ("if", "ifdef", "ifndef"):
                depth += 1
            elif word in ("else", "elif") and depth not in skip:
                skip.append(depth)
            elif word == "endif":
                if depth in skip:
                    skip.remove(depth)
                depth -= 1
        continued = directive and stripped.endswith("\\")
        out.append("" if directive or skip else line)
    return "\n".join(out)


NOT_A_FUNCTION = re.compile(r"\b(namespace|class|struct|enum|union)\b")


def functions(text):
    """Yields (line of the opening brace, number of lines) of every outermost function body."""
    text = one_preprocessor_branch(without_comments(text))
    stack, start = [], 0  # stack of (is_function, line)
    line, inside = 1, 0
    for i, c in enumerate(text):
        if c == "\n":
            line += 1
        elif c == "{":
            head = text[start:i]
            is_function = not inside and "(" in head and ")" in head and not (
                NOT_A_FUNCTION.search(head.split("(")[0]) and "operator" not in head and
                not re.search(r"\)\s*(const|noexcept|override|final|->.*)?\s*$", head.strip()))
            stack.append((is_function, line))
            inside += is_function
            start = i + 1
        elif c == "}":
            if stack:
                is_function, opened = stack.pop()
                if is_function:
                    inside -= 1
                    yield opened, line - opened + 1
            start = i + 1
        elif c == ";":
            start = i + 1


def check_function_length(tree):
    for path, text in tree.under("src/", "include/", "tests/", "tools/", "lab/", ends=CODE):
        for line, lines in functions(text):
            if lines > MAX_FUNCTION_LINES:
                yield path, line, "function-length", f"a function of {lines} lines; at most {MAX_FUNCTION_LINES}"


PRINTS = re.compile(r"(?<![\w.>])(?:std::)?(?:v?f?printf|puts|fputs|putchar|perror)\s*\(|std::(?:cout|cerr|clog)\b(?!\.(?:rdbuf|flush)\()|"
                    r"\bfmt::print(?:ln)?\s*\(")
ENDS = re.compile(r"(?<![\w.>:])(?:std::|::)?(?:exit|abort|quick_exit|terminate)\s*\(")
FORK_EXIT = re.compile(r"(?<![\w.>])_exit\s*\(")
JSON_THROWS = re.compile(r"(?:\.|->)dump\s*\(|\b[Jj]son::parse\s*\(")
SHELL = re.compile(r"(?<![\w.>])(?:std::|::)?(?:system|popen)\s*\(")


def check_calls(tree):
    for path, text in tree.under("src/", ends=CODE + (".inc",)):
        if path.startswith("src/cli/") or path.endswith("_main.cc"):
            continue
        code = without_comments(text)
        forks = re.search(r"\b(?:fork|execve?|execvp?)\s*\(", code)
        if not path.startswith("src/base/json."):
            # Both throw at what others wrote: bytes that are no UTF-8, a million brackets. src/task/load.cc wants the place.
            for match in JSON_THROWS.finditer(code):
                if path != "src/task/load.cc" or "parse" not in match.group(0):
                    yield path, line_of(code, match.start()), "json", "use base::Parse and base::Dump"
        shell_ok = path.startswith("src/toolchain/builder/")  # that process exists to run tools
        for pattern, rule, why in (
                (PRINTS, "no-printing", "libraries never print; return a Status or a record"),
                (ENDS, "no-exit", "libraries never end the process; return a Status"),
                (None if shell_ok else SHELL, "no-shell", "start children through base::HelperProcess or src/sandbox"),
                (None if forks else FORK_EXIT, "no-exit", "_exit only beside the fork or exec it belongs to")):
            for match in pattern.finditer(code) if pattern else ():
                yield path, line_of(code, match.start()), rule, f"`{match.group(0).strip(' (')}`: {why}"


FENCES = (  # header prefix, places that may include it
    (r"<(?:torch|ATen|c10)/", ("src/task/reference/", "src/lm/"), "libtorch"),
    (r"[<\"](?:llvm|clang|clang-c|lld)/", ("src/mutate/", "src/toolchain/"), "LLVM"),
    (r"<(?:sys/socket|sys/un|netdb|netinet/\w+|arpa/inet|httplib)(?:\.h)?>", ("src/base/", "src/generate/"), "sockets"),
    (r"<boost/(?:asio|beast)", ("src/serve/listener.cc", "src/serve/sessions.h"), "sockets"),
    (r"<curl/", ("src/generate/",), "libcurl"),
    (r"<(?:seccomp|linux/seccomp|linux/landlock)\.h>", ("src/sandbox/",), "sandbox layers"),
)


def check_fences(tree):
    for path, text in tree.under("src/", ends=CODE):
        for match in re.finditer(r'^\s*#\s*include\s+([<"][^>"]+[>"])', without_comments(text, True), re.M):
            for pattern, allowed, what in FENCES:
                if re.match(pattern, match.group(1)) and not path.startswith(allowed):
                    yield (path, line_of(text, match.start(1)), "fence",
                           f"{match.group(1)}: {what} only in {', '.join(allowed)}")


def check_diagnostics(tree):
    used = {}
    for path, text in tree.under("src/", "include/", ends=CODE + (".inc",)):
        for match in re.finditer(r'"(AK\d{4})"', text):
            used.setdefault(match.group(1), (path, line_of(text, match.start())))
    pages = {}
    for path, text in tree.under("docs/diagnostics/AK", ends=".md"):
        pages[os.path.basename(path)[:-3]] = path
        code = os.path.basename(path)[:-3]
        if not text.startswith(f"# {code}"):
            yield path, 1, "diagnostics", f"the page must open with `# {code}`"
        for part in ("## Example", "## Fix"):
            if part not in text:
                yield path, 1, "diagnostics", f"the page has no `{part}`"
    for code, (path, line) in sorted(used.items()):
        if code not in pages:
            yield path, line, "diagnostics", f"{code} has no page docs/diagnostics/{code}.md"
    for code, path in sorted(pages.items()):
        if code not in used:
            yield path, 1, "diagnostics", f"nothing in src or include reports {code}"


CODES_TABLE = "tests/repo/codes.txt"


def test_body(text, name):
    """The text of one test (GoogleTest or Python), empty when there is none of that name."""
    match = re.search(r"^TEST(?:_[FP])?\(\w+, %s\).*?(?=^TEST|^INSTANTIATE|\Z)|^    def %s\(.*?(?=^    def |\Z)" % (name, name), text,
                      re.M | re.S)
    return match.group(0) if match else ""


def chip_code_problem(tree, code):
    """A chip code needs a case in tests/cases and beside it a twin X_ok.cpp that expects nothing."""
    hits = [path for path, text in tree.under("tests/cases/", ends=".cpp")
            if re.search(r"^// expect: .*\b%s\b" % code, text, re.M)]
    if not hits:
        return f"no file in tests/cases expects {code}"
    for path in hits:
        twin = tree.text.get(path[:-len(".cpp")] + "_ok.cpp", "")
        if re.search(r"^// expect: clean$", twin, re.M):
            return None
    return f"none of the cases of {code} has a clean twin (X_ok.cpp beside X.cpp): {', '.join(hits)}"


def table_code_problem(tree, code, rows):
    if code not in rows:
        return f"{code} needs a line in {CODES_TABLE}: code, test file, test that meets it, test of the same act done right"
    file, case, twin = rows[code]
    text = tree.text.get(file, "")
    if code not in test_body(text, case):
        return f"{CODES_TABLE}: {file} has no test {case} that names {code}"
    body = test_body(text, twin)
    if not body or twin == case:
        return f"{CODES_TABLE}: {file} has no other test {twin}"
    return None


def check_code_tests(tree):
    chip = set(re.findall(r'"(AK\d{4})"', tree.text.get("src/sim/check/codes.inc", "")))
    used = {}
    for path, text in tree.under("src/", "include/", ends=CODE + (".inc",)):
        for match in re.finditer(r'"(AK\d{4})"', text):
            used.setdefault(match.group(1), (path, line_of(text, match.start())))
    rows = {}
    for line, row in enumerate(tree.text.get(CODES_TABLE, "").splitlines(), 1):
        words = row.split()
        if row.startswith("#") or not words:
            continue
        if len(words) != 4 or words[0] not in used or words[0] in rows:
            yield CODES_TABLE, line, "code-tests", f"`{row}`: four words, a code that is used, each code once"
        else:
            rows[words[0]] = words[1:]
    for code, (path, line) in sorted(used.items()):
        if f"docs/diagnostics/{code}.md" not in tree.text:
            continue  # the rule above says so
        problem = chip_code_problem(tree, code) if code in chip and code not in rows else table_code_problem(tree, code, rows)
        if problem:
            yield path, line, "code-tests", problem


WORDS = (
    (re.compile(r"(?<![\w/.])/(?:work|root)/|/tmp/(?:up|wt)\b|/home/\w+"), "machine-path", "a path of somebody's machine"),
    (re.compile(r"\b(?:TODO|FIXME|XXX)\b"), "unfinished", "finish it or open an issue"),
    (re.compile(r"\bstubs?\b", re.I), "unfinished", "say what the thing does"),
    (re.compile(r"Copyright[^\n]*Huawei|CANN Open Software License Agreement Version"), "clean-room",
     "vendor text never enters the repository"),
)
BANNER = re.compile(r"^\s*(?://|#)\s*[-=*#]{6,}", re.M)


def check_words(tree):
    for path, text in tree.text.items():
        if path.startswith(SELF) or path == "LICENSE":
            continue
        for pattern, rule, why in WORDS:
            for match in pattern.finditer(text):
                yield path, line_of(text, match.start()), rule, f"`{match.group(0)}`: {why}"
        if path.endswith(CODE):
            for match in BANNER.finditer(text):
                yield path, line_of(text, match.start()), "banner", "no banner comments"


PYTORCH = tuple(f"include/ascendc/{folder}/" for folder in ("ATen", "c10", "torch", "torch_npu"))  # headers keep PyTorch's names


def check_names(tree):
    for path in tree.paths:
        name = os.path.basename(path)
        if path.startswith(("src/", "include/")) and not path.startswith(PYTORCH) and not re.fullmatch(r"[a-z0-9_]+(\.[a-z]+)+|CMakeLists\.txt|README\.md|\.clang-tidy", name):
            yield path, 1, "names", "files are snake_case"


NAMESPACE = re.compile(r"^namespace ([\w:]+) \{", re.M)
TYPE = re.compile(r"^(?:class|struct|enum class|enum) (?:\[\[\w+\]\] )?(\w+)(?: final)?(?: : [^;{]*)? \{", re.M)


def check_types(tree):
    """Two types of one name in one namespace are one to the linker, whoever includes them: it keeps the members of either."""
    first = {}
    for path in tree.paths:
        if not path.startswith("src/") or not path.endswith(".h"):
            continue
        text = tree.text.get(path, "")
        space = NAMESPACE.search(text)
        for match in TYPE.finditer(text):
            other = first.setdefault((space and space.group(1), match.group(1)), path)
            if other != path:
                yield path, line_of(text, match.start()), "types", f"{match.group(1)} is a type of {other}, too"


AUTO_SYNC_ROW = re.compile(r"^\| (.+?) \| (\w+) \| (\S+) \| (\S+) \|$", re.M)


def check_auto_sync(tree):
    """Each row of docs/auto_sync.md: a clean case that the rule saves, and a twin with a finding that it does not."""
    page = "docs/auto_sync.md"
    text = tree.text.get(page)
    if text is None:
        return
    rows = [m for m in AUTO_SYNC_ROW.finditer(text) if m.group(3).endswith(".cpp")]
    if not rows:
        yield page, 1, "auto-sync", "no row names a case"
    for row in rows:
        for case, clean in ((row.group(3), True), (row.group(4), False)):
            expected = re.search(r"^// expect: (.+)$", tree.text.get("tests/cases/" + case, ""), re.M)
            if not expected:
                yield page, line_of(text, row.start()), "auto-sync", f"there is no case {case}"
            elif (expected.group(1).strip() == "clean") != clean:
                yield page, line_of(text, row.start()), "auto-sync", f"{case} must {'be clean' if clean else 'name a finding'}"


OP_ORDER = re.compile(r"\s[<>]=?\s+AKGEN_OP_(?!COUNT_)\w+|AKGEN_OP_(?!COUNT_)\w+\s+[<>]=?\s")


def check_op_order(tree):
    """The numbers of vector instructions are names: rows of akgen/vec_ops.inc may stand in any order."""
    for path, text in tree.under("src/", "include/", "tests/", "tools/", "lab/", ends=CODE):
        code = without_comments(text)
        for match in OP_ORDER.finditer(code):
            yield path, line_of(code, match.start()), "op-order", f"`{match.group(0).strip()}`: ask the row (sim/ops/table.h)"


CHIP = re.compile(r"910B\d|910_93\d\d|310P\d|\b(?:196608|196352|188160|188416)u?\b|\b(?:192|180)\s*\*\s*1024\b"
                  r"|__NPU_ARCH__\s*=|__DAV_\w+__|__CCE_AICORE__\s*=")


def check_chip_is_a_value(tree):
    """What a chip is stands in data/chips, its compiler's macros in one table; the default is chip::kDefaultChip."""
    for path, text in tree.under("src/", ends=CODE + (".inc",)):
        if path.startswith("src/chip/") or path == "src/toolchain/device.cc":
            continue
        code = without_comments(text, True)
        for match in CHIP.finditer(code):
            yield path, line_of(code, match.start()), "chip", f"`{match.group(0)}`: ask the chip (src/chip/chip.h)"


def check_openings(tree):
    """A source without a header of its own says in its first line what it is."""
    for path, text in tree.under("src/", ends=(".cc",)):
        if path[:-3] + ".h" not in tree.text and not text.startswith("//"):
            yield path, 1, "opening", "no header of that name: begin with a line that says what is here"


RULES = (check_layers, check_chip_is_a_value, check_op_order, check_folder_cycles, check_file_length, check_function_length, check_calls, check_fences, check_diagnostics,
         check_code_tests, check_words, check_names, check_types, check_auto_sync,
         check_openings, constraints.check_constraints, record_keys.check_record_keys, shape.check_class_members, shape.check_columns, shape.check_file_cycles, shape.check_limit_names,
         shape.check_methods, vocabulary.check_vocabulary,
         *documents.RULES)


def problems(root):
    tree = Tree(root)
    if not any(path.startswith("src/") for path in tree.paths):
        return [(root, 1, "layers", "there is no src/ here")]
    return [problem for rule in RULES for problem in rule(tree)]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    found = problems(sys.argv[1])
    for path, line, rule, why in found:
        print(f"{path}:{line}: {rule}: {why}")
    print(f"{len(found)} problem{'s' * (len(found) != 1)}")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()

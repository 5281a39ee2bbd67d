"""The documents: their size, their links, and that pages made from data show what the data say."""
import os
import re
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools"))
import document_tables  # noqa: E402

MAX_WORDS = 25000          # of docs, without diagnostics, decisions and generated pages
MAX_DECISION_WORDS = 600   # half a page is the aim
MAX_RELEASE_LINES = 40     # of a release in the changelog
NOT_COUNTED = ("docs/diagnostics/", "docs/decisions/", "docs/generated/")
CHANGELOG = "CHANGELOG.md"

LINK = re.compile(r"(?<!!)\[[^\]\n]*\]\(([^)\s]+)\)")
MENTION = re.compile(r"(?<![\w/.-])docs/(?!zh/)[\w./-]*\w\.(?:md|gbnf|tsv|schema\.json)\b")
FENCE = re.compile(r"^```.*?^```", re.M | re.S)


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def check_words(tree):
    counted = {path: len(text.split()) for path, text in tree.under("docs/", ends=".md") if not path.startswith(NOT_COUNTED)}
    if sum(counted.values()) > MAX_WORDS:
        longest = ", ".join(f"{path} {words}" for path, words in sorted(counted.items(), key=lambda x: -x[1])[:5])
        yield "docs", 1, "words", f"{sum(counted.values())} words; at most {MAX_WORDS} ({longest})"
    for path, text in tree.under("docs/decisions/", ends=".md"):
        if len(text.split()) > MAX_DECISION_WORDS:
            yield path, 1, "words", f"{len(text.split())} words; a decision has at most {MAX_DECISION_WORDS}"


def check_changelog(tree):
    release, lines, start = None, 0, 0
    for number, content in enumerate((tree.text.get(CHANGELOG, "") + "\n## ").splitlines(), 1):
        if content.startswith("## "):
            if release and lines > MAX_RELEASE_LINES:
                yield CHANGELOG, start, "changelog", f"{release} has {lines} lines; at most {MAX_RELEASE_LINES}"
            release, lines, start = content[3:], 0, number
        lines += bool(content.strip())


def anchors(text):
    """The names by which headings are linked."""
    names = set()
    for heading in re.findall(r"^#+ (.+)$", FENCE.sub("", text), re.M):
        names.add(re.sub(r"[^\w\- ]", "", re.sub(r"`", "", heading)).strip().lower().replace(" ", "-"))
    return names | set(re.findall(r'<a name="([\w-]+)">', text))


def check_document_links(tree):
    """Relative links lead to files and headings that exist, and so do paths in docs that code and documents mention."""
    present = set(tree.paths)
    folders = {path[:end] for path in tree.paths for end in range(len(path)) if path[end] == "/"}
    for path, text in tree.text.items():
        if path.endswith(".md"):
            for match in LINK.finditer(FENCE.sub(lambda m: re.sub(r"[^\n]", " ", m.group(0)), text)):
                target, _, anchor = match.group(1).partition("#")
                if re.match(r"[a-z]+:", target) or not re.search(r"[./#]", match.group(1)):
                    continue
                to = os.path.normpath(os.path.join(os.path.dirname(path), target)) if target else path
                if to not in present and to not in folders:
                    yield path, line_of(text, match.start()), "links", f"there is no {to}"
                elif anchor and to.endswith(".md") and anchor not in anchors(tree.text.get(to, "")):
                    yield path, line_of(text, match.start()), "links", f"{to} has no heading #{anchor}"
        if path.startswith("tests/") or path == CHANGELOG:
            continue  # tests mention files that they write
        for match in MENTION.finditer(text):
            if match.group(0) not in present:
                yield path, line_of(text, match.start()), "links", f"there is no {match.group(0)}"


def check_generated(tree):
    if not any(path.startswith("docs/tables/") for path in tree.paths):
        return
    def read(path):
        with open(os.path.join(tree.root, path), encoding="utf-8") as f:
            return f.read()
    for path, text in document_tables.pages(read, tree.paths).items():
        if tree.text.get(path) != text:
            yield path, 1, "generated", "differs from its sources: run tools/docs"


EXPLOITS = "docs/tables/exploits.tsv"


def check_exploits(tree):
    """The classes of exploits that are tried and those that the table explains are the same."""
    rows = [line.split("\t") for line in tree.text.get(EXPLOITS, "").splitlines()]
    tried = {f"C{int(match.group(1))}" for path in tree.paths if (match := re.match(r"tests/exploits/candidates/c(\d+)_", path))}
    tried |= {f"C{int(number)}" for _, text in tree.under("tests/exploits/", ends=".py")
              for number in re.findall(r"\bc(\d\d)_", text)}
    for line, row in enumerate(rows, 1):
        if len(row) != 4 or row[0] not in tried:
            yield EXPLOITS, line, "exploits", f"`{row[0]}`: four fields, and a class that tests/exploits tries"
    for name in sorted(tried - {row[0] for row in rows}):
        yield EXPLOITS, 1, "exploits", f"{name} is tried by tests/exploits and has no row"


RULES = (check_exploits, check_words, check_changelog, check_document_links, check_generated)

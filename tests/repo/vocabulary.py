"""Holds prose to the table of words in CONTRIBUTING.md: what stands in its right column is not used.

The table has a row  | say | not |  each; words and phrases of the right column are in backticks, `*` is any ending.
"""
import re

PAGE = "CONTRIBUTING.md"
HEADING = "## Words"
EXEMPT = ("CHANGELOG.md", PAGE)
CODE = ("src/", "include/", "tests/", "tools/", "lab/")

ROW = re.compile(r"^\| (.+?) \| (`.+`) \|$", re.M)
CODE_SPAN = re.compile(r"```.*?```|`[^`\n]+`", re.S)
CPP = re.compile(r'(?P<comment>//[^\n]*|/\*.*?\*/)|R"(\w*)\(.*?\)\2"|(?P<text>"(?:\\.|[^"\\\n])*")|\'(?:\\.|[^\'\\\n])+\'', re.S)

PYTHON = re.compile(r'(?P<comment>#[^\n]*|""".*?""")|(?P<text>"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\')', re.S)


def vocabulary(page):
    """One pattern for all words of the right column, and what to say for each (by group); None without a table."""
    section = page.partition(HEADING + "\n")[2].partition("\n## ")[0]
    patterns, say = [], {}
    for good, bad in ROW.findall(section):
        for phrase in re.findall(r"`([^`]+)`", bad):
            words = [re.escape(word).replace(r"\*", r"\w*") for word in phrase.split()]
            patterns.append(rf"(?P<w{len(say)}>{BETWEEN.join(words)}(?![\w-]))")
            say[f"w{len(say)}"] = good
    # Tried where a word begins and nowhere else.
    return (re.compile(rf"(?<![\w-])(?=\w)(?:{'|'.join(patterns)})", re.I), say) if patterns else None


BETWEEN = r"[\s/#*]+"  # a phrase may go over the end of a line, in comments too


def blank(match):
    return re.sub(r"[^\n]", " ", match.group(0))


def prose(path, text):
    """What of a file is prose, every character at its place, the rest blanked."""
    if path.endswith(".md"):
        return CODE_SPAN.sub(blank, text)
    if path.startswith(CODE) and path.endswith((".cc", ".h", ".inc")):
        return comments_and_messages(CPP, re.sub(r"(?<=\d)'(?=\d)", "_", text))  # a digit separator (1'000) opens no literal
    if path.startswith(CODE) and (path.endswith(".py") or text.startswith("#!/usr/bin/env python3")):
        return comments_and_messages(PYTHON, text)
    return ""


def comments_and_messages(tokens, text):
    """Comments, and strings with a blank in them: a string without one is a key or a name, and stays as it is."""
    out, end = [], 0
    for token in tokens.finditer(text):
        out.append(re.sub(r"[^\n]", " ", text[end:token.start()]))
        keep = token["comment"] or " " in (token["text"] or "")
        out.append(token[0] if keep else blank(token))
        end = token.end()
    return "".join(out)


def check_vocabulary(tree):
    found = vocabulary(tree.text.get(PAGE, ""))
    if not found:
        yield PAGE, 1, "vocabulary", f"there is no table of words under `{HEADING}`"
        return
    pattern, say = found
    for path, text in tree.text.items():
        if path in EXEMPT or path.startswith("tests/repo/"):
            continue
        content = prose(path, text)
        for match in pattern.finditer(content):
            word = " ".join(match.group(0).split())
            yield path, content.count("\n", 0, match.start()) + 1, "vocabulary", f"`{word}`: say {say[match.lastgroup]}"

"""Holds prose to the table of words in CONTRIBUTING.md: what stands in its right column is not used.

The table has a row  | say | not |  each; words and phrases of the right column are in backticks, `*` is any ending.
"""
import re

PAGE = "CONTRIBUTING.md"
HEADING = "## Words"
EXEMPT = ("CHANGELOG.md", PAGE)

ROW = re.compile(r"^\| (.+?) \| (`.+`) \|$", re.M)
CODE_SPAN = re.compile(r"```.*?```|`[^`\n]+`", re.S)


def vocabulary(page):
    """One pattern for all words of the right column, and what to say for each (by group); None without a table."""
    section = page.partition(HEADING + "\n")[2].partition("\n## ")[0]
    patterns, say = [], {}
    for good, bad in ROW.findall(section):
        for phrase in re.findall(r"`([^`]+)`", bad):
            words = [re.escape(word).replace(r"\*", r"\w*") for word in phrase.split()]
            patterns.append(rf"(?P<w{len(say)}>(?<![\w-]){BETWEEN.join(words)}(?![\w-]))")
            say[f"w{len(say)}"] = good
    return (re.compile("|".join(patterns), re.I), say) if patterns else None


BETWEEN = r"[\s/#*]+"  # a phrase may go over the end of a line, in comments too


def blank(match):
    return re.sub(r"[^\n]", " ", match.group(0))


def prose(path, text):
    """What of a file is prose, every character at its place, the rest blanked."""
    if path.endswith(".md"):
        return CODE_SPAN.sub(blank, text)
    return ""


def check_vocabulary(tree):
    found = vocabulary(tree.text.get(PAGE, ""))
    if not found:
        yield PAGE, 1, "vocabulary", f"there is no table of words under `{HEADING}`"
        return
    pattern, say = found
    for path, text in tree.text.items():
        if path in EXEMPT:
            continue
        content = prose(path, text)
        for match in pattern.finditer(content):
            word = " ".join(match.group(0).split())
            yield path, content.count("\n", 0, match.start()) + 1, "vocabulary", f"`{word}`: say {say[match.lastgroup]}"

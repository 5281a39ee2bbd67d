"""Keys of JSON that are read outside the module `record`: a meaning that travels as text and not as a type.

The rule. A key that is read in several files counts once. These do not count:
- keys read in a function whose name ends in FromJson, ToJson, FromMessage or ToMessage: with its counterpart it is the one definition of a message,
  which lies in the message's own header;
- formats that others define: checkpoints and tokenizers, endpoints, SARIF, timelines, trainers' files, protocols of servers;
- what is no JSON: `find`, `count` and `contains` count where what they are asked of is declared as JSON in that file (elsewhere it is a string or a
  map), and nothing that is declared as a TOML table counts.

usage: record_keys.py ROOT      prints every key with the files that read it, the most read ones first
"""
import os
import re
import sys

MOST = 91    # the ceiling comes down, never up; the aim is below 100
READ = re.compile(r'(?:(?P<of>[\w\])]+)?(?:\.|->)(?P<how>value|at|contains|find|count)\(\s*"(?P<key>[A-Za-z_]\w*)"'
                  r'|(?P<table>[\w\])]+)\["(?P<member>[A-Za-z_]\w*)"\](?!\s*=[^=]))')
JSON = re.compile(r"Json\s*[&*]?&?\s*(?:const\s+)?(\w+)")
TOML = re.compile(r"toml::\w+\s*[&*]?&?\s*(\w+)")
FUNCTION = re.compile(r"^(?! *(?:return|if|for|while|else|switch|do)\b)(?:[\w:<>,*&\[\] ]+ )?[*&]?([\w:~]+)\([^;{]*\)[^;{]*\{", re.M)
MESSAGE = re.compile(r"(?:From|To)(?:Json|Message)$")
FORMATS_OF_OTHERS = ("src/lm/tokenizer/", "src/lm/model/", "src/generate/reply.", "src/report/sarif.", "src/report/timeline.", "src/corpus/export/formats.",
                     "src/serve/")


def keys_read(texts):
    """{key: {file}} of (path, text) pairs."""
    out = {}
    for path, text in texts:
        if not path.startswith("src/") or not path.endswith((".cc", ".h")) or path.startswith(("src/record/", *FORMATS_OF_OTHERS)):
            continue
        functions = [(m.start(), m.group(1)) for m in FUNCTION.finditer(text)]
        json, toml = set(JSON.findall(text)), set(TOML.findall(text))
        for read in READ.finditer(text):
            of = read["of"] or read["table"]
            if of in toml or (read["how"] in ("contains", "find", "count") and of not in json):
                continue
            inside = [name for start, name in functions if start <= read.start()]
            if not inside or not MESSAGE.search(inside[-1]):
                out.setdefault(read["key"] or read["member"], set()).add(path)
    return out


def check_record_keys(tree):
    """Fewer and fewer keys are read outside `record`."""
    keys = keys_read(tree.text.items())
    if len(keys) > MOST:
        yield "tests/repo/record_keys.py", 1, "record-keys", f"{len(keys)} keys of JSON are read outside `record` and message definitions, at most {MOST} may be: this file lists them"


def main(root):
    texts = []
    for folder, _, names in os.walk(os.path.join(root, "src")):
        for name in names:
            if name.endswith((".cc", ".h")):
                path = os.path.join(folder, name)
                with open(path, encoding="utf-8") as f:
                    texts.append((os.path.relpath(path, root), f.read()))
    keys = keys_read(texts)
    for key, files in sorted(keys.items(), key=lambda item: (-len(item[1]), item[0])):
        print(f"{key}: {', '.join(sorted(files))}")
    print(f"{len(keys)} keys (at most {MOST})")
    return len(keys) > MOST


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

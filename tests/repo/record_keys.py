"""Keys of JSON that are read outside the module `record`: a meaning that travels as text and not as a type.

The rule. A key that is read in several files counts once. These do not count:
- keys of a list of fields (src/base/fields.h), which makes a message's reader and its writer;
- keys read in a function whose name ends in FromJson, ToJson, FromMessage or ToMessage: with its counterpart it is the one definition of a message,
  which lies in the message's own header;
- formats that others define, in the files that implement them and nothing else (FORMATS_OF_OTHERS);
- what is no JSON: `find`, `count` and `contains` count where what they are asked of is declared as JSON in that file (elsewhere it is a string or a
  map); TOML, which is what is declared as such, a parsed file's `table()`, and what answers `value_or`, `as_array` or `as_table`, which JSON has not;
- writing: a member that is assigned, or that `push_back` appends to.
A function that is given JSON and a key, `Text(j, "key")`, reads that key where it is called. What is called `FromJson(j, "place")` takes a whole
message, and the place for its errors.

usage: record_keys.py ROOT      prints every key with the files that read it, the most read ones first
"""
import os
import re
import sys

MOST = 0    # every message has a definition
READ = re.compile(r'(?:(?P<of>[\w\])]+)?(?:\.|->)(?P<how>value|at|contains|find|count)\(\s*"(?P<key>[A-Za-z_]\w*)"'
                  r'|(?P<table>[\w\])]+)\["(?P<member>[A-Za-z_]\w*)"\](?!\s*=[^=]|\.push_back\())')
HELPER = re.compile(r'\b(?!\w*FromJson\()[A-Z]\w*(?:<[\w:]+>)?\(\*?(?P<of>\w+), "(?P<key>[A-Za-z_]\w*)"')
TOML_READ = re.compile(r"(?:\[[^\]]*\])*\.(?:value_or\(|value<[\w:]+>\(\)|as_array\(|as_table\()")
JSON = re.compile(r"Json\s*[&*]?&?\s*(?:const\s+)?(\w+)")
TOML = re.compile(r"toml::\w+\s*[&*]?&?\s*(\w+)")
FUNCTION = re.compile(r"^(?! {3})(?! *(?:return|if|for|while|else|switch|do)\b)(?:[\w:<>,*&\[\] ]+ )?[*&]?([\w:~]+)\([^;{]*\)[^;{]*\{", re.M)
MESSAGE = re.compile(r"(?:From|To)(?:Json|Message)$")
# By the start of a path.
FORMATS_OF_OTHERS = (
    "src/lm/tokenizer/chat.", "src/lm/tokenizer/tokenizer_json.",  # tokenizers of Hugging Face, conversations
    "src/lm/model/config.", "src/lm/model/checkpoint.", "src/lm/model/safetensors.", "src/lm/model/adapter.", "src/lm/model/gguf.",  # checkpoints, PEFT, llama.cpp
    "src/generate/reply.", "src/serve/completions.", "src/serve/model_routes.",  # OpenAI's endpoints
    "src/corpus/export/formats.",  # trainers' files
    "src/report/sarif.",
    "src/serve/openenv.",  # OpenEnv, ORS
    "src/serve/mcp.", "src/serve/mcp_http.",  # Model Context Protocol, JSON-RPC
    "src/serve/rewards.",  # OpenRLHF, slime
    "src/serve/sandbox_fusion.",
    "src/serve/openapi.", "src/serve/schemas.")  # OpenAPI, JSON Schema


def keys_read(texts):
    """{key: {file}} of (path, text) pairs."""
    out = {}
    for path, text in texts:
        if not path.startswith("src/") or not path.endswith((".cc", ".h")) or path.startswith(("src/record/", *FORMATS_OF_OTHERS)):
            continue
        functions = [(m.start(), m.group(1)) for m in FUNCTION.finditer(text)]
        json, toml = set(JSON.findall(text)), set(TOML.findall(text))

        def note(key, at):
            inside = [name for start, name in functions if start <= at]
            if not inside or not MESSAGE.search(inside[-1]):
                out.setdefault(key, set()).add(path)

        for read in READ.finditer(text):
            of = (read["of"] or read["table"] or "").rstrip(")")
            if of in toml or (read["member"] and (text.endswith("table()", 0, read.start("member") - 2) or TOML_READ.match(text, read.end()))):
                continue
            if read["how"] in ("contains", "find", "count") and of not in json:
                continue
            note(read["key"] or read["member"], read.start())
        for read in HELPER.finditer(text):
            if read["of"] in json:
                note(read["key"], read.start())
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

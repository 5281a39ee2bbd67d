#!/usr/bin/env python3
"""Commands that need no judge, and those that are refused: exit status and text, to the letter, as transcript.txt has them. A line that
begins with `$ ` is a command; what follows it is what it says.

transcript_test.py AKGEN REPO [--write]      --write: the command is right, what follows each command is renewed
"""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

AKGEN, REPO, TEXT = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve(), pathlib.Path(__file__).with_name("transcript.txt")


def blocks():
    """(command, what it says), in order."""
    out = []
    for line in TEXT.read_text().splitlines():
        if line.startswith("$ "):
            out.append((line[2:], []))
        elif line or out[-1][1]:
            out[-1][1].append(line)
    return [(command, "\n".join(said).rstrip("\n")) for command, said in out]


def fixtures(folder):
    shutil.copy(REPO / "examples/craft/lerp.py", folder / "lerp.py")
    (folder / "wrong.py").write_text("@host\ndef f(x):\n    return y\n")
    (folder / "net.py").write_text("import torch\n\n\ndef f(x):\n    return x\n")
    (folder / "empty").mkdir()
    (folder / "text").write_text("no record\n")
    (folder / "null.json").write_text("null\n")
    (folder / "list.json").write_text("[]\n")
    (folder / "k.cpp").write_text("int main() { return 0; }\n")
    (folder / "settings.toml").write_text("lr = 0.1\nno_such = 1\n")


class Transcript(unittest.TestCase):
    maxDiff = None

    def test_every_command(self):
        with tempfile.TemporaryDirectory() as temp:
            folder = pathlib.Path(temp).resolve()
            fixtures(folder)
            env = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1", "AKGEN_CACHE": str(folder / "cache"), "HOME": str(folder)}
            renewed = []
            for command, expected in blocks():
                words = [w.replace("REPO", str(REPO)) for w in shlex.split(command)]
                done = subprocess.run([AKGEN, *words[1:]], capture_output=True, text=True, cwd=folder, env=env, timeout=120, stdin=subprocess.DEVNULL, check=False)
                said = done.stdout + ("".join(f"! {line}\n" for line in done.stderr.splitlines())) + f"= {done.returncode}"
                said = said.replace(str(folder) + "/", "").replace(str(folder), "HERE").replace(str(REPO), "REPO")
                said = re.sub(r"\b[0-9.]+ (s|ms)\b", r"T \1", re.sub(r'("\w*(?:_ms|seconds)"): [0-9.e-]+', r"\1: 0", said))
                said = re.sub(r"\n{2,}", "\n", re.sub(r" +$", "", said, flags=re.M)).lstrip("\n")
                renewed.append(f"$ {command}\n{said}\n")
                if "--write" not in sys.argv:
                    with self.subTest(command):
                        self.assertEqual(said, expected)
            if "--write" in sys.argv:
                TEXT.write_text("\n".join(renewed))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

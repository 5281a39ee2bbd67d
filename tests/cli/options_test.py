#!/usr/bin/env python3
"""Commands, options, what each takes and its default, as options.tsv has them: who calls akgen from a script relies on all of it,
so a change is a decision and not an accident.

options_test.py AKGEN REPO [--write]      --write: the command is right, options.tsv follows
"""
import pathlib
import re
import subprocess
import sys
import unittest

AKGEN, REPO, TABLE = sys.argv[1], sys.argv[2], pathlib.Path(__file__).with_name("options.tsv")


def rows():
    """(command, option, what it takes, default), from the manual page."""
    plain = lambda text: re.sub(r"\\f.|\\&", "", text).replace("\\-", "-").replace("\\e", "\\")
    manual, command = subprocess.run([AKGEN, "manual"], capture_output=True, text=True, check=True).stdout, "akgen"
    for part in re.split(r"^(?=\.)", manual, flags=re.M):
        macro, _, rest = part.partition("\n")
        if macro.startswith(".SS "):
            command = plain(macro[4:])
            yield command, "", "", ""
        elif macro == ".TP":
            head, _, text = plain(rest).partition("\n")
            name, _, takes = head.partition(" ")
            default = re.search(r" Default: (.*)\.$", text.strip().replace(REPO, ""), re.S)
            if name not in ("-h,--help", "--version"):
                yield command, name, takes, " ".join(default[1].split()) if default else ""


class Options(unittest.TestCase):
    maxDiff = None

    def test_as_in_the_table(self):
        expected, found = [tuple(line.split("\t")) for line in TABLE.read_text().splitlines()], list(rows())
        self.assertEqual([row for row in found if row not in expected], [], "new or changed: is that meant? options_test.py AKGEN REPO --write")
        self.assertEqual([row for row in expected if row not in found], [], "gone or changed: is that meant? options_test.py AKGEN REPO --write")
        self.assertEqual(found, expected, "in another order")


if __name__ == "__main__":
    if "--write" in sys.argv:
        TABLE.write_text("".join("\t".join(row) + "\n" for row in rows()))
    else:
        unittest.main(argv=sys.argv[:1])

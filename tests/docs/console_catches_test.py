#!/usr/bin/env python3
"""console.py accepts what may differ, and nothing else."""
import os
import unittest

import console

PAGE = "```console\n$ {}\n{}\n```\n"


class Catches(unittest.TestCase):
    def wrong(self, command, *shown):
        return console.run(PAGE.format(command, "\n".join(shown)), "/", dict(os.environ))

    def test_accepted(self):
        self.assertEqual(self.wrong("printf 'a  12.5 ms\\nb\\nc\\n'", "a 3 ms", "…"), [])
        self.assertEqual(self.wrong("echo x --seed 123456789 y", "x --seed 987654321 y"), [])
        self.assertEqual(self.wrong("echo one two three", "one … three"), [])
        self.assertEqual(self.wrong("echo a \\\nb", "a b"), [])

    def test_caught(self):
        for command, *shown in (("echo pass", "finding"), ("echo a; echo b", "a"), ("echo a", "a", "b"), ("echo 12", "13"), ("nothing_of_that_name", "…"), ("(exit 2)", "…"), ("exit 0", "")):
            self.assertEqual(len(self.wrong(command, *shown)), 1, command)

    def test_one_shell(self):
        self.assertEqual(console.run("```console\n$ x=5\n```\ntext\n```console\n$ echo $x\n5\n```\n", "/", dict(os.environ)), [])


unittest.main()

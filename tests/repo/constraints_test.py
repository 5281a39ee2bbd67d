#!/usr/bin/env python3
"""Breaks a small right page of constraints in one way at a time: each must be named."""
import unittest

import constraints

PAGE = """# Constraints

## Families

| family | APIs |
|---|---|
| **all flags** | `SetFlag` `WaitFlag` |

## Flags

| APIs | constraint | page | checked by, or why not |
|---|---|---|---|
| **all flags** | ids are 0 to 7 | a/SetFlag.md | AK1304 sync/range.cpp |
| `SetFlag` | not twice | a/SetFlag.md | AK1304 tests/flags_test.cc SetTwice |
| `Add` | lies apart | a/Add.md | open |
| `Add` | of floats | a/Add.md | compiler: static_assert |

## APIs without a constraint

`Nop`

## The count

| what | number |
|---|---|
| rows | 4 |
| checked | 2 |
| compiler | 1 |
| unspecified | 0 |
| not simulated | 0 |
| speed only | 0 |
| other chip | 0 |
| open | 1 |
| checked, of those that software can break | 66.7 % |
"""
FILES = {
    "docs/constraints.md": PAGE,
    "docs/diagnostics/AK1304.md": "# AK1304\n",
    "tests/cases/sync/range.cpp": "// expect: AK1301 AK1304\n",
    "tests/flags_test.cc": "TEST(Flags, SetTwice) {\n}\n",
    "include/ascendc/kernel/sync.h": "template <int e>\n__aicore__ inline void SetFlag(int id) {}\n"
                                     "__aicore__ inline void WaitFlag(int id) {}\n"
                                     "__aicore__ inline void Nop() {}  // __aicore__ void Comment()\n",
    "include/ascendc/akgen/vec_ops.inc": "AKGEN_VEC_OP(Add, map2, binary, (half), ())\nAKGEN_VEC_OP(AddRows, own, own, (half), ())\n",
}
# name: (file, what is replaced, by what, part of what must be said)
BROKEN = {
    "case that is not there": ("docs/constraints.md", "sync/range.cpp", "sync/no.cpp", "there is no case"),
    "case that expects another code": ("tests/cases/sync/range.cpp", "AK1304", "AK1303", "does not expect AK1304"),
    "test that is not there": ("docs/constraints.md", "SetTwice", "SetThrice", "has no test SetThrice"),
    "code without a page": ("docs/diagnostics/AK1304.md", "", None, "AK1304 has no page"),
    "reason of one's own": ("docs/constraints.md", "| open |\n| `Add` | of", "| later |\n| `Add` | of", "`later`"),
    "no page": ("docs/constraints.md", "a/Add.md | open", "somewhere | open", "is no page"),
    "family that is not there": ("docs/constraints.md", "| **all flags** | ids", "| **few flags** `SetFlag` `WaitFlag` | ids",
                                 "there is no family few flags"),
    "API without a row": ("include/ascendc/kernel/sync.h", "void Nop()", "void Trap() {}\n__aicore__ inline void Nop()", "Trap has neither"),
    "instruction without a row": ("include/ascendc/akgen/vec_ops.inc", "(Add,", "(Sub,", "Sub has neither"),
    "API in both": ("docs/constraints.md", "`Nop`", "`Nop` `SetFlag`", "SetFlag has a row and"),
    "wrong count": ("docs/constraints.md", "| rows | 4 |", "| rows | 5 |", "rows: there are 4"),
    "wrong share": ("docs/constraints.md", "66.7 %", "85.0 %", "the count says 85.0 %"),
}


class Tree:
    def __init__(self, text):
        self.text = text

    def under(self, *prefixes, ends=None):
        return [(p, t) for p, t in self.text.items() if p.startswith(prefixes) and (ends is None or p.endswith(ends))]


def told(files):
    return [why for _, _, _, why in constraints.check_constraints(Tree(files))]


class Constraints(unittest.TestCase):
    def test_right_page_is_silent(self):
        self.assertEqual(told(FILES), [])

    def test_each_fault_is_named(self):
        for name, (path, old, new, said) in BROKEN.items():
            with self.subTest(name):
                self.assertIn(old, FILES[path])
                files = {p: t for p, t in FILES.items() if p != path or new is not None}
                if new is not None:
                    files[path] = FILES[path].replace(old, new, 1)
                self.assertTrue(any(said in why for why in told(files)), told(files))

    def test_a_tree_without_the_page(self):
        self.assertEqual(told({}), [])


if __name__ == "__main__":
    unittest.main()

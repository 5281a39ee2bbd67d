#!/usr/bin/env python3
"""Breaks a small right table of constraints in one way at a time: each must be named."""
import unittest

import constraints

TABLE = """family\tall flags\t`SetFlag` `WaitFlag`
section\tFlags
row\t**all flags**\tids are 0 to 7\ta/SetFlag.md\tAK1304 sync/range.cpp
row\t`SetFlag`\tnot twice\ta/SetFlag.md\tAK1304 tests/flags_test.cc SetTwice
row\t`Add`\tlies apart\ta/Add.md\topen
row\t`Add`\tof floats\ta/Add.md\tcompiler: static_assert
none\t`Nop`
"""
SOURCE = "docs/tables/constraints.tsv"
FILES = {
    SOURCE: TABLE,
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
    "case that is not there": (SOURCE, "sync/range.cpp", "sync/no.cpp", "there is no case"),
    "case that expects another code": ("tests/cases/sync/range.cpp", "AK1304", "AK1303", "does not expect AK1304"),
    "test that is not there": (SOURCE, "SetTwice", "SetThrice", "has no test SetThrice"),
    "code without a page": ("docs/diagnostics/AK1304.md", "", None, "AK1304 has no page"),
    "reason of one's own": (SOURCE, "\topen\n", "\tlater\n", "`later`"),
    "no page": (SOURCE, "a/Add.md\topen", "somewhere\topen", "is no page"),
    "family that is not there": (SOURCE, "**all flags**\tids", "**few flags** `SetFlag` `WaitFlag`\tids",
                                 "there is no family few flags"),
    "API without a row": ("include/ascendc/kernel/sync.h", "void Nop()", "void Trap() {}\n__aicore__ inline void Nop()", "Trap has neither"),
    "instruction without a row": ("include/ascendc/akgen/vec_ops.inc", "(Add,", "(Sub,", "Sub has neither"),
    "API in both": (SOURCE, "`Nop`", "`Nop` `SetFlag`", "SetFlag has a row and"),
    "a field too few": (SOURCE, "\ta/Add.md\topen", "\topen", "one of family, section, row, none"),
}


class Tree:
    def __init__(self, text):
        self.text = text

    def under(self, *prefixes, ends=None):
        return [(p, t) for p, t in self.text.items() if p.startswith(prefixes) and (ends is None or p.endswith(ends))]


def told(files):
    return [why for _, _, _, why in constraints.check_constraints(Tree(files))]


class Rules(unittest.TestCase):
    def test_right_table_is_silent(self):
        self.assertEqual(told(FILES), [])

    def test_each_fault_is_named(self):
        for name, (path, old, new, said) in BROKEN.items():
            with self.subTest(name):
                self.assertIn(old, FILES[path])
                files = {p: t for p, t in FILES.items() if p != path or new is not None}
                if new is not None:
                    files[path] = FILES[path].replace(old, new, 1)
                self.assertTrue(any(said in why for why in told(files)), told(files))

    def test_a_tree_without_the_table(self):
        self.assertEqual(told({}), [])

    def test_counts(self):
        counts = constraints.Constraints(TABLE).counts()
        self.assertEqual((counts["rows"], counts["checked"], counts["open"]), ("4", "2", "1"))
        self.assertEqual(counts["checked, of those that software can break"], "66.7 %")


if __name__ == "__main__":
    unittest.main()

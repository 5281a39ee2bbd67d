#!/usr/bin/env python3
"""tools/toolkit_names on a small checkout: what counts as a name of the toolkit.

toolkit_names_tool_test.py REPO
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL = pathlib.Path(sys.argv[1]).resolve() / "tools/toolkit_names"
HEADER = """#ifndef GUARD_H
#define GUARD_H
#define OP_MACRO(x) \\
  Hidden(x)
// class Commented;
namespace Outer { namespace Inner {
enum class Colour { COLOUR_RED, COLOUR_BLUE = 2 };
constexpr int LIMIT_OF_ALL = 3;
using ShortName = int;
template <typename T, bool b = false> __aicore__ inline void DoWork(const T& in) { InBody(in); Local local = 1; }
template <int N> struct Holder { void SetPart(int n); int partField; };
extern const char* SomeText;
}}
#endif
"""


class Tool(unittest.TestCase):
    def test_a_checkout(self):
        with tempfile.TemporaryDirectory() as folder:
            checkout, projects, out = (pathlib.Path(folder) / n for n in ("kit", "projects", "names.txt"))
            (checkout / "include/basic_api").mkdir(parents=True)
            (checkout / "include/basic_api/work.h").write_text(HEADER)
            (checkout / "impl/basic_api/dav_c220").mkdir(parents=True)
            (checkout / "impl/basic_api/dav_c220/add.h").write_text("void vown_helper(int n) {}\nvoid Add() { vadds(1); copy_gm_to_ubuf(2); vown_helper(3); p->vfield(4); // vnever()\n}\n")
            (checkout / "docs/zh/api/group").mkdir(parents=True)
            (checkout / "docs/zh/api/group/Described-12.md").write_text("")
            (projects / "op/op_host").mkdir(parents=True)
            (projects / "op/op_host/op.cpp").write_text('#include "register/op_def.h"\n#include "mine/own.h"\n#include <vector>\n')
            (projects / "op/mine").mkdir()
            (projects / "op/mine/own.h").write_text("")
            out.write_text("# By hand\nname Older\n")
            subprocess.run([TOOL, "--projects", projects, "--out", out, checkout], check=True, capture_output=True)
            found = {"folder": set(), "header": set(), "name": set(), "member": set()}
            for line in out.read_text().splitlines():
                if not line.startswith("#"):
                    kind, *words = line.split()
                    found[kind] |= set(words)
        self.assertEqual(found["folder"], {"pto"})
        self.assertEqual(found["header"], {"basic_api/work.h", "work.h", "register/op_def.h"})
        self.assertEqual(found["name"], {"OP_MACRO", "Outer", "Inner", "Colour", "COLOUR_RED", "COLOUR_BLUE", "LIMIT_OF_ALL", "ShortName", "DoWork",
                                         "Holder", "SomeText", "Described", "Older", "vadds", "copy_gm_to_ubuf"})
        self.assertEqual(found["member"], {"SetPart"})


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])

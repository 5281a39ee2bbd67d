#!/usr/bin/env python3
"""The guest machine on aarch64: its tests, compiled for it, under qemu-user. usage: aarch64_test.py BUILD REPO

Kernels run on its interpreter there: what it is translated to, where it is translated, is x86-64 code. Needs, on Debian, libstdc++-12-dev-arm64-cross,
qemu-user-static, lld-19 and GoogleTest's sources (libgtest-dev).
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import roots

CROSS = ["clang++-19", "--target=aarch64-linux-gnu", "-fuse-ld=lld", "-O1", "-w", "-DFMT_HEADER_ONLY", "-DAKGEN_SOURCE_DIR=\"\"", f"-I{roots.REPO}/src"]
GTEST = pathlib.Path("/usr/src/googletest/googletest")
NOT_BASE = {"regex.cc", "toml.cc", "csv.cc", "markdown.cc", "precompiled.cc"}  # what the guest does not need, with libraries of its own


class Aarch64(unittest.TestCase):
    def setUp(self):
        if not all(map(shutil.which, ("clang++-19", "qemu-aarch64-static", "ld.lld-19"))) or not os.path.exists("/usr/aarch64-linux-gnu/include/stdlib.h") or not GTEST.exists():
            self.skipTest(__doc__.splitlines()[-2])
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def compiled(self, name, sources, *options):
        """One object of several sources, as the release preset compiles them."""
        unit = self.folder / f"{name}.cc"
        unit.write_text("".join(f'#include "{source}"\n' for source in sorted(sources)))
        subprocess.run([*CROSS, *options, "-c", unit, "-o", unit.with_suffix(".o")], check=True)
        return unit.with_suffix(".o")

    def test_guest(self):
        src, tests = roots.REPO / "src", roots.REPO / "tests/guest"
        objects = [self.compiled("base", [p for p in (src / "base").glob("*.cc") if p.name not in NOT_BASE], "-std=c++20"),
                   self.compiled("guest", (src / "guest").glob("*.cc"), "-std=c++20"),
                   self.compiled("gtest", [GTEST / "src/gtest-all.cc", GTEST / "src/gtest_main.cc"], "-std=c++20", f"-I{GTEST}"),
                   self.compiled("tests", tests.glob("*_test.cc"), "-std=c++20", f'-DPROGRAMS_DIR="{roots.BUILD}/tests/guest"', f"-I{roots.REPO}", f"-I{roots.REPO}/tests")]
        program = self.folder / "guest_test"
        subprocess.run([*CROSS, "-static", *objects, "-o", program], check=True)
        done = subprocess.run(["qemu-aarch64-static", program, *sys.argv[3:]], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        print(done.stdout[-3000:])
        self.assertEqual(done.returncode, 0)
        self.assertIn("[  PASSED  ]", done.stdout)


unittest.main(argv=sys.argv[:1])

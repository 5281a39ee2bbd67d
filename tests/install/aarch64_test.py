#!/usr/bin/env python3
"""akgen-judge on aarch64, cross-compiled, under qemu-user: its tests, and its package in a bare root. usage: aarch64_test.py BUILD REPO

Builds build/aarch64 (tools/package aarch64): fifteen minutes on two cores the first time. Kernels run on the guest's interpreter there: what it is
translated to, where it is translated, is x86-64 code. What qemu-user has no system calls for is named by akgen itself: Landlock and seccomp.
"""
import re
import shutil
import subprocess
import sys
import unittest

import roots

BINFMT = "/proc/sys/fs/binfmt_misc"
# Programs of aarch64 are started by qemu, also in another root (F: it is opened here and now).
QEMU = r":akgen-aarch64:M::\x7f\x45\x4c\x46\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00:\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff:"
EXAMPLES = "/usr/share/akgen/examples"


class Aarch64(roots.InRoots):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.register()
        out = roots.BUILD / "packages"
        subprocess.run([sys.executable, roots.REPO / "tools/package", "aarch64", "--build", roots.BUILD, "--out", out], check=True)
        cls.package = max(out.glob("akgen-judge_*_arm64.deb"), key=lambda p: p.stat().st_mtime)

    @classmethod
    def register(cls):
        if not shutil.which("qemu-aarch64-static"):
            raise unittest.SkipTest("apt-get install qemu-user-static")
        subprocess.run(["mount", "-t", "binfmt_misc", "none", BINFMT], stderr=subprocess.DEVNULL)
        try:
            with open(f"{BINFMT}/register", "w") as f:
                f.write(f"{QEMU}{shutil.which('qemu-aarch64-static')}:FC")
            cls.addClassCleanup(lambda: open(f"{BINFMT}/akgen-aarch64", "w").write("-1"))
        except OSError as e:
            raise unittest.SkipTest(f"programs of aarch64 can not be started here: {e}")

    def test_guest_and_chip(self):
        subprocess.run(["cmake", "--build", "--preset", "aarch64", "--target", "guest_test", "chip_test"], cwd=roots.REPO, check=True)
        for name, fewest in (("guest_test", 50), ("chip_test", 5)):
            done = subprocess.run(["qemu-aarch64-static", "-L", roots.REPO / "build/aarch64-root", roots.REPO / "build/aarch64/bin" / name, *sys.argv[3:]],
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            self.assertEqual(done.returncode, 0, done.stdout[-3000:])
            passed = int(re.search(r"\[  PASSED  \] (\d+) tests", done.stdout)[1])
            print(f"{name}: {passed} tests")
            self.assertGreaterEqual(passed, fewest)

    def test_examples(self):
        root = self.root(12, self.package, architecture="arm64")
        self.does(root, f"apt-get update -qq && apt-get install -y -qq ~/{self.package.name} >/dev/null && uname -m")
        for subject, word, code in (("kernels/fast_gelu --task FastGelu", "FastGelu: pass", 0),
                                    ("kernels/wrong_missing_handoff --task UnalignAdd --case 0", "finding[AK1201]", 1),
                                    ("craft/softmax.py", "agree", 0)):
            said, _ = self.does(root, f"akgen judge {EXAMPLES}/{subject}", code=code)
            self.assertIn(word, said)
            if "--task" in subject:
                self.assertIn("warning[AK0022]: without landlock, seccomp", said)
        said, _ = self.does(root, "akgen doctor", code=0)
        for layer in ("landlock", "seccomp"):
            self.assertIn(f"missing sandbox layer {layer}", said)


roots.main()

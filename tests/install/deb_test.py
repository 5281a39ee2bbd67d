#!/usr/bin/env python3
"""The package akgen on a bare Debian 12: installed by apt, it judges an example. usage: deb_test.py BUILD REPO"""
import roots

SHARE = "/usr/share/akgen"


class Deb(roots.InRoots):
    def test_debian_12(self):
        package = next(roots.package("deb").glob("akgen_*.deb"))
        root = self.root(12, package)
        _, preparing = self.does(root, "apt-get update -qq")
        _, installing = self.does(root, f"apt-get install -y -qq ~/{package.name} >/dev/null")
        said, judging = self.does(root, f"akgen judge {SHARE}/examples/kernels/fast_gelu --task FastGelu")
        self.assertIn("pass", said)
        print(f"{preparing + installing + judging:.0f} s from a bare root to a verdict")
        self.assertLessEqual(preparing + installing + judging, 120)
        said, _ = self.does(root, "apt-get install -y -qq python3 man-db bash-completion >/dev/null; python3 -c 'import akgen; print(akgen.__version__)'; man -w akgen")
        self.assertIn("/usr/share/man/man1/akgen.1", said)


roots.main()

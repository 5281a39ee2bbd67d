#!/usr/bin/env python3
"""The package akgen-judge, which has no libtorch, on bare Debian 12 and 13. usage: judge_test.py BUILD REPO"""
import roots

SHARE = "/usr/share/akgen"


class Judge(roots.InRoots):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.package = next(roots.package("deb").glob("akgen-judge_*.deb"))

    def judges(self, release):
        root = self.root(release, self.package)
        _, preparing = self.does(root, "apt-get update -qq")
        _, installing = self.does(root, f"apt-get install -y -qq ~/{self.package.name} >/dev/null")
        said, judging = self.does(root, f"akgen judge {SHARE}/examples/craft/softmax.py")
        self.assertIn("agree", said)
        print(f"Debian {release}: {preparing + installing + judging:.0f} s from a bare root to a verdict")
        self.assertLessEqual(preparing + installing + judging, 120)
        said, _ = self.does(root, "dpkg -l | grep -c '^ii'; dpkg -l | grep -E 'libtorch|opencv|ffmpeg' || true")
        self.assertNotIn("libtorch", said)
        said, _ = self.does(root, f"akgen judge {SHARE}/examples/kernels/wrong_missing_handoff --task UnalignAdd --case 0", code=3)
        self.assertIn("finding[AK1201]", said)
        said, _ = self.does(root, f"akgen judge {SHARE}/examples/kernels/fast_gelu --task FastGelu --case 0", code=3)
        self.assertIn("install the package akgen in place of akgen-judge", said)

    def test_debian_12(self):
        self.judges(12)

    def test_debian_13(self):
        self.judges(13)


roots.main()

#!/usr/bin/env python3
"""The packages for Debian in bare roots: installed by apt, they give a verdict. usage: deb_test.py BUILD REPO"""
import roots

EXAMPLES = "/usr/share/akgen/examples"


class Deb(roots.InRoots):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.folder = roots.package("deb")

    def verdict(self, release, name, subject, word):
        package = next(self.folder.glob(f"{name}_*.deb"))
        root = self.root(release, package)
        _, preparing = self.does(root, "apt-get update -qq")
        _, installing = self.does(root, f"apt-get install -y -qq ~/{package.name} >/dev/null")
        said, judging = self.does(root, f"akgen judge {EXAMPLES}/{subject}")
        self.assertIn(word, said)
        print(f"{name}, Debian {release}: {preparing + installing + judging:.0f} s from a bare root to a verdict")
        self.assertLessEqual(preparing + installing + judging, 120)
        return root

    def test_akgen_on_12(self):
        root = self.verdict(12, "akgen", "kernels/fast_gelu --task FastGelu", "FastGelu: pass")
        said, _ = self.does(root, "apt-get install -y -qq python3 man-db >/dev/null; python3 -c 'import akgen; print(akgen.__version__)'; man -w akgen")
        self.assertIn("/usr/share/man/man1/akgen.1", said)

    def judge_alone(self, release):
        root = self.verdict(release, "akgen-judge", "kernels/fast_gelu --task FastGelu", "FastGelu: pass")
        said, _ = self.does(root, "dpkg -l")
        self.assertNotIn("libtorch", said)
        said, _ = self.does(root, f"akgen judge {EXAMPLES}/kernels/wrong_missing_handoff --task UnalignAdd --case 0", code=1)
        self.assertIn("finding[AK1201]", said)
        said, _ = self.does(root, f"akgen judge {EXAMPLES}/craft/softmax.py")
        self.assertIn("agree", said)
        said, _ = self.does(root, f"akgen judge {EXAMPLES}/kernels/attention_latent --task Mla --case 0", code=3)
        self.assertIn("install the package akgen in place of akgen-judge", said)

    def test_judge_alone_on_12(self):
        self.judge_alone(12)

    def test_judge_alone_on_13(self):
        self.judge_alone(13)


roots.main()

#!/usr/bin/env python3
"""The wheel on bare Debian 12 and 13, which have Python and no compiler: pip installs it, and it judges. usage: wheel_test.py BUILD REPO"""
import roots


class Wheel(roots.InRoots):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.wheel = max(roots.package("wheel").glob("akgen-*manylinux*.whl"), key=lambda p: p.stat().st_mtime)

    def judges(self, release):
        root = self.root(release, self.wheel)
        self.does(root, "apt-get update -qq && apt-get install -y -qq --no-install-recommends python3-venv >/dev/null")
        _, installing = self.does(root, f"python3 -m venv /env && /env/bin/pip install -q --no-index ~/{self.wheel.name}")
        said, judging = self.does(root, "at=$(/env/bin/python -c 'import akgen, os; print(os.path.dirname(akgen.__file__))')\n"
                                        "/env/bin/akgen judge $at/_program/share/akgen/examples/kernels/fast_gelu --task FastGelu")
        self.assertIn("pass", said)
        print(f"Debian {release}: {installing + judging:.0f} s from pip to a verdict")
        self.assertLessEqual(installing + judging, 120)
        said, _ = self.does(root, "/env/bin/akgen init my_gelu >/dev/null && /env/bin/akgen judge my_gelu")
        self.assertIn("pass", said)
        said, _ = self.does(root, "cat >x.py <<'X'\nimport akgen, pathlib\nat = pathlib.Path(akgen.__file__).parent / '_program/share/akgen/examples/kernels/sqrt_via_float'\n"
                                  "print(akgen.judge(at, task='Sqrt', cases=['0']).verdict)\nX\n/env/bin/python x.py")
        self.assertIn("pass", said)
        said, _ = self.does(root, "/env/bin/akgen doctor; ! ls /usr/bin/ld /usr/include/stdio.h 2>/dev/null", code=0)
        self.assertNotIn("missing akgen", said)

    def test_debian_12(self):
        self.judges(12)

    def test_debian_13(self):
        self.judges(13)


roots.main()

#!/usr/bin/env python3
"""The Python package as people install it, each in a fresh environment: the folder, the source distribution, an editable install; and what a type checker says of it.

usage: package_test.py AKGEN ROOT      (ctest -L package; mypy comes from the package index)
"""
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import unittest
import venv

AKGEN, ROOT = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
ENV = {k: v for k, v in os.environ.items() if not k.startswith(("AKGEN", "PYTHON"))}
USE = """import akgen, akgen.records, pathlib, sys
with akgen.Client.start(akgen=sys.argv[1], jobs=1) as client:
    result = client.judge(pathlib.Path(sys.argv[2]) / "examples/kernels/sqrt_via_float", "Sqrt", cases=["0"])
print(akgen.__version__, pathlib.Path(akgen.__file__).parent, result.verdict, result.reward())
"""
RIGHT = """import akgen
async def ask() -> None:
    async with await akgen.AsyncClient.start(jobs=2) as client:
        number: float = await client.reward("text", "Sqrt", cases=["0"], deadline_s=5.0, form="auto")
    found: akgen.Result = akgen.judge({"op_kernel/x.cpp": ""}, "Sqrt", seed="fresh", precision="upstream", priority="low")
    codes = [finding.code.lower() for finding in found.findings()]
    profiles = [p.modelled_us + 1.0 for p in akgen.profile("folder", "Sqrt", chip="910B3")]
"""
WRONG = ('akgen.judge("folder", "Sqrt", deadline="5")', 'akgen.judge("folder", "Sqrt", cases="0", time=1)', 'akgen.reward("text", "Sqrt", form="text")',
         'akgen.Client("http://x", timeouts=1.0)', 'akgen.rewards(["x"], ["Sqrt"], seed="new")')


def version():
    return next(line.split('"')[1] for line in (ROOT / "src/base/version.h").read_text().splitlines() if "kVersion" in line)


class Package(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        venv.create(self.folder / "venv", with_pip=True)
        self.python = self.folder / "venv/bin/python"

    def pip(self, *arguments):
        done = subprocess.run([self.python, "-m", "pip", "--disable-pip-version-check", "install", *map(str, arguments)], env=ENV, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def used(self):
        """(version, folder of the package), after a judgement."""
        done = subprocess.run([self.python, "-I", "-c", USE, AKGEN, ROOT], env=ENV, cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        said, folder, verdict, reward = done.stdout.split()
        self.assertEqual((said, verdict, reward), (version(), "pass", "1.0"))
        return pathlib.Path(folder)

    def test_the_folder(self):
        self.pip("--no-index", ROOT / "python")
        self.assertTrue(self.used().is_relative_to(self.folder / "venv"))

    def test_the_source_distribution(self):
        subprocess.run([self.python, "-c", "import build_wheel, sys; build_wheel.build_sdist(sys.argv[1])", self.folder], cwd=ROOT / "python", check=True)
        archive, = self.folder.glob("*.tar.gz")
        self.assertEqual(archive.name, f"akgen-{version()}.tar.gz")
        with tarfile.open(archive) as tar:
            names = {name.partition("/")[2] for name in tar.getnames()}
        self.assertLessEqual({"PKG-INFO", "LICENSE", "README.md", "pyproject.toml", "akgen/__init__.py", "akgen/py.typed", "akgen/records/judgement.py"}, names)
        self.pip("--no-index", archive)
        self.assertTrue(self.used().is_relative_to(self.folder / "venv"))

    def test_an_editable_install(self):
        self.pip("--no-index", "-e", ROOT / "python")
        self.assertEqual(self.used(), ROOT / "python/akgen")
        listed = subprocess.run([self.python, "-m", "pip", "list", "--editable"], env=ENV, capture_output=True, text=True, check=True).stdout
        self.assertIn(f"akgen   {version()}", listed)

    def test_options_have_types(self):
        self.pip("mypy", ROOT / "python")
        (self.folder / "right.py").write_text(RIGHT)
        (self.folder / "mypy.ini").write_text("[mypy]\n[mypy-torch.*]\nignore_missing_imports = True\n")  # it is not installed here
        check = [self.python, "-m", "mypy", "--strict", "--python-version", "3.10"]
        done = subprocess.run([*check, "right.py"], cwd=self.folder, env=ENV, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        (self.folder / "wrong.py").write_text("import akgen\n" + "\n".join(WRONG) + "\n")
        done = subprocess.run([*check, "wrong.py"], cwd=self.folder, env=ENV, capture_output=True, text=True)
        lines = {int(line.split(":")[1]) for line in done.stdout.splitlines() if ": error:" in line}
        self.assertEqual(lines, set(range(2, 2 + len(WRONG))), done.stdout)
        done = subprocess.run([*check, "-p", "akgen"], cwd=self.folder, env=ENV, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])

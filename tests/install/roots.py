"""Root file systems with nothing but a minimal Debian, in which packages are tried as a user would."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

BUILD, REPO = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
SUITES = {12: "bookworm", 13: "trixie"}
ENTER = """set -e
mount --make-rprivate /
mount -t proc none {root}/proc
mount --rbind /dev {root}/dev
mount --rbind /sys {root}/sys
cp -L /etc/resolv.conf {root}/etc/resolv.conf
exec chroot {root} env -i HOME=/root PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin DEBIAN_FRONTEND=noninteractive bash -euc "$1"
"""


def require():
    """Skips where no root can be made."""
    for program in ("mmdebstrap", "unshare", "chroot"):
        if not shutil.which(program):
            raise unittest.SkipTest(f"{program} is missing: apt-get install mmdebstrap")
    if os.geteuid() != 0:
        raise unittest.SkipTest("only root makes roots")


def package(what):
    """The packages that tools/package makes of this build."""
    out = BUILD / "packages"
    done = subprocess.run([sys.executable, REPO / "tools/package", what, "--build", BUILD, "--out", out, "--no-build"], capture_output=True, text=True)
    if done.returncode:
        raise AssertionError(done.stdout[-3000:] + done.stderr[-3000:])
    return out


class Root:
    """A fresh minimal Debian; one archive per release is kept beside the build."""

    def __init__(self, release, architecture=""):
        archive = BUILD / f"roots/{SUITES[release]}{architecture}.tar"
        if not archive.exists():
            archive.parent.mkdir(exist_ok=True)
            part = archive.with_suffix(".part.tar")
            subprocess.run(["mmdebstrap", "--quiet", "--variant=apt", "--include=ca-certificates", *([f"--architectures={architecture}"] if architecture else []), SUITES[release], part], check=True)
            part.rename(archive)
        self._folder = tempfile.TemporaryDirectory(prefix="akgen_root_", dir="/var/tmp")
        self.path = pathlib.Path(self._folder.name)
        subprocess.run(["tar", "-xf", archive, "-C", self.path], check=True)

    def close(self):
        self._folder.cleanup()

    def bring(self, file):
        shutil.copy2(file, self.path / "root")

    def run(self, script):
        """(exit code, what it said, seconds)."""
        start = time.monotonic()
        with tempfile.NamedTemporaryFile("w", suffix=".sh") as enter:
            enter.write(ENTER.format(root=self.path))
            enter.flush()
            done = subprocess.run(["unshare", "-m", "bash", enter.name, script], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return done.returncode, done.stdout, time.monotonic() - start


class InRoots(unittest.TestCase):
    """`does` runs a script in a fresh root of a release, which has to end well, and prints how long it took."""

    @classmethod
    def setUpClass(cls):
        require()

    def root(self, release, *files, architecture=""):
        root = Root(release, architecture)
        self.addCleanup(root.close)
        for file in files:
            root.bring(file)
        return root

    def does(self, root, script, code=0):
        rc, said, seconds = root.run(script)
        print(f"{seconds:.0f} s: {script.strip().splitlines()[-1]}", flush=True)
        self.assertEqual(rc, code, said[-4000:])
        return said, seconds


def main():
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])

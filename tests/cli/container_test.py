#!/usr/bin/env python3
"""What docs/containers.md gives a container is enough for every layer: akgen judges in one, with --require-layers.

A namespace of mounts and of networks stands for the container, with what the recipe takes away taken away: capabilities, the network,
and writing anywhere but in /tmp and the cache. The capabilities are read from the recipe itself.

container_test.py AKGEN REPO
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

AKGEN, REPO = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
RECIPE = re.search(r"docker run .*?```", (REPO / "docs/containers.md").read_text(), re.S).group()
CAPABILITIES = [name.lower() for name in re.findall(r"--cap-add (\w+)", RECIPE)]
ENTER = """set -e
mount --make-rprivate /
mount --bind {outside} {outside}  # the folders of the host that the container sees
mount -t tmpfs none /dev/shm
for at in $(awk '$2 ~ "^/" {{print $2}}' /proc/mounts | sort -ru); do
  case $at in /proc*|/sys*|/dev*|{outside}*) ;; *) mount -o remount,bind,ro "$at" 2>/dev/null || true ;; esac
done
mount -t tmpfs -o exec none {tmp}
ip link set lo up 2>/dev/null || true
exec "$@"
"""


class Container(unittest.TestCase):
    def setUp(self):
        if os.geteuid() != 0 or subprocess.run(["unshare", "-m", "-n", "true"], capture_output=True).returncode:
            self.skipTest("no namespace can be made here")
        self.dir = tempfile.TemporaryDirectory(prefix="akgen_container_", dir="/var/tmp")
        self.addCleanup(self.dir.cleanup)
        self.outside = pathlib.Path(self.dir.name)
        (self.outside / "cache").mkdir()

    def run_in(self, capabilities, *command, user=()):
        caps = ",".join(["-all", *(f"+{c}" for c in capabilities)])
        enter = self.outside / "enter.sh"
        enter.write_text(ENTER.format(outside=self.outside, tmp="/tmp"))
        return subprocess.run(["unshare", "-m", "-n", "bash", enter, "setpriv", f"--bounding-set={caps}", "--inh-caps=-all", *user, *map(str, command)],
                              capture_output=True, text=True, env={**os.environ, "AKGEN_CACHE": f"{self.outside}/cache", "TMPDIR": "/tmp"})

    def judged(self, capabilities, *more, user=()):
        record = self.outside / "cache/verdict.json"
        record.unlink(missing_ok=True)
        done = self.run_in(capabilities, AKGEN, "judge", REPO / "examples/kernels/add_double_buffer", "--task", "UnalignAdd", "--case", "0",
                           "--seed", "1", "--json", record, *more, user=user)
        return done, json.loads(record.read_text()) if record.exists() else {}

    def test_the_container_is_one(self):
        done = self.run_in(CAPABILITIES, "bash", "-c", f"touch {REPO}/x 2>/dev/null && exit 1; touch /tmp/x {self.outside}/cache/x && ip -o link 2>/dev/null | grep -vq lo:"
                           " && exit 2; grep CapEff /proc/self/status")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(bin(int(done.stdout.split()[1], 16)).count("1"), len(CAPABILITIES), done.stdout)

    def test_the_recipe_is_enough(self):
        self.assertEqual(CAPABILITIES, ["setuid", "setgid", "kill"])
        done, record = self.judged(CAPABILITIES, "--require-layers")
        self.assertEqual((done.returncode, record.get("verdict")), (0, "pass"), done.stdout + done.stderr)
        self.assertEqual({r["layer"] for r in record["provenance"]["sandbox"] if not r["active"]}, set())
        planned = self.run_in(CAPABILITIES, AKGEN, "bench", "run", "--generator", "plan", "--tasks", "Sqrt", "--profile", "tiny", "--out",
                              self.outside / "cache/run.db", "--candidates", self.outside / "cache/planned", "--require-layers")
        self.assertEqual(planned.returncode, 0, planned.stdout + planned.stderr)

    def test_without_them_the_user_stays(self):
        done, record = self.judged(["kill"], "--require-layers")
        self.assertEqual((done.returncode, record.get("verdict")), (0, "pass"), done.stdout + done.stderr)
        self.assertEqual({r["layer"] for r in record["provenance"]["sandbox"] if not r["active"]}, {"user"})

    def test_a_server_in_it(self):
        """The recipe of the reward server: it judges with every layer, and its state lies in the cache."""
        recipe = re.search(r"docker run -d.*?```", (REPO / "docs/containers.md").read_text(), re.S).group()
        self.assertEqual([name.lower() for name in re.findall(r"--cap-add (\w+)", recipe)], CAPABILITIES)
        (self.outside / "tokens").write_text("test " + "t" * 20 + "\n")
        options = re.search(r"akgen serve (.*)", recipe).group(1).replace("/cache", f"{self.outside}/cache").replace("/tokens", f"{self.outside}/tokens")
        script = self.outside / "ask.py"
        script.write_text(f"""import subprocess, sys, time
sys.path.insert(0, {str(REPO / "python")!r})
import akgen
server = subprocess.Popen([{str(AKGEN)!r}, "serve", "--port", "8123", "-j", "1", *{options.split()!r}])
try:
    with akgen.Client("http://127.0.0.1:8123", "t" * 20) as client:
        result = client.judge({str(REPO / "examples/kernels/sqrt_via_float")!r}, task="Sqrt", cases=["0"])
    print(result.verdict, [r["layer"] for r in result.record.provenance.to_json()["sandbox"] if not r["active"]])
finally:
    server.terminate()
    print(server.wait())
""")
        done = self.run_in(CAPABILITIES, sys.executable, script)
        self.assertEqual(done.stdout.splitlines()[-2:], ["pass []", "0"], done.stdout + done.stderr)
        self.assertTrue((self.outside / "cache/jobs.db").exists())

    def test_a_plain_user_needs_none(self):
        os.chown(self.outside, 1000, 1000)
        os.chown(self.outside / "cache", 1000, 1000)
        done, record = self.judged([], "--require-layers", user=("--reuid=1000", "--regid=1000", "--clear-groups"))
        self.assertEqual((done.returncode, record.get("verdict")), (0, "pass"), done.stdout + done.stderr)
        self.assertEqual({r["layer"] for r in record["provenance"]["sandbox"] if not r["active"]}, {"user"})


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])

#!/usr/bin/env python3
"""Where a layer of the sandbox is missing a pass says so, and --require-layers judges nothing.

layers_test.py AKGEN REPO
"""
import ctypes
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from fresh_cache import fresh_cache  # noqa: E402

AKGEN, REPO = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
LIBC = ctypes.CDLL(None, use_errno=True)
LANDLOCK, SECCOMP, PRCTL = (444, 445, 446), 317, 157  # numbers of x86-64
ENOSYS, PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 38, 22, 2
ALLOW, ERRNO = 0x7FFF0000, 0x00050000


def refuse(calls, seccomp):
    """A filter as a container's profile has: these calls do not exist; with `seccomp` neither do filters."""
    def statement(code, k, jt=0, jf=0):
        return struct.pack("HBBI", code, jt, jf, k)
    program = [statement(0x20, 0)]  # the call's number
    for number in calls:
        program += [statement(0x15, number, 0, 1), statement(0x06, ERRNO | ENOSYS)]
    if seccomp:
        program += [statement(0x15, SECCOMP, 0, 1), statement(0x06, ERRNO | ENOSYS),
                    statement(0x15, PRCTL, 0, 3), statement(0x20, 16), statement(0x15, PR_SET_SECCOMP, 0, 1), statement(0x06, ERRNO | ENOSYS)]
    program.append(statement(0x06, ALLOW))
    text = ctypes.create_string_buffer(b"".join(program))
    head = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(program), ctypes.addressof(text)))

    def install(kept=text):  # the kernel reads it only now
        if not kept or LIBC.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or LIBC.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, head, 0, 0):
            os._exit(99)
    return install


class Layers(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.TemporaryDirectory(prefix="akgen_layers_")
        self.addCleanup(self.dir.cleanup)
        if os.uname().machine != "x86_64":
            self.skipTest("the numbers of system calls here are those of x86-64")
        layers = {r["layer"]: r["active"] for r in self.judged()[1]["provenance"]["sandbox"]}
        if not (layers["landlock"] and layers["seccomp"]):
            self.skipTest("this machine has not all layers to begin with")

    def akgen(self, *args, without=None):
        return subprocess.run([AKGEN, *map(str, args)], capture_output=True, text=True, preexec_fn=without,
                              env={**os.environ, "AKGEN_CACHE": fresh_cache(f"{self.dir.name}/cache")})

    def judged(self, *more, without=None):
        record = pathlib.Path(self.dir.name) / "verdict.json"
        record.unlink(missing_ok=True)
        done = self.akgen("judge", REPO / "examples/kernels/add_double_buffer", "--task", "UnalignAdd", "--case", "0", "--seed", "1",
                          "--json", record, *more, without=without)
        return done, json.loads(record.read_text()) if record.exists() else {}

    def test_all_layers_say_nothing(self):
        done, record = self.judged("--require-layers")
        self.assertEqual((done.returncode, record["verdict"]), (0, "pass"), done.stderr)
        self.assertNotIn("AK0022", done.stderr)

    def test_a_missing_layer_is_named_beside_a_pass(self):
        for without, missing in ((refuse(LANDLOCK, False), "landlock"), (refuse((), True), "seccomp"),
                                 (refuse(LANDLOCK, True), "landlock, seccomp")):
            done, record = self.judged(without=without)
            self.assertEqual((done.returncode, record["verdict"]), (0, "pass"), done.stderr)
            self.assertIn(f"warning[AK0022]: without {missing} ", done.stderr)
            held = {r["layer"] for r in record["provenance"]["sandbox"] if r["active"]}
            self.assertFalse(held & set(missing.split(", ")))
            self.assertIn("missing sandbox layer " + missing.split(", ")[-1], self.akgen("doctor", without=without).stdout)

    def test_required_layers_refuse(self):
        without = refuse(LANDLOCK, False)
        done, record = self.judged("--require-layers", without=without)
        self.assertEqual((done.returncode, record), (3, {}))
        self.assertIn("AK0022", done.stderr)
        out = pathlib.Path(self.dir.name)
        (out / "grpo.toml").write_text("")
        for command in (["bench", "run", "--tasks", "Sqrt", "--candidates", REPO / "examples/kernels", "--out", out / "run.db"],
                        ["generate", "Sqrt", "--generator", "plan", "--out", out / "made"],
                        ["lm", "reinforce", "--config", out / "grpo.toml", "--out", out / "grpo", "--compositions", "1"]):
            done = self.akgen(*command, "--require-layers", without=without)
            self.assertEqual(done.returncode, 3, f"{command}: {done.stdout}{done.stderr}")
            self.assertIn("AK0022", done.stderr)
        self.assertFalse((out / "run.db").exists() or (out / "made").exists())


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])

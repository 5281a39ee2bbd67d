#!/usr/bin/env python3
"""A run on a real one-node Slurm gives the verdicts of a local run; a worker that is killed costs only its time.

slurm_test.py AKGEN REPO      needs root and Debian's packages slurm-wlm and munge (ctest -L slurm). The daemons get
a folder, a key and ports of their own and are ended by the test.
"""
import os
import pathlib
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

AKGEN, REPO = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
EXAMPLES = {"UnalignAdd": ["add_double_buffer", "wrong_missing_handoff", "wrong_missing_tail", "wrong_read_past_tensor"],
            "Sqrt": ["sqrt_via_float", "wrong_call", "wrong_misaligned_offset"], "FastGelu": ["fast_gelu", "wrong_constant"],
            "RmsNorm": ["rms_norm_rows"]}
CONF = """ClusterName=akgentest
SlurmctldHost=localhost(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
CryptoType=crypto/munge
AuthInfo=socket={dir}/munge.socket
SlurmctldPort=17817
SlurmdPort=17818
SlurmctldPidFile={dir}/slurmctld.pid
SlurmdPidFile={dir}/slurmd.pid
StateSaveLocation={dir}/ctld
SlurmdSpoolDir={dir}/d
SlurmctldLogFile={dir}/slurmctld.log
SlurmdLogFile={dir}/slurmd.log
ReturnToService=2
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SchedulerType=sched/backfill
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
SchedulerParameters=sched_interval=1,batch_sched_delay=0
NodeName=localhost NodeAddr=127.0.0.1 CPUs={cpus} RealMemory=2000 State=UNKNOWN
PartitionName=debug Nodes=localhost Default=YES MaxTime=INFINITE State=UP
"""


class Slurm(unittest.TestCase):
    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="akgen_slurm_"))
        self.dir.chmod(0o755)
        self.addCleanup(shutil.rmtree, self.dir, True)
        self.env = {**os.environ, "SLURM_CONF": str(self.dir / "slurm.conf"), "AKGEN_CACHE": str(self.dir / "cache")}
        for name in ("ctld", "d"):
            (self.dir / name).mkdir()
        (self.dir / "slurm.conf").write_text(CONF.format(dir=self.dir, cpus=os.cpu_count()))
        key = self.dir / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        socket = self.dir / "munge.socket"
        self.daemons = []
        self.addCleanup(self.stop)
        self.start(["munged", "-F", "-f", f"--key-file={key}", f"--socket={socket}", f"--pid-file={self.dir}/munge.pid",
                    f"--log-file={self.dir}/munge.log", f"--seed-file={self.dir}/munge.seed"])
        self.wait(socket.exists, "munged")
        self.start(["slurmctld", "-D", "-c"])
        self.start(["slurmd", "-D", "-N", "localhost"])
        self.wait(lambda: "idle" in self.slurm("sinfo", "-h", "-o", "%T"), "the node")
        candidates = self.dir / "candidates"
        for task, names in EXAMPLES.items():
            for k, name in enumerate(names):
                shutil.copytree(REPO / "examples/kernels" / name, candidates / task / f"sample{k}")

    def start(self, argv):
        log = open(self.dir / (argv[0] + ".out"), "w")
        self.addCleanup(log.close)
        self.daemons.append(subprocess.Popen(argv, env=self.env, stdout=log, stderr=log))

    def stop(self):
        self.slurm("scancel", "--user=root")
        for d in reversed(self.daemons):
            d.terminate()
            try:
                d.wait(10)
            except subprocess.TimeoutExpired:
                d.kill()
                d.wait()

    def wait(self, ready, what):
        for _ in range(300):
            if ready():
                return
            time.sleep(0.1)
        self.fail(f"{what} does not come up: " + "".join(p.read_text()[-500:] for p in self.dir.glob("*.log")))

    def slurm(self, *argv):
        return subprocess.run(argv, env=self.env, capture_output=True, text=True).stdout

    def command(self, out, *more):
        return [str(AKGEN), "bench", "run", "--tasks", ",".join(EXAMPLES), "--candidates", str(self.dir / "candidates"), "--out", str(out), "-n", "4",
                "--profile", "ragged", "--cases", "4", "--hidden", "2", "--hidden-seed", "5", "--seed", "1", "--no-cache", *more]

    def verdicts(self, db):
        rows = sqlite3.connect(db).execute("SELECT task, sample, part, verdict, reason, key FROM verdicts").fetchall()
        self.assertEqual(len(rows), len({r[:3] for r in rows}))
        return {r[:3]: r[3:] for r in rows}

    def test_same_verdicts_and_a_worker_that_is_killed(self):
        local, slurm = self.dir / "local.db", self.dir / "slurm.db"
        subprocess.run(self.command(local), env=self.env, check=True, stdout=subprocess.DEVNULL)
        leader = subprocess.Popen(self.command(slurm, "--executor", "slurm", "--workers", "2"), env=self.env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        # The first worker dies after its first verdict; what it judged stays, the rest is submitted again.
        part = pathlib.Path(f"{slurm}.shards/part0.db")
        deadline, mine = time.monotonic() + 60, []
        while not mine and time.monotonic() < deadline:
            time.sleep(0.01)
            mine = list(self.slurm_workers(part)) if self.judged(part) else []
        for pid in mine:
            os.kill(int(pid), signal.SIGKILL)
        out, _ = leader.communicate(timeout=500)
        self.assertEqual(leader.returncode, 0, out + "".join(p.read_text() for p in slurm.with_name("slurm.db.shards").glob("log-*")))
        self.assertTrue(mine, "no worker was there to be killed")
        self.assertEqual(self.verdicts(local), self.verdicts(slurm))

    def judged(self, part):
        if not part.exists():
            return 0
        try:
            return sqlite3.connect(f"file:{part}?mode=ro", uri=True).execute("SELECT count(*) FROM verdicts").fetchone()[0]
        except sqlite3.Error:  # being made
            return 0

    def slurm_workers(self, part):
        for p in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            try:
                words = p.read_bytes().split(b"\0")
            except OSError:
                continue
            if str(AKGEN).encode() in words[:1] and str(part).encode() in words:
                yield p.parent.name


if __name__ == "__main__":
    if os.geteuid() != 0 or not all(shutil.which(p) for p in ("munged", "slurmctld", "slurmd", "sbatch")):
        sys.exit("slurm_test: needs root and the Debian packages slurm-wlm and munge")
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])

"""OpenEnv's own client and its own checker of running environments."""
import json
import subprocess
import sys

from common import BUILD, FINDING, RIGHT, UNSUPPORTED, URL, raises, same
from openenv.core.generic_client import GenericEnvClient

with GenericEnvClient(base_url=URL).sync() as env:
    first = env.reset(task="Sqrt", seed=1)
    same((first.observation["task"], first.done), ("Sqrt", False), "reset")
    rewards = []
    for code, verdict in ((BUILD, "build_error"), (FINDING, "finding"), (RIGHT, "pass")):
        got = env.step({"code": code})
        same(got.observation["verdict"], verdict, "step")
        rewards.append(got.reward)
    same((rewards[:2], round(sum(rewards), 9), got.done), ([0.0, 0.1], 1.0, True), "rewards")
    same(env.state()["step_count"], 3, "state")
    env.reset(task="UnalignAdd")
    raises(RuntimeError, lambda: env.step({"code": UNSUPPORTED}), "an unsupported kernel")

# Many sessions at a time.
clients = [GenericEnvClient(base_url=URL).sync() for _ in range(32)]
for c in clients:
    c.connect()
same({c.reset(task="Sqrt").observation["task"] for c in clients}, {"Sqrt"}, "sessions")
for c in clients:
    c.close()

checked = subprocess.run([sys.executable, "-m", "openenv.cli", "validate", "--url", URL, "--json"], capture_output=True, text=True)
if checked.returncode != 0:
    report = checked.stdout[checked.stdout.find("{"):] or "{}"
    failed = [c["id"] for c in json.loads(report).get("criteria", []) if not c["passed"]]
    raise SystemExit(f"openenv validate: {failed or checked.stderr.strip()[-300:]}")

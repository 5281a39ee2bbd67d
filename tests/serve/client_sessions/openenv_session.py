"""OpenEnv's own client and its own checker of running environments."""
import json
import subprocess
import sys

import requests
from common import BUILD, FINDING, RIGHT, UNSUPPORTED, URL, raises, same
from openenv.core.env_server.types import ResetRequest, ResetResponse, State, StepRequest, StepResponse
from openenv.core.generic_client import GenericEnvClient

with GenericEnvClient(base_url=URL).sync() as env:
    first = env.reset(task="Sqrt", seed=1)
    same((first.observation["task"], first.done), ("Sqrt", False), "reset")
    rewards = []
    for code, verdict in ((BUILD, "build_error"), (FINDING, "finding"), (RIGHT, "pass")):
        got = env.step({"code": code})
        same(got.observation["verdict"], verdict, "step")
        rewards.append(got.reward)
    same((rewards[:2], round(sum(rewards), 9), got.done), ([0.0, 0.3], 1.0, True), "rewards")
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

# Two clients on one host over HTTP, with the package's own messages: each has its episode.
ids = []
for task in ("Sqrt", "FastGelu"):
    reset = ResetResponse(**requests.post(URL + "/reset", json=ResetRequest(task=task).model_dump(exclude_none=True)).json())
    ids.append((reset.metadata["episode_id"], task))
same(len(set(ids)), 2, "episodes")
for episode, task in ids:
    asked = StepRequest(action={"code": "no code"}, episode_id=episode, timeout_s=60)
    stepped = StepResponse(**requests.post(URL + "/step", json=asked.model_dump(exclude_none=True)).json())
    same((stepped.observation["task"], stepped.reward, stepped.metadata["episode_id"]), (task, 0.0, episode), "a step over HTTP")
    same(State(**requests.get(URL + "/state", params={"episode_id": episode}).json()).step_count, 1, "a state over HTTP")
same(requests.post(URL + "/step", json={"action": {"code": "no code"}}).status_code, 422, "a step of no episode")

checked = subprocess.run([sys.executable, "-m", "openenv.cli", "validate", "--url", URL, "--json"], capture_output=True, text=True)
if checked.returncode != 0:
    report = checked.stdout[checked.stdout.find("{"):] or "{}"
    failed = [c["id"] for c in json.loads(report).get("criteria", []) if not c["passed"]]
    raise SystemExit(f"openenv validate: {failed or checked.stderr.strip()[-300:]}")

"""OpenRLHF's executor of remote rewards, out of its wheel, without torch."""
import asyncio
import importlib.metadata
import importlib.util
import itertools
import logging
import sys
import types

from common import FINDING, RIGHT, UNSUPPORTED, URL, raises, same

for name in ("openrlhf", "openrlhf.utils"):
    sys.modules[name] = types.ModuleType(name)
sys.modules["openrlhf.utils.logging_utils"] = types.ModuleType("openrlhf.utils.logging_utils")
sys.modules["openrlhf.utils.logging_utils"].init_logger = logging.getLogger
path = next(f.locate() for f in importlib.metadata.files("openrlhf") if str(f).endswith("openrlhf/utils/agent.py"))
spec = importlib.util.spec_from_file_location("openrlhf.utils.agent", path)
agent = importlib.util.module_from_spec(spec)
spec.loader.exec_module(agent)

executor = agent.SingleTurnAgentExecutor.__new__(agent.SingleTurnAgentExecutor)
executor.reward_endpoints = [URL + "/get_reward"]
executor._reward_endpoint_cycle = itertools.cycle(executor.reward_endpoints)
executor.reward_func = None
prompt = "<|user|>Write Sqrt.<|assistant|>"


def fetch(*texts, label="Sqrt"):
    return asyncio.run(executor._fetch_rewards_via_http([prompt + t for t in texts], [prompt] * len(texts), [label] * len(texts)))[0]


got = fetch(RIGHT, FINDING, "no code")
same((got["rewards"], got["scores"]), ([1.0, 0.3, 0.0], [1.0, 0.3, 0.0]), "rewards")
same(got["extra_logs"]["correct"], [1, 0, 0], "extra_logs")
same(fetch(RIGHT)["rewards"], [1.0], "one of them")
raises(RuntimeError, lambda: fetch(UNSUPPORTED, label="UnalignAdd"), "an unsupported kernel")

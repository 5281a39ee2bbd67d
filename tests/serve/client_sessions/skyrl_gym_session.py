"""SkyRL's own registry and base class, with the environment of examples/training."""
import sys

from common import FINDING, RIGHT, ROOT, UNSUPPORTED, raises, same

sys.path.insert(0, str(ROOT / "examples/training/skyrl_akgen"))
import akgen
import skyrl_akgen
import skyrl_gym

env = skyrl_gym.make("akgen", env_config={}, extras={"task": "Sqrt", "max_turns": 3})
env.init([{"role": "user", "content": "Write Sqrt."}])
first, second = env.step(FINDING), env.step(RIGHT)
same((first["reward"], first["done"], round(first["reward"] + second["reward"], 9), second["done"]), (0.3, False, 1.0, True), "an episode")
same("AK1004" in first["observations"][0]["content"], True, "feedback")
raises(akgen.Unsupported, lambda: skyrl_gym.make("akgen", env_config={}, extras={"task": "UnalignAdd"}).step(UNSUPPORTED), "an unsupported kernel")

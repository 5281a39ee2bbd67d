"""An environment for SkyRL, judged by the server of $AKGEN_URL (docs/serve.md): write, read what was found, improve.

    import skyrl_akgen                      # registers "akgen"
    environment.env_class=akgen             # rows: {"prompt": [...], "env_class": "akgen", "task": "FastGelu"}

The reward of a turn is what it improves on the best one, so that their sum is that of the best answer. A judgement that says nothing about the answer raises:
SkyRL has no word for "leave this sample out".
"""
import akgen
from skyrl_gym.envs.base_text_env import BaseTextEnv, BaseTextEnvStepOutput
from skyrl_gym.envs.registration import register


class AkgenEnv(BaseTextEnv):
    def __init__(self, env_config=None, extras=None):
        super().__init__()
        extras = extras or {}
        self.task = extras["task"]
        self.max_turns = int(extras.get("max_turns", 4))
        self.best = 0.0

    def step(self, action):
        self.turns += 1
        result = akgen.judge_source(action, self.task)
        gained = max(0.0, result.reward() - self.best)
        self.best += gained
        done = result.passed or self.turns >= self.max_turns
        told = [] if done else [{"role": "user", "content": result.feedback or result.verdict}]
        return BaseTextEnvStepOutput(observations=told, reward=gained, done=done, metadata={"verdict": result.verdict})

    def get_metrics(self):
        return {"best_reward": self.best, "turns": self.turns}


register(id="akgen", entry_point="skyrl_akgen:AkgenEnv")

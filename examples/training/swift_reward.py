"""Reward of ms-swift, over the server of $AKGEN_URL (docs/serve.md).

    swift rlhf --rlhf_type grpo --external_plugins swift_reward.py --reward_funcs akgen      # the dataset has a column `task`

ms-swift 4.6 counts a missing reward as 0, so it has no word for "leave this sample out": what says nothing about the answer raises.
"""
import akgen
from swift.rewards import ORM, orms


class AkgenReward(ORM):
    def __call__(self, completions, task, **_):
        results = akgen.judge_many([akgen.submission(t, text=c) for c, t in zip(completions, task)])
        for r in results:
            if isinstance(r, akgen.AkgenError):
                raise r
        return [r.reward() for r in results]


orms["akgen"] = AkgenReward

"""Reward of TRL's GRPOTrainer and RLOOTrainer, over the server of $AKGEN_URL (docs/serve.md).

    GRPOTrainer(reward_funcs=akgen_reward, train_dataset=dataset, ...)     # the dataset has a column `task`

None, for what says nothing about the answer (unsupported, undecided, an internal error), is left out of the group's baseline (TRL 1.16).
Anything else that fails ends the step with an exception.
"""
import akgen


def akgen_reward(completions, task, log_metric=None, **_):
    texts = [c if isinstance(c, str) else c[-1]["content"] for c in completions]
    rewards = akgen.rewards(texts, task)
    if log_metric:
        log_metric("akgen/left_out", rewards.count(None) / len(rewards))
    return rewards

"""Reward of verl, over the server of $AKGEN_URL (docs/serve.md).

    reward.custom_reward_function.path=verl_reward.py reward.custom_reward_function.name=compute_score
    # rows: reward_model = {"style": "rule", "ground_truth": "FastGelu"}

verl has no word for "leave this sample out": what says nothing about the answer (unsupported, undecided) raises, so remove such tasks from the data.
"""
import asyncio

import akgen


async def compute_score(data_source, solution_str, ground_truth, extra_info=None, **_):
    result = await asyncio.to_thread(akgen.judge_source, solution_str, ground_truth)
    return {"score": result.reward(), "passed": float(result.passed), "verdict": result.verdict, "queued_ms": result.queued_ms, "judged_ms": result.judged_ms}

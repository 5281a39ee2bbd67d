"""Reward of OpenRLHF, over the server of $AKGEN_URL (docs/serve.md).

    --reward.remote_url openrlhf_reward.py --data.label_key task

The server's own /get_reward does the same without this file. A query is prompt and response. OpenRLHF has no word for "leave this sample out": what says
nothing about the answer raises, which its executor logs, leaving the sample's reward None.
"""
import akgen


def reward_func(queries, prompts, labels, **_):
    texts = [q[len(p):] if p and q.startswith(p) else q for q, p in zip(queries, prompts)]
    results = akgen.judge_many([akgen.submission(label, text=text) for text, label in zip(texts, labels)])
    for r in results:
        if isinstance(r, akgen.AkgenError):
            raise r
    rewards = [r.reward() for r in results]
    return {"rewards": rewards, "scores": [min(1.0, max(0.0, r)) for r in rewards],
            "extra_logs": {"passed": [float(r.passed) for r in results], "judged_ms": [r.judged_ms for r in results]}}

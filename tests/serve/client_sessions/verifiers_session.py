"""verifiers with the taskset of examples/training: its own loader, its own scoring."""
import asyncio
import sys

from common import FINDING, RIGHT, ROOT, UNSUPPORTED, same

sys.path.insert(0, str(ROOT / "examples/training/verifiers_akgen"))
import verifiers.v1 as vf
import verifiers_akgen

taskset = verifiers_akgen.AkgenTaskset(verifiers_akgen.AkgenConfig(tasks=["Sqrt", "UnalignAdd"]))
tasks = {task.data.task: task for task in taskset}
same(sorted(tasks), ["Sqrt", "UnalignAdd"], "tasks")
same("op_kernel" in tasks["Sqrt"].data.prompt, True, "prompt")


def rewards_of(name, reply):
    """What its scoring makes of a rollout that ended with this reply."""
    task = tasks[name]
    trace = vf.Trace.model_construct(root_reply=reply, rewards={}, metrics={}, errors=[], nodes=[], calls=[], info={})
    asyncio.run(task.score(trace))
    return {k: r.score for k, r in trace.rewards.items() if r is not None}


same(rewards_of("Sqrt", RIGHT), {"akgen_reward": 1.0}, "a right one")
same(rewards_of("Sqrt", FINDING), {"akgen_reward": 0.3}, "a finding")
try:
    got = rewards_of("UnalignAdd", UNSUPPORTED)
except vf.TaskError as e:
    same("matmul" in str(e).lower() or "unsupported" in str(e).lower(), True, str(e))
else:
    raise SystemExit(f"an unsupported kernel: {got}")

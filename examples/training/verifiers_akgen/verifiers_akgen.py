"""Operator tasks of akgen for verifiers 0.4 and prime-rl, judged by the server of $AKGEN_URL (docs/serve.md).

    uv run eval verifiers_akgen --taskset.level 1

A judgement that says nothing about the answer raises: verifiers records the rollout as failed and leaves it out. Without this package, verifiers' own
taskset `openenv` speaks to `akgen serve` as well.
"""
import asyncio

import akgen
import verifiers.v1 as vf

PROMPT = "Write an Ascend C operator project (op_host and op_kernel) for this task. {format}\n\n"


class AkgenData(vf.TaskData):
    task: str


class AkgenConfig(vf.TasksetConfig):
    level: int | None = None
    """Tasks of this level; all of them without it."""
    tasks: list[str] = []
    """Only these, by name."""


class AkgenTask(vf.Task[AkgenData]):
    @vf.reward(weight=1.0)
    async def akgen_reward(self, trace) -> float:
        return await asyncio.to_thread(akgen.reward, trace.last_reply, self.data.task)


class AkgenTaskset(vf.Taskset[AkgenTask, AkgenConfig]):
    def load(self):
        client = akgen.default_client()
        for entry in client.tasks():
            name, config = entry["name"], self.config
            if (config.level is None or entry["level"] == config.level) and (not config.tasks or name in config.tasks):
                task = client.task(name)
                prompt = PROMPT.format(format=task["answer_format"]) + task["description"]
                yield AkgenTask(AkgenData(name=name, task=name, prompt=prompt), config.task)


__all__ = ["AkgenTaskset"]
